/*
 * Hostile input: megabytes of constructs that begin and do not end. Every byte is covered by an
 * event, held bytes stay within the limits, and arguments stay JSON.
 *
 *   test_hostile SYNTAXES                each shape in SLUICE_HOSTILE bytes (10 MB)
 *   test_hostile SYNTAXES BYTES N OF     every OFth shape from the Nth on, in this many bytes and
 *                                        four times as many, for callgrind: see bench/hostile.sh
 */
#include "check.h"

#include <sluice.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct shape {
    const char *what, *syntax, *head, *unit, *tail; /* what: "whole: ..." with that option */
    size_t chunk;
} shapes[] = {
    {"openers without closers", "hermes", "", "<tool_call>", "", 4096},
    {"odd JSON in a string", "hermes", "<tool_call>{\"name\":\"f\",\"arguments\":\"{", "'k':'v',",
     "", 4096},
    {"quotes and comments", "gemma4", "<|tool_call>call:f{a:<|\"|>", "x<|\"|>#", "\n", 4096},
    {"ends of an opener", "minimax_m2",
     "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">", "ter",
     "</parameter>\n</invoke>\n</minimax:tool_call>", 4096},
    {"openers and a brace", "hermes", "", "<tool_call>\n{", "", 4096},
    {"openers and a held string", "hermes", "", "<tool_call>{\"arguments\":{\"a\":\"", "", 4096},
    {"openers, tags", "qwen3_coder", "", "<tool_call>\n<function=f>\n<parameter=a>\n", "", 4096},
    {"openers of three tokens", "deepseek_v3", "",
     "<\xEF\xBD\x9Ctool\xE2\x96\x81"
     "calls\xE2\x96\x81"
     "begin\xEF\xBD\x9C>",
     "", 4096},
    {"openers of one token", "mistral", "", "[TOOL_CALLS]", "", 4096},
    {"openers, any format", "auto", "", "<tool_call>", "", 4096},
    {"openers of several formats", "auto", "",
     "<tool_call>\n<function=f>\n[TOOL_CALLS][<|tool_call|>[{^^^a\n", "", 4096},
    {"one name, any format", "auto", "<tool_call>", "a", "\n</tool_call>", 4096},
    {"brackets, any format", "auto", "", "[", "", 4096},
    {"openers of reasoning", "hermes", "", "<think>", "", 4096},
    {"an opener that is never closed, and such", "minimax_m3", "",
     "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"", "", 4096},
    {"names in names", "seed_oss", "<function=>", "None<seed:tool_call>\n<function=", "", 4096},
    {"a doctest", "functionary_v32", "", ">>>>>>\n", "", 4096},
    {"almost a marker", "hermes", "", "<tool_cal", "", 4096},
    {"the first byte of markers", "qwen3_coder", "", "<", "", 4096},
    {"closers", "hermes", "", "</tool_call>", "", 4096},
    {"braces as text", "hermes", "", "{}{", "", 4096},
    {"braces where a call may begin", "llama3_json", "", "{", "", 4096},
    {"braces in a call", "hermes", "<tool_call>\n", "{", "", 4096},
    {"brackets nested in arguments", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": ", "[", "", 4096},
    {"brackets where a call may begin", "pythonic", "", "[", "", 4096},
    {"brackets after a token", "mistral", "[TOOL_CALLS]", "[", "", 4096},
    {"separators", "deepseek_v3", "", "<\xEF\xBD\x9Ctool\xE2\x96\x81sep\xEF\xBD\x9C>", "", 4096},
    {"commas", "mistral", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}}", ",", "", 4096},
    {"broken calls among good ones", "mistral", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}}",
     ",{\"a\": [", "", 4096},
    {"one header", "qwen3_coder", "<tool_call>\n<function=", "a", ">\n</function>\n</tool_call>",
     4096},
    {"one name", "hermes", "<tool_call>{\"name\": \"", "a", "\", \"arguments\": {}}</tool_call>",
     4096},
    {"one key", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"", "k",
     "\": 1}}</tool_call>", 4096},
    {"one number", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": ", "1",
     "}}</tool_call>", 4096},
    {"one run of escapes", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"",
     "\\u0041\\n", "\"}}</tool_call>", 4096},
    {"one run of backslashes", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"",
     "\\", "\"}}</tool_call>", 4096},
    {"white space in text for arguments", "harmony",
     "<|channel|>commentary to=functions.f <|constrain|>json<|message|>x", " ", "y<|call|>", 4096},
    {"arguments before the name", "hermes", "<tool_call>{\"arguments\": {\"a\": \"", "x",
     "\"}, \"name\": \"f\"}</tool_call>", 4096},
    {"text behind encoded arguments", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": \"{} ",
     "x", "", 64},
    {"white space before a call", "hermes", "", "\n", "<tool_call>", 4096},
    {"white space in a call", "hermes", "<tool_call>", " ", "{", 4096},
    {"white space in arguments", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {", " ",
     "}}", 4096},
    {"no UTF-8", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "\xC3",
     "\"}}</tool_call>", 4096},
    {"parameters", "qwen3_coder", "<tool_call>\n<function=f>\n", "<parameter=a>\n1\n</parameter>\n",
     "</function>\n</tool_call>", 4096},
    {"openers in a value", "qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n",
     "<parameter=a>", "\n</parameter>\n</function>\n</tool_call>", 4096},
    {"closers in a value", "glm45", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
     "</arg_value>x", "</tool_call>", 4096},
    {"whole calls in a value, to the end", "glm45",
     "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
     "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>\n</tool_call></tool_call>",
     "</arg_value></tool_call></tool_call>", 4096},
    {"whole calls in a value, and one cut", "glm45",
     "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
     "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>\n</tool_call></tool_call>",
     "<tool_call>f\n<arg_key></arg_value></tool_call></tool_call>", 4096},
    {"code fences", "qwen3_coder", "", "```\n", "", 4096},
    {"calls in open reasoning, a line each", "hermes", "<think>\n",
     "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\n", "", 4096},
    {"tags in open reasoning, a line each", "qwen3_coder", "<think>\n",
     "<tool_call>\n<function=f>\n</function>\n</tool_call>\n", "", 4096},
    {"calls in open reasoning, any format", "auto", "<think>\n",
     "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\n", "", 4096},
    {"calls in an open fence, a line each", "qwen3_coder", "```\n",
     "<tool_call>\n<function=f>\n</function>\n</tool_call>\n", "", 4096},
    {"lines that may be names, in one piece", "functionary_v32", "", "abc\n", "", SIZE_MAX / 2},
    {"lines that are names, in one piece", "functionary_v32", "", "abc\n{", "", SIZE_MAX / 2},
    {"lines that may be names", "functionary_v32", "", "abc def\n", "", 4096},
    {"white space after an opener of reasoning", "hermes", "<think>", " ", "x", 4},
    {"blanks before a trimmed value, in small chunks", "code_tags", "```py\n", " ", "x\n```", 4},
    {"blanks in a trimmed value, in small chunks", "code_tags", "```py\nx", " ", "x\n```", 4},
    {"blanks before a value of any type, in small chunks", "qwen3_coder",
     "<tool_call>\n<function=f>\n<parameter=a>", " ", "x", 4},
    {"blanks in a value of any type, in small chunks", "qwen3_coder",
     "<tool_call>\n<function=f>\n<parameter=a>5", " ", "x", 4},
    {"white space in a call, in small chunks", "hermes", "<tool_call>", " ", "{", 4},
    {"white space behind a name, in small chunks", "hermes", "<tool_call>{\"name\": \"f\",", " ",
     "\"arguments\": {}}", 4},
    {"white space behind arguments, in small chunks", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {},", " ", "\"id\": \"x\"}", 4},
    {"white space behind a parameter, in small chunks", "qwen3_coder",
     "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>", " ", "</function>", 4},
    {"white space before a call, in small chunks", "hermes", "", "\n", "<tool_call>", 4},
    {"blanks after a possible name", "functionary_v32", "al", " ", "", 4096},
    {"blanks after a possible name, in small chunks", "functionary_v32", "al", " ", "", 61},
    {"calls in open reasoning, in small chunks", "hermes", "<think>\n",
     "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\n", "", 4},
    {"a run in reasoning, in small chunks", "smiley", "<think>\nhm \n", "\xF0\x9F\x98\x8A", "", 61},
    {"a run, any format, in small chunks", "auto", "<minimax:t", "\xF0\x9F\x98\x8A", "", 61},
    /* as reported by users */
    {"a value in bytes", "qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n", "x <y ",
     "\n</parameter>\n</function>\n</tool_call>", 1},
    {"a string in 40 bytes", "hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"",
     "some \\\"text\\\" ", "\"}}</tool_call>", 40},
    {"quotes that are not escaped, in small chunks", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "x \"y\" ", "\"}}</tool_call>", 4},
    {"quotes none of which closes, in small chunks", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "x \"y\" ", "", 4},
    {"quotes before possible keys", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\"y",
     "\", kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", "\"}}</tool_call>",
     61},
    {"quotes and blanks, in small chunks", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\"y",
     "\"                                                                 ", "\"}}</tool_call>", 4},
    {"strings of a list with quotes, in small chunks", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": [", "\"a\"b\", ", "]}}</tool_call>", 4},
    {"strings of a list without commas, in small chunks", "hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": [", "\"a\"b ", "", 4},
    {"quotes in Python, in small chunks", "lfm2", "<|tool_call_start|>[f(a='", "it's ", "", 4},
    {"openers of thought", "gemma4", "", "<thought ", "", 4096},
    {"text in bytes", "hermes", "", "Hello, world. ", "", 1},
    {"whole: refused calls of a list", "functiongemma", "<start_function_call>call:f{a:<es",
     "<start_function_call>call:f{a:<x>", "", 4096},
    {"values that lack a closer", "qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\nx\n",
     "</parameter>\n<parameter=b>\n1\n<<tool_call>\n<function=f>\n<parameter=a>\nx\n", "", 4096},
    {"calls in open reasoning, without closers", "vcp", "<think>\n",
     "<<<[TOOL_REQUEST]>>>\ntool_name:「始」f「末」\na:「始」x「", "", 4096},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Makes at most *most bytes, of whole units: a cut unit could make another shape. */
static char *make(const struct shape *shape, size_t *most) {
    size_t head = strlen(shape->head), unit = strlen(shape->unit), tail = strlen(shape->tail);
    if (*most < head + tail)
        exit(1);
    size_t n = *most -= (*most - head - tail) % unit;
    char *text = malloc(n);
    if (!text)
        exit(1);
    memcpy(text, shape->head, head);
    for (size_t i = head; i < n - tail; i++)
        text[i] = shape->unit[(i - head) % unit];
    memcpy(text + n - tail, shape->tail, tail);
    return text;
}

static sluice_engine *engine_for(const char *folder, const char *syntax) {
    sluice_engine_options o = {.allocator = {counted, NULL}};
    char path[1024];
    bool all = strcmp(syntax, "auto") == 0;
    snprintf(path, sizeof path, all ? "%s" : "%s/%s.lua", folder, syntax);
    sluice_engine *engine = sluice_engine_new(&o);
    if (!engine || sluice_engine_load(engine, path) != SLUICE_OK)
        exit(1);
    return engine;
}

/* Returns how many bytes the events covered. */
static uint64_t feed_all(sluice_stream *s, const char *text, size_t n, size_t chunk,
                         size_t *events) {
    sluice_event e;
    uint64_t covered = 0;
    for (size_t i = 0;; i += chunk) {
        if (i < n)
            sluice_stream_feed(s, text + i, n - i < chunk ? n - i : chunk);
        else
            sluice_stream_finish(s);
        while (sluice_stream_next(s, &e) == SLUICE_EVENT) {
            covered += e.type == SLUICE_ERROR ? 0 : e.end - e.start;
            ++*events;
        }
        if (i >= n)
            return covered;
    }
}

static void try(const struct shape *shape, const char *folder, size_t n, bool figures) {
    size_t limit = figures ? 32768 : 2048; /* all shapes come to it */
    sluice_stream_options markup = {.markup = 1, .limit_held = limit, .limit_value = limit};
    markup.calls = strncmp(shape->what, "whole: ", 7) == 0 ? "whole" : NULL;
    size_t events = 0;
    char *text = make(shape, &n);
    sluice_engine *engine = engine_for(folder, shape->syntax);
    sluice_stream *s = sluice_stream_new(engine, shape->syntax, NULL, &markup);
    size_t before = out_now;
    out_most = out_now;
    clock_t start = clock();
    uint64_t covered = feed_all(s, text, n, shape->chunk, &events);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%-42s %-16s", shape->what, shape->syntax);
    if (figures)
        printf(" %5.0f ns a byte, %7.0f KB more, %9zu events", seconds * 1e9 / (double)n,
               (double)(out_most - before) / 1024, events);
    printf("\n");
    CHECK(covered == n);
    CHECK(out_most - before <= (size_t)8 << 20); /* limit_held, limit_value, growth by halves */
    sluice_stream_free(s);
    sluice_engine_free(engine);
    free(text);
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 1;
    if (argc == 5) {
        for (size_t i = (size_t)atol(argv[3]); i < SHAPES; i += (size_t)atol(argv[4]))
            for (size_t n = (size_t)atol(argv[2]), k = 0; k < 2; k++, n *= 4)
                try(&shapes[i], argv[1], n, false);
        return 0;
    }
    const char *wanted = getenv("SLUICE_HOSTILE");
    size_t bytes = wanted ? (size_t)atol(wanted) : (size_t)10000000;
    for (size_t i = 0; i < SHAPES; i++) /* for small chunks a tenth is enough */
        try(&shapes[i], argv[1], shapes[i].chunk < 4096 ? bytes / 10 : bytes, true);
    return report("hostile");
}
