/*
 * sluice.h - extracts tool calls from a language model's raw output while it streams.
 *
 * Units: offsets and lengths are bytes; offsets count from 0 and ranges are half-open [start, end).
 * Threads: an engine and everything made from it (tools, streams) belong to one thread at a time.
 * Engines share nothing, so a program may use one per thread.
 * Errors: functions that can fail return SLUICE_OK or a negative SLUICE_E_*; sluice_engine_error()
 * has the message. The library never prints, exits or aborts.
 * NULL, unless it is documented as allowed: SLUICE_E_ARGUMENT, or NULL from functions that return a
 * pointer; sluice_stream_next returns SLUICE_DONE.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 4
#define SLUICE_VERSION_PATCH 0

#if defined(_WIN32) && defined(SLUICE_BUILDING_DLL)
#define SLUICE_API __declspec(dllexport)
#elif defined(_WIN32)
#define SLUICE_API
#else
#define SLUICE_API __attribute__((visibility("default")))
#endif

/* ---- Version and status codes ------------------------------------------------------------- */

/* The version of the running library, "MAJOR.MINOR.PATCH"; a constant. Any thread. */
SLUICE_API const char *sluice_version(void);

enum {
    SLUICE_OK = 0,
    SLUICE_E_NOMEM = -1,       /* an allocation failed */
    SLUICE_E_ARGUMENT = -2,    /* a NULL or invalid argument, an unknown option, value or target */
    SLUICE_E_NOT_FOUND = -3,   /* no such syntax, model or file */
    SLUICE_E_SCRIPT = -4,      /* a syntax script cannot be loaded, or raised an error */
    SLUICE_E_JSON = -5,        /* invalid JSON */
    SLUICE_E_REFUSED = -6,     /* the format cannot express this; see the message */
    SLUICE_E_UNSUPPORTED = -7, /* not available for this syntax or in this build */
    SLUICE_E_MISUSE = -8       /* a call out of order, such as feeding a finished stream */
};

/* ---- Engine ------------------------------------------------------------------------------- */

typedef struct sluice_engine sluice_engine;
typedef struct sluice_tools sluice_tools;
typedef struct sluice_stream sluice_stream;

/* The allocator of an engine and everything made from it. `reallocate` works like realloc, but also
 * receives the old size; if `size` is 0 it frees the block and returns NULL. Returns NULL if out of
 * memory. Blocks must be aligned for any object. */
typedef struct sluice_allocator {
    void *(*reallocate)(void *user_data, void *block, size_t old_size, size_t size);
    void *user_data;
} sluice_allocator;

/* Writes a new call id, NUL-terminated, into `id` (`size` bytes). `user_data` is the options'. If
 * it writes none, the call gets a default id. */
typedef void (*sluice_id_generator)(void *user_data, char *id, size_t size);

/* All zero: the defaults. */
typedef struct sluice_engine_options {
    sluice_allocator allocator;   /* all NULL: malloc and free */
    sluice_id_generator new_id;   /* NULL: "call_" and 24 characters, unique in this process */
    void *user_data;              /* passed to new_id */
    size_t script_memory;         /* bytes that all scripts together may allocate; 0: 64 MiB */
    uint64_t script_instructions; /* Lua instructions per entry into a script; 0: 20 million. Work
                                     of C functions for a script is counted by bytes and elements */
    uint64_t script_milliseconds; /* processor time per entry; 0: 5 seconds, or proportionally more
                                     if more instructions are allowed */
} sluice_engine_options;

/* Returns a new engine without syntaxes; NULL if out of memory, or if script_memory is less than
 * the engine itself needs (about 700 KB). `options` may be NULL and is copied. Free it with
 * sluice_engine_free, after all its streams and tools. */
SLUICE_API sluice_engine *sluice_engine_new(const sluice_engine_options *options);
SLUICE_API void sluice_engine_free(sluice_engine *engine); /* NULL is allowed */

