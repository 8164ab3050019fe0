/*
 * Where a raw value ends that may quote calls of its own format.
 *
 * The first literal that looks like a part of a call makes the value wait: from there on literals
 * are balanced. If the value's own closer comes where no quoted parameter is open, with what is due
 * behind it, all of it was value. If the text ends first, a closer was forgotten, and `settle`
 * finds where.
 */
#include "stream.h"

/* What stands somewhere, white space aside. */
typedef enum found { WAITS, TEXT, LITERAL, END } found;

/* Where what follows a closer leads, closers aside. */
typedef enum chain {
    CHAIN_WAITS,
    NOWHERE,
    TO_PARAMETER,
    TO_OPENER,
    TO_SECTION, /* an opener, but the section before it was not closed */
    TO_TEXT,
    TO_END
} chain;

/* What is aside between a quoted closer and the next literal: marks of diffs, quotes, and `\n` as
 * it is written in a string. */
static uint64_t skip_aside(const sluice_stream *s, uint64_t q, uint64_t limit, bool loose) {
    for (; q < limit; q++) {
        char c = *sluice__at(s, q);
        if (sluice__is_space(c))
            continue;
        if (!loose)
            break;
        if (c == '\\' && q + 1 < limit) {
            char next = *sluice__at(s, q + 1);
            if (next != 'n' && next != 't' && next != 'r' && next != '"' && next != '\'')
                break;
            q++;
        } else if (c != '+' && c != '-' && c != '"' && c != '\'' && c != '\\') {
            break;
        }
    }
    return q;
}

/* Is all that is left of the text the beginning of some literal? */
static bool cut_literal(const sluice_stream *s, uint64_t q) {
    const sluice__markers *set = s->op.quoting->marks;
    size_t n = (size_t)(sluice__visible(s) - q);
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].len > n && memcmp(set->items[i].text, sluice__at(s, q), n) == 0)
            return true;
    return false;
}

/* The literal that follows q; *at is where it stands. */
static found next_literal(sluice_stream *s, uint64_t q, bool loose, uint64_t *at, size_t *item) {
    uint64_t limit = sluice__visible(s), most = q + s->set.limit_header;
    *at = skip_aside(s, q, most < limit ? most : limit, loose);
    if (*at >= most)
        return TEXT;
    if (*at >= limit)
        return sluice__at_end(s) ? END : WAITS;
    switch (sluice__match_here(s, s->op.quoting->marks, *at, item)) {
    case SLUICE__WAIT:
        return WAITS;
    case SLUICE__YES:
        return LITERAL;
    case SLUICE__NO:
        break;
    }
    return sluice__at_end(s) && cut_literal(s, *at) ? END : TEXT;
}

static unsigned kind_of(const sluice_stream *s, size_t item) {
    return s->op.quoting->marks->items[item].role;
}

/* Finds an attribute's value in a header. */
static bool attribute(const char *p, size_t n, const char *name, const char **value, size_t *len) {
    size_t k = strlen(name);
    for (size_t i = 0; i + k + 1 < n; i++) {
        if (memcmp(p + i, name, k) != 0 || (i && !sluice__is_space(p[i - 1])))
            continue;
        size_t q = i + k;
        while (q < n && sluice__is_space(p[q]))
            q++;
        if (q >= n || p[q++] != '=')
            continue;
        while (q < n && sluice__is_space(p[q]))
            q++;
        if (q < n && p[q] == '\\') /* as it stands in a string */
            q++;
        char quote = q < n && (p[q] == '"' || p[q] == '\'') ? p[q] : 0;
        size_t from = quote ? q + 1 : q, to = from;
        while (to < n && (quote ? p[to] != quote && p[to] != '\\' : !sluice__is_space(p[to])))
            to++;
        *value = p + from;
        *len = to - from;
        return to > from && (!quote || to < n);
    }
    return false;
}

/* Is it a plausible key or name? */
static bool plausible(const char *p, size_t n, bool quoted) {
    for (size_t i = 0; i < n && !quoted; i++)
        if (strchr(" \t\r\n<>{}[]()\"'`,=|\\", p[i]))
            return false;
    return n > 0;
}

