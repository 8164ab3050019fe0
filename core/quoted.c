/* Where a raw value ends that may quote calls of its own format.
 *
 * The literals of the format are balanced by a small stack. The value's own closer ends it while no
 * quoted parameter is open, if what may follow it follows. From the first literal on that looks
 * like a part of a call the value is held, since a closer may have been forgotten: if the text ends
 * first, the value ends at the first of what it may have been. Whatever did not match is told. */
#include "stream.h"

enum { LEAST = 4 }; /* shorter ones are no literals of the format */

static bool is(const literals *set, size_t item, unsigned kind) {
    return set->items[item].role & kind;
}

static void push(raw_value *r, unsigned kind) {
    if (r->depth < NESTED)
        r->stack[r->depth++] = (uint8_t)kind;
    else
        r->odd = true;
}

static bool is_open(const raw_value *r, unsigned kind) {
    for (int k = r->depth; k-- > 0;)
        if (r->stack[k] == kind)
            return true;
    return false;
}

static void pop_through(raw_value *r, unsigned kind) {
    while (r->depth && r->stack[--r->depth] != kind)
        ;
}

/* The word behind an opener: the key of a parameter, or the name of a call. */
static match word_at(const sluice_stream *s, const sluice__head *head, view v, view *word,
                     const char **after) {
    size_t item;
    view from = v;
    *after = v.p;
    if (!head->ends)
        return NO;
    for (; v.p < v.end && (size_t)(v.p - from.p) <= s->set.limit_name; v.p++) {
        if (head->ends->first[(unsigned char)*v.p]) {
            match m = literals_at(head->ends, v, s->finished, &item);
            if (m == CUT)
                return CUT;
            if (m == YES) {
                *word = trimmed((view){from.p, v.p});
                *after = v.p + head->ends->items[item].len;
                break;
            }
        }
        if (*v.p == '\n' && !head->attribute)
            return NO;
    }
    if (v.p == v.end)
        return s->finished ? NO : CUT;
    if ((size_t)(v.p - from.p) > s->set.limit_name)
        return NO;
    if (head->attribute) { /* name="key" */
        size_t n = strlen(head->attribute);
        const char *p = word->p;
        for (; p + n + 1 < word->end; p++)
            if (memcmp(p, head->attribute, n) == 0 && p[n] == '=') {
                p += n + 1;
                char quote = *p == '"' || *p == '\'' ? *p++ : 0;
                const char *end = p;
                while (end < word->end && (quote ? *end != quote : !is_space(*end)))
                    end++;
                *word = (view){p, end};
                return p < end ? YES : NO;
            }
        return NO;
    }
    return word->p < word->end ? YES : NO;
}

/* The literal at v, but for the openers of tags whose name goes on. */
static match mark_at(const sluice_stream *s, const sluice__quoting *q, view v, size_t *item) {
    const literals *set = q->marks;
    match m = find_literal(s, set, v, item);
    if (m != YES || !is(set, *item, SLUICE__TAG))
        return m;
    const char *p = v.p + set->items[*item].len;
    if (p == v.end)
        return s->finished ? NO : CUT;
    if (is_space(*p) || *p == '>' || *p == '/' || *p == '=')
        return YES;
    const char *name = is(set, *item, SLUICE__PO) ? q->key.attribute : q->name.attribute;
    size_t n = name ? strlen(name) : 0; /* or the blank before its attribute is missing */
    size_t some = n < (size_t)(v.end - p) ? n : (size_t)(v.end - p);
    if (!n || memcmp(p, name, some) != 0)
        return NO;
    return some < n || p + n == v.end ? (s->finished ? NO : CUT) : p[n] == '=' ? YES : NO;
}

/* Is a closer cut off at v by the end of the text? */
static bool is_cut(const literals *set, view v) {
    for (size_t k = 0; v.p < v.end && k < set->count; k++)
        if (set->items[k].role & (SLUICE__PC | SLUICE__CC | SLUICE__SC) &&
            set->items[k].len > view_len(v) && memcmp(set->items[k].text, v.p, view_len(v)) == 0)
            return true;
    return false;
}

