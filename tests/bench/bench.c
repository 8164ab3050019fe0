/*
 * sluice_bench: speeds as ratios against baselines measured in the same run.
 *
 * usage: sluice_bench SYNTAX_FOLDER            the table; -: the library's own syntaxes
 *        sluice_bench SYNTAX_FOLDER texts       text that is dense with beginnings of markers
 *        sluice_bench SYNTAX_FOLDER structure   arguments with much structure, compared with cJSON
 *        sluice_bench SYNTAX_FOLDER count WHAT N [SYNTAX [CHUNK]]
 *                                   one thing N times, for callgrind
 */
#include <sluice.h>

#include "texts.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef SLUICE_YYJSON
#include <yyjson.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Makes a string of about `n` bytes, like files that models write: lines, quotes, some escapes,
 * some UTF-8. */
static size_t fill(char *out, size_t n, int escaped) {
    static const char *const lines[] = {
        "def area(width, height):", "    return width * height", "# na\xC3\xAFve, but it works",
        "for item in items:",       "    total += item.price",   "print(f'total: {total}')"};
    size_t len = 0;
    for (size_t i = 0; len + 64 < n; i++) {
        const char *line = lines[i % 6];
        size_t k = strlen(line);
        memcpy(out + len, line, k);
        len += k;
        if (escaped) {
            memcpy(out + len, i % 7 ? "\\n" : "\\\"\\n", i % 7 ? 2 : 4);
            len += i % 7 ? 2 : 4;
        } else {
            out[len++] = '\n';
        }
    }
    return len;
}

/* The beginning and end of a call around its argument `content`, in some syntaxes. */
static const struct {
    const char *syntax, *head, *tail;
    int escaped;
} wraps[] = {
    {"hermes", "<tool_call>\n{\"name\": \"write\", \"arguments\": {\"content\": \"",
     "\"}}\n</tool_call>", 1},
    {"qwen3_coder", "<tool_call>\n<function=write>\n<parameter=content>\n",
     "\n</parameter>\n</function>\n</tool_call>", 0},
    {"glm45", "<tool_call>write\n<arg_key>content</arg_key>\n<arg_value>",
     "</arg_value>\n</tool_call>", 0},
    {"minimax_m2", "<minimax:tool_call>\n<invoke name=\"write\">\n<parameter name=\"content\">",
     "</parameter>\n</invoke>\n</minimax:tool_call>", 0},
};

/* Makes a call with one argument of `bytes` bytes: `plain`: only words, else lines of code. */
static size_t wrap_as(const char *syntax, char *text, size_t bytes, int plain) {
    size_t k = 0;
    while (k + 1 < sizeof wraps / sizeof *wraps && strcmp(syntax, wraps[k].syntax) != 0)
        k++;
    size_t n = (size_t)sprintf(text, "%s", wraps[k].head);
    n += plain ? repeat(text + n, bytes, "the report reads as follows, word by word; ")
               : fill(text + n, bytes, wraps[k].escaped);
    return n + (size_t)sprintf(text + n, "%s", wraps[k].tail);
}

static size_t wrap(const char *syntax, char *text, size_t bytes) {
    return wrap_as(syntax, text, bytes, 0);
}

static size_t run(sluice_stream *s, const char *text, size_t n, size_t chunk) {
    sluice_event e;
    size_t told = 0;
    for (size_t i = 0; i < n; i += chunk) {
        sluice_stream_feed(s, text + i, n - i < chunk ? n - i : chunk);
        while (sluice_stream_next(s, &e) == SLUICE_EVENT)
            told += e.text_len;
    }
    sluice_stream_finish(s);
    while (sluice_stream_next(s, &e) == SLUICE_EVENT)
        told += e.text_len;
    sluice_stream_reset(s);
    return told;
}

/* Returns the seconds of the fastest of some rounds. */
static double fastest(sluice_stream *s, const char *text, size_t n, size_t chunk) {
    double best = 1e9;
    for (int i = 0; i < 7; i++) {
        double t = now();
        if (run(s, text, n, chunk) == 0)
            exit(1);
        t = now() - t;
        best = t < best ? t : best;
    }
    return best;
}

