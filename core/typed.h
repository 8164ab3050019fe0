/* Reads values written as bare text, by the types that a tool's schema allows. */
#ifndef SLUICE_TYPED_H
#define SLUICE_TYPED_H

#include "bytes.h"

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

/* Can a value of these types only be a string, as its text begins behind white space? */
bool sluice__only_string(unsigned types, view text);

#endif
