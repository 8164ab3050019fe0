/*
 * The fast paths of a chunk in a block. Everything else takes the slow path, which reads as if the
 * bytes had come in one chunk.
 *
 * Standing by: the chunk only continues a literal, a key or a name that the stream waits for. It is
 * appended while it is fed.
 *
 * Flowing: the chunk continues a string of arguments, as most chunks of a call do. It becomes an
 * event without the queue or the reader. Only its end may be held: blanks that a closer might drop,
 * or the start of a literal, of an escape or of a character.
 *
 * Steps: the chunk continues JSON arguments between strings. The reader goes on from token to
 * token.
 */
#include "flow.h"

/* ---- Chunks that only continue what the stream waits for --------------------------------------
 */

/* True if the literal is one of the text, and it is known what follows it. */
static bool opens(const sluice_stream *s, const sluice__markers *set, size_t item) {
    const sluice__standby *behind = s->format->behind;
    return set == s->format->text && behind && !s->watched && s->mode == SLUICE__IN_TEXT_MODE &&
           (behind[item].set || behind[item].odd);
}

static bool only_continues(sluice_stream *s) {
    const sluice__window *w = &s->window;
    size_t kept = w->lends ? 0 : w->kept, item;
    const char *p = w->data + kept, *end = w->data + w->len;
    sluice__standby *by = &s->standby;
    if (sluice__window_end(w) > s->reach || (w->lends && by->set && by->walk.length))
        return false;
    while (by->set) {
        if (by->blanks && !by->walk.length) {
            while (p < end && sluice__is_space(*p))
                p++;
            if (p == end)
                return w->len <= 2 * SLUICE__FLOW_MOST && w->len < s->set.limit_held;
        }
        size_t start = sluice__minus(p, w->data) - by->walk.length;
        sluice__match m =
            sluice__markers_walk(by->set, &by->walk, p, sluice__minus(end, p), false, &item);
        if (m != SLUICE__YES)
            return m == SLUICE__WAIT;
        p = w->data + start + by->set->items[item].len;
        if (opens(s, by->set, item)) {
            *by = s->format->behind[item];
            s->opener_at = s->set.tokens ? UINT64_MAX : w->base + start;
            s->opener = (uint16_t)item;
        } else if (!(by->then || by->ends) || item != by->item) {
            return false;
        } else if (!by->then) {
            return sluice__may_begin(by, by->ends, p, end);
        } else {
            by->odd = by->then;
            by->set = NULL;
        }
        if (!by->set)
            by->most = (uint32_t)w->len + SLUICE__FLOW_MOST;
    }
    if (!by->odd || w->len > by->most)
        return false;
    for (; (p = sluice__first_odd(by->odd, p, end)) < end && by->passes; p++)
        by->passes--;
    return p == end || (by->ends && sluice__may_begin(by, by->ends, p, end));
}

bool sluice__stand_by(sluice_stream *s) {
    sluice__standby *by = &s->standby;
    if ((!by->set && !by->odd && !by->guess) || sluice__window_end(&s->window) > s->reach)
        return false;
    if (by->odd)
        by->most = (uint32_t)s->window.len + SLUICE__FLOW_MOST;
    s->odd = NULL;
    s->passed = true;
    s->quick = SLUICE__STANDS_BY;
    return true;
}

/* ---- May the next chunk flow? -------------------------------------------------------------- */

/* True if the reader holds exactly the bytes of the window from `sent` on. */
static bool is_kept(const sluice_stream *s) {
    const sluice__buffer *pending = &s->reader->pending;
    return pending->len == sluice__minus(s->op->at, s->sent) &&
           (!pending->len || memcmp(pending->data, s->window.data, pending->len) == 0);
}

/* Sets how the next chunk of JSON arguments is read: as text of a string, or by steps. */
static void go_on(sluice_stream *s, bool in_string) {
    s->quick = in_string ? SLUICE__JSON_FLOWS : SLUICE__JSON_STEPS;
    s->odd = in_string ? sluice__odd_in_string : NULL;
}

