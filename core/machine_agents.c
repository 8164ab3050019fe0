/* Instructions for agents' formats: names outside the text; objects around calls. */
#include "machine_json.h"

static sluice__went jump(sluice__run *m, uint16_t to) {
    m->pc = to;
    m->phase = 0;
    return SLUICE__JUMPED;
}

static bool is_one_of(const char **list, const char *p, size_t n) {
    for (; *list; list++)
        if (strlen(*list) == n && memcmp(*list, p, n) == 0)
            return true;
    return false;
}

/* Allocates the notes that few formats need. False if out of memory. */
static bool make_beside(sluice__run *m, const sluice_stream *s) {
    if (!m->beside)
        m->beside = sluice__realloc(&s->alloc, NULL, 0, sizeof *m->beside);
    return m->beside != NULL;
}

/* ---- Names and values that are not in the text, or elsewhere -------------------------------- */

SLUICE__HANDLER(named) {
    const char *name = m->program->texts[i->a];
    TRY(sluice__m_set_name(m, s, name, strlen(name), 0, 0, SLUICE__NO_PATTERN));
    return SLUICE__NEXT;
}

/* True if a name may go on with this byte. */
static bool goes_on(long c) {
    return c == '_' || c == '-' || c >= 128 || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
}

SLUICE__HANDLER(declared) {
    const sluice__markers *set = m->program->sets[i->a];
    uint64_t start = s->pos;
    long item = sluice__m_take(m, s, set, false);
    if (item == SLUICE__LOOK_WAITS)
        return SLUICE__WAITED;
    long byte = item >= 0 ? sluice__m_byte(m, s, false) : SLUICE__LOOK_NONE;
    if (byte == SLUICE__LOOK_WAITS) {
        s->pos = start;
        return SLUICE__WAITED;
    }
    if (item < 0 || i->b == SLUICE__NONE || goes_on(byte))
        return SLUICE__FAILS;
    const char *name = m->program->texts[i->b + item];
    size_t n = strlen(name);
    TRY(sluice__m_set_name(m, s, name, n, s->pos - n, s->pos, SLUICE__NO_PATTERN));
    return SLUICE__NEXT;
}

/* From here on the block counts as one without a marker. */
SLUICE__HANDLER(weak) {
    (void)s, (void)i;
    m->markerless = true;
    return SLUICE__NEXT;
}

/* Adds text as a JSON string. */
static bool add_string(const sluice_stream *s, sluice__buffer *out, const char *p, size_t n) {
    static const char hex[] = "0123456789abcdef";
    bool good = sluice__buffer_add(&s->alloc, out, "\"", 1);
    for (size_t k = 0; good && k < n; k++) {
        unsigned char c = (unsigned char)p[k];
        char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        if (c == '"' || c == '\\')
            escape[1] = (char)c;
        good = c < 32                  ? sluice__buffer_add(&s->alloc, out, escape, 6)
               : c == '"' || c == '\\' ? sluice__buffer_add(&s->alloc, out, escape, 2)
                                       : sluice__buffer_add(&s->alloc, out, p + k, 1);
    }
    return good && sluice__buffer_add(&s->alloc, out, "\"", 1);
}

/* Text on one line that goes to `extra`. */
SLUICE__HANDLER(side) {
    RESUME(m)
    AWAIT(m, sluice__op_upto(s, m->program->sets[i->a], s->set.limit_header, true, false));
    RESUME_END
    uint64_t from = s->result.start, to = s->result.end;
    if (!s->result.ok) { /* the end of its line may end it */
        if (to == from || sluice__minus(to, from) > s->set.limit_name)
            return SLUICE__FAILS;
        sluice__seek(s, to);
        if (sluice__m_at_end(s))
            return SLUICE__FAILS;
    }
    while (from < to && sluice__is_space(*sluice__at(s, from)))
        from++;
    while (to > from && sluice__is_space(*sluice__at(s, to - 1)))
        to--;
    sluice__rare *rare = sluice__m_rare(m, s);
    TRY(rare);
    size_t at = rare->extras.len, had = rare->extra[i->b].to - rare->extra[i->b].from;
    TRY(add_string(s, &rare->extras, to > from ? sluice__at(s, from) : "",
                   sluice__minus(to, from)));
    if (!had) { /* the first of the call is kept, and others must be equal */
        rare->extra[i->b].from = (uint32_t)at;
        rare->extra[i->b].to = (uint32_t)rare->extras.len;
    } else if (rare->extras.len - at != had ||
               memcmp(rare->extras.data + at, rare->extras.data + rare->extra[i->b].from, had) !=
                   0) {
        sluice__lower(s, SLUICE_INCOMPLETE);
        TRY(sluice__m_error(s, "bad_arguments", "a text differs from the one that it repeats"));
    }
    return SLUICE__NEXT;
}

