/*
 * Caches the last answers of a script's patterns. A response has few different headers, and the
 * next one repeats them; so Lua reads a header like ` to=functions.search` once. Part of the
 * bridge: see bridge.h.
 */
#ifndef SLUICE_LUA_ANSWERS_H
#define SLUICE_LUA_ANSWERS_H

#include "program.h"

/* All zero: empty. */
typedef struct sluice_answers sluice_answers;
extern const size_t sluice_answers_size;

/* The answers of a program; they live as long as it. NULL: none yet, or (`make`) out of memory. */
sluice_answers *sluice_program_answers(const sluice__program *p, bool make);

/* Whether the text matches the pattern: 1, 0; -1: not known. */
int sluice_answers_fit(const sluice_answers *a, unsigned pattern, const char *text, size_t len);
void sluice_answers_note_fit(sluice_answers *a, unsigned pattern, const char *text, size_t len,
                             bool fits);

/* The same for a header, which is at s->result.start: sets the run's name and id. -2: out of
 * memory. */
int sluice_answers_header(const sluice_answers *a, sluice_stream *s, sluice__run *m,
                          unsigned pattern, const char *text, size_t len);
/* Stores what a pattern made of a header, as the run holds it. */
void sluice_answers_note_header(sluice_answers *a, const sluice_stream *s, const sluice__run *m,
                                unsigned pattern, const char *text, size_t len, bool fits);

#endif
