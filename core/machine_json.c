/* Instructions that read arguments, and objects that are calls. */
#include "machine.h"

enum {
    NOTHING_FIRST = 5,
    NOTHING_LAST = 6
}; /* of program->encoded: what stands for no arguments */

/* What stands where arguments are due. */
enum { NEITHER, AN_OBJECT, NO_ARGUMENTS };

/* Looks at what begins with `byte`. NEITHER, AN_OBJECT, NO_ARGUMENTS; LOOK_WAITS. */
static int look_at_arguments(sluice__run *m, sluice_stream *s, long byte) {
    long item;
    if (byte == '{')
        return AN_OBJECT;
    if (byte == '"' || byte == '\'') {
        item = sluice__m_peek(m, s, m->program->encoded, true);
        if (item == SLUICE__LOOK_WAITS)
            return SLUICE__LOOK_WAITS;
        return item < 0                                        ? NEITHER
               : item >= NOTHING_FIRST && item <= NOTHING_LAST ? NO_ARGUMENTS
                                                               : AN_OBJECT;
    }
    if (byte == 'n' || byte == 'N') {
        item = sluice__m_peek(m, s, m->program->nothing, true);
        return item == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : item >= 0 ? NO_ARGUMENTS : NEITHER;
    }
    return NEITHER;
}

/* ---- Reading arguments --------------------------------------------------------------------- */

/* How the arguments came out: `m->at[3]`. */
enum { READ, CUT, BROKEN, BROKEN_INSIDE };

/* What the reader said, where the arguments are not whole. */
static sluice__went not_whole(sluice__run *m, sluice_stream *s) {
    bool inside = s->result.item & 1;
    m->why = s->result.text;
    if (s->result.item & 2)
        TRY(sluice__m_error(s, "limit_exceeded",
                            "the arguments are nested too deep, or a number in them is too long"));
    if (s->result.kind == SLUICE__READ_MORE) {
        sluice__lower(s, inside ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
        m->at[3] = CUT;
    } else {
        m->at[3] = inside ? BROKEN_INSIDE : BROKEN;
    }
    return SLUICE__NEXT;
}

static bool begin_member(sluice__run *m, sluice_stream *s) {
    if (sluice__m_is_used(m, m->param.data, m->param.len) &&
        sluice__m_duplicate(m, s) != SLUICE__NEXT)
        return false;
    return sluice__m_use(m, s, m->param.data, m->param.len) &&
           sluice__param(s, m->param.data, m->param.len);
}

/* A member's value stands in a string, and its type is none: typed by the schema. */
static bool typed_member(sluice__run *m, sluice_stream *s, unsigned mask) {
    unsigned type;
    return sluice__m_set(s, &m->mended, s->result.text, s->result.text_len) && begin_member(m, s) &&
           sluice__flush(s) &&
           sluice__param_typed(s, m->mended.data, m->mended.len, mask, SLUICE__LENIENT, false,
                               &type);
}

/* Arguments member by member, each value typed by the tool's schema where it stands in a string:
 * what the option `types = "schema"` asks for. */
static sluice__went typed_arguments(sluice__run *m, sluice_stream *s,
                                    const sluice__arguments_spec *how) {
    uint32_t flags = s->set.repairs ? how->flags : how->quote_len ? SLUICE__BARE : 0;
    long byte;
    int r;
    SUB_RESUME(m)
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    s->pos++;
    for (;;) {
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte == '}') {
            s->pos++;
            m->at[3] = READ;
            return SLUICE__NEXT;
        }
        if (byte == ',') {
            s->pos++;
            continue;
        }
        m->at[0] = s->pos;
        sluice__m_pin(s);
        SUB_AWAIT(m, sluice__op_string(s, flags, how->quote, how->quote_len, s->set.limit_header));
        m->answer = s->result.ok;
        if (m->answer) {
            TRY(sluice__m_set(s, &m->param, s->result.text, s->result.text_len));
            SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
            m->answer = byte == ':' || byte == '=';
            s->pos += m->answer;
            SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
            m->answer = m->answer && byte >= 0;
        }
        if (!m->answer) {
            sluice__seek(s, m->at[0]);
            sluice__m_unpin(s);
            SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
            sluice__lower(s, byte >= 0 ? SLUICE_RECOVERED : SLUICE_INCOMPLETE);
            m->at[3] = byte >= 0 ? BROKEN_INSIDE : CUT;
            return SLUICE__NEXT;
        }
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        ASK(r, m->scripts->types(m->user, s, m->tool, m->param.data, m->param.len, &m->types));
        m->at[1] = s->pos;
        if (m->types.declared && m->types.mask < SLUICE__STRING && (byte == '"' || byte == '\'')) {
            SUB_AWAIT(m,
                      sluice__op_string(s, flags, how->quote, how->quote_len, s->set.limit_value));
            if (s->result.ok) {
                sluice__m_unpin(s);
                TRY(typed_member(m, s, m->types.mask));
                continue;
            }
            sluice__seek(s, m->at[1]);
        }
        sluice__m_unpin(s);
        TRY(begin_member(m, s));
        SUB_AWAIT(m, sluice__op_json(s, flags, how->quote, how->quote_len));
        if (!s->result.ok) {
            bool more = s->result.kind == SLUICE__READ_MORE;
            sluice__went went = not_whole(m, s);
            if (more)
                sluice__lower(s, SLUICE_INCOMPLETE);
            return went;
        }
    }
    RESUME_END
    return SLUICE__NEXT;
}

