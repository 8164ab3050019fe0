/* The engine's wire formats: a filter of sluice.wire for a C program. */
#include "engine_inside.h"
#include "limits.h"

struct sluice_wire {
    sluice_engine *engine;
    int filter; /* registry reference: a filter of sluice.wire, which holds the last output */
    bool over;  /* it is finished */
};

/* Upvalues: the plan, the tools, the options, the table that keeps their strings, and
 * streams.new. */
static int wire_stream(lua_State *L) {
    const sluice_stream_options *o = lua_touserdata(L, lua_upvalueindex(3));
    lua_pushvalue(L, lua_upvalueindex(5));
    if (sluice_bridge_push_stream(L, lua_upvalueindex(1), lua_upvalueindex(2), o) != 1)
        return lua_error(L);
    lua_call(L, 1, 1);
    return 1;
}

/* [-0, +2, m] Pushes a copy of the options, and a table that holds their strings. */
static void push_options(lua_State *L, const sluice_stream_options *options) {
    sluice_stream_options *o = lua_newuserdata(L, sizeof *o);
    memset(o, 0, sizeof *o);
    lua_newtable(L);
    if (!options)
        return;
    *o = *options;
    const char **strings[] = {
        &o->calls,           &o->start,  &o->prompt,        &o->calls_in_reasoning,
        &o->reasoning_opens, &o->fences, &o->unknown_tools, &o->types,
        &o->special,         &o->mark};
    for (int i = 0; i < (int)(sizeof strings / sizeof *strings); i++) {
        if (!*strings[i])
            continue;
        *strings[i] = lua_pushstring(L, *strings[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/* wire(asked): fills asked->made with a wire; asked->what is the format that it reads, asked->text
 * the model */
static int make_wire(lua_State *L) {
    struct asked *asked = sluice__asked_of(L);
    sluice_wire *w = asked->made;
    sluice__push_plan(L, asked->engine, asked->syntax);
    sluice__push_tools(L, asked->tools);
    push_options(L, asked->options);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.stream");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_pushcclosure(L, wire_stream, 5); // stack: asked, make
    lua_pushvalue(L, -1);
    lua_call(L, 0, 0); /* checks the options */
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.wire");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "filter");
    lua_newtable(L);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "stream");
    lua_pushstring(L, asked->what);
    lua_setfield(L, -2, "from");
    lua_pushstring(L, asked->target);
    lua_setfield(L, -2, "to");
    lua_pushstring(L, asked->text);
    lua_setfield(L, -2, "model");
    lua_call(L, 1, 1);
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