/* ---- JSON around and beside calls ----------------------------------------------------------- */

bool sluice__m_note_said(sluice__run *m, const sluice_stream *s) {
    enum { MOST = sizeof m->beside->said / sizeof *m->beside->said };
    if (!make_beside(m, s))
        return false;
    bool new = !m->said_count || m->beside->said[m->said_count - 1] < s->pos;
    if (new && m->said_count < MOST)
        m->beside->said[m->said_count++] = s->pos;
    return true;
}

sluice__went sluice__m_tell_said(sluice__run *m, sluice_stream *s) {
    sluice__went went;
    SUB_RESUME(m)
    if (m->said_next == m->said_count)
        return SLUICE__NEXT;
    went = sluice__m_prepare(m, s);
    if (went != SLUICE__NEXT)
        return went;
    for (; m->said_next < m->said_count; m->said_next++) {
        m->at[3] = s->pos;
        sluice__seek(s, m->beside->said[m->said_next]);
        SUB_AWAIT(m, sluice__op_speech(s, SLUICE__LENIENT, SLUICE_REASONING));
        sluice__seek(s, m->at[3]);
    }
    RESUME_END
    return SLUICE__NEXT;
}

sluice__went sluice__m_with_key(sluice__run *m, sluice_stream *s) {
    long byte;
    SUB_RESUME(m)
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    m->object_at = s->pos;
    m->answer = byte == '{';
    if (!m->answer)
        return SLUICE__NEXT;
    s->pos++;
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    m->answer = (byte == '"' || byte == '\'') &&
                (m->object_at <= s->quoting_from || m->object_at >= s->quoting_until);
    sluice__seek(s, m->object_at);
    RESUME_END
    return SLUICE__NEXT;
}

sluice__went sluice__m_quoting_object(sluice__run *m, sluice_stream *s) {
    SUB_RESUME(m)
    sluice__seek(s, m->object_at);
    SUB_AWAIT(m, sluice__op_skip(s, SLUICE__LENIENT, NULL, 0, 0));
    RESUME_END
    if (s->result.ok || s->result.item == SLUICE__READ_MORE) { /* else it is text, not JSON */
        s->quoting_from = m->object_at;
        s->quoting_until = s->result.ok ? s->result.end : UINT64_MAX;
    }
    return SLUICE__NEXT;
}

typedef struct collector {
    const sluice_stream *s;
    sluice__buffer *out;
} collector;

/* Newlines between tokens are dropped; those inside strings are escaped already. */
static bool collect(void *user, const char *p, size_t n, bool source) {
    collector *c = user;
    (void)source;
    for (size_t k = 0; k < n; k++)
        if (p[k] != '\n' && p[k] != '\r' && !sluice__buffer_add(&c->s->alloc, c->out, p + k, 1))
            return false;
    return true;
}

bool sluice__m_add_strict(const sluice_stream *s, sluice__buffer *out, const char *p, size_t n) {
    const char *why;
    size_t at, used;
    if (!memchr(p, '\n', n) && sluice__is_json(&s->alloc, p, n, &why, &at))
        return sluice__buffer_add(&s->alloc, out, p, n);
    collector c = {s, out};
    sluice__sink sink = {.user = &c, .raw = collect};
    sluice__reader reader;
    sluice__reader_init(&reader, &s->alloc, &sink, SLUICE__LENIENT, SLUICE__TOP_ANY, NULL, 0,
                        s->set.limit_depth);
    bool good = sluice__reader_feed(&reader, p, n, true, &used) != SLUICE__READ_NOMEM &&
                sluice__reader_close(&reader);
    sluice__reader_release(&reader);
    return good;
}

