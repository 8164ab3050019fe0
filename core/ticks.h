/* Backticks in text: code fences, and inline code. */
#ifndef SLUICE_TICKS_H
#define SLUICE_TICKS_H

#include "parts.h"

/* Looks for backticks of inline code in [from, upto), which must be visible and without fences. */
void sluice__read_ticks(sluice_stream *s, uint64_t from, uint64_t upto);
/* Passes the run of backticks at `at`: it opens or closes a fence or inline code. *upto: its end,
 * if that is visible; else false. */
bool sluice__pass_ticks(sluice_stream *s, uint64_t at, uint64_t *upto);
/* True if this literal is backticks, and nothing else in plain text. */
static inline bool sluice__is_ticks(const sluice__marker *m) {
    return (m->role | SLUICE__STRAY) == (SLUICE__TICK | SLUICE__STRAY);
}
/* The same for plain text at p[at] of the window. Returns the length of the run; 0 if its end is
 * not visible (*held: it must be held). */
size_t sluice__plain_ticks(sluice_stream *s, size_t at, bool *held);
/* Returns the end of the plain text that begins at `from` in the window, which is short; as
 * plain_text. */
size_t sluice__plain_bytes(sluice_stream *s, size_t from, bool *held);
/* Is the open inline code closed after `from`, on this line? */
sluice__match sluice__in_code(const sluice_stream *s, uint64_t from);

#endif
