/* Where a raw value ends that may quote calls of its own format.
 *
 * The literals of the format are balanced by a small stack. The value's own closer ends it while no
 * quoted parameter is open, if what may follow it follows. From the first literal on that looks
 * like a part of a call the value is held, since a closer may have been forgotten: if something did
 * not match, and that literal opens a parameter that is due, the value ends there. Whatever did not
 * match is told. */
#include "stream.h"

enum { LEAST = 4 }; /* shorter ones are no literals of the format */

typedef struct found { /* a literal of the format */
    view behind;
    unsigned role;
    size_t len;
} found;

match sluice__word_at(const sluice_stream *s, const sluice__head *head, view v, view *word,
                      const char **after) {
    size_t item;
    const char *at;
    *after = v.p;
    if (!head->ends)
        return NO;
    view w = view_len(v) > s->set.limit_name ? view_of(v.p, s->set.limit_name) : v;
    match m = sluice__search(s, head->ends, w, &at, &item);
    if (!head->attribute && memchr(v.p, '\n', (size_t)(at - v.p)))
        return NO;
    if (m != YES)
        return s->finished || w.end < v.end ? NO : CUT;
    *word = trimmed((view){v.p, at});
    *after = at + head->ends->items[item].len;
    if (head->attribute && !sluice__find_attribute(*word, head->attribute, word))
        return NO;
    return word->p < word->end ? YES : NO;
}

/* A closer that names what it closes counts for that only. */
static match check_name(sluice_stream *s, const sluice__quoting *q, found *f) {
    bool parameter = f->role & SLUICE__PC && q->closer.ends;
    const sluice__head *head = parameter ? &q->closer : &q->outer;
    view word;
    if (!parameter && !(f->role & SLUICE__CC && head->ends))
        return YES;
    match m = sluice__word_at(s, head, f->behind, &word, &f->behind.p);
    if (m != YES)
        return m;
    f->role &= ~(unsigned)(SLUICE__PC | SLUICE__CC | SLUICE__SC);
    if (equal_views(word, out_view(parameter ? &s->call->key : &s->call->name)) ||
        (parameter && strchr(s->call->value.stack, SLUICE__PO)))
        f->role |= parameter ? SLUICE__PC : SLUICE__CC;
    return YES;
}

/* Goes to the next literal in *v. */
static match next_mark(sluice_stream *s, const sluice__quoting *q, view *v, found *f) {
    size_t item;
    for (;; v->p++) {
        match m = sluice__search(s, q->marks, *v, &v->p, &item);
        if (m == CUT)
            wait_literal(s, q->marks, v->p);
        if (m != YES)
            return m;
        wait_for(s, NULL);
        f->len = q->marks->items[item].len;
        f->role = q->marks->items[item].role;
        f->behind = (view){v->p + f->len, v->end};
        if ((m = check_name(s, q, f)) != NO)
            return m;
    }
}

match sluice__follows(sluice_stream *s, const literals *set, view v, unsigned closer) {
    size_t item;
    for (bool twice = false;; twice = true) {
        v.p = past_space(v);
        match m = find_literal(s, set, v, &item);
        if (m == CUT)
            wait_literal(s, set, v.p);
        if (s->finished && literals_begin(set, v))
            return YES;
        if (m != YES)
            return m;
        unsigned role = set->items[item].role;
        if (!closer || role & (SLUICE__CC | SLUICE__SC))
            return YES;
        if (role & (SLUICE__PO | SLUICE__CO | SLUICE__SO | SLUICE__MORE_OPENS))
            return (closer == SLUICE__PC) == !!(role & SLUICE__PO) ? YES : NO;
        if (closer != SLUICE__PC || twice)
            return NO;
        s->call->value.odd = true; /* the second one is stray */
        v.p += set->items[item].len;
    }
}

/* Does a call of a given tool begin at v? */
static bool opens_call(sluice_stream *s, const sluice__quoting *q, view v) {
    sluice__given given = {NULL, NULL};
    view word, from;
    found f;
    do {
        from = v = left_trimmed(v);
        if (next_mark(s, q, &v, &f) != YES || v.p > from.p)
            return false;
        v = f.behind;
    } while ((f.role & (SLUICE__SO | SLUICE__CO)) == SLUICE__SO);
    return f.role & SLUICE__CO && sluice__word_at(s, &q->name, v, &word, &v.p) == YES &&
           s->scripts->given(s, 0, &given) >= 0 && is_literal(given.names, word);
}

/* The value ends at `at`. But if something is odd, and the first literal in it opens a parameter
 * that is due, its closer was forgotten there; if it closes it before a call, the call's closer. */
