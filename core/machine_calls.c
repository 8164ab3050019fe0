/* Instructions for several calls, and for the ends of blocks. */
#include "machine.h"

static sluice__went jump(sluice__run *m, uint16_t to) {
    m->pc = to;
    m->phase = 0;
    return SLUICE__JUMPED;
}

SLUICE__HANDLER(calls) {
    if (s->call.open) { /* two calls would share its arguments */
        TRY(sluice__fail(s, "the description reads calls inside an announced call"));
        return SLUICE__RAISES;
    }
    m->good = 0;
    m->inside = false;
    m->outer_name = m->has_name;
    m->outer_id = m->has_id;
    m->outer_pattern = m->pattern;
    return sluice__m_follow(m, s, i, SLUICE__I_call, sluice__i_call);
}

SLUICE__HANDLER(call) {
    sluice__m_new_call(m);
    m->bad_told = false;
    m->nested = m->inside;
    m->has_name = m->outer_name;
    m->has_id = m->outer_id;
    m->pattern = m->outer_pattern;
    m->pair_count = 0;
    m->start = s->pos;
    sluice__m_forget_wrong(m);
    m->code = NULL;
    sluice__mark *k = sluice__m_push(m, s, SLUICE__M_CALL, m->program->calls[i->a].bad);
    TRY(k);
    k->pinned = true;
    sluice__m_pin(s); /* until the call is announced */
    return sluice__m_follow(m, s, i, SLUICE__I_literal, sluice__i_literal);
}

static const char no_call[] = "this is not a call";
static const char breaks_off[] =
    "the list of calls breaks off; the text after it is reported as text";

/* Leaves the list. */
static sluice__went leave(sluice__run *m, sluice_stream *s, const sluice__calls_spec *c) {
    if (!m->good && !m->program->reserved_section)
        return SLUICE__FAILS;
    for (; m->good && m->bads; m->bads--) /* bad calls before the first good one */
        TRY(sluice__m_error(s, "invalid_call",
                            m->rare->bad_why.len ? m->rare->bad_why.data
                                                 : "an item before the calls is not a call"));
    m->began = m->good > 0;
    return jump(m, c->out);
}

