/*
 * An incremental reader of one JSON value as models write it.
 *
 * A transducer: bytes go in, in any chunks, and strict JSON comes out as they come. What already is
 * strict JSON passes through byte for byte, white space included. The state is O(1) apart from what
 * is not certain yet: a comma, a key, a number or a word waits until it is known that a value
 * stands there, so that a text that is cut inside them loses them and invents nothing.
 */
#ifndef SLUICE_JSON_H
#define SLUICE_JSON_H

#include "alloc.h"

/* The lenient forms; none: strict RFC 8259. */
enum {
    SLUICE__QUOTES = 1 << 0,        /* 'single' and `back` quotes */
    SLUICE__BARE = 1 << 1,          /* bare keys and words: {city: Paris} */
    SLUICE__COMMAS = 1 << 2,        /* trailing, doubled and missing commas and colons */
    SLUICE__COMMENTS = 1 << 3,      /* // and # to the end of the line, and C comments */
    SLUICE__WORDS = 1 << 4,         /* True, False, None */
    SLUICE__NONFINITE = 1 << 5,     /* NaN and Infinity, read as null */
    SLUICE__CONTROLS = 1 << 6,      /* raw control characters in strings */
    SLUICE__ESCAPES = 1 << 7,       /* "\d", and \n written between tokens */
    SLUICE__NUMBERS = 1 << 8,       /* +1 .5 5. 01 1_000 */
    SLUICE__CLOSERS = 1 << 9,       /* a closer of the wrong kind closes what stands open inside */
    SLUICE__PYTHON = 1 << 10,       /* Python literals: '''x''', r'x', 'a' 'b', \x41, (1, 2) */
    SLUICE__TOTAL = 1 << 11,        /* skip what cannot be read instead of stopping there */
    SLUICE__HALVES = 1 << 12,       /* tokens tell a lone surrogate as three bytes, not as U+FFFD */
    SLUICE__LENIENT = (1 << 10) - 1 /* all of them but the last three */
};

enum {
    SLUICE__DEPTH_MAX = 1024, /* no reader nests deeper, whatever its limit says */
    SLUICE__DEPTH_NEAR = 16   /* bytes for the first levels of the stack, four bits each */
};

/* May the byte be part of a name in a program? */
static inline bool sluice__is_name_byte(char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
           (unsigned char)c >= 0x80;
}

/* How the value that is read begins. */
typedef enum sluice__top {
    SLUICE__TOP_ANY,    /* any value */
    SLUICE__TOP_OBJECT, /* an object */
    SLUICE__TOP_KWARGS  /* name=value, ... up to a ')' that stays unread; written as an object */
} sluice__top;

/* Decoded tokens, for those who want values rather than JSON text. */
typedef enum sluice__token {
    SLUICE__T_OBJECT,
    SLUICE__T_ARRAY,
    SLUICE__T_CLOSE,
    SLUICE__T_KEY, /* a fragment of a key */
    SLUICE__T_KEY_END,
    SLUICE__T_STRING, /* a fragment of a string, decoded */
    SLUICE__T_STRING_END,
    SLUICE__T_SCALAR /* a number or a word, as JSON text */
} sluice__token;

typedef struct sluice__reader sluice__reader;

/* Where the reader's output goes. Functions return false if out of memory. Texts that they get are
 * not NUL-terminated and valid during the call only. */
typedef struct sluice__sink {
    void *user;
    /* JSON text. `source`: the bytes lie unchanged in the input of the running call. */
    bool (*raw)(void *user, const char *p, size_t n, bool source);
    /* Tokens, for containers at most `token_depth` deep; may be NULL. */
    bool (*token)(void *user, sluice__token token, size_t depth, const char *p, size_t n);
    uint32_t token_depth;
    bool keys_only; /* of the text tokens only those of keys are wanted */
    /* Something was mended or replaced: an error code and a sentence; may be NULL. */
    bool (*note)(void *user, const char *code, const char *message);
    /* White space between tokens, up to `at`, was left out since there are pages of it; may be
     * NULL. */
    bool (*left_out)(void *user);
} sluice__sink;

