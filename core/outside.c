/* What is left over between and behind calls: closers that nothing opened, markup in the text. The
 * events are watched as they go out; what was found is told before the next one that is neither
 * text nor markup, so in every chunking at the same place. */
#include "bytes.h"
#include "doubt.h"

enum { LEAST_LEAK = 5 };

void sluice__outside_restart(sluice__outside *o) {
    const sluice__literals *given = o->given;
    sluice__buffer cut = o->cut, name = o->name;
    cut.len = name.len = 0;
    *o = (sluice__outside){
        .literals = given, .given = given, .cut = cut, .name = name, .line = true, .blank = true};
    o->orphan = o->leaked = o->hollow = UINT64_MAX;
}

static void note(uint64_t *place, uint64_t at) {
    if (*place == UINT64_MAX)
        *place = at;
}

/* Takes a literal that counts. */
static void take_literal(sluice__outside *o, const sluice__marker *m, uint64_t at) {
    unsigned pair = m->role / SLUICE__D_PAIR;
    bool inner = m->role & SLUICE__D_INNER, behind = !o->in_call && o->calls;
    if (m->role & SLUICE__D_QUOTE && behind)
        note(&o->orphan, at);
    if (m->role & (SLUICE__D_SINGLE | SLUICE__D_QUOTE))
        return;
    if (!(m->role & SLUICE__D_CLOSER)) {
        o->opened |= UINT64_C(1) << pair % 64;
        if (o->depth < sizeof o->stack / sizeof *o->stack)
            o->stack[o->depth++] = (uint16_t)(2 * pair + o->text);
        return;
    }
    for (size_t i = o->depth; i-- > 0;)
        if (o->stack[i] / 2 == pair) {
            if (o->text && behind && !(o->stack[i] & 1)) /* that of a call, behind some text */
                note(&o->orphan, at);
            o->depth = i;
            return;
        }
    if (!behind)
        return;
    if (o->due && !inner && !(o->literals->raw && o->opened >> pair % 64 & 1))
        o->due = false; /* the opener of the section was lost */
    else
        note(&o->orphan, at);
}

/* A run of backticks in text has ended before c: at the start of a line, three or more begin or end
 * a fence; else they begin or end code. What stands in either is not looked at. */
static void take_ticks(sluice__outside *o, char c, uint64_t at) {
    if (o->line && o->ticks >= 3) {
        if (o->fenced_call && !o->fence && c == '\n') /* that of the call's value came too early */
            note(&o->orphan, at - o->ticks);
        o->fenced_call = false;
        o->fence = !o->fence ? o->ticks : o->ticks >= o->fence ? 0 : o->fence;
    } else if (!o->fence) {
        o->code = !o->code ? o->ticks : o->ticks == o->code ? 0 : o->code;
    }
    o->line = false;
    o->ticks = 0;
}

/* Does a tag that closes the last call by its name stand at v.p? */
static match closes_call(const sluice__outside *o, view v, bool end) {
    size_t len = o->literals && o->literals->tagged ? o->name.len : 0, n = view_len(v);
    const char *parts[] = {"</", o->name.data, ">"};
    if (!len)
        return NO;
    for (size_t k = 0, i = 0; k < 3; i += k == 1 ? len : strlen(parts[k]), k++) {
        size_t most = k == 1 ? len : strlen(parts[k]);
        if (memcmp(v.p + i, parts[k], most < n - i ? most : n - i) != 0)
            return NO;
        if (most > n - i)
            return end ? NO : CUT;
    }
    return YES;
}

/* Goes on behind bytes that begin nothing, and end nothing. */
static const char *past_plain(sluice__outside *o, const sluice__markers *set, view v) {
    static const uint8_t spaces[256] = {['\n'] = 1, ['\r'] = 1, ['\t'] = 1, ['`'] = 1};
    const uint8_t *odd = o->odd = set ? set->odd : spaces;
    const char *p = v.p;
    if (o->ticks || (o->text ? o->empty : !set))
        return p;
    while (p < v.end && !(odd[(unsigned char)*p] & 1))
        p++;
    if (p == v.p)
        return p;
    o->last = p[-1];
    o->at += (uint64_t)(p - v.p);
    while (v.p < p && *v.p == ' ')
        v.p++;
    if (v.p < p) {
        o->some |= o->text;
        o->line = o->blank = false;
    }
    return p;
}

/* Looks through the bytes at o->at; `end`: nothing goes on behind them. What may be the beginning
 * of a literal is kept. */
