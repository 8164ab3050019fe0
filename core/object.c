/* An object that is a call: a name, arguments and others in any order; and an object around calls.
 */
#include "stream.h"

enum { BEGIN, MEMBER, SKIP, STREAM, REST, TAIL, QUOTING }; /* phases */

/* ---- Members that are no part of a call ---------------------------------------------------- */

static const sluice__field *field_of(const sluice__object_spec *o, view key) {
    for (size_t k = 0; k < o->count; k++)
        if (view_is(key, o->fields[k].key))
            return &o->fields[k];
    return NULL;
}

/* Does a value, perhaps in a string, hold others? *nothing: it is null, or empty. */
static bool holds_some(view v, bool *nothing) {
    bool quoted = v.p < v.end && strchr("\"'`", *v.p);
    const char *p = past_space((view){v.p + quoted, v.end});
    bool bracket = p < v.end && (*p == '{' || *p == '[');
    *nothing = p == v.end || (quoted ? *p == *v.p : (*p | 32) == 'n');
    p = bracket ? past_space((view){p + 1, v.end}) : p;
    *nothing |= bracket && p < v.end && (*p == '}' || *p == ']');
    return bracket && !*nothing;
}

/* Notes the member whose key is in `param`, after its value was looked through: it may have been an
 * argument, or another call (`sure`: it was one). Kinds: ! is one, s a string, n another scalar. */
static void note_other(sluice_stream *s, view value, bool sure) {
    bool nothing, some = holds_some(value, &nothing);
    out *others = &s->call->others;
    if (nothing)
        return;
    put(others, some || sure ? "!" : *value.p == '"' || *value.p == '\'' ? "s" : "n", 1);
    put(others, out_text(&s->call->param), s->call->param.b.len);
    put(others, "", 1);
}

/* Reports what was noted, once the call is announced and its arguments are known. */
static void tell_noted(sluice_stream *s) {
    static const char *const harmless[] = {"type",   "id",      "index",        "role", "object",
                                           "status", "call_id", "tool_call_id", NULL};
    view v = out_view(&s->call->others);
    bool empty = !s->kept || s->call->arguments.b.len <= 2;
    for (size_t n; view_len(v) > 1; v.p += n + 1) {
        char kind = *v.p++;
        n = strlen(v.p);
        view key = view_of(v.p, n);
        bool may_be = (s->tool && sluice__declares(s, key) > 0) ||
                      ((s->tool || empty || kind == 'n') && !is_one_of(harmless, key));
        if (kind != '!' && !may_be)
            continue;
        sluice__lower(s, SLUICE_INCOMPLETE);
        sluice__report_key(s, "ignored_argument", "the member '", key,
                           "' was not read as an argument");
    }
    s->call->others.b.len = s->call->others.b.len > 0; /* there were some */
    if (s->renamed)
        sluice__repair(s, "the arguments were under another key");
    s->renamed = false;
}

