/*
 * Checks values against a compiled schema while they are read. Most schemas restrict only the kinds
 * of values, names of members, numbers of items, bounds of numbers, patterns, or the strings of an
 * enum: one pass can check these. Values with other keywords (unique items, several schemas for one
 * value), and those where the pass is not certain, are read into a document of their own.
 *
 * A pass finds only that the value fits, and that a check of the whole document would not give up.
 * Violations, and their order, are left to that check.
 */
#include "check.h"

#include "../json/run.h"

#define always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))

enum { NESTED_MOST = 1024 }; /* as in a document */

typedef struct pass {
    checker *c;
    const sluice__schema *schema;
    const char *end, *last_16; /* of the text; the last position where 16 bytes can be read */
    size_t values;             /* upper bound of the values in a document */
} pass;

/* ---- Tokens -------------------------------------------------------------------------------------
 *
 * The text is strict JSON, so it is enough to find the end of each token. A NUL follows the text
 * and stops all of these. */

static always_inline const char *skip(const char *p) {
    while ((unsigned char)*p <= ' ' && *p)
        p++;
    return p;
}

/* Returns the kind of the value that begins with this byte. */
static always_inline uint8_t kind_of(char first) {
    static const uint8_t kinds[256] = {
        ['"'] = SLUICE__V_STRING, ['['] = SLUICE__V_ARRAY,  ['{'] = SLUICE__V_OBJECT,
        ['t'] = SLUICE__V_TRUE,   ['f'] = SLUICE__V_FALSE,  ['n'] = SLUICE__V_NULL,
        ['-'] = SLUICE__V_NUMBER, ['0'] = SLUICE__V_NUMBER, ['1'] = SLUICE__V_NUMBER,
        ['2'] = SLUICE__V_NUMBER, ['3'] = SLUICE__V_NUMBER, ['4'] = SLUICE__V_NUMBER,
        ['5'] = SLUICE__V_NUMBER, ['6'] = SLUICE__V_NUMBER, ['7'] = SLUICE__V_NUMBER,
        ['8'] = SLUICE__V_NUMBER, ['9'] = SLUICE__V_NUMBER};
    return kinds[(unsigned char)first];
}

/* Each of these takes the start of a value and returns its end. */

