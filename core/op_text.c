/* Operations that read text inside blocks, and skip text without meaning. */
#include "parts.h"
#include "utf8.h"

#include <limits.h>

/* Notes the code fences in the text up to `upto`: op->quoted: one is open; op->last: how many ticks
 * begin the line, or NOT_TICKS. */
enum { NOT_TICKS = 4 };
static void note_fences(sluice_stream *s, uint64_t upto) {
    sluice__op *op = s->op;
    for (; op->limit < upto; op->limit++) {
        char c = *sluice__at(s, op->limit);
        if (c == '\n')
            op->last = 0;
        else if (c == '`' && op->last < NOT_TICKS)
            op->quoted ^= ++op->last == 3;
        else if ((c != ' ' && c != '\t') || op->last)
            op->last = NOT_TICKS;
    }
}

/* Is the fence closed that is open at the literal at `at`? An open one hides nothing. */
static sluice__match is_fenced(sluice_stream *s, uint64_t at, uint64_t limit, bool end) {
    static const char fence[] = "\n```";
    size_t n = sizeof fence - 1;
    uint64_t p = s->op->hold > at ? s->op->hold : at;
    for (; p + n <= limit; p++)
        if (memcmp(sluice__at(s, p), fence, n) == 0)
            return SLUICE__YES;
    s->op->hold = p;
    return end || limit - at > s->set.limit_held ? SLUICE__NO : SLUICE__WAIT;
}

static int step_text(sluice_stream *s) {
    uint64_t limit = sluice__visible(s);
    bool end = sluice__at_end(s);
    size_t item;
    if (!s->op->started) {
        uint64_t at = s->op->at;
        for (const char *p = s->op->lead; p && *p; p++) {
            if (at >= limit && !end)
                return 0;
            if (at >= limit || *sluice__at(s, at) != *p)
                break;
            at++;
        }
        s->op->started = s->committed = true;
        s->op->from = s->op->at = s->pos = s->op->limit = at;
        if (!sluice__gap(s, at))
            return -1;
    }
    uint64_t at;
    sluice__match m;
    for (;;) {
        m = sluice__find(s, s->op->set, s->op->at, &at, &item);
        s->op->at = at;
        if (!sluice__fences_hide(s))
            break;
        note_fences(s, at);
        if (m != SLUICE__YES || !s->op->quoted)
            break;
        sluice__match hidden = is_fenced(s, at, limit, end);
        if (hidden == SLUICE__WAIT) {
            m = SLUICE__WAIT;
            break;
        }
        if (hidden == SLUICE__NO) {
            s->op->quoted = false;
            break;
        }
        s->op->at = at + 1;
    }
    if (m == SLUICE__YES) {
        uint64_t upto = sluice__without_tail(s, s->sent, at, s->op->trail);
        if (!sluice__send(s, (sluice_event_type)s->op->mode, upto))
            return -1;
        s->result.ok = true;
        s->result.item = (long)item;
        s->pos = at;
        return 1;
    }
    uint64_t upto = end ? limit : at - sluice__tail_of(s, s->sent, at, s->op->trail);
    upto = sluice__whole_upto(s, upto);
    if (!sluice__send(s, (sluice_event_type)s->op->mode, upto))
        return -1;
    s->pos = upto;
    return end;
}

int sluice__op_text(sluice_stream *s, const sluice__markers *set, int type, const char *lead,
                    const char *trail) {
    sluice__reset_op(s);
    s->op->set = set;
    s->op->mode = type;
    s->op->lead = lead;
    s->op->trail = trail;
    return sluice__op_start(s, step_text);
}

/* Keeps the start of the junk, after white space, as the result's text. False if out of memory. */
static bool note_junk(sluice_stream *s) {
    enum { MOST = 64 };
    for (; s->op->from < s->pos && s->taken.len < MOST; s->op->from++) {
        const char *p = sluice__at(s, s->op->from);
        if ((s->taken.len || !sluice__is_space(*p)) &&
            !sluice__buffer_add(&s->alloc, &s->taken, p, 1))
            return false;
    }
    s->op->from = s->pos;
    return true;
}

/* Counts, in `mode`, the braces and brackets outside strings that junk opens and does not close.
 * `quoted`: a string is open; `skip`: an escape is. */
static void note_balance(sluice_stream *s, uint64_t from) {
    for (; from < s->pos; from++) {
        char c = *sluice__at(s, from);
        if (s->op->quoted) {
            s->op->quoted = s->op->skip || c != '"';
            s->op->skip = !s->op->skip && c == '\\';
        } else if (c == '"') {
            s->op->quoted = true;
        } else {
            s->op->mode += (c == '{' || c == '[') - (c == '}' || c == ']');
        }
    }
}

