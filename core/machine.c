/* The machine that runs programs: see program.h. */
#include "machine.h"

/* ---- Looking ------------------------------------------------------------------------------ */

static void looked(sluice_stream *s, uint64_t at, bool found) {
    if (at > s->looked)
        s->looked = at;
    if (s->looked > s->furthest)
        s->furthest = s->looked;
    s->hit_end = !found && at >= sluice__visible(s) && sluice__at_end(s);
}

/* The first byte at or behind pos that is no white space; what was found so is not looked at again
 * while more white space comes. */
static uint64_t behind_space(sluice__run *m, const sluice_stream *s) {
    uint64_t at = s->pos, limit = sluice__visible(s);
    if (m->space_from == at && m->space_to > at && m->space_to <= limit)
        at = m->space_to;
    while (at < limit && sluice__is_space(*sluice__at(s, at)))
        at++;
    m->space_from = s->pos;
    m->space_to = at;
    return at;
}

long sluice__m_peek(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip) {
    uint64_t at = s->pos;
    size_t item;
    if (skip && at < sluice__visible(s) && sluice__is_space(*sluice__at(s, at)))
        at = behind_space(m, s);
    switch (sluice__match_here(s, set, at, &item)) {
    case SLUICE__WAIT:
        return SLUICE__LOOK_WAITS;
    case SLUICE__NO:
        looked(s, at, false);
        return SLUICE__LOOK_NONE;
    case SLUICE__YES:
        break;
    }
    looked(s, at, true);
    return (long)item;
}

long sluice__m_take(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip) {
    long item = sluice__m_peek(m, s, set, skip);
    if (item >= 0) {
        uint64_t at = skip ? behind_space(m, s) : s->pos;
        s->pos = at + set->items[item].len;
    }
    return item;
}

long sluice__m_byte(sluice__run *m, sluice_stream *s, bool skip) {
    uint64_t at = skip ? behind_space(m, s) : s->pos;
    if (at >= sluice__visible(s)) {
        if (!sluice__at_end(s))
            return SLUICE__LOOK_WAITS;
        s->pos = at;
        looked(s, at, false);
        return SLUICE__LOOK_NONE;
    }
    s->pos = at;
    looked(s, at, true);
    return (unsigned char)*sluice__at(s, at);
}

bool sluice__m_at_end(const sluice_stream *s) {
    return sluice__at_end(s) && s->pos >= sluice__visible(s);
}

/* ---- Errors ------------------------------------------------------------------------------- */

bool sluice__m_error(sluice_stream *s, const char *code, const char *message) {
    return sluice__settle(s) && sluice__tell(s, sluice__code(code), message);
}

bool sluice__m_complain(sluice_stream *s, const char *code, const char *message,
                        sluice_status status) {
    s->committed = true;
    if (!sluice__flush(s) || !sluice__m_error(s, code, message))
        return false;
    sluice__lower(s, status);
    return true;
}

bool sluice__m_set(const sluice_stream *s, sluice__buffer *b, const char *p, size_t n) {
    b->len = 0;
    if (!sluice__buffer_reserve(&s->alloc, b, n + 1))
        return false;
    if (n)
        memcpy(b->data, p, n);
    b->data[n] = 0;
    b->len = n;
    return true;
}

bool sluice__m_wrong(sluice__run *m, const sluice_stream *s, const char *code, const char *why) {
    m->code = code ? code : m->code;
    return sluice__m_set(s, &m->wrong, why, strlen(why));
}

/* ---- Marks -------------------------------------------------------------------------------- */

void sluice__m_pin(sluice_stream *s) { s->pinned++; }

void sluice__m_unpin(sluice_stream *s) {
    if (s->pinned)
        s->pinned--;
}

sluice__mark *sluice__m_push(sluice__run *m, sluice_stream *s, int kind, uint16_t pc) {
    if (!sluice__array_grow(&s->alloc, (void **)&m->marks, &m->mark_cap, m->mark_count + 1,
                            sizeof *m->marks))
        return NULL;
    sluice__mark *k = &m->marks[m->mark_count++];
    *k = (sluice__mark){.kind = kind,
                        .pc = pc,
                        .began = m->began,
                        .pattern = m->pattern,
                        .held = m->pair_count,
                        .pos = s->pos,
                        .name_start = m->name_start,
                        .name_end = m->name_end,
                        .name_len = m->has_name ? 0 : UINT32_MAX,
                        .id_len = m->has_id ? 0 : UINT32_MAX,
                        .type = m->type};
    return k;
}

