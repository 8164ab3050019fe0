/* Backticks in text: code fences, and inline code. */
#ifndef SLUICE_TICKS_H
#define SLUICE_TICKS_H

#include "parts.h"

/* Looks for backticks of inline code in [from, upto), which must be visible, with no fence in it.
 */
void sluice__read_ticks(sluice_stream *s, uint64_t from, uint64_t upto);
/* Passes the run of backticks at `at`: it opens or closes a fence or inline code. *upto: its end.
 * False: that is not seen yet. */
bool sluice__pass_ticks(sluice_stream *s, uint64_t at, uint64_t *upto);
/* Is this literal backticks, and nothing else in plain text? */
static inline bool sluice__is_ticks(const sluice__marker *m) {
    return (m->role | SLUICE__STRAY) == (SLUICE__TICK | SLUICE__STRAY);
}
/* The same in plain text at p[at] of the window: how long the run is; 0 where its end is not seen
 * (*held: it is to be held). */
size_t sluice__plain_ticks(sluice_stream *s, size_t at, bool *held);
/* Where the plain text ends that begins at `from` in the window, which is short: as plain_text. */
size_t sluice__plain_bytes(sluice_stream *s, size_t from, bool *held);
/* Does the inline code that is open close behind `from`, on this line? */
sluice__match sluice__in_code(const sluice_stream *s, uint64_t from);

#endif
