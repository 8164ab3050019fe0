/*
 * Any text in any syntax, cut anyhow, with any options: the events are those of the whole text,
 * each byte is accounted for, and the arguments of each call are one JSON object.
 *
 * Input: the syntax, the options, a seed for the cuts, then perhaps a JSON array of tools that ends
 * with a NUL, then the text.
 */
#include "story.h"

static sluice_engine *engine;
static char *names[256];
static size_t name_count;

static void start(void) {
    sluice_engine_options options = {.new_id = fixed_id};
    char *list, *at;
    engine = sluice_engine_new(&options);
    if (!engine || sluice_engine_load(engine, getenv("SLUICE_SYNTAXES")) != SLUICE_OK ||
        sluice_list(engine, &list, NULL) != SLUICE_OK)
        abort();
    for (at = list; name_count < 255 && (at = strstr(at, "{\"name\": \"")); at++) {
        at += strlen("{\"name\": \"");
        names[name_count++] = strndup(at, strcspn(at, "\""));
    }
    sluice_free(engine, list);
    names[name_count++] = strdup("auto");
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
                                     .parameters = data[2] & 1,
                                     .max_calls = o & 32 ? 1 : 0,
                                     .limit_held = o & 128 ? 64 : 0,
                                     .limit_name = o & 128 ? 24 : 0,
                                     .limit_header = o & 128 ? 40 : 0};
    const char *given = json, *behind = memchr(text, 0, size - 3);
    size_t given_len = sizeof json - 1;
    if (*text == '[' && behind) {
        given = text;
        given_len = (size_t)(behind - text);
        text = behind + 1;
    }
    size -= (size_t)(text - (const char *)data);
    sluice_tools *tools = o & 64 ? sluice_tools_new(engine, given, given_len) : NULL;
    sluice_stream *stream = sluice_stream_new(engine, syntax, tools, &options);
    sluice_tools_free(tools);
    if (!stream)
        abort();
    /* what may be held, a value that is to be typed, the longest literal and a chunk */
    read_twice(stream, syntax, text, size, seed, o & 128 && o & 16 ? 64 + 40 + 32 + 64 + 60 : 0);
    sluice_stream_free(stream);
    return 0;
}
