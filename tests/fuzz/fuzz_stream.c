/*
 * Any text in any syntax, cut anyhow, with any options: the events are those of the whole text,
 * each byte is accounted for, and the arguments of each call are one JSON object.
 *
 * Input: the syntax, the options, a seed for the cuts, then the text.
 */
#include "../../core/json.h"

#include <sluice.h>
#include <stdio.h>
#include <stdlib.h>

static sluice_engine *engine;
static char *names[256];
static size_t name_count;

static void fail(const char *what, const char *syntax) {
    fprintf(stderr, "%s in %s\n", what, syntax);
    abort();
}

static void fixed_id(void *user, char *id, size_t size) {
    (void)user;
    snprintf(id, size, "call_x");
}

static void start(void) {
    sluice_engine_options options = {.new_id = fixed_id};
    char *list, *at;
    engine = sluice_engine_new(&options);
    if (!engine || sluice_engine_load(engine, getenv("SLUICE_SYNTAXES")) != SLUICE_OK ||
        sluice_list(engine, &list, NULL) != SLUICE_OK)
        abort();
    for (at = list; name_count < 256 && (at = strstr(at, "{\"name\": \"")); at++) {
        at += strlen("{\"name\": \"");
        names[name_count++] = strndup(at, strcspn(at, "\""));
    }
    sluice_free(engine, list);
}

/* What happened, fragments joined. */
struct story {
    sluice__buffer text, arguments;
    sluice_allocator heap;
    int type;
    uint64_t end, covered;
    size_t index;
    bool open;
};

static void add(struct story *s, const char *p, size_t n) {
    if (!sluice__buffer_add(&s->heap, &s->text, p, n))
        abort();
}

static void take(struct story *s, const sluice_event *e, const char *syntax) {
    char line[128];
    bool fragment = e->type == SLUICE_TEXT || e->type == SLUICE_REASONING ||
                    e->type == SLUICE_MARKUP || e->type == SLUICE_ARGUMENTS;
    if (e->type != SLUICE_ERROR && e->start != e->end) {
        if (e->start != s->covered && e->type != SLUICE_CALL_BEGIN)
            s->open = true; /* a name that follows its arguments: not compared */
        s->covered += e->end - e->start;
    }
    if (!fragment || s->type != (int)e->type || s->index != e->index) {
        int n = snprintf(line, sizeof line, "\n%d #%zu %s %s %s %d: ", e->type, e->index,
                         e->name ? e->name : "", e->id ? e->id : "", e->code ? e->code : "",
                         e->type == SLUICE_CALL_END ? (int)e->status : 0);
        add(s, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
    }
    s->type = (int)e->type;
    s->index = e->index;
    if (e->text_len)
        add(s, e->text, e->text_len);
    if (e->type == SLUICE_ARGUMENTS &&
        !sluice__buffer_add(&s->heap, &s->arguments, e->text, e->text_len))
        abort();
    if (e->type == SLUICE_CALL_END) {
        const char *why;
        size_t at;
        if (!s->arguments.len || *s->arguments.data != '{' ||
            !sluice__is_json(&s->heap, s->arguments.data, s->arguments.len, &why, &at))
            fail("arguments that are no JSON object", syntax);
        s->arguments.len = 0;
    }
}

static void run(sluice_stream *stream, const char *syntax, const char *text, size_t n,
                unsigned seed, struct story *s) {
    sluice_event e;
    *s = (struct story){.heap = sluice__libc_allocator(), .type = -1};
    for (size_t i = 0; i < n;) {
        size_t step = n;
        if (seed) {
            seed = seed * 1103515245u + 12345u;
            step = 1 + (seed >> 16) % ((seed >> 8) % 3 ? 7 : 60);
        }
        if (step > n - i)
            step = n - i;
        char *piece = malloc(step); /* so that what is read after it was given back is seen */
        memcpy(piece, text + i, step);
        if (sluice_stream_feed(stream, piece, step) != SLUICE_OK)
            abort();
        while (sluice_stream_next(stream, &e) == SLUICE_EVENT)
            take(s, &e, syntax);
        free(piece);
        i += step;
    }
    sluice_stream_finish(stream);
    while (sluice_stream_next(stream, &e) == SLUICE_EVENT)
        take(s, &e, syntax);
    if (s->covered != n)
        fail("bytes that are not accounted for, or twice", syntax);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char json[] =
        "[{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"parameters\": "
        "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}, \"days\": "
        "{\"type\": \"integer\"}, \"tags\": {\"type\": \"array\"}}}}}, {\"type\": \"function\", "
        "\"function\": {\"name\": \"f\"}}]";
    if (!engine)
        start();
    if (size < 4)
        return 0;
    const char *syntax = names[data[0] % name_count];
    unsigned o = data[1], seed = data[2] + 1u;
    const char *text = (const char *)data + 3;
    sluice_stream_options options = {.markup = 1,
                                     .calls = o & 1 ? "whole" : NULL,
                                     .start = o & 2 ? "reasoning" : NULL,
                                     .strict = o & 4 ? 1 : 0,
                                     .unknown_tools = o & 8 ? "text" : NULL,
                                     .limit_value = o & 16 ? 32 : 0,
                                     .max_calls = o & 32 ? 1 : 0,
                                     .limit_held = o & 128 ? 64 : 0,
                                     .limit_name = o & 128 ? 24 : 0,
                                     .limit_header = o & 128 ? 40 : 0};
    sluice_tools *tools = o & 64 ? sluice_tools_new(engine, json, sizeof json - 1) : NULL;
    sluice_stream *stream = sluice_stream_new(engine, syntax, tools, &options);
    sluice_tools_free(tools);
    if (!stream)
        abort();
    struct story whole, cut;
    run(stream, syntax, text, size - 3, 0, &whole);
    sluice_stream_reset(stream);
    run(stream, syntax, text, size - 3, seed, &cut);
    if (whole.text.len != cut.text.len ||
        memcmp(whole.text.data, cut.text.data, cut.text.len) != 0) {
        fputs("---- whole", stderr);
        fwrite(whole.text.data, 1, whole.text.len, stderr); /* there may be NULs in it */
        fputs("\n---- cut", stderr);
        fwrite(cut.text.data, 1, cut.text.len, stderr);
        fputc('\n', stderr);
        fail("what happens depends on the cut", syntax);
    }
    sluice__buffer *buffers[] = {&whole.text, &whole.arguments, &cut.text, &cut.arguments};
    for (int i = 0; i < 4; i++)
        sluice__buffer_release(&whole.heap, buffers[i]);
    sluice_stream_free(stream);
    return 0;
}
