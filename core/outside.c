/* What is left over between and behind calls: closers that nothing opened, markup in the text, the
 * remains of a call. Text and markup are looked through as they are told; what was found is told
 * before the next event that is neither, so in every chunking at the same place. */
#include "stream.h"

enum { QUOTED = 1 << 15 }; /* of an entry of the stack: a quote is open, so no closer is its own */
enum { LEAST_LEAK = 5, NO_ARGUMENTS_YET = 4 /* {} is shorter */ };
enum { SAME_LINE = 1, NEXT_LINE, BEHIND_BRACE, IN_QUOTES, BEHIND_QUOTES }; /* .near */
enum { BRACKET = 1, COMMA };                                               /* .comma */

static void note(uint64_t *place, uint64_t at) { /* the first one */
    if (!*place || at < *place)
        *place = at + 1;
}

/* Takes a literal that counts. */
static void take_literal(sluice_stream *s, const sluice__literal *m, uint64_t at) {
    outside *o = &s->outside;
    unsigned pair = m->role / SLUICE__D_PAIR;
    bool behind = !is_open(s) && s->calls && o->told != LIMIT_TOLD, hidden = o->text && o->code_at;
    bool opens = o->text && o->near && o->blank && /* a parameter of the call */
                 (m->role & (SLUICE__D_INNER | SLUICE__D_CLOSER)) == SLUICE__D_INNER;
    o->comma = 0;
    if (o->text && m->len >= LEAST_LEAK)
        note(&o->leaked, at);
    if (!o->text && m->role & SLUICE__D_CALLS)
        note(&o->hollow, at);
    bool inside = o->depth && o->stack[o->depth - 1] & 1; /* of what became no call */
    if (inside && m->role & SLUICE__D_QUOTE)
        o->stack[o->depth - 1] ^= QUOTED;
    if (behind && (opens || (m->role & SLUICE__D_QUOTE && !inside)))
        note(&o->orphan, at);
    if (m->role & (SLUICE__D_SINGLE | SLUICE__D_QUOTE))
        return;
    if (!(m->role & SLUICE__D_CLOSER)) {
        o->opened |= (uint64_t)!hidden << pair % 64;
        if (o->depth < sizeof o->stack / sizeof *o->stack)
            o->stack[o->depth++] = (uint16_t)(2 * pair + o->text);
        return;
    }
    for (uint8_t i = o->depth; i-- > 0;)
        if (o->stack[i] / 2 == pair) {
            if (o->text && behind && !(o->stack[i] & 1)) /* that of a call, behind some text */
                note(&o->orphan, at);
            o->depth = i;
            return;
        }
    if (!behind)
        return;
    if (o->due && !(m->role & SLUICE__D_INNER) &&
        !((o->literals->raw || o->text) && o->opened >> pair % 64 & 1))
        o->due = hidden; /* the opener of the section was lost */
    else
        note(&o->orphan, at);
}

/* Does the byte go on with the arguments of the call: `{"`, `":`, `"}`, or a word and `=`? */
static bool goes_on(const outside *o, char last, char c) {
    return (o->near == BEHIND_BRACE && o->blank && (is_quote(c) || c == '}')) ||
           (is_quote(last) && (c == ':' || (o->blank && (c == '}' || c == ']' || c == ')')))) ||
           (o->comma && is_name_byte(last) && c == '=');
}

/* Notes a byte that stands near the call, behind `last`. */
static void step(sluice_stream *s, char last, char c) {
    outside *o = &s->outside;
    bool space = is_space(c), sign = c && strchr("])},", c);
    if (c == '{') { /* behind a comma it is another call */
        bool empty = s->call->arguments.b.len < NO_ARGUMENTS_YET;
        o->near = empty && o->comma != COMMA ? BEHIND_BRACE : 0;
    } else if (o->near == NEXT_LINE && !space && !sign) {
        o->near = is_quote(c) ? IN_QUOTES : o->comma;
    } else if (o->near >= IN_QUOTES) { /* up to the byte behind them */
        o->near = c == '\n' || o->near == BEHIND_QUOTES ? 0 : o->near + is_quote(c);
    } else if (c == '\n') {
        o->comma &= COMMA;
        if (o->comma || !o->blank || o->near != BEHIND_BRACE)
            o->near = o->comma ? SAME_LINE : o->blank ? NEXT_LINE : 0;
    }
    if (sign && o->blank)
        o->comma = c == ',' ? COMMA : BRACKET;
    else if (!is_name_byte(c) && (!space || is_name_byte(last)))
        o->comma = 0;
    o->blank = c == '{' ? o->near : o->blank && (o->torn || space || sign || is_quote(c));
}

