/* The call that a block reads: its name, its announcement, its end. */
#include "machine.h"

#include <stdio.h>

bool sluice__m_is_used(const sluice__run *m, const char *key, size_t n) {
    return sluice__hashes_has(&m->used, sluice__hash_whole(key, n));
}

bool sluice__m_use(sluice__run *m, const sluice_stream *s, const char *key, size_t n) {
    bool again;
    return sluice__hashes_add(&s->alloc, &m->used, sluice__hash_whole(key, n), &again);
}

int sluice__m_tool_sets(sluice__run *m, sluice_stream *s) {
    if (m->tool_sets_of == m->tool + 1)
        return 0;
    m->tool_sets_of = m->tool + 1;
    return m->has_tools ? m->scripts->given(m->user, s, m->tool, &m->tool_sets) : 0;
}

void sluice__m_new_call(sluice__run *m) {
    m->unwrapped = false;
    m->absent_at = UINT64_MAX;
    m->place = 0;
    if (m->rare != &sluice__nothing_rare) {
        sluice__rare *rare = sluice__m_rare_there(m);
        rare->others.count = 0;
        rare->repeated.open = false;
        rare->other_keys.len = rare->other_key.len = rare->extras.len = 0;
        memset(rare->extra, 0, sizeof rare->extra);
    }
    m->began = m->given = m->broken = m->kept = m->unread = false;
    m->has_key = m->passed = m->unnamed = m->by_arguments = m->stray = m->loose = m->looped = false;
    m->lacks = NULL;
    m->bare_end = m->in_python = false;
    m->key.len = 0;
    m->tool = 0;
    m->arguments_at = UINT64_MAX;
    m->type = 0;
    sluice__hashes_clear(&m->used);
    memset(m->seen, 0, sizeof m->seen);
}

bool sluice__m_set_name(sluice__run *m, const sluice_stream *s, const char *p, size_t n,
                        uint64_t start, uint64_t end, uint16_t pattern) {
    m->has_name = true;
    m->found = false;
    m->name_start = start;
    m->name_end = end;
    m->pattern = pattern;
    return sluice__m_set(s, &m->name, p, n);
}

bool sluice__m_hold(sluice__run *m, const sluice_stream *s, const char *key, size_t key_len,
                    const char *text, size_t len, bool first) {
    sluice__rare *rare = sluice__m_rare(m, s);
    if (!rare || !sluice__array_grow(&s->alloc, (void **)&rare->pairs, &rare->pair_cap,
                                     m->pair_count + 1u, sizeof *rare->pairs))
        return false;
    if (!m->pair_count)
        rare->held.len = 0;
    sluice__pair_held pair = {.key = (uint32_t)rare->held.len, .key_len = (uint32_t)key_len};
    if (!sluice__buffer_add(&s->alloc, &rare->held, key, key_len))
        return false;
    pair.text = (uint32_t)rare->held.len;
    pair.text_len = (uint32_t)len;
    if (!sluice__buffer_add(&s->alloc, &rare->held, text, len) ||
        !sluice__buffer_add(&s->alloc, &rare->held, "", 1))
        return false;
    size_t at = first ? 0 : m->pair_count;
    memmove(rare->pairs + at + 1, rare->pairs + at, (m->pair_count - at) * sizeof *rare->pairs);
    rare->pairs[at] = pair;
    m->pair_count++;
    return true;
}

bool sluice__machine_key(sluice__run *m, const sluice_stream *s, const char *key, size_t n) {
    return sluice__m_use(m, s, key, n);
}

bool sluice__machine_name(sluice__run *m, const sluice_stream *s, const char *name, size_t len,
                          uint64_t start, uint64_t end) {
    return sluice__m_set_name(m, s, name, len, start, end, SLUICE__NO_PATTERN);
}

bool sluice__machine_id(sluice__run *m, const sluice_stream *s, const char *id, size_t len) {
    m->has_id = id != NULL;
    return !id || sluice__m_set(s, &m->id, id, len);
}

bool sluice__machine_hold(sluice__run *m, const sluice_stream *s, const char *key, size_t key_len,
                          const char *text, size_t len) {
    return sluice__m_hold(m, s, key, key_len, text, len, false);
}

