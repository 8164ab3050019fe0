/* Streams: the machine as their syntax, and their interface for Lua hosts. */
#include "events.h"
#include "limits.h"
#include "program.h"

#define STREAM_TYPE "sluice.stream"

typedef sluice_bridge bridge;

/* A copy of options that were checked: of their strings, which are short. */
typedef struct sluice_kept_options {
    sluice_stream_options options;
    char words[8][12];
} kept_options;

static size_t size_of_programs(const bridge *b) {
    return b->stream->many->count * sizeof(const sluice__program *);
}

void sluice_bridge_id(void *user, char *id, size_t size) {
    bridge *b = user;
    sluice_fresh_id(b->room, id, size);
}

void sluice_bridge_release(void *user) {
    bridge *b = user;
    const sluice_allocator *a = sluice_bridge_memory(b);
    lua_State *L = b->room->L;
    sluice_forget_coroutine(b);
    luaL_unref(L, LUA_REGISTRYINDEX, b->plan);
    luaL_unref(L, LUA_REGISTRYINDEX, b->tools);
    luaL_unref(L, LUA_REGISTRYINDEX, b->watcher);
    if (b->programs)
        sluice__realloc(a, (void *)b->programs, size_of_programs(b), 0);
    if (b->answer.data)
        sluice__buffer_release(a, &b->answer);
    if (b->options)
        sluice__realloc(a, b->options, sizeof *b->options, 0);
    if (b->link && (*b->link = b->next))
        b->next->link = b->link;
    sluice__realloc(a, b, sizeof *b, 0);
}

void sluice_begin_script(sluice_bridge *b, const sluice_stream *s) {
    uint64_t read = s->base + s->len;
    if (read < b->seen) /* another response */
        b->spent = (sluice_spent){0};
    b->seen = read;
    sluice_limits_resume(b->room, &b->spent, read);
}

void sluice_end_script(sluice_bridge *b) { sluice_limits_pause(b->room, &b->spent); }

void sluice_push_plan(lua_State *L, const sluice_bridge *b) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->plan);
    if (!b->stream->many || !(b->member_asked || b->stream->program))
        return;
    lua_getfield(L, -1, "member"); // plan, member
    lua_pushinteger(L, (lua_Integer)b->stream->member + 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools);
    lua_call(L, 2, 1); // plan, its member
    lua_remove(L, -2);
}

/* True if the end of the prompt leaves reasoning open. */
static bool prompt_opens(lua_State *L, int plan, const char *prompt) {
    lua_getfield(L, plan, "prompt_opens");
    lua_pushstring(L, prompt);
    lua_call(L, 1, 1);
    bool open = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return open;
}

/* Prepares a stream of many formats: copies the options, which apply to each. False if out of
 * memory. */
static bool prepare_many(bridge *b, const sluice_stream_options *options) {
    const sluice_allocator *a = sluice_bridge_memory(b);
    if (!options)
        return true;
    b->options = sluice__realloc(a, NULL, 0, sizeof *b->options);
    if (!b->options)
        return false;
    memset(b->options, 0, sizeof *b->options);
    sluice_stream_options *o = &b->options->options;
    *o = *options;
    o->prompt = o->mark = NULL; /* of the stream, not of a format */
    const char **words[] = {&o->calls,           &o->start,  &o->calls_in_reasoning,
                            &o->reasoning_opens, &o->fences, &o->unknown_tools,
                            &o->types,           &o->special};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i])
            *words[i] = strncpy(b->options->words[i], *words[i], sizeof b->options->words[i] - 1);
    return true;
}

/* Like sluice_bridge_stream, for the plan with the mark of these options. */
static sluice_stream *marked_stream(lua_State *L, int plan, int tools,
                                    const sluice_stream_options *options, bool of_lua) {
    sluice_stream_options rest = *options;
    rest.mark = NULL;
    lua_getfield(L, plan, "for_mark"); // for_mark, or nil for auto
    if (lua_isnil(L, -1)) {
        lua_pushliteral(L, "a mark is for one syntax: name it instead of auto");
        lua_replace(L, -2);
        return NULL;
    }
    lua_pushstring(L, options->mark);
    lua_call(L, 1, 2); // plan, or nil and a message
    if (lua_isnil(L, -2)) {
        lua_replace(L, -2);
        return NULL;
    }
    lua_pop(L, 1);
    sluice_stream *made = sluice_bridge_stream(L, lua_gettop(L), tools, &rest, of_lua);
    lua_remove(L, -2);
    return made;
}

