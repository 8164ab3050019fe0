#!/bin/sh
# Builds with the core that is to replace core/ (core/next, -DSLUICE_NEXT=ON), and runs what passes with it: next.sh [FOLDER]
cd "$(dirname "$0")/.." || exit 1
build=${1:-build-next}

# Specs that do not pass yet, or were not tried. Of the C tests, api does not (a stream is too large); hostile and limits were not tried.
not_yet="api_spec auto_spec beside_spec bfcl_spec command_spec conformance_spec corpus_spec damage_spec
    docs_spec doubt_spec edges_spec formats_spec grammar_spec hostile_spec house_spec infer_spec
    laws_spec locale_spec luajit_spec mark_spec phantom_spec raw_quotes_spec schema_spec tools_spec
    trust_spec unclosed_spec wire_spec wire_quick_spec words_spec"

programs="parts stream json markers schema json_suite scripts memory collect"
targets="sluice sluice_lua"
for name in $programs; do
    targets="$targets test_$name"
done
mkdir -p "$build"
{
    cmake -S . -B "$build" -G Ninja -DSLUICE_NEXT=ON -DCMAKE_BUILD_TYPE=Release -DSLUICE_WERROR=ON -DSLUICE_BUILD_TESTS=ON &&
        # shellcheck disable=SC2086
        cmake --build "$build" --target $targets
} >"$build/build.log" 2>&1 || {
    tail -n 40 "$build/build.log"
    exit 1
}
names=$(echo "$programs" | tr ' ' '|')
for spec in tests/spec/*_spec.lua; do
    name=$(basename "$spec" .lua)
    case " $(echo $not_yet) " in *" $name "*) ;; *) names="$names|$name" ;; esac
done
cd "$build" && ctest -j 2 --output-on-failure -R "^($names)\$"
