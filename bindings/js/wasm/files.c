/* The system of the WebAssembly module: no files, no folders, no processes. Replaces lua/files.c;
 * lua/scripts.c has the embedded scripts. */
#include "../../../lua/files.h"

#include <time.h>
#include <wasi/api.h>

/* [-0, +2, m] Returns the result of functions that need a file. */
static int no_file(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    lua_pushnil(L);
    lua_pushfstring(L, "%s cannot be read: there is no file system here", path);
    return 2;
}

int sluice_read_file(lua_State *L) { return no_file(L); }
int sluice_list_folder(lua_State *L) { return no_file(L); }
int sluice_real_path(lua_State *L) { return no_file(L); }

int sluice_is_link(lua_State *L) {
    lua_pushboolean(L, 0);
    return 1;
}

const char *sluice_script_folder(char *out, size_t size) {
    (void)out;
    (void)size;
    return NULL;
}

int sluice_script_folder_lua(lua_State *L) {
    lua_pushnil(L);
    return 1;
}

/* now() -> seconds since 1970, the same as text (2026-11-22T04:30:16Z) */
int sluice_now(lua_State *L) {
    time_t now = time(NULL);
    char text[32];
    struct tm parts;
    size_t n =
        gmtime_r(&now, &parts) ? strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) : 0;
    lua_pushinteger(L, (lua_Integer)now);
    lua_pushlstring(L, text, n);
    return 2;
}

bool sluice_random(void *p, size_t n) { return __wasi_random_get(p, n) == 0; }

/* Random bits instead of a process id, so that the ids of two pages differ. */
unsigned long sluice_process(void) {
    static unsigned long number;
    if (!number && !sluice_random(&number, sizeof number))
        number = 1;
    return number;
}
