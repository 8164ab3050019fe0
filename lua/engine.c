/* The engine of C programs: a private Lua state that holds the syntaxes. */
#define _GNU_SOURCE
#include "engine.h"
#include "../core/output.h"
#include "bridge.h"
#include "embedded.h"
#include "files.h"
#include "limits.h"
#include "private_state.h"
#include "system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SLUICE_OWN_STREAMS
/* Lua's static library is not position-independent towards libc's streams; the build makes it look
 * for these instead, which nothing here ever uses. */
FILE *sluice__stdin, *sluice__stdout, *sluice__stderr;
#endif

int luaopen_lpeg(lua_State *L);

enum {
    TOOLS_KEPT = 8, /* tool definitions that an engine recognises when they come again */
    TOOLS_TEXT_MAX = 256 * 1024 /* longer texts are not kept */
};

struct sluice_engine {
    sluice_allocator alloc;
    sluice_tools *tools[TOOLS_KEPT];
    unsigned next_tools; /* the next of them that makes room */
    lua_State *L;
    sluice_room *room;
    int host;           /* registry reference of the Lua side's registry of syntaxes */
    int pending;        /* the code of the error that is being raised, or 0 */
    size_t used, limit; /* bytes that Lua holds, and may */
    uint64_t instructions;
    sluice__buffer error, answer;
    int code; /* of that error */
    bool own_limits;
};

struct sluice_tools {
    sluice_engine *engine;
    int ref;
    size_t users; /* how many times it was handed out and not freed */
    bool kept;    /* the engine holds it for the next who brings the same text */
    char *text;
    size_t len;
};

static void drop_tools(sluice_tools *t) {
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

/* Calls f(what) in the private state, `what` a light userdata: all that may raise is done in such a
 * function. On failure the sentence is the engine's, and nothing is left on the stack. */
static int call(sluice_engine *e, lua_CFunction f, void *what, int results) {
    e->error.len = 0;
    sluice_limits_begin(e->room);
    e->pending = 0;
    lua_pushcfunction(e->L, f);
    lua_pushlightuserdata(e->L, what);
    int status = lua_pcall(e->L, 1, results, 0);
    if (status == LUA_OK)
        return SLUICE_OK;
    return refuse_top(e, status == LUA_ERRMEM ? SLUICE_E_NOMEM
                         : e->pending         ? e->pending
                                              : SLUICE_E_SCRIPT);
}

int sluice__engine_call(sluice_engine *e, lua_CFunction f, void *what, uint64_t instructions) {
    e->room->budget = instructions ? instructions : e->instructions;
    int result = call(e, f, what, 0);
    e->room->budget = e->instructions;
    return result;
}

void sluice__engine_push_registry(lua_State *L, const sluice_engine *e) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, e->host);
}

/* What such a function is given. Each uses some. */
struct asked {
    sluice_engine *engine;
    const char *what, *syntax, *calls, *text, *target;
    size_t len; /* of calls or text */
    const sluice_tools *tools;
    const sluice_stream_options *options;
    void *made;
};

static struct asked *asked_of(lua_State *L) { return lua_touserdata(L, 1); }

/* Raises the sentence on the top of the stack; the call answers this code. */
static int raise(lua_State *L, sluice_engine *e, int code) {
    e->pending = code;
    return lua_error(L);
}

/* [-0, +1, e] Pushes a field of the host's table; one that is not there would be a bug. */
static void push_host(lua_State *L, sluice_engine *e, const char *name) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, e->host);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
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
    sluice_engine *e = lua_touserdata(L, 1);
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
    e->room = sluice_room_of(L);
    lua_settop(L, 0);
    /* registry.new(lpeg, { read = read_file, embedded = embedded_script, libraries = those of
     * limits.c }) */
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.registry");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "new");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "lpeg");
    lua_call(L, 1, 1);
    lua_newtable(L);
    lua_pushcfunction(L, sluice_read_file);
    lua_setfield(L, -2, "read");
    sluice_limits_open(L, e->room);
    lua_setfield(L, -2, "libraries");
    lua_pushcfunction(L, sluice_embedded_script);
    lua_setfield(L, -2, "embedded");
    lua_call(L, 2, 1);
    e->host = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* The time that one entry into a script may take. Where more instructions are allowed, more time
 * is, too: 5 seconds for the 20 million of the default. */
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
    e->room->streams = e->room->hosts.from = e->alloc;
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
    e->room = NULL; /* it goes with the state */
    if (e->L)
        lua_close(e->L);
    for (int i = 0; i < TOOLS_KEPT; i++)
        if (e->tools[i])
            drop_tools(e->tools[i]);
    sluice__buffer_release(&e->alloc, &e->error);
    sluice__buffer_release(&e->alloc, &e->answer);
    sluice_allocator a = e->alloc;
    sluice__realloc(&a, e, sizeof *e, 0);
}

