#include "doc.h"

#include "../json/inside.h"
#include "../json/run.h"

enum { DEPTH_MOST = 1024, ROOM_MOST = 8192, EXPONENT_MOST = 100000000 };
#define NOWHERE UINT32_MAX /* ISO C has no enumerators larger than int */

/* ---- Reading --------------------------------------------------------------------------------- */

/* The reader is one loop, and its functions are inlined: its variables stay in registers. Nothing
 * checks for the end of the text: a NUL follows, which no token contains. */
#define always_inline inline __attribute__((always_inline))

typedef struct parser {
    const sluice_allocator *alloc;
    sluice__doc *doc;
    const char *text;
    size_t i, count, depth;
    uint32_t open; /* the innermost container; while open, its `next` is the container around it */
    sluice__value *around; /* the same, or NULL */
    bool known;
} parser;

/* Decodes a valid string to `own`. */
static bool unescape(const sluice_allocator *a, sluice__doc *doc, sluice__value *v) {
    sluice__buffer *own = &doc->own;
    const char *body = doc->text + v->at;
    size_t n = v->len, from = own->len;
    if (!sluice__buffer_reserve(a, own, n + 3))
        return false;
    char *to = own->data + own->len;
    uint32_t high = 0;
    for (size_t i = 0; i < n;) {
        static const char chars[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
        if (body[i] != '\\') {
            const char *next = memchr(body + i, '\\', n - i);
            size_t run = (next ? sluice__minus(next, body) : n) - i;
            memcpy(to, body + i, run);
            to += run;
            i += run;
            continue;
        }
        if (body[i + 1] != 'u' || n - i < 6) {
            *to++ = chars[(unsigned char)body[i + 1] & 127];
            i += 2;
            continue;
        }
        uint32_t code = 0;
        for (size_t k = 2; k < 6; k++) {
            char h = body[i + k];
            code = code << 4 | (uint32_t)(h <= '9' ? h - '0' : (h | 32) - 'a' + 10);
        }
        i += 6;
        high = 0;
        if (code >= 0xD800 && code <= 0xDBFF && n - i >= 6 && body[i] == '\\' &&
            body[i + 1] == 'u') {
            for (size_t k = 2; k < 6; k++) {
                char h = body[i + k];
                high = high << 4 | (uint32_t)(h <= '9' ? h - '0' : (h | 32) - 'a' + 10);
            }
            if (high >= 0xDC00 && high <= 0xDFFF) {
                code = 0x10000 + ((code - 0xD800) << 10) + (high - 0xDC00);
                i += 6;
            }
        }
        if (code >= 0xD800 && code <= 0xDFFF)
            code = 0xFFFD;
        to += sluice__utf8_encode(code, to);
    }
    own->len = sluice__minus(to, own->data);
    v->own = true;
    v->at = (uint32_t)from;
    v->len = (uint32_t)(own->len - from);
    return true;
}

bool sluice__doc_decode(const sluice_allocator *a, sluice__doc *doc, size_t value) {
    for (size_t i = value; doc->raw && i < doc->values[value].next; i++) {
        sluice__value *v = &doc->values[i];
        if (v->raw && !unescape(a, doc, v))
            return false;
        v->raw = false;
    }
    return true;
}

/* Adds a value; there must be room. */
static always_inline sluice__value *add(parser *p, uint8_t kind, size_t at, size_t len) {
    sluice__value *v = &p->doc->values[p->count++];
    *v = (sluice__value){
        .at = (uint32_t)at, .len = (uint32_t)len, .next = (uint32_t)p->count, .kind = kind};
    return v;
}

/* Returns the length of a string's body that is known to be JSON. */
static always_inline size_t known_body(const char *body, size_t room, bool *escaped) {
    for (size_t i = 0;; i += 2) {
        i += sluice__string_run(body + i, room - i);
        if (i >= room || body[i] == '"')
            return i;
        *escaped = true;
        if (room - i < 2)
            return room;
    }
}

/* Returns the length of a string's body, up to an invalid byte. */
static size_t checked_body(const char *body, size_t room, bool *escaped) {
    size_t n = plain_run(body, room, '"');
    if (n < room && body[n] == '"')
        return n;
    n += passing_run(body + n, room - n, '"');
    while (room - n > 2 && body[n] == '\\' && (body[n + 1] == 'b' || body[n + 1] == 'f')) {
        n += 2;
        n += passing_run(body + n, room - n, '"');
    }
    *escaped = memchr(body, '\\', n) != NULL;
    return n;
}

/* Reads the string at p->i: a value, or a key, which is always checked. */
static always_inline sluice__doc_result read_string(parser *p, bool key) {
    const char *body = p->text + p->i + 1;
    bool escaped = false;
    size_t room = p->doc->len - p->i - 1;
    size_t n = p->known ? known_body(body, room, &escaped) : checked_body(body, room, &escaped);
    if (n >= room || body[n] != '"')
        return SLUICE__DOC_BAD;
    sluice__value *v = add(p, SLUICE__V_STRING, p->i + 1, n);
    p->i += n + 2;
    if (!escaped)
        return SLUICE__DOC_OK;
    if (p->known && !key)
        v->raw = p->doc->raw = true;
    else if (!unescape(p->alloc, p->doc, v))
        return SLUICE__DOC_NOMEM;
    return SLUICE__DOC_OK;
}

/* Returns the byte after white space. */
static always_inline char skip(parser *p) {
    for (;; p->i++) {
        char c = p->text[p->i];
        if ((unsigned char)c > ' ' || !is_space(c))
            return c;
    }
}

/* Reads a number or a word that begins with `c`. */
static always_inline sluice__doc_result read_word(parser *p, char c) {
    const char *text = p->text + p->i;
    size_t k = 0;
    uint8_t kind = SLUICE__V_NUMBER;
    bool whole = false;
    if (c <= '9') {
        size_t digits;
        k = sluice__number_run(text, 0, false, &digits);
        whole = k == digits;
    } else if (c == 't' && text[1] == 'r' && text[2] == 'u' && text[3] == 'e') {
        kind = SLUICE__V_TRUE, k = 4;
    } else if (c == 'n' && text[1] == 'u' && text[2] == 'l' && text[3] == 'l') {
        kind = SLUICE__V_NULL, k = 4;
    } else if (c == 'f' && strncmp(text, "false", 5) == 0) {
        kind = SLUICE__V_FALSE, k = 5;
    }
    if (!k)
        return SLUICE__DOC_BAD;
    add(p, kind, p->i, k)->whole = whole;
    p->i += k;
    return SLUICE__DOC_OK;
}

static always_inline sluice__doc_result open_value(parser *p, char c) {
    uint32_t number = (uint32_t)p->count;
    sluice__value *v = add(p, c == '{' ? SLUICE__V_OBJECT : SLUICE__V_ARRAY, p->i++, 0);
    if (++p->depth > DEPTH_MOST)
        return SLUICE__DOC_BAD;
    v->next = p->open;
    p->open = number;
    p->around = v;
    return SLUICE__DOC_OK;
}

/* Closes containers while closers follow, and skips the comma. `*more`: a value follows. */
static always_inline bool close_values(parser *p, bool *more) {
    for (;;) {
        char c = skip(p);
        sluice__value *v = p->around;
        *more = false;
        if (!v)
            return p->i >= p->doc->len; /* only white space follows */
        bool empty = p->open + 1 == p->count;
        if (c == ',' && !empty) {
            p->i++;
            *more = true;
            return true;
        }
        if (c != (v->kind == SLUICE__V_OBJECT ? '}' : ']')) {
            *more = empty;
            return empty;
        }
        p->open = v->next;
        p->around = p->open == NOWHERE ? NULL : &p->doc->values[p->open];
        v->next = (uint32_t)p->count;
        v->end = (uint32_t)++p->i;
        p->depth--;
    }
}

/* Reads the key, if one is due, and the value that begins at p->i. */
static always_inline sluice__doc_result read_value(parser *p) {
    char c = skip(p);
    if (p->around) {
        p->around->len++;
        if (p->around->kind == SLUICE__V_OBJECT) {
            sluice__doc_result how = c == '"' ? read_string(p, true) : SLUICE__DOC_BAD;
            if (how != SLUICE__DOC_OK)
                return how;
            if (skip(p) != ':')
                return SLUICE__DOC_BAD;
            p->i++;
            c = skip(p);
        }
    }
    return c == '"'               ? read_string(p, false)
           : c == '{' || c == '[' ? open_value(p, c)
                                  : read_word(p, c);
}

/* Reads the whole text. `known` is doc->known, as a constant. */
static always_inline sluice__doc_result read_all(const sluice_allocator *a, sluice__doc *doc,
                                                 size_t most, bool known) {
    parser p = {a, doc, doc->text, 0, 0, 0, NOWHERE, NULL, known};
    sluice__doc_result how = SLUICE__DOC_OK;
    size_t room = doc->len / 8 + 2; /* more than most texts need */
    room = room < ROOM_MOST ? room : ROOM_MOST;
    for (bool more = true; more; room = p.count + 2) {
        if (p.count + 2 > most)
            return SLUICE__DOC_LARGE;
        if (room > doc->cap) {
            room = room > 2 * doc->cap ? room : 2 * doc->cap;
            if (!sluice__array_grow(a, (void **)&doc->values, &doc->cap, room, sizeof *doc->values))
                return SLUICE__DOC_NOMEM;
            p.around = p.around ? &doc->values[p.open] : NULL;
        }
        how = read_value(&p);
        if (how != SLUICE__DOC_OK)
            break;
        if (!close_values(&p, &more)) {
            how = SLUICE__DOC_BAD;
            break;
        }
    }
    doc->count = p.count;
    return how;
}

sluice__doc_result sluice__doc_read(const sluice_allocator *a, sluice__doc *doc, const char *text,
                                    size_t len, size_t most) {
    doc->text = text;
    doc->len = len;
    doc->count = doc->own.len = 0;
    doc->raw = false;
    if (len > UINT32_MAX / 4 || most > UINT32_MAX / 4)
        return SLUICE__DOC_LARGE;
    return doc->known ? read_all(a, doc, most, true) : read_all(a, doc, most, false);
}

void sluice__doc_release(const sluice_allocator *a, sluice__doc *doc) {
    if (doc->values)
        sluice__realloc(a, doc->values, doc->cap * sizeof *doc->values, 0);
    sluice__buffer_release(a, &doc->own);
    *doc = (sluice__doc){0};
}

/* ---- Access ---------------------------------------------------------------------------------- */

size_t sluice__doc_member(const sluice__doc *doc, size_t object, const char *key, size_t len) {
    const sluice__value *o = &doc->values[object];
    size_t found = 0;
    if (o->kind == SLUICE__V_OBJECT)
        for (size_t k = object + 1; k < o->next; k = doc->values[k + 1].next)
            if (sluice__doc_is(doc, k, key, len))
                found = k + 1;
    return found;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static double scaled(double value, int64_t exponent) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (value == 0)
        return value;
    for (; exponent > 22 && value < 1e300; exponent -= 22)
        value *= 1e22;
    for (; exponent < -22 && value > 1e-300; exponent += 22)
        value /= 1e22;
    if (exponent > 22)
        return value * 1e300 * 1e300; /* infinite */
    if (exponent < -22)
        return 0;
    return exponent < 0 ? value / tens[-exponent] : value * tens[exponent];
}

sluice__number sluice__doc_number(const sluice__doc *doc, size_t value) {
    const char *p = sluice__doc_text(doc, value), *end = p + doc->values[value].len, *last = p;
    sluice__number n = {.minus = *p == '-'};
    bool fraction = false;
    size_t count = 0; /* including zeros after the last digit */
    uint64_t lead = 0;
    int64_t exponent = 0;
    for (p += n.minus; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            fraction = true;
        } else if (*p == '0' && !n.digits) {
            n.scale -= fraction;
        } else {
            n.digits = n.digits ? n.digits : p;
            n.scale += !fraction;
            count++;
            if (count <= 18)
                lead = lead * 10 + (uint64_t)(*p - '0');
            if (*p != '0') {
                last = p;
                n.count = count;
            }
        }
    }
    if (p < end) {
        bool down = *++p == '-';
        for (p += *p == '-' || *p == '+'; p < end; p++)
            exponent = exponent < EXPONENT_MOST ? exponent * 10 + (*p - '0') : exponent;
        exponent = down ? -exponent : exponent;
    }
    if (!n.digits)
        return (sluice__number){0}; /* -0 is 0 */
    n.len = sluice__minus(last, n.digits) + 1;
    n.scale += exponent;
    n.value = scaled((double)lead, n.scale - (int64_t)(count < 18 ? count : 18));
    if (n.minus)
        n.value = -n.value;
    return n;
}

