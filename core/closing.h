/* What would close a JSON text that has been seen up to somewhere. */
#ifndef SLUICE_CLOSING_H
#define SLUICE_CLOSING_H

#include "alloc.h"

/* All zero: nothing was seen. */
typedef struct sluice__closing {
    uint64_t open;       /* a bit for each of the first that are open, the outermost lowest: `{`? */
    sluice__buffer deep; /* a `{` or `[` for each of the others */
    uint8_t depth;       /* how many are in `open` */
    uint8_t state;
    uint8_t escape; /* 0: none; 1: behind a backslash; 2 and more: behind \u and some digits */
    uint8_t word;   /* the first byte of a scalar */
    uint8_t length, last; /* its length so far, and its last byte */
} sluice__closing;

void sluice__closing_clear(sluice__closing *c);
/* The next bytes opened and closed no container, and end in a string, or with a value. */
void sluice__closing_at(sluice__closing *c, bool in_string);
/* The next bytes of strict JSON. False: no memory. */
bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n);
/* Writes what closes it: at most `size` bytes with the NUL behind. Answers how long it is. */
size_t sluice__closing_write(const sluice__closing *c, char *buffer, size_t size);
void sluice__closing_release(const sluice_allocator *a, sluice__closing *c);

#endif
