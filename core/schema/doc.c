#include "doc.h"

#include "../utf8.h"

#include <stdio.h>

enum {
    DEPTH_MOST = 1024,
    VALUES_MOST = 1000000,
    PROBES_MOST = 64,
    ROOM_MOST = 8192,
    EXPONENT_MOST = 100000000
};
#define NOWHERE UINT32_MAX /* ISO C has no enumerators larger than int */

/* ---- Reading --------------------------------------------------------------------------------- */

/* Nothing here checks for the end of the text: a NUL follows, which no token contains. */
typedef struct parser {
    const sluice_allocator *alloc;
    sluice__doc *doc;
    const char *p;
    size_t depth;
    uint32_t open; /* the innermost container; while open, its `next` is the container around it */
} parser;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void skip_space(parser *p) {
    while (*p->p == ' ' || *p->p == '\n' || *p->p == '\t' || *p->p == '\r')
        p->p++;
}

/* Adds a value that begins at p->p. NULL if out of memory. */
static sluice__value *add(parser *p, uint8_t kind) {
    sluice__doc *doc = p->doc;
    if (!sluice__array_grow(p->alloc, (void **)&doc->values, &doc->cap, doc->count + 1,
                            sizeof *doc->values))
        return NULL;
    sluice__value *v = &doc->values[doc->count++];
    *v = (sluice__value){
        .at = (uint32_t)(p->p - doc->text), .next = (uint32_t)doc->count, .kind = kind};
    return v;
}

/* Reads four hexadecimal digits; UINT32_MAX if they are not. */
static uint32_t hex(const char *p) {
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i], low = c | 32;
        if (!is_digit(c) && (low < 'a' || low > 'f'))
            return UINT32_MAX;
        code = code << 4 | (uint32_t)(is_digit(c) ? c - '0' : low - 'a' + 10);
    }
    return code;
}

/* Decodes the escape at p; returns its length, 0 if it is not valid. A lone surrogate becomes
 * U+FFFD. */
static size_t unescape(const char *p, char *out, int *len) {
    static const char names[] = "\"\\/bfnrt", chars[] = "\"\\/\b\f\n\r\t";
    const char *known = p[1] ? strchr(names, p[1]) : NULL;
    *len = 1;
    if (known)
        *out = chars[known - names];
    if (known || p[1] != 'u')
        return known ? 2 : 0;
    uint32_t code = hex(p + 2), low;
    size_t n = 6;
    if (code == UINT32_MAX)
        return 0;
    if (code >= 0xD800 && code <= 0xDBFF && p[6] == '\\' && p[7] == 'u') {
        low = hex(p + 8);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            n = 12;
        }
    }
    *len = sluice__utf8_encode(code >= 0xD800 && code <= 0xDFFF ? 0xFFFD : code, out);
    return n;
}

static sluice__doc_result read_string(parser *p) {
    sluice__doc *doc = p->doc;
    const char *end = doc->text + doc->len, *from = ++p->p; /* `from`: not copied yet */
    sluice__buffer *own = &doc->own;
    sluice__value *v = add(p, SLUICE__V_STRING);
    if (!v)
        return SLUICE__DOC_NOMEM;
    for (;;) {
        unsigned char c = (unsigned char)*p->p;
        if (c >= 0x80) {
            int n = sluice__utf8_sequence(p->p, sluice__minus(end, p->p));
            if (n <= 0)
                return SLUICE__DOC_BAD;
            p->p += n;
        } else if (c < ' ') {
            return SLUICE__DOC_BAD;
        } else if (c == '"' && !v->own) {
            v->len = (uint32_t)(p->p++ - from);
            return SLUICE__DOC_OK;
        } else if (c == '"' || c == '\\') {
            size_t run = sluice__minus(p->p, from), length = 1;
            int n = 0;
            if (!v->own)
                v->at = (uint32_t)own->len;
            v->own = true;
            if (!sluice__buffer_reserve(p->alloc, own, run + 4))
                return SLUICE__DOC_NOMEM;
            memcpy(own->data + own->len, from, run);
            own->len += run;
            if (c == '\\')
                length = unescape(p->p, own->data + own->len, &n);
            if (!length)
                return SLUICE__DOC_BAD;
            own->len += (size_t)n;
            from = p->p += length;
            v->len = (uint32_t)(own->len - v->at);
            if (c == '"')
                return SLUICE__DOC_OK;
        } else {
            p->p++;
        }
    }
}

