/*
 * Found when a program is loaded: which parts of it have the shape that nearly all calls have, so
 * that machine_row.c may read them at once, and what may be waited for at once.
 */
#include "machine.h"

enum {
    ID = SLUICE__OF_ID,
    NAME = SLUICE__OF_NAME | ID,
    KEY = SLUICE__OF_KEY | NAME,
};
const uint8_t sluice__word_bytes[256] = {
    ['0'] = KEY,  ['1'] = KEY,  ['2'] = KEY, ['3'] = KEY, ['4'] = KEY, ['5'] = KEY, ['6'] = KEY,
    ['7'] = KEY,  ['8'] = KEY,  ['9'] = KEY, ['_'] = KEY, ['A'] = KEY, ['B'] = KEY, ['C'] = KEY,
    ['D'] = KEY,  ['E'] = KEY,  ['F'] = KEY, ['G'] = KEY, ['H'] = KEY, ['I'] = KEY, ['J'] = KEY,
    ['K'] = KEY,  ['L'] = KEY,  ['M'] = KEY, ['N'] = KEY, ['O'] = KEY, ['P'] = KEY, ['Q'] = KEY,
    ['R'] = KEY,  ['S'] = KEY,  ['T'] = KEY, ['U'] = KEY, ['V'] = KEY, ['W'] = KEY, ['X'] = KEY,
    ['Y'] = KEY,  ['Z'] = KEY,  ['a'] = KEY, ['b'] = KEY, ['c'] = KEY, ['d'] = KEY, ['e'] = KEY,
    ['f'] = KEY,  ['g'] = KEY,  ['h'] = KEY, ['i'] = KEY, ['j'] = KEY, ['k'] = KEY, ['l'] = KEY,
    ['m'] = KEY,  ['n'] = KEY,  ['o'] = KEY, ['p'] = KEY, ['q'] = KEY, ['r'] = KEY, ['s'] = KEY,
    ['t'] = KEY,  ['u'] = KEY,  ['v'] = KEY, ['w'] = KEY, ['x'] = KEY, ['y'] = KEY, ['z'] = KEY,
    ['-'] = NAME, ['.'] = NAME, [':'] = ID};

/* ---- Rows ---------------------------------------------------------------------------------- */

const sluice__marker *sluice__lone(const sluice__program *p, const sluice__ins *i) {
    bool plain = i->op == SLUICE__I_literal
                     ? !i->flags && i->b == SLUICE__NONE
                     : i->op == SLUICE__I_maybe && !(i->flags & SLUICE__F_EXACT);
    return plain && p->sets[i->a]->count == 1 ? p->sets[i->a]->items : NULL;
}

const sluice__marker *sluice__next_literal(const sluice__program *p, const sluice__ins *i) {
    bool there = i + 1 < p->code + p->count && i[1].op == SLUICE__I_literal;
    return there ? sluice__lone(p, i + 1) : NULL;
}

/* Returns the number of the literal in the set, if no longer one begins with it; or NO_ITEM. */
static uint16_t item_of(const sluice__markers *set, const sluice__marker *m) {
    uint16_t found = SLUICE__NO_ITEM;
    for (size_t i = set->count; i-- > 0;) {
        if (sluice__marker_is(&set->items[i], m))
            found = (uint16_t)i;
        if (set->items[i].len > m->len && memcmp(set->items[i].text, m->text, m->len) == 0)
            return SLUICE__NO_ITEM;
    }
    return found;
}

static bool is_longest(const sluice__markers *set, const sluice__marker *m) {
    return item_of(set, m) != SLUICE__NO_ITEM;
}

static uint16_t only_field(const sluice__object_spec *o, bool arguments) {
    uint16_t found = SLUICE__NONE;
    for (size_t k = 0; k < o->count; k++) {
        const sluice__field *f = &o->fields[k];
        if (!(arguments ? f->arguments : f->name))
            continue;
        if (found != SLUICE__NONE || f->ignored || f->reasoning || f->id || f->extra)
            return SLUICE__NONE;
        found = (uint16_t)k;
    }
    return found;
}

