/* A parameter's value as text: a string goes out as it comes, anything else when it has ended. */
#include "stream.h"

went sluice__tree_begin(sluice_stream *s, const sluice__elements *e);
bool sluice__tree_may_begin(const sluice_stream *s);
void sluice__tree_member(sluice_stream *s);
void sluice__tree_add_leaf(sluice_stream *s, view text, bool cut);
void sluice__tree_add_built(sluice_stream *s);
const out *sluice__tree_result(const sluice_stream *s);

enum { DECIDE, SETTLED, LEAD, BODY, BUILT }; /* phases */

void sluice__value_complete(sluice__value_spec *v) {
    const literals *marks = v->quoting ? v->quoting->marks : v->ends;
    for (unsigned c = 0; c < 256; c++) {
        bool plain = !sluice__ends_plain[c], literal = v->ends->first[c] || marks->first[c];
        v->wakes[c] = literal     ? plain ? A_LITERAL : 1
                      : c >= 0x80 ? WHOLE_CHARACTERS
                      : plain     ? 0
                                  : TO_ESCAPE;
    }
    v->wakes['\r'] = 1; /* it may belong to a newline of `trail` */
    for (const char *p = v->trail; p && *p; p++)
        v->wakes[(unsigned char)*p] = 1;
}

/* ---- The end of a value ------------------------------------------------------------------- */

/* Does one of the literals follow at v, behind white space? */
static match confirmed(const sluice_stream *s, const literals *confirm, view v) {
    size_t item;
    view w = {past_space(v), v.end};
    if ((size_t)(w.p - v.p) >= s->set.limit_header)
        return NO;
    match m = find_literal(s, confirm, w, &item);
    return m == NO && s->finished &&
                   (w.p == w.end || sluice__markers_begin(confirm, w.p, view_len(w)))
               ? YES /* the end of the text may cut what follows */
               : m;
}

/* Does a literal that is asked about end the value? */
static match answer(sluice_stream *s, const sluice__value_spec *v, const sluice__ask *ask,
                    uint64_t at) {
    uint64_t behind;
    size_t item;
    match m = NO;
    view w = see_from(s, at);
    switch (ask->kind) {
    case SLUICE__ASK_NAMED:
        m = s->probe(s, ask->probe, at, &behind);
        return m != YES || v->elements != SLUICE__NONE || s->set.strict || ask->open
                   ? m
                   : confirmed(s, ask->later, see_from(s, behind));
    case SLUICE__ASK_LINE:
        if (!(ask->indent ? sluice__line_indent : sluice__line_start)(s, at))
            return NO;
        m = find_literal(s, ask->later, w, &item);
        if (m != YES || ask->within)
            return m;
        for (w.p += ask->later->items[item].len; w.p < w.end && (is_blank(*w.p) || *w.p == '\r');
             w.p++)
            ;
        return w.p == w.end ? (s->finished ? YES : CUT) : *w.p == '\n' ? YES : NO;
    default:
        return sluice__fence_ends(s, at);
    }
}

static value_end find_end(sluice_stream *s, const sluice__value_spec *v, const literals *ends,
                          const literals *confirm, uint64_t *end) {
    raw_value *r = &s->call->value;
    view w = see_from(s, r->looked);
    size_t k;
    *end = r->looked;
    for (const char *start = w.p; w.p <= w.end; w.p++) {
        *end = r->looked + (uint64_t)(w.p - start);
        r->ended = w.p < w.end && v->to_line_end && *w.p == '\n';
        if (r->ended || w.p == w.end)
            break;
        match m = find_literal(s, ends, w, &k);
        unsigned role = m == YES ? ends->items[k].role : SLUICE__FINAL;
        if (role == SLUICE__DOUBT) {
            r->doubt |= !s->set.strict;
            continue;
        }
        if (role == SLUICE__ASK && v->asks)
            m = answer(s, v, &v->asks[k], *end);
        else if (role != SLUICE__FINAL && confirm != ends)
            m = confirmed(s, confirm, (view){w.p + ends->items[k].len, w.end});
        if (m == CUT)
            s->wakes = NULL;
        r->ended = m == YES;
        if (m != NO)
            break;
    }
    r->looked = *end;
    return r->ended || s->finished ? VALUE_ENDS : VALUE_GOES_ON;
}

/* ---- Text that is sent -------------------------------------------------------------------- */