/* Decides how the next chunk of JSON arguments is read. */
static void json_flows(sluice_stream *s) {
    const sluice__reader *r = s->reader;
    if (s->op->quoted || s->op->value || s->op->at != s->pos || !is_kept(s))
        return;
    bool in_string = s->op->at == s->sent && sluice__reader_in_string(r);
    if (in_string && r->flags & SLUICE__PYTHON) {
        s->quick = SLUICE__PYTHON_FLOWS;
        s->odd = NULL;
    } else if (in_string || sluice__reader_steps(r)) {
        go_on(s, in_string);
    }
}

void sluice__flow_begin(sluice_stream *s) {
    s->quick = SLUICE__NOT_QUICK;
    if (s->finished || sluice__stand_by(s))
        return;
    if (!s->step || !s->call.open || sluice__staged(s) || s->set.parameters || s->set.source ||
        s->window.len > SLUICE__FLOW_MOST || s->sent != s->window.base)
        return;
    if (sluice__is_reading_value(s) && sluice__raw_flows(s))
        s->quick = SLUICE__RAW_FLOWS;
    else if (sluice__is_reading_arguments(s))
        json_flows(s);
    s->passed = true;
}

/* ---- The chunk ----------------------------------------------------------------------------- */

sluice_next sluice__flow_kept(sluice_stream *s, sluice_event *event, size_t n) {
    if (!sluice__keep_arguments(s, s->window.data, n))
        return sluice__flow_leave(s, event);
    return sluice__flow_tell(s, event, s->window.data, n, n);
}

/* All arguments were read. If it is known what mostly follows them, that is waited for. */
static void end_arguments(sluice_stream *s) {
    const sluice__marker *guesses = s->op->guesses;
    sluice__end_arguments(s);
    if (guesses && sluice__guess(s, &guesses[s->guess_end],
                                 sluice__minus(sluice__window_end(&s->window), s->pos)))
        sluice__stand_by(s);
}

/* Reads arguments between strings, and where a string begins or ends. */
__attribute__((noinline)) static sluice_next json_steps(sluice_stream *s, sluice_event *event) {
    const sluice__window *w = &s->window;
    size_t before = sluice__minus(s->op->at, s->sent);
    sluice__stepped step;
    if (w->len > 2 * SLUICE__FLOW_MOST)
        return sluice__flow_leave(s, event);
    if (!sluice__reader_step(s->reader, w->data + before, w->len - before, &step)) {
        s->no_memory = true;
        return sluice__flow_leave(s, event);
    }
    size_t passed = step.sure ? before + step.sure : 0;
    s->pos = s->op->at += step.used;
    if (step.odd && passed && s->head == s->count) { /* what follows may join the same event */
        s->joins = sluice__arguments(s, w->data, passed, s->sent + passed);
        s->no_memory |= !s->joins;
        return sluice__flow_leave(s, event);
    }
    if (passed) {
        sluice__plain_event(event, SLUICE_ARGUMENTS, w->data, passed, s->sent, s->sent + passed,
                            s->calls);
        s->sent += passed;
        if (step.done)
            sluice__closing_over(&s->closing);
        else if (!step.nested)
            sluice__closing_at(&s->closing, step.in_string);
        if ((step.nested && !step.done &&
             !sluice__closing_add(&s->alloc, &s->closing, w->data, passed)) ||
            (s->call.kept && !sluice__keep_arguments(s, w->data, passed)))
            s->no_memory = true;
    }
    if (step.odd || step.done || s->no_memory) {
        s->quick = SLUICE__NOT_QUICK;
        s->waits = false;
        if (step.done)
            end_arguments(s);
        return passed ? SLUICE_EVENT : sluice__next_event(s, event);
    }
    go_on(s, s->op->at == s->sent && sluice__reader_in_string(s->reader));
    s->standby.odd = NULL;
    if (step.in_key) /* its end is waited for */
        s->standby = (sluice__standby){.odd = sluice__odd_in_string,
                                       .most = (uint32_t)w->len + SLUICE__FLOW_MOST};
    if (!passed)
        return sluice__hold(s, event);
    if (passed == w->len)
        sluice__window_pass(&s->window);
    else
        s->passed = true;
    return SLUICE_EVENT;
}