static int validated, shown;        /* streams check arguments; report PARAMETER events */
static const char *elements = "{}"; /* the schema of the argument `data` */
static size_t fields; /* the number of parameters of the tool `fill`; 0: there is no such tool */

static sluice_stream *stream_of(sluice_engine *engine, const char *syntax) {
    static char tools[1 << 16];
    int len = snprintf(
        tools, sizeof tools,
        "[{\"type\": \"function\", \"function\": {\"name\": \"write\", \"parameters\": {"
        "\"type\": \"object\", \"properties\": {\"content\": {\"type\": \"string\"}, \"data\": "
        "{\"type\": \"array\", \"items\": %s}}}}},"
        "{\"type\": \"function\", \"function\": {\"name\": \"search\", \"parameters\": {"
        "\"type\": \"object\", \"properties\": {\"query\": {\"type\": \"string\"},"
        "\"city\": {\"type\": \"string\"}, \"days\": {\"type\": \"integer\"}}}}}",
        elements);
    for (size_t i = 0; i < fields; i++)
        len += sprintf(tools + len, "%s\"field_%zu\": {\"type\": \"string\"}%s",
                       i ? ", "
                         : ", {\"type\": \"function\", \"function\": {\"name\": \"fill\", "
                           "\"parameters\": {\"type\": \"object\", \"properties\": {",
                       i, i + 1 < fields ? "" : "}}}}");
    len += sprintf(tools + len, "]");
    sluice_tools *t = sluice_tools_new(engine, tools, (size_t)len);
    sluice_stream_options o = {.no_validation = !validated, .parameters = shown};
    sluice_stream *s = sluice_stream_new(engine, syntax, t, &o);
    sluice_tools_free(t);
    if (!s) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        exit(1);
    }
    return s;
}

/* Twenty tools of four parameters each, as an OpenAI `tools` array. */
static size_t twenty_tools(char *out) {
    size_t n = (size_t)sprintf(out, "[");
    for (int i = 0; i < 20; i++)
        n += (size_t)sprintf(
            out + n,
            "%s{\"type\": \"function\", \"function\": {\"name\": \"tool_%d\", \"description\": "
            "\"Does it.\", \"parameters\": {\"type\": \"object\", \"properties\": {\"path\": "
            "{\"type\": "
            "\"string\"}, \"count\": {\"type\": \"integer\"}, \"kind\": {\"type\": \"string\", "
            "\"enum\": [\"a\", \"b\"]}, \"tags\": {\"type\": \"array\", \"items\": {\"type\": "
            "\"string\"}}}, \"required\": [\"path\"]}}}",
            i ? ", " : "", i);
    return n + (size_t)sprintf(out + n, "]");
}

/* Makes Markdown prose with code, as models write it, without markers of any syntax. */
static size_t prose(char *out, size_t n) {
    static const char text[] =
        "## What the function does\n\nIt reads the list from left to right and keeps the largest "
        "item so far; an empty list gives `None`. If `a < b` holds for every pair, the last one "
        "wins.\n\n```python\ndef largest(items):\n    best = None\n    for item in items:\n        "
        "if best is None or item > best:\n            best = item\n    return best\n```\n\n"
        "- It takes *O(n)* time, and no memory but for one reference.\n- Nan\xC3\xADve callers may "
        "pass `[1, 2]` or {\"a\": 1}; see [the docs](https://example.org/x?y=1).\n\n";
    for (size_t i = 0; i < n; i++)
        out[i] = text[i % (sizeof text - 1)];
    return n;
}

/* Makes a syntax with twenty markers, as text of a script. */
static size_t twenty_markers(char *out) {
    size_t n =
        (size_t)sprintf(out, "local s = require \"sluice.syntax\"\nreturn s.syntax { api = 3, "
                             "name = \"twenty\", blocks = {\n");
    for (int i = 0; i < 20; i++)
        n += (size_t)sprintf(out + n,
                             "{ \"%c%c|mark_%d|>\", s.name(), \"%c|\", s.args(), \"|%d|\" },\n",
                             "<[{#@"[i % 5], 'a' + i, i, '%', i);
    return n + (size_t)sprintf(out + n, "} }\n");
}

/* The stronger baseline of scanning: the first and the last byte of one marker, 16 positions at a
 * time (the rarer one first, as a program for this one marker would). Returns whether the marker is
 * in these bytes; -1 if the processor has no SSE2. */
