/*
 * The fast path of raw values: their first bytes, their text, and their end, where nothing about it
 * is in doubt. See flow.c.
 */
#include "flow.h"
#include "utf8.h"

static const sluice__markers *ends_of(const sluice__op *op) {
    return op->quoting ? op->quoting->marks : op->set;
}

bool sluice__raw_flows(sluice_stream *s) {
    const sluice__op *op = s->op;
    if (op->mode > SLUICE__TYPED || op->one_line || op->quoted || op->as || op->escaper.part_len ||
        !op->started || op->from != s->sent)
        return false;
    s->ends = ends_of(op);
    s->closer = 0;
    s->odd = op->noted && op->mode == SLUICE__STREAMED ? s->ends->odd : NULL;
    return true;
}

/* Does the closer of the value and the next opener begin here, as they mostly do? */
static inline bool guess(sluice_stream *s, size_t at) {
    const sluice__window *w = &s->window;
    return s->op->guesses && sluice__guess(s, &s->op->guesses[s->guess], sluice__minus(w->len, at));
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
    sluice__match m =
        sluice__markers_walk(s->ends, &walk, w->data + at, sluice__minus(w->len, at), false, &item);
    if (m == SLUICE__WAIT)
        s->standby = (sluice__standby){.set = s->ends, .walk = walk};
    return m;
}

/* Notes a part of the value in which no literal can begin. */
static inline void note_plain(sluice_stream *s, const char *p, size_t n) {
    if (s->op->tail_for) {
        sluice__value_tail(s, p, n);
        return;
    }
    sluice__value_start(s, p, n);
    sluice__value_plain(s);
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
    if (i - upto > SLUICE__FLOW_MOST)
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
    s->scratch.len = sluice__minus(to, s->scratch.data);
    return true;
}

/* Handles bytes that cannot all go out unchanged. */
__attribute__((noinline)) static sluice_next with_care(sluice_stream *s, sluice_event *event) {
    const char *text = s->window.data;
    size_t n = s->window.len, passed, len, escapes = 0;
    if (!s->op->opened || n > 2 * SLUICE__FLOW_MOST || n > s->set.limit_held ||
        !raw_passes(s, text, n, &passed, &escapes))
        return sluice__flow_leave(s, event);
    if (!passed)
        return sluice__hold(s, event);
    len = passed;
    if (escapes) {
        if (!escape(s, text, passed))
            return sluice__flow_leave(s, event);
        text = s->scratch.data;
        len = s->scratch.len;
    }
    if (s->call.kept && !sluice__keep_arguments(s, text, len))
        return sluice__flow_leave(s, event);
    if (!s->op->noted)
        sluice__value_tail(s, s->window.data, passed);
    return sluice__flow_tell(s, event, text, len, passed);
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
    char begin[1 + SLUICE__FLOW_MOST];
    begin[0] = '"';
    sluice__copy_few(begin + 1, s->window.data, n);
    if (!write_member(s, begin, n + 1)) {
        s->no_memory = true;
        return sluice__flow_leave(s, event);
    }
    s->op->opened = s->call.in_text = true;
    note_plain(s, s->window.data, n);
    return sluice__flow_tell(s, event, s->taken.data, s->taken.len, n);
}

/* Returns how much of a raw value may go out: blanks at its end may belong to its closer. 0: use
 * with_care. */
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
    if (sluice__minus(at, s->closer) >= s->set.limit_header || w->len > 2 * SLUICE__FLOW_MOST)
        return SLUICE__NO;
    if (at == w->len)
        return SLUICE__WAIT;
    const sluice__markers *set = followers(s);
    sluice__match m =
        sluice__markers_walk(set, &walk, w->data + at, sluice__minus(w->len, at), false, item);
    if (m == SLUICE__WAIT)
        s->standby = (sluice__standby){.set = set, .walk = walk};
    return m;
}

/* The chunk ends the guess, which begins at this offset of the window: its closer counts if it is
 * there. YES: so is the opener, and the value ends; *item: the opener. NO: nothing is known. */
static sluice__match end_guess(sluice_stream *s, size_t from, size_t *item) {
    const sluice__further *next = s->op->further;
    sluice__ending ending = s->op->quoting ? next->quoting : next->plain;
    size_t seen = s->standby.walk.length;
    bool right = sluice__was_right(s);
    s->standby = (sluice__standby){.set = s->ends};
    if (ending.closer == SLUICE__NO_ITEM || ending.opener == SLUICE__NO_ITEM ||
        from > SLUICE__FLOW_MOST || seen < s->ends->items[ending.closer].len ||
        s->set.limit_header < 2 || !may_end(s, ending.closer))
        return SLUICE__NO;
    s->standby.set = NULL;
    s->closer_item = ending.closer;
    s->closer = (uint16_t)(from + s->ends->items[ending.closer].len);
    *item = ending.opener;
    return right ? SLUICE__YES : SLUICE__NO;
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
        sluice__match m = sluice__markers_walk(set, &by->walk, w->data + from,
                                               sluice__minus(w->len, from), false, item);
        if (m == SLUICE__WAIT)
            return m;
        by->set = NULL;
        size_t closer = at + (m == SLUICE__YES ? set->items[*item].len : 0);
        if (s->closer || m == SLUICE__NO || closer > 2 * SLUICE__FLOW_MOST || !may_end(s, *item))
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
        if (sluice__first_odd(next->odd, p, end) < end)
            return; /* all of it is here */
        s->standby = (sluice__standby){.odd = next->odd, .passes = next->passes};
    } else if (next->behind && sluice__marker_is(m, next->exit)) {
        while (p < end && sluice__is_space(*p))
            p++;
        if (!sluice__may_begin(&s->standby, next->behind, p, end))
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
    s->call.in_text = s->locked = false;
    s->result.item = s->closer_item;
    s->result.start = s->pos = at;
    s->result.ok = true;
    s->result.kind = 0;
    sluice__op_is_over(s);
    go_further(s, &followers(s)->items[follower]);
    return SLUICE_EVENT;
}