/* May the skipped member hold calls, or a part of one? at[1]: its key suggests so. */
static bool may_be_calls(const sluice__run *m, const sluice_stream *s) {
    int shape = sluice__m_shape(s, NULL);
    return shape == HOLDS_A_NAME || (m->at[1] && shape > IS_NOTHING);
}

/* An object with calls in a member: reads up to that member. at: 0 where its value begins; 1 the
 * number of a fixed member, or whether the key means arguments; 2 whether it is reasoning. */
SLUICE__HANDLER(member) {
    const sluice__member *spec = &m->program->members[i->a];
    sluice__went went;
    long byte;
    RESUME(m)
    if (spec->anywhere) {
        CALL(m, went, sluice__m_with_key(m, s));
        if (!m->answer)
            return SLUICE__FAILS;
    }
    m->answer = true; /* expects the brace */
    m->doubted = false;
    for (;;) {
        AWAIT(m, sluice__op_member(s, SLUICE__LENIENT, NULL, 0, m->answer));
        m->answer = false;
        if (!s->result.ok)
            goto refused;
        if (is_one_of(spec->keys, s->result.text, s->result.text_len))
            break;
        m->at[1] = 0;
        while (spec->fixed[m->at[1]] &&
               (strlen(spec->fixed[m->at[1]]) != s->result.text_len ||
                memcmp(spec->fixed[m->at[1]], s->result.text, s->result.text_len) != 0))
            m->at[1]++;
        if (spec->fixed[m->at[1]]) {
            AWAIT(m, sluice__op_string(s, SLUICE__LENIENT, NULL, 0, s->set.limit_header));
            const char *value = spec->values[m->at[1]];
            if (!s->result.ok || strlen(value) != s->result.text_len ||
                memcmp(value, s->result.text, s->result.text_len) != 0)
                goto refused;
            continue;
        }
        m->at[2] = is_one_of(spec->reasoning, s->result.text, s->result.text_len);
        if (m->at[2])
            TRY(sluice__m_note_said(m, s));
        m->at[1] = sluice__m_is_alike(s->result.text, s->result.text_len);
        AWAIT(m, sluice__op_skip(s, SLUICE__LENIENT, NULL, 0, '}'));
        if (!s->result.ok)
            goto refused;
        m->doubted |= !m->at[2] && may_be_calls(m, s);
    }
    LOOK(m, byte, sluice__m_byte(m, s, true));
    if (byte == '[') {
        m->at[0] = s->pos;
        s->pos++;
        LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte == ']') { /* no calls */
            s->pos++;
            m->spoke = s->committed = true;
            TRY(sluice__flush(s));
            return jump(m, spec->out - 1);
        }
        sluice__seek(s, m->at[0]);
    }
    return SLUICE__NEXT;
refused:
    if (spec->anywhere)
        CALL(m, went, sluice__m_quoting_object(m, s));
    RESUME_END
    return SLUICE__FAILS;
}

/* The rest of the object. */
SLUICE__HANDLER(member_end) {
    const sluice__member *spec = &m->program->members[i->a];
    RESUME(m)
    for (;;) {
        AWAIT(m, sluice__op_member(s, SLUICE__LENIENT, NULL, 0, false));
        if (!s->result.ok)
            break;
        m->doubted |= m->missed || !sluice__m_key_is_plain(s); /* missed: the list is still open */
        m->at[1] = is_one_of(spec->keys, s->result.text, s->result.text_len) ||
                   sluice__m_is_alike(s->result.text, s->result.text_len);
        AWAIT(m, sluice__op_skip(s, SLUICE__LENIENT, NULL, 0, '}'));
        m->doubted |= may_be_calls(m, s);
        if (!s->result.ok)
            break;
    }
    RESUME_END
    if (s->result.kind != '}' && m->began)
        sluice__lower(s, SLUICE_RECOVERED);
    if (m->doubted) {
        TRY(sluice__m_error(s, s->call.open ? "ignored_argument" : "invalid_call",
                            "another member of the object may also be a call"));
        if (s->call.open)
            sluice__lower(s, SLUICE_INCOMPLETE);
    }
    return SLUICE__NEXT;
}
