/* Numbers as JSON writes them, in any locale. */
#ifndef SLUICE_NUMBERS_H
#define SLUICE_NUMBERS_H

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the locale of the process writes between a number and its decimals, mostly one byte. C's own
 * functions for numbers use it; JSON has a point. */
static inline const char *decimal_point(size_t *len) {
    const char *point = localeconv()->decimal_point;
    *len = strlen(point);
    return point;
}

/* Returns the value of a number's JSON text of n bytes, in any locale. */
static inline double read_double(const char *p, size_t n) {
    char few[64];
    size_t len, before;
    const char *point = decimal_point(&len);
    char *text = n + len < sizeof few ? few : malloc(n + len + 1);
    if (!text)
        return HUGE_VAL; /* as if it were too large */
    memcpy(text, p, n);
    text[n] = 0;
    before = strcspn(text, ".");
    if (before < n) {
        memcpy(text + before, point, len);
        memcpy(text + before + len, p + before + 1, n - before - 1);
        text[n + len - 1] = 0;
    }
    double d = strtod(text, NULL);
    if (text != few)
        free(text);
    return d;
}

/* Writes a number so that it reads back the same, as JSON, in any locale. */
static inline void write_double(char *to, size_t size, double d) {
    size_t len;
    const char *point = decimal_point(&len);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(to, size, "%.*g", digits, d);
        if (strtod(to, NULL) == d) /* in the same locale */
            break;
    }
    char *at = len ? strstr(to, point) : NULL;
    if (at) {
        *at = '.';
        memmove(at + 1, at + len, strlen(at + len) + 1);
    }
    if (!strpbrk(to, ".e"))
        strcat(to, ".0");
}

#endif