/* The value ends at the closer, and its type is decided now: reports it, if it is JSON as it is. */
static sluice_next end_typed(sluice_stream *s, sluice_event *event, size_t follower) {
    const sluice__op *op = s->op;
    uint64_t at = s->window.base + s->closer - s->ends->items[s->closer_item].len,
             upto = text_end(s, at);
    size_t n = sluice__minus(upto, op->from), len = n;
    const char *text = n ? sluice__at(s, op->from) : "", *json = text;
    if (!ends_plainly(s, follower) || s->sent != op->from || n > s->set.limit_value ||
        !sluice__typed_as_it_is(&json, &len, op->types))
        return sluice__flow_leave(s, event);
    sluice__value_tail(s, text, n);
    if (!write_member(s, json, len)) {
        s->no_memory = true;
        return sluice__flow_leave(s, event);
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
        return sluice__flow_leave(s, event);
    sluice__closing_at(&s->closing, false);
    sluice__plain_event(event, SLUICE_ARGUMENTS, quote, 1, s->sent, s->sent, s->calls);
    return value_is_over(s, at, follower);
}

/* The chunk follows the key: drops what precedes the value. False: take the slow path. */
static bool reach_value(sluice_stream *s) {
    sluice__window *w = &s->window;
    if (sluice__window_end(w) > s->reach || sluice__value_begin(s) <= 0 || s->sent != s->op->from)
        return false;
    sluice__window_skip(w, sluice__minus(s->sent, w->base));
    return true;
}

/* Adds to a value whose type is decided at its end. */
static sluice_next hold_typed(sluice_stream *s, sluice_event *event) {
    const sluice__window *w = &s->window;
    sluice__op *op = s->op;
    size_t i = sluice__minus(op->at, w->base), first = 0;
    while (first < w->len && sluice__is_space(w->data[first]))
        first++;
    if (w->len > SLUICE__FLOW_MOST || w->len > s->set.limit_value ||
        sluice__window_end(w) > s->reach ||
        (op->types & SLUICE__STRING && first < w->len &&
         sluice__only_string(op->types, (unsigned char)w->data[first])))
        return sluice__flow_leave(s, event);
    for (; i < w->len; i++) {
        sluice__match m = s->ends->first[(unsigned char)w->data[i]] ? meet_end(s, i) : SLUICE__NO;
        if (m == SLUICE__YES)
            return sluice__flow_leave(s, event);
        if (m == SLUICE__WAIT)
            break;
    }
    op->at = w->base + i;
    return sluice__hold(s, event);
}

sluice_next sluice__flow_raw(sluice_stream *s, sluice_event *event) {
    if (!s->op->started && !reach_value(s))
        return sluice__flow_leave(s, event);
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
            return end == SLUICE__YES ? end_raw(s, event, follower) : sluice__flow_leave(s, event);
    }
    if (s->op->mode == SLUICE__TYPED)
        return hold_typed(s, event);
    if (s->window.len > SLUICE__FLOW_MOST)
        return with_care(s, event);
    const char *stop = sluice__first_odd(odd, text, end), *next = stop;
    if (s->op->quoting || s->op->trim) /* blanks before a closer do not count */
        while (next < end && (*next == '\n' || *next == ' ' || *next == '\t'))
            next++;
    if (next < end && (!s->ends->first[(unsigned char)*next] ||
                       meet_end(s, sluice__minus(next, text)) != SLUICE__WAIT))
        return with_care(s, event);
    if (stop == text)
        return sluice__hold(s, event);
    size_t n = before_space(s, text, sluice__minus(stop, text));
    if (!n)
        return with_care(s, event);
    if (!s->op->opened)
        return begin_raw(s, event, n);
    if (!s->op->noted)
        note_plain(s, text, n);
    s->odd = s->op->noted && stop == end ? odd : NULL;
    return sluice__flow_plain(s, event, n);
}

sluice_next sluice__blank_raw(sluice_stream *s, sluice_event *event) {
    size_t n = before_space(s, s->window.data, s->window.len);
    return n ? sluice__flow_plain(s, event, n) : with_care(s, event);
}
