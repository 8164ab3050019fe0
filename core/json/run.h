/* Lengths of JSON tokens. */
#ifndef SLUICE_RUN_H
#define SLUICE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__SSE2__)
/* Returns the positions of this byte among sixteen. */
static inline unsigned sluice__where(__m128i bytes, char c) {
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}
#endif

/* Returns which of sixteen bytes a backslash escapes. `backs`: the backslashes among them.
 * *carry: 1 if the first byte is escaped; becomes 1 if the byte after them is. */
static inline unsigned sluice__escaped(unsigned backs, unsigned *carry) {
    enum { ALL = 0xFFFF };
    const unsigned odd = 0xAAAAAAAA;
    unsigned starts = backs & ~*carry; /* of escapes, if none of them is escaped */
    unsigned codes = ((starts << 1 | odd) - starts) ^ odd; /* it borrows through each run of them */
    unsigned escaped = (codes ^ (backs | *carry)) & ALL;
    *carry = (codes & backs) >> 15;
    return escaped;
}

/* Returns the length of the prefix of p[0..n) without quotes and backslashes. */
static inline size_t sluice__string_run(const char *p, size_t n) {
    size_t i = 0;
#if defined(__SSE2__)
    for (; n - i >= 16; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        unsigned hit = sluice__where(v, '"') | sluice__where(v, '\\');
        if (hit)
            return i + (size_t)__builtin_ctz(hit);
    }
#endif
    while (i < n && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

/* Returns the length of the prefix of p[0..n) without quotes and brackets; sometimes less: `y`,
 * `Y`, `_` and DEL may end it, too. */
static inline size_t sluice__structure_run(const char *p, size_t n) {
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), bits = _mm_set1_epi8(0x26), all = _mm_set1_epi8(0x7F);
    for (; n - i >= 16; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i bracket =
            _mm_cmpeq_epi8(_mm_or_si128(v, bits), all); /* [ ] { } differ in these bits */
        int hit = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), bracket));
        if (hit)
            return i + (size_t)__builtin_ctz((unsigned)hit);
    }
#endif
    while (i < n && p[i] != '"' && (p[i] | 0x26) != 0x7F)
        i++;
    return i;
}

static inline size_t sluice__digit_run(const char *p, size_t n, bool bounded) {
    size_t i = 0;
    while ((!bounded || i < n) && p[i] >= '0' && p[i] <= '9')
        i++;
    return i;
}

/* Returns the length of the number at p whose whole part, known to be valid, has `i` bytes; or
 * 0. */
static inline __attribute__((always_inline)) size_t sluice__number_rest(const char *p, size_t i,
                                                                        size_t n, bool bounded) {
    if ((!bounded || i < n) && p[i] == '.') {
        size_t digits = sluice__digit_run(p + i + 1, n - i - 1, bounded);
        if (!digits)
            return 0;
        i += 1 + digits;
    }
    if ((!bounded || i < n) && (p[i] | 32) == 'e') {
        i++;
        i += (!bounded || i < n) && (p[i] == '+' || p[i] == '-');
        size_t digits = sluice__digit_run(p + i, n - i, bounded);
        if (!digits)
            return 0;
        i += digits;
    }
    return i;
}

/* Returns the length of the number that begins at p, or 0; *whole: of its whole part. `bounded`: it
 * may end at p[n]; else a byte that cannot be part of it follows, and `n` is not used. */
static inline __attribute__((always_inline)) size_t
sluice__number_run(const char *p, size_t n, bool bounded, size_t *whole) {
    size_t sign = (!bounded || n) && p[0] == '-';
    size_t digits = sluice__digit_run(p + sign, n - sign, bounded);
    if (digits > 1 && p[sign] == '0')
        digits = 1;
    *whole = sign + digits;
    return digits ? sluice__number_rest(p, *whole, n, bounded) : 0;
}

#endif
