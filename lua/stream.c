/* Streams: the machine as their syntax, and their interface for Lua hosts. */
#include "events.h"
#include "limits.h"
#include "program.h"

#define STREAM_TYPE "sluice.stream"

typedef sluice_bridge bridge;

static size_t size_of_programs(const bridge *b) {
    return b->stream.many->count * sizeof(const sluice__program *);
}

void sluice_bridge_id(const sluice_stream *s, char *id, size_t size) {
    const bridge *b = sluice_bridge_of(s);
    sluice_fresh_id(b->room, id, size);
}

void sluice_bridge_release(sluice_stream *s) {
    bridge *b = sluice_bridge_of(s);
    const sluice_allocator *a = &b->room->streams;
    lua_State *L = b->room->L;
    sluice_forget_coroutine(b);
    if (b->hand) {
        sluice__buffer_release(a, &b->hand->carried);
        sluice__realloc(a, b->hand, sizeof *b->hand, 0);
    }
    luaL_unref(L, LUA_REGISTRYINDEX, b->plan);
    luaL_unref(L, LUA_REGISTRYINDEX, b->tools);
    luaL_unref(L, LUA_REGISTRYINDEX, b->watcher);
    if (b->programs)
        sluice__realloc(a, (void *)b->programs, size_of_programs(b), 0);
    sluice__buffer_release(a, &b->answer);
    if (b->stream.options)
        sluice__realloc(a, (void *)b->stream.options, sizeof *b->stream.options, 0);
    luaL_unref(L, LUA_REGISTRYINDEX, b->words);
    if ((*b->link = b->next))
        b->next->link = b->link;
    sluice__realloc(a, b, sizeof *b, 0);
}

void sluice_begin_script(sluice_bridge *b, sluice_stream *s) {
    if (!s->scripted) { /* another response */
        b->spent = (sluice_spent){0};
        if (b->hand)
            b->hand->reported = b->hand->carried.len = 0;
    }
    s->scripted = true;
    sluice_limits_resume(b->room, &b->spent, s->base + s->len);
}

void sluice_end_script(sluice_bridge *b) { sluice_limits_pause(b->room, &b->spent); }

void sluice_push_plan(lua_State *L, const sluice_bridge *b) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->plan);
    size_t member = b->asked ? b->asked - 1 : 0;
    if (!b->stream.many || !(b->asked || b->stream.program))
        return;
    while (!b->asked && b->programs[member] != b->stream.program)
        member++;
    lua_getfield(L, -1, "member"); // plan, member
    lua_pushinteger(L, (lua_Integer)member + 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools);
    lua_call(L, 2, 1); // plan, its member
    lua_remove(L, -2);
}

/* True if the end of the prompt leaves reasoning open. */
static bool prompt_opens(lua_State *L, int plan, const char *prompt) {
    lua_getfield(L, plan, "prompt_opens");
    lua_pushstring(L, prompt);
    lua_pushvalue(L, plan);
    lua_call(L, 2, 1);
    bool open = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return open;
}

/* Prepares a stream of many formats: copies the options, which apply to each. A table keeps their
 * words. `thinks`: it starts in reasoning. False if out of memory. */
static bool prepare_many(lua_State *L, bridge *b, const sluice_stream_options *options,
                         bool thinks) {
    const sluice_allocator *a = &b->room->streams;
    b->programs = sluice__zeroed(a, size_of_programs(b));
    if (!b->programs || !options)
        return b->programs;
    sluice_stream_options *o = sluice__zeroed(a, sizeof *o);
    if (!(b->stream.options = o))
        return false;
    sluice_push_options(L, options);
    sluice_read_options(L, lua_gettop(L), o);
    b->words = luaL_ref(L, LUA_REGISTRYINDEX);
    if (thinks)
        o->start = "reasoning";
    return true;
}

