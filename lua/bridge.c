#include "program.h"

#include "files.h"
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* In the comments of this folder [-o, +p, x] is the Lua manual's: pops o, pushes p, may raise (-
 * never, m memory, e any error). */

#define SET_TYPE "sluice.set"
#define FORMAT_TYPE "sluice.format"
#define HANDLE_TYPE "sluice.handle"
#define QUOTING_TYPE "sluice.quoting"
#define STREAM_TYPE "sluice.stream"
static const char room_key = 0;

typedef sluice_bridge bridge;

/* Operations that get no further, going back included, after which a block is given up. */
enum { MOST_IDLE = 1000000 };

/* ---- The room ----------------------------------------------------------------------------- */

static void *lua_reallocate(void *user, void *block, size_t old_size, size_t size) {
    sluice_room *room = user;
    void *ud;
    lua_Alloc f = lua_getallocf(room->L, &ud);
    void *p = f(ud, block, block ? old_size : 0, size);
    if (!p && size) { /* as Lua does: what nobody holds any more may be what is in the way */
        lua_gc(room->L, LUA_GCCOLLECT, 0);
        p = f(ud, block, block ? old_size : 0, size);
    }
    return p;
}

typedef struct sluice_kept_block {
    struct sluice_kept_block *previous, *next;
    size_t size;   /* with this */
    size_t unused; /* what follows is aligned as malloc aligns it */
} kept_block;

static void *kept_reallocate(void *user, void *block, size_t old_size, size_t size) {
    sluice_kept *kept = user;
    kept_block *old = block ? (kept_block *)block - 1 : NULL;
    (void)old_size;
    if (size > SIZE_MAX - sizeof *old)
        return NULL;
    size_t before = old ? old->size : 0, now = size ? size + sizeof *old : 0;
    if (!before && !now)
        return NULL;
    kept_block **place = old && old->previous ? &old->previous->next : &kept->first;
    kept_block *next = old ? old->next : kept->first, *previous = old ? old->previous : NULL;
    kept_block *p = sluice__realloc(&kept->from, old, before, now);
    if (!p && now)
        return NULL;
    if (p)
        *p = (kept_block){previous, next, now, 0};
    *place = p ? p : next;
    if (next)
        next->previous = p ? p : previous;
    return p ? p + 1 : NULL;
}

static void free_kept(sluice_kept *kept) {
    for (kept_block *b = kept->first; b;) {
        kept_block *next = b->next;
        sluice__realloc(&kept->from, b, b->size, 0);
        b = next;
    }
    kept->first = NULL;
}

/* The room goes last of all that Lua finalizes, for it was made first. */
static int room_gc(lua_State *L) {
    sluice_room *room = lua_touserdata(L, 1);
    room->L = L;
    free_kept(&room->own);
    free_kept(&room->hosts);
    return 0;
}

static void default_id(void *user, char *id, size_t size) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    sluice_room *room = user;
    char text[30] = "call_";
    /* a state may be forked, as nginx does: each process has ids of its own */
    uint64_t state =
        room->id_seed + ++room->ids * 0x9E3779B97F4A7C15u + sluice_process() * 0xD6E8FEB86659FD93u;
    for (int i = 5; i < 29;) { /* splitmix64, eight characters of each number */
        state ^= state >> 30;
        state *= 0xBF58476D1CE4E5B9u;
        state ^= state >> 27;
        state *= 0x94D049BB133111EBu;
        state ^= state >> 31;
        uint64_t x = state;
        for (int k = 0; k < 8; k++, x >>= 8)
            text[i++] = digits[(x & 255) * 62 >> 8];
    }
    text[29] = 0;
    memcpy(id, text, size < sizeof text ? size : sizeof text);
}

sluice_room *sluice_room_of(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&room_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    sluice_room *room = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (room) {
        room->L = L;
        return room;
    }
    lua_pushlightuserdata(L, (void *)&room_key);
    room = lua_newuserdata(L, sizeof *room); // room = {}
    memset(room, 0, sizeof *room);
    room->L = L;
    room->own.from = room->hosts.from = room->streams = (sluice_allocator){lua_reallocate, room};
    room->alloc = (sluice_allocator){kept_reallocate, &room->own};
    room->schemas = (sluice_allocator){kept_reallocate, &room->hosts};
    lua_newtable(L);
    lua_pushcfunction(L, room_gc);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    room->new_id = default_id;
    room->id_data = room;
    room->id_seed =
        (uint64_t)time(NULL) * 1000003u ^ (uint64_t)(uintptr_t)room ^ (uint64_t)clock() << 32;
    lua_rawset(L, LUA_REGISTRYINDEX);        // registry[room_key] = room
    room->handle_at = lua_newuserdata(L, 1); // handle
    luaL_getmetatable(L, HANDLE_TYPE);
    lua_setmetatable(L, -2);
    room->handle = luaL_ref(L, LUA_REGISTRYINDEX);
    return room;
}

/* ---- Sets and formats --------------------------------------------------------------------- */

/* A set of literals. `magic` tells it from other userdata, faster than its metatable does. */
typedef struct set {
    const void *magic;
    sluice__markers *markers;
    sluice_room *room;
} set;

static const char set_magic;

static int set_gc(lua_State *L) {
    set *u = lua_touserdata(L, 1);
    if (u->room)
        u->room->L = L;
    if (u->markers)
        sluice__markers_free(&u->room->alloc, u->markers);
    u->markers = NULL;
    return 0;
}

/* set(literals[, roles]) -> set: literals is a list of strings, roles one of numbers. */
static int core_set(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t count = lua_rawlen(L, 1);
    luaL_argcheck(L, count <= SLUICE__MARKERS_MAX, 1, "too many literals");
    sluice__marker *items = lua_newuserdata(L, (count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (int)i + 1);
        size_t len;
        const char *text = lua_tolstring(L, -1, &len);
        luaL_argcheck(L, text && len, 1, "a literal is an empty string or none");
        items[i] = (sluice__marker){text, len, 0};
        lua_pop(L, 1); /* the table keeps it alive */
        if (lua_istable(L, 2)) {
            lua_rawgeti(L, 2, (int)i + 1);
            items[i].role = (unsigned)lua_tointeger(L, -1);
            lua_pop(L, 1);
        }
    }
    set *u = lua_newuserdata(L, sizeof *u);
    *u = (set){&set_magic, NULL, NULL};
    luaL_getmetatable(L, SET_TYPE);
    lua_setmetatable(L, -2);
    u->room = sluice_room_of(L);
    u->markers = sluice__markers_new(&u->room->alloc, items, count);
    if (!u->markers)
        return luaL_error(L, "not enough memory");
    return 1;
}

sluice__markers *sluice_check_set(lua_State *L, int index) {
    const set *u = lua_touserdata(L, index);
    if (!u || lua_rawlen(L, index) != sizeof *u || u->magic != &set_magic)
        u = luaL_checkudata(L, index, SET_TYPE);
    return u->markers;
}

static size_t size_field(lua_State *L, int t, const char *name, size_t otherwise) {
    lua_getfield(L, t, name);
    size_t n = lua_isnumber(L, -1) ? (size_t)lua_tonumber(L, -1) : otherwise;
    lua_pop(L, 1);
    return n;
}

static bool bool_field(lua_State *L, int t, const char *name) {
    lua_getfield(L, t, name);
    bool b = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return b;
}

