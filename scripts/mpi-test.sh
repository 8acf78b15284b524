#!/usr/bin/env bash
# Trainings on several ranks with a real MPI: builds the program with it, and compares models, interrupts, kills and resumes.
# Where no MPI is installed, this is named as skipped, in the file $IDPAS_SKIPPED_TESTS if that is set.
# Usage: mpi-test.sh CACHE_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$1
for tool in mpicc mpirun; do
    if ! command -v "$tool" >/dev/null; then
        why="$tool is not installed (apt-get install libopenmpi-dev openmpi-bin)"
        printf 'skipped: training over MPI: %s\n' "$why" >&2
        [ -z "${IDPAS_SKIPPED_TESTS:-}" ] || printf 'training over MPI\t%s\n' "$why" >>"$IDPAS_SKIPPED_TESTS"
        exit 0
    fi
done

work=$(mktemp -d "${TMPDIR:-/tmp}/idpas-mpi-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
idpas=$work/idpas
scripts/mpi-build.sh "$cache" "$idpas"

fail() {
    printf 'mpi-test: %s\n' "$1" >&2
    [ $# -lt 2 ] || sed 's/^/    /' "$2" >&2
    exit 1
}

launch=(mpirun)
open_mpi=no
if mpirun --version | grep -q 'Open MPI'; then
    open_mpi=yes
    launch+=(--oversubscribe)
    [ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root)
fi

"$idpas" generate mmcnp --size tiny --seed 3 --count 12 -q --out "$work/instances" >/dev/null
"$idpas" collect "$work/instances" --out "$work/pools" --time-limit 60 --nodes 1 --rounds 0 --split 8/4/0 -q >/dev/null
small=(--embedding 16 --heads 4 --epochs 5 --batch 4 --threads 1 -q)
train() { "$idpas" train "$work/pools" --out "$work/$1.safetensors" "${@:2}"; }
train_on() { "${launch[@]}" -n "$1" "$idpas" train "$work/pools" --out "$work/$2.safetensors" "${@:3}"; }

# The largest difference of a weight between two models.
apart() { scripts/weights_apart.py "$work/$1.safetensors" "$work/$2.safetensors"; }
is_near() { awk -v d="$(apart "$1" "$2")" 'BEGIN { exit !(d < 1e-5) }'; }

train one "${small[@]}" >/dev/null
for ranks in 1 2 4; do
    train_on "$ranks" "ranks-$ranks" "${small[@]}" >/dev/null
    is_near one "ranks-$ranks" || fail "the model of $ranks ranks is $(apart one "ranks-$ranks") away from that of one process"
    [ ! -e "$work/ranks-$ranks.ranks" ] || fail "$ranks ranks: signs of life are left"
done
train_on 2 again "${small[@]}" >/dev/null
cmp "$work/ranks-2.safetensors" "$work/again.safetensors" || fail "two ranks do not give the same bytes twice"
train_on 2 other "${small[@]}" --seed 1 >/dev/null
! is_near one other || fail "another seed gives the same model, so the comparison is worth nothing"
echo "mpi-test: 1, 2 and 4 ranks agree"

# Long enough to be caught in the middle.
long=(--embedding 16 --heads 4 --epochs 150 --patience 150 --batch 4 --threads 1 -q)
wait_for_epochs() {
    for _ in $(seq 600); do
        [ ! -e "$work/$1.log.jsonl" ] || [ "$(wc -l <"$work/$1.log.jsonl")" -lt "$2" ] || return 0
        sleep 0.1
    done
    fail "$1 does not get to epoch $2" "$work/$1.out"
}
# The process id of a rank, from its sign of life. Those of runs that were killed may be there, too; names begin with a time.
pid_of() {
    local signs=("$work/$1.ranks/"*"-rank-$2.json")
    sed 's/.*"pid":\([0-9]*\).*/\1/' "${signs[-1]}"
}
# Starts a training in the background, waits for an epoch, sends a signal to a rank, and sets `code` to how it ended.
strike() {
    local name=$1 epochs=$2 signal=$3 rank=$4
    shift 4
    "$@" >"$work/$name.out" 2>&1 &
    local launcher=$!
    wait_for_epochs "$name" "$epochs"
    kill -s "$signal" "$(pid_of "$name" "$rank")"
    code=0
    wait "$launcher" || code=$?
}

# With the same number of ranks all the way, the end is the same to the last bit.
train_on 2 long "${long[@]}" >/dev/null
strike struck 5 INT 1 train_on 2 struck "${long[@]}"
[ "$code" = 130 ] || fail "an interrupted rank: exit code $code" "$work/struck.out"
grep -q 'interrupted: the best weights so far are kept' "$work/struck.out" || fail "no word of the interrupt" "$work/struck.out"
code=0
train_on 2 struck "${long[@]}" >"$work/struck.out" 2>&1 || code=$?
[ "$code" = 2 ] || fail "an unfinished training was not refused: exit code $code" "$work/struck.out"
grep -q 'error on rank 0: .* was interrupted after' "$work/struck.out" || fail "no word of the refusal" "$work/struck.out"
strike struck 30 KILL 1 train_on 2 struck "${long[@]}" --resume
[ "$code" != 0 ] || fail "a killed rank does not end the others" "$work/struck.out"
if [ "$open_mpi" = yes ]; then
    # With a launcher that does not care, as srun by default, the ranks see for themselves that one is missing.
    launch+=(--enable-recovery)
    strike struck 50 KILL 1 train_on 2 struck "${long[@]}" --resume
    grep -q 'rank 1 has died' "$work/struck.out" || fail "no word of the rank that died" "$work/struck.out"
    unset 'launch[-1]'
fi
# Any number of ranks goes on. Over many epochs rounding grows, so that nothing is compared but that they come to the end.
for ranks in 1 3; do
    cp -r "$work/struck.training" "$work/goes-on-$ranks.training"
    cp "$work/struck.log.jsonl" "$work/goes-on-$ranks.log.jsonl"
    train_on "$ranks" "goes-on-$ranks" "${long[@]}" --resume >/dev/null
    [ "$(wc -l <"$work/goes-on-$ranks.log.jsonl")" = 150 ] || fail "$ranks ranks do not come to the end"
done
train_on 2 struck "${long[@]}" --resume >/dev/null
cmp "$work/long.safetensors" "$work/struck.safetensors" || fail "a resumed training does not end with the same bytes"
echo "mpi-test: interrupted, killed and resumed trainings end the same"