/* Returns the length of the number at p, or 0; `*whole`: it has only digits and a sign. */
static size_t number_length(const char *p, bool *whole) {
    const char *from = p, *part;
    p += *p == '-';
    for (part = p; is_digit(*p); p++)
        ;
    if (p == part || (*part == '0' && p > part + 1))
        return 0;
    *whole = *p != '.' && *p != 'e' && *p != 'E';
    if (*p == '.') {
        for (part = ++p; is_digit(*p); p++)
            ;
        if (p == part)
            return 0;
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        for (part = p; is_digit(*p); p++)
            ;
        if (p == part)
            return 0;
    }
    return sluice__minus(p, from);
}

static sluice__doc_result read_word(parser *p) {
    uint8_t kind = SLUICE__V_NUMBER;
    size_t n = 0;
    bool whole = false;
    if (*p->p == 't' && strncmp(p->p, "true", 4) == 0)
        kind = SLUICE__V_TRUE, n = 4;
    else if (*p->p == 'f' && strncmp(p->p, "false", 5) == 0)
        kind = SLUICE__V_FALSE, n = 5;
    else if (*p->p == 'n' && strncmp(p->p, "null", 4) == 0)
        kind = SLUICE__V_NULL, n = 4;
    else
        n = number_length(p->p, &whole);
    if (!n)
        return SLUICE__DOC_BAD;
    sluice__value *v = add(p, kind);
    if (!v)
        return SLUICE__DOC_NOMEM;
    v->len = (uint32_t)n;
    v->whole = whole;
    p->p += n;
    return SLUICE__DOC_OK;
}

static sluice__doc_result open_container(parser *p, uint8_t kind) {
    sluice__value *v = add(p, kind);
    if (!v)
        return SLUICE__DOC_NOMEM;
    v->next = p->open;
    p->open = (uint32_t)p->doc->count - 1;
    p->p++;
    return ++p->depth > DEPTH_MOST ? SLUICE__DOC_LARGE : SLUICE__DOC_OK;
}

/* Reads the key, if one is due, and the value, up to the contents of a container. */
static sluice__doc_result read_value(parser *p) {
    skip_space(p);
    if (p->open != NOWHERE) {
        p->doc->values[p->open].len++;
        if (p->doc->values[p->open].kind == SLUICE__V_OBJECT) {
            sluice__doc_result how = *p->p == '"' ? read_string(p) : SLUICE__DOC_BAD;
            if (how != SLUICE__DOC_OK)
                return how;
            p->doc->keys++;
            skip_space(p);
            if (*p->p++ != ':')
                return SLUICE__DOC_BAD;
            skip_space(p);
        }
    }
    return *p->p == '"'   ? read_string(p)
           : *p->p == '{' ? open_container(p, SLUICE__V_OBJECT)
           : *p->p == '[' ? open_container(p, SLUICE__V_ARRAY)
                          : read_word(p);
}

/* Closes containers while closers follow, and skips the comma. `*more`: a value follows. */
static bool close_values(parser *p, bool *more) {
    for (;;) {
        skip_space(p);
        *more = false;
        if (p->open == NOWHERE)
            return p->p == p->doc->text + p->doc->len;
        sluice__value *v = &p->doc->values[p->open];
        bool empty = p->open + 1 == p->doc->count;
        if (*p->p == ',' && !empty) {
            p->p++;
            *more = true;
            return true;
        }
        if (*p->p != (v->kind == SLUICE__V_OBJECT ? '}' : ']')) {
            *more = empty;
            return empty;
        }
        p->open = v->next;
        v->next = (uint32_t)p->doc->count;
        v->end = (uint32_t)(++p->p - p->doc->text);
        p->depth--;
    }
}

/* ---- Members --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h) {
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

static uint64_t hash_text(const char *p, size_t n) {
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

/* Returns the slot of an object's key: taken by that key, or free. `*probes` grows by the slots
 * examined. */
static size_t slot_of(const sluice__doc *doc, size_t object, const char *key, size_t len,
                      size_t *probes) {
    size_t mask = doc->slot_count - 1;
    size_t at = (size_t)(hash_text(key, len) + object * UINT64_C(0x9e3779b97f4a7c15)) & mask;
    for (;; at = (at + 1) & mask) {
        size_t k = doc->slots[at];
        ++*probes;
        if (!k || (doc->values[k].end == object && sluice__doc_is(doc, k, key, len)))
            return at;
    }
}

