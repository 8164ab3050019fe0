/* Keys and strings of an object that is a call, or holds one. */
#include "stream.h"

/* More bytes are needed, if more can come; `quote`: those of a string that it ends. */
static match more(sluice_stream *s, char quote) {
    s->wakes = quote == '"' ? sluice__ends_plain : NULL;
    return s->finished ? NO : CUT;
}

static bool is_quote(char c) { return c == '"' || c == '\''; }

/* The string at v.p, decoded, in `taken`; *end: behind it. NO: it is none (*end is not set), or
 * longer (*end: behind as much as it may have). */
static match take(sluice_stream *s, view v, size_t limit, const char *own, const char **end) {
    own = own && view_len(v) >= strlen(own) && memcmp(v.p, own, strlen(own)) == 0 ? own : NULL;
    if (!own && (v.p == v.end || !is_quote(*v.p)))
        return NO;
    size_t n = own ? strlen(own) : 1;
    const char *from = v.p + n, *p = sluice__inside_end((view){from, v.end}, own, *v.p);
    if ((size_t)((p ? p : v.end) - from) > limit) {
        *end = from + limit;
        return NO;
    }
    if (!p)
        return more(s, own ? 0 : *v.p);
    s->taken.b.len = 0;
    sluice__put_unescaped(&s->taken, from, (size_t)(p - from));
    *end = p + n;
    return YES;
}

/* Reads a key, and its colon if there is one, at pos (`opens`: behind a brace). YES: its text is in
 * `taken`. NO: no key stands there. Moves nothing. */
match sluice__read_key(sluice_stream *s, bool opens, const char *own, member *m) {
    view v = see(s);
    const char *p = past_space(v), *end;
    *m = (member){0};
    if (opens) {
        if (p == v.end)
            return more(s, 0);
        if (*p++ != '{')
            return NO;
    }
    for (p = past_space((view){p, v.end}); p < v.end && *p == ',';)
        p = past_space((view){p + 1, v.end});
    m->first = s->pos + (uint64_t)(p - v.p);
    if (p == v.end)
        return more(s, 0);
    m->quoted = is_quote(*p);
    match key = take(s, (view){p, v.end}, LONGEST_TOKEN, own, &end);
    if (key == CUT || (key == NO && m->quoted)) {
        m->stop = *p;
        return key;
    }
    if (key == NO) {
        for (end = p; end < v.end && (is_name_byte(*end) || strchr("-.$@", *end));)
            end++;
        m->stop = end == p ? *p : 0;
        if (end == p)
            return NO;
        s->taken.b.len = 0;
        put(&s->taken, p, (size_t)(end - p));
    }
    const char *behind = past_space((view){end, v.end});
    m->plain = behind < v.end && (*behind == ':' || *behind == '=');
    if (m->plain)
        behind = past_space((view){behind + 1, v.end});
    if (behind == v.end && !s->finished)
        return more(s, 0);
    m->begin = s->pos + (uint64_t)(p - v.p);
    m->end = s->pos + (uint64_t)(end - v.p);
    m->first = s->pos + (uint64_t)(behind - v.p);
    m->value = behind < v.end ? *behind : 0;
    return YES;
}

/* The string at `at`, decoded, in `taken`; *end: behind it. NO: it is none (*end is `at`), or
 * longer than `limit`. */
match sluice__read_string(sluice_stream *s, uint64_t at, size_t limit, const char *own,
                          uint64_t *end) {
    view v = see_from(s, at);
    const char *behind = v.p;
    match m = take(s, v, limit, own, &behind);
    *end = at + (uint64_t)(behind - v.p);
    return m;
}

/* Reads members that say the call's name again. What sluice__read_key says of the next one. */
static match skip_names(sluice_stream *s, bool opens, member *m, bool *any) {
    for (;; opens = false) {
        uint64_t end;
        match key = sluice__read_key(s, opens, NULL, m);
        if (key != YES || !m->plain || !is_one_of(sluice__name_keys, out_view(&s->taken)) ||
            sluice__declares(s, out_view(&s->taken)) > 0)
            return key;
        key = sluice__read_string(s, m->first, s->set.limit_name, NULL, &end);
        m->stop = '"'; /* another name */
        if (key == YES && !view_is(out_view(&s->taken), s->call->called.data))
            key = NO;
        if (key != YES)
            return key;
        *any = true;
        s->pos = end;
    }
}

/* Are the arguments at pos those of an object like {"name": "f", "arguments": {...}}, of which the
 * tool declares no key? Rule D10. *inside: where they begin. */
match sluice__in_envelope(sluice_stream *s, uint64_t *inside) {
    sluice__given given = {NULL, NULL};
    uint64_t pos = s->pos;
    bool named = false;
    member m;
    if (!s->tool || !s->set.repairs || s->scripts->given(s->user, s, s->tool, &given) < 0)
        return NO;
    match key = skip_names(s, true, &m, &named);
    s->pos = pos;
    *inside = m.first;
    if (key == YES &&
        !(m.plain && m.value == '{' && is_one_of(sluice__argument_keys, out_view(&s->taken)) &&
          (named || given.keys) && sluice__declares(s, out_view(&s->taken)) <= 0))
        key = NO;
    return key;
}

/* The end of the envelope. NO: it has other members. */
match sluice__envelope_ends(sluice_stream *s) {
    uint64_t pos = s->pos;
    bool named;
    member m;
    match key = skip_names(s, false, &m, &named);
    if (key == CUT)
        s->pos = pos;
    if (key == CUT || (key == NO && !m.stop))
        return key == CUT ? CUT : YES;
    if (key == YES || m.stop != '}')
        return NO;
    s->pos = m.first + 1;
    return YES;
}
