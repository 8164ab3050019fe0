/* Inside the reading of values that may quote calls: what op_quoted.c and quoted_end.c share. */
#ifndef SLUICE_QUOTED_H
#define SLUICE_QUOTED_H

#include "parts.h"

/* What stands somewhere, white space aside. */
typedef enum found { WAITS, TEXT, LITERAL, END } found;

/* Where what follows a closer leads, closers aside. */
typedef enum chain {
    CHAIN_WAITS,
    NOWHERE,
    TO_PARAMETER,
    TO_OPENER,
    TO_SECTION, /* an opener, but the section before it was not closed */
    TO_TEXT,
    TO_END
} chain;

/* What a literal turned out to be. `quoted`: a part of a quotation, or of what follows the value.
 */
typedef enum part { PART_WAITS, NOTHING, QUOTED, OWN } part;

typedef struct mark { /* a literal behind the first suspicious one, while settling */
    uint64_t at;
    size_t item, partner; /* partner: of a call or section that is balanced, its closer; or 0 */
    unsigned kind;
    bool unmatched; /* a closer of nothing that is open */
    uint8_t proven; /* of a closer: what `proven` found behind it; 0: not asked yet */
} mark;

/* What is aside between a quoted closer and the next literal is skipped: white space and, `loose`,
 * marks of diffs, quotes, and `\n` as it is written in a string. */
uint64_t sluice__q_skip_aside(const sluice_stream *s, uint64_t q, uint64_t limit, bool loose);
/* Does nothing but white space stand between? */
bool sluice__q_touch(const sluice_stream *s, uint64_t from, uint64_t to);
/* The literal that follows q; *at is where it stands. */
found sluice__q_next_literal(sluice_stream *s, uint64_t q, bool loose, uint64_t *at, size_t *item);
/* Is this text all of some literal of the set? */
bool sluice__q_in_set(const sluice__markers *set, const char *p, size_t n);
unsigned sluice__q_kind_of(const sluice_stream *s, size_t item);
/* Where the chain leads that goes on at q, behind a closer of this kind. */
chain sluice__q_follow(sluice_stream *s, uint64_t q, unsigned behind);
/* The key or name that stands behind an opener that ends at q. WAIT: it is not all there. */
sluice__match sluice__q_head_at(sluice_stream *s, const sluice__head *head, uint64_t q,
                                const char **text, size_t *len);
/* Behind the header that begins at q and is known to be there. */
uint64_t sluice__q_behind_head(sluice_stream *s, const sluice__head *head, uint64_t q);
/* Opens a quoted part. False: no memory. */
bool sluice__q_push(sluice_stream *s, unsigned kind, size_t number);
/* Takes the literal at `at` into the balance. `m`, where it is not NULL, is filled. */
part sluice__q_take(sluice_stream *s, uint64_t at, size_t item, size_t number, mark *m);
/* Tells of a value that has ended what is doubtful in it. False: no memory. */
bool sluice__q_tell_doubt(sluice_stream *s);
/* Ends the value where the text has ended. */
int sluice__q_settle(sluice_stream *s);

#endif
