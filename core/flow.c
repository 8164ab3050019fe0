/*
 * The fast paths of a chunk in a block. Everything else takes the slow path, which reads as if the
 * bytes had come in one chunk.
 *
 * Standing by: the chunk only continues a literal, a key or a name that the stream waits for. It is
 * appended.
 *
 * Flowing: the chunk continues a string of arguments, as most chunks of a call do. It becomes an
 * event without the queue or the reader. Only its end may be held: blanks that a closer might drop,
 * or the start of a literal, of an escape or of a character.
 *
 * Steps: the chunk continues JSON arguments between strings. The reader goes on from token to
 * token.
 */
#include "parts.h"
#include "utf8.h"

enum { MOST = 64 }; /* larger chunks are read in runs anyway */

/* Returns the first odd byte, or `end`. */
static inline const char *first_odd(const uint8_t *odd, const char *text, const char *end) {
    const unsigned char *p = (const unsigned char *)text, *stop = (const unsigned char *)end;
    while (stop - p >= 4 && !(odd[p[0]] | odd[p[1]] | odd[p[2]] | odd[p[3]]))
        p += 4;
    while (p < stop && !odd[*p])
        p++;
    return (const char *)p;
}

/* ---- Chunks that only continue what the stream waits for --------------------------------------
 */

/* May a literal of the set begin at p? Then the rest of it is waited for. */
static bool begins(sluice__standby *by, const sluice__markers *set, const char *p,
                   const char *end) {
    sluice__walk walk = {0, 0, 0};
    size_t item;
    bool may = sluice__markers_walk(set, &walk, p, (size_t)(end - p), false, &item) == SLUICE__WAIT;
    if (may)
        *by = (sluice__standby){.set = set, .walk = walk};
    return may;
}

/* True if it is known what follows this literal of the text. */
static bool opens(const sluice_stream *s, size_t item) {
    const sluice__standby *behind = s->format->behind;
    return behind && s->mode == SLUICE__IN_TEXT_MODE && (behind[item].set || behind[item].odd);
}

bool sluice__only_continues(sluice_stream *s) {
    const sluice__window *w = &s->window;
    size_t kept = w->lends ? 0 : w->kept, item;
    const char *p = w->data + kept, *end = w->data + w->len;
    sluice__standby *by = &s->standby;
    if (sluice__window_end(w) > s->reach || (w->lends && by->set && by->walk.length))
        return false;
    while (by->set) {
        if (by->blanks && !by->walk.length) {
            while (p < end && sluice__is_space(*p))
                p++;
            if (p == end)
                return w->len <= 2 * MOST && w->len < s->set.limit_held;
        }
        size_t start = (size_t)(p - w->data) - by->walk.length;
        sluice__match m =
            sluice__markers_walk(by->set, &by->walk, p, (size_t)(end - p), false, &item);
        if (m != SLUICE__YES)
            return m == SLUICE__WAIT;
        p = w->data + start + by->set->items[item].len;
        if (by->set == s->format->text && opens(s, item)) {
            *by = s->format->behind[item];
        } else if (!(by->then || by->ends) || item != by->item) {
            return false;
        } else if (!by->then) {
            return begins(by, by->ends, p, end);
        } else {
            by->odd = by->then;
            by->set = NULL;
        }
        if (!by->set)
            by->walk.length = (uint32_t)w->len + MOST;
    }
    if (!by->odd || w->len > by->walk.length)
        return false;
    for (; (p = first_odd(by->odd, p, end)) < end && by->passes; p++)
        by->passes--;
    return p == end || (by->ends && begins(by, by->ends, p, end));
}

void sluice__note_wait(sluice_stream *s, const sluice__markers *set, size_t at) {
    enum { LEAST = 3 }; /* fewer are mostly none: text is looked at again then, and that costs */
    const sluice__window *w = &s->window;
    sluice__walk walk = {0, 0, 0};
    size_t item;
    s->standby.set = NULL;
    if (w->len - at >= LEAST && set->first[(unsigned char)w->data[at]] &&
        sluice__markers_walk(set, &walk, w->data + at, w->len - at, false, &item) == SLUICE__WAIT)
        s->standby = (sluice__standby){.set = set, .walk = walk};
}

