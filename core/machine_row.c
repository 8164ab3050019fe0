/*
 * What nearly all calls look like, read at once.
 *
 * Rows: parameters that follow each other as opener, key, value, closer, opener. Around a value the
 * machine runs a handful of instructions that each look at a literal. Where the loop has this
 * shape, and what is visible is written just so, their effect is set at once.
 *
 * Heads: an object that begins with its name and then its arguments, `{"name": "f", "arguments":
 * {`.
 *
 * Anything else is left to the instructions, and no byte is read before that is known. Where only
 * the rest is still to come, nothing is done until it is there, or something that it cannot
 * contain.
 */
#include "machine.h"

/* ---- Rows, made when a program is loaded --------------------------------------------------- */

/* Returns the only literal of an instruction that takes it after white space, or NULL. */
static const sluice__marker *lone(const sluice__program *p, const sluice__ins *i) {
    bool plain = i->op == SLUICE__I_literal
                     ? !i->flags && i->b == SLUICE__NONE
                     : i->op == SLUICE__I_maybe && !(i->flags & SLUICE__F_EXACT);
    return plain && p->sets[i->a]->count == 1 ? p->sets[i->a]->items : NULL;
}

/* True if the literal is in the set, and no longer one begins with it. */
static bool is_longest(const sluice__markers *set, const sluice__marker *m) {
    bool there = false;
    for (size_t i = 0; i < set->count; i++) {
        there |= sluice__marker_is(&set->items[i], m);
        if (set->items[i].len > m->len && memcmp(set->items[i].text, m->text, m->len) == 0)
            return false;
    }
    return there;
}

