#include "scan.h"
#include "cpu.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* ---- Buckets ------------------------------------------------------------------------------ */

/* The first buckets: neighbours, which begin alike, are joined until these many are left. With
 * more, the buckets reject less of tables and prose. */
enum { FIRST_GROUPS = 64, FIRST_PAIRS = 32 };

/* Returns how many bits each of four sets has, in lanes of sixteen bits. */
static inline uint64_t ones(uint64_t sets) {
    const uint64_t lanes = 0x0001000100010001u;
    sets -= sets >> 1 & 0x5555 * lanes;
    sets = (sets & 0x3333 * lanes) + (sets >> 2 & 0x3333 * lanes);
    sets = (sets + (sets >> 4)) & 0x0F0F * lanes;
    return (sets + (sets >> 8)) & 0x1F * lanes;
}

/* Returns how much two groups accept together. First bytes that are frequent in text, above all
 * letters, count more. */
static uint32_t accepts(const sluice__group *a, const sluice__group *b) {
    enum { LETTERS = 3 << 6, SIGNS = 3 << 2, LANE = 0x1F };
    uint64_t x, y;
    memcpy(&x, a->halves, sizeof x);
    memcpy(&y, b->halves, sizeof y);
    uint64_t halves = ones(x | y), first = a->first | b->first, n = 0;
    first = ones(first | (first & LETTERS) << 16 | (first & SIGNS) << 32);
    n = (first & LANE) + 3 * (first >> 16 & LANE) + (first >> 32 & LANE);
    return (uint32_t)(n * (halves & LANE) * (halves >> 16 & LANE) * (halves >> 32 & LANE) *
                      (halves >> 48));
}

static sluice__group both_of(const sluice__group *a, const sluice__group *b) {
    sluice__group g = {.accepts = accepts(a, b), .first = a->first | b->first};
    for (int i = 0; i < SLUICE__PRINT; i++)
        g.halves[i] = a->halves[i] | b->halves[i];
    return g;
}

/* Returns how much more two groups would accept if joined. */
static int32_t cost(const sluice__group *a, const sluice__group *b) {
    return (int32_t)(accepts(a, b) - a->accepts - b->accepts);
}

/* Joins the two neighbours that accept the least when joined. */
static void join_neighbours(sluice__groups *groups) {
    sluice__group *at = groups->at;
    size_t best = 0;
    for (size_t i = 1; i + 1 < groups->count; i++)
        if (at[i].joined < at[best].joined)
            best = i;
    uint16_t place = at[best].place;
    at[best] = both_of(&at[best], &at[best + 1]);
    at[best].place = place;
    groups->count--;
    memmove(&at[best + 1], &at[best + 2], (groups->count - best - 1) * sizeof *at);
    for (size_t i = best ? best - 1 : 0; i <= best && i + 1 < groups->count; i++)
        at[i].joined = cost(&at[i], &at[i + 1]);
}

/* Returns where the cost of joining the groups `i` and k is; `i` is less. */
static inline int32_t *pair(int32_t *costs, size_t i, size_t k) {
    return &costs[k * (k - 1) / 2 + i];
}

/* Joins those that accept the least when joined, until `most` are left: neighbours until `pairs`
 * are left, then any. `costs`: room for the costs of all pairs. */
static void join_groups(sluice__groups *groups, int32_t *costs, size_t pairs, size_t most) {
    sluice__group *at = groups->at;
    while (groups->count > pairs)
        join_neighbours(groups);
    for (size_t k = 1; k < groups->count; k++)
        for (size_t i = 0; i < k; i++)
            *pair(costs, i, k) = cost(&at[i], &at[k]);
    while (groups->count > most) {
        size_t a = 0, b = 1, last = groups->count - 1;
        int32_t least = *costs;
        for (size_t k = 1; k <= last; k++)
            for (size_t i = 0; i < k; i++)
                if (*pair(costs, i, k) < least) {
                    least = *pair(costs, i, k);
                    a = i, b = k;
                }
        at[a] = both_of(&at[a], &at[b]);
        at[b] = at[last]; /* the last one takes its place */
        for (size_t i = 0; i < last; i++)
            if (i != b)
                *(i < b ? pair(costs, i, b) : pair(costs, b, i)) = *pair(costs, i, last);
        groups->count--;
        for (size_t i = 0; i < last; i++)
            if (i != a)
                *(i < a ? pair(costs, i, a) : pair(costs, a, i)) = cost(&at[i], &at[a]);
    }
}

