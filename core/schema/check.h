/* Checks of a value against a compiled schema. */
#ifndef SLUICE_SCHEMA_CHECK_H
#define SLUICE_SCHEMA_CHECK_H

#include "inside.h"

enum {
    VALUES_MOST = 1000000,
    STEPS_MOST = 10000000,
    DEPTH_MOST = 300, /* levels of values, and of schemas for the same value, together */
    MATCHERS_MOST = 8
};

/* The place of a value: a key or a number, and the place that contains it. */
typedef struct place {
    const struct place *above;
    size_t key, item; /* `key`: the key's value, or 0 */
} place;

typedef struct checker {
    const sluice_allocator *alloc;
    const sluice__schema *schema;
    sluice__doc *doc;
    sluice__buffer *message;
    size_t *place_len;
    uint64_t steps;
    int depth, quiet; /* quiet: no message is wanted */
    bool of_name;     /* the checked value is the name of a member */
    bool gave_up, no_memory;
    uint64_t *known; /* earlier results: (node, value, whether it fits) */
    size_t known_count, known_cap;
    size_t before;             /* values of earlier documents in `doc` */
    struct matchers *matchers; /* NULL: no pattern was used yet */
} checker;

/* Two ways: checks a document of the whole value, which finds the violation; or checks during
 * reading (pass.c), where false means "not certain". The checker for that is `quiet`. */
sluice__fit sluice__check_document(checker *c, const char *json, size_t len);
bool sluice__pass(checker *c, const char *json, size_t len);
void sluice__check_release(checker *c); /* after either; does not free the document */

/* True if the pattern, a value of the schema, matches the text. If it cannot be read, *read is
 * false. */
bool sluice__has_pattern(checker *c, size_t pattern, const char *text, size_t len, bool *read);

/* Returns what is known of the pattern, or NULL; valid until another pattern is used. */
const sluice__sets *sluice__sets_of(const checker *c, size_t pattern);

/* True if a value fits whose text is part of a longer one. Reads it into `doc`. */
bool sluice__fits_alone(checker *c, size_t schema, const char *json, size_t len);

#endif
