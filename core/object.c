/* Members of objects: those of a call (its name, its arguments and others, in any order), those of
 * an object around calls, and arguments that are read one by one.
 *
 * While the name of a call is not known, its object is only looked through; then it is read. */
#include "stream.h"

enum { BEGIN, MEMBERS, ODD, STREAM, TAIL, QUOTING }; /* phases */

/* More bytes are needed, if more can come; `quote`: those of a string that it ends. */
static match more(sluice_stream *s, char quote) {
    wait_for(s, quote == '"' ? sluice__ends_plain : NULL);
    return s->finished ? NO : CUT;
}

typedef struct member {
    uint64_t first, begin, end; /* where its value begins; its key, as it is written */
    char value;                 /* the byte there; 0: the end; without a key: that in its place */
    size_t commas;              /* before it */
    bool plain, quoted;         /* plain: the key has a colon */
} member;

/* Reads a key, and its colon if there is one, at pos (`opens`: behind a brace). YES: its text is in
 * `param`. NO: no key stands there. Moves nothing. */
static match read_key(sluice_stream *s, bool opens, const char *own, member *m) {
    view v = left_trimmed(see(s));
    const char *end;
    *m = (member){0};
    if (opens && v.p < v.end && *v.p++ != '{')
        return NO;
    for (; (v.p = past_space(v)) < v.end && *v.p == ','; v.p++)
        m->commas++;
    m->begin = m->first = place_of(s, v.p);
    if (v.p == v.end || (own && has_start(view_text(own), v))) /* it may be that quote */
        return more(s, 0);
    m->value = *v.p;
    own = own && has_start(v, view_text(own)) ? own : NULL;
    m->quoted = is_quote(*v.p);
    s->call->param.b.len = 0;
    if (own || m->quoted) {
        size_t n = own ? strlen(own) : 1;
        const char *from = v.p + n;
        end = sluice__string_end((view){from, v.end}, own, *v.p);
        if ((end ? end : v.end) - from > LONGEST_TOKEN)
            return NO;
        if (!end)
            return more(s, own ? 0 : *v.p);
        sluice__put_unescaped(&s->call->param, (view){from, end});
        end += n;
    } else {
        for (end = v.p; end < v.end && (is_name_byte(*end) || (*end && strchr("-.$@", *end)));)
            end++;
        if (end == v.p)
            return NO;
        put(&s->call->param, v.p, (size_t)(end - v.p));
    }
    m->end = place_of(s, end);
    v.p = past_space((view){end, v.end});
    m->plain = v.p < v.end && *v.p == ':';
    v.p = m->plain ? past_space((view){v.p + 1, v.end}) : v.p;
    m->first = place_of(s, v.p);
    m->value = v.p < v.end ? *v.p : 0;
    return v.p == v.end && !s->finished ? more(s, 0) : YES;
}

/* Tells the strings of the value [at, upto), but for keys, each on a line, as text or reasoning. */
static void speak(sluice_stream *s, sluice_event_type type, uint64_t at, uint64_t upto) {
    view v = text_at(s, at, upto);
    bool any = false;
    s->call->committed = true;
    if (type == SLUICE_TEXT && v.p < v.end && !strchr("\"'[n", *v.p)) /* an answer that is JSON */
        sluice__tell(s, type, v.p, view_len(v), at, upto), v.p = v.end;
    for (const char *end; v.p < v.end; v.p = end + 1) {
        end = v.p;
        if (!is_quote(*v.p))
            continue;
        end = sluice__string_end((view){v.p + 1, v.end}, NULL, *v.p);
        end = end ? end : v.end;
        const char *behind = end < v.end ? past_space((view){end + 1, v.end}) : end;
        if (behind < v.end && *behind == ':')
            continue;
        uint64_t from = place_of(s, v.p + 1);
        s->call->taken.b.len = 0;
        put(&s->call->taken, "\n", any);
        sluice__put_unescaped(&s->call->taken, (view){v.p + 1, end});
        uint32_t kept = sluice__keep_text(s, out_text(&s->call->taken), s->call->taken.b.len);
        if (s->call->taken.b.len)
            sluice__tell(s, type, NULL, s->call->taken.b.len, from, from)->made = kept;
        any = true;
    }
    s->call->spoken = upto;
}

