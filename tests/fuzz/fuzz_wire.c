/*
 * Any bytes as the body of a server's answer, cut anyhow: what is sent on is what the whole body
 * gives.
 *
 * Input: the formats, a seed for the cuts, then the body.
 */
#include "story.h"

static sluice_engine *engine;

static size_t run(const char *from, const char *to, const char *body, size_t n, unsigned seed,
                  char **out) {
    sluice_wire *wire = sluice_wire_new(engine, "hermes", NULL, NULL, from, to, "m");
    const char *said;
    size_t len = 0, more;
    if (!wire)
        abort();
    *out = NULL;
    for (size_t i = 0; i <= n;) {
        size_t step = n - i;
        if (seed && step) {
            step = 1 + next_number(&seed) % 9;
            step = step > n - i ? n - i : step;
        }
        int r = i < n ? sluice_wire_feed(wire, body + i, step, &said, &more)
                      : sluice_wire_finish(wire, &said, &more);
        if (r) {
            fprintf(stderr, "%s\n", sluice_engine_error(engine));
            abort();
        }
        *out = realloc(*out, len + more + 1);
        memcpy(*out + len, said, more);
        len += more;
        i += step + (i == n);
    }
    sluice_wire_free(wire);
    return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const froms[] = {"openai", "anthropic", "ollama"};
    if (!engine) {
        sluice_engine_options options = {.new_id = fixed_id};
        char path[1024];
        snprintf(path, sizeof path, "%s/hermes.lua", getenv("SLUICE_SYNTAXES"));
        engine = sluice_engine_new(&options);
        if (!engine || sluice_engine_load(engine, path) != SLUICE_OK)
            abort();
    }
    if (size < 2)
        return 0;
    const char *from = froms[data[0] % 3];
    char *whole, *cut;
    size_t a = run(from, "result", (const char *)data + 2, size - 2, 0, &whole);
    size_t b = run(from, "result", (const char *)data + 2, size - 2, data[1] + 1u, &cut);
    if (a != b || memcmp(whole, cut, a) != 0) {
        fprintf(stderr, "---- whole\n%.*s---- cut\n%.*s", (int)a, whole, (int)b, cut);
        abort();
    }
    free(whole);
    free(cut);
    run(from, froms[data[0] / 3 % 3], (const char *)data + 2, size - 2, data[1] + 1u, &whole);
    free(whole);
    return 0;
}
