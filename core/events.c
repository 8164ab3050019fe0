/* What was read, as events. Bytes that no event covers are markup. */
#include "stream.h"

/* The bytes up to there are covered. */
static void cover(sluice_stream *s, uint64_t upto) {
    enum { MOST = 16 << 20 }; /* the source of a longer call is not reported */
    if (upto <= s->told)
        return;
    if (s->set.source && s->in_block && s->call->source.b.len <= MOST) {
        uint64_t from = s->told > s->call->call_start ? s->told : s->call->call_start;
        if (from < upto && from >= s->base)
            put(&s->call->source, byte_at(s, from), (size_t)(upto - from));
    }
    s->told = upto;
}

/* The text is copied if the event waits: the bytes may be gone by then. */
static queued *push(sluice_stream *s, sluice_event_type type, const char *text, size_t len,
                    uint64_t start, uint64_t end) {
    static _Thread_local queued nowhere;
    if (type == SLUICE_TEXT)
        sluice__outside_run(s, true, start, end);
    else if (type != SLUICE_MARKUP)
        sluice__tell_left(s);
    queued q = {text, len, start, end, s->calls, .type = (uint8_t)type};
    if (s->stage != SIZE_MAX && text)
        q.made = sluice__keep_text(s, text, len);
    s->heap.failed |= !sluice__buffer_add(&s->heap.alloc, &s->queue, &q, sizeof q);
    return s->heap.failed ? &nowhere : queued_at(s, s->queue.len) - 1;
}

static void markup(sluice_stream *s, uint64_t to) {
    uint64_t from = s->told, end = s->base + s->len;
    to = to < end ? to : end;
    if (to <= from)
        return;
    sluice__outside_run(s, false, from, to);
    if (s->set.markup) /* somebody wants it */
        push(s, SLUICE_MARKUP, byte_at(s, from), (size_t)(to - from), from, to);
    cover(s, to);
}

void sluice__tell_markup(sluice_stream *s, uint64_t to) {
    uint64_t from = s->told, end = s->base + s->len;
    if (to >= end && from < end && s->todo < TODO_END) /* a character that is cut there waits */
        to = from + utf8_whole(byte_at(s, from), (size_t)(end - from));
    markup(s, to);
}

uint32_t sluice__keep_text(sluice_stream *s, const char *text, size_t len) {
    uint32_t place = (uint32_t)s->made.b.len + 1;
    put(&s->made, text, len);
    put(&s->made, "", 1);
    return place;
}

queued *sluice__tell(sluice_stream *s, sluice_event_type type, const char *text, size_t len,
                     uint64_t start, uint64_t end) {
    markup(s, start);
    start = start < s->told ? s->told : start;
    end = end < start ? start : end;
    cover(s, end);
    return push(s, type, text, len, start, end);
}

/* A fragment of the arguments: `made`, from there on. */
void sluice__arguments_made(sluice_stream *s, size_t from, uint64_t upto) {
    size_t len = s->made.b.len - from;
    uint64_t start = s->told;
    queued *q = s->queue.len > s->head ? queued_at(s, s->queue.len) - 1 : NULL;
    if (!len)
        return;
    if (s->call->behind)
        sluice__catch_up(s);
    sluice__keep_arguments(s, s->made.b.data + from, len);
    if (q && q->type == SLUICE_ARGUMENTS && q->end == start) { /* it goes on with the last one */
        cover(s, upto);
        q->end = upto > start ? upto : start;
        q->text_len += len;
    } else {
        q = sluice__tell(s, SLUICE_ARGUMENTS, NULL, len, start, upto);
        q->made = (uint32_t)from + 1;
    }
    if (s->set.parameters)
        sluice__watch(s, s->made.b.data + from, len, upto);
}

void sluice__speak(sluice_stream *s, uint64_t upto) {
    sluice_event_type type = s->reasoning ? SLUICE_REASONING : SLUICE_TEXT;
    uint64_t from = s->told;
    if (from < upto)
        sluice__tell(s, type, byte_at(s, from), (size_t)(upto - from), from, upto);
}

enum { MOST_OF_A_CALL = 256 }; /* errors */

/* Has the end of the text cut the open call? Nothing that is left closes it. */
static bool is_cut(const sluice_stream *s) {
    if (!is_open(s) || !s->finished || s->call->was_read || s->call->errors >= MOST_OF_A_CALL)
        return false;
    const literals *set = s->program->literals.set;
    view v = see(s);
    size_t item;
    for (const char *at; !s->call->cut_told && set && sluice__search(s, set, v, &at, &item) == YES;
         v.p = at + set->items[item].len)
        if ((set->items[item].role & (SLUICE__D_CLOSER | SLUICE__D_INNER)) == SLUICE__D_CLOSER)
            return false;
    return true;
}

void sluice__error(sluice_stream *s, uint64_t at, size_t index, const char *code, view message) {
    uint32_t text = sluice__keep_text(s, message.p, view_len(message));
    queued *q = push(s, SLUICE_ERROR, NULL, view_len(message), at, at);
    q->code = sluice__code(code);
    q->index = index;
    q->made = text;
}

