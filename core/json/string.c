/* Strings: runs of bytes that pass unchanged, escapes, and the quotes of other notations. */
#include "inside.h"
#include "run.h"

/* ---- Runs ----------------------------------------------------------------------------------- */

#if defined(__SSE2__)
/* Returns which of these bytes do not pass unchanged. */
static inline unsigned odd_bytes(__m128i v, char q) {
    const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'), own = _mm_set1_epi8(q);
    const __m128i space = _mm_set1_epi8(0x20);
    __m128i odd = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back)),
                               _mm_or_si128(_mm_cmpeq_epi8(v, own), _mm_cmplt_epi8(v, space)));
    return (unsigned)_mm_movemask_epi8(odd); /* signed: bytes from 0x80 are below 0x20 */
}
#endif

size_t plain_run(const char *p, size_t n, char q) {
    size_t i = 0;
#if defined(__SSE2__)
    for (; n - i >= 16; i += 16) {
        unsigned odd = odd_bytes(_mm_loadu_si128((const __m128i *)(const void *)(p + i)), q);
        if (odd)
            return i + (size_t)__builtin_ctz(odd);
    }
#endif
    while (i < n) {
        if (sluice__odd_in_string[(unsigned char)p[i]] || p[i] == q)
            break;
        i++;
    }
    return i;
}

#define EIGHT 1, 1, 1, 1, 1, 1, 1, 1
#define MANY EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT
const uint8_t sluice__odd_in_string[256] = {
    EIGHT, EIGHT, EIGHT, EIGHT, ['"'] = 1, ['\\'] = 1, [0x80] = MANY, MANY};
#undef EIGHT
#undef MANY

static const uint8_t hex[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
    ['8'] = 1, ['9'] = 1, ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1,
    ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1};

static inline bool is_hex(char c) { return hex[(unsigned char)c]; }

static uint32_t hex_code(const char *p, size_t n) {
    uint32_t code = 0;
    for (size_t k = 0; k < n; k++)
        code = code << 4 | (uint32_t)(p[k] <= '9' ? p[k] - '0' : (p[k] | 32) - 'a' + 10);
    return code;
}

/* Returns the character for \c; 0: none, or \u. */
static inline char escaped_char(char c) {
    static const char chars[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    return (unsigned char)c < 128 ? chars[(unsigned char)c] : 0;
}

/* The same except for \b and \f: see `note_escape`. */
static inline char passing_char(char c) { return c == 'b' || c == 'f' ? 0 : escaped_char(c); }

/* Returns the length of the whole JSON escape at p; 0 if it must be checked, too. */
static inline size_t whole_escape(const char *p, size_t n) {
    static const uint8_t lengths[256] = {
        ['"'] = 2, ['\\'] = 2, ['/'] = 2, ['n'] = 2, ['r'] = 2, ['t'] = 2, ['u'] = 6};
    size_t k = n < 2 ? 0 : lengths[(unsigned char)p[1]];
    if (k <= 2)
        return k;
    return n >= 6 && is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? k : 0;
}

/* True if the bits that `mask` has in the four bytes at p are those of `bytes`. */
static inline bool has_bits(const char *p, const char *mask, const char *bytes) {
    uint32_t x, m, b;
    memcpy(&x, p, 4);
    memcpy(&m, mask, 4);
    memcpy(&b, bytes, 4);
    return (x & m) == b;
}

#if defined(__SSE2__)
/* True if fifteen of these sixteen bytes are five sequences of three bytes whose second byte may be
 * any continuation byte. */
static inline bool five_triples(const char *p) {
    enum { FIFTEEN = 0x7FFF, LEADS = 0x1249 };
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i high = _mm_and_si128(v, _mm_set1_epi8((char)0xF0));
    __m128i leads = _mm_cmpeq_epi8(high, _mm_set1_epi8((char)0xE0));
    __m128i strict = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8((char)0xE0)),
                                  _mm_cmpeq_epi8(v, _mm_set1_epi8((char)0xED)));
    __m128i more = _mm_cmplt_epi8(v, _mm_set1_epi8((char)0xC0)); /* signed: from 0x80 on */
    return (_mm_movemask_epi8(_mm_andnot_si128(strict, leads)) & FIFTEEN) == LEADS &&
           (_mm_movemask_epi8(more) & FIFTEEN) == (FIFTEEN & ~LEADS);
}
#endif

