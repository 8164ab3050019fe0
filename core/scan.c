#include "scan.h"
#include "cpu.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* ---- Buckets ------------------------------------------------------------------------------ */

static unsigned ones(unsigned bits) {
    unsigned n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

static void weigh(sluice__group *g) {
    g->accepts = 1;
    for (int i = 0; i < SLUICE__PRINT; i++)
        g->accepts *= ones(g->nibbles[i][0]) * ones(g->nibbles[i][1]);
}

static sluice__group both_of(const sluice__group *a, const sluice__group *b) {
    sluice__group g;
    for (int i = 0; i < SLUICE__PRINT; i++)
        for (int half = 0; half < 2; half++)
            g.nibbles[i][half] = a->nibbles[i][half] | b->nibbles[i][half];
    weigh(&g);
    return g;
}

/* Joins the two neighbours that let the fewest other bytes through when joined. */
static void join_two(sluice__printer *printer) {
    size_t best = 0;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i + 1 < printer->count; i++) {
        const sluice__group *a = &printer->groups[i];
        int64_t more = (int64_t)both_of(a, a + 1).accepts - (int64_t)(a[0].accepts + a[1].accepts);
        if (more < least) {
            least = more;
            best = i;
        }
    }
    sluice__group *a = &printer->groups[best];
    *a = both_of(a, a + 1);
    printer->count--;
    memmove(a + 1, a + 2, (printer->count - best - 1) * sizeof *a);
}

void sluice__printer_add(sluice__printer *printer, const char *text, size_t len) {
    sluice__group *g = &printer->groups[printer->count];
    for (size_t i = 0; i < SLUICE__PRINT; i++) { /* a short literal takes any byte behind it */
        unsigned char c = i < len ? (unsigned char)text[i] : 0;
        g->nibbles[i][0] = i < len ? (uint16_t)(1u << (c & 15)) : 0xFFFF;
        g->nibbles[i][1] = i < len ? (uint16_t)(1u << (c >> 4)) : 0xFFFF;
    }
    weigh(g);
    if (printer->count && memcmp(g->nibbles, g[-1].nibbles, sizeof g->nibbles) == 0)
        return;
    if (++printer->count > SLUICE__PRINT_GROUPS)
        join_two(printer);
}

void sluice__printer_end(sluice__printer *printer, sluice__prints *set) {
    while (printer->count > 8)
        join_two(printer);
    memset(set, 0, sizeof *set);
    for (size_t k = 0; k < printer->count; k++)
        for (int i = 0; i < SLUICE__PRINT; i++)
            for (int half = 0; half < 2; half++)
                for (unsigned bits = printer->groups[k].nibbles[i][half]; bits; bits &= bits - 1)
                    set->nibbles[i][half][__builtin_ctz(bits)] |= (uint8_t)(1u << k);
    for (int c = 0; c < 256; c++)
        set->first[c] = set->nibbles[0][0][c & 15] & set->nibbles[0][1][c >> 4];
}

/* ---- One position at a time ---------------------------------------------------------------- */

/* May a literal begin at p, where n bytes are? */
static bool taken(const sluice__prints *set, const unsigned char *p, size_t n) {
    uint8_t buckets = set->first[p[0]];
    for (size_t i = 1; i < SLUICE__PRINT && i < n; i++)
        buckets &= set->nibbles[i][0][p[i] & 15] & set->nibbles[i][1][p[i] >> 4];
    return buckets;
}

bool sluice__scan_portable(const sluice__prints *set, const char *p, size_t i, size_t n,
                           sluice__hits *hits) {
    const unsigned char *text = (const unsigned char *)p;
    for (; i < n; i++)
        if (set->first[text[i]] && taken(set, text + i, n - i)) {
            *hits = (sluice__hits){i, i + 1, 1};
            return true;
        }
    return false;
}

/* ---- Many at a time ------------------------------------------------------------------------ */

#if defined(__x86_64__)

/* The buckets of sixteen bytes, each at position `k` of a literal. */
__attribute__((target("ssse3"))) static inline __m128i buckets16(const sluice__prints *set, int k,
                                                                 const char *p) {
    const __m128i fifteen = _mm_set1_epi8(15);
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + k));
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)set->nibbles[k][0]);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)set->nibbles[k][1]);
    return _mm_and_si128(_mm_shuffle_epi8(low, _mm_and_si128(bytes, fifteen)),
                         _mm_shuffle_epi8(high, _mm_and_si128(_mm_srli_epi16(bytes, 4), fifteen)));
}

