/* Inside the fast paths of a chunk in a block: flow.c, and flow_raw.c for raw values. */
#ifndef SLUICE_FLOW_H
#define SLUICE_FLOW_H

#include "parts.h"

enum { SLUICE__FLOW_MOST = 64 }; /* larger chunks are read in runs anyway */

/* flow_raw.c */
bool sluice__raw_flows(sluice_stream *s); /* True if the next chunk of a raw value may flow. */
sluice_next sluice__flow_raw(sluice_stream *s, sluice_event *event);
/* The same if no byte is odd, and the last one is a blank. */
sluice_next sluice__blank_raw(sluice_stream *s, sluice_event *event);

/* If the last n visible bytes begin this text, guesses that it follows, and waits for it. */
static inline bool sluice__guess(sluice_stream *s, const sluice__marker *text, size_t n) {
    const sluice__window *w = &s->window;
    if (n >= text->len || s->set.tokens || memcmp(text->text, w->data + w->len - n, n) != 0)
        return false;
    s->standby = (sluice__standby){.guess = text, .walk.length = (uint32_t)n};
    return true;
}

/* Reports the first n visible bytes unchanged, and keeps them for the check at the call's end. */
sluice_next sluice__flow_kept(sluice_stream *s, sluice_event *event, size_t n);

/* May a literal of the set begin at p? Then the rest of it is waited for. */
static inline bool sluice__may_begin(sluice__standby *by, const sluice__markers *set, const char *p,
                                     const char *end) {
    sluice__walk walk = {0, 0, 0};
    size_t item;
    bool may =
        sluice__markers_walk(set, &walk, p, sluice__minus(end, p), false, &item) == SLUICE__WAIT;
    if (may)
        *by = (sluice__standby){.set = set, .walk = walk};
    return may;
}

/* Reports the first `passed` visible bytes, written as JSON in `text`. */
static inline sluice_next sluice__flow_tell(sluice_stream *s, sluice_event *event, const char *text,
                                            size_t len, size_t passed) {
    sluice__plain_event(event, SLUICE_ARGUMENTS, text, len, s->sent, s->sent + passed, s->calls);
    s->sent = s->op->at = event->end;
    if (s->quick == SLUICE__RAW_FLOWS)
        s->op->from = s->sent;
    else
        s->pos = s->sent;
    if (passed == s->window.len)
        sluice__window_pass(&s->window);
    else
        s->passed = true;
    return SLUICE_EVENT;
}

/* Continues on the slow path. */
static inline sluice_next sluice__flow_leave(sluice_stream *s, sluice_event *event) {
    s->quick = SLUICE__NOT_QUICK;
    s->waits = false;
    return sluice__next_event(s, event);
}

/* Reports the first n visible bytes unchanged. */
static inline sluice_next sluice__flow_plain(sluice_stream *s, sluice_event *event, size_t n) {
    return s->call.kept ? sluice__flow_kept(s, event, n)
                        : sluice__flow_tell(s, event, s->window.data, n, n);
}

#endif
