#!/bin/sh
# Counts instructions of common operations (callgrind), and checks them against limits.
# usage: instructions.sh SLUICE_BENCH SYNTAX_FOLDER
# Loads only the measured syntax: the cost of loading the others varies more than the figures.
bench=$1
out=$(mktemp)
alone=$(mktemp -d) tags=$(mktemp -d) more=$(mktemp -d)
trap "rm -rf '$out' '$alone' '$tags' '$more'" EXIT
cp "$2/hermes.lua" "$2/qwen3_coder.lua" "$alone"
for syntax in hermes kimi_k2 qwen3_coder glm45 minimax_m2 cline dyad bolt invoke; do cp "$2/$syntax.lua" "$tags"; done
folder=$alone all=$2
status=0
inside=

count() { # count WHAT N [SYNTAX [CHUNK]]: all instructions of a run
    # shellcheck disable=SC2086
    valgrind --tool=callgrind --zero-before=begin_counting $inside --callgrind-out-file="$out" "$bench" "$folder" count "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}

each() { # each LABEL LIMIT UNIT WHAT N MORE [SYNTAX [CHUNK [TIMES]]]: per UNIT things, from runs with N and MORE
    label=$1 limit=$(($2 * 4 / 3)) unit=$3 what=$4 # a third of room above what was reached few=$5 many=$6
    shift 6
    times=${3:-1}
    a=$(count "$what" "$few" "$@") b=$(count "$what" "$many" "$@")
    awk -v label="$label" -v limit="$limit" -v one="$(((b - a) * unit / (many - few) / times))" \
        'BEGIN { printf "%-52s %8d  (at most %d)\n", label, one, limit; exit one > limit }' || status=1
}

once() { # once LABEL LIMIT FUNCTION FOLDER [SYNTAX]: thousands, in that function, for an engine's first stream
    inside="--toggle-collect=$3" folder=$4
    awk -v label="$1" -v limit="$2" -v all="$(count new 0 "${5:-hermes}")" 'BEGIN {
        printf "%-52s %7dk  (at most %dk)\n", label, all / 1000, limit; exit all > limit * 1000 }' || status=1
    folder=$alone
}

checked() { # checked WHAT LIMIT: the factor with its schema, 64 KB chunks
    plain=$(($(count "$1" 44000 hermes 65536) - $(count "$1" 4000 hermes 65536)))
    valid=$(($(count "valid $1" 44000 hermes 65536) - $(count "valid $1" 4000 hermes 65536)))
    awk -v one=$valid -v plain=$plain -v label="$1, checked against their schema beside not" -v limit="$2" 'BEGIN {
        printf "%s: %.2f  (at most %.1f)\n", label, one / plain, limit
        exit one > limit * plain }' || status=1
}

