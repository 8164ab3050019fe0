/* What the parts of the core share besides the operations of stream.h. */
#ifndef SLUICE_PARTS_H
#define SLUICE_PARTS_H

#include "stream.h"

/* Returns the bytes from offset `start` of the response, which must still be visible. */
static inline const char *sluice__at(const sluice_stream *s, uint64_t start) {
    assert(start <= sluice__window_end(&s->window));
    return s->window.data ? s->window.data + sluice__minus(start, s->window.base) : "";
}
static inline bool sluice__is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
/* True while the events of a call wait until it is whole. */
static inline bool sluice__staged(const sluice_stream *s) { return s->call.stage != SIZE_MAX; }

/* Returns the first odd byte, or `end`. */
static inline const char *sluice__first_odd(const uint8_t *odd, const char *text, const char *end) {
    const unsigned char *p = (const unsigned char *)text, *stop = (const unsigned char *)end;
    while (stop - p >= 4 && !(odd[p[0]] | odd[p[1]] | odd[p[2]] | odd[p[3]]))
        p += 4;
    while (p < stop && !odd[*p])
        p++;
    return (const char *)p;
}

/* Fills an event that bypasses the queue. Field by field: faster than clearing the whole. */
static inline void sluice__plain_event(sluice_event *event, sluice_event_type type,
                                       const char *text, size_t len, uint64_t start, uint64_t end,
                                       size_t index) {
    event->type = type;
    event->text = text;
    event->text_len = len;
    event->start = start;
    event->end = end;
    event->index = index;
    event->name = event->id = event->key = event->extra = event->code = event->syntax = NULL;
    event->source = NULL;
    event->source_len = 0;
    event->status = SLUICE_COMPLETE;
    event->valid = event->no_tools = 0;
    event->block_start = 0;
}

/* Any byte may end the next wait. */
static inline void sluice__wait_for_any(sluice_stream *s) {
    s->standby.set = NULL;
    s->standby.odd = NULL;
    s->standby.passes = 0;
    s->standby.then = NULL;
    s->standby.blanks = false;
    s->standby.ends = NULL;
    s->standby.guess = NULL;
}

/* Notes that bytes up to `at` were looked at. */
static inline void sluice__note_looked(sluice_stream *s, uint64_t at) {
    if (at > s->looked)
        s->looked = at;
    if (s->looked > s->furthest)
        s->furthest = s->looked;
}

/* The operation is done, before the end of the text. */
static inline void sluice__op_is_over(sluice_stream *s) {
    sluice__note_looked(s, s->op->at);
    s->hit_end = false;
    s->step = NULL;
}

/* Results of a reading step. */
typedef enum sluice__step { SLUICE__AGAIN, SLUICE__MORE, SLUICE__NOMEM } sluice__step;
static inline sluice__step sluice__told(bool good) { return good ? SLUICE__AGAIN : SLUICE__NOMEM; }

/* True if another call is allowed. */
static inline bool sluice__more_calls(const sluice_stream *s) {
    return s->calls < s->set.max_calls && !s->lost_track;
}

/* ---- Functions, by file ---------------------------------------------------------------------- */

/* stream.c */
bool sluice__fences_hide(const sluice_stream *s); /* True if a closed code fence hides calls. */
void sluice__go_home(sluice_stream *s); /* The block announced no call: any format may follow. */
bool sluice__get_to_work(sluice_stream *s); /* Allocates a block's state. False if out of memory. */
sluice_next sluice__next_event(sluice_stream *s, sluice_event *event); /* The slow path. */
/* All visible bytes were examined on a fast path; holds those after `sent`. */
sluice_next sluice__hold(sluice_stream *s, sluice_event *event);

/* flow.c: chunks that need little of what a block does */
void sluice__flow_begin(sluice_stream *s); /* Sets s->quick if the next chunk may flow. */
sluice_next sluice__flow(sluice_stream *s, sluice_event *event); /* Returns the next event. */
/* The same for a chunk without `odd` bytes. */
sluice_next sluice__plain_chunk(sluice_stream *s, sluice_event *event);
/* True if the appended chunk, which does not only continue one literal, guess or run of bytes,
 * still continues the wait. Else the slow path follows. */
