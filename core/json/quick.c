/*
 * The fast path: tokens of strict JSON that are whole in the input, one after the other. It never
 * repairs, waits or stops. At the first byte that is not plain it leaves a state from which the
 * ordinary functions continue; they would have given the same output for the bytes read.
 */
#include "inside.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    SPACE_MOST = 256, /* longer white space, keys and numbers take the ordinary path */
    WORD_MOST = 4096,
    KEY_FEW = 24,  /* bytes of a key that are looked at one by one */
    PATIENCE = 64, /* a patient reader leaves cut tokens up to this length to the next call */
    PENDING_MOST = PENDING_MAX / 2
};

/* `p`: the next byte; `from`: the first byte that is not certain yet; `cut`: a token that is plain
 * so far reaches the end. Functions are compiled twice: for steps (sluice__reader_step) and not. */
typedef struct cursor {
    const char *p, *end, *from;
    bool cut;
} cursor;

/* Gives out pending bytes: they are of an earlier chunk, or changed. */
__attribute__((noinline)) static bool give_pending(sluice__reader *r, const cursor *c) {
    size_t n = r->pending.len;
    r->pending.len = 0;
    if (!sluice__reader_flush(r))
        return false;
    r->at = sluice__minus(c->from, r->in);
    return r->sink->raw(r->sink->user, r->pending.data, n, false);
}

/* Makes bytes up to `upto` certain. */
INLINE bool certain(sluice__reader *r, cursor *c, const char *upto, bool steps) {
    r->holding = false;
    if (steps) {
        r->pending.len = 0;
        c->from = upto;
        return true;
    }
    if (r->pending.len && !give_pending(r, c))
        return false;
    if (r->sure_len && r->sure + r->sure_len != c->from && !sluice__reader_flush(r))
        return false;
    if (!r->sure_len)
        r->sure = c->from;
    r->sure_len += sluice__minus(upto, c->from);
    c->from = upto;
    return r->lazy || sluice__reader_flush(r);
}

static inline bool send(sluice__reader *r, const char *at, sluice__token t, const char *p,
                        size_t n) {
    if (!watched(r))
        return true;
    r->at = sluice__minus(at, r->in);
    return r->sink->token(r->sink->user, t, r->depth, p, n);
}

/* Skips white space. False if it is too long, or nothing follows. */
static inline bool skip_space(cursor *c) {
    const char *p = c->p, *most = c->end - p > SPACE_MOST ? p + SPACE_MOST : c->end;
    while (p < most && is_space(*p))
        p++;
    if (p == most)
        return false;
    c->p = p;
    return true;
}

static inline bool ends_word(char c) { return c == ',' || c == ']' || c == '}' || is_space(c); }

/* ---- Tokens: `*went` becomes false if one is not plain; the cursor is then before it --------- */

/* True if what follows the quote at c->p proves that it closes the string. */
static bool is_plain_end(const sluice__reader *r, cursor *c) {
    const char *p = c->p + 1;
    if (!asks_quotes(r))
        return true;
    while (p < c->end && is_space(*p))
        p++;
    if (p == c->end) {
        c->cut = true;
        return false;
    }
    enum kind top = around(r);
    return *p == ',' || (*p == '}' && top == OBJECT) || (*p == ']' && top == ARRAY);
}

/* Reads the rest of a string from c->p on. */
INLINE bool rest_of_string(sluice__reader *r, cursor *c, bool *went, bool steps) {
    const char *body = c->p;
    bool text = watched(r) && !r->sink->keys_only;
    size_t n = sluice__minus(c->end, body),
           k = text ? plain_run(body, n, '"') : passing_run(body, n, '"');
    if (text && k && !send(r, body + k, SLUICE__T_STRING, body, k))
        return false;
    c->p = body + k;
    if (k == n || *c->p != '"' || !is_plain_end(r, c)) { /* it continues on the ordinary path */
        *went = false;
        c->cut |= k == n;
        return certain(r, c, c->p, steps);
    }
    if ((!r->lazy && !certain(r, c, c->p, steps)) ||
        !send(r, c->p + 1, SLUICE__T_STRING_END, NULL, 0) || !certain(r, c, ++c->p, steps))
        return false;
    value_done(r);
    r->last = LAST_STRING;
    return true;
}

