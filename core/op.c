/* Operations that look and take; see stream.h. */
#include "reading.h"
#include "utf8.h"

void sluice__reset_op(sluice_stream *s) {
    memset(s->op, 0, sizeof *s->op);
    s->result = (sluice__result){.item = -1};
    s->op->at = s->pos;
}

/* Moves op.at past white space. False if the visible bytes end there and more may come. */
bool sluice__skip_space(sluice_stream *s) {
    while (s->op->at < sluice__visible(s) && sluice__is_space(*sluice__at(s, s->op->at)))
        s->op->at++;
    return s->op->at < sluice__visible(s) || sluice__at_end(s);
}

sluice__match sluice__match_here(sluice_stream *s, const sluice__markers *set, uint64_t at,
                                 size_t *item) {
    if (at >= sluice__visible(s))
        return sluice__at_end(s) ? SLUICE__NO : SLUICE__WAIT;
    const char *p = sluice__at(s, at);
    if (!set->first[(unsigned char)*p])
        return SLUICE__NO;
    sluice__walk walk = {0, 0, 0};
    sluice__match m = sluice__markers_walk(set, &walk, p, sluice__minus(sluice__visible(s), at),
                                           sluice__at_end(s), item);
    if (m == SLUICE__WAIT)
        s->standby = (sluice__standby){.set = set, .walk = walk};
    return m == SLUICE__YES && sluice__is_plain(s, &set->items[*item], at) ? SLUICE__NO : m;
}

bool sluice__is_plain(const sluice_stream *s, const sluice__marker *m, uint64_t at) {
    const sluice__markers *special = s->format->special;
    if (!s->set.tokens || !special)
        return false;
    for (size_t k = 0, item; k < m->len; k++) {
        if (sluice__markers_at(special, m->text + k, m->len - k, true, &item) != SLUICE__YES)
            continue;
        size_t i = 0, len = special->items[item].len;
        size_t count = s->aside ? s->aside->tokens.count : 0;
        const uint64_t *tokens = s->aside ? s->aside->tokens.at : NULL;
        while (i < count && (tokens[i] != at + k || tokens[i + 1] != at + k + len))
            i += 2;
        if (i >= count)
            return true;
        k += len - 1;
    }
    return false;
}

sluice__match sluice__find(const sluice_stream *s, const sluice__markers *set, uint64_t from,
                           uint64_t *at, size_t *item) {
    uint64_t limit = sluice__visible(s);
    for (;; from = *at + 1) {
        assert(from <= limit);
        size_t offset, n = from < limit ? sluice__minus(limit, from) : 0;
        sluice__match m = sluice__markers_find(set, n ? sluice__at(s, from) : "", n,
                                               sluice__at_end(s), &offset, item);
        *at = from + offset;
        if (m != SLUICE__YES || !sluice__is_plain(s, &set->items[*item], *at))
            return m;
    }
}

static int step_accept(sluice_stream *s) {
    size_t item;
    if (s->op->skip && !sluice__skip_space(s))
        return 0;
    switch (sluice__match_here(s, s->op->set, s->op->at, &item)) {
    case SLUICE__WAIT:
        return 0;
    case SLUICE__NO:
        s->result.start = s->result.end = s->op->at;
        return 1;
    case SLUICE__YES:
        break;
    }
    s->result.ok = true;
    s->result.item = (long)item;
    s->result.start = s->op->at;
    s->result.end = s->op->at + s->op->set->items[item].len;
    if (s->op->take)
        s->pos = s->result.end;
    return 1;
}

int sluice__op_accept(sluice_stream *s, const sluice__markers *set, bool skip, bool take) {
    sluice__reset_op(s);
    s->op->set = set;
    s->op->skip = skip;
    s->op->take = take;
    return sluice__op_start(s, step_accept);
}

/* Moves op.at past bytes that begin no literal, end no line and are no quotes, up to `most`. */
static inline void skip_even(sluice_stream *s, uint64_t most) {
    if (s->op->at >= most)
        return;
    const uint8_t *odd = s->op->set->odd;
    const char *begin = sluice__at(s, s->op->at), *p = begin,
               *end = begin + sluice__minus(most, s->op->at);
    while (p < end && !odd[(unsigned char)*p])
        p++;
    s->op->at += (uint64_t)(p - begin);
}