static bool in_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
           (unsigned char)c >= 0x80;
}

/* Does a value stand here where a keyword and its value should? 1, 0, LOOK_WAITS. */
static int is_positional(sluice__run *m, sluice_stream *s) {
    long byte = sluice__m_byte(m, s, true);
    if (byte < 0)
        return byte == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : 0;
    if (byte == ')' || byte == ',' || byte == '*')
        return 0;
    if (!in_word((char)byte))
        return 1;
    uint64_t at = s->pos, limit = sluice__visible(s), most = at + s->set.limit_header;
    while (at < limit && at < most && in_word(*sluice__at(s, at)))
        at++;
    while (at < limit && at < most && sluice__is_space(*sluice__at(s, at)))
        at++;
    if (at >= limit && at < most)
        return sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
    return *sluice__at(s, at) != '=' && *sluice__at(s, at) != ':';
}

/* Keyword arguments among which stand some without their keyword: these are the tool's parameters
 * in their order. What fits none is told. at[0]: it has a key; at[1]: that was told. */
static sluice__went positional_arguments(sluice__run *m, sluice_stream *s,
                                         const sluice__arguments_spec *how) {
    uint32_t flags = how->flags | SLUICE__PYTHON;
    const char *key;
    size_t len;
    long byte;
    int r;
    SUB_RESUME(m)
    m->at[1] = false;
    for (;;) {
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte == ')' || byte < 0) {
            m->at[3] = byte < 0 ? CUT : READ;
            if (byte < 0)
                sluice__lower(s, SLUICE_RECOVERED);
            return SLUICE__NEXT;
        }
        if (byte == ',') {
            s->pos++;
            continue;
        }
        SUB_LOOK(m, r, is_positional(m, s));
        m->answer = r == 1;
        m->at[0] = false;
        if (m->answer) {
            m->place++;
            r = 0;
            if (m->tool)
                ASK(r, m->scripts->parameter(m->user, s, m->tool, m->place, &key, &len));
            m->at[0] = r == 1;
            if (r)
                TRY(sluice__m_set(s, &m->param, key, len));
        } else {
            SUB_AWAIT(m,
                      sluice__op_string(s, flags, how->quote, how->quote_len, s->set.limit_header));
            m->at[0] = s->result.ok;
            if (s->result.ok)
                TRY(sluice__m_set(s, &m->param, s->result.text, s->result.text_len));
            SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
            if (byte == '=' || byte == ':')
                s->pos++;
            else
                m->at[0] = false;
        }
        if (m->at[0] && !sluice__m_is_used(m, m->param.data, m->param.len)) {
            if (m->answer && !m->at[1]) {
                m->at[1] = true;
                sluice__lower(s, SLUICE_RECOVERED);
                TRY(sluice__m_error(s, "repaired",
                                    "arguments without a keyword were taken in the order of the "
                                    "tool's parameters"));
            }
            TRY(begin_member(m, s));
            SUB_AWAIT(m, sluice__op_json(s, flags, how->quote, how->quote_len));
            if (!s->result.ok) {
                sluice__lower(s, SLUICE_INCOMPLETE);
                return not_whole(m, s);
            }
        } else {
            s->committed = true;
            TRY(sluice__flush(s) &&
                sluice__m_error(s, "ignored_argument",
                                m->at[0] ? "an argument was given before"
                                         : "an argument without a keyword fits no parameter of the "
                                           "tool"));
            sluice__lower(s, SLUICE_INCOMPLETE);
            SUB_AWAIT(m, sluice__op_skip(s, flags, how->quote, how->quote_len));
            if (!s->result.ok) {
                m->at[3] = BROKEN_INSIDE;
                return SLUICE__NEXT;
            }
            TRY(sluice__flush(s));
        }
    }
    RESUME_END
    return SLUICE__NEXT;
}