void sluice__m_pop(sluice__run *m, sluice_stream *s) {
    if (m->marks[--m->mark_count].pinned)
        sluice__m_unpin(s);
}

/* Undoes what an alternative has set. */
static void restore(sluice__run *m, const sluice__mark *k) {
    m->has_name = m->has_name && k->name_len != UINT32_MAX;
    m->has_id = m->has_id && k->id_len != UINT32_MAX;
    m->name_start = k->name_start;
    m->name_end = k->name_end;
    m->pattern = k->pattern;
    m->pair_count = k->held;
}

/* Can reading go back to `pos`? Not behind what events have spoken for, and what may be gone. */
static bool is_held(const sluice_stream *s, uint64_t pos) {
    return pos >= s->window.base && (!s->committed || pos >= s->sent);
}

/* Goes back to the last mark. REFUSES: there is none left. */
static sluice__went fail(sluice__run *m, sluice_stream *s) {
    while (m->mark_count) {
        sluice__mark k = m->marks[m->mark_count - 1];
        sluice__m_pop(m, s);
        m->phase = 0;
        m->pc = k.pc;
        switch (k.kind) {
        case SLUICE__M_NONE:
            continue;
        case SLUICE__M_CHOICE: {
            const sluice__any *any = &m->program->anys[k.way >> 8];
            if ((m->began && !k.began) || !is_held(s, k.pos))
                continue; /* what was announced does not go back */
            sluice__seek(s, k.pos);
            restore(m, &k);
            k.way++;
            if ((k.way & 255) == any->count)
                continue;
            m->pc = any->ways[k.way & 255];
            if (k.pinned)
                sluice__m_pin(s);
            m->marks[m->mark_count++] = k;
            return SLUICE__JUMPED;
        }
        case SLUICE__M_OPTIONAL:
            if ((m->began && !k.began) || !is_held(s, k.pos))
                continue;
            sluice__seek(s, k.pos);
            return SLUICE__JUMPED;
        case SLUICE__M_LOOP:
            if (!is_held(s, k.pos))
                continue;
            sluice__seek(s, k.pos);
            m->answer = k.item;
            return SLUICE__JUMPED;
        case SLUICE__M_CALL:
        case SLUICE__M_SECTION:
            m->answer = false;
            return SLUICE__JUMPED;
        case SLUICE__M_PROBE:
            sluice__seek(s, k.pos);
            m->answer = false;
            m->began = k.began;
            m->type = k.type;
            m->probing = false;
            m->phase = k.phase;
            return SLUICE__JUMPED;
        }
    }
    return SLUICE__REFUSES;
}

/* ---- Names and calls ---------------------------------------------------------------------- */

uint64_t sluice__m_hash(const char *p, size_t n) {
    return sluice__hash_of(SLUICE__HASH_START, p, n);
}

bool sluice__m_is_used(const sluice__run *m, const char *key, size_t n) {
    return sluice__hashes_has(&m->used, sluice__m_hash(key, n));
}

bool sluice__m_use(sluice__run *m, const sluice_stream *s, const char *key, size_t n) {
    bool again;
    return sluice__hashes_add(&s->alloc, &m->used, sluice__m_hash(key, n), &again);
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
    m->others.count = 0;
    m->other_keys.len = m->other_key.len = 0;
    m->began = m->given = m->broken = m->kept = false;
    m->has_key = m->passed = false;
    m->key.len = 0;
    m->tool = 0;
    m->arguments_at = UINT64_MAX;
    m->type = 0;
    m->repeated.open = false;
    sluice__hashes_clear(&m->used);
    memset(m->seen, 0, sizeof m->seen);
    memset(m->extra, 0, sizeof m->extra);
    m->extras.len = 0;
}