/* What was found outside of calls, before another event. */
void sluice__tell_left(sluice_stream *s) {
    outside *o = &s->outside;
    if (s->stage != SIZE_MAX)
        return;
    sluice__outside_look(s);
    o->some = true;
    uint64_t code = o->code_at ? o->code_at : UINT64_MAX; /* it is open: what is in it waits */
    uint64_t orphan = o->orphan <= code ? o->orphan : 0;
    uint64_t leaked = !o->told && o->leaked < code ? o->leaked : 0;
    o->orphan -= orphan;
    o->told = leaked ? LEAK_TOLD : o->told;
    if (orphan)
        sluice__error(s, orphan - 1, s->calls - 1, "stray_markup",
                      view_text("a closing tag or a member follows the call; it may have been cut "
                                "inside a value"));
    if (leaked)
        sluice__error(s, leaked - 1, SIZE_MAX, "leaked_markup",
                      view_text("markup of the format, or part of a call, is left in the text"));
}

void sluice__tell_end(sluice_stream *s) {
    s->ticks = s->fence = 0;
    sluice__outside_code(s, false, false); /* what is open is text */
    if (!s->outside.some && s->outside.hollow)
        sluice__error(s, s->outside.hollow - 1, SIZE_MAX, "invalid_call",
                      view_text("nothing between two tags of the format"));
    sluice__tell_left(s);
}

void sluice__report_view(sluice_stream *s, uint64_t at, const char *code, view message) {
    static const char *const asides[] = {"repaired", "invalid_utf8", "type_mismatch",
                                         "unopened_reasoning", NULL};
    bool open = is_open(s), aside = is_one_of(asides, view_text(code)); /* no reason for doubt */
    if (open) {
        s->call->invalid |= strcmp(code, "schema_mismatch") == 0 ||
                            (strcmp(code, "limit_exceeded") == 0 && s->set.validation);
        s->call->explained |= !aside;
    }
    if ((strcmp(code, "bad_arguments") == 0 || strcmp(code, "stray_markup") == 0) && is_cut(s)) {
        if (!sluice__once(&s->call->cut_told))
            return;
        code = "unfinished_call"; /* says nothing about the calls before */
        message = view_text("the text ends inside the call");
    }
    if (open && !s->broken) { /* else one for every few bytes is kept */
        if (s->call->errors >= MOST_OF_A_CALL)
            return;
        if (++s->call->errors == MOST_OF_A_CALL) {
            code = "limit_exceeded";
            message = view_text("further errors of this call are not reported");
        }
    }
    if (!open && !aside && !s->outside.told) /* an opener that led to no call */
        s->outside.told = LEAK_TOLD;
    sluice__error(s, at, open ? s->calls : SIZE_MAX, code, message);
    s->outside.told = strcmp(code, "call_limit") == 0 ? LIMIT_TOLD : s->outside.told;
    bool cut = strcmp(code, "unfinished_call") == 0; /* or the rest of a torn call follows */
    bool goes_on = open || (cut ? s->outside.torn : s->call && s->call->good);
    if (s->outside.told == LIMIT_TOLD || !goes_on) /* a call follows as text */
        s->outside.near = 0;
}

void sluice__report_at(sluice_stream *s, uint64_t at, const char *code, const char *message) {
    if (!s->heap.failed) /* else the message may have no end */
        sluice__report_view(s, at, code, view_text(message));
}

void sluice__report(sluice_stream *s, const char *code, const char *message) {
    if (s->in_block && (is_open(s) || s->call->committed)) /* bytes read before it come first */
        sluice__tell_markup(s, sluice__window_needed(s));
    if (s->in_block)
        s->call->unfinished = false; /* this error explains it */
    if (s->stage != SIZE_MAX && !s->heap.failed && strcmp(code, "limit_exceeded") == 0)
        sluice__wrong(s, code, message); /* the call may become text, and this error with it */
    sluice__report_at(s, s->pos, code, message);
}

void sluice__report_key(sluice_stream *s, const char *code, const char *before, view key,
                        const char *behind) {
    out text = new_out(s);
    size_t n = view_len(key) < 80 ? view_len(key) : 80;
    put_text(&text, before);
    put(&text, key.p, utf8_whole(key.p, n));
    put(&text, behind, strlen(behind) + 1);
    sluice__report(s, code, text.b.data);
    sluice__buffer_release(&s->heap.alloc, &text.b);
}

void sluice__unstage(sluice_stream *s) {
    s->queue.len = s->stage;
    s->made.b.len = s->queue.len ? s->made.b.len : 0; /* else texts of refused calls add up */
    s->told = s->call->stage_told;
    s->stage = SIZE_MAX;
    s->call->began = NOT_BEGUN;
}

void sluice__fail(sluice_stream *s, const char *message) {
    s->broken = true;
    sluice__report(s, "script_error", message);
}
