/* Writes the index of the embedded scripts as bytes for lua/index.c:
 *   sluice_index OUT */
#include "../lua/engine.h"
#include "../lua/scripts.h"
#include "sluice.h"

#include <stdio.h>
#include <stdlib.h>

const char sluice_script_index[] = "";

int main(int argc, char **argv) {
    sluice_engine *e = sluice_engine_new(NULL);
    char *text = NULL;
    size_t len = 0;
    FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!out || !e || sluice_engine_load(e, NULL) != SLUICE_OK ||
        sluice_engine_ask(e, "index", "", &text, &len) != SLUICE_OK) {
        fprintf(stderr, "sluice_index: %s\n", sluice_engine_error(e));
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < len; i++)
        fprintf(out, "%d,", (signed char)text[i]);
    fputc('\n', out);
    sluice_free(e, text);
    sluice_engine_free(e);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