bool sluice__m_set_name(sluice__run *m, const sluice_stream *s, const char *p, size_t n,
                        uint64_t start, uint64_t end, uint16_t pattern) {
    m->has_name = true;
    m->name_start = start;
    m->name_end = end;
    m->pattern = pattern;
    return sluice__m_set(s, &m->name, p, n);
}

bool sluice__m_hold(sluice__run *m, const sluice_stream *s, const char *key, size_t key_len,
                    const char *text, size_t len, bool first) {
    if (!sluice__array_grow(&s->alloc, (void **)&m->pairs, &m->pair_cap, m->pair_count + 1u,
                            sizeof *m->pairs))
        return false;
    if (!m->pair_count)
        m->held.len = 0;
    sluice__pair_held pair = {.key = (uint32_t)m->held.len, .key_len = (uint32_t)key_len};
    if (!sluice__buffer_add(&s->alloc, &m->held, key, key_len))
        return false;
    pair.text = (uint32_t)m->held.len;
    pair.text_len = (uint32_t)len;
    if (!sluice__buffer_add(&s->alloc, &m->held, text, len) ||
        !sluice__buffer_add(&s->alloc, &m->held, "", 1))
        return false;
    size_t at = first ? 0 : m->pair_count;
    memmove(m->pairs + at + 1, m->pairs + at, (m->pair_count - at) * sizeof *m->pairs);
    m->pairs[at] = pair;
    m->pair_count++;
    return true;
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

/* The name as the tools know it: exactly, then without a namespace of the format, then as the
 * script mends it. */
static sluice__went resolve(sluice__run *m, sluice_stream *s) {
    m->resolved = m->name.data;
    m->resolved_len = m->name.len;
    m->tool = m->has_tools ? m->scripts->find_tool(m->user, m->resolved, m->resolved_len) : 0;
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
        if (r) {
            TRY(sluice__m_set(s, &m->mended, name, len));
            m->resolved = m->mended.data;
            m->resolved_len = len;
            m->tool = m->scripts->find_tool(m->user, name, len);
        }
    }
    return SLUICE__NEXT;
}

sluice__went sluice__m_find_tool(sluice__run *m, sluice_stream *s) {
    return m->has_name ? resolve(m, s) : SLUICE__NEXT;
}

/* Where other formats' calls begin alike, a name right behind that, with no arguments, shows
 * nothing of this one: it must be a given tool's. */
int sluice__m_plain_call(sluice__run *m, sluice_stream *s) {
    uint64_t from = s->begin + m->shared;
    if (m->name_start < from)
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

/* Does the name fit what the script says of names? */
static int fits_pattern(sluice__run *m, sluice_stream *s) {
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
        TRY(sluice__m_set(s, &m->failure, "the name is no plausible name", 29));
        return SLUICE__FAILS;
    }
    bool known = !m->has_tools && !p->known;
    for (const char **name = p->known; name && !m->has_tools && *name && !known; name++)
        known =
            strlen(*name) == m->resolved_len && memcmp(*name, m->resolved, m->resolved_len) == 0;
    if (known)
        return SLUICE__NEXT;
    static const char what[] = "there is no tool named ";
    m->wrong.len = 0;
    TRY(sluice__buffer_add(&s->alloc, &m->wrong, what, sizeof what - 1) &&
        sluice__buffer_add(&s->alloc, &m->wrong, m->resolved, m->resolved_len) &&
        sluice__buffer_add(&s->alloc, &m->wrong, "", 1));
    if (m->markerless || m->opener_missing || p->reserved_section || m->unknown_as_text)
        return SLUICE__FAILS;
    m->code = sluice__code("unknown_tool");
    return SLUICE__NEXT;
}

int sluice__m_announce(sluice__run *m, sluice_stream *s) {
    return sluice__op_begin(s, m->resolved, m->resolved_len, m->id.data, m->has_id ? m->id.len : 0,
                            m->name_start, m->name_end, m->code, m->code ? m->wrong.data : NULL);
}

