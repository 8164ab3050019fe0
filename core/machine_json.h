/* Between machine_json.c and machine_object.c: arguments as JSON. */
#ifndef SLUICE_MACHINE_JSON_H
#define SLUICE_MACHINE_JSON_H

#include "machine.h"

/* What stands where arguments are due. */
enum { NEITHER, AN_OBJECT, NO_ARGUMENTS };

/* How the arguments came out: `m->at[3]`. */
enum { READ, CUT, BROKEN, BROKEN_INSIDE };

/* Looks at what begins with `byte`. NEITHER, AN_OBJECT, NO_ARGUMENTS; LOOK_WAITS. */
int sluice__m_look_at_arguments(sluice__run *m, sluice_stream *s, long byte);
/* What the reader said, where the arguments are not whole. */
sluice__went sluice__m_not_whole(sluice__run *m, sluice_stream *s);
bool sluice__m_begin_member(sluice__run *m, sluice_stream *s);
/* Streams the arguments that begin at pos; the call is announced. m->at[3] gets how they came
 * out. */
sluice__went sluice__m_stream_arguments(sluice__run *m, sluice_stream *s,
                                        const sluice__arguments_spec *how);
/* Does more stand at `at`, behind the arguments, or the object of a call, that have ended: a
 * member, or a value behind a comma? `closers`: perhaps behind closers. 1, 0, LOOK_WAITS. */
int sluice__m_goes_on(const sluice_stream *s, uint64_t at, bool closers);
extern const char *const sluice__m_behind_brace; /* what is said where it does */
/* The arguments stopped being readable: is only a closer missing, with the format's own closer
 * here? Else they are skipped up to the next literal of `resync`. */
sluice__went sluice__m_mend_from(sluice__run *m, sluice_stream *s, const sluice__markers *enders,
                                 const sluice__markers *resync);

#endif
