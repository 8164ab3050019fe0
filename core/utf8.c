#include "utf8.h"

/* Table 3-7 of the Unicode standard: the second byte's range depends on the first. */
int sluice__utf8_sequence(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text, c = *p;
    int len = c < 0xE0 ? c < 0x80 ? 1 : c < 0xC2 ? 0 : 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (!len)
        return -1;
    int there = n < (size_t)len ? (int)n : len;
    unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < there; i++, low = 0x80, high = 0xBF)
        if (p[i] < low || p[i] > high)
            return -i;
    return there < len ? 0 : len;
}

size_t sluice__utf8_tail(const char *p, size_t n) {
    for (size_t back = 1; back <= 3 && back <= n; back++)
        if (((unsigned char)p[n - back] & 0xC0) != 0x80)
            return (back < 3 || (unsigned char)p[n - back] >= 0xF0) && /* else it is whole */
                           sluice__utf8_sequence(p + n - back, back) == 0
                       ? back
                       : 0;
    return 0;
}

int sluice__utf8_encode(uint32_t c, char *out) {
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    int len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = len - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[len - 1] | c);
    return len;
}
