#include "json.h"
#include "utf8.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum state {
    VALUE, /* a value must stand here */
    KEY,   /* a key or the closer of an object */
    COLON, /* between key and value */
    AFTER, /* behind a value: comma or closer */
    STRING,
    ESCAPE,    /* behind a backslash */
    HEX,       /* in the digits of an escape */
    SEQUENCE,  /* in a UTF-8 sequence */
    OPENING,   /* behind the first quote of a Python string: '' or ''' */
    OPENING_2, /* behind two */
    TRIPLE,    /* in the closing run of a '''string''' */
    OWN_OPEN,  /* in the opening of the format's own quotes */
    OWN_CLOSE, /* in what may be their closing */
    CLOSED,    /* behind a Python string: another may follow and be joined */
    WORD,      /* a number or a bare word */
    SLASH,     /* behind a '/' that may begin a comment */
    LINE,      /* in a comment up to the end of the line */
    BLOCK,     /* in a C comment */
    BLOCK_END, /* behind a '*' in one */
    OUTSIDE,   /* behind a backslash between tokens */
    DONE
};

enum kind { ARRAY, OBJECT, TUPLE, KWARGS };

enum {
    WORD_MAX = 64 * 1024,   /* a longer number or bare word is refused */
    PENDING_MAX = 64 * 1024 /* a longer key is handed out before its value has come */
};

static enum kind top_of(const sluice__reader *r) {
    size_t i = r->depth - 1;
    return (enum kind)(r->stack[i / 4] >> (i % 4 * 2) & 3);
}

static void push_kind(sluice__reader *r, enum kind k) {
    size_t i = r->depth++;
    r->stack[i / 4] =
        (uint8_t)((r->stack[i / 4] & ~(3u << (i % 4 * 2))) | (unsigned)k << (i % 4 * 2));
}

void sluice__reader_init(sluice__reader *r, const sluice_allocator *a, const sluice__sink *sink,
                         uint32_t flags, sluice__top top, const char *quote, size_t quote_len,
                         size_t depth_limit) {
    memset(r, 0, sizeof *r);
    r->alloc = *a;
    r->sink = sink;
    r->flags = flags;
    r->top = top;
    r->quote = quote;
    r->quote_len = quote_len;
    r->depth_limit = depth_limit ? depth_limit : 128;
    if (r->depth_limit > SLUICE__DEPTH_MAX)
        r->depth_limit = SLUICE__DEPTH_MAX;
    r->state = VALUE;
    r->holding = true;
}

void sluice__reader_release(sluice__reader *r) {
    sluice__buffer_release(&r->alloc, &r->pending);
    sluice__buffer_release(&r->alloc, &r->word);
}

bool sluice__reader_untouched(const sluice__reader *r) {
    return r->state == VALUE && r->depth == 0 && !r->top_level_done && r->pending.len == 0;
}

/* ---- Output ------------------------------------------------------------------------------- */

static bool settle(sluice__reader *r);

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool out(sluice__reader *r, const char *p, size_t n, bool source) {
    if (!n)
        return true;
    if (r->holding && n > PENDING_MAX - r->pending.len) {
        if (r->state <= AFTER && is_space(*p)) { /* between tokens: pages of it are left out */
            n = PENDING_MAX - r->pending.len;
            if (r->sink->left_out && !r->sink->left_out(r->sink->user))
                return false;
        } else {
            r->let_go = true; /* a key that long is not held any more */
            if (!settle(r))
                return false;
        }
    }
    if (r->holding)
        return sluice__buffer_add(&r->alloc, &r->pending, p, n);
    return r->sink->raw(r->sink->user, p, n, source);
}

/* What was pending is certain now. */
static bool settle(sluice__reader *r) {
    r->holding = false;
    if (!r->pending.len)
        return true;
    size_t n = r->pending.len;
    r->pending.len = 0;
    return r->sink->raw(r->sink->user, r->pending.data, n, false);
}

static bool token(sluice__reader *r, sluice__token t, const char *p, size_t n) {
    if (!r->sink->token || r->depth > r->sink->token_depth)
        return true;
    return r->sink->token(r->sink->user, t, r->depth, p, n);
}

static bool note(sluice__reader *r, const char *message) {
    return !r->sink->note || r->sink->note(r->sink->user, "repaired", message);
}

static bool replaced(sluice__reader *r) {
    return !r->sink->note ||
           r->sink->note(r->sink->user, "invalid_utf8", "bytes that are no UTF-8 became U+FFFD");
}

static bool wants_text(const sluice__reader *r) {
    return r->sink->token && r->depth <= r->sink->token_depth && (r->in_key || !r->sink->keys_only);
}

/* Decoded text of the open string. A lone surrogate becomes U+FFFD. */
static bool decoded(sluice__reader *r, const char *p, size_t n) {
    if (!wants_text(r))
        return true;
    sluice__token t = r->in_key ? SLUICE__T_KEY : SLUICE__T_STRING;
    if (r->high) {
        r->high = 0;
        if (!token(r, t, "\xEF\xBF\xBD", 3))
            return false;
    }
    return !n || token(r, t, p, n);
}

static bool decoded_code(sluice__reader *r, uint32_t code) {
    if (!wants_text(r))
        return true;
    char utf8[4];
    if (code >= 0xDC00 && code <= 0xDFFF && r->high) {
        code = 0x10000 + (((uint32_t)r->high - 0xD800) << 10) + (code - 0xDC00);
        r->high = 0;
    } else if (code >= 0xD800 && code <= 0xDBFF) {
        if (!decoded(r, NULL, 0))
            return false;
        r->high = (uint16_t)code;
        return true;
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return decoded(r, "\xEF\xBF\xBD", 3);
    }
    return decoded(r, utf8, (size_t)sluice__utf8_encode(code, utf8));
}

