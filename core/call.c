/* The open call: beginning, parameters, end. */
#include "parts.h"
#include "utf8.h"

uint64_t sluice__hash_of(uint64_t hash, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)p[i]) * 0x100000001B3u;
    return hash;
}

/* Makes room for more. False if out of memory. */
__attribute__((noinline)) static bool grow(const sluice_allocator *a, sluice__hashes *set) {
    uint32_t cap = set->cap ? set->cap * 2 : 4;
    uint64_t *bigger = sluice__realloc(a, NULL, 0, cap * sizeof *bigger);
    if (!bigger)
        return false;
    memset(bigger, 0, cap * sizeof *bigger);
    for (size_t i = 0; i < set->cap; i++) {
        uint64_t h = set->slots[i];
        size_t at = (size_t)h & (cap - 1);
        while (h && bigger[at])
            at = (at + 1) & (cap - 1);
        if (h)
            bigger[at] = h;
    }
    if (set->slots)
        sluice__realloc(a, set->slots, set->cap * sizeof *bigger, 0);
    set->slots = bigger;
    set->cap = cap;
    return true;
}

bool sluice__hashes_add(const sluice_allocator *a, sluice__hashes *set, uint64_t hash,
                        bool *again) {
    enum { MOST = 4096 };
    *again = false;
    hash += !hash;
    if (set->count * 2 >= set->cap) {
        if (set->count >= MOST)
            return true;
        if (!grow(a, set))
            return false;
    }
    size_t at = (size_t)hash & (set->cap - 1);
    while (set->slots[at]) {
        if (set->slots[at] == hash) {
            *again = true;
            return true;
        }
        at = (at + 1) & (set->cap - 1);
    }
    set->slots[at] = hash;
    set->count++;
    return true;
}

bool sluice__hashes_has(const sluice__hashes *set, uint64_t hash) {
    if (!set->count)
        return false;
    hash += !hash;
    size_t at = (size_t)hash & (set->cap - 1);
    while (set->slots[at] && set->slots[at] != hash)
        at = (at + 1) & (set->cap - 1);
    return set->slots[at] == hash;
}

bool sluice__was_given(const sluice_stream *s, const char *key, size_t len) {
    return sluice__hashes_has(&s->call.given, sluice__hash_whole(key, len));
}

void sluice__hashes_clear(sluice__hashes *set) {
    if (set->count)
        memset(set->slots, 0, set->cap * sizeof *set->slots);
    set->count = 0;
}

bool sluice__seen_id(sluice_stream *s, const char *id, size_t len, bool *again) {
    return sluice__hashes_add(&s->alloc, &s->ids, sluice__hash_whole(id, len), again);
}

void sluice__invalid(sluice_stream *s) { s->call.invalid = true; }

/* Returns where the call being announced begins: after bytes covered by events, and after
 * separators between calls. The name begins at `most`. */
static uint64_t begins_at(const sluice_stream *s, uint64_t most) {
    uint64_t from = s->sent > s->begin ? s->sent : s->begin;
    for (; from < most; from++) {
        char c = *sluice__at(s, from);
        if (!sluice__is_space(c) && (!s->any_call || (c != ',' && c != ';')))
            break;
    }
    return from;
}

void sluice__lower(sluice_stream *s, sluice_status status) {
    if (status > s->call.status)
        s->call.status = (uint8_t)status;
}

