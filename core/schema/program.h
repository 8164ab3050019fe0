/* A compiled pattern: states of a machine that is in several of them at once. */
#ifndef SLUICE_SCHEMA_PROGRAM_H
#define SLUICE_SCHEMA_PROGRAM_H

#include "pattern.h"

enum op { RANGES, ANY, SPLIT, JUMP, AT_START, AT_END, BOUNDARY, NO_BOUNDARY, MATCH };

/* RANGES: ranges [x, y), `negated`. SPLIT: continues at x and at y. JUMP: at x. The others continue
 * at the next one. */
typedef struct state {
    uint8_t op;
    bool negated;
    uint32_t x, y;
} state;

typedef struct range {
    uint32_t from, to; /* code points, both inclusive */
} range;

struct sluice__pattern {
    state *states;
    size_t count, cap;
    range *ranges;
    size_t range_count, range_cap;
};

#endif
