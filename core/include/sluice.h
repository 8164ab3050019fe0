/*
 * sluice.h - take tool calls out of a language model's raw output while it streams.
 *
 * Units: offsets and lengths are bytes; offsets count from 0 and ranges are half-open [start, end).
 * Threads: an engine and everything made from it (tools, streams) belong to one thread at a time.
 * Two engines share nothing, so a program may use as many engines as it has threads.
 * Errors: functions that can fail answer SLUICE_OK or a negative SLUICE_E_*; the sentence is in
 * sluice_engine_error(). The library never prints, never exits and never aborts.
 * NULL, where nothing says that it is allowed: SLUICE_E_ARGUMENT, or NULL from what answers a
 * pointer; sluice_stream_next then answers SLUICE_DONE.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 3
#define SLUICE_VERSION_PATCH 0

#if defined(_WIN32) && defined(SLUICE_BUILDING_DLL)
#define SLUICE_API __declspec(dllexport)
#elif defined(_WIN32)
#define SLUICE_API
#else
#define SLUICE_API __attribute__((visibility("default")))
#endif

/* ---- Version and status codes ------------------------------------------------------------- */

/* "MAJOR.MINOR.PATCH" of the library that runs; a constant. Any thread. */
SLUICE_API const char *sluice_version(void);

enum {
    SLUICE_OK = 0,
    SLUICE_E_NOMEM = -1,    /* an allocation failed */
    SLUICE_E_ARGUMENT = -2, /* a NULL or meaningless argument, an unknown option, value or target */
    SLUICE_E_NOT_FOUND = -3,   /* no such syntax, model or file */
    SLUICE_E_SCRIPT = -4,      /* a syntax script cannot be loaded, or raised an error */
    SLUICE_E_JSON = -5,        /* what should be JSON is not */
    SLUICE_E_REFUSED = -6,     /* the format cannot carry this; see the sentence */
    SLUICE_E_UNSUPPORTED = -7, /* this syntax or this build does not offer it */
    SLUICE_E_MISUSE = -8       /* a call out of order, such as feeding a finished stream */
};

/* ---- Engine ------------------------------------------------------------------------------- */

typedef struct sluice_engine sluice_engine;
typedef struct sluice_tools sluice_tools;
typedef struct sluice_stream sluice_stream;

/* The allocator of an engine and of all that is made from it. `reallocate` works as realloc does,
 * is told the old size too, frees where `size` is 0 (answering NULL), and answers NULL where there
 * is no memory. It must give memory aligned for any object. */
typedef struct sluice_allocator {
    void *(*reallocate)(void *user_data, void *block, size_t old_size, size_t size);
    void *user_data;
} sluice_allocator;

/* Writes a fresh call id, NUL-terminated, into `id` (`size` bytes). `user_data` is the options'.
 * Where it writes none, the call gets the default's. */
typedef void (*sluice_id_generator)(void *user_data, char *id, size_t size);

/* All zero: the defaults. */
typedef struct sluice_engine_options {
    sluice_allocator allocator; /* all NULL: malloc and free */
    sluice_id_generator new_id; /* NULL: "call_" and 24 characters, unique in this process */
    void *user_data;            /* handed to new_id */
    size_t script_memory;       /* bytes that all scripts together may hold; 0: 64 MiB */
    uint64_t
        script_instructions; /* Lua instructions of one entry into a script; 0: 20 million. What
                                C functions do for a script counts by bytes and elements */
    uint64_t script_milliseconds; /* processor time of one entry; 0: 5 seconds, or more in
                                     proportion where more instructions are allowed */
} sluice_engine_options;

/* A new engine without any syntax; NULL where there is no memory, or less script_memory than the
 * engine itself takes (some 700 KB). `options` may be NULL and is copied. Free it with
 * sluice_engine_free, after all streams and tools made from it. */
SLUICE_API sluice_engine *sluice_engine_new(const sluice_engine_options *options);
SLUICE_API void sluice_engine_free(sluice_engine *engine); /* NULL is allowed */

/* Loads syntax scripts. `path` is a script, or a folder, of which every script is loaded. NULL
 * loads the scripts inside the library (all that its version has; the work is done when they are
 * first asked for), the installed folder (PREFIX/share/sluice/syntaxes, where it exists), and the
 * folders named in the environment variable SLUICE_PATH (separated by ':', on Windows by ';'). A
 * later script replaces an earlier
 * one of the same name, so files replace the library's own. Loading again reads changed files
 * again; open streams keep the old version. A script that fails to load does not keep the others
 * out: the answer is then SLUICE_E_SCRIPT, or SLUICE_E_NOT_FOUND for a folder that cannot be read.
 */
