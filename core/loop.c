/* The loop over the parameters of a call. */
#include "stream.h"

static bool is_opener(const sluice__loop *loop, match m, size_t item) {
    return m == YES && loop->opener[item];
}

/* Is it the start of a closer of the call, and of nothing of a parameter? */
static bool is_cut_closer(const sluice__loop *loop, view v) {
    bool closer = false;
    v.p = past_space(v);
    size_t n = view_len(v) < 64 ? view_len(v) : 64;
    for (size_t i = 0; n && i < loop->stops->count; i++) {
        const sluice__marker *item = &loop->stops->items[i];
        if (item->len <= n || memcmp(item->text, v.p, n) != 0)
            continue;
        if (loop->opener[i] || loop->own[i])
            return false;
        closer = true;
    }
    return closer;
}

static went begins(sluice_stream *s, const sluice__ins *i) {
    const sluice__loop *loop = &s->program->loops[i->a];
    sluice__arguments_spec how = {
        .enders = loop->stops, .resync = loop->stops, .raw = SLUICE__NONE};
    bool sure = !s->opener_missing && !s->shared; /* else a header alone may be anything */
    size_t item;
    uint64_t at;
    int c;
    went w = GO;
    if (s->phase)
        return sluice__stream_arguments(s, &how);
    if (sure && (w = sluice__announce(s)) != GO)
        return w;
    match m = sluice__look(s, loop->set, true, &item, &at);
    if (m == CUT || !peek_byte(s, &c, &at))
        return WAIT;
    bool object = m == NO && c == '{' && s->set.repairs;
    if (!sure && m == NO && (s->shared || !object))
        return FAIL;
    if (s->shared && !is_opener(loop, m, item) && !sluice__plain_call(s))
        return FAIL;
    if ((w = sluice__announce(s)) != GO || !object)
        return w;
    sluice__repair(s, "a JSON object was found instead of parameters");
    s->json_phase = 0;
    s->phase = 1;
    return sluice__stream_arguments(s, &how);
}

static went open_parameter(sluice_stream *s, const sluice__ins *i, bool marked) {
    mark *k = sluice__push(s, MARK_LOOP, i->c);
    k->item = marked;
    k->way = i->b; /* where the loop goes on */
    s->call->regs[REG_KEY].b.len = 0;
    s->has_key = false;
    return jump_to(s, s->program->loops[i->a].body);
}

static went next(sluice_stream *s, const sluice__ins *i) {
    const sluice__loop *loop = &s->program->loops[i->a];
    size_t item;
    uint64_t at;
    int c;
    for (;;) {
        if (!next_byte(s, &c, &at))
            return WAIT;
        match m = sluice__look(s, loop->stops, true, &item, &at);
        if (m == CUT)
            return WAIT;
        if (!s->phase) {
            if (is_opener(loop, m, item))
                return open_parameter(s, i, true);
            if (m == YES && item < loop->listed)
                break;
            if (c < 0) {
                s->cut_off = !s->has_all;
                s->bare_end = !s->call->used.count && !s->any && !s->has_all;
                s->pos = at;
                break;
            }
            if (m == NO && loop->open_ended)
                return open_parameter(s, i, false);
            if (m == NO) {
                s->junk_start = at;
                s->phase = 1;
            }
        }
        if (s->phase) { /* text between the parts */
            went w = sluice__skip_to(s, loop->stops);
            if (w != GO)
                return w;
            s->phase = 0;
            view v = see(s);
            m = v.p < v.end ? find_literal(s, loop->stops, v, &item) : NO;
            view junk = text_at(s, s->junk_start > s->base ? s->junk_start : s->base, s->pos);
            if (m != YES && is_cut_closer(loop, s->junk_start >= s->base ? junk : view_of("", 0))) {
                sluice__lower(s, SLUICE_RECOVERED);
            } else {
                s->stray = true; /* possibly an argument */
                sluice__spoil(s, "stray_markup", "text between the parts of a call was left out");
            }
            if (m != YES)
                break;
            at = s->pos;
        }
        if (item >= loop->listed) {
            if (!loop->own[item])
                break;
            s->pos = at + loop->stops->items[item].len;
            s->stray = true; /* the value before it may have quoted one */
            sluice__spoil(s, "stray_markup", "an extra closing tag was left out");
        }
    }
    sluice__flush_repeated(s);
    s->looped = true;
    return jump_to(s, loop->out);
}

static went bad(sluice_stream *s, const sluice__ins *i) {
    const sluice__loop *loop = &s->program->loops[i->a];
    size_t item;
    if (s->item) {
        if (sluice__take(s, loop->set, true, &item) == CUT)
            return WAIT;
    } else {
        view v = see(s);
        const char *line = view_len(v) ? memchr(v.p, '\n', view_len(v)) : NULL;
        if (!line && !s->finished)
            return wait_for(s, NULL);
        s->pos += line ? (uint64_t)(line - v.p) : view_len(v);
        if (!line) {
            view t = {past_space(v), v.end};
            if (t.p < t.end && !sluice__markers_begin(loop->stops, t.p, view_len(t)))
                sluice__spoil(s, "unfinished_call", "the text ends inside a parameter");
            sluice__flush_repeated(s);
            s->looped = true;
            return jump_to(s, loop->out);
        }
    }
    s->stray = true; /* possibly a parameter */
    sluice__spoil(s, "stray_markup", "this is not a parameter");
    return jump_to(s, i->b);
}

went sluice__op_loop(sluice_stream *s, const sluice__ins *i) {
    uint16_t to;
    switch (i->kind) {
    case SLUICE__BEGINS:
        return begins(s, i);
    case SLUICE__NEXT:
        return next(s, i);
    case SLUICE__BACK:
        to = s->marks ? s->call->mark[s->marks - 1].way : 0;
        sluice__pop(s);
        sluice__tell_loose(s);
        if (s->has_key)
            sluice__spoil(s, "ignored_argument", "a parameter has no readable value");
        s->has_key = false;
        return jump_to(s, to);
    default:
        return bad(s, i);
    }
}
