/* The syntaxes embedded at build time, from syntaxes/. */
#include "embedded_scripts.h"
#include "files.h"

/* embedded_script(name) -> its text, or nil; embedded_script() -> all names, sorted, and a checksum
 * that shows whether a script changed */
int sluice_embedded_script(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    if (name) {
        const struct embedded_module *f = embedded_find(embedded_scripts, name);
        if (f)
            lua_pushlstring(L, f->text, f->len);
        else
            lua_pushnil(L);
        return 1;
    }
    lua_newtable(L);
    for (int i = 0; embedded_scripts[i].name; i++) {
        lua_pushstring(L, embedded_scripts[i].name);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushliteral(L, embedded_scripts_sum);
    return 2;
}
