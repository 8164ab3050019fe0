/*
 * A stream, and the operations with which a syntax reads it.
 *
 * The core scans text and reasoning by itself. At a literal that may open a block it asks the
 * syntax, through a table of functions, so that the core can be tested from C alone. The syntax
 * then reads with the operations below. Each is defined over "the byte at p, or wait": an operation
 * that lacks input keeps its state here and continues when bytes arrive, without asking the syntax
 * again. So its result never depends on the chunks.
 */
#ifndef SLUICE_STREAM_H
#define SLUICE_STREAM_H

#include "closing.h"
#include "json.h"
#include "marker.h"
#include "quoting.h"
#include "typed.h"
#include "window.h"

/* The list of error codes of events. */
#define SLUICE__CODES(X)                                                                           \
    X(unknown_tool)                                                                                \
    X(invalid_name)                                                                                \
    X(invalid_call)                                                                                \
    X(not_a_call)                                                                                  \
    X(ignored_argument)                                                                            \
    X(unopened_reasoning)                                                                          \
    X(unfinished_call)                                                                             \
    X(bad_arguments)                                                                               \
    X(repaired)                                                                                    \
    X(type_mismatch)                                                                               \
    X(schema_mismatch)                                                                             \
    X(duplicate_parameter)                                                                         \
    X(duplicate_id)                                                                                \
    X(stray_markup)                                                                                \
    X(ignored_text)                                                                                \
    X(call_limit)                                                                                  \
    X(limit_exceeded)                                                                              \
    X(invalid_utf8)                                                                                \
    X(script_error)                                                                                \
    X(no_memory)

/* Returns the constant string of an error code, or NULL if there is no such code. */
const char *sluice__code(const char *name);

/* Roles of the literals of a format; a literal may have several. */
enum {
    SLUICE__BLOCK = 1,      /* a block may begin here */
    SLUICE__REASON = 2,     /* opens reasoning */
    SLUICE__REASON_END = 4, /* closes it (in the set for reasoning) */
    SLUICE__TURN_END = 8,   /* an end-of-turn token: markup */
    SLUICE__NOISE = 16,     /* markup everywhere */
    SLUICE__STRAY = 32,     /* markup right after a block: an extra closer */
    SLUICE__AT_START = 64,  /* a block only if only white space precedes it */
    SLUICE__AT_LINE = 128,  /* a block only at the start of a line */
    SLUICE__ALONE =
        1 << 16,            /* a block only in a run of exactly as many copies as the literal has */
    SLUICE__TICK = 1 << 17, /* runs of backticks: a fence at the start of a line */
    SLUICE__TOLD = 1 << 18, /* a block: `not_a_call` is reported if it is not one */
    SLUICE__INDENT = 1 << 19,    /* AT_LINE: also after indentation; AT_START: also after a block */
    SLUICE__NOISE_TAG = 1 << 20, /* with NOISE: up to the `>` on its line */
    SLUICE__LEADING = 1 << 21,   /* markup if only white space and markup precede it */
    SLUICE__PAIR = 256           /* times the number of the reasoning pair */
};

typedef struct sluice__pair { /* opener and closer of reasoning, with white space to drop */
    const char *lead;         /* dropped after the opener */
    const char *trail;        /* dropped before the closer */
    const char *after;        /* dropped after the closer, before text */
} sluice__pair;

enum { SLUICE__PAIRS = 32 };

/* Values of the stream options, resolved. */
enum { SLUICE__HOLD, SLUICE__CALL, SLUICE__KEEP };                     /* calls_in_reasoning */
enum { SLUICE__LINE, SLUICE__START, SLUICE__ANYWHERE };                /* reasoning_opens */
enum { SLUICE__FENCE_SCRIPT, SLUICE__FENCE_TEXT, SLUICE__FENCE_CALL }; /* fences */
typedef struct sluice__settings {
    bool whole, types, start_reasoning, strict, repairs, validation, parameters, markup;
    bool start_text; /* the host says that no reasoning is open: its closer is text */
    bool tokens;     /* special tokens count only if they came as tokens */
    bool source;     /* CALL_END carries the source of the call */
    bool unknown_as_text;
    uint8_t calls_in_reasoning, reasoning_opens, fences;
    size_t max_calls; /* SIZE_MAX: no limit */
    size_t limit_name, limit_header, limit_value, limit_held, limit_depth;
} sluice__settings;

