/*
 * A stream, and the operations that a syntax reads it with.
 *
 * The core scans text and reasoning by itself. Where a literal stands that may open a block, it
 * asks the syntax, through a table of functions, so that it can be tested from C alone. The syntax
 * then reads with the operations below, each of which is defined over "the byte at p, or wait": one
 * that lacks input keeps its state here and is gone on with when bytes have come, without asking
 * the syntax again. What an operation answers therefore never depends on how the text was cut.
 */
#ifndef SLUICE_STREAM_H
#define SLUICE_STREAM_H

#include "closing.h"
#include "json.h"
#include "marker.h"
#include "quoting.h"
#include "typed.h"
#include "window.h"

/* Error codes of events, from one list: name, and nothing else that could drift. */
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

/* The constant name of an error code, or NULL where there is none of this name. */
const char *sluice__code(const char *name);

/* Roles of the literals of a format; a literal may have several. */
enum {
    SLUICE__BLOCK = 1,      /* a block may begin here */
    SLUICE__REASON = 2,     /* opens reasoning */
    SLUICE__REASON_END = 4, /* closes it (in the set for reasoning) */
    SLUICE__TURN_END = 8,   /* an end-of-turn token: markup */
    SLUICE__NOISE = 16,     /* markup wherever it stands */
    SLUICE__STRAY = 32,     /* markup right behind a block: a closer too many */
    SLUICE__AT_START = 64,  /* a block only where the message begins, white space aside */
    SLUICE__AT_LINE = 128,  /* a block only where a line begins */
    SLUICE__ALONE =
        1 << 16, /* a block only where as many copies stand side by side as the literal has */
    SLUICE__TICK = 1 << 17,      /* runs of backticks: a fence where a line begins */
    SLUICE__TOLD = 1 << 18,      /* a block: where it is none, that is told */
    SLUICE__INDENT = 1 << 19,    /* AT_LINE: behind blanks, too; AT_START: behind a block, too */
    SLUICE__NOISE_TAG = 1 << 20, /* with NOISE: up to the `>` on its line */
    SLUICE__LEADING = 1 << 21,   /* markup where only white space and markup stand before it */
    SLUICE__PAIR = 256           /* times the number of the reasoning pair */
};

typedef struct sluice__pair { /* an opener and a closer of reasoning, and the white space they take
                               */
    const char *lead;         /* dropped behind the opener */
    const char *trail;        /* dropped before the closer */
    const char *after;        /* dropped behind the closer, before text */
} sluice__pair;

enum { SLUICE__PAIRS = 32 };

/* Values of the stream options, resolved; some are among these. */
enum { SLUICE__HOLD, SLUICE__CALL, SLUICE__KEEP };                     /* calls_in_reasoning */
enum { SLUICE__LINE, SLUICE__START, SLUICE__ANYWHERE };                /* reasoning_opens */
enum { SLUICE__FENCE_SCRIPT, SLUICE__FENCE_TEXT, SLUICE__FENCE_CALL }; /* fences */
typedef struct sluice__settings {
    bool whole, types, start_reasoning, strict, repairs, validation, parameters, markup;
    bool start_text; /* the host says that no reasoning was opened: a closer of it is text */
    bool tokens;     /* special tokens count only where they came as such */
    bool source;     /* CALL_END carries the call as the model wrote it */
    bool unknown_as_text;
    uint8_t calls_in_reasoning, reasoning_opens, fences;
    size_t max_calls; /* SIZE_MAX: no limit */
    size_t limit_name, limit_header, limit_value, limit_held, limit_depth;
} sluice__settings;

