/*
 * What a raw value may quote of its own format, and the rule that tells a quotation from the end of
 * the value.
 *
 * A description gives the literals around its parameters by kind; the value operation balances
 * them. In the comments PO and PC are the opener and the closer of a parameter, CO and CC those of
 * a call, SO and SC those of a section of calls.
 */
#ifndef SLUICE_QUOTING_H
#define SLUICE_QUOTING_H

#include "marker.h"

/* Kinds of the literals: roles of the set `marks`. A literal may have several. */
enum {
    SLUICE__PC = 1,
    SLUICE__CC = 2,
    SLUICE__SC = 4,
    SLUICE__PO = 8,
    SLUICE__CO = 16,
    SLUICE__SO = 32,
    SLUICE__MORE_OPENS = 64 /* comes before a CO too */
};

/* How the key of a PO, the name of a CO or the name in a closer is written. */
typedef struct sluice__head {
    const literals *ends;  /* what ends the header; NULL: the literal has none */
    const char *attribute; /* the attribute that holds it; NULL: all of the header */
} sluice__head;

/* Immutable; shared by streams. */
typedef struct sluice__quoting {
    const literals *marks;
    sluice__head key, name;
    sluice__head outer;  /* the same of a CC */
    sluice__head closer; /* of a PC that repeats the key; else its `ends` is NULL */
} sluice__quoting;

/* What is known of the value's tool. Both may be NULL: not known. */
typedef struct sluice__given {
    const literals *keys;  /* the parameters that it declares */
    const literals *names; /* the given tools */
} sluice__given;

#endif
