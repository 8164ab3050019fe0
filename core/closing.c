/* What closes a JSON text that was seen up to some byte. */
#include "closing.h"
#include "json/run.h"

enum { NOTHING, OPENED, COMMA, IN_KEY, AFTER_KEY, COLON, IN_STRING, SCALAR, AFTER_VALUE };

void sluice__closing_clear(sluice__closing *c) {
    c->depth = 0;
    c->deep.len = 0;
    c->state = NOTHING;
    c->escape = 0;
}

void sluice__closing_at(sluice__closing *c, bool in_string) {
    c->state = in_string ? IN_STRING : AFTER_VALUE;
}

void sluice__closing_over(sluice__closing *c) {
    c->depth = 0;
    c->deep.len = 0;
    c->state = AFTER_VALUE;
}

void sluice__closing_text(sluice__closing *c, bool first) {
    if (first)
        c->open = c->depth = 1;
    c->state = IN_STRING;
}

void sluice__closing_release(const sluice_allocator *a, sluice__closing *c) {
    if (c->deep.data)
        sluice__buffer_release(a, &c->deep);
}

static bool in_object(const sluice__closing *c) {
    return c->deep.len ? c->deep.data[c->deep.len - 1] == '{'
                       : c->depth && c->open >> (c->depth - 1) & 1;
}

/* Reads one byte inside a string; true if it ends the string. */
static bool in_string(sluice__closing *c, char ch) {
    if (c->escape == 1)
        c->escape = ch == 'u' ? 2 : 0;
    else if (c->escape)
        c->escape = c->escape == 5 ? 0 : (uint8_t)(c->escape + 1);
    else if (ch == '\\')
        c->escape = 1;
    else
        return ch == '"';
    return false;
}

enum { NEAR = 64 }; /* bits of `open` */

/* Classes of bytes outside strings; all others belong to a number or a word. */
enum { OF_SCALAR, BLANK, COMMA_OR_COLON, OPENER, CLOSER, QUOTE };
static const uint8_t kinds[256] = {
    [' '] = BLANK,          ['\t'] = BLANK,         ['\n'] = BLANK, ['\r'] = BLANK,
    ['{'] = OPENER,         ['['] = OPENER,         ['}'] = CLOSER, [']'] = CLOSER,
    [','] = COMMA_OR_COLON, [':'] = COMMA_OR_COLON, ['"'] = QUOTE};

static inline bool is_bracket(char ch) {
    unsigned kind = kinds[(unsigned char)ch];
    return kind == OPENER || kind == CLOSER;
}

/* Reads bytes outside strings and between brackets: only their end matters. */
static void pass_over(sluice__closing *c, const char *from, const char *to) {
    const char *end = to;
    while (end > from && kinds[(unsigned char)end[-1]] == BLANK)
        end--;
    if (end > from) {
        const char *begin = end;
        while (begin > from && kinds[(unsigned char)begin[-1]] == OF_SCALAR)
            begin--;
        if (begin == end) {
            c->state = end[-1] == ':' ? COLON : COMMA;
            return;
        }
        if (begin > from || c->state != SCALAR) {
            c->state = SCALAR;
            c->word = (uint8_t)*begin;
            c->length = 0;
        }
        size_t n = sluice__minus(end, begin);
        c->length = (uint8_t)(n < 255u - c->length ? c->length + n : 255);
        c->last = (uint8_t)end[-1];
    }
    if (end < to && c->state == SCALAR)
        c->state = AFTER_VALUE;
}

/* Returns the first quote or bracket, or `end`. */
static const char *next_mark(const char *p, const char *end) {
    for (;; p++) {
        p += sluice__structure_run(p, sluice__minus(end, p));
        if (p == end || kinds[(unsigned char)*p] >= OPENER)
            return p;
    }
}

#if defined(__SSE2__)
/* Returns the beginning of the escape that p cuts, or p; `escaped`: which of the sixteen bytes
 * before it are escaped; `carry`: p[0] is. */
static inline const char *cut_escape(const char *p, unsigned escaped, unsigned carry) {
    if (carry)
        return p - 1;
    for (int k = 1; escaped >> 12 && k <= 4; k++)
        if (escaped >> (16 - k) & 1 && p[-k] == 'u')
            return p - k - 1;
    return p;
}
#endif

/* Inside a string: returns the quote that ends it, an escape that is cut, or `end`. */
static inline const char *inside(const char *p, const char *end) {
#if defined(__SSE2__)
    unsigned escaped = 0, carry = 0;
    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        unsigned quotes = sluice__where(v, '"'), backs = sluice__where(v, '\\');
        escaped = backs | carry ? sluice__escaped(backs, &carry) : 0;
        quotes &= ~escaped;
        if (quotes)
            return p + __builtin_ctz(quotes);
    }
    p = cut_escape(p, escaped, carry);
