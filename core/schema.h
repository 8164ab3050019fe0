/*
 * A tool's parameters as JSON Schema, compiled once: arguments are checked against it at the end of
 * a call, and values in tags are read by its types. A library of its own: it needs only the reader
 * of core/json and the constants of typed.h.
 *
 * Supported: all assertions and applicators of draft 2020-12 and draft 7 (schema/inside.h lists
 * them), draft 4's boolean exclusiveMinimum and exclusiveMaximum, OpenAPI's nullable, and
 * references to pointers, anchors and identifiers in the same document. What else would restrict a
 * value is noted when the schema is compiled, and a check that reaches it says so: other drafts'
 * keywords, unknown types, a $dynamicRef with several targets, references to other documents,
 * patterns that schema/pattern.h cannot read, `content...` of draft 7, and keywords whose value is
 * of the wrong kind. Annotations (`title`, `format`, `default`, unknown keywords) restrict nothing.
 */
#ifndef SLUICE_SCHEMA_H
#define SLUICE_SCHEMA_H

#include "schema/doc.h"

/* Immutable; may be shared by threads. */
typedef struct sluice__schema sluice__schema;

/* Compiles a schema from its JSON text, which is copied. Returns false if out of memory; `*out` is
 * NULL if the text is not one JSON value. A schema that is too large cannot be checked. */
bool sluice__schema_new(const sluice_allocator *a, const char *json, size_t len,
                        sluice__schema **out);
void sluice__schema_free(const sluice_allocator *a, sluice__schema *schema);

/* Gets the schema's part number `i` that cannot be checked: appends its JSON Pointer in the schema
 * and sets *message; NULL after the last one. False if out of memory. */
bool sluice__schema_note(const sluice_allocator *a, const sluice__schema *schema, size_t i,
                         sluice__buffer *pointer, const char **message);

typedef enum sluice__fit {
    SLUICE__FITS,
    SLUICE__BREAKS,
    SLUICE__REPEATS,   /* it fits, but an object below the top has a key twice */
    SLUICE__UNCHECKED, /* it may fit: a part of the schema that cannot be checked was reached */
    SLUICE__GAVE_UP,   /* not checked, since that would take too long or too much memory */
    SLUICE__CHECK_NOMEM
} sluice__fit;

/* Checks one value. For BREAKS, REPEATS and UNCHECKED,
 * `message` (empty it before) receives the JSON Pointer of the place ("" is the whole value), and
 * after `*place` bytes the rest of the message, which begins with a blank. Time and memory are
 * bounded: at most a million values, about ten million steps and sixteen for each byte. */
sluice__fit sluice__schema_check(const sluice_allocator *a, const sluice__schema *schema,
                                 const sluice__doc *doc, sluice__buffer *message, size_t *place);

/* Finds the schema of a member of schema `of` (0: the whole), or of its items, and the types that
 * it allows. Returns its number; SIZE_MAX: the schema does not mention it. */
size_t sluice__schema_child(const sluice__schema *schema, size_t of, view key, bool items,
                            sluice__types *types);

/* Returns the JSON Schema type for an author's name of a type: itself, or its name in databases and
 * programming languages ("int", "Float", "dict", "list[str]"). NULL if unknown: then it allows
 * everything. */
const char *sluice__schema_type(const char *name, size_t len);

#endif
