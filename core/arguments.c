/* The arguments of a call as JSON: bare, in a string, or the keyword arguments of Python. */
#include "stream.h"

argument sluice__look_at_arguments(sluice_stream *s, uint64_t at) {
    view v = left_trimmed(see_from(s, at));
    size_t item;
    char first = v.p < v.end ? *v.p : 0;
    if (first == '{')
        return AN_OBJECT;
    match object = is_quote(first) ? find_literal(s, s->program->encoded, v, &item) : NO;
    match m = object == NO ? find_literal(s, s->program->nothing, v, &item) : object;
    if (m == YES && object == NO) { /* text that begins so is not nothing */
        for (v.p += s->program->nothing->items[item].len; v.p < v.end && is_blank(*v.p);)
            v.p++;
        bool more = v.p < v.end && (is_name_byte(*v.p) || is_quote(*v.p));
        m = more ? NO : v.p < v.end || s->finished ? YES : CUT;
    }
    wait_for(s, NULL);
    return m == CUT ? NOT_YET : m == NO ? NEITHER : object == YES ? AN_OBJECT : NO_ARGUMENTS;
}

/* Decodes n bytes of the string around the arguments, or all. Returns how many were read. */
static size_t decode(sluice_stream *s, out *text, size_t n) {
    view v = see(s);
    const char *p = v.p;
    text->b.len = 0;
    while (text->b.len < n && p < v.end && *p != s->call->outer_quote) {
        size_t need = p + 1 < v.end && p[1] == 'u' ? 12 : 2; /* a pair of surrogates */
        if (*p == '\\' && (size_t)(v.end - p) < need && !s->finished &&
            !memchr(p, s->call->outer_quote, (size_t)(v.end - p)))
            break;
        p = sluice__put_character(text, p, v.end, false);
    }
    return (size_t)(p - v.p);
}

/* What the reader sees: the response, or what a string in it says, of which `most` bytes are
 * decoded at a time, and which may end: *closed. */
static view source(sluice_stream *s, size_t most, bool *closed) {
    view v = see(s);
    *closed = false;
    if (!s->call->outer_quote)
        return v;
    v.p += decode(s, &s->call->decoded, most);
    *closed = v.p < v.end && *v.p == s->call->outer_quote;
    return out_view(&s->call->decoded);
}

static bool parameter_at(void *who, uint32_t n, view *name) {
    sluice_stream *s = who;
    return s->call->tool && s->scripts->ask(s, SLUICE__Q_PARAMETER, n + 1, (view){0}, name) > 0;
}

static void close_reader(sluice_stream *s) {
    const json *j = &s->call->reader;
    bool none = j->place == BEFORE_VALUE; /* it was no object */
    if (none)
        sluice__tell_markup(s, s->pos);
    size_t from = s->made.b.len;
    put(&s->made, "{}", none ? 2 : 0);
    sluice__json_closing(j, &s->made);
    sluice__arguments_made(s, from, s->told);
    s->call->whole = true;
}

/* Behind an encoded object: the quote that closes its string. */
static went after_encoded(sluice_stream *s) {
    bool closed;
    view v = source(s, SIZE_MAX, &closed);
    const char *text = past_space(v);
    s->pos += decode(s, &s->call->scratch, (size_t)(text - v.p)); /* it is not looked at again */
    if (text < v.end && s->call->status != SLUICE_INCOMPLETE)
        sluice__spoil(s, "ignored_text", "text after the encoded arguments was left out");
    s->pos += decode(s, &s->call->scratch, SIZE_MAX) + closed;
    if (!closed && !s->finished)
        return wait_for(s, NULL);
    s->call->outer_quote = 0;
    return GO;
}