bool sluice__number_is_whole(const sluice__number *n) { return n->scale >= (int64_t)n->count; }

/* Returns the next digit and skips it; 0 after the last. */
static unsigned next_digit(const sluice__number *n, size_t *at) {
    if (*at < n->len && n->digits[*at] == '.')
        ++*at;
    return *at < n->len ? (unsigned)(n->digits[(*at)++] - '0') : 0;
}

int sluice__number_compare(const sluice__number *a, const sluice__number *b) {
    if (!a->count || !b->count || a->minus != b->minus) {
        int x = !a->count ? 0 : a->minus ? -1 : 1, y = !b->count ? 0 : b->minus ? -1 : 1;
        return x < y ? -1 : x > y;
    }
    int greater = a->minus ? -1 : 1;
    if (a->scale != b->scale)
        return a->scale > b->scale ? greater : -greater;
    for (size_t i = 0, k = 0; i < a->len || k < b->len;) {
        unsigned x = next_digit(a, &i), y = next_digit(b, &k);
        if (x != y)
            return x > y ? greater : -greater;
    }
    return 0;
}

bool sluice__number_is_multiple(const sluice__number *a, const sluice__number *b) {
    enum {
        DIGITS_MOST = 18,
        FACTORS_MOST = 60
    }; /* ten times this number, plus a digit, fits 64 bits */
    if (!a->count)
        return true;
    if (!b->count)
        return false;
    if (b->count > DIGITS_MOST) {
        double ratio = a->value / b->value;
        return ratio - ratio == 0 &&
               (ratio >= 9e15 || ratio <= -9e15 || ratio == (double)(int64_t)ratio);
    }
    uint64_t by = 0, rest = 0;
    size_t at = 0;
    for (size_t i = 0; i < b->count; i++)
        by = by * 10 + next_digit(b, &at);
    at = 0;
    for (size_t i = 0; i < a->count; i++)
        rest = (rest * 10 + next_digit(a, &at)) % by;
    /* both are whole numbers now, except for powers of ten: those of `a` add factors of 2 and 5,
     * those of `b` require a factor of ten, which a number without a trailing zero does not have */
    int64_t tens = (a->scale - (int64_t)a->count) - (b->scale - (int64_t)b->count);
    for (int64_t i = 0; i < tens && i < FACTORS_MOST && rest; i++)
        rest = rest * 10 % by;
    return tens >= 0 && !rest;
}