static int step_begin(sluice_stream *s) {
    sluice__result *r = &s->result;
    *r = (sluice__result){0};
    if (!sluice__more_calls(s))
        return 1;
    bool in_reason = s->from_reason && s->set.calls_in_reasoning == SLUICE__HOLD;
    /* in a fence, a call of a tool that was not given is an example */
    bool in_fence = s->in_fence || (s->fenced && s->op->code);
    if ((in_reason || in_fence) && !s->committed) {
        /* a call only if the reasoning, or the fence, never closes */
        const sluice__format *f = s->chosen ? s->format : s->root_format; /* with its closers */
        const sluice__markers *set = in_fence ? f->fence : f->closers;
        size_t item;
        if (s->begin < s->closes_at)
            return 1;
        sluice__match m = sluice__find_from(s, set, s->op->at, &s->no_closer, &s->op->at, &item);
        if (m == SLUICE__YES) {
            s->closes_at = s->op->at;
            return 1;
        }
        if (!sluice__at_end(s))
            return 0;
    }
    if (s->set.whole) {
        s->call.stage = s->count;
        s->call.stage_sent = s->sent;
        s->call.stage_committed = s->committed;
        s->call.stage_block = s->block.len;
    }
    s->call.invalid = s->op->code != NULL;
    s->announcing = true;
    bool told = !s->op->code || sluice__tell(s, s->op->code, s->op->message ? s->op->message : "");
    s->announcing = false;
    if (!told)
        return -1;
    uint64_t start = s->op->from, end = s->op->limit;
    s->call.from = s->block_from =
        begins_at(s, start < s->pos && start >= s->sent ? start : s->pos);
    s->block.len = 0;
    if (start >= end || end > s->pos + (uint64_t)s->set.limit_held || start < s->sent)
        start = end = s->pos;  /* the name is not in the text */
    bool later = end > s->pos; /* the name follows the arguments */
    if (!sluice__gap(s, later ? s->pos : start))
        return -1;
    sluice__event *e = sluice__push(s, SLUICE_CALL_BEGIN, start, end);
    if (!e)
        return -1;
    size_t index = s->count - 1;
    if (!s->call.id.len) {
        char fresh[64];
        s->syntax->new_id(s->user, fresh, sizeof fresh);
        if (!sluice__buffer_set(&s->alloc, &s->call.id, fresh, strlen(fresh)))
            return -1;
    }
    size_t name = sluice__keep_text(s, s->call.name.data, s->call.name.len);
    size_t id = sluice__keep_text(s, s->call.id.data, s->call.id.len);
    if (name == SIZE_MAX || id == SIZE_MAX)
        return -1;
    s->queue[index].name = name;
    s->queue[index].id = id;
    if (later) {
        s->early_name_start = start;
        s->early_name_end = end;
    } else {
        if (end > s->sent && !sluice__account(s, end))
            return -1;
    }
    s->committed = s->chosen = s->any_call = true;
    s->pinned = 0;
    s->call.open = true;
    s->call.has_arguments = s->call.built = s->call.key_pending = s->call.in_array = false;
    s->call.in_text = false;
    s->call.status = SLUICE_COMPLETE;
    s->call.kept = s->call.closed = s->call.repaired = s->call.doubtful = false;
    s->call.explained = s->call.schema = false;
    s->call.errors = 0;
    s->call.text.len = 0;
    sluice__hashes_clear(&s->call.seen);
    sluice__hashes_clear(&s->call.given);
    sluice__set_reach(s); /* nothing is held any longer */
    r->ok = true;
    return 1;
}

int sluice__op_begin(sluice_stream *s, const char *name, size_t name_len, const char *id,
                     size_t id_len, uint64_t start, uint64_t end, const char *code,
                     const char *message) {
    s->call.stage = SIZE_MAX;
    s->call.id.len = 0; /* generated if there is none */
    if (!sluice__buffer_set(&s->alloc, &s->call.name, name, name_len) ||
        (id_len && !sluice__buffer_set(&s->alloc, &s->call.id, id, id_len)))
        return -1;
    memset(s->op, 0, sizeof *s->op);
    s->op->from = start;
    s->op->limit = end;
    s->op->at = s->mark;
    s->op->code = code;
    s->op->message = NULL;
    if (message) { /* kept where it survives the wait */
        s->taken.len = 0;
        if (!sluice__buffer_add(&s->alloc, &s->taken, message, strlen(message) + 1))
            return -1;
        s->op->message = s->taken.data;
    }
    return sluice__op_start(s, step_begin);
}

bool sluice__keep_arguments(sluice_stream *s, const char *p, size_t n) {
    s->call.kept = s->call.text.len + n <= (s->call.schema ? (size_t)16 << 20 : (size_t)1 << 20);
    s->call.invalid |= !s->call.kept && s->call.schema; /* it cannot be checked */
    return !s->call.kept || sluice__buffer_add(&s->alloc, &s->call.text, p, n);
}

bool sluice__arguments(sluice_stream *s, const char *p, size_t n, uint64_t upto) {
    s->call.has_arguments = true;
    if (s->call.kept && !sluice__keep_arguments(s, p, n))
        return false;
    return sluice__fragment(s, SLUICE_ARGUMENTS, p, n, upto);
}

bool sluice__shown(sluice_stream *s, const char *p, size_t n, uint64_t upto) {
    s->call.shown = true;
    return !s->set.parameters || sluice__fragment(s, SLUICE_PARAMETER, p, n, upto);
}