/* A field's string; it lives as long as the table at `t` keeps it. */
static const char *text_field(lua_State *L, int t, const char *name) {
    lua_getfield(L, t, name);
    const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return s;
}

void sluice_read_options(lua_State *L, int t, sluice_stream_options *o) {
    memset(o, 0, sizeof *o);
    if (!lua_istable(L, t))
        return;
    o->calls = text_field(L, t, "calls");
    o->start = text_field(L, t, "start");
    o->prompt = text_field(L, t, "prompt");
    o->calls_in_reasoning = text_field(L, t, "calls_in_reasoning");
    o->reasoning_opens = text_field(L, t, "reasoning_opens");
    o->fences = text_field(L, t, "fences");
    o->unknown_tools = text_field(L, t, "unknown_tools");
    o->types = text_field(L, t, "types");
    o->special = text_field(L, t, "special");
    o->source = bool_field(L, t, "source");
    o->strict = bool_field(L, t, "strict");
    o->parameters = bool_field(L, t, "parameters");
    o->markup = bool_field(L, t, "markup");
    lua_getfield(L, t, "repairs");
    o->no_repairs = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    lua_getfield(L, t, "validate");
    o->no_validation = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    lua_getfield(L, t, "max_calls");
    if (lua_isnumber(L, -1)) /* 0 is no limit here */
        o->max_calls = lua_tointeger(L, -1) > 0 ? (size_t)lua_tointeger(L, -1) : SIZE_MAX;
    lua_pop(L, 3);
    o->limit_name = size_field(L, t, "limit_name", 0);
    o->limit_header = size_field(L, t, "limit_header", 0);
    o->limit_value = size_field(L, t, "limit_value", 0);
    o->limit_held = size_field(L, t, "limit_held", 0);
    o->limit_depth = size_field(L, t, "limit_depth", 0);
}

/* format{ name, several, text = set, reasoning = set, closers = set, pairs = {{lead, trail, after},
 * ...}, bare = bytes, bare_at_line, start_trim, defaults = options } -> format. The table is kept
 * as its environment. */
static int core_format(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    sluice__format *f = lua_newuserdata(L, sizeof *f);
    int at = lua_gettop(L);
    memset(f, 0, sizeof *f);
    static const char *const sets[] = {"text", "reasoning", "closers", "fence"};
    sluice__markers **to[] = {&f->text, &f->reasoning, &f->closers, &f->fence};
    for (int i = 0; i < 4; i++) {
        lua_getfield(L, 1, sets[i]);
        *to[i] = ((set *)luaL_checkudata(L, -1, SET_TYPE))->markers;
        lua_pop(L, 1);
    }
    f->name = text_field(L, 1, "name");
    lua_getfield(L, 1, "special");
    if (!lua_isnil(L, -1))
        f->special = ((set *)luaL_checkudata(L, -1, SET_TYPE))->markers;
    lua_pop(L, 1);
    lua_getfield(L, 1, "pairs");
    for (int i = 0; i < SLUICE__PAIRS && lua_istable(L, -1); i++) {
        lua_rawgeti(L, -1, i + 1);
        if (lua_istable(L, -1)) {
            f->pairs[i].lead = text_field(L, lua_gettop(L), "lead");
            f->pairs[i].trail = text_field(L, lua_gettop(L), "trail");
            f->pairs[i].after = text_field(L, lua_gettop(L), "after");
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    const char *bare = text_field(L, 1, "bare");
    for (; bare && *bare; bare++)
        f->bare[(unsigned char)*bare / 8] |= (uint8_t)(1 << (unsigned char)*bare % 8);
    f->several = bool_field(L, 1, "several");
    f->bare_at_line = bool_field(L, 1, "bare_at_line");
    f->start_trim = bool_field(L, 1, "start_trim");
    f->fence_text = bool_field(L, 1, "fence_text");
    f->cut_tokens = bool_field(L, 1, "cut_tokens");
    sluice__settings_default(&f->defaults);
    sluice__settings resolved;
    sluice_stream_options o;
    lua_getfield(L, 1, "defaults");
    sluice_read_options(L, lua_gettop(L), &o);
    const char *wrong = sluice__settings_from(f, &o, &resolved);
    if (wrong)
        return luaL_error(L, "%s", wrong);
    f->defaults = resolved;
    lua_settop(L, at);
    luaL_getmetatable(L, FORMAT_TYPE);
    lua_setmetatable(L, -2);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.kept"); // kept[format] = description
    lua_pushvalue(L, at);
    lua_pushvalue(L, 1);
    lua_rawset(L, -3);
    lua_settop(L, at);
    return 1;
}

/* [-0, +0, e] Fills a head from the field `name` of the table at 1: {ends = set, attribute}. */
static void read_head(lua_State *L, const char *name, sluice__head *head) {
    lua_getfield(L, 1, name);
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "ends");
        head->ends = sluice_check_set(L, lua_gettop(L));
        lua_pop(L, 1);
        head->attribute = text_field(L, lua_gettop(L), "attribute");
    }
    lua_pop(L, 1);
}

/* quoting{ marks = set, key = {ends = set, attribute}, name, closer, section } -> what values may
 * quote; see core/quoting.h. The table is kept as long as it lives. */
static int core_quoting(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    sluice__quoting *q = lua_newuserdata(L, sizeof *q);
    memset(q, 0, sizeof *q);
    lua_getfield(L, 1, "marks");
    q->marks = sluice_check_set(L, 3);
    lua_settop(L, 2);
    read_head(L, "key", &q->key);
    read_head(L, "name", &q->name);
    read_head(L, "closer", &q->closer);
    read_head(L, "outer", &q->outer);
    q->section = bool_field(L, 1, "section");
    luaL_getmetatable(L, QUOTING_TYPE);
    lua_setmetatable(L, 2);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.kept");
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 1);
    lua_rawset(L, -3);
    lua_settop(L, 2);
    return 1;
}

/* ---- Blocks: a coroutine each ------------------------------------------------------------- */

/* What scripts may ask for: settings of the stream, and how it stands. */
#define YES(value) lua_pushboolean(L, value)
#define COUNT(value) lua_pushinteger(L, (lua_Integer)(value))
#define SETTINGS(X)                                                                                \
    X(strict, YES(set->strict))                                                                    \
    X(repairs, YES(set->repairs))                                                                  \
    X(whole, YES(set->whole))                                                                      \
    X(types, YES(set->types))                                                                      \
    X(validate, YES(set->validation))                                                              \
    X(unknown_as_text, YES(set->unknown_as_text))                                                  \
    X(limit_name, COUNT(set->limit_name))                                                          \
    X(limit_header, COUNT(set->limit_header))                                                      \
    X(limit_value, COUNT(set->limit_value))                                                        \
    X(limit_depth, COUNT(set->limit_depth))
#define OPTIONS(X)                                                                                 \
    SETTINGS(X)                                                                                    \
    X(calls, COUNT(s->calls))                                                                      \
    X(committed, YES(s->committed))                                                                \
    X(hit_end, YES(s->hit_end))                                                                    \
    X(seen, COUNT(sluice__window_end(&s->window)))                                                 \
    X(at_start, YES(s->edge && s->at_start))                                                       \
    X(at_end, YES(sluice__at_end(s) && s->pos >= sluice__visible(s)))

