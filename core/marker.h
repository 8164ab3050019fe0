/* Sets of literals: the longest that stands at a place, or whether more bytes are needed. */
#ifndef SLUICE_MARKER_H
#define SLUICE_MARKER_H

#include "bytes.h"

typedef struct sluice__literal {
    const char *text; /* owned by the set */
    size_t len;
    unsigned role; /* the caller's own; not read here */
    bool quiet;    /* matches at a given place, but is not searched for */
} sluice__literal;

enum { LITERALS_MAX = 32000 }; /* literals of a set */

/* A node of the tree: a byte, a run of bytes without a branch, then the nodes below it. */
typedef struct sluice__node {
    struct sluice__node *kid, *next; /* the first one below it; the next one beside it; or NULL */
    const char *text;                /* the run */
    uint32_t len;
    uint16_t ends; /* the first literal that ends behind it, + 1; or 0 */
    uint8_t byte;
} sluice__node;

/* An immutable set of literals, none empty. Shared by streams, without reference counts. */
typedef struct literals {
    size_t count;
    sluice__literal *items; /* in the caller's order */
    size_t size;            /* of the allocation */
    sluice__node *nodes;    /* from 1 on */
    uint16_t first[256];    /* first byte -> node, or 0 */
    uint8_t odd[256];       /* what wakes one who waits for a literal, or for the end of a line */
} literals;

/* Makes a set of copies of `items`, at most LITERALS_MAX, in one block. NULL: out of memory. */
literals *sluice__literals_new(const sluice_allocator *a, const sluice__literal *items,
                               size_t count);

/* Finds the longest literal at v.p, of which the first byte begins one (`end`: no more bytes will
 * come). YES sets `*item` (the first of equal ones). */
match sluice__literals_at(const literals *set, view v, bool end, size_t *item);
/* The same, at any byte. */
static inline match literals_at(const literals *set, view v, bool end, size_t *item) {
    if (v.p == v.end)
        return end ? NO : CUT;
    return set->first[(unsigned char)*v.p] ? sluice__literals_at(set, v, end, item) : NO;
}
/* Does the second byte tell that none stands there? The first one begins one. */
static inline bool literals_differ(const literals *set, view v) {
    const sluice__node *node = &set->nodes[set->first[(unsigned char)*v.p]];
    return node->len && view_len(v) > 1 && *node->text != v.p[1];
}
/* True if all of v is a proper prefix of a literal. */
static inline bool literals_begin(const literals *set, view v) {
    size_t item;
    return literals_at(set, v, false, &item) == CUT;
}

static inline view literal_text(const sluice__literal *m) { return view_of(m->text, m->len); }
/* Is all of v one of the literals? The set may be NULL. */
static inline bool is_literal(const literals *set, view v) {
    size_t item;
    return set && literals_at(set, v, true, &item) == YES && set->items[item].len == view_len(v);
}

/* Finds the earliest literal in v, except quiet ones. YES sets `*item` (the longest there). `*at`:
 * where it begins, or may begin; or v.end. */
match sluice__literals_find(const literals *set, view v, bool end, const char **at, size_t *item);

#endif
