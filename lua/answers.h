/*
 * What the patterns of a script have answered: of the texts that a program asked for last. A
 * response has few headers, and the next one has the same; so a name like `functions.search:0` is
 * read by Lua once. Part of the bridge: see bridge.h.
 */
#ifndef SLUICE_LUA_ANSWERS_H
#define SLUICE_LUA_ANSWERS_H

#include "program.h"

/* All zero: nothing was answered yet. */
typedef struct sluice_answers sluice_answers;
extern const size_t sluice_answers_size;

/* The answers of a program, which go with it. NULL: there are none yet, or (`make`) no memory. */
sluice_answers *sluice_program_answers(const sluice__program *p, bool make);

/* Does the text fit the pattern? 1, 0; -1: that was not asked. */
int sluice_answers_fit(const sluice_answers *a, unsigned pattern, const char *text, size_t len);
void sluice_answers_note_fit(sluice_answers *a, unsigned pattern, const char *text, size_t len,
                             bool fits);

/* The same of a header, which is at s->result.start: sets the run's name and id. -2: no memory. */
int sluice_answers_header(const sluice_answers *a, sluice_stream *s, sluice__run *m,
                          unsigned pattern, const char *text, size_t len);
/* Notes what a pattern made of a header, as the run holds it. */
void sluice_answers_note_header(sluice_answers *a, const sluice_stream *s, const sluice__run *m,
                                unsigned pattern, const char *text, size_t len, bool fits);

#endif
