/* Finding the earliest of a set of literals in a stream of bytes. */
#ifndef SLUICE_MARKER_H
#define SLUICE_MARKER_H

#include "alloc.h"
#include "scan.h"

/* What `sluice__markers_at`, `_walk` and `_find` answer. WAIT: the bytes so far do not decide it.
 */
typedef enum sluice__match { SLUICE__NO, SLUICE__YES, SLUICE__WAIT } sluice__match;

typedef struct sluice__marker {
    const char *text; /* owned by the set */
    size_t len;
    unsigned role; /* the maker's own; not read here */
} sluice__marker;

enum {
    SLUICE__MARKERS_MAX = 32000,                 /* literals of a set */
    SLUICE__FIND_LEAST = 32 + SLUICE__SIEVED - 1 /* bytes that a vector fits in */
};

/* A node of the tree: bytes that follow each other without a branch, then the nodes below it. */
typedef struct sluice__node {
    uint16_t item; /* a literal whose bytes [from, to) these are */
    uint16_t ends; /* the first literal that ends here, + 1; or 0 */
    uint16_t kids, kid_count;
    uint32_t from, to; /* `from` is the byte by which the node above chose this one */
} sluice__node;

/* How a literal begins: of its first bytes, at most eight, those that count. */
typedef struct sluice__beginning {
    uint64_t bytes, mask;
    uint32_t len; /* of the literal */
    uint16_t item;
} sluice__beginning;

/* An immutable set of literals, none empty. Shared by streams; not reference-counted. */
typedef struct sluice__markers {
    size_t count, longest;
    sluice__marker *items; /* in the maker's order */
    size_t size;           /* of the allocation */
    sluice__node *nodes;   /* the root first; the nodes below a node side by side, ascending */
    uint8_t *bytes;        /* of each node the byte by which it is chosen */
    sluice__beginning *beginnings; /* of the literals of a small set, the longest first; */
    size_t beginning_count;        /* 0: they are too many to go through */
    sluice__scan *scan;
    uint16_t first[256]; /* first byte -> node, or 0 */
    uint8_t odd[256];    /* bytes that begin a literal, or that JSON may escape in a string */
    sluice__prints prints;
} sluice__markers;

/* Makes a set of copies of `items`; at most SLUICE__MARKERS_MAX. Returns NULL if out of memory. */
sluice__markers *sluice__markers_new(const sluice_allocator *a, const sluice__marker *items,
                                     size_t count);
void sluice__markers_free(const sluice_allocator *a, sluice__markers *set);

/* A match under way. All zero: nothing was read yet. */
typedef struct sluice__walk {
    uint16_t node, best; /* `best`: the longest literal so far, + 1; or 0 */
    uint32_t length;     /* bytes of the literal that were read */
} sluice__walk;

/* Reads on: the `n` bytes at `p` follow the `walk->length` bytes read so far; `end`: no more will
 * come. WAIT: all of them fit, go on with the next ones. YES sets `*item` to the longest literal
 * (the first of equal ones), which may be shorter than what was read. */
sluice__match sluice__markers_walk(const sluice__markers *set, sluice__walk *walk, const char *p,
                                   size_t n, bool end, size_t *item);

/* The longest literal at `p` (`n` bytes are there; `end`: no more will come). YES sets `*item`. */
sluice__match sluice__markers_at(const sluice__markers *set, const char *p, size_t n, bool end,
                                 size_t *item);

/* Is p[0..n) the beginning of a literal, and not all of it? */
static inline bool sluice__markers_begin(const sluice__markers *set, const char *p, size_t n) {
    size_t item;
    return sluice__markers_at(set, p, n, false, &item) == SLUICE__WAIT;
}

/* The earliest literal in p[0..n). YES sets `*at` and `*item` (the longest there). Otherwise `*at`
 * is the first byte that may still begin one, or n: no literal begins before it. */
sluice__match sluice__markers_find(const sluice__markers *set, const char *p, size_t n, bool end,
                                   size_t *at, size_t *item);

#endif
