/* An object that is a call: a name, arguments and others in any order; and an object around calls.
 */
#include "stream.h"

enum { BEGIN, MEMBER, SKIP, UNREADABLE, STREAM, REST, TAIL, ENDED, QUOTING }; /* phases */

typedef struct other { /* a member that the format does not declare */
    uint32_t key, len; /* in other_keys */
    bool own;          /* repeats what a wrapper says: the call's name, or its kind */
    uint8_t shape;
} other;
enum { IS_NOTHING, IS_TEXT, IS_NUMBER, HOLDS_VALUES, HOLDS_A_NAME }; /* shapes of values */

static other *others(const sluice_stream *s) { return (other *)(void *)s->call->others.b.data; }
static size_t other_count(const sluice_stream *s) { return s->call->others.b.len / sizeof(other); }
static view other_key(const sluice_stream *s, const other *o) {
    return view_of(out_text(&s->call->other_keys) + o->key, o->len);
}

/* ---- Members ------------------------------------------------------------------------------ */

static const char *const harmless[] = {"type",   "id",      "index",        "role", "object",
                                       "status", "call_id", "tool_call_id", NULL};
static const char *const kinds[] = {"function", "function_call", "tool_call", "tool_use", NULL};
/* ---- An envelope -------------------------------------------------------------------------- */

static const sluice__field *field_of(const sluice__object_spec *o, view key) {
    for (size_t k = 0; k < o->count; k++)
        if (view_is(key, o->fields[k].key))
            return &o->fields[k];
    return NULL;
}

/* Does v contain a key for a call's name, perhaps inside a string? */
static bool holds_key(view v, view key) {
    size_t len = view_len(key), n = view_len(v);
    for (size_t k = 1; k + len < n; k++) {
        if (memcmp(v.p + k, key.p, len) != 0 || !strchr("\"'`", v.p[k - 1]))
            continue;
        size_t at = k + len;
        while (at < n && (v.p[at] == '\\' || strchr("\"'`", v.p[at]) || is_space(v.p[at])))
            at++;
        if (at < n && v.p[at] == ':')
            return true;
    }
    return false;
}

static int shape_of(const sluice__object_spec *o, view v) {
    bool quoted = v.p < v.end && strchr("\"'`", *v.p);
    const char *p = past_space((view){v.p + quoted, v.end});
    if (p >= v.end || (!quoted && (*p == 'n' || *p == 'N')))
        return IS_NOTHING;
    if (*p != '{' && *p != '[')
        return !quoted ? IS_NUMBER : *p == *v.p ? IS_NOTHING : IS_TEXT;
    bool name = holds_key(v, view_of("name", 4));
    for (size_t k = 0; o && k < o->count; k++)
        name |=
            o->fields[k].name && holds_key(v, view_of(o->fields[k].key, strlen(o->fields[k].key)));
    p = past_space((view){p + 1, v.end});
    return name ? HOLDS_A_NAME : p < v.end && (*p == '}' || *p == ']') ? IS_NOTHING : HOLDS_VALUES;
}

/* Notes the member whose key is in REG_KEY, after its value was looked through. */
static void note_other(sluice_stream *s, const sluice__object_spec *o, const sluice__field *f,
                       view value) {
    int shape = shape_of(o, value);
    view key = out_view(&s->call->param), inside = {value.p + 1, value.end - 1};
    bool again = f && (f->name || f->arguments),
         string = view_len(value) >= 2 && (*value.p == '"' || *value.p == '\'');
    if (!again && (o->some_required || o->flat || (f && (f->extra || shape < HOLDS_VALUES))))
        return; /* a list of all allowed fields drops the others */
    view name = reg_view(s, REG_NAME);
    other one = {.key = (uint32_t)s->call->other_keys.b.len,
                 .len = (uint32_t)view_len(key),
                 .shape = (uint8_t)shape};
    if (string && f && f->name)
        one.own = s->call->regs[REG_NAME].has && view_len(name) == view_len(inside) &&
                  memcmp(name.p, inside.p, view_len(name)) == 0;
    else if (string)
        one.own = view_is(key, "type") && is_one_of(kinds, inside);
    put(&s->call->others, (const char *)&one, sizeof one);
    put(&s->call->other_keys, key.p, view_len(key));
}