/* True if a name may begin with this byte. */
static bool begins_name(long c) {
    return c == '_' || c == '$' || c == '@' || c >= 128 || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Would the start of a call of this list open a block by itself? */
static bool opens_block(const sluice__run *m, const sluice__calls_spec *c) {
    const sluice__markers *text = m->program->format->text;
    for (size_t i = 0; i < text->count; i++)
        for (size_t k = 0; k < c->starts->count; k++)
            if (text->items[i].len <= c->starts->items[k].len &&
                memcmp(text->items[i].text, c->starts->items[k].text, text->items[i].len) == 0)
                return true;
    return false;
}

/* Does the list go on after some text at pos? Returns 1, 0, LOOK_WAITS. */
static int goes_on(const sluice_stream *s, const sluice__calls_spec *c) {
    uint64_t at, most = s->pos + s->set.limit_name;
    size_t item;
    bool found = sluice__find(s, c->follow, s->pos, &at, &item) == SLUICE__YES;
    if (found || at > most || sluice__at_end(s))
        return found && at <= most;
    return SLUICE__LOOK_WAITS;
}

/* The literal follows, and the list is left: takes it if the next instruction does only that. */
static void take_follower(sluice__run *m, sluice_stream *s, const sluice__marker *literal) {
    const sluice__ins *next = &m->program->code[m->pc];
    const sluice__marker *only =
        next->op == SLUICE__I_maybe ? sluice__lone(m->program, next) : NULL;
    uint64_t pos = s->pos;
    if (!only || !sluice__marker_is(only, literal) || m->scripts->watch)
        return;
    if (sluice__m_byte(m, s, true) == (unsigned char)*literal->text) {
        s->pos += literal->len;
        m->pc++;
    } else { /* it begins with white space */
        s->pos = pos;
    }
}

/* After a call: goes to the next one, to the text between calls, or out. `item`: the literal that
 * is known to follow, or -1. */
static sluice__went again(sluice__run *m, sluice_stream *s, const sluice__calls_spec *c,
                          long item) {
    long byte;
    int more;
    sluice__went went;
    SUB_RESUME(m)
    if (c->follow && item < 0)
        SUB_LOOK(m, item, sluice__m_peek(m, s, c->follow, true));
    m->at[0] = item >= 0 ? c->kind[item] : 0;
    if (!m->at[0] && c->open && !c->once) {
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte >= 0)
            m->at[0] = SLUICE__K_BODY; /* a call that begins with its name, after white space */
    }
    if (!m->at[0] && c->starts && !c->in_json && !c->open && !c->once && !opens_block(m, c)) {
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte >= 0) { /* else nothing would find the following calls */
            SUB_LOOK(m, more, goes_on(s, c));
            if (more && m->unread) {
                TRY(sluice__m_lose_track(s, "stray_markup",
                                         "cannot read the call to its end; the text after it may "
                                         "belong to it and is reported as text"));
            } else if (more) {
                SUB_AWAIT(m, sluice__op_junk(s, c->follow));
                TRY(sluice__m_error(s, "stray_markup", "text between two calls was left out"));
                m->at[0] = c->kind[s->result.item];
            } else {
                TRY(sluice__m_error(
                    s, "invalid_call",
                    "the list of calls is not closed; the text after it is reported as text"));
            }
        }
    }
    if (!m->at[0] && item < 0 && m->good) {
        SUB_LOOK(m, more, sluice__m_object_stands(s, false));
        if (more)
            TRY(sluice__m_error(s, "invalid_call", breaks_off));
    }
    RESUME_END
    if (m->at[0] == SLUICE__K_BODY)
        return jump(m, c->call);
    if (m->at[0] != SLUICE__K_BETWEEN) {
        went = leave(m, s, c);
        if (went == SLUICE__JUMPED && item >= 0)
            take_follower(m, s, &c->follow->items[item]);
        return went;
    }
    sluice__mark *k = sluice__m_push(m, s, SLUICE__M_CALL, c->between_at);
    TRY(k);
    k->pinned = true;
    k->way = m->pc;
    sluice__m_pin(s);
    m->began = false;
    return jump(m, (uint16_t)(c->between_at + 1));
}

/* After the text between two calls: is there a call, or an item that is not one? The mark of
 * `again` may be gone. */
SLUICE__HANDLER(between_end) {
    const sluice__calls_spec *c = &m->program->calls[i->a];
    sluice__went went;
    long item, byte;
    RESUME(m)
    if (m->mark_count && m->marks[m->mark_count - 1].kind == SLUICE__M_CALL &&
        m->marks[m->mark_count - 1].pc == c->between_at) {
        m->between = m->marks[m->mark_count - 1].pos;
        sluice__m_pop(m, s);
    }
    sluice__m_pin(s);
    m->answer = !c->starts || c->open;
    if (!m->answer) {
        LOOK(m, item, sluice__m_peek(m, s, c->starts, true));
        m->answer = item >= 0;
    }
    m->at[1] = false; /* is this after an item? */
    if (!m->answer) {
        LOOK(m, item, sluice__m_peek(m, s, c->follow, true));
        m->at[1] = item >= 0;
    }
    if (!m->answer && !m->at[1]) {
        LOOK(m, byte, sluice__m_byte(m, s, true));
        m->at[2] = byte >= 0;
        if (c->in_json)
            AWAIT(m, sluice__op_skip(s, SLUICE__LENIENT, NULL, 0, 0));
        if (c->in_json && s->result.ok) {
            LOOK(m, item, sluice__m_peek(m, s, c->follow, true));
            m->at[1] = item >= 0 && c->kind[item] != SLUICE__K_BODY;
        }
        if (m->at[1] && (m->good || m->program->reserved_section))
            TRY(sluice__m_error(s, "invalid_call", no_call));
        else if (m->at[1])
            m->bads++; /* reported after the first good one, if any */
        else if (m->at[2] && !m->bad_told)
            TRY(sluice__m_error(s, "invalid_call", breaks_off));
    }
    if (!m->answer && !m->at[1])
        sluice__seek(s, m->between);
    sluice__m_unpin(s);
    if (m->at[1])
        CALL(m, went, again(m, s, c, -1));
    RESUME_END
    return m->answer ? jump(m, c->call) : leave(m, s, c);
}