/* The key or name that stands behind an opener that ends at q. WAIT: it is not all there. */
static sluice__match head_at(sluice_stream *s, const sluice__head *head, uint64_t q,
                             const char **text, size_t *len) {
    uint64_t limit = sluice__visible(s), most = q + s->set.limit_name + 64;
    char quote = 0;
    if (!head->ends)
        return SLUICE__NO;
    for (uint64_t p = q; p < most; p++) {
        if (p >= limit)
            return sluice__at_end(s) ? SLUICE__NO : SLUICE__WAIT;
        char c = *sluice__at(s, p);
        if (quote) {
            quote = c == quote ? 0 : quote;
            continue;
        }
        if (head->attribute && (c == '"' || c == '\'')) {
            quote = c;
            continue;
        }
        size_t item;
        sluice__match m = sluice__match_here(s, head->ends, p, &item);
        if (m == SLUICE__WAIT)
            return m;
        if (m == SLUICE__YES) {
            const char *from = sluice__at(s, q);
            size_t n = (size_t)(p - q);
            if (head->attribute)
                return attribute(from, n, head->attribute, text, len) ? SLUICE__YES : SLUICE__NO;
            while (n && sluice__is_space(*from))
                from++, n--;
            while (n && sluice__is_space(from[n - 1]))
                n--;
            *text = from;
            *len = n;
            return plausible(from, n, false) ? SLUICE__YES : SLUICE__NO;
        }
        if (!head->attribute && (c == '\n' || c == '\r') && p > q)
            return SLUICE__NO;
    }
    return SLUICE__NO;
}

/* Behind the header that begins at q and is known to be there. */
static uint64_t behind_head(sluice_stream *s, const sluice__head *head, uint64_t q) {
    uint64_t limit = sluice__visible(s), most = q + s->set.limit_header;
    for (uint64_t p = q; head->ends && p < limit && p < most; p++) {
        size_t item;
        if (sluice__match_here(s, head->ends, p, &item) == SLUICE__YES)
            return p + head->ends->items[item].len;
    }
    return q;
}

/* Where the chain leads that goes on at q, behind a closer of this kind. */
static chain follow(sluice_stream *s, uint64_t q, unsigned behind) {
    for (int steps = 0; steps < 8; steps++) {
        uint64_t at;
        size_t item;
        found f = next_literal(s, q, false, &at, &item);
        if (f == WAITS)
            return CHAIN_WAITS;
        if (f == END)
            return TO_END;
        bool last = behind == SLUICE__SC || (behind == SLUICE__CC && !s->op.quoting->section);
        if (f == TEXT)
            return last ? TO_TEXT : NOWHERE;
        unsigned kind = kind_of(s, item);
        q = at + s->op.quoting->marks->items[item].len;
        if (kind & SLUICE__TURN)
            return behind == SLUICE__PC ? NOWHERE : TO_END;
        if (kind & SLUICE__PO)
            return behind == SLUICE__PC ? TO_PARAMETER : last ? TO_TEXT : NOWHERE;
        if (kind & SLUICE__SO && behind == SLUICE__CC && s->op.quoting->section)
            return TO_SECTION;
        if (kind & (SLUICE__CO | SLUICE__SO | SLUICE__MORE_OPENS))
            return TO_OPENER;
        if (kind & SLUICE__MORE_CLOSES && behind != SLUICE__PC)
            continue;
        const sluice__head *named =
            kind & SLUICE__PC ? &s->op.quoting->closer : &s->op.quoting->outer;
        if (named->ends && !(kind & SLUICE__SC)) { /* it names what it closes */
            const char *name;
            size_t n;
            switch (head_at(s, named, q, &name, &n)) {
            case SLUICE__WAIT:
                return CHAIN_WAITS;
            case SLUICE__NO:
                return sluice__at_end(s) && q == sluice__visible(s) ? TO_END : NOWHERE;
            case SLUICE__YES:
                q = behind_head(s, named, q);
                break;
            }
        }
        if (kind & SLUICE__PC) {
            if (behind != SLUICE__PC)
                return NOWHERE; /* what stood before it was quoted */
        } else if (kind & SLUICE__CC && behind != SLUICE__SC) {
            behind = SLUICE__CC;
        } else if (kind & SLUICE__SC) {
            behind = SLUICE__SC;
        } else {
            return NOWHERE;
        }
    }
    return NOWHERE;
}