typedef enum sluice__reading {
    SLUICE__READ_MORE, /* the value goes on; what was not consumed is to come again, with more */
    SLUICE__READ_DONE, /* the value is complete */
    SLUICE__READ_STOP, /* the byte at `*used` cannot be read; see `problem` */
    SLUICE__READ_NOMEM
} sluice__reading;

struct sluice__reader {
    const sluice_allocator *alloc;
    const sluice__sink *sink;
    uint32_t flags;
    sluice__top top;
    const char *quote; /* the format's own string quotes, or NULL; owned by the caller */
    uint32_t quote_len, quote_at;
    const char *problem; /* why it stopped: a sentence */
    size_t at;           /* bytes of the running call's input that the output so far speaks for */
    bool lazy;           /* may be set after init: `raw` need not keep step with the tokens */
    bool patient; /* may be set after init, of a lazy reader without quotes of a format that tells
                     keys only: tokens that are cut may be left to the next call */
    bool halts;   /* a function of the sink sets it: sluice__reader_step stops here */

    /* May be set after init. `plain_quotes`: the first quote that can closes a string. `within`:
     * '}' or ')', where the value stands in an object or among keyword arguments that this closes.
     * `ends`: does a literal stand at in[at] of the running call that the value cannot hold? 1, 0,
     * or -1: more of the text will tell; it gets the sink's user. */
    bool plain_quotes;
    char within;
    int (*ends)(void *user, size_t at);

    const char *in;   /* the input of the running call */
    size_t n, i, run; /* its length; the next byte; from where on bytes pass as they are */
    const char *sure; /* bytes of it that are certain and not given out yet (see `lazy`) */
    size_t sure_len;

    uint8_t state, back; /* `back`: the state to return to */
    uint8_t last;        /* what the last value was: a string, a bare word, or anything else */
    bool ended;          /* no more input will come */
    bool in_key, holding, raw_string, had_comma, top_level_done, cut, let_go;
    bool formatted;       /* an f-string that had no brace yet */
    bool quotes_are_text; /* set before feeding: in a string the own quote ends nothing */
    bool no_comma;        /* a key stands behind the own quote for certain, if no comma does */
    bool at_limit;        /* it stopped since the value is nested too deep, or a word too long */
    char delimiter;       /* of the open string; 0: the format's own quotes */
    char before;          /* the last byte of a Python string so far that is no blank */
    uint8_t triple;       /* quotes of the closing run seen in a '''string''' */
    uint8_t escape_want;  /* digits that an escape still wants */
    char escape_kind;
    uint8_t begins;  /* how much of `C:\` the open string begins with */
    uint8_t escapes; /* which of the escapes it has that cannot both be meant */
    char part[12];   /* an escape or a UTF-8 sequence that is not whole yet */
    uint8_t part_len;
    uint16_t high; /* a high surrogate waiting for its other half, in decoded text */
    uint32_t depth, depth_limit;
    uint32_t groups;   /* how many of the open containers are parentheses around one value */
    size_t look_limit; /* longer parentheses are refused, so that no more is left for later */
    struct {           /* what was seen of the parentheses at `i` */
        size_t at;
        uint32_t depth;
        char quote;
        uint8_t quotes; /* 3: of a '''string''' */
        bool any, comment;
    } look;
    struct {            /* what was seen behind the quote at `i`, which may be none that closes */
        size_t at;      /* how far it was looked; 0: not at all */
        uint64_t none;  /* up to there no quote closes, but the first */
        uint32_t count; /* quotes that are text, up to there */
        uint32_t left;  /* how many are known to be text */
        char before;    /* the byte before, but for blanks */
        bool doubtful;
    } raw;
    uint64_t past;                      /* where the input of the running call begins in the text */
    uint8_t levels[SLUICE__DEPTH_NEAR]; /* kinds of the open containers */
    sluice__buffer deep;                /* the levels that do not fit there */
    sluice__buffer pending;             /* output that is not certain yet */
    sluice__buffer word;                /* a number or a bare word */
};