/* Reports what was noted as reasoning. */
static void tell_said(sluice_stream *s) {
    uint64_t place[2];
    for (view v = out_view(&s->call->said); v.p < v.end; v.p += sizeof place) {
        memcpy(place, v.p, sizeof place);
        speak(s, SLUICE_REASONING, place[0], place[1]);
    }
    s->call->said.b.len = 0;
}

/* Reports the member that was noted, once the call is announced. */
static void tell_noted(sluice_stream *s) {
    if (!s->call->other.b.len)
        return;
    sluice__lower(s, SLUICE_INCOMPLETE);
    sluice__report_key(s, "ignored_argument", "the member '", out_view(&s->call->other),
                       "' was not read as an argument");
    s->call->other.b.len = 0;
}

/* Notes the member whose key is in `param` if it may have been an argument, or another call. `f`:
 * it was given before, under this key or another. */
static void note_other(sluice_stream *s, const sluice__object_spec *o, const sluice__field *f,
                       view value, view inside) {
    static const char *const kinds[] = {"function", "function_call", "tool_call", "tool_use", NULL};
    static const char *const harmless[] = {"type",   "id",      "index",        "role", "object",
                                           "status", "call_id", "tool_call_id", NULL};
    view key = out_view(&s->call->param);
    bool again = f ? f->name && equal_views(inside, out_view(&s->call->name))
                   : view_is(key, "type") && is_one_of(kinds, inside); /* the name, or the kind */
    if (again)
        return;
    if (!s->call->began)
        sluice__prepare(s); /* the tool */
    bool object = inside.p < inside.end && *inside.p == '{';
    bool empty = !o->name_as_key && (inside.p == inside.end || (*value.p | 32) == 'n' ||
                                     view_is(value, "{}") || view_is(value, "[]")),
         known = (o->some_required && !(object && is_one_of(sluice__argument_keys, key))) ||
                 empty || (!object && *inside.p != '[' && is_one_of(harmless, key));
    if ((f ? empty : known) && sluice__declares(s, key) <= 0)
        return;
    if (!s->call->other.b.len)
        sluice__set(s, &s->call->other.b, view_len(key) ? key : view_text("\"\""));
    if (s->call->began)
        tell_noted(s);
}

/* Announces the call as of `at`. Where that waits, it begins again from pos. */
static went announce(sluice_stream *s, uint64_t at) {
    uint64_t pos = s->pos;
    went w = GO;
    if (s->call->began)
        return GO;
    s->pos = at;
    if (s->call->said.b.len && (w = sluice__prepare(s)) == GO && (w = sluice__held(s)) == GO &&
        !s->call->refused)
        tell_said(s);
    if (w == GO && (w = sluice__announce(s)) == GO)
        tell_noted(s);
    else if (w != FAIL)
        s->pos = pos;
    return w;
}

static went refuse(sluice_stream *s, const char *code, const char *why) {
    if (!s->call->wrong.b.len)
        sluice__wrong(s, code, why);
    return FAIL;
}

/* Is the object only looked through? */
static bool is_looking(const struct call *c) {
    return !c->began && c->header.pattern == SLUICE__NO_NAME;
}

/* Does its brace precede the next member? */
static bool opens(const sluice_stream *s) { return s->pos <= s->call->object_at; }

