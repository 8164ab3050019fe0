#include "doc.h"

#include <stdio.h>

enum { VALUES_MOST = 1000000, PROBES_MOST = 64, EXPONENT_MOST = 100000000 };
#define NOWHERE UINT32_MAX /* ISO C has no enumerators larger than int */

/* ---- Reading --------------------------------------------------------------------------------- */

static uint8_t kind_of(char c) {
    return c == '"'               ? SLUICE__STRING
           : c == '{'             ? SLUICE__OBJECT
           : c == '['             ? SLUICE__ARRAY
           : c == 't' || c == 'f' ? SLUICE__BOOLEAN
           : c == 'n'             ? SLUICE__NULL
                                  : SLUICE__NUMBER;
}

/* Lists the values of strict JSON. False if there are too many, or no memory. */
static bool list_values(sluice__doc *doc, view text, out *own) {
    enum { FEW = 12 };
    uint32_t open = NOWHERE; /* the innermost container; while open, its `next` is the one around */
    for (const char *p = text.p, *from; p < text.end;) {
        from = p++;
        if (*from == ':' || is_space(*from))
            continue;
        if (open == NOWHERE && (doc->count || strchr(",}]", *from)))
            return false; /* it was no JSON */
        if (*from == ',') {
            doc->values[open].len++;
            continue;
        }
        if (*from == '}' || *from == ']') {
            sluice__value *v = &doc->values[open];
            v->len += open + 1 < doc->count;
            v->end = (uint32_t)(p - text.p);
            open = v->next;
            v->next = (uint32_t)doc->count;
            continue;
        }
        if (doc->count == VALUES_MOST)
            return false;
        if (!sluice__array_grow(&own->heap->alloc, (void **)&doc->values, &doc->cap,
                                doc->count ? doc->count + 1 : FEW, sizeof *doc->values)) {
            own->heap->failed = true;
            return false;
        }
        sluice__value *v = &doc->values[doc->count++];
        *v = (sluice__value){
            .at = (uint32_t)(from - text.p), .next = (uint32_t)doc->count, .kind = kind_of(*from)};
        if (v->kind & (SLUICE__ARRAY | SLUICE__OBJECT)) {
            v->next = open;
            open = (uint32_t)doc->count - 1;
        } else if (v->kind == SLUICE__STRING) {
            const char *quote = memchr(p, '"', (size_t)(text.end - p));
            v->own = quote && memchr(p, '\\', (size_t)(quote - p));
            if (v->own)
                quote = sluice__string_end((view){p, text.end}, NULL, '"');
            size_t n = sluice__minus(quote ? quote : text.end, p);
            v->at = v->own ? (uint32_t)own->b.len : v->at + 1;
            if (v->own)
                sluice__put_unescaped(own, view_of(p, n));
            v->len = (uint32_t)(v->own ? own->b.len - v->at : n);
            p += n + 1;
        } else {
            while (p < text.end && *p != ',' && *p != '}' && *p != ']' && !is_space(*p))
                p++;
            v->len = (uint32_t)(p - from);
        }
    }
    return open == NOWHERE && doc->count && !own->heap->failed;
}

/* ---- Members --------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t sluice__doc_hash(uint64_t seed, view text) {
    uint64_t hash = seed, word;
    for (; view_len(text) >= sizeof word; text.p += sizeof word) {
        memcpy(&word, text.p, sizeof word);
        hash = mixed(hash, word);
    }
    word = 0;
    memcpy(&word, text.p, view_len(text));
    return mixed(mixed(hash, word), seed);
}

/* Returns the last key of the object that is equal, or 0. *keys: where those with its hash begin;
 * `*probes` grows by how many of them are examined. */
static size_t find_key(const sluice__doc *doc, size_t object, view key, uint32_t **keys,
                       size_t *probes) {
    uint64_t hash = (uint32_t)sluice__doc_hash(object + 1, key);
    *keys = &doc->values[hash * doc->count >> 32].keys;
    size_t k = **keys;
    for (; k && (doc->values[k].end != object || !equal_views(sluice__doc_text(doc, k), key));
         k = doc->values[k].next)
        ++*probes;
    return k;
}

/* Lists the members of all objects by hash. */
static sluice__doc_result list_members(sluice__doc *doc) {
    size_t probes = 0;
    uint32_t *keys;
    for (size_t i = 0; i < doc->count && probes <= PROBES_MOST * doc->count; i++) {
        const sluice__value *v = &doc->values[i];
        for (size_t k = i + 1; v->kind == SLUICE__OBJECT && k < v->next;
             k = doc->values[k + 1].next) {
            if (k + 1 == v->next)
                return SLUICE__DOC_BAD;
            bool again = find_key(doc, i, sluice__doc_text(doc, k), &keys, &probes);
            if (again && i && !doc->repeated)
                doc->repeated = k;
            doc->doubled |= again && !i;
            doc->values[k].end = (uint32_t)i;
            doc->values[k].next = *keys;
            *keys = (uint32_t)k;
        }
    }
    return probes <= PROBES_MOST * doc->count ? SLUICE__DOC_OK : SLUICE__DOC_LARGE;
}