/* Inserts a group before the one at `i`, unless its neighbour there is equal; at most `most` stay.
 */
static void insert(sluice__groups *groups, size_t i, const sluice__group *one, size_t most) {
    sluice__group *at = groups->at;
    if (i && at[i - 1].first == one->first &&
        memcmp(at[i - 1].halves, one->halves, sizeof one->halves) == 0)
        return;
    memmove(&at[i + 1], &at[i], (groups->count - i) * sizeof *at);
    at[i] = *one;
    at[i].accepts = accepts(one, one);
    if (i)
        at[i - 1].joined = cost(&at[i - 1], &at[i]);
    if (++groups->count > i + 1)
        at[i].joined = cost(&at[i], &at[i + 1]);
    if (groups->count > most)
        join_neighbours(groups);
}

/* ---- The sieve ---------------------------------------------------------------------------- */

size_t sluice__sieve_slots(size_t count) {
    size_t slots = 16;
    while (slots < 16 * count && slots < SLUICE__SIEVE_SLOTS)
        slots *= 2;
    return slots;
}

/* Returns the number of the slot for the four bytes at p. */
static inline uint32_t slot_of(unsigned shift, const char *p) {
    uint32_t bytes;
    memcpy(&bytes, p, 4);
    return bytes * 0x9E3779B1u >> shift;
}

/* Returns the bit for the two bytes after them, in the lower half of a slot. */
static inline unsigned bit_of(const char *p) {
    uint16_t bytes;
    memcpy(&bytes, p + 4, 2);
    return bytes * 0x9E3779B1u >> 29;
}

/* Returns the bit for the byte after these, in the upper half. */
static inline unsigned last_bit_of(const char *p) { return 8 + (p[6] & 7); }

/* True if p passes the sieve. Seven bytes must be readable. */
static inline bool passes(const uint16_t *sieve, unsigned shift, const char *p) {
    uint32_t slot = sieve[slot_of(shift, p)];
    return slot && slot >> bit_of(p) & slot >> last_bit_of(p) & 1;
}

/* Returns the positions p + k, from the bits k of `mask`, that pass the sieve. */
static inline uint32_t sift(const uint16_t *sieve, unsigned shift, const char *p, uint32_t mask) {
    while (mask && !passes(sieve, shift, p + __builtin_ctz(mask)))
        mask &= mask - 1; /* mostly until none is left */
    uint32_t left = mask & -mask;
    for (mask ^= left; mask; mask &= mask - 1)
        if (passes(sieve, shift, p + __builtin_ctz(mask)))
            left |= mask & -mask;
    return left;
}

/* ---- Making the tables -------------------------------------------------------------------- */

/* Returns the low nibble of a literal's byte, or the high one, as a set; of any byte if the literal
 * is too short. */
static uint16_t half_of(const char *text, size_t len, size_t at, bool high) {
    unsigned char c = at < len ? (unsigned char)text[at] : 0;
    return at < len ? (uint16_t)(1u << (high ? c >> 4 : c & 15)) : 0xFFFF;
}

/* Adds the second group of a literal. In their order, those that agree in the fifth byte, then in
 * the fourth and so on are neighbours. */
static void add_second(sluice__groups *groups, const char *text, size_t len) {
    sluice__group one = {.first = 1};
    for (size_t i = 0; i < SLUICE__PRINT; i++)
        one.halves[i] = half_of(text, len, i + 1, false);
    for (size_t i = 1; i < 5; i++)
        one.place |= (uint16_t)((i < len ? text[i] & 15 : 0) << (i - 1) * 4);
    size_t low = 0, high = groups->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (groups->at[middle].place <= one.place)
            low = middle + 1;
        else
            high = middle;
    }
    insert(groups, low, &one, SLUICE__PRINT_GROUPS);
}

