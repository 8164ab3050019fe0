/* The names of the given tools, and cached answers about each tool. */
#include "program.h"

#define NAMES_TYPE "sluice.names"

struct sluice_tool_names {
    size_t count;
    sluice_known none; /* used if the tool is not known */
    struct name {
        const char *text; /* the list keeps it alive */
        size_t len;
        sluice_known known;
    } names[];
};

/* tool_names(list) -> names: a list of strings, for lookups. If two are equal, the last counts. */
static int core_tool_names(lua_State *L) {
    size_t count = lua_istable(L, 1) ? lua_rawlen(L, 1) : 0;
    size_t size = sizeof(sluice_tool_names) + count * sizeof(struct name);
    sluice_tool_names *t = sluice_new_object(L, size, NAMES_TYPE);
    for (t->count = count; count--;) {
        lua_rawgeti(L, 1, (int)count + 1);
        t->names[count].text = lua_tolstring(L, -1, &t->names[count].len);
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    return 1;
}

void sluice_tool_names_open(lua_State *L) {
    static const luaL_Reg functions[] = {{"tool_names", core_tool_names}, {NULL, NULL}};
    sluice_metatable(L, NAMES_TYPE, NULL, NULL);
    sluice_add_functions(L, functions);
}

sluice_tool_names *sluice_tool_names_at(lua_State *L, int index) {
    return lua_touserdata(L, index);
}

size_t sluice_tool_count(const sluice_tool_names *t) { return t ? t->count : 0; }

sluice_known *sluice_tool_known(sluice_tool_names *t, size_t tool) {
    return tool ? &t->names[tool - 1].known : &t->none;
}

size_t sluice_tool_number(const sluice_tool_names *t, const char *name, size_t len) {
    size_t i = sluice_tool_count(t);
    while (i && (t->names[i - 1].len != len || memcmp(t->names[i - 1].text, name, len) != 0))
        i--;
    return i;
}
