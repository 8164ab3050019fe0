/*
 * Backticks in text: code fences, and inline code, in which openers do not count.
 *
 * Only runs of three or more are searched for. Whether inline code is open matters only at an
 * opener, and at the end of the visible text. It is worked out there from the last line alone,
 * since inline code ends with its line.
 */
#include "ticks.h"
#include "utf8.h"

/* Returns the length of the run of backticks at p[0..n). A run above limit_header counts as
 * several. */
static size_t run_of(const sluice_stream *s, const char *p, size_t n) {
    size_t most = s->set.limit_header < n ? s->set.limit_header : n, k = 0;
    while (k < most && p[k] == '`')
        k++;
    return k;
}

/* Opens or closes inline code at a run of backticks that is not a fence. */
static void note_run(sluice_stream *s, size_t run) {
    if (!s->ticks && !s->fence_open)
        s->ticks = run;
    else if (s->ticks == run)
        s->ticks = 0;
}

/* The same for any run; at the start of a line, three or more are a fence. */
static void note(sluice_stream *s, uint64_t at, size_t run) {
    if (run >= 3 && sluice__line_start(s, at))
        s->fence_open = !s->fence_open;
    else
        note_run(s, run);
}

/* Closes inline code at the end of its line. */
static inline void end_code(sluice_stream *s, const char *p, size_t n) {
    if (s->ticks && memchr(p, '\n', n))
        s->ticks = 0;
}

/* Returns the last newline in p[0..n), or NULL. Reads eight bytes at a time: lines may be long. */
static const char *last_newline(const char *p, size_t n) {
    const uint64_t ones = 0x0101010101010101u;
    for (; n >= 8; n -= 8) {
        uint64_t word;
        memcpy(&word, p + n - 8, 8);
        word ^= ones * '\n';
        if ((word - ones) & ~word & ones << 7)
            break;
    }
    while (n)
        if (p[--n] == '\n')
            return p + n;
    return NULL;
}

void sluice__read_ticks(sluice_stream *s, uint64_t from, uint64_t upto) {
    enum { NEAR = 256 }; /* most lines are shorter; a longer one is examined as a whole */
    if (from >= upto || !s->text->first['`']) /* this format does not look for fences */
        return;
    size_t n = sluice__minus(upto, from), far = n > NEAR ? n - NEAR : 0;
    const char *p = sluice__at(s, from), *end = p + n;
    if (end[-1] == '\n') {
        s->ticks = 0;
        return;
    }
    const char *line = last_newline(p + far, n - far);
    const char *tick = memchr(line ? line : p, '`', sluice__minus(end, (line ? line : p)));
    if (!line && far && (tick || s->ticks)) {
        line = last_newline(p, far);
        if (line && tick && tick < line)
            tick = memchr(line, '`', sluice__minus(end, line));
    }
    if (line)
        s->ticks = 0;
    while (tick) {
        size_t run = run_of(s, tick, sluice__minus(end, tick));
        note_run(s, run);
        tick = memchr(tick + run, '`', sluice__minus(end, tick) - run);
    }
}

bool sluice__pass_ticks(sluice_stream *s, uint64_t at, uint64_t *upto) {
    size_t there = sluice__minus(sluice__visible(s), at), run = run_of(s, sluice__at(s, at), there);
    *upto = at + run;
    if (run == there && run < s->set.limit_header && !sluice__at_end(s))
        return false;
    note(s, at, run);
    return true;
}

size_t sluice__plain_ticks(sluice_stream *s, size_t at, bool *held) {
    const sluice__window *w = &s->window;
    size_t run = run_of(s, w->data + at, w->len - at);
    bool over = at + run < w->len;
    *held = over || run < SLUICE__AT_ONCE;
    if (!over)
        return 0;
    note(s, w->base + at, run);
    return run;
}

size_t sluice__plain_bytes(sluice_stream *s, size_t from, bool *held) {
    const sluice__markers *set = s->text;
    const uint8_t *first = set->prints.first;
    const char *p = s->window.data;
    size_t n = s->window.len, i = from, line = from, item;
    *held = true;
    for (; i < n; i++) {
        if (!first[(unsigned char)p[i]])
            continue;
        if (sluice__prints_at(&set->prints, p + i, n - i)) {
            sluice__walk walk = {0, 0, 0};
            sluice__match m = sluice__markers_walk(set, &walk, p + i, n - i, false, &item);
            if (m == SLUICE__YES && !sluice__is_ticks(&set->items[item]) && !set->items[item].quiet)
                *held = false;
            if (m == SLUICE__WAIT || !*held)
                break;
        }
        if (p[i] != '`')
            continue;
        end_code(s, p + line, i - line);
        size_t run = sluice__plain_ticks(s, i, held);
        if (!run)
            return i;
        line = i + run;
        i = line - 1;
    }
    end_code(s, p + line, i - line);
    return i < n ? i : n - sluice__utf8_tail(p + from, n - from);
}

sluice__match sluice__in_code(const sluice_stream *s, uint64_t from) {
    uint64_t limit = sluice__visible(s), most = from + s->set.limit_header;
    if (!s->ticks)
        return SLUICE__NO;
    for (size_t run = 0; from < limit && from < most; from++) {
        char c = *sluice__at(s, from);
        if (c != '`' && run == s->ticks)
            return SLUICE__YES;
        if (c == '\n')
            return SLUICE__NO;
        run = c == '`' ? run + 1 : 0;
    }
    if (from < most && !sluice__at_end(s))
        return SLUICE__WAIT;
    for (size_t run = 1; run <= s->ticks; run++)
        if (*sluice__at(s, from - run) != '`')
            return SLUICE__NO;
    return SLUICE__YES;
}