static int first_and_last(const char *text, size_t n, const char *marker, size_t len) {
#ifdef __SSE2__
    __m128i first = _mm_set1_epi8(marker[0]), last = _mm_set1_epi8(marker[len - 1]);
    size_t i = 0;
    for (; i + len + 63 <= n; i += 64) {
        __m128i hit[4], any = _mm_setzero_si128();
        for (int k = 0; k < 4; k++) {
            const char *at = text + i + (size_t)k * 16;
            __m128i a = _mm_loadu_si128((const __m128i *)(const void *)at);
            __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(at + len - 1));
            hit[k] = _mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(b, last));
            any = _mm_or_si128(any, hit[k]);
        }
        if (!_mm_movemask_epi8(any))
            continue;
        for (size_t p = i; p < i + 64; p++)
            if (memcmp(text + p, marker, len) == 0)
                return 1;
    }
    return memmem(text + i, n - i, marker, len) != NULL;
#else
    (void)text, (void)n, (void)marker, (void)len;
    return -1;
#endif
}

/* Scans prose without markers, compared with memmem. */
static void scanning(sluice_engine *engine) {
    size_t bytes = (size_t)16 << 20, n;
    char *text = malloc(bytes), script[4096], path[] = "/tmp/sluice-bench-XXXXXX";
    prose(text, bytes);
    double find = 1e9, byte = 1e9, pair = 1e9;
    int known = first_and_last("x", 1, "<tool_call>", 11) >= 0;
    for (int i = 0; i < 7; i++) {
        double t = now();
        size_t found = 0;
        for (size_t at = 0; at < bytes; at += 65536)
            found += memmem(text + at, 65536, "<tool_call>", 11) != NULL;
        t = now() - t + (double)found;
        find = t < find ? t : find;
        t = now();
        for (size_t at = 0; at < bytes && known; at += 65536)
            found += first_and_last(text + at, 65536, "<tool_call>", 11) > 0;
        t = now() - t + (double)found;
        pair = t < pair ? t : pair;
        t = now();
        for (size_t at = 0; at < bytes; at += 65536)
            found += memchr(text + at, '\1', 65536) != NULL;
        t = now() - t + (double)found;
        byte = t < byte ? t : byte;
    }
    double mega = (double)bytes / 1e6;
    printf("\n%-44s %10s %10s\n", "16 MB of prose, 64 KB chunks", "MB/s", "memmem = 1");
    printf("%-44s %10.0f %10.2f\n", "memmem, for <tool_call>", mega / find, 1.0);
    printf("%-44s %10.0f %10.2f\n", "memchr, for a byte", mega / byte, find / byte);
    if (known)
        printf("%-44s %10.0f %10.2f\n", "its first and last byte, by SSE2", mega / pair,
               find / pair);
    else
        printf("skipped: its first and last byte, by SSE2 (this processor has none)\n");
    n = twenty_markers(script);
    int file = mkstemp(path);
    if (file < 0 || write(file, script, n) != (ssize_t)n)
        exit(1);
    close(file);
    const char *const names[] = {"hermes", "qwen3_coder", "mistral", path};
    for (int i = 0; i < 4; i++) {
        char label[64];
        sluice_stream *s = stream_of(engine, names[i]);
        double t = fastest(s, text, bytes, 65536);
        snprintf(label, sizeof label, "sluice %s", i < 3 ? names[i] : "with twenty markers");
        printf("%-44s %10.0f %10.2f\n", label, mega / t, find / t);
        sluice_stream_free(s);
    }
    remove(path);
    free(text);
}