# Lua's tables hash with a seed per run, so these counts vary by some percent.
once "an engine" 7000 sluice_engine_new -
once "loading the library's syntaxes" 2600 sluice_engine_load -
once "the first stream then, of hermes" 1850 sluice_stream_new -
once "the same of auto" 10000 sluice_stream_new - auto
cp "$2"/*.lua "$more"
sed 's/"hermes"/"hermes_of_mine"/' "$2/hermes.lua" >"$more/hermes_of_mine.lua"
once "loading all syntaxes and one that is added" 129000 sluice_engine_load "$more"
once "the first stream of auto then" 104000 sluice_stream_new "$more" auto
inside="--toggle-collect=sluice_stream_new"
each "creating a stream" 4300 1 new 1000 3000 # 3,500 if its literals do not collide in Lua's cache of strings
folder=$2
each "the same of auto, tools with other names each time" 14000 1 "new with tools" 100 1100 auto # many: the cost of the first one varies
folder=$alone
inside="--toggle-collect=sluice_stream_reset"
each "resetting a stream" 500 1 reset 1000 3000
inside="--toggle-collect=sluice_stream_feed --toggle-collect=sluice_stream_next" # without the loop around them
each "4 bytes of prose, feed and next" 170 4 prose 4000 44000
each "4 bytes of reasoning" 220 4 reasoning 4000 44000
each "4 bytes of Chinese text" 280 4 chinese 4000 44000
text() { # text WHAT HERMES AUTO: per hundred bytes, without the first 64 KB
    folder=$alone
    each "100 bytes of $1 in 64 KB chunks, hermes" "$2" 100 "$1" 65536 131072 hermes 65536
    folder=$all
    each "the same, auto" "$3" 100 "$1" 65536 131072 auto 65536
}
text prose 235 270
text table 80 80
text xml 110 200
text html 84 158
text jsx 87 130
text spans 73 127
text svg 73 125
text cpp 75 118
text emoji 84 125
text chinese 95 95
folder=$tags
for syntax in hermes qwen3_coder glm45 minimax_m2; do # ten times each
    [ $syntax = hermes ] && plain=130 code=200 || plain=153 code=240
    each "4 bytes of a plain argument, $syntax" $plain 4 "plain argument" 4096 44096 $syntax 4 10
    each "4 bytes of an argument of code, $syntax" $code 4 argument 4096 44096 $syntax 4 10
done
calls() { # calls SYNTAX CALL CHECKED PARAMETER: one more in a response, in 4-byte chunks; ten times each, after a first time
    each "one more call in a response, $1" "$2" 1 calls 10 60 "$1" 4 10
    each "the same with validation" "$3" 1 "valid calls" 10 60 "$1" 4 10
    each "one more parameter of a call, with validation" "$4" 1 "valid parameters" 10 60 "$1" 4 10
}
calls hermes 15900 30000 4000
calls kimi_k2 16000 30000 4500
calls qwen3_coder 21000 45000 6500
calls glm45 21000 45000 7000
calls minimax_m2 21000 45000 7000
folder=$alone
each "a Hermes call with three arguments, 4-byte chunks" 17200 1 call 500 1500 hermes 4
each "the same with validation" 30000 1 "valid call" 500 1500 hermes 4
each "the same of Qwen3-Coder, without validation" 23500 1 call 500 1500 qwen3_coder 4
each "one more parameter of it" 4850 1 parameters 10 60 qwen3_coder 4 10
each "a byte of integers, 64 KB chunks" 43 1 integers 4000 44000 hermes 65536
each "a byte of records, 64 KB chunks" 47 1 records 4000 44000 hermes 65536
each "a byte of escapes, 64 KB chunks" 17 1 escapes 4000 44000 hermes 65536
each "a byte of UTF-8, 64 KB chunks" 21 1 utf8 4000 44000 hermes 65536
for shape in integers floats "short strings" nested records escapes utf8 "optional members" choices "bounded integers"; do
    checked "$shape" 6
done
checked patterns 10
each "a byte of escapes, shown as PARAMETER" 23 1 "shown dense string" 12000 72000 hermes 65536
inside="--toggle-collect=sluice_wire_feed"
each "a frame of 4 bytes, from OpenAI's format to the same" 1060 1 frames 200 1200 hermes
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
inside="--toggle-collect=sluice_stream_feed --toggle-collect=sluice_stream_next"
# text that is dense with `<`, compared with prose, in formats whose calls are tags
folder=$tags
for syntax in cline dyad bolt invoke; do
    plain=$(($(count prose 44000 $syntax 4) - $(count prose 4000 $syntax 4)))
    for text in html cpp; do
        one=$(($(count $text 44000 $syntax 4) - $(count $text 4000 $syntax 4)))
        awk -v one=$one -v plain=$plain -v label="$text in 4-byte chunks beside prose, $syntax" 'BEGIN {
            printf "%s: %.2f  (at most 2)\n", label, one / plain
            exit one > 2 * plain }' || status=1
    done
done
# `auto`, among all syntaxes, compared with one syntax
folder=$2
for chunk in 4 64; do
    one=$(($(count prose 44000 hermes $chunk) - $(count prose 4000 hermes $chunk)))
    all=$(($(count prose 44000 auto $chunk) - $(count prose 4000 auto $chunk)))
    awk -v one=$one -v all=$all -v chunk=$chunk 'BEGIN {
        printf "prose in %d-byte chunks, auto beside hermes: %.2f  (at most 2)\n", chunk, all / one
        exit all > 2 * one }' || status=1
done
one=$(($(count html 44000 auto 4) - $(count html 4000 auto 4)))
awk -v one=$one 'BEGIN {
    printf "HTML in 4-byte chunks, auto: %d a byte  (at most 120)\n", one / 40000
    exit one > 120 * 40000 }' || status=1
exit $status