/* After the separator of calls at pos: can a call, or the list's end, follow? A word alone is not a
 * call. Returns 1, 0, LOOK_WAITS. */
static int call_may_follow(sluice__run *m, sluice_stream *s, const sluice__calls_spec *c) {
    uint64_t at = s->pos, limit = sluice__visible(s), most = at + s->set.limit_name;
    long item = sluice__m_peek(m, s, c->follow, true);
    if (item < 0)
        return item == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : 1;
    while (at < limit && sluice__is_space(*sluice__at(s, at)))
        at++;
    at += c->follow->items[item].len;
    while (at < limit && sluice__is_space(*sluice__at(s, at)))
        at++;
    if (at < limit && !begins_name((unsigned char)*sluice__at(s, at))) {
        size_t which;
        sluice__match match = sluice__match_here(s, c->follow, at, &which);
        return match == SLUICE__WAIT ? SLUICE__LOOK_WAITS : match == SLUICE__YES;
    }
    while (
        at < limit && at < most &&
        (begins_name((unsigned char)*sluice__at(s, at)) || memchr("-.:/", *sluice__at(s, at), 4)))
        at++;
    bool space = false;
    for (; at < limit && sluice__is_space(*sluice__at(s, at)); at++)
        space = true;
    if (at >= limit)
        return sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
    char next = *sluice__at(s, at);
    return at >= most || !(memchr(",])", next, 3) || (space && begins_name((unsigned char)next)));
}

/* Ends the announced call. at[1]: it is kept; at[2]: the number of the literal that follows, + 1;
 * 0: not known. */
static sluice__went end_call(sluice__run *m, sluice_stream *s, const sluice__calls_spec *c) {
    long item = -1, byte;
    int more;
    bool good = false;
    SUB_RESUME(m)
    if (m->nested && c->in_json)
        TRY(sluice__m_spoilt(s, "bad_arguments",
                             "the call may be part of an unreadable item of the list"));
    if (c->follow)
        SUB_LOOK(m, item, sluice__m_peek(m, s, c->follow, true));
    if (c->must_close && item < 0) {
        m->answer = false;
        if (c->open) {
            SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
            m->answer = byte >= 0 && begins_name(byte);
        }
        if (!m->answer)
            sluice__lower(s, SLUICE_RECOVERED);
    }
    if (item >= 0 && c->kind[item] == SLUICE__K_BETWEEN && c->open && !c->in_json) {
        SUB_LOOK(m, more, call_may_follow(m, s, c));
        item = 0; /* it is there, but a wait forgets which one it is */
        if (!more) {
            sluice__lower(s, SLUICE_RECOVERED);
            TRY(sluice__m_error(s, "invalid_call", breaks_off));
        }
    }
    if (item < 0) {
        SUB_LOOK(m, byte, sluice__m_stands_odd(m, s));
        if (byte)
            TRY(sluice__m_tell_odd(s));
    }
    if (c->unclosed && item < 0) {
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte >= 0)
            TRY(sluice__m_spoilt(s, "ignored_argument",
                                 "the text after the call may belong to its last argument"));
    }
    RESUME_END
    sluice__went went = sluice__m_finish(m, s, &good);
    m->at[1] = good;
    m->at[2] = item >= 0 && c->kind[item] != SLUICE__K_BETWEEN ? (uint64_t)item + 1 : 0;
    return went;
}

