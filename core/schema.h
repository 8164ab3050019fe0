/*
 * A tool's parameters as JSON Schema (draft 2020-12, as far as tool definitions use it), compiled
 * once: arguments are checked against it, and values in tags are read by the types it allows.
 *
 * Claimed: type, enum, const, multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum,
 * maxLength, minLength, pattern, maxItems, minItems, uniqueItems, prefixItems, items, contains,
 * minContains, maxContains, maxProperties, minProperties, required, properties, patternProperties,
 * additionalProperties, propertyNames, dependentRequired, dependentSchemas, allOf, anyOf, oneOf,
 * not, if/then/else, boolean schemas, nullable, and $ref to a JSON Pointer in the same document.
 * Of older drafts: a list as items, with additionalItems, and definitions.
 * `format`, `default` and `content...` are annotations. A pattern that schema/pattern.h cannot read
 * is not checked, nor is additionalProperties beside such a one.
 */
#ifndef SLUICE_SCHEMA_H
#define SLUICE_SCHEMA_H

#include "typed.h"

/* Immutable; may be shared by threads. */
typedef struct sluice__schema sluice__schema;

/* Compiles a schema from its JSON text, which is copied. Returns false if out of memory; `*out` is
 * NULL where the text is not one JSON value. */
bool sluice__schema_new(const sluice_allocator *a, const char *json, size_t len,
                        sluice__schema **out);
void sluice__schema_free(const sluice_allocator *a, sluice__schema *schema);

typedef enum sluice__fit {
    SLUICE__FITS,
    SLUICE__BREAKS,
    SLUICE__GAVE_UP, /* it would take too long, or too much memory: not checked */
    SLUICE__CHECK_NOMEM
} sluice__fit;

/* Checks one value, which must be strict JSON with a NUL behind it. `message` (empty it before)
 * gets, for BREAKS, the JSON Pointer of what breaks the schema ("" is the whole), and after
 * `*place` bytes the rest of a sentence that begins with it, with a blank in front. Time and memory
 * are bounded: at most a million values, some ten million steps. */
sluice__fit sluice__schema_check(const sluice_allocator *a, const sluice__schema *schema,
                                 const char *json, size_t len, sluice__buffer *message,
                                 size_t *place);

/* The types of an object's member. False: the schema says nothing of it. */
bool sluice__schema_types(const sluice__schema *schema, const char *key, size_t len,
                          sluice__types *types);

/* The type of JSON Schema that a tool's author means by a name: itself, or what databases and
 * programming languages call it ("int", "Float", "dict", "list[str]"). NULL: none is known by it,
 * and it is taken to say nothing. */
const char *sluice__schema_type(const char *name, size_t len);

#endif
