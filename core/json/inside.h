/*
 * Internals of the JSON reader. Each state is a function: it looks at the byte at `r->i`, consumes
 * what it can, and sets the next state.
 *
 * Bytes from `r->run` to `r->i` pass unchanged and are not output yet. Output goes to `pending`
 * while it is not certain, else to the sink. Consecutive certain bytes of the input are collected
 * in `r->sure` and output at once.
 */
#ifndef SLUICE_JSON_INSIDE_H
#define SLUICE_JSON_INSIDE_H

#include "../json.h"
#include "../utf8.h"

enum state {
    VALUE, /* a value must follow */
    KEY,   /* a key or the closer of an object */
    AFTER, /* after a value: comma or closer */
    COLON, /* between key and value */
    STRING,
    ESCAPE,    /* after a backslash */
    HEX,       /* in the digits of an escape */
    SEQUENCE,  /* in a UTF-8 sequence */
    OPENING,   /* after the first quote of a Python string: '' or ''' */
    OPENING_2, /* after two */
    TRIPLE,    /* in the closing run of a '''string''' */
    OWN_OPEN,  /* in the opening of the format's own quotes */
    OWN_CLOSE, /* in what may be their closing ones */
    CLOSED,    /* after a Python string: another may follow and be joined */
    WORD,      /* a number or a bare word */
    SLASH,     /* after a '/' that may begin a comment */
    LINE,      /* in a comment up to the end of the line */
    BLOCK,     /* in a C comment */
    BLOCK_END, /* after a '*' in one */
    OUTSIDE,   /* after a backslash between tokens */
    DONE
};

/* Kinds of the last value; see `last`. */
enum { LAST_ELSE, LAST_STRING, LAST_BARE };

/* GROUP: parentheses around one value; LONE: a tuple whose comma has not come yet. */
enum kind { ARRAY, OBJECT, TUPLE, KWARGS, GROUP, LONE };

enum {
    LOOK_MAX = 1024 * 1024, /* the default of `look_limit` */
    WORD_MAX = 64 * 1024,   /* a longer number or bare word is refused */
    PENDING_MAX = 64 * 1024 /* a longer key is output before its value has come */
};

/* The result of a state. REFUSED: `problem` says why, `i` is where. LOOKS_ON: the token at `i`
 * depends on more input. */
typedef enum sluice__going { GOES_ON, REFUSED, NO_MEMORY, LOOKS_ON } going;

static inline going memory(bool enough) { return enough ? GOES_ON : NO_MEMORY; }

static inline going refuse(sluice__reader *r, const char *problem) {
    r->problem = problem;
    return REFUSED;
}

static inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_object(enum kind k) { return k == OBJECT || k == KWARGS; }

/* ---- emit.c -------------------------------------------------------------------------------- */

#define out sluice__reading_out
#define settle sluice__reading_settle
#define flush sluice__reading_flush
#define swallow sluice__reading_swallow
#define tell sluice__reading_tell
#define tell_loss sluice__reading_tell_loss
#define tell_doubt sluice__reading_tell_doubt
#define replaced sluice__reading_replaced
#define decoded sluice__reading_decoded
#define decoded_code sluice__reading_decoded_code
#define out_char sluice__reading_out_char
#define out_text sluice__reading_out_text
#define escape_char sluice__reading_escape_char

bool out(sluice__reader *r, const char *p, size_t n, bool source);

/* Makes pending output certain. */
bool settle(sluice__reader *r);

/* Outputs the bytes from `run` to `i`. */
bool flush(sluice__reader *r);

/* Consumes the byte at `i`, which does not pass. */
bool swallow(sluice__reader *r);

/* Reports a repair at `i`. */
bool tell(sluice__reader *r, const char *message);

/* Reports that something at `i` was left out that may be part of the value. */
bool tell_loss(sluice__reader *r, const char *message);

/* Reports a repair at `i` that may be wrong. */
bool tell_doubt(sluice__reader *r, const char *message);
bool replaced(sluice__reader *r);

static inline bool watched(const sluice__reader *r) {
    return r->sink->token && r->depth - r->groups <= r->sink->token_depth;
}

static inline bool token(sluice__reader *r, sluice__token t, const char *p, size_t n) {
    return !watched(r) || r->sink->token(r->sink->user, t, r->depth - r->groups, p, n);
}

/* True if the sink wants the decoded text of the open string. */
static inline bool wants_text(const sluice__reader *r) {
    return watched(r) && (r->in_key || !r->sink->keys_only);
}

/* Writes a lone surrogate for decoded text, at most four bytes; returns the number of bytes. */
#define lone_half sluice__reading_lone_half
size_t lone_half(const sluice__reader *r, uint32_t code, char *to);

/* Outputs decoded text of the open string. A lone surrogate becomes the bytes of lone_half. */
bool decoded(sluice__reader *r, const char *p, size_t n);
bool decoded_code(sluice__reader *r, uint32_t code);

/* Outputs a character, or text, as part of a JSON string. */
bool out_char(sluice__reader *r, unsigned char c);
bool out_text(sluice__reader *r, const char *p, size_t n);
size_t escape_char(unsigned char c, char *to);

/* ---- string.c ------------------------------------------------------------------------------ */

enum { DRIVE = 3, NO_DRIVE = 4 }; /* of `begins` */

