/*
 * What nearly all calls look like, read at once.
 *
 * Rows: parameters that follow each other as opener, key, value, closer, opener. Around a value the
 * machine runs a handful of instructions that each look at a literal. Where the loop has this
 * shape, and what is visible is written just so, their effect is set at once.
 *
 * Names: in a tag, or up to a literal or the end of the line.
 *
 * Heads: an object that begins with its name and then its arguments, `{"name": "f", "arguments":
 * {`.
 *
 * Anything else is left to the instructions, and no byte is read before that is known. Where only
 * the rest is still to come, nothing is done until it is there, or something that it cannot
 * contain. See shapes.c.
 */
#include "machine.h"

/* ---- What is visible ----------------------------------------------------------------------- */

typedef struct ahead { /* what is visible from pos on */
    const char *p, *end;
    bool cut; /* it ends inside something that is right so far */
} ahead;

static inline ahead look_ahead(const sluice_stream *s) {
    uint64_t limit = sluice__visible(s);
    if (s->pos >= limit)
        return (ahead){"", "", false};
    const char *from = sluice__at(s, s->pos);
    return (ahead){from, from + sluice__minus(limit, s->pos), false};
}

static bool take(ahead *h, const char *text, size_t len) {
    size_t there = sluice__minus(h->end, h->p);
    bool same = sluice__same(h->p, text, there < len ? there : len);
    h->cut = same && there < len;
    if (!same || h->cut)
        return false;
    h->p += len;
    return true;
}

static bool take_text(ahead *h, const char *text) { return take(h, text, strlen(text)); }

/* Takes the bytes of a key, a name or an id; what follows them must be visible. */
static inline bool take_word(ahead *h, unsigned kind, const char **word, size_t *n) {
    *word = h->p;
    while (h->p < h->end && sluice__in_word(*h->p, kind))
        h->p++;
    *n = sluice__minus(h->p, *word);
    h->cut = h->p == h->end;
    return !h->cut && *n;
}

/* Takes ` NAME="`. */
static bool take_attribute(ahead *h, const char *name) {
    return take(h, " ", 1) && take_text(h, name) && take(h, "=\"", 2);
}

static bool take_key(ahead *h, const sluice__row *row, const char **key, size_t *n) {
    const char *name = row->attribute;
    return (!name || take_attribute(h, name)) && take_word(h, SLUICE__OF_KEY, key, n) &&
           (!name || take(h, "\"", 1));
}

/* Passes some white space; after more, what follows is not taken, since each wait looks again. */
static void pass_blanks(ahead *h) {
    enum { MOST = 64 };
    for (int i = 0; i < MOST && h->p < h->end && sluice__is_space(*h->p); i++)
        h->p++;
}

/* Is the literal there, after blanks? *at: where. */
static bool is_ahead(const sluice_stream *s, const sluice__marker *literal, uint64_t *at) {
    ahead h = look_ahead(s);
    const char *from = h.p;
    pass_blanks(&h);
    *at = s->pos + (uint64_t)(h.p - from);
    return take(&h, literal->text, literal->len);
}

bool sluice__m_take_lone(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    const sluice__marker *literal = sluice__lone(m->program, i);
    uint64_t at;
    if (!literal || s->set.tokens || !is_ahead(s, literal, &at))
        return false;
    sluice__m_looked(s, at);
    s->pos = at + literal->len;
    return true;
}

/* Takes the literals after the key; *last: where the last one begins; *passed: the first one is
 * there. */
static bool take_behind(ahead *h, const sluice__row *row, const char **last, bool *passed) {
    *last = h->p;
    *passed = take(h, row->behind[0]->text, row->behind[0]->len);
    if (!*passed)
        return false;
    if (!row->behind[1])
        return true;
    pass_blanks(h);
    *last = h->p;
    return take(h, row->behind[1]->text, row->behind[1]->len);
}

/* Begins the next parameter of a row: `k`, or NULL, is the mark of the last one, which ended
 * at pos. False if out of memory. */
static bool begin_next(sluice__run *m, sluice_stream *s, const sluice__ins *i, sluice__mark *k) {
    if (!k)
        return sluice__m_begin_parameter(m, s, i, true);
    k->pos = s->pos;
    m->key.len = 0;
    s->held = s->pos;
    sluice__set_reach(s);
    return true;
}

