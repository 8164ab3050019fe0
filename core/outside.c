/* What is left over between and behind calls: closers that nothing opened, markup in the text. It
 * is known by the end of the text or of the run of text, so in every chunking at the same place. */
#include "codes.h"
#include "doubt.h"

enum { LONGEST_LINE = 4096, LEAKS = 5 };

void sluice__outside_restart(sluice__outside *o) {
    o->bytes.len = 0;
    o->text = o->middle = o->in_call = o->due = o->empty = o->first_fence = o->leaked_told = false;
    o->taken = o->some = o->ended = o->block_text = false;
    o->literals = o->given;
    o->fence = 0;
    o->depth = o->calls = 0;
    o->opened = 0;
    o->name.len = 0;
    o->orphan = o->leaked = o->hollow = UINT64_MAX;
    o->counts = (sluice_counts){0};
}

void sluice__outside_release(const sluice_allocator *a, sluice__outside *o) {
    sluice__buffer_release(a, &o->bytes);
    sluice__buffer_release(a, &o->name);
}

/* Takes a literal that counts. */
static void take_literal(sluice__outside *o, const sluice__marker *m, uint64_t at) {
    unsigned pair = m->role / SLUICE__D_PAIR;
    if (m->role & SLUICE__D_QUOTE && !o->in_call && o->calls && o->orphan == UINT64_MAX)
        o->orphan = at;
    if (m->role & (SLUICE__D_SINGLE | SLUICE__D_QUOTE))
        return;
    if (!(m->role & SLUICE__D_CLOSER)) {
        o->opened |= UINT64_C(1) << pair % 64;
        if (o->depth < sizeof o->stack / sizeof *o->stack)
            o->stack[o->depth++] = (uint16_t)pair;
        return;
    }
    for (size_t i = o->depth; i-- > 0;)
        if (o->stack[i] == pair) {
            o->depth = i;
            return;
        }
    if (o->in_call || !o->calls)
        return;
    if (o->depth && !(m->role & SLUICE__D_INNER)) { /* the opener was spelt in another way */
        o->depth = 0;
        return;
    }
    if (o->due && !(m->role & SLUICE__D_INNER) && !(o->literals->raw && o->opened >> pair % 64 & 1))
        o->due = false; /* the opener of the section was lost */
    else if (o->orphan == UINT64_MAX)
        o->orphan = at;
}

/* Notes the closing tag that is named after the last call, where tags have such names. */
static void find_named_closer(sluice__outside *o, const char *p, size_t n) {
    size_t len = o->name.len;
    for (size_t i = 0; len && o->literals->tagged && i + len + 3 <= n; i++)
        if (p[i] == '<' && p[i + 1] == '/' && p[i + len + 2] == '>' &&
            memcmp(p + i + 2, o->name.data, len) == 0 && o->orphan == UINT64_MAX)
            o->orphan = o->from + i;
}

