/* Checks values against a compiled schema. */
#include "inside.h"

#include <stddef.h>
#include <stdio.h>

enum {
    STEPS_MOST = 10000000, /* and as many as STEPS_A_BYTE of the value */
    STEPS_A_BYTE = 16,
    DEPTH_MOST = 300, /* levels of values, and of schemas for the same value, together */
    KNOWN = 256
};

typedef struct checker {
    const sluice__schema *schema;
    const sluice__doc *own; /* its document */
    const sluice__doc *doc;
    heap heap;
    out message;
    size_t *place_len;
    uint64_t steps, steps_most;
    int depth, quiet; /* quiet: an alternative; no message is wanted */
    bool of_name;     /* the checked value is the name of a member */
    bool unchecked;   /* a part was reached that cannot be checked */
    bool unsure;      /* that was in an alternative: what follows from it is not certain */
    bool gave_up;
    sluice__matcher matcher;
    bool knows;
    uint64_t known[KNOWN]; /* then: earlier results by hash: (node, value, whether it fits) */
} checker;

/* `seen`: for each key or item, from the value on, whether a keyword evaluates it; or NULL. It is
 * marked by schemas that the value fits. */
static bool check(checker *c, size_t schema, size_t value, bool *seen);

static bool over(const checker *c) { return c->gave_up || c->heap.failed; }

/* Counts steps; false if there were too many. */
static bool step(checker *c, uint64_t n) {
    c->steps += n;
    c->gave_up |= c->steps > c->steps_most;
    return !over(c);
}

static size_t next_of(const sluice__doc *doc, size_t value) { return doc->values[value].next; }

/* ---- Messages -------------------------------------------------------------------------------- */

static void put_place(checker *c, size_t value) {
    c->message.b.len = 0;
    sluice__doc_pointer(c->doc, value, &c->message);
    *c->place_len = c->message.b.len;
}

/* Reports that the value violates the schema. `%` in the message: the text of a value of `doc`, or
 * of the items of a list; `#`: a number. Returns false. */
static bool broken(checker *c, size_t value, const char *format, const sluice__doc *doc, size_t of,
                   size_t number) {
    if (c->quiet || c->unsure || over(c))
        return false;
    put_place(c, value);
    put_text(&c->message, c->of_name ? " the name " : " ");
    for (const char *p = format; *p; p++) {
        char text[24];
        if (*p == '%' && doc->values[of].kind == SLUICE__ARRAY) {
            for (size_t i = of + 1; i < next_of(doc, of); i = next_of(doc, i)) {
                put_text(&c->message, i > of + 1 ? " or " : "");
                put_view(&c->message, sluice__doc_text(doc, i));
            }
        } else if (*p == '%') {
            put_view(&c->message, sluice__doc_text(doc, of));
        } else if (*p == '#') {
            put(&c->message, text, (size_t)snprintf(text, sizeof text, "%zu", number));
        } else {
            put(&c->message, p, 1);
        }
    }
    return false;
}

static bool says(checker *c, size_t value, const char *message) {
    return broken(c, value, message, NULL, 0, 0);
}

/* Notes that a part of a schema which applies to this value cannot be checked. */
static void reach_note(checker *c, size_t schema, size_t value) {
    c->unsure |= c->quiet > 0;
    if (c->unchecked)
        return;
    c->unchecked = true;
    const note *n = c->schema->notes;
    while (n->schema != schema || !(n->kinds & c->doc->values[value].kind))
        n++;
    put_place(c, value);
    put_text(&c->message, n->part ? " was not checked against the schema: its "
                                  : " was not checked: the schema");
    sluice__doc_pointer(c->own, n->part, &c->message);
    put_text(&c->message, " ");
    put_text(&c->message, n->message);
    if (c->own->values[n->part].kind == SLUICE__STRING) {
        put_text(&c->message, ": \"");
        put_view(&c->message, sluice__doc_text(c->own, n->part));
        put_text(&c->message, "\"");
    }
}

/* ---- Small keywords -------------------------------------------------------------------------- */

static sluice__number number_in(const sluice__doc *doc, size_t value) {
    return sluice__number_of(sluice__doc_text(doc, value));
}

