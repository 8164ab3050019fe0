/* The operation that reads a value of whole lines, each with a prefix. */
#include "parts.h"

static int end_lines(sluice_stream *s, bool cut) {
    s->result.ok = !cut;
    s->result.start = s->op->at;
    s->locked = false;
    s->pos = s->op->at;
    return sluice__tell_escaped(s, &s->op->escaper, "", 0, true, s->op->at) &&
                   sluice__arguments(s, "\"", 1, s->sent)
               ? 1
               : -1;
}

/* Reports the text of a line up to `upto`. */
static bool send_line(sluice_stream *s, uint64_t upto) {
    if (upto <= s->op->at)
        return true;
    const char *p = sluice__at(s, s->op->at);
    size_t n = sluice__minus(upto, s->op->at);
    s->op->at = s->pos = upto;
    return sluice__tell_escaped(s, &s->op->escaper, p, n, false, upto) &&
           sluice__shown(s, p, n, s->sent);
}

static int step_lines(sluice_stream *s) {
    uint64_t limit = sluice__visible(s);
    bool end = sluice__at_end(s);
    if (!s->op->started) {
        if (!sluice__gap(s, s->op->at) || !sluice__write_key(s) ||
            !sluice__arguments(s, "\"", 1, s->sent) || !sluice__shown(s, "", 0, s->sent))
            return -1;
        s->op->started = s->op->take = s->locked = true;
    }
    for (;;) {
        if (s->op->take) { /* a line begins here, if its prefix matches */
            size_t item;
            switch (sluice__match_here(s, s->op->set, s->op->at, &item)) {
            case SLUICE__WAIT:
                return 0;
            case SLUICE__NO:
                return end_lines(s, end && s->op->at >= limit);
            case SLUICE__YES:
                s->op->at = s->pos = s->op->at + s->op->set->items[item].len;
                s->op->take = false;
                if (!sluice__gap(s, s->op->at))
                    return -1;
            }
        }
        size_t n = limit > s->op->at ? sluice__minus(limit, s->op->at) : 0;
        const char *here = n ? sluice__at(s, s->op->at) : "";
        const char *stop = n ? memchr(here, '\n', n) : NULL;
        if (!stop) {
            if (!send_line(s, sluice__whole_upto(s, limit)))
                return -1;
            return end ? end_lines(s, true) : 0;
        }
        if (!send_line(s, s->op->at + (uint64_t)(stop - here) + 1))
            return -1;
        s->op->take = true;
    }
}

int sluice__op_lines(sluice_stream *s, const sluice__markers *prefix) {
    sluice__reset_op(s);
    s->op->set = prefix;
    return sluice__op_start(s, step_lines);
}
