/* What each byte of a response was taken for, as a person looks at it. */
#ifndef SLUICE_TRACE_H
#define SLUICE_TRACE_H

#include "../core/output.h"

/* A response being gathered. All zero is an empty one. */
typedef struct sluice__trace {
    sluice__buffer text;   /* the response */
    sluice__buffer kinds;  /* of each byte: an event's type */
    sluice__buffer errors; /* where (8 bytes) and what: strings that end with a NUL */
    sluice__outcome outcome;
} sluice__trace;

/* Lines of ranges, the text in colours, a page of its own. */
typedef enum sluice__look { SLUICE__LINES, SLUICE__COLOURS, SLUICE__PAGE } sluice__look;

/* Bytes that are about to be fed; what was told of such. The stream has `markup`. All answer false
 * where there is no memory. */
bool sluice__trace_text(const sluice_allocator *a, sluice__trace *t, const char *p, size_t n);
bool sluice__trace_event(const sluice_allocator *a, sluice__trace *t, const sluice_event *e);
/* Appends all of it to `out`. `title`: of the page. */
bool sluice__trace_show(const sluice_allocator *a, const sluice__trace *t, sluice__look look,
                        const char *title, sluice__buffer *out);
void sluice__trace_release(const sluice_allocator *a, sluice__trace *t);

#endif
