/* Where a value ends that quotes calls, when the text has ended first: a closer was forgotten, and
 * this finds which one. */
#include "quoted.h"

typedef struct marks {
    mark *list;
    size_t count, cap;
    size_t doubtful;  /* 1 plus the last of: a closer without effect while something is open, an
                         opener inside a parameter, a mark preceded by part of a literal */
    size_t unmatched; /* 1 plus the last closer without an opener */
    bool open;        /* something is open at the end */
    bool text;        /* text follows the last mark */
    bool quotes;      /* there are openers of calls or sections */
} marks;

static uint64_t behind(sluice_stream *s, const mark *m) {
    const sluice__quoting *spec = s->op->quoting;
    uint64_t q = m->at + spec->marks->items[m->item].len;
    return m->kind & SLUICE__PC   ? sluice__q_behind_head(s, &spec->closer, q)
           : m->kind & SLUICE__CC ? sluice__q_behind_head(s, &spec->outer, q)
                                  : q;
}

static bool line_begins(const sluice_stream *s, uint64_t at) {
    while (at > s->op->from && (*sluice__at(s, at - 1) == ' ' || *sluice__at(s, at - 1) == '\t'))
        at--;
    return at > s->op->from ? *sluice__at(s, at - 1) == '\n' : at == s->op->limit;
}

/* Does the text before this mark contain part of a literal: its first bytes followed by others, or
 * fewer of them at the end? */
static bool half_before(sluice_stream *s, uint64_t from, uint64_t to) {
    enum { FEW = 4, FEWEST = 2 };
    const sluice__markers *set = s->op->quoting->marks, *others = s->op->quoting->others;
    const char *text = from < to ? sluice__at(s, from) : "", *p;
    size_t len = from < to ? sluice__minus(to, from) : 0, which;
    for (size_t i = 0; i < set->count; i++) {
        const sluice__marker *mark = &set->items[i];
        if (mark->len <= FEW || mark->role & SLUICE__TURN)
            continue;
        for (size_t at = 0; at < len && (p = memchr(text + at, mark->text[0], len - at)); at++) {
            at = sluice__minus(p, text);
            size_t n = len - at < FEW ? len - at : FEW;
            if (n >= FEWEST && memcmp(p, mark->text, n) == 0 &&
                !(others && sluice__match_here(s, others, from + at, &which) == SLUICE__YES))
                return true;
        }
    }
    return false;
}

/* Is the parameter empty that opens at `m` and closes at `to`? */
static bool is_empty(sluice_stream *s, const mark *m, uint64_t to) {
    const sluice__quoting *spec = s->op->quoting;
    uint64_t q = behind(s, m);
    size_t item, n;
    const char *key;
    if (sluice__q_head_at(s, &spec->key, q, &key, &n) != SLUICE__YES)
        return true;
    q = sluice__q_skip_aside(s, sluice__q_behind_head(s, &spec->key, q), to, false);
    while (q < to && spec->others && sluice__match_here(s, spec->others, q, &item) == SLUICE__YES)
        q = sluice__q_skip_aside(s, q + spec->others->items[item].len, to, false);
    return q >= to;
}

/* Is the meaning of this mark doubtful, because of the text between it and the last mark, or
 * because it is inside a parameter? */
static bool is_doubtful(sluice_stream *s, const marks *all, const mark *m, uint64_t upto,
                        bool inside, bool took) {
    const mark *last = all->count ? m - 1 : NULL;
    const char *key;
    size_t n;
    if (m->kind & SLUICE__CO && (inside || !sluice__q_touch(s, upto, m->at)))
        return true;
    if (m->kind & SLUICE__PO &&
        sluice__q_head_at(s, &s->op->quoting->key, behind(s, m), &key, &n) != SLUICE__YES)
        return true;
    if (m->kind & SLUICE__PC && last && last->kind & SLUICE__PO && is_empty(s, last, m->at))
        return true;
    return half_before(s, upto, m->at) ||
           (!took && m->kind & (SLUICE__PC | SLUICE__CC | SLUICE__SC) && (inside || !m->unmatched));
}

