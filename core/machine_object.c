/* The instruction that reads an object that is a call. */
#include "machine_json.h"

/* The outcome of reading a member. */
enum { GOES_ON, ENDS, UNREADABLE, ARGUMENTS_CUT, ARGUMENTS_BROKEN };

static bool refuse(sluice__run *m, const sluice_stream *s, const char *why) {
    return m->rare->wrong.len || sluice__m_wrong(m, s, NULL, why);
}

static uint16_t field_of(const sluice__object_spec *o, const char *p, size_t n) {
    for (size_t k = 0; k < o->count; k++)
        if (strlen(o->fields[k].key) == n && memcmp(o->fields[k].key, p, n) == 0)
            return (uint16_t)k;
    return SLUICE__NONE;
}

static void note_kind(sluice__run *m, long byte) {
    if (m->field != SLUICE__NONE && m->field < SLUICE__FIELDS)
        m->seen[m->field] = (uint8_t)byte;
}

/* The container of held arguments, as when they are read: none for an object. */
static char held_in(sluice__run *m, sluice_stream *s) {
    return sluice__m_byte(m, s, true) == '{' ? 0 : '}';
}

/* Takes a value that is neither name nor arguments, after it was read: the id. */
static bool take_member(sluice__run *m, const sluice_stream *s, const sluice__field *f) {
    if (f->id) {
        m->has_id = true;
        if (!sluice__m_set(s, &m->id, s->result.text, s->result.text_len))
            return false;
    }
    return true;
}

/* Sets the name from the string that was read. */
static sluice__went take_name(sluice__run *m, sluice_stream *s) {
    const sluice__result *r = &s->result;
    m->at[0] = UNREADABLE;
    if (r->kind == 1 && !r->ok) {
        m->code = sluice__code("limit_exceeded");
        TRY(refuse(m, s, "the name is longer than limit_name"));
        return SLUICE__NEXT;
    }
    if (!r->ok || !r->text_len) {
        TRY(refuse(m, s, "not a valid tool name"));
        return SLUICE__NEXT;
    }
    m->at[0] = GOES_ON;
    TRY(sluice__m_set_name(m, s, r->text, r->text_len, r->start + 1, r->end - 1,
                           SLUICE__NO_PATTERN));
    return SLUICE__NEXT;
}

/* Skips a value and notes what is needed of it. at[0]: the outcome. */
static sluice__went skip_member(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    const sluice__field *f = m->field == SLUICE__NONE ? NULL : &o->fields[m->field];
    const sluice__arguments_spec *how = &o->how;
    long byte;
    SUB_RESUME(m)
    m->at[1] = s->pos;
    if (f && f->id) {
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte == '"') {
            SUB_AWAIT(m, sluice__op_string(s, how->flags, how->quote, how->quote_len,
                                           s->set.limit_header));
            m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
            note_kind(m, '"');
            if (s->result.ok)
                TRY(take_member(m, s, f));
            return SLUICE__NEXT;
        }
    }
    SUB_AWAIT(m, sluice__op_skip(s, how->flags, how->quote, how->quote_len, '}'));
    RESUME_END
    m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
    if (!s->result.ok || !f)
        return SLUICE__NEXT;
    note_kind(m, s->result.kind);
    if (f->id) { /* a number or similar */
        size_t n = sluice__minus(s->result.end, s->result.start);
        m->has_id = true;
        TRY(sluice__m_set(s, &m->id, sluice__at(s, s->result.start), n));
    }
    if (f->extra)
        TRY(sluice__m_take_extra(m, s, f));
    return SLUICE__NEXT;
}

