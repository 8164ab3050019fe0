/* The library's public interface as a Lua table: engines, tools, streams, wires. This state belongs
 * to the front end; the scripts run in the engine's private state. Functions that can fail return
 * nil, a message and a code. */
#include "command.h"

#include "../engine.h"
#include "../events.h"

#include <stdio.h>
#include <unistd.h>

#define ENGINE_TYPE "sluice.command.engine"
#define TOOLS_TYPE "sluice.command.tools"
#define STREAM_TYPE "sluice.command.stream"
#define WIRE_TYPE "sluice.command.wire"

/* All objects are pointers that Lua collects. */
#define COLLECTED(NAME)                                                                            \
    static int NAME##_gc(lua_State *L) {                                                           \
        sluice_##NAME **p = lua_touserdata(L, 1);                                                  \
        sluice_##NAME##_free(*p);                                                                  \
        *p = NULL;                                                                                 \
        return 0;                                                                                  \
    }
COLLECTED(engine)
COLLECTED(tools)
COLLECTED(stream)
COLLECTED(wire)

/* ---- Helpers ------------------------------------------------------------------------------ */

static sluice_engine *engine_at(lua_State *L, int index) {
    return *(sluice_engine **)luaL_checkudata(L, index, ENGINE_TYPE);
}

static int refused(lua_State *L, sluice_engine *e, int code) {
    static const char *const names[] = {[SLUICE_OK] = "refused",
                                        [-SLUICE_E_NOMEM] = "no_memory",
                                        [-SLUICE_E_ARGUMENT] = "bad_option",
                                        [-SLUICE_E_NOT_FOUND] = "not_found",
                                        [-SLUICE_E_SCRIPT] = "script_error",
                                        [-SLUICE_E_JSON] = "bad_json",
                                        [-SLUICE_E_REFUSED] = "refused",
                                        [-SLUICE_E_UNSUPPORTED] = "unsupported",
                                        [-SLUICE_E_MISUSE] = "refused"};
    lua_pushnil(L);
    lua_pushstring(L, sluice_engine_error(e));
    lua_pushstring(L, names[-code]);
    return 3;
}

static int no_memory(lua_State *L) { return luaL_error(L, "not enough memory"); }

/* [-0, +1, e] Pushes a new object of this type, with room for a pointer, that keeps the engine at
 * 1. */
static void **push_owner(lua_State *L, const char *type) {
    void **p = lua_newuserdatauv(L, sizeof *p, 1);
    *p = NULL;
    luaL_setmetatable(L, type);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    return p;
}

/* The tools at this index, or NULL for nil. */
static sluice_tools *tools_at(lua_State *L, int index) {
    return lua_isnoneornil(L, index) ? NULL
                                     : *(sluice_tools **)luaL_checkudata(L, index, TOOLS_TYPE);
}

/* Pushes strings that the library returned, as one Lua string. */
static int handed_out(lua_State *L, sluice_engine *e, int code, char *text, size_t len) {
    if (code != SLUICE_OK)
        return refused(L, e, code);
    lua_pushlstring(L, text, len);
    sluice_free(e, text);
    return 1;
}

/* ---- Engines ------------------------------------------------------------------------------ */

/* new([roomy]) -> engine. `roomy`: with more memory, for tools that try hundreds of texts. */
static int library_new(lua_State *L) {
    sluice_engine_options options = {0};
    if (lua_toboolean(L, 1))
        options.script_memory = (size_t)512 << 20;
    sluice_engine **p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = NULL;
    luaL_setmetatable(L, ENGINE_TYPE);
    *p = sluice_engine_new(&options);
    return *p ? 1 : no_memory(L);
}

/* engine:load() -> true: the installed scripts and those of SLUICE_PATH */
static int engine_load(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    int r = sluice_engine_load(e, NULL);
    if (r != SLUICE_OK)
        return refused(L, e, r);
    lua_pushboolean(L, 1);
    return 1;
}

/* engine:tools(json) -> tools, their notes as JSON text; or: tools, nil, a message */
static int engine_tools(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    size_t n;
    const char *json = luaL_checklstring(L, 2, &n);
    void **p = push_owner(L, TOOLS_TYPE);
    *p = sluice_tools_new(e, json, n);
    if (!*p)
        return refused(L, e, SLUICE_E_JSON);
    char *notes = NULL;
    int r = sluice_tools_notes(*p, &notes, &n);
    return 1 + handed_out(L, e, r, notes, n);
}

/* engine:grammar(syntax, tools, target, options) -> text; options: JSON text, or nil */
static int engine_grammar(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    size_t len = 0;
    char *out = NULL;
    int r = sluice_grammar(e, luaL_checkstring(L, 2), tools_at(L, 3), luaL_checkstring(L, 4),
                           luaL_optstring(L, 5, NULL), &out, &len);
    return handed_out(L, e, r, out, len);
}

/* engine:prompt(syntax, tools, options) -> text; options: JSON text, or nil */
static int engine_prompt(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    size_t len = 0;
    char *out = NULL;
    int r = sluice_prompt(e, luaL_checkstring(L, 2), tools_at(L, 3), luaL_optstring(L, 4, NULL),
                          &out, &len);
    return handed_out(L, e, r, out, len);
}

static unsigned shown; /* seconds of progress on the terminal */