/* May an unused member have been an argument, or another call? */
static bool is_lost(sluice_stream *s, const sluice__object_spec *o, const other *one) {
    view key = other_key(s, one);
    const sluice__field *f = field_of(o, key);
    if (one->own)
        return false;
    if (one->shape == HOLDS_A_NAME || (f && (f->arguments || f->name)))
        return true;
    bool harmful = one->shape >= HOLDS_VALUES || !is_one_of(harmless, key);
    view given = out_view(&s->call->arguments);
    bool declared = sluice__declares(s, key) > 0;
    if (!s->object_given || o->name_as_key)
        return declared || harmful;
    if (is_one_of(sluice__argument_keys, key) && !declared)
        return true; /* the arguments again */
    if (s->tool)
        return declared && (harmful || (!sluice__is_used(s, key) && !holds_key(given, key)));
    bool any = !s->kept || memchr(given.p, '"', view_len(given));
    return harmful && one->shape > (any ? IS_TEXT : IS_NOTHING);
}

static void tell_lost(sluice_stream *s, const sluice__object_spec *o) {
    for (size_t k = 0; k < other_count(s); k++) {
        const other *one = &others(s)[k];
        if (!is_lost(s, o, one))
            continue;
        sluice__lower(s, SLUICE_INCOMPLETE);
        sluice__report_key(s, "ignored_argument", "the member '", other_key(s, one),
                           "' was not read as an argument");
    }
    s->call->others.b.len = 0;
    if (s->loose_key)
        sluice__spoil(s, "bad_arguments",
                      "a key of the call's object does not end, or has no colon");
    s->loose_key = false;
}

static void tell_renamed(sluice_stream *s) {
    if (s->renamed)
        sluice__repair(s, "the arguments were under another key");
    s->renamed = false;
}

/* Tells text that the response writes otherwise. */
static void speak_as(sluice_stream *s, sluice_event_type type, const char *text, size_t len,
                     uint64_t at) {
    uint32_t kept = sluice__keep_text(s, text, len);
    sluice__tell(s, type, NULL, len, at, at)->text = kept;
}

/* Tells the strings of a value at `at`, but for keys, each on a line, as text or reasoning. */
static void speak(sluice_stream *s, sluice_event_type type, uint64_t at) {
    view all = see_from(s, at), v = {past_space(all), all.end};
    const char *whole = sluice__json_skip(&s->alloc, v, false);
    bool any = false;
    v.end = whole ? whole : v.end;
    s->committed = true;
    for (const char *p = v.p; p < v.end; p++) {
        if (*p != '"' && *p != '\'')
            continue;
        const char *end = p + 1;
        while (end < v.end && *end != *p)
            end += *end == '\\' && end + 1 < v.end ? 2 : 1;
        const char *behind = end < v.end ? past_space((view){end + 1, v.end}) : v.end;
        if (behind == v.end || *behind != ':') {
            uint64_t from = at + (uint64_t)(p + 1 - all.p);
            if (any)
                speak_as(s, type, "\n", 1, from);
            for (const char *q = p + 1; q < end;) {
                const char *plain = memchr(q, '\\', (size_t)(end - q));
                from = at + (uint64_t)(q - all.p);
                size_t n = (size_t)((plain ? plain : end) - q);
                if (n)
                    sluice__tell(s, type, q, n, from, from + n);
                q += n;
                if (!plain)
                    break;
                s->taken.b.len = 0;
                q = sluice__put_character(&s->taken, plain, end);
                speak_as(s, type, out_text(&s->taken), s->taken.b.len, at + (uint64_t)(q - all.p));
            }
            any = true;
        }
        p = end;
    }
    s->spoken = at + (uint64_t)(v.end - all.p);
}