static int step_upto(sluice_stream *s) {
    uint64_t limit = sluice__visible(s), start = s->pos;
    uint64_t most = sluice__minus(limit, start) > s->op->limit ? start + s->op->limit + 1 : limit;
    for (;;) {
        if (!s->op->quoted)
            skip_even(s, most);
        if (s->op->at >= most)
            break;
        char c = *sluice__at(s, s->op->at);
        if (s->op->unwrap.quote) { /* inside quotes only their end counts */
            if ((uint8_t)c == s->op->unwrap.quote)
                s->op->unwrap.quote = 0;
            s->op->at++;
            continue;
        }
        size_t item;
        sluice__match m = s->op->set->first[(unsigned char)c]
                              ? sluice__match_here(s, s->op->set, s->op->at, &item)
                              : SLUICE__NO;
        if (m == SLUICE__WAIT)
            return 0;
        if (m == SLUICE__YES) {
            s->result.ok = true;
            s->result.item = (long)item;
            s->result.start = start;
            s->result.end = s->pos = s->op->at;
            return 1;
        }
        if (s->op->one_line && (c == '\n' || c == '\r'))
            goto none;
        if (s->op->quoted && (c == '"' || c == '\''))
            s->op->unwrap.quote = (uint8_t)c;
        s->op->at++;
    }
    if (sluice__minus(s->op->at, start) <= s->op->limit && !sluice__at_end(s)) {
        if (!s->op->quoted) {
            s->standby.odd = s->op->set->odd;
            s->standby.ends = s->op->set;
        }
        return 0;
    }
    /* stop before an incomplete character, whatever follows it */
    s->op->at -= s->op->at > start
                     ? sluice__utf8_tail(sluice__at(s, start), sluice__minus(s->op->at, start))
                     : 0;
none:
    s->result.start = start;
    s->result.end = s->op->at;
    return 1;
}

int sluice__op_upto(sluice_stream *s, const sluice__markers *set, size_t limit, bool one_line,
                    bool quoted) {
    sluice__reset_op(s);
    s->op->set = set;
    s->op->limit = limit;
    s->op->one_line = one_line;
    s->op->quoted = quoted;
    return sluice__op_start(s, step_upto);
}