bool sluice__stands_on(sluice_stream *s);
/* For a simple wait, lets the next chunk be appended and nothing else. */
bool sluice__stand_by(sluice_stream *s);
static inline sluice_next sluice__keep_standing(sluice_stream *s) {
    s->passed = true;
    s->window.lent = NULL;
    s->window.lent_len = s->window.copied = 0;
    return SLUICE_NEED_INPUT;
}
/* True if the chunk p[0..n), behind the `held` bytes, only continues a wait for one literal, for a
 * guess or for a byte, as most chunks of a wait do. While strings of JSON flow, nothing is waited
 * for. */
static inline bool sluice__continues(sluice_stream *s, size_t held, const char *p, size_t n) {
    sluice__standby *by = &s->standby;
    bool visible = s->window.base + held + n <= s->reach;
    if (by->set)
        return visible && sluice__markers_inside(by->set, &by->walk, p, n);
    if (!by->guess)
        return by->odd && visible && held + n <= by->most &&
               sluice__first_odd(by->odd, p, p + n) == p + n;
    if (!visible || by->walk.length + n >= by->guess->len ||
        !sluice__same_token(by->guess->text + by->walk.length, p, n))
        return false;
    by->walk.length += (uint32_t)n;
    return true;
}
/* True if the chunk ends a guess, and is as long as was guessed, and right. */
static inline bool sluice__was_right(const sluice_stream *s) {
    const sluice__window *w = &s->window;
    const sluice__standby *by = &s->standby;
    size_t kept = w->lends ? 0 : w->kept, n = by->guess->len - by->walk.length;
    return w->len - kept >= n && memcmp(by->guess->text + by->walk.length, w->data + kept, n) == 0;
}
bool sluice__is_reading_arguments(const sluice_stream *s); /* op_arguments.c */
void sluice__end_arguments(sluice_stream *s);              /* The reader has read all of them. */
/* Closes what is open of arguments, or of a JSON value, being read. False if out of memory. */
bool sluice__stop_arguments(sluice_stream *s);
bool sluice__is_reading_value(const sluice_stream *s); /* op_value.c */
/* call.c: keeps a fragment of the arguments, to be checked at their end. False if out of memory. */
bool sluice__keep_arguments(sluice_stream *s, const char *p, size_t n);

/* events.c */
void sluice__unstage(sluice_stream *s);
sluice__event *sluice__push(sluice_stream *s, sluice_event_type type, uint64_t start, uint64_t end);
size_t sluice__keep_text(sluice_stream *s, const char *p, size_t n);
bool sluice__fragment(sluice_stream *s, sluice_event_type type, const char *p, size_t n,
                      uint64_t upto);
bool sluice__tell(sluice_stream *s, const char *code, const char *message);
void sluice__hand_out(sluice_stream *s, sluice_event *out);

/* text.c */
/* True if a call might begin with the literal, but none is allowed any more: it is text. */
bool sluice__is_idle(const sluice_stream *s, const sluice__marker *m);
sluice__match sluice__find_from(const sluice_stream *s, const sluice__markers *set, uint64_t from,
                                sluice__clear *clear, uint64_t *at, size_t *item);
void sluice__leave_edge(sluice_stream *s);
sluice__step sluice__step_text(sluice_stream *s);
sluice__step sluice__step_reasoning(sluice_stream *s);

