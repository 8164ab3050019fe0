/* The engine's wire formats: a filter of sluice.wire for a C program. */
#include "engine.h"
#include "engine_inside.h"
#include "limits.h"

struct sluice_wire {
    sluice_engine *engine;
    int filter; /* registry reference: a filter of sluice.wire, which holds the last output */
    bool over;  /* it is finished */
    const char *problem; /* what was wrong with the body, or NULL; the filter keeps it */
};

sluice_wire *sluice_wire_new(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                             const sluice_stream_options *options, const char *from, const char *to,
                             const char *model) {
    if (sluice__lacks(e, syntax, "syntax") || sluice__lacks(e, from, "from") ||
        sluice__lacks(e, to, "to") || sluice__foreign(e, tools))
        return NULL;
    sluice_wire *w = sluice__realloc(&e->alloc, NULL, 0, sizeof *w);
    if (!w) {
        sluice__refuse(e, SLUICE_E_NOMEM, "not enough memory");
        return NULL;
    }
    *w = (sluice_wire){.engine = e, .filter = LUA_NOREF};
    struct asked asked = {.engine = e,
                          .what = "wire",
                          .syntax = syntax,
                          .with_tools = true,
                          .tools = tools,
                          .with_options = true,
                          .options = options,
                          .texts = {ASKED_TEXT(from), ASKED_TEXT(to), ASKED_TEXT(model)},
                          .code = SLUICE_E_ARGUMENT,
                          .ref = &w->filter};
    if (sluice__registry_ask(&asked) == SLUICE_OK)
        return w;
    sluice_wire_free(w);
    return NULL;
}

void sluice_wire_free(sluice_wire *w) {
    if (!w)
        return;
    sluice_allocator a = w->engine->alloc;
    luaL_unref(w->engine->L, LUA_REGISTRYINDEX, w->filter);
    sluice__realloc(&a, w, sizeof *w, 0);
}

/* The next bytes of a body, or its end (NULL), and what comes out. */
struct passed {
    sluice_wire *wire;
    const char *bytes;
    size_t len;
    const char **out;
    size_t *out_len;
};

/* Converts them. The filter keeps the output. */
static int pass(lua_State *L) {
    struct passed *p = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, p->wire->filter);
    lua_getfield(L, -1, p->bytes ? "feed" : "finish");
    lua_pushvalue(L, -2);
    lua_pushlstring(L, p->bytes ? p->bytes : "", p->len);
    lua_call(L, 2, 1);
    lua_setfield(L, -2, "output");
    lua_getfield(L, -1, "problem");
    p->wire->problem = lua_tostring(L, -1);
    lua_getfield(L, -2, "output");
    *p->out = lua_tolstring(L, -1, p->out_len);
    return 0;
}

static int passed(sluice_wire *w, const char *bytes, size_t len, const char **out,
                  size_t *out_len) {
    sluice_engine *e = w->engine;
    struct passed passed = {w, bytes, len, out, out_len};
    sluice__engine_enter(e);
    /* Converting is the library's own work. What scripts do meanwhile is counted for each response,
     * and grows with its bytes. */
    bool counted = sluice_limits_count(e->L, e->room, false);
    int r = sluice__engine_run(e, pass, &passed, 0);
    sluice_limits_count(e->L, e->room, counted);
    return r;
}

int sluice_wire_feed(sluice_wire *w, const char *bytes, size_t len, const char **out,
                     size_t *out_len) {
    if (!w)
        return SLUICE_E_ARGUMENT;
    if (sluice__lacks(w->engine, out, "out") || sluice__lacks(w->engine, out_len, "out_len") ||
        sluice__lacks(w->engine, bytes || !len ? w : NULL, "bytes"))
        return SLUICE_E_ARGUMENT;
    if (w->over)
        return sluice__refuse(w->engine, SLUICE_E_MISUSE, "the body was finished");
    return passed(w, bytes ? bytes : "", len, out, out_len);
}

int sluice_wire_finish(sluice_wire *w, const char **out, size_t *out_len) {
    if (!w || sluice__lacks(w->engine, out, "out") || sluice__lacks(w->engine, out_len, "out_len"))
        return SLUICE_E_ARGUMENT;
    if (w->over)
        return sluice__refuse(w->engine, SLUICE_E_MISUSE, "the body was finished before");
    w->over = true;
    return passed(w, NULL, 0, out, out_len);
}

const char *sluice_wire_problem(const sluice_wire *w) { return w->problem; }