/* Loads syntax scripts. `path` is a script, or a folder whose scripts are all loaded. NULL loads
 * the scripts embedded in the library (on demand), then the installed folder
 * (PREFIX/share/sluice/syntaxes, if it exists), then the folders in the environment variable
 * SLUICE_PATH (separated by ':', on Windows by ';'). A later script replaces an earlier one of the
 * same name, so files replace embedded scripts. Loading again reads changed files again; open
 * streams keep the old version. If a script fails to load, the others are still loaded; returns
 * SLUICE_E_SCRIPT then, or SLUICE_E_NOT_FOUND if `path` or a folder cannot be read. */
SLUICE_API int sluice_engine_load(sluice_engine *engine, const char *path);

/* Loads one syntax script from memory: `text`, `len` bytes of Lua source, copied. Error messages
 * call it `name`, for example a file name; the script contains the name of the syntax. Its
 * `inherit` finds loaded and embedded syntaxes, but no files. Returns SLUICE_E_ARGUMENT if `engine`
 * or `name` is NULL; SLUICE_E_SCRIPT if the script cannot be loaded: a loaded syntax of the same
 * name then stays. */
SLUICE_API int sluice_engine_load_text(sluice_engine *engine, const char *name, const char *text,
                                       size_t len);

/* The error message of the last call on this engine; "" if it succeeded, or if `engine` is NULL.
 * Valid until the next call on the engine. Calls on streams set no message. */
SLUICE_API const char *sluice_engine_error(const sluice_engine *engine);

/* ---- Tools -------------------------------------------------------------------------------- */

/* Reads tool definitions from JSON text (`len` bytes, copied): the `tools` array of OpenAI,
 * Anthropic, MCP or Gemini, or a plain list of functions. Refuses a tool whose parameters cannot be
 * found. NULL on failure: the engine has the message. Free with sluice_tools_free. Streams keep
 * what they need, so tools may be freed before them. Other engines refuse these tools with
 * SLUICE_E_ARGUMENT. */
SLUICE_API sluice_tools *sluice_tools_new(sluice_engine *engine, const char *json, size_t len);
SLUICE_API void sluice_tools_free(sluice_tools *tools); /* NULL is allowed */

/* Returns the parts of the tools' schemas that cannot be checked as a JSON array of objects:
 * "tool", "pointer" (a JSON Pointer into its parameters) and "message"; and, with the pointer "",
 * tools that have an earlier one's name. A call for which such a part is reached is not valid and
 * gets ERROR schema_unchecked. Free *json with sluice_free; `len` may be NULL. A call on the tools'
 * engine. */
SLUICE_API int sluice_tools_notes(const sluice_tools *tools, char **json, size_t *len);

/* ---- Streams ------------------------------------------------------------------------------ */

typedef enum sluice_event_type {
    SLUICE_TEXT,       /* a fragment of plain text */
    SLUICE_REASONING,  /* a fragment of reasoning */
    SLUICE_CALL_BEGIN, /* a call has started: index, name, id (a generated one if the text's own is
                          not known yet: CALL_END has the final one) */
    SLUICE_ARGUMENTS,  /* a fragment of its arguments, JSON text; joined they are one object */
    SLUICE_PARAMETER,  /* on request: key, and a fragment of that parameter's decoded value */
    SLUICE_CALL_END,   /* status, valid, final id, extra (a JSON object, or NULL) */
    SLUICE_MARKUP,     /* on request: bytes that are neither text nor part of a call */
    SLUICE_ERROR       /* code, and a message in text; precedes the event that it explains */
} sluice_event_type;

/* Run a call without asking only if its CALL_END is `valid`: it is complete or recovered, it names
 * a given tool, and its arguments satisfy that tool's schema. */
