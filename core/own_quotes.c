/*
 * Strings in a format's own quotes, with the same literal on both sides: which of these literals
 * close the string, and which belong to a quotation inside it.
 *
 * Inside a string, the literal opens a quoted string if it follows `key:`, `[` or `,`, as in an
 * object; the next one closes that. Otherwise it closes the string if what follows it can only
 * follow a string: `,key:`, or closers and then a literal of the format or the end. If the format's
 * own closer follows directly, or closers of all open containers and then anything else, it closes
 * the string if the quotes up to the end of the text are paired. Otherwise it is text.
 */
#include "reading.h"

/* The last bytes of object syntax before a position in the string. */
enum { NOTHING, BEHIND_OPENER, BEHIND_COMMA, IN_WORD, BEHIND_KEY };

static bool in_word(char c) {
    return c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z') || (unsigned char)c >= 0x80;
}

/* Returns the state after p[0..n), starting from state `c`. */
static uint8_t behind(uint8_t c, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '{' || p[i] == '[')
            c = BEHIND_OPENER;
        else if (p[i] == ',')
            c = BEHIND_COMMA;
        else if (in_word(p[i]))
            c = c == BEHIND_OPENER || c == BEHIND_COMMA || c == IN_WORD ? IN_WORD : NOTHING;
        else if (p[i] == ':')
            c = c == IN_WORD ? BEHIND_KEY : NOTHING;
        else if (!sluice__is_space(p[i]) || c == IN_WORD)
            c = NOTHING;
    }
    return c;
}

static bool may_open(uint8_t before) {
    return before == BEHIND_KEY || before == BEHIND_OPENER || before == BEHIND_COMMA;
}

/* The same outside strings. */
static void track_outside(sluice_stream *s, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '{' || p[i] == '[')
            s->own->arrays = s->own->arrays << 1 | (p[i] == '[');
        else if (p[i] == '}' || p[i] == ']')
            s->own->arrays >>= 1;
        if (!sluice__is_space(p[i]))
            s->own->last = p[i];
    }
}

/* Is the format's quote at p? */
static sluice__match quote_at(const sluice_stream *s, uint64_t p) {
    const sluice__reader *r = s->reader;
    size_t n = sluice__minus(sluice__visible(s), p);
    size_t k = n < r->quote_len ? n : r->quote_len;
    if (memcmp(sluice__at(s, p), r->quote, k) != 0)
        return SLUICE__NO;
    return k == r->quote_len ? SLUICE__YES : sluice__at_end(s) ? SLUICE__NO : SLUICE__WAIT;
}

static uint64_t skip(const sluice_stream *s, uint64_t p, const char *what) {
    uint64_t limit = sluice__visible(s);
    while (p < limit && *sluice__at(s, p) && strchr(what, *sluice__at(s, p)))
        p++;
    return p;
}

/* Is there a key with its colon at p? */
static sluice__match key_at(const sluice_stream *s, uint64_t p) {
    uint64_t limit = sluice__visible(s), most = p + s->set.limit_name, q = p;
    while (q < limit && q < most && in_word(*sluice__at(s, q)))
        q++;
    bool some = q > p;
    q = skip(s, q, " \t");
    if (q >= limit)
        return sluice__at_end(s) ? SLUICE__NO : SLUICE__WAIT;
    return some && *sluice__at(s, q) == ':' ? SLUICE__YES : SLUICE__NO;
}

sluice__match sluice__literal_at(sluice_stream *s, uint64_t p, bool closers, uint64_t *end) {
    enum { ENDS = SLUICE__TURN_END | SLUICE__NOISE | SLUICE__STRAY };
    const sluice__markers *known = s->text;
    size_t item;
    sluice__match m = sluice__match_here(s, known, p, &item);
    bool tick = m == SLUICE__NO ? p < sluice__visible(s) && *sluice__at(s, p) == '`'
                                : m == SLUICE__YES && known->items[item].role == SLUICE__TICK;
    if (tick && !closers) { /* whatever follows it */
        *end = p + 1;
        return SLUICE__YES;
    }
    if (tick)
        m = SLUICE__NO;
    if (m == SLUICE__YES && closers && !(known->items[item].role & ENDS))
        m = SLUICE__NO;
    if (m == SLUICE__NO && s->behind_arguments) {
        known = s->behind_arguments;
        m = sluice__match_here(s, known, p, &item);
    }
    if (m == SLUICE__YES)
        *end = p + known->items[item].len;
    return m;
}

