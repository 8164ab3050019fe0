#!/bin/sh
# Runs the specs of the plugin inside the Neovim $NVIM (default: nvim), with the build in $SLUICE_BUILD (default: build).
# `require "lpeg"` finds the system's LPeg only in editors without one of their own: those before 0.10.
root=$(cd "$(dirname "$0")/../.." && pwd)
nvim=${NVIM:-nvim}
cd "$root" || exit 1
command -v "$nvim" >/dev/null || { echo "there is no $nvim here"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# the C modules that busted needs, and the build's own; what else the system has is out of reach
found=$("$nvim" --clean --headless +'lua io.stdout:write(package.cpath)' +'qall!' 2>/dev/null)
modules="lfs term system"
"$nvim" --clean --headless +'lua vim.cmd(vim.lpeg and "cquit 1" or "qall!")' 2>/dev/null && modules="$modules lpeg"
mkdir "$folder/modules"
for module in $modules; do
    for place in $(echo "$found" | tr ';' ' '); do
        place=${place%/*}
        [ -e "$place/$module" ] && ln -sfn "$place/$module" "$folder/modules/"
        [ -e "$place/$module.so" ] && ln -sf "$place/$module.so" "$folder/modules/"
    done
done

export SLUICE_ROOT="$root" LUA_PATH="$root/tests/spec/?.lua;;" XDG_STATE_HOME="$folder" XDG_DATA_HOME="$folder" XDG_CONFIG_HOME="$folder"
export LUA_CPATH="${SLUICE_BUILD:-$root/build}/lua5.1/?.so;$folder/modules/?.so"
timeout 3000 "$nvim" --headless -u tests/nvim/init.vim -i NONE -n +'luafile tests/nvim/busted.lua' </dev/null
