/* PARAMETER events: each value of the arguments' outermost object, decoded. They are read off the
 * arguments, which are strict JSON, so that no notation needs to know of them. */
#include "stream.h"

enum { BEFORE_KEY, IN_KEY, BEHIND_KEY, IN_TEXT, IN_VALUE };

/* `text`: the inside of a string. */
static void tell(sluice_stream *s, view v, bool text, uint64_t upto) {
    size_t from = s->made.b.len;
    if (text)
        sluice__put_unescaped(&s->made, v.p, view_len(v));
    else
        put(&s->made, v.p, view_len(v));
    size_t n = s->made.b.len - from;
    put(&s->made, "", 1);
    uint32_t key =
        sluice__keep_text(s, out_text(&s->call->watched_key), s->call->watched_key.b.len);
    queued *q = sluice__tell(s, SLUICE_PARAMETER, NULL, n, upto, upto);
    q->made = (uint32_t)from + 1;
    q->key = key;
    s->call->watched.first = false;
}

/* The end of the escape at p, with that of the low surrogate that may follow; behind `end` if more
 * of it must be seen. */
static const char *behind_escape(const char *p, const char *end) {
    if (end - p < 2 || p[1] != 'u')
        return p + 2;
    if (end - p < 6 || (p[2] | 32) != 'd' || !strchr("89abAB", p[3]))
        return p + 6;
    const char *low = p + 6;
    size_t n = (size_t)(end - low);
    bool follows = (n < 1 || low[0] == '\\') && (n < 2 || low[1] == 'u') &&
                   (n < 3 || (low[2] | 32) == 'd') && (n < 4 || strchr("cdefCDEF", low[3]));
    return follows ? p + 12 : low;
}

static void watch(sluice_stream *s, const char *text, size_t n, uint64_t upto) {
    struct watched *w = &s->call->watched;
    out *part = &s->call->decoded_text, all = new_out(s); /* telling moves the text */
    put(&all, out_text(part), part->b.len); /* the beginning of an escape, or of a key */
    put(&all, text, n);
    part->b.len = 0;
    view v = out_view(&all);
    const char *from = v.p;
    w->quoted &= w->depth > 0; /* the call before may have been left in a string */
    for (; v.p < v.end; v.p++) {
        char c = *v.p;
        if (w->quoted && c == '\\') {
            const char *next = behind_escape(v.p, v.end);
            if (next > v.end)
                break;
            v.p = next - 1;
        } else if (c == '"') {
            w->quoted = !w->quoted;
            if (w->quoted && (w->state == BEFORE_KEY || w->state == BEHIND_KEY)) {
                w->state++;
                w->first = true;
                from = v.p + 1;
            } else if (w->state == IN_KEY) {
                s->call->watched_key.b.len = 0;
                sluice__put_unescaped(&s->call->watched_key, from, (size_t)(v.p - from));
                w->state = BEHIND_KEY;
            } else if (w->state == IN_TEXT) {
                if (v.p > from || w->first)
                    tell(s, (view){from, v.p}, true, upto);
                w->state = BEFORE_KEY;
            }
        } else if (!w->quoted) {
            if (w->state == BEHIND_KEY && c != ':' && !is_space(c)) {
                w->state = IN_VALUE;
                from = v.p;
            }
            bool closes = c == '}' || c == ']', own = closes && w->depth == 2;
            if (w->state == IN_VALUE && (own || (w->depth == 1 && (closes || c == ',')))) {
                view value = own ? (view){from, v.p + 1} : trimmed((view){from, v.p});
                if (value.p < value.end)
                    tell(s, value, false, upto);
                w->state = BEFORE_KEY;
            }
            w->depth += c == '{' || c == '[';
            w->depth -= closes;
        }
    }
    if (w->state == IN_KEY) {
        v.p = from;
    } else if (v.p > from && w->state == IN_TEXT) {
        tell(s, (view){from, v.p}, true, upto);
    } else if (w->state == IN_VALUE) {
        view value = {from, v.p};
        while (w->depth == 1 && !w->quoted && value.end > from && is_space(value.end[-1]))
            value.end--; /* behind a number or a word */
        if (value.end > from)
            tell(s, value, false, upto);
    }
    put(part, v.p, view_len(v));
    sluice__buffer_release(&s->alloc, &all.b);
}

/* ---- Arguments ------------------------------------------------------------------------------ */

void sluice__keep_arguments(sluice_stream *s, const char *text, size_t len) {
    if (!s->kept)
        return;
    if (s->call->arguments.b.len + len > (s->validates ? (size_t)16 << 20 : (size_t)1 << 20)) {
        s->kept = false; /* it cannot be checked */
        s->invalid |= s->validates;
        return;
    }
    put(&s->call->arguments, text, len);
}

void sluice__arguments_made(sluice_stream *s, size_t from, uint64_t upto) {
    size_t len = s->made.b.len - from;
    if (!len)
        return;
    sluice__keep_arguments(s, s->made.b.data + from, len);
    sluice__tell_made(s, from, upto);
    if (s->set.parameters)
        watch(s, s->made.b.data + from, len, upto);
}

void sluice__write(sluice_stream *s, view text, uint64_t upto) {
    size_t from = s->made.b.len;
    put(&s->made, text.p, view_len(text));
    sluice__arguments_made(s, from, upto);
}
