#!/usr/bin/env bash
# Does learning work? One family from nothing to a table of how good each predictor is on instances it has not seen.
# Usage: learning.sh IDPAS FAMILY SIZE TRAIN/VALIDATION/TEST COLLECT_SECONDS OUT [options of `idpas train` for the networks]
# What is in OUT already is used again, so that an interrupted run goes on.
set -euo pipefail

idpas=$1 family=$2 size=$3 split=$4 seconds=$5 out=$6
shift 6
count=$(( ${split//\//+} ))
mkdir -p "$out"
"$idpas" generate "$family" --size "$size" --seed 1 --count "$count" --out "$out/instances" -q
"$idpas" collect "$out/instances" --out "$out/pools" --time-limit "$seconds" --split "$split"

# train NAME OPTIONS…: unless the model is there.
train() {
    local model=$out/$1.safetensors
    shift
    if [ ! -e "$model" ]; then
        "$idpas" train "$out/pools" --out "$model" --resume "$@"
    fi
}
train zero-frequency --predictor zero-frequency
train nearest --predictor nearest
train prop --predictor prop
train identity-free --identity off "$@"
train identity-aware "$@"

models=()
for name in zero-frequency nearest prop identity-free identity-aware; do
    models+=(--model "$out/$name.safetensors")
done
"$idpas" assess "$out/pools" --part test "${models[@]}" | tee "$out/table.md"
"$idpas" assess "$out/pools" --part test --format json "${models[@]}" > "$out/table.json"
echo "the identity-aware model with identities hidden:"
"$idpas" assess "$out/pools" --part test --identity off --model "$out/identity-aware.safetensors"
