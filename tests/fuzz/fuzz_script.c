/*
 * Scripts: bytes as they are (even), or a description made of them (odd). Each loads or is refused
 * with a sentence; a description that loads reads text by the laws and gives its grammars; the
 * engine serves on.
 *
 * Input: the kind, a seed for the cuts, the script or what it is made of, a NUL, the text.
 */
#include "story.h"

#include <sys/mman.h>
#include <unistd.h>

static sluice_engine *engine;
static unsigned served;
static int file = -1;

static void renew(void) {
    sluice_engine_options options = {
        .new_id = fixed_id, .script_instructions = 2000000, .script_memory = (size_t)32 << 20};
    char path[1024];
    sluice_engine_free(engine);
    engine = sluice_engine_new(&options);
    snprintf(path, sizeof path, "%s/hermes.lua", getenv("SLUICE_SYNTAXES"));
    if (!engine || sluice_engine_load(engine, path) != SLUICE_OK)
        abort();
    served = 0;
}

/* ---- A description out of bytes ---- */

struct maker {
    const uint8_t *at, *end;
    sluice__buffer out;
    sluice_allocator heap;
};

static unsigned draw(struct maker *m) { return m->at < m->end ? *m->at++ : 0; }

static void say(struct maker *m, const char *text) {
    if (!sluice__buffer_add(&m->heap, &m->out, text, strlen(text)))
        abort();
}

static const char *const markup[] = {
    "<a>", "</a>", "<",    ">",      "[",       "]", "(",      ")",
    ":",   ",",    "\\n",  "<b>\\n", "\\n</b>", "=", "```\\n", "\\240\\159\\148\\167",
    "a",   "END",  "\\\"", " ",      "<|x|>",   "{", "}",      "==",
    "</"};

static void literal(struct maker *m) {
    say(m, "\"");
    for (unsigned n = 1 + draw(m) % 3; n; n--)
        say(m, markup[draw(m) % (sizeof markup / sizeof *markup)]);
    say(m, "\"");
}

static void word(struct maker *m, int depth);

static void words(struct maker *m, int depth) {
    for (unsigned n = 1 + draw(m) % 4; n; n--) {
        word(m, depth);
        say(m, ", ");
    }
}

static void word(struct maker *m, int depth) {
    static const char *const leaves[] = {
        "s.name()",
        "s.args()",
        "s.json()",
        "s.key()",
        "s.value()",
        "s.id()",
        "s.match(lpeg.Ct(lpeg.Cg(lpeg.R'az'^1, 'name')) * -1, write)",
        "s.match(lpeg.R \"09\"^1, \"{index}\")",
        "s.args \"python\"",
        "s.args { quote = \"~\" }",
        "s.args { raw = \"x\" }",
        "s.given()",
        "s.capture(\"mark\", \"7\")",
        "s.same \"mark\"",
        "s.same \"name\"",
        "s.same \"key\"",
        "s.value { key = \"z\", line = true }",
        "s.value { key = \"y\", trim = true }",
        "s.value { trim = \"lines\" }",
        "s.value { key = \"x\", entities = true }",
        "s.json { key_is_name = true }",
        "s.text()",
        "s.think()",
        "s.json { each = \"*\" }",
        "s.json { each = \"calls.*\", think = { \"why\" } }",
        "s.json { id = \"id\" }",
        "s.json { args = \"*\" }",
        "s.tok \"<t>\"",
        "s.attrs { name = s.name() }",
        "s.attrs { name = s.key() }",
        "s.attrs { name = s.key(), type = { \"string\" } }",
        "s.value { key = \"x\" }",
        "s.json { python = true }"};
    static const char *const groups[] = {
        "s.opt { ",         "s.also { ",   "s.lost { ",
        "{ exact = true, ", "s.params { ", "s.params { nested = \"item\", ",
        "s.calls { ",       "{ ",          "{ at = \"line\", "};
    unsigned kind = draw(m);
    if (kind < 110 || depth > 3) {
        literal(m);
    } else if (kind < 190) {
        say(m, leaves[draw(m) % (sizeof leaves / sizeof *leaves)]);
    } else if (kind < 215) {
        say(m, "s.any { ");
        word(m, depth + 1);
        say(m, ", ");
        words(m, depth + 1);
        say(m, "}");
    } else {
        say(m, groups[draw(m) % (sizeof groups / sizeof *groups)]);
        words(m, depth + 1);
        if (kind > 250) {
            say(m, "between = ");
            literal(m);
        }
        say(m, "}");
    }
}

static void describe(struct maker *m) {
    say(m, "local function write(call) return call.name end\nreturn s.syntax { api = 3, name = "
           "\"made\",\n  "
           "call = { ");
    unsigned shape = draw(m);
    literal(m);
    say(m, ", ");
    if (shape & 1) {
        say(m, "s.name(), ");
        literal(m);
        say(m, ", ");
    }
    words(m, 0);
    if (shape & 2)
        literal(m);
    say(m, "},\n");
    if (shape & 4)
        say(m, "  think = { \"<t>\\n\", \"\\n</t>\" },\n");
    if (shape & 8)
        say(m, "  values = { repeated = \"array\" },\n");
    if (shape & 16)
        say(m, "  between = \"\\n\", marked = true, tools = { \"f\" },\n");
    if (shape & 32)
        say(m, "  stop = { \"END\" },\n");
    if (shape & 64)
        say(m, "  options = { fences = \"text\" },\n");
    say(m, "}\n");
}

