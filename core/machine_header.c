/* Instructions that read literals, alternatives and the parts of a call's header. */
#include "machine.h"

/* ---- Literals ----------------------------------------------------------------------------- */

/* The closer of a value or a key is missing. If the text before it contains a possible misspelt
 * closer, the value is in doubt. False if out of memory. */
static bool doubt(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    const sluice__marker *closer = &m->program->sets[i->a]->items[0];
    if (s->call.status == SLUICE_INCOMPLETE || i == m->program->code)
        return true;
    bool like = i[-1].op == SLUICE__I_value
                    ? sluice__value_ends_like(s, closer)
                    : i[-1].op == SLUICE__I_key && closer->len > 2 && m->key.len &&
                          sluice__holds(m->key.data, m->key.len, closer->text, 2);
    if (like)
        return sluice__m_spoilt(s, "bad_arguments",
                                "missing closing tag; the preceding text resembles one");
    return i[-1].op != SLUICE__I_value || !sluice__value_is_blank(s) ||
           sluice__m_spoilt(s, "bad_arguments", "empty value with no closing tag");
}

/* Notes a missing closer of a call with separate parameters: see sluice__m_stands_odd. */
static void lacks(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    if (m->began)
        sluice__m_take_cut(s, m->program->sets[i->a]);
    if (m->began && m->looped) {
        m->lacks = m->program->sets[i->a];
        m->lacks_at = s->pos;
    }
}

/* A closer is missing. If an extra closer, or junk between the parameters, came before it, a value
 * may have ended too early. False if out of memory. */
static bool doubt_stray(sluice__run *m, sluice_stream *s) {
    return !m->stray || s->lost_track ||
           sluice__m_lose_track(
               s, "bad_arguments",
               "possible parts of a value were left out, and a closing tag is missing; the text "
               "after it may belong to that value and is reported as text");
}

/* A required literal is missing: a repair, or not a call. */
static sluice__went missing(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    m->missed = true;
    if (!m->began)
        return SLUICE__FAILS;
    lacks(m, s, i);
    sluice__lower(s, SLUICE_RECOVERED);
    if (m->has_key) /* was the key a key at all? */
        TRY(sluice__m_spoilt(s, "bad_arguments", "the literal after a key is missing"));
    TRY(doubt_stray(m, s));
    return doubt(m, s, i) ? SLUICE__NEXT : SLUICE__SHORT;
}

/* Matches the exact literal at pos and, if required, the end of its line; pos moves past them.
 * Returns 1, 0, LOOK_WAITS. */
static int exact_literal(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    const sluice__markers *set = m->program->sets[i->a];
    uint64_t start = s->pos;
    if (!(i->flags & SLUICE__F_WHOLE_LINE)) {
        long item = sluice__m_take(m, s, set, false);
        if (item < 0)
            return item == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : 0;
    }
    if (!(i->flags & SLUICE__F_LINE))
        return 1;
    long byte = sluice__m_line_blanks(m, s);
    if (byte == SLUICE__LOOK_WAITS) {
        s->pos = start;
        return SLUICE__LOOK_WAITS;
    }
    if (byte == '\n')
        s->pos++;
    else if (byte >= 0)
        return 0;
    return m->began || byte >= 0 || !(i->flags & SLUICE__F_WHOLE_LINE);
}

/* Is pos at the end of a run whose length is a multiple of the literal's? The first copy was taken.
 * Returns 1, 0, LOOK_WAITS. */
static int whole_run(sluice__run *m, sluice_stream *s, const sluice__markers *unit, size_t len) {
    uint64_t at = s->pos;
    size_t extra = 0;
    for (;;) {
        long item = sluice__m_take(m, s, unit, false);
        if (item < 0) {
            s->pos = at;
            return item == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : extra % len == 0;
        }
        extra += unit->items[item].len;
    }
}

/* A required closer is missing after an object or the arguments. Reports another object in its
 * place, or a piece of text before the closer; then `*item` is 0. */
