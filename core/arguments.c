/* The arguments of a call as JSON: bare, in a string, or the keyword arguments of Python. */
#include "stream.h"

enum { BEGIN, READ, BEHIND, LEAVE_OUT }; /* json_phase */

argument sluice__look_at_arguments(sluice_stream *s, uint64_t at) {
    enum {
        NOTHING_FIRST = 5,
        NOTHING_LAST = 6
    }; /* of program->encoded: spellings of no arguments */
    view v = see_from(s, at);
    size_t item;
    v.p = past_space(v);
    if (v.p == v.end) {
        s->wakes = NULL;
        return s->finished ? NEITHER : NOT_YET;
    }
    if (*v.p == '{')
        return AN_OBJECT;
    const literals *set = *v.p == '"' || *v.p == '\'' ? s->program->encoded : s->program->nothing;
    match m = find_literal(s, set, v, &item);
    if (m == CUT) {
        s->wakes = NULL;
        return NOT_YET;
    }
    if (m == NO)
        return NEITHER;
    return set == s->program->nothing || (item >= NOTHING_FIRST && item <= NOTHING_LAST)
               ? NO_ARGUMENTS
               : AN_OBJECT;
}

/* ---- The source --------------------------------------------------------------------------- */

/* What the reader sees: the response, or what a string in it says. *closed: the string ends there.
 */
static view source(sluice_stream *s, bool *closed) {
    view v = see(s);
    const char *p = v.p;
    *closed = false;
    if (!s->encoded)
        return v;
    s->call->decoded.b.len = 0;
    while (p < v.end && *p != s->outer_quote) {
        size_t need = *p != '\\'                     ? 1
                      : p + 1 < v.end && p[1] == 'u' ? 12
                                                     : 2; /* a pair of surrogates */
        if ((size_t)(v.end - p) < need && !s->finished &&
            !memchr(p, s->outer_quote, (size_t)(v.end - p)))
            break;
        p = sluice__put_character(&s->call->decoded, p, v.end);
    }
    *closed = p < v.end && *p == s->outer_quote;
    return out_view(&s->call->decoded);
}

/* How many bytes of the response say the first n bytes of the source. */
static size_t length_of(sluice_stream *s, size_t n) {
    view v = see(s);
    const char *p = v.p;
    if (!s->encoded)
        return n;
    s->taken.b.len = 0; /* not `decoded`: the source lies there */
    while (s->taken.b.len < n && p < v.end)
        p = sluice__put_character(&s->taken, p, v.end);
    return (size_t)(p - v.p);
}

/* ---- What the reader tells ---------------------------------------------------------------- */

static bool position(void *who, uint32_t n, const char **name, size_t *len) {
    sluice_stream *s = who;
    view parameter;
    if (!s->tool ||
        s->scripts->ask(s->user, s, SLUICE__Q_PARAMETER, n + 1, (view){0}, &parameter) <= 0)
        return false;
    *name = parameter.p;
    *len = view_len(parameter);
    return true;
}

static void close_reader(sluice_stream *s) {
    size_t from = s->made.b.len;
    sluice__json_closing(&s->call->reader, &s->made);
    if (s->has_all && s->call->reader.place == BEFORE_VALUE &&
        !s->call->reader.depth) /* it was no object */
        s->made.b.len = from, put(&s->made, "{}", 2);
    sluice__arguments_made(s, from, s->told);
    s->json_open = false;
    s->whole = true;
}