/* Is this text all of some literal of the set? */
static bool in_set(const sluice__markers *set, const char *p, size_t n) {
    size_t item;
    return sluice__markers_at(set, p, n, true, &item) == SLUICE__YES && set->items[item].len == n;
}

/* Does a tag's name go on behind it, so that it is another tag? */
static sluice__match other_tag(const sluice_stream *s, unsigned kind, uint64_t q) {
    if (!(kind & SLUICE__TAG))
        return SLUICE__NO;
    if (q >= sluice__visible(s))
        return sluice__at_end(s) ? SLUICE__NO : SLUICE__WAIT;
    char c = *sluice__at(s, q);
    return sluice__is_space(c) || c == '>' || c == '/' || c == '=' ? SLUICE__NO : SLUICE__YES;
}

/* What a literal turned out to be. `quoted`: a part of a quotation, or of what follows the value.
 */
typedef enum part { PART_WAITS, NOTHING, QUOTED, OWN } part;

typedef struct mark { /* a literal behind the first suspicious one, while settling */
    uint64_t at;
    size_t item, partner; /* partner: of a call or section that is balanced, its closer; or 0 */
    unsigned kind;
    bool unmatched; /* a closer of nothing that is open */
} mark;

static size_t *last_of(sluice__quotes *q, unsigned kind) {
    return kind == SLUICE__CO ? &q->last_call : &q->last_section;
}

static bool push(sluice_stream *s, unsigned kind, size_t number) {
    sluice__quotes *q = &s->quotes;
    if (!sluice__array_grow(&s->alloc, (void **)&q->open, &q->cap, q->count + 1, sizeof *q->open))
        return false;
    q->open[q->count].kind = kind;
    q->open[q->count].number = number;
    q->open[q->count].parameters = q->parameters;
    q->open[q->count].last = *last_of(q, kind);
    q->count++;
    if (kind == SLUICE__PO)
        q->parameters++;
    else
        *last_of(q, kind) = q->count;
    q->calls += kind == SLUICE__CO;
    q->sections += kind == SLUICE__SO;
    return true;
}

/* Pops through the last that is open of this kind; its number. */
static size_t pop_through(sluice_stream *s, unsigned kind) {
    sluice__quotes *q = &s->quotes;
    for (;;) {
        unsigned top = q->open[--q->count].kind;
        if (top == SLUICE__PO)
            q->parameters--;
        else
            *last_of(q, top) = q->open[q->count].last;
        q->calls -= top == SLUICE__CO;
        q->sections -= top == SLUICE__SO;
        if (top == kind)
            return q->open[q->count].number;
    }
}

/* Is a parameter open inside the last call, or the last section, that is? */
static bool parameter_inside(sluice__quotes *q, unsigned kind) {
    return q->parameters > q->open[*last_of(q, kind) - 1].parameters;
}

