/* What closes a JSON text that was seen up to some byte. */
#ifndef SLUICE_CLOSING_H
#define SLUICE_CLOSING_H

#include "alloc.h"

/* All zero: nothing was seen. */
typedef struct sluice__closing {
    uint64_t open; /* one bit per level for the outermost levels, the outermost lowest: 1 for `{` */
    sluice__buffer deep; /* a `{` or `[` for each deeper level */
    uint8_t depth;       /* number of levels in `open` */
    uint8_t state;
    uint8_t escape;       /* 0: none; 1: after a backslash; 2 and more: after \u and some digits */
    uint8_t word;         /* the first byte of a scalar */
    uint8_t length, last; /* its length so far, and its last byte */
} sluice__closing;

void sluice__closing_clear(sluice__closing *c);
/* Skips bytes that opened and closed no container, and that end in a string, or with a value. */
void sluice__closing_at(sluice__closing *c, bool in_string);
void sluice__closing_over(sluice__closing *c); /* Skips what closes all of it. */
/* Skips the key of a member of the outermost object, and the quote that begins its value; `first`:
 * the object's brace too. */
void sluice__closing_text(sluice__closing *c, bool first);
/* Reads the next bytes of strict JSON. False if out of memory. */
bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n);
/* Writes what closes it: at most `size` bytes including the NUL. Returns its length. */
size_t sluice__closing_write(const sluice__closing *c, char *buffer, size_t size);
void sluice__closing_release(const sluice_allocator *a, sluice__closing *c);

#endif