/* The run of ticks or tildes that begins a fence at p, or 0. */
static size_t fence_at(const char *p, size_t n, size_t *at) {
    size_t i = 0, k;
    while (i < n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    *at = i;
    if (i == n || (p[i] != '`' && p[i] != '~'))
        return 0;
    for (k = i; k < n && p[k] == p[i]; k++)
        ;
    return k - i >= 3 ? k - i : 0;
}

static bool is_empty(const char *p, size_t n) {
    for (; n; p++, n--)
        if (!strchr(" \t\r\n", *p) || !*p)
            return false;
    return true;
}

/* Behind a call without arguments, does a line have the look of arguments? */
static bool has_arguments(const char *p, size_t n) {
    for (size_t i = 0; i + 1 < n; i++)
        if ((p[i] == '{' && strchr("\"'}", p[i + 1])) || (p[i] == '"' && p[i + 1] == ':'))
            return true;
    return false;
}

/* Takes a line of text, or a part of one. */
static void take_line(sluice__outside *o, const char *p, size_t n) {
    if (o->empty && !is_empty(p, n)) {
        o->empty = false;
        if (has_arguments(p, n) && o->orphan == UINT64_MAX)
            o->orphan = o->from;
    }
    const char *line = o->middle || o->fence ? NULL : o->literals->line;
    size_t len = line ? strlen(line) : 0;
    if (len && n >= len && memcmp(p, line, len) == 0) {
        bool opens = !is_empty(p + len, n - len); /* a block that is text */
        if (!opens && !o->block_text && o->calls && o->orphan == UINT64_MAX)
            o->orphan = o->from;
        o->block_text = opens;
    }
    size_t at, ticks = o->middle ? 0 : fence_at(p, n, &at);
    if (ticks) {
        bool bare = is_empty(p + at + ticks, n - at - ticks);
        if (o->first_fence && !o->fence && bare && o->orphan == UINT64_MAX)
            o->orphan = o->from + at;
        o->first_fence = false;
        if (!o->fence) {
            o->fence = p[at];
            o->ticks = ticks;
        } else if (bare && o->fence == p[at] && ticks >= o->ticks) {
            o->fence = 0;
        }
        return;
    }
    if (o->fence || !o->literals->set)
        return;
    if (!memchr(p, '`', n))
        find_named_closer(o, p, n);
    for (size_t i = 0; i < n;) {
        if (p[i] == '`') { /* a span of code, if it is closed on its line */
            size_t k = i, run, j;
            while (k < n && p[k] == '`')
                k++;
            run = k - i;
            for (j = k; j < n; j++) {
                size_t from = j;
                while (j < n && p[j] == '`')
                    j++;
                if (j - from == run)
                    break;
                j -= j > from && j == n;
            }
            i = j < n || (j == n && n > k && p[n - 1] == '`') ? j : k;
            continue;
        }
        const char *tick = memchr(p + i, '`', n - i);
        size_t stop = tick ? (size_t)(tick - p) : n, found, item;
        while (i < stop &&
               sluice__markers_find(o->literals->set, p + i, n - i, true, &found, &item) ==
                   SLUICE__YES &&
               i + found < stop) {
            const sluice__marker *m = &o->literals->set->items[item];
            if (m->len >= LEAKS && o->leaked == UINT64_MAX)
                o->leaked = o->from + i + found;
            take_literal(o, m, o->from + i + found);
            i += found + m->len;
        }
        i = i > stop ? i : stop;
    }
}

static void take_markup(sluice__outside *o, const char *p, size_t n) {
    size_t found, item;
    for (size_t i = 0; i < n && sluice__markers_find(o->literals->set, p + i, n - i, true, &found,
                                                     &item) == SLUICE__YES;) {
        const sluice__marker *m = &o->literals->set->items[item];
        if (m->role & SLUICE__D_CALLS && o->hollow == UINT64_MAX)
            o->hollow = o->from + i + found;
        take_literal(o, m, o->from + i + found);
        i += found + m->len;
    }
}

static void flush(sluice__outside *o) {
    const char *p = o->bytes.data;
    size_t n = o->bytes.len;
    if (o->text) {
        o->some = o->some || !is_empty(p, n);
        if (n && o->literals)
            take_line(o, p, n);
    } else if (n && o->literals && o->literals->set) {
        take_markup(o, p, n);
    } else if (n && o->hollow == UINT64_MAX && !is_empty(p, n) && *p != '{') { /* {"calls": []} */
        o->hollow = o->from;
    }
    if (n) {
        o->middle = o->text && p[n - 1] != '\n';
        o->from += n;
    }
    o->bytes.len = 0;
}

static bool take_bytes(const sluice_allocator *a, sluice__outside *o, const sluice_event *e) {
    const char *p = e->text;
    size_t n = e->text_len;
    bool text = e->type == SLUICE_TEXT;
    if (o->text != text) {
        flush(o);
        o->text = text;
    }
    if (!o->bytes.len)
        o->from = e->start;
    while (n) {
        const char *line = memchr(p, '\n', n);
        size_t len = line ? (size_t)(line + 1 - p) : n;
        bool full = o->bytes.len + len >= LONGEST_LINE;
        if (full)
            len = LONGEST_LINE - o->bytes.len;
        if (!sluice__buffer_add(a, &o->bytes, p, len))
            return false;
        if (line || full)
            flush(o);
        p += len, n -= len;
    }
    return true;
}

bool sluice__outside_take(const sluice_allocator *a, sluice__outside *o, const sluice_event *e) {
    if (e && (e->type == SLUICE_TEXT || e->type == SLUICE_MARKUP))
        return take_bytes(a, o, e);
    if (o->bytes.len)
        flush(o);
    if (!e) {
        o->ended = !o->some && o->hollow != UINT64_MAX;
        o->some = true;
        return true;
    }
    o->some = true;
    switch (e->type) {
    case SLUICE_ERROR: /* an opener that led to no call was told already */
        o->leaked_told |= e->index == SIZE_MAX && strcmp(e->code, "repaired") != 0;
        o->empty &= e->index != SIZE_MAX;
        break;
    case SLUICE_CALL_BEGIN:
        o->in_call = true;
        o->empty = false;
        o->sent = 0;
        o->first_fence = false;
        if (!e->name || !sluice__buffer_set(a, &o->name, e->name, strlen(e->name)))
            return false;
        break;
    case SLUICE_ARGUMENTS:
        o->sent += e->text_len;
        break;
    case SLUICE_CALL_END:
        o->in_call = false;
        o->empty = o->sent < 4; /* {} */
        o->due = !o->depth;
        o->calls++;
        o->middle = false;
        o->first_fence = o->literals && o->literals->fenced;
        if (e->status == SLUICE_INCOMPLETE)
            o->counts.doubtful++;
        else if (e->status == SLUICE_RECOVERED)
            o->counts.recovered++;
        o->counts.valid += e->valid != 0;
        break;
    default:
        break;
    }
    return true;
}

bool sluice__outside_told(sluice__outside *o, sluice_event *error) {
    static const char orphan[] =
        "a closing tag after the call closes nothing; the call may have been cut inside a value",
                      leaked[] = "markup of the format is left in the text";
    bool stray = o->orphan != UINT64_MAX;
    static const char hollow[] = "nothing between two tags of the format";
    if (!o->ended && !stray && (o->leaked == UINT64_MAX || o->leaked_told))
        return false;
    *error = (sluice_event){.type = SLUICE_ERROR, .index = SIZE_MAX};
    if (o->ended) {
        o->ended = false;
        error->code = sluice__code("invalid_call");
        error->text = hollow;
        error->text_len = sizeof hollow - 1;
        error->start = error->end = o->hollow;
        return true;
    }
    error->code = sluice__code(stray ? "stray_markup" : "leaked_markup");
    error->text = stray ? orphan : leaked;
    error->text_len = stray ? sizeof orphan - 1 : sizeof leaked - 1;
    error->start = error->end = stray ? o->orphan : o->leaked;
    if (stray)
        error->index = o->calls - 1;
    if (stray) {
        o->orphan = UINT64_MAX;
    } else {
        o->leaked_told = true;
        o->counts.leaked++;
    }
    return true;
}