SLUICE_API int sluice_engine_load(sluice_engine *engine, const char *path);

/* Loads one syntax script from memory: `text`, `len` bytes of Lua source, copied. `name` is what
 * error messages call it, for example a file name; the name of the syntax is in the script.
 * `inherit` in it finds loaded syntaxes and those inside the library, no files. NULL as `engine` or
 * `name`: SLUICE_E_ARGUMENT. A script that cannot be loaded: SLUICE_E_SCRIPT, and a syntax of the
 * same name that was loaded before stays. */
SLUICE_API int sluice_engine_load_text(sluice_engine *engine, const char *name, const char *text,
                                       size_t len);

/* Why the last call on this engine failed, as a sentence; "" where it did not, and where the engine
 * is NULL. Valid until the next call on the engine. Calls on streams leave no sentence. */
SLUICE_API const char *sluice_engine_error(const sluice_engine *engine);

/* ---- Tools -------------------------------------------------------------------------------- */

/* Tool definitions as JSON text (`len` bytes, copied): OpenAI's `tools` array, Anthropic's, MCP's
 * or Gemini's, or a plain list of functions. A tool whose parameters cannot be found is refused.
 * NULL on failure: the engine has the sentence. Free with sluice_tools_free; streams made with it
 * keep what they need, so it may be freed before them. It serves its engine only: another refuses
 * it with SLUICE_E_ARGUMENT. */
SLUICE_API sluice_tools *sluice_tools_new(sluice_engine *engine, const char *json, size_t len);
SLUICE_API void sluice_tools_free(sluice_tools *tools); /* NULL is allowed */

/* ---- Streams ------------------------------------------------------------------------------ */

typedef enum sluice_event_type {
    SLUICE_TEXT,       /* a fragment of plain text */
    SLUICE_REASONING,  /* a fragment of reasoning */
    SLUICE_CALL_BEGIN, /* a call is announced: index, name, id (a generated one where the text's own
                          is not known yet: CALL_END has the final one) */
    SLUICE_ARGUMENTS,  /* a fragment of its arguments, JSON text; all joined are one object */
    SLUICE_PARAMETER,  /* on request: key, and a fragment of that parameter's value, decoded */
    SLUICE_CALL_END,   /* status, valid, final id, extra (a JSON object, or NULL) */
    SLUICE_MARKUP,     /* on request: bytes that are neither text nor call */
    SLUICE_ERROR       /* code, and a sentence in text; stands before the event it explains */
} sluice_event_type;

/* Run a call unasked only where its CALL_END is `valid`: it is complete or recovered, it names a
 * given tool, and its arguments satisfy that tool's schema. */
typedef enum sluice_status {
    SLUICE_COMPLETE,  /* every byte was read as the format says */
    SLUICE_RECOVERED, /* closers outside any value were missing, or a notation was mended; nothing
                         about the arguments is in doubt */
    SLUICE_INCOMPLETE /* the text ended inside a value, or bytes that may be an argument were not
                         taken */
} sluice_status;

typedef struct sluice_event {
    sluice_event_type type;
    const char *text; /* the fragment, or an ERROR's sentence; not NUL-terminated; NULL if none */
    size_t text_len;
    uint64_t start, end; /* the bytes of the response that it speaks for */
    size_t index;        /* the call, from 0; of an ERROR that speaks of no call SIZE_MAX */
    const char *name, *id, *key, *extra; /* NUL-terminated; NULL where they do not apply */
    sluice_status status;                /* of CALL_END */
    int valid; /* of CALL_END: 1 where the call may be run unasked. Where no tools were given any
                  name is good; with no_validation the schema is not asked */
    const char *code;     /* of ERROR: "unknown_tool", ...; else NULL */
    const char *syntax;   /* of CALL_BEGIN of a stream for "auto": whose call it is */
    uint64_t block_start; /* of CALL_END: where the call's bytes begin, which end at `end` */
    const char *source;   /* of CALL_END, with the option `source`: these bytes, as the model wrote
                             them (source_len; not NUL-terminated); NULL above 16 MiB */
    size_t source_len;
} sluice_event; /* all pointers are valid until the next call on the stream */

/* All zero: the defaults of the syntax. Values are those of the documentation's table of options;
 * strings are copied. */