/* ---- Equality -------------------------------------------------------------------------------- */

static bool same_members(const sluice__doc *a, size_t x, const sluice__doc *b, size_t y,
                         uint64_t *steps) {
    for (size_t k = x + 1; k < a->values[x].next; k = a->values[k + 1].next) {
        *steps += b->values[y].len; /* the cost of looking up the key */
        size_t other = sluice__doc_member(b, y, sluice__doc_text(a, k), a->values[k].len);
        if (!other || !sluice__doc_same(a, k + 1, b, other, steps))
            return false;
    }
    return true;
}

bool sluice__doc_same(const sluice__doc *a, size_t x, const sluice__doc *b, size_t y,
                      uint64_t *steps) {
    const sluice__value *v = &a->values[x], *w = &b->values[y];
    ++*steps;
    if (v->kind != w->kind)
        return false;
    if (v->kind == SLUICE__V_NUMBER) {
        if (v->len == w->len && memcmp(sluice__doc_text(a, x), sluice__doc_text(b, y), v->len) == 0)
            return true;
        sluice__number m = sluice__doc_number(a, x), n = sluice__doc_number(b, y);
        return sluice__number_compare(&m, &n) == 0;
    }
    if (v->kind == SLUICE__V_STRING)
        return sluice__doc_is(b, y, sluice__doc_text(a, x), v->len);
    if (v->kind < SLUICE__V_ARRAY)
        return true;
    if (v->len != w->len)
        return false;
    if (v->kind == SLUICE__V_OBJECT)
        return same_members(a, x, b, y, steps);
    for (size_t i = x + 1, k = y + 1; i < v->next; i = a->values[i].next, k = b->values[k].next)
        if (!sluice__doc_same(a, i, b, k, steps))
            return false;
    return true;
}

