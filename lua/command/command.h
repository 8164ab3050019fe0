/* The C half of the command: what its Lua front end (lua/sluice/command) stands on. */
#ifndef SLUICE_COMMAND_H
#define SLUICE_COMMAND_H

#include "../bridge.h"

/* lua_CFunctions that open modules: the library's public interface as a table, and the few things
 * of the system that Lua's own libraries do not have. */
int sluice_open_library(lua_State *L);
int sluice_open_system(lua_State *L);

/* [-0, +0, -] Writes JSON text to standard output. On a terminal, characters that steer one and
 * that JSON allows unescaped are escaped: no response has a say there. */
void sluice_put_json(const char *text, size_t len);

#endif
