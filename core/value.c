/* A parameter's value as text: a string goes out as it comes, anything else when it has ended. */
#include "stream.h"

enum { DECIDE, LEAD, BODY }; /* phases */
enum { TRIMMED = 512 };      /* white space that is dropped at the end of a value, at most */

void sluice__value_complete(sluice__value_spec *v) {
    const literals *marks = v->quoting.marks ? v->quoting.marks : v->ends;
    for (unsigned c = 0; c < 256; c++)
        v->wakes[c] = v->ends->first[c] || marks->first[c] ? sluice__ends_plain[c] ? 1 : A_LITERAL
                      : c >= 0x80                          ? WHOLE_CHARACTERS
                                                           : 0;
}

/* Does the line at v, which begins with backticks, close the fence around the value? */
static match fence_ends(sluice_stream *s, view v) {
    char *fences = s->call->value.fences;
    size_t open = strlen(fences), count = 0;
    while (v.p + count < v.end && v.p[count] == '`')
        count++;
    bool word = false, tick = false;
    const char *p = v.p + count;
    for (; p < v.end && *p != '\n' && (size_t)(p - v.p) < s->set.limit_header; p++) {
        word |= !is_space(*p);
        tick |= *p == '`';
    }
    if (p == v.end && !s->finished && (p == v.p + count || (size_t)(p - v.p) < s->set.limit_header))
        return CUT;
    if (word && !tick) { /* it opens another */
        if (open < FENCES)
            fences[open] = (char)(count < INT8_MAX ? count : INT8_MAX);
        return NO;
    }
    if (word || !open || count < (size_t)fences[open - 1])
        return NO;
    fences[open - 1] = 0;
    return open > 1 ? NO : YES;
}

/* Does a literal that is asked about end the value? */
static match answer(sluice_stream *s, const sluice__value_spec *spec, const sluice__ask *ask,
                    uint64_t at, size_t len) {
    view v = see_from(s, at + len), word;
    if (ask->kind == SLUICE__ASK_LINE)
        return (ask->open ? sluice__line_indent : sluice__line_start)(s, at) ? YES : NO;
    if (ask->kind == SLUICE__ASK_FENCE)
        return fence_ends(s, see_from(s, at + 1)); /* behind the newline */
    match m = sluice__word_at(s, &ask->head, v, &word, &v.p);
    if (m == YES && !equal_views(word, out_view(ask->name ? &s->call->name : &s->call->key)))
        m = NO;
    return m != YES || spec->elements.marks || s->set.strict || ask->open
               ? m
               : sluice__follows(s, ask->later, v, 0);
}

/* Where the value ends, by the literals that may follow it. False: not yet. */
static bool find_end(sluice_stream *s, const sluice__value_spec *v, value_end *end) {
    raw_value *r = &s->call->value;
    const literals *ends = s->set.strict && v->strict_ends ? v->strict_ends : v->ends;
    view w = see_from(s, s->at);
    size_t k;
    match m;
    wait_for(s, NULL);
    for (; (m = sluice__search(s, ends, w, &w.p, &k)) == YES; w.p++) {
        unsigned role = ends->items[k].role;
        if (role & SLUICE__ASK)
            m = answer(s, v, &v->asks[k], place_of(s, w.p), ends->items[k].len);
        r->odd |= v->sealed && role & SLUICE__ASK && m == NO; /* it cannot hold its own end */
        if (role & SLUICE__DOUBT)
            r->odd |= !s->set.strict;
        else if (m != NO)
            break;
    }
    if (m == NO && ends == v->ends) /* `wakes` is theirs */
        wait_for(s, v->wakes), s->among = ends;
    s->at = place_of(s, w.p);
    *end = (value_end){.at = s->at, .known = m == YES, .doubt = r->odd};
    return m == YES || s->finished;
}

static void begin_string(sluice_stream *s) {
    s->call->value.string = WRITTEN;
    sluice__tell_markup(s, s->pos);
    sluice__write_raw(s, "\"");
}

