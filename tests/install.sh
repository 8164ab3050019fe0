#!/bin/sh
# Installs a build into an empty folder, and uses it from there in every way that the README names: tests/install.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix/usr" >/dev/null
lib=$(dirname "$(find "$prefix/usr" -name 'libsluice.so.0')")
export LD_LIBRARY_PATH="$lib" PKG_CONFIG_PATH="$lib/pkgconfig" PATH="$prefix/usr/bin:$PATH"
cd "$prefix"

fail() {
    echo "$1" >&2
    exit 1
}

# the C program of the README, compiled as the README says (in another folder), against the shared and the static library
cp "$root/examples/calls.c" "$root/examples/tools.json" .
printf 'Hi <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>' >response
# shellcheck disable=SC2046
cc calls.c -o calls $(pkg-config --cflags --libs sluice)
./calls tools.json <response >out
grep -q 'call: get_weather' out
grep -q '{"city": "Oslo"}' out
grep -q '^run it$' out
# shellcheck disable=SC2046
cc calls.c -o calls_static $(pkg-config --cflags sluice) -L"$lib" -Wl,-Bstatic -lsluice -Wl,-Bdynamic \
    $(pkg-config --static --libs-only-l sluice | sed 's/-lsluice//')
env -u LD_LIBRARY_PATH ./calls_static tools.json <response | grep -q 'call: get_weather'
[ "$(pkg-config --modversion sluice)" = "$(sluice --version | sed 's/[^0-9.]//g')" ] || fail "versions differ"

# a project that finds the package, fetches the sources, or has them in a folder; in C and C++
mkdir project
cp calls.c project/
cat >project/version.cpp <<'END'
#include <sluice.h>
#include <cstring>
int main() {
    sluice_engine *engine = sluice_engine_new(nullptr);
    bool good = engine && sluice_engine_load(engine, nullptr) == SLUICE_OK && std::strlen(sluice_version()) > 4;
    sluice_engine_free(engine);
    return good ? 0 : 1;
}
END
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(user C CXX)
if(WAY STREQUAL "find_package")
  find_package(sluice 0.4 REQUIRED)
elseif(WAY STREQUAL "FetchContent")
  include(FetchContent)
  FetchContent_Declare(sluice SOURCE_DIR ${SLUICE_ROOT})
  FetchContent_MakeAvailable(sluice)
else()
  add_subdirectory(${SLUICE_ROOT} sluice)
endif()
add_executable(user_shared calls.c)
target_link_libraries(user_shared PRIVATE sluice::sluice)
add_executable(user_static calls.c)
target_link_libraries(user_static PRIVATE sluice::sluice_static)
add_executable(user_cpp version.cpp)
target_link_libraries(user_cpp PRIVATE sluice::sluice_static)
if(TARGET sluice_command OR TARGET test_api OR TARGET sluice_lua)
  message(FATAL_ERROR "a subproject builds more than the library")
endif()
END
for way in find_package FetchContent add_subdirectory; do
    cmake -S project -B "project/$way" -DWAY=$way -DSLUICE_ROOT="$root" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$prefix/usr" \
        >project/log 2>&1 && { [ $way = add_subdirectory ] || cmake --build "project/$way" -j2 >>project/log 2>&1; } || {
        tail -n 30 project/log
        fail "a project cannot use Sluice by $way"
    }
    [ $way != add_subdirectory ] || continue # FetchContent has built the same folder in the same way
    for program in user_shared user_static; do
        # nothing of the installed tree is in reach of the static one
        (cd / && env -u LD_LIBRARY_PATH "$prefix/project/$way/$program" "$prefix/tools.json" <"$prefix/response" |
            grep -q 'call: get_weather') || fail "$program, made by $way, finds no call"
    done
    "./project/$way/user_cpp" || fail "the C++ program, made by $way, fails"
    rm -rf "project/$way"
done

[ "$(cd "$prefix/usr/include" && find . -type f)" = ./sluice.h ] || fail "other headers than sluice.h are installed"

