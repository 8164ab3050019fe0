#include "pattern.h"

#include <stdlib.h>

enum { STATES_MOST = 60000, DEPTH_MOST = 100, PARTS_MOST = 9, LAST = 0x10FFFF };

/* RANGES: ranges [x, y). SPLIT: continues at x and at y. JUMP: at x. The others continue at the
 * next one. */
enum op { RANGES, SPLIT, JUMP, AT_START, AT_END, BOUNDARY, NO_BOUNDARY, MATCH };

typedef struct state {
    uint8_t op;
    uint32_t x, y;
} state;

typedef struct range {
    uint32_t from, to; /* code points, both inclusive */
} range;

/* States of a machine that is in several of them at once. */
struct sluice__pattern {
    state *states;
    size_t count, cap;
    range *ranges; /* of each state in ascending order */
    size_t range_count, range_cap;
    uint16_t starts[PARTS_MOST]; /* first states: of look-aheads at the start, and of the rest */
    bool negated[PARTS_MOST];
    size_t parts;
};

/* ---- Compiling ------------------------------------------------------------------------------- */

typedef struct compiler {
    const sluice_allocator *alloc;
    sluice__pattern *pattern;
    const char *p, *end;
    size_t *room;
    int depth;
    bool bad, no_memory;
} compiler;

static bool failed(const compiler *c) { return c->bad || c->no_memory; }

static void *grow(compiler *c, void *items, size_t *cap, size_t need, size_t size) {
    c->bad |= !*c->room;
    if (!failed(c)) {
        --*c->room;
        c->no_memory = !sluice__array_grow(c->alloc, &items, cap, need, size);
    }
    return items;
}

static size_t emit(compiler *c, uint8_t op, size_t x, size_t y) {
    sluice__pattern *p = c->pattern;
    c->bad |= p->count >= STATES_MOST;
    p->states = grow(c, p->states, &p->cap, p->count + 1, sizeof *p->states);
    if (failed(c))
        return 0;
    p->states[p->count] = (state){op, (uint32_t)x, (uint32_t)y};
    return p->count++;
}

static void add_range(void *user, uint32_t from, uint32_t to) {
    compiler *c = user;
    sluice__pattern *p = c->pattern;
    c->bad |= from > to;
    p->ranges = grow(c, p->ranges, &p->range_cap, p->range_count + 1, sizeof *p->ranges);
    if (!failed(c))
        p->ranges[p->range_count++] = (range){from, to};
}

static bool next_is(const compiler *c, char what) { return c->p < c->end && *c->p == what; }

static bool passed(compiler *c, char what) {
    bool is = next_is(c, what);
    c->p += is;
    return is;
}

/* Returns the length of the character at p; sets *code. Invalid bytes count as U+FFFD. */
static size_t character(const char *p, const char *end, uint32_t *code) {
    int len = sluice__utf8_sequence(p, sluice__minus(end, p));
    unsigned char first = (unsigned char)*p;
    *code = len <= 0 ? 0xFFFD : len == 1 ? first : first & (0xFFu >> (len + 1));
    for (int i = 1; i < len; i++)
        *code = *code << 6 | ((unsigned char)p[i] & 0x3F);
    return len <= 0 ? 1 : (size_t)len;
}

/* Returns the next character and skips it. */
static uint32_t take(compiler *c) {
    uint32_t code = 0;
    c->bad |= c->p == c->end;
    if (!c->bad) {
        size_t len = character(c->p, c->end, &code);
        c->bad = len == 1 && code >= 0x80; /* not UTF-8 */
        c->p += len;
    }
    return code;
}

