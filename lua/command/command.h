/* The C half of the command: what its Lua front end (lua/sluice/command) stands on. */
#ifndef SLUICE_COMMAND_H
#define SLUICE_COMMAND_H

#include "../bridge.h"

/* lua_CFunctions that open modules: the library's public interface as a table, and the few things
 * of the system that Lua's own libraries do not have. */
int sluice_open_library(lua_State *L);
int sluice_open_system(lua_State *L);

/* [-0, +0, -] Writes JSON text to standard output. On a terminal, control characters that JSON
 * allows unescaped (DEL and C1) are escaped, so that no response steers the terminal. */
void sluice_put_json(const char *text, size_t len);

#endif