/* Reads the head of a row; `k` as for begin_next. Result as of sluice__m_row_head. */
static int read_head(sluice__run *m, sluice_stream *s, const sluice__ins *i, sluice__mark *k) {
    const sluice__row *row = &m->program->loops[i->a].row;
    uint64_t limit = sluice__visible(s);
    if (!row->head.opener || s->set.tokens || m->scripts->watch || s->pos >= limit)
        return 0;
    ahead h = look_ahead(s);
    const char *from = h.p, *key = from, *last;
    size_t n = 0;
    bool passed = false; /* the first literal after the key */
    pass_blanks(&h);
    if (!take(&h, row->head.opener->text, row->head.opener->len))
        return 0;
    if (!take_key(&h, row, &key, &n) || !take_behind(&h, row, &last, &passed)) {
        if (!h.cut || n > s->set.limit_name || limit < sluice__window_end(&s->window) ||
            sluice__at_end(s))
            return 0;
        s->standby.odd = row->head.odd;
        s->standby.passes = row->behind[1] && !passed;
        return SLUICE__LOOK_WAITS;
    }
    size_t tag = sluice__minus(last, from);
    if (n > s->set.limit_name || (row->attribute && tag > s->set.limit_header))
        return 0;
    if (!begin_next(m, s, i, k))
        return -1;
    uint64_t behind = s->pos + (uint64_t)(h.p - from);
    if (behind > sluice__visible(s)) { /* no longer: it would hold too much */
        if (!k)
            sluice__m_pop(m, s);
        return 0;
    }
    if (!sluice__m_set(s, &m->key, key, n))
        return -1;
    sluice__m_looked(s, s->pos + (uint64_t)(last - from));
    s->pos = behind;
    m->has_key = true;
    m->missed = false;
    m->pc = row->value;
    return 1;
}

int sluice__m_row_head(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    return read_head(m, s, i, NULL);
}

/* Leaves the loop if what follows it is there. False if out of memory. */
static bool take_exit(sluice__run *m, sluice_stream *s, const sluice__loop *loop) {
    const sluice__marker *exit = loop->row.head.exit;
    uint64_t at;
    if (!is_ahead(s, exit, &at))
        return true;
    if (!sluice__m_flush_repeated(m, s))
        return false;
    sluice__m_looked(s, at);
    s->pos = at + exit->len;
    m->missed = false;
    m->pc = (uint16_t)(loop->out + 1);
    return true;
}