/* A format for the core: literals and defaults. Immutable, shared by its streams. */
typedef struct sluice__format {
    const char *name;           /* of the syntax */
    bool several;               /* represents several formats: see sluice__use_format */
    sluice__markers *text;      /* in text: blocks, reasoning, turn ends, noise, strays */
    sluice__markers *reasoning; /* in reasoning: closers, blocks, turn ends, noise, openers */
    sluice__markers *closers;   /* only closers of reasoning, for calls held in it */
    sluice__pair pairs[SLUICE__PAIRS];
    uint8_t bare[32];         /* first bytes of blocks without a marker */
    bool bare_at_line;        /* such a block may begin any line, not only the message */
    sluice__markers *fence;   /* closers of a code fence */
    bool fence_text;          /* closed code fences hide calls, unless an option says otherwise */
    bool start_trim;          /* white space at the start of the message is markup */
    bool cut_tokens;          /* the start of a special token at the end of the text is markup */
    sluice__markers *special; /* literals that are special tokens of the model; or NULL */
    const struct sluice__standby *behind; /* for each literal of `text`: what is waited for after
                                             it, without `set` and `odd` if nothing; or NULL */
    sluice__settings defaults;
} sluice__format;

typedef enum sluice__verdict {
    SLUICE__AWAITS,   /* an operation is waiting, or events should go out first */
    SLUICE__NAMES,    /* a function that reads by hand has named a call, which is to be announced */
    SLUICE__ENDS,     /* ... or has ended one */
    SLUICE__WAITS,    /* needs more input */
    SLUICE__CLOSED,   /* the block is over */
    SLUICE__REJECTED, /* it was not a block */
    SLUICE__FAILED    /* the script raised an error; sluice__fail got the message */
} sluice__verdict;

/* The functions of a syntax that a stream calls. */
typedef struct sluice__syntax {
    sluice__verdict (*open)(void *user, sluice_stream *s,
                            size_t item); /* item of the set, or SIZE_MAX */
    sluice__verdict (*resume)(void *user,
                              sluice_stream *s); /* the operation's result is in s->result */
    void (*drop)(void *user, sluice_stream *s);  /* the block is abandoned */
    void (*new_id)(void *user, char *id, size_t size);
    void (*release)(void *user); /* the stream is being freed */
} sluice__syntax;

/* An event in the queue: offsets instead of pointers, since buffers move. */
typedef struct sluice__event {
    uint8_t type, status, source; /* source: what `text` is an offset in */
    bool valid;
    size_t text, text_len; /* of a CALL_END: its `source`, in the scratch buffer */
    uint64_t start, end;
    size_t index; /* of the call; SIZE_MAX for an ERROR that is not about a call */
    size_t id;    /* this and the next: offsets in the scratch buffer, or SIZE_MAX */
    union {
        size_t name, key, extra; /* of CALL_BEGIN, PARAMETER, CALL_END */
        const char *code;        /* of ERROR */
    };
    uint64_t block_start; /* of CALL_END */
} sluice__event;

enum { SLUICE__NO_TEXT, SLUICE__IN_WINDOW, SLUICE__IN_SCRATCH };

/* The result of the last operation. */
typedef struct sluice__result {
    bool ok, is_byte;
    bool plain; /* a string without escapes and quotes */
    int kind;
    long item;           /* a literal of the set, or (is_byte) a byte; -1 for none */
    uint64_t start, end; /* a range of the response */
    const char *text;    /* decoded text, valid until the next operation; or NULL */
    size_t text_len;
} sluice__result;

/* Further forms of a raw value, as bits: see `as` of sluice__op_value. */
enum {
    SLUICE__FENCED = 1,  /* in a code fence, which is dropped */
    SLUICE__ANGLES = 2,  /* with the entities &lt; and &gt; */
    SLUICE__QUOTED = 8,  /* in double quotes, which are dropped */
    SLUICE__ENTITIES = 4 /* also with &amp;, &quot; and &apos; */
};

/* How a raw value is read: streamed, typed at its end, captured (for the first of several, or for
 * what surrounds it), or discarded. */
enum { SLUICE__STREAMED, SLUICE__TYPED, SLUICE__CAPTURED, SLUICE__WITHIN, SLUICE__DISCARDED };

/* Roles of literals that may end a value. */
enum {
    SLUICE__CLOSER = 1, /* counts if a literal of `confirm` or the end of the text follows */
    SLUICE__ASK = 2,    /* the syntax decides */
    SLUICE__FINAL = 3,  /* always counts */
    SLUICE__DOUBT = 4   /* ends nothing: it begins a call whose closers look like these */
};