/* A PC at `at`: closes a quoted parameter, or is the value's own. */
static part parameter_closer(sluice_stream *s, uint64_t at, size_t item, bool *own_name) {
    const sluice__quoting *spec = s->op.quoting;
    uint64_t behind = at + spec->marks->items[item].len;
    *own_name = true;
    if (spec->closer.ends) { /* it names what it closes */
        const char *name;
        size_t n;
        switch (head_at(s, &spec->closer, behind, &name, &n)) {
        case SLUICE__WAIT:
            return PART_WAITS;
        case SLUICE__NO:
            return NOTHING;
        case SLUICE__YES:
            break;
        }
        *own_name = n == s->quotes.key.len && memcmp(name, s->quotes.key.data, n) == 0;
        behind = behind_head(s, &spec->closer, behind);
    }
    if (s->quotes.parameters) {
        uint64_t next;
        size_t other;
        found f = s->quotes.calls ? next_literal(s, behind, true, &next, &other) : LITERAL;
        if (f == WAITS)
            return PART_WAITS;
        if (f == LITERAL)
            pop_through(s, SLUICE__PO);
        return QUOTED;
    }
    if (!*own_name)
        return NOTHING;
    chain c = follow(s, behind, SLUICE__PC);
    if (c == CHAIN_WAITS)
        return PART_WAITS;
    if (c == TO_OPENER) { /* where its call is not closed, perhaps it is quoted */
        uint64_t next;
        size_t other;
        if (next_literal(s, behind, false, &next, &other) == LITERAL &&
            kind_of(s, other) & (SLUICE__CO | SLUICE__SO | SLUICE__MORE_OPENS))
            return QUOTED;
    }
    if (c != NOWHERE)
        return OWN;
    uint64_t next;
    size_t other;
    return next_literal(s, behind, false, &next, &other) == LITERAL ? QUOTED : NOTHING;
}

/* A CC or SC. *number: of what it closes, or SIZE_MAX. */
static part outer_closer(sluice_stream *s, uint64_t at, size_t item, unsigned kind,
                         size_t *number) {
    sluice__quotes *q = &s->quotes;
    uint64_t behind = at + s->op.quoting->marks->items[item].len, next;
    if (kind & SLUICE__CC && s->op.quoting->outer.ends) {
        const char *name;
        size_t n;
        sluice__match named = head_at(s, &s->op.quoting->outer, behind, &name, &n);
        if (named != SLUICE__YES)
            return named == SLUICE__WAIT ? PART_WAITS : NOTHING;
        behind = behind_head(s, &s->op.quoting->outer, behind);
    }
    size_t other;
    bool is_call = (kind & SLUICE__CC) != 0, both = !s->op.quoting->section;
    *number = SIZE_MAX;
    if (is_call && q->calls) {
        if (parameter_inside(q, SLUICE__CO)) {
            found f = both ? TEXT : next_literal(s, behind, false, &next, &other);
            if (f == WAITS)
                return PART_WAITS;
            if (f == TEXT)
                return QUOTED;
        }
        *number = pop_through(s, SLUICE__CO);
        return QUOTED;
    }
    if (!is_call && q->sections) {
        if (!parameter_inside(q, SLUICE__SO))
            *number = pop_through(s, SLUICE__SO);
        return QUOTED;
    }
    chain c = follow(s, behind, is_call ? SLUICE__CC : SLUICE__SC);
    return c == CHAIN_WAITS ? PART_WAITS : c == NOWHERE ? NOTHING : QUOTED;
}

/* Takes the literal at `at` into the balance. `m`, where it is not NULL, is filled. */
static part take(sluice_stream *s, uint64_t at, size_t item, size_t number, mark *m) {
    const sluice__quoting *spec = s->op.quoting;
    const sluice__marker *literal = &spec->marks->items[item];
    unsigned kind = literal->role;
    uint64_t behind = at + literal->len;
    const char *text;
    size_t n, closes = SIZE_MAX;
    part p = NOTHING;
    bool own_name;
    switch (other_tag(s, kind, behind)) {
    case SLUICE__WAIT:
        return PART_WAITS;
    case SLUICE__YES:
        return NOTHING;
    case SLUICE__NO:
        break;
    }
    if (kind & SLUICE__PC) {
        p = parameter_closer(s, at, item, &own_name);
        kind = SLUICE__PC;
    } else if (kind & (SLUICE__CC | SLUICE__SC)) {
        size_t had = s->quotes.count;
        p = outer_closer(s, at, item, kind, &closes);
        if (m && p != PART_WAITS)
            m->unmatched = had == s->quotes.count &&
                           !(kind & SLUICE__CC ? s->quotes.calls : s->quotes.sections);
    } else if (kind & SLUICE__PO) {
        sluice__match head = head_at(s, &spec->key, behind, &text, &n);
        if (head == SLUICE__WAIT)
            return PART_WAITS;
        if (head == SLUICE__YES || !spec->closer.ends) {
            if (!push(s, SLUICE__PO, number))
                s->no_memory = true;
            p = QUOTED;
        }
    } else if (kind & SLUICE__CO) {
        sluice__match head = head_at(s, &spec->name, behind, &text, &n);
        if (head == SLUICE__WAIT)
            return PART_WAITS;
        if (head == SLUICE__YES) {
            if (!push(s, SLUICE__CO, number))
                s->no_memory = true;
            p = QUOTED;
        }
    } else if (kind & (SLUICE__SO | SLUICE__MORE_OPENS)) {
        uint64_t next;
        size_t other;
        found f = next_literal(s, behind, true, &next, &other);
        if (f == WAITS)
            return PART_WAITS;
        if (kind & SLUICE__SO && !push(s, SLUICE__SO, number))
            s->no_memory = true;
        bool opens = f == LITERAL && kind_of(s, other) & (SLUICE__CO | SLUICE__MORE_OPENS);
        p = opens ? QUOTED : NOTHING;
    }
    if (m) {
        m->at = at;
        m->item = item;
        m->kind = kind;
        m->partner = 0;
    }
    s->quotes.closed = closes;
    return p;
}

