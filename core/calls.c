/* Several calls in one block, and sections that are reserved for calls. */
#include "stream.h"

static const char breaks_off[] =
    "the list of calls breaks off; the text after it is reported as text";

/* The mark of the list: the header before it; where what is behind its last item begins. */
static mark *list_of(const sluice_stream *s) { return &s->call->mark[s->call->marks - 1]; }

/* Leaves the list. */
static went leave(sluice_stream *s, const sluice__calls_spec *c) {
    if (!s->call->good && !s->program->reserved_section)
        return FAIL;
    view bad = out_view(&s->call->bad_why); /* before the first good one */
    for (; s->call->good && bad.p < bad.end && !s->heap.failed; bad.p += strlen(bad.p) + 1)
        sluice__report(s, "invalid_call",
                       *bad.p ? bad.p : "an item before the calls is not a call");
    s->call->bad_why.b.len = 0;
    s->call->began = s->call->good ? LIST_OVER : NOT_BEGUN;
    sluice__pop(s);
    return jump_to(s, c->out);
}

enum { ENDS, PASSES, SKIPS, AGAIN }; /* phases behind an item: AGAIN behind all of it */

/* What stands behind white space: the kind of a literal, or 0 and the byte (-1: the end). */
static bool ahead(sluice_stream *s, const sluice__calls_spec *c, int *kind, int *byte) {
    seen k = sluice__look(s, c->follow, true);
    *kind = k.is == YES ? (int)c->follow->items[k.item].role : 0;
    return k.is != CUT && peek_byte(s, byte, NULL);
}

/* After an item (`bad`: none): goes to the next one, to the text between calls, or out. */
static went again(sluice_stream *s, const sluice__calls_spec *c, bool bad) {
    int byte, kind;
    s->call->phase = AGAIN;
    if (!ahead(s, c, &kind, &byte))
        return WAIT;
    if (!kind && c->open && !c->once && byte >= 0) {
        next_byte(s, &byte);
        kind = SLUICE__BODY; /* a call that begins with its name, after white space */
    }
    bool item = c->open ? byte == ',' : c->array && byte >= 0 && is_name_byte((char)byte);
    bool over = !sluice__more_calls(s) && (item || (kind && kind != SLUICE__EXIT));
    kind = over ? 0 : kind;
    if (over && s->outside.told != LIMIT_TOLD)
        sluice__report(s, "call_limit", "max_calls reached; the rest of the list is text");
    if (!kind && s->call->good && item && !over)
        sluice__report(s, "invalid_call", breaks_off);
    if (kind == SLUICE__BODY && s->call->good && !bad && c->array)
        sluice__report(s, "repaired", "the comma between two calls is missing");
    list_of(s)->pos = s->pos;
    if (kind == SLUICE__BODY)
        return jump_to(s, c->call);
    if (kind != SLUICE__BETWEEN)
        return leave(s, c);
    sluice__push(s, MARK_CALL, c->between_at);
    return jump_to(s, (uint16_t)(c->between_at + 1));
}

/* Behind the text between two calls: a call, an item that is none, or something else? */
went sluice__op_between_end(sluice_stream *s, const sluice__ins *i) {
    const sluice__calls_spec *c = &s->program->calls[i->a];
    int byte, kind;
    if (!ahead(s, c, &kind, &byte)) { /* it may be given back: it is read again */
        s->pos = list_of(s)->pos;
        jump_to(s, c->bad);
        s->call->phase = AGAIN;
        return WAIT;
    }
    if (kind && kind != SLUICE__BODY && !c->open)
        return again(s, c, false);
    if (byte < 0 && c->array)
        sluice__report(s, "unfinished_call", "the text ends where another call was due");
    if (kind == SLUICE__BODY || c->open || (c->in_json && byte >= 0))
        return jump_to(s, c->call);
    s->pos = list_of(s)->pos;
    return leave(s, c);
}

