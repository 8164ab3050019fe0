#include "stream.h"
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

const char *sluice_version(void) {
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
    return TEXT(SLUICE_VERSION_MAJOR) "." TEXT(SLUICE_VERSION_MINOR) "." TEXT(SLUICE_VERSION_PATCH);
}

/* ---- Settings ----------------------------------------------------------------------------- */

void sluice__settings_default(sluice__settings *set) {
    memset(set, 0, sizeof *set);
    set->repairs = true;
    set->validation = true;
    set->max_calls = SIZE_MAX;
    set->limit_name = 256;
    set->limit_header = 4096;
    set->limit_value = 1 << 20;
    set->limit_held = 1 << 20;
    set->limit_depth = 128;
}

/* Which of `names` (separated by '|') is `value`? -1: none. */
static int choice(const char *value, const char *names) {
    size_t n = strlen(value);
    for (int i = 0;; i++) {
        size_t k = strcspn(names, "|");
        if (k == n && memcmp(names, value, n) == 0)
            return i;
        if (!names[k])
            return -1;
        names += k + 1;
    }
}

const char *sluice__settings_from(const sluice__format *f, const sluice_stream_options *o,
                                  sluice__settings *set) {
    int c;
    *set = f->defaults;
    if (!o)
        return NULL;
    if (o->calls) {
        if ((c = choice(o->calls, "streamed|whole")) < 0)
            return "the option 'calls' is \"streamed\" or \"whole\"";
        set->whole = c == 1;
    }
    if (o->start) {
        if ((c = choice(o->start, "text|reasoning")) < 0)
            return "the option 'start' is \"text\" or \"reasoning\"";
        set->start_reasoning = c == 1;
    }
    if (o->calls_in_reasoning) {
        if ((c = choice(o->calls_in_reasoning, "hold|call|text")) < 0)
            return "the option 'calls_in_reasoning' is \"hold\", \"call\" or \"text\"";
        set->calls_in_reasoning = c;
    }
    if (o->reasoning_opens) {
        if ((c = choice(o->reasoning_opens, "line|start|anywhere")) < 0)
            return "the option 'reasoning_opens' is \"line\", \"start\" or \"anywhere\"";
        set->reasoning_opens = c;
    }
    if (o->fences) {
        if ((c = choice(o->fences, "script|text|call")) < 0)
            return "the option 'fences' is \"script\", \"text\" or \"call\"";
        set->fences = c;
    }
    if (o->unknown_tools) {
        if ((c = choice(o->unknown_tools, "forward|text")) < 0)
            return "the option 'unknown_tools' is \"forward\" or \"text\"";
        set->unknown_as_text = c == 1;
    }
    if (o->types) {
        if ((c = choice(o->types, "written|schema")) < 0)
            return "the option 'types' is \"written\" or \"schema\"";
        set->types = c == 1;
    }
    set->strict |= o->strict != 0;
    if (o->no_repairs || o->strict)
        set->repairs = false;
    if (o->no_validation)
        set->validation = false;
    set->parameters = o->parameters != 0;
    set->markup = o->markup != 0;
    if (o->max_calls)
        set->max_calls = o->max_calls;
    if (o->limit_name)
        set->limit_name = o->limit_name;
    if (o->limit_header)
        set->limit_header = o->limit_header;
    if (o->limit_value)
        set->limit_value = o->limit_value;
    if (o->limit_held)
        set->limit_held = o->limit_held;
    if (o->limit_depth)
        set->limit_depth = o->limit_depth;
    return NULL;
}

/* ---- Making and unmaking ------------------------------------------------------------------ */

/* Is what stands in a closed code fence text? */
static bool fences_hide(const sluice_stream *s) {
    return s->set.fences == SLUICE__FENCE_TEXT ||
           (s->set.fences == SLUICE__FENCE_SCRIPT && s->format->fence_text);
}

/* Reads by this format from here on. */
static void read_by(sluice_stream *s, const sluice__format *format, const sluice__settings *set) {
    s->format = format;
    s->set = *set;
    s->text = fences_hide(s) || !format->plain ? format->text : format->plain;
}

/* A block of one of several formats announced no call: what follows may be of any. */
static void go_home(sluice_stream *s) {
    if (s->format != s->home && !s->chosen)
        read_by(s, s->home, &s->home_set);
}

bool sluice__become(sluice_stream *s, const sluice__format *format, const sluice__settings *set) {
    read_by(s, format, set);
    return !s->from_reason || s->set.calls_in_reasoning != SLUICE__KEEP;
}

static void restart(sluice_stream *s) {
    s->chosen = false;
    go_home(s);
    s->pos = s->scan = s->sent = s->mark = s->begin = 0;
    s->island_start = s->island_end = 0;
    s->mode = s->set.start_reasoning ? SLUICE__IN_REASON_MODE : SLUICE__IN_TEXT_MODE;
    s->finished = s->done = s->broken = s->no_memory = s->calm = s->waits = false;
    s->edge = s->at_start = true;
    s->after_block = s->from_reason = s->committed = s->locked = false;
    s->reason_edge = true;
    s->pair = 0;
    s->fence_open = s->in_fence = false;
    s->closes_at = 0;
    s->drop_after = NULL;
    s->calls = 0;
    sluice__hashes_clear(&s->ids);
    s->call.open = false;
    s->call.stage = SIZE_MAX;
    s->reach = UINT64_MAX;
    s->looked = s->furthest = s->vain = 0;
    s->weary = false;
    s->call.upto = 0;
    s->head = s->count = 0;
    s->scratch.len = 0;
    s->step = NULL;
    s->asks = false;
}

sluice_stream *sluice__stream_new(const sluice_allocator *a, const sluice__format *format,
                                  const sluice__syntax *syntax, void *user,
                                  const sluice__settings *set) {
    sluice_stream *s = sluice__realloc(a, NULL, 0, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->alloc = *a;
    s->home = format;
    s->home_set = *set;
    s->syntax = syntax;
    s->user = user;
    read_by(s, format, set);
    restart(s);
    return s;
}

void sluice_stream_free(sluice_stream *s) {
    if (!s)
        return;
    sluice_allocator a = s->alloc;
    if (s->syntax->drop)
        s->syntax->drop(s->user, s);
    if (s->syntax->release)
        s->syntax->release(s->user);
    sluice__window_release(&a, &s->window);
    sluice__reader_release(&s->reader);
    sluice__buffer *buffers[] = {&s->scratch,   &s->strings, &s->taken,   &s->call.name,
                                 &s->call.text, &s->call.id, &s->call.key};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i]->data)
            sluice__buffer_release(&a, buffers[i]);
    if (s->queue)
        sluice__realloc(&a, s->queue, s->queue_cap * sizeof *s->queue, 0);
    sluice__hashes *hashes[] = {&s->call.seen, &s->ids};
    for (size_t i = 0; i < 2; i++)
        if (hashes[i]->slots)
            sluice__realloc(&a, hashes[i]->slots, hashes[i]->cap * sizeof(uint64_t), 0);
    sluice__realloc(&a, s, sizeof *s, 0);
}