/* Re-reads the held part, now up to its end. False if out of memory. */
static bool collect(sluice_stream *s, uint64_t from, marks *all) {
    uint64_t at, upto = from; /* upto: after the last mark */
    size_t item;
    sluice__quotes_clear(s->quotes);
    for (size_t i = 0; i < s->quotes->before + s->quotes->calls_before; i++)
        if (!sluice__q_push(s, i < s->quotes->before ? SLUICE__SO : SLUICE__CO, SIZE_MAX))
            return false;
    while (sluice__find(s, s->op->quoting->marks, from, &at, &item) == SLUICE__YES) {
        if (!sluice__array_grow(&s->alloc, (void **)&all->list, &all->cap, all->count + 1,
                                sizeof *all->list))
            return false;
        mark *m = &all->list[all->count];
        *m = (mark){0};
        size_t open = s->quotes->count;
        bool inside = s->quotes->parameters > 0;
        part p = sluice__q_take(s, at, item, all->count, m);
        if (p == QUOTED && m->unmatched)
            all->unmatched = all->count + 1;
        if (is_doubtful(s, all, m, upto, inside, p != QUOTED || open != s->quotes->count))
            all->doubtful = all->count + 1;
        if (at >= upto)
            upto = at + s->op->quoting->marks->items[item].len;
        all->quotes |= (m->kind & (SLUICE__CO | SLUICE__SO)) != 0;
        if (s->quotes->closed != SIZE_MAX && p == QUOTED)
            all->list[s->quotes->closed].partner = all->count;
        if (p != NOTHING || m->kind & (SLUICE__SO | SLUICE__MORE_OPENS))
            all->count++;
        from = at + 1;
    }
    all->text = !sluice__q_touch(s, upto, sluice__visible(s));
    all->open = s->quotes->count > s->quotes->before + s->quotes->calls_before;
    return true;
}

/* True if a PC directly precedes this mark. */
static bool behind_closer(sluice_stream *s, const marks *all, size_t i) {
    return i && all->list[i - 1].kind & SLUICE__PC &&
           sluice__q_touch(s, behind(s, &all->list[i - 1]), all->list[i].at);
}

/* True if the parameter that opens here may belong to this call. */
static bool due_parameter(sluice_stream *s, const mark *m) {
    const char *key;
    size_t n;
    if (sluice__q_head_at(s, &s->op->quoting->key, behind(s, m), &key, &n) != SLUICE__YES)
        return false;
    if (n == s->quotes->key.len && memcmp(key, s->quotes->key.data, n) == 0)
        return false;
    if (s->op->given.keys && !sluice__q_in_set(s->op->given.keys, key, n))
        return false;
    return !sluice__was_given(s, key, n);
}

/* Does a part of a call follow the header of its opener, and do the openers before it begin at the
 * start of a line? */
static bool has_parts(sluice_stream *s, const mark *m, uint64_t first) {
    uint64_t q = behind(s, m), at;
    size_t item, end;
    bool line = false; /* there is a line break: the name was read */
    for (uint64_t from = q;
         !line && sluice__match_here(s, s->op->quoting->name.ends, q, &end) != SLUICE__YES; q++)
        line = q > from && (*sluice__at(s, q) == '\n' || *sluice__at(s, q) == '\r');
    if (!line && sluice__match_here(s, s->op->quoting->marks, q, &item) != SLUICE__YES)
        q += s->op->quoting->name.ends->items[end].len;
    return line_begins(s, first) && sluice__q_next_literal(s, q, false, &at, &item) == LITERAL &&
           (line || at == q || memchr(sluice__at(s, q), '\n', sluice__minus(at, q))) &&
           sluice__q_kind_of(s, item) & (SLUICE__PO | SLUICE__CC | SLUICE__SC);
}

/* True if this call's opener names a given tool. */
static bool given_tool(sluice_stream *s, const mark *m, uint64_t first) {
    const char *name;
    size_t n;
    return s->op->given.names &&
           sluice__q_head_at(s, &s->op->quoting->name, behind(s, m), &name, &n) == SLUICE__YES &&
           sluice__q_in_set(s->op->given.names, name, n) && has_parts(s, m, first);
}

/* Does this mark prove that a call precedes it? It must be a closer without an opener, reach the
 * end, and not close the value's own call after a PC. */
static bool proves(sluice_stream *s, const marks *all, size_t i) {
    unsigned closers = SLUICE__CC | SLUICE__SC, kind = all->list[i].kind;
    if (!all->list[i].unmatched || !(kind & closers) ||
        sluice__q_follow(s, behind(s, &all->list[i]),
                         kind & SLUICE__CC ? SLUICE__CC : SLUICE__SC) != TO_END)
        return false;
    while (i && all->list[i - 1].unmatched && all->list[i - 1].kind & closers &&
           sluice__q_touch(s, behind(s, &all->list[i - 1]), all->list[i].at))
        i--;
    return !behind_closer(s, all, i);
}

