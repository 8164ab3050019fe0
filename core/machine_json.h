/* Arguments as JSON: declarations shared by machine_json.c and machine_object.c. */
#ifndef SLUICE_MACHINE_JSON_H
#define SLUICE_MACHINE_JSON_H

#include "machine.h"

/* What is at the position of the arguments. */
enum { NEITHER, AN_OBJECT, NO_ARGUMENTS };

/* The outcome of reading arguments: `m->at[3]`. */
enum { READ, CUT, BROKEN, BROKEN_INSIDE };

/* Examines the value that begins with `byte`. Returns NEITHER, AN_OBJECT,
 * NO_ARGUMENTS; LOOK_WAITS. */
int sluice__m_look_at_arguments(sluice__run *m, sluice_stream *s, long byte);
/* Evaluates the reader's result if the arguments are not whole. */
sluice__went sluice__m_not_whole(sluice__run *m, sluice_stream *s);
/* Reports that the text ends before the arguments do: there may have been more members. */
bool sluice__m_tell_cut(sluice__run *m, sluice_stream *s);
bool sluice__m_begin_member(sluice__run *m, sluice_stream *s);
/* Streams the arguments at pos of the announced call. Sets m->at[3] to the outcome. */
sluice__went sluice__m_stream_arguments(sluice__run *m, sluice_stream *s,
                                        const sluice__arguments_spec *how);
/* Does more follow at `at`, after the end of the arguments or of a call's object: a member, or a
 * comma and a value? `closers`: perhaps after closers. Returns 1, 0, LOOK_WAITS. */
int sluice__m_goes_on(const sluice_stream *s, uint64_t at, bool closers);
/* Shape of a skipped value, from certainly not an argument to possibly a call of the object `o` (or
 * NULL). A string that looks like JSON counts as JSON. */
enum { IS_NOTHING, IS_TEXT, IS_NUMBER, HOLDS_VALUES, HOLDS_A_NAME };
int sluice__m_shape(const sluice_stream *s, const sluice__object_spec *o);
/* True if models use this key in place of the arguments' key. */
bool sluice__m_is_alike(const char *p, size_t n);
/* True if a colon follows the key that was read. */
bool sluice__m_has_colon(const sluice_stream *s);
/* And if that key, when quoted, has no unescaped quote inside. */
bool sluice__m_key_is_plain(const sluice_stream *s);
extern const char *const sluice__m_behind_brace; /* the message if more follows */
/* The arguments became unreadable. If only a closer is missing and the format's own closer is here,
 * goes on; otherwise skips to the next literal of `resync`. */
sluice__went sluice__m_mend_from(sluice__run *m, sluice_stream *s, const sluice__markers *enders,
                                 const sluice__markers *resync);

#endif
