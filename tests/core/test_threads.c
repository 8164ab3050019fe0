/* Eight threads with an engine each; under ThreadSanitizer this reports shared memory. */
#include "check.h"

#include <pthread.h>
#include <sluice.h>

enum { THREADS = 8, ROUNDS = 20 };

static const char *folder;

static void *work(void *user) {
    static const char *const syntaxes[] = {"hermes", "qwen3_coder", "pythonic", "mistral"};
    static const char text[] =
        "Hi <tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": [1, 2, \"y\"]}}\n</tool_call>";
    static const char calls[] = "[{\"name\": \"f\", \"arguments\": {\"x\": 1}}]";
    size_t number = (size_t)user, bad = 0, len;
    char *out;
    sluice_engine *engine = sluice_engine_new(NULL);
    bad += sluice_engine_load(engine, folder) != SLUICE_OK;
    for (int i = 0; i < ROUNDS; i++) {
        const char *syntax = syntaxes[(number + (size_t)i) % 4];
        if (sluice_parse(engine, syntax, NULL, NULL, text, sizeof text - 1, &out, &len) ==
            SLUICE_OK)
            sluice_free(engine, out);
        else
            bad++;
        if (sluice_render(engine, syntax, calls, sizeof calls - 1, &out, &len) == SLUICE_OK)
            sluice_free(engine, out);
        else
            bad++;
    }
    sluice_engine_free(engine);
    return (void *)bad;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    folder = argc > 1 ? argv[1] : "syntaxes";
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *bad = NULL;
        CHECK(pthread_join(threads[i], &bad) == 0 && !bad);
    }
    return report("threads");
}