static bool no_raw(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

static bool take_token(void *user, sluice__token token, size_t depth, const char *p, size_t n) {
    sluice_stream *s = user;
    if (token == SLUICE__T_OBJECT || token == SLUICE__T_ARRAY || token == SLUICE__T_SCALAR) {
        s->op->opened = true; /* not a string */
        return true;
    }
    return depth || !n || sluice__buffer_add(&s->alloc, &s->taken, p, n);
}

/* Feeds the reader the visible bytes from op.at on. */
sluice__reading sluice__read_on(sluice_stream *s) {
    if (s->reader->quote)
        return sluice__read_own(s);
    size_t n = sluice__minus(sluice__visible(s), s->op->at), used = 0;
    s->reader->past = s->op->at;
    sluice__reading r = sluice__reader_feed(s->reader, n ? sluice__at(s, s->op->at) : "", n,
                                            sluice__at_end(s), &used);
    s->op->at += used;
    return r;
}

static const sluice__sink *skip_sink(sluice_stream *s, bool text) {
    s->op->sink = (sluice__sink){s, no_raw, text ? take_token : NULL, 0, false, NULL, NULL};
    return &s->op->sink;
}

/* Sets up step_string. The reader is only prepared when needed: see plain_string. */
static void prepare_string(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                           size_t limit) {
    sluice__reset_op(s);
    s->op->limit = limit;
    s->op->flags = (uint16_t)flags;
    s->op->quote = quote;
    s->op->quote_len = quote_len;
}

static void string_is(sluice_stream *s, const char *text, size_t len, uint64_t end) {
    s->result.ok = true;
    s->result.start = s->op->from;
    s->result.end = s->pos = s->op->at = end;
    s->result.text = text;
    s->result.text_len = len;
}

/* Reads a string in double quotes without escapes, which needs no reader. Returns 1: done; 0: not
 * decided yet; -1: out of memory; 2: something else. */
static int plain_string(sluice_stream *s) {
    enum { ELSE = 2 };
    uint64_t body = s->op->from + 1, limit = sluice__visible(s);
    if (s->op->from >= limit || *sluice__at(s, s->op->from) != '"' ||
        s->op->flags & SLUICE__PYTHON || (s->op->quote_len && *s->op->quote == '"'))
        return ELSE;
    uint64_t at = s->op->plain > body ? s->op->plain : body;
    at += sluice__plain_run(sluice__at(s, at), sluice__minus(limit, at), '"');
    s->op->plain = at;
    if (sluice__minus(at, body) > s->op->limit)
        return ELSE;
    if (at == limit) {
        s->standby.odd = sluice__odd_in_string;
        return sluice__at_end(s) ? ELSE : 0;
    }
    if (*sluice__at(s, at) != '"')
        return ELSE;
    if (!sluice__buffer_set(&s->alloc, &s->taken, sluice__at(s, body), sluice__minus(at, body)))
        return -1;
    string_is(s, s->taken.data, s->taken.len, at + 1);
    s->result.plain = true;
    return 1;
}

static int step_string(sluice_stream *s) {
    sluice__reading r;
    if (!s->op->started) {
        if (!s->op->trim) {
            if (!sluice__skip_space(s))
                return 0;
            s->op->trim = true;
            s->op->from = s->op->at;
        }
        int plain = plain_string(s);
        if (plain < 2)
            return plain;
        s->op->started = true;
        s->taken.len = 0;
        const char *quote = s->op->quote;
        size_t quote_len = s->op->quote_len;
        if (!sluice__begin_reader(s, skip_sink(s, true), s->op->flags, SLUICE__TOP_ANY, quote,
                                  quote_len))
            return -1;
    }
    r = sluice__read_on(s);
    if (r == SLUICE__READ_NOMEM)
        return -1;
    if (r == SLUICE__READ_MORE && !s->op->opened && s->taken.len <= s->op->limit &&
        !sluice__at_end(s)) {
        if (sluice__reader_in_plain_text(s->reader))
            s->standby.odd = sluice__odd_in_string;
        return 0;
    }
    if (r != SLUICE__READ_DONE || s->op->opened || s->taken.len > s->op->limit) {
        s->result.kind = s->taken.len > s->op->limit;
        return 1;
    }
    string_is(s, s->taken.data ? s->taken.data : "", s->taken.len, s->op->at);
    return 1;
}

/* Is there a literal of the format that text does not contain by chance? See sluice__reader. */
static int literal_ends(void *user, size_t at) {
    enum { LEAST = 3 };
    sluice_stream *s = user;
    uint64_t from = s->op->at + at, end;
    sluice__match m = sluice__literal_at(s, from, false, &end);
    return m == SLUICE__WAIT ? -1 : m == SLUICE__YES && sluice__minus(end, from) >= LEAST;
}

bool sluice__begin_reader(sluice_stream *s, const sluice__sink *sink, uint32_t flags,
                          sluice__top top, const char *quote, size_t quote_len) {
    if (!s->reader && !(s->reader = sluice__zeroed(&s->alloc, sizeof *s->reader)))
        return false;
    if (quote) {
        if (!s->own && !(s->own = sluice__zeroed(&s->alloc, sizeof *s->own)))
            return false;
        *s->own = (sluice__own){.none = s->own->none};
    }
    sluice__reader_again(s->reader, &s->alloc, sink, flags, top, quote, quote_len,
                         s->set.limit_depth);
    if (s->set.limit_held < s->reader->look_limit)
        s->reader->look_limit = s->set.limit_held;
    s->reader->plain_quotes = quote_len;
    s->reader->ends = literal_ends;
    return true;
}

/* Without repairs, only the format's own notation is read. */
uint32_t sluice__as_set(const sluice_stream *s, uint32_t flags, size_t quote_len) {
    return s->set.repairs ? flags : flags & (SLUICE__PYTHON | (quote_len ? SLUICE__BARE : 0u));
}

int sluice__op_string(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      size_t limit) {
    prepare_string(s, flags, quote, quote_len, limit);
    return sluice__op_start(s, step_string);
}

/* True if a key may begin with this byte. */
static bool begins_key(unsigned char c) {
    return c == '"' || c == '\'' || c == '`' || c == '_' || c == '$' || c == '@' || c >= 128 ||
           (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

enum { BEFORE_BRACE, BEFORE_KEY, IN_KEY, BEHIND_KEY, BEFORE_VALUE };

static int step_member(sluice_stream *s) {
    switch (s->op->mode) {
    case BEFORE_BRACE:
        if (!sluice__skip_space(s))
            return 0;
        if (s->op->at >= sluice__visible(s) || *sluice__at(s, s->op->at) != '{')
            return 1;
        s->op->at++;
        s->op->mode = BEFORE_KEY;
        /* fall through */
    case BEFORE_KEY:
        for (;; s->op->at++) {
            if (!sluice__skip_space(s))
                return 0;
            if (s->op->at >= sluice__visible(s) || *sluice__at(s, s->op->at) != ',')
                break;
        }
        s->pos = s->op->at;
        s->result.start = s->result.end = s->pos;
        if (s->pos >= sluice__visible(s))
            return 1;
        s->result.kind = (unsigned char)*sluice__at(s, s->pos);
        if (s->result.kind == '}')
            s->result.end = s->pos = s->pos + 1;
        if (!begins_key((unsigned char)s->result.kind))
            return 1;
        s->op->mode = IN_KEY;
        /* fall through */
    case IN_KEY: {
        int r = step_string(s);
        if (r <= 0 || !s->result.ok)
            return r;
        s->pos = s->op->from; /* the key is examined again */
        s->op->mode = BEHIND_KEY;
    }
        /* fall through */
    case BEHIND_KEY:
        if (!sluice__skip_space(s))
            return 0;
        if (s->op->at < sluice__visible(s) &&
            (*sluice__at(s, s->op->at) == ':' || *sluice__at(s, s->op->at) == '='))
            s->op->at++;
        s->op->mode = BEFORE_VALUE;
        /* fall through */
    default:
        if (!sluice__skip_space(s))
            return 0;
        s->pos = s->op->at;
        s->result.is_byte = true;
        s->result.item = s->pos < sluice__visible(s) ? (unsigned char)*sluice__at(s, s->pos) : -1;
        return 1;
    }
}

int sluice__op_member(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      bool opens) {
    prepare_string(s, sluice__as_set(s, flags, quote_len), quote, quote_len, s->set.limit_header);
    s->op->mode = opens ? BEFORE_BRACE : BEFORE_KEY;
    return sluice__op_start(s, step_member);
}

static int step_skip(sluice_stream *s) {
    if (!s->op->started) {
        if (!sluice__skip_space(s))
            return 0;
        s->op->started = true;
        s->op->from = s->op->at;
        if (s->op->at < sluice__visible(s))
            s->result.kind = (unsigned char)*sluice__at(s, s->op->at);
    }
    sluice__reading r = sluice__read_on(s);
    if (r == SLUICE__READ_NOMEM)
        return -1;
    if (r == SLUICE__READ_MORE && !sluice__at_end(s))
        return 0;
    s->result.ok = r == SLUICE__READ_DONE;
    s->result.start = s->op->from;
    s->result.end = s->op->at;
    s->result.item = r;
    if (s->result.ok)
        s->pos = s->op->at;
    return 1;
}

int sluice__op_skip(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                    char within) {
    sluice__reset_op(s);
    if (!sluice__begin_reader(s, skip_sink(s, false), flags, SLUICE__TOP_ANY, quote, quote_len))
        return -1;
    s->reader->within = within;
    return sluice__op_start(s, step_skip);
}