/* Reports what was noted as reasoning. */
static void tell_said(sluice_stream *s) {
    for (; s->said_next < s->said_count; s->said_next++)
        speak(s, SLUICE_REASONING, s->call->said[s->said_next]);
}

static void note_said(sluice_stream *s, uint64_t at) {
    enum { MOST = sizeof s->call->said / sizeof *s->call->said };
    bool new = !s->said_count || s->call->said[s->said_count - 1] < at;
    if (new && s->said_count < MOST)
        s->call->said[s->said_count++] = at;
}

static went announce(sluice_stream *s) {
    if (s->began)
        return GO;
    if (s->said_next < s->said_count) {
        went w = sluice__prepare(s);
        if (w != GO)
            return w;
        tell_said(s);
    }
    return sluice__announce(s);
}

/* Reads what was passed over, and so is all there, at [from, to): arguments, or (no `how`) the
 * value of one. */
static went read_held(sluice_stream *s, uint64_t from, uint64_t to,
                      const sluice__arguments_spec *how) {
    uint64_t pos = s->pos, horizon = s->horizon;
    bool finished = s->finished;
    went w = GO;
    s->pos = from;
    s->horizon = to;
    s->finished = true;
    if (how) {
        sluice__arguments_spec inside = *how;
        inside.plain_end = true;
        inside.enders = inside.resync = NULL;
        s->json_phase = 0;
        w = sluice__stream_arguments(s, &inside);
    } else {
        sluice__value_json(s);
    }
    s->pos = pos;
    s->horizon = horizon;
    s->finished = finished;
    return w == BROKEN ? w : GO;
}

/* Reads a member that is an argument itself: it must be looked through already. */
static void flat_member(sluice_stream *s, view key, uint64_t first, uint64_t end) {
    if (sluice__hash_add(s, &s->call->used, key.p, view_len(key))) {
        sluice__duplicate(s, key);
        return;
    }
    sluice__begin_parameter(s, key);
    read_held(s, first, end, NULL);
}

static bool is_answer(const sluice_stream *s, const sluice__object_spec *o) {
    return s->call->regs[REG_NAME].has && is_one_of(o->answers, reg_view(s, REG_NAME));
}

static went refuse(sluice_stream *s, const char *why) {
    if (why && !s->call->wrong.b.len)
        sluice__wrong(s, NULL, why);
    return FAIL;
}

/* Are the fields that the script requires present and of the right kind? */
static bool complete(sluice_stream *s, const sluice__object_spec *o) {
    for (size_t k = 0; k < o->count; k++) {
        const sluice__field *f = &o->fields[k];
        char kind = f->name && s->call->regs[REG_NAME].has ? '"' : s->call->kinds[k];
        bool number = kind == '-' || (kind >= '0' && kind <= '9');
        bool good = f->required == SLUICE__A_STRING       ? kind == '"'
                    : f->required == SLUICE__AN_OBJECT    ? kind == '{'
                    : f->required == SLUICE__A_NUMBER     ? number
                    : f->required == SLUICE__MAYBE_NUMBER ? !kind || number
                                                          : true;
        if (good)
            continue;
        if (!s->call->wrong.b.len) {
            put_text(&s->call->wrong, "the field '");
            put_text(&s->call->wrong, f->key);
            put_text(&s->call->wrong, "' is missing or of the wrong kind");
            put(&s->call->wrong, "", 1);
        }
        return false;
    }
    return true;
}

/* ---- The object --------------------------------------------------------------------------- */

static const char go_on[] =
    "cannot parse the rest of the arguments: they go on after their closing brace";

/* The object has ended, and its call is not announced yet: the arguments came before the name, or
 * there are none. */
