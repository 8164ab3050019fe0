/* A minimal test runner: CHECK prints where it fails; a test program returns 1 after failures. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

#define CHECK_TEXT(got, got_len, want)                                                             \
    do {                                                                                           \
        checks++;                                                                                  \
        if ((got_len) != strlen(want) || memcmp((got), (want), (got_len)) != 0) {                  \
            failures++;                                                                            \
            fprintf(stderr, "%s:%d: got %.*s, wanted %s\n", __FILE__, __LINE__, (int)(got_len),    \
                    (const char *)(got), (want));                                                  \
        }                                                                                          \
    } while (0)

#ifdef _WIN32
/* POSIX has it. */
static inline int rand_r(unsigned *seed) {
    *seed = *seed * 1103515245 + 12345;
    return (int)(*seed >> 16 & 0x7fff);
}
#endif

/* An allocator that counts the bytes allocated. */
static size_t out_now, out_most;
static inline void *counted(void *user, void *block, size_t old, size_t size) {
    (void)user;
    if (!size) {
        out_now -= block ? old : 0;
        free(block);
        return NULL;
    }
    void *p = realloc(block, size);
    if (p) {
        out_now += size - (block ? old : 0);
        if (out_now > out_most)
            out_most = out_now;
    }
    return p;
}

static inline int report(const char *name) {
    printf("%s: %d checks, %d failures\n", name, checks, failures);
    return failures != 0;
}

#endif