sluice__went sluice__m_announced(sluice__run *m, sluice_stream *s) {
    m->began = true;
    m->wrong.len = 0;
    m->code = NULL;
    if (m->tool && s->set.validation) {
        int has;
        ASK(has, m->scripts->has_schema(m->user, s, m->tool));
        s->call.kept = m->kept = has;
    }
    if (m->opener_missing)
        sluice__lower(s, SLUICE_RECOVERED);
    for (size_t k = 0; k < m->pair_count; k++) {
        const char *key = m->held.data + m->pairs[k].key, *text = m->held.data + m->pairs[k].text;
        sluice__types types;
        unsigned type;
        int r;
        TRY(sluice__m_use(m, s, key, m->pairs[k].key_len));
        TRY(sluice__param(s, key, m->pairs[k].key_len));
        ASK(r, m->scripts->types(m->user, s, m->tool, key, m->pairs[k].key_len, &types));
        TRY(sluice__flush(s) && sluice__param_typed(s, text, m->pairs[k].text_len, types.mask,
                                                    SLUICE__LENIENT, false, &type));
    }
    if (m->carry && m->carry <= m->pair_count) {
        const sluice__pair_held *pair = &m->pairs[m->carry - 1];
        TRY(sluice__m_set(s, &s->carried, m->held.data + pair->text, pair->text_len));
    }
    m->pair_count = m->carry = 0;
    return SLUICE__NEXT;
}

