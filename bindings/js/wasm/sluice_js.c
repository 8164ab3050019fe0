/* The exports of the WebAssembly module to JavaScript (src/module.js calls them): the functions of
 * sluice.h with arguments that JavaScript can pass easily, and the library's Lua modules for
 * authors of scripts.
 *
 * Strings are passed as NUL-terminated UTF-8 or as pointer and length, in memory that the caller
 * allocates (malloc) and frees. Results are in one record that the next call overwrites: the module
 * has one thread. */
#include "../../../lua/engine.h"
#include "../../../lua/private_state.h"
#include <sluice.h>

#include "binding.h"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

enum { UNKNOWN = 2 }; /* `valid` of a call where no tools were given */

/* The last event, or the last string returned. JavaScript reads it as 32-bit words. */
static struct record {
    double start, end; /* bytes */
    uint32_t type, index, status, valid;
    const char *text, *name, *id, *key, *extra, *code, *syntax;
    uint32_t text_len;
    double block_start; /* of CALL_END */
    const char *source;
    uint32_t source_len;
} record;

EXPORT("record") struct record *js_record(void) { return &record; }

EXPORT("version") const char *js_version(void) { return sluice_version(); }

/* ---- Engine ------------------------------------------------------------------------------- */

EXPORT("engine_new") sluice_engine *js_engine_new(size_t memory, double instructions) {
    sluice_engine_options options = {.script_memory = memory,
                                     .script_instructions = (uint64_t)instructions};
    return sluice_engine_new(&options);
}

EXPORT("engine_free") void js_engine_free(sluice_engine *e) { sluice_engine_free(e); }

EXPORT("engine_error") const char *js_engine_error(const sluice_engine *e) {
    return sluice_engine_error(e);
}

/* Loads the embedded scripts. */
EXPORT("engine_load") int js_engine_load(sluice_engine *e) { return sluice_engine_load(e, NULL); }

/* ---- Tools and streams -------------------------------------------------------------------- */

EXPORT("tools_new") sluice_tools *js_tools_new(sluice_engine *e, const char *json, size_t len) {
    return sluice_tools_new(e, json, len);
}

EXPORT("tools_free") void js_tools_free(sluice_tools *t) { sluice_tools_free(t); }

/* The options of a stream: 's' a string, 'b' a boolean, 'n' a boolean that is inverted in C, 'z' a
 * number. */
#define OPTION(kind, name, field)                                                                  \
    { kind, name, offsetof(sluice_stream_options, field) }
static const struct option {
    char kind;
    const char *name;
    size_t offset;
} option_table[] = {
    OPTION('s', "calls", calls),
    OPTION('s', "start", start),
    OPTION('s', "prompt", prompt),
    OPTION('s', "calls_in_reasoning", calls_in_reasoning),
    OPTION('s', "reasoning_opens", reasoning_opens),
    OPTION('s', "fences", fences),
    OPTION('s', "unknown_tools", unknown_tools),
    OPTION('s', "types", types),
    OPTION('s', "special", special),
    OPTION('s', "mark", mark),
    OPTION('b', "source", source),
    OPTION('b', "strict", strict),
    OPTION('n', "repairs", no_repairs),
    OPTION('n', "validate", no_validation),
    OPTION('b', "parameters", parameters),
    OPTION('b', "markup", markup),
    OPTION('z', "max_calls", max_calls),
    OPTION('z', "limit_name", limit_name),
    OPTION('z', "limit_header", limit_header),
    OPTION('z', "limit_value", limit_value),
    OPTION('z', "limit_held", limit_held),
    OPTION('z', "limit_depth", limit_depth),
    {0, NULL, 0},
};

/* Returns the options as text: kind and name, one per line. */
EXPORT("option_names") const char *js_option_names(void) {
    static char names[1024];
    if (names[0])
        return names;
    char *at = names;
    for (const struct option *o = option_table; o->name; o++) {
        *at++ = o->kind;
        at = stpcpy(at, o->name);
        *at++ = '\n';
    }
    *at = 0;
    return names;
}

