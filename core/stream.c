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
    s->queue.len = s->tokens.len = s->made.b.len = s->kept_text.b.len = 0;
    s->stage = SIZE_MAX;
    s->block = UINT64_MAX; /* none yet */
    sluice__go_home(s);
    if (s->program)
        s->outside.literals = &s->program->literals;
    s->reasoning = s->after_markup = s->set.start_reasoning;
    s->at_start = true;
    if (s->call) {
        s->call->ids.b.len = s->call->handed.len = s->call->behind = 0;
        ZERO_FROM(s->call, lost_to);
    }
}

void sluice__stream_init(sluice_stream *s, const sluice_allocator *a,
                         const sluice__program *program, const sluice__many *many,
                         const sluice__scripts *scripts, const sluice__settings *set,
                         bool has_tools) {
    s->heap.alloc = *a;
    s->scripts = scripts;
    s->members = sluice__members;
    s->many = many;
    s->program = program;
    s->set = *set;
    s->has_tools = has_tools;
    s->made = s->kept_text = new_out(s);
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
    sluice__buffer *const all[] = {&s->queue, &s->made.b, &s->kept_text.b, &s->held, &s->tokens};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sluice__buffer_release(&a, all[i]);
    s->scripts->release(s);
}

/* The end of v, or the beginning of a literal there that is cut (or, if it `passes`, of a
 * character), if no byte before it wakes what waits; else NULL. */
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
        case A_LITERAL:
            m = literals_differ(s->among, v) ? NO : literals_at(s->among, v, false, &item);
            if (m != NO)
                return m == CUT ? v.p : NULL;
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

/* Arguments pass as far as they are strict JSON. True: what has come is to be looked at. */
static bool pass_json(sluice_stream *s) {
    json *j = &s->call->reader;
    view v = {byte_at(s, s->passes_to), s->bytes + s->len};
    const char *p = v.p;
    int len = 1; /* 0: it ends in a character */
    bool text = j->place == IN_STRING && !j->ahead && ((p = past_plain(v, &len)) == v.end || !len);
    size_t sure = (size_t)(p - v.p);
    json_end end = text ? JSON_MORE : sluice__json_read(j, v, false, &sure);
    s->passes_to += sure;
    return end != JSON_MORE || j->ahead > s->set.limit_held;
}

/* Of what else passes at most the beginning of a literal or a character is held, or white space
 * before a closer. */
static bool pass(sluice_stream *s) {
    view v = {byte_at(s, s->pos), s->bytes + s->len}; /* behind the horizon */
    const char *end = v.p;
    while (end < v.end && !s->wakes[(unsigned char)*end])
        end++;
    end = end < v.end ? sleeps(s, (view){end, v.end}, true) : end;
    v.end = v.p + utf8_whole(v.p, end ? (size_t)(end - v.p) : 0);
    if (s->trail && v.p < v.end && is_space(v.end[-1]))
        v = sluice__without_tail(v, s->trail, 0, true);
    s->passes_to = place_of(s, v.end);
    return !end;
}

/* What waits has n more bytes. True: it is looked at; for its limits, at each power of two. */
static bool hold(sluice_stream *s, size_t n) {
    view v = {s->bytes + s->len - n, s->bytes + s->len};
    size_t before = s->len - n;
    bool wakes;
    if (s->cut_at) {
        v.p = past_space((view){byte_at(s, s->cut_at - 1), v.end});
        s->cut_at = place_of(s, v.p) + 1;
        wakes = !literals_begin(s->among, v);
    } else {
        const char *end = s->wakes ? sleeps(s, v, false) : NULL;
        if (end && end < v.end)
            wait_literal(s, s->among, end);
        wakes = !end;
    }
    return wakes || (s->len >= s->set.limit_name && (before ^ s->len) > before) ||
           (s->len >= s->set.limit_held && !(is_open(s) && s->stage == SIZE_MAX));
}

/* Fed twice without a look at the events: the bytes of their texts will move. */
static void keep_events(sluice_stream *s) {
    for (size_t k = s->head; k < s->queue.len; k += sizeof(queued)) {
        queued *q = queued_at(s, k);
        if (!q->made && q->text)
            q->made = sluice__keep_text(s, q->text, q->text_len);
    }
}

int sluice_stream_feed(sluice_stream *s, const char *bytes, size_t n) {
    if (!s || (!bytes && n))
        return SLUICE_E_ARGUMENT;
    if (s->todo >= TODO_END && !s->heap.failed)
        return SLUICE_E_MISUSE;
    if (!n || s->heap.failed)
        return SLUICE_OK;
    if (s->len || s->todo != TODO_NOTHING) {
        if (s->todo != TODO_NOTHING)
            keep_events(s);
        if (s->bytes != s->held.data || s->len + n > s->held.cap)
            sluice__window_move(s, n);
        if (s->heap.failed)
            return SLUICE_E_NOMEM;
        memcpy(s->held.data + s->len, bytes, n);
    } else {
        s->bytes = bytes;
        s->lent = true;
    }
    s->len += n;
    bool as_json = s->passes == 1 + SLUICE_ARGUMENTS && !s->call->value.string; /* else escaped */
    bool work = s->todo == TODO_WORK || (as_json ? pass_json(s) : s->passes ? pass(s) : hold(s, n));
    bool passes = s->passes_to > s->pos, left_first = s->passes == 1 + SLUICE_REASONING;
    s->todo = work                      ? TODO_WORK
              : s->todo != TODO_NOTHING ? TODO_LOOK
              : passes && !left_first   ? TODO_PASS
              : passes || s->lent       ? TODO_LOOK
                                        : TODO_NOTHING;
    return SLUICE_OK;
}

int sluice_stream_feed_special(sluice_stream *s, const char *bytes, size_t n) {
    if (s && bytes && n && s->todo < TODO_END && s->set.tokens && !s->heap.failed) {
        const uint64_t token[] = {s->base + s->len, s->base + s->len + n};
        if (!sluice__buffer_add(&s->heap.alloc, &s->tokens, token, sizeof token)) {
            s->heap.failed = true;
            return SLUICE_E_NOMEM;
        }
        s->todo = TODO_WORK; /* it is looked at */
    }
    return sluice_stream_feed(s, bytes, n);
}

int sluice_stream_finish(sluice_stream *s) {
    if (!s)
        return SLUICE_E_ARGUMENT;
    s->todo = s->todo == TODO_OVER ? TODO_OVER : TODO_END;
    return SLUICE_OK;
}

sluice_next sluice_stream_next(sluice_stream *s, sluice_event *event) {
    if (!s || !event)
        return SLUICE_DONE;
    if (s->todo == TODO_NOTHING && !s->heap.failed)
        return SLUICE_NEED_INPUT;
    return s->todo == TODO_PASS ? sluice__hand_on(s, event) : sluice__hand_out(s, event);
}

sluice_counts sluice_stream_counts(const sluice_stream *s) {
    return s ? s->counts : (sluice_counts){0};
}

sluice_state sluice_stream_state(const sluice_stream *s, const char **name, size_t *held) {
    bool call = s && is_open(s) && s->stage == SIZE_MAX;
    if (name)
        *name = call ? s->call->called.b.data : NULL;
    size_t n = s ? (size_t)(s->base + s->len - s->told) : 0;
    if (held)
        *held = n;
    if (s && s->in_block)
        return call ? SLUICE_IN_CALL : SLUICE_IN_POSSIBLE_BLOCK;
    return s && s->reasoning ? SLUICE_IN_REASONING : n ? SLUICE_IN_POSSIBLE_BLOCK : SLUICE_IN_TEXT;
}