/* True if the text ends at p in an incomplete literal. */
static bool is_cut(const sluice_stream *s, uint64_t p) {
    size_t n = sluice__minus(sluice__visible(s), p);
    const sluice__markers *sets[] = {s->text, s->behind_arguments};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; sets[k] && i < sets[k]->count; i++)
            if (n > 1 && n < sets[k]->items[i].len && sets[k]->items[i].role != SLUICE__TICK &&
                memcmp(sluice__at(s, p), sets[k]->items[i].text, n) == 0)
                return sluice__at_end(s);
    return false;
}

/* Are the quotes after the one at p paired up to the end of the text, each first one of a pair
 * where a quote may open? Each quote is examined once. */
static sluice__match are_paired(sluice_stream *s, uint64_t p) {
    sluice__ahead *a = &s->own->ahead;
    uint64_t limit = sluice__visible(s), from;
    if (a->upto <= p)
        *a = (sluice__ahead){.upto = p};
    from = a->upto;
    while (a->upto < limit && sluice__minus(limit, p) <= s->set.limit_held) {
        sluice__match m = quote_at(s, a->upto);
        if (m == SLUICE__WAIT)
            break;
        if (m == SLUICE__YES && !may_open(a->before))
            a->misplaced[a->count] = a->upto;
        a->before = m == SLUICE__YES ? NOTHING : behind(a->before, sluice__at(s, a->upto), 1);
        a->left ^= m == SLUICE__YES;
        a->count ^= m == SLUICE__YES;
        a->upto += m == SLUICE__YES ? s->reader->quote_len : 1;
    }
    s->rescanned += a->upto - from; /* other calls may look at the same bytes */
    if (sluice__minus(limit, p) > s->set.limit_held)
        return SLUICE__NO;
    if (a->upto < limit || !sluice__at_end(s))
        return SLUICE__WAIT;
    bool first = !(a->count ^ a->left); /* of each pair after p, without p itself */
    return a->left && a->misplaced[first] <= p ? SLUICE__YES : SLUICE__NO;
}

/* A key is at `at`, after the quote at `quote` without a comma. Is this certain? It is if the key
 * itself cannot be quoted. */
static sluice__match is_key(sluice_stream *s, uint64_t quote, uint64_t at) {
    sluice__match m = key_at(s, at);
    if (m != SLUICE__YES)
        return m;
    while (*sluice__at(s, at) != ':')
        at++;
    at = skip(s, at + 1, " \t");
    if (at >= sluice__visible(s) && !sluice__at_end(s))
        return SLUICE__WAIT;
    m = at < sluice__visible(s) ? quote_at(s, at) : SLUICE__NO;
    bool quoted = m == SLUICE__YES;
    if (m == SLUICE__NO)
        m = are_paired(s, quote);
    s->reader->no_comma = m == SLUICE__YES && !quoted;
    return m == SLUICE__WAIT ? m : SLUICE__YES;
}

/* At `at`, after the quote at `quote`, there is neither a closer of a container nor a comma. */
static sluice__match behind_nothing(sluice_stream *s, uint64_t quote, uint64_t at) {
    uint64_t end;
    sluice__match m = sluice__literal_at(s, at, true, &end);
    if (m == SLUICE__YES) {
        end = skip(s, end, " \t\r\n");
        m = end < sluice__visible(s) ? quote_at(s, end) : SLUICE__NO;
        return m == SLUICE__WAIT ? m : m == SLUICE__YES ? SLUICE__NO : are_paired(s, quote);
    }
    return m == SLUICE__WAIT ? m : is_cut(s, at) ? SLUICE__YES : is_key(s, quote, at);
}