static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
static const char meanings[] = "<>&\"'";
enum { ENTITY_COUNT = 5, ENTITY_LONGEST = 6 };

/* The entity at w.p; ENTITY_COUNT: none. */
static size_t entity_at(unsigned as, view w) {
    size_t k = 0, count = as & SLUICE__ENTITIES ? ENTITY_COUNT : as & SLUICE__ANGLES ? 2 : 0;
    while (k < count && (view_len(w) < strlen(entities[k]) ||
                         memcmp(w.p, entities[k], strlen(entities[k])) != 0))
        k++;
    return k < count ? k : ENTITY_COUNT;
}

static bool has_entities(const sluice__value_spec *v) {
    return v->as & (SLUICE__ANGLES | SLUICE__ENTITIES);
}

/* w without a beginning of an entity at its end. */
static view without_entity(const sluice__value_spec *v, view w) {
    if (!has_entities(v))
        return w;
    for (const char *p = w.end; p > w.p && w.end - p < ENTITY_LONGEST;) {
        if (*--p == '&')
            return entity_at(v->as, (view){p, w.end}) < ENTITY_COUNT ? w : (view){w.p, p};
        if (*p == ';')
            return w;
    }
    return w;
}

void sluice__put_entities(out *o, view text, unsigned as) {
    while (text.p < text.end) {
        size_t k = *text.p == '&' ? entity_at(as, text) : ENTITY_COUNT;
        put(o, k < ENTITY_COUNT ? &meanings[k] : text.p, 1);
        text.p += k < ENTITY_COUNT ? strlen(entities[k]) : 1;
    }
}

static void begin_string(sluice_stream *s) {
    s->call->value.string = true;
    if (s->call->value.mute)
        return;
    sluice__tell_markup(s, s->call->value.from);
    sluice__write_raw(s, "\"");
}

/* Sends the value's text up to `upto`. */
static void send(sluice_stream *s, const sluice__value_spec *v, uint64_t upto) {
    raw_value *r = &s->call->value;
    if (upto <= r->from)
        return;
    view w = text_at(s, r->from, upto);
    if (!r->mute) {
        size_t from = s->made.b.len;
        if (has_entities(v)) {
            s->taken.b.len = 0;
            sluice__put_entities(&s->taken, w, v->as);
            w = out_view(&s->taken);
        }
        r->bad_utf8 |= sluice__put_escaped(&s->made, w.p, view_len(w));
        sluice__arguments_made(s, from, upto);
    }
    r->from = upto;
    s->pos = upto;
}

/* w without the fence that closes it, or (`open`) may do so later. */
static view before_fence(const sluice_stream *s, view w, bool open) {
    const raw_value *r = &s->call->value;
    if (!r->fenced)
        return w;
    const char *p = w.end;
    while (p > w.p && is_space(p[-1]))
        p--;
    int ticks = 0;
    const char *blank = p;
    while (ticks < 3 && p > w.p && p[-1] == '`')
        p--, ticks++;
    if (p > w.p ? p[-1] != '\n' : r->from > r->begin)
        return open && !ticks ? (view){w.p, blank} : w;
    if (!open && ticks < 3)
        return w;
    p -= p > w.p;
    return (view){w.p, p > w.p && p[-1] == '\r' ? p - 1 : p};
}

/* How far the value may be sent while it goes on. */
static uint64_t may_send(const sluice_stream *s, const sluice__value_spec *v, uint64_t end) {
    view w = text_at(s, s->call->value.from, end), f = before_fence(s, w, true);
    if (v->trim || v->to_line_end)
        while (w.end > w.p && is_space(w.end[-1]))
            w.end--;
    w.end -= sluice__tail_of(w, v->trail);
    if (f.end < w.end)
        w = f;
    w = without_entity(v, w);
    return s->call->value.from + utf8_whole(w.p, view_len(w));
}

/* Does the fence's line contain at most a language? */
static bool is_info(view v) {
    while (v.p < v.end && *v.p == '`')
        v.p++;
    while (v.p < v.end && (unsigned char)*v.p > ' ' && !strchr("<>{}()[]`\"'=;&", *v.p))
        v.p++;
    return past_space(v) == v.end;
}

