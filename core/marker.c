#include "marker.h"

/* Adds a literal to the tree, behind its first `made` nodes. Returns how many there are then. */
static uint16_t add(literals *set, uint16_t made, size_t item) {
    const sluice__literal *m = &set->items[item];
    const char *p = m->text, *end = p + m->len;
    uint16_t *first = &set->first[(unsigned char)*p];
    sluice__node *node = NULL, *top = *first ? &set->nodes[*first] : NULL;
    for (sluice__node **at = &top; p < end; at = &node->kid) {
        while (*at && (*at)->byte != (uint8_t)*p)
            at = &(*at)->next;
        node = *at;
        if (!node) {
            *at = node = &set->nodes[made++];
            node->byte = (uint8_t)*p;
            node->text = p + 1;
            node->len = (uint32_t)(end - p - 1);
        }
        p++;
        uint32_t same = 0;
        while (same < node->len && p < end && node->text[same] == *p)
            same++, p++;
        if (same < node->len) { /* what is behind it gets a node of its own */
            const char *rest = node->text + same;
            sluice__node *below = &set->nodes[made++];
            *below = *node;
            below->byte = (uint8_t)*rest;
            below->text = rest + 1;
            below->len -= same + 1;
            below->next = NULL;
            node->len = same;
            node->ends = 0;
            node->kid = below;
        }
    }
    if (!node->ends)
        node->ends = (uint16_t)(item + 1);
    *first = (uint16_t)(top - set->nodes);
    return made;
}

literals *sluice__literals_new(const sluice_allocator *a, const sluice__literal *items,
                               size_t count) {
    size_t bytes = 0, most = 2 * count + 1;
    for (size_t i = 0; i < count; i++)
        bytes += items[i].len + 1;
    size_t size =
        sizeof(literals) + count * sizeof(sluice__literal) + most * sizeof(sluice__node) + bytes;
    literals *set = sluice__zeroed(a, size);
    if (!set)
        return NULL;
    set->size = size;
    set->count = count;
    set->items = (sluice__literal *)(set + 1);
    set->nodes = (sluice__node *)(set->items + count);
    char *text = (char *)(set->nodes + most);
    uint16_t made = 1;
    for (size_t i = 0; i < count; i++) {
        memcpy(text, items[i].text, items[i].len);
        set->items[i] = items[i];
        set->items[i].text = text;
        made = add(set, made, i);
        text += items[i].len + 1;
    }
    for (unsigned c = 0; c < 256; c++)
        set->odd[c] = c < 0x20 ? 1 : set->first[c] ? A_LITERAL : 0;
    return set;
}

match sluice__literals_at(const literals *set, view v, bool end, size_t *item) {
    const sluice__node *node = set->nodes + set->first[(unsigned char)*v.p], *kid;
    enum { WORD = 8 }; /* compared at once, without a call */
    match best = NO;
    for (v.p++;; v.p++) {
        const char *text = node->text, *stop = text + node->len;
        while (stop - text >= WORD && v.end - v.p >= WORD && memcmp(text, v.p, WORD) == 0)
            text += WORD, v.p += WORD;
        while (text < stop && v.p < v.end && *text == *v.p)
            text++, v.p++;
        if (text < stop)
            return v.p < v.end || end ? best : CUT;
        if (node->ends)
            best = YES, *item = node->ends - 1u;
        kid = node->kid;
        if (v.p == v.end)
            return !end && kid ? CUT : best;
        while (kid && kid->byte != (unsigned char)*v.p)
            kid = kid->next;
        if (!kid)
            return best;
        node = kid;
    }
}

match sluice__literals_find(const literals *set, view v, bool end, const char **at, size_t *item) {
    match m = NO;
    for (; v.p < v.end; v.p++)
        if ((m = literals_at(set, v, end, item)) == CUT || (m && !set->items[*item].quiet))
            break;
    *at = v.p;
    return v.p < v.end ? m : NO;
}