/* May what stands at v follow the value's own closer (`own`: a parameter may follow), or a closer
 * of its call? *twice: the same closer stands there again. */
static match follows(const sluice_stream *s, const sluice__quoting *q, view v, bool own,
                     bool *twice) {
    const literals *set = q->marks;
    size_t item;
    *twice = false;
    for (;;) {
        v.p = past_space(v);
        if (v.p == v.end)
            return s->finished ? YES : CUT;
        match m = mark_at(s, q, v, &item);
        if (m != YES)
            return m == NO && s->finished && is_cut(set, v) ? YES : m;
        unsigned role = set->items[item].role;
        if (role & (SLUICE__CC | SLUICE__SC | SLUICE__TURN | SLUICE__MORE_CLOSES))
            return YES;
        if (role & SLUICE__PO)
            return own ? YES : NO;
        if (role & (SLUICE__CO | SLUICE__SO | SLUICE__MORE_OPENS))
            return own ? NO : YES;
        if (!own || *twice)
            return NO;
        *twice = true; /* the second one is stray */
        v.p += set->items[item].len;
    }
}

/* Does a parameter begin at v that the tool does not declare? */
static match undeclared_at(sluice_stream *s, const sluice__quoting *q, view v) {
    size_t item;
    view word;
    const char *after;
    v.p = past_space(v);
    if (!s->tool || v.p == v.end || mark_at(s, q, v, &item) != YES ||
        !is(q->marks, item, SLUICE__PO))
        return NO;
    v.p += q->marks->items[item].len;
    match m = word_at(s, &q->key, v, &word, &after);
    return m == YES && sluice__declares(s, word) > 0 ? NO : m;
}

/* A quoted closer that stands before a word closes nothing. */
static match word_follows(const sluice_stream *s, view v) {
    for (; v.p < v.end; v.p++) {
        if (*v.p == '\\' && v.p + 1 < v.end && v.p[1] == 'n')
            v.p++;
        else if (!is_space(*v.p) && !strchr("+-\"'>", *v.p))
            break;
    }
    if (v.p == v.end)
        return s->finished ? NO : CUT;
    return is_name_byte(*v.p) ? YES : NO;
}

/* Does a call of a given tool begin at v? */
static bool opens_call(sluice_stream *s, const sluice__quoting *q, view v) {
    sluice__given given = {NULL, NULL};
    size_t item, name;
    view word;
    const char *after;
    unsigned role = SLUICE__SO;
    while (role & SLUICE__SO && !(role & SLUICE__CO)) {
        v.p = past_space(v);
        if (v.p == v.end || mark_at(s, q, v, &item) != YES)
            return false;
        role = q->marks->items[item].role;
        v.p += q->marks->items[item].len;
    }
    return role & SLUICE__CO && word_at(s, &q->name, v, &word, &after) == YES &&
           s->scripts->given(s->user, s, 0, &given) >= 0 && given.names &&
           literals_at(given.names, word, true, &name) == YES &&
           given.names->items[name].len == view_len(word);
}

/* The value ends at `at`; but if something is odd, and the first literal in it opens a parameter
 * that is due, its closer was forgotten there. */
static value_end ends(sluice_stream *s, const sluice__quoting *q, uint64_t at, uint64_t *end,
                      bool odd, bool recovered) {
    raw_value *r = &s->call->value;
    uint64_t from = r->hold ? r->hold - 1 : at;
    if (odd && from >= r->from && from < at) {
        view v = see_from(s, from), word;
        const char *after;
        size_t item;
        if (mark_at(s, q, v, &item) == YES && is(q->marks, item, SLUICE__PO) &&
            word_at(s, &q->key, (view){v.p + q->marks->items[item].len, v.end}, &word, &after) ==
                YES &&
            sluice__key_is_due(s, word)) {
            at = from;
            odd = !s->tool && !sluice__line_indent(s, at);
            recovered = true;
        } else if (mark_at(s, q, v, &item) == YES && is(q->marks, item, SLUICE__PC) &&
                   !q->closer.ends && recovered &&
                   opens_call(s, q, (view){v.p + q->marks->items[item].len, v.end})) {
            at = from; /* the call's closer was forgotten there */
            odd = s->lost_value = false;
        }
    }
    *end = at;
    r->ended = true;
    r->doubt = odd;
    r->doubt_why =
        odd ? "the end of a value is in doubt: not all literals of the format in it match" : NULL;
    r->recovered = recovered;
    return VALUE_ENDS;
}

