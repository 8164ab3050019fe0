/* A JSON text as a flat list of values, for those who look at it more than once. */
#ifndef SLUICE_SCHEMA_DOC_H
#define SLUICE_SCHEMA_DOC_H

#include "../alloc.h"

enum {
    SLUICE__V_NULL,
    SLUICE__V_FALSE,
    SLUICE__V_TRUE,
    SLUICE__V_NUMBER,
    SLUICE__V_STRING,
    SLUICE__V_ARRAY,
    SLUICE__V_OBJECT
};

/* A value. The items of an array follow it; so do the members of an object, each a string (the key)
 * and a value. */
typedef struct sluice__value {
    uint32_t at, len; /* its text (of a string: decoded, without quotes); `len` of a container: how
                         many items or members */
    uint32_t next;    /* the value after it and all that is in it */
    uint32_t end;     /* of a container: the byte after its closer */
    uint8_t kind;
    bool whole; /* of a number: written with nothing but digits, and a sign */
    bool own;   /* the text is in `own`, since it had escapes */
    bool raw;   /* the text is as it was written, with escapes: see sluice__doc_decode */
} sluice__value;

typedef struct sluice__doc {
    const char *text; /* borrowed */
    size_t len;
    sluice__buffer own;
    sluice__value *values; /* the first is the whole */
    size_t count, cap;
    bool known; /* set before it is read: the strings are JSON for certain, and are not checked */
    bool raw;   /* some values are */
} sluice__doc;

typedef enum sluice__doc_result {
    SLUICE__DOC_OK,
    SLUICE__DOC_BAD,   /* not one value of strict JSON, or nested deeper than 1024 */
    SLUICE__DOC_LARGE, /* more than `most` values, or 4 GB */
    SLUICE__DOC_NOMEM
} sluice__doc_result;

/* Reads text[0..len), which must outlive the document. A NUL follows it or, if it is a value within
 * a longer text, what follows the value there. Start with all zero; release in any case. */
sluice__doc_result sluice__doc_read(const sluice_allocator *a, sluice__doc *doc, const char *text,
                                    size_t len, size_t most);

/* Decodes the strings of this value and of all that is in it. In a known document those with
 * escapes are not decoded before: few schemas ask for their text. False: no memory. */
bool sluice__doc_decode(const sluice_allocator *a, sluice__doc *doc, size_t value);
void sluice__doc_release(const sluice_allocator *a, sluice__doc *doc);

static inline const char *sluice__doc_text(const sluice__doc *doc, size_t value) {
    const sluice__value *v = &doc->values[value];
    return (v->own ? doc->own.data : doc->text) + v->at;
}

/* Is the value a string with these bytes? */
static inline bool sluice__doc_is(const sluice__doc *doc, size_t value, const char *text,
                                  size_t len) {
    const sluice__value *v = &doc->values[value];
    return v->len == len && v->kind == SLUICE__V_STRING &&
           memcmp(sluice__doc_text(doc, value), text, len) == 0;
}

/* The value of the last member with this key, or 0. `object` may be any value. */
size_t sluice__doc_member(const sluice__doc *doc, size_t object, const char *key, size_t len);

/* A number, exact: an id of nineteen digits is no other one. It is 0.DIGITS times ten to the power
 * of `scale`; `digits` begins and ends with one that is not 0 and may have a point in it. Zero has
 * none. */
typedef struct sluice__number {
    double value; /* near it */
    const char *digits;
    size_t len, count; /* of the text; of the digits in it */
    int64_t scale;
    bool minus;
} sluice__number;
sluice__number sluice__doc_number(const sluice__doc *doc, size_t value);
bool sluice__number_is_whole(const sluice__number *n);

/* -1, 0, 1 */
int sluice__number_compare(const sluice__number *a, const sluice__number *b);

/* Is `a` a whole number of times `b`? */
bool sluice__number_is_multiple(const sluice__number *a, const sluice__number *b);

/* Are two values the same? Numbers count by value, members in any order. `*steps` grows by the
 * values that were looked at. */
bool sluice__doc_same(const sluice__doc *a, size_t x, const sluice__doc *b, size_t y,
                      uint64_t *steps);

/* A hash that is the same for values that are the same. */
uint64_t sluice__doc_hash(const sluice__doc *doc, size_t value, uint64_t *steps);
uint64_t sluice__hash_text(const char *p, size_t n);

#endif
