#include "alloc.h"

#include <stdlib.h>

static void *libc_reallocate(void *user_data, void *block, size_t old_size, size_t size) {
    (void)user_data;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

sluice_allocator sluice__libc_allocator(void) { return (sluice_allocator){libc_reallocate, NULL}; }

void sluice__buffer_release(const sluice_allocator *a, sluice__buffer *b) {
    if (b->cap >= SLUICE_GROWTH)
        sluice__realloc(a, b->data, b->cap, 0);
    *b = (sluice__buffer){0};
}

bool sluice__array_bigger(const sluice_allocator *a, void **items, size_t *cap, size_t need,
                          size_t size) {
    enum { FIRST = 64 }; /* bytes, of arrays: most stay small */
    size_t next = *cap ? 2 * *cap : size > 1 ? FIRST / size : SLUICE_GROWTH;
    if (next < need)
        next = need;
    if (next > SIZE_MAX / 2 / size)
        return false;
    bool lent = size == 1 && *cap < SLUICE_GROWTH;
    void *p = sluice__realloc(a, lent ? NULL : *items, lent ? 0 : *cap * size, next * size);
    if (!p)
        return false;
    if (lent && *cap)
        memcpy(p, *items, *cap);
    *items = p;
    *cap = next;
    return true;
}
