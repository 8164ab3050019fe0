#!/bin/sh
# Checks that hostile input takes linear work: four times the bytes, at most 5 times the instructions (callgrind), and
# 2 million more, since a cycle of Lua's collector may fall on either.
# usage: hostile.sh TEST_HOSTILE SYNTAX_FOLDER [BYTES]
test=$1 folder=$2 bytes=${3:-12000}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for part in 0 1; do # a dump after each stream
    valgrind --tool=callgrind --dump-after=sluice_stream_free --toggle-collect=sluice_stream_feed \
        --toggle-collect=sluice_stream_finish --toggle-collect=sluice_stream_next --callgrind-out-file="$out/$part" "$test" "$folder" "$bytes" $part 2 \
        >"$out/names.$part" 2>"$out/said.$part" &
done
wait
for part in 0 1; do
    i=0
    while read -r what; do
        i=$((i + 1))
        printf '%s %s\n' "$(sed -n 's/^summary: //p' "$out/$part.$i")" "$what"
    done <"$out/names.$part"
done | awk -v bytes="$bytes" '{
    count = $1
    sub(/^[0-9]+ /, "")
    if (NR % 2) {
        small = count
        next
    }
    bad = !(small > 0 && count <= 5 * small + 2000000)
    failed = failed || bad
    printf "%s %8.1f instructions a byte, %5.2f times for 4 times the bytes%s\n", $0, count / bytes / 4, count / small,
        bad ? "  TOO MANY" : ""
} END { exit failed || NR == 0 }'
