/* Reading values that may quote calls: declarations shared by op_quoted.c and quoted_end.c. */
#ifndef SLUICE_QUOTED_H
#define SLUICE_QUOTED_H

#include "parts.h"

/* What is at a position, after white space. */
typedef enum found { WAITS, TEXT, LITERAL, END } found;

/* Where the chain of closers after a closer leads. */
typedef enum chain {
    CHAIN_WAITS,
    NOWHERE,
    TO_PARAMETER,
    TO_OPENER,
    TO_SECTION, /* an opener, but the section before it was not closed */
    TO_TEXT,
    TO_END
} chain;

/* Meaning of a literal. QUOTED: part of a quotation, or of what follows the value. */
typedef enum part { PART_WAITS, NOTHING, QUOTED, OWN } part;

typedef struct mark { /* a literal after the first suspicious one, while the value is settled */
    uint64_t at;
    size_t item, partner; /* partner: of a balanced call or section, its closer; or 0 */
    unsigned kind;
    bool unmatched; /* a closer without an opener */
    uint8_t proven; /* of a closer: what `proven` found after it; 0: not examined yet */
} mark;

/* Skips white space between a quoted closer and the next literal; if `loose`, also marks of diffs,
 * quotes, and `\n` as written in a string. */
uint64_t sluice__q_skip_aside(const sluice_stream *s, uint64_t q, uint64_t limit, bool loose);
/* True if there is only white space in between. */
bool sluice__q_touch(const sluice_stream *s, uint64_t from, uint64_t to);
/* Finds the literal that follows q; *at: its position. */
found sluice__q_next_literal(sluice_stream *s, uint64_t q, bool loose, uint64_t *at, size_t *item);
/* True if this text is exactly a literal of the set. */
bool sluice__q_in_set(const sluice__markers *set, const char *p, size_t n);
unsigned sluice__q_kind_of(const sluice_stream *s, size_t item);
/* Where does the chain lead that continues at q, after a closer of kind `behind`? */
chain sluice__q_follow(sluice_stream *s, uint64_t q, unsigned behind);
/* Gets the key or name after an opener that ends at q. WAIT: it is not complete. */
sluice__match sluice__q_head_at(sluice_stream *s, const sluice__head *head, uint64_t q,
                                const char **text, size_t *len);
/* Returns the end of the header that begins at q and is complete. */
uint64_t sluice__q_behind_head(sluice_stream *s, const sluice__head *head, uint64_t q);
/* Opens a quoted part. False if out of memory. */
bool sluice__q_push(sluice_stream *s, unsigned kind, size_t number);
/* Adds the literal at `at` to the balance. Fills `m` unless it is NULL. */
part sluice__q_take(sluice_stream *s, uint64_t at, size_t item, size_t number, mark *m);
/* Reports doubts about a value that has ended. False if out of memory. */
bool sluice__q_tell_doubt(sluice_stream *s);
/* Ends the value at the end of the text. */
int sluice__q_settle(sluice_stream *s);

#endif