#if defined(__SSE2__)
static always_inline __m128i bytes_at(const char *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static always_inline __m128i equal(__m128i v, char c) {
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

static always_inline unsigned bits_of(__m128i v) { return (unsigned)_mm_movemask_epi8(v); }
#endif

static always_inline const char *pass_digits(const pass *p, const char *at) {
#if defined(__SSE2__)
    for (; at <= p->last_16; at += 16) {
        __m128i v = _mm_sub_epi8(bytes_at(at), _mm_set1_epi8('0'));
        unsigned hits = ~bits_of(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v)) & 0xFFFF;
        if (hits)
            return at + __builtin_ctz(hits);
    }
#else
    (void)p;
#endif
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* `*whole` (set it before): becomes false if the number has more than digits and a sign. */
static always_inline const char *pass_number(const pass *p, const char *at, bool *whole) {
    if (*whole) {
        const char *after = pass_digits(p, at + 1);
        *whole = *after == ',' || (*after != '.' && (*after | 32) != 'e');
        if (*whole)
            return after;
    }
#if defined(__SSE2__)
    for (; at <= p->last_16; at += 16) {
        __m128i v = bytes_at(at), blank = _mm_cmplt_epi8(v, _mm_set1_epi8(' ' + 1));
        unsigned hits = bits_of(_mm_or_si128(_mm_or_si128(equal(v, ','), blank),
                                             equal(_mm_or_si128(v, _mm_set1_epi8(32)), '}')));
        if (hits)
            return at + __builtin_ctz(hits);
    }
#endif
    while (*at > ' ' && *at != ',' && *at != ']' && *at != '}')
        at++;
    return at;
}

static always_inline const char *pass_word(const pass *p, const char *at, uint8_t kind) {
    size_t n = kind == SLUICE__V_FALSE ? 5 : 4;
    return sluice__minus(p->end, at) < n ? NULL : at + n;
}

/* True if a backslash that is not escaped itself is before p, in a string. */
static always_inline bool is_escaped(const char *p) {
    const char *first = p;
    while (first[-1] == '\\')
        first--;
    return (p - first) & 1;
}

/* A string; NULL if the text ends inside. */
static always_inline const char *pass_string(const pass *p, const char *at) {
    at++;
#if defined(__SSE2__)
    for (; at <= p->last_16; at += 16)
        for (unsigned hits = bits_of(equal(bytes_at(at), '"')); hits; hits &= hits - 1)
            if (!is_escaped(at + __builtin_ctz(hits)))
                return at + __builtin_ctz(hits) + 1;
#endif
    while (at < p->end && (*at != '"' || is_escaped(at)))
        at++;
    return at < p->end ? at + 1 : NULL;
}

/* Returns a bit for each of the next 16 bytes that is a quote or a bracket. */
static always_inline unsigned structure_at(const pass *p, const char *at) {
    unsigned hits = 0;
#if defined(__SSE2__)
    if (at <= p->last_16) {
        __m128i v = bytes_at(at);
        __m128i bracket = equal(_mm_or_si128(v, _mm_set1_epi8(0x26)), 0x7F);
        return bits_of(_mm_or_si128(equal(v, '"'), bracket));
    }
#endif
    for (unsigned i = 0; i < 16 && at + i < p->end; i++)
        hits |= (unsigned)(at[i] == '"' || (at[i] | 0x26) == 0x7F) << i;
    return hits;
}

/* A container; NULL if it is too deep, or the text ends inside. */
static const char *pass_nested(pass *p, const char *at) {
    const char *from = at;
    int depth = p->c->depth;
    while (at < p->end) {
        const char *next = NULL;
        for (unsigned hits = structure_at(p, at); hits; hits &= hits - 1) {
            const char *hit = at + __builtin_ctz(hits);
            if (*hit == '"') {
                next = pass_string(p, hit);
                if (!next)
                    return NULL;
                break;
            }
            depth += *hit & 4 ? -1 : 1; /* of ] and }, not of [ and { */
            if (depth == p->c->depth) {
                p->values +=
                    sluice__minus(hit, from) / 2; /* each has at least a byte, and one after it */
                return hit + 1;
            }
            if (depth > NESTED_MOST)
                return NULL;
        }
        at = next ? next : p->end - at > 16 ? at + 16 : p->end;
    }
    return NULL;
}

static always_inline const char *pass_any(pass *p, uint8_t kind, const char *at, bool *whole) {
    p->values++;
    return kind == SLUICE__V_NUMBER   ? pass_number(p, at, whole)
           : kind == SLUICE__V_STRING ? pass_string(p, at)
           : kind >= SLUICE__V_ARRAY  ? pass_nested(p, at)
                                      : pass_word(p, at, kind);
}

/* ---- Values -------------------------------------------------------------------------------------
 *
 * These take the start of a value, too. They return NULL if it is not certain that it fits. */

static const char *pass_node(pass *p, size_t schema, const node *n, const char *at);

static const node any = {.by_kind = 0xFF}; /* used without a schema */

/* Checks a value in a document of its own. */
static const char *pass_alone(pass *p, size_t schema, const char *at) {
    bool whole = false;
    const char *after = pass_any(p, kind_of(*at), at, &whole);
    return after && sluice__fits_alone(p->c, schema, at, sluice__minus(after, at)) ? after : NULL;
}

/* Checks only the kind of a value. */
static always_inline const char *pass_by_kind(pass *p, size_t schema, unsigned kinds,
                                              bool want_whole, const char *at) {
    uint8_t kind = kind_of(*at);
    bool whole = want_whole;
    if (!(kinds >> kind & 1))
        return NULL;
    const char *after = pass_any(p, kind, at, &whole);
    return whole == want_whole ? after : pass_alone(p, schema, at);
}

static always_inline const char *pass_value(pass *p, size_t schema, const node *n, const char *at) {
    return n && n->by_kind ? pass_by_kind(p, schema, n->by_kind, n->by_kind_whole, at)
                           : pass_node(p, schema, n, at);
}

/* True if this name is at `at`, where a quote is. */
static always_inline bool is_name(const pass *p, const name *n, const char *at) {
    uint64_t head;
    if (at < p->last_16) {
        memcpy(&head, at + 1, sizeof head);
        if ((head ^ n->head) & n->mask)
            return false;
        if (n->len < sizeof head)
            return true;
    }
    return n->len + 1 < sluice__minus(p->end, at) && at[n->len + 1] == '"' &&
           memcmp(at + 1, n->text, n->len) == 0;
}

/* Returns the property whose key has an escape in the text, or NULL. */
static noinline const name *find_escaped(pass *p, const node *n, const char *key,
                                         const char *after) {
    sluice__doc *doc = p->c->doc;
    uint32_t next = 0;
    if (sluice__doc_read(p->c->alloc, doc, key, sluice__minus(after, key), VALUES_MOST) ==
            SLUICE__DOC_OK &&
        sluice__doc_decode(p->c->alloc, doc, 0))
        return sluice__property(p->schema, n, sluice__doc_text(doc, 0), doc->values[0].len, &next);
    p->c->no_memory = true;
    return NULL;
}

/* Returns the name from first to last that is at `at`, where a quote is, or NULL; tries `due`
 * first, then those after it. */
static always_inline const name *find_name(const pass *p, const name *first, const name *last,
                                           const name *due, const char *at) {
    for (const name *n = due; n < last; n++)
        if (is_name(p, n, at))
            return n;
    for (const name *n = first; n < due; n++)
        if (is_name(p, n, at))
            return n;
    return NULL;
}

/* Skips the comma, or the closer, after a member or item. */
static always_inline const char *pass_comma(const char *at, char closer, bool *more) {
    if (*at != ',')
        at = skip(at);
    *more = *at == ',';
    return *more ? skip(at + 1) : *at == closer ? at + 1 : NULL;
}

/* True if everything between the two is within. */
static always_inline bool is_within(bounds b, size_t least, size_t most) {
    return (int64_t)least >= b.least && (int64_t)most <= b.most;
}

/* Enters a level; false if that may be too deep. A check counts nodes that are not counted here,
 * too: one that restricts kinds, and an alternative in it. */
static always_inline bool enter(pass *p) { return ++p->c->depth < DEPTH_MOST - 1; }

static noinline const char *pass_object(pass *p, const node *n, const char *at) {
    const sluice__value *values = p->schema->doc.values;
    const name *first = p->schema->names + n->properties.first;
    const name *last = first + n->properties.count, *due = first;
    size_t rest = n->words[W_ADDITIONAL_PROPERTIES], list = n->words[W_REQUIRED], count = 0;
    const node *of_rest = rest ? sluice__node_of(p->schema, rest) : &any;
    uint64_t lacks = n->required;
    bool more;
    if (!enter(p))
        return NULL;
    at = skip(at + 1);
    more = *at != '}';
    for (at += !more; more; count++) {
        if (*at != '"')
            return NULL;
        const name *own = find_name(p, first, last, due, at);
        const char *after = own ? at + own->len + 2 : pass_string(p, at);
        if (!own && after && first < last && memchr(at, '\\', sluice__minus(after, at)))
            own = find_escaped(p, n, at, after);
        if (own) {
            lacks &= ~(UINT64_C(1) << own->number);
            due = own + 1;
        }
        at = after ? skip(after) : at;
        if (*at != ':')
            return NULL;
        at = skip(at + 1);
        at = pass_value(p, own ? own->schema : rest, own ? own->node : of_rest, at);
        if (!at)
            return NULL;
        at = pass_comma(at, '}', &more);
    }
    p->c->depth--;
    p->values += 1 + count; /* and at most the steps of a check of the object for each member */
    p->c->steps += (uint64_t)count * (n->properties.count + (list ? values[list].len : 0));
    return !lacks && is_within(n->members, count, count) ? at : NULL;
}

/* Passes a number without a sign that fits because of the number of its digits (see node.digits);
 * NULL: that is not certain. */
static always_inline const char *pass_short(const pass *p, uint32_t fitting, const char *at) {
    const char *after = pass_digits(p, at);
    size_t digits = *at == '0' ? 0 : sluice__minus(after, at);
    return *after == ',' && digits < 32 && fitting >> digits & 1 ? after : NULL;
}

/* Passes a string of an enum; NULL: that is not certain. */
static always_inline const char *pass_listed(pass *p, const node *n, const char *at) {
    const name *choice = p->schema->names + n->choices.first;
    for (const name *last = choice + n->choices.count; choice < last; choice++)
        if (is_name(p, choice, at)) {
            p->c->steps += n->choices.of;
            return at + choice->len + 2;
        }
    return NULL;
}

/* Returns what is known of the pattern of a string, if it has no other bounds; or NULL. */
static const sluice__sets *sets_of(const pass *p, const node *n) {
    const uint32_t *w = n->words;
    bool simple = w[W_PATTERN] && !(w[W_MIN_LENGTH] | w[W_MAX_LENGTH] | w[W_ENUM]);
    return simple && n->in_place >> SLUICE__V_STRING & 1 ? sluice__sets_of(p->c, w[W_PATTERN])
                                                         : NULL;
}

/* Passes a string by its pattern; NULL: that is not certain. */
static always_inline const char *pass_known(pass *p, const sluice__sets *sets, const char *at) {
    const char *after = sluice__sets_pass(sets, at + 1);
    p->c->steps += after ? (uint64_t)(after - at) : 0;
    return after;
}

/* Checks an item without a call, if it is a short number, a string of an enum, or one with a known
 * pattern. NULL: that is not certain. */
static always_inline const char *pass_item(pass *p, const node *n, uint32_t fitting, bool listed,
                                           const sluice__sets *sets, const char *at) {
    if (*at == '"')
        return sets ? pass_known(p, sets, at) : listed ? pass_listed(p, n, at) : NULL;
    return fitting ? pass_short(p, fitting, at) : NULL;
}

/* Checks items of one schema, up to the array's closer. */
static always_inline const char *pass_items(pass *p, size_t schema, const node *n, const char *at,
                                            size_t *count) {
    unsigned kinds = n ? n->by_kind : 0, in_place = n ? n->in_place : 0;
    bool whole = n && n->by_kind_whole, more = true;
    bool listed = in_place >> SLUICE__V_STRING & 1 && n->words[W_ENUM];
    uint32_t fitting = in_place >> SLUICE__V_NUMBER & 1 ? n->digits[0] : 0;
    const sluice__sets *sets = n ? sets_of(p, n) : NULL;
    size_t counted = *count; /* and items that pass_node has counted */
    for (; more; ++*count) {
        const char *after = kinds ? pass_by_kind(p, schema, kinds, whole, at)
                                  : pass_item(p, n, fitting, listed, sets, at);
        counted += !after;
        if (!after && !kinds) {
            after = pass_node(p, schema, n, at);
            sets = n ? sets_of(p, n) : NULL;
        }
        if (!after)
            return NULL;
        at = pass_comma(after, ']', &more);
    }
    p->values += kinds ? 0 : *count - counted;
    return at;
}

static noinline const char *pass_array(pass *p, const node *n, const char *at) {
    const sluice__value *values = p->schema->doc.values;
    size_t prefix = n->words[W_PREFIX_ITEMS], next = prefix + 1, items = n->words[W_ITEMS];
    size_t count = 0;
    size_t end = prefix ? values[prefix].next : 0;
    bool more;
    if (!enter(p))
        return NULL;
    at = skip(at + 1);
    more = *at != ']';
    for (at += !more; more && next < end; next = values[next].next, count++) {
        at = pass_node(p, next, sluice__node_of(p->schema, next), at);
        if (!at)
            return NULL;
        at = pass_comma(at, ']', &more);
    }
    if (more)
        at = pass_items(p, items, items ? sluice__node_of(p->schema, items) : &any, at, &count);
    p->c->depth--;
    p->values++;
    return at && is_within(n->items, count, count) ? at : NULL;
}

/* True if a value of this kind cannot fit the node because of its type, which is checked first. */
static bool is_other_kind(const node *n, uint8_t kind) {
    bool allows = n->kinds >> kind & 1 || (n->words[W_NULLABLE] && kind == SLUICE__V_NULL);
    return !allows && !n->words[W_REF];
}

/* Returns the only schema that a node with no keyword but `stands_for` applies to values of this
 * kind; or SIZE_MAX. */
static size_t other_schema(pass *p, const node *n, uint8_t kind) {
    const sluice__schema *s = p->schema;
    size_t list = n->words[n->stands_for], found = SIZE_MAX;
    if (n->stands_for == W_REF)
        return s->links[list] ? s->links[list] - 1 : SIZE_MAX;
    p->c->steps += s->doc.values[list].len;
    for (size_t i = list + 1; i < s->doc.values[list].next; i = s->doc.values[i].next) {
        const node *of = sluice__node_of(s, i);
        if (of && is_other_kind(of, kind))
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

/* Checks a number close to its bounds, by its whole part. */
static const char *pass_near(pass *p, size_t schema, const node *n, const char *at) {
    enum { DIGITS = 18 };
    const char *first = at + (*at == '-'), *digit = first;
    int64_t least = 0, most;
    for (; *digit >= '0' && *digit <= '9' && digit - first < DIGITS; digit++)
        least = least * 10 + (*digit - '0');
    most = least;
    bool whole = *digit != '.' && (*digit | 32) != 'e', certain = whole || !n->whole;
    if (*digit == '.') {
        most++;
        digit = pass_digits(p, digit + 1);
    }
    if ((*digit | 32) == 'e' && digit[1] == '-') {
        least = 0;
        digit = pass_digits(p, digit + 2);
    }
    certain = certain && !(*digit >= '0' && *digit <= '9') && (*digit | 32) != 'e';
    if (first > at) {
        int64_t positive = least;
        least = -most;
        most = -positive;
    }
    return certain && least >= n->numbers.least && most <= n->numbers.most
               ? digit
               : pass_alone(p, schema, at);
}

/* Checks a number with bounds. For most numbers, the number of digits before the point is
 * enough. */
static noinline const char *pass_bounded(pass *p, size_t schema, const node *n, const char *at) {
    enum { DIGITS = 31 };
    bool minus = *at == '-', whole = true;
    const char *first = at + minus, *after = pass_digits(p, first);
    size_t digits = *first == '0' ? 0 : sluice__minus(after, first);
    p->values++;
    if (*after != ',') {
        whole = *after != '.';
        if (!whole)
            after = pass_digits(p, after + 1);
        digits = (*after | 32) == 'e' ? DIGITS : digits; /* which is never within */
    }
    if (digits >= DIGITS || !(n->digits[minus] >> digits & 1) || (n->whole && !whole))
        return pass_near(p, schema, n, at);
    return after;
}

/* Checks a string of an enum. */
static noinline const char *pass_choice(pass *p, size_t schema, const node *n, const char *at) {
    const char *after = pass_listed(p, n, at);
    p->values += after != NULL;
    return after ? after : pass_alone(p, schema, at);
}

/* Checks the length and the pattern of a string. A character has at most twelve bytes, as a pair of
 * escapes. */
static noinline const char *pass_text(pass *p, size_t schema, const node *n, const char *at) {
    const sluice__sets *sets = sets_of(p, n);
    const char *after = sets ? pass_known(p, sets, at) : NULL;
    p->values += after != NULL;
    if (after)
        return after;
    after = pass_string(p, at);
    size_t bytes = after ? sluice__minus(after, at) - 2 : 0, pattern = n->words[W_PATTERN];
    bool read, good = is_within(n->characters, (bytes + 11) / 12, bytes);
    p->values++;
    p->c->steps += bytes / 16;
    if (good && after && pattern) /* of text with escapes, a document has the characters */
        good = !memchr(at + 1, '\\', bytes) &&
               (sluice__has_pattern(p->c, pattern, at + 1, bytes, &read) || !read);
    return good ? after : pass_alone(p, schema, at);
}

/* Checks a value to which other nodes apply. */
static const char *pass_other(pass *p, size_t schema, const node *n, const char *at) {
    size_t other = other_schema(p, n, kind_of(*at));
    if (other == SIZE_MAX)
        return pass_alone(p, schema, at);
    if (!enter(p))
        return NULL;
    p->c->steps++;
    at = pass_value(p, other, sluice__node_of(p->schema, other), at);
    p->c->depth--;
    return at;
}

/* Checks a value that cannot be checked in place. */
static noinline const char *pass_elsewhere(pass *p, size_t schema, const node *n, const char *at) {
    uint8_t kind = kind_of(*at);
    bool whole = false;
    if (!n)
        return p->schema->doc.values[schema].kind == SLUICE__V_FALSE
                   ? NULL
                   : pass_any(p, kind, at, &whole);
    return n->stands_for < WORD_COUNT ? pass_other(p, schema, n, at)
           : is_other_kind(n, kind)   ? NULL
                                      : pass_alone(p, schema, at);
}

static const char *pass_node(pass *p, size_t schema, const node *n, const char *at) {
    uint8_t kind = kind_of(*at);
    bool whole = false;
    if (!n || !(n->in_place >> kind & 1))
        return pass_elsewhere(p, schema, n, at);
    if (kind == SLUICE__V_NUMBER)
        return pass_bounded(p, schema, n, at);
    if (kind == SLUICE__V_STRING)
        return n->words[W_ENUM] ? pass_choice(p, schema, n, at) : pass_text(p, schema, n, at);
    if (kind == SLUICE__V_OBJECT)
        return pass_object(p, n, at);
    if (kind == SLUICE__V_ARRAY)
        return pass_array(p, n, at);
    return pass_any(p, kind, at, &whole);
}

bool sluice__pass(checker *c, const char *json, size_t len) {
    if (len > UINT32_MAX / 4)
        return false;
    pass p = {c, c->schema, json + len, len < 16 ? NULL : json + len - 16, 0};
    const char *after = pass_value(&p, 0, sluice__node_of(p.schema, 0), skip(json));
    c->steps += (uint64_t)p.values * (ALTERNATIVES_MOST + 1);
    return after && skip(after) == p.end && !c->gave_up && !c->no_memory &&
           p.values + 2 <= VALUES_MOST && c->steps <= STEPS_MOST;
}
