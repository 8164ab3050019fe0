#include "scan.h"
#include "cpu.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* ---- Buckets ------------------------------------------------------------------------------ */

/* How many bytes a half lets through. Of first bytes those that text has most of count more. */
static unsigned weight(unsigned bits, bool first_high) {
    static const uint8_t weights[16] = {1, 1, 2, 2, 1, 1, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1};
    unsigned n = 0;
    for (; bits; bits &= bits - 1)
        n += first_high ? weights[__builtin_ctz(bits)] : 1;
    return n;
}

static sluice__group both_of(const sluice__group *a, const sluice__group *b) {
    sluice__group g = {.accepts = 1};
    for (int i = 0; i < SLUICE__PRINT_HALVES; i++) {
        g.halves[i] = a->halves[i] | b->halves[i];
        g.accepts *= weight(g.halves[i], i == 1);
    }
    return g;
}

/* Joins the two groups that let the fewest other bytes through when joined. Of many groups only
 * neighbours are looked at. */
static void join_two(sluice__printer *printer) {
    enum { MANY = 32 };
    size_t best = 0, with = 1;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i + 1 < printer->count; i++)
        for (size_t k = i + 1; k < (printer->count > MANY ? i + 2 : printer->count); k++) {
            const sluice__group *a = &printer->groups[i], *b = &printer->groups[k];
            int64_t more = (int64_t)both_of(a, b).accepts - (int64_t)(a->accepts + b->accepts);
            if (more < least) {
                least = more;
                best = i;
                with = k;
            }
        }
    sluice__group *a = &printer->groups[best], *b = &printer->groups[with];
    *a = both_of(a, b);
    printer->count--;
    memmove(b, b + 1, (printer->count - with) * sizeof *b);
}

/* ---- The sieve ---------------------------------------------------------------------------- */

size_t sluice__sieve_words(size_t count) {
    size_t words = 2;
    while (words < count && words < SLUICE__SIEVE_WORDS)
        words *= 2;
    return words;
}

static inline uint32_t hash_four(const sluice__prints *set, const char *p) {
    uint32_t bytes;
    memcpy(&bytes, p, 4);
    return bytes * 0x9E3779B1u >> set->shift;
}

static inline uint32_t hash_six(const sluice__prints *set, const char *p) {
    uint32_t bytes;
    uint16_t more;
    memcpy(&bytes, p, 4);
    memcpy(&more, p + 4, 2);
    return (bytes ^ more * 0x85EBCA6Bu) * 0x9E3779B1u >> set->shift;
}

static void set_bit(uint32_t *bits, uint32_t i) { bits[i / 32] |= 1u << i % 32; }
static inline bool has_bit(const uint32_t *bits, uint32_t i) { return bits[i / 32] >> i % 32 & 1; }

/* May the six bytes at p begin a literal of four or more? */
static inline bool passes(const sluice__prints *set, const char *p) {
    uint32_t four = hash_four(set, p);
    const uint32_t *six = set->sieve + set->words;
    return has_bit(set->sieve, four) && (has_bit(six, hash_six(set, p)) || has_bit(six, four));
}

/* Of the positions p + k, for each bit k of `mask`, those where a literal may begin. `last`: those
 * that the last bucket has. Six bytes are at each. */
static inline uint32_t sift(const sluice__prints *set, const char *p, uint32_t mask,
                            uint32_t last) {
    uint32_t left = set->brief ? last : 0;
    for (mask &= ~left; mask; mask &= mask - 1)
        if (passes(set, p + __builtin_ctz(mask)))
            left |= mask & -mask;
    return left;
}

/* ---- Making the tables -------------------------------------------------------------------- */

