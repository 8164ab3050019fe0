#!/bin/sh
# The amalgamation is compiled by one line of cc, beside a program that parses a response: amalgamation.sh BUILD
# Exit status 77: there is no Lua 5.4, LPeg and cJSON to link it with.
set -eu
folder=$1/amalgamation
cmake --build "$1" --target sluice_amalgamation >/dev/null
cat >"$folder/program.c" <<'C'
#include "sluice.h"
#include <stdio.h>
int main(void) {
    static const char text[] = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>";
    sluice_engine *e = sluice_engine_new(NULL);
    char *out = NULL;
    if (!e || sluice_engine_load(e, NULL) ||
        sluice_parse(e, "hermes", NULL, NULL, text, sizeof text - 1, &out, NULL))
        return 1;
    puts(out);
    sluice_free(e, out);
    sluice_engine_free(e);
}
C
libraries=$(pkg-config --cflags --libs lua5.4 2>/dev/null) || exit 77
cd "$folder"
echo 'int main(void) { return 0; }' >empty.c
# shellcheck disable=SC2086
cc empty.c -o empty $libraries -llua5.4-lpeg -lcjson 2>/dev/null || exit 77
# shellcheck disable=SC2086
cc -w program.c sluice.c $libraries -llua5.4-lpeg -lcjson -lm -ldl -o program
./program | grep -F '"name": "f", "arguments": {"a": 1}'