/* [-0, +1] Pushes the tools, or nil for an empty list, which says as little as none; unless unknown
 * tools are text (`as_text`): then all calls are. */
static void push_tools(lua_State *L, int tools, bool as_text) {
    bool some = as_text && lua_istable(L, tools);
    if (!some && lua_istable(L, tools)) {
        lua_getfield(L, tools, "list");
        lua_rawgeti(L, -1, 1);
        some = !lua_isnil(L, -1);
        lua_pop(L, 2);
    }
    if (some)
        lua_pushvalue(L, tools);
    else
        lua_pushnil(L);
}

sluice_stream *sluice_bridge_stream(lua_State *L, int plan, int tools,
                                    const sluice_stream_options *options, bool of_lua) {
    sluice_room *room = sluice_room_of(L);
    if (options && options->mark)
        return marked_stream(L, plan, tools, options, of_lua);
    lua_getfield(L, plan, "for_tools"); /* if openers contain the tools' names */
    if (lua_isfunction(L, -1) && lua_istable(L, tools)) {
        lua_pushvalue(L, tools);
        lua_call(L, 1, 1);
        sluice_stream *made = sluice_bridge_stream(L, lua_gettop(L), tools, options, of_lua);
        lua_remove(L, -2);
        return made;
    }
    lua_pop(L, 1);
    lua_getfield(L, plan, "format");
    const sluice__format *f = lua_touserdata(L, -1); /* only C makes plans, never scripts */
    lua_pop(L, 1);
    lua_getfield(L, plan, f && f->several ? "many" : "code");
    if (!f || lua_isnil(L, -1))
        luaL_error(L, "this is not a compiled syntax");
    const sluice__many *many = f->several ? sluice_many_at(L, -1) : NULL;
    const sluice__program *program = f->several ? NULL : sluice_program_at(L, -1);
    lua_pop(L, 1);
    sluice__settings settings;
    const char *wrong = sluice__settings_from(f, options, &settings);
    if (wrong) {
        lua_pushstring(L, wrong);
        return NULL;
    }
    if (options && options->prompt && !options->start)
        settings.start_reasoning = prompt_opens(L, plan, options->prompt);
    lua_pushvalue(L, plan);
    push_tools(L, tools, settings.unknown_as_text);
    bool has_tools = lua_istable(L, -1);
    const sluice_allocator *memory = &room->streams;
    bridge *b = sluice__realloc(memory, NULL, 0, sizeof *b);
    sluice_stream *s =
        b ? sluice__stream_new(memory, program, many, &sluice_script_calls, b, &settings, has_tools)
          : NULL;
    if (!s) {
        if (b)
            sluice__realloc(memory, b, sizeof *b, 0);
        lua_pop(L, 2);
        lua_pushliteral(L, "not enough memory");
        return NULL;
    }
    *b = (bridge){.room = room,
                  .stream = s,
                  .co_ref = LUA_NOREF,
                  .plan = LUA_NOREF,
                  .tools = LUA_NOREF,
                  .watcher = LUA_NOREF};
    if (of_lua) {
        b->next = room->owned;
        b->link = &room->owned;
        room->owned = b;
        if (b->next)
            b->next->link = &b->next;
    }
    if (has_tools) {
        lua_getfield(L, -1, "names");
        b->names = sluice_tool_names_at(L, -1);
        lua_pop(L, 1);
    }
    b->tools = luaL_ref(L, LUA_REGISTRYINDEX);
    b->plan = luaL_ref(L, LUA_REGISTRYINDEX);
    if (many)
        b->programs = sluice__zeroed(memory, size_of_programs(b));
    if (many && (!b->programs || !prepare_many(b, options))) {
        sluice_stream_free(s);
        lua_pushliteral(L, "not enough memory");
        return NULL;
    }
    s->options = b->options ? &b->options->options : NULL;
    lua_pushboolean(L, 1);
    return s;
}