int sluice__m_row_end(sluice__run *m, sluice_stream *s) {
    if (!m->mark_count || s->set.tokens || m->scripts->watch || m->loose)
        return 0;
    sluice__mark *k = &m->marks[m->mark_count - 1];
    const sluice__ins *next = &m->program->code[k->way];
    if (k->kind != SLUICE__M_LOOP || next->op != SLUICE__I_params_next)
        return 0;
    const sluice__row *row = &m->program->loops[next->a].row;
    const sluice__marker *closer = row->closer;
    if (!row->head.opener || m->pc != row->value || s->pos + closer->len > sluice__visible(s) ||
        !sluice__same(sluice__at(s, s->pos), closer->text, closer->len))
        return 0;
    sluice__m_looked(s, s->pos);
    s->pos += closer->len;
    m->missed = m->has_key = false;
    m->pc = k->way;
    m->phase = 0;
    int head = read_head(m, s, next, k);
    if (head == 1)
        return 1;
    sluice__m_pop(m, s);
    if (!head && row->head.exit && !take_exit(m, s, &m->program->loops[next->a]))
        head = -1;
    return head == -1 ? -1 : 1; /* if it waits, so does the loop */
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Takes what ends a name: a literal, or the line; a literal that is cut is waited for. *literal:
 * the literal, if the next instruction reads it. */
static bool take_name_end(ahead *h, sluice_stream *s, const sluice__program *p,
                          const sluice__ins *i, const sluice__marker **literal) {
    const sluice__markers *ends = p->sets[i->a];
    const sluice__marker *next = sluice__next_literal(p, i);
    if (next && ends->count == 1 && sluice__minus(h->end, h->p) >= next->len &&
        sluice__same(h->p, next->text, next->len)) {
        *literal = next;
        return true;
    }
    if (*h->p == '\n' && i->op == SLUICE__I_name)
        return true;
    sluice__walk walk = {0, 0, 0};
    size_t item;
    sluice__match m =
        sluice__markers_walk(ends, &walk, h->p, sluice__minus(h->end, h->p), false, &item);
    h->cut = m == SLUICE__WAIT;
    if (h->cut)
        s->standby = (sluice__standby){.set = ends, .walk = walk};
    if (m != SLUICE__YES)
        return false;
    if (next && sluice__marker_is(next, &ends->items[item]))
        *literal = next;
    return true;
}

int sluice__m_plain_name(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    const sluice__program *p = m->program;
    const sluice__attributes *spec = i->op == SLUICE__I_attributes ? &p->attributes[i->a] : NULL;
    uint64_t limit = sluice__visible(s);
    if (m->probing || s->set.tokens || m->scripts->watch)
        return 0;
    ahead h = look_ahead(s);
    const char *from = h.p, *name = from;
    const sluice__marker *literal = NULL;
    size_t n = 0;
    bool good =
        (!spec || take_attribute(&h, spec->name)) && take_word(&h, SLUICE__OF_NAME, &name, &n);
    if (good && spec) {
        literal = sluice__next_literal(p, i);
        good = take(&h, "\"", 1) && take(&h, literal->text, literal->len);
        h.p -= good ? literal->len : 0;
    } else if (good) {
        good = take_name_end(&h, s, p, i, &literal);
    }
    if (n > s->set.limit_name || (size_t)(h.p - from) > s->set.limit_header)
        return 0;
    if (!good) {
        if (!h.cut || limit < sluice__window_end(&s->window) || sluice__at_end(s))
            return 0;
        if (!s->standby.set) {
            s->standby.ends = spec ? NULL : p->sets[i->a];
            s->standby.odd = spec ? spec->odd : p->sets[i->a]->odd;
        }
        return SLUICE__LOOK_WAITS;
    }
    uint64_t at = s->pos + (uint64_t)(name - from);
    if (!sluice__m_set_name(m, s, name, n, at, at + n, spec ? (uint16_t)SLUICE__NO_PATTERN : i->b))
        return -1;
    s->pos += (uint64_t)(h.p - from);
    sluice__m_looked(s, s->pos);
    m->pc++;
    if (literal) {
        s->pos += literal->len;
        m->missed = false;
        m->pc++;
    }
    return 1;
}

/* ---- Heads --------------------------------------------------------------------------------- */

/* Takes a byte after white space. */
static bool take_byte(ahead *h, char c) {
    pass_blanks(h);
    return take(h, &c, 1);
}

/* Takes a member's key and its colon. */
static bool take_member(ahead *h, const char *key) {
    return take_byte(h, '"') && take_text(h, key) && take(h, "\"", 1) && take_byte(h, ':');
}

/* Takes a string of a few kinds of bytes. */
static bool take_string(ahead *h, const char **word, size_t *n) {
    return take_byte(h, '"') && take_word(h, SLUICE__OF_NAME, word, n) && take(h, "\"", 1);
}

/* Takes a head as nearly all are written. */
static bool take_usual(ahead *h, const sluice__object_spec *o, const char **name, size_t *n) {
    return take(h, o->opening->items->text, o->opening->longest) &&
           take_word(h, SLUICE__OF_KEY, name, n) && take(h, o->between, o->between_len);
}

/* The same with other white space, or with other names. */
static bool take_unusual(ahead *h, const sluice__object_spec *o, const char **name, size_t *n) {
    return take_byte(h, '{') && take_member(h, o->fields[o->name_field].key) &&
           take_string(h, name, n) && take_byte(h, ',') &&
           take_member(h, o->fields[o->arguments_field].key) && take_byte(h, '{');
}

int sluice__m_object_head(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    uint64_t limit = sluice__visible(s);
    bool more = limit == sluice__window_end(&s->window) && !sluice__at_end(s) && !m->bare;
    if (!o->has_head || m->has_name || m->began || s->set.tokens || m->scripts->watch)
        return 0;
    ahead h = look_ahead(s);
    const char *from = h.p, *name = from, *arguments = o->fields[o->arguments_field].key;
    size_t n = 0;
    pass_blanks(&h);
    if (h.p == h.end) { /* nothing happens before what follows the usual opening */
        s->standby = sluice__await_head(o);
        return more ? SLUICE__LOOK_WAITS : 0;
    }
    bool whole = take_usual(&h, o, &name, &n);
    if (!whole && !h.cut) {
        h.p = from;
        whole = take_unusual(&h, o, &name, &n);
    }
    if (n > s->set.limit_name || o->between_len > s->set.limit_header)
        return 0;
    if (!whole) {
        if (!h.cut || !more)
            return 0;
        s->standby.odd = o->odd;
        return SLUICE__LOOK_WAITS;
    }
    uint64_t start = s->pos + (uint64_t)(name - from);
    if (!sluice__m_set_name(m, s, name, n, start, start + n, SLUICE__NO_PATTERN) ||
        !sluice__m_set(s, &m->asked_key, arguments, strlen(arguments)))
        return -1;
    s->pos += (uint64_t)(h.p - from) - 1; /* at the brace of the arguments */
    sluice__m_looked(s, s->pos);
    m->field = o->arguments_field;
    return 1;
}
