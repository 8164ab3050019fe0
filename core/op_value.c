/* The operation that reads a raw value. */
#include "parts.h"
#include "utf8.h"

void sluice__value_tail(sluice_stream *s, const char *p, size_t n) {
    sluice__op *op = s->op;
    char *tail = s->work->tail;
    size_t most = sizeof s->work->tail;
    const uint16_t *first = (op->quoting ? op->quoting->marks : op->set)->first;
    sluice__value_start(s, p, n);
    if (n > most) {
        p += n - most;
        n = most;
    }
    op->tail_for = (uint8_t)(op->tail_for > n ? op->tail_for - n : 0);
    for (size_t i = n; i > 0; i--)
        if (first[(unsigned char)p[i - 1]]) {
            op->tail_for = (uint8_t)(most - (n - i));
            break;
        }
    if (!op->tail_for) {
        sluice__value_plain(s);
        return;
    }
    op->noted = false;
    size_t keep = op->tail_len < most - n ? op->tail_len : most - n;
    memmove(tail, tail + (op->tail_len - keep), keep);
    memcpy(tail + keep, p, n);
    op->tail_len = (uint8_t)(keep + n);
}

static bool in_word(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

bool sluice__holds(const char *p, size_t n, const char *what, size_t len) {
    for (; n >= len; p++, n--)
        if (memcmp(p, what, len) == 0)
            return true;
    return false;
}

bool sluice__value_ends_like(const sluice_stream *s, const sluice__marker *closer) {
    size_t to = s->op->tail_len, from, lead = 0, n = closer->len;
    const char *text = closer->text, *tail = to ? s->work->tail : "";
    while (to && sluice__is_space(tail[to - 1]))
        to--;
    for (from = to; from && tail[from - 1] != '\n';)
        from--;
    while (n && sluice__is_space(*text))
        text++, n--;
    while (lead < n && lead < 2 && !in_word(text[lead]) && !sluice__is_space(text[lead]))
        lead++;
    return (lead == 2 && sluice__holds(tail + from, to - from, text, lead)) ||
           sluice__holds(tail, to, text, n);
}

bool sluice__value_is_blank(const sluice_stream *s) {
    for (size_t i = 0; i < s->op->start_len; i++)
        if (!sluice__is_space(s->work->start[i]))
            return false;
    for (size_t i = 0; i < s->op->tail_len; i++)
        if (!sluice__is_space(s->work->tail[i]))
            return false;
    return true;
}

bool sluice__value_begins_like(const sluice_stream *s, const sluice__marker *opener) {
    size_t from = 0, n = opener->len, len = s->op->start_len;
    const char *text = opener->text, *start = len ? s->work->start : "";
    while (from < len && sluice__is_space(start[from]))
        from++;
    while (n && sluice__is_space(*text))
        text++, n--;
    return n && ((from < len && !in_word(*text) && start[from] == *text) ||
                 sluice__holds(start, len, text, n));
}

/* Sends the value's text up to `upto` unchanged, or as markup if it is discarded. */
static bool send_plain(sluice_stream *s, uint64_t upto) {
    if (upto <= s->op->from)
        return true;
    if (s->op->mode == SLUICE__DISCARDED) {
        s->pos = s->op->from = upto;
        return sluice__gap(s, upto);
    }
    if (s->op->mode != SLUICE__STREAMED)
        return true;
    const char *p = sluice__at(s, s->op->from);
    size_t n = sluice__minus(upto, s->op->from);
    int began = 0;
    if (!s->op->opened) {
        if (!sluice__gap(s, s->op->from))
            return false;
        s->op->opened = s->call.in_text = true; /* if the call ends within it, it is closed */
        s->locked = true;
        began = sluice__write_string(s, p, n, upto);
        if (began < 0)
            return false;
    }
    sluice__value_tail(s, p, n);
    bool good = began > 0 || sluice__tell_escaped(s, &s->op->escaper, p, n, false, upto);
    good = good && sluice__shown(s, p, n, s->sent);
    s->op->from = upto;
    return good;
}

/* The entities that a value may have; SLUICE__ANGLES: only the first two. */
static const struct {
    const char *name, *text;
} entities[] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&apos;", "'"}};
enum { ENTITY_COUNT = 5, ENTITY_LONGEST = 6 };

/* Returns the entity that p[0..n) begins with, or ENTITY_COUNT. */
static size_t entity_at(const sluice_stream *s, const char *p, size_t n) {
    size_t count = s->op->as & SLUICE__ENTITIES ? ENTITY_COUNT : 2;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(entities[i].name);
        if (n >= len && memcmp(p, entities[i].name, len) == 0)
            return i;
    }
    return ENTITY_COUNT;
}