/* Scans text that is dense with beginnings of markers, and text of other scripts. */
static void texts(sluice_engine *engine) {
    static const char *const names[] = {"hermes", "qwen3_coder", "auto"};
    enum { DENSE = sizeof dense_texts / sizeof *dense_texts };
    enum { WIDE = sizeof wide_texts / sizeof *wide_texts };
    size_t bytes = (size_t)4 << 20;
    char *text = malloc(bytes);
    sluice_stream *s[3];
    for (int i = 0; i < 3; i++)
        s[i] = stream_of(engine, names[i]);
    printf("\n%-24s %10s %10s %10s %10s\n", "4 MB of text, MB/s", "memmem", "hermes", "qwen3_coder",
           "auto");
    for (int k = 0; k < DENSE + WIDE; k++) {
        const char *name = k < DENSE ? dense_texts[k].name : wide_texts[k - DENSE].name;
        repeat(text, bytes, k < DENSE ? dense_texts[k].piece : wide_texts[k - DENSE].piece);
        static const size_t chunks[] = {65536, 4};
        for (int c = 0; c < 2; c++) {
            double find = 1e9;
            for (int i = 0; i < 7 && !c; i++) {
                double t = now();
                size_t found = 0;
                for (size_t at = 0; at < bytes; at += 65536)
                    found += memmem(text + at, 65536, "<tool_call>", 11) != NULL;
                t = now() - t + (double)found;
                find = t < find ? t : find;
            }
            printf("%-14s %5zu B  %10.0f", name, chunks[c], c ? 0 : (double)bytes / 1e6 / find);
            for (int i = 0; i < 3; i++) {
                double t = fastest(s[i], text, bytes, chunks[c]);
                if (c)
                    printf(" %7.1f ns", t / (double)bytes * 4e9);
                else
                    printf(" %10.0f", (double)bytes / 1e6 / t);
            }
            printf("\n");
        }
    }
    for (int i = 0; i < 3; i++)
        sluice_stream_free(s[i]);
    free(text);
}

/* Makes a call whose argument `data` is this array; returns where its arguments begin. */
static size_t call_of(char *text, size_t bytes, const char *piece, const char **arguments,
                      size_t *len) {
    size_t n =
        (size_t)sprintf(text, "<tool_call>\n{\"name\": \"write\", \"arguments\": {\"data\": ");
    n += array_of(text + n, bytes, piece);
    n += (size_t)sprintf(text + n, "}}\n</tool_call>");
    *arguments = strstr(text, "{\"data");
    *len = n - (size_t)(*arguments - text) - strlen("}\n</tool_call>");
    return n;
}

/* Reads arguments with much structure, compared with cJSON. */
static void structure(sluice_engine *engine) {
    size_t bytes = (size_t)4 << 20, len;
    char *text = malloc(bytes + 4096);
    sluice_stream *s = stream_of(engine, "hermes");
    printf("\n%-20s %10s %10s %10s %10s %10s\n", "4 MB, 64 KB chunks", "cJSON MB/s", "MB/s",
           "cJSON = 1", "yyjson = 1", "4 B ns");
    for (size_t k = 0; k < sizeof json_texts / sizeof *json_texts; k++) {
        const char *arguments;
        size_t n = call_of(text, bytes, json_texts[k].piece, &arguments, &len);
        double parse = 1e9, fast = 0;
        for (int i = 0; i < 7; i++) {
            double t = now();
            cJSON *tree = cJSON_ParseWithLength(arguments, len);
            if (!tree)
                exit(1);
            cJSON_Delete(tree);
            t = now() - t;
            parse = t < parse ? t : parse;
#ifdef SLUICE_YYJSON
            t = now();
            yyjson_doc *doc = yyjson_read(arguments, len, 0);
            if (!doc)
                exit(1);
            yyjson_doc_free(doc);
            t = now() - t;
            fast = !i || t < fast ? t : fast;
#endif
        }
        double t = fastest(s, text, n, 65536), small = fastest(s, text, n, 4);
        char beside[16] = "skipped"; /* this build has no yyjson */
        if (fast > 0)
            snprintf(beside, sizeof beside, "%.2f", fast / t);
        printf("%-20s %10.0f %10.0f %10.2f %10s %10.1f\n", json_texts[k].name,
               (double)len / 1e6 / parse, (double)n / 1e6 / t, parse / t, beside,
               small / (double)n * 4e9);
    }
    sluice_stream_free(s);
    free(text);
}

/* Work done once: loading every syntax, grammars of twenty tools. Milliseconds, the fastest of
 * seven; the first grammar of a syntax loads and compiles it, so it is not counted. */
