/* Inside the engine of C programs: what its files share. */
#ifndef SLUICE_ENGINE_INSIDE_H
#define SLUICE_ENGINE_INSIDE_H

#include "bridge.h"

enum {
    TOOLS_KEPT = 8, /* tool definitions that an engine recognises when they come again */
    TOOLS_TEXT_MAX = 256 * 1024 /* longer texts are not kept */
};

struct sluice_engine {
    sluice_allocator alloc;
    sluice_tools *tools[TOOLS_KEPT];
    unsigned next_tools; /* the next of them that makes room */
    lua_State *L;
    sluice_room *room;
    int host;           /* registry reference of the Lua side's registry of syntaxes */
    int pending;        /* the code of the error that is being raised, or 0 */
    size_t used, limit; /* bytes that Lua holds, and may */
    uint64_t instructions;
    sluice__buffer error, answer;
    int code; /* of that error */
    bool own_limits;
};

struct sluice_tools {
    sluice_engine *engine;
    int ref;
    size_t users; /* how many times it was handed out and not freed */
    bool kept;    /* the engine holds it for the next who brings the same text */
    char *text;
    size_t len;
};

void sluice__drop_tools(sluice_tools *t);

/* What such a function is given. Each uses some. */
struct asked {
    sluice_engine *engine;
    const char *what, *syntax, *calls, *text, *target;
    size_t len; /* of calls or text */
    const sluice_tools *tools;
    const sluice_stream_options *options;
    void *made;
};

/* What light userdata 1 says. */
struct asked *sluice__asked_of(lua_State *L);

/* Notes a failure: its code and its sentence. Answers the code. */
int sluice__refuse(sluice_engine *e, int code, const char *format, ...);

/* Is there no engine, or NULL where an argument must be? The sentence then has its name. */
int sluice__lacks(sluice_engine *e, const void *argument, const char *name);

/* Were these tools made with another engine? Then the sentence says so. NULL: they were not. */
int sluice__foreign(sluice_engine *e, const sluice_tools *tools);

/* Calls f(what) in the private state, `what` a light userdata: all that may raise is done in such a
 * function. On failure the sentence is the engine's, and nothing is left on the stack. */
int sluice__engine_run(sluice_engine *e, lua_CFunction f, void *what, int results);

/* Raises the sentence on the top of the stack; the call answers this code. */
int sluice__raise(lua_State *L, sluice_engine *e, int code);

/* [-0, +1, e] Pushes a field of the registry's table; one that is not there would be a bug. */
void sluice__push_host(lua_State *L, sluice_engine *e, const char *name);

/* [-0, +1, e] Pushes the plan of a syntax: where it was made before without a call. */
void sluice__push_plan(lua_State *L, sluice_engine *e, const char *syntax);

/* [-0, +1, -] Pushes the tools, or nil. */
void sluice__push_tools(lua_State *L, const sluice_tools *tools);

#endif