/* Ends the announced call. */
static went end_call(sluice_stream *s, const sluice__calls_spec *c) {
    int byte, kind;
    if (!ahead(s, c, &kind, &byte))
        return WAIT;
    if (sluice__tell_sentence(s) == CUT)
        return wait_for(s, NULL);
    if (!kind && c->must_close && c->open)
        next_byte(s, &byte);
    if (!kind && c->must_close && !(c->open && byte >= 0 && is_name_byte((char)byte)))
        sluice__lower(s, SLUICE_RECOVERED);
    sluice__finish_call(s);
    return GO;
}

went sluice__op_call_end(sluice_stream *s, const sluice__ins *i) {
    const sluice__calls_spec *c = &s->program->calls[i->a];
    if (s->call->phase == AGAIN)
        return again(s, c, false);
    bool answers = !s->call->began && s->call->spoke && !s->call->said.b.len;
    went w = answers ? GO : sluice__announce(s);
    lose_calls(s, c->in_json && s->call->json_at == LEFT_OUT); /* may go on */
    w = w == GO && !answers ? end_call(s, c) : w;
    if (w != GO && w != FAIL)
        return w;
    sluice__pop(s);
    if (w == FAIL || (s->call->refused && !answers))
        return jump_to(s, c->bad);
    s->call->good++;
    if (!answers && s->pos == s->call->call_start) /* else nothing would be read forever */
        return leave(s, c);
    if (!answers)
        s->horizon = s->pos + s->set.limit_held;
    return again(s, c, false);
}

went sluice__op_calls(sluice_stream *s, const sluice__ins *i) {
    (void)i;
    if (is_open(s)) { /* two calls would share its arguments */
        sluice__fail(s, "the description reads calls inside an announced call");
        return BROKEN;
    }
    s->call->good = s->call->bad_why.b.len = 0;
    sluice__push(s, MARK_NONE, 0);
    return GO;
}

went sluice__op_call(sluice_stream *s, const sluice__ins *i) {
    const struct header *outer = &list_of(s)->header;
    sluice__new_call(s);
    s->call->header.has_id = outer->has_id;
    s->call->header.pattern = outer->pattern;
    s->call->header.pairs = 0;
    s->call->start = s->pos;
    s->horizon = (s->call->committed ? s->pos : s->block) + s->set.limit_held;
    sluice__push(s, MARK_CALL, s->program->calls[i->a].bad);
    return GO;
}

/* An item is no call: goes behind it, if that can be found. */
went sluice__op_call_bad(sluice_stream *s, const sluice__ins *i) {
    const sluice__calls_spec *c = &s->program->calls[i->a];
    bool found = false;
    uint64_t at;
    match m;
    went w;
    if (s->call->phase == AGAIN)
        return again(s, c, true);
    if (s->call->phase == ENDS) {
        if (c->once || (s->call->bare && !s->call->good && s->call->start == s->block))
            return FAIL; /* without a marker, the message begins with a call or with text */
        s->call->lost_to = s->at > s->call->lost_to ? s->at : s->call->lost_to; /* read in vain */
        found = s->call->refused && s->call->status != SLUICE_INCOMPLETE; /* an unknown tool's */
        s->pos = found ? s->pos : s->call->start;
        if (s->pos < s->told && s->call->committed)
            s->pos = s->told;
        if (!s->call->good && !found && s->call->start > s->block && !s->call->markerless &&
            !opener_lost(s) && c->closers) {
            m = sluice__look(s, c->closers, true).is;
            if (m == CUT)
                return WAIT;
            if (m == YES) { /* an empty section is markup */
                s->call->committed = true;
                sluice__pop(s);
                return jump_to(s, c->out);
            }
        }
        s->call->skip_at = 0;
        s->call->phase = found ? ENDS : PASSES;
    }
    if (s->call->phase == PASSES && c->in_json) {
        uint64_t pos = s->pos;
        int first, byte, kind;
        if (!peek_byte(s, &first, &at) || (m = sluice__skip_value(s, &at, false, NULL)) == CUT)
            return WAIT;
        s->pos = m == YES ? at : pos;
        if (!ahead(s, c, &kind, &byte)) {
            s->pos = pos;
            return WAIT;
        }
        found = m == YES && (kind || byte < 0) && (kind != SLUICE__BODY || first == '{');
        if (m == NO && s->call->good && byte == '{') {
            next_byte(s, &byte);
            s->pos++;
            s->call->phase = SKIPS;
        }
    } else if (s->call->phase == PASSES &&
               (s->call->good || (!opener_lost(s) && s->call->start > s->block))) {
        m = sluice__take(s, c->starts, true);
        if (m == CUT)
            return WAIT;
        s->call->phase = m == YES ? SKIPS : PASSES;
    }
    if (s->call->phase == SKIPS) {
        if ((w = sluice__skip_to(s, c->follow)) != GO)
            return w;
        seen k = sluice__look(s, c->follow, false);
        found = k.is == YES && (s->call->good || c->follow->items[k.item].role == SLUICE__BODY);
        lose_calls(s, found && c->in_json); /* what follows may be part of it */
    }
    if (!found) {
        if (c->in_json && s->call->start >= s->told)
            s->pos = s->call->start;
        if (s->call->good && (c->in_json || (c->open && c->between_at != SLUICE__NONE)))
            sluice__report(s, "invalid_call", breaks_off);
        else if (s->call->good && s->call->phase == SKIPS)
            sluice__report(s, "unfinished_call", "input ended inside a possible call");
        return leave(s, c);
    }
    if (s->call->good || s->program->reserved_section) {
        s->call->committed = true;
        sluice__report(s, "invalid_call",
                       s->call->wrong.b.len ? s->call->wrong.b.data : "an item is not a call");
    } else { /* reported after the first good one, if any */
        put_view(&s->call->bad_why, out_view(&s->call->wrong));
        put(&s->call->bad_why, "", !s->call->wrong.b.len);
    }
    if (!s->call->committed) /* all of them are read again if the block is text */
        s->again += s->pos > s->call->start ? s->pos - s->call->start : 0;
    return again(s, c, true);
}

