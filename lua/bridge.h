/*
 * The bridge between the core's streams and the Lua that holds the syntaxes. It serves both the
 * private state of libsluice and a host's own Lua.
 */
#ifndef SLUICE_BRIDGE_H
#define SLUICE_BRIDGE_H

#include "../core/stream.h"
#include "compat.h"

/* Work done by scripts: instructions, and nanoseconds. */
typedef struct sluice_spent {
    uint64_t work, time;
} sluice_spent;

/* The type of the userdata with which scripts read blocks: hand.c. */
#define SLUICE_HANDLE_TYPE "sluice.handle"

/* In the comments of this folder [-o, +p, x] is the Lua manual's notation: pops o, pushes p, may
 * raise (- never, m memory, e any error). */

/* Memory that Lua collects: blocks that the table at this index keeps. If there is none, it raises.
 */
typedef struct sluice_keeper {
    lua_State *L;
    int table;
} sluice_keeper;
sluice_allocator sluice_kept_by(sluice_keeper *keeper);

/* Shared by all streams of one Lua state. Lives in a userdata of the registry. */
typedef struct sluice_room {
    lua_State *L;                /* the state of the running call; NULL between calls in a host */
    sluice_allocator streams;    /* not counted as memory of scripts */
    struct sluice_bridge *owned; /* all streams; linked by `next` */
    sluice_stream *current;      /* the stream that a script is reading */
    sluice_id_generator new_id;
    void *id_data;
    uint64_t id_seed, ids;
    int handle;                 /* registry reference: the handle of scripts */
    uint64_t budget, spent;     /* Lua instructions per entry into a script; 0: no limit */
    lua_Hook count;             /* the hook that counts them; NULL: not counted */
    uint64_t looked;            /* `spent` when the clock was last read */
    uint64_t time, since;       /* the limit of one entry, and its start, in nanoseconds */
    bool timed;                 /* the clock was read at its start */
    bool reads;                 /* the entry is for a response: it has its limit in any case */
    uint64_t before;            /* nanoseconds used earlier */
    sluice_spent entered;       /* used earlier, as counted at the start of the entry */
    uint64_t started, deadline; /* of work that has longer, see sluice_engine_allow; 0: none */
    void (*progress)(uint64_t nanoseconds); /* called during such work; may be NULL */
    uint64_t churn; /* bytes that Lua allocated since they were last counted */
    /* Of a private state: bytes that Lua holds, the most that it may, and how many are enough to
     * collect garbage before a script runs: LPeg does not when it gets no memory. */
    const size_t *heap;
    size_t most, enough;
} sluice_room;

/* Blocks of a stream that a function of the script reads: see hand.c. */
typedef struct sluice_by_hand {
    bool running, awaits_line;
    bool named, ended;              /* the function has named a call, or ended one */
    const sluice__program *program; /* whose function it is */
    unsigned idle;                  /* operations since `furthest` moved */
    uint64_t at;
    uint64_t line, looked;  /* the line asked for, and how far it is known */
    uint64_t furthest;      /* the furthest position read in the block */
    uint64_t reported;      /* bytes of events that it made itself */
    sluice__buffer carried; /* from one block to the next one */
    lua_State *co;          /* anchored by co_ref; NULL: none */
    int co_ref;
} sluice_by_hand;

/* A stream, which comes first, and its Lua side. */
typedef struct sluice_bridge {
    sluice_stream stream;
    const sluice__program **programs; /* of many; NULL: not made yet */
    sluice_by_hand *hand;             /* NULL: no block was read so */
    sluice_room *room;
    /* Registry references, or LUA_NOREF; words: the table that keeps those of `options`; watcher:
     * called at each step. */
    int plan, tools, words, watcher;
    struct sluice_tool_names *names;
    sluice__buffer answer;              /* texts of answers to questions */
    struct sluice_bridge *next, **link; /* in the room's list `owned` */
    sluice_spent spent;                 /* by scripts on this response */
    size_t asked;                       /* of many: 1 + whose plan is asked for; or 0 */
} sluice_bridge;
static inline sluice_bridge *sluice_bridge_of(const sluice_stream *s) { return (sluice_bridge *)s; }

/* The machine's questions to Lua: calls.c. */
extern const sluice__scripts sluice_script_calls, sluice_watched_calls;
void sluice_bridge_id(const sluice_stream *s, char *id, size_t size);
void sluice_bridge_release(sluice_stream *s);

/* [-0, +1, e] Pushes the plan that the stream reads by; with `many`, the one that is tried or was
 * chosen. */
void sluice_push_plan(lua_State *L, const sluice_bridge *b);

/* Reads a block with a function of the script: hand.c. */
sluice__hand sluice_hand(sluice_stream *s, bool on);
void sluice_forget_coroutine(sluice_bridge *b);

/* [-0, +0, -] Reports the error on the top of the stack: the script raised it. */
void sluice_tell_raised(lua_State *L, sluice_stream *s);

/* [-0, +0, e] Returns the set at `index`; raises if it is not a set. */
literals *sluice_check_set(lua_State *L, int index);

/* Lua instructions between two calls of the count hook. */
enum { SLUICE_COUNT_EVERY = 250 };

/* Called when the script that reads the stream's response begins to run, and when it stops: see
 * limits.h. */
void sluice_begin_script(sluice_bridge *b, sluice_stream *s);
void sluice_end_script(sluice_bridge *b);

/* [-0, +0, m] Returns the room of this state; creates it if needed. */
sluice_room *sluice_room_of(lua_State *L);

/* Writes a call id of the host's generator, NUL-terminated; or our own if that writes none. */
void sluice_fresh_id(sluice_room *room, char *id, size_t size);

/* [-0, +x, e] Makes a stream for the compiled syntax at index `plan` (a table with `format` and
 * `code` or `many`) with the tools at index `tools` (a table or nil). Returns NULL, with a message
 * on the top of the stack, if the options are wrong or memory runs out. The room frees the stream
 * if nobody else can: if this raises, or a finalizer cannot run for lack of memory. */
sluice_stream *sluice_bridge_stream(lua_State *L, int plan, int tools,
                                    const sluice_stream_options *options);

/* [-0, +0, m] Reads the options from the table at `t` (if none: all zero), by their names. Strings
 * live as long as the table keeps them. */
void sluice_read_options(lua_State *L, int t, sluice_stream_options *options);
/* [-0, +1, m] Pushes such a table. `options` may be NULL. */
void sluice_push_options(lua_State *L, const sluice_stream_options *options);

/* lua_CFunction that opens the module `sluice.core`. The Lua module exports it, libsluice does
 * not. */
#ifndef SLUICE_PRIVATE_STATE
SLUICE_API
#endif
int luaopen_sluice_core(lua_State *L);

/* [-0, +0, m] Creates a type of userdata whose metatable scripts cannot reach; `methods` and `gc`
 * may be NULL. */
void sluice_metatable(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc);

/* [-0, +0, m] Adds functions to the table on the top of the stack. */
void sluice_add_functions(lua_State *L, const luaL_Reg *functions);

/* [-0, +0, e] Each adds the functions of its file to the table on the top of the stack. */
void sluice_context_open(lua_State *L);
void sluice_sets_open(lua_State *L);
void sluice_handle_open(lua_State *L);
void sluice_stream_open(lua_State *L);
void sluice_json_open(lua_State *L);
void sluice_schema_open(lua_State *L);

#endif
