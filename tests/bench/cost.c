/*
 * What whole responses cost in instructions, whatever they contain. cost.sh runs it with
 * callgrind, which counts from begin_counting to end_counting, and compares with the limits.
 *
 *   sluice_cost SYNTAXES    prints for each count: LIMIT DIVISOR SIGN LABEL
 *
 * SIGN `+`: the count as it is; `=`: only what later ones exceed; `-`: beyond the last of these.
 * Of counts with the same label the least counts. Each is of four responses in 4-byte chunks, after
 * one that is not counted.
 */
#include <sluice.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESPONSES = 4, CHUNK = 4, BYTES = 4096 };

/* What may stand in a text, or in a value. */
static const struct {
    const char *kind, *text;
} texts[] = {
    {"prose", "The quick brown fox jumps over the lazy dog; it's an old trick, \"isn't it\"? Yes - "
              "and (as everyone knows) it works in 9 of 10 cases, or so they say.\n\n"},
    {"C",
     "static int max(const int *a, size_t n) {\n    int m = a[0];\n    for (size_t i = 1; i < n; "
     "i++)\n        if (a[i] > m && a[i] != -1)\n            m = a[i];\n    return m << 1;\n}\n"},
    {"C++",
     "template <typename T> std::vector<std::pair<T, int>> f(const std::map<T, int> &m) {\n"
     "    std::cout << \"n = \" << m.size() << '\\n';\n    return {m.begin(), m.end()};\n}\n"},
    {"HTML", "<div class=\"card\"><h2>Title &amp; more</h2>\n  <p>Some <b>bold</b> text, <a "
             "href=\"/x?a=1&b=2\">a link</a>.</p>\n  <img src='a.png'/>\n</div>\n"},
    {"JSX",
     "export const App = ({ items }) => (\n  <ul>{items.map((i) => <li key={i.id} onClick={() => "
     "go(`/x/${i.id}`)}>{i.name}</li>)}</ul>\n);\n"},
    {"Markdown",
     "# A title\n\n* **bold** and `code`\n* [a link](https://example.com/a_b)\n\n```sh\nls "
     "-la | wc -l\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"},
    {"Chinese",
     "\xE4\xBB\x8A\xE5\xA4\xA9\xE5\xA4\xA9\xE6\xB0\x94\xE5\xBE\x88\xE5\xA5\xBD\xEF\xBC\x8C"
     "\xE6\x88\x91\xE4\xBB\xAC\xE5\x8E\xBB\xE5\x85\xAC\xE5\x9B\xAD\xE6\x95\xA3\xE6\xAD\xA5"
     "\xE5\x90\xA7\xE3\x80\x82"},
    {"emoji", "\xF0\x9F\x98\x80\xF0\x9F\x8E\x89 yes \xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD "
              "\xE2\x9D\xA4\xEF\xB8\x8F\xF0\x9F\x9A\x80\xF0\x9F\x94\xA5 ok "},
    {"shell",
     "for f in *.txt; do\n  [ -f \"$f\" ] && grep -E '^[a-z]+' < \"$f\" > \"${f%.txt}.out\" 2>&1 "
     "|| echo \"no: $f\" >&2\ndone\n"},
    {"diff",
     "--- a/x.c\n+++ b/x.c\n@@ -1,4 +1,4 @@\n-    if (a < b)\n+    if (a <= b && c > d)\n         "
     "return \"x\";\n"},
    {"JSON",
     "{\"name\": \"a\", \"list\": [1, 2.5, -3e4, true, null], \"deep\": {\"k\": \"v \\\"q\\\" "
     "\\\\ \\u00e9\"}}\n"},
    {"XML",
     "<?xml version=\"1.0\"?>\n<list xmlns:a=\"urn:a\">\n  <a:item id=\"1\">x &lt; y</a:item>\n  "
     "<param/>\n  <!-- no -->\n</list>\n"},
    {"regex",
     "^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z]+)*|\"(?:[\\x01-\\x7f]|\\\\[^\\n])*\")@<(?:[A-Z]"
     "\\d{2,}>\\s*)+$\n"},
    {"Python",
     "def f(xs: list[int]) -> dict[str, int]:\n    \"\"\"Counts.\"\"\"\n    return {f'{x!r}': x ** "
     "2 for x in xs if x < 10 and x != '\\n'}\n\n"},
    {"base64", "TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQsIGNvbnNlY3RldHVyIGFkaXBpc2NpbmcgZWxpdA=="},
    {"logs",
     "2026-11-25T10:00:00Z \x1b[31mERROR\x1b[0m [main] C:\\srv\\app\\log.txt: \"x\" failed\tat "
     "a.b.C(D.java:42)\r\n"},
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* Tools of six names: four parameters that the calls use, and three that they do not. */
static const struct {
    const char *name, *keys[7];
} tools[] = {
    {"get_weather", {"city", "days", "metric", "notes", "lang", "station", "source"}},
    {"f", {"a", "b", "c", "d", "e", "g", "h"}},
    {"mcp__github__create_pull_request",
     {"repository_name", "number", "draft", "description", "base_branch", "head_branch", "labels"}},
    {"searchWeb", {"query", "maxResults", "safeSearch", "site", "language", "region", "freshness"}},
    {"write-file", {"path", "mode", "create", "content", "encoding", "backup", "owner"}},
    {"run.command", {"command", "timeout", "shell", "cwd", "env", "stdin", "user"}},
};
enum { TOOLS = sizeof tools / sizeof *tools };
static const char *const values[][4] = {
    {"Oslo", "3", "true", "-"},
    {"a longer value, with a comma, a < and \\\"quotes\\\"", "1234567", "false", "x\\ny\\n"},
    {"\xE6\x9D\xB1\xE4\xBA\xAC", "0", "true", "/usr/local/bin/a{b}[c]"},
};
enum { VALUES = sizeof values / sizeof *values };

static char *made; /* text that is built */
static size_t made_len;
static void say(const char *text) {
    size_t n = strlen(text);
    memcpy(made + made_len, text, n + 1);
    made_len += n;
}

static char *all_tools(void) {
    static const char *const types[] = {"string", "integer", "boolean", "string",
                                        "string", "number",  "array"};
    static char text[16384];
    made = text;
    made_len = 0;
    say("[");
    for (int i = 0; i < TOOLS; i++) {
        say(i ? ", " : "");
        say("{\"type\": \"function\", \"function\": {\"name\": \"");
        say(tools[i].name);
        say("\", \"parameters\": {\"type\": \"object\", \"properties\": {");
        for (int k = 0; k < 7; k++) {
            say(k ? ", \"" : "\"");
            say(tools[i].keys[k]);
            say("\": {\"type\": \"");
            say(types[k]);
            say("\"}");
        }
        say("}, \"required\": [\"");
        say(tools[i].keys[0]);
        say("\"]}}}");
    }
    say("]");
    return text;
}

static void say_call(size_t tool, size_t value) {
    say("{\"name\": \"");
    say(tools[tool].name);
    say("\", \"arguments\": {");
    for (int k = 0; k < 4; k++) {
        bool text = k % 3 == 0;
        say(k ? ", \"" : "\"");
        say(tools[tool].keys[k]);
        say(text ? "\": \"" : "\": ");
        say(values[value][k]);
        say(text ? "\"" : "");
    }
    say("}}");
}

/* `bytes` of whole copies of the text. */
static size_t repeat(char *out, const char *text, size_t bytes) {
    size_t n = 0, len = strlen(text);
    for (; n < bytes; n += len)
        memcpy(out + n, text, len);
    out[n] = 0;
    return n;
}

static void say_escaped(const char *text) {
    for (; *text; text++) {
        char u[8] = {*text, 0};
        if (*text == '"' || *text == '\\')
            snprintf(u, sizeof u, "\\%c", *text);
        else if (*text == '\n')
            strcpy(u, "\\n");
        else if (*text > 0 && *text < ' ')
            snprintf(u, sizeof u, "\\u%04x", (unsigned)*text);
        say(u);
    }
}

static size_t told;
static void run(sluice_stream *s, const char *text, size_t n) {
    sluice_event e;
    for (size_t i = 0; i < n; i += CHUNK) {
        sluice_stream_feed(s, text + i, n - i < CHUNK ? n - i : CHUNK);
        while (sluice_stream_next(s, &e) == SLUICE_EVENT)
            told += e.text_len;
    }
    sluice_stream_finish(s);
    while (sluice_stream_next(s, &e) == SLUICE_EVENT)
        told += e.type == SLUICE_ERROR ? 0 : e.text_len;
    sluice_stream_reset(s);
}

__attribute__((noinline)) static void begin_counting(void) { __asm__ volatile("# begin"); }
__attribute__((noinline)) static void end_counting(void) { __asm__ volatile("# end"); }

static void count(sluice_stream *s, const char *text, size_t n) {
    run(s, text, n);
    begin_counting();
    for (int i = 0; i < RESPONSES; i++)
        run(s, text, n);
    end_counting();
}

static sluice_stream *stream_of(sluice_engine *engine, const char *syntax, sluice_tools *t) {
    sluice_stream *s = sluice_stream_new(engine, syntax, t, NULL);
    if (!s) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        exit(1);
    }
    return s;
}

