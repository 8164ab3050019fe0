#!/bin/sh
# Counts the instructions of whole responses (callgrind), and checks them against limits: see cost.c. Prints the worst of each kind,
# with -v all of them.
# usage: cost.sh SLUICE_COST SYNTAX_FOLDER [-v]
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
valgrind --tool=callgrind --zero-before=begin_counting --dump-before=end_counting --callgrind-out-file="$out/count" "$1" "$2" \
    >"$out/said" 2>"$out/error" || { cat "$out/error"; exit 1; }
i=0
while read -r what; do # not `totals`, which has costs of code that ran before begin_counting
    i=$((i + 1))
    printf '%s %s\n' "$(sed -n 's/^summary: //p' "$out/count.$i")" "$what"
done <"$out/said" | awk -v all="${3:-}" '{
    count = $1; limit = $2; divisor = $3; sign = $4
    if (sign == "=") { base = count; next }
    sub(/^[0-9]+ [0-9]+ [0-9]+ . /, "")
    each = (sign == "-" ? count - base : count) / divisor
    kind = $0
    sub(/:.*/, "", kind)
    bad = !(count > 0 && each <= limit)
    failed = failed || bad
    if (bad || all != "") printf "%-58s %7d  (at most %d)%s\n", $0, each, limit, bad ? "  TOO MANY" : ""
    if (!(kind in worst)) order[++kinds] = kind
    if (!(kind in worst) || each > worst[kind]) { worst[kind] = each; which[kind] = $0; limits[kind] = limit }
} END {
    print "the worst of each kind:"
    for (k = 1; k <= kinds; k++) printf "%-58s %7d  (at most %d)\n", which[order[k]], worst[order[k]], limits[order[k]]
    exit failed || !kinds
}'
