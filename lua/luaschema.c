/* Compiled schemas for Lua, and the positions of tool definitions in their text. */
#include "../core/schema/doc.h"
#include "program.h"

#define SCHEMA_TYPE "sluice.schema"

const char *sluice_fit_code(sluice__fit fit) {
    static const char *const codes[] = {[SLUICE__BREAKS] = "schema_mismatch",
                                        [SLUICE__REPEATS] = "duplicate_parameter",
                                        [SLUICE__UNCHECKED] = "schema_unchecked",
                                        [SLUICE__GAVE_UP] = "limit_exceeded",
                                        [SLUICE__CHECK_NOMEM] = NULL};
    return codes[fit];
}

const sluice__schema *sluice_schema_at(lua_State *L, int index) {
    sluice__schema *const *schema = lua_touserdata(L, index);
    return schema ? *schema : NULL;
}

static const sluice__schema *check_type(lua_State *L) {
    return *(sluice__schema **)luaL_checkudata(L, 1, SCHEMA_TYPE);
}

/* schema(json) -> schema, or nil where it is not JSON */
static int new_schema(lua_State *L) {
    size_t n;
    const char *json = luaL_checklstring(L, 1, &n);
    sluice__schema **schema = lua_newuserdata(L, sizeof *schema);
    luaL_getmetatable(L, SCHEMA_TYPE);
    lua_setmetatable(L, -2);
    lua_newtable(L);
    sluice_allocator a = sluice_kept_by(&(sluice_keeper){L, lua_gettop(L)});
    lua_pushvalue(L, -1);
    lua_setuservalue(L, -3);
    sluice__schema_new(&a, json, n, schema);
    if (!*schema)
        return 0;
    lua_pop(L, 1);
    return 1;
}

/* schema:check(json) -> nil if it fits; else the JSON Pointer of the place, the rest of a message,
 * and the error code; false if it was not checked, since that would take too long */
static int check_schema(lua_State *L) {
    size_t n, place = 0;
    const sluice__schema *schema = check_type(L);
    const char *json = luaL_checklstring(L, 2, &n);
    sluice__buffer message = {0};
    sluice__doc doc = {0};
    lua_settop(L, 2);
    lua_newtable(L);
    sluice_allocator a = sluice_kept_by(&(sluice_keeper){L, 3});
    sluice__fit verdict = sluice__doc_read(&a, &doc, json, n) == SLUICE__DOC_OK
                              ? sluice__schema_check(&a, schema, &doc, &message, &place)
                              : SLUICE__GAVE_UP;
    if (verdict == SLUICE__FITS)
        return 0;
    if (verdict == SLUICE__GAVE_UP) {
        lua_pushboolean(L, 0);
        return 1;
    }
    lua_pushlstring(L, message.data, place);
    lua_pushlstring(L, message.data + place + 1, message.len - place - 1);
    lua_pushstring(L, sluice_fit_code(verdict));
    return 3;
}

/* schema:note(i) -> the JSON Pointer and a message for the part number i, from 0, that cannot be
 * checked; nothing after the last one */
static int note_of(lua_State *L) {
    const sluice__schema *schema = check_type(L);
    size_t i = (size_t)luaL_checkinteger(L, 2);
    sluice__buffer pointer = {0};
    const char *message = NULL;
    lua_settop(L, 2);
    lua_newtable(L);
    sluice_allocator a = sluice_kept_by(&(sluice_keeper){L, 3});
    sluice__schema_note(&a, schema, i, &pointer, &message);
    lua_pushlstring(L, pointer.data ? pointer.data : "", pointer.len);
    lua_pushstring(L, message);
    return message ? 2 : 0;
}

/* schema:types(key) -> the mask of the member's types and, for an array, that of its items; nothing
 * if the schema does not restrict it */
static int types_of(lua_State *L) {
    size_t n;
    const sluice__schema *schema = check_type(L);
    const char *key = luaL_checklstring(L, 2, &n);
    sluice__types types;
    if (sluice__schema_child(schema, 0, view_of(key, n), false, &types) == SIZE_MAX)
        return 0;
    lua_pushinteger(L, (lua_Integer)types.mask);
    if (!types.array)
        return 1;
    lua_pushinteger(L, (lua_Integer)types.array);
    return 2;
}

