/* The machine: runs a block's program, instruction by instruction. */
#include "stream.h"

static const struct {
    instruction *run;
    const char *name;
} rows[] = {
#define X(name) {sluice__op_##name, #name},
#define ROW(name, op) {sluice__op_##op, #name},
    SLUICE__INSTRUCTIONS(X)
#undef X
#undef ROW
};

const char *sluice__instruction_name(unsigned row) { return rows[row].name; }

/* Goes back to the last mark. False: there is none. */
static bool back(sluice_stream *s) {
    struct call *c = s->call;
    for (; c->marks; c->marks--) {
        mark *k = &c->mark[c->marks - 1];
        const sluice__any *any = k->kind == MARK_CHOICE ? &s->program->anys[k->any] : NULL;
        c->phase = 0;
        if (k->kind == MARK_NONE || (any && ++k->way == any->count))
            continue;
        c->pc = any ? any->ways[k->way] : k->pc;
        if (k->kind != MARK_CALL) {
            s->pos = k->pos;
            c->header = k->header;
        }
        c->marks -= k->kind == MARK_OPTION || k->kind == MARK_CALL; /* others are popped later */
        return true;
    }
    return false;
}

/* The first opener that is due was there, or is missing. After the announcement none is due. */
static void note_opener(struct call *c, unsigned what) {
    c->header.opener = c->began || c->header.opener ? c->header.opener : what;
}

went sluice__op_choice(sluice_stream *s, const sluice__ins *i) {
    struct call *c = s->call;
    if (i->a != SLUICE__NONE) {
        const literals *set = s->program->sets[i->a];
        match m = sluice__look(s, set, !(i->flags & SLUICE__F_EXACT)).is;
        if (m == CUT)
            return WAIT;
        if (m == NO) {
            c->header.loose |= s->finished && view_len(see(s)) > 1 && literals_begin(set, see(s));
            if (i->flags & SLUICE__F_RECOVER) {
                c->absent_at = s->pos;
                note_opener(c, LOST);
                sluice__lower(s, c->began ? SLUICE_RECOVERED : SLUICE_COMPLETE);
            }
            return jump_to(s, i->b);
        }
    }
    sluice__push(s, c->began ? MARK_NONE : MARK_OPTION, i->b);
    note_opener(c, OPENED);
    return GO;
}

went sluice__op_any(sluice_stream *s, const sluice__ins *i) {
    const sluice__any *any = &s->program->anys[i->a];
    unsigned way = 0;
    if (s->call->began) {
        seen k = sluice__look(s, any->firsts, true);
        if (k.is == CUT)
            return WAIT;
        way = k.is == YES ? any->firsts->items[k.item].role : any->other;
        if (way == SLUICE__NONE)
            return jump_to(s, i->b);
    }
    sluice__push(s, s->call->began ? MARK_NONE : MARK_CHOICE, 0)->any = i->a;
    return jump_to(s, any->ways[way]);
}

went sluice__op_commit(sluice_stream *s, const sluice__ins *i) {
    if (i->row != SLUICE__I_jump)
        sluice__pop(s);
    return i->a == SLUICE__NONE ? GO : jump_to(s, i->a);
}

static went exact_literal(sluice_stream *s, const sluice__ins *i) {
    bool whole_line = i->flags & SLUICE__F_WHOLE_LINE;
    uint64_t at = s->pos;
    if (!whole_line) {
        seen k = sluice__look(s, s->program->sets[i->a], false);
        if (k.is != YES)
            return k.is == CUT ? WAIT : FAIL;
        at += s->program->sets[i->a]->items[k.item].len;
    }
    if (i->flags & SLUICE__F_LINE) {
        view w = see_from(s, at);
        while (w.p < w.end && (is_blank(*w.p) || *w.p == '\r'))
            w.p++;
        if (w.p == w.end && !s->finished)
            return wait_for(s, NULL);
        if (w.p < w.end ? *w.p != '\n' : whole_line && !s->call->began)
            return FAIL;
        at = place_of(s, w.p) + (w.p < w.end);
    }
    s->pos = at;
    return GO;
}

/* A literal is missing from an open call: is it known what stands in its place? YES: the end of the
 * text, perhaps inside of the literal (*end), or another literal of the format. NO: it may belong
 * to the call. What follows a value was asked when its end was looked for. `before`: the row. */
