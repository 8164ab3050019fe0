/* Shared by all streams of one Lua state: memory, the generator of ids, types of userdata. */
#include "bridge.h"
#include "files.h"

#include <stdio.h>
#include <time.h>

static const char context_key = 0;

static void *kept_reallocate(void *user, void *block, size_t old_size, size_t size) {
    const sluice_keeper *k = user;
    lua_State *L = k->L;
    void *p = NULL;
    luaL_checkstack(L, 4, "nested too deep");
    if (size) { // table[p] = userdata
        p = lua_newuserdata(L, size);
        if (block)
            memcpy(p, block, old_size < size ? old_size : size);
        lua_pushlightuserdata(L, p);
        lua_insert(L, -2);
        lua_rawset(L, k->table);
    }
    if (block) {
        lua_pushlightuserdata(L, block);
        lua_pushnil(L);
        lua_rawset(L, k->table);
    }
    return p;
}

sluice_allocator sluice_kept_by(sluice_keeper *keeper) {
    return (sluice_allocator){kept_reallocate, keeper};
}

/* Lua finalizes the room last, since it was made first. If memory is too short for the finalizer
 * of a stream, Lua never calls it. */
static int room_gc(lua_State *L) {
    sluice_room *room = lua_touserdata(L, 1);
    room->L = L;
    while (room->owned)
        sluice_stream_free(&room->owned->stream);
    return 0;
}

/* splitmix64 */
static uint64_t mixed(uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static const char signs[] = "abcdefghijkmnpqrstuvwxyz23456789"; /* no two look alike */

static void default_id(void *user, char *id, size_t size) {
    sluice_room *room = user;
    enum { EACH = 12, LENGTH = 5 + 2 * EACH };
    char text[LENGTH + 1] = "call_";
    /* a state may be forked, as in nginx: each process needs its own ids */
    uint64_t bits = mixed(room->id_seed + ++room->ids * 0x9E3779B97F4A7C15u +
                          sluice_process() * 0xD6E8FEB86659FD93u);
    for (int i = 5; i < LENGTH; i++, bits >>= 5) {
        if (i == 5 + EACH)
            bits = mixed(bits + room->id_seed + (uint64_t)i);
        text[i] = signs[bits % 32];
    }
    memcpy(id, text, size < sizeof text ? size : sizeof text);
}

sluice_room *sluice_room_of(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&context_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    sluice_room *room = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (room) {
        room->L = L;
        return room;
    }
    lua_pushlightuserdata(L, (void *)&context_key);
    room = lua_newuserdata(L, sizeof *room); // room = {}
    memset(room, 0, sizeof *room);
    room->L = L;
    room->streams = sluice__libc_allocator();
    lua_newtable(L);
    lua_pushcfunction(L, room_gc);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    room->new_id = default_id;
    room->id_data = room;
    room->id_seed =
        (uint64_t)time(NULL) * 1000003u ^ (uint64_t)(uintptr_t)room ^ (uint64_t)clock() << 32;
    lua_rawset(L, LUA_REGISTRYINDEX); // registry[context_key] = room
    lua_newuserdata(L, 1);            // handle
    luaL_getmetatable(L, SLUICE_HANDLE_TYPE);
    lua_setmetatable(L, -2);
    room->handle = luaL_ref(L, LUA_REGISTRYINDEX);
    return room;
}

/* set_ids(function or nil): sets a generator of call ids for the streams of this state */
static void lua_id(void *user, char *id, size_t size) {
    sluice_room *room = user;
    lua_State *L = room->L;
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.new_id");
    bool good = lua_pcall(L, 0, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING;
    room->L = L; /* it may have read another stream, in a coroutine */
    if (good)
        snprintf(id, size, "%s", lua_tostring(L, -1));
    else
        default_id(room, id, size);
    lua_pop(L, 1);
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

void sluice_fresh_id(sluice_room *room, char *id, size_t size) {
    id[0] = 0;
    room->new_id(room->id_data, id, size);
    id[size - 1] = 0;
    if (!id[0])
        default_id(room, id, size);
}

/* new_id() -> a new call id, from the generator that streams use */
static int core_new_id(lua_State *L) {
    char id[64];
    sluice_fresh_id(sluice_room_of(L), id, sizeof id);
    lua_pushstring(L, id);
    return 1;
}

/* mark() -> eight random letters and digits */
static int core_mark(lua_State *L) {
    unsigned char bytes[8];
    char mark[sizeof bytes];
    if (!sluice_random(bytes, sizeof bytes))
        return luaL_error(L, "the system gives no random bytes");
    for (size_t i = 0; i < sizeof bytes; i++)
        mark[i] = signs[bytes[i] % 32];
    lua_pushlstring(L, mark, sizeof mark);
    return 1;
}

void sluice_add_functions(lua_State *L, const luaL_Reg *functions) {
    for (; functions->name; functions++) {
        lua_pushcfunction(L, functions->func);
        lua_setfield(L, -2, functions->name);
    }
}

void sluice_metatable(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc) {
    luaL_newmetatable(L, name);
    if (methods) {
        lua_newtable(L);
        sluice_add_functions(L, methods);
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

void sluice_context_open(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"set_ids", core_set_ids}, {"new_id", core_new_id}, {"mark", core_mark}, {NULL, NULL}};
    sluice_add_functions(L, functions);
}
