/* Several calls in one block, and sections that are reserved for calls. */
#include "stream.h"

static const char no_call[] = "this is not a call";
static const char breaks_off[] =
    "the list of calls breaks off; the text after it is reported as text";

/* Leaves the list. */
static went leave(sluice_stream *s, const sluice__calls_spec *c) {
    if (!s->good && !s->program->reserved_section)
        return FAIL;
    for (; s->good && s->bads; s->bads--) /* bad calls before the first good one */
        sluice__report(s, "invalid_call",
                       s->call->bad_why.b.len ? s->call->bad_why.b.data
                                              : "an item before the calls is not a call");
    s->began = s->good > 0;
    return jump_to(s, c->out);
}

/* Would the start of a call of this list open a block by itself? */
static bool opens_block(const sluice_stream *s, const sluice__calls_spec *c) {
    const literals *text = s->program->format->text;
    for (size_t k = 0, item; k < c->starts->count; k++)
        if (sluice__markers_at(text, c->starts->items[k].text, c->starts->items[k].len, true,
                               &item) == SLUICE__YES)
            return true;
    return false;
}

enum { AGAIN = 20 }; /* the phase behind a call */

/* After a call: goes to the next one, to the text between calls, or out. */
static went again(sluice_stream *s, const sluice__calls_spec *c) {
    size_t item = 0;
    uint64_t at;
    int byte, kind = 0;
    s->phase = AGAIN;
    if (c->follow) {
        match m = sluice__look(s, c->follow, true, &item, &at);
        if (m == CUT)
            return WAIT;
        kind = m == YES ? c->kind[item] : 0;
    }
    if (!kind) {
        if (!peek_byte(s, &byte, &at))
            return WAIT;
        if (c->open && !c->once && byte >= 0) {
            s->pos = at;
            kind = SLUICE__K_BODY; /* a call that begins with its name, after white space */
        } else if (c->starts && !c->in_json && !c->once && byte >= 0 && !opens_block(s, c)) {
            /* else nothing would find the following calls */
            view v = see(s);
            const char *next;
            match m = sluice__search(s, c->follow, v, &next, &item);
            if ((size_t)(next - v.p) <= s->set.limit_name && m != YES && !s->finished)
                return wait_for(s, NULL);
            if ((size_t)(next - v.p) <= s->set.limit_name && m == YES) {
                s->pos += (uint64_t)(next - v.p);
                sluice__report(s, "stray_markup", "text between two calls was left out");
                return again(s, c);
            }
        }
    }
    if (!kind) {
        if (s->good) {
            match more = sluice__object_stands(s, false);
            if (more == CUT)
                return wait_for(s, NULL);
            if (more == YES)
                sluice__report(s, "invalid_call", breaks_off);
        }
    }
    if (kind == SLUICE__K_BODY)
        return jump_to(s, c->call);
    if (kind != SLUICE__K_BETWEEN)
        return leave(s, c);
    sluice__push(s, MARK_CALL, c->between_at);
    s->between = s->pos;
    s->began = false;
    return jump_to(s, (uint16_t)(c->between_at + 1));
}

/* Looks through the value at pos: which literal of `follow` stands behind its *end? */
static match behind_value(sluice_stream *s, const literals *follow, bool python, size_t *item,
                          uint64_t *end) {
    uint64_t pos = s->pos, at;
    match m = sluice__skip_value(s, end, python, NULL);
    if (m != YES)
        return m;
    s->pos = *end;
    m = sluice__look(s, follow, true, item, &at);
    s->pos = pos;
    if (m == CUT)
        s->wakes = NULL;
    return m;
}

