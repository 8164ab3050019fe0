/* Where a literal of a set may begin: by the first bytes of each, many positions at a time. */
#ifndef SLUICE_SCAN_H
#define SLUICE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLUICE__PRINT = 4,          /* bytes of a literal that buckets tell apart */
    SLUICE__PRINT_HALVES = 5,   /* of their eight halves those that are looked at */
    SLUICE__SIEVED = 6,         /* bytes that the sieve looks at */
    SLUICE__SIEVE_SLOTS = 1024, /* at most */
    SLUICE__PRINT_GROUPS = 64   /* groups while a set is made */
};

/* The first bytes of some literals: the sets of the first byte's low and high nibble, and of the
 * low nibbles of the next three. */
typedef struct sluice__group {
    uint16_t halves[SLUICE__PRINT_HALVES];
    uint64_t accepts; /* how much it lets through; 0: the group is empty */
    int64_t joined;   /* how much more it would, joined with the group behind it */
} sluice__group;

/* A position counts if some of eight buckets has the halves of the bytes there, and if it passes
 * the sieve: a slot by a hash of the first four bytes, with a bit for each hash of the next two
 * that may follow. Literals below four bytes ask no sieve, and have the last bucket for themselves.
 */
typedef struct sluice__prints {
    uint8_t halves[SLUICE__PRINT_HALVES][16]; /* buckets by nibble */
    uint8_t first[256];                       /* buckets by the first byte of a literal */
    bool brief;                               /* there are literals below four bytes */
    uint8_t shift;                            /* of a hash to the number of its slot */
    uint32_t *sieve;
} sluice__prints;

/* Buckets of literals that may begin with p[0..n), as far as half bytes tell; 0: there are none. */
static inline uint8_t sluice__prints_at(const sluice__prints *set, const char *p, size_t n) {
    uint8_t buckets = set->first[(unsigned char)p[0]];
    for (size_t k = 1; buckets && k < n && k < SLUICE__PRINT; k++)
        buckets &= set->halves[k + 1][p[k] & 15];
    return buckets;
}

/* Makes the tables from literals in ascending order. Start with all zero but `set`,
 * which has its sieve and the shift for it, and is all zero else. */
typedef struct sluice__printer {
    sluice__prints *set;
    sluice__group brief; /* of literals below four bytes */
    sluice__group groups[SLUICE__PRINT_GROUPS + 1];
    size_t count;
} sluice__printer;

/* How many slots the sieve for so many literals has: a power of two. */
size_t sluice__sieve_slots(size_t count);

/* Adds one more literal, not empty and not below the last one. */
void sluice__printer_add(sluice__printer *printer, const char *text, size_t len);

/* Makes the tables of all that was added. */
void sluice__printer_end(sluice__printer *printer);

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
