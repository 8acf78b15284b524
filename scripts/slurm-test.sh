#!/usr/bin/env bash
# A study and a collection on a real Slurm on this machine: run as arrays, with tasks that are killed, cancelled, sent back to
# the queue and preempted in the middle of their work; and a training on several ranks. Three minutes on two cores after the build.
# Usage: slurm-test.sh CACHE_FOLDER
# Installs Debian's Slurm and Open MPI where they are missing. Ends with 77 where there can be no Slurm, and says why.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$1
work=$(mktemp -d /tmp/idpas-slurm.XXXXXX)
results=$work/results
idpas=$work/idpas
say() { printf 'slurm-test: %s\n' "$*"; }
fail() {
    say "FAILED: $*"
    squeue || true
    "$idpas" status "$results" || true
    tail -n 5 "$results"/cluster/logs/* 2>/dev/null || true
    exit 1
}
finish() {
    code=$?
    scripts/slurm-cluster.sh stop "$work/slurm" || true
    [ $code = 0 ] && rm -rf "$work"
    exit $code
}
trap finish EXIT

# Before the cluster starts: Slurm's daemons look for the library of PMIx, by which srun launches ranks, when they start.
# The bindings to MPI need the headers that belong to libclang, which the bindings to the solver do without.
headers=$(dpkg-query -W -f '${Package}\n' 'libclang1-*' 2>/dev/null | sed -n 's/^libclang1-\([0-9]*\)$/libclang-common-\1-dev/p' | head -n 1)
mpi=(libopenmpi-dev openmpi-bin "${headers:-libclang-dev}")
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! dpkg -s "${mpi[@]}" >/dev/null 2>&1; then
    say "installing ${mpi[*]}"
    get=(apt-get -o DPkg::Lock::Timeout=300 -q)
    # The lists may be old or absent on a fresh machine.
    "${get[@]}" update >"$work/apt.log" 2>&1 || say "apt-get update failed; trying all the same"
    DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y --no-install-recommends "${mpi[@]}" >>"$work/apt.log" 2>&1 ||
        { say "cannot install ${mpi[*]}: $(grep -E '^E:' "$work/apt.log" | tail -n 1)" && trap - EXIT && rm -rf "$work" && exit 77; }
fi
code=0
exported=$(scripts/slurm-cluster.sh start --nodes 2 --cpus 3 "$work/slurm") || code=$?
[ $code = 0 ] || { trap - EXIT && rm -rf "$work" && exit $code; }
eval "$exported"
command -v mpicc >/dev/null || { say "cannot run here: there is no MPI" && exit 77; }
# Debian may have other kinds of MPI, too.
[ ! -x /usr/bin/mpicc.openmpi ] || export MPICC=/usr/bin/mpicc.openmpi
scripts/mpi-build.sh "$cache" "$idpas"
SECONDS=0

# Waits until a command succeeds; fails after so many seconds.
until_true() {
    local seconds=$1 what=$2 end
    shift 2
    end=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "$what: not within $seconds s"
        sleep 0.2
    done
}
status() { "$idpas" status "$results" --format json; }
field() { python3 -c "import json, sys; s = json.load(sys.stdin); print($1)"; }
is_running() { squeue -h -t running -n "$1" | grep -q .; }
queue_is_empty() { [ -z "$(squeue -h)" ]; }
records() { find "$results" -path '*/runs/*.json' | wc -l; }
has_records() { [ "$(records)" -ge "$1" ]; }
# Processes of tasks that do a stage.
tasks_of() { pgrep -f "^$idpas evaluate $results/study.toml .*--until $1 " || true; }

say "a study as arrays"
"$idpas" evaluate studies/smoke.toml --out "$results" --slurm --chunk 10s >"$work/submitted"
grep -c ': job ' "$work/submitted" | grep -qx 6 || fail "expected six jobs: $(cat "$work/submitted")"

until_true 60 "collecting begins" is_running idpas-smoke-MMCNP_tiny-collect
until_true 30 "a task collects" test -n "$(tasks_of collect)$(sleep 0.5)$(tasks_of collect)"
victim=$(tasks_of collect | head -n 1)
if [ -n "$victim" ]; then
    kill -9 "$victim"
    say "killed a task that collects"
fi

until_true 120 "runs are made" has_records 6
say "$(records) runs are there; all jobs are cancelled"
# shellcheck disable=SC2046
scancel $(status | field "' '.join(str(j['id']) for j in s['cluster']['jobs'])")
until_true 60 "the queue is empty" queue_is_empty
left=$(status | field "sum(t['total'] - t['done'] for b in s['benchmarks'] for t in b['stages'])")
[ "$left" -gt 0 ] || fail "nothing was left to resume"
[ "$(status | field "s['expected_finish']")" = None ] || fail "a finish is expected of nothing"

say "$left runs are missing; the same command again"
"$idpas" evaluate studies/smoke.toml --out "$results" --slurm --chunk 10s >"$work/again"
for job in runs report; do
    grep -q -- "-$job: .*: job " "$work/again" || fail "expected $job: $(cat "$work/again")"
done
! grep -q -- '-collect\|-train\|-tune' "$work/again" || fail "something is made again: $(cat "$work/again")"
"$idpas" evaluate studies/smoke.toml --out "$results" --slurm --chunk 10s | grep -c 'in the queue already' | grep -qx 2 ||
    fail "what is in the queue was submitted again"
until_true 60 "runs go on" is_running idpas-smoke-MMCNP_tiny-runs
runs=$(squeue -h -t running -n idpas-smoke-MMCNP_tiny-runs -o %F_%K | head -n 1)
if scontrol requeue "$runs" 2>/dev/null; then
    say "task $runs was sent back to the queue"
fi
until_true 120 "the end" queue_is_empty
[ "$(status | field "all(t['is_done'] for b in s['benchmarks'] for t in b['stages'])")" = True ] || fail "something is left"
[ "$(records)" = 36 ] || fail "expected 36 records, found $(records)"
! grep -l '"failure": "' -r "$results"/*/runs || fail "runs failed"
[ -s "$results/report.html" ] || fail "there is no report"
[ -z "$(find "$results" -path '*claims*' -type f)$(find "$results" -path '*/shards/*')" ] || fail "claims are left behind"
"$idpas" evaluate studies/smoke.toml --out "$results" --slurm | grep -qx 'nothing is left to do' || fail "work is left"

say "a collection whose tasks are preempted"
# Large enough not to be solved before the tasks are preempted, which takes Slurm half a minute.
"$idpas" generate mmcnp --size small --seed 5 --count 8 --out "$work/instances" --quiet >/dev/null
"$idpas" collect "$work/instances" --out "$work/pools" --time-limit 16 --split 6/2/0 --slurm --chunk 10s >"$work/collection"
until_true 30 "collecting begins" is_running idpas-pools-pools
sleep 2
sbatch --partition=urgent --nodes=2 --exclusive --output=/dev/null --wrap 'sleep 2' >/dev/null
preempted() { scontrol -o show job "$(squeue -h -t all -n idpas-pools-pools -o %F | head -n 1)" | grep -q 'Restarts=[1-9]'; }
until_true 90 "tasks are preempted" preempted
until_true 180 "the end of the collection" queue_is_empty
"$idpas" status "$work/pools" --format json >"$work/pools.json"
[ "$(field "s['done'], s['failed']" <"$work/pools.json")" = "8 0" ] || fail "pools: $(cat "$work/pools.json")"

say "a training on several ranks"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
train=("$idpas" train "$work/pools" --batch 6 --epochs 8 --threads 1 --quiet)
# Runs in a job of so many tasks, as users start it.
train_on() {
    printf '#!/bin/bash\nexec srun --mpi=pmix %s --out %s --restart\n' "${train[*]}" "$work/ranks-$1.safetensors" >"$work/train.sbatch"
    sbatch --wait --nodes="$2" --ntasks="$1" --output="$work/train-$1.log" "$work/train.sbatch" >/dev/null ||
        fail "training on $1 ranks: $(tail -n 5 "$work/train-$1.log")"
}
# The seconds of the fastest epoch: the one that other work on the machine has disturbed least.
epoch_seconds() {
    python3 - "$work/ranks-$1.log.jsonl" <<'P'
import json, sys

ends = [0.0] + [json.loads(line)["seconds"] for line in open(sys.argv[1])]
print(min(b - a for a, b in zip(ends[1:], ends[2:])))
P
}
"${train[@]}" --out "$work/one.safetensors" >/dev/null
train_on 4 2
distance=$(scripts/weights_apart.py "$work/one.safetensors" "$work/ranks-4.safetensors")
awk -v d="$distance" 'BEGIN { exit !(d < 1e-4) }' || fail "the model of four ranks is $distance away from that of one process"
say "four ranks on two nodes: weights within $distance of one process's"
# Other work on the machine may disturb a measurement, but not make it better than it is.
for attempt in 1 2 3 4 5; do
    train_on 1 1
    train_on 2 1
    ratio=$(awk -v two="$(epoch_seconds 2)" -v one="$(epoch_seconds 1)" 'BEGIN { print two / one }')
    say "seconds per epoch on two ranks: $ratio of one rank's"
    ! awk -v r="$ratio" 'BEGIN { exit !(r <= 0.6) }' || break
    [ $attempt -lt 5 ] || [ "$(nproc)" -lt 2 ] || fail "two ranks are not fast enough"
done
[ -z "$(pgrep -f "^$idpas" || true)" ] || fail "processes are left"
say "all went well in $SECONDS s"