bool sluice__stand_by(sluice_stream *s) {
    sluice__standby *by = &s->standby;
    if ((!by->set && !by->odd) || sluice__window_end(&s->window) > s->reach)
        return false;
    if (!by->set)
        by->walk.length = (uint32_t)s->window.len + MOST;
    s->odd = NULL;
    s->passed = true;
    s->quick = SLUICE__STANDS_BY;
    return true;
}

/* ---- May the next chunk flow? -------------------------------------------------------------- */

static const sluice__markers *ends_of(const sluice__op *op) {
    return op->quoting ? op->quoting->marks : op->set;
}

static bool raw_flows(sluice_stream *s) {
    const sluice__op *op = s->op;
    if (op->mode > SLUICE__TYPED || op->one_line || op->quoted || op->as || op->escaper.part_len ||
        (op->started ? op->from != s->sent : s->set.markup))
        return false;
    s->ends = ends_of(op);
    s->closer = 0;
    s->odd = op->noted && op->mode == SLUICE__STREAMED ? s->ends->odd : NULL;
    return true;
}

/* True if the reader holds exactly the bytes of the window from `sent` on. */
static bool is_kept(const sluice_stream *s) {
    const sluice__buffer *pending = &s->reader->pending;
    return pending->len == s->op->at - s->sent &&
           (!pending->len || memcmp(pending->data, s->window.data, pending->len) == 0);
}

/* Sets how the next chunk of JSON arguments is read: as text of a string, or by steps. */
static void go_on(sluice_stream *s, bool in_string) {
    s->quick = in_string ? SLUICE__JSON_FLOWS : SLUICE__JSON_STEPS;
    s->odd = in_string ? sluice__odd_in_string : NULL;
}

/* Decides how the next chunk of JSON arguments is read. */
static void json_flows(sluice_stream *s) {
    const sluice__reader *r = s->reader;
    if (s->op->quoted || s->op->value || s->op->at != s->pos || !is_kept(s))
        return;
    bool in_string = s->op->at == s->sent && sluice__reader_in_string(r);
    if (in_string && r->flags & SLUICE__PYTHON) {
        s->quick = SLUICE__PYTHON_FLOWS;
        s->odd = NULL;
    } else if (in_string || sluice__reader_steps(r)) {
        go_on(s, in_string);
    }
}

void sluice__flow_begin(sluice_stream *s) {
    s->quick = SLUICE__NOT_QUICK;
    if (s->finished || sluice__stand_by(s))
        return;
    if (!s->step || !s->call.open || sluice__staged(s) || s->set.parameters || s->set.source ||
        s->window.len > MOST || s->sent != s->window.base)
        return;
    if (sluice__is_reading_value(s) && raw_flows(s))
        s->quick = SLUICE__RAW_FLOWS;
    else if (sluice__is_reading_arguments(s))
        json_flows(s);
    s->passed = true;
}

/* ---- The chunk ----------------------------------------------------------------------------- */

/* Does the closer of the value and the next opener begin here, as they mostly do? */
static inline bool guess(sluice_stream *s, size_t at) {
    const sluice__window *w = &s->window;
    const sluice__marker *text = s->op->further ? &s->op->further->guesses[s->guess] : NULL;
    size_t n = w->len - at;
    if (!text || n >= text->len || s->set.tokens || memcmp(text->text, w->data + at, n) != 0)
        return false;
    s->standby = (sluice__standby){.guess = text, .walk.length = (uint32_t)n};
    return true;
}

/* Is there, at this offset of the window, a literal that may end the value? WAIT: the visible bytes
 * end inside it; its rest is then waited for. */