static void once(const char *folder) {
    static const char *const syntaxes[] = {"hermes", "qwen3_coder", "pythonic", "minimax_m3"};
    static const char *const targets[] = {"lark", "gbnf", "structural-tag"};
    static const char required[] = "{\"tool_choice\": \"required\"}";
    static char json[16384];
    size_t n = twenty_tools(json);
    double best = 1e9;
    sluice_engine *engine = NULL;
    for (int i = 0; i < 7; i++) {
        sluice_engine_free(engine);
        engine = sluice_engine_new(NULL);
        double t = now();
        sluice_engine_load(engine, folder);
        t = now() - t;
        best = t < best ? t : best;
    }
    printf("\n%-44s %10s\n%-44s %10.1f\n", "once", "ms", "loading every syntax", best * 1e3);
    sluice_tools *tools = sluice_tools_new(engine, json, n);
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < 3; k++) {
            char label[80], *out;
            size_t len = 0;
            best = 1e9;
            for (int i = 0; i < 8; i++) {
                double t = now();
                out = NULL;
                if (sluice_grammar(engine, syntaxes[s], tools, targets[k], required, &out, &len))
                    fprintf(stderr, "%s\n", sluice_engine_error(engine));
                else
                    sluice_free(engine, out);
                t = now() - t;
                best = i && t < best ? t : best;
            }
            snprintf(label, sizeof label, "20 tools, %s, %s (%zu bytes)", syntaxes[s], targets[k],
                     len);
            printf("%-44s %10.2f\n", label, best * 1e3);
        }
    sluice_tools_free(tools);
    sluice_engine_free(engine);
}

static const char one_call[] = "{\"name\": \"search\", \"arguments\": {\"query\": \"umbrella\", "
                               "\"city\": \"Oslo\", \"days\": 3}}";

/* Returns a response with these calls, as models of the syntax write them; sets *len. */
static char *response_of(sluice_engine *engine, const char *syntax, const char *calls,
                         size_t *len) {
    char *text;
    if (sluice_render(engine, syntax, calls, strlen(calls), &text, len) != SLUICE_OK) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        exit(1);
    }
    return text;
}

/* The same call `n` times. */
static char *calls_of(sluice_engine *engine, const char *syntax, size_t n, size_t *len) {
    char *calls = malloc(n * (sizeof one_call + 1) + 2);
    size_t k = (size_t)sprintf(calls, "[");
    for (size_t i = 0; i < n; i++)
        k += (size_t)sprintf(calls + k, "%s%s", i ? ", " : "", one_call);
    sprintf(calls + k, "]");
    char *text = response_of(engine, syntax, calls, len);
    free(calls);
    return text;
}

/* Returns a call with `fields` short parameters. */
static char *parameters_of(sluice_engine *engine, const char *syntax, size_t *len) {
    char *calls = malloc(fields * 32 + 64);
    size_t k = (size_t)sprintf(calls, "[{\"name\": \"fill\", \"arguments\": {");
    for (size_t i = 0; i < fields; i++)
        k += (size_t)sprintf(calls + k, "%s\"field_%zu\": \"Oslo\"", i ? ", " : "", i);
    sprintf(calls + k, "}}]");
    char *text = response_of(engine, syntax, calls, len);
    free(calls);
    return text;
}

/* A call with three short arguments in 4-byte chunks: microseconds from the first to the last. */
static void calls(sluice_engine *engine) {
    enum { CALLS = 20000 };
    sluice_stream *s = stream_of(engine, "hermes");
    size_t len;
    char *text = calls_of(engine, "hermes", 1, &len);
    double best = 1e9;
    for (int i = 0; i < 7; i++) {
        double t = now();
        for (int k = 0; k < CALLS; k++)
            run(s, text, len, 4);
        t = now() - t;
        best = t < best ? t : best;
    }
    printf("\n%-44s %10s\n%-44s %10.1f\n", "one call", "us",
           "hermes, three arguments, 4-byte chunks", best / CALLS * 1e6);
    sluice_free(engine, text);
    sluice_stream_free(s);
}

/* What runs before this is not counted with callgrind's --zero-before=begin_counting. */
__attribute__((noinline)) static void begin_counting(void) { __asm__ volatile(""); }

