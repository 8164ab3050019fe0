/* The engine of C programs: a private Lua state that holds the syntaxes. */
#define _GNU_SOURCE
#include "../core/output.h"
#include "bridge.h"
#include "embedded.h"
#include "files.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SLUICE_OWN_STREAMS
/* Lua's static library is not position-independent towards libc's streams; the build makes it look
 * for these instead, which nothing here ever uses. */
FILE *sluice__stdin, *sluice__stdout, *sluice__stderr;
#endif

int luaopen_lpeg(lua_State *L);

struct sluice_engine {
    sluice_allocator alloc;
    lua_State *L;
    sluice_room *room;
    int host;           /* registry reference of the Lua side's registry of syntaxes */
    size_t used, limit; /* bytes that Lua holds, and may */
    uint64_t instructions;
    sluice__buffer error, answer;
    int code; /* of that error */
    bool own_limits;
};

struct sluice_tools {
    sluice_engine *engine;
    int ref;
};

/* ---- The private state -------------------------------------------------------------------- */

static void *limited(void *user, void *block, size_t old_size, size_t size) {
    sluice_engine *e = user;
    size_t old = block ? old_size : 0;
    if (size > old && e->used - old + size > e->limit)
        return NULL;
    if (size == 0) {
        if (block)
            e->alloc.reallocate(e->alloc.user_data, block, old, 0);
        e->used -= old;
        return NULL;
    }
    void *p = e->alloc.reallocate(e->alloc.user_data, block, old, size);
    if (p)
        e->used = e->used - old + size;
    return p;
}

static int refuse(sluice_engine *e, int code, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    e->error.len = 0;
    e->code = code;
    if (!sluice__buffer_add(&e->alloc, &e->error, text, strlen(text) + 1))
        e->error.len = 0;
    return code;
}

/* Takes the sentence from the top of the stack. */
static int refuse_top(sluice_engine *e, int code) {
    size_t n;
    const char *s = lua_tolstring(e->L, -1, &n);
    e->error.len = 0;
    e->code = code;
    if (!s || !sluice__buffer_add(&e->alloc, &e->error, s, n + 1))
        refuse(e, code, "not enough memory");
    lua_pop(e->L, 1);
    return code;
}

static void budget_hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    sluice_room *room = sluice_room_of(L);
    room->spent += 1000;
    if (room->spent > room->budget)
        luaL_error(L, "the script used more instructions than it may");
}

/* Calls the function below `n` arguments; on failure the sentence is the engine's. */
static int call(sluice_engine *e, int n, int results) {
    e->room->spent = 0;
    lua_sethook(e->L, budget_hook, LUA_MASKCOUNT, 1000);
    int status = lua_pcall(e->L, n, results, 0);
    if (status == LUA_OK)
        return SLUICE_OK;
    return refuse_top(e, status == LUA_ERRMEM ? SLUICE_E_NOMEM : SLUICE_E_SCRIPT);
}

/* [-0, +1, -] Pushes a function of the host's table; a field that is not there would be a bug. */
static void push_host(sluice_engine *e, const char *name) {
    lua_rawgeti(e->L, LUA_REGISTRYINDEX, e->host);
    lua_getfield(e->L, -1, name);
    lua_remove(e->L, -2);
}

static int loader(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.loaded");
    lua_getfield(L, -1, name);
    if (!lua_isnil(L, -1))
        return 1;
    lua_pop(L, 1);
    for (const struct embedded_module *m = embedded_modules; m->name; m++) {
        if (strcmp(m->name, name) != 0)
            continue;
        char chunk[80];
        snprintf(chunk, sizeof chunk, "=%s", name);
        if (luaL_loadbufferx(L, m->text, m->len, chunk, "t") != LUA_OK)
            return lua_error(L);
        lua_pushstring(L, name);
        lua_call(L, 1, 1);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, name);
        return 1;
    }
    return luaL_error(L, "there is no module '%s' here", name);
}