/* Sends the value's text up to `upto`. */
static void send(sluice_stream *s, const sluice__value_spec *v, uint64_t upto) {
    raw_value *r = &s->call->value;
    if (upto <= s->pos)
        return;
    view w = text_at(s, s->pos, upto);
    s->pos = upto;
    if (r->string == MUTE)
        return;
    size_t from = s->made.b.len;
    w = sluice__decoded(&s->call->taken, w, v->as);
    r->bad_utf8 |= sluice__put_escaped(&s->made, w);
    sluice__arguments_made(s, from, upto);
}

/* How far the value may be sent while it goes on. */
static uint64_t may_send(const sluice_stream *s, const sluice__value_spec *v, uint64_t end) {
    enum { ENTITY_LONGEST = 6 };
    view w = text_at(s, s->pos, end);
    w = right_trimmed(w, v->trim ? 2 * TRIMMED : 0); /* more than in the end: it has a tail */
    w = sluice__without_tail(w, v->trail, 0, true);
    for (const char *p = w.end;
         (v->as & SLUICE__ANY_ENTITIES) && p > w.p && w.end - p < ENTITY_LONGEST;)
        if (*--p == '&' && !memchr(p, ';', (size_t)(w.end - p)))
            w.end = p;
    return s->pos + utf8_whole(w.p, view_len(w));
}

/* w without the code fence around it. */
static view without_fence(sluice_stream *s, view w) {
    const char *line = memchr(w.p, '\n', view_len(w)), *p = w.end;
    if (!line || line < w.p + 3 || !has_start(w, view_of("```", 3)))
        return w;
    view language = trimmed((view){w.p + 3, line});
    if (has_any(language, "<({[=\"'")) /* part of the value */
        return w;
    while (p > line && p[-1] == '`')
        p--;
    sluice__repair(s, "a code fence around a value was left out");
    if (w.end - p >= 3 && p[-1] == '\n')
        return sluice__without_tail((view){line + 1, p}, "\n", 0, false);
    sluice__spoil(s, "ignored_text",
                  "the code fence that opens the value is not closed at its end");
    return (view){line + 1, w.end};
}

/* What precedes the value itself. */
static went lead(sluice_stream *s, const sluice__value_spec *v) {
    view w = see(s);
    raw_value *r = &s->call->value;
    const char *p = sluice__past_lead(s, w, v->lead);
    r->lone = p && p > w.p && !memchr(w.p, '\r', (size_t)(p - w.p));
    while (p && v->trim && p < w.end && (v->to_line_end ? is_blank(*p) : is_space(*p)))
        p++;
    bool open = !p || (v->trim && p == w.end && !s->finished);
    s->pos = p && !(open && v->to_line_end) ? place_of(s, p) : s->pos; /* it is dropped */
    if (open)
        return wait_for(s, NULL);
    s->at = s->pos;
    r->fences[0] = 3; /* where a fence ends it */
    s->call->phase = BODY;
    return GO;
}

/* May a value of which nothing was told stand in a code fence? */
static bool is_fenced(const sluice_stream *s, const sluice__value_spec *v) {
    view w = see_from(s, s->pos);
    return v->as & SLUICE__FENCED && !s->set.strict && w.p < w.end && *w.p == '`';
}

/* Is it kept whole, to be written when it is known whether another one of its key follows? */
static bool is_captured(const sluice_stream *s, const sluice__value_spec *v) {
    const sluice__types *t = &s->call->value.types;
    bool array = t->mask & SLUICE__ARRAY && t->mask != SLUICE__ANY_TYPE;
    return s->program->repeated_is_array && !v->key && s->call->repeated != AN_ARRAY &&
           (array || !t->declared);
}

/* A value whose type is decided at its end has come to `end`: is it too long for that? */
static void bound(sluice_stream *s, const sluice__value_spec *v, uint64_t end) {
    raw_value *r = &s->call->value;
    if (r->string || end - s->pos <= s->set.limit_value)
        return;
    sluice__report(s, "limit_exceeded",
                   "a value whose type is decided at its end is longer than limit_value");
    view sure = text_at(s, s->pos, s->pos + s->set.limit_value); /* the same in every cut */
    if (sluice__elements_at(s, v, sure) == YES || is_fenced(s, v))
        sluice__lower(s, SLUICE_INCOMPLETE);
    begin_string(s);
}

