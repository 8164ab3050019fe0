#!/bin/sh
# Runs the specs of the plugin inside Neovim, with the build in $SLUICE_BUILD (default: build).
root=$(cd "$(dirname "$0")/../.." && pwd)
export SLUICE_ROOT="$root" LUA_CPATH="${SLUICE_BUILD:-$root/build}/lua5.1/?.so;;" LUA_PATH="$root/tests/spec/?.lua;;"
cd "$root" || exit 1
command -v nvim >/dev/null || { echo "there is no nvim here"; exit 1; }
XDG_STATE_HOME=$(mktemp -d) && export XDG_STATE_HOME
timeout 300 nvim --headless -u tests/nvim/init.vim -i NONE -n +'luafile tests/nvim/busted.lua' </dev/null
status=$?
rm -rf "$XDG_STATE_HOME"
exit $status
