/* What streams told, in a form that can be compared, and the laws that it must keep. */
#ifndef SLUICE_FUZZ_STORY_H
#define SLUICE_FUZZ_STORY_H

#include "../../core/json/json.h"

#include <sluice.h>
#include <stdio.h>
#include <stdlib.h>

/* What happened, fragments joined. */
struct story {
    sluice__buffer text, arguments, parameters;
    sluice_allocator heap;
    int type;
    uint64_t covered;
    size_t index, parameter;
    char key[128];
};

static inline void fail(const char *what, const char *syntax) {
    fprintf(stderr, "%s in %s\n", what, syntax);
    abort();
}

static inline void fixed_id(void *user, char *id, size_t size) {
    (void)user;
    snprintf(id, size, "call_x");
}

/* Pseudo-random numbers, so that a file says how it was cut. */
static inline unsigned next_number(unsigned *seed) {
    return (*seed = *seed * 1103515245u + 12345u) >> 16;
}

static inline void add(struct story *s, sluice__buffer *b, const char *p, size_t n) {
    if (!sluice__buffer_add(&s->heap, b, p, n))
        abort();
}

static inline void take(struct story *s, const sluice_event *e, const char *syntax) {
    char line[128];
    bool fragment = e->type == SLUICE_TEXT || e->type == SLUICE_REASONING ||
                    e->type == SLUICE_MARKUP || e->type == SLUICE_ARGUMENTS;
    if (e->type == SLUICE_PARAMETER) { /* told beside the arguments, of the same bytes */
        int n = snprintf(line, sizeof line, "\n#%zu %s: ", e->index, e->key);
        if (e->index != s->parameter || strncmp(e->key, s->key, sizeof s->key - 1) != 0)
            add(s, &s->parameters, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
        s->parameter = e->index;
        snprintf(s->key, sizeof s->key, "%s", e->key);
        add(s, &s->parameters, e->text, e->text_len);
        return;
    }
    if (e->type != SLUICE_ERROR && e->start != e->end)
        s->covered += e->end - e->start;
    if (!fragment || s->type != (int)e->type || s->index != e->index) {
        int n = snprintf(line, sizeof line, "\n%d #%zu %s %s %s %d: ", e->type, e->index,
                         e->name ? e->name : "", e->id ? e->id : "", e->code ? e->code : "",
                         e->type == SLUICE_CALL_END ? (int)e->status : 0);
        add(s, &s->text, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
    }
    s->type = (int)e->type;
    s->index = e->index;
    if (e->text_len)
        add(s, &s->text, e->text, e->text_len);
    if (e->type == SLUICE_ARGUMENTS)
        add(s, &s->arguments, e->text, e->text_len);
    if (e->type == SLUICE_CALL_END) {
        if (!s->arguments.len || *s->arguments.data != '{' ||
            sluice__not_json(&s->heap, view_of(s->arguments.data, s->arguments.len), NULL))
            fail("arguments that are no JSON object", syntax);
        s->arguments.len = 0;
    }
}

/* The whole text at once (`seed` 0), or in chunks of 1 to 60 bytes, of which never more than `most`
 * (0: any) may be held. */
static inline void read_text(sluice_stream *stream, const char *syntax, const char *text, size_t n,
                             unsigned seed, size_t most, struct story *s) {
    sluice_event e;
    size_t held;
    *s = (struct story){.heap = sluice__libc_allocator(), .type = -1};
    for (size_t i = 0; i < n;) {
        size_t step = n;
        if (seed)
            step = 1 + next_number(&seed) % ((seed >> 8) % 3 ? 7 : 60);
        if (step > n - i)
            step = n - i;
        char *piece = malloc(step); /* so that what is read after it was given back is seen */
        memcpy(piece, text + i, step);
        if (sluice_stream_feed(stream, piece, step) != SLUICE_OK)
            abort();
        while (sluice_stream_next(stream, &e) == SLUICE_EVENT)
            take(s, &e, syntax);
        free(piece);
        /* a call that is announced may hold a key of 64 KiB */
        if (sluice_stream_state(stream, NULL, &held) != SLUICE_IN_CALL && most && seed &&
            held > most)
            fprintf(stderr, "%zu bytes are held at %zu\n", held, i),
                fail("more is held than may be", syntax);
        i += step;
    }
    sluice_stream_finish(stream);
    while (sluice_stream_next(stream, &e) == SLUICE_EVENT)
        take(s, &e, syntax);
    if (s->covered != n)
        fail("bytes that are not accounted for, or twice", syntax);
}

static inline void release(struct story *s) {
    sluice__buffer_release(&s->heap, &s->text);
    sluice__buffer_release(&s->heap, &s->arguments);
    sluice__buffer_release(&s->heap, &s->parameters);
}

static inline void compare(const sluice__buffer *whole, const sluice__buffer *cut, const char *what,
                           const char *syntax) {
    if (whole->len == cut->len && (!cut->len || memcmp(whole->data, cut->data, cut->len) == 0))
        return;
    fputs("---- whole", stderr);
    fwrite(whole->data, 1, whole->len, stderr); /* there may be NULs in it */
    fputs("\n---- cut", stderr);
    fwrite(cut->data, 1, cut->len, stderr);
    fputc('\n', stderr);
    fail(what, syntax);
}

/* The text at once, then in chunks: what happens must be the same. */
static inline void read_twice(sluice_stream *stream, const char *syntax, const char *text, size_t n,
                              unsigned seed, size_t most) {
    struct story whole, cut;
    read_text(stream, syntax, text, n, 0, most, &whole);
    sluice_stream_reset(stream);
    read_text(stream, syntax, text, n, seed, most, &cut);
    compare(&whole.text, &cut.text, "what happens depends on the cut", syntax);
    compare(&whole.parameters, &cut.parameters, "the parameters depend on the cut", syntax);
    release(&whole);
    release(&cut);
}

#endif
