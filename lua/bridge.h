/*
 * The bridge between the core's streams and the Lua that holds the syntaxes. It serves the private
 * state of libsluice and a host's own Lua alike.
 */
#ifndef SLUICE_BRIDGE_H
#define SLUICE_BRIDGE_H

#include "../core/program.h"
#include "compat.h"

/* What scripts have used up: instructions, and nanoseconds. */
typedef struct sluice_spent {
    uint64_t work, time;
} sluice_spent;

/* Kinds of userdata that more than one part knows. */
#define SLUICE_HANDLE_TYPE "sluice.handle"
#define SLUICE_QUOTING_TYPE "sluice.quoting"

/* In the comments of this folder [-o, +p, x] is the Lua manual's: pops o, pushes p, may raise (-
 * never, m memory, e any error). */

/* Memory of objects that Lua's finalizers free. A finalizer that finds no memory itself is lost;
 * what it did not free is freed with the room. */
typedef struct sluice_kept {
    sluice_allocator from;
    struct sluice_kept_block *first;
} sluice_kept;

/* What all streams of one Lua state share. Lives in a userdata of the registry. */
typedef struct sluice_room {
    lua_State *L;           /* the state of the running call; NULL between calls in a host */
    sluice_allocator alloc; /* Lua's own: for what Lua collects */
    sluice_allocator
        streams; /* for streams, which a private state does not count as its scripts' */
    sluice_allocator
        schemas;            /* the same, of what Lua collects: schemas, and streams that it holds */
    sluice_kept own, hosts; /* of `alloc` and `schemas` */
    sluice_stream *current; /* the stream that a script reads now */
    sluice_id_generator new_id;
    void *id_data;
    uint64_t id_seed, ids;
    int handle;             /* registry reference: what scripts read through */
    const void *handle_at;  /* itself */
    uint64_t budget, spent; /* Lua instructions of one entry into a script; 0: no limit */
    lua_Hook count;         /* what counts them; NULL: nothing does */
    uint64_t looked;        /* what was spent at the last look at the clock */
    uint64_t time, since;   /* nanoseconds that one entry may take, and when it began */
    bool timed;             /* it was looked when */
    uint64_t before;        /* nanoseconds that were used up before */
    sluice_spent entered;   /* what counts of what was used up when the entry began */
    uint64_t churn;         /* bytes that Lua asked for since they were counted last */
} sluice_room;

/* One stream's Lua side: `user` of the core's stream. */
typedef struct sluice_bridge {
    sluice__run *run;               /* the machine; NULL until a block is tried */
    const sluice__program *program; /* or many formats, and the options for each */
    const sluice__many *many;
    struct sluice_kept_options *options;
    sluice_room *room;
    int plan, tools, store, watcher; /* registry references; store: schemas that a tree is read by;
                                        watcher: is told each step, or LUA_NOREF */
    struct sluice_tool_names *names;
    sluice__buffer answer; /* texts that a question was answered with */
    lua_State *co;         /* the block that a function of the script reads; anchored by co_ref */
    int co_ref;            /* or LUA_NOREF */
    unsigned idle;         /* operations since `furthest` moved */
    bool has_tools;
    bool of_lua;        /* Lua holds the stream, and a finalizer frees it */
    uint16_t co_member; /* the member of many whose function it is */
    uint64_t furthest;  /* where that block was read to, at most */
    uint64_t told;      /* bytes that it told of its own */
    uint64_t seen;      /* how far the response was read when a script ran last */
    sluice_spent spent; /* by scripts on this response */
} sluice_bridge;

static inline const sluice_allocator *sluice_bridge_memory(const sluice_bridge *b) {
    return b->of_lua ? &b->room->schemas : &b->room->streams;
}

/* What the machine asks of Lua: script_calls.c. */
extern const sluice__scripts sluice_script_calls, sluice_watched_calls;

/* Tells the stream's watcher that a block of this opener (NULL: none; see sluice.author.explain) is
 * tried, or is over with this verdict. */
void sluice_watch_block(sluice_bridge *b, const sluice_stream *s, const sluice__marker *opener,
                        const char *verdict);

/* [-0, +1, e] Pushes the plan that the stream reads by: of many, the one that is tried or was
 * chosen. */
void sluice_push_plan(lua_State *L, const sluice_bridge *b);

/* A block that a function of the script reads: coroutine.c. */
sluice__verdict sluice_hand(void *user, sluice_stream *s, bool on);
void sluice_forget_coroutine(sluice_bridge *b);

/* [-0, +5|6, m] Pushes what the last operation answered: item or nil, start, end, kind, ok, and the
 * text that it decoded or captured. Answers how many. */
int sluice_push_result(lua_State *L, const sluice_stream *s);

/* [-0, +0, e] The set at `index`; raises where it is none. */
sluice__markers *sluice_check_set(lua_State *L, int index);

/* Lua instructions between two looks at what a script has used up. */
enum { SLUICE_COUNT_EVERY = 250 };

/* The script that reads the stream's response begins to run, and stops: see limits.h. */
void sluice_begin_script(sluice_bridge *b, const sluice_stream *s);
void sluice_end_script(sluice_bridge *b);

/* [-0, +0, m] The room of this state, made where there is none. */
sluice_room *sluice_room_of(lua_State *L);

/* Writes a call id of the host's generator, NUL-terminated; where that writes none, of our own. */
void sluice_fresh_id(sluice_room *room, char *id, size_t size);

/* [-0, +1, e] Makes a stream for the compiled syntax at index `plan` (a table with `format` and
 * `main`) with the tools at index `tools` (a table or nil). Answers NULL, with a sentence pushed,
 * where the options are wrong or memory is short; else the stream, and pushes nothing of use
 * (true). `of_lua`: a finalizer will free it; what one that finds no memory leaves is freed with
 * the room. */
sluice_stream *sluice_bridge_stream(lua_State *L, int plan, int tools,
                                    const sluice_stream_options *options, bool of_lua);

/* [-0, +1|2, e] Pushes such a stream as a value of Lua, which frees it; or nil and a sentence.
 * Answers how many. */
int sluice_bridge_push_stream(lua_State *L, int plan, int tools,
                              const sluice_stream_options *options);

/* [-0, +0, m] Fills the options from the table at `t` (or none: all zero), by their names. Strings
 * live as long as the table keeps them. */
void sluice_read_options(lua_State *L, int t, sluice_stream_options *options);

/* lua_CFunction that opens the module `sluice.core`. Exported by the Lua module, not by libsluice.
 */
#ifndef SLUICE_PRIVATE_STATE
SLUICE_API
#endif
int luaopen_sluice_core(lua_State *L);

/* [-0, +0, m] Makes a kind of userdata whose metatable scripts cannot reach; `methods` and `gc` may
 * be NULL. */
void sluice_metatable(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc);

/* [-0, +0, m] Adds functions to the table on the top of the stack. */
void sluice_add_functions(lua_State *L, const luaL_Reg *functions);

/* [-0, +0, e] Each adds the functions of its part to the table on the top of the stack. */
void sluice_context_open(lua_State *L);
void sluice_sets_open(lua_State *L);
void sluice_handle_open(lua_State *L);
void sluice_stream_open(lua_State *L);
void sluice_json_open(lua_State *L);
void sluice_schema_open(lua_State *L);

/* [-0, +1, e] Pushes the value of JSON text, read by cJSON: for tool definitions and schemas.
 * Answers false, with a sentence pushed, where it is none. */
bool sluice_push_tools_json(lua_State *L, const char *json, size_t len);

#endif