/* Bytes that belong to no literal. */
static void take_plain(sluice_stream *s, view v, uint64_t at) {
    outside *o = &s->outside;
    const char *p = past_space(v);
    if (p < v.end && !o->text && !(o->literals && o->literals->set)) {
        o->some |= *p == '{'; /* an object may say that it has no calls */
        note(&o->hollow, at + (uint64_t)(p - v.p));
    }
    char last = byte_before(s, at);
    for (; o->near && v.p < v.end; last = *v.p++, at++) {
        if (o->text && goes_on(o, last, *v.p))
            note(&o->orphan, at);
        if (o->text || is_space(*v.p) || strchr("{[]}),", *v.p)) /* else it is a closing word */
            step(s, last, *v.p);
    }
}

/* Looks through the run, but for the beginning of a literal; `end`: the run is over. */
static void look(sluice_stream *s, bool end) {
    outside *o = &s->outside;
    const literals *set = o->literals ? o->literals->set : NULL;
    bool tags = o->text && s->calls && o->literals && o->literals->tagged,
         between = o->near || (!set && !o->text); /* what belongs to no literal counts */
    bool cut = s->todo >= TODO_END && o->end == s->base + s->len; /* what may go on there is none */
    view v = text_at(s, o->at, o->end);
    const char *plain = v.p, *first = v.p;
    for (size_t n = 1, item; v.p < v.end; v.p += n, n = 1) {
        bool tag = tags && *v.p == '<';
        if (!tag && !(set && set->first[(unsigned char)*v.p]))
            continue;
        uint64_t at = o->at + (uint64_t)(v.p - first);
        match m = set ? literals_at(set, v, end && !cut, &item) : NO;
        if (m == NO && tag) { /* one that closes the last call by its name? */
            view closer = out_view(&s->call->last_closer);
            if (has_start(v, closer))
                note(&o->orphan, at);
            m = !end && view_len(v) < view_len(closer) && has_start(closer, v) ? CUT : NO;
        }
        if (m == NO)
            continue;
        const sluice__literal *l = m == YES ? &set->items[item] : NULL;
        const char *behind = l ? v.p + l->len : v.end;
        if (!l || (l->role & SLUICE__D_ALONE && behind == v.end && !end))
            break;
        if (l->role & SLUICE__D_LINE && !sluice__line_indent(s, at))
            continue;
        if (o->text && l->role & SLUICE__D_ALONE) { /* with more on its line, it opens */
            bool opens = behind < v.end && *behind != '\n';
            if (!opens && !o->opens && s->calls)
                note(&o->orphan, at);
            o->opens = opens;
        }
        if (between)
            take_plain(s, (view){plain, v.p}, at - (uint64_t)(v.p - plain));
        take_literal(s, l, at);
        n = l->len;
        plain = behind;
    }
    if (between)
        take_plain(s, (view){plain, v.p}, o->at + (uint64_t)(plain - first));
    o->at += (uint64_t)(v.p - first);
}

/* May text that is told hold what damage has left of a call? */
bool sluice__outside_keeps(const sluice_stream *s) {
    const sluice__format_literals *l = s->outside.literals;
    bool code = s->ticks || (s->fence && !(l && (l->fenced || l->in_fences)));
    return s->has_tools && !code && !is_open(s) && sluice__more_calls(s);
}

void sluice__outside_keep(sluice_stream *s, bool text, view v, uint64_t at) {
    enum { MOST = 1 << 16 };
    out *kept = &s->kept_text;
    if (!kept->b.len)
        s->outside.kept_from = at;
    size_t room = MOST - kept->b.len;
    put(kept, v.p, view_len(v) < room ? view_len(v) : room);
    s->outside.kept = text ? kept->b.len : s->outside.kept;
}

