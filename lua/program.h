/*
 * Makes programs, and sets of candidates for `auto`, from Lua tables; and the machine's questions
 * to Lua. Part of the bridge: see bridge.h.
 */
#ifndef SLUICE_LUA_PROGRAM_H
#define SLUICE_LUA_PROGRAM_H

#include "../core/schema.h"
#include "bridge.h"

/* [-0, +0, m] Adds the functions and constants for programs to the module on the top of the stack.
 */
void sluice_program_open(lua_State *L);

/* [-0, +0, -] Returns the program at `index`, or NULL if it is not one. */
const sluice__program *sluice_program_at(lua_State *L, int index);
/* [-0, +0, -] Returns the candidates of many formats at `index`, or NULL. */
const sluice__many *sluice_many_at(lua_State *L, int index);

/* [.., +3, e] Pushes a new object of this type, zeroed, that keeps the table at 1 alive; a table of
 * blocks that it keeps (see sluice_keeper); and the table at 1. Nothing else stays on the stack. */
void *sluice_new_object(lua_State *L, size_t size, const char *type);
/* [-0, +0, m] Adds the function that makes lists of tools' names, tool_names.c. */
void sluice_tool_names_open(lua_State *L);
/* [-0, +0, -] Returns the tools' names at `index`, or NULL. */
typedef struct sluice_tool_names sluice_tool_names;
sluice_tool_names *sluice_tool_names_at(lua_State *L, int index);
size_t sluice_tool_count(const sluice_tool_names *t); /* NULL: 0 */
/* What was asked before about a tool (number from 1; 0: none); the tools keep it alive. */
typedef struct sluice_known {
    const sluice__schema *schema; /* or NULL */
    sluice__given given;          /* what values for it may quote */
    bool has_schema, has_given;
} sluice_known;
sluice_known *sluice_tool_known(sluice_tool_names *t, size_t tool);
/* [-0, +0, -] Returns the schema at `index`, or NULL if it is not one: luaschema.c. */
const sluice__schema *sluice_schema_at(lua_State *L, int index);

/* Returns the error code of a check's result; NULL if it fits, or out of memory. */
const char *sluice_fit_code(sluice__fit fit);
/* Returns the number from 1 of the tool with this name, or 0. */
size_t sluice_tool_number(const sluice_tool_names *t, const char *name, size_t len);

#endif