typedef enum sluice_status {
    SLUICE_COMPLETE,  /* every byte was read as the format says */
    SLUICE_RECOVERED, /* closing tags were missing outside any value, or a notation was repaired;
                         nothing about the arguments is in doubt */
    SLUICE_INCOMPLETE /* the text ended inside a value, or bytes that may be an argument were not
                         used */
} sluice_status;

typedef struct sluice_event {
    sluice_event_type type;
    const char *text; /* the fragment, or an ERROR's message; not NUL-terminated; NULL if none */
    size_t text_len;
    uint64_t start, end; /* the bytes of the response that it covers; a PARAMETER covers none */
    size_t index; /* the call, from 0; SIZE_MAX for an ERROR about no call; without meaning for
                     TEXT, REASONING and MARKUP */
    const char *name, *id, *key, *extra; /* NUL-terminated; NULL if not applicable */
    sluice_status status;                /* of CALL_END */
    int valid; /* of CALL_END: 1 if the call may be run without asking. 0 where no tools were given:
                  then it is not known; with no_validation the schema is not checked */
    int no_tools; /* of CALL_END: 1 where no tools were given (no list, or an empty one), so that
                     `valid` says nothing */
    const char *code;     /* of ERROR: "unknown_tool", ...; else NULL */
    const char *syntax;   /* of CALL_BEGIN with "auto": the syntax of the call */
    uint64_t block_start; /* of CALL_END: start of the call's bytes, which end at `end` */
    const char *source;   /* of CALL_END, with the option `source`: these bytes, as the model wrote
                             them (source_len; not NUL-terminated); NULL above 16 MiB */
    size_t source_len;
} sluice_event; /* all pointers are valid until the next call on the stream */

/* Counted since the last reset, of the calls that have ended. */
typedef struct sluice_counts {
    size_t valid, recovered, doubtful; /* valid; of status recovered; of status incomplete */
    size_t leaked;                     /* 1 if markup of the format was left in the text */
} sluice_counts;

/* All zero: the defaults of the syntax. The documentation's table of options explains the values;
 * strings are copied. */
typedef struct sluice_stream_options {
    const char *calls;              /* "streamed", "whole" */
    const char *start;              /* "text", "reasoning" */
    const char *prompt;             /* the end of the prompt, from which the start is derived */
    const char *calls_in_reasoning; /* "hold", "call", "text" */
    const char *reasoning_opens;    /* "line", "start", "anywhere" */
    const char *fences;             /* "script", "text", "call" */
    const char *unknown_tools;      /* "forward", "text" */
    const char *types;   /* "written", "schema": convert strings in JSON arguments by the schema */
    const char *special; /* "text", "tokens": the model's special tokens count as markers only if
                            they were fed with sluice_stream_feed_special */
    const char *mark;    /* a random word in the tags of a format that a prompt defines
                            (`<tool_call k3f9>`): tags without it are text. Copied */
    int source;          /* CALL_END has the call as the model wrote it */
    int strict;          /* read exactly what the description says */
    int no_repairs;      /* report broken values as bad_arguments, do not repair them */
    int no_validation;   /* do not check arguments against the tool's schema */
    int parameters;      /* also report PARAMETER events */
    int markup;          /* also report MARKUP events */
    size_t max_calls;    /* 0: the script's default; SIZE_MAX: no limit */
    size_t limit_name, limit_header, limit_value, limit_held, limit_depth; /* 0: the default */
} sluice_stream_options;

/* Opens a stream, which parses one response after another. `syntax` is a name, an alias or a
 * script's path; or "auto", which recognises the format by its markers among all loaded scripts, or
 * ("auto:hermes,mistral") among some. `tools` and `options` may be NULL. NULL on failure: the
 * engine has the message. Free with sluice_stream_free. */
SLUICE_API sluice_stream *sluice_stream_new(sluice_engine *engine, const char *syntax,
                                            const sluice_tools *tools,
                                            const sluice_stream_options *options);
SLUICE_API void sluice_stream_free(sluice_stream *stream); /* NULL is allowed */