/* ---- The text has ended: which closer was forgotten? -------------------------------------- */

typedef struct marks {
    mark *list;
    size_t count, cap;
    size_t doubtful;  /* 1 more than the last closer that closes nothing though something is open */
    size_t unmatched; /* 1 more than the last closer of nothing that is open */
    bool open;        /* at the end something is */
    bool quotes;      /* there are openers of calls or sections */
} marks;

static uint64_t behind(sluice_stream *s, const mark *m) {
    const sluice__quoting *spec = s->op.quoting;
    uint64_t q = m->at + spec->marks->items[m->item].len;
    return m->kind & SLUICE__PC   ? behind_head(s, &spec->closer, q)
           : m->kind & SLUICE__CC ? behind_head(s, &spec->outer, q)
                                  : q;
}

/* Reads the held part again, with its end in sight. False: no memory. */
static bool collect(sluice_stream *s, uint64_t from, marks *all) {
    uint64_t at;
    size_t item;
    sluice__quotes_clear(&s->quotes);
    for (size_t i = 0; i < s->quotes.before; i++)
        if (!push(s, SLUICE__SO, SIZE_MAX))
            return false;
    while (sluice__find(s, s->op.quoting->marks, from, &at, &item) == SLUICE__YES) {
        if (!sluice__array_grow(&s->alloc, (void **)&all->list, &all->cap, all->count + 1,
                                sizeof *all->list))
            return false;
        mark *m = &all->list[all->count];
        *m = (mark){0};
        size_t open = s->quotes.count, n;
        const char *key;
        part p = take(s, at, item, all->count, m);
        if (p == QUOTED && m->unmatched)
            all->unmatched = all->count + 1;
        else if (p == QUOTED && open == s->quotes.count &&
                 m->kind & (SLUICE__PC | SLUICE__CC | SLUICE__SC))
            all->doubtful = all->count + 1;
        else if (m->kind & SLUICE__PO &&
                 head_at(s, &s->op.quoting->key, behind(s, m), &key, &n) != SLUICE__YES)
            all->doubtful = all->count + 1;
        all->quotes |= (m->kind & (SLUICE__CO | SLUICE__SO)) != 0;
        if (s->quotes.closed != SIZE_MAX && p == QUOTED)
            all->list[s->quotes.closed].partner = all->count;
        if (p != NOTHING || m->kind & (SLUICE__SO | SLUICE__MORE_OPENS))
            all->count++;
        from = at + 1;
    }
    all->open = s->quotes.count > s->quotes.before;
    return true;
}

/* Does a PC stand directly before this mark? */
static bool behind_closer(sluice_stream *s, const marks *all, size_t i) {
    if (!i || !(all->list[i - 1].kind & SLUICE__PC))
        return false;
    uint64_t limit = all->list[i].at;
    return skip_aside(s, behind(s, &all->list[i - 1]), limit, false) == limit;
}