/* Bytes of which a key in a row consists. */
static const uint8_t of_key[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
    ['8'] = 1, ['9'] = 1, ['_'] = 1, ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1,
    ['F'] = 1, ['G'] = 1, ['H'] = 1, ['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1,
    ['N'] = 1, ['O'] = 1, ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1, ['U'] = 1,
    ['V'] = 1, ['W'] = 1, ['X'] = 1, ['Y'] = 1, ['Z'] = 1, ['a'] = 1, ['b'] = 1, ['c'] = 1,
    ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1, ['j'] = 1, ['k'] = 1,
    ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1, ['s'] = 1,
    ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1, ['y'] = 1, ['z'] = 1};

static bool in_key(char c) { return of_key[(unsigned char)c]; }

static uint16_t only_field(const sluice__object_spec *o, bool arguments) {
    uint16_t found = SLUICE__NONE;
    for (size_t k = 0; k < o->count; k++) {
        const sluice__field *f = &o->fields[k];
        if (!(arguments ? f->arguments : f->name))
            continue;
        if (found != SLUICE__NONE || f->ignored || f->reasoning || f->id || f->extra)
            return SLUICE__NONE;
        found = (uint16_t)k;
    }
    return found;
}

void sluice__find_head(sluice__object_spec *o) {
    bool plain = !o->flat && !o->name_as_key && !o->anywhere && !o->some_required && !o->scalar &&
                 !o->answers[0] && !o->how.quote_len && !(o->how.flags & SLUICE__PYTHON);
    o->name_field = plain ? only_field(o, false) : SLUICE__NONE;
    o->arguments_field = plain ? only_field(o, true) : SLUICE__NONE;
    o->has_head = o->opening && o->name_field != SLUICE__NONE &&
                  o->arguments_field != SLUICE__NONE && o->name_field != o->arguments_field;
    for (int c = 0; c < 256; c++)
        o->odd[c] = !of_key[c] && !memchr(" \":,-.", c, 6);
}

/* Reads how the key is written. */
static bool key_of(const sluice__program *p, const sluice__ins *i, sluice__row *row) {
    const sluice__markers *ends;
    if (i->op == SLUICE__I_key) {
        ends = p->sets[i->a];
        if (i->b != SLUICE__NONE || i->flags)
            return false;
    } else if (i->op == SLUICE__I_attributes) {
        const sluice__attributes *spec = &p->attributes[i->a];
        size_t k = 0;
        while (k < spec->count && spec->list[k].what != SLUICE__A_KEY)
            k++;
        if (k == spec->count || !*spec->list[k].name)
            return false;
        row->attribute = spec->list[k].name;
        ends = spec->follow;
    } else {
        return false;
    }
    for (size_t k = 0; k < ends->count; k++)
        if (in_key(ends->items[k].text[0]) || ends->items[k].text[0] == '"')
            return false;
    return is_longest(ends, row->behind[0]);
}

/* Returns the only literal that is read after the loop if nothing else was, or NULL. */
static const sluice__marker *exit_of(const sluice__program *p, const sluice__loop *loop) {
    const sluice__ins *out = p->code + loop->out;
    const sluice__marker *exit = out < p->code + p->count ? lone(p, out) : NULL;
    size_t k = 0;
    if (!exit || !is_longest(loop->stops, exit))
        return NULL;
    while (!sluice__marker_is(&loop->stops->items[k], exit))
        k++;
    return k < loop->listed && k != loop->named && !loop->opener[k] ? exit : NULL;
}

static bool is_row(const sluice__program *p, const sluice__loop *loop, sluice__row *row) {
    const sluice__ins *i = p->code + loop->body, *end = p->code + p->count;
    const sluice__ins *key = i + 1;
    if (loop->open_ended || end - i < 6 || !(row->head.opener = lone(p, i)) ||
        i->op != SLUICE__I_literal || !is_longest(loop->stops, row->head.opener))
        return false;
    i += 2;
    for (size_t k = 0; k < 2 && end - i > 3 && (row->behind[k] = lone(p, i)); k++)
        i++;
    if (!row->behind[0] || end - i < 3 || i->op != SLUICE__I_value || !key_of(p, key, row))
        return false;
    row->value = (uint16_t)(i - p->code);
    row->closer = lone(p, ++i);
    row->head.passes = row->behind[1] != NULL;
    for (size_t k = 0; k < 2 && row->behind[k]; k++)
        row->head.odd[(unsigned char)row->behind[k]->text[row->behind[k]->len - 1]] = 1;
    while (row->item < loop->set->count &&
           !sluice__marker_is(&loop->set->items[row->item], row->head.opener))
        row->item++;
    return row->closer && i[1].op == SLUICE__I_params_back && !p->values[p->code[row->value].a].key;
}

/* Returns the number of the literal in the set, if none that is longer begins with it. */
static uint16_t item_of(const sluice__markers *set, const sluice__marker *m) {
    size_t k = 0;
    if (!set || !is_longest(set, m))
        return SLUICE__NO_ITEM;
    while (!sluice__marker_is(&set->items[k], m))
        k++;
    return (uint16_t)k;
}

void sluice__find_row(const sluice__program *p, sluice__loop *loop) {
    sluice__row row = {0};
    if (is_row(p, loop, &row)) {
        const sluice__ins *end = p->code + loop->out + 1;
        row.head.exit = exit_of(p, loop);
        if (row.head.exit && end < p->code + p->count && end->op == SLUICE__I_call_end)
            row.head.behind = p->calls[end->a].follow;
        sluice__value_spec *v = &p->values[p->code[row.value].a];
        const sluice__markers *marks = v->quoting ? v->quoting->marks : NULL;
        row.head.plain.closer = item_of(v->ends, row.closer);
        row.head.plain.opener = item_of(v->confirm, row.head.opener);
        row.head.quoting.closer = item_of(marks, row.closer);
        row.head.quoting.opener = item_of(marks, row.head.opener);
        loop->row = row;
        v->further = &loop->row.head;
    }
}

/* ---- Ends of calls, found when a program is loaded ------------------------------------------- */

sluice__arguments_spec *sluice__find_end(const sluice__program *p, const sluice__ins *i,
                                         const sluice__marker **closer, const char **brace) {
    bool object = i->op == SLUICE__I_object, there = i + 1 < p->code + p->count;
    *closer = there && i[1].op == SLUICE__I_literal ? lone(p, i + 1) : NULL;
    *brace = object ? "}" : "";
    if (!*closer || (!object && i->op != SLUICE__I_arguments))
        return NULL;
    if (!object)
        return &p->arguments[i->a];
    sluice__object_spec *o = &p->objects[i->a];
    return o->has_head && !o->brace_follows ? &o->how : NULL;
}

/* ---- Beginnings of blocks, found when a program is loaded ------------------------------------ */

/* Sets what is waited for before this instruction, if that is simple. */
static void wait_before(const sluice__program *p, const sluice__ins *i, sluice__standby *by) {
    const sluice__ins *next = i + 1;
    if (i->op == SLUICE__I_object && p->objects[i->a].has_head) {
        const sluice__object_spec *o = &p->objects[i->a];
        *by = (sluice__standby){.set = o->opening, .blanks = true, .then = o->odd};
    } else if (i->op == SLUICE__I_name && !(i->flags & ~(unsigned)SLUICE__F_PLAIN)) {
        *by = (sluice__standby){.odd = p->sets[i->a]->odd, .ends = p->sets[i->a]};
    } else if (i->op == SLUICE__I_literal && lone(p, i) && next < p->code + p->count) {
        *by = (sluice__standby){.set = p->sets[i->a], .blanks = true};
        sluice__m_wait_for_next(p, by, next);
    }
}

void sluice__find_openings(const sluice__program *p, sluice__standby *behind) {
    const sluice__markers *text = p->format->text;
    for (size_t k = 0; k < text->count; k++) {
        const uint16_t *starts = p->starts[k];
        if (starts[0] == SLUICE__NONE || starts[1] != SLUICE__NONE)
            continue;
        const sluice__ins *i = p->code + starts[0], *end = p->code + p->count;
        const sluice__marker *opener = lone(p, i);
        if (!opener || !sluice__marker_is(opener, &text->items[k]))
            continue;
        do
            i++;
        while (i < end && (i->op == SLUICE__I_calls || i->op == SLUICE__I_call));
        if (i < end)
            wait_before(p, i, &behind[k]);
    }
}

/* ---- Names, found when a program is loaded ------------------------------------------------- */

static bool in_name(char c) { return in_key(c) || c == '-' || c == '.'; }

/* Returns the attribute that is the call's name, or NULL. */
static const char *name_attribute(const sluice__attributes *spec) {
    const char *found = NULL;
    for (size_t k = 0; k < spec->count; k++)
        if (spec->list[k].what == SLUICE__A_NAME) {
            if (found)
                return NULL;
            found = spec->list[k].name;
        }
    return found && *found ? found : NULL;
}

static bool is_plain_name(const sluice__program *p, const sluice__ins *i) {
    bool tag = i->op == SLUICE__I_attributes;
    const sluice__attributes *spec = tag ? &p->attributes[i->a] : NULL;
    const sluice__markers *ends = tag ? spec->follow : p->sets[i->a];
    const sluice__marker *next = i + 1 < p->code + p->count ? lone(p, i + 1) : NULL;
    if (i->flags || (tag && (!name_attribute(spec) || !next || i[1].op != SLUICE__I_literal ||
                             !is_longest(ends, next))))
        return false;
    for (size_t k = 0; k < ends->count; k++)
        if (in_name(ends->items[k].text[0]) || ends->items[k].text[0] == '"')
            return false;
    return true;
}

void sluice__find_names(const sluice__program *p, sluice__ins *code) {
    for (size_t k = 0; k < p->count; k++) {
        if ((code[k].op != SLUICE__I_name && code[k].op != SLUICE__I_attributes) ||
            !is_plain_name(p, &code[k]))
            continue;
        code[k].flags |= SLUICE__F_PLAIN;
        if (code[k].op == SLUICE__I_attributes)
            for (int c = 0; c < 256; c++)
                p->attributes[code[k].a].odd[c] = !in_name((char)c) && !memchr(" =\"", c, 3);
    }
}

/* ---- Reading ------------------------------------------------------------------------------- */

typedef struct ahead { /* what is visible */
    const char *p, *end;
    bool cut; /* it ends inside something that is right so far */
} ahead;

static bool take(ahead *h, const char *text, size_t len) {
    size_t there = (size_t)(h->end - h->p);
    bool same = sluice__same(h->p, text, there < len ? there : len);
    h->cut = same && there < len;
    if (!same || h->cut)
        return false;
    h->p += len;
    return true;
}

static bool take_text(ahead *h, const char *text) { return take(h, text, strlen(text)); }

/* Takes the bytes of a key; what follows them must be visible. */
static bool take_plain(ahead *h, const char **word, size_t *n) {
    *word = h->p;
    while (h->p < h->end && in_key(*h->p))
        h->p++;
    *n = (size_t)(h->p - *word);
    h->cut = h->p == h->end;
    return !h->cut && *n;
}

/* Takes ` NAME="`. */
static bool take_attribute(ahead *h, const char *name) {
    return take(h, " ", 1) && take_text(h, name) && take(h, "=\"", 2);
}

static bool take_key(ahead *h, const sluice__row *row, const char **key, size_t *n) {
    const char *name = row->attribute;
    return (!name || take_attribute(h, name)) && take_plain(h, key, n) &&
           (!name || take(h, "\"", 1));
}

/* Passes some white space; after more, what follows is not taken, since each wait looks again. */
static void pass_blanks(ahead *h) {
    enum { MOST = 64 };
    for (int i = 0; i < MOST && h->p < h->end && sluice__is_space(*h->p); i++)
        h->p++;
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

int sluice__m_row_head(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    const sluice__row *row = &m->program->loops[i->a].row;
    uint64_t limit = sluice__visible(s);
    if (!row->head.opener || s->set.tokens || m->scripts->watch || s->pos >= limit)
        return 0;
    const char *from = sluice__at(s, s->pos), *key = from, *last;
    ahead h = {from, from + (size_t)(limit - s->pos), false};
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
    size_t tag = (size_t)(last - from);
    if (n > s->set.limit_name || (row->attribute && tag > s->set.limit_header))
        return 0;
    if (!sluice__m_begin_parameter(m, s, i, true))
        return -1;
    uint64_t behind = s->pos + (uint64_t)(h.p - from);
    if (behind > sluice__visible(s)) { /* no longer: it would hold too much */
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

/* Leaves the loop if what follows it is there. False if out of memory. */
static bool take_exit(sluice__run *m, sluice_stream *s, const sluice__loop *loop) {
    const sluice__marker *exit = loop->row.head.exit;
    uint64_t limit = sluice__visible(s);
    const char *from = s->pos < limit ? sluice__at(s, s->pos) : "";
    ahead h = {from, from + (size_t)(limit - s->pos), false};
    pass_blanks(&h);
    uint64_t at = s->pos + (uint64_t)(h.p - from);
    if (!take(&h, exit->text, exit->len))
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
    const sluice__mark *k = &m->marks[m->mark_count - 1];
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
    sluice__m_pop(m, s);
    int head = sluice__m_row_head(m, s, next);
    if (!head && row->head.exit && !take_exit(m, s, &m->program->loops[next->a]))
        head = -1;
    return head == -1 ? -1 : 1; /* if it waits, so does the loop */
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Takes the bytes of a name; what follows them must be visible. */
static bool take_name(ahead *h, const char **word, size_t *n) {
    *word = h->p;
    while (h->p < h->end && in_name(*h->p))
        h->p++;
    *n = (size_t)(h->p - *word);
    h->cut = h->p == h->end;
    return !h->cut && *n;
}

/* Takes what ends a name: a literal, or the line. *literal: the literal, if the next instruction
 * reads it. */
static bool take_name_end(const ahead *h, const sluice__program *p, const sluice__ins *i,
                          const sluice__marker **literal) {
    const sluice__markers *ends = p->sets[i->a];
    size_t item;
    if (*h->p == '\n')
        return true;
    if (sluice__markers_at(ends, h->p, (size_t)(h->end - h->p), false, &item) != SLUICE__YES)
        return false;
    const sluice__marker *next = i + 1 < p->code + p->count ? lone(p, i + 1) : NULL;
    if (next && i[1].op == SLUICE__I_literal && sluice__marker_is(next, &ends->items[item]))
        *literal = next;
    return true;
}

int sluice__m_plain_name(sluice__run *m, sluice_stream *s, const sluice__ins *i) {
    const sluice__program *p = m->program;
    const sluice__attributes *spec = i->op == SLUICE__I_attributes ? &p->attributes[i->a] : NULL;
    uint64_t limit = sluice__visible(s);
    if (m->probing || s->set.tokens || m->scripts->watch || s->pos >= limit)
        return 0;
    const char *from = sluice__at(s, s->pos), *name = from;
    const sluice__marker *literal = NULL;
    ahead h = {from, from + (size_t)(limit - s->pos), false};
    size_t n = 0;
    bool good = (!spec || take_attribute(&h, name_attribute(spec))) && take_name(&h, &name, &n);
    if (good && spec) {
        literal = lone(p, i + 1);
        good = take(&h, "\"", 1) && take(&h, literal->text, literal->len);
        h.p -= good ? literal->len : 0;
    } else if (good) {
        good = take_name_end(&h, p, i, &literal);
    }
    if (n > s->set.limit_name || (size_t)(h.p - from) > s->set.limit_header)
        return 0;
    if (!good) {
        if (!h.cut || limit < sluice__window_end(&s->window) || sluice__at_end(s))
            return 0;
        s->standby.ends = spec ? NULL : p->sets[i->a];
        s->standby.odd = spec ? spec->odd : p->sets[i->a]->odd;
        return SLUICE__LOOK_WAITS;
    }
    uint64_t start = s->pos + (uint64_t)(name - from);
    if (!sluice__m_set_name(m, s, name, n, start, start + n,
                            spec ? (uint16_t)SLUICE__NO_PATTERN : i->b))
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
static bool take_word(ahead *h, const char **word, size_t *n) {
    if (!take_byte(h, '"'))
        return false;
    return take_name(h, word, n) && take(h, "\"", 1);
}

/* Takes a head as nearly all are written. */
static bool take_usual(ahead *h, const sluice__object_spec *o, const char **name, size_t *n) {
    return take(h, o->opening->items->text, o->opening->longest) && take_plain(h, name, n) &&
           take(h, o->between, o->between_len);
}

/* The same with other white space, or with other names. */
static bool take_unusual(ahead *h, const sluice__object_spec *o, const char **name, size_t *n) {
    return take_byte(h, '{') && take_member(h, o->fields[o->name_field].key) &&
           take_word(h, name, n) && take_byte(h, ',') &&
           take_member(h, o->fields[o->arguments_field].key) && take_byte(h, '{');
}

int sluice__m_object_head(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    uint64_t limit = sluice__visible(s);
    bool more = limit == sluice__window_end(&s->window) && !sluice__at_end(s) && !m->bare;
    if (!o->has_head || m->has_name || m->began || s->set.tokens || m->scripts->watch)
        return 0;
    const char *from = s->pos < limit ? sluice__at(s, s->pos) : "", *name = from;
    const char *arguments = o->fields[o->arguments_field].key;
    ahead h = {from, from + (size_t)(limit - s->pos), false};
    size_t n = 0;
    pass_blanks(&h);
    if (h.p == h.end) { /* nothing happens before what follows the usual opening */
        s->standby = (sluice__standby){.set = o->opening, .blanks = true, .then = o->odd};
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