/* Are the fields that the script requires present and of the right kind? */
static sluice__went complete(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    for (size_t k = 0; k < o->count; k++) {
        const sluice__field *f = &o->fields[k];
        uint8_t kind = f->name && m->has_name ? '"' : m->seen[k];
        bool number = kind == '-' || (kind >= '0' && kind <= '9');
        bool good = f->required == SLUICE__A_STRING       ? kind == '"'
                    : f->required == SLUICE__AN_OBJECT    ? kind == '{'
                    : f->required == SLUICE__A_NUMBER     ? number
                    : f->required == SLUICE__MAYBE_NUMBER ? !kind || number
                                                          : true;
        if (good)
            continue;
        if (!m->rare->wrong.len) {
            TRY(sluice__m_rare(m, s));
            sluice__buffer *wrong = &sluice__m_rare_there(m)->wrong;
            TRY(sluice__buffer_text(&s->alloc, wrong, "the field '") &&
                sluice__buffer_text(&s->alloc, wrong, f->key) &&
                sluice__buffer_text(&s->alloc, wrong, "' is missing or of the wrong kind") &&
                sluice__buffer_add(&s->alloc, wrong, "", 1));
        }
        return SLUICE__FAILS;
    }
    return SLUICE__NEXT;
}

static uint64_t came_out(const sluice__run *m) {
    return m->at[3] == READ ? GOES_ON : m->at[3] == CUT ? ARGUMENTS_CUT : ARGUMENTS_BROKEN;
}

/* Is there enough for a call? Reports what is missing. */
static sluice__went enough(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    if ((o->arguments_required || (m->markerless && !o->arguments_optional)) && !m->given &&
        m->rare->others.at == m->rare->others.count) {
        TRY(refuse(m, s, "the arguments are missing"));
        return SLUICE__FAILS;
    }
    return complete(m, s, o);
}

/* ---- Members that the format does not declare */

/* Keys that models use for one another, and members that do not concern the arguments. */
static const char *const alike[] = {"arguments", "parameters", "args", "input", "kwargs", NULL};
static const char *const harmless[] = {"type",   "id",      "index",        "role", "object",
                                       "status", "call_id", "tool_call_id", NULL};
static const char *const kinds[] = {"function", "function_call", "tool_call", "tool_use", NULL};

static bool is_one(const char *const *list, const char *p, size_t n) {
    for (; *list; list++)
        if (strlen(*list) == n && memcmp(*list, p, n) == 0)
            return true;
    return false;
}

bool sluice__m_is_alike(const char *p, size_t n) { return is_one(alike, p, n); }

/* May undeclared members be the arguments? */
static bool lenient(const sluice__run *m, const sluice_stream *s, const sluice__object_spec *o) {
    return !o->flat && !o->some_required && !o->arguments_required && !o->name_as_key &&
           s->set.repairs && (m->has_tools || !m->markerless);
}

/* Does the call's tool, as far as it is known, declare this parameter? Returns 1, 0, -1. */
static int declared(sluice__run *m, sluice_stream *s, const char *key, size_t len) {
    if (!m->began && sluice__m_find_tool(m, s) != SLUICE__NEXT)
        return -1;
    return m->tool ? m->scripts->declares(m->user, s, m->tool, key, len, false) : 0;
}

/* Is the key in asked_key used in place of the arguments' key? `byte` begins its value. */
static int stands_for_arguments(sluice__run *m, sluice_stream *s, const sluice__object_spec *o,
                                long byte) {
    if (byte != '{' || m->given || !lenient(m, s, o) ||
        !is_one(alike, m->asked_key.data, m->asked_key.len))
        return 0;
    int r = declared(m, s, m->asked_key.data, m->asked_key.len);
    return r < 0 ? r : !r;
}

/* Does the skipped member only repeat what a wrapper says: the name of the call, if it came before
 * the object or this member, or the kind of the object? */
static bool is_wrapper(const sluice__run *m, const sluice_stream *s, const sluice__field *f) {
    if (!s->result.ok || s->result.end < s->result.start + 2)
        return false;
    const char *p = sluice__at(s, s->result.start);
    size_t n = sluice__minus(s->result.end, s->result.start) - 2;
    if (*p != '"' && *p != '\'')
        return false;
    if (f && f->name)
        return m->has_name && m->name.len == n && memcmp(m->name.data, p + 1, n) == 0;
    return m->asked_key.len == 4 && memcmp(m->asked_key.data, "type", 4) == 0 &&
           is_one(kinds, p + 1, n);
}