/* Adds a literal shorter than four bytes. Joins the two groups of them that accept the least when
 * joined, if there are too many. */
static void add_brief(sluice__printer *printer, const sluice__group *one) {
    sluice__group *at = printer->brief;
    size_t last = printer->brief_count;
    at[last] = *one;
    at[last].accepts = accepts(one, one);
    if (last < SLUICE__PRINT_BRIEF) {
        printer->brief_count++;
        return;
    }
    size_t a = 0, b = 1;
    for (size_t k = 1; k <= last; k++)
        for (size_t i = 0; i < k; i++)
            if (cost(&at[i], &at[k]) < cost(&at[a], &at[b]))
                a = i, b = k;
    at[a] = both_of(&at[a], &at[b]);
    at[b] = at[last];
}

void sluice__printer_add(sluice__printer *printer, const char *text, size_t len) {
    sluice__prints *set = printer->set;
    sluice__group one = {.first = half_of(text, len, 0, true)};
    for (size_t i = 0; i < SLUICE__PRINT; i++) /* any byte may follow a short literal */
        one.halves[i] = half_of(text, len, i, false);
    set->first[(unsigned char)*text] = 1;
    if (len < SLUICE__PRINT) {
        add_brief(printer, &one);
        return;
    }
    unsigned bit = len < SLUICE__SIEVED - 1 ? 0xFF : 1u << bit_of(text);
    unsigned last_bit = len < SLUICE__SIEVED ? 0xFF00 : 1u << last_bit_of(text);
    set->sieve[slot_of(set->shift, text)] |= (uint16_t)(bit | last_bit);
    insert(&printer->first, printer->first.count, &one, FIRST_GROUPS);
    add_second(&printer->second, text, len);
}

static void fill(uint8_t *table, unsigned halves, size_t bucket) {
    for (; halves; halves &= halves - 1)
        table[__builtin_ctz(halves)] |= (uint8_t)(1u << bucket);
}

static void fill_bucket(sluice__prints *set, const sluice__group *g, size_t bucket) {
    fill(set->halves[1], g->first, bucket);
    for (size_t i = 0; i < SLUICE__PRINT; i++)
        fill(set->halves[i ? i + 1 : 0], g->halves[i], bucket);
}

void sluice__printer_end(sluice__printer *printer) {
    sluice__prints *set = printer->set;
    sluice__groups *first = &printer->first, *second = &printer->second;
    size_t brief = printer->brief_count;
    join_groups(first, printer->costs, FIRST_PAIRS, 8 - brief);
    for (size_t k = 0; k < first->count; k++)
        fill_bucket(set, &first->at[k], k);
    for (size_t k = 0; k < brief; k++)
        fill_bucket(set, &printer->brief[k], 7 - k);
    set->brief = (uint8_t)(0xFF00 >> brief);
    for (int c = 0; c < 256; c++)
        if (set->first[c])
            set->first[c] = set->halves[0][c & 15] & set->halves[1][c >> 4];
    join_groups(second, printer->costs, SLUICE__PRINT_PAIRS, 8);
    for (size_t k = 0; k < second->count; k++) {
        for (size_t i = 0; i < SLUICE__PRINT; i++)
            fill(set->second[i], second->at[k].halves[i], k);
    }
}

/* ---- One position at a time ---------------------------------------------------------------- */

