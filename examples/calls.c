/* Reads a model's output from standard input and prints its text and its tool calls while they
 * arrive.
 *
 *   cc examples/calls.c -o calls $(pkg-config --cflags --libs sluice)
 *   ./calls examples/tools.json <examples/response.txt
 */
#include <sluice.h>
#include <stdio.h>

int main(int argc, char **argv) {
    static char tools_json[65536]; /* OpenAI's `tools` */
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: calls TOOLS <RESPONSE\n");
        return 2;
    }
    size_t len = fread(tools_json, 1, sizeof tools_json, file);
    fclose(file);
    sluice_engine *engine = sluice_engine_new(NULL);
    sluice_engine_load(engine, NULL); /* the installed scripts, and those in SLUICE_PATH */
    sluice_tools *tools = sluice_tools_new(engine, tools_json, len);
    sluice_stream *stream = tools ? sluice_stream_new(engine, "hermes", tools, NULL) : NULL;
    sluice_tools_free(tools); /* the stream keeps what it needs */
    if (!stream) {
        fprintf(stderr, "%s\n", sluice_engine_error(engine));
        return 1;
    }
    sluice_event event;
    char bytes[4096];
    for (size_t n = 1; n > 0;) {
        n = fread(bytes, 1, sizeof bytes, stdin);
        if (n > 0)
            sluice_stream_feed(stream, bytes, n);
        else
            sluice_stream_finish(stream);
        while (sluice_stream_next(stream, &event) == SLUICE_EVENT) {
            if (event.type == SLUICE_TEXT)
                printf("%.*s", (int)event.text_len, event.text);
            else if (event.type == SLUICE_CALL_BEGIN)
                printf("\ncall: %s ", event.name);
            else if (event.type == SLUICE_ARGUMENTS)
                printf("%.*s", (int)event.text_len, event.text);
            else if (event.type == SLUICE_CALL_END)
                printf("\n%s\n", event.valid ? "run it" : "do not run it unasked");
        }
    }
    sluice_stream_free(stream);
    sluice_engine_free(engine);
}
