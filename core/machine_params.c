/* Instructions that read parameters one by one. */
#include "machine_json.h"

/* ---- Parameters that may be repeated ------------------------------------------------------- */

/* Writes a held value: its text, or JSON built of elements. */
static bool write_item(sluice__run *m, sluice_stream *s, unsigned mask) {
    unsigned type;
    const sluice__buffer *text = &m->rare->repeated.text;
    const char *p = text->data ? text->data : "";
    if (!sluice__flush(s))
        return false;
    if (m->rare->repeated.holds == SLUICE__JSON_HELD)
        return sluice__param_json(s, p, text->len);
    return sluice__param_typed(s, p, text->len, mask, SLUICE__LENIENT, false, &type);
}

static bool array(sluice_stream *s, bool open) {
    return sluice__flush(s) && sluice__param_array(s, open);
}

/* The open parameter is an array: writes its held value; later ones are written as they come. */
bool sluice__m_open_array(sluice__run *m, sluice_stream *s) {
    if (m->rare->repeated.array)
        return true;
    sluice__m_rare_there(m)->repeated.array = true;
    if (!array(s, true))
        return false;
    const sluice__types *t = &m->rare->repeated.types;
    return m->rare->repeated.holds == SLUICE__NOTHING_HELD ||
           write_item(m, s, t->array ? t->array : t->mask);
}

/* Ends a possible array with only one value: the whole array, its only item, or a value of another
 * type that the tool allows. */
static bool flush_array(sluice__run *m, sluice_stream *s) {
    const sluice__buffer *text = &m->rare->repeated.text;
    const char *p = text->data ? text->data : "";
    unsigned type, others = sluice__types_beside_array(&m->rare->repeated.types);
    bool mended;
    size_t at = 0;
    while (at < text->len && sluice__is_space(p[at]))
        at++;
    if (m->rare->repeated.holds == SLUICE__JSON_HELD) {
        if (text->len && (p[0] == '[' || (p[0] == '{' && others & SLUICE__OBJECT)))
            return sluice__flush(s) && sluice__param_json(s, p, text->len);
    } else if (at < text->len && (p[at] == '[' || others)) {
        m->mended.len = 0;
        if (!sluice__typed_value(s, p, text->len, p[at] == '[' ? SLUICE__ARRAY : others,
                                 SLUICE__LENIENT, false, &m->mended, &type, &mended))
            return false;
        if (type)
            return sluice__flush(s) && sluice__param_json(s, m->mended.data, m->mended.len);
    } else if (at == text->len && m->rare->repeated.types.array < SLUICE__STRING) {
        return sluice__flush(s) && sluice__param_json(s, "[]", 2);
    }
    return sluice__m_open_array(m, s) && array(s, false);
}

bool sluice__m_flush_repeated(sluice__run *m, sluice_stream *s) {
    if (!m->rare->repeated.open)
        return true;
    bool good = m->rare->repeated.array         ? array(s, false)
                : m->rare->repeated.types.array ? flush_array(m, s)
                                                : write_item(m, s, m->rare->repeated.types.mask);
    sluice__m_rare_there(m)->repeated.open = false;
    return good;
}

sluice__went sluice__m_duplicate(sluice__run *m, sluice_stream *s, bool stays) {
    sluice__buffer text = {0};
    if (!stays)
        sluice__lower(s, SLUICE_INCOMPLETE); /* an argument is left out */
    bool good = sluice__buffer_text(&s->alloc, &text, "the parameter ") &&
                sluice__buffer_add(&s->alloc, &text, m->param.data, m->param.len) &&
                sluice__buffer_text(&s->alloc, &text, " was given before") &&
                sluice__buffer_text(&s->alloc, &text, stays ? "" : "; the first one is kept") &&
                sluice__buffer_add(&s->alloc, &text, "", 1) &&
                sluice__m_error(s, "duplicate_parameter", text.data);
    sluice__buffer_release(&s->alloc, &text);
    return good ? SLUICE__NEXT : SLUICE__SHORT;
}