static uint64_t mix(uint64_t h) {
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

uint64_t sluice__hash_text(const char *p, size_t n) {
    uint64_t h = n * UINT64_C(0x9e3779b97f4a7c15), part;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&part, p, 8);
        h = (h ^ part) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 29;
    }
    part = 0;
    memcpy(&part, p, n);
    return mix(h ^ part);
}

uint64_t sluice__doc_hash(const sluice__doc *doc, size_t value, uint64_t *steps) {
    const sluice__value *v = &doc->values[value];
    uint64_t h = v->kind;
    ++*steps;
    if (v->kind == SLUICE__V_STRING)
        return sluice__hash_text(sluice__doc_text(doc, value), v->len);
    if (v->kind == SLUICE__V_NUMBER) {
        sluice__number n = sluice__doc_number(doc, value);
        h = (uint64_t)n.scale ^ UINT64_C(0x5851f42d4c957f2d);
        for (size_t i = 0; i < n.len;)
            h = h * 31 + next_digit(&n, &i) + n.minus;
        return mix(h);
    }
    if (v->kind == SLUICE__V_ARRAY)
        for (size_t i = value + 1; i < v->next; i = doc->values[i].next)
            h = mix(h + sluice__doc_hash(doc, i, steps));
    if (v->kind == SLUICE__V_OBJECT)
        for (size_t k = value + 1; k < v->next; k = doc->values[k + 1].next)
            h += mix(3 * sluice__doc_hash(doc, k, steps) + sluice__doc_hash(doc, k + 1, steps));
    return mix(h);
}