/* A character of a string that must be escaped in JSON, or any other ASCII one. */
static size_t escape_char(unsigned char c, char *to) {
    static const char names[] = "btn\0fr";
    if (c == '"' || c == '\\') {
        to[0] = '\\';
        to[1] = (char)c;
        return 2;
    }
    if (c >= 0x20) {
        to[0] = (char)c;
        return 1;
    }
    if (c >= 8 && c <= 13 && c != 11) {
        to[0] = '\\';
        to[1] = names[c - 8];
        return 2;
    }
    memcpy(to, "\\u00", 4);
    to[4] = c >> 4 ? '1' : '0';
    to[5] = "0123456789abcdef"[c & 15];
    return 6;
}

static bool out_char(sluice__reader *r, unsigned char c) {
    char escaped[6], plain = (char)c;
    size_t n = escape_char(c, escaped);
    return out(r, escaped, n, false) && decoded(r, &plain, 1);
}

/* ---- Runs of plain string bytes ----------------------------------------------------------- */

/* The first byte that needs a look: a control, a quote or backslash, `q`, or no ASCII. */
static size_t plain_run(const char *p, size_t n, char q) {
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'), own = _mm_set1_epi8(q);
    const __m128i space = _mm_set1_epi8(0x20);
    while (n - i >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back)),
                                   _mm_or_si128(_mm_cmpeq_epi8(v, own), _mm_cmplt_epi8(v, space)));
        int mask = _mm_movemask_epi8(hit); /* signed: bytes from 0x80 are below 0x20 */
        if (mask)
            return i + (size_t)__builtin_ctz((unsigned)mask);
        i += 16;
    }
#endif
    while (i < n) {
        unsigned char c = (unsigned char)p[i];
        if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\' || p[i] == q)
            break;
        i++;
    }
    return i;
}

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Bytes of a string that pass as they are: plain ones, whole escapes of JSON, whole UTF-8
 * sequences. */
static size_t passing_run(const char *p, size_t n, char q) {
    size_t i = 0;
    for (;;) {
        i += plain_run(p + i, n - i, q);
        if (i >= n)
            return n;
        unsigned char c = (unsigned char)p[i];
        if (c == '\\') {
            if (n - i < 2)
                return i;
            switch (p[i + 1]) {
            case '"':
            case '\\':
            case '/':
            case 'b':
            case 'f':
            case 'n':
            case 'r':
            case 't':
                i += 2;
                continue;
            case 'u':
                if (n - i < 6 || !is_hex(p[i + 2]) || !is_hex(p[i + 3]) || !is_hex(p[i + 4]) ||
                    !is_hex(p[i + 5]))
                    return i;
                i += 6;
                continue;
            default:
                return i;
            }
        }
        int len = c >= 0x80 ? sluice__utf8_sequence(p + i, n - i) : 0;
        if (len <= 0)
            return i;
        i += (size_t)len;
    }
}

bool sluice__escape(sluice__escaper *e, const char *in, size_t n, bool end) {
    const sluice__sink *s = e->sink;
    size_t i = 0, start = 0;
    while (e->part_len && (i < n || end)) { /* finish the sequence that the last call left */
        int len = e->part_len ? sluice__utf8_sequence(e->part, e->part_len) : 1;
        if (len == 0 && i < n) {
            e->part[e->part_len++] = in[i++];
            len = sluice__utf8_sequence(e->part, e->part_len);
            if (len < 0) { /* the new byte does not belong to it */
                i--;
                e->part_len--;
            }
        }
        if (len > 0) {
            e->at = i;
            if (!s->raw(s->user, e->part, e->part_len, false))
                return false;
            e->part_len = 0;
        } else if (len < 0 || (i >= n && end)) {
            e->at = i;
            e->bad = true;
            if (!s->raw(s->user, "\xEF\xBF\xBD", 3, false))
                return false;
            e->part_len = 0;
        } else if (i >= n) {
            return true;
        }
    }
    start = i;
    while (i < n) {
        i += plain_run(in + i, n - i, '"');
        if (i >= n)
            break;
        unsigned char c = (unsigned char)in[i];
        if (c >= 0x80) {
            int len = sluice__utf8_sequence(in + i, n - i);
            if (len > 0) {
                i += (size_t)len;
                continue;
            }
            e->at = i;
            if (i > start && !s->raw(s->user, in + start, i - start, true))
                return false;
            if (len == 0 && !end) {
                e->part_len = (uint8_t)(n - i);
                memcpy(e->part, in + i, n - i);
                return true;
            }
            i += len ? (size_t)-len : n - i;
            e->bad = true;
            e->at = i;
            if (!s->raw(s->user, "\xEF\xBF\xBD", 3, false))
                return false;
        } else {
            char escaped[6];
            size_t k = escape_char(c, escaped);
            e->at = i;
            if (i > start && !s->raw(s->user, in + start, i - start, true))
                return false;
            e->at = ++i;
            if (!s->raw(s->user, escaped, k, false))
                return false;
        }
        start = i;
    }
    e->at = n;
    return i <= start || s->raw(s->user, in + start, i - start, true);
}

/* ---- Words and numbers -------------------------------------------------------------------- */

/* Length of the JSON number at the start of p[0..n). */
static size_t number_length(const char *p, size_t n) {
    size_t i = 0;
#define DIGITS(from)                                                                               \
    do {                                                                                           \
        size_t first = (from);                                                                     \
        while (i < n && p[i] >= '0' && p[i] <= '9')                                                \
            i++;                                                                                   \
        if (i == first)                                                                            \
            return 0;                                                                              \
    } while (0)
    if (i < n && p[i] == '-')
        i++;
    if (i < n && p[i] == '0')
        i++;
    else
        DIGITS(i);
    if (i < n && p[i] == '.') {
        i++;
        DIGITS(i);
    }
    if (i < n && (p[i] == 'e' || p[i] == 'E')) {
        i++;
        if (i < n && (p[i] == '+' || p[i] == '-'))
            i++;
        DIGITS(i);
    }
#undef DIGITS
    return i;
}

static bool word_is(const sluice__buffer *w, const char *s) {
    return w->len == strlen(s) && memcmp(w->data, s, w->len) == 0;
}

