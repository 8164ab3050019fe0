/* The queue of events, and which bytes they cover. */
#include "parts.h"
#include "utf8.h"

static const char *const codes[] = {
#define X(name) #name,
    SLUICE__CODES(X)
#undef X
};

const char *sluice__code(const char *name) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i], name) == 0)
            return codes[i];
    return NULL;
}

/* Drops the events that wait for the call to be whole. */
void sluice__unstage(sluice_stream *s) {
    s->count = s->call.stage;
    s->sent = s->call.stage_sent;
    if (s->block.len > s->call.stage_block)
        s->block.len = s->call.stage_block;
    s->call.stage = SIZE_MAX;
    s->call.open = false;
    s->early_name_start = s->early_name_end = 0; /* it was not reported */
    s->chosen = s->chosen && s->calls > 0;
}

static sluice__event *last_event(sluice_stream *s) {
    return s->count > s->head ? &s->queue[s->count - 1] : NULL;
}

sluice__event *sluice__push(sluice_stream *s, sluice_event_type type, uint64_t start,
                            uint64_t end) {
    if (!sluice__array_grow(&s->alloc, (void **)&s->queue, &s->queue_cap, s->count + 1,
                            sizeof *s->queue))
        return NULL;
    sluice__event *e = &s->queue[s->count++];
    *e = (sluice__event){.type = (uint8_t)type,
                         .start = start,
                         .end = end,
                         .index = s->calls,
                         .id = SIZE_MAX,
                         .name = SIZE_MAX};
    if (type == SLUICE_CALL_END)
        e->text = SIZE_MAX;
    return e;
}

/* Copies the text and a NUL to the scratch buffer. Returns its offset, or SIZE_MAX if out of
 * memory. */
size_t sluice__keep_text(sluice_stream *s, const char *p, size_t n) {
    size_t at = s->scratch.len;
    if (!sluice__buffer_reserve(&s->alloc, &s->scratch, n + 1))
        return SIZE_MAX;
    sluice__copy_few(s->scratch.data + at, p, n);
    s->scratch.data[at + n] = 0;
    s->scratch.len += n + 1;
    return at;
}

static bool markup(sluice_stream *s, uint64_t start, uint64_t end) {
    if (start >= end)
        return true;
    sluice__event *e = last_event(s);
    if (e && e->type == SLUICE_MARKUP && e->end == start &&
        !(sluice__staged(s) && s->count <= s->call.stage)) {
        e->end = end;
        e->text_len += sluice__minus(end, start);
        return true;
    }
    e = sluice__push(s, SLUICE_MARKUP, start, end);
    if (!e)
        return false;
    e->source = SLUICE__IN_WINDOW;
    e->text = (size_t)start;
    e->text_len = sluice__minus(end, start);
    return true;
}

bool sluice__account(sluice_stream *s, uint64_t upto) {
    enum { MOST = 16 << 20 }; /* the source of a longer call is not reported */
    uint64_t from = s->sent > s->block_from ? s->sent : s->block_from;
    s->sent = upto;
    if (!s->set.source || from >= upto || s->mode != SLUICE__IN_BLOCK_MODE || s->block.len > MOST)
        return true;
    return sluice__buffer_add(&s->alloc, &s->block, sluice__at(s, from), sluice__minus(upto, from));
}

/* Turns bytes up to `upto` that no event covers into markup. Skips a name reported before its
 * position was reached; an incomplete character waits for its rest. */
bool sluice__gap(sluice_stream *s, uint64_t upto) {
    uint64_t from = s->sent;
    if (from >= upto)
        return true;
    bool cut =
        upto < sluice__visible(s) ? (*sluice__at(s, upto) & 0xC0) == 0x80 : !sluice__at_end(s);
    if (cut) /* whole characters */
        upto -= sluice__utf8_tail(sluice__at(s, from), sluice__minus(upto, from));
    if (from >= upto)
        return true;
    if (s->early_name_end > from && s->early_name_start < upto) {
        if (!markup(s, from, s->early_name_start))
            return false;
        from = s->early_name_end < upto ? s->early_name_end : upto;
    }
    return sluice__account(s, upto) && markup(s, from, upto);
}

