/* Text and reasoning: what is outside of blocks, up to the next literal of the format. */
#include "stream.h"

void sluice__format_complete(sluice__format *f) {
    for (unsigned c = 0; c < 256; c++) {
        bool bare = f->bare_at_line && f->bare[c / 8] >> c % 8 & 1;
        f->wakes[0][c] = bare ? 1 : f->watched->first[c] ? A_LITERAL : 0;
        f->wakes[2][c] = f->reasoning->first[c] ? A_LITERAL : 0;
    }
    f->wakes[0]['`'] = f->wakes[0]['`'] != 0; /* of one backtick, too, which opens inline code */
    memcpy(f->wakes[1], f->wakes[0], sizeof f->wakes[1]);
    f->wakes[1]['\n'] = 1;
}

static void set_pos(sluice_stream *s, uint64_t pos) { s->pos = s->at = pos; }

void sluice__go_home(sluice_stream *s) {
    if (s->many && s->program && !s->calls) { /* no call was announced: any format may follow */
        s->program = NULL;
        sluice__settings_from(s->many->format, s->options, &s->set);
    }
    s->horizon = UINT64_MAX;
    s->in_block = false;
}

static void watch_block(sluice_stream *s, const char *what, const char *verdict) {
    if (s->scripts->watch)
        s->scripts->watch(s, s->call->pc, what, verdict);
}

static const char cut[] = "input ended inside a possible call";

/* What looked like a call was none: it is looked at again, but opens no block. */
void sluice__block_is_text(sluice_stream *s) {
    struct call *c = s->call;
    watch_block(s, "close", "rejected");
    uint64_t reached = s->at < c->why_at && c->why_at != UINT64_MAX ? c->why_at : s->at;
    s->again += (reached > s->block ? reached - s->block : 0) + 128; /* and what each costs */
    view v = left_trimmed(see_from(s, c->start > s->block ? c->start : s->block));
    bool word = v.p == v.end || is_quote(*v.p) || (c->why_at == UINT64_MAX && is_name_byte(*v.p));
    if (!word && s->at > c->lost_to)
        c->lost_to = s->at; /* values were read up to there */
    bool cut_off = c->unfinished && sluice__held(s) != FAIL;
    sluice__go_home(s);
    set_pos(s, s->told); /* what its object said is told */
    if (cut_off)
        sluice__report_at(s, s->block, "unfinished_call", cut);
    c->unfinished = false;
}

void sluice__block_close(sluice_stream *s) {
    watch_block(s, "close", "closed");
    sluice__call_end(s);
    if (s->pos <= s->block && sluice__once(&s->broken)) /* it would begin here forever */
        sluice__report_at(s, s->pos, "script_error", "the block consumed no input");
    sluice__go_home(s);
    s->reasoning = false;
    s->after_markup = true;
    s->at_start = false;
    s->ticks = 0;
    set_pos(s, s->pos);
    sluice__tell_markup(s, s->pos);
}

static const literals *literals_here(const sluice_stream *s) {
    return s->reasoning ? format_of(s)->reasoning : format_of(s)->text;
}

