/* The operations that a syntax reads with; see stream.h. */
#include "stream.h"
#include "utf8.h"

static uint64_t visible(const sluice_stream *s) { return sluice__visible(s); }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void reset_op(sluice_stream *s) {
    memset(&s->op, 0, sizeof s->op);
    s->result = (sluice__result){.item = -1};
    s->op.at = s->pos;
}

/* Moves op.at behind white space. False: what is visible ends there, and more may come. */
static bool skip_space(sluice_stream *s) {
    while (s->op.at < visible(s) && is_space(*sluice__at(s, s->op.at)))
        s->op.at++;
    return s->op.at < visible(s) || sluice__at_end(s);
}

static sluice__match match_here(sluice_stream *s, const sluice__markers *set, uint64_t at,
                                size_t *item) {
    if (at >= visible(s))
        return sluice__at_end(s) ? SLUICE__NO : SLUICE__WAIT;
    return sluice__markers_at(set, sluice__at(s, at), (size_t)(visible(s) - at), sluice__at_end(s),
                              item);
}

/* ---- Looking and taking ------------------------------------------------------------------- */

static int step_accept(sluice_stream *s) {
    size_t item;
    if (s->op.skip && !skip_space(s))
        return 0;
    switch (match_here(s, s->op.set, s->op.at, &item)) {
    case SLUICE__WAIT:
        return 0;
    case SLUICE__NO:
        s->result.start = s->result.end = s->op.at;
        return 1;
    case SLUICE__YES:
        break;
    }
    s->result.ok = true;
    s->result.item = (long)item;
    s->result.start = s->op.at;
    s->result.end = s->op.at + s->op.set->items[item].len;
    if (s->op.take)
        s->pos = s->result.end;
    return 1;
}

int sluice__op_accept(sluice_stream *s, const sluice__markers *set, bool skip, bool take) {
    reset_op(s);
    s->op.set = set;
    s->op.skip = skip;
    s->op.take = take;
    return sluice__op_start(s, step_accept);
}

static int step_byte(sluice_stream *s) {
    if (s->op.skip && !skip_space(s))
        return 0;
    if (s->op.at >= visible(s) && !sluice__at_end(s))
        return 0;
    s->pos = s->op.at;
    s->result.is_byte = true;
    s->result.item = s->pos < visible(s) ? (unsigned char)*sluice__at(s, s->pos) : -1;
    s->result.start = s->result.end = s->pos;
    s->result.ok = s->result.item >= 0;
    return 1;
}

int sluice__op_byte(sluice_stream *s, bool skip) {
    reset_op(s);
    s->op.skip = skip;
    return sluice__op_start(s, step_byte);
}

static int step_upto(sluice_stream *s) {
    uint64_t limit = visible(s), start = s->pos;
    while (s->op.at < limit && s->op.at - start <= s->op.limit) {
        char c = *sluice__at(s, s->op.at);
        if (s->op.unwrap.quote) { /* inside quotes nothing counts but their end */
            if ((uint8_t)c == s->op.unwrap.quote)
                s->op.unwrap.quote = 0;
            s->op.at++;
            continue;
        }
        size_t item;
        sluice__match m = s->op.set->first[(unsigned char)c]
                              ? match_here(s, s->op.set, s->op.at, &item)
                              : SLUICE__NO;
        if (m == SLUICE__WAIT)
            return 0;
        if (m == SLUICE__YES) {
            s->result.ok = true;
            s->result.item = (long)item;
            s->result.start = start;
            s->result.end = s->pos = s->op.at;
            return 1;
        }
        if (s->op.one_line && (c == '\n' || c == '\r'))
            goto none;
        if (s->op.quoted && (c == '"' || c == '\''))
            s->op.unwrap.quote = (uint8_t)c;
        s->op.at++;
    }
    if (s->op.at - start <= s->op.limit && !sluice__at_end(s))
        return 0;
none:
    s->result.start = start;
    s->result.end = s->op.at;
    return 1;
}

int sluice__op_upto(sluice_stream *s, const sluice__markers *set, size_t limit, bool one_line,
                    bool quoted) {
    reset_op(s);
    s->op.set = set;
    s->op.limit = limit;
    s->op.one_line = one_line;
    s->op.quoted = quoted;
    return sluice__op_start(s, step_upto);
}

/* ---- Strings and values before the commit ------------------------------------------------- */