/* Does p[0..n) contain `key`, a key for a call's name, perhaps inside a string? */
static bool holds_key(const char *p, size_t n, const char *key) {
    size_t len = strlen(key);
    for (size_t k = 1; k + len < n; k++) {
        if (p[k] != *key || memcmp(p + k, key, len) != 0 || !strchr("\"'`", p[k - 1]))
            continue;
        size_t at = k + len;
        while (at < n && (p[at] == '\\' || strchr("\"'`", p[at]) || sluice__is_space(p[at])))
            at++;
        if (at < n && p[at] == ':')
            return true;
    }
    return false;
}

int sluice__m_shape(const sluice_stream *s, const sluice__object_spec *o) {
    size_t n = sluice__minus(s->result.end, s->result.start), at = 0;
    const char *p = n ? sluice__at(s, s->result.start) : "";
    bool quoted = n && strchr("\"'`", *p);
    for (at = quoted; at < n && sluice__is_space(p[at]);)
        at++;
    if (at >= n || (!quoted && (p[at] == 'n' || p[at] == 'N')))
        return IS_NOTHING;
    if (p[at] != '{' && p[at] != '[')
        return !quoted ? IS_NUMBER : p[at] == *p ? IS_NOTHING : IS_TEXT;
    bool name = holds_key(p, n, "name");
    for (size_t k = 0; o && k < o->count; k++)
        name |= o->fields[k].name && holds_key(p, n, o->fields[k].key);
    for (at++; at < n && sluice__is_space(p[at]);)
        at++;
    return name                                       ? HOLDS_A_NAME
           : at < n && (p[at] == '}' || p[at] == ']') ? IS_NOTHING
                                                      : HOLDS_VALUES;
}

/* Notes the member whose key is in asked_key, after its value was skipped. */
static bool note_other(sluice__run *m, const sluice_stream *s, const sluice__object_spec *o) {
    const sluice__field *f = m->field == SLUICE__NONE ? NULL : &o->fields[m->field];
    int shape = sluice__m_shape(s, o);
    bool again = f && (f->name || f->arguments); /* another key of the call's own */
    if (!again && (o->some_required || o->flat || (f && (f->extra || shape < HOLDS_VALUES))))
        return true; /* a list of all allowed fields drops the others */
    sluice__rare *r = sluice__m_rare(m, s);
    if (!r || !sluice__array_grow(&s->alloc, (void **)&r->others.list, &r->others.cap,
                                  r->others.count + 1, sizeof *r->others.list))
        return false;
    r->others.list[r->others.count++] = (sluice__other){.key = (uint32_t)r->other_keys.len,
                                                        .len = (uint32_t)m->asked_key.len,
                                                        .own = is_wrapper(m, s, f),
                                                        .shape = (uint8_t)shape,
                                                        .first = m->at[1]};
    return sluice__buffer_add(&s->alloc, &r->other_keys, m->asked_key.data, m->asked_key.len) &&
           sluice__buffer_add(&s->alloc, &r->other_keys, "", 1); /* so that it is never NULL */
}

/* Decides which members are arguments: none if there is an argument key. others.at: the
 * first one. */
static sluice__went sort_others(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    sluice__rare *rare = sluice__m_rare_there(m);
    if (m->rare == &sluice__nothing_rare)
        return SLUICE__NEXT;
    rare->others.at = rare->others.count;
    for (size_t k = rare->others.count; k > 0; k--) {
        sluice__other *other = &rare->others.list[k - 1];
        int yes;
        ASK(yes, declared(m, s, rare->other_keys.data + other->key, other->len));
        other->declared = yes;
        other->flat = yes && !other->own && !m->given && lenient(m, s, o);
        if (other->flat)
            rare->others.at = k - 1;
    }
    return SLUICE__NEXT;
}

