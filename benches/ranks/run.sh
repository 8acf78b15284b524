#!/usr/bin/env bash
# How much faster a training is on several ranks of one machine, one thread each, and whether the models agree.
# Usage: run.sh IDPAS OUT [RANKS...]
# IDPAS must be built with MPI (cargo build --release -p idpas-cli --features mpi). By default 1, 2 and 4 ranks train on MMCNP
# `small`, 16 instances to learn from and 4 to validate, with the default network and a batch of 8. More ranks than processors
# say nothing about speed. Environment: EPOCHS (6) and ROUNDS (3; all numbers of ranks in turn), and PRIORITY, a command in front
# of mpirun: where others use the machine, PRIORITY="chrt -f 1" as root keeps them off for the seconds that this takes. What is
# in OUT already is used again, except trainings. The table has the median epoch of the fastest round.
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,9s/^# //p' "$0" >&2
    exit 2
fi
idpas=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- 1 2 4
epochs=${EPOCHS:-6} rounds=${ROUNDS:-3}
read -ra launch <<<"${PRIORITY:-}"
launch+=(mpirun --oversubscribe --bind-to none)
[ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root)
mkdir -p "$out"

[ -e "$out/instances/reference.json" ] ||
    "$idpas" generate mmcnp --size small --count 20 --seed 9000 --out "$out/instances" -q >/dev/null
[ -e "$out/pools-done" ] || {
    "$idpas" collect "$out/instances" --out "$out/pools" --time-limit 5 --rounds 0 --split 16/4/0 -q >/dev/null
    touch "$out/pools-done"
}

for round in $(seq "$rounds"); do
    for ranks in "$@"; do
        model=$out/ranks-$ranks-$round.safetensors
        rm -f "$model"
        "${launch[@]}" -n "$ranks" "$idpas" train "$out/pools" --out "$model" --restart --threads 1 --batch 8 \
            --epochs "$epochs" --patience "$epochs" -q >/dev/null
    done
done

python3 "$(dirname "$0")/summarise.py" "$out" "$rounds" "$@"
