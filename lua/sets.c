/* Sets of literals. */
#include "bridge.h"

#define SET_TYPE "sluice.set"

/* Leaves blocks on the stack: the first one that a set asks for is the set. */
static void *on_stack(void *user, void *block, size_t old_size, size_t size) {
    (void)block;
    (void)old_size;
    return size ? lua_newuserdata(user, size) : NULL;
}

/* set(literals[, roles[, quiet]]) -> set: literals is a list of strings, roles one of numbers.
 * Literals with exactly the role `quiet` match, but are not searched for. */
static int core_set(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t count = lua_rawlen(L, 1);
    unsigned quiet = (unsigned)luaL_optinteger(L, 3, 0);
    luaL_argcheck(L, count <= LITERALS_MAX, 1, "too many literals");
    sluice__literal *items = lua_newuserdata(L, (count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (int)i + 1);
        size_t len;
        const char *text = lua_tolstring(L, -1, &len);
        luaL_argcheck(L, text && len, 1, "a literal is empty or not a string");
        items[i] = (sluice__literal){text, len, 0, false};
        lua_pop(L, 1); /* the table keeps it alive */
        if (lua_istable(L, 2)) {
            lua_rawgeti(L, 2, (int)i + 1);
            items[i].role = (unsigned)lua_tointeger(L, -1);
            items[i].quiet = items[i].role && items[i].role == quiet;
            lua_pop(L, 1);
        }
    }
    int top = lua_gettop(L);
    const void *set = sluice__literals_new(&(sluice_allocator){on_stack, L}, items, count);
    lua_settop(L, top + 1);
    assert(lua_touserdata(L, -1) == set);
    (void)set;
    luaL_getmetatable(L, SET_TYPE);
    lua_setmetatable(L, -2);
    return 1;
}

literals *sluice_check_set(lua_State *L, int index) { return luaL_checkudata(L, index, SET_TYPE); }

void sluice_sets_open(lua_State *L) {
    static const luaL_Reg functions[] = {{"set", core_set}, {NULL, NULL}};
    sluice_metatable(L, SET_TYPE, NULL, NULL);
    sluice_add_functions(L, functions);
}
