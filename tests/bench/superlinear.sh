#!/bin/sh
# Searches for input whose cost grows faster than its length: superlinear.sh BUILD [SECONDS [SYNTAX...]]
# SECONDS 0: every shape, which takes about an hour. Default: 45 seconds, on two cores.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 1
seconds=${2:-45}
[ $# -gt 2 ] && shift 2 || shift $#
export LUA_PATH="$root/lua/?.lua;$root/lua/?/init.lua;$root/tests/spec/?.lua;;" LUA_CPATH="$build/lua/?.so;;"
cd "$root" || exit 1
if [ "$seconds" = 0 ]; then
    exec lua5.4 tests/bench/superlinear.lua search 0 1 "$@"
fi
# the same commit gets the same shapes; another SLUICE_SEED selects others
seed=${SLUICE_SEED:-1}
lua5.4 tests/bench/superlinear.lua search "$seconds" "$seed" "$@" &
lua5.4 tests/bench/superlinear.lua search "$seconds" "$((seed + 1000))" "$@"
second=$?
wait $!
[ $? -eq 0 ] && [ $second -eq 0 ]