static went announce_late(sluice_stream *s, const sluice__object_spec *o) {
    if ((o->arguments_required || (s->markerless && !o->arguments_optional)) && !s->object_given)
        return refuse(s, "the arguments are missing");
    if (!complete(s, o))
        return FAIL;
    uint64_t end = s->pos;
    bool held = s->arguments_at != UINT64_MAX;
    if (held && is_answer(s, o)) {
        tell_said(s);
        s->spoke = true;
        speak(s, SLUICE_TEXT, s->arguments_at);
        return GO;
    }
    argument what = held ? sluice__look_at_arguments(s, s->arguments_at) : NO_ARGUMENTS;
    s->pos = held && s->arguments_at < end ? s->arguments_at : end;
    went w = announce(s);
    s->pos = end;
    if (w != GO)
        return w;
    tell_renamed(s);
    if (held && o->scalar && what == NEITHER) {
        view key = view_of(o->scalar, strlen(o->scalar));
        if (s->tool)
            s->scripts->ask(s->user, s, SLUICE__Q_SINGLE, 0, key, &key);
        flat_member(s, key, s->arguments_at, s->object_end);
    } else if (held) {
        w = read_held(s, s->arguments_at, s->object_end, &o->how);
        if (w != GO)
            return w;
    }
    tell_lost(s, o);
    return GO;
}

/* Goes on behind a member that could not be read, or the end of the text. */
static went unreadable(sluice_stream *s, const sluice__object_spec *o) {
    const literals *enders = o->how.enders;
    size_t item;
    uint64_t at;
    int c;
    if (!s->began && (s->arguments_at != UINT64_MAX || s->object_given) &&
        s->call->regs[REG_NAME].has) {
        went w = announce_late(s, o);
        if (w != GO)
            return w;
    }
    if (!s->began)
        return FAIL;
    tell_lost(s, o);
    match m = enders ? sluice__look(s, enders, true, &item, &at) : NO;
    if (m == CUT || !next_byte(s, &c, &at))
        return WAIT;
    match more = m == YES && s->status != SLUICE_COMPLETE ? sluice__goes_on(s, s->pos, true) : NO;
    if (more == CUT)
        return wait_for(s, NULL);
    if (more == YES)
        sluice__spoil(s, "bad_arguments", go_on);
    bool odd = m == NO && c >= 0;
    if (odd && !s->set.repairs) {
        sluice__lower(s, SLUICE_INCOMPLETE);
        return GO;
    }
    if (o->flat && c < 0 && m == NO) /* its brace is that of the arguments */
        sluice__spoil(s, "unfinished_call", "the text ends before the arguments are closed");
    sluice__lower(s, SLUICE_RECOVERED);
    if (odd && (o->flat || c == '"' || c == '\'')) {
        sluice__spoil(s, "bad_arguments",
                      o->flat ? "cannot parse the rest of the arguments"
                              : "cannot parse the rest of the arguments: a member of the call's "
                                "object does not end");
        s->unread = true;
        s->phase = REST;
        return JUMPED;
    }
    return GO;
}

