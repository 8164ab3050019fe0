/* Finds the earliest of a set of literals in a stream of bytes. */
#ifndef SLUICE_MARKER_H
#define SLUICE_MARKER_H

#include "alloc.h"
#include "scan.h"

/* The results of `sluice__markers_at`, `_walk` and `_find`. WAIT: undecided, more bytes are
 * needed. */
typedef enum sluice__match { SLUICE__NO, SLUICE__YES, SLUICE__WAIT } sluice__match;

typedef struct sluice__marker {
    const char *text; /* owned by the set */
    size_t len;
    unsigned role; /* the caller's own; not read here */
    bool quiet;    /* matches at a given place, but is not searched for */
} sluice__marker;

/* True if the two are spelt alike. */
static inline bool sluice__marker_is(const sluice__marker *a, const sluice__marker *b) {
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

enum {
    SLUICE__MARKERS_MAX = 32000,                 /* literals of a set */
    SLUICE__FIND_LEAST = 32 + SLUICE__SIEVED - 1 /* bytes that fill a vector */
};

/* A node of the tree: a run of bytes without a branch, then the nodes below it. */
typedef struct sluice__node {
    uint16_t item; /* a literal that has these bytes at [from, to) */
    uint16_t ends; /* the first literal that ends here, + 1; or 0 */
    uint16_t kids, kid_count;
    uint32_t from, to; /* `from` is the byte that selects this node */
} sluice__node;

/* How a literal begins: at most eight first bytes, masked. */
typedef struct sluice__beginning {
    uint64_t bytes, mask;
    uint32_t len; /* of the literal */
    uint16_t item;
} sluice__beginning;

/* An immutable set of literals, none empty. Shared by streams, without reference counts. */
typedef struct sluice__markers {
    size_t count, longest;
    sluice__marker *items;         /* in the caller's order */
    size_t size;                   /* of the allocation */
    sluice__node *nodes;           /* the root first; children are adjacent, in ascending order */
    uint8_t *bytes;                /* for each node, the byte that selects it */
    sluice__beginning *beginnings; /* of the literals of a small set, the longest first; */
    size_t beginning_count;        /* 0: too many to try one by one */
    sluice__scan *scan;
    uint16_t first[256]; /* first byte -> node, or 0 */
    uint8_t odd[256];    /* bytes that begin a literal, or that JSON may escape in a string */
    sluice__prints prints;
} sluice__markers;

/* Makes a set of copies of `items`; at most SLUICE__MARKERS_MAX. Returns NULL if out of memory. */
sluice__markers *sluice__markers_new(const sluice_allocator *a, const sluice__marker *items,
                                     size_t count);
void sluice__markers_free(const sluice_allocator *a, sluice__markers *set);

/* A match in progress. All zero: nothing was read yet. */
typedef struct sluice__walk {
    uint16_t node, best; /* `best`: the longest literal so far, + 1; or 0 */
    uint32_t length;     /* bytes of the literal read so far */
} sluice__walk;

/* Continues a match: the `n` bytes at `p` follow the `walk->length` bytes read so far; `end`: no
 * more will come. WAIT: all of them match, continue with the next bytes. YES sets `*item` to the
 * longest literal (the first of equal ones), which may be shorter than the bytes read. */
sluice__match sluice__markers_walk(const sluice__markers *set, sluice__walk *walk, const char *p,
                                   size_t n, bool end, size_t *item);

/* The same if all of them are inside a run of the only literal that begins like this; false: not
 * known. */
static inline bool sluice__markers_inside(const sluice__markers *set, sluice__walk *walk,
                                          const char *p, size_t n) {
    const sluice__node *node = &set->nodes[walk->node];
    if (!walk->length || walk->length + n >= node->to)
        return false;
    if (!sluice__same_token(set->items[node->item].text + walk->length, p, n))
        return false;
    walk->length += (uint32_t)n;
    return true;
}

/* Finds the longest literal that matches at `p` (`n` bytes; `end`: no more will come). YES sets
 * `*item`. */
sluice__match sluice__markers_at(const sluice__markers *set, const char *p, size_t n, bool end,
                                 size_t *item);

/* The same for at least eight bytes and a small set, without the tree. WAIT only means that the
 * tree must be walked. */
static inline sluice__match sluice__markers_try(const sluice__markers *set, const char *p, size_t n,
                                                bool end, size_t *item) {
    const sluice__beginning *b = set->beginnings, *last = b + set->beginning_count;
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    for (; b < last; b++) {
        if ((bytes ^ b->bytes) & b->mask)
            continue;
        bool whole = b->len <= n;
        if (b->len > sizeof bytes && !sluice__same(set->items[b->item].text, p, whole ? b->len : n))
            continue;
        if (whole) {
            *item = b->item;
            return SLUICE__YES;
        }
        if (!end)
            return SLUICE__WAIT;
    }
    return SLUICE__NO;
}

/* The same as sluice__markers_at if no more bytes are needed: n is at least the length of the
 * longest literal, and the first byte is that of a literal. */
static inline sluice__match sluice__markers_whole(const sluice__markers *set, const char *p,
                                                  size_t n, size_t *item) {
    return n >= 8 && set->beginning_count ? sluice__markers_try(set, p, n, true, item)
                                          : sluice__markers_at(set, p, n, true, item);
}

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

/* The same from p + `from` on. `hits` is all zero at first; later calls for the same bytes continue
 * with it, at ascending positions. */
sluice__match sluice__markers_next(const sluice__markers *set, const char *p, size_t n, bool end,
                                   sluice__hits *hits, size_t from, size_t *at, size_t *item);

#endif
