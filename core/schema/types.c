/* The types of parameters: values in tags are read by them. */
#include "inside.h"

const node sluice__not_a_schema = {.types = SLUICE__ANY_TYPE, .unchecked = SLUICE__ANY_TYPE};

static const char *const type_names[] = {"null",   "integer", "number", "boolean",
                                         "object", "array",   "string"};

const char *sluice__schema_type(const char *name, size_t len) {
    static const struct {
        const char *begins;
        uint8_t type; /* in the order in which they are tried */
    } names[] = {{"null", 0},     {"none", 0},    {"nil", 0},    {"bool", 3},       {"string", 6},
                 {"str", 6},      {"text", 6},    {"char", 6},   {"varchar", 6},    {"enum", 6},
                 {"array", 5},    {"list", 5},    {"tuple", 5},  {"set", 5},        {"obj", 4},
                 {"dict", 4},     {"map", 4},     {"num", 2},    {"float", 2},      {"double", 2},
                 {"decimal", 2},  {"int", 1},     {"uint", 1},   {"long", 1},       {"short", 1},
                 {"unsigned", 1}, {"boolean", 3}, {"object", 4}, {"dictionary", 4}, {"mapping", 4},
                 {"number", 2},   {"numeric", 2}, {"integer", 1}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t k = 0;
        while (k < len && names[i].begins[k] && (name[k] | 32) == names[i].begins[k])
            k++;
        if (!names[i].begins[k] && (k == len || strchr("[(<", name[k]))) /* list[str], string[] */
            return type_names[k + 2 == len && name[k + 1] == ']' ? 5 : names[i].type];
    }
    return NULL;
}

uint8_t sluice__types_named(const sluice__doc *doc, size_t value, size_t *unknown) {
    size_t list = doc->values[value].kind == SLUICE__ARRAY;
    unsigned types = 0;
    *unknown = 0;
    for (size_t i = value + list; i < doc->values[value].next; i = doc->values[i].next) {
        view name = sluice__doc_text(doc, i);
        bool text = doc->values[i].kind == SLUICE__STRING;
        const char *type = text ? sluice__schema_type(name.p, view_len(name)) : NULL;
        if (!type)
            types = SLUICE__ANY_TYPE;
        if (!text || (!type && !view_is(name, "any")) || has_any(name, "[(<"))
            *unknown = i;
        for (unsigned k = 0; type && k < 7; k++)
            if (strcmp(type, type_names[k]) == 0)
                types |= k == 2 ? SLUICE__NUMBER | SLUICE__INTEGER : 1u << k;
    }
    return (uint8_t)types;
}

/* ---- Types ----------------------------------------------------------------------------------- */

enum { DEPTH_MOST = 32, STEPS_MOST = 10000 };
static const uint8_t lists[] = {W_ANY_OF, W_ONE_OF, W_ALL_OF};

static unsigned type_of_value(const sluice__doc *doc, size_t value) {
    if (doc->values[value].kind != SLUICE__NUMBER)
        return doc->values[value].kind;
    sluice__number n = sluice__number_of(sluice__doc_text(doc, value));
    return sluice__number_is_whole(&n) ? SLUICE__INTEGER : SLUICE__NUMBER | SLUICE__INTEGER;
}

/* Returns the types that a schema's own keywords allow. */
static unsigned own_types(const sluice__schema *s, const node *n) {
    const uint32_t *w = n->words;
    unsigned types = w[W_CONST] ? type_of_value(&s->doc, w[W_CONST]) : 0;
    for (size_t i = w[W_ENUM] + 1; i < sluice__doc_end(&s->doc, w[W_ENUM]);
         i = s->doc.values[i].next)
        types |= type_of_value(&s->doc, i);
    if (w[W_TYPE])
        return types & n->types ? types & n->types : n->types;
    if (types)
        return types;
    if (w[W_ANY_OF] || w[W_ONE_OF] || w[W_REF])
        return SLUICE__ANY_TYPE;
    if (w[W_PROPERTIES])
        return SLUICE__OBJECT;
    return w[W_ITEMS] && s->doc.values[w[W_ITEMS]].kind == SLUICE__OBJECT ? SLUICE__ARRAY
                                                                          : SLUICE__ANY_TYPE;
}

/* Returns the types that a schema allows; all if it does not restrict them. */
static unsigned types_of(const sluice__schema *s, size_t value, int depth, unsigned *steps) {
    const node *n = sluice__node_of(s, value);
    if (!n || depth > DEPTH_MOST || ++*steps > STEPS_MOST)
        return SLUICE__ANY_TYPE;
    const uint32_t *w = n->words;
    unsigned types = own_types(s, n);
    if (w[W_REF] && s->links[w[W_REF]])
        types &= types_of(s, s->links[w[W_REF]] - 1, depth + 1, steps);
    for (int k = 0; k < 3; k++) {
        size_t list = w[lists[k]], end = sluice__doc_end(&s->doc, list);
        unsigned any = 0, all = SLUICE__ANY_TYPE;
        for (size_t i = list + 1; i < end; i = s->doc.values[i].next) {
            unsigned of = types_of(s, i, depth + 1, steps);
            any |= of;
            all &= of;
        }
        types &= end > list + 1 && k < 2 ? any : all;
    }
    if (w[W_NULLABLE])
        types |= SLUICE__NULL;
    return types ? types : SLUICE__ANY_TYPE;
}

/* Searches a schema, through references and unions, for the schema of a member, of other members
 * (additionalProperties), or of items. 0: none. */
static size_t search(const sluice__schema *s, size_t value, enum word word, view key, int depth,
                     unsigned *steps) {
    const node *n = sluice__node_of(s, value);
    if (!n || depth > DEPTH_MOST || ++*steps > STEPS_MOST)
        return 0;
    size_t found = n->words[word], ref = n->words[W_REF];
    if (found && word == W_PROPERTIES)
        found = sluice__doc_member(&s->doc, found, key);
    else if (word == W_ADDITIONAL_PROPERTIES && s->doc.values[found].kind != SLUICE__OBJECT)
        found = 0;
    if (!found && ref && s->links[ref])
        found = search(s, s->links[ref] - 1, word, key, depth + 1, steps);
    for (int k = 0; k < 3 && !found; k++) {
        size_t list = n->words[lists[k]], end = sluice__doc_end(&s->doc, list);
        for (size_t i = list + 1; !found && i < end; i = s->doc.values[i].next)
            found = search(s, i, word, key, depth + 1, steps);
    }
    return found;
}

size_t sluice__schema_child(const sluice__schema *s, size_t of, view key, bool items,
                            sluice__types *types) {
    unsigned steps = 0;
    size_t found = search(s, of, items ? W_ITEMS : W_PROPERTIES, key, 0, &steps);
    steps = 0;
    if (!found && !items)
        found = search(s, of, W_ADDITIONAL_PROPERTIES, key, 0, &steps);
    if (!found)
        return SIZE_MAX;
    steps = 0;
    *types = (sluice__types){(uint16_t)types_of(s, found, 0, &steps), 0, true};
    if (types->mask & SLUICE__ARRAY && !(types->mask & SLUICE__STRING)) {
        size_t item = search(s, found, W_ITEMS, key, 0, &steps);
        types->array = item ? (uint16_t)types_of(s, item, 0, &steps) : SLUICE__ANY_TYPE;
        if (types->array == SLUICE__ANY_TYPE)
            types->array = SLUICE__STRING;
    }
    return found;
}