/* `opener`: its literal; NULL: the block has no marker, as a fence around the message is none. */
static void open_block(sluice_stream *s, uint64_t at, const sluice__literal *opener) {
    size_t item = opener ? (size_t)(opener - literals_here(s)->items) : 0;
    s->in_block = true;
    if (!sluice__need_call(s))
        return; /* nothing else is done */
    ZERO_FROM(s->call, lost_before);
    s->call->silent = !opener || !(opener->role & SLUICE__TOLD);
    s->call->lost_before = s->call->lost_to;
    s->block = at;
    set_pos(s, at);
    s->horizon = at + s->set.limit_held;
    s->call->pc = SLUICE__NONE;
    s->call->wrong.b.len = s->call->first_wrong.b.len = 0;
    s->call->bare = !opener || (opener->role & SLUICE__AT_START && *opener->text == '`');
    watch_block(s, "open", opener ? opener->text : NULL);
    if (sluice__is_tired(s, at)) {
        if (s->outside.told < RETRIES_TOLD)
            sluice__report_at(s, at, "limit_exceeded",
                              "too many false starts; later candidates are skipped");
        s->outside.told = RETRIES_TOLD; /* beyond the limit of calls no block opens */
        sluice__block_is_text(s);
        return;
    }
    if (s->many && !s->calls) {
        s->call->candidates =
            opener ? (s->reasoning ? s->many->reasoning : s->many->text)[item] : s->many->bare;
        if (opener && s->call->candidates->program != SLUICE__NONE &&
            s->call->candidates[1].program != SLUICE__NONE && !s->call->candidates[1].quiet)
            s->call->shared = (uint32_t)opener->len;
    } else {
        size_t row = opener ? item + (s->reasoning ? format_of(s)->text->count : 0)
                            : format_of(s)->text->count + format_of(s)->reasoning->count;
        s->call->blocks = s->program->starts[row];
    }
}

static void pass(sluice_stream *s, uint64_t upto) {
    sluice__speak(s, upto);
    s->pos = upto;
    s->at = s->at < upto ? upto : s->at;
}

/* Notes the backticks at v.p: at the start of a line, three or more are a fence; else code. */
static match note_ticks(sluice_stream *s, view v, uint64_t at, size_t *run) {
    const char *p = v.p;
    while (p < v.end && *p == '`' && (size_t)(p - v.p) < s->set.limit_header)
        p++;
    *run = (size_t)(p - v.p);
    if (p == v.end && !s->finished && *run < s->set.limit_header)
        return CUT;
    pass(s, at); /* which is judged by what was open before */
    bool fence = *run >= 3 && sluice__line_start(s, at);
    if (fence) {
        s->fence = !s->fence ? (uint32_t)*run : *run >= s->fence ? 0 : s->fence;
        s->searched = 0;
    } else if (!s->reasoning && (s->ticks ? s->ticks == *run : !s->fence)) {
        s->ticks = s->ticks ? 0 : (uint32_t)*run; /* inline code, which says nothing in reasoning */
    }
    if (!s->reasoning)
        sluice__outside_code(s, true, fence && (p == v.end || *p == '\n'));
    return NO;
}

/* Is there a backtick on this line behind v.p, which closes the code that is open? */
static match in_code(const sluice_stream *s, view v) {
    for (size_t n = view_len(v); v.p < v.end && n - view_len(v) < s->set.limit_header; v.p++)
        if (*v.p == '`' || *v.p == '\n')
            return *v.p == '`' ? YES : NO;
    return v.p == v.end && !s->finished ? CUT : NO;
}

typedef struct found {
    const sluice__literal *literal; /* NULL: none */
    size_t len;
    unsigned part; /* its roles there */
} found;

/* May a call begin at `at`, wherever literals may stand? */
static bool may_call(const sluice_stream *s, uint64_t at) {
    return at != s->block && !s->broken && sluice__more_calls(s);
}

const sluice__pair *sluice__pair_of(const sluice_stream *s, const sluice__format *f,
                                    const char *text, bool opens) {
    const sluice__pair *p = f->pairs;
    const char *own = s->pair && !opens ? s->pair->open : NULL;
    while (p->open && (strcmp(opens ? p->open : p->close, text) != 0 ||
                       (own && strncmp(own, p->open, strlen(p->open)) != 0)))
        p++;
    return p;
}

static const sluice__pair *pair_here(const sluice_stream *s) {
    return s->pair ? s->pair : format_of(s)->pairs;
}

