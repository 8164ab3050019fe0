/* Operations that read text inside blocks, and skip what means nothing. */
#include "stream.h"
#include "utf8.h"

#include <limits.h>

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
        s->op->from = s->op->at = s->pos = at;
        if (!sluice__gap(s, at))
            return -1;
    }
    uint64_t at;
    sluice__match m = sluice__find(s, s->op->set, s->op->at, &at, &item);
    s->op->at = at;
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

/* Keeps how the junk begins, behind white space, as the result's text. False: no memory. */
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

/* Counts the braces and brackets outside of strings that junk opens and does not close: `mode`.
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

int sluice__op_junk(sluice_stream *s, const sluice__markers *set) {
    sluice__reset_op(s);
    s->op->set = set;
    s->op->from = s->result.start = s->pos;
    s->taken.len = 0;
    return sluice__op_start(s, step_junk);
}
