/* What was read, as events. Bytes that no event covers are markup. */
#include "stream.h"

/* The bytes up to there are covered. */
static void cover(sluice_stream *s, uint64_t upto) {
    enum { MOST = 16 << 20 }; /* the source of a longer call is not reported */
    if (upto <= s->told)
        return;
    uint64_t from = s->told > s->source_from ? s->told : s->source_from;
    if (s->set.source && s->in_block && from < upto && from >= s->base &&
        s->call->source.b.len <= MOST)
        put(&s->call->source, byte_at(s, from), (size_t)(upto - from));
    s->told = upto;
}

static queued *push(sluice_stream *s, sluice_event_type type, uint64_t start, uint64_t end) {
    static queued nowhere;
    if (type == SLUICE_TEXT)
        sluice__outside_run(s, true, start, end);
    else if (type != SLUICE_MARKUP)
        sluice__outside_tell(s);
    if (!sluice__array_grow(&s->alloc, (void **)&s->queue, &s->room, s->count + 1,
                            sizeof *s->queue)) {
        s->no_memory = true;
        return &nowhere;
    }
    queued *q = &s->queue[s->count++];
    *q = (queued){.type = (uint8_t)type, .start = start, .end = end, .index = s->calls};
    return q;
}

static void markup(sluice_stream *s, uint64_t from, uint64_t to) {
    if (from >= to)
        return;
    sluice__outside_run(s, false, from, to);
    if (!s->set.markup) /* nobody wants it */
        return;
    queued *q = push(s, SLUICE_MARKUP, from, to);
    q->len = (size_t)(to - from);
    if (s->stage != SIZE_MAX)
        q->made = sluice__keep_text(s, byte_at(s, from), q->len);
    else
        q->text = byte_at(s, from);
}

/* `whole`: but for a character that the end of the bytes cuts. */
static void tell_up_to(sluice_stream *s, uint64_t to, bool whole) {
    uint64_t from = s->told, end = s->base + s->len;
    if (to > end)
        to = end;
    if (whole && to > from && to == end && !s->ended) {
        uint64_t least = from > s->base ? from : s->base;
        to = least + utf8_whole(byte_at(s, least), (size_t)(to - least));
    }
    if (to <= from)
        return;
    if (s->late_end > from && s->late_start < to) { /* up to the name, and from behind it */
        markup(s, from, s->late_start);
        from = s->late_end < to ? s->late_end : to;
    }
    markup(s, from, to);
    cover(s, to);
}

void sluice__tell_markup(sluice_stream *s, uint64_t to) { tell_up_to(s, to, true); }

uint32_t sluice__keep_text(sluice_stream *s, const char *text, size_t len) {
    uint32_t place = (uint32_t)s->made.b.len + 1;
    put(&s->made, text, len);
    put(&s->made, "", 1);
    return place;
}

queued *sluice__tell(sluice_stream *s, sluice_event_type type, const char *text, size_t len,
                     uint64_t start, uint64_t end) {
    tell_up_to(s, start, false); /* the event follows */
    if (start < s->told)
        start = s->told;
    if (end < start)
        end = start;
    cover(s, end);
    queued *q = push(s, type, start, end);
    q->len = len;
    if (s->stage != SIZE_MAX && text)
        q->made = sluice__keep_text(s, text, len);
    else
        q->text = text;
    return q;
}

void sluice__tell_made(sluice_stream *s, size_t from, uint64_t end) {
    size_t len = s->made.b.len - from;
    uint64_t start = s->told > s->base ? s->told : s->base;
    queued *q = s->count > s->head ? &s->queue[s->count - 1] : NULL;
    if (q && q->type == SLUICE_ARGUMENTS && q->made && q->made + q->len == from + 1 &&
        q->end == start) { /* it goes on with the last one */
        cover(s, end);
        q->end = end > start ? end : start;
        q->len += len;
    } else {
        q = sluice__tell(s, SLUICE_ARGUMENTS, NULL, len, start, end);
        q->made = (uint32_t)from + 1;
    }
}

void sluice__speak(sluice_stream *s, sluice_event_type type, uint64_t upto) {
    if (upto <= s->told)
        return;
    uint64_t from = s->told;
    sluice__tell(s, type, byte_at(s, from), (size_t)(upto - from), from, upto);
}

/* ---- Errors ------------------------------------------------------------------------------- */