EXPORT("options_new") sluice_stream_options *js_options_new(void) {
    return calloc(1, sizeof(sluice_stream_options));
}

/* Sets the option with this number in the table; strings must live as long as the options. A
 * `max_calls` of 0 means no limit, as in other languages; in C that is SIZE_MAX. */
EXPORT("options_set")
void js_options_set(sluice_stream_options *options, int number, const char *text, double value) {
    const struct option *o = &option_table[number];
    char *field = (char *)options + o->offset;
    if (o->kind == 's')
        *(const char **)field = text;
    else if (o->kind == 'b')
        *(int *)field = value != 0;
    else if (o->kind == 'n')
        *(int *)field = value == 0;
    else
        *(size_t *)field =
            value == 0 && (size_t *)field == &options->max_calls ? SIZE_MAX : (size_t)value;
}

EXPORT("stream_new")
sluice_stream *js_stream_new(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                             const sluice_stream_options *options) {
    return sluice_stream_new(e, syntax, tools, options);
}

EXPORT("stream_free") void js_stream_free(sluice_stream *s) { sluice_stream_free(s); }

EXPORT("stream_feed") int js_stream_feed(sluice_stream *s, const char *bytes, size_t len) {
    return sluice_stream_feed(s, bytes, len);
}

EXPORT("stream_feed_special")
int js_stream_feed_special(sluice_stream *s, const char *bytes, size_t len) {
    return sluice_stream_feed_special(s, bytes, len);
}

EXPORT("stream_closing")
size_t js_stream_closing(const sluice_stream *s, char *buffer, size_t size) {
    return sluice_stream_closing(s, buffer, size);
}

/* The counts, by the order of their struct. */
EXPORT("stream_count") size_t js_stream_count(const sluice_stream *s, int which) {
    const sluice_counts c = sluice_stream_counts(s);
    const size_t all[] = {c.valid, c.recovered, c.doubtful, c.leaked};
    return all[which & 3];
}

EXPORT("error_hint") const char *js_error_hint(const char *code) { return sluice_error_hint(code); }

EXPORT("stream_finish") int js_stream_finish(sluice_stream *s) { return sluice_stream_finish(s); }

EXPORT("stream_reset") int js_stream_reset(sluice_stream *s) { return sluice_stream_reset(s); }

EXPORT("stream_next") int js_stream_next(sluice_stream *s) {
    sluice_event event;
    int next = (int)sluice_stream_next(s, &event);
    if (next != SLUICE_EVENT)
        return next;
    record = (struct record){.start = (double)event.start,
                             .end = (double)event.end,
                             .type = event.type,
                             .index = (uint32_t)event.index,
                             .status = event.status,
                             .text = event.text,
                             .text_len = (uint32_t)event.text_len,
                             .name = event.name,
                             .id = event.id,
                             .key = event.key,
                             .extra = event.extra,
                             .code = event.code,
                             .syntax = event.syntax,
                             .valid = event.no_tools ? UNKNOWN : (uint32_t)event.valid,
                             .block_start = (double)event.block_start,
                             .source = event.source,
                             .source_len = (uint32_t)event.source_len};
    return next;
}

/* Returns the state; record.name is the open call's name, record.text_len the number of bytes
 * held. */
EXPORT("stream_state") int js_stream_state(const sluice_stream *s) {
    size_t held;
    int state = (int)sluice_stream_state(s, &record.name, &held);
    record.text_len = (uint32_t)held;
    return state;
}

/* ---- Whole texts, and the other directions ------------------------------------------------ */

/* Passes on a string of the library, in record.text; free it with `string_free`. */
static int hand_on(int result, char *text, size_t len) {
    record.text = result == SLUICE_OK ? text : NULL;
    record.text_len = result == SLUICE_OK ? (uint32_t)len : 0;
    return result;
}

