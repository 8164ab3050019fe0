/*
 * A tool's parameters as JSON Schema (draft 2020-12, as far as tool definitions use it), compiled
 * once: arguments are checked against it, and values in tags are read by its types.
 *
 * Supported: type, enum, const, multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum,
 * maxLength, minLength, pattern, maxItems, minItems, uniqueItems, prefixItems, items, contains,
 * minContains, maxContains, maxProperties, minProperties, required, properties, patternProperties,
 * additionalProperties, propertyNames, dependentRequired, dependentSchemas, allOf, anyOf, oneOf,
 * not, if/then/else, boolean schemas, nullable, and $ref to a JSON Pointer in the same document. Of
 * older drafts: a list as items, with additionalItems, and definitions. `format`, `default` and
 * `content...` are annotations. A pattern that schema/pattern.h cannot read is not checked, nor is
 * additionalProperties beside it.
 */
#ifndef SLUICE_SCHEMA_H
#define SLUICE_SCHEMA_H

#include "typed.h"

/* Immutable; may be shared by threads. */
typedef struct sluice__schema sluice__schema;

/* Compiles a schema from its JSON text, which is copied. Returns false if out of memory; `*out` is
 * NULL if the text is not one JSON value. */
bool sluice__schema_new(const sluice_allocator *a, const char *json, size_t len,
                        sluice__schema **out);
void sluice__schema_free(const sluice_allocator *a, sluice__schema *schema);

typedef enum sluice__fit {
    SLUICE__FITS,
    SLUICE__BREAKS,
    SLUICE__GAVE_UP, /* not checked, since that would take too long or too much memory */
    SLUICE__CHECK_NOMEM
} sluice__fit;

/* Checks one value, which must be strict JSON followed by a NUL. For BREAKS, `message` (empty it
 * before) receives the JSON Pointer of the violation ("" is the whole value), and after `*place`
 * bytes the rest of the message, which begins with a blank. Time and memory are bounded: at most a
 * million values, about ten million steps. */
sluice__fit sluice__schema_check(const sluice_allocator *a, const sluice__schema *schema,
                                 const char *json, size_t len, sluice__buffer *message,
                                 size_t *place);

/* Gets the types of an object's member. False if the schema does not mention it. `*next`: where to
 * look first, any number; then set to where the next one in the schema's order is. */
bool sluice__schema_types(const sluice__schema *schema, const char *key, size_t len, uint32_t *next,
                          sluice__types *types);

/* Returns the JSON Schema type for an author's name of a type: itself, or its name in databases and
 * programming languages ("int", "Float", "dict", "list[str]"). NULL if unknown: then it allows
 * everything. */
const char *sluice__schema_type(const char *name, size_t len);

#endif