/* Returns the length of the whole sequence at p if it is one of the most frequent ones; else 0. At
 * least four bytes must be readable. */
static inline size_t frequent_sequence(const char *p) {
    unsigned char c = (unsigned char)p[0], second = (unsigned char)p[1];
    if (has_bits(p, "\xF0\xC0\xC0", "\xE0\x80\x80"))
        return (c != 0xE0 || second >= 0xA0) && (c != 0xED || second < 0xA0) ? 3 : 0;
    if (has_bits(p, "\xE0\xC0\0", "\xC0\x80\0"))
        return c >= 0xC2 ? 2 : 0;
    return c == 0xF0 && second >= 0x90 && has_bits(p, "\xF8\xC0\xC0\xC0", "\xF0\x80\x80\x80") ? 4
                                                                                              : 0;
}

/* Returns the length of the whole non-ASCII sequences at p. */
static size_t whole_sequences(const char *p, size_t n) {
    size_t i = 0;
#if defined(__SSE2__)
    while (n - i >= 16 && five_triples(p + i))
        i += 15;
#endif
    while (i < n && (unsigned char)p[i] >= 0x80) {
        size_t k = n - i >= 4 ? frequent_sequence(p + i) : 0;
        if (!k) {
            int len = sluice__utf8_sequence(p + i, n - i);
            if (len <= 0)
                break;
            k = (size_t)len;
        }
        i += k;
    }
    return i;
}

#if defined(__SSE2__)
/* Returns which of these bytes are an escape after a backslash, without \b, \f and \u. */
static inline unsigned short_escapes(__m128i v) {
    __m128i signs = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                 _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')),
                                              _mm_cmpeq_epi8(v, _mm_set1_epi8('/'))));
    __m128i letters = _mm_or_si128(
        _mm_cmpeq_epi8(v, _mm_set1_epi8('n')),
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('r')), _mm_cmpeq_epi8(v, _mm_set1_epi8('t'))));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(signs, letters));
}

/* Passes whole blocks of sixteen bytes from p[*at] on. True if p[*at] may stop the run. */
static inline __attribute__((always_inline)) bool passing_blocks(const char *p, size_t n, char q,
                                                                 size_t *at) {
    size_t i = *at;
    unsigned carry = 0;
    while (n - i >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        unsigned stops = odd_bytes(v, q), backs = sluice__where(v, '\\'), escaped = 0;
        if (backs | carry) {
            escaped = sluice__escaped(backs, &carry);
            stops &= ~(backs | escaped);
            stops |= escaped & ~short_escapes(v);
        }
        if (!stops) {
            i += 16;
            continue;
        }
        size_t k = (size_t)__builtin_ctz(stops), len;
        i += k;
        if (escaped >> k & 1) {
            i--;
            len = whole_escape(p + i, n - i);
        } else {
            len = (unsigned char)p[i] >= 0x80 ? whole_sequences(p + i, n - i) : 0;
        }
        if (!len) {
            *at = i;
            return true;
        }
        i += len;
        carry = 0;
    }
    *at = i - carry;
    return false;
}
#endif

size_t passing_run(const char *p, size_t n, char q) {
    size_t i = 0, k;
#if defined(__SSE2__)
    if (q == '"' ? passing_blocks(p, n, '"', &i) : passing_blocks(p, n, q, &i))
        return i;
#endif
    for (;;) {
        i += plain_run(p + i, n - i, q);
        if (i >= n)
            return n;
        if ((unsigned char)p[i] >= 0x80)
            k = whole_sequences(p + i, n - i);
        else
            k = p[i] == '\\' ? whole_escape(p + i, n - i) : 0;
        if (!k)
            return i;
        i += k;
    }
}

bool sluice__string_passes(const char *p, size_t n, size_t *passed) {
    size_t i = *passed = passing_run(p, n, '"');
    if (i == n)
        return true;
    if ((unsigned char)p[i] >= 0x80)
        return sluice__utf8_sequence(p + i, n - i) == 0;
    if (p[i] != '\\' || (n - i > 1 && p[i + 1] != 'u') || n - i >= 6)
        return false;
    for (i += 2; i < n; i++)
        if (!is_hex(p[i]))
            return false;
    return true;
}