/* Tells the strings of a value at `at`, but for keys, each on a line, as text or reasoning. */
static void speak(sluice_stream *s, sluice_event_type type, uint64_t at) {
    view all = see_from(s, at), v = {past_space(all), all.end};
    const char *whole = sluice__json_skip(&s->alloc, v, false);
    bool any = false;
    if (!whole && !s->finished) /* where it ends is not known */
        return;
    v.end = whole ? whole : v.end;
    s->committed = true;
    for (const char *end; v.p < v.end; v.p = end + 1) {
        end = v.p;
        if (*v.p != '"' && *v.p != '\'')
            continue;
        end = sluice__string_end((view){v.p + 1, v.end}, *v.p);
        end = end ? end : v.end;
        const char *behind = end < v.end ? past_space((view){end + 1, v.end}) : end;
        if (behind < v.end && *behind == ':')
            continue;
        view text = {v.p + 1, end};
        uint64_t from = at + (uint64_t)(text.p - all.p);
        s->taken.b.len = 0;
        put(&s->taken, "\n", any);
        if (memchr(text.p, '\\', view_len(text))) { /* it is not the text of its range */
            sluice__put_unescaped(&s->taken, text.p, view_len(text));
            text.p = text.end;
        }
        uint32_t kept = sluice__keep_text(s, out_text(&s->taken), s->taken.b.len);
        if (s->taken.b.len)
            sluice__tell(s, type, NULL, s->taken.b.len, from, from)->made = kept;
        if (text.p < text.end)
            sluice__tell(s, type, text.p, view_len(text), from, from + view_len(text));
        any = true;
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

/* ---- The object --------------------------------------------------------------------------- */

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

static bool is_answer(const sluice_stream *s, const sluice__object_spec *o) {
    return s->call->regs[REG_NAME].has && is_one_of(o->answers, reg_view(s, REG_NAME));
}

static went refuse(sluice_stream *s, const char *code, const char *why) {
    if (!s->call->wrong.b.len)
        sluice__wrong(s, code, why);
    return FAIL;
}

/* Are the fields that the script requires present and of the right kind? */
static bool complete(sluice_stream *s, const sluice__object_spec *o) {
    out *wrong = &s->call->wrong;
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
        if (!wrong->b.len) {
            put_text(wrong, "the field '");
            put_text(wrong, f->key);
            put_text(wrong, "' is missing or of the wrong kind");
            put(wrong, "", 1);
        }
        return false;
    }
    return true;
}

/* The object has ended, and its call is not announced yet: the arguments came before the name, or
 * there are none. */
static went announce_late(sluice_stream *s, const sluice__object_spec *o) {
    uint64_t end = s->pos, from = s->arguments_at, horizon = s->horizon;
    bool held = from != UINT64_MAX, finished = s->finished;
    if ((o->arguments_required || (s->markerless && !o->arguments_optional)) && !s->object_given)
        return refuse(s, NULL, "the arguments are missing");
    if (!complete(s, o))
        return FAIL;
    if (held && is_answer(s, o)) {
        tell_said(s);
        s->spoke = true;
        speak(s, SLUICE_TEXT, from);
        return GO;
    }
    argument what = held ? sluice__look_at_arguments(s, from) : NO_ARGUMENTS;
    s->pos = held && from < end ? from : end;
    went w = announce(s);
    if (w == GO && held && o->scalar && what == NEITHER) {
        view key = view_of(o->scalar, strlen(o->scalar));
        if (s->tool)
            s->scripts->ask(s->user, s, SLUICE__Q_SINGLE, 0, key, &key);
        sluice__write_member(s, key, from, s->object_end, o->how.quote);
    } else if (w == GO && held) { /* they were looked through, so they are all there */
        sluice__arguments_spec inside = o->how;
        inside.plain_end = true;
        inside.enders = inside.resync = NULL;
        s->pos = from;
        s->horizon = s->object_end;
        s->finished = true;
        s->json_phase = 0;
        w = sluice__stream_arguments(s, &inside);
        w = w == BROKEN ? w : GO;
        s->horizon = horizon;
        s->finished = finished;
    }
    s->pos = end;
    if (w == GO)
        tell_noted(s);
    return w;
}

/* What follows of the object is left out. */
static went leave_out(sluice_stream *s, const char *why) {
    sluice__spoil(s, "bad_arguments", why);
    s->unread = true;
    s->phase = REST;
    return GO;
}

/* No key stands at pos: the object ends with the text, or without its brace, or is odd there. */
static went odd_member(sluice_stream *s, const sluice__object_spec *o) {
    const literals *enders = o->how.enders;
    bool given = s->arguments_at != UINT64_MAX || s->object_given;
    size_t item;
    uint64_t at;
    int c;
    went w = !s->began && given && s->call->regs[REG_NAME].has ? announce_late(s, o) : GO;
    if (w != GO || !s->began)
        return w == GO ? FAIL : w;
    tell_noted(s);
    match m = enders ? sluice__look(s, enders, true, &item, &at) : NO;
    if (m == CUT || !next_byte(s, &c, &at))
        return WAIT;
    if (m == NO && c >= 0)
        return leave_out(s, "cannot parse the rest of the arguments: a member of the call's object "
                            "cannot be read");
    if (o->flat && m == NO) /* its brace is that of the arguments */
        sluice__spoil(s, "unfinished_call", "the text ends before the arguments are closed");
    sluice__lower(s, SLUICE_RECOVERED);
    return OVER;
}

/* What follows the object. */
static went tail(sluice_stream *s, const sluice__object_spec *o) {
    int c = 0;
    uint64_t at;
    while (!o->brace_follows) {
        if (!next_byte(s, &c, &at))
            return WAIT;
        if (c != '}')
            break;
        s->pos = at + 1;
        if (s->began && s->call->others.b.len && !s->tool)
            sluice__spoil(s, "ignored_argument",
                          "an extra closing brace shows that the members before it are arguments");
        else if (s->began)
            sluice__repair(s, "an extra closing brace was left out");
    }
    match more = s->began ? sluice__goes_on(s, s->pos, s->status != SLUICE_COMPLETE) : NO;
    if (more == CUT)
        return wait_for(s, NULL);
    return more == NO ? OVER : leave_out(s, sluice__they_go_on);
}

/* Announces the call: its arguments begin at m. */
static went begin_arguments(sluice_stream *s, const member *m) {
    went w = announce(s);
    if (w != GO)
        return w;
    s->pos = m->first;
    s->object_given = true;
    s->object_opens = false;
    s->json_phase = 0;
    s->phase = STREAM;
    return GO;
}

/* Reads one member. GO: the object goes on; OVER: it has ended. */
static went read_member(sluice_stream *s, const sluice__object_spec *o) {
    member m;
    went w;
    uint64_t end;
    const char *own = o->how.quote;
    match key = sluice__read_key(s, s->object_opens, own, &m);
    if (key == CUT)
        return WAIT;
    if (key == NO && m.stop == '}') {
        uint64_t pos = s->pos;
        s->pos = m.first + 1;
        if (s->began) {
            tell_noted(s);
        } else if ((w = announce_late(s, o)) != GO) {
            s->pos = w == FAIL ? s->pos : pos; /* it begins again */
            return w;
        }
        s->phase = TAIL;
        return GO;
    }
    if (key == NO || !m.plain)
        return odd_member(s, o);
    sluice__set(s, &s->call->param.b, out_text(&s->taken), s->taken.b.len);
    view text = out_view(&s->call->param);
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
    if (f && f->reasoning) {
        if (!s->began)
            note_said(s, m.first);
    } else if (o->flat && !(f && (f->name || f->id || f->extra))) {
        s->passed |= !has_name; /* the name comes later: read again then */
    } else if (o->name_as_key && !has_name) {
        argument what = sluice__look_at_arguments(s, m.first);
        if (what == NOT_YET)
            return WAIT;
        if (what != AN_OBJECT)
            return FAIL;
        sluice__set_reg(s, REG_NAME, text, m.begin + m.quoted, m.end - m.quoted);
        uint64_t pos = s->pos;
        s->pos = m.first;
        if ((w = begin_arguments(s, &m)) != GO) {
            s->pos = pos;
            s->call->regs[REG_NAME].has &= w == FAIL; /* the key is read again */
        }
        return w;
    } else if (f && f->name && !has_name) {
        match name = sluice__read_string(s, m.first, s->set.limit_name, own, &end);
        if (name == CUT)
            return WAIT;
        if (name == NO || !s->taken.b.len) {
            if (name == NO && end > m.first)
                refuse(s, "limit_exceeded", "the name is longer than limit_name");
            refuse(s, NULL, "not a valid tool name");
            return odd_member(s, o);
        }
        sluice__set_reg(s, REG_NAME, out_view(&s->taken), m.first + 1, end - 1);
        s->object_opens = s->passed;
        s->pos = s->passed ? s->object_at : end;
        s->passed = false;
        return GO;
    } else if (f && f->arguments && !s->object_given) {
        argument what = sluice__look_at_arguments(s, m.first);
        if (what == NOT_YET)
            return WAIT;
        if (what == NEITHER && !o->scalar && !o->answers[0]) {
            refuse(s, NULL, "the arguments are not an object");
            return odd_member(s, o);
        }
        s->call->kinds[s->field] = m.value;
        bool answer = is_answer(s, o);
        if (what == AN_OBJECT && has_name && !o->some_required && !answer)
            return begin_arguments(s, &m);
        if (what == NO_ARGUMENTS && !answer)
            s->object_given = true;
        else /* they precede the name, or all fields must be seen first: held */
            s->arguments_at = m.first;
    }
    s->object_opens = false;
    s->pos = m.first;
    s->skip_at = 0;
    s->phase = SKIP;
    return GO;
}

/* Does a member only say the call's name, or its kind, again? */
static bool says_again(const sluice_stream *s, const sluice__field *f, view v) {
    static const char *const kinds[] = {"function", "function_call", "tool_call", "tool_use", NULL};
    view inside = {v.p + 1, v.end - 1};
    if (view_len(v) < 3 || *v.p != '"')
        return false;
    return f ? f->name && s->call->regs[REG_NAME].has && equal_views(inside, reg_view(s, REG_NAME))
             : view_is(out_view(&s->call->param), "type") && is_one_of(kinds, inside);
}

/* Looks through the value at pos, whose key is in `param`. */
static went skip_member(sluice_stream *s, const sluice__object_spec *o) {
    const sluice__field *f = s->field == SLUICE__NONE ? NULL : &o->fields[s->field];
    uint64_t end, first = s->pos;
    match m = sluice__skip_value(s, &end, o->how.python, o->how.quote);
    if (m == CUT)
        return WAIT;
    view value = see_from(s, first);
    value.end = value.p + (end - first);
    if (s->arguments_at == first) {
        s->object_given = true;
        s->object_end = end;
    } else if (f && f->id && m == YES && !s->call->regs[REG_ID].has) {
        bool string = view_len(value) > 1 && *value.p == '"';
        s->taken.b.len = 0;
        sluice__put_unescaped(&s->taken, value.p + string, view_len(value) - 2 * string);
        sluice__set_reg(s, REG_ID, out_view(&s->taken), 0, 0);
    } else if (f && (f->reasoning || f->id || f->extra)) {
    } else if (o->flat && !(f && f->name)) {
        if (s->call->regs[REG_NAME].has && !s->passed) {
            s->pos = first;
            went w = announce(s);
            if (w != GO)
                return w;
            sluice__write_member(s, out_view(&s->call->param), first, end, o->how.quote);
        }
    } else if ((f || !o->some_required) && !says_again(s, f, value)) {
        note_other(s, value, f);
    }
    if (f && m == YES) {
        s->call->kinds[s->field] = *value.p;
        if (f->extra) {
            s->call->extra_from[f->extra - 1] = (uint32_t)s->call->extras.b.len;
            sluice__put_strict(&s->call->extras, value, o->how.quote);
            s->call->extra_to[f->extra - 1] = (uint32_t)s->call->extras.b.len;
        }
    }
    s->pos = end;
    s->phase = MEMBER;
    return m == YES ? GO : odd_member(s, o);
}

/* An object that may begin anywhere must begin with a key in quotes, and not in one that is none.
 * Notes where. */
static went begins(sluice_stream *s, bool anywhere) {
    view v = see(s);
    const char *p = past_space(v), *key = p < v.end ? past_space((view){p + 1, v.end}) : p;
    if (key == v.end && anywhere && !s->finished && (p == v.end || *p == '{'))
        return wait_for(s, NULL);
    s->object_at = s->pos + (uint64_t)(p - v.p);
    return !anywhere || (key < v.end && *p == '{' && (*key == '"' || *key == '\'') &&
                         (s->object_at <= s->quoting_from || s->object_at >= s->quoting_until))
               ? GO
               : FAIL;
}

/* The object at `object_at` is no call: nothing inside of it is one. */
static went quoting_object(sluice_stream *s) {
    uint64_t end;
    if (s->phase != QUOTING)
        s->skip_at = 0;
    s->phase = QUOTING;
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
    sluice__arguments_spec how = o->how;
    went w = GO;
    how.plain_end = true;
    how.resync = how.enders;
    if (s->phase == BEGIN) {
        if ((w = begins(s, o->anywhere)) != GO)
            return w;
        s->object_given = s->renamed = false;
        s->call->others.b.len = 0;
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
        case STREAM:
            w = sluice__stream_arguments(s, &how);
            if (w == GO) {
                s->phase = MEMBER;
                if (!s->unread)
                    break;
                tell_noted(s);
                return GO;
            }
            break;
        case REST:
            return o->how.enders ? sluice__skip_to(s, o->how.enders) : GO;
        case TAIL:
            w = tail(s, o);
            break;
        default:
            return quoting_object(s);
        }
    }
    if (w == OVER)
        return GO;
    return w == FAIL && o->anywhere && !s->began ? quoting_object(s) : w;
}

