/* A block from its opener to its end: opening, decisions, giving up. */
#include "parts.h"
#include "utf8.h"

/* Limit of re-read bytes: this many times the bytes read so far, plus a constant. A block that was
 * not one counts as some bytes too. Without the limit, text that only looks like nested calls would
 * be re-read again and again. */
enum { RESCANNED_TIMES = 16, RESCANNED_BLOCK = 128 };

static bool too_much_read_again(const sluice_stream *s) {
    return s->rescanned > RESCANNED_TIMES * s->furthest + SLUICE__RESCANNED_BYTES;
}

void sluice__seek(sluice_stream *s, uint64_t to) {
    if (to < s->sent) /* bytes covered by events may be gone */
        to = s->sent;
    s->rescanned += s->looked > to ? s->looked - to : 0;
    s->looked = to;
    s->pos = to;
}

/* Reports once that some candidate calls are no longer examined. */
static bool tell_retry_limit(sluice_stream *s) {
    static const char message[] = "too many false starts; later candidates are skipped";
    bool told = s->retry_limit_reported;
    s->retry_limit_reported = true;
    return told || sluice__tell(s, "limit_exceeded", message);
}

static sluice__step back_out(sluice_stream *s);
static sluice__step wait(sluice_stream *s);

static sluice__step finish_block(sluice_stream *s, sluice__verdict v) {
    switch (v) {
    case SLUICE__AWAITS:
    case SLUICE__NAMES: /* only the machine sees these */
    case SLUICE__ENDS:
        return SLUICE__AGAIN;
    case SLUICE__WAITS:
        return wait(s);
    case SLUICE__REJECTED:
        if (!s->committed)
            return back_out(s);
        break;
    case SLUICE__FAILED: {
        bool announced = s->call.open;
        s->broken = true;
        if (announced) {
            bool good;
            sluice__lower(s, SLUICE_INCOMPLETE);
            if (!sluice__end_call(s, NULL, 0, NULL, 0, &good))
                return SLUICE__NOMEM;
        }
        if (!s->committed)
            return back_out(s);
        break;
    }
    case SLUICE__CLOSED:
        break;
    }
    if (s->call.open) { /* the script forgot to end its call, and nothing was checked */
        bool good;
        s->call.invalid = true;
        if (!sluice__end_call(s, NULL, 0, NULL, 0, &good))
            return SLUICE__NOMEM;
    }
    if (s->pos <= s->begin && !s->committed)
        return back_out(s);
    if (s->pos <= s->begin && !s->broken) { /* it would begin here forever */
        s->broken = true;
        if (!sluice__fail(s, "the block consumed no input"))
            return SLUICE__NOMEM;
    }
    sluice__go_home(s);
    s->mode = SLUICE__IN_TEXT_MODE;
    s->reach = UINT64_MAX;
    s->leading_space = s->after_block = true;
    s->scan = s->pos;
    s->step = NULL;
    s->locked = false;
    s->at_start = false;
    s->ticks = 0;
    return sluice__told(sluice__gap(s, s->pos));
}

/* Asks the syntax whether a block begins at `at`; white space before it is held too. */
sluice__step sluice__open_block(sluice_stream *s, uint64_t at, size_t item) {
    if (!sluice__get_to_work(s))
        return SLUICE__NOMEM;
    s->from_reason = s->mode == SLUICE__IN_REASON_MODE;
    s->fenced = !s->from_reason && s->fence_open;
    s->in_fence = s->fenced && sluice__fences_hide(s);
    const sluice__markers *set = s->from_reason ? s->format->reasoning : s->text;
    s->opener_role = item == SIZE_MAX ? 0 : set->items[item].role;
    s->opener_len = item == SIZE_MAX ? 0 : (uint32_t)set->items[item].len;
    s->mark = s->sent;
    s->begin = s->pos = s->block_from = at;
    s->block.len = 0;
    s->any_call = false;
    s->mode = SLUICE__IN_BLOCK_MODE;
    s->committed = s->locked = s->hit_end = s->holds = false;
    s->pinned = 0;
    s->step = NULL;
    s->drop_after = NULL;
    s->looked = at;
    if (too_much_read_again(s))
        return tell_retry_limit(s) ? back_out(s) : SLUICE__NOMEM;
    return finish_block(s, s->syntax->open(s->user, s, item));
}

