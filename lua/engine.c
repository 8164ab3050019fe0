/* The engine of C programs: a private Lua state that holds the syntaxes. */
#define _GNU_SOURCE
#include "engine.h"
#include "embedded.h"
#include "engine_inside.h"
#include "files.h"
#include "limits.h"
#include "private_state.h"
#include "system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SLUICE_OWN_STREAMS
/* Lua's static library is not position-independent towards libc's streams; the build redirects it
 * to these, which are never used. */
FILE *sluice__stdin, *sluice__stdout, *sluice__stderr;
#endif

int luaopen_lpeg(lua_State *L);

void sluice__drop_tools(sluice_tools *t) {
    sluice_allocator a = t->engine->alloc;
    if (t->text)
        sluice__realloc(&a, t->text, t->len + 1, 0);
    sluice__realloc(&a, t, sizeof *t, 0);
}

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
    if (p && e->room && size > old)
        e->room->churn += size - old;
    return p;
}

int sluice__refuse(sluice_engine *e, int code, const char *format, ...) {
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

/* Sets the error from the message on the top of the stack. */
static int refuse_top(sluice_engine *e, int code) {
    size_t n;
    const char *s = lua_tolstring(e->L, -1, &n);
    e->error.len = 0;
    e->code = code;
    if (!s || !sluice__buffer_add(&e->alloc, &e->error, s, n + 1))
        sluice__refuse(e, code, "not enough memory");
    lua_pop(e->L, 1);
    return code;
}

void sluice__engine_enter(sluice_engine *e) {
    e->error.len = 0;
    e->code = SLUICE_OK;
    e->pending = 0;
    e->room->L = e->L;
    sluice_limits_begin(e->room);
}

int sluice__engine_run(sluice_engine *e, lua_CFunction f, void *what, int results) {
    sluice__engine_enter(e);
    lua_pushcfunction(e->L, f);
    lua_pushlightuserdata(e->L, what);
    int status = lua_pcall(e->L, 1, results, 0);
    if (status == LUA_OK)
        return SLUICE_OK;
    static const char memory[] = "not enough memory"; /* as the end of a message */
    const char *why = lua_tostring(e->L, -1), *at = why ? strstr(why, memory) : NULL;
    bool no_memory = status == LUA_ERRMEM || (at && !at[sizeof memory - 1]);
    return refuse_top(e, no_memory ? SLUICE_E_NOMEM : e->pending ? e->pending : SLUICE_E_SCRIPT);
}

int sluice__engine_call(sluice_engine *e, lua_CFunction f, void *what, uint64_t instructions) {
    e->room->budget = instructions ? instructions : e->instructions;
    int result = sluice__engine_run(e, f, what, 0);
    e->room->budget = e->instructions;
    return result;
}

void sluice__engine_push_registry(lua_State *L, const sluice_engine *e) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, e->host);
}

int sluice__raise(lua_State *L, sluice_engine *e, int code) {
    e->pending = code;
    return lua_error(L);
}

void sluice__push_host(lua_State *L, sluice_engine *e, const char *name) {
    sluice__engine_push_registry(L, e);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* Returns the status for the name of an error code in Lua. */
static int code_of(const char *name, int otherwise) {
    if (!name)
        return otherwise ? otherwise : SLUICE_E_REFUSED;
    return strcmp(name, "bad_option") == 0    ? SLUICE_E_ARGUMENT
           : strcmp(name, "json") == 0        ? SLUICE_E_JSON
           : strcmp(name, "unsupported") == 0 ? SLUICE_E_UNSUPPORTED
           : strcmp(name, "not_found") == 0   ? SLUICE_E_NOT_FOUND
           : strcmp(name, "script") == 0      ? SLUICE_E_SCRIPT
                                              : SLUICE_E_REFUSED;
}

static int protected_ask(lua_State *L) {
    const struct asked *a = lua_touserdata(L, 1);
    sluice__push_host(L, a->engine, a->what);
    if (a->syntax)
        sluice__push_plan(L, a->engine, a->syntax);
    if (a->with_tools)
        sluice__push_tools(L, a->tools);
    if (a->with_options)
        sluice_push_options(L, a->options);
    for (int i = 0; i < ASKED_TEXTS; i++)
        if (a->texts[i].p)
            lua_pushlstring(L, a->texts[i].p, a->texts[i].len);
        else
            lua_pushnil(L);
    lua_call(L, lua_gettop(L) - 2, 3); // value; or nil, message, code
    if (lua_isnil(L, 2)) {
        int code = code_of(lua_tostring(L, 4), a->code);
        lua_settop(L, 3);
        return sluice__raise(L, a->engine, code);
    }
    lua_settop(L, 2);
    if (a->read) {
        sluice_read_options(L, 2, a->read);
        lua_setfield(L, LUA_REGISTRYINDEX, "sluice.options");
    } else if (a->ref) {
        *a->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    return 1;
}

int sluice__registry_ask(struct asked *a) {
    return sluice__engine_run(a->engine, protected_ask, a, !a->read && !a->ref);
}

static int loader(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.loaded");
    lua_getfield(L, -1, name);
    if (!lua_isnil(L, -1))
        return 1;
    lua_pop(L, 1);
    const struct embedded_module *m = embedded_find(embedded_modules, name);
    if (!m)
        return luaL_error(L, "there is no module '%s' here", name);
    if (luaL_loadbuffer(L, m->text, m->len, lua_pushfstring(L, "=%s", name)) != LUA_OK)
        return lua_error(L);
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, name);
    return 1;
}

static int open_state(lua_State *L) {
    sluice_engine *e = lua_touserdata(L, 1);
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},        {LUA_TABLIBNAME, luaopen_table},
        {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8},  {NULL, NULL}};
    static const luaL_Reg system[] = {
        {"read", sluice_read_file}, {"embedded", sluice_embedded_script}, {NULL, NULL}};
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
    e->room = sluice_room_of(L);
    lua_settop(L, 0);
    /* registry.new(lpeg, { read = read_file, embedded = embedded_script, limited = true }) */
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.registry");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "new");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "lpeg");
    lua_call(L, 1, 1);
    luaL_newlib(L, system);
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "limited");
    lua_call(L, 2, 1);
    e->host = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* The time limit of one entry into a script, in proportion to the instructions: 5 seconds for the
 * default of 20 million. */