/* Does one thing `n` times. `what` may begin with "valid " or "shown ". */
static int count(sluice_engine *engine, const char *what, size_t n, const char *syntax,
                 size_t chunk) {
    validated = strncmp(what, "valid ", 6) == 0;
    shown = strncmp(what, "shown ", 6) == 0;
    what += validated || shown ? 6 : 0;
    elements = schema_of(what);
    fields = strcmp(what, "parameters") == 0 ? n : 0;
    sluice_stream *s = stream_of(engine, syntax);
    size_t size = (size_t)1 << 17; /* made in full, however much is used: that is not counted */
    char *text = malloc(n + size);
    if (strcmp(what, "argument") == 0 || strcmp(what, "plain argument") == 0) {
        n = wrap_as(syntax, text, n, *what == 'p');
        for (int i = 0; i < 10; i++) /* evens out differences between them */
            run(s, text, n, chunk);
    } else if (strcmp(what, "prose") == 0 || strcmp(what, "reasoning") == 0) {
        size_t opens = *what == 'r' ? (size_t)sprintf(text, "<think>\n") : 0;
        prose(text + opens, size - opens);
        run(s, text, n < size ? n : size, chunk);
    } else if (piece_of(what)) {
        const char *arguments;
        size_t len, all = call_of(text, n + 200, piece_of(what), &arguments, &len);
        run(s, text, all, chunk);
    } else if (text_of(what)) {
        repeat(text, size, text_of(what));
        run(s, text, 4096, chunk); /* what is loaded once, for openers in it */
        begin_counting();
        run(s, text, n < size ? n : size, chunk);
    } else if (strcmp(what, "call") == 0) {
        size_t len;
        char *response = calls_of(engine, syntax, 1, &len);
        for (size_t i = 0; i < n; i++)
            run(s, response, len, chunk);
        sluice_free(engine, response);
    } else if (strcmp(what, "calls") == 0 || fields) { /* in one response; parameters of one call */
        size_t len;
        char *response =
            fields ? parameters_of(engine, syntax, &len) : calls_of(engine, syntax, n, &len);
        run(s, response, len, chunk); /* what is worked out once, when a tool is first called */
        begin_counting();
        for (int i = 0; i < 10; i++)
            run(s, response, len, chunk);
        sluice_free(engine, response);
    } else if (strcmp(what, "dense string") == 0) { /* only escapes, and a letter after each */
        size_t len = (size_t)sprintf(
            text, "<tool_call>\n{\"name\": \"write\", \"arguments\": {\"content\": \"");
        static const char dense[] = "\\na\\\"b\\\\c\\td";
        len += repeat(text + len, n / 12 * 12, dense);
        len += (size_t)sprintf(text + len, "\"}}\n</tool_call>");
        run(s, text, len, chunk);
    } else if (strcmp(what, "tools") == 0) { /* different ones each time */
        static char json[16384];
        for (size_t i = 0; i < n; i++) {
            size_t len = twenty_tools(json);
            memset(json + len, ' ', i % 100);
            sluice_tools_free(sluice_tools_new(engine, json, len + i % 100));
        }
    } else if (strcmp(what, "same tools") == 0) {
        static char json[16384];
        size_t len = twenty_tools(json);
        for (size_t i = 0; i < n; i++)
            sluice_tools_free(sluice_tools_new(engine, json, len));
    } else if (strcmp(what, "frames") == 0) { /* of Chat Completions, there and back */
        static const char frame[] =
            "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
            "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"abc \"},"
            "\"finish_reason\":null}]}\n\n";
        sluice_wire *w = sluice_wire_new(engine, syntax, NULL, NULL, "openai", "openai", NULL);
        const char *out;
        size_t len;
        for (size_t i = 0; w && i < n; i++)
            sluice_wire_feed(w, frame, sizeof frame - 1, &out, &len);
        sluice_wire_free(w);
    } else if (strcmp(what, "reset") == 0) {
        for (size_t i = 0; i < n; i++)
            sluice_stream_reset(s);
    } else if (strcmp(what, "new") == 0) {
        for (size_t i = 0; i < n; i++)
            sluice_stream_free(sluice_stream_new(engine, syntax, NULL, NULL));
    } else if (strcmp(what, "new with tools") == 0) { /* a name changes each time */
        static char json[16384];
        size_t len = twenty_tools(json);
        char *name = strstr(json, "\"name\"") + strlen("\"name\": \"");
        for (size_t i = 0; i < n; i++) {
            *name = (char)('a' + i % 26);
            sluice_tools *t = sluice_tools_new(engine, json, len);
            sluice_stream_free(sluice_stream_new(engine, syntax, t, NULL));
            sluice_tools_free(t);
        }
    } else {
        fprintf(stderr, "there is nothing called %s to count\n", what);
        return 1;
    }
    free(text);
    sluice_stream_free(s);
    return 0;
}

