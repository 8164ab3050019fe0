/* The operation that tells a JSON value's strings as text or reasoning: an answer that a model
 * writes as a member of an object. */
#include "stream.h"
#include "utf8.h"

/* Text that stands nowhere in the response as it is told. */
static bool invent(sluice_stream *s, const char *p, size_t n) {
    sluice__event *e = sluice__push(s, (sluice_event_type)s->op.mode, s->sent, s->sent);
    if (!e)
        return false;
    e->source = SLUICE__IN_SCRATCH;
    e->text = sluice__keep_text(s, p, n);
    e->text_len = n;
    return e->text != SIZE_MAX;
}

/* Decoded text whose source goes on at op.hold, and is visible: what stands there as it is goes
 * out with its bytes; an escape is markup, and what it means has no bytes of its own. So what is
 * told does not depend on the pieces in which it comes. */
static bool tell(sluice_stream *s, const char *p, size_t n) {
    while (n) {
        size_t left = (size_t)(sluice__visible(s) - s->op.hold);
        const char *source = left ? sluice__at(s, s->op.hold) : "";
        size_t same = 0;
        while (same < n && same < left && source[same] == p[same] && source[same] != '\\')
            same++;
        if (same) {
            s->op.hold += same;
            if (!sluice__send(s, (sluice_event_type)s->op.mode, s->op.hold))
                return false;
            p += same;
            n -= same;
            continue;
        }
        int size = sluice__utf8_sequence(p, n);
        size_t take = size > 0 ? (size_t)size : n, escape = left < 2 ? left : 2;
        if (left > 1 && source[0] == '\\' && source[1] == 'u')
            escape = take == 4 ? 12 : 6;
        if (!left) { /* all of the source is spoken for */
            take = n;
        } else if (source[0] != '\\') { /* bytes that are no UTF-8, for which U+FFFD stands */
            int bad = sluice__utf8_sequence(source, left);
            escape = bad < 0 ? (size_t)-bad : 1;
        }
        s->op.hold += escape < left ? escape : left;
        if (!sluice__gap(s, s->op.hold) || !invent(s, p, take))
            return false;
        p += take;
        n -= take;
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
    uint64_t upto = s->op.at + s->reader.at;
    switch (token) {
    case SLUICE__T_KEY_END:
        return sluice__gap(s, upto);
    case SLUICE__T_STRING_END:
        s->op.opened = false;
        s->op.value = true;
        return sluice__gap(s, upto);
    case SLUICE__T_STRING:
        if (!s->op.opened) {
            uint64_t at = s->sent;
            while (at < upto && strchr(" \t\r\n,:[{", *sluice__at(s, at)))
                at++;
            if (at < upto && strchr("\"'`", *sluice__at(s, at)))
                at++; /* else it is a bare word */
            if (!sluice__gap(s, at))
                return false;
            s->op.hold = s->sent;
            s->op.opened = true;
            if (s->op.value && !invent(s, "\n", 1)) /* strings of a list stand on lines */
                return false;
        }
        return tell(s, p, n);
    default:
        return true;
    }
}

static int step_speech(sluice_stream *s) {
    if (!s->op.started) {
        if (!sluice__skip_space(s))
            return 0;
        s->op.started = s->committed = true;
        s->pos = s->op.at;
        if (!sluice__gap(s, s->pos))
            return -1;
        s->locked = true;
    }
    sluice__reading r = sluice__read_on(s);
    if (r == SLUICE__READ_NOMEM)
        return -1;
    s->pos = s->op.at;
    if (r == SLUICE__READ_MORE && !sluice__at_end(s))
        return 0;
    s->locked = false;
    s->result.ok = r == SLUICE__READ_DONE;
    s->result.end = s->op.at;
    return sluice__gap(s, s->pos) ? 1 : -1;
}

int sluice__op_speech(sluice_stream *s, uint32_t flags, sluice_event_type type) {
    sluice__reset_op(s);
    s->op.mode = type;
    s->op.sink = (sluice__sink){s, speech_raw, speech_token, 2, false, NULL, NULL};
    sluice__begin_reader(s, &s->op.sink, sluice__as_set(s, flags, 0), SLUICE__TOP_ANY, NULL, 0);
    return sluice__op_start(s, step_speech);
}