SLUICE__HANDLER(call_end) {
    const sluice__calls_spec *c = &m->program->calls[i->a];
    sluice__went went;
    RESUME(m)
    sluice__m_pop(m, s);
    if (!m->began && m->spoke) { /* it was an answer */
        m->good++;
        m->any = true;
        CALL(m, went, again(m, s, c, -1));
        return SLUICE__NEXT;
    }
    if (!m->began)
        COMMIT(m, s, return jump(m, c->bad));
    CALL(m, went, end_call(m, s, c));
    if (!m->at[1])
        return jump(m, c->bad);
    m->good++;
    m->any = true;
    if (s->pos == m->start) /* nothing was read: it would be read again forever */
        return leave(m, s, c);
    CALL(m, went, again(m, s, c, (long)m->at[2] - 1));
    RESUME_END
    return SLUICE__JUMPED;
}

/* Finds the next call after a bad one. at[2]: 1 found, 0 the list is over, 2 none of it is
 * a list. */
static sluice__went behind_bad(sluice__run *m, sluice_stream *s, const sluice__calls_spec *c) {
    long item, byte;
    m->answer = m->good > 0;
    SUB_RESUME(m)
    m->at[2] = 2;
    if (c->in_json) {
        SUB_AWAIT(m, sluice__op_skip(s, SLUICE__LENIENT, NULL, 0, 0));
        if (!s->result.ok) {
            sluice__seek(s, m->start);
            if (!m->good)
                return SLUICE__NEXT;
            SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
            if (byte != '{')
                return SLUICE__NEXT;
            s->pos++;
            SUB_AWAIT(m, sluice__op_junk(s, c->follow));
            if (!s->result.ok)
                return SLUICE__NEXT;
            m->inside |= s->result.kind != -1; /* the item's own brace was passed */
        }
    } else if (c->starts && m->good) {
        m->at[2] = 0;
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        SUB_LOOK(m, item, sluice__m_take(m, s, c->starts, true));
        if (item < 0)
            return SLUICE__NEXT;
        SUB_AWAIT(m, sluice__op_junk(s, c->follow));
        if (!s->result.ok)
            return SLUICE__NEXT;
    } else if (c->starts && !m->opener_missing && s->pos > s->begin) {
        SUB_LOOK(m, item, sluice__m_take(m, s, c->starts, true));
        if (item < 0)
            return SLUICE__NEXT;
        SUB_AWAIT(m, sluice__op_junk(s, c->follow));
        if (!s->result.ok || c->kind[s->result.item] != SLUICE__K_BODY)
            return SLUICE__NEXT;
    } else if (!m->good && c->open && c->between && (m->has_tools || !m->markerless)) {
        /* an item of a list that is not a call */
        SUB_AWAIT(m, sluice__op_skip(s, SLUICE__LENIENT | SLUICE__PYTHON, NULL, 0, 0));
        if (!s->result.ok)
            return SLUICE__NEXT;
        SUB_LOOK(m, item, sluice__m_peek(m, s, c->follow, true));
        if (item < 0 || c->kind[item] != SLUICE__K_BETWEEN)
            return SLUICE__NEXT;
    } else {
        m->at[2] = m->good ? 0 : 2;
        return SLUICE__NEXT;
    }
    RESUME_END
    m->at[2] = 1;
    return SLUICE__NEXT;
}

static bool tell_bad(sluice__run *m, sluice_stream *s) {
    s->committed = m->bad_told = true;
    return sluice__flush(s) &&
           sluice__m_error(s, "invalid_call", m->rare->wrong.len ? m->rare->wrong.data : no_call);
}

