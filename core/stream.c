/* The life of a stream: creation, input, output of events. */
#include "parts.h"
#include "ticks.h"
#include "utf8.h"

const char *sluice_version(void) {
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
    return TEXT(SLUICE_VERSION_MAJOR) "." TEXT(SLUICE_VERSION_MINOR) "." TEXT(SLUICE_VERSION_PATCH);
}

/* True if a closed code fence hides calls. */
bool sluice__fences_hide(const sluice_stream *s) {
    return s->set.fences == SLUICE__FENCE_TEXT ||
           (s->set.fences == SLUICE__FENCE_SCRIPT && s->format->fence_text);
}

/* Reads by this format from now on. */
static void read_by(sluice_stream *s, const sluice__format *format, const sluice__settings *set) {
    s->format = format;
    s->set = *set;
    s->text = format->text;
    s->opener_at = UINT64_MAX;
}

/* A block of one of several formats announced no call: any format may follow. */
void sluice__go_home(sluice_stream *s) {
    if (s->format != s->root_format && !s->chosen)
        read_by(s, s->root_format, s->root_settings);
}

bool sluice__use_format(sluice_stream *s, const sluice__format *format,
                        const sluice__settings *set) {
    read_by(s, format, set);
    return !s->from_reason || s->set.calls_in_reasoning != SLUICE__KEEP;
}

static void restart(sluice_stream *s) {
    s->chosen = false;
    sluice__go_home(s);
    s->pos = s->scan = s->sent = s->mark = s->begin = 0;
    s->early_name_start = s->early_name_end = 0;
    s->mode = s->set.start_reasoning ? SLUICE__IN_REASON_MODE : SLUICE__IN_TEXT_MODE;
    s->finished = s->done = s->broken = s->no_memory = s->waits = false;
    s->quick = SLUICE__NOT_QUICK;
    s->opener_at = UINT64_MAX;
    s->leading_space = s->at_start = true;
    s->after_block = s->from_reason = s->committed = s->locked = false;
    s->reasoning_begun = true;
    s->reasoned = s->set.start_reasoning;
    s->pair = 0;
    s->fence_open = s->in_fence = s->lost_track = false;
    s->quoting_from = s->quoting_until = 0;
    s->ticks = 0;
    s->closes_at = 0;
    s->run.from = s->run.upto = 0;
    s->no_literal = s->no_closer = (sluice__clear){0};
    s->drop_after = NULL;
    if (s->aside)
        s->aside->carried.len = s->aside->tokens.count = 0;
    s->calls = 0;
    sluice__hashes_clear(&s->ids);
    s->call.open = false;
    s->call.stage = SIZE_MAX;
    s->reach = UINT64_MAX;
    s->looked = s->furthest = s->rescanned = 0;
    if (s->reader)
        s->reader->vain = 0;
    if (s->own)
        s->own->none.len = 0;
    s->retry_limit_reported = s->call_limit_reported = false;
    s->call.upto = 0;
    s->head = s->count = 0;
    s->scratch.len = 0;
    s->step = NULL;
    sluice__wait_for_any(s);
    s->asks = s->starts = s->joins = s->ends_next = false;
    s->announcing = s->any_call = s->closes = false;
    s->block.len = 0;
    s->block_from = 0;
    s->lost_value = false;
    sluice__outside_restart(&s->outside);
}

/* For several formats, each with its own settings, the stream's settings are kept too. */
static size_t size_of(const sluice__format *format) {
    return sizeof(sluice_stream) + format->several * sizeof(sluice__settings);
}

sluice_stream *sluice__stream_new(const sluice_allocator *a, const sluice__format *format,
                                  const sluice__syntax *syntax, void *user,
                                  const sluice__settings *set) {
    sluice_stream *s = sluice__zeroed(a, size_of(format));
    if (!s)
        return NULL;
    s->alloc = *a;
    s->root_format = format;
    if (format->several)
        s->root_settings[0] = *set;
    s->syntax = syntax;
    s->user = user;
    read_by(s, format, set);
    restart(s);
    return s;
}

bool sluice__get_to_work(sluice_stream *s) {
    return s->op || (s->op = sluice__zeroed(&s->alloc, sizeof *s->op));
}

