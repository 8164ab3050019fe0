/* What the host takes: events of the queue, and what passes. */
#include "stream.h"

static void begin_event(sluice_event *e, unsigned type, const char *text, size_t len,
                        uint64_t start, uint64_t end, size_t index) {
    static const sluice_event empty;
    *e = empty; /* faster than a literal, which is zeroed by `rep stos` */
    e->type = (sluice_event_type)type;
    e->text = text;
    e->text_len = len;
    e->start = start;
    e->end = end;
    e->index = index;
}

static const char *made_at(const sluice_stream *s, uint32_t place) {
    return place ? s->made.b.data + place - 1 : NULL;
}

static sluice_next hand_queued(sluice_stream *s, sluice_event *e) {
    const queued *q = queued_at(s, s->head);
    s->head += sizeof *q;
    const char *text = q->made ? made_at(s, q->made) : q->text;
    bool ends = q->type == SLUICE_CALL_END;
    begin_event(e, q->type, ends ? NULL : text, ends ? 0 : q->text_len, q->start, q->end, q->index);
    if (q->type == SLUICE_ARGUMENTS)
        sluice__walk(s, view_of(text, q->text_len));
    if (q->type == SLUICE_ARGUMENTS || q->type <= SLUICE_REASONING) /* or text */
        return SLUICE_EVENT;
    e->name = made_at(s, q->name);
    e->id = made_at(s, q->id);
    e->key = made_at(s, q->key);
    e->extra = made_at(s, q->extra);
    e->code = q->code;
    s->counts.leaked |= q->code && strcmp(q->code, "leaked_markup") == 0;
    if (q->type == SLUICE_CALL_BEGIN) {
        e->syntax = s->many ? format_of(s)->name : NULL;
        sluice__set(s, &s->call->handed, view_text("}{"));
    }
    if (!ends)
        return SLUICE_EVENT;
    e->status = (sluice_status)q->status;
    e->valid = q->valid;
    e->no_tools = !s->has_tools;
    e->block_start = q->block_start;
    e->source = text;
    e->source_len = q->text_len;
    s->call->handed.len = s->call->behind = 0;
    return SLUICE_EVENT;
}

/* Notes arguments that pass, and escapes those that are text. */
static void note_arguments(sluice_stream *s, sluice_event *e) {
    view v = view_of(e->text, e->text_len);
    bool text = s->call->value.string;
    int len;
    if (s->set.source)
        put_view(&s->call->source, v);
    if (text && past_plain(v, &len) < v.end) {
        s->made.b.len = 0;
        sluice__put_escaped(&s->made, v);
        e->text = out_text(&s->made);
        e->text_len = s->made.b.len;
    }
    sluice__keep_arguments(s, e->text, e->text_len);
    if (!text && s->call->kept && !s->heap.failed) { /* else what closes them stays the same */
        s->call->behind += e->text_len;
    } else if (!text) { /* it was not kept */
        sluice__catch_up(s);
        sluice__walk(s, v);
    }
}

sluice_next sluice__hand_on(sluice_stream *s, sluice_event *e) {
    size_t n = (size_t)(s->passes_to - s->pos);
    begin_event(e, s->passes - 1u, byte_at(s, s->pos), n, s->pos, s->passes_to, s->calls);
    s->outside.some = true;
    s->told = s->pos = s->at = s->passes_to;
    sluice__window_pass(s, n);
    if (s->todo < TODO_WORK)
        s->todo = s->lent && s->len ? TODO_LOOK : TODO_NOTHING;
    if (e->type == SLUICE_ARGUMENTS)
        note_arguments(s, e);
    else if (s->keeps)
        sluice__outside_keep(s, true, view_of(e->text, n), e->start);
    return SLUICE_EVENT;
}

sluice_next sluice__hand_out(sluice_stream *s, sluice_event *event) {
    while (!s->heap.failed) { /* else texts of events may be missing */
        bool passes = s->passes_to > s->pos;
        if (passes && s->passes == 1 + SLUICE_REASONING)
            sluice__tell_left(s);
        if (s->head < s->queue.len && s->head < s->stage)
            return hand_queued(s, event);
        if (s->head && s->head == s->queue.len)
            s->head = s->queue.len = s->made.b.len = 0;
        if (passes)
            return sluice__hand_on(s, event);
        if (s->todo == TODO_OVER)
            return SLUICE_DONE;
        if (s->todo >= TODO_WORK) {
            sluice__work(s);
        } else if (s->lent) {
            sluice__window_move(s, 1);
        } else {
            s->todo = TODO_NOTHING;
            return SLUICE_NEED_INPUT;
        }
    }
    if (s->todo == TODO_OVER)
        return SLUICE_DONE;
    s->todo = TODO_OVER;
    static const char why[] = "out of memory";
    begin_event(event, SLUICE_ERROR, why, sizeof why - 1, s->pos, s->pos, SIZE_MAX);
    event->code = sluice__code("no_memory");
    return SLUICE_EVENT;
}
