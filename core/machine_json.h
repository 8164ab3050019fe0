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
/* The text ends before the arguments do: members may have been still to come. */
bool sluice__m_tell_cut(sluice__run *m, sluice_stream *s);
bool sluice__m_begin_member(sluice__run *m, sluice_stream *s);
/* Streams the arguments that begin at pos; the call is announced. m->at[3] gets how they came
 * out. */
sluice__went sluice__m_stream_arguments(sluice__run *m, sluice_stream *s,
                                        const sluice__arguments_spec *how);
/* Does more stand at `at`, behind the arguments, or the object of a call, that have ended: a
 * member, or a value behind a comma? `closers`: perhaps behind closers. 1, 0, LOOK_WAITS. */
int sluice__m_goes_on(const sluice_stream *s, uint64_t at, bool closers);
/* What the value is that was skipped, from what is no argument for certain to what may be a call of
 * the object `o` (or NULL). Text that looks like JSON counts as that. */
enum { IS_NOTHING, IS_TEXT, IS_NUMBER, HOLDS_VALUES, HOLDS_A_NAME };
int sluice__m_shape(const sluice_stream *s, const sluice__object_spec *o);
/* Is it a key that models write for the arguments'? */
bool sluice__m_is_alike(const char *p, size_t n);
/* Does a colon stand behind the key that was read? */
bool sluice__m_has_colon(const sluice_stream *s);
/* And does that key, if it is quoted, hold no quote that is not escaped? */
bool sluice__m_key_is_plain(const sluice_stream *s);
extern const char *const sluice__m_behind_brace; /* what is said where it does */
/* The arguments stopped being readable: is only a closer missing, with the format's own closer
 * here? Else they are skipped up to the next literal of `resync`. */
sluice__went sluice__m_mend_from(sluice__run *m, sluice_stream *s, const sluice__markers *enders,
                                 const sluice__markers *resync);

#endif