/* From now on, values of the open key are held or written as items. */
static bool open_repeated(sluice__run *m, const sluice_stream *s, const sluice__types *types) {
    sluice__rare *rare = sluice__m_rare(m, s);
    if (!rare)
        return false;
    rare->repeated.open = true;
    rare->repeated.array = false;
    rare->repeated.holds = SLUICE__NOTHING_HELD;
    rare->repeated.types = *types;
    rare->repeated.text.len = 0;
    return sluice__m_set(s, &rare->repeated.key, m->param.data, m->param.len);
}

static bool is_open(const sluice__run *m) {
    return m->rare->repeated.open && m->rare->repeated.key.len == m->param.len &&
           memcmp(m->rare->repeated.key.data, m->param.data, m->param.len) == 0;
}

/* ---- Values ------------------------------------------------------------------------------- */

static sluice__went types_of_key(sluice__run *m, sluice_stream *s) {
    int r;
    ASK(r, m->scripts->types(m->user, s, m->tool, m->param.data, m->param.len, &m->types));
    return SLUICE__NEXT;
}

/* Names the parameter as the tool declares it. */
static sluice__went settle_key(sluice__run *m, sluice_stream *s, const sluice__value_spec *v) {
    const char *key = v->key ? v->key : m->key.data ? m->key.data : "";
    size_t len = v->key ? strlen(v->key) : m->key.len;
    int r;
    TRY(sluice__m_set(s, &m->param, key, len));
    if (m->program->singular_keys && m->tool) {
        ASK(r, m->scripts->plural(m->user, s, m->tool, m->param.data, len, &key, &len));
        if (r)
            TRY(sluice__m_set(s, &m->param, key, len));
    }
    if (v->single && m->tool) {
        ASK(r, m->scripts->single(m->user, s, m->tool, m->param.data, len, &key, &len));
        if (r)
            TRY(sluice__m_set(s, &m->param, key, len));
    }
    if (m->rare->repeated.open && (!is_open(m) || v->key))
        TRY(sluice__m_flush_repeated(m, s));
    return types_of_key(m, s);
}

/* Decides how the value is read: sets m->mode and m->mask. Returns NEXT, or JUMPED if the
 * parameter's first value must be examined. */
static sluice__went begin_value(sluice__run *m, sluice_stream *s, const sluice__value_spec *v) {
    const sluice__types *t = &m->types;
    bool may_repeat = m->program->repeated_is_array && !v->key && (t->array || !t->declared);
    uint64_t hash = sluice__hash_whole(m->param.data, m->param.len);
    bool again;
    TRY(sluice__hashes_add(&s->alloc, &m->used, hash, &again));
    m->mode = SLUICE__TYPED;
    m->mask = m->type ? sluice__types_said(t, m->type) : t->mask;
    if (v->as & SLUICE__MAY_BE_JSON)
        m->mask |= SLUICE__QUOTED_STRING;
    m->type = 0;
    if (again && !m->rare->repeated.open) {
        TRY(sluice__m_duplicate(m, s, false) == SLUICE__NEXT);
        m->mode = SLUICE__DISCARDED;
        return SLUICE__NEXT;
    }
    if (m->rare->repeated.open) {
        TRY(sluice__m_open_array(m, s));
        m->mask = t->array ? t->array : t->mask;
        return SLUICE__NEXT;
    }
    TRY(sluice__param_hashed(s, m->param.data, m->param.len, hash));
    if (!may_repeat)
        return SLUICE__NEXT;
    m->mode = SLUICE__CAPTURED;
    return t->array ? SLUICE__JUMPED : SLUICE__NEXT;
}

/* Begins reading the value itself. */
static int read_value(sluice__run *m, sluice_stream *s, const sluice__value_spec *v) {
    bool strict = v->strict_ends && s->set.strict;
    const sluice__markers *ends = strict ? v->strict_ends : v->ends;
    if (v->quoting && !strict &&
        !sluice__op_value_quotes(s, v->quoting, &m->tool_sets, m->key.data ? m->key.data : "",
                                 m->key.len))
        return -1;
    int r = sluice__op_value(s, ends, strict ? ends : v->confirm, v->lead, strict ? NULL : v->trail,
                             m->mode, m->mask, SLUICE__LENIENT, v->to_line_end, v->trim, v->as);
    s->op->further = r || s->watched ? NULL : v->further;
    s->op->guesses = s->op->further ? v->further->guesses : NULL;
    return r;
}

