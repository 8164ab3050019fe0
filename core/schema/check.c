/* Checks values against a compiled schema. */
#include "inside.h"

#include <stdio.h>

enum {
    STEPS_MOST = 10000000, /* and as many as STEPS_A_BYTE of the value */
    STEPS_A_BYTE = 16,
    DEPTH_MOST = 300 /* levels of values, and of schemas for the same value, together */
};

typedef struct checker {
    const sluice_allocator *alloc;
    const sluice__schema *schema;
    sluice__doc doc;
    sluice__buffer *message;
    size_t *place_len;
    uint64_t steps, steps_most;
    int depth, quiet; /* quiet: an alternative; no message is wanted */
    bool of_name;     /* the checked value is the name of a member */
    bool unchecked;   /* a part was reached that cannot be checked */
    bool unsure;      /* that was in an alternative: what follows from it is not certain */
    bool gave_up, no_memory;
    uint64_t *known; /* earlier results: (node, value, whether it fits) */
    size_t known_count, known_cap;
    sluice__matcher matcher;
} checker;

static bool check(checker *c, size_t schema, size_t value);

static bool over(const checker *c) { return c->gave_up || c->no_memory; }

/* ---- Messages -------------------------------------------------------------------------------- */

static void put(checker *c, const char *p, size_t n) {
    if (!sluice__buffer_add(c->alloc, c->message, p, n))
        c->no_memory = true;
}

static void put_text(checker *c, const char *text) { put(c, text, strlen(text)); }

static void put_place(checker *c, size_t value) {
    c->message->len = 0;
    if (!sluice__doc_pointer(c->alloc, &c->doc, value, c->message))
        c->no_memory = true;
    *c->place_len = c->message->len;
}

/* Reports that the value violates the schema. `%` in the message: the text of a value of `doc`;
 * `#`: a number. Returns false. */
static bool broken(checker *c, size_t value, const char *format, const sluice__doc *doc, size_t of,
                   size_t number) {
    if (c->quiet || c->unsure || over(c))
        return false;
    put_place(c, value);
    put_text(c, c->of_name ? " the name " : " ");
    for (const char *p = format; *p; p++) {
        char text[24];
        if (*p == '%')
            put(c, sluice__doc_text(doc, of), doc->values[of].len);
        else if (*p == '#')
            put(c, text, (size_t)snprintf(text, sizeof text, "%zu", number));
        else
            put(c, p, 1);
    }
    return false;
}

static bool says(checker *c, size_t value, const char *message) {
    return broken(c, value, message, NULL, 0, 0);
}

/* Notes that a part of a schema which applies to this value cannot be checked. */
static void reach_note(checker *c, size_t schema, size_t value) {
    const sluice__schema *s = c->schema;
    uint8_t kind = c->doc.values[value].kind;
    c->unsure |= c->quiet > 0;
    if (c->unchecked)
        return;
    c->unchecked = true;
    const note *n = s->notes;
    while (n->schema != schema || !(n->kinds >> kind & 1))
        n++;
    put_place(c, value);
    put_text(c, n->part ? " was not checked against the schema: its "
                        : " was not checked: the schema");
    if (!sluice__doc_pointer(c->alloc, &s->doc, n->part, c->message))
        c->no_memory = true;
    put_text(c, " ");
    put_text(c, n->message);
}

/* ---- Small keywords -------------------------------------------------------------------------- */

/* True if the schema allows the value's type. */
static bool fits_type(const checker *c, const node *n, size_t value) {
    const sluice__value *v = &c->doc.values[value];
    if (!(n->kinds >> v->kind & 1))
        return false;
    if (v->kind != SLUICE__V_NUMBER || !n->whole || v->whole)
        return true;
    sluice__number number = sluice__doc_number(&c->doc, value);
    return sluice__number_is_whole(&number);
}

