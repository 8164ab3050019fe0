/*
 * Lua may collect all garbage whenever memory is asked for: then what is unreachable is freed in
 * the middle of any function. Here it collects without a pause, over an engine's life: loading,
 * tools, streams with marks, errors, the end. Worth most with AddressSanitizer.
 */
#include "../../lua/engine_inside.h"
#include "check.h"

#include <stdlib.h>

static size_t collected;

/* The finalizer of an object that is garbage again at once: it counts collections. */
static int count(lua_State *L) {
    collected++;
    lua_newtable(L);
    lua_getmetatable(L, 1);
    lua_setmetatable(L, -2);
    return 0;
}

static void collect_always(lua_State *L) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, count);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lua_gc(L, LUA_GCINC, 1, 1000, 1);
}

static const char tools_json[] =
    "[{\"name\": \"f%d\", \"parameters\": {\"type\": \"object\", \"properties\": {\"n\": "
    "{\"type\": "
    "\"integer\"}, \"s\": {\"enum\": [\"a\", \"b\"]}}, \"required\": [\"n\"]}}]";

int main(int argc, char **argv) {
    static const char *const names[] = {"hermes", "qwen3_coder", "glm45", "inkling", "harmony"};
    static const char *const texts[] = {
        "<tool_call>\n{\"name\": \"f1\", \"arguments\": {\"n\": 1}}\n</tool_call>",
        "<tool_call>\n<function=f1>\n<parameter=n>\nx\n</parameter>\n</function>\n</tool_call>",
        "<|start|>assistant<|channel|>commentary to=functions.f1<|message|>{}<|call|>"};
    enum { ROUNDS = 12, KEPT = 4 };
    const char *folder = argc > 1 ? argv[1] : "syntaxes";
    sluice_engine *e = sluice_engine_new(NULL);
    CHECK(e != NULL);
    collect_always(e->L);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.lua", folder, names[i]);
        CHECK(sluice_engine_load(e, path) == SLUICE_OK);
    }
    sluice_stream *kept[KEPT] = {NULL};
    for (int k = 0; k < ROUNDS; k++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char mark[16], json[512];
            sluice_stream_options o = {.mark = mark, .parameters = k & 1};
            char name[64];
            snprintf(mark, sizeof mark, "m%dx%zu", k, i); /* a plan of its own, with hermes */
            snprintf(name, sizeof name, k & 2 ? "auto:%s,%s" : "%s", names[i],
                     names[(i + (size_t)k) % 4 + (i == (i + (size_t)k) % 4)]);
            if (i || k & 2)
                o.mark = NULL;
            int n = snprintf(json, sizeof json, tools_json, k % 3);
            sluice_tools *tools = sluice_tools_new(e, json, (size_t)n);
            sluice_stream *s = sluice_stream_new(e, name, tools, &o);
            CHECK(tools && s);
            if (!s)
                fprintf(stderr, "%s: %s\n", name, sluice_engine_error(e));
            sluice_event event;
            size_t seen = 0;
            const char *text = texts[(i + (size_t)k) % 3];
            for (size_t at = 0; s && text[at]; at++) {
                CHECK(sluice_stream_feed(s, text + at, 1) == SLUICE_OK);
                while (sluice_stream_next(s, &event) == SLUICE_EVENT)
                    seen++;
            }
            sluice_stream_finish(s);
            while (sluice_stream_next(s, &event) == SLUICE_EVENT)
                seen++;
            CHECK(seen > 0);
            sluice_stream_free(
                kept[(k + (int)i) % KEPT]); /* some die later than their successors */
            kept[(k + (int)i) % KEPT] = s;
            sluice_tools_free(tools);
        }
    }
    for (int i = 0; i < KEPT; i++)
        sluice_stream_free(kept[i]);
    sluice_engine_free(e);
    printf("%zu collections\n", collected);
    CHECK(collected > 1000);
    return report("collect");
}
