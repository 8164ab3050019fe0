/* A JSON text as a flat list of values, for repeated access. */
#ifndef SLUICE_SCHEMA_DOC_H
#define SLUICE_SCHEMA_DOC_H

#include "../json/json.h"
#include "../typed.h"

/* A value. The items of an array follow it, and the members of an object, each as a string (the
 * key) and a value. */
typedef struct sluice__value {
    uint32_t at, len; /* its text (of a string: decoded, without quotes); `len` of a container: its
                         number of items or members */
    uint32_t next;    /* the value after it and its contents; of a key: the next one in `keys` */
    uint32_t end;     /* of a container: the byte after its closer; of a key: its object */
    uint32_t keys;    /* the last key of which the hash leads here, of any object; or 0 */
    uint8_t kind;     /* one of the types of typed.h; of every number: SLUICE__NUMBER */
    bool own;         /* the text had escapes and is in `own` */
} sluice__value;

typedef struct sluice__doc {
    const char *text; /* borrowed */
    size_t len;
    sluice__buffer own;
    sluice__value *values; /* the first is the whole text */
    size_t count, cap;
    size_t repeated; /* the first key that its object already has, top level aside; or 0 */
    bool doubled;    /* the outermost object has a key twice */
} sluice__doc;

typedef enum sluice__doc_result {
    SLUICE__DOC_OK,
    SLUICE__DOC_BAD,   /* not one value of strict JSON */
    SLUICE__DOC_LARGE, /* more than a million values or 1 GB, nested deeper than 1024, or too
                          many keys with the same hash */
    SLUICE__DOC_NOMEM
} sluice__doc_result;

/* Reads text[0..len), which must outlive the document. Start with all zero, or with another text's;
 * release in any case. */
sluice__doc_result sluice__doc_read(const sluice_allocator *a, sluice__doc *doc, const char *text,
                                    size_t len);
/* The same of what is known to be strict JSON. */
sluice__doc_result sluice__doc_list(const sluice_allocator *a, sluice__doc *doc, view text);
void sluice__doc_release(const sluice_allocator *a, sluice__doc *doc);

static inline view sluice__doc_text(const sluice__doc *doc, size_t value) {
    const sluice__value *v = &doc->values[value];
    return view_of((v->own ? doc->own.data : doc->text) + v->at, v->len);
}
static inline bool sluice__doc_is_false(const sluice__doc *doc, size_t value) {
    return doc->values[value].kind == SLUICE__BOOLEAN && doc->values[value].len == 5;
}
/* The values of a list are found by this and `next`; with 0, which is in no list, there is none. */
static inline size_t sluice__doc_end(const sluice__doc *doc, size_t list) {
    return list ? doc->values[list].next : 0;
}

uint64_t sluice__doc_hash(uint64_t seed, view text);

/* Returns the value of the last member with this key, or 0. `object` may be any value. */
size_t sluice__doc_member(const sluice__doc *doc, size_t object, view key);

/* Appends the JSON Pointer of a value, or of the value of a key. */
void sluice__doc_pointer(const sluice__doc *doc, size_t value, out *o);

/* A number, exact: ids of nineteen digits stay distinct. It is 0.DIGITS times ten to the power of
 * `scale`; `digits` begins and ends with a digit other than 0 and may contain a point. Zero has no
 * digits. */
typedef struct sluice__number {
    const char *digits;
    size_t len, count; /* of the text; of its digits */
    int64_t scale;
    bool minus;
} sluice__number;
sluice__number sluice__number_of(view text);
bool sluice__number_is_whole(const sluice__number *n);

/* -1, 0, 1 */
int sluice__number_compare(const sluice__number *a, const sluice__number *b);

/* True if `a` is a whole multiple of `b`, which has at most so many digits. */
enum { SLUICE__DIVISOR_DIGITS = 18 };
bool sluice__number_is_multiple(const sluice__number *a, const sluice__number *b);

#endif