/* A closer that names what it closes: *role becomes what it closes, *behind where it ends. */
static match named_closer(sluice_stream *s, const sluice__quoting *q, unsigned *role,
                          view *behind) {
    bool parameter = *role & SLUICE__PC && q->closer.ends,
         call = *role & SLUICE__CC && q->outer.ends;
    view word = *behind;
    const char *after = behind->p;
    if (!parameter && !call)
        return YES;
    match m = word_at(s, parameter ? &q->closer : &q->outer, *behind, &word, &after);
    if (m != YES)
        return m;
    bool own = equal_views(word, reg_view(s, REG_KEY)),
         name = equal_views(word, reg_view(s, REG_NAME));
    *role &= ~(unsigned)(SLUICE__PC | SLUICE__CC | SLUICE__SC);
    if (parameter && (own || is_open(&s->call->value, SLUICE__PO)))
        *role |= SLUICE__PC;
    else if (call && name)
        *role |= SLUICE__CC;
    s->call->value.own_name = own;
    behind->p = after;
    return YES;
}

/* The text ends inside the value: a closer was forgotten, or what is quoted has no end. */
static value_end text_ends(sluice_stream *s, const sluice__value_spec *spec, uint64_t *end) {
    const sluice__quoting *q = spec->quoting;
    raw_value *r = &s->call->value;
    uint64_t from = r->hold ? r->hold - 1 : r->from;
    if (from < r->from)
        from = r->from;
    view v = see_from(s, from), start = v, word;
    const char *after;
    size_t item;
    bool twice, any = false;
    for (; v.p < v.end; v.p++) {
        if (!q->marks->first[(unsigned char)*v.p] || mark_at(s, q, v, &item) != YES)
            continue;
        const sluice__marker *l = &q->marks->items[item];
        uint64_t at = from + (uint64_t)(v.p - start.p);
        view behind = {v.p + l->len, v.end};
        unsigned role = l->role;
        if (named_closer(s, q, &role, &behind) == NO)
            continue;
        if (role & SLUICE__PO && !any && word_at(s, &q->key, behind, &word, &after) == YES &&
            sluice__key_is_due(s, word))
            return ends(s, q, at, end, !sluice__line_indent(s, at), true);
        if (role & SLUICE__TURN && past_space(behind) == v.end) {
            *end = at;
            r->ended = false;
            r->cut = true;
            return VALUE_ENDS;
        }
        if (role & SLUICE__PC && (!q->closer.ends || r->own_name) &&
            follows(s, q, behind, true, &twice) == YES)
            return ends(s, q, at, end, true, true);
        any = true;
        v.p += l->len - 1;
    }
    *end = from + view_len(start);
    view tail = start; /* a closer that is cut off is no value */
    if (view_len(tail) > 64)
        tail.p = tail.end - 64;
    for (; tail.p < tail.end; tail.p++)
        if (tail.end - tail.p >= 2 && is_cut(q->marks, tail)) {
            *end -= view_len(tail);
            break;
        }
    r->ended = false;
    r->cut = true;
    if (r->hold) {
        r->doubt = true;
        r->doubt_why =
            "the end of a value is uncertain: it quotes the start of a call, and the text ends";
    }
    return VALUE_ENDS;
}