enum { MEMBER_BY_MEMBER = 1, BY_PLACE }; /* of at[2] */

/* Streams the arguments that begin at pos; the call is announced. m->at[3] gets how they came
 * out. */
static sluice__went stream_arguments(sluice__run *m, sluice_stream *s,
                                     const sluice__arguments_spec *how) {
    long byte, item;
    int place;
    if (m->at[2] == BY_PLACE)
        return positional_arguments(m, s, how);
    if (m->at[2]) /* member by member */
        return typed_arguments(m, s, how);
    SUB_RESUME(m)
    if (how->kwargs && s->set.repairs) {
        SUB_LOOK(m, place, is_positional(m, s));
        if (place) {
            m->at[2] = BY_PLACE;
            m->sub = 0;
            return positional_arguments(m, s, how);
        }
    }
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    if (m->tool && !how->kwargs && byte == '{' && s->set.types) {
        m->at[2] = true;
        m->sub = 0;
        return typed_arguments(m, s, how);
    }
    item = -1;
    if (byte != '{' && !how->kwargs)
        SUB_LOOK(m, item, sluice__m_peek(m, s, m->program->encoded, true));
    SUB_AWAIT(m, sluice__op_arguments(s, how->flags,
                                      how->kwargs ? SLUICE__TOP_KWARGS : SLUICE__TOP_OBJECT,
                                      how->quote, how->quote_len, item >= 0));
    RESUME_END
    if (!s->result.ok)
        return not_whole(m, s);
    m->at[3] = READ;
    return SLUICE__NEXT;
}

/* The arguments stopped being readable: is only a closer missing, with the format's own closer
 * here? Else they are skipped up to the next literal of `resync`. */
static sluice__went mend(sluice__run *m, sluice_stream *s, const sluice__markers *enders,
                         const sluice__markers *resync) {
    long item, byte;
    SUB_RESUME(m)
    if (m->at[3] == BROKEN) {
        if (enders) {
            SUB_LOOK(m, item, sluice__m_peek(m, s, enders, true));
            m->answer = item >= 0;
        } else {
            m->answer = false;
        }
        if (!m->answer) {
            SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
            m->answer = byte < 0;
        }
        if (m->answer) {
            sluice__lower(s, SLUICE_RECOVERED);
            return SLUICE__NEXT;
        }
    }
    {
        sluice__buffer text = {0};
        bool good = sluice__buffer_text(&s->alloc, &text, "the arguments stop being readable") &&
                    (!m->why || (sluice__buffer_text(&s->alloc, &text, ": ") &&
                                 sluice__buffer_text(&s->alloc, &text, m->why))) &&
                    sluice__buffer_add(&s->alloc, &text, "", 1) &&
                    sluice__m_error(s, "bad_arguments", text.data);
        sluice__buffer_release(&s->alloc, &text);
        TRY(good);
    }
    sluice__lower(s, SLUICE_INCOMPLETE);
    if (resync)
        SUB_AWAIT(m, sluice__op_junk(s, resync));
    RESUME_END
    return SLUICE__NEXT;
}

sluice__went sluice__m_object_arguments(sluice__run *m, sluice_stream *s) {
    static const sluice__arguments_spec how = {.flags = SLUICE__LENIENT};
    return stream_arguments(m, s, &how);
}

bool sluice__m_broken(const sluice__run *m) { return m->at[3] >= BROKEN; }

sluice__went sluice__m_mend(sluice__run *m, sluice_stream *s, const sluice__markers *resync) {
    return mend(m, s, resync, resync);
}