/* A set of hashes of things seen. Stops recording after some thousands. */
typedef struct sluice__hashes {
    uint64_t *slots;
    uint32_t count, cap;
} sluice__hashes;
bool sluice__hashes_add(const sluice_allocator *a, sluice__hashes *set, uint64_t hash, bool *again);
void sluice__hashes_clear(sluice__hashes *set);
bool sluice__hashes_has(const sluice__hashes *set, uint64_t hash);

/* Bytes in which no literal of a set begins, whatever follows; not searched again. */
typedef struct sluice__clear {
    const sluice__markers *set;
    uint64_t from, upto;
} sluice__clear;

/* What a lookahead found out about a format's own quotes. */
typedef struct sluice__ahead {
    uint64_t upto;
    uint64_t misplaced[2]; /* the last misplaced quote with an even, and with an odd, number */
    bool count, left;      /* parity of the number of quotes seen, and of those left */
    uint8_t before;        /* the byte before `upto` */
} sluice__ahead;

/* The numbers of a value's closer and of the next opener in the sets that are searched; NO_ITEM: it
 * is not there, or a longer literal begins with it. */
typedef struct sluice__ending {
    uint16_t closer, opener;
} sluice__ending;
enum { SLUICE__NO_ITEM = 0xFFFF };

/* What mostly follows a raw value: the opener of another one, whose head is then waited for; or
 * what ends the values. */
typedef struct sluice__further {
    const sluice__marker *opener;  /* NULL: not known */
    const sluice__marker *exit;    /* or NULL */
    const sluice__markers *behind; /* what is waited for after the exit; or NULL */
    uint8_t passes;                /* as of sluice__standby, after the opener */
    uint8_t odd[256];
    sluice__marker guesses[2];     /* closer, line break or nothing, opener */
    sluice__ending plain, quoting; /* of a value that may quote nothing, or calls */
} sluice__further;

/* How a raw value began. */
enum { SLUICE__BARE_VALUE, SLUICE__IN_FENCE, SLUICE__IN_QUOTES };

typedef struct sluice__op { /* the state of a waiting operation; each uses some fields */
    const sluice__markers *set;
    uint64_t from, at, limit, hold;
    uint64_t origin; /* of decoded bytes: where the source of the first begins */
    int mode;
    uint16_t types, flags;
    uint8_t as, fence; /* of a value */
    char last;         /* of junk: the last byte outside strings */
    bool skip, take, started, one_line, trim, open_end, quoted, opened, ignored, value, over,
        doubtful, mended;
    bool noted; /* of a raw value: no byte of it needs a note in `work` */
    uint8_t start_len, tail_len, tail_for; /* lengths of the notes in `work` of a raw value;
                                              tail_for: bytes for which the tail may still count */
    sluice__escaper escaper;
    const sluice__quoting *quoting; /* what a value may quote; or NULL */
    const sluice__further *further; /* of a raw value; or NULL */
    const sluice__marker *guesses;  /* two, of what follows a raw value, or arguments; or NULL */
    union {                         /* no operation uses two of these */
        struct {                    /* text and raw values */
            const sluice__markers *confirm;
            const char *lead, *trail;
            uint64_t blanks, blanks_upto; /* the blanks seen up to here */
            uint64_t first;               /* the first other byte, or where to look for it */
            sluice__given given;
        };
        struct { /* for JSON values, quoted values, junk */
            sluice__sink sink;
            struct {
                uint8_t state, part_len, want;
                char part[8];
                uint16_t high;
                uint8_t quote;
                uint64_t from; /* start of an escape */
            } unwrap;
            const uint16_t *map; /* of decoded bytes: where the source of each ends, after `hold` */
        };
        struct { /* a string that has not needed a reader yet: see plain_string */
            const char *quote;
            size_t quote_len;
            uint64_t plain; /* examined up to here */
        };
        struct { /* the announcement of a call */
            const char *code, *message;
        };
    };
} sluice__op;

/* State of a value in a format's own quotes. */
typedef struct sluice__own {
    bool open, inner, key; /* in a string in its own quotes; in one quoted inside; in a key */
    bool prose, doubled;   /* why the current quote is doubtful */
    uint8_t before;        /* the previous byte in the string */
    char last;             /* the last byte outside strings */
    uint64_t arrays;       /* one bit per open container, the innermost lowest: set for an array */
    uint64_t behind;       /* end of the last quote */
    sluice__ahead ahead;
} sluice__own;

