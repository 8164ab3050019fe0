/* The arguments as they are handed out, which are strict JSON: what would close them, and each
 * value of their outermost object, decoded, as PARAMETER events, whatever the notation. */
#include "stream.h"

enum { BEFORE_KEY, IN_KEY, BEHIND_KEY, TEXT_BEGINS, IN_TEXT, IN_VALUE };

/* Does the text end behind the first half of a pair of surrogates, whose escape is at v.p? */
static bool is_half(view v) {
    return view_len(v) == 6 && v.p[1] == 'u' && (v.p[2] | 32) == 'd' && strchr("89abAB", v.p[3]);
}

/* What closes the innermost of what is open; `{`: the object itself is due. */
static char innermost(const sluice__buffer *open) {
    return open->len ? open->data[open->len - 1] : 0;
}

/* Goes behind the byte at *p, or the escape, which no piece of the arguments cuts. */
static inline char step(sluice_stream *s, sluice__buffer *open, const char **p) {
    char c = *(*p)++, last = innermost(open);
    if (c == '"' && last != '"')
        s->heap.failed |= !sluice__buffer_add(&s->heap.alloc, open, "\"", 1);
    else if (c == last || (last != '"' && (c == '}' || c == ']')))
        open->len -= open->len > 0;
    else if (last == '"')
        *p += c == '\\';
    else if (c == '{' || c == '[')
        s->heap.failed |= !sluice__buffer_add(&s->heap.alloc, open, c == '{' ? "}" : "]", 1);
    return c;
}

void sluice__walk(sluice_stream *s, view v) {
    sluice__buffer *open = &s->call->handed;
    while (v.p < v.end)
        if (innermost(open) == '"' && sluice__ends_plain[(unsigned char)*v.p] != 1)
            v.p++;
        else
            step(s, open, &v.p);
}

void sluice__catch_up(sluice_stream *s) {
    view kept = out_view(&s->call->arguments);
    sluice__walk(s, (view){kept.end - s->call->behind, kept.end});
    s->call->behind = 0;
}

/* Walks through more of the arguments: up to the end of a key, which `key` receives, or of some of
 * a value. NO: all were read but half a pair; IN_TEXT: the piece is the inside of a string. */
static uint8_t walk_on(sluice_stream *s, sluice__buffer *open, view *v, out *key, view *piece) {
    uint8_t *at = &s->call->watched_at;
    const char *from = v->p;
    while (v->p < v->end && !(innermost(open) == '"' && *v->p == '\\' && is_half(*v))) {
        size_t depth = open->len;
        bool quoted = innermost(open) == '"';
        char c = step(s, open, &v->p);
        bool closes = c == '}' || c == ']', in_string = innermost(open) == '"';
        if (quoted && !in_string) {
            *piece = (view){from, v->p - 1};
            if (*at == IN_KEY) {
                key->b.len = 0;
                sluice__put_unescaped(key, *piece);
                *at = BEHIND_KEY;
            } else if (*at == TEXT_BEGINS || *at == IN_TEXT) {
                bool first = *at == TEXT_BEGINS;
                *at = BEFORE_KEY;
                if (first || piece->p < piece->end)
                    return IN_TEXT;
            }
        } else if (!quoted) {
            if (in_string && (*at == BEFORE_KEY || *at == BEHIND_KEY)) {
                ++*at;
                from = v->p;
            } else if (*at == BEHIND_KEY && c != ':' && !is_space(c)) {
                *at = IN_VALUE;
                from = v->p - 1;
            }
            if (*at == IN_VALUE && (closes ? depth <= 2 : c == ',' && depth == 1)) {
                bool own = closes && depth == 2;
                *at = BEFORE_KEY;
                *piece = own ? (view){from, v->p} : trimmed((view){from, v->p - 1});
                if (piece->p < piece->end)
                    return IN_VALUE;
            }
        }
    }
    *piece = (view){from, v->p};
    if (open->len == 1) /* behind a number or a word */
        *piece = trimmed(*piece);
    if (*at < TEXT_BEGINS || piece->p == piece->end)
        return BEFORE_KEY;
    *at += *at == TEXT_BEGINS;
    return *at;
}

size_t sluice_stream_closing(const sluice_stream *s, char *buffer, size_t size) {
    if (s && s->call)
        sluice__catch_up((sluice_stream *)s);
    size_t len = s && s->call ? s->call->handed.len : 0;
    for (size_t k = 0; k < len && k + 1 < size; k++)
        buffer[k] = s->call->handed.data[len - 1 - k];
    if (buffer && size)
        buffer[len < size ? len : size - 1] = 0;
    return len;
}

void sluice__watch(sluice_stream *s, const char *text, size_t n, uint64_t upto) {
    out *half = &s->call->half, *key = &s->call->watched_key;
    put(half, text, n); /* telling moves the text */
    view v = out_view(half), piece;
    for (uint8_t what; (what = walk_on(s, &s->call->watched, &v, key, &piece)) != BEFORE_KEY;) {
        size_t from = s->made.b.len;
        if (what == IN_TEXT)
            sluice__put_unescaped(&s->made, piece);
        else
            put_view(&s->made, piece);
        size_t len = s->made.b.len - from;
        put(&s->made, "", 1);
        uint32_t name = sluice__keep_text(s, out_text(key), key->b.len);
        queued *q = sluice__tell(s, SLUICE_PARAMETER, NULL, len, upto, upto);
        q->made = (uint32_t)from + 1;
        q->key = name;
    }
    sluice__buffer_drop(&half->b, half->b.len - view_len(v));
}