static bool wrong_type(checker *c, const node *n, size_t value) {
    static const char *const names[] = {"is a null",   "is a boolean", "is a boolean",
                                        "is a number", "is a string",  "is an array",
                                        "is an object"};
    if (c->quiet || c->unsure)
        return false;
    const sluice__doc *doc = &c->schema->doc;
    size_t type = n->words[W_TYPE];
    says(c, value, names[c->doc.values[value].kind]);
    if (doc->values[type].kind == SLUICE__V_STRING)
        return put_text(c, ", not "), put(c, sluice__doc_text(doc, type), doc->values[type].len),
               false;
    for (size_t i = type + 1; i < doc->values[type].next; i = doc->values[i].next) {
        put_text(c, i > type + 1 ? " or " : ", not ");
        put(c, sluice__doc_text(doc, i), doc->values[i].len);
    }
    return false;
}

/* True if a count is within the bounds of two keywords. */
static bool check_count(checker *c, const node *n, size_t value, size_t count, enum word least,
                        const char *too_few, enum word most, const char *too_many) {
    const sluice__doc *doc = &c->schema->doc;
    size_t low = n->words[least], high = n->words[most];
    if (low && (double)count < sluice__doc_number(doc, low).value)
        return broken(c, value, too_few, doc, low, count);
    if (high && (double)count > sluice__doc_number(doc, high).value)
        return broken(c, value, too_many, doc, high, count);
    return true;
}

static bool check_enum(checker *c, const node *n, size_t value) {
    const sluice__doc *doc = &c->schema->doc;
    size_t list = n->words[W_ENUM], constant = n->words[W_CONST];
    bool found = !list;
    for (size_t i = list + 1; !found && i < doc->values[list].next; i = doc->values[i].next)
        found = sluice__doc_same(doc, i, &c->doc, value, &c->steps);
    if (!found)
        return says(c, value, "is not one of the values of its enum");
    if (constant && !sluice__doc_same(doc, constant, &c->doc, value, &c->steps))
        return says(c, value, "is not the required constant");
    return true;
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
    const sluice__doc *doc = &c->schema->doc;
    const uint32_t *w = n->words;
    size_t multiple = w[W_MULTIPLE_OF];
    if (!(multiple | w[W_MAXIMUM] | w[W_EXCLUSIVE_MAXIMUM] | w[W_MINIMUM] | w[W_EXCLUSIVE_MINIMUM]))
        return true;
    sluice__number number = sluice__doc_number(&c->doc, value), limit;
    if (multiple) {
        limit = sluice__doc_number(doc, multiple);
        if (!sluice__number_is_multiple(&number, &limit))
            return broken(c, value, "is not a multiple of %", doc, multiple, 0);
    }
    for (size_t i = 0; i < 4; i++) {
        size_t bound = w[bounds[i].word];
        if (!bound)
            continue;
        limit = sluice__doc_number(doc, bound);
        int order = sluice__number_compare(&number, &limit);
        if (order == bounds[i].wrong || order == bounds[i].too)
            return broken(c, value, bounds[i].format, doc, bound, 0);
    }
    return true;
}

/* True if the pattern, a value of the schema, matches the string, or cannot be read. */
static bool matches(checker *c, size_t pattern, size_t value) {
    size_t number = c->schema->links[pattern];
    bool found = true;
    if (!number || over(c))
        return true;
    if (!sluice__pattern_matches(c->alloc, &c->matcher, c->schema->patterns[number - 1],
                                 sluice__doc_text(&c->doc, value), c->doc.values[value].len, &found,
                                 c->steps_most, &c->steps))
        c->no_memory = true;
    c->gave_up |= c->steps > c->steps_most;
    return found && !over(c);
}

static bool check_string(checker *c, const node *n, size_t value) {
    const char *text = sluice__doc_text(&c->doc, value);
    size_t characters = 0, pattern = n->words[W_PATTERN];
    if (n->words[W_MIN_LENGTH] | n->words[W_MAX_LENGTH])
        for (size_t i = 0; i < c->doc.values[value].len; i++)
            characters += ((unsigned char)text[i] & 0xC0) != 0x80;
    if (!check_count(c, n, value, characters, W_MIN_LENGTH, "is shorter than % characters",
                     W_MAX_LENGTH, "is longer than % characters"))
        return false;
    return !pattern || matches(c, pattern, value) ||
           broken(c, value, "does not match the pattern %", &c->schema->doc, pattern, 0);
}

