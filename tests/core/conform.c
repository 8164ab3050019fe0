/*
 * Prints the library's result for each case, one per line, to compare platforms.
 * usage: conform LIST, a file with the paths of the .jsonl files, one per line
 * A line has the case's id, a hash of the events for chunks of 3 bytes, whether each call renders
 * back, and the result. Generated ids count from 1, so runs are reproducible.
 */
#include <cjson/cJSON.h>
#include <sluice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long ids;

static void next_id(void *user, char *id, size_t size) {
    (void)user;
    snprintf(id, size, "id_%lu", ++ids);
}

static void *need(void *p) {
    if (!p) {
        fputs("not enough memory\n", stderr);
        exit(2);
    }
    return p;
}

/* Returns the whole file, followed by a NUL. */
static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(2);
    }
    size_t cap = 1 << 16, len = 0, n;
    char *text = need(malloc(cap));
    while ((n = fread(text + len, 1, cap - len - 1, f)) > 0) {
        len += n;
        if (cap - len < 2)
            text = need(realloc(text, cap *= 2));
    }
    fclose(f);
    text[len] = 0;
    return text;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * 1099511628211U;
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    return text ? hash_bytes(hash, text, strlen(text) + 1) : hash_bytes(hash, "\1", 1);
}

static uint64_t hash_number(uint64_t hash, uint64_t number) {
    for (int i = 0; i < 8; i++) {
        unsigned char byte = (unsigned char)(number >> (8 * i));
        hash = hash_bytes(hash, &byte, 1);
    }
    return hash;
}

static uint64_t hash_events(uint64_t hash, sluice_stream *stream) {
    sluice_event e;
    while (sluice_stream_next(stream, &e) == SLUICE_EVENT) {
        hash = hash_number(hash, e.type);
        hash = hash_number(hash, e.start);
        hash = hash_number(hash, e.end);
        hash = hash_number(hash, e.index == SIZE_MAX ? UINT64_MAX : e.index); // about no call
        hash = hash_number(hash, e.type == SLUICE_CALL_END ? e.status : 9);
        hash = hash_bytes(hash, e.text_len ? e.text : "", e.text_len);
        hash = hash_text(hash, e.name);
        hash = hash_text(hash, e.id);
        hash = hash_text(hash, e.key);
        hash = hash_text(hash, e.extra);
        hash = hash_text(hash, e.code);
    }
    return hash;
}

static const char *string_of(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* Prints how `render` writes the expected calls: a hash of the text, or that it refuses. */
static void print_rendered(sluice_engine *engine, const char *syntax, const cJSON *item) {
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(item, "expect");
    char *calls = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(expect, "calls"));
    char *out;
    size_t len;
    if (calls && sluice_render(engine, syntax, calls, strlen(calls), &out, &len) == SLUICE_OK) {
        printf("\t%016llx", (unsigned long long)hash_bytes(14695981039346656037U, out, len));
        sluice_free(engine, out);
    } else {
        printf("\t%s", calls ? "refused" : "none");
    }
    free(calls);
}

static void run(sluice_engine *engine, const cJSON *item) {
    const char *id = string_of(item, "id"), *syntax = string_of(item, "syntax");
    const char *text = string_of(item, "text");
    if (!id || !syntax || !text)
        return;
    size_t len = strlen(text); /* a NUL in a text cuts it, the same on all platforms */
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, "tools");
    char *json = cJSON_IsArray(list) ? need(cJSON_PrintUnformatted(list)) : NULL;
    sluice_tools *tools = json ? sluice_tools_new(engine, json, strlen(json)) : NULL;
    sluice_stream_options options = {
        .start = string_of(cJSON_GetObjectItemCaseSensitive(item, "options"), "start"),
        .parameters = 1,
        .markup = 1};
    uint64_t hash = 14695981039346656037U;
    ids = 0;
    sluice_stream *stream = sluice_stream_new(engine, syntax, tools, &options);
    if (!stream) {
        printf("%s\t%s\n", id, sluice_engine_error(engine));
    } else {
        for (size_t i = 0; i < len; i += 3) {
            sluice_stream_feed(stream, text + i, len - i < 3 ? len - i : 3);
            hash = hash_events(hash, stream);
        }
        sluice_stream_finish(stream);
        hash = hash_events(hash, stream);
        sluice_stream_free(stream);
        printf("%s\t%016llx", id, (unsigned long long)hash);
        print_rendered(engine, syntax, item);
        char *result;
        size_t result_len;
        ids = 0;
        if (sluice_parse(engine, syntax, tools, &options, text, len, &result, &result_len) ==
            SLUICE_OK) {
            printf("\t%s\n", result);
            sluice_free(engine, result);
        } else {
            printf("\t%s\n", sluice_engine_error(engine));
        }
    }
    sluice_tools_free(tools);
    free(json);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: conform LIST\n", stderr);
        return 2;
    }
    sluice_engine_options options = {.new_id = next_id};
    sluice_engine *engine = need(sluice_engine_new(&options));
    if (sluice_engine_load(engine, NULL) != SLUICE_OK) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        return 1;
    }
    char *list = read_file(argv[1]);
    for (char *path = list, *end; *path; path = end) {
        end = path + strcspn(path, "\r\n");
        while (*end == '\r' || *end == '\n')
            *end++ = 0;
        if (!*path)
            continue;
        char *cases = read_file(path);
        for (char *line = cases, *next; *line; line = next) {
            next = line + strcspn(line, "\n");
            if (*next)
                *next++ = 0;
            cJSON *item = cJSON_Parse(line);
            if (item)
                run(engine, item);
            cJSON_Delete(item);
        }
        free(cases);
    }
    free(list);
    sluice_engine_free(engine);
    return 0;
}