void sluice_forget_coroutine(bridge *b) {
    if (b->co) {
        luaL_unref(b->room->L, LUA_REGISTRYINDEX, b->co_ref);
        b->co = NULL;
        b->co_ref = LUA_NOREF;
    }
}

/* What stays at the bottom of a coroutine's stack. */
enum { MAIN = 1, HANDLE, TOOLS, SET, KEPT = SET };

void sluice_begin_script(sluice_bridge *b, const sluice_stream *s) {
    if (s->furthest < b->seen) { /* another response */
        b->spent = (sluice_spent){0};
        b->told = 0;
    }
    b->seen = s->furthest;
    sluice_limits_resume(b->room, &b->spent, s->furthest);
}

void sluice_end_script(sluice_bridge *b) { sluice_limits_pause(b->room, &b->spent); }

static sluice__verdict run(bridge *b, sluice_stream *s, int arguments) {
    lua_State *L = b->room->L;
    int results = 0;
    sluice_stream *outer = b->room->current;
    b->room->current = s;
    sluice_begin_script(b, s);
    int status = sluice_resume(b->co, L, arguments, &results);
    sluice_end_script(b);
    b->room->current = outer;
    b->room->L = L;
    if (status == LUA_YIELD) { /* the operation's arguments stay on its stack, and so alive */
        lua_pop(b->co, results);
        return SLUICE__AWAITS;
    }
    sluice__verdict verdict = SLUICE__REJECTED;
    if (status == LUA_OK) {
        if (lua_toboolean(b->co, KEPT + 1))
            verdict = SLUICE__CLOSED;
        lua_settop(b->co, KEPT); /* a finished coroutine can run again */
        return verdict;
    }
    const char *message = lua_tostring(b->co, -1);
    bool told = sluice__fail(s, message ? message : "the script raised an error that is no string");
    (void)told; /* where there is no memory for the sentence, the next event says so */
    sluice_forget_coroutine(b);
    return SLUICE__FAILED;
}

/* [-0, +1, m] Pushes settings as descriptions read them: a table. */
static void push_settings(lua_State *L, const sluice__settings *set) {
    lua_newtable(L);
#define X(name, push)                                                                              \
    push;                                                                                          \
    lua_setfield(L, -2, #name);
    SETTINGS(X)
#undef X
}

void sluice_push_plan(lua_State *L, const bridge *b) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->plan);
    if (!b->run.many)
        return;
    lua_getfield(L, -1, "members");
    lua_rawgeti(L, -1, b->run.member + 1);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

/* [-2, +0, m] Makes the coroutine of the bridge at light userdata 1, which reads for the stream at
 * light userdata 2. */
static int make_coroutine(lua_State *L) {
    bridge *b = lua_touserdata(L, 1);
    const sluice_stream *s = lua_touserdata(L, 2);
    lua_State *co = lua_newthread(L);
    b->co_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    b->co = co;
    b->co_member = b->run.member;
    sluice_push_plan(L, b);
    lua_getfield(L, -1, "main");
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->room->handle);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools);
    push_settings(L, &s->set);
    lua_xmove(L, co, KEPT);
    return 0;
}

static sluice__verdict hand_open(bridge *b, sluice_stream *s) {
    lua_State *L = b->room->L;
    if (b->co_member != b->run.member)
        sluice_forget_coroutine(b);
    if (!b->co) {
        lua_pushcfunction(L, make_coroutine);
        lua_pushlightuserdata(L, b);
        lua_pushlightuserdata(L, s);
        if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
            const char *message = lua_tostring(L, -1);
            bool told = sluice__fail(s, message ? message : "no memory");
            (void)told;
            lua_pop(L, 1);
            sluice_forget_coroutine(b);
            return SLUICE__FAILED;
        }
    }
    lua_State *co = b->co; // main(handle, tools, settings, pos, in_reasoning)
    lua_pushvalue(co, MAIN);
    lua_pushvalue(co, HANDLE);
    lua_pushvalue(co, TOOLS);
    lua_pushvalue(co, SET);
    lua_pushinteger(co, (lua_Integer)s->pos);
    lua_pushboolean(co, s->from_reason);
    b->furthest = s->pos;
    b->idle = 0;
    return run(b, s, 5);
}

/* Pushes what the last operation answered: item or nil, start, end, kind, ok, and the text that it
 * decoded or captured, or nil. */
static int push_result(lua_State *L, const sluice_stream *s) {
    if (s->result.item >= 0)
        lua_pushinteger(L, (lua_Integer)s->result.item + !s->result.is_byte);
    else
        lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)s->result.start);
    lua_pushinteger(L, (lua_Integer)s->result.end);
    lua_pushinteger(L, (lua_Integer)s->result.kind);
    lua_pushboolean(L, s->result.ok);
    if (!s->result.text)
        return 5;
    lua_pushlstring(L, s->result.text, s->result.text_len);
    return 6;
}

sluice__verdict sluice_hand(void *user, sluice_stream *s, bool on) {
    bridge *b = user;
    if (!on)
        return hand_open(b, s);
    if (!b->co)
        return SLUICE__REJECTED;
    return run(b, s, push_result(b->co, s));
}

static sluice__verdict watched(bridge *b, const sluice_stream *s, sluice__verdict v) {
    if (v != SLUICE__AWAITS && v != SLUICE__WAITS)
        sluice_watch_block(b, s, NULL, v == SLUICE__CLOSED ? "closed" : "rejected");
    return v;
}

static sluice__verdict bridge_open(void *user, sluice_stream *s, size_t item) {
    bridge *b = user;
    const sluice__markers *set = s->from_reason ? s->format->reasoning : s->text;
    sluice_watch_block(b, s, item == SIZE_MAX ? NULL : &set->items[item], NULL);
    return watched(b, s, sluice__machine_open(&b->run, s, item));
}

static sluice__verdict bridge_resume(void *user, sluice_stream *s) {
    bridge *b = user;
    return watched(b, s, sluice__machine_resume(&b->run, s));
}

static void bridge_drop(void *user, sluice_stream *s) {
    bridge *b = user;
    sluice__machine_drop(&b->run, s);
    if (b->co && lua_status(b->co) == LUA_YIELD) /* else it has ended, and can run again */
        sluice_forget_coroutine(b);
}

static void bridge_id(void *user, char *id, size_t size) {
    bridge *b = user;
    id[0] = 0;
    b->room->new_id(b->room->id_data, id, size);
    id[size - 1] = 0;
}

static void bridge_release(void *user) {
    bridge *b = user;
    sluice_allocator *a = &b->room->streams;
    lua_State *L = b->room->L;
    sluice_forget_coroutine(b);
    luaL_unref(L, LUA_REGISTRYINDEX, b->plan);
    luaL_unref(L, LUA_REGISTRYINDEX, b->tools);
    luaL_unref(L, LUA_REGISTRYINDEX, b->store);
    luaL_unref(L, LUA_REGISTRYINDEX, b->watcher);
    sluice__machine_release(&b->run, a);
    if (b->answer.data)
        sluice__buffer_release(a, &b->answer);
    if (b->run.programs)
        sluice__realloc(a, (void *)b->run.programs, b->count * sizeof *b->run.programs, 0);
    if (b->run.settings)
        sluice__realloc(a, (void *)b->run.settings, b->count * sizeof *b->run.settings, 0);
    sluice__realloc(a, b, sizeof *b, 0);
}

