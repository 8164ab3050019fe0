#!/bin/sh
# Installs a build into an empty folder, and uses it from there as the README says: tests/install.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix/usr" >/dev/null
lib=$(dirname "$(find "$prefix/usr" -name 'libsluice.so.0')")
export LD_LIBRARY_PATH="$lib" PKG_CONFIG_PATH="$lib/pkgconfig" PATH="$prefix/usr/bin:$PATH"
cd "$prefix"

# the C program of the README, compiled as printed (the prefix is another)
sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;$d' >calls.c
# shellcheck disable=SC2046
cc calls.c -o calls $(pkg-config --cflags --libs sluice)
printf 'Hi <tool_call>{"name": "now", "arguments": {"zone": "UTC"}}</tool_call>' >response
./calls <response >out
grep -q 'call: now' out
grep -q '{"zone": "UTC"}' out

# as a CMake package, shared and static
mkdir project
cp calls.c project/
cat >project/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.21)
project(user C)
find_package(sluice 0.3 REQUIRED)
add_executable(user_shared calls.c)
target_link_libraries(user_shared PRIVATE sluice::sluice)
add_executable(user_static calls.c)
target_link_libraries(user_static PRIVATE sluice::sluice_static)
EOF
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix/usr" >/dev/null
cmake --build project/build >/dev/null
./project/build/user_shared <response | grep -q 'call: now'
SLUICE_PATH=$prefix/usr/share/sluice/syntaxes ./project/build/user_static <response | grep -q 'call: now'

# only the public names are exported, and the command finds its scripts where it was put
if nm -D --defined-only "$lib/libsluice.so.0" | grep -v ' sluice_[a-z]'; then
    echo "the shared library exports more than it should" >&2
    exit 1
fi
sluice list | grep -q '^hermes'
sluice parse -s hermes response | grep -q '"name": "now"'

# the man page and the completions, where they are looked for
for file in man/man1/sluice.1 bash-completion/completions/sluice zsh/site-functions/_sluice fish/vendor_completions.d/sluice.fish; do
    [ -s "$prefix/usr/share/$file" ] || {
        echo "$file is not installed" >&2
        exit 1
    }
done

# the Lua modules, where each Lua looks
for lua in lua5.4 lua5.1 luajit lua5.2 lua5.3; do
    version=${lua#lua}
    [ "$version" = jit ] && version=5.1
    module=$(find "$prefix/usr" -path "*/lua/$version/sluice/core.so")
    if [ "$lua" != lua5.4 ] && { [ -z "$module" ] || ! command -v "$lua" >/dev/null; }; then
        continue
    fi
    LUA_PATH="$prefix/usr/share/lua/$version/?.lua;$prefix/usr/share/lua/$version/?/init.lua;;" \
        LUA_CPATH="$(dirname "$(dirname "$module")")/?.so;;" \
        "$lua" -e 'print(require("sluice").parse("hermes", io.read "*a").calls[1].name)' <response | grep -q now
done

# a rock, with its scripts
mkdir rock
cp -r "$root/core" "$root/lua" "$root/syntaxes" "$root/sluice-scm-1.rockspec" rock/
(cd rock && luarocks --lua-version 5.1 --tree "$prefix/rocks" make --deps-mode none) >rocks.log 2>&1 || {
    cat rocks.log
    exit 1
}
LUA_PATH="$prefix/rocks/share/lua/5.1/?.lua;$prefix/rocks/share/lua/5.1/?/init.lua;;" LUA_CPATH="$prefix/rocks/lib/lua/5.1/?.so;;" \
    lua5.1 -e 'print(require("sluice").parse("hermes", io.read "*a").calls[1].name)' <response | grep -q now
echo "installed, compiled against, and used"
