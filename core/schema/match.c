/* Matching: the machine is in all states at once that the text so far allows. */
#include "program.h"

/* Where the text goes on before its next character. Every position has state 0, too: a match may
 * begin anywhere. */
typedef struct set {
    uint16_t *list;
    size_t count;
    bool start, after_word; /* at the start of the text; after a character of a word */
} set;

/* Each state may be on the stack twice. */
enum { LISTS = 5 };

static bool make_room(const sluice_allocator *a, sluice__matcher *m, size_t states) {
    if (m->cap >= states)
        return true;
    sluice__matcher_release(a, m);
    m->marks = sluice__zeroed(a, states * sizeof *m->marks);
    m->lists = sluice__realloc(a, NULL, 0, (LISTS * states + 2) * sizeof *m->lists);
    m->cap = states;
    if (m->marks && m->lists)
        return true;
    sluice__matcher_release(a, m);
    return false;
}

void sluice__matcher_release(const sluice_allocator *a, sluice__matcher *m) {
    if (m->marks)
        sluice__realloc(a, m->marks, m->cap * sizeof *m->marks, 0);
    if (m->lists)
        sluice__realloc(a, m->lists, (LISTS * m->cap + 2) * sizeof *m->lists, 0);
    *m = (sluice__matcher){0};
}

static bool is_word(uint32_t code) {
    return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
           (code >= 'A' && code <= 'Z') || code == '_';
}

/* Pushes the states that follow one without a character; false if it needs one. */
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
static size_t reach(sluice__matcher *m, const sluice__pattern *p, const set *from, bool end,
                    bool word, uint16_t *stack, uint16_t *reached, uint64_t *steps) {
    bool boundary = from->after_word != word;
    size_t count = 0;
    if (++m->round == 0) { /* after 4 billion characters */
        memset(m->marks, 0, m->cap * sizeof *m->marks);
        m->round = 1;
    }
    for (size_t i = 0; i <= from->count; i++) {
        size_t depth = 0;
        stack[depth++] = i < from->count ? from->list[i] : 0;
        while (depth) {
            uint16_t at = stack[--depth];
            if (m->marks[at] == m->round)
                continue;
            m->marks[at] = m->round;
            ++*steps;
            const state *s = &p->states[at];
            if (s->op == MATCH)
                return SIZE_MAX;
            if (!follow(s, at, from, end, boundary, stack, &depth))
                reached[count++] = at;
        }
    }
    return count;
}

static bool takes(const sluice__pattern *p, const state *s, uint32_t code) {
    size_t low = s->x, high = s->y;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code > p->ranges[middle].to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->y && code >= p->ranges[low].from;
}

/* The same as sluice__pattern_matches, for a pattern without its look-aheads. */
static bool finds(sluice__matcher *m, const sluice__pattern *pattern, const char *text, size_t len,
                  uint64_t most, uint64_t *steps) {
    uint16_t *stack = m->lists, *reached = stack + 2 * m->cap + 2, *spare = reached + m->cap;
    const char *p = text, *end = text + len;
    set now = {spare + m->cap, 0, true, false};
    while (p < end && *steps <= most) {
        uint32_t code;
        p += sluice__character(p, end, &code);
        bool word = is_word(code);
        size_t n = 0, count = reach(m, pattern, &now, false, word, stack, reached, steps);
        if (count == SIZE_MAX)
            return true;
        for (size_t i = 0; i < count; i++)
            if (takes(pattern, &pattern->states[reached[i]], code))
                spare[n++] = (uint16_t)(reached[i] + 1);
        uint16_t *list = spare;
        spare = now.list;
        now = (set){list, n, false, word};
    }
    return *steps <= most &&
           reach(m, pattern, &now, true, false, stack, reached, steps) == SIZE_MAX;
}

bool sluice__pattern_matches(const sluice_allocator *a, sluice__matcher *m,
                             const sluice__pattern *pattern, const char *text, size_t len,
                             bool *found, uint64_t most, uint64_t *steps) {
    *found = true;
    for (const sluice__pattern *p = pattern; p && *found; p = p->ahead) {
        if (!make_room(a, m, p->count))
            return false;
        *found = finds(m, p, text, len, most, steps) != p->negated && *steps <= most;
    }
    return true;
}