/* ---- Runs that are decoded as they pass ------------------------------------------------------ */

/* Decoded text on its way to the sink. */
typedef struct text {
    size_t len;
    char data[512];
} text;

static bool send_text(sluice__reader *r, text *t) {
    size_t n = t->len;
    t->len = 0;
    r->at = r->i; /* the text follows a waiting high surrogate */
    return !n || token(r, r->in_key ? SLUICE__T_KEY : SLUICE__T_STRING, t->data, n);
}

static bool add_text(sluice__reader *r, text *t, const char *p, size_t n) {
    if (r->high) { /* its other half did not come */
        char half[4];
        size_t len = lone_half(r, r->high, half);
        r->high = 0;
        if (!add_text(r, t, half, len))
            return false;
    }
    if (n > sizeof t->data - t->len && !send_text(r, t))
        return false;
    if (!n)
        return true;
    if (n > sizeof t->data / 2)
        return send_text(r, t) && decoded(r, p, n);
    memcpy(t->data + t->len, p, n);
    t->len += n;
    return true;
}

static bool add_code(sluice__reader *r, text *t, uint32_t code) {
    char utf8[4];
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (!add_text(r, t, NULL, 0))
            return false;
        r->high = (uint16_t)code;
        return true;
    }
    if (code >= 0xDC00 && code <= 0xDFFF) {
        if (!r->high)
            return add_text(r, t, utf8, lone_half(r, code, utf8));
        code = 0x10000 + (((uint32_t)r->high - 0xD800) << 10) + (code - 0xDC00);
        r->high = 0;
    }
    int len = sluice__utf8_encode(code, utf8);
    return add_text(r, t, utf8, (size_t)len);
}

/* Reads one character after the other while escapes are dense. */
static void dense_run(sluice__reader *r, text *t, char q) {
    enum { CALM = 16 };
    const char *p = r->in + r->i, *end = r->in + r->n;
    char *to = t->data + t->len, *most = t->data + sizeof t->data;
    for (int calm = 0; calm < CALM && end - p >= 2 && to < most && !r->high; to++) {
        unsigned char c = (unsigned char)*p;
        if (c == '\\') {
            char plain = passing_char(p[1]);
            if (!plain)
                break;
            *to = plain;
            p += 2;
            calm = 0;
        } else if (c >= 0x20 && c < 0x80 && c != '"' && c != (unsigned char)q) {
            *to = (char)c;
            p++;
            calm++;
        } else {
            break;
        }
    }
    t->len = sluice__minus(to, t->data);
    r->i = sluice__minus(p, r->in);
}

