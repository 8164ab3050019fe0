#!/bin/sh
# Runs the busted specs with the build in $SLUICE_BUILD (default: build): run.sh [FILE...]
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${SLUICE_BUILD:-$root/build}
export SLUICE_ROOT="$root" SLUICE_BUILD="$build"
export LUA_PATH="$root/lua/?.lua;$root/lua/?/init.lua;$root/tests/spec/?.lua;;"
export LUA_CPATH="$build/lua/?.so;;"
[ $# -gt 0 ] || set -- "$root/tests/spec"
[ -z "$SLUICE_PRELOAD" ] || export LD_PRELOAD="$SLUICE_PRELOAD" # a build with AddressSanitizer
exec ${SLUICE_LUA:-lua5.4} -e 'require "busted.runner" { standalone = false }' /dev/null --output=plainTerminal "$@"
