/* The reader's output: JSON text, tokens, notes. */
#include "inside.h"

bool sluice__reader_flush(sluice__reader *r) {
    if (!r->sure_len)
        return true;
    size_t n = r->sure_len, at = r->at;
    r->sure_len = 0;
    r->at = sluice__minus(r->sure, r->in) + n;
    bool good = r->sink->raw(r->sink->user, r->sure, n, true);
    r->at = at;
    return good;
}

/* Handles more output than may be pending. False if out of memory. */
static bool too_much(sluice__reader *r, const char *p, size_t *n) {
    if (r->state <= COLON && is_space(*p)) { /* too much white space between tokens is left out */
        *n = PENDING_MAX - r->pending.len;
        return !r->sink->left_out || (sluice__reader_flush(r) && r->sink->left_out(r->sink->user));
    }
    r->let_go = true; /* a key of this length is no longer held */
    return settle(r);
}

bool out(sluice__reader *r, const char *p, size_t n, bool source) {
    if (!n)
        return true;
    if (r->holding && n > PENDING_MAX - r->pending.len && !too_much(r, p, &n))
        return false;
    if (r->holding)
        return sluice__buffer_add(r->alloc, &r->pending, p, n);
    if (source && r->lazy && (!r->sure_len || r->sure + r->sure_len == p)) {
        if (!r->sure_len)
            r->sure = p;
        r->sure_len += n;
        return true;
    }
    return sluice__reader_flush(r) && r->sink->raw(r->sink->user, p, n, source);
}

bool settle(sluice__reader *r) {
    r->holding = r->commented = false;
    if (!r->pending.len)
        return true;
    size_t n = r->pending.len;
    r->pending.len = 0;
    return sluice__reader_flush(r) && r->sink->raw(r->sink->user, r->pending.data, n, false);
}

bool flush(sluice__reader *r) {
    size_t run = r->run;
    r->run = r->at = r->i;
    return r->i == run || out(r, r->in + run, r->i - run, true);
}

bool swallow(sluice__reader *r) {
    bool good = flush(r);
    r->run = r->at = ++r->i;
    return good;
}

static bool note(sluice__reader *r, const char *code, const char *message) {
    r->at = r->i;
    return !r->sink->note ||
           (sluice__reader_flush(r) && r->sink->note(r->sink->user, code, message));
}

bool tell(sluice__reader *r, const char *message) { return note(r, "repaired", message); }

bool tell_loss(sluice__reader *r, const char *message) {
    return note(r, "ignored_argument", message);
}

bool tell_doubt(sluice__reader *r, const char *message) {
    return note(r, "bad_arguments", message);
}

bool replaced(sluice__reader *r) {
    static const char message[] = "invalid UTF-8 was replaced by U+FFFD";
    return (!r->sink->note ||
            (sluice__reader_flush(r) && r->sink->note(r->sink->user, "invalid_utf8", message))) &&
           out(r, "\xEF\xBF\xBD", 3, false) && decoded(r, "\xEF\xBF\xBD", 3);
}

size_t lone_half(const sluice__reader *r, uint32_t code, char *to) {
    return (size_t)sluice__utf8_encode(r->flags & SLUICE__HALVES ? code : 0xFFFD, to);
}

bool decoded(sluice__reader *r, const char *p, size_t n) {
    if (!wants_text(r))
        return true;
    sluice__token t = r->in_key ? SLUICE__T_KEY : SLUICE__T_STRING;
    if (r->high) {
        char half[4];
        size_t len = lone_half(r, r->high, half);
        r->high = 0;
        if (!token(r, t, half, len))
            return false;
    }
    return !n || token(r, t, p, n);
}

bool decoded_code(sluice__reader *r, uint32_t code) {
    if (!wants_text(r))
        return true;
    char utf8[4];
    if (code >= 0xDC00 && code <= 0xDFFF && r->high) {
        code = 0x10000 + (((uint32_t)r->high - 0xD800) << 10) + (code - 0xDC00);
        r->high = 0;
    } else if (code >= 0xD800 && code <= 0xDBFF) {
        if (!decoded(r, NULL, 0))
            return false;
        r->high = (uint16_t)code;
        return true;
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return decoded(r, utf8, lone_half(r, code, utf8));
    }
    return decoded(r, utf8, (size_t)sluice__utf8_encode(code, utf8));
}

/* Writes a character of a string that must be escaped in JSON, or another ASCII one. */
size_t escape_char(unsigned char c, char *to) {
    static const char names[] = "btn\0fr";
    if (c == '"' || c == '\\') {
        to[0] = '\\';
        to[1] = (char)c;
        return 2;
    }
    if (c >= 0x20) {
        to[0] = (char)c;
        return 1;
    }
    if (c >= 8 && c <= 13 && c != 11) {
        to[0] = '\\';
        to[1] = names[c - 8];
        return 2;
    }
    memcpy(to, "\\u00", 4);
    to[4] = c >> 4 ? '1' : '0';
    to[5] = "0123456789abcdef"[c & 15];
    return 6;
}

bool out_char(sluice__reader *r, unsigned char c) {
    char escaped[6], plain = (char)c;
    size_t n = escape_char(c, escaped);
    return out(r, escaped, n, false) && decoded(r, &plain, 1);
}

bool out_text(sluice__reader *r, const char *p, size_t n) {
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)p[i];
        int len = c < 0x80 ? 1 : sluice__utf8_sequence(p + i, n - i);
        if (c < 0x80) {
            if (!out_char(r, c))
                return false;
        } else if (len > 0) {
            if (!out(r, p + i, (size_t)len, false) || !decoded(r, p + i, (size_t)len))
                return false;
        } else {
            if (!out(r, "\xEF\xBF\xBD", 3, false) || !decoded(r, "\xEF\xBF\xBD", 3))
                return false;
            len = len ? -len : (int)(n - i);
        }
        i += (size_t)len;
    }
    return true;
}
