/* The life of a stream: chunks in, events out. */
#include "stream.h"

const char *sluice_version(void) {
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
    return NUMBER(SLUICE_VERSION_MAJOR) "." NUMBER(SLUICE_VERSION_MINOR) "." NUMBER(
        SLUICE_VERSION_PATCH);
}

/* Everything that belongs to one response. */
static void begin(sluice_stream *s) {
    ZERO_FROM(s, bytes);
    s->bytes = "";
    s->held.len = s->tokens.count = s->carried.b.len = s->made.b.len = 0;
    s->horizon = s->arguments_at = UINT64_MAX;
    s->stage = SIZE_MAX;
    s->format = s->root;
    s->set = s->root_set;
    if (s->many)
        s->program = NULL;
    s->reasoning = s->begun = s->set.start_reasoning;
    s->leading = s->at_start = true;
    sluice__closing_clear(&s->close);
    if (s->call)
        sluice__call_restart(s);
    sluice__tree_drop(s);
    sluice__outside_restart(&s->outside);
}

sluice_stream *sluice__stream_new(const sluice_allocator *a, const sluice__program *program,
                                  const sluice__many *many, const sluice__scripts *scripts,
                                  void *user, const sluice__settings *set, bool has_tools) {
    sluice_stream *s = sluice__zeroed(a, sizeof *s);
    if (!s)
        return NULL;
    s->alloc = *a;
    s->scripts = scripts;
    s->probe = sluice__probe;
    s->user = user;
    s->many = many;
    s->program = program;
    s->root = many ? many->format : program->format;
    s->root_set = *set;
    s->has_tools = has_tools;
    if (program)
        s->outside.given = &program->literals;
    s->carried = new_out(s);
    s->made = new_out(s);
    s->taken = new_out(s);
    begin(s);
    return s;
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
    sluice_allocator a = s->alloc;
    sluice__tree_release(s);
    if (s->call)
        sluice__call_release(s);
    sluice__buffer_release(&a, &s->carried.b);
    sluice__buffer_release(&a, &s->made.b);
    sluice__buffer_release(&a, &s->taken.b);
    sluice__buffer_release(&a, &s->held);
    sluice__buffer_release(&a, &s->close.open);
    sluice__buffer_release(&a, &s->outside.cut);
    sluice__buffer_release(&a, &s->outside.name);
    if (s->queue)
        sluice__realloc(&a, s->queue, s->room * sizeof *s->queue, 0);
    if (s->tokens.at)
        sluice__realloc(&a, s->tokens.at, s->tokens.cap * sizeof *s->tokens.at, 0);
    if (s->scripts->release)
        s->scripts->release(s->user);
    sluice__realloc(&a, s, sizeof *s, 0);
}

/* ---- Chunks ------------------------------------------------------------------------------- */