size_t sluice__doc_member(const sluice__doc *doc, size_t object, view key) {
    size_t probes = 0;
    uint32_t *keys;
    bool has = doc->values[object].kind == SLUICE__OBJECT;
    size_t k = has ? find_key(doc, object, key, &keys, &probes) : 0;
    return k ? k + 1 : 0;
}

/* ---- The whole text -------------------------------------------------------------------------- */

sluice__doc_result sluice__doc_read(const sluice_allocator *a, sluice__doc *doc, const char *text,
                                    size_t len) {
    json j = {0};
    heap heap = {*a, false};
    out own = {.heap = &heap};
    sluice__json_begin(&j, false);
    j.strict = true;
    const char *why = sluice__json_whole(&j, view_of(text, len), &own, NULL);
    sluice__buffer_release(a, &own.b); /* a copy */
    if (heap.failed)
        return SLUICE__DOC_NOMEM;
    if (why || j.bad_utf8)
        return j.problem == sluice__too_deep ? SLUICE__DOC_LARGE : SLUICE__DOC_BAD;
    return sluice__doc_list(a, doc, view_of(text, len));
}

sluice__doc_result sluice__doc_list(const sluice_allocator *a, sluice__doc *doc, view text) {
    heap heap = {*a, false};
    out own = {.b = doc->own, .heap = &heap};
    doc->text = text.p;
    doc->len = view_len(text);
    doc->count = doc->repeated = own.b.len = 0;
    doc->doubled = false;
    bool good = doc->len <= UINT32_MAX / 4 && list_values(doc, text, &own);
    doc->own = own.b;
    return good ? list_members(doc) : heap.failed ? SLUICE__DOC_NOMEM : SLUICE__DOC_LARGE;
}

void sluice__doc_release(const sluice_allocator *a, sluice__doc *doc) {
    if (doc->values)
        sluice__realloc(a, doc->values, doc->cap * sizeof *doc->values, 0);
    sluice__buffer_release(a, &doc->own);
    *doc = (sluice__doc){0};
}

void sluice__doc_pointer(const sluice__doc *doc, size_t value, out *o) {
    for (size_t at = 0, i, n; at != value; at = i) {
        bool object = doc->values[at].kind == SLUICE__OBJECT;
        char number[24];
        for (i = at + 1, n = 0; doc->values[i + object].next <= value; n++)
            i = doc->values[i + object].next;
        put(o, "/", 1);
        if (!object) {
            put(o, number, (size_t)snprintf(number, sizeof number, "%zu", n));
            continue;
        }
        for (view key = sluice__doc_text(doc, i); key.p < key.end; key.p++)
            put(o,
                *key.p == '~'   ? "~0"
                : *key.p == '/' ? "~1"
                                : key.p,
                *key.p == '~' || *key.p == '/' ? 2 : 1);
        if (i++ == value) /* a key stands for its value */
            break;
    }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

sluice__number sluice__number_of(view text) {
    const char *p = text.p, *last = p;
    sluice__number n = {.minus = *p == '-'};
    bool fraction = false;
    size_t count = 0; /* including zeros after the last digit */
    int64_t exponent = 0;
    for (p += n.minus; p < text.end && (*p | 32) != 'e'; p++) {
        if (*p == '.') {
            fraction = true;
        } else if (*p == '0' && !n.digits) {
            n.scale -= fraction;
        } else {
            n.digits = n.digits ? n.digits : p;
            n.scale += !fraction;
            count++;
            if (*p != '0') {
                last = p;
                n.count = count;
            }
        }
    }
    if (!n.digits)
        return (sluice__number){0}; /* -0 is 0 */
    if (p < text.end) {
        bool down = *++p == '-';
        for (p += *p == '-' || *p == '+'; p < text.end; p++)
            exponent = exponent < EXPONENT_MOST ? exponent * 10 + (*p - '0') : exponent;
        exponent = down ? -exponent : exponent;
    }
    n.len = sluice__minus(last, n.digits) + 1;
    n.scale += exponent;
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
    int x = !a->count ? 0 : a->minus ? -1 : 1, y = !b->count ? 0 : b->minus ? -1 : 1;
    if (x != y || !x)
        return x < y ? -1 : x > y;
    if (a->scale != b->scale)
        return a->scale > b->scale ? x : -x;
    for (size_t i = 0, k = 0; i < a->len || k < b->len;) {
        unsigned of_a = next_digit(a, &i), of_b = next_digit(b, &k);
        if (of_a != of_b)
            return of_a > of_b ? x : -x;
    }
    return 0;
}

bool sluice__number_is_multiple(const sluice__number *a, const sluice__number *b) {
    enum { FACTORS_MOST = 60 }; /* ten times a divisor, plus a digit, fits 64 bits */
    if (!a->count || !b->count)
        return !a->count;
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