__attribute__((noinline)) static sluice__match meet_end(sluice_stream *s, size_t at) {
    const sluice__window *w = &s->window;
    sluice__walk walk = {0, 0, 0};
    size_t item;
    s->op->noted = false;
    if (guess(s, at))
        return SLUICE__WAIT;
    sluice__match m = sluice__markers_walk(s->ends, &walk, w->data + at, w->len - at, false, &item);
    if (m == SLUICE__WAIT)
        s->standby = (sluice__standby){.set = s->ends, .walk = walk};
    return m;
}

/* Finds how many visible bytes of a raw value can pass; *escapes of them become JSON escapes. The
 * rest may have to be held. False: take the slow path. */
static bool raw_passes(sluice_stream *s, const char *p, size_t n, size_t *passed, size_t *escapes) {
    const sluice__op *op = s->op;
    const uint16_t *first = s->ends->first;
    const uint8_t *odd = s->ends->odd;
    size_t i = 0, some = 0;
    while (i < n) {
        unsigned char c = (unsigned char)p[i];
        if (!odd[c]) {
            i++;
            continue;
        }
        if (first[c]) {
            s->odd = NULL;
            sluice__match m = meet_end(s, i);
            if (m == SLUICE__YES)
                return false;
            if (m == SLUICE__WAIT)
                break;
        }
        if (c >= 0x80) {
            int len = sluice__utf8_sequence(p + i, n - i);
            if (len < 0)
                return false;
            if (len == 0) { /* blanks before it do not end the value */
                *passed = i;
                *escapes = some;
                return true;
            }
            i += (size_t)len;
            continue;
        }
        if (c < 0x20 && c != '\n' && c != '\t')
            return false;
        some += c < 0x20 || c == '"' || c == '\\';
        i++;
    }
    size_t upto = i;
    if (op->trim || op->quoting)
        while (upto && sluice__is_space(p[upto - 1])) {
            some -= p[upto - 1] == '\n' || p[upto - 1] == '\t';
            upto--;
        }
    if (i - upto > MOST)
        return false;
    if (!op->quoting && op->trail && *op->trail) {
        uint64_t at = s->sent + upto, tail = sluice__tail_of(s, s->sent, at, op->trail);
        for (; tail; tail--, upto--)
            some -= p[upto - 1] == '\n' || p[upto - 1] == '\t';
    }
    *passed = upto;
    *escapes = some;
    return true;
}

/* Writes the text with its escapes into the scratch buffer, which is free while nothing
 * is queued. */
static bool escape(sluice_stream *s, const char *p, size_t n) {
    s->scratch.len = 0;
    if (!sluice__buffer_reserve(&s->alloc, &s->scratch, 2 * n))
        return false;
    char *to = s->scratch.data;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        if (!sluice__odd_in_string[(unsigned char)c]) {
            *to++ = c;
            continue;
        }
        if (c == '\n' || c == '\t' || c == '"' || c == '\\') {
            *to++ = '\\';
            c = c == '\n' ? 'n' : c == '\t' ? 't' : c;
        }
        *to++ = c;
    }
    s->scratch.len = (size_t)(to - s->scratch.data);
    return true;
}

/* Reports the first `passed` visible bytes, written as JSON in `text`. */
static inline sluice_next tell(sluice_stream *s, sluice_event *event, const char *text, size_t len,
                               size_t passed) {
    sluice__plain_event(event, SLUICE_ARGUMENTS, text, len, s->sent, s->sent + passed, s->calls);
    s->sent = s->op->at = event->end;
    if (s->quick == SLUICE__RAW_FLOWS)
        s->op->from = s->sent;
    else
        s->pos = s->sent;
    if (passed == s->window.len)
        sluice__window_pass(&s->window);
    else
        s->passed = true;
    return SLUICE_EVENT;
}

/* Continues on the slow path. */
static sluice_next leave(sluice_stream *s, sluice_event *event) {
    s->quick = SLUICE__NOT_QUICK;
    s->waits = false;
    return sluice__next_event(s, event);
}