/* The object has ended: are the members that the script requires present and of the right kind? */
static void judge(sluice_stream *s, const sluice__object_spec *o) {
    if (s->call->odd_quotes && !o->how.python && sluice__once(&s->call->mended_told))
        sluice__repair(s, "a key or the name of the call had other quotes, or none");
    for (size_t k = 0; k < o->count; k++) {
        char kind = s->call->kinds[k];
        bool number = kind == '-' || is_digit(kind);
        unsigned need = o->fields[k].required;
        bool good = need == SLUICE__A_STRING    ? is_quote(kind)
                    : need == SLUICE__AN_OBJECT ? kind == '{'
                    : need == SLUICE__A_NUMBER  ? number
                                                : need == SLUICE__ANY_KIND || !kind || number;
        if (good)
            continue;
        static const char why[] = "a member is missing or of the wrong kind";
        sluice__spoil(s, "bad_arguments", why);
        sluice__wrong(s, NULL, why);
        return;
    }
}

/* No member stands at pos: the object ends with the text, or without its brace, or is odd there. */
static went odd_member(sluice_stream *s, const sluice__object_spec *o) {
    int c;
    went w = s->call->object_given && !s->call->spoke ? announce(s, s->pos) : GO;
    if (w != GO || !s->call->began)
        return w == GO ? FAIL : w;
    match m = sluice__look(s, o->how.enders, true).is;
    if (m == CUT || !next_byte(s, &c))
        return WAIT;
    if (m == NO && c >= 0) {
        s->call->phase = STREAM;
        return sluice__unreadable(s, &o->how, "a member of the call's object cannot be read");
    }
    if (o->flat) /* its brace is that of the arguments */
        sluice__lower(s, SLUICE_INCOMPLETE);
    s->call->torn = TORN;
    if (s->call->status == SLUICE_COMPLETE)
        sluice__repair(s, "a closing brace or bracket is missing");
    return OVER;
}

/* The object ends at its brace. */
static went end_object(sluice_stream *s, const sluice__object_spec *o) {
    struct call *c = s->call;
    uint64_t pos = s->pos;
    if (is_looking(c))
        return FAIL;
    if (!c->began && !c->spoke) { /* there are no arguments */
        if (!c->object_given && c->other.b.len && s->set.repairs && sluice__once(&c->beside)) {
            c->other.b.len = 0;
            s->pos = c->object_at;
            return GO;
        }
        if (!c->object_given &&
            (o->arguments_required || (c->markerless && !o->arguments_optional)))
            return refuse(s, NULL, "the arguments are missing");
        went w = announce(s, c->object_end);
        if (w != GO)
            return w;
    }
    if (c->began && !o->how.python &&
        memchr(see_from(s, pos).p, ',', (size_t)(c->object_end - pos)))
        sluice__repair(s, "a comma before a closing bracket was left out");
    s->pos = c->object_end;
    c->phase = TAIL;
    return GO;
}

/* Announces the call: its arguments begin at m. */
static went begin_arguments(sluice_stream *s, const member *m) {
    went w = announce(s, s->call->name_start <= s->pos ? s->pos : m->first); /* else it follows */
    if (w != GO)
        return w;
    s->pos = m->first;
    s->call->object_given = true;
    s->call->json_at = ARGUMENTS_BEGIN;
    s->call->phase = STREAM;
    return JUMPED;
}

/* The calls begin at m; or there are none, so it has spoken. */
static went begin_calls(sluice_stream *s, const member *m) {
    view v = see_from(s, m->first), inside = left_trimmed((view){v.p + (v.p < v.end), v.end});
    if (m->value == '[' && inside.p == v.end && !s->finished)
        return wait_for(s, NULL);
    s->pos = m->first;
    if (m->value == '[' && inside.p < v.end && *inside.p == ']') {
        s->pos = place_of(s, inside.p + 1);
        s->call->spoke = s->call->committed = true;
        sluice__tell_markup(s, s->pos);
    }
    return JUMPED;
}