/* Do more members, or items, seem to follow the arguments? `odd`: these are odd JSON. */
static match goes_on(sluice_stream *s, const sluice__arguments_spec *how, bool odd) {
    uint64_t at = s->pos + how->kwargs;
    view v = see_from(s, at), w;
    if (view_len(v) > s->set.limit_name)
        v.end = v.p + s->set.limit_name;
    w = v;
    while (w.p < w.end && (is_space(*w.p) || (odd && strchr("]})", *w.p)))) /* or brackets */
        w.p++;
    bool near = odd || w.p == v.p || at == s->call->object_end;
    bool comma = w.p < w.end && *w.p == ',';
    w.p = past_space((view){w.p + comma, w.end});
    const char *end = w.p; /* of a key without quotes */
    while (comma && end < w.end && is_name_byte(*end))
        end++;
    if (end == w.end)
        return s->finished || view_len(v) == s->set.limit_name ? NO : CUT;
    return end > w.p ? *end == '=' || (*end == ':' && !how->kwargs)
                     : *w.p == '"' && (comma || near);
}

/* What is left of the arguments is left out, up to what may follow. OVER: nothing is known to. */
static went leave_out(sluice_stream *s, const sluice__arguments_spec *how) {
    sluice__lower(s, SLUICE_INCOMPLETE);
    s->call->json_at = LEFT_OUT;
    lose_calls(s, how->quote || how->kwargs); /* what follows may be part of a value */
    for (; how->enders; s->pos++) {           /* a comma counts only before another call */
        went w = sluice__skip_to(s, how->enders);
        view v = see(s);
        if (w != GO || v.p == v.end || *v.p != ',')
            return w;
        v.p = past_space((view){v.p + 1, v.end});
        if (v.p == v.end && !s->finished)
            return wait_for(s, NULL);
        if (v.p < v.end && (how->kwargs ? is_name_byte(*v.p) && !is_digit(*v.p) : *v.p == '{'))
            return GO;
    }
    return OVER;
}

/* A quote that came as plain text is text, if the format's own is a special token. */
static bool quote_is_plain(void *who, const char *p) {
    sluice_stream *s = who;
    const char *own = s->call->reader.own_quote;
    const sluice__literal quote = {.text = own, .len = strlen(own)};
    return s->set.tokens && sluice__is_plain(s, &quote, p);
}

static const json_asks asks = {parameter_at, quote_is_plain};

static void begin_reader(sluice_stream *s, bool python, const char *own_quote) {
    json *j = &s->call->reader;
    sluice__json_begin(j, python);
    j->own_quote = own_quote;
    j->asks = &asks;
    j->who = s;
}

/* The arguments became unreadable. */
went sluice__unreadable(sluice_stream *s, const sluice__arguments_spec *how, const char *why) {
    if (s->call->json_at == ARGUMENTS_READ && !s->call->whole)
        close_reader(s);
    sluice__report_key(s, why == sluice__no_parameter ? "ignored_argument" : "bad_arguments",
                       "cannot parse the rest of the arguments: ", view_text(why), "");
    s->call->outer_quote = 0;
    s->at = s->pos;
    return leave_out(s, how);
}

/* Behind the JSON of a call: braces that close nothing, and perhaps more members. */
went sluice__behind_json(sluice_stream *s, const sluice__arguments_spec *how) {
    uint64_t at;
    if (s->call->json_at == LEFT_OUT)
        return leave_out(s, how);
    for (int c; !how->brace_follows;) {
        if (!peek_byte(s, &c, &at)) /* white space before text is text */
            return WAIT;
        match m = c == '}' ? sluice__look(s, how->enders, true).is : NO;
        if (m == CUT)
            return WAIT;
        if (m == YES || c != '}')
            break;
        s->pos = at + 1;
        s->call->torn = s->call->torn ? s->call->torn : EXTRA_BRACE;
        if (s->call->began)
            sluice__repair(s, "an extra closing brace was left out");
    }
    bool may = s->call->began && !how->brace_follows; /* else members of that object follow */
    match more = may ? goes_on(s, how, s->call->status != SLUICE_COMPLETE) : NO;
    if (more == CUT)
        return wait_for(s, NULL);
    return more == NO ? OVER : sluice__unreadable(s, how, "they go on after their closing brace");
}

static void tell_mended(sluice_stream *s) {
    const json *j = &s->call->reader;
    if (j->mended && sluice__once(&s->call->mended_told))
        sluice__repair(s, j->mended);
    lose_calls(s, j->lost && j->own_quote); /* what follows may be quoted in it */
    if (j->lost && s->call->status != SLUICE_INCOMPLETE)
        sluice__spoil(s, "bad_arguments", j->lost);
    if (j->bad_utf8)
        sluice__lower(s, SLUICE_RECOVERED);
    sluice__tell_utf8(s, j->bad_utf8);
}