/* Turns the first character of what looked like a block into text; scanning resumes after it. */
static sluice__step back_out(sluice_stream *s) {
    if (sluice__staged(s))
        sluice__unstage(s);
    s->syntax->drop(s->user, s);
    sluice__go_home(s);
    s->step = NULL;
    s->locked = false;
    s->reach = UINT64_MAX;
    s->mode = s->from_reason ? SLUICE__IN_REASON_MODE : SLUICE__IN_TEXT_MODE;
    if (!s->from_reason)
        sluice__leave_edge(s);
    else
        s->reasoning_begun = false;
    sluice__seek(s, s->begin);
    s->rescanned += RESCANNED_BLOCK;
    if (s->hit_end && !sluice__tell(s, "unfinished_call", "input ended inside a possible call"))
        return SLUICE__NOMEM;
    if (s->opener_role & (SLUICE__NOISE | SLUICE__TURN_END)) { /* the opener has another role too */
        s->pos = s->scan = s->begin + s->opener_len;
        if (!s->from_reason)
            s->leading_space = s->after_block = true;
        return sluice__told(sluice__gap(s, s->pos));
    }
    size_t there = sluice__minus(sluice__visible(s), s->begin);
    int len = there ? sluice__utf8_sequence(sluice__at(s, s->begin), there) : 0;
    uint64_t upto = s->begin + (len > 0 ? (uint64_t)len : len < 0 ? (uint64_t)-len : there);
    bool good = sluice__send(s, s->from_reason ? SLUICE_REASONING : SLUICE_TEXT, upto);
    s->pos = s->scan = upto;
    return sluice__told(good);
}

/* After an operation, notes how far it read, and whether it reached the end of the text. */
static void note_end(sluice_stream *s, int done) {
    if (done <= 0)
        return;
    sluice__note_looked(s, s->op->at);
    s->hit_end = !s->result.ok && s->op->at >= sluice__visible(s) && sluice__at_end(s);
}

/* Start of the bytes that may be re-read: the first byte not covered by an event. */
static uint64_t held_from(const sluice_stream *s) { return s->held > s->sent ? s->held : s->sent; }

void sluice__set_held_reach(sluice_stream *s) {
    bool staged = sluice__staged(s);
    bool holds = !s->committed || s->pinned || staged || !s->call.open;
    if (!holds) {
        s->holds = false;
        s->reach = UINT64_MAX;
    } else {
        if (!s->holds)
            s->held = s->pos;
        s->holds = true;
        uint64_t from = staged ? s->held : held_from(s);
        s->reach = from + s->set.limit_held;
        if (s->reach < from)
            s->reach = UINT64_MAX;
    }
    if (s->rescanned > SLUICE__RESCANNED_BYTES && too_much_read_again(s)) { /* it sees no more */
        s->held = holds ? s->held : s->pos;
        s->reach = s->pos;
    }
}

/* Gives up the block: it would hold more bytes than allowed. */
static sluice__step give_up(sluice_stream *s) {
    static const char message[] = "limit_held exceeded";
    uint64_t from = held_from(s);
    bool in_vain = too_much_read_again(s);
    s->reach = UINT64_MAX;
    if (in_vain && !tell_retry_limit(s))
        return SLUICE__NOMEM;
    if (s->committed && !sluice__staged(s)) { /* it was announced: it ends here */
        if (!sluice__stop_arguments(s))
            return SLUICE__NOMEM;
        s->pos = from;
        s->syntax->drop(s->user, s);
        s->step = NULL;
        s->pinned = 0;
        sluice__lower(s, SLUICE_INCOMPLETE);
        return sluice__gap(s, from) && (in_vain || sluice__tell(s, "limit_exceeded", message))
                   ? finish_block(s, SLUICE__CLOSED)
                   : SLUICE__NOMEM;
    }
    if (sluice__staged(s)) {
        sluice__unstage(s);
        if (s->call.stage_committed) { /* keep earlier calls: only this one becomes text */
            s->begin = held_from(s);
            if (!sluice__gap(s, s->begin))
                return SLUICE__NOMEM;
        }
    }
    s->pos = s->begin;
    return in_vain || sluice__tell(s, "limit_exceeded", message) ? back_out(s) : SLUICE__NOMEM;
}

int sluice__op_start(sluice_stream *s, int (*step)(sluice_stream *)) {
    sluice__set_reach(s);
    int r = step(s);
    note_end(s, r);
    s->step = r == 0 ? step : NULL;
    return r;
}

/* Waits until there is more input, or more of it may be read. */
static sluice__step wait(sluice_stream *s) {
    uint64_t reach = s->reach;
    if (sluice__window_end(&s->window) > reach) {
        sluice__set_reach(s); /* events since then let it look further */
        return s->reach > reach ? SLUICE__AGAIN : give_up(s);
    }
    if (!s->holds && !s->locked && !sluice__gap(s, s->pos))
        return SLUICE__NOMEM;
    return SLUICE__MORE;
}

sluice__step sluice__step_block(sluice_stream *s) {
    if (s->step) {
        sluice__set_reach(s);
        int r = s->step(s);
        note_end(s, r);
        if (r < 0)
            return SLUICE__NOMEM;
        if (r == 0)
            return wait(s);
        s->step = NULL;
    }
    return finish_block(s, s->syntax->resume(s->user, s));
}

bool sluice__fail(sluice_stream *s, const char *message) {
    s->pinned = 0;
    s->locked = false;
    return sluice__tell(s, "script_error", message);
}