static match is_known(sluice_stream *s, const literals *set, unsigned before, bool *end) {
    const literals *own = s->program->literals.set;
    bool json = before == SLUICE__I_object || before == SLUICE__I_arguments; /* has its own end */
    int c;
    uint64_t at;
    size_t item;
    if (!peek_byte(s, &c, &at))
        return CUT;
    view v = see_from(s, at);
    *end = c < 0 || (s->finished && literals_begin(set, v));
    if (*end || !is_open(s) || before == SLUICE__I_value || (json && !strchr("{[,\"", c)))
        return YES;
    match m = find_literal(s, format_of(s)->text, v, &item);
    if (m == NO && own && (m = find_literal(s, own, v, &item)) == YES)
        m = own->items[item].role & SLUICE__D_CLOSER ? YES : NO;
    return m;
}

/* It is missing: a repair, unless a value may have swallowed it, or ends elsewhere. */
static went missing(sluice_stream *s, const sluice__ins *i) {
    enum { LEAST_TAG = 4 };
    const literals *set = s->program->sets[i->a];
    unsigned before = i[-1].row;
    bool value = before == SLUICE__I_value;
    const char *trail = value ? s->program->values[i[-1].a].trail : NULL, *stop;
    view made = out_view(&s->call->arguments), rest = see(s);
    bool empty = has_end(made, view_text(":\"\"")), line = trail && *trail == '\n',
         odd_end = has_end(made, view_text("\\n\"")) || has_end(made, view_text(">\"")),
         held = view_len(made) < 4, /* the value is, or it was not read */
        ends_line = line && !held && !odd_end && sluice__line_indent(s, s->pos),
         unclear = empty || (value && !ends_line), end = false;
    size_t item;
    match known = is_known(s, set, before, &end);
    if (known == CUT)
        return wait_for(s, NULL);
    bool odd = s->call->status == SLUICE_INCOMPLETE && s->call->any != ALL;
    lose_calls(s, !end && (unclear || odd));
    if (end && past_space(rest) < rest.end)
        s->pos += view_len(rest);
    sluice__lower(s, SLUICE_RECOVERED);
    if (s->call->status == SLUICE_INCOMPLETE)
        return GO;
    if (known == NO || (!end && (unclear || i[1].row == SLUICE__I_value)))
        sluice__spoil(s, "bad_arguments", "missing tag: what follows may belong to the call");
    else if (s->call->kept && sluice__literals_find(set, made, true, &stop, &item) == YES &&
             set->items[item].len >= LEAST_TAG)
        sluice__spoil(s, "bad_arguments", "the missing closing tag occurs in a value");
    return GO;
}

went sluice__op_literal(sluice_stream *s, const sluice__ins *i) {
    bool maybe = i->row == SLUICE__I_maybe, skips = !(i->flags & SLUICE__F_EXACT),
         repairs = !maybe || i->flags & SLUICE__F_RECOVER;
    if (!maybe && !skips && !(i->flags & SLUICE__F_SOFT))
        return exact_literal(s, i);
    match m = sluice__take(s, s->program->sets[i->a], skips);
    if (m == CUT)
        return WAIT;
    if (!maybe) {
        s->call->missed = m == NO;
    } else if (m == YES) {
        note_opener(s->call, OPENED);
    } else if (repairs) {
        s->call->absent_at = s->pos;
        note_opener(s->call, LOST);
    }
    if (m == NO && repairs && s->call->began)
        return missing(s, i);
    return maybe || m == YES ? GO : FAIL;
}

/* Notes what was expected where no call was found, unless another instruction got as far. */
static void note_failure(sluice_stream *s, const sluice__ins *i) {
    bool sign = s->many && (sluice__is_quiet(s) || (s->call->bare && !s->has_tools)); /* or JSON */
    view v = see_from(s, s->block > s->base ? s->block : s->base), word = {v.p, v.p};
    while (word.end < v.end && (is_name_byte(*word.end) || *word.end == '-' || *word.end == '.'))
        word.end++;
    sign |= s->call->bare && word.end > v.p && !tool_named(s, word);
    while (v.p < v.end && *v.p == '`')
        v.p++;
    sign |= s->fence && past_space(v) == v.end; /* which closes that */
    s->call->unfinished |= s->finished && !sign &&
                           i->row != SLUICE__I_hand && /* a function knows that it is none */
                           (!s->call->refused || s->call->cut_told);
    if ((s->call->why && s->pos <= s->call->why_at) || i->row == SLUICE__I_declared)
        return;
    s->call->why_at = s->pos;
    const char *why = i->row == SLUICE__I_call_bad || i->row == SLUICE__I_between_end ? "a call"
                      : i->row == SLUICE__I_literal ? s->program->sets[i->a]->items[0].text
                                                    : rows[i->row].name;
    while (is_space(*why))
        why++;
    s->call->why = *why ? why : "white space";
}

