/* UTF-8: how much of a text is whole, and what is ill-formed in it. */
#ifndef SLUICE_UTF8_H
#define SLUICE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes at the end of `p` that begin a sequence whose rest has not come (0 to 3). Ill-formed bytes
 * do not count: nothing can make them whole. */
size_t sluice__utf8_tail(const char *p, size_t n);

/* Length of the sequence at `p` (1 to 4); 0 where what is there (n bytes) may still become one;
 * negative: -k, where the first k bytes are ill-formed (the maximal subpart, to be replaced by one
 * U+FFFD). n must not be 0. */
int sluice__utf8_sequence(const char *p, size_t n);

/* Writes a code point (no surrogate, at most U+10FFFF) to `out` (4 bytes); answers its length. */
int sluice__utf8_encode(uint32_t code, char *out);

#endif
