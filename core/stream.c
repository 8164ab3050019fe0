/* The life of a stream: chunks in, events out. */
#include "stream.h"

const char *sluice_version(void) {
#define TEXT(a, b, c) #a "." #b "." #c
#define VERSION(...) TEXT(__VA_ARGS__)
    return VERSION(SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH);
}

/* Everything that belongs to one response. */
static void begin(sluice_stream *s) {
    ZERO_FROM(s, bytes);
    s->heap.failed = false;
    s->bytes = "";
    s->held.len = s->tokens.len = s->made.b.len = s->kept_text.b.len = 0;
    s->horizon = UINT64_MAX;
    s->stage = SIZE_MAX;
    s->format = s->root;
    s->set = s->root_set;
    if (s->many)
        s->program = NULL;
    else
        s->outside.literals = &s->program->literals;
    s->reasoning = s->begun = s->set.start_reasoning;
    s->at_start = true;
    if (s->call)
        sluice__call_restart(s);
}

void sluice__stream_init(sluice_stream *s, const sluice_allocator *a,
                         const sluice__program *program, const sluice__many *many,
                         const sluice__scripts *scripts, void *user, const sluice__settings *set,
                         bool has_tools) {
    s->heap.alloc = *a;
    s->scripts = scripts;
    s->members = sluice__members;
    s->user = user;
    s->many = many;
    s->program = program;
    s->root = many ? many->format : program->format;
    s->root_set = *set;
    s->has_tools = has_tools;
    s->made = s->taken = s->kept_text = new_out(s);
    begin(s);
}

int sluice_stream_reset(sluice_stream *s) {
    if (!s)
        return SLUICE_E_ARGUMENT;
    begin(s);
    return SLUICE_OK;
}

void sluice_stream_free(sluice_stream *s) {
    if (!s)
        return;
    sluice_allocator a = s->heap.alloc;
    if (s->call)
        sluice__call_release(s);
    sluice__buffer *const all[] = {&s->made.b, &s->taken.b, &s->kept_text.b, &s->held, &s->tokens};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sluice__buffer_release(&a, all[i]);
    if (s->queue)
        sluice__realloc(&a, s->queue, s->room * sizeof *s->queue, 0);
    s->scripts->release(s->user);
}

/* ---- Chunks ------------------------------------------------------------------------------- */

/* The end of v, or (`passes`) the beginning of a literal or a character there that is cut, if no
 * byte before it wakes what waits; else NULL. */
static const char *sleeps(const sluice_stream *s, view v, bool passes) {
    const uint8_t *wakes = s->wakes;
    size_t item;
    match m;
    for (int n;; v.p += n) {
        while (v.p < v.end && !wakes[(unsigned char)*v.p])
            v.p++;
        if (v.p == v.end)
            return v.end;
        n = 1;
        switch (wakes[(unsigned char)*v.p]) {
        case TO_ESCAPE:
            break;
        case A_LITERAL:
            m = literals_at(s->among, v, false, &item);
            if (m != NO)
                return m == CUT && passes ? v.p : NULL;
            break;
        case WHOLE_CHARACTERS:
            if ((n = utf8_len(v)) <= 0)
                return n ? NULL : passes ? v.p : v.end;
            break;
        default:
            return NULL;
        }
    }
}

int sluice_stream_feed(sluice_stream *s, const char *bytes, size_t n) {
    if (!s || (!bytes && n))
        return SLUICE_E_ARGUMENT;
    if (s->ended)
        return SLUICE_E_MISUSE;
    if (!n || s->heap.failed)
        return SLUICE_OK;
    for (size_t i = s->head; i < s->count; i++) /* the bytes of their texts will move */
        if (!s->queue[i].made && s->queue[i].text)
            s->queue[i].made = sluice__keep_text(s, s->queue[i].text, s->queue[i].len);
    bool first = s->todo == TODO_NOTHING;
    if (s->len && s->needed > s->base && first)
        sluice__window_keep(s, s->needed);
    if (s->len) {
        sluice__window_add(s, bytes, n);
    } else {
        s->bytes = bytes;
        s->len = n;
        s->lent = true;
    }
    if (s->fresh) {
    } else if (passes_json(s)) { /* as far as it is strict */
        json *j = &s->call->reader;
        size_t sure;
        s->passes_to = s->passes_to > s->pos ? s->passes_to : s->pos;
        s->fresh = sluice__json_read(j, see_from(s, s->passes_to), &sure) != JSON_MORE ||
                   j->ahead > s->set.limit_held;
        s->passes_to += sure;
    } else if (s->passes) { /* at most the beginning of a literal or a character is held */
        view v = see(s);
        const char *end = sleeps(s, v, true);
        s->fresh = !end;
        v.end = end ? end : v.p;
        v.end = v.p + utf8_whole(v.p, view_len(v));
        if (s->trail && v.p < v.end && is_space(v.end[-1]))
            v = sluice__without_tail(v, s->trail, true);
        s->passes_to = s->pos + view_len(v);
    } else if (s->cut_at) {
        size_t item;
        view v = {byte_at(s, s->cut_at - 1), s->bytes + s->len}; /* not only up to the horizon */
        s->fresh = literals_at(s->among, v, false, &item) != CUT;
    } else {
        view v = view_of(bytes, n);
        s->fresh = s->len >= s->enough || !(s->wakes ? sleeps(s, v, false) != NULL
                                                     : s->behind_space && past_space(v) == v.end);
    }
    s->todo = s->fresh || s->lent || !first ? TODO_LOOK : TODO_NOTHING;
    if (s->passes_to > s->pos && !s->fresh && first)
        s->todo = TODO_PASS;
    if (!s->heap.failed)
        return SLUICE_OK;
    s->todo = TODO_LOOK;
    return SLUICE_E_NOMEM;
}