/* Quoted calls that are open in the current value. */
typedef struct sluice__quotes {
    struct {
        uint16_t kind;
        bool own;                  /* a parameter with the name of the value's own */
        uint32_t name;             /* hash of a parameter's name, if its closer repeats it */
        uint32_t parameters, last; /* previous values: open parameters, the last of them */
        size_t number;
    } * open;
    size_t count, cap;
    uint32_t parameters, calls, sections; /* numbers of those open */
    uint32_t last_call, last_section;     /* 1 plus the index in `open` of the last of each */
    uint32_t calls_before;                /* openers of calls so far */
    uint32_t before;                      /* sections that were open when holding began */
    uint32_t own;                         /* open parameters with the value's own name */
    sluice__buffer key;                   /* key of the parameter with this value, as written */
    size_t closed;  /* the number of what the last closer closed, or SIZE_MAX */
    uint64_t chain; /* after the last closers of a parameter and its call that closed nothing */
} sluice__quotes;

static inline void sluice__quotes_clear(sluice__quotes *q) {
    q->count = q->parameters = q->calls = q->sections = q->last_call = q->last_section = 0;
    q->own = 0;
    q->chain = 0;
}

/* What ends a wait, if nothing else can happen before. `set`: the visible bytes end with the start
 * of a literal, read up to `walk`. `odd`: a byte of this table, or `walk.length` bytes. A chunk
 * that only continues the wait is appended, and nothing else is done. */
typedef struct sluice__standby {
    const sluice__markers *set;
    const uint8_t *odd;
    sluice__walk walk;
    uint8_t passes;              /* odd bytes that do not count yet */
    bool blanks;                 /* white space may precede the literal */
    uint16_t item;               /* after this literal of `set`, */
    const uint8_t *then;         /* `odd` of the wait that follows it; NULL: `ends` follow it */
    const sluice__markers *ends; /* at an odd byte, or then, one of these may begin; or NULL */
    const sluice__marker *guess; /* instead of all these: the visible bytes end with the first
                                    walk.length bytes of this text, which is nothing yet */
} sluice__standby;

/* State of raw values, allocated at the first one. */
typedef struct sluice__work {
    sluice__quotes quotes;
    char start[48], tail[48]; /* the start of a raw value, and its latest bytes */
} sluice__work;

/* State that few streams need. */
typedef struct sluice__aside {
    sluice__buffer carried; /* a value that a block kept for later ones */
    char drop_text[16];     /* copy of `drop_after`, if the syntax set it */
    struct { /* visible special tokens that came as tokens: first and last byte of each */
        uint64_t *at;
        size_t count, cap;
    } tokens;
} sluice__aside;

/* `mode` of a stream, and `quick`. */
enum { SLUICE__IN_TEXT_MODE, SLUICE__IN_REASON_MODE, SLUICE__IN_BLOCK_MODE };
enum {
    SLUICE__NOT_QUICK,
    SLUICE__TEXT_FLOWS,
    SLUICE__REASON_FLOWS,
    SLUICE__STANDS_BY,
    SLUICE__RAW_FLOWS, /* up to here, a literal may be waited for */
    SLUICE__JSON_STEPS,
    SLUICE__JSON_FLOWS,
    SLUICE__PYTHON_FLOWS
};

struct sluice_stream {
    sluice_allocator alloc;
    const sluice__format *format; /* in use: if `root_format` represents several formats, the one
                                     being tried or chosen */
    const sluice__markers *text;  /* of the format */
    const sluice__syntax *syntax;
    void *user; /* the syntax's */
    sluice__settings set;
    const sluice__format *root_format; /* the format of which the stream was made */

    sluice__window window;
    uint64_t pos;              /* reading continues here */
    uint64_t scan;             /* literals were searched for up to here */
    uint64_t sent;             /* all bytes before are covered by events */
    uint64_t mark;             /* where to go back to, in a block that is not committed */
    uint64_t begin;            /* start of the block, after white space */
    uint64_t held;             /* start of the bytes that may become text again or be re-read */
    uint64_t looked, furthest; /* how far reading has come since it last went back, and ever */
    uint64_t rescanned;        /* total of bytes that were re-read */
    uint64_t reach;            /* the syntax sees up to here: `held` + limit_held or UINT64_MAX */
    uint64_t early_name_start, early_name_end; /* a name reported before its position was reached */

