/* The names of the given tools, and cached answers about each tool. */
#include "program.h"

#define NAMES_TYPE "sluice.names"

typedef struct known { /* cached answers about a tool */
    const sluice__schema *schema;
    sluice__given given;
    bool has_schema, has_given;
} known;

struct sluice_tool_names {
    size_t count;
    known none; /* used if the tool is not known */
    struct name {
        const char *text; /* the list keeps it alive */
        size_t len;
        known known;
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

const sluice__schema *sluice_tool_schema(const sluice_tool_names *t, size_t tool, bool *known) {
    *known = t->names[tool - 1].known.has_schema;
    return t->names[tool - 1].known.schema;
}

void sluice_set_tool_schema(sluice_tool_names *t, size_t tool, const sluice__schema *schema) {
    t->names[tool - 1].known.has_schema = true;
    t->names[tool - 1].known.schema = schema;
}

const sluice__given *sluice_tool_given(const sluice_tool_names *t, size_t tool) {
    const known *k = tool ? &t->names[tool - 1].known : &t->none;
    return k->has_given ? &k->given : NULL;
}

void sluice_set_tool_given(sluice_tool_names *t, size_t tool, const sluice__given *given) {
    known *k = tool ? &t->names[tool - 1].known : &t->none;
    k->has_given = true;
    k->given = *given;
}

size_t sluice_tool_number(const sluice_tool_names *t, const char *name, size_t len) {
    size_t i = t ? t->count : 0;
    while (i && (t->names[i - 1].len != len || memcmp(t->names[i - 1].text, name, len) != 0))
        i--;
    return i;
}