/* The roles that the literal has at `at`; `first`: behind white space that depends on it. */
static unsigned roles_of(const sluice_stream *s, const sluice__literal *m, uint64_t at,
                         bool first) {
    unsigned role = m->role, part = role & (SLUICE__TURN_END | SLUICE__NOISE);
    part |= s->after_markup ? role & SLUICE__STRAY : 0;
    if (role & SLUICE__LEADING && s->at_start)
        part |= SLUICE__NOISE;
    if (role & SLUICE__REASON &&
        (s->reasoning ? first
                      : s->set.reasoning_opens == SLUICE__ANYWHERE || s->at_start ||
                            (s->set.reasoning_opens == SLUICE__LINE && !s->fence &&
                             (first || sluice__line_indent(s, at)))))
        part |= SLUICE__REASON;
    if (role & SLUICE__REASON_END &&
        (s->reasoning ? sluice__pair_of(s, format_of(s), m->text, false)->open != NULL
                      : (!(role & (SLUICE__NOISE | SLUICE__TURN_END)) && !s->calls && !s->pair &&
                         !s->set.start_text)))
        part |= SLUICE__REASON_END;
    bool in_word = !first && is_blank(m->text[m->len - 1]) && is_word_byte(*m->text) &&
                   is_word_byte(byte_before(s, at));
    bool closes = s->fence && strspn(m->text, "`") == m->len; /* the fence */
    if (role & SLUICE__BLOCK && !in_word && !closes && may_call(s, at) &&
        sluice__is_place(s, at, role) &&
        !(s->reasoning && s->set.calls_in_reasoning == SLUICE__KEEP))
        part |= SLUICE__BLOCK;
    return part;
}

/* The end of the tag at v.p whose first *len bytes are known. NO: it is none. */
static match tag_end(const sluice_stream *s, view v, size_t *len) {
    size_t most = s->set.limit_name + *len, n = view_len(v) < most ? view_len(v) : most;
    for (size_t k = *len; k < n; k++) {
        if (v.p[k] == '\n' || v.p[k] == '<')
            return NO;
        if (v.p[k] == '>') {
            *len = k + 1;
            return YES;
        }
    }
    return n == view_len(v) && !s->finished ? CUT : NO;
}

/* What stands at v.p. NO: nothing that counts; its `len` bytes are passed over. */
static match stands(sluice_stream *s, view v, uint64_t at, bool first, found *f) {
    enum { HIDDEN = SLUICE__BLOCK | SLUICE__REASON | SLUICE__REASON_END };
    const literals *set = literals_here(s);
    unsigned char c = (unsigned char)*v.p;
    *f = (found){.len = 1};
    size_t item;
    match m = find_literal(s, set, v, &item);
    if (m == CUT)
        return CUT;
    const sluice__literal *l = m == YES ? &set->items[item] : NULL;
    unsigned part = l ? roles_of(s, l, at, first) : 0;
    if (part & SLUICE__BLOCK && l->role & SLUICE__ALONE &&
        (m = sluice__alone(s, l, at, v, &f->len)) != YES)
        return m;
    if (part & HIDDEN && s->ticks && !s->reasoning) {
        if (!first && (m = in_code(s, (view){v.p + l->len, v.end})) == CUT)
            return CUT;
        if (m == YES && !first && part & SLUICE__BLOCK && l->role & SLUICE__TOLD) {
            pass(s, at);
            sluice__report_at(s, at, "not_a_call", "it is in inline code");
        }
        part &= m == YES ? ~(unsigned)HIDDEN : ~0u;
    }
    f->len = l ? l->len : 1;
    f->literal = l;
    if (part & SLUICE__NOISE && l->role & SLUICE__NOISE_TAG) {
        if ((m = tag_end(s, v, &f->len)) == CUT)
            return CUT;
        part &= m == NO ? ~(unsigned)SLUICE__NOISE : ~0u;
    }
    if (!part && !s->reasoning && format_of(s)->bare[c / 8] >> c % 8 & 1 && may_call(s, at) &&
        (format_of(s)->bare_at_line ? first || sluice__line_start(s, at) : first && s->at_start)) {
        part = SLUICE__BLOCK; /* one without a marker */
        f->literal = NULL;
    }
    f->part = part;
    f->len = part ? f->len : 1;
    if (part || !l || s->reasoning || first)
        return part ? YES : NO;
    if (!sluice__more_calls(s) && !s->ticks && l->role & SLUICE__TOLD &&
        s->outside.told != LIMIT_TOLD) {
        pass(s, at);
        sluice__report_at(s, at, "call_limit", "max_calls reached; the call is reported as text");
    }
    if (l->role & SLUICE__REASON && !s->pair) /* an opener that is text: so is its closer */
        s->pair = sluice__pair_of(s, format_of(s), l->text, true);
    return NO;
}