/* May an unused member have been an argument, or another call? If the tool is known: if it declares
 * the key. Otherwise, if the call has arguments, text alone is harmless. */
static bool is_lost(const sluice__run *m, const sluice_stream *s, const sluice__object_spec *o,
                    const sluice__other *other) {
    const char *key = m->rare->other_keys.data + other->key;
    uint16_t field = field_of(o, key, other->len);
    if (other->flat || other->own)
        return false;
    if (other->shape == HOLDS_A_NAME)
        return true;
    if (field != SLUICE__NONE && (o->fields[field].arguments || o->fields[field].name))
        return true; /* a second name may belong to another call */
    bool harmful = other->shape >= HOLDS_VALUES || !is_one(harmless, key, other->len);
    /* if the name is a key, a member beside it may be another call */
    if (!m->given || o->name_as_key)
        return other->declared || harmful;
    if (is_one(alike, key, other->len) && !other->declared)
        return true; /* the arguments again */
    if (m->tool) {
        bool again =
            sluice__m_is_used(m, key, other->len) ||
            sluice__hashes_has(&s->call.seen, sluice__hash_of(SLUICE__HASH_START, key, other->len));
        return other->declared && (!again || harmful);
    }
    bool any = m->used.count || s->call.seen.count;
    return harmful && other->shape > (any ? IS_TEXT : IS_NOTHING);
}

static bool tell_other_key(sluice__run *m, sluice_stream *s) {
    if (!m->rare->other_key.len)
        return true;
    sluice__lower(s, SLUICE_RECOVERED);
    bool good = sluice__m_tell_key(s, "repaired", "the arguments were under the key '",
                                   m->rare->other_key.data, m->rare->other_key.len, "'");
    sluice__m_rare_there(m)->other_key.len = 0;
    return good;
}

/* Goes to the value of the member others.at, which is an argument, and begins its parameter. */
static bool begin_flat(sluice__run *m, sluice_stream *s) {
    sluice__other *other = &m->rare->others.list[m->rare->others.at];
    const char *key = m->rare->other_keys.data + other->key;
    sluice__seek(s, other->first);
    return sluice__m_set(s, &m->param, key, other->len) && sluice__m_begin_member(m, s);
}

static bool tell_lost(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    for (size_t k = 0; k < m->rare->others.count; k++) {
        const sluice__other *other = &m->rare->others.list[k];
        if (!is_lost(m, s, o, other))
            continue;
        sluice__lower(s, SLUICE_INCOMPLETE);
        if (!sluice__m_tell_key(s, "ignored_argument", "the member '",
                                m->rare->other_keys.data + other->key, other->len,
                                "' was not read as an argument"))
            return false;
    }
    if (m->rare->others.count)
        sluice__m_rare_there(m)->others.count = 0;
    if (!m->loose_key)
        return true;
    m->loose_key = false;
    return sluice__m_spoilt(s, "bad_arguments",
                            "a key of the call's object does not end, or has no colon");
}

/* For an announced call, reports unused members that may have been arguments. */
static sluice__went tell_doubts(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    sluice__went went = sort_others(m, s, o);
    if (went == SLUICE__NEXT)
        TRY(tell_lost(m, s, o));
    return went;
}

/* True if the call's name means an answer. */
static bool is_answer(const sluice__run *m, const sluice__object_spec *o) {
    for (const char **name = o->answers; m->has_name && *name; name++)
        if (strlen(*name) == m->name.len && memcmp(*name, m->name.data, m->name.len) == 0)
            return true;
    return false;
}

static bool begin_named(sluice__run *m, sluice_stream *s, bool *again) {
    *again = sluice__m_is_used(m, m->param.data, m->param.len);
    return *again || (sluice__m_use(m, s, m->param.data, m->param.len) &&
                      sluice__param(s, m->param.data, m->param.len));
}