/* Behind the text between two calls: is there a call, or an item that is not one? */
static went between_end(sluice_stream *s, const sluice__calls_spec *c) {
    size_t item;
    uint64_t at, end;
    int byte;
    bool behind_item = false, bad = false;
    if (s->marks && s->call->mark[s->marks - 1].kind == MARK_CALL &&
        s->call->mark[s->marks - 1].pc == c->between_at)
        sluice__pop(s);
    match m = YES;
    if (c->starts && !c->open)
        m = sluice__look(s, c->starts, true, &item, &at);
    if (m == CUT)
        return WAIT;
    if (m == YES)
        return jump_to(s, c->call);
    if ((m = sluice__look(s, c->follow, true, &item, &at)) == CUT || !next_byte(s, &byte, &at))
        return WAIT;
    behind_item = m == YES;
    if (!behind_item && byte >= 0 && c->in_json) {
        m = behind_value(s, c->follow, false, &item, &end);
        if (m == CUT)
            return WAIT;
        bad = behind_item = m == YES && c->kind[item] != SLUICE__K_BODY;
        s->inside_item |= bad && s->unread && byte != '{'; /* an argument? */
        if (bad)
            s->pos = end;
    }
    if (bad && (s->good || s->program->reserved_section))
        sluice__report(s, "invalid_call", no_call);
    else if (bad)
        s->bads++; /* reported after the first good one, if any */
    else if (!behind_item && byte >= 0 && !s->bad_told)
        sluice__report(s, "invalid_call", breaks_off);
    if (!behind_item) {
        s->pos = s->between;
        return leave(s, c);
    }
    return again(s, c);
}

/* Ends the announced call. */
static went end_call(sluice_stream *s, const sluice__calls_spec *c) {
    size_t item;
    uint64_t at;
    int byte;
    match m = c->follow ? sluice__look(s, c->follow, true, &item, &at) : NO;
    if (m == CUT || !peek_byte(s, &byte, &at))
        return WAIT;
    match odd = sluice__stands_odd(s, m == YES);
    if (odd == CUT)
        return WAIT;
    if (m == NO && c->must_close && c->open)
        s->pos = at;
    if (s->nested && c->in_json)
        sluice__spoil(s, "bad_arguments", "the call may be part of an unreadable item of the list");
    if (c->must_close && m == NO && !(c->open && byte >= 0 && is_name_byte((char)byte)))
        sluice__lower(s, SLUICE_RECOVERED);
    s->unclosed |= m == NO && c->follow && byte >= 0;
    if (odd == YES)
        sluice__tell_odd(s);
    sluice__finish_call(s);
    s->began = false;
    return GO;
}

static went call_end(sluice_stream *s, const sluice__calls_spec *c) {
    if (!s->phase) {
        sluice__pop(s);
        s->phase = 1;
    }
    if (s->phase == 1) {
        if (!s->began && s->spoke && s->said_next == s->said_count) { /* it was an answer */
            s->good++;
            s->list_any = true;
            return again(s, c);
        }
        went w = sluice__announce(s);
        if (w == FAIL)
            return jump_to(s, c->bad);
        if (w != GO)
            return w;
        s->phase = 2;
    }
    bool inside = c->in_json && s->unread && s->skipped > 0; /* what follows may be part of it */
    went w = end_call(s, c);
    if (w != GO)
        return w;
    if (s->refused)
        return jump_to(s, c->bad);
    s->inside_item |= inside;
    s->good++;
    s->list_any = true;
    if (s->pos == s->item_start) /* nothing was read: it would be read again forever */
        return leave(s, c);
    s->horizon = sluice__horizon(s, s->pos);
    return again(s, c);
}

static went call_begins(sluice_stream *s, const sluice__calls_spec *c) {
    sluice__new_call(s);
    s->bad_told = false;
    s->nested = s->inside_item;
    s->call->regs[REG_NAME].has = s->outer_name;
    s->call->regs[REG_ID].has = s->outer_id;
    s->pattern = s->outer_pattern;
    s->pairs = 0;
    s->start = s->item_start = s->pos;
    s->horizon = sluice__horizon(s, s->pos);
    if (!s->committed && s->block + s->set.limit_held < s->horizon)
        s->horizon = s->block + s->set.limit_held;
    sluice__push(s, MARK_CALL, c->bad);
    return GO;
}

enum { FOUND = 1, OVER_ = 0, NOT_A_LIST = 2 };