/* The same for bytes that go out unchanged and are kept for the check at the call's end. */
__attribute__((noinline)) static sluice_next keep_and_tell(sluice_stream *s, sluice_event *event,
                                                           size_t n) {
    if (!sluice__keep_arguments(s, s->window.data, n))
        return leave(s, event);
    return tell(s, event, s->window.data, n, n);
}

/* Reports the first n visible bytes unchanged. */
static inline sluice_next tell_plain(sluice_stream *s, sluice_event *event, size_t n) {
    return s->call.kept ? keep_and_tell(s, event, n) : tell(s, event, s->window.data, n, n);
}

/* Reads arguments between strings, and where a string begins or ends. */
__attribute__((noinline)) static sluice_next json_steps(sluice_stream *s, sluice_event *event) {
    const sluice__window *w = &s->window;
    size_t before = (size_t)(s->op->at - s->sent);
    sluice__stepped step;
    if (w->len > 2 * MOST)
        return leave(s, event);
    if (!sluice__reader_step(s->reader, w->data + before, w->len - before, &step)) {
        s->no_memory = true;
        return leave(s, event);
    }
    size_t passed = step.sure ? before + step.sure : 0;
    s->pos = s->op->at += step.used;
    if (step.odd && passed && s->head == s->count) { /* what follows may join the same event */
        s->joins = sluice__arguments(s, w->data, passed, s->sent + passed);
        s->no_memory |= !s->joins;
        return leave(s, event);
    }
    if (passed) {
        sluice__plain_event(event, SLUICE_ARGUMENTS, w->data, passed, s->sent, s->sent + passed,
                            s->calls);
        s->sent += passed;
        if (!step.nested)
            sluice__closing_at(&s->closing, step.in_string);
        if ((step.nested && !sluice__closing_add(&s->alloc, &s->closing, w->data, passed)) ||
            (s->call.kept && !sluice__keep_arguments(s, w->data, passed)))
            s->no_memory = true;
    }
    if (step.odd || s->no_memory) {
        s->quick = SLUICE__NOT_QUICK;
        s->waits = false;
        return passed ? SLUICE_EVENT : sluice__next_event(s, event);
    }
    go_on(s, s->op->at == s->sent && sluice__reader_in_string(s->reader));
    s->standby.odd = NULL;
    if (step.in_key) /* its end is waited for */
        s->standby =
            (sluice__standby){.odd = sluice__odd_in_string, .walk.length = (uint32_t)w->len + MOST};
    if (!passed)
        return sluice__hold(s, event);
    if (passed == w->len)
        sluice__window_pass(&s->window);
    else
        s->passed = true;
    return SLUICE_EVENT;
}

/* Handles bytes that cannot all go out unchanged. */
__attribute__((noinline)) static sluice_next flow_with_care(sluice_stream *s, sluice_event *event) {
    const char *text = s->window.data;
    size_t n = s->window.len, passed, len, escapes = 0;
    if ((s->quick == SLUICE__RAW_FLOWS && !s->op->opened) || n > 2 * MOST ||
        n > s->set.limit_held ||
        !(s->quick == SLUICE__RAW_FLOWS ? raw_passes(s, text, n, &passed, &escapes)
                                        : sluice__string_passes(text, n, &passed)))
        return leave(s, event);
    if (!passed)
        return sluice__hold(s, event);
    len = passed;
    if (escapes) {
        if (!escape(s, text, passed))
            return leave(s, event);
        text = s->scratch.data;
        len = s->scratch.len;
    }
    if (s->call.kept && !sluice__keep_arguments(s, text, len))
        return leave(s, event);
    if (s->quick == SLUICE__RAW_FLOWS && !s->op->noted)
        sluice__value_tail(s, s->window.data, passed);
    return tell(s, event, text, len, passed);
}

__attribute__((noinline)) static sluice_next flow_json(sluice_stream *s, sluice_event *event) {
    const char *text = s->window.data, *end = text + s->window.len;
    if (s->window.len > MOST)
        return flow_with_care(s, event);
    const char *odd = first_odd(sluice__odd_in_string, text, end);
    if (odd < end)
        return *odd == '"' && s->quick == SLUICE__JSON_FLOWS && s->reader->patient
                   ? json_steps(s, event)
                   : flow_with_care(s, event);
    return tell_plain(s, event, (size_t)(end - text));
}

