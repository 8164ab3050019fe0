#!/bin/sh
# Builds with the releases of Lua, LPeg, cJSON and lua-argparse in place of the system's; says what is missing where there is
# nothing; hides the system's Lua with LLVM's binutils: tests/dependencies.sh [FOLDER for the archives]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
archives=${1:-$root/build/archives}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "$1" >&2
    [ ! -s "$folder/log" ] || tail -n 30 "$folder/log" >&2
    exit 1
}

build() { # build NAME [CMAKE OPTIONS...]
    name=$1
    shift
    cmake -S "$root" -B "$folder/$name" -DCMAKE_BUILD_TYPE=Debug "$@" >"$folder/log" 2>&1 &&
        cmake --build "$folder/$name" -j2 >>"$folder/log" 2>&1 || fail "$name: the build fails"
    (cd / && echo '<tool_call>{"name": "now", "arguments": {}}</tool_call>' | "$folder/$name/sluice" parse -s hermes) |
        grep -q '"name": "now"' || fail "$name: the command finds no call"
    ! nm -D --defined-only "$folder/$name/libsluice.so" | grep -v ' sluice_[a-z]' || fail "$name: the shared library exports more"
    ! nm -g --defined-only "$folder/$name/libsluice.a" | grep ' [A-Z] ' | grep -v ' sluice_' || fail "$name: libsluice.a has others' names"
    echo "$name: built, and a call is found"
}

refused() { # refused WHAT PATTERN [CMAKE OPTIONS...]
    what=$1 pattern=$2
    shift 2
    ! cmake -S "$root" -B "$folder/refused" "$@" >"$folder/log" 2>&1 || fail "$what: not refused"
    tr '\n' ' ' <"$folder/log" | tr -s ' ' | grep -qi "$pattern" || fail "$what: the message says other things than '$pattern'"
    rm -rf "$folder/refused"
    echo "$what: refused with a message"
}

light="-DSLUICE_BUILD_TESTS=OFF -DSLUICE_BUILD_LUA_MODULES=OFF"
# shellcheck disable=SC2086
{
    for linker in ld.lld ld.lld-14; do
        objcopy=llvm-objcopy${linker#ld.lld}
        if command -v $linker >/dev/null && command -v "$objcopy" >/dev/null; then
            build llvm-binutils $light -DCMAKE_LINKER="$(command -v $linker)" -DCMAKE_OBJCOPY="$(command -v "$objcopy")"
            break
        fi
    done
    none="-DSLUICE_SYSTEM_LIBS=OFF -DSLUICE_FETCH=OFF"
    refused "nothing found, and nothing fetched" "CJSON is not found.*Debian: .*Fedora: .*Alpine: .*Arch: .*macOS: " $none
    echo no archive >"$folder/wrong.tar.gz"
    refused "an archive that is not the release" "wrong.tar.gz is not the release http" -DSLUICE_CJSON_ARCHIVE="$folder/wrong.tar.gz"
    refused "an archive that is not there" "there is no file /no/such" -DSLUICE_LPEG_ARCHIVE=/no/such -DSLUICE_LUA_ARCHIVE=/no/such
    "$root/tests/archives" "$archives" || {
        echo "the authors' releases are out of reach: builds with them are SKIPPED" >&2
        exit 77
    }
    cjson=-DSLUICE_CJSON_ARCHIVE=$archives/cjson_1.7.19.orig.tar.gz
    lpeg=-DSLUICE_LPEG_ARCHIVE=$archives/lua-lpeg_1.1.0.orig.tar.gz
    lua=-DSLUICE_LUA_ARCHIVE=$archives/lua5.4_5.4.7.orig.tar.gz
    argparse=-DSLUICE_ARGPARSE_ARCHIVE=$archives/lua-argparse_0.7.1.orig.tar.gz
    build releases $none $cjson $lpeg $lua $argparse
    for test in test_scripts "test_api $root/syntaxes"; do
        "$folder/releases/tests/"$test || fail "releases: $test fails"
    done
    build some-of-the-system $light $lpeg
}
