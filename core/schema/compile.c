/* Compiles a schema's text. */
#include "inside.h"

#include "../typed.h"

enum { VALUES_MOST = 1000000 };

/* The kind of value that a keyword requires, and what is compiled in it. */
enum shape {
    NUMBER,
    STRING,
    BOOLEAN,
    ARRAY,
    OBJECT,
    ANY,
    TYPE,
    SCHEMA,
    SCHEMAS,
    SCHEMA_MAP,
    PATTERNS
};

#define KEYWORD(name, word, shape)                                                                 \
    { name, sizeof name - 1, word, shape }
static const struct {
    const char *name;
    uint8_t len, word, shape;
} keywords[] = {KEYWORD("$ref", W_REF, STRING),
                KEYWORD("type", W_TYPE, TYPE),
                KEYWORD("enum", W_ENUM, ARRAY),
                KEYWORD("const", W_CONST, ANY),
                KEYWORD("multipleOf", W_MULTIPLE_OF, NUMBER),
                KEYWORD("maximum", W_MAXIMUM, NUMBER),
                KEYWORD("exclusiveMaximum", W_EXCLUSIVE_MAXIMUM, NUMBER),
                KEYWORD("minimum", W_MINIMUM, NUMBER),
                KEYWORD("exclusiveMinimum", W_EXCLUSIVE_MINIMUM, NUMBER),
                KEYWORD("maxLength", W_MAX_LENGTH, NUMBER),
                KEYWORD("minLength", W_MIN_LENGTH, NUMBER),
                KEYWORD("pattern", W_PATTERN, STRING),
                KEYWORD("maxItems", W_MAX_ITEMS, NUMBER),
                KEYWORD("minItems", W_MIN_ITEMS, NUMBER),
                KEYWORD("uniqueItems", W_UNIQUE_ITEMS, BOOLEAN),
                KEYWORD("prefixItems", W_PREFIX_ITEMS, SCHEMAS),
                KEYWORD("items", W_ITEMS, SCHEMA),
                KEYWORD("additionalItems", W_ITEMS, SCHEMA),
                KEYWORD("contains", W_CONTAINS, SCHEMA),
                KEYWORD("minContains", W_MIN_CONTAINS, NUMBER),
                KEYWORD("maxContains", W_MAX_CONTAINS, NUMBER),
                KEYWORD("maxProperties", W_MAX_PROPERTIES, NUMBER),
                KEYWORD("minProperties", W_MIN_PROPERTIES, NUMBER),
                KEYWORD("required", W_REQUIRED, ARRAY),
                KEYWORD("properties", W_PROPERTIES, SCHEMA_MAP),
                KEYWORD("patternProperties", W_PATTERN_PROPERTIES, PATTERNS),
                KEYWORD("additionalProperties", W_ADDITIONAL_PROPERTIES, SCHEMA),
                KEYWORD("propertyNames", W_PROPERTY_NAMES, SCHEMA),
                KEYWORD("dependentRequired", W_DEPENDENT_REQUIRED, OBJECT),
                KEYWORD("dependentSchemas", W_DEPENDENT_SCHEMAS, SCHEMA_MAP),
                KEYWORD("allOf", W_ALL_OF, SCHEMAS),
                KEYWORD("anyOf", W_ANY_OF, SCHEMAS),
                KEYWORD("oneOf", W_ONE_OF, SCHEMAS),
                KEYWORD("not", W_NOT, SCHEMA),
                KEYWORD("if", W_IF, SCHEMA),
                KEYWORD("then", W_THEN, SCHEMA),
                KEYWORD("else", W_ELSE, SCHEMA),
                KEYWORD("nullable", W_NULLABLE, BOOLEAN)};

static bool has_shape(uint8_t kind, enum shape shape) {
    switch (shape) {
    case NUMBER:
        return kind == SLUICE__V_NUMBER;
    case STRING:
        return kind == SLUICE__V_STRING;
    case BOOLEAN: /* false has no effect */
        return kind == SLUICE__V_TRUE;
    case ARRAY:
    case SCHEMAS:
        return kind == SLUICE__V_ARRAY;
    case OBJECT:
    case SCHEMA_MAP:
    case PATTERNS:
        return kind == SLUICE__V_OBJECT;
    case TYPE:
        return kind == SLUICE__V_STRING || kind == SLUICE__V_ARRAY;
    case SCHEMA:
        return kind == SLUICE__V_OBJECT || kind == SLUICE__V_TRUE || kind == SLUICE__V_FALSE;
    case ANY:
        break;
    }
    return true;
}

