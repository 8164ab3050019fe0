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

/* The text between the quotes of a JSON string without escapes: the name of a property, or a string
 * of an enum. */
typedef struct name {
    const char *text;
    uint64_t head, mask;  /* its first eight bytes, or all of it and the quote; the bits in use */
    uint32_t len, number; /* `number`: in its list */
    uint32_t schema;      /* of a property; and its node, as in sluice__node_of */
    const struct node *node;
} name;

enum {
    NAMES_MOST = 64,      /* in a list, for linear search */
    ALTERNATIVES_MOST = 8 /* if each restricts only the kinds */
};

typedef struct names {
    uint32_t first, count; /* in the schema's names */
    uint32_t of;           /* number of values in the enum */
    bool all; /* all of the properties, or of the enum's strings, are here: they are few, no two
                 properties have the same name, and no text has a quote or backslash */
} names;

typedef struct bounds {
    int64_t least, most; /* both inclusive */
} bounds;

/* A schema that is an object: for each keyword its value in the document, or 0. Values of the wrong
 * kind are left out. */
typedef struct node {
    uint32_t words[WORD_COUNT];
    names properties, choices;
    uint64_t required;                 /* a bit for each required property */
    bounds characters, items, members; /* bounds of their number */
    bounds numbers;                    /* numbers within these certainly fit */
    uint32_t digits[2]; /* a bit N for each number of digits before the point with which all numbers
                           fit that do not begin with 0; bit 0: those that begin with 0; the second
                           is for negative numbers */
    uint8_t kinds;      /* a bit for each kind of value that `type` allows (1 << SLUICE__V_...) */
    bool whole;         /* only whole numbers fit */
    bool simple;        /* only the type is restricted, if that */
    bool of_text;       /* some keyword needs the text of strings */
    bool plain;         /* a member that is a property needs no other check */
    bool combined;      /* keywords apply other schemas to the same value */
    /* for pass.c */
    uint8_t by_kind;         /* if not 0, a value fits if it is of one of these kinds */
    bool by_kind_whole;      /* and if it is whole */
    uint8_t in_place;        /* kinds of values that can be checked while they are read */
    uint8_t stands_for;      /* the keyword, if only $ref, anyOf or oneOf; else WORD_COUNT */
    uint8_t mask, item_mask; /* of a property of the root: its types, and those of an array's items;
                                `mask` 0: not computed yet */
} node;

struct sluice__schema {
    sluice__doc doc; /* its text belongs to the schema */
    node *nodes;
    size_t count, cap;
    name *names; /* of all nodes */
    size_t name_count, name_cap;
    /* For each value in the document: for a schema object its node, + 1; for a $ref the value that
     * it names; for a pattern its number, + 1; else 0. */
    uint32_t *links;
    sluice__pattern **patterns;
    size_t pattern_count, pattern_cap;
};

/* Returns the node of a schema, or NULL if it is `true`, `false` or not a schema. */
static inline const node *sluice__node_of(const sluice__schema *s, size_t value) {
    bool compiled = s->doc.values[value].kind == SLUICE__V_OBJECT && s->links[value];
    return compiled ? &s->nodes[s->links[value] - 1] : NULL;
}

/* sum.c: records what follows from the words of a node, then from all nodes together. False if out
 * of memory. */
bool sluice__sum_up(const sluice_allocator *a, sluice__schema *s, node *n);
void sluice__sum_up_all(sluice__schema *s);

/* Returns the property with this name, of a node whose properties are listed; or NULL. `*next`:
 * where to look first; then set to the next one, since members mostly come in the order of the
 * schema. */
static inline const name *sluice__property(const sluice__schema *s, const node *n, const char *key,
                                           size_t len, uint32_t *next) {
    const name *list = s->names + n->properties.first;
    char begin[8] = {0}; /* as of a name */
    uint64_t head;
    sluice__copy_few(begin, key, len < sizeof begin ? len : sizeof begin);
    if (len < sizeof begin)
        begin[len] = '"';
    memcpy(&head, begin, sizeof head);
    for (uint32_t left = n->properties.count, i = *next; left; left--, i++) {
        i = i < n->properties.count ? i : 0;
        if (((head ^ list[i].head) & list[i].mask) == 0 && list[i].len == len &&
            (len <= sizeof head || memcmp(list[i].text, key, len) == 0)) {
            *next = i + 1;
            return &list[i];
        }
    }
    return NULL;
}

#endif
