/* The syntaxes that were in syntaxes/ when this was built. */
#include "embedded_scripts.h"
#include "files.h"

/* embedded_script(name) -> its text, or nil; embedded_script() -> all names, sorted */
int sluice_embedded_script(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    if (!name)
        lua_newtable(L);
    int i = 0;
    for (const struct embedded_module *f = embedded_scripts; f->name; f++) {
        if (!name) {
            lua_pushstring(L, f->name);
            lua_rawseti(L, -2, ++i);
        } else if (strcmp(name, f->name) == 0) {
            lua_pushlstring(L, f->text, f->len);
            return 1;
        }
    }
    if (name)
        lua_pushnil(L);
    return 1;
}