/* Does white space at pos depend on what follows: behind an opener of reasoning, or before text? */
static bool is_edge(const sluice_stream *s) {
    return s->after_markup || (s->at_start && !s->reasoning);
}

static void take(sluice_stream *s, uint64_t at, const found *f) {
    unsigned part = f->part;
    bool ends = part & SLUICE__REASON_END && (s->reasoning || !(part & SLUICE__REASON)),
         opens = part & SLUICE__REASON && !s->reasoning,
         block = part & SLUICE__BLOCK && !(s->reasoning && ends);
    if (!is_edge(s)) {
        view text = text_at(s, s->told, at);
        if (s->reasoning && !block)
            text = sluice__without_tail(text, pair_here(s)->trail, 0, false);
        sluice__speak(s, s->told + view_len(text));
        s->pos = at;
    }
    if (block) {
        open_block(s, at, f->literal);
        return;
    }
    sluice__tell_markup(s, at); /* white space next to markup is markup too */
    if (ends && !s->reasoning)
        sluice__report_at(s, at, "unopened_reasoning",
                          "a closing tag of reasoning that was never opened was left out");
    set_pos(s, at + f->len);
    sluice__tell_markup(s, s->pos);
    if (ends || opens) {
        s->pair = sluice__pair_of(s, format_of(s), f->literal->text, opens);
        s->drop = s->pair->after;
        s->thought = s->searched = s->fence = 0;
        s->reasoning = opens;
    }
    s->at_start |= ends && s->calls == 0;
    s->after_markup |= ends || opens || (part & SLUICE__TURN_END && !s->reasoning);
}

/* The end of the text without a special token that the end of the response cuts. */
static const char *without_cut_token(const sluice_stream *s, view v) {
    const literals *set = format_of(s)->cut_tokens ? format_of(s)->special : NULL;
    size_t n = set ? view_len(v) : 0;
    while (n > 2 && !literals_begin(set, view_of(v.end - n, n)))
        n--;
    return n > 2 ? v.end - n : v.end;
}

/* Where the opener of a call begins that the end of the response cuts; or UINT64_MAX. */
static uint64_t cut_opener(const sluice_stream *s, view v) {
    enum { LEAST = 6, MOST = 64 };
    const literals *set = s->ticks || s->fence || s->set.tokens ? NULL : literals_here(s);
    v.p += view_len(v) > MOST ? view_len(v) - MOST : 0;
    for (size_t n; set && (n = view_len(v)) >= LEAST; v.p++)
        for (size_t i = 0; set->first[(unsigned char)*v.p] && i < set->count; i++) {
            const sluice__literal *m = &set->items[i];
            uint64_t at = s->base + s->len - n;
            if (m->role & SLUICE__TOLD && m->len > n && has_start(literal_text(m), v) &&
                roles_of(s, m, at, false) & SLUICE__BLOCK)
                return at;
        }
    return UINT64_MAX;
}

static went end_of_text(sluice_stream *s) {
    view v = see(s);
    const char *end = without_cut_token(s, v);
    uint64_t opener = cut_opener(s, v);
    sluice__speak(s, place_of(s, end));
    set_pos(s, s->base + s->len);
    sluice__tell_markup(s, s->pos);
    if (s->reasoning && s->thought)
        sluice__report_at(s, s->thought - 1, "not_a_call", "a call in reasoning that never ends");
    if (opener < UINT64_MAX && !s->outside.told)
        sluice__report_at(s, opener, "unfinished_call", cut);
    return OVER;
}