/* What follows the object. */
static went tail(sluice_stream *s, const sluice__object_spec *o) {
    while (!o->brace_follows) {
        int c;
        uint64_t at;
        if (!next_byte(s, &c, &at))
            return WAIT;
        if (c != '}')
            break;
        s->pos = at + 1;
        if (!s->began)
            continue;
        sluice__report(s, s->trailed ? "ignored_argument" : "repaired",
                       s->trailed ? "there is an extra closing brace, and the text after the "
                                    "arguments may belong to them"
                                  : "an extra closing brace was left out");
        sluice__lower(s, s->trailed ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
    }
    if (!s->began)
        return GO;
    match more = sluice__goes_on(s, s->pos, s->status != SLUICE_COMPLETE);
    if (more == CUT)
        return wait_for(s, NULL);
    if (more == NO)
        return GO;
    sluice__spoil(s, "bad_arguments", go_on);
    s->unread = true;
    if (!s->set.repairs)
        return GO;
    s->phase = REST;
    return JUMPED;
}

/* Streams arguments whose call is announced, at pos. */
static went stream(sluice_stream *s, const sluice__object_spec *o) {
    sluice__arguments_spec how = o->how;
    how.plain_end = true;
    how.resync = how.enders;
    went w = sluice__stream_arguments(s, &how);
    if (w != GO)
        return w;
    if (s->unread) {
        tell_lost(s, o);
        return OVER;
    }
    return GO;
}

static went cannot_read(sluice_stream *s) { /* the member at pos, or the end of the text */
    s->phase = UNREADABLE;
    return GO;
}

/* Reads one member. GO: the object goes on; OVER: it has ended. */
static went read_member(sluice_stream *s, const sluice__object_spec *o) {
    member m;
    went w;
    const char *own = o->how.quote;
    match key = sluice__read_key(s, s->object_opens, own, &m);
    if (key == CUT)
        return WAIT;
    if (key == NO) {
        if (m.stop != '}')
            return cannot_read(s);
        uint64_t pos = s->pos;
        s->pos = m.first + 1;
        if (s->began) {
            tell_lost(s, o);
        } else if ((w = announce_late(s, o)) != GO) {
            s->pos = w == FAIL ? s->pos : pos; /* it begins again */
            return w;
        }
        s->phase = TAIL;
        return GO;
    }
    view text = out_view(&s->taken);
    sluice__set(s, &s->call->param.b, text.p, view_len(text));
    text = out_view(&s->call->param);
    const sluice__field *f = field_of(o, text);
    if (!f && m.value == '{' && !s->object_given && !o->name_as_key && !o->flat &&
        !o->some_required && !o->arguments_required && s->set.repairs &&
        (s->has_tools || !s->markerless) && is_one_of(sluice__argument_keys, text)) {
        for (size_t k = 0; k < o->count && !f; k++) /* the argument key, under another name */
            f = o->fields[k].arguments ? &o->fields[k] : NULL;
        s->renamed |= f != NULL;
    }
    s->field = f ? (uint16_t)(f - o->fields) : SLUICE__NONE;
    bool has_name = s->call->regs[REG_NAME].has;
    uint64_t end;
    bool is_long;
    s->loose_key |= !m.plain;
    if (s->loose_key && s->began && !f) { /* it may be anything */
        s->loose_key = false;
        sluice__spoil(s, "bad_arguments",
                      "cannot parse the rest of the arguments: a key of the call's object does "
                      "not end, or has no colon");
        s->unread = true;
        s->phase = REST;
        return GO;
    }
    if (f && (f->ignored || f->reasoning)) {
        if (f->reasoning && !s->began)
            note_said(s, m.first);
    } else if (o->flat && !(f && (f->name || f->id || f->extra))) {
        if (!has_name)
            s->passed = true; /* the name comes later: read again then */
    } else if (o->name_as_key && !has_name) {
        sluice__set_reg(s, REG_NAME, text, m.begin + m.quoted, m.end - m.quoted);
        argument what = sluice__look_at_arguments(s, m.first);
        if (what == NOT_YET) {
            s->call->regs[REG_NAME].has = false;
            return WAIT;
        }
        if (what != AN_OBJECT)
            return FAIL;
        uint64_t pos = s->pos;
        s->pos = m.first;
        if ((w = announce(s)) != GO) {
            s->pos = pos;
            s->call->regs[REG_NAME].has &= w == FAIL; /* the key is read again */
            return w;
        }
        s->object_given = true;
        s->object_opens = false;
        s->json_phase = 0;
        s->phase = STREAM;
        return GO;
    } else if (f && f->name && !has_name) {
        if (m.value != '"' && m.value != '\'' && m.value != '`' && !(own && m.value == *own))
            return cannot_read(s);
        match name = sluice__read_string(s, m.first, s->set.limit_name, own, &end, &is_long);
        if (name == CUT)
            return WAIT;
        if (is_long)
            sluice__wrong(s, "limit_exceeded", "the name is longer than limit_name");
        if (name == NO || !s->taken.b.len) {
            refuse(s, "not a valid tool name");
            return cannot_read(s);
        }
        sluice__set_reg(s, REG_NAME, out_view(&s->taken), m.first + 1, end - 1);
        s->pos = end;
        s->object_opens = false;
        if (s->passed) {
            s->passed = false;
            s->object_opens = true;
            s->pos = s->object_at;
        }
        return GO;
    } else if (f && f->arguments && !s->object_given) {
        argument what = sluice__look_at_arguments(s, m.first);
        bool special = o->scalar || o->answers[0];
        if (what == NOT_YET)
            return WAIT;
        if (what == NEITHER && !special) {
            refuse(s, "the arguments are not an object");
            return cannot_read(s);
        }
        s->call->kinds[s->field] = m.value;
        if (what == NO_ARGUMENTS && !is_answer(s, o)) {
            s->object_given = true;
        } else if (what == AN_OBJECT && has_name && !o->some_required && !is_answer(s, o)) {
            if ((w = announce(s)) != GO)
                return w;
            tell_renamed(s);
            s->pos = m.first;
            s->object_given = true;
            s->object_opens = false;
            s->json_phase = 0;
            s->phase = STREAM;
            return GO;
        } else { /* they precede the name, or all fields must be seen first: held */
            s->arguments_at = m.first;
        }
    } else if (f && f->id && m.value == '"') {
        match id = sluice__read_string(s, m.first, s->set.limit_header, own, &end, &is_long);
        if (id == CUT)
            return WAIT;
        if (id == NO)
            return cannot_read(s);
        s->call->kinds[s->field] = '"';
        sluice__set_reg(s, REG_ID, out_view(&s->taken), 0, 0);
        s->pos = end;
        s->object_opens = false;
        return GO;
    }
    s->pos = m.first;
    s->skip_at = 0;
    s->phase = SKIP;
    return GO;
}

/* Looks through the value at pos, whose key is in `param`. */
static went skip_member(sluice_stream *s, const sluice__object_spec *o) {
    const sluice__field *f = s->field == SLUICE__NONE ? NULL : &o->fields[s->field];
    uint64_t end, first = s->pos;
    bool held = s->arguments_at == first;
    match m = sluice__skip_value(s, &end, o->how.python, o->how.quote);
    if (m == CUT)
        return WAIT;
    view value = see_from(s, first);
    value.end = value.p + (end - first);
    s->object_opens = false;
    if (held) {
        s->object_given = true;
        s->object_end = end;
        if (m == NO)
            s->object_end = s->base + s->len < s->horizon ? s->base + s->len : s->horizon;
    } else if (f && (f->ignored || f->reasoning || (f->id && !f->extra))) {
        if (m == YES && f->id)
            sluice__set_reg(s, REG_ID, value, 0, 0);
    } else if (o->flat && !(f && (f->name || f->extra))) {
        if (s->call->regs[REG_NAME].has && !s->passed) {
            s->pos = first;
            went w = announce(s);
            if (w != GO)
                return w;
            s->pos = end;
            flat_member(s, out_view(&s->call->param), first, end);
        }
    } else {
        if (!(f && f->arguments && shape_of(o, value) == IS_NOTHING && s->object_given &&
              !s->began))
            note_other(s, o, f, value);
        s->trailed |=
            s->object_given && !s->tool && other_count(s) && !others(s)[other_count(s) - 1].own;
    }
    if (f && m == YES) {
        s->call->kinds[s->field] = *value.p;
        if (f->extra) {
            s->call->extra_from[f->extra - 1] = (uint32_t)s->call->extras.b.len;
            sluice__put_strict(&s->call->extras, value, o->how.quote);
            s->call->extra_to[f->extra - 1] = (uint32_t)s->call->extras.b.len;
        }
    }
    if (m == YES) {
        s->pos = end;
        s->phase = MEMBER;
        return GO;
    }
    if (s->began) {
        tell_lost(s, o);
        sluice__spoil(
            s, "bad_arguments",
            "cannot parse the rest of the arguments: a member of the call's object cannot be read");
        s->unread = true;
        s->phase = REST;
        return GO;
    }
    s->pos = end;
    return cannot_read(s);
}

/* An object that may begin anywhere must begin with a key in quotes, and not in one that is none.
 */
static match with_key(sluice_stream *s) {
    view v = see(s);
    const char *p = past_space(v);
    if (p == v.end)
        return s->finished ? NO : CUT;
    uint64_t at = s->pos + (uint64_t)(p - v.p);
    if (*p != '{')
        return NO;
    p = past_space((view){p + 1, v.end});
    if (p == v.end)
        return s->finished ? NO : CUT;
    return (*p == '"' || *p == '\'') && (at <= s->quoting_from || at >= s->quoting_until) ? YES
                                                                                          : NO;
}

/* The object at `at` is no call: nothing inside of it is one. */
static went quoting_object(sluice_stream *s) {
    uint64_t end;
    s->pos = s->object_at;
    match m = sluice__skip_value(s, &end, false, NULL);
    if (m == CUT)
        return WAIT;
    if (m == YES || s->finished) {
        s->quoting_from = s->object_at;
        s->quoting_until = m == YES ? end : UINT64_MAX;
    }
    return FAIL;
}

went sluice__op_object(sluice_stream *s, const sluice__ins *i) {
    const sluice__object_spec *o = &s->program->objects[i->a];
    went w = GO;
    if (s->phase == QUOTING)
        return quoting_object(s);
    if (s->phase == BEGIN) {
        match m = o->anywhere ? with_key(s) : YES;
        if (m == CUT)
            return wait_for(s, NULL);
        if (m == NO)
            return FAIL;
        s->object_at = s->pos;
        s->object_given = s->trailed = s->loose_key = s->renamed = false;
        s->call->others.b.len = s->call->other_keys.b.len = 0;
        s->arguments_at = UINT64_MAX;
        s->object_opens = true;
        memset(s->call->kinds, 0, sizeof s->call->kinds);
        s->phase = MEMBER;
    }
    while (w == GO) {
        switch (s->phase) {
        case MEMBER:
            w = read_member(s, o);
            break;
        case SKIP:
            w = skip_member(s, o);
            break;
        case UNREADABLE:
            w = unreadable(s, o);
            if (w == GO)
                s->phase = ENDED;
            if (w == JUMPED)
                w = GO;
            break;
        case STREAM:
            w = stream(s, o);
            if (w == GO)
                s->phase = MEMBER;
            if (w == OVER)
                return GO;
            break;
        case REST:
            if (!o->how.enders)
                return GO;
            return sluice__skip_to(s, o->how.enders);
        case TAIL:
            w = tail(s, o);
            if (w == GO)
                return GO;
            if (w == JUMPED)
                w = GO;
            break;
        default:
            return GO;
        }
    }
    if (w == FAIL && o->anywhere && !s->began) {
        view v = see_from(s, s->object_at);
        s->object_at += (uint64_t)(past_space(v) - v.p);
        s->skip_at = 0;
        s->phase = QUOTING;
        return quoting_object(s);
    }
    return w;
}

/* ---- An object around calls --------------------------------------------------------------- */

/* The members before the one that holds the calls, or (`behind`) after it. FAIL: it is no such
 * object; behind it: GO. */
static went read_members(sluice_stream *s, const sluice__member *spec, bool behind) {
    enum { FIRST, KEYS, VALUE };
    uint64_t end;
    bool is_long;
    for (;;) {
        if (s->phase == FIRST) {
            s->object_opens = !behind;
            s->doubted &= behind;
            s->phase = KEYS;
        }
        if (s->phase == VALUE) {
            uint64_t first = s->pos;
            match m = sluice__skip_value(s, &end, false, NULL);
            if (m == CUT)
                return WAIT;
            if (m == NO && !behind)
                return FAIL;
            view value = see_from(s, first);
            value.end = value.p + (end - first);
            int shape = shape_of(NULL, value);
            s->doubted |=
                !s->field_null && (shape == HOLDS_A_NAME || (s->loose_key && shape > IS_NOTHING));
            s->pos = end;
            s->phase = KEYS;
            if (m == NO)
                return GO;
        }
        member m;
        match key = sluice__read_key(s, s->object_opens, NULL, &m);
        if (key == CUT)
            return WAIT;
        if (key == NO && !behind)
            return FAIL;
        if (key == NO) {
            if (m.stop == '}')
                s->pos = m.first + 1;
            else if (s->began)
                sluice__lower(s, SLUICE_RECOVERED);
            return GO;
        }
        view text = out_view(&s->taken);
        bool holds = is_one_of(spec->keys, text);
        if (holds && !behind) {
            view v = see_from(s, m.first);
            const char *p = v.p < v.end && *v.p == '[' ? past_space((view){v.p + 1, v.end}) : v.end;
            if (p == v.end && v.p < v.end && *v.p == '[' && !s->finished)
                return wait_for(s, NULL);
            s->pos = m.first;
            if (p == v.end || *p != ']')
                return GO;
            s->pos += (uint64_t)(p + 1 - v.p); /* no calls */
            s->spoke = s->committed = true;
            sluice__tell_markup(s, s->pos);
            return jump_to(s, (uint16_t)(spec->out - 1));
        }
        size_t k = 0;
        while (spec->fixed[k] && !view_is(text, spec->fixed[k]))
            k++;
        if (spec->fixed[k] && !behind) {
            match value =
                sluice__read_string(s, m.first, s->set.limit_header, NULL, &end, &is_long);
            if (value == CUT)
                return WAIT;
            if (value == NO || !view_is(out_view(&s->taken), spec->values[k]))
                return FAIL;
            s->pos = end;
            s->object_opens = false;
            continue;
        }
        s->field_null = !behind && is_one_of(spec->reasoning, text);
        if (s->field_null)
            note_said(s, m.first);
        s->doubted |= behind && (s->missed || !m.plain);
        s->loose_key = holds || is_one_of(sluice__argument_keys, text);
        s->object_opens = false;
        s->pos = m.first;
        s->skip_at = 0;
        s->phase = VALUE;
    }
}

went sluice__op_member(sluice_stream *s, const sluice__ins *i) {
    enum { NOTHING = 3 };
    const sluice__member *spec = &s->program->members[i->a];
    bool behind = i->kind != SLUICE__BEGINS;
    went w = FAIL;
    if (s->phase != NOTHING) {
        if (!s->phase && !behind) {
            match m = spec->anywhere ? with_key(s) : YES;
            if (m != YES)
                return m == CUT ? wait_for(s, NULL) : FAIL;
            view v = see(s);
            s->object_at = s->pos + (uint64_t)(past_space(v) - v.p);
        }
        w = read_members(s, spec, behind);
    }
    if (w == FAIL && spec->anywhere) {
        s->skip_at = s->phase == NOTHING ? s->skip_at : 0;
        s->phase = NOTHING;
        return quoting_object(s);
    }
    if (w != GO || !behind)
        return w;
    if (s->doubted) {
        sluice__report(s, s->open ? "ignored_argument" : "invalid_call",
                       "another member of the object may also be a call");
        if (s->open)
            sluice__lower(s, SLUICE_INCOMPLETE);
    }
    s->loose_key = false;
    return GO;
}