typedef struct sluice_stream_options {
    const char *calls;              /* "streamed", "whole" */
    const char *start;              /* "text", "reasoning"; "text": a stray closer is text */
    const char *prompt;             /* the prompt's tail, from which the start is read */
    const char *calls_in_reasoning; /* "hold", "call", "text" */
    const char *reasoning_opens;    /* "line", "start", "anywhere" */
    const char *fences;             /* "script", "text", "call" */
    const char *unknown_tools;      /* "forward", "text" */
    const char *types;   /* "written", "schema": strings in JSON arguments, by the schema */
    const char *special; /* "text", "tokens": markers that are special tokens of the model count
                            only where they came by sluice_stream_feed_special */
    const char *mark;    /* a word that the openers and closers of a prompted format carry
                            (`<tool_call k3f9>`): what lacks it is text. Copied */
    int source;          /* CALL_END carries the call as the model wrote it */
    int strict;          /* read exactly what the description says */
    int no_repairs;      /* report broken values as bad_arguments, do not mend them */
    int no_validation;   /* do not check arguments against the tool's schema */
    int parameters;      /* also report PARAMETER events */
    int markup;          /* also report MARKUP events */
    size_t max_calls;    /* 0: as the script says; SIZE_MAX: no limit */
    size_t limit_name, limit_header, limit_value, limit_held, limit_depth; /* 0: the default */
} sluice_stream_options;

/* A stream for one response after the other. `syntax` is a name, an alias or a script's path; or
 * "auto", which recognises the format by its markers among all loaded scripts, or (as in
 * "auto:hermes,mistral") among some. `tools` and `options` may be NULL. NULL on failure: the engine
 * has the sentence. Free with sluice_stream_free. */
SLUICE_API sluice_stream *sluice_stream_new(sluice_engine *engine, const char *syntax,
                                            const sluice_tools *tools,
                                            const sluice_stream_options *options);
SLUICE_API void sluice_stream_free(sluice_stream *stream); /* NULL is allowed */

/* Hands over the next `len` bytes. They are borrowed until sluice_stream_next answers
 * SLUICE_NEED_INPUT; plain text is handed out of them without a copy. `len` 0 does nothing, and
 * `bytes` may be NULL then. After sluice_stream_finish: SLUICE_E_MISUSE. */
SLUICE_API int sluice_stream_feed(sluice_stream *stream, const char *bytes, size_t len);

/* The same, where the bytes are one special token of the model (`<tool_call>` as a token of its
 * own, not in pieces of text). It makes a difference with the option `special` = "tokens". */
SLUICE_API int sluice_stream_feed_special(sluice_stream *stream, const char *bytes, size_t len);

/* Says that the response is over. Call sluice_stream_next until SLUICE_DONE. */
SLUICE_API int sluice_stream_finish(sluice_stream *stream);

/* Makes the stream ready for the next response, with the same syntax, tools and options. */
SLUICE_API int sluice_stream_reset(sluice_stream *stream);

typedef enum sluice_next {
    SLUICE_EVENT,      /* *event is filled */
    SLUICE_NEED_INPUT, /* feed more, or finish */
    SLUICE_DONE        /* the response was finished and all its events are out */
} sluice_next;

/* The next event. Where memory runs out it hands out one ERROR no_memory and then SLUICE_DONE. */
SLUICE_API sluice_next sluice_stream_next(sluice_stream *stream, sluice_event *event);

typedef enum sluice_state {
    SLUICE_IN_TEXT,
    SLUICE_IN_REASONING,
    SLUICE_IN_POSSIBLE_BLOCK, /* bytes are held that may become a call, or text again */
    SLUICE_IN_CALL            /* a call was announced and has not ended */
} sluice_state;

/* Where the stream stands, for a progress display. `name` (may be NULL) gets the name of the open
 * call or NULL, valid until the next call on the stream; `held` (may be NULL) the bytes held.
 * Without a stream (NULL) it is in text, and nothing is held. */
SLUICE_API sluice_state sluice_stream_state(const sluice_stream *stream, const char **name,
                                            size_t *held);

/* What closes the arguments of the open call: behind its ARGUMENTS events that were handed out so
 * far, these bytes make one JSON object of them (`"}]}`; a key without its value gets null). Writes
 * at most `size` bytes, the NUL included, and answers how many bytes there are without it, as
 * snprintf does; 0 where no call is open. `buffer` may be NULL where `size` is 0. Takes as long as
 * the object is deep. */
SLUICE_API size_t sluice_stream_closing(const sluice_stream *stream, char *buffer, size_t size);