/* ---- For Lua hosts ------------------------------------------------------------------------ */

typedef struct box {
    sluice_stream *stream;
} box;

static sluice_stream *stream_of(lua_State *L, const box *b) {
    if (!b->stream)
        luaL_error(L, "the stream is closed");
    bridge *br = b->stream->user;
    br->room->L = L; /* the coroutine that calls */
    return b->stream;
}

static sluice_stream *check_stream(lua_State *L, int index) {
    return stream_of(L, luaL_checkudata(L, index, STREAM_TYPE));
}

static int stream_gc(lua_State *L) {
    box *b = lua_touserdata(L, 1);
    sluice_stream *s = b->stream;
    b->stream = NULL;
    if (s) {
        sluice_room_of(L);
        sluice_stream_free(s);
    }
    return 0;
}

/* [-0, +1|2, e] Pushes a stream that Lua collects; or nil and a message. Returns the number of
 * values. */
static int push_stream(lua_State *L, int plan, int tools, const sluice_stream_options *options) {
    box *b = lua_newuserdata(L, sizeof *b);
    b->stream = NULL;
    luaL_getmetatable(L, STREAM_TYPE);
    lua_setmetatable(L, -2);
    b->stream = sluice_bridge_stream(L, plan, tools, options, true);
    if (!b->stream) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    lua_pop(L, 1);
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
        box *made = lua_touserdata(L, -1);
        bridge *b = made->stream->user;
        lua_pushvalue(L, 4);
        b->watcher = luaL_ref(L, LUA_REGISTRYINDEX);
        made->stream->scripts = &sluice_watched_calls;
    }
    return results;
}

/* beside(stream, plan) -> a stream of this plan with the tools of that stream, and its options
 * about values, that reports markup; or nil and a message. */
static int stream_beside(lua_State *L) {
    const sluice_stream *s = check_stream(L, 1);
    const bridge *b = s->user;
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools); // stream, plan, tools or nil
    int results = push_stream(L, 2, 3, NULL);
    if (results == 1) {
        sluice__settings *set = &((box *)lua_touserdata(L, -1))->stream->set;
        set->types = s->set.types;
        set->validation = s->set.validation;
        set->markup = true;
    }
    return results;
}

