/* Instructions that read the parts of a header, and text inside a block. */
#include "stream.h"

/* Reads up to the first literal of the set. NO: gave up at *end, for its length, its line or the
 * end of the text. `quoted`: literals in "..." and '...' do not count. */
static match upto(sluice_stream *s, const literals *set, uint64_t from, size_t limit, bool one_line,
                  bool quoted, uint64_t *end) {
    view v = see_from(s, from), w = v;
    size_t item;
    char quote = 0;
    match m = NO;
    for (; w.p < w.end && (size_t)(w.p - v.p) <= limit; w.p++) {
        if (quote) {
            quote = *w.p == quote ? 0 : quote;
            continue;
        }
        if (set->first[(unsigned char)*w.p] && (m = find_literal(s, set, w, &item)) != NO)
            break;
        if (one_line && (*w.p == '\n' || *w.p == '\r'))
            break;
        if (quoted && is_quote(*w.p))
            quote = *w.p;
    }
    *end = place_of(s, w.p);
    if (m == CUT)
        wait_literal(s, set, w.p);
    if (m == NO && (size_t)(w.p - v.p) > limit)
        sluice__wrong(s, "limit_exceeded", "a name or a header is longer than its limit");
    if (m != NO || w.p < w.end || s->finished)
        return m;
    wait_among(s, set);
    return CUT;
}

/* The first text of the call is kept, as JSON; others must be equal. */
static void keep_extra(sluice_stream *s, unsigned k, view text) {
    out *all = &s->call->extras;
    uint32_t *first = &s->call->extra[k], at = (uint32_t)all->b.len;
    sluice__put_string(all, text);
    put(all, "", 1);
    if (!*first) {
        *first = at + 1;
    } else if (!s->heap.failed && strcmp(all->b.data + at, all->b.data + *first - 1) != 0) {
        s->call->header.loose |= !s->call->began; /* it is told when the call begins */
        if (s->call->began)
            sluice__spoil(s, "bad_arguments", "a text differs from the one that it repeats");
    }
}

went sluice__op_name(sluice_stream *s, const sluice__ins *i) {
    bool extra = i->row == SLUICE__I_side, key = i->row == SLUICE__I_key;
    struct call *c = s->call;
    out *which = key ? &c->key : i->row == SLUICE__I_name ? &c->name : &c->id;
    view v = see(s);
    bool skips = !extra && (!key || i->flags & SLUICE__F_LINE);
    uint64_t to, from = place_of(s, skips ? past_space(v) : v.p);
    match m = upto(s, s->program->sets[i->a], from, extra ? s->set.limit_header : s->set.limit_name,
                   true, false, &to);
    if (m == CUT)
        return WAIT;
    if (m == NO && (to - from > s->set.limit_name || to == from || !view_len(see_from(s, to))))
        return FAIL; /* else the end of its line ends it */
    view text = text_at(s, from, to), t = trimmed(text);
    int fits = which == &c->id || t.p < t.end;
    if (fits && key && i->b != SLUICE__NONE)
        fits = s->scripts->ask(s, SLUICE__Q_FITS, i->b, t, NULL);
    if (fits <= 0)
        return fits ? BROKEN : FAIL;
    if (extra)
        keep_extra(s, i->b, t);
    else
        sluice__set_reg(s, which, t, from + (uint64_t)(t.p - text.p),
                        from + (uint64_t)(t.end - text.p));
    if (i->row == SLUICE__I_name)
        s->call->header.pattern = i->b;
    s->call->has_key |= key;
    s->pos = to;
    return GO;
}

went sluice__op_header(sluice_stream *s, const sluice__ins *i) {
    bool shape = i->row == SLUICE__I_shape; /* it only has to match */
    uint64_t to;
    match m = upto(s, s->program->sets[i->a], s->pos, s->set.limit_header, false, false, &to);
    if (m != YES)
        return m == CUT ? WAIT : FAIL;
    view text = text_at(s, s->pos, to), odd = {0};
    s->call->header.pairs = shape ? s->call->header.pairs : 0;
    int fits = s->scripts->ask(s, shape ? SLUICE__Q_FITS : SLUICE__Q_HEADER, i->b, text, &odd);
    s->call->header.loose |= shape && odd.p < odd.end;
    s->pos = fits > 0 ? to : s->pos;
    return fits < 0 ? BROKEN : fits ? GO : FAIL;
}

typedef struct found { /* an attribute: its name, and its value as written */
    view name, value;
    bool bare;
} found;

static bool ends_word(char c) { return is_space(c) || is_quote(c); }

