/*
 * Any bytes as a value, in any leniency: what comes out does not hang on the cut; it is JSON, and
 * read strictly it comes out as it is.
 *
 * Input: the forms that are read (two bytes), how it begins and how deep it may be, a seed for the
 * cuts, then the text.
 */
#include "story.h"

struct out {
    sluice_allocator heap;
    sluice__buffer json, tokens, notes;
};

static bool raw(void *user, const char *p, size_t n, bool source) {
    struct out *o = user;
    (void)source;
    return sluice__buffer_add(&o->heap, &o->json, p, n);
}

static bool token(void *user, sluice__token t, size_t depth, const char *p, size_t n) {
    struct out *o = user;
    char line[32];
    static const char fragment[] = {
        [SLUICE__T_KEY] = 1, [SLUICE__T_STRING] = 1, [SLUICE__T_SCALAR] = 0};
    int len = t < (int)sizeof fragment && fragment[t]
                  ? 0
                  : snprintf(line, sizeof line, "\n%d %zu ", (int)t, depth);
    return sluice__buffer_add(&o->heap, &o->tokens, line, (size_t)len) &&
           (!p || sluice__buffer_add(&o->heap, &o->tokens, p, n));
}

static bool note(void *user, const char *code, const char *message) {
    struct out *o = user;
    return sluice__buffer_add(&o->heap, &o->notes, code, strlen(code)) &&
           sluice__buffer_add(&o->heap, &o->notes, message, strlen(message));
}

static sluice__reading run(struct out *o, uint32_t flags, sluice__top top, size_t depth,
                           const char *text, size_t n, unsigned seed, size_t *at) {
    *o = (struct out){.heap = sluice__libc_allocator()};
    sluice__sink sink = {o, raw, token, 2, false, note, NULL};
    sluice__reader r;
    sluice__reading what = SLUICE__READ_MORE;
    sluice__reader_init(&r, &o->heap, &sink, flags, top, NULL, 0, depth);
    *at = 0;
    size_t left = 0; /* what comes again, with more */
    do {
        size_t step = n - *at, used = 0;
        if (seed) {
            step = left + 1 + next_number(&seed) % 9;
            if (step > n - *at)
                step = n - *at;
        }
        char *piece = malloc(step ? step : 1);
        if (step)
            memcpy(piece, text + *at, step);
        what = sluice__reader_feed(&r, piece, step, *at + step == n, &used);
        free(piece);
        if (what == SLUICE__READ_MORE && used != step && *at + step == n)
            fail("not all was read", "a value");
        *at += used;
        left = step - used;
    } while (what == SLUICE__READ_MORE && *at < n);
    if (what != SLUICE__READ_DONE && !sluice__reader_close(&r))
        abort();
    sluice__reader_release(&r);
    return what;
}

static void drop(struct out *o) {
    sluice__buffer_release(&o->heap, &o->json);
    sluice__buffer_release(&o->heap, &o->tokens);
    sluice__buffer_release(&o->heap, &o->notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 5)
        return 0;
    uint32_t flags = (data[0] | (uint32_t)data[1] << 8) & (2 * SLUICE__TOTAL - 1);
    sluice__top top = (sluice__top)(data[2] % 3);
    size_t depth = data[2] & 128 ? 3 : 0, at, stop;
    const char *text = (const char *)data + 4;
    struct out whole, cut, again;
    sluice__reading a = run(&whole, flags, top, depth, text, size - 4, 0, &at);
    sluice__reading b = run(&cut, flags, top, depth, text, size - 4, data[3] + 1u, &stop);
    if (a != b || at != stop)
        fail("where it stops depends on the cut", "a value");
    compare(&whole.json, &cut.json, "the JSON depends on the cut", "a value");
    compare(&whole.tokens, &cut.tokens, "the tokens depend on the cut", "a value");
    compare(&whole.notes, &cut.notes, "the notes depend on the cut", "a value");
    const char *why;
    size_t wrong;
    bool some = false;
    for (size_t i = 0; i < whole.json.len; i++)
        some = some || !strchr(" \t\r\n", whole.json.data[i]);
    if (some || a == SLUICE__READ_DONE) {
        if (!sluice__is_json(&whole.heap, whole.json.data, whole.json.len, &why, &wrong)) {
            fprintf(stderr, "%.*s\n%s at %zu\n", (int)whole.json.len, whole.json.data, why, wrong);
            fail("what comes out is no JSON", "a value");
        }
        run(&again, 0, SLUICE__TOP_ANY, SLUICE__DEPTH_MAX, whole.json.data, whole.json.len, 0, &at);
        while (whole.json.len && strchr(" \t\r\n", whole.json.data[whole.json.len - 1]))
            whole.json.len--;
        compare(&whole.json, &again.json, "read again it is something else", "a value");
        drop(&again);
    }
    drop(&whole);
    drop(&cut);
    return 0;
}