/* ---- $ref ------------------------------------------------------------------------------------ */

static int hex_value(char c) {
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* Decodes %XX, then ~1 and ~0, in place; returns the new length. */
static size_t pointer_token(char *p, size_t n) {
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        bool coded =
            p[i] == '%' && n - i > 2 && hex_value(p[i + 1]) >= 0 && hex_value(p[i + 2]) >= 0;
        p[to++] = coded ? (char)(hex_value(p[i + 1]) << 4 | hex_value(p[i + 2])) : p[i];
        i += coded ? 2 : 0;
    }
    n = to;
    to = 0;
    for (size_t i = 0; i < n; i++) {
        bool coded = p[i] == '~' && n - i > 1 && (p[i + 1] == '0' || p[i + 1] == '1');
        p[to++] = !coded ? p[i] : p[i + 1] == '1' ? '/' : '~';
        i += coded;
    }
    return to;
}

/* Returns an item or member; SIZE_MAX if there is none. */
static size_t step_down(const sluice__doc *doc, size_t at, const char *token, size_t n) {
    const sluice__value *v = &doc->values[at];
    if (v->kind == SLUICE__V_OBJECT) {
        size_t found = sluice__doc_member(doc, at, token, n);
        return found ? found : SIZE_MAX;
    }
    if (v->kind != SLUICE__V_ARRAY || !n || n > 9)
        return SIZE_MAX;
    size_t index = 0;
    for (size_t i = 0; i < n; i++) {
        if (token[i] < '0' || token[i] > '9')
            return SIZE_MAX;
        index = index * 10 + sluice__minus(token[i], '0');
    }
    if (index >= v->len)
        return SIZE_MAX;
    for (at++; index; index--)
        at = doc->values[at].next;
    return at;
}

