/* The loop of parameters: its start, text between two parameters, its end; and missing closers. */
#include "machine.h"

static sluice__went jump(sluice__run *m, uint16_t to) {
    m->pc = to;
    m->phase = 0;
    return SLUICE__JUMPED;
}

static bool is_opener(const sluice__loop *loop, long item) {
    return item >= 0 && loop->opener[item];
}

/* Looks for the first parameter. If it is a row's, nothing happens before its value. */
static long peek_first(sluice__run *m, sluice_stream *s, const sluice__loop *loop) {
    long item = sluice__m_peek(m, s, loop->set, true);
    if (item == SLUICE__LOOK_WAITS && s->standby.set && loop->row.head.opener) {
        s->standby.then = loop->row.head.odd;
        s->standby.item = loop->row.item;
        s->standby.passes = loop->row.head.passes;
    }
    return item;
}

SLUICE__HANDLER(params) {
    const sluice__loop *loop = &m->program->loops[i->a];
    long item, byte;
    sluice__went went;
    int plain;
    RESUME(m)
    m->looped = true;
    if (m->began)
        goto announced;
    if (m->opener_missing) {
        LOOK(m, item, sluice__m_peek(m, s, loop->set, true));
        if (item < 0) {
            LOOK(m, byte, sluice__m_byte(m, s, true));
            if (byte != '{' || !s->set.repairs)
                return SLUICE__FAILS; /* without its opener, a call needs the structure after its
                                         header */
        }
    }
    if (m->shared) {
        LOOK(m, item, sluice__m_peek(m, s, loop->set, true));
        m->answer = is_opener(loop, item);
        if (!m->answer && item < 0) {
            LOOK(m, byte, sluice__m_byte(m, s, true));
            if (byte >= 0)
                return SLUICE__FAILS;
        }
        if (!m->answer) {
            ASK(plain, sluice__m_plain_call(m, s));
            if (!plain)
                return SLUICE__FAILS;
        }
    }
    COMMIT(m, s, return SLUICE__FAILS);
announced:
    LOOK(m, item, peek_first(m, s, loop));
    if (!is_opener(loop, item) && s->set.repairs) {
        LOOK(m, byte, sluice__m_behind(m, s, '{'));
        if (byte == '{') {
            TRY(sluice__m_error(s, "repaired", "a JSON object was found instead of parameters"));
            sluice__lower(s, SLUICE_RECOVERED);
            m->unwrapped = true;
            m->at[2] = false;
            CALL(m, went, sluice__m_object_arguments(m, s));
            if (sluice__m_broken(m))
                CALL(m, went, sluice__m_mend(m, s, loop->stops));
        }
    }
    RESUME_END
    return SLUICE__NEXT;
}

sluice__mark *sluice__m_begin_parameter(sluice__run *m, sluice_stream *s, const sluice__ins *i,
                                        bool marked) {
    sluice__mark *k = sluice__m_push(m, s, SLUICE__M_LOOP, i->c);
    if (!k)
        return NULL;
    k->item = marked;
    k->pinned = true;
    k->way = i->b; /* where the loop continues */
    sluice__m_pin(s);
    m->key.len = 0;
    m->has_key = false;
    m->phase = 0;
    return k;
}

static sluice__went open_parameter(sluice__run *m, sluice_stream *s, const sluice__ins *i,
                                   bool marked) {
    TRY(sluice__m_begin_parameter(m, s, i, marked));
    return jump(m, m->program->loops[i->a].body);
}

/* Is it the start of a closer of the call, and of nothing of a parameter? */
static bool is_cut_closer(const sluice__loop *loop, const char *p, size_t n) {
    bool closer = false;
    for (size_t i = 0; n && i < loop->stops->count; i++) {
        const sluice__marker *item = &loop->stops->items[i];
        if (item->len <= n || memcmp(item->text, p, n) != 0)
            continue;
        if (loop->opener[i] || loop->own[i])
            return false;
        closer = true;
    }
    return closer;
}

/* Reports a closer of a parameter while none is open. */
static bool stray_closer(sluice__run *m, sluice_stream *s) {
    m->stray = true;
    /* the value before it may have quoted one */
    return sluice__m_spoilt(s, "stray_markup", "an extra closing tag was left out");
}