/* Passes what `passing_run` would, and outputs its decoded text. */
static bool passing_text(sluice__reader *r, char q) {
    text t; /* only used bytes are initialised */
    t.len = 0;
    for (;;) {
        const char *p = r->in + r->i;
        size_t n = r->n - r->i, k = plain_run(p, n, q);
        if (k && !add_text(r, &t, p, k))
            return false;
        r->i += k, p += k, n -= k;
        if (!n)
            break;
        if (*p == '\\') {
            char c = n > 1 ? passing_char(p[1]) : 0;
            k = c ? 2 : whole_escape(p, n);
            if (!k)
                break;
            if (!(c ? add_text(r, &t, &c, 1) : add_code(r, &t, hex_code(p + 2, 4))))
                return false;
        } else {
            k = (unsigned char)*p >= 0x80 ? whole_sequences(p, n) : 0;
            if (!k)
                break;
            if (!add_text(r, &t, p, k))
                return false;
        }
        r->i += k;
        dense_run(r, &t, q);
    }
    return send_text(r, &t);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

bool begin_string(sluice__reader *r, char delimiter, bool source, const char *p) {
    r->delimiter = delimiter;
    r->before = 0;
    r->high = 0;
    r->begins = delimiter && !(r->flags & SLUICE__PYTHON) ? 0 : NO_DRIVE;
    r->escapes = 0;
    r->state = STRING;
    if (!out(r, source ? p : "\"", 1, source))
        return false;
    return r->in_key || settle(r);
}

bool end_string(sluice__reader *r, bool source, const char *p) {
    if (!decoded(r, NULL, 0))
        return false;
    if (r->in_key) {
        r->state = COLON;
        return token(r, SLUICE__T_KEY_END, NULL, 0) && out(r, source ? p : "\"", 1, source);
    }
    if (!token(r, SLUICE__T_STRING_END, NULL, 0) || !out(r, source ? p : "\"", 1, source))
        return false;
    value_done(r);
    r->last = LAST_STRING;
    return true;
}

void sluice__reader_passed(sluice__reader *r, const char *p, size_t n) {
    while (n && is_space(p[n - 1]))
        n--;
    if (n)
        r->before = p[n - 1];
}

/* ---- Inside ---------------------------------------------------------------------------------- */

/* Handles the first byte of the delimiter. */
static going closing(sluice__reader *r, char q) {
    if (r->delimiter == 0) {
        r->quote_at = 1;
        r->state = OWN_CLOSE;
        return memory(swallow(r) && (r->quote_len > 1 || end_string(r, false, NULL)));
    }
    if (r->triple) {
        r->triple = 2;
        r->state = TRIPLE;
        return memory(swallow(r));
    }
    bool yes;
    going how = closes(r, &yes);
    if (how != GOES_ON)
        return how;
    if (!yes) {
        r->before = q;
        return memory(swallow(r) && out_char(r, (unsigned char)q));
    }
    if (r->flags & SLUICE__PYTHON && !r->in_key) {
        r->state = CLOSED;
        r->before = q;
        return memory(swallow(r));
    }
    if (!flush(r))
        return NO_MEMORY;
    r->run = r->at = ++r->i;
    return memory(end_string(r, q == '"', r->in + r->i - 1));
}

static going control(sluice__reader *r, char c) {
    bool free = !r->delimiter || r->triple; /* such strings may contain them */
    if (!free && !(r->flags & SLUICE__CONTROLS))
        return refuse(r, "a control character in a string");
    return memory(swallow(r) && (free || tell(r, "a control character in a string was escaped")) &&
                  out_char(r, (unsigned char)c));
}

/* Handles a non-ASCII byte. */
static going beyond(sluice__reader *r) {
    const char *p = r->in + r->i;
    size_t n = r->n - r->i;
    int len = sluice__utf8_sequence(p, n);
    if (len > 0) {
        r->i += (size_t)len;
        return memory(decoded(r, p, (size_t)len));
    }
    if (!flush(r))
        return NO_MEMORY;
    if (len == 0) {
        r->part_len = (uint8_t)n;
        memcpy(r->part, p, n);
        r->i = r->run = r->n;
        r->state = SEQUENCE;
        return GOES_ON;
    }
    r->i += (size_t)-len;
    r->run = r->at = r->i;
    return memory(replaced(r));
}

size_t path_run(sluice__reader *r) {
    size_t i = r->i;
    for (; r->begins < DRIVE && i < r->n; i++)
        r->begins = continues_drive(r->begins, r->in[i]) ? r->begins + 1 : NO_DRIVE;
    return r->begins < DRIVE ? i - r->i : 0;
}

static going in_string(sluice__reader *r, char c) {
    char q = r->delimiter ? r->delimiter : r->quote[0];
    size_t before = r->i, first = r->begins < DRIVE ? path_run(r) : 0;
    if (first) {
        r->i += first;
        if (!decoded(r, r->in + before, first))
            return NO_MEMORY;
    } else if (!r->delimiter || r->raw_string ||
               r->begins == DRIVE) { /* the string has no escapes, or doubtful ones */
        size_t k = plain_run(r->in + r->i, r->n - r->i, q);
        r->i += k;
        if (k && !decoded(r, r->in + before, k))
            return NO_MEMORY;
    } else if (!wants_text(r)) {
        r->i += passing_run(r->in + r->i, r->n - r->i, q);
    } else if (!passing_text(r, q)) {
        return NO_MEMORY;
    }
    if (r->i > before) {
        if (r->flags & SLUICE__PYTHON)
            sluice__reader_passed(r, r->in + before, r->i - before);
        return GOES_ON;
    }
    if (c == q && r->delimiter == 0 && r->quotes_are_text)
        return memory(swallow(r) && out_char(r, q));
    if (c == q)
        return closing(r, q);
    if (!is_space(c))
        r->before = c; /* of an escape or a character the first byte is enough */
    if (c == '"')
        return memory(swallow(r) && out_char(r, '"'));
    if (c == '\\') {
        if (r->delimiter == 0)
            return memory(swallow(r) && out_char(r, '\\'));
        r->state = ESCAPE;
        return memory(swallow(r));
    }
    return (unsigned char)c < 0x20 ? control(r, c) : beyond(r);
}

going sluice__reading_string(sluice__reader *r, char c) {
    if (!r->formatted)
        return in_string(r, c);
    if (c == '{' || c == '}') {
        r->formatted = false;
        return memory(flush(r) && tell_doubt(r, "an f-string contains an expression"));
    }
    size_t n = r->n, k = r->i;
    while (k < n && r->in[k] != '{' && r->in[k] != '}')
        k++;
    r->n = k; /* read up to the brace */
    going going = in_string(r, c);
    r->n = n;
    return going;
}

/* Continues a UTF-8 sequence of an earlier chunk. */
going sluice__reading_sequence(sluice__reader *r, char c) {
    r->part[r->part_len++] = c;
    int len = sluice__utf8_sequence(r->part, r->part_len);
    r->at = r->i;
    if (len < 0) {
        r->part_len = 0;
        r->state = STRING;
        r->run = r->i;
        return memory(replaced(r));
    }
    r->run = ++r->i;
    if (len == 0)
        return GOES_ON;
    r->at = r->i;
    r->part_len = 0;
    r->state = STRING;
    return memory(out(r, r->part, (size_t)len, false) && decoded(r, r->part, (size_t)len));
}

/* ---- Escapes --------------------------------------------------------------------------------- */

enum { ODD = 1, BROKEN = 2 }; /* of `escapes` */

/* A string with an escape that JSON does not have was not escaped: then a backspace, a form feed,
 * or a control character in a path was not meant. */
static bool note_escape(sluice__reader *r, uint8_t what) {
    uint8_t before = r->escapes;
    if (r->flags & SLUICE__PYTHON)
        return true;
    r->escapes |= what;
    return before == (ODD | BROKEN) || r->escapes != (ODD | BROKEN) ||
           tell_doubt(r, "a string has an escape that JSON does not have: others in it may not be "
                         "escapes, either");
}

/* Handles an escape that JSON does not have. */
static going odd_escape(sluice__reader *r, char c) {
    if (!(r->flags & (SLUICE__ESCAPES | SLUICE__PYTHON)))
        return refuse(r, "an escape that JSON does not have");
    r->state = STRING;
    if (c == '\'' || c == '`')
        return memory(swallow(r) &&
                      (c == r->delimiter || tell(r, "an escape that JSON does not have")) &&
                      out_char(r, (unsigned char)c));
    if (r->flags & SLUICE__PYTHON && c == '\n')
        return memory(swallow(r));
    r->run = r->i;
    return memory(tell(r, "an escape that JSON does not have was kept as text") &&
                  note_escape(r, ODD) && out_char(r, '\\'));
}

going sluice__reading_escape(sluice__reader *r, char c) {
    char both[2] = {'\\', c}, known = escaped_char(c);
    if (r->raw_string) {
        r->at = r->i;
        r->state = STRING;
        if (!out_char(r, '\\'))
            return NO_MEMORY;
        return memory(c != r->delimiter || (swallow(r) && out_char(r, (unsigned char)c)));
    }
    if (known) {
        bool breaks =
            c == 'b' || c == 'f' || (r->begins == DRIVE && (c == 't' || c == 'n' || c == 'r'));
        r->state = STRING;
        return memory((!breaks || note_escape(r, BROKEN)) && swallow(r) && out(r, both, 2, false) &&
                      decoded(r, &known, 1));
    }
    if (c == 'u' || (r->flags & SLUICE__PYTHON && (c == 'x' || c == 'U'))) {
        r->escape_kind = c;
        r->escape_want = c == 'u' ? 4 : c == 'x' ? 2 : 8;
        r->part_len = 0;
        r->state = HEX;
        return memory(swallow(r));
    }
    return odd_escape(r, c);
}

going sluice__reading_hex(sluice__reader *r, char c) {
    if (!is_hex(c)) {
        if (!(r->flags & (SLUICE__ESCAPES | SLUICE__PYTHON)))
            return refuse(r, "an escape without four hexadecimal digits");
        r->run = r->i;
        r->state = STRING;
        bool good = tell(r, "an escape without four hexadecimal digits was kept as text") &&
                    note_escape(r, ODD) && out_char(r, '\\') &&
                    out_char(r, (unsigned char)r->escape_kind);
        for (uint8_t k = 0; good && k < r->part_len; k++)
            good = out_char(r, (unsigned char)r->part[k]);
        return memory(good);
    }
    r->part[r->part_len++] = c;
    r->run = ++r->i;
    if (r->part_len < r->escape_want)
        return GOES_ON;
    uint32_t code = hex_code(r->part, r->part_len);
    r->at = r->i;
    r->state = STRING;
    if (r->escape_kind == 'u')
        return memory(out(r, "\\u", 2, false) && out(r, r->part, 4, false) &&
                      decoded_code(r, code));
    if (code < 0x80)
        return memory(out_char(r, (unsigned char)code));
    char utf8[4];
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        code = 0xFFFD;
    size_t len = (size_t)sluice__utf8_encode(code, utf8);
    return memory(out(r, utf8, len, false) && decoded(r, utf8, len));
}

/* ---- Quotes of other notations --------------------------------------------------------------- */

/* Handles the end of the opening quotes of a Python string. */
static bool opened(sluice__reader *r) {
    bool joined = r->back == CLOSED;
    r->back = 0;
    return joined || begin_string(r, r->delimiter, false, NULL);
}

going sluice__reading_opening(sluice__reader *r, char c) {
    r->at = r->i;
    if (c == r->delimiter) {
        r->state = OPENING_2;
        return memory(swallow(r));
    }
    r->triple = 0;
    bool good = opened(r);
    r->state = STRING;
    r->run = r->i;
    return memory(good);
}

going sluice__reading_opening_2(sluice__reader *r, char c) {
    r->at = r->i;
    if (!opened(r))
        return NO_MEMORY;
    if (c == r->delimiter) {
        r->triple = 1;
        r->state = STRING;
        return memory(swallow(r));
    }
    r->triple = 0;
    r->state = CLOSED;
    r->run = r->i;
    return GOES_ON;
}

/* `triple` is the number of quotes in this run so far, plus one. */
going sluice__reading_triple(sluice__reader *r, char c) {
    if (c == r->delimiter) {
        if (!swallow(r))
            return NO_MEMORY;
        if (r->triple == 3) {
            r->triple = 0;
            r->state = CLOSED;
        } else {
            r->triple++;
        }
        return GOES_ON;
    }
    r->at = r->i;
    for (; r->triple > 1; r->triple--)
        if (!out_char(r, (unsigned char)r->delimiter))
            return NO_MEMORY;
    r->state = STRING;
    r->run = r->i;
    return GOES_ON;
}

going sluice__reading_own_open(sluice__reader *r, char c) {
    if (c != r->quote[r->quote_at])
        return refuse(r, "an incomplete quote");
    return memory(swallow(r) && (++r->quote_at < r->quote_len || begin_string(r, 0, false, NULL)));
}

going sluice__reading_own_close(sluice__reader *r, char c) {
    if (c == r->quote[r->quote_at] && !r->quotes_are_text)
        return memory(swallow(r) && (++r->quote_at < r->quote_len || end_string(r, false, NULL)));
    r->at = r->i;
    r->state = STRING;
    r->run = r->i;
    return memory(out_text(r, r->quote, r->quote_at));
}

going sluice__reading_closed(sluice__reader *r, char c) {
    if (is_space(c))
        return memory(swallow(r));
    if (c == '"' || c == '\'') {
        r->delimiter = c;
        r->raw_string = r->formatted = false;
        r->triple = 0;
        r->back = CLOSED;
        r->state = OPENING;
        return memory(swallow(r));
    }
    r->at = r->run = r->i;
    return memory(end_string(r, false, NULL));
}