/* Prepares a reader. `a`, `sink` and `quote` must outlive it; `depth_limit` 0: 128. */
void sluice__reader_init(sluice__reader *r, const sluice_allocator *a, const sluice__sink *sink,
                         uint32_t flags, sluice__top top, const char *quote, size_t quote_len,
                         size_t depth_limit);
void sluice__reader_release(sluice__reader *r);

/* These bytes of the open string went past the reader. */
void sluice__reader_passed(sluice__reader *r, const char *p, size_t n);

/* Prepares a reader that was prepared before for another value; it keeps its memory. */
void sluice__reader_again(sluice__reader *r, const sluice_allocator *a, const sluice__sink *sink,
                          uint32_t flags, sluice__top top, const char *quote, size_t quote_len,
                          size_t depth_limit);

/* Reads on. `*used` gets how much of the input was consumed; `end`: no more will come. At the end
 * of the input a value that is not complete answers MORE; close it then. */
sluice__reading sluice__reader_feed(sluice__reader *r, const char *in, size_t n, bool end,
                                    size_t *used);

/* May sluice__reader_step read on? It may if what is pending is just what the caller has kept. */
bool sluice__reader_steps(const sluice__reader *r);

typedef struct sluice__stepped {
    size_t used;    /* bytes that were read */
    size_t sure;    /* if not 0, so many of them are certain, and what was pending before them */
    bool odd;       /* what follows is for sluice__reader_feed; else more input is wanted */
    bool nested;    /* a container began or ended */
    bool in_string; /* the last that is certain is text of a string; else the end of a value */
} sluice__stepped;

/* Reads on like sluice__reader_feed, but gives nothing to `raw`: the caller has kept the source of
 * what is pending. False: no memory. */
bool sluice__reader_step(sluice__reader *r, const char *in, size_t n, sluice__stepped *to);

/* Inside the text of a string value: this byte of it comes next. Is it certain now that the string
 * does not begin like a Windows path, in which a backslash may mean itself? */
bool sluice__reader_is_no_path(sluice__reader *r, char c);

/* Gives out what a lazy reader has collected. For functions of the sink that tell something which
 * must come after it. False: no memory. */
bool sluice__reader_flush(sluice__reader *r);

/* Ends a value that will not go on: strings and containers are closed, what was not certain is left
 * out. `r->cut` then tells whether the text ended inside a value, not only before closers. False:
 * no memory. */
bool sluice__reader_close(sluice__reader *r);

/* True inside the text of a string value in double quotes, where nothing is pending. */
bool sluice__reader_in_string(const sluice__reader *r);
/* Is it in a string in other quotes than the format's own? */
bool sluice__reader_in_other_quotes(const sluice__reader *r);

/* Is it inside a string, or a key, in double quotes, in which bytes stand for themselves? */
bool sluice__reader_in_plain_text(const sluice__reader *r);

/* How many of p[0..n) stand for themselves in a string that closes with `q`. */
size_t sluice__plain_run(const char *p, size_t n, char q);

/* Bytes that do not pass through such a string, or are no whole character. */
extern const uint8_t sluice__odd_in_string[256];

/* True if p[0..n) goes on such a string as it stands, but for a beginning of an escape or of a
 * character at its end; *passed is where that begins, or n. */
bool sluice__string_passes(const char *p, size_t n, size_t *passed);

/* True where not a byte of output was made or is pending. */
bool sluice__reader_untouched(const sluice__reader *r);

/* Copies runs of text into the body of a JSON string: escapes what must be, replaces what is no
 * UTF-8 (`*bad` becomes true). `part` (4 bytes) keeps an unfinished sequence between calls, `end`
 * flushes it. Output by `raw` of the sink; `at` as in the reader. */
typedef struct sluice__escaper {
    const sluice__sink *sink;
    char part[4];
    uint8_t part_len;
    bool bad;
    size_t at;
} sluice__escaper;
bool sluice__escape(sluice__escaper *e, const char *in, size_t n, bool end);

/* Is this one value of strict JSON? Else *why gets the reason, *at the offset. */
bool sluice__is_json(const sluice_allocator *a, const char *p, size_t n, const char **why,
                     size_t *at);

#endif