static int by_start(const void *a, const void *b) {
    const range *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Puts the ranges from `first` on in order and joins those that touch; then, if `negated`, replaces
 * them by the characters that are not in them. */
static void settle(compiler *c, size_t first, bool negated) {
    sluice__pattern *p = c->pattern;
    size_t n = first, end = p->range_count;
    uint32_t from = 0;
    if (failed(c))
        return;
    if (end > first)
        qsort(p->ranges + first, end - first, sizeof *p->ranges, by_start);
    for (size_t i = first; i < end; i++) {
        range r = p->ranges[i];
        if (n > first && r.from <= p->ranges[n - 1].to + 1)
            p->ranges[n - 1].to = r.to > p->ranges[n - 1].to ? r.to : p->ranges[n - 1].to;
        else
            p->ranges[n++] = r;
    }
    p->range_count = n;
    if (!negated)
        return;
    p->range_count = first;
    for (size_t i = first; i < n; i++) {
        range r = p->ranges[i];
        if (r.from > from)
            p->ranges[p->range_count++] = (range){from, r.from - 1};
        from = r.to + 1;
    }
    if (from <= LAST)
        add_range(c, from, LAST);
}

/* Reads the rest of \d \w \s \p{...} or their opposites, and adds their ranges; false for other
 * names. */
static bool took_class(compiler *c) {
    static const range ranges[] = {
        {'0', '9'},                                                       /* \d */
        {'0', '9'},       {'A', 'Z'},       {'_', '_'},       {'a', 'z'}, /* \w */
        {9, 13},          {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    static const char names[] = "dwsp";
    static const uint8_t ends[] = {0, 1, 5, 15, 15};
    size_t first = c->pattern->range_count;
    char name = c->p < c->end ? *c->p : 0;
    const char *known = name ? strchr(names, name | 32) : NULL;
    if (!known)
        return false;
    c->p++;
    for (size_t i = ends[known - names]; i < ends[known - names + 1]; i++)
        add_range(c, ranges[i].from, ranges[i].to);
    if (*known == 'p') {
        const char *to = next_is(c, '{') ? memchr(c->p, '}', sluice__minus(c->end, c->p)) : NULL;
        c->bad |= !to || !sluice__unicode_class((view){c->p + 1, to}, add_range, c);
        c->p = to ? to + 1 : c->p;
    }
    settle(c, first, name < 'a');
    return true;
}

static uint32_t take_hex(compiler *c, int n) {
    uint32_t code = 0;
    for (int i = 0; i < n; i++) {
        int digit = c->p < c->end ? hex_of(*c->p++) : -1;
        c->bad |= digit < 0;
        code = code << 4 | (uint32_t)(digit & 15);
    }
    return code;
}

/* Returns the character of an escape; the backslash is already skipped. */
static uint32_t take_escaped(compiler *c) {
    static const char controls[] = "tnvfr0", values[] = "\t\n\v\f\r";
    uint32_t name = take(c), code = 0;
    const char *known = name && name < 0x80 ? strchr(controls, (int)name) : NULL;
    if (known) {
        c->bad |= name == '0' && c->p < c->end && is_digit(*c->p);
        return (uint32_t)values[known - controls];
    }
    if (name == 'x')
        return take_hex(c, 2);
    if (name == 'u' && passed(c, '{')) {
        while (!failed(c) && !passed(c, '}')) {
            code = code << 4 | take_hex(c, 1);
            c->bad |= code > LAST;
        }
        return code;
    }
    if (name == 'u') {
        code = take_hex(c, 4);
        if (code >> 10 == 0xD800 >> 10 && c->end - c->p >= 6 && c->p[0] == '\\' && c->p[1] == 'u') {
            c->p += 2;
            uint32_t low = take_hex(c, 4);
            c->bad |= low >> 10 != 0xDC00 >> 10;
            code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
        }
        return code;
    }
    if (name == 'c') {
        name = take(c);
        c->bad |= (name | 32) < 'a' || (name | 32) > 'z';
        return name & 31;
    }
    /* back references, and letters without a meaning */
    c->bad |= (name >= '1' && name <= '9') || ((name | 32) >= 'a' && (name | 32) <= 'z');
    return name;
}

/* Reads a character or class inside brackets. True if it is a single character, in *code. */
static bool class_item(compiler *c, uint32_t *code) {
    bool escaped = passed(c, '\\');
    if (escaped && took_class(c))
        return false;
    *code = !escaped ? take(c) : passed(c, 'b') ? 8 : passed(c, '-') ? '-' : take_escaped(c);
    return true;
}

/* Reads [...]; the bracket is already skipped. */
static void brackets(compiler *c) {
    bool negated = passed(c, '^');
    size_t first = c->pattern->range_count;
    while (!failed(c) && !next_is(c, ']')) {
        uint32_t from, to;
        bool single = class_item(c, &from), other = false;
        bool list = next_is(c, '-') && c->end - c->p > 1 && c->p[1] != ']';
        c->p += list;
        if (list)
            other = class_item(c, &to);
        if (single)
            add_range(c, from, other ? to : from);
        else if (other) /* [\w-x]: three items */
            add_range(c, to, to);
        if (list && !(single && other))
            add_range(c, '-', '-');
    }
    c->bad |= !passed(c, ']');
    settle(c, first, negated);
}

static void alternatives(compiler *c);

static void group(compiler *c) {
    if (passed(c, '?')) {
        if (passed(c, '<')) { /* a name, or look-behind */
            c->bad |= next_is(c, '=') || next_is(c, '!');
            while (!failed(c) && !passed(c, '>'))
                take(c);
        } else {
            c->bad |= !passed(c, ':');
        }
    }
    c->bad |= ++c->depth > DEPTH_MOST;
    if (!failed(c))
        alternatives(c);
    c->depth--;
    c->bad |= !passed(c, ')');
}

/* True if the brace here begins a count. Any other brace is literal, as without the flag u. */
static bool counts(const compiler *c) {
    return next_is(c, '{') && c->end - c->p > 1 && (is_digit(c->p[1]) || c->p[1] == ',');
}

/* Reads one character, class, group or assertion. False if it cannot be repeated. */
static bool atom(compiler *c) {
    static const range ends[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};
    size_t first = c->pattern->range_count;
    c->bad |= strchr("*+?)", *c->p) || counts(c);
    if (next_is(c, '^') || next_is(c, '$')) {
        emit(c, *c->p++ == '^' ? AT_START : AT_END, 0, 0);
        return false;
    }
    if (passed(c, '(')) {
        group(c);
        return true;
    }
    if (passed(c, '[')) {
        brackets(c);
    } else if (passed(c, '.')) {
        for (size_t i = 0; i < 3; i++)
            add_range(c, ends[i].from, ends[i].to);
        settle(c, first, true);
    } else if (passed(c, '\\')) {
        if (next_is(c, 'b') || next_is(c, 'B')) {
            emit(c, *c->p++ == 'b' ? BOUNDARY : NO_BOUNDARY, 0, 0);
            return true;
        }
        if (!took_class(c)) {
            uint32_t code = take_escaped(c);
            add_range(c, code, code);
        }
    } else {
        uint32_t code = take(c);
        add_range(c, code, code);
    }
    emit(c, RANGES, first, c->pattern->range_count);
    return true;
}

static size_t take_count(compiler *c) {
    size_t n = 0;
    const char *from = c->p;
    for (; c->p < c->end && is_digit(*c->p); c->p++)
        n = n <= STATES_MOST ? n * 10 + (size_t)(*c->p - '0') : n;
    c->bad |= c->p == from || n > STATES_MOST;
    return n;
}

/* Repeats the states from `from` on, at least `least` and at most `most` times (SIZE_MAX: any
 * number). The first is a JUMP to the second. */
static void repeat(compiler *c, size_t from, size_t least, size_t most) {
    sluice__pattern *p = c->pattern;
    size_t n = p->count - from, copies = most < SIZE_MAX ? most : least ? least : 1;
    c->bad |= most < least;
    if (!most)
        p->count = from; /* it matches nothing; its ranges stay unused */
    for (size_t i = n; i < copies * n && !failed(c); i++) {
        state s = p->states[from + i - n]; /* it jumps only inside, and behind the last one */
        size_t shift = s.op == SPLIT || s.op == JUMP ? n : 0;
        emit(c, s.op, s.x + shift, s.y + shift);
    }
    if (most == SIZE_MAX)
        emit(c, SPLIT, p->count - n, p->count + 1);
    /* each further copy is left out only with all after it: few states are reached at a time */
    for (size_t i = least; i < copies && !failed(c); i++)
        p->states[from + i * n] = (state){SPLIT, (uint32_t)(from + i * n) + 1, (uint32_t)p->count};
}

static void quantifier(compiler *c, size_t from) {
    size_t least = 1, most = 1;
    if (passed(c, '*')) {
        least = 0;
        most = SIZE_MAX;
    } else if (passed(c, '+')) {
        most = SIZE_MAX;
    } else if (passed(c, '?')) {
        least = 0;
    } else if (counts(c)) {
        c->p++;
        least = most = take_count(c);
        if (passed(c, ','))
            most = next_is(c, '}') ? SIZE_MAX : take_count(c);
        c->bad |= !passed(c, '}');
    } else {
        return;
    }
    repeat(c, from, least, most);
    passed(c, '?'); /* a lazy one matches the same texts */
}

static void sequence(compiler *c) {
    while (!failed(c) && c->p < c->end && *c->p != '|' && *c->p != ')') {
        size_t from = emit(c, JUMP, c->pattern->count + 1, 0);
        if (!failed(c) && atom(c) && !failed(c))
            quantifier(c, from);
    }
}

static void alternatives(compiler *c) {
    sluice__pattern *p = c->pattern;
    size_t jump = SIZE_MAX; /* each jump has the one before in its x */
    for (bool more = true; more && !failed(c);) {
        size_t split = emit(c, SPLIT, 0, 0);
        sequence(c);
        more = passed(c, '|');
        if (more)
            jump = emit(c, JUMP, jump, 0);
        if (!failed(c))
            p->states[split] =
                (state){more ? SPLIT : JUMP, (uint32_t)split + 1, (uint32_t)p->count};
    }
    while (!failed(c) && jump < STATES_MOST) {
        uint32_t before = p->states[jump].x;
        p->states[jump].x = (uint32_t)p->count;
        jump = before;
    }
}

/* Begins a look-ahead at the start of the text, or the rest of a pattern that has some. */
static bool begin_part(compiler *c, bool ahead, bool negated) {
    sluice__pattern *p = c->pattern;
    c->bad |= p->parts == PARTS_MOST;
    if (failed(c))
        return false;
    p->negated[p->parts] = negated;
    p->starts[p->parts++] = (uint16_t)p->count;
    if (ahead)
        emit(c, AT_START, 0, 0);
    return ahead;
}

/* True if this look-ahead stands here. */
static bool passed_ahead(compiler *c, const char *opener) {
    bool is = has_start((view){c->p, c->end}, view_text(opener));
    c->p += is ? 3 : 0;
    return is;
}

static void whole(compiler *c) {
    const char *from = c->p;
    bool ahead = false, negated;
    while ((ahead || passed(c, '^')) &&
           ((negated = passed_ahead(c, "(?!")) || passed_ahead(c, "(?=")) &&
           begin_part(c, true, negated)) {
        ahead = true;
        alternatives(c);
        emit(c, MATCH, 0, 0);
        c->bad |= !passed(c, ')');
    }
    c->p = ahead ? c->p : from;
    if (begin_part(c, ahead, false))
        sequence(c); /* the ^ is only of the first alternative */
    else
        alternatives(c);
    emit(c, MATCH, 0, 0);
    c->bad |= c->p != c->end;
}

bool sluice__pattern_new(const sluice_allocator *a, view text, size_t *room,
                         sluice__pattern **out) {
    compiler c = {.alloc = a, .p = text.p, .end = text.end, .room = room};
    *out = c.pattern = sluice__zeroed(a, sizeof *c.pattern);
    if (!*out)
        return false;
    whole(&c);
    if (!failed(&c))
        return true;
    sluice__pattern_free(a, *out);
    *out = NULL;
    return !c.no_memory;
}

void sluice__pattern_free(const sluice_allocator *a, sluice__pattern *p) {
    if (p->states)
        sluice__realloc(a, p->states, p->cap * sizeof *p->states, 0);
    if (p->ranges)
        sluice__realloc(a, p->ranges, p->range_cap * sizeof *p->ranges, 0);
    sluice__realloc(a, p, sizeof *p, 0);
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* Where the text goes on before its next character. Every position has the first state, too: a
 * match may begin anywhere. */
typedef struct set {
    uint16_t *list;
    size_t count;
    bool start, after_word; /* at the start of the text; after a character of a word */
} set;

/* Each state may be on the stack twice. */
enum { LISTS = 5 };

void sluice__matcher_release(const sluice_allocator *a, sluice__matcher *m) {
    if (m->marks)
        sluice__realloc(a, m->marks, m->cap * sizeof *m->marks, 0);
    if (m->lists)
        sluice__realloc(a, m->lists, (LISTS * m->cap + 2) * sizeof *m->lists, 0);
    *m = (sluice__matcher){0};
}

static bool make_room(const sluice_allocator *a, sluice__matcher *m, size_t states) {
    if (m->cap >= states)
        return true;
    sluice__matcher_release(a, m);
    m->marks = sluice__zeroed(a, states * sizeof *m->marks);
    m->lists = sluice__realloc(a, NULL, 0, (LISTS * states + 2) * sizeof *m->lists);
    m->cap = states;
    return m->marks && m->lists;
}

/* Collects the states that can take a character, in `reached`; SIZE_MAX: the text matches. `end`:
 * there is no character; else `word`: it is one of a word. */
static size_t reach(sluice__matcher *m, const sluice__pattern *p, uint16_t first, const set *from,
                    bool end, bool word, uint16_t *reached, uint64_t *steps) {
    size_t count = 0;
    if (++m->round == 0) { /* after 4 billion characters */
        memset(m->marks, 0, m->cap * sizeof *m->marks);
        m->round = 1;
    }
    for (size_t i = 0; i <= from->count; i++) {
        size_t depth = 0;
        uint16_t *stack = m->lists;
        stack[depth++] = i < from->count ? from->list[i] : first;
        while (depth) {
            uint16_t at = stack[--depth];
            if (m->marks[at] == m->round)
                continue;
            m->marks[at] = m->round;
            ++*steps;
            const state *s = &p->states[at];
            bool boundary = from->after_word != word;
            if (s->op == MATCH)
                return SIZE_MAX;
            if (s->op == RANGES)
                reached[count++] = at;
            else if (s->op == SPLIT)
                stack[depth++] = (uint16_t)s->y;
            if (s->op == SPLIT || s->op == JUMP)
                stack[depth++] = (uint16_t)s->x;
            else if (s->op == AT_START   ? from->start
                     : s->op == AT_END   ? end
                     : s->op == BOUNDARY ? boundary
                                         : s->op != RANGES && !boundary)
                stack[depth++] = (uint16_t)(at + 1);
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

static bool finds(sluice__matcher *m, const sluice__pattern *pattern, uint16_t first, view text,
                  uint64_t most, uint64_t *steps) {
    uint16_t *reached = m->lists + 2 * m->cap + 2, *spare = reached + m->cap;
    set now = {spare + m->cap, 0, true, false};
    while (text.p < text.end && *steps <= most) {
        uint32_t code;
        text.p += character(text.p, text.end, &code);
        bool word = code < 0x80 && is_name_byte((char)code);
        size_t n = 0, count = reach(m, pattern, first, &now, false, word, reached, steps);
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
           reach(m, pattern, first, &now, true, false, reached, steps) == SIZE_MAX;
}

bool sluice__pattern_matches(const sluice_allocator *a, sluice__matcher *m,
                             const sluice__pattern *p, view text, bool *found, uint64_t most,
                             uint64_t *steps) {
    *found = true;
    if (!make_room(a, m, p->count)) {
        sluice__matcher_release(a, m);
        return false;
    }
    for (size_t i = 0; i < p->parts && *found; i++)
        *found = finds(m, p, p->starts[i], text, most, steps) != p->negated[i] && *steps <= most;
    return true;
}