static int open_state(lua_State *L) {
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},        {LUA_TABLIBNAME, luaopen_table},
        {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8},  {NULL, NULL}};
    static const char *const gone[] = {"dofile", "loadfile", "print", "collectgarbage", NULL};
    for (const luaL_Reg *l = libraries; l->name; l++) {
        luaL_requiref(L, l->name, l->func, 1);
        lua_pop(L, 1);
    }
    for (int i = 0; gone[i]; i++) {
        lua_pushnil(L);
        lua_setglobal(L, gone[i]);
    }
    lua_pushcfunction(L, loader);
    lua_setglobal(L, "require");
    lua_newtable(L);
    luaL_requiref(L, "lpeg", luaopen_lpeg, 0);
    lua_setfield(L, -2, "lpeg");
    lua_pushcfunction(L, luaopen_sluice_core);
    lua_call(L, 0, 1);
    lua_setfield(L, -2, "sluice.core");
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "sluice.loaded");
    /* the methods of strings, for scripts: without what makes memory bombs easy or bytecode */
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_newtable(L);
    lua_getglobal(L, "string");
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -5);
    }
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "locked");
    lua_setfield(L, -2, "__metatable");
    lua_settop(L, 0);
    /* host.new(lpeg, { read = read_file }) */
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.host");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "new");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "lpeg");
    lua_call(L, 1, 1);
    lua_newtable(L);
    lua_pushcfunction(L, sluice_read_file);
    lua_setfield(L, -2, "read");
    lua_call(L, 2, 1);
    return 1;
}

sluice_engine *sluice_engine_new(const sluice_engine_options *options) {
    sluice_engine_options o = {0};
    if (options)
        o = *options;
    if (!o.allocator.reallocate)
        o.allocator = sluice__libc_allocator();
    sluice_engine *e = sluice__realloc(&o.allocator, NULL, 0, sizeof *e);
    if (!e)
        return NULL;
    memset(e, 0, sizeof *e);
    e->alloc = o.allocator;
    e->limit = o.script_memory ? o.script_memory : (size_t)64 << 20;
    e->instructions = o.script_instructions ? o.script_instructions : 20000000;
    e->L = lua_newstate(limited, e);
    if (!e->L)
        goto fail;
    lua_pushcfunction(e->L, open_state);
    if (lua_pcall(e->L, 0, 1, 0) != LUA_OK)
        goto fail;
    e->host = luaL_ref(e->L, LUA_REGISTRYINDEX);
    e->room = sluice_room_of(e->L);
    e->room->streams = e->alloc;
    e->room->budget = e->instructions;
    if (o.new_id) {
        e->room->new_id = o.new_id;
        e->room->id_data = o.user_data;
    }
    return e;
fail:
    sluice_engine_free(e);
    return NULL;
}

void sluice_engine_free(sluice_engine *e) {
    if (!e)
        return;
    if (e->L)
        lua_close(e->L);
    sluice__buffer_release(&e->alloc, &e->error);
    sluice__buffer_release(&e->alloc, &e->answer);
    sluice_allocator a = e->alloc;
    sluice__realloc(&a, e, sizeof *e, 0);
}

const char *sluice_engine_error(const sluice_engine *e) {
    return e && e->error.len ? e->error.data : "";
}

/* ---- Loading ------------------------------------------------------------------------------ */