INLINE bool string(sluice__reader *r, cursor *c, bool *went, bool steps) {
    const char *body = c->p + 1;
    size_t n = sluice__minus(c->end, body);
    r->in_key = false;
    r->delimiter = '"';
    r->high = 0;
    r->state = STRING;
    r->escapes = 0;
    bool may_be_path = (n < 2 || body[1] == ':') && (n < DRIVE || body[2] == '\\');
    r->begins = may_be_path ? 0 : NO_DRIVE;
    if (!certain(r, c, body, steps))
        return false;
    c->p = body;
    if (may_be_path) {
        *went = steps;
        return true;
    }
    return rest_of_string(r, c, went, steps);
}

INLINE bool open(sluice__reader *r, cursor *c, bool *went, bool steps) {
    bool object = *c->p == '{';
    if (r->depth >= r->depth_limit) {
        *went = false;
        return true;
    }
    r->in_key = false;
    if (!certain(r, c, ++c->p, steps) ||
        !send(r, c->p, object ? SLUICE__T_OBJECT : SLUICE__T_ARRAY, NULL, 0) ||
        !push_kind(r, object ? OBJECT : ARRAY))
        return false;
    r->had_comma = r->let_go = false;
    r->holding = true;
    r->state = object ? KEY : VALUE;
    return true;
}

INLINE bool close(sluice__reader *r, cursor *c, bool steps) {
    if (!r->lazy && !certain(r, c, c->p, steps))
        return false;
    r->depth--;
    if (!send(r, c->p + 1, SLUICE__T_CLOSE, NULL, 0) || !certain(r, c, ++c->p, steps))
        return false;
    value_done(r);
    return true;
}

/* True if p[0..n) is the beginning of a number or a word that may continue. */
static bool is_cut_scalar(const char *p, size_t n) {
    static const char *const words[] = {"true", "false", "null"};
    size_t k = 0;
    while (k < n && (is_digit(p[k]) || memchr("-.eE+", p[k], 5)))
        k++;
    for (size_t i = 0; k < n && i < 3; i++)
        if (n <= strlen(words[i]) && memcmp(p, words[i], n) == 0)
            return true;
    return k == n;
}

INLINE bool scalar(sluice__reader *r, cursor *c, bool *went, bool steps) {
    const char *p = c->p;
    size_t n = sluice__minus(c->end, p), k = 0;
    if (*p == '-' || (*p >= '0' && *p <= '9'))
        k = number_length(p, n > WORD_MOST ? WORD_MOST : n);
    else if (n > 4 && (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0))
        k = 4;
    else if (n > 5 && memcmp(p, "false", 5) == 0)
        k = 5;
    if (!k || k >= n || !ends_word(p[k])) {
        *went = false;
        c->cut = is_cut_scalar(p, n);
        return true;
    }
    r->in_key = false;
    c->p = p + k;
    if (!send(r, c->p, SLUICE__T_SCALAR, p, k) || !certain(r, c, c->p, steps))
        return false;
    value_done(r);
    return true;
}

/* Passes one blank, which most writers put after a colon and a comma. True if this byte follows. */
INLINE bool follows(cursor *c, char byte) {
    c->p += c->p < c->end && *c->p == ' ';
    return c->p < c->end && *c->p == byte;
}

/* Reads a colon at c->p, after a key, and the beginning of a string after it. */
INLINE bool colon(sluice__reader *r, cursor *c, bool *went, bool steps) {
    if (*c->p != ':' || top_of(r) == KWARGS) { /* name=value */
        *went = false;
        return true;
    }
    c->p++;
    r->in_key = false;
    r->state = VALUE;
    return follows(c, '"') ? string(r, c, went, steps) : true;
}

/* Reads a key, and what follows it as for colon(). */
INLINE bool key(sluice__reader *r, cursor *c, bool *went, bool steps) {
    const char *body = c->p + 1, *few = body;
    size_t n = sluice__minus(c->end, body);
    if (n > WORD_MOST)
        n = WORD_MOST;
    for (const char *most = body + (n < KEY_FEW ? n : KEY_FEW);
         few < most && !sluice__odd_in_string[(unsigned char)*few];)
        few++;
    size_t k = sluice__minus(few, body);
    if (k < n && body[k] != '"')
        k = watched(r) ? plain_run(body, n, '"') : passing_run(body, n, '"');
    if (k == n || body[k] != '"') {
        *went = false;
        c->cut = body + k == c->end;
        return true;
    }
    r->in_key = true;
    if ((k && !send(r, body + k, SLUICE__T_KEY, body, k)) ||
        !send(r, body + k + 1, SLUICE__T_KEY_END, NULL, 0))
        return false;
    c->p = body + k + 1;
    r->state = COLON;
    bool goes_on = c->p < c->end && *c->p == ':' && !(steps && r->halts);
    return goes_on ? colon(r, c, went, steps) : true;
}