/* Returns the end of the text that has no start of an entity that may go on after `upto`. */
static uint64_t before_entity(const sluice_stream *s, uint64_t upto) {
    if (!(s->op->as & (SLUICE__ANGLES | SLUICE__ENTITIES)))
        return upto;
    for (uint64_t at = upto; at > s->op->from && sluice__minus(upto, at) < ENTITY_LONGEST;) {
        char c = *sluice__at(s, --at);
        if (c == '&')
            return entity_at(s, sluice__at(s, at), sluice__minus(upto, at)) < ENTITY_COUNT ? upto
                                                                                           : at;
        if (c == ';')
            return upto;
    }
    return upto;
}

/* Sends the value's text up to `upto`, with its entities replaced; or makes it markup. */
bool sluice__value_send(sluice_stream *s, uint64_t upto) {
    if (!(s->op->as & (SLUICE__ANGLES | SLUICE__ENTITIES)) || s->op->mode != SLUICE__STREAMED)
        return send_plain(s, upto);
    while (s->op->from < upto) {
        const char *p = sluice__at(s, s->op->from);
        size_t n = sluice__minus(upto, s->op->from);
        const char *amp = memchr(p, '&', n);
        size_t which = amp ? entity_at(s, amp, n - sluice__minus(amp, p)) : ENTITY_COUNT;
        if (which == ENTITY_COUNT) {
            size_t plain = amp ? sluice__minus(amp, p) + 1 : n;
            if (!send_plain(s, s->op->from + plain))
                return false;
            continue;
        }
        uint64_t at = s->op->from + (uint64_t)(amp - p);
        if (!send_plain(s, at))
            return false;
        if (!s->op->opened) {
            if (!sluice__gap(s, s->op->from) || !sluice__write_begin(s, "\"", 1, s->sent))
                return false;
            s->op->opened = s->locked = true;
        }
        s->op->from = at + strlen(entities[which].name);
        if (!sluice__tell_escaped(s, &s->op->escaper, entities[which].text, 1, false,
                                  s->op->from) ||
            !sluice__shown(s, entities[which].text, 1, s->sent))
            return false;
    }
    return true;
}

/* Returns the end of the text before the white space up to `upto`. Uses what earlier
 * calls found. */
static uint64_t blanks_before(sluice_stream *s, uint64_t from, uint64_t upto) {
    uint64_t at = upto;
    while (at > from && sluice__is_space(*sluice__at(s, at - 1)))
        at = at == s->op->blanks_upto && s->op->blanks >= from ? s->op->blanks : at - 1;
    s->op->blanks = at;
    s->op->blanks_upto = upto;
    return at;
}

/* Returns the end of the text before a fence that closes at `upto` or, if `open`, may
 * close later. */
static uint64_t before_fence(sluice_stream *s, uint64_t upto, bool open) {
    if (s->op->fence == SLUICE__BARE_VALUE)
        return upto;
    uint64_t at = blanks_before(s, s->op->from, upto);
    int ticks = 0;
    if (s->op->fence == SLUICE__IN_QUOTES)
        return at > s->op->from && *sluice__at(s, at - 1) == '"' ? at - 1 : open ? at : upto;
    while (ticks < 3 && at > s->op->from && *sluice__at(s, at - 1) == '`')
        at--, ticks++;
    /* the last newline is held back here, so text already sent does not end with one */
    if (at > s->op->from ? *sluice__at(s, at - 1) != '\n' : s->op->opened)
        return open && !ticks ? at : upto;
    if (!open && ticks < 3)
        return upto;
    at -= at > s->op->from;
    return at > s->op->from && *sluice__at(s, at - 1) == '\r' ? at - 1 : at;
}

