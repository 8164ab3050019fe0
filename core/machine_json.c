/* The instruction that reads arguments. */
#include "machine_json.h"

enum { NOTHING_FIRST = 5, NOTHING_LAST = 6 }; /* of program->encoded: spellings of no arguments */

int sluice__m_look_at_arguments(sluice__run *m, sluice_stream *s, long byte) {
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

bool sluice__m_tell_cut(sluice__run *m, sluice_stream *s) {
    m->at[3] = CUT;
    return sluice__m_spoilt(s, "unfinished_call", "the text ends before the arguments are closed");
}

sluice__went sluice__m_not_whole(sluice__run *m, sluice_stream *s) {
    bool inside = s->result.item & 1, over = s->result.item & 4;
    m->open = (int)(s->result.item >> 3) + 1;
    m->why = s->result.text;
    if (s->result.item & 2)
        TRY(sluice__m_error(s, "limit_exceeded",
                            "the arguments are nested too deep, or a number in them is too long"));
    if (s->result.kind == SLUICE__READ_MORE) {
        m->at[3] = over ? READ : CUT; /* READ: the string around them has ended */
        if (!over && !inside)
            TRY(sluice__m_tell_cut(m, s));
        sluice__lower(s, inside ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
    } else {
        m->at[3] = inside ? BROKEN_INSIDE : BROKEN;
    }
    return SLUICE__NEXT;
}

bool sluice__m_begin_member(sluice__run *m, sluice_stream *s) {
    if (sluice__m_is_used(m, m->param.data, m->param.len) &&
        sluice__m_duplicate(m, s, true) != SLUICE__NEXT)
        return false;
    return sluice__m_use(m, s, m->param.data, m->param.len) &&
           sluice__param(s, m->param.data, m->param.len);
}

/* Adds a member whose value is a string, though its type is not: converted by the schema. */
static bool typed_member(sluice__run *m, sluice_stream *s, unsigned mask) {
    unsigned type;
    return sluice__m_set(s, &m->mended, s->result.text, s->result.text_len) &&
           sluice__m_begin_member(m, s) && sluice__flush(s) &&
           sluice__param_typed(s, m->mended.data, m->mended.len, mask, SLUICE__LENIENT, false,
                               &type);
}

/* Reads arguments member by member; a value in a string is converted by the tool's schema, as the
 * option `types = "schema"` asks. */
static sluice__went typed_arguments(sluice__run *m, sluice_stream *s,
                                    const sluice__arguments_spec *how) {
    uint32_t flags = s->set.repairs ? how->flags : how->quote_len ? SLUICE__BARE : 0;
    long byte;
    int r;
    SUB_RESUME(m)
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    s->pos++;
    for (;;) {
        SUB_LET_OUT(m, s);
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
            if (byte < 0)
                TRY(sluice__m_tell_cut(m, s));
            sluice__lower(s, SLUICE_RECOVERED);
            m->at[3] = byte >= 0 ? BROKEN_INSIDE : CUT;
            m->why = NULL;
            return SLUICE__NEXT;
        }
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        ASK(r, m->scripts->types(m->user, s, m->tool, m->param.data, m->param.len, &m->types));
        m->at[1] = s->pos;
        if (m->types.declared && m->types.mask < SLUICE__STRING &&
            (byte == '"' || byte == '\'' || (how->quote_len && byte == *how->quote))) {
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
        TRY(sluice__m_begin_member(m, s));
        SUB_AWAIT(m, sluice__op_json(s, flags, how->quote, how->quote_len, '}'));
        if (!s->result.ok) {
            bool more = s->result.kind == SLUICE__READ_MORE;
            sluice__went went = sluice__m_not_whole(m, s);
            if (more)
                sluice__lower(s, SLUICE_INCOMPLETE);
            return went;
        }
    }
    RESUME_END
    return SLUICE__NEXT;
}

/* Is there a value in place of a keyword with its value? Returns 1, 0, LOOK_WAITS. */
static int is_positional(sluice__run *m, sluice_stream *s) {
    long byte = sluice__m_byte(m, s, true);
    if (byte < 0)
        return byte == SLUICE__LOOK_WAITS ? SLUICE__LOOK_WAITS : 0;
    if (byte == ')' || byte == ',' || byte == '*')
        return 0;
    if (!sluice__is_name_byte((char)byte))
        return 1;
    uint64_t at = s->pos, limit = sluice__visible(s), most = at + s->set.limit_header;
    while (at < limit && at < most && sluice__is_name_byte(*sluice__at(s, at)))
        at++;
    while (at < limit && at < most && sluice__is_space(*sluice__at(s, at)))
        at++;
    if (at >= most)
        return 1;
    if (at >= limit)
        return sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
    return *sluice__at(s, at) != '=' && *sluice__at(s, at) != ':';
}

/* Sets m->answer: is the object in place of keyword arguments all of them, with keys that the tool
 * declares? */
static sluice__went look_at_only_object(sluice__run *m, sluice_stream *s,
                                        const sluice__arguments_spec *how) {
    uint32_t flags = how->flags | SLUICE__PYTHON;
    long byte;
    int r;
    SUB_RESUME(m)
    m->at[1] = s->pos;
    sluice__m_pin(s);
    SUB_AWAIT(m, sluice__op_skip(s, flags, how->quote, how->quote_len, 0));
    m->answer = s->result.ok;
    if (m->answer) {
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        m->answer = byte == ')' || byte == ']' || byte < 0;
    }
    sluice__seek(s, m->at[1]);
    for (m->at[0] = 0; m->answer; m->at[0]++) {
        SUB_AWAIT(m, sluice__op_member(s, flags, how->quote, how->quote_len, !m->at[0]));
        if (!s->result.ok) {
            m->answer = m->at[0] && s->result.kind == '}';
            break;
        }
        m->answer = sluice__m_has_colon(s);
        ASK(r,
            m->scripts->declares(m->user, s, m->tool, s->result.text, s->result.text_len, false));
        m->answer = m->answer && r;
        SUB_AWAIT(m, sluice__op_skip(s, flags, how->quote, how->quote_len, '}'));
        m->answer = m->answer && s->result.ok;
    }
    sluice__seek(s, m->at[1]);
    sluice__m_unpin(s);
    RESUME_END
    return SLUICE__NEXT;
}

/* Reads keyword arguments of which some lack their keyword: they are the tool's parameters in
 * order. Reports arguments that match none. at[0]: it has a key; at[1]: reported. */
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
            m->at[3] = READ;
            if (byte < 0)
                TRY(sluice__m_tell_cut(m, s));
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
            TRY(sluice__m_begin_member(m, s));
            SUB_AWAIT(m, sluice__op_json(s, flags, how->quote, how->quote_len, ')'));
            if (!s->result.ok) {
                sluice__lower(s, SLUICE_INCOMPLETE);
                return sluice__m_not_whole(m, s);
            }
        } else {
            s->committed = true;
            TRY(sluice__flush(s) &&
                sluice__m_error(s, "ignored_argument",
                                m->at[0] ? "an argument was given before"
                                         : "an argument without a keyword fits no parameter of the "
                                           "tool"));
            sluice__lower(s, SLUICE_INCOMPLETE);
            SUB_AWAIT(m, sluice__op_skip(s, flags, how->quote, how->quote_len, ')'));
            if (!s->result.ok) {
                m->at[3] = BROKEN_INSIDE;
                m->open = 1; /* it is examined again */
                m->why = NULL;
                return SLUICE__NEXT;
            }
            TRY(sluice__flush(s));
        }
    }
    RESUME_END
    return SLUICE__NEXT;
}

