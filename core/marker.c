#include "marker.h"

sluice__markers *sluice__markers_new(const sluice_allocator *a, const sluice__marker *items,
                                     size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += items[i].len + 1;
    size_t fixed = sizeof(sluice__markers) + count * (sizeof(sluice__marker) + sizeof(uint16_t));
    sluice__markers *set = sluice__realloc(a, NULL, 0, fixed + bytes);
    if (!set)
        return NULL;
    memset(set, 0, sizeof *set);
    set->count = count;
    set->items = (sluice__marker *)(set + 1);
    set->chain = (uint16_t *)(set->items + count);
    char *text = (char *)(set->chain + count);
    for (size_t i = 0; i < count; i++) {
        memcpy(text, items[i].text, items[i].len);
        text[items[i].len] = 0;
        set->items[i] = (sluice__marker){text, items[i].len, items[i].role};
        unsigned char c = (unsigned char)text[0];
        set->chain[i] = set->first[c];
        set->first[c] = (uint16_t)(i + 1);
        sluice__prints_add(&set->prints, text, items[i].len);
        if (items[i].len > set->longest)
            set->longest = items[i].len;
        text += items[i].len + 1;
    }
    set->scan = sluice__scan_best();
    return set;
}

void sluice__markers_free(const sluice_allocator *a, sluice__markers *set) {
    if (!set)
        return;
    size_t bytes = 0;
    for (size_t i = 0; i < set->count; i++)
        bytes += set->items[i].len + 1;
    size_t fixed = sizeof *set + set->count * (sizeof(sluice__marker) + sizeof(uint16_t));
    sluice__realloc(a, set, fixed + bytes, 0);
}

sluice__match sluice__markers_at(const sluice__markers *set, const char *p, size_t n, bool end,
                                 size_t *item) {
    if (!n)
        return end || !set->count ? SLUICE__NO : SLUICE__WAIT;
    size_t best = 0;
    bool open = false;
    for (size_t i = set->first[(unsigned char)p[0]]; i; i = set->chain[i - 1]) {
        const sluice__marker *m = &set->items[i - 1];
        if (m->len <= n) {
            /* of two equal literals the first in order wins: chains run backwards */
            if (m->len >= best && memcmp(m->text, p, m->len) == 0) {
                best = m->len;
                *item = i - 1;
            }
        } else if (!end && memcmp(m->text, p, n) == 0) {
            open = true;
        }
    }
    if (open)
        return SLUICE__WAIT;
    return best ? SLUICE__YES : SLUICE__NO;
}

sluice__match sluice__markers_find(const sluice__markers *set, const char *p, size_t n, bool end,
                                   size_t *at, size_t *item) {
    enum { SHORT = 32 }; /* what setting up a vector loop is not worth */
    sluice__scan *scan = n < SHORT ? sluice__scan_portable : set->scan;
    for (size_t i = set->count ? scan(&set->prints, p, 0, n) : n; i < n;
         i = scan(&set->prints, p, i + 1, n)) {
        sluice__match m = sluice__markers_at(set, p + i, n - i, end, item);
        if (m != SLUICE__NO) {
            *at = i;
            return m;
        }
    }
    *at = n;
    return SLUICE__NO;
}
