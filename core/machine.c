/* The machine that runs programs: see program.h. */
#include "machine.h"

/* ---- Looks -------------------------------------------------------------------------------- */

static void looked(sluice_stream *s, uint64_t at, bool found) {
    sluice__note_looked(s, at);
    s->hit_end = !found && at >= sluice__visible(s) && sluice__at_end(s);
}

void sluice__m_looked(sluice_stream *s, uint64_t at) { looked(s, at, true); }

/* Returns the first byte at or after pos that is not white space. White space found is not examined
 * again if more arrives. */
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

/* Returns the literal of the set at `at`. */
static long look_at(sluice_stream *s, const sluice__markers *set, uint64_t at) {
    size_t item;
    uint64_t limit = sluice__visible(s);
    const char *p = at < limit ? sluice__at(s, at) : NULL;
    sluice__match m;
    if (p && !set->first[(unsigned char)*p])
        m = SLUICE__NO;
    else if (p && limit - at >= set->longest && !s->set.tokens) /* all needed bytes are visible */
        m = sluice__markers_whole(set, p, sluice__minus(limit, at), &item);
    else
        m = sluice__match_here(s, set, at, &item);
    if (m == SLUICE__WAIT) {
        if (!p && limit == sluice__window_end(&s->window))
            s->standby = (sluice__standby){.set = set};
        return SLUICE__LOOK_WAITS;
    }
    looked(s, at, m == SLUICE__YES);
    return m == SLUICE__YES ? (long)item : SLUICE__LOOK_NONE;
}

/* Where to look: at pos, or after the white space there. */
static inline uint64_t place(sluice__run *m, const sluice_stream *s, bool skip) {
    uint64_t at = s->pos;
    bool space = skip && at < sluice__visible(s) && sluice__is_space(*sluice__at(s, at));
    return space ? behind_space(m, s) : at;
}

/* Looks for the set, which may be waited for after white space. */
static inline long look_behind(sluice__run *m, sluice_stream *s, const sluice__markers *set,
                               bool skip, uint64_t *at) {
    *at = place(m, s, skip);
    long item = look_at(s, set, *at);
    if (item == SLUICE__LOOK_WAITS)
        s->standby.blanks = skip;
    return item;
}

long sluice__m_peek(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip) {
    uint64_t at;
    return look_behind(m, s, set, skip, &at);
}

long sluice__m_take(sluice__run *m, sluice_stream *s, const sluice__markers *set, bool skip) {
    uint64_t at;
    long item = look_behind(m, s, set, skip, &at);
    if (item >= 0)
        s->pos = at + set->items[item].len;
    return item;
}

long sluice__m_byte(sluice__run *m, sluice_stream *s, bool skip) {
    uint64_t at = place(m, s, skip);
    if (at >= sluice__visible(s)) {
        if (!sluice__at_end(s)) {
            sluice__wait_for_any(s);
            return SLUICE__LOOK_WAITS;
        }
        s->pos = at;
        looked(s, at, false);
        return SLUICE__LOOK_NONE;
    }
    s->pos = at;
    looked(s, at, true);
    return (unsigned char)*sluice__at(s, at);
}

long sluice__m_byte_before(sluice__run *m, sluice_stream *s, const sluice__ins *next) {
    const sluice__program *p = m->program;
    long byte = sluice__m_byte(m, s, true);
    if (byte == SLUICE__LOOK_WAITS && !m->scripts->watch && next < p->code + p->count &&
        next->op == SLUICE__I_literal && !next->flags)
        s->standby = (sluice__standby){.set = p->sets[next->a], .blanks = true};
    return byte;
}

long sluice__m_line_blanks(sluice__run *m, sluice_stream *s) {
    uint64_t from = s->pos;
    if (m->blanks_from == from && m->blanks_to > from && m->blanks_to <= sluice__visible(s))
        s->pos = m->blanks_to;
    for (;; s->pos++) {
        long byte = sluice__m_byte(m, s, false);
        if (byte == ' ' || byte == '\t' || byte == '\r')
            continue;
        m->blanks_from = from;
        m->blanks_to = s->pos;
        return byte;
    }
}

long sluice__m_behind(sluice__run *m, sluice_stream *s, long wanted) {
    uint64_t pos = s->pos;
    long byte = sluice__m_byte(m, s, true);
    if (byte != wanted)
        s->pos = pos;
    return byte;
}

