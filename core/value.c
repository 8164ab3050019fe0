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

/* Does a literal that is asked about end the value? */
static match answer(sluice_stream *s, const sluice__value_spec *v, const sluice__ask *ask,
                    uint64_t at) {
    uint64_t behind;
    size_t item;
    match m = NO;
    view w;
    switch (ask->kind) {
    case SLUICE__ASK_NAMED:
        m = s->probe(s, ask->probe, at, &behind);
        if (m != YES || v->elements != SLUICE__NONE || s->set.strict || ask->open)
            return m;
        w = see_from(s, behind);
        w.p = past_space(w);
        m = find_literal(s, ask->later, w, &item);
        return m == NO && w.p == w.end ? YES : m;
    case SLUICE__ASK_LINE:
        if (!(ask->indent ? sluice__line_indent : sluice__line_start)(s, at))
            return NO;
        w = see_from(s, at);
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

/* *item: the literal; -1: the text ends; -2: the line. */
static value_end find_end(sluice_stream *s, const sluice__value_spec *v, const literals *ends,
                          const literals *confirm, uint64_t *end, long *item) {
    raw_value *r = &s->call->value;
    view w = see_from(s, r->looked), start = w;
    size_t k, follow;
    for (; w.p < w.end; w.p++) {
        if (v->to_line_end && *w.p == '\n') {
            *end = r->looked + (uint64_t)(w.p - start.p);
            *item = -2;
            return VALUE_ENDS;
        }
        if (!ends->first[(unsigned char)*w.p])
            continue;
        uint64_t at = r->looked + (uint64_t)(w.p - start.p);
        match m = find_literal(s, ends, w, &k);
        if (m == YES) {
            const sluice__marker *l = &ends->items[k];
            if (l->role == SLUICE__DOUBT) {
                r->odd = !s->set.strict;
                continue;
            }
            if (l->role == SLUICE__ASK && v->asks) {
                m = answer(s, v, &v->asks[k], at);
            } else if (l->role != SLUICE__FINAL && confirm != ends) {
                view behind = {w.p + l->len, w.end};
                behind.p = past_space(behind);
                if ((size_t)(behind.p - w.p) >= s->set.limit_header) {
                    m = NO;
                } else {
                    m = find_literal(s, confirm, behind, &follow);
                    if (m == NO && s->finished &&
                        (behind.p == behind.end ||
                         sluice__markers_begin(confirm, behind.p, view_len(behind))))
                        m = YES; /* the end of the text may cut what follows */
                }
            }
            if (m == YES) {
                *end = at;
                *item = (long)k;
                return VALUE_ENDS;
            }
        }
        if (m == CUT) {
            s->wakes = NULL;
            break;
        }
    }
    r->looked += (uint64_t)(w.p - start.p);
    *end = r->looked;
    *item = -1;
    return s->finished ? VALUE_ENDS : VALUE_GOES_ON;
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

/* w without the fence, or the quote, that closes it, or (`open`) may do so later. */
static view before_fence(const sluice_stream *s, view w, bool open) {
    const raw_value *r = &s->call->value;
    if (!r->fenced && !r->in_quotes)
        return w;
    const char *p = w.end;
    while (p > w.p && is_space(p[-1]))
        p--;
    if (r->in_quotes)
        return p > w.p && p[-1] == '"' ? (view){w.p, p - 1} : open ? (view){w.p, p} : w;
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
    s->call->value.fenced = s->call->value.in_quotes = false;
    view rest = {p, w.end};
    if (rest.p < w.end && *rest.p == '"' && v->as & SLUICE__QUOTED) {
        s->call->value.in_quotes = true;
        p++;
    } else if (v->as & SLUICE__FENCED && !s->set.strict) {
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
    uint64_t end;
    long item = -1;
    size_t closer = 0;
    value_end what = quoting ? sluice__quoted_end(s, v, &end, &closer)
                             : find_end(s, v, strict ? v->strict_ends : v->ends,
                                        strict ? v->strict_ends : v->confirm, &end, &item);
    if (quoting)
        item = r->ended ? 0 : -1;
    if (!r->string && !r->captured && !tree && r->mask & SLUICE__STRING &&
        end > r->from) { /* can it be a string only? */
        const char *p = past_space(text_at(s, r->from, end)),
                   *stop = byte_at(s, r->from) + (end - r->from);
        if (p < stop && sluice__only_string(r->mask, (unsigned char)*p))
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
        return all ? pass_on(s, SLUICE_ARGUMENTS, v->wakes,
                             quoting  ? v->quoting->marks
                             : strict ? v->strict_ends
                                      : v->ends)
                   : WAIT;
    }
    bool cut = item == -1;
    view text = text_at(s, r->from, end), without = text;
    if (item >= 0 && !strict)
        without = sluice__without_tail(text, v->trail);
    without.end += r->lone && without.end < text.end && *without.end == '\r';
    if (v->trim || v->to_line_end)
        while (without.end > without.p && is_space(without.end[-1]))
            without.end--;
    view fenced = before_fence(s, without, false);
    bool lost = r->fenced && fenced.end == without.end && !r->mute;
    without = fenced;
    uint64_t upto = r->from + view_len(without);
    bool doubtful = r->odd && !quoting && s->status != SLUICE_INCOMPLETE;
    if (doubtful || lost)
        sluice__lower(s, SLUICE_INCOMPLETE);
    if (cut && s->fence_count > 1)
        sluice__spoil(s, "bad_arguments", "a code fence in the value is not closed");
    s->lost_track |= doubtful;
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
            sluice__tree_add_leaf(s, without, cut);
        } else if (r->captured) {
            sluice__open_repeated(s, &without, false);
        } else {
            sluice__tell_markup(s, r->from);
            sluice__write_typed(s, without, r->mask, cut, upto);
        }
    }
    r->string = false;
    s->pos = upto;
    if (doubtful)
        sluice__report(s, "bad_arguments",
                       "a value quotes the start of a call, so its end is uncertain; the text "
                       "after it is reported as text");
    if (lost)
        sluice__report(s, "ignored_text",
                       "the code fence that opens the value is not closed at its end");
    s->pos = end;
    if (r->doubt) {
        sluice__spoil(s, "bad_arguments", r->doubt_why);
        s->lost_value = true;
    }
    if (cut || (quoting && r->cut))
        sluice__lower(s, SLUICE_INCOMPLETE);
    else if (quoting && r->recovered)
        sluice__lower(s, SLUICE_RECOVERED);
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

/* Decides how the value is read. True: its first value must be looked at. */
static bool begin_value(sluice_stream *s, const sluice__value_spec *v) {
    raw_value *r = &s->call->value;
    const sluice__types *t = &r->types;
    bool may_repeat = s->program->repeated_is_array && !v->key && (t->array || !t->declared);
    view key = out_view(&s->call->param);
    bool again = sluice__hash_add(s, &s->call->used, key.p, view_len(key));
    r->mask = (uint16_t)(s->said_type ? sluice__types_said(t, s->said_type) : t->mask);
    if (v->as & SLUICE__MAY_BE_JSON)
        r->mask |= SLUICE__QUOTED_STRING;
    s->said_type = 0;
    if (again && !s->call->repeated.open) {
        sluice__duplicate(s, key);
        r->mute = true;
        return false;
    }
    if (s->call->repeated.open) {
        sluice__open_array(s);
        r->item = true;
        r->mask = t->array ? t->array : t->mask;
        return false;
    }
    sluice__begin_parameter(s, key);
    r->captured = may_repeat;
    return may_repeat && t->array;
}

/* If the value is an item of repeated parameters: its comma, before anything of it. */
static void begin_item(sluice_stream *s) {
    if (!s->call->value.item)
        return;
    s->call->value.item = false;
    sluice__tell_markup(s, s->pos);
    sluice__open_array(s);
    sluice__item_comma(s);
}

went sluice__op_value(sluice_stream *s, const sluice__ins *i) {
    const sluice__value_spec *v = &s->program->values[i->a];
    size_t item;
    uint64_t at;
    int c;
    went w;
    if (s->phase == DECIDE) {
        if ((w = sluice__announce(s)) != GO)
            return w;
        bool lacks_opener = s->absent_at == s->pos;
        if (lacks_opener) { /* did it begin at all? */
            if (!peek_byte(s, &c, &at))
                return WAIT;
            if (c < 0) {
                s->has_key = false;
                sluice__lower(s, SLUICE_INCOMPLETE);
                return GO;
            }
            if (i[1].op == SLUICE__OP_literal) { /* or does the next word match? */
                match next = sluice__look(s, s->program->sets[i[1].a], true, &item, &at);
                match ends = next == NO ? sluice__look(s, v->ends, true, &item, &at) : NO;
                if (next == CUT || ends == CUT)
                    return WAIT;
                if (ends == YES && v->ends->items[item].role != SLUICE__DOUBT) {
                    s->has_key = false;
                    sluice__spoil(s, "ignored_argument", "a key without a value was left out");
                    return GO;
                }
            }
        }
        if (v->present) { /* white space alone is not a value */
            match m = sluice__look(s, v->ends, true, &item, &at);
            if (m == CUT)
                return WAIT;
            if (m == YES && v->ends->items[item].role != SLUICE__DOUBT) {
                s->pos = at;
                s->has_key = false;
                return GO;
            }
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
            begin_item(s);
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
            match m = NO;
            if (s->program->repeated_is_array && !v->key && s->call->value.types.array &&
                !s->call->repeated.open) {
                m = sluice__look(s, v->may_be_whole, true, &item, &at);
                if (m == CUT)
                    return WAIT;
            }
            if (begin_value(s, v) && m == NO &&
                !sluice__types_beside_array(&s->call->value.types)) {
                sluice__open_repeated(s, NULL, false);
                s->call->value.item = true;
                s->call->value.captured = false;
                s->call->value.mask = s->call->value.types.array;
            }
            if (!s->call->value.mute && !s->call->value.captured &&
                !(s->call->value.mask & ~(unsigned)SLUICE__STRING))
                s->call->value.only_string = true;
        }
        s->phase = LEAD;
    }
    if (s->phase == LEAD && (w = lead(s, v)) != GO)
        return w;
    begin_item(s);
    if (s->call->value.only_string && !s->call->value.string)
        begin_string(s);
    w = body(s, v);
    return w;
}
