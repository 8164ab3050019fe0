/* Finds where a literal of a set may begin: by its first bytes, many positions at a time. */
#ifndef SLUICE_SCAN_H
#define SLUICE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLUICE__PRINT = 4,          /* bytes of a literal that buckets distinguish */
    SLUICE__PRINT_HALVES = 5,   /* how many of their eight halves are tested */
    SLUICE__PRINT_BRIEF = 2,    /* buckets, at most, of shorter literals */
    SLUICE__SIEVED = 7,         /* bytes that the sieve tests */
    SLUICE__SIEVE_SLOTS = 4096, /* at most */
    SLUICE__PRINT_GROUPS = 128, /* groups while a set is built */
    SLUICE__PRINT_PAIRS = 64    /* groups of which every pair is tried */
};

/* The first bytes of some literals: the sets of the first byte's high nibble, and of the low
 * nibbles of the first four bytes. In a second group: of nothing, and of the second to fifth byte.
 */
typedef struct sluice__group {
    uint16_t halves[SLUICE__PRINT], first;
    uint16_t place;   /* of a second group in the order */
    uint32_t accepts; /* how much it accepts; 0: the group is empty */
    int32_t joined;   /* how much more it would accept, joined with the next group */
} sluice__group;

/* Three tests of a position, one after the other:
 *
 * One of eight buckets must have the halves of the bytes there. The last one or two have the
 * literals shorter than four bytes, which skip the other tests.
 *
 * One of eight second buckets must have the low halves of the second to fifth byte. They group the
 * literals in another way, and so reject most of what a bucket of many literals accepts.
 *
 * The sieve: a slot by a hash of the first four bytes, with eight bits for hashes of the next two
 * bytes, and eight for the byte after these. */
typedef struct sluice__prints {
    uint8_t halves[SLUICE__PRINT_HALVES][16]; /* buckets by nibble */
    uint8_t second[SLUICE__PRINT][16];        /* second buckets by nibble */
    uint8_t first[256];                       /* buckets by the first byte of a literal */
    uint8_t brief;                            /* the buckets of literals below four bytes */
    uint8_t shift;                            /* from a hash to the number of its slot */
    uint16_t *sieve;
} sluice__prints;

/* Returns the buckets of literals that may begin with p[0..n), as far as half bytes show; 0:
 * none. */
static inline uint8_t sluice__prints_at(const sluice__prints *set, const char *p, size_t n) {
    uint8_t buckets = set->first[(unsigned char)p[0]];
    for (size_t k = 1; buckets && k < n && k < SLUICE__PRINT; k++)
        buckets &= set->halves[k + 1][p[k] & 15];
    return buckets;
}

typedef struct sluice__groups {
    sluice__group at[SLUICE__PRINT_GROUPS + 1];
    size_t count;
} sluice__groups;

/* Builds the tables from literals in ascending order. Start with all zero except `set`: all zero
 * except its sieve and the shift for it. */
typedef struct sluice__printer {
    sluice__prints *set;
    sluice__group brief[SLUICE__PRINT_BRIEF + 1]; /* of literals shorter than four bytes */
    size_t brief_count;
    sluice__groups first, second;
    int32_t costs[SLUICE__PRINT_PAIRS * (SLUICE__PRINT_PAIRS - 1) / 2]; /* of joining two groups */
} sluice__printer;

/* Returns the number of slots of the sieve for this many literals: a power of two. */
size_t sluice__sieve_slots(size_t count);

/* Adds a literal, not empty and not less than the last one. */
void sluice__printer_add(sluice__printer *printer, const char *text, size_t len);

/* Builds the tables. */
void sluice__printer_end(sluice__printer *printer);

/* Positions where a literal may begin: `at` + k for each bit k of `mask`. */
typedef struct sluice__hits {
    size_t at, next; /* `next`: where to continue */
    uint32_t mask;
} sluice__hits;

/* Searches p[0..n) for such positions, from `i` on. False if there are none. No implementation
 * misses a position where the bytes up to n are, or begin, a literal; they differ in the other
 * positions that they report. */
typedef bool sluice__scan(const sluice__prints *set, const char *p, size_t i, size_t n,
                          sluice__hits *hits);
sluice__scan sluice__scan_portable;
#if defined(__x86_64__)
sluice__scan sluice__scan_ssse3, sluice__scan_avx2;
#elif defined(__aarch64__)
sluice__scan sluice__scan_neon;
#endif

/* Returns the fastest implementation for this machine. */
sluice__scan *sluice__scan_best(void);

#endif