/* Returns the first of the adjacent openers up to this one. */
static size_t first_opener(sluice_stream *s, const marks *all, size_t i) {
    while (i && all->list[i - 1].kind & (SLUICE__SO | SLUICE__MORE_OPENS) &&
           sluice__q_touch(s, behind(s, &all->list[i - 1]), all->list[i].at))
        i--;
    return i;
}

/* True if the calls after this mark are whole and nothing is left over. */
static bool clean_behind(sluice_stream *s, const marks *all, size_t i, bool but_closers) {
    while (i + 1 < all->count && all->list[i + 1].unmatched &&
           sluice__q_touch(s, behind(s, &all->list[i]), all->list[i + 1].at))
        i++;
    return !all->open && all->doubtful <= i + 1 && (but_closers || all->unmatched <= i + 1);
}

/* Returns the closer of the call that begins after the closer `at`, or the closer without an opener
 * there; 0 if there is neither. */
static size_t next_closer(sluice_stream *s, const marks *all, size_t at, size_t proof) {
    size_t next = at + 1;
    if (!sluice__q_touch(s, behind(s, &all->list[at]), all->list[next].at))
        return 0;
    while (next < proof && all->list[next].kind & SLUICE__MORE_OPENS)
        next++;
    return all->list[next].unmatched ? next : all->list[next].partner;
}

/* Are there only whole calls and closers from this opener of a call to the closer `proof`? Stores
 * the result in each closer on the way, so that none is followed twice. */
static bool proven(sluice_stream *s, marks *all, size_t i, size_t proof) {
    enum { YES = 1, NO };
    uint8_t found = 0;
    size_t at = all->list[i].partner, start = at;
    while (at && at < proof && !all->list[at].proven)
        at = next_closer(s, all, at, proof);
    found = !at || at > proof ? NO : at == proof ? YES : all->list[at].proven;
    for (size_t to; start != at; start = to) {
        to = next_closer(s, all, start, proof);
        all->list[start].proven = found;
    }
    return found == YES;
}

/* True if the value has no text before `at`. A closer of its call there is more likely quoted: the
 * value would be empty and unclosed. */
static bool nothing_before(const sluice_stream *s, uint64_t at) {
    return !s->op->opened && sluice__q_touch(s, s->op->from, at);
}

/* Does the last line before `at` begin like the opener at `at`? It may be an opener of another
 * format; then both are quoted. */
static bool behind_other(const sluice_stream *s, uint64_t at, const char *opener) {
    const char *line = s->work->tail, *end;
    size_t n = s->op->tail_len;
    if (!sluice__q_touch(s, s->op->from, at)) { /* else it was reported, and noted */
        line = sluice__at(s, s->op->from);
        n = sluice__minus(at, s->op->from);
    }
    while (n && sluice__is_space(line[n - 1]))
        n--;
    end = line + n;
    while (n && line[n - 1] != '\n')
        n--;
    line += n;
    return end - line > 1 && line[0] == opener[0] && line[1] != '/';
}

typedef struct ending {
    bool sure; /* without any doubt */
    bool own;  /* at the value's own closer */
    bool lost; /* what follows may be part of the value */
} ending;

