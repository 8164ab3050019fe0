/* The command `sluice`: the library's public interface on files and pipes. */
#define _GNU_SOURCE
#include "../core/json.h"
#include "../core/output.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

static sluice_allocator heap;
static sluice_engine *engine;

static const char usage[] =
    "usage: sluice COMMAND [OPTIONS] [FILE...]\n"
    "\n"
    "  parse    take the calls out of a response (standard input, or files)\n"
    "  batch    JSON Lines in, JSON Lines out\n"
    "  render   calls to text in a syntax\n"
    "  grammar  a grammar that makes a model write a syntax, for the given tools\n"
    "  prompt   instructions that teach a model a syntax and the given tools\n"
    "  list     every syntax\n"
    "  trace    the text of a response, coloured by what each byte was taken for\n"
    "  watch    trace samples anew at every save of a script or sample\n"
    "  new      a script to start from, and its corpus page\n"
    "  infer    a script read out of a model's responses\n"
    "  check    is a script in order? its examples, and the laws on random texts and calls\n"
    "\n"
    "'sluice COMMAND --help' tells the options of each; 'sluice --version' the version.\n";

static const char parse_help[] =
    "usage: sluice parse [-s SYNTAX | -m MODEL] [OPTIONS] [FILE...]\n"
    "\n"
    "Reads a response and prints what is in it: one JSON object a response, or events as they "
    "happen.\n"
    "\n"
    "  -s, --syntax SYNTAX      a name, an alias, a path to a script, or auto, which recognises "
    "the\n"
    "                           format (auto:NAME,NAME... among these; default: $SLUICE_SYNTAX)\n"
    "  -m, --model MODEL        the syntax of this model\n"
    "      --tools FILE         the tools that are given: an OpenAI `tools` array\n"
    "  -o, --output FORM        result (default), events, or a wire format: openai, anthropic, "
    "ollama\n"
    "      --from FORM          what comes in: text (default), openai, anthropic or ollama\n"
    "      --chunk N            feed N bytes at a time\n"
    "      --delay MS           wait before each chunk, to watch it stream\n"
    "      --start WHERE        text or reasoning: where the output begins\n"
    "      --calls WHEN         streamed or whole: when a call is announced\n"
    "      --option NAME=VALUE  any stream option; see docs/options.md\n";

static const char batch_help[] =
    "usage: sluice batch [--max-line BYTES] [FILE...]\n"
    "\n"
    "Reads a JSON object a line and prints one a line, in order:\n"
    "  {\"id\", \"syntax\", \"text\", \"tools\"?, \"chunk\"?, \"start\"?, \"options\"?, "
    "\"output\"?: \"events\"}\n"
    "  {\"id\", \"op\": \"render\", \"syntax\", \"calls\"}\n"
    "  {\"id\", \"op\": \"grammar\", \"syntax\", \"tools\", \"to\"?, \"options\"?}\n"
    "  {\"id\", \"op\": \"prompt\", \"syntax\", \"tools\", \"options\"?}\n"
    "\n"
    "      --max-line BYTES     longer lines are answered with an error (default 64 MiB)\n";

static const char render_help[] =
    "usage: sluice render -s SYNTAX [FILE]\n"
    "\n"
    "Reads calls, a JSON array of {\"name\", \"arguments\", \"id\"?, \"extra\"?}, and writes them "
    "as the model would.\n"
    "\n"
    "  -s, --syntax SYNTAX      a name, an alias, or a path to a script (default: $SLUICE_SYNTAX)\n"
    "  -m, --model MODEL        the syntax of this model\n";

static const char grammar_help[] =
    "usage: sluice grammar -s SYNTAX --tools FILE [--to TARGET] [--option NAME=VALUE]...\n"
    "\n"
    "Writes a grammar that makes a model write calls of these tools in this syntax.\n"
    "\n"
    "  -s, --syntax SYNTAX      a name, an alias, or a path to a script (default: $SLUICE_SYNTAX)\n"
    "  -m, --model MODEL        the syntax of this model\n"
    "      --tools FILE         the tools: an OpenAI `tools` array\n"
    "      --to TARGET          lark (llguidance; default), gbnf (llama.cpp) or structural-tag\n"
    "                           (XGrammar)\n"
    "      --option NAME=VALUE  tool_choice=auto|required|NAME, parallel=false, reasoning=true,\n"
    "                           tokens=special; see docs/grammars.md\n";

static const char prompt_help[] =
    "usage: sluice prompt -s SYNTAX --tools FILE [--option NAME=VALUE]...\n"
    "\n"
    "Writes instructions that teach a model this syntax and these tools.\n"
    "\n"
    "  -s, --syntax SYNTAX      a name, an alias, or a path to a script (default: $SLUICE_SYNTAX)\n"
    "  -m, --model MODEL        the syntax of this model\n"
    "      --tools FILE         the tools: an OpenAI `tools` array\n"
    "      --option NAME=VALUE  variant=full|short|native\n";

static const char list_help[] = "usage: sluice list [--json]\n"
                                "\n"
                                "Prints every syntax: name, aliases, models, what it can do.\n";

static const char trace_help[] =
    "usage: sluice trace [-s SYNTAX | -m MODEL] [--html | --explain] [--color WHEN] [OPTIONS]\n"
    "                    [FILE...]\n"
    "\n"
    "Prints a response with what each byte was taken for: in colours on a terminal, as a page of\n"
    "its own with --html, else in lines of ranges. What was wrong stands where it was met.\n"
    "\n"
    "      --html               a self-contained page\n"
    "      --explain            what of the description was tried at which byte, what it waited "
    "for,\n"
    "                           why it was rejected\n"
    "      --color WHEN         auto (default), always or never\n"
    "\n"
    "Other options as of 'sluice parse': --tools, --chunk, --start, --calls, --option.\n";

static const char watch_help[] =
    "usage: sluice watch [--tools FILE] [--color WHEN] SCRIPT SAMPLE...\n"
    "\n"
    "Traces the samples with the script, and again whenever one of these files is saved. A\n"
    "script that is at fault is told of in its place. Ctrl-C ends it.\n";

static const char new_help[] =
    "usage: sluice new NAME [--like SYNTAX | --from SAMPLE...]\n"
    "\n"
    "Writes NAME.lua, a commented script that passes 'sluice check', and NAME.md, its corpus\n"
    "page: the examples and the events that they give. Nothing is written over.\n"
    "\n"
    "      --like SYNTAX        a dialect of this syntax instead of a format of its own\n"
    "      --from SAMPLE        a first guess read out of a model's response; may be repeated\n"
    "      --calls FILE         the calls in the samples, as of 'sluice infer'\n";

static const char infer_help[] =
    "usage: sluice infer [--calls FILE] [--name NAME] SAMPLE...\n"
    "\n"
    "Finds the description that explains a model's responses, a file each: known syntaxes first,\n"
    "then dialects of them, then one made of what the samples share. Prints the script, and on\n"
    "standard error what it is and which samples it explains. The exit status is 1 where it\n"
    "does not explain all of them.\n"
    "\n"
    "      --calls FILE         the calls in the samples: JSON, for each sample the list of its\n"
    "                           calls, {\"name\", \"arguments\"} each; or such a list a line.\n"
    "                           Without it they are guessed.\n"
    "      --name NAME          of the syntax (default: mine)\n";

static const char check_help[] =
    "usage: sluice check SCRIPT...\n"
    "\n"
    "Loads each script, looks it over, tries its examples, then the laws on texts made of its\n"
    "literals and on calls that are written and read back. What fails is told with the smallest\n"
    "text that shows it. The exit status is 1 where a script does not pass.\n";