/* The same for a limited number of blanks, so that they can be held while the value is reported. */
static uint64_t some_blanks_before(const sluice_stream *s, uint64_t from, uint64_t upto) {
    enum { MOST = 64 };
    size_t some = s->set.limit_held / 2 < MOST ? s->set.limit_held / 2 : MOST;
    for (uint64_t most = sluice__minus(upto, from) > some ? upto - some : from; upto > most; upto--)
        if (!sluice__is_space(*sluice__at(s, upto - 1)))
            break;
    return upto;
}

int sluice__value_end(sluice_stream *s, uint64_t at, long item, bool cut) {
    uint64_t upto = item >= 0 ? sluice__without_tail(s, s->op->from, at, s->op->trail) : at;
    if (s->op->trim)
        upto = blanks_before(s, s->op->from, upto);
    else if (s->op->mended)
        upto = some_blanks_before(s, s->op->from, upto);
    s->result.item = item;
    s->result.start = at;
    s->result.ok = !cut;
    s->result.kind = s->op->over ? 2 : 0;
    bool doubtful = s->op->doubtful && !s->op->quoting && s->call.status != SLUICE_INCOMPLETE;
    uint64_t fenced = before_fence(s, upto, false);
    /* there was no fence around the value: its first line is lost */
    bool lost =
        s->op->fence == SLUICE__IN_FENCE && fenced == upto && s->op->mode != SLUICE__DISCARDED;
    if (doubtful || lost)
        sluice__lower(s, SLUICE_INCOMPLETE);
    s->lost_track |= doubtful;
    upto = fenced;
    if (upto < s->op->from)
        upto = s->op->from;
    if (s->op->mode != SLUICE__STREAMED && upto > s->op->from)
        sluice__value_tail(s, sluice__at(s, s->op->from), sluice__minus(upto, s->op->from));
    switch (s->op->mode) {
    case SLUICE__STREAMED:
        if (!sluice__value_send(s, upto))
            return -1;
        if (!s->op->opened && (!sluice__gap(s, upto) || !sluice__write_begin(s, "\"", 1, s->sent) ||
                               !sluice__shown(s, "", 0, s->sent)))
            return -1;
        if (!sluice__tell_escaped(s, &s->op->escaper, "", 0, true, upto) ||
            !sluice__arguments(s, "\"", 1, upto))
            return -1;
        s->call.in_text = false;
        if (s->op->escaper.bad) {
            static const char message[] = "invalid UTF-8 was replaced by U+FFFD";
            if (!sluice__error(s, sluice__code("invalid_utf8"), message, sizeof message - 1))
                return -1;
        }
        break;
    case SLUICE__TYPED: {
        unsigned type;
        size_t n = sluice__minus(upto, s->op->from);
        if (!sluice__gap(s, s->op->from))
            return -1;
        s->call.upto = upto; /* the value's bytes are covered by its fragment */
        if (!sluice__param_typed(s, n ? sluice__at(s, s->op->from) : "", n, s->op->types,
                                 s->op->flags, cut, &type))
            return -1;
        s->call.upto = 0;
        break;
    }
    case SLUICE__DISCARDED: /* even if it ends after a wait */
        if (!sluice__gap(s, upto))
            return -1;
        /* fall through */
    default:
        s->result.text = upto > s->op->from ? sluice__at(s, s->op->from) : "";
        s->result.text_len = sluice__minus(upto, s->op->from);
        break;
    }
    /* reported after the value, for every chunking */
    if (((doubtful || lost) && !sluice__gap(s, s->op->from)) ||
        (doubtful && !sluice__tell(s, sluice__code("bad_arguments"),
                                   "a value quotes the start of a call, so its end is uncertain; "
                                   "the text after it is reported as text")) ||
        (lost && !sluice__tell(s, sluice__code("ignored_text"),
                               "the code fence that opens the value is not closed at its end")))
        return -1;
    s->locked = false;
    s->pos = at;
    return 1;
}