/* What precedes the value itself. */
static went lead(sluice_stream *s, const sluice__value_spec *v) {
    view w = see(s);
    const char *p = w.p;
    for (const char *l = v->lead; l && *l; l++, p++) {
        if (p == w.end && !s->finished)
            return wait_for(s, NULL);
        if (p + 1 < w.end && *p == '\r' && *l == '\n' && p[1] == '\n')
            p++;
        else if (p + 1 == w.end && *p == '\r' && !s->finished)
            return wait_for(s, NULL);
        if (p == w.end || *p != *l) {
            p = w.p;
            break;
        }
    }
    s->call->value.lone = p > w.p && !memchr(w.p, '\r', (size_t)(p - w.p));
    if (v->trim)
        p = past_space((view){p, w.end});
    else if (v->to_line_end)
        while (p < w.end && is_blank(*p))
            p++;
    if ((v->trim || v->to_line_end) && p == w.end && !s->finished)
        return wait_for(s, NULL);
    view rest = {p, w.end};
    if (v->as & SLUICE__FENCED && !s->set.strict) {
        size_t n = view_len(rest) < 3 ? view_len(rest) : 3;
        if (memcmp(rest.p, "```", n) == 0) {
            const char *line = memchr(rest.p, '\n', view_len(rest));
            if (!line && !s->finished && view_len(rest) < s->set.limit_header)
                return wait_for(s, NULL);
            if (line && is_info((view){rest.p, line})) {
                s->call->value.fenced = true;
                sluice__repair(s, "a code fence around a value was left out");
                p = line + 1;
            }
        } else if (n == 0 && !s->finished) {
            return wait_for(s, NULL);
        }
    }
    s->pos += (uint64_t)(p - w.p);
    s->call->value.from = s->call->value.looked = s->call->value.begin = s->pos;
    s->call->fences[0] = 3; /* where a fence ends it */
    s->fence_count = 1;
    s->phase = BODY;
    return GO;
}

/* A value whose type is decided at its end has come to `end`: is it too long for that? */
static void bound(sluice_stream *s, uint64_t end) {
    raw_value *r = &s->call->value;
    bool tree = sluice__tree_open(s);
    if (r->string || r->mute || end - r->from <= s->set.limit_value)
        return;
    sluice__report(s, "limit_exceeded",
                   "a value whose type is decided at its end is longer than limit_value");
    r->over_long = true;
    if (tree)
        r->mute = true;
    r->captured = false;
    begin_string(s);
    sluice__lower(s, tree ? SLUICE_INCOMPLETE : SLUICE_COMPLETE);
}

static went body(sluice_stream *s, const sluice__value_spec *v) {
    raw_value *r = &s->call->value;
    bool strict = v->strict_ends && s->set.strict, tree = sluice__tree_open(s);
    bool quoting = v->quoting && !strict && !v->to_line_end;
    const literals *ends = strict ? v->strict_ends : v->ends;
    uint64_t end;
    value_end what = quoting ? sluice__quoted_end(s, v, &end)
                             : find_end(s, v, ends, strict ? ends : v->confirm, &end);
    if (!r->string && !r->captured && !tree && r->mask & SLUICE__STRING &&
        end > r->from) { /* can it be a string only? */
        view w = text_at(s, r->from, end);
        w.p = past_space(w);
        if (w.p < w.end && sluice__only_string(r->mask, (unsigned char)*w.p))
            begin_string(s);
    }
    if (r->over_at) { /* behind the text before it */
        static const char over[] = "limit_held exceeded";
        bound(s, r->over_at - 1);
        if (r->string || r->mute)
            send(s, v, may_send(s, v, r->over_at - 1));
        sluice__lower(s, SLUICE_INCOMPLETE);
        sluice__tell_markup(s, r->from);
        sluice__report_at(s, r->over_at - 1, "limit_exceeded", over, sizeof over - 1);
        r->over_at = 0;
    }
    bound(s, end);
    if (what != VALUE_ENDS) {
        if (r->string || r->mute)
            send(s, v, may_send(s, v, end));
        view rest = see(s);
        bool all = r->string && !r->mute && !utf8_whole(rest.p, view_len(rest)) && !v->trim &&
                   !v->to_line_end && !v->as;
        r->looked = r->looked < s->pos ? s->pos : r->looked;
        return all ? pass_on(s, SLUICE_ARGUMENTS, v->wakes, quoting ? v->quoting->marks : ends)
                   : WAIT;
    }
    view text = text_at(s, r->from, end), w = text;
    if (r->ended && !strict)
        w = sluice__without_tail(text, v->trail);
    w.end += r->lone && w.end < text.end && *w.end == '\r';
    if (v->trim || v->to_line_end)
        while (w.end > w.p && is_space(w.end[-1]))
            w.end--;
    view without = before_fence(s, w, false);
    bool lost = r->fenced && without.end == w.end && !r->mute;
    uint64_t upto = r->from + view_len(without);
    if (!r->ended && s->fence_count > 1)
        sluice__spoil(s, "bad_arguments", "a code fence in the value is not closed");
    if (r->string || r->mute) {
        send(s, v, upto);
        if (r->string && !r->mute)
            sluice__write(s, view_of("\"", 1), upto);
        if (r->bad_utf8)
            sluice__report(s, "invalid_utf8", "invalid UTF-8 was replaced by U+FFFD");
    } else {
        if (has_entities(v)) {
            s->call->decoded.b.len = 0;
            sluice__put_entities(&s->call->decoded, without, v->as);
            without = out_view(&s->call->decoded);
        }
        if (tree) {
            sluice__tree_add_leaf(s, without, !r->ended);
        } else if (r->captured) {
            sluice__open_repeated(s, &without, false);
        } else {
            sluice__tell_markup(s, r->from);
            sluice__write_typed(s, without, r->mask, !r->ended, upto);
        }
    }
    r->string = false;
    s->pos = end;
    if (lost)
        sluice__spoil(s, "ignored_text",
                      "the code fence that opens the value is not closed at its end");
    if (r->doubt) {
        sluice__spoil(s, "bad_arguments",
                      "the end of a value is in doubt: not all literals of the format in it match");
        s->lost_value = true;
    }
    sluice__lower(s, !r->ended      ? SLUICE_INCOMPLETE
                     : r->recovered ? SLUICE_RECOVERED
                                    : SLUICE_COMPLETE);
    return GO;
}

