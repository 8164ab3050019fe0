/* The instruction that reads the attributes of a tag. */
#include "machine.h"

typedef struct found { /* an attribute: its name, and its value as written */
    const char *name, *value;
    size_t name_len, len;
    bool bare;
} found;

static bool ends_word(char c) { return sluice__is_space(c) || c == '"' || c == '\''; }

/* Finds the next attribute in [*p, end). */
static bool next_attribute(const char **p, const char *end, found *out) {
    for (; *p < end; (*p)++) {
        const char *q = *p;
        while (q < end && !ends_word(*q) && *q != '=')
            q++;
        size_t name_len = sluice__minus(q, *p);
        while (q < end && sluice__is_space(*q))
            q++;
        if (!name_len || q == end || *q != '=')
            continue;
        for (q++; q < end && sluice__is_space(*q);)
            q++;
        const char *value = q, *close;
        if (q < end && (*q == '"' || *q == '\'')) {
            value++;
            close = memchr(value, *q, sluice__minus(end, value));
            if (!close)
                continue;
            q = close + 1;
        } else {
            while (q < end && !ends_word(*q))
                q++;
            close = q;
            if (close == value)
                continue;
        }
        *out = (found){*p, value, name_len, sluice__minus(close, value), q == close};
        *p = q;
        return true;
    }
    return false;
}

/* Adds a quoted value to `out` with its entities replaced. */
static bool add_unescaped(const sluice_stream *s, sluice__buffer *out, const char *p, size_t n) {
    static const struct {
        const char *name;
        char byte;
    } entities[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}};
    out->len = 0;
    if (!sluice__buffer_reserve(&s->alloc, out, n + 1))
        return false;
    for (size_t at = 0; at < n; at++) {
        char c = p[at];
        for (size_t k = 0; c == '&' && k < sizeof entities / sizeof *entities; k++) {
            size_t len = strlen(entities[k].name);
            if (n - at > len && memcmp(p + at + 1, entities[k].name, len) == 0) {
                c = entities[k].byte;
                at += len;
                break;
            }
        }
        out->data[out->len++] = c;
    }
    out->data[out->len] = 0;
    return true;
}

static bool note_attribute(sluice__run *m, sluice_stream *s, const sluice__attribute *want,
                           const found *f, uint64_t at, bool decode, bool *seen) {
    sluice__buffer *value = &m->mended;
    if (!(f->bare || (want->what == SLUICE__A_VALUE && !decode)
              ? sluice__m_set(s, value, f->value, f->len)
              : add_unescaped(s, value, f->value, f->len)))
        return false;
    if (want->what == SLUICE__A_TYPE) {
        m->type = SLUICE__ANY_TYPE;
        for (size_t k = 0; want->types[k].text; k++)
            if (strlen(want->types[k].text) == value->len &&
                memcmp(want->types[k].text, value->data, value->len) == 0)
                m->type = want->types[k].mask;
        return true;
    }
    if (want->what == SLUICE__A_VALUE)
        return sluice__m_hold(m, s, want->key, strlen(want->key), value->data, value->len, false);
    if (!value->len)
        return true;
    *seen = true;
    if (want->what == SLUICE__A_KEY) {
        m->has_key |= !m->probing;
        return sluice__m_set(s, m->probing ? &m->asked_key : &m->key, value->data, value->len);
    }
    return sluice__m_set_name(m, s, value->data, value->len, at, at + f->len,
                              f->bare ? want->pattern : (uint16_t)SLUICE__NO_PATTERN);
}

