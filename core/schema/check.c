/* Checks values against a compiled schema. */
#include "check.h"

#include <stdio.h>

static bool check_all(checker *c, size_t schema, size_t value, const place *at);

static bool over(const checker *c) { return c->gave_up || c->no_memory; }

/* True if the schema allows the value's type. */
static inline bool fits_type(const checker *c, const node *n, size_t value) {
    const sluice__value *v = &c->doc->values[value];
    if (!(n->kinds >> v->kind & 1))
        return false;
    if (v->kind != SLUICE__V_NUMBER || !n->whole || v->whole)
        return true;
    sluice__number number = sluice__doc_number(c->doc, value);
    return sluice__number_is_whole(&number);
}

/* True if the value fits; false also if the check has ended. Most schemas have only a type. */
static inline bool check(checker *c, size_t schema, size_t value, const place *at) {
    const node *n = sluice__node_of(c->schema, schema);
    if (n && n->simple && c->steps < STEPS_MOST && fits_type(c, n, value)) {
        c->steps++;
        return true;
    }
    return check_all(c, schema, value, at);
}

/* ---- Violations ------------------------------------------------------------------------------ */

static void put(checker *c, const char *p, size_t n) {
    if (!sluice__buffer_add(c->alloc, c->message, p, n))
        c->no_memory = true;
}

static void put_place(checker *c, const place *at) {
    if (!at)
        return;
    put_place(c, at->above);
    put(c, "/", 1);
    if (!at->key) {
        char number[24];
        put(c, number, (size_t)snprintf(number, sizeof number, "%zu", at->item));
        return;
    }
    const char *key = sluice__doc_text(c->doc, at->key);
    for (size_t i = 0; i < c->doc->values[at->key].len; i++)
        if (key[i] == '~' || key[i] == '/')
            put(c, key[i] == '~' ? "~0" : "~1", 2);
        else
            put(c, key + i, 1);
}

/* Reports that the value violates the schema. `%` in the message: the text of a value of `doc`;
 * `#`: a number. Returns false. */
static bool broken(checker *c, const place *at, const char *format, const sluice__doc *doc,
                   size_t value, size_t number) {
    if (c->quiet || over(c))
        return false;
    c->message->len = 0;
    put_place(c, at);
    *c->place_len = c->message->len;
    put(c, c->of_name ? " the name " : " ", c->of_name ? 10 : 1);
    for (const char *p = format; *p; p++) {
        char text[24];
        if (*p == '%')
            put(c, sluice__doc_text(doc, value), doc->values[value].len);
        else if (*p == '#')
            put(c, text, (size_t)snprintf(text, sizeof text, "%zu", number));
        else
            put(c, p, 1);
    }
    return false;
}

static bool says(checker *c, const place *at, const char *format) {
    return broken(c, at, format, NULL, 0, 0);
}

/* ---- Small keywords -------------------------------------------------------------------------- */

/* Gets the keyword's number, if the schema has it. */
static bool has_number(checker *c, const node *n, enum word word, double *number) {
    if (!n->words[word])
        return false;
    *number = sluice__doc_number(&c->schema->doc, n->words[word]).value;
    return true;
}

/* True if a count is within the bounds of two keywords. */
static bool check_count(checker *c, const node *n, size_t count, bounds within, enum word least,
                        const char *too_few, enum word most, const char *too_many,
                        const place *at) {
    if ((int64_t)count < within.least)
        return broken(c, at, too_few, &c->schema->doc, n->words[least], count);
    if ((int64_t)count > within.most)
        return broken(c, at, too_many, &c->schema->doc, n->words[most], count);
    return true;
}

static bool wrong_type(checker *c, const node *n, size_t value, const place *at) {
    static const char *const names[] = {"a null",   "a boolean", "a boolean", "a number",
                                        "a string", "an array",  "an object"};
    if (c->quiet)
        return false;
    const sluice__doc *doc = &c->schema->doc;
    size_t type = n->words[W_TYPE];
    broken(c, at, "is ", NULL, 0, 0);
    const char *name = names[c->doc->values[value].kind];
    put(c, name, strlen(name));
    put(c, ", not ", 6);
    if (doc->values[type].kind == SLUICE__V_STRING) {
        put(c, sluice__doc_text(doc, type), doc->values[type].len);
        return false;
    }
    for (size_t i = type + 1; i < doc->values[type].next; i = doc->values[i].next) {
        if (i > type + 1)
            put(c, " or ", 4);
        put(c, sluice__doc_text(doc, i), doc->values[i].len);
    }
    return false;
}

