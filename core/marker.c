#include "marker.h"

#include <stdlib.h>

/* ---- Building a set ------------------------------------------------------------------------- */

/* Orders two literals by their bytes; equal ones by their numbers. */
static int compare(const sluice__marker *items, uint16_t x, uint16_t y) {
    const sluice__marker *a = &items[x], *b = &items[y];
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    if (order)
        return order;
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void sift(const sluice__marker *items, uint16_t *heap, size_t i, size_t n) {
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && compare(items, heap[child], heap[child + 1]) < 0)
            child++;
        if (compare(items, heap[i], heap[child]) >= 0)
            return;
        uint16_t swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Heap sort: no memory, no recursion; the comparison needs the items. */
static void sort(const sluice__marker *items, uint16_t *order, size_t n) {
    for (size_t i = n / 2; i-- > 0;)
        sift(items, order, i, n);
    while (n > 1) {
        uint16_t swap = order[0];
        order[0] = order[--n];
        order[n] = swap;
        sift(items, order, 0, n);
    }
}

/* The literals order[from..to) of a node; they agree in their first bytes. */
typedef struct range {
    uint16_t from, to;
} range;

/* Builds the nodes level by level: each when its range is taken from the list. */
static void build(sluice__markers *set, const uint16_t *order, range *ranges) {
    size_t made = 1;
    ranges[0] = (range){0, (uint16_t)set->count};
    set->nodes[0].from = set->nodes[0].to = 0;
    for (size_t k = 0; k < made; k++) {
        sluice__node *node = &set->nodes[k];
        uint16_t i = ranges[k].from, last = ranges[k].to;
        if (i == last)
            continue; /* the root of an empty set */
        const sluice__marker *low = &set->items[order[i]], *high = &set->items[order[last - 1]];
        size_t to = node->from;
        if (k)
            while (to < low->len && to < high->len && low->text[to] == high->text[to])
                to++;
        node->item = order[i];
        node->to = (uint32_t)to;
        if (k && low->len == to) {
            node->ends = (uint16_t)(order[i] + 1);
            while (i < last && set->items[order[i]].len == to)
                i++;
        }
        node->kids = (uint16_t)made;
        while (i < last) {
            char c = set->items[order[i]].text[to];
            uint16_t begin = i;
            while (i < last && set->items[order[i]].text[to] == c)
                i++;
            set->nodes[made].from = (uint32_t)to;
            set->bytes[made] = (uint8_t)c;
            ranges[made++] = (range){begin, i};
            node->kid_count++;
        }
    }
    for (size_t k = 0; k < set->nodes[0].kid_count; k++)
        set->first[set->bytes[1 + k]] = (uint16_t)(1 + k);
}

enum { FEW = 12 };

/* Records how the literals of a small set begin. */
static void note_beginnings(sluice__markers *set) {
    for (size_t i = 0; i < set->count && set->count <= FEW; i++) {
        const sluice__marker *item = &set->items[i];
        sluice__beginning b = {0, 0, (uint32_t)item->len, (uint16_t)i};
        size_t n = item->len < sizeof b.bytes ? item->len : sizeof b.bytes, at = i;
        memcpy(&b.bytes, item->text, n);
        memset(&b.mask, 0xFF, n);
        for (; at && set->beginnings[at - 1].len < b.len; at--)
            set->beginnings[at] = set->beginnings[at - 1];
        set->beginnings[at] = b;
        set->beginning_count++;
    }
}

sluice__markers *sluice__markers_new(const sluice_allocator *a, const sluice__marker *items,
                                     size_t count) {
    size_t bytes = 0, most = 2 * count + 1, slots = sluice__sieve_slots(count);
    for (size_t i = 0; i < count; i++)
        bytes += items[i].len + 1;
    size_t few = count <= FEW ? count : 0;
    size_t size = sizeof(sluice__markers) + count * sizeof(sluice__marker) +
                  few * sizeof(sluice__beginning) + most * (sizeof(sluice__node) + 1) +
                  slots * sizeof(uint16_t) + bytes;
    size_t scratch_size = count * sizeof(uint16_t) + most * sizeof(range) + sizeof(sluice__printer);
    sluice__markers *set = sluice__realloc(a, NULL, 0, size);
    sluice__printer *printer = sluice__realloc(a, NULL, 0, scratch_size);
    if (!set || !printer) {
        if (set)
            sluice__realloc(a, set, size, 0);
        if (printer)
            sluice__realloc(a, printer, scratch_size, 0);
        return NULL;
    }
    range *ranges = (range *)(printer + 1);
    uint16_t *order = (uint16_t *)(ranges + most);
    memset(set, 0, size - bytes);
    set->size = size;
    set->count = count;
    set->items = (sluice__marker *)(set + 1);
    set->beginnings = (sluice__beginning *)(set->items + count);
    set->prints.sieve = (uint16_t *)(set->beginnings + few);
    set->prints.shift = (uint8_t)(32 - __builtin_ctzl(slots));
    set->nodes = (sluice__node *)(set->prints.sieve + slots);
    set->bytes = (uint8_t *)(set->nodes + most);
    char *text = (char *)(set->bytes + most);
    for (size_t i = 0; i < count; i++) {
        memcpy(text, items[i].text, items[i].len);
        text[items[i].len] = 0;
        set->items[i] = items[i];
        set->items[i].text = text;
        order[i] = (uint16_t)i;
        if (items[i].len > set->longest)
            set->longest = items[i].len;
        text += items[i].len + 1;
    }
    note_beginnings(set);
    sort(set->items, order, count);
    build(set, order, ranges);
    memset(printer, 0, sizeof *printer);
    printer->set = &set->prints;
    for (size_t i = 0; i < count; i++)
        if (!set->items[order[i]].quiet)
            sluice__printer_add(printer, set->items[order[i]].text, set->items[order[i]].len);
    sluice__printer_end(printer);
    set->scan = sluice__scan_best();
    for (unsigned c = 0; c < 256; c++)
        set->odd[c] = set->first[c] || c < 0x20 || c == '"' || c == '\\' ? 1 : c >= 0x80 ? 2 : 0;
    sluice__realloc(a, printer, scratch_size, 0);
    return set;
}

void sluice__markers_free(const sluice_allocator *a, sluice__markers *set) {
    if (set)
        sluice__realloc(a, set, set->size, 0);
}

/* ---- Walking --------------------------------------------------------------------------------- */

/* Returns the node below `node` for `c`, or 0. */
static inline size_t below(const sluice__markers *set, const sluice__node *node, unsigned char c) {
    const uint8_t *bytes = set->bytes + node->kids;
    size_t low = 0, high = node->kid_count;
    while (high - low > 4) {
        size_t middle = (low + high) / 2;
        if (bytes[middle] <= c)
            low = middle;
        else
            high = middle;
    }
    for (; low < high; low++)
        if (bytes[low] == c)
            return node->kids + low;
    return 0;
}

/* Returns how many of the first n bytes are equal. */
static inline size_t same(const char *a, const char *b, size_t n) {
    size_t i = 0;
    for (uint64_t x, y; n - i >= 8; i += 8) {
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        if (x != y)
            break;
    }
    for (uint32_t x, y; n - i >= 4; i += 4) {
        memcpy(&x, a + i, 4);
        memcpy(&y, b + i, 4);
        if (x != y)
            break;
    }
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* Apart, so that the walk stays short. */
__attribute__((noinline)) static sluice__match
look_through(const sluice__markers *set, const char *p, size_t n, bool end, size_t *item) {
    return sluice__markers_try(set, p, n, end, item);
}

/* Walks the tree; at the start, the first byte must be that of a literal. */
static inline sluice__match walk_on(const sluice__markers *set, sluice__walk *walk, const char *p,
                                    size_t n, bool end, size_t *item) {
    const sluice__node *node = &set->nodes[walk->node];
    size_t length = walk->length, best = walk->best, i = 0;
    bool more = false;
    if (!length && n) {
        node = &set->nodes[set->first[(unsigned char)p[0]]];
        length = i = 1;
    }
    for (;;) {
        if (length < node->to) {
            const char *text = set->items[node->item].text;
            while (length < node->to && i < n && text[length] == p[i])
                length++, i++;
            if (length < node->to) {
                more = i == n;
                break;
            }
        }
        if (node->ends)
            best = node->ends;
        more = i == n && node->kid_count;
        if (i == n)
            break;
        unsigned char c = (unsigned char)p[i];
        size_t next = below(set, node, c);
        if (!next)
            break;
        node = &set->nodes[next];
        length++, i++;
    }
    if (more && !end) {
        *walk = (sluice__walk){(uint16_t)(node - set->nodes), (uint16_t)best, (uint32_t)length};
        return SLUICE__WAIT;
    }
    if (!best)
        return SLUICE__NO;
    *item = best - 1;
    return SLUICE__YES;
}

sluice__match sluice__markers_walk(const sluice__markers *set, sluice__walk *walk, const char *p,
                                   size_t n, bool end, size_t *item) {
    const sluice__node *node = &set->nodes[walk->node];
    if (!walk->length && n) {
        size_t first = set->first[(unsigned char)p[0]];
        if (!first)
            return SLUICE__NO;
        if (set->longest == 1) {
            *item = set->nodes[first].ends - 1u;
            return SLUICE__YES;
        }
        sluice__match m = SLUICE__WAIT;
        if (n >= 8 && set->beginning_count)
            m = look_through(set, p, n, end, item);
        if (m != SLUICE__WAIT)
            return m;
    } else if (walk->length + n < node->to) {
        if (!end && same(set->items[node->item].text + walk->length, p, n) == n) {
            walk->length += (uint32_t)n; /* inside a run that is the only one beginning like this */
            return SLUICE__WAIT;
        }
    } else if (node->ends && !node->kid_count) { /* the end of a literal that is part of no other */
        const char *text = set->items[node->item].text;
        size_t i = 0, left = sluice__minus(node->to, walk->length);
        while (i < left && text[walk->length + i] == p[i])
            i++;
        if (i == left) {
            *item = node->ends - 1u;
            return SLUICE__YES;
        }
    }
    return walk_on(set, walk, p, n, end, item);
}

sluice__match sluice__markers_at(const sluice__markers *set, const char *p, size_t n, bool end,
                                 size_t *item) {
    if (n && !set->first[(unsigned char)p[0]])
        return SLUICE__NO;
    sluice__walk walk = {0, 0, 0};
    return sluice__markers_walk(set, &walk, p, n, end, item);
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* What matches at p, where the first byte of a literal is, if it is searched for. */
static inline sluice__match loud_at(const sluice__markers *set, const char *p, size_t n, bool end,
                                    size_t *item) {
    sluice__match m = SLUICE__WAIT;
    if (set->beginning_count && n >= 8)
        m = sluice__markers_try(set, p, n, end, item);
    if (m == SLUICE__WAIT) {
        sluice__walk walk = {0, 0, 0};
        m = sluice__markers_walk(set, &walk, p, n, end, item);
    }
    return m == SLUICE__YES && set->items[*item].quiet ? SLUICE__NO : m;
}

/* The same as sluice__markers_next for too few bytes to be searched many at a time. */
static sluice__match next_of_few(const sluice__markers *set, const char *p, size_t n, bool end,
                                 size_t from, size_t *at, size_t *item) {
    sluice__match m = SLUICE__NO;
    size_t i = from;
    for (; i < n && m == SLUICE__NO; i++)
        if (set->prints.first[(unsigned char)p[i]])
            m = loud_at(set, p + i, n - i, end, item);
    *at = m == SLUICE__NO ? n : i - 1;
    return m;
}

sluice__match sluice__markers_next(const sluice__markers *set, const char *p, size_t n, bool end,
                                   sluice__hits *hits, size_t from, size_t *at, size_t *item) {
    if (n < SLUICE__FIND_LEAST)
        return next_of_few(set, p, n, end, from, at, item);
    do
        while (hits->mask) {
            size_t i = hits->at + (size_t)__builtin_ctz(hits->mask);
            hits->mask &= hits->mask - 1;
            sluice__match m = i < from ? SLUICE__NO : loud_at(set, p + i, n - i, end, item);
            if (m != SLUICE__NO) {
                *at = i;
                return m;
            }
        }
    while (set->scan(&set->prints, p, hits->next < from ? from : hits->next, n, hits));
    *at = n;
    return SLUICE__NO;
}

sluice__match sluice__markers_find(const sluice__markers *set, const char *p, size_t n, bool end,
                                   size_t *at, size_t *item) {
    sluice__hits hits = {0, 0, 0};
    return n < SLUICE__FIND_LEAST ? next_of_few(set, p, n, end, 0, at, item)
                                  : sluice__markers_next(set, p, n, end, &hits, 0, at, item);
}