static uint8_t meaning_of(sluice_stream *s, const sluice__object_spec *o, unsigned row,
                          const sluice__field *f) {
    if (row != SLUICE__I_object)
        return row == SLUICE__I_member ? AROUND : BEHIND;
    if (is_looking(s->call))
        return !f || !f->name ? SEEN : opens(s) ? FIRST_NAME : NAME;
    if (f && f->id && !s->call->header.has_id)
        return ID;
    if (!f && (o->flat || (s->call->beside && sluice__declares(s, out_view(&s->call->param)) > 0)))
        return PARAMETER;
    return f && (f->id || f->reasoning || f->extra) ? KNOWN : OTHER;
}

static const sluice__field *field_of(const sluice__object_spec *o, view key) {
    size_t k = 0;
    while (k < o->count && !view_is(key, o->fields[k].key))
        k++;
    return k < o->count ? &o->fields[k] : NULL;
}

/* Reads the key of a member up to its value. */
static went read_member(sluice_stream *s, const sluice__object_spec *o, unsigned row) {
    struct call *c = s->call;
    member m;
    argument looks;
    bool call = row == SLUICE__I_object;
    match key = read_key(s, opens(s), o->how.quote, &m);
    if (key == CUT)
        return WAIT;
    c->bad_comma |= call && (m.plain ? m.commas != !opens(s) : m.commas > !opens(s));
    if (key == NO || !m.plain) {
        c->object_end = m.first + 1;
        c->doubted |= !call && key == YES;
        return key == NO && m.value == '}' ? OVER : FAIL;
    }
    view text = out_view(&c->param);
    const sluice__field *f = field_of(o, text);
    c->odd_quotes |= call && (*byte_at(s, m.begin) != '"' || (f && f->name && m.value == '\''));
    bool renamed = !f && call && m.value == '{' && !is_looking(c) && !c->object_given && !o->flat &&
                   !o->some_required && !o->arguments_required && s->set.repairs &&
                   (s->has_tools || !c->markerless) && is_one_of(sluice__argument_keys, text);
    for (size_t k = 0; renamed && k < o->count && !f; k++)
        f = o->fields[k].arguments ? &o->fields[k] : NULL;
    if (f)
        c->kinds[f - o->fields] = m.value;
    uint8_t meant = meaning_of(s, o, row, f);
    if (f && f->calls && meant == AROUND)
        return begin_calls(s, &m);
    if (!call) {
        c->doubted |=
            (meant == BEHIND && ((f && f->calls) || c->missed || sluice__declares(s, text) > 0)) ||
            (is_one_of(sluice__argument_keys, text) && (m.value == '{' || m.value == '"'));
    } else if (o->name_as_key && is_looking(c)) {
        if ((looks = sluice__look_at_arguments(s, m.first)) != AN_OBJECT)
            return looks == NOT_YET ? WAIT : FAIL;
        sluice__set_reg(s, &c->name, text, m.begin + m.quoted, m.end - m.quoted);
        went w = begin_arguments(s, &m);
        if (w != FAIL && w != JUMPED) /* the key is read again */
            c->header.pattern = SLUICE__NO_NAME;
        return w;
    } else if (f && f->arguments && !c->object_given && meant != SEEN) {
        if ((looks = sluice__look_at_arguments(s, m.first)) == NOT_YET)
            return WAIT;
        bool answer = is_one_of(o->answers, out_view(&c->name));
        if (looks == AN_OBJECT && !answer) {
            went w = begin_arguments(s, &m);
            if (w == JUMPED && renamed)
                sluice__repair(s, "the arguments were under another key");
            return w;
        }
        if (looks == NEITHER && !o->scalar && !answer)
            return refuse(s, NULL, "the arguments are not an object");
        meant = answer ? ANSWER : looks == NEITHER ? SCALAR : KNOWN;
        c->object_given = true;
    }
    s->pos = m.first;
    c->skip_at = 0;
    c->meant = meant;
    return GO;
}

