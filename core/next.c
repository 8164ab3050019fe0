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

static SLUICE__APART sluice_next hand_queued(sluice_stream *s, sluice_event *e) {
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
    if (e->type == SLUICE_CALL_BEGIN)
        sluice__walk_begin(&s->call->handed);
    if (e->type == SLUICE_ARGUMENTS)
        sluice__walk(s, &s->call->handed, view_of(e->text, e->text_len));
    s->closes = e->type == SLUICE_CALL_BEGIN || (s->closes && e->type != SLUICE_CALL_END);
    return SLUICE_EVENT;
}

/* Notes arguments that passed. */
static SLUICE__APART sluice_next pass_arguments(sluice_stream *s, sluice_event *e) {
    view v = view_of(e->text, e->text_len);
    bool json = passes_json(s);
    int len;
    if (s->set.source)
        put_view(&s->call->source, v);
    if (!json) { /* what closes them stays the same */
        s->call->value.looked = s->call->value.from = e->end;
        if (past_plain(v, &len) < v.end) {
            s->made.b.len = 0;
            sluice__put_escaped(&s->made, v);
            e->text = out_text(&s->made);
            e->text_len = s->made.b.len;
        }
    }
    sluice__keep_arguments(s, e->text, e->text_len);
    if (!json)
        return SLUICE_EVENT;
    if (s->kept && !s->heap.failed) {
        s->call->behind += e->text_len;
    } else { /* it was not kept */
        sluice__catch_up(s);
        sluice__walk(s, &s->call->handed, v);
    }
    return SLUICE_EVENT;
}

sluice_next sluice__hand_on(sluice_stream *s, sluice_event *e) {
    size_t n = (size_t)(s->passes_to - s->pos);
    begin_event(e, (sluice_event_type)(s->passes - 1), s->pos, s->passes_to, s->calls);
    e->text = byte_at(s, s->pos);
    e->text_len = n;
    s->outside.some = true;
    s->told = s->pos = s->at = s->needed = s->passes_to;
    s->todo = s->fresh || (s->lent && n < s->len) ? TODO_LOOK : TODO_NOTHING;
    if (n == s->len) { /* all of it goes; else it is dropped before the next chunk comes */
        sluice__window_pass(s, n);
        s->base += n;
        s->held.len = s->len = 0;
        s->lent = false;
    }
    if (e->type == SLUICE_ARGUMENTS)
        return pass_arguments(s, e);
    if (s->keeps)
        sluice__outside_keep(s, true, view_of(e->text, n), e->start);
    return SLUICE_EVENT;
}

sluice_next sluice__hand_out(sluice_stream *s, sluice_event *event) {
    while (!s->heap.failed) { /* else texts of events may be missing */
        if (s->head < s->count && s->head < s->stage)
            return hand_queued(s, event);
        if (s->head == s->count)
            s->head = s->count = s->made.b.len = 0;
        if (s->passes_to > s->pos) {
            if (s->passes == 1 + SLUICE_REASONING)
                sluice__tell_left(s);
            if (s->head == s->count)
                return sluice__hand_on(s, event);
            continue;
        }
        if (s->done)
            return SLUICE_DONE;
        if (s->fresh) {
            sluice__work(s);
        } else if (s->lent) {
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