/* A text of pieces that such descriptions speak of. */
static void tell(struct maker *m) {
    static const char *const pieces[] = {"<a>",
                                         "</a>",
                                         "<",
                                         ">",
                                         "[",
                                         "]",
                                         "(",
                                         ")",
                                         ":",
                                         ",",
                                         "\n",
                                         "<b>\n",
                                         "\n</b>",
                                         "=",
                                         "```\n",
                                         "\xF0\x9F\x94\xA7",
                                         "a",
                                         "END",
                                         "\"",
                                         " ",
                                         "<|x|>",
                                         "{",
                                         "}",
                                         "==",
                                         "</",
                                         "f",
                                         "x",
                                         "1",
                                         "{\"name\": \"f\", \"arguments\": {\"x\": 1}}",
                                         "{\"x\": [1, \"a\"]}",
                                         "name=\"f\"",
                                         "x='a', y=2",
                                         "text ",
                                         "- a\n",
                                         "  b\n",
                                         "<t>\n",
                                         "\n</t>",
                                         "\"name\": \"f\"",
                                         "\\",
                                         "\xC3",
                                         "'",
                                         "\t"};
    while (m->at < m->end)
        say(m, pieces[draw(m) % (sizeof pieces / sizeof *pieces)]);
}

/* ---- ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char json[] =
        "[{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\": {\"type\": "
        "\"object\", \"properties\": {\"x\": {\"type\": \"integer\"}, \"a\": {\"type\": "
        "\"array\"}}}}}]";
    static const char good[] =
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": 1}}</tool_call>";
    if (size < 4)
        return 0;
    if (!engine || served++ > 300)
        renew();
    const uint8_t *rest = memchr(data + 2, 0, size - 2);
    struct maker script = {data + 2, rest ? rest : data + size, {0}, sluice__libc_allocator()};
    struct maker text = {rest ? rest + 1 : data + size, data + size, {0}, script.heap};
    bool made = data[0] & 1;
    if (made) {
        describe(&script);
        tell(&text);
    } else {
        sluice__buffer_add(&script.heap, &script.out, script.at, (size_t)(script.end - script.at));
        sluice__buffer_add(&text.heap, &text.out, text.at, (size_t)(text.end - text.at));
    }
    if (file < 0)
        file = memfd_create("script", 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (ftruncate(file, 0) || pwrite(file, script.out.data, script.out.len, 0) < 0)
        abort();
    if (getenv("SLUICE_SHOW"))
        fprintf(stderr, "%.*s\n----\n%.*s\n", (int)script.out.len, script.out.data,
                (int)text.out.len, text.out.data ? text.out.data : "");
    sluice_stream_options options = {
        .markup = 1, .calls = data[0] & 2 ? "whole" : NULL, .limit_held = data[0] & 4 ? 32 : 0};
    sluice_tools *tools = data[0] & 8 ? sluice_tools_new(engine, json, sizeof json - 1) : NULL;
    sluice_stream *stream = sluice_stream_new(engine, path, tools, &options);
    if (!stream) {
        if (!*sluice_engine_error(engine))
            fail("nothing is said", "a script that was refused");
    } else {
        struct story once;
        if (made) {
            read_twice(stream, "a description", text.out.data ? text.out.data : "", text.out.len,
                       data[1] + 1u, 0);
        } else { /* a function of its own may look at the cut */
            read_text(stream, "a script", text.out.data ? text.out.data : "", text.out.len,
                      data[1] + 1u, 0, &once);
            release(&once);
        }
        char *out = NULL;
        size_t len;
        if (tools && sluice_grammar(engine, path, tools, "gbnf", NULL, &out, &len) == SLUICE_OK)
            sluice_free(engine, out);
        static const char calls[] = "[{\"name\": \"f\", \"arguments\": {\"x\": 1}}]";
        if (sluice_render(engine, path, calls, sizeof calls - 1, &out, &len) == SLUICE_OK)
            sluice_free(engine, out);
        sluice_stream_free(stream);
    }
    sluice_tools_free(tools);
    sluice_stream *other = sluice_stream_new(engine, "hermes", NULL, NULL);
    struct story story;
    if (!other)
        fail("it cannot be had any more", "hermes");
    sluice_stream_free(other);
    sluice_stream_options markup = {.markup = 1};
    other = sluice_stream_new(engine, "hermes", NULL, &markup);
    read_text(other, "hermes", good, sizeof good - 1, 0, 0, &story);
    if (!memmem(story.text.data, story.text.len, "{\"x\": 1}", 8))
        fail("the call is not found", "hermes");
    sluice_stream_free(other);
    release(&story);
    sluice__buffer_release(&script.heap, &script.out);
    sluice__buffer_release(&script.heap, &text.out);
    return 0;
}