int sluice_stream_reset(sluice_stream *s) {
    if (!s)
        return SLUICE_E_ARGUMENT;
    if (s->mode == SLUICE__IN_BLOCK_MODE)
        s->syntax->drop(s->user, s);
    sluice__window_clear(&s->window);
    restart(s);
    if (s->window.own.cap > 4096)
        sluice__window_release(&s->alloc, &s->window);
    if (s->scratch.cap > 4096)
        sluice__buffer_release(&s->alloc, &s->scratch);
    if (s->call.text.cap > 4096)
        sluice__buffer_release(&s->alloc, &s->call.text);
    return SLUICE_OK;
}

int sluice_stream_feed(sluice_stream *s, const char *bytes, size_t len) {
    if (!s || (!bytes && len))
        return SLUICE_E_ARGUMENT;
    if (s->calm && !s->window.lent && len) {
        sluice__window_lend_alone(&s->window, bytes, len);
        return SLUICE_OK;
    }
    if (s->finished)
        return SLUICE_E_MISUSE;
    if (!len || s->no_memory)
        return SLUICE_OK;
    s->calm = false;
    uint64_t seen = sluice__window_end(&s->window);
    if (!sluice__window_lend(&s->alloc, &s->window, bytes, len)) {
        s->no_memory = true;
        return SLUICE_E_NOMEM;
    }
    if (sluice__window_end(&s->window) != seen)
        s->waits = false;
    return SLUICE_OK;
}

int sluice_stream_finish(sluice_stream *s) {
    if (!s)
        return SLUICE_E_ARGUMENT;
    s->finished = true;
    s->calm = s->waits = false;
    return SLUICE_OK;
}

/* ---- Events ------------------------------------------------------------------------------- */

static bool staged(const sluice_stream *s) { return s->call.stage != SIZE_MAX; }

/* Takes back what waits for the call to be whole. */
static void unstage(sluice_stream *s) {
    s->count = s->call.stage;
    s->sent = s->call.stage_sent;
    s->call.stage = SIZE_MAX;
    s->call.open = false;
    s->chosen = s->chosen && s->calls > 0;
}

static sluice__event *last_event(sluice_stream *s) {
    return s->count > s->head ? &s->queue[s->count - 1] : NULL;
}

static sluice__event *push(sluice_stream *s, sluice_event_type type, uint64_t start, uint64_t end) {
    if (!sluice__array_grow(&s->alloc, (void **)&s->queue, &s->queue_cap, s->count + 1,
                            sizeof *s->queue))
        return NULL;
    sluice__event *e = &s->queue[s->count++];
    *e = (sluice__event){.type = (uint8_t)type,
                         .start = start,
                         .end = end,
                         .index = s->calls,
                         .name = SIZE_MAX,
                         .id = SIZE_MAX,
                         .key = SIZE_MAX,
                         .extra = SIZE_MAX};
    return e;
}

/* Copies to the scratch buffer, with a NUL behind; SIZE_MAX: no memory. */
static size_t keep_text(sluice_stream *s, const char *p, size_t n) {
    size_t at = s->scratch.len;
    if (!sluice__buffer_reserve(&s->alloc, &s->scratch, n + 1))
        return SIZE_MAX;
    memcpy(s->scratch.data + at, p, n);
    s->scratch.data[at + n] = 0;
    s->scratch.len += n + 1;
    return at;
}

static bool markup(sluice_stream *s, uint64_t start, uint64_t end) {
    if (!s->set.markup || start >= end)
        return true;
    sluice__event *e = last_event(s);
    if (e && e->type == SLUICE_MARKUP && e->end == start &&
        !(staged(s) && s->count <= s->call.stage)) {
        e->end = end;
        e->text_len += (size_t)(end - start);
        return true;
    }
    e = push(s, SLUICE_MARKUP, start, end);
    if (!e)
        return false;
    e->source = SLUICE__IN_WINDOW;
    e->text = (size_t)start;
    e->text_len = (size_t)(end - start);
    return true;
}

/* Bytes up to `upto` that no event has spoken for are markup. A name that was told before its place
 * was reached is left out. */
bool sluice__gap(sluice_stream *s, uint64_t upto) {
    uint64_t from = s->sent;
    if (from >= upto)
        return true;
    if (s->island_end > from && s->island_start < upto) {
        if (!markup(s, from, s->island_start))
            return false;
        from = s->island_end < upto ? s->island_end : upto;
    }
    s->sent = upto;
    return markup(s, from, upto);
}

/* The bytes from `sent` up to `upto`, as text or reasoning. */
bool sluice__send(sluice_stream *s, sluice_event_type type, uint64_t upto) {
    if (s->sent >= upto)
        return true;
    sluice__event *e = last_event(s);
    if (e && e->type == type && e->end == s->sent && e->source == SLUICE__IN_WINDOW) {
        e->text_len += (size_t)(upto - s->sent);
        e->end = upto;
    } else {
        e = push(s, type, s->sent, upto);
        if (!e)
            return false;
        e->source = SLUICE__IN_WINDOW;
        e->text = (size_t)s->sent;
        e->text_len = (size_t)(upto - s->sent);
    }
    s->sent = upto;
    return true;
}

/* A fragment of arguments or of a parameter, whose bytes end at `upto` in the response. Small ones
 * are joined; bytes that lie in the window are not copied. */