static const sluice__syntax bridge_syntax = {bridge_open, bridge_resume, bridge_drop, bridge_id,
                                             bridge_release};

/* Does the prompt's tail leave reasoning open? */
static bool prompt_opens(lua_State *L, int plan, const char *prompt) {
    lua_getfield(L, plan, "prompt_opens");
    lua_pushstring(L, prompt);
    lua_call(L, 1, 1);
    bool open = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return open;
}

/* Fills in the programs that the plan at `plan` stands for. False: no memory. The options were good
 * for the plan, so they are for these. */
static bool members_of(lua_State *L, int plan, bridge *b, const sluice_stream_options *options) {
    const sluice_allocator *a = &b->room->streams;
    lua_getfield(L, plan, "members");
    b->count = lua_rawlen(L, -1);
    const sluice__program **programs = sluice__realloc(a, NULL, 0, b->count * sizeof *programs);
    sluice__settings *settings = sluice__realloc(a, NULL, 0, b->count * sizeof *settings);
    b->run.programs = programs;
    b->run.settings = settings;
    for (size_t i = 0; i < b->count && programs && settings; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        lua_getfield(L, -1, "code");
        programs[i] = sluice_program_at(L, -1);
        sluice__settings_from(programs[i]->format, options, &settings[i]);
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
    return programs && settings;
}

sluice_stream *sluice_bridge_stream(lua_State *L, int plan, int tools,
                                    const sluice_stream_options *options) {
    sluice_room *room = sluice_room_of(L);
    lua_getfield(L, plan, "format");
    const sluice__format *f = lua_touserdata(L, -1); /* plans are made here, not by scripts */
    lua_pop(L, 1);
    if (!f)
        luaL_error(L, "this is no compiled syntax");
    sluice__settings settings;
    const char *wrong = sluice__settings_from(f, options, &settings);
    if (wrong) {
        lua_pushstring(L, wrong);
        return NULL;
    }
    if (options && options->prompt && !options->start)
        settings.start_reasoning = prompt_opens(L, plan, options->prompt);
    lua_pushvalue(L, plan);
    lua_pushvalue(L, tools);
    bridge *b = sluice__realloc(&room->streams, NULL, 0, sizeof *b);
    sluice_stream *s =
        b ? sluice__stream_new(&room->streams, f, &bridge_syntax, b, &settings) : NULL;
    if (!s) {
        if (b)
            sluice__realloc(&room->streams, b, sizeof *b, 0);
        lua_pop(L, 2);
        lua_pushliteral(L, "not enough memory");
        return NULL;
    }
    *b = (bridge){.room = room,
                  .run = {.scripts = &sluice_script_calls, .user = b},
                  .co_ref = LUA_NOREF,
                  .plan = LUA_NOREF,
                  .tools = LUA_NOREF,
                  .store = LUA_NOREF,
                  .watcher = LUA_NOREF};
    if (lua_istable(L, tools)) {
        b->run.has_tools = true;
        lua_getfield(L, tools, "names");
        b->names = sluice_tool_names_at(L, -1);
        lua_pop(L, 1);
    }
    lua_getfield(L, plan, f->several ? "many" : "code");
    if (f->several)
        b->run.many = sluice_many_at(L, -1);
    else
        b->run.program = sluice_program_at(L, -1);
    lua_pop(L, 1);
    b->tools = luaL_ref(L, LUA_REGISTRYINDEX);
    b->plan = luaL_ref(L, LUA_REGISTRYINDEX);
    if (f->several && !members_of(L, plan, b, options)) {
        sluice_stream_free(s);
        lua_pushliteral(L, "not enough memory");
        return NULL;
    }
    lua_pushboolean(L, 1);
    return s;
}

/* ---- The handle: what a script reads with ------------------------------------------------- */

/* The stream that is read. Upvalue 1: the room. */
static sluice_stream *current(lua_State *L) {
    sluice_room *room = lua_touserdata(L, lua_upvalueindex(1));
    if (lua_topointer(L, 1) != room->handle_at)
        luaL_checkudata(L, 1, HANDLE_TYPE); /* raises */
    room->L = L;
    sluice_stream *s = room->current;
    if (!s)
        luaL_error(L, "a stream can be read only while it parses");
    bridge *b = s->user;
    if (s->pos > b->furthest) {
        b->furthest = s->pos;
        b->idle = 0;
    } else if (++b->idle > MOST_IDLE) {
        luaL_error(L, "the description reads on and on without getting any further");
    }
    return s;
}

static int no_memory(lua_State *L) { return luaL_error(L, "not enough memory"); }

/* What a script that reads by hand might do out of order is refused, so that what goes out are
 * calls with an end and JSON, whatever it does. */

static sluice_stream *in_call(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->call.open || s->call.closed)
        luaL_error(L, "no call is open");
    return s;
}

/* A parameter's value is due. */
static sluice_stream *in_param(lua_State *L) {
    sluice_stream *s = in_call(L);
    if ((!s->call.key_pending && !s->call.in_array) || s->call.in_text)
        luaL_error(L, "no parameter is begun");
    return s;
}

/* The end of every operation: its answer now, or when input has come. */
static int answer(lua_State *L, sluice_stream *s, int r) {
    if (r < 0)
        return no_memory(L);
    if (r == 0 || s->count - s->head > 256) /* let the events out first */
        return lua_yield(L, 0);
    lua_settop(L, 0);
    return push_result(L, s);
}

static int checked(lua_State *L, bool good) {
    if (!good)
        return no_memory(L);
    return 0;
}

/* A script that reads by hand tells this many bytes that it has made. What it tells may be some
 * times what it has read, not more: else a few bytes of a model would cost a host any amount. */
static void tells(lua_State *L, sluice_stream *s, size_t n) {
    enum { SLACK = 1 << 20, TIMES = 64, EACH = 64 };
    bridge *b = s->user;
    uint64_t most = SLACK + TIMES * sluice__visible(s);
    b->told += EACH + (n < most ? n : most);
    if (b->told > most)
        luaL_error(L, "the script tells much more than it reads");
    sluice_limits_charge(L, b->room, (double)n);
}

/* As `checked`, of what puts events into the queue: what a script tells goes out before it tells
 * more. */
static int told(lua_State *L, sluice_stream *s, bool good) {
    enum { MOST_EVENTS = 256, MOST_BYTES = 256 * 1024 };
    if (!good)
        return no_memory(L);
    if (s->count - s->head <= MOST_EVENTS && s->scratch.len <= MOST_BYTES)
        return 0;
    memset(&s->result, 0, sizeof s->result);
    return lua_yield(L, 0);
}

/* A text that an event carries whole: a name, an id, a key. */
static const char *short_text(lua_State *L, int at, size_t most, const char *what, size_t *len) {
    const char *text = luaL_checklstring(L, at, len);
    if (*len > most)
        luaL_error(L, "%s may have %d bytes, not %d", what, (int)most, (int)*len);
    return text;
}

/* Bytes of a name or an id, if the stream's own limit is not above it. */
enum { MOST_NAME = 4096 };
static size_t most_name(const sluice_stream *s) {
    return s->set.limit_name > MOST_NAME ? s->set.limit_name : MOST_NAME;
}

