/*
 * The memory that each kind of input takes in a stream, in bytes beyond the stream's own, as
 * counted by the allocator. SECURITY.md has the table.
 *
 *   test_limits SYNTAXES     each kind in SLUICE_LIMITS bytes (1.25 MB) and in twice as many, in
 *                            pieces of 4 KB and in one; prints the table
 *
 * Beyond the limit of held bytes, one byte of input must not take more than four. Arguments to be
 * checked are kept, up to 16 MiB and a million values.
 */
#include "check.h"

#include <sluice.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char weather[] =
    "[{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\": {\"type\": "
    "\"object\", "
    "\"properties\": {\"a\": {\"type\": \"string\"}, \"n\": {\"type\": \"integer\"}, \"l\": "
    "{\"type\": "
    "\"array\", \"items\": {\"type\": \"object\"}}, \"o\": {\"type\": \"object\"}}}}}]";

enum { TOOLS = 1, WHOLE = 2, PARAMETERS = 4, SOURCE = 8, SCHEMA_TYPES = 16 };

/* # in a unit is a number that counts up. */
static const struct kind {
    const char *what, *syntax, *head, *unit, *tail;
    unsigned how;
} kinds[] = {
    {"text", "hermes", "", "some text of a line\n", "", 0},
    {"text, any format", "auto", "", "some text of a line\n", "", 0},
    {"invalid UTF-8 in text", "hermes", "", "\xC3\xE2\x82", "", 0},
    {"reasoning", "hermes", "<think>", "hm, so be it. ", "", 0},
    {"almost a marker", "hermes", "", "<tool_cal ", "", 0},
    {"openers that open nothing", "hermes", "", "<tool_call>\n", "", 0},
    {"openers that open nothing, any format", "auto", "", "<tool_call>\n", "", 0},
    {"calls", "hermes", "", "<tool_call>{\"name\": \"f\", \"arguments\": {\"n\": #}}</tool_call>\n",
     "", 0},
    {"calls, checked", "hermes", "",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"n\": #}}</tool_call>\n", "", TOOLS},
    {"calls, each with an id", "mistral", "[TOOL_CALLS][",
     "{\"name\": \"f\", \"id\": \"i#\", \"arguments\": {}}, ", "]", 0},
    {"broken calls", "mistral", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}}", ",{\"a\": [",
     "", 0},
    {"an argument", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"",
     "some text. ", "\"}}</tool_call>", 0},
    {"an argument, checked", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"",
     "some text. ", "\"}}</tool_call>", TOOLS},
    {"an argument, its parameters reported", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "some \\\"text\\\". ",
     "\"}}</tool_call>", PARAMETERS},
    {"an argument, its source reported", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "some text. ", "\"}}</tool_call>",
     SOURCE},
    {"an argument of a call that must be whole", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "some text. ", "\"}}</tool_call>",
     WHOLE},
    {"escapes", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"",
     "\\u00e9\\n\\\"", "\"}}</tool_call>", 0},
    {"invalid UTF-8 in arguments", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "\xC3\xE2\x82", "\"}}</tool_call>",
     0},
    {"arguments that are repaired", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"l\": [", "{k: 'v',} ", "]}}</tool_call>", 0},
    {"distinct keys", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {", "\"k#\": 1, ",
     "\"z\": 1}}</tool_call>", 0},
    {"distinct keys, checked", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {",
     "\"k#\": 1, ", "\"z\": 1}}</tool_call>", TOOLS},
    {"distinct keys within, checked", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"o\": {", "\"k#\": 1, ",
     "\"z\": 1}}}</tool_call>", TOOLS},
    {"one key over and over", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {",
     "\"k\": 1, ", "\"z\": 1}}</tool_call>", 0},
    {"objects in a list", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"l\": [", "{}, ",
     "{}]}}</tool_call>", 0},
    {"objects in a list, checked", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"l\": [", "{}, ", "{}]}}</tool_call>", TOOLS},
    {"numbers where objects should be, checked", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"l\": [", "#, ", "{}]}}</tool_call>", TOOLS},
    {"arguments typed by the schema", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {",
     "\"k#\": \"1\", ", "\"n\": \"1\"}}</tool_call>", TOOLS | SCHEMA_TYPES},
    {"one number", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"n\": ", "1",
     "}}</tool_call>", 0},
    {"one name", "hermes", "<tool_call>{\"name\": \"", "f", "\", \"arguments\": {}}</tool_call>",
     0},
    {"brackets", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"l\": ", "[", "", 0},
    {"arguments before the name", "hermes", "<tool_call>{\"arguments\": {\"a\": \"", "some text. ",
     "\"}, \"name\": \"f\"}</tool_call>", 0},
    {"a raw value", "qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n", "x <y ",
     "\n</parameter>\n</function>\n</tool_call>", TOOLS},
    {"a raw value that is typed at its end", "qwen3_coder",
     "<tool_call>\n<function=f>\n<parameter=o>\n", "x <y ",
     "\n</parameter>\n</function>\n</tool_call>", TOOLS},
    {"a raw value that is JSON", "qwen3_coder", "<tool_call>\n<function=f>\n<parameter=l>\n[",
     "{\"k\": #}, ", "{}]\n</parameter>\n</function>\n</tool_call>", TOOLS},
    {"a raw value that quotes calls", "qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n",
     "<parameter=b>\n", "\n</parameter>\n</function>\n</tool_call>", TOOLS},
    {"parameters", "qwen3_coder", "<tool_call>\n<function=f>\n",
     "<parameter=k#>\n1\n</parameter>\n", "</function>\n</tool_call>", 0},
    {"a parameter over and over", "glm45", "<tool_call>f\n",
     "<arg_key>a</arg_key>\n<arg_value>#</arg_value>\n", "</tool_call>", 0},
    {"keywords", "pythonic", "[f(", "k#=1, ", "z=2)]", 0},
    {"calls in open reasoning", "hermes", "<think>\n",
     "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\n", "", 0},
    {"calls in open reasoning, any format", "auto", "<think>\n",
     "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\n", "", 0},
    {"calls in an open fence", "qwen3_coder", "```\n",
     "<tool_call>\n<function=f>\n</function>\n</tool_call>\n", "", 0},
    {"openers in an open fence", "hermes", "```\n", "<tool_call>\n", "", 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static char *make(const struct kind *kind, size_t n) {
    size_t tail = strlen(kind->tail), at = strlen(kind->head);
    char *text = malloc(n + 256);
    if (!text)
        exit(1);
    memcpy(text, kind->head, at);
    for (unsigned count = 0; at < n - tail; count++)
        for (const char *c = kind->unit; *c; c++)
            if (*c == '#')
                at += (size_t)snprintf(text + at, 12, "%u", count);
            else
                text[at++] = *c;
    memcpy(text + n - tail, kind->tail, tail);
    return text;
}

/* Returns the maximum allocated while the text is read, beyond the stream's own memory. */
static size_t cost(sluice_engine *engine, const struct kind *kind, size_t n, size_t chunk) {
    sluice_stream_options o = {.calls = kind->how & WHOLE ? "whole" : NULL,
                               .parameters = kind->how & PARAMETERS ? 1 : 0,
                               .source = kind->how & SOURCE ? 1 : 0,
                               .types = kind->how & SCHEMA_TYPES ? "schema" : NULL};
    sluice_tools *tools =
        kind->how & TOOLS ? sluice_tools_new(engine, weather, sizeof weather - 1) : NULL;
    sluice_stream *s = sluice_stream_new(engine, kind->syntax, tools, &o);
    sluice_event e;
    char *text = make(kind, n);
    sluice_tools_free(tools);
    if (!s)
        exit(1);
    size_t before = out_now;
    out_most = out_now;
    for (size_t i = 0; i < n; i += chunk) {
        sluice_stream_feed(s, text + i, n - i < chunk ? n - i : chunk);
        while (sluice_stream_next(s, &e) == SLUICE_EVENT)
            CHECK(e.type != SLUICE_ERROR || strcmp(e.code, "no_memory") != 0);
    }
    sluice_stream_finish(s);
    while (sluice_stream_next(s, &e) == SLUICE_EVENT) {
    }
    size_t most = out_most - before;
    sluice_stream_free(s);
    free(text);
    return most;
}

/* Arguments too long to be checked: the call says so. In one piece and in pieces, in JSON and tags.
 */
static void too_long_to_check(sluice_engine *engine) {
    static const struct kind both[] = {
        {"", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "some text. ",
         "\"}}</tool_call>", TOOLS},
        {"", "qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n", "some text. ",
         "\n</parameter>\n</function>\n</tool_call>", TOOLS}};
    for (size_t k = 0; k < 6; k++) {
        const struct kind *kind = &both[k % 2];
        bool over = k < 4;
        size_t n = ((size_t)16 << 20) + (over ? 4096 : 0) - (over ? 0 : 4096);
        size_t chunk = k < 2 ? n : 65536;
        sluice_tools *tools = sluice_tools_new(engine, weather, sizeof weather - 1);
        sluice_stream *s = sluice_stream_new(engine, kind->syntax, tools, NULL);
        char *text = make(kind, n);
        sluice_event e;
        size_t told = 0, ends = 0;
        for (size_t i = 0; i <= n; i += chunk) {
            if (i < n)
                sluice_stream_feed(s, text + i, n - i < chunk ? n - i : chunk);
            if (n - i <= chunk)
                sluice_stream_finish(s);
            while (sluice_stream_next(s, &e) == SLUICE_EVENT) {
                told += e.type == SLUICE_ERROR && !strcmp(e.code, "limit_exceeded");
                if (e.type != SLUICE_CALL_END)
                    continue;
                ends++;
                CHECK(e.status == SLUICE_COMPLETE && e.valid == !over);
            }
        }
        CHECK(ends == 1 && told == (over ? 1 : 0));
        free(text);
        sluice_stream_free(s);
        sluice_tools_free(tools);
    }
}

int main(int argc, char **argv) {
    const char *wanted = getenv("SLUICE_LIMITS");
    size_t n = wanted ? (size_t)atol(wanted) : (size_t)1250000;
    if (argc < 2)
        return 1;
    sluice_engine_options options = {.allocator = {counted, NULL}};
    sluice_engine *engine = sluice_engine_new(&options);
    if (!engine || sluice_engine_load(engine, argv[1]) != SLUICE_OK)
        return 1;
    for (size_t k = 0; k < KINDS; k++) /* memory that an engine keeps from the first stream on */
        cost(engine, &kinds[k], 1000, 100);
    printf("| kind of input | %.2f MB | %.2f MB | a byte more | in one piece | a byte more |\n"
           "|---|---|---|---|---|---|\n",
           (double)n / 1e6, (double)n / 5e5);
    for (size_t k = 0; k < KINDS; k++) {
        size_t first = cost(engine, &kinds[k], n, 4096),
               second = cost(engine, &kinds[k], 2 * n, 4096);
        size_t one = cost(engine, &kinds[k], n, n), two = cost(engine, &kinds[k], 2 * n, 2 * n);
        double more = second > first ? (double)(second - first) / (double)n : 0;
        double whole = two > one ? (double)(two - one) / (double)n : 0;
        printf("| %s | %.0f KB | %.0f KB | %.1f | %.0f KB | %.1f |\n", kinds[k].what,
               (double)first / 1024, (double)second / 1024, more, (double)two / 1024, whole);
        if (kinds[k].how & TOOLS) {
            CHECK(second <= (size_t)44 << 20);
            CHECK(two <= (size_t)44 << 20);
        } else {
            CHECK(more <= 4);
            CHECK(whole <= 4);
        }
    }
    too_long_to_check(engine);
    sluice_engine_free(engine);
    return report("limits");
}