bool sluice__close_arguments(sluice_stream *s) {
    if (s->call.closed)
        return true;
    if (s->call.in_text && !sluice__arguments(s, "\"", 1, s->sent)) /* a script stopped inside it */
        return false;
    s->call.in_text = false;
    if (s->call.in_array && !sluice__param_array(s, false))
        return false;
    if (!s->call.has_arguments || s->call.built) {
        const char *rest = s->call.has_arguments ? "}" : "{}";
        if (!sluice__gap(s, s->pos) || !sluice__arguments(s, rest, strlen(rest), s->sent))
            return false;
    }
    s->call.closed = true;
    return true;
}

bool sluice__end_call(sluice_stream *s, const char *id, size_t id_len, const char *extra,
                      size_t extra_len, bool *good) {
    *good = true;
    s->locked = false;
    if (!sluice__close_arguments(s))
        return false;
    if (s->call.status == SLUICE_INCOMPLETE && !s->call.explained &&
        !(sluice__at_end(s) ? sluice__tell(s, "unfinished_call", "the text ends inside the call")
                            : sluice__tell(s, "bad_arguments", "part of the call was not read")))
        return false;
    s->call.open = false;
    if (sluice__staged(s)) {
        if (s->call.status == SLUICE_INCOMPLETE && !s->call.doubtful) {
            sluice__unstage(s);
            s->committed = s->call.stage_committed;
            *good = false;
            return true;
        }
        s->call.stage = SIZE_MAX;
    }
    if (id_len && !sluice__buffer_set(&s->alloc, &s->call.id, id, id_len))
        return false;
    if (!sluice__gap(s, s->pos))
        return false;
    sluice__event *e = sluice__push(s, SLUICE_CALL_END, s->pos, s->pos);
    if (!e)
        return false;
    size_t index = s->count - 1;
    e->status = s->call.status;
    e->valid = s->call.status != SLUICE_INCOMPLETE && !s->call.invalid;
    e->block_start = s->call.from;
    if (s->set.source && s->block.len == sluice__minus(s->pos, s->call.from)) {
        size_t block = sluice__keep_text(s, s->block.data ? s->block.data : "", s->block.len);
        if (block == SIZE_MAX)
            return false;
        s->queue[index].text = block;
        s->queue[index].text_len = s->block.len;
    }
    size_t at = sluice__keep_text(s, s->call.id.data, s->call.id.len);
    if (at == SIZE_MAX)
        return false;
    s->queue[index].id = at;
    if (extra) {
        at = sluice__keep_text(s, extra, extra_len);
        if (at == SIZE_MAX)
            return false;
        s->queue[index].extra = at;
    }
    s->calls++;
    s->mark = s->block_from = s->pos;
    s->block.len = 0;
    sluice__set_reach(s); /* bytes read from here on are held */
    return true;
}

bool sluice__param_hashed(sluice_stream *s, const char *key, size_t len, uint64_t hash) {
    s->call.key.len = 0;
    s->call.key_pending = true;
    s->call.in_array = s->call.shown = false;
    bool again;
    return sluice__hashes_add(&s->alloc, &s->call.given, hash, &again) &&
           sluice__buffer_add(&s->alloc, &s->call.key, key, len);
}

bool sluice__param(sluice_stream *s, const char *key, size_t len) {
    return sluice__param_hashed(s, key, len, sluice__hash_whole(key, len));
}

static bool to_taken(void *user, const char *p, size_t n, bool source) {
    sluice_stream *s = user;
    (void)source;
    return sluice__buffer_add(&s->alloc, &s->taken, p, n);
}

/* True if these bytes need no escapes in a JSON string. May be false for others too. */
static bool is_plain_text(const char *p, size_t n) {
    const uint64_t ones = UINT64_MAX / 255, high = ones * 128, quote = ones * '"';
    uint64_t odd = 0;
    while (n) {
        uint64_t x = ones * ' ', q, b;
        if (n >= 8) {
            memcpy(&x, p, 8);
            p += 8, n -= 8;
        } else {
            for (; n; p++, n--)
                x = x << 8 | (unsigned char)*p;
        }
        q = x ^ quote;
        b = x ^ ones * '\\';
        odd |= x | ((x - ones * ' ') & ~x) | ((q - ones) & ~q) | ((b - ones) & ~b);
    }
    return !(odd & high);
}

/* Reports `text` as the inside of a JSON string; its bytes end at `upto` in the response. A partial
 * character at its end counts, but is reported with what follows. Text without escapes is not
 * copied. */
