/*
 * Sluice: libsluice with its defaults, validation included.
 *
 * Reads responses (a line of JSON each) from standard input and prints what was made of each.
 * usage: sluice_race SYNTAX_FOLDER [auto]
 */
#include <sluice.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 256 };

typedef struct {
    char *bytes;
    size_t len, size;
} text;

typedef struct {
    char name[64];
    text arguments;
    int whole; /* the call is complete */
} call;

typedef struct {
    text content;
    call calls[CALLS];
    size_t count;
} outcome;

/* Microseconds: of processor time, which a loaded machine does not change, or by the clock. */
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void append(text *t, const char *bytes, size_t len) {
    if (t->len + len + 1 > t->size) {
        t->size = 2 * (t->len + len + 1);
        t->bytes = realloc(t->bytes, t->size);
        if (!t->bytes)
            exit(1);
    }
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
    t->bytes[t->len] = '\0';
}

static void take(sluice_stream *stream, outcome *out) {
    sluice_event e;
    while (sluice_stream_next(stream, &e) == SLUICE_EVENT) {
        if (e.type == SLUICE_TEXT)
            append(&out->content, e.text, e.text_len);
        if (e.type < SLUICE_CALL_BEGIN || e.index >= CALLS)
            continue;
        call *c = &out->calls[e.index];
        if (e.type == SLUICE_CALL_BEGIN) {
            snprintf(c->name, sizeof c->name, "%s", e.name);
            out->count = e.index + 1;
        } else if (e.type == SLUICE_ARGUMENTS) {
            append(&c->arguments, e.text, e.text_len);
        } else if (e.type == SLUICE_CALL_END) {
            c->whole = e.status != SLUICE_INCOMPLETE;
        }
    }
}

/* One response with a stream of its own. */
static void parse(sluice_engine *engine, const char *syntax, const sluice_tools *tools,
                  char *const *chunks, size_t count, outcome *out) {
    out->content.len = 0;
    for (size_t i = 0; i < out->count; i++)
        out->calls[i].arguments.len = 0;
    out->count = 0;
    sluice_stream *stream = sluice_stream_new(engine, syntax, tools, NULL);
    if (!stream) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        sluice_stream_feed(stream, chunks[i], strlen(chunks[i]));
        take(stream, out);
    }
    sluice_stream_finish(stream);
    take(stream, out);
    sluice_stream_free(stream);
}

static void print(const outcome *out, double us) {
    cJSON *o = cJSON_CreateObject(), *calls = cJSON_AddArrayToObject(o, "calls");
    cJSON_AddNumberToObject(o, "us", us);
    cJSON_AddStringToObject(o, "text", out->content.len ? out->content.bytes : "");
    for (size_t i = 0; i < out->count; i++) {
        cJSON *c = cJSON_CreateObject();
        cJSON_AddStringToObject(c, "name", out->calls[i].name);
        cJSON_AddStringToObject(c, "arguments",
                                out->calls[i].arguments.len ? out->calls[i].arguments.bytes : "");
        cJSON_AddBoolToObject(c, "whole", out->calls[i].whole);
        cJSON_AddItemToArray(calls, c);
    }
    char *line = cJSON_PrintUnformatted(o);
    puts(line);
    fflush(stdout);
    free(line);
    cJSON_Delete(o);
}

int main(int argc, char **argv) {
    static outcome out;
    sluice_engine *engine = sluice_engine_new(NULL);
    if (argc < 2 || sluice_engine_load(engine, argv[1]) != SLUICE_OK)
        return 1;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        cJSON *response = cJSON_Parse(line), *list = cJSON_GetObjectItem(response, "chunks"), *item;
        const char *syntax = cJSON_GetObjectItem(response, "family")->valuestring;
        char *json = cJSON_PrintUnformatted(cJSON_GetObjectItem(response, "tools"));
        char **chunks = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *chunks);
        size_t count = 0;
        sluice_tools *tools = sluice_tools_new(engine, json, strlen(json));
        if (!chunks || !tools)
            return 1;
        cJSON_ArrayForEach(item, list) chunks[count++] = item->valuestring;
        double best = 1e12, begin = now(CLOCK_MONOTONIC);
        do {
            double t = now(CLOCK_PROCESS_CPUTIME_ID);
            parse(engine, argc > 2 ? argv[2] : syntax, tools, chunks, count, &out);
            t = now(CLOCK_PROCESS_CPUTIME_ID) - t;
            best = t < best ? t : best;
        } while (now(CLOCK_MONOTONIC) - begin < 200e3);
        print(&out, best);
        sluice_tools_free(tools);
        free(chunks);
        free(json);
        cJSON_Delete(response);
    }
    free(line);
    sluice_engine_free(engine);
    return 0;
}