/* Was the name of a parameter read, and not the call's? Returns 1, 0; -1: a script raised
 * an error. */
static int closes_parameter(sluice__run *m, sluice_stream *s) {
    uint64_t from = s->result.start, to = s->result.end;
    while (from < to && sluice__is_space(*sluice__at(s, from)))
        from++;
    while (to > from && sluice__is_space(*sluice__at(s, to - 1)))
        to--;
    size_t n = sluice__minus(to, from);
    const char *key = n ? sluice__at(s, from) : "";
    if (!s->result.ok || !n || (n == m->name.len && memcmp(key, m->name.data, n) == 0))
        return 0;
    return sluice__m_is_used(m, key, n) ||
           (m->tool ? m->scripts->declares(m->user, s, m->tool, key, n, false) : 0);
}

SLUICE__HANDLER(params_next) {
    const sluice__loop *loop = &m->program->loops[i->a];
    long item, byte;
    int of_parameter;
    AT_ONCE(m->phase ? 0 : sluice__m_row_head(m, s, i));
    RESUME(m)
    for (;;) {
        if (loop->open_ended)
            LOOK(m, byte, sluice__m_byte(m, s, true));
        LOOK(m, item, sluice__m_peek(m, s, loop->stops, true));
        if (is_opener(loop, item))
            return open_parameter(m, s, i, true);
        if (item >= 0 && (size_t)item == loop->named) {
            m->at[0] = s->pos;
            sluice__m_pin(s);
            LOOK(m, item, sluice__m_take(m, s, loop->stops, true));
            AWAIT(m, sluice__op_upto(s, loop->name_ends, s->set.limit_name, true, false));
            ASK(of_parameter, closes_parameter(m, s));
            if (!of_parameter)
                sluice__seek(s, m->at[0]);
            sluice__m_unpin(s);
            if (!of_parameter)
                break;
            TRY(stray_closer(m, s));
            LOOK(m, item, sluice__m_take(m, s, loop->name_ends, true));
            continue;
        }
        if (item >= 0 && (size_t)item < loop->listed)
            break;
        LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte < 0) {
            m->bare_end = !m->used.count && !s->call.has_arguments;
            break;
        }
        if (loop->open_ended && sluice__m_peek(m, s, loop->stops, true) < 0)
            return open_parameter(m, s, i, false);
        m->at[0] = s->pos;
        AWAIT(m, sluice__op_junk(s, loop->stops));
        item = s->result.item;
        if (item < 0 && is_cut_closer(loop, s->result.text, s->result.text_len)) {
            sluice__lower(s, SLUICE_RECOVERED);
        } else if (s->pos > m->at[0]) {
            m->stray = true; /* possibly an argument */
            TRY(sluice__m_spoilt(s, "stray_markup",
                                 "text between the parts of a call was left out"));
        }
        if (item < 0)
            break;
        if ((size_t)item >= loop->listed) {
            if (!loop->own[item])
                break;
            s->pos += loop->stops->items[item].len; /* a closer of a parameter while none is open */
            TRY(stray_closer(m, s));
        }
    }
    RESUME_END
    TRY(sluice__m_flush_repeated(m, s));
    return jump(m, loop->out);
}

SLUICE__HANDLER(params_back) {
    (void)i;
    uint16_t to = m->marks[m->mark_count - 1].way;
    sluice__m_pop(m, s);
    TRY(sluice__m_tell_loose(m, s));
    if (m->has_key) {
        TRY(sluice__m_spoilt(s, "ignored_argument", "a parameter has no readable value"));
        m->has_key = false;
    }
    return jump(m, to);
}

SLUICE__HANDLER(params_bad) {
    const sluice__loop *loop = &m->program->loops[i->a];
    RESUME(m)
    if (m->answer) {
        long item = sluice__m_take(m, s, loop->set, true);
        if (item == SLUICE__LOOK_WAITS)
            return SLUICE__WAITED;
    } else {
        AWAIT(m, sluice__op_junk(s, m->program->sets[i->c]));
        if (!s->result.ok) {
            if (s->result.text_len &&
                !sluice__markers_begin(loop->stops, s->result.text, s->result.text_len))
                TRY(sluice__m_spoilt(s, "unfinished_call", "the text ends inside a parameter"));
            TRY(sluice__m_flush_repeated(m, s));
            return jump(m, loop->out);
        }
    }
    RESUME_END
    m->stray = true; /* possibly a parameter */
    TRY(sluice__m_spoilt(s, "stray_markup", "this is not a parameter"));
    return jump(m, i->b);
}