__attribute__((target("ssse3"))) static inline unsigned none16(__m128i buckets) {
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(buckets, _mm_setzero_si128()));
}

__attribute__((target("ssse3"))) bool sluice__scan_ssse3(const sluice__prints *set, const char *p,
                                                         size_t i, size_t n, sluice__hits *hits) {
    for (; n - i >= 16 + SLUICE__PRINT - 1; i += 16) {
        __m128i found = _mm_and_si128(buckets16(set, 0, p + i), buckets16(set, 1, p + i));
        if (none16(found) == 0xFFFF)
            continue;
        found =
            _mm_and_si128(found, _mm_and_si128(buckets16(set, 2, p + i), buckets16(set, 3, p + i)));
        unsigned mask = ~none16(found) & 0xFFFF;
        if (mask) {
            *hits = (sluice__hits){i, i + 16, mask};
            return true;
        }
    }
    return sluice__scan_portable(set, p, i, n, hits);
}

/* The same for thirty-two bytes. */
__attribute__((target("avx2"))) static inline __m256i buckets32(const sluice__prints *set, int k,
                                                                const char *p) {
    const __m256i fifteen = _mm256_set1_epi8(15);
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(p + k));
    __m256i low = _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)set->nibbles[k][0]));
    __m256i high = _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)set->nibbles[k][1]));
    return _mm256_and_si256(
        _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, fifteen)),
        _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), fifteen)));
}

__attribute__((target("avx2"))) bool sluice__scan_avx2(const sluice__prints *set, const char *p,
                                                       size_t i, size_t n, sluice__hits *hits) {
    const __m256i zero = _mm256_setzero_si256();
    for (; n - i >= 32 + SLUICE__PRINT - 1; i += 32) {
        __m256i found = _mm256_and_si256(buckets32(set, 0, p + i), buckets32(set, 1, p + i));
        if (_mm256_testz_si256(found, found))
            continue;
        found = _mm256_and_si256(
            found, _mm256_and_si256(buckets32(set, 2, p + i), buckets32(set, 3, p + i)));
        uint32_t mask = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, zero));
        if (mask) {
            *hits = (sluice__hits){i, i + 32, mask};
            return true;
        }
    }
    return sluice__scan_portable(set, p, i, n, hits);
}

#elif defined(__aarch64__)

static inline uint8x16_t buckets16(const sluice__prints *set, int k, const uint8_t *p) {
    uint8x16_t bytes = vld1q_u8(p + k);
    return vandq_u8(vqtbl1q_u8(vld1q_u8(set->nibbles[k][0]), vandq_u8(bytes, vdupq_n_u8(15))),
                    vqtbl1q_u8(vld1q_u8(set->nibbles[k][1]), vshrq_n_u8(bytes, 4)));
}

bool sluice__scan_neon(const sluice__prints *set, const char *p, size_t i, size_t n,
                       sluice__hits *hits) {
    const uint8_t *text = (const uint8_t *)p;
    for (; n - i >= 16 + SLUICE__PRINT - 1; i += 16) {
        uint8x16_t found = vandq_u8(buckets16(set, 0, text + i), buckets16(set, 1, text + i));
        if (!vmaxvq_u8(found))
            continue;
        found = vandq_u8(found, vandq_u8(buckets16(set, 2, text + i), buckets16(set, 3, text + i)));
        uint8_t lanes[16];
        uint32_t mask = 0;
        vst1q_u8(lanes, found);
        for (unsigned k = 0; k < 16; k++)
            mask |= (uint32_t)(lanes[k] != 0) << k;
        if (mask) {
            *hits = (sluice__hits){i, i + 16, mask};
            return true;
        }
    }
    return sluice__scan_portable(set, p, i, n, hits);
}

#endif

sluice__scan *sluice__scan_best(void) {
#if defined(__x86_64__)
    return sluice__cpu_has_avx2()    ? sluice__scan_avx2
           : sluice__cpu_has_ssse3() ? sluice__scan_ssse3
                                     : sluice__scan_portable;
#elif defined(__aarch64__)
    return sluice__scan_neon;
#else
    return sluice__scan_portable;
#endif
}
