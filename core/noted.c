/* What is noted of a call while it is read: its registers, what was seen of it, its status. */
#include "stream.h"

static bool has(const out *set, uint64_t hash) {
    const char *p = out_text(set), *end = p + set->b.len;
    while (p < end && memcmp(p, &hash, sizeof hash) != 0)
        p += sizeof hash;
    return p < end;
}

static uint64_t hash_of(view text) { return sluice__doc_hash(view_len(text), text); }

bool sluice__hash_add(out *set, view text) {
    enum { MOST = 512 };
    uint64_t hash = hash_of(text);
    bool again = has(set, hash);
    if (!again && set->b.len < MOST * sizeof hash)
        put(set, (const char *)&hash, sizeof hash);
    return again;
}

void sluice__set_reg(sluice_stream *s, out *which, view text, uint64_t start, uint64_t end) {
    struct call *c = s->call;
    if (which == &c->id && (text.p == text.end || memchr(text.p, 0, view_len(text))))
        return; /* says as little as none; a NUL would cut it */
    if (which == &c->name) {
        c->header.pattern = SLUICE__NO_PATTERN;
        c->name_start = start;
        c->name_end = end;
    }
    c->header.has_id |= which == &c->id;
    sluice__set(s, &which->b, text);
}

void sluice__hold_pair(sluice_stream *s, view key, view text) {
    out *held = &s->call->held_pairs;
    const size_t lens[] = {view_len(key), view_len(text)};
    held->b.len = s->call->header.pairs;
    put(held, (const char *)lens, sizeof lens);
    put(held, key.p, lens[0]);
    put(held, text.p, lens[1]);
    s->call->header.pairs = (uint32_t)held->b.len;
}

void sluice__lower(sluice_stream *s, sluice_status status) {
    if (status == SLUICE_RECOVERED && s->set.strict && past_space(see(s)) < see(s).end)
        status = SLUICE_INCOMPLETE; /* the text does not end there */
    s->call->status = status > s->call->status ? (uint8_t)status : s->call->status;
}

void sluice__spoil(sluice_stream *s, const char *code, const char *message) {
    sluice__lower(s, SLUICE_INCOMPLETE);
    sluice__report(s, code, message);
}

void sluice__repair(sluice_stream *s, const char *message) {
    sluice__lower(s, s->set.strict ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
    sluice__report(s, "repaired", message);
}

void sluice__tell_loose(sluice_stream *s) {
    if (s->call->header.loose)
        sluice__spoil(s, "ignored_argument",
                      "something beside the arguments is not as the format writes it");
    s->call->header.loose = false;
}

void sluice__new_call(sluice_stream *s) {
    struct call *c = s->call;
    ZERO_FROM(c, absent_at);
    c->absent_at = UINT64_MAX;
    c->wrong.b.len = c->extras.b.len = c->key.b.len = c->used.b.len = c->due.b.len = 0;
}

void sluice__wrong(sluice_stream *s, const char *code, const char *why) {
    s->call->code = code ? code : s->call->code;
    sluice__set(s, &s->call->wrong.b, view_of(why, strlen(why) + 1));
}

bool sluice__is_used(const sluice_stream *s, view key) { return has(&s->call->used, hash_of(key)); }

int sluice__declares(sluice_stream *s, view key) {
    return s->call->tool
               ? s->scripts->ask(s, SLUICE__Q_DECLARES, s->program->singular_keys, key, NULL)
               : 0;
}

bool sluice__may_follow(sluice_stream *s) {
    bool ended = s->call->any == ALL || s->call->whole;
    if (ended)
        sluice__spoil(s, "ignored_argument", "a parameter follows a whole object of arguments");
    return !ended;
}

/* The key of a parameter is written with the beginning of its value. */
void sluice__begin_parameter(sluice_stream *s, view key) {
    out *due = &s->call->due;
    if (key.p != s->call->param.b.data)
        sluice__set(s, &s->call->param.b, key);
    due->b.len = 0;
    put(due, s->call->any ? ",\"" : "{\"", 2);
    sluice__tell_utf8(s, sluice__put_escaped(due, out_view(&s->call->param)));
    put(due, "\":", 2);
}

void sluice__duplicate(sluice_stream *s, view key) {
    sluice__lower(s, SLUICE_INCOMPLETE);
    sluice__report_key(s, "duplicate_parameter", "the parameter ", key,
                       " was given before; the first one is kept");
}

bool sluice__need_call(sluice_stream *s) {
    enum { FEW = 64 }; /* bytes of a short call: else both grow step by step */
    if (s->call)
        return true;
    s->call = sluice__zeroed(&s->heap.alloc, sizeof *s->call);
    s->heap.failed |= !s->call;
    if (!s->call)
        return false;
    for (size_t i = 0; i < TEXTS; i++)
        s->call->texts[i].heap = &s->heap;
    s->call->handed = (sluice__buffer){s->call->room[0], 0, ROOM};
    for (size_t i = 1; i < ROOMS; i++)
        s->call->texts[i - 1].b = (sluice__buffer){s->call->room[i], 0, ROOM};
    s->call->reader.limit = (uint16_t)s->set.limit_depth; /* at most JSON_DEPTH */
    s->heap.failed |= !sluice__buffer_reserve(&s->heap.alloc, &s->made.b, FEW) ||
                      !sluice__buffer_reserve(&s->heap.alloc, &s->call->arguments.b, FEW);
    return !s->heap.failed;
}

void sluice__call_release(sluice_stream *s) {
    struct call *c = s->call;
    sluice__buffer_release(&s->heap.alloc, &c->values);
    sluice__buffer_release(&s->heap.alloc, &c->handed);
    sluice__buffer_release(&s->heap.alloc, &c->watched);
    for (size_t i = 0; i < TEXTS; i++)
        sluice__buffer_release(&s->heap.alloc, &c->texts[i].b);
    sluice__realloc(&s->heap.alloc, c, sizeof *c, 0);
}