/* No reading succeeded: reports why, if that is known. */
static void tell_why(sluice_stream *s) {
    out *wrong = &s->call->first_wrong; /* ends with a NUL */
    const char *code = s->call->first_code;
    bool told = !s->call->silent && !s->call->unfinished;
    if (!code && told && s->reasoning)
        s->thought = s->block + 1;
    if (!code && (!told || s->reasoning)) /* an unfinished one is told when the block is text */
        return;
    if (!wrong->b.len && s->call->why) {
        put_text(wrong, "expected ");
        put(wrong, s->call->why, strlen(s->call->why) + 1);
    }
    if (wrong->b.len)
        sluice__report_view(s, s->pos, code ? code : "not_a_call",
                            view_of(wrong->b.data, wrong->b.len - 1));
    s->call->unfinished = false;
}

/* The current block is not one, or an announced call of it could not go on. */
static went refused(sluice_stream *s) {
    if (s->call->began) { /* outside of a list of calls */
        sluice__lower(s, SLUICE_INCOMPLETE);
        sluice__finish_call(s);
    }
    if (s->call->refused && !s->call->wrong.b.len)
        sluice__wrong(s, NULL, "the call is incomplete");
    if (s->call->committed) {
        s->pos = s->pos > s->call->spoken ? s->pos : s->call->spoken;
        if (s->call->refused)
            sluice__report(s, "invalid_call", s->call->wrong.b.data);
        return OVER;
    }
    if (s->call->wrong.b.len && !s->call->first_wrong.b.len && !sluice__is_quiet(s)) {
        put(&s->call->first_wrong, s->call->wrong.b.data, s->call->wrong.b.len);
        s->call->first_code = s->call->code;
        s->call->wrong.b.len = 0;
    }
    s->pos = s->block;
    s->call->pc = SLUICE__NONE;
    return JUMPED;
}

static void begin_block(sluice_stream *s, uint16_t address) {
    ZERO_FROM(s->call, pc);
    s->call->pc = address;
    s->call->header.pattern = SLUICE__NO_NAME;
    s->call->markerless = s->call->bare;
    if (s->call->lost_to < UINT64_MAX) /* what a reading has lost may be text */
        s->call->lost_to = s->call->lost_before;
    s->call->no_closer = s->call->start = s->pos;
    s->call->said.b.len = 0;
    sluice__new_call(s);
}

/* The literal of this format that opens a block here; those that contain tools' names, too. */
static match own_opener(sluice_stream *s, const sluice__format *f, size_t *item) {
    const literals *set = s->reasoning ? f->reasoning : f->text;
    match m = find_literal(s, set, see(s), item);
    unsigned role = m == YES ? set->items[*item].role : 0;
    s->call->bare = role & SLUICE__AT_START && *set->items[*item].text == '`';
    return m != YES || (role & SLUICE__BLOCK && sluice__is_place(s, s->pos, role)) ? m : NO;
}

/* May the next candidate of several formats begin here? */
static match may_begin(sluice_stream *s, const sluice__candidate *c) {
    view v = see(s);
    if ((c->weak && !s->has_tools) || (c->bare && !sluice__is_place(s, s->pos, SLUICE__AT_START)))
        return NO;
    if (c->json)
        return v.p < v.end && (*v.p == '{' || *v.p == '[') ? YES : NO;
    if (c->named) {
        sluice__given given = {0};
        s->scripts->given(s, 0, &given);
        return sluice__look(s, given.names, true).is;
    }
    return c->word ? sluice__look(s, c->word, true).is : YES;
}