sluice_stream *sluice_bridge_stream(lua_State *L, int plan, int tools,
                                    const sluice_stream_options *options) {
    sluice_room *room = sluice_room_of(L);
    const sluice_allocator *memory = &room->streams;
    bool marked = options && options->mark;
    lua_getfield(L, plan, marked ? "for_mark" : "for_tools"); /* if openers contain these */
    if (marked) {
        lua_pushstring(L, options->mark);
        lua_pushvalue(L, tools);
        lua_call(L, 2, 2); // plan, or nil and a message
        if (lua_isnil(L, -2))
            return NULL;
        lua_pop(L, 1);
        plan = lua_gettop(L);
    } else if (lua_istable(L, -1) && lua_istable(L, tools)) {
        lua_pushvalue(L, tools);
        lua_gettable(L, -2);
        plan = lua_gettop(L);
    }
    lua_getfield(L, plan, "code"); /* only C makes these, never scripts */
    const sluice__program *program = sluice_program_at(L, -1);
    const sluice__many *many = NULL;
    if (!program) {
        lua_getfield(L, plan, "many");
        many = sluice_many_at(L, -1);
    }
    if (!program && !many)
        luaL_error(L, "this is not a compiled syntax");
    const sluice__format *f = program ? program->format : many->format;
    sluice__settings settings;
    const char *wrong = sluice__settings_from(f, options, &settings);
    if (wrong) {
        lua_pushstring(L, wrong);
        return NULL;
    }
    if (options && options->prompt && !options->start)
        settings.start_reasoning = prompt_opens(L, plan, options->prompt);
    sluice_tool_names *names = NULL;
    if (lua_istable(L, tools)) {
        lua_getfield(L, tools, "names");
        names = sluice_tool_names_at(L, -1);
        if (!sluice_tool_count(names) && !settings.unknown_as_text)
            names = NULL; /* an empty list says as little as none; else all calls are text */
    }
    bridge *b = sluice__zeroed(memory, sizeof *b);
    if (!b) {
        lua_pushliteral(L, "not enough memory");
        return NULL;
    }
    sluice_stream *s = &b->stream;
    sluice__stream_init(s, memory, program, many, &sluice_script_calls, &settings, names);
    b->room = room;
    b->plan = b->tools = b->words = b->watcher = LUA_NOREF;
    b->next = room->owned;
    b->link = &room->owned;
    room->owned = b;
    if (b->next)
        b->next->link = &b->next;
    if ((b->names = names)) {
        lua_pushvalue(L, tools);
        b->tools = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    lua_pushvalue(L, plan);
    b->plan = luaL_ref(L, LUA_REGISTRYINDEX);
    if (many && !prepare_many(L, b, options, settings.start_reasoning)) {
        sluice_stream_free(s);
        lua_pushliteral(L, "not enough memory");
        return NULL;
    }
    return s;
}

/* The stream at 1: a userdata that points to it. */
static sluice_stream *check_stream(lua_State *L) {
    sluice_stream *const *s = luaL_checkudata(L, 1, STREAM_TYPE);
    if (!*s)
        luaL_error(L, "the stream is closed");
    const bridge *b = sluice_bridge_of(*s);
    b->room->L = L; /* the coroutine that calls */
    return *s;
}

static int stream_gc(lua_State *L) {
    sluice_stream **s = lua_touserdata(L, 1);
    sluice_room_of(L);
    sluice_stream_free(*s);
    *s = NULL;
    return 0;
}

/* [-0, +1|2, e] Pushes a stream that Lua collects; or nil and a message. Returns the number of
 * values. */
static int push_stream(lua_State *L, int plan, int tools, const sluice_stream_options *options) {
#if LUA_VERSION_NUM == 503 /* its collector falls behind what finalizers of streams let go of */
    if (lua_gc(L, LUA_GCISRUNNING, 0))
        lua_gc(L, LUA_GCSTEP, 0);
#endif
    sluice_stream **s = lua_newuserdata(L, sizeof *s);
    int made = lua_gettop(L);
    *s = NULL;
    luaL_getmetatable(L, STREAM_TYPE);
    lua_setmetatable(L, -2);
    *s = sluice_bridge_stream(L, plan, tools, options);
    if (!*s) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    lua_settop(L, made);
    return 1;
}

/* stream(plan, tools, options[, watcher]) -> stream, or nil and a message. The watcher is called at
 * each step: see sluice.author.explain. */
static int core_stream(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 4);
    sluice_stream_options o;
    sluice_read_options(L, 3, &o);
    int results = push_stream(L, 1, 2, &o);
    if (results == 1 && lua_isfunction(L, 4)) {
        sluice_stream *s = *(sluice_stream **)lua_touserdata(L, -1);
        bridge *b = sluice_bridge_of(s);
        lua_pushvalue(L, 4);
        b->watcher = luaL_ref(L, LUA_REGISTRYINDEX);
        s->scripts = &sluice_watched_calls;
    }
    return results;
}

/* beside(stream, plan) -> a stream of this plan with the tools of that stream, and its options
 * about values, that reports markup; or nil and a message. */
