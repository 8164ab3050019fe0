#!/bin/sh
# The Lua module's cost for each chunk, in Lua 5.4 and LuaJIT. usage: module.sh BUILD
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
LUA_PATH="$root/lua/?.lua;$root/lua/?/init.lua;;"
export LUA_PATH
echo "Lua 5.4" && LUA_CPATH="$build/lua/?.so;;" lua5.4 "$root/tests/bench/module.lua"
echo "LuaJIT" && LUA_CPATH="$build/lua5.1/?.so;;" luajit "$root/tests/bench/module.lua"
