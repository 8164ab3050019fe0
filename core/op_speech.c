/* The operation that reports a JSON value's strings as text or reasoning: an answer that a model
 * writes as a member of an object. */
#include "reading.h"
#include "utf8.h"

/* Reports text that covers no bytes of the response. */
static bool invent(sluice_stream *s, const char *p, size_t n) {
    sluice__event *e = sluice__push(s, (sluice_event_type)s->op->mode, s->sent, s->sent);
    if (!e)
        return false;
    e->source = SLUICE__IN_SCRATCH;
    e->text = sluice__keep_text(s, p, n);
    e->text_len = n;
    return e->text != SIZE_MAX;
}

static bool hex_digits(const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!memchr("0123456789abcdefABCDEF", p[i], 22))
            return false;
    return true;
}

/* Returns how many bytes at `source`, of `left`, became the character of `size` bytes at p.
 * `*same`: they are that character. 0: none did; they belong to the notation between strings. */
static size_t written_as(const sluice__reader *r, const char *source, size_t left, const char *p,
                         size_t size, bool *same) {
    bool escapes = r->delimiter && !r->raw_string, python = r->flags & SLUICE__PYTHON;
    *same = false;
    if (escapes && *source == '\\' && left > 1) {
        char c = source[1];
        size_t digits = c == 'u' ? 4 : python && c == 'x' ? 2 : python && c == 'U' ? 8 : 0;
        if (memchr("\"\\/bfnrt'`", c, 10))
            return 2;
        if (python && c == '\n')
            return 0;
        if (digits && left >= 2 + digits && hex_digits(source + 2, digits))
            return digits == 4 && size == 4 && left >= 12 ? 12 : 2 + digits;
    }
    if (size <= left && memcmp(source, p, size) == 0) {
        *same = true; /* an unknown escape is text too */
        return size;
    }
    int bad = sluice__utf8_sequence(source, left);
    return bad < 0 ? (size_t)-bad : (unsigned char)*source < 0x80 ? 0 : 1; /* it is U+FFFD */
}

/* Reports decoded text whose source continues at op.hold and is visible. Unescaped characters go
 * out with their bytes; an escape is markup, and its meaning is reported without bytes. So the
 * result does not depend on the pieces in which the text arrives. */
static bool tell(sluice_stream *s, const char *p, size_t n) {
    while (n) {
        size_t left = sluice__minus(sluice__visible(s), s->op->hold), as = 0;
        const char *source = left ? sluice__at(s, s->op->hold) : "";
        bool same = true;
        size_t run = 0, take = 0;
        while (run < n && run < left) { /* whole unescaped characters */
            if (source[run] == p[run] && source[run] != '\\' && (unsigned char)p[run] < 0x80) {
                run++;
                continue;
            }
            int size = sluice__utf8_sequence(p + run, n - run);
            take = size > 0 ? (size_t)size : n - run;
            as = written_as(s->reader, source + run, left - run, p + run, take, &same);
            if (!same)
                break;
            run += as;
        }
        if (run) {
            s->op->hold += run;
            if (!sluice__send(s, (sluice_event_type)s->op->mode, s->op->hold))
                return false;
            p += run;
            n -= run;
        } else if (!left) { /* all of the source is covered */
            return invent(s, p, n);
        } else if (!as) {
            s->op->hold++;
            if (!sluice__gap(s, s->op->hold))
                return false;
        } else {
            s->op->hold += as;
            if (!sluice__gap(s, s->op->hold) || !invent(s, p, take))
                return false;
            p += take;
            n -= take;
        }
    }
    return true;
}

static bool speech_raw(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

static bool speech_token(void *user, sluice__token token, size_t depth, const char *p, size_t n) {
    sluice_stream *s = user;
    (void)depth;
    uint64_t upto = s->op->at + s->reader->at;
    switch (token) {
    case SLUICE__T_KEY_END:
        return sluice__gap(s, upto);
    case SLUICE__T_STRING_END:
        s->op->opened = false;
        s->op->value = true;
        return sluice__gap(s, upto);
    case SLUICE__T_STRING:
        if (!s->op->opened) {
            uint64_t at = s->sent;
            while (at < upto && strchr(" \t\r\n,:[{", *sluice__at(s, at)))
                at++;
            if (at < upto && strchr("\"'`", *sluice__at(s, at)))
                at++; /* else it is a bare word */
            if (!sluice__gap(s, at))
                return false;
            s->op->hold = s->sent;
            s->op->opened = true;
            if (s->op->value && !invent(s, "\n", 1)) /* strings of a list go on separate lines */
                return false;
        }
        return tell(s, p, n);
    default:
        return true;
    }
}

static int step_speech(sluice_stream *s) {
    if (!s->op->started) {
        if (!sluice__skip_space(s))
            return 0;
        s->op->started = s->committed = true;
        s->pos = s->op->at;
        if (!sluice__gap(s, s->pos))
            return -1;
        s->locked = true;
    }
    sluice__reading r = sluice__read_on(s);
    if (r == SLUICE__READ_NOMEM)
        return -1;
    s->pos = s->op->at;
    if (r == SLUICE__READ_MORE && !sluice__at_end(s))
        return 0;
    s->locked = false;
    s->result.ok = r == SLUICE__READ_DONE;
    s->result.end = s->op->at;
    return sluice__gap(s, s->pos) ? 1 : -1;
}

int sluice__op_speech(sluice_stream *s, uint32_t flags, sluice_event_type type) {
    sluice__reset_op(s);
    s->op->mode = type;
    s->op->sink = (sluice__sink){s, speech_raw, speech_token, 2, false, NULL, NULL};
    if (!sluice__begin_reader(s, &s->op->sink, sluice__as_set(s, flags, 0), SLUICE__TOP_ANY, NULL,
                              0))
        return -1;
    s->reader->within = '}';
    return sluice__op_start(s, step_speech);
}