/* ---- Small things ------------------------------------------------------------------------- */

static int complain(const char *format, const char *what) {
    fputs("sluice: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return 1;
}

static int out_of_memory(void) { return complain("%s", "not enough memory"); }

static size_t distance(const char *a, const char *b) {
    size_t row[64], n = strlen(b);
    if (n > 62 || strlen(a) > 62)
        return 99;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t old = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = old;
        }
    }
    return row[n];
}

/* The name of the list most like `word`. */
static const char *nearest(const char *word, const char *const *names) {
    const char *best = NULL;
    size_t score = 0;
    for (; *names; names++) {
        size_t d = distance(word, *names);
        if (!best || d < score) {
            best = *names;
            score = d;
        }
    }
    return best;
}

static int misspelt(const char *kind, const char *word, const char *const *names) {
    fprintf(stderr, "sluice: there is no %s '%s'; the nearest is '%s'\n", kind, word,
            nearest(word, names));
    return 1;
}

static bool add(sluice__buffer *b, const char *s) { return sluice__buffer_text(&heap, b, s); }

static bool write_all(const sluice__buffer *b) {
    return fwrite(b->data, 1, b->len, stdout) == b->len;
}

/* Reads a whole file, or standard input for "-". False: it cannot be read; the reason is told. */
static bool read_file(const char *path, sluice__buffer *out) {
    int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    ssize_t n = -1;
    while (fd >= 0) {
        if (!sluice__buffer_reserve(&heap, out, 65536)) {
            errno = ENOMEM;
            break;
        }
        n = read(fd, out->data + out->len, 65536);
        if (n <= 0)
            break;
        out->len += (size_t)n;
    }
    if (n < 0)
        fprintf(stderr, "sluice: %s cannot be read: %s\n", path, strerror(errno));
    if (fd > 0)
        close(fd);
    return n >= 0;
}

static bool start_engine(const sluice_engine_options *options) {
    engine = sluice_engine_new(options);
    if (!engine)
        return out_of_memory(), false;
    if (sluice_engine_load(engine, NULL) !=
        SLUICE_OK) /* a broken script does not keep the others out */
        fprintf(stderr, "sluice: %s\n", sluice_engine_error(engine));
    return true;
}

/* ---- Stream options by name --------------------------------------------------------------- */

static const char *const option_names[] = {"calls",           "start",
                                           "prompt",          "calls_in_reasoning",
                                           "reasoning_opens", "fences",
                                           "unknown_tools",   "types",
                                           "special",         "strict",
                                           "repairs",         "validate",
                                           "parameters",      "markup",
                                           "source",          "max_calls",
                                           "limit_name",      "limit_header",
                                           "limit_value",     "limit_held",
                                           "limit_depth",     NULL};

static bool truth(const char *value, int *flag, bool turned) {
    bool yes = !strcmp(value, "true") || !strcmp(value, "1") || !strcmp(value, "yes") ||
               !strcmp(value, "on");
    bool no = !strcmp(value, "false") || !strcmp(value, "0") || !strcmp(value, "no") ||
              !strcmp(value, "off");
    *flag = turned ? no : yes;
    return yes || no;
}

static bool number(const char *value, size_t *to) {
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    *to = (size_t)n;
    return *value >= '0' && *value <= '9' && !*end;
}

/* Sets one option; NULL, or what is wrong. `value` must outlive the options. */
static const char *set_option(sluice_stream_options *o, const char *name, const char *value) {
    const char **texts[] = {
        &o->calls,           &o->start,  &o->prompt,        &o->calls_in_reasoning,
        &o->reasoning_opens, &o->fences, &o->unknown_tools, &o->types,
        &o->special};
    size_t *sizes[] = {&o->max_calls,   &o->limit_name, &o->limit_header,
                       &o->limit_value, &o->limit_held, &o->limit_depth};
    for (size_t i = 0; option_names[i]; i++) {
        if (strcmp(option_names[i], name) != 0)
            continue;
        if (i < 9) {
            *texts[i] = value;
            return NULL;
        }
        switch (i) {
        case 9:
            return truth(value, &o->strict, false) ? NULL : "is true or false";
        case 10:
            return truth(value, &o->no_repairs, true) ? NULL : "is true or false";
        case 11:
            return truth(value, &o->no_validation, true) ? NULL : "is true or false";
        case 12:
            return truth(value, &o->parameters, false) ? NULL : "is true or false";
        case 13:
            return truth(value, &o->markup, false) ? NULL : "is true or false";
        case 14:
            return truth(value, &o->source, false) ? NULL : "is true or false";
        default:
            if (!number(value, sizes[i - 15]))
                return "is a number";
            if (i == 15 && o->max_calls == 0)
                o->max_calls = SIZE_MAX;
            return NULL;
        }
    }
    return "";
}

/* ---- Results ------------------------------------------------------------------------------ */

/* Where a response's events go: a result object, or lines as they happen. */
struct target {
    bool events, lines; /* lines: each event printed at once; else collected in `list` */
    sluice__outcome outcome;
    sluice__buffer list;
};

static bool take_events(sluice_stream *s, struct target *t) {
    sluice_event e;
    sluice__buffer line = {0};
    bool good = true;
    while (good && sluice_stream_next(s, &e) == SLUICE_EVENT) {
        if (!t->events) {
            good = sluice__outcome_add(&heap, &t->outcome, &e);
        } else if (t->lines) {
            line.len = 0;
            good = sluice__json_event(&heap, &line, &e) &&
                   sluice__buffer_add(&heap, &line, "\n", 1) && write_all(&line);
        } else {
            good = (!t->list.len || sluice__buffer_add(&heap, &t->list, ", ", 2)) &&
                   sluice__json_event(&heap, &t->list, &e);
        }
    }
    sluice__buffer_release(&heap, &line);
    if (t->lines)
        fflush(stdout);
    return good;
}

/* Takes some bytes of a response; false: it could not. */
typedef bool (*taker)(void *user, const char *p, size_t n);

struct parsing {
    sluice_stream *stream;
    struct target *target;
};

static bool take_bytes(void *user, const char *p, size_t n) {
    struct parsing *to = user;
    return sluice_stream_feed(to->stream, p, n) == SLUICE_OK && take_events(to->stream, to->target);
}

/* Hands the bytes on, `chunk` at a time (0: all at once). */
static bool in_chunks(const char *p, size_t n, size_t chunk, unsigned delay, taker take,
                      void *user) {
    size_t step = chunk ? chunk : n;
    for (size_t i = 0; i < n; i += step) {
        if (delay)
            usleep(delay * 1000);
        if (!take(user, p + i, n - i < step ? n - i : step))
            return false;
    }
    return true;
}

/* ---- parse -------------------------------------------------------------------------------- */

/* What `sluice parse` was asked for. */
struct asked {
    const char *syntax, *from, *to, *model;
    const sluice_tools *tools;
    sluice_stream_options options;
    size_t chunk, delay;
    sluice__look look;
};