/* Reads the token at `c->p`, which is not white space. */
INLINE bool next(sluice__reader *r, cursor *c, bool *went, bool steps) {
    char byte = *c->p;
    if (r->state == VALUE) {
        if (byte == '"' && (r->depth || r->top != SLUICE__TOP_OBJECT))
            return string(r, c, went, steps);
        if (byte == '{' || (byte == '[' && (r->depth || r->top != SLUICE__TOP_OBJECT)))
            return open(r, c, went, steps);
        if (byte == ']' && r->depth && !r->had_comma && top_of(r) == ARRAY)
            return close(r, c, steps);
        if (r->depth || r->top != SLUICE__TOP_OBJECT)
            return scalar(r, c, went, steps);
    } else if (r->state == KEY) {
        if (byte == '"')
            return key(r, c, went, steps);
        if (byte == '}' && !r->had_comma && top_of(r) == OBJECT)
            return close(r, c, steps);
    } else if (r->state == COLON) {
        return colon(r, c, went, steps);
    } else {
        enum kind top = top_of(r);
        if (byte == ',') {
            bool good = c->p == c->from || certain(r, c, c->p, steps);
            c->p++;
            r->holding = r->had_comma = true;
            r->state = top == ARRAY ? VALUE : KEY;
            return good && r->state == KEY && follows(c, '"') ? key(r, c, went, steps) : good;
        }
        if ((byte == ']' && top == ARRAY) || (byte == '}' && top == OBJECT))
            return close(r, c, steps);
    }
    *went = false;
    return true;
}

going sluice__reading_quick(sluice__reader *r) {
    if (!flush(r))
        return NO_MEMORY;
    if (r->let_go || r->flags & SLUICE__PYTHON || r->pending.len > PENDING_MOST)
        return GOES_ON;
    const char *in = r->in;
    cursor c = {in + r->i, in + r->n, in + r->i, false};
    bool good = true, went = true;
    while (good && went && r->state <= COLON && skip_space(&c))
        good = next(r, &c, &went, false);
    r->i = sluice__minus(c.p, in);
    r->run = sluice__minus(c.from, in);
    if (!good || !flush(r))
        return NO_MEMORY;
    return c.cut && r->patient && !r->ended && c.end - c.p <= PATIENCE ? LOOKS_ON : GOES_ON;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

bool sluice__reader_steps(const sluice__reader *r) {
    bool in_text = sluice__reader_in_plain_text(r) && !r->in_key;
    return (in_text || r->state <= COLON) && r->depth && r->patient && !r->let_go &&
           !(r->flags & SLUICE__PYTHON);
}

bool sluice__reader_step(sluice__reader *r, const char *in, size_t n, sluice__stepped *to) {
    cursor c = {in, in + n, in, false};
    bool good = true, went = true;
    r->in = in;
    r->n = n;
    r->halts = false;
    to->nested = false;
    while (good && went && !r->halts && c.p < c.end && r->state != DONE) {
        if (r->state == STRING) {
            r->i = sluice__minus(c.p, in);
            c.p += path_run(r);
            went = r->begins != DRIVE;
            good = !went || rest_of_string(r, &c, &went, true);
            continue;
        }
        while (c.p < c.end && is_space(*c.p))
            c.p++;
        if (c.p == c.end)
            break;
        to->nested |= (*c.p | 0x26) == 0x7F;
        good = next(r, &c, &went, true);
    }
    if (c.p > c.from && !r->holding)
        certain(r, &c, c.p, true);
    to->used = sluice__minus(c.p, in);
    to->sure = sluice__minus(c.from, in);
    to->odd = r->halts || (!went && !c.cut);
    to->in_key = r->state == KEY && c.cut;
    to->done = r->state == DONE;
    to->in_string = r->state == STRING;
    return good && (c.p == c.from ||
                    sluice__buffer_add(r->alloc, &r->pending, c.from, sluice__minus(c.p, c.from)));
}

bool sluice__reader_is_no_path(sluice__reader *r, const char *p, size_t n) {
    for (uint8_t begins = r->begins; begins < DRIVE && n; begins++, p++, n--)
        if (!continues_drive(begins, *p)) {
            r->begins = NO_DRIVE;
            break;
        }
    return r->begins == NO_DRIVE;
}
