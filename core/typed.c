/* Reads values written as bare text, by the types that a tool's schema allows. */
#include "stream.h"

/* The types that text which begins with this byte may have, beside a string. */
static unsigned types_of(char c) {
    char low = (char)(c | 32);
    return c == '{'                   ? SLUICE__OBJECT
           : c == '['                 ? SLUICE__ARRAY
           : c == '"'                 ? SLUICE__QUOTED_STRING
           : c == '-' || is_digit(c)  ? SLUICE__INTEGER | SLUICE__NUMBER
           : low == 'n'               ? SLUICE__NULL
           : low == 't' || low == 'f' ? SLUICE__BOOLEAN
                                      : 0;
}

bool sluice__only_string(unsigned types, view text) {
    unsigned others = types & ~(unsigned)SLUICE__STRING;
    bool known = text.p < text.end && types & SLUICE__STRING;
    return !others || (known && !(others & (SLUICE__SAID_JSON | types_of(*text.p))));
}

/* Reads a whole value; or, if the text was `cut` in it, closes it. */
static bool read_value(json *j, view v, bool strict, bool cut, out *o) {
    sluice__json_begin(j, false);
    j->strict = strict;
    o->b.len = 0;
    if (!sluice__json_whole(j, v, o, NULL))
        return !j->lost;
    sluice__json_closing(j, o);
    return cut && (j->depth || in_string(j)) && !j->problem;
}

bool sluice__typed(sluice_stream *s, view v, unsigned types, bool cut) {
    static const char *const python[] = {"None", "True", "False", NULL};
    out *o = &s->call->scratch;
    unsigned type = 0;
    json j;
    j.limit = s->call->reader.limit;
    v = trimmed(v);
    bool container = v.p < v.end && strchr("{[", *v.p), string = types & SLUICE__STRING;
    bool lenient = !string || (container ? types & SLUICE__SAID_JSON : is_one_of(python, v));
    if (v.p == v.end || (cut && !container && *v.p != '"')) /* the end was not seen */
        return 0;
    bool good = read_value(&j, v, true, cut, o);
    if (j.problem == sluice__too_deep)
        sluice__report(s, "limit_exceeded", "limit_depth exceeded");
    else if (!good && lenient && s->set.repairs)
        good = read_value(&j, v, false, cut, o);
    if (good) {
        v = out_view(o);
        type = types & types_of(*v.p);
        sluice__number n = sluice__number_of(type & SLUICE__INTEGER ? v : view_of("0", 1));
        type &= sluice__number_is_whole(&n) ? type : SLUICE__NUMBER;
        if (string && !(types & (SLUICE__SAID_JSON | SLUICE__QUOTED_STRING)) && has_any(v, "eE") &&
            !has_any(v, ".+-")) /* perhaps a hash */
            type &= ~(unsigned)(SLUICE__INTEGER | SLUICE__NUMBER);
    }
    bool mended = !cut && (j.mended || j.bad_utf8);
    if (type && mended && !(type == SLUICE__NULL && string)) /* templates write None, too */
        sluice__repair(s, "a value was rewritten as JSON");
    return type;
}
