/* The allocator value that every object of the core keeps, and a growable byte buffer on it. */
#ifndef SLUICE_ALLOC_H
#define SLUICE_ALLOC_H

#include "include/sluice.h"

#include <stdbool.h>
#include <string.h>

/* First size and growth step of buffers. Tests build with 4, so that each crosses a reallocation.
 */
#ifndef SLUICE_GROWTH
#define SLUICE_GROWTH 256
#endif

/* The libc allocator, for options that name none. */
sluice_allocator sluice__libc_allocator(void);

/* Resizes `block`; see sluice_allocator. */
static inline void *sluice__realloc(const sluice_allocator *a, void *block, size_t old,
                                    size_t size) {
    return a->reallocate(a->user_data, block, old, size);
}

/* A new block, all zero; NULL: no memory. */
static inline void *sluice__zeroed(const sluice_allocator *a, size_t size) {
    void *p = sluice__realloc(a, NULL, 0, size);
    return p ? memset(p, 0, size) : NULL;
}

/* A growable run of bytes. All zero is an empty one. */
typedef struct sluice__buffer {
    char *data;
    size_t len, cap;
} sluice__buffer;

/* Makes room for `more` bytes behind `len`. False: no memory, nothing changed. */
bool sluice__buffer_reserve(const sluice_allocator *a, sluice__buffer *b, size_t more);

static inline bool sluice__buffer_add(const sluice_allocator *a, sluice__buffer *b, const void *p,
                                      size_t n) {
    if (!n)
        return true;
    if (b->cap - b->len < n && !sluice__buffer_reserve(a, b, n))
        return false;
    memcpy(b->data + b->len, p, n);
    b->len += n;
    return true;
}

/* Adds a string without its NUL. */
static inline bool sluice__buffer_text(const sluice_allocator *a, sluice__buffer *b,
                                       const char *s) {
    return sluice__buffer_add(a, b, s, strlen(s));
}
/* Replaces what it holds by p[0..n), with a NUL behind that `len` does not count. */
bool sluice__buffer_set(const sluice_allocator *a, sluice__buffer *b, const char *p, size_t n);
void sluice__buffer_release(const sluice_allocator *a, sluice__buffer *b);

/* Drops the first `n` bytes. */
static inline void sluice__buffer_drop(sluice__buffer *b, size_t n) {
    if (n) {
        memmove(b->data, b->data + n, b->len - n);
        b->len -= n;
    }
}

/* Grows an array of `size`-byte items to hold at least `need`. False: no memory. */
bool sluice__array_grow(const sluice_allocator *a, void **items, size_t *cap, size_t need,
                        size_t size);

#endif