static int h_accept(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_accept(s, sluice_check_set(L, 2), !lua_toboolean(L, 3), true));
}
static int h_peek(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_accept(s, sluice_check_set(L, 2), !lua_toboolean(L, 3), false));
}
static int h_upto(lua_State *L) {
    sluice_stream *s = current(L);
    size_t limit = lua_isnumber(L, 3) ? (size_t)lua_tointeger(L, 3) : s->set.limit_header;
    return answer(L, s,
                  sluice__op_upto(s, sluice_check_set(L, 2), limit, lua_toboolean(L, 4),
                                  lua_toboolean(L, 5)));
}
static int h_byte(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_byte(s, lua_toboolean(L, 2)));
}
static int h_string(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    size_t limit = lua_isnumber(L, 4) ? (size_t)lua_tointeger(L, 4) : s->set.limit_name;
    return answer(L, s, sluice__op_string(s, (uint32_t)luaL_optinteger(L, 2, 0), quote, n, limit));
}
static int h_member(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    return answer(
        L, s,
        sluice__op_member(s, (uint32_t)luaL_optinteger(L, 2, 0), quote, n, lua_toboolean(L, 4)));
}
static int h_skip(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    return answer(L, s, sluice__op_skip(s, (uint32_t)luaL_optinteger(L, 2, 0), quote, n));
}
static int h_begin(lua_State *L) {
    sluice_stream *s = current(L);
    if (s->call.open)
        return luaL_error(L, "a call is open already");
    size_t name_len, id_len = 0;
    const char *name = short_text(L, 2, most_name(s), "a name", &name_len),
               *id = lua_isnoneornil(L, 3) ? "" : short_text(L, 3, most_name(s), "an id", &id_len);
    tells(L, s, name_len + id_len);
    uint64_t start = (uint64_t)luaL_optinteger(L, 4, 0), end = (uint64_t)luaL_optinteger(L, 5, 0);
    const char *code = luaL_optstring(L, 6, NULL), *message = luaL_optstring(L, 7, NULL);
    if (code && !(code = sluice__code(code)))
        return luaL_error(L, "there is no error code of this name");
    return answer(L, s, sluice__op_begin(s, name, name_len, id, id_len, start, end, code, message));
}
static int h_arguments(lua_State *L) {
    sluice_stream *s = in_call(L);
    if (s->call.has_arguments)
        return luaL_error(L, "the call has arguments already");
    size_t n = 0;
    uint32_t flags = (uint32_t)luaL_checkinteger(L, 2);
    sluice__top top = (sluice__top)luaL_optinteger(L, 3, SLUICE__TOP_OBJECT);
    if ((unsigned)top > SLUICE__TOP_KWARGS)
        return luaL_error(L, "there are no arguments of this kind");
    const char *quote = luaL_optlstring(L, 4, NULL, &n);
    return answer(L, s, sluice__op_arguments(s, flags, top, quote, n, lua_toboolean(L, 5)));
}
static int h_value(lua_State *L) {
    sluice_stream *s = current(L);
    const sluice__markers *ends = sluice_check_set(L, 2), *confirm = sluice_check_set(L, 3);
    const char *lead = luaL_optstring(L, 4, NULL), *trail = luaL_optstring(L, 5, NULL);
    int mode = (int)luaL_checkinteger(L, 6);
    if ((unsigned)mode > SLUICE__DISCARDED)
        return luaL_error(L, "there is no way %d to read a value", mode);
    if (mode == SLUICE__STREAMED || mode == SLUICE__TYPED)
        in_param(L);
    unsigned types = (unsigned)luaL_checkinteger(L, 7);
    uint32_t flags = (uint32_t)luaL_checkinteger(L, 8);
    return answer(L, s,
                  sluice__op_value(s, ends, confirm, lead, trail, mode, types, flags,
                                   lua_toboolean(L, 9), lua_toboolean(L, 10)));
}
/* quotes(quoting, keys or nil, names or nil, key): what the next value may quote, and for which
 * tool: sets of its parameters and of the tools that were given; `key` as it is written. The sets
 * are the description's and the tools'. */
static int h_quotes(lua_State *L) {
    sluice_stream *s = current(L);
    sluice__given given = {lua_isnoneornil(L, 3) ? NULL : sluice_check_set(L, 3),
                           lua_isnoneornil(L, 4) ? NULL : sluice_check_set(L, 4)};
    size_t n;
    const char *key = luaL_optlstring(L, 5, "", &n);
    return checked(L,
                   sluice__op_value_quotes(s, luaL_checkudata(L, 2, QUOTING_TYPE), &given, key, n));
}
/* go(ends_here, ends, confirm, lead, trail): answers an ASK of value, whose arguments it repeats.
 */
static int h_go(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->asks)
        return luaL_error(L, "nothing was asked");
    const sluice__markers *ends = sluice_check_set(L, 3), *confirm = sluice_check_set(L, 4);
    const char *lead = luaL_optstring(L, 5, NULL), *trail = luaL_optstring(L, 6, NULL);
    return answer(L, s, sluice__op_value_go(s, ends, confirm, lead, trail, lua_toboolean(L, 2)));
}
static int h_content(lua_State *L) {
    sluice_stream *s = current(L);
    const char *kind = luaL_checkstring(L, 3);
    return answer(L, s,
                  sluice__op_text(s, sluice_check_set(L, 2),
                                  kind[0] == 'r' ? SLUICE_REASONING : SLUICE_TEXT,
                                  luaL_optstring(L, 4, NULL), luaL_optstring(L, 5, NULL)));
}
static int h_junk(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_junk(s, sluice_check_set(L, 2)));
}

