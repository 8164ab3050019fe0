/* The public interface, used by a program that is linked against libsluice. */
#include "check.h"

#include <sluice.h>
#include <stdbool.h>
#include <stdlib.h>

static size_t in_use, heap; /* heap: including malloc's overhead for each block */

static size_t on_heap(size_t size) {
    size_t block = (size + 8 + 15) / 16 * 16;
    return !size ? 0 : block < 32 ? 32 : block;
}

static void *counting(void *user, void *block, size_t old_size, size_t size) {
    (void)user;
    in_use += size - (block ? old_size : 0);
    heap += on_heap(size) - (block ? on_heap(old_size) : 0);
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static void fixed_id(void *user, char *id, size_t size) {
    snprintf(id, size, "%s", (const char *)user);
}

static const char tools_json[] = "[{\"type\": \"function\", \"function\": {\"name\": \"f\", "
                                 "\"parameters\": {\"type\": \"object\","
                                 "\"properties\": {\"n\": {\"type\": \"integer\"}}}}}]";

/* Writes the events of `text` in chunks of `chunk` bytes as text; consecutive fragments are joined,
 * whatever their type. */
static size_t events_text(sluice_stream *s, const char *text, size_t chunk, char *out,
                          size_t size) {
    size_t n = strlen(text), len = 0;
    sluice_event e, last = {0};
    bool finished = false;
    for (size_t i = 0; !finished;) {
        size_t k = n - i < chunk ? n - i : chunk;
        char *lent = malloc(k + 1); /* the stream must not read it later */
        memcpy(lent, text + i, k);
        finished = k == 0;
        CHECK((finished ? sluice_stream_finish(s) : sluice_stream_feed(s, lent, k)) == SLUICE_OK);
        i += k;
        while (sluice_stream_next(s, &e) == SLUICE_EVENT) {
            bool joined = e.type == last.type && e.start == last.end && e.type != SLUICE_ERROR;
            if (!joined)
                len += (size_t)snprintf(out + len, size - len, "\n%d %zu %d %s: ", (int)e.type,
                                        (size_t)e.start, (int)e.status, e.code ? e.code : "");
            for (size_t b = 0; b < e.text_len && len + 1 < size; b++)
                out[len++] = e.text[b];
            last = e;
        }
        free(lent);
    }
    CHECK(len + 1 < size);
    sluice_stream_reset(s);
    return len;
}

/* The end of a chunk is held on the fast path of text, reasoning and strings: blanks, beginnings of
 * literals, escapes and characters, whole and broken ones. */
static void chunks(sluice_engine *engine) {
    static const char hard[] =
        "plain words 1 < 2 </ </par x</parameterx  \t \xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC "
        "\xF0\x9F\x98\x80 \x7F \xC3( \xE6\x97! \xF0\x9F\x98 \x80 \xFF "
        "                                                                                "
        "<tool_cal <thin </think `a < b` ``c` d`` e` <| end\xC3";
    static const char escapes[] = "\\n \\\\ \\\" \\u00e9 \\u12 \\ud83d\\ude00 \\q \\u";
    static const struct {
        const char *syntax, *head, *tail;
        bool json;
    } calls[] = {
        {"hermes", "<tool_call>\n{\"name\": \"g\", \"arguments\": {\"t\": \"", "\"}}\n</tool_call>",
         true},
        {"qwen3_coder", "<tool_call>\n<function=g>\n<parameter=t>\n",
         "\n</parameter>\n</function>\n</tool_call>", false},
        {"glm45", "<tool_call>g\n<arg_key>t</arg_key>\n<arg_value>", "</arg_value>\n</tool_call>",
         false},
        {"cline", "<execute_command>\n<command>", "</command>\n</execute_command>", false},
        {"auto", "<tool_call>\n<function=g>\n<parameter=t>\n",
         "\n</parameter>\n</function>\n</tool_call>", false},
    };
    static char text[4096], whole[16384], cut[16384];
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        for (int kept = 0; kept < 2; kept++) {
            sluice_stream_options o = {.no_validation = !kept};
            sluice_stream *s = sluice_stream_new(engine, calls[k].syntax, NULL, &o);
            CHECK(s != NULL);
            snprintf(text, sizeof text, "<think>\n%s  \n</think>\n\n%s %s%s%s%s\nmore: %s", hard,
                     hard, calls[k].head, hard, calls[k].json ? escapes : "\"\\ \n\n\t x",
                     calls[k].tail, hard);
            size_t len = events_text(s, text, sizeof text, whole, sizeof whole);
            for (size_t chunk = 1; chunk < 40; chunk++) {
                size_t n = events_text(s, text, chunk, cut, sizeof cut);
                CHECK(n == len && memcmp(whole, cut, n) == 0);
            }
            sluice_stream_free(s);
        }
}

/* What `auto` compiles of a syntax, and what a stream of that syntax compiles, are the same in
 * either order. */
static void both_ways(const char *folder) {
    static const char *const texts[][2] = {
        {"hermes", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"n\": 1}}\n</tool_call>"},
        {"glm45", "<tool_call>f\n<arg_key>n</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"},
        {"kimi_k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"
                    "<|tool_call_argument_begin|>{\"n\": 1}<|tool_call_end|>"
                    "<|tool_calls_section_end|>"}};
    static char told_by[3][3][4096];
    for (int way = 0; way < 3; way++) { /* auto not made, made before, and used before */
        sluice_engine_options options = {.new_id = fixed_id, .user_data = "id"};
        sluice_engine *engine = sluice_engine_new(&options);
        CHECK(sluice_engine_load(engine, folder) == SLUICE_OK);
        sluice_stream *all = way ? sluice_stream_new(engine, "auto", NULL, NULL) : NULL;
        for (int k = 0; k < 3; k++) {
            char *by_auto = told_by[0][k], *out = told_by[way][k];
            static char own[4096];
            if (way == 2)
                out[events_text(all, texts[k][1], 3, out, sizeof own)] = 0;
            sluice_stream *one = sluice_stream_new(engine, texts[k][0], NULL, NULL);
            CHECK(one != NULL);
            own[events_text(one, texts[k][1], 3, own, sizeof own)] = 0;
            sluice_stream_free(one);
            if (way < 2)
                memcpy(out, own, sizeof own);
            CHECK(strstr(own, "\"n\"") && strcmp(own, by_auto) == 0 && strcmp(out, own) == 0);
        }
        sluice_stream_free(all);
        sluice_engine_free(engine);
    }
}

/* Misuse has its own error message, not that of an earlier failure. */
/* The parts of a schema that cannot be checked are listed, and a call that reaches one is not
 * valid. */
static void tools_notes(sluice_engine *engine) {
    static const char json[] =
        "[{\"name\": \"g\", \"parameters\": {}}, {\"name\": \"f\", \"parameters\": "
        "{\"properties\": {\"a/b\": {\"required\": \"x\"}}}}]";
    static const char text[] =
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a/b\": {}}}</tool_call>";
    char *out = NULL;
    size_t len = 0;
    sluice_tools *tools = sluice_tools_new(engine, json, sizeof json - 1);
    CHECK(sluice_tools_notes(tools, &out, &len) == SLUICE_OK);
    CHECK(
        strcmp(
            out,
            "[{\"tool\":\"f\",\"pointer\":\"/properties/a~1b/required\",\"message\":\"has a value "
            "of the wrong kind\"}]") == 0 &&
        len == strlen(out));
    sluice_free(engine, out);
    CHECK(sluice_tools_notes(NULL, &out, &len) == SLUICE_E_ARGUMENT);
    CHECK(sluice_tools_notes(tools, NULL, &len) == SLUICE_E_ARGUMENT);
    CHECK(sluice_parse(engine, "hermes", tools, NULL, text, sizeof text - 1, &out, &len) ==
          SLUICE_OK);
    CHECK(strstr(out, "\"schema_unchecked\"") && strstr(out, "\"valid\": false"));
    sluice_free(engine, out);
    static char many[4000 * 80] = "["; /* so many are within the limits of scripts */
    len = 1;
    for (int i = 0; i < 4000; i++)
        len += (size_t)sprintf(
            many + len,
            "{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\": {}}}, ");
    strcpy(many + len,
           "{\"type\": \"function\", \"function\": {\"name\": \"g\", \"parameters\": {}}}]");
    sluice_tools *all = sluice_tools_new(engine, many, strlen(many));
    CHECK(sluice_tools_notes(all, &out, NULL) == SLUICE_OK && strstr(out, "the same name"));
    sluice_tools_free(all);
    sluice_free(engine, out);
    sluice_tools_free(tools);
}

static void misuse(sluice_engine *engine) {
    char *out;
    size_t len;
    const char *sent;
    sluice_event e;
    sluice_tools *tools = sluice_tools_new(engine, tools_json, sizeof tools_json - 1);
    CHECK(sluice_render(engine, "nobody", "[]", 2, &out, &len) == SLUICE_E_NOT_FOUND);
#define FAILS_WITH(answer, part)                                                                   \
    CHECK(answer);                                                                                 \
    CHECK(strstr(sluice_engine_error(engine), part) != NULL)
#define IS_WRONG(answer, part) FAILS_WITH((answer) == SLUICE_E_ARGUMENT, part)
    IS_WRONG(sluice_render(engine, "hermes", NULL, 0, &out, NULL), "'calls_json'");
    IS_WRONG(sluice_parse(engine, NULL, NULL, NULL, "", 0, &out, NULL), "'syntax'");
    IS_WRONG(sluice_parse(engine, "hermes", NULL, NULL, NULL, 1, &out, NULL), "'text'");
    IS_WRONG(sluice_parse(engine, "hermes", NULL, &(sluice_stream_options){.calls = "later"}, "", 0,
                          &out, NULL),
             "'calls'");
    FAILS_WITH(
        !sluice_stream_new(engine, "hermes", NULL, &(sluice_stream_options){.limit_depth = 5000}),
        "at most 1024");
    IS_WRONG(sluice_list(engine, NULL, NULL), "'json'");
    FAILS_WITH(sluice_syntax_for(engine, NULL) == NULL, "'model'");
    FAILS_WITH(sluice_tools_new(engine, NULL, 0) == NULL, "'json'");
    IS_WRONG(sluice_engine_load_text(engine, "x", NULL, 1), "'text'");
    FAILS_WITH(!sluice_wire_new(engine, "hermes", NULL, NULL, NULL, "openai", NULL), "'from'");
    IS_WRONG(sluice_grammar(engine, "hermes", tools, "xml", NULL, &out, NULL), "'xml'");
    IS_WRONG(sluice_grammar(engine, "hermes", NULL, "lark", NULL, &out, NULL), "needs tools");
    FAILS_WITH(sluice_grammar(engine, "hermes", tools, "lark", "[]", &out, NULL) == SLUICE_E_JSON,
               "not a JSON object");
    FAILS_WITH(sluice_prompt(engine, "hermes", tools, "{", &out, NULL) == SLUICE_E_JSON,
               "not a JSON object");
    IS_WRONG(sluice_prompt(engine, "hermes", tools, "{\"variant\": \"x\"}", &out, NULL), "'x'");

    /* the same tools again: the last call on the engine succeeded */
    CHECK(sluice_tools_new(engine, tools_json, sizeof tools_json - 1) == tools);
    CHECK(strcmp(sluice_engine_error(engine), "") == 0);
    sluice_tools_free(tools);

    /* tools belong to the engine that made them */
    sluice_engine *other = sluice_engine_new(&(sluice_engine_options){.script_memory = SIZE_MAX});
    CHECK(sluice_engine_load(other, NULL) == SLUICE_OK);
    CHECK(sluice_stream_new(other, "hermes", tools, NULL) == NULL);
    CHECK(strstr(sluice_engine_error(other), "another engine") != NULL);
    CHECK(sluice_parse(other, "hermes", NULL, NULL, "a", 1, &out, NULL) == SLUICE_OK);
    sluice_free(other, out);
    CHECK(sluice_parse(other, "hermes", tools, NULL, "", 0, &out, NULL) == SLUICE_E_ARGUMENT);
    CHECK(sluice_prompt(other, "hermes", tools, NULL, &out, NULL) == SLUICE_E_ARGUMENT);
    CHECK(sluice_grammar(other, "hermes", tools, "lark", NULL, &out, NULL) == SLUICE_E_ARGUMENT);
    CHECK(sluice_wire_new(other, "hermes", tools, NULL, "text", "events", NULL) == NULL);
    sluice_engine_free(other);

    sluice_wire *wire = sluice_wire_new(engine, "hermes", tools, NULL, "text", "events", NULL);
    sluice_tools_free(tools); /* it keeps what it needs */
    FAILS_WITH(sluice_wire_feed(wire, "a", 1, NULL, &len) == SLUICE_E_ARGUMENT, "'out'");
    CHECK(sluice_wire_feed(wire, NULL, 0, &sent, &len) == SLUICE_OK && len == 0);
    CHECK(sluice_wire_finish(wire, &sent, &len) == SLUICE_OK);
    FAILS_WITH(sluice_wire_feed(wire, "a", 1, &sent, &len) == SLUICE_E_MISUSE, "finished");
    FAILS_WITH(sluice_wire_finish(wire, &sent, &len) == SLUICE_E_MISUSE, "finished");
    sluice_wire_free(wire);
    // a whole response stays one
    wire = sluice_wire_new(engine, "hermes", NULL, NULL, "openai", "openai", NULL);
    static const char whole[] = "{\"choices\":[{\"message\":{\"content\":\"<think>hm</"
                                "think>Hi\"},\"finish_reason\":\"stop\"}]}";
    CHECK(sluice_wire_feed(wire, whole, sizeof whole - 1, &sent, &len) == SLUICE_OK && len == 0);
    CHECK(sluice_wire_finish(wire, &sent, &len) == SLUICE_OK);
    CHECK(len && sent[0] == '{' && strstr(sent, "\"content\":\"Hi\",\"reasoning_content\":\"hm\""));
    sluice_wire_free(wire);

    size_t held = 1;
    const char *name = "?";
    CHECK(sluice_stream_next(NULL, &e) == SLUICE_DONE);
    CHECK(sluice_stream_state(NULL, &name, &held) == SLUICE_IN_TEXT && !name && !held);
    CHECK(sluice_stream_closing(NULL, NULL, 0) == 0);
#undef TOLD
}

/* Returns the memory of a stream that has read this text in chunks of four bytes. */
static size_t memory_of(sluice_engine *engine, const sluice_tools *tools, const char *syntax,
                        const char *text) {
    enum { MANY = 256 };
    static sluice_stream *streams[MANY + 1]; /* the first loads what all of them share */
    size_t before = 0, each = 0;
    for (int round = 0; round < 2; round++) { /* in the second one, Lua's registry has room */
        for (int i = 0; i <= MANY; i++) {
            if (i == 1)
                before = heap;
            streams[i] = sluice_stream_new(engine, syntax, tools, NULL);
            for (size_t at = 0, len = strlen(text); at < len; at += 4) {
                sluice_event e;
                sluice_stream_feed(streams[i], text + at, len - at < 4 ? len - at : 4);
                while (sluice_stream_next(streams[i], &e) == SLUICE_EVENT) {
                }
            }
        }
        each = (heap - before) / MANY;
        for (int i = 0; i <= MANY; i++)
            sluice_stream_free(streams[i]);
    }
    return each;
}

/* A stream takes at most 1,000 bytes when idle and 4,000 in a call, more for `auto`. */
static void memory(void) {
    static const struct {
        const char *what, *syntax, *text;
        size_t most;
    } cases[] = {
        {"an idle stream", "hermes", "Some text <", 1000},
        {"an idle stream of auto", "auto", "", 1600},
        {"a call of hermes", "hermes",
         "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"n\": \"some text ", 4000},
        {"a call of qwen3_coder", "qwen3_coder",
         "<tool_call>\n<function=f>\n<parameter=text>\nsome text ", 4000},
        {"a call of hermes in auto", "auto",
         "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"n\": \"some text ", 4600},
        {"a call of qwen3_coder in auto", "auto",
         "<tool_call>\n<function=f>\n<parameter=text>\nsome text ", 4600},
    };
    sluice_engine_options options = {.allocator = {counting, NULL}};
    sluice_engine *engine = sluice_engine_new(&options);
    CHECK(sluice_engine_load(engine, NULL) == SLUICE_OK);
    sluice_tools *tools = sluice_tools_new(engine, tools_json, sizeof tools_json - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t each = memory_of(engine, tools, cases[i].syntax, cases[i].text);
        printf("%s: %zu bytes\n", cases[i].what, each);
        CHECK(each <= cases[i].most);
    }
    sluice_tools_free(tools);
    sluice_engine_free(engine);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : NULL;
    sluice_engine_options options = {
        .allocator = {counting, NULL}, .new_id = fixed_id, .user_data = "fixed"};
    sluice_engine *engine = sluice_engine_new(&options);
    CHECK(engine && strcmp(sluice_engine_error(engine), "") == 0);
    FAILS_WITH(sluice_engine_load(engine, "/no/such") == SLUICE_E_NOT_FOUND, "cannot be read");
    CHECK(sluice_engine_load(engine, folder) == SLUICE_OK);
    CHECK(sluice_engine_load(NULL, folder) == SLUICE_E_ARGUMENT);

    /* refusals */
    FAILS_WITH(!sluice_stream_new(engine, "nobody", NULL, NULL), "there is no syntax 'nobody'");
    sluice_stream_options bad = {.calls = "soon"};
    FAILS_WITH(!sluice_stream_new(engine, "hermes", NULL, &bad), "'calls'");
    sluice_stream_options marked = {.mark = "two words"};
    FAILS_WITH(!sluice_stream_new(engine, "hermes", NULL, &marked), "a mark is a word");
    marked.mark = "k3f9";
    FAILS_WITH(!sluice_stream_new(engine, "auto", NULL, &marked), "a mark is for one syntax");
    sluice_stream_free(sluice_stream_new(engine, "hermes", NULL, &marked));
    CHECK(sluice_tools_new(engine, "[{", 2) == NULL);
    tools_notes(engine);
    FAILS_WITH(!sluice_tools_new(engine, "[{}]", 4), "tool 1 has no name");
    CHECK(sluice_tools_new(NULL, "[]", 2) == NULL);
    sluice_stream_free(NULL);
    sluice_tools_free(NULL);
    sluice_engine_free(NULL);
    sluice_free(engine, NULL);

    /* events */
    sluice_tools *tools = sluice_tools_new(engine, tools_json, sizeof tools_json - 1);
    CHECK(tools != NULL);
    sluice_stream *stream = sluice_stream_new(engine, "qwen3_coder", tools, NULL);
    sluice_tools_free(tools); /* the stream keeps what it needs */
    static const char text[] =
        "Hi\n<tool_call>\n<function=f>\n<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>";
    sluice_event e;
    char arguments[64] = "";
    int begun = 0, ended = 0;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        CHECK(sluice_stream_feed(stream, text + i, 1) == SLUICE_OK);
        sluice_next next;
        while ((next = sluice_stream_next(stream, &e)) == SLUICE_EVENT) {
            if (e.type == SLUICE_CALL_BEGIN) {
                begun++;
                CHECK(strcmp(e.name, "f") == 0 && e.index == 0 && e.id != NULL);
                const char *name;
                CHECK(sluice_stream_state(stream, &name, NULL) == SLUICE_IN_CALL &&
                      strcmp(name, "f") == 0);
            } else if (e.type == SLUICE_ARGUMENTS) {
                strncat(arguments, e.text, e.text_len);
            } else if (e.type == SLUICE_CALL_END) {
                ended++;
                CHECK(e.status == SLUICE_COMPLETE && strcmp(e.id, "fixed") == 0);
            }
        }
        CHECK(next == SLUICE_NEED_INPUT);
    }
    sluice_stream_finish(stream);
    while (sluice_stream_next(stream, &e) == SLUICE_EVENT)
        ended += e.type == SLUICE_CALL_END;
    CHECK(sluice_stream_next(stream, &e) == SLUICE_DONE);
    CHECK(begun == 1 && ended == 1);
    CHECK(strcmp(arguments, "{\"n\":3}") == 0);
    sluice_stream_free(stream);

    chunks(engine);
    both_ways(folder);
    misuse(engine);

    memory();

    /* whole texts */
    char *out;
    size_t len;
    static const char call[] =
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 9007199254740993}}</tool_call>";
    CHECK(sluice_parse(engine, "hermes", NULL, NULL, call, sizeof call - 1, &out, &len) ==
          SLUICE_OK);
    CHECK_TEXT(out, len,
               "{\"content\": null, \"reasoning\": null, \"calls\": [{\"index\": 0, \"name\": "
               "\"f\", \"arguments\": {\"a\": "
               "9007199254740993}, \"id\": \"fixed\", \"status\": \"complete\", \"valid\": null, "
               "\"start\": 0, \"end\": 74}], \"errors\": []}");
    sluice_free(engine, out);
    static const char calls[] = "[{\"name\": \"f\", \"arguments\": {\"a\": 1.10}}]";
    CHECK(sluice_render(engine, "hermes", calls, sizeof calls - 1, &out, NULL) == SLUICE_OK);
    CHECK(
        strcmp(out, "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1.10}}\n</tool_call>") ==
        0);
    sluice_free(engine, out);
    CHECK(sluice_render(engine, "hermes", "[{", 2, &out, &len) == SLUICE_E_JSON);
    CHECK(sluice_render(engine, "nobody", calls, sizeof calls - 1, &out, &len) ==
          SLUICE_E_NOT_FOUND);
    CHECK(sluice_list(engine, &out, &len) == SLUICE_OK && strstr(out, "\"hermes\"") != NULL);
    sluice_free(engine, out);
    CHECK(strcmp(sluice_syntax_for(engine, "Qwen/Qwen3-8B"), "hermes") == 0);
    CHECK(sluice_syntax_for(engine, "unheard-of") == NULL);

    /* any format: call_begin names the syntax, separately for each response */
    stream = sluice_stream_new(engine, "auto", NULL, NULL);
    static const char *const outputs[][2] = {
        {"<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>", "hermes"},
        {"[TOOL_CALLS]f[ARGS]{}", "mistral"},
        {"<tool_call>only text", NULL}};
    for (int i = 0; i < 3; i++) {
        const char *whose = NULL;
        sluice_stream_feed(stream, outputs[i][0], strlen(outputs[i][0]));
        sluice_stream_finish(stream);
        while (sluice_stream_next(stream, &e) == SLUICE_EVENT) {
            CHECK(!e.syntax || e.type == SLUICE_CALL_BEGIN);
            whose = e.syntax ? e.syntax : whose;
        }
        CHECK(outputs[i][1] ? whose && strcmp(whose, outputs[i][1]) == 0 : !whose);
        sluice_stream_reset(stream);
    }
    sluice_stream_free(stream);
    FAILS_WITH(!sluice_stream_new(engine, "auto:hermes,nobody", NULL, NULL), "'nobody'");
    CHECK(sluice_render(engine, "auto", calls, sizeof calls - 1, &out, &len) == SLUICE_E_REFUSED);

    /* wire formats */
    FAILS_WITH(!sluice_wire_new(engine, "hermes", NULL, NULL, "openai", "opnai", NULL), "'openai'");
    FAILS_WITH(!sluice_wire_new(engine, "hermes", NULL, &bad, "text", "openai", NULL), "'calls'");
    char start[] = "reasoning";
    sluice_stream_options inside = {.start = start};
    sluice_wire *wire = sluice_wire_new(engine, "hermes", NULL, &inside, "openai", "ollama", "m");
    CHECK(wire != NULL);
    strcpy(start, "nonsense!"); /* it was copied */
    static const char body[] =
        "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": "
        "\"so</think>\"}}]}\n\n"
        "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"Hi.\"}}]}\n\n"
        "data: {\"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": \"stop\"}]}\n\n"
        "data: [DONE]\n\n";
    char sent[2048] = "";
    const char *passed;
    for (size_t i = 0; i < sizeof body - 1; i++) {
        CHECK(sluice_wire_feed(wire, body + i, 1, &passed, &len) == SLUICE_OK);
        strncat(sent, passed, len);
    }
    CHECK(sluice_wire_finish(wire, &passed, &len) == SLUICE_OK);
    strncat(sent, passed, len);
    CHECK(strstr(sent, "\"thinking\":\"so\"") && strstr(sent, "\"content\":\"Hi.\"") &&
          strstr(sent, "\"done\":true,\"done_reason\":\"stop\""));
    sluice_wire_free(wire);
    sluice_wire_free(NULL);

    /* openers made of the tools' names, with a mark */
    tools = sluice_tools_new(engine, tools_json, sizeof tools_json - 1);
    wire = sluice_wire_new(engine, "cline", tools, &marked, "text", "result", NULL);
    CHECK(wire != NULL);
    static const char named[] = "<f>\n</f>\n<k3f9:f>\n"
                                "<k3f9:n>3</k3f9:n>\n</k3f9:f>";
    CHECK(sluice_wire_feed(wire, named, sizeof named - 1, &passed, &len) == SLUICE_OK);
    CHECK(sluice_wire_finish(wire, &passed, &len) == SLUICE_OK);
    CHECK(strstr(passed, "<f>") && strstr(passed, "\"name\": \"f\"") &&
          strstr(passed, "{\"n\":3}"));
    sluice_wire_free(wire);
    sluice_tools_free(tools);

    /* a script that never ends is stopped, and the engine stays usable */
    sluice_engine_free(engine);
    CHECK(in_use == 0);
    sluice_engine_options limits = {.script_instructions = 1000000};
    engine = sluice_engine_new(&limits);
    char path[] = "/tmp/sluice-test-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fputs("while true do end", f);
    fclose(f);
    FAILS_WITH(sluice_engine_load(engine, path) == SLUICE_E_SCRIPT, "more instructions than");
    /* a script named by its path is read again each time */
    for (int i = 0; i < 2; i++) {
        f = fopen(path, "w");
        fprintf(f,
                "local s = require \"sluice.syntax\" return s.syntax { api = 3, name = \"p\", "
                "call = { \"<%d \", s.name(), \">\", s.args(), \"</>\" } }",
                i);
        fclose(f);
        CHECK(sluice_parse(engine, path, NULL, NULL, "<1 f>{}</>", 10, &out, &len) == SLUICE_OK);
        CHECK((strstr(out, "\"name\": \"f\"") != NULL) == (i == 1));
        sluice_free(engine, out);
    }
    remove(path);
    CHECK(sluice_engine_load(engine, folder) == SLUICE_OK);
    CHECK(sluice_parse(engine, "hermes", NULL, NULL, "x", 1, &out, &len) == SLUICE_OK);
    sluice_free(engine, out);
    sluice_engine_free(engine);
    return report("api");
}