/* Resolves the name against the tools: exactly, then without a namespace of the format, then
 * repaired by the script. */
static sluice__went resolve(sluice__run *m, sluice_stream *s) {
    m->resolved = m->name.data;
    m->resolved_len = m->name.len;
    if (m->found && m->tool)
        return SLUICE__NEXT;
    m->tool = m->has_tools ? m->scripts->find_tool(m->user, m->resolved, m->resolved_len) : 0;
    m->found = m->tool != 0;
    if (m->tool)
        return SLUICE__NEXT;
    for (const char **p = m->program->namespaces; *p; p++) {
        size_t n = strlen(*p);
        if (m->resolved_len > n && memcmp(m->resolved, *p, n) == 0) {
            m->resolved += n;
            m->resolved_len -= n;
            break;
        }
    }
    if (!m->has_tools)
        return SLUICE__NEXT;
    m->tool = m->scripts->find_tool(m->user, m->resolved, m->resolved_len);
    if (!m->tool && m->program->repairs_names) {
        const char *name;
        size_t len;
        int r;
        ASK(r, m->scripts->repair_name(m->user, s, m->resolved, m->resolved_len, &name, &len));
        m->unnamed = r == 2;
        if (r == 1) {
            TRY(sluice__m_set(s, &m->mended, name, len));
            m->resolved = m->mended.data;
            m->resolved_len = len;
            m->tool = m->scripts->find_tool(m->user, name, len);
        }
    }
    return SLUICE__NEXT;
}

sluice__went sluice__m_name_by_arguments(sluice__run *m, sluice_stream *s,
                                         const sluice__arguments_spec *how) {
    const char *name;
    size_t len;
    int r;
    sluice__went went;
    SUB_RESUME(m)
    went = sluice__m_find_tool(m, s);
    if (went != SLUICE__NEXT || !m->unnamed)
        return went;
    m->at[1] = s->pos;
    sluice__m_pin(s);
    SUB_AWAIT(m, sluice__op_skip(s, how->flags, how->quote, how->quote_len, 0));
    if (s->result.ok) {
        uint64_t from = s->result.start, end = s->result.end;
        ASK(r, m->scripts->tool_for(m->user, s, sluice__at(s, from), sluice__minus(end, from),
                                    &name, &len));
        m->by_arguments = r;
        if (r)
            TRY(sluice__m_set_name(m, s, name, len, 0, 0, SLUICE__NO_PATTERN));
    }
    sluice__seek(s, m->at[1]);
    sluice__m_unpin(s);
    RESUME_END
    return SLUICE__NEXT;
}

sluice__went sluice__m_find_tool(sluice__run *m, sluice_stream *s) {
    return m->has_name ? resolve(m, s) : SLUICE__NEXT;
}

/* If other formats' calls begin the same way, a name right after the start, without arguments,
 * proves nothing for this one: it must be a given tool's. */
int sluice__m_plain_call(sluice__run *m, sluice_stream *s) {
    uint64_t from = s->begin + m->shared;
    if (m->name_start < from || from < s->window.base) /* gone: a call was there */
        return 1;
    for (uint64_t at = from; at < m->name_start; at++)
        if (!sluice__is_space(*sluice__at(s, at)))
            return 1;
    if (!m->has_tools)
        return 0;
    size_t tool = m->tool;
    sluice__went went = resolve(m, s);
    bool known = m->tool != 0;
    m->tool = tool;
    return went == SLUICE__NEXT ? known : -1;
}

static bool is_bare_name(const char *p, size_t n) {
    static const char never[] = " \t\r\n<>{}[]()\"'`,=|\\";
    for (size_t k = 0; k < n; k++)
        if (memchr(never, p[k], sizeof never - 1))
            return false;
    return n > 0;
}

/* Does the name match the script's pattern for names? */
static int fits_pattern(sluice__run *m, sluice_stream *s) {
    if (memchr(m->resolved, 0, m->resolved_len))
        return 0; /* hosts get only the name before the NUL, perhaps another tool's name */
    if (m->pattern == SLUICE__NO_PATTERN)
        return 1;
    if (m->pattern == SLUICE__BARE_NAME)
        return is_bare_name(m->resolved, m->resolved_len);
    return m->scripts->fits(m->user, s, m->pattern, m->resolved, m->resolved_len);
}