/* Returns how far the value may be sent while it is undecided whether it ends at `at`. */
uint64_t sluice__value_before(sluice_stream *s, uint64_t at) {
    uint64_t upto = s->op->trim      ? blanks_before(s, s->op->from, at)
                    : s->op->quoting ? some_blanks_before(s, s->op->from, at)
                                     : at - sluice__tail_of(s, s->op->from, at, s->op->trail);
    uint64_t fence = before_fence(s, at, true);
    return before_entity(s, fence < upto ? fence : upto);
}

/* Handles the limit of values that are not streamed; this one reaches up to `upto`. */
static bool too_long(sluice_stream *s, uint64_t upto) {
    static const char message[] =
        "a value whose type is decided at its end is longer than limit_value";
    if (s->op->mode == SLUICE__STREAMED || s->op->mode == SLUICE__DISCARDED ||
        sluice__minus(upto, s->op->from) <= s->set.limit_value)
        return true;
    bool within = s->op->mode == SLUICE__WITHIN;
    s->op->over = within || s->op->mode == SLUICE__CAPTURED;
    s->op->mode =
        within || (s->op->over && !s->call.key_pending) ? SLUICE__DISCARDED : SLUICE__STREAMED;
    return sluice__gap(s, s->op->from) &&
           sluice__error(s, sluice__code("limit_exceeded"), message, sizeof message - 1);
}

/* Streams a value whose first byte allows only a string. */
static void as_it_begins(sluice_stream *s, uint64_t at) {
    if (s->op->mode != SLUICE__TYPED || !(s->op->types & SLUICE__STRING) || s->op->from >= at)
        return;
    uint64_t q = s->op->first > s->op->from ? s->op->first : s->op->from;
    uint64_t most = s->op->from + s->set.limit_value;
    while (q < at && q < most && sluice__is_space(*sluice__at(s, q)))
        q++;
    s->op->first = q;
    if (q < at && q < most && sluice__only_string(s->op->types, (unsigned char)*sluice__at(s, q)))
        s->op->mode = SLUICE__STREAMED;
}

/* Notes that the value reaches at least up to `at`. False if out of memory. */
bool sluice__value_grows(sluice_stream *s, uint64_t at) {
    as_it_begins(s, at);
    return too_long(s, at);
}

/* True if the fence's line contains at most a language. */
static bool is_info(const char *p, const char *end) {
    while (p < end && *p == '`')
        p++;
    while (p < end && (unsigned char)*p > ' ' && !strchr("<>{}()[]`\"'=;&", *p))
        p++;
    while (p < end && sluice__is_space(*p))
        p++;
    return p == end;
}

/* Moves *at past the line of a code fence, or a quote, that opens the value, if any. False: more
 * bytes are needed. */
static bool pass_fence(sluice_stream *s, uint64_t *at) {
    uint64_t limit = sluice__visible(s);
    size_t n = limit > *at ? sluice__minus(limit, *at) : 0;
    if (!n)
        return sluice__at_end(s);
    const char *p = sluice__at(s, *at);
    if (*p == '"' && s->op->as & SLUICE__QUOTED) {
        s->op->fence = SLUICE__IN_QUOTES;
        ++*at;
        return true;
    }
    if (!(s->op->as & SLUICE__FENCED) || memcmp(p, "```", n < 3 ? n : 3) != 0)
        return true;
    size_t most = n < s->set.limit_header ? n : s->set.limit_header;
    const char *stop = memchr(p, '\n', most);
    if (!stop)
        return n >= s->set.limit_header || sluice__at_end(s);
    if (!is_info(p, stop))
        return true; /* it belongs to the value: nothing is left out */
    s->op->fence = SLUICE__IN_FENCE;
    *at += (uint64_t)(stop - p) + 1;
    return true;
}

/* Drops `lead`, if it is complete. Returns 1: the value begins; 0: more bytes are needed; -1: out
 * of memory. */