/* Does the key that the probe read belong to a parameter? Returns 1, 0, or -1. */
static int is_parameter(sluice__run *m, sluice_stream *s) {
    const sluice__buffer *key = &m->asked_key;
    if (!m->answer || !key->len || sluice__m_is_used(m, key->data, key->len) ||
        (key->len == m->key.len && memcmp(key->data, m->key.data, key->len) == 0))
        return 0;
    if (!m->tool)
        return 1;
    return m->scripts->declares(m->user, s, m->tool, key->data, key->len,
                                m->program->singular_keys);
}

/* True if a parameter with a fixed key is still missing. */
static bool fixed_to_come(const sluice__run *m, const sluice__ask *ask) {
    for (const char **key = ask->fixed; *key; key++)
        if (!sluice__m_is_used(m, *key, strlen(*key)))
            return true;
    return !ask->fixed[0];
}

/* Runs the program at `address` as a question; the instruction then resumes at its phase, with
 * m->answer. */
static sluice__went probe(sluice__run *m, sluice_stream *s, uint16_t address) {
    sluice__mark *k = sluice__m_push(m, s, SLUICE__M_PROBE, m->pc);
    TRY(k);
    k->phase = m->phase;
    m->pc = address;
    m->phase = 0;
    m->began = false;
    m->probing = true;
    m->asked_key.len = 0;
    return SLUICE__JUMPED;
}

/* Is a closer that names what it closes followed by something allowed? Returns 1, 0, LOOK_WAITS. */
static int follows(sluice__run *m, sluice_stream *s, const sluice__value_spec *v,
                   const sluice__ask *ask) {
    if (v->elements != SLUICE__NONE || s->set.strict || ask->open)
        return 1;
    long item = sluice__m_peek(m, s, ask->later, true);
    if (item == SLUICE__LOOK_WAITS || item >= 0)
        return item >= 0 ? 1 : SLUICE__LOOK_WAITS;
    long byte = sluice__m_byte(m, s, true);
    return byte == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : byte == SLUICE__LOOK_NONE;
}

/* Does the literal of a line-ending closer fill its line? Returns 1, 0, LOOK_WAITS. */
static int fills_line(sluice__run *m, sluice_stream *s, const sluice__ask *ask) {
    uint64_t start = s->pos;
    if (!(ask->indent ? sluice__line_indent : sluice__line_start)(s, start))
        return 0;
    long item = sluice__m_take(m, s, ask->later, false);
    if (item >= 0 && ask->within) {
        s->pos = start;
        return 1;
    }
    if (item >= 0) {
        long byte = sluice__m_line_blanks(m, s);
        s->pos = start;
        return byte == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : byte < 0 || byte == '\n';
    }
    s->pos = start;
    return item == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : 0;
}

/* Handles a value that was read. */
static sluice__went end_value(sluice__run *m, sluice_stream *s) {
    const sluice__result *r = &s->result;
    if (m->mode == SLUICE__CAPTURED && r->kind != 2) {
        TRY(open_repeated(m, s, &m->types));
        sluice__m_rare_there(m)->repeated.holds = SLUICE__TEXT_HELD;
        TRY(sluice__m_set(s, &sluice__m_rare_there(m)->repeated.text, r->text ? r->text : "",
                          r->text_len));
    }
    if (!r->ok)
        sluice__lower(s, SLUICE_INCOMPLETE);
    return SLUICE__NEXT;
}

/* Handles elements that were read in place of a value. */
static sluice__went end_built(sluice__run *m, sluice_stream *s) {
    const sluice__buffer *json = sluice__tree_result(m);
    if (m->mode == SLUICE__CAPTURED) {
        TRY(open_repeated(m, s, &m->types));
        sluice__m_rare_there(m)->repeated.holds = SLUICE__JSON_HELD;
        TRY(sluice__m_set(s, &sluice__m_rare_there(m)->repeated.text, json->data, json->len));
    } else if (m->mode != SLUICE__DISCARDED) {
        TRY(sluice__flush(s) && sluice__param_json(s, json->data, json->len));
    }
    return SLUICE__NEXT;
}

/* May this parameter hold all arguments of the call? 1: by its name; 2: if the tool declares the
 * keys inside. */