static bool next_attribute(view *v, found *f) {
    for (; v->p < v->end; v->p++) {
        const char *q = v->p, *end = v->end;
        while (q < end && !ends_word(*q) && *q != '=')
            q++;
        view name = {v->p, q};
        q = past_space((view){q, end});
        if (name.p == name.end || q == end || *q != '=')
            continue;
        q = past_space((view){q + 1, end});
        bool bare = q == end || !is_quote(*q);
        const char *value = bare ? q : q + 1;
        const char *close = bare ? q : memchr(value, *q, (size_t)(end - value));
        while (bare && close < end && !ends_word(*close))
            close++;
        if (!close || (bare && close == value))
            continue;
        *f = (found){name, {value, close}, bare};
        v->p = bare ? close : close + 1;
        return true;
    }
    return false;
}

bool sluice__find_attribute(view tag, const char *name, view *value) {
    found f;
    while (next_attribute(&tag, &f))
        if (view_is(f.name, name)) {
            *value = f.value;
            return true;
        }
    return false;
}

static void note_attribute(sluice_stream *s, const sluice__attribute *want, const found *f,
                           uint64_t at, bool decode, bool *seen) {
    bool plain = f->bare || (want->what == SLUICE__A_VALUE && !decode);
    view value = sluice__decoded(&s->call->scratch, f->value, plain ? 0 : SLUICE__ENTITIES);
    if (want->what == SLUICE__A_TYPE) {
        s->call->said_type = SLUICE__ANY_TYPE;
        for (size_t k = 0; want->types[k].text; k++)
            if (view_is(value, want->types[k].text))
                s->call->said_type = want->types[k].mask;
    } else if (want->what == SLUICE__A_VALUE) {
        sluice__hold_pair(s, view_text(want->key), value);
    } else if (value.p < value.end) {
        bool key = want->what == SLUICE__A_KEY, name = want->what == SLUICE__A_NAME;
        *seen |= key || name;
        s->call->has_key |= key;
        out *which = key ? &s->call->key : name ? &s->call->name : &s->call->id;
        sluice__set_reg(s, which, value, at, at + view_len(f->value));
        if (name && f->bare)
            s->call->header.pattern = want->pattern;
    }
}

went sluice__op_attributes(sluice_stream *s, const sluice__ins *i) {
    const sluice__attributes *spec = &s->program->attributes[i->a];
    uint64_t to;
    bool bare = spec->count == 1 && !*spec->list->name; /* not a tag: the text itself is the type */
    match m = upto(s, spec->follow, s->pos, s->set.limit_header, bare, !bare, &to);
    view v = text_at(s, s->pos, to), w = v;
    if (m != YES || (bare && has_any(trimmed(v), "")))
        return m == CUT ? WAIT : FAIL;
    bool seen = !spec->asks, loose = false;
    found f;
    if (bare) {
        f = (found){{v.p, v.p}, v, true};
        note_attribute(s, spec->list, &f, s->pos, false, &seen);
        s->pos = to;
        return GO;
    }
    const char *from = v.p;
    uint64_t given = 0;
    for (; next_attribute(&w, &f); from = w.p) {
        size_t k = 0;
        while (k < spec->count && !view_is(f.name, spec->list[k].name))
            k++;
        bool known = k < spec->count;
        bool harmless = s->call->began && (view_is(f.name, "type") || view_is(f.value, "true") ||
                                           view_is(f.value, "false")); /* of a parameter */
        loose |= past_space((view){from, f.name.p}) < f.name.p ||
                 (known ? given >> (k & 63) & 1 : !harmless);
        given |= (uint64_t)known << (k & 63);
        if (known && spec->list[k].what != SLUICE__A_IGNORED)
            note_attribute(s, &spec->list[k], &f, place_of(s, f.value.p), spec->entities, &seen);
    }
    for (size_t k = 0; k < spec->count; k++) /* a type must be said, if it has an attribute */
        loose |= spec->list[k].what == SLUICE__A_TYPE && !(given >> (k & 63) & 1);
    if (!seen)
        return FAIL;
    v.end -= v.end > from && v.end[-1] == '/';
    s->call->header.loose |= loose || past_space((view){from, v.end}) < v.end;
    s->pos = to;
    return GO;
}