    uint64_t opener_at; /* where the literal `opener` of `text` begins; UINT64_MAX: unknown */
    uint64_t quoting_from, quoting_until; /* an object that is not a call, nor anything inside */
    const uint8_t *odd;           /* a chunk without these bytes may go out unchanged; or NULL */
    const sluice__markers *ends;  /* possible ends of the text, reasoning or raw value that flows */
    uint16_t closer, closer_item; /* of a raw value: the visible bytes up to the end of a closer
                                     that may end it, or 0; and its number in `ends` */
    uint16_t opener;
    uint8_t mode;
    const sluice__markers *behind_arguments; /* what may follow the current arguments; or NULL */
    sluice__standby standby;                 /* why the block waits, if that is simple */
    uint8_t quick; /* how the next chunk may be read: see sluice_stream_next and flow.c */
    bool finished, done, broken, no_memory;
    bool ends_next;       /* the response ends once the bytes that stood by are read */
    bool watched;         /* each instruction is watched: no wait covers several of them */
    bool joins;           /* the last event of the queue may grow before it is handed out */
    bool starts;          /* a raw value has begun, and its first bytes are here: they may flow */
    bool asks;            /* the syntax is deciding where the value of `asked` ends */
    bool chosen;          /* of several formats, one announced a call: it reads the rest */
    bool passed;          /* keep the visible bytes after `sent` */
    bool waits;           /* all visible bytes have been read: only more input helps */
    bool leading_space;   /* white space from pos on is held: it depends on what follows */
    bool after_block;     /* a block precedes that white space */
    bool at_start;        /* only white space and markup so far */
    bool from_reason;     /* the block began in reasoning */
    bool reasoning_begun; /* reasoning has just begun */
    bool announcing;      /* an ERROR now is about the call that begins next */
    bool closes;          /* a call was handed out that has not ended */
    uint8_t guess, guess_end;  /* which guess about raw values, and arguments, was right the last
                                  time */
    uint8_t pair;              /* of the open or the last reasoning */
    bool reasoned;             /* this response had reasoning, or a closer of it was reported */
    bool hit_end;              /* an operation of the block reached the end of the text */
    bool any_call;             /* the block announced a call */
    bool committed;            /* the block announced a call or reported something */
    bool retry_limit_reported; /* the limit of re-reading was reported */
    bool call_limit_reported;  /* the limit of calls was reported */
    bool holds;                /* bytes from `held` on are held */
    bool locked;               /* bytes from `sent` to `pos` belong to a waiting operation */
    bool lost_track;           /* what follows may be part of a value that ended too early */
    bool fence_open;           /* a code fence is open in the text */
    bool fenced;               /* the block began in a code fence */
    bool in_fence;             /* the block began in a fence that hides calls */
    unsigned pinned;           /* above 0: the syntax may still seek back to `sent` */
    size_t ticks;              /* number of backticks that opened code on this line; 0: none open */
    sluice__clear no_literal;  /* of the text or reasoning being read */
    struct {
        uint64_t from, upto; /* how far the run of characters that began at `from` was followed */
    } run;
    sluice__clear no_closer; /* of reasoning or fences, after calls that wait for one */
    uint64_t closes_at;      /* where the open reasoning or fence closes */
    uint32_t opener_role;    /* of the literal that begins the block; 0: none */
    uint32_t opener_len;
    const char *drop_after; /* white space to drop before text, from the last closer of reasoning */

    size_t calls;            /* number that ended so far */
    sluice__hashes ids;      /* of the calls of this response */
    sluice__buffer block;    /* if `source` is requested: the bytes from block_from on */
    uint64_t block_from;     /* bytes before belong to no call, or to the last one */
    sluice__closing closing; /* of the arguments that were handed out */
    sluice__aside *aside;    /* NULL until needed */
    struct {
        bool open, has_arguments, built; /* built: made of parameters, not read as an object */
        uint8_t status;
        uint16_t errors; /* number reported about it */
        bool invalid;    /* not to be run without asking, whatever its status */
        bool closed;     /* its arguments are closed */
        bool key_pending, in_array, first_element;
        bool in_text;   /* a string is being written in parts, or as it arrives */
        bool kept;      /* the arguments are kept in `text`, to be checked at their end */
        bool shown;     /* part of the open parameter's value was reported */
        bool key_over;  /* `key` is complete: the next one starts from empty */
        bool container; /* the current top-level value is an object or array */
        uint64_t from;  /* start of its own bytes */
        sluice__buffer name, id, key; /* key: of the open parameter, decoded */
        sluice__buffer text;
        uint64_t upto;        /* end of the value being written, or 0 */
        sluice__hashes seen;  /* the top-level keys so far */
        sluice__hashes given; /* the keys of the parameters begun so far */
        uint64_t hash;
        size_t stage; /* SIZE_MAX, or the first event that waits until the call is whole */
        uint64_t stage_sent;
        size_t stage_block;
        bool stage_committed;
    } call;

