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

#endif