/* Finds the next call after a bad one: phases from 3 on; s->found: the outcome. */
static went behind_bad(sluice_stream *s, const sluice__calls_spec *c) {
    size_t item;
    uint64_t end;
    match m;
    s->found = NOT_A_LIST;
    if (s->phase == 4) { /* skips to what follows */
        went w = sluice__skip_to(s, c->follow);
        if (w != GO)
            return w;
        view v = see(s);
        bool there = v.p < v.end && find_literal(s, c->follow, v, &item) == YES;
        s->found = there && !(s->first_must && c->kind[item] != SLUICE__K_BODY) ? FOUND
                   : s->good                                                    ? OVER_
                                                                                : NOT_A_LIST;
        if (there && c->in_json && s->skipped != -1) /* else the item's own brace was passed */
            s->inside_item = true;
        return GO;
    }
    if (c->in_json) {
        m = sluice__skip_value(s, &end, false, NULL);
        if (m == CUT)
            return WAIT;
        if (m == YES) { /* or is it an argument of the call before it? */
            view item_text = see(s);
            item_text.p = past_space(item_text);
            s->inside_item |= s->good && item_text.p < item_text.end && *item_text.p != '{';
            s->pos = end;
            s->found = FOUND;
            return GO;
        }
        if (!s->good)
            return GO;
        view v = see(s);
        const char *p = past_space(v);
        if (p == v.end || *p != '{')
            return GO;
        s->pos += (uint64_t)(p + 1 - v.p);
        s->first_must = false;
        s->skipped = 0;
        s->phase = 4;
        return behind_bad(s, c);
    }
    if (c->starts && c->follow && (s->good || (!s->opener_missing && s->start > s->block))) {
        m = sluice__take(s, c->starts, true, &item);
        if (m == CUT)
            return WAIT;
        s->found = s->good ? OVER_ : NOT_A_LIST;
        if (m == NO)
            return GO;
        s->first_must = !s->good;
        s->phase = 4;
        return behind_bad(s, c);
    }
    s->found = s->good ? OVER_ : NOT_A_LIST;
    return GO;
}

static went call_bad(sluice_stream *s, const sluice__calls_spec *c) {
    size_t item;
    uint64_t at;
    went w;
    if (!s->phase) {
        s->was_open = s->began || s->open;
        s->phase = 1;
    }
    if (s->phase == 1) {
        if (s->was_open && s->open) {
            w = end_call(s, c);
            if (w != GO)
                return w;
        }
        if (c->once)
            return FAIL;
        if (s->bare && !s->good && s->start == s->block)
            return FAIL; /* without a marker, the message begins with a call or with text */
        s->began = false;
        s->pos = s->item_start > s->base ? s->item_start : s->base;
        if (s->pos < s->told && s->committed)
            s->pos = s->told;
        s->phase = 2;
    }
    if (s->phase == 2) {
        if (!s->good && s->item_start > s->block && !s->markerless && !s->opener_missing &&
            !s->was_open && c->closers) {
            match m = sluice__look(s, c->closers, true, &item, &at);
            if (m == CUT)
                return WAIT;
            if (m == YES) { /* an empty section is markup */
                s->committed = true;
                return jump_to(s, c->out);
            }
        }
        s->skip_at = 0;
        s->phase = 3;
    }
    if ((w = behind_bad(s, c)) != GO)
        return w;
    if (s->good && s->found != FOUND && (c->in_json || (c->open && c->between_at != SLUICE__NONE)))
        sluice__report(s, "invalid_call", breaks_off);
    else if (s->good && s->found == OVER_ && s->phase == 4) /* its opener was read */
        sluice__report(s, "unfinished_call", "input ended inside a possible call");
    if (s->found == NOT_A_LIST)
        return FAIL;
    if (s->found == OVER_)
        return leave(s, c);
    if (s->good || s->program->reserved_section) {
        s->committed = s->bad_told = true;
        sluice__report(s, "invalid_call", s->call->wrong.b.len ? s->call->wrong.b.data : no_call);
    } else if (!s->bads++) {
        s->call->bad_why.b.len = 0;
        put(&s->call->bad_why, out_text(&s->call->wrong), s->call->wrong.b.len);
    }
    if (!s->committed) /* all of them are read again if the block is text */
        s->again += s->pos > s->start ? s->pos - s->start : 0;
    return again(s, c);
}

went sluice__op_calls(sluice_stream *s, const sluice__ins *i) {
    const sluice__calls_spec *c = &s->program->calls[i->a];
    if (s->phase >= AGAIN)
        return again(s, c);
    switch (i->kind) {
    case SLUICE__BEGINS:
        if (s->open) { /* two calls would share its arguments */
            sluice__fail(s, "the description reads calls inside an announced call");
            return BROKEN;
        }
        s->good = 0;
        s->inside_item = false;
        s->unlisted = s->absent_at == s->pos; /* an opener that may be missing is missing */
        s->outer_name = s->call->regs[REG_NAME].has;
        s->outer_id = s->call->regs[REG_ID].has;
        s->outer_pattern = s->pattern;
        return GO;
    case SLUICE__NEXT:
        return call_begins(s, c);
    case SLUICE__BACK:
        return call_end(s, c);
    case SLUICE__BAD:
        return call_bad(s, c);
    default:
        return between_end(s, c);
    }
}