/* ---- Whole texts, and the other directions ------------------------------------------------ */

/* Strings handed out in `*out` are NUL-terminated, `*len` bytes long (`len` may be NULL), and freed
 * with sluice_free. On failure nothing is handed out. */
SLUICE_API void sluice_free(sluice_engine *engine, void *string); /* NULL is allowed */

/* One response as a JSON object: {"content", "reasoning", "calls", "errors"}. */
SLUICE_API int sluice_parse(sluice_engine *engine, const char *syntax, const sluice_tools *tools,
                            const sluice_stream_options *options, const char *text, size_t len,
                            char **json, size_t *json_len);

/* Calls, a JSON array of {"name", "arguments", "id"?, "extra"?}, to text in the model's format; or
 * a whole turn, an object of {"reasoning"?, "content"?, "calls"?, "results"?: [{"name"?, "id"?,
 * "content"}], "mark"?: as the stream option, "generation_prompt"?: true}. What the prompt ends
 * with where the model is to answer (Harmony's "<|start|>assistant") is written for such a turn
 * alone. SLUICE_E_REFUSED where the format cannot carry it. */
SLUICE_API int sluice_render(sluice_engine *engine, const char *syntax, const char *calls_json,
                             size_t len, char **out, size_t *out_len);

/* A grammar for the tools: `target` is "lark", "gbnf" or "structural-tag". `options_json` is NULL
 * or a JSON object: "tool_choice" ("auto", "required" or a tool's name), "parallel" (false: one
 * call), "reasoning" (true: it may stand before), "tokens" ("text", "special", or an object of
 * ids). SLUICE_E_REFUSED, with a sentence, where the target cannot say it; SLUICE_E_ARGUMENT where
 * there is no such target or option, and where there are no tools; SLUICE_E_JSON where the options
 * are no object. */
SLUICE_API int sluice_grammar(sluice_engine *engine, const char *syntax, const sluice_tools *tools,
                              const char *target, const char *options_json, char **out,
                              size_t *out_len);

/* Instructions that teach a model the format and the tools. `options_json` is NULL or a JSON
 * object: "variant" ("full", "short" or "native"). Errors as of sluice_grammar. */
SLUICE_API int sluice_prompt(sluice_engine *engine, const char *syntax, const sluice_tools *tools,
                             const char *options_json, char **out, size_t *out_len);

/* ---- Wire formats ------------------------------------------------------------------------- */

/* A response on its way: the bytes of one wire format in, those of another out, with the calls and
 * the reasoning of its text in their places. `from`: "text", "openai", "anthropic" or "ollama";
 * `to`: "openai", "anthropic", "ollama", "events", "result" or "openai-message". `model` is told
 * where the response does not say it itself (NULL: ""). Tools and options as of sluice_stream_new;
 * what is needed of them is kept. NULL: the sentence is the engine's. */
typedef struct sluice_wire sluice_wire;
SLUICE_API sluice_wire *sluice_wire_new(sluice_engine *engine, const char *syntax,
                                        const sluice_tools *tools,
                                        const sluice_stream_options *options, const char *from,
                                        const char *to, const char *model);
SLUICE_API void sluice_wire_free(sluice_wire *wire); /* NULL is fine; before its engine */

/* The next bytes of the body, cut anywhere; *out gets what is to be sent on, valid until the next
 * call on the wire. */
SLUICE_API int sluice_wire_feed(sluice_wire *wire, const char *bytes, size_t len, const char **out,
                                size_t *out_len);

/* The body is over; *out gets the last bytes. The wire is of no further use but to be freed:
 * feeding or finishing it again is SLUICE_E_MISUSE. */
SLUICE_API int sluice_wire_finish(sluice_wire *wire, const char **out, size_t *out_len);

/* ---- What there is ------------------------------------------------------------------------ */

/* Every loaded syntax as a JSON array of objects: name, aliases, models, special tokens, source. */
SLUICE_API int sluice_list(sluice_engine *engine, char **json, size_t *len);

/* The syntax for a model's name, or NULL where none or no single one fits (the engine's sentence
 * then has the candidates). Valid until the next call on the engine. */
SLUICE_API const char *sluice_syntax_for(sluice_engine *engine, const char *model);

/* Where the responses of that model start: "reasoning" where its prompt opens the reasoning, for
 * the option `start`; NULL: in text, as far as its script knows. A constant. */
SLUICE_API const char *sluice_start_for(sluice_engine *engine, const char *model);

#ifdef __cplusplus
}
#endif
#endif