/* Hands a file on as it comes. 0; 1: the file cannot be read, as was told; -1: `take` could not. */
static int read_through(const char *path, const struct asked *asked, taker take, void *user) {
    int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    static char bytes[65536];
    ssize_t n = -1;
    bool good = true;
    while (good && fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
        good = in_chunks(bytes, (size_t)n, asked->chunk, (unsigned)asked->delay, take, user);
    if (n < 0)
        fprintf(stderr, "sluice: %s cannot be read: %s\n", path, strerror(errno));
    if (fd > 0)
        close(fd);
    return n < 0 ? 1 : good ? 0 : -1;
}

struct tracing {
    sluice_stream *stream;
    sluice__trace trace;
};

static bool trace_events(struct tracing *to) {
    sluice_event e;
    while (sluice_stream_next(to->stream, &e) == SLUICE_EVENT)
        if (!sluice__trace_event(&heap, &to->trace, &e))
            return false;
    return true;
}

static int parse_text(sluice_stream *s, const char *path, const struct asked *asked) {
    struct target t = {0};
    t.events = t.lines = strcmp(asked->to, "events") == 0;
    sluice_stream_reset(s);
    int status = read_through(path, asked, take_bytes, &(struct parsing){s, &t});
    if (status)
        return status < 0 ? out_of_memory() : status;
    sluice_stream_finish(s);
    bool good = take_events(s, &t);
    if (good && !t.events) {
        sluice__buffer out = {0};
        good = sluice__buffer_add(&heap, &out, "{", 1) &&
               sluice__outcome_json(&heap, &t.outcome, &out) &&
               sluice__buffer_add(&heap, &out, "}\n", 2) && write_all(&out);
        sluice__buffer_release(&heap, &out);
        sluice__outcome_release(&heap, &t.outcome);
    }
    return good ? 0 : out_of_memory();
}

static bool take_traced(void *user, const char *p, size_t n) {
    struct tracing *to = user;
    return sluice__trace_text(&heap, &to->trace, p, n) &&
           sluice_stream_feed(to->stream, p, n) == SLUICE_OK && trace_events(to);
}

static int trace_text(sluice_stream *s, const char *path, const struct asked *asked) {
    struct tracing to = {.stream = s};
    sluice__buffer out = {0};
    sluice_stream_reset(s);
    int status = read_through(path, asked, take_traced, &to);
    sluice_stream_finish(s);
    if (status < 0 ||
        (!status && (!trace_events(&to) ||
                     !sluice__trace_show(&heap, &to.trace, asked->look,
                                         strcmp(path, "-") ? path : asked->syntax, &out) ||
                     !write_all(&out))))
        status = out_of_memory();
    sluice__trace_release(&heap, &to.trace);
    sluice__buffer_release(&heap, &out);
    return status;
}

static bool pass_on(void *user, const char *p, size_t n) {
    const char *out;
    size_t len;
    if (sluice_wire_feed(user, p, n, &out, &len) != SLUICE_OK)
        return false;
    fwrite(out, 1, len, stdout);
    fflush(stdout);
    return true;
}

static int parse_wire(const char *path, const struct asked *asked) {
    sluice_wire *wire = sluice_wire_new(engine, asked->syntax, asked->tools, &asked->options,
                                        asked->from, asked->to, asked->model);
    if (!wire)
        return complain("%s", sluice_engine_error(engine));
    const char *out;
    size_t len;
    int status = read_through(path, asked, pass_on, wire);
    if (!status && sluice_wire_finish(wire, &out, &len) == SLUICE_OK)
        fwrite(out, 1, len, stdout);
    else if (status != 1)
        status = complain("%s", sluice_engine_error(engine));
    sluice_wire_free(wire);
    return status;
}

/* Is this one of the forms? If not, it is told which is the nearest. */
static bool is_form(const char *kind, const char *form, const char *const *forms) {
    for (const char *const *f = forms; *f; f++)
        if (!strcmp(form, *f))
            return true;
    misspelt(kind, form, forms);
    return false;
}

/* The syntax that was asked for by name, model or environment; NULL: told why not. */
static const char *chosen(const char *syntax, const char *model) {
    if (model) {
        syntax = sluice_syntax_for(engine, model);
        if (!syntax)
            complain("%s", sluice_engine_error(engine));
        return syntax;
    }
    if (!syntax)
        syntax = getenv("SLUICE_SYNTAX");
    if (!syntax || !*syntax) {
        complain(
            "%s",
            "which syntax? Give -s SYNTAX or -m MODEL ('sluice list' has the names), or -s auto");
        return NULL;
    }
    return syntax;
}

static const char *const long_names[] = {
    "syntax", "model",    "tools", "output", "chunk", "delay", "start", "calls", "option",  "from",
    "help",   "max-line", "json",  "to",     "html",  "color", "like",  "name",  "explain", NULL};

/* What getopt did not understand. `letters` and `words`: the options that take a value, short and
 * long. */
static int bad_option(char **argv, const char *letters, const char *words) {
    const char *word = argv[optind - 1];
    if (optopt && strchr(word[0] == '-' && word[1] == '-' ? words : letters, optopt)) {
        fprintf(stderr, "sluice: the option '%s' needs a value\n", word);
        return 1;
    }
    if (word[0] == '-' && word[1] == '-')
        return misspelt("option", word + 2, long_names);
    fprintf(stderr, "sluice: there is no option '-%c'\n", optopt);
    return 1;
}

/* When colours are wanted: `when`, or where a terminal is written to that does not say no. */
static bool colours(const char *when) {
    const char *no = getenv("NO_COLOR");
    return when[1] == 'l' || (when[1] == 'u' && isatty(1) && !(no && *no));
}

/* The tools of a file, or NULL: told why not. */
static sluice_tools *tools_from(const char *path) {
    sluice__buffer text = {0};
    sluice_tools *tools = NULL;
    if (read_file(path, &text)) {
        tools = sluice_tools_new(engine, text.data ? text.data : "", text.len);
        if (!tools)
            fprintf(stderr, "sluice: %s: %s\n", path, sluice_engine_error(engine));
    }
    sluice__buffer_release(&heap, &text);
    return tools;
}

/* `"key": `, behind what is there of an object. */
static bool add_key(sluice__buffer *out, const char *key) {
    return add(out, out->data[out->len - 1] == '{' ? "\"" : ", \"") && add(out, key) &&
           add(out, "\": ");
}

/* The same, and the text as a JSON string. */
static bool add_string(sluice__buffer *out, const char *key, const char *p, size_t n) {
    return add_key(out, key) && sluice__json_string(&heap, out, p, n);
}

/* Hundreds of texts, each many times. */
static const sluice_engine_options patient = {.script_instructions = 100000000000u,
                                              .script_memory = (size_t)512 << 20};

/* The stream options that were set, as members of a JSON object. */
static bool add_options(sluice__buffer *out, const sluice_stream_options *o) {
    const char *const texts[] = {
        o->calls,         o->start, o->prompt, o->calls_in_reasoning, o->reasoning_opens, o->fences,
        o->unknown_tools, o->types, o->special};
    const int flags[] = {o->strict,     o->no_repairs, o->no_validation,
                         o->parameters, o->markup,     o->source};
    const size_t sizes[] = {o->max_calls == SIZE_MAX ? 0 : o->max_calls,
                            o->limit_name,
                            o->limit_header,
                            o->limit_value,
                            o->limit_held,
                            o->limit_depth};
    char text[64];
    bool good = add(out, "{");
    for (size_t i = 0; option_names[i] && good; i++) {
        const char *name = option_names[i];
        if (i < 9) {
            good = !texts[i] || add_string(out, name, texts[i], strlen(texts[i]));
            continue;
        }
        if (i < 15 ? !flags[i - 9] : !sizes[i - 15] && !(i == 15 && o->max_calls))
            continue;
        if (i < 15) /* no_repairs and no_validation are turned */
            snprintf(text, sizeof text, "%s", i == 10 || i == 11 ? "false" : "true");
        else
            snprintf(text, sizeof text, "%zu", sizes[i - 15]);
        good = add_key(out, name) && add(out, text);
    }
    return good && add(out, "}");
}

/* trace --explain, of one file. */
static int explain_text(const char *path, const char *syntax, const char *tools,
                        const sluice_stream_options *options) {
    sluice__buffer text = {0}, tools_json = {0}, asked = {0};
    char *lines = NULL;
    int status = 1;
    if (read_file(path, &text) && (!tools || read_file(tools, &tools_json))) {
        const char *why = NULL;
        size_t at;
        bool good = add(&asked, "{") && add_string(&asked, "syntax", syntax, strlen(syntax)) &&
                    add_string(&asked, "text", text.data ? text.data : "", text.len) &&
                    add_key(&asked, "options") && add_options(&asked, options);
        if (good && tools && !sluice__is_json(&heap, tools_json.data, tools_json.len, &why, &at))
            fprintf(stderr, "sluice: %s: %s (at byte %zu)\n", tools, why, at);
        else if (!good ||
                 (tools && !(add_key(&asked, "tools") &&
                             sluice__buffer_add(&heap, &asked, tools_json.data, tools_json.len))) ||
                 !sluice__buffer_add(&heap, &asked, "}", 2))
            out_of_memory();
        else if (sluice_tool(engine, "explain", asked.data, &lines, NULL) != SLUICE_OK)
            complain("%s", sluice_engine_error(engine));
        else
            status = puts(lines) < 0;
    }
    sluice_free(engine, lines);
    sluice__buffer *buffers[] = {&text, &tools_json, &asked};
    for (int i = 0; i < 3; i++)
        sluice__buffer_release(&heap, buffers[i]);
    return status;
}

/* parse, and trace. */
static int parse_as(int argc, char **argv, bool trace) {
    static const struct option options[] = {
        {"syntax", 1, 0, 's'}, {"model", 1, 0, 'm'},   {"tools", 1, 0, 't'}, {"output", 1, 0, 'o'},
        {"chunk", 1, 0, 'c'},  {"delay", 1, 0, 'd'},   {"start", 1, 0, 'S'}, {"calls", 1, 0, 'C'},
        {"option", 1, 0, 'O'}, {"from", 1, 0, 'F'},    {"help", 0, 0, 'h'},  {"html", 0, 0, 'H'},
        {"color", 1, 0, 'K'},  {"explain", 0, 0, 'E'}, {0, 0, 0, 0}};
    static const char *const times[] = {"auto", "always", "never", NULL};
    const char *syntax = NULL, *model = NULL, *tools_path = NULL, *when = "auto";
    bool page = false, explain = false;
    static const char *const forms[] = {"result", "events", "openai", "anthropic", "ollama", NULL};
    static const char *const sources[] = {"text", "openai", "anthropic", "ollama", NULL};
    struct asked asked = {.from = "text", .to = "result"};
    sluice_stream_options *o = &asked.options;
    int c, status = 0;
    while ((c = getopt_long(argc, argv, "s:m:o:h", options, NULL)) != -1) {
        const char *wrong = NULL;
        switch (c) {
        case 's':
            syntax = optarg;
            break;
        case 'm':
            model = optarg;
            break;
        case 't':
            tools_path = optarg;
            break;
        case 'o':
            if (!is_form("output form", asked.to = optarg, forms))
                return 1;
            break;
        case 'c':
            if (!number(optarg, &asked.chunk))
                return complain("--chunk is a number of bytes, not '%s'", optarg);
            break;
        case 'd':
            if (!number(optarg, &asked.delay))
                return complain("--delay is a number of milliseconds, not '%s'", optarg);
            break;
        case 'S':
            o->start = optarg;
            break;
        case 'C':
            o->calls = optarg;
            break;
        case 'F':
            if (!is_form("input form", asked.from = optarg, sources))
                return 1;
            break;
        case 'O': {
            char *equals = strchr(optarg, '=');
            if (!equals)
                return complain("--option is NAME=VALUE, not '%s'", optarg);
            *equals = 0;
            wrong = set_option(o, optarg, equals + 1);
            if (wrong && !*wrong)
                return misspelt("stream option", optarg, option_names);
            if (wrong) {
                fprintf(stderr, "sluice: the option '%s' %s\n", optarg, wrong);
                return 1;
            }
            break;
        }
        case 'H':
            page = true;
            break;
        case 'E':
            explain = true;
            break;
        case 'K':
            if (!is_form("time for colours", when = optarg, times))
                return 1;
            break;
        case 'h':
            fputs(trace ? trace_help : parse_help, stdout);
            return 0;
        default:
            return bad_option(argv, "smo", "smotcdSCOFK");
        }
    }
    asked.look = page ? SLUICE__PAGE : colours(when) ? SLUICE__COLOURS : SLUICE__LINES;
    o->markup |= trace;
    bool wire =
        strcmp(asked.from, "text") || (strcmp(asked.to, "result") && strcmp(asked.to, "events"));
    if ((page || explain) && !trace)
        return complain("'%s' is an option of sluice trace", page ? "--html" : "--explain");
    if (page && explain)
        return complain("%s", "--html and --explain cannot both be");
    if (trace && (wire || strcmp(asked.to, "result")))
        return complain("%s", "a trace is of a text: there is no --from or -o");
    if (!start_engine(explain ? &patient : NULL) || !(syntax = chosen(syntax, model)))
        return 1;
    if (model && !o->start && !o->prompt)
        o->start = sluice_start_for(engine, model);
    if (explain) {
        for (int i = optind; i < argc + (optind == argc); i++)
            status |= explain_text(i < argc ? argv[i] : "-", syntax, tools_path, o);
        return status;
    }
    sluice_tools *tools = NULL;
    if (tools_path && !(tools = tools_from(tools_path)))
        return 1;
    asked.syntax = syntax;
    asked.tools = tools;
    asked.model = model ? model : syntax;
    sluice_stream *s = wire ? NULL : sluice_stream_new(engine, syntax, tools, o);
    if (!wire && !s)
        status = complain("%s", sluice_engine_error(engine));
    for (int i = optind; (wire || s) && i < argc + (optind == argc); i++) {
        const char *path = i < argc ? argv[i] : "-";
        status |= wire    ? parse_wire(path, &asked)
                  : trace ? trace_text(s, path, &asked)
                          : parse_text(s, path, &asked);
    }
    sluice_stream_free(s);
    sluice_tools_free(tools);
    return status;
}

static int parse_command(int argc, char **argv) { return parse_as(argc, argv, false); }
static int trace_command(int argc, char **argv) { return parse_as(argc, argv, true); }

/* ---- JSON Lines --------------------------------------------------------------------------- */

struct slice {
    const char *p;
    size_t n;
};

static bool ignore(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

static size_t skip_space(struct slice s, size_t i) {
    while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\r' || s.p[i] == '\n'))
        i++;
    return i;
}

/* The end of the value at i, in valid JSON. */
static size_t skip_value(struct slice s, size_t i) {
    size_t depth = 0;
    do {
        char c = s.p[i];
        if (c == '"') {
            for (i++; s.p[i] != '"'; i++)
                i += s.p[i] == '\\';
            i++;
        } else if (c == '{' || c == '[') {
            depth++;
            i++;
        } else if (c == '}' || c == ']') {
            depth--;
            i++;
        } else if (c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            i++;
        } else {
            while (i < s.n && !strchr(",:]} \t\r\n", s.p[i]))
                i++;
        }
    } while (depth);
    return i;
}

/* The next member of a JSON object; false at its end. `*i` is 0 to begin with. */
static bool next_member(struct slice object, size_t *i, struct slice *key, struct slice *value) {
    size_t at = *i ? skip_space(object, *i) : skip_space(object, skip_space(object, 0) + 1);
    if (at < object.n && object.p[at] == ',')
        at = skip_space(object, at + 1);
    if (at >= object.n || object.p[at] != '"')
        return false;
    size_t end = skip_value(object, at);
    *key = (struct slice){object.p + at + 1, end - at - 2};
    at = skip_space(object, skip_space(object, end) + 1);
    end = skip_value(object, at);
    *value = (struct slice){object.p + at, end - at};
    *i = end;
    return true;
}

static bool keep(void *user, sluice__token token, size_t depth, const char *p, size_t n) {
    (void)depth;
    return token != SLUICE__T_STRING || sluice__buffer_add(&heap, user, p, n);
}

/* Decodes a JSON string, with a NUL behind. False: it is none, or there is no memory. */
static bool decode(struct slice s, sluice__buffer *out) {
    out->len = 0;
    if (!s.n || s.p[0] != '"')
        return false;
    sluice__sink sink = {out, ignore, keep, 0, false, NULL, NULL};
    sluice__reader r;
    size_t used;
    sluice__reader_init(&r, &heap, &sink, 0, SLUICE__TOP_ANY, NULL, 0, 0);
    bool good = sluice__reader_feed(&r, s.p, s.n, true, &used) == SLUICE__READ_DONE;
    sluice__reader_release(&r);
    if (!good || !sluice__buffer_add(&heap, out, "", 1))
        return false;
    out->len--;
    return true;
}

static bool is(struct slice s, const char *text) {
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static bool add_id(sluice__buffer *out, struct slice id) {
    return add(out, "{\"id\": ") &&
           (id.n ? sluice__buffer_add(&heap, out, id.p, id.n) : add(out, "null"));
}

static bool refuse_line(sluice__buffer *out, struct slice id, const char *code,
                        const char *message) {
    out->len = 0;
    return add_id(out, id) && add(out, ", \"error\": {\"code\": \"") && add(out, code) &&
           add(out, "\", \"message\": ") &&
           sluice__json_string(&heap, out, message, strlen(message)) && add(out, "}}");
}

static const char *code_name(int code) {
    switch (code) {
    case SLUICE_E_NOMEM:
        return "no_memory";
    case SLUICE_E_ARGUMENT:
        return "bad_option";
    case SLUICE_E_NOT_FOUND:
        return "not_found";
    case SLUICE_E_SCRIPT:
        return "script_error";
    case SLUICE_E_JSON:
        return "bad_json";
    case SLUICE_E_UNSUPPORTED:
        return "unsupported";
    default:
        return "refused";
    }
}

enum { TEXTS = 24 };

/* One line of `batch`. False: no memory to answer with. */
static bool batch_line(struct slice line, sluice__buffer *out) {
    struct slice id = {0}, syntax = {0}, text = {0}, tools_json = {0}, op = {0}, calls = {0},
                 options = {0}, start = {0}, to = {0};
    struct slice key, value, output = {0};
    sluice__buffer texts[TEXTS] = {{0}}; /* decoded strings, for as long as the line lasts */
    size_t used = 0, chunk = 0, i = 0, at;
    const char *why, *wrong;
    char message[512];
    bool good = true;
    if (!sluice__is_json(&heap, line.p, line.n, &why, &at)) {
        snprintf(message, sizeof message, "the line is no JSON: %s (at byte %zu)", why, at);
        return refuse_line(out, id, "bad_json", message);
    }
    if (line.p[skip_space(line, 0)] != '{')
        return refuse_line(out, id, "bad_line", "the line is no JSON object");
    sluice_stream_options o = {0};
    while (next_member(line, &i, &key, &value)) {
        if (is(key, "id"))
            id = value;
        else if (is(key, "syntax"))
            syntax = value;
        else if (is(key, "text"))
            text = value;
        else if (is(key, "tools"))
            tools_json = value;
        else if (is(key, "op"))
            op = value;
        else if (is(key, "calls"))
            calls = value;
        else if (is(key, "options"))
            options = value;
        else if (is(key, "start"))
            start = value;
        else if (is(key, "to"))
            to = value;
        else if (is(key, "output"))
            output = value;
        else if (is(key, "chunk"))
            chunk = (size_t)strtoull(value.p, NULL, 10);
    }
#define TEXT(slice, name)                                                                          \
    do {                                                                                           \
        if (!decode(slice, &texts[used])) {                                                        \
            good = refuse_line(out, id, "bad_line", "'" name "' is missing or no string");         \
            goto done;                                                                             \
        }                                                                                          \
        used++;                                                                                    \
    } while (0)
    TEXT(syntax, "syntax");
    const char *name = texts[0].data;
    if (op.n && !is(op, "\"parse\"")) {
        char *made = NULL;
        size_t made_len = 0;
        int r = SLUICE_E_UNSUPPORTED;
        if (is(op, "\"render\"")) {
            r = calls.n ? sluice_render(engine, name, calls.p, calls.n, &made, &made_len)
                        : SLUICE_E_JSON;
            if (!calls.n) {
                good = refuse_line(out, id, "bad_line", "'calls' is missing");
                goto done;
            }
        } else if (is(op, "\"grammar\"") || is(op, "\"prompt\"")) {
            sluice_tools *tools = NULL;
            if (tools_json.n && !(tools = sluice_tools_new(engine, tools_json.p, tools_json.n))) {
                good = refuse_line(out, id, "bad_json", sluice_engine_error(engine));
                goto done;
            }
            const char *target = "lark", *given = NULL;
            if (to.n) {
                TEXT(to, "to");
                target = texts[used - 1].data;
            }
            if (options.n) {
                if (!sluice__buffer_add(&heap, &texts[used], options.p, options.n) ||
                    !sluice__buffer_add(&heap, &texts[used], "", 1)) {
                    good = false;
                    goto done;
                }
                given = texts[used++].data;
            }
            r = is(op, "\"grammar\"")
                    ? sluice_grammar(engine, name, tools, target, given, &made, &made_len)
                    : sluice_prompt(engine, name, tools, given, &made, &made_len);
            sluice_tools_free(tools);
        } else {
            good = refuse_line(out, id, "bad_line",
                               "'op' is \"parse\", \"render\", \"grammar\" or \"prompt\"");
            goto done;
        }
        if (r)
            good = refuse_line(out, id, code_name(r), sluice_engine_error(engine));
        else
            good = add_id(out, id) && add(out, ", \"text\": ") &&
                   sluice__json_string(&heap, out, made, made_len) && add(out, "}");
        sluice_free(engine, made);
        goto done;
    }
    TEXT(text, "text");
    if (start.n) {
        TEXT(start, "start");
        o.start = texts[used - 1].data;
    }
    i = 0;
    if (options.n && options.p[0] != '{') {
        good = refuse_line(out, id, "bad_line", "'options' is no object");
        goto done;
    }
    while (options.n && next_member(options, &i, &key, &value)) {
        char option[64];
        if (used >= TEXTS)
            break;
        snprintf(option, sizeof option, "%.*s", (int)(key.n < 63 ? key.n : 63), key.p);
        if (value.p[0] == '"') {
            TEXT(value, "options");
        } else {
            if (!sluice__buffer_add(&heap, &texts[used], value.p, value.n) ||
                !sluice__buffer_add(&heap, &texts[used], "", 1)) {
                good = false;
                goto done;
            }
            used++;
        }
        wrong = set_option(&o, option, texts[used - 1].data);
        if (wrong) {
            if (*wrong)
                snprintf(message, sizeof message, "the option '%s' %s", option, wrong);
            else
                snprintf(message, sizeof message, "there is no option '%s'; the nearest is '%s'",
                         option, nearest(option, option_names));
            good = refuse_line(out, id, "bad_option", message);
            goto done;
        }
    }
    sluice_tools *tools = NULL;
    if (tools_json.n && !is(tools_json, "null") &&
        !(tools = sluice_tools_new(engine, tools_json.p, tools_json.n))) {
        good = refuse_line(out, id, "bad_json", sluice_engine_error(engine));
        goto done;
    }
    sluice_stream *s = sluice_stream_new(engine, name, tools, &o);
    if (!s) {
        good = refuse_line(out, id, "not_found", sluice_engine_error(engine));
    } else {
        struct target t = {0};
        t.events = is(output, "\"events\"");
        good =
            in_chunks(texts[1].data, texts[1].len, chunk, 0, take_bytes, &(struct parsing){s, &t});
        sluice_stream_finish(s);
        good = good && take_events(s, &t) && add_id(out, id);
        if (t.events)
            good = good && add(out, ", \"events\": [") &&
                   sluice__buffer_add(&heap, out, t.list.data, t.list.len) && add(out, "]}");
        else
            good = good && add(out, ", ") && sluice__outcome_json(&heap, &t.outcome, out) &&
                   add(out, "}");
        sluice__buffer_release(&heap, &t.list);
        sluice__outcome_release(&heap, &t.outcome);
        sluice_stream_free(s);
    }
    sluice_tools_free(tools);
done:
    for (size_t k = 0; k < TEXTS; k++)
        sluice__buffer_release(&heap, &texts[k]);
    return good;
}

/* Reads lines in constant memory: one that is too long is passed over and answered with an error.
 */
static int batch_file(const char *path, size_t max_line) {
    int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    sluice__buffer in = {0}, out = {0};
    size_t scanned = 0;
    bool too_long = false, ended = false, good = true;
    if (fd < 0) {
        fprintf(stderr, "sluice: %s cannot be read: %s\n", path, strerror(errno));
        return 1;
    }
    while (good && !ended) {
        if (!sluice__buffer_reserve(&heap, &in, 65536)) {
            good = false;
            break;
        }
        ssize_t n = read(fd, in.data + in.len, 65536);
        ended = n <= 0;
        if (n > 0)
            in.len += (size_t)n;
        size_t start = 0;
        while (good) {
            char *newline =
                in.len > scanned ? memchr(in.data + scanned, '\n', in.len - scanned) : NULL;
            size_t end = newline ? (size_t)(newline - in.data) : in.len;
            if (!newline && !(ended && end > start)) {
                scanned = in.len;
                break;
            }
            struct slice line = {in.data + start, end - start};
            if (too_long || line.n > max_line) {
                good = refuse_line(&out, (struct slice){0}, "line_too_long",
                                   "the line is longer than --max-line allows");
            } else if (skip_space(line, 0) < line.n) {
                out.len = 0;
                good = batch_line(line, &out);
            } else {
                out.len = 0;
            }
            too_long = false;
            if (good && out.len)
                good = sluice__buffer_add(&heap, &out, "\n", 1) && write_all(&out);
            start = end + (newline != NULL);
            scanned = start;
            if (!newline)
                break;
        }
        sluice__buffer_drop(&in, start);
        scanned -= start;
        if (in.len > max_line) { /* forget it, but for the fact that it is too long */
            too_long = true;
            in.len = 1;
            scanned = 1;
        }
        if (in.cap > (4 << 20) &&
            in.len < 65536) { /* one long line shall not cost memory for ever */
            sluice__buffer fresh = {0};
            if (sluice__buffer_add(&heap, &fresh, in.data, in.len)) {
                sluice__buffer_release(&heap, &in);
                in = fresh;
            }
        }
        if (out.cap > (4 << 20))
            sluice__buffer_release(&heap, &out);
        fflush(stdout);
    }
    if (fd > 0)
        close(fd);
    sluice__buffer_release(&heap, &in);
    sluice__buffer_release(&heap, &out);
    return good ? 0 : out_of_memory();
}

static int batch_command(int argc, char **argv) {
    static const struct option options[] = {
        {"max-line", 1, 0, 'm'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    size_t max_line = (size_t)64 << 20;
    int c, status = 0;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'm') {
            if (!number(optarg, &max_line) || !max_line)
                return complain("--max-line is a number of bytes, not '%s'", optarg);
        } else if (c == 'h') {
            fputs(batch_help, stdout);
            return 0;
        } else {
            return bad_option(argv, "", "m");
        }
    }
    if (!start_engine(NULL))
        return 1;
    if (optind == argc)
        return batch_file("-", max_line);
    for (int i = optind; i < argc; i++)
        status |= batch_file(argv[i], max_line);
    return status;
}

/* ---- render ------------------------------------------------------------------------------- */

static int render_command(int argc, char **argv) {
    static const struct option options[] = {
        {"syntax", 1, 0, 's'}, {"model", 1, 0, 'm'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    const char *syntax = NULL, *model = NULL;
    int c;
    while ((c = getopt_long(argc, argv, "s:m:h", options, NULL)) != -1) {
        if (c == 's') {
            syntax = optarg;
        } else if (c == 'm') {
            model = optarg;
        } else if (c == 'h') {
            fputs(render_help, stdout);
            return 0;
        } else {
            return bad_option(argv, "sm", "sm");
        }
    }
    if (argc - optind > 1)
        return complain("render reads one file, and '%s' is another", argv[optind + 1]);
    sluice__buffer calls = {0};
    if (!start_engine(NULL) || !(syntax = chosen(syntax, model)) ||
        !read_file(optind < argc ? argv[optind] : "-", &calls))
        return 1;
    char *out;
    size_t len;
    int r = sluice_render(engine, syntax, calls.data ? calls.data : "", calls.len, &out, &len);
    sluice__buffer_release(&heap, &calls);
    if (r)
        return complain("%s", sluice_engine_error(engine));
    fwrite(out, 1, len, stdout);
    sluice_free(engine, out);
    return 0;
}

/* ---- grammar, prompt ---------------------------------------------------------------------- */

/* NAME=VALUE as a member of a JSON object: true, false and numbers as they are, else a string. */
static bool add_member(sluice__buffer *out, const char *text) {
    const char *equals = strchr(text, '='), *why;
    size_t at;
    if (!equals)
        return false;
    const char *value = equals + 1;
    bool json = !strcmp(value, "true") || !strcmp(value, "false") || *value == '{' ||
                (*value >= '0' && *value <= '9');
    json = json && sluice__is_json(&heap, value, strlen(value), &why, &at);
    return add(out, out->len ? ", " : "{") &&
           sluice__json_string(&heap, out, text, (size_t)(equals - text)) && add(out, ": ") &&
           (json ? add(out, value) : sluice__json_string(&heap, out, value, strlen(value)));
}

/* `grammar`: else a prompt. */
static int made_for_tools(int argc, char **argv, bool grammar) {
    static const struct option options[] = {
        {"syntax", 1, 0, 's'}, {"model", 1, 0, 'm'}, {"tools", 1, 0, 't'}, {"to", 1, 0, 'T'},
        {"option", 1, 0, 'O'}, {"help", 0, 0, 'h'},  {0, 0, 0, 0}};
    const char *syntax = NULL, *model = NULL, *tools_path = NULL, *target = "lark";
    sluice__buffer given = {0}, json = {0};
    int c;
    while ((c = getopt_long(argc, argv, "s:m:h", options, NULL)) != -1) {
        if (c == 's') {
            syntax = optarg;
        } else if (c == 'm') {
            model = optarg;
        } else if (c == 't') {
            tools_path = optarg;
        } else if (c == 'T') {
            if (!grammar)
                return complain("%s", "a prompt has no target; --to is an option of grammar");
            target = optarg;
        } else if (c == 'O') {
            if (!add_member(&given, optarg))
                return complain("the option '%s' needs the form NAME=VALUE", optarg);
        } else if (c == 'h') {
            fputs(grammar ? grammar_help : prompt_help, stdout);
            return 0;
        } else {
            return bad_option(argv, "sm", "smtTO");
        }
    }
    if (optind < argc)
        return complain("'%s' is one argument too many", argv[optind]);
    if (!tools_path)
        return complain("%s", "which tools? Give --tools FILE, an OpenAI `tools` array");
    if ((given.len && !sluice__buffer_add(&heap, &given, "}", 2)) || !start_engine(NULL) ||
        !(syntax = chosen(syntax, model)) || !read_file(tools_path, &json))
        return 1;
    sluice_tools *tools = sluice_tools_new(engine, json.data ? json.data : "", json.len);
    sluice__buffer_release(&heap, &json);
    char *out = NULL;
    size_t len = 0;
    int r = SLUICE_E_JSON;
    if (tools)
        r = grammar ? sluice_grammar(engine, syntax, tools, target, given.data, &out, &len)
                    : sluice_prompt(engine, syntax, tools, given.data, &out, &len);
    sluice_tools_free(tools);
    sluice__buffer_release(&heap, &given);
    if (r)
        return complain("%s", sluice_engine_error(engine));
    fwrite(out, 1, len, stdout);
    sluice_free(engine, out);
    return 0;
}

static int grammar_command(int argc, char **argv) { return made_for_tools(argc, argv, true); }
static int prompt_command(int argc, char **argv) { return made_for_tools(argc, argv, false); }

/* ---- list --------------------------------------------------------------------------------- */

/* Prints a JSON array of strings with commas between. */
static void print_strings(struct slice array) {
    sluice__buffer text = {0};
    bool first = true;
    for (size_t i = 1; i < array.n;) {
        i = skip_space(array, i);
        if (i >= array.n || array.p[i] != '"')
            break;
        size_t end = skip_value(array, i);
        if (decode((struct slice){array.p + i, end - i}, &text))
            printf("%s%s", first ? "" : ", ", text.data);
        first = false;
        i = skip_space(array, end);
        i += i < array.n && array.p[i] == ',';
    }
    sluice__buffer_release(&heap, &text);
}

static int list_command(int argc, char **argv) {
    static const struct option options[] = {{"json", 0, 0, 'j'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    bool json = false;
    int c;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'j') {
            json = true;
        } else if (c == 'h') {
            fputs(list_help, stdout);
            return 0;
        } else {
            return bad_option(argv, "", "");
        }
    }
    char *text;
    size_t len;
    if (!start_engine(NULL))
        return 1;
    if (sluice_list(engine, &text, &len) != SLUICE_OK)
        return complain("%s", sluice_engine_error(engine));
    if (len <= 2)
        return complain("%s", "no syntax is loaded");
    if (json) {
        puts(text);
        sluice_free(engine, text);
        return 0;
    }
    struct slice list = {text, len};
    for (size_t i = skip_space(list, 1); i < len && text[i] == '{';) {
        size_t end = skip_value(list, i), at = 0;
        struct slice item = {text + i, end - i}, key, value, name = {0}, aliases = {0},
                     models = {0}, can = {0};
        while (next_member(item, &at, &key, &value)) {
            if (is(key, "name"))
                name = value;
            else if (is(key, "aliases"))
                aliases = value;
            else if (is(key, "models"))
                models = value;
            else if (is(key, "can"))
                can = value;
        }
        printf("%-18.*s ", (int)(name.n - 2), name.p + 1);
        print_strings(can);
        if (aliases.n > 2) {
            printf("; also ");
            print_strings(aliases);
        }
        if (models.n > 2) {
            printf("; for ");
            print_strings(models);
        }
        putchar('\n');
        i = skip_space(list, end);
        i = skip_space(list, i + (i < len && text[i] == ','));
    }
    sluice_free(engine, text);
    return 0;
}

#ifdef __linux__
/* Traces the samples with the script as it is now. */
static void draw(char **files, int count, const char *tools_path, sluice__look look) {
    const char *script = files[0], *clear = look == SLUICE__COLOURS ? "\033[H\033[2J\033[3J" : "";
    struct asked asked = {.syntax = script, .look = look, .options = {.markup = 1}};
    sluice_engine_free(engine); /* what a script before left is gone */
    fputs(clear, stdout);
    sluice_tools *tools = NULL;
    sluice_stream *s = NULL;
    if (start_engine(NULL) && (!tools_path || (tools = tools_from(tools_path)))) {
        s = sluice_stream_new(engine, script, tools, &asked.options);
        if (!s)
            printf("%s\n", sluice_engine_error(engine));
    }
    for (int i = 1; s && i < count; i++) {
        printf("-- %s\n", files[i]);
        fflush(stdout);
        trace_text(s, files[i], &asked);
    }
    sluice_stream_free(s);
    sluice_tools_free(tools);
    fflush(stdout);
}

/* Waits until one of the files was saved. They are watched by their folders, since editors put new
 * files in the places of old ones. False: nothing can be watched. */
static bool wait_for_save(int watch, char **files, int count) {
    _Alignas(struct inotify_event) char bytes[4096];
    for (;;) {
        ssize_t n = read(watch, bytes, sizeof bytes);
        if (n <= 0)
            return false;
        for (char *p = bytes; p < bytes + n;) {
            const struct inotify_event *e = (const void *)p;
            for (int i = 0; i < count; i++) {
                const char *slash = strrchr(files[i], '/');
                if (e->len && !strcmp(e->name, slash ? slash + 1 : files[i])) {
                    usleep(20000); /* what else is saved with it; then forget those events */
                    fcntl(watch, F_SETFL, O_NONBLOCK);
                    while (read(watch, bytes, sizeof bytes) > 0) {
                    }
                    fcntl(watch, F_SETFL, 0);
                    return true;
                }
            }
            p += sizeof *e + e->len;
        }
    }
}

static int watch_command(int argc, char **argv) {
    static const struct option options[] = {
        {"tools", 1, 0, 't'}, {"color", 1, 0, 'K'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    static const char *const times[] = {"auto", "always", "never", NULL};
    const char *tools_path = NULL, *when = "auto";
    int c;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 't') {
            tools_path = optarg;
        } else if (c == 'K') {
            if (!is_form("time for colours", when = optarg, times))
                return 1;
        } else if (c == 'h') {
            fputs(watch_help, stdout);
            return 0;
        } else {
            return bad_option(argv, "", "tK");
        }
    }
    char **files = argv + optind;
    int count = argc - optind, watch = inotify_init1(IN_CLOEXEC);
    if (count < 2)
        return complain("%s", "which script and samples? Give their paths");
    for (int i = 0; i < count; i++) {
        char folder[PATH_MAX];
        const char *slash = strrchr(files[i], '/');
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - files[i]) + 1 : 1,
                 slash ? files[i] : ".");
        if (watch < 0 || inotify_add_watch(watch, folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
            return complain("%s cannot be watched", folder);
    }
    do
        draw(files, count, tools_path, colours(when) ? SLUICE__COLOURS : SLUICE__LINES);
    while (wait_for_save(watch, files, count));
    close(watch);
    return 0;
}
#else
static int watch_command(int argc, char **argv) {
    (void)argc, (void)argv;
    return complain("%s", "files can be watched on Linux only");
}
#endif

/* Writes a new file; what is there stays. False: told why not. */
static bool write_file(const char *path, const sluice__buffer *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    bool good = fd >= 0 && write(fd, text->data, text->len) == (ssize_t)text->len;
    if (!good)
        fprintf(stderr, "sluice: %s cannot be written: %s\n", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

/* What is asked of `infer`: samples and, of a file, their calls, as members of a JSON object. */
static bool add_samples(sluice__buffer *out, char **paths, int count, const char *calls) {
    sluice__buffer text = {0};
    const char *why;
    size_t at;
    bool good = add_key(out, "samples") && add(out, "[");
    for (int i = 0; i < count && good; i++) {
        text.len = 0;
        good = read_file(paths[i], &text) && add(out, i ? ", {" : "{") &&
               add_string(out, "path", paths[i], strlen(paths[i])) &&
               add_string(out, "text", text.data ? text.data : "", text.len) && add(out, "}");
    }
    good = good && add(out, "]");
    if (good && calls) {
        text.len = 0;
        good = read_file(calls, &text) && sluice__buffer_add(&heap, &text, "", 1);
        text.len -= good;
        bool whole = good && sluice__is_json(&heap, text.data, text.len, &why, &at);
        size_t end = text.len;
        while (end && strchr(" \t\r\n", text.data[end - 1]))
            end--;
        for (size_t i = 0; i < end && !whole; i++) /* JSON Lines */
            if (text.data[i] == '\n')
                text.data[i] = ',';
        size_t from = out->len;
        good = good && add(out, whole ? ", \"calls\": " : ", \"calls\": [") &&
               sluice__buffer_add(&heap, out, text.data, end) && add(out, whole ? "" : "]");
        from += strlen(", \"calls\": ");
        if (good && !sluice__is_json(&heap, out->data + from, out->len - from, &why, &at)) {
            fprintf(stderr, "sluice: %s: %s (at byte %zu)\n", calls, why, at - !whole);
            good = false;
        }
    }
    sluice__buffer_release(&heap, &text);
    return good;
}

/* new, and infer. */
static int make_script(int argc, char **argv, bool infer) {
    static const struct option options[] = {{"like", 1, 0, 'l'},  {"from", 1, 0, 'f'},
                                            {"calls", 1, 0, 'c'}, {"name", 1, 0, 'n'},
                                            {"help", 0, 0, 'h'},  {0, 0, 0, 0}};
    const char *like = NULL, *name = NULL, *calls = NULL, *tool = "infer";
    int c, count = 0;
    static char *samples[256];
    enum { MOST = sizeof samples / sizeof *samples };
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'h') {
            fputs(infer ? infer_help : new_help, stdout);
            return 0;
        } else if (c == 'l' && !infer) {
            like = optarg;
        } else if (c == 'f' && !infer && count < MOST) {
            samples[count++] = optarg;
        } else if (c == 'c') {
            calls = optarg;
        } else if (c == 'n' && infer) {
            name = optarg;
        } else {
            return bad_option(argv, "", "lfcn");
        }
    }
    if (infer) {
        while (count < MOST && optind < argc)
            samples[count++] = argv[optind++];
        name = name ? name : "mine";
        if (!count)
            return complain("%s", "which samples? Give their paths");
    } else {
        if (optind == argc)
            return complain("%s", "which name? Give one");
        name = argv[optind];
        optind++;
        while (count && count < MOST && optind < argc) /* --from a b c */
            samples[count++] = argv[optind++];
        if (like && count)
            return complain("%s", "--like and --from cannot both be");
        if (calls && !count)
            return complain("%s", "--calls tells the calls of samples: give these with --from");
        if (!count)
            tool = "new";
    }
    if (optind < argc)
        return complain("'%s' is one argument too many", argv[optind]);
    sluice__buffer asked = {0}, path = {0}, script = {0}, page = {0}, report = {0};
    char *made = NULL;
    size_t len = 0, at = 0, explained = 0;
    bool good = add(&asked, "{") && add_string(&asked, "name", name, strlen(name)) &&
                (!like || add_string(&asked, "like", like, strlen(like))) &&
                (!count || add_samples(&asked, samples, count, calls)) &&
                sluice__buffer_add(&heap, &asked, "}", 2) && start_engine(&patient);
    if (good && sluice_tool(engine, tool, asked.data, &made, &len) != SLUICE_OK)
        good = !complain("%s", sluice_engine_error(engine));
    struct slice object = {made, len}, key, value;
    while (good && next_member(object, &at, &key, &value)) {
        if (is(key, "explained"))
            explained = (size_t)strtoull(value.p, NULL, 10);
        else
            good = decode(value, is(key, "script") ? &script
                                 : is(key, "page") ? &page
                                                   : &report) ||
                   !out_of_memory();
    }
    if (good && report.len)
        fprintf(stderr, "%s\n", report.data);
    static const char *const endings[] = {".lua", ".md"};
    const sluice__buffer *texts[] = {&script, &page};
    for (int i = 0; i < 2 && good && !infer; i++) {
        path.len = 0;
        good = add(&path, name) && add(&path, endings[i]) &&
               sluice__buffer_add(&heap, &path, "", 1) && write_file(path.data, texts[i]);
        if (good)
            printf("%s\n", path.data);
    }
    if (good && infer)
        good = write_all(&script) && explained == (size_t)count;
    sluice_free(engine, made);
    sluice__buffer *buffers[] = {&asked, &path, &script, &page, &report};
    for (int i = 0; i < 5; i++)
        sluice__buffer_release(&heap, buffers[i]);
    return !good;
}

static int new_command(int argc, char **argv) { return make_script(argc, argv, false); }
static int infer_command(int argc, char **argv) { return make_script(argc, argv, true); }

static int check_command(int argc, char **argv) {
    static const struct option options[] = {{"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    int c, status = 0;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c != 'h')
            return bad_option(argv, "", "");
        fputs(check_help, stdout);
        return 0;
    }
    if (optind == argc)
        return complain("%s", "which script? Give its path");
    if (!start_engine(&patient))
        return 1;
    for (int i = optind; i < argc; i++) {
        char *first = NULL, *whole = NULL;
        const char *verdict;
        size_t shown = 0; /* what is seen at once is printed before the laws are tried */
        if (sluice_tool(engine, "look", argv[i], &first, &shown) == SLUICE_OK) {
            fputs(first, stdout);
            fflush(stdout);
        }
        if (sluice_tool(engine, "check", argv[i], &whole, NULL) == SLUICE_OK) {
            verdict = whole;
        } else {
            verdict = sluice_engine_error(engine);
            status = 1;
        }
        puts(first && strncmp(verdict, first, shown) == 0 ? verdict + shown : verdict);
        fflush(stdout);
        sluice_free(engine, first);
        sluice_free(engine, whole);
    }
    return status;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"parse", "batch", "render", "grammar", "prompt", "list",
                                        "trace", "watch", "new",    "infer",   "check",  NULL};
    int (*const commands[])(int, char **) = {
        parse_command, batch_command, render_command, grammar_command, prompt_command, list_command,
        trace_command, watch_command, new_command,    infer_command,   check_command};
    heap = sluice__libc_allocator();
    opterr = 0;
    if (argc < 2) {
        fputs(usage, stderr);
        return 1;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("sluice %s\n", sluice_version());
        return 0;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        fputs(usage, stdout);
        return 0;
    }
    int status = -1;
    for (int i = 0; names[i]; i++)
        if (!strcmp(argv[1], names[i]))
            status = commands[i](argc - 1, argv + 1);
    if (status < 0)
        status = misspelt("command", argv[1], names);
    sluice_engine_free(engine);
    if (fflush(stdout) != 0 || ferror(stdout))
        status = 1;
    return status;
}
