/* What closes the arguments that were handed out. Their fragments end behind a value or an opening
 * bracket, or inside a string, but in no escape. */
#ifndef SLUICE_CLOSING_H
#define SLUICE_CLOSING_H

#include "alloc.h"

/* All zero: nothing was seen. */
typedef struct sluice__closing {
    sluice__buffer open; /* what closes each container */
    bool begun, quoted;
} sluice__closing;

void sluice__closing_clear(sluice__closing *c);
/* Reads the next bytes of strict JSON. False if out of memory. */
bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n);
/* Writes what closes it: at most `size` bytes including the NUL. Returns its length. */
size_t sluice__closing_write(const sluice__closing *c, char *buffer, size_t size);

#endif
