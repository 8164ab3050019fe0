#include "marker.h"

#include <stdlib.h>

/* ---- Building a set ------------------------------------------------------------------------- */

/* Orders two literals by their bytes; equal ones by their numbers. */
static int compare(const void *x, const void *y) {
    const literal *a = *(literal *const *)x, *b = *(literal *const *)y;
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    return order ? order : a->len != b->len ? (a->len < b->len ? -1 : 1) : a < b ? -1 : a > b;
}

/* The literals order[from..to) of a node; they agree in their first bytes. */
typedef struct range {
    uint16_t from, to;
} range;

/* Builds the nodes level by level: each when its range is taken from the list. */
static void build(literals *set, literal **order, range *ranges) {
    size_t made = 1;
    ranges[0] = (range){0, (uint16_t)set->count};
    set->nodes[0].from = set->nodes[0].to = 0;
    for (size_t k = 0; k < made; k++) {
        sluice__node *node = &set->nodes[k];
        uint16_t i = ranges[k].from, last = ranges[k].to;
        if (i == last)
            continue; /* the root of an empty set */
        const literal *low = order[i], *high = order[last - 1];
        size_t to = node->from;
        if (k)
            while (to < low->len && to < high->len && low->text[to] == high->text[to])
                to++;
        node->item = (uint16_t)(low - set->items);
        node->to = (uint32_t)to;
        if (k && low->len == to) {
            node->ends = (uint16_t)(node->item + 1);
            while (i < last && order[i]->len == to)
                i++;
        }
        node->kids = (uint16_t)made;
        while (i < last) {
            char c = order[i]->text[to];
            uint16_t begin = i;
            while (i < last && order[i]->text[to] == c)
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

literals *sluice__literals_new(const sluice_allocator *a, const literal *items, size_t count) {
    size_t bytes = 0, most = 2 * count + 1;
    for (size_t i = 0; i < count; i++)
        bytes += items[i].len + 1;
    size_t size =
        sizeof(literals) + count * sizeof(literal) + most * (sizeof(sluice__node) + 1) + bytes;
    size_t scratch_size = most * sizeof(range) + count * sizeof(literal *);
    literals *set = sluice__realloc(a, NULL, 0, size);
    literal **order = sluice__realloc(a, NULL, 0, scratch_size);
    if (!set || !order) {
        if (set)
            sluice__realloc(a, set, size, 0);
        if (order)
            sluice__realloc(a, order, scratch_size, 0);
        return NULL;
    }
    memset(set, 0, size - bytes);
    set->size = size;
    set->count = count;
    set->items = (literal *)(set + 1);
    set->nodes = (sluice__node *)(set->items + count);
    set->bytes = (uint8_t *)(set->nodes + most);
    char *text = (char *)(set->bytes + most);
    for (size_t i = 0; i < count; i++) {
        memcpy(text, items[i].text, items[i].len);
        text[items[i].len] = 0;
        set->items[i] = items[i];
        set->items[i].text = text;
        order[i] = &set->items[i];
        if (items[i].len > set->longest)
            set->longest = items[i].len;
        text += items[i].len + 1;
    }
    qsort(order, count, sizeof *order, compare);
    build(set, order, (range *)(order + count));
    for (unsigned c = 0; c < 256; c++)
        set->odd[c] = c < 0x20               ? 1
                      : set->first[c]        ? 3
                      : c == '`' || c == '<' ? 1
                      : c >= 0x80            ? 2
                                             : 0;
    sluice__realloc(a, order, scratch_size, 0);
    return set;
}

void sluice__literals_free(const sluice_allocator *a, literals *set) {
    if (set)
        sluice__realloc(a, set, set->size, 0);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Returns the node below `node` for `c`, or 0. */
static size_t below(const literals *set, const sluice__node *node, unsigned char c) {
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

match sluice__literals_at(const literals *set, view v, bool end, size_t *item) {
    size_t best = 0, next = set->first[(unsigned char)*v.p]; /* best: + 1 */
    size_t n = view_len(v), i = 0;
    do {
        const sluice__node *node = &set->nodes[next];
        const char *text = set->items[node->item].text;
        size_t stop = n < node->to ? n : node->to;
        if (++i < stop && memcmp(text + i, v.p + i, stop - i) != 0)
            break;
        i = stop;
        if (i == node->to && node->ends)
            best = node->ends;
        if (i == n) {
            if (!end && (i < node->to || node->kid_count))
                return CUT;
            break;
        }
        next = below(set, node, (unsigned char)v.p[i]);
    } while (next);
    if (best)
        *item = best - 1;
    return best ? YES : NO;
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