void sluice__find_head(sluice__object_spec *o) {
    bool plain = !o->flat && !o->name_as_key && !o->anywhere && !o->some_required && !o->scalar &&
                 !o->answers[0] && !o->how.quote_len && !(o->how.flags & SLUICE__PYTHON);
    o->name_field = plain ? only_field(o, false) : SLUICE__NONE;
    o->arguments_field = plain ? only_field(o, true) : SLUICE__NONE;
    o->has_head = o->opening && o->name_field != SLUICE__NONE &&
                  o->arguments_field != SLUICE__NONE && o->name_field != o->arguments_field;
    for (int c = 0; c < 256; c++)
        o->odd[c] = !sluice__in_key((char)c) && !memchr(" \":,-.", c, 6);
}

/* Reads how the key is written. */
static bool key_of(const sluice__program *p, const sluice__ins *i, sluice__row *row) {
    const sluice__markers *ends;
    if (i->op == SLUICE__I_key) {
        ends = p->sets[i->a];
        if (i->b != SLUICE__NONE || i->flags)
            return false;
    } else if (i->op == SLUICE__I_attributes) {
        const sluice__attributes *spec = &p->attributes[i->a];
        size_t k = 0;
        while (k < spec->count && spec->list[k].what != SLUICE__A_KEY)
            k++;
        if (k == spec->count || !*spec->list[k].name)
            return false;
        row->attribute = spec->list[k].name;
        ends = spec->follow;
    } else {
        return false;
    }
    for (size_t k = 0; k < ends->count; k++)
        if (sluice__in_key(ends->items[k].text[0]) || ends->items[k].text[0] == '"')
            return false;
    return is_longest(ends, row->behind[0]);
}

/* Returns the only literal that is read after the loop if nothing else was, or NULL. */
static const sluice__marker *exit_of(const sluice__program *p, const sluice__loop *loop) {
    const sluice__ins *out = p->code + loop->out;
    const sluice__marker *exit = out < p->code + p->count ? sluice__lone(p, out) : NULL;
    size_t k = exit ? item_of(loop->stops, exit) : SLUICE__NO_ITEM;
    return k < loop->listed && k != loop->named && !loop->opener[k] ? exit : NULL;
}

static bool is_row(const sluice__program *p, const sluice__loop *loop, sluice__row *row) {
    const sluice__ins *i = p->code + loop->body, *end = p->code + p->count;
    const sluice__ins *key = i + 1;
    if (loop->open_ended || end - i < 6 || !(row->head.opener = sluice__lone(p, i)) ||
        i->op != SLUICE__I_literal || !is_longest(loop->stops, row->head.opener))
        return false;
    i += 2;
    for (size_t k = 0; k < 2 && end - i > 3 && (row->behind[k] = sluice__lone(p, i)); k++)
        i++;
    if (!row->behind[0] || end - i < 3 || i->op != SLUICE__I_value || !key_of(p, key, row))
        return false;
    row->value = (uint16_t)(i - p->code);
    row->closer = sluice__lone(p, ++i);
    row->head.passes = row->behind[1] != NULL;
    for (size_t k = 0; k < 2 && row->behind[k]; k++)
        row->head.odd[(unsigned char)row->behind[k]->text[row->behind[k]->len - 1]] = 1;
    while (row->item < loop->set->count &&
           !sluice__marker_is(&loop->set->items[row->item], row->head.opener))
        row->item++;
    return row->closer && i[1].op == SLUICE__I_params_back && !p->values[p->code[row->value].a].key;
}

static sluice__ending ending_of(const sluice__markers *ends, const sluice__markers *followers,
                                const sluice__row *row) {
    if (!ends || !followers)
        return (sluice__ending){SLUICE__NO_ITEM, SLUICE__NO_ITEM};
    return (sluice__ending){item_of(ends, row->closer), item_of(followers, row->head.opener)};
}

void sluice__find_row(const sluice__program *p, sluice__loop *loop) {
    sluice__row row = {0};
    if (is_row(p, loop, &row)) {
        const sluice__ins *end = p->code + loop->out + 1;
        row.head.exit = exit_of(p, loop);
        if (row.head.exit && end < p->code + p->count && end->op == SLUICE__I_call_end)
            row.head.behind = p->calls[end->a].follow;
        sluice__value_spec *v = &p->values[p->code[row.value].a];
        const sluice__markers *marks = v->quoting ? v->quoting->marks : NULL;
        row.head.plain = ending_of(v->ends, v->confirm, &row);
        row.head.quoting = ending_of(marks, marks, &row);
        loop->row = row;
        v->further = &loop->row.head;
    }
}

