#include "utf8.h"

/* Table 3-7 of the Unicode standard: the second byte's range depends on the first. */
static int lead(unsigned char c, unsigned char *low, unsigned char *high) {
    *low = 0x80;
    *high = 0xBF;
    if (c >= 0xC2 && c <= 0xDF)
        return 2;
    if (c >= 0xE0 && c <= 0xEF) {
        if (c == 0xE0)
            *low = 0xA0;
        if (c == 0xED)
            *high = 0x9F;
        return 3;
    }
    if (c >= 0xF0 && c <= 0xF4) {
        if (c == 0xF0)
            *low = 0x90;
        if (c == 0xF4)
            *high = 0x8F;
        return 4;
    }
    return 0;
}

int sluice__utf8_sequence(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    unsigned char low, high;
    if (p[0] < 0x80)
        return 1;
    int len = lead(p[0], &low, &high);
    if (!len)
        return -1;
    for (int i = 1; i < len; i++) {
        if ((size_t)i >= n)
            return 0;
        if (p[i] < low || p[i] > high)
            return -i;
        low = 0x80;
        high = 0xBF;
    }
    return len;
}

size_t sluice__utf8_tail(const char *p, size_t n) {
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char c = (unsigned char)p[n - back];
        if (c < 0x80)
            return 0;
        if (c < 0xC0)
            continue;
        size_t len = c < 0xC2 || c > 0xF4 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        if (back >= len)
            return 0; /* the character is whole, or invalid */
        if (back > 1 && (c == 0xE0 || c == 0xED || c >= 0xF0)) { /* which restricts the next byte */
            unsigned char low, high, second = (unsigned char)p[n - back + 1];
            lead(c, &low, &high);
            if (second < low || second > high)
                return 0;
        }
        return back;
    }
    return 0;
}

int sluice__utf8_encode(uint32_t c, char *out) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}