/* Returns where the value ends: the number of a mark, or all->count. */
static size_t where(sluice_stream *s, marks *all, ending *e) {
    size_t proof = 0; /* 1 plus the last closer without an opener that reaches the end */
    for (size_t i = 0; i < all->count; i++)
        if (proves(s, all, i))
            proof = i + 1;
    bool call_before = false, closed = false; /* closed: after a PC that led nowhere */
    e->sure = true;
    for (size_t i = 0; i < all->count; i++) {
        const mark *m = &all->list[i];
        if (m->kind & SLUICE__SO && m->partner) {
            i = m->partner;
            call_before = true;
        } else if (m->kind & SLUICE__CO) {
            size_t first = first_opener(s, all, i);
            uint64_t at = all->list[first].at;
            if (proof && !closed && !call_before && !nothing_before(s, at) &&
                (first != i || !s->op->quoting->separate) &&
                !behind_other(s, at, s->op->quoting->marks->items[m->item].text) &&
                given_tool(s, m, at) && proven(s, all, i, proof - 1) &&
                clean_behind(s, all, i, true)) {
                e->own = behind_closer(s, all, first);
                return e->own ? first - 1 : first;
            }
            call_before = true;
            if (m->partner)
                i = m->partner;
        } else if (m->kind & SLUICE__PO) {
            if (!call_before && (s->op->given.keys || !all->quotes) && due_parameter(s, m)) {
                e->sure = !closed && (s->op->given.keys || line_begins(s, m->at));
                return i;
            }
        } else if (m->kind & SLUICE__PC) {
            closed = true;
        } else if (m->unmatched && m->kind & (SLUICE__CC | SLUICE__SC)) {
            chain c =
                sluice__q_follow(s, behind(s, m), m->kind & SLUICE__CC ? SLUICE__CC : SLUICE__SC);
            if (c != TO_END &&
                (c != TO_OPENER || call_before || all->text || !clean_behind(s, all, i, false)))
                continue;
            e->own = behind_closer(s, all, i);
            e->sure = e->own || !(call_before || closed);
            e->lost = c == TO_OPENER && e->sure && !e->own &&
                      (!(m->kind & SLUICE__CC) || nothing_before(s, m->at));
            return e->own ? i - 1 : i;
        }
    }
    uint64_t next;
    size_t other;
    if (all->count && all->list[0].kind & SLUICE__PC &&
        sluice__q_next_literal(s, behind(s, &all->list[0]), false, &next, &other) == LITERAL &&
        sluice__q_kind_of(s, other) & (SLUICE__CC | SLUICE__SC)) {
        e->own = true; /* no quotation precedes it, and a closer follows it */
        return 0;
    }
    e->sure = false;
    for (size_t i = all->count; i > 0; i--) {
        const mark *m = &all->list[i - 1];
        if (m->kind & SLUICE__PC && sluice__q_follow(s, behind(s, m), SLUICE__PC) == TO_END) {
            e->own = true;
            return i - 1;
        }
    }
    return all->count;
}

/* Returns the end of the text without the start of a cut closer, if any. */
static uint64_t without_cut_closer(const sluice_stream *s, uint64_t limit) {
    const sluice__markers *set = s->op->quoting->marks;
    size_t best = 1;
    for (size_t i = 0; i < set->count; i++) {
        if (!(set->items[i].role & (SLUICE__PC | SLUICE__CC | SLUICE__SC)))
            continue;
        for (size_t n = set->items[i].len - 1; n > best; n--)
            if (sluice__minus(limit, s->op->from) >= n &&
                memcmp(sluice__at(s, limit - n), set->items[i].text, n) == 0)
                best = n;
    }
    return best > 1 ? limit - best : limit;
}

/* Returns the end of the text without an end-of-turn token. */
static uint64_t without_turn_end(const sluice_stream *s, uint64_t limit) {
    const sluice__markers *set = s->op->quoting->marks;
    for (size_t i = 0; i < set->count; i++) {
        size_t n = set->items[i].len;
        if (set->items[i].role & SLUICE__TURN && sluice__minus(limit, s->op->from) >= n &&
            memcmp(sluice__at(s, limit - n), set->items[i].text, n) == 0)
            return limit - n;
    }
    return limit;
}

/* Reports that nothing closed the value, so what follows is text. False if out of memory. */
static bool tell_lost(sluice_stream *s) {
    static const char message[] =
        "a value has no closing tag; the calls after it may belong to it and are reported as text";
    s->lost_track = true;
    sluice__lower(s, SLUICE_INCOMPLETE);
    return sluice__gap(s, s->op->from) &&
           sluice__error(s, sluice__code("bad_arguments"), message, sizeof message - 1);
}

/* Ends the value at the end of the text. */
int sluice__q_settle(sluice_stream *s) {
    marks all = {0};
    uint64_t limit = sluice__visible(s);
    ending e = {0};
    size_t i = 0;
    bool held = s->op->quoted && !s->op->ignored;
    if (held && !collect(s, s->op->hold, &all)) {
        sluice__realloc(&s->alloc, all.list, all.cap * sizeof *all.list, 0);
        return -1;
    }
    int r;
    i = held ? where(s, &all, &e) : 0;
    if (i < all.count) {
        const mark *m = &all.list[i];
        uint64_t at = m->at;
        long item = (long)m->item;
        s->op->mended = !e.own;     /* the white space before this mark is not text */
        s->rescanned += limit - at; /* it is re-read */
        s->op->at = at;
        r = sluice__value_end(s, at, item, !e.sure || e.lost);
        s->op->doubtful |= !e.sure;
        if (r > 0 && (e.lost ? !tell_lost(s) : !sluice__q_tell_doubt(s)))
            r = -1;
    } else {
        uint64_t at = without_cut_closer(s, without_turn_end(s, limit));
        r = sluice__value_end(s, at, -1, true);
        s->pos = limit;
    }
    if (all.list)
        sluice__realloc(&s->alloc, all.list, all.cap * sizeof *all.list, 0);
    return r;
}
