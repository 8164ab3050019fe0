/* Sets of literals. */
#include "bridge.h"

#define SET_TYPE "sluice.set"

/* A set of literals. `magic` identifies it among userdata, faster than its metatable. */
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

/* set(literals[, roles[, quiet]]) -> set: literals is a list of strings, roles one of numbers.
 * Literals with exactly the role `quiet` match, but are not searched for. */
static int core_set(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t count = lua_rawlen(L, 1);
    unsigned quiet = (unsigned)luaL_optinteger(L, 3, 0);
    luaL_argcheck(L, count <= SLUICE__MARKERS_MAX, 1, "too many literals");
    sluice__marker *items = lua_newuserdata(L, (count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (int)i + 1);
        size_t len;
        const char *text = lua_tolstring(L, -1, &len);
        luaL_argcheck(L, text && len, 1, "a literal is empty or not a string");
        items[i] = (sluice__marker){text, len, 0, false};
        lua_pop(L, 1); /* the table keeps it alive */
        if (lua_istable(L, 2)) {
            lua_rawgeti(L, 2, (int)i + 1);
            items[i].role = (unsigned)lua_tointeger(L, -1);
            items[i].quiet = items[i].role && items[i].role == quiet;
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

void sluice_sets_open(lua_State *L) {
    static const luaL_Reg functions[] = {{"set", core_set}, {NULL, NULL}};
    sluice_metatable(L, SET_TYPE, NULL, set_gc);
    sluice_add_functions(L, functions);
}