/* Is there only a tag at p, up to a literal of the format or the end? */
static bool is_tag(sluice_stream *s, uint64_t p) {
    uint64_t limit = sluice__visible(s), most = p + s->set.limit_name, end;
    bool tag = *sluice__at(s, p) == '<';
    while (p < limit && p < most && *sluice__at(s, p) != '>' &&
           !sluice__is_space(*sluice__at(s, p)))
        p++;
    if (!tag || p == limit || *sluice__at(s, p) != '>')
        return false;
    p = skip(s, p + 1, " \t\r\n");
    return p == limit || sluice__literal_at(s, p, false, &end) == SLUICE__YES;
}

/* Closers follow the quote, up to `at`, and then nothing that the format has. */
static sluice__match behind_closers(sluice_stream *s, uint64_t quote, uint64_t at) {
    size_t closers = 0;
    for (uint64_t p = quote + s->reader->quote_len; p < at; p++)
        closers += strchr("}])", *sluice__at(s, p)) != NULL;
    if (is_cut(s, at))
        return SLUICE__YES;
    sluice__match m = closers < s->reader->depth ? SLUICE__NO : are_paired(s, quote);
    s->own->prose = m == SLUICE__YES && !is_tag(s, at);
    return m;
}

/* Can what follows the quote at `quote` only follow a string? */
static sluice__match behind_string(sluice_stream *s, uint64_t quote) {
    uint64_t limit = sluice__visible(s), p = quote + s->reader->quote_len;
    p = skip(s, p, " \t\r\n");
    if (p >= limit)
        return sluice__at_end(s) ? SLUICE__YES : SLUICE__WAIT;
    char c = *sluice__at(s, p);
    if (c == ',') {
        p = skip(s, p + 1, " \t\r\n");
        if (p >= limit)
            return sluice__at_end(s) ? SLUICE__YES : SLUICE__WAIT;
        c = *sluice__at(s, p);
        if (c == '{' || c == '[' || c == '}' || c == ']' ||
            (s->own->arrays & 1 && (c == '-' || (c >= '0' && c <= '9') || strchr("tfnTFN\"'", c))))
            return SLUICE__YES;
        sluice__match m = quote_at(s, p);
        return m == SLUICE__NO ? key_at(s, p) : m;
    }
    if (c == ':' && s->own->key)
        return SLUICE__YES;
    if (c != '}' && c != ']' && c != ')')
        return behind_nothing(s, quote, p);
    p = skip(s, p, "}]) \t\r\n");
    if (p >= limit)
        return sluice__at_end(s) ? SLUICE__YES : SLUICE__WAIT;
    if (*sluice__at(s, p) == ',')
        return SLUICE__YES;
    sluice__match m = sluice__literal_at(s, p, false, &p);
    if (m != SLUICE__YES)
        return m == SLUICE__WAIT ? m : behind_closers(s, quote, p);
    p = skip(s, p, " \t\r\n");
    if (p >= limit)
        return sluice__at_end(s) ? SLUICE__YES : SLUICE__WAIT;
    m = quote_at(s, p); /* if a quote follows, the chain before it is quoted */
    return m == SLUICE__WAIT ? m : m == SLUICE__YES ? SLUICE__NO : SLUICE__YES;
}

/* Is another quote directly before or after the one at p? */
static sluice__match is_doubled(const sluice_stream *s, uint64_t p) {
    uint64_t end = p + s->reader->quote_len;
    if (s->own->behind == p)
        return SLUICE__YES;
    return end < sluice__visible(s) ? quote_at(s, end)
           : sluice__at_end(s)      ? SLUICE__NO
                                    : SLUICE__WAIT;
}

typedef enum meaning { UNDECIDED, SYNTAX, INSIDE } meaning;

/* Returns the meaning of the quote at p in an open string. */
static meaning meaning_of(sluice_stream *s, uint64_t p) {
    if (s->own->inner) { /* after another key, the quoted string was cut and a new one begins */
        s->own->inner = s->own->before == BEHIND_KEY;
        return INSIDE;
    }
    if (s->own->before != BEHIND_KEY) {
        s->reader->no_comma = false;
        sluice__match m = behind_string(s, p);
        if (m != SLUICE__NO)
            return m == SLUICE__WAIT ? UNDECIDED : SYNTAX;
        m = is_doubled(s, p);
        if (m == SLUICE__WAIT)
            return UNDECIDED;
        s->own->doubled |= m == SLUICE__YES && s->own->before == NOTHING;
    }
    s->own->inner = may_open(s->own->before);
    return INSIDE;
}