static bool in_name(char c) {
    return c == '_' || c == '-' || c == '.' || c == ':' || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Returns the attribute of `spec` that matches this one, or spec->count. */
static size_t attribute_of(const sluice__attributes *spec, const found *f) {
    size_t k = 0;
    while (k < spec->count && (strlen(spec->list[k].name) != f->name_len ||
                               memcmp(spec->list[k].name, f->name, f->name_len) != 0))
        k++;
    return k;
}

/* Does the word that ends before `at` go on there? Then it is another tag's name, unless an
 * attribute of `spec` begins there, with its blank missing. */
static bool goes_on(const sluice_stream *s, const sluice__attributes *spec, uint64_t at,
                    uint64_t end) {
    if (at <= s->window.base || at >= end || !in_name(*sluice__at(s, at - 1)) ||
        !in_name(*sluice__at(s, at)))
        return false;
    const char *begin = sluice__at(s, at), *p = begin;
    found f;
    if (!next_attribute(&p, begin + sluice__minus(end, at), &f) || f.name != begin)
        return true;
    return attribute_of(spec, &f) == spec->count;
}

/* Does a tag begin between the attributes? Then the header extends into what follows it. */
static bool holds_tag(const char *from, const char *to) {
    return to > from && memchr(from, '<', sluice__minus(to, from));
}

static bool is_blank(const char *from, const char *to) {
    while (from < to && sluice__is_space(*from))
        from++;
    return from >= to;
}

/* Does an undeclared attribute only repeat a parameter's type, or yes or no? On another tag it may
 * be an argument. */
static bool harmless(const sluice__attributes *spec, const found *f) {
    static const char *const words[] = {"string", "integer", "int",  "number", "float", "boolean",
                                        "bool",   "object",  "dict", "array",  "list",  "null",
                                        "json",   "text",    "true", "false"};
    bool of_parameter = false, says = false;
    for (size_t k = 0; k < spec->count; k++)
        of_parameter |= spec->list[k].what == SLUICE__A_KEY;
    for (size_t k = 0; of_parameter && k < sizeof words / sizeof *words; k++)
        says |= strlen(words[k]) == f->len && memcmp(words[k], f->value, f->len) == 0;
    return says;
}

SLUICE__HANDLER(attributes) {
    const sluice__attributes *spec = &m->program->attributes[i->a];
    PLAIN_NAME(m, s, i);
    RESUME(m)
    m->at[0] = s->pos;
    AWAIT(m, sluice__op_upto(s, spec->follow, s->set.limit_header, false, true));
    RESUME_END
    if (!s->result.ok || goes_on(s, spec, m->at[0], s->result.end))
        return SLUICE__FAILS;
    uint64_t start = s->result.start;
    const char *begin = s->result.end > start ? sluice__at(s, start) : "", *p = begin,
               *end = begin + sluice__minus(s->result.end, start);
    bool seen = !spec->asks, loose = false;
    const found lone = {begin, begin, 0, sluice__minus(end, begin), true};
    if (spec->count == 1 && !*spec->list->name) { /* not a tag: the text itself is the type */
        TRY(note_attribute(m, s, spec->list, &lone, start, false, &seen));
        return holds_tag(begin, end) ? SLUICE__FAILS : SLUICE__NEXT;
    }
    const char *from = begin;
    uint64_t given = 0;
    for (found f; next_attribute(&p, end, &f); from = p) {
        if (holds_tag(from, f.name))
            return SLUICE__FAILS;
        size_t k = attribute_of(spec, &f);
        bool known = k < spec->count;
        loose |= !is_blank(from, f.name) || (known ? given >> (k & 63) & 1 : !harmless(spec, &f));
        given |= (uint64_t)known << (k & 63);
        if (!known || spec->list[k].what == SLUICE__A_IGNORED)
            continue;
        if (spec->list[k].what == SLUICE__A_TYPE && holds_tag(f.value, f.value + f.len))
            return SLUICE__FAILS; /* its closing quote is missing */
        TRY(note_attribute(m, s, &spec->list[k], &f, start + (uint64_t)(f.value - begin),
                           spec->entities, &seen));
    }
    if (holds_tag(from, end))
        return SLUICE__FAILS;
    if (seen && !m->probing)
        m->loose |= loose || !is_blank(from, end > from && end[-1] == '/' ? end - 1 : end);
    return seen ? SLUICE__NEXT : SLUICE__FAILS;
}