/* ---- Tools ----------------------------------------------------------------------------------- */

/* Sets the position of an object in the text (from 1) in the table on top. */
static void set_place(lua_State *L, const sluice__doc *doc, size_t value, const char *first,
                      const char *last) {
    lua_pushinteger(L, (lua_Integer)doc->values[value].at + 1);
    lua_setfield(L, -2, first);
    lua_pushinteger(L, (lua_Integer)doc->values[value].end);
    lua_setfield(L, -2, last);
}

/* Sets a string in the table on top. */
static void set_text(lua_State *L, const sluice__doc *doc, size_t value, const char *name) {
    view text = sluice__doc_text(doc, value);
    lua_pushlstring(L, text.p, view_len(text));
    lua_setfield(L, -2, name);
}

/* Returns the value of a member of this type, or 0. */
static size_t part_of(const sluice__doc *doc, size_t object, const char *key, uint8_t type) {
    size_t found = sluice__doc_member(doc, object, view_text(key));
    return doc->values[found].kind == type ? found : 0;
}

/* Members that hold a tool's parameters. */
static const char *const schemas[] = {"parameters", "input_schema", "inputSchema",
                                      "parametersJsonSchema", "parameters_json_schema"};

/* Pushes a tool: { name, description, text, and the positions of its parts in the text }; false if
 * it is not a tool. */
static bool push_tool(lua_State *L, const sluice__doc *doc, size_t item) {
    size_t f = part_of(doc, item, "function", SLUICE__OBJECT);
    size_t name = f ? part_of(doc, f, "name", SLUICE__STRING) : 0;
    size_t description = part_of(doc, f, "description", SLUICE__STRING);
    size_t parameters = part_of(doc, f, "parameters", SLUICE__OBJECT);
    bool plain = parameters && name && doc->values[name].len;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) /* two are compared */
        plain = plain && !sluice__doc_member(doc, item, view_text(schemas[i])) &&
                (i == 0 || !sluice__doc_member(doc, f, view_text(schemas[i])));
    if (!plain)
        return false;
    lua_createtable(L, 0, 8);
    set_text(L, doc, name, "name");
    if (description)
        set_text(L, doc, description, "description");
    set_place(L, doc, item, "definition_first", "definition_last");
    set_place(L, doc, parameters, "parameters_first", "parameters_last");
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, "text");
    return true;
}

/* schema_type(name) -> JSON Schema's name for a type; nil if unknown */
static int schema_type(lua_State *L) {
    size_t n;
    const char *name = luaL_checklstring(L, 1, &n), *type = sluice__schema_type(name, n);
    lua_pushstring(L, type);
    return 1;
}

/* tools_places(text) -> a list of tools as positions in the text; nil if it is not plainly an array
 * of tools: then it is read in full for an error message */
static int tools_places(lua_State *L) {
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    sluice__doc read = {0}, *doc = &read;
    lua_settop(L, 1);
    lua_newtable(L);
    sluice_allocator a = sluice_kept_by(&(sluice_keeper){L, 2});
    sluice__doc_result how = sluice__doc_read(&a, doc, text, n);
    if (how != SLUICE__DOC_OK || doc->values[0].kind != SLUICE__ARRAY)
        return 0;
    lua_createtable(L, (int)doc->values[0].len, 0);
    int count = 0;
    for (size_t i = 1; i < doc->count; i = doc->values[i].next) {
        if (!push_tool(L, doc, i))
            return 0;
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

void sluice_schema_open(lua_State *L) {
    static const luaL_Reg functions[] = {{"schema", new_schema},
                                         {"tools_places", tools_places},
                                         {"schema_type", schema_type},
                                         {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"check", check_schema}, {"types", types_of}, {"note", note_of}, {NULL, NULL}};
    sluice_metatable(L, SCHEMA_TYPE, methods, NULL);
    sluice_add_functions(L, functions);
}