/* True if `c` continues a Windows path of which `begins` bytes are there. */
static inline bool continues_drive(uint8_t begins, char c) {
    char low = (char)(c | 32);
    return begins == 0 ? low >= 'a' && low <= 'z' : c == (begins == 1 ? ':' : '\\');
}

#define plain_run sluice__plain_run
#define passing_run sluice__reading_passing_run
#define path_run sluice__reading_path_run
#define begin_string sluice__reading_begin_string
#define end_string sluice__reading_end_string

/* Returns the length of the bytes of a string that pass unchanged: plain bytes, whole escapes of
 * JSON except \b and \f, which are checked, and whole UTF-8 sequences. */
size_t passing_run(const char *p, size_t n, char q);

/* Returns how many bytes from `i` on may be the beginning of a Windows path at the start of the
 * open string; 0 if that is decided (see `begins`). */
size_t path_run(sluice__reader *r);

bool begin_string(sluice__reader *r, char delimiter, bool source, const char *p);
bool end_string(sluice__reader *r, bool source, const char *p);

going sluice__reading_string(sluice__reader *r, char c);
going sluice__reading_escape(sluice__reader *r, char c);
going sluice__reading_hex(sluice__reader *r, char c);
going sluice__reading_sequence(sluice__reader *r, char c);
going sluice__reading_opening(sluice__reader *r, char c);
going sluice__reading_opening_2(sluice__reader *r, char c);
going sluice__reading_triple(sluice__reader *r, char c);
going sluice__reading_own_open(sluice__reader *r, char c);
going sluice__reading_own_close(sluice__reader *r, char c);
going sluice__reading_closed(sluice__reader *r, char c);

/* ---- raw_quote.c --------------------------------------------------------------------------- */

#define closes sluice__reading_closes
#define around sluice__reading_around

/* True if a quote here closes a string only after a check of what follows it. */
static inline bool asks_quotes(const sluice__reader *r) {
    return !r->plain_quotes && r->flags & SLUICE__ESCAPES && (r->depth || r->within);
}

/* Returns the kind of the container that contains the string, if asks_quotes() is true. */
enum kind around(const sluice__reader *r);

/* Decides whether the quote at `i`, the delimiter of the open string, closes it. If not, and there
 * is evidence, that was reported. */
going closes(sluice__reader *r, bool *yes);

/* ---- word.c -------------------------------------------------------------------------------- */

#define number_length sluice__reading_number_length
#define is_word_byte sluice__reading_is_word_byte
#define starts_word sluice__reading_starts_word
#define end_word sluice__reading_end_word

/* Length of the JSON number at the start of p[0..n), or 0. */
size_t number_length(const char *p, size_t n);
bool is_word_byte(unsigned char c);
bool starts_word(const sluice__reader *r, unsigned char c);

/* Handles a complete bare word. `*bare` becomes true if it is a string. */
going end_word(sluice__reader *r, bool *bare);
going sluice__reading_word(sluice__reader *r, char c);

/* ---- python.c ------------------------------------------------------------------------------ */

#define look_through sluice__reading_look_through
#define is_expression sluice__reading_is_expression
#define based_number sluice__reading_based_number
#define keyword sluice__reading_keyword

/* Sets *kind to the kind of the parentheses at `i`. */
going look_through(sluice__reader *r, enum kind *kind);

/* True if the bare word is an expression that Python would evaluate. */
bool is_expression(const sluice__buffer *w);

/* Writes the value of 0x1F, 0o17 or 0b11 as text of at most 24 bytes; returns its length, or 0. */
size_t based_number(const sluice__buffer *w, char *to);

/* Checks that the bare key can be a keyword. Reports one that is not a name. */
going keyword(sluice__reader *r, char c);

/* ---- structure.c --------------------------------------------------------------------------- */

#define top_of sluice__reading_top_of
#define kind_at sluice__reading_kind_at
#define closes_some sluice__reading_closes_some
#define push_kind sluice__reading_push_kind
#define value_done sluice__reading_value_done
#define open_container sluice__reading_open_container
#define close_container sluice__reading_close_container

enum kind top_of(const sluice__reader *r);
enum kind kind_at(const sluice__reader *r, size_t i);

/* True if an open container takes this closer. */
bool closes_some(const sluice__reader *r, char c);
bool push_kind(sluice__reader *r, enum kind k);

/* Sets the state after a complete value. */
void value_done(sluice__reader *r);
bool open_container(sluice__reader *r, enum kind kind, const char *text, size_t n, bool source);

/* Closes the innermost container; drops its pending output, except white space. */
bool close_container(sluice__reader *r, bool source, const char *text);

going sluice__reading_value(sluice__reader *r, char c);
going sluice__reading_key(sluice__reader *r, char c);
going sluice__reading_colon(sluice__reader *r, char c);
going sluice__reading_after(sluice__reader *r, char c);
going sluice__reading_slash(sluice__reader *r, char c);
going sluice__reading_line(sluice__reader *r, char c);
going sluice__reading_block(sluice__reader *r, char c);
going sluice__reading_block_end(sluice__reader *r, char c);
going sluice__reading_outside(sluice__reader *r, char c);

/* ---- quick.c ------------------------------------------------------------------------------- */

/* Reads tokens of strict JSON that are whole in the input, in the states VALUE, KEY and AFTER.
 * Everything else is left to the states. */
going sluice__reading_quick(sluice__reader *r);

#endif