static int load_folder(sluice_engine *e, const char *path) {
    lua_State *L = e->L;
    lua_pushcfunction(L, sluice_list_folder);
    lua_pushstring(L, path);
    int r = call(e, 1, 2);
    if (r)
        return r;
    if (lua_isnil(L, -2)) {
        r = refuse_top(e, SLUICE_E_NOT_FOUND);
        lua_pop(L, 1);
        return r;
    }
    lua_pop(L, 1);
    push_host(e, "load_folder");
    lua_pushstring(L, path);
    lua_pushvalue(L, -3);
    r = call(e, 2, 2);
    if (r == SLUICE_OK) {
        if (lua_rawlen(L, -1) > 0) {
            lua_rawgeti(L, -1, 1);
            r = refuse_top(e, SLUICE_E_SCRIPT);
        }
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
    return r;
}

static int load_one(sluice_engine *e, const char *path) {
    push_host(e, "load_file");
    lua_pushstring(e->L, path);
    int r = call(e, 1, 2);
    if (r)
        return r;
    if (lua_isnil(e->L, -2)) {
        const char *s = lua_tostring(e->L, -1);
        r = refuse_top(e, s && strstr(s, "cannot be read") ? SLUICE_E_NOT_FOUND : SLUICE_E_SCRIPT);
        lua_pop(e->L, 1);
        return r;
    }
    lua_pop(e->L, 2);
    return SLUICE_OK;
}

static bool is_folder(sluice_engine *e, const char *path) {
    lua_pushcfunction(e->L, sluice_list_folder);
    lua_pushstring(e->L, path);
    bool folder = lua_pcall(e->L, 1, 1, 0) == LUA_OK && lua_istable(e->L, -1);
    lua_pop(e->L, 1);
    return folder;
}

int sluice_engine_load(sluice_engine *e, const char *path) {
    if (!e)
        return SLUICE_E_ARGUMENT;
    e->error.len = 0;
    if (path)
        return is_folder(e, path) ? load_folder(e, path) : load_one(e, path);
    char folder[PATH_MAX];
    int result = SLUICE_OK;
    if (sluice_script_folder(folder, sizeof folder))
        result = load_folder(e, folder);
    const char *list = getenv("SLUICE_PATH");
    while (list && *list) {
        size_t n = strcspn(list, ":");
        if (n && n < sizeof folder) {
            memcpy(folder, list, n);
            folder[n] = 0;
            int r = load_folder(e, folder);
            if (r)
                result = r;
        }
        list += n + (list[n] == ':');
    }
    return result;
}

/* ---- Tools and streams -------------------------------------------------------------------- */

sluice_tools *sluice_tools_new(sluice_engine *e, const char *json, size_t len) {
    if (!e || !json)
        return NULL;
    push_host(e, "tools");
    lua_pushlstring(e->L, json, len);
    if (call(e, 1, 2) != SLUICE_OK)
        return NULL;
    if (lua_isnil(e->L, -2)) {
        refuse_top(e, SLUICE_E_JSON);
        lua_pop(e->L, 1);
        return NULL;
    }
    lua_pop(e->L, 1);
    sluice_tools *t = sluice__realloc(&e->alloc, NULL, 0, sizeof *t);
    if (!t) {
        lua_pop(e->L, 1);
        refuse(e, SLUICE_E_NOMEM, "not enough memory");
        return NULL;
    }
    t->engine = e;
    t->ref = luaL_ref(e->L, LUA_REGISTRYINDEX);
    return t;
}

void sluice_tools_free(sluice_tools *t) {
    if (!t)
        return;
    sluice_allocator a = t->engine->alloc;
    luaL_unref(t->engine->L, LUA_REGISTRYINDEX, t->ref);
    sluice__realloc(&a, t, sizeof *t, 0);
}

/* [-0, +1, -] Pushes the plan of a syntax; nothing, with the sentence the engine's, where there is
 * none. */
static int push_plan(sluice_engine *e, const char *syntax) {
    push_host(e, "plan");
    lua_pushstring(e->L, syntax);
    int r = call(e, 1, 3);
    if (r)
        return r;
    bool broken = lua_toboolean(e->L, -1); /* the script is there, but says what cannot be */
    lua_pop(e->L, 1);
    if (lua_isnil(e->L, -2)) {
        r = refuse_top(e, broken ? SLUICE_E_SCRIPT : SLUICE_E_NOT_FOUND);
        lua_pop(e->L, 1);
        return r;
    }
    lua_pop(e->L, 1);
    return SLUICE_OK;
}

static void push_tools(sluice_engine *e, const sluice_tools *tools) {
    if (tools)
        lua_rawgeti(e->L, LUA_REGISTRYINDEX, tools->ref);
    else
        lua_pushnil(e->L);
}

struct making {
    const sluice_stream_options *options;
    sluice_stream *stream;
};

static int make_stream(lua_State *L) {
    struct making *m = lua_touserdata(L, 3);
    m->stream = sluice_bridge_stream(L, 1, 2, m->options);
    return 1;
}

sluice_stream *sluice_stream_new(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                                 const sluice_stream_options *options) {
    if (!e || !syntax)
        return NULL;
    e->error.len = 0;
    lua_pushcfunction(e->L, make_stream);
    if (push_plan(e, syntax) != SLUICE_OK) {
        lua_pop(e->L, 1);
        return NULL;
    }
    struct making m = {options, NULL};
    push_tools(e, tools);
    lua_pushlightuserdata(e->L, &m);
    if (call(e, 3, 1) != SLUICE_OK)
        return NULL;
    if (!m.stream)
        refuse_top(e, SLUICE_E_ARGUMENT);
    else
        lua_pop(e->L, 1);
    return m.stream;
}

/* ---- Whole texts, and the other directions ------------------------------------------------ */

void sluice_free(sluice_engine *e, void *string) {
    if (!e || !string)
        return;
    size_t *block = (size_t *)string - 2; /* its size stands before it */
    e->alloc.reallocate(e->alloc.user_data, block, *block, 0);
}

/* Copies to a string for the caller. */
static int hand_out(sluice_engine *e, const char *p, size_t n, char **out, size_t *out_len) {
    size_t size = 2 * sizeof(size_t) + n + 1;
    size_t *block = sluice__realloc(&e->alloc, NULL, 0, size);
    if (!block)
        return refuse(e, SLUICE_E_NOMEM, "not enough memory");
    *block = size;
    char *s = (char *)(block + 2);
    memcpy(s, p, n);
    s[n] = 0;
    *out = s;
    if (out_len)
        *out_len = n;
    return SLUICE_OK;
}

int sluice_parse(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                 const sluice_stream_options *options, const char *text, size_t len, char **json,
                 size_t *json_len) {
    if (!e || !syntax || (!text && len) || !json)
        return SLUICE_E_ARGUMENT;
    sluice_stream *s = sluice_stream_new(e, syntax, tools, options);
    if (!s)
        return e->error.len ? e->code : SLUICE_E_NOMEM;
    sluice__outcome o = {0};
    sluice__buffer out = {0};
    sluice_event event;
    bool good = sluice_stream_feed(s, text, len) == SLUICE_OK;
    while (good && sluice_stream_next(s, &event) == SLUICE_EVENT)
        good = sluice__outcome_add(&e->alloc, &o, &event);
    sluice_stream_finish(s);
    while (good && sluice_stream_next(s, &event) == SLUICE_EVENT)
        good = sluice__outcome_add(&e->alloc, &o, &event);
    good = good && sluice__buffer_add(&e->alloc, &out, "{", 1) &&
           sluice__outcome_json(&e->alloc, &o, &out) && sluice__buffer_add(&e->alloc, &out, "}", 1);
    int r = good ? hand_out(e, out.data, out.len, json, json_len)
                 : refuse(e, SLUICE_E_NOMEM, "not enough memory");
    sluice__buffer_release(&e->alloc, &out);
    sluice__outcome_release(&e->alloc, &o);
    sluice_stream_free(s);
    return r;
}

/* Calls the module function (pushed, with its arguments above it) that answers text, or nil, a
 * sentence and a code. */
static int text_from(sluice_engine *e, int arguments, char **out, size_t *out_len) {
    int r = call(e, arguments, 2);
    if (r)
        return r;
    if (lua_type(e->L, -2) != LUA_TSTRING) {
        r = refuse_top(e, SLUICE_E_REFUSED);
        lua_pop(e->L, 1);
        return r;
    }
    size_t n;
    const char *s = lua_tolstring(e->L, -2, &n);
    r = hand_out(e, s, n, out, out_len);
    lua_pop(e->L, 2);
    return r;
}

int sluice_render(sluice_engine *e, const char *syntax, const char *calls_json, size_t len,
                  char **out, size_t *out_len) {
    if (!e || !syntax || !calls_json || !out)
        return SLUICE_E_ARGUMENT;
    e->error.len = 0;
    push_host(e, "render");
    int r = push_plan(e, syntax);
    if (r) {
        lua_pop(e->L, 1);
        return r;
    }
    lua_pushlstring(e->L, calls_json, len);
    return text_from(e, 2, out, out_len);
}

/* [-0, +n, -] Pushes a function of the host, the plan of a syntax and the tools. */
static int push_call(sluice_engine *e, const char *what, const char *syntax,
                     const sluice_tools *tools) {
    e->error.len = 0;
    push_host(e, what);
    int r = push_plan(e, syntax);
    if (r) {
        lua_pop(e->L, 1);
        return r;
    }
    push_tools(e, tools);
    return SLUICE_OK;
}

int sluice_grammar(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                   const char *target, const char *options_json, char **out, size_t *out_len) {
    if (!e || !syntax || !target || !out)
        return SLUICE_E_ARGUMENT;
    int r = push_call(e, "grammar", syntax, tools);
    if (r)
        return r;
    lua_pushstring(e->L, target);
    lua_pushstring(e->L, options_json);
    return text_from(e, 4, out, out_len);
}

int sluice_prompt(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                  const char *options_json, char **out, size_t *out_len) {
    if (!e || !syntax || !out)
        return SLUICE_E_ARGUMENT;
    int r = push_call(e, "prompt", syntax, tools);
    if (r)
        return r;
    lua_pushstring(e->L, options_json);
    return text_from(e, 3, out, out_len);
}

/* ---- Wire formats ------------------------------------------------------------------------- */

struct sluice_wire {
    sluice_engine *engine;
    int filter, last; /* registry references: the filter of sluice.wire, and what it said last */
};

/* Upvalues: the plan, the tools, the options, what they point into, and streams.new. */
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
        &o->reasoning_opens, &o->fences, &o->unknown_tools, &o->types};
    for (int i = 0; i < (int)(sizeof strings / sizeof *strings); i++) {
        if (!*strings[i])
            continue;
        *strings[i] = lua_pushstring(L, *strings[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

struct wire_asked {
    const sluice_stream_options *options;
    const char *from, *to, *model;
};

/* wire(plan, tools, asked) -> filter */
static int make_wire(lua_State *L) {
    struct wire_asked asked = *(struct wire_asked *)lua_touserdata(L, 3);
    lua_settop(L, 2);
    push_options(L, asked.options);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.stream");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_pushcclosure(L, wire_stream, 5); /* stack: make */
    lua_pushvalue(L, 1);
    lua_call(L, 0, 0); /* are the options good? */
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.wire");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "filter");
    lua_newtable(L);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, "stream");
    lua_pushstring(L, asked.from);
    lua_setfield(L, -2, "from");
    lua_pushstring(L, asked.to);
    lua_setfield(L, -2, "to");
    lua_pushstring(L, asked.model);
    lua_setfield(L, -2, "model");
    lua_call(L, 1, 1);
    return 1;
}

sluice_wire *sluice_wire_new(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                             const sluice_stream_options *options, const char *from, const char *to,
                             const char *model) {
    if (!e || !syntax || !from || !to)
        return NULL;
    e->error.len = 0;
    lua_pushcfunction(e->L, make_wire);
    if (push_plan(e, syntax) != SLUICE_OK) {
        lua_pop(e->L, 1);
        return NULL;
    }
    struct wire_asked asked = {options, from, to, model};
    push_tools(e, tools);
    lua_pushlightuserdata(e->L, &asked);
    if (call(e, 3, 1) != SLUICE_OK)
        return NULL;
    sluice_wire *w = sluice__realloc(&e->alloc, NULL, 0, sizeof *w);
    if (!w) {
        lua_pop(e->L, 1);
        refuse(e, SLUICE_E_NOMEM, "not enough memory");
        return NULL;
    }
    *w = (sluice_wire){e, luaL_ref(e->L, LUA_REGISTRYINDEX), LUA_NOREF};
    return w;
}

void sluice_wire_free(sluice_wire *w) {
    if (!w)
        return;
    sluice_allocator a = w->engine->alloc;
    luaL_unref(w->engine->L, LUA_REGISTRYINDEX, w->filter);
    luaL_unref(w->engine->L, LUA_REGISTRYINDEX, w->last);
    sluice__realloc(&a, w, sizeof *w, 0);
}

/* What the filter says to these bytes, or (NULL) at the end. */
static int pass(sluice_wire *w, const char *bytes, size_t len, const char **out, size_t *out_len) {
    lua_State *L = w->engine->L;
    w->engine->error.len = 0;
    luaL_unref(L, LUA_REGISTRYINDEX, w->last);
    w->last = LUA_NOREF;
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->filter);
    lua_getfield(L, -1, bytes ? "feed" : "finish");
    lua_insert(L, -2);
    lua_pushlstring(L, bytes ? bytes : "", len);
    int r = call(w->engine, 2, 1);
    if (r)
        return r;
    *out = lua_tolstring(L, -1, out_len);
    w->last = luaL_ref(L, LUA_REGISTRYINDEX);
    return SLUICE_OK;
}

int sluice_wire_feed(sluice_wire *w, const char *bytes, size_t len, const char **out,
                     size_t *out_len) {
    if (!w || (!bytes && len) || !out || !out_len)
        return SLUICE_E_ARGUMENT;
    return pass(w, bytes ? bytes : "", len, out, out_len);
}

int sluice_wire_finish(sluice_wire *w, const char **out, size_t *out_len) {
    if (!w || !out || !out_len)
        return SLUICE_E_ARGUMENT;
    return pass(w, NULL, 0, out, out_len);
}

/* ---- What there is ------------------------------------------------------------------------ */

int sluice_list(sluice_engine *e, char **json, size_t *len) {
    if (!e || !json)
        return SLUICE_E_ARGUMENT;
    e->error.len = 0;
    push_host(e, "list_json");
    return text_from(e, 0, json, len);
}

const char *sluice_syntax_for(sluice_engine *e, const char *model) {
    if (!e || !model)
        return NULL;
    e->error.len = 0;
    push_host(e, "syntax_for");
    lua_pushstring(e->L, model);
    if (call(e, 1, 2) != SLUICE_OK)
        return NULL;
    if (lua_isnil(e->L, -2)) {
        refuse_top(e, SLUICE_E_NOT_FOUND);
        lua_pop(e->L, 1);
        return NULL;
    }
    size_t n;
    const char *s = lua_tolstring(e->L, -2, &n);
    e->answer.len = 0;
    bool good = sluice__buffer_add(&e->alloc, &e->answer, s, n + 1);
    lua_pop(e->L, 2);
    return good ? e->answer.data : NULL;
}