__attribute__((noinline)) static sluice_next flow_python(sluice_stream *s, sluice_event *event) {
    uint64_t from = s->sent;
    const char *text = s->window.data;
    sluice_next next = flow_json(s, event);
    if (next == SLUICE_EVENT && s->quick) /* else the reader has seen the bytes */
        sluice__reader_passed(s->reader, text, (size_t)(s->sent - from));
    return next;
}

/* Writes the key, and the beginning of its value, or all of it, into `taken`. */
static bool write_member(sluice_stream *s, const char *begin, size_t n) {
    bool first = !s->call.has_arguments, member = s->call.key_pending;
    if (!sluice__put_begin(s, begin, n) ||
        (!member && !sluice__closing_add(&s->alloc, &s->closing, s->taken.data, s->taken.len)) ||
        (s->call.kept && !sluice__keep_arguments(s, s->taken.data, s->taken.len)))
        return false;
    if (member)
        sluice__closing_text(&s->closing, first);
    s->call.has_arguments = s->call.shown = true;
    return true;
}

/* The first bytes of a raw value go out unchanged, after its key. */
static sluice_next begin_raw(sluice_stream *s, sluice_event *event, size_t n) {
    char begin[1 + MOST];
    begin[0] = '"';
    sluice__copy_few(begin + 1, s->window.data, n);
    if (!write_member(s, begin, n + 1)) {
        s->no_memory = true;
        return leave(s, event);
    }
    s->op->opened = s->call.in_text = true;
    sluice__value_tail(s, s->window.data, n);
    return tell(s, event, s->taken.data, s->taken.len, n);
}

/* Returns how much of a raw value may go out: blanks at its end may belong to its closer. 0: use
 * flow_with_care. */
static inline size_t before_space(const sluice_stream *s, const char *text, size_t n) {
    if (!sluice__is_space(text[n - 1]))
        return n;
    if (!s->op->quoting && !s->op->trim)
        return 0;
    while (n && sluice__is_space(text[n - 1]))
        n--;
    return n;
}

/* Would this literal end the value, if the right one follows? */
static bool may_end(const sluice_stream *s, size_t item) {
    const sluice__op *op = s->op;
    const sluice__quoting *spec = op->quoting;
    if (s->set.tokens)
        return false;
    return spec ? spec->marks->items[item].role == SLUICE__PC && !spec->closer.ends &&
                      !s->quotes->count
                : op->set->items[item].role == SLUICE__CLOSER;
}

/* What decides whether the value ends at the closer that was read. */
static const sluice__markers *followers(const sluice_stream *s) {
    return s->op->quoting ? s->op->quoting->marks : s->op->confirm;
}

/* Reads what follows the closer: blanks, and one of those literals. */
static sluice__match read_follower(sluice_stream *s, size_t *item) {
    const sluice__window *w = &s->window;
    size_t at = s->closer;
    sluice__walk walk = {0, 0, 0};
    while (at < w->len && sluice__is_space(w->data[at]))
        at++;
    if (at - s->closer >= s->set.limit_header || w->len > 2 * MOST)
        return SLUICE__NO;
    if (at == w->len)
        return SLUICE__WAIT;
    const sluice__markers *set = followers(s);
    sluice__match m = sluice__markers_walk(set, &walk, w->data + at, w->len - at, false, item);
    if (m == SLUICE__WAIT)
        s->standby = (sluice__standby){.set = set, .walk = walk};
    return m;
}

/* The chunk ends the guess, which begins at this offset of the window: its closer counts if it is
 * there. YES: so is the opener, and the value ends; *item: the opener. NO: nothing is known. */