bool sluice__tell_escaped(sluice_stream *s, sluice__escaper *e, const char *text, size_t n,
                          bool end, uint64_t upto) {
    enum { SHORT = 64 };
    if (!e->part_len && n <= SHORT && is_plain_text(text, n)) {
        e->at = n;
        return !n || sluice__arguments(s, text, n, upto);
    }
    sluice__sink sink = {s, to_taken, NULL, 0, false, NULL, NULL};
    bool was_bad = e->bad, had_part = e->part_len > 0;
    e->sink = &sink;
    e->bad = false;
    s->taken.len = 0;
    if (!sluice__escape(e, text, n, end))
        return false;
    bool same = s->taken.len == n && !e->bad && !had_part && !e->part_len;
    e->bad |= was_bad;
    if (!s->taken.len)
        return true;
    return sluice__arguments(s, same ? text : s->taken.data, s->taken.len, upto - e->part_len);
}

static bool write_escaped(sluice_stream *s, const char *text, size_t n, uint64_t upto) {
    sluice__escaper e = {NULL, {0}, 0, false, 0};
    return sluice__tell_escaped(s, &e, text, n, true, upto);
}

/* Adds text as the inside of a JSON string to `taken`. */
static bool take_escaped(sluice_stream *s, const char *text, size_t n) {
    sluice__sink sink = {s, to_taken, NULL, 0, false, NULL, NULL};
    sluice__escaper e = {&sink, {0}, 0, false, 0};
    return sluice__escape(&e, text, n, true);
}

static bool take(sluice_stream *s, const char *p, size_t n) {
    return sluice__buffer_add(&s->alloc, &s->taken, p, n);
}

/* Puts the text before a value (`{` or a comma, and the key) and the start of the value into
 * `taken`. False if out of memory. */
bool sluice__put_begin(sluice_stream *s, const char *begin, size_t n) {
    enum { AROUND = 4 };
    s->taken.len = 0;
    if (s->call.key_pending) {
        const char *key = s->call.key.data ? s->call.key.data : "";
        size_t len = s->call.key.len;
        s->call.key_pending = false;
        s->call.built = true;
        if (is_plain_text(key, len)) {
            if (!sluice__buffer_reserve(&s->alloc, &s->taken, AROUND + len + n))
                return false;
            char *to = s->taken.data;
            *to++ = s->call.has_arguments ? ',' : '{';
            *to++ = '"';
            sluice__copy_few(to, key, len);
            to += len;
            *to++ = '"';
            *to++ = ':';
            sluice__copy_few(to, begin, n);
            s->taken.len = AROUND + len + n;
            return true;
        }
        if (!take(s, s->call.has_arguments ? ",\"" : "{\"", 2) || !take_escaped(s, key, len) ||
            !take(s, "\":", 2))
            return false;
    } else {
        if (s->call.in_array && !s->call.first_element && !take(s, ",", 1))
            return false;
        s->call.first_element = false;
    }
    return take(s, begin, n);
}

/* Writes both at once. */
bool sluice__write_begin(sluice_stream *s, const char *begin, size_t n, uint64_t upto) {
    return sluice__put_begin(s, begin, n) &&
           (!s->taken.len || sluice__arguments(s, s->taken.data, s->taken.len, upto));
}

int sluice__write_string(sluice_stream *s, const char *text, size_t n, uint64_t upto) {
    enum { SHORT = 64 };
    char begin[1 + SHORT];
    bool all = n <= SHORT && is_plain_text(text, n);
    begin[0] = '"';
    if (all)
        memcpy(begin + 1, text, n);
    if (!sluice__write_begin(s, begin, all ? n + 1 : 1, all ? upto : s->sent))
        return -1;
    return all;
}

bool sluice__write_key(sluice_stream *s) { return sluice__write_begin(s, "", 0, s->sent); }

/* Writes the key, and a value as JSON. */
static bool write_value(sluice_stream *s, const char *json, size_t len) {
    enum { SHORT = 256 }; /* longer values are not copied twice */
    if (len <= SHORT)
        return sluice__write_begin(s, json, len, s->call.upto);
    return sluice__write_key(s) && sluice__arguments(s, json, len, s->call.upto);
}

bool sluice__param_json(sluice_stream *s, const char *json, size_t len) {
    return write_value(s, json, len) && sluice__shown(s, json, len, s->sent);
}

bool sluice__param_text(sluice_stream *s, const char *text, size_t len) {
    return sluice__write_begin(s, "\"", 1, s->sent) && write_escaped(s, text, len, s->call.upto) &&
           sluice__arguments(s, "\"", 1, s->call.upto) && sluice__shown(s, text, len, s->sent);
}