static went body(sluice_stream *s, const sluice__value_spec *v) {
    raw_value *r = &s->call->value;
    bool strict = v->strict_ends && s->set.strict, quoting = v->quoting.marks && !strict;
    value_end how;
    bool ends = (quoting ? sluice__quoted_end : find_end)(s, v, &how);
    uint64_t end = how.at;
    s->call->has_tokens |= s->set.tokens && sluice__has_token(s, s->pos, end);
    view begun = left_trimmed(text_at(s, s->pos, end));
    if (r->mask & ~(unsigned)SLUICE__STRING) /* white space alone may be too long */
        bound(s, v, end - view_len(begun));
    if (!r->string && !is_captured(s, v) && !is_fenced(s, v) &&
        sluice__elements_at(s, v, begun) == NO && sluice__only_string(r->mask, begun))
        begin_string(s);
    bound(s, v, end);
    if (!ends) {
        if (r->string ? !r->hold : begun.p == begun.end && r->mask & SLUICE__STRING)
            s->wakes = NULL;
        if (!r->string)
            return WAIT;
        send(s, v, may_send(s, v, end));
        view rest = sluice__without_tail(see(s), v->trail, 0, true);
        s->at = s->at < s->pos ? s->pos : s->at;
        return r->string == MUTE || strict || utf8_whole(rest.p, view_len(rest)) || v->trim || v->as
                   ? WAIT
                   : pass_on(s, SLUICE_ARGUMENTS, v->wakes, quoting ? v->quoting.marks : v->ends,
                             v->trail);
    }
    view text = text_at(s, s->pos, end), w = text;
    size_t k;
    bool found = v->trail && find_literal(s, v->ends, see_from(s, end), &k) == YES;
    size_t keeps = found ? v->ends->items[k].role / SLUICE__KEEPS : 0;
    if (how.known && !(strict && is_space(*text.end))) /* else its closer has it */
        w = sluice__without_tail(text, v->trail, keeps, false);
    w.end += r->lone && w.end < text.end && *w.end == '\r';
    w = right_trimmed(w, v->trim ? TRIMMED : 0);
    w = !r->string && is_fenced(s, v) ? without_fence(s, w) : w;
    uint64_t from = s->pos + (uint64_t)(w.p - text.p), upto = from + view_len(w);
    char last = byte_before(s, upto);
    bool quote = v->as & SLUICE__MAY_BE_JSON && !v->single && how.known &&
                 (last == '"' || (!r->string && w.p < w.end && *w.p == '"')) &&
                 (r->string || sluice__not_json(&s->heap.alloc, w, NULL));
    if (r->string) {
        send(s, v, upto);
        if (r->string == WRITTEN)
            sluice__write(s, view_of("\"", 1), upto);
        sluice__tell_utf8(s, r->bad_utf8);
    } else {
        w = sluice__decoded(&s->call->decoded, w, v->as);
        bool elements = sluice__elements_at(s, v, w) == YES;
        w = elements ? sluice__elements_read(s, v, w, !how.known) : w;
        if (is_captured(s, v)) {
            s->call->repeated = elements ? ONE_JSON : ONE_TEXT;
            sluice__set(s, &s->call->repeated_text.b, w);
        } else {
            sluice__tell_markup(s, from);
            if (elements)
                sluice__write_value(s, w, upto);
            else
                sluice__write_typed(s, w, r->mask, !how.known, upto);
        }
    }
    r->string = UNDECIDED;
    s->pos = end;
    s->again += s->at > end ? s->at - end : 0;
    if (quote)
        sluice__spoil(s, "bad_arguments", "a value that may be a JSON string has an odd quote");
    if (r->over)
        sluice__spoil(s, "limit_exceeded", "limit_held exceeded");
    if (how.doubt)
        sluice__spoil(s, "bad_arguments",
                      "the end of a value is in doubt: not all literals of the format in it match");
    lose_calls(s, how.doubt);
    sluice__lower(s, !how.known      ? SLUICE_INCOMPLETE
                     : how.recovered ? SLUICE_RECOVERED
                                     : SLUICE_COMPLETE);
    return GO;
}