bool sluice__m_at_end(const sluice_stream *s) {
    return sluice__at_end(s) && s->pos >= sluice__visible(s);
}

/* ---- Errors ------------------------------------------------------------------------------- */

bool sluice__m_error(sluice_stream *s, const char *code, const char *message) {
    return sluice__settle(s) && sluice__tell(s, sluice__code(code), message);
}

bool sluice__m_spoilt(sluice_stream *s, const char *code, const char *message) {
    sluice__lower(s, SLUICE_INCOMPLETE);
    return sluice__m_error(s, code, message);
}

bool sluice__m_lose_track(sluice_stream *s, const char *code, const char *message) {
    s->lost_track = true;
    return sluice__m_error(s, code, message);
}

bool sluice__m_complain(sluice_stream *s, const char *code, const char *message,
                        sluice_status status) {
    s->committed = true;
    if (!sluice__flush(s) || !sluice__m_error(s, code, message))
        return false;
    sluice__lower(s, status);
    return true;
}

bool sluice__m_wrong(sluice__run *m, const sluice_stream *s, const char *code, const char *why) {
    m->code = code ? code : m->code;
    sluice__rare *rare = sluice__m_rare(m, s);
    return rare && sluice__m_set(s, &rare->wrong, why, strlen(why));
}

const sluice__rare sluice__nothing_rare = {0};

sluice__rare *sluice__m_rare(sluice__run *m, const sluice_stream *s) {
    if (m->rare == &sluice__nothing_rare) {
        sluice__rare *made = sluice__zeroed(&s->alloc, sizeof *made);
        if (!made)
            return NULL;
        m->rare = made;
    }
    return (sluice__rare *)m->rare;
}

/* ---- Marks -------------------------------------------------------------------------------- */

/* Holding begins and ends exactly here, for every chunking. */
void sluice__m_pin(sluice_stream *s) {
    if (!s->pinned++)
        sluice__set_reach(s);
}

void sluice__m_unpin(sluice_stream *s) {
    if (s->pinned && !--s->pinned)
        sluice__set_reach(s);
}

