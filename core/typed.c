/* Reads values written as bare text, by the types that a tool's schema allows. */
#include "stream.h"

unsigned sluice__types_beside_array(const sluice__types *types) {
    unsigned others = types->mask & ~(types->array | (unsigned)SLUICE__ARRAY);
    /* if items are strings, only JSON text is read as another type */
    return types->array && others ? others | (types->array & SLUICE__STRING) : 0;
}

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

/* Is the text this word, in upper or lower case? */
static bool is_word(view v, const char *word) {
    for (; v.p < v.end && *word; v.p++, word++)
        if ((*v.p >= 'A' && *v.p <= 'Z' ? *v.p + 32 : *v.p) != *word)
            return false;
    return v.p == v.end && !*word;
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

static unsigned typed(view v, unsigned types, bool repairs, bool cut, out *o, bool *mended);

/* Reads a value that is JSON encoded in a JSON string. */
static unsigned read_encoded(view v, unsigned types, out *o) {
    const char *why;
    size_t at;
    bool mended;
    unsigned type = 0;
    out text = {.a = o->a, .failed = o->failed};
    if (sluice__is_json(o->a, v.p, view_len(v), &why, &at))
        sluice__put_unescaped(&text, v.p + 1, view_len(v) - 2);
    if (text.b.len && *text.b.data != '"')
        type = typed(out_view(&text), types, true, false, o, &mended);
    sluice__buffer_release(o->a, &text.b);
    return type;
}

/* The type of the number at `from`: 5.0 is an integer, too; 0: it is none of these types. */
static unsigned type_of_number(view v, unsigned types) {
    const char *dot = memchr(v.p, '.', view_len(v));
    bool fraction = dot || memchr(v.p, 'e', view_len(v)) || memchr(v.p, 'E', view_len(v));
    if (fraction && types & SLUICE__NUMBER)
        return SLUICE__NUMBER;
    while (dot && ++dot < v.end && *dot == '0')
        ;
    return !fraction || types & SLUICE__NUMBER || dot == v.end ? SLUICE__INTEGER : 0;
}

static unsigned typed(view v, unsigned types, bool repairs, bool cut, out *o, bool *mended) {
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
    if (c == '"' && !strict && repairs) {
        *mended = true;
        return read_encoded(v, types, o);
    }
    if (types & SLUICE__NULL && (strict ? view_is(v, "null") || (repairs && view_is(v, "None"))
                                        : is_word(v, "null") || is_word(v, "none"))) {
        *mended = !strict && !view_is(v, "null");
        put(o, "null", 4);
        return SLUICE__NULL;
    }
    if (types & (SLUICE__INTEGER | SLUICE__NUMBER) && strchr("+-.0123456789", c)) {
        size_t before = o->b.len;
        unsigned type = 0;
        if (read_value(v, strict || !repairs, false, o, mended) && o->b.len > before &&
            strchr("-0123456789", o->b.data[before]))
            type = type_of_number(view_of(o->b.data + before, o->b.len - before), types);
        if (type)
            return type;
        o->b.len = before;
    }
    const char *word = is_word(v, "true") ? "true" : is_word(v, "false") ? "false" : NULL;
    bool python =
        repairs && word && c + 32 == *word && memcmp(v.p + 1, word + 1, view_len(v) - 1) == 0;
    if (!(types & SLUICE__BOOLEAN && word && (!strict || python || view_is(v, word))))
        return 0;
    *mended = !view_is(v, word);
    for (; *word; word++)
        put(o, word, 1);
    return SLUICE__BOOLEAN;
}

unsigned sluice__typed(view text, unsigned types, bool repairs, bool cut, out *o, bool *mended) {
    *mended = false;
    unsigned type = typed(text, types, repairs, cut, o, mended);
    *mended &= type && !cut;
    return type;
}
