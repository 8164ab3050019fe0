#include "program.h"

#include <stdlib.h>

enum { STATES_MOST = 60000, DEPTH_MOST = 100, LAST = 0x10FFFF };

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

static size_t emit(compiler *c, uint8_t op, uint32_t x, uint32_t y) {
    sluice__pattern *p = c->pattern;
    if (failed(c) || p->count >= STATES_MOST || !*c->room) {
        c->bad = true;
        return 0;
    }
    --*c->room;
    if (!sluice__array_grow(c->alloc, (void **)&p->states, &p->cap, p->count + 1,
                            sizeof *p->states)) {
        c->no_memory = true;
        return 0;
    }
    p->states[p->count] = (state){op, x, y};
    return p->count++;
}

static void add_range(compiler *c, uint32_t from, uint32_t to) {
    sluice__pattern *p = c->pattern;
    if (failed(c) || from > to || !*c->room) {
        c->bad = true;
        return;
    }
    --*c->room;
    if (!sluice__array_grow(c->alloc, (void **)&p->ranges, &p->range_cap, p->range_count + 1,
                            sizeof *p->ranges))
        c->no_memory = true;
    else
        p->ranges[p->range_count++] = (range){from, to};
}

/* Returns the next character and skips it. */
static uint32_t take(compiler *c) {
    uint32_t code;
    if (c->p == c->end) {
        c->bad = true;
        return 0;
    }
    size_t len = sluice__character(c->p, c->end, &code);
    c->bad = c->bad || (len == 1 && code >= 0x80); /* not UTF-8 */
    c->p += len;
    return code;
}

static bool next_is(const compiler *c, char what) { return c->p < c->end && *c->p == what; }

static bool passed(compiler *c, char what) {
    if (!next_is(c, what))
        return false;
    c->p++;
    return true;
}

