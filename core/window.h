/*
 * The part of the response that a stream can still see: bytes kept from earlier chunks, and the
 * chunk lent by the caller. If nothing is kept, the lent bytes are used in place.
 */
#ifndef SLUICE_WINDOW_H
#define SLUICE_WINDOW_H

#include "alloc.h"

typedef struct sluice__window {
    const char *data; /* the visible bytes */
    uint64_t base;    /* offset of data[0] in the response */
    size_t len;
    sluice__buffer own; /* kept bytes, and bytes copied after them */
    const char *lent;   /* the caller's chunk */
    size_t lent_len;
    size_t copied; /* bytes of it that are in `own` */
    size_t gone;   /* bytes at the beginning of `own` that are no longer visible */
    size_t kept;   /* visible bytes of `own` from before the chunk */
    bool lends;    /* `data` is in the caller's chunk */
    char before;   /* the byte before `base` */
    bool inside;   /* a byte other than a blank precedes `base` on its line */
} sluice__window;

static inline uint64_t sluice__window_end(const sluice__window *w) { return w->base + w->len; }

/* Records what the last of the bytes p[0..n), which are dropped, show about the line. */
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

/* A chunk of at most this many bytes is joined to the kept bytes at once. */
enum { SLUICE__AT_ONCE = 64 };

/* Lends a chunk. False if out of memory. */
bool sluice__window_lend(const sluice_allocator *a, sluice__window *w, const char *p, size_t n);

/* The same if nothing is kept or lent. */
static inline void sluice__window_lend_alone(sluice__window *w, const char *p, size_t n) {
    w->lent = w->data = p;
    w->lent_len = w->len = n;
    w->lends = true;
}

/* Returns how many bytes can be appended to the kept bytes. */
static inline size_t sluice__window_room(const sluice__window *w) {
    return w->own.cap - w->own.len;
}

/* Appends the bytes of a chunk to the kept bytes, where there is room; the chunk is done then. */
static inline void sluice__window_append(sluice__window *w, const char *p, size_t n) {
    sluice__copy_few(w->own.data + w->own.len, p, n);
    w->own.len += n;
    w->len += n;
}

/* Lends a chunk of at most SLUICE__AT_ONCE bytes and appends it to the kept bytes, if there is
 * room. */
static inline bool sluice__window_join(sluice__window *w, const char *p, size_t n) {
    if (sluice__window_room(w) < n)
        return false;
    w->kept = w->len;
    sluice__window_append(w, p, n);
    w->lent = p;
    w->lent_len = w->copied = n;
    return true;
}

/* Hides all of `own`. */
static inline void sluice__window_drop(sluice__window *w) {
    w->own.len = w->gone = w->kept = 0;
    w->lends = true;
}

/* Marks all visible bytes as done; they stay in place until the chunk is returned. */
static inline void sluice__window_pass(sluice__window *w) {
    sluice__window_leave(w, w->data, w->len);
    w->data += w->len;
    w->base += w->len;
    w->len = 0;
    if (!w->lends)
        sluice__window_drop(w);
}

/* Makes the first `n` visible bytes invisible. */
static inline void sluice__window_skip(sluice__window *w, size_t n) {
    if (!n)
        return;
    sluice__window_leave(w, w->data, n);
    w->data += n;
    w->base += n;
    w->len -= n;
    if (w->lends)
        return;
    w->gone += n;
    w->kept -= w->kept < n ? w->kept : n;
}

int sluice__window_show(const sluice_allocator *a, sluice__window *w, uint64_t keep);

/* Makes more of the lent chunk visible; bytes before `keep` may be dropped. Returns 1, 0 if there
 * is no more, -1 if out of memory. */
static inline int sluice__window_grow(const sluice_allocator *a, sluice__window *w, uint64_t keep) {
    return !w->lent || w->lends || w->copied == w->lent_len ? 0 : sluice__window_show(a, w, keep);
}

/* Returns the chunk: copies its rest from `keep` on. False if out of memory. */
bool sluice__window_return(const sluice_allocator *a, sluice__window *w, uint64_t keep);

/* The same if the chunk is used in place, and there is room for its rest from `keep` on. */
static inline bool sluice__window_keep(sluice__window *w, uint64_t keep) {
    size_t past = sluice__minus(keep, w->base), n = w->len - past;
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

/* Forgets everything, but keeps the memory. */
void sluice__window_clear(sluice__window *w);
void sluice__window_release(const sluice_allocator *a, sluice__window *w);

#endif
