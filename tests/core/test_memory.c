/* The 1st, 2nd, 3rd ... allocation of each scenario fails, until it succeeds: the result must be an
 * error code and a message, never a crash or a leak, and the engine must stay usable. */
#include "check.h"

#include <sluice.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static size_t in_use, made, fails_at;

static void *failing(void *user, void *block, size_t old_size, size_t size) {
    (void)user;
    if (size > (block ? old_size : 0) && fails_at && ++made >= fails_at)
        return NULL;
    in_use += size - (block ? old_size : 0);
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static const char tools_json[] =
    "[{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\": {\"type\": "
    "\"object\", "
    "\"properties\": {\"n\": {\"type\": \"integer\"}, \"s\": {\"type\": \"string\"}, \"o\": "
    "{\"type\": \"array\", \"items\": {\"enum\": [1, \"b\"]}}}}}}]";
static const char hermes[] = "<think>a</think>Hi.\n<tool_call>\n{\"name\": \"f\", \"arguments\": "
                             "{\"n\": 1, \"s\": \"x\\ny\", \"o\": [1, \"b\"]}}\n</tool_call>";
static const char coder[] = "Hi\n<tool_call>\n<function=f>\n<parameter=n>\n3\n</parameter>\n"
                            "<parameter=s>\nlong text\n</parameter>\n</function>\n</tool_call>";
static const char odd[] =
    "<tool_call>{\"name\": \"an unknown tool\", \"arguments\": {'a': 'x <x> \\q "
    "and more than fits into the room of a short text', b: +1}}</tool_call>";
static const char calls[] = "[{\"name\": \"f\", \"arguments\": {\"n\": 1, \"s\": \"x\"}}]";

/* Returns whether the scenario came to its end; it must free everything it made. */
typedef bool scenario(sluice_engine *e, const char *folder);

static bool parse(sluice_engine *e, const char *syntax, const char *text, size_t n, size_t chunk) {
    sluice_stream_options o = {.parameters = 1, .markup = 1};
    sluice_tools *tools = sluice_tools_new(e, tools_json, sizeof tools_json - 1);
    sluice_stream *s = tools ? sluice_stream_new(e, syntax, tools, &o) : NULL;
    bool good = s != NULL;
    sluice_event event;
    size_t ends = 0, told = 0;
    for (size_t i = 0; s && i <= n; i += chunk) {
        if (i < n)
            good =
                sluice_stream_feed(s, text + i, n - i < chunk ? n - i : chunk) == SLUICE_OK && good;
        if (n - i <= chunk)
            sluice_stream_finish(s);
        sluice_next next;
        while ((next = sluice_stream_next(s, &event)) == SLUICE_EVENT) {
            ends += event.type == SLUICE_CALL_END;
            told++;
            good = good && !(event.code && (!strcmp(event.code, "no_memory") ||
                                            !strcmp(event.code, "script_error")));
            CHECK(told < 10000);
        }
        if (n - i <= chunk) {
            CHECK(next == SLUICE_DONE);
            break;
        }
    }
    CHECK(!good || ends == 1);
    sluice_stream_free(s);
    sluice_tools_free(tools);
    return good;
}

static bool load(sluice_engine *e, const char *folder) {
    char path[512];
    snprintf(path, sizeof path, "%s/hermes.lua", folder);
    return sluice_engine_load(e, path) == SLUICE_OK;
}
static bool parse_json(sluice_engine *e, const char *folder) {
    (void)folder;
    return parse(e, "hermes", hermes, sizeof hermes - 1, 3);
}
static bool parse_tags(sluice_engine *e, const char *folder) {
    (void)folder;
    return parse(e, "qwen3_coder", coder, sizeof coder - 1, 3);
}
static bool parse_odd(sluice_engine *e, const char *folder) {
    (void)folder;
    return parse(e, "auto:hermes,qwen3_coder", odd, sizeof odd - 1, 60);
}
static bool whole(sluice_engine *e, const char *folder) {
    (void)folder;
    char *out;
    if (sluice_parse(e, "hermes", NULL, NULL, hermes, sizeof hermes - 1, &out, NULL))
        return false;
    bool good = strstr(out, "no_memory") == NULL && strstr(out, "script_error") == NULL;
    CHECK(!good || strstr(out, "\"complete\"") != NULL);
    sluice_free(e, out);
    return good;
}
static bool render(sluice_engine *e, const char *folder) {
    (void)folder;
    char *out;
    int result = sluice_render(e, "qwen3_coder", calls, sizeof calls - 1, &out, NULL);
    CHECK(result == SLUICE_OK || result == SLUICE_E_NOMEM);
    if (result)
        return false;
    CHECK(strstr(out, "<parameter=n>\n1\n</parameter>") != NULL);
    sluice_free(e, out);
    return true;
}
static bool grammar(sluice_engine *e, const char *folder) {
    (void)folder;
    static const char *const targets[] = {"lark", "gbnf", "structural-tag"};
    sluice_tools *tools = sluice_tools_new(e, tools_json, sizeof tools_json - 1);
    bool good = tools != NULL;
    for (int i = 0; good && i < 3; i++) {
        char *out;
        good = sluice_grammar(e, "hermes", tools, targets[i], NULL, &out, NULL) == SLUICE_OK;
        if (good)
            sluice_free(e, out);
    }
    char *out;
    int result = good ? sluice_prompt(e, "hermes", tools, NULL, &out, NULL) : SLUICE_E_NOMEM;
    CHECK(result == SLUICE_OK || result == SLUICE_E_NOMEM);
    good = result == SLUICE_OK;
    if (good)
        sluice_free(e, out);
    sluice_tools_free(tools);
    return good;
}
static bool feed_frame(sluice_wire *w, const char *text, const char *rest) {
    char frame[512];
    const char *out;
    size_t n;
    int len = snprintf(frame, sizeof frame,
                       "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"%s\"}%s}]"
                       ", \"o\": \"%s\"}\n\n",
                       text, rest, text[0] == 'a' ? "x" : "yz");
    return sluice_wire_feed(w, frame, (size_t)len, &out, &n) == SLUICE_OK;
}
static bool wire(sluice_engine *e, const char *folder) {
    static const char *const targets[] = {"openai", "anthropic", "ollama"};
    static const char *const texts[] = {
        "a ", "b", "\\n\\u00e9", "<tool", "a word that is longer", "\xC3\xA9", ""};
    (void)folder;
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        const char *out;
        size_t n;
        sluice_wire *w = sluice_wire_new(e, "hermes", NULL, NULL, "openai", targets[k], "m");
        bool good = w != NULL;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            good = good && feed_frame(w, texts[i], "");
        good = good &&
               feed_frame(w,
                          "<tool_call>{\\\"name\\\": \\\"f\\\", "
                          "\\\"arguments\\\": {}}</tool_call>",
                          ", \"finish_reason\": \"stop\"") &&
               sluice_wire_finish(w, &out, &n) == SLUICE_OK;
        sluice_wire_free(w);
        if (!good)
            return false;
    }
    return true;
}
static bool names(sluice_engine *e, const char *folder) {
    (void)folder;
    char *out;
    if (sluice_list(e, &out, NULL))
        return false;
    sluice_free(e, out);
    return sluice_syntax_for(e, "Qwen3-8B") != NULL;
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "syntaxes";
    const char *all = getenv("SLUICE_MEMORY"); /* "all": every allocation; else fewer and fewer */
    size_t sparse = all && !strcmp(all, "all") ? SIZE_MAX : 60;
    sluice_engine_options options = {.allocator = {failing, NULL}};

    /* an engine that cannot be created */
    sluice_engine *e = NULL;
    size_t tries = 0;
    for (fails_at = 1; !e; fails_at += 1 + fails_at / 20) {
        made = 0;
        e = sluice_engine_new(&options);
        CHECK(e || in_use == 0);
        tries++;
    }
    fails_at = 0;
    sluice_engine_free(e);
    CHECK(in_use == 0);
    printf("engine: %zu failures\n", tries - 1);

    static const struct {
        const char *name;
        scenario *run;
    } scenarios[] = {{"load", load},
                     {"parse JSON", parse_json},
                     {"parse tags", parse_tags},
                     {"parse odd JSON", parse_odd},
                     {"whole", whole},
                     {"render", render},
                     {"grammar and prompt", grammar},
                     {"wire", wire},
                     {"list", names}};
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        /* both in a fresh engine, where everything is created, and in a warm one */
        for (int warm = 0; warm < 2; warm++) {
            bool good = false;
            size_t refused = 0;
            e = NULL;
            for (size_t at = 1; !good; at += 1 + at / (warm ? sparse : sparse / 10 + 1)) {
                fails_at = 0;
                if (!warm || !e) {
                    sluice_engine_free(e);
                    CHECK(in_use == 0);
                    e = sluice_engine_new(&options);
                    char path[512];
                    CHECK(e != NULL);
                    for (int k = 0; k < 2; k++) {
                        snprintf(path, sizeof path, "%s/%s.lua", folder,
                                 k ? "hermes" : "qwen3_coder");
                        CHECK(sluice_engine_load(e, path) == SLUICE_OK);
                    }
                    if (warm)
                        CHECK(scenarios[i].run(e, folder));
                }
                made = 0;
                fails_at = at;
                good = scenarios[i].run(e, folder);
                refused += !good;
                fails_at = 0;
                CHECK(good || scenarios[i].run(e, folder)); /* it stays usable */
                if (at > 100000) {
                    CHECK(!"it never succeeds");
                    break;
                }
            }
            printf("%s, %s engine: %zu failures\n", scenarios[i].name, warm ? "warm" : "fresh",
                   refused);
            sluice_engine_free(e);
            CHECK(in_use == 0);
        }
    }
    return report("memory");
}