    sluice__event *queue;
    size_t head, count, queue_cap;
    sluice__buffer scratch; /* text of queued events */

    sluice__result result;
    int (*step)(
        sluice_stream *s); /* the waiting operation, or NULL: 1 done, 0 waits, -1 out of memory */
    sluice__buffer taken;  /* decoded text for the result */
    sluice__op *op;        /* each of these is NULL until needed */
    sluice__reader *reader;
    sluice__own *own;
    sluice__work *work; /* contains `quotes` */
    sluice__quotes *quotes;
    sluice__op *asked;                /* a value while the syntax decides about its end; or NULL */
    sluice__settings root_settings[]; /* one, if root_format represents several */
};

/* ---- For the makers of streams ---- */

/* Creates a stream on `format`. `format`, `syntax` and `user` must outlive it. Returns NULL if out
 * of memory. */
sluice_stream *sluice__stream_new(const sluice_allocator *a, const sluice__format *format,
                                  const sluice__syntax *syntax, void *user,
                                  const sluice__settings *set);

/* For a stream whose format represents several: reads the current block by `format`. If the block
 * announces a call, the stream keeps `format`; else it returns to its own format after the block.
 * False if reasoning is being read and `format` has no calls in reasoning. */
bool sluice__use_format(sluice_stream *s, const sluice__format *format,
                        const sluice__settings *set);

/* Resolves options against the format's defaults. Returns NULL or an error message. */
const char *sluice__settings_from(const sluice__format *f, const sluice_stream_options *o,
                                  sluice__settings *set);
void sluice__settings_default(sluice__settings *set);

/* ---- Operations ----
 * Each begins an operation and tries it. Returns 1: done, s->result is filled; 0: it waits for
 * input and continues by itself; -1: out of memory. Positions move only where stated. */

/* Finds the longest literal of the set at pos, after white space if `skip`. `take`: pos moves past
 * it. */
int sluice__op_accept(sluice_stream *s, const sluice__markers *set, bool skip, bool take);

/* Reads text up to the earliest literal of the set, at most `limit` bytes, on one line if
 * `one_line`. ok: pos moves to the literal. Not ok: pos stays; result.end is where it gave up.
 * `quoted`: literals inside "..." and '...' do not count. */
int sluice__op_upto(sluice_stream *s, const sluice__markers *set, size_t limit, bool one_line,
                    bool quoted);

/* Reads the byte at pos, after white space if `skip` (pos moves to it). item is -1 at the end. */
int sluice__op_byte(sluice_stream *s, bool skip);

/* Decodes a quoted string after white space, at most `limit` bytes; pos moves past it. If `flags`
 * allow, accepts other quotes and a bare word too. kind 1: longer than `limit`. */
int sluice__op_string(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      size_t limit);

/* Reads the next key of an object, after commas (`opens`: after its brace), and its colon, if
 * present. ok: the key's range and text; item: the first byte of the value, or -1; pos moves there.
 * Not ok: kind is the byte found instead, or 0 at the end; a `}` is taken. */
int sluice__op_member(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      bool opens);

/* Skips one value. result: its range; kind: its first byte. pos moves past it. `within`: see
 * sluice__reader. */
int sluice__op_skip(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                    char within);

/* Announces a call with CALL_BEGIN. The name is at [start, end) (equal: nowhere). `code` and
 * `message`: an ERROR to report before it, or NULL. Not ok: the stream's options make it text. */
int sluice__op_begin(sluice_stream *s, const char *name, size_t name_len, const char *id,
                     size_t id_len, uint64_t start, uint64_t end, const char *code,
                     const char *message);

/* Arguments as they are, encoded in a string, or in quotes without escapes inside. */
typedef enum { SLUICE__AS_IS, SLUICE__ENCODED, SLUICE__UNESCAPED } sluice__dress;