static bool ends(sluice_stream *s, const sluice__quoting *q, uint64_t at, value_end *end, bool odd,
                 bool recovered) {
    raw_value *r = &s->call->value;
    uint64_t from = r->hold ? r->hold - 1 : at;
    s->at = s->at > at ? s->at : at;
    view v = see_from(s, from), word;
    found f;
    if (odd && from >= s->pos && from < at && next_mark(s, q, &v, &f) == YES) {
        if (f.role & SLUICE__PO &&
            sluice__word_at(s, &q->key, f.behind, &word, &f.behind.p) == YES && word.p < word.end &&
            !sluice__is_used(s, word) && !equal_views(word, out_view(&s->call->key)) &&
            (!s->call->tool || sluice__declares(s, word) > 0)) { /* another parameter's */
            at = from;
            odd = !s->call->tool && !sluice__line_indent(s, at);
            recovered = true;
        } else if (f.role & SLUICE__PC && !q->closer.ends && recovered &&
                   opens_call(s, q, f.behind)) {
            at = from;
            odd = false;
            s->call->lost_to = s->call->lost_before;
        }
    }
    *end = (value_end){at, true, odd, recovered};
    return true;
}

bool sluice__quoted_end(sluice_stream *s, const sluice__value_spec *spec, value_end *end) {
    const sluice__quoting *q = &spec->quoting;
    raw_value *r = &s->call->value;
    view v = see_from(s, s->at), word;
    found f;
    match m;
    for (;; v.p += f.len) {
        m = next_mark(s, q, &v, &f);
        uint64_t at = place_of(s, v.p);
        if (r->hold && (at - (r->hold - 1) > s->set.limit_held || sluice__is_tired(s, r->hold))) {
            r->hold = *r->stack = 0;
            r->over = true; /* from now on only its own closer ends it */
            f.len = 0;      /* what stands here is judged again */
            if (m == YES)
                continue;
        }
        if (m != YES)
            break;
        char *inside = *r->stack ? strrchr(r->stack, SLUICE__PO) : NULL; /* the innermost one */
        if (f.role & SLUICE__PC && inside) {
            *inside = 0;
            r->last = at;
        } else if (f.role & SLUICE__PC) {
            m = spec->elements.marks /* of several with one name the first counts */
                    ? YES
                    : sluice__follows(s, q->marks, f.behind, SLUICE__PC);
            if (m == CUT)
                break;
            if (m == YES)
                return ends(s, q, at, end, r->odd, false);
            r->odd = true;
            r->hold = r->hold || r->over ? r->hold : at + 1;
        } else if (!r->over && f.role & (SLUICE__PO | SLUICE__CO | SLUICE__SO)) {
            bool key = f.role & SLUICE__PO, name = f.role & SLUICE__CO;
            m = key || name
                    ? sluice__word_at(s, key ? &q->key : &q->name, f.behind, &word, &f.behind.p)
                    : YES;
            /* of elements, and of tags that are named after keys, only its own counts */
            bool tells = m == YES && key && !spec->elements.marks &&
                         (f.len >= LEAST || (s->call->tool && !sluice__is_used(s, word) &&
                                             sluice__declares(s, word) > 0));
            if (m == YES && (!key || tells || equal_views(word, out_view(&s->call->key)))) {
                size_t depth = strlen(r->stack);
                f.len = key ? (size_t)(f.behind.p - v.p) : f.len;
                r->odd |= depth == NESTED;
                if (depth < NESTED) {
                    r->stack[depth] = key ? SLUICE__PO : name ? SLUICE__CO : SLUICE__SO;
                    r->stack[depth + 1] = 0;
                }
                r->quoted = true;
                r->hold = r->hold ? r->hold : at + 1;
            }
        } else if (f.role & (SLUICE__CC | SLUICE__SC)) {
            char *closed = strrchr(r->stack, f.role & SLUICE__CC ? SLUICE__CO : SLUICE__SO);
            if (closed && !inside) {
                *closed = 0;
            } else if (!*r->stack && !r->over) { /* it ends the value, if it is due there */
                m = sluice__follows(s, q->marks, f.behind, SLUICE__CC);
                word = see_from(s, r->last ? r->last : at);
                if (m == YES && r->last && next_mark(s, q, &word, &f) == YES &&
                    past_space(f.behind) == v.p)
                    return ends(s, q, r->last, end, true, true); /* that closed the value */
                lose_calls(s, m == YES && r->mask & SLUICE__STRING);
                if (m == YES)
                    return ends(s, q, at, end, r->odd || r->quoted || spec->elements.marks, true);
            }
        }
        if (m == CUT)
            break;
    }
    s->at = place_of(s, v.p);
    *end = (value_end){.at = r->hold ? r->hold - 1 : s->at};
    if (!s->finished) {
        if (m != CUT)
            wait_for(s, spec->wakes), s->among = q->marks;
        return false;
    }
    uint64_t from = r->hold > s->pos ? r->hold - 1 : s->pos; /* a closer was forgotten */
    for (v = see_from(s, from); next_mark(s, q, &v, &f) == YES; v.p += f.len)
        if (f.role & SLUICE__PC && sluice__follows(s, q->marks, f.behind, SLUICE__PC) == YES)
            return ends(s, q, place_of(s, v.p), end, true, true);
    end->at = s->pos + view_len(see_from(s, s->pos)); /* what is quoted has no end */
    end->doubt = r->hold;
    return true;
}