/* Mends a number in place: sign, leading zeros, missing digits, underscores. */
static bool mend_number(sluice__buffer *w) {
    char *p = w->data;
    size_t n = 0, i = 0, digits = 0;
    if (!w->len)
        return false;
    if (p[i] == '+')
        i++;
    else if (p[i] == '-')
        p[n++] = p[i++];
    while (i < w->len && p[i] == '0' && i + 1 < w->len && p[i + 1] >= '0' && p[i + 1] <= '9')
        i++;
    if (i < w->len && p[i] == '.') { /* .5 needs room for its 0: only where a sign or zero went */
        if (n == i)
            return false;
        p[n++] = '0';
    }
    for (; i < w->len; i++) {
        if (p[i] == '_' && digits)
            continue;
        if (p[i] >= '0' && p[i] <= '9')
            digits++;
        if (p[i] == '.' && (i + 1 == w->len || p[i + 1] == 'e' || p[i + 1] == 'E'))
            continue;
        p[n++] = p[i];
    }
    w->len = n;
    return digits && number_length(p, n) == n;
}

static bool is_word_byte(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c >= 0x80 || c == '_' || c == '$' || c == '+' || c == '-' || c == '.' || c == '/' ||
           c == '@' || c == '*' || c == '%' || c == '!' || c == '?' || c == '&' || c == '~' ||
           c == '^' || c == '|' || c == ';';
}

static bool starts_word(const sluice__reader *r, unsigned char c) {
    if ((c >= '0' && c <= '9') || c == '-' || (c >= 'a' && c <= 'z'))
        return true;
    if (r->flags & SLUICE__NUMBERS && (c == '+' || c == '.'))
        return true;
    if (c >= 'A' && c <= 'Z')
        return r->flags & (SLUICE__WORDS | SLUICE__BARE | SLUICE__NONFINITE | SLUICE__PYTHON);
    return r->flags & SLUICE__BARE && (c == '_' || c == '$' || c == '@' || c >= 0x80);
}

static bool out_text(sluice__reader *r, const char *p, size_t n) {
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)p[i];
        int len = c < 0x80 ? 1 : sluice__utf8_sequence(p + i, n - i);
        if (c < 0x80) {
            if (!out_char(r, c))
                return false;
        } else if (len > 0) {
            if (!out(r, p + i, (size_t)len, false) || !decoded(r, p + i, (size_t)len))
                return false;
        } else {
            if (!out(r, "\xEF\xBF\xBD", 3, false) || !decoded(r, "\xEF\xBF\xBD", 3))
                return false;
            len = len ? -len : (int)(n - i);
        }
        i += (size_t)len;
    }
    return true;
}

static bool scalar(sluice__reader *r, const char *p, size_t n) {
    return out(r, p, n, false) && token(r, SLUICE__T_SCALAR, p, n) && settle(r);
}

/* The bare word is complete: what is it? False with `problem` set: it cannot be read. */
static bool end_word(sluice__reader *r, bool *memory) {
    static const struct {
        const char *word, *json;
        uint32_t flag;
    } words[] = {{"true", "true", 0},
                 {"false", "false", 0},
                 {"null", "null", 0},
                 {"True", "true", SLUICE__WORDS | SLUICE__PYTHON},
                 {"False", "false", SLUICE__WORDS | SLUICE__PYTHON},
                 {"None", "null", SLUICE__WORDS | SLUICE__PYTHON},
                 {"TRUE", "true", SLUICE__WORDS},
                 {"FALSE", "false", SLUICE__WORDS},
                 {"NULL", "null", SLUICE__WORDS},
                 {"undefined", "null", SLUICE__NONFINITE},
                 {"NaN", "null", SLUICE__NONFINITE},
                 {"nan", "null", SLUICE__NONFINITE},
                 {"Infinity", "null", SLUICE__NONFINITE},
                 {"+Infinity", "null", SLUICE__NONFINITE},
                 {"-Infinity", "null", SLUICE__NONFINITE},
                 {"inf", "null", SLUICE__NONFINITE},
                 {"-inf", "null", SLUICE__NONFINITE}};
    sluice__buffer *w = &r->word;
    while (w->len && is_space(w->data[w->len - 1]))
        w->len--;
    *memory = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (word_is(w, words[i].word) && (!words[i].flag || r->flags & words[i].flag)) {
            bool python = words[i].flag & SLUICE__PYTHON && r->flags & SLUICE__PYTHON;
            if (words[i].flag && !python)
                *memory = note(r, "a word that is not JSON was read as true, false or null");
            *memory = *memory && scalar(r, words[i].json, strlen(words[i].json));
            return true;
        }
    }
    if (number_length(w->data, w->len) == w->len) {
        *memory = scalar(r, w->data, w->len);
        return true;
    }
    char c = w->data[0];
    if (r->flags & SLUICE__NUMBERS &&
        (c == '+' || c == '-' || c == '.' || (c >= '0' && c <= '9'))) {
        /* a copy with a spare byte in front, so that .5 can become 0.5 */
        sluice__buffer copy = {0};
        *memory = sluice__buffer_add(&r->alloc, &copy, "+", c == '.' ? 1 : 0) &&
                  sluice__buffer_add(&r->alloc, &copy, w->data, w->len);
        bool good = *memory && mend_number(&copy);
        if (good)
            *memory =
                note(r, "a number was written as JSON writes it") && scalar(r, copy.data, copy.len);
        sluice__buffer_release(&r->alloc, &copy);
        if (good || !*memory)
            return true;
    }
    if (!(r->flags & SLUICE__BARE)) {
        r->problem = "neither a number nor true, false or null";
        return false;
    }
    r->in_key = false;
    *memory = note(r, "a bare word was read as a string") && out(r, "\"", 1, false) && settle(r) &&
              out_text(r, w->data, w->len) && token(r, SLUICE__T_STRING_END, NULL, 0) &&
              out(r, "\"", 1, false);
    return true;
}

/* ---- Structure ---------------------------------------------------------------------------- */

/* The state behind a complete value. */
static void value_done(sluice__reader *r) {
    r->had_comma = false;
    r->holding = false;
    r->let_go = false;
    r->state = r->depth ? AFTER : DONE;
    if (!r->depth)
        r->top_level_done = true;
}