went sluice__op_same(sluice_stream *s, const sluice__ins *i) {
    bool of_name = i->flags & SLUICE__F_NAME;
    view want = out_view(of_name ? &s->call->name : &s->call->key);
    bool has = of_name ? s->call->header.pattern != SLUICE__NO_NAME : want.p < want.end;
    uint64_t to;
    if (i->b && s->call->missed && s->call->began)
        return GO; /* the closer with the name is missing */
    match m = upto(s, s->program->sets[i->a], s->pos, s->set.limit_name, true, false, &to);
    if (m == CUT)
        return WAIT;
    view word = trimmed(text_at(s, s->pos, to)), rest = see_from(s, to);
    bool same = m == YES && has && equal_views(word, want);
    if (!same && !s->call->began)
        return FAIL;
    if (m == YES || rest.p == rest.end)
        s->pos = to;
    if (same)
        return GO;
    sluice__lower(s, SLUICE_RECOVERED);
    if (m == YES ? of_name : rest.p < rest.end || !has_start(want, word)) /* or is it cut? */
        sluice__spoil(s, "stray_markup", "the name in a closing tag does not match");
    return GO;
}

static void note_fences(sluice_stream *s, uint64_t upto) {
    enum { NOT_TICKS = 4 };
    for (bool hide = sluice__fences_hide(&s->set, format_of(s)); hide && s->at < upto; s->at++) {
        char c = *byte_at(s, s->at);
        if (c == '\n')
            s->call->say.ticks = 0;
        else if (c == '`' && s->call->say.ticks < NOT_TICKS)
            s->call->say.fenced ^= ++s->call->say.ticks == 3;
        else if (!is_blank(c) || s->call->say.ticks)
            s->call->say.ticks = NOT_TICKS;
    }
    s->at = upto;
}

/* The end of the text, at one of `own`, or of `all` (or NULL) that begins a line: literals in a
 * fence that is closed do not end it; an open one hides none. */
static seen find_end(sluice_stream *s, const literals *own, const literals *all) {
    struct call *c = s->call;
    for (seen k, other, mine = {.is = NO};; note_fences(s, k.at + 1)) {
        const literals *set = own;
        k = mine = !mine.at || mine.at < s->at ? sluice__find(s, own, s->at) : mine;
        if (all && (other = sluice__find(s, all, s->at)).at < k.at)
            k = other, set = all;
        note_fences(s, k.at);
        const sluice__literal *l = k.is == YES ? &set->items[k.item] : NULL;
        bool place = l && (set == own || sluice__line_indent(s, k.at));
        if (l && (!place || !sluice__is_place(s, k.at, l->role)))
            continue;
        if (k.is != YES || !c->say.fenced)
            return k;
        seen fence = sluice__find(s, format_of(s)->fence, s->searched > k.at ? s->searched : k.at);
        s->searched = fence.at;
        c->say.fenced = fence.at - k.at <= s->set.limit_held && (fence.is != NO || !s->finished);
        k.is = c->say.fenced && fence.is != YES ? CUT : k.is;
        if (!c->say.fenced || k.is == CUT)
            return k;
    }
}

went sluice__op_say(sluice_stream *s, const sluice__ins *i) {
    const sluice__content *c = &s->program->contents[i->a];
    if (!s->call->phase) { /* white space behind the header */
        bool draft = s->reasoning && (s->call->silent || (s->block && c->type == SLUICE_REASONING));
        went w = draft ? sluice__held(s) : GO;
        if (w != GO) /* a thought that ends may have words of prose, or thoughts */
            return w;
        view v = see(s);
        const char *p = sluice__past_lead(s, v, c->lead);
        if (!p)
            return wait_for(s, NULL);
        s->pos = place_of(s, p);
        s->call->committed = true;
        s->at_start = s->after_markup = false;
        s->horizon = UINT64_MAX;
        sluice__no_way_back(s);
        sluice__tell_markup(s, s->pos);
        s->call->phase = 1;
        memset(&s->call->say, 0, sizeof s->call->say);
        s->at = s->pos;
        s->searched = 0;
    }
    const literals *all = c->open && s->many && !s->calls ? s->many->format->sure : NULL;
    seen end = find_end(s, c->ends, all);
    view text = text_at(s, s->pos, end.at);
    if (end.is == YES || !s->finished)
        text = sluice__without_tail(text, c->trail, 0, end.is != YES);
    if (end.is == NO && !s->finished)
        text.end = text.p + utf8_whole(text.p, view_len(text));
    uint64_t upto = s->pos + view_len(text);
    if (view_len(text))
        sluice__tell(s, (sluice_event_type)c->type, text.p, view_len(text), s->pos, upto);
    s->pos = end.is == YES ? s->at : upto;
    if (end.is == YES || s->finished)
        return GO;
    bool spoken = c->type == SLUICE_TEXT;
    if (end.is == CUT || all || sluice__fences_hide(&s->set, format_of(s)))
        return wait_for(s, NULL);
    return spoken ? pass_on(s, SLUICE_TEXT, format_of(s)->wakes[0], format_of(s)->watched, c->trail)
                  : pass_on(s, SLUICE_REASONING, c->ends->odd, c->ends, c->trail);
}