enum { MEMBER_BY_MEMBER = 1, BY_PLACE, AN_OBJECT_OR_BY_PLACE, ONE_OBJECT }; /* of at[2] */

/* Reads an object in parentheses that is all of the arguments. */
static sluice__went only_object(sluice__run *m, sluice_stream *s,
                                const sluice__arguments_spec *how) {
    SUB_RESUME(m)
    sluice__lower(s, SLUICE_RECOVERED);
    TRY(sluice__m_error(s, "repaired",
                        "an object was found instead of keywords, and read as the arguments"));
    SUB_AWAIT(m, sluice__op_arguments(s, how->flags | SLUICE__PYTHON, SLUICE__TOP_OBJECT,
                                      how->quote, how->quote_len, SLUICE__AS_IS));
    if (!s->result.ok)
        return sluice__m_not_whole(m, s);
    RESUME_END
    m->at[3] = READ;
    return SLUICE__NEXT;
}

/* A string with an object begins at pos: are the object's own quotes unescaped? They would end the
 * string right after the brace. Returns 1, 0, LOOK_WAITS. */
static int in_bare_quotes(const sluice_stream *s) {
    uint64_t limit = sluice__visible(s), at = s->pos + 1, most = at + s->set.limit_name;
    char quote = *sluice__at(s, s->pos);
    for (bool brace = false; at < limit && at < most; at++) {
        char c = *sluice__at(s, at);
        if (brace && c == quote)
            return 1;
        if (!sluice__is_space(c) && (brace || c != '{'))
            return 0;
        brace |= c == '{';
    }
    return at >= most || sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
}

