/* Converts text to the body of a JSON string. */
#include "inside.h"

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
