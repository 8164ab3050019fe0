/* What the host takes: events of the queue, and what passes. */
#include "stream.h"

static void begin_event(sluice_event *e, sluice_event_type type, uint64_t start, uint64_t end,
                        size_t index) {
    static const sluice_event empty;
    *e = empty; /* faster than a literal, which is zeroed by `rep stos` */
    e->type = type;
    e->start = start;
    e->end = end;
    e->index = index;
}

static void hand_queued(sluice_stream *s, sluice_event *e) {
    const queued *q = &s->queue[s->head];
    const char *made = s->made.b.data ? s->made.b.data - 1 : NULL;
    begin_event(e, q->type, q->start, q->end, q->index);
    e->text = q->made ? made + q->made : q->text;
    e->text_len = q->len;
    e->code = q->type == SLUICE_ERROR ? q->word : NULL;
    s->counts.leaked |= e->code && strcmp(e->code, "leaked_markup") == 0;
    if (q->type == SLUICE_CALL_BEGIN)
        e->syntax = q->word;
    if (q->type == SLUICE_CALL_END) {
        e->source = e->text;
        e->source_len = e->text_len;
        e->text = NULL;
        e->text_len = 0;
        e->status = (sluice_status)q->status;
        e->valid = q->valid;
        e->no_tools = !s->has_tools;
        e->block_start = q->block_start;
    }
    e->name = q->name ? made + q->name : NULL;
    e->id = q->id ? made + q->id : NULL;
    e->key = q->key ? made + q->key : NULL;
    e->extra = q->extra ? made + q->extra : NULL;
    s->head++;
    if (e->type == SLUICE_CALL_BEGIN) {
        s->call->handed.open.len = s->call->handed.quoted = 0;
        s->closing = CLOSES_ALL;
    } else if (e->type == SLUICE_ARGUMENTS) {
        sluice__walk(s, &s->call->handed, view_of(e->text, e->text_len));
        s->closing = CLOSES_OPEN;
    } else if (e->type == SLUICE_CALL_END) {
        s->closing = CLOSES_NOTHING;
    }
}

sluice_next sluice__hand_on(sluice_stream *s, sluice_event *e) {
    uint64_t end = s->passes_to;
    size_t n = (size_t)(end - s->pos);
    view v = view_of(byte_at(s, s->pos), n);
    s->todo = TODO_LOOK;
    if (s->passes == 1 + SLUICE_REASONING)
        sluice__tell_left(s);
    if (s->head < s->count)
        return sluice__hand_out(s, e);
    s->outside.some = true;
    begin_event(e, (sluice_event_type)(s->passes - 1), s->pos, end, s->calls);
    e->text = v.p;
    e->text_len = n;
    if (e->type == SLUICE_ARGUMENTS) {
        bool json = passes_json(s);
        int len;
        if (!json) /* what closes them stays the same */
            s->call->value.looked = s->call->value.from = end;
        if (!json && past_plain(v, &len) < v.end) {
            s->made.b.len = 0;
            sluice__put_escaped(&s->made, v);
            e->text = out_text(&s->made);
            e->text_len = s->made.b.len;
        }
        sluice__keep_arguments(s, e->text, e->text_len);
        if (json && s->kept && !s->heap.failed) {
            s->call->behind += n;
        } else if (json) { /* it was not kept */
            sluice__catch_up(s);
            sluice__walk(s, &s->call->handed, v);
        }
    } else if (e->type == SLUICE_TEXT) {
        sluice__outside_keep(s, true, s->pos, end);
    }
    if (s->set.source && s->in_block)
        put(&s->call->source, v.p, n);
    s->told = s->pos = s->at = s->needed = end;
    if (n == s->len) { /* all of it goes */
        sluice__window_pass(s, n);
        s->base += n;
        s->bytes = "";
        s->held.len = s->len = 0;
    } else if (is_lent(s) && !s->fresh) { /* else it is dropped before the next chunk comes */
        sluice__window_keep(s, end);
    }
    s->todo = s->fresh || s->heap.failed ? TODO_LOOK : TODO_NOTHING;
    return SLUICE_EVENT;
}

sluice_next sluice__hand_out(sluice_stream *s, sluice_event *event) {
    while (!s->heap.failed) { /* else texts of events may be missing */
        if (s->head < s->count && s->head < s->stage) {
            hand_queued(s, event);
            return SLUICE_EVENT;
        }
        if (s->head == s->count)
            s->head = s->count = s->made.b.len = 0;
        if (s->passes_to > s->pos)
            return sluice__hand_on(s, event);
        if (s->done)
            return SLUICE_DONE;
        if (s->fresh) {
            sluice__work(s);
        } else if (is_lent(s)) {
            sluice__window_keep(s, s->needed);
        } else {
            s->todo = TODO_NOTHING;
            return SLUICE_NEED_INPUT;
        }
    }
    if (!sluice__once(&s->done))
        return SLUICE_DONE;
    begin_event(event, SLUICE_ERROR, s->pos, s->pos, SIZE_MAX);
    event->text = "out of memory";
    event->text_len = strlen(event->text);
    event->code = sluice__code("no_memory");
    return SLUICE_EVENT;
}
