/* Values written as bare text, read by the types that a tool's schema allows. */
#ifndef SLUICE_TYPED_H
#define SLUICE_TYPED_H

#include "json.h"

enum {
    SLUICE__NULL = 1,
    SLUICE__INTEGER = 2,
    SLUICE__NUMBER = 4,
    SLUICE__BOOLEAN = 8,
    SLUICE__OBJECT = 16,
    SLUICE__ARRAY = 32,
    SLUICE__STRING = 64,
    SLUICE__ANY_TYPE = 127,
    SLUICE__QUOTED_STRING = 128, /* a JSON string that stands alone is that string */
    SLUICE__SAID_JSON = 256      /* the text says of itself that it is JSON */
};

/* What a value may be: masks. `array`: that of its items where it can be an array and no string,
 * else 0. `declared`: a schema says so. */
typedef struct sluice__types {
    uint16_t mask, array;
    bool declared;
} sluice__types;

/* What a value is read by that stands alone where a list is written item by item: the types that
 * are allowed beside an array and that no item has; 0: there are none. */
unsigned sluice__types_beside_array(const sluice__types *types);

/* What a value is read by of which the text says that it is of these types. */
unsigned sluice__types_said(const sluice__types *types, unsigned said);

/* True where a value of these types that begins with byte `c` can only be a string. */
bool sluice__only_string(unsigned types, unsigned char c);

/* Reads `text` as the first of the types null, integer, number, boolean, object, array that it
 * fits, and appends it to `out` as JSON. `*type` gets the type found, or 0 where it fits none but a
 * string (then nothing is appended; a JSON string that counts as one is). What already is JSON is
 * kept as it is; where strings are allowed too, only what already is JSON counts. `*mended` becomes
 * true where it was not. `cut`: the text ended inside; then only what is certain counts. False: no
 * memory. */
bool sluice__typed(const sluice_allocator *a, const char *text, size_t n, unsigned types,
                   uint32_t flags, bool cut, sluice__buffer *out, unsigned *type, bool *mended);

/* Is a whole value, white space aside, JSON as it stands, and none but a number, `true`, `false` or
 * `null`? Answers its type and leaves only the value of *text; 0: it takes sluice__typed to say. */
unsigned sluice__typed_as_it_is(const char **text, size_t *len, unsigned types);

/* Appends the text of the JSON string p[0..n); *good: it is one. False: no memory. */
bool sluice__json_text(const sluice_allocator *a, const char *p, size_t n, sluice__buffer *out,
                       bool *good);

#endif