static int read_arguments(sluice_stream *s, const sluice__arguments_spec *how,
                          sluice__dress dress) {
    int r =
        sluice__op_arguments(s, how->flags, how->kwargs ? SLUICE__TOP_KWARGS : SLUICE__TOP_OBJECT,
                             how->quote, how->quote_len, dress);
    s->op->guesses = r || s->watched || !how->guesses->len ? NULL : how->guesses;
    return r;
}

sluice__went sluice__m_stream_arguments(sluice__run *m, sluice_stream *s,
                                        const sluice__arguments_spec *how) {
    long byte, item;
    int place;
    s->behind_arguments = how->enders;
    if (m->at[2] == AN_OBJECT_OR_BY_PLACE) {
        sluice__went went = look_at_only_object(m, s, how);
        if (went != SLUICE__NEXT)
            return went;
        m->at[2] = m->answer ? ONE_OBJECT : BY_PLACE;
        m->sub = 0;
    }
    if (m->at[2] == ONE_OBJECT)
        return only_object(m, s, how);
    if (m->at[2] == BY_PLACE)
        return positional_arguments(m, s, how);
    if (m->at[2]) /* member by member */
        return typed_arguments(m, s, how);
    SUB_RESUME(m)
    TRY(!s->call.open || sluice__m_flush_repeated(m, s)); /* first report a parameter before them */
    if (!s->call.open ||
        s->call.has_arguments) { /* add them to those that the call has, if possible */
        if (sluice__m_has_all(s))
            return sluice__m_twice(s);
        SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte != '{' && !how->kwargs)
            return sluice__m_twice(s);
        m->at[2] = how->kwargs ? BY_PLACE : MEMBER_BY_MEMBER;
        m->sub = 0;
        return how->kwargs ? positional_arguments(m, s, how) : typed_arguments(m, s, how);
    }
    if (how->kwargs && s->set.repairs) {
        SUB_LOOK(m, place, is_positional(m, s));
        if (place) {
            m->at[2] =
                m->tool && sluice__m_byte(m, s, true) == '{' ? AN_OBJECT_OR_BY_PLACE : BY_PLACE;
            m->sub = 0;
            return sluice__m_stream_arguments(m, s, how);
        }
    }
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    if (m->tool && !how->kwargs && byte == '{' && s->set.types) {
        m->at[2] = true;
        m->sub = 0;
        return typed_arguments(m, s, how);
    }
    item = -1;
    m->at[1] = 0;
    if (byte != '{' && !how->kwargs) {
        place = 0;
        if (s->set.repairs &&
            m->arguments_at == UINT64_MAX) /* held ones end where their string ends */
            SUB_LOOK(m, place, in_bare_quotes(s));
        if (place) {
            item = -1; /* lost during a wait */
            m->at[1] = (unsigned char)*sluice__at(s, s->pos);
            s->pos++;
            sluice__lower(s, SLUICE_RECOVERED);
            TRY(sluice__m_error(s, "repaired",
                                "the quotes inside the encoded arguments were not escaped"));
        } else {
            SUB_LOOK(m, item, sluice__m_peek(m, s, m->program->encoded, true));
        }
    }
    SUB_AWAIT(m, read_arguments(s, how,
                                item >= 0  ? SLUICE__ENCODED
                                : m->at[1] ? SLUICE__UNESCAPED
                                           : SLUICE__AS_IS));
    if (!s->result.ok)
        return sluice__m_not_whole(m, s);
    if (m->at[1]) { /* the quote that closes what was not a string */
        SUB_LOOK(m, byte, sluice__m_byte(m, s, false));
        s->pos += byte == (long)m->at[1];
    }
    RESUME_END
    m->at[3] = READ;
    return SLUICE__NEXT;
}