static sluice__went stands_instead(sluice__run *m, sluice_stream *s, const sluice__ins *i,
                                   long *item) {
    unsigned op = i > m->program->code ? i[-1].op : SLUICE__I_literal;
    if (!m->began || (op != SLUICE__I_arguments && (op != SLUICE__I_object || !s->set.repairs)))
        return SLUICE__NEXT;
    int more = sluice__m_object_stands(s, op == SLUICE__I_arguments);
    if (more == SLUICE__LOOK_WAITS)
        return SLUICE__WAITED;
    if (more && op == SLUICE__I_arguments) { /* possibly more of them */
        TRY(sluice__m_spoilt(
            s, "bad_arguments",
            "missing closing tag; the text after the arguments may belong to them"));
    } else if (more) {
        TRY(sluice__m_error(
            s, "invalid_call",
            "expected the call's closing tag, found an object; it is reported as text"));
    } else {
        int text = sluice__m_text_before(m, s, m->program->sets[i->a]);
        TRY(text != -1);
        *item = text == 1 ? 0 : *item;
        return text == SLUICE__LOOK_WAITS ? SLUICE__WAITED : SLUICE__NEXT;
    }
    return SLUICE__NEXT;
}

/* A literal is waited for: then nothing happens before the end of the name that follows it. */
void sluice__m_wait_for_next(const sluice__program *p, sluice__standby *by,
                             const sluice__ins *next) {
    if (next->op == SLUICE__I_name && !(next->flags & ~(unsigned)SLUICE__F_PLAIN)) {
        by->ends = p->sets[next->a];
        by->then = by->ends->odd;
    } else if (next->op == SLUICE__I_attributes && next->flags & SLUICE__F_PLAIN) {
        by->then = p->attributes[next->a].odd;
    }
}

/* The same for what follows a call. */
static void wait_for_next(const sluice__run *m, sluice_stream *s, const sluice__ins *next) {
    const sluice__program *p = m->program;
    sluice__standby *by = &s->standby;
    if (!by->set || by->set->count > 1 || next == p->code + p->count)
        return;
    if (next->op == SLUICE__I_call_end && m->began && !m->nested)
        by->ends = p->calls[next->a].follow;
    else
        sluice__m_wait_for_next(p, by, next);
}

SLUICE__HANDLER(literal) {
    const sluice__markers *set = m->program->sets[i->a];
    uint64_t start = s->pos;
    if (i->flags & SLUICE__F_EXACT && !(i->flags & SLUICE__F_SOFT)) {
        int r = exact_literal(m, s, i);
        if (r == 1)
            return SLUICE__NEXT;
        s->pos = start;
        return r == SLUICE__LOOK_WAITS ? SLUICE__WAITED : SLUICE__FAILS;
    }
    if (sluice__m_take_lone(m, s, i)) {
        m->missed = false;
        return sluice__m_follow(m, s, i, SLUICE__I_name, sluice__i_name);
    }
    long item = sluice__m_take(m, s, set, !(i->flags & SLUICE__F_EXACT));
    if (item == SLUICE__LOOK_WAITS) {
        wait_for_next(m, s, i + 1);
        return SLUICE__WAITED;
    }
    m->missed = false;
    if (item < 0) {
        sluice__went went = stands_instead(m, s, i, &item);
        if (went != SLUICE__NEXT)
            return went;
    }
    if (item < 0)
        return missing(m, s, i);
    if (i->b != SLUICE__NONE) {
        int r = whole_run(m, s, m->program->sets[i->b], set->items[item].len);
        if (r == SLUICE__LOOK_WAITS) {
            s->pos = start;
            return SLUICE__WAITED;
        }
        if (!r)
            return missing(m, s, i);
    }
    return SLUICE__NEXT;
}

/* Handles an optional part that is absent. False if out of memory. */
static bool absent(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    m->absent_at = s->pos;
    if (!(i->flags & SLUICE__F_RECOVER))
        return true;
    lacks(m, s, i);
    if (!m->began) {
        m->opener_missing |= !m->opened;
        return true;
    }
    sluice__lower(s, SLUICE_RECOVERED);
    return doubt_stray(m, s) && doubt(m, s, i);
}

