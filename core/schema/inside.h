/* The compiled form of a schema. */
#ifndef SLUICE_SCHEMA_INSIDE_H
#define SLUICE_SCHEMA_INSIDE_H

#include "../schema.h"
#include "doc.h"
#include "pattern.h"

enum word {
    W_REF,
    W_TYPE,
    W_ENUM,
    W_CONST,
    W_MULTIPLE_OF,
    W_MAXIMUM,
    W_EXCLUSIVE_MAXIMUM,
    W_MINIMUM,
    W_EXCLUSIVE_MINIMUM,
    W_MAX_LENGTH,
    W_MIN_LENGTH,
    W_PATTERN,
    W_MAX_ITEMS,
    W_MIN_ITEMS,
    W_UNIQUE_ITEMS,
    W_PREFIX_ITEMS,
    W_ITEMS,
    W_CONTAINS,
    W_MIN_CONTAINS,
    W_MAX_CONTAINS,
    W_MAX_PROPERTIES,
    W_MIN_PROPERTIES,
    W_REQUIRED,
    W_PROPERTIES,
    W_PATTERN_PROPERTIES,
    W_ADDITIONAL_PROPERTIES,
    W_PROPERTY_NAMES,
    W_DEPENDENT_REQUIRED,
    W_DEPENDENT_SCHEMAS,
    W_ALL_OF,
    W_ANY_OF,
    W_ONE_OF,
    W_NOT,
    W_IF,
    W_THEN,
    W_ELSE,
    W_NULLABLE,
    WORD_COUNT
};

/* A text that JSON has between quotes as it is: the name of a property, or a string of an enum. */
typedef struct name {
    const char *text;
    uint64_t head, mask;  /* its first eight bytes, or all and the quote; the bits that it has */
    uint32_t len, number; /* `number`: in its list */
    uint32_t schema;      /* of a property; and its node, as of sluice__node_of */
    const struct node *node;
} name;

enum {
    NAMES_MOST = 64,      /* in a list, which is looked through */
    ALTERNATIVES_MOST = 8 /* of which each asks for kinds */
};

typedef struct names {
    uint32_t first, count; /* of the schema's names */
    uint32_t of;           /* how many values are in the enum */
    bool all; /* the properties, or the enum's strings, are all here: they are few, no two
                 properties have the same name, and no text has a quote or backslash */
} names;

typedef struct bounds {
    int64_t least, most; /* both are within */
} bounds;

/* A schema that is an object: of each keyword its value in the document, or 0. Values of the wrong
 * kind are left out. */
typedef struct node {
    uint32_t words[WORD_COUNT];
    names properties, choices;
    uint64_t required;                 /* a bit for each property that is */
    bounds characters, items, members; /* how many there may be */
    bounds numbers;                    /* those between these fit, for certain */
    uint32_t digits[2]; /* a bit N for each number of digits before the point with which all numbers
                           fit that begin with another digit than 0; bit 0: those that begin with 0;
                           of negative numbers the second */
    uint8_t kinds;      /* a bit for each kind of value that `type` allows (1 << SLUICE__V_...) */
    bool whole;         /* of numbers only whole ones fit */
    bool simple;        /* nothing is said but the type, if that */
    bool of_text;       /* some keyword asks for the text of strings */
    bool plain;         /* of a member that is a property nothing else is asked */
    bool combined;      /* there are keywords that ask for other schemas of the same value */
    /* for pass.c */
    uint8_t by_kind;         /* where not 0, a value fits if it is of one of these kinds */
    bool by_kind_whole;      /* and if it is whole */
    uint8_t in_place;        /* whether values of these kinds fit is seen while they are read */
    uint8_t stands_for;      /* the keyword where it is $ref, anyOf or oneOf and no other; else
                                WORD_COUNT */
    uint8_t mask, item_mask; /* of a property of the whole: its types, and those of an array's
                            items; `mask` 0: not worked out before they are asked for */
} node;

struct sluice__schema {
    sluice__doc doc; /* its text is the schema's own */
    node *nodes;
    size_t count, cap;
    name *names; /* of all nodes */
    size_t name_count, name_cap;
    /* Of each value in the document: of a schema that is an object its node, + 1; of a $ref the
     * value that it names; of a pattern its number, + 1; else 0. */
    uint32_t *links;
    sluice__pattern **patterns;
    size_t pattern_count, pattern_cap;
};

/* The node of a schema, or NULL where it is `true`, `false` or no schema. */
static inline const node *sluice__node_of(const sluice__schema *s, size_t value) {
    bool compiled = s->doc.values[value].kind == SLUICE__V_OBJECT && s->links[value];
    return compiled ? &s->nodes[s->links[value] - 1] : NULL;
}

/* sum.c: notes what follows from the words of a node, and then from all nodes together. False: no
 * memory. */
bool sluice__sum_up(const sluice_allocator *a, sluice__schema *s, node *n);
void sluice__sum_up_all(sluice__schema *s);

/* The property of this name, of a node whose properties are listed; or NULL. `*next`: where to look
 * first, and then the one behind it, since members mostly stand in the order of the schema. */
static inline const name *sluice__property(const sluice__schema *s, const node *n, const char *key,
                                           size_t len, uint32_t *next) {
    const name *list = s->names + n->properties.first;
    uint64_t head = 0; /* as of a name */
    size_t few = len < sizeof head ? len : sizeof head;
    memcpy(&head, key, few);
    if (few < sizeof head)
        ((char *)&head)[few] = '"';
    for (uint32_t left = n->properties.count, i = *next; left; left--, i++) {
        i = i < n->properties.count ? i : 0;
        if (((head ^ list[i].head) & list[i].mask) == 0 && list[i].len == len &&
            memcmp(list[i].text, key, len) == 0) {
            *next = i + 1;
            return &list[i];
        }
    }
    return NULL;
}

#endif
