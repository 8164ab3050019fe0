/* The window on the response: the bytes that are kept, or the caller's chunk while none are. */
#include "stream.h"

void sluice__window_move(sluice_stream *s, size_t n) {
    sluice__buffer *held = &s->held;
    if (!s->lent && s->len)
        s->bytes = memmove(held->data, s->bytes, s->len);
    s->heap.failed |= !sluice__buffer_reserve(&s->heap.alloc, held, s->len + n);
    if (s->heap.failed)
        return;
    if (s->lent && s->len)
        memcpy(held->data, s->bytes, s->len);
    s->lent = false;
    s->bytes = held->data;
}

/* What may still be needed: from the block's start, the last place to go back to, or pos. */
uint64_t sluice__window_needed(const sluice_stream *s) {
    struct call *c = s->call;
    uint64_t from = s->pos;
    if (!s->in_block)
        return from;
    if (s->stage != SIZE_MAX && c->stage_told < from)
        from = c->stage_told;
    if (!c->committed && s->told < from)
        from = s->told;
    for (int i = 0; i < c->marks; i++)
        if (c->mark[i].kind != MARK_NONE && c->mark[i].pos < from)
            from = c->mark[i].pos;
    uint64_t start = c->start > s->told ? c->start : s->told; /* the block may have spoken */
    if (c->committed && !c->began && start < from)
        from = start;
    return from < s->base ? s->base : from;
}

void sluice__window_drop(sluice_stream *s, uint64_t from) {
    if (s->stage == SIZE_MAX && s->told < from)
        from = s->told; /* half a character, which no event has told yet */
    if (s->outside.at < s->outside.end && s->outside.at < from)
        from = s->outside.at; /* the beginning of a literal */
    sluice__window_pass(s, (size_t)(from - s->base));
    const uint64_t *token = (const void *)s->tokens.data;
    size_t past = 0, count = s->tokens.len / sizeof *token;
    while (past < count && token[past + 1] <= from)
        past += 2;
    sluice__buffer_drop(&s->tokens, past * sizeof *token);
}

bool sluice__line_start(const sluice_stream *s, uint64_t at) {
    if (at == s->pos && (s->at_start || s->after_markup) && !s->reasoning && !s->in_block)
        return true;
    return at == 0 || byte_before(s, at) == '\n';
}

bool sluice__line_indent(const sluice_stream *s, uint64_t at) {
    while (at > s->base) {
        char c = *byte_at(s, --at);
        if (!is_blank(c))
            return c == '\n';
    }
    return !s->inside;
}

bool sluice__has_token(const sluice_stream *s, uint64_t from, uint64_t to) {
    const uint64_t *token = (const void *)s->tokens.data;
    size_t i = s->tokens.len / sizeof *token;
    while (i && (token[i - 2] < from || token[i - 1] > to))
        i -= 2;
    return i;
}

bool sluice__is_plain(const sluice_stream *s, const sluice__literal *m, const char *p) {
    const literals *special = format_of(s)->special;
    uint64_t at = place_of(s, p);
    size_t item;
    if (!special || sluice__has_token(s, at, at + m->len)) /* one is enough: `auto` has others' */
        return false;
    for (view v = literal_text(m); v.p < v.end; v.p++)
        if (literals_at(special, v, true, &item) == YES)
            return true;
    return false;
}

match sluice__search(const sluice_stream *s, const literals *set, view v, const char **at,
                     size_t *item) {
    match m;
    while ((m = sluice__literals_find(set, v, s->finished, at, item)) == YES && s->set.tokens &&
           sluice__is_plain(s, &set->items[*item], *at))
        v.p = *at + 1;
    return m;
}