sluice__mark *sluice__m_push(sluice__run *m, sluice_stream *s, int kind, uint16_t pc) {
    if (!sluice__array_grow(&s->alloc, (void **)&m->marks, &m->mark_cap, m->mark_count + 1,
                            sizeof *m->marks))
        return NULL;
    sluice__mark *k = &m->marks[m->mark_count++];
    *k = (sluice__mark){.kind = kind,
                        .pc = pc,
                        .began = m->began,
                        .loose = m->loose,
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

/* Undoes what an alternative or an optional part has set. */
static void restore(sluice__run *m, const sluice__mark *k) {
    m->has_name = m->has_name && k->name_len != UINT32_MAX;
    m->has_id = m->has_id && k->id_len != UINT32_MAX;
    m->name_start = k->name_start;
    m->name_end = k->name_end;
    m->pattern = k->pattern;
    m->pair_count = k->held;
    m->loose = k->loose;
}

/* Can reading go back to `pos`? Not to bytes covered by events, which may be gone. */
static bool is_held(const sluice_stream *s, uint64_t pos) {
    return pos >= s->window.base && (!s->committed || pos >= s->sent);
}

/* Goes back to the last mark. REFUSES: there is none. */
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
                continue; /* an announced call is never taken back */
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
            restore(m, &k);
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

/* ---- Blocks ------------------------------------------------------------------------------- */

static void begin_block(sluice__run *m, sluice_stream *s, uint16_t address) {
    m->pc = address;
    m->phase = 0;
    while (m->mark_count)
        sluice__m_pop(m, s);
    m->opened = m->opener_missing = m->any = m->reserved = m->probing = false;
    m->missed = m->spoke = false;
    m->markerless = m->bare;
    m->said_count = m->said_next = 0;
    m->has_name = m->has_id = m->outer_name = m->outer_id = false;
    m->pair_count = 0;
    m->pattern = SLUICE__NO_PATTERN;
    m->name_start = m->name_end = 0;
    m->good = m->bads = 0;
    sluice__m_forget_wrong(m);
    m->code = NULL;
    m->steps = 0;
    m->steps_pos = s->pos;
    m->start = s->pos;
    s->behind_arguments = NULL;
    sluice__m_new_call(m);
}

static const uint16_t *blocks_of(const sluice__program *p, const sluice_stream *s, size_t item) {
    const sluice__format *f = p->format;
    if (item == SIZE_MAX)
        return p->starts[f->text->count + f->reasoning->count];
    return p->starts[item + (s->from_reason ? f->text->count : 0)];
}

/* Does this position allow a block with these conditions? */
static bool is_place(const sluice_stream *s, bool at_start, bool at_line, bool indented) {
    return (!at_start || (s->leading_space && (s->at_start || (indented && s->after_block)))) &&
           (!at_line || (indented ? sluice__line_indent : sluice__line_start)(s, s->pos) ||
            (indented && s->leading_space && s->after_block));
}

/* May the next candidate of several formats begin here? Returns 1, 0, or -1: wait. */
static int may_begin(sluice__run *m, sluice_stream *s, const sluice__candidate *c) {
    if ((c->weak && !m->has_tools) || !is_place(s, c->at_start, c->at_line, c->indented))
        return 0;
    if (c->json) {
        char first = s->pos < sluice__visible(s) ? *sluice__at(s, s->pos) : 0;
        return first == '{' || first == '[';
    }
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
    if (m->rare->wrong.len && !m->rare->first_wrong.len && !m->quiet) {
        sluice__rare *rare = sluice__m_rare_there(m);
        sluice__buffer spare = rare->first_wrong;
        rare->first_wrong = rare->wrong;
        rare->wrong = spare;
        rare->first_code = m->code;
        rare->wrong.len = 0;
    }
}

/* Returns the literal of this format that opens a block here, including those that contain tools'
 * names: its number, LOOK_NONE or LOOK_WAITS. */
static long own_opener(sluice__run *m, sluice_stream *s, const sluice__format *f) {
    const sluice__markers *set = s->from_reason ? f->reasoning : f->text;
    long item = sluice__m_peek(m, s, set, false);
    if (item < 0)
        return item;
    unsigned role = set->items[item].role;
    if (!(role & SLUICE__BLOCK) ||
        !is_place(s, role & SLUICE__AT_START, role & SLUICE__AT_LINE, role & SLUICE__INDENT))
        return SLUICE__LOOK_NONE;
    s->opener_role |= role & SLUICE__TOLD;
    return item;
}

/* Goes to the next reading of this position. JUMPED, WAITED, RAISES; REFUSES: there is none. */
static sluice__went next_block(sluice__run *m, sluice_stream *s) {
    for (;;) {
        if (*m->blocks != SLUICE__NONE) {
            begin_block(m, s, *m->blocks++);
            return SLUICE__JUMPED;
        }
        if (!m->candidates || m->candidates->program == SLUICE__NONE) {
            if (!m->calls_only || !m->passed_text)
                return SLUICE__REFUSES;
            m->calls_only = false; /* try again: text counts now */
            m->candidates = m->all;
            continue;
        }
        const sluice__candidate *c = m->candidates;
        int may = may_begin(m, s, c);
        if (may < 0)
            return SLUICE__WAITED;
        if (!may) {
            m->candidates++;
            continue;
        }
        m->member = c->program;
        const sluice__program **program = &m->programs[c->program];
        if (!*program && !(*program = m->scripts->program(m->user, s)))
            return SLUICE__RAISES;
        const sluice__format *format = (*program)->format;
        long item = c->own ? own_opener(m, s, format) : c->literal;
        if (item == SLUICE__LOOK_WAITS)
            return SLUICE__WAITED;
        m->candidates++;
        if (item == SLUICE__LOOK_NONE)
            continue;
        sluice__settings settings;
        sluice__settings_from(format, m->options, &settings);
        if (!sluice__use_format(s, format, &settings))
            continue;
        m->program = *program;
        m->unknown_as_text = s->set.unknown_as_text || item == SLUICE__NONE || c->word || c->quiet;
        m->quiet = c->quiet;
        m->bare = item == SLUICE__NONE;
        m->blocks = blocks_of(m->program, s, item == SLUICE__NONE ? SIZE_MAX : (size_t)item);
    }
}

/* The message if an instruction finds nothing; NULL: none. */
static const char *missing_there(unsigned op) {
    switch (op) {
    case SLUICE__I_name:
    case SLUICE__I_attributes:
        return "no name found";
    case SLUICE__I_header:
    case SLUICE__I_shape:
        return "no header found";
    case SLUICE__I_object:
        return "no JSON object found";
    case SLUICE__I_arguments:
        return "no arguments found";
    case SLUICE__I_params:
        return "no parameters found";
    default:
        return NULL;
    }
}

/* Notes the instruction that found no call, unless another one got further. */
static void note_failure(sluice__run *m, const sluice_stream *s, const sluice__ins *i) {
    bool what = missing_there(i->op), literal = i->op == SLUICE__I_literal;
    m->unfinished |= s->hit_end || sluice__m_at_end(s);
    bool sign = literal && m->failed_in && m->program->sets[i->a]->items[0].len < 2;
    if (s->pos < m->why_at + sign ||
        (!what && !literal) || /* a single character is a weak reason */
        (literal && sluice__is_space(m->program->sets[i->a]->items[0].text[0])))
        return;
    m->why_at = s->pos;
    m->failed_in = m->program;
    m->failed_at = i;
}

static bool put_literal(const sluice__run *m, const sluice_stream *s, sluice__buffer *out,
                        const sluice__ins *i) {
    const sluice__marker *literal = &m->failed_in->sets[i->a]->items[0];
    return sluice__buffer_add(&s->alloc, out, literal->text, literal->len);
}

/* Writes that reason, NUL-terminated. */
static bool put_failure(const sluice__run *m, const sluice_stream *s, sluice__buffer *out) {
    const sluice__ins *i = m->failed_at;
    bool literal = i->op == SLUICE__I_literal;
    bool good = literal ? sluice__buffer_text(&s->alloc, out, "no ") && put_literal(m, s, out, i) &&
                              sluice__buffer_text(&s->alloc, out, " found")
                        : sluice__buffer_text(&s->alloc, out, missing_there(i->op));
    if (i > m->failed_in->code && i[-1].op == SLUICE__I_literal)
        good =
            good && sluice__buffer_text(&s->alloc, out, " after ") && put_literal(m, s, out, i - 1);
    else
        good = good && sluice__buffer_text(&s->alloc, out, " here");
    return good && sluice__buffer_add(&s->alloc, out, "", 1);
}

/* Finds why no reading succeeded, if that is known; else `*why` stays NULL. False if out
 * of memory. */
static bool find_why(const sluice__run *m, const sluice_stream *s, sluice__buffer *text,
                     const char **why) {
    if (m->unfinished && !m->rare->first_code) {
        *why = "input ended inside a possible call";
    } else if (m->rare->first_wrong.len) {
        *why = m->rare->first_wrong.data;
    } else if (m->failed_in && !m->failed_at) {
        *why = "not a valid tool name";
    } else if (m->failed_in) {
        if (!put_failure(m, s, text))
            return false;
        *why = text->data;
    }
    return true;
}

/* No reading succeeded: reports why, if that is known. */
static sluice__verdict none(sluice__run *m, sluice_stream *s) {
    const char *why = NULL;
    const char *code = m->rare->first_code
                           ? m->rare->first_code
                           : sluice__code(m->unfinished ? "unfinished_call" : "not_a_call");
    bool told =
        m->rare->first_code || (s->opener_role & SLUICE__TOLD && !s->from_reason && !m->silent);
    sluice__buffer text = {0};
    if (told && !(find_why(m, s, &text, &why) &&
                  (!why || (sluice__settle(s) && sluice__tell(s, code, why)))))
        s->no_memory = true;
    else if (!m->rare->first_wrong.len && m->several && (m->quiet || (m->bare && !m->has_tools)))
        s->hit_end = false; /* JSON without a known tool, or a sign: not an unfinished call */
    sluice__buffer_release(&s->alloc, &text);
    return SLUICE__REJECTED;
}

/* The current block is not one, or an announced call of it could not go on. */
static sluice__went refused(sluice__run *m, sluice_stream *s) {
    if (m->began) { /* outside of a list of calls */
        bool good;
        if (s->call.open) /* what must follow its arguments is missing */
            sluice__lower(s, sluice__m_byte(m, s, true) < 0 ? SLUICE_RECOVERED : SLUICE_INCOMPLETE);
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

enum { MOST_STEPS = 100000 };

static void watch(sluice__run *m, sluice_stream *s, uint16_t pc, int went) {
    uint16_t next = m->pc;
    m->pc = pc;
    m->scripts->watch(m->user, s, m, went);
    m->pc = next;
}

/* Runs the next instruction while it is watched, or goes to the next reading of this position. */
__attribute__((noinline)) static sluice__went step(sluice__run *m, sluice_stream *s) {
    uint16_t pc = m->pc;
    if (pc == SLUICE__NONE) /* no block is open */
        return next_block(m, s);
    const sluice__ins *i = &m->program->code[pc];
    watch(m, s, pc, -1);
    sluice__went went = handlers[i->op](m, s, i);
    if (went == SLUICE__FAILS && !m->began && !m->probing)
        note_failure(m, s, i);
    watch(m, s, pc, (int)went);
    return went;
}

static sluice__verdict run(sluice__run *m, sluice_stream *s) {
    bool watched = m->scripts->watch != NULL;
    sluice__set_reach(s);
    for (;;) {
        if (s->count - s->head > SLUICE__MOST_QUEUED && sluice__m_ready(s) > SLUICE__MOST_QUEUED)
            return SLUICE__AWAITS; /* let the events out first */
        if (s->pos != m->steps_pos) {
            m->steps_pos = s->pos;
            m->steps = 0;
        } else if (++m->steps > MOST_STEPS) {
            sluice__fail(s, "the syntax loops without consuming input");
            return SLUICE__FAILED;
        }
        if (!s->committed) /* else what changes it sets it */
            sluice__set_reach(s);
        sluice__went went;
        if (watched || m->pc == SLUICE__NONE) {
            went = step(m, s);
        } else {
            const sluice__ins *i = &m->program->code[m->pc];
            went = handlers[i->op](m, s, i);
            if (went == SLUICE__FAILS && !m->began && !m->probing)
                note_failure(m, s, &m->program->code[m->pc]);
        }
        if (went == SLUICE__NEXT) {
            m->pc++;
            m->phase = 0;
            continue;
        }
        if (went == SLUICE__FAILS)
            went = fail(m, s);
        if (went == SLUICE__REFUSES)
            went = m->pc == SLUICE__NONE ? SLUICE__REFUSES : refused(m, s);
        switch (went) {
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
    if (m->rare != &sluice__nothing_rare) {
        sluice__rare *rare = sluice__m_rare_there(m);
        rare->first_wrong.len = rare->wrong.len = 0;
        rare->first_code = NULL;
    }
    m->code = NULL;
    m->failed_in = NULL;
    m->unfinished = m->silent = false;
    m->why_at = 0;
    m->markerless = m->bare = item == SIZE_MAX;
    m->quiet = false;
    m->unknown_as_text = s->set.unknown_as_text;
    m->several = false;
    m->shared = 0;
    m->space_from = m->space_to = m->blanks_from = m->blanks_to = 0;
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

static void release_buffers(const sluice_allocator *a, sluice__buffer **buffers, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (buffers[k]->data)
            sluice__buffer_release(a, buffers[k]);
}

void sluice__machine_release(sluice__run *m, const sluice_allocator *a) {
    sluice__buffer *buffers[] = {&m->name, &m->id, &m->key, &m->asked_key, &m->mended, &m->param};
    release_buffers(a, buffers, sizeof buffers / sizeof *buffers);
    if (m->rare != &sluice__nothing_rare) {
        sluice__rare *r = sluice__m_rare_there(m);
        sluice__buffer *rare[] = {&r->wrong,        &r->first_wrong, &r->bad_why,
                                  &r->extras,       &r->other_keys,  &r->other_key,
                                  &r->repeated.key, &r->held,        &r->repeated.text};
        release_buffers(a, rare, sizeof rare / sizeof *rare);
        if (r->pairs)
            sluice__realloc(a, r->pairs, r->pair_cap * sizeof *r->pairs, 0);
        if (r->others.list)
            sluice__realloc(a, r->others.list, r->others.cap * sizeof *r->others.list, 0);
        sluice__realloc(a, r, sizeof *r, 0);
    }
    if (m->used.slots)
        sluice__realloc(a, m->used.slots, m->used.cap * sizeof(uint64_t), 0);
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
