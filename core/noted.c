/* What is noted of a call while it is read: its registers, what was seen of it, its status. */
#include "stream.h"

/* ---- Sets of things seen -------------------------------------------------------------------- */

/* Returns the slot of a hash, or the free one where it belongs. The set has one. */
static uint64_t *slot_of(const hashes *set, uint64_t hash) {
    size_t at = (size_t)hash & (set->cap - 1);
    while (set->slots[at] && set->slots[at] != hash)
        at = (at + 1) & (set->cap - 1);
    return &set->slots[at];
}

static uint64_t hash_of(const char *p, size_t n) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)p[i]) * 0x100000001B3u;
    return hash + !hash;
}

static void grow(sluice_stream *s, hashes *set) {
    hashes bigger = {.cap = set->cap ? set->cap * 2 : 8};
    bigger.slots = sluice__zeroed(&s->alloc, bigger.cap * sizeof *bigger.slots);
    if (!bigger.slots) {
        s->no_memory = true;
        return;
    }
    for (size_t i = 0; i < set->cap; i++)
        if (set->slots[i])
            *slot_of(&bigger, set->slots[i]) = set->slots[i];
    sluice__realloc(&s->alloc, set->slots, set->cap * sizeof *set->slots, 0);
    set->slots = bigger.slots;
    set->cap = bigger.cap;
}

bool sluice__hash_has(const hashes *set, const char *p, size_t n) {
    return set->count && *slot_of(set, hash_of(p, n));
}

bool sluice__hash_add(sluice_stream *s, hashes *set, const char *p, size_t n) {
    enum { MOST = 4096 };
    uint64_t hash = hash_of(p, n);
    if (set->count && *slot_of(set, hash))
        return true;
    if (set->count * 2 >= set->cap && set->count < MOST)
        grow(s, set);
    if (set->count * 2 < set->cap) {
        *slot_of(set, hash) = hash;
        set->count++;
    }
    return false;
}

static void forget(hashes *set) {
    if (set->count)
        memset(set->slots, 0, set->cap * sizeof *set->slots);
    set->count = 0;
}

/* ---- Registers ------------------------------------------------------------------------------ */

bool sluice__set(sluice_stream *s, sluice__buffer *b, const char *p, size_t n) {
    bool good = sluice__buffer_set(&s->alloc, b, p, n);
    s->no_memory |= !good;
    return good;
}

void sluice__set_reg(sluice_stream *s, int which, view text, uint64_t start, uint64_t end) {
    reg *r = &s->call->regs[which];
    if (which == REG_NAME)
        s->pattern = SLUICE__NO_PATTERN;
    r->has = true;
    r->start = start;
    r->end = end;
    sluice__set(s, &r->b, text.p, view_len(text));
}

void sluice__hold_pair(sluice_stream *s, view key, view text) {
    out *held = &s->call->held_pairs;
    const size_t lens[] = {view_len(key), view_len(text)};
    held->b.len = s->pairs;
    put(held, (const char *)lens, sizeof lens);
    put(held, key.p, lens[0]);
    put(held, text.p, lens[1]);
    s->pairs = (uint32_t)held->b.len;
}

/* ---- Status --------------------------------------------------------------------------------- */

void sluice__lower(sluice_stream *s, sluice_status status) {
    if (status > s->status)
        s->status = (uint8_t)status;
}

void sluice__spoil(sluice_stream *s, const char *code, const char *message) {
    sluice__lower(s, SLUICE_INCOMPLETE);
    sluice__report(s, code, message);
}

void sluice__repair(sluice_stream *s, const char *message) {
    sluice__lower(s, SLUICE_RECOVERED);
    sluice__report(s, "repaired", message);
}

void sluice__tell_loose(sluice_stream *s) {
    if (!s->loose)
        return;
    s->loose = false;
    sluice__spoil(s, "ignored_argument", "part of a tag was left out; it may be an argument");
}

bool sluice__more_calls(const sluice_stream *s) {
    return s->calls < s->set.max_calls && !s->lost_track;
}

