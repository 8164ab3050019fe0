/* What the command asks of an engine beside the public interface. */
#ifndef SLUICE_ENGINE_H
#define SLUICE_ENGINE_H

#include "../core/include/sluice.h"

/* Runs one of the registry's tools in the engine's private state, where scripts are sandboxed and
 * limited: `check`, `look`, `explain`, `infer`, `new`, `describe`, `model`, `known`,
 * `program`. The two Lua
 * states share nothing, so `argument` and the answer are text: a path, a name, or JSON, as
 * lua/sluice/registry.lua says of each. Answers as the public functions do; `*out` is freed with
 * sluice_free. SLUICE_E_REFUSED: the tool says no, and sluice_engine_error has its sentence. */
int sluice_engine_ask(sluice_engine *engine, const char *tool, const char *argument, char **out,
                      size_t *out_len);

/* The code of the failure that sluice_engine_error tells; SLUICE_OK where there is none. */
int sluice_engine_code(const sluice_engine *engine);

#endif