int sluice__value_begin(sluice_stream *s) {
    uint64_t limit = sluice__visible(s), at = s->op->at;
    bool end = sluice__at_end(s);
    for (const char *p = s->op->lead; p && *p; p++) {
        if (at >= limit && !end)
            return 0;
        if (at < limit && *sluice__at(s, at) == '\r' && *p == '\n') {
            if (at + 1 >= limit && !end)
                return 0;
            if (at + 1 < limit && *sluice__at(s, at + 1) == '\n')
                at++;
        }
        if (at >= limit || *sluice__at(s, at) != *p) {
            at = s->op->at;
            break;
        }
        at++;
    }
    while (at < limit && (s->op->trim ? sluice__is_space(*sluice__at(s, at))
                                      : s->op->one_line && (*sluice__at(s, at) == ' ' ||
                                                            *sluice__at(s, at) == '\t')))
        at++;
    if ((s->op->one_line || s->op->trim) && at == limit && !end) {
        s->op->at = at; /* dropped bytes are not examined again */
        s->op->lead = NULL;
        return 0;
    }
    if (s->op->as & (SLUICE__FENCED | SLUICE__QUOTED) && !pass_fence(s, &at))
        return 0;
    s->op->started = true;
    s->op->from = s->op->at = s->pos = s->op->limit = at;
    s->locked = true;
    bool told = s->op->mode == SLUICE__STREAMED || s->op->mode == SLUICE__TYPED;
    return !told || sluice__gap(s, at) ? 1 : -1;
}

/* Kept in one piece: one loop over the candidates for the value's end; each part changes its
 * bounds. */
static int step_value(sluice_stream *s) {
    uint64_t limit = sluice__visible(s);
    bool end = sluice__at_end(s);
    if (!s->op->started) {
        int begun = sluice__value_begin(s);
        if (begun <= 0)
            return begun;
        if (s->op->mode <= SLUICE__TYPED && !end &&
            sluice__minus(limit, s->pos) <= SLUICE__AT_ONCE &&
            limit == sluice__window_end(&s->window)) {
            s->starts = s->pos < limit; /* such a beginning may flow */
            return 0;
        }
    }
    /* A literal was asked about, and too much was read again for that: nothing behind it may be
     * seen, and the value is given up. */
    if (s->op->at > limit)
        return 0;
    if (s->op->quoting)
        return sluice__step_quoted(s);
    for (;;) {
        size_t item;
        uint64_t from = s->op->at, at;
        const char *here = limit > from ? sluice__at(s, from) : "";
        sluice__match m = sluice__find(s, s->op->set, from, &at, &item);
        as_it_begins(s, at);
        const char *line =
            s->op->one_line && at > from ? memchr(here, '\n', sluice__minus(at, from)) : NULL;
        uint64_t stop = line ? from + (uint64_t)(line - here) : at;
        if (!too_long(s, stop))
            return -1;
        if (line) {
            s->op->hold = stop;
            if (sluice__value_end(s, blanks_before(s, s->op->from, stop), -2, false) < 0)
                return -1;
            s->result.start = s->pos = stop;
            return 1;
        }
        if (m == SLUICE__YES) {
            unsigned role = s->op->set->items[item].role;
            bool ends = role == SLUICE__FINAL;
            if (role == SLUICE__ASK) {
                if (!sluice__value_send(s, sluice__value_before(s, at)))
                    return -1;
                s->op->at = at;
                s->op->limit = item;
                s->result.kind = 1;
                s->result.item = (long)item;
                s->result.start = at;
                s->result.end = at + s->op->set->items[item].len;
                s->pos = at;
                if (!s->asked &&
                    !(s->asked = sluice__realloc(&s->alloc, NULL, 0, sizeof *s->asked)))
                    return -1;
                *s->asked = *s->op;
                s->asks = true;
                return 1;
            }
            if (role == SLUICE__DOUBT) {
                s->op->doubtful = true;
            } else if (!ends) {
                uint64_t q = at + s->op->set->items[item].len;
                uint64_t most = q + s->set.limit_header;
                size_t follow;
                while (q < limit && q < most && sluice__is_space(*sluice__at(s, q)))
                    q++;
                switch (q < most ? sluice__match_here(s, s->op->confirm, q, &follow) : SLUICE__NO) {
                case SLUICE__WAIT:
                    if (!sluice__value_send(s, sluice__value_before(s, at)))
                        return -1;
                    s->op->at = at;
                    return 0;
                case SLUICE__YES:
                    ends = true;
                    break;
                case SLUICE__NO: /* the end of the text may cut what follows */
                    ends = end &&
                           (q >= limit || sluice__markers_begin(s->op->confirm, sluice__at(s, q),
                                                                sluice__minus(limit, q)));
                    break;
                }
            }
            if (ends)
                return sluice__value_end(s, at, (long)item, false);
            s->op->at = at + 1;
            continue;
        }
        uint64_t upto = at;
        if (s->op->one_line || s->op->trim)
            upto = blanks_before(s, s->op->from, upto);
        uint64_t tail = sluice__tail_of(s, s->op->from, upto, s->op->trail);
        s->op->at = at;
        if (end && s->op->one_line) {
            if (sluice__value_end(s, upto, -1, true) < 0)
                return -1;
            s->pos = limit;
            return 1;
        }
        if (end)
            return sluice__value_end(s, limit, -1, true);
        uint64_t fence = before_fence(s, at, true), plain = upto - tail;
        plain = before_entity(s, fence < plain ? fence : plain);
        return sluice__value_send(s, sluice__whole_upto(s, plain)) ? 0 : -1;
    }
}

