/* A tool of the build: compiles a Lua file with the private Lua, as the state that reads it would.
 *   sluice_precompile CHUNKNAME FILE OUT
 * Keeps line numbers and names, so that error messages have them. And runs a program in it:
 *   sluice_precompile --run FILE ARGUMENTS */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static int write_piece(lua_State *L, const void *piece, size_t len, void *file) {
    (void)L;
    return fwrite(piece, 1, len, file) != len;
}

/* compile(chunk name, file, out) */
static int compile(lua_State *L) {
    const char *file = lua_tostring(L, 2), *out = lua_tostring(L, 3);
    FILE *f = fopen(file, "rb");
    if (!f)
        return luaL_error(L, "%s cannot be read", file);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    size_t n;
    do {
        n = fread(luaL_prepbuffer(&text), 1, LUAL_BUFFERSIZE, f);
        luaL_addsize(&text, n);
    } while (n > 0);
    fclose(f);
    luaL_pushresult(&text);
    size_t len;
    const char *source = lua_tolstring(L, -1, &len);
    if (luaL_loadbufferx(L, source, len, lua_tostring(L, 1), "t") != LUA_OK)
        return lua_error(L);
    f = fopen(out, "wb");
    if (!f)
        return luaL_error(L, "%s cannot be written", out);
    int failed = lua_dump(L, write_piece, f, 0);
    if (fclose(f) != 0 || failed)
        return luaL_error(L, "%s cannot be written", out);
    return 0;
}

static int run(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    if (!L)
        return 1;
    luaL_openlibs(L);
    lua_newtable(L);
    for (int i = 2; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i - 2);
    }
    lua_setglobal(L, "arg");
    int status = luaL_dofile(L, argv[2]);
    if (status)
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return status != 0;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "--run") == 0)
        return run(argc, argv);
    if (argc != 4) {
        fputs("usage: sluice_precompile CHUNKNAME FILE OUT\n", stderr);
        return 2;
    }
    lua_State *L = luaL_newstate();
    if (!L)
        return 1;
    lua_pushcfunction(L, compile);
    for (int i = 1; i < argc; i++)
        lua_pushstring(L, argv[i]);
    int status = lua_pcall(L, 3, 0, 0);
    if (status != LUA_OK)
        fprintf(stderr, "sluice_precompile: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return status != LUA_OK;
}
