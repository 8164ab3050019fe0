/*
 * An incremental reader of one JSON value as models write it.
 *
 * It is a transducer: bytes go in, in any chunks, and strict JSON comes out as they come. Strict
 * JSON passes through byte for byte, white space included. The state is O(1), except for uncertain
 * output: a comma or a key waits until a value follows, a number or a word until it ends. So a text
 * that is cut there loses them, and nothing is invented.
 */
#ifndef SLUICE_JSON_H
#define SLUICE_JSON_H

#include "alloc.h"

/* The lenient forms; none: strict RFC 8259. */
enum {
    SLUICE__QUOTES = 1 << 0,    /* 'single' and `back` quotes */
    SLUICE__BARE = 1 << 1,      /* bare keys and words: {city: Paris} */
    SLUICE__COMMAS = 1 << 2,    /* trailing, doubled and missing commas and colons */
    SLUICE__COMMENTS = 1 << 3,  /* // and # to the end of the line, and C comments */
    SLUICE__WORDS = 1 << 4,     /* True, False, None */
    SLUICE__NONFINITE = 1 << 5, /* NaN and Infinity, read as null */
    SLUICE__CONTROLS = 1 << 6,  /* raw control characters in strings */
    SLUICE__ESCAPES = 1 << 7,   /* "\d", and \n written between tokens */
    SLUICE__NUMBERS = 1 << 8,   /* +1 .5 5. 01 1_000 */
    SLUICE__CLOSERS = 1 << 9,   /* a closer of the wrong kind also closes the containers inside */
    SLUICE__PYTHON = 1 << 10,   /* Python literals: '''x''', r'x', 'a' 'b', \x41, (1, 2) */
    SLUICE__TOTAL = 1 << 11,    /* skip bytes that cannot be read, do not stop there */
    SLUICE__HALVES = 1 << 12,   /* tokens have a lone surrogate as three bytes, not as U+FFFD */
    SLUICE__LENIENT = (1 << 10) - 1 /* all of them but the last three */
};

enum {
    SLUICE__DEPTH_MAX = 1024, /* the maximum for every reader, whatever its limit is */
    SLUICE__DEPTH_NEAR = 16   /* bytes for the first levels of the stack, four bits each */
};

/* True if the byte may be part of a name in a program. */
static inline bool sluice__is_name_byte(char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
           (unsigned char)c >= 0x80;
}

/* The expected kind of value. */
typedef enum sluice__top {
    SLUICE__TOP_ANY,    /* any value */
    SLUICE__TOP_OBJECT, /* an object */
    SLUICE__TOP_KWARGS /* name=value, ... up to a ')', which is left unread; written as an object */
} sluice__top;

/* Decoded tokens, for callers that need values rather than JSON text. */
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

/* Receives the reader's output. Functions return false if out of memory. Their texts are not
 * NUL-terminated and valid only during the call. */
typedef struct sluice__sink {
    void *user;
    /* JSON text. `source`: these bytes are unchanged bytes of the running call's input. */
    bool (*raw)(void *user, const char *p, size_t n, bool source);
    /* Tokens, for containers at most `token_depth` deep; may be NULL. */
    bool (*token)(void *user, sluice__token token, size_t depth, const char *p, size_t n);
    uint32_t token_depth;
    bool keys_only; /* of the text tokens, only keys are wanted */
    /* A repair or a replacement: an error code and a message; may be NULL. */
    bool (*note)(void *user, const char *code, const char *message);
    /* White space between tokens, up to `at`, was left out since it is too long; may be NULL. */
    bool (*left_out)(void *user);
} sluice__sink;

