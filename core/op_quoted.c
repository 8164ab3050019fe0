/*
 * Where a raw value ends that may quote calls of its own format.
 *
 * From the first literal that looks like part of a call on, the value waits and literals are
 * balanced. If the value's own closer comes while no quoted parameter is open, and is followed by
 * what is required, everything before it is the value. If the text ends first, a closer was
 * forgotten, and `settle` finds where.
 */
#include "quoted.h"

/* Skips what may separate a quoted closer from the next literal: marks of diffs, quotes, and `\n`
 * as written in a string. */
uint64_t sluice__q_skip_aside(const sluice_stream *s, uint64_t q, uint64_t limit, bool loose) {
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

bool sluice__q_touch(const sluice_stream *s, uint64_t from, uint64_t to) {
    return sluice__q_skip_aside(s, from, to, false) == to;
}

/* Finds the literal that follows q; *at: its position. */
found sluice__q_next_literal(sluice_stream *s, uint64_t q, bool loose, uint64_t *at, size_t *item) {
    uint64_t limit = sluice__visible(s), most = q + s->set.limit_header;
    *at = sluice__q_skip_aside(s, q, most < limit ? most : limit, loose);
    if (*at >= most)
        return TEXT;
    if (*at >= limit)
        return sluice__at_end(s) ? END : WAITS;
    switch (sluice__match_here(s, s->op->quoting->marks, *at, item)) {
    case SLUICE__WAIT:
        return WAITS;
    case SLUICE__YES:
        return LITERAL;
    case SLUICE__NO:
        break;
    }
    bool cut = sluice__at_end(s) && sluice__markers_begin(s->op->quoting->marks, sluice__at(s, *at),
                                                          sluice__minus(limit, *at));
    return cut ? END : TEXT;
}

bool sluice__q_in_set(const sluice__markers *set, const char *p, size_t n) {
    size_t item;
    return sluice__markers_at(set, p, n, true, &item) == SLUICE__YES && set->items[item].len == n;
}

unsigned sluice__q_kind_of(const sluice_stream *s, size_t item) {
    return s->op->quoting->marks->items[item].role;
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
        if (q < n && p[q] == '\\') /* as written in a string */
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

/* True if this is a plausible key or name. */
static bool plausible(const char *p, size_t n, bool quoted) {
    for (size_t i = 0; i < n && !quoted; i++)
        if (strchr(" \t\r\n<>{}[]()\"'`,=|\\", p[i]))
            return false;
    return n > 0;
}

/* Gets the key or name after an opener that ends at q. WAIT: it is not complete. */
sluice__match sluice__q_head_at(sluice_stream *s, const sluice__head *head, uint64_t q,
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
        bool line = !head->attribute && (c == '\n' || c == '\r') && p > q;
        if (m == SLUICE__WAIT)
            return m;
        if (m == SLUICE__YES || (line && head == &s->op->quoting->name)) {
            const char *from = sluice__at(s, q);
            size_t n = sluice__minus(p, q);
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
        if (line)
            return SLUICE__NO;
    }
    return SLUICE__NO;
}

/* Returns the end of the header that begins at q and is complete. */
uint64_t sluice__q_behind_head(sluice_stream *s, const sluice__head *head, uint64_t q) {
    uint64_t limit = sluice__visible(s), most = q + s->set.limit_header;
    for (uint64_t p = q; head->ends && p < limit && p < most; p++) {
        size_t item;
        if (sluice__match_here(s, head->ends, p, &item) == SLUICE__YES)
            return p + head->ends->items[item].len;
    }
    return q;
}

/* Is the end of the text at `at` the start of a parameter's closer, and of nothing else? */
static bool cut_closer(sluice_stream *s, uint64_t at) {
    const sluice__markers *set = s->op->quoting->marks;
    size_t n = sluice__minus(sluice__visible(s), at);
    bool found = false;
    for (size_t i = 0; n && i < set->count; i++)
        if (set->items[i].len > n && memcmp(sluice__at(s, at), set->items[i].text, n) == 0) {
            if (!(set->items[i].role & SLUICE__PC))
                return false;
            found = true;
        }
    return found;
}

/* Where does the chain lead that continues at q, after a closer of kind `behind`? */
chain sluice__q_follow(sluice_stream *s, uint64_t q, unsigned behind) {
    bool skipped = false; /* the call's closer, between those of its parameter and its section */
    for (int steps = 0; steps < 8; steps++) {
        uint64_t at;
        size_t item;
        found f = sluice__q_next_literal(s, q, false, &at, &item);
        if (f == WAITS)
            return CHAIN_WAITS;
        if (f == END)
            return behind != SLUICE__PC && cut_closer(s, at) ? NOWHERE : TO_END;
        bool last = behind == SLUICE__SC || (behind == SLUICE__CC && !s->op->quoting->section);
        if (f == TEXT)
            return last && !skipped ? TO_TEXT : NOWHERE;
        unsigned kind = sluice__q_kind_of(s, item);
        q = at + s->op->quoting->marks->items[item].len;
        if (kind & SLUICE__TURN)
            return behind == SLUICE__PC ? NOWHERE : TO_END;
        if (kind & SLUICE__PO)
            return behind == SLUICE__PC ? TO_PARAMETER : last ? TO_TEXT : NOWHERE;
        if (kind & SLUICE__SO && behind == SLUICE__CC && s->op->quoting->section)
            return TO_SECTION;
        if (kind & (SLUICE__CO | SLUICE__SO | SLUICE__MORE_OPENS))
            return TO_OPENER;
        if (kind & SLUICE__MORE_CLOSES && behind != SLUICE__PC)
            continue;
        const sluice__head *named =
            kind & SLUICE__PC ? &s->op->quoting->closer : &s->op->quoting->outer;
        if (named->ends && !(kind & SLUICE__SC)) { /* it names what it closes */
            const char *name;
            size_t n;
            switch (sluice__q_head_at(s, named, q, &name, &n)) {
            case SLUICE__WAIT:
                return CHAIN_WAITS;
            case SLUICE__NO:
                return sluice__at_end(s) && q == sluice__visible(s) ? TO_END : NOWHERE;
            case SLUICE__YES:
                q = sluice__q_behind_head(s, named, q);
                break;
            }
        }
        if (kind & SLUICE__PC) {
            if (behind != SLUICE__PC)
                return NOWHERE; /* the text before it was quoted */
        } else if (kind & SLUICE__CC && behind != SLUICE__SC) {
            behind = SLUICE__CC;
        } else if (kind & SLUICE__SC) {
            skipped |= behind == SLUICE__PC;
            behind = SLUICE__SC;
        } else {
            return NOWHERE;
        }
    }
    return NOWHERE;
}

/* Does the tag's name go on after it? Then it is another tag. */
static sluice__match other_tag(const sluice_stream *s, unsigned kind, uint64_t q) {
    if (!(kind & SLUICE__TAG))
        return SLUICE__NO;
    if (q >= sluice__visible(s))
        return sluice__at_end(s) ? SLUICE__NO : SLUICE__WAIT;
    char c = *sluice__at(s, q);
    return sluice__is_space(c) || c == '>' || c == '/' || c == '=' ? SLUICE__NO : SLUICE__YES;
}

static uint32_t *last_of(sluice__quotes *q, unsigned kind) {
    return kind == SLUICE__CO ? &q->last_call : &q->last_section;
}

bool sluice__q_push(sluice_stream *s, unsigned kind, size_t number) {
    sluice__quotes *q = s->quotes;
    if (s->op->ignored)
        return true;
    if (!sluice__array_grow(&s->alloc, (void **)&q->open, &q->cap, q->count + 1, sizeof *q->open))
        return false;
    q->open[q->count].kind = (uint16_t)kind;
    q->open[q->count].number = number;
    q->open[q->count].parameters = q->parameters;
    q->open[q->count].last = *last_of(q, kind);
    q->open[q->count].name = 0;
    q->open[q->count].own = false;
    q->count++;
    if (kind == SLUICE__PO)
        q->parameters++;
    else
        *last_of(q, kind) = (uint32_t)q->count;
    q->calls += kind == SLUICE__CO;
    q->sections += kind == SLUICE__SO;
    return true;
}

/* Stores the name of the last pushed parameter, in a format whose closers repeat the name. */
static void name_last(sluice_stream *s, const char *name, size_t n) {
    sluice__quotes *q = s->quotes;
    if (s->op->ignored || s->no_memory)
        return;
    q->open[q->count - 1].name = (uint32_t)sluice__hash_whole(name, n);
    q->open[q->count - 1].own = n == q->key.len && memcmp(name, q->key.data, n) == 0;
    q->own += q->open[q->count - 1].own;
}

/* Pops up to and including the last open one of this kind; returns its number. */
static size_t pop_through(sluice_stream *s, unsigned kind) {
    sluice__quotes *q = s->quotes;
    for (;;) {
        unsigned top = q->open[--q->count].kind;
        if (top == SLUICE__PO)
            q->parameters--;
        else
            *last_of(q, top) = q->open[q->count].last;
        q->own -= top == SLUICE__PO && q->open[q->count].own;
        q->calls -= top == SLUICE__CO;
        q->sections -= top == SLUICE__SO;
        if (top == kind)
            return q->open[q->count].number;
    }
}

/* Is a parameter open inside the last open call or section? */
static bool parameter_inside(sluice__quotes *q, unsigned kind) {
    return q->parameters > q->open[*last_of(q, kind) - 1].parameters;
}

/* Is a parameter of this name open among the last few? If so, pops what was left open inside it, so
 * that it is the last one. */
static bool reach_named(sluice_stream *s, const char *name, size_t n) {
    enum { FEW = 8 };
    sluice__quotes *q = s->quotes;
    uint32_t hash = (uint32_t)sluice__hash_whole(name, n);
    bool own = n == q->key.len && memcmp(name, q->key.data, n) == 0;
    size_t found = 0, least = own || q->count < FEW ? 0 : q->count - FEW;
    if (own && !q->own)
        return false;
    for (size_t k = q->count; k > least && !found; k--)
        if (q->open[k - 1].kind == SLUICE__PO &&
            (own ? q->open[k - 1].own : q->open[k - 1].name == hash))
            found = k;
        else if (q->open[k - 1].kind != SLUICE__PO && !own)
            return false; /* a call was opened in it */
    while (found && q->count > found)
        pop_through(s, q->open[q->count - 1].kind);
    return found > 0;
}

typedef enum answer { NO, YES, UNKNOWN } answer;

/* Does the text at `at` begin like an opener of a parameter or a call, but go on differently? */
static answer like_opener(sluice_stream *s, uint64_t at) {
    const sluice__markers *set = s->op->quoting->marks;
    size_t n = sluice__minus(sluice__visible(s), at), same;
    const char *text = n ? sluice__at(s, at) : "";
    bool waits = false;
    for (size_t i = 0; i < set->count; i++) {
        const sluice__marker *opener = &set->items[i];
        if (!(opener->role & (SLUICE__PO | SLUICE__CO)))
            continue;
        for (same = 0; same < n && same < opener->len && text[same] == opener->text[same];)
            same++;
        if (same >= 3 && same >= opener->len / 3 && same < n)
            return YES;
        waits |= same == n && !sluice__at_end(s);
    }
    return waits ? UNKNOWN : NO;
}

/* A PC that ends at q leads nowhere: is there a possible misspelt opener after it, or after the
 * closers that follow? Then the PC may be the value's own. */
static answer misspelt_behind(sluice_stream *s, uint64_t q) {
    uint64_t at;
    size_t item;
    for (int most = 4; most; most--) {
        found f = sluice__q_next_literal(s, q, false, &at, &item);
        unsigned kind = f == LITERAL ? sluice__q_kind_of(s, item) : 0;
        if (f == WAITS)
            return UNKNOWN;
        if (f == TEXT || kind & (SLUICE__PO | SLUICE__CO))
            return like_opener(s, at);
        if (!(kind & (SLUICE__CC | SLUICE__SC)))
            return NO;
        q = at + s->op->quoting->marks->items[item].len;
        const sluice__head *head = &s->op->quoting->outer;
        if (kind & SLUICE__CC && head->ends) {
            uint64_t next = sluice__q_behind_head(s, head, q);
            if (next == q && !sluice__at_end(s) &&
                sluice__minus(sluice__visible(s), q) < s->set.limit_header)
                return UNKNOWN;
            q = next;
        }
    }
    return NO;
}

/* Do closers of a parameter and its call that closed nothing directly precede `at`? */
static bool continues(const sluice_stream *s, uint64_t at) {
    uint64_t from = s->op->ignored ? 0 : s->quotes->chain;
    return from && sluice__q_touch(s, from, at);
}

/* Do a PO and the key of a declared parameter follow the PC that ends at q? */
static sluice__match declared_behind(sluice_stream *s, uint64_t q) {
    uint64_t at;
    size_t item, len;
    const char *key;
    if (sluice__q_next_literal(s, q, false, &at, &item) != LITERAL)
        return SLUICE__NO;
    sluice__match m = sluice__q_head_at(s, &s->op->quoting->key,
                                        at + s->op->quoting->marks->items[item].len, &key, &len);
    return m == SLUICE__YES && !sluice__q_in_set(s->op->given.keys, key, len) ? SLUICE__NO : m;
}

/* A PC at `at`: it closes a quoted parameter or the value. */
static part parameter_closer(sluice_stream *s, uint64_t at, size_t item, bool *own_name) {
    const sluice__quoting *spec = s->op->quoting;
    uint64_t behind = at + spec->marks->items[item].len;
    const char *name = NULL;
    size_t n = 0;
    *own_name = true;
    if (spec->closer.ends) { /* it names what it closes */
        switch (sluice__q_head_at(s, &spec->closer, behind, &name, &n)) {
        case SLUICE__WAIT:
            return PART_WAITS;
        case SLUICE__NO:
            return NOTHING;
        case SLUICE__YES:
            break;
        }
        *own_name = n == s->quotes->key.len && memcmp(name, s->quotes->key.data, n) == 0;
        behind = sluice__q_behind_head(s, &spec->closer, behind);
    }
    if (s->quotes->parameters && !(name && *own_name && !s->quotes->own)) {
        uint64_t next;
        size_t other;
        found f =
            s->quotes->calls ? sluice__q_next_literal(s, behind, true, &next, &other) : LITERAL;
        if (f == WAITS)
            return PART_WAITS;
        if (f == LITERAL && (!name || reach_named(s, name, n)))
            pop_through(s, SLUICE__PO);
        return QUOTED;
    }
    if (!*own_name)
        return NOTHING;
    chain c = sluice__q_follow(s, behind, SLUICE__PC);
    if (c == CHAIN_WAITS)
        return PART_WAITS;
    if (c == TO_OPENER) { /* if its call is not closed, it may be quoted */
        uint64_t next;
        size_t other;
        if (sluice__q_next_literal(s, behind, false, &next, &other) == LITERAL &&
            sluice__q_kind_of(s, other) & (SLUICE__CO | SLUICE__SO | SLUICE__MORE_OPENS))
            return QUOTED;
    }
    if (c == TO_PARAMETER && s->op->quoted && s->op->given.keys) {
        sluice__match declared = declared_behind(s, behind);
        if (declared == SLUICE__WAIT)
            return PART_WAITS;
        s->op->doubtful |= declared == SLUICE__NO;
    }
    if (c != NOWHERE) {
        /* directly after such closers and a call: both may be part of that call's value */
        s->op->doubtful |= s->calls && continues(s, at);
        return OWN;
    }
    answer misspelt = misspelt_behind(s, behind);
    if (misspelt == UNKNOWN)
        return PART_WAITS;
    s->op->doubtful |= misspelt == YES;
    uint64_t next;
    size_t other;
    if (sluice__q_next_literal(s, behind, false, &next, &other) != LITERAL)
        return NOTHING;
    s->quotes->chain = behind;
    return QUOTED;
}

/* A CC or SC. *number: of what it closes, or SIZE_MAX. */
static part outer_closer(sluice_stream *s, uint64_t at, size_t item, unsigned kind,
                         size_t *number) {
    sluice__quotes *q = s->quotes;
    uint64_t behind = at + s->op->quoting->marks->items[item].len, next;
    if (kind & SLUICE__CC && s->op->quoting->outer.ends) {
        const char *name;
        size_t n;
        sluice__match named = sluice__q_head_at(s, &s->op->quoting->outer, behind, &name, &n);
        if (named != SLUICE__YES)
            return named == SLUICE__WAIT ? PART_WAITS : NOTHING;
        behind = sluice__q_behind_head(s, &s->op->quoting->outer, behind);
    }
    size_t other;
    bool is_call = (kind & SLUICE__CC) != 0, both = !s->op->quoting->section;
    *number = SIZE_MAX;
    if (is_call && q->calls) {
        if (parameter_inside(q, SLUICE__CO)) {
            found f = both ? TEXT : sluice__q_next_literal(s, behind, false, &next, &other);
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
    chain c = sluice__q_follow(s, behind, is_call ? SLUICE__CC : SLUICE__SC);
    if (c != CHAIN_WAITS)
        q->chain = continues(s, at) ? behind : 0;
    return c == CHAIN_WAITS ? PART_WAITS : c == NOWHERE ? NOTHING : QUOTED;
}

/* Adds the literal at `at` to the balance. Fills `m` unless it is NULL. */
part sluice__q_take(sluice_stream *s, uint64_t at, size_t item, size_t number, mark *m) {
    const sluice__quoting *spec = s->op->quoting;
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
        size_t had = s->quotes->count;
        p = outer_closer(s, at, item, kind, &closes);
        if (m && p != PART_WAITS)
            m->unmatched = had == s->quotes->count &&
                           !(kind & SLUICE__CC ? s->quotes->calls : s->quotes->sections);
    } else if (kind & SLUICE__PO) {
        sluice__match head = sluice__q_head_at(s, &spec->key, behind, &text, &n);
        if (head == SLUICE__WAIT)
            return PART_WAITS;
        if (head == SLUICE__YES || !spec->closer.ends) {
            if (!sluice__q_push(s, SLUICE__PO, number))
                s->no_memory = true;
            if (spec->closer.ends)
                name_last(s, text, n);
            p = QUOTED;
        }
    } else if (kind & SLUICE__CO) {
        sluice__match head = sluice__q_head_at(s, &spec->name, behind, &text, &n);
        if (head == SLUICE__WAIT)
            return PART_WAITS;
        /* not a call without a name, but without sections its closer closes it */
        if (head == SLUICE__YES || !spec->section) {
            if (!sluice__q_push(s, SLUICE__CO, head == SLUICE__YES ? number : SIZE_MAX))
                s->no_memory = true;
            p = head == SLUICE__YES ? QUOTED : NOTHING;
        }
    } else if (kind & (SLUICE__SO | SLUICE__MORE_OPENS)) {
        uint64_t next;
        size_t other;
        found f = sluice__q_next_literal(s, behind, true, &next, &other);
        if (f == WAITS)
            return PART_WAITS;
        if (kind & SLUICE__SO && !sluice__q_push(s, SLUICE__SO, number))
            s->no_memory = true;
        bool opens =
            f == LITERAL && sluice__q_kind_of(s, other) & (SLUICE__CO | SLUICE__MORE_OPENS);
        p = opens ? QUOTED : NOTHING;
    }
    if (m) {
        m->at = at;
        m->item = item;
        m->kind = kind;
        m->partner = 0;
    }
    s->quotes->closed = closes;
    return p;
}

/* ---- The operation ------------------------------------------------------------------------ */

/* The held part exceeds its limit: all of it is value, and only the value's own closer ends it. */
static bool release(sluice_stream *s, uint64_t at) {
    for (int i = 0; i < 3 && ((unsigned char)*sluice__at(s, at) & 0xC0) == 0x80; i++)
        at--; /* whole characters */
    static const char message[] = "a quoted call in a value exceeds limit_held and was not checked";
    s->op->ignored = true;
    sluice__quotes_clear(s->quotes); /* nothing is balanced any longer */
    sluice__lower(s, SLUICE_INCOMPLETE);
    return sluice__value_grows(s, at) && sluice__value_send(s, at) && sluice__gap(s, s->op->from) &&
           sluice__error(s, sluice__code("limit_exceeded"), message, sizeof message - 1);
}

bool sluice__q_tell_doubt(sluice_stream *s) {
    static const char message[] = "it is uncertain where the value ends";
    if (!s->op->doubtful || s->call.status == SLUICE_INCOMPLETE)
        return true;
    sluice__lower(s, SLUICE_INCOMPLETE);
    return sluice__gap(s, s->op->from) &&
           sluice__error(s, sluice__code("bad_arguments"), message, sizeof message - 1);
}

int sluice__step_quoted(sluice_stream *s) {
    size_t room = s->set.limit_header < s->set.limit_held / 2 ? s->set.limit_header * 2
                                                              : s->set.limit_held / 2;
    size_t most = s->set.limit_held - room;
    for (;;) {
        uint64_t at;
        size_t item;
        bool end = sluice__at_end(s);
        sluice__match m = sluice__find(s, s->op->quoting->marks, s->op->at, &at, &item);
        if (s->op->quoted && !s->op->ignored && sluice__minus(at, s->op->hold) > most &&
            !release(s, s->op->hold + most))
            return -1;
        if (!sluice__value_grows(s, at))
            return -1;
        if (m == SLUICE__YES) {
            size_t sections = s->quotes->sections, calls = s->quotes->calls;
            part p = sluice__q_take(s, at, item, 0, NULL);
            if (s->no_memory)
                return -1;
            if (p == OWN) {
                int r = sluice__value_end(s, at, (long)item, false);
                return r < 0 || sluice__q_tell_doubt(s) ? r : -1;
            }
            if (p == PART_WAITS) {
                s->op->at = at;
                if (s->op->quoted && !s->op->ignored)
                    return 0;
                return sluice__value_send(s, sluice__value_before(s, at)) ? 0 : -1;
            }
            if (sluice__q_kind_of(s, item) & SLUICE__TURN && p == NOTHING && !s->op->quoted &&
                at + s->op->quoting->marks->items[item].len >= sluice__visible(s)) {
                s->op->at = at; /* it may end the text */
                if (end)
                    return sluice__q_settle(s);
                return sluice__value_send(s, sluice__value_before(s, at)) ? 0 : -1;
            }
            if (p == QUOTED && !s->op->quoted) {
                if (!sluice__value_send(s, sluice__value_before(s, at)))
                    return -1;
                s->op->quoted = true;
                s->op->hold = at;
                s->quotes->before = (uint32_t)sections;
                s->quotes->calls_before = calls;
            }
            s->op->at = at + 1;
            continue;
        }
        s->op->at = at;
        if (end)
            return sluice__q_settle(s);
        if (s->op->quoted && !s->op->ignored)
            return 0;
        uint64_t upto = sluice__whole_upto(s, sluice__value_before(s, at));
        return sluice__value_send(s, upto) ? 0 : -1;
    }
}