/* Finds the value that a reference names, or SIZE_MAX. */
static bool follow(const sluice_allocator *a, const sluice__doc *doc, size_t ref, size_t *found) {
    const char *text = sluice__doc_text(doc, ref);
    size_t n = doc->values[ref].len, at = 0;
    *found = SIZE_MAX;
    if (!n || text[0] != '#' || (n > 1 && text[1] != '/'))
        return true;
    char *copy = sluice__realloc(a, NULL, 0, n);
    if (!copy)
        return false;
    memcpy(copy, text, n);
    for (size_t i = 1; i < n && at != SIZE_MAX;) {
        size_t from = ++i;
        while (i < n && copy[i] != '/')
            i++;
        at = step_down(doc, at, copy + from, pointer_token(copy + from, i - from));
    }
    *found = at;
    sluice__realloc(a, copy, n, 0);
    return true;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

typedef struct compiler {
    const sluice_allocator *alloc;
    sluice__schema *schema;
    uint32_t *queue; /* the value of each node */
    size_t queue_cap;
} compiler;

/* Queues a schema to be compiled, once. */
static bool want(compiler *c, size_t value) {
    sluice__schema *s = c->schema;
    if (s->doc.values[value].kind != SLUICE__V_OBJECT || s->links[value])
        return true;
    if (!sluice__array_grow(c->alloc, (void **)&s->nodes, &s->cap, s->count + 1,
                            sizeof *s->nodes) ||
        !sluice__array_grow(c->alloc, (void **)&c->queue, &c->queue_cap, s->count + 1,
                            sizeof *c->queue))
        return false;
    s->nodes[s->count] = (node){.kinds = 0xFF};
    c->queue[s->count] = (uint32_t)value;
    s->links[value] = (uint32_t)++s->count;
    return true;
}

/* Compiles a pattern; one that cannot be read keeps the number 0. */
static bool want_pattern(compiler *c, size_t value) {
    sluice__schema *s = c->schema;
    sluice__pattern *pattern;
    if (s->doc.values[value].kind != SLUICE__V_STRING || s->links[value])
        return true;
    if (!sluice__array_grow(c->alloc, (void **)&s->patterns, &s->pattern_cap, s->pattern_count + 1,
                            sizeof(sluice__pattern *)) ||
        !sluice__pattern_new(c->alloc, sluice__doc_text(&s->doc, value), s->doc.values[value].len,
                             &pattern))
        return false;
    if (!pattern)
        return true;
    s->patterns[s->pattern_count] = pattern;
    s->links[value] = (uint32_t)++s->pattern_count;
    return true;
}

const char *sluice__schema_type(const char *name, size_t len) {
    static const struct {
        const char *begins, *type; /* in the order in which they are tried */
    } names[] = {
        {"null", "null"},      {"none", "null"},       {"nil", "null"},     {"bool", "boolean"},
        {"string", "string"},  {"str", "string"},      {"text", "string"},  {"char", "string"},
        {"varchar", "string"}, {"enum", "string"},     {"array", "array"},  {"list", "array"},
        {"tuple", "array"},    {"set", "array"},       {"obj", "object"},   {"dict", "object"},
        {"map", "object"},     {"num", "number"},      {"float", "number"}, {"double", "number"},
        {"decimal", "number"}, {"int", "integer"},     {"uint", "integer"}, {"long", "integer"},
        {"short", "integer"},  {"unsigned", "integer"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t k = 0;
        while (k < len && names[i].begins[k] && (name[k] | 32) == names[i].begins[k])
            k++;
        if (!names[i].begins[k])
            return names[i].type;
    }
    return NULL;
}

static void read_type(const sluice__doc *doc, size_t value, node *n) {
    static const struct {
        const char *name;
        uint8_t kinds;
    } types[] = {
        {"null", 1 << SLUICE__V_NULL},     {"boolean", 1 << SLUICE__V_TRUE | 1 << SLUICE__V_FALSE},
        {"string", 1 << SLUICE__V_STRING}, {"array", 1 << SLUICE__V_ARRAY},
        {"object", 1 << SLUICE__V_OBJECT}, {"number", 1 << SLUICE__V_NUMBER},
        {"integer", 1 << SLUICE__V_NUMBER}};
    bool list = doc->values[value].kind == SLUICE__V_ARRAY, any = false;
    n->kinds = 0;
    n->whole = false;
    for (size_t i = list ? value + 1 : value; i < doc->values[value].next;
         i = doc->values[i].next) {
        const char *type = doc->values[i].kind == SLUICE__V_STRING
                               ? sluice__schema_type(sluice__doc_text(doc, i), doc->values[i].len)
                               : NULL;
        if (!type) { /* it allows everything */
            n->kinds = 0xFF;
            any = true;
        }
        for (size_t k = 0; type && k < 7; k++)
            if (strcmp(type, types[k].name) == 0) {
                n->kinds |= types[k].kinds;
                any = any || k == 5;
                n->whole = n->whole || k == 6;
            }
    }
    n->whole = n->whole && !any;
}

/* Queues what is to be compiled in a keyword's value. */
static bool want_inside(compiler *c, uint8_t word, enum shape shape, size_t value) {
    sluice__schema *s = c->schema;
    const sluice__value *values = s->doc.values;
    size_t end = values[value].next, target;
    bool good = true;
    switch (shape) {
    case SCHEMA:
        return want(c, value);
    case SCHEMAS:
        for (size_t i = value + 1; good && i < end; i = values[i].next)
            good = want(c, i);
        return good;
    case PATTERNS:
        for (size_t k = value + 1; good && k < end; k = values[k + 1].next)
            good = want_pattern(c, k) && want(c, k + 1);
        return good;
    case SCHEMA_MAP:
        for (size_t k = value + 1; good && k < end; k = values[k + 1].next)
            good = want(c, k + 1);
        return good;
    case STRING:
        if (word == W_PATTERN)
            return want_pattern(c, value);
        if (!follow(c->alloc, &s->doc, value, &target))
            return false;
        if (target == SIZE_MAX)
            return true;
        s->links[value] = (uint32_t)target + 1;
        return want(c, target);
    default:
        return true;
    }
}

static bool compile(compiler *c, size_t number) {
    sluice__schema *s = c->schema;
    const sluice__doc *doc = &s->doc;
    size_t at = c->queue[number], items = sluice__doc_member(doc, at, "items", 5);
    bool tuple = items && doc->values[items].kind == SLUICE__V_ARRAY;
    for (size_t k = at + 1; k < doc->values[at].next; k = doc->values[k + 1].next) {
        for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
            if (doc->values[k].len != keywords[i].len ||
                !sluice__doc_is(doc, k, keywords[i].name, keywords[i].len))
                continue;
            enum shape shape = (enum shape)keywords[i].shape;
            uint8_t word = keywords[i].word;
            if (word == W_ITEMS && keywords[i].len > 5 && !tuple)
                break;
            if (tuple && k + 1 == items) { /* the form of drafts before 2020-12 */
                word = W_PREFIX_ITEMS;
                shape = SCHEMAS;
            }
            if (!has_shape(doc->values[k + 1].kind, shape))
                break;
            s->nodes[number].words[word] = (uint32_t)k + 1;
            if (shape == TYPE)
                read_type(doc, k + 1, &s->nodes[number]);
            if (!want_inside(c, word, shape, k + 1))
                return false;
            break;
        }
    }
    return sluice__sum_up(c->alloc, s, &s->nodes[number]);
}

/* ---- Types ----------------------------------------------------------------------------------- */

enum { DEPTH_MOST = 32, STEPS_MOST = 10000 };

static const unsigned masks[] = {
    [SLUICE__V_NULL] = SLUICE__NULL,     [SLUICE__V_FALSE] = SLUICE__BOOLEAN,
    [SLUICE__V_TRUE] = SLUICE__BOOLEAN,  [SLUICE__V_NUMBER] = SLUICE__NUMBER | SLUICE__INTEGER,
    [SLUICE__V_STRING] = SLUICE__STRING, [SLUICE__V_ARRAY] = SLUICE__ARRAY,
    [SLUICE__V_OBJECT] = SLUICE__OBJECT};

static unsigned mask_of_value(const sluice__doc *doc, size_t value) {
    if (doc->values[value].kind == SLUICE__V_NUMBER) {
        sluice__number n = sluice__doc_number(doc, value);
        if (sluice__number_is_whole(&n))
            return SLUICE__INTEGER;
    }
    return masks[doc->values[value].kind];
}

static unsigned mask_named(const sluice__doc *doc, size_t value) {
    node n = {.kinds = 0};
    unsigned mask = 0;
    read_type(doc, value, &n);
    if (!n.kinds)
        return SLUICE__ANY_TYPE;
    for (unsigned kind = SLUICE__V_NULL; kind <= SLUICE__V_OBJECT; kind++)
        if (n.kinds >> kind & 1)
            mask |= masks[kind];
    return n.whole ? mask & ~(unsigned)SLUICE__NUMBER : mask;
}

static unsigned mask_of(const sluice__schema *s, size_t value, int depth, unsigned *steps);

/* Returns the union of the types of a list's values, or of the schemas in it. */
static unsigned any_of(const sluice__schema *s, size_t list, int depth, unsigned *steps) {
    unsigned mask = 0;
    const sluice__value *values = s->doc.values;
    for (size_t i = list + 1; i < values[list].next; i = values[i].next)
        mask |= mask_of(s, i, depth + 1, steps);
    return mask;
}

/* Returns the types that a schema's own keywords allow. */
static unsigned own_mask(const sluice__schema *s, const node *n) {
    const uint32_t *w = n->words;
    const sluice__value *values = s->doc.values;
    unsigned mask = 0;
    if (w[W_TYPE] && values[w[W_TYPE]].kind == SLUICE__V_STRING)
        return mask_named(&s->doc, w[W_TYPE]);
    if (w[W_TYPE] || w[W_ENUM]) {
        size_t list = w[W_TYPE] ? w[W_TYPE] : w[W_ENUM];
        for (size_t i = list + 1; i < values[list].next; i = values[i].next)
            mask |= w[W_TYPE] ? mask_named(&s->doc, i) : mask_of_value(&s->doc, i);
        return mask;
    }
    if (w[W_CONST])
        return mask_of_value(&s->doc, w[W_CONST]);
    if (w[W_ANY_OF] || w[W_ONE_OF] || w[W_REF])
        return SLUICE__ANY_TYPE;
    if (w[W_PROPERTIES])
        return SLUICE__OBJECT;
    return w[W_ITEMS] && values[w[W_ITEMS]].kind == SLUICE__V_OBJECT ? SLUICE__ARRAY
                                                                     : SLUICE__ANY_TYPE;
}

/* Returns the types that a schema allows; all if it does not restrict them. */
static unsigned mask_of(const sluice__schema *s, size_t value, int depth, unsigned *steps) {
    const node *n = sluice__node_of(s, value);
    if (!n || depth > DEPTH_MOST || ++*steps > STEPS_MOST)
        return SLUICE__ANY_TYPE;
    const uint32_t *w = n->words;
    unsigned mask = own_mask(s, n);
    if (w[W_REF] && s->links[w[W_REF]])
        mask &= mask_of(s, s->links[w[W_REF]] - 1, depth + 1, steps);
    for (int i = 0; i < 2; i++) {
        size_t list = w[i ? W_ONE_OF : W_ANY_OF];
        if (list && s->doc.values[list].len)
            mask &= any_of(s, list, depth, steps);
    }
    for (size_t i = w[W_ALL_OF] + 1; w[W_ALL_OF] && i < s->doc.values[w[W_ALL_OF]].next;
         i = s->doc.values[i].next)
        mask &= mask_of(s, i, depth + 1, steps);
    if (w[W_NULLABLE])
        mask |= SLUICE__NULL;
    return mask ? mask : SLUICE__ANY_TYPE;
}

/* Searches a schema, through references and unions, for a member's schema, the schema of other
 * members, or that of items. 0: none. */
typedef struct wanted {
    enum word word;
    const char *key; /* of a member */
    size_t len;
    unsigned steps;
} wanted;

static size_t search(const sluice__schema *s, size_t value, wanted *wanted, int depth) {
    const node *n = sluice__node_of(s, value);
    if (!n || depth > DEPTH_MOST || ++wanted->steps > STEPS_MOST)
        return 0;
    const uint32_t *w = n->words;
    size_t found = w[wanted->word];
    if (found && wanted->word == W_PROPERTIES && n->properties.all) {
        uint32_t first = 0;
        const name *own = sluice__property(s, n, wanted->key, wanted->len, &first);
        found = own ? own->schema : 0;
    } else if (found && wanted->word == W_PROPERTIES) {
        found = sluice__doc_member(&s->doc, found, wanted->key, wanted->len);
    } else if (found && wanted->word == W_ADDITIONAL_PROPERTIES &&
               s->doc.values[found].kind != SLUICE__V_OBJECT)
        found = 0;
    if (!found && w[W_REF] && s->links[w[W_REF]])
        found = search(s, s->links[w[W_REF]] - 1, wanted, depth + 1);
    static const uint8_t unions[] = {W_ANY_OF, W_ONE_OF, W_ALL_OF};
    for (int k = 0; k < 3 && !found; k++) {
        size_t list = w[unions[k]];
        for (size_t i = list + 1; list && !found && i < s->doc.values[list].next;
             i = s->doc.values[i].next)
            found = search(s, i, wanted, depth + 1);
    }
    return found;
}

/* Returns the types of the value `found`, and of its items. */
static sluice__types types_of(const sluice__schema *s, size_t found, unsigned *steps) {
    sluice__types types = {mask_of(s, found, 0, steps), 0, true};
    if (types.mask & SLUICE__ARRAY && !(types.mask & SLUICE__STRING)) {
        wanted wanted = {W_ITEMS, NULL, 0, *steps};
        size_t items = search(s, found, &wanted, 0);
        types.array = items ? mask_of(s, items, 0, steps) : SLUICE__ANY_TYPE;
        if (types.array == SLUICE__ANY_TYPE)
            types.array = SLUICE__STRING;
    }
    return types;
}

/* Computes the types of the tool's parameters, if that takes few steps: every call needs them. */
static void know_types(sluice__schema *s) {
    const node *root = sluice__node_of(s, 0);
    size_t object = root ? root->words[W_PROPERTIES] : 0;
    unsigned steps = 0;
    for (size_t k = object + 1; object && k < s->doc.values[object].next && steps < STEPS_MOST / 2;
         k = s->doc.values[k + 1].next) {
        if (!sluice__node_of(s, k + 1))
            continue;
        sluice__types types = types_of(s, k + 1, &steps);
        node *n = &s->nodes[s->links[k + 1] - 1];
        n->mask = (uint8_t)types.mask;
        n->item_mask = (uint8_t)types.array;
    }
}

/* `found`: the parameter's schema, or 0: it is to be searched. */
__attribute__((noinline)) static bool search_types(const sluice__schema *s, size_t found,
                                                   const char *key, size_t len,
                                                   sluice__types *types) {
    wanted wanted = {W_PROPERTIES, key, len, 0};
    if (!found)
        found = search(s, 0, &wanted, 0);
    wanted.word = W_ADDITIONAL_PROPERTIES;
    if (!found)
        found = search(s, 0, &wanted, 0);
    if (!found)
        return false;
    unsigned steps = 0;
    *types = types_of(s, found, &steps);
    return true;
}

bool sluice__schema_types(const sluice__schema *s, const char *key, size_t len, uint32_t *next,
                          sluice__types *types) {
    const node *root = sluice__node_of(s, 0);
    const name *own =
        root && root->properties.all ? sluice__property(s, root, key, len, next) : NULL;
    const node *n = own ? sluice__node_of(s, own->schema) : NULL;
    if (!n || !n->mask)
        return search_types(s, own ? own->schema : 0, key, len, types);
    *types = (sluice__types){n->mask, n->item_mask, true};
    return true;
}

/* ---- The whole schema ------------------------------------------------------------------------ */

bool sluice__schema_new(const sluice_allocator *a, const char *json, size_t len,
                        sluice__schema **out) {
    *out = NULL;
    sluice__schema *s = sluice__realloc(a, NULL, 0, sizeof *s);
    if (!s)
        return false;
    *s = (sluice__schema){.count = 0};
    char *copy = sluice__realloc(a, NULL, 0, len + 1);
    bool good = copy;
    compiler c = {a, s, NULL, 0};
    if (good) {
        memcpy(copy, json, len);
        copy[len] = 0;
        sluice__doc_result how = sluice__doc_read(a, &s->doc, copy, len, VALUES_MOST);
        good = how != SLUICE__DOC_NOMEM;
        if (how != SLUICE__DOC_OK)
            goto out;
        s->links = sluice__realloc(a, NULL, 0, s->doc.count * sizeof *s->links);
        good = s->links;
        if (good)
            memset(s->links, 0, s->doc.count * sizeof *s->links);
        good = good && want(&c, 0);
        for (size_t i = 0; good && i < s->count; i++)
            good = compile(&c, i);
        if (good) {
            sluice__sum_up_all(s);
            know_types(s);
            *out = s;
        }
    }
out:
    if (c.queue)
        sluice__realloc(a, c.queue, c.queue_cap * sizeof *c.queue, 0);
    if (!*out) {
        s->doc.text = copy;
        s->doc.len = len;
        sluice__schema_free(a, s);
    }
    return good;
}

void sluice__schema_free(const sluice_allocator *a, sluice__schema *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->pattern_count; i++)
        sluice__pattern_free(a, s->patterns[i]);
    if (s->patterns)
        sluice__realloc(a, s->patterns, s->pattern_cap * sizeof(sluice__pattern *), 0);
    if (s->nodes)
        sluice__realloc(a, s->nodes, s->cap * sizeof *s->nodes, 0);
    if (s->names)
        sluice__realloc(a, s->names, s->name_cap * sizeof *s->names, 0);
    if (s->links)
        sluice__realloc(a, s->links, s->doc.count * sizeof *s->links, 0);
    if (s->doc.text) {
        union {
            const char *text;
            char *own;
        } copy = {s->doc.text};
        sluice__realloc(a, copy.own, s->doc.len + 1, 0);
    }
    sluice__doc_release(a, &s->doc);
    sluice__realloc(a, s, sizeof *s, 0);
}