static bool open_container(sluice__reader *r, enum kind kind, const char *text, size_t n,
                           bool source) {
    if (!out(r, text, n, source) || !settle(r))
        return false;
    if (!token(r, kind == OBJECT || kind == KWARGS ? SLUICE__T_OBJECT : SLUICE__T_ARRAY, NULL, 0))
        return false;
    push_kind(r, kind);
    r->had_comma = false;
    r->holding = true;
    r->let_go = false;
    r->state = kind == OBJECT || kind == KWARGS ? KEY : VALUE;
    return true;
}

/* Closes the innermost container; what is pending in it is dropped, but for white space. */
static bool close_container(sluice__reader *r, bool source, const char *text) {
    enum kind kind = top_of(r);
    size_t keep = 0;
    if (r->holding) {
        while (keep < r->pending.len && is_space(r->pending.data[keep]))
            keep++;
        r->pending.len = keep;
        if (!settle(r))
            return false;
    }
    r->depth--;
    if (!token(r, SLUICE__T_CLOSE, NULL, 0))
        return false;
    const char *closer = kind == OBJECT || kind == KWARGS ? "}" : "]";
    if (!out(r, source ? text : closer, 1, source))
        return false;
    value_done(r);
    return true;
}

static bool begin_string(sluice__reader *r, char delimiter, bool source, const char *p) {
    r->delimiter = delimiter;
    r->high = 0;
    r->state = STRING;
    if (!out(r, source ? p : "\"", 1, source))
        return false;
    return r->in_key || settle(r);
}

static bool end_string(sluice__reader *r, bool source, const char *p) {
    if (!decoded(r, NULL, 0))
        return false;
    if (r->in_key) {
        r->state = COLON;
        return token(r, SLUICE__T_KEY_END, NULL, 0) && out(r, source ? p : "\"", 1, source);
    }
    if (!token(r, SLUICE__T_STRING_END, NULL, 0) || !out(r, source ? p : "\"", 1, source))
        return false;
    value_done(r);
    return true;
}

/* A key without a value goes, but not the comma that stood before it. */
static bool drop_key(sluice__reader *r) {
    r->pending.len = 0;
    r->state = KEY;
    return !r->had_comma || out(r, ",", 1, false);
}

/* Does some container that is open take this closer? */
static bool closes_some(const sluice__reader *r, char c) {
    for (size_t i = r->depth; i-- > 0;) {
        enum kind k = (enum kind)(r->stack[i / 4] >> (i % 4 * 2) & 3);
        if ((c == '}' && k == OBJECT) || (c == ']' && k == ARRAY) || (c == ')' && k == TUPLE))
            return true;
    }
    return false;
}

static bool matches(enum kind k, char c) {
    return c == (k == OBJECT ? '}' : k == ARRAY ? ']' : ')');
}

/* ---- The machine -------------------------------------------------------------------------- */

#define TRY(expression)                                                                            \
    do {                                                                                           \
        if (!(expression))                                                                         \
            goto nomem;                                                                            \
    } while (0)
/* Something was mended at the byte at i. */
#define NOTE(sentence)                                                                             \
    do {                                                                                           \
        r->at = i;                                                                                 \
        TRY(note(r, (sentence)));                                                                  \
    } while (0)
#define STOP(sentence)                                                                             \
    do {                                                                                           \
        r->problem = (sentence);                                                                   \
        goto stop;                                                                                 \
    } while (0)
/* Bytes that pass as they are, from `run` on. */
#define FLUSH()                                                                                    \
    do {                                                                                           \
        r->at = i;                                                                                 \
        if (i > run)                                                                               \
            TRY(out(r, in + run, i - run, true));                                                  \
        run = i;                                                                                   \
    } while (0)
/* The byte at i is consumed and does not pass. */
#define SWALLOW()                                                                                  \
    do {                                                                                           \
        FLUSH();                                                                                   \
        run = ++i;                                                                                 \
        r->at = i;                                                                                 \
    } while (0)