/* Reports the bytes from `sent` up to `upto` as text or reasoning. */
bool sluice__send(sluice_stream *s, sluice_event_type type, uint64_t upto) {
    if (s->sent >= upto)
        return true;
    sluice__event *e = last_event(s);
    if (e && e->type == type && e->end == s->sent && e->source == SLUICE__IN_WINDOW) {
        e->text_len += sluice__minus(upto, s->sent);
        e->end = upto;
    } else {
        e = sluice__push(s, type, s->sent, upto);
        if (!e)
            return false;
        e->source = SLUICE__IN_WINDOW;
        e->text = (size_t)s->sent;
        e->text_len = sluice__minus(upto, s->sent);
    }
    return sluice__account(s, upto);
}

/* Reports a fragment of arguments or of a parameter, whose bytes end at `upto` in the response.
 * Joins small ones; does not copy bytes in the window. */
bool sluice__fragment(sluice_stream *s, sluice_event_type type, const char *p, size_t n,
                      uint64_t upto) {
    enum { SMALL = 256 };
    const char *data = s->window.data;
    bool source = data && p >= data && p + n <= data + s->window.len && n;
    uint64_t at = source ? s->window.base + (uint64_t)(p - data) : 0;
    uint64_t start = s->sent;
    sluice__event *e = last_event(s);
    if (upto < s->sent)
        upto = s->sent;
    if (type == SLUICE_PARAMETER)
        start = upto;
    else if (!sluice__account(s, upto))
        return false;
    if (e && e->type == type && e->index == s->calls && e->end == start &&
        s->count - 1 >= s->head && (type != SLUICE_PARAMETER || e->key != SIZE_MAX)) {
        if (source && e->source == SLUICE__IN_WINDOW && e->text + e->text_len == at) {
            e->text_len += n;
            e->end = upto;
            return true;
        }
        if (e->source == SLUICE__IN_WINDOW && e->text_len <= SMALL) {
            size_t kept =
                sluice__keep_text(s, data + (e->text - (size_t)s->window.base), e->text_len);
            if (kept == SIZE_MAX)
                return false;
            e->source = SLUICE__IN_SCRATCH;
            e->text = kept;
        }
        if (e->source == SLUICE__IN_SCRATCH && e->text + e->text_len + 1 == s->scratch.len &&
            (!source || n <= SMALL)) {
            s->scratch.len--;
            if (sluice__keep_text(s, p, n) == SIZE_MAX)
                return false;
            e->text_len += n;
            e->end = upto;
            return true;
        }
    }
    e = sluice__push(s, type, start, upto);
    if (!e)
        return false;
    if (type == SLUICE_PARAMETER) {
        size_t key =
            sluice__keep_text(s, s->call.key.data ? s->call.key.data : "", s->call.key.len);
        if (key == SIZE_MAX)
            return false;
        e->key = key;
    }
    if (source) {
        e->source = SLUICE__IN_WINDOW;
        e->text = (size_t)at;
    } else {
        e->source = SLUICE__IN_SCRATCH;
        e->text = sluice__keep_text(s, p, n);
        if (e->text == SIZE_MAX)
            return false;
    }
    e->text_len = n;
    return true;
}

bool sluice__error(sluice_stream *s, const char *code, const char *message, size_t len) {
    /* bytes read before the error are reported before it, for every chunking */
    if (s->mode == SLUICE__IN_BLOCK_MODE && s->committed && !s->locked && !s->pinned &&
        !sluice__gap(s, s->pos))
        return false;
    s->hit_end = false; /* this error explains it */
    return sluice__error_at(s, s->pos, code, message, len);
}