/* ---- Results that are kept ------------------------------------------------------------------- */

/* Returns the place of what is known, or of a free one, in the table. */
static uint64_t *slot_of(const checker *c, uint64_t what) {
    size_t at = (size_t)((what * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (c->known_cap - 1);
    while (c->known[at] && c->known[at] >> 1 != what)
        at = (at + 1) & (c->known_cap - 1);
    return &c->known[at];
}

static void remember(checker *c, uint64_t what, bool fits) {
    if (c->known_count * 2 >= c->known_cap) {
        size_t old = c->known_cap;
        uint64_t *before = c->known, *after;
        after = sluice__zeroed(c->alloc, (old ? 2 * old : 64) * sizeof *after);
        if (!after) {
            c->no_memory = true;
            return;
        }
        c->known = after;
        c->known_cap = old ? 2 * old : 64;
        for (size_t i = 0; i < old; i++)
            if (before[i])
                *slot_of(c, before[i] >> 1) = before[i];
        if (before)
            sluice__realloc(c->alloc, before, old * sizeof *before, 0);
    }
    *slot_of(c, what) = what << 1 | fits;
    c->known_count++;
}

/* True if the value fits an alternative. Keeps the result: nested alternatives ask repeatedly. */
static bool fits(checker *c, size_t schema, size_t value) {
    if (over(c))
        return false;
    uint64_t what = (uint64_t)(schema + 1) << 31 | value;
    uint64_t known = c->known_cap ? *slot_of(c, what) : 0;
    if (known)
        return known & 1;
    bool of_name = c->of_name;
    c->quiet++;
    bool good = check(c, schema, value);
    c->quiet--;
    c->of_name = of_name;
    if (!over(c))
        remember(c, what, good);
    return good;
}

/* Returns how many schemas of a list the value fits, `enough` at most. */
static int fitting(checker *c, size_t list, size_t value, int enough) {
    const sluice__doc *doc = &c->schema->doc;
    int count = 0;
    for (size_t i = list + 1; count < enough && i < doc->values[list].next; i = doc->values[i].next)
        count += fits(c, i, value);
    return count;
}

/* ---- Objects --------------------------------------------------------------------------------- */

/* Returns the value for this key in a map of the schema, or 0. */
static size_t in_map(checker *c, size_t map, size_t key) {
    const char *text = sluice__doc_text(&c->doc, key);
    return map ? sluice__doc_member(&c->schema->doc, map, text, c->doc.values[key].len) : 0;
}

/* True if the object has the member that a string of the schema names. */
static bool has_member(const checker *c, size_t object, size_t name) {
    const sluice__doc *doc = &c->schema->doc;
    return doc->values[name].kind != SLUICE__V_STRING ||
           sluice__doc_member(&c->doc, object, sluice__doc_text(doc, name), doc->values[name].len);
}

static bool check_required(checker *c, const node *n, size_t value) {
    const sluice__doc *doc = &c->schema->doc;
    size_t list = n->words[W_REQUIRED];
    for (size_t i = list + 1; list && i < doc->values[list].next;
         i = doc->values[i].next, c->steps++)
        if (!has_member(c, value, i))
            return broken(c, value, "lacks the required member '%'", doc, i, 0);
    return true;
}

/* Checks a member against the schemas of its property, of patterns, and of additional members. */
static bool check_member(checker *c, const node *n, size_t key) {
    const sluice__doc *doc = &c->schema->doc;
    size_t map = n->words[W_PATTERN_PROPERTIES], rest = n->words[W_ADDITIONAL_PROPERTIES];
    size_t own = in_map(c, n->words[W_PROPERTIES], key);
    bool covered = own, of_name = c->of_name;
    if (n->words[W_PROPERTY_NAMES]) {
        c->of_name = true;
        bool good = check(c, n->words[W_PROPERTY_NAMES], key);
        c->of_name = of_name;
        if (!good)
            return false;
    }
    if (own && !check(c, own, key + 1))
        return false;
    for (size_t k = map + 1; map && k < doc->values[map].next; k = doc->values[k + 1].next) {
        bool found = matches(c, k, key);
        covered |= found;
        if (found && c->schema->links[k] && !check(c, k + 1, key + 1))
            return false;
    }
    if (covered || !rest)
        return true;
    if (doc->values[rest].kind == SLUICE__V_FALSE)
        return says(c, key, "is not a declared parameter");
    return check(c, rest, key + 1);
}

/* Checks what members require of the whole object. */
static bool check_dependents(checker *c, size_t map, size_t value) {
    const sluice__doc *doc = &c->schema->doc;
    for (size_t k = map + 1; map && k < doc->values[map].next; k = doc->values[k + 1].next) {
        c->steps++;
        if (!has_member(c, value, k))
            continue;
        bool list = doc->values[k + 1].kind == SLUICE__V_ARRAY;
        if (!list && !check(c, k + 1, value))
            return false;
        for (size_t i = k + 2; list && i < doc->values[k + 1].next; i = doc->values[i].next) {
            c->steps++;
            if (has_member(c, value, i))
                continue;
            broken(c, value, "has '%' but lacks '", doc, k, 0);
            if (!c->quiet && !c->unsure) {
                put(c, sluice__doc_text(doc, i), doc->values[i].len);
                put_text(c, "', which it requires");
            }
            return false;
        }
    }
    return true;
}

/* Checks the members; if only a few properties are restricted, looks for these. */
static bool check_members(checker *c, const node *n, size_t value) {
    const sluice__value *values = c->doc.values, *own = c->schema->doc.values;
    const uint32_t *w = n->words;
    size_t map = w[W_PROPERTIES];
    if (!(w[W_PATTERN_PROPERTIES] | w[W_ADDITIONAL_PROPERTIES] | w[W_PROPERTY_NAMES])) {
        if (!map)
            return true;
        for (size_t k = map + 1; own[map].len < values[value].len / 8; k = own[k + 1].next) {
            if (k == own[map].next)
                return true;
            const char *text = sluice__doc_text(&c->schema->doc, k);
            size_t found = sluice__doc_member(&c->doc, value, text, own[k].len);
            c->steps++;
            if (found && !check(c, k + 1, found))
                return false;
        }
    }
    for (size_t key = value + 1; key < values[value].next; key = values[key + 1].next, c->steps++)
        if (!check_member(c, n, key))
            return false;
    return true;
}

static bool check_object(checker *c, const node *n, size_t value) {
    const uint32_t *w = n->words;
    return check_count(c, n, value, c->doc.values[value].len, W_MIN_PROPERTIES,
                       "has # members, fewer than %", W_MAX_PROPERTIES,
                       "has # members, more than %") &&
           check_required(c, n, value) && check_members(c, n, value) &&
           check_dependents(c, w[W_DEPENDENT_REQUIRED], value) &&
           check_dependents(c, w[W_DEPENDENT_SCHEMAS], value) &&
           check_dependents(c, w[W_DEPENDENCIES], value);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool check_unique(checker *c, size_t value) {
    const sluice__doc *doc = &c->doc;
    size_t n = doc->values[value].len, cap = 16;
    while (cap < 2 * n)
        cap *= 2;
    struct seen {
        uint64_t hash;
        uint32_t item;
    } *table = sluice__zeroed(c->alloc, cap * sizeof *table);
    if (!table) {
        c->no_memory = true;
        return false;
    }
    bool good = true;
    for (size_t i = value + 1; good && i < doc->values[value].next; i = doc->values[i].next) {
        uint64_t hash = sluice__doc_hash(doc, i, &c->steps);
        size_t k = (size_t)hash & (cap - 1);
        for (; good && table[k].item; k = (k + 1) & (cap - 1)) {
            c->gave_up |= ++c->steps > c->steps_most;
            good = !c->gave_up && (table[k].hash != hash ||
                                   !sluice__doc_same(doc, table[k].item, doc, i, &c->steps));
        }
        if (good)
            table[k] = (struct seen){hash, (uint32_t)i};
        else
            says(c, i, "is equal to an earlier item");
    }
    sluice__realloc(c->alloc, table, cap * sizeof *table, 0);
    return good;
}

static bool check_contains(checker *c, const node *n, size_t value) {
    const sluice__doc *doc = &c->doc, *own = &c->schema->doc;
    size_t count = 0, low = n->words[W_MIN_CONTAINS], high = n->words[W_MAX_CONTAINS];
    for (size_t i = value + 1; i < doc->values[value].next; i = doc->values[i].next)
        count += fits(c, n->words[W_CONTAINS], i);
    if ((double)count < (low ? sluice__doc_number(own, low).value : 1))
        return says(c, value, "contains too few matching items");
    if (high && (double)count > sluice__doc_number(own, high).value)
        return says(c, value, "contains too many matching items");
    return true;
}

static bool check_array(checker *c, const node *n, size_t value) {
    const uint32_t *w = n->words;
    const sluice__doc *doc = &c->doc, *own = &c->schema->doc;
    if (!check_count(c, n, value, doc->values[value].len, W_MIN_ITEMS, "has # items, fewer than %",
                     W_MAX_ITEMS, "has # items, more than %"))
        return false;
    size_t prefix = w[W_PREFIX_ITEMS], next = prefix + 1;
    size_t end = prefix ? own->values[prefix].next : 0;
    for (size_t i = value + 1; i < doc->values[value].next; i = doc->values[i].next) {
        size_t schema = next < end ? next : w[W_ITEMS];
        next = next < end ? own->values[next].next : next;
        if (schema && !check(c, schema, i))
            return false;
    }
    return (!w[W_UNIQUE_ITEMS] || check_unique(c, value)) &&
           (!w[W_CONTAINS] || check_contains(c, n, value));
}

/* ---- Combinations ---------------------------------------------------------------------------- */

static size_t target_of(const checker *c, size_t ref) {
    return ref && c->schema->links[ref] ? c->schema->links[ref] - 1 : SIZE_MAX;
}

static bool check_combined(checker *c, const node *n, size_t value) {
    const uint32_t *w = n->words;
    const sluice__doc *doc = &c->schema->doc;
    size_t all = w[W_ALL_OF];
    for (size_t i = all + 1; all && i < doc->values[all].next; i = doc->values[i].next)
        if (!check(c, i, value))
            return false;
    if (w[W_ANY_OF] && !fitting(c, w[W_ANY_OF], value, 1))
        return says(c, value, "fits none of the alternatives of anyOf");
    if (w[W_ONE_OF]) {
        int count = fitting(c, w[W_ONE_OF], value, 2);
        if (count != 1)
            return says(c, value,
                        count ? "fits more than one of the alternatives of oneOf"
                              : "fits none of the alternatives of oneOf");
    }
    if (w[W_NOT] && fits(c, w[W_NOT], value))
        return says(c, value, "fits the schema of not");
    if (!w[W_IF])
        return true;
    size_t branch = w[fits(c, w[W_IF], value) ? W_THEN : W_ELSE];
    return !branch || check(c, branch, value);
}

/* Marks in `seen` which parts of the value (keys or items, from the value on) a schema evaluates
 * that it fits. `own`: its own unevaluated... is what asks. */
static void evaluate(checker *c, size_t schema, size_t value, bool *seen, bool own) {
    const node *n = sluice__node_of(c->schema, schema);
    const sluice__doc *doc = &c->schema->doc;
    const sluice__value *values = c->doc.values, *v = &values[value];
    if (!n || over(c))
        return;
    if (++c->steps > c->steps_most || c->depth >= DEPTH_MOST) {
        c->gave_up = true;
        return;
    }
    const uint32_t *w = n->words;
    bool object = v->kind == SLUICE__V_OBJECT;
    size_t properties = object ? w[W_PROPERTIES] : 0, patterns = w[W_PATTERN_PROPERTIES];
    size_t prefix = object || !w[W_PREFIX_ITEMS] ? 0 : doc->values[w[W_PREFIX_ITEMS]].len;
    size_t contains = object ? 0 : w[W_CONTAINS], index = 0;
    bool all = n->unchecked >> v->kind & 1 || /* perhaps: the check says that it does not know */
               w[object ? W_ADDITIONAL_PROPERTIES : W_ITEMS] ||
               (!own && w[object ? W_UNEVALUATED_PROPERTIES : W_UNEVALUATED_ITEMS]);
    bool few = properties && doc->values[properties].len < v->len; /* fewer than members */
    for (size_t k = properties + 1; few && k < doc->values[properties].next;
         k = doc->values[k + 1].next, c->steps++) {
        size_t found =
            sluice__doc_member(&c->doc, value, sluice__doc_text(doc, k), doc->values[k].len);
        seen[found ? found - 1 - value : 0] = true;
    }
    if (all || (properties && !few) || (object && patterns) || prefix || contains)
        for (size_t i = value + 1; i < v->next; i = values[i + object].next, index++, c->steps++) {
            bool found = all || index < prefix || (!few && object && in_map(c, properties, i)) ||
                         (contains && fits(c, contains, i));
            for (size_t k = patterns + 1;
                 object && patterns && !found && k < doc->values[patterns].next;
                 k = doc->values[k + 1].next)
                found = matches(c, k, i);
            seen[i - value] |= found;
        }
    c->depth++;
    for (int i = 0; i < 2; i++) {
        size_t target = target_of(c, w[i ? W_DYNAMIC_REF : W_REF]);
        if (target != SIZE_MAX)
            evaluate(c, target, value, seen, false);
    }
    static const uint8_t lists[] = {W_ALL_OF, W_ANY_OF, W_ONE_OF};
    for (size_t l = 0; l < 3; l++) {
        size_t list = w[lists[l]];
        for (size_t i = list + 1; list && i < doc->values[list].next; i = doc->values[i].next)
            if (!l || fits(c, i, value))
                evaluate(c, i, value, seen, false);
    }
    if (w[W_IF]) {
        bool is = fits(c, w[W_IF], value);
        size_t branch = w[is ? W_THEN : W_ELSE];
        if (is)
            evaluate(c, w[W_IF], value, seen, false);
        if (branch)
            evaluate(c, branch, value, seen, false);
    }
    static const uint8_t maps[] = {W_DEPENDENT_SCHEMAS, W_DEPENDENCIES};
    for (size_t m = 0; m < 2; m++) {
        size_t map = object ? w[maps[m]] : 0;
        for (size_t k = map + 1; map && k < doc->values[map].next; k = doc->values[k + 1].next)
            if (doc->values[k + 1].kind != SLUICE__V_ARRAY && has_member(c, value, k))
                evaluate(c, k + 1, value, seen, false);
    }
    c->depth--;
}

/* Checks the parts of the value that no other keyword evaluates. */
static bool check_unevaluated(checker *c, size_t schema, size_t rest, size_t value) {
    const sluice__value *values = c->doc.values;
    bool object = values[value].kind == SLUICE__V_OBJECT, good = true;
    size_t size = values[value].next - value;
    bool *seen = sluice__zeroed(c->alloc, size);
    if (!seen) {
        c->no_memory = true;
        return false;
    }
    c->steps += size / 16;
    evaluate(c, schema, value, seen, true);
    for (size_t i = value + 1; good && i < values[value].next; i = values[i + object].next) {
        if (seen[i - value])
            continue;
        good = object && c->schema->doc.values[rest].kind == SLUICE__V_FALSE
                   ? says(c, i, "is not a declared parameter")
                   : check(c, rest, i + object);
    }
    sluice__realloc(c->alloc, seen, size, 0);
    return good;
}

static bool check_node(checker *c, size_t schema, const node *n, size_t value) {
    const uint32_t *w = n->words;
    unsigned kind = c->doc.values[value].kind;
    for (int i = 0; i < 2; i++) {
        size_t target = target_of(c, w[i ? W_DYNAMIC_REF : W_REF]);
        if (target != SIZE_MAX && !check(c, target, value))
            return false;
    }
    if (w[W_NULLABLE] && kind == SLUICE__V_NULL)
        return true;
    if (!fits_type(c, n, value))
        return wrong_type(c, n, value);
    bool good = check_enum(c, n, value) &&
                (kind == SLUICE__V_OBJECT   ? check_object(c, n, value)
                 : kind == SLUICE__V_ARRAY  ? check_array(c, n, value)
                 : kind == SLUICE__V_NUMBER ? check_number(c, n, value)
                 : kind == SLUICE__V_STRING ? check_string(c, n, value)
                                            : true) &&
                check_combined(c, n, value);
    size_t rest = kind == SLUICE__V_OBJECT  ? w[W_UNEVALUATED_PROPERTIES]
                  : kind == SLUICE__V_ARRAY ? w[W_UNEVALUATED_ITEMS]
                                            : 0;
    if (good && rest)
        good = check_unevaluated(c, schema, rest, value);
    if (good && n->unchecked >> kind & 1)
        reach_note(c, schema, value);
    return good;
}

/* True if the value fits; false also if the check has ended. */
static bool check(checker *c, size_t schema, size_t value) {
    if (over(c))
        return false;
    const node *n = sluice__node_of(c->schema, schema);
    if (!n)
        return c->schema->doc.values[schema].kind != SLUICE__V_FALSE ||
               says(c, value, "is not allowed here");
    if (++c->steps > c->steps_most || c->depth >= DEPTH_MOST) {
        c->gave_up = true;
        return false;
    }
    c->depth++;
    bool good = check_node(c, schema, n, value);
    c->depth--;
    return good && !over(c);
}

static sluice__fit verdict_of(checker *c, const char *json, size_t len) {
    sluice__doc_result how = sluice__doc_read(c->alloc, &c->doc, json, len);
    if (how != SLUICE__DOC_OK)
        return how == SLUICE__DOC_NOMEM ? SLUICE__CHECK_NOMEM : SLUICE__GAVE_UP;
    bool good = check(c, 0, 0);
    if (good && !c->unchecked && c->doc.repeated) {
        says(c, c->doc.repeated, "is given twice");
        return c->no_memory ? SLUICE__CHECK_NOMEM : SLUICE__REPEATS;
    }
    return c->no_memory                          ? SLUICE__CHECK_NOMEM
           : c->gave_up                          ? SLUICE__GAVE_UP
           : c->unsure || (good && c->unchecked) ? SLUICE__UNCHECKED
           : good                                ? SLUICE__FITS
                                                 : SLUICE__BREAKS;
}

sluice__fit sluice__schema_check(const sluice_allocator *a, const sluice__schema *schema,
                                 const char *json, size_t len, sluice__buffer *message,
                                 size_t *place) {
    checker c = {.alloc = a,
                 .schema = schema,
                 .message = message,
                 .place_len = place,
                 .steps_most = STEPS_MOST + (uint64_t)STEPS_A_BYTE * len};
    sluice__fit verdict = verdict_of(&c, json, len);
    if (c.known)
        sluice__realloc(a, c.known, c.known_cap * sizeof *c.known, 0);
    sluice__matcher_release(a, &c.matcher);
    sluice__doc_release(a, &c.doc);
    return verdict;
}
