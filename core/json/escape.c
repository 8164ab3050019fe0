/* Converts text to the body of a JSON string. */
#include "inside.h"

#include <stdio.h>

bool sluice__escape(sluice__escaper *e, const char *in, size_t n, bool end) {
    const sluice__sink *s = e->sink;
    size_t i = 0, start = 0;
    while (e->part_len && (i < n || end)) { /* finish the sequence of the last call */
        int len = e->part_len ? sluice__utf8_sequence(e->part, e->part_len) : 1;
        if (len == 0 && i < n) {
            e->part[e->part_len++] = in[i++];
            len = sluice__utf8_sequence(e->part, e->part_len);
            if (len < 0) { /* the new byte does not belong to it */
                i--;
                e->part_len--;
            }
        }
        if (len > 0) {
            e->at = i;
            if (!s->raw(s->user, e->part, e->part_len, false))
                return false;
            e->part_len = 0;
        } else if (len < 0 || (i >= n && end)) {
            e->at = i;
            e->bad = true;
            if (!s->raw(s->user, "\xEF\xBF\xBD", 3, false))
                return false;
            e->part_len = 0;
        } else if (i >= n) {
            return true;
        }
    }
    start = i;
    while (i < n) {
        i += plain_run(in + i, n - i, '"');
        if (i >= n)
            break;
        unsigned char c = (unsigned char)in[i];
        if (c >= 0x80) {
            int len = sluice__utf8_sequence(in + i, n - i);
            if (len > 0) {
                i += (size_t)len;
                continue;
            }
            e->at = i;
            if (i > start && !s->raw(s->user, in + start, i - start, true))
                return false;
            if (len == 0 && !end) {
                e->part_len = (uint8_t)(n - i);
                memcpy(e->part, in + i, n - i);
                return true;
            }
            i += len ? (size_t)-len : n - i;
            e->bad = true;
            e->at = i;
            if (!s->raw(s->user, "\xEF\xBF\xBD", 3, false))
                return false;
        } else {
            char escaped[6];
            size_t k = escape_char(c, escaped);
            e->at = i;
            if (i > start && !s->raw(s->user, in + start, i - start, true))
                return false;
            e->at = ++i;
            if (!s->raw(s->user, escaped, k, false))
                return false;
        }
        start = i;
    }
    e->at = n;
    return i <= start || s->raw(s->user, in + start, i - start, true);
}

/* Returns the position of the next lone surrogate, as decoded with HALVES (three bytes that are not
 * valid UTF-8); n if there is none. */
static size_t next_half(const char *p, size_t n, size_t i) {
    while (n - i >= 3) {
        const char *found = memchr(p + i, 0xED, n - i - 2);
        if (!found)
            break;
        i = sluice__minus(found, p);
        if ((unsigned char)p[i + 1] >= 0xA0 && (unsigned char)p[i + 1] <= 0xBF &&
            ((unsigned char)p[i + 2] & 0xC0) == 0x80)
            return i;
        i++;
    }
    return n;
}

bool sluice__escape_whole(const sluice__sink *sink, const char *p, size_t n) {
    for (size_t from = 0;;) {
        size_t i = next_half(p, n, from);
        sluice__escaper escaper = {sink, {0}, 0, false, 0};
        if (!sluice__escape(&escaper, p + from, i - from, true))
            return false;
        if (i >= n)
            return true;
        char half[8];
        int k = snprintf(half, sizeof half, "\\u%04x",
                         0xD000u | (p[i + 1] & 0x3Fu) << 6 | (p[i + 2] & 0x3Fu));
        if (!sink->raw(sink->user, half, (size_t)k, false))
            return false;
        from = i + 3;
    }
}
