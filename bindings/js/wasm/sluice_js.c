/* What the WebAssembly module exports beside the functions of sluice.h (CMakeLists.txt has the
 * list), which src/module.js calls with pointers into memory that it allocates: the options of a
 * stream, and the library's Lua modules for authors of scripts. The module has one thread. */
#include "../../../lua/engine.h"
#include "../../../lua/private_state.h"

#include "binding.h"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("engine_new") sluice_engine *js_engine_new(size_t memory, double instructions) {
    sluice_engine_options options = {.script_memory = memory,
                                     .script_instructions = (uint64_t)instructions};
    return sluice_engine_new(&options);
}

/* Reads the options of a stream from JSON text, as Lua does. They are valid until the next call.
 * NULL: the engine has the message. */
EXPORT("options") const sluice_stream_options *js_options(sluice_engine *e, const char *json) {
    static sluice_stream_options options;
    return sluice_engine_stream_options(e, json, &options) == SLUICE_OK ? &options : NULL;
}

struct request {
    sluice_engine *engine;
    const char *function, *json;
    size_t len;
    char **out;
    size_t *out_len;
};

/* Calls binding[function](registry, json) -> text, which goes to request.out; or nil and a
 * message, which is raised. Loads the module lua/binding.lua on first use and keeps it in the
 * Lua registry. */
static int run_request(lua_State *L) {
    static const char KEY[] = "sluice.binding";
    struct request *r = lua_touserdata(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, KEY);
    if (lua_isnil(L, -1)) {
        const struct embedded_module *m = binding_modules;
        if (luaL_loadbufferx(L, m->text, m->len, "=sluice.binding", "t") != LUA_OK)
            return lua_error(L);
        lua_call(L, 0, 1);
        lua_pushvalue(L, -1);
        lua_setfield(L, LUA_REGISTRYINDEX, KEY);
    }
    lua_getfield(L, -1, r->function);
    sluice__engine_push_registry(L, r->engine);
    lua_pushlstring(L, r->json, r->len);
    lua_call(L, 2, 2);
    size_t n;
    const char *text = lua_tolstring(L, -2, &n);
    if (!text)
        return lua_error(L);
    if (!(*r->out = malloc(n + 1)))
        return luaL_error(L, "not enough memory");
    memcpy(*r->out, text, n + 1);
    *r->out_len = n;
    return 0;
}

/* Free the text with `free`. */
EXPORT("run")
int js_run(sluice_engine *e, const char *function, const char *json, size_t len,
           double instructions, char **out, size_t *out_len) {
    struct request request = {.engine = e,
                              .function = function,
                              .json = json,
                              .len = len,
                              .out = out,
                              .out_len = out_len};
    return sluice__engine_call(e, run_request, &request, (uint64_t)instructions);
}
