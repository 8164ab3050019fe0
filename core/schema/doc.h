/* A JSON text as a flat list of values, for repeated access. */
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

/* A value. The items of an array follow it, and the members of an object, each as a string (the
 * key) and a value. */
typedef struct sluice__value {
    uint32_t at, len; /* its text (of a string: decoded, without quotes); `len` of a container: its
                         number of items or members */
    uint32_t next;    /* the value after it and its contents */
    uint32_t end;     /* of a container: the byte after its closer */
    uint8_t kind;
    bool whole; /* of a number: only digits and a sign */
    bool own;   /* the text had escapes and is in `own` */
} sluice__value;

typedef struct sluice__doc {
    const char *text; /* borrowed */
    size_t len;
    sluice__buffer own;
    sluice__value *values; /* the first is the whole text */
    size_t count, cap;
    size_t keys;     /* number of members in all objects */
    size_t repeated; /* the first key that its object already has, top level aside; or 0 */
    uint32_t *slots; /* key values by hash of object and key; 0: free */
    size_t slot_count;
} sluice__doc;

typedef enum sluice__doc_result {
    SLUICE__DOC_OK,
    SLUICE__DOC_BAD,   /* not one value of strict JSON */
    SLUICE__DOC_LARGE, /* more than a million values or 1 GB, nested deeper than 1024, or too many
                          keys with the same hash */
    SLUICE__DOC_NOMEM
} sluice__doc_result;

/* Reads text[0..len), which must outlive the document and be followed by a NUL. Start with all
 * zero; release in any case. */
sluice__doc_result sluice__doc_read(const sluice_allocator *a, sluice__doc *doc, const char *text,
                                    size_t len);
void sluice__doc_release(const sluice_allocator *a, sluice__doc *doc);

static inline const char *sluice__doc_text(const sluice__doc *doc, size_t value) {
    const sluice__value *v = &doc->values[value];
    return (v->own ? doc->own.data : doc->text) + v->at;
}

/* True if the value is a string with these bytes. */
static inline bool sluice__doc_is(const sluice__doc *doc, size_t value, const char *text,
                                  size_t len) {
    const sluice__value *v = &doc->values[value];
    return v->len == len && v->kind == SLUICE__V_STRING &&
           memcmp(sluice__doc_text(doc, value), text, len) == 0;
}

/* Returns the value of the last member with this key, or 0. `object` may be any value. */
size_t sluice__doc_member(const sluice__doc *doc, size_t object, const char *key, size_t len);

/* Appends the JSON Pointer of a value, or of the value of a key. False if out of memory. */
bool sluice__doc_pointer(const sluice_allocator *a, const sluice__doc *doc, size_t value,
                         sluice__buffer *out);

/* A number, exact: ids of nineteen digits stay distinct. It is 0.DIGITS times ten to the power of
 * `scale`; `digits` begins and ends with a digit other than 0 and may contain a point. Zero has no
 * digits. */
typedef struct sluice__number {
    double value; /* approximately */
    const char *digits;
    size_t len, count; /* of the text; of its digits */
    int64_t scale;
    bool minus;
} sluice__number;
sluice__number sluice__doc_number(const sluice__doc *doc, size_t value);
bool sluice__number_is_whole(const sluice__number *n);

/* -1, 0, 1 */
int sluice__number_compare(const sluice__number *a, const sluice__number *b);

/* True if `a` is a whole multiple of `b`. */
bool sluice__number_is_multiple(const sluice__number *a, const sluice__number *b);

/* True if two values are equal. Numbers are compared by value; the order of members does not
 * matter. `*steps` grows by the number of values examined. */
bool sluice__doc_same(const sluice__doc *a, size_t x, const sluice__doc *b, size_t y,
                      uint64_t *steps);

/* Returns a hash, the same for equal values. */
uint64_t sluice__doc_hash(const sluice__doc *doc, size_t value, uint64_t *steps);

#endif