static int stream_beside(lua_State *L) {
    const sluice_stream *s = check_stream(L);
    const bridge *b = sluice_bridge_of(s);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools); // stream, plan, tools or nil
    int results = push_stream(L, 2, 3, NULL);
    if (results == 1) {
        sluice__settings *set = &(*(sluice_stream **)lua_touserdata(L, -1))->set;
        set->types = s->set.types;
        set->validation = s->set.validation;
        set->markup = true;
    }
    return results;
}

/* next(stream) -> event | nil, "need_input" | "done" */
static int stream_next(lua_State *L) {
    sluice_stream *s = check_stream(L);
    sluice_event e;
    sluice_next n = sluice_stream_next(s, &e);
    if (n != SLUICE_EVENT) {
        lua_pushnil(L);
        lua_pushstring(L, n == SLUICE_DONE ? "done" : "need_input");
        return 2;
    }
    sluice_push_event(L, &e);
    return 1;
}

/* feed(stream, bytes[, special]): `special`: the bytes are one special token */
static int stream_feed(lua_State *L) {
    sluice_stream *s = check_stream(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    int r = lua_toboolean(L, 3) ? sluice_stream_feed_special(s, bytes, n)
                                : sluice_stream_feed(s, bytes, n);
    if (r == SLUICE_E_MISUSE) { /* at the line that called the method of sluice.stream */
        luaL_where(L, 2);
        lua_pushliteral(L, "the stream was finished; reset it first");
        lua_concat(L, 2);
        return lua_error(L);
    }
    return r ? luaL_error(L, "not enough memory") : 0;
}

static int stream_finish(lua_State *L) {
    sluice_stream_finish(check_stream(L));
    return 0;
}

/* reset(stream[, read]): `read`: the reasoning that the prompt has opened is over */
static int stream_reset(lua_State *L) {
    sluice_stream *s = check_stream(L);
    if (lua_toboolean(L, 2)) {
        s->set.start_reasoning = false;
        if (s->options)
            ((sluice_stream_options *)s->options)->start = NULL;
    }
    sluice_stream_reset(s);
    return 0;
}

/* state(stream) -> "text" | "reasoning" | "possible_block" | "call", name or nil, bytes held,
 * whether some of them may be text of the answer */
static int stream_state(lua_State *L) {
    static const char *const names[] = {"text", "reasoning", "possible_block", "call"};
    const char *name;
    size_t held;
    const sluice_stream *s = check_stream(L);
    sluice_state state = sluice_stream_state(s, &name, &held);
    lua_pushstring(L, names[state]);
    lua_pushstring(L, name);
    lua_pushinteger(L, (lua_Integer)held);
    lua_pushboolean(L, held && state != SLUICE_IN_CALL && !s->reasoning);
    return 4;
}

/* closing(stream) -> the bytes that close the open call's arguments; "" if no call is open */
static int stream_closing(lua_State *L) {
    const sluice_stream *s = check_stream(L);
    size_t n = sluice_stream_closing(s, NULL, 0);
    char *all = lua_newuserdata(L, n + 1);
    sluice_stream_closing(s, all, n + 1);
    lua_pushlstring(L, all, n);
    return 1;
}

/* counts(stream) -> valid, recovered, doubtful, leaked */
static int stream_counts(lua_State *L) {
    const sluice_counts c = sluice_stream_counts(check_stream(L));
    lua_pushinteger(L, (lua_Integer)c.valid);
    lua_pushinteger(L, (lua_Integer)c.recovered);
    lua_pushinteger(L, (lua_Integer)c.doubtful);
    lua_pushinteger(L, (lua_Integer)c.leaked);
    return 4;
}

/* error_hint(code) -> a sentence, or nil */
static int core_error_hint(lua_State *L) {
    lua_pushstring(L, sluice_error_hint(luaL_checkstring(L, 1)));
    return 1;
}

static const luaL_Reg stream_methods[] = {
    {"closing", stream_closing}, {"next", stream_next},     {"counts", stream_counts},
    {"feed", stream_feed},       {"finish", stream_finish}, {"reset", stream_reset},
    {"state", stream_state},     {"beside", stream_beside}, {NULL, NULL}};

void sluice_stream_open(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"stream", core_stream}, {"error_hint", core_error_hint}, {NULL, NULL}};
    sluice_metatable(L, STREAM_TYPE, stream_methods, stream_gc);
    sluice_add_functions(L, functions);
}