sluice__went sluice__m_prepare(sluice__run *m, sluice_stream *s) {
    const sluice__program *p = m->program;
    if (!m->has_name || !m->name.len)
        return SLUICE__FAILS;
    sluice__went went = resolve(m, s);
    if (went != SLUICE__NEXT)
        return went;
    m->code = NULL;
    if (m->tool)
        return SLUICE__NEXT;
    int fits;
    ASK(fits, fits_pattern(m, s));
    if (!fits) {
        m->why_at = UINT64_MAX;
        m->failed_in = m->program;
        m->failed_at = NULL;
        return SLUICE__FAILS;
    }
    bool known = !m->has_tools && !p->known;
    for (const char **name = p->known; name && !m->has_tools && *name && !known; name++)
        known =
            strlen(*name) == m->resolved_len && memcmp(*name, m->resolved, m->resolved_len) == 0;
    if (known)
        return SLUICE__NEXT;
    static const char what[] = "there is no tool named ";
    sluice__rare *rare = sluice__m_rare(m, s);
    TRY(rare);
    rare->wrong.len = 0;
    TRY(sluice__buffer_add(&s->alloc, &rare->wrong, what, sizeof what - 1) &&
        sluice__buffer_add(&s->alloc, &rare->wrong, m->resolved, m->resolved_len) &&
        sluice__buffer_add(&s->alloc, &rare->wrong, "", 1));
    if (m->markerless || m->opener_missing || p->reserved_section || m->unknown_as_text)
        return SLUICE__FAILS;
    m->code = sluice__code("unknown_tool");
    return SLUICE__NEXT;
}

int sluice__m_announce(sluice__run *m, sluice_stream *s) {
    return sluice__op_begin(s, m->resolved, m->resolved_len, m->id.data, m->has_id ? m->id.len : 0,
                            m->name_start, m->name_end, m->code,
                            m->code ? m->rare->wrong.data : NULL);
}

bool sluice__m_tell_loose(sluice__run *m, sluice_stream *s) {
    if (!m->loose)
        return true;
    m->loose = false;
    return sluice__m_spoilt(s, "ignored_argument",
                            "part of a tag was left out; it may be an argument");
}

sluice__went sluice__m_keep_arguments(sluice__run *m, sluice_stream *s) {
    m->kept = false;
    s->call.kept = true;
    s->outside.literals = &m->program->literals;
    if (m->tool && s->set.validation) {
        int has;
        ASK(has, m->scripts->has_schema(m->user, s, m->tool));
        s->call.schema = m->kept = has;
    }
    return SLUICE__NEXT;
}

sluice__went sluice__m_check_arguments(sluice__run *m, sluice_stream *s) {
    static const char too_long[] =
        "schema check of / abandoned: the arguments are longer than 16 MiB";
    const char *breach = too_long, *code = "limit_exceeded";
    size_t len = sizeof too_long - 1;
    int breaks = 1;
    if (!m->kept || s->call.status == SLUICE_INCOMPLETE)
        return SLUICE__NEXT;
    s->committed = true;
    TRY(sluice__flush(s) && sluice__close_arguments(s));
    if (s->call.kept) {
        TRY(sluice__buffer_reserve(&s->alloc, &s->call.text, 1));
        s->call.text.data[s->call.text.len] = 0; /* for the check */
        ASK(breaks, m->scripts->validate(m->user, s, m->tool, s->call.text.data, s->call.text.len,
                                         &breach, &len, &code));
    }
    if (breaks) { /* unchecked arguments are not known to be valid */
        sluice__invalid(s);
        TRY(sluice__settle(s) && sluice__error(s, sluice__code(code), breach, len));
    }
    return SLUICE__NEXT;
}