/* ---- Ends of calls ------------------------------------------------------------------------- */

sluice__arguments_spec *sluice__find_end(const sluice__program *p, const sluice__ins *i,
                                         const sluice__marker **closer, const char **brace) {
    bool object = i->op == SLUICE__I_object;
    *closer = sluice__next_literal(p, i);
    *brace = object ? "}" : "";
    if (!*closer || (!object && i->op != SLUICE__I_arguments))
        return NULL;
    if (!object)
        return &p->arguments[i->a];
    sluice__object_spec *o = &p->objects[i->a];
    return o->has_head && !o->brace_follows ? &o->how : NULL;
}

/* ---- Beginnings of blocks ------------------------------------------------------------------ */

/* Sets what is waited for before this instruction, if that is simple. */
static void wait_before(const sluice__program *p, const sluice__ins *i, sluice__standby *by) {
    const sluice__ins *next = i + 1;
    if (i->op == SLUICE__I_object && p->objects[i->a].has_head) {
        *by = sluice__await_head(&p->objects[i->a]);
    } else if (i->op == SLUICE__I_name && !(i->flags & ~(unsigned)SLUICE__F_PLAIN)) {
        *by = (sluice__standby){.odd = p->sets[i->a]->odd, .ends = p->sets[i->a]};
    } else if (i->op == SLUICE__I_literal && sluice__lone(p, i) && next < p->code + p->count) {
        *by = (sluice__standby){.set = p->sets[i->a], .blanks = true};
        sluice__m_wait_for_next(p, by, next);
    }
}

void sluice__find_openings(const sluice__program *p, sluice__standby *behind) {
    const sluice__markers *text = p->format->text;
    for (size_t k = 0; k < text->count; k++) {
        const uint16_t *starts = p->starts[k];
        if (starts[0] == SLUICE__NONE || starts[1] != SLUICE__NONE)
            continue;
        const sluice__ins *i = p->code + starts[0], *end = p->code + p->count;
        const sluice__marker *opener = sluice__lone(p, i);
        if (!opener || !sluice__marker_is(opener, &text->items[k]))
            continue;
        do
            i++;
        while (i < end && (i->op == SLUICE__I_calls || i->op == SLUICE__I_call));
        if (i < end)
            wait_before(p, i, &behind[k]);
    }
}

/* ---- Names --------------------------------------------------------------------------------- */

/* Returns the attribute that is the call's name, or NULL. */
static const char *name_attribute(const sluice__attributes *spec) {
    const char *found = NULL;
    for (size_t k = 0; k < spec->count; k++)
        if (spec->list[k].what == SLUICE__A_NAME) {
            if (found)
                return NULL;
            found = spec->list[k].name;
        }
    return found && *found ? found : NULL;
}

static bool is_plain_name(const sluice__program *p, const sluice__ins *i) {
    bool tag = i->op == SLUICE__I_attributes;
    const sluice__attributes *spec = tag ? &p->attributes[i->a] : NULL;
    const sluice__markers *ends = tag ? spec->follow : p->sets[i->a];
    const sluice__marker *next = sluice__next_literal(p, i);
    if (i->flags || (tag && (!name_attribute(spec) || !next || !is_longest(ends, next))))
        return false;
    for (size_t k = 0; k < ends->count; k++)
        if (sluice__in_name(ends->items[k].text[0]) || ends->items[k].text[0] == '"')
            return false;
    return true;
}

void sluice__find_names(const sluice__program *p, sluice__ins *code) {
    for (size_t k = 0; k < p->count; k++) {
        bool tag = code[k].op == SLUICE__I_attributes;
        if ((!tag && code[k].op != SLUICE__I_name) || !is_plain_name(p, &code[k]))
            continue;
        code[k].flags |= SLUICE__F_PLAIN;
        if (!tag)
            continue;
        sluice__attributes *spec = &p->attributes[code[k].a];
        spec->name = name_attribute(spec);
        for (int c = 0; c < 256; c++)
            spec->odd[c] = !sluice__in_name((char)c) && !memchr(" =\"", c, 3);
    }
}