/* Looks through the value at pos, whose key is in `param`. */
static went read_value(sluice_stream *s, const sluice__object_spec *o) {
    struct call *c = s->call;
    uint64_t first = s->pos, end = first;
    view key = out_view(&c->param);
    went w = c->meant == ANSWER ? sluice__held(s) : GO;
    if (w != GO)
        return w;
    match m = sluice__skip_value(s, &end, o->how.python, o->how.quote);
    bool name = c->meant == NAME || c->meant == FIRST_NAME;
    const uint64_t most = first + 6 * (uint64_t)s->set.limit_name + 3; /* an escape has 6 */
    bool long_name = name && s->at >= most;
    s->at = long_name ? most : s->at; /* however much of it has come */
    if (c->began && (c->meant == OTHER || c->meant == KNOWN) && s->at - first > s->set.limit_held)
        return FAIL; /* it follows the arguments */
    if (m == CUT && !long_name)
        return WAIT;
    const sluice__field *f = field_of(o, key);
    view value = text_at(s, first, end);
    bool string = view_len(value) > 1 && is_quote(*value.p);
    bool ends = m == YES || s->finished; /* else nobody knows where it does */
    uint64_t upto = m == YES ? end : s->base + s->len;
    if (f && f->reasoning && c->meant != BEHIND && !c->began && ends && first >= c->spoken) {
        const uint64_t place[] = {first, upto};
        put(&c->said, (const char *)place, sizeof place);
        c->spoken = upto; /* an object is read again from its start */
    }
    view inside = string ? (view){value.p + 1, value.end - 1} : value;
    out *text = &c->decoded; /* the value as JSON; or what it says */
    if (name || c->meant == ID || c->meant == OTHER) {
        text->b.len = 0;
        sluice__put_unescaped(text, inside);
        inside = out_view(text);
    }
    if (c->meant >= PARAMETER && (w = announce(s, first)) != GO)
        return w;
    switch (c->meant) {
    case NAME:
    case FIRST_NAME:
        if (long_name || (string && text->b.len > s->set.limit_name))
            return refuse(s, "limit_exceeded", "the name is longer than limit_name");
        if (m == NO || !string || !text->b.len)
            return refuse(s, NULL, "not a valid tool name");
        sluice__set_reg(s, &c->name, out_view(text), first + 1, end - 1);
        if (c->meant == NAME) /* it is read from its start */
            end = c->object_at;
        break;
    case AROUND:
        if (f && f->value && !(string && view_is(inside, f->value)))
            return FAIL;
        break;
    case ID:
        if (m == YES && (string || is_digit(*value.p)))
            sluice__set_reg(s, &c->id, out_view(text), 0, 0);
        break;
    case ANSWER:
        tell_said(s);
        c->spoke = true;
        if (ends && first >= c->spoken)
            speak(s, SLUICE_TEXT, first, upto);
        break;
    case SCALAR:
    case PARAMETER:
    case BEGUN:
        if (c->beside && sluice__once(&c->mended_told))
            sluice__repair(s, "the arguments were beside the name");
        c->raw_text |= c->meant == SCALAR;
        key = c->meant == SCALAR ? view_text(o->scalar) : key;
        if (c->meant == SCALAR && c->tool)
            s->scripts->ask(s, SLUICE__Q_SINGLE, 0, key, &key);
        sluice__write_member(s, key, m == YES, first, end);
        break;
    case OTHER:
        note_other(s, o, f, value, inside);
    }
    if (f && f->extra && m == YES && c->meant != SEEN) {
        out *extras = &c->extras;
        c->extra[f->extra - 1] = (uint32_t)extras->b.len + 1;
        for (view v = out_view(text); v.p < v.end; v.p++)
            put(extras, v.p, *v.p != '\n' && *v.p != '\r'); /* on one line */
        put(extras, "", 1);
    }
    s->pos = end;
    c->meant = NO_MEMBER;
    return m == YES ? GO : FAIL;
}

went sluice__members(sluice_stream *s, const sluice__object_spec *o, unsigned row) {
    went w = GO;
    while (w == GO)
        w = is_full(s) ? PAUSE : s->call->meant ? read_value(s, o) : read_member(s, o, row);
    return w;
}