sluice__aside *sluice__get_aside(sluice_stream *s) {
    return s->aside ? s->aside : (s->aside = sluice__zeroed(&s->alloc, sizeof *s->aside));
}

bool sluice__carry(sluice_stream *s, const char *p, size_t n) {
    sluice__aside *aside = sluice__get_aside(s);
    return aside && sluice__buffer_set(&s->alloc, &aside->carried, p, n);
}

static void release_aside(sluice_stream *s) {
    sluice__aside *aside = s->aside;
    if (!aside)
        return;
    sluice__buffer_release(&s->alloc, &aside->carried);
    if (aside->tokens.at)
        sluice__realloc(&s->alloc, aside->tokens.at, aside->tokens.cap * sizeof(uint64_t), 0);
    sluice__realloc(&s->alloc, aside, sizeof *aside, 0);
}

static void release_work(sluice_stream *s) {
    sluice__work *w = s->work;
    if (s->op)
        sluice__realloc(&s->alloc, s->op, sizeof *s->op, 0);
    if (s->reader) {
        sluice__reader_release(s->reader);
        sluice__realloc(&s->alloc, s->reader, sizeof *s->reader, 0);
    }
    if (s->own)
        sluice__realloc(&s->alloc, s->own, sizeof *s->own, 0);
    if (!w)
        return;
    if (w->quotes.key.data)
        sluice__buffer_release(&s->alloc, &w->quotes.key);
    if (w->quotes.open)
        sluice__realloc(&s->alloc, w->quotes.open, w->quotes.cap * sizeof *w->quotes.open, 0);
    sluice__realloc(&s->alloc, w, sizeof *w, 0);
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
    sluice__buffer *buffers[] = {&s->scratch, &s->taken,    &s->call.name, &s->call.text,
                                 &s->call.id, &s->call.key, &s->block};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i]->data)
            sluice__buffer_release(&a, buffers[i]);
    sluice__closing_release(&a, &s->closing);
    sluice__outside_release(&a, &s->outside);
    release_work(s);
    release_aside(s);
    if (s->asked)
        sluice__realloc(&a, s->asked, sizeof *s->asked, 0);
    if (s->queue)
        sluice__realloc(&a, s->queue, s->queue_cap * sizeof *s->queue, 0);
    sluice__hashes *hashes[] = {&s->call.seen, &s->call.given, &s->ids};
    for (size_t i = 0; i < 3; i++)
        if (hashes[i]->slots)
            sluice__realloc(&a, hashes[i]->slots, hashes[i]->cap * sizeof(uint64_t), 0);
    sluice__realloc(&a, s, size_of(s->root_format), 0);
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
    if (s->block.cap > 4096)
        sluice__buffer_release(&s->alloc, &s->block);
    return SLUICE_OK;
}

/* Takes a chunk while the last one is not finished. */
__attribute__((noinline)) static int feed(sluice_stream *s, const char *bytes, size_t len) {
    sluice__window *w = &s->window;
    bool quick = s->quick && !w->lent && len <= SLUICE__AT_ONCE;
    if (s->finished || s->ends_next)
        return SLUICE_E_MISUSE;
    if (!len || s->no_memory)
        return SLUICE_OK;
    uint64_t seen = sluice__window_end(w);
    if (!sluice__window_lend(&s->alloc, w, bytes, len)) {
        s->no_memory = true;
        s->quick = SLUICE__NOT_QUICK;
        return SLUICE_E_NOMEM;
    }
    s->passed = false;
    if (quick)
        return SLUICE_OK;
    s->quick = SLUICE__NOT_QUICK;
    if (sluice__window_end(w) != seen)
        s->waits = false;
    return SLUICE_OK;
}

/* Takes a chunk after bytes held on a fast path. */
__attribute__((noinline)) static int feed_behind(sluice_stream *s, const char *bytes, size_t len) {
    sluice__window *w = &s->window;
    if (len > SLUICE__AT_ONCE || sluice__window_room(w) < len)
        return feed(s, bytes, len);
    if (!s->odd && sluice__continues(s, w->len, bytes, len)) { /* with `odd`, text flows */
        sluice__window_append(w, bytes, len);
        return SLUICE_OK;
    }
    sluice__window_join(w, bytes, len); /* there is room */
    s->passed = false;
    if (s->quick == SLUICE__STANDS_BY && sluice__stands_on(s))
        sluice__keep_standing(s);
    return SLUICE_OK;
}