static bool fragment(sluice_stream *s, sluice_event_type type, const char *p, size_t n,
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
    else
        s->sent = upto;
    if (e && e->type == type && e->index == s->calls && e->end == start &&
        s->count - 1 >= s->head && (type != SLUICE_PARAMETER || e->key != SIZE_MAX)) {
        if (source && e->source == SLUICE__IN_WINDOW && e->text + e->text_len == at) {
            e->text_len += n;
            e->end = upto;
            return true;
        }
        if (e->source == SLUICE__IN_WINDOW && e->text_len <= SMALL) {
            size_t kept = keep_text(s, data + (e->text - (size_t)s->window.base), e->text_len);
            if (kept == SIZE_MAX)
                return false;
            e->source = SLUICE__IN_SCRATCH;
            e->text = kept;
        }
        if (e->source == SLUICE__IN_SCRATCH && e->text + e->text_len + 1 == s->scratch.len &&
            (!source || n <= SMALL)) {
            s->scratch.len--;
            if (keep_text(s, p, n) == SIZE_MAX)
                return false;
            e->text_len += n;
            e->end = upto;
            return true;
        }
    }
    e = push(s, type, start, upto);
    if (!e)
        return false;
    if (type == SLUICE_PARAMETER) {
        size_t key = keep_text(s, s->call.key.data ? s->call.key.data : "", s->call.key.len);
        if (key == SIZE_MAX)
            return false;
        e->key = key;
    }
    if (source) {
        e->source = SLUICE__IN_WINDOW;
        e->text = (size_t)at;
    } else {
        e->source = SLUICE__IN_SCRATCH;
        e->text = keep_text(s, p, n);
        if (e->text == SIZE_MAX)
            return false;
    }
    e->text_len = n;
    return true;
}

bool sluice__error(sluice_stream *s, const char *code, const char *message, size_t len) {
    /* what was read before it is told before it, however the text was cut */
    if (s->mode == SLUICE__IN_BLOCK_MODE && s->committed && !s->locked && !s->pinned &&
        !sluice__gap(s, s->pos))
        return false;
    s->hit_end = false; /* this explains it */
    return sluice__error_at(s, s->pos, code, message, len);
}

bool sluice__error_at(sluice_stream *s, uint64_t at, const char *code, const char *message,
                      size_t len) {
    sluice__event *e = push(s, SLUICE_ERROR, at, at);
    if (!e)
        return false;
    e->code = code;
    e->source = SLUICE__IN_SCRATCH;
    e->text_len = len;
    e->text = keep_text(s, message, len);
    return e->text != SIZE_MAX;
}

static bool error(sluice_stream *s, const char *code, const char *message) {
    return sluice__error(s, code, message, strlen(message));
}

const char *sluice__at(const sluice_stream *s, uint64_t start) {
    return s->window.data ? s->window.data + (size_t)(start - s->window.base) : "";
}

bool sluice__flush(sluice_stream *s) { return sluice__gap(s, s->pos); }

bool sluice__settle(sluice_stream *s) {
    if (!s->committed || s->locked)
        return true;
    return sluice__gap(s, s->holds && s->held < s->pos ? s->held : s->pos);
}

/* ---- Reading on --------------------------------------------------------------------------- */

static uint64_t visible(const sluice_stream *s) { return sluice__visible(s); }

bool sluice__at_end(const sluice_stream *s) {
    const sluice__window *w = &s->window;
    return s->finished && (!w->lent || w->lends || w->copied == w->lent_len) &&
           sluice__window_end(w) <= s->reach;
}

/* The first byte that must stay visible. */
static uint64_t keep_from(const sluice_stream *s) {
    uint64_t keep = s->sent;
    if (s->mode == SLUICE__IN_BLOCK_MODE && !s->committed && s->mark < keep)
        keep = s->mark;
    if (staged(s) && s->call.stage_sent < keep)
        keep = s->call.stage_sent;
    return keep < s->window.base ? s->window.base : keep;
}

enum step { AGAIN, MORE, NOMEM };

static enum step told(bool good) { return good ? AGAIN : NOMEM; }

