/* A compiled pattern: states of a machine that is in several of them at once. */
#ifndef SLUICE_SCHEMA_PROGRAM_H
#define SLUICE_SCHEMA_PROGRAM_H

#include "pattern.h"

#include "../utf8.h"

enum op { RANGES, SPLIT, JUMP, AT_START, AT_END, BOUNDARY, NO_BOUNDARY, MATCH };

/* RANGES: ranges [x, y). SPLIT: continues at x and at y. JUMP: at x. The others continue at the
 * next one. */
typedef struct state {
    uint8_t op;
    uint32_t x, y;
} state;

typedef struct range {
    uint32_t from, to; /* code points, both inclusive */
} range;

struct sluice__pattern {
    state *states;
    size_t count, cap;
    range *ranges; /* of each state in ascending order */
    size_t range_count, range_cap;
    sluice__pattern *ahead; /* the next look-ahead at the start of the text */
    bool negated;           /* of a look-ahead */
};

/* Returns the length of the character at p; sets *code. Invalid bytes count as U+FFFD. */
static inline size_t sluice__character(const char *p, const char *end, uint32_t *code) {
    int len = sluice__utf8_sequence(p, sluice__minus(end, p));
    unsigned char first = (unsigned char)*p;
    if (len <= 0) {
        *code = 0xFFFD;
        return 1;
    }
    *code = len == 1 ? first : first & (0xFFu >> (len + 1));
    for (int i = 1; i < len; i++)
        *code = *code << 6 | ((unsigned char)p[i] & 0x3F);
    return (size_t)len;
}

/* unicode.c: hands over the ranges of \p{name}, in ascending order; false if it is not known. */
typedef void (*sluice__range_sink)(void *user, uint32_t from, uint32_t to);
bool sluice__unicode_class(const char *name, size_t len, sluice__range_sink add, void *user);

#endif