/* May the parameter that opens here be one of this call? */
static bool due_parameter(sluice_stream *s, const mark *m) {
    const char *key;
    size_t n;
    if (head_at(s, &s->op.quoting->key, behind(s, m), &key, &n) != SLUICE__YES)
        return false;
    if (n == s->quotes.key.len && memcmp(key, s->quotes.key.data, n) == 0)
        return false;
    if (s->op.given.keys && !in_set(s->op.given.keys, key, n))
        return false;
    return !sluice__was_given(s, key, n);
}

static bool line_begins(const sluice_stream *s, uint64_t at) {
    while (at > s->op.from && (*sluice__at(s, at - 1) == ' ' || *sluice__at(s, at - 1) == '\t'))
        at--;
    return at > s->op.from ? *sluice__at(s, at - 1) == '\n' : at == s->op.limit;
}

/* Does a part of a call stand behind the header of its opener, and begins a line where the openers
 * before it begin? */
static bool has_parts(sluice_stream *s, const mark *m, uint64_t first) {
    uint64_t q = behind(s, m), at;
    size_t item, end;
    while (sluice__match_here(s, s->op.quoting->name.ends, q, &end) != SLUICE__YES)
        q++; /* it is there: the name was read */
    if (sluice__match_here(s, s->op.quoting->marks, q, &item) != SLUICE__YES)
        q += s->op.quoting->name.ends->items[end].len;
    return line_begins(s, first) && next_literal(s, q, false, &at, &item) == LITERAL &&
           (at == q || memchr(sluice__at(s, q), '\n', (size_t)(at - q))) &&
           kind_of(s, item) & (SLUICE__PO | SLUICE__CC | SLUICE__SC);
}

/* Does this call's opener name a given tool? */
static bool given_tool(sluice_stream *s, const mark *m, uint64_t first) {
    const char *name;
    size_t n;
    return s->op.given.names &&
           head_at(s, &s->op.quoting->name, behind(s, m), &name, &n) == SLUICE__YES &&
           in_set(s->op.given.names, name, n) && has_parts(s, m, first);
}

static bool touch(const sluice_stream *s, uint64_t from, uint64_t to) {
    return skip_aside(s, from, to, false) == to;
}

/* Does it prove that a call stands before it? It is a closer of nothing that is open, it reaches
 * the end, and it is not the value's own call that it closes behind a PC. */
static bool proves(sluice_stream *s, const marks *all, size_t i) {
    unsigned closers = SLUICE__CC | SLUICE__SC, kind = all->list[i].kind;
    if (!all->list[i].unmatched || !(kind & closers) ||
        follow(s, behind(s, &all->list[i]), kind & SLUICE__CC ? SLUICE__CC : SLUICE__SC) != TO_END)
        return false;
    while (i && all->list[i - 1].unmatched && all->list[i - 1].kind & closers &&
           touch(s, behind(s, &all->list[i - 1]), all->list[i].at))
        i--;
    return !behind_closer(s, all, i);
}

/* The first of the openers that stand side by side up to this one. */
static size_t first_opener(sluice_stream *s, const marks *all, size_t i) {
    while (i && all->list[i - 1].kind & (SLUICE__SO | SLUICE__MORE_OPENS) &&
           touch(s, behind(s, &all->list[i - 1]), all->list[i].at))
        i--;
    return i;
}

/* Are the calls that stand behind this mark whole, with nothing left over? */
static bool clean_behind(sluice_stream *s, const marks *all, size_t i, bool but_closers) {
    while (i + 1 < all->count && all->list[i + 1].unmatched &&
           touch(s, behind(s, &all->list[i]), all->list[i + 1].at))
        i++;
    return !all->open && all->doubtful <= i + 1 && (but_closers || all->unmatched <= i + 1);
}