static sluice__match end_guess(sluice_stream *s, size_t from, size_t *item) {
    const sluice__window *w = &s->window;
    const sluice__further *next = s->op->further;
    const sluice__marker *guess = s->standby.guess;
    size_t seen = s->standby.walk.length, n = guess->len;
    uint16_t closer = s->op->quoting ? next->quoting.closer : next->plain.closer;
    uint16_t opener = s->op->quoting ? next->quoting.opener : next->plain.opener;
    s->standby = (sluice__standby){.set = s->ends};
    if (closer == SLUICE__NO_ITEM || opener == SLUICE__NO_ITEM || from > MOST ||
        seen < s->ends->items[closer].len || s->set.limit_header < 2 || !may_end(s, closer))
        return SLUICE__NO;
    s->standby.set = NULL;
    s->closer_item = closer;
    s->closer = (uint16_t)(from + s->ends->items[closer].len);
    *item = opener;
    return w->len - from >= n && memcmp(w->data + from + seen, guess->text + seen, n - seen) == 0
               ? SLUICE__YES
               : SLUICE__NO;
}

/* The chunk goes on behind the beginning of a closer, or behind a closer. Does the value end there?
 * WAIT: that is still open; NO: not known here. *item: what follows the closer. */
static sluice__match read_end(sluice_stream *s, size_t *item) {
    const sluice__window *w = &s->window;
    sluice__standby *by = &s->standby;
    size_t from = w->kept;
    if (w->lends || sluice__window_end(w) > s->reach) {
        by->set = NULL;
        by->guess = NULL;
        return SLUICE__NO;
    }
    if (by->guess) { /* all of it is there now, or the guess was wrong */
        from -= by->walk.length;
        if (end_guess(s, from, item) == SLUICE__YES)
            return SLUICE__YES;
    }
    const sluice__markers *set = by->set;
    if (set) {
        size_t at = from - by->walk.length;
        sluice__match m =
            sluice__markers_walk(set, &by->walk, w->data + from, w->len - from, false, item);
        if (m == SLUICE__WAIT)
            return m;
        by->set = NULL;
        size_t closer = at + (m == SLUICE__YES ? set->items[*item].len : 0);
        if (s->closer || m == SLUICE__NO || closer > 2 * MOST || !may_end(s, *item))
            return m;
        s->closer_item = (uint16_t)*item;
        s->closer = (uint16_t)closer;
    }
    return read_follower(s, item);
}

/* After the closer, this literal was read: if it is known what follows it, that is waited for. Else
 * the machine goes on when the event is out. */
static void go_further(sluice_stream *s, const sluice__marker *m) {
    const sluice__window *w = &s->window;
    const sluice__further *next = s->op->further;
    s->quick = SLUICE__NOT_QUICK;
    s->waits = false;
    if (!next)
        return;
    const char *p = w->data + s->closer, *end = w->data + w->len;
    s->guess = !sluice__is_space(*p);
    while (sluice__is_space(*p))
        p++;
    p += m->len;
    if (sluice__marker_is(m, next->opener)) {
        if (first_odd(next->odd, p, end) < end)
            return; /* all of it is here */
        s->standby = (sluice__standby){.odd = next->odd, .passes = next->passes};
    } else if (next->behind && sluice__marker_is(m, next->exit)) {
        while (p < end && sluice__is_space(*p))
            p++;
        if (!begins(&s->standby, next->behind, p, end))
            return;
        s->standby.blanks = true;
    } else {
        return;
    }
    sluice__stand_by(s);
}

/* True if nothing about the end of the value is in doubt. */
static bool ends_plainly(const sluice_stream *s, size_t follower) {
    const sluice__op *op = s->op;
    if (op->escaper.bad || op->doubtful || op->fence || op->mended)
        return false;
    return !op->quoting ||
           ((followers(s)->items[follower].role & ~(unsigned)SLUICE__TAG) == SLUICE__PO &&
            !s->quotes->chain);
}

/* Returns the end of the value's text, if its closer is at `at`. */
static uint64_t text_end(const sluice_stream *s, uint64_t at) {
    const sluice__op *op = s->op;
    if (!op->trim)
        return sluice__without_tail(s, op->from, at, op->trail);
    while (at > op->from && sluice__is_space(*sluice__at(s, at - 1)))
        at--;
    return at;
}

