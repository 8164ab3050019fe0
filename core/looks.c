/* What stands in the response: literals, what surrounds them; and marks to go back to. */
#include "stream.h"

seen sluice__look(sluice_stream *s, const literals *set, bool skip) {
    view v = see(s);
    const char *p = skip ? past_space(v) : v.p;
    seen k = {.at = place_of(s, p)};
    k.is = set ? find_literal(s, set, (view){p, v.end}, &k.item) : NO;
    if (k.is == CUT && !skip && p == v.end) /* no white space may precede it */
        wait_for(s, NULL);
    else if (k.is == CUT)
        wait_literal(s, set, p);
    return k;
}

match sluice__take(sluice_stream *s, const literals *set, bool skip) {
    seen k = sluice__look(s, set, skip);
    if (k.is == YES)
        s->pos = k.at + set->items[k.item].len;
    return k.is;
}

seen sluice__find(const sluice_stream *s, const literals *set, uint64_t from) {
    view v = see_from(s, from);
    const char *at = v.end;
    seen k;
    k.is = set ? sluice__search(s, set, v, &at, &k.item) : NO;
    k.at = from + (uint64_t)(at - v.p);
    return k;
}

/* Leaves out what is before the next literal of the set, or the end. */
went sluice__skip_to(sluice_stream *s, const literals *set) {
    seen k = sluice__find(s, set, s->pos);
    s->pos = k.at;
    return k.is == YES || s->finished ? GO : k.is == CUT ? wait_for(s, NULL) : wait_among(s, set);
}

const char *sluice__past_lead(const sluice_stream *s, view v, const char *lead) {
    const char *p = v.p;
    for (; lead && *lead; lead++, p++) {
        p += p + 1 < v.end && *p == '\r' && p[1] == '\n' && *lead == '\n';
        if (!s->finished && (p == v.end || (p + 1 == v.end && *p == '\r')))
            return NULL;
        if (p == v.end || *p != *lead)
            break;
    }
    return p;
}

view sluice__without_tail(view v, const char *trail, size_t keeps, bool open) {
    size_t k = trail ? strlen(trail) - keeps : 0; /* the longest end of v that is a start of it */
    for (; k && !has_end(v, view_of(trail, k)); k--)
        if (!open)
            return v;
    v.end -= k;
    v.end -= trail && *trail == '\n' && v.end > v.p && v.end[-1] == '\r';
    return v;
}

bool sluice__is_place(const sluice_stream *s, uint64_t at, unsigned role) {
    bool starts = s->reasoning ? sluice__line_indent(s, at)
                               : s->at_start || (role & SLUICE__INDENT && s->after_markup);
    if (role & SLUICE__AT_START && !starts)
        return false;
    return !(role & SLUICE__AT_LINE) || (starts && !s->reasoning) ||
           (role & SLUICE__INDENT ? sluice__line_indent : sluice__line_start)(s, at);
}

match sluice__alone(sluice_stream *s, const sluice__literal *m, uint64_t at, view v, size_t *run) {
    int unit = sluice__utf8_sequence(m->text, m->len);
    size_t n = unit > 0 ? (size_t)unit : 1;
    size_t k = at < s->run_end ? (size_t)(s->run_end - at) : 0; /* known to be so long */
    k = k < view_len(v) ? k : 0;
    while (view_len(v) - k >= n && memcmp(v.p + k, m->text, n) == 0 && k < s->set.limit_held)
        k += n;
    *run = k;
    s->run_end = at + k;
    if (view_len(v) - k < n && !s->finished && memcmp(v.p + k, m->text, view_len(v) - k) == 0)
        return CUT;
    return k % m->len == 0 ? YES : NO;
}

mark *sluice__push(sluice_stream *s, mark_kind kind, uint16_t pc) {
    struct call *c = s->call;
    if (c->marks == MARKS) {
        sluice__fail(s, "the syntax is nested too deep");
        return &c->mark[MARKS - 1]; /* nobody goes back to it */
    }
    mark *k = &c->mark[c->marks++];
    *k = (mark){.pos = s->pos, .pc = pc, .kind = (uint8_t)kind};
    k->header = c->header;
    return k;
}

void sluice__pop(sluice_stream *s) { s->call->marks -= s->call->marks > 0; }

void sluice__no_way_back(sluice_stream *s) {
    for (int k = 0; k < s->call->marks; k++)
        s->call->mark[k].kind = MARK_NONE;
}