/* No object stands where the arguments of an announced call should. */
static sluice__went no_arguments(sluice__run *m, sluice_stream *s,
                                 const sluice__arguments_spec *how) {
    long item = -1, byte;
    SUB_RESUME(m)
    if (how->enders)
        SUB_LOOK(m, item, sluice__m_peek(m, s, how->enders, true));
    m->answer = item >= 0;
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    if (byte < 0)
        sluice__lower(s, SLUICE_RECOVERED);
    if (byte < 0 || m->answer)
        return SLUICE__NEXT;
    TRY(sluice__m_error(s, "bad_arguments", "no object stands where the arguments should"));
    sluice__lower(s, SLUICE_INCOMPLETE);
    if (how->resync)
        SUB_AWAIT(m, sluice__op_junk(s, how->resync));
    RESUME_END
    return SLUICE__NEXT;
}

/* Does a colon stand behind the key that was read? */
static bool has_colon(const sluice_stream *s) {
    for (uint64_t at = s->result.end; at < s->pos; at++)
        if (*sluice__at(s, at) == ':' || *sluice__at(s, at) == '=')
            return true;
    return false;
}

/* at: 0 what stands here, 1 where it begins, 2 member by member?, 3 how they came out */
SLUICE__HANDLER(arguments) {
    const sluice__arguments_spec *how = &m->program->arguments[i->a];
    sluice__went went;
    long byte, item;
    int what;
    RESUME(m)
    m->at[0] = AN_OBJECT;
    m->at[2] = false;
    if (how->raw != SLUICE__NONE) { /* what does not begin as an object is text */
        LOOK(m, byte, sluice__m_byte(m, s, true));
        LOOK(m, what, look_at_arguments(m, s, sluice__m_byte(m, s, true)));
        m->answer = what == NEITHER;
        LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte == '{') {
            m->at[1] = s->pos;
            sluice__m_pin(s);
            AWAIT(m, sluice__op_member(s, how->flags, NULL, 0, true));
            m->answer = s->result.ok ? !has_colon(s) : s->result.kind != '}' && s->result.kind;
            sluice__seek(s, m->at[1]);
            sluice__m_unpin(s);
        }
        if (m->answer && byte >= 0) {
            m->pc = how->raw;
            m->phase = 0;
            return SLUICE__JUMPED;
        }
    }
    if (!how->kwargs) {
        LOOK(m, byte, sluice__m_byte(m, s, true));
        LOOK(m, what, look_at_arguments(m, s, sluice__m_byte(m, s, true)));
        m->at[0] = (uint64_t)what;
    }
    if (m->at[0] == NEITHER && !m->began) {
        item = -1;
        if (how->enders)
            LOOK(m, item, sluice__m_peek(m, s, how->enders, true));
        if (item < 0)
            return SLUICE__FAILS;
        if (m->shared) {
            ASK(what, sluice__m_plain_call(m, s));
            if (!what)
                return SLUICE__FAILS;
        }
        m->at[0] = NO_ARGUMENTS;
    }
    m->answer = m->began;
    if (!m->began)
        COMMIT(m, s, return SLUICE__FAILS);
    if (m->at[0] == NEITHER) {
        CALL(m, went, no_arguments(m, s, how));
    } else if (m->at[0] == NO_ARGUMENTS) {
        LOOK(m, item, sluice__m_take(m, s, m->program->nothing, true));
    } else {
        CALL(m, went, stream_arguments(m, s, how));
        if (m->at[3] >= BROKEN)
            CALL(m, went, mend(m, s, how->enders, how->resync));
    }
    RESUME_END
    return SLUICE__NEXT;
}

/* ---- An object that is a call -------------------------------------------------------------- */

/* How a member came out. */
enum { GOES_ON, ENDS, UNREADABLE, ARGUMENTS_CUT, ARGUMENTS_BROKEN };