/* ---- Missing closers ---------------------------------------------------------------------- */

int sluice__m_stands_odd(sluice__run *m, sluice_stream *s) {
    if (!m->lacks || m->lacks_at != s->pos || s->call.status == SLUICE_INCOMPLETE)
        return 0;
    long byte = sluice__m_byte(m, s, true);
    if (byte < 0)
        return byte == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : m->bare_end;
    m->lacks_at = s->pos; /* after blanks: examined again after a wait */
    const char *p = sluice__at(s, s->pos), *first = m->lacks->items[0].text;
    size_t n = sluice__minus(sluice__visible(s), s->pos);
    while (sluice__is_space(*first))
        first++;
    if (*p != *first)
        return 0;
    if (sluice__at_end(s) && sluice__markers_begin(m->lacks, p, n)) /* it is cut */
        return 0;
    long item = sluice__m_peek(m, s, m->program->format->text, true);
    return item == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : item < 0;
}

int sluice__m_text_before(sluice__run *m, sluice_stream *s, const sluice__markers *closers) {
    uint64_t limit = sluice__visible(s), most = s->pos + s->set.limit_name, at = s->pos;
    size_t item;
    if (!m->began || !s->set.repairs || closers->items[0].len < 3)
        return 0;
    char first = closers->items[0].text[0];
    bool doubtful = at < limit && *sluice__at(s, at) == ',';
    for (; at < limit && at < most && *sluice__at(s, at) != first; at++) {
        if (memchr("<{\"", *sluice__at(s, at), 3))
            return 0; /* the next call, or more of this one */
        doubtful |= memchr(":=}]", *sluice__at(s, at), 4) != NULL;
    }
    if (at >= limit || at >= most)
        return at >= most || sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
    sluice__match found = sluice__match_here(s, closers, at, &item);
    if (found != SLUICE__YES)
        return found == SLUICE__WAIT ? SLUICE__LOOK_WAITS : 0;
    sluice__lower(s, SLUICE_RECOVERED);
    s->pos = at + closers->items[item].len;
    bool told =
        doubtful
            ? sluice__m_spoilt(s, "bad_arguments",
                               "the text before the call's closing tag may belong to its arguments")
            : sluice__m_error(s, "stray_markup", "text before the call's closing tag was left out");
    return told ? 1 : -1;
}

bool sluice__m_tell_odd(sluice_stream *s) {
    if (sluice__m_at_end(s))
        return sluice__m_spoilt(s, "unfinished_call", "the text ends before the arguments");
    return sluice__m_spoilt(s, "bad_arguments",
                            "missing closing tag; the text in its place may belong to the call");
}

bool sluice__m_is_cut(const sluice__run *m, const sluice_stream *s, const sluice__ins *i) {
    size_t n = sluice__minus(sluice__visible(s), s->pos);
    bool value = false;
    if (!sluice__at_end(s) || n < 2 ||
        !sluice__markers_begin(m->program->sets[i->a], sluice__at(s, s->pos), n))
        return false;
    for (const sluice__ins *k = i + 1; k < m->program->code + i->b; k++)
        value |= k->op == SLUICE__I_value || k->op == SLUICE__I_arguments ||
                 k->op == SLUICE__I_params || k->op == SLUICE__I_object;
    return value;
}

void sluice__m_take_cut(sluice_stream *s, const sluice__markers *set) {
    uint64_t at = s->pos, end = sluice__visible(s);
    while (at < end && sluice__is_space(*sluice__at(s, at)))
        at++;
    if (sluice__at_end(s) && sluice__minus(end, at) >= 2 &&
        sluice__markers_begin(set, sluice__at(s, at), sluice__minus(end, at)))
        s->pos = end;
}
