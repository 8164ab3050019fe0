/* The command `sluice`: a Lua state for the front end only. The scripts of syntaxes run in the
 * library's own private state, under its limits. */
#include "command.h"
#include "embedded_command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* searcher(name) -> the loader of a module of the front end, or a message */
static int searcher(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    const struct embedded_module *m = embedded_find(embedded_modules, name);
    if (!m)
        lua_pushfstring(L, "no module '%s' in the command", name);
    else if (luaL_loadbuffer(L, m->text, m->len, lua_pushfstring(L, "=%s", name)) != LUA_OK)
        return lua_error(L);
    return 1;
}

static int front_end(lua_State *L) {
    int argc = (int)lua_tointeger(L, 1);
    char **argv = lua_touserdata(L, 2);
    luaL_openlibs(L);
    luaL_requiref(L, "sluice.core", luaopen_sluice_core, 0);
    luaL_requiref(L, "sluice.command.library", sluice_open_library, 0);
    luaL_requiref(L, "sluice.command.system", sluice_open_system, 0);
    /* nothing is loaded from files: LUA_PATH and the working folder are ignored */
    lua_getglobal(L, "package");
    lua_createtable(L, 1, 0);
    lua_pushcfunction(L, searcher);
    lua_rawseti(L, -2, 1);
    lua_setfield(L, -2, "searchers");
    lua_settop(L, 2);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "sluice.command");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "main");
    lua_createtable(L, argc, 0);
    for (int i = 1; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i);
    }
    lua_call(L, 1, 1);
    return 1;
}

int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    int status = 1;
    if (!L) {
        fputs("sluice: not enough memory\n", stderr);
        return 1;
    }
    lua_pushcfunction(L, front_end);
    lua_pushinteger(L, argc);
    lua_pushlightuserdata(L, argv);
    if (lua_pcall(L, 2, 1, 0) == LUA_OK)
        status = (int)lua_tointeger(L, -1);
    else /* only bugs of the command come here */
        fprintf(stderr, "sluice: %s\n", lua_tostring(L, -1) ? lua_tostring(L, -1) : "failed");
    lua_close(L);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        status = 1;
        if (errno != EPIPE) /* a closed pipe needs no message */
            fprintf(stderr, "sluice: standard output cannot be written%s%s\n", errno ? ": " : "",
                    errno ? strerror(errno) : "");
    }
    return status;
}