int sluice_stream_feed(sluice_stream *s, const char *bytes, size_t len) {
    if (!s || (!bytes && len))
        return SLUICE_E_ARGUMENT;
    sluice__window *w = &s->window;
    if (s->outside.held && !sluice__outside_keep(&s->alloc, &s->outside))
        s->no_memory = true;
    if (!s->quick || w->lent || !len)
        return feed(s, bytes, len);
    if (w->own.len)
        return feed_behind(s, bytes, len);
    sluice__window_lend_alone(w, bytes, len);
    s->passed = false;
    return SLUICE_OK;
}

/* Notes that the bytes [from, to) of the response are one special token. */
static bool note_token(sluice_stream *s, uint64_t from, uint64_t to) {
    sluice__aside *a = sluice__get_aside(s);
    size_t gone = 0;
    if (!a)
        return false;
    while (gone < a->tokens.count && a->tokens.at[gone + 1] <= s->window.base)
        gone += 2;
    if (gone && (gone == a->tokens.count || gone > a->tokens.count / 2)) {
        a->tokens.count -= gone;
        memmove(a->tokens.at, a->tokens.at + gone, a->tokens.count * sizeof *a->tokens.at);
    }
    if (!sluice__array_grow(&s->alloc, (void **)&a->tokens.at, &a->tokens.cap, a->tokens.count + 2,
                            sizeof *a->tokens.at))
        return false;
    a->tokens.at[a->tokens.count++] = from;
    a->tokens.at[a->tokens.count++] = to;
    return true;
}

int sluice_stream_feed_special(sluice_stream *s, const char *bytes, size_t len) {
    if (!s || (!bytes && len))
        return SLUICE_E_ARGUMENT;
    const sluice__settings *set = s->root_format->several ? s->root_settings : &s->set;
    if (set->tokens && len && !s->finished && !s->no_memory) {
        const sluice__window *w = &s->window;
        uint64_t from = w->base + w->len; /* after the visible and the lent bytes */
        if (w->lent && !w->lends)
            from += w->lent_len - w->copied;
        if (!note_token(s, from, from + len)) {
            s->no_memory = true;
            return SLUICE_E_NOMEM;
        }
    }
    return sluice_stream_feed(s, bytes, len);
}

size_t sluice_stream_closing(const sluice_stream *s, char *buffer, size_t size) {
    if (s && s->closes)
        return sluice__closing_write(&s->closing, buffer, size);
    if (buffer && size)
        buffer[0] = 0;
    return 0;
}

int sluice_stream_finish(sluice_stream *s) {
    if (!s)
        return SLUICE_E_ARGUMENT;
    /* bytes that stood by are read before the end is known, as if they had been read on arrival */
    s->ends_next = !s->finished && s->quick == SLUICE__STANDS_BY;
    s->finished = !s->ends_next;
    s->waits = false;
    s->quick = SLUICE__NOT_QUICK;
    return SLUICE_OK;
}

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
    if (sluice__staged(s) && s->call.stage_sent < keep)
        keep = s->call.stage_sent;
    return keep < s->window.base ? s->window.base : keep;
}

/* A byte order mark at the start of the response is markup; the start of the message follows it. */
static sluice__step step_mark(sluice_stream *s) {
    static const char mark[] = "\xEF\xBB\xBF";
    size_t n = (size_t)sluice__visible(s);
    n = n < 3 ? n : 3;
    if (n && memcmp(sluice__at(s, 0), mark, n) == 0) {
        if (n < 3 && !sluice__at_end(s))
            return SLUICE__MORE;
        if (n == 3) {
            s->pos = s->scan = 3;
            return sluice__gap(s, 3) ? SLUICE__AGAIN : SLUICE__NOMEM;
        }
    }
    return s->mode == SLUICE__IN_REASON_MODE ? sluice__step_reasoning(s) : sluice__step_text(s);
}

/* Can the next chunk be read as plain text or reasoning? Held bytes are then examined once more, so
 * they may only be the start of a literal or of a character, or white space that a closer drops. */
