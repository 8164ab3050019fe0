/* A check of a value against a compiled schema. */
#ifndef SLUICE_SCHEMA_CHECK_H
#define SLUICE_SCHEMA_CHECK_H

#include "inside.h"

enum {
    VALUES_MOST = 1000000,
    STEPS_MOST = 10000000,
    DEPTH_MOST = 300 /* of values and of schemas for the same value together */
};

/* Where a value is: a key or a number below the place above it. */
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
    int depth, quiet; /* quiet: only whether it fits is asked */
    bool of_name;     /* what is checked is the name of a member */
    bool gave_up, no_memory;
    uint64_t *known; /* (node, value, whether it fits) that were asked before */
    size_t known_count, known_cap;
    size_t before; /* values of documents that were in `doc` before */
} checker;

/* The two ways: a document of the whole value is checked, which tells what is wrong; or pass.c
 * checks while it reads. False, then: it may fit or not. The checker for it is `quiet`. */
sluice__fit sluice__check_document(checker *c, const char *json, size_t len);
bool sluice__pass(checker *c, const char *json, size_t len);
void sluice__check_release(checker *c); /* after either; not the document */

/* Does a value fit whose text this is, within a longer one? It is read into `doc`. */
bool sluice__fits_alone(checker *c, size_t schema, const char *json, size_t len);

#endif