const char *sluice_engine_error(const sluice_engine *e) {
    return e && e->error.len ? e->error.data : "";
}

/* ---- Loading ------------------------------------------------------------------------------ */

/* [-0, +1, e] Pushes the names in a folder, or nil and a sentence. Answers whether it is one. */
static bool push_names(lua_State *L, const char *path) {
    lua_pushcfunction(L, sluice_list_folder);
    lua_pushstring(L, path);
    lua_call(L, 1, 2);
    bool folder = lua_istable(L, -2);
    if (folder)
        lua_pop(L, 1);
    return folder;
}

/* Loads the scripts of a folder, or one script. */
static int load(lua_State *L) {
    struct asked *asked = asked_of(L);
    sluice_engine *e = asked->engine;
    if (push_names(L, asked->what)) {
        push_host(L, e, "load_folder");
        lua_pushstring(L, asked->what);
        lua_pushvalue(L, -3);
        lua_call(L, 2, 2); // count, sentences
        if (lua_rawlen(L, -1) > 0) {
            lua_rawgeti(L, -1, 1);
            return raise(L, e, SLUICE_E_SCRIPT);
        }
        return 0;
    }
    push_host(L, e, "load_file");
    lua_pushstring(L, asked->what);
    lua_call(L, 1, 2);
    if (lua_isnil(L, -2)) {
        const char *why = lua_tostring(L, -1);
        return raise(L, e,
                     why && strstr(why, "cannot be read") ? SLUICE_E_NOT_FOUND : SLUICE_E_SCRIPT);
    }
    return 0;
}

/* Adds { path, names } to the list at index 2; or puts the sentence at index 3 where it cannot be
 * read. */
static void add_folder(lua_State *L, const char *path) {
    if (!push_names(L, path)) {
        lua_replace(L, 3);
        lua_pop(L, 1);
        return;
    }
    lua_newtable(L);
    lua_insert(L, -2);
    lua_setfield(L, -2, "names");
    lua_pushstring(L, path);
    lua_setfield(L, -2, "path");
    lua_rawseti(L, 2, (lua_Integer)lua_rawlen(L, 2) + 1);
}

/* Loads the embedded scripts, and those of the installed folder and of SLUICE_PATH. */
static int load_installed(lua_State *L) {
    sluice_engine *e = asked_of(L)->engine;
    char folder[PATH_MAX];
    lua_newtable(L);
    lua_pushnil(L); /* the sentence about a folder that cannot be read */
    if (sluice_script_folder(folder, sizeof folder))
        add_folder(L, folder);
    const char *list = getenv("SLUICE_PATH");
    while (list && *list) {
        size_t n = strcspn(list, SLUICE_PATH_SEPARATOR);
        if (n && n < sizeof folder) {
            memcpy(folder, list, n);
            folder[n] = 0;
            add_folder(L, folder);
        }
        list += n + (list[n] != 0);
    }
    push_host(L, e, "load_installed");
    lua_pushvalue(L, 2);
    lua_call(L, 1, 2); // count, sentences
    lua_rawgeti(L, -1, 1);
    if (!lua_isnil(L, -1))
        return raise(L, e, SLUICE_E_SCRIPT);
    lua_settop(L, 3);
    return lua_isnil(L, 3) ? 0 : raise(L, e, SLUICE_E_NOT_FOUND);
}

int sluice_engine_load(sluice_engine *e, const char *path) {
    if (!e)
        return SLUICE_E_ARGUMENT;
    struct asked asked = {.engine = e, .what = path};
    return call(e, path ? load : load_installed, &asked, 0);
}

/* Loads the script asked->text, which errors call asked->what. */
static int load_text(lua_State *L) {
    struct asked *asked = asked_of(L);
    push_host(L, asked->engine, "load_memory");
    lua_pushlstring(L, asked->text, asked->len);
    lua_pushstring(L, asked->what);
    lua_call(L, 2, 2);
    return lua_isnil(L, -2) ? raise(L, asked->engine, SLUICE_E_SCRIPT) : 0;
}