/* Sets the outcome of a value that was read as JSON. */
static sluice__went json_came_out(sluice__run *m, sluice_stream *s) {
    m->at[3] = READ;
    if (!s->result.ok) {
        bool more = s->result.kind == SLUICE__READ_MORE;
        sluice__went went = sluice__m_not_whole(m, s);
        if (went != SLUICE__NEXT)
            return went;
        if (more)
            sluice__lower(s, SLUICE_INCOMPLETE);
    }
    m->at[0] = came_out(m);
    return SLUICE__NEXT;
}

/* For a call whose name is known: reads arguments at pos that are an answer or not an object. Sets
 * m->answer, and at[0] to the outcome. Otherwise reads nothing. */
static sluice__went special_arguments(sluice__run *m, sluice_stream *s,
                                      const sluice__object_spec *o) {
    const char *key;
    size_t len;
    bool again;
    int what, r;
    SUB_RESUME(m)
    m->answer = false;
    if (is_answer(m, o)) {
        m->given = m->spoke = true;
        for (; m->said_next < m->said_count; m->said_next++) {
            m->at[3] = s->pos;
            sluice__seek(s, m->beside->said[m->said_next]);
            SUB_AWAIT(m, sluice__op_speech(s, SLUICE__LENIENT, SLUICE_REASONING));
            sluice__seek(s, m->at[3]);
        }
        SUB_AWAIT(m, sluice__op_speech(s, o->how.flags, SLUICE_TEXT));
        m->at[0] = s->result.ok ? GOES_ON : ARGUMENTS_CUT;
        m->answer = true;
        return SLUICE__NEXT;
    }
    if (!o->scalar)
        return SLUICE__NEXT;
    SUB_LOOK(m, what, sluice__m_look_at_arguments(m, s, sluice__m_byte(m, s, true)));
    if (what != NEITHER)
        return SLUICE__NEXT;
    SUB_COMMIT(m, s, return SLUICE__FAILS);
    m->given = true;
    TRY(sluice__m_set(s, &m->param, o->scalar, strlen(o->scalar)));
    if (m->tool) {
        ASK(r, m->scripts->single(m->user, s, m->tool, m->param.data, m->param.len, &key, &len));
        if (r)
            TRY(sluice__m_set(s, &m->param, key, len));
    }
    TRY(begin_named(m, s, &again));
    SUB_AWAIT(m, sluice__op_json(s, o->how.flags, o->how.quote, o->how.quote_len, '}'));
    m->answer = true;
    RESUME_END
    return json_came_out(m, s);
}

/* Reads a member that is an argument itself: its key is m->param. */
static sluice__went flat_member(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    bool again;
    SUB_RESUME(m)
    TRY(begin_named(m, s, &again));
    if (again) {
        TRY(sluice__m_duplicate(m, s, false) == SLUICE__NEXT);
        SUB_AWAIT(m, sluice__op_skip(s, o->how.flags, o->how.quote, o->how.quote_len, '}'));
        m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
        return SLUICE__NEXT;
    }
    SUB_AWAIT(m, sluice__op_json(s, o->how.flags, o->how.quote, o->how.quote_len, '}'));
    RESUME_END
    return json_came_out(m, s);
}

/* Kept in one piece: all its waits are cases of one switch, and the code after the loop over the
 * members depends on how it ended. at: 0 the outcome of the member, 1 where reading goes on, 2 and
 * 3 as in `arguments` */