static int step_junk(sluice_stream *s) {
    size_t item;
    uint64_t limit = sluice__visible(s);
    uint64_t before = s->op->at;
    bool end = sluice__at_end(s);
    sluice__match m = sluice__find(s, s->op->set, s->op->at, &s->op->at, &item);
    s->pos = s->op->at;
    note_balance(s, before);
    if (m == SLUICE__YES) {
        s->result.ok = true;
        s->result.kind = s->op->quoted ? INT_MAX : s->op->mode;
        s->result.item = (long)item;
        return 1;
    }
    if (end)
        s->pos = limit;
    if (!note_junk(s))
        return -1;
    s->result.text = s->taken.data ? s->taken.data : "";
    s->result.text_len = s->taken.len;
    return end;
}

static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* Does the quote at `at`, in a former Python call, begin or end a string? False: more bytes are
 * needed. */
static bool pass_quote(sluice_stream *s, uint64_t limit, bool end) {
    sluice__op *op = s->op;
    char c = *sluice__at(s, op->at), before = op->last;
    if (sluice__minus(limit, op->at) < 3 && !end)
        return false;
    op->last = c;
    bool three = sluice__minus(limit, op->at) >= 3 && *sluice__at(s, op->at + 1) == c &&
                 *sluice__at(s, op->at + 2) == c;
    if (op->quoted) {
        op->quoted = (op->unwrap.want == 3 && !three) || c != (char)op->unwrap.quote;
        op->at += op->quoted ? 1 : op->unwrap.want;
        return true;
    }
    if (is_letter(before) && !strchr("rRbBfFuU", before)) { /* an apostrophe */
        op->at++;
        return true;
    }
    op->quoted = true;
    op->unwrap.quote = (uint8_t)c;
    op->unwrap.want = three ? 3 : 1;
    op->at += op->unwrap.want;
    return true;
}

/* Does the bracket at `at` end a list? Returns 1, 0, or -1: more bytes are needed. */
static int list_ends(const sluice_stream *s, uint64_t limit, bool end) {
    size_t item;
    uint64_t at = s->op->at + 1;
    while (at < limit && sluice__is_space(*sluice__at(s, at)))
        if (*sluice__at(s, at++) == '\n')
            return 1;
    if (at >= limit)
        return end ? 1 : -1;
    sluice__match m =
        sluice__markers_at(s->op->set, sluice__at(s, at), sluice__minus(limit, at), end, &item);
    return m == SLUICE__YES ? s->op->set->items[item].len > 2 : m == SLUICE__WAIT ? -1 : 0;
}

/* Goes to the end of a Python call: its parenthesis after all others are closed, or a longer
 * literal of the set; not in a string. `mode`: number of open brackets. */
static int step_python_junk(sluice_stream *s) {
    sluice__op *op = s->op;
    uint64_t limit = sluice__visible(s);
    bool end = sluice__at_end(s);
    while (op->at < limit) {
        char c = *sluice__at(s, op->at);
        size_t item = 0;
        if (op->quoted && c == '\\') {
            if (sluice__minus(limit, op->at) < 2 && !end)
                break;
            op->at += sluice__minus(limit, op->at) < 2 ? 1 : 2;
            continue;
        }
        if (c == '"' || c == '\'') {
            if (!pass_quote(s, limit, end))
                break;
            continue;
        }
        sluice__match m = op->quoted ? SLUICE__NO
                                     : sluice__markers_at(op->set, sluice__at(s, op->at),
                                                          sluice__minus(limit, op->at), end, &item);
        if (m == SLUICE__WAIT)
            break;
        int ends = m == SLUICE__YES && (op->set->items[item].len > 2 || (c == ')' && !op->mode));
        if (m == SLUICE__YES && c == ']' && !op->mode)
            ends = list_ends(s, limit, end);
        if (ends < 0)
            break;
        if (ends) {
            s->pos = op->at;
            s->result.ok = true;
            s->result.item = (long)item;
            return 1;
        }
        if (!op->quoted && strchr("([{", c) && c)
            op->mode++;
        else if (!op->quoted && strchr(")]}", c) && c && op->mode)
            op->mode--;
        op->last = c;
        op->at++;
    }
    s->pos = end ? limit : op->at;
    return end;
}

int sluice__op_python_junk(sluice_stream *s, const sluice__markers *set, int open) {
    sluice__reset_op(s);
    s->op->set = set;
    s->op->from = s->result.start = s->pos;
    s->op->mode = open;
    return sluice__op_start(s, step_python_junk);
}

int sluice__op_junk(sluice_stream *s, const sluice__markers *set) {
    sluice__reset_op(s);
    s->op->set = set;
    s->op->from = s->result.start = s->pos;
    s->taken.len = 0;
    return sluice__op_start(s, step_junk);
}
