/*
 * Inside the machine: how an instruction is written.
 *
 * An instruction is a function that may be entered many times (a protothread). It begins with
 * RESUME. If it lacks input, it leaves at LOOK, AWAIT or COMMIT, and is entered again there. Values
 * that it needs after a wait are kept in the run, never in a local variable.
 */
#ifndef SLUICE_MACHINE_H
#define SLUICE_MACHINE_H

#include "program.h"

typedef enum sluice__went {
    SLUICE__NEXT,   /* go on with the next instruction */
    SLUICE__JUMPED, /* pc was set */
    SLUICE__WAITED, /* resume this one when more input arrives */
    SLUICE__FAILS,  /* go back to the last mark */
    SLUICE__SHORT,  /* out of memory */
    SLUICE__RAISES, /* a script raised an error */
    SLUICE__YIELDS, /* resume this one when the events are out */
    SLUICE__CLOSES, /* the block is over, and was one */
    SLUICE__REFUSES /* it was not a block */
} sluice__went;

#define FALLS __attribute__((fallthrough))
#define RESUME_AT(phase)                                                                           \
    switch (phase) {                                                                               \
    default:
#define RESUME_END }

/* Does an operation of stream.h and goes on when it is done. */
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

/* Sets `to` to the result of a look; repeats it when more input arrives. */
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

/* The same inside a function that an instruction calls; it has a phase of its own. CALL starts it,
 * and enters it again until it returns NEXT. */
#define SUB_RESUME(m) RESUME_AT((m)->sub)
#define SUB_AWAIT(m, operation) AWAIT_AT((m)->sub, operation)
#define SUB_LOOK(m, to, look) LOOK_AT((m)->sub, to, look)
/* Lets events out if there are many, so that few are kept however large the chunk is. */
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

/* Announces the call; does `otherwise` if it is not one. */
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

/* Does what reads much at once, and leaves if it did: 1: pc was set; 0: go on; LOOK_WAITS; -1: out
 * of memory. */
#define AT_ONCE(reading)                                                                           \
    do {                                                                                           \
        int read_ = (reading);                                                                     \
        if (read_)                                                                                 \
            return read_ == 1                    ? SLUICE__JUMPED                                  \
                   : read_ == SLUICE__LOOK_WAITS ? SLUICE__WAITED                                  \
                                                 : SLUICE__SHORT;                                  \
    } while (0)
#define PLAIN_NAME(m, s, i)                                                                        \
    AT_ONCE((m)->phase || !((i)->flags & SLUICE__F_PLAIN) ? 0 : sluice__m_plain_name(m, s, i))

#define TRY(good)                                                                                  \
    do {                                                                                           \
        if (!(good))                                                                               \
            return SLUICE__SHORT;                                                                  \
    } while (0)
/* Gets a script's answer, or leaves. */
#define ASK(answer, question)                                                                      \
    do {                                                                                           \
        (answer) = (question);                                                                     \
        if ((answer) < 0)                                                                          \
            return SLUICE__RAISES;                                                                 \
    } while (0)

/* ---- Looks: they change nothing, apart from noting what need not be examined again ---- */

/* Returns the literal of the set at pos, after white space if `skip`; LOOK_NONE, LOOK_WAITS. */
long sluice__m_peek(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip);
/* The same; pos moves past the literal. */
long sluice__m_take(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip);
/* Returns the byte at pos, after white space if `skip` (pos moves to it). LOOK_NONE: end
 * of text. */
long sluice__m_byte(sluice__run *m, sluice_stream *s, bool skip);
/* Returns the byte after white space, or LOOK_NONE. pos moves to it only if it is `wanted`. */
long sluice__m_behind(sluice__run *m, sluice_stream *s, long wanted);
bool sluice__m_at_end(const sluice_stream *s); /* true if pos is at the end of the text */

/* Moves pos past the blanks of its line and returns the byte there. Blanks found are not examined
 * again if more arrive. */
long sluice__m_line_blanks(sluice__run *m, sluice_stream *s);

/* Number of events that may go out; those of a call that must be whole wait for its end. */
static inline size_t sluice__m_ready(const sluice_stream *s) {
    return (sluice__staged(s) ? s->call.stage : s->count) - s->head;
}
enum { SLUICE__MOST_QUEUED = 256 };

/* ---- The call ---- */

void sluice__m_new_call(sluice__run *m);
sluice__went sluice__m_prepare(sluice__run *m, sluice_stream *s);
/* For a placeholder name, examines the arguments at pos to find the tool. Use with CALL. */
sluice__went sluice__m_name_by_arguments(sluice__run *m, sluice_stream *s,
                                         const sluice__arguments_spec *how);
int sluice__m_announce(sluice__run *m, sluice_stream *s);
sluice__went sluice__m_announced(sluice__run *m, sluice_stream *s);
/* Before the first argument: has them kept if the tool has a schema. At the end of a call that is
 * not cut: checks them. */
sluice__went sluice__m_keep_arguments(sluice__run *m, sluice_stream *s);
sluice__went sluice__m_check_arguments(sluice__run *m, sluice_stream *s);
/* True if there is no call, or its arguments are a whole object, to which nothing can be added. If
 * the description adds to it nevertheless, its script has failed. */
bool sluice__m_has_all(const sluice_stream *s);
sluice__went sluice__m_twice(sluice_stream *s);
/* Ends the announced call. *good is false if it had to be whole and is not. */
sluice__went sluice__m_finish(sluice__run *m, sluice_stream *s, bool *good);
bool sluice__m_set_name(sluice__run *m, const sluice_stream *s, const char *p, size_t n,
                        uint64_t start, uint64_t end, uint16_t pattern);
static inline bool sluice__m_set(const sluice_stream *s, sluice__buffer *b, const char *p,
                                 size_t n) {
    return sluice__buffer_set(&s->alloc, b, p, n);
}
/* Returns the rare state for writing, or NULL if out of memory. */
sluice__rare *sluice__m_rare(sluice__run *m, const sluice_stream *s);
/* The same, if it is known to exist. */
static inline sluice__rare *sluice__m_rare_there(sluice__run *m) { return (sluice__rare *)m->rare; }
static inline void sluice__m_forget_wrong(sluice__run *m) {
    if (m->rare->wrong.len)
        sluice__m_rare_there(m)->wrong.len = 0;
}
/* Makes the value that was read a member of `extra`. */
bool sluice__m_take_extra(sluice__run *m, const sluice_stream *s, const sluice__field *f);
bool sluice__m_hold(sluice__run *m, const sluice_stream *s, const char *key, size_t key_len,
                    const char *text, size_t len, bool first);
/* Is a bare call evidently of this format? See machine.c. -1: a script raised an error. */
int sluice__m_plain_call(sluice__run *m, sluice_stream *s);
bool sluice__m_wrong(sluice__run *m, const sluice_stream *s, const char *code, const char *why);
bool sluice__m_is_used(const sluice__run *m, const char *key, size_t n);
bool sluice__m_use(sluice__run *m, const sluice_stream *s, const char *key, size_t n);

/* Reports an error after the bytes that were read. */
bool sluice__m_error(sluice_stream *s, const char *code, const char *message);
/* The same, and makes the call incomplete. */
bool sluice__m_spoilt(sluice_stream *s, const char *code, const char *message);
/* Reports an error after which everything is text: it may be part of a value. */
bool sluice__m_lose_track(sluice_stream *s, const char *code, const char *message);
/* Reports an error about a key; the message is `before`, the key, `behind`. */
bool sluice__m_tell_key(sluice_stream *s, const char *code, const char *before, const char *key,
                        size_t len, const char *behind);
/* If the call lacked a closer: do the bytes in its place begin like one, though they are nothing
 * that may follow? Returns 1, 0, LOOK_WAITS. */
int sluice__m_stands_odd(sluice__run *m, sluice_stream *s);
bool sluice__m_tell_odd(sluice_stream *s);
/* If a piece of text precedes the required closer of the announced call, skips both and reports it.
 * Returns 1, 0, LOOK_WAITS; -1 if out of memory. */
int sluice__m_text_before(sluice__run *m, sluice_stream *s, const sluice__markers *closers);
/* Takes a required closer that the end of the text cut, of which at least two bytes are present. */
void sluice__m_take_cut(sluice_stream *s, const sluice__markers *set);
/* True if the text ends inside the literal that begins the sequence of `i`, which has arguments. */
bool sluice__m_is_cut(const sluice__run *m, const sluice_stream *s, const sluice__ins *i);
/* Reports the part of a tag that was left out, if any. */
bool sluice__m_tell_loose(sluice__run *m, sluice_stream *s);
bool sluice__m_complain(sluice_stream *s, const char *code, const char *message,
                        sluice_status status);

/* Sets m->tool_sets for the call's tool. -1: a script raised an error. */
int sluice__m_tool_sets(sluice__run *m, sluice_stream *s);
/* Reads a JSON object at pos as the arguments of the announced call. Use with CALL. m->at[2] must
 * be false before. */
sluice__went sluice__m_object_arguments(sluice__run *m, sluice_stream *s);
/* Is a JSON object at pos, perhaps after a comma or similar? `members`: also a string, as in a
 * member, or an object with bare keys. Returns 1, 0, LOOK_WAITS. */
int sluice__m_object_stands(const sluice_stream *s, bool members);
bool sluice__m_broken(const sluice__run *m); /* true if it became unreadable */
/* Then: skips to the next literal of `resync`. */
sluice__went sluice__m_mend(sluice__run *m, sluice_stream *s, const sluice__markers *resync);
/* Sets m->tool to the tool that the name read so far means. */
sluice__went sluice__m_find_tool(sluice__run *m, sluice_stream *s);

/* ---- Marks ---- */

/* The same after white space. If it waits, nothing happens before a literal that `next` reads. */
long sluice__m_byte_before(sluice__run *m, sluice_stream *s, const sluice__ins *next);
/* Notes a look at `at`, where something was found. */
void sluice__m_looked(sluice_stream *s, uint64_t at);
sluice__mark *sluice__m_push(sluice__run *m, sluice_stream *s, int kind, uint16_t pc);
void sluice__m_pop(sluice__run *m, sluice_stream *s);
void sluice__m_pin(sluice_stream *s);
void sluice__m_unpin(sluice_stream *s);

/* ---- Parameters ---- */

/* Begins a parameter of the loop of `i`, or what looks like one. NULL: out of memory. */
sluice__mark *sluice__m_begin_parameter(sluice__run *m, sluice_stream *s, const sluice__ins *i,
                                        bool marked);
/* Bytes of keys in a row, and of names that are read at once and of ids that contain them. */
enum { SLUICE__OF_KEY = 1, SLUICE__OF_NAME = 2, SLUICE__OF_ID = 4 };
extern const uint8_t sluice__word_bytes[256];
static inline bool sluice__in_word(char c, unsigned kind) {
    return sluice__word_bytes[(unsigned char)c] & kind;
}
static inline bool sluice__in_key(char c) { return sluice__in_word(c, SLUICE__OF_KEY); }
static inline bool sluice__in_name(char c) { return sluice__in_word(c, SLUICE__OF_NAME); }
/* Returns the only literal of an instruction that takes it after white space, or NULL. */
const sluice__marker *sluice__lone(const sluice__program *p, const sluice__ins *i);
/* If that is all visible, moves pos past it. */
bool sluice__m_take_lone(sluice__run *m, sluice_stream *s, const sluice__ins *i);
/* The same of the next instruction, if it requires its literal. */
const sluice__marker *sluice__next_literal(const sluice__program *p, const sluice__ins *i);
/* The wait for the beginning of an object that begins with a head. */
static inline sluice__standby sluice__await_head(const sluice__object_spec *o) {
    return (sluice__standby){.set = o->opening, .blanks = true, .then = o->odd};
}
/* A literal is waited for: waits for more if the next instruction reads a name. */
void sluice__m_wait_for_next(const sluice__program *p, sluice__standby *by,
                             const sluice__ins *next);
/* For an instruction with F_PLAIN: reads the name, and the literal after it, if it is written as
 * nearly all are. Returns 1: pc was set; 0: read it otherwise; LOOK_WAITS; -1: out of memory. */
int sluice__m_plain_name(sluice__run *m, sluice_stream *s, const sluice__ins *i);
/* Reads a parameter up to its value, if it is written as a row has it. Returns 1: the value
 * follows; 0: read it otherwise; LOOK_WAITS; -1: out of memory. */
int sluice__m_row_head(sluice__run *m, sluice_stream *s, const sluice__ins *i);
/* Reads an object's brace, name, and arguments' key, if it begins like a head. Returns 1: the
 * arguments' brace follows; 0: read it otherwise; LOOK_WAITS; -1: out of memory. */
int sluice__m_object_head(sluice__run *m, sluice_stream *s, const sluice__object_spec *o);
/* Reads the closer of the value that was read, and goes on up to the next value, in the loop or
 * behind it. Returns 1: pc was set; 0: read it otherwise; -1: out of memory. */
int sluice__m_row_end(sluice__run *m, sluice_stream *s);

bool sluice__m_flush_repeated(sluice__run *m, sluice_stream *s);
bool sluice__m_open_array(sluice__run *m, sluice_stream *s);
/* Reports that m->param was given before; unless `stays`, the call is incomplete. */
sluice__went sluice__m_duplicate(sluice__run *m, sluice_stream *s, bool stays);

/* ---- For agents' formats; see machine_agents.c ---- */

/* Reports the reasoning that was skipped, once the call can be announced. Use with CALL. */
sluice__went sluice__m_tell_said(sluice__run *m, sluice_stream *s);
/* Notes reasoning at pos. False if out of memory. */
bool sluice__m_note_said(sluice__run *m, const sluice_stream *s);
/* Sets m->answer: does an object with a quoted key begin here? Use with CALL. */
sluice__went sluice__m_with_key(sluice__run *m, sluice_stream *s);
/* The object at m->object_at is not a call: if it is whole, nothing in it is a call. */
sluice__went sluice__m_quoting_object(sluice__run *m, sluice_stream *s);
/* Adds JSON as written by a model to `out`, as strict JSON on one line. */
bool sluice__m_add_strict(const sluice_stream *s, sluice__buffer *out, const char *p, size_t n);

/* ---- Elements inside a parameter; see machine_tree.c ---- */

/* Gets what the schema says of the member that begins; sets m->types. */
sluice__went sluice__tree_member(sluice__run *m, sluice_stream *s);
/* True if elements may replace a value of m->types. */
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

/* An instruction is done. Does the next one too if it is `op`, which mostly follows; else the
 * machine does. */
static inline sluice__went
sluice__m_follow(sluice__run *m, sluice_stream *s, const sluice__ins *i, unsigned op,
                 sluice__went (*handler)(sluice__run *, sluice_stream *, const sluice__ins *)) {
    const sluice__ins *next = i + 1;
    if (m->scripts->watch || next == m->program->code + m->program->count || next->op != op)
        return SLUICE__NEXT;
    m->pc++;
    m->phase = 0;
    return handler(m, s, next);
}

#endif