/* Handles bytes of a string that cannot all go out unchanged. */
__attribute__((noinline)) static sluice_next string_with_care(sluice_stream *s,
                                                              sluice_event *event) {
    const char *text = s->window.data;
    size_t n = s->window.len, passed;
    if (n > 2 * SLUICE__FLOW_MOST || n > s->set.limit_held ||
        !sluice__string_passes(text, n, &passed))
        return sluice__flow_leave(s, event);
    if (!passed)
        return sluice__hold(s, event);
    if (s->call.kept && !sluice__keep_arguments(s, text, passed))
        return sluice__flow_leave(s, event);
    return sluice__flow_tell(s, event, text, passed, passed);
}

__attribute__((noinline)) static sluice_next flow_json(sluice_stream *s, sluice_event *event) {
    const char *text = s->window.data, *end = text + s->window.len;
    if (s->window.len > SLUICE__FLOW_MOST)
        return string_with_care(s, event);
    const char *odd = sluice__first_odd(sluice__odd_in_string, text, end);
    if (odd < end)
        return *odd == '"' && s->quick == SLUICE__JSON_FLOWS && s->reader->patient
                   ? json_steps(s, event)
                   : string_with_care(s, event);
    return sluice__flow_plain(s, event, sluice__minus(end, text));
}

__attribute__((noinline)) static sluice_next flow_python(sluice_stream *s, sluice_event *event) {
    uint64_t from = s->sent;
    const char *text = s->window.data;
    sluice_next next = flow_json(s, event);
    if (next == SLUICE_EVENT && s->quick) /* else the reader has seen the bytes */
        sluice__reader_passed(s->reader, text, sluice__minus(s->sent, from));
    return next;
}

sluice_next sluice__plain_chunk(sluice_stream *s, sluice_event *event) {
    size_t n = s->window.len;
    bool blank = s->window.data[n - 1] == ' '; /* other white space is odd */
    return blank && s->quick == SLUICE__RAW_FLOWS ? sluice__blank_raw(s, event)
                                                  : sluice__flow_plain(s, event, n);
}

/* The text of a string has begun: is it certain how it goes on? */
__attribute__((noinline)) static sluice_next begin_string(sluice_stream *s, sluice_event *event) {
    if (!sluice__reader_is_no_path(s->reader, s->window.data, s->window.len))
        return json_steps(s, event);
    go_on(s, true);
    s->standby.odd = NULL;
    return flow_json(s, event);
}

bool sluice__stands_on(sluice_stream *s) {
    if (s->standby.guess)
        s->guess_end ^= !sluice__was_right(s);
    else if (only_continues(s))
        return true;
    s->quick = SLUICE__NOT_QUICK;
    s->waits = false;
    return false;
}

/* Handles a chunk while the stream stands by; of those that were appended, the ones that the feed
 * did not handle. */
__attribute__((noinline)) static sluice_next stand(sluice_stream *s, sluice_event *event) {
    const sluice__window *w = &s->window;
    bool begins = w->lends && s->standby.guess && !s->standby.walk.length;
    if (!(begins && sluice__continues(s, 0, w->data, w->len)) && !sluice__stands_on(s))
        return sluice__next_event(s, event);
    return w->lends ? sluice__hold(s, event) : sluice__keep_standing(s);
}

sluice_next sluice__flow(sluice_stream *s, sluice_event *event) {
    switch (s->quick) {
    case SLUICE__STANDS_BY:
        return stand(s, event);
    case SLUICE__RAW_FLOWS:
        return sluice__flow_raw(s, event);
    case SLUICE__JSON_STEPS:
        return s->op->at == s->sent && sluice__reader_in_plain_text(s->reader)
                   ? begin_string(s, event)
                   : json_steps(s, event);
    case SLUICE__JSON_FLOWS:
        return flow_json(s, event);
    default:
        return flow_python(s, event);
    }
}