static bool check_type(checker *c, const node *n, size_t value) {
    uint8_t kind = c->doc->values[value].kind;
    if (n->types & kind)
        return true;
    if (kind == SLUICE__NUMBER && n->types & SLUICE__INTEGER) {
        sluice__number number = number_in(c->doc, value);
        if (sluice__number_is_whole(&number))
            return true;
    }
    return broken(c, value,
                  kind == SLUICE__NULL      ? "is a null, not %"
                  : kind == SLUICE__BOOLEAN ? "is a boolean, not %"
                  : kind == SLUICE__NUMBER  ? "is a number, not %"
                  : kind == SLUICE__STRING  ? "is a string, not %"
                  : kind == SLUICE__ARRAY   ? "is an array, not %"
                                            : "is an object, not %",
                  c->own, n->words[W_TYPE], 0);
}

/* True if a count is within the bounds of two keywords. */
static bool check_count(checker *c, const node *n, size_t value, size_t count, enum word least,
                        const char *too_few, enum word most, const char *too_many) {
    size_t low = n->words[least], high = n->words[most];
    if (!low && !high)
        return true;
    char text[24];
    size_t len = (size_t)snprintf(text, sizeof text, "%zu", count);
    sluice__number number = sluice__number_of(view_of(text, len)), bound;
    if (low && (bound = number_in(c->own, low), sluice__number_compare(&number, &bound) < 0))
        return broken(c, value, too_few, c->own, low, count);
    if (high && (bound = number_in(c->own, high), sluice__number_compare(&number, &bound) > 0))
        return broken(c, value, too_many, c->own, high, count);
    return true;
}

/* True if two values are equal. Numbers are compared by value; the order of members does not
 * matter. */
static bool same(checker *c, const sluice__doc *a, size_t x, const sluice__doc *b, size_t y) {
    const sluice__value *v = &a->values[x], *w = &b->values[y];
    if (v->kind != w->kind || !step(c, 1 + v->len / STEPS_A_BYTE))
        return false;
    if (v->kind == SLUICE__NUMBER) {
        sluice__number m = number_in(a, x), n = number_in(b, y);
        return sluice__number_compare(&m, &n) == 0;
    }
    if (v->kind == SLUICE__BOOLEAN)
        return v->len == w->len;
    if (v->kind == SLUICE__STRING)
        return equal_views(sluice__doc_text(a, x), sluice__doc_text(b, y));
    bool object = v->kind == SLUICE__OBJECT, good = v->len == w->len;
    for (size_t i = x + 1, k = y + 1; good && i < v->next; i = next_of(a, i + object)) {
        size_t other = k;
        if (!object)
            k = next_of(b, k);
        else
            other = sluice__doc_member(b, y, sluice__doc_text(a, i));
        good = (!object || other > k) && same(c, a, i + object, b, other);
    }
    return good && !over(c);
}

static bool check_enum(checker *c, const node *n, size_t value) {
    size_t list = n->words[W_ENUM], constant = n->words[W_CONST];
    bool found = !list;
    for (size_t i = list + 1; !found && i < sluice__doc_end(c->own, list); i = next_of(c->own, i))
        found = same(c, c->own, i, c->doc, value);
    if (!found)
        return says(c, value, "is not one of the values of its enum");
    return !constant || same(c, c->own, constant, c->doc, value) ||
           says(c, value, "is not the required constant");
}

static bool check_number(checker *c, const node *n, size_t value) {
    static const struct {
        uint8_t word;
        int8_t wrong, too; /* results of the comparison that violate the bound */
        const char *format;
    } bounds[] = {{W_MAXIMUM, 1, 1, "is greater than %"},
                  {W_EXCLUSIVE_MAXIMUM, 1, 0, "is not less than %"},
                  {W_MINIMUM, -1, -1, "is less than %"},
                  {W_EXCLUSIVE_MINIMUM, -1, 0, "is not greater than %"}};
    size_t multiple = n->words[W_MULTIPLE_OF];
    sluice__number number, limit;
    if (!multiple && !(n->words[W_MAXIMUM] | n->words[W_EXCLUSIVE_MAXIMUM] | n->words[W_MINIMUM] |
                       n->words[W_EXCLUSIVE_MINIMUM]))
        return true;
    number = number_in(c->doc, value);
    if (multiple) {
        limit = number_in(c->own, multiple);
        if (!sluice__number_is_multiple(&number, &limit))
            return broken(c, value, "is not a multiple of %", c->own, multiple, 0);
    }
    for (size_t i = 0; i < 4; i++) {
        size_t bound = n->words[bounds[i].word];
        if (!bound)
            continue;
        limit = number_in(c->own, bound);
        int order = sluice__number_compare(&number, &limit);
        if (order == bounds[i].wrong || order == bounds[i].too)
            return broken(c, value, bounds[i].format, c->own, bound, 0);
    }
    return true;
}

