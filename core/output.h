/* Events as JSON: one by one, and a whole response as one object. */
#ifndef SLUICE_OUTPUT_H
#define SLUICE_OUTPUT_H

#include "alloc.h"

/* All of these append to `out` and return false if out of memory. */

/* A JSON string; invalid UTF-8 becomes U+FFFD. */
bool sluice__json_string(const sluice_allocator *a, sluice__buffer *out, const char *p, size_t n);
/* One event as a JSON object, without a newline. */
bool sluice__json_event(const sluice_allocator *a, sluice__buffer *out, const sluice_event *e);

/* Of a call: where its status stands in `calls`, and whether it may be true there. */
typedef struct sluice__outcome_end {
    size_t at;
    int status, valid; /* valid: -1 not known */
} sluice__outcome_end;

/* Collects a response. All zero: empty. */
typedef struct sluice__outcome {
    sluice__buffer content, reasoning, calls, errors;
    sluice__buffer ends; /* of each call that has ended: a sluice__outcome_end */
    bool has_content, has_reasoning;
    bool open;       /* a call's arguments are being written */
    bool cut;        /* the text ended inside it */
    size_t doubtful; /* the calls before this are in doubt: what is behind them says so */
} sluice__outcome;

bool sluice__outcome_add(const sluice_allocator *a, sluice__outcome *o, const sluice_event *e);
/* The members of the result object, without its braces: "content": ..., ... */
bool sluice__outcome_json(const sluice_allocator *a, const sluice__outcome *o, sluice__buffer *out);
void sluice__outcome_release(const sluice_allocator *a, sluice__outcome *o);

#endif