void sluice__new_call(sluice_stream *s) {
    ZERO_FROM(s, absent_at);
    s->absent_at = UINT64_MAX;
    s->call->wrong.b.len = s->call->extras.b.len = s->call->regs[REG_KEY].b.len = 0;
    s->call->reader.positions = 0;
    s->call->repeated.open = false;
    memset(s->call->extra_to, 0, sizeof s->call->extra_to);
    memset(s->call->extra_from, 0, sizeof s->call->extra_from);
    forget(&s->call->used);
}

void sluice__wrong(sluice_stream *s, const char *code, const char *why) {
    s->code = code ? code : s->code;
    s->call->wrong.b.len = 0;
    put(&s->call->wrong, why, strlen(why) + 1);
}

/* ---- Parameters ----------------------------------------------------------------------------- */

bool sluice__is_used(const sluice_stream *s, view key) {
    return sluice__hash_has(&s->call->used, key.p, view_len(key));
}

int sluice__declares(sluice_stream *s, view key) {
    return s->tool ? s->scripts->ask(s->user, s, SLUICE__Q_DECLARES, s->program->singular_keys, key,
                                     NULL)
                   : 0;
}

/* May this be the key of another parameter of the call? */
bool sluice__key_is_due(sluice_stream *s, view key) {
    return key.p < key.end && !sluice__is_used(s, key) && !equal_views(key, reg_view(s, REG_KEY)) &&
           (!s->tool || sluice__declares(s, key) > 0);
}

/* The key of a parameter is written with the beginning of its value. */
void sluice__begin_parameter(sluice_stream *s, view key) {
    s->key_due = true;
    s->call->due_key.b.len = 0;
    put(&s->call->due_key, key.p, view_len(key));
}

void sluice__duplicate(sluice_stream *s, view key) {
    sluice__lower(s, SLUICE_INCOMPLETE);
    sluice__report_key(s, "duplicate_parameter", "the parameter ", key,
                       " was given before; the first one is kept");
}

/* ---- Life ----------------------------------------------------------------------------------- */

void sluice__call_restart(sluice_stream *s) {
    struct call *c = s->call;
    c->repeated.open = c->value.string = false;
    c->reader.limit = (uint16_t)(s->set.limit_depth < JSON_DEPTH ? s->set.limit_depth : JSON_DEPTH);
    forget(&c->ids);
    forget(&c->used);
}

static void each_out(sluice_stream *s, void (*what)(sluice_stream *, out *)) {
    struct call *c = s->call;
    out *calls[] = {&c->wrong,       &c->first_wrong, &c->held_pairs,   &c->extras,
                    &c->arguments,   &c->source,      &c->repeated.key, &c->repeated.text,
                    &c->param,       &c->decoded,     &c->decoded_text, &c->bad_why,
                    &c->watched.key, &c->others,      &c->due_key};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        what(s, calls[i]);
}

static void make_out(sluice_stream *s, out *o) { *o = new_out(s); }

static void release_out(sluice_stream *s, out *o) { sluice__buffer_release(&s->alloc, &o->b); }

bool sluice__need_call(sluice_stream *s) {
    enum { FEW = 128 }; /* bytes of a short call: else both grow step by step */
    if (s->call)
        return true;
    s->call = sluice__zeroed(&s->alloc, sizeof *s->call);
    if (!s->call) {
        s->no_memory = true;
        return false;
    }
    each_out(s, make_out);
    sluice__call_restart(s);
    s->no_memory |= !sluice__buffer_reserve(&s->alloc, &s->made.b, FEW) ||
                    !sluice__buffer_reserve(&s->alloc, &s->call->arguments.b, FEW);
    return !s->no_memory;
}

void sluice__call_release(sluice_stream *s) {
    struct call *c = s->call;
    hashes *sets[] = {&c->used, &c->ids};
    for (int i = 0; i < 2; i++)
        if (sets[i]->slots)
            sluice__realloc(&s->alloc, sets[i]->slots, sets[i]->cap * sizeof(uint64_t), 0);
    for (int i = 0; i < REGISTERS; i++)
        sluice__buffer_release(&s->alloc, &c->regs[i].b);
    sluice__buffer_release(&s->alloc, &c->called);
    sluice__buffer_release(&s->alloc, &c->call_id);
    sluice__buffer_release(&s->alloc, &c->last_called);
    each_out(s, release_out);
    sluice__realloc(&s->alloc, c, sizeof *c, 0);
}