bool sluice__error_at(sluice_stream *s, uint64_t at, const char *code, const char *message,
                      size_t len) {
    enum { MOST_OF_A_CALL = 256 };
    static const char more[] = "further errors of this call are not reported";
    if (s->call.open && strcmp(code, "schema_mismatch") == 0)
        sluice__invalid(s);
    s->call.explained |= s->call.open && strcmp(code, "repaired") != 0;
    if (s->call.open && strcmp(code, "repaired") == 0 &&
        (strncmp(message, "a colon", 7) == 0 || strncmp(message, "a comma", 7) == 0 ||
         strncmp(message, "a quote", 7) == 0)) /* where strings begin and end was guessed */
        s->call.repaired = true;
    if (s->call.open && !s->announcing) { /* else one for every few bytes would be kept */
        if (s->call.errors >= MOST_OF_A_CALL)
            return true;
        if (++s->call.errors == MOST_OF_A_CALL) {
            code = sluice__code("limit_exceeded");
            message = more;
            len = sizeof more - 1;
        }
    }
    sluice__event *e = sluice__push(s, SLUICE_ERROR, at, at);
    if (!e)
        return false;
    e->code = code;
    if (!s->call.open && !s->announcing)
        e->index = SIZE_MAX;
    e->source = SLUICE__IN_SCRATCH;
    e->text_len = len;
    e->text = sluice__keep_text(s, message, len);
    return e->text != SIZE_MAX;
}

bool sluice__tell(sluice_stream *s, const char *code, const char *message) {
    return sluice__error(s, code, message, strlen(message));
}

bool sluice__flush(sluice_stream *s) { return sluice__gap(s, s->pos); }

bool sluice__settle(sluice_stream *s) {
    if (!s->committed || s->locked)
        return true;
    return sluice__gap(s, s->holds && s->held < s->pos ? s->held : s->pos);
}

/* Returns a string of the scratch buffer, or NULL if there is none. */
static const char *kept_at(const sluice_stream *s, size_t at) {
    return at == SIZE_MAX ? NULL : s->scratch.data + at;
}

/* Fills the caller's event from the first one of the queue. */
void sluice__hand_out(sluice_stream *s, sluice_event *out) {
    const sluice__event *e = &s->queue[s->head];
    sluice__plain_event(out, (sluice_event_type)e->type, NULL, 0, e->start, e->end, e->index);
    if (e->source == SLUICE__IN_WINDOW) {
        out->text = s->window.data + (e->text - (size_t)s->window.base);
        out->text_len = e->text_len;
    } else if (e->source == SLUICE__IN_SCRATCH && e->text != SIZE_MAX) {
        out->text = s->scratch.data + e->text;
        out->text_len = e->text_len;
    } /* else there is none, or no memory to keep it */
    switch (out->type) {
    case SLUICE_CALL_BEGIN:
        out->name = kept_at(s, e->name);
        out->id = kept_at(s, e->id);
        if (s->root_format->several)
            out->syntax = s->format->name;
        sluice__closing_clear(&s->closing); /* for the arguments handed out */
        s->closes = true;
        break;
    case SLUICE_ARGUMENTS:
        if (!sluice__closing_add(&s->alloc, &s->closing, out->text, out->text_len))
            s->no_memory = true;
        break;
    case SLUICE_PARAMETER:
        out->key = kept_at(s, e->key);
        break;
    case SLUICE_CALL_END:
        out->id = kept_at(s, e->id);
        out->extra = kept_at(s, e->extra);
        out->status = (sluice_status)e->status;
        out->valid = e->valid && s->has_tools;
        out->no_tools = !s->has_tools;
        out->block_start = e->block_start;
        out->source = kept_at(s, e->text);
        out->source_len = e->text_len;
        s->closes = false;
        break;
    case SLUICE_ERROR:
        out->code = e->code;
        break;
    default:
        break;
    }
    s->head++;
}