/* One step of it. */
static went read(sluice_stream *s, const sluice__arguments_spec *how) {
    json *j = &s->call->reader;
    if (is_full(s))
        return PAUSE;
    bool closed, begins = j->place == BEFORE_VALUE;
    view v = source(s, 4 * LONGEST_TOKEN, &closed), from = v, text;
    bool more = s->call->outer_quote && !closed && view_len(v) >= 4 * LONGEST_TOKEN,
         last = closed || (s->finished && !more);
    if (begins && s->call->outer_quote && v.p < v.end && is_space(*v.p)) {
        s->pos += decode(s, &s->call->scratch, (size_t)(past_space(v) - v.p));
        return GO;
    }
    if (begins && v.p < v.end && *v.p != '{')
        return sluice__unreadable(s, how, "expected an object");
    s->call->taken.b.len = 0;
    json_end end = sluice__json_step(j, &v, last ? 0 : s->set.limit_held, &text, &s->call->taken);
    text = text.p < text.end ? text : out_view(&s->call->taken);
    if (text.p < text.end) {
        size_t n = (size_t)(v.p - from.p);
        uint64_t upto = s->pos + (s->call->outer_quote ? decode(s, &s->call->scratch, n) : n);
        tell_mended(s);
        sluice__tell_markup(s, s->pos);
        sluice__write(s, text, upto);
        s->pos = upto;
    }
    if (end == JSON_ON || (end == JSON_MORE && more && text.p < text.end))
        return GO;
    if (end == JSON_MORE && !more)
        return s->call->outer_quote ? wait_for(s, NULL)
                                    : pass_on(s, SLUICE_ARGUMENTS, json_wakes(j), NULL, NULL);
    if (end != JSON_DONE) { /* the text ends, or nobody can make sense of it */
        bool deep = j->problem == sluice__too_deep;
        if (deep)
            sluice__report(s, "limit_exceeded",
                           "the arguments are nested too deep, or a part of them is too long");
        if (deep || !last || (j->problem && (in_string(j) ? v.p : past_space(v)) < v.end))
            return sluice__unreadable(s, how, j->problem ? j->problem : "a part is too long");
        s->pos += closed ? 0 : view_len(see(s));
        sluice__lower(s, SLUICE_INCOMPLETE);
    }
    close_reader(s);
    s->call->json_at = ARGUMENTS_BEHIND;
    return GO;
}

/* Writes the value that was looked through, [first, end) of the response, as the parameter `key`;
 * `whole`: it has ended. While it is looked through: what has come of it, if it stays as it is. */
void sluice__write_member(sluice_stream *s, view key, bool whole, uint64_t first, uint64_t end) {
    sluice__types types = {.mask = SLUICE__STRING};
    bool part = s->call->skip_at, begun = s->call->meant == BEGUN;
    out *text = &s->call->decoded;
    if (!whole && !part) {
        sluice__lower(s, SLUICE_INCOMPLETE);
        put(text, "null", s->call->reader.place == BEFORE_VALUE ? 4 : 0);
        sluice__json_closing(&s->call->reader, text);
    }
    view v = out_view(text);
    if (!begun && s->call->tool && s->set.types && v.p < v.end && *v.p == '"')
        s->scripts->types(s, 0, key, false, NULL, &types);
    bool typed = types.mask < SLUICE__STRING && view_len(v) <= s->set.limit_value;
    if (part && (typed || v.p == v.end || (!begun && sluice__is_used(s, key))))
        return;
    if (!begun) {
        sluice__flush_repeated(s);
        if (!sluice__may_follow(s))
            return;
        if (sluice__hash_add(&s->call->used, key)) {
            sluice__duplicate(s, key);
            return;
        }
        sluice__begin_parameter(s, key);
        sluice__tell_markup(s, first);
        if (types.mask < SLUICE__STRING && !typed)
            sluice__report(s, "limit_exceeded", "a value in quotes is longer than limit_value");
    }
    tell_mended(s);
    if (typed) { /* the model wrote it in quotes */
        s->call->taken.b.len = 0;
        sluice__put_unescaped(&s->call->taken, (view){v.p + 1, v.end - 1});
        sluice__write_typed(s, out_view(&s->call->taken), types.mask, false, end);
    } else {
        sluice__write_value(s, v, end);
    }
    text->b.len = 0;
    s->call->meant = BEGUN;
    s->pos = end;
    s->call->skip_at = end + 1;
}