/* Feeds the reader up to `upto`. `plain`: quotes in it are text. */
static sluice__reading feed(sluice_stream *s, uint64_t upto, bool plain, bool end) {
    size_t used = 0, n = sluice__minus(upto, s->op->at);
    s->reader->quotes_are_text = plain;
    sluice__reading r =
        sluice__reader_feed(s->reader, n ? sluice__at(s, s->op->at) : "", n, end, &used);
    if (s->own->open)
        s->own->before = behind(s->own->before, sluice__at(s, s->op->at), used);
    else if (used)
        track_outside(s, sluice__at(s, s->op->at), used);
    s->op->at += used;
    return r;
}

/* Reports doubts about the meaning of the last quote. */
static bool tell_doubt(sluice_stream *s) {
    const char *message = s->own->prose     ? "there is text where the call should be closed"
                          : s->own->doubled ? "a quote is doubled: it may end the string"
                                            : NULL;
    s->own->prose = s->own->doubled = false;
    if (!message || !s->reader->sink->note)
        return true;
    s->reader->at = 0; /* all bytes read have been reported */
    return s->reader->sink->note(s->reader->sink->user, "bad_arguments", message);
}

/* Moves *p to the next quote, to one that may be cut, or to the limit: NO. */
static sluice__match find_quote(sluice_stream *s, uint64_t *p, uint64_t limit) {
    const sluice__reader *r = s->reader;
    uint64_t from = *p;
    sluice__match m = SLUICE__NO;
    bool known = s->own->none.len == r->quote_len &&
                 memcmp(s->own->none.quote, r->quote, r->quote_len) == 0 &&
                 s->own->none.from <= from && from <= s->own->none.upto;
    if (known) {
        from = s->own->none.from;
        *p = s->own->none.upto < limit ? s->own->none.upto : limit;
    }
    while (*p < limit && (m = quote_at(s, *p)) == SLUICE__NO) {
        const char *rest = sluice__at(s, *p + 1),
                   *next = memchr(rest, r->quote[0], sluice__minus(limit, *p + 1));
        *p = next ? *p + 1 + sluice__minus(next, rest) : limit;
    }
    if (r->quote_len <= sizeof s->own->none.quote) {
        memcpy(s->own->none.quote, r->quote, r->quote_len);
        s->own->none.len = r->quote_len;
        s->own->none.from = from;
        s->own->none.upto = *p;
    }
    return m;
}

sluice__reading sluice__read_own(sluice_stream *s) {
    for (;;) {
        uint64_t limit = sluice__visible(s), p = s->op->at;
        sluice__match m = find_quote(s, &p, limit);
        bool rest = m != SLUICE__YES; /* no more complete quotes */
        sluice__reading r = feed(s, p, false, rest && sluice__at_end(s));
        if (r != SLUICE__READ_MORE || rest || s->op->at < p)
            return r;
        if (sluice__reader_in_other_quotes(s->reader)) { /* it is text there */
            r = feed(s, p + s->reader->quote_len, true, false);
            if (r != SLUICE__READ_MORE)
                return r;
            s->own->behind = p + s->reader->quote_len;
            continue;
        }
        bool counted = p < s->own->ahead.upto;
        if (!s->own->open) {
            s->own->open = true;
            s->own->before = NOTHING;
            s->own->inner = false;
            s->own->key = s->own->last == '{' || (s->own->last == ',' && !(s->own->arrays & 1));
            r = feed(s, p + s->reader->quote_len, false, false);
            s->own->before = NOTHING;
        } else {
            meaning what = meaning_of(s, p);
            if (what == UNDECIDED)
                return SLUICE__READ_MORE;
            s->own->open = what == INSIDE;
            if (!tell_doubt(s))
                return SLUICE__READ_NOMEM;
            r = feed(s, p + s->reader->quote_len, what == INSIDE, false);
        }
        s->own->ahead.left ^= counted;
        s->own->behind = p + s->reader->quote_len;
        if (r != SLUICE__READ_MORE)
            return r;
    }
}