SLUICE__HANDLER(maybe) {
    if (sluice__m_take_lone(m, s, i)) {
        m->opened |= !m->began;
        return m->began ? sluice__m_follow(m, s, i, SLUICE__I_close, sluice__i_close)
                        : sluice__m_follow(m, s, i, SLUICE__I_calls, sluice__i_calls);
    }
    long item = sluice__m_take(m, s, m->program->sets[i->a], !(i->flags & SLUICE__F_EXACT));
    if (item == SLUICE__LOOK_WAITS)
        return SLUICE__WAITED;
    if (item < 0 && i->flags & SLUICE__F_RECOVER) {
        sluice__went went = stands_instead(m, s, i, &item);
        if (went != SLUICE__NEXT)
            return went;
    }
    if (item < 0)
        TRY(absent(m, s, i));
    else if (!m->began)
        m->opened = true;
    return SLUICE__NEXT;
}

SLUICE__HANDLER(maybe_seq) {
    if (i->a != SLUICE__NONE) {
        long item = sluice__m_peek(m, s, m->program->sets[i->a], !(i->flags & SLUICE__F_EXACT));
        if (item == SLUICE__LOOK_WAITS)
            return SLUICE__WAITED;
        if (item < 0) {
            m->loose |= sluice__m_is_cut(m, s, i);
            TRY(absent(m, s, i));
            m->pc = i->b;
            m->phase = 0;
            return SLUICE__JUMPED;
        }
    }
    if (!m->began)
        m->opened = true;
    TRY(sluice__m_push(m, s, m->began ? SLUICE__M_NONE : SLUICE__M_OPTIONAL, i->b));
    return SLUICE__NEXT;
}

SLUICE__HANDLER(maybe_end) {
    (void)i;
    sluice__m_pop(m, s);
    return SLUICE__NEXT;
}

SLUICE__HANDLER(any) {
    const sluice__any *any = &m->program->anys[i->a];
    sluice__mark *k;
    m->phase = 0;
    if (m->began && !(i->flags & SLUICE__F_IN_ORDER)) {
        long item = sluice__m_peek(m, s, any->firsts, true);
        if (item == SLUICE__LOOK_WAITS)
            return SLUICE__WAITED;
        uint16_t way = item >= 0 ? any->way_of[item] : any->other;
        if (way == SLUICE__NONE) {
            m->pc = i->b;
            return SLUICE__JUMPED;
        }
        TRY(sluice__m_push(m, s, SLUICE__M_NONE, 0));
        m->pc = any->ways[way];
        return SLUICE__JUMPED;
    }
    TRY(k = sluice__m_push(m, s, SLUICE__M_CHOICE, 0));
    k->way = (uint16_t)(i->a << 8);
    if (m->began) { /* exact heads decide; report nothing before that */
        k->pinned = true;
        sluice__m_pin(s);
    }
    m->pc = any->ways[0];
    return SLUICE__JUMPED;
}

SLUICE__HANDLER(any_end) {
    sluice__m_pop(m, s);
    m->pc = i->a;
    m->phase = 0;
    return SLUICE__JUMPED;
}

SLUICE__HANDLER(line_start) {
    if (sluice__m_byte(m, s, true) == SLUICE__LOOK_WAITS)
        return SLUICE__WAITED;
    bool begins =
        (i->flags & SLUICE__F_INDENT ? sluice__line_indent : sluice__line_start)(s, s->pos);
    return begins || m->began ? SLUICE__NEXT : SLUICE__FAILS;
}

/* ---- Names, keys, ids --------------------------------------------------------------------- */

enum { AN_ID, A_NAME, A_KEY };

/* Skips white space or (on a header line) blanks before a name. False: wait. */
static bool before_name(sluice__run *m, sluice_stream *s, const sluice__ins *i, int what) {
    if (i->flags & SLUICE__F_INLINE) {
        for (;;) {
            long byte = sluice__m_byte(m, s, false);
            if (byte != ' ' && byte != '\t')
                return byte != SLUICE__LOOK_WAITS;
            s->pos++;
        }
    }
    if (what == A_KEY || sluice__m_byte(m, s, true) != SLUICE__LOOK_WAITS)
        return true;
    s->standby.ends = m->program->sets[i->a]; /* only these could end a name that begins now */
    s->standby.odd = s->standby.ends->odd;
    return false;
}

