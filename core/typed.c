/* Reads values written as bare text, by the types that a tool's schema allows. */
#include "stream.h"

unsigned sluice__types_said(const sluice__types *types, unsigned said) {
    enum { TEXT = SLUICE__STRING | SLUICE__NULL };
    bool text = (said & SLUICE__ANY_TYPE) != SLUICE__STRING && types->declared &&
                types->mask & SLUICE__STRING && !(types->mask & ~(unsigned)TEXT);
    return text ? types->mask | (said & ~(unsigned)SLUICE__ANY_TYPE) : said;
}

bool sluice__only_string(unsigned types, unsigned char c) {
    if (types & SLUICE__SAID_JSON)
        return false;
    switch (c) {
    case '{':
        return !(types & SLUICE__OBJECT);
    case '[':
        return !(types & SLUICE__ARRAY);
    case 'n':
    case 'N':
        return !(types & SLUICE__NULL);
    case 't':
    case 'T':
    case 'f':
    case 'F':
        return !(types & SLUICE__BOOLEAN);
    case '"': /* text encoded twice, if no string is allowed or the text says that it is JSON */
        return types & SLUICE__STRING && !(types & SLUICE__QUOTED_STRING);
    default:
        return c >= '0' && c <= '9'               ? !(types & (SLUICE__INTEGER | SLUICE__NUMBER))
               : c == '-' || c == '+' || c == '.' ? !(types & (SLUICE__INTEGER | SLUICE__NUMBER))
                                                  : !is_space((char)c);
    }
}

/* Reads a whole value. */
static bool read_value(view v, bool strict, bool cut, out *o, bool *mended) {
    json j = {.limit = 128};
    size_t before = o->b.len;
    sluice__json_begin(&j, false);
    j.strict = strict;
    const char *stop = v.p, *end = sluice__json_whole(&j, v, o, &stop);
    bool good = end ? past_space((view){end, v.end}) == v.end && !j.lost
                    : cut && !j.problem && j.place != BEFORE_VALUE;
    if (good && !end)
        sluice__json_closing(&j, o);
    *mended = !end || j.mended || j.bad_utf8;
    if (!good)
        o->b.len = before;
    return good;
}

/* The type of a whole value by its first byte, of these types; 0: it is none of them. */
static unsigned type_of(view v, unsigned types) {
    switch (*v.p) {
    case 'n':
        return types & SLUICE__NULL;
    case 't':
    case 'f':
        return types & SLUICE__BOOLEAN;
    case '"':
        return 0;
    }
    for (const char *p = v.p; p < v.end; p++)
        if (strchr(".eE", *p))
            return types & SLUICE__NUMBER;
    return types & (SLUICE__INTEGER | SLUICE__NUMBER) ? SLUICE__INTEGER : 0;
}

static unsigned typed(view v, unsigned types, bool repairs, bool cut, out *o, bool *mended) {
    static const char *const python[] = {"None", "True", "False", NULL};
    bool strict = types & SLUICE__STRING;
    v = trimmed(v);
    if (v.p == v.end)
        return 0;
    char c = *v.p;
    if (c == '"' && types & SLUICE__QUOTED_STRING)
        return read_value(v, true, cut, o, mended) ? SLUICE__STRING : 0;
    if (c == '{' || c == '[') {
        unsigned want = c == '{' ? SLUICE__OBJECT : SLUICE__ARRAY;
        bool lenient = repairs && (!strict || types & SLUICE__SAID_JSON);
        return types & want && (read_value(v, true, cut, o, mended) ||
                                (lenient && read_value(v, false, cut, o, mended)))
                   ? want
                   : 0;
    }
    if (cut) /* the end of a word or number was not seen */
        return 0;
    size_t before = o->b.len;
    bool lenient = repairs && (!strict || is_one_of(python, v));
    unsigned type = read_value(v, !lenient, false, o, mended)
                        ? type_of(view_of(o->b.data + before, o->b.len - before), types)
                        : 0;
    if (type == SLUICE__NULL && strict) /* templates write None, too */
        *mended = false;
    o->b.len = type ? o->b.len : before;
    return type;
}

unsigned sluice__typed(view text, unsigned types, bool repairs, bool cut, out *o, bool *mended) {
    *mended = false;
    unsigned type = typed(text, types, repairs, cut, o, mended);
    *mended &= type && !cut;
    return type;
}
