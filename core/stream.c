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
    s->block = UINT64_MAX; /* none yet */
    s->format = s->many ? s->many->format : s->program->format;
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
        case TO_ESCAPE:
            break;
        case A_LITERAL:
            m = literals_at(s->among, v, false, &item);
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

int sluice_stream_feed(sluice_stream *s, const char *bytes, size_t n) {
    if (!s || (!bytes && n))
        return SLUICE_E_ARGUMENT;
    if (s->ended)
        return SLUICE_E_MISUSE;
    if (!n || s->heap.failed)
        return SLUICE_OK;
    bool first = s->todo == TODO_NOTHING;
    for (size_t i = s->head; i < s->count; i++) /* the bytes of their texts will move */
        if (!s->queue[i].made && s->queue[i].text)
            s->queue[i].made = sluice__keep_text(s, s->queue[i].text, s->queue[i].len);
    if (s->len && s->needed > s->base && first)
        sluice__window_keep(s, s->needed);
    if (s->len) {
        sluice__window_add(s, bytes, n);
    } else {
        s->bytes = bytes;
        s->len = n;
    }
    s->fresh |= s->heap.failed;             /* bytes may be missing: no look */
    view v = {s->bytes, s->bytes + s->len}; /* not only up to the horizon */
    if (s->fresh) {
    } else if (passes_json(s)) { /* as far as it is strict */
        json *j = &s->call->reader;
        size_t sure;
        v.p = byte_at(s, s->passes_to);
        s->fresh = sluice__json_read(j, v, &sure) != JSON_MORE || j->ahead > s->set.limit_held;
        s->passes_to += sure;
    } else if (s->passes) { /* at most the beginning of a literal or a character is held */
        v.p = byte_at(s, s->pos);
        const char *end = sleeps(s, v, true);
        s->fresh = !end;
        v.end = end ? end : v.p;
        v.end = v.p + utf8_whole(v.p, view_len(v));
        if (s->trail && v.p < v.end && is_space(v.end[-1]))
            v = sluice__without_tail(v, s->trail, 0, true);
        s->passes_to = s->pos + view_len(v);
    } else if (s->cut_at) {
        size_t item;
        v.p = byte_at(s, s->cut_at - 1);
        s->fresh = literals_at(s->among, v, false, &item) != CUT;
    } else {
        v.p = v.end - n;
        const char *end = s->wakes                                    ? sleeps(s, v, false)
                          : s->behind_space && past_space(v) == v.end ? v.end
                                                                      : NULL;
        s->fresh = !end || s->len >= s->enough;
        if (end && end < v.end)
            wait_literal(s, s->among, end);
    }
    s->todo = s->fresh || !first      ? TODO_LOOK
              : s->passes_to > s->pos ? TODO_PASS
              : is_lent(s)            ? TODO_LOOK
                                      : TODO_NOTHING;
    return s->heap.failed ? SLUICE_E_NOMEM : SLUICE_OK;
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

sluice_next sluice_stream_next(sluice_stream *s, sluice_event *event) {
    if (!s || !event)
        return SLUICE_DONE;
    if (s->todo == TODO_NOTHING)
        return SLUICE_NEED_INPUT;
    return s->todo == TODO_PASS ? sluice__hand_on(s, event) : sluice__hand_out(s, event);
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
    if (s && s->closing != CLOSES_NOTHING)
        return sluice__closing((sluice_stream *)s, buffer, size);
    if (buffer && size)
        buffer[0] = 0;
    return 0;
}
