/* The engine's wire formats: a filter of sluice.wire for a C program. */
#include "engine_inside.h"
#include "limits.h"

struct sluice_wire {
    sluice_engine *engine;
    int filter; /* registry reference: a filter of sluice.wire, which holds the last output */
    bool over;  /* it is finished */
};

/* wire(asked): fills asked->made with a wire; asked->what is the format that it reads, asked->text
 * the model */
static int make_wire(lua_State *L) {
    struct asked *asked = sluice__asked_of(L);
    sluice_wire *w = asked->made;
    sluice__push_host(L, asked->engine, "wire");
    sluice__push_plan(L, asked->engine, asked->syntax);
    sluice__push_tools(L, asked->tools);
    sluice_push_options(L, asked->options);
    lua_pushstring(L, asked->what);
    lua_pushstring(L, asked->target);
    lua_pushstring(L, asked->text);
    lua_call(L, 6, 2);
    if (lua_isnil(L, -2))
        return sluice__raise(L, asked->engine, SLUICE_E_ARGUMENT);
    lua_pop(L, 1);
    w->filter = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

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
    *w = (sluice_wire){e, LUA_NOREF, false};
    struct asked asked = {.engine = e,
                          .what = from,
                          .syntax = syntax,
                          .text = model,
                          .target = to,
                          .tools = tools,
                          .options = options,
                          .made = w};
    if (sluice__engine_run(e, make_wire, &asked, 0) == SLUICE_OK)
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

/* pass(asked): converts bytes; without bytes, ends the body. The filter keeps the output, whose
 * place goes into asked->what and asked->len. */
static int pass(lua_State *L) {
    struct asked *asked = sluice__asked_of(L);
    const sluice_wire *w = asked->made;
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->filter);
    lua_getfield(L, -1, asked->text ? "feed" : "finish");
    lua_pushvalue(L, -2);
    lua_pushlstring(L, asked->text ? asked->text : "", asked->len);
    lua_call(L, 2, 1);
    asked->what = lua_tolstring(L, -1, &asked->len);
    lua_setfield(L, -2, "output");
    return 0;
}

static int passed(sluice_wire *w, const char *bytes, size_t len, const char **out,
                  size_t *out_len) {
    sluice_engine *e = w->engine;
    struct asked asked = {.engine = e, .text = bytes, .len = len, .made = w};
    sluice__engine_enter(e);
    /* Converting is the library's own work. What scripts do meanwhile is counted for each response,
     * and grows with its bytes. */
    bool counted = sluice_limits_count(e->L, e->room, false);
    int r = sluice__engine_run(e, pass, &asked, 0);
    sluice_limits_count(e->L, e->room, counted);
    if (r == SLUICE_OK) {
        *out = asked.what;
        *out_len = asked.len;
    }
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