/* Lists the members of all objects by hash. `end` of a key is its object. */
static sluice__doc_result list_members(const sluice_allocator *a, sluice__doc *doc) {
    size_t cap = 8, probes = 0;
    if (!doc->keys)
        return SLUICE__DOC_OK;
    while (cap < 2 * doc->keys)
        cap *= 2;
    doc->slots = sluice__zeroed(a, cap * sizeof *doc->slots);
    if (!doc->slots)
        return SLUICE__DOC_NOMEM;
    doc->slot_count = cap;
    for (size_t i = 0; i < doc->count; i++) {
        const sluice__value *v = &doc->values[i];
        if (v->kind != SLUICE__V_OBJECT)
            continue;
        for (size_t k = i + 1; k < v->next; k = doc->values[k + 1].next) {
            size_t at = slot_of(doc, i, sluice__doc_text(doc, k), doc->values[k].len, &probes);
            if (doc->slots[at] && i && !doc->repeated)
                doc->repeated = k;
            doc->values[k].end = (uint32_t)i;
            doc->slots[at] = (uint32_t)k;
            if (probes > PROBES_MOST * doc->keys)
                return SLUICE__DOC_LARGE;
        }
    }
    return SLUICE__DOC_OK;
}

size_t sluice__doc_member(const sluice__doc *doc, size_t object, const char *key, size_t len) {
    size_t probes = 0;
    if (doc->values[object].kind != SLUICE__V_OBJECT || !doc->values[object].len)
        return 0;
    size_t k = doc->slots[slot_of(doc, object, key, len, &probes)];
    return k ? k + 1 : 0;
}

bool sluice__doc_pointer(const sluice_allocator *a, const sluice__doc *doc, size_t value,
                         sluice__buffer *out) {
    bool good = true;
    for (size_t at = 0, i, n; good && at != value; at = i) {
        bool object = doc->values[at].kind == SLUICE__V_OBJECT;
        char number[24];
        for (i = at + 1, n = 0; doc->values[i + object].next <= value; n++)
            i = doc->values[i + object].next;
        good = sluice__buffer_add(a, out, "/", 1);
        const char *key = sluice__doc_text(doc, i);
        for (size_t k = 0; good && object && k < doc->values[i].len; k++)
            good = key[k] == '~'   ? sluice__buffer_add(a, out, "~0", 2)
                   : key[k] == '/' ? sluice__buffer_add(a, out, "~1", 2)
                                   : sluice__buffer_add(a, out, key + k, 1);
        if (!object)
            good = sluice__buffer_add(a, out, number,
                                      (size_t)snprintf(number, sizeof number, "%zu", n));
        else if (i++ == value) /* a key stands for its value */
            break;
    }
    return good;
}

sluice__doc_result sluice__doc_read(const sluice_allocator *a, sluice__doc *doc, const char *text,
                                    size_t len) {
    parser p = {a, doc, text, 0, NOWHERE};
    doc->text = text;
    doc->len = len;
    if (len > UINT32_MAX / 4)
        return SLUICE__DOC_LARGE;
    if (!sluice__array_grow(a, (void **)&doc->values, &doc->cap,
                            len < 8 * ROOM_MOST ? len / 8 + 2 : ROOM_MOST, sizeof *doc->values))
        return SLUICE__DOC_NOMEM;
    for (bool more = true; more;) {
        sluice__doc_result how = read_value(&p);
        if (how != SLUICE__DOC_OK)
            return how;
        if (!close_values(&p, &more))
            return SLUICE__DOC_BAD;
        if (doc->count > VALUES_MOST)
            return SLUICE__DOC_LARGE;
    }
    return list_members(a, doc);
}

void sluice__doc_release(const sluice_allocator *a, sluice__doc *doc) {
    if (doc->values)
        sluice__realloc(a, doc->values, doc->cap * sizeof *doc->values, 0);
    if (doc->slots)
        sluice__realloc(a, doc->slots, doc->slot_count * sizeof *doc->slots, 0);
    sluice__buffer_release(a, &doc->own);
    *doc = (sluice__doc){0};
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

uint64_t sluice__doc_hash(const sluice__doc *doc, size_t value, uint64_t *steps) {
    const sluice__value *v = &doc->values[value];
    uint64_t h = v->kind;
    ++*steps;
    if (v->kind == SLUICE__V_STRING)
        return hash_text(sluice__doc_text(doc, value), v->len);
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
