/*
 * Regular expressions of JSON Schema (ECMA-262), as far as a machine without backtracking can run
 * them: time grows with the text and with the pattern, never exponentially.
 *
 * Supported: literals, `.`, classes, \d \w \s \D \W \S \b \B, ^ and $, groups, |, and the
 * quantifiers * + ? {n} {n,} {n,m}, greedy or not. Not supported: look-around, back references,
 * \p{...}, and patterns of more than some thousand states. Characters are code points, as with the
 * flag `u`.
 */
#ifndef SLUICE_SCHEMA_PATTERN_H
#define SLUICE_SCHEMA_PATTERN_H

#include "../alloc.h"

typedef struct sluice__pattern sluice__pattern;

/* Compiles a pattern (UTF-8). Returns false if out of memory. `*out` is NULL if the pattern cannot
 * be read. */
bool sluice__pattern_new(const sluice_allocator *a, const char *text, size_t len,
                         sluice__pattern **out);
void sluice__pattern_free(const sluice_allocator *a, sluice__pattern *pattern);

/* Finds whether the pattern matches somewhere in the text. `*steps` grows by the work; beyond
 * `most` it stops (as if not). Returns false if out of memory. */
bool sluice__pattern_matches(const sluice_allocator *a, const sluice__pattern *pattern,
                             const char *text, size_t len, bool *found, uint64_t most,
                             uint64_t *steps);

/* Matches several texts with a pattern, which must live as long: keeps what it learns of the
 * pattern: at most 20 KB, besides what one text needs. Returns NULL if out of memory. */
typedef struct sluice__matcher sluice__matcher;
sluice__matcher *sluice__matcher_new(const sluice_allocator *a, const sluice__pattern *pattern);
void sluice__matcher_free(sluice__matcher *matcher);

/* The same as sluice__pattern_matches for one more text. */
bool sluice__matcher_finds(sluice__matcher *matcher, const char *text, size_t len, uint64_t most,
                           uint64_t *steps);

/* What a matcher knows of its pattern: for sets of states and bytes, the number of the set that
 * follows, or what is not less than SLUICE__SETS_MOST. */
enum { SLUICE__SETS_MOST = 48, SLUICE__SET_ENDS = SLUICE__SETS_MOST + 1 };
typedef struct sluice__sets {
    uint8_t next[SLUICE__SETS_MOST][256];
} sluice__sets;

/* Returns NULL before the second text; then always the same. */
const sluice__sets *sluice__matcher_sets(const sluice__matcher *matcher);

/* Returns the end of a string of JSON, after its quote, if its text is known to match. NULL: that
 * is not certain. `p`: after the first quote; the string is followed by a byte that is less than a
 * blank, or has an end. */
static inline const char *sluice__sets_pass(const sluice__sets *sets, const char *p) {
    uint8_t number = 0, next;
    for (; (next = sets->next[number][(unsigned char)*p]) < SLUICE__SETS_MOST; p++)
        number = next;
    return next == SLUICE__SET_ENDS ? p + 1 : NULL;
}

#endif