sluice__reading sluice__reader_feed(sluice__reader *r, const char *in, size_t n, bool end,
                                    size_t *used) {
    size_t i = 0, run = 0;
    bool lenient = r->flags != 0, memory;
    r->problem = NULL;
    r->at = 0;
    if (r->top == SLUICE__TOP_KWARGS && r->depth == 0 && !r->top_level_done) {
        r->at = 0;
        TRY(open_container(r, KWARGS, "{", 1, false));
    }
    while (i < n || r->state == DONE) {
        char c = r->state == DONE ? 0 : in[i];
        switch ((enum state)r->state) {
        case VALUE:
            if (is_space(c)) {
                i++;
                break;
            }
            FLUSH();
            r->in_key = false;
            if (r->top == SLUICE__TOP_OBJECT && r->depth == 0 && c != '{') {
                STOP("an object must stand here");
            }
            if (c == '"') {
                if (r->flags & SLUICE__PYTHON) {
                    SWALLOW();
                    r->delimiter = c;
                    r->raw_string = false;
                    r->state = OPENING;
                    break;
                }
                i++;
                run = i;
                r->at = i;
                TRY(begin_string(r, '"', true, in + i - 1));
            } else if (c == '{' || c == '[' || (c == '(' && r->flags & SLUICE__PYTHON)) {
                if (r->depth >= r->depth_limit) {
                    r->at_limit = true;
                    STOP("nested too deep");
                }
                i++;
                run = i;
                r->at = i;
                TRY(open_container(r,
                                   c == '{'   ? OBJECT
                                   : c == '[' ? ARRAY
                                              : TUPLE,
                                   c == '(' ? "[" : in + i - 1, 1, c != '('));
            } else if (r->quote && c == r->quote[0]) {
                SWALLOW();
                r->quote_at = 1;
                r->state = OWN_OPEN;
                if (r->quote_len == 1)
                    TRY(begin_string(r, 0, false, NULL));
            } else if ((c == '\'' || c == '`') && r->flags & (SLUICE__QUOTES | SLUICE__PYTHON)) {
                SWALLOW();
                if (!(r->flags & SLUICE__PYTHON))
                    NOTE("a string stood in other quotes");
                r->delimiter = c;
                r->raw_string = false;
                if (r->flags & SLUICE__PYTHON && c == '\'')
                    r->state = OPENING;
                else
                    TRY(begin_string(r, c, false, NULL));
            } else if (c == '/' && r->flags & SLUICE__COMMENTS) {
                SWALLOW();
                r->back = VALUE;
                r->state = SLASH;
            } else if (c == '#' && r->flags & (SLUICE__COMMENTS | SLUICE__PYTHON)) {
                SWALLOW();
                NOTE("a comment was left out");
                r->back = VALUE;
                r->state = LINE;
            } else if (c == '\\' && r->flags & SLUICE__ESCAPES) {
                SWALLOW();
                r->back = VALUE;
                r->state = OUTSIDE;
            } else if (starts_word(r, (unsigned char)c)) {
                r->word.len = 0;
                r->state = WORD;
            } else if (c == ',' && r->flags & SLUICE__COMMAS && r->depth && top_of(r) != OBJECT &&
                       top_of(r) != KWARGS) {
                SWALLOW();
                NOTE("a comma too many");
            } else if (r->depth && (top_of(r) == ARRAY || top_of(r) == TUPLE) &&
                       matches(top_of(r), c) &&
                       (!r->had_comma || r->flags & SLUICE__COMMAS || top_of(r) == TUPLE)) {
                if (r->had_comma && top_of(r) == ARRAY && !(r->flags & SLUICE__PYTHON))
                    NOTE("a comma stood before a closer");
                bool tuple = top_of(r) == TUPLE;
                i++;
                run = i;
                r->at = i;
                TRY(close_container(r, !tuple, in + i - 1));
            } else if (r->depth && lenient && r->flags & SLUICE__COMMAS &&
                       (c == ',' || c == '}' || c == ')') &&
                       (top_of(r) == OBJECT || top_of(r) == KWARGS)) {
                /* a key without a value */
                NOTE("a key without a value was left out");
                TRY(drop_key(r));
            } else if (r->flags & SLUICE__CLOSERS && r->depth && closes_some(r, c)) {
                NOTE("a closer was missing");
                r->at = i;
                TRY(close_container(r, false, NULL));
            } else if (r->flags & SLUICE__TOTAL) {
                SWALLOW();
                NOTE("a byte that means nothing here was left out");
            } else {
                STOP("a value must stand here");
            }
            break;

        case KEY:
            if (is_space(c)) {
                i++;
                break;
            }
            FLUSH();
            r->in_key = true;
            if (c == '"') {
                i++;
                run = i;
                r->at = i;
                TRY(begin_string(r, '"', true, in + i - 1));
            } else if (c == '}' && top_of(r) == OBJECT &&
                       (!r->had_comma || r->flags & SLUICE__COMMAS)) {
                if (r->had_comma)
                    NOTE("a comma stood before a closer");
                i++;
                run = i;
                r->at = i;
                TRY(close_container(r, true, in + i - 1));
            } else if (c == ')' && top_of(r) == KWARGS) {
                r->at = i;
                TRY(close_container(r, false, NULL));
                run = i;
            } else if (c == ',' && r->flags & SLUICE__COMMAS) {
                SWALLOW();
                NOTE("a comma too many");
            } else if (r->quote && c == r->quote[0]) {
                SWALLOW();
                r->quote_at = 1;
                r->state = OWN_OPEN;
                if (r->quote_len == 1)
                    TRY(begin_string(r, 0, false, NULL));
            } else if ((c == '\'' || c == '`') && r->flags & (SLUICE__QUOTES | SLUICE__PYTHON)) {
                SWALLOW();
                if (!(r->flags & SLUICE__PYTHON))
                    NOTE("a key stood in other quotes");
                r->raw_string = false;
                TRY(begin_string(r, c, false, NULL));
            } else if (c == '/' && r->flags & SLUICE__COMMENTS) {
                SWALLOW();
                r->back = KEY;
                r->state = SLASH;
            } else if (c == '#' && r->flags & (SLUICE__COMMENTS | SLUICE__PYTHON)) {
                SWALLOW();
                NOTE("a comment was left out");
                r->back = KEY;
                r->state = LINE;
            } else if (c == '\\' && r->flags & SLUICE__ESCAPES) {
                SWALLOW();
                r->back = KEY;
                r->state = OUTSIDE;
            } else if ((r->flags & SLUICE__BARE || top_of(r) == KWARGS) &&
                       is_word_byte((unsigned char)c)) {
                r->word.len = 0;
                r->state = WORD;
            } else if (r->flags & SLUICE__CLOSERS && closes_some(r, c)) {
                NOTE("a closer was missing");
                r->at = i;
                TRY(close_container(r, false, NULL));
            } else if (r->flags & SLUICE__TOTAL) {
                SWALLOW();
                NOTE("a byte that means nothing here was left out");
            } else {
                STOP("a key must stand here");
            }
            break;

        case COLON:
            if (is_space(c)) {
                i++;
                break;
            }
            FLUSH();
            if (c == ':' && top_of(r) != KWARGS) {
                i++;
                r->in_key = false;
                r->state = VALUE;
            } else if (c == '=' && (top_of(r) == KWARGS || r->flags & SLUICE__BARE)) {
                SWALLOW();
                if (top_of(r) != KWARGS)
                    NOTE("a colon was written as =");
                TRY(out(r, ":", 1, false));
                r->in_key = false;
                r->state = VALUE;
            } else if (c == ':' && r->flags & SLUICE__BARE) { /* name: value among name=value */
                i++;
                r->in_key = false;
                r->state = VALUE;
            } else if (r->flags & SLUICE__PYTHON && !(r->flags & SLUICE__TOTAL) &&
                       top_of(r) == OBJECT && (c == ',' || c == '}')) {
                STOP("a set has no JSON");
            } else if (r->flags & SLUICE__COMMAS &&
                       (c == ',' || c == '}' || (c == ')' && top_of(r) == KWARGS))) {
                NOTE("a key without a value was left out");
                TRY(drop_key(r));
            } else if (r->flags & SLUICE__COMMAS &&
                       (c == '"' || c == '{' || c == '[' || (c >= '0' && c <= '9'))) {
                NOTE("a colon was missing");
                TRY(out(r, ":", 1, false));
                r->in_key = false;
                r->state = VALUE;
            } else if (c == '\\' && r->flags & SLUICE__ESCAPES) {
                SWALLOW();
                r->back = COLON;
                r->state = OUTSIDE;
            } else if (r->flags & SLUICE__TOTAL) {
                SWALLOW();
                NOTE("a byte that means nothing here was left out");
            } else {
                STOP("a colon must stand here");
            }
            break;

        case AFTER:
            if (is_space(c)) {
                i++;
                break;
            }
            if (c == ',') {
                FLUSH();
                r->holding = true;
                r->had_comma = true;
                i++;
                r->state = top_of(r) == OBJECT || top_of(r) == KWARGS ? KEY : VALUE;
                break;
            }
            if (top_of(r) == KWARGS ? c == ')' : matches(top_of(r), c)) {
                FLUSH();
                bool source = top_of(r) != TUPLE && top_of(r) != KWARGS;
                bool stays = top_of(r) == KWARGS;
                if (!stays) {
                    i++;
                    run = i;
                }
                r->at = i;
                TRY(close_container(r, source, source ? in + i - 1 : NULL));
                break;
            }
            FLUSH();
            if (c == '/' && r->flags & SLUICE__COMMENTS) {
                SWALLOW();
                r->back = AFTER;
                r->state = SLASH;
            } else if (c == '#' && r->flags & (SLUICE__COMMENTS | SLUICE__PYTHON)) {
                SWALLOW();
                NOTE("a comment was left out");
                r->back = AFTER;
                r->state = LINE;
            } else if (c == '\\' && r->flags & SLUICE__ESCAPES) {
                SWALLOW();
                r->back = AFTER;
                r->state = OUTSIDE;
            } else if (r->flags & SLUICE__COMMAS &&
                       (c == '"' || c == '\'' || starts_word(r, (unsigned char)c) ||
                        ((c == '{' || c == '[') && top_of(r) == ARRAY))) {
                NOTE("a comma was missing");
                r->holding = true;
                TRY(out(r, ",", 1, false));
                r->had_comma = true;
                r->state = top_of(r) == OBJECT || top_of(r) == KWARGS ? KEY : VALUE;
            } else if (r->flags & SLUICE__CLOSERS && closes_some(r, c)) {
                NOTE("a closer was missing");
                TRY(close_container(r, false, NULL));
            } else if (r->flags & SLUICE__TOTAL) {
                SWALLOW();
                NOTE("a byte that means nothing here was left out");
            } else {
                STOP("a comma or a closer must stand here");
            }
            break;

        case STRING: {
            char q = r->delimiter ? r->delimiter : r->quote[0];
            if (r->delimiter && !r->raw_string && !wants_text(r)) { /* nobody reads along */
                size_t k = passing_run(in + i, n - i, q);
                i += k;
                if (k)
                    break;
            }
            size_t k = plain_run(in + i, n - i, q);
            if (k) {
                TRY(decoded(r, in + i, k));
                i += k;
                break;
            }
            if (c == q && r->delimiter == 0) {
                SWALLOW();
                r->quote_at = 1;
                r->state = OWN_CLOSE;
                if (r->quote_len == 1)
                    TRY(end_string(r, false, NULL));
            } else if (c == q && r->triple) {
                SWALLOW();
                r->triple = 2;
                r->state = TRIPLE;
            } else if (c == q && r->flags & SLUICE__PYTHON && !r->in_key) {
                SWALLOW();
                r->state = CLOSED;
            } else if (c == q) {
                FLUSH();
                i++;
                run = i;
                r->at = i;
                TRY(end_string(r, q == '"', in + i - 1));
            } else if (c == '"') {
                SWALLOW();
                TRY(out_char(r, '"'));
            } else if (c == '\\') {
                SWALLOW();
                if (r->delimiter == 0)
                    TRY(out_char(r, '\\'));
                else
                    r->state = ESCAPE;
            } else if ((unsigned char)c < 0x20) {
                if (!(r->flags & SLUICE__CONTROLS) && r->delimiter && !r->triple)
                    STOP("a control character in a string");
                SWALLOW();
                if (r->delimiter && !r->triple)
                    NOTE("a control character in a string was escaped");
                TRY(out_char(r, (unsigned char)c));
            } else {
                int len = sluice__utf8_sequence(in + i, n - i);
                if (len > 0) {
                    TRY(decoded(r, in + i, (size_t)len));
                    i += (size_t)len;
                } else if (len == 0) {
                    FLUSH();
                    r->part_len = (uint8_t)(n - i);
                    memcpy(r->part, in + i, n - i);
                    i = run = n;
                    r->state = SEQUENCE;
                } else {
                    FLUSH();
                    i += len ? (size_t)-len : n - i;
                    run = i;
                    r->at = i;
                    TRY(replaced(r));
                    TRY(out(r, "\xEF\xBF\xBD", 3, false) && decoded(r, "\xEF\xBF\xBD", 3));
                }
            }
            break;
        }

        case SEQUENCE: {
            r->part[r->part_len++] = c;
            int len = sluice__utf8_sequence(r->part, r->part_len);
            if (len < 0) {
                r->at = i;
                TRY(replaced(r));
                TRY(out(r, "\xEF\xBF\xBD", 3, false) && decoded(r, "\xEF\xBF\xBD", 3));
                r->part_len = 0;
                r->state = STRING;
                run = i;
                break;
            }
            run = ++i;
            if (len > 0) {
                r->at = i;
                TRY(out(r, r->part, (size_t)len, false) && decoded(r, r->part, (size_t)len));
                r->part_len = 0;
                r->state = STRING;
            }
            break;
        }

        case ESCAPE: {
            static const char plain[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
            const char *known = c ? strchr(plain, c) : NULL;
            char both[2] = {'\\', c};
            if (r->raw_string) {
                r->at = i;
                TRY(out_char(r, '\\'));
                r->state = STRING;
                if (c == r->delimiter) {
                    SWALLOW();
                    TRY(out_char(r, (unsigned char)c));
                }
            } else if (known) {
                SWALLOW();
                TRY(out(r, both, 2, false) && decoded(r, &values[known - plain], 1));
                r->state = STRING;
            } else if (c == 'u' || (r->flags & SLUICE__PYTHON && (c == 'x' || c == 'U'))) {
                SWALLOW();
                r->escape_kind = c;
                r->escape_want = c == 'u' ? 4 : c == 'x' ? 2 : 8;
                r->part_len = 0;
                r->state = HEX;
            } else if (!(r->flags & SLUICE__ESCAPES) && !(r->flags & SLUICE__PYTHON)) {
                STOP("an escape that JSON does not have");
            } else if (c == '\'' || c == '`') {
                SWALLOW();
                if (c != r->delimiter)
                    NOTE("an escape that JSON does not have");
                TRY(out_char(r, (unsigned char)c));
                r->state = STRING;
            } else if (r->flags & SLUICE__PYTHON && c == '\n') {
                SWALLOW();
                r->state = STRING;
            } else {
                r->at = i;
                NOTE("an escape that JSON does not have was kept as text");
                TRY(out_char(r, '\\'));
                r->state = STRING;
                run = i;
            }
            break;
        }

        case HEX: {
            bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            if (!digit) {
                if (!(r->flags & SLUICE__ESCAPES) && !(r->flags & SLUICE__PYTHON))
                    STOP("an escape that is no four hexadecimal digits");
                r->at = i;
                NOTE("an escape that is no four hexadecimal digits was kept as text");
                TRY(out_char(r, '\\') && out_char(r, (unsigned char)r->escape_kind));
                for (uint8_t k = 0; k < r->part_len; k++)
                    TRY(out_char(r, (unsigned char)r->part[k]));
                r->state = STRING;
                run = i;
                break;
            }
            r->part[r->part_len++] = c;
            run = ++i;
            if (r->part_len < r->escape_want)
                break;
            uint32_t code = 0;
            for (uint8_t k = 0; k < r->part_len; k++) {
                char h = r->part[k];
                code = code << 4 | (uint32_t)(h <= '9' ? h - '0' : (h | 32) - 'a' + 10);
            }
            r->at = i;
            r->state = STRING;
            if (r->escape_kind == 'u') {
                TRY(out(r, "\\u", 2, false) && out(r, r->part, 4, false) && decoded_code(r, code));
            } else if (code < 0x80) {
                TRY(out_char(r, (unsigned char)code));
            } else {
                char utf8[4];
                if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
                    code = 0xFFFD;
                int len = sluice__utf8_encode(code, utf8);
                TRY(out(r, utf8, (size_t)len, false) && decoded(r, utf8, (size_t)len));
            }
            break;
        }

        case OPENING:
            r->at = i;
            if (c == r->delimiter) {
                SWALLOW();
                r->state = OPENING_2;
            } else {
                r->triple = 0;
                TRY(r->back == CLOSED || begin_string(r, r->delimiter, false, NULL));
                r->back = 0;
                r->state = STRING;
                run = i;
            }
            break;

        case OPENING_2:
            r->at = i;
            TRY(r->back == CLOSED || begin_string(r, r->delimiter, false, NULL));
            r->back = 0;
            if (c == r->delimiter) {
                SWALLOW();
                r->triple = 1;
                r->state = STRING;
            } else {
                r->triple = 0;
                r->state = CLOSED;
                run = i;
            }
            break;

        case TRIPLE: /* `triple` counts the quotes seen in this run, plus one */
            if (c == r->delimiter) {
                SWALLOW();
                if (r->triple == 3) {
                    r->triple = 0;
                    r->state = CLOSED;
                } else {
                    r->triple++;
                }
            } else {
                r->at = i;
                for (; r->triple > 1; r->triple--)
                    TRY(out_char(r, (unsigned char)r->delimiter));
                r->state = STRING;
                run = i;
            }
            break;

        case OWN_OPEN:
            if (c == r->quote[r->quote_at]) {
                SWALLOW();
                if (++r->quote_at == r->quote_len)
                    TRY(begin_string(r, 0, false, NULL));
            } else {
                STOP("a quote that is not whole");
            }
            break;

        case OWN_CLOSE:
            if (c == r->quote[r->quote_at]) {
                SWALLOW();
                if (++r->quote_at == r->quote_len)
                    TRY(end_string(r, false, NULL));
            } else {
                r->at = i;
                TRY(out_text(r, r->quote, r->quote_at));
                r->state = STRING;
                run = i;
            }
            break;

        case CLOSED:
            if (is_space(c)) {
                SWALLOW();
            } else if (c == '"' || c == '\'') {
                SWALLOW();
                r->delimiter = c;
                r->raw_string = false;
                r->triple = 0;
                r->back = CLOSED;
                r->state = OPENING;
            } else {
                r->at = i;
                run = i;
                TRY(end_string(r, false, NULL));
            }
            break;

        case WORD: {
            bool number = r->word.len && (r->word.data[0] == '-' || r->word.data[0] == '+' ||
                                          (r->word.data[0] >= '0' && r->word.data[0] <= '9'));
            bool goes_on = is_word_byte((unsigned char)c);
            if (r->flags & SLUICE__PYTHON && r->word.len && r->word.len <= 2 && !r->in_key &&
                (c == '"' || c == '\'') && strspn(r->word.data, "rRbBfFuU") >= r->word.len) {
                r->raw_string = r->word.data[0] == 'r' || r->word.data[0] == 'R' ||
                                r->word.data[r->word.len - 1] == 'r' ||
                                r->word.data[r->word.len - 1] == 'R';
                SWALLOW();
                r->delimiter = c;
                r->state = OPENING;
                break;
            }
            if (!goes_on && (c == ' ' || c == '\t') && !r->in_key && !number &&
                r->flags & SLUICE__BARE && !(r->flags & SLUICE__PYTHON) &&
                !word_is(&r->word, "true") && !word_is(&r->word, "false") &&
                !word_is(&r->word, "null") && !word_is(&r->word, "True") &&
                !word_is(&r->word, "False") && !word_is(&r->word, "None"))
                goes_on = true;
            if (goes_on) {
                if (r->word.len >= WORD_MAX) {
                    r->at_limit = true;
                    STOP("a number or word that is too long");
                }
                TRY(sluice__buffer_reserve(&r->alloc, &r->word, 2));
                r->word.data[r->word.len++] = c;
                r->word.data[r->word.len] = 0;
                run = ++i;
                break;
            }
            r->at = i;
            run = i;
            if (r->in_key) {
                if (top_of(r) != KWARGS && !r->quote) /* there it is the notation */
                    NOTE("a bare key was quoted");
                TRY(out(r, "\"", 1, false) && out_text(r, r->word.data, r->word.len));
                if ((c == '"' || c == '\'') && r->flags & SLUICE__BARE)
                    SWALLOW();
                TRY(end_string(r, false, NULL));
                break;
            }
            if (c == '(' && r->flags & SLUICE__PYTHON)
                STOP("a call stands inside the arguments");
            if (!end_word(r, &memory))
                goto stop;
            TRY(memory);
            value_done(r);
            break;
        }

        case SLASH:
            if (c == '/' || c == '*') {
                SWALLOW();
                NOTE("a comment was left out");
                r->state = c == '/' ? LINE : BLOCK;
            } else if (r->flags & SLUICE__TOTAL) {
                r->state = r->back;
                run = i;
            } else {
                STOP("a slash that begins no comment");
            }
            break;
        case LINE:
            SWALLOW();
            if (c == '\n')
                r->state = r->back;
            break;
        case BLOCK:
            SWALLOW();
            if (c == '*')
                r->state = BLOCK_END;
            break;
        case BLOCK_END:
            SWALLOW();
            if (c != '*')
                r->state = c == '/' ? r->back : BLOCK;
            break;

        case OUTSIDE:
            if (c == 'n' || c == 't' || c == 'r') {
                SWALLOW();
                NOTE("an escape outside a string was left out");
                r->state = r->back;
            } else if (r->flags & SLUICE__TOTAL) {
                NOTE("a byte that means nothing here was left out");
                r->state = r->back;
                run = i;
            } else {
                STOP("a backslash outside a string");
            }
            break;

        case DONE:
            r->at = i;
            *used = i;
            return SLUICE__READ_DONE;
        }
    }
    FLUSH();
    *used = n;
    if (end && r->state == WORD && r->depth == 0) { /* at the top the end of the text ends a word */
        if (!end_word(r, &memory)) {
            *used = n;
            return SLUICE__READ_STOP;
        }
        TRY(memory);
        value_done(r);
    }
    if (end && r->state == CLOSED && r->depth == 0)
        TRY(end_string(r, false, NULL));
    return r->state == DONE ? SLUICE__READ_DONE : SLUICE__READ_MORE;
stop:
    r->at = i;
    if (i > run && !out(r, in + run, i - run, true))
        goto nomem;
    *used = i;
    return SLUICE__READ_STOP;
nomem:
    *used = i;
    return SLUICE__READ_NOMEM;
}

bool sluice__reader_close(sluice__reader *r) {
    bool inside = false;
    switch ((enum state)r->state) {
    case DONE:
        r->cut = false;
        return true;
    case AFTER:
        break;
    case KEY:
    case VALUE:
        inside = r->had_comma || r->pending.len > 0;
        for (size_t i = 0; !r->had_comma && inside && i < r->pending.len; i++)
            if (!is_space(r->pending.data[i]))
                break;
            else if (i + 1 == r->pending.len)
                inside = false;
        break;
    case CLOSED:
        if (!end_string(r, false, NULL))
            return false;
        break;
    default:
        inside = true;
        break;
    }
    if (inside && !r->in_key) {
        switch ((enum state)r->state) {
        case SEQUENCE:
            if (!replaced(r) || !out(r, "\xEF\xBF\xBD", 3, false) || !decoded(r, "\xEF\xBF\xBD", 3))
                return false;
            if (!end_string(r, false, NULL))
                return false;
            break;
        case TRIPLE:
            for (; r->triple > 1; r->triple--)
                if (!out_char(r, (unsigned char)r->delimiter))
                    return false;
            if (!end_string(r, false, NULL))
                return false;
            break;
        case OPENING:
        case OPENING_2:
            if (r->back != CLOSED && !begin_string(r, r->delimiter, false, NULL))
                return false;
            /* fall through */
        case STRING:
        case ESCAPE:
        case HEX:
        case OWN_CLOSE:
            if (!end_string(r, false, NULL))
                return false;
            break;
        default:
            break;
        }
    }
    r->pending.len = 0;
    if (r->let_go) { /* the key is out: give it a value */
        if ((r->in_key && r->state != COLON && !out(r, "\"", 1, false)) ||
            (r->in_key && !out(r, ":", 1, false)) || !out(r, "null", 4, false))
            return false;
        r->let_go = false;
    }
    while (r->depth) {
        r->holding = true;
        if (!close_container(r, false, NULL))
            return false;
    }
    r->pending.len = 0;
    if (r->flags & SLUICE__TOTAL && !r->top_level_done) {
        r->holding = false;
        r->top_level_done = true;
        if (!out(r, "null", 4, false))
            return false;
    }
    r->state = DONE;
    r->cut = inside;
    return true;
}

static bool ignore(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

bool sluice__is_json(const sluice_allocator *a, const char *p, size_t n, const char **why,
                     size_t *at) {
    sluice__sink sink = {NULL, ignore, NULL, 0, false, NULL, NULL};
    sluice__reader r;
    size_t used;
    sluice__reader_init(&r, a, &sink, 0, SLUICE__TOP_ANY, NULL, 0, SLUICE__DEPTH_MAX);
    sluice__reading what = sluice__reader_feed(&r, p, n, true, &used);
    *why = what == SLUICE__READ_STOP && r.problem ? r.problem : "the text ends inside the value";
    sluice__reader_release(&r);
    *at = used;
    if (what != SLUICE__READ_DONE)
        return false;
    while (used < n && (p[used] == ' ' || p[used] == '\t' || p[used] == '\r' || p[used] == '\n'))
        used++;
    *why = "text behind the value";
    *at = used;
    return used == n;
}