/* text(start, end): bytes of the response that are still held. */
static int h_text(lua_State *L) {
    sluice_stream *s = current(L);
    uint64_t start = (uint64_t)luaL_checkinteger(L, 2), end = (uint64_t)luaL_checkinteger(L, 3);
    if (start < s->window.base || end < start || end > sluice__visible(s))
        return luaL_error(L, "these bytes are not held any more");
    lua_pushlstring(L, start < end ? sluice__at(s, start) : "", (size_t)(end - start));
    return 1;
}
static int h_pos(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)current(L)->pos);
    return 1;
}
/* seek(p): reading goes on at p, which must lie in what is held. */
static int h_seek(lua_State *L) {
    sluice_stream *s = current(L);
    uint64_t to = (uint64_t)luaL_checkinteger(L, 2);
    uint64_t least = s->sent > s->mark || s->committed ? s->sent : s->mark;
    if (least < s->window.base)
        least = s->window.base;
    if (to < least || to > sluice__visible(s))
        return luaL_error(L, "a position that is not held");
    sluice__seek(s, to);
    return 0;
}
static int h_error(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    const char *code = sluice__code(luaL_checkstring(L, 2)), *message = luaL_checklstring(L, 3, &n);
    if (!code)
        return luaL_error(L, "there is no error code '%s'", lua_tostring(L, 2));
    tells(L, s, n);
    return told(L, s, sluice__settle(s) && sluice__error(s, code, message, n));
}
static int h_param(lua_State *L) {
    size_t n;
    sluice_stream *s = in_call(L);
    if (s->call.in_text || (s->call.has_arguments && !s->call.built))
        return luaL_error(L, "a parameter cannot begin here");
    const char *key = short_text(L, 2, s->set.limit_value, "a key", &n);
    tells(L, s, n);
    return checked(L, sluice__param(s, key, n));
}
static int h_param_json(lua_State *L) {
    size_t n;
    sluice_stream *s = in_param(L);
    const char *json = luaL_checklstring(L, 2, &n);
    const char *why;
    size_t at;
    tells(L, s, n);
    if (!sluice__is_json(&s->alloc, json, n, &why, &at))
        return luaL_error(L, "this is no JSON: %s", why);
    return told(L, s, sluice__flush(s) && sluice__param_json(s, json, n));
}
static int h_param_text(lua_State *L) {
    size_t n;
    sluice_stream *s = in_param(L);
    const char *text = luaL_checklstring(L, 2, &n);
    tells(L, s, n);
    return told(L, s, sluice__flush(s) && sluice__param_text(s, text, n));
}
/* param_typed(text, types, flags[, cut]) -> the type that it became, or 0 */
static int h_param_typed(lua_State *L) {
    size_t n;
    unsigned type;
    sluice_stream *s = in_param(L);
    const char *text = luaL_checklstring(L, 2, &n);
    tells(L, s, n);
    if (!sluice__flush(s) ||
        !sluice__param_typed(s, text, n, (unsigned)luaL_checkinteger(L, 3),
                             (uint32_t)luaL_checkinteger(L, 4), lua_toboolean(L, 5), &type))
        return no_memory(L);
    lua_pushinteger(L, (lua_Integer)type);
    return 1;
}
/* typed(text, types, flags[, cut]) -> JSON, or nil where it can only be a string; was it mended? */
static int h_typed(lua_State *L) {
    size_t n;
    unsigned type;
    bool mended;
    sluice_stream *s = current(L);
    const char *text = luaL_checklstring(L, 2, &n);
    sluice_limits_charge(L, lua_touserdata(L, lua_upvalueindex(1)), (double)n);
    s->taken.len = 0;
    if (!sluice__typed_value(s, text, n, (unsigned)luaL_checkinteger(L, 3),
                             (uint32_t)luaL_checkinteger(L, 4), lua_toboolean(L, 5), &s->taken,
                             &type, &mended))
        return no_memory(L);
    if (!type)
        return 0;
    lua_pushlstring(L, s->taken.data, s->taken.len);
    lua_pushboolean(L, mended);
    return 2;
}
/* param_part(text[, last]): a string value in parts */
static int h_param_part(lua_State *L) {
    size_t n;
    sluice_stream *s = in_call(L);
    if (!s->call.in_text)
        in_param(L);
    const char *text = luaL_checklstring(L, 2, &n);
    tells(L, s, n);
    return told(L, s, sluice__flush(s) && sluice__param_part(s, text, n, lua_toboolean(L, 3)));
}
/* at_line() -> does a line begin at pos? */
static int h_at_line(lua_State *L) {
    sluice_stream *s = current(L);
    lua_pushboolean(L, sluice__line_start(s, s->pos));
    return 1;
}
/* pin(true): seek may go back to here, since bytes read meanwhile are not told as markup, until as
 * many pin(false) have come, or a call is announced. */
static int h_pin(lua_State *L) {
    sluice_stream *s = current(L);
    if (lua_toboolean(L, 2))
        s->pinned++;
    else if (s->pinned)
        s->pinned--;
    return 0;
}
/* drop_after(white space): dropped from the text behind the block; at most 15 bytes. */
static int h_drop_after(lua_State *L) {
    sluice_stream *s = current(L);
    snprintf(s->drop_text, sizeof s->drop_text, "%s", luaL_checkstring(L, 2));
    s->drop_after = s->drop_text;
    return 0;
}
static int h_param_array(lua_State *L) {
    sluice_stream *s = in_call(L);
    if (s->call.in_text || lua_toboolean(L, 2) == s->call.in_array ||
        !(s->call.key_pending || s->call.in_array))
        return luaL_error(L, "no array can begin or end here");
    return checked(L, sluice__flush(s) && sluice__param_array(s, lua_toboolean(L, 2)));
}
static int h_lower(lua_State *L) {
    sluice_stream *s = current(L);
    const char *to = luaL_checkstring(L, 2);
    sluice__lower(s, to[0] == 'i' ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
    return 0;
}
static int h_status(lua_State *L) {
    static const char *const names[] = {"complete", "recovered", "incomplete"};
    lua_pushstring(L, names[current(L)->call.status]);
    return 1;
}
/* What stands beside name, id and arguments is told as it is: it must be a JSON object. */
static void check_extra(lua_State *L, sluice_stream *s, const char *extra, size_t len) {
    const char *why = "it is no object";
    size_t at;
    if (extra && (!len || extra[strspn(extra, " \t\r\n")] != '{' ||
                  !sluice__is_json(&s->alloc, extra, len, &why, &at)))
        luaL_error(L, "the extra of a call is a JSON object: %s", why);
}
/* end_call([id[, extra]]) -> whether it stands */
static int h_end_call(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->call.open)
        return luaL_error(L, "no call is open");
    size_t id_len = 0, extra_len = 0;
    const char *id = lua_isnoneornil(L, 2) ? "" : short_text(L, 2, most_name(s), "an id", &id_len),
               *extra = luaL_optlstring(L, 3, NULL, &extra_len);
    tells(L, s, id_len + extra_len);
    check_extra(L, s, extra, extra_len);
    bool good;
    if (!sluice__end_call(s, id, id_len, extra, extra_len, &good))
        return no_memory(L);
    lua_pushboolean(L, good);
    return 1;
}
/* flush(): what was read so far is markup; the block can no longer be text. */
static int h_flush(lua_State *L) {
    sluice_stream *s = current(L);
    s->committed = true;
    tells(L, s, 0);
    return told(L, s, sluice__flush(s));
}
/* tell(kind, upto): the bytes up to there that no event speaks for are "text", "reasoning" or
 * "markup"; reading goes on there. */
static int h_tell(lua_State *L) {
    sluice_stream *s = current(L);
    const char *kind = luaL_checkstring(L, 2);
    uint64_t upto = (uint64_t)luaL_checkinteger(L, 3);
    if (s->call.open || upto < s->sent || upto > sluice__visible(s))
        return luaL_error(L, "these bytes cannot be told");
    s->committed = true;
    s->pos = upto;
    return checked(L, kind[0] == 'm'
                          ? sluice__gap(s, upto)
                          : sluice__send(s, kind[0] == 'r' ? SLUICE_REASONING : SLUICE_TEXT, upto));
}
/* say(kind, text): "text" or "reasoning" that the response does not have. */
static int h_say(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    const char *kind = luaL_checkstring(L, 2), *text = luaL_checklstring(L, 3, &n);
    if (s->call.open)
        return luaL_error(L, "a call is open");
    s->committed = true;
    return checked(
        L, sluice__fragment(s, kind[0] == 'r' ? SLUICE_REASONING : SLUICE_TEXT, text, n, s->sent));
}
/* keep(): the open call's arguments are kept; arguments_text() -> them, closed, or nil where there
 * is too much */