int main(int argc, char **argv) {
    sluice_engine *engine = sluice_engine_new(NULL);
    if (argc < 2 ||
        sluice_engine_load(engine, strcmp(argv[1], "-") ? argv[1] : NULL) != SLUICE_OK) {
        fprintf(stderr, "usage: sluice_bench SYNTAX_FOLDER [count WHAT N [SYNTAX [CHUNK]]]\n");
        return 1;
    }
    if (argc == 3) {
        if (strcmp(argv[2], "texts") == 0)
            texts(engine);
        if (strcmp(argv[2], "structure") == 0)
            structure(engine);
        sluice_engine_free(engine);
        return 0;
    }
    if (argc > 4) {
        int status = count(engine, argv[3], (size_t)atol(argv[4]), argc > 5 ? argv[5] : "hermes",
                           argc > 6 ? (size_t)atol(argv[6]) : 4);
        sluice_engine_free(engine);
        return status;
    }
    size_t bytes = (size_t)16 << 20;
    char *text = malloc(bytes + 4096);
    {
        sluice_stream *s = stream_of(engine, "hermes");
        size_t n = wrap("hermes", text, bytes);
        const char *json = strstr(text, "{\"content");
        size_t json_len = n - (size_t)(json - text) - strlen("}\n</tool_call>");
        double parse = 1e9, copy = 1e9;
        char *to = malloc(n);
        for (int i = 0; i < 7; i++) {
            double t = now();
            cJSON *tree = cJSON_ParseWithLength(json, json_len);
            if (!tree)
                return 1;
            cJSON_Delete(tree);
            t = now() - t;
            parse = t < parse ? t : parse;
            t = now();
            memcpy(to, text, n);
            t = now() - t + (to[n / 2] == 1);
            copy = t < copy ? t : copy;
        }
        double mega = (double)n / 1e6;
        printf("%-44s %10s %10s\n", "one 16 MB argument", "MB/s", "cJSON = 1");
        printf("%-44s %10.0f %10.2f\n", "cJSON_Parse, whole", mega / parse, 1.0);
#ifdef SLUICE_YYJSON
        double fast = 1e9;
        for (int i = 0; i < 7; i++) {
            double t = now();
            yyjson_doc *doc = yyjson_read(json, json_len, 0);
            if (!doc)
                return 1;
            yyjson_doc_free(doc);
            t = now() - t;
            fast = t < fast ? t : fast;
        }
        printf("%-44s %10.0f %10.2f\n", "yyjson_read, whole", mega / fast, parse / fast);
#else
        printf(
            "skipped: yyjson_read (this build found no yyjson: apt-get install libyyjson-dev, or "
            "-DSLUICE_YYJSON=FOLDER)\n");
#endif
        static const size_t chunks[] = {65536, 1024, 4};
        for (int i = 0; i < 3; i++) {
            char label[64];
            double t = fastest(s, text, n, chunks[i]);
            snprintf(label, sizeof label, "sluice hermes, %zu-byte chunks", chunks[i]);
            printf("%-44s %10.0f %10.2f\n", label, mega / t, parse / t);
        }
        sluice_stream_free(s);
        s = stream_of(engine, "qwen3_coder");
        n = wrap("qwen3_coder", text, bytes);
        for (int i = 0; i < 3; i++) {
            char label[64];
            double t = fastest(s, text, n, chunks[i]);
            snprintf(label, sizeof label, "sluice qwen3_coder, %zu-byte chunks", chunks[i]);
            printf("%-44s %10.0f %10.2f\n", label, (double)n / 1e6 / t, parse / t);
        }
        printf("%-44s %10.0f %10.2f\n", "a plain copy", mega / copy, parse / copy);
        sluice_stream_free(s);
        free(to);
        scanning(engine);
        texts(engine);
        structure(engine);
        calls(engine);
        once(argv[1]);
    }
    free(text);
    sluice_engine_free(engine);
    return 0;
}