/* Trims the result of op_upto to [*from, *to). Returns NEXT, FAILS or SHORT. */
static sluice__went found_name(sluice__run *m, sluice_stream *s, uint64_t *from, uint64_t *to) {
    const sluice__result *r = &s->result;
    *from = r->start;
    *to = r->end;
    if (!r->ok) {
        if (sluice__minus(r->end, r->start) > s->set.limit_name) {
            TRY(sluice__m_wrong(m, s, sluice__code("limit_exceeded"),
                                "a name is longer than limit_name"));
            return SLUICE__FAILS;
        }
        if (r->end == r->start)
            return SLUICE__FAILS;
        sluice__seek(s, r->end);
        if (sluice__m_at_end(s))
            return SLUICE__FAILS;
    }
    while (*from < *to && (*sluice__at(s, *from) == ' ' || *sluice__at(s, *from) == '\t'))
        (*from)++;
    while (*to > *from && sluice__is_space(*sluice__at(s, *to - 1)))
        (*to)--;
    return SLUICE__NEXT;
}

#define READ_NAME(what)                                                                            \
    uint64_t from, to;                                                                             \
    RESUME(m)                                                                                      \
    if (!before_name(m, s, i, what))                                                               \
        return SLUICE__WAITED;                                                                     \
    AWAIT(m, sluice__op_upto(s, m->program->sets[i->a], s->set.limit_name, true, false));          \
    RESUME_END                                                                                     \
    sluice__went went = found_name(m, s, &from, &to);                                              \
    if (went != SLUICE__NEXT)                                                                      \
        return went;                                                                               \
    size_t n = sluice__minus(to, from);                                                            \
    const char *p = n ? sluice__at(s, from) : ""

SLUICE__HANDLER(name) {
    PLAIN_NAME(m, s, i);
    READ_NAME(A_NAME);
    if (!n)
        return SLUICE__FAILS;
    TRY(sluice__m_set_name(m, s, p, n, from, to, i->b));
    return SLUICE__NEXT;
}

SLUICE__HANDLER(key) {
    READ_NAME(A_KEY);
    if (!n)
        return SLUICE__FAILS;
    if (i->b != SLUICE__NONE) {
        int fits;
        ASK(fits, m->scripts->fits(m->user, s, i->b, p, n));
        if (!fits)
            return SLUICE__FAILS;
    }
    m->has_key |= !m->probing;
    TRY(sluice__m_set(s, m->probing ? &m->asked_key : &m->key, p, n));
    return SLUICE__NEXT;
}

SLUICE__HANDLER(id) {
    READ_NAME(AN_ID);
    m->has_id = true;
    TRY(sluice__m_set(s, &m->id, p, n));
    return SLUICE__NEXT;
}

/* ---- Headers ------------------------------------------------------------------------------ */

/* The text up to the set of operand a, as p[0..n). */
#define READ_HEADER                                                                                \
    RESUME(m)                                                                                      \
    AWAIT(m, sluice__op_upto(s, m->program->sets[i->a], s->set.limit_header, false, false));       \
    RESUME_END                                                                                     \
    if (!s->result.ok)                                                                             \
        return SLUICE__FAILS;                                                                      \
    size_t n = sluice__minus(s->result.end, s->result.start);                                      \
    const char *p = n ? sluice__at(s, s->result.start) : ""

SLUICE__HANDLER(header) {
    READ_HEADER;
    int fits;
    m->pair_count = 0;
    ASK(fits, m->scripts->header(m->user, s, m, i->b, p, n));
    return fits ? SLUICE__NEXT : SLUICE__FAILS;
}

