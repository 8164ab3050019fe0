#include "program.h"

#include "../utf8.h"

enum { STATES_MOST = 4000, DEPTH_MOST = 100, REPEAT_MOST = 1000, LAST = 0x10FFFF };

/* ---- Compiling ------------------------------------------------------------------------------- */

typedef struct compiler {
    const sluice_allocator *alloc;
    sluice__pattern *pattern;
    const char *p, *end;
    int depth;
    bool bad, no_memory;
} compiler;

static bool failed(const compiler *c) { return c->bad || c->no_memory; }

static size_t emit(compiler *c, uint8_t op, uint32_t x, uint32_t y) {
    sluice__pattern *p = c->pattern;
    if (failed(c) || p->count >= STATES_MOST) {
        c->bad = true;
        return 0;
    }
    if (!sluice__array_grow(c->alloc, (void **)&p->states, &p->cap, p->count + 1,
                            sizeof *p->states)) {
        c->no_memory = true;
        return 0;
    }
    p->states[p->count] = (state){op, false, x, y};
    return p->count++;
}

static void add_range(compiler *c, uint32_t from, uint32_t to) {
    sluice__pattern *p = c->pattern;
    if (failed(c) || from > to)
        c->bad = true;
    else if (!sluice__array_grow(c->alloc, (void **)&p->ranges, &p->range_cap, p->range_count + 1,
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
    int len = sluice__utf8_sequence(c->p, sluice__minus(c->end, c->p));
    unsigned char first = (unsigned char)*c->p;
    if (len <= 0) {
        c->bad = true;
        return 0;
    }
    code = len == 1 ? first : first & (0xFFu >> (len + 1));
    for (int i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)c->p[i] & 0x3F);
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

/* Adds the ranges of \d \w \s and their opposites; false for other names. */
static bool add_class(compiler *c, char name) {
    const range *list = digits;
    size_t n = 1;
    switch (name | 32) {
    case 'd':
        break;
    case 'w':
        list = words;
        n = sizeof words / sizeof *words;
        break;
    case 's':
        list = spaces;
        n = sizeof spaces / sizeof *spaces;
        break;
    default:
        return false;
    }
    uint32_t from = 0;
    for (size_t i = 0; i < n; i++) {
        if (name & 32)
            add_range(c, list[i].from, list[i].to);
        else if (list[i].from > from)
            add_range(c, from, list[i].from - 1);
        from = list[i].to + 1;
    }
    if (!(name & 32))
        add_range(c, from, LAST);
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
        /* back references, \p{...}, and letters without a meaning */
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
    if (c->p < c->end && add_class(c, *c->p)) {
        c->p++;
        return false;
    }
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
    size_t at = emit(c, RANGES, (uint32_t)first, (uint32_t)c->pattern->range_count);
    if (!failed(c))
        c->pattern->states[at].negated = negated;
}

static void one_character(compiler *c, uint32_t code) {
    size_t first = c->pattern->range_count;
    add_range(c, code, code);
    emit(c, RANGES, (uint32_t)first, (uint32_t)first + 1);
}

static void alternatives(compiler *c);

static void escape(compiler *c) {
    size_t first = c->pattern->range_count;
    char name = c->p < c->end ? *c->p : 0;
    if (name == 'b' || name == 'B') {
        c->p++;
        emit(c, name == 'b' ? BOUNDARY : NO_BOUNDARY, 0, 0);
    } else if (add_class(c, name)) {
        c->p++;
        emit(c, RANGES, (uint32_t)first, (uint32_t)c->pattern->range_count);
    } else {
        one_character(c, take_escaped(c));
    }
}

static void group(compiler *c) {
    if (passed(c, '?')) {
        if (passed(c, '<')) { /* a name; look-behind is not supported */
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
        emit(c, ANY, 0, 0);
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
        n = n <= REPEAT_MOST ? n * 10 + (size_t)(*c->p++ - '0') : (c->p++, n);
    if (n > REPEAT_MOST)
        c->bad = true;
    return n;
}

/* Appends a copy of the states [from, to), which jump only among themselves and to `to`. */
static void copy(compiler *c, size_t from, size_t to) {
    size_t shift = c->pattern->count - from;
    for (size_t i = from; i < to && !failed(c); i++) {
        state s = c->pattern->states[i];
        bool jumps = s.op == SPLIT || s.op == JUMP;
        size_t at = emit(c, s.op, s.x + (uint32_t)(jumps ? shift : 0),
                         s.y + (uint32_t)(s.op == SPLIT ? shift : 0));
        if (!failed(c))
            c->pattern->states[at].negated = s.negated;
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
    states[at] = (state){SPLIT, false, (uint32_t)at + 1, (uint32_t)c->pattern->count};
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
    size_t copies = most - (least ? least : 1);
    for (size_t i = 0; i < copies && !failed(c); i++) {
        size_t split = emit(c, SPLIT, 0, 0);
        size_t shift = c->pattern->count;
        copy(c, from, to);
        if (!failed(c)) {
            c->pattern->states[split].x = (uint32_t)shift;
            c->pattern->states[split].y = (uint32_t)c->pattern->count;
        }
    }
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
    size_t from = c->pattern->count;
    sequence(c);
    if (failed(c) || !passed(c, '|'))
        return;
    insert_split(c, from);
    size_t jump = emit(c, JUMP, 0, 0);
    if (failed(c))
        return;
    c->pattern->states[from].y = (uint32_t)c->pattern->count;
    if (++c->depth > DEPTH_MOST)
        c->bad = true;
    if (!failed(c))
        alternatives(c);
    c->depth--;
    if (!failed(c))
        c->pattern->states[jump].x = (uint32_t)c->pattern->count;
}

bool sluice__pattern_new(const sluice_allocator *a, const char *text, size_t len,
                         sluice__pattern **out) {
    *out = NULL;
    sluice__pattern *pattern = sluice__realloc(a, NULL, 0, sizeof *pattern);
    if (!pattern)
        return false;
    *pattern = (sluice__pattern){0};
    compiler c = {a, pattern, text, text + len, 0, false, false};
    alternatives(&c);
    if (c.p != c.end)
        c.bad = true;
    emit(&c, MATCH, 0, 0);
    if (!failed(&c)) {
        *out = pattern;
        return true;
    }
    sluice__pattern_free(a, pattern);
    return !c.no_memory;
}

void sluice__pattern_free(const sluice_allocator *a, sluice__pattern *p) {
    if (!p)
        return;
    if (p->states)
        sluice__realloc(a, p->states, p->cap * sizeof *p->states, 0);
    if (p->ranges)
        sluice__realloc(a, p->ranges, p->range_cap * sizeof *p->ranges, 0);
    sluice__realloc(a, p, sizeof *p, 0);
}
