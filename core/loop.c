/* The loop over the parameters of a call. */
#include "stream.h"

static bool is_opener(const sluice__loop *loop, seen k) {
    return k.is == YES && loop->stops->items[k.item].role == SLUICE__OPENS;
}

went sluice__op_params(sluice_stream *s, const sluice__ins *i) {
    const sluice__loop *loop = &s->program->loops[i->a];
    sluice__arguments_spec how = {.enders = loop->stops, .raw = SLUICE__NONE};
    bool sure = !opener_lost(s) && !s->call->shared; /* a header alone counts */
    int c;
    went w = GO;
    if (s->call->phase)
        return sluice__stream_arguments(s, &how);
    if (sure && (w = sluice__announce(s)) != GO)
        return w;
    seen k = sluice__look(s, loop->set, true);
    if (k.is == CUT || !peek_byte(s, &c, NULL))
        return WAIT;
    bool object = k.is == NO && c == '{' && s->set.repairs;
    if ((k.is == NO && ((opener_lost(s) && !object) || (s->call->shared && c >= 0))) ||
        (s->call->shared && !is_opener(loop, k) && !sluice__plain_call(s)))
        return FAIL;
    if ((w = sluice__announce(s)) != GO || !object)
        return w;
    sluice__repair(s, "a JSON object was found instead of parameters");
    s->call->json_at = ARGUMENTS_BEGIN;
    s->call->phase = 1;
    return sluice__stream_arguments(s, &how);
}

went sluice__op_params_next(sluice_stream *s, const sluice__ins *i) {
    const sluice__loop *loop = &s->program->loops[i->a];
    int c;
    for (;;) {
        if (s->call->phase) { /* text between the parts */
            went w = sluice__skip_to(s, loop->stops);
            if (w != GO)
                return w;
            s->call->phase = 0;
            sluice__spoil(s, "stray_markup", "text between the parts of a call was left out");
        }
        seen k = sluice__look(s, loop->stops, true);
        if (k.is == CUT || !next_byte(s, &c))
            return WAIT;
        if (k.is == NO && c >= 0 && s->finished && literals_begin(loop->ends, see(s))) {
            sluice__lower(s, SLUICE_RECOVERED);
            s->pos = s->base + s->len; /* the text ends in what comes next */
            c = -1;
        }
        if (is_opener(loop, k) || (k.is == NO && c >= 0 && loop->open_ended)) {
            sluice__push(s, MARK_LOOP, i->c);
            s->call->key.b.len = 0;
            s->call->has_key = false;
            return jump_to(s, loop->body);
        }
        if (c < 0 || (k.is == YES && loop->stops->items[k.item].role != SLUICE__OWN)) {
            const literals *text = format_of(s)->text;
            bool over = c < 0 || s->call->any || loop->stops->items[k.item].role == SLUICE__FOLLOWS;
            match m = over ? NO : find_literal(s, text, see(s), &k.item);
            if (m == CUT)
                return wait_for(s, NULL);
            bool call = m == YES && text->items[k.item].role & SLUICE__BLOCK;
            s->call->cut_off = s->call->any == ALL ? 0 : call ? 2 : c < 0;
            break;
        }
        s->call->phase = k.is == NO;
        if (k.is == NO)
            continue;
        s->pos += loop->stops->items[k.item].len; /* no parameter is open: perhaps a quoted one */
        sluice__spoil(s, "stray_markup", "an extra closing tag was left out");
    }
    sluice__flush_repeated(s);
    return jump_to(s, loop->out);
}

/* Behind a parameter; or, where nothing was read, behind its opener or before what follows. */
went sluice__op_params_back(sluice_stream *s, const sluice__ins *i) {
    bool none = s->pos == s->call->mark[s->call->marks - 1].pos;
    match opener = none ? sluice__take(s, s->program->loops[i->a].set, true) : YES;
    if (opener == CUT)
        return WAIT;
    sluice__pop(s);
    if (none) {
        sluice__spoil(s, "stray_markup", "this is not a parameter");
    } else {
        sluice__tell_loose(s);
        if (s->call->has_key)
            sluice__spoil(s, "ignored_argument", "a parameter has no readable value");
        s->call->has_key = false;
    }
    jump_to(s, i->b);
    s->call->phase = opener == NO;
    return JUMPED;
}