/* Has the end of the text cut the open call? Nothing that is left closes it. */
static bool is_cut(const sluice_stream *s) {
    const literals *set = s->program ? s->program->literals.set : NULL;
    view v = see(s);
    size_t item;
    if (!s->open || !s->finished || s->was_read)
        return false;
    for (const char *at; set && sluice__search(s, set, v, &at, &item) == YES;
         v.p = at + set->items[item].len)
        if ((set->items[item].role & (SLUICE__D_CLOSER | SLUICE__D_INNER)) == SLUICE__D_CLOSER)
            return false;
    return true;
}

void sluice__error(sluice_stream *s, uint64_t at, size_t index, const char *code,
                   const char *message, size_t len) {
    uint32_t text = sluice__keep_text(s, message, len);
    queued *q = push(s, SLUICE_ERROR, at, at);
    q->word = sluice__code(code);
    q->len = len;
    q->index = index;
    q->made = text;
}

void sluice__report_at(sluice_stream *s, uint64_t at, const char *code, const char *message,
                       size_t len) {
    enum { MOST_OF_A_CALL = 256 };
    static const char more[] = "further errors of this call are not reported";
    static const char cut[] = "the text ends inside the call";
    if (s->open && strcmp(code, "schema_mismatch") == 0)
        s->invalid = true;
    if ((strcmp(code, "bad_arguments") == 0 || strcmp(code, "stray_markup") == 0) && is_cut(s)) {
        if (s->cut_told)
            return;
        s->cut_told = true;
        code = "unfinished_call"; /* says nothing about the calls before */
        message = cut;
        len = sizeof cut - 1;
    }
    s->explained |= s->open && strcmp(code, "repaired") != 0;
    if (s->open && !s->announcing) { /* else one for every few bytes would be kept */
        if (s->errors >= MOST_OF_A_CALL)
            return;
        if (++s->errors == MOST_OF_A_CALL) {
            code = "limit_exceeded";
            message = more;
            len = sizeof more - 1;
        }
    }
    size_t index = s->open || s->announcing ? s->calls : SIZE_MAX;
    /* an opener that led to no call is told now */
    s->outside.leaked_told |= index == SIZE_MAX && strcmp(code, "repaired") != 0;
    sluice__error(s, at, index, code, message, len);
    s->outside.empty &= index != SIZE_MAX;
}

void sluice__report(sluice_stream *s, const char *code, const char *message) {
    if (s->in_block && s->committed) /* bytes read before the error are reported before it */
        sluice__tell_markup(s, sluice__window_needed(s));
    s->unfinished = false; /* this error explains it */
    sluice__report_at(s, s->pos, code, message, strlen(message));
}

void sluice__report_key(sluice_stream *s, const char *code, const char *before, view key,
                        const char *behind) {
    bool failed = false;
    out text = {.a = &s->alloc, .failed = &failed};
    size_t n = view_len(key) < 80 ? view_len(key) : 80;
    put_text(&text, before);
    put(&text, key.p, utf8_whole(key.p, n));
    put(&text, behind, strlen(behind) + 1);
    s->no_memory |= failed;
    if (!failed)
        sluice__report(s, code, text.b.data);
    sluice__buffer_release(&s->alloc, &text.b);
}

/* ---- Staging ------------------------------------------------------------------------------ */

void sluice__unstage(sluice_stream *s) {
    s->count = s->stage;
    s->told = s->stage_told;
    s->stage = SIZE_MAX;
    s->open = s->began = false;
    s->outside = s->call->staged;
    s->outside.kept = 0; /* it was looked through */
    s->committed = s->stage_committed;
    s->late_start = s->late_end = 0;
    s->chosen = s->chosen && s->calls > 0;
}

/* ---- JSON that the response does not write so -------------------------------------------- */

void sluice__fail(sluice_stream *s, const char *message) {
    s->broken = true;
    sluice__report(s, "script_error", message);
}

/* ---- What goes out ------------------------------------------------------------------------ */

static void begin_event(sluice_event *e, sluice_event_type type, uint64_t start, uint64_t end,
                        size_t index) {
    *e = (sluice_event){.type = type, .start = start, .end = end, .index = index};
}