sluice__went sluice__m_announced(sluice__run *m, sluice_stream *s) {
    m->began = true;
    sluice__m_forget_wrong(m);
    m->code = NULL;
    sluice__went went = sluice__m_keep_arguments(m, s);
    if (went != SLUICE__NEXT)
        return went;
    if (m->opener_missing || m->by_arguments)
        sluice__lower(s, SLUICE_RECOVERED);
    if (m->by_arguments)
        TRY(sluice__m_error(s, "repaired",
                            "the name was taken from the only tool with these parameters"));
    TRY(sluice__m_tell_loose(m, s));
    for (size_t k = 0; k < m->pair_count; k++) {
        const char *key = m->rare->held.data + m->rare->pairs[k].key,
                   *text = m->rare->held.data + m->rare->pairs[k].text;
        sluice__types types;
        unsigned type;
        int r;
        TRY(sluice__m_use(m, s, key, m->rare->pairs[k].key_len));
        TRY(sluice__param(s, key, m->rare->pairs[k].key_len));
        ASK(r, m->scripts->types(m->user, s, m->tool, key, m->rare->pairs[k].key_len, &types));
        TRY(sluice__flush(s) && sluice__param_typed(s, text, m->rare->pairs[k].text_len, types.mask,
                                                    SLUICE__LENIENT, false, &type));
    }
    m->pair_count = 0;
    return SLUICE__NEXT;
}

bool sluice__m_has_all(const sluice_stream *s) {
    return !s->call.open || (s->call.has_arguments && !s->call.built);
}

sluice__went sluice__m_twice(sluice_stream *s) {
    TRY(sluice__fail(s, "the description reads arguments twice, or after the call's end"));
    return SLUICE__RAISES;
}

bool sluice__m_take_extra(sluice__run *m, const sluice_stream *s, const sluice__field *f) {
    size_t n = sluice__minus(s->result.end, s->result.start);
    sluice__rare *rare = sluice__m_rare(m, s);
    if (!rare)
        return false;
    rare->extra[f->extra - 1].from = (uint32_t)rare->extras.len;
    if (n && !sluice__m_add_strict(s, &rare->extras, sluice__at(s, s->result.start), n))
        return false;
    rare->extra[f->extra - 1].to = (uint32_t)rare->extras.len;
    return true;
}

bool sluice__m_tell_key(sluice_stream *s, const char *code, const char *before, const char *key,
                        size_t len, const char *behind) {
    sluice__buffer text = {0};
    bool good = sluice__buffer_text(&s->alloc, &text, before) &&
                sluice__buffer_add(&s->alloc, &text, key, len) &&
                sluice__buffer_add(&s->alloc, &text, behind, strlen(behind) + 1) &&
                sluice__m_error(s, code, text.data);
    sluice__buffer_release(&s->alloc, &text);
    return good;
}

/* Writes the call's members other than name, id and arguments as JSON into `mended`; empty
 * if none. */
static bool gather_extra(sluice__run *m, const sluice_stream *s) {
    const sluice__program *p = m->program;
    sluice__buffer *out = &m->mended;
    out->len = 0;
    for (size_t k = 0; k < p->extra_count; k++) {
        const char *value = p->extra[k].otherwise;
        size_t n = value ? strlen(value) : 0;
        if (m->rare->extra[k].to > m->rare->extra[k].from) {
            value = m->rare->extras.data + m->rare->extra[k].from;
            n = sluice__minus(m->rare->extra[k].to, m->rare->extra[k].from);
        }
        if (!value)
            continue;
        if (!sluice__buffer_text(&s->alloc, out, out->len ? "," : "{") ||
            !sluice__buffer_text(&s->alloc, out, p->extra[k].key) ||
            !sluice__buffer_text(&s->alloc, out, ":") ||
            !sluice__buffer_add(&s->alloc, out, value, n))
            return false;
    }
    return !out->len || sluice__buffer_text(&s->alloc, out, "}");
}

/* Reports that an earlier call of this response has the same id. */
static bool tell_same_id(sluice__run *m, sluice_stream *s) {
    sluice__buffer text = {0};
    bool good = sluice__buffer_text(&s->alloc, &text, "the id ") &&
                sluice__buffer_add(&s->alloc, &text, m->id.data, m->id.len) &&
                sluice__buffer_add(&s->alloc, &text, " was given before", 18) &&
                sluice__m_error(s, "duplicate_id", text.data);
    sluice__buffer_release(&s->alloc, &text);
    return good;
}