static const range digits[] = {{'0', '9'}};
static const range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const range spaces[] = {
    {9, 13},          {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
    {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

static void add_unicode(void *user, uint32_t from, uint32_t to) { add_range(user, from, to); }

static int by_start(const void *a, const void *b) {
    const range *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Puts the ranges from `first` on in order and joins those that touch; then, if `negated`, replaces
 * them by the characters that are not in them. */
static void settle(compiler *c, size_t first, bool negated) {
    sluice__pattern *p = c->pattern;
    size_t n = first, end = p->range_count;
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
    uint32_t from = 0;
    for (size_t i = first; i < n; i++) {
        range r = p->ranges[i];
        p->ranges[i] = (range){from, r.from - 1}; /* empty if it is the first and begins at 0 */
        from = r.to + 1;
    }
    if (from <= LAST)
        add_range(c, from, LAST);
    if (!failed(c) && n > first && p->ranges[first].to == UINT32_MAX)
        memmove(p->ranges + first, p->ranges + first + 1,
                (--p->range_count - first) * sizeof *p->ranges);
}

/* Reads the rest of \d \w \s \p{...} or their opposites, and adds their ranges; false for other
 * names. */
static bool took_class(compiler *c) {
    size_t first = c->pattern->range_count, n = 1;
    char name = c->p < c->end ? *c->p : 0, low = name | 32;
    const range *list = digits;
    if (!name || !strchr("dwsp", low))
        return false;
    c->p++;
    if (low == 'p') {
        const char *from = c->p + 1;
        const char *to =
            c->p < c->end && *c->p == '{' ? memchr(from, '}', sluice__minus(c->end, from)) : NULL;
        if (!to || !sluice__unicode_class(from, sluice__minus(to, from), add_unicode, c))
            c->bad = true;
        c->p = to ? to + 1 : c->p;
        n = 0;
    } else if (low == 'w') {
        list = words;
        n = sizeof words / sizeof *words;
    } else if (low == 's') {
        list = spaces;
        n = sizeof spaces / sizeof *spaces;
    }
    for (size_t i = 0; i < n; i++)
        add_range(c, list[i].from, list[i].to);
    settle(c, first, name != low);
    return true;
}

static uint32_t take_hex(compiler *c, int n) {
    uint32_t code = 0;
    for (int i = 0; i < n; i++) {
        char h = c->p < c->end ? *c->p++ : 0;
        if (h >= '0' && h <= '9')
            code = code << 4 | (uint32_t)(h - '0');
        else if ((h | 32) >= 'a' && (h | 32) <= 'f')
            code = code << 4 | (uint32_t)((h | 32) - 'a' + 10);
        else
            c->bad = true;
    }
    return code;
}

/* Returns the character of an escape; the backslash is already skipped. */
static uint32_t take_escaped(compiler *c) {
    char name = c->p < c->end ? *c->p : 0;
    static const char controls[] = "tnvfr", values[] = "\t\n\v\f\r";
    const char *known = name ? strchr(controls, name) : NULL;
    if (known) {
        c->p++;
        return (uint32_t)values[known - controls];
    }
    switch (name) {
    case 'x':
        c->p++;
        return take_hex(c, 2);
    case 'u': {
        c->p++;
        uint32_t code = 0;
        if (passed(c, '{')) {
            while (c->p < c->end && *c->p != '}' && code <= LAST)
                code = code << 4 | take_hex(c, 1);
            c->bad = c->bad || !passed(c, '}') || code > LAST;
            return code;
        }
        code = take_hex(c, 4);
        if (code >= 0xD800 && code <= 0xDBFF && c->end - c->p >= 6 && c->p[0] == '\\' &&
            c->p[1] == 'u') {
            c->p += 2;
            uint32_t low = take_hex(c, 4);
            c->bad = c->bad || low < 0xDC00 || low > 0xDFFF;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        return code;
    }
    case 'c':
        c->p++;
        if (c->p == c->end || (*c->p | 32) < 'a' || (*c->p | 32) > 'z') {
            c->bad = true;
            return 0;
        }
        return (uint32_t)(*c->p++ & 31);
    case '0':
        c->p++;
        if (c->p < c->end && *c->p >= '0' && *c->p <= '9')
            c->bad = true;
        return 0;
    default:
        /* back references, and letters without a meaning */
        if ((name >= '1' && name <= '9') || ((name | 32) >= 'a' && (name | 32) <= 'z'))
            c->bad = true;
        return take(c);
    }
}

/* Reads a character or class inside brackets. True if it is a single character, in *code. */
static bool class_item(compiler *c, uint32_t *code) {
    *code = 0;
    if (!passed(c, '\\')) {
        *code = take(c);
        return true;
    }
    if (took_class(c))
        return false;
    if (passed(c, 'b'))
        *code = 8;
    else if (passed(c, '-'))
        *code = '-';
    else
        *code = take_escaped(c);
    return true;
}

/* Reads [...]; the bracket is already skipped. */
static void brackets(compiler *c) {
    bool negated = passed(c, '^');
    size_t first = c->pattern->range_count;
    while (!failed(c) && !next_is(c, ']')) {
        uint32_t from, to;
        bool single = class_item(c, &from);
        if (!next_is(c, '-') || c->end - c->p < 2 || c->p[1] == ']') {
            if (single)
                add_range(c, from, from);
            continue;
        }
        c->p++;
        bool other = class_item(c, &to);
        if (single && other) {
            add_range(c, from, to);
        } else { /* [\w-x]: three items */
            if (single)
                add_range(c, from, from);
            if (other)
                add_range(c, to, to);
            add_range(c, '-', '-');
        }
    }
    c->bad = c->bad || !passed(c, ']');
    settle(c, first, negated);
    emit(c, RANGES, (uint32_t)first, (uint32_t)c->pattern->range_count);
}

static void one_character(compiler *c, uint32_t code) {
    size_t first = c->pattern->range_count;
    add_range(c, code, code);
    emit(c, RANGES, (uint32_t)first, (uint32_t)first + 1);
}

static void any_character(compiler *c) {
    static const range ends[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};
    size_t first = c->pattern->range_count;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        add_range(c, ends[i].from, ends[i].to);
    settle(c, first, true);
    emit(c, RANGES, (uint32_t)first, (uint32_t)c->pattern->range_count);
}

static void alternatives(compiler *c);

static void escape(compiler *c) {
    size_t first = c->pattern->range_count;
    char name = c->p < c->end ? *c->p : 0;
    if (name == 'b' || name == 'B') {
        c->p++;
        emit(c, name == 'b' ? BOUNDARY : NO_BOUNDARY, 0, 0);
    } else if (took_class(c)) {
        emit(c, RANGES, (uint32_t)first, (uint32_t)c->pattern->range_count);
    } else {
        one_character(c, take_escaped(c));
    }
}

static void group(compiler *c) {
    if (passed(c, '?')) {
        if (passed(c, '<')) { /* a name, or look-behind */
            if (next_is(c, '=') || next_is(c, '!'))
                c->bad = true;
            while (!failed(c) && !passed(c, '>'))
                take(c);
        } else if (!passed(c, ':')) {
            c->bad = true;
        }
    }
    if (++c->depth > DEPTH_MOST)
        c->bad = true;
    if (!failed(c))
        alternatives(c);
    c->depth--;
    c->bad = c->bad || !passed(c, ')');
}

/* True if the brace here begins a count. Any other brace is literal, as without the flag u. */
static bool counts(const compiler *c) {
    return next_is(c, '{') && c->end - c->p > 1 &&
           ((c->p[1] >= '0' && c->p[1] <= '9') || c->p[1] == ',');
}

/* Reads one character, class, group or assertion. False if it cannot be repeated. */
static bool atom(compiler *c) {
    char what = *c->p;
    if (strchr("*+?)", what) || counts(c)) {
        c->bad = true;
        return false;
    }
    if (what == '^' || what == '$') {
        c->p++;
        emit(c, what == '^' ? AT_START : AT_END, 0, 0);
        return false;
    }
    if (passed(c, '('))
        group(c);
    else if (passed(c, '['))
        brackets(c);
    else if (passed(c, '.'))
        any_character(c);
    else if (passed(c, '\\'))
        escape(c);
    else
        one_character(c, take(c));
    return true;
}

static size_t take_count(compiler *c) {
    size_t n = 0;
    if (c->p == c->end || *c->p < '0' || *c->p > '9')
        c->bad = true;
    while (c->p < c->end && *c->p >= '0' && *c->p <= '9')
        n = n <= STATES_MOST ? n * 10 + (size_t)(*c->p++ - '0') : (c->p++, n);
    if (n > STATES_MOST)
        c->bad = true;
    return n;
}

/* Appends a copy of the states [from, to), which jump only among themselves and to `to`. */
static void copy(compiler *c, size_t from, size_t to) {
    size_t shift = c->pattern->count - from;
    for (size_t i = from; i < to && !failed(c); i++) {
        state s = c->pattern->states[i];
        bool jumps = s.op == SPLIT || s.op == JUMP;
        emit(c, s.op, s.x + (uint32_t)(jumps ? shift : 0),
             s.y + (uint32_t)(s.op == SPLIT ? shift : 0));
    }
}

/* Inserts a SPLIT before the states from `at` on. */
static void insert_split(compiler *c, size_t at) {
    emit(c, JUMP, 0, 0);
    if (failed(c))
        return;
    state *states = c->pattern->states;
    size_t n = c->pattern->count - 1 - at;
    memmove(states + at + 1, states + at, n * sizeof *states);
    for (size_t i = at + 1; i <= at + n; i++) {
        if (states[i].op == SPLIT || states[i].op == JUMP)
            states[i].x++;
        if (states[i].op == SPLIT)
            states[i].y++;
    }
    states[at] = (state){SPLIT, (uint32_t)at + 1, (uint32_t)c->pattern->count};
}

/* Repeats the states from `from` on, at least `least` and at most `most` times (SIZE_MAX: any
 * number). */
static void repeat(compiler *c, size_t from, size_t least, size_t most) {
    size_t to = c->pattern->count, n = to - from;
    if (most < least) {
        c->bad = true;
        return;
    }
    if (!least && most == SIZE_MAX) {
        insert_split(c, from);
        emit(c, JUMP, (uint32_t)from, 0);
        if (!failed(c))
            c->pattern->states[from].y = (uint32_t)c->pattern->count;
        return;
    }
    if (!least && !most) { /* it matches nothing; its ranges stay unused */
        c->pattern->count = from;
        return;
    }
    for (size_t i = 1; i < least; i++)
        copy(c, from, to);
    if (most == SIZE_MAX) {
        size_t last = c->pattern->count - n;
        emit(c, SPLIT, (uint32_t)last, (uint32_t)c->pattern->count + 1);
        return;
    }
    /* each further copy is left out only with all after it: few states are reached at a time */
    size_t copies = most - (least ? least : 1), first = c->pattern->count;
    for (size_t i = 0; i < copies && !failed(c); i++) {
        size_t split = emit(c, SPLIT, 0, 0);
        if (!failed(c))
            c->pattern->states[split].x = (uint32_t)split + 1;
        copy(c, from, to);
    }
    for (size_t i = 0; i < copies && !failed(c); i++)
        c->pattern->states[first + i * (n + 1)].y = (uint32_t)c->pattern->count;
    if (!least && !failed(c))
        insert_split(c, from);
}

static void quantifier(compiler *c, size_t from) {
    if (passed(c, '*')) {
        repeat(c, from, 0, SIZE_MAX);
    } else if (passed(c, '+')) {
        repeat(c, from, 1, SIZE_MAX);
    } else if (passed(c, '?')) {
        repeat(c, from, 0, 1);
    } else if (counts(c) && passed(c, '{')) {
        size_t least = take_count(c), most = least;
        if (passed(c, ','))
            most = next_is(c, '}') ? SIZE_MAX : take_count(c);
        c->bad = c->bad || !passed(c, '}');
        if (!failed(c))
            repeat(c, from, least, most);
    } else {
        return;
    }
    passed(c, '?'); /* a lazy one matches the same texts */
}

static void sequence(compiler *c) {
    while (!failed(c) && c->p < c->end && *c->p != '|' && *c->p != ')') {
        size_t from = c->pattern->count;
        if (atom(c) && !failed(c))
            quantifier(c, from);
    }
}

static void alternatives(compiler *c) {
    size_t from = c->pattern->count, jump = SIZE_MAX; /* each jump has the one before in its x */
    for (;;) {
        sequence(c);
        if (failed(c) || !passed(c, '|'))
            break;
        insert_split(c, from);
        jump = emit(c, JUMP, (uint32_t)jump, 0);
        if (failed(c))
            return;
        c->pattern->states[from].y = (uint32_t)c->pattern->count;
        from = c->pattern->count;
    }
    while (jump < STATES_MOST) {
        uint32_t before = c->pattern->states[jump].x;
        c->pattern->states[jump].x = (uint32_t)c->pattern->count;
        jump = before;
    }
}

/* Reads a pattern up to its end or, of a look-ahead, its parenthesis. NULL: `bad` or `no_memory`.
 */
static sluice__pattern *whole(compiler *c, bool ahead);

/* Reads the look-aheads after the ^ at the start; both are skipped if there is one. */
static bool took_aheads(compiler *c) {
    sluice__pattern **to = &c->pattern->ahead;
    const char *from = c->p;
    bool found = false;
    if (!passed(c, '^'))
        return false;
    while (!failed(c) && c->end - c->p > 2 && c->p[0] == '(' && c->p[1] == '?' &&
           (c->p[2] == '=' || c->p[2] == '!')) {
        compiler inner = *c;
        inner.p += 3;
        *to = whole(&inner, true);
        found = true;
        if (*to) {
            (*to)->negated = c->p[2] == '!';
            to = &(*to)->ahead;
        }
        c->p = inner.p;
        c->bad = inner.bad;
        c->no_memory = inner.no_memory;
        if (next_is(c, '*') || next_is(c, '+') || next_is(c, '?') || counts(c))
            c->bad = true;
    }
    c->p = found ? c->p : from;
    return found;
}

static sluice__pattern *whole(compiler *c, bool ahead) {
    sluice__pattern *pattern = c->pattern = sluice__zeroed(c->alloc, sizeof *c->pattern);
    if (!pattern) {
        c->no_memory = true;
        return NULL;
    }
    if (ahead || took_aheads(c))
        emit(c, AT_START, 0, 0);
    if (ahead) {
        alternatives(c);
        c->bad = c->bad || !passed(c, ')');
    } else if (pattern->ahead) { /* the ^ is only of the first alternative */
        sequence(c);
    } else {
        alternatives(c);
    }
    emit(c, MATCH, 0, 0);
    c->bad = c->bad || (!ahead && c->p != c->end);
    if (!failed(c))
        return pattern;
    sluice__pattern_free(c->alloc, pattern);
    return NULL;
}

bool sluice__pattern_new(const sluice_allocator *a, const char *text, size_t len, size_t *room,
                         sluice__pattern **out) {
    compiler c = {.alloc = a, .p = text, .end = text + len, .room = room};
    *out = whole(&c, false);
    return !c.no_memory;
}

void sluice__pattern_free(const sluice_allocator *a, sluice__pattern *p) {
    while (p) {
        sluice__pattern *ahead = p->ahead;
        if (p->states)
            sluice__realloc(a, p->states, p->cap * sizeof *p->states, 0);
        if (p->ranges)
            sluice__realloc(a, p->ranges, p->range_cap * sizeof *p->ranges, 0);
        sluice__realloc(a, p, sizeof *p, 0);
        p = ahead;
    }
}
