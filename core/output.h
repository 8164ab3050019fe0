/* Events as JSON: one by one, and a whole response as one object. */
#ifndef SLUICE_OUTPUT_H
#define SLUICE_OUTPUT_H

#include "alloc.h"

/* All of these append to `out` and return false if out of memory. */

/* A JSON string; invalid UTF-8 becomes U+FFFD. */
bool sluice__json_string(const sluice_allocator *a, sluice__buffer *out, const char *p, size_t n);
/* One event as a JSON object, without a newline. */
bool sluice__json_event(const sluice_allocator *a, sluice__buffer *out, const sluice_event *e);

/* Collects a response. All zero: empty. */
typedef struct sluice__outcome {
    sluice__buffer content, reasoning, calls, errors;
    bool has_content, has_reasoning;
    bool open; /* a call's arguments are being written */
} sluice__outcome;

bool sluice__outcome_add(const sluice_allocator *a, sluice__outcome *o, const sluice_event *e);
/* The members of the result object, without its braces: "content": ..., ... */
bool sluice__outcome_json(const sluice_allocator *a, const sluice__outcome *o, sluice__buffer *out);
void sluice__outcome_release(const sluice_allocator *a, sluice__outcome *o);

#endif
