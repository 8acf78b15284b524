#!/usr/bin/env bash
# Every method on families of three kinds: generated, from a competition, and perturbed from library files.
# Usage: run.sh IDPAS OUT [--data DIR] [--part ten|sixty|large|all] [--only NAME] [--jobs N]
#                         [--without METHOD]… [--no-peers] [--plan] [--trial]
# DIR holds `mipcc23` and `mps`; without it only the generated families are run. What is in OUT is used again, so that a run
# can be cut and go on, and be made in pieces with --only. --plan only says how long it takes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
    sed -n '3,4s/^# //p' "$0" >&2
    exit 2
}
[ $# -ge 2 ] || usage
idpas=$1 out=$2
shift 2
data= part=all only= jobs=2 peers=yes plan_only= options=() trial=
while [ $# -gt 0 ]; do
    case $1 in
        --data) data=${2:?}; shift ;;
        --part) part=${2:?}; shift ;;
        --only) only=${2:?}; shift ;;
        --jobs) jobs=${2:?}; shift ;;
        --without) options+=(--without "${2:?}"); shift ;;
        --no-peers) peers= ;;
        --plan) plan_only=yes ;;
        --trial) options+=(--trial) trial=yes ;;
        *) usage ;;
    esac
    shift
done
case $part in
    all) parts=(ten sixty large) ;;
    ten | sixty | large) parts=("$part") ;;
    *) usage ;;
esac
mkdir -p "$out"
idpas=$(realpath "$idpas") out=$(realpath "$out")
[ -z "$data" ] || data=$(realpath "$data")

studies() { python3 "$here/studies.py" "$@"; }

. "$here/instances.sh"

# The other solvers on the test instances of a benchmark, each with the same limit.
run_peers() {
    local part=$1 name=$2 wanted=() solver folder limit
    for solver in $(studies peers "$part" "$name"); do
        wanted+=(--solver "$solver")
    done
    [ ${#wanted[@]} -gt 0 ] || return 0
    folder=test
    [ "$part" = sixty ] && folder=six
    limit=$(sed -n 's/^time_limit = //p' "$out/studies/$part-$name.toml" | head -1)
    say "$part $name: other solvers"
    "$here/../peers/solvers/run.sh" "$out/instances/$name/$folder" "$out/$part-peers/$name" "${wanted[@]}" \
        --time-limit "$limit" --jobs "$jobs" --idpas "$idpas"
}

wanted=()
for part in "${parts[@]}"; do
    for name in $(studies names "$part"); do
        if [ -z "$only" ] || [ "$name" = "$only" ]; then
            wanted+=("$part:$name")
        fi
    done
done
if [ ${#wanted[@]} -eq 0 ]; then
    echo "no benchmark of ${parts[*]} is called $only" >&2
    exit 2
fi
studies plan "$out" "$jobs" "${wanted[@]}" ${options[@]+"${options[@]}"} >&2
[ -z "$plan_only" ] || exit 0

failed=0
for one in "${wanted[@]}"; do
    part=${one%%:*} name=${one#*:}
    if [ -z "$data" ] && needs_data "$name"; then
        say "$part $name: left out, needs --data"
        [ -z "$only" ] || exit 2
        continue
    fi
    prepare "$name"
    studies write "$part" "$name" "$out" ${options[@]+"${options[@]}"}
    say "$part $name"
    code=0
    "$idpas" evaluate "$out/studies/$part-$name.toml" --out "$out/$part/$name" --jobs "$jobs" || code=$?
    case $code in
        0) ;;
        # Some runs are missing or failed, which the results tell.
        1) failed=1 ;;
        130) exit 130 ;;
        # No pool could be made, say. The other benchmarks do not depend on it.
        *) say "$part $name: ended with $code" && failed=1 && continue ;;
    esac
    "$idpas" evaluate "$out/studies/$part-half-$name.toml" --out "$out/$part-half/$name" --jobs "$jobs" -q > /dev/null || failed=1
    if [ -n "$peers" ]; then
        run_peers "$part" "$name" || failed=1
    fi
done

# Of everything that is there, not only of what was run now.
results=()
for part in ten sixty large; do
    for name in $(studies names "$part"); do
        [ ! -e "$out/$part/$name/$name/benchmark.json" ] || results+=("$out/$part/$name")
    done
done
[ ${#results[@]} -gt 0 ] || exit 1
python3 "$here/summarise.py" --idpas "$idpas" "${results[@]}" | tee "$out/summary.md"
say "summary in $out/summary.md"
exit $failed