#endif
    for (;;) {
        p += sluice__string_run(p, sluice__minus(end, p));
        if (end - p < 2 || *p == '"')
            return p;
        size_t n = p[1] == 'u' ? 6 : 2;
        if (sluice__minus(end, p) < n)
            return p;
        p += n;
    }
}

/* Reads a string whose quote is at `quote`; the bytes from `from` to there are outside strings.
 * Returns the end of the part that needs no check of each byte. */
static const char *string(sluice__closing *c, const char *from, const char *quote,
                          const char *end) {
    const char *last = inside(quote + 1, end);
    bool closed = last < end && *last == '"';
    if (closed && end - last > 1 && kinds[(unsigned char)last[1]] != BLANK) {
        c->state = AFTER_VALUE; /* or a key, which the next bytes show */
        return last + 1;
    }
    bool object = in_object(c);
    if (object)
        pass_over(c, from, quote);
    bool key = object && c->state != COLON;
    if (closed)
        c->state = key ? AFTER_KEY : AFTER_VALUE;
    else
        c->state = key ? IN_KEY : IN_STRING;
    return last + closed;
}

/* Reads a bracket outside strings. False if out of memory. */
static inline bool bracket(const sluice_allocator *a, sluice__closing *c, char ch) {
    if (kinds[(unsigned char)ch] == CLOSER) {
        if (c->deep.len)
            c->deep.len--;
        else if (c->depth)
            c->depth--;
        c->state = AFTER_VALUE;
        return true;
    }
    c->state = OPENED;
    uint64_t bit = c->depth < NEAR ? (uint64_t)1 << c->depth : 0;
    if (!bit)
        return sluice__buffer_add(a, &c->deep, &ch, 1);
    c->open = ch == '{' ? c->open | bit : c->open & ~bit;
    c->depth++;
    return true;
}

bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n) {
    const char *end = p + n;
    bool in_text = c->state == IN_STRING || c->state == IN_KEY;
    if (n == 1 && !in_text && is_bracket(*p)) /* as arguments mostly begin and end */
        return bracket(a, c, *p);
    while (p < end) {
        if (c->state == IN_STRING || c->state == IN_KEY) {
            if (!c->escape)
                p = inside(p, end); /* the most frequent case */
            if (p < end && in_string(c, *p++))
                c->state = c->state == IN_KEY ? AFTER_KEY : AFTER_VALUE;
            continue;
        }
        const char *from = p;
        p = next_mark(p, end);
        if (p == end) {
            pass_over(c, from, p);
            break;
        }
        char ch = *p++;
        if (ch == '"') {
            p = string(c, from, p - 1, end);
        } else if (!bracket(a, c, ch)) {
            return false;
        }
    }
    return true;
}

struct writer {
    char *to;
    size_t size, len;
};

static void put(struct writer *w, const char *text) {
    for (; *text; text++, w->len++)
        if (w->len + 1 < w->size)
            w->to[w->len] = *text;
}

/* Returns the missing rest of a scalar that may be cut. */
static const char *rest_of(const sluice__closing *c) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++)
        if (words[i][0] == (char)c->word)
            return words[i] + (c->length < strlen(words[i]) ? c->length : strlen(words[i]));
    return c->last >= '0' && c->last <= '9' ? "" : "0";
}

size_t sluice__closing_write(const sluice__closing *c, char *buffer, size_t size) {
    struct writer w = {buffer, size, 0};
    if (c->state == IN_KEY || c->state == IN_STRING) {
        if (c->escape == 1)
            put(&w, "\\"); /* a backslash is the shortest completion */
        else if (c->escape)
            put(&w, &"fffd"[c->escape - 2]);
        put(&w, "\"");
    }
    switch (c->state) {
    case NOTHING:
        put(&w, "{}");
        break;
    case COMMA:
        put(&w, in_object(c) ? "\"\":null" : "null");
        break;
    case IN_KEY:
    case AFTER_KEY:
        put(&w, ":null");
        break;
    case COLON:
        put(&w, "null");
        break;
    case SCALAR:
        put(&w, rest_of(c));
        break;
    }
    for (size_t i = c->deep.len; i > 0; i--)
        put(&w, c->deep.data[i - 1] == '{' ? "}" : "]");
    for (unsigned i = c->depth; i > 0; i--)
        put(&w, c->open >> (i - 1) & 1 ? "}" : "]");
    if (size)
        buffer[w.len < size ? w.len : size - 1] = 0;
    return w.len;
}