/* Goes to the next reading of this position. FAIL: there is none. */
static went next_block(sluice_stream *s) {
    for (;;) {
        if (s->call->blocks && *s->call->blocks != SLUICE__NONE) {
            begin_block(s, *s->call->blocks++);
            return JUMPED;
        }
        if (!s->call->candidates || s->call->candidates->program == SLUICE__NONE)
            return FAIL;
        const sluice__candidate *c = s->call->candidates;
        const sluice__program *p = NULL;
        size_t item = SLUICE__NONE;
        match m = may_begin(s, c);
        if (m == YES && !(p = s->scripts->program(s, c->program)))
            return BROKEN;
        s->call->bare = c->bare;
        m = m == YES && !c->bare ? own_opener(s, p->format, &item) : m;
        if (m == CUT)
            return wait_for(s, NULL);
        s->call->candidates++;
        if (m == NO)
            continue;
        sluice__settings settings;
        sluice__settings_from(p->format, s->options, &settings);
        if (s->reasoning && settings.calls_in_reasoning == SLUICE__KEEP)
            continue;
        s->program = p;
        s->set = settings;
        size_t row = c->bare ? p->format->text->count + p->format->reasoning->count
                             : item + (s->reasoning ? p->format->text->count : 0);
        s->call->blocks = p->starts[row];
    }
}

went sluice__op_declared(sluice_stream *s, const sluice__ins *i) {
    if (i->row == SLUICE__I_named) { /* which the response does not say */
        sluice__set_reg(s, &s->call->name, view_text(s->program->texts[i->a]), 0, 0);
        return GO;
    }
    const literals *set = s->program->sets[i->a];
    seen k = sluice__look(s, set, true);
    if (k.is != YES)
        return k.is == CUT ? WAIT : FAIL;
    uint64_t end = k.at + set->items[k.item].len;
    view v = see_from(s, end);
    if (v.p == v.end && !s->finished)
        return wait_for(s, NULL);
    if (i->b == SLUICE__NONE || (v.p < v.end && (is_name_byte(*v.p) || *v.p == '-')))
        return FAIL;
    const char *text = s->program->texts[i->b + k.item];
    sluice__set_reg(s, &s->call->name, view_text(text), end - strlen(text), end);
    s->pos = end;
    return GO;
}

went sluice__op_close(sluice_stream *s, const sluice__ins *i) {
    if (i->flags & SLUICE__F_MANY || (s->call->spoke && !s->call->began))
        return OVER;
    went w = sluice__announce(s);
    if (w != GO)
        return w;
    if (sluice__tell_sentence(s) == CUT)
        return wait_for(s, NULL);
    sluice__finish_call(s);
    return s->call->refused ? FAIL : OVER;
}

/* A block that a function of the script reads. Its calls are announced and end as all are. */
went sluice__op_hand(sluice_stream *s, const sluice__ins *i) {
    enum { BEGINS, READS, NAMED };
    (void)i;
    for (;;) {
        if (s->call->phase == NAMED) {
            went w = sluice__announce(s);
            view name = out_view(&s->call->name);
            if (w == FAIL && memchr(name.p, 0, view_len(name)))
                sluice__wrong(s, "invalid_name", "a name may not contain a NUL");
            if (w != GO)
                return w;
        }
        sluice__hand hand = s->scripts->hand(s, s->call->phase != BEGINS);
        s->call->phase = hand == SLUICE__HAND_NAMES ? NAMED : READS;
        if (hand == SLUICE__HAND_WAITS)
            return wait_for(s, NULL);
        if (hand == SLUICE__HAND_CLOSES)
            return s->call->began ? GO : OVER;
        s->call->unfinished &= hand != SLUICE__HAND_REJECTS; /* it knows that it is none */
        if (hand != SLUICE__HAND_NAMES && hand != SLUICE__HAND_ENDS)
            return hand == SLUICE__HAND_REJECTS ? FAIL : BROKEN;
        if (!s->call->began)
            continue;
        sluice__finish_call(s);
        if (s->call->refused)
            return FAIL;
        sluice__new_call(s);
    }
}