/* ---- An object around calls --------------------------------------------------------------- */

/* The members before the one that holds the calls, or (`behind`) after it. FAIL: it is no such
 * object; behind it: GO. */
static went read_members(sluice_stream *s, const sluice__member *spec, bool behind) {
    enum { FIRST, KEYS, VALUE };
    uint64_t end;
    if (s->phase == FIRST) {
        s->object_opens = !behind;
        s->doubted &= behind;
        s->phase = KEYS;
    }
    for (;;) {
        if (s->phase == VALUE) {
            match m = sluice__skip_value(s, &end, false, NULL);
            if (m == CUT)
                return WAIT;
            if (m == NO && !behind)
                return FAIL;
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
        if (!behind && is_one_of(spec->reasoning, text))
            note_said(s, m.first);
        s->doubted |=
            (behind && (holds || s->missed || !m.plain)) ||
            (is_one_of(sluice__argument_keys, text) && (m.value == '{' || m.value == '"'));
        if (spec->fixed[k] && !behind) {
            size_t n = strlen(spec->values[k]) + 2;
            view v = see_from(s, m.first);
            if (view_len(v) < n && !s->finished)
                return wait_for(s, NULL);
            if (view_len(v) < n || !view_is((view){v.p + 1, v.p + n - 1}, spec->values[k]))
                return FAIL;
        }
        s->object_opens = false;
        s->pos = m.first;
        s->skip_at = 0;
        s->phase = VALUE;
    }
}

went sluice__op_member(sluice_stream *s, const sluice__ins *i) {
    const sluice__member *spec = &s->program->members[i->a];
    bool behind = i->kind != SLUICE__BEGINS;
    if (s->phase == QUOTING)
        return quoting_object(s);
    went w = s->phase || behind ? GO : begins(s, spec->anywhere);
    if (w != GO)
        return w;
    w = read_members(s, spec, behind);
    if (w == FAIL && spec->anywhere)
        return quoting_object(s);
    if (w == GO && behind && s->doubted) {
        sluice__report(s, s->open ? "ignored_argument" : "invalid_call",
                       "another member of the object may also be a call");
        if (s->open)
            sluice__lower(s, SLUICE_INCOMPLETE);
    }
    return w;
}
