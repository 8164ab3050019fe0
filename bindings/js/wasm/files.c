/* The system as the WebAssembly module sees it: no file, no folder, no process. Takes the place of
 * lua/files.c; the scripts that are compiled in are in lua/scripts.c. */
#include "../../../lua/files.h"

#include <time.h>
#include <wasi/api.h>

/* [-0, +2, m] What a function that wants a file answers. */
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
    struct tm parts;
    char text[32];
    size_t n =
        gmtime_r(&now, &parts) ? strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) : 0;
    lua_pushinteger(L, (lua_Integer)now);
    lua_pushlstring(L, text, n);
    return 2;
}

bool sluice_random(void *p, size_t n) { return __wasi_random_get(p, n) == 0; }

/* There is no process number: random bits, so that the ids of two pages differ. */
unsigned long sluice_process(void) {
    static unsigned long number;
    if (!number && !sluice_random(&number, sizeof number))
        number = 1;
    return number;
}
