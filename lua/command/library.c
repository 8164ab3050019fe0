/* The library's public interface as a Lua table: engines, tools, streams, wires. This state belongs
 * to the front end; the scripts run in the engine's private state. Functions that can fail return
 * nil, a message and a code. */
#include "command.h"

#include "../../core/json/json.h"
#include "../../core/output.h"
#include "../engine.h"
#include "../events.h"

#include <stdio.h>
#include <unistd.h>

#define ENGINE_TYPE "sluice.command.engine"
#define TOOLS_TYPE "sluice.command.tools"
#define STREAM_TYPE "sluice.command.stream"
#define WIRE_TYPE "sluice.command.wire"

/* What to do with a response's events. */
enum form { NOTHING, RESULT, LINES, LIST };

typedef struct response {
    sluice_stream *stream;
    enum form form;
    const char
        *before; /* of LINES: members that come first in each; the uservalue keeps it alive */
    sluice__outcome outcome;               /* of RESULT */
    sluice__buffer list;                   /* of LIST, and the current line */
    sluice__buffer decoded;                /* a text decoded from JSON */
    size_t calls, errors, ended, doubtful; /* reported so far */
} response;

static sluice_allocator heap;

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

static int engine_gc(lua_State *L) {
    sluice_engine **p = luaL_checkudata(L, 1, ENGINE_TYPE);
    sluice_engine_free(*p);
    *p = NULL;
    return 0;
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

/* engine:tools(json) -> tools */
static int engine_tools(lua_State *L) {
    sluice_engine *e = engine_at(L, 1);
    size_t n;
    const char *json = luaL_checklstring(L, 2, &n);
    void **p = push_owner(L, TOOLS_TYPE);
    *p = sluice_tools_new(e, json, n);
    return *p ? 1 : refused(L, e, SLUICE_E_JSON);
}

static int tools_gc(lua_State *L) {
    sluice_tools **p = luaL_checkudata(L, 1, TOOLS_TYPE);
    sluice_tools_free(*p);
    *p = NULL;
    return 0;
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
    const char *syntax = luaL_checkstring(L, 2);
    const sluice_tools *tools = tools_at(L, 3);
    sluice_stream_options options;
    sluice_read_options(L, 4, &options);
    response *r = lua_newuserdatauv(L, sizeof *r, 3); /* the engine, `before`, the fed bytes */
    *r = (response){0};
    luaL_setmetatable(L, STREAM_TYPE);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    r->stream = sluice_stream_new(e, syntax, tools, &options);
    return r->stream ? 1 : refused(L, e, sluice_engine_code(e));
}

static response *response_at(lua_State *L) { return luaL_checkudata(L, 1, STREAM_TYPE); }

static int stream_gc(lua_State *L) {
    response *r = response_at(L);
    sluice_stream_free(r->stream);
    sluice__outcome_release(&heap, &r->outcome);
    sluice__buffer_release(&heap, &r->list);
    sluice__buffer_release(&heap, &r->decoded);
    *r = (response){0};
    return 0;
}

/* stream:begin(form[, before]): begins a new response. `form`: "nothing", "result" (an object at
 * the end), "lines" (prints each event as it comes; `before`: JSON members that come first in it)
 * or "list" (all events at the end). */
static int stream_begin(lua_State *L) {
    static const char *const forms[] = {"nothing", "result", "lines", "list", NULL};
    response *r = response_at(L);
    r->form = (enum form)luaL_checkoption(L, 2, NULL, forms);
    r->before = luaL_optstring(L, 3, "");
    lua_settop(L, 3);
    lua_setiuservalue(L, 1, 2); /* keeps it alive */
    sluice_stream_reset(r->stream);
    sluice__outcome_release(&heap, &r->outcome);
    sluice__buffer_release(&heap, &r->list);
    r->calls = r->errors = r->ended = r->doubtful = 0;
    return 0;
}

/* Handles an event. False if out of memory. */
static bool take_event(response *r, const sluice_event *e) {
    r->calls += e->type == SLUICE_CALL_BEGIN;
    r->errors += e->type == SLUICE_ERROR;
    r->ended += e->type == SLUICE_CALL_END;
    r->doubtful += (e->type == SLUICE_CALL_END && !e->valid) ||
                   (e->type == SLUICE_ERROR && e->index < r->ended); /* found out after its end */
    switch (r->form) {
    case RESULT:
        return sluice__outcome_add(&heap, &r->outcome, e);
    case LINES:
        r->list.len = 0;
        if (!sluice__json_event(&heap, &r->list, e) ||
            !sluice__buffer_add(&heap, &r->list, "\n", 1))
            return false;
        if (*r->before) {
            fputc('{', stdout);
            sluice_put_json(r->before, strlen(r->before));
        }
        sluice_put_json(r->list.data + (*r->before != 0), r->list.len - (*r->before != 0));
        return true;
    case LIST:
        return (!r->list.len || sluice__buffer_add(&heap, &r->list, ", ", 2)) &&
               sluice__json_event(&heap, &r->list, e);
    default:
        return true;
    }
}

static void take_events(lua_State *L, response *r) {
    sluice_event e;
    while (sluice_stream_next(r->stream, &e) == SLUICE_EVENT)
        if (!take_event(r, &e))
            no_memory(L);
    if (r->form == LINES)
        fflush(stdout);
}

/* `special`: they are one special token. */
static void feed(lua_State *L, response *r, const char *p, size_t n, size_t chunk, bool special) {
    size_t step = chunk && !special ? chunk : n;
    for (size_t i = 0; i < n; i += step) {
        size_t len = n - i < step ? n - i : step;
        int code = special ? sluice_stream_feed_special(r->stream, p, len)
                           : sluice_stream_feed(r->stream, p + i, len);
        if (code != SLUICE_OK)
            no_memory(L);
        take_events(L, r);
    }
}

/* stream:take(bytes): feeds them and handles their events as the form says. */
static int stream_take(lua_State *L) {
    size_t n;
    response *r = response_at(L);
    const char *p = luaL_checklstring(L, 2, &n);
    feed(L, r, p, n, 0, false);
    return 0;
}

/* stream:take_json(text, chunk[, special]): the same with the text of a JSON string, `chunk` bytes
 * at a time (0: at once); `special`: it is one special token. */
static int stream_take_json(lua_State *L) {
    size_t n;
    bool failed = false;
    response *r = response_at(L);
    const char *p = luaL_checklstring(L, 2, &n);
    lua_Integer chunk = luaL_checkinteger(L, 3);
    out text = {.a = &heap, .failed = &failed};
    if (*p == '"' && n > 1) /* the line was valid JSON */
        sluice__put_unescaped(&text, p + 1, n - 2);
    sluice__buffer_release(&heap, &r->decoded);
    r->decoded = text.b;
    if (failed)
        return no_memory(L);
    feed(L, r, r->decoded.data, r->decoded.len, (size_t)chunk, lua_toboolean(L, 4));
    return 0;
}

/* stream:finish(): ends the response and handles its last events. */
static int stream_finish(lua_State *L) {
    response *r = response_at(L);
    sluice_stream_finish(r->stream);
    take_events(L, r);
    return 0;
}

/* Returns the members of the result's object, or (form "list") the events, as JSON. */
static const sluice__buffer *result_of(lua_State *L) {
    response *r = response_at(L);
    if (r->form == RESULT) {
        r->list.len = 0;
        if (!sluice__outcome_json(&heap, &r->outcome, &r->list))
            no_memory(L);
    }
    return &r->list;
}

/* stream:result() -> this text */
static int stream_result(lua_State *L) {
    const sluice__buffer *text = result_of(L);
    lua_pushlstring(L, text->data ? text->data : "", text->len);
    return 1;
}

/* stream:print(before, after): writes it, between these two, to standard output. */
static int stream_print(lua_State *L) {
    const char *before = luaL_checkstring(L, 2), *behind = luaL_checkstring(L, 3);
    const sluice__buffer *text = result_of(L);
    sluice_put_json(before, strlen(before));
    sluice_put_json(text->data, text->len);
    sluice_put_json(behind, strlen(behind));
    return 0;
}

/* stream:feed(bytes): for stream:next(); keeps them until the next feed. */
static int stream_feed(lua_State *L) {
    size_t n;
    response *r = response_at(L);
    const char *p = luaL_checklstring(L, 2, &n);
    lua_settop(L, 2);
    lua_setiuservalue(L, 1, 3);
    if (sluice_stream_feed(r->stream, p, n) != SLUICE_OK)
        return no_memory(L);
    return 0;
}

/* stream:next() -> the next event as a table, or nil. With the form "result" the result includes
 * it, too. After stream:over() these are the last. */
static int stream_next(lua_State *L) {
    response *r = response_at(L);
    sluice_event e;
    if (sluice_stream_next(r->stream, &e) != SLUICE_EVENT)
        return 0;
    if (!take_event(r, &e))
        return no_memory(L);
    sluice_push_event(L, &e);
    return 1;
}

/* stream:over(): ends the response, for stream:next(). */
static int stream_over(lua_State *L) {
    sluice_stream_finish(response_at(L)->stream);
    return 0;
}

/* stream:seen() -> the number of calls and of errors reported so far, and of reasons why a call is
 * not valid */
static int stream_seen(lua_State *L) {
    response *r = response_at(L);
    lua_pushinteger(L, (lua_Integer)r->calls);
    lua_pushinteger(L, (lua_Integer)r->errors);
    lua_pushinteger(L, (lua_Integer)r->doubtful);
    return 3;
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

static int wire_gc(lua_State *L) {
    sluice_wire **p = luaL_checkudata(L, 1, WIRE_TYPE);
    sluice_wire_free(*p);
    *p = NULL;
    return 0;
}

/* wire:feed(bytes), wire:finish() -> converted bytes */
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
    return 1;
}

/* ---- The module --------------------------------------------------------------------------- */

int sluice_open_library(lua_State *L) {
    static const luaL_Reg engine[] = {{"load", engine_load},     {"tools", engine_tools},
                                      {"stream", engine_stream}, {"grammar", engine_grammar},
                                      {"prompt", engine_prompt}, {"ask", engine_ask},
                                      {"wire", engine_wire},     {NULL, NULL}};
    static const luaL_Reg stream[] = {{"begin", stream_begin},
                                      {"take", stream_take},
                                      {"take_json", stream_take_json},
                                      {"finish", stream_finish},
                                      {"result", stream_result},
                                      {"print", stream_print},
                                      {"feed", stream_feed},
                                      {"next", stream_next},
                                      {"over", stream_over},
                                      {"seen", stream_seen},
                                      {NULL, NULL}};
    static const luaL_Reg wire[] = {{"feed", wire_pass}, {"finish", wire_pass}, {NULL, NULL}};
    heap = sluice__libc_allocator();
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