/* The calls in `made` as a model of the syntax writes them. */
static char *rendered(sluice_engine *engine, const char *syntax, size_t *len) {
    char *text;
    if (sluice_render(engine, syntax, made, made_len, &text, len) != SLUICE_OK) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        exit(1);
    }
    return text;
}

static void count_texts(sluice_engine *engine, sluice_tools *t, const char *syntax, int limit) {
    static char text[2 * BYTES];
    sluice_stream *s = stream_of(engine, syntax, t);
    for (int i = 0; i < TEXTS; i++) {
        size_t n = repeat(text, texts[i].text, BYTES);
        count(s, text, n);
        printf("%d %zu + %s, 4 bytes of text: %s\n", limit, RESPONSES * n / CHUNK, syntax,
               texts[i].kind);
    }
    sluice_stream_free(s);
}

static void count_values(sluice_engine *engine, sluice_tools *t, const char *syntax, int limit) {
    static char text[2 * BYTES], calls[16 * BYTES];
    sluice_stream *s = stream_of(engine, syntax, t);
    size_t without = 0;
    for (int i = -1; i < TEXTS; i++) {
        if (i >= 0)
            repeat(text, texts[i].text, BYTES);
        made = calls;
        made_len = 0;
        say("[{\"name\": \"write-file\", \"arguments\": {\"path\": \"a.txt\", \"content\": \"");
        say_escaped(i < 0 ? "-" : text);
        say("\"}}]");
        size_t len;
        char *response = rendered(engine, syntax, &len);
        count(s, response, len);
        if (i < 0) {
            without = len;
            printf("0 1 = %s\n", syntax);
        } else {
            printf("%d %zu - %s, 4 bytes of a value: %s\n", limit,
                   RESPONSES * (len - without) / CHUNK, syntax, texts[i].kind);
        }
        sluice_free(engine, response);
    }
    sluice_stream_free(s);
}

