#include "window.h"

/* Shows the rest of `own`. */
static void show_own(sluice__window *w) {
    w->lends = false;
    w->data = w->own.data ? w->own.data + w->gone : NULL;
    w->len = w->own.len - w->gone;
}

/* Drops the first `n` bytes of the rest of `own`. Moves the rest only if it is shorter than what
 * was dropped, so each byte moves once, however small the steps. */
static void drop_own(sluice__window *w, size_t n) {
    w->gone += n;
    if (w->gone >= w->own.len - w->gone) {
        sluice__buffer_drop(&w->own, w->gone);
        w->gone = 0;
    }
}

bool sluice__window_lend(const sluice_allocator *a, sluice__window *w, const char *p, size_t n) {
    if (w->lent) { /* the previous chunk was not used up: keep all of it */
        if (w->lends) {
            if (!sluice__buffer_add(a, &w->own, w->data, w->len))
                return false;
        } else if (!sluice__buffer_add(a, &w->own, w->lent + w->copied, w->lent_len - w->copied)) {
            return false;
        }
        show_own(w);
    }
    w->lent = p;
    w->lent_len = n;
    w->copied = 0;
    w->kept = w->own.len - w->gone;
    if (w->kept == 0) {
        w->lends = true;
        w->data = p;
        w->len = n;
    } else if (n <= SLUICE__AT_ONCE) {
        if (!sluice__buffer_add(a, &w->own, p, n))
            return false;
        w->copied = n;
        show_own(w);
    }
    return true;
}

int sluice__window_show(const sluice_allocator *a, sluice__window *w, uint64_t keep) {
    size_t past = sluice__minus(keep, w->base);
    if (past >= w->kept) { /* everything still needed is in the chunk: use it in place */
        size_t from = past - w->kept;
        if (past)
            sluice__window_leave(w, w->own.data + w->gone, past);
        w->own.len = w->gone = 0;
        w->lends = true;
        w->data = w->lent + from;
        w->len = w->lent_len - from;
        w->base = keep;
        return 1;
    }
    size_t n = w->len < SLUICE_GROWTH ? SLUICE_GROWTH : w->len;
    if (n > w->lent_len - w->copied)
        n = w->lent_len - w->copied;
    if (!sluice__buffer_add(a, &w->own, w->lent + w->copied, n))
        return -1;
    w->copied += n;
    show_own(w);
    return 1;
}

bool sluice__window_return(const sluice_allocator *a, sluice__window *w, uint64_t keep) {
    size_t past = sluice__minus(keep, w->base);
    if (past)
        sluice__window_leave(w, w->data, past);
    w->base = keep;
    if (w->lends) {
        w->data += past;
        w->len -= past;
        if (!sluice__buffer_add(a, &w->own, w->data, w->len))
            return false;
        show_own(w);
    } else if (past) {
        drop_own(w, past);
        w->kept = w->kept > past ? w->kept - past : 0;
        show_own(w);
    }
    w->lent = NULL;
    w->lent_len = w->copied = 0;
    return true;
}

void sluice__window_clear(sluice__window *w) {
    sluice__buffer own = w->own;
    own.len = 0;
    *w = (sluice__window){0};
    w->own = own;
}

void sluice__window_release(const sluice_allocator *a, sluice__window *w) {
    sluice__buffer_release(a, &w->own);
    *w = (sluice__window){0};
}