/* ---- Reserved sections -------------------------------------------------------------------- */

went sluice__op_section(sluice_stream *s, const sluice__ins *i) {
    const sluice__section_spec *c = &s->program->sections[i->a];
    size_t item;
    uint64_t end, at;
    int byte;
    if (i->kind == SLUICE__BEGINS) {
        uint64_t start = s->pos, pos = s->pos;
        view v;
        match m = sluice__look(s, s->program->fence, true, &item, &at);
        if (m == CUT)
            return WAIT;
        if (m == YES)
            pos = at + s->program->fence->items[item].len;
        v = see_from(s, pos);
        v.p = past_space(v);
        if (v.p == v.end && !s->finished)
            return wait_for(s, NULL);
        char first = v.p < v.end ? *v.p : 0;
        m = find_literal(s, c->close, v, &item);
        if (m == CUT)
            return wait_for(s, NULL);
        s->call->section.from = pos;
        if (m == YES) { /* an empty section */
            s->pos = pos + (uint64_t)(v.p - see_from(s, pos).p) + c->close->items[item].len;
            s->committed = true;
            s->drop_behind = c->after;
            return jump_to(s, c->out);
        }
        if (first != '[' && first != '{')
            return FAIL;
        s->call->section.object = first == '{';
        s->pos = pos;
        m = sluice__skip_value(s, &end, false, NULL);
        s->pos = start;
        if (m == CUT) {
            s->skip_at = pos + 1;
            return WAIT;
        }
        s->call->section.whole = m == YES;
        if (m == YES) {
            s->pos = end;
            m = sluice__take(s, s->program->fence_end, true, &item);
            if (m != CUT) {
                s->call->section.stop = s->pos;
                m = sluice__look(s, c->close, true, &item, &at);
                if (m == NO && !next_byte(s, &byte, &at))
                    m = CUT;
            }
            s->pos = start;
            if (m == CUT)
                return wait_for(s, NULL);
            if (m == NO && (s->several || byte >= 0))
                return FAIL;
        } else {
            const char *close;
            if (s->call->section.searched < start)
                s->call->section.searched = start;
            view w = see_from(s, s->call->section.searched);
            m = sluice__search(s, c->close, w, &close, &item);
            s->call->section.searched += (uint64_t)(close - w.p);
            if (m != YES)
                return s->finished ? FAIL : wait_for(s, NULL);
            s->call->section.stop = s->call->section.searched;
        }
        s->call->section.empty = false;
        if (s->call->section.whole) {
            view t = trimmed(see_from(s, s->call->section.from));
            t.end = t.p + (s->call->section.stop - s->call->section.from);
            const char *p = t.p < t.end && *t.p == '[' ? past_space((view){t.p + 1, t.end}) : t.end;
            s->call->section.empty = p < t.end && *p == ']';
        }
        s->pos = s->call->section.from;
        sluice__push(s, MARK_CALL, (uint16_t)(s->pc + 1));
        if (!s->call->section.whole) {
            sluice__pop(s);
            return jump_to(s, (uint16_t)(s->pc + 1));
        }
        return jump_to(s, s->call->section.object ? c->object : c->array);
    }
    if (!s->phase) {
        if (s->marks && s->call->mark[s->marks - 1].kind == MARK_CALL)
            sluice__pop(s);
        s->committed = true;
        if (s->call->section.whole && s->call->section.object)
            sluice__report(s, "repaired", "expected a list of calls, found one call");
        if (!s->list_any && !s->call->section.empty) {
            s->pos = s->call->section.stop;
            sluice__report(s, "invalid_call",
                           s->call->wrong.b.len
                               ? s->call->wrong.b.data
                               : "the text before the delimiter is not a list of calls");
        }
        if (s->call->section.stop > s->pos)
            s->pos = s->call->section.stop;
        s->phase = 1;
    }
    if (sluice__take(s, c->close, true, &item) == CUT)
        return WAIT;
    s->drop_behind = c->after;
    return jump_to(s, c->out);
}