/* Does an object begin here? If it may anywhere: with a quoted key, in no quoted object. */
static went begins(sluice_stream *s, bool anywhere) {
    struct call *c = s->call;
    view v = see(s);
    const char *p = past_space(v), *key = p < v.end ? past_space((view){p + 1, v.end}) : p;
    if (key == v.end && !s->finished && (p == v.end || (anywhere && *p == '{')))
        return wait_for(s, NULL);
    c->object_at = place_of(s, p);
    return !anywhere || (key < v.end && *p == '{' && is_quote(*key) &&
                         (s->block <= c->quoting_from || c->object_at >= c->quoting_until))
               ? GO
               : FAIL;
}

/* The object at `object_at` is no call: nothing inside of it is one. */
static went quoting_object(sluice_stream *s) {
    uint64_t end;
    s->call->skip_at = s->call->phase == QUOTING ? s->call->skip_at : 0;
    s->call->phase = QUOTING;
    s->pos = s->call->object_at;
    match m = sluice__skip_value(s, &end, false, NULL);
    if (m == CUT)
        return WAIT;
    if (m == YES || s->finished) {
        s->call->quoting_from = s->call->object_at;
        s->call->quoting_until = m == YES ? end : UINT64_MAX;
    }
    return FAIL;
}

/* An object around calls, up to them; or behind them. */
static went around(sluice_stream *s, const sluice__object_spec *o, unsigned row) {
    went w = sluice__members(s, o, row);
    if (w == JUMPED)
        return s->call->spoke ? jump_to(s, (uint16_t)(o->out - 1)) : GO;
    if (w != OVER && w != FAIL)
        return w;
    if (row == SLUICE__I_member)
        return o->anywhere ? quoting_object(s) : FAIL;
    if (w == OVER)
        s->pos = s->call->object_end;
    else if (s->call->began)
        sluice__lower(s, SLUICE_RECOVERED);
    if (s->call->doubted)
        sluice__spoil(s, is_open(s) ? "ignored_argument" : "invalid_call",
                      "another member of the object may also be a call");
    return GO;
}

went sluice__op_object(sluice_stream *s, const sluice__ins *i) {
    const sluice__object_spec *o = &s->program->objects[i->a];
    went w = GO;
    if (s->call->phase == QUOTING)
        return quoting_object(s);
    if (s->call->phase == BEGIN) {
        if (i->row != SLUICE__I_member_end && (w = begins(s, o->anywhere)) != GO)
            return w;
        s->call->markerless |= o->anywhere;
        s->call->object_given = s->call->beside = false;
        s->call->meant = NO_MEMBER;
        s->call->doubted &= i->row != SLUICE__I_member;
        s->call->spoke &= i->row != SLUICE__I_object;
        s->call->other.b.len = 0;
        memset(s->call->kinds, 0, sizeof s->call->kinds);
        s->call->phase = MEMBERS;
    }
    if (i->row != SLUICE__I_object)
        return around(s, o, i->row);
    do {
        uint16_t phase = s->call->phase;
        w = phase == MEMBERS  ? sluice__members(s, o, i->row)
            : phase == ODD    ? odd_member(s, o)
            : phase == STREAM ? sluice__stream_arguments(s, &o->how)
                              : sluice__behind_json(s, &o->how); /* TAIL */
        if (phase == STREAM && w == GO)
            s->call->phase = MEMBERS;
        else if (phase == MEMBERS && w == OVER)
            w = end_object(s, o);
        else if (phase == MEMBERS && (w == JUMPED || w == FAIL))
            s->call->phase = w == FAIL ? ODD : s->call->phase, w = GO;
    } while (w == GO && s->call->json_at != LEFT_OUT);
    if (w == OVER && s->call->began)
        judge(s, o);
    return w == OVER ? GO : w == FAIL && o->anywhere && !s->call->began ? quoting_object(s) : w;
}
