/* The interface of the command and of bindings to an engine, besides the public one. */
#ifndef SLUICE_ENGINE_H
#define SLUICE_ENGINE_H

#include "../core/include/sluice.h"

/* Runs one of the registry's tools in the engine's private state, where scripts are sandboxed and
 * limited: `check`, `explain`, `infer`, `new`, `list_json`, `model`, `known` and others. The
 * two Lua states share nothing, so `argument` and the answer are text: a path, a name, or JSON, as
 * lua/sluice/registry.lua describes. Returns a status like the public functions; `*out` is freed
 * with sluice_free. SLUICE_E_REFUSED: the tool refused; sluice_engine_error has its message. */
int sluice_engine_ask(sluice_engine *engine, const char *tool, const char *argument, char **out,
                      size_t *out_len);

/* Reads the options of a stream from JSON text ("{}" or NULL: none), with the checks of all hosts;
 * their strings are valid until the next call. Returns a status like the public functions. */
int sluice_engine_stream_options(sluice_engine *engine, const char *json,
                                 sluice_stream_options *options);

/* Lets the calls that follow take this processor time together, instead of each script's limits; 0:
 * the limits hold again. progress(nanoseconds), if any, is called meanwhile. */
void sluice_engine_allow(sluice_engine *engine, unsigned seconds,
                         void (*progress)(uint64_t nanoseconds));

/* Returns the code of the failure that sluice_engine_error describes, or SLUICE_OK. */
int sluice_engine_code(const sluice_engine *engine);

/* Returns what was wrong with a finished body that has no answer, or NULL; valid as long as the
 * wire. */
const char *sluice_wire_problem(const sluice_wire *wire);

#endif
