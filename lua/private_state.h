/*
 * The engine's private state, for code that is built with the library: bindings that run the
 * library's own Lua modules. C programs use sluice.h.
 */
#ifndef SLUICE_PRIVATE_STATE_H
#define SLUICE_PRIVATE_STATE_H

#include "bridge.h"

/* Calls f(what) protected in the private state; `what` is a light userdata. `instructions`: its
 * limit of Lua instructions, 0 for the engine's own. Returns SLUICE_OK, or an error code;
 * sluice_engine_error then has the message. The stack is balanced either way. */
int sluice__engine_call(sluice_engine *engine, lua_CFunction f, void *what, uint64_t instructions);

/* [-0, +1, e] Pushes the registry of syntaxes of this engine (a table of functions). */
void sluice__engine_push_registry(lua_State *L, const sluice_engine *engine);

#endif