/* block.c */
void sluice__set_held_reach(sluice_stream *s);
enum { SLUICE__RESCANNED_BYTES = 256 * 1024 }; /* fewer are no reason to stop */
/* Sets how far the syntax may look. */
static inline void sluice__set_reach(sluice_stream *s) {
    bool few = s->rescanned <= SLUICE__RESCANNED_BYTES && !sluice__staged(s);
    if (few && s->committed && s->call.open && !s->pinned) {
        s->holds = false;
        s->reach = UINT64_MAX;
    } else if (few && s->holds) {
        uint64_t from = s->held > s->sent ? s->held : s->sent;
        s->reach = from + s->set.limit_held >= from ? from + s->set.limit_held : UINT64_MAX;
    } else {
        sluice__set_held_reach(s);
    }
}
sluice__step sluice__open_block(sluice_stream *s, uint64_t at, size_t item);
sluice__step sluice__step_block(sluice_stream *s);

/* call.c */
#define SLUICE__HASH_START 0xCBF29CE484222325u
uint64_t sluice__hash_of(uint64_t hash, const char *p, size_t n); /* of text that comes in parts */
/* The same of text that is whole; another hash. */
static inline uint64_t sluice__hash_whole(const char *p, size_t n) {
    const uint64_t mix = 0x9E3779B97F4A7C15u;
    uint64_t hash = SLUICE__HASH_START ^ n, x;
    for (; n > sizeof x; p += sizeof x, n -= sizeof x) {
        memcpy(&x, p, sizeof x);
        hash = (hash ^ x) * mix;
        hash ^= hash >> 32;
    }
    char last[sizeof x] = {0};
    sluice__copy_few(last, p, n);
    memcpy(&x, last, sizeof x);
    hash = (hash ^ x) * mix;
    return hash ^ hash >> 32;
}
bool sluice__write_key(sluice_stream *s); /* the text before a value; and the start of the value: */
bool sluice__write_begin(sluice_stream *s, const char *begin, size_t n, uint64_t upto);
bool sluice__put_begin(sluice_stream *s, const char *begin, size_t n); /* both, into `taken` */
/* Begins a string. Returns 1 with all of `text`, 0 without it, -1 if out of memory. */
int sluice__write_string(sluice_stream *s, const char *text, size_t n, uint64_t upto);
bool sluice__tell_escaped(sluice_stream *s, sluice__escaper *e, const char *text, size_t n,
                          bool end, uint64_t upto);

bool sluice__was_given(const sluice_stream *s, const char *key, size_t len);

/* op_value.c: parts of reading a value */
int sluice__value_begin(sluice_stream *s);
bool sluice__value_send(sluice_stream *s, uint64_t upto);
int sluice__value_end(sluice_stream *s, uint64_t at, long item, bool cut);
/* Notes the first bytes of the value. */
static inline void sluice__value_start(sluice_stream *s, const char *p, size_t n) {
    sluice__op *op = s->op;
    size_t room = sizeof s->work->start - op->start_len;
    room = n < room ? n : room;
    sluice__copy_few(s->work->start + op->start_len, p, room);
    op->start_len += (uint8_t)room;
}
/* Notes that no literal can begin in the latest bytes. */
static inline void sluice__value_plain(sluice_stream *s) {
    s->op->tail_len = 0;
    s->op->noted = s->op->start_len == sizeof s->work->start;
}
/* Notes the latest bytes of the value, for checks at its end. */
void sluice__value_tail(sluice_stream *s, const char *p, size_t n);
/* True if the end of the raw value contains something like `closer`, its missing closer. */
bool sluice__value_ends_like(const sluice_stream *s, const sluice__marker *closer);
bool sluice__value_is_blank(const sluice_stream *s);
/* True if the value begins with something like `opener`, its missing opener. */
bool sluice__value_begins_like(const sluice_stream *s, const sluice__marker *opener);
bool sluice__holds(const char *p, size_t n, const char *what, size_t len);
uint64_t sluice__value_before(sluice_stream *s, uint64_t at);
bool sluice__value_grows(sluice_stream *s, uint64_t at);
/* op_quoted.c */
int sluice__step_quoted(sluice_stream *s);

/* op.c */
void sluice__reset_op(sluice_stream *s);
bool sluice__skip_space(sluice_stream *s);
sluice__match sluice__match_here(sluice_stream *s, const sluice__markers *set, uint64_t at,
                                 size_t *item);

#endif