sluice__went sluice__m_mend_from(sluice__run *m, sluice_stream *s, const sluice__markers *enders,
                                 const sluice__markers *resync) {
    long item, byte;
    int more = 0;
    SUB_RESUME(m)
    if (m->at[3] == BROKEN) {
        if (enders) {
            SUB_LOOK(m, item, sluice__m_peek(m, s, enders, true));
            m->answer = item >= 0;
            if (m->answer) /* an extra closer may look like one of the format's */
                SUB_LOOK(m, more, sluice__m_goes_on(s, s->pos, true));
            m->answer = m->answer && !more;
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
        bool good =
            sluice__buffer_text(&s->alloc, &text, "cannot parse the rest of the arguments") &&
            (!m->why || (sluice__buffer_text(&s->alloc, &text, ": ") &&
                         sluice__buffer_text(&s->alloc, &text, m->why))) &&
            sluice__buffer_add(&s->alloc, &text, "", 1) &&
            sluice__m_error(s, "bad_arguments", text.data);
        sluice__buffer_release(&s->alloc, &text);
        TRY(good);
    }
    sluice__lower(s, SLUICE_INCOMPLETE);
    m->unread = true;
    if (resync && m->in_python) {
        m->in_python = false;
        SUB_AWAIT(m, sluice__op_python_junk(s, resync, m->open - 1));
    } else if (resync) {
        SUB_AWAIT(m, sluice__op_junk(s, resync));
        m->inside |= s->result.ok && s->result.kind > -m->open;
    }
    RESUME_END
    return SLUICE__NEXT;
}

/* Returns the end of the bare key, number or quoted string at `at`; 0 if there is none; UINT64_MAX
 * if more bytes are needed. */
static uint64_t behind_token(const sluice_stream *s, uint64_t at, uint64_t most) {
    uint64_t limit = sluice__visible(s), from = at;
    char quote = *sluice__at(s, at);
    bool quoted = quote == '"' || quote == '\'';
    for (at += quoted; at < limit && at < most; at++) {
        char c = *sluice__at(s, at);
        if (quoted && c == quote)
            return at + 1;
        if (quoted && c == '\\')
            at++;
        else if (quoted ? c == '\n' : !sluice__is_name_byte(c) && c != '-' && c != '.')
            return quoted || at == from ? 0 : at;
    }
    return at < most && !sluice__at_end(s) ? UINT64_MAX : 0;
}

int sluice__m_goes_on(const sluice_stream *s, uint64_t at, bool closers) {
    uint64_t limit = sluice__visible(s), most = at + s->set.limit_name;
    bool comma = false, line = false;
    char c = 0;
    for (; at < limit && at < most; at++) {
        c = *sluice__at(s, at);
        if (c == ',' && !comma)
            comma = true;
        else if (sluice__is_space(c))
            line |= c == '\n';
        else if (!closers || comma || (c != ']' && c != '}' && c != ')'))
            break;
    }
    if (at >= limit || at >= most)
        return at >= most || sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
    if (!comma && line)
        return 0;
    uint64_t behind = behind_token(s, at, most);
    bool value = c == '"' || c == '\'' || c == '-' || (c >= '0' && c <= '9');
    if (!behind || behind == UINT64_MAX)
        return behind ? SLUICE__LOOK_WAITS : 0;
    while (behind < limit && behind < most && sluice__is_space(*sluice__at(s, behind)))
        behind++;
    if (behind >= limit || behind >= most)
        return behind >= most || sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
    bool bare = sluice__is_name_byte(c) || c == '-';
    c = *sluice__at(s, behind);
    if (c == '=') /* name=value */
        return behind + 1 < limit ? bare && *sluice__at(s, behind + 1) != '='
                                  : (sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS);
    return (c == ':' && (comma || !bare)) ||
           ((comma || closers) && value && (c == ',' || c == ']' || c == '}' || c == ')'));
}

int sluice__m_object_stands(const sluice_stream *s, bool members) {
    uint64_t at = s->pos, limit = sluice__visible(s), most = at + s->set.limit_name;
    int marks = 0;
    bool brace = false;
    for (; at < limit && at < most; at++) {
        char c = *sluice__at(s, at);
        bool quote = c == '"' || c == '\'';
        if (sluice__is_space(c))
            continue;
        if (brace || (members && quote))
            return quote || (members && sluice__is_name_byte(c));
        brace = c == '{';
        if (!brace && (sluice__is_name_byte(c) || c == '<' || ++marks > 2))
            return 0;
    }
    return at >= most || sluice__at_end(s) ? 0 : SLUICE__LOOK_WAITS;
}

const char *const sluice__m_behind_brace = "they go on after their closing brace";

sluice__went sluice__m_object_arguments(sluice__run *m, sluice_stream *s) {
    static const sluice__arguments_spec how = {.flags = SLUICE__LENIENT};
    return sluice__m_stream_arguments(m, s, &how);
}

bool sluice__m_broken(const sluice__run *m) { return m->at[3] >= BROKEN; }

sluice__went sluice__m_mend(sluice__run *m, sluice_stream *s, const sluice__markers *resync) {
    return sluice__m_mend_from(m, s, resync, resync);
}

/* Handles an announced call without an object in place of its arguments. */
static sluice__went no_arguments(sluice__run *m, sluice_stream *s,
                                 const sluice__arguments_spec *how) {
    long item = -1, byte = 0;
    SUB_RESUME(m)
    if (how->enders)
        SUB_LOOK(m, item, sluice__m_peek(m, s, how->enders, true));
    m->answer = item >= 0;
    SUB_LOOK(m, byte, sluice__m_byte(m, s, true));
    if (byte < 0) /* they may still come */
        sluice__lower(s, SLUICE_INCOMPLETE);
    if (m->answer && how->closers) {
        SUB_LOOK(m, item, sluice__m_peek(m, s, how->closers, true));
        if (item < 0)
            TRY(sluice__m_spoilt(s, "bad_arguments",
                                 "the call has neither arguments nor a closing tag"));
    }
    if (byte < 0 || m->answer)
        return SLUICE__NEXT;
    TRY(sluice__m_spoilt(s, "bad_arguments",
                         "no object was found where the arguments should begin"));
    if (how->resync)
        SUB_AWAIT(m, sluice__op_junk(s, how->resync));
    RESUME_END
    return SLUICE__NEXT;
}

bool sluice__m_has_colon(const sluice_stream *s) {
    for (uint64_t at = s->result.end; at < s->pos; at++)
        if (*sluice__at(s, at) == ':' || *sluice__at(s, at) == '=')
            return true;
    return false;
}

bool sluice__m_key_is_plain(const sluice_stream *s) {
    if (s->result.plain)
        return sluice__m_has_colon(s);
    uint64_t last = s->result.end - 1;
    char quote = s->result.end > s->result.start ? *sluice__at(s, s->result.start) : 0;
    if (quote != '"' && quote != '\'')
        return sluice__m_has_colon(s);
    for (uint64_t at = s->result.start + 1; at < last; at++) {
        char c = *sluice__at(s, at);
        if (c == quote)
            return false;
        at += c == '\\';
    }
    return sluice__m_has_colon(s);
}

/* at: 0 what is here, 1 where it begins, 2 member by member?, 3 the outcome */
SLUICE__HANDLER(arguments) {
    const sluice__arguments_spec *how = &m->program->arguments[i->a];
    sluice__went went;
    long byte, item;
    int what;
    RESUME(m)
    m->at[0] = AN_OBJECT;
    m->at[2] = false;
    if (how->raw != SLUICE__NONE) { /* what does not begin like an object is text */
        LOOK(m, byte, sluice__m_byte(m, s, true));
        LOOK(m, what, sluice__m_look_at_arguments(m, s, sluice__m_byte(m, s, true)));
        m->answer = what == NEITHER;
        LOOK(m, byte, sluice__m_byte(m, s, true));
        if (byte == '{') {
            m->at[1] = s->pos;
            sluice__m_pin(s);
            AWAIT(m, sluice__op_member(s, how->flags, NULL, 0, true));
            m->answer =
                s->result.ok ? !sluice__m_has_colon(s) : s->result.kind != '}' && s->result.kind;
            sluice__seek(s, m->at[1]);
            sluice__m_unpin(s);
            byte = '{'; /* lost during a wait */
        }
        if (m->answer && byte >= 0) {
            m->pc = how->raw;
            m->phase = 0;
            return SLUICE__JUMPED;
        }
    }
    if (!how->kwargs) {
        LOOK(m, byte, sluice__m_byte(m, s, true));
        LOOK(m, what, sluice__m_look_at_arguments(m, s, sluice__m_byte(m, s, true)));
        m->at[0] = (uint64_t)what;
    }
    if (m->at[0] == NEITHER && !m->began) {
        item = -1;
        if (how->enders)
            LOOK(m, item, sluice__m_peek(m, s, how->enders, true));
        if (item >= 0 && how->closers)
            LOOK(m, item, sluice__m_peek(m, s, how->closers, true));
        if (item < 0) /* neither arguments nor a closer of the call: it was broken off */
            return SLUICE__FAILS;
        if (m->shared) {
            ASK(what, sluice__m_plain_call(m, s));
            if (!what)
                return SLUICE__FAILS;
        }
        m->at[0] = NO_ARGUMENTS;
    }
    if (!m->began && m->has_tools && m->program->repairs_names && m->at[0] == AN_OBJECT &&
        !how->kwargs)
        CALL(m, went, sluice__m_name_by_arguments(m, s, how));
    m->answer = m->began;
    if (!m->began)
        COMMIT(m, s, return SLUICE__FAILS);
    if (m->at[0] == NEITHER) {
        CALL(m, went, no_arguments(m, s, how));
    } else if (m->at[0] == NO_ARGUMENTS) {
        LOOK(m, item, sluice__m_take(m, s, m->program->nothing, true));
    } else {
        CALL(m, went, sluice__m_stream_arguments(m, s, how));
        if (m->at[3] == READ) { /* a closing parenthesis is not read yet */
            LOOK(m, byte, sluice__m_byte(m, s, how->kwargs));
            LOOK(m, what,
                 sluice__m_goes_on(s, s->pos + how->kwargs, s->call.status != SLUICE_COMPLETE));
            if (what) {
                m->at[3] = BROKEN_INSIDE;
                m->why = sluice__m_behind_brace;
            }
        }
        m->in_python = how->kwargs;
        if (how->kwargs && m->at[3] >= BROKEN) /* without the parenthesis of the call */
            m->open = m->why == sluice__m_behind_brace ? 1 : m->open - !m->at[2];
        if (m->at[3] >= BROKEN)
            CALL(m, went,
                 sluice__m_mend_from(
                     m, s, how->enders,
                     m->why != sluice__m_behind_brace || s->set.repairs ? how->resync : NULL));
    }
    RESUME_END
    return SLUICE__NEXT;
}