/* How far text may go: never into an unfinished UTF-8 sequence. */
uint64_t sluice__whole_upto(const sluice_stream *s, uint64_t upto) {
    if (upto < visible(s) || sluice__at_end(s) || upto <= s->sent)
        return upto;
    return upto - sluice__utf8_tail(sluice__at(s, s->sent), (size_t)(upto - s->sent));
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool sluice__line_start(const sluice_stream *s, uint64_t at) {
    if (at == s->pos && s->edge && s->mode != SLUICE__IN_BLOCK_MODE)
        return true;
    char before = at > s->window.base ? *sluice__at(s, at - 1) : s->window.before;
    return before == '\n' || at == 0;
}

/* Ends an edge: what is there is text. */
static void leave_edge(sluice_stream *s) {
    s->edge = s->at_start = s->after_block = false;
    s->drop_after = NULL;
}

/* May the literal play this part here? `first`: only white space and blocks stand before it. */
static unsigned parts(const sluice_stream *s, const sluice__marker *m, uint64_t at, bool first) {
    unsigned role = m->role, part = role & (SLUICE__TURN_END | SLUICE__NOISE);
    if (role & SLUICE__FENCE && fences_hide(s) && sluice__line_start(s, at))
        part |= SLUICE__FENCE;
    if (role & SLUICE__STRAY && s->edge && s->after_block)
        part |= SLUICE__STRAY;
    if (role & SLUICE__REASON) {
        bool open =
            s->set.reasoning_opens == SLUICE__ANYWHERE || (s->edge && s->at_start) ||
            (s->set.reasoning_opens == SLUICE__LINE && (first || sluice__line_start(s, at)));
        if (open)
            part |= SLUICE__REASON;
    }
    if (role & SLUICE__BLOCK && s->calls < s->set.max_calls && !s->broken) {
        if (role & SLUICE__AT_START)
            part |= s->edge && s->at_start ? SLUICE__BLOCK : 0;
        else if (role & SLUICE__AT_LINE)
            part |= sluice__line_start(s, at) ? SLUICE__BLOCK : 0;
        else
            part |= SLUICE__BLOCK;
    }
    return part;
}

static enum step back_out(sluice_stream *s);

/* Bytes that may be read again: so many times all that was read, and some more; a block that was
 * none counts as some bytes, too. What only looks like calls, one in another, would else be read
 * again and again. */
enum { VAIN_TIMES = 16, VAIN_BYTES = 256 * 1024, VAIN_BLOCK = 128 };

static bool too_much_in_vain(const sluice_stream *s) {
    return s->vain > VAIN_TIMES * s->furthest + VAIN_BYTES;
}

void sluice__seek(sluice_stream *s, uint64_t to) {
    s->vain += s->looked > to ? s->looked - to : 0;
    s->looked = to;
    s->pos = to;
}

/* Tells once that from here on not all that may be a call is looked at. */
static bool tell_weary(sluice_stream *s) {
    static const char message[] =
        "too much looked like calls and was none: not all that may be one is looked at any more";
    bool told = s->weary;
    s->weary = true;
    return told || error(s, "limit_exceeded", message);
}

static enum step judge(sluice_stream *s, sluice__verdict v) {
    switch (v) {
    case SLUICE__AWAITS:
        return AGAIN;
    case SLUICE__REJECTED:
        if (!s->committed)
            return back_out(s);
        break;
    case SLUICE__FAILED: {
        bool announced = s->call.open;
        s->broken = true;
        if (announced) {
            bool good;
            sluice__lower(s, SLUICE_INCOMPLETE);
            if (!sluice__end_call(s, NULL, 0, NULL, 0, &good))
                return NOMEM;
        }
        if (!s->committed)
            return back_out(s);
        break;
    }
    case SLUICE__CLOSED:
        break;
    }
    if (s->call.open) { /* a script that forgot to end its call */
        bool good;
        if (!sluice__end_call(s, NULL, 0, NULL, 0, &good))
            return NOMEM;
    }
    if (!s->committed && s->pos <= s->begin)
        return back_out(s);
    go_home(s);
    s->mode = SLUICE__IN_TEXT_MODE;
    s->reach = UINT64_MAX;
    s->edge = s->after_block = true;
    s->scan = s->pos;
    s->step = NULL;
    s->locked = false;
    s->at_start = false;
    return told(sluice__gap(s, s->pos));
}

/* Asks the syntax whether a block begins at `at`; white space before it is held with it. */
static enum step open_block(sluice_stream *s, uint64_t at, size_t item) {
    s->from_reason = s->mode == SLUICE__IN_REASON_MODE;
    s->in_fence = !s->from_reason && s->fence_open && fences_hide(s);
    const sluice__markers *set = s->from_reason ? s->format->reasoning : s->text;
    s->opener_role = item == SIZE_MAX ? 0 : set->items[item].role;
    s->opener_len = item == SIZE_MAX ? 0 : set->items[item].len;
    s->mark = s->sent;
    s->begin = s->pos = at;
    s->mode = SLUICE__IN_BLOCK_MODE;
    s->committed = s->locked = s->hit_end = s->holds = false;
    s->pinned = 0;
    s->step = NULL;
    s->drop_after = NULL;
    s->looked = at;
    if (too_much_in_vain(s))
        return tell_weary(s) ? back_out(s) : NOMEM;
    return judge(s, s->syntax->open(s->user, s, item));
}

/* What looked like a block goes back to text: one character of it, then scanning goes on behind it.
 */
static enum step back_out(sluice_stream *s) {
    if (staged(s))
        unstage(s);
    s->syntax->drop(s->user, s);
    go_home(s);
    s->step = NULL;
    s->locked = false;
    s->reach = UINT64_MAX;
    s->mode = s->from_reason ? SLUICE__IN_REASON_MODE : SLUICE__IN_TEXT_MODE;
    if (!s->from_reason)
        leave_edge(s);
    else
        s->reason_edge = false;
    sluice__seek(s, s->begin);
    s->vain += VAIN_BLOCK;
    if (s->hit_end && !error(s, "unfinished_call", "the text ends inside what looked like a call"))
        return NOMEM;
    if (s->opener_role & (SLUICE__NOISE | SLUICE__TURN_END)) { /* it has another meaning, too */
        s->pos = s->scan = s->begin + s->opener_len;
        if (!s->from_reason)
            s->edge = s->after_block = true;
        return told(sluice__gap(s, s->pos));
    }
    size_t there = (size_t)(visible(s) - s->begin);
    int len = there ? sluice__utf8_sequence(sluice__at(s, s->begin), there) : 0;
    uint64_t upto = s->begin + (len > 0 ? (uint64_t)len : len < 0 ? (uint64_t)-len : there);
    bool good = sluice__send(s, s->from_reason ? SLUICE_REASONING : SLUICE_TEXT, upto);
    s->pos = s->scan = upto;
    return told(good);
}

/* White space that the last closer of reasoning takes from the text behind it. */
static bool drop_after(sluice_stream *s, uint64_t upto) {
    uint64_t at = s->sent;
    for (const char *p = s->drop_after; p && *p && at < upto; p++) {
        char c = *sluice__at(s, at);
        if (c == '\r' && *p == '\n' && at + 1 < upto)
            at++;
        else if (c != *p)
            break;
        at++;
    }
    return sluice__gap(s, at);
}

/* Where a run of copies of the literal's first character ends that begins at `at`; 0: not known
 * yet. */
static uint64_t run_end(const sluice_stream *s, const sluice__marker *m, uint64_t at) {
    int unit = sluice__utf8_sequence(m->text, m->len);
    size_t n = unit > 0 ? (size_t)unit : 1;
    uint64_t most = at + s->set.limit_held;
    for (; visible(s) - at >= n; at += n)
        if (at > most || memcmp(sluice__at(s, at), m->text, n) != 0)
            return at;
    if (at == visible(s) ? sluice__at_end(s)
                         : sluice__at_end(s) ||
                               memcmp(sluice__at(s, at), m->text, (size_t)(visible(s) - at)) != 0)
        return at;
    return 0;
}

/* A literal that plays a part in text stands at `at`. */
static enum step in_text(sluice_stream *s, uint64_t at, size_t item, unsigned part) {
    const sluice__marker *m = &s->text->items[item];
    if (part == SLUICE__FENCE) { /* text, but the calls in it may be none */
        leave_edge(s);
        s->fence_open = !s->fence_open;
        s->pos = s->scan = at + m->len;
        return told(sluice__send(s, SLUICE_TEXT, s->pos));
    }
    part &= ~(unsigned)SLUICE__FENCE;
    if (s->edge && part != SLUICE__BLOCK) { /* white space beside markup is markup too */
        if (!sluice__gap(s, at))
            return NOMEM;
    } else if (!s->edge && !sluice__send(s, SLUICE_TEXT, at)) {
        return NOMEM;
    }
    s->pos = at;
    if (part & SLUICE__BLOCK) {
        return open_block(s, at, item);
    }
    if (!sluice__gap(s, at + m->len))
        return NOMEM;
    s->pos = s->scan = at + m->len;
    if (part & SLUICE__REASON) {
        s->mode = SLUICE__IN_REASON_MODE;
        s->pair = (uint8_t)(m->role / SLUICE__PAIR);
        s->reason_edge = true;
    } else if (part & SLUICE__TURN_END) {
        s->edge = s->after_block = true;
    }
    return AGAIN;
}

static enum step step_text(sluice_stream *s) {
    const sluice__format *f = s->format;
    bool end = sluice__at_end(s);
    uint64_t limit = visible(s), at;
    size_t item, offset;
    uint64_t run = 0;
    if (s->edge) {
        uint64_t q = s->scan > s->pos ? s->scan : s->pos, most = s->pos + s->set.limit_held;
        while (q < limit && q < most && is_space(*sluice__at(s, q)))
            q++;
        s->scan = q;
        if (q == limit && q < most && !end)
            return MORE;
        if (q < limit && q < most) {
            sluice__match m =
                sluice__markers_at(s->text, sluice__at(s, q), (size_t)(limit - q), end, &item);
            if (m == SLUICE__WAIT)
                return MORE;
            unsigned part = m == SLUICE__YES ? parts(s, &s->text->items[item], q, true) : 0;
            if (part & SLUICE__BLOCK && s->text->items[item].role & SLUICE__ALONE) {
                run = run_end(s, &s->text->items[item], q);
                if (!run)
                    return MORE;
                if ((run - q) % s->text->items[item].len == 0)
                    run = 0;
                else
                    part = 0;
            }
            if (part)
                return in_text(s, q, item, part);
            unsigned char c = (unsigned char)*sluice__at(s, q);
            if (f->bare[c / 8] & 1 << c % 8 && (s->at_start || f->bare_at_line) && !s->broken &&
                s->calls < s->set.max_calls)
                return open_block(s, q, SIZE_MAX);
        } else if (q == limit && end) {
            bool good = s->after_block || f->start_trim ? sluice__gap(s, q)
                                                        : sluice__send(s, SLUICE_TEXT, q);
            s->pos = q;
            s->done = true;
            return told(good);
        }
        if (s->at_start && f->start_trim ? !sluice__gap(s, q) : !drop_after(s, q))
            return NOMEM;
        leave_edge(s);
        s->pos = s->sent;
        s->scan = run > q ? run : q;
    }
    for (;;) {
        uint64_t from = s->scan;
        sluice__match m = sluice__markers_find(s->text, sluice__at(s, from), (size_t)(limit - from),
                                               end, &offset, &item);
        at = from + offset;
        if (f->bare_at_line) { /* a line before that literal may begin a block without a marker */
            uint64_t q = from;
            while (q < at) {
                unsigned char c = (unsigned char)*sluice__at(s, q);
                if (f->bare[c / 8] & 1 << c % 8 && sluice__line_start(s, q) && !s->broken &&
                    s->calls < s->set.max_calls) {
                    if (!sluice__send(s, SLUICE_TEXT, q))
                        return NOMEM;
                    return open_block(s, q, SIZE_MAX);
                }
                const char *next = memchr(sluice__at(s, q), '\n', (size_t)(at - q));
                q = next ? q + (uint64_t)(next - sluice__at(s, q)) + 1 : at;
            }
        }
        if (m == SLUICE__YES) {
            unsigned part = parts(s, &s->text->items[item], at, false);
            if (part & SLUICE__BLOCK && s->text->items[item].role & SLUICE__ALONE) {
                run = run_end(s, &s->text->items[item], at);
                if (!run || (run - at) % s->text->items[item].len) {
                    if (!sluice__send(s, SLUICE_TEXT, at))
                        return NOMEM;
                    s->pos = at;
                    s->scan = run ? run : at;
                    if (!run)
                        return MORE;
                    continue;
                }
            }
            if (part == SLUICE__FENCE) { /* text, and nothing to tell yet */
                s->fence_open = !s->fence_open;
                s->scan = at + s->text->items[item].len;
                continue;
            }
            if (part)
                return in_text(s, at, item, part);
            s->scan = at + 1;
            continue;
        }
        uint64_t upto = sluice__whole_upto(s, end ? limit : at);
        if (!sluice__send(s, SLUICE_TEXT, upto))
            return NOMEM;
        s->pos = upto;
        s->scan = at;
        if (end)
            s->done = true;
        return end ? AGAIN : MORE;
    }
}

/* How many bytes before `upto` may be the white space that a closer takes. */
uint64_t sluice__tail_of(const sluice_stream *s, uint64_t from, uint64_t upto, const char *trail) {
    size_t n = trail ? strlen(trail) : 0;
    for (size_t k = n; k > 0; k--) { /* the longest end of the text that begins `trail` */
        if (upto - from < k)
            continue;
        if (memcmp(sluice__at(s, upto - k), trail, k) == 0)
            return k +
                   (upto - from > k && trail[0] == '\n' && *sluice__at(s, upto - k - 1) == '\r');
    }
    if (n && trail[0] == '\n' && upto > from && *sluice__at(s, upto - 1) == '\r')
        return 1;
    return 0;
}

/* Where the text ends that stands before a closer which takes `trail`. */
uint64_t sluice__without_tail(const sluice_stream *s, uint64_t from, uint64_t upto,
                              const char *trail) {
    size_t n = trail ? strlen(trail) : 0;
    uint64_t at = upto;
    for (size_t k = n; k > 0; k--) {
        if (at == from || *sluice__at(s, at - 1) != trail[k - 1])
            return upto;
        at--;
        if (trail[k - 1] == '\n' && at > from && *sluice__at(s, at - 1) == '\r')
            at--;
    }
    return at;
}

static enum step step_reasoning(sluice_stream *s) {
    const sluice__format *f = s->format;
    const sluice__pair *pair = &f->pairs[s->pair];
    bool end = sluice__at_end(s);
    uint64_t limit = visible(s), at;
    size_t item, offset;
    if (s->reason_edge) { /* drop `lead`; a second opener is markup */
        uint64_t q = s->pos, most = q + s->set.limit_held;
        while (q < limit && q < most && is_space(*sluice__at(s, q)))
            q++;
        if (q == limit && q < most && !end)
            return MORE;
        sluice__match m = q == limit || q == most
                              ? SLUICE__NO
                              : sluice__markers_at(f->reasoning, sluice__at(s, q),
                                                   (size_t)(limit - q), end, &item);
        if (m == SLUICE__WAIT)
            return MORE;
        if (m == SLUICE__YES && f->reasoning->items[item].role & SLUICE__REASON) {
            s->pos = s->scan = q + f->reasoning->items[item].len;
            return told(sluice__gap(s, s->pos));
        }
        s->reason_edge = false;
        at = s->sent;
        for (const char *p = pair->lead; p && *p && at < q; p++, at++) {
            if (*sluice__at(s, at) == '\r' && *p == '\n')
                at++;
            if (at >= q || *sluice__at(s, at) != *p)
                break;
        }
        if (!sluice__gap(s, at))
            return NOMEM;
        s->pos = s->scan = at;
    }
    for (;;) {
        uint64_t from = s->scan;
        sluice__match m = sluice__markers_find(f->reasoning, sluice__at(s, from),
                                               (size_t)(limit - from), end, &offset, &item);
        at = from + offset;
        if (m == SLUICE__YES) {
            const sluice__marker *found = &f->reasoning->items[item];
            if (found->role & SLUICE__REASON_END) {
                uint64_t upto = sluice__without_tail(s, s->sent, at, pair->trail);
                if (!sluice__send(s, SLUICE_REASONING, upto))
                    return NOMEM;
                s->pos = s->scan = at + found->len;
                s->mode = SLUICE__IN_TEXT_MODE;
                s->edge = s->after_block = true;
                s->at_start = s->calls == 0;
                s->drop_after = pair->after;
                return told(sluice__gap(s, s->pos));
            }
            unsigned part =
                parts(s, found, at, false) & (SLUICE__BLOCK | SLUICE__TURN_END | SLUICE__NOISE);
            if (s->set.calls_in_reasoning == SLUICE__KEEP)
                part &= ~(unsigned)SLUICE__BLOCK;
            if (!part) {
                s->scan = at + 1;
                continue;
            }
            uint64_t upto =
                part & SLUICE__BLOCK ? at : sluice__without_tail(s, s->sent, at, pair->trail);
            if (!sluice__send(s, SLUICE_REASONING, upto))
                return NOMEM;
            s->pos = s->scan = at;
            if (part & SLUICE__BLOCK)
                return open_block(s, at, item);
            s->pos = s->scan = at + found->len;
            return told(sluice__gap(s, s->pos));
        }
        uint64_t upto = end ? limit : at - sluice__tail_of(s, s->sent, at, pair->trail);
        upto = sluice__whole_upto(s, upto);
        if (!sluice__send(s, SLUICE_REASONING, upto))
            return NOMEM;
        s->pos = upto;
        s->scan = at;
        if (end)
            s->done = true;
        return end ? AGAIN : MORE;
    }
}

/* An operation answered this: what it read and what it ran into is noted where it is done. */
static void note_end(sluice_stream *s, int done) {
    if (done <= 0)
        return;
    if (s->op.at > s->looked)
        s->looked = s->op.at;
    if (s->looked > s->furthest)
        s->furthest = s->looked;
    s->hit_end = !s->result.ok && s->op.at >= visible(s) && sluice__at_end(s);
}

/* Where that begins which may still be read again, behind what events have spoken for. */
static uint64_t held_from(const sluice_stream *s) { return s->held > s->sent ? s->held : s->sent; }

/* Sets how far the syntax may look. */
static void set_reach(sluice_stream *s) {
    bool holds = !s->committed || s->pinned || staged(s) || !s->call.open;
    if (holds && !s->holds)
        s->held = s->pos;
    s->holds = holds;
    uint64_t from = staged(s) ? s->held : held_from(s);
    bool limited = holds && from < UINT64_MAX - s->set.limit_held;
    s->reach = limited ? from + s->set.limit_held : UINT64_MAX;
    if (too_much_in_vain(s)) { /* it sees no more */
        s->held = holds ? s->held : s->pos;
        s->reach = s->pos;
    }
}

/* More would have to be held than may be. */
static enum step give_up(sluice_stream *s) {
    static const char message[] = "more would have to be held than limit_held allows";
    uint64_t from = held_from(s);
    bool in_vain = too_much_in_vain(s);
    s->reach = UINT64_MAX;
    if (in_vain && !tell_weary(s))
        return NOMEM;
    if (s->committed && !staged(s)) { /* it was announced: it ends here */
        s->pos = from;
        s->syntax->drop(s->user, s);
        s->step = NULL;
        s->pinned = 0;
        sluice__lower(s, SLUICE_INCOMPLETE);
        return sluice__gap(s, from) && (in_vain || error(s, "limit_exceeded", message))
                   ? judge(s, SLUICE__CLOSED)
                   : NOMEM;
    }
    if (staged(s)) {
        unstage(s);
        if (s->call.stage_committed) { /* calls of the block stand: only this one is text */
            s->begin = held_from(s);
            if (!sluice__gap(s, s->begin))
                return NOMEM;
        }
    }
    s->pos = s->begin;
    return in_vain || error(s, "limit_exceeded", message) ? back_out(s) : NOMEM;
}

static enum step step_block(sluice_stream *s) {
    if (s->step) {
        set_reach(s);
        uint64_t reach = s->reach;
        int r = s->step(s);
        note_end(s, r);
        if (r < 0)
            return NOMEM;
        if (r == 0) {
            if (sluice__window_end(&s->window) > reach) {
                set_reach(s); /* what was told meanwhile lets it look further */
                return s->reach > reach ? AGAIN : give_up(s);
            }
            if (!s->holds && !s->locked && !sluice__gap(s, s->pos))
                return NOMEM;
            return MORE;
        }
        s->step = NULL;
    }
    return judge(s, s->syntax->resume(s->user, s));
}

/* A string of the scratch buffer, or NULL where there is none. */
static const char *kept_at(const sluice_stream *s, size_t at) {
    return at == SIZE_MAX ? NULL : s->scratch.data + at;
}

/* Fills the caller's event from the first of the queue. */
static void hand_out(sluice_stream *s, sluice_event *out) {
    const sluice__event *e = &s->queue[s->head];
    *out = (sluice_event){.type = (sluice_event_type)e->type,
                          .text_len = e->text_len,
                          .start = e->start,
                          .end = e->end,
                          .index = e->index,
                          .name = kept_at(s, e->name),
                          .id = kept_at(s, e->id),
                          .key = kept_at(s, e->key),
                          .extra = kept_at(s, e->extra),
                          .status = (sluice_status)e->status,
                          .code = e->code};
    if (s->home->several && e->type == SLUICE_CALL_BEGIN)
        out->syntax = s->format->name;
    if (e->source == SLUICE__IN_WINDOW)
        out->text = s->window.data + (e->text - (size_t)s->window.base);
    else if (e->source == SLUICE__IN_SCRATCH && e->text != SIZE_MAX)
        out->text = s->scratch.data + e->text;
    else
        out->text_len = 0; /* none, or there was no memory to keep it */
    s->head++;
}

/* The next event, where it is not plain text alone. */
__attribute__((noinline)) static sluice_next next_event(sluice_stream *s, sluice_event *event) {
    for (;;) {
        size_t ready = staged(s) ? s->call.stage : s->count;
        if (s->head < ready) {
            hand_out(s, event);
            return SLUICE_EVENT;
        }
        if (s->head && s->head == s->count && !staged(s)) {
            s->head = s->count = 0;
            s->scratch.len = 0;
        }
        if (s->no_memory) {
            if (s->done)
                return SLUICE_DONE;
            s->done = true;
            static const char message[] = "there is no memory to go on with";
            *event = (sluice_event){.type = SLUICE_ERROR,
                                    .text = message,
                                    .text_len = sizeof message - 1,
                                    .start = s->pos,
                                    .end = s->pos,
                                    .code = sluice__code("no_memory")};
            return SLUICE_EVENT;
        }
        if (s->done)
            return SLUICE_DONE;
        if (!s->waits) {
            enum step step = s->mode == SLUICE__IN_BLOCK_MODE    ? step_block(s)
                             : s->mode == SLUICE__IN_REASON_MODE ? step_reasoning(s)
                                                                 : step_text(s);
            if (step == NOMEM) {
                s->no_memory = true;
                s->count = staged(s) ? s->call.stage : s->count;
                s->call.stage = SIZE_MAX;
                continue;
            }
            if (step == AGAIN)
                continue;
            s->waits = true;
            if (s->head < (staged(s) ? s->call.stage : s->count))
                continue; /* what points into the window goes out before it moves */
        }
        uint64_t keep = keep_from(s);
        int grown = sluice__window_grow(&s->alloc, &s->window, keep);
        if (grown < 0) {
            s->no_memory = true;
            continue;
        }
        if (grown) {
            s->waits = false;
            continue;
        }
        if (s->finished) { /* an operation that waits at the end would wait for ever */
            s->no_memory = true;
            continue;
        }
        if (!sluice__window_return(&s->alloc, &s->window, keep)) {
            s->no_memory = true;
            continue;
        }
        s->calm = s->mode == SLUICE__IN_TEXT_MODE && !s->edge && !s->window.own.len &&
                  s->scan == s->sent && !s->format->bare_at_line;
        return SLUICE_NEED_INPUT;
    }
}

/* The first `n` visible bytes as TEXT. */
static inline sluice_next text_event(sluice_stream *s, sluice_event *event, size_t n) {
    sluice__window *w = &s->window;
    event->type = SLUICE_TEXT; /* one by one: faster than clearing the whole */
    event->text = w->data;
    event->text_len = n;
    event->start = w->base;
    event->end = w->base + n;
    event->index = s->calls;
    event->name = event->id = event->key = event->extra = event->code = event->syntax = NULL;
    event->status = SLUICE_COMPLETE;
    sluice__window_pass(w, n);
    s->pos = s->scan = s->sent = event->end;
    return SLUICE_EVENT;
}

/* Text up to what may be a literal or is cut within a character; or what stands there. */
__attribute__((noinline)) static sluice_next next_text(sluice_stream *s, sluice_event *event) {
    const sluice__window *w = &s->window;
    size_t at, item;
    sluice__markers_find(s->text, w->data, w->len, false, &at, &item);
    if (at == w->len)
        at -= sluice__utf8_tail(w->data, at);
    if (at)
        return text_event(s, event, at);
    s->calm = s->waits = false;
    return next_event(s, event);
}

/* Most of a response is text that lies in the caller's chunk while nothing is held (`calm`): it
 * goes out without the queue. Chunks of a few bytes without a literal's first are the most frequent
 * of all, and take no call. */
sluice_next sluice_stream_next(sluice_stream *s, sluice_event *event) {
    if (!s->calm)
        return next_event(s, event);
    size_t n = s->window.len;
    if (!n) {
        sluice__window_give_back(&s->window);
        return SLUICE_NEED_INPUT;
    }
    if (n > 16)
        return next_text(s, event);
    const uint8_t *first = s->text->prints.first;
    const unsigned char *p = (const unsigned char *)s->window.data, *end = p + n;
    for (; end - p >= 4; p += 4)
        if (first[p[0]] | first[p[1]] | first[p[2]] | first[p[3]])
            return next_text(s, event);
    for (; p < end; p++)
        if (first[*p])
            return next_text(s, event);
    if (end[-1] >= 0x80)
        return next_text(s, event);
    return text_event(s, event, n);
}

sluice_state sluice_stream_state(const sluice_stream *s, const char **name, size_t *held) {
    if (name)
        *name = s->call.open && !staged(s) ? s->call.name.data : NULL;
    if (held)
        *held = (size_t)(sluice__window_end(&s->window) -
                         (s->sent < s->window.base ? s->window.base : s->sent));
    if (s->mode == SLUICE__IN_BLOCK_MODE)
        return s->call.open && !staged(s) ? SLUICE_IN_CALL : SLUICE_IN_POSSIBLE_BLOCK;
    if (s->mode == SLUICE__IN_REASON_MODE)
        return SLUICE_IN_REASONING;
    return held && *held ? SLUICE_IN_POSSIBLE_BLOCK : SLUICE_IN_TEXT;
}

bool sluice__fail(sluice_stream *s, const char *message) {
    s->pinned = 0;
    s->locked = false;
    return error(s, "script_error", message);
}

/* ---- Calls -------------------------------------------------------------------------------- */

void sluice__lower(sluice_stream *s, sluice_status status) {
    if (status > s->call.status)
        s->call.status = (uint8_t)status;
}

static bool set_string(sluice_stream *s, sluice__buffer *b, const char *p, size_t n) {
    b->len = 0;
    if (!sluice__buffer_reserve(&s->alloc, b, n + 1))
        return false;
    if (n)
        memcpy(b->data, p, n);
    b->data[n] = 0;
    b->len = n;
    return true;
}

static int step_begin(sluice_stream *s) {
    sluice__result *r = &s->result;
    *r = (sluice__result){0};
    if (s->calls >= s->set.max_calls)
        return 1;
    bool in_reason = s->from_reason && s->set.calls_in_reasoning == SLUICE__HOLD;
    if ((in_reason || s->in_fence) && !s->committed) {
        /* a call if the reasoning, or the fence, never closes; else it is part of it */
        const sluice__format *f = s->chosen ? s->format : s->home; /* whose closers end it */
        const sluice__markers *set = s->in_fence ? f->fence : f->closers;
        size_t offset, item;
        uint64_t from = s->op.at;
        if (s->begin < s->closes_at)
            return 1;
        sluice__match m =
            sluice__markers_find(set, sluice__at(s, from), (size_t)(visible(s) - from),
                                 sluice__at_end(s), &offset, &item);
        s->op.at = from + offset;
        if (m == SLUICE__YES) {
            s->closes_at = s->op.at;
            return 1;
        }
        if (!sluice__at_end(s))
            return 0;
    }
    if (s->set.whole) {
        s->call.stage = s->count;
        s->call.stage_sent = s->sent;
        s->call.stage_committed = s->committed;
    }
    if (s->op.code && !error(s, s->op.code, s->op.message ? s->op.message : ""))
        return -1;
    uint64_t start = s->op.from, end = s->op.limit;
    if (start >= end || end > s->pos + (uint64_t)s->set.limit_held || start < s->sent)
        start = end = s->pos;  /* the name stands nowhere */
    bool later = end > s->pos; /* the name follows the arguments */
    if (!sluice__gap(s, later ? s->pos : start))
        return -1;
    sluice__event *e = push(s, SLUICE_CALL_BEGIN, start, end);
    if (!e)
        return -1;
    size_t index = s->count - 1;
    size_t name = keep_text(s, s->call.name.data, s->call.name.len);
    size_t id = s->call.id.len ? keep_text(s, s->call.id.data, s->call.id.len) : SIZE_MAX;
    if (name == SIZE_MAX || (s->call.id.len && id == SIZE_MAX))
        return -1;
    s->queue[index].name = name;
    s->queue[index].id = id;
    if (later) {
        s->island_start = start;
        s->island_end = end;
    } else {
        s->sent = end > s->sent ? end : s->sent;
    }
    s->committed = s->chosen = true;
    s->pinned = 0;
    s->call.open = true;
    s->call.has_arguments = s->call.built = s->call.key_pending = s->call.in_array = false;
    s->call.in_text = false;
    s->call.status = SLUICE_COMPLETE;
    s->call.kept = s->call.closed = false;
    s->call.text.len = 0;
    sluice__hashes_clear(&s->call.seen);
    r->ok = true;
    return 1;
}

int sluice__op_start(sluice_stream *s, int (*step)(sluice_stream *)) {
    set_reach(s);
    int r = step(s);
    note_end(s, r);
    s->step = r == 0 ? step : NULL;
    return r;
}

int sluice__op_begin(sluice_stream *s, const char *name, size_t name_len, const char *id,
                     size_t id_len, uint64_t start, uint64_t end, const char *code,
                     const char *message) {
    s->call.stage = SIZE_MAX;
    if (!set_string(s, &s->call.name, name, name_len) || !set_string(s, &s->call.id, id, id_len))
        return -1;
    memset(&s->op, 0, sizeof s->op);
    s->op.from = start;
    s->op.limit = end;
    s->op.at = s->mark;
    s->op.code = code;
    s->op.message = NULL;
    if (message) { /* kept where it outlives the wait */
        s->taken.len = 0;
        if (!sluice__buffer_add(&s->alloc, &s->taken, message, strlen(message) + 1))
            return -1;
        s->op.message = s->taken.data;
    }
    return sluice__op_start(s, step_begin);
}

bool sluice__arguments(sluice_stream *s, const char *p, size_t n, uint64_t upto) {
    s->call.has_arguments = true;
    if (s->call.kept) {
        s->call.kept = s->call.text.len + n <= (size_t)16 << 20;
        if (s->call.kept && !sluice__buffer_add(&s->alloc, &s->call.text, p, n))
            return false;
    }
    return fragment(s, SLUICE_ARGUMENTS, p, n, upto);
}

bool sluice__shown(sluice_stream *s, const char *p, size_t n, uint64_t upto) {
    s->call.shown = true;
    return !s->set.parameters || fragment(s, SLUICE_PARAMETER, p, n, upto);
}

bool sluice__close_arguments(sluice_stream *s) {
    if (s->call.closed)
        return true;
    if (s->call.in_text && !sluice__arguments(s, "\"", 1, s->sent)) /* a script gave up within it */
        return false;
    s->call.in_text = false;
    if (s->call.in_array && !sluice__param_array(s, false))
        return false;
    if (!s->call.has_arguments || s->call.built) {
        const char *rest = s->call.has_arguments ? "}" : "{}";
        if (!sluice__gap(s, s->pos) || !sluice__arguments(s, rest, strlen(rest), s->sent))
            return false;
    }
    s->call.closed = true;
    return true;
}

bool sluice__end_call(sluice_stream *s, const char *id, size_t id_len, const char *extra,
                      size_t extra_len, bool *good) {
    *good = true;
    s->locked = false;
    if (!sluice__close_arguments(s))
        return false;
    s->call.open = false;
    if (staged(s)) {
        if (s->call.status == SLUICE_INCOMPLETE) {
            unstage(s);
            s->committed = s->call.stage_committed;
            *good = false;
            return true;
        }
        s->call.stage = SIZE_MAX;
    }
    if (id_len && !set_string(s, &s->call.id, id, id_len))
        return false;
    if (!s->call.id.len) {
        char fresh[64];
        s->syntax->new_id(s->user, fresh, sizeof fresh);
        if (!set_string(s, &s->call.id, fresh, strlen(fresh)))
            return false;
    }
    if (!sluice__gap(s, s->pos))
        return false;
    sluice__event *e = push(s, SLUICE_CALL_END, s->pos, s->pos);
    if (!e)
        return false;
    size_t index = s->count - 1;
    e->status = s->call.status;
    size_t at = keep_text(s, s->call.id.data, s->call.id.len);
    if (at == SIZE_MAX)
        return false;
    s->queue[index].id = at;
    if (extra) {
        at = keep_text(s, extra, extra_len);
        if (at == SIZE_MAX)
            return false;
        s->queue[index].extra = at;
    }
    s->calls++;
    s->mark = s->pos;
    return true;
}
