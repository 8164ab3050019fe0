/* The compiled form of a schema. */
#ifndef SLUICE_SCHEMA_INSIDE_H
#define SLUICE_SCHEMA_INSIDE_H

#include "../schema.h"
#include "doc.h"
#include "pattern.h"

/* Keywords: name, the form of their value (compile.c), and the kinds of values they apply to. */
#define SLUICE__KEYWORDS(X)                                                                        \
    X(REF, "$ref", REFERENCE, ANY_KIND)                                                            \
    X(DYNAMIC_REF, "$dynamicRef", REFERENCE, ANY_KIND)                                             \
    X(RECURSIVE_REF, "$recursiveRef", UNSUPPORTED, ANY_KIND)                                       \
    X(EXTENDS, "extends", UNSUPPORTED, ANY_KIND)                                                   \
    X(DISALLOW, "disallow", UNSUPPORTED, ANY_KIND)                                                 \
    X(DIVISIBLE_BY, "divisibleBy", UNSUPPORTED, 1 << SLUICE__V_NUMBER)                             \
    X(DEFS, "$defs", SCHEMA_MAP, 0)                                                                \
    X(DEFINITIONS, "definitions", SCHEMA_MAP, 0)                                                   \
    X(TYPE, "type", TYPES, ANY_KIND)                                                               \
    X(ENUM, "enum", LIST, ANY_KIND)                                                                \
    X(CONST, "const", ANYTHING, ANY_KIND)                                                          \
    X(NULLABLE, "nullable", BOOLEAN, ANY_KIND)                                                     \
    X(MULTIPLE_OF, "multipleOf", NUMBER, 1 << SLUICE__V_NUMBER)                                    \
    X(MAXIMUM, "maximum", NUMBER, 1 << SLUICE__V_NUMBER)                                           \
    X(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", LIMIT, 1 << SLUICE__V_NUMBER)                         \
    X(MINIMUM, "minimum", NUMBER, 1 << SLUICE__V_NUMBER)                                           \
    X(EXCLUSIVE_MINIMUM, "exclusiveMinimum", LIMIT, 1 << SLUICE__V_NUMBER)                         \
    X(MAX_LENGTH, "maxLength", NUMBER, 1 << SLUICE__V_STRING)                                      \
    X(MIN_LENGTH, "minLength", NUMBER, 1 << SLUICE__V_STRING)                                      \
    X(PATTERN, "pattern", EXPRESSION, 1 << SLUICE__V_STRING)                                       \
    X(MAX_ITEMS, "maxItems", NUMBER, 1 << SLUICE__V_ARRAY)                                         \
    X(MIN_ITEMS, "minItems", NUMBER, 1 << SLUICE__V_ARRAY)                                         \
    X(UNIQUE_ITEMS, "uniqueItems", BOOLEAN, 1 << SLUICE__V_ARRAY)                                  \
    X(PREFIX_ITEMS, "prefixItems", SCHEMAS, 1 << SLUICE__V_ARRAY)                                  \
    X(ITEMS, "items", SCHEMA, 1 << SLUICE__V_ARRAY)                                                \
    X(ADDITIONAL_ITEMS, "additionalItems", SCHEMA, 1 << SLUICE__V_ARRAY)                           \
    X(CONTAINS, "contains", SCHEMA, 1 << SLUICE__V_ARRAY)                                          \
    X(MIN_CONTAINS, "minContains", NUMBER, 1 << SLUICE__V_ARRAY)                                   \
    X(MAX_CONTAINS, "maxContains", NUMBER, 1 << SLUICE__V_ARRAY)                                   \
    X(UNEVALUATED_ITEMS, "unevaluatedItems", SCHEMA, 1 << SLUICE__V_ARRAY)                         \
    X(MAX_PROPERTIES, "maxProperties", NUMBER, 1 << SLUICE__V_OBJECT)                              \
    X(MIN_PROPERTIES, "minProperties", NUMBER, 1 << SLUICE__V_OBJECT)                              \
    X(REQUIRED, "required", NAMES, 1 << SLUICE__V_OBJECT)                                          \
    X(PROPERTIES, "properties", SCHEMA_MAP, 1 << SLUICE__V_OBJECT)                                 \
    X(PATTERN_PROPERTIES, "patternProperties", EXPRESSIONS, 1 << SLUICE__V_OBJECT)                 \
    X(ADDITIONAL_PROPERTIES, "additionalProperties", SCHEMA, 1 << SLUICE__V_OBJECT)                \
    X(PROPERTY_NAMES, "propertyNames", SCHEMA, 1 << SLUICE__V_OBJECT)                              \
    X(DEPENDENT_REQUIRED, "dependentRequired", DEPENDENTS, 1 << SLUICE__V_OBJECT)                  \
    X(DEPENDENT_SCHEMAS, "dependentSchemas", DEPENDENTS, 1 << SLUICE__V_OBJECT)                    \
    X(DEPENDENCIES, "dependencies", DEPENDENTS, 1 << SLUICE__V_OBJECT)                             \
    X(UNEVALUATED_PROPERTIES, "unevaluatedProperties", SCHEMA, 1 << SLUICE__V_OBJECT)              \
    X(ALL_OF, "allOf", SCHEMAS, ANY_KIND)                                                          \
    X(ANY_OF, "anyOf", SCHEMAS, ANY_KIND)                                                          \
    X(ONE_OF, "oneOf", SCHEMAS, ANY_KIND)                                                          \
    X(NOT, "not", SCHEMA, ANY_KIND)                                                                \
    X(IF, "if", SCHEMA, ANY_KIND)                                                                  \
    X(THEN, "then", SCHEMA, ANY_KIND)                                                              \
    X(ELSE, "else", SCHEMA, ANY_KIND)

enum { ANY_KIND = 0xFF };

#define SLUICE__WORD(word, name, form, kinds) W_##word,
enum word { SLUICE__KEYWORDS(SLUICE__WORD) WORD_COUNT };

/* A schema that is an object: for each keyword its value in the document, or 0. Those that cannot
 * be checked are left out. */
typedef struct node {
    uint32_t words[WORD_COUNT];
    uint32_t at, resource; /* its value; the value of the schema with the $id that it is part of */
    uint8_t kinds;         /* a bit for each kind of value that `type` allows */
    uint8_t unchecked;     /* a bit for each kind of value to which an unchecked keyword applies */
    bool whole;            /* only whole numbers fit */
    uint8_t mask, item_mask; /* of a property of the root: its types, and those of an array's items;
                                `mask` 0: not computed yet */
} node;

/* A part that cannot be checked. */
typedef struct note {
    uint32_t schema, part; /* values */
    uint8_t kinds;         /* to which it applies */
    const char *message;
} note;

struct sluice__schema {
    sluice__buffer text;
    sluice__doc doc; /* of `text` */
    node *nodes;
    size_t count, cap;
    /* For each value in the document: for a schema object its node, + 1; for a reference the value
     * that it names, + 1; for a pattern its number, + 1; else 0. */
    uint32_t *links;
    sluice__pattern **patterns;
    size_t pattern_count, pattern_cap;
    note *notes;
    size_t note_count, note_cap;
};

extern const node sluice__not_a_schema;

/* Returns the node of a schema; NULL for `true` and `false`. */
static inline const node *sluice__node_of(const sluice__schema *s, size_t value) {
    uint8_t kind = s->doc.values[value].kind;
    return kind == SLUICE__V_OBJECT                            ? &s->nodes[s->links[value] - 1]
           : kind == SLUICE__V_FALSE || kind == SLUICE__V_TRUE ? NULL
                                                               : &sluice__not_a_schema;
}

/* types.c: reads a type or a list of types into a node; false if one is not known: then it allows
 * everything. */
bool sluice__read_type(const sluice__doc *doc, size_t value, node *n);

/* Computes the types of the tool's parameters. */
void sluice__know_types(sluice__schema *s);

#endif
