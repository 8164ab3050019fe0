/* The call: its name, its announcement, its parameters, its status and its end. */
#include "stream.h"

/* Resolves the name against the tools: exactly, then without a namespace of the format, then
 * repaired by the script. False: it raised an error, or there is no memory. */
static bool resolve(sluice_stream *s) {
    view name = out_view(&s->call->name), mended;
    s->call->tool = tool_named(s, name);
    for (const char **p = s->program->namespaces; !s->call->tool && *p; p++) {
        size_t n = strlen(*p);
        if (view_len(name) > n && memcmp(name.p, *p, n) == 0) {
            name.p += n;
            s->call->tool = tool_named(s, name);
            break;
        }
    }
    if (!s->call->tool && s->has_tools && s->program->repairs_names) {
        int r = s->scripts->ask(s, SLUICE__Q_REPAIR_NAME, 0, name, &mended);
        if (r < 0)
            return false;
        name = r ? mended : name;
        s->call->tool = r ? tool_named(s, name) : 0;
    }
    sluice__set(s, &s->call->called.b, name);
    return !s->heap.failed;
}

went sluice__prepare(sluice_stream *s) {
    struct call *c = s->call;
    const sluice__program *p = s->program;
    if (c->header.pattern == SLUICE__NO_NAME || !c->name.b.len)
        return FAIL;
    if (!resolve(s))
        return BROKEN;
    c->code = NULL;
    c->refused = false;
    if (c->tool)
        return GO;
    view name = out_view(&c->called);
    /* of a name with a NUL hosts would get only what precedes that */
    int fits = view_len(name) <= s->set.limit_name && !memchr(name.p, 0, view_len(name));
    if (fits && c->header.pattern == SLUICE__BARE_NAME)
        fits = name.p < name.end && !has_any(name, "<>{}[]()\"'`,=|\\");
    else if (fits && c->header.pattern != SLUICE__NO_PATTERN)
        fits = s->scripts->ask(s, SLUICE__Q_FITS, c->header.pattern, name, NULL);
    if (fits < 0)
        return BROKEN;
    if (!fits) {
        c->why_at = UINT64_MAX;
        c->why = "a valid tool name";
        return FAIL;
    }
    if (!s->has_tools && (!p->known || is_one_of(p->known, name)))
        return GO;
    c->wrong.b.len = 0;
    put_text(&c->wrong, "there is no tool named ");
    put_view(&c->wrong, name);
    put(&c->wrong, "", 1);
    if (c->markerless || opener_lost(s) || p->reserved_section || sluice__is_quiet(s) ||
        (c->candidates && c->candidates[-1].word)) /* a tool that is not given makes it text */
        return FAIL;
    c->refused = s->set.unknown_as_text; /* it is read to its end, for what it may quote */
    c->code = c->refused ? NULL : "unknown_tool";
    return GO;
}

/* A block in reasoning, or in a fence, is one only if they never end. FAIL: they do. */
went sluice__held(sluice_stream *s) {
    bool first = s->many && !s->calls; /* of any format */
    const sluice__format *f = first ? s->many->format : format_of(s);
    bool own = first && !(s->options && s->options->fences); /* not as of the member */
    bool in_fence = s->fence && (s->call->code || opener_lost(s) || s->call->bare ||
                                 sluice__fences_hide(own ? &f->defaults : &s->set, f));
    bool in_reason = s->reasoning && s->set.calls_in_reasoning == SLUICE__HOLD;
    if (s->call->committed || !(in_fence || in_reason))
        return GO;
    const literals *ends[] = {in_fence ? f->fence : NULL, in_reason ? f->closers : NULL};
    s->call->silent = true; /* that is why */
    uint64_t from = s->searched > s->block ? s->searched : s->block, upto = UINT64_MAX;
    bool cut = false;
    for (int i = 0; i < 2; i++) {
        seen k = sluice__find(s, ends[i], from);
        while (i && k.is == YES && !sluice__pair_of(s, f, ends[i]->items[k.item].text, false)->open)
            k = sluice__find(s, ends[i], k.at + 1); /* it ends other reasoning */
        if (i && k.is == YES && !s->pair && ends[i]->items[k.item].role & SLUICE__TURN_END) {
            view behind = see_from(s, k.at + ends[i]->items[k.item].len);
            if (past_space(behind) == behind.end) /* or only the turn, of any format */
                k.is = s->finished ? NO : CUT;
        }
        if (k.is == YES) {
            s->searched = k.at;
            return FAIL;
        }
        upto = k.at < upto ? k.at : upto;
        cut |= k.is == CUT;
    }
    s->searched = upto;
    if (s->finished)
        return GO;
    return cut || (in_fence && in_reason) ? wait_for(s, NULL)
                                          : wait_among(s, ends[in_fence ? 0 : 1]);
}