static bool look(const sluice_allocator *a, sluice__outside *o, view v, bool end) {
    const sluice__markers *set = o->literals ? o->literals->set : NULL;
    size_t item;
    bool joined = o->cut.len;
    if (joined && !sluice__buffer_add(a, &o->cut, v.p, view_len(v)))
        return false;
    if (joined)
        v = view_of(o->cut.data, o->cut.len);
    for (; v.p < v.end; v.p = past_plain(o, set, v)) {
        char c = *v.p;
        if (o->ticks && c != '`')
            take_ticks(o, c, o->at);
        bool hidden = o->fence || o->code;
        match m = set && !hidden && !(o->text && c == '`') ? literals_at(set, v, end, &item) : NO;
        if (m == NO && o->text && !hidden && (m = closes_call(o, v, end)) == YES) {
            note(&o->orphan, o->at);
            m = NO;
        }
        if (m == CUT)
            break;
        if (m == YES && set->items[item].role & SLUICE__D_LINE && !o->line)
            m = NO;
        if (m == YES) {
            const sluice__marker *l = &set->items[item];
            if (o->text && l->role & SLUICE__D_ALONE) { /* with more on its line, it opens */
                const char *p = v.p + l->len;
                if (p == v.end && !end)
                    break;
                bool opens = p < v.end && *p != '\n';
                if (!opens && !o->opens && o->calls)
                    note(&o->orphan, o->at);
                o->opens = opens;
            }
            if (o->text && l->len >= LEAST_LEAK)
                note(&o->leaked, o->at);
            if (!o->text && l->role & SLUICE__D_CALLS)
                note(&o->hollow, o->at);
            take_literal(o, l, o->at);
            o->line = false;
            o->at += l->len;
            v.p += l->len;
            continue;
        }
        if (c == '`' && o->text) {
            o->ticks++;
        } else if (c == '\n') {
            o->line = true;
            o->code = 0;
            o->empty &= o->blank;
        } else if (!is_space(c)) {
            o->some |= !o->text && !set && c == '{'; /* an object may say that it has no calls */
            if (!o->text && !set)
                note(&o->hollow, o->at);
            if (o->text && o->empty &&
                ((o->last == '{' && strchr("\"'}", c)) || (o->last == '"' && c == ':')))
                note(&o->orphan, o->at); /* a call without arguments: are these they? */
            o->line = o->blank = false;
        }
        o->last = c;
        o->some |= o->text && !is_space(c);
        o->at++;
        v.p++;
    }
    if (!joined)
        return sluice__buffer_add(a, &o->cut, v.p, view_len(v));
    sluice__buffer_drop(&o->cut, o->cut.len - view_len(v));
    return true;
}

/* What was text, or markup, has ended. */
static bool end_run(const sluice_allocator *a, sluice__outside *o) {
    bool good = !o->cut.len || look(a, o, view_of("", 0), true);
    if (o->ticks)
        take_ticks(o, '\n', o->at);
    return good;
}

bool sluice__outside_take(const sluice_allocator *a, sluice__outside *o, const sluice_event *e) {
    bool text = e && e->type == SLUICE_TEXT, runs = text || (e && e->type == SLUICE_MARKUP);
    if (o->runs && (!runs || text != o->text) && !end_run(a, o))
        return false;
    o->runs = runs;
    o->plain = false;
    if (runs) {
        view v = view_of(e->text, e->text_len);
        o->text = text;
        if (!o->cut.len) {
            o->at = e->start;
            v.p = past_plain(o, o->literals ? o->literals->set : NULL, v);
        }
        if (v.p < v.end && !look(a, o, v, false))
            return false;
        o->plain =
            text && o->some && !o->line && !o->blank && !o->empty && !o->ticks && !o->cut.len;
        return true;
    }
    o->ended = !e && !o->some && o->hollow != UINT64_MAX;
    o->some = true;
    if (!e)
        return true;
    switch (e->type) {
    case SLUICE_ERROR: /* an opener that led to no call was told already */
        o->leaked_told |= e->index == SIZE_MAX && strcmp(e->code, "repaired") != 0;
        o->empty &= e->index != SIZE_MAX;
        break;
    case SLUICE_CALL_BEGIN:
        o->in_call = true;
        o->empty = o->fenced_call = false;
        o->sent = 0;
        if (!e->name || !sluice__buffer_set(a, &o->name, e->name, strlen(e->name)))
            return false;
        break;
    case SLUICE_ARGUMENTS:
        o->sent += e->text_len;
        break;
    case SLUICE_CALL_END:
        o->in_call = false;
        o->empty = o->blank = o->sent < 4; /* {} */
        o->due = !o->depth;
        o->calls++;
        o->fenced_call = o->literals && o->literals->fenced;
        o->counts.doubtful += e->status == SLUICE_INCOMPLETE;
        o->counts.recovered += e->status == SLUICE_RECOVERED;
        o->counts.valid += e->valid != 0;
        break;
    default:
        break;
    }
    return true;
}

/* An ERROR that stands before the last event that was taken. False if there is none (more). */
bool sluice__outside_told(sluice__outside *o, sluice_event *error) {
    static const char orphan[] =
        "a closing tag after the call closes nothing; the call may have been cut inside a value";
    static const char leaked[] = "markup of the format is left in the text";
    static const char hollow[] = "nothing between two tags of the format";
    sluice_event e = {.type = SLUICE_ERROR, .index = SIZE_MAX};
    if (o->ended) {
        e.code = "invalid_call";
        e.text = hollow;
        e.start = o->hollow;
        o->ended = false;
    } else if (o->orphan != UINT64_MAX) {
        e.code = "stray_markup";
        e.text = orphan;
        e.start = o->orphan;
        e.index = o->calls - 1;
        o->orphan = UINT64_MAX;
    } else if (o->leaked != UINT64_MAX && !o->leaked_told) {
        e.code = "leaked_markup";
        e.text = leaked;
        e.start = o->leaked;
        o->leaked_told = true;
        o->counts.leaked++;
    } else {
        return false;
    }
    e.text_len = strlen(e.text);
    e.end = e.start;
    *error = e;
    return true;
}