/* What the call says beside name, id and arguments, as JSON in `mended`; empty where nothing. */
static bool gather_extra(sluice__run *m, const sluice_stream *s) {
    const sluice__program *p = m->program;
    sluice__buffer *out = &m->mended;
    out->len = 0;
    for (size_t k = 0; k < p->extra_count; k++) {
        const char *value = p->extra[k].otherwise;
        size_t n = value ? strlen(value) : 0;
        if (m->extra[k].to > m->extra[k].from) {
            value = m->extras.data + m->extra[k].from;
            n = (size_t)(m->extra[k].to - m->extra[k].from);
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

/* The id was given to a call of this response before. */
static bool tell_same_id(sluice__run *m, sluice_stream *s) {
    sluice__buffer text = {0};
    bool good = sluice__buffer_text(&s->alloc, &text, "the id ") &&
                sluice__buffer_add(&s->alloc, &text, m->id.data, m->id.len) &&
                sluice__buffer_add(&s->alloc, &text, " was given before", 18) &&
                sluice__m_error(s, "duplicate_id", text.data);
    sluice__buffer_release(&s->alloc, &text);
    return good;
}

sluice__went sluice__m_finish(sluice__run *m, sluice_stream *s, bool *good) {
    TRY(sluice__m_flush_repeated(m, s));
    for (const char **key = m->program->fixed_parameters; *key; key++) {
        /* where the parameters are fixed, one that is not there is empty */
        size_t n = strlen(*key);
        if (!sluice__m_is_used(m, *key, n))
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
    if (m->kept && s->call.status != SLUICE_INCOMPLETE && s->call.kept) {
        const char *breach, *code;
        size_t len;
        int r;
        s->committed = true;
        TRY(sluice__flush(s) && sluice__close_arguments(s));
        if (s->call.kept) {
            ASK(r, m->scripts->validate(m->user, s, m->tool, s->call.text.data, s->call.text.len,
                                        &breach, &len, &code));
            if (r)
                TRY(sluice__settle(s) && sluice__error(s, sluice__code(code), breach, len));
        }
    }
    m->began = false;
    TRY(sluice__end_call(s, m->id.data ? m->id.data : "", id_len,
                         m->mended.len ? m->mended.data : NULL, m->mended.len, good));
    return SLUICE__NEXT;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static void begin_block(sluice__run *m, sluice_stream *s, uint16_t address) {
    m->pc = address;
    m->phase = 0;
    while (m->mark_count)
        sluice__m_pop(m, s);
    m->opened = m->opener_missing = m->any = m->reserved = m->probing = false;
    m->missed = m->spoke = false;
    m->markerless = m->bare;
    m->said_count = m->said_next = m->fence_count = 0;
    m->carry = 0;
    m->has_name = m->has_id = m->outer_name = m->outer_id = false;
    m->pair_count = 0;
    m->pattern = SLUICE__NO_PATTERN;
    m->name_start = m->name_end = 0;
    m->good = m->bads = 0;
    m->wrong.len = 0;
    m->code = NULL;
    m->steps = 0;
    m->steps_pos = s->pos;
    m->start = s->pos;
    sluice__m_new_call(m);
}

static const uint16_t *blocks_of(const sluice__program *p, const sluice_stream *s, size_t item) {
    const sluice__format *f = p->format;
    if (item == SIZE_MAX)
        return p->starts[f->text->count + f->reasoning->count];
    return p->starts[item + (s->from_reason ? f->text->count : 0)];
}

/* May the next candidate of several formats begin here? 1, 0; -1: wait. */
static int may_begin(sluice__run *m, sluice_stream *s, const sluice__candidate *c) {
    if ((c->weak && !m->has_tools) || (c->at_start && !(s->edge && s->at_start)) ||
        (c->at_line && !(c->indented ? sluice__line_indent : sluice__line_start)(s, s->pos)))
        return 0;
    if (c->named) {
        m->tool = 0;
        int r = sluice__m_tool_sets(m, s);
        long item = r < 0 || !m->tool_sets.names ? SLUICE__LOOK_NONE
                                                 : sluice__m_peek(m, s, m->tool_sets.names, true);
        return item == SLUICE__LOOK_WAITS ? -1 : item >= 0;
    }
    if (c->word) {
        long item = sluice__m_peek(m, s, c->word, true);
        return item == SLUICE__LOOK_WAITS ? -1 : item >= 0;
    }
    return 1;
}

static void note_wrong(sluice__run *m) {
    if (m->wrong.len && !m->first_wrong.len && !m->quiet) {
        sluice__buffer spare = m->first_wrong;
        m->first_wrong = m->wrong;
        m->wrong = spare;
        m->first_code = m->code;
        m->wrong.len = 0;
    }
}

/* On to the next way to read what stands here. JUMPED, WAITED, REFUSES: there is none. */
static sluice__went next_block(sluice__run *m, sluice_stream *s) {
    for (;;) {
        if (*m->blocks != SLUICE__NONE) {
            begin_block(m, s, *m->blocks++);
            return SLUICE__JUMPED;
        }
        if (!m->candidates || m->candidates->program == SLUICE__NONE) {
            if (!m->calls_only || !m->passed_text)
                return SLUICE__REFUSES;
            m->calls_only = false; /* once more: text counts now */
            m->candidates = m->all;
            continue;
        }
        const sluice__candidate *c = m->candidates;
        int may = may_begin(m, s, c);
        if (may < 0)
            return SLUICE__WAITED;
        m->candidates++;
        if (!may || !sluice__become(s, m->programs[c->program]->format, &m->settings[c->program]))
            continue;
        m->member = c->program;
        m->program = m->programs[c->program];
        m->unknown_as_text =
            s->set.unknown_as_text || c->literal == SLUICE__NONE || c->word || c->quiet;
        m->quiet = c->quiet;
        m->bare = c->literal == SLUICE__NONE;
        m->blocks = blocks_of(m->program, s, c->literal == SLUICE__NONE ? SIZE_MAX : c->literal);
    }
}

/* What is said where an instruction finds nothing; NULL: nothing. */
static const char *missing_there(unsigned op) {
    switch (op) {
    case SLUICE__I_name:
    case SLUICE__I_attributes:
        return "no name stands";
    case SLUICE__I_header:
    case SLUICE__I_shape:
        return "no header stands";
    case SLUICE__I_object:
        return "no JSON object stands";
    case SLUICE__I_arguments:
        return "no arguments stand";
    case SLUICE__I_params:
        return "no parameters stand";
    default:
        return NULL;
    }
}

static bool put_literal(const sluice__run *m, const sluice_stream *s, sluice__buffer *out,
                        const sluice__ins *i) {
    const sluice__marker *literal = &m->program->sets[i->a]->items[0];
    return sluice__buffer_add(&s->alloc, out, literal->text, literal->len);
}

bool sluice__m_note_failure(sluice__run *m, const sluice_stream *s, const sluice__ins *i) {
    const char *what = missing_there(i->op);
    bool literal = i->op == SLUICE__I_literal;
    m->unfinished |= s->hit_end || sluice__m_at_end(s);
    if (s->pos < m->why_at || (!what && !literal) ||
        (literal && sluice__is_space(m->program->sets[i->a]->items[0].text[0])))
        return true;
    m->why_at = s->pos;
    sluice__buffer *out = &m->failure;
    out->len = 0;
    bool good = literal ? sluice__buffer_text(&s->alloc, out, "no ") && put_literal(m, s, out, i) &&
                              sluice__buffer_text(&s->alloc, out, " stands")
                        : sluice__buffer_text(&s->alloc, out, what);
    if (i > m->program->code && i[-1].op == SLUICE__I_literal)
        good = good && sluice__buffer_text(&s->alloc, out, " behind ") &&
               put_literal(m, s, out, i - 1);
    else
        good = good && sluice__buffer_text(&s->alloc, out, " there");
    return good && sluice__buffer_add(&s->alloc, out, "", 1);
}

/* No way was one: tells why, if that is known. */
static sluice__verdict none(sluice__run *m, sluice_stream *s) {
    const char *code = m->first_code ? m->first_code : sluice__code("not_a_call");
    const char *why = m->first_wrong.len ? m->first_wrong.data
                      : m->failure.len   ? m->failure.data
                                         : NULL;
    bool told = m->first_code || (s->opener_role & SLUICE__TOLD && !s->from_reason && !m->silent);
    if (m->unfinished && !m->first_code) {
        code = sluice__code("unfinished_call");
        why = "the text ends inside what looked like a call";
    }
    if (told && why && !(sluice__settle(s) && sluice__tell(s, code, why)))
        s->no_memory = true;
    else if (!m->first_wrong.len && m->several && (m->quiet || (m->bare && !m->has_tools)))
        s->hit_end = false; /* JSON that no tool is known for, or a sign: no call is unfinished */
    return SLUICE__REJECTED;
}

/* The block under way was none, or an announced call of it could not go on. */
static sluice__went refused(sluice__run *m, sluice_stream *s) {
    if (m->began) { /* outside of a list of calls */
        bool good;
        sluice__went went = sluice__m_finish(m, s, &good);
        if (went != SLUICE__NEXT)
            return went;
    }
    if (s->committed)
        return SLUICE__CLOSES;
    note_wrong(m);
    sluice__seek(s, s->begin);
    return next_block(m, s);
}

typedef sluice__went handler(sluice__run *m, sluice_stream *s, const sluice__ins *i);
static handler *const handlers[] = {
#define X(name) sluice__i_##name,
    SLUICE__INSTRUCTIONS(X)
#undef X
};

enum { MOST_STEPS = 100000, MOST_QUEUED = 256 };

/* Events that may go out: those of a call that must be whole wait for its end. */
static size_t ready_events(const sluice_stream *s) {
    return (sluice__staged(s) ? s->call.stage : s->count) - s->head;
}

static sluice__verdict run(sluice__run *m, sluice_stream *s) {
    sluice__went went = SLUICE__JUMPED;
    for (;;) {
        if (ready_events(s) > MOST_QUEUED) /* let the events out first */
            return SLUICE__AWAITS;
        if (s->pos != m->steps_pos) {
            m->steps_pos = s->pos;
            m->steps = 0;
        } else if (++m->steps > MOST_STEPS) {
            sluice__fail(s, "the description reads on and on without getting any further");
            return SLUICE__FAILED;
        }
        sluice__set_reach(s);
        if (m->pc == SLUICE__NONE) { /* no block is under way: the next one */
            went = next_block(m, s);
        } else {
            const sluice__ins *i = &m->program->code[m->pc];
            if (m->scripts->watch)
                m->scripts->watch(m->user, s, m, -1);
            uint16_t pc = m->pc;
            went = handlers[i->op](m, s, i);
            if (went == SLUICE__FAILS && !m->began && !m->probing &&
                !sluice__m_note_failure(m, s, i))
                went = SLUICE__SHORT;
            if (m->scripts->watch) {
                uint16_t next = m->pc;
                m->pc = pc;
                m->scripts->watch(m->user, s, m, (int)went);
                m->pc = next;
            }
        }
        if (went == SLUICE__FAILS)
            went = fail(m, s);
        if (went == SLUICE__REFUSES)
            went = m->pc == SLUICE__NONE ? SLUICE__REFUSES : refused(m, s);
        switch (went) {
        case SLUICE__NEXT:
            m->pc++;
            m->phase = 0;
            break;
        case SLUICE__JUMPED:
            break;
        case SLUICE__WAITED:
            return SLUICE__WAITS;
        case SLUICE__YIELDS:
            return SLUICE__AWAITS;
        case SLUICE__SHORT:
            s->no_memory = true;
            return SLUICE__AWAITS;
        case SLUICE__RAISES:
            return SLUICE__FAILED;
        case SLUICE__CLOSES:
            return SLUICE__CLOSED;
        default:
            return none(m, s);
        }
    }
}

sluice__verdict sluice__machine_open(sluice__run *m, sluice_stream *s, size_t item) {
    static const uint16_t no_blocks[] = {SLUICE__NONE};
    m->pc = SLUICE__NONE;
    m->phase = 0;
    m->mark_count = 0;
    m->first_wrong.len = m->wrong.len = m->failure.len = 0;
    m->first_code = m->code = NULL;
    m->unfinished = m->silent = false;
    m->why_at = 0;
    m->markerless = m->bare = item == SIZE_MAX;
    m->quiet = false;
    m->unknown_as_text = s->set.unknown_as_text;
    m->several = false;
    m->shared = 0;
    m->space_from = m->space_to = 0;
    m->candidates = m->all = NULL;
    m->calls_only = m->passed_text = false;
    m->blocks = no_blocks;
    if (m->many && !s->chosen) {
        const sluice__candidate *list =
            item == SIZE_MAX ? m->many->bare
                             : (s->from_reason ? m->many->reasoning : m->many->text)[item];
        m->several = true;
        m->candidates = m->all = list;
        m->calls_only = true;
        if (item != SIZE_MAX && list[0].program != SLUICE__NONE &&
            list[1].program != SLUICE__NONE && !list[1].quiet)
            m->shared = (s->from_reason ? m->many->format->reasoning : m->many->format->text)
                            ->items[item]
                            .len;
    } else {
        m->blocks = blocks_of(m->program, s, item);
    }
    return run(m, s);
}

sluice__verdict sluice__machine_resume(sluice__run *m, sluice_stream *s) { return run(m, s); }

void sluice__machine_drop(sluice__run *m, sluice_stream *s) {
    (void)s;
    m->mark_count = 0;
    m->began = false;
    sluice__tree_drop(m);
}

void sluice__machine_release(sluice__run *m, const sluice_allocator *a) {
    sluice__buffer *buffers[] = {&m->wrong,   &m->first_wrong,  &m->name,          &m->id,
                                 &m->key,     &m->asked_key,    &m->mended,        &m->held,
                                 &m->failure, &m->bad_why,      &m->other_keys,    &m->other_key,
                                 &m->extras,  &m->repeated.key, &m->repeated.text, &m->param};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        if (buffers[k]->data)
            sluice__buffer_release(a, buffers[k]);
    if (m->used.slots)
        sluice__realloc(a, m->used.slots, m->used.cap * sizeof(uint64_t), 0);
    if (m->pairs)
        sluice__realloc(a, m->pairs, m->pair_cap * sizeof *m->pairs, 0);
    if (m->others.list)
        sluice__realloc(a, m->others.list, m->others.cap * sizeof *m->others.list, 0);
    if (m->beside)
        sluice__realloc(a, m->beside, sizeof *m->beside, 0);
    if (m->marks)
        sluice__realloc(a, m->marks, m->mark_cap * sizeof *m->marks, 0);
    sluice__tree_release(m, a);
}

const char *sluice__instruction_name(unsigned op) {
    static const char *const names[] = {
#define X(name) #name,
        SLUICE__INSTRUCTIONS(X)
#undef X
    };
    return op < SLUICE__I_COUNT ? names[op] : "?";
}