/* Where the call begins: behind separators between calls. */
static uint64_t begins_at(const sluice_stream *s, uint64_t most) {
    uint64_t from = s->call->committed && s->call->start > s->block ? s->call->start : s->block;
    if (s->call->spoken > from) /* its object said something first */
        from = s->call->spoken;
    for (; from < most && from >= s->base; from++) {
        char c = *byte_at(s, from);
        if (!is_space(c) && (!s->call->good || (c != ',' && c != ';')))
            break;
    }
    return from;
}

static void tell_held_pairs(sluice_stream *s) {
    struct call *c = s->call;
    if (c->header.pairs)
        sluice__tell_markup(s, s->pos);
    const char *p = out_text(&c->held_pairs), *end = s->heap.failed ? p : p + c->header.pairs;
    while (p < end) {
        size_t lens[2];
        memcpy(lens, p, sizeof lens);
        p += sizeof lens;
        view key = view_of(p, lens[0]), text = view_of(key.end, lens[1]);
        p = text.end;
        sluice__types types;
        sluice__hash_add(&c->used, key);
        s->scripts->types(s, 0, key, false, NULL, &types);
        sluice__begin_parameter(s, key);
        sluice__write_typed(s, text, types.mask, false, s->pos);
    }
    c->header.pairs = 0;
}

went sluice__announce(sluice_stream *s) {
    struct call *c = s->call;
    if (c->began)
        return GO;
    if (!sluice__more_calls(s) && s->outside.told != LIMIT_TOLD) /* `s.lines` reads on */
        sluice__report(s, "call_limit", "max_calls reached; the rest is text");
    if (!sluice__more_calls(s) || sluice__is_tired(s, s->pos))
        return FAIL;
    went w = sluice__prepare(s);
    if (w == GO && opener_lost(s) && s->set.tokens && format_of(s)->special)
        return FAIL; /* where tokens are told, an opener is not lost but quoted */
    if (w != GO || (w = sluice__held(s)) != GO)
        return w;
    sluice__outside_knows(s);
    char fresh[64];
    bool staged = s->set.whole || c->refused;
    if (c->committed && (c->code || staged)) /* what was read before is told first */
        sluice__tell_markup(s, sluice__window_needed(s));
    if (staged) {
        sluice__tell_left(s);
        s->stage = s->queue.len;
        c->stage_told = s->told;
    }
    ZERO_FROM(c, status);
    c->invalid = c->code != NULL;
    if (c->code && !s->heap.failed) /* else the message may have no end */
        sluice__error(s, s->pos, s->calls, c->code, view_text(c->wrong.b.data));
    uint64_t start = c->name_start, end = c->name_end;
    c->call_start = begins_at(s, start < s->pos && start >= s->block ? start : s->pos);
    if (start >= end || end > s->pos || start < s->told)
        start = end = s->pos;             /* it is not in the text, or follows the arguments */
    c->committed |= s->stage == SIZE_MAX; /* else when it has ended */
    sluice__catch_up(s); /* with the call before: not all of it may be handed out */
    c->source.b.len = c->half.b.len = c->watched.len = 0;
    sluice__tell_markup(s, start); /* behind the arguments of the call before */
    c->arguments.b.len = 0;
    queued *q = sluice__tell(s, SLUICE_CALL_BEGIN, NULL, 0, start, end);
    q->name = sluice__keep_text(s, c->called.b.data, c->called.b.len);
    if (!c->header.has_id) { /* it may stand behind the arguments */
        s->scripts->new_id(s, fresh, sizeof fresh);
        sluice__set(s, &c->id.b, view_text(fresh));
    }
    q->id = sluice__keep_text(s, c->id.b.data, c->id.b.len);
    c->began = IS_OPEN;
    if (s->stage == SIZE_MAX)
        s->horizon = UINT64_MAX;
    c->code = s->drop = NULL;
    c->skip_at = 0;
    c->value = (raw_value){0};
    if (!c->refused)
        c->wrong.b.len = 0;
    sluice__no_way_back(s);
    c->kept = true;
    if (s->stage == SIZE_MAX)
        sluice__outside_call(s, true);
    if (opener_lost(s))
        sluice__lower(s, SLUICE_RECOVERED);
    sluice__tell_loose(s);
    tell_held_pairs(s);
    return GO;
}

static void close_arguments(sluice_stream *s) {
    if (!sluice__once(&s->call->whole))
        return;
    s->call->due.b.len = 0;
    sluice__tell_markup(s, s->pos);
    size_t from = s->made.b.len;
    put(&s->made, "\"", s->call->value.string == WRITTEN);
    s->call->value.string = UNDECIDED;
    put(&s->made, "]", in_array(s));
    s->call->repeated = NOT_REPEATED;
    put_text(&s->made, s->call->any ? "}" : "{}");
    sluice__arguments_made(s, from, s->told);
}

