/* UTF-8: whole and invalid sequences in a text. */
#ifndef SLUICE_UTF8_H
#define SLUICE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many bytes at the end of `p` begin a sequence that more may complete (0 to 3). */
size_t sluice__utf8_tail(const char *p, size_t n);

/* Returns the length of the sequence at `p` (1 to 4); 0 if the n bytes may still become one; -k if
 * the first k bytes are invalid (the maximal subpart, to be replaced by one U+FFFD). n is not 0. */
int sluice__utf8_sequence(const char *p, size_t n);

/* Writes a code point (no surrogate, at most U+10FFFF) to `out` (4 bytes). Returns its length. */
int sluice__utf8_encode(uint32_t code, char *out);

#endif