/* Reads the open call's arguments: an object at pos, dressed as `dress`, or keyword arguments. pos
 * moves past. kind: SLUICE__READ_DONE, _STOP or, at the end of the text, _MORE. item, if not done:
 * 1 if the text ended inside a value, plus 2 if a limit was reached. */
int sluice__op_arguments(sluice_stream *s, uint32_t flags, sluice__top top, const char *quote,
                         size_t quote_len, sluice__dress dress);

/* Reads one JSON value at pos as the value of the open parameter. pos moves past. Results as of
 * op_arguments; `within` as for op_skip. */
int sluice__op_json(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                    char within);

/* Reads the value of a parameter as raw text, up to a literal of `ends`, by its role. Drops `lead`
 * and `trail` at its sides; `trim`: all white space; `one_line`: it ends with its line, without its
 * blanks. `as`: bits of further forms to read; in strings, entities too. pos moves to the literal.
 * item: the literal, or -1 at the end of the text. kind 1: an ASK literal is at result.start;
 * answer with sluice__op_value_go. kind 2: a value to capture exceeded limit_value; it went out as
 * the open parameter's string or, if none is open, was left out. */
int sluice__op_value(sluice_stream *s, const sluice__markers *ends, const sluice__markers *confirm,
                     const char *lead, const char *trail, int mode, unsigned types, uint32_t flags,
                     bool one_line, bool trim, unsigned as);
/* For the next sluice__op_value: what it may quote, and for which tool (both borrowed until it is
 * done), and the key as written. False if out of memory. */
bool sluice__op_value_quotes(sluice_stream *s, const sluice__quoting *quoting,
                             const sluice__given *given, const char *key, size_t key_len);
/* Answers an ASK; pass `ends` to `trail` as to sluice__op_value. */
int sluice__op_value_go(sluice_stream *s, const sluice__markers *ends,
                        const sluice__markers *confirm, const char *lead, const char *trail,
                        bool ends_here);

/* Reads TEXT or REASONING up to a literal of the set (item; -1 at the end); pos moves to it. */
int sluice__op_text(sluice_stream *s, const sluice__markers *set, int type, const char *lead,
                    const char *trail);

/* Reports the decoded strings of a JSON value as TEXT or REASONING, those of a list on separate
 * lines; pos moves past. Unescaped characters are reported with their bytes; an escape is markup,
 * and its meaning is reported without bytes. Not ok: it cannot be read to its end. */
int sluice__op_speech(sluice_stream *s, uint32_t flags, sluice_event_type type);

/* Reads the value of the open parameter, a string, from lines that each begin with the literal of
 * `prefix`, which is dropped. pos moves to the first line without it. Not ok: the text ended. */
int sluice__op_lines(sluice_stream *s, const sluice__markers *prefix);

/* Skips, as markup, to the next literal of the set (item; -1 at the end). start: where it began;
 * kind: how many braces and brackets are left open, or INT_MAX in a string; text, at the end only:
 * its first bytes after white space. */
int sluice__op_junk(sluice_stream *s, const sluice__markers *set);

/* The same in a Python call, up to its end, with `open` brackets open besides its own. */
int sluice__op_python_junk(sluice_stream *s, const sluice__markers *set, int open);

/* ---- Functions that need no input; false if out of memory ---- */

/* Begins an operation that was set up in s->op; reports what it can while it waits. */
int sluice__op_start(sluice_stream *s, int (*step)(sluice_stream *));
/* Continues reading at `to`, which must be visible; bytes after it are re-read. */
void sluice__seek(sluice_stream *s, uint64_t to);
/* Turns bytes up to `upto` that no event covers into markup. */
bool sluice__gap(sluice_stream *s, uint64_t upto);
/* Reports a fragment of the open call's arguments, whose bytes end at `upto` in the response.
 * Arguments kept for the check are dropped above 16 MiB. */
bool sluice__arguments(sluice_stream *s, const char *p, size_t n, uint64_t upto);
/* Reports a fragment of the open parameter's decoded value (s->call.key), if requested. */
bool sluice__shown(sluice_stream *s, const char *p, size_t n, uint64_t upto);
bool sluice__send(sluice_stream *s, sluice_event_type type, uint64_t upto);
/* True if nothing follows the visible bytes. */
bool sluice__at_end(const sluice_stream *s);
/* End of the bytes that may be read now: the end of the window or, for held bytes, the limit. So
 * the limit depends on the response alone, not on its chunks. */