EXPORT("string_free") void js_string_free(sluice_engine *e, char *string) {
    sluice_free(e, string);
}

EXPORT("parse")
int js_parse(sluice_engine *e, const char *syntax, const sluice_tools *tools,
             const sluice_stream_options *options, const char *text, size_t len) {
    char *out = NULL;
    size_t n = 0;
    int result = sluice_parse(e, syntax, tools, options, text, len, &out, &n);
    return hand_on(result, out, n);
}

EXPORT("render")
int js_render(sluice_engine *e, const char *syntax, const char *calls, size_t len) {
    char *out = NULL;
    size_t n = 0;
    int result = sluice_render(e, syntax, calls, len, &out, &n);
    return hand_on(result, out, n);
}

/* Runs a tool of the registry that returns text: `render` with options. `asked` is JSON. */
EXPORT("ask") int js_ask(sluice_engine *e, const char *tool, const char *asked) {
    char *out = NULL;
    size_t n = 0;
    int result = sluice_engine_ask(e, tool, asked, &out, &n);
    return hand_on(result, out, n);
}

EXPORT("grammar")
int js_grammar(sluice_engine *e, const char *syntax, const sluice_tools *tools, const char *target,
               const char *options) {
    char *out = NULL;
    size_t n = 0;
    int result = sluice_grammar(e, syntax, tools, target, options, &out, &n);
    return hand_on(result, out, n);
}

EXPORT("prompt")
int js_prompt(sluice_engine *e, const char *syntax, const sluice_tools *tools,
              const char *options) {
    char *out = NULL;
    size_t n = 0;
    int result = sluice_prompt(e, syntax, tools, options, &out, &n);
    return hand_on(result, out, n);
}

EXPORT("list") int js_list(sluice_engine *e) {
    char *out = NULL;
    size_t n = 0;
    int result = sluice_list(e, &out, &n);
    return hand_on(result, out, n);
}

EXPORT("syntax_for") const char *js_syntax_for(sluice_engine *e, const char *model) {
    return sluice_syntax_for(e, model);
}

/* ---- The Lua modules for authors of scripts ----------------------------------------------- */

struct request {
    sluice_engine *engine;
    const char *function, *json;
    size_t len;
    char *out;
    size_t out_len;
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
    r->out = malloc(n + 1);
    if (!r->out)
        return luaL_error(L, "not enough memory");
    memcpy(r->out, text, n + 1);
    r->out_len = n;
    return 0;
}

/* Free record.text with `free`. */
EXPORT("run")
int js_run(sluice_engine *e, const char *function, const char *json, size_t len,
           double instructions) {
    struct request request = {.engine = e, .function = function, .json = json, .len = len};
    int result = sluice__engine_call(e, run_request, &request, (uint64_t)instructions);
    return hand_on(result, request.out, request.out_len);
}

/* ---- Wire formats ------------------------------------------------------------------------- */

EXPORT("wire_new")
sluice_wire *js_wire_new(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                         const sluice_stream_options *options, const char *from, const char *to,
                         const char *model) {
    return sluice_wire_new(e, syntax, tools, options, from, to, model);
}

EXPORT("wire_free") void js_wire_free(sluice_wire *w) { sluice_wire_free(w); }

/* The converted bytes are in record.text, until the next call on the wire. */
EXPORT("wire_feed") int js_wire_feed(sluice_wire *w, const char *bytes, size_t len) {
    const char *out = NULL;
    size_t n = 0;
    int result = sluice_wire_feed(w, bytes, len, &out, &n);
    record.text = out;
    record.text_len = (uint32_t)n;
    return result;
}

EXPORT("wire_finish") int js_wire_finish(sluice_wire *w) {
    const char *out = NULL;
    size_t n = 0;
    int result = sluice_wire_finish(w, &out, &n);
    record.text = out;
    record.text_len = (uint32_t)n;
    return result;
}