static bool refuse(sluice__run *m, const sluice_stream *s, const char *why) {
    return m->wrong.len || sluice__m_wrong(m, s, NULL, why);
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

/* A value that is neither name nor arguments was read: the id, or a member of `extra`. */
static bool take_member(sluice__run *m, const sluice_stream *s, const sluice__field *f) {
    if (f->id) {
        m->has_id = true;
        if (!sluice__m_set(s, &m->id, s->result.text, s->result.text_len))
            return false;
    }
    return true;
}

static bool take_extra(sluice__run *m, const sluice_stream *s, const sluice__field *f) {
    size_t n = (size_t)(s->result.end - s->result.start);
    m->extra[f->extra - 1].from = (uint32_t)m->extras.len;
    if (n && !sluice__m_add_strict(s, &m->extras, sluice__at(s, s->result.start), n))
        return false;
    m->extra[f->extra - 1].to = (uint32_t)m->extras.len;
    return true;
}

/* The name, from the string that was read. */
static sluice__went take_name(sluice__run *m, sluice_stream *s) {
    const sluice__result *r = &s->result;
    m->at[0] = UNREADABLE;
    if (r->kind == 1 && !r->ok) {
        m->code = sluice__code("limit_exceeded");
        TRY(refuse(m, s, "the name is longer than limit_name"));
        return SLUICE__NEXT;
    }
    if (!r->ok || !r->text_len) {
        TRY(refuse(m, s, "the name is no plausible name"));
        return SLUICE__NEXT;
    }
    m->at[0] = GOES_ON;
    TRY(sluice__m_set_name(m, s, r->text, r->text_len, r->start + 1, r->end - 1,
                           SLUICE__NO_PATTERN));
    return SLUICE__NEXT;
}

/* Skips a value, noting what is wanted of it. at[0]: how it came out. */
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
    SUB_AWAIT(m, sluice__op_skip(s, how->flags, how->quote, how->quote_len));
    RESUME_END
    m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
    if (!s->result.ok || !f)
        return SLUICE__NEXT;
    note_kind(m, s->result.kind);
    if (f->id) { /* a number, or the like */
        size_t n = (size_t)(s->result.end - s->result.start);
        m->has_id = true;
        TRY(sluice__m_set(s, &m->id, sluice__at(s, s->result.start), n));
    }
    if (f->extra)
        TRY(take_extra(m, s, f));
    return SLUICE__NEXT;
}

/* Are the fields there that the script requires, and of their kind? */
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
        if (!m->wrong.len) {
            m->wrong.len = 0;
            TRY(sluice__buffer_text(&s->alloc, &m->wrong, "the field '") &&
                sluice__buffer_text(&s->alloc, &m->wrong, f->key) &&
                sluice__buffer_text(&s->alloc, &m->wrong, "' is missing or of the wrong kind") &&
                sluice__buffer_add(&s->alloc, &m->wrong, "", 1));
        }
        return SLUICE__FAILS;
    }
    return SLUICE__NEXT;
}

static uint64_t came_out(const sluice__run *m) {
    return m->at[3] == READ ? GOES_ON : m->at[3] == CUT ? ARGUMENTS_CUT : ARGUMENTS_BROKEN;
}

/* Is it enough for a call? What is missing is told. */
static sluice__went enough(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    if ((o->arguments_required || (m->markerless && !o->arguments_optional)) && !m->given &&
        m->others.at == m->others.count) {
        TRY(refuse(m, s, "the arguments are missing"));
        return SLUICE__FAILS;
    }
    return complete(m, s, o);
}

/* ---- Members that the format has no word for */

/* Keys that models write for one another, and members that say nothing about the arguments. */
static const char *const alike[] = {"arguments", "parameters", "args", "input", "kwargs", NULL};
static const char *const harmless[] = {"type",   "id",      "index",        "role", "object",
                                       "status", "call_id", "tool_call_id", NULL};

static bool is_one(const char *const *list, const char *p, size_t n) {
    for (; *list; list++)
        if (strlen(*list) == n && memcmp(*list, p, n) == 0)
            return true;
    return false;
}

/* May members stand for the arguments that the format has no word for? */
static bool lenient(const sluice__run *m, const sluice_stream *s, const sluice__object_spec *o) {
    return !o->flat && !o->some_required && !o->arguments_required && !o->name_as_key &&
           s->set.repairs && (m->has_tools || !m->markerless);
}

/* Does the call's tool, as far as it is known by now, declare this parameter? 1, 0, -1. */
static int declared(sluice__run *m, sluice_stream *s, const char *key, size_t len) {
    if (!m->began && sluice__m_find_tool(m, s) != SLUICE__NEXT)
        return -1;
    return m->tool ? m->scripts->declares(m->user, s, m->tool, key, len, false) : 0;
}

/* Does the key in asked_key stand for the arguments'? `byte` begins its value. */
static int stands_for_arguments(sluice__run *m, sluice_stream *s, const sluice__object_spec *o,
                                long byte) {
    if (byte != '{' || m->given || !lenient(m, s, o) ||
        !is_one(alike, m->asked_key.data, m->asked_key.len))
        return 0;
    int r = declared(m, s, m->asked_key.data, m->asked_key.len);
    return r < 0 ? r : !r;
}