/* A format as the core sees it: literals and defaults. Immutable, shared by its streams. */
typedef struct sluice__format {
    const char *name;           /* of the syntax */
    bool several;               /* it stands for several formats: see sluice__use_format */
    sluice__markers *text;      /* in text: blocks, reasoning, turn ends, noise, strays */
    sluice__markers *reasoning; /* in reasoning: closers, blocks, turn ends, noise, openers */
    sluice__markers *closers;   /* closers of reasoning alone, for calls that are held in it */
    sluice__pair pairs[SLUICE__PAIRS];
    uint8_t bare[32];       /* bytes that a block without a marker may begin with */
    bool bare_at_line;      /* it may begin any line, not only the message */
    sluice__markers *fence; /* what closes a code fence */
    bool fence_text;        /* what stands in a closed code fence is text; an option may say else */
    bool start_trim;        /* white space that begins the message is markup */
    bool cut_tokens;        /* the beginning of a special token that ends the text is markup */
    sluice__markers *special; /* literals that are special tokens of the model; or NULL */
    sluice__settings defaults;
} sluice__format;

typedef enum sluice__verdict {
    SLUICE__AWAITS,   /* an operation is under way, or events should go out first */
    SLUICE__WAITS,    /* nothing can be told until there is more input */
    SLUICE__CLOSED,   /* the block is over */
    SLUICE__REJECTED, /* it was no block */
    SLUICE__FAILED    /* the script raised; its sentence was given to sluice__fail */
} sluice__verdict;

/* What a stream asks of a syntax. */
typedef struct sluice__syntax {
    sluice__verdict (*open)(void *user, sluice_stream *s,
                            size_t item); /* item of the set, or SIZE_MAX */
    sluice__verdict (*resume)(void *user,
                              sluice_stream *s); /* the operation's results are in s->result */
    void (*drop)(void *user, sluice_stream *s);  /* the block is given up */
    void (*new_id)(void *user, char *id, size_t size);
    void (*release)(void *user); /* the stream is freed */
} sluice__syntax;

/* An event in the queue: offsets instead of pointers, since buffers move. */
typedef struct sluice__event {
    uint8_t type, status, source; /* source: where `text` counts from */
    bool valid;
    size_t text, text_len; /* of a CALL_END: its `source`, in the scratch buffer */
    uint64_t start, end;
    size_t index; /* of the call; of an ERROR that speaks of none SIZE_MAX */
    size_t id;    /* this and the next: offsets in the scratch buffer, or SIZE_MAX */
    union {
        size_t name, key, extra; /* of CALL_BEGIN, PARAMETER, CALL_END */
        const char *code;        /* of ERROR */
    };
    uint64_t block_start; /* of CALL_END */
} sluice__event;

enum { SLUICE__NO_TEXT, SLUICE__IN_WINDOW, SLUICE__IN_SCRATCH };

/* What the last operation found. */
typedef struct sluice__result {
    bool ok, is_byte;
    bool plain; /* of a string: no byte of it is escaped, and none is a quote */
    int kind;
    long item;           /* a literal of the set, or (is_byte) a byte; -1 for none */
    uint64_t start, end; /* a range of the response */
    const char *text;    /* decoded text, until the next operation; or NULL */
    size_t text_len;
} sluice__result;

/* What else a raw value may be, as bits: see `as` of sluice__op_value. */
enum {
    SLUICE__FENCED = 1,  /* in a code fence, which is dropped */
    SLUICE__ANGLES = 2,  /* with the entities &lt; and &gt; */
    SLUICE__QUOTED = 8,  /* in double quotes, which are dropped */
    SLUICE__ENTITIES = 4 /* with &amp;, &quot; and &apos; as well */
};

/* How a raw value is read: told as it comes, at its end by its type, kept for the first of several
 * or for what stands around it, or left out. */
enum { SLUICE__STREAMED, SLUICE__TYPED, SLUICE__CAPTURED, SLUICE__WITHIN, SLUICE__DISCARDED };

/* Roles of the literals that may end a value. */
enum {
    SLUICE__CLOSER = 1, /* counts where something of the `confirm` set follows, or the text ends */
    SLUICE__ASK = 2,    /* the syntax decides */
    SLUICE__FINAL = 3,  /* counts always */
    SLUICE__DOUBT = 4 /* ends nothing: it begins a call, whose closers cannot be told from these */
};