static bool check_enum(checker *c, const node *n, size_t value, const place *at) {
    const sluice__doc *doc = &c->schema->doc;
    size_t list = n->words[W_ENUM];
    if (list) {
        bool found = false;
        for (size_t i = list + 1; !found && i < doc->values[list].next; i = doc->values[i].next)
            found = sluice__doc_same(doc, i, c->doc, value, &c->steps);
        if (!found)
            return says(c, at, "is not one of the values of its enum");
    }
    if (n->words[W_CONST] && !sluice__doc_same(doc, n->words[W_CONST], c->doc, value, &c->steps))
        return says(c, at, "is not the required constant");
    return true;
}

static bool check_number(checker *c, const node *n, size_t value, const place *at) {
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
    if (!(w[W_MULTIPLE_OF] | w[W_MAXIMUM] | w[W_EXCLUSIVE_MAXIMUM] | w[W_MINIMUM] |
          w[W_EXCLUSIVE_MINIMUM]))
        return true;
    sluice__number number = sluice__doc_number(c->doc, value), limit;
    if (w[W_MULTIPLE_OF]) {
        limit = sluice__doc_number(doc, w[W_MULTIPLE_OF]);
        if (!sluice__number_is_multiple(&number, &limit))
            return broken(c, at, "is not a multiple of %", doc, w[W_MULTIPLE_OF], 0);
    }
    for (size_t i = 0; i < 4; i++) {
        if (!w[bounds[i].word])
            continue;
        limit = sluice__doc_number(doc, w[bounds[i].word]);
        int order = sluice__number_compare(&number, &limit);
        if (order == bounds[i].wrong || order == bounds[i].too)
            return broken(c, at, bounds[i].format, doc, w[bounds[i].word], 0);
    }
    return true;
}

/* Matchers of patterns that were used; each has one place. */
struct matchers {
    struct {
        size_t pattern; /* its number */
        sluice__matcher *of;
    } list[MATCHERS_MOST];
};

/* Returns the matcher of a pattern, or NULL if out of memory. */
static sluice__matcher *matcher_of(checker *c, size_t number) {
    size_t place = number % MATCHERS_MOST;
    if (!c->matchers && !(c->matchers = sluice__zeroed(c->alloc, sizeof *c->matchers))) {
        c->no_memory = true;
        return NULL;
    }
    sluice__matcher **m = &c->matchers->list[place].of;
    if (!*m || c->matchers->list[place].pattern != number) {
        sluice__matcher_free(*m);
        *m = sluice__matcher_new(c->alloc, c->schema->patterns[number - 1]);
        c->matchers->list[place].pattern = number;
        c->no_memory = c->no_memory || !*m;
    }
    return *m;
}

const sluice__sets *sluice__sets_of(const checker *c, size_t pattern) {
    size_t number = c->schema->links[pattern], place = number % MATCHERS_MOST;
    const struct matchers *all = c->matchers;
    bool used = number && all && all->list[place].of && all->list[place].pattern == number;
    return used ? sluice__matcher_sets(all->list[place].of) : NULL;
}

bool sluice__has_pattern(checker *c, size_t pattern, const char *text, size_t len, bool *read) {
    size_t number = c->schema->links[pattern];
    *read = number != 0;
    sluice__matcher *m = *read && !over(c) ? matcher_of(c, number) : NULL;
    bool found = m && sluice__matcher_finds(m, text, len, STEPS_MOST, &c->steps);
    if (c->steps > STEPS_MOST)
        c->gave_up = true;
    return found;
}

/* The same for a value. */
static bool matches(checker *c, size_t pattern, size_t value, bool *read) {
    return sluice__has_pattern(c, pattern, sluice__doc_text(c->doc, value),
                               c->doc->values[value].len, read);
}