/* Notes the member whose key is in asked_key, and whose value was skipped. */
static bool note_other(sluice__run *m, const sluice_stream *s, const sluice__object_spec *o) {
    const sluice__field *f = m->field == SLUICE__NONE ? NULL : &o->fields[m->field];
    if ((f && (f->id || f->extra)) || o->flat || o->some_required || o->arguments_required ||
        o->name_as_key)
        return true;
    if (!sluice__array_grow(&s->alloc, (void **)&m->others.list, &m->others.cap,
                            m->others.count + 1, sizeof *m->others.list))
        return false;
    m->others.list[m->others.count++] = (sluice__other){
        .key = (uint32_t)m->other_keys.len, .len = (uint32_t)m->asked_key.len, .first = m->at[1]};
    return sluice__buffer_add(&s->alloc, &m->other_keys, m->asked_key.data, m->asked_key.len) &&
           sluice__buffer_add(&s->alloc, &m->other_keys, "", 1); /* there is one, if empty */
}

/* Which of the members are arguments, and which may have been? Where there is an argument key, only
 * what the tool declares. others.at: the first that is one. */
static sluice__went sort_others(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    m->others.at = m->others.count;
    for (size_t k = m->others.count; k > 0; k--) {
        sluice__other *other = &m->others.list[k - 1];
        const char *key = m->other_keys.data + other->key;
        uint16_t field = field_of(o, key, other->len);
        int yes;
        ASK(yes, declared(m, s, key, other->len));
        other->flat = yes && !m->given && lenient(m, s, o);
        other->lost =
            !other->flat && (yes || (field != SLUICE__NONE && o->fields[field].arguments) ||
                             (!m->given && !is_one(harmless, key, other->len)));
        if (other->flat)
            m->others.at = k - 1;
    }
    return SLUICE__NEXT;
}

static bool tell_key(sluice_stream *s, const char *code, const char *before, const char *key,
                     size_t len, const char *behind) {
    sluice__buffer text = {0};
    bool good = sluice__buffer_text(&s->alloc, &text, before) &&
                sluice__buffer_add(&s->alloc, &text, key, len) &&
                sluice__buffer_add(&s->alloc, &text, behind, strlen(behind) + 1) &&
                sluice__m_error(s, code, text.data);
    sluice__buffer_release(&s->alloc, &text);
    return good;
}

static bool tell_other_key(sluice__run *m, sluice_stream *s) {
    if (!m->other_key.len)
        return true;
    sluice__lower(s, SLUICE_RECOVERED);
    bool good = tell_key(s, "repaired", "the arguments stood under the key '", m->other_key.data,
                         m->other_key.len, "'");
    m->other_key.len = 0;
    return good;
}

/* Goes to the value of the member others.at, which is an argument, and begins its parameter. */
static bool begin_flat(sluice__run *m, sluice_stream *s) {
    sluice__other *other = &m->others.list[m->others.at];
    const char *key = m->other_keys.data + other->key;
    sluice__seek(s, other->first);
    return sluice__m_set(s, &m->param, key, other->len) && begin_member(m, s);
}

static bool tell_lost(sluice__run *m, sluice_stream *s) {
    for (size_t k = 0; k < m->others.count; k++) {
        const sluice__other *other = &m->others.list[k];
        if (!other->lost)
            continue;
        sluice__lower(s, SLUICE_INCOMPLETE);
        if (!tell_key(s, "ignored_argument", "the member '", m->other_keys.data + other->key,
                      other->len, "' stands where no argument is read"))
            return false;
    }
    m->others.count = 0;
    return true;
}

/* Is the call's name one that means an answer? */
static bool is_answer(const sluice__run *m, const sluice__object_spec *o) {
    for (const char **name = o->answers; *name; name++)
        if (strlen(*name) == m->name.len && memcmp(*name, m->name.data, m->name.len) == 0)
            return true;
    return false;
}

static bool begin_named(sluice__run *m, sluice_stream *s, bool *again) {
    *again = sluice__m_is_used(m, m->param.data, m->param.len);
    return *again || (sluice__m_use(m, s, m->param.data, m->param.len) &&
                      sluice__param(s, m->param.data, m->param.len));
}

/* How a value came out that was read as JSON. */
static sluice__went json_came_out(sluice__run *m, sluice_stream *s) {
    m->at[3] = READ;
    if (!s->result.ok) {
        bool more = s->result.kind == SLUICE__READ_MORE;
        sluice__went went = not_whole(m, s);
        if (went != SLUICE__NEXT)
            return went;
        if (more)
            sluice__lower(s, SLUICE_INCOMPLETE);
    }
    m->at[0] = came_out(m);
    return SLUICE__NEXT;
}

