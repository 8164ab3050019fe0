/* Where a literal of a set may begin: by the first two bytes of each, many positions at a time. */
#ifndef SLUICE_SCAN_H
#define SLUICE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The literals' first two bytes, in eight buckets: those with the same first byte share one. A
 * position is taken where some bucket has both its bytes: a literal may begin there. All else
 * cannot begin one. */
typedef struct sluice__prints {
    /* buckets by nibble: of the first byte low and high, of the second low and high */
    uint8_t nibbles[4][16];
    uint8_t pairs[4][2]; /* the first two bytes themselves, where there are few */
    int pair_count;      /* 5: more than four, or a literal of one byte */
    int firsts, only;    /* how many first bytes there are; the last that came */
    uint8_t bucket[256]; /* of a first byte */
    bool first[256];     /* a literal begins with this byte */
} sluice__prints;

/* Notes one more literal. */
void sluice__prints_add(sluice__prints *set, const char *text, size_t len);

/* The first position from `i` on in p[0..n) that is taken, or n. The last byte is taken where a
 * literal begins with it. No way passes over a position where the first two bytes of a literal
 * stand; some stop at more of the others than others do. */
typedef size_t sluice__scan(const sluice__prints *set, const char *p, size_t i, size_t n);
sluice__scan sluice__scan_portable;
#if defined(__x86_64__)
sluice__scan sluice__scan_sse2, sluice__scan_avx2;
#elif defined(__aarch64__)
sluice__scan sluice__scan_neon;
#endif

/* The fastest way that this machine has. */
sluice__scan *sluice__scan_best(void);

#endif