/* Behind an encoded object: the quote that closes its string. */
static went after_encoded(sluice_stream *s) {
    view v = see(s);
    const char *p = v.p;
    bool text = false;
    if (!s->encoded)
        return GO;
    while (p < v.end && *p != s->outer_quote) {
        text |= !is_space(*p) && *p != '\\';
        p += *p == '\\' ? 2 : 1;
    }
    if (p >= v.end && !s->finished)
        return wait_for(s, NULL);
    if (p > v.end)
        p = v.end;
    if (text && !s->bare_quotes && p < v.end) {
        out left = new_out(s);
        sluice__put_unescaped(&left, v.p, (size_t)(p - v.p));
        view w = trimmed(out_view(&left));
        const char *rest = w.p;
        while (rest < w.end && (is_space(*rest) || strchr("}]", *rest)))
            rest++;
        if (w.p < w.end && *w.p != '\\') {
            sluice__lower(s, rest < w.end ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
            sluice__report(s, "ignored_text", "text after the encoded arguments was left out");
        }
        sluice__buffer_release(&s->alloc, &left.b);
    }
    s->pos += (uint64_t)(p - v.p) + (p < v.end);
    s->encoded = false;
    return GO;
}

/* The end of the bare key, number or quoted string at p; NULL: none; *cut: more bytes are needed.
 */
static const char *behind_token(view v, const char *most, bool finished, bool *cut) {
    const char *from = v.p, *p = v.p;
    char quote = *p;
    bool quoted = quote == '"' || quote == '\'';
    for (p += quoted; p < v.end && p < most; p++) {
        if (quoted && *p == quote)
            return p + 1;
        if (quoted && *p == '\\')
            p++;
        else if (quoted ? *p == '\n' : !is_name_byte(*p) && *p != '-' && *p != '.')
            return quoted || p == from ? NULL : p;
    }
    *cut = p < most && !finished;
    return NULL;
}

/* Do more members follow at `at`, behind the end of the arguments? `closers`: perhaps behind
 * brackets. */
match sluice__goes_on(const sluice_stream *s, uint64_t at, bool closers) {
    view v = see_from(s, at);
    const char *p = v.p, *most = v.p + s->set.limit_name;
    bool comma = false, line = false, cut = false;
    for (; p < v.end && p < most; p++) {
        if (*p == ',' && !comma)
            comma = true;
        else if (is_space(*p))
            line |= *p == '\n';
        else if (!closers || comma || (*p != ']' && *p != '}' && *p != ')'))
            break;
    }
    if (p >= v.end || p >= most)
        return p >= most || s->finished ? NO : CUT;
    if (!comma && line)
        return NO;
    char c = *p;
    bool value = c == '"' || c == '\'' || c == '-' || (c >= '0' && c <= '9');
    const char *q = behind_token((view){p, v.end}, most, s->finished, &cut);
    if (!q)
        return cut ? CUT : NO;
    while (q < v.end && q < most && is_space(*q))
        q++;
    if (q >= v.end || q >= most)
        return q >= most || s->finished ? NO : CUT;
    bool bare = is_name_byte(c) || c == '-';
    if (*q == '=') /* name=value */
        return q + 1 < v.end ? (bare && q[1] != '=' ? YES : NO) : s->finished ? NO : CUT;
    return (*q == ':' && (comma || !bare)) || ((comma || closers) && value && strchr(",]})", *q))
               ? YES
               : NO;
}

/* The arguments became unreadable: `inside` of a value, or between two. */
static went unreadable(sluice_stream *s, const sluice__arguments_spec *how, const char *why,
                       bool inside, const literals *resync) {
    size_t item;
    uint64_t at;
    if (!inside) {
        match m = NO;
        int c;
        if (!peek_byte(s, &c, &at)) /* the braces go before white space */
            return WAIT;
        if (how->enders) {
            m = sluice__look(s, how->enders, true, &item, &at);
            if (m == YES && (m = sluice__goes_on(s, at, true)) != CUT)
                m = m == YES ? NO : YES;
            if (m == CUT)
                return wait_for(s, NULL);
        }
        if (m == YES || c < 0) { /* only brackets are missing */
            close_reader(s);
            sluice__lower(s, SLUICE_RECOVERED);
            if (s->call->reader.risky)
                sluice__spoil(s, "bad_arguments",
                              "a quote, a comma or a colon was guessed, and a bracket is missing");
            s->json_phase = BEGIN;
            return GO;
        }
    }
    s->skipped = 1; /* the brace around them */
    for (unsigned k = 0; k < s->call->reader.depth; k++)
        s->skipped += json_bracket(&s->call->reader, k) == '{';
    close_reader(s);
    if (why)
        sluice__report_key(s, "bad_arguments",
                           "cannot parse the rest of the arguments: ", view_of(why, strlen(why)),
                           "");
    else
        sluice__report(s, "bad_arguments", "cannot parse the rest of the arguments");
    sluice__lower(s, SLUICE_INCOMPLETE);
    s->unread = true;
    s->encoded = false;
    s->json_phase = resync ? LEAVE_OUT : BEGIN;
    s->skip_at = 0;
    s->call->reader.depth -=
        how->kwargs && s->call->reader.depth; /* without the call's own parenthesis */
    s->call->reader.quote = 0;
    return resync ? JUMPED : GO;
}

/* Goes to the end of a Python call: its parenthesis behind all others, or a longer literal of the
 * set, not in a string. The state: `skip_at`, how far; in `reader`, the quote and open brackets. */
static went skip_python(sluice_stream *s, const literals *set) {
    json *j = &s->call->reader;
    view v = see(s), w = v;
    size_t item;
    if (s->skip_at < s->pos + 1)
        s->skip_at = s->pos + 1;
    for (w.p += s->skip_at - 1 - s->pos; w.p < w.end; w.p++) {
        char c = *w.p;
        size_t n = 1;
        if (j->quote && c == '\\') {
            if (view_len(w) < 2 && !s->finished)
                break;
            w.p += view_len(w) > 1;
            continue;
        }
        if (c == '"' || c == '\'') {
            if (view_len(w) < 3 && !s->finished)
                break;
            bool three = view_len(w) >= 3 && w.p[1] == c && w.p[2] == c;
            char before = w.p > v.p ? w.p[-1] : 0;
            if (j->quote ? (char)j->quote == c && (three || !j->triple)
                         : !((before | 32) >= 'a' && (before | 32) <= 'z' &&
                             !strchr("rRbBfFuU", before))) {
                n = j->quote ? (j->triple ? 3 : 1) : three ? 3 : 1;
                j->triple = !j->quote && three;
                j->quote = j->quote ? 0 : (uint8_t)c;
            }
            w.p += n - 1;
            continue;
        }
        if (j->quote)
            continue;
        match m = set->first[(unsigned char)c] ? find_literal(s, set, w, &item) : NO;
        if (m == CUT)
            break;
        if (m == YES) {
            bool ends = set->items[item].len > 2 || (c == ')' && !j->depth);
            if (c == ']' && !j->depth &&
                !ends) { /* a bracket ends the list, if a line or a literal follows */
                view b = {w.p + 1, w.end};
                const char *p = past_space(b);
                if (p == b.end && !s->finished)
                    break;
                ends = p == b.end || (p > b.p && memchr(b.p, '\n', (size_t)(p - b.p)));
                if (!ends && (m = find_literal(s, set, (view){p, b.end}, &item)) == CUT)
                    break;
                ends |= m == YES && p < b.end && set->items[item].len > 2;
            }
            if (ends) {
                s->pos += (uint64_t)(w.p - v.p);
                s->skip_at = 0;
                return GO;
            }
        }
        if (strchr("([{", c) && j->depth < UINT16_MAX)
            j->depth++;
        else if (strchr(")]}", c) && j->depth)
            j->depth--;
    }
    if (w.p > v.end)
        w.p = v.end;
    s->skip_at = s->pos + 1 + (uint64_t)(w.p - v.p);
    if (!s->finished) { /* the byte before may be a string's prefix: all else can go */
        w.p -= w.p > v.p;
        while (w.p > v.p && ((unsigned char)*w.p & 0xC0) == 0x80)
            w.p--;
        s->pos += (uint64_t)(w.p - v.p);
        return wait_for(s, NULL);
    }
    s->pos += view_len(v);
    s->skip_at = 0;
    return GO;
}

/* ---- The reader --------------------------------------------------------------------------- */

static went read(sluice_stream *s, const sluice__arguments_spec *how) {
    for (;;) {
        if (is_full(s))
            return PAUSE;
        bool closed;
        view v = source(s, &closed);
        bool last = s->finished || closed;
        size_t sure, used = 0;
        json *j = &s->call->reader;
        const char *first = past_space(v);
        if (j->place == BEFORE_VALUE && !j->depth && s->has_all && first < v.end && *first != '{')
            return unreadable(s, how, "expected an object", true, how->resync);
        json_end end = sluice__json_read(j, v, &sure);
        if (sure) {
            size_t n = length_of(s, sure);
            sluice__tell_markup(s, s->pos);
            if (s->encoded) {
                sluice__write(s, view_of(v.p, sure), s->pos + n);
            } else {
                sluice__arguments(s, v.p, sure, s->pos + n);
            }
            s->pos += n;
            v.p += sure;
        }
        if (end == JSON_MORE && !last) {
            if (j->ahead > s->set.limit_held)
                end = JSON_ODD;
            else if (j->ahead || s->encoded || j->place != IN_STRING)
                return wait_for(s, NULL);
            else
                return pass_on(s, SLUICE_ARGUMENTS, sluice__ends_plain, NULL);
        }
        if (end != JSON_DONE) {
            size_t from = s->made.b.len;
            end = sluice__json_mend(j, v, last, &s->made, &used, position, s);
            if (end == JSON_MORE && !used && !last)
                return wait_for(s, s->encoded ? NULL : j->wakes);
            if (end != JSON_ODD && (used || end == JSON_DONE)) {
                size_t n = length_of(s, used);
                size_t len = s->made.b.len - from;
                s->made.b.len = from;
                s->taken.b.len = 0;
                put(&s->taken, s->made.b.data ? s->made.b.data + from : "",
                    len); /* an error goes before it */
                sluice__tell_mended(s);
                sluice__tell_markup(s, s->pos);
                from = s->made.b.len;
                put(&s->made, out_text(&s->taken), len);
                if (len)
                    sluice__arguments_made(s, from, s->pos + n);
                s->pos += n;
                if (end == JSON_MORE)
                    continue;
            }
        }
        if (end == JSON_DONE) {
            s->json_open = false;
            s->whole = true;
            s->json_phase = BEHIND;
            return GO;
        }
        /* The text ends, or nobody can make sense of it. */
        bool inside = j->place != AFTER_VALUE || in_string(j),
             ends = past_space(v) == v.end || !j->problem;
        const char *p = past_space(v);
        if (!inside && p < v.end && *p == ',') { /* nothing readable behind a comma */
            ends |= past_space((view){p + 1, v.end}) == v.end;
            inside = !ends;
        }
        if (j->place <= IN_EMPTY_OBJECT && p == v.end)
            inside = j->place == BEFORE_VALUE;
        if (j->deep)
            sluice__report(s, "limit_exceeded",
                           "the arguments are nested too deep, or a number in them is too long");
        if (ends && end != JSON_DONE && (s->finished || closed) && !j->deep) {
            if (p < v.end)
                inside = true; /* a key, a word or a string */
            if (!closed) {
                view w = see(s);
                s->pos += view_len(w);
            }
            close_reader(s);
            if (!inside && !closed)
                sluice__spoil(s, "unfinished_call",
                              "the text ends before the arguments are closed");
            sluice__lower(s, inside ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
            s->json_phase = BEHIND;
            return GO;
        }
        return unreadable(s, how, j->problem, inside, how->resync);
    }
}

/* Behind the JSON string at v.p. */
static const char *behind_string(view v) {
    const char *end = sluice__string_end((view){v.p + 1, v.end}, '"');
    return end ? end + 1 : v.end;
}

/* The whole object up to `end`, whose strings get the types that the tool declares. */
static void typed_members(sluice_stream *s, const sluice__arguments_spec *how, uint64_t end) {
    out all = new_out(s), text = all, typed = all;
    sluice__tell_mended(s);
    sluice__put_strict(&all, view_of(byte_at(s, s->pos), (size_t)(end - s->pos)), how->quote);
    s->pos = end;
    sluice__tell_markup(s, end);
    view v = out_view(&all);
    for (v.p++; v.p < v.end && *v.p != '}';) {
        if (*v.p != '"') {
            v.p++;
            continue;
        }
        const char *key = v.p + 1, *after = behind_string(v);
        s->call->param.b.len = 0;
        sluice__put_unescaped(&s->call->param, key, (size_t)(after - 1 - key));
        v.p = past_space((view){after, v.end});
        v.p += v.p < v.end && *v.p == ':';
        const char *from = past_space(v);
        int depth = 0;
        for (v.p = from; v.p < v.end && (depth || (*v.p != ',' && *v.p != '}'));) {
            depth += strchr("[{", *v.p) ? 1 : strchr("]}", *v.p) ? -1 : 0;
            v.p = *v.p == '"' ? behind_string(v) : v.p + 1;
        }
        view name = out_view(&s->call->param), value = trimmed((view){from, v.p});
        sluice__types types;
        s->scripts->types(s->user, s, 0, name, false, NULL, &types);
        put(&typed, s->any ? "," : "{", 1);
        put(&typed, key - 1, (size_t)(after - key + 1));
        put(&typed, ":", 1);
        s->any = true;
        unsigned type = 0;
        bool rewritten = false;
        size_t to = typed.b.len;
        if (types.declared && types.mask < SLUICE__STRING && value.p < value.end &&
            *value.p == '"') {
            text.b.len = 0;
            sluice__put_unescaped(&text, value.p + 1, view_len(value) - 2);
            type = sluice__typed(out_view(&text), types.mask, s->set.repairs, false, &typed,
                                 &rewritten);
            if (!type)
                sluice__no_type(s, name);
            if (rewritten)
                sluice__repair(s, "a value was rewritten as JSON");
        }
        if (!type) {
            typed.b.len = to;
            put(&typed, value.p, view_len(value));
        }
    }
    sluice__write(s, out_view(&typed), end); /* in one event */
    sluice__buffer_release(&s->alloc, &typed.b);
    sluice__buffer_release(&s->alloc, &all.b);
    sluice__buffer_release(&s->alloc, &text.b);
}

static const char behind_brace[] = "they go on after their closing brace";

/* Is a string with an object at p, whose quotes are not escaped: they would end the string. */
static match in_bare_quotes(const sluice_stream *s, view v) {
    char quote = *v.p++;
    bool brace = false;
    const char *p = v.p;
    for (; p < v.end && (size_t)(p - v.p) < s->set.limit_name; p++) {
        if (brace && *p == quote)
            return YES;
        if (!is_space(*p) && (brace || *p != '{'))
            return NO;
        brace |= *p == '{';
    }
    return p < v.end || s->finished ? NO : CUT;
}

went sluice__stream_arguments(sluice_stream *s, const sluice__arguments_spec *how) {
    went w;
    if (s->json_phase == BEGIN) {
        if (s->has_all || s->whole) {
            sluice__fail(s, "the description reads arguments twice, or after the call's end");
            return BROKEN;
        }
        sluice__flush_repeated(s);
        view v = see(s), inside = {how->kwargs ? v.p : past_space(v), v.end};
        s->encoded = s->bare_quotes = false;
        if (!how->kwargs && !s->any && !s->enveloped && inside.p < v.end && *inside.p == '{') {
            uint64_t at;
            match m = sluice__in_envelope(s, &at);
            if (m == CUT)
                return wait_for(s, NULL);
            if (m == YES) {
                s->enveloped = true;
                sluice__repair(s, "the arguments were inside of an object that is a call itself");
                s->pos = at;
                v = inside = see(s);
            }
        }
        if (!how->kwargs && s->tool && s->set.types && inside.p < inside.end && *inside.p == '{') {
            uint64_t end;
            s->pos += (uint64_t)(inside.p - v.p);
            match m = sluice__skip_value(s, &end, false, how->quote);
            if (m == CUT)
                return WAIT;
            if (m == YES) {
                typed_members(s, how, end);
                s->json_phase = BEHIND;
                return sluice__stream_arguments(s, how);
            }
            v = inside = see(s);
        }
        if (how->kwargs) {
            inside.p = past_space(inside);
            if (inside.p == v.end && !s->finished)
                return wait_for(s, NULL);
            sluice__json_begin_arguments(&s->call->reader);
        } else {
            if (inside.p == v.end && !s->finished)
                return wait_for(s, NULL);
            sluice__json_begin(&s->call->reader, false);
            if (inside.p < v.end && *inside.p != '{') {
                match bare = s->set.repairs ? in_bare_quotes(s, inside) : NO;
                if (bare == CUT)
                    return wait_for(s, NULL);
                s->outer_quote = *inside.p++;
                inside.p = past_space(inside);
                if (inside.p == v.end && !s->finished)
                    return wait_for(s, NULL);
                s->encoded = bare == NO;
                s->bare_quotes = bare == YES;
                if (bare == YES)
                    sluice__repair(s, "the quotes inside the encoded arguments were not escaped");
            }
        }
        s->call->reader.strict = !s->set.repairs && !how->python;
        s->call->reader.python |= how->python;
        s->call->reader.ends = how->enders;
        s->call->reader.own_quote = how->quote;
        s->pos += (uint64_t)(inside.p - v.p);
        s->json_open = true;
        s->has_all = !s->any;
        if (s->any) { /* its members are added to those that the call has */
            view w = see(s);
            const char *p = past_space((view){w.p + (w.p < w.end && !how->kwargs), w.end});
            if (p == w.end && !s->finished) {
                s->json_open = false;
                return wait_for(s, NULL);
            }
            if (!how->kwargs) {
                json_push(&s->call->reader, '{');
                s->call->reader.place = IN_EMPTY_OBJECT;
                s->pos += w.p < w.end;
            }
            bool more = p < w.end && *p != '}' && *p != ')';
            sluice__tell_markup(s, s->pos);
            sluice__write(s, view_of(",", more), s->pos);
        }
        if (how->kwargs) {
            sluice__tell_markup(s, s->pos);
            sluice__write(s, view_of("{", s->has_all), s->pos);
        }
        s->json_phase = READ;
    }
    if (s->json_phase == READ) {
        w = read(s, how);
        if (w != GO && w != JUMPED)
            return w;
        if (w == GO && s->json_phase == BEGIN)
            return GO;
    }
    if (s->json_phase == BEHIND) {
        if ((w = after_encoded(s)) != GO)
            return w;
        if (s->bare_quotes) {
            view v = see(s);
            if (v.p == v.end && !s->finished)
                return wait_for(s, NULL);
            s->pos += v.p < v.end && *v.p == s->outer_quote;
            s->bare_quotes = false;
        }
        if (s->enveloped) {
            match m = sluice__envelope_ends(s);
            if (m == CUT)
                return WAIT;
            if (m == NO)
                sluice__spoil(s, "bad_arguments", "the object around the arguments has others");
            s->enveloped = false;
        }
        if (how->plain_end) {
            s->json_phase = BEGIN;
            return GO;
        }
        match more = sluice__goes_on(s, s->pos + how->kwargs, s->status != SLUICE_COMPLETE);
        if (more == CUT)
            return wait_for(s, NULL);
        s->json_phase = BEGIN;
        if (more == YES) {
            sluice__report_key(s, "bad_arguments", "cannot parse the rest of the arguments: ",
                               view_of(behind_brace, sizeof behind_brace - 1), "");
            sluice__lower(s, SLUICE_INCOMPLETE);
            s->unread = true;
            s->call->reader.depth = s->call->reader.quote = 0;
            if (s->set.repairs && how->resync)
                s->json_phase = LEAVE_OUT;
        }
    }
    if (s->json_phase == LEAVE_OUT) {
        w = how->kwargs ? skip_python(s, how->resync) : sluice__skip_to(s, how->resync);
        if (w == GO)
            s->json_phase = BEGIN;
        return w;
    }
    return GO;
}

/* ---- Values that are looked through ------------------------------------------------------- */

match sluice__skip_value(sluice_stream *s, uint64_t *end, bool python, const char *own) {
    json *j = &s->call->reader;
    if (s->skip_at != s->pos + 1) {
        sluice__json_begin(j, python);
        j->own_quote = own;
        s->skip_at = s->pos + 1;
        s->at = s->pos;
    }
    for (;;) {
        view v = see_from(s, s->at);
        size_t sure, used;
        json_end what = sluice__json_read(j, v, &sure);
        s->at += sure;
        v.p += sure;
        if (what == JSON_MORE && !s->finished && j->ahead <= LONGEST_TOKEN) {
            s->wakes = NULL;
            return CUT;
        }
        if (what != JSON_DONE) {
            s->taken.b.len = 0;
            what = sluice__json_mend(j, v, s->finished, &s->taken, &used, NULL, NULL);
            s->at += used;
            if (what == JSON_MORE && used)
                continue;
            if (what == JSON_MORE && !s->finished) {
                s->wakes = j->wakes;
                return CUT;
            }
        }
        *end = s->at;
        s->skip_at = 0;
        return what == JSON_DONE ? YES : NO;
    }
}

/* ---- The instruction ---------------------------------------------------------------------- */

/* Does a value stand at pos that is all there is, and is text? For `raw`. */
static match is_raw(sluice_stream *s, argument what) {
    view v = see(s), w = {past_space(v), v.end};
    if (w.p == w.end)
        return NO;
    if (*w.p != '{')
        return what == NEITHER ? YES : NO;
    bool all = s->finished || view_len(w) > s->set.limit_header;
    if (view_len(w) > s->set.limit_header)
        w.end = w.p + s->set.limit_header;
    const char *p = past_space((view){w.p + 1, w.end});
    if (p == w.end)
        return all ? NO : CUT;
    if (*p == '}')
        return NO;
    const char *q = p;
    char quote = *p == '"' || *p == '\'' ? *p : 0;
    if (quote)
        for (q++; q < w.end && *q != quote; q++)
            q += *q == '\\';
    else
        while (q < w.end && (is_name_byte(*q) || *q == '-'))
            q++;
    if (q >= w.end)
        return all ? YES : CUT;
    q = past_space((view){q + (quote != 0), w.end});
    if (q == w.end)
        return all ? YES : CUT;
    return *q == ':' || *q == '=' ? NO : YES;
}

/* If other formats' calls begin alike, a name right behind the start, without arguments, must be a
 * given tool's. */
bool sluice__plain_call(sluice_stream *s) {
    uint64_t from = s->block + s->shared, start = s->call->regs[REG_NAME].start;
    if (start < from || from < s->base)
        return true;
    view v = {byte_at(s, from), byte_at(s, start)};
    if (past_space(v) < v.end)
        return true;
    size_t tool = s->tool;
    bool known = s->has_tools && sluice__prepare(s) == GO && s->tool;
    s->tool = tool;
    return known;
}

went sluice__op_arguments(sluice_stream *s, const sluice__ins *i) {
    const sluice__arguments_spec *how = &s->program->arguments[i->a];
    enum { DECIDE, STREAM };
    size_t item;
    uint64_t at;
    went w;
    if (s->phase == DECIDE) {
        argument what = how->kwargs ? AN_OBJECT : sluice__look_at_arguments(s, s->pos);
        if (what == NOT_YET)
            return WAIT;
        if (how->raw != SLUICE__NONE) { /* what does not begin like an object is text */
            match raw = is_raw(s, what);
            if (raw == CUT)
                return wait_for(s, NULL);
            if (raw == YES)
                return jump_to(s, how->raw);
        }
        if (what == NEITHER) {
            match m = how->enders ? sluice__look(s, how->enders, true, &item, &at) : NO;
            if (m == YES && how->closers)
                m = sluice__look(s, how->closers, true, &item, &at);
            if (m == CUT)
                return WAIT;
            if (m == NO && s->began) { /* by a parameter before them */
                sluice__spoil(s, "bad_arguments", "no object was found where they should begin");
                return GO;
            }
            if (m == NO || (s->shared && !sluice__plain_call(s)))
                return FAIL; /* neither arguments nor a closer of the call: it was broken off */
            what = NO_ARGUMENTS;
        }
        if (!s->began && s->has_tools && s->program->repairs_names && what == AN_OBJECT &&
            !how->kwargs) {
            if ((w = sluice__prepare(s)) == BROKEN)
                return w;
            if (s->unnamed) { /* its arguments tell its tool */
                uint64_t end;
                match m = sluice__skip_value(s, &end, false, NULL);
                if (m == CUT)
                    return WAIT;
                view name, given = view_of(see(s).p, (size_t)(end - s->pos));
                s->by_arguments = m == YES && s->scripts->ask(s->user, s, SLUICE__Q_TOOL_FOR, 0,
                                                              given, &name) > 0;
                if (s->by_arguments)
                    sluice__set_reg(s, REG_NAME, name, 0, 0);
            }
        }
        if ((w = sluice__announce(s)) != GO)
            return w;
        if (what == NO_ARGUMENTS) {
            match m = sluice__take(s, s->program->nothing, true, &item);
            return m == CUT ? WAIT : GO;
        }
        s->phase = STREAM;
        s->json_phase = BEGIN;
    }
    return sluice__stream_arguments(s, how);
}