# only the public names are exported, also by the static library
if nm -D --defined-only "$lib/libsluice.so.0" | grep -v ' sluice_[a-z]'; then
    fail "the shared library exports more than it should"
fi
if nm -g --defined-only "$lib/libsluice.a" | grep ' [A-Z] ' | grep -v ' sluice_'; then
    fail "the static library has names of others"
fi

# the command finds its scripts where it was put, and has them inside where it is alone
sluice list | grep -q '^hermes'
echo "-- changed here" >>"$prefix/usr/share/sluice/syntaxes/hermes.lua" # else it is the one inside
sluice list --json | grep -q "\"path\": \"$prefix/usr/share/sluice/syntaxes/hermes.lua\"" || fail "the installed scripts are not used"
sluice parse -s hermes response | grep -q '"name": "get_weather"'
mkdir alone
cp "$prefix/usr/bin/sluice" alone/
(cd / && "$prefix/alone/sluice" list | grep -q '^hermes') || fail "the command alone has no syntaxes"

# the man page and the completions, where they are looked for
for file in man/man1/sluice.1 bash-completion/completions/sluice zsh/site-functions/_sluice fish/vendor_completions.d/sluice.fish; do
    [ -s "$prefix/usr/share/$file" ] || fail "$file is not installed"
done

# the notices of what the library, the command and the modules contain; and nothing but names for the linker
for component in library development command lua; do
    cmake --install "$build" --prefix "$prefix/$component" --component $component >/dev/null
    for name in Lua.org "Dave Gamble" Melnichenko "Permission is hereby granted"; do
        grep -q "$name" "$prefix/$component"/share/doc/*/THIRD_PARTY_LICENSES || fail "$component has no notice of $name"
    done
    [ -s "$(echo "$prefix/$component"/share/doc/*/copyright)" ] || fail "$component has no license"
done
find "$prefix/usr" -name '*.so*' -type f -o -name '*.a' -o -path "*/bin/sluice" | while read -r file; do
    ! readelf -S "$file" | grep -q '\.debug_info' || fail "$file is not stripped"
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
        "$lua" -e 'print(require("sluice").parse("hermes", io.read "*a").calls[1].name)' <response | grep -q get_weather
done

# a rock: the Lua modules and the C module, and nothing else; nothing is left in the checkout
mkdir rock
export SLUICE_CMAKE_OPTIONS=-DCMAKE_BUILD_TYPE=Debug # compiles faster
(cd "$root" && git ls-files -co --exclude-standard | tar cf - -T -) | tar xf - -C rock
(cd rock && find . -type f | sort) >before
for version in 5.1 5.4; do
    (cd rock && luarocks --lua-version $version --tree "$prefix/rocks" make --deps-mode none sluice-scm-1.rockspec) >rocks.log 2>&1 || {
        cat rocks.log
        fail "luarocks make fails for Lua $version"
    }
    LUA_PATH="$prefix/rocks/share/lua/$version/?.lua;$prefix/rocks/share/lua/$version/?/init.lua;;" \
        LUA_CPATH="$prefix/rocks/lib/lua/$version/?.so;;" \
        lua$version -e 'print(require("sluice").parse("hermes", io.read "*a").calls[1].name)' <response | grep -q get_weather
    (cd "rocks/share/lua/$version" && find . -type f | sort) >installed
    (cd "$root/lua" && find ./sluice -name '*.lua' ! -path './sluice/command/*' | sort) | diff - installed ||
        fail "the rock has other Lua files than lua/sluice"
    [ "$(find rocks -name THIRD_PARTY_LICENSES -path "*rocks-$version/*" | wc -l)" = 1 ] || fail "the rock has no notices"
    [ "$(cd "rocks/lib/lua/$version" && find . -type f)" = ./sluice/core.so ] || fail "the rock has more than the C module"
done
(cd rock && find . -type f | sort) | diff before - || fail "luarocks make leaves files in the checkout"
echo "installed, compiled against, and used"