typedef enum sluice__reading {
    SLUICE__READ_MORE, /* incomplete; feed the unconsumed bytes again, with more */
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
    const char *problem; /* why it stopped: a message */
    size_t at;           /* bytes of the running call's input that the output covers so far */
    bool lazy;           /* may be set after init: `raw` may come later than the tokens */
    bool patient; /* may be set after init, for a lazy reader with keys_only and without a format's
                     own quotes: a cut token may be left to the next call */
    bool halts;   /* a function of the sink sets it: sluice__reader_step stops here */

    /* May be set after init. `plain_quotes`: the first possible closing quote closes a string.
     * `within`: '}' or ')', if the value is in an object or among keyword arguments closed by it.
     * `ends`: returns 1 if a literal matches at in[at] of the running call that the value cannot
     * contain; 0 if not; -1 if it depends on more text. It gets the sink's user. */
    bool plain_quotes;
    char within;
    int (*ends)(void *user, size_t at);

    const char *in;   /* the input of the running call */
    size_t n, i, run; /* its length; the next byte; start of the bytes that pass unchanged */
    const char *sure; /* bytes of it that are certain and not output yet (see `lazy`) */
    size_t sure_len;

    uint8_t state, back; /* `back`: the state to return to */
    uint8_t last;        /* kind of the last value: a string, a bare word, or anything else */
    bool ended;          /* no more input will come */
    bool in_key, holding, raw_string, had_comma, top_level_done, cut, let_go,
        commented;        /* a comment stood where a value is due */
    bool formatted;       /* an f-string without a brace so far */
    bool quotes_are_text; /* set before feeding: the own quote does not end a string */
    bool no_comma;        /* a key certainly follows the own quote, if no comma does */
    bool at_limit;        /* it stopped since the value is nested too deep, or a word is too long */
    char delimiter;       /* of the open string; 0: the format's own quotes */
    char before;          /* the last byte so far of a Python string that is not a blank */
    uint8_t triple;       /* number of quotes in the closing run of a '''string''' so far */
    uint8_t escape_want;  /* missing digits of an escape */
    char escape_kind;
    uint8_t begins;  /* how much of `C:\` the open string begins with */
    uint8_t escapes; /* escapes seen that contradict each other, see `note_escape` */
    char part[12];   /* an incomplete escape or UTF-8 sequence */
    uint8_t part_len;
    uint16_t high; /* a high surrogate waiting for its other half, in decoded text */
    uint32_t depth, depth_limit;
    uint32_t groups;   /* number of open containers that are parentheses around one value */
    size_t look_limit; /* longer parentheses are refused, which bounds the work left for later */
    struct {           /* result so far of looking at the parentheses at `i` */
        size_t at;
        uint32_t depth;
        char quote;
        uint8_t quotes; /* 3: of a '''string''' */
        bool any, comment;
    } look;
    struct { /* result so far of looking at what follows the quote at `i`, which may be unescaped */
        size_t at;      /* how far it looked; 0: not at all */
        uint64_t none;  /* up to there no quote closes, except the first */
        uint32_t count; /* number of quotes up to there that are text */
        uint32_t left;  /* number of quotes known to be text */
        char before;    /* the byte before, blanks skipped */
        bool doubtful;
    } raw;
    uint64_t vain; /* bytes looked through for a closing quote and not found, by all values */
    uint64_t past; /* offset in the text of the running call's input */
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

/* Tells the reader that these bytes of the open string bypassed it. */
void sluice__reader_passed(sluice__reader *r, const char *p, size_t n);

/* Prepares a used reader for another value; it keeps its memory. */
void sluice__reader_again(sluice__reader *r, const sluice_allocator *a, const sluice__sink *sink,
                          uint32_t flags, sluice__top top, const char *quote, size_t quote_len,
                          size_t depth_limit);

/* Reads more. `*used` receives the number of bytes consumed; `end`: no more will come. For a value
 * that is incomplete at the end it returns MORE; close it then. */
sluice__reading sluice__reader_feed(sluice__reader *r, const char *in, size_t n, bool end,
                                    size_t *used);

/* True if sluice__reader_step can continue: the caller has kept exactly the pending output. */
bool sluice__reader_steps(const sluice__reader *r);

typedef struct sluice__stepped {
    size_t used; /* bytes that were read */
    size_t sure; /* if not 0: this many of them are certain, and everything pending before them */
    bool odd;    /* what follows needs sluice__reader_feed; else more input is needed */
    bool in_key; /* the rest begins with the quote of a key that is not over */
    bool nested; /* a container began or ended */
    bool done;   /* the value is over */
    bool in_string; /* the last certain byte is text of a string; else the end of a value */
} sluice__stepped;

/* Reads like sluice__reader_feed, but calls no `raw`: the caller has kept the source of pending
 * output. False if out of memory. */
bool sluice__reader_step(sluice__reader *r, const char *in, size_t n, sluice__stepped *to);

/* The next bytes in the text of a string value. True if it is now certain that the string does not
 * begin like a Windows path, in which a backslash may be literal. */
bool sluice__reader_is_no_path(sluice__reader *r, const char *p, size_t n);

/* Outputs what a lazy reader has collected, for functions of the sink that report something that
 * must come after it. False if out of memory. */
bool sluice__reader_flush(sluice__reader *r);

/* Ends an incomplete value: closes strings and containers, drops uncertain output. `r->cut` is then
 * true if the text ended inside a value, not just before closers. False if out of memory. */
bool sluice__reader_close(sluice__reader *r);

/* True inside the text of a string value in double quotes, with nothing pending. */
bool sluice__reader_in_string(const sluice__reader *r);
/* True inside a string with other quotes than the format's own. */
bool sluice__reader_in_other_quotes(const sluice__reader *r);

/* True inside a string or a key in double quotes, where bytes are literal. */
bool sluice__reader_in_plain_text(const sluice__reader *r);

/* Returns the length of the prefix of p[0..n) that is literal in a string that closes with `q`. */
size_t sluice__plain_run(const char *p, size_t n, char q);

/* Bytes that do not pass through such a string, or are not whole characters. */
extern const uint8_t sluice__odd_in_string[256];

/* True if p[0..n) continues such a string unchanged, except for an incomplete escape or character
 * at its end; *passed is the start of that, or n. */
bool sluice__string_passes(const char *p, size_t n, size_t *passed);

/* True if no output was made and none is pending. */
bool sluice__reader_untouched(const sluice__reader *r);

/* Copies runs of text into the body of a JSON string: escapes where necessary, replaces invalid
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

/* The same for a whole text; a lone surrogate, as decoded with HALVES, becomes the original
 * escape. */
bool sluice__escape_whole(const sluice__sink *sink, const char *p, size_t n);

/* True if this is one value of strict JSON. Else *why receives the reason, *at the offset. */
bool sluice__is_json(const sluice_allocator *a, const char *p, size_t n, const char **why,
                     size_t *at);

#endif
