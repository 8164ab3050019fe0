/* The C half of the command: the basis of its Lua front end (lua/sluice/command). */
#ifndef SLUICE_COMMAND_H
#define SLUICE_COMMAND_H

#include "../bridge.h"

/* lua_CFunctions that open modules: the library's public interface as a table, and the few system
 * functions that Lua's own libraries lack. */
int sluice_open_library(lua_State *L);
int sluice_open_system(lua_State *L);

#endif
