/* The syntaxes embedded at build time, from syntaxes/. */
#include "scripts.h"
#include "embedded_scripts.h"
#include "files.h"

/* embedded_script(name) -> its text, or nil; embedded_script() -> all names, sorted, and the index
 * of the scripts, which is empty where the build could not make it */
int sluice_embedded_script(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    if (name) {
        const struct embedded_module *f = embedded_find(embedded_scripts, name);
        if (f)
            lua_pushlstring(L, f->text, f->len);
        return f != NULL;
    }
    lua_newtable(L);
    for (int i = 0; embedded_scripts[i].name; i++) {
        lua_pushstring(L, embedded_scripts[i].name);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushstring(L, sluice_script_index);
    return 2;
}
