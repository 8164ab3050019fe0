/*
 * The part of the response that a stream can still see: bytes that it kept from earlier chunks, and
 * the chunk that the caller lent it. Where nothing is kept the lent bytes are used where they lie.
 */
#ifndef SLUICE_WINDOW_H
#define SLUICE_WINDOW_H

#include "alloc.h"

typedef struct sluice__window {
    const char *data; /* what is visible now */
    uint64_t base;    /* offset of data[0] in the response */
    size_t len;
    sluice__buffer own; /* kept bytes, and what was copied behind them */
    const char *lent;   /* the caller's chunk */
    size_t lent_len;
    size_t copied; /* bytes of it that stand in `own` */
    size_t gone;   /* bytes at the beginning of `own` that are not visible any more */
    size_t kept;   /* bytes of `own` that were there before the chunk, and are visible */
    bool lends;    /* `data` lies in the caller's chunk */
    char before;   /* the byte before `base` */
    bool inside;   /* something else than blanks stands before `base` on its line */
} sluice__window;

static inline uint64_t sluice__window_end(const sluice__window *w) { return w->base + w->len; }

/* Notes what the last of the bytes p[0..n), which are left behind, say of the line. */
static inline void sluice__window_leave(sluice__window *w, const char *p, size_t n) {
    w->before = p[n - 1];
    if (w->before > ' ') {
        w->inside = true;
        return;
    }
    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
        n--;
    if (n)
        w->inside = p[n - 1] != '\n';
}

/* memcpy of a few bytes. */
static inline void sluice__copy_few(char *to, const char *from, size_t n) {
    if (n >= 4 && n <= 8) {
        uint32_t first, last;
        memcpy(&first, from, 4);
        memcpy(&last, from + n - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + n - 4, &last, 4);
    } else if (n < 4) {
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    } else {
        memcpy(to, from, n);
    }
}

/* A chunk of at most so many bytes is joined at once to what is kept, and looked at once. */
enum { SLUICE__AT_ONCE = 64 };

/* Lends a chunk. False: no memory. */
bool sluice__window_lend(const sluice_allocator *a, sluice__window *w, const char *p, size_t n);

/* The same where nothing is kept or lent. */
static inline void sluice__window_lend_alone(sluice__window *w, const char *p, size_t n) {
    w->lent = w->data = p;
    w->lent_len = w->len = n;
    w->lends = true;
}

/* Lends a chunk of at most SLUICE__AT_ONCE bytes behind what is kept, where there is room for it.
 */
static inline bool sluice__window_join(sluice__window *w, const char *p, size_t n) {
    if (w->own.cap - w->own.len < n)
        return false;
    sluice__copy_few(w->own.data + w->own.len, p, n);
    w->kept = w->len;
    w->own.len += n;
    w->len += n;
    w->lent = p;
    w->lent_len = w->copied = n;
    return true;
}

/* Nothing of `own` is visible any more. */
static inline void sluice__window_drop(sluice__window *w) {
    w->own.len = w->gone = w->kept = 0;
    w->lends = true;
}

/* All visible bytes are done with; they stay where they are until the chunk is given back. */
static inline void sluice__window_pass(sluice__window *w) {
    sluice__window_leave(w, w->data, w->len);
    w->data += w->len;
    w->base += w->len;
    w->len = 0;
    if (!w->lends)
        sluice__window_drop(w);
}

int sluice__window_show(const sluice_allocator *a, sluice__window *w, uint64_t keep);

/* Makes more of the lent chunk visible; what lies before `keep` may go. Answers 1, 0 where there is
 * no more, -1 where there is no memory. */
static inline int sluice__window_grow(const sluice_allocator *a, sluice__window *w, uint64_t keep) {
    return !w->lent || w->lends || w->copied == w->lent_len ? 0 : sluice__window_show(a, w, keep);
}

/* Gives the chunk back: copies what is left from `keep` on. False: no memory. */
bool sluice__window_return(const sluice_allocator *a, sluice__window *w, uint64_t keep);

/* The same where the chunk is used as it lies, and there is room for what is left from `keep` on.
 */
static inline bool sluice__window_keep(sluice__window *w, uint64_t keep) {
    size_t past = (size_t)(keep - w->base), n = w->len - past;
    if (!w->lends || n > w->own.cap)
        return false;
    if (past)
        sluice__window_leave(w, w->data, past);
    sluice__copy_few(w->own.data, w->data + past, n);
    w->base = keep;
    w->data = w->own.data;
    w->len = w->own.len = n;
    w->gone = 0;
    w->lends = false;
    w->lent = NULL;
    w->lent_len = w->copied = 0;
    return true;
}

/* Forgets everything, keeping the memory. */
void sluice__window_clear(sluice__window *w);
void sluice__window_release(const sluice_allocator *a, sluice__window *w);

#endif
