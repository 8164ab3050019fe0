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

sluice_allocator sluice__libc_allocator(void) {
    sluice_allocator a = {libc_reallocate, NULL};
    return a;
}

bool sluice__buffer_reserve(const sluice_allocator *a, sluice__buffer *b, size_t more) {
    if (b->cap - b->len >= more)
        return true;
    if (more > SIZE_MAX / 2 - b->len)
        return false;
    enum { FEW = 24 }; /* most buffers stay small: malloc has no smaller block */
    size_t start = SLUICE_GROWTH < FEW ? SLUICE_GROWTH : FEW;
    size_t cap = !b->cap ? start : b->cap < 1024 ? 2 * b->cap : b->cap + b->cap / 2;
    if (cap < b->len + more)
        cap = b->len + more;
    char *p = sluice__realloc(a, b->data, b->cap, cap);
    if (!p)
        return false;
    b->data = p;
    b->cap = cap;
    return true;
}

void sluice__buffer_release(const sluice_allocator *a, sluice__buffer *b) {
    if (b->data)
        sluice__realloc(a, b->data, b->cap, 0);
    *b = (sluice__buffer){0};
}

bool sluice__array_bigger(const sluice_allocator *a, void **items, size_t *cap, size_t need,
                          size_t size) {
    enum { FIRST = 64 }; /* bytes: most arrays stay small */
    size_t next = *cap ? *cap + (*cap + 1) / 2 : FIRST / size;
    if (next < need)
        next = need;
    if (next > SIZE_MAX / size)
        return false;
    void *p = sluice__realloc(a, *items, *cap * size, next * size);
    if (!p)
        return false;
    *items = p;
    *cap = next;
    return true;
}