/* True if the pattern, a value of the schema, matches the string, or cannot be read. */
static bool matches(checker *c, size_t pattern, size_t value) {
    size_t number = c->schema->links[pattern];
    bool found = true;
    if (number && !over(c) &&
        !sluice__pattern_matches(&c->heap.alloc, &c->matcher, c->schema->patterns[number - 1],
                                 sluice__doc_text(c->doc, value), &found, c->steps_most, &c->steps))
        c->heap.failed = true;
    return step(c, 0) && found;
}

static bool check_string(checker *c, const node *n, size_t value) {
    size_t characters = 0, pattern = n->words[W_PATTERN];
    if (n->words[W_MIN_LENGTH] | n->words[W_MAX_LENGTH])
        for (view v = sluice__doc_text(c->doc, value); v.p < v.end; v.p++)
            characters += (*v.p & 0xC0) != 0x80;
    return check_count(c, n, value, characters, W_MIN_LENGTH, "is shorter than % characters",
                       W_MAX_LENGTH, "is longer than % characters") &&
           (!pattern || matches(c, pattern, value) ||
            broken(c, value, "does not match the pattern %", c->own, pattern, 0));
}

/* True if the value fits an alternative; then it marks what that evaluates. Results are kept:
 * nested alternatives ask repeatedly. */
