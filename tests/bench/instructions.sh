#!/bin/sh
# What things cost, in instructions (callgrind), and whether it is within what the README says.
# usage: instructions.sh SLUICE_BENCH SYNTAX_FOLDER
# Only the syntax that is measured is loaded: what the others cost differs by more than what is compared, run by run.
bench=$1
out=$(mktemp)
folder=$(mktemp -d)
trap "rm -rf '$out' '$folder'" EXIT
cp "$2/hermes.lua" "$2/qwen3_coder.lua" "$folder"
status=0
inside=

count() { # count WHAT N [SYNTAX [CHUNK]]: all instructions of a run
    # shellcheck disable=SC2086
    valgrind --tool=callgrind $inside --callgrind-out-file="$out" "$bench" "$folder" count "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}

each() { # each LABEL LIMIT UNIT WHAT N MORE [SYNTAX [CHUNK]]: of UNIT things, from N of them and MORE
    label=$1 limit=$2 unit=$3 what=$4 few=$5 many=$6
    shift 6
    a=$(count "$what" "$few" "$@") b=$(count "$what" "$many" "$@")
    awk -v label="$label" -v limit="$limit" -v one="$(((b - a) * unit / (many - few)))" \
        'BEGIN { printf "%-52s %8d  (at most %d)\n", label, one, limit; exit one > limit }' || status=1
}

inside="--toggle-collect=sluice_stream_new"
each "creating a stream" 3600 1 new 1000 3000
inside="--toggle-collect=sluice_stream_reset"
each "resetting a stream" 500 1 reset 1000 3000
inside="--toggle-collect=sluice_stream_feed --toggle-collect=sluice_stream_next" # not the loop around them
each "4 bytes of prose, feed and next" 220 4 prose 4000 44000
each "a Hermes call with three arguments, 4-byte chunks" 60000 1 call 500 1500 hermes 4
each "the same with validation" 85000 1 "valid call" 500 1500 hermes 4
each "a byte of integers, 64 KB chunks" 72 1 integers 4000 44000 hermes 65536
each "a byte of records, 64 KB chunks" 60 1 records 4000 44000 hermes 65536
each "a byte of escapes, shown as PARAMETER" 60 1 "shown dense string" 12000 72000 hermes 65536
inside="--toggle-collect=sluice_tools_new"
each "twenty tools" 1000000 1 tools 100 300
each "the same twenty tools again" 20000 1 "same tools" 100 300
inside=
for syntax in hermes qwen3_coder; do
    base=$(count argument 64 $syntax 4)
    small=$(count argument 4160 $syntax 4)
    large=$(count argument 65600 $syntax 4)
    # shellcheck disable=SC2016
    echo "$syntax $base $small $large" | awk '{
        a = ($3 - $2) / 40960; b = ($4 - $2) / 655360 # ten times each
        printf "%s: %.1f instructions a byte at 4 KB, %.1f at 64 KB: %.3f  (at most 1.05)\n", $1, a, b, b / a
        exit b > 1.05 * a }' || status=1
done
# `auto`, among all syntaxes, beside one
folder=$2
inside="--toggle-collect=sluice_stream_feed --toggle-collect=sluice_stream_next"
for chunk in 4 64; do
    one=$(($(count prose 44000 hermes $chunk) - $(count prose 4000 hermes $chunk)))
    all=$(($(count prose 44000 auto $chunk) - $(count prose 4000 auto $chunk)))
    awk -v one=$one -v all=$all -v chunk=$chunk 'BEGIN {
        printf "prose in %d-byte chunks, auto beside hermes: %.2f  (at most 2)\n", chunk, all / one
        exit all > 2 * one }' || status=1
done
one=$(($(count html 44000 auto 4) - $(count html 4000 auto 4)))
awk -v one=$one 'BEGIN {
    printf "HTML in 4-byte chunks, auto: %d a byte  (at most 225)\n", one / 40000
    exit one > 225 * 40000 }' || status=1
exit $status
