#!/bin/sh
# Runs the busted specs with the build in $SLUICE_BUILD (default: build): run.sh [FILE...]
# SLUICE_LUA and SLUICE_MODULE name another Lua and the folder of its module: luajit and lua5.1.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${SLUICE_BUILD:-$root/build}
export SLUICE_ROOT="$root" SLUICE_BUILD="$build"
export LUA_PATH="$root/lua/?.lua;$root/lua/?/init.lua;$root/tests/spec/?.lua;;"
export LUA_CPATH="$build/${SLUICE_MODULE:-lua}/?.so;;"
[ $# -gt 0 ] || set -- "$root/tests/spec"
[ -z "$SLUICE_PRELOAD" ] || export LD_PRELOAD="$SLUICE_PRELOAD" # a build with AddressSanitizer
SLUICE_TEMPORARY=$(mktemp -d)
export SLUICE_TEMPORARY
trap 'rm -rf "$SLUICE_TEMPORARY"' EXIT
${SLUICE_LUA:-lua5.4} "$root/tests/spec/run_busted.lua" --output=plainTerminal "$@"
