/* The compiled form of a schema. */
#ifndef SLUICE_SCHEMA_INSIDE_H
#define SLUICE_SCHEMA_INSIDE_H

#include "../schema.h"
#include "pattern.h"

/* Keywords: name, the form of their value (compile.c), and the kinds of values they apply to. */
#define SLUICE__KEYWORDS(X)                                                                        \
    X(REF, "$ref", REFERENCE, SLUICE__ANY_TYPE)                                                    \
    X(DYNAMIC_REF, "$dynamicRef", REFERENCE, SLUICE__ANY_TYPE)                                     \
    X(RECURSIVE_REF, "$recursiveRef", UNSUPPORTED, SLUICE__ANY_TYPE)                               \
    X(EXTENDS, "extends", UNSUPPORTED, SLUICE__ANY_TYPE)                                           \
    X(DISALLOW, "disallow", UNSUPPORTED, SLUICE__ANY_TYPE)                                         \
    X(DIVISIBLE_BY, "divisibleBy", UNSUPPORTED, SLUICE__NUMBER)                                    \
    X(CONTENT_MEDIA_TYPE, "contentMediaType", UNSUPPORTED, SLUICE__STRING)                         \
    X(CONTENT_ENCODING, "contentEncoding", UNSUPPORTED, SLUICE__STRING)                            \
    X(DEFS, "$defs", SCHEMA_MAP, 0)                                                                \
    X(DEFINITIONS, "definitions", SCHEMA_MAP, 0)                                                   \
    X(TYPE, "type", TYPES, SLUICE__ANY_TYPE)                                                       \
    X(ENUM, "enum", LIST, SLUICE__ANY_TYPE)                                                        \
    X(CONST, "const", ANYTHING, SLUICE__ANY_TYPE)                                                  \
    X(NULLABLE, "nullable", FLAG, SLUICE__ANY_TYPE)                                                \
    X(MULTIPLE_OF, "multipleOf", NUMBER, SLUICE__NUMBER)                                           \
    X(MAXIMUM, "maximum", NUMBER, SLUICE__NUMBER)                                                  \
    X(EXCLUSIVE_MAXIMUM, "exclusiveMaximum", LIMIT, SLUICE__NUMBER)                                \
    X(MINIMUM, "minimum", NUMBER, SLUICE__NUMBER)                                                  \
    X(EXCLUSIVE_MINIMUM, "exclusiveMinimum", LIMIT, SLUICE__NUMBER)                                \
    X(MAX_LENGTH, "maxLength", NUMBER, SLUICE__STRING)                                             \
    X(MIN_LENGTH, "minLength", NUMBER, SLUICE__STRING)                                             \
    X(PATTERN, "pattern", EXPRESSION, SLUICE__STRING)                                              \
    X(MAX_ITEMS, "maxItems", NUMBER, SLUICE__ARRAY)                                                \
    X(MIN_ITEMS, "minItems", NUMBER, SLUICE__ARRAY)                                                \
    X(UNIQUE_ITEMS, "uniqueItems", FLAG, SLUICE__ARRAY)                                            \
    X(PREFIX_ITEMS, "prefixItems", SCHEMAS, SLUICE__ARRAY)                                         \
    X(ITEMS, "items", SCHEMA, SLUICE__ARRAY)                                                       \
    X(ADDITIONAL_ITEMS, "additionalItems", SCHEMA, SLUICE__ARRAY)                                  \
    X(CONTAINS, "contains", SCHEMA, SLUICE__ARRAY)                                                 \
    X(MIN_CONTAINS, "minContains", NUMBER, SLUICE__ARRAY)                                          \
    X(MAX_CONTAINS, "maxContains", NUMBER, SLUICE__ARRAY)                                          \
    X(UNEVALUATED_ITEMS, "unevaluatedItems", SCHEMA, SLUICE__ARRAY)                                \
    X(MAX_PROPERTIES, "maxProperties", NUMBER, SLUICE__OBJECT)                                     \
    X(MIN_PROPERTIES, "minProperties", NUMBER, SLUICE__OBJECT)                                     \
    X(REQUIRED, "required", NAMES, SLUICE__OBJECT)                                                 \
    X(PROPERTIES, "properties", SCHEMA_MAP, SLUICE__OBJECT)                                        \
    X(PATTERN_PROPERTIES, "patternProperties", EXPRESSIONS, SLUICE__OBJECT)                        \
    X(ADDITIONAL_PROPERTIES, "additionalProperties", SCHEMA, SLUICE__OBJECT)                       \
    X(PROPERTY_NAMES, "propertyNames", SCHEMA, SLUICE__OBJECT)                                     \
    X(DEPENDENT_REQUIRED, "dependentRequired", DEPENDENTS, SLUICE__OBJECT)                         \
    X(DEPENDENT_SCHEMAS, "dependentSchemas", DEPENDENTS, SLUICE__OBJECT)                           \
    X(DEPENDENCIES, "dependencies", DEPENDENTS, SLUICE__OBJECT)                                    \
    X(UNEVALUATED_PROPERTIES, "unevaluatedProperties", SCHEMA, SLUICE__OBJECT)                     \
    X(ALL_OF, "allOf", SCHEMAS, SLUICE__ANY_TYPE)                                                  \
    X(ANY_OF, "anyOf", SCHEMAS, SLUICE__ANY_TYPE)                                                  \
    X(ONE_OF, "oneOf", SCHEMAS, SLUICE__ANY_TYPE)                                                  \
    X(NOT, "not", SCHEMA, SLUICE__ANY_TYPE)                                                        \
    X(IF, "if", SCHEMA, SLUICE__ANY_TYPE)                                                          \
    X(THEN, "then", SCHEMA, SLUICE__ANY_TYPE)                                                      \
    X(ELSE, "else", SCHEMA, SLUICE__ANY_TYPE)

#define SLUICE__WORD(word, name, form, kinds) W_##word,
enum word { SLUICE__KEYWORDS(SLUICE__WORD) WORD_COUNT };

/* A schema that is an object: for each keyword its value in the document, or 0. Those that cannot
 * be checked are left out. */
typedef struct node {
    uint32_t words[WORD_COUNT];
    uint32_t at, resource; /* its value; the value of the schema with the $id that it is part of */
    uint8_t types;         /* that `type` allows */
    uint8_t unchecked;     /* kinds of values to which an unchecked keyword applies */
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
    bool members_require; /* a member says that it is required itself */
};

extern const node sluice__not_a_schema;

/* Returns the node of a schema; NULL for `true` and `false`. */
static inline const node *sluice__node_of(const sluice__schema *s, size_t value) {
    uint8_t kind = s->doc.values[value].kind;
    return kind == SLUICE__OBJECT    ? &s->nodes[s->links[value] - 1]
           : kind == SLUICE__BOOLEAN ? NULL
                                     : &sluice__not_a_schema;
}

/* types.c: the types that a type or a list of types names; if one is unknown, all, and *unknown is
 * its place, else 0. */
uint8_t sluice__types_named(const sluice__doc *doc, size_t value, size_t *unknown);

#endif
