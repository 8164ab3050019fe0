/* Where a literal of a set may begin: by the first four bytes of each, many positions at a time. */
#ifndef SLUICE_SCAN_H
#define SLUICE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLUICE__PRINT = 4,        /* bytes of a literal that are looked at */
    SLUICE__PRINT_GROUPS = 64 /* groups while a set is made */
};

/* The first bytes of some literals: of each byte the sets of its low and of its high nibble. */
typedef struct sluice__group {
    uint16_t nibbles[SLUICE__PRINT][2];
    uint64_t accepts; /* how many different four bytes it lets through */
} sluice__group;

/* Makes the tables from literals in ascending order. Start with all zero. */
typedef struct sluice__printer {
    sluice__group groups[SLUICE__PRINT_GROUPS + 1];
    size_t count;
} sluice__printer;

/* The literals' first four bytes in at most eight buckets. A literal may begin at a position if
 * some bucket has the byte there, the next one, and so on. A bucket with one literal tells these
 * four bytes exactly; one with several also takes some mixtures of them. */
typedef struct sluice__prints {
    uint8_t nibbles[SLUICE__PRINT][2][16]; /* buckets by low and by high nibble */
    uint8_t first[256];                    /* buckets by first byte */
} sluice__prints;

/* Adds one more literal, not empty and not below the last one. */
void sluice__printer_add(sluice__printer *printer, const char *text, size_t len);

/* Makes the tables of all that was added. */
void sluice__printer_end(sluice__printer *printer, sluice__prints *set);

/* Positions where a literal may begin: `at` + k for each bit k of `mask`. */
typedef struct sluice__hits {
    size_t at, next; /* `next`: where to go on */
    uint32_t mask;
} sluice__hits;

/* Looks for such positions in p[0..n), from `i` on. False: there are none. No implementation passes
 * over a position where the bytes up to n are, or begin, a literal; some report more of the other
 * positions than others do. */
typedef bool sluice__scan(const sluice__prints *set, const char *p, size_t i, size_t n,
                          sluice__hits *hits);
sluice__scan sluice__scan_portable;
#if defined(__x86_64__)
sluice__scan sluice__scan_ssse3, sluice__scan_avx2;
#elif defined(__aarch64__)
sluice__scan sluice__scan_neon;
#endif

/* The fastest implementation that this machine can run. */
sluice__scan *sluice__scan_best(void);

#endif
