#!/bin/sh
# Builds as the README says, `cmake -S . -B b && cmake --build b -j2`, in folders elsewhere, and parses a response with what
# was built there: tests/plain.sh [full]
# By itself: once with Make and once with Ninja, without tests and Lua modules. full: with Make and Ninja, Release and Debug, three
# times each.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd / # so that nothing is found by the working folder

built() { # built GENERATOR TYPE [CMAKE OPTIONS...]
    generator=$1 type=$2
    shift 2
    began=$(date +%s)
    rm -rf "$folder/b"
    cmake -S "$root" -B "$folder/b" -G "$generator" -DCMAKE_BUILD_TYPE="$type" "$@" >"$folder/log" 2>&1 &&
        cmake --build "$folder/b" -j2 >>"$folder/log" 2>&1 || {
        tail -n 40 "$folder/log"
        echo "$generator, $type: the build fails" >&2
        exit 1
    }
    grep -i 'warning:' "$folder/log" && exit 1
    response='<tool_call>{"name": "now", "arguments": {}}</tool_call>'
    echo "$response" | "$folder/b/sluice" parse -s hermes | grep -q '"name": "now"' || {
        echo "$generator, $type: the command finds no call" >&2
        exit 1
    }
    libs=$(sed -n 's/^Libs.private://p' "$folder/b/sluice.pc")
    for library in "$folder/b/libsluice.so" "$folder/b/libsluice.a"; do
        # shellcheck disable=SC2086
        cc -I"$root/core/include" -x c "$folder/count.c" -x none "$library" $libs -Wl,-rpath,"$folder/b" -o "$folder/count"
        "$folder/count" || {
            echo "$generator, $type: $library has no syntaxes" >&2
            exit 1
        }
    done
    echo "$generator, $type: $(($(date +%s) - began)) s"
}

cat >"$folder/count.c" <<'END'
#include <sluice.h>
#include <string.h>
int main(void) {
    char *json;
    size_t len;
    sluice_engine *engine = sluice_engine_new(NULL);
    return !engine || sluice_engine_load(engine, NULL) || sluice_list(engine, &json, &len) || !strstr(json, "hermes");
}
END

if [ "${1:-}" = full ]; then
    for generator in "Unix Makefiles" Ninja; do
        for type in Release Debug; do
            for _ in 1 2 3; do
                built "$generator" $type
            done
        done
    done
else
    for generator in "Unix Makefiles" Ninja; do
        built "$generator" Debug -DSLUICE_BUILD_TESTS=OFF -DSLUICE_BUILD_LUA_MODULES=OFF
    done
fi