static inline uint64_t sluice__visible(const sluice_stream *s) {
    uint64_t end = sluice__window_end(&s->window);
    return end < s->reach ? end : s->reach;
}
bool sluice__line_start(const sluice_stream *s, uint64_t at);
/* True if only blanks precede `at` on its line. */
bool sluice__line_indent(const sluice_stream *s, uint64_t at);
uint64_t sluice__whole_upto(const sluice_stream *s, uint64_t upto);
/* Length of the white space before `upto` that a closer with `trail` may drop; and the end of the
 * text if it does. */
uint64_t sluice__tail_of(const sluice_stream *s, uint64_t from, uint64_t upto, const char *trail);
uint64_t sluice__without_tail(const sluice_stream *s, uint64_t from, uint64_t upto,
                              const char *trail);

/* Reports an ERROR at pos, or at `at`. */
bool sluice__error(sluice_stream *s, const char *code, const char *message, size_t len);
bool sluice__error_at(sluice_stream *s, uint64_t at, const char *code, const char *message,
                      size_t len);
/* Begins a parameter of the open call, whose arguments are built; written when its value comes. */
bool sluice__param(sluice_stream *s, const char *key, size_t len);
bool sluice__param_hashed(sluice_stream *s, const char *key, size_t len, uint64_t hash);
/* Adds a whole value: JSON text, or a string. */
bool sluice__param_json(sluice_stream *s, const char *json, size_t len);
bool sluice__param_text(sluice_stream *s, const char *text, size_t len);
/* Adds a part of a string. */
bool sluice__param_part(sluice_stream *s, const char *text, size_t len, bool last);
/* Converts text to JSON by type, as sluice__op_value does. *type is 0, and nothing is added, if it
 * can only be a string. *mended: it was not valid JSON as written. */
bool sluice__typed_value(sluice_stream *s, const char *text, size_t len, unsigned types,
                         uint32_t flags, bool cut, sluice__buffer *json, unsigned *type,
                         bool *mended);
/* The same, as the value of the open parameter. *type: the resulting type. */
bool sluice__param_typed(sluice_stream *s, const char *text, size_t len, unsigned types,
                         uint32_t flags, bool cut, unsigned *type);
/* Opens or closes an array-valued parameter; its elements come in between. */
bool sluice__param_array(sluice_stream *s, bool open);
/* In an announced block, turns bytes that cannot be re-read into markup. Done before reporting an
 * error, so that the error follows them for every chunking. */
bool sluice__settle(sluice_stream *s);
/* Turns bytes up to pos into markup. */
bool sluice__flush(sluice_stream *s);
/* Marks the bytes before `upto` as covered by events. False if out of memory. */
bool sluice__account(sluice_stream *s, uint64_t upto);
/* Marks the open call, or the one that begins, as not to be run without asking. */
void sluice__invalid(sluice_stream *s);
/* True if the literal at `at` does not count: plain text where a special token is required. */
bool sluice__is_plain(const sluice_stream *s, const sluice__marker *m, uint64_t at);
/* As sluice__markers_find, from `from` to the end of the visible bytes; *at is an offset in the
 * response. */
sluice__match sluice__find(const sluice_stream *s, const sluice__markers *set, uint64_t from,
                           uint64_t *at, size_t *item);
/* Lowers the status of the open call to `status`, unless it is lower. */
void sluice__lower(sluice_stream *s, sluice_status status);
/* Closes the open call's arguments, so that call.text has all of them. */
bool sluice__close_arguments(sluice_stream *s);
/* Ends the open call. *good is false if it had to be whole and was not; then nothing of it is
 * reported. */
bool sluice__end_call(sluice_stream *s, const char *id, size_t id_len, const char *extra,
                      size_t extra_len, bool *good);
/* Notes a call's id; *again: this response had it before. */
bool sluice__seen_id(sluice_stream *s, const char *id, size_t len, bool *again);
/* Returns the aside for writing, or NULL if out of memory. */
sluice__aside *sluice__get_aside(sluice_stream *s);
/* Keeps a value for later blocks of this response. False if out of memory. */
bool sluice__carry(sluice_stream *s, const char *p, size_t n);
/* Sets the script's message for a FAILED verdict. */
bool sluice__fail(sluice_stream *s, const char *message);

#endif