int sluice_engine_load_text(sluice_engine *e, const char *name, const char *text, size_t len) {
    if (!e || !name || (!text && len))
        return SLUICE_E_ARGUMENT;
    struct asked asked = {.engine = e, .what = name, .text = text ? text : "", .len = len};
    return call(e, load_text, &asked, 0);
}

/* ---- Tools and streams -------------------------------------------------------------------- */

/* tools(asked): fills asked->made with them */
static int make_tools(lua_State *L) {
    struct asked *asked = asked_of(L);
    sluice_tools *t = asked->made;
    push_host(L, asked->engine, "tools");
    lua_pushlstring(L, asked->text, asked->len);
    lua_call(L, 1, 2);
    if (lua_isnil(L, -2))
        return raise(L, asked->engine, SLUICE_E_JSON);
    lua_pop(L, 1);
    t->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* Keeps the tools with their text, in the place of others that nobody uses. */
static void keep_tools(sluice_engine *e, sluice_tools *t, const char *json, size_t len) {
    for (int i = 0; i < TOOLS_KEPT && len <= TOOLS_TEXT_MAX; i++) {
        sluice_tools **place = &e->tools[e->next_tools++ % TOOLS_KEPT];
        if (*place && (*place)->users)
            continue;
        if (!(t->text = sluice__realloc(&e->alloc, NULL, 0, len + 1)))
            return; /* they serve as well without */
        memcpy(t->text, json, len);
        t->len = len;
        t->kept = true;
        if (*place) {
            luaL_unref(e->L, LUA_REGISTRYINDEX, (*place)->ref);
            drop_tools(*place);
        }
        *place = t;
        return;
    }
}

sluice_tools *sluice_tools_new(sluice_engine *e, const char *json, size_t len) {
    if (!e || !json)
        return NULL;
    for (int i = 0; i < TOOLS_KEPT; i++) {
        sluice_tools *t = e->tools[i];
        if (t && t->len == len && memcmp(t->text, json, len) == 0) {
            t->users++;
            return t;
        }
    }
    sluice_tools *t = sluice__realloc(&e->alloc, NULL, 0, sizeof *t);
    if (!t) {
        refuse(e, SLUICE_E_NOMEM, "not enough memory");
        return NULL;
    }
    *t = (sluice_tools){.engine = e, .users = 1};
    struct asked asked = {.engine = e, .text = json, .len = len, .made = t};
    if (call(e, make_tools, &asked, 0) != SLUICE_OK) {
        drop_tools(t);
        return NULL;
    }
    keep_tools(e, t, json, len);
    return t;
}

void sluice_tools_free(sluice_tools *t) {
    if (!t || --t->users || t->kept)
        return;
    luaL_unref(t->engine->L, LUA_REGISTRYINDEX, t->ref);
    drop_tools(t);
}

/* [-0, +1, e] Pushes the plan of a syntax: host.by_name[syntax].plan, where it was made before, for
 * that takes no call; else host.plan(syntax). */
static void push_plan(lua_State *L, sluice_engine *e, const char *syntax) {
    int top = lua_gettop(L);
    push_host(L, e, "by_name");
    if (lua_getfield(L, -1, syntax) != LUA_TTABLE || lua_getfield(L, -1, "plan") != LUA_TTABLE) {
        push_host(L, e, "plan");
        lua_pushstring(L, syntax);
        lua_call(L, 1, 3); // plan, or nil, a sentence, whether the script is there but at fault
        bool broken = lua_toboolean(L, -1);
        lua_pop(L, 1);
        if (lua_isnil(L, -2))
            raise(L, e, broken ? SLUICE_E_SCRIPT : SLUICE_E_NOT_FOUND);
        lua_pop(L, 1);
    }
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
}

static void push_tools(lua_State *L, const sluice_tools *tools) {
    if (tools)
        lua_rawgeti(L, LUA_REGISTRYINDEX, tools->ref);
    else
        lua_pushnil(L);
}

/* stream(asked): fills asked->made */
static int make_stream(lua_State *L) {
    struct asked *asked = asked_of(L);
    push_plan(L, asked->engine, asked->syntax);
    push_tools(L, asked->tools);
    asked->made = sluice_bridge_stream(L, 2, 3, asked->options);
    if (!asked->made)
        return raise(L, asked->engine, SLUICE_E_ARGUMENT);
    return 0;
}

sluice_stream *sluice_stream_new(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                                 const sluice_stream_options *options) {
    if (!e || !syntax)
        return NULL;
    struct asked asked = {.engine = e, .syntax = syntax, .tools = tools, .options = options};
    return call(e, make_stream, &asked, 0) == SLUICE_OK ? asked.made : NULL;
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

/* text(asked): what a function of the host answers, text */
static int make_text(lua_State *L) {
    struct asked *asked = asked_of(L);
    sluice_engine *e = asked->engine;
    push_host(L, e, asked->what);
    int n = 0;
    if (asked->syntax) {
        push_plan(L, e, asked->syntax);
        n++;
    }
    if (asked->calls) { /* of render */
        lua_pushlstring(L, asked->calls, asked->len);
        n++;
    } else if (asked->syntax) { /* for tools: the target, of grammars, and the options */
        push_tools(L, asked->tools);
        if (asked->target)
            lua_pushstring(L, asked->target);
        lua_pushstring(L, asked->text);
        n += asked->target ? 3 : 2;
    } else if (asked->text) { /* a tool's name and argument */
        lua_pushstring(L, asked->text);
        lua_pushstring(L, asked->target);
        n = 2;
    }
    lua_call(L, n, 2);
    if (lua_type(L, -2) != LUA_TSTRING)
        return raise(L, e, SLUICE_E_REFUSED);
    lua_pop(L, 1);
    return 1;
}

static int text_of(struct asked *asked, char **out, size_t *out_len) {
    sluice_engine *e = asked->engine;
    int r = call(e, make_text, asked, 1);
    if (r)
        return r;
    size_t n;
    const char *s = lua_tolstring(e->L, -1, &n);
    r = hand_out(e, s, n, out, out_len);
    lua_pop(e->L, 1);
    return r;
}

int sluice_render(sluice_engine *e, const char *syntax, const char *calls_json, size_t len,
                  char **out, size_t *out_len) {
    if (!e || !syntax || !calls_json || !out)
        return SLUICE_E_ARGUMENT;
    struct asked asked = {
        .engine = e, .what = "render", .syntax = syntax, .calls = calls_json, .len = len};
    return text_of(&asked, out, out_len);
}

int sluice_engine_ask(sluice_engine *e, const char *tool, const char *argument, char **out,
                      size_t *out_len) {
    if (!e || !tool || !argument || !out)
        return SLUICE_E_ARGUMENT;
    struct asked asked = {.engine = e, .what = "tool", .text = tool, .target = argument};
    return text_of(&asked, out, out_len);
}

int sluice_grammar(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                   const char *target, const char *options_json, char **out, size_t *out_len) {
    if (!e || !syntax || !target || !out)
        return SLUICE_E_ARGUMENT;
    struct asked asked = {.engine = e,
                          .what = "grammar",
                          .syntax = syntax,
                          .tools = tools,
                          .target = target,
                          .text = options_json};
    return text_of(&asked, out, out_len);
}

int sluice_prompt(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                  const char *options_json, char **out, size_t *out_len) {
    if (!e || !syntax || !out)
        return SLUICE_E_ARGUMENT;
    struct asked asked = {
        .engine = e, .what = "prompt", .syntax = syntax, .tools = tools, .text = options_json};
    return text_of(&asked, out, out_len);
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
        &o->reasoning_opens, &o->fences, &o->unknown_tools, &o->types,
        &o->special};
    for (int i = 0; i < (int)(sizeof strings / sizeof *strings); i++) {
        if (!*strings[i])
            continue;
        *strings[i] = lua_pushstring(L, *strings[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/* wire(asked): fills asked->made, a wire; asked->what is where it comes from, asked->text the model
 */
static int make_wire(lua_State *L) {
    struct asked *asked = asked_of(L);
    sluice_wire *w = asked->made;
    push_plan(L, asked->engine, asked->syntax);
    push_tools(L, asked->tools);
    push_options(L, asked->options);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.stream");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_pushcclosure(L, wire_stream, 5); // stack: asked, make
    lua_pushvalue(L, -1);
    lua_call(L, 0, 0); /* are the options good? */
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
    if (!e || !syntax || !from || !to)
        return NULL;
    sluice_wire *w = sluice__realloc(&e->alloc, NULL, 0, sizeof *w);
    if (!w) {
        refuse(e, SLUICE_E_NOMEM, "not enough memory");
        return NULL;
    }
    *w = (sluice_wire){e, LUA_NOREF, LUA_NOREF};
    struct asked asked = {.engine = e,
                          .what = from,
                          .syntax = syntax,
                          .text = model,
                          .target = to,
                          .tools = tools,
                          .options = options,
                          .made = w};
    if (call(e, make_wire, &asked, 0) == SLUICE_OK)
        return w;
    sluice_wire_free(w);
    return NULL;
}

void sluice_wire_free(sluice_wire *w) {
    if (!w)
        return;
    sluice_allocator a = w->engine->alloc;
    luaL_unref(w->engine->L, LUA_REGISTRYINDEX, w->filter);
    luaL_unref(w->engine->L, LUA_REGISTRYINDEX, w->last);
    sluice__realloc(&a, w, sizeof *w, 0);
}

/* pass(asked): what the filter says to these bytes, or (none) at the end */
static int pass(lua_State *L) {
    struct asked *asked = asked_of(L);
    sluice_wire *w = asked->made;
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->filter);
    lua_getfield(L, -1, asked->text ? "feed" : "finish");
    lua_insert(L, -2);
    lua_pushlstring(L, asked->text ? asked->text : "", asked->len);
    lua_call(L, 2, 1);
    lua_pushvalue(L, -1);
    luaL_unref(L, LUA_REGISTRYINDEX, w->last);
    w->last = LUA_NOREF;
    w->last = luaL_ref(L, LUA_REGISTRYINDEX);
    return 1;
}

static int said(sluice_wire *w, const char *bytes, size_t len, const char **out, size_t *out_len) {
    struct asked asked = {.engine = w->engine, .text = bytes, .len = len, .made = w};
    int r = call(w->engine, pass, &asked, 1);
    if (r)
        return r;
    *out = lua_tolstring(w->engine->L, -1, out_len); /* it is kept by w->last */
    lua_pop(w->engine->L, 1);
    return SLUICE_OK;
}

int sluice_wire_feed(sluice_wire *w, const char *bytes, size_t len, const char **out,
                     size_t *out_len) {
    if (!w || (!bytes && len) || !out || !out_len)
        return SLUICE_E_ARGUMENT;
    return said(w, bytes ? bytes : "", len, out, out_len);
}

int sluice_wire_finish(sluice_wire *w, const char **out, size_t *out_len) {
    if (!w || !out || !out_len)
        return SLUICE_E_ARGUMENT;
    return said(w, NULL, 0, out, out_len);
}

/* ---- What there is ------------------------------------------------------------------------ */

int sluice_list(sluice_engine *e, char **json, size_t *len) {
    if (!e || !json)
        return SLUICE_E_ARGUMENT;
    struct asked asked = {.engine = e, .what = "list_json"};
    return text_of(&asked, json, len);
}

/* syntax_for(asked) -> a name */
static int find_syntax(lua_State *L) {
    struct asked *asked = asked_of(L);
    push_host(L, asked->engine, "syntax_for");
    lua_pushstring(L, asked->text);
    lua_call(L, 1, 2);
    if (lua_isnil(L, -2))
        return raise(L, asked->engine, SLUICE_E_NOT_FOUND);
    lua_pop(L, 1);
    return 1;
}

/* start_for(asked) -> "reasoning", or nil */
static int find_start(lua_State *L) {
    struct asked *asked = asked_of(L);
    push_host(L, asked->engine, "syntax_for");
    lua_pushstring(L, asked->text);
    lua_call(L, 1, 3);
    return 1;
}

const char *sluice_start_for(sluice_engine *e, const char *model) {
    if (!e || !model)
        return NULL;
    struct asked asked = {.engine = e, .text = model};
    if (call(e, find_start, &asked, 1) != SLUICE_OK)
        return NULL;
    const char *start = lua_tostring(e->L, -1);
    bool reasoning = start && strcmp(start, "reasoning") == 0;
    lua_pop(e->L, 1);
    return reasoning ? "reasoning" : NULL;
}

const char *sluice_syntax_for(sluice_engine *e, const char *model) {
    if (!e || !model)
        return NULL;
    struct asked asked = {.engine = e, .text = model};
    if (call(e, find_syntax, &asked, 1) != SLUICE_OK)
        return NULL;
    size_t n;
    const char *s = lua_tolstring(e->L, -1, &n);
    e->answer.len = 0;
    bool good = sluice__buffer_add(&e->alloc, &e->answer, s, n + 1);
    lua_pop(e->L, 1);
    if (!good)
        refuse(e, SLUICE_E_NOMEM, "not enough memory");
    return good ? e->answer.data : NULL;
}
