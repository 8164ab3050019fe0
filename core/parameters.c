/* The arguments as they are handed out, which are strict JSON: what would close them, and each
 * value of their outermost object, decoded, as PARAMETER events. So no notation needs to know of
 * them. */
#include "stream.h"

enum { BEFORE_KEY, IN_KEY, BEHIND_KEY, IN_TEXT, IN_VALUE };

void sluice__walk_begin(struct walk *w) {
    w->open.len = w->depth = w->state = 0;
    w->begun = w->quoted = w->escaped = false;
}

/* Does the text end behind the first half of a pair of surrogates, whose escape is at v.p? */
static bool is_half(view v) {
    return view_len(v) == 6 && v.p[1] == 'u' && (v.p[2] | 32) == 'd' && strchr("89abAB", v.p[3]);
}

static void step(sluice_stream *s, struct walk *w, char c) {
    if (w->quoted) {
        w->quoted = c != '"' || w->escaped;
        w->escaped = c == '\\' && !w->escaped;
    } else if (c == '"') {
        w->quoted = true;
    } else if (c == '{' || c == '[') {
        s->heap.failed |=
            w->depth++ && !sluice__buffer_add(&s->heap.alloc, &w->open, c == '{' ? "}" : "]", 1);
    } else if (c == '}' || c == ']') {
        w->depth -= w->depth > 0;
        w->open.len -= w->open.len > 0;
    }
}

void sluice__walk(sluice_stream *s, struct walk *w, view v) {
    w->begun |= v.p < v.end;
    for (; v.p < v.end; v.p++)
        if (!w->quoted || w->escaped || sluice__ends_plain[(unsigned char)*v.p] == 1)
            step(s, w, *v.p);
}

void sluice__catch_up(sluice_stream *s) {
    view kept = out_view(&s->call->arguments);
    sluice__walk(s, &s->call->handed, (view){kept.end - s->call->behind, kept.end});
    s->call->behind = 0;
}

/* Walks through more of the arguments: up to the end of a key, which `key` receives, or of some of
 * a value. NO: all were read but half a pair; IN_TEXT: the piece is the inside of a string. */
static uint8_t walk_on(sluice_stream *s, struct walk *w, view *v, out *key, view *piece) {
    const char *from = v->p;
    while (v->p < v->end && !(w->quoted && *v->p == '\\' && !w->escaped && is_half(*v))) {
        char c = *v->p++;
        size_t depth = w->depth;
        bool quoted = w->quoted, closes = c == '}' || c == ']';
        step(s, w, c);
        if (quoted && !w->quoted) {
            *piece = (view){from, v->p - 1};
            if (w->state == IN_KEY) {
                key->b.len = 0;
                sluice__put_unescaped(key, *piece);
                w->state = BEHIND_KEY;
            } else if (w->state == IN_TEXT) {
                w->state = BEFORE_KEY;
                if (w->first || piece->p < piece->end)
                    return IN_TEXT;
            }
        } else if (!quoted) {
            if (w->quoted && (w->state == BEFORE_KEY || w->state == BEHIND_KEY)) {
                w->state++;
                w->first = true;
                from = v->p;
            } else if (w->state == BEHIND_KEY && c != ':' && !is_space(c)) {
                w->state = IN_VALUE;
                from = v->p - 1;
            }
            if (w->state == IN_VALUE && (closes ? depth <= 2 : c == ',' && depth == 1)) {
                bool own = closes && depth == 2;
                w->state = BEFORE_KEY;
                *piece = own ? (view){from, v->p} : trimmed((view){from, v->p - 1});
                if (piece->p < piece->end)
                    return IN_VALUE;
            }
        }
    }
    *piece = (view){from, v->p};
    if (w->depth == 1 && !w->quoted) /* behind a number or a word */
        *piece = trimmed(*piece);
    return w->state >= IN_TEXT && piece->p < piece->end ? w->state : BEFORE_KEY;
}

size_t sluice__walk_closing(const struct walk *w, char *buffer, size_t size) {
    size_t begin = w->begun ? w->quoted : 2, inner = begin + w->open.len, len = begin + w->depth;
    for (size_t k = 0; k < len && k + 1 < size; k++)
        buffer[k] = k >= inner   ? '}'
                    : k >= begin ? w->open.data[inner - 1 - k]
                    : w->begun   ? '"'
                                 : "{}"[k];
    if (size)
        buffer[len < size ? len : size - 1] = 0;
    return len;
}

void sluice__watch(sluice_stream *s, const char *text, size_t n, uint64_t upto) {
    struct walk *w = &s->call->watched;
    out *half = &s->call->half, *key = &s->call->watched_key;
    put(half, text, n); /* telling moves the text */
    view v = out_view(half), piece;
    for (uint8_t what; (what = walk_on(s, w, &v, key, &piece)) != BEFORE_KEY; w->first = false) {
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