void sluice__printer_add(sluice__printer *printer, const char *text, size_t len) {
    static const uint8_t places[SLUICE__PRINT_HALVES] = {0, 0, 1, 2, 3};
    sluice__prints *set = printer->set;
    sluice__group one = {.accepts = 1}, *last = &printer->groups[printer->count];
    for (size_t i = 0; i < SLUICE__PRINT_HALVES;
         i++) { /* a short literal takes any byte behind it */
        unsigned char c = places[i] < len ? (unsigned char)text[places[i]] : 0;
        one.halves[i] = places[i] < len ? (uint16_t)(1u << (i == 1 ? c >> 4 : c & 15)) : 0xFFFF;
    }
    one = both_of(&one, &one);
    if (len < SLUICE__PRINT) {
        printer->brief = both_of(&printer->brief, &one);
        return;
    }
    set->shift = 27;
    for (size_t words = set->words; words > 1; words /= 2)
        set->shift--;
    set_bit(set->sieve, hash_four(set, text));
    set_bit(set->sieve + set->words,
            len < SLUICE__SIEVED ? hash_four(set, text) : hash_six(set, text));
    if (printer->count && memcmp(one.halves, last[-1].halves, sizeof one.halves) == 0)
        return;
    *last = one;
    if (++printer->count > SLUICE__PRINT_GROUPS)
        join_two(printer);
}

static void fill_bucket(sluice__prints *set, const sluice__group *g, size_t bucket) {
    for (int i = 0; i < SLUICE__PRINT_HALVES; i++)
        for (unsigned bits = g->halves[i]; bits; bits &= bits - 1)
            set->halves[i][__builtin_ctz(bits)] |= (uint8_t)(1u << bucket);
}

void sluice__printer_end(sluice__printer *printer) {
    sluice__prints *set = printer->set;
    set->brief = printer->brief.accepts > 0;
    while (printer->count > (set->brief ? 7 : 8))
        join_two(printer);
    for (size_t k = 0; k < printer->count; k++)
        fill_bucket(set, &printer->groups[k], k);
    fill_bucket(set, &printer->brief, 7);
    for (int c = 0; c < 256; c++)
        set->first[c] = set->halves[0][c & 15] & set->halves[1][c >> 4];
}

/* ---- One position at a time ---------------------------------------------------------------- */

bool sluice__scan_portable(const sluice__prints *set, const char *p, size_t i, size_t n,
                           sluice__hits *hits) {
    for (; i < n; i++) {
        uint8_t buckets = set->first[(unsigned char)p[i]];
        if (buckets && (n - i < SLUICE__SIEVED || sift(set, p + i, 1, buckets >> 7))) {
            *hits = (sluice__hits){i, i + 1, 1};
            return true;
        }
    }
    return false;
}

/* ---- Many at a time ------------------------------------------------------------------------ */

#if defined(__x86_64__)

#define TARGET __attribute__((target("ssse3")))

TARGET static inline __m128i load16(const void *p) { return _mm_loadu_si128(p); }

/* The buckets that have the low nibbles of these bytes in the table. */
TARGET static inline __m128i low16(__m128i table, __m128i bytes) {
    return _mm_shuffle_epi8(table, _mm_and_si128(bytes, _mm_set1_epi8(15)));
}

TARGET bool sluice__scan_ssse3(const sluice__prints *set, const char *p, size_t i, size_t n,
                               sluice__hits *hits) {
    const __m128i a = load16(set->halves[0]), b = load16(set->halves[1]),
                  c = load16(set->halves[2]), d = load16(set->halves[3]),
                  e = load16(set->halves[4]), zero = _mm_setzero_si128();
    if (n - i < 16 + SLUICE__SIEVED - 1)
        return sluice__scan_portable(set, p, i, n, hits);
    const char *q = p + i, *stop = p + n - (16 + SLUICE__SIEVED - 1);
    for (; q <= stop; q += 16) {
        __m128i bytes = load16(q), found = low16(a, bytes);
        found = _mm_and_si128(found, low16(b, _mm_srli_epi16(bytes, 4)));
        found = _mm_and_si128(found, low16(c, load16(q + 1)));
        found = _mm_and_si128(found, low16(d, load16(q + 2)));
        found = _mm_and_si128(found, low16(e, load16(q + 3)));
        uint32_t none = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(found, zero));
        if (none == 0xFFFF)
            continue;
        uint32_t mask = sift(set, q, ~none & 0xFFFF, (uint32_t)_mm_movemask_epi8(found));
        if (mask) {
            i = (size_t)(q - p);
            *hits = (sluice__hits){i, i + 16, mask};
            return true;
        }
    }
    return sluice__scan_portable(set, p, (size_t)(q - p), n, hits);
}