/* The value is over; its closer is at `at`. */
static sluice_next value_is_over(sluice_stream *s, uint64_t at, size_t follower) {
    s->call.in_text = s->locked = s->hit_end = false;
    s->result.item = s->closer_item;
    s->result.start = s->pos = at;
    s->result.ok = true;
    s->result.kind = 0;
    if (s->op->at > s->looked)
        s->looked = s->op->at;
    if (s->looked > s->furthest)
        s->furthest = s->looked;
    s->step = NULL;
    go_further(s, &followers(s)->items[follower]);
    return SLUICE_EVENT;
}

/* The value ends at the closer, and its type is decided now: reports it, if it is JSON as it is. */
static sluice_next end_typed(sluice_stream *s, sluice_event *event, size_t follower) {
    const sluice__op *op = s->op;
    uint64_t at = s->window.base + s->closer - s->ends->items[s->closer_item].len,
             upto = text_end(s, at);
    size_t n = (size_t)(upto - op->from), len = n;
    const char *text = n ? sluice__at(s, op->from) : "", *json = text;
    if (!ends_plainly(s, follower) || s->sent != op->from || n > s->set.limit_value ||
        !sluice__typed_as_it_is(&json, &len, op->types))
        return leave(s, event);
    sluice__value_tail(s, text, n);
    if (!write_member(s, json, len)) {
        s->no_memory = true;
        return leave(s, event);
    }
    sluice__closing_at(&s->closing, false);
    sluice__plain_event(event, SLUICE_ARGUMENTS, s->taken.data, s->taken.len, s->sent, upto,
                        s->calls);
    s->sent = upto;
    return value_is_over(s, at, follower);
}

/* The value ends at the closer, and all of it was reported: closes the string. */
static sluice_next end_raw(sluice_stream *s, sluice_event *event, size_t follower) {
    static const char quote[] = "\"";
    uint64_t at = s->window.base + s->closer - s->ends->items[s->closer_item].len;
    if (s->op->mode == SLUICE__TYPED)
        return end_typed(s, event, follower);
    if (!s->op->opened || !ends_plainly(s, follower) || text_end(s, at) > s->op->from ||
        (s->call.kept && !sluice__keep_arguments(s, quote, 1)))
        return leave(s, event);
    sluice__closing_at(&s->closing, false);
    sluice__plain_event(event, SLUICE_ARGUMENTS, quote, 1, s->sent, s->sent, s->calls);
    return value_is_over(s, at, follower);
}

/* The chunk follows the key: drops what precedes the value. False: take the slow path. */
static bool reach_value(sluice_stream *s) {
    sluice__window *w = &s->window;
    if (sluice__window_end(w) > s->reach || sluice__value_begin(s) <= 0 || s->sent != s->op->from)
        return false;
    sluice__window_skip(w, (size_t)(s->sent - w->base));
    return true;
}

/* Adds to a value whose type is decided at its end. */
static sluice_next hold_typed(sluice_stream *s, sluice_event *event) {
    const sluice__window *w = &s->window;
    sluice__op *op = s->op;
    size_t i = (size_t)(op->at - w->base), first = 0;
    while (first < w->len && sluice__is_space(w->data[first]))
        first++;
    if (w->len > MOST || w->len > s->set.limit_value || sluice__window_end(w) > s->reach ||
        (op->types & SLUICE__STRING && first < w->len &&
         sluice__only_string(op->types, (unsigned char)w->data[first])))
        return leave(s, event);
    for (; i < w->len; i++) {
        sluice__match m = s->ends->first[(unsigned char)w->data[i]] ? meet_end(s, i) : SLUICE__NO;
        if (m == SLUICE__YES)
            return leave(s, event);
        if (m == SLUICE__WAIT)
            break;
    }
    op->at = w->base + i;
    return sluice__hold(s, event);
}

