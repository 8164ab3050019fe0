/* Reads values written as bare text, by the types that a tool's schema allows. */
#ifndef SLUICE_TYPED_H
#define SLUICE_TYPED_H

#ifdef SLUICE_NEXT
#include "alloc.h"
#else
#include "json.h"
#endif

enum {
    SLUICE__NULL = 1,
    SLUICE__INTEGER = 2,
    SLUICE__NUMBER = 4,
    SLUICE__BOOLEAN = 8,
    SLUICE__OBJECT = 16,
    SLUICE__ARRAY = 32,
    SLUICE__STRING = 64,
    SLUICE__ANY_TYPE = 127,
    SLUICE__QUOTED_STRING = 128, /* a JSON string alone is read as that string */
    SLUICE__SAID_JSON = 256      /* the text itself says that it is JSON */
};

/* The types that a value may have: masks. `array`: the types of its items if it can be an array and
 * not a string, else 0. `declared`: a schema restricts them. */
typedef struct sluice__types {
    uint16_t mask, array;
    bool declared;
} sluice__types;

/* Returns the types of a single value where a list is written item by item: types that are allowed
 * beside an array and that no item has; 0: none. */
unsigned sluice__types_beside_array(const sluice__types *types);

/* Returns the types of a value if the text says that it is of these types. */
unsigned sluice__types_said(const sluice__types *types, unsigned said);

/* True if a value of these types that begins with byte `c` can only be a string. */
bool sluice__only_string(unsigned types, unsigned char c);

#ifndef SLUICE_NEXT
/* Reads `text` as the first of the types null, integer, number, boolean, object, array that it
 * fits, and appends it to `out` as JSON. `*type` receives that type, or 0 if only a string fits
 * (nothing is appended then; a JSON string that counts as one is). JSON is kept unchanged; if
 * strings are allowed too, only JSON counts. `*mended` becomes true if it was repaired. `cut`: the
 * text ended inside; then only certain bytes count. False if out of memory. */
bool sluice__typed(const sluice_allocator *a, const char *text, size_t n, unsigned types,
                   uint32_t flags, bool cut, sluice__buffer *out, unsigned *type, bool *mended);

/* Returns the type of a whole value, white space aside, if it is unchanged JSON: a number, `true`,
 * `false` or `null`; leaves only the value in *text. 0 if sluice__typed must decide. */
unsigned sluice__typed_as_it_is(const char **text, size_t *len, unsigned types);

/* Appends the text of the JSON string p[0..n); *good: it is one. False if out of memory. */
bool sluice__json_text(const sluice_allocator *a, const char *p, size_t n, sluice__buffer *out,
                       bool *good);
#endif

#endif