/* Is there nothing but whole calls and closers from this opener of a call to the closer `proof`? */
static bool proven(sluice_stream *s, const marks *all, size_t i, size_t proof) {
    for (size_t at = all->list[i].partner; at && at <= proof;) {
        if (at == proof)
            return true;
        size_t next = at + 1;
        if (!touch(s, behind(s, &all->list[at]), all->list[next].at))
            return false;
        while (next < proof && all->list[next].kind & SLUICE__MORE_OPENS)
            next++;
        at = all->list[next].unmatched ? next : all->list[next].partner;
    }
    return false;
}

/* Where the value ends: a mark's number and whether nothing is in doubt, or all->count. */
static size_t where(sluice_stream *s, marks *all, bool *sure, bool *own) {
    size_t proof =
        0; /* 1 more than the last closer of nothing that is open, which reaches the end */
    for (size_t i = 0; i < all->count; i++)
        if (proves(s, all, i))
            proof = i + 1;
    bool call_before = false, closed = false; /* closed: a PC that led nowhere stands before */
    *sure = true;
    for (size_t i = 0; i < all->count; i++) {
        const mark *m = &all->list[i];
        if (m->kind & SLUICE__SO && m->partner) {
            i = m->partner;
            call_before = true;
        } else if (m->kind & SLUICE__CO) {
            if (proof && proven(s, all, i, proof - 1) &&
                given_tool(s, m, all->list[first_opener(s, all, i)].at) &&
                clean_behind(s, all, i, true)) {
                size_t first = first_opener(s, all, i);
                *own = behind_closer(s, all, first);
                return *own ? first - 1 : first;
            }
            call_before = true;
            if (m->partner)
                i = m->partner;
        } else if (m->kind & SLUICE__PO) {
            if (!call_before && (s->op.given.keys || !all->quotes) && due_parameter(s, m)) {
                *sure = !closed && (s->op.given.keys || line_begins(s, m->at));
                return i;
            }
        } else if (m->kind & SLUICE__PC) {
            closed = true;
        } else if (m->unmatched && m->kind & (SLUICE__CC | SLUICE__SC)) {
            chain c = follow(s, behind(s, m), m->kind & SLUICE__CC ? SLUICE__CC : SLUICE__SC);
            if (c != TO_END && (c != TO_OPENER || call_before || !clean_behind(s, all, i, false)))
                continue;
            *own = behind_closer(s, all, i);
            *sure = *own || !call_before;
            return *own ? i - 1 : i;
        }
    }
    uint64_t next;
    size_t other;
    if (all->count && all->list[0].kind & SLUICE__PC &&
        next_literal(s, behind(s, &all->list[0]), false, &next, &other) == LITERAL &&
        kind_of(s, other) & (SLUICE__CC | SLUICE__SC)) {
        *own = true; /* nothing quoted stands before it, and a closer behind it */
        return 0;
    }
    *sure = false;
    for (size_t i = all->count; i > 0; i--) {
        const mark *m = &all->list[i - 1];
        if (m->kind & SLUICE__PC && follow(s, behind(s, m), SLUICE__PC) == TO_END) {
            *own = true;
            return i - 1;
        }
    }
    return all->count;
}

/* The end of the text without what may be the beginning of a closer. */
static uint64_t without_cut_closer(const sluice_stream *s, uint64_t limit) {
    const sluice__markers *set = s->op.quoting->marks;
    size_t best = 1;
    for (size_t i = 0; i < set->count; i++) {
        if (!(set->items[i].role & (SLUICE__PC | SLUICE__CC | SLUICE__SC)))
            continue;
        for (size_t n = set->items[i].len - 1; n > best; n--)
            if (limit - s->op.from >= n &&
                memcmp(sluice__at(s, limit - n), set->items[i].text, n) == 0)
                best = n;
    }
    return best > 1 ? limit - best : limit;
}

/* The end of the text without an end-of-turn token. */
static uint64_t without_turn_end(const sluice_stream *s, uint64_t limit) {
    const sluice__markers *set = s->op.quoting->marks;
    for (size_t i = 0; i < set->count; i++) {
        size_t n = set->items[i].len;
        if (set->items[i].role & SLUICE__TURN && limit - s->op.from >= n &&
            memcmp(sluice__at(s, limit - n), set->items[i].text, n) == 0)
            return limit - n;
    }
    return limit;
}