value_end sluice__quoted_end(sluice_stream *s, const sluice__value_spec *spec, uint64_t *end,
                             size_t *closer) {
    const sluice__quoting *q = spec->quoting;
    raw_value *r = &s->call->value;
    view v = see_from(s, r->looked), start = v, word;
    const char *after;
    match m = NO;
    *closer = 0;
    for (; v.p < v.end; v.p++) {
        uint64_t at = r->looked + (uint64_t)(v.p - start.p);
        size_t item;
        bool twice;
        if (r->hold &&
            at - (r->hold - 1) > s->set.limit_held) { /* from now on only its own closer ends it */
            r->over_at = r->hold;
            r->hold = 0;
            r->over = true;
            r->depth = 0;
        }
        if (!q->marks->first[(unsigned char)*v.p])
            continue;
        m = mark_at(s, q, v, &item);
        if (m == CUT) {
            sluice__wait_literal(s, q->marks, v);
            break;
        }
        if (m == NO)
            continue;
        unsigned role = q->marks->items[item].role;
        size_t len = q->marks->items[item].len;
        view behind = {v.p + len, v.end};
        bool in_parameter = is_open(r, SLUICE__PO);
        s->wakes = NULL;
        if (role & SLUICE__TURN && past_space(behind) == v.end) { /* is it the end? */
            m = CUT;
            break;
        }
        m = named_closer(s, q, &role, &behind);
        if (m == CUT)
            break;
        if (m == NO)
            continue;
        if (role & SLUICE__PC && !in_parameter) {
            m = follows(s, q, behind, true, &twice);
            match other = m == YES && r->quoted ? undeclared_at(s, q, behind) : NO;
            if (m == CUT || other == CUT) {
                m = CUT;
                break;
            }
            r->odd |= other == YES; /* it may be quoted, too */
            if (m == YES)
                return ends(s, q, at, end, r->odd || twice, false);
            if (!(role & (SLUICE__CC | SLUICE__SC))) {
                r->odd = true;
                if (!r->hold && !r->over)
                    r->hold = at + 1;
                v.p += len - 1;
                continue;
            }
        } else if (role & SLUICE__PC) {
            m = word_follows(s, behind);
            if (m == CUT)
                break;
            if (m == NO) {
                pop_through(r, SLUICE__PO);
                r->last_start = at;
                r->last_closer = at + (uint64_t)(behind.p - v.p);
            }
            v.p += len - 1;
            continue;
        }
        if (role & (SLUICE__PO | SLUICE__CO | SLUICE__SO)) {
            unsigned kind = role & SLUICE__PO   ? SLUICE__PO
                            : role & SLUICE__CO ? SLUICE__CO
                                                : SLUICE__SO;
            m = kind == SLUICE__SO
                    ? YES
                    : word_at(s, kind == SLUICE__PO ? &q->key : &q->name, behind, &word, &after);
            if (m == CUT)
                break;
            if (m == YES && kind == SLUICE__PO && len < LEAST &&
                !equal_views(word, reg_view(s, REG_KEY)))
                m = NO; /* tags that are named after keys: only its own counts */
            if (m == YES) {
                push(r, kind);
                r->quoted = true;
                if (!r->hold && !r->over)
                    r->hold = at + 1;
            }
        } else if (role & (SLUICE__CC | SLUICE__SC)) {
            unsigned opener = role & SLUICE__CC ? SLUICE__CO : SLUICE__SO;
            if (is_open(r, opener) && !in_parameter) {
                pop_through(r, opener);
            } else if (!r->depth &&
                       !r->over) { /* at the end, or before an opener, it ends the value */
                m = follows(s, q, behind, false, &twice);
                if (m == YES && r->last_closer && r->last_closer <= at &&
                    past_space(see_from(s, r->last_closer)) == v.p)
                    return ends(s, q, r->last_start, end, true, true); /* that closed the value */
                if (m == YES) {
                    s->lost_value |= (r->mask & SLUICE__STRING) != 0;
                    return ends(s, q, at, end, r->odd || r->quoted, true);
                }
                if (m == CUT)
                    break;
                r->odd |= (role & SLUICE__PC) != 0;
            }
        }
        v.p += len - 1;
        m = NO;
    }
    r->looked += (uint64_t)(v.p - start.p);
    if (s->finished)
        return text_ends(s, spec, end);
    *end = r->hold ? r->hold - 1 : r->looked;
    if (m != CUT)
        s->wakes = r->hold ? spec->wakes : NULL, s->among = q->marks;
    return VALUE_GOES_ON;
}