/* Feeds the next `len` bytes. They are borrowed until sluice_stream_next returns SLUICE_NEED_INPUT;
 * plain text is handed out of them without a copy. `len` 0 does nothing; `bytes` may then be NULL.
 * After sluice_stream_finish: SLUICE_E_MISUSE. */
SLUICE_API int sluice_stream_feed(sluice_stream *stream, const char *bytes, size_t len);

/* Feeds bytes that are one special token of the model (`<tool_call>` as a token of its own, not in
 * pieces of text). This matters with the option `special` = "tokens". */
SLUICE_API int sluice_stream_feed_special(sluice_stream *stream, const char *bytes, size_t len);

/* Ends the response. Call sluice_stream_next until SLUICE_DONE. */
SLUICE_API int sluice_stream_finish(sluice_stream *stream);

/* Prepares the stream for the next response, with the same syntax, tools and options. */
SLUICE_API int sluice_stream_reset(sluice_stream *stream);

typedef enum sluice_next {
    SLUICE_EVENT,      /* *event is filled */
    SLUICE_NEED_INPUT, /* feed more, or finish */
    SLUICE_DONE        /* the response is finished and all its events were returned */
} sluice_next;

/* Returns the next event. If out of memory, returns one ERROR no_memory, then SLUICE_DONE. */
SLUICE_API sluice_next sluice_stream_next(sluice_stream *stream, sluice_event *event);

/* What the stream has counted so far; all zero without a stream. */
SLUICE_API sluice_counts sluice_stream_counts(const sluice_stream *stream);

/* What a host may tell the model about an ERROR of this code: a sentence; NULL for a code that
 * tells the model nothing to do, or none of the library's. */
SLUICE_API const char *sluice_error_hint(const char *code);

typedef enum sluice_state {
    SLUICE_IN_TEXT,
    SLUICE_IN_REASONING,
    SLUICE_IN_POSSIBLE_BLOCK, /* bytes are held that may become a call or text */
    SLUICE_IN_CALL            /* a call has started and not ended */
} sluice_state;

/* Returns the state of the stream, for a progress display. `name` (may be NULL) receives the name
 * of the open call or NULL, valid until the next call on the stream; `held` (may be NULL) the
 * number of bytes held. Without a stream (NULL): in text, nothing held. */
SLUICE_API sluice_state sluice_stream_state(const sluice_stream *stream, const char **name,
                                            size_t *held);

/* Writes the bytes that close the arguments of the open call: appended to its ARGUMENTS events so
 * far, they make one JSON object (`"}]}`; a key without a value gets null). Writes at most `size`
 * bytes including the NUL. Returns the full length without the NUL, like snprintf; 0 if no call is
 * open. `buffer` may be NULL if `size` is 0. Takes time for the depth of the object, and for what
 * came since it was last asked. */
SLUICE_API size_t sluice_stream_closing(const sluice_stream *stream, char *buffer, size_t size);

/* ---- Whole texts, and the other directions ------------------------------------------------ */

/* Strings returned in `*out` are NUL-terminated, `*len` bytes long (`len` may be NULL), and freed
 * with sluice_free. On failure nothing is returned. */
SLUICE_API void sluice_free(sluice_engine *engine, void *string); /* NULL is allowed */

/* Parses one response into a JSON object: {"content", "reasoning", "calls", "errors"}. */
SLUICE_API int sluice_parse(sluice_engine *engine, const char *syntax, const sluice_tools *tools,
                            const sluice_stream_options *options, const char *text, size_t len,
                            char **json, size_t *json_len);

/* Writes calls in the model's format. `calls_json` is a JSON array of {"name", "arguments", "id"?,
 * "extra"?}; or a complete turn, an object of {"reasoning"?, "content"?, "calls"?, "results"?:
 * [{"name"?, "id"?, "content"}], "mark"?: as the stream option, "generation_prompt"?: true}. The
 * end of the prompt, where the model is to answer (Harmony's "<|start|>assistant"), is written only
 * with generation_prompt. SLUICE_E_JSON if it is not JSON, or has a key twice;
 * SLUICE_E_REFUSED if the format cannot express it. */
