/* How far the body of a JSON string goes without a quote or a backslash. */
#ifndef SLUICE_RUN_H
#define SLUICE_RUN_H

#include <stddef.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* How many of p[0..n) are neither a quote nor a backslash. */
static inline size_t sluice__string_run(const char *p, size_t n) {
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');
    for (; n - i >= 16; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        int hit =
            _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, back)));
        if (hit)
            return i + (size_t)__builtin_ctz((unsigned)hit);
    }
#endif
    while (i < n && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

#endif
