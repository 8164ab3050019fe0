/*
 * Regular expressions of JSON Schema (ECMA-262), as far as a machine without backtracking can run
 * them: time grows with the text and with the pattern, never exponentially.
 *
 * Supported: literals, `.`, classes, \d \w \s \D \W \S \b \B, \p{...} and \P{...} for common
 * general categories (unicode.c), ^ and $, groups, |, the quantifiers * + ? {n} {n,} {n,m}, greedy
 * or not, and look-ahead right after a ^ that begins the pattern. Not supported: other look-around,
 * back references, and patterns of more than 60,000 states. Characters are code points, as with the
 * flag `u`.
 */
#ifndef SLUICE_SCHEMA_PATTERN_H
#define SLUICE_SCHEMA_PATTERN_H

#include "../bytes.h"

typedef struct sluice__pattern sluice__pattern;

/* Compiles a pattern (UTF-8). Returns false if out of memory. `*out` is NULL if the pattern cannot
 * be read, or takes more than `*room` states and ranges; else `*room` shrinks by them. */
bool sluice__pattern_new(const sluice_allocator *a, view text, size_t *room, sluice__pattern **out);
void sluice__pattern_free(const sluice_allocator *a, sluice__pattern *pattern);

/* Memory to match texts, used for any number of patterns. Start with all zero. */
typedef struct sluice__matcher {
    size_t cap;      /* states that there is room for */
    uint32_t *marks; /* for each state: the round in which it was last added */
    uint32_t round;
    uint16_t *lists;
} sluice__matcher;
void sluice__matcher_release(const sluice_allocator *a, sluice__matcher *matcher);

/* Finds whether the pattern matches somewhere in the text. `*steps` grows by the work; beyond
 * `most` it stops (as if not). Returns false if out of memory. */
bool sluice__pattern_matches(const sluice_allocator *a, sluice__matcher *m,
                             const sluice__pattern *pattern, view text, bool *found, uint64_t most,
                             uint64_t *steps);

/* unicode.c: hands over the ranges of \p{name}, in ascending order; false if it is not known. */
typedef void sluice__range_sink(void *user, uint32_t from, uint32_t to);
bool sluice__unicode_class(view name, sluice__range_sink *add, void *user);

#endif