static went run(sluice_stream *s) {
    struct call *c = s->call;
    enum { MOST = 100000, FOR_A_BYTE = 16 }; /* steps of this reading: else it gets no further */
    const bool watched = s->scripts->watch;
    for (;;) {
        if (s->heap.failed || s->broken)
            return BROKEN;
        if (is_full(s))
            return PAUSE;
        went w;
        if (c->pc == SLUICE__NONE) { /* no block is open */
            w = next_block(s);
            if (w == FAIL) {
                tell_why(s);
                return FAIL;
            }
        } else {
            const sluice__ins *i = &s->program->code[c->pc];
            if (watched)
                s->scripts->watch(s, c->pc, "before", NULL);
            size_t pc = c->pc;
            w = rows[i->row].run(s, i);
            if (w == FAIL && !c->began)
                note_failure(s, i);
            if (watched) {
                static const char *const verdicts[] = {"next",   "waits",  "fails", "next",
                                                       "closes", "raises", "waits"};
                s->scripts->watch(s, pc, "after", verdicts[w]);
            }
        }
        if (w == FAIL)
            w = back(s) ? JUMPED : refused(s);
        if (w == GO)
            jump_to(s, (uint16_t)(c->pc + 1));
        else if (w != JUMPED)
            return w;
        else if (c->steps++ > MOST + FOR_A_BYTE * sluice__minus(s->pos, s->block))
            sluice__fail(s, "the syntax loops without consuming input");
    }
}

/* Runs what stands at pos. The end of the text matters only to what waits for more. */
static went step(sluice_stream *s, went (*what)(sluice_stream *)) {
    went w = what(s);
    if (w == WAIT && s->todo == TODO_END && s->horizon >= s->base + s->len) {
        s->passes = 0;
        s->finished = true;
        w = what(s);
    }
    s->finished &= w == PAUSE;
    return w;
}

/* It would have to look farther than it may. */
static void give_up(sluice_stream *s) {
    struct call *c = s->call;
    lose_calls(s, true); /* one may go on */
    s->horizon = UINT64_MAX;
    if (c->committed && s->stage == SIZE_MAX) { /* an announced one ends here */
        s->pos = sluice__window_needed(s);
        sluice__spoil(s, "limit_exceeded", "limit_held exceeded");
        sluice__finish_call(s);
        sluice__block_close(s);
        return;
    }
    if (s->stage != SIZE_MAX)
        sluice__unstage(s);
    if (c->committed) { /* earlier calls stay: only this one becomes text */
        s->block = c->start > s->told ? c->start : s->told; /* it may have spoken */
        sluice__tell_markup(s, s->block);
    }
    s->pos = s->block;
    sluice__report(s, "limit_exceeded", "limit_held exceeded");
    sluice__block_is_text(s);
}

/* Reads on, up to where it waits. */
void sluice__work(sluice_stream *s) {
    went w;
    s->passes = 0;
    s->wakes = NULL;
    s->cut_at = 0;
    for (;;) {
        if (!s->in_block) {
            w = step(s, sluice__read_text);
            if (w != GO)
                break;
        }
        if (s->heap.failed)
            return;
        w = step(s, run);
        bool waits = w == WAIT && s->horizon >= s->base + s->len;
        if (waits || w == PAUSE || s->heap.failed)
            break;
        if (w == WAIT) {
            give_up(s);
            continue;
        }
        bool is_text = !s->call->committed && (w != OVER || (s->pos <= s->block && !is_open(s)));
        if (w == BROKEN && is_open(s)) {
            sluice__lower(s, SLUICE_INCOMPLETE);
            sluice__call_end(s);
            is_text = s->call->refused;
            if (is_text)
                sluice__report(s, "script_error", "the script raised an error in this call");
        }
        (is_text ? sluice__block_is_text : sluice__block_close)(s);
    }
    enum { LONG = 64 };
    s->passes_to = s->pos;
    s->todo = w == PAUSE ? s->todo : w == OVER && !s->heap.failed ? TODO_OVER : TODO_LOOK;
    uint64_t needed = sluice__window_needed(s);
    if (s->stage == SIZE_MAX && needed > s->told) /* before the bytes are let go */
        sluice__tell_markup(s, needed);
    sluice__window_drop(s, needed);
    static const literals none;
    view v = see(s); /* more of a long run of white space changes nothing */
    if (view_len(v) > LONG && s->in_block &&
        (!is_open(s) || s->call->json_at == ARGUMENTS_BEHIND)) /* it tells none of it */
        v.p = v.end - LONG;
    if (s->len > LONG && !s->wakes && !s->cut_at && v.p < v.end && past_space(v) == v.end)
        wait_literal(s, &none, v.end);
    if (s->todo == TODO_OVER)
        sluice__tell_end(s);
    s->todo = s->heap.failed ? TODO_WORK : s->todo; /* else that it failed is not told */
}