/* The call's members other than name, id and arguments, as JSON; 0: none. */
static uint32_t keep_extra(sluice_stream *s) {
    const sluice__program *p = s->program;
    out *o = &s->call->scratch;
    o->b.len = 0;
    for (size_t k = 0; k < p->extra_count; k++) {
        uint32_t place = s->call->extra[k];
        const char *value = place ? s->call->extras.b.data + place - 1 : p->extra[k].otherwise;
        if (!value || s->heap.failed) /* else it may have no end */
            continue;
        put_text(o, o->b.len ? "," : "{");
        put_text(o, p->extra[k].key);
        put_text(o, ":");
        put_text(o, value);
    }
    put(o, "}", o->b.len > 0);
    return o->b.len ? sluice__keep_text(s, o->b.data, o->b.len) : 0;
}

/* Does the text hold an object that has the key, or what damage left of one? */
static bool is_broken_object(view text, view key) {
    enum { NEAR = 8 }; /* a quote of whatever kind, and white space */
    view v = trimmed(text), w = v;
    size_t n = view_len(key);
    bool opens = v.p < v.end && *v.p == '{', closes = v.p + opens < v.end && v.end[-1] == '}';
    for (; view_len(w) > n; w.p++) {
        size_t rest = view_len(w) - n;
        if (memcmp(w.p, key.p, n) == 0 && (opens || is_quote(w.p[n])) &&
            memchr(w.p + n, ':', rest < NEAR ? rest : NEAR))
            return true;
    }
    v = trimmed((view){v.p + opens, v.end - closes});
    return (opens && !closes && !memchr(v.p, '}', view_len(v))) ||
           (v.p < v.end && ((opens && *v.p == '"') || (closes && v.end[-1] == '"' &&
                                                       (opens || !memchr(v.p, '{', view_len(v))))));
}

/* Tells what is in doubt about a call that was read (doubt.c), and whether it fits the schema. */
static void judge(sluice_stream *s, sluice__doc *read) {
    struct call *c = s->call;
    sluice__doc *doc = NULL;
    sluice__given given = {NULL, NULL};
    if (c->status == SLUICE_INCOMPLETE || s->heap.failed)
        return;
    if (c->tool && s->scripts->given(s, c->tool, &given) < 0) {
        c->invalid = true;
        return;
    }
    if (c->kept) {
        int how = sluice__doc_list(&s->heap.alloc, read, out_view(&c->arguments));
        s->heap.failed = how == SLUICE__DOC_NOMEM;
        doc = how == SLUICE__DOC_OK ? read : NULL;
    }
    for (size_t i = 1; doc && doc->doubled && i < doc->count; i = doc->values[i + 1].next)
        if (sluice__doc_member(doc, 0, sluice__doc_text(doc, i)) != i + 1) {
            sluice__report_key(s, "duplicate_parameter", "the parameter ", sluice__doc_text(doc, i),
                               " was given before");
            c->invalid |= s->set.validation; /* readers differ on which of them counts */
        }
    if (doc && c->raw_text && doc->count > 2) {
        view key = sluice__doc_text(doc, 1);
        if (given.keys && sluice__declares(s, key) <= 0)
            sluice__spoil(s, "bad_arguments",
                          "the arguments are text, and the tool has no parameter for it");
        else if (doc->values[2].kind == SLUICE__STRING &&
                 is_broken_object(sluice__doc_text(doc, 2), key))
            sluice__spoil(s, "bad_arguments", "the value looks like the arguments as broken JSON");
    }
    /* one of the tool's parameters, or an item of the last one */
    bool lacks = !c->any || (s->program->repeated_is_array && c->value.types.array);
    for (size_t i = 0; c->cut_off && given.keys && i < given.keys->count; i++)
        lacks |= (*given.keys->items[i].text || !*s->program->fixed_parameters) &&
                 !sluice__is_used(s, literal_text(&given.keys->items[i]));
    unsigned least = c->status == SLUICE_COMPLETE ? 2 : 1; /* the text may end without a closer */
    if (lacks && c->status != SLUICE_INCOMPLETE && c->cut_off >= least)
        sluice__spoil(s, "unfinished_call",
                      "the call is not closed where a parameter may follow: one may be missing");
    if (doc && c->status != SLUICE_INCOMPLETE && !s->set.strict)
        sluice__doubt_call(s, doc, given.keys);
    if (c->status != SLUICE_INCOMPLETE && c->start < c->lost_to) {
        c->doubtful = true;
        sluice__spoil(s, "bad_arguments", "a value may be cut, or contain the start of this call");
    }
    const char *code = "limit_exceeded";
    view breach = view_text("the arguments are too large to be checked");
    bool due = c->status != SLUICE_INCOMPLETE && !s->heap.failed;
    int wrong = due && !doc;
    if (due && doc && c->tool && s->set.validation)
        wrong = s->scripts->validate(s, doc, &breach, &code);
    c->invalid |= wrong != 0;
    if (wrong > 0) {
        sluice__tell_markup(s, s->pos); /* as in sluice__report */
        sluice__report_view(s, s->pos, code, breach);
    }
}

