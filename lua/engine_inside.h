/* The engine of C programs: shared by its files. */
#ifndef SLUICE_ENGINE_INSIDE_H
#define SLUICE_ENGINE_INSIDE_H

#include "bridge.h"

enum {
    TOOLS_KEPT = 8, /* tool definitions that an engine recognises when it gets them again */
    TOOLS_TEXT_MAX = 256 * 1024, /* longer texts are not kept */
    ASKED_TEXTS = 3              /* texts that a question to the registry has at the most */
};

struct sluice_engine {
    sluice_allocator alloc;
    sluice_tools *tools[TOOLS_KEPT];
    unsigned next_tools; /* the next slot to reuse */
    lua_State *L;
    sluice_room *room;
    int host;           /* registry reference: the Lua side's registry of syntaxes */
    int pending;        /* the code of the error that is being raised, or 0 */
    size_t used, limit; /* bytes that Lua holds, and their limit */
    uint64_t instructions;
    sluice__buffer error, answer;
    int code; /* of the error message */
};

struct sluice_tools {
    sluice_engine *engine;
    int ref;
    size_t users; /* references handed out and not freed */
    bool kept;    /* the engine keeps it for the next caller with the same text */
    char *text;
    size_t len;
};

void sluice__drop_tools(sluice_tools *t);

/* A question to the registry: its function `what` is called with the plan, tools, options and texts
 * that are asked for. It answers a value; or nil, a message, and maybe the name of a code. */
struct asked {
    sluice_engine *engine;
    const char *what;
    const char *syntax; /* NULL: no plan */
    bool with_tools, with_options;
    const sluice_tools *tools;            /* may be NULL */
    const sluice_stream_options *options; /* the same */
    struct asked_text {
        const char *p; /* or NULL: nil */
        size_t len;
    } texts[ASKED_TEXTS];
    int code;                    /* of a refusal that names none; 0: SLUICE_E_REFUSED */
    int *ref;                    /* receives a registry reference to the answer; or NULL: */
    sluice_stream_options *read; /* receives the answer, which the registry keeps; or NULL */
    sluice_stream *stream;
};
#define ASKED_TEXT(TEXT)                                                                           \
    { TEXT, (TEXT) ? strlen(TEXT) : 0 }

/* Asks it. With neither `ref` nor `read`, the answer is left on the stack of the state. */
int sluice__registry_ask(struct asked *asked);

/* Sets the error: its code and its message. Returns the code. */
int sluice__refuse(sluice_engine *e, int code, const char *format, ...);

/* True if the engine or a required argument is NULL; the error message then names it. */
int sluice__lacks(sluice_engine *e, const void *argument, const char *name);

/* Returns an error, and sets the message, if these tools were made with another engine. NULL is not
 * an error. */
int sluice__foreign(sluice_engine *e, const sluice_tools *tools);

/* Begins a call on the engine: it has no error, and scripts have used nothing. */
void sluice__engine_enter(sluice_engine *e);

/* Calls f(what) in the private state, `what` a light userdata; everything that may raise runs in
 * such a function. On failure the engine has the message and the stack is unchanged. */
int sluice__engine_run(sluice_engine *e, lua_CFunction f, void *what, int results);

/* Raises the message on the top of the stack; the call returns this code. */
int sluice__raise(lua_State *L, sluice_engine *e, int code);

/* [-0, +1, e] Pushes a field of the registry's table, which must exist. */
void sluice__push_host(lua_State *L, sluice_engine *e, const char *name);

/* [-0, +1, e] Pushes the plan of a syntax; if it exists already, without a call. */
void sluice__push_plan(lua_State *L, sluice_engine *e, const char *syntax);

/* [-0, +1, -] Pushes the tools, or nil. */
void sluice__push_tools(lua_State *L, const sluice_tools *tools);

#endif
