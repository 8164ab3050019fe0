/*
 * Frames of JSON that differ from an earlier one only in the values of some members. The outline of
 * a frame is its other bytes: a frame with the same ones is read without decoding it.
 */
#ifndef SLUICE_OUTLINE_H
#define SLUICE_OUTLINE_H

#include "alloc.h"

enum { SLUICE__HOLES_MAX = 16, SLUICE__PATH_MAX = 4 };

typedef enum sluice__hole_kind {
    SLUICE__HOLE_TEXT, /* a string, which is decoded */
    SLUICE__HOLE_KEPT, /* a value that is written again as it is: a number, true, false, or a string
                         that is not empty and has only ASCII without escapes */
    SLUICE__HOLE_FREE  /* any value */
} sluice__hole_kind;

/* The place of a value: names of members, from the outermost object; `name` NULL: the first item of
 * an array. */
typedef struct sluice__place {
    sluice__hole_kind kind;
    unsigned depth;
    struct {
        const char *name;
        size_t len;
    } path[SLUICE__PATH_MAX];
} sluice__place;

typedef struct sluice__hole {
    sluice__hole_kind kind;
    bool string;    /* of HOLE_KEPT: its value is always a string, or never */
    size_t before;  /* length of the bytes before the value */
    size_t key_len; /* of HOLE_KEPT: length of its key in `keys` */
    size_t at, len; /* the value in the last frame that matched */
} sluice__hole;

/* All zero: of no frame. */
typedef struct sluice__outline {
    sluice__buffer bytes; /* those outside the values, in order */
    sluice__buffer keys;  /* of the kept values, in order: ,"name": */
    sluice__hole holes[SLUICE__HOLES_MAX];
    size_t count, after; /* `after`: length of the bytes after the last value */
    size_t kept;         /* number of HOLE_KEPT */
    sluice__buffer text; /* the decoded text of the last frame that matched */
} sluice__outline;

typedef enum sluice__likeness { SLUICE__UNLIKE, SLUICE__LIKE, SLUICE__LIKE_NOMEM } sluice__likeness;

/* Learns the outline of the frame raw[0..n), which contains the valid JSON object raw[at..at + len)
 * and has these values, each of which must be there exactly once. The names need to live only
 * during the call. If it is not LIKE, the outline is of no frame. */
sluice__likeness sluice__outline_learn(const sluice_allocator *a, sluice__outline *o,
                                       const char *raw, size_t n, size_t at, size_t len,
                                       const sluice__place *places, size_t count);

/* LIKE if p[0..n) begins with such a frame, and its JSON is valid; *len receives its length, and
 * the outline has its values. */
sluice__likeness sluice__outline_match(const sluice_allocator *a, sluice__outline *o, const char *p,
                                       size_t n, size_t *len);

static inline void sluice__outline_forget(sluice__outline *o) { o->count = 0; }
void sluice__outline_release(const sluice_allocator *a, sluice__outline *o);

#endif