#undef TARGET
#define TARGET __attribute__((target("avx2")))

/* The same for thirty-two bytes. */
TARGET static inline __m256i load32(const void *p) { return _mm256_loadu_si256(p); }
TARGET static inline __m256i table32(const uint8_t *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)p));
}
TARGET static inline __m256i low32(__m256i table, __m256i bytes) {
    return _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, _mm256_set1_epi8(15)));
}

TARGET bool sluice__scan_avx2(const sluice__prints *set, const char *p, size_t i, size_t n,
                              sluice__hits *hits) {
    const __m256i a = table32(set->halves[0]), b = table32(set->halves[1]),
                  c = table32(set->halves[2]), d = table32(set->halves[3]),
                  e = table32(set->halves[4]), zero = _mm256_setzero_si256();
    if (n - i < 32 + SLUICE__SIEVED - 1)
        return sluice__scan_portable(set, p, i, n, hits);
    const char *q = p + i, *stop = p + n - (32 + SLUICE__SIEVED - 1);
    for (; q <= stop; q += 32) {
        __m256i bytes = load32(q), found = low32(a, bytes);
        found = _mm256_and_si256(found, low32(b, _mm256_srli_epi16(bytes, 4)));
        found = _mm256_and_si256(found, low32(c, load32(q + 1)));
        found = _mm256_and_si256(found, low32(d, load32(q + 2)));
        found = _mm256_and_si256(found, low32(e, load32(q + 3)));
        if (_mm256_testz_si256(found, found))
            continue;
        uint32_t mask = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, zero));
        mask = sift(set, q, mask, (uint32_t)_mm256_movemask_epi8(found));
        if (mask) {
            i = (size_t)(q - p);
            *hits = (sluice__hits){i, i + 32, mask};
            return true;
        }
    }
    return sluice__scan_portable(set, p, (size_t)(q - p), n, hits);
}

#undef TARGET

#elif defined(__aarch64__)

static inline uint8x16_t low16(uint8x16_t table, uint8x16_t bytes) {
    return vqtbl1q_u8(table, vandq_u8(bytes, vdupq_n_u8(15)));
}

bool sluice__scan_neon(const sluice__prints *set, const char *p, size_t i, size_t n,
                       sluice__hits *hits) {
    const uint8x16_t a = vld1q_u8(set->halves[0]), b = vld1q_u8(set->halves[1]),
                     c = vld1q_u8(set->halves[2]), d = vld1q_u8(set->halves[3]),
                     e = vld1q_u8(set->halves[4]);
    if (n - i < 16 + SLUICE__SIEVED - 1)
        return sluice__scan_portable(set, p, i, n, hits);
    const char *q = p + i, *stop = p + n - (16 + SLUICE__SIEVED - 1);
    for (; q <= stop; q += 16) {
        uint8x16_t bytes = vld1q_u8((const uint8_t *)q);
        uint8x16_t found = vandq_u8(low16(a, bytes), vqtbl1q_u8(b, vshrq_n_u8(bytes, 4)));
        found = vandq_u8(found, low16(c, vld1q_u8((const uint8_t *)q + 1)));
        found = vandq_u8(found, low16(d, vld1q_u8((const uint8_t *)q + 2)));
        found = vandq_u8(found, low16(e, vld1q_u8((const uint8_t *)q + 3)));
        if (!vmaxvq_u8(found))
            continue;
        uint8_t lanes[16];
        uint32_t mask = 0, last = 0;
        vst1q_u8(lanes, found);
        for (unsigned k = 0; k < 16; k++) {
            mask |= (uint32_t)(lanes[k] != 0) << k;
            last |= (uint32_t)(lanes[k] >> 7) << k;
        }
        mask = sift(set, q, mask, last);
        if (mask) {
            i = (size_t)(q - p);
            *hits = (sluice__hits){i, i + 16, mask};
            return true;
        }
    }
    return sluice__scan_portable(set, p, (size_t)(q - p), n, hits);
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