static went begin(sluice_stream *s, const sluice__arguments_spec *how) {
    json *j = &s->call->reader;
    view v = see(s);
    const char *p = past_space(v);
    if (s->call->any == ALL || s->call->whole) {
        sluice__fail(s, "the description reads arguments twice, or after the call's end");
        return BROKEN;
    }
    char quote = !how->kwargs && *p != '{' ? *p : 0;
    p = quote ? past_space((view){p + 1, v.end}) : p;
    if (p == v.end && !s->finished)
        return wait_for(s, NULL);
    sluice__no_way_back(s);
    sluice__flush_repeated(s);
    s->call->outer_quote = quote;
    if (!how->kwargs && !quote && (s->call->any || (s->call->tool && s->set.types))) {
        s->call->object_at = place_of(s, p);
        s->call->meant = NO_MEMBER;
        s->call->json_at = ARGUMENTS_MEMBERS;
        return GO;
    }
    bool any = s->call->any, adds = quote && any; /* its members, to those that the call has */
    begin_reader(s, how->python, how->quote);
    if (how->kwargs || adds)
        sluice__json_begin_inside(j, how->kwargs);
    p += adds && p < v.end && *p == '{';
    j->strict = !s->set.repairs && !how->python;
    s->pos = how->kwargs ? s->pos : place_of(s, p);
    j->place = any ? IN_FULL_OBJECT : j->place;
    s->call->any = any ? SOME : ALL;
    if (how->kwargs || any) /* a value before it may have been left out */
        sluice__tell_markup(s, s->pos);
    if (how->kwargs)
        sluice__write(s, view_of("{", !any), s->pos);
    s->call->json_at = ARGUMENTS_READ;
    return GO;
}

/* Each argument has a type that the tool declares, or follows others that the call has already. */
static went read_one_by_one(sluice_stream *s, const sluice__arguments_spec *how) {
    const sluice__object_spec all = {.how = *how, .flat = true};
    went w = s->members(s, &all, SLUICE__I_object);
    if (w == OVER) {
        s->pos = s->call->object_end;
        s->call->json_at = ARGUMENTS_BEHIND;
        return GO;
    }
    return w != FAIL ? w : sluice__unreadable(s, how, "no member of theirs follows");
}

went sluice__stream_arguments(sluice_stream *s, const sluice__arguments_spec *how) {
    went w = s->call->json_at == LEFT_OUT ? leave_out(s, how) : GO;
    while (w == GO && s->call->json_at < ARGUMENTS_BEHIND)
        w = s->call->json_at == ARGUMENTS_READ      ? read(s, how)
            : s->call->json_at == ARGUMENTS_MEMBERS ? read_one_by_one(s, how)
                                                    : begin(s, how);
    w = w == GO && s->call->outer_quote ? after_encoded(s) : w;
    return w == OVER ? GO : w;
}

/* Of a member the value is kept, as strict JSON, in `decoded`. Odd JSON has its end in strict
 * reading, too, unless it is to be written or the format has quotes of its own. */