/* Hands out the next event of the queue. */
static void hand_out(sluice_stream *s, sluice_event *e) {
    const queued *q = &s->queue[s->head];
    const char *made = s->made.b.data ? s->made.b.data - 1 : NULL;
    begin_event(e, q->type, q->start, q->end, q->index);
    e->text = q->made ? made + q->made : q->text;
    e->text_len = q->len;
    switch (q->type) {
    case SLUICE_ERROR:
        e->code = q->word;
        break;
    case SLUICE_CALL_BEGIN:
        e->syntax = q->word;
        break;
    case SLUICE_CALL_END:
        e->source = e->text;
        e->source_len = e->text_len;
        e->text = NULL;
        e->text_len = 0;
        e->status = (sluice_status)q->status;
        e->valid = q->valid;
        e->no_tools = !s->has_tools;
        e->block_start = q->block_start;
        break;
    default:
        break;
    }
    if (q->type == SLUICE_CALL_BEGIN || q->type == SLUICE_CALL_END || q->type == SLUICE_PARAMETER) {
        e->name = q->name ? made + q->name : NULL;
        e->id = q->id ? made + q->id : NULL;
        e->key = q->key ? made + q->key : NULL;
        e->extra = q->extra ? made + q->extra : NULL;
    }
    s->head++;
    if (e->type == SLUICE_CALL_BEGIN)
        sluice__walk_begin(&s->call->handed);
    if (e->type == SLUICE_ARGUMENTS)
        sluice__walk(s, &s->call->handed, view_of(e->text, e->text_len));
    s->closes = e->type == SLUICE_CALL_BEGIN || (s->closes && e->type != SLUICE_CALL_END);
}

/* Hands out the chunk that passes, but for half a character at its end. False: there is nothing. */
bool sluice__hand_on(sluice_stream *s, sluice_event *e) {
    view v = text_at(s, s->pos, s->passes_to);
    size_t n = passes_json(s) ? view_len(v) : utf8_whole(v.p, view_len(v));
    uint64_t end = s->pos + n;
    s->todo = TODO_LOOK;
    if (n && s->passes == 1 + SLUICE_REASONING)
        sluice__outside_tell(s);
    if (!n || s->head < s->count)
        return false;
    s->outside.some = true;
    begin_event(e, (sluice_event_type)(s->passes - 1), s->pos, end, s->calls);
    e->text = v.p;
    e->text_len = n;
    if (e->type == SLUICE_ARGUMENTS) {
        if (passes_json(s)) {
            sluice__walk(s, &s->call->handed, v);
        } else { /* what closes them stays the same */
            s->made.b.len = 0;
            sluice__put_escaped(&s->made, v.p, n);
            e->text = out_text(&s->made);
            e->text_len = s->made.b.len;
        }
        sluice__keep_arguments(s, e->text, e->text_len);
        s->call->value.looked = s->call->value.from = end;
    } else if (e->type == SLUICE_TEXT) {
        sluice__outside_keep(s, true, s->pos, end);
    }
    if (s->set.source && s->in_block)
        put(&s->call->source, v.p, n);
    s->told = s->pos = s->at = s->needed = end;
    if (n == s->len)
        sluice__window_empty(s);
    else if (s->lent && !s->fresh) /* else it is dropped before the next chunk comes */
        sluice__window_keep(s, end);
    s->todo = s->fresh || s->no_memory ? TODO_LOOK : TODO_NOTHING;
    return true;
}

static sluice_next without_memory(sluice_stream *s, sluice_event *event) {
    static const char message[] = "out of memory";
    if (s->done)
        return SLUICE_DONE;
    s->done = true;
    begin_event(event, SLUICE_ERROR, s->pos, s->pos, SIZE_MAX);
    event->text = message;
    event->text_len = sizeof message - 1;
    event->code = sluice__code("no_memory");
    return SLUICE_EVENT;
}

/* What neither rests nor only passes. */
sluice_next sluice__next_event(sluice_stream *s, sluice_event *event) {
    while (!s->no_memory) { /* else texts of events may be missing */
        if (s->head < s->count && s->head < s->stage) {
            hand_out(s, event);
            return SLUICE_EVENT;
        }
        if (s->head == s->count)
            s->head = s->count = s->made.b.len = 0;
        if (s->passes_to > s->pos && sluice__hand_on(s, event))
            return SLUICE_EVENT;
        if (s->head < s->count && s->head < s->stage) /* an error goes first */
            continue;
        if (s->fresh && !s->done) {
            sluice__work(s);
            continue;
        }
        if (s->done)
            return SLUICE_DONE;
        if (s->lent)
            sluice__window_keep(s, s->needed);
        s->todo = s->no_memory ? TODO_LOOK : TODO_NOTHING;
        if (!s->no_memory)
            return SLUICE_NEED_INPUT;
    }
    return without_memory(s, event);
}