/* ---- The instruction ---------------------------------------------------------------------- */

/* Names the parameter as the tool declares it. */
static void settle_key(sluice_stream *s, const sluice__value_spec *v) {
    view key = v->key ? view_of(v->key, strlen(v->key)) : reg_view(s, REG_KEY);
    out *param = &s->call->param;
    view name;
    param->b.len = 0;
    put(param, key.p, view_len(key));
    for (int k = 0; k < 2; k++) {
        if (!s->tool || !(k ? v->single : s->program->singular_keys))
            continue;
        if (s->scripts->ask(s->user, s, k ? SLUICE__Q_SINGLE : SLUICE__Q_PLURAL, 0, out_view(param),
                            &name) > 0) {
            param->b.len = 0;
            put(param, name.p, view_len(name));
        }
    }
    sluice__given given = {NULL, NULL};
    if (v->single && s->tool && sluice__declares(s, out_view(param)) <= 0 &&
        s->scripts->given(s->user, s, s->tool, &given) >= 0 && given.keys)
        sluice__spoil(s, "bad_arguments", "the arguments are no object, but the tool has several");
    if (s->call->repeated.open &&
        (v->key || !equal_views(out_view(&s->call->repeated.key), out_view(param))))
        sluice__flush_repeated(s);
    s->scripts->types(s->user, s, 0, out_view(param), false, NULL, &s->call->value.types);
}

/* Decides how the value is read. */
static void begin_value(sluice_stream *s, const sluice__value_spec *v) {
    raw_value *r = &s->call->value;
    const sluice__types *t = &r->types;
    view key = out_view(&s->call->param);
    bool again = sluice__hash_add(s, &s->call->used, key.p, view_len(key));
    r->mask = (uint16_t)(s->said_type ? sluice__types_said(t, s->said_type) : t->mask);
    if (v->as & SLUICE__MAY_BE_JSON)
        r->mask |= SLUICE__QUOTED_STRING;
    s->said_type = 0;
    if (again && !s->call->repeated.open) {
        sluice__duplicate(s, key);
        r->mute = true;
        return;
    }
    if (s->call->repeated.open) {
        sluice__open_array(s);
        r->item = true;
        r->mask = t->array ? t->array : t->mask;
        return;
    }
    sluice__begin_parameter(s, key);
    r->captured = s->program->repeated_is_array && !v->key && (t->array || !t->declared);
}

