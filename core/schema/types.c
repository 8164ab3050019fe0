/* The types of parameters: values in tags are read by them. */
#include "inside.h"

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

bool sluice__read_type(const sluice__doc *doc, size_t value, node *n) {
    static const struct {
        const char *name;
        uint8_t kinds;
    } types[] = {
        {"null", 1 << SLUICE__V_NULL},     {"boolean", 1 << SLUICE__V_TRUE | 1 << SLUICE__V_FALSE},
        {"string", 1 << SLUICE__V_STRING}, {"array", 1 << SLUICE__V_ARRAY},
        {"object", 1 << SLUICE__V_OBJECT}, {"number", 1 << SLUICE__V_NUMBER},
        {"integer", 1 << SLUICE__V_NUMBER}};
    bool list = doc->values[value].kind == SLUICE__V_ARRAY, any = false, known = true;
    n->kinds = 0;
    n->whole = false;
    for (size_t i = list ? value + 1 : value; i < doc->values[value].next;
         i = doc->values[i].next) {
        const char *type = doc->values[i].kind == SLUICE__V_STRING
                               ? sluice__schema_type(sluice__doc_text(doc, i), doc->values[i].len)
                               : NULL;
        if (!type) {
            n->kinds = ANY_KIND;
            any = true;
            known &= sluice__doc_is(doc, i, "any", 3);
        }
        for (size_t k = 0; type && k < 7; k++)
            if (strcmp(type, types[k].name) == 0) {
                n->kinds |= types[k].kinds;
                any = any || k == 5;
                n->whole = n->whole || k == 6;
            }
    }
    n->whole = n->whole && !any;
    return known;
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
    if (w[W_TYPE]) {
        for (unsigned kind = SLUICE__V_NULL; kind <= SLUICE__V_OBJECT; kind++)
            mask |= n->kinds >> kind & 1 ? masks[kind] : 0;
        return n->whole ? mask & ~(unsigned)SLUICE__NUMBER : mask;
    }
    if (w[W_ENUM]) {
        for (size_t i = w[W_ENUM] + 1; i < values[w[W_ENUM]].next; i = values[i].next)
            mask |= mask_of_value(&s->doc, i);
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
    if (found && wanted->word == W_PROPERTIES)
        found = sluice__doc_member(&s->doc, found, wanted->key, wanted->len);
    else if (found && wanted->word == W_ADDITIONAL_PROPERTIES &&
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
void sluice__know_types(sluice__schema *s) {
    const node *root = sluice__node_of(s, 0);
    size_t object = root ? root->words[W_PROPERTIES] : 0;
    unsigned steps = 0;
    for (size_t k = object + 1; object && k < s->doc.values[object].next && steps < STEPS_MOST / 2;
         k = s->doc.values[k + 1].next) {
        if (s->doc.values[k + 1].kind != SLUICE__V_OBJECT)
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

bool sluice__schema_types(const sluice__schema *s, const char *key, size_t len,
                          sluice__types *types) {
    const node *root = sluice__node_of(s, 0), *n = NULL;
    size_t own = root && root->words[W_PROPERTIES]
                     ? sluice__doc_member(&s->doc, root->words[W_PROPERTIES], key, len)
                     : 0;
    if (own)
        n = sluice__node_of(s, own);
    if (!n || !n->mask)
        return search_types(s, own, key, len, types);
    *types = (sluice__types){n->mask, n->item_mask, true};
    return true;
}