static bool no_raw(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

static bool take_token(void *user, sluice__token token, size_t depth, const char *p, size_t n) {
    sluice_stream *s = user;
    if (token == SLUICE__T_OBJECT || token == SLUICE__T_ARRAY || token == SLUICE__T_SCALAR) {
        s->op.opened = true; /* it is no string */
        return true;
    }
    return depth || !n || sluice__buffer_add(&s->alloc, &s->taken, p, n);
}

/* Feeds the reader what is visible from op.at on. */
static sluice__reading read_on(sluice_stream *s) {
    size_t n = (size_t)(visible(s) - s->op.at), used = 0;
    sluice__reading r = sluice__reader_feed(&s->reader, n ? sluice__at(s, s->op.at) : "", n,
                                            sluice__at_end(s), &used);
    s->op.at += used;
    return r;
}

static const sluice__sink *skip_sink(sluice_stream *s, bool text) {
    s->op.sink = (sluice__sink){s, no_raw, text ? take_token : NULL, 0, false, NULL, NULL};
    return &s->op.sink;
}

static int step_string(sluice_stream *s) {
    sluice__reading r;
    if (!s->op.started) {
        if (!skip_space(s))
            return 0;
        s->op.started = true;
        s->op.from = s->op.at;
        s->taken.len = 0;
    }
    r = read_on(s);
    if (r == SLUICE__READ_NOMEM)
        return -1;
    if (r == SLUICE__READ_MORE && !s->op.opened && s->taken.len <= s->op.limit &&
        !sluice__at_end(s))
        return 0;
    if (r != SLUICE__READ_DONE || s->op.opened || s->taken.len > s->op.limit) {
        s->result.kind = s->taken.len > s->op.limit;
        return 1;
    }
    s->result.ok = true;
    s->result.start = s->op.from;
    s->result.end = s->op.at;
    s->result.text = s->taken.data ? s->taken.data : "";
    s->result.text_len = s->taken.len;
    s->pos = s->op.at;
    return 1;
}

static void begin_reader(sluice_stream *s, const sluice__sink *sink, uint32_t flags,
                         sluice__top top, const char *quote, size_t quote_len) {
    sluice__reader_again(&s->reader, &s->alloc, sink, flags, top, quote, quote_len,
                         s->set.limit_depth);
}

/* Without repairs only what the format itself writes is read. */
static uint32_t as_set(const sluice_stream *s, uint32_t flags, size_t quote_len) {
    return s->set.repairs ? flags : flags & (SLUICE__PYTHON | (quote_len ? SLUICE__BARE : 0u));
}

int sluice__op_string(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      size_t limit) {
    reset_op(s);
    s->op.limit = limit;
    begin_reader(s, skip_sink(s, true), flags, SLUICE__TOP_ANY, quote, quote_len);
    return sluice__op_start(s, step_string);
}

/* May a key begin so? */
static bool begins_key(unsigned char c) {
    return c == '"' || c == '\'' || c == '`' || c == '_' || c == '$' || c == '@' || c >= 128 ||
           (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

enum { BEFORE_BRACE, BEFORE_KEY, IN_KEY, BEHIND_KEY, BEFORE_VALUE };

static int step_member(sluice_stream *s) {
    switch (s->op.mode) {
    case BEFORE_BRACE:
        if (!skip_space(s))
            return 0;
        if (s->op.at >= visible(s) || *sluice__at(s, s->op.at) != '{')
            return 1;
        s->op.at++;
        s->op.mode = BEFORE_KEY;
        /* fall through */
    case BEFORE_KEY:
        for (;; s->op.at++) {
            if (!skip_space(s))
                return 0;
            if (s->op.at >= visible(s) || *sluice__at(s, s->op.at) != ',')
                break;
        }
        s->pos = s->op.at;
        s->result.start = s->result.end = s->pos;
        if (s->pos >= visible(s))
            return 1;
        s->result.kind = (unsigned char)*sluice__at(s, s->pos);
        if (s->result.kind == '}')
            s->result.end = s->pos = s->pos + 1;
        if (!begins_key((unsigned char)s->result.kind))
            return 1;
        s->op.mode = IN_KEY;
        /* fall through */
    case IN_KEY: {
        int r = step_string(s);
        if (r <= 0 || !s->result.ok)
            return r;
        s->op.mode = BEHIND_KEY;
    }
        /* fall through */
    case BEHIND_KEY:
        if (!skip_space(s))
            return 0;
        if (s->op.at < visible(s) &&
            (*sluice__at(s, s->op.at) == ':' || *sluice__at(s, s->op.at) == '='))
            s->op.at++;
        s->op.mode = BEFORE_VALUE;
        /* fall through */
    default:
        if (!skip_space(s))
            return 0;
        s->pos = s->op.at;
        s->result.is_byte = true;
        s->result.item = s->pos < visible(s) ? (unsigned char)*sluice__at(s, s->pos) : -1;
        return 1;
    }
}

int sluice__op_member(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                      bool opens) {
    reset_op(s);
    s->op.limit = s->set.limit_header;
    s->op.mode = opens ? BEFORE_BRACE : BEFORE_KEY;
    begin_reader(s, skip_sink(s, true), as_set(s, flags, quote_len), SLUICE__TOP_ANY, quote,
                 quote_len);
    return sluice__op_start(s, step_member);
}

static int step_skip(sluice_stream *s) {
    if (!s->op.started) {
        if (!skip_space(s))
            return 0;
        s->op.started = true;
        s->op.from = s->op.at;
        if (s->op.at < visible(s))
            s->result.kind = (unsigned char)*sluice__at(s, s->op.at);
    }
    sluice__reading r = read_on(s);
    if (r == SLUICE__READ_NOMEM)
        return -1;
    if (r == SLUICE__READ_MORE && !sluice__at_end(s))
        return 0;
    s->result.ok = r == SLUICE__READ_DONE;
    s->result.start = s->op.from;
    s->result.end = s->op.at;
    s->result.item = r;
    if (s->result.ok)
        s->pos = s->op.at;
    return 1;
}

int sluice__op_skip(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len) {
    reset_op(s);
    begin_reader(s, skip_sink(s, false), flags, SLUICE__TOP_ANY, quote, quote_len);
    return sluice__op_start(s, step_skip);
}

/* ---- Arguments that are read as an object ------------------------------------------------- */

#define HASH_START 0xCBF29CE484222325u

static uint64_t hash_of(uint64_t hash, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)p[i]) * 0x100000001B3u;
    return hash;
}

bool sluice__hashes_add(const sluice_allocator *a, sluice__hashes *set, uint64_t hash,
                        bool *again) {
    enum { MOST = 4096 };
    *again = false;
    if (!hash)
        hash = 1;
    if (set->count * 2 >= set->cap) {
        size_t cap = set->cap ? set->cap * 2 : 16;
        if (set->count >= MOST)
            return true;
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

void sluice__hashes_clear(sluice__hashes *set) {
    if (set->count)
        memset(set->slots, 0, set->cap * sizeof *set->slots);
    set->count = 0;
}

bool sluice__seen_id(sluice_stream *s, const char *id, size_t len, bool *again) {
    return sluice__hashes_add(&s->alloc, &s->ids, hash_of(HASH_START, id, len), again);
}

/* Where in the response the reader's output ends. */
static uint64_t read_upto(const sluice_stream *s) {
    if (!s->op.quoted)
        return s->op.at + s->reader.at;
    return s->op.hold + (s->op.map && s->reader.at ? s->op.map[s->reader.at - 1] : 0);
}

static bool told_twice(sluice_stream *s, const char *key, size_t len) {
    char message[160];
    if (!sluice__reader_flush(&s->reader)) /* the arguments before it come first */
        return false;
    size_t n = len < 80 ? len : 80;
    memcpy(message, "the parameter ", 14);
    memcpy(message + 14, key, n);
    memcpy(message + 14 + n, " was given before", 17);
    return sluice__error_at(s, read_upto(s), sluice__code("duplicate_parameter"), message, n + 31);
}

static bool arguments_raw(void *user, const char *p, size_t n, bool source) {
    sluice_stream *s = user;
    (void)source;
    uint64_t upto = read_upto(s);
    if (!sluice__arguments(s, p, n, upto))
        return false;
    if (!s->call.container)
        return true;
    if (s->op.take) { /* that was the value's own closer */
        s->op.take = s->call.container = false;
        bool good = sluice__shown(s, p, n, upto);
        s->call.key.len = 0;
        return good;
    }
    return sluice__shown(s, p, n, upto);
}

static bool arguments_token(void *user, sluice__token token, size_t depth, const char *p,
                            size_t n) {
    sluice_stream *s = user;
    bool again, top = depth == !s->op.value;
    if (s->op.value) { /* a string is shown decoded, anything else as it is written */
        if (token == SLUICE__T_STRING)
            s->call.container = false;
        return token != SLUICE__T_STRING || sluice__shown(s, p, n, read_upto(s));
    }
    switch (token) {
    case SLUICE__T_KEY:
        if (!top)
            return true;
        s->call.hash = hash_of(s->call.hash, p, n);
        if (s->call.key.len > 4096)
            return true;
        return sluice__buffer_add(&s->alloc, &s->call.key, p, n);
    case SLUICE__T_KEY_END:
        if (!top)
            return true;
        if (!sluice__hashes_add(&s->alloc, &s->call.seen, s->call.hash, &again))
            return false;
        s->call.hash = HASH_START;
        s->call.container = s->call.shown = false;
        return !again || told_twice(s, s->call.key.data ? s->call.key.data : "", s->call.key.len);
    case SLUICE__T_STRING:
        return !top || sluice__shown(s, p, n, read_upto(s));
    case SLUICE__T_STRING_END:
        if (!top)
            return true;
        if (!s->call.shown && !sluice__shown(s, "", 0, read_upto(s)))
            return false;
        s->call.key.len = 0;
        return true;
    case SLUICE__T_SCALAR:
        if (!top)
            return true;
        if (!sluice__shown(s, p, n, read_upto(s)))
            return false;
        s->call.key.len = 0;
        return true;
    case SLUICE__T_OBJECT:
    case SLUICE__T_ARRAY:
        if (top) {
            s->call.container = true;
            return sluice__shown(s, token == SLUICE__T_OBJECT ? "{" : "[", 1, read_upto(s));
        }
        return true;
    case SLUICE__T_CLOSE:
        s->op.take = top && s->call.container; /* its closer is still to come */
        return true;
    }
    return true;
}

static bool arguments_note(void *user, const char *code, const char *message) {
    sluice_stream *s = user;
    bool utf8 = strcmp(code, "invalid_utf8") == 0;
    if (utf8 ? s->op.escaper.bad : s->op.one_line)
        return true; /* each once a call */
    if (utf8)
        s->op.escaper.bad = true;
    else
        s->op.one_line = true;
    sluice__lower(s, SLUICE_RECOVERED);
    return sluice__error_at(s, read_upto(s), sluice__code(code), message, strlen(message));
}

static bool arguments_left_out(void *user) {
    sluice_stream *s = user;
    return sluice__gap(s, read_upto(s)); /* so that it need not be kept */
}

static void memset_map(uint16_t *map, size_t from, size_t to, uint16_t value) {
    while (from < to)
        map[from++] = value;
}

static bool write_key(sluice_stream *s);

/* Undoes the string around an encoded object: at most `room` decoded bytes, from *in on. Answers
 * how many; *closed: the closing quote was passed. */
static size_t unwrap(sluice_stream *s, const char **in, const char *end, char *to, uint16_t *map,
                     size_t room, bool *closed) {
    static const char plain[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *start = *in;
    size_t n = 0, before;
    for (; *in < end && n + 8 < room && *in - start < UINT16_MAX;
         (*in)++, memset_map(map, before, n, (uint16_t)(*in - start))) {
        char c = **in;
        before = n;
        if (s->op.unwrap.state == 0) {
            if ((uint8_t)c == s->op.unwrap.quote) {
                *closed = true;
                (*in)++;
                break;
            }
            if (c == '\\') {
                s->op.unwrap.state = 1;
                s->op.unwrap.from = s->op.at + (uint64_t)(*in - start);
            } else {
                to[n++] = c;
            }
        } else if (s->op.unwrap.state == 1) {
            const char *known = c ? strchr(plain, c) : NULL;
            s->op.unwrap.state = 0;
            if (c == 'u') {
                s->op.unwrap.state = 2;
                s->op.unwrap.part_len = 0;
            } else if (known) {
                to[n++] = values[known - plain];
            } else if ((uint8_t)c == s->op.unwrap.quote) {
                to[n++] = c;
            } else {
                to[n++] = '\\';
                to[n++] = c;
            }
        } else {
            s->op.unwrap.part[s->op.unwrap.part_len++] = c;
            uint32_t code = 0;
            for (int k = 0; k < s->op.unwrap.part_len; k++) {
                char h = s->op.unwrap.part[k];
                uint32_t digit = h >= '0' && h <= '9' ? (uint32_t)(h - '0')
                                 : (h | 32) >= 'a' && (h | 32) <= 'f'
                                     ? (uint32_t)((h | 32) - 'a' + 10)
                                     : 0;
                code = code << 4 | digit;
            }
            if (s->op.unwrap.part_len < 4)
                continue;
            s->op.unwrap.state = 0;
            if (code >= 0xD800 && code <= 0xDBFF) {
                s->op.unwrap.high = (uint16_t)code;
            } else {
                if (code >= 0xDC00 && code <= 0xDFFF)
                    code = s->op.unwrap.high
                               ? 0x10000 + (((uint32_t)s->op.unwrap.high - 0xD800) << 10) +
                                     (code - 0xDC00)
                               : 0xFFFD;
                s->op.unwrap.high = 0;
                n += (size_t)sluice__utf8_encode(code, to + n);
            }
        }
    }
    return n;
}

static int end_arguments(sluice_stream *s, sluice__reading how) {
    s->result.ok = how == SLUICE__READ_DONE;
    s->result.kind = how;
    s->result.end = s->op.at;
    if (how == SLUICE__READ_NOMEM)
        return -1;
    if (how != SLUICE__READ_DONE) {
        s->op.hold = s->sent;
        s->op.map = NULL;
        s->reader.at = 0;
        bool quoted = s->op.quoted;
        s->op.quoted = true; /* what closing writes speaks for no bytes */
        if (!sluice__reader_close(&s->reader))
            return -1;
        s->op.quoted = quoted;
        s->result.item = s->reader.cut + 2 * s->reader.at_limit;
        s->result.text = s->reader.problem;
        s->result.text_len = s->reader.problem ? strlen(s->reader.problem) : 0;
    }
    s->pos = s->op.at;
    s->locked = false;
    s->call.container = false;
    return 1;
}

static int step_arguments(sluice_stream *s) {
    sluice__reading r;
    if (!s->op.started) {
        if (!skip_space(s))
            return 0;
        s->op.started = true;
        if (s->op.quoted && s->op.at < visible(s))
            s->op.unwrap.quote = (uint8_t)*sluice__at(s, s->op.at++);
        s->pos = s->op.at;
        s->op.hold = s->op.at;
        if (!sluice__gap(s, s->pos))
            return -1;
        s->locked = true;
    }
    if (!s->op.quoted) {
        r = read_on(s);
        s->pos = s->op.at;
        if (r == SLUICE__READ_MORE && !sluice__at_end(s))
            return 0;
        return end_arguments(s, r);
    }
    while (s->op.at < visible(s)) {
        char bytes[512];
        uint16_t map[512];
        size_t used;
        bool closed = false;
        const char *in = sluice__at(s, s->op.at), *end = in + (size_t)(visible(s) - s->op.at);
        bool in_escape = s->op.unwrap.state != 0;
        uint64_t from = s->op.unwrap.from; /* where the escape began that is not over yet */
        size_t n = unwrap(s, &in, end, bytes, map, sizeof bytes, &closed);
        size_t before = 0; /* white space before the object */
        while (before < n && is_space(bytes[before]) && sluice__reader_untouched(&s->reader))
            before++;
        s->op.hold = s->op.at;
        s->op.map = map + before;
        s->op.at = visible(s) - (uint64_t)(end - in);
        s->pos = s->op.at;
        if (!s->op.open_end) { /* the object is not over yet */
            r = sluice__reader_feed(&s->reader, bytes + before, n - before, false, &used);
            used += before;
            s->op.map = NULL;
            if (r == SLUICE__READ_NOMEM)
                return -1;
            if (r == SLUICE__READ_STOP) {
                s->op.at = used ? s->op.hold + map[used - 1] : in_escape ? from : s->op.hold;
                return end_arguments(s, r);
            }
            s->op.open_end = r == SLUICE__READ_DONE;
        } else {
            used = 0;
        }
        if (s->op.open_end && !s->op.ignored &&
            used < n) { /* what stands behind it in the string */
            while (used < n && is_space(bytes[used]))
                used++;
            if (used < n) {
                static const char message[] = "text behind the encoded arguments was left out";
                s->op.ignored = true;
                sluice__lower(s, SLUICE_RECOVERED);
                if (!sluice__error_at(s, s->op.hold + map[used], sluice__code("ignored_text"),
                                      message, sizeof message - 1))
                    return -1;
            }
        }
        if (closed)
            return end_arguments(s, s->op.open_end ? SLUICE__READ_DONE : SLUICE__READ_MORE);
    }
    if (!sluice__at_end(s))
        return 0;
    return end_arguments(s, s->op.open_end ? SLUICE__READ_DONE : SLUICE__READ_MORE);
}

/* What is read goes out as the open call's arguments. */
static void begin_arguments(sluice_stream *s, size_t token_depth) {
    s->op.sink = (sluice__sink){.user = s,
                                .raw = arguments_raw,
                                .token = arguments_token,
                                .token_depth = token_depth,
                                .keys_only = !s->set.parameters,
                                .note = arguments_note,
                                .left_out = arguments_left_out};
}

int sluice__op_arguments(sluice_stream *s, uint32_t flags, sluice__top top, const char *quote,
                         size_t quote_len, bool encoded) {
    reset_op(s);
    flags = as_set(s, flags, quote_len);
    s->op.quoted = encoded;
    begin_arguments(s, 1);
    s->call.key.len = 0;
    s->call.hash = HASH_START;
    s->call.container = false;
    begin_reader(s, &s->op.sink, flags, top, quote, quote_len);
    s->reader.lazy = !s->set.parameters; /* what is shown follows the tokens */
    return sluice__op_start(s, step_arguments);
}

static int step_json(sluice_stream *s) {
    if (!s->op.started && !skip_space(s))
        return 0;
    if (!s->op.started) {
        s->pos = s->op.at;
        if (!sluice__gap(s, s->pos) || !write_key(s))
            return -1;
    }
    return step_arguments(s);
}

int sluice__op_json(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len) {
    reset_op(s);
    flags = as_set(s, flags, quote_len);
    s->op.value = true;
    begin_arguments(s, 0);
    s->call.container =
        s->set.parameters; /* all of it is shown as it is written, but for strings */
    begin_reader(s, &s->op.sink, flags, SLUICE__TOP_ANY, quote, quote_len);
    return sluice__op_start(s, step_json);
}

/* ---- Arguments that are built parameter by parameter -------------------------------------- */

bool sluice__param(sluice_stream *s, const char *key, size_t len) {
    s->call.key.len = 0;
    s->call.key_pending = true;
    s->call.in_array = s->call.shown = false;
    return sluice__buffer_add(&s->alloc, &s->call.key, key, len);
}

static bool to_taken(void *user, const char *p, size_t n, bool source) {
    sluice_stream *s = user;
    (void)source;
    return sluice__buffer_add(&s->alloc, &s->taken, p, n);
}

/* Tells `text` as the inside of a JSON string; its bytes end at `upto` in the response. What needs
 * no escape goes out as it lies there. */
static bool tell_escaped(sluice_stream *s, sluice__escaper *e, const char *text, size_t n, bool end,
                         uint64_t upto) {
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
    return sluice__arguments(s, same ? text : s->taken.data, s->taken.len, upto);
}

static bool write_escaped(sluice_stream *s, const char *text, size_t n, uint64_t upto) {
    sluice__escaper e = {NULL, {0}, 0, false, 0};
    return tell_escaped(s, &e, text, n, true, upto);
}

/* Writes what stands before a value: `{` or a comma, and the key. */
static bool write_key(sluice_stream *s) {
    if (!s->call.key_pending) {
        if (s->call.in_array && !s->call.first_element && !sluice__arguments(s, ",", 1, s->sent))
            return false;
        s->call.first_element = false;
        return true;
    }
    s->call.key_pending = false;
    bool first = !s->call.has_arguments;
    s->call.built = true;
    return sluice__arguments(s, first ? "{\"" : ",\"", 2, s->sent) &&
           write_escaped(s, s->call.key.data ? s->call.key.data : "", s->call.key.len, s->sent) &&
           sluice__arguments(s, "\":", 2, s->sent);
}

bool sluice__param_json(sluice_stream *s, const char *json, size_t len) {
    return write_key(s) && sluice__arguments(s, json, len, s->call.upto) &&
           sluice__shown(s, json, len, s->sent);
}

bool sluice__param_text(sluice_stream *s, const char *text, size_t len) {
    return write_key(s) && sluice__arguments(s, "\"", 1, s->sent) &&
           write_escaped(s, text, len, s->call.upto) &&
           sluice__arguments(s, "\"", 1, s->call.upto) && sluice__shown(s, text, len, s->sent);
}

bool sluice__param_part(sluice_stream *s, const char *text, size_t len, bool last) {
    bool first = !s->call.in_text;
    s->call.upto = s->sent;
    s->call.in_text = !last;
    if (first && (!write_key(s) || !sluice__arguments(s, "\"", 1, s->sent)))
        return false;
    bool good = write_escaped(s, text, len, s->pos) &&
                (!(len || last) || sluice__shown(s, text, len, s->sent));
    s->call.upto = 0;
    return good && (!last || sluice__arguments(s, "\"", 1, s->sent));
}

bool sluice__param_array(sluice_stream *s, bool open) {
    if (open) {
        bool good = write_key(s) && sluice__arguments(s, "[", 1, s->sent);
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

bool sluice__param_typed(sluice_stream *s, const char *text, size_t len, unsigned types,
                         uint32_t flags, bool cut, unsigned *type) {
    sluice__buffer json = {0};
    bool mended, good = sluice__typed_value(s, text, len, types, flags, cut, &json, type, &mended);
    if (good && mended) {
        static const char message[] = "a value was written as JSON writes it";
        sluice__lower(s, SLUICE_RECOVERED);
        good = sluice__error(s, sluice__code("repaired"), message, sizeof message - 1);
    }
    if (good && *type) {
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

/* ---- Raw values --------------------------------------------------------------------------- */

/* The value's text up to `upto` goes out, or is markup where it is discarded. */
static bool value_send(sluice_stream *s, uint64_t upto) {
    if (upto <= s->op.from)
        return true;
    if (s->op.mode == SLUICE__DISCARDED) {
        s->pos = s->op.from = upto;
        return sluice__gap(s, upto);
    }
    if (s->op.mode != SLUICE__STREAMED)
        return true;
    const char *p = sluice__at(s, s->op.from);
    size_t n = (size_t)(upto - s->op.from);
    if (!s->op.opened) {
        if (!sluice__gap(s, s->op.from) || !write_key(s) || !sluice__arguments(s, "\"", 1, s->sent))
            return false;
        s->op.opened = true;
        s->locked = true;
    }
    bool good = tell_escaped(s, &s->op.escaper, p, n, false, upto);
    good = good && sluice__shown(s, p, n, s->sent);
    s->op.from = upto;
    return good;
}

/* Where the text ends that blanks follow up to `upto`. */
static uint64_t blanks_before(const sluice_stream *s, uint64_t from, uint64_t upto) {
    while (upto > from && is_space(*sluice__at(s, upto - 1)))
        upto--;
    return upto;
}

static int value_end(sluice_stream *s, uint64_t at, long item, bool cut) {
    uint64_t upto = item >= 0 ? sluice__without_tail(s, s->op.from, at, s->op.trail) : at;
    if (s->op.trim)
        upto = blanks_before(s, s->op.from, upto);
    s->result.item = item;
    s->result.start = at;
    s->result.ok = !cut;
    s->result.kind = s->op.over ? 2 : 0;
    if (upto < s->op.from)
        upto = s->op.from;
    switch (s->op.mode) {
    case SLUICE__STREAMED:
        if (!value_send(s, upto))
            return -1;
        if (!s->op.opened &&
            (!sluice__gap(s, upto) || !write_key(s) || !sluice__arguments(s, "\"", 1, s->sent) ||
             !sluice__shown(s, "", 0, s->sent)))
            return -1;
        if (!tell_escaped(s, &s->op.escaper, "", 0, true, upto) ||
            !sluice__arguments(s, "\"", 1, upto))
            return -1;
        if (s->op.escaper.bad) {
            static const char message[] = "bytes that are no UTF-8 became U+FFFD";
            if (!sluice__error(s, sluice__code("invalid_utf8"), message, sizeof message - 1))
                return -1;
        }
        break;
    case SLUICE__TYPED: {
        unsigned type;
        size_t n = (size_t)(upto - s->op.from);
        if (!sluice__gap(s, s->op.from))
            return -1;
        s->call.upto = upto; /* the value's bytes are spoken for by its fragment */
        if (!sluice__param_typed(s, n ? sluice__at(s, s->op.from) : "", n, s->op.types, s->op.flags,
                                 cut, &type))
            return -1;
        s->call.upto = 0;
        break;
    }
    case SLUICE__DISCARDED: /* as it is where it ends behind a wait */
        if (!sluice__gap(s, upto))
            return -1;
        /* fall through */
    default:
        s->result.text = upto > s->op.from ? sluice__at(s, s->op.from) : "";
        s->result.text_len = (size_t)(upto - s->op.from);
        break;
    }
    s->locked = false;
    s->pos = at;
    return 1;
}

/* How far the value may go out while it is not decided whether it ends at `at`. */
static uint64_t before_tail(const sluice_stream *s, uint64_t at) {
    return s->op.trim ? blanks_before(s, s->op.from, at)
                      : at - sluice__tail_of(s, s->op.from, at, s->op.trail);
}

/* Is all of p[0..n) the beginning of some literal? */
static bool begins_one(const sluice__markers *set, const char *p, size_t n) {
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].len > n && memcmp(set->items[i].text, p, n) == 0)
            return true;
    return false;
}

/* A value that reaches up to `upto` and is not told as it comes may be too long for that. */
static bool too_long(sluice_stream *s, uint64_t upto) {
    static const char message[] =
        "a value whose type is decided at its end is longer than limit_value";
    if (s->op.mode == SLUICE__STREAMED || s->op.mode == SLUICE__DISCARDED ||
        upto - s->op.from <= s->set.limit_value)
        return true;
    s->op.over = s->op.mode == SLUICE__CAPTURED;
    s->op.mode = s->op.over && !s->call.key_pending ? SLUICE__DISCARDED : SLUICE__STREAMED;
    return sluice__gap(s, s->op.from) &&
           sluice__error(s, sluice__code("limit_exceeded"), message, sizeof message - 1);
}

static int step_value(sluice_stream *s) {
    uint64_t limit = visible(s);
    bool end = sluice__at_end(s);
    if (!s->op.started) { /* drop `lead`, if all of it is there */
        uint64_t at = s->op.at;
        for (const char *p = s->op.lead; p && *p; p++) {
            if (at >= limit && !end)
                return 0;
            if (at < limit && *sluice__at(s, at) == '\r' && *p == '\n') {
                if (at + 1 >= limit && !end)
                    return 0;
                if (at + 1 < limit && *sluice__at(s, at + 1) == '\n')
                    at++;
            }
            if (at >= limit || *sluice__at(s, at) != *p) {
                at = s->op.at;
                break;
            }
            at++;
        }
        while (at < limit && (s->op.trim ? is_space(*sluice__at(s, at))
                                         : s->op.one_line && (*sluice__at(s, at) == ' ' ||
                                                              *sluice__at(s, at) == '\t')))
            at++;
        if ((s->op.one_line || s->op.trim) && at == limit && !end)
            return 0;
        s->op.started = true;
        s->op.from = s->op.at = s->pos = at;
        s->locked = true;
    }
    for (;;) {
        size_t offset, item;
        uint64_t from = s->op.at, at;
        const char *here = limit > from ? sluice__at(s, from) : "";
        sluice__match m =
            sluice__markers_find(s->op.set, here, (size_t)(limit - from), end, &offset, &item);
        at = from + offset;
        if (s->op.mode == SLUICE__TYPED && s->op.types & SLUICE__STRING && s->op.from < at) {
            uint64_t q = s->op.from, most = q + s->set.limit_value;
            while (q < at && q < most && is_space(*sluice__at(s, q)))
                q++;
            if (q < at && q < most &&
                sluice__only_string(s->op.types, (unsigned char)*sluice__at(s, q)))
                s->op.mode = SLUICE__STREAMED;
        }
        const char *line =
            s->op.one_line && at > from ? memchr(here, '\n', (size_t)(at - from)) : NULL;
        uint64_t stop = line ? from + (uint64_t)(line - here) : at;
        if (!too_long(s, stop))
            return -1;
        if (line) {
            s->op.hold = stop;
            if (value_end(s, blanks_before(s, s->op.from, stop), -2, false) < 0)
                return -1;
            s->result.start = s->pos = stop;
            return 1;
        }
        if (m == SLUICE__YES) {
            unsigned role = s->op.set->items[item].role;
            bool ends = role == SLUICE__FINAL;
            if (role == SLUICE__ASK) {
                if (!value_send(s, before_tail(s, at)))
                    return -1;
                s->op.at = at;
                s->op.limit = item;
                s->result.kind = 1;
                s->result.item = (long)item;
                s->result.start = at;
                s->result.end = at + s->op.set->items[item].len;
                s->pos = at;
                s->asked = s->op;
                s->asks = true;
                return 1;
            }
            if (!ends) {
                uint64_t q = at + s->op.set->items[item].len;
                uint64_t most = q + s->set.limit_header;
                size_t follow;
                while (q < limit && q < most && is_space(*sluice__at(s, q)))
                    q++;
                switch (q < most ? match_here(s, s->op.confirm, q, &follow) : SLUICE__NO) {
                case SLUICE__WAIT:
                    if (!value_send(s, before_tail(s, at)))
                        return -1;
                    s->op.at = at;
                    return 0;
                case SLUICE__YES:
                    ends = true;
                    break;
                case SLUICE__NO: /* the end of the text may stand in the middle of what follows */
                    ends = end && (q >= limit || begins_one(s->op.confirm, sluice__at(s, q),
                                                            (size_t)(limit - q)));
                    break;
                }
            }
            if (ends)
                return value_end(s, at, (long)item, false);
            s->op.at = at + 1;
            continue;
        }
        uint64_t upto = at;
        if (s->op.one_line || s->op.trim)
            upto = blanks_before(s, s->op.from, upto);
        uint64_t tail = sluice__tail_of(s, s->op.from, upto, s->op.trail);
        s->op.at = at;
        if (end && s->op.one_line) {
            if (value_end(s, upto, -1, true) < 0)
                return -1;
            s->pos = limit;
            return 1;
        }
        if (end)
            return value_end(s, limit, -1, true);
        return value_send(s, sluice__whole_upto(s, upto - tail)) ? 0 : -1;
    }
}

int sluice__op_value(sluice_stream *s, const sluice__markers *ends, const sluice__markers *confirm,
                     const char *lead, const char *trail, int mode, unsigned types, uint32_t flags,
                     bool one_line, bool trim) {
    reset_op(s);
    s->op.set = ends;
    s->op.confirm = confirm;
    s->op.lead = lead;
    s->op.trail = trail;
    s->op.types = types;
    s->op.flags = flags;
    s->op.one_line = one_line;
    s->op.trim = trim;
    s->op.mode =
        mode == SLUICE__TYPED && !(types & ~(unsigned)SLUICE__STRING) ? SLUICE__STREAMED : mode;
    return sluice__op_start(s, step_value);
}

int sluice__op_value_go(sluice_stream *s, const sluice__markers *ends,
                        const sluice__markers *confirm, const char *lead, const char *trail,
                        bool ends_here) {
    s->op = s->asked;
    s->asks = false;
    s->op.set = ends;
    s->op.confirm = confirm;
    s->op.lead = lead;
    s->op.trail = trail;
    uint64_t at = s->op.at;
    s->result = (sluice__result){.item = -1};
    if (ends_here)
        return value_end(s, at, (long)s->op.limit, false);
    s->op.at = at + 1;
    return sluice__op_start(s, step_value);
}

/* ---- Text inside blocks, and what means nothing ------------------------------------------- */

static int step_text(sluice_stream *s) {
    uint64_t limit = visible(s);
    bool end = sluice__at_end(s);
    size_t offset, item;
    if (!s->op.started) {
        uint64_t at = s->op.at;
        for (const char *p = s->op.lead; p && *p; p++) {
            if (at >= limit && !end)
                return 0;
            if (at >= limit || *sluice__at(s, at) != *p)
                break;
            at++;
        }
        s->op.started = s->committed = true;
        s->op.from = s->op.at = s->pos = at;
        if (!sluice__gap(s, at))
            return -1;
    }
    uint64_t from = s->op.at;
    sluice__match m = sluice__markers_find(s->op.set, limit > from ? sluice__at(s, from) : "",
                                           (size_t)(limit - from), end, &offset, &item);
    uint64_t at = from + offset;
    s->op.at = at;
    if (m == SLUICE__YES) {
        uint64_t upto = sluice__without_tail(s, s->sent, at, s->op.trail);
        if (!sluice__send(s, (sluice_event_type)s->op.mode, upto))
            return -1;
        s->result.ok = true;
        s->result.item = (long)item;
        s->pos = at;
        return 1;
    }
    uint64_t upto = end ? limit : at - sluice__tail_of(s, s->sent, at, s->op.trail);
    upto = sluice__whole_upto(s, upto);
    if (!sluice__send(s, (sluice_event_type)s->op.mode, upto))
        return -1;
    s->pos = upto;
    return end;
}

int sluice__op_text(sluice_stream *s, const sluice__markers *set, int type, const char *lead,
                    const char *trail) {
    reset_op(s);
    s->op.set = set;
    s->op.mode = type;
    s->op.lead = lead;
    s->op.trail = trail;
    return sluice__op_start(s, step_text);
}

static int step_junk(sluice_stream *s) {
    size_t offset, item;
    uint64_t limit = visible(s), from = s->op.at;
    bool end = sluice__at_end(s);
    sluice__match m = sluice__markers_find(s->op.set, limit > from ? sluice__at(s, from) : "",
                                           (size_t)(limit - from), end, &offset, &item);
    s->op.at = from + offset;
    s->pos = s->op.at;
    if (m == SLUICE__YES) {
        s->result.ok = true;
        s->result.item = (long)item;
        return 1;
    }
    if (end)
        s->pos = limit;
    return end;
}

int sluice__op_junk(sluice_stream *s, const sluice__markers *set) {
    reset_op(s);
    s->op.set = set;
    s->result.start = s->pos;
    return sluice__op_start(s, step_junk);
}