void sluice__finish_call(sluice_stream *s) {
    struct call *c = s->call;
    if (!is_open(s))
        return;
    sluice__flush_repeated(s);
    sluice__tell_loose(s);
    c->was_read = true;
    c->doubtful |= c->bad_comma; /* all of it was read */
    if (c->bad_comma)
        sluice__spoil(s, "bad_arguments", "a comma is missing, or one too many; check the quotes");
    for (const char **p = s->program->fixed_parameters; c->any != ALL && !c->whole && *p; p++) {
        view key = view_text(*p);
        if (!sluice__is_used(s, key)) { /* a missing one is empty */
            sluice__begin_parameter(s, key);
            sluice__write_typed(s, view_of("", 0), SLUICE__STRING, false, s->told);
        }
    }
    close_arguments(s);
    sluice__doc read = {.own = c->taken.b, .values = (void *)c->values.data}; /* lent */
    read.cap = c->values.cap / sizeof *read.values;
    judge(s, &read);
    c->taken.b = read.own;
    c->values = (sluice__buffer){(char *)read.values, 0, read.cap * sizeof *read.values};
    sluice__call_end(s);
}

void sluice__call_end(sluice_stream *s) {
    struct call *c = s->call;
    if (!is_open(s))
        return;
    close_arguments(s);
    if (c->status == SLUICE_INCOMPLETE && !c->explained) {
        c->cut_told = s->finished;
        sluice__report(s, s->finished ? "unfinished_call" : "bad_arguments",
                       s->finished ? "the text ends inside the call"
                                   : "part of the call was not read");
    }
    c->refused |= s->stage != SIZE_MAX && c->status == SLUICE_INCOMPLETE && !c->doubtful;
    if (c->refused) {
        s->again += s->pos - c->stage_told; /* it is told again */
        if (c->json_at != LEFT_OUT)
            s->at = s->pos;
        sluice__unstage(s);
        return;
    }
    if (s->stage != SIZE_MAX)
        sluice__outside_staged(s);
    c->committed = true;
    view id = out_view(&c->id);
    if (c->header.has_id && sluice__hash_add(&c->ids, id))
        sluice__report_key(s, "duplicate_id", "the id ", id, " was given before");
    sluice__tell_markup(s, s->pos);
    bool all = s->set.source && c->source.b.len == s->pos - c->call_start;
    queued *q = sluice__tell(s, SLUICE_CALL_END, NULL, 0, s->pos, s->pos);
    q->id = sluice__keep_text(s, c->id.b.data, c->id.b.len);
    q->extra = keep_extra(s);
    q->text_len = all ? c->source.b.len : 0;
    q->made = all ? sluice__keep_text(s, out_text(&c->source), q->text_len) : 0;
    q->status = c->status;
    q->valid = s->has_tools && c->status != SLUICE_INCOMPLETE && !c->invalid;
    q->block_start = c->call_start;
    c->began = NOT_BEGUN;
    sluice__outside_call(s, false);
    s->counts.doubtful += c->status == SLUICE_INCOMPLETE;
    s->counts.recovered += c->status == SLUICE_RECOVERED;
    s->counts.valid += q->valid;
    s->calls++;
    c->start = s->pos;
}

/* Tells of a call without its wrapper that text follows on its line. CUT: not known yet. */
match sluice__tell_sentence(sluice_stream *s) {
    const literals *set = s->program->literals.set;
    view v = see(s);
    size_t item;
    if (!opener_lost(s) || s->call->status == SLUICE_INCOMPLETE || sluice__line_start(s, s->pos))
        return NO;
    for (;; v.p += set->items[item].len) {
        while (v.p < v.end && is_blank(*v.p))
            v.p++;
        if (v.p == v.end)
            return s->finished ? NO : CUT;
        if (is_space(*v.p))
            return NO;
        match m = set ? find_literal(s, set, v, &item) : NO;
        if (m == YES && set->items[item].role & SLUICE__D_CLOSER)
            continue;
        if (m == NO)
            m = find_literal(s, format_of(s)->text, v, &item);
        if (m != NO)
            return m == CUT ? CUT : NO;
        sluice__spoil(s, "not_a_call", "the call has no wrapper, and text follows on its line");
        return YES;
    }
}
