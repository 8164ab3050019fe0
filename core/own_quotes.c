/*
 * Strings in a format's own quotes, one literal for both sides: which of them close the string, and
 * which are part of what it quotes.
 *
 * Inside a string such a literal opens a quoted string where it stands behind `key:`, `[` or `,` as
 * in an object, and the next one closes that. Else it closes the string where what follows can only
 * stand behind one: `,key:`, or closers with a literal of the format or the end behind them. Else
 * it is text.
 */
#include "stream.h"

/* What stands before, in the string: the last bytes of an object's syntax. */
enum { NOTHING, BEHIND_OPENER, BEHIND_COMMA, IN_WORD, BEHIND_KEY };

static bool in_word(char c) {
    return c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z') || (unsigned char)c >= 0x80;
}

static void track(sluice_stream *s, const char *p, size_t n) {
    uint8_t c = s->op->own.before;
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
    s->op->own.before = c;
}

/* The same outside strings. */
static void track_outside(sluice_stream *s, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '{' || p[i] == '[')
            s->op->own.arrays = s->op->own.arrays << 1 | (p[i] == '[');
        else if (p[i] == '}' || p[i] == ']')
            s->op->own.arrays >>= 1;
        if (!sluice__is_space(p[i]))
            s->op->own.last = p[i];
    }
}

/* Does the format's quote stand at p? */
static sluice__match quote_at(const sluice_stream *s, uint64_t p) {
    const sluice__reader *r = s->reader;
    size_t n = (size_t)(sluice__visible(s) - p);
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

/* Can what stands at p only stand behind a string? */
static sluice__match behind_string(sluice_stream *s, uint64_t p) {
    uint64_t limit = sluice__visible(s);
    size_t item;
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
            (s->op->own.arrays & 1 &&
             (c == '-' || (c >= '0' && c <= '9') || strchr("tfnTFN\"'", c))))
            return SLUICE__YES;
        sluice__match m = quote_at(s, p);
        return m == SLUICE__NO ? key_at(s, p) : m;
    }
    if (c == ':' && s->op->own.key)
        return SLUICE__YES;
    if (c != '}' && c != ']')
        return key_at(s, p); /* the comma was forgotten */
    p = skip(s, p, "}] \t\r\n");
    if (p >= limit)
        return sluice__at_end(s) ? SLUICE__YES : SLUICE__WAIT;
    if (*sluice__at(s, p) == ',')
        return SLUICE__YES;
    const sluice__markers *known = s->text;
    sluice__match m = sluice__match_here(s, known, p, &item);
    if (m == SLUICE__NO && s->behind_arguments) {
        known = s->behind_arguments;
        m = sluice__match_here(s, known, p, &item);
    }
    if (m != SLUICE__YES)
        return m;
    p = skip(s, p + known->items[item].len, " \t\r\n");
    if (p >= limit)
        return sluice__at_end(s) ? SLUICE__YES : SLUICE__WAIT;
    m = quote_at(s, p); /* a quote behind it makes the chain before it quoted */
    return m == SLUICE__WAIT ? m : m == SLUICE__YES ? SLUICE__NO : SLUICE__YES;
}

typedef enum meaning { UNDECIDED, SYNTAX, INSIDE } meaning;

/* What the quote at p means, in an open string. */
static meaning meaning_of(sluice_stream *s, uint64_t p) {
    if (s->op->own.inner) { /* behind another key the quoted string was cut, and one begins */
        s->op->own.inner = s->op->own.before == BEHIND_KEY;
        return INSIDE;
    }
    if (s->op->own.before != BEHIND_KEY) {
        sluice__match m = behind_string(s, p + s->reader->quote_len);
        if (m != SLUICE__NO)
            return m == SLUICE__WAIT ? UNDECIDED : SYNTAX;
    }
    s->op->own.inner = s->op->own.before == BEHIND_KEY || s->op->own.before == BEHIND_OPENER ||
                       s->op->own.before == BEHIND_COMMA;
    return INSIDE;
}

/* Feeds the reader up to `upto`. `plain`: quotes in it are text. */
static sluice__reading feed(sluice_stream *s, uint64_t upto, bool plain, bool end) {
    size_t used = 0, n = (size_t)(upto - s->op->at);
    s->reader->quotes_are_text = plain;
    sluice__reading r =
        sluice__reader_feed(s->reader, n ? sluice__at(s, s->op->at) : "", n, end, &used);
    if (s->op->own.open)
        track(s, sluice__at(s, s->op->at), used);
    else if (used)
        track_outside(s, sluice__at(s, s->op->at), used);
    s->op->at += used;
    return r;
}

sluice__reading sluice__read_own(sluice_stream *s) {
    for (;;) {
        uint64_t limit = sluice__visible(s), p = s->op->at;
        sluice__match m = SLUICE__NO;
        while (p < limit && (m = quote_at(s, p)) == SLUICE__NO) {
            const char *next =
                memchr(sluice__at(s, p + 1), s->reader->quote[0], (size_t)(limit - p - 1));
            p = next ? p + 1 + (uint64_t)(next - sluice__at(s, p + 1)) : limit;
        }
        bool rest = m != SLUICE__YES; /* no more quote that is whole */
        sluice__reading r = feed(s, p, false, rest && sluice__at_end(s));
        if (r != SLUICE__READ_MORE || rest || s->op->at < p)
            return r;
        if (!s->op->own.open) {
            s->op->own.open = true;
            s->op->own.before = NOTHING;
            s->op->own.inner = false;
            s->op->own.key =
                s->op->own.last == '{' || (s->op->own.last == ',' && !(s->op->own.arrays & 1));
            r = feed(s, p + s->reader->quote_len, false, false);
            s->op->own.before = NOTHING;
        } else {
            meaning what = meaning_of(s, p);
            if (what == UNDECIDED)
                return SLUICE__READ_MORE;
            s->op->own.open = what == INSIDE;
            r = feed(s, p + s->reader->quote_len, what == INSIDE, false);
        }
        if (r != SLUICE__READ_MORE)
            return r;
    }
}
