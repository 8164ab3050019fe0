/*
 * Matching: the machine is in all states at once that the text so far allows. These sets are made
 * when they are first needed, and kept for the next texts, with the set that follows each ASCII
 * character. If there are too many, the rest of a text is matched without keeping them.
 */
#include "program.h"

#include "../utf8.h"

enum {
    SETS_MOST = SLUICE__SETS_MOST,
    FOUND = SETS_MOST, /* instead of a set: the text matches */
    ENDS = SLUICE__SET_ENDS,
    UNKNOWN,
    POOL_MOST = 4096, /* states in all sets */
    ASCII = 128
};

/* Where the text goes on before its next character. Every position has state 0, too: a match may
 * begin anywhere. */
typedef struct set {
    const uint16_t *list;
    size_t count;
    bool start, after_word; /* at the start of the text; after a character of a word */
} set;

/* Sets that are kept. `known`: for each byte, the number of the set that follows, FOUND or UNKNOWN;
 * always UNKNOWN for bytes that are not ASCII, or that end a string of JSON or are special in it;
 * ENDS for a quote if a text that ends there matches. `at_end`: FOUND, UNKNOWN or 0: a text that
 * ends there does not match. */
typedef struct cache {
    sluice__sets known;
    uint8_t at_end[SETS_MOST];
    set sets[SETS_MOST];
    size_t count, pooled;
    uint16_t pool[POOL_MOST];
} cache;

struct sluice__matcher {
    const sluice_allocator *alloc;
    const sluice__pattern *pattern;
    size_t size;     /* of the allocation */
    uint32_t *marks; /* for each state: the round in which it was last added */
    uint32_t round;
    uint16_t *stack, *reached, *after[2];
    cache *cache;
    bool used;
};

sluice__matcher *sluice__matcher_new(const sluice_allocator *a, const sluice__pattern *pattern) {
    size_t n = pattern->count, lists = 2 * n + 2 + 3 * n; /* each state may be on the stack twice */
    size_t size = sizeof(sluice__matcher) + n * sizeof(uint32_t) + lists * sizeof(uint16_t);
    sluice__matcher *m = sluice__realloc(a, NULL, 0, size);
    if (!m)
        return NULL;
    *m = (sluice__matcher){.alloc = a, .pattern = pattern, .size = size};
    m->marks = (uint32_t *)(m + 1);
    memset(m->marks, 0, n * sizeof *m->marks);
    m->stack = (uint16_t *)(m->marks + n);
    m->reached = m->stack + 2 * n + 2;
    m->after[0] = m->reached + n;
    m->after[1] = m->after[0] + n;
    return m;
}

void sluice__matcher_free(sluice__matcher *m) {
    if (!m)
        return;
    if (m->cache)
        sluice__realloc(m->alloc, m->cache, sizeof *m->cache, 0);
    sluice__realloc(m->alloc, m, m->size, 0);
}

/* ---- One character ----------------------------------------------------------------------------
 */

static bool is_word(uint32_t code) {
    return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
           (code >= 'A' && code <= 'Z') || code == '_';
}

/* Pushes the states that follow one without a character; false if it needs one, or is the last. */
static bool follow(const state *s, uint16_t at, const set *from, bool end, bool boundary,
                   uint16_t *stack, size_t *depth) {
    switch (s->op) {
    case SPLIT:
        stack[(*depth)++] = (uint16_t)s->y;
        stack[(*depth)++] = (uint16_t)s->x;
        return true;
    case JUMP:
        stack[(*depth)++] = (uint16_t)s->x;
        return true;
    case AT_START:
    case AT_END:
        if (s->op == AT_START ? from->start : end)
            stack[(*depth)++] = (uint16_t)(at + 1);
        return true;
    case BOUNDARY:
    case NO_BOUNDARY:
        if (boundary == (s->op == BOUNDARY))
            stack[(*depth)++] = (uint16_t)(at + 1);
        return true;
    default:
        return false;
    }
}

/* Collects the states that can take a character, in `reached`; SIZE_MAX: the text matches. `end`:
 * there is no character; else `word`: it is one of a word. */
static size_t reach(sluice__matcher *m, const set *from, bool end, bool word) {
    const state *states = m->pattern->states;
    bool boundary = from->after_word != word;
    size_t count = 0;
    if (++m->round == 0) { /* after 4 billion characters */
        memset(m->marks, 0, m->pattern->count * sizeof *m->marks);
        m->round = 1;
    }
    for (size_t i = 0; i <= from->count; i++) {
        size_t depth = 0;
        m->stack[depth++] = i < from->count ? from->list[i] : 0;
        while (depth) {
            uint16_t at = m->stack[--depth];
            if (m->marks[at] == m->round)
                continue;
            m->marks[at] = m->round;
            const state *s = &states[at];
            if (s->op == MATCH)
                return SIZE_MAX;
            if (!follow(s, at, from, end, boundary, m->stack, &depth))
                m->reached[count++] = at;
        }
    }
    return count;
}

static bool takes(const sluice__pattern *p, const state *s, uint32_t code) {
    if (s->op == ANY)
        return code != '\n' && code != '\r' && code != 0x2028 && code != 0x2029;
    for (uint32_t i = s->x; i < s->y; i++)
        if (code >= p->ranges[i].from && code <= p->ranges[i].to)
            return !s->negated;
    return s->negated;
}