static void count_calls(sluice_engine *engine, sluice_tools *t, const char *syntax, int limit) {
    static char calls[8192];
    sluice_stream *s = stream_of(engine, syntax, t);
    for (size_t i = 0; i < TOOLS; i++)
        for (size_t n = 1; n <= 2; n++) {
            size_t len, value = i % VALUES;
            made = calls;
            made_len = 0;
            say("[");
            say_call(i, value);
            if (n > 1) {
                say(", ");
                say_call((i + 1) % TOOLS, (value + 1) % VALUES);
            }
            say("]");
            char *response = rendered(engine, syntax, &len);
            const char *name = tools[(i + n - 1) % TOOLS].name;
            for (int k = 0; k < 3; k++) { /* the least counts: Lua collects garbage now and then */
                count(s, response, len);
                printf("%d %d %s %s, %s: %s\n", limit, RESPONSES, n == 1 ? "+" : "-", syntax,
                       n == 1 ? "a call" : "a further call", name);
            }
            sluice_free(engine, response);
        }
    sluice_stream_free(s);
}

/* A stream that is made for a response, beyond one that is reset. */
static void count_streams(sluice_engine *engine, sluice_tools *t, const char *syntax) {
    static char calls[8192];
    size_t len;
    made = calls;
    made_len = 0;
    say("[");
    say_call(0, 0);
    say("]");
    char *response = rendered(engine, syntax, &len);
    sluice_stream *s = stream_of(engine, syntax, t);
    count(s, response, len);
    printf("0 1 = %s\n", syntax);
    sluice_stream_free(s);
    begin_counting();
    for (int i = 0; i < RESPONSES; i++) {
        s = stream_of(engine, syntax, t);
        run(s, response, len);
        sluice_stream_free(s);
    }
    end_counting();
    printf("10400 %d - %s, a fresh stream\n", RESPONSES, syntax);
    sluice_free(engine, response);
}

int main(int argc, char **argv) {
    static const char *const json[] = {"hermes", "kimi_k2", "mistral", "llama3_json"},
                             *const tags[] = {"qwen3_coder", "glm45", "minimax_m2"};
    sluice_engine *engine = sluice_engine_new(NULL);
    if (argc < 2 || sluice_engine_load(engine, argv[1]) != SLUICE_OK)
        return 1;
    const char *list = all_tools();
    sluice_tools *t = sluice_tools_new(engine, list, strlen(list));
    if (!t) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        return 1;
    }
    /* at most a third above what is reached */
    count_texts(engine, t, "hermes", 640);
    count_texts(engine, t, "auto", 960);
    count_values(engine, t, "hermes", 660);
    for (int i = 0; i < 3; i++)
        count_values(engine, t, tags[i], 860);
    for (int i = 0; i < 4; i++) /* kimi_k2 reads its header by a pattern of Lua */
        count_calls(engine, t, json[i], i == 1 ? 68500 : 44800);
    for (int i = 0; i < 3; i++)
        count_calls(engine, t, tags[i], 105000);
    count_streams(engine, t, "hermes");
    count_streams(engine, t, "qwen3_coder");
    sluice_tools_free(t);
    sluice_engine_free(engine);
    return told == 0;
}
