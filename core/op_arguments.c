/* Operations that read arguments as JSON. */
#include "reading.h"
#include "utf8.h"

/* End of the reader's output, as an offset in the response. */
static uint64_t read_upto(const sluice_stream *s) {
    if (!s->op->quoted)
        return s->op->at + s->reader->at;
    return s->op->map && !s->reader->at
               ? s->op->origin
               : s->op->hold + (s->op->map ? s->op->map[s->reader->at - 1] : 0);
}

static bool told_twice(sluice_stream *s, const char *key, size_t len) {
    char message[160];
    if (!sluice__reader_flush(s->reader)) /* first the arguments before it */
        return false;
    s->reader->halts = true;
    size_t n = len < 80 ? len : 80;
    memcpy(message, "the parameter ", 14);
    memcpy(message + 14, key, n);
    memcpy(message + 14 + n, " was given before", 17);
    return sluice__error_at(s, read_upto(s), sluice__code("duplicate_parameter"), message, n + 31);
}

static bool arguments_raw(void *user, const char *p, size_t n, bool source) {
    sluice_stream *s = user;
    (void)source;
    if (s->op->value && !s->op->opened) { /* the key is written when its value arrives */
        s->op->opened = true;
        s->call.container &= n && *p != '"'; /* a string is shown decoded */
        if (!sluice__write_key(s))
            return false;
    }
    uint64_t upto = read_upto(s);
    if (!sluice__arguments(s, p, n, upto))
        return false;
    if (!s->call.container)
        return true;
    if (s->op->take) { /* the value's own closer */
        s->op->take = s->call.container = false;
        bool good = sluice__shown(s, p, n, upto);
        if (s->call.key_over) /* else the next key has begun */
            s->call.key.len = 0;
        return good;
    }
    return sluice__shown(s, p, n, upto);
}

static bool arguments_token(void *user, sluice__token token, size_t depth, const char *p,
                            size_t n) {
    sluice_stream *s = user;
    bool again, top = depth == !s->op->value;
    if (s->op->value) { /* a string is shown decoded, other values as written */
        if (token == SLUICE__T_STRING_END)
            return s->call.shown || sluice__shown(s, "", 0, read_upto(s));
        return token != SLUICE__T_STRING || sluice__shown(s, p, n, read_upto(s));
    }
    switch (token) {
    case SLUICE__T_KEY:
        if (!top)
            return true;
        if (s->call.key_over) /* a container before it may not have been shown yet */
            s->call.key.len = 0;
        s->call.key_over = false;
        s->call.hash = sluice__hash_of(s->call.hash, p, n);
        if (s->call.key.len > 4096)
            return true;
        return sluice__buffer_add(&s->alloc, &s->call.key, p, n);
    case SLUICE__T_KEY_END:
        if (!top)
            return true;
        if (!sluice__hashes_add(&s->alloc, &s->call.seen, s->call.hash, &again))
            return false;
        s->call.hash = SLUICE__HASH_START;
        s->call.key_over = true;
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
        s->op->take = top && s->call.container; /* its closer is still to come */
        return true;
    }
    return true;
}