/* Decides on the white space at an edge. GO: text follows, or the end. */
static went edge(sluice_stream *s) {
    view v = see(s);
    const char *p = past_space(see_from(s, s->at));
    found f;
    bool over = (size_t)(p - v.p) >= s->set.limit_held, ends = p == v.end && !over;
    p = over ? v.p + s->set.limit_held : p;
    uint64_t q = place_of(s, p);
    s->at = q;
    if (ends && !s->finished)
        return wait_for(s, NULL);
    if (!ends && !over) {
        match m = stands(s, (view){p, v.end}, q, true, &f);
        if (m == CUT)
            return wait_literal(s, literals_here(s), p);
        f.part &= s->reasoning ? SLUICE__REASON : ~0u;
        if (f.part) {
            take(s, q, &f);
            return JUMPED;
        }
    }
    p = sluice__past_lead(s, v, s->reasoning ? pair_here(s)->lead : s->drop);
    bool all = (format_of(s)->start_trim && (s->at_start || ends)) || (s->after_markup && ends);
    if (all && !s->reasoning)
        s->pos = q;
    else if (p) /* only the white space of the tag before it */
        s->pos = place_of(s, p);
    sluice__tell_markup(s, s->pos);
    s->after_markup = false;
    s->drop = NULL;
    s->at = s->reasoning ? s->pos : s->at;
    s->at_start &= s->reasoning;
    return ends && s->pos == q ? OVER : GO;
}

static const uint8_t *wakes_of(const sluice_stream *s) {
    return format_of(s)->wakes[s->reasoning ? 2 : s->ticks ? 1 : 0];
}

went sluice__read_text(sluice_stream *s) {
    while (!s->in_block) {
        if (is_full(s))
            return PAUSE;
        if (is_edge(s)) {
            went w = edge(s);
            if (w == JUMPED)
                continue;
            if (w != GO)
                return w;
        }
        const literals *watched = s->reasoning ? literals_here(s) : format_of(s)->watched;
        const uint8_t *wakes = wakes_of(s);
        const view v = see(s);
        const char *p = byte_at(s, s->at);
        match m = NO;
        found f;
        for (size_t item; p < v.end; p += f.len) {
            uint8_t wake = wakes[(unsigned char)*p];
            view rest = {p, v.end};
            f.len = 1;
            if (!wake || (wake == A_LITERAL && literals_differ(watched, rest)))
                continue;
            uint64_t at = place_of(s, p);
            if (*p == '\n' && s->ticks && !s->reasoning) {
                pass(s, at);
                s->ticks = 0;
                sluice__outside_code(s, false, false);
            }
            m = wake == A_LITERAL ? literals_at(watched, rest, s->finished, &item) : YES;
            if (m == NO)
                continue;
            if (m == YES)
                m = stands(s, rest, at, false, &f);
            if (m == NO && *p == '`')
                m = note_ticks(s, rest, at, &f.len);
            if (m != NO)
                break;
            wakes = wakes_of(s);
        }
        uint64_t at = place_of(s, p);
        if (m == YES) {
            take(s, at, &f);
            continue;
        }
        s->at = at;
        if (s->finished)
            return end_of_text(s);
        const char *trail = s->reasoning ? pair_here(s)->trail : NULL;
        view text = sluice__without_tail(text_at(s, s->pos, at), trail, 0, true);
        if (text.end == v.end)
            text.end = text.p + utf8_whole(text.p, view_len(text));
        pass(s, s->pos + view_len(text));
        if (m == CUT)
            return wait_literal(s, watched, p);
        return pass_on(s, s->reasoning ? SLUICE_REASONING : SLUICE_TEXT, wakes, watched, trail);
    }
    return GO;
}
