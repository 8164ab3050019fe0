/* Values as they go into the arguments: keys, text by its types, repeated parameters. */
#include "stream.h"

void sluice__write(sluice_stream *s, view text, uint64_t upto) {
    size_t from = s->made.b.len;
    put_view(&s->made, text);
    sluice__arguments_made(s, from, upto);
}

void sluice__tell_utf8(sluice_stream *s, bool bad) {
    if (bad && sluice__once(&s->call->utf8_told))
        sluice__report(s, "invalid_utf8", "invalid UTF-8 was replaced by U+FFFD");
}

void sluice__write_value(sluice_stream *s, view json, uint64_t upto) {
    size_t from = s->made.b.len; /* one fragment: what closes the arguments needs the value */
    put(&s->made, ",", s->call->repeated == AN_ARRAY);
    s->call->repeated = s->call->repeated == AN_EMPTY_ARRAY ? AN_ARRAY : s->call->repeated;
    s->call->any = s->call->due.b.len ? SOME : s->call->any;
    put_view(&s->made, out_view(&s->call->due));
    s->call->due.b.len = 0;
    put_view(&s->made, json);
    sluice__arguments_made(s, from, upto);
}

void sluice__write_raw(sluice_stream *s, const char *json) {
    sluice__write_value(s, view_text(json), s->told);
}

void sluice__write_typed(sluice_stream *s, view text, unsigned types, bool cut, uint64_t upto) {
    bool string = types & SLUICE__STRING;
    out *json = &s->call->scratch;
    if (sluice__typed(s, text, types, cut)) {
        sluice__write_value(s, out_view(json), upto);
        return;
    }
    if (cut && !string) { /* nothing of it is known */
        s->call->due.b.len = 0;
        return;
    }
    if (!cut && types & SLUICE__SAID_JSON && sluice__not_json(&s->heap.alloc, text, NULL))
        sluice__spoil(s, "bad_arguments",
                      "a value marked as JSON is not valid JSON; it stays text");
    if (!string) {
        s->call->invalid |= s->set.validation;
        sluice__report_key(s, "type_mismatch", "the value of ", out_view(&s->call->param),
                           " fits no type that the tool declares; it stays a string");
    }
    json->b.len = 0;
    bool bad = sluice__put_string(json, text);
    sluice__write_value(s, out_view(json), upto);
    sluice__tell_utf8(s, bad);
}

static void write_item(sluice_stream *s, unsigned mask) {
    view text = out_view(&s->call->repeated_text);
    if (s->call->repeated == ONE_JSON)
        sluice__write_value(s, text, s->told);
    else
        sluice__write_typed(s, text, mask, false, s->told);
}

/* The open parameter is an array: writes its held value; later ones are written as they come. */
void sluice__open_array(sluice_stream *s) {
    const sluice__types *types = &s->call->value.types;
    if (in_array(s))
        return;
    sluice__tell_markup(s, s->pos);
    sluice__write_raw(s, "[");
    write_item(s, types->array ? types->array : types->mask);
    s->call->repeated = AN_ARRAY;
}

/* Is it the text of a list from which something is missing? */
static bool is_torn_list(view v) {
    return view_len(v) > 1 && (*v.p == '[' ? strchr("\"'{\n", v.p[1]) != NULL
                                           : v.end[-1] == ']' && is_quote(v.end[-2]) &&
                                                 !memchr(v.p, '[', view_len(v)));
}

/* Ends a possible array with only one value: all of it, its only item, or no array at all. */
static void flush_array(sluice_stream *s) {
    const sluice__types *types = &s->call->value.types;
    view text = trimmed(out_view(&s->call->repeated_text));
    bool empty = text.p == text.end;
    unsigned others = types->mask & ~(types->array | (unsigned)SLUICE__ARRAY);
    /* if items are strings, only JSON text is read as another type */
    unsigned more = others ? others | (types->array & SLUICE__STRING) : 0;
    unsigned mask = !empty && *text.p == '[' ? SLUICE__ARRAY : more;
    bool json = s->call->repeated == ONE_JSON;
    if (json ? mask & (SLUICE__ARRAY | SLUICE__OBJECT)
             : mask && sluice__typed(s, text, mask, false)) {
        sluice__write_value(s, json ? text : out_view(&s->call->scratch), s->told);
    } else if (empty && types->array < SLUICE__STRING) {
        sluice__write_raw(s, "[]");
    } else if (!json && is_torn_list(text)) {
        write_item(s, SLUICE__ARRAY);
    } else {
        sluice__open_array(s);
        sluice__write(s, view_text("]"), s->told);
    }
}

void sluice__flush_repeated(sluice_stream *s) {
    const sluice__types *types = &s->call->value.types;
    if (s->call->repeated == NOT_REPEATED)
        return;
    sluice__tell_markup(s, s->pos);
    if (in_array(s))
        sluice__write(s, view_text("]"), s->told);
    else if (types->array)
        flush_array(s);
    else
        write_item(s, types->mask);
    s->call->repeated = NOT_REPEATED;
}

view sluice__decoded(out *o, view text, unsigned as) {
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    static const char meanings[] = "<>&\"'";
    size_t count = as & SLUICE__ENTITIES ? 5 : as & SLUICE__ANGLES ? 2 : 0;
    if (!count)
        return text;
    o->b.len = 0;
    while (text.p < text.end) {
        size_t k = *text.p == '&' ? 0 : count;
        while (k < count && !has_start(text, view_text(entities[k])))
            k++;
        put(o, k < count ? &meanings[k] : text.p, 1);
        text.p += k < count ? strlen(entities[k]) : 1;
    }
    return out_view(o);
}