static void show_progress(uint64_t nanoseconds) {
    unsigned seconds = (unsigned)(nanoseconds / 1000000000);
    if (seconds >= 2 && seconds != shown)
        fprintf(stderr, "\rsluice: %u s ...", shown = seconds);
}

/* engine:ask(tool, argument[, seconds]) -> text: see sluice_engine_ask; `seconds`: processor time
 * for all of it, with progress on a terminal */
static int engine_ask(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    size_t len = 0;
    char *out = NULL;
    const char *tool = luaL_checkstring(L, 2), *argument = luaL_checkstring(L, 3);
    lua_Integer seconds = luaL_optinteger(L, 4, 0), most = 1000000000;
    shown = 0;
    sluice_engine_allow(e, (unsigned)(seconds < most ? seconds : most),
                        isatty(2) ? show_progress : NULL);
    int r = sluice_engine_ask(e, tool, argument, &out, &len);
    sluice_engine_allow(e, 0, NULL);
    if (shown)
        fputs("\r                    \r", stderr);
    return handed_out(L, e, r, out, len);
}

/* ---- Streams ------------------------------------------------------------------------------ */

/* engine:stream(syntax, tools, options) -> stream; options: a table by their names */
static int engine_stream(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    sluice_stream_options options;
    sluice_read_options(L, 4, &options);
    void **p = push_owner(L, STREAM_TYPE);
    *p = sluice_stream_new(e, luaL_checkstring(L, 2), tools_at(L, 3), &options);
    return *p ? 1 : refused(L, e, sluice_engine_code(e));
}

static sluice_stream *stream_at(lua_State *L) {
    return *(sluice_stream **)luaL_checkudata(L, 1, STREAM_TYPE);
}

/* stream:feed(bytes[, special]): `special`: they are one special token. They are borrowed. */
static int stream_feed(lua_State *L) {
    size_t n;
    const char *p = luaL_checklstring(L, 2, &n);
    int r = lua_toboolean(L, 3) ? sluice_stream_feed_special(stream_at(L), p, n)
                                : sluice_stream_feed(stream_at(L), p, n);
    return r == SLUICE_OK ? 0 : no_memory(L);
}

/* stream:next() -> the next event as a table, or nil */
static int stream_next(lua_State *L) {
    sluice_event e;
    if (sluice_stream_next(stream_at(L), &e) != SLUICE_EVENT)
        return 0;
    sluice_push_event(L, &e);
    return 1;
}

/* stream:finish(): ends the response. */
static int stream_finish(lua_State *L) {
    sluice_stream_finish(stream_at(L));
    return 0;
}

/* stream:reset(): begins another. */
static int stream_reset(lua_State *L) {
    sluice_stream_reset(stream_at(L));
    return 0;
}

/* ---- Wires -------------------------------------------------------------------------------- */

/* engine:wire(syntax, tools, options, from, to, model) -> wire */
static int engine_wire(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    sluice_stream_options options;
    sluice_read_options(L, 4, &options);
    void **p = push_owner(L, WIRE_TYPE);
    *p = sluice_wire_new(e, luaL_checkstring(L, 2), tools_at(L, 3), &options,
                         luaL_checkstring(L, 5), luaL_checkstring(L, 6), luaL_checkstring(L, 7));
    return *p ? 1 : refused(L, e, SLUICE_E_ARGUMENT);
}

/* wire:feed(bytes), wire:finish() -> converted bytes, and what was wrong if there was no answer */
static int wire_pass(lua_State *L) {
    sluice_wire *w = *(sluice_wire **)luaL_checkudata(L, 1, WIRE_TYPE);
    size_t n, len;
    const char *out, *p = luaL_optlstring(L, 2, NULL, &n);
    int r = p ? sluice_wire_feed(w, p, n, &out, &len) : sluice_wire_finish(w, &out, &len);
    if (r != SLUICE_OK) {
        lua_getiuservalue(L, 1, 1);
        return refused(L, engine_at(L, -1), r);
    }
    lua_pushlstring(L, out, len);
    lua_pushstring(L, p ? NULL : sluice_wire_problem(w));
    return 2;
}

/* ---- The module --------------------------------------------------------------------------- */

int sluice_open_library(lua_State *L) {
    static const luaL_Reg engine[] = {{"load", engine_load},     {"tools", engine_tools},
                                      {"stream", engine_stream}, {"grammar", engine_grammar},
                                      {"prompt", engine_prompt}, {"ask", engine_ask},
                                      {"wire", engine_wire},     {NULL, NULL}};
    static const luaL_Reg stream[] = {{"feed", stream_feed},
                                      {"next", stream_next},
                                      {"finish", stream_finish},
                                      {"reset", stream_reset},
                                      {NULL, NULL}};
    static const luaL_Reg wire[] = {{"feed", wire_pass}, {"finish", wire_pass}, {NULL, NULL}};
    sluice_metatable(L, ENGINE_TYPE, engine, engine_gc);
    sluice_metatable(L, TOOLS_TYPE, NULL, tools_gc);
    sluice_metatable(L, STREAM_TYPE, stream, stream_gc);
    sluice_metatable(L, WIRE_TYPE, wire, wire_gc);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, library_new);
    lua_setfield(L, -2, "new");
    lua_pushstring(L, sluice_version());
    lua_setfield(L, -2, "version");
    return 1;
}