match sluice__skip_value(sluice_stream *s, uint64_t *end, bool python, const char *own) {
    json *j = &s->call->reader;
    out *text = s->call->meant ? &s->call->decoded : &s->call->taken;
    if (s->call->skip_at != s->pos + 1) {
        begin_reader(s, python, own);
        j->strict = (own || s->call->meant >= PARAMETER) && !s->set.repairs && !python;
        s->call->skip_at = s->pos + 1;
        s->at = s->pos;
        s->call->decoded.b.len = 0;
    }
    view v = see_from(s, s->at), strict;
    s->call->taken.b.len = 0;
    json_end what;
    do {
        what = sluice__json_step(j, &v, s->finished ? 0 : s->set.limit_held, &strict, text);
        put_view(text, strict);
        s->at = place_of(s, v.p);
        if (what < JSON_DONE && s->call->meant && s->call->json_at == ARGUMENTS_MEMBERS)
            sluice__write_member(s, out_view(&s->call->param), false, s->pos, s->at);
    } while (what == JSON_ON);
    wait_for(s, json_wakes(j));
    if (what == JSON_MORE)
        return CUT;
    *end = s->at;
    s->call->skip_at = 0;
    return what == JSON_DONE ? YES : NO;
}

/* Does a value stand at pos that is all there is, and is text? For `raw`. */
static match is_raw(sluice_stream *s, argument what) {
    view v = left_trimmed(see(s));
    if (v.p < v.end && (what != AN_OBJECT || *v.p != '{'))
        return what == NEITHER ? YES : NO;
    v.p = v.p < v.end ? past_space((view){v.p + 1, v.end}) : v.p;
    if (v.p == v.end)
        return s->finished ? NO : CUT;
    return strchr("}\"'", *v.p) ? NO : YES;
}

/* Other formats' calls begin alike: is a name right behind the start, without arguments, known? */
bool sluice__plain_call(sluice_stream *s) {
    uint64_t from = s->block + s->call->shared, start = s->call->name_start;
    if (start < from || from < s->base)
        return true;
    view v = {byte_at(s, from), byte_at(s, start)};
    return past_space(v) < v.end || (s->has_tools && sluice__prepare(s) == GO && s->call->tool);
}

went sluice__op_arguments(sluice_stream *s, const sluice__ins *i) {
    const sluice__arguments_spec *how = &s->program->arguments[i->a];
    enum { DECIDE, STREAM, TAIL };
    went w;
    if (s->call->phase == DECIDE) {
        argument what = how->kwargs ? AN_OBJECT : sluice__look_at_arguments(s, s->pos);
        if (what == NOT_YET)
            return WAIT;
        if (how->raw != SLUICE__NONE) { /* what does not begin like an object is text */
            match raw = is_raw(s, what);
            if (raw == CUT)
                return wait_for(s, NULL);
            s->call->raw_text = raw == YES;
            if (raw == YES)
                return jump_to(s, how->raw);
        }
        if (what == NEITHER) {
            match m = sluice__look(s, how->enders, true).is;
            m = m == YES ? sluice__look(s, how->closers, true).is : m;
            if (m == CUT)
                return WAIT;
            if (m == NO && s->call->began) { /* by a parameter before them */
                sluice__spoil(s, "bad_arguments", "no object was found where they should begin");
                return GO;
            }
            if (m == NO || (s->call->shared && !sluice__plain_call(s)))
                return FAIL; /* neither arguments nor a closer of the call: it was broken off */
            what = NO_ARGUMENTS;
        }
        if ((w = sluice__announce(s)) != GO)
            return w;
        if (what == NO_ARGUMENTS)
            return sluice__take(s, s->program->nothing, true) == CUT ? WAIT : GO;
        s->call->phase = STREAM;
        s->call->json_at = ARGUMENTS_BEGIN;
    }
    if (s->call->phase == STREAM &&
        ((w = sluice__stream_arguments(s, how)) != GO || s->call->json_at == LEFT_OUT))
        return w;
    s->call->phase = TAIL;
    if ((w = sluice__behind_json(s, how)) != OVER || how->kwargs)
        return w == OVER ? GO : w;
    view rest = left_trimmed(see(s));
    rest.p += rest.p < rest.end && *rest.p == ',';
    rest.p = past_space(rest);
    if (rest.p == rest.end && !s->finished)
        return wait_for(s, NULL);
    match m = rest.p < rest.end && *rest.p == '{' ? sluice__look(s, how->enders, true).is : YES;
    if (m == NO) /* another object may be more of them */
        sluice__spoil(s, "bad_arguments", "more JSON follows the closing brace of the arguments");
    return m == CUT ? WAIT : GO;
}
