#include "scan.h"
#include "cpu.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

void sluice__prints_add(sluice__prints *set, const char *text, size_t len) {
    unsigned char a = (unsigned char)text[0], b = len > 1 ? (unsigned char)text[1] : 0;
    if (!set->first[a])
        set->bucket[a] = (uint8_t)(1 << set->firsts++ % 8);
    uint8_t bucket = set->bucket[a];
    set->only = a;
    set->first[a] = true;
    set->nibbles[0][a & 15] |= bucket;
    set->nibbles[1][a >> 4] |= bucket;
    for (int i = 0; i < 16; i++) { /* a literal of one byte takes any second */
        if (len == 1 || i == (b & 15))
            set->nibbles[2][i] |= bucket;
        if (len == 1 || i == b >> 4)
            set->nibbles[3][i] |= bucket;
    }
    for (int i = 0; i < set->pair_count && i < 4; i++)
        if (len > 1 && set->pairs[i][0] == a && set->pairs[i][1] == b)
            return;
    if (len == 1 || set->pair_count >= 4) {
        set->pair_count = 5;
        return;
    }
    set->pairs[set->pair_count][0] = a;
    set->pairs[set->pair_count++][1] = b;
}

static bool taken(const sluice__prints *set, unsigned char a, unsigned char b) {
    return set->nibbles[0][a & 15] & set->nibbles[1][a >> 4] & set->nibbles[2][b & 15] &
           set->nibbles[3][b >> 4];
}

size_t sluice__scan_portable(const sluice__prints *set, const char *p, size_t i, size_t n) {
    const unsigned char *text = (const unsigned char *)p;
    for (; i < n; i++)
        if (set->first[text[i]] && (i + 1 == n || taken(set, text[i], text[i + 1])))
            return i;
    return n;
}

#if defined(__x86_64__)

/* A pair's bytes beside each other are compared as they stand; for more than four pairs, or a
 * literal of one byte, there is no lookup in SSE2. */
size_t sluice__scan_sse2(const sluice__prints *set, const char *p, size_t i, size_t n) {
    int count = set->pair_count;
    if (count > 4)
        return sluice__scan_portable(set, p, i, n);
    __m128i first[4], second[4];
    for (int k = 0; k < 4; k++) {
        const uint8_t *pair = set->pairs[k < count ? k : 0];
        first[k] = _mm_set1_epi8((char)pair[0]);
        second[k] = _mm_set1_epi8((char)pair[1]);
    }
    if (count == 0)
        return n;
    for (; n - i > 16; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(p + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(p + i + 1));
        __m128i found = _mm_and_si128(_mm_cmpeq_epi8(a, first[0]), _mm_cmpeq_epi8(b, second[0]));
        for (int k = 1; k < 4; k++)
            found = _mm_or_si128(
                found, _mm_and_si128(_mm_cmpeq_epi8(a, first[k]), _mm_cmpeq_epi8(b, second[k])));
        unsigned mask = (unsigned)_mm_movemask_epi8(found);
        if (mask)
            return i + (size_t)__builtin_ctz(mask);
    }
    return sluice__scan_portable(set, p, i, n);
}

__attribute__((target("avx2"))) static inline __m256i wide(const uint8_t *nibbles) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)nibbles));
}

/* The bytes at `p` whose first or second byte's buckets `low` and `high` tell. */
__attribute__((target("avx2"))) static inline __m256i buckets(__m256i bytes, __m256i low,
                                                              __m256i high, __m256i fifteen) {
    __m256i l = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, fifteen));
    __m256i h = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), fifteen));
    return _mm256_and_si256(l, h);
}

/* Literals that all begin with the same byte: only where that stands the second is looked at. */
__attribute__((target("avx2"))) static size_t scan_one(const sluice__prints *set, const char *p,
                                                       size_t i, size_t n) {
    __m256i first = _mm256_set1_epi8((char)set->only);
    for (; n - i > 64; i += 64) {
        const __m256i *q = (const __m256i *)(p + i);
        __m256i a = _mm256_cmpeq_epi8(_mm256_loadu_si256(q), first);
        __m256i b = _mm256_cmpeq_epi8(_mm256_loadu_si256(q + 1), first);
        __m256i either = _mm256_or_si256(a, b);
        if (_mm256_testz_si256(either, either))
            continue;
        uint64_t mask =
            (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
        for (; mask; mask &= mask - 1) {
            size_t at = i + (size_t)__builtin_ctzll(mask);
            if (taken(set, (unsigned char)p[at], (unsigned char)p[at + 1]))
                return at;
        }
    }
    return sluice__scan_portable(set, p, i, n);
}

__attribute__((target("avx2"))) size_t sluice__scan_avx2(const sluice__prints *set, const char *p,
                                                         size_t i, size_t n) {
    if (set->firsts == 1)
        return scan_one(set, p, i, n);
    __m256i fifteen = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i low1 = wide(set->nibbles[0]), high1 = wide(set->nibbles[1]);
    __m256i low2 = wide(set->nibbles[2]), high2 = wide(set->nibbles[3]);
    for (; n - i > 32; i += 32) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(p + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(p + i + 1));
        __m256i both =
            _mm256_and_si256(buckets(a, low1, high1, fifteen), buckets(b, low2, high2, fifteen));
        unsigned mask = ~(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(both, zero));
        if (mask)
            return i + (size_t)__builtin_ctz(mask);
    }
    return sluice__scan_sse2(set, p, i, n);
}

#elif defined(__aarch64__)

static inline uint8x16_t buckets(uint8x16_t bytes, uint8x16_t low, uint8x16_t high) {
    return vandq_u8(vqtbl1q_u8(low, vandq_u8(bytes, vdupq_n_u8(15))),
                    vqtbl1q_u8(high, vshrq_n_u8(bytes, 4)));
}

size_t sluice__scan_neon(const sluice__prints *set, const char *p, size_t i, size_t n) {
    const uint8_t *text = (const uint8_t *)p;
    uint8x16_t low1 = vld1q_u8(set->nibbles[0]), high1 = vld1q_u8(set->nibbles[1]);
    uint8x16_t low2 = vld1q_u8(set->nibbles[2]), high2 = vld1q_u8(set->nibbles[3]);
    for (; n - i > 16; i += 16) {
        uint8x16_t both = vandq_u8(buckets(vld1q_u8(text + i), low1, high1),
                                   buckets(vld1q_u8(text + i + 1), low2, high2));
        if (vmaxvq_u8(both))
            return sluice__scan_portable(set, p, i, n);
    }
    return sluice__scan_portable(set, p, i, n);
}

#endif

sluice__scan *sluice__scan_best(void) {
#if defined(__x86_64__)
    return sluice__cpu_has_avx2() ? sluice__scan_avx2 : sluice__scan_sse2;
#elif defined(__aarch64__)
    return sluice__scan_neon;
#else
    return sluice__scan_portable;
#endif
}