SLUICE__HANDLER(object) {
    const sluice__object_spec *o = &m->program->objects[i->a];
    const sluice__arguments_spec *how = &o->how;
    static const sluice__field none = {0};
    const sluice__field *f;
    sluice__went went;
    long byte = -1, item;
    int what;
    RESUME(m)
    if (s->call.open && s->call.has_arguments)
        return sluice__m_twice(s);
    m->given = m->trailed = m->loose_key = false;
    if (o->anywhere) {
        CALL(m, went, sluice__m_with_key(m, s));
        if (!m->answer)
            return SLUICE__FAILS;
    }
    m->object_at = s->pos;
    LOOK(m, what, sluice__m_object_head(m, s, o));
    TRY(what >= 0);
    m->answer = !what; /* expects the brace */
    m->at[2] = false;
    if (what == 1)
        goto head;
    for (m->at[0] = GOES_ON; m->at[0] == GOES_ON;) {
        AWAIT(m, sluice__op_member(s, how->flags, how->quote, how->quote_len, m->answer));
        m->answer = false;
        if (!s->result.ok) {
            m->at[0] = s->result.kind == '}' ? ENDS : UNREADABLE;
            break;
        }
        m->loose_key |= !sluice__m_key_is_plain(s);
        m->field = field_of(o, s->result.text, s->result.text_len);
        TRY(sluice__m_set(s, &m->asked_key, s->result.text, s->result.text_len));
        byte = s->result.item;
        what = 0;
        if (m->field == SLUICE__NONE && !o->name_as_key)
            ASK(what, stands_for_arguments(m, s, o, byte));
        if (what) { /* the argument key of the format, under another name */
            for (m->field = 0; m->field < o->count && !o->fields[m->field].arguments;)
                m->field++;
            m->field = m->field < o->count ? m->field : SLUICE__NONE;
            TRY(sluice__m_rare(m, s) && sluice__m_set(s, &sluice__m_rare_there(m)->other_key,
                                                      m->asked_key.data, m->asked_key.len));
        }
        if (o->flat)
            TRY(sluice__m_set(s, &m->param, m->asked_key.data, m->asked_key.len));
        f = m->field == SLUICE__NONE ? &none : &o->fields[m->field];
        if (f->ignored || f->reasoning) {
            if (f->reasoning && !m->began)
                TRY(sluice__m_note_said(m, s));
            CALL(m, went, skip_member(m, s, o));
        } else if (o->flat && !f->name && !f->id && !f->extra) {
            if (!m->has_name) { /* the name comes later: re-read from the start then */
                m->passed = true;
                CALL(m, went, skip_member(m, s, o));
                continue;
            }
            m->at[0] = UNREADABLE;
            if (!m->began) {
                CALL(m, went, sluice__m_tell_said(m, s));
                COMMIT(m, s, goto refused);
            }
            CALL(m, went, flat_member(m, s, o));
        } else if (f->arguments && !m->given && !m->has_name && (o->scalar || o->answers[0])) {
            m->given = true;
            AWAIT(m, sluice__op_skip(s, how->flags, how->quote, how->quote_len, held_in(m, s)));
            m->arguments_at = s->result.start;
            m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
        } else if (o->name_as_key && !m->has_name) {
            what = strchr("\"'`", *sluice__at(s, s->result.start)) != NULL; /* else a bare word */
            TRY(sluice__m_set_name(m, s, s->result.text, s->result.text_len,
                                   s->result.start + (uint64_t)what, s->result.end - (uint64_t)what,
                                   SLUICE__NO_PATTERN));
            LOOK(m, what, sluice__m_look_at_arguments(m, s, sluice__m_byte(m, s, true)));
            m->at[0] = UNREADABLE;
            if (what != AN_OBJECT)
                break;
            CALL(m, went, sluice__m_tell_said(m, s));
            COMMIT(m, s, goto refused);
            m->given = true;
            CALL(m, went, sluice__m_stream_arguments(m, s, how));
            m->at[0] = came_out(m);
            m->answer = false;
        } else if (m->field != SLUICE__NONE && o->fields[m->field].name && !m->has_name) {
            m->at[0] = UNREADABLE;
            if (byte != '"' && byte != '\'' && byte != '`')
                break;
            AWAIT(m,
                  sluice__op_string(s, how->flags, how->quote, how->quote_len, s->set.limit_name));
            TRY(take_name(m, s) == SLUICE__NEXT);
            if (m->passed && m->at[0] == GOES_ON) {
                m->passed = false;
                m->answer = true;
                sluice__seek(s, m->object_at);
            }
        } else if (m->field != SLUICE__NONE && o->fields[m->field].arguments && !m->given) {
            CALL(m, went, special_arguments(m, s, o));
            if (m->answer) {
                m->answer = false;
                continue;
            }
            LOOK(m, what, sluice__m_look_at_arguments(m, s, sluice__m_byte(m, s, true)));
            if (what == NEITHER) {
                TRY(refuse(m, s, "the arguments are not an object"));
                m->at[0] = UNREADABLE;
                break;
            }
        head:
            m->given = true;
            LOOK(m, byte, sluice__m_byte(m, s, true));
            note_kind(m, byte);
            LOOK(m, what, sluice__m_look_at_arguments(m, s, sluice__m_byte(m, s, true)));
            if (what == NO_ARGUMENTS) {
                LOOK(m, item, sluice__m_take(m, s, m->program->nothing, true));
            } else if (m->has_name && !o->some_required) {
                m->at[0] = UNREADABLE;
                CALL(m, went, sluice__m_tell_said(m, s));
                COMMIT(m, s, goto refused);
                TRY(tell_other_key(m, s));
                CALL(m, went, sluice__m_stream_arguments(m, s, how));
                m->at[0] = came_out(m);
                m->answer = false;
            } else { /* they precede the name, or all fields must be seen first: held */
                AWAIT(m, sluice__op_skip(s, how->flags, how->quote, how->quote_len, held_in(m, s)));
                m->arguments_at = s->result.start;
                m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
            }
        } else if (m->began && m->loose_key) { /* it may be anything */
            sluice__seek(s, s->result.start);
            m->loose_key = false;
            m->at[0] = ARGUMENTS_BROKEN;
            m->at[3] = BROKEN_INSIDE;
            m->open = 1;
            m->why = "a key of the call's object does not end, or has no colon";
        } else {
            CALL(m, went, skip_member(m, s, o));
            TRY(note_other(m, s, o)); /* even if it is cut */
            if (m->at[0] == UNREADABLE && m->began) {
                m->at[0] = ARGUMENTS_BROKEN;
                m->at[3] = BROKEN_INSIDE;
                m->open = 1;
                m->why = "a member of the call's object cannot be read";
            }
            m->trailed |= m->given && !m->tool && m->rare->others.count &&
                          !m->rare->others.list[m->rare->others.count - 1].own;
            m->answer = false;
        }
    }
    if (m->at[0] == ARGUMENTS_CUT || (m->spoke && !m->began))
        return m->began ? tell_doubts(m, s, o) : SLUICE__NEXT;
    if (m->at[0] == ARGUMENTS_BROKEN) {
        went = tell_doubts(m, s, o);
        if (went != SLUICE__NEXT)
            return went;
        CALL(m, went, sluice__m_mend_from(m, s, how->enders, how->enders));
        return SLUICE__NEXT;
    }
    if (!m->began &&
        (m->at[0] == ENDS || ((m->arguments_at != UINT64_MAX || m->given) && m->has_name))) {
        went = sort_others(m, s, o);
        if (went == SLUICE__NEXT)
            went = enough(m, s, o);
        if (went == SLUICE__FAILS)
            goto refused;
        if (went != SLUICE__NEXT)
            return went;
        m->stop = s->pos;
        if (m->arguments_at != UINT64_MAX)
            sluice__seek(s, m->arguments_at);
        else if (m->rare->others.at < m->rare->others.count)
            sluice__seek(s, m->rare->others.list[m->rare->others.at].first);
        if (m->arguments_at != UINT64_MAX && (o->scalar || o->answers[0])) {
            CALL(m, went, special_arguments(m, s, o));
            if (m->answer) {
                sluice__seek(s, m->stop);
                if (m->began)
                    TRY(tell_lost(m, s, o));
                return SLUICE__NEXT;
            }
        }
        CALL(m, went, sluice__m_tell_said(m, s));
        COMMIT(m, s, goto refused);
        TRY(tell_other_key(m, s));
        if (m->arguments_at != UINT64_MAX) {
            CALL(m, went, sluice__m_stream_arguments(m, s, how));
            if (sluice__m_broken(m)) {
                m->at[3] = BROKEN_INSIDE;
                CALL(m, went, sluice__m_mend_from(m, s, NULL, NULL));
            }
            sluice__seek(s, m->stop);
        } else if (m->rare->others.at < m->rare->others.count) {
            sluice__lower(s, SLUICE_RECOVERED);
            TRY(sluice__m_error(s, "repaired", "the arguments were next to the name"));
            for (; m->rare->others.at < m->rare->others.count;
                 sluice__m_rare_there(m)->others.at++) {
                if (!m->rare->others.list[m->rare->others.at].flat)
                    continue;
                TRY(begin_flat(m, s));
                AWAIT(m, sluice__op_json(s, how->flags, how->quote, how->quote_len, '}'));
                if (!s->result.ok) {
                    TRY(sluice__m_not_whole(m, s) == SLUICE__NEXT);
                    sluice__lower(s, SLUICE_INCOMPLETE);
                }
            }
            sluice__seek(s, m->stop);
        }
        TRY(tell_lost(m, s, o));
    }
    if (m->began) {
        went = tell_doubts(m, s, o);
        if (went != SLUICE__NEXT)
            return went;
    }
    if (m->at[0] == UNREADABLE) {
        if (!m->began)
            goto refused;
        /* the closing brace is missing, or the next bytes are unreadable */
        item = -1;
        if (how->enders)
            LOOK(m, item, sluice__m_peek(m, s, how->enders, true));
        m->answer = item < 0;
        if (m->answer) {
            LOOK(m, byte, sluice__m_byte(m, s, true));
            m->answer = byte >= 0;
            if (byte >= 0 && !s->set.repairs) {
                sluice__lower(s, SLUICE_INCOMPLETE);
                return SLUICE__NEXT;
            }
            if (o->flat && byte < 0) /* its brace is that of the arguments */
                TRY(sluice__m_tell_cut(m, s));
        }
        sluice__lower(s, SLUICE_RECOVERED);
        /* the arguments are unreadable, or a member that may be one */
        if (m->answer && (o->flat || byte == '"' || byte == '\'')) {
            m->at[3] = BROKEN_INSIDE;
            m->open = 1;
            m->why = o->flat ? NULL : "a member of the call's object does not end";
            CALL(m, went, sluice__m_mend_from(m, s, how->enders, how->enders));
            return SLUICE__NEXT;
        }
    }
    while (m->at[0] != UNREADABLE && !o->brace_follows) {
        LOOK(m, byte, sluice__m_byte_before(m, s, i + 1));
        if (byte != '}')
            break;
        s->pos++;
        TRY(sluice__m_error(s, m->trailed ? "ignored_argument" : "repaired",
                            m->trailed ? "there is an extra closing brace, and the text after the "
                                         "arguments may belong to them"
                                       : "an extra closing brace was left out"));
        sluice__lower(s, m->trailed ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
    }
    what = 0;
    if (m->began)
        LOOK(m, what, sluice__m_goes_on(s, s->pos, s->call.status != SLUICE_COMPLETE));
    if (what) {
        m->at[3] = BROKEN_INSIDE;
        m->open = 1;
        m->why = sluice__m_behind_brace;
        CALL(m, went, sluice__m_mend_from(m, s, how->enders, s->set.repairs ? how->enders : NULL));
    }
    return SLUICE__NEXT;
refused:
    if (o->anywhere)
        CALL(m, went, sluice__m_quoting_object(m, s));
    RESUME_END
    return SLUICE__FAILS;
}