/* Is there a closer anywhere? Then the list, or the call, begins behind a fence if there is one. */
went sluice__op_section(sluice_stream *s, const sluice__ins *i) {
    const sluice__section_spec *c = &s->program->sections[i->a];
    uint64_t pos = s->pos;
    int first = 0;
    match m = sluice__take(s, s->program->fence, true);
    m = m == CUT || !peek_byte(s, &first, NULL) ? CUT : sluice__look(s, c->close, true).is;
    bool opens = first == '[' || first == '{';
    if (opens) {
        seen k = sluice__find(s, c->close, s->call->no_closer);
        m = k.is;
        s->call->no_closer = k.at;
    }
    if (m != YES) {
        s->pos = pos;
        if (s->finished || (m == NO && !opens))
            return FAIL;
        return m == NO ? wait_among(s, c->close) : wait_for(s, NULL);
    }
    s->call->committed = true;
    if (!opens) /* the closer stands here */
        return GO;
    if (first == '{')
        sluice__report(s, "repaired", "expected a list of calls, found one call");
    sluice__push(s, MARK_CALL, (uint16_t)(s->call->pc + 1));
    return jump_to(s, first == '{' ? c->object : c->array);
}

went sluice__op_section_end(sluice_stream *s, const sluice__ins *i) {
    enum { BEGINS, CLOSES, LEAVES_OUT };
    const sluice__section_spec *c = &s->program->sections[i->a];
    int byte;
    if (s->call->phase == BEGINS) {
        if (sluice__take(s, s->program->fence_end, true) == CUT || !next_byte(s, &byte))
            return WAIT;
        s->call->phase = CLOSES;
    }
    uint64_t pos = s->pos;
    went w = sluice__skip_to(s, c->close);
    s->call->phase = s->pos > pos ? LEAVES_OUT : s->call->phase;
    if (w != GO)
        return w;
    if (s->call->phase == LEAVES_OUT)
        sluice__report(s, s->call->good ? "stray_markup" : "invalid_call",
                       s->call->wrong.b.len
                           ? s->call->wrong.b.data
                           : "the text before the delimiter is not a list of calls");
    sluice__take(s, c->close, false);
    s->drop = c->after;
    return jump_to(s, c->out);
}
