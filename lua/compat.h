/* All differences between Lua 5.1 to 5.4 and LuaJIT. The code is written for 5.4. */
#ifndef SLUICE_COMPAT_H
#define SLUICE_COMPAT_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#if LUA_VERSION_NUM < 502
#define lua_rawlen lua_objlen
#define lua_setuservalue lua_setfenv /* a table */
#define LUA_OK 0
#endif

/* Resumes `co` with `n` values on its stack; *results receives the number of results on it. */
static inline int sluice_resume(lua_State *co, lua_State *from, int n, int *results) {
#if LUA_VERSION_NUM >= 504
    return lua_resume(co, from, n, results);
#elif LUA_VERSION_NUM >= 502
    int status = lua_resume(co, from, n);
    *results = lua_gettop(co);
    return status;
#else
    (void)from;
    int status = lua_resume(co, n);
    *results = lua_gettop(co);
    return status;
#endif
}

/* True if the value is a number and, if this Lua has integers, an integer. */
static inline int sluice_isinteger(lua_State *L, int index) {
#if LUA_VERSION_NUM >= 503
    return lua_isinteger(L, index);
#else
    lua_Number n = lua_tonumber(L, index);
    return n > -9007199254740993.0 && n < 9007199254740993.0 && n == (lua_Number)(long long)n;
#endif
}

#endif