bool sluice__param_part(sluice_stream *s, const char *text, size_t len, bool last) {
    bool first = !s->call.in_text;
    s->call.upto = s->sent;
    s->call.in_text = !last;
    if (first && !sluice__write_begin(s, "\"", 1, s->sent))
        return false;
    bool good = write_escaped(s, text, len, s->pos) &&
                (!(len || last) || sluice__shown(s, text, len, s->sent));
    s->call.upto = 0;
    return good && (!last || sluice__arguments(s, "\"", 1, s->sent));
}

bool sluice__param_array(sluice_stream *s, bool open) {
    if (open) {
        bool good = sluice__write_begin(s, "[", 1, s->sent);
        s->call.in_array = s->call.first_element = true;
        return good;
    }
    s->call.in_array = false;
    return sluice__arguments(s, "]", 1, s->sent);
}

static bool mismatch(sluice_stream *s) {
    char message[160];
    size_t n = s->call.key.len < 80 ? s->call.key.len : 80;
    static const char rest[] = " fits no type that the tool declares; it stays a string";
    sluice__invalid(s);
    memcpy(message, "the value of ", 13);
    if (n)
        memcpy(message + 13, s->call.key.data, n);
    memcpy(message + 13 + n, rest, sizeof rest - 1);
    return sluice__error(s, sluice__code("type_mismatch"), message, 13 + n + sizeof rest - 1);
}

bool sluice__typed_value(sluice_stream *s, const char *text, size_t len, unsigned types,
                         uint32_t flags, bool cut, sluice__buffer *json, unsigned *type,
                         bool *mended) {
    if (!s->set.repairs)
        flags = 0;
    if (!sluice__typed(&s->alloc, text, len, types, flags, cut, json, type, mended))
        return false;
    *mended &= *type && !cut;
    return true;
}

/* Writes a string value that was written as a JSON string. */
static bool param_string(sluice_stream *s, const char *json, size_t len) {
    sluice__buffer text = {0};
    bool good, memory = write_value(s, json, len) &&
                        sluice__json_text(&s->alloc, json, len, &text, &good) &&
                        sluice__shown(s, text.data ? text.data : "", text.len, s->sent);
    sluice__buffer_release(&s->alloc, &text);
    return memory;
}

/* The text is marked as JSON, but is read as a string: reports this unless it is valid JSON. */
static bool tell_no_json(sluice_stream *s, const char *text, size_t len, unsigned types) {
    static const char message[] = "a value marked as JSON is not valid JSON; it stays text";
    unsigned type, all = SLUICE__ANY_TYPE | SLUICE__QUOTED_STRING;
    sluice__buffer json = {0};
    size_t at = 0;
    bool mended, good = sluice__typed(&s->alloc, text, len, all, 0, false, &json, &type, &mended);
    sluice__buffer_release(&s->alloc, &json);
    if (!good || type)
        return good;
    while (at < len && sluice__is_space(text[at]))
        at++;
    char c = at < len ? text[at] : 0;
    bool broken = c == '"' || (types & SLUICE__OBJECT && (c == '{' || c == '['));
    sluice__lower(s, broken ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
    return sluice__error(s, sluice__code(broken ? "bad_arguments" : "repaired"), message,
                         sizeof message - 1);
}

bool sluice__param_typed(sluice_stream *s, const char *text, size_t len, unsigned types,
                         uint32_t flags, bool cut, unsigned *type) {
    sluice__buffer json = {0};
    const char *plain = text;
    size_t n = len;
    *type = cut ? 0 : sluice__typed_as_it_is(&plain, &n, types);
    if (*type)
        return sluice__param_json(s, plain, n);
    bool mended, good = sluice__typed_value(s, text, len, types, flags, cut, &json, type, &mended);
    if (good && mended) {
        static const char message[] = "a value was rewritten as JSON";
        sluice__lower(s, SLUICE_RECOVERED);
        good = sluice__error(s, sluice__code("repaired"), message, sizeof message - 1);
    }
    if (good && !*type && !cut && types & SLUICE__SAID_JSON)
        good = tell_no_json(s, text, len, types);
    if (good && *type == SLUICE__STRING) {
        good = param_string(s, json.data, json.len);
    } else if (good && *type) {
        good = sluice__param_json(s, json.data, json.len);
    } else if (good && (types & SLUICE__STRING || !cut)) {
        if (!(types & SLUICE__STRING))
            good = mismatch(s);
        *type = SLUICE__STRING;
        good = good && sluice__param_text(s, text, len);
    }
    sluice__buffer_release(&s->alloc, &json);
    return good;
}
