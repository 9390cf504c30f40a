#!/usr/bin/env bash
# How many instructions the library executes for one operation, counted by valgrind.
#
#   benches/instructions.sh                  a table
#   benches/instructions.sh --json           the same as JSON, an operation a line
#   benches/instructions.sh --against FILE   with the ratio to the JSON of an earlier run; fails if one is above 1.03
#   benches/instructions.sh [..] -- WORD..   only the operations whose names contain one of the words
#
# Each operation of `instructions.rs` is run N times and 2 N times, and the difference is divided by N, so nothing of the setup
# counts. A count does not depend on how busy the machine is. It depends a little on the compiler and on the processor, whose
# instruction set the library and libc look up; compare counts of one machine. The program is built as the benches are.
# The builds of cargo go where CARGO_TARGET_DIR says.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
form=table against=""
while [ $# -gt 0 ]; do
    case "$1" in
        --json) form=json ;;
        --against) against="$(realpath "$2")"; shift ;;
        --) shift; break ;;
        *) sed -n '2,/^set/{/^#/p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
    esac
    shift
done
command -v valgrind >/dev/null || { echo "benches/instructions.sh needs valgrind" >&2; exit 2; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cd "$root"
program="$(cargo build --quiet --profile bench --package strata-benches --bin instructions \
    --message-format=json-render-diagnostics | grep -o '"executable":"[^"]*"' | tail -n 1 | cut -d '"' -f 4)"

# The instructions of a whole run. An empty environment: its size would change what libc does at the start.
instructions() {
    env -i STRATA_SIMD=avx2 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        "$program" "$1" "$2" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    awk '/ I +refs:/ { gsub(",", "", $NF); print $NF }' "$work/log"
}

# Whether an operation is asked for.
wanted() {
    local name="$1" word
    shift
    [ $# -eq 0 ] && return
    for word in "$@"; do
        [[ "$name" == *"$word"* ]] && return
    done
    return 1
}

"$program" >"$work/operations"
: >"$work/counts"
while read -r count units name; do
    wanted "$name" "$@" || continue
    once="$(instructions "$name" "$count")"
    twice="$(instructions "$name" $((2 * count)))"
    awk -v a="$once" -v b="$twice" -v n="$((count * units))" -v name="$name" \
        'BEGIN { printf "%s\t%.2f\n", name, (b - a) / n }' >>"$work/counts"
done <"$work/operations"

if [ "$form" = json ]; then
    awk -F '\t' '{ printf "%s\"%s\": %s", (NR == 1 ? "{\n  " : ",\n  "), $1, $2 } END { print "\n}" }' "$work/counts"
elif [ -z "$against" ]; then
    echo "| operation | instructions |"
    echo "|---|---|"
    awk -F '\t' '{ printf "| %s | %s |\n", $1, $2 }' "$work/counts"
fi
if [ -n "$against" ]; then
    awk -v form="$form" '
        BEGIN { out = (form == "json") ? "/dev/stderr" : "/dev/stdout"
                print "| operation | instructions | earlier | ratio |" >out; print "|---|---|---|---|" >out }
        FNR == NR { if (split($0, part, "\"") > 2) { gsub(/[:, ]/, "", part[3]); earlier[part[2]] = part[3] } next }
        { split($0, part, "\t"); name = part[1]
          if (!(name in earlier)) { printf "| %s | %s | | |\n", name, part[2] >out; next }
          ratio = part[2] / earlier[name]
          if (ratio > 1.03) failed = 1
          printf "| %s | %s | %s | %.3f%s |\n", name, part[2], earlier[name], ratio, (ratio > 1.03 ? " above 1.03" : "") >out }
        END { exit failed }' "$against" "$work/counts"
fi
