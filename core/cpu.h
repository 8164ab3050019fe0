/* Features of an x86-64 processor. Like __builtin_cpu_supports, whose library some compilers lack
 * (Zig's). */
#ifndef SLUICE_CPU_H
#define SLUICE_CPU_H

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdbool.h>

static inline bool sluice__cpu_has_ssse3(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3);
}

/* True if the processor has AVX2, and BMI and BMI2, and the system saves its registers. */
static inline bool sluice__cpu_has_avx2(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return (low & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2) &&
           (b & bit_BMI) && (b & bit_BMI2);
}
#endif

#endif