SLUICE__HANDLER(call_bad) {
    const sluice__calls_spec *c = &m->program->calls[i->a];
    sluice__went went;
    long item;
    RESUME(m)
    m->at[3] = m->began || s->call.open;
    if (m->at[3])
        CALL(m, went, end_call(m, s, c));
    if (c->once)
        return SLUICE__FAILS;
    if (m->bare && !m->good && m->start == s->begin)
        return SLUICE__FAILS; /* without a marker, the message begins with a call or with text */
    sluice__seek(s, m->start);
    if (!m->good && m->start > s->begin && !m->markerless && !m->opener_missing && !m->at[3] &&
        c->closers) {
        LOOK(m, item, sluice__m_peek(m, s, c->closers, true));
        if (item >= 0) { /* an empty section is markup */
            s->committed = true;
            TRY(sluice__flush(s));
            m->began = false;
            return jump(m, c->out);
        }
    }
    CALL(m, went, behind_bad(m, s, c));
    if (m->good && m->at[2] != 1 && (c->in_json || (c->open && c->between)))
        TRY(sluice__m_error(s, "invalid_call", breaks_off));
    if (m->at[2] == 2)
        return SLUICE__FAILS;
    if (!m->at[2])
        return leave(m, s, c);
    if (m->good || m->program->reserved_section)
        TRY(tell_bad(m, s));
    else if (!m->bads++)
        TRY(sluice__m_rare(m, s) && sluice__m_set(s, &sluice__m_rare_there(m)->bad_why,
                                                  m->rare->wrong.data, m->rare->wrong.len));
    CALL(m, went, again(m, s, c, -1));
    RESUME_END
    return SLUICE__JUMPED;
}

/* ---- Reserved sections -------------------------------------------------------------------- */

static bool end_section(sluice_stream *s, const sluice__section_spec *c) {
    s->committed = true;
    s->drop_after = c->after;
    return sluice__flush(s);
}

/* Is the section an empty list? */
static bool empty_list(const sluice__run *m, const sluice_stream *s) {
    char got[2];
    size_t n = 0;
    for (uint64_t at = m->section.from; at < m->section.stop; at++) {
        char c = *sluice__at(s, at);
        if (sluice__is_space(c))
            continue;
        if (n == 2)
            return false;
        got[n++] = c;
    }
    return n == 2 && got[0] == '[' && got[1] == ']';
}

/* A section at the start of the message that is reserved for calls, up to its closing literal.
 * Parts that are not calls are markup. Without the closer there is no section, unless the text ends
 * after a whole JSON value. */
SLUICE__HANDLER(section) {
    const sluice__section_spec *c = &m->program->sections[i->a];
    long item, byte;
    RESUME(m)
    m->at[0] = s->pos;
    LOOK(m, item, sluice__m_take(m, s, m->program->fence, true));
    m->section.from = s->pos;
    LOOK(m, byte, sluice__m_byte(m, s, true));
    m->section.object = byte == '{';
    m->answer = byte == '[' || byte == '{';
    LOOK(m, item, sluice__m_take(m, s, c->close, true));
    if (item >= 0) { /* an empty section */
        TRY(end_section(s, c));
        return jump(m, c->out);
    }
    if (!m->answer)
        return SLUICE__FAILS;
    AWAIT(m, sluice__op_skip(s, SLUICE__LENIENT, NULL, 0, 0));
    m->section.whole = s->result.ok;
    if (m->section.whole) {
        LOOK(m, item, sluice__m_take(m, s, m->program->fence_end, true));
        m->section.stop = s->pos;
        LOOK(m, item, sluice__m_peek(m, s, c->close, true));
        if (item < 0) { /* else it may be any JSON */
            LOOK(m, byte, sluice__m_byte(m, s, true));
            if (m->several || byte >= 0)
                return SLUICE__FAILS;
        }
    } else {
        sluice__seek(s, m->at[0]);
        AWAIT(m, sluice__op_junk(s, c->close));
        if (!s->result.ok)
            return SLUICE__FAILS;
        m->section.stop = s->pos;
    }
    m->section.empty = m->section.whole && empty_list(m, s);
    sluice__seek(s, m->section.from);
    TRY(sluice__m_push(m, s, SLUICE__M_SECTION, (uint16_t)(m->pc + 1)));
    m->answer = true;
    RESUME_END
    if (!m->section.whole) {
        m->answer = false;
        sluice__m_pop(m, s);
        return jump(m, (uint16_t)(m->pc + 1));
    }
    return jump(m, m->section.object ? c->object : c->array);
}

