/*
 * What makes a call doubtful.
 *
 * Damage has no end of kinds: what looks odd is not mended here but told, and its call is not
 * valid. This room sees the arguments of a call as JSON text when the call ends; it does not depend
 * on how they were read.
 */
#ifndef SLUICE_DOUBT_H
#define SLUICE_DOUBT_H

#include "alloc.h"
#include "include/sluice.h"
#include "marker.h"
#include "schema/doc.h"

/* How models spell the keys of a call's arguments, and of its name; end with NULL. */
extern const char *const sluice__argument_keys[], *const sluice__name_keys[];

/* The literals of a format: roles of a set. A closer has the pair of its opener. */
enum {
    SLUICE__D_INNER = 1,  /* of the parameters; else of a call or a section */
    SLUICE__D_CLOSER = 2, /* closes; else it opens */
    SLUICE__D_SINGLE = 4, /* has no partner in this format */
    SLUICE__D_QUOTE = 8,  /* a quote of the format's own: opens and closes */
    SLUICE__D_LINE = 16,  /* only at the start of a line */
    SLUICE__D_CALLS = 32, /* of a block that has nothing but calls */
    SLUICE__D_ALONE = 64, /* closes if nothing else stands on its line, else it opens */
    SLUICE__D_PAIR = 128  /* times the number of the pair */
};

typedef struct sluice__format_literals {
    const literals *set; /* NULL: none */
    bool raw;            /* values are raw text, not JSON */
    bool tagged;         /* a parameter's tag is named after its key */
    bool angles;         /* they are in angle brackets */
    bool fenced;         /* a value may stand in a code fence */
} sluice__format_literals;

/* Tells what is in doubt about the call that ends: its arguments, which are one JSON object, and
 * the keys that its tool declares (NULL: not known). */
void sluice__doubt_call(sluice_stream *s, const sluice__doc *doc, const literals *declared);

/* Is part of a tag left in the text of an element, <key>? */
bool sluice__has_debris(const sluice__format_literals *l, view text, view key);

#endif