/* Names the parameter as the tool declares it. Another one before it ends. */
static void settle_key(sluice_stream *s, const sluice__value_spec *v) {
    view key = v->key ? view_text(v->key) : out_view(&s->call->key);
    if (s->call->tool && s->program->singular_keys)
        s->scripts->ask(s, SLUICE__Q_PLURAL, 0, key, &key);
    if (s->call->tool && v->single) {
        sluice__set(s, &s->call->taken.b, key);
        key = out_view(&s->call->taken);
        s->scripts->ask(s, SLUICE__Q_SINGLE, 0, key, &key);
    }
    if (v->key || !equal_views(out_view(&s->call->param), key))
        sluice__flush_repeated(s);
    sluice__set(s, &s->call->param.b, key);
}

/* Decides how the value is read. */
static void begin_value(sluice_stream *s, const sluice__value_spec *v) {
    struct call *c = s->call;
    raw_value *r = &c->value;
    const sluice__types *t = &r->types;
    view key = out_view(&c->param);
    bool again = sluice__hash_add(&c->used, key);
    /* what the text says of its types counts, unless only text is declared */
    unsigned said = c->said_type & SLUICE__ANY_TYPE, others = c->said_type & ~SLUICE__ANY_TYPE;
    bool text = t->declared && (t->mask & ~SLUICE__NULL) == SLUICE__STRING;
    r->mask = (uint16_t)((text && said != SLUICE__STRING) || !c->said_type ? t->mask | others
                                                                           : c->said_type);
    if (v->as & SLUICE__MAY_BE_JSON)
        r->mask |= SLUICE__QUOTED_STRING;
    c->said_type = 0;
    if (c->repeated) {
        sluice__open_array(s);
        r->mask = t->array ? t->array : t->mask;
    } else if (again) {
        sluice__duplicate(s, key);
        r->string = MUTE;
    } else {
        sluice__begin_parameter(s, key);
    }
}

/* Does a value stand at pos, and of which parameter? OVER: none. */
static went decide(sluice_stream *s, const sluice__value_spec *v) {
    raw_value *r = &s->call->value;
    view key;
    went w = sluice__announce(s);
    if (w != GO)
        return w;
    bool lacks_opener = s->call->absent_at == s->pos;
    if (v->present || lacks_opener) { /* white space alone is not a value: did it begin? */
        seen k = sluice__look(s, v->ends, true);
        if (k.is == YES && v->ends->items[k.item].role & SLUICE__ASK)
            k.is = answer(s, v, &v->asks[k.item], k.at, v->ends->items[k.item].len);
        if (k.is == CUT)
            return wait_for(s, NULL);
        if ((k.is == YES && !(v->ends->items[k.item].role & SLUICE__DOUBT)) ||
            (lacks_opener && k.at == s->base + s->len)) {
            s->call->has_key = false;
            if (!lacks_opener)
                s->pos = k.at;
            else if (k.is == YES)
                sluice__spoil(s, "ignored_argument", "a key without a value was left out");
            else
                sluice__lower(s, SLUICE_INCOMPLETE);
            return OVER;
        }
    }
    s->call->has_key = false;
    sluice__no_way_back(s);
    s->call->phase = LEAD;
    s->call->sealed = v->sealed && (s->call->sealed || !s->call->any);
    if (!sluice__may_follow(s)) {
        *r = (raw_value){.string = MUTE};
        return GO;
    }
    bool quoted = s->call->any && r->quoted;
    settle_key(s, v);
    memset(r, 0, sizeof *r);
    key = out_view(&s->call->param);
    s->scripts->types(s, 0, key, false, NULL, &r->types);
    if (quoted && s->call->tool && sluice__declares(s, key) <= 0) {
        lose_calls(s, true);
        sluice__spoil(s, "bad_arguments", "a key that is not declared may belong to a quotation");
    }
    begin_value(s, v);
    return GO;
}

went sluice__op_value(sluice_stream *s, const sluice__ins *i) {
    const sluice__value_spec *v = &s->program->values[i->a];
    went w = GO;
    if (s->call->phase == DECIDE && (w = decide(s, v)) != GO)
        return w == OVER ? GO : w;
    return s->call->phase == LEAD && (w = lead(s, v)) != GO ? w : body(s, v);
}
