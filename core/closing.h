/* What closes a JSON text that was seen up to some byte. */
#ifndef SLUICE_CLOSING_H
#define SLUICE_CLOSING_H

#include "alloc.h"

/* All zero: nothing was seen. */
typedef struct sluice__closing {
    sluice__buffer open; /* a `{` or `[` for each container */
    uint8_t state;
    uint8_t escape;  /* 0: none; 1: after a backslash; 2 and more: after \u and some digits */
    char word, last; /* the first and last byte of a scalar */
    uint8_t length;  /* its length so far */
} sluice__closing;

void sluice__closing_clear(sluice__closing *c);
/* Reads the next bytes of strict JSON. False if out of memory. */
bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n);
/* Writes what closes it: at most `size` bytes including the NUL. Returns its length. */
size_t sluice__closing_write(const sluice__closing *c, char *buffer, size_t size);

#endif
