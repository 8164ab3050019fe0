/* Finding the earliest of a set of literals in a stream of bytes. */
#ifndef SLUICE_MARKER_H
#define SLUICE_MARKER_H

#include "alloc.h"
#include "scan.h"

/* What `sluice__markers_at` and `_find` answer. WAIT: the bytes so far do not decide it. */
typedef enum sluice__match { SLUICE__NO, SLUICE__YES, SLUICE__WAIT } sluice__match;

typedef struct sluice__marker {
    const char *text; /* owned by the set */
    size_t len;
    unsigned role; /* the maker's own; not read here */
} sluice__marker;

/* An immutable set of literals, none empty. Shared by streams; not reference-counted. */
typedef struct sluice__markers {
    size_t count, longest;
    sluice__marker *items; /* in the maker's order */
    uint16_t *chain;       /* item -> next item with the same first byte, +1; 0 ends */
    uint16_t first[256];   /* first byte -> item + 1, or 0 */
    sluice__prints prints;
    sluice__scan *scan;
} sluice__markers;

/* Makes a set of copies of `items`; at most 65,000. NULL: no memory. */
sluice__markers *sluice__markers_new(const sluice_allocator *a, const sluice__marker *items,
                                     size_t count);
void sluice__markers_free(const sluice_allocator *a, sluice__markers *set);

/* The longest literal that stands at `p` (`n` bytes are there; `end`: no more will come). YES fills
 * `*item`. */
sluice__match sluice__markers_at(const sluice__markers *set, const char *p, size_t n, bool end,
                                 size_t *item);

/* The earliest literal in p[0..n). YES fills `*at` and `*item` (the longest there). Otherwise `*at`
 * is the first byte that may still begin one, or n: all before it is free of literals. */
sluice__match sluice__markers_find(const sluice__markers *set, const char *p, size_t n, bool end,
                                   size_t *at, size_t *item);

#endif
