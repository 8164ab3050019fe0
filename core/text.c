/* Text and reasoning: what is outside of blocks, up to the next literal of the format. */
#include "stream.h"

enum { REPEATED_TIMES = 16, REPEATED_BYTES = 256 * 1024, REPEATED_BLOCK = 128 };

void sluice__format_complete(sluice__format *f) {
    for (unsigned c = 0; c < 256; c++) {
        bool bare = f->bare_at_line && f->bare[c / 8] >> c % 8 & 1;
        f->wakes[0][c] = bare ? 1 : f->text->first[c] ? A_LITERAL : 0;
        f->wakes[2][c] = f->reasoning->first[c] ? A_LITERAL : 0;
    }
    f->wakes[0]['`'] = f->wakes[0]['`'] != 0; /* of one backtick, too, which opens inline code */
    memcpy(f->wakes[1], f->wakes[0], sizeof f->wakes[1]);
    f->wakes[1]['\n'] = 1;
    for (int i = 0; i < SLUICE__PAIRS; i++)
        if (f->pairs[i].trail && *f->pairs[i].trail)
            for (const char *p = f->pairs[i].trail; *p; p++)
                f->wakes[2][(unsigned char)*p] = f->wakes[2]['\r'] = 1;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static bool repeats_too_much(const sluice_stream *s) {
    return s->again > REPEATED_TIMES * s->pos + REPEATED_BYTES;
}

static void leave_edge(sluice_stream *s) { /* text follows held white space */
    s->leading = s->at_start = s->after_block = false;
    s->drop = NULL;
}

static void set_pos(sluice_stream *s, uint64_t pos) { s->pos = s->at = pos; }

static void go_home(sluice_stream *s) { /* the block announced no call: any format may follow */
    if (s->many && !s->chosen) {
        s->format = s->root;
        s->set = s->root_set;
        s->program = NULL;
    }
    s->horizon = UINT64_MAX;
    s->in_block = false;
    s->marks = 0;
    s->said_next = s->said_count = 0;
}

static void watch_block(sluice_stream *s, const char *what, const char *verdict) {
    if (s->scripts->watch)
        s->scripts->watch(s->user, s, what, verdict);
}

/* What looked like a call was none: its first character is text, and what follows is looked at
 * again. */
void sluice__block_is_text(sluice_stream *s) {
    static const char cut[] = "input ended inside a possible call";
    watch_block(s, "close", "rejected");
    uint64_t reached = s->pos > s->at ? s->pos : s->at;
    if (reached < s->why_at && s->why_at != UINT64_MAX)
        reached = s->why_at;
    s->again += (reached > s->block ? reached - s->block : 0) + REPEATED_BLOCK;
    go_home(s);
    s->reasoning = s->from_reason;
    if (!s->from_reason)
        leave_edge(s);
    else
        s->begun = false;
    s->pos = s->block;
    if (s->unfinished)
        sluice__report_at(s, s->block, "unfinished_call", cut, sizeof cut - 1);
    s->unfinished = false;
    if (s->opener_role & (SLUICE__NOISE | SLUICE__TURN_END)) { /* the opener has another role too */
        set_pos(s, s->block + s->opener_len);
        sluice__tell_markup(s, s->pos);
        if (!s->from_reason)
            s->leading = s->after_block = true;
        return;
    }
    view v = see_from(s, s->block);
    int n = v.p < v.end ? sluice__utf8_sequence(v.p, view_len(v)) : 0;
    uint64_t upto = s->block + (n > 0 ? (uint64_t)n : n < 0 ? (uint64_t)-n : view_len(v));
    sluice__speak(s, s->from_reason ? SLUICE_REASONING : SLUICE_TEXT, upto);
    set_pos(s, upto);
}

void sluice__block_close(sluice_stream *s) {
    static const char nothing[] = "the block consumed no input";
    if (s->pos <= s->block && !s->committed) {
        sluice__block_is_text(s);
        return;
    }
    watch_block(s, "close", "closed");
    sluice__call_end(s);
    if (s->pos <= s->block && !s->broken) { /* it would begin here forever */
        s->broken = true;
        sluice__report_at(s, s->pos, "script_error", nothing, sizeof nothing - 1);
    }
    go_home(s);
    s->reasoning = false;
    s->leading = s->after_block = true;
    s->at_start = false;
    s->ticks = 0;
    s->drop = s->drop_behind;
    s->drop_behind = NULL;
    set_pos(s, s->pos);
    sluice__tell_markup(s, s->pos);
}

static void open_block(sluice_stream *s, uint64_t at, size_t item) {
    static const char too_many[] = "too many false starts; later candidates are skipped";
    static const uint16_t no_blocks[] = {SLUICE__NONE};
    const literals *set = s->reasoning ? s->format->reasoning : s->format->text;
    if (!sluice__need_call(s)) {
        s->in_block = true; /* nothing else is done */
        return;
    }
    ZERO_FROM(s, from_reason);
    s->from_reason = s->reasoning;
    s->fenced = s->fence_open;
    s->in_fence = s->fenced && sluice__fences_hide(s);
    s->opener_role = item == SIZE_MAX ? 0 : set->items[item].role;
    s->opener_len = item == SIZE_MAX ? 0 : (uint32_t)set->items[item].len;
    s->from = s->pos;
    s->block = at;
    set_pos(s, at);
    s->in_block = true;
    s->drop = NULL;
    s->horizon = sluice__horizon(s, at);
    s->pc = SLUICE__NONE;
    s->call->wrong.b.len = s->call->first_wrong.b.len = 0;
    s->bare = s->markerless = item == SIZE_MAX;
    s->text_unknown = s->set.unknown_as_text;
    s->arguments_at = UINT64_MAX;
    s->blocks = no_blocks;
    watch_block(s, "open", NULL);
    if (repeats_too_much(s)) {
        if (!s->retries_told)
            sluice__report_at(s, at, "limit_exceeded", too_many, sizeof too_many - 1);
        s->retries_told = true;
        sluice__block_is_text(s);
        return;
    }
    if (s->many && !s->chosen) {
        s->candidates = s->all = item == SIZE_MAX
                                     ? s->many->bare
                                     : (s->reasoning ? s->many->reasoning : s->many->text)[item];
        s->several = s->calls_only = true;
        if (item != SIZE_MAX && s->all[0].program != SLUICE__NONE &&
            s->all[1].program != SLUICE__NONE && !s->all[1].quiet)
            s->shared = s->opener_len;
    } else {
        size_t row = item == SIZE_MAX ? s->format->text->count + s->format->reasoning->count
                                      : item + (s->from_reason ? s->format->text->count : 0);
        s->blocks = s->program->starts[row];
    }
}

/* ---- Backticks ---------------------------------------------------------------------------- */

/* Notes a run of backticks: at the start of a line, three or more are a fence; else inline code. */
static void note_ticks(sluice_stream *s, uint64_t at, size_t run) {
    if (run >= 3 && sluice__line_start(s, at)) {
        s->fence_open = !s->fence_open;
        s->searched = 0;
    } else if (s->reasoning) { /* inline code says nothing there */
    } else if (!s->ticks && !s->fence_open) {
        s->ticks = run;
    } else if (s->ticks == run) {
        s->ticks = 0;
    }
}

/* Is the code that is open on this line closed behind v.p? */
static match in_code(const sluice_stream *s, view v) {
    size_t run = 0;
    const char *p = v.p;
    if (!s->ticks)
        return NO;
    for (; p < v.end && (size_t)(p - v.p) < s->set.limit_header; p++) {
        if (*p != '`' && run == s->ticks)
            return YES;
        if (*p == '\n')
            return NO;
        run = *p == '`' ? run + 1 : 0;
    }
    if (p == v.end && !s->finished && (size_t)(p - v.p) < s->set.limit_header)
        return CUT;
    return run == s->ticks ? YES : NO;
}

/* ---- Literals ----------------------------------------------------------------------------- */

/* A call might begin here, but none is allowed any more, and it has no other role. */
static bool is_idle(const sluice_stream *s, const sluice__marker *m) {
    enum {
        OTHER = SLUICE__REASON | SLUICE__REASON_END | SLUICE__TURN_END | SLUICE__NOISE |
                SLUICE__STRAY | SLUICE__LEADING | SLUICE__TICK
    };
    return !(m->role & OTHER) && (s->broken || (s->calls < s->set.max_calls
                                                    ? s->lost_track
                                                    : s->limit_told || !(m->role & SLUICE__TOLD)));
}

/* The roles that the literal has at `at`. */
static unsigned roles_of(const sluice_stream *s, const sluice__marker *m, uint64_t at, bool first) {
    unsigned role = m->role, part = role & (SLUICE__TURN_END | SLUICE__NOISE);
    if (role & SLUICE__STRAY && s->leading && s->after_block)
        part |= SLUICE__STRAY;
    if (role & SLUICE__LEADING && s->leading && s->at_start)
        part |= SLUICE__NOISE;
    if (role & SLUICE__REASON && !s->reasoning &&
        (s->set.reasoning_opens == SLUICE__ANYWHERE || (s->leading && s->at_start) ||
         (s->set.reasoning_opens == SLUICE__LINE && (first || sluice__line_indent(s, at)))))
        part |= SLUICE__REASON;
    if (role & SLUICE__REASON_END &&
        (s->reasoning || (!(role & (SLUICE__NOISE | SLUICE__TURN_END)) && !s->calls &&
                          !s->reasoned && !s->set.start_text)))
        part |= SLUICE__REASON_END;
    if (role & SLUICE__BLOCK && !s->broken && sluice__more_calls(s) &&
        sluice__is_place(s, at, role) &&
        !(s->reasoning && s->set.calls_in_reasoning == SLUICE__KEEP))
        part |= SLUICE__BLOCK;
    return part;
}

/* The end of the markup that begins with this literal. NO: it is not a tag. */
static match noise_end(const sluice_stream *s, const sluice__marker *m, view v, size_t *len) {
    *len = m->len;
    if (!(m->role & SLUICE__NOISE_TAG))
        return YES;
    size_t n = view_len(v) < s->set.limit_name + m->len ? view_len(v) : s->set.limit_name + m->len;
    for (size_t k = m->len; k < n; k++) {
        if (v.p[k] == '\n' || v.p[k] == '<')
            return NO;
        if (v.p[k] == '>') {
            *len = k + 1;
            return YES;
        }
    }
    return n == view_len(v) && !s->finished ? CUT : NO;
}

/* Is it a run of exactly as many copies as the literal has, from `at` on? *run: its length. */
static match alone(sluice_stream *s, const sluice__marker *m, uint64_t at, view v, size_t *run) {
    int unit = sluice__utf8_sequence(m->text, m->len);
    size_t n = unit > 0 ? (size_t)unit : 1;
    size_t k = s->run_at == at && s->run_end > at ? (size_t)(s->run_end - at) : 0;
    while (view_len(v) - k >= n && memcmp(v.p + k, m->text, n) == 0 && k < s->set.limit_held)
        k += n;
    *run = k;
    s->run_at = at;
    s->run_end = at + k;
    if (view_len(v) - k < n && !s->finished && memcmp(v.p + k, m->text, view_len(v) - k) == 0)
        return CUT;
    return k % m->len == 0 ? YES : NO;
}

static void drop_behind(sluice_stream *s, uint64_t upto) {
    for (const char *d = s->drop; d && *d && s->pos < upto; d++) {
        view v = see(s);
        if (*v.p == '\r' && *d == '\n' && s->pos + 1 < upto) {
            s->pos++;
            v.p++;
        }
        if (*v.p != *d)
            break;
        s->pos++;
    }
    sluice__tell_markup(s, s->pos);
}

/* A literal at `at` that has a part here. */
static void at_literal(sluice_stream *s, uint64_t at, size_t item, unsigned part, size_t len) {
    static const char unopened[] = "a closing tag of reasoning that was never opened was left out";
    const sluice__marker *m = &(s->reasoning ? s->format->reasoning : s->format->text)->items[item];
    sluice_event_type type = s->reasoning ? SLUICE_REASONING : SLUICE_TEXT;
    if (s->reasoning) {
        const char *trail = s->format->pairs[s->pair].trail;
        view text = {at > s->told ? byte_at(s, s->told) : "", NULL};
        text.end = text.p + (at > s->told ? at - s->told : 0);
        if (!(part & SLUICE__BLOCK) || part & SLUICE__REASON_END)
            text = sluice__without_tail(text, trail);
        sluice__speak(s, type, s->told + view_len(text));
    } else if (!s->leading) {
        sluice__speak(s, type, at);
    } else if (!(part & SLUICE__BLOCK)) { /* white space next to markup is markup too */
        sluice__tell_markup(s, at);
    }
    if (s->reasoning ? part & SLUICE__REASON_END : 0) {
        set_pos(s, at + len);
        sluice__tell_markup(s, s->pos);
        s->reasoning = s->fence_open = false;
        s->reasoned = true;
        s->leading = s->after_block = true;
        s->at_start = s->calls == 0;
        s->searched = 0;
        s->drop = s->format->pairs[m->role / SLUICE__PAIR % SLUICE__PAIRS].after;
        return;
    }
    if (part & SLUICE__BLOCK) {
        s->pos = s->leading && !s->reasoning ? s->pos : at;
        open_block(s, at, item);
        return;
    }
    bool closer = part & SLUICE__REASON_END && !(part & SLUICE__REASON);
    if (closer)
        sluice__report_at(s, at, "unopened_reasoning", unopened, sizeof unopened - 1);
    set_pos(s, at + len);
    sluice__tell_markup(s, s->pos);
    if (s->reasoning)
        return;
    s->reasoned |= (part & (SLUICE__REASON | SLUICE__REASON_END)) != 0;
    if (closer) {
        s->leading = s->after_block = s->at_start = true;
        s->drop = s->format->pairs[m->role / SLUICE__PAIR % SLUICE__PAIRS].after;
    } else if (part & SLUICE__REASON) {
        s->reasoning = s->begun = true;
        s->fence_open = false;
        s->searched = 0;
        s->pair = (uint8_t)(m->role / SLUICE__PAIR % SLUICE__PAIRS);
    } else if (part & SLUICE__TURN_END) {
        s->leading = s->after_block = true;
    }
}

/* ---- The scan ----------------------------------------------------------------------------- */

/* The end of the text without a special token that the end of the response cuts. */
static const char *without_cut_token(const sluice_stream *s, view v) {
    const literals *set = s->format->cut_tokens ? s->format->special : NULL;
    size_t best = 2;
    for (size_t i = 0; set && i < set->count; i++)
        for (size_t n = set->items[i].len - 1; n > best; n--)
            if (view_len(v) >= n && memcmp(v.end - n, set->items[i].text, n) == 0)
                best = n;
    return best > 2 ? v.end - best : v.end;
}

static went end_of_text(sluice_stream *s) {
    view v = see(s);
    const char *end = without_cut_token(s, v);
    sluice__speak(s, s->reasoning ? SLUICE_REASONING : SLUICE_TEXT, s->pos + (uint64_t)(end - v.p));
    set_pos(s, s->base + s->len);
    sluice__tell_markup(s, s->pos);
    return OVER;
}

/* White space stands at pos, and depends on what follows. GO: text follows. */
static went leading_space(sluice_stream *s) {
    const literals *set = s->format->text;
    view v = see(s);
    const char *p = v.p + (s->at > s->pos ? s->at - s->pos : 0);
    size_t item = 0, len = 0, run;
    bool bom = !s->pos && v.p < v.end && *v.p == '\xEF';
    if (bom && view_len(v) < 3 && !s->finished)
        return wait_for(s, NULL);
    if (bom && view_len(v) >= 3 && memcmp(v.p, "\xEF\xBB\xBF", 3) == 0) {
        set_pos(s, 3);
        return JUMPED;
    }
    p = past_space((view){p, v.end});
    if ((size_t)(p - v.p) > s->set.limit_held)
        p = v.p + s->set.limit_held;
    bool over = (size_t)(p - v.p) == s->set.limit_held;
    uint64_t q = s->pos + (uint64_t)(p - v.p);
    s->at = q;
    if (p == v.end && !over && !s->finished)
        return wait_for(s, NULL);
    if (p < v.end && !over) {
        view w = {p, v.end};
        match m = find_literal(s, set, w, &item);
        if (m == CUT)
            return sluice__wait_literal(s, set, w);
        unsigned part = m == YES && !is_idle(s, &set->items[item])
                            ? roles_of(s, &set->items[item], q, true)
                            : 0;
        if (part & SLUICE__BLOCK && set->items[item].role & SLUICE__ALONE) {
            m = alone(s, &set->items[item], q, w, &run);
            if (m == CUT)
                return wait_for(s, NULL);
            if (m == NO)
                part = 0;
        }
        if (m == YES)
            len = set->items[item].len;
        if (part & SLUICE__NOISE) {
            m = noise_end(s, &set->items[item], w, &len);
            if (m == CUT)
                return wait_for(s, NULL);
            part &= m == NO ? ~(unsigned)SLUICE__NOISE : ~0u;
        }
        if (part & SLUICE__BLOCK && s->ticks)
            part = 0; /* it follows inline code: looked at below */
        if (part) {
            at_literal(s, q, item, part, len);
            return JUMPED;
        }
        unsigned char c = (unsigned char)*p;
        if (s->format->bare[c / 8] >> c % 8 & 1 && (s->at_start || s->format->bare_at_line) &&
            !s->broken && sluice__more_calls(s)) {
            open_block(s, q, SIZE_MAX);
            return JUMPED;
        }
    } else if (p == v.end && s->finished) {
        if (!s->after_block && !s->format->start_trim)
            sluice__speak(s, SLUICE_TEXT, q);
        set_pos(s, q);
        sluice__tell_markup(s, q);
        return OVER;
    }
    if (s->at_start && s->format->start_trim) {
        s->pos = q;
        sluice__tell_markup(s, q);
    } else {
        drop_behind(s, q);
    }
    leave_edge(s);
    s->at = q;
    return GO;
}

/* Reasoning has just begun: drops white space; a second opener is markup. */
static went reasoning_begins(sluice_stream *s) {
    view v = see(s);
    const char *p = past_space(v);
    size_t item;
    const char *lead = s->format->pairs[s->pair].lead;
    if ((size_t)(p - v.p) > s->set.limit_held)
        p = v.p + s->set.limit_held;
    else if (p == v.end && !s->finished)
        return wait_for(s, NULL);
    match m = find_literal(s, s->format->reasoning, (view){p, v.end}, &item);
    if (m == CUT)
        return sluice__wait_literal(s, s->format->reasoning, (view){p, v.end});
    if (m == YES && s->format->reasoning->items[item].role & SLUICE__REASON) {
        set_pos(s, s->pos + (uint64_t)(p - v.p) + s->format->reasoning->items[item].len);
        return JUMPED;
    }
    s->begun = false;
    const char *q = v.p;
    for (; lead && *lead && q < p; lead++, q++) {
        q += *q == '\r' && *lead == '\n';
        if (q >= p || *q != *lead)
            break;
    }
    set_pos(s, s->pos + (uint64_t)(q - v.p));
    sluice__tell_markup(s, s->pos);
    return GO;
}

static void pass(sluice_stream *s, uint64_t upto) {
    sluice__speak(s, s->reasoning ? SLUICE_REASONING : SLUICE_TEXT, upto);
    s->pos = upto;
    if (s->at < upto)
        s->at = upto;
}

static const uint8_t *wakes_of(const sluice_stream *s) {
    return s->format->wakes[s->reasoning ? 2 : s->ticks ? 1 : 0];
}

went sluice__read_text(sluice_stream *s) {
    static const char in_inline[] = "it is in inline code",
                      no_more[] = "max_calls reached; the call is reported as text";
    for (;;) {
        if (s->in_block) /* text before it is judged by what is known before it */
            return s->many && s->head < s->count && s->stage == SIZE_MAX ? PAUSE : GO;
        if (is_full(s))
            return PAUSE;
        went w = s->reasoning ? (s->begun ? reasoning_begins(s) : GO)
                 : s->leading ? leading_space(s)
                              : GO;
        if (w == JUMPED)
            continue;
        if (w != GO)
            return w;
        const literals *set = s->reasoning ? s->format->reasoning : s->format->text;
        view v = see(s);
        const char *p = v.p + (s->at > s->pos ? s->at - s->pos : 0);
        const uint8_t *wakes = wakes_of(s);
        bool jumped = false;
        match m = NO;
        for (; p < v.end && !jumped; p++) {
            if (!wakes[(unsigned char)*p])
                continue;
            view rest = {p, v.end};
            uint64_t at = s->pos + (uint64_t)(p - v.p);
            size_t item, len, run;
            if (*p == '\n')
                s->ticks = s->reasoning ? s->ticks : 0;
            unsigned char c = (unsigned char)*p;
            m = find_literal(s, set, rest, &item);
            if (m == CUT)
                break;
            if (!s->reasoning && s->format->bare_at_line && s->format->bare[c / 8] >> c % 8 & 1 &&
                !s->broken && sluice__more_calls(s) &&
                !(m == YES && roles_of(s, &set->items[item], at, false)) &&
                sluice__line_start(s, at)) {
                pass(s, at);
                open_block(s, at, SIZE_MAX);
                jumped = true;
                break;
            }
            const sluice__marker *l = m == YES ? &set->items[item] : NULL;
            unsigned part = l && !l->quiet && !is_idle(s, l) ? roles_of(s, l, at, false) : 0;
            if (part & SLUICE__BLOCK && l->role & SLUICE__ALONE) {
                m = alone(s, l, at, rest, &run);
                if (m == CUT)
                    break;
                if (m == NO) {
                    p += run - 1;
                    continue;
                }
            }
            if (*p == '`' && !part) {
                run = 0;
                while (run < s->set.limit_header && p + run < v.end && p[run] == '`')
                    run++;
                if (p + run == v.end && run < s->set.limit_header && !s->finished) {
                    m = CUT;
                    break;
                }
                pass(s, at);
                note_ticks(s, at, run);
                s->at = at + run;
                jumped = true;
                break;
            }
            if (part & (SLUICE__BLOCK | SLUICE__REASON | SLUICE__REASON_END) && !s->reasoning) {
                match code = in_code(s, (view){p + l->len, v.end});
                if (code == CUT) {
                    m = CUT;
                    break;
                }
                if (code == YES && part & SLUICE__BLOCK && l->role & SLUICE__TOLD) {
                    pass(s, at);
                    v = see(s);
                    p = v.p;
                    sluice__report_at(s, at, "not_a_call", in_inline, sizeof in_inline - 1);
                }
                if (code == YES)
                    part &= SLUICE__TURN_END | SLUICE__NOISE;
            }
            len = l ? l->len : 0;
            if (part & SLUICE__NOISE) {
                m = noise_end(s, l, rest, &len);
                if (m == CUT)
                    break;
                part &= m == NO ? ~(unsigned)SLUICE__NOISE : ~0u;
            }
            if (part) {
                if (!s->reasoning)
                    pass(s, at);
                at_literal(s, at, item, part, len);
                jumped = true;
                break;
            }
            m = NO;
            if (!l || s->reasoning)
                continue;
            if (s->calls >= s->set.max_calls && !s->limit_told && !s->ticks &&
                l->role & SLUICE__TOLD && l->role & SLUICE__BLOCK && !s->broken &&
                sluice__is_place(s, at, l->role)) {
                s->limit_told = true;
                pass(s, at);
                v = see(s);
                p = v.p;
                sluice__report_at(s, at, "call_limit", no_more, sizeof no_more - 1);
            }
            s->reasoned |=
                (l->role & SLUICE__REASON) != 0; /* an opener that is text: so is its closer */
        }
        if (jumped)
            continue;
        s->at = s->pos + (uint64_t)(p - v.p);
        if (s->finished)
            return end_of_text(s);
        view text = {v.p, p};
        if (s->reasoning)
            text.end -= sluice__tail_of(text, s->format->pairs[s->pair].trail);
        bool all = text.end == v.end;
        if (all)
            text.end = text.p + utf8_whole(text.p, view_len(text));
        pass(s, s->pos + view_len(text));
        if (all)
            return pass_on(s, s->reasoning ? SLUICE_REASONING : SLUICE_TEXT, wakes_of(s), set);
        return m == CUT ? sluice__wait_literal(s, set, see_from(s, s->at)) : wait_for(s, NULL);
    }
}