static void begin_text(sluice_stream *s) {
    const sluice__window *w = &s->window;
    bool reason = s->mode == SLUICE__IN_REASON_MODE;
    s->quick = SLUICE__NOT_QUICK;
    if (s->leading_space && sluice__stand_by(s))
        return;
    sluice__wait_for_any(s);
    if (w->base != s->sent || w->len > SLUICE__AT_ONCE)
        return;
    if (reason ? s->reasoning_begun
               : s->leading_space || s->format->bare_at_line ||
                     (s->scan != s->sent && (!w->len || (unsigned char)w->data[0] < 0x80)))
        return;
    s->pos = s->scan = s->sent;
    s->quick = reason ? SLUICE__REASON_FLOWS : SLUICE__TEXT_FLOWS;
    s->ends = reason ? s->format->reasoning : s->text;
    s->odd = s->ends->prints.first;
    s->passed = true;
}

/* Decides how the next chunk is read. True: bytes are visible with which a value begins. */
static bool begin_quick(sluice_stream *s) {
    if (s->mode != SLUICE__IN_BLOCK_MODE) {
        begin_text(s);
        return false;
    }
    sluice__flow_begin(s);
    if (!s->starts)
        return false;
    s->starts = s->passed = false;
    return true;
}

/* The bytes with which a value begins were kept, and its chunk is done. */
static sluice_next begin_value(sluice_stream *s, sluice_event *event) {
    sluice_next next = sluice__flow(s, event);
    if (next == SLUICE_EVENT && s->quick && s->passed) /* the rest is held */
        sluice__window_skip(&s->window, sluice__minus(s->sent, s->window.base));
    return next;
}