int sluice_stream_feed_special(sluice_stream *s, const char *bytes, size_t n) {
    if (s && bytes && n && !s->ended && s->set.tokens) {
        const uint64_t token[] = {s->base + s->len, s->base + s->len + n};
        if (!sluice__buffer_add(&s->heap.alloc, &s->tokens, token, sizeof token)) {
            s->heap.failed = true;
            s->todo = TODO_LOOK;
            return SLUICE_E_NOMEM;
        }
        s->fresh = true; /* it is looked at */
    }
    return sluice_stream_feed(s, bytes, n);
}

int sluice_stream_finish(sluice_stream *s) {
    if (!s)
        return SLUICE_E_ARGUMENT;
    s->ended = s->fresh = true;
    s->todo = TODO_LOOK;
    return SLUICE_OK;
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
    if (q->type == SLUICE_ERROR)
        e->code = q->word;
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
}

/* Hands out what passes. False: there is nothing. */
static bool hand_on(sluice_stream *s, sluice_event *e) {
    view v = text_at(s, s->pos, s->passes_to);
    size_t n = view_len(v);
    uint64_t end = s->passes_to;
    s->todo = TODO_LOOK;
    if (n && s->passes == 1 + SLUICE_REASONING)
        sluice__tell_left(s);
    if (!n || s->head < s->count)
        return false;
    s->outside.some = true;
    begin_event(e, (sluice_event_type)(s->passes - 1), s->pos, end, s->calls);
    e->text = v.p;
    e->text_len = n;
    if (e->type == SLUICE_ARGUMENTS) {
        bool json = passes_json(s);
        if (!json) { /* what closes them stays the same */
            s->made.b.len = 0;
            sluice__put_escaped(&s->made, v.p, n);
            e->text = out_text(&s->made);
            e->text_len = s->made.b.len;
            s->call->value.looked = s->call->value.from = end;
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
        s->lent = false;
    } else if (s->lent && !s->fresh) /* else it is dropped before the next chunk comes */
        sluice__window_keep(s, end);
    s->todo = s->fresh || s->heap.failed ? TODO_LOOK : TODO_NOTHING;
    return true;
}

sluice_next sluice_stream_next(sluice_stream *s, sluice_event *event) {
    if (!s || !event)
        return SLUICE_DONE;
    if (s->todo == TODO_NOTHING)
        return SLUICE_NEED_INPUT;
    if (s->todo == TODO_PASS && hand_on(s, event))
        return SLUICE_EVENT;
    while (!s->heap.failed) { /* else texts of events may be missing */
        if (s->head < s->count && s->head < s->stage) {
            hand_out(s, event);
            return SLUICE_EVENT;
        }
        if (s->head == s->count)
            s->head = s->count = s->made.b.len = 0;
        if (s->passes_to > s->pos && hand_on(s, event))
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
        s->todo = s->heap.failed ? TODO_LOOK : TODO_NOTHING;
        if (!s->heap.failed)
            return SLUICE_NEED_INPUT;
    }
    if (s->done)
        return SLUICE_DONE;
    s->done = true;
    begin_event(event, SLUICE_ERROR, s->pos, s->pos, SIZE_MAX);
    event->text = "out of memory";
    event->text_len = strlen(event->text);
    event->code = sluice__code("no_memory");
    return SLUICE_EVENT;
}

sluice_counts sluice_stream_counts(const sluice_stream *s) {
    return s ? s->counts : (sluice_counts){0};
}

sluice_state sluice_stream_state(const sluice_stream *s, const char **name, size_t *held) {
    bool call = s && s->open && s->stage == SIZE_MAX;
    if (name)
        *name = call ? s->call->called.b.data : NULL;
    size_t n = s ? (size_t)(s->base + s->len - (s->told > s->base ? s->told : s->base)) : 0;
    if (held)
        *held = n;
    if (s && s->in_block)
        return call ? SLUICE_IN_CALL : SLUICE_IN_POSSIBLE_BLOCK;
    return s && s->reasoning ? SLUICE_IN_REASONING : n ? SLUICE_IN_POSSIBLE_BLOCK : SLUICE_IN_TEXT;
}

size_t sluice_stream_closing(const sluice_stream *s, char *buffer, size_t size) {
    if (s && s->closes) {
        sluice__catch_up((sluice_stream *)s);
        return sluice__walk_closing(&s->call->handed, buffer, size);
    }
    if (buffer && size)
        buffer[0] = 0;
    return 0;
}
