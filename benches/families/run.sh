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
say() { echo "$(date -u +%H:%M:%S) $*" >&2; }

# made FOLDER COMMAND…: the command makes the folder, whole or not at all.
made() {
    local folder=$1
    shift
    [ -e "$folder" ] && return
    rm -rf "$folder.part"
    "$@" --out "$folder.part" -q > /dev/null
    mv "$folder.part" "$folder"
}

# generated NAME WORDS…: numbers 1 to 30 to learn from, and from 9101 on to test; a trial leaves these alone.
generated() {
    local folder=$out/instances/$1 first=9101
    shift
    [ -z "$trial" ] || first=31
    mkdir -p "$folder"
    made "$folder/learn" "$idpas" generate "$@" --seed 9000 --first 1 --count 30
    made "$folder/test" "$idpas" generate "$@" --seed 9000 --first "$first" --count 10
}

# series NAME TEST…: the first thirty of a series to learn from, and these numbers to test; a trial leaves these alone.
series() {
    local name=$1 folder=$out/instances/$1 number
    shift
    [ -z "$trial" ] || set -- 31 32 33 34 35 36
    mkdir -p "$folder/learn" "$folder/test"
    for number in $(seq -w 1 30); do
        ln -sf "$data/mipcc23/$name"/*_i"$number".mps.gz "$folder/learn/"
    done
    for number in "$@"; do
        ln -sf "$data/mipcc23/$name"/*_i"$number".mps.gz "$folder/test/"
    done
}

# Whether a benchmark is made from files of the user.
needs_data() {
    case $1 in
        *_series_* | dcmulti | gesa2) return 0 ;;
        *) return 1 ;;
    esac
}

# The instances of a benchmark.
prepare() {
    case $1 in
        MMCNP | SLAP | COURSE) generated "$1" "${1,,}" --size small ;;
        MMCNP-large) generated "$1" mmcnp --size large ;;
        # 43, 48 and 49 were looked at in development.
        bnd_series_1) series "$1" 38 39 40 41 42 44 45 46 47 50 ;;
        *_series_*) series "$1" $(seq 41 50) ;;
        dcmulti | gesa2) generated "$1" perturb "$data/mps/$1.mps" --spec "$here/perturb/$1.toml" ;;
    esac
    mkdir -p "$out/instances/$1/six"
    find "$out/instances/$1/test" -name '*.mps.gz' | sort | head -6 | while read -r file; do
        ln -sf "$file" "$out/instances/$1/six/"
    done
}

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