__attribute__((noinline)) static sluice_next flow_raw(sluice_stream *s, sluice_event *event) {
    if (!s->op->started && !reach_value(s))
        return leave(s, event);
    const char *text = s->window.data, *end = text + s->window.len;
    const uint8_t *odd = s->ends->odd;
    if (text == end)
        return sluice__hold(s, event);
    if (s->standby.set || s->standby.guess || s->closer) {
        size_t follower;
        sluice__match end = read_end(s, &follower);
        if (end == SLUICE__WAIT)
            return sluice__keep_standing(s);
        if (s->closer)
            return end == SLUICE__YES ? end_raw(s, event, follower) : leave(s, event);
    }
    if (s->op->mode == SLUICE__TYPED)
        return hold_typed(s, event);
    if (s->window.len > MOST)
        return flow_with_care(s, event);
    const char *stop = first_odd(odd, text, end), *next = stop;
    if (s->op->quoting || s->op->trim) /* blanks before a closer do not count */
        while (next < end && (*next == '\n' || *next == ' ' || *next == '\t'))
            next++;
    if (next < end && (!s->ends->first[(unsigned char)*next] ||
                       meet_end(s, (size_t)(next - text)) != SLUICE__WAIT))
        return flow_with_care(s, event);
    if (stop == text)
        return sluice__hold(s, event);
    size_t n = before_space(s, text, (size_t)(stop - text));
    if (!n)
        return flow_with_care(s, event);
    if (!s->op->opened)
        return begin_raw(s, event, n);
    if (!s->op->noted)
        sluice__value_tail(s, text, n);
    s->odd = s->op->noted && stop == end ? odd : NULL;
    return tell_plain(s, event, n);
}

sluice_next sluice__plain_chunk(sluice_stream *s, sluice_event *event) {
    const char *text = s->window.data;
    size_t n = s->window.len;
    if (s->quick == SLUICE__RAW_FLOWS && text[n - 1] == ' ') /* other white space is odd */
        n = before_space(s, text, n);
    return n ? tell_plain(s, event, n) : flow_with_care(s, event);
}

/* The text of a string has begun: is it certain how it goes on? */
__attribute__((noinline)) static sluice_next begin_string(sluice_stream *s, sluice_event *event) {
    if (!sluice__reader_is_no_path(s->reader, s->window.data, s->window.len))
        return json_steps(s, event);
    go_on(s, true);
    return flow_json(s, event);
}

/* True if no byte of the chunk ends the wait for an odd one. */
static inline bool is_even(const sluice_stream *s) {
    const sluice__window *w = &s->window;
    const char *end = w->data + w->len;
    return !w->lends && w->len <= s->standby.walk.length && sluice__window_end(w) <= s->reach &&
           first_odd(s->standby.odd, w->data + w->kept, end) == end;
}

/* Handles a chunk that may only continue a wait, or a raw value. */
static inline sluice_next stand_or_flow(sluice_stream *s, sluice_event *event) {
    const sluice__standby *by = &s->standby;
    bool raw = s->quick == SLUICE__RAW_FLOWS;
    if (by->set ? sluice__is_inside(s) : by->guess ? sluice__is_guessed(s) : by->odd && is_even(s))
        return sluice__keep_standing(s);
    if (!raw && sluice__only_continues(s))
        return sluice__stand_on(s, event);
    return raw ? flow_raw(s, event) : leave(s, event);
}

sluice_next sluice__flow(sluice_stream *s, sluice_event *event) {
    if (s->quick <= SLUICE__RAW_FLOWS)
        return stand_or_flow(s, event);
    switch (s->quick) {
    case SLUICE__JSON_STEPS:
        if (s->standby.odd && is_even(s))
            return sluice__keep_standing(s);
        return s->op->at == s->sent && sluice__reader_in_plain_text(s->reader)
                   ? begin_string(s, event)
                   : json_steps(s, event);
    case SLUICE__JSON_FLOWS:
        return flow_json(s, event);
    default:
        return flow_python(s, event);
    }
}
