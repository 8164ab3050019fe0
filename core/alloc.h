/* The allocator value that every object of the core keeps, and a growable byte buffer. */
#ifndef SLUICE_ALLOC_H
#define SLUICE_ALLOC_H

#include "include/sluice.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* First size of buffers: most stay small. Tests build with 4, so that each is reallocated. */
#ifndef SLUICE_GROWTH
#define SLUICE_GROWTH 32
#endif

/* The distance of two places of the same text, the later one first. Test builds assert the order: a
 * difference below zero is a huge length. */
#define sluice__minus(to, from) (assert((to) >= (from)), (size_t)((to) - (from)))

/* Returns the libc allocator, the default. */
sluice_allocator sluice__libc_allocator(void);

/* Resizes `block`; see sluice_allocator. */
static inline void *sluice__realloc(const sluice_allocator *a, void *block, size_t old,
                                    size_t size) {
    return a->reallocate(a->user_data, block, old, size);
}

/* Allocates a block, all zero; NULL if out of memory. */
static inline void *sluice__zeroed(const sluice_allocator *a, size_t size) {
    void *p = sluice__realloc(a, NULL, 0, size);
    return p ? memset(p, 0, size) : NULL;
}

/* Makes room in an array for `need` items of `size` bytes; false if out of memory. */
bool sluice__array_bigger(const sluice_allocator *a, void **items, size_t *cap, size_t need,
                          size_t size);
static inline bool sluice__array_grow(const sluice_allocator *a, void **items, size_t *cap,
                                      size_t need, size_t size) {
    return *cap >= need || sluice__array_bigger(a, items, cap, need, size);
}

/* A growable run of bytes. All zero: empty. */
typedef struct sluice__buffer {
    char *data;
    size_t len, cap; /* of a cap below SLUICE_GROWTH, `data` is another's, and is not freed */
} sluice__buffer;

/* Makes room for `more` bytes behind `len`. False: out of memory, and nothing has changed. */
static inline bool sluice__buffer_reserve(const sluice_allocator *a, sluice__buffer *b,
                                          size_t more) {
    return sluice__array_grow(a, (void **)&b->data, &b->cap, b->len + more, 1);
}

static inline bool sluice__buffer_add(const sluice_allocator *a, sluice__buffer *b, const void *p,
                                      size_t n) {
    if (!n)
        return true;
    if (!sluice__buffer_reserve(a, b, n))
        return false;
    memcpy(b->data + b->len, p, n);
    b->len += n;
    return true;
}

/* Replaces its contents by p[0..n), followed by a NUL that `len` does not count. */
static inline bool sluice__buffer_set(const sluice_allocator *a, sluice__buffer *b, const char *p,
                                      size_t n) {
    b->len = 0;
    bool good = sluice__buffer_add(a, b, p, n) && sluice__buffer_add(a, b, "", 1);
    b->len = good ? n : 0;
    return good;
}
void sluice__buffer_release(const sluice_allocator *a, sluice__buffer *b);

/* Drops the first `n` bytes. */
static inline void sluice__buffer_drop(sluice__buffer *b, size_t n) {
    if (n) {
        memmove(b->data, b->data + n, b->len - n);
        b->len -= n;
    }
}

#endif