/* A set of hashes, for what was seen before. Past some thousand it stops looking. */
typedef struct sluice__hashes {
    uint64_t *slots;
    uint32_t count, cap;
} sluice__hashes;
bool sluice__hashes_add(const sluice_allocator *a, sluice__hashes *set, uint64_t hash, bool *again);
void sluice__hashes_clear(sluice__hashes *set);
bool sluice__hashes_has(const sluice__hashes *set, uint64_t hash);

/* Bytes in which no literal of a set begins, whatever follows them: they are not searched again. */
typedef struct sluice__clear {
    const sluice__markers *set;
    uint64_t from, upto;
} sluice__clear;

/* What was seen of a format's own quotes ahead of what is read. */
typedef struct sluice__ahead {
    uint64_t upto;
    uint64_t misplaced[2]; /* of those with even and with odd numbers the last where none opens */
    bool count, left;      /* how many there were, and how many are left: are they odd? */
    uint8_t before;        /* what stands before `upto` */
} sluice__ahead;

/* What a raw value began with. */
enum { SLUICE__BARE_VALUE, SLUICE__IN_FENCE, SLUICE__IN_QUOTES };

typedef struct sluice__op { /* what an operation under way needs; each uses some */
    const sluice__markers *set;
    uint64_t from, at, limit, hold;
    uint64_t origin; /* of decoded bytes: where the source of the first begins */
    int mode;
    uint16_t types, flags;
    uint8_t as, fence; /* of a value */
    char last;         /* of junk: the last byte outside strings */
    bool skip, take, started, one_line, trim, open_end, quoted, opened, ignored, value, over,
        doubtful, mended;
    bool noted; /* of a raw value: nothing of it needs a note in `work` */
    uint8_t start_len, tail_len, tail_for; /* of what is noted in `work` of a raw value; tail_for:
                                              for so many bytes more the tail may count */
    sluice__escaper escaper;
    const sluice__quoting *quoting; /* what a value may quote; or NULL */
    union {                         /* no operation uses two of these */
        struct {                    /* text and raw values */
            const sluice__markers *confirm;
            const char *lead, *trail;
            uint64_t blanks, blanks_upto; /* where blanks were that reached so far */
            uint64_t first;               /* where the first other byte is, or is looked for */
            sluice__given given;
        };
        struct { /* what the reader reads, what is quoted, junk */
            sluice__sink sink;
            struct {
                uint8_t state, part_len, want;
                char part[8];
                uint16_t high;
                uint8_t quote;
                uint64_t from; /* of an escape */
            } unwrap;
            const uint16_t *map; /* of decoded bytes: where each one's source ends, behind `hold` */
        };
        struct { /* a string that needs no reader so far: see plain_string */
            const char *quote;
            size_t quote_len;
            uint64_t plain; /* up to where it was looked at */
        };
        struct { /* the beginning of a call */
            const char *code, *message;
        };
    };
} sluice__op;

/* Of what is read in a format's own quotes. */
typedef struct sluice__own {
    bool open, inner, key; /* a string in the format's own quotes, one that it quotes; a key */
    bool prose, doubled;   /* the quote at hand: what makes it doubtful */
    uint8_t before;        /* what stands before, in the string */
    char last;             /* the last byte outside strings */
    uint64_t arrays;       /* a bit for each open container, the innermost lowest: an array? */
    uint64_t behind;       /* where the last quote ended */
    sluice__ahead ahead;
} sluice__own;

/* What is open of quoted calls in the value that is read. */
typedef struct sluice__quotes {
    struct {
        uint16_t kind;
        bool own;                  /* a parameter that has the name of the value's own */
        uint32_t name;             /* where a parameter's closer repeats its name: a hash of it */
        uint32_t parameters, last; /* what was so before: parameters open, the last such */
        size_t number;
    } * open;
    size_t count, cap;
    uint32_t parameters, calls, sections; /* how many of them are open */
    uint32_t last_call, last_section;     /* 1 more than where the last of them is in `open` */
    uint32_t calls_before;                /* openers of calls that were */
    uint32_t before;                      /* sections that were open where holding began */
    uint32_t own;       /* parameters that are open and have the value's own name */
    sluice__buffer key; /* of the parameter whose value it is, as it is written */
    size_t closed;      /* the number of what the last closer closed, or SIZE_MAX */
    uint64_t chain; /* behind the last closers of a parameter and its call that closed nothing */
} sluice__quotes;

