#!/bin/sh
# Builds with the core that is to replace core/ (core/next, -DSLUICE_NEXT=ON) and runs the C tests that pass with it: next.sh [FOLDER]
cd "$(dirname "$0")/.." || exit 1
build=${1:-build-next}
programs="next json schema json_suite collect scripts"
targets="sluice sluice_lua"
for name in $programs; do
    targets="$targets test_$name"
done
mkdir -p "$build"
{
    cmake -S . -B "$build" -G Ninja -DSLUICE_NEXT=ON -DSLUICE_WERROR=ON -DSLUICE_BUILD_TESTS=ON &&
        # shellcheck disable=SC2086
        cmake --build "$build" --target $targets
} >"$build/build.log" 2>&1 || {
    tail -n 40 "$build/build.log"
    exit 1
}
cd "$build" && ctest -j 2 --output-on-failure -R "^($(echo "$programs" | tr ' ' '|'))\$"