SLUICE_API int sluice_render(sluice_engine *engine, const char *syntax, const char *calls_json,
                             size_t len, char **out, size_t *out_len);

/* Writes a grammar for the tools. `target` is "lark", "gbnf" or "structural-tag". `options_json` is
 * NULL or a JSON object: "tool_choice" ("auto", "required" or a tool's name), "max_calls" (0: no
 * limit), "parallel" (false: one call), "reasoning" (true: allowed before the calls), "tokens"
 * ("text", "special", or an object of ids), "relax" (true: without what the target cannot express;
 * the text begins with a list of that). SLUICE_E_UNSUPPORTED, with a message, if the target cannot
 * express it; SLUICE_E_ARGUMENT for an unknown target or option, or without tools; SLUICE_E_JSON if
 * the options are not a JSON object. */
SLUICE_API int sluice_grammar(sluice_engine *engine, const char *syntax, const sluice_tools *tools,
                              const char *target, const char *options_json, char **out,
                              size_t *out_len);

/* Writes instructions that teach a model the format and the tools. `options_json` is NULL or a JSON
 * object: "variant" ("full", "short" or "native"). Errors: of sluice_grammar and sluice_render. */
SLUICE_API int sluice_prompt(sluice_engine *engine, const char *syntax, const sluice_tools *tools,
                             const char *options_json, char **out, size_t *out_len);

/* ---- Wire formats ------------------------------------------------------------------------- */

/* Converts a response from one wire format to another, with the calls and the reasoning of its text
 * as fields. `from`: "text", "openai", "anthropic" or "ollama"; `to`: "openai", "anthropic",
 * "ollama", "events", "result" or "openai-message". `model` is used if the response does not name
 * one (NULL: ""). Tools and options as for sluice_stream_new; the wire keeps what it needs of them.
 * NULL on failure: the engine has the message. */
typedef struct sluice_wire sluice_wire;
SLUICE_API sluice_wire *sluice_wire_new(sluice_engine *engine, const char *syntax,
                                        const sluice_tools *tools,
                                        const sluice_stream_options *options, const char *from,
                                        const char *to, const char *model);
SLUICE_API void sluice_wire_free(sluice_wire *wire); /* NULL is allowed; before its engine */

/* Converts the next bytes of the body, which may be cut anywhere. *out receives the converted
 * bytes, valid until the next call on the wire. A body that is one JSON object, as servers send
 * without streaming, gives one if both formats are the same, otherwise a stream. */
SLUICE_API int sluice_wire_feed(sluice_wire *wire, const char *bytes, size_t len, const char **out,
                                size_t *out_len);

/* Ends the body; *out receives the last bytes. Then free the wire: feeding or finishing it again is
 * SLUICE_E_MISUSE. */
SLUICE_API int sluice_wire_finish(sluice_wire *wire, const char **out, size_t *out_len);

/* ---- Introspection ------------------------------------------------------------------------ */

/* Returns every loaded syntax as a JSON array of objects: name, aliases, models, special tokens,
 * source. */
SLUICE_API int sluice_list(sluice_engine *engine, char **json, size_t *len);

/* Returns the syntax for a model's name; NULL if none fits, or several do (the engine's message
 * then lists them). Valid until the next call on the engine. */
SLUICE_API const char *sluice_syntax_for(sluice_engine *engine, const char *model);

/* Returns "reasoning" if the model's prompt opens the reasoning, for the option `start`; NULL if
 * responses start in text, as far as the script knows. A constant. */
SLUICE_API const char *sluice_start_for(sluice_engine *engine, const char *model);

#ifdef __cplusplus
}
#endif
#endif