/* Computes the set after a character, in the list `to`. True if the text matches before it. */
static bool step(sluice__matcher *m, const set *from, uint32_t code, uint16_t *to, set *after,
                 uint64_t *steps) {
    bool word = is_word(code);
    size_t count = reach(m, from, false, word), n = 0;
    if (count == SIZE_MAX)
        return true;
    *steps += 1 + count;
    for (size_t i = 0; i < count; i++)
        if (takes(m->pattern, &m->pattern->states[m->reached[i]], code))
            to[n++] = (uint16_t)(m->reached[i] + 1);
    *after = (set){to, n, false, word};
    return false;
}

/* Returns the length of the character at p; sets *code. Invalid bytes count as U+FFFD. */
static size_t character(const char *p, const char *end, uint32_t *code) {
    int len = sluice__utf8_sequence(p, sluice__minus(end, p));
    unsigned char first = (unsigned char)*p;
    if (len <= 0) {
        *code = 0xFFFD;
        return 1;
    }
    *code = len == 1 ? first : first & (0xFFu >> (len + 1));
    for (int i = 1; i < len; i++)
        *code = *code << 6 | ((unsigned char)p[i] & 0x3F);
    return (size_t)len;
}

/* ---- Sets that are kept ------------------------------------------------------------------------
 */

/* Returns the number of a set, which is kept if there is room; else UNKNOWN. */
static uint8_t number_of(cache *c, const set *s) {
    for (size_t i = 0; i < c->count; i++) {
        const set *other = &c->sets[i];
        if (other->count == s->count && other->start == s->start &&
            other->after_word == s->after_word &&
            memcmp(other->list, s->list, s->count * sizeof *s->list) == 0)
            return (uint8_t)i;
    }
    if (c->count == SETS_MOST || s->count > POOL_MOST - c->pooled)
        return UNKNOWN;
    uint16_t *list = c->pool + c->pooled;
    memcpy(list, s->list, s->count * sizeof *list);
    c->sets[c->count] = (set){list, s->count, s->start, s->after_word};
    c->at_end[c->count] = UNKNOWN;
    memset(c->known.next[c->count], UNKNOWN, sizeof c->known.next[0]);
    c->pooled += s->count;
    return (uint8_t)c->count++;
}

/* Makes the set after the character at *p, which follows the set `number`, and passes it. Returns
 * its number, FOUND, or UNKNOWN: there is no room for it, it is `after`. */
static uint8_t make_next(sluice__matcher *m, uint8_t number, const char **p, const char *end,
                         set *after, uint64_t *steps) {
    cache *c = m->cache;
    unsigned char first = (unsigned char)**p;
    uint32_t code;
    *p += character(*p, end, &code);
    uint8_t next =
        step(m, &c->sets[number], code, m->after[0], after, steps) ? FOUND : number_of(c, after);
    if (code < ASCII && code >= ' ' && code != '"' && code != '\\')
        c->known.next[number][first] = next;
    return next;
}

/* True if a text matches that ends with this set; `number`: of the set if it is kept. */
static inline bool matches_at_end(sluice__matcher *m, const set *now, uint8_t number) {
    if (number < SETS_MOST && m->cache->at_end[number] != UNKNOWN)
        return m->cache->at_end[number] == FOUND;
    bool found = reach(m, now, true, false) == SIZE_MAX;
    if (number < SETS_MOST) {
        m->cache->at_end[number] = found ? FOUND : 0;
        m->cache->known.next[number]['"'] = found ? ENDS : UNKNOWN;
    }
    return found;
}

/* Matches the rest of a text, without keeping sets. */
static bool match_rest(sluice__matcher *m, set now, const char *p, const char *end, uint64_t most,
                       uint64_t *steps) {
    uint16_t *spare = m->after[1];
    while (p < end && *steps <= most) {
        uint32_t code;
        uint16_t *to = spare;
        set next;
        p += character(p, end, &code);
        if (step(m, &now, code, to, &next, steps))
            return true;
        spare = to == m->after[0] ? m->after[1] : m->after[0];
        now = next;
    }
    return *steps <= most && matches_at_end(m, &now, UNKNOWN);
}

const sluice__sets *sluice__matcher_sets(const sluice__matcher *m) {
    return m->cache ? &m->cache->known : NULL;
}

bool sluice__matcher_finds(sluice__matcher *m, const char *text, size_t len, uint64_t most,
                           uint64_t *steps) {
    const char *p = text, *end = text + len;
    set now = {m->after[0], 0, true, false};
    if (m->used && !m->cache) { /* it is worth it from the second text on */
        m->cache = sluice__realloc(m->alloc, NULL, 0, sizeof *m->cache);
        if (m->cache) {
            m->cache->count = m->cache->pooled = 0;
            number_of(m->cache, &now);
        }
    }
    m->used = true;
    const cache *c = m->cache;
    if (!c)
        return match_rest(m, now, p, end, most, steps);
    uint8_t number = 0, next = 0;
    *steps += len;
    while (*steps <= most) {
        for (; p < end && (next = c->known.next[number][(unsigned char)*p]) < SETS_MOST; p++)
            number = next;
        if (p == end)
            return matches_at_end(m, &c->sets[number], number);
        if (next != FOUND)
            next = make_next(m, number, &p, end, &now, steps);
        if (next == FOUND)
            return true;
        if (next == UNKNOWN)
            return match_rest(m, now, p, end, most, steps);
        number = next;
    }
    return false;
}

bool sluice__pattern_matches(const sluice_allocator *a, const sluice__pattern *pattern,
                             const char *text, size_t len, bool *found, uint64_t most,
                             uint64_t *steps) {
    sluice__matcher *m = sluice__matcher_new(a, pattern);
    *found = m && sluice__matcher_finds(m, text, len, most, steps);
    sluice__matcher_free(m);
    return m;
}
