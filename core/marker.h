/* Sets of literals: the longest that stands at a place, or whether more bytes are needed. */
#ifndef SLUICE_MARKER_H
#define SLUICE_MARKER_H

#include "alloc.h"

/* WAIT: undecided, more bytes are needed. */
typedef enum sluice__match { SLUICE__NO, SLUICE__YES, SLUICE__WAIT } sluice__match;

typedef struct sluice__marker {
    const char *text; /* owned by the set */
    size_t len;
    unsigned role; /* the caller's own; not read here */
    bool quiet;    /* matches at a given place, but is not searched for */
} sluice__marker;

enum { SLUICE__MARKERS_MAX = 32000 }; /* literals of a set */

/* A node of the tree: a run of bytes without a branch, then the nodes below it. */
typedef struct sluice__node {
    uint16_t item; /* a literal that has these bytes at [from, to) */
    uint16_t ends; /* the first literal that ends here, + 1; or 0 */
    uint16_t kids, kid_count;
    uint32_t from, to; /* `from` is the byte that selects this node */
} sluice__node;

/* An immutable set of literals, none empty. Shared by streams, without reference counts. */
typedef struct sluice__markers {
    size_t count, longest;
    sluice__marker *items; /* in the caller's order */
    size_t size;           /* of the allocation */
    sluice__node *nodes;   /* the root first; children are adjacent, in ascending order */
    uint8_t *bytes;        /* for each node, the byte that selects it */
    uint16_t first[256];   /* first byte -> node, or 0 */
    uint8_t odd[256];      /* 3: bytes that begin a literal; 1: backticks, `<` and control
                              characters; 2: others above ASCII */
} sluice__markers;

/* Makes a set of copies of `items`; at most SLUICE__MARKERS_MAX. Returns NULL if out of memory. */
sluice__markers *sluice__markers_new(const sluice_allocator *a, const sluice__marker *items,
                                     size_t count);
void sluice__markers_free(const sluice_allocator *a, sluice__markers *set);

/* Finds the longest literal that matches at `p` (`n` bytes; `end`: no more will come). YES sets
 * `*item` (the first of equal ones). */
sluice__match sluice__markers_at(const sluice__markers *set, const char *p, size_t n, bool end,
                                 size_t *item);

/* True if p[0..n) is a proper prefix of a literal. */
static inline bool sluice__markers_begin(const sluice__markers *set, const char *p, size_t n) {
    size_t item;
    return sluice__markers_at(set, p, n, false, &item) == SLUICE__WAIT;
}

/* Finds the earliest literal in p[0..n), except quiet ones. YES sets `*at` and `*item` (the longest
 * there). Otherwise `*at` is the first byte that may still begin one, or n: no literal begins
 * before it. */
sluice__match sluice__markers_find(const sluice__markers *set, const char *p, size_t n, bool end,
                                   size_t *at, size_t *item);

#endif