/* Does a sign stand beside the word, as beside a tool's name, or (`key`) behind a parameter's? */
static bool is_signed(view all, view word, bool key) {
    const char *before = word.p, *p = word.end;
    while (before > all.p && is_blank(before[-1]))
        before--;
    char last = before > all.p ? before[-1] : '\n', next = p < all.end ? *p : '\n';
    const char *opens = strchr("\"'({[<=:|/>^@", last);
    bool quoted = is_quote(next), line_ends = next == '\n' || next == '\r';
    if (line_ends)
        return key ? last == ':' : last == '\n' || opens;
    for (p += key && quoted; p < all.end && is_blank(*p);)
        p++;
    char behind = p < all.end ? *p : '\n';
    if (!key)
        return opens || strchr("\"'({[<>:|", next) || behind == '{';
    return strchr(":=<>", behind) || (quoted && before - all.p > 1 && before[-2] == '=');
}

/* The word of the set that begins at v.p, in `all`, if a sign stands there; else NULL. */
static const sluice__literal *word_at(const literals *set, view all, view v, bool key) {
    size_t item;
    if (literals_at(set, v, true, &item) != YES)
        return NULL;
    const sluice__literal *word = &set->items[item];
    bool whole = view_len(v) == word->len || !is_word_byte(v.p[word->len]);
    return whole && is_signed(all, view_of(v.p, word->len), key) ? word : NULL;
}

/* Is the word a string behind "name": or the like? */
static bool is_named(view all, view word) {
    enum { N = sizeof "name" }; /* with a quote */
    const char *p = word.p;
    if (p == all.p || word.end == all.end || *--p != '"' || *word.end != '"')
        return false;
    while (p > all.p && (is_blank(p[-1]) || p[-1] == ':'))
        p--;
    return p - all.p > N && memcmp(p - N, "name\"", N) == 0 && strchr("\"_", p[-N - 1]);
}

/* The first bracket that closes nothing; or NULL. */
static const char *lone_closer(view v, char opens, char closes) {
    size_t depth = 0;
    for (; v.p < v.end && (*v.p != closes || depth); v.p++)
        depth += *v.p == opens ? 1 : *v.p == closes ? (size_t)-1 : 0;
    return v.p < v.end ? v.p : NULL;
}

/* The parameters that a given tool declares; NULL: it has none, or they are not known. */
static const literals *keys_of(sluice_stream *s, const sluice__literal *name) {
    sluice__given tool = {NULL, NULL};
    bool known = s->scripts->given(s, tool_named(s, literal_text(name)), &tool) >= 0;
    return known && tool.keys && *tool.keys->items[0].text ? tool.keys : NULL;
}

/* Is a member in v that a given tool declares: "key":, or in `python` key= behind a blank? */
static bool holds_member(sluice_stream *s, const literals *names, view v, bool python) {
    const sluice__literal *key;
    for (size_t i = 0; i < names->count; i++) {
        const literals *keys = keys_of(s, &names->items[i]);
        for (view w = v; keys && (w.p = memchr(w.p, python ? ' ' : '"', view_len(w)));)
            if ((key = word_at(keys, v, (view){++w.p, v.end}, true)) &&
                (!python || w.p[key->len] == '='))
                return true;
    }
    return false;
}

/* Notes what damage has left of a call: a given tool's name, in a closing tag or behind its key, or
 * with one of its parameters behind it; or the end of its arguments. */
