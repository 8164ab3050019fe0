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
    sub(/^[0-9]+ [0-9]+ [0-9]+ . /, "")
    if (sign == "=" || (sign == "+" && (!($0 in least) || count < base))) base = count # what a `-` exceeds
    if (sign == "=") next
    each = (sign == "-" ? count - base : count) / divisor
    if (!($0 in least)) names[++n] = $0
    if (!($0 in least) || each < least[$0]) least[$0] = each
    limits[$0] = limit
} END {
    for (i = 1; i <= n; i++) {
        name = kind = names[i]
        sub(/:.*/, "", kind)
        bad = !(least[name] > 0 && least[name] <= limits[name])
        failed = failed || bad
        if (bad || all != "") printf "%-58s %7d  (at most %d)%s\n", name, least[name], limits[name], bad ? "  TOO MANY" : ""
        if (!(kind in which)) order[++kinds] = kind
        if (!(kind in which) || least[name] > least[which[kind]]) which[kind] = name
    }
    print "the worst of each kind:"
    for (k = 1; k <= kinds; k++) printf "%-58s %7d  (at most %d)\n", which[order[k]], least[which[order[k]]], limits[which[order[k]]]
    exit failed || !kinds
}'