/* Does a call without arguments, whose closer is missing, go on with an opener or a brace? */
static bool goes_on(const sluice__run *m, const sluice_stream *s) {
    const sluice__markers *set = m->program->literals.set;
    uint64_t at = s->pos, limit = sluice__visible(s);
    size_t item;
    if (s->call.status != SLUICE_RECOVERED || s->call.text.len > 2 || !set)
        return false;
    while (at < limit && sluice__is_space(*sluice__at(s, at)))
        at++;
    if (at >= limit)
        return false;
    const char *p = sluice__at(s, at);
    return *p == '{' ||
           (sluice__markers_at(set, p, (size_t)(limit - at), true, &item) == SLUICE__YES &&
            !(set->items[item].role & SLUICE__D_CLOSER));
}

/* The literals that count in the block being read: another one may be spelt differently. */
static const sluice__literals *literals_here(const sluice__run *m) {
    const sluice__literals *found = &m->program->literals;
    for (size_t i = 0; i < m->program->block_count; i++)
        if (m->program->block_literals[i].from <= m->pc)
            found = &m->program->block_literals[i].literals;
    return found;
}

/* Tells what about the call that ends is in doubt: see doubt.h. */
static sluice__went doubt(sluice__run *m, sluice_stream *s) {
    sluice__given given = {NULL, NULL};
    sluice__doubt doubt;
    if (s->call.status == SLUICE_INCOMPLETE || s->set.strict)
        return SLUICE__NEXT;
    s->committed = true;
    TRY(sluice__flush(s) && sluice__close_arguments(s));
    if (!s->call.kept)
        return SLUICE__NEXT;
    if (m->tool)
        TRY(m->scripts->given(m->user, s, m->tool, &given) >= 0);
    const sluice__suspect call = {.literals = literals_here(m),
                                  .keys = given.keys,
                                  .name = s->call.name.data,
                                  .name_len = s->call.name.len,
                                  .known = m->tool != 0,
                                  .repaired = s->call.repaired,
                                  .arguments = s->call.text.data ? s->call.text.data : "",
                                  .len = s->call.text.len};
    TRY(sluice__doubt_call(&s->alloc, &call, &doubt));
    if (!*doubt.message && goes_on(m, s))
        snprintf(doubt.message, sizeof doubt.message,
                 "the call has no arguments; the text after it may contain them");
    if (!*doubt.message && s->lost_value)
        snprintf(doubt.message, sizeof doubt.message,
                 "an earlier value may contain the beginning of this call");
    if (*doubt.message) {
        s->lost_value |= doubt.lost;
        s->call.doubtful = true;
        sluice__lower(s, SLUICE_INCOMPLETE);
        TRY(sluice__settle(s) && sluice__m_error(s, "bad_arguments", doubt.message));
    }
    return SLUICE__NEXT;
}

sluice__went sluice__m_finish(sluice__run *m, sluice_stream *s, bool *good) {
    if (!s->call.open) { /* a list of calls has ended, and the description continues */
        m->began = false;
        *good = true;
        return SLUICE__NEXT;
    }
    TRY(sluice__m_flush_repeated(m, s) && sluice__m_tell_loose(m, s));
    for (const char **key = m->program->fixed_parameters; *key; key++) {
        /* a missing fixed parameter is empty */
        size_t n = strlen(*key);
        if (!sluice__m_has_all(s) && !sluice__m_is_used(m, *key, n))
            TRY(sluice__param(s, *key, n) && sluice__flush(s) && sluice__param_text(s, "", 0));
    }
    TRY(gather_extra(m, s));
    size_t id_len = m->has_id ? m->id.len : 0;
    if (id_len) {
        bool again;
        TRY(sluice__seen_id(s, m->id.data, id_len, &again));
        if (again)
            TRY(tell_same_id(m, s));
    }
    sluice__went went = doubt(m, s);
    if (went != SLUICE__NEXT)
        return went;
    went = sluice__m_check_arguments(m, s);
    if (went != SLUICE__NEXT)
        return went;
    m->began = false;
    TRY(sluice__end_call(s, m->id.data ? m->id.data : "", id_len,
                         m->mended.len ? m->mended.data : NULL, m->mended.len, good));
    return SLUICE__NEXT;
}