static int is_wrapper(const sluice__run *m) {
    static const struct {
        const char *text;
        size_t len;
    } names[] = {{"arguments", 9},   {"input", 5},  {"args", 4},
                 {"parameters", 10}, {"kwargs", 6}, {"params", 6}};
    if (!m->began || m->unwrapped || m->used.count || m->rare->repeated.open ||
        sluice__tree_open(m))
        return 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (m->key.len == names[k].len && *m->key.data == *names[k].text &&
            memcmp(m->key.data, names[k].text, m->key.len) == 0)
            return !k ? 1 : m->tool ? 2 : 0;
    return 0;
}

enum { TREE_READ = 1, PROBED }; /* phases; not lines of this file */

/* Kept in one piece: all its waits are cases of one switch, and the value is read in one of several
 * ways before its ends are checked. */
SLUICE__HANDLER(value) {
    const sluice__value_spec *v = &m->program->values[i->a];
    const sluice__elements *e;
    const sluice__ask *ask;
    sluice__went went;
    long item;
    int yes;
    RESUME(m)
    if (!m->began)
        COMMIT(m, s, return SLUICE__FAILS);
    m->has_key = false;
    m->lacks_opener = m->absent_at == s->pos;
    if (m->lacks_opener) { /* did it begin at all? */
        LOOK(m, item, sluice__m_behind(m, s, SLUICE__LOOK_NONE));
        if (item < 0) {
            sluice__lower(s, SLUICE_INCOMPLETE);
            return SLUICE__NEXT;
        }
        m->answer = false;
        if ((i[1].op == SLUICE__I_literal ||
             i[1].op == SLUICE__I_maybe)) { /* or does the next word match? */
            LOOK(m, item, sluice__m_peek(m, s, m->program->sets[i[1].a], true));
            m->answer = item < 0;
            LOOK(m, item, sluice__m_peek(m, s, v->ends, true));
            m->answer = m->answer && item >= 0 && v->ends->items[item].role != SLUICE__DOUBT;
        }
        if (m->answer) {
            TRY(sluice__m_spoilt(s, "ignored_argument", "a key without a value was left out"));
            return SLUICE__NEXT;
        }
    }
    if (v->present) { /* white space alone is not a value */
        m->at[3] = s->pos;
        sluice__m_pin(s);
        LOOK(m, item, sluice__m_byte(m, s, true));
        LOOK(m, item, sluice__m_peek(m, s, v->ends, true));
        yes = item < 0 || v->ends->items[item].role == SLUICE__DOUBT;
        if (yes)
            sluice__seek(s, m->at[3]);
        sluice__m_unpin(s);
        if (!yes)
            return SLUICE__NEXT;
    }
    if (is_wrapper(m)) {
        LOOK(m, item, sluice__m_behind(m, s, '{'));
        yes = 0;
        if (item == '{' && m->tool)
            ASK(yes, m->scripts->declares(m->user, s, m->tool, m->key.data, m->key.len, false));
        m->answer = item == '{' && !yes;
        if (m->answer && is_wrapper(m) == 2) {
            m->at[3] = s->pos;
            sluice__m_pin(s);
            AWAIT(m, sluice__op_member(s, SLUICE__LENIENT, NULL, 0, true));
            yes = 0;
            if (s->result.ok && sluice__m_has_colon(s))
                ASK(yes, m->scripts->declares(m->user, s, m->tool, s->result.text,
                                              s->result.text_len, false));
            m->answer = yes;
            sluice__seek(s, m->at[3]);
            sluice__m_unpin(s);
        }
        if (m->answer) {
            TRY(sluice__m_error(s, "repaired",
                                is_wrapper(m) == 1
                                    ? "all arguments were in one parameter named arguments"
                                    : "all arguments were in one parameter"));
            sluice__lower(s, SLUICE_RECOVERED);
            m->unwrapped = true;
            m->at[2] = false;
            CALL(m, went, sluice__m_object_arguments(m, s));
            if (sluice__m_broken(m))
                CALL(m, went, sluice__m_mend(m, s, v->ends));
            return SLUICE__NEXT;
        }
    }
    if (m->unwrapped || sluice__m_has_all(s)) {
        TRY(sluice__m_spoilt(s, "ignored_argument",
                             "a parameter follows a whole object of arguments"));
        m->mode = SLUICE__DISCARDED;
        m->mask = SLUICE__STRING;
        AWAIT(m, read_value(m, s, v));
        while (s->result.kind == 1)
            AWAIT(m, sluice__op_value_go(s, s->asked->set, s->asked->confirm, s->asked->lead,
                                         s->asked->trail, true));
        return SLUICE__NEXT;
    }
    if (sluice__tree_open(m)) {
        went = sluice__tree_member(m, s);
    } else {
        went = settle_key(m, s, v);
    }
    if (went != SLUICE__NEXT)
        return went;
    if (v->elements != SLUICE__NONE && sluice__tree_may_begin(m, s)) {
        LOOK(m, item, sluice__m_peek(m, s, m->program->elements[v->elements].marks, true));
        e = &m->program->elements[v->elements];
        m->answer = m->types.declared && !(m->types.mask & SLUICE__STRING) &&
                    m->types.mask & (SLUICE__ARRAY | SLUICE__OBJECT);
        if (item >= 0 && ((size_t)item < e->openers || /* or an empty array or object */
                          ((size_t)item == e->own_closer && m->answer))) {
            m->phase = TREE_READ;
            return sluice__tree_begin(m, s, e);
        case TREE_READ: /* see machine_tree.c */
            if (sluice__tree_open(m))
                return sluice__tree_add_built(m, s);
            went = types_of_key(m, s);
            if (went == SLUICE__NEXT)
                went = begin_value(m, s, v);
            if (went == SLUICE__NEXT || went == SLUICE__JUMPED)
                went = end_built(m, s);
            return went;
        }
    }
    if (sluice__tree_open(m)) {
        m->mode = SLUICE__WITHIN;
        m->mask = m->types.mask;
    } else {
        went = begin_value(m, s, v);
        if (went != SLUICE__NEXT && went != SLUICE__JUMPED)
            return went;
        if (went == SLUICE__JUMPED) { /* a whole array as JSON, or the first item? */
            LOOK(m, item, sluice__m_peek(m, s, v->may_be_whole, true));
            if (item < 0 && !sluice__types_beside_array(&m->types)) {
                TRY(open_repeated(m, s, &m->types) && sluice__m_open_array(m, s));
                m->mode = SLUICE__TYPED;
                m->mask = m->types.array;
            }
        }
    }
    if (v->quoting) {
        ASK(yes, sluice__m_tool_sets(m, s));
    }
    AWAIT(m, read_value(m, s, v));
    while (s->result.kind == 1) {
        ask = &v->asks[s->asked->limit];
        if (ask->kind == SLUICE__ASK_FIXED) {
            m->answer = fixed_to_come(m, ask);
        } else if (ask->kind == SLUICE__ASK_LINE) {
            LOOK(m, yes, fills_line(m, s, &v->asks[s->asked->limit]));
            m->answer = yes == 1;
        } else {
            m->phase = PROBED;
            return probe(m, s, ask->probe);
        case PROBED:
            ask = &v->asks[s->asked->limit];
            if (ask->kind == SLUICE__ASK_KEY) {
                ASK(yes, is_parameter(m, s));
                m->answer = yes;
            } else if (m->answer) {
                LOOK(m, yes, follows(m, s, v, &v->asks[s->asked->limit]));
                m->answer = yes == 1;
            }
        }
        if (!m->answer)
            sluice__seek(s, s->asked->at);
        AWAIT(m, sluice__op_value_go(s, s->asked->set, s->asked->confirm, s->asked->lead,
                                     s->asked->trail, m->answer));
    }
    if (sluice__tree_open(m))
        return sluice__tree_add_leaf(m, s);
    RESUME_END
    went = end_value(m, s);
    if (went == SLUICE__NEXT && m->lacks_opener && s->call.status != SLUICE_INCOMPLETE &&
        i[-1].op == SLUICE__I_maybe &&
        sluice__value_begins_like(s, &m->program->sets[i[-1].a]->items[0])) {
        TRY(sluice__m_spoilt(s, "bad_arguments", "missing opening tag; the value begins like one"));
    }
    if (went == SLUICE__NEXT)
        AT_ONCE(sluice__m_row_end(m, s));
    return went;
}