/* The arguments at pos, of a call whose name is known, where they are an answer or no object:
 * m->answer, and at[0] how they came out. Else nothing is read. */
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
    SUB_LOOK(m, what, look_at_arguments(m, s, sluice__m_byte(m, s, true)));
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
    SUB_AWAIT(m, sluice__op_json(s, o->how.flags, o->how.quote, o->how.quote_len));
    m->answer = true;
    RESUME_END
    return json_came_out(m, s);
}

/* A member that is an argument itself: its key is m->param. */
static sluice__went flat_member(sluice__run *m, sluice_stream *s, const sluice__object_spec *o) {
    bool again;
    SUB_RESUME(m)
    TRY(begin_named(m, s, &again));
    if (again) {
        TRY(sluice__m_duplicate(m, s) == SLUICE__NEXT);
        SUB_AWAIT(m, sluice__op_skip(s, o->how.flags, o->how.quote, o->how.quote_len));
        m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
        return SLUICE__NEXT;
    }
    SUB_AWAIT(m, sluice__op_json(s, o->how.flags, o->how.quote, o->how.quote_len));
    RESUME_END
    return json_came_out(m, s);
}

/* at: 0 how the member came out, 1 where reading goes on, 2 and 3 as in `arguments` */
SLUICE__HANDLER(object) {
    const sluice__object_spec *o = &m->program->objects[i->a];
    const sluice__arguments_spec *how = &o->how;
    static const sluice__field none = {0};
    const sluice__field *f;
    sluice__went went;
    long byte, item;
    int what;
    RESUME(m)
    m->given = false;
    if (o->anywhere) {
        CALL(m, went, sluice__m_with_key(m, s));
        if (!m->answer)
            return SLUICE__FAILS;
    }
    m->object_at = s->pos;
    m->answer = true; /* the brace is still to come */
    m->at[2] = false;
    for (m->at[0] = GOES_ON; m->at[0] == GOES_ON;) {
        AWAIT(m, sluice__op_member(s, how->flags, how->quote, how->quote_len, m->answer));
        m->answer = false;
        if (!s->result.ok) {
            m->at[0] = s->result.kind == '}' ? ENDS : UNREADABLE;
            break;
        }
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
            TRY(sluice__m_set(s, &m->other_key, m->asked_key.data, m->asked_key.len));
        }
        if (o->flat)
            TRY(sluice__m_set(s, &m->param, m->asked_key.data, m->asked_key.len));
        f = m->field == SLUICE__NONE ? &none : &o->fields[m->field];
        if (f->ignored || f->reasoning || (o->flat && f->name && m->has_name)) {
            if (f->reasoning && !m->began)
                TRY(sluice__m_note_said(m, s));
            CALL(m, went, skip_member(m, s, o));
        } else if (o->flat && !f->name && !f->id && !f->extra) {
            if (!m->has_name) { /* the name is still to come: from the beginning again then */
                m->passed = true;
                CALL(m, went, skip_member(m, s, o));
                continue;
            }
            m->at[0] = UNREADABLE;
            if (!m->began) {
                CALL(m, went, sluice__m_tell_said(m, s));
                COMMIT(m, s, return SLUICE__FAILS);
            }
            CALL(m, went, flat_member(m, s, o));
        } else if (f->arguments && !m->given && !m->has_name && (o->scalar || o->answers[0])) {
            m->given = true;
            AWAIT(m, sluice__op_skip(s, how->flags, how->quote, how->quote_len));
            m->arguments_at = s->result.start;
            m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
        } else if (o->name_as_key && !m->has_name) {
            TRY(sluice__m_set_name(m, s, s->result.text, s->result.text_len, s->result.start + 1,
                                   s->result.end - 1, SLUICE__NO_PATTERN));
            LOOK(m, what, look_at_arguments(m, s, sluice__m_byte(m, s, true)));
            m->at[0] = UNREADABLE;
            if (what != AN_OBJECT)
                break;
            CALL(m, went, sluice__m_tell_said(m, s));
            COMMIT(m, s, return SLUICE__FAILS);
            CALL(m, went, stream_arguments(m, s, how));
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
            LOOK(m, what, look_at_arguments(m, s, sluice__m_byte(m, s, true)));
            if (what == NEITHER) {
                TRY(refuse(m, s, "the arguments are no object"));
                m->at[0] = UNREADABLE;
                break;
            }
            m->given = true;
            LOOK(m, byte, sluice__m_byte(m, s, true));
            note_kind(m, byte);
            LOOK(m, what, look_at_arguments(m, s, sluice__m_byte(m, s, true)));
            if (what == NO_ARGUMENTS) {
                LOOK(m, item, sluice__m_take(m, s, m->program->nothing, true));
            } else if (m->has_name && !o->some_required) {
                m->at[0] = UNREADABLE;
                CALL(m, went, sluice__m_tell_said(m, s));
                COMMIT(m, s, return SLUICE__FAILS);
                TRY(tell_other_key(m, s));
                CALL(m, went, stream_arguments(m, s, how));
                m->at[0] = came_out(m);
                m->answer = false;
            } else { /* they come before the name, or all must have been seen: held */
                AWAIT(m, sluice__op_skip(s, how->flags, how->quote, how->quote_len));
                m->arguments_at = s->result.start;
                m->at[0] = s->result.ok ? GOES_ON : UNREADABLE;
            }
        } else {
            CALL(m, went, skip_member(m, s, o));
            if (m->at[0] == GOES_ON)
                TRY(note_other(m, s, o));
        }
    }
    if (m->at[0] == ARGUMENTS_CUT || (m->spoke && !m->began))
        return SLUICE__NEXT;
    if (m->at[0] == ARGUMENTS_BROKEN) {
        CALL(m, went, mend(m, s, how->enders, how->enders));
        return SLUICE__NEXT;
    }
    if (!m->began &&
        (m->at[0] == ENDS || ((m->arguments_at != UINT64_MAX || m->given) && m->has_name))) {
        went = sort_others(m, s, o);
        if (went == SLUICE__NEXT)
            went = enough(m, s, o);
        if (went != SLUICE__NEXT)
            return went;
        m->stop = s->pos;
        if (m->arguments_at != UINT64_MAX)
            sluice__seek(s, m->arguments_at);
        else if (m->others.at < m->others.count)
            sluice__seek(s, m->others.list[m->others.at].first);
        if (m->arguments_at != UINT64_MAX && (o->scalar || o->answers[0])) {
            CALL(m, went, special_arguments(m, s, o));
            if (m->answer) {
                sluice__seek(s, m->stop);
                if (m->began)
                    TRY(tell_lost(m, s));
                return SLUICE__NEXT;
            }
        }
        CALL(m, went, sluice__m_tell_said(m, s));
        COMMIT(m, s, return SLUICE__FAILS);
        TRY(tell_other_key(m, s));
        if (m->arguments_at != UINT64_MAX) {
            CALL(m, went, stream_arguments(m, s, how));
            sluice__seek(s, m->stop);
        } else if (m->others.at < m->others.count) {
            sluice__lower(s, SLUICE_RECOVERED);
            TRY(sluice__m_error(s, "repaired", "the arguments stood beside the name"));
            for (; m->others.at < m->others.count; m->others.at++) {
                if (!m->others.list[m->others.at].flat)
                    continue;
                TRY(begin_flat(m, s));
                AWAIT(m, sluice__op_json(s, how->flags, how->quote, how->quote_len));
            }
            sluice__seek(s, m->stop);
        }
        TRY(tell_lost(m, s));
    }
    if (m->began && m->others.count) {
        went = sort_others(m, s, o);
        if (went != SLUICE__NEXT)
            return went;
        TRY(tell_lost(m, s));
    }
    if (m->at[0] == UNREADABLE) {
        if (!m->began)
            return SLUICE__FAILS;
        /* the closing brace is missing, or what is there cannot be read */
        item = -1;
        if (how->enders)
            LOOK(m, item, sluice__m_peek(m, s, how->enders, true));
        if (item < 0) {
            LOOK(m, byte, sluice__m_byte(m, s, true));
            if (byte >= 0 && !s->set.repairs) {
                sluice__lower(s, SLUICE_INCOMPLETE);
                return SLUICE__NEXT;
            }
        }
        sluice__lower(s, SLUICE_RECOVERED);
        return SLUICE__NEXT;
    }
    while (!o->brace_follows) {
        LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte != '}')
            break;
        s->pos++;
        TRY(sluice__m_error(s, "repaired", "a closing brace too many was left out"));
        sluice__lower(s, SLUICE_RECOVERED);
    }
    RESUME_END
    return SLUICE__NEXT;
}