bool sluice__scan_portable(const sluice__prints *set, const char *p, size_t i, size_t n,
                           sluice__hits *hits) {
    for (; i < n; i++) {
        uint8_t buckets = set->first[(unsigned char)p[i]];
        if (buckets && (n - i < SLUICE__SIEVED || buckets & set->brief ||
                        passes(set->sieve, set->shift, p + i))) {
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

/* Returns the buckets whose table has the low nibbles of these bytes. */
TARGET static inline __m128i low16(__m128i table, __m128i bytes) {
    return _mm_shuffle_epi8(table, _mm_and_si128(bytes, _mm_set1_epi8(15)));
}

TARGET bool sluice__scan_ssse3(const sluice__prints *set, const char *p, size_t i, size_t n,
                               sluice__hits *hits) {
    const __m128i a = load16(set->halves[0]), b = load16(set->halves[1]),
                  c = load16(set->halves[2]), d = load16(set->halves[3]),
                  e = load16(set->halves[4]), f = load16(set->second[0]),
                  g = load16(set->second[1]), h = load16(set->second[2]),
                  k = load16(set->second[3]), zero = _mm_setzero_si128(),
                  brief = _mm_set1_epi8((char)set->brief);
    const uint16_t *sieve = set->sieve;
    unsigned shift = set->shift;
    if (n - i < 16 + SLUICE__SIEVED - 1)
        return sluice__scan_portable(set, p, i, n, hits);
    const char *q = p + i, *stop = p + n - (16 + SLUICE__SIEVED - 1);
    for (; q <= stop; q += 16) {
        __m128i bytes = load16(q), found = low16(a, bytes);
        found = _mm_and_si128(found, low16(b, _mm_srli_epi16(bytes, 4)));
        found = _mm_and_si128(found, low16(c, load16(q + 1)));
        found = _mm_and_si128(found, low16(d, load16(q + 2)));
        found = _mm_and_si128(found, low16(e, load16(q + 3)));
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(found, zero)) == 0xFFFF)
            continue;
        __m128i other = low16(f, load16(q + 1));
        other = _mm_and_si128(other, low16(g, load16(q + 2)));
        other = _mm_and_si128(other, low16(h, load16(q + 3)));
        other = _mm_and_si128(other, low16(k, load16(q + 4)));
        other = _mm_cmpeq_epi8(_mm_min_epu8(found, other), zero); /* of neither, or of one only */
        found = _mm_cmpeq_epi8(_mm_and_si128(found, brief), zero);
        uint32_t mask = sift(sieve, shift, q, 0xFFFFu ^ (uint32_t)_mm_movemask_epi8(other)) |
                        (0xFFFFu ^ (uint32_t)_mm_movemask_epi8(found));
        if (mask) {
            i = (size_t)(q - p);
            *hits = (sluice__hits){i, i + 16, mask};
            return true;
        }
    }
    return sluice__scan_portable(set, p, (size_t)(q - p), n, hits);
}

#undef TARGET
#define TARGET __attribute__((target("avx2,bmi,bmi2")))

/* The same for thirty-two bytes; the last bucket is the sign of a byte. */
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
                  e = table32(set->halves[4]), f = table32(set->second[0]),
                  g = table32(set->second[1]), h = table32(set->second[2]),
                  k = table32(set->second[3]), brief = _mm256_set1_epi8((char)set->brief);
    const uint16_t *sieve = set->sieve;
    unsigned shift = set->shift;
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
        __m256i other = low32(f, load32(q + 1));
        other = _mm256_and_si256(other, low32(g, load32(q + 2)));
        other = _mm256_and_si256(other, low32(h, load32(q + 3)));
        other = _mm256_and_si256(other, low32(k, load32(q + 4)));
        other = _mm256_min_epu8(found, other);
        if (_mm256_testz_si256(other, other) && _mm256_testz_si256(found, brief))
            continue;
        const __m256i zero = _mm256_setzero_si256();
        other = _mm256_cmpeq_epi8(other, zero); /* of neither, or of one only */
        found = _mm256_cmpeq_epi8(_mm256_and_si256(found, brief), zero);
        uint32_t mask = sift(sieve, shift, q, ~(uint32_t)_mm256_movemask_epi8(other)) |
                        ~(uint32_t)_mm256_movemask_epi8(found);
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
    const uint16_t *sieve = set->sieve;
    unsigned shift = set->shift;
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
        uint32_t mask = 0, brief = 0;
        vst1q_u8(lanes, found);
        for (unsigned k = 0; k < 16; k++) {
            mask |= (uint32_t)(lanes[k] != 0) << k;
            brief |= (uint32_t)((lanes[k] & set->brief) != 0) << k;
        }
        mask = sift(sieve, shift, q, mask & ~brief) | brief;
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