SLUICE__HANDLER(section_end) {
    const sluice__section_spec *c = &m->program->sections[i->a];
    long item;
    RESUME(m)
    if (m->mark_count && m->marks[m->mark_count - 1].kind == SLUICE__M_SECTION) {
        sluice__m_pop(m, s);
    } else if (m->section.whole && !m->any) { /* nothing in it was a call */
        s->committed = true;
        TRY(sluice__flush(s));
    }
    if (m->section.whole && m->section.object)
        TRY(sluice__m_error(s, "repaired", "expected a list of calls, found one call"));
    if (!m->any && !m->section.empty) {
        sluice__seek(s, m->section.stop);
        s->committed = true;
        TRY(sluice__flush(s) &&
            sluice__m_error(s, "invalid_call",
                            m->rare->wrong.len
                                ? m->rare->wrong.data
                                : "the text before the delimiter is not a list of calls"));
    }
    if (m->section.stop > s->pos)
        sluice__seek(s, m->section.stop);
    LOOK(m, item, sluice__m_take(m, s, c->close, true));
    TRY(end_section(s, c));
    RESUME_END
    return jump(m, c->out);
}

/* ---- Ends --------------------------------------------------------------------------------- */

SLUICE__HANDLER(answer) {
    (void)s;
    (void)i;
    sluice__mark k = m->marks[--m->mark_count];
    m->answer = true;
    m->probing = false;
    m->began = k.began;
    m->type = k.type;
    m->pc = k.pc;
    m->phase = k.phase;
    return SLUICE__JUMPED;
}

SLUICE__HANDLER(jump) {
    (void)s;
    return jump(m, i->a);
}

/* A block that is read by a function of the script. The calls that it names are announced, checked
 * and ended as all are. */
SLUICE__HANDLER(hand) {
    (void)i;
    sluice__verdict verdict;
    sluice__went went;
    bool good, on = false;
    RESUME(m)
    for (;; on = true) {
        verdict = m->scripts->hand(m->user, s, on);
        if (verdict == SLUICE__AWAITS || verdict == SLUICE__WAITS) {
            m->phase = 1;
            return verdict == SLUICE__AWAITS && !s->step ? SLUICE__YIELDS : SLUICE__WAITED;
        case 1:
            continue;
        }
        if (verdict != SLUICE__NAMES && verdict != SLUICE__ENDS)
            break;
        if (m->began) {
            went = sluice__m_finish(m, s, &good);
            if (went != SLUICE__NEXT)
                return went;
            sluice__m_new_call(m);
        }
        if (verdict == SLUICE__NAMES)
            COMMIT(m, s, return SLUICE__REFUSES);
    }
    RESUME_END
    if (verdict == SLUICE__CLOSED)
        return m->began ? SLUICE__NEXT : SLUICE__CLOSES;
    s->hit_end = s->hit_end && m->began; /* the function knows that it is none */
    return verdict == SLUICE__FAILED ? SLUICE__RAISES : SLUICE__REFUSES;
}

SLUICE__HANDLER(close) {
    bool good;
    int odd;
    sluice__went went;
    RESUME(m)
    if (i->flags & SLUICE__F_MANY || (m->spoke && !m->began))
        return SLUICE__CLOSES;
    if (!m->began) {
        if (!m->has_name)
            return SLUICE__REFUSES;
        COMMIT(m, s, return SLUICE__REFUSES);
    }
    LOOK(m, odd, sluice__m_stands_odd(m, s));
    if (odd)
        TRY(sluice__m_tell_odd(s));
    RESUME_END
    went = sluice__m_finish(m, s, &good);
    if (went != SLUICE__NEXT || good)
        return went == SLUICE__NEXT ? SLUICE__CLOSES : went;
    TRY(m->rare->wrong.len || sluice__m_wrong(m, s, NULL, "the call is incomplete"));
    return SLUICE__REFUSES;
}