/* No byte wakes it. */
static bool sleeps(const sluice_stream *s, view v) {
    const uint8_t *wakes = s->wakes;
    size_t item;
    for (int n; v.p < v.end; v.p += n ? n : v.end - v.p) { /* 0: the end cuts it */
        n = 1;
        switch (wakes[(unsigned char)*v.p]) {
        case 0:
        case TO_ESCAPE:
            break;
        case A_LITERAL:
            if (literals_at(s->among, v, false, &item) != NO)
                return false;
            break;
        case WHOLE_ESCAPES:
            if (view_len(v) < 2 || !v.p[1] || !strchr("\"\\/bfnrt", v.p[1]))
                return false;
            n = 2;
            break;
        case WHOLE_CHARACTERS:
            if ((n = utf8_len(v)) < 0)
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

int sluice_stream_feed(sluice_stream *s, const char *bytes, size_t n) {
    if (!s || (!bytes && n))
        return SLUICE_E_ARGUMENT;
    if (s->ended)
        return SLUICE_E_MISUSE;
    if (!n || s->no_memory)
        return SLUICE_OK;
    for (size_t i = s->head; i < s->count; i++) /* the bytes of their texts will move */
        if (!s->queue[i].made && s->queue[i].text)
            s->queue[i].made = sluice__keep_text(s, s->queue[i].text, s->queue[i].len);
    if (!s->len) {
        s->bytes = bytes;
        s->len = n;
        s->lent = true;
    } else {
        sluice__window_add(s, bytes, n);
    }
    if (s->fresh) {
    } else if (s->passes) { /* at most the beginning of a character is held */
        s->fresh = !sleeps(s, see(s));
    } else if (s->expects) {
        s->fresh = n >= s->expected || memcmp(bytes, s->expects, n) != 0;
        s->expects += n;
        s->expected -= n;
    } else {
        view v = view_of(bytes, n);
        s->fresh = s->len >= s->enough ||
                   !(s->wakes ? sleeps(s, v) : s->behind_space && past_space(v) == v.end);
    }
    return s->no_memory ? SLUICE_E_NOMEM : SLUICE_OK;
}

int sluice_stream_feed_special(sluice_stream *s, const char *bytes, size_t n) {
    if (!s || (!bytes && n))
        return SLUICE_E_ARGUMENT;
    if (s->ended)
        return SLUICE_E_MISUSE;
    if (n && s->set.tokens) {
        if (!sluice__array_grow(&s->alloc, (void **)&s->tokens.at, &s->tokens.cap,
                                s->tokens.count + 2, sizeof *s->tokens.at)) {
            s->no_memory = true;
            return SLUICE_E_NOMEM;
        }
        s->tokens.at[s->tokens.count++] = s->base + s->len;
        s->tokens.at[s->tokens.count++] = s->base + s->len + n;
        s->fresh = true; /* it is looked at */
    }
    return sluice_stream_feed(s, bytes, n);
}

int sluice_stream_finish(sluice_stream *s) {
    if (!s)
        return SLUICE_E_ARGUMENT;
    s->ended = s->fresh = true;
    return SLUICE_OK;
}

/* ---- Work --------------------------------------------------------------------------------- */

/* Runs what stands at pos. The end of the text matters only to what waits for more. */
static went step(sluice_stream *s, went (*what)(sluice_stream *)) {
    went w = what(s);
    if (w == WAIT && s->ended && s->horizon >= s->base + s->len) {
        s->passes = 0;
        s->finished = true;
        w = what(s);
    }
    s->finished &= w == PAUSE;
    return w;
}

/* It would have to look farther than it may. */
static void give_up(sluice_stream *s) {
    static const char message[] = "limit_held exceeded";
    s->horizon = UINT64_MAX;
    if (s->committed && s->stage == SIZE_MAX) { /* an announced one ends here */
        s->pos = sluice__window_needed(s);
        sluice__spoil(s, "limit_exceeded", message);
        sluice__finish_call(s);
        sluice__block_close(s);
        return;
    }
    if (s->stage != SIZE_MAX)
        sluice__unstage(s);
    if (s->committed) { /* earlier calls stay: only this one becomes text */
        s->block = s->from = s->start;
        s->pos = s->block;
        sluice__tell_markup(s, s->block);
    }
    s->pos = s->block;
    sluice__report_at(s, s->block, "limit_exceeded", message, sizeof message - 1);
    s->unfinished = false;
    sluice__block_is_text(s);
}

/* Reads on, up to where it waits. */
static void work(sluice_stream *s) {
    went w;
    s->passes = 0;
    s->wakes = NULL;
    s->expects = NULL;
    for (;;) {
        if (!s->in_block) {
            w = step(s, sluice__read_text);
            if (w != GO)
                break;
        }
        if (s->no_memory)
            return;
        w = step(s, sluice__run);
        bool waits = w == WAIT && s->horizon >= s->base + s->len;
        if (waits || w == PAUSE || s->no_memory)
            break;
        if (w == WAIT) {
            give_up(s);
        } else if (w == BROKEN && s->open) {
            sluice__lower(s, SLUICE_INCOMPLETE);
            s->json_open &= !s->whole;
            sluice__call_end(s);
            sluice__block_close(s);
        } else if (w == OVER || s->committed) {
            sluice__block_close(s);
        } else {
            sluice__block_is_text(s);
        }
    }
    enum { LONG = 64 };
    s->fresh = w == PAUSE;
    s->done = w == OVER && !s->no_memory;
    view v = see(s); /* more of a long run of white space changes nothing */
    s->behind_space = s->len > LONG && !s->expects && v.p < v.end && past_space(v) == v.end;
    s->enough = s->wakes && s->len < s->set.limit_name ? s->set.limit_name : 2 * s->len;
    if (s->enough > s->set.limit_held)
        s->enough = s->set.limit_held;
    s->needed = sluice__window_needed(s);
    if (s->stage == SIZE_MAX && s->needed > s->told) /* before the bytes are let go */
        sluice__tell_markup(s, s->needed);
}

/* ---- Events ------------------------------------------------------------------------------- */

/* Takes the next event (NULL: the end) into account. True: an error, in *error, goes out before it.
 */
static bool error_first(sluice_stream *s, const sluice_event *e, sluice_event *error) {
    sluice__outside *o = &s->outside;
    if (e && e->type == SLUICE_ARGUMENTS && !o->runs) {
        o->sent += e->text_len;
        return false;
    }
    if (!o->taken && !sluice__outside_take(&s->alloc, o, e))
        s->no_memory = true;
    o->taken = !o->runs && sluice__outside_told(o, error);
    return o->taken;
}

static void begin_event(sluice_event *e, sluice_event_type type, uint64_t start, uint64_t end,
                        size_t index) {
    *e = (sluice_event){.type = type, .start = start, .end = end, .index = index};
}

/* Hands out the next event of the queue. False: nobody wants it. */
static bool hand_out(sluice_stream *s, sluice_event *e) {
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
    if (error_first(s, e, e))
        return true;
    s->head++;
    if (e->type == SLUICE_CALL_BEGIN)
        sluice__closing_clear(&s->close); /* for the arguments handed out */
    if (e->type == SLUICE_ARGUMENTS &&
        !sluice__closing_add(&s->alloc, &s->close, e->text, e->text_len))
        s->no_memory = true;
    s->closes = e->type == SLUICE_CALL_BEGIN || (s->closes && e->type != SLUICE_CALL_END);
    return e->type != SLUICE_MARKUP || s->set.markup;
}

/* Hands out the chunk that passes, but for half a character at its end. False: it is only that. */
static bool hand_on(sluice_stream *s, sluice_event *e) {
    view v = see(s);
    size_t n = utf8_whole(v.p, view_len(v));
    uint64_t end = s->pos + n;
    if (!n)
        return false;
    begin_event(e, (sluice_event_type)(s->passes - 1), s->pos, end, s->calls);
    e->text = v.p;
    e->text_len = n;
    if (error_first(s, e, e))
        return true;
    if (e->type == SLUICE_ARGUMENTS) { /* what closes them stays the same */
        if (s->call->value.string) {
            sluice__put_escaped(&s->made, v.p, n);
            e->text = out_text(&s->made);
            e->text_len = s->made.b.len;
        }
        sluice__keep_arguments(s, e->text, e->text_len);
        s->call->value.looked = s->call->value.from = end;
    }
    if (s->set.source && s->in_block)
        put(&s->call->source, v.p, n);
    s->told = s->pos = s->at = s->needed = end;
    if (n == s->len) /* else it is dropped behind the event */
        sluice__window_empty(s);
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

sluice_next sluice_stream_next(sluice_stream *s, sluice_event *event) {
    if (!s || !event)
        return SLUICE_DONE;
    while (!s->no_memory) { /* else texts of events may be missing */
        if (s->head < s->count && s->head < s->stage) {
            if (hand_out(s, event))
                return SLUICE_EVENT;
            continue;
        }
        if (s->head == s->count)
            s->head = s->count = s->made.b.len = 0;
        if (s->fresh && !s->done) {
            work(s);
            continue;
        }
        if (s->passes && s->len && hand_on(s, event))
            return SLUICE_EVENT;
        if (s->done)
            return error_first(s, NULL, event) ? SLUICE_EVENT : SLUICE_DONE;
        if (s->lent || s->needed > s->base)
            sluice__window_keep(s, s->needed);
        if (!s->no_memory)
            return SLUICE_NEED_INPUT;
    }
    return without_memory(s, event);
}

sluice_counts sluice_stream_counts(const sluice_stream *s) {
    return s ? s->outside.counts : (sluice_counts){0};
}

sluice_state sluice_stream_state(const sluice_stream *s, const char **name, size_t *held) {
    bool call = s && s->open && s->stage == SIZE_MAX;
    if (name)
        *name = call ? s->call->called.data : NULL;
    size_t n = s ? (size_t)(s->base + s->len - (s->told > s->base ? s->told : s->base)) : 0;
    if (held)
        *held = n;
    if (!s)
        return SLUICE_IN_TEXT;
    if (s->in_block)
        return call ? SLUICE_IN_CALL : SLUICE_IN_POSSIBLE_BLOCK;
    return s->reasoning ? SLUICE_IN_REASONING : n ? SLUICE_IN_POSSIBLE_BLOCK : SLUICE_IN_TEXT;
}

size_t sluice_stream_closing(const sluice_stream *s, char *buffer, size_t size) {
    if (s && s->closes)
        return sluice__closing_write(&s->close, buffer, size);
    if (buffer && size)
        buffer[0] = 0;
    return 0;
}