static bool arguments_note(void *user, const char *code, const char *message) {
    sluice_stream *s = user;
    bool utf8 = strcmp(code, "invalid_utf8") == 0;
    if (!utf8 && strcmp(code, "repaired") != 0) { /* something may be lost or misread */
        sluice__lower(s, SLUICE_INCOMPLETE);
        return s->op->over ||
               ((s->op->over = true) &&
                sluice__error_at(s, read_upto(s), sluice__code(code), message, strlen(message)));
    }
    if (utf8 ? s->op->escaper.bad : s->op->one_line)
        return true; /* each once per call */
    if (utf8)
        s->op->escaper.bad = true;
    else
        s->op->one_line = true;
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

/* Undoes the string around an encoded object, from *in on, up to `room` decoded bytes. Returns
 * their number. *closed: the closing quote was passed. */
static size_t unwrap(sluice_stream *s, const char **in, const char *end, char *to, uint16_t *map,
                     size_t room, bool *closed) {
    static const char plain[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *start = *in;
    size_t n = 0, before;
    for (; *in < end && n + 8 < room && *in - start < UINT16_MAX;
         (*in)++, memset_map(map, before, n, (uint16_t)(*in - start))) {
        char c = **in;
        before = n;
        if (s->op->unwrap.state == 0) {
            if ((uint8_t)c == s->op->unwrap.quote) {
                *closed = true;
                (*in)++;
                break;
            }
            if (c == '\\') {
                s->op->unwrap.state = 1;
                s->op->unwrap.from = s->op->at + (uint64_t)(*in - start);
            } else {
                to[n++] = c;
            }
        } else if (s->op->unwrap.state == 1) {
            const char *known = c ? strchr(plain, c) : NULL;
            s->op->unwrap.state = 0;
            if (c == 'u') {
                s->op->unwrap.state = 2;
                s->op->unwrap.part_len = 0;
            } else if (known) {
                to[n++] = values[known - plain];
            } else if ((uint8_t)c == s->op->unwrap.quote) {
                to[n++] = c;
            } else {
                to[n++] = '\\';
                to[n++] = c;
            }
        } else {
            s->op->unwrap.part[s->op->unwrap.part_len++] = c;
            uint32_t code = 0;
            for (int k = 0; k < s->op->unwrap.part_len; k++) {
                char h = s->op->unwrap.part[k];
                uint32_t digit = h >= '0' && h <= '9' ? (uint32_t)(h - '0')
                                 : (h | 32) >= 'a' && (h | 32) <= 'f'
                                     ? (uint32_t)((h | 32) - 'a' + 10)
                                     : 0;
                code = code << 4 | digit;
            }
            if (s->op->unwrap.part_len < 4)
                continue;
            s->op->unwrap.state = 0;
            if (code >= 0xD800 && code <= 0xDBFF) {
                s->op->unwrap.high = (uint16_t)code;
            } else {
                if (code >= 0xDC00 && code <= 0xDFFF)
                    code = s->op->unwrap.high
                               ? 0x10000 + (((uint32_t)s->op->unwrap.high - 0xD800) << 10) +
                                     (code - 0xDC00)
                               : 0xFFFD;
                s->op->unwrap.high = 0;
                n += (size_t)sluice__utf8_encode(code, to + n);
            }
        }
    }
    return n;
}

static int end_arguments(sluice_stream *s, sluice__reading how) {
    s->result.ok = how == SLUICE__READ_DONE;
    s->result.kind = how;
    s->result.end = s->op->at;
    if (how == SLUICE__READ_NOMEM)
        return -1;
    if (how != SLUICE__READ_DONE) {
        s->op->hold = s->sent;
        s->op->map = NULL;
        s->reader->at = 0;
        bool quoted = s->op->quoted, over = quoted && !s->op->unwrap.quote; /* the string is over */
        long open = (long)s->reader->depth;
        s->op->quoted = true; /* the closing text covers no bytes */
        if (!sluice__reader_close(s->reader))
            return -1;
        s->op->quoted = quoted;
        s->result.item = s->reader->cut + 2 * s->reader->at_limit + 4 * over + 8 * open;
        s->result.text = s->reader->problem;
        s->result.text_len = s->reader->problem ? strlen(s->reader->problem) : 0;
    }
    s->pos = s->op->at;
    s->locked = false;
    s->call.container = false;
    return 1;
}

/* Handles text after the encoded object in its string, from bytes[from] on. Drops extra closers;
 * anything else may have been arguments. False if out of memory. */
static bool behind_encoded(sluice_stream *s, const char *bytes, size_t from, size_t n,
                           const uint16_t *map) {
    static const char message[] = "text after the encoded arguments was left out";
    for (; from < n; from++) {
        if (sluice__is_space(bytes[from]))
            continue;
        sluice__lower(s, bytes[from] == '}' || bytes[from] == ']' ? SLUICE_RECOVERED
                                                                  : SLUICE_INCOMPLETE);
        if (s->op->ignored)
            continue;
        s->op->ignored = true;
        if (!sluice__error_at(s, s->op->hold + map[from], sluice__code("ignored_text"), message,
                              sizeof message - 1))
            return false;
    }
    return true;
}

/* Reads the brace of arguments that have just begun, and the beginning of the first key, if that is
 * what is visible: as most begin. Stops before the key is over. Returns 1: go on; 0: nothing more
 * can be read yet; -1: out of memory. */
static int begin_plainly(sluice_stream *s) {
    sluice__reader *r = s->reader;
    uint64_t from = s->op->at;
    size_t n = sluice__minus(sluice__visible(s), from), all = 0, quotes = 0;
    const char *p = n ? sluice__at(s, from) : "";
    if (*p != '{' || !r->patient || r->flags & SLUICE__PYTHON || r->top != SLUICE__TOP_OBJECT)
        return 1;
    for (; all < n && all < SLUICE__AT_ONCE; all++)
        if (p[all] == '"' && quotes++)
            break;
    sluice__stepped step;
    if (!sluice__reader_step(r, p, all, &step))
        return -1;
    s->op->at += step.used;
    if (step.sure && !sluice__arguments(s, p, step.sure, from + step.sure))
        return -1;
    return all < n || step.odd || step.done || sluice__at_end(s);
}

static int step_arguments(sluice_stream *s) {
    sluice__reading r;
    if (!s->op->started) {
        if (!sluice__skip_space(s))
            return 0;
        s->op->started = true;
        if (s->op->quoted && s->op->at < sluice__visible(s))
            s->op->unwrap.quote = (uint8_t)*sluice__at(s, s->op->at++);
        s->pos = s->op->at;
        s->op->hold = s->op->at;
        if (!sluice__gap(s, s->pos))
            return -1;
        s->locked = true;
        int begun = s->op->quoted ? 1 : begin_plainly(s);
        s->pos = s->op->at;
        if (begun <= 0)
            return begun;
    }
    if (!s->op->quoted) {
        r = sluice__read_on(s);
        s->pos = s->op->at;
        if (r == SLUICE__READ_MORE && !sluice__at_end(s))
            return 0;
        return end_arguments(s, r);
    }
    while (s->op->at < sluice__visible(s)) {
        char bytes[512];
        uint16_t map[512];
        size_t used;
        bool closed = false;
        const char *in = sluice__at(s, s->op->at),
                   *end = in + sluice__minus(sluice__visible(s), s->op->at);
        bool in_escape = s->op->unwrap.state != 0;
        uint64_t from = s->op->unwrap.from; /* start of the unfinished escape */
        size_t n = unwrap(s, &in, end, bytes, map, sizeof bytes, &closed);
        size_t before = 0; /* white space before the object */
        while (before < n && sluice__is_space(bytes[before]) && sluice__reader_untouched(s->reader))
            before++;
        s->op->hold = s->op->at;
        s->op->origin = in_escape ? from : s->op->at;
        s->op->map = map + before;
        s->op->at = sluice__visible(s) - (uint64_t)(end - in);
        s->pos = s->op->at;
        if (!s->op->open_end) { /* the object is not over yet */
            r = sluice__reader_feed(s->reader, bytes + before, n - before, false, &used);
            used += before;
            s->op->map = NULL;
            if (r == SLUICE__READ_NOMEM)
                return -1;
            if (r == SLUICE__READ_STOP) {
                s->op->at = used ? s->op->hold + map[used - 1] : in_escape ? from : s->op->hold;
                return end_arguments(s, r);
            }
            s->op->open_end = r == SLUICE__READ_DONE;
        } else {
            used = 0;
        }
        if (s->op->open_end && !behind_encoded(s, bytes, used, n, map))
            return -1;
        if (closed) {
            s->op->unwrap.quote = 0;
            return end_arguments(s, s->op->open_end ? SLUICE__READ_DONE : SLUICE__READ_MORE);
        }
    }
    if (!sluice__at_end(s))
        return 0;
    return end_arguments(s, s->op->open_end ? SLUICE__READ_DONE : SLUICE__READ_MORE);
}

static int step_json(sluice_stream *s) {
    if (!s->op->started && !sluice__skip_space(s))
        return 0;
    if (!s->op->started) {
        s->pos = s->op->at;
        if (!sluice__gap(s, s->pos))
            return -1;
    }
    return step_arguments(s);
}

bool sluice__is_reading_arguments(const sluice_stream *s) { return s->step == step_arguments; }

void sluice__end_arguments(sluice_stream *s) {
    end_arguments(s, SLUICE__READ_DONE);
    sluice__op_is_over(s);
}

bool sluice__stop_arguments(sluice_stream *s) {
    bool reads = s->step == step_arguments || s->step == step_json;
    return !reads || end_arguments(s, SLUICE__READ_MORE) > 0;
}

/* Makes the reader's output the open call's arguments. */
static void begin_arguments(sluice_stream *s, size_t token_depth) {
    s->op->sink = (sluice__sink){.user = s,
                                 .raw = arguments_raw,
                                 .token = arguments_token,
                                 .token_depth = token_depth,
                                 .keys_only = !s->set.parameters,
                                 .note = arguments_note,
                                 .left_out = arguments_left_out};
}

int sluice__op_arguments(sluice_stream *s, uint32_t flags, sluice__top top, const char *quote,
                         size_t quote_len, sluice__dress dress) {
    sluice__reset_op(s);
    flags = sluice__as_set(s, flags, quote_len);
    s->op->quoted = dress == SLUICE__ENCODED;
    begin_arguments(s, 1);
    s->call.key.len = 0;
    s->call.hash = SLUICE__HASH_START;
    s->call.container = s->call.key_over = false;
    if (!sluice__begin_reader(s, &s->op->sink, flags, top, quote, quote_len))
        return -1;
    s->reader->plain_quotes |= dress != SLUICE__AS_IS;
    s->reader->lazy = !s->set.parameters; /* shown values follow the tokens */
    s->reader->patient = s->reader->lazy && dress == SLUICE__AS_IS && !quote_len;
    return sluice__op_start(s, step_arguments);
}

int sluice__op_json(sluice_stream *s, uint32_t flags, const char *quote, size_t quote_len,
                    char within) {
    sluice__reset_op(s);
    flags = sluice__as_set(s, flags, quote_len);
    s->op->value = true;
    begin_arguments(s, 0);
    s->call.container = s->set.parameters; /* shown as written, except strings */
    if (!sluice__begin_reader(s, &s->op->sink, flags, SLUICE__TOP_ANY, quote, quote_len))
        return -1;
    s->reader->within = within;
    return sluice__op_start(s, step_json);
}