/* Returns the next event if it is not just plain text. */
sluice_next sluice__next_event(sluice_stream *s, sluice_event *event) {
    for (;;) {
        size_t ready = sluice__staged(s) ? s->call.stage : s->count;
        if (s->head < ready && !s->joins) {
            sluice__hand_out(s, event);
            return SLUICE_EVENT;
        }
        if (s->head && s->head == s->count && !sluice__staged(s)) {
            s->head = s->count = 0;
            s->scratch.len = 0;
        }
        if (s->no_memory) {
            if (s->done)
                return SLUICE_DONE;
            s->done = true;
            static const char message[] = "out of memory";
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
            sluice__wait_for_any(s);
            s->joins = s->starts = false;
            sluice__step step = s->mode == SLUICE__IN_BLOCK_MODE          ? sluice__step_block(s)
                                : !s->pos && !s->sent && s->leading_space ? step_mark(s)
                                : s->mode == SLUICE__IN_REASON_MODE ? sluice__step_reasoning(s)
                                                                    : sluice__step_text(s);
            if (step == SLUICE__NOMEM) {
                s->no_memory = true;
                s->count = sluice__staged(s) ? s->call.stage : s->count;
                s->call.stage = SIZE_MAX;
                continue;
            }
            if (step == SLUICE__AGAIN)
                continue;
            s->waits = true;
            if (s->head < (sluice__staged(s) ? s->call.stage : s->count))
                continue; /* events that point into the window go out before it moves */
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
        if (s->ends_next) {
            s->ends_next = s->waits = false;
            s->finished = true;
            continue;
        }
        if (s->finished) { /* an operation that waits at the end would wait forever */
            s->no_memory = true;
            continue;
        }
        if (!sluice__window_return(&s->alloc, &s->window, keep)) {
            s->no_memory = true;
            continue;
        }
        if (!begin_quick(s))
            return SLUICE_NEED_INPUT;
        if (s->quick == SLUICE__RAW_FLOWS)
            return begin_value(s, event);
        s->waits = false;
    }
}

__attribute__((noinline)) sluice_next sluice__hold(sluice_stream *s, sluice_event *event) {
    const sluice__window *w = &s->window;
    if (s->sent == w->base && (!w->lent || (!w->lends && w->copied == w->lent_len)))
        return sluice__keep_standing(s); /* it is already kept */
    s->passed = true;
    if (sluice__window_keep(&s->window, s->sent) ||
        sluice__window_return(&s->alloc, &s->window, s->sent))
        return SLUICE_NEED_INPUT;
    s->no_memory = true;
    s->quick = SLUICE__NOT_QUICK;
    return sluice__next_event(s, event);
}

/* Reports the visible bytes up to `upto` as TEXT or REASONING. */
static inline sluice_next text_event(sluice_stream *s, sluice_event *event, uint64_t upto) {
    const sluice__window *w = &s->window;
    sluice__plain_event(event, s->quick == SLUICE__TEXT_FLOWS ? SLUICE_TEXT : SLUICE_REASONING,
                        w->data + sluice__minus(s->sent, w->base), sluice__minus(upto, s->sent),
                        s->sent, upto, s->calls);
    s->pos = s->scan = s->sent = upto;
    return SLUICE_EVENT;
}

/* Returns the end of the plain text that begins at `from`, as an offset in the window: at a
 * literal, or at a possible start of a literal or of a character (*held). */
static size_t plain_text(sluice_stream *s, size_t from, bool *held) {
    const sluice__window *w = &s->window;
    const char *p = w->data + from;
    size_t n = sluice__minus(w->len, from), next = 0, unread = 0, at, item;
    sluice__hits hits = {0, 0, 0};
    *held = true;
    if (n < SLUICE__FIND_LEAST)
        return sluice__plain_bytes(s, from, held);
    for (;;) {
        sluice__match m = sluice__markers_next(s->text, p, n, false, &hits, next, &at, &item);
        const sluice__marker *found = m == SLUICE__YES ? &s->text->items[item] : NULL;
        bool ticks = found && sluice__is_ticks(found);
        if (found && !ticks && sluice__is_idle(s, found)) {
            next = at + 1;
            continue;
        }
        if (m == SLUICE__NO)
            at -= sluice__utf8_tail(p + next, at - next);
        sluice__read_ticks(s, w->base + from + unread, w->base + from + at);
        if (ticks) {
            next = unread = at + sluice__plain_ticks(s, from + at, held);
            if (next > at)
                continue;
        } else if (found) {
            *held = false;
        }
        return from + at;
    }
}

/* Reports text up to a possible literal or a cut character, or handles what is there. */
__attribute__((noinline)) static sluice_next next_text(sluice_stream *s, sluice_event *event) {
    bool held;
    size_t from = sluice__minus(s->sent, s->window.base), upto = plain_text(s, from, &held);
    s->passed = held;
    if (upto > from) {
        text_event(s, event, s->window.base + upto);
        if (upto == s->window.len)
            sluice__window_pass(&s->window);
        return SLUICE_EVENT;
    }
    if (held)
        return sluice__hold(s, event);
    s->waits = false;
    s->quick = SLUICE__NOT_QUICK;
    return sluice__next_event(s, event);
}

/* Reports reasoning up to a possible literal, to white space that a closer may drop, or to a cut
 * character; or handles what is there. */
__attribute__((noinline)) static sluice_next next_reasoning(sluice_stream *s, sluice_event *event) {
    sluice__window *w = &s->window;
    size_t at, item;
    if (sluice__markers_find(s->ends, w->data, w->len, false, &at, &item) == SLUICE__YES) {
        s->waits = false;
        s->quick = SLUICE__NOT_QUICK;
        return sluice__next_event(s, event);
    }
    uint64_t upto = w->base + at;
    uint64_t tail = sluice__tail_of(s, s->sent, upto, s->format->pairs[s->pair].trail);
    if (!tail && at == w->len)
        tail = sluice__utf8_tail(w->data, at);
    upto -= tail;
    if (upto == s->sent)
        return sluice__hold(s, event);
    s->passed = upto < sluice__window_end(w);
    text_event(s, event, upto);
    if (!s->passed)
        sluice__window_pass(w);
    return SLUICE_EVENT;
}

/* Reports text in which no literal begins; its last character may be cut. */
__attribute__((noinline)) static sluice_next whole_text(sluice_stream *s, sluice_event *event) {
    sluice__window *w = &s->window;
    size_t upto = w->len - sluice__utf8_tail(w->data, w->len);
    if (!upto)
        return sluice__hold(s, event);
    s->passed = upto < w->len;
    text_event(s, event, w->base + upto);
    if (!s->passed)
        sluice__window_pass(w);
    return SLUICE_EVENT;
}

static inline sluice_next look(sluice_stream *s, sluice_event *event) {
    return s->quick > SLUICE__REASON_FLOWS    ? sluice__flow(s, event)
           : s->quick == SLUICE__REASON_FLOWS ? next_reasoning(s, event)
                                              : next_text(s, event);
}

/* Reports a chunk of text or reasoning without an odd byte. */
__attribute__((noinline)) static sluice_next plain_text_chunk(sluice_stream *s,
                                                              sluice_event *event) {
    sluice__window *w = &s->window;
    unsigned char last = (unsigned char)w->data[w->len - 1];
    if (last >= 0x80)
        return whole_text(s, event);
    if (s->quick == SLUICE__REASON_FLOWS && sluice__is_space((char)last))
        return next_reasoning(s, event);
    text_event(s, event, w->base + w->len);
    sluice__window_pass(w);
    return SLUICE_EVENT;
}

/* Most of a response is text, or a string of arguments; while nothing is queued, it goes out
 * without a copy (`quick`). Short chunks without odd bytes are the most frequent, and make
 * no call. */
static sluice_next next(sluice_stream *s, sluice_event *event) {
    enum { SHORT = 16 };
    if (!s->quick)
        return sluice__next_event(s, event);
    sluice__window *w = &s->window;
    size_t n = w->len;
    if (!n) { /* the chunk is used up */
        w->lent = NULL;
        return SLUICE_NEED_INPUT;
    }
    if (s->passed) /* without a chunk, all is held already */
        return w->lent ? sluice__hold(s, event) : SLUICE_NEED_INPUT;
    const uint8_t *odd = s->odd;
    const unsigned char *p = (const unsigned char *)w->data, *end = p + n;
    if (!odd || n > SHORT || s->sent != w->base || s->ticks)
        return look(s, event);
    for (; end - p >= 4; p += 4)
        if (odd[p[0]] | odd[p[1]] | odd[p[2]] | odd[p[3]])
            return look(s, event);
    for (; p < end; p++)
        if (odd[*p])
            return look(s, event);
    return s->quick <= SLUICE__REASON_FLOWS ? plain_text_chunk(s, event)
                                            : sluice__plain_chunk(s, event);
}

sluice_next sluice_stream_next(sluice_stream *s, sluice_event *event) {
    if (!s)
        return SLUICE_DONE;
    sluice__outside *o = &s->outside;
    if (o->held) {
        if (sluice__outside_told(o, event))
            return SLUICE_EVENT;
        o->held = false;
        *event = o->event;
        return SLUICE_EVENT;
    }
    for (;;) {
        sluice_next went = next(s, event);
        if (went == SLUICE_NEED_INPUT)
            return went;
        bool ends = went == SLUICE_DONE, kept = !ends && event->type == SLUICE_MARKUP;
        if (!sluice__outside_take(&s->alloc, o, ends ? NULL : event))
            s->no_memory = true;
        if (ends)
            return sluice__outside_told(o, event) ? SLUICE_EVENT : SLUICE_DONE;
        if (kept && !s->set.markup)
            continue;
        if (event->type == SLUICE_TEXT || kept)
            return SLUICE_EVENT;
        o->event = *event;
        o->held = sluice__outside_told(o, event);
        return SLUICE_EVENT;
    }
}

sluice_counts sluice_stream_counts(const sluice_stream *s) {
    return s ? s->outside.counts : (sluice_counts){0};
}

sluice_state sluice_stream_state(const sluice_stream *s, const char **name, size_t *held) {
    if (!s) {
        if (name)
            *name = NULL;
        if (held)
            *held = 0;
        return SLUICE_IN_TEXT;
    }
    if (name)
        *name = s->call.open && !sluice__staged(s) ? s->call.name.data : NULL;
    if (held)
        *held = (size_t)(sluice__window_end(&s->window) -
                         (s->sent < s->window.base ? s->window.base : s->sent));
    if (s->mode == SLUICE__IN_BLOCK_MODE)
        return s->call.open && !sluice__staged(s) ? SLUICE_IN_CALL : SLUICE_IN_POSSIBLE_BLOCK;
    if (s->mode == SLUICE__IN_REASON_MODE)
        return SLUICE_IN_REASONING;
    return held && *held ? SLUICE_IN_POSSIBLE_BLOCK : SLUICE_IN_TEXT;
}