static void find_remains(sluice_stream *s) {
    view all = view_of(out_text(&s->kept_text), s->outside.kept), v = all; /* no markup behind it */
    sluice__given given = {NULL, NULL};
    enum { APART = 128 };
    const char *name = NULL, *at = NULL;
    const sluice__literal *word;
    bool tagged = s->outside.literals && s->outside.literals->tagged;
    s->kept_text.b.len = s->outside.kept = 0; /* an error of a script comes here again */
    if (v.p < v.end && s->scripts->given(s, 0, &given) < 0)
        return;
    const literals *names = given.names, *keys = names, *of_tool;
    for (; names && v.p < v.end && !at; v.p++) {
        unsigned char c = (unsigned char)*v.p;
        if ((!names->first[c] && !keys->first[c]) || (v.p > all.p && is_word_byte(v.p[-1])))
            continue;
        word = word_at(names, all, v, false);
        bool closes = word && tagged && v.p > all.p + 1 && v.p[-1] == '/';
        if (closes || (word && is_named(all, view_of(v.p, word->len))))
            at = v.p;
        else if (name && v.p - name < APART && word_at(keys, all, v, true))
            at = name;
        else if (word && (of_tool = keys_of(s, word)))
            name = v.p, keys = of_tool;
    }
    for (unsigned python = 0; names && !at && python < 2; python++) {
        bool some = memchr(all.p, python ? '=' : '"', view_len(all));
        const char *end = some ? lone_closer(all, "{("[python], "})"[python]) : NULL;
        at = end && holds_member(s, names, (view){all.p, end}, python) ? end : NULL;
    }
    if (at)
        note(&s->outside.leaked, s->outside.kept_from + (uint64_t)(at - all.p));
}

static void end_run(sluice_stream *s) {
    if (s->outside.at < s->outside.end)
        look(s, true);
    s->outside.at = s->outside.end = 0;
}

void sluice__outside_look(sluice_stream *s) {
    end_run(s);
    find_remains(s);
}

void sluice__outside_run(sluice_stream *s, bool text, uint64_t from, uint64_t to) {
    outside *o = &s->outside;
    if (s->stage != SIZE_MAX) /* until its call is one */
        return;
    if (text != o->text || from != o->end) {
        end_run(s);
        o->text = text;
        o->at = from;
    }
    o->end = to;
    o->some |= text;
    if (sluice__outside_keeps(s))
        sluice__outside_keep(s, text, text_at(s, from, to), from);
    look(s, false);
}

void sluice__outside_staged(sluice_stream *s) {
    uint64_t at = s->call->stage_told;
    size_t k = s->stage;
    s->stage = SIZE_MAX;
    sluice__outside_call(s, true);
    for (; k < s->queue.len; k += sizeof(queued)) {
        const queued *q = queued_at(s, k);
        if (q->type == SLUICE_MARKUP || q->type == SLUICE_ERROR)
            continue;
        sluice__outside_run(s, false, at, q->start);
        if (q->type == SLUICE_TEXT)
            sluice__outside_run(s, true, q->start, q->end);
        at = q->end;
    }
    sluice__outside_run(s, false, at, s->told);
}

/* Code began or ended in the text; `closed`: it does not count. `bare`: by a fence alone. */
void sluice__outside_code(sluice_stream *s, bool closed, bool bare) {
    outside *o = &s->outside;
    bool open = s->ticks || s->fence;
    end_run(s);
    if (!open && o->code_at) {
        o->orphan = closed && o->orphan > o->code_at ? 0 : o->orphan;
        o->leaked = closed && o->leaked >= o->code_at ? 0 : o->leaked; /* its fence, too */
    }
    if (o->fenced_call && s->fence && bare) /* that of the call's value came too early */
        note(&o->orphan, s->told);
    o->fenced_call &= !s->fence && !bare;
    o->code_at = !open ? 0 : o->code_at ? o->code_at : s->told + 1;
}

void sluice__outside_knows(sluice_stream *s) {
    end_run(s);
    s->outside.code_at = 0; /* what is open around the call hides nothing */
    s->outside.literals = &s->program->literals;
}

void sluice__outside_call(sluice_stream *s, bool begins) {
    outside *o = &s->outside;
    o->fenced_call = !begins && o->literals->fenced;
    o->near = o->blank = !begins;
    o->comma = !begins && byte_before(s, s->pos) == ')' ? BRACKET : 0;
    for (uint8_t i = 0; begins && i < o->depth; i++)
        o->stack[i] &= ~1; /* what was open may have held the call */
    if (begins)
        return;
    o->torn = s->call->status == SLUICE_RECOVERED;
    o->due = !o->depth;
    if (!o->literals->tagged)
        return;
    s->call->last_closer.b.len = 0;
    put_text(&s->call->last_closer, "</");
    put_view(&s->call->last_closer, out_view(&s->call->called));
    put_text(&s->call->last_closer, ">");
}