/* Does the header contain the block's opener again? Then it extends into the next block. */
static bool runs_on(const sluice__run *m, const sluice_stream *s, const char *p, size_t n) {
    const sluice__markers *openers = m->program->format->text;
    for (size_t k = 0; k < openers->count && !m->began; k++) {
        const sluice__marker *opener = &openers->items[k];
        if (sluice__minus(s->result.start, s->begin) >= opener->len &&
            memcmp(sluice__at(s, s->begin), opener->text, opener->len) == 0 &&
            sluice__holds(p, n, opener->text, opener->len))
            return true;
    }
    return false;
}

SLUICE__HANDLER(shape) {
    READ_HEADER;
    int fits;
    if (runs_on(m, s, p, n))
        return SLUICE__FAILS;
    ASK(fits, m->scripts->fits(m->user, s, i->b, p, n));
    return fits ? SLUICE__NEXT : SLUICE__FAILS;
}

/* ---- Closers with a name ------------------------------------------------------------------- */

static bool same_text(const sluice__buffer *a, const char *p, size_t n) {
    return a->len == n && (!n || memcmp(a->data, p, n) == 0);
}

/* The closer has another name: does it close what is open? */
static bool other_closer(sluice_stream *s) {
    return sluice__m_spoilt(s, "stray_markup", "the name in a closing tag does not match");
}

SLUICE__HANDLER(backref) {
    const sluice__buffer *want = i->flags & SLUICE__F_NAME ? &m->name : &m->key;
    bool has = i->flags & SLUICE__F_NAME ? m->has_name : want->len > 0;
    const sluice__markers *others = i->c == SLUICE__NONE ? NULL : m->program->sets[i->c];
    RESUME(m)
    if (i->b && m->missed && m->began)
        return SLUICE__NEXT; /* the closer with the name is missing */
    m->at[0] = s->pos;
    sluice__m_pin(s);
    AWAIT(m, sluice__op_upto(s, m->program->sets[i->a], s->set.limit_name, true, false));
    m->at[1] = s->result.start;
    m->at[2] = s->result.end;
    m->answer = s->result.ok;
    {
        uint64_t from = m->at[1], to = m->at[2];
        while (m->answer && from < to && sluice__is_space(*sluice__at(s, from)))
            from++;
        while (m->answer && to > from && sluice__is_space(*sluice__at(s, to - 1)))
            to--;
        size_t n = sluice__minus(to, from);
        const char *p = n ? sluice__at(s, from) : "";
        bool encloses = m->answer && sluice__tree_encloses(m, p, n);
        if (m->answer && has && same_text(want, p, n)) {
            sluice__m_unpin(s);
            return SLUICE__NEXT;
        }
        if (!m->answer || !m->began) {
            sluice__seek(s, m->at[2]);
            bool cut = sluice__m_at_end(s);
            sluice__seek(s, m->at[0]);
            sluice__m_unpin(s);
            if (!m->began)
                return SLUICE__FAILS;
            sluice__lower(s, SLUICE_RECOVERED);
            if (!cut)
                TRY(other_closer(s));
            return SLUICE__NEXT;
        }
        if (encloses || others) {
            sluice__seek(s, m->at[0] - i->b); /* it may close an enclosing one */
            if (encloses) {
                sluice__m_unpin(s);
                sluice__lower(s, SLUICE_RECOVERED);
                return SLUICE__NEXT;
            }
            long item;
            LOOK(m, item, sluice__m_peek(m, s, others, true));
            if (item < 0)
                sluice__seek(s, m->at[2]);
        }
        sluice__m_unpin(s);
        sluice__lower(s, SLUICE_RECOVERED);
        if (i->flags & SLUICE__F_NAME)
            TRY(other_closer(s));
    }
    RESUME_END
    return SLUICE__NEXT;
}

/* ---- Text inside blocks ------------------------------------------------- */

SLUICE__HANDLER(text) {
    const sluice__content *c = &m->program->contents[i->a];
    RESUME(m)
    if (m->calls_only && !m->began) {
        m->passed_text = true;
        return SLUICE__FAILS;
    }
    AWAIT(m, sluice__op_text(s, c->ends, c->type, c->lead, c->trail));
    RESUME_END
    return SLUICE__NEXT;
}
