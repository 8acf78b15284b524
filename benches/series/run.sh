#!/usr/bin/env bash
# Solves series of the MIP Workshop 2023 competition in their order, learning from instance to instance, with the default
# solver on every instance in turn. Two series at a time, each on a core of its own. Run again to go on.
# Usage: run.sh IDPAS OUT --data DIR [--share S] [--count N] [NAME]...
#   DIR      holds the competition's `NAME.test` files and, beside each, a folder NAME with its instances
#   --share  the share of the competition's time limit that an instance has (default 0.05)
#   --count  solve at most so many instances of each series (default all)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
idpas=$(realpath "$1")
out=$2
shift 2
data='' share=0.05 count=''
names=()
while [ $# -gt 0 ]; do
    case $1 in
    --data) data=$2 && shift 2 ;;
    --share) share=$2 && shift 2 ;;
    --count) count=$2 && shift 2 ;;
    -*) echo "unknown option $1" >&2 && exit 2 ;;
    *) names+=("$1") && shift ;;
    esac
done
[ -n "$data" ] || { echo "--data DIR is needed" >&2 && exit 2; }
[ ${#names[@]} -gt 0 ] || names=(bnd_series_1 obj_series_1 bnd_series_2 rhs_obj_series_2)
mkdir -p "$out"

one() {
    local name=$1 core=$2 seconds
    seconds=$(awk -v share="$share" '$1 == "[TIMEOUT]" { print share * $2 }' "$data/$name.test")
    # A series in which some instance has no solution ends with 1.
    taskset -c "$core" "$idpas" series "$data/$name.test" --time-limit "$seconds" --compare --out "$out/$name" \
        ${count:+--count "$count"} 2>>"$out/$name.log" >"$out/$name.txt" || [ $? = 1 ]
    "$idpas" report "$out/$name" --out "$out/$name.html" --format json >"$out/$name.json"
    echo "$name: done" >&2
}

# Two lanes; the next series goes to the lane that is free.
lane() {
    local core=$1 name
    while name=$(flock "$out/queue" sh -c 'head -n 1 "$0"; sed -i 1d "$0"' "$out/queue") && [ -n "$name" ]; do
        one "$name" "$core"
    done
}
printf '%s\n' "${names[@]}" >"$out/queue"
lane 0 &
first=$!
lane 1
wait "$first"
rm -f "$out/queue"
"$here/summarise.py" "${names[@]/#/$out/}"
