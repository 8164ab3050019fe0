/*
 * Inside the machine: how an instruction is written.
 *
 * An instruction is a function that may be entered many times: it begins with RESUME, and where it
 * lacks input it leaves by LOOK, AWAIT or COMMIT and is entered again there (a protothread). What
 * it needs behind a wait stands in the run, never in a local variable.
 */
#ifndef SLUICE_MACHINE_H
#define SLUICE_MACHINE_H

#include "program.h"

typedef enum sluice__went {
    SLUICE__NEXT,   /* on with the next instruction */
    SLUICE__JUMPED, /* pc was set */
    SLUICE__WAITED, /* on with this one when there is more */
    SLUICE__FAILS,  /* to the last mark */
    SLUICE__SHORT,  /* no memory */
    SLUICE__RAISES, /* a script raised */
    SLUICE__YIELDS, /* on with this one when the events are out */
    SLUICE__CLOSES, /* the block is over: it was one */
    SLUICE__REFUSES /* it was none */
} sluice__went;

#define FALLS __attribute__((fallthrough))
#define RESUME_AT(phase)                                                                           \
    switch (phase) {                                                                               \
    default:
#define RESUME_END }

/* Does an operation of stream.h; goes on behind it when it is done. */
#define AWAIT_AT(phase, operation)                                                                 \
    do {                                                                                           \
        (phase) = __LINE__;                                                                        \
        {                                                                                          \
            int done_ = (operation);                                                               \
            if (done_ <= 0)                                                                        \
                return done_ < 0 ? SLUICE__SHORT : SLUICE__WAITED;                                 \
        }                                                                                          \
        FALLS;                                                                                     \
    case __LINE__:;                                                                                \
    } while (0)

/* Sets `to` to what a look finds; looks again when there is more. */
#define LOOK_AT(phase, to, look)                                                                   \
    do {                                                                                           \
        (phase) = __LINE__;                                                                        \
        FALLS;                                                                                     \
    case __LINE__:                                                                                 \
        (to) = (look);                                                                             \
        if ((to) == SLUICE__LOOK_WAITS)                                                            \
            return SLUICE__WAITED;                                                                 \
    } while (0)
enum { SLUICE__LOOK_WAITS = -2, SLUICE__LOOK_NONE = -1 };

#define RESUME(m) RESUME_AT((m)->phase)
#define AWAIT(m, operation) AWAIT_AT((m)->phase, operation)
#define LOOK(m, to, look) LOOK_AT((m)->phase, to, look)

/* The same inside a function that an instruction calls, which has a phase of its own: CALL begins
 * it, and enters it again until it answers NEXT. */
#define SUB_RESUME(m) RESUME_AT((m)->sub)
#define SUB_AWAIT(m, operation) AWAIT_AT((m)->sub, operation)
#define SUB_LOOK(m, to, look) LOOK_AT((m)->sub, to, look)
/* Lets the events out where there are many, so that few are kept however large the chunk is. */
#define SUB_LET_OUT(m, s)                                                                          \
    do {                                                                                           \
        if (sluice__m_ready(s) > SLUICE__MOST_QUEUED) {                                            \
            (m)->sub = __LINE__;                                                                   \
            return SLUICE__YIELDS;                                                                 \
        }                                                                                          \
        FALLS;                                                                                     \
    case __LINE__:;                                                                                \
    } while (0)
#define CALL(m, to, function)                                                                      \
    do {                                                                                           \
        (m)->sub = 0;                                                                              \
        (m)->phase = __LINE__;                                                                     \
        FALLS;                                                                                     \
    case __LINE__:                                                                                 \
        (to) = (function);                                                                         \
        if ((to) != SLUICE__NEXT)                                                                  \
            return (to);                                                                           \
    } while (0)

/* Announces the call; leaves where it is none. */
#define COMMIT_AT(phase, m, s, otherwise)                                                          \
    do {                                                                                           \
        sluice__went ready_;                                                                       \
        ready_ = sluice__m_prepare(m, s);                                                          \
        if (ready_ == SLUICE__FAILS) {                                                             \
            otherwise;                                                                             \
        }                                                                                          \
        if (ready_ != SLUICE__NEXT)                                                                \
            return ready_;                                                                         \
        AWAIT_AT(phase, sluice__m_announce(m, s));                                                 \
        if (!(s)->result.ok) {                                                                     \
            (m)->silent = true;                                                                    \
            otherwise;                                                                             \
        }                                                                                          \
        ready_ = sluice__m_announced(m, s);                                                        \
        if (ready_ != SLUICE__NEXT)                                                                \
            return ready_;                                                                         \
    } while (0)

#define COMMIT(m, s, otherwise) COMMIT_AT((m)->phase, m, s, otherwise)
#define SUB_COMMIT(m, s, otherwise) COMMIT_AT((m)->sub, m, s, otherwise)

#define TRY(good)                                                                                  \
    do {                                                                                           \
        if (!(good))                                                                               \
            return SLUICE__SHORT;                                                                  \
    } while (0)
/* A script's answer, or leave. */
#define ASK(answer, question)                                                                      \
    do {                                                                                           \
        (answer) = (question);                                                                     \
        if ((answer) < 0)                                                                          \
            return SLUICE__RAISES;                                                                 \
    } while (0)

/* ---- Looking: nothing changes but what a repeated look need not look at again ---- */

/* The literal of the set at pos, behind white space where `skip`; LOOK_NONE, LOOK_WAITS. */
long sluice__m_peek(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip);
/* The same, and pos moves behind it. */
long sluice__m_take(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip);
/* The byte at pos, behind white space where `skip` (pos moves to it). LOOK_NONE: the text ends. */
long sluice__m_byte(sluice__run *m, sluice_stream *s, bool skip);
/* The byte behind white space, or LOOK_NONE; pos moves to it only where it is the wanted one. */
long sluice__m_behind(sluice__run *m, sluice_stream *s, long wanted);
bool sluice__m_at_end(const sluice_stream *s); /* pos is at the end of the text */

/* Moves pos behind the blanks of its line, and answers the byte there. What was found so is not
 * looked at again while more blanks come. */
long sluice__m_line_blanks(sluice__run *m, sluice_stream *s);

/* Events that may go out: those of a call that must be whole wait for its end. */
static inline size_t sluice__m_ready(const sluice_stream *s) {
    return (sluice__staged(s) ? s->call.stage : s->count) - s->head;
}
enum { SLUICE__MOST_QUEUED = 256 };

/* ---- The call ---- */

void sluice__m_new_call(sluice__run *m);
sluice__went sluice__m_prepare(sluice__run *m, sluice_stream *s);
/* Where what stands for the name says nothing, the arguments at pos are looked at for it. CALLed.
 */
sluice__went sluice__m_name_by_arguments(sluice__run *m, sluice_stream *s,
                                         const sluice__arguments_spec *how);
int sluice__m_announce(sluice__run *m, sluice_stream *s);
sluice__went sluice__m_announced(sluice__run *m, sluice_stream *s);
/* Is there no call, or does it have its arguments as a whole object, to which nothing can be added?
 * What a description does that adds to it all the same: its script has failed. */
bool sluice__m_has_all(const sluice_stream *s);
sluice__went sluice__m_twice(sluice_stream *s);
/* Ends the call that was announced; *good false: it had to be whole and is not. */
sluice__went sluice__m_finish(sluice__run *m, sluice_stream *s, bool *good);
bool sluice__m_set_name(sluice__run *m, const sluice_stream *s, const char *p, size_t n,
                        uint64_t start, uint64_t end, uint16_t pattern);
static inline bool sluice__m_set(const sluice_stream *s, sluice__buffer *b, const char *p,
                                 size_t n) {
    return sluice__buffer_set(&s->alloc, b, p, n);
}
/* What is rare, to be written. NULL: no memory. */
sluice__rare *sluice__m_rare(sluice__run *m, const sluice_stream *s);
/* The same where it is known to be there. */
static inline sluice__rare *sluice__m_rare_there(sluice__run *m) { return (sluice__rare *)m->rare; }
static inline void sluice__m_forget_wrong(sluice__run *m) {
    if (m->rare->wrong.len)
        sluice__m_rare_there(m)->wrong.len = 0;
}
/* The value that was read is a member of `extra`. */
bool sluice__m_take_extra(sluice__run *m, const sluice_stream *s, const sluice__field *f);
bool sluice__m_hold(sluice__run *m, const sluice_stream *s, const char *key, size_t key_len,
                    const char *text, size_t len, bool first);
/* Is a bare call shown to be of this format? See machine.c. -1: a script raised. */
int sluice__m_plain_call(sluice__run *m, sluice_stream *s);
bool sluice__m_wrong(sluice__run *m, const sluice_stream *s, const char *code, const char *why);
uint64_t sluice__m_hash(const char *p, size_t n);
bool sluice__m_is_used(const sluice__run *m, const char *key, size_t n);
bool sluice__m_use(sluice__run *m, const sluice_stream *s, const char *key, size_t n);

/* An error behind what was read; with `settle` only what cannot be read again is told before it. */
bool sluice__m_error(sluice_stream *s, const char *code, const char *message);
/* The same, and the call is incomplete for it. */
bool sluice__m_spoilt(sluice_stream *s, const char *code, const char *message);
/* An error for which what follows is text: it may be part of a value. */
bool sluice__m_lose_track(sluice_stream *s, const char *code, const char *message);
/* An error about a key: its sentence is `before`, the key, `behind`. */
bool sluice__m_tell_key(sluice_stream *s, const char *code, const char *before, const char *key,
                        size_t len, const char *behind);
/* Did the call lack a closer, and does what stands in its place begin as one does, though it is
 * nothing that may follow? 1, 0, LOOK_WAITS. */
int sluice__m_stands_odd(sluice__run *m, sluice_stream *s);
bool sluice__m_tell_odd(sluice_stream *s);
/* Is it a piece of text that stands before the closer of the announced call, which is due? Both are
 * passed, and that is told. 1, 0, LOOK_WAITS; -1: no memory. */
int sluice__m_text_before(sluice__run *m, sluice_stream *s, const sluice__markers *closers);
/* Takes a closer that is due and that the end of the text has cut: its first two bytes or more. */
void sluice__m_take_cut(sluice_stream *s, const sluice__markers *set);
/* Does the text end inside the literal that begins the sequence of `i`, which has arguments? */
bool sluice__m_is_cut(const sluice__run *m, const sluice_stream *s, const sluice__ins *i);
/* What was left out of a tag, if anything was. */
bool sluice__m_tell_loose(sluice__run *m, sluice_stream *s);
bool sluice__m_complain(sluice_stream *s, const char *code, const char *message,
                        sluice_status status);

/* Makes m->tool_sets those of the call's tool. -1: a script raised. */
int sluice__m_tool_sets(sluice__run *m, sluice_stream *s);
/* A JSON object at pos is the arguments of the announced call; an instruction CALLs it. m->at[2] is
 * false before. */
sluice__went sluice__m_object_arguments(sluice__run *m, sluice_stream *s);
/* Does a JSON object stand at pos, perhaps behind a comma or the like? `members`: or a string, as
 * of a member, or an object with bare keys? 1, 0, LOOK_WAITS. */
int sluice__m_object_stands(const sluice_stream *s, bool members);
bool sluice__m_broken(const sluice__run *m); /* it stopped being readable */
/* Behind that: skips to the next literal of `resync`. */
sluice__went sluice__m_mend(sluice__run *m, sluice_stream *s, const sluice__markers *resync);
/* The tool that the name read so far means: sets m->tool. */
sluice__went sluice__m_find_tool(sluice__run *m, sluice_stream *s);

/* ---- Marks ---- */

sluice__mark *sluice__m_push(sluice__run *m, sluice_stream *s, int kind, uint16_t pc);
void sluice__m_pop(sluice__run *m, sluice_stream *s);
void sluice__m_pin(sluice_stream *s);
void sluice__m_unpin(sluice_stream *s);

/* ---- Parameters ---- */

bool sluice__m_flush_repeated(sluice__run *m, sluice_stream *s);
bool sluice__m_open_array(sluice__run *m, sluice_stream *s);
/* Tells that m->param was given before; where it does not stay, the call is incomplete. */
sluice__went sluice__m_duplicate(sluice__run *m, sluice_stream *s, bool stays);

/* ---- What agents' formats have; see machine_agents.c ---- */

/* Tells the reasoning that was passed over, where the call can be announced. Called by CALL. */
sluice__went sluice__m_tell_said(sluice__run *m, sluice_stream *s);
/* Notes that reasoning stands at pos. False: no memory. */
bool sluice__m_note_said(sluice__run *m, const sluice_stream *s);
/* Does an object with a quoted key begin here? m->answer. Called by CALL. */
sluice__went sluice__m_with_key(sluice__run *m, sluice_stream *s);
/* The object at m->object_at is no call: where it is whole, nothing in it is one. */
sluice__went sluice__m_quoting_object(sluice__run *m, sluice_stream *s);
/* Does the fence at pos close the one that is open? 1, 0, LOOK_WAITS. */
int sluice__m_fence_ends(sluice__run *m, sluice_stream *s);
/* Adds JSON as a model wrote it to `out`, as strict JSON on one line. */
bool sluice__m_add_strict(const sluice_stream *s, sluice__buffer *out, const char *p, size_t n);

/* ---- Elements inside a parameter; see machine_tree.c ---- */

/* Finds out what the schema says of the member that begins; sets m->types. */
sluice__went sluice__tree_member(sluice__run *m, sluice_stream *s);
/* May elements stand where a value of m->types is due? */
bool sluice__tree_may_begin(const sluice__run *m, const sluice_stream *s);
sluice__went sluice__tree_begin(sluice__run *m, sluice_stream *s, const sluice__elements *e);
sluice__went sluice__tree_add_built(sluice__run *m, sluice_stream *s);
sluice__went sluice__tree_add_leaf(sluice__run *m, sluice_stream *s);

/* ---- The instructions ---- */

#define SLUICE__HANDLER(name)                                                                      \
    sluice__went sluice__i_##name(sluice__run *m, sluice_stream *s, const sluice__ins *i)
#define X(name) SLUICE__HANDLER(name);
SLUICE__INSTRUCTIONS(X)
#undef X

#endif
