/* The module `sluice.core`: the core for Lua, assembled from the files of this folder. */
#include "files.h"
#include "limits.h"
#include "program.h"

/* set_questions(table): the functions of sluice.compile.questions */
static int core_set_questions(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "sluice.questions");
    return 0;
}

/* The core's constants, named without the prefix. */
#define CONSTANTS(...)                                                                             \
    static const struct {                                                                          \
        const char *name;                                                                          \
        unsigned value;                                                                            \
    } constants[] = {__VA_ARGS__}
#define X(name)                                                                                    \
    { #name, SLUICE__##name }
CONSTANTS(X(BLOCK), X(REASON), X(REASON_END), X(TURN_END), X(NOISE), X(NOISE_TAG), X(STRAY),
          X(LEADING), X(AT_START), X(AT_LINE), X(ALONE), X(INDENT), X(FENCED), X(MAY_BE_JSON),
          X(ANGLES), X(ENTITIES), X(ASK), X(FINAL), X(DOUBT), X(KEEPS), X(NULL), X(INTEGER),
          X(NUMBER), X(BOOLEAN), X(OBJECT), X(ARRAY), X(STRING), X(ANY_TYPE), X(QUOTED_STRING),
          X(SAID_JSON), X(PC), X(CC), X(SC), X(PO), X(CO), X(SO), X(MORE_OPENS), X(TOLD), X(OPENS),
          X(OWN), X(FOLLOWS), X(BETWEEN), X(BODY), X(EXIT), X(NONE), X(F_EXACT), X(F_LINE),
          X(F_WHOLE_LINE), X(F_RECOVER), X(F_NAME), X(F_SOFT), X(F_MANY), X(D_INNER), X(D_CLOSER),
          X(D_SINGLE), X(D_QUOTE), X(D_LINE), X(D_CALLS), X(D_ALONE), X(D_PAIR));
#undef X

int luaopen_sluice_core(lua_State *L) {
    static const luaL_Reg functions[] = {{"now", sluice_now},
                                         {"charge", sluice_limits_charge_lua},
                                         {"charged", sluice_limits_charged},
                                         {"tick", sluice_limits_tick},
                                         {"size_of", sluice_limits_size},
                                         {"fresh_budget", sluice_limits_fresh},
                                         {"counted", sluice_limits_counted},
                                         {"set_questions", core_set_questions},
                                         {"read_file", sluice_read_file},
                                         {"list_folder", sluice_list_folder},
                                         {"real_path", sluice_real_path},
                                         {"is_link", sluice_is_link},
                                         {"script_folder", sluice_script_folder_lua},
                                         {"embedded_script", sluice_embedded_script},
                                         {NULL, NULL}};
    lua_newtable(L);
    sluice_context_open(L);
    sluice_sets_open(L);
    sluice_handle_open(L);
    sluice_stream_open(L);
    sluice_schema_open(L);
    sluice_json_open(L);
    sluice_program_open(L);
    sluice_tool_names_open(L);
    sluice_add_functions(L, functions);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        lua_pushinteger(L, (lua_Integer)constants[i].value);
        lua_setfield(L, -2, constants[i].name);
    }
    lua_pushstring(L, sluice_version());
    lua_setfield(L, -2, "version");
    lua_pushliteral(L, SLUICE_PATH_SEPARATOR);
    lua_setfield(L, -2, "path_separator");
    return 1;
}