static inline void sluice__quotes_clear(sluice__quotes *q) {
    q->count = q->parameters = q->calls = q->sections = q->last_call = q->last_section = 0;
    q->own = 0;
    q->chain = 0;
}

/* What a wait is for, if nothing else can happen before it is over: `set`: the end of the visible
 * bytes begins a literal, which was read up to `walk`; `odd`: a byte of this table, or
 * `walk.length` bytes. A chunk that only continues it is appended, and nothing else is done. */
typedef struct sluice__standby {
    const sluice__markers *set;
    const uint8_t *odd;
    sluice__walk walk;
} sluice__standby;

/* What raw values are read with: had from the first one on. */
typedef struct sluice__work {
    sluice__quotes quotes;
    char start[48], tail[48]; /* of a raw value: how it began, and how it goes on or has ended */
} sluice__work;

/* What few streams keep. */
typedef struct sluice__aside {
    sluice__buffer carried; /* a value that a block left for later ones */
    char drop_text[16];     /* what `drop_after` is where that was the syntax's wish */
    struct { /* special tokens that came as such and are still visible: their first and last byte */
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
    SLUICE__JSON_STEPS,
    SLUICE__JSON_FLOWS,
    SLUICE__RAW_FLOWS,
    SLUICE__PYTHON_FLOWS
};

struct sluice_stream {
    sluice_allocator alloc;
    const sluice__format *format; /* that is read by: of one that stands for several
                                     (`root_format`), the one that is tried or was chosen */
    const sluice__markers *text;  /* of the format */
    const sluice__syntax *syntax;
    void *user; /* the syntax's */
    sluice__settings set;
    const sluice__format *root_format; /* what the stream was made for */

    sluice__window window;
    uint64_t pos;   /* where reading goes on */
    uint64_t scan;  /* literals were looked for up to here */
    uint64_t sent;  /* all bytes before are accounted for by events */
    uint64_t mark;  /* where to fall back to (in a block that is not committed) */
    uint64_t begin; /* where the block begins, behind white space */
    uint64_t held;  /* where that begins which may still go back to text, or be read again */
    uint64_t looked, furthest; /* where reading has come to since it last went back, and ever */
    uint64_t rescanned;        /* bytes that had to be read again, all together */
    uint64_t reach; /* a syntax sees bytes up to here: limit_held behind it, or UINT64_MAX */
    uint64_t early_name_start,
        early_name_end; /* a name that was told before its place was reached */

    uint64_t quoting_from, quoting_until; /* an object that is no call: what is in it is none */
    const uint8_t *odd; /* where a chunk without these bytes may go out as it is; or NULL */
    const sluice__markers *ends; /* what may end the text, reasoning or raw value that flows */
    const sluice__markers *behind_arguments; /* what may come behind those that are read; or NULL */
    unsigned pinned;                         /* above 0: the syntax may still seek back to `sent` */
    uint8_t mode;
    sluice__standby standby; /* why the block waits, if that is simple */
    uint8_t quick;           /* how the next chunk may be read: see sluice_stream_next and flow.c */
    bool finished, done, broken, no_memory;
    bool joins;  /* the last event of the queue may get more before it is handed out */
    bool asks;   /* the syntax decides now where the value of `asked` ends */
    bool chosen; /* of several formats, the one that announced a call: the rest is read by it */
    bool passed; /* there: what is visible behind `sent` is to be held */
    bool waits;  /* all that is visible has been read: nothing to do but to see more */
    bool leading_space;        /* white space from pos on is held: it depends on what follows */
    bool after_block;          /* a block stands before that white space */
    bool at_start;             /* nothing but white space and markup so far */
    bool from_reason;          /* the block began in reasoning */
    bool reasoning_begun;      /* reasoning has just begun */
    bool announcing;           /* an ERROR now speaks of the call that begins next */
    bool closes;               /* a call was handed out that has not ended */
    uint8_t pair;              /* of reasoning, that is open or was last */
    bool reasoned;             /* reasoning was open in this response, or a closer of it was told */
    bool hit_end;              /* an operation of the block ran into the end of the text */
    bool any_call;             /* a call of the block was announced */
    bool committed;            /* the block has announced a call, or has told something */
    bool retry_limit_reported; /* that too much was read again has been told */
    bool call_limit_reported;  /* that there are as many calls as there may be, too */
    bool holds;                /* something is held, from `held` on */
    bool locked;               /* bytes from `sent` to `pos` belong to an operation under way */
    bool lost_track;           /* what follows may be part of a value that has ended too early */
    bool fence_open;           /* a code fence was opened in the text */
    bool fenced;               /* the block began in a code fence */
    bool in_fence;             /* the block began in one that is to hide calls */
    size_t ticks;              /* so many backticks opened code on this line; 0: none is open */
    sluice__clear no_literal;  /* of the text, or of the reasoning that is read */
    struct {
        uint64_t from, upto; /* how far a run of characters was followed that began at `from` */
    } run;
    sluice__clear no_closer; /* of reasoning or fences, behind calls that wait for one */
    uint64_t closes_at;      /* where the reasoning or fence was found to close that is open */
    uint32_t opener_role;    /* of the literal that the block begins with; 0 for none */
    uint32_t opener_len;
    const char *drop_after; /* white space to drop before text, from the last closer of reasoning */

    size_t calls;            /* ended so far */
    sluice__hashes ids;      /* of the calls of this response */
    sluice__buffer block;    /* where `source` is asked for: the bytes from block_from on */
    uint64_t block_from;     /* bytes before belong to no call, or to the last one */
    sluice__closing closing; /* of the arguments that were handed out */
    sluice__aside *aside;    /* NULL until something is put there */
    struct {
        bool open, has_arguments, built; /* built: parameter by parameter, not read as an object */
        uint8_t status;
        uint16_t errors; /* that were told of it */
        bool invalid;    /* no call to run unasked, whatever its status */
        bool closed;     /* the arguments are */
        bool key_pending, in_array, first_element;
        bool in_text;   /* a string is being written in parts, or as it comes */
        bool kept;      /* the arguments are kept in `text`, to be checked at their end */
        bool shown;     /* something of the open parameter's value was */
        bool key_over;  /* `key` is whole: the next one begins anew */
        bool container; /* the top-level value that is being read is an object or array */
        uint64_t from;  /* where its own bytes begin */
        sluice__buffer name, id, key; /* key: of the open parameter, decoded */
        sluice__buffer text;
        uint64_t upto;        /* where the value ends that is being written, or 0 */
        sluice__hashes seen;  /* the top-level keys so far */
        sluice__hashes given; /* the keys of the parameters that were begun so far */
        uint64_t hash;
        size_t stage; /* SIZE_MAX, or the first event that waits for the call to be whole */
        uint64_t stage_sent;
        size_t stage_block;
        bool stage_committed;
    } call;

    sluice__event *queue;
    size_t head, count, queue_cap;
    sluice__buffer scratch; /* text of queued events */

    sluice__result result;
    int (*step)(
        sluice_stream *s); /* the operation under way, or NULL: 1 done, 0 wait, -1 no memory */
    sluice__buffer taken;  /* decoded text for the result */
    sluice__op *op;        /* each of these is NULL before it is first needed */
    sluice__reader *reader;
    sluice__own *own;
    sluice__work *work; /* `quotes` are in it */
    sluice__quotes *quotes;
    sluice__op *asked; /* a value whose end the syntax decides, while it looks; or NULL */
    sluice__settings root_settings[]; /* one, where root_format stands for several */
};

/* ---- For the makers of streams ---- */

/* A stream on `format`, which must outlive it, as must `syntax` and `user`. NULL: no memory. */
sluice_stream *sluice__stream_new(const sluice_allocator *a, const sluice__format *format,
                                  const sluice__syntax *syntax, void *user,
                                  const sluice__settings *set);

/* The stream's format stands for several: while a block is tried it is read by this one, which is
 * chosen where it announces a call; else the stream goes back to its own format after the block.
 * False: what is read is reasoning, in which this format has no calls. */
bool sluice__use_format(sluice_stream *s, const sluice__format *format,
                        const sluice__settings *set);

/* Resolves options against the format's defaults. NULL, or a sentence of what is wrong. */
const char *sluice__settings_from(const sluice__format *f, const sluice_stream_options *o,
                                  sluice__settings *set);
void sluice__settings_default(sluice__settings *set);

/* ---- Operations ----
 * Each begins one and tries it. 1: done, s->result is filled; 0: it waits for input and goes on by
 * itself; -1: no memory. Positions only move where that is said. */

/* The longest literal of the set at pos, behind white space where `skip`. `take`: pos moves past.
 */
int sluice__op_accept(sluice_stream *s, const sluice__markers *set, bool skip, bool take);

/* Text up to the earliest literal of the set, at most `limit` bytes, on one line where `one_line`.
 * ok: pos moves to the literal. Not ok: pos stays; result.end is where it gave up. `quoted`:
 * literals inside "..." and '...' do not count. */
int sluice__op_upto(sluice_stream *s, const sluice__markers *set, size_t limit, bool one_line,
                    bool quoted);

/* The byte at pos, behind white space where `skip` (pos moves to it); item -1 at the end. */
int sluice__op_byte(sluice_stream *s, bool skip);

/* A quoted string behind white space, decoded, at most `limit` bytes; pos moves past. Where `flags`
 * allow it other quotes, and a bare word, count too. kind 1: it is longer than `limit`. */
int sluice__op_string(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      size_t limit);

/* The next key of an object, behind commas (`opens`: behind its brace), and the colon behind it,
 * where one stands. ok: the key's range and text; item: the byte that the value begins with, or -1;
 * pos moves there. Not ok: kind is the byte that stands there instead, or 0 at the end; a `}` is
 * taken. */
int sluice__op_member(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      bool opens);

/* Skips one value; result: its range, kind its first byte. pos moves past. `within`: see
 * sluice__reader. */
int sluice__op_skip(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                    char within);

/* Announces a call: CALL_BEGIN. The name stands at [start, end) (equal: nowhere). `code` and
 * `message`: an ERROR to tell before it, or NULL. Not ok: the stream's options make it text. */
int sluice__op_begin(sluice_stream *s, const char *name, size_t name_len, const char *id,
                     size_t id_len, uint64_t start, uint64_t end, const char *code,
                     const char *message);

/* Arguments as they are, encoded in a string, or in quotes that escape none inside. */
typedef enum { SLUICE__AS_IS, SLUICE__ENCODED, SLUICE__UNESCAPED } sluice__dress;

/* The open call's arguments: an object at pos, as `dress` says, or keyword arguments. pos moves
 * past. kind: SLUICE__READ_DONE, _STOP or, at the end of the text, _MORE. item, where not done: 1
 * where the text ended inside a value, and 2 more where a limit was reached. */
int sluice__op_arguments(sluice_stream *s, uint32_t flags, sluice__top top, const char *quote,
                         size_t quote_len, sluice__dress dress);

/* One value at pos as JSON, as the value of the open parameter. pos moves past. As op_arguments;
 * `within` as of op_skip. */
int sluice__op_json(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                    char within);

/* The value of a parameter as raw text, up to a literal of `ends` by its role. `lead` and `trail`
 * are dropped at its sides; `trim`: all white space is; `one_line`: it ends with its line, blanks
 * dropped. `as`: bits of what else is read as it is meant; entities are so in strings. pos moves to
 * the literal. item: the literal, or -1 at the end of the text; kind 1: an ASK literal stands at
 * result.start, answer with sluice__op_value_go. kind 2: it was to be captured, but grew above
 * limit_value; it went out as the open parameter's string or, where none is open, is left out. */
int sluice__op_value(sluice_stream *s, const sluice__markers *ends, const sluice__markers *confirm,
                     const char *lead, const char *trail, int mode, unsigned types, uint32_t flags,
                     bool one_line, bool trim, unsigned as);
/* For the next sluice__op_value: what it may quote, and for which tool, which are kept by the
 * caller until it is done; and the key as it is written. False: no memory. */
bool sluice__op_value_quotes(sluice_stream *s, const sluice__quoting *quoting,
                             const sluice__given *given, const char *key, size_t key_len);
/* Answers an ASK; the first four as they were given to sluice__op_value. */
int sluice__op_value_go(sluice_stream *s, const sluice__markers *ends,
                        const sluice__markers *confirm, const char *lead, const char *trail,
                        bool ends_here);

/* TEXT or REASONING up to a literal of the set (item; -1 at the end); pos moves to it. */
int sluice__op_text(sluice_stream *s, const sluice__markers *set, int type, const char *lead,
                    const char *trail);

/* A JSON value's strings, decoded, as TEXT or REASONING, those of a list on lines of their own; pos
 * moves past. What stands as it is meant is told with its bytes; an escape is markup, and what it
 * means has no bytes. Not ok: it cannot be read to its end. */
int sluice__op_speech(sluice_stream *s, uint32_t flags, sluice_event_type type);

/* The value of the open parameter, a string: lines that each begin with the literal of `prefix`,
 * which is dropped. pos moves to the first line without it. Not ok: the text ended there. */
int sluice__op_lines(sluice_stream *s, const sluice__markers *prefix);

/* Skips as markup to the next literal of the set (item; -1 at the end). start: where it began;
 * kind: how many braces and brackets it leaves open, or INT_MAX in a string; at the end, text: its
 * first bytes behind white space. */
int sluice__op_junk(sluice_stream *s, const sluice__markers *set);

/* The same in a call of Python, up to its end, with so many brackets open beside its own. */
int sluice__op_python_junk(sluice_stream *s, const sluice__markers *set, int open);

/* ---- What needs no input; false: no memory ---- */

/* Begins an operation that was set up in s->op; tells what can be told while it waits. */
int sluice__op_start(sluice_stream *s, int (*step)(sluice_stream *));
/* Reading goes on at `to`, which must be visible; what lies behind it and was read is read again.
 */
void sluice__seek(sluice_stream *s, uint64_t to);
/* Bytes up to `upto` that no event has spoken for are markup. */
bool sluice__gap(sluice_stream *s, uint64_t upto);
/* A fragment of the open call's arguments, whose bytes end at `upto` in the response. Where they
 * are kept and grow above 16 MiB they are not any more. */
bool sluice__arguments(sluice_stream *s, const char *p, size_t n, uint64_t upto);
/* A fragment of the decoded value of the open parameter (s->call.key), where these are asked for.
 */
bool sluice__shown(sluice_stream *s, const char *p, size_t n, uint64_t upto);
bool sluice__send(sluice_stream *s, sluice_event_type type, uint64_t upto);
/* Nothing will come behind what is visible. */
bool sluice__at_end(const sluice_stream *s);
/* Where ends what may be read now: all that the window shows or, while it is held, as much of it as
 * may be; so what the limit does hangs on the response alone, not on how it was cut. */
static inline uint64_t sluice__visible(const sluice_stream *s) {
    uint64_t end = sluice__window_end(&s->window);
    return end < s->reach ? end : s->reach;
}
bool sluice__line_start(const sluice_stream *s, uint64_t at);
/* True where nothing but blanks stands before `at` on its line. */
bool sluice__line_indent(const sluice_stream *s, uint64_t at);
uint64_t sluice__whole_upto(const sluice_stream *s, uint64_t upto);
/* White space before `upto` that a closer taking `trail` may take, and where the text ends if it
 * does. */
uint64_t sluice__tail_of(const sluice_stream *s, uint64_t from, uint64_t upto, const char *trail);
uint64_t sluice__without_tail(const sluice_stream *s, uint64_t from, uint64_t upto,
                              const char *trail);

/* An ERROR at pos, or at `at`. */
bool sluice__error(sluice_stream *s, const char *code, const char *message, size_t len);
bool sluice__error_at(sluice_stream *s, uint64_t at, const char *code, const char *message,
                      size_t len);
/* Begins a parameter of the open call whose arguments are built; written when its value comes. */
bool sluice__param(sluice_stream *s, const char *key, size_t len);
bool sluice__param_hashed(sluice_stream *s, const char *key, size_t len, uint64_t hash);
/* A whole value: as JSON text, or as a string. */
bool sluice__param_json(sluice_stream *s, const char *json, size_t len);
bool sluice__param_text(sluice_stream *s, const char *text, size_t len);
/* A string written in parts. */
bool sluice__param_part(sluice_stream *s, const char *text, size_t len, bool last);
/* Text typed as sluice__op_value does, as JSON; *type is 0, and nothing is added, where it can only
 * be a string. *mended: it was no JSON as it stood. */
bool sluice__typed_value(sluice_stream *s, const char *text, size_t len, unsigned types,
                         uint32_t flags, bool cut, sluice__buffer *json, unsigned *type,
                         bool *mended);
/* The same, as the value of the open parameter. *type: what it became. */
bool sluice__param_typed(sluice_stream *s, const char *text, size_t len, unsigned types,
                         uint32_t flags, bool cut, unsigned *type);
/* Elements of an array-valued parameter: open, between by themselves, close. */
bool sluice__param_array(sluice_stream *s, bool open);
/* In a block that is announced: bytes before what may be read again are markup now. What tells of
 * an error does this first, so that the error comes behind them however the response was cut. */
bool sluice__settle(sluice_stream *s);
/* Bytes up to pos are markup now. */
bool sluice__flush(sluice_stream *s);
/* The bytes before `upto` are accounted for from here on. False: no memory. */
bool sluice__account(sluice_stream *s, uint64_t upto);
/* The open call, or the one that begins, is none to run unasked. */
void sluice__invalid(sluice_stream *s);
/* The literal that was found at `at` is written in plain text where it should have been a special
 * token: it does not count. */
bool sluice__is_plain(const sluice_stream *s, const sluice__marker *m, uint64_t at);
/* As sluice__markers_find, from `from` to what is visible; *at is a position of the response. */
sluice__match sluice__find(const sluice_stream *s, const sluice__markers *set, uint64_t from,
                           uint64_t *at, size_t *item);
/* At least this status for the open call. */
void sluice__lower(sluice_stream *s, sluice_status status);
/* Closes the open call's arguments, so that all of them are in call.text. */
bool sluice__close_arguments(sluice_stream *s);
/* Ends the open call. *good false: it had to be whole and was not; nothing of it was told. */
bool sluice__end_call(sluice_stream *s, const char *id, size_t id_len, const char *extra,
                      size_t extra_len, bool *good);
/* Notes a call's id; *again: it was there before in this response. */
bool sluice__seen_id(sluice_stream *s, const char *id, size_t len, bool *again);
/* What is aside, to be written. NULL: no memory. */
sluice__aside *sluice__get_aside(sluice_stream *s);
/* A value for later blocks of this response. False: no memory. */
bool sluice__carry(sluice_stream *s, const char *p, size_t n);
/* The script's sentence for a FAILED verdict. */
bool sluice__fail(sluice_stream *s, const char *message);

#endif
