/* What would close a JSON text that has been seen up to somewhere. */
#include "closing.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { NOTHING, OPENED, COMMA, IN_KEY, AFTER_KEY, COLON, IN_STRING, SCALAR, AFTER_VALUE };

void sluice__closing_clear(sluice__closing *c) {
    c->open.len = 0;
    c->state = NOTHING;
    c->escape = 0;
}

void sluice__closing_release(const sluice_allocator *a, sluice__closing *c) {
    if (c->open.data)
        sluice__buffer_release(a, &c->open);
}

static bool in_object(const sluice__closing *c) {
    return c->open.len && c->open.data[c->open.len - 1] == '{';
}

/* How many of p[0..n) are neither a quote nor a backslash. */
static size_t in_string_run(const char *p, size_t n) {
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');
    for (; n - i >= 16; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        int hit =
            _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back)));
        if (hit)
            return i + (size_t)__builtin_ctz((unsigned)hit);
    }
#endif
    while (i < n && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

/* One byte inside a string: is the string over? */
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

/* One byte outside strings. False: no memory. */
static bool between(const sluice_allocator *a, sluice__closing *c, char ch) {
    switch (ch) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
        if (c->state == SCALAR)
            c->state = AFTER_VALUE;
        return true;
    case '{':
    case '[':
        c->state = OPENED;
        return sluice__buffer_add(a, &c->open, &ch, 1);
    case '}':
    case ']':
        if (c->open.len)
            c->open.len--;
        c->state = AFTER_VALUE;
        return true;
    case ',':
        c->state = COMMA;
        return true;
    case ':':
        c->state = COLON;
        return true;
    case '"':
        c->state = in_object(c) && c->state != COLON ? IN_KEY : IN_STRING;
        return true;
    default:
        c->state = SCALAR;
        c->word = c->last = (uint8_t)ch;
        c->length = 1;
        return true;
    }
}

/* The rest of a number or word, as far as it is there; how many bytes that is. */
static size_t scalar_run(sluice__closing *c, const char *p, size_t n) {
    static const bool ends[256] = {
        [' '] = true, ['\t'] = true, ['\n'] = true, ['\r'] = true, ['{'] = true, ['}'] = true,
        ['['] = true, [']'] = true,  [','] = true,  [':'] = true,  ['"'] = true};
    size_t i = 0;
    while (i < n && !ends[(unsigned char)p[i]])
        i++;
    if (i) {
        c->length = (uint8_t)(i < 255u - c->length ? c->length + i : 255);
        c->last = (uint8_t)p[i - 1];
    }
    return i;
}

bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (c->state == IN_STRING || c->state == IN_KEY) {
            if (!c->escape)
                i += in_string_run(p + i, n - i); /* nearly all of it */
            if (i < n && in_string(c, p[i]))
                c->state = c->state == IN_KEY ? AFTER_KEY : AFTER_VALUE;
        } else {
            if (c->state == SCALAR)
                i += scalar_run(c, p + i, n - i);
            if (i < n && !between(a, c, p[i]))
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

/* What is missing of a scalar that may be cut. */
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
            put(&w, "\\"); /* a backslash is the least that it can become */
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
    for (size_t i = c->open.len; i > 0; i--)
        put(&w, c->open.data[i - 1] == '{' ? "}" : "]");
    if (size)
        buffer[w.len < size ? w.len : size - 1] = 0;
    return w.len;
}