static bool fits(checker *c, size_t schema, size_t value, bool *seen) {
    if (!c->knows)
        memset(c->known, 0, sizeof c->known);
    c->knows = true;
    uint64_t what = (uint64_t)(schema + 1) << 31 | value;
    uint64_t *known = &c->known[what * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (*known >> 1 != what) {
        bool of_name = c->of_name;
        c->quiet++;
        bool good = check(c, schema, value, NULL);
        c->quiet--;
        c->of_name = of_name;
        *known = what << 1 | good;
    }
    bool good = *known & 1 && !over(c);
    return good && (!seen || check(c, schema, value, seen));
}

/* Returns how many schemas of a list the value fits; up to `enough`, unless marks are wanted. */
static int fitting(checker *c, size_t list, size_t value, int enough, bool *seen) {
    int count = 0;
    for (size_t i = list + 1; i < next_of(c->own, list) && (seen || count < enough);
         i = next_of(c->own, i))
        count += fits(c, i, value, seen);
    return count;
}

/* ---- Objects --------------------------------------------------------------------------------- */

/* Returns the value of the member with the name that is a value of the other document, or 0. */
static size_t member(checker *c, const sluice__doc *doc, size_t object, const sluice__doc *other,
                     size_t name) {
    return step(c, 1) ? sluice__doc_member(doc, object, sluice__doc_text(other, name)) : 0;
}

/* True if the object has all members that a list of the schema names. `of`: the member that
 * requires them, or 0. */
static bool check_required(checker *c, size_t list, size_t value, size_t of) {
    for (size_t i = list + 1; i < sluice__doc_end(c->own, list); i = next_of(c->own, i)) {
        if (c->own->values[i].kind != SLUICE__STRING || member(c, c->doc, value, c->own, i))
            continue;
        if (!of)
            return broken(c, value, "lacks the required member '%'", c->own, i, 0);
        broken(c, value, "has '%' but lacks '", c->own, of, 0);
        if (!c->quiet && !c->unsure) {
            put_view(&c->message, sluice__doc_text(c->own, i));
            put_text(&c->message, "', which it requires");
        }
        return false;
    }
    return true;
}

/* Checks a member against the schemas of its property, of patterns, and of additional members. */
static bool check_member(checker *c, const node *n, size_t key, bool *seen) {
    const uint32_t *w = n->words;
    size_t map = w[W_PATTERN_PROPERTIES], rest = w[W_ADDITIONAL_PROPERTIES];
    size_t own = w[W_PROPERTIES] ? member(c, c->own, w[W_PROPERTIES], c->doc, key) : 0;
    bool covered = own, of_name = c->of_name;
    if (w[W_PROPERTY_NAMES]) {
        c->of_name = true;
        bool good = check(c, w[W_PROPERTY_NAMES], key, NULL);
        c->of_name = of_name;
        if (!good)
            return false;
    }
    if (own && !check(c, own, key + 1, NULL))
        return false;
    for (size_t k = map + 1; k < sluice__doc_end(c->own, map); k = next_of(c->own, k + 1)) {
        bool found = matches(c, k, key);
        covered |= found;
        if (found && c->schema->links[k] && !check(c, k + 1, key + 1, NULL))
            return false;
    }
    if (seen && (covered || rest))
        *seen = true;
    if (covered || !rest)
        return step(c, 1);
    if (sluice__doc_is_false(c->own, rest))
        return says(c, key, "is not a declared parameter");
    return check(c, rest, key + 1, NULL);
}

/* Checks what members require of the whole object. */
static bool check_dependents(checker *c, size_t map, size_t value, bool *seen) {
    for (size_t k = map + 1; k < sluice__doc_end(c->own, map); k = next_of(c->own, k + 1)) {
        if (!member(c, c->doc, value, c->own, k))
            continue;
        bool list = c->own->values[k + 1].kind == SLUICE__ARRAY;
        if (list ? !check_required(c, k + 1, value, k) : !check(c, k + 1, value, seen))
            return false;
    }
    return true;
}

static bool check_object(checker *c, const node *n, size_t value, bool *seen) {
    static const uint8_t dependents[] = {W_DEPENDENT_REQUIRED, W_DEPENDENT_SCHEMAS, W_DEPENDENCIES};
    const uint32_t *w = n->words;
    bool good = check_count(c, n, value, c->doc->values[value].len, W_MIN_PROPERTIES,
                            "has # members, fewer than %", W_MAX_PROPERTIES,
                            "has # members, more than %") &&
                check_required(c, w[W_REQUIRED], value, 0);
    size_t map = w[W_PROPERTIES], found;
    for (size_t k = map + 1; good && c->schema->members_require && k < sluice__doc_end(c->own, map);
         k = next_of(c->own, k + 1)) {
        const node *of = sluice__node_of(c->schema, k + 1);
        if (of && c->own->values[of->words[W_REQUIRED]].kind == SLUICE__BOOLEAN)
            good = member(c, c->doc, value, c->own, k) ||
                   broken(c, value, "lacks the required member '%'", c->own, k, 0);
    }
    bool others = w[W_PATTERN_PROPERTIES] | w[W_ADDITIONAL_PROPERTIES] | w[W_PROPERTY_NAMES];
    if (map && !others && c->own->values[map].len < c->doc->values[value].len)
        for (size_t k = map + 1; good && k < next_of(c->own, map); k = next_of(c->own, k + 1)) {
            found = member(c, c->doc, value, c->own, k);
            good =
                !found || check_member(c, n, found - 1, seen ? seen + (found - 1 - value) : NULL);
        }
    else if (map || others)
        for (size_t k = value + 1; good && k < next_of(c->doc, value); k = next_of(c->doc, k + 1))
            good = check_member(c, n, k, seen ? seen + (k - value) : NULL);
    for (size_t i = 0; good && i < 3; i++)
        good = check_dependents(c, w[dependents[i]], value, seen);
    return good;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Returns a hash, the same for equal values: of all that is in them, in any order. */
static uint64_t hash_of(checker *c, size_t value) {
    uint64_t hash = 0;
    for (size_t i = value; i < next_of(c->doc, value) && step(c, 1); i++) {
        uint8_t kind = c->doc->values[i].kind;
        view text = sluice__doc_text(c->doc, i);
        uint64_t number = kind;
        if (kind == SLUICE__NUMBER) {
            sluice__number n = sluice__number_of(text);
            number += (uint64_t)n.scale << 8 | n.minus;
            for (size_t k = 0; k < n.len; k++)
                number = n.digits[k] == '.' ? number : number * 1000003 + (uint64_t)n.digits[k];
            text.p = text.end;
        }
        if (!(kind & (SLUICE__ARRAY | SLUICE__OBJECT)))
            hash += sluice__doc_hash(number, text);
    }
    return hash;
}

static bool check_unique(checker *c, size_t value) {
    struct seen {
        uint64_t hash;
        size_t item;
    } * table, *seen;
    size_t cap = 16, i = value + 1, end = next_of(c->doc, value);
    while (cap < 2 * (size_t)c->doc->values[value].len)
        cap *= 2;
    table = sluice__zeroed(&c->heap.alloc, cap * sizeof *table);
    if (!table) {
        c->heap.failed = true;
        return false;
    }
    for (; i < end && !over(c); i = next_of(c->doc, i)) {
        uint64_t hash = hash_of(c, i), at = hash;
        while ((seen = &table[at & (cap - 1)])->item && step(c, 1) &&
               (seen->hash != hash || !same(c, c->doc, seen->item, c->doc, i)))
            at++;
        if (seen->item)
            break;
        *seen = (struct seen){hash, i};
    }
    sluice__realloc(&c->heap.alloc, table, cap * sizeof *table, 0);
    return i >= end || says(c, i, "is equal to an earlier item");
}

static bool check_array(checker *c, const node *n, size_t value, bool *seen) {
    const uint32_t *w = n->words;
    size_t prefix = w[W_PREFIX_ITEMS], next = prefix + 1, count = 0, low = w[W_MIN_CONTAINS];
    if (!check_count(c, n, value, c->doc->values[value].len, W_MIN_ITEMS,
                     "has # items, fewer than %", W_MAX_ITEMS, "has # items, more than %"))
        return false;
    for (size_t i = value + 1; i < next_of(c->doc, value); i = next_of(c->doc, i)) {
        bool in_prefix = next < sluice__doc_end(c->own, prefix);
        size_t schema = in_prefix ? next : w[W_ITEMS];
        bool contained = w[W_CONTAINS] && fits(c, w[W_CONTAINS], i, NULL);
        next = in_prefix ? next_of(c->own, next) : next;
        count += contained;
        if (schema && !check(c, schema, i, NULL))
            return false;
        if (seen && (schema || contained))
            seen[i - value] = true;
    }
    if (w[W_UNIQUE_ITEMS] && !check_unique(c, value))
        return false;
    if (w[W_CONTAINS] && !low && !count)
        return says(c, value, "contains too few matching items");
    return !w[W_CONTAINS] ||
           check_count(c, n, value, count, W_MIN_CONTAINS, "contains too few matching items",
                       W_MAX_CONTAINS, "contains too many matching items");
}

/* ---- Combinations ---------------------------------------------------------------------------- */

static bool check_combined(checker *c, const node *n, size_t value, bool *seen) {
    const uint32_t *w = n->words;
    size_t all = w[W_ALL_OF];
    for (size_t i = all + 1; i < sluice__doc_end(c->own, all); i = next_of(c->own, i))
        if (!check(c, i, value, seen))
            return false;
    if (w[W_ANY_OF] && !fitting(c, w[W_ANY_OF], value, 1, seen))
        return says(c, value, "fits none of the alternatives of anyOf");
    if (w[W_ONE_OF]) {
        int count = fitting(c, w[W_ONE_OF], value, 2, seen);
        if (count != 1)
            return says(c, value,
                        count ? "fits more than one of the alternatives of oneOf"
                              : "fits none of the alternatives of oneOf");
    }
    if (w[W_NOT] && fits(c, w[W_NOT], value, NULL))
        return says(c, value, "fits the schema of not");
    size_t branch = w[W_IF] ? w[fits(c, w[W_IF], value, seen) ? W_THEN : W_ELSE] : 0;
    return !branch || check(c, branch, value, seen);
}

static bool check_node(checker *c, const node *n, size_t value, bool *seen) {
    static const uint8_t references[] = {W_REF, W_DYNAMIC_REF};
    const uint32_t *w = n->words;
    uint8_t kind = c->doc->values[value].kind;
    for (int i = 0; i < 2; i++) {
        size_t ref = w[references[i]];
        if (ref && c->schema->links[ref] && !check(c, c->schema->links[ref] - 1, value, seen))
            return false;
    }
    if (w[W_NULLABLE] && kind == SLUICE__NULL)
        return true;
    return check_type(c, n, value) && check_enum(c, n, value) &&
           (kind == SLUICE__OBJECT   ? check_object(c, n, value, seen)
            : kind == SLUICE__ARRAY  ? check_array(c, n, value, seen)
            : kind == SLUICE__NUMBER ? check_number(c, n, value)
            : kind == SLUICE__STRING ? check_string(c, n, value)
                                     : true) &&
           check_combined(c, n, value, seen);
}

/* The same, and then the parts of the value that no other keyword evaluates against `rest`. */
static bool check_rest(checker *c, const node *n, size_t rest, size_t value) {
    bool object = c->doc->values[value].kind == SLUICE__OBJECT;
    size_t end = next_of(c->doc, value), size = end - value;
    bool *seen = sluice__zeroed(&c->heap.alloc, size);
    if (!seen) {
        c->heap.failed = true;
        return false;
    }
    step(c, size / 16);
    bool good = check_node(c, n, value, seen);
    bool all = seen[0] || n->unchecked & c->doc->values[value].kind;
    for (size_t i = value + 1; good && !all && i < end; i = next_of(c->doc, i + object))
        if (!seen[i - value])
            good = object && sluice__doc_is_false(c->own, rest)
                       ? says(c, i, "is not a declared parameter")
                       : check(c, rest, i + object, NULL);
    sluice__realloc(&c->heap.alloc, seen, size, 0);
    return good;
}

/* True if the value fits; false also if the check has ended. */
static bool check(checker *c, size_t schema, size_t value, bool *seen) {
    if (over(c))
        return false;
    const node *n = sluice__node_of(c->schema, schema);
    uint8_t kind = c->doc->values[value].kind;
    if (!n)
        return !sluice__doc_is_false(c->own, schema) || says(c, value, "is not allowed here");
    c->gave_up |= c->depth >= DEPTH_MOST;
    if (!step(c, 1))
        return false;
    size_t rest = kind == SLUICE__OBJECT  ? n->words[W_UNEVALUATED_PROPERTIES]
                  : kind == SLUICE__ARRAY ? n->words[W_UNEVALUATED_ITEMS]
                                          : 0;
    c->depth++;
    bool good = rest ? check_rest(c, n, rest, value) : check_node(c, n, value, seen);
    c->depth--;
    if (good && n->unchecked & kind)
        reach_note(c, schema, value);
    if (good && seen && (rest || n->unchecked & kind))
        seen[0] = true; /* all parts; perhaps, if it is unchecked: then that is told */
    return good && !over(c);
}

sluice__fit sluice__schema_check(const sluice_allocator *a, const sluice__schema *schema,
                                 const sluice__doc *doc, sluice__buffer *message, size_t *place) {
    checker c;
    memset(&c, 0, offsetof(checker, known));
    c.schema = schema;
    c.own = &schema->doc;
    c.doc = doc;
    c.heap.alloc = *a;
    c.message = (out){.b = *message, .heap = &c.heap};
    c.place_len = place;
    c.steps_most = STEPS_MOST + (uint64_t)STEPS_A_BYTE * doc->len;
    bool good = check(&c, 0, 0, NULL);
    size_t twice = good && !c.unchecked ? doc->repeated : 0;
    if (twice)
        says(&c, twice, "is given twice");
    *message = c.message.b;
    sluice__matcher_release(a, &c.matcher);
    return c.heap.failed                       ? SLUICE__CHECK_NOMEM
           : c.gave_up                         ? SLUICE__GAVE_UP
           : twice                             ? SLUICE__REPEATS
           : c.unsure || (good && c.unchecked) ? SLUICE__UNCHECKED
           : good                              ? SLUICE__FITS
                                               : SLUICE__BREAKS;
}