went sluice__op_value(sluice_stream *s, const sluice__ins *i) {
    enum { LEAST_TAG = 5 }; /* bytes; a shorter literal, as >, may begin a value */
    const sluice__value_spec *v = &s->program->values[i->a];
    size_t item;
    uint64_t at;
    went w;
    if (s->phase == DECIDE) {
        if ((w = sluice__announce(s)) != GO)
            return w;
        bool lacks_opener = s->absent_at == s->pos;
        if (v->present || lacks_opener) { /* white space alone is not a value: did it begin? */
            match m = sluice__look(s, v->ends, true, &item, &at);
            if (m == CUT)
                return WAIT;
            if ((m == YES && v->ends->items[item].role != SLUICE__DOUBT) ||
                (lacks_opener && at == s->base + s->len)) {
                s->has_key = false;
                if (!lacks_opener)
                    s->pos = at;
                else if (m == YES)
                    sluice__spoil(s, "ignored_argument", "a key without a value was left out");
                else
                    sluice__lower(s, SLUICE_INCOMPLETE);
                return GO;
            }
        }
        if (!s->set.strict && i > s->program->code && i[-1].op == SLUICE__OP_literal) {
            const literals *before = s->program->sets[i[-1].a];
            match m = sluice__look(s, before, false, &item, &at);
            if (m == CUT)
                return WAIT;
            if (m == YES && before->items[item].len >= LEAST_TAG)
                sluice__spoil(s, "bad_arguments", "the tag before a value stands there twice");
        }
        s->has_key = false;
        memset(&s->call->value, 0, sizeof s->call->value);
        for (int k = 0; k < s->marks; k++)
            s->call->mark[k].kind = MARK_NONE;
        if (s->unwrapped || s->has_all) {
            sluice__spoil(s, "ignored_argument", "a parameter follows a whole object of arguments");
            s->call->value.mute = true;
            s->call->value.mask = SLUICE__STRING;
        } else {
            if (sluice__tree_open(s))
                sluice__tree_member(s);
            else
                settle_key(s, v);
            s->phase = SETTLED;
        }
        if (s->phase == DECIDE)
            s->phase = LEAD;
    }
    if (s->phase == BUILT) { /* elements were read in its place */
        if (sluice__tree_open(s)) {
            sluice__tree_add_built(s);
            return GO;
        }
        settle_key(s, v);
        begin_value(s, v);
        const out *built = sluice__tree_result(s);
        view text = out_view(built);
        if (s->call->value.captured) {
            sluice__open_repeated(s, &text, true);
        } else if (!s->call->value.mute) {
            sluice__tell_markup(s, s->pos);
            sluice__write_key(s);
            sluice__write(s, text, s->pos);
        }
        return GO;
    }
    if (s->phase == SETTLED) { /* the key is settled */
        if (v->elements != SLUICE__NONE && sluice__tree_may_begin(s)) {
            const sluice__elements *e = &s->program->elements[v->elements];
            match m = sluice__look(s, e->marks, true, &item, &at);
            if (m == CUT)
                return WAIT;
            const sluice__types *t = &s->call->value.types;
            bool empty = t->declared && !(t->mask & SLUICE__STRING) &&
                         t->mask & (SLUICE__ARRAY | SLUICE__OBJECT);
            if (m == YES && (item < e->openers || (item == e->own_closer && empty))) {
                s->phase = BUILT;
                return sluice__tree_begin(s, e);
            }
        }
        if (sluice__tree_open(s)) {
            s->call->value.mask = s->call->value.types.mask;
        } else {
            raw_value *r = &s->call->value;
            int c = -1;
            bool items = s->program->repeated_is_array && !v->key && r->types.array &&
                         !s->call->repeated.open && !sluice__types_beside_array(&r->types);
            if (items && !peek_byte(s, &c, &at))
                return WAIT;
            begin_value(s, v);
            if (r->captured && c >= 0 && c != '[' && !v->ends->first[c]) { /* item by item */
                sluice__open_repeated(s, NULL, false);
                r->item = true;
                r->captured = false;
                r->mask = r->types.array;
            }
            if (!s->call->value.mute && !s->call->value.captured &&
                !(s->call->value.mask & ~(unsigned)SLUICE__STRING))
                s->call->value.only_string = true;
        }
        s->phase = LEAD;
    }
    if (s->phase == LEAD && (w = lead(s, v)) != GO)
        return w;
    if (s->call->value.only_string && !s->call->value.string)
        begin_string(s);
    w = body(s, v);
    return w;
}