/* Allocates the state of raw values. False if out of memory. */
static bool get_to_work(sluice_stream *s) {
    if (!s->work && (s->work = sluice__zeroed(&s->alloc, sizeof *s->work)))
        s->quotes = &s->work->quotes;
    return s->work != NULL;
}

bool sluice__op_value_quotes(sluice_stream *s, const sluice__quoting *quoting,
                             const sluice__given *given, const char *key, size_t key_len) {
    if (!get_to_work(s))
        return false;
    s->op->quoting = quoting;
    s->op->given = *given;
    s->quotes->key.len = 0;
    return sluice__buffer_add(&s->alloc, &s->quotes->key, key, key_len);
}

bool sluice__is_reading_value(const sluice_stream *s) { return s->step == step_value; }

int sluice__op_value(sluice_stream *s, const sluice__markers *ends, const sluice__markers *confirm,
                     const char *lead, const char *trail, int mode, unsigned types, uint32_t flags,
                     bool one_line, bool trim, unsigned as) {
    const sluice__quoting *quoting = s->op->quoting;
    sluice__given given = s->op->given;
    if (!get_to_work(s))
        return -1;
    sluice__reset_op(s);
    if (quoting && (types & SLUICE__STRING || mode == SLUICE__DISCARDED) && !one_line) {
        s->op->quoting = quoting;
        s->op->given = given;
        sluice__quotes_clear(s->quotes);
    }
    s->op->as = (uint8_t)as;
    s->op->set = ends;
    s->op->confirm = confirm;
    s->op->lead = lead;
    s->op->trail = trail;
    s->op->types = (uint16_t)types;
    s->op->flags = (uint16_t)flags;
    s->op->one_line = one_line;
    s->op->trim = trim;
    s->op->mode =
        mode == SLUICE__TYPED && !(types & ~(unsigned)SLUICE__STRING) ? SLUICE__STREAMED : mode;
    return sluice__op_start(s, step_value);
}

int sluice__op_value_go(sluice_stream *s, const sluice__markers *ends,
                        const sluice__markers *confirm, const char *lead, const char *trail,
                        bool ends_here) {
    *s->op = *s->asked;
    s->asks = false;
    s->op->set = ends;
    s->op->confirm = confirm;
    s->op->lead = lead;
    s->op->trail = trail;
    uint64_t at = s->op->at;
    s->result = (sluice__result){.item = -1};
    if (ends_here)
        return sluice__value_end(s, at, (long)s->op->limit, false);
    s->op->at = at + 1;
    return sluice__op_start(s, step_value);
}