/* Ends the value where the text has ended. */
static int settle(sluice_stream *s) {
    marks all = {0};
    uint64_t limit = sluice__visible(s);
    bool sure = false, own = false;
    size_t i = 0;
    bool held = s->op.quoted && !s->op.ignored;
    if (held && !collect(s, s->op.hold, &all)) {
        sluice__realloc(&s->alloc, all.list, all.cap * sizeof *all.list, 0);
        return -1;
    }
    int r;
    i = held ? where(s, &all, &sure, &own) : 0;
    if (i < all.count) {
        const mark *m = &all.list[i];
        uint64_t at = m->at;
        long item = (long)m->item;
        s->op.mended = !own;   /* the white space before what stands here is no text */
        s->vain += limit - at; /* it is read again */
        s->op.at = at;
        r = sluice__value_end(s, at, item, !sure);
    } else {
        uint64_t at = without_cut_closer(s, without_turn_end(s, limit));
        r = sluice__value_end(s, at, -1, true);
        s->pos = limit;
    }
    if (all.list)
        sluice__realloc(&s->alloc, all.list, all.cap * sizeof *all.list, 0);
    return r;
}

/* ---- The operation ------------------------------------------------------------------------ */

/* More is held than may be: all of it was value, and only its own closer ends it from here on. */
static bool release(sluice_stream *s, uint64_t at) {
    for (int i = 0; i < 3 && ((unsigned char)*sluice__at(s, at) & 0xC0) == 0x80; i++)
        at--; /* whole characters */
    static const char message[] =
        "a value quotes more of a call than limit_held allows: what it quotes is not looked at";
    s->op.ignored = true;
    return sluice__value_send(s, at) &&
           sluice__error(s, sluice__code("limit_exceeded"), message, sizeof message - 1);
}

int sluice__step_quoted(sluice_stream *s) {
    size_t room = s->set.limit_header < s->set.limit_held / 2 ? s->set.limit_header * 2
                                                              : s->set.limit_held / 2;
    size_t most = s->set.limit_held - room;
    for (;;) {
        uint64_t at;
        size_t item;
        bool end = sluice__at_end(s);
        sluice__match m = sluice__find(s, s->op.quoting->marks, s->op.at, &at, &item);
        if (s->op.quoted && !s->op.ignored && at - s->op.hold > most &&
            !release(s, s->op.hold + most))
            return -1;
        if (!sluice__value_grows(s, at))
            return -1;
        if (m == SLUICE__YES) {
            part p = take(s, at, item, 0, NULL);
            if (s->no_memory)
                return -1;
            if (p == OWN)
                return sluice__value_end(s, at, (long)item, false);
            if (p == PART_WAITS) {
                s->op.at = at;
                if (s->op.quoted && !s->op.ignored)
                    return 0;
                return sluice__value_send(s, sluice__value_before(s, at)) ? 0 : -1;
            }
            if (kind_of(s, item) & SLUICE__TURN && p == NOTHING && !s->op.quoted &&
                at + s->op.quoting->marks->items[item].len >= sluice__visible(s)) {
                s->op.at = at; /* it may end the text */
                if (end)
                    return settle(s);
                return sluice__value_send(s, sluice__value_before(s, at)) ? 0 : -1;
            }
            if (p == QUOTED && !s->op.quoted) {
                if (!sluice__value_send(s, sluice__value_before(s, at)))
                    return -1;
                s->op.quoted = true;
                s->op.hold = at;
                s->quotes.before = s->quotes.sections - (kind_of(s, item) & SLUICE__SO ? 1 : 0);
            }
            s->op.at = at + 1;
            continue;
        }
        s->op.at = at;
        if (end)
            return settle(s);
        if (s->op.quoted && !s->op.ignored)
            return 0;
        uint64_t upto = sluice__whole_upto(s, sluice__value_before(s, at));
        return sluice__value_send(s, upto) ? 0 : -1;
    }
}