static uint64_t nanoseconds_of(const sluice_engine_options *o) {
    uint64_t least = 5000, scaled = o->script_instructions / 4000;
    uint64_t milliseconds = o->script_milliseconds ? o->script_milliseconds
                            : scaled > least       ? scaled
                                                   : least;
    return milliseconds < UINT64_MAX / 1000000 ? milliseconds * 1000000 : UINT64_MAX;
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
    lua_pushlightuserdata(e->L, e);
    if (lua_pcall(e->L, 1, 0, 0) != LUA_OK)
        goto fail;
    lua_sethook(e->L, sluice_limits_hook, LUA_MASKCOUNT, SLUICE_COUNT_EVERY);
    e->room->count = sluice_limits_hook;
    e->room->streams = e->alloc;
    e->room->heap = &e->used;
    e->room->most = e->limit;
    e->room->enough = e->limit / 2;
    e->room->budget = e->instructions;
    e->room->time = nanoseconds_of(&o);
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
    e->room = NULL; /* freed with the state */
    if (e->L)
        lua_close(e->L);
    for (int i = 0; i < TOOLS_KEPT; i++)
        if (e->tools[i])
            sluice__drop_tools(e->tools[i]);
    sluice__buffer_release(&e->alloc, &e->error);
    sluice__buffer_release(&e->alloc, &e->answer);
    sluice_allocator a = e->alloc;
    sluice__realloc(&a, e, sizeof *e, 0);
}

const char *sluice_engine_error(const sluice_engine *e) {
    bool failed = e && e->code != SLUICE_OK;
    return !failed ? "" : e->error.len ? e->error.data : "not enough memory";
}

int sluice_engine_code(const sluice_engine *e) { return e->code; }

void sluice_engine_allow(sluice_engine *e, unsigned seconds,
                         void (*progress)(uint64_t nanoseconds)) {
    e->room->progress = progress;
    sluice_limits_deadline(e->room, (uint64_t)seconds * 1000000000);
}

/* ---- Loading ------------------------------------------------------------------------------ */

/* Asks for a script, or several, to be loaded. */
static int load(struct asked *asked) {
    asked->code = SLUICE_E_SCRIPT;
    int r = sluice__registry_ask(asked);
    if (r == SLUICE_OK)
        lua_pop(asked->engine->L, 1);
    return r;
}

int sluice_engine_load(sluice_engine *e, const char *path) {
    if (!e)
        return SLUICE_E_ARGUMENT;
    char folder[PATH_MAX];
    const char *more = path ? NULL : getenv("SLUICE_PATH");
    const char *first = path ? path : sluice_script_folder(folder, sizeof folder);
    return load(&(struct asked){.engine = e,
                                .what = path ? "load_path" : "load_installed",
                                .texts = {ASKED_TEXT(first), ASKED_TEXT(more)}});
}

int sluice_engine_load_text(sluice_engine *e, const char *name, const char *text, size_t len) {
    if (sluice__lacks(e, name, "name") || sluice__lacks(e, text || !len ? name : NULL, "text"))
        return SLUICE_E_ARGUMENT;
    return load(&(struct asked){
        .engine = e, .what = "load_memory", .texts = {{text ? text : "", len}, ASKED_TEXT(name)}});
}