static int h_keep(lua_State *L) {
    sluice_stream *s = current(L);
    s->call.kept = true;
    return 0;
}
static int h_arguments_text(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->call.kept)
        return 0;
    if (!sluice__flush(s) || !sluice__close_arguments(s))
        return no_memory(L);
    lua_pushlstring(L, s->call.text.data ? s->call.text.data : "", s->call.text.len);
    return 1;
}
/* json(flags[, quote]): one value as JSON, as the open parameter's */
static int h_json(lua_State *L) {
    sluice_stream *s = in_param(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    return answer(L, s, sluice__op_json(s, (uint32_t)luaL_checkinteger(L, 2), quote, n));
}
/* seen_id(id) -> was a call of this response given it before? Notes it. */
static int h_seen_id(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    bool again;
    const char *id = luaL_checklstring(L, 2, &n);
    if (!sluice__seen_id(s, id, n, &again))
        return no_memory(L);
    lua_pushboolean(L, again);
    return 1;
}
static const char *const option_names[] = {
#define X(name, push) #name,
    OPTIONS(X)
#undef X
        NULL};

static int h_option(lua_State *L) {
    sluice_stream *s = current(L);
    const sluice__settings *set = &s->set;
    enum {
        NONE,
#define X(name, push) NAMED_##name,
        OPTIONS(X)
#undef X
    };
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    switch (lua_tointeger(L, -1)) {
#define X(name, push)                                                                              \
    case NAMED_##name:                                                                             \
        push;                                                                                      \
        return 1;
        OPTIONS(X)
#undef X
    }
    return luaL_error(L, "there is no option '%s'", luaL_checkstring(L, 2));
}

static const luaL_Reg handle_methods[] = {{"accept", h_accept},
                                          {"peek", h_peek},
                                          {"upto", h_upto},
                                          {"byte", h_byte},
                                          {"string", h_string},
                                          {"member", h_member},
                                          {"skip", h_skip},
                                          {"begin", h_begin},
                                          {"arguments", h_arguments},
                                          {"value", h_value},
                                          {"quotes", h_quotes},
                                          {"go", h_go},
                                          {"content", h_content},
                                          {"junk", h_junk},
                                          {"text", h_text},
                                          {"pos", h_pos},
                                          {"seek", h_seek},
                                          {"error", h_error},
                                          {"param", h_param},
                                          {"param_json", h_param_json},
                                          {"param_text", h_param_text},
                                          {"param_typed", h_param_typed},
                                          {"typed", h_typed},
                                          {"param_array", h_param_array},
                                          {"lower", h_lower},
                                          {"status", h_status},
                                          {"end_call", h_end_call},
                                          {"param_part", h_param_part},
                                          {"at_line", h_at_line},
                                          {"drop_after", h_drop_after},
                                          {"pin", h_pin},
                                          {"keep", h_keep},
                                          {"arguments_text", h_arguments_text},
                                          {"json", h_json},
                                          {"flush", h_flush},
                                          {"tell", h_tell},
                                          {"say", h_say},
                                          {"seen_id", h_seen_id},
                                          {NULL, NULL}};

/* ---- Streams for Lua hosts ---------------------------------------------------------------- */

typedef struct box {
    sluice_stream *stream;
} box;

static sluice_stream *check_stream(lua_State *L) {
    box *b = luaL_checkudata(L, 1, STREAM_TYPE);
    if (!b->stream)
        luaL_error(L, "the stream is closed");
    sluice_room_of(L);
    return b->stream;
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

int sluice_bridge_push_stream(lua_State *L, int plan, int tools,
                              const sluice_stream_options *options) {
    box *b = lua_newuserdata(L, sizeof *b);
    b->stream = NULL;
    luaL_getmetatable(L, STREAM_TYPE);
    lua_setmetatable(L, -2);
    b->stream = sluice_bridge_stream(L, plan, tools, options);
    if (!b->stream) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    lua_pop(L, 1);
    return 1;
}

/* stream(plan, tools, options[, watcher]) -> stream, or nil and a sentence. The watcher is told
 * each step: see sluice.author.explain. */
static int core_stream(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 4);
    sluice_stream_options o;
    sluice_read_options(L, 3, &o);
    int results = sluice_bridge_push_stream(L, 1, 2, &o);
    if (results == 1 && lua_isfunction(L, 4)) {
        box *made = lua_touserdata(L, -1);
        bridge *b = made->stream->user;
        lua_pushvalue(L, 4);
        b->watcher = luaL_ref(L, LUA_REGISTRYINDEX);
        b->run.scripts = &sluice_watched_calls;
    }
    return results;
}

static const char *const type_names[] = {"text",      "reasoning", "call_begin", "arguments",
                                         "parameter", "call_end",  "markup",     "error"};
static const char *const status_names[] = {"complete", "recovered", "incomplete"};

static void set_text(lua_State *L, const char *key, const char *value) {
    if (value) {
        lua_pushstring(L, value);
        lua_setfield(L, -2, key);
    }
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
    lua_createtable(L, 0, 6);
    set_text(L, "type", type_names[e.type]);
    if (e.text) {
        lua_pushlstring(L, e.text, e.text_len);
        lua_setfield(L, -2, e.type == SLUICE_ERROR ? "message" : "text");
    }
    lua_pushinteger(L, (lua_Integer)e.start + 1);
    lua_setfield(L, -2, "first");
    lua_pushinteger(L, (lua_Integer)e.end);
    lua_setfield(L, -2, "last");
    if ((e.type >= SLUICE_CALL_BEGIN && e.type <= SLUICE_CALL_END) ||
        (e.type == SLUICE_ERROR && e.index != SIZE_MAX)) {
        lua_pushinteger(L, (lua_Integer)e.index + 1);
        lua_setfield(L, -2, "index");
    }
    set_text(L, "name", e.name);
    set_text(L, "id", e.id);
    set_text(L, "key", e.key);
    set_text(L, "extra", e.extra);
    set_text(L, "code", e.code);
    set_text(L, "syntax", e.syntax);
    if (e.type == SLUICE_CALL_END) {
        set_text(L, "status", status_names[e.status]);
        lua_pushboolean(L, e.valid);
        lua_setfield(L, -2, "valid");
        lua_pushinteger(L, (lua_Integer)e.block_start + 1);
        lua_setfield(L, -2, "block_first");
        if (e.source) {
            lua_pushlstring(L, e.source, e.source_len);
            lua_setfield(L, -2, "source");
        }
    }
    return 1;
}

/* feed(stream, bytes[, special]): `special`: they are one special token */
static int stream_feed(lua_State *L) {
    sluice_stream *s = check_stream(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    int r = lua_toboolean(L, 3) ? sluice_stream_feed_special(s, bytes, n)
                                : sluice_stream_feed(s, bytes, n);
    if (r == SLUICE_E_MISUSE)
        return luaL_error(L, "the stream was finished; reset it first");
    if (r)
        return no_memory(L);
    return 0;
}

static int stream_finish(lua_State *L) {
    sluice_stream_finish(check_stream(L));
    return 0;
}

static int stream_reset(lua_State *L) {
    sluice_stream_reset(check_stream(L));
    return 0;
}

/* state(stream) -> "text" | "reasoning" | "possible_block" | "call", name or nil, bytes held */
static int stream_state(lua_State *L) {
    static const char *const names[] = {"text", "reasoning", "possible_block", "call"};
    const char *name;
    size_t held;
    sluice_state state = sluice_stream_state(check_stream(L), &name, &held);
    lua_pushstring(L, names[state]);
    lua_pushstring(L, name);
    lua_pushinteger(L, (lua_Integer)held);
    return 3;
}

/* closing(stream) -> the bytes that close the open call's arguments; "" where no call is open */
static int stream_closing(lua_State *L) {
    const sluice_stream *s = check_stream(L);
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

static const luaL_Reg stream_methods[] = {{"closing", stream_closing},
                                          {"next", stream_next},
                                          {"feed", stream_feed},
                                          {"finish", stream_finish},
                                          {"reset", stream_reset},
                                          {"state", stream_state},
                                          {NULL, NULL}};

/* ---- The module --------------------------------------------------------------------------- */

/* set_ids(function or nil): a generator of call ids for the streams of this state. */
static void lua_id(void *user, char *id, size_t size) {
    sluice_room *room = user;
    lua_State *L = room->L;
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.new_id");
    if (lua_pcall(L, 0, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING)
        snprintf(id, size, "%s", lua_tostring(L, -1));
    else
        default_id(room, id, size);
    lua_pop(L, 1);
}

/* guarded(f, ...): calls what a script brought, from a description that is read without counting
 * instructions: they are counted inside. Do not yield in it. */
static int core_guarded(lua_State *L) {
    sluice_room *room = sluice_room_of(L);
    bool begin = room->count && !lua_gethook(L);
    if (begin)
        lua_sethook(L, room->count, LUA_MASKCOUNT, SLUICE_COUNT_EVERY);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    if (begin) /* after an error nothing runs on in this coroutine */
        lua_sethook(L, NULL, 0, 0);
    return lua_gettop(L);
}

/* set_questions(table): the functions of sluice.parse.questions */
static int core_set_questions(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "sluice.questions");
    return 0;
}

static int core_set_ids(lua_State *L) {
    sluice_room *room = sluice_room_of(L);
    lua_settop(L, 1);
    bool none = lua_isnil(L, 1);
    if (!none)
        luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_setfield(L, LUA_REGISTRYINDEX, "sluice.new_id");
    room->new_id = none ? default_id : lua_id;
    room->id_data = room;
    return 0;
}

/* new_id() -> a fresh call id, of the generator that streams use */
static int core_new_id(lua_State *L) {
    sluice_room *room = sluice_room_of(L);
    char id[64];
    room->new_id(room->id_data, id, sizeof id);
    lua_pushstring(L, id);
    return 1;
}

/* tools_json(text) -> value, or nil and a sentence */
static int core_tools_json(lua_State *L) {
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    if (sluice_push_tools_json(L, text, n))
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

static void metatable(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc) {
    luaL_newmetatable(L, name);
    if (methods) {
        lua_newtable(L);
        for (; methods->name; methods++) {
            lua_pushcfunction(L, methods->func);
            lua_setfield(L, -2, methods->name);
        }
        lua_setfield(L, -2, "__index");
    }
    if (gc) {
        lua_pushcfunction(L, gc);
        lua_setfield(L, -2, "__gc");
    }
    lua_pushliteral(L, "locked");
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

/* [-0, +0, m] The methods of the handle. Upvalue 1 of each is the room; 2, of `option`, has the
 * number of each name. */
static void handle_methods_open(lua_State *L) {
    sluice_room_of(L);
    luaL_getmetatable(L, HANDLE_TYPE);
    lua_newtable(L);
    lua_pushlightuserdata(L, (void *)&room_key);
    lua_rawget(L, LUA_REGISTRYINDEX); // stack: metatable, methods, room
    for (const luaL_Reg *m = handle_methods; m->name; m++) {
        lua_pushvalue(L, -1);
        lua_pushcclosure(L, m->func, 1);
        lua_setfield(L, -3, m->name);
    }
    lua_newtable(L);
    for (int i = 0; option_names[i]; i++) {
        lua_pushinteger(L, i + 1);
        lua_setfield(L, -2, option_names[i]);
    }
    lua_pushcclosure(L, h_option, 2);
    lua_setfield(L, -2, "option");
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}

/* The core's constants, by their names without the prefix. */
static const struct {
    const char *name;
    unsigned value;
} constants[] = {
#define X(name)                                                                                    \
    { #name, SLUICE__##name }
    X(BLOCK),     X(REASON),      X(REASON_END), X(TURN_END),   X(NOISE),    X(STRAY),
    X(AT_START),  X(AT_LINE),     X(ALONE),      X(TICK),       X(PAIR),     X(CLOSER),
    X(ASK),       X(FINAL),       X(STREAMED),   X(TYPED),      X(CAPTURED), X(DISCARDED),
    X(QUOTES),    X(BARE),        X(COMMAS),     X(COMMENTS),   X(WORDS),    X(NONFINITE),
    X(CONTROLS),  X(ESCAPES),     X(NUMBERS),    X(CLOSERS),    X(PYTHON),   X(TOTAL),
    X(LENIENT),   X(TOP_ANY),     X(TOP_OBJECT), X(TOP_KWARGS), X(NULL),     X(INTEGER),
    X(NUMBER),    X(BOOLEAN),     X(OBJECT),     X(ARRAY),      X(STRING),   X(ANY_TYPE),
    X(READ_MORE), X(READ_DONE),   X(READ_STOP),  X(PC),         X(CC),       X(SC),
    X(PO),        X(CO),          X(SO),         X(TURN),       X(TAG),      X(MORE_OPENS),
    X(TOLD),      X(MORE_CLOSES), X(HOLD),       X(CALL),       X(KEEP),
#undef X
};

int luaopen_sluice_core(lua_State *L) {
    static const luaL_Reg functions[] = {{"set", core_set},
                                         {"format", core_format},
                                         {"quoting", core_quoting},
                                         {"stream", core_stream},
                                         {"set_ids", core_set_ids},
                                         {"new_id", core_new_id},
                                         {"now", sluice_now},
                                         {"guarded", core_guarded},
                                         {"charge", sluice_limits_charge_lua},
                                         {"tick", sluice_limits_tick},
                                         {"size_of", sluice_limits_size},
                                         {"fresh_budget", sluice_limits_fresh},
                                         {"set_questions", core_set_questions},
                                         {"tools_json", core_tools_json},
                                         {"read_file", sluice_read_file},
                                         {"list_folder", sluice_list_folder},
                                         {"real_path", sluice_real_path},
                                         {"is_link", sluice_is_link},
                                         {"script_folder", sluice_script_folder_lua},
                                         {"embedded_script", sluice_embedded_script},
                                         {NULL, NULL}};
    metatable(L, SET_TYPE, NULL, set_gc);
    metatable(L, FORMAT_TYPE, NULL, NULL);
    metatable(L, HANDLE_TYPE, NULL, NULL);
    metatable(L, QUOTING_TYPE, NULL, NULL);
    metatable(L, STREAM_TYPE, stream_methods, stream_gc);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.kept");
    if (lua_isnil(L, -1)) { /* what formats point into, as long as they live */
        lua_newtable(L);
        lua_newtable(L);
        lua_pushliteral(L, "k");
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
        lua_setfield(L, LUA_REGISTRYINDEX, "sluice.kept");
    }
    lua_pop(L, 1);
    handle_methods_open(L);
    lua_newtable(L);
    for (const luaL_Reg *f = functions; f->name; f++) {
        lua_pushcfunction(L, f->func);
        lua_setfield(L, -2, f->name);
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        lua_pushinteger(L, (lua_Integer)constants[i].value);
        lua_setfield(L, -2, constants[i].name);
    }
    lua_pushstring(L, sluice_version());
    lua_setfield(L, -2, "version");
    lua_pushliteral(L, SLUICE_PATH_SEPARATOR);
    lua_setfield(L, -2, "path_separator");
    sluice_schema_open(L);
    sluice_json_open(L);
    sluice_program_open(L);
    return 1;
}
