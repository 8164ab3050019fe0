#!/bin/sh
# Instructions per byte (callgrind) of one argument fed four bytes at a time: at 64 KB at most 1.1 times those at 4 KB.
# usage: linear.sh SLUICE_BENCH SYNTAX_FOLDER
# Only the syntax that is measured is loaded: what the others cost differs by more than what is compared, run by run.
out=$(mktemp)
folder=$(mktemp -d)
trap 'rm -rf "$out" "$folder"' EXIT
count() {
    valgrind --tool=callgrind --callgrind-out-file="$out" "$1" "$2" count "$3" "$4" "$5" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}
status=0
for syntax in hermes qwen3_coder; do
    cp "$2/$syntax.lua" "$folder"
    base=$(count "$1" "$folder" $syntax 64 4)
    small=$(count "$1" "$folder" $syntax 4160 4)
    large=$(count "$1" "$folder" $syntax 65600 4)
    rm "$folder/$syntax.lua"
    # shellcheck disable=SC2016
    echo "$syntax $base $small $large" | awk '{
        a = ($3 - $2) / 4096; b = ($4 - $2) / 65536
        printf "%s: %.1f instructions a byte at 4 KB, %.1f at 64 KB: %.3f\n", $1, a, b, b / a
        exit b > 1.1 * a }' || status=1
done
exit $status