/* next(stream) -> event | nil, "need_input" | "done" */
static int stream_next(lua_State *L) {
    sluice_stream *s = check_stream(L, 1);
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

/* Raises an error at the line that called the method of sluice.stream. */
static void refuse(lua_State *L, const char *format, const char *what) {
    luaL_where(L, 2);
    lua_pushfstring(L, format, what);
    lua_concat(L, 2);
    lua_error(L);
}

static void feed(lua_State *L, sluice_stream *s, bool special) {
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    int r = special ? sluice_stream_feed_special(s, bytes, n) : sluice_stream_feed(s, bytes, n);
    if (r == SLUICE_E_MISUSE)
        refuse(L, "%s", "the stream was finished; reset it first");
    if (r)
        luaL_error(L, "not enough memory");
}

/* Upvalues of stream_take: the streams' metatable, then the names of fragments, by their type. */
enum { OF_STREAMS = 1, NAMES };
static const sluice_event_type fragments[] = {SLUICE_TEXT, SLUICE_REASONING, SLUICE_ARGUMENTS,
                                              SLUICE_MARKUP};
enum { FRAGMENTS = sizeof fragments / sizeof *fragments };

/* Like check_stream, but with the metatable at hand. */
static sluice_stream *check_taken(lua_State *L) {
    bool same = lua_isuserdata(L, 1) && lua_getmetatable(L, 1) &&
                lua_rawequal(L, -1, lua_upvalueindex(OF_STREAMS));
    if (!same)
        return check_stream(L, 1);
    lua_pop(L, 1);
    return stream_of(L, lua_touserdata(L, 1));
}

/* Begins stream:each(bytes, handlers). */
static void begin_each(lua_State *L, sluice_stream *s) {
    if (!lua_istable(L, 3))
        refuse(L, "stream:each: the handlers must be a table, not a %s", luaL_typename(L, 3));
    if (lua_isnil(L, 2)) {
        sluice_stream_finish(s);
        return;
    }
    if (lua_type(L, 2) != LUA_TSTRING)
        refuse(L, "stream:each: the bytes must be a string, not a %s", luaL_typename(L, 2));
    feed(L, s, false);
}

/* take(stream[, bytes, handlers]) -> type, text, index, first, last, whether no event follows, for
 * a fragment; type, event for other events; or nothing. With arguments it begins stream:each. */
static int stream_take(lua_State *L) {
    sluice_stream *s = check_taken(L);
    sluice_event e;
    size_t kind = 0;
    if (lua_gettop(L) > 1)
        begin_each(L, s);
    if (sluice_stream_next(s, &e) != SLUICE_EVENT)
        return 0;
    while (kind < FRAGMENTS && fragments[kind] != e.type)
        kind++;
    if (kind == FRAGMENTS) {
        lua_pushstring(L, sluice_event_name(&e));
        sluice_push_event(L, &e);
        return 2;
    }
    lua_pushvalue(L, lua_upvalueindex(NAMES + (int)kind));
    lua_pushlstring(L, e.text, e.text_len);
    if (e.type == SLUICE_ARGUMENTS)
        lua_pushinteger(L, (lua_Integer)e.index + 1);
    else
        lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)e.start + 1);
    lua_pushinteger(L, (lua_Integer)e.end);
    bool used_up = s->passes && !s->len; /* then nothing follows, and the chunk is returned */
    lua_pushboolean(L, used_up && sluice_stream_next(s, &e) == SLUICE_NEED_INPUT);
    return 6;
}

/* Adds `take` to the methods of streams. */
static void add_take(lua_State *L) {
    luaL_getmetatable(L, STREAM_TYPE);
    lua_getfield(L, -1, "__index");
    lua_pushvalue(L, -2); // metatable, methods, metatable
    for (size_t i = 0; i < FRAGMENTS; i++) {
        sluice_event e = {.type = fragments[i]};
        lua_pushstring(L, sluice_event_name(&e));
    }
    lua_pushcclosure(L, stream_take, 1 + FRAGMENTS);
    lua_setfield(L, -2, "take");
    lua_pop(L, 2);
}

/* feed(stream, bytes[, special]): `special`: the bytes are one special token */
static int stream_feed(lua_State *L) {
    feed(L, check_stream(L, 1), lua_toboolean(L, 3));
    return 0;
}

static int stream_finish(lua_State *L) {
    sluice_stream_finish(check_stream(L, 1));
    return 0;
}

static int stream_reset(lua_State *L) {
    sluice_stream_reset(check_stream(L, 1));
    return 0;
}

/* state(stream) -> "text" | "reasoning" | "possible_block" | "call", name or nil, bytes held */
static int stream_state(lua_State *L) {
    static const char *const names[] = {"text", "reasoning", "possible_block", "call"};
    const char *name;
    size_t held;
    sluice_state state = sluice_stream_state(check_stream(L, 1), &name, &held);
    lua_pushstring(L, names[state]);
    lua_pushstring(L, name);
    lua_pushinteger(L, (lua_Integer)held);
    return 3;
}

/* closing(stream) -> the bytes that close the open call's arguments; "" if no call is open */
static int stream_closing(lua_State *L) {
    const sluice_stream *s = check_stream(L, 1);
    char some[64];
    size_t n = sluice_stream_closing(s, some, sizeof some);
    if (n < sizeof some) {
        lua_pushlstring(L, some, n);
        return 1;
    }
    char *all = lua_newuserdata(L, n + 1);
    sluice_stream_closing(s, all, n + 1);
    lua_pushlstring(L, all, n);
    return 1;
}

/* counts(stream) -> valid, recovered, doubtful, leaked */
static int stream_counts(lua_State *L) {
    const sluice_counts c = sluice_stream_counts(check_stream(L, 1));
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
    add_take(L);
    sluice_add_functions(L, functions);
}