static bool check_string(checker *c, const node *n, size_t value, const place *at) {
    const uint32_t *w = n->words;
    if (w[W_MIN_LENGTH] | w[W_MAX_LENGTH]) {
        const char *p = sluice__doc_text(c->doc, value);
        size_t length = 0, len = c->doc->values[value].len;
        for (size_t i = 0; i < len; i++)
            length += (p[i] & 0xC0) != 0x80;
        c->steps += len / 16;
        if (!check_count(c, n, length, n->characters, W_MIN_LENGTH, "is shorter than % characters",
                         W_MAX_LENGTH, "is longer than % characters", at))
            return false;
    }
    bool read;
    return !w[W_PATTERN] || matches(c, w[W_PATTERN], value, &read) || !read ||
           broken(c, at, "does not match the pattern %", &c->schema->doc, w[W_PATTERN], 0);
}

/* ---- Quiet checks ---------------------------------------------------------------------------- */

/* Returns the slot of a known result, or a free one. */
static uint64_t *slot_of(const checker *c, uint64_t what) {
    size_t i = (size_t)(what * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (c->known_cap - 1);
    while (c->known[i] && c->known[i] >> 1 != what)
        i = (i + 1) & (c->known_cap - 1);
    return &c->known[i];
}

static void remember(checker *c, uint64_t what, bool fits) {
    if (2 * c->known_count >= c->known_cap) {
        size_t old = c->known_cap, cap = old ? 2 * old : 64;
        uint64_t *before = c->known,
                 *table = sluice__realloc(c->alloc, NULL, 0, cap * sizeof *table);
        if (!table) {
            c->no_memory = true;
            return;
        }
        memset(table, 0, cap * sizeof *table);
        c->known = table;
        c->known_cap = cap;
        for (size_t i = 0; i < old; i++)
            if (before[i])
                *slot_of(c, before[i] >> 1) = before[i];
        if (before)
            sluice__realloc(c->alloc, before, old * sizeof *before, 0);
    }
    *slot_of(c, what) = what << 1 | fits;
    c->known_count++;
}

/* True if the value fits. Keeps the result: nested alternatives ask repeatedly. */
static bool fits(checker *c, size_t schema, size_t value) {
    if (over(c))
        return false;
    uint64_t what = (uint64_t)(schema + 1) << 31 | (c->before + value);
    const node *n = sluice__node_of(c->schema, schema);
    if (n && c->known_cap) {
        uint64_t known = *slot_of(c, what);
        if (known)
            return known & 1;
    }
    bool of_name = c->of_name;
    c->quiet++;
    bool good = check(c, schema, value, NULL);
    c->quiet--;
    c->of_name = of_name;
    if (n && !over(c))
        remember(c, what, good);
    return good;
}

/* ---- Objects --------------------------------------------------------------------------------- */

/* True if the object has a member with this key. `*from`: where to look first; then set to the
 * member after the one found, since members mostly come in the order of the questions. */
static bool has_member(const sluice__doc *doc, size_t object, const char *key, size_t len,
                       size_t *from) {
    size_t first = object + 1, end = doc->values[object].next, k = *from;
    for (size_t left = doc->values[object].len; left; left--) {
        k = k < end ? k : first;
        size_t next = doc->values[k + 1].next;
        if (sluice__doc_is(doc, k, key, len)) {
            *from = next;
            return true;
        }
        k = next;
    }
    return false;
}

static bool check_required(checker *c, const node *n, size_t value, const place *at) {
    const sluice__doc *doc = &c->schema->doc;
    size_t list = n->words[W_REQUIRED], from = value + 1;
    for (size_t i = list + 1; list && i < doc->values[list].next; i = doc->values[i].next) {
        c->steps += c->doc->values[value].len;
        if (doc->values[i].kind == SLUICE__V_STRING &&
            !has_member(c->doc, value, sluice__doc_text(doc, i), doc->values[i].len, &from))
            return broken(c, at, "lacks the required member '%'", doc, i, 0);
    }
    return true;
}

/* Returns the schema for this key in a schema map, or 0. */
static size_t schema_for(checker *c, size_t map, size_t key) {
    if (!map)
        return 0;
    c->steps += c->schema->doc.values[map].len;
    return sluice__doc_member(&c->schema->doc, map, sluice__doc_text(c->doc, key),
                              c->doc->values[key].len);
}

/* Returns the property's schema for this key, or 0. `*next`: see sluice__property. */
static inline size_t property_for(checker *c, const node *n, size_t key, uint32_t *next) {
    if (!n->properties.all)
        return schema_for(c, n->words[W_PROPERTIES], key);
    uint32_t first = *next < n->properties.count ? *next : 0;
    const name *own = sluice__property(c->schema, n, sluice__doc_text(c->doc, key),
                                       c->doc->values[key].len, next);
    if (!own || *next != first + 1)
        c->steps += n->properties.count;
    return own ? own->schema : 0;
}

/* Checks a member against the schemas of its property (`own`, or 0), of patterns, and of additional
 * members. */
static bool check_member(checker *c, const node *n, size_t own, size_t key, const place *below) {
    const sluice__doc *doc = &c->schema->doc;
    size_t map = n->words[W_PATTERN_PROPERTIES], rest = n->words[W_ADDITIONAL_PROPERTIES];
    bool covered = own;
    if (own && !check(c, own, key + 1, below))
        return false;
    for (size_t k = map + 1; map && k < doc->values[map].next; k = doc->values[k + 1].next) {
        bool read, found = matches(c, k, key, &read);
        covered = covered || found || !read;
        if (found && !check(c, k + 1, key + 1, below))
            return false;
    }
    if (covered || !rest)
        return true;
    if (doc->values[rest].kind == SLUICE__V_FALSE)
        return says(c, below, "is not a declared parameter");
    return check(c, rest, key + 1, below);
}

static bool check_name(checker *c, const node *n, size_t key, const place *below) {
    bool of_name = c->of_name;
    c->of_name = true;
    bool good = check(c, n->words[W_PROPERTY_NAMES], key, below);
    c->of_name = of_name;
    return good;
}

/* Checks what a member requires of the whole object. */
static bool check_dependents(checker *c, const node *n, size_t value, size_t key, const place *at) {
    const sluice__doc *doc = &c->schema->doc;
    size_t needs = schema_for(c, n->words[W_DEPENDENT_REQUIRED], key);
    if (needs && doc->values[needs].kind == SLUICE__V_ARRAY)
        for (size_t i = needs + 1; i < doc->values[needs].next; i = doc->values[i].next) {
            c->steps += c->doc->values[value].len;
            if (doc->values[i].kind != SLUICE__V_STRING ||
                sluice__doc_member(c->doc, value, sluice__doc_text(doc, i), doc->values[i].len))
                continue;
            if (broken(c, at, "has '%' but lacks '", c->doc, key, 0) || c->quiet)
                return false;
            put(c, sluice__doc_text(doc, i), doc->values[i].len);
            put(c, "', which it requires", 20);
            return false;
        }
    size_t schema = schema_for(c, n->words[W_DEPENDENT_SCHEMAS], key);
    return !schema || check(c, schema, value, at);
}

static bool check_object(checker *c, const node *n, size_t value, const place *at) {
    const uint32_t *w = n->words;
    const sluice__value *values = c->doc->values;
    if (!check_count(c, n, values[value].len, n->members, W_MIN_PROPERTIES,
                     "has # members, fewer than %", W_MAX_PROPERTIES, "has # members, more than %",
                     at) ||
        !check_required(c, n, value, at))
        return false;
    if (!(w[W_PROPERTIES] | w[W_PATTERN_PROPERTIES] | w[W_ADDITIONAL_PROPERTIES] |
          w[W_PROPERTY_NAMES] | w[W_DEPENDENT_REQUIRED] | w[W_DEPENDENT_SCHEMAS]))
        return true;
    bool depends = w[W_DEPENDENT_REQUIRED] | w[W_DEPENDENT_SCHEMAS];
    uint32_t next = 0;
    for (size_t key = value + 1; key < values[value].next; key = values[key + 1].next) {
        place below = {at, key, 0};
        size_t own = property_for(c, n, key, &next);
        if (own && n->plain) {
            if (!check(c, own, key + 1, &below))
                return false;
            continue;
        }
        if ((w[W_PROPERTY_NAMES] && !check_name(c, n, key, &below)) ||
            !check_member(c, n, own, key, &below) ||
            (depends && !check_dependents(c, n, value, key, at)))
            return false;
    }
    return true;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool check_unique(checker *c, size_t value, const place *at) {
    const sluice__doc *doc = c->doc;
    size_t n = doc->values[value].len, cap = 16, number = 0;
    while (cap < 2 * n)
        cap *= 2;
    struct seen {
        uint64_t hash;
        uint32_t item;
    } *table = sluice__realloc(c->alloc, NULL, 0, cap * sizeof *table);
    if (!table) {
        c->no_memory = true;
        return false;
    }
    memset(table, 0, cap * sizeof *table);
    bool good = true;
    for (size_t i = value + 1; good && i < doc->values[value].next; i = doc->values[i].next) {
        uint64_t hash = sluice__doc_hash(doc, i, &c->steps);
        size_t k = (size_t)hash & (cap - 1);
        for (; good && table[k].item; k = (k + 1) & (cap - 1)) {
            if (++c->steps > STEPS_MOST)
                c->gave_up = true;
            good = !c->gave_up && (table[k].hash != hash ||
                                   !sluice__doc_same(doc, table[k].item, doc, i, &c->steps));
        }
        place below = {at, 0, number++};
        if (!good)
            says(c, &below, "is equal to an earlier item");
        else
            table[k] = (struct seen){hash, (uint32_t)i};
    }
    sluice__realloc(c->alloc, table, cap * sizeof *table, 0);
    return good;
}

static bool check_contains(checker *c, const node *n, size_t value, const place *at) {
    const sluice__doc *doc = c->doc;
    double least = 1, most;
    size_t count = 0;
    has_number(c, n, W_MIN_CONTAINS, &least);
    for (size_t i = value + 1; i < doc->values[value].next; i = doc->values[i].next)
        count += fits(c, n->words[W_CONTAINS], i);
    if ((double)count < least)
        return says(c, at, "contains too few matching items");
    if (has_number(c, n, W_MAX_CONTAINS, &most) && (double)count > most)
        return says(c, at, "contains too many matching items");
    return true;
}

static bool check_array(checker *c, const node *n, size_t value, const place *at) {
    const uint32_t *w = n->words;
    const sluice__doc *doc = c->doc, *own = &c->schema->doc;
    if (!check_count(c, n, doc->values[value].len, n->items, W_MIN_ITEMS,
                     "has # items, fewer than %", W_MAX_ITEMS, "has # items, more than %", at))
        return false;
    size_t prefix = w[W_PREFIX_ITEMS], next = prefix + 1, number = 0;
    size_t end = prefix ? own->values[prefix].next : 0;
    const node *items = w[W_ITEMS] ? sluice__node_of(c->schema, w[W_ITEMS]) : NULL;
    bool simple = items && items->simple;
    if (prefix || w[W_ITEMS])
        for (size_t i = value + 1; i < doc->values[value].next; i = doc->values[i].next, number++) {
            bool of_prefix = next < end;
            if (simple && !of_prefix && c->steps < STEPS_MOST && fits_type(c, items, i)) {
                c->steps++;
                continue;
            }
            place below = {at, 0, number};
            size_t schema = of_prefix ? next : w[W_ITEMS];
            next = of_prefix ? own->values[next].next : next;
            if (schema && !check(c, schema, i, &below))
                return false;
        }
    return (!w[W_UNIQUE_ITEMS] || check_unique(c, value, at)) &&
           (!w[W_CONTAINS] || check_contains(c, n, value, at));
}

/* ---- Combinations ---------------------------------------------------------------------------- */

/* Returns how many schemas of a list the value fits, two at most. */
static int fitting(checker *c, size_t list, size_t value, int enough) {
    const sluice__doc *doc = &c->schema->doc;
    int count = 0;
    for (size_t i = list + 1; count < enough && i < doc->values[list].next; i = doc->values[i].next)
        count += fits(c, i, value);
    return count;
}

static bool check_combined(checker *c, const node *n, size_t value, const place *at) {
    const uint32_t *w = n->words;
    const sluice__doc *doc = &c->schema->doc;
    for (size_t i = w[W_ALL_OF] + 1; w[W_ALL_OF] && i < doc->values[w[W_ALL_OF]].next;
         i = doc->values[i].next)
        if (!check(c, i, value, at))
            return false;
    if (w[W_ANY_OF] && !fitting(c, w[W_ANY_OF], value, 1))
        return says(c, at, "fits none of the alternatives of anyOf");
    if (w[W_ONE_OF]) {
        int count = fitting(c, w[W_ONE_OF], value, 2);
        if (count != 1)
            return says(c, at,
                        count ? "fits more than one of the alternatives of oneOf"
                              : "fits none of the alternatives of oneOf");
    }
    if (w[W_NOT] && fits(c, w[W_NOT], value))
        return says(c, at, "fits the schema of not");
    if (!w[W_IF])
        return true;
    size_t branch = w[fits(c, w[W_IF], value) ? W_THEN : W_ELSE];
    return !branch || check(c, branch, value, at);
}

static bool check_node(checker *c, const node *n, size_t value, const place *at) {
    const uint32_t *w = n->words;
    unsigned kind = c->doc->values[value].kind;
    if (n->of_text) {
        c->steps += (c->doc->values[value].next - value) / 16;
        if (!sluice__doc_decode(c->alloc, c->doc, value)) {
            c->no_memory = true;
            return false;
        }
    }
    if (w[W_REF] && c->schema->links[w[W_REF]] &&
        !check(c, c->schema->links[w[W_REF]] - 1, value, at))
        return false;
    if (w[W_NULLABLE] && kind == SLUICE__V_NULL)
        return true;
    if (!fits_type(c, n, value))
        return wrong_type(c, n, value, at);
    if (!check_enum(c, n, value, at))
        return false;
    bool good = kind == SLUICE__V_OBJECT   ? check_object(c, n, value, at)
                : kind == SLUICE__V_ARRAY  ? check_array(c, n, value, at)
                : kind == SLUICE__V_NUMBER ? check_number(c, n, value, at)
                : kind == SLUICE__V_STRING ? check_string(c, n, value, at)
                                           : true;
    return good && (!n->combined || check_combined(c, n, value, at));
}

static bool check_all(checker *c, size_t schema, size_t value, const place *at) {
    if (over(c))
        return false;
    const node *n = sluice__node_of(c->schema, schema);
    if (!n)
        return c->schema->doc.values[schema].kind != SLUICE__V_FALSE ||
               says(c, at, "is not allowed here");
    if (++c->steps > STEPS_MOST || c->depth >= DEPTH_MOST) {
        c->gave_up = true;
        return false;
    }
    c->depth++;
    bool good = check_node(c, n, value, at);
    c->depth--;
    return good && !over(c);
}

bool sluice__fits_alone(checker *c, size_t schema, const char *json, size_t len) {
    if (sluice__doc_read(c->alloc, c->doc, json, len, VALUES_MOST) != SLUICE__DOC_OK)
        return false;
    bool good = check(c, schema, 0, NULL);
    c->before += c->doc->count;
    return good;
}

sluice__fit sluice__check_document(checker *c, const char *json, size_t len) {
    sluice__doc_result how = sluice__doc_read(c->alloc, c->doc, json, len, VALUES_MOST);
    if (how != SLUICE__DOC_OK)
        return how == SLUICE__DOC_NOMEM ? SLUICE__CHECK_NOMEM : SLUICE__GAVE_UP;
    bool good = check(c, 0, 0, NULL);
    return c->no_memory ? SLUICE__CHECK_NOMEM
           : c->gave_up ? SLUICE__GAVE_UP
           : good       ? SLUICE__FITS
                        : SLUICE__BREAKS;
}

void sluice__check_release(checker *c) {
    if (c->matchers) {
        for (size_t i = 0; i < MATCHERS_MOST; i++)
            sluice__matcher_free(c->matchers->list[i].of);
        sluice__realloc(c->alloc, c->matchers, sizeof *c->matchers, 0);
    }
    if (c->known)
        sluice__realloc(c->alloc, c->known, c->known_cap * sizeof *c->known, 0);
}

sluice__fit sluice__schema_check(const sluice_allocator *a, const sluice__schema *schema,
                                 const char *json, size_t len, sluice__buffer *message,
                                 size_t *place) {
    sluice__doc doc = {.known = true};
    checker pass = {.alloc = a, .schema = schema, .doc = &doc, .quiet = 1},
            c = {.alloc = a, .schema = schema, .doc = &doc, .message = message, .place_len = place};
    sluice__fit verdict =
        sluice__pass(&pass, json, len) ? SLUICE__FITS : sluice__check_document(&c, json, len);
    sluice__check_release(&pass);
    sluice__check_release(&c);
    sluice__doc_release(a, &doc);
    return verdict;
}
