#include "marker.h"

#include <stdlib.h>

/* ---- Building a set ------------------------------------------------------------------------- */

/* Orders two literals by their bytes; equal ones by their numbers. */
static int compare(const void *x, const void *y) {
    const sluice__literal *a = *(sluice__literal *const *)x, *b = *(sluice__literal *const *)y;
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    return order ? order : a->len != b->len ? (a->len < b->len ? -1 : 1) : a < b ? -1 : a > b;
}

/* Builds the nodes level by level. Until it is its turn, a node holds the literals that are below
 * it, order[kids..behind), which agree in their first `len` bytes. */
static void build(literals *set, sluice__literal **order) {
    size_t made = 1;
    set->nodes->behind = (uint16_t)set->count;
    for (size_t k = 0; k < made; k++) {
        sluice__node *node = &set->nodes[k];
        uint16_t i = node->kids, last = node->behind;
        if (i == last)
            continue; /* the root of an empty set */
        const sluice__literal *low = order[i], *high = order[last - 1];
        size_t same = node->len, to = same;
        while (k && to < low->len && to < high->len && low->text[to] == high->text[to])
            to++;
        node->text = low->text + same;
        node->len = (uint32_t)(to - same);
        if (k && low->len == to) {
            node->ends = (uint16_t)(low - set->items + 1);
            while (i < last && order[i]->len == to)
                i++;
        }
        node->kids = (uint16_t)made;
        while (i < last) {
            char c = order[i]->text[to];
            uint16_t begin = i;
            while (i < last && order[i]->text[to] == c)
                i++;
            set->nodes[made++] = (sluice__node){
                .byte = (uint8_t)c, .kids = begin, .behind = i, .len = (uint32_t)(to + 1)};
        }
        node->behind = (uint16_t)made;
    }
    for (uint16_t k = 1; k < set->nodes[0].behind; k++)
        set->first[set->nodes[k].byte] = k;
}

literals *sluice__literals_new(const sluice_allocator *a, const sluice__literal *items,
                               size_t count) {
    size_t bytes = 0, most = 2 * count + 1;
    for (size_t i = 0; i < count; i++)
        bytes += items[i].len + 1;
    size_t size =
        sizeof(literals) + count * sizeof(sluice__literal) + most * sizeof(sluice__node) + bytes;
    size_t scratch_size = (count + 1) * sizeof(sluice__literal *); /* a set may be empty */
    literals *set = sluice__zeroed(a, size);
    sluice__literal **order = set ? sluice__realloc(a, NULL, 0, scratch_size) : NULL;
    if (!order) {
        if (set)
            sluice__realloc(a, set, size, 0);
        return NULL;
    }
    set->size = size;
    set->count = count;
    set->items = (sluice__literal *)(set + 1);
    set->nodes = (sluice__node *)(set->items + count);
    char *text = (char *)(set->nodes + most);
    for (size_t i = 0; i < count; i++) {
        memcpy(text, items[i].text, items[i].len);
        set->items[i] = items[i];
        set->items[i].text = text;
        order[i] = &set->items[i];
        if (items[i].len > set->longest)
            set->longest = items[i].len;
        text += items[i].len + 1;
    }
    qsort(order, count, sizeof *order, compare);
    build(set, order);
    for (unsigned c = 0; c < 256; c++)
        set->odd[c] = c < 0x20 ? 1 : set->first[c] ? A_LITERAL : 0;
    sluice__realloc(a, order, scratch_size, 0);
    return set;
}

void sluice__literals_free(const sluice_allocator *a, literals *set) {
    if (set)
        sluice__realloc(a, set, set->size, 0);
}

/* ---- Reading --------------------------------------------------------------------------------- */

match sluice__literals_at(const literals *set, view v, bool end, size_t *item) {
    const sluice__node *nodes = set->nodes, *node = nodes + set->first[(unsigned char)*v.p];
    match best = NO;
    for (v.p++;; v.p++) {
        size_t n = view_len(v) < node->len ? view_len(v) : node->len;
        if (n && memcmp(node->text, v.p, n) != 0)
            return best;
        if (n == node->len && node->ends) {
            best = YES;
            *item = node->ends - 1u;
        }
        v.p += n;
        const sluice__node *kid = nodes + node->kids, *behind = nodes + node->behind;
        if (v.p == v.end)
            return !end && (n < node->len || kid < behind) ? CUT : best;
        while (kid < behind && kid->byte != (unsigned char)*v.p)
            kid++;
        if (kid == behind)
            return best;
        node = kid;
    }
}

match sluice__literals_find(const literals *set, view v, bool end, const char **at, size_t *item) {
    match m = NO;
    for (; v.p < v.end; v.p++) {
        m = literals_at(set, v, end, item);
        if (m == CUT || (m == YES && !set->items[*item].quiet))
            break;
        m = NO;
    }
    *at = v.p;
    return m;
}
