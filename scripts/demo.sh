#!/usr/bin/env bash
# The main job as far as it goes today, end to end on the embedded solver: solve and check a shipped instance of real
# size, then make a family, collect solution pools, learn from them, judge what was learned, and solve the next instance
# with and without it. About two minutes.
# Usage: demo.sh IDPAS_BINARY
set -euo pipefail

idpas=$1
cd "$(dirname "$0")/.."
instance=examples/middle-mile.mps.gz
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Shows a command as one would type it, and runs it in the demo's own folder.
run() {
    local shown="$*"
    printf '\n$ idpas %s\n' "${shown//"$out/"/}"
    "$idpas" "$@"
}

run inspect "$instance"
run solve "$instance" --time-limit 20 --solution "$out/best.sol"
run check "$instance" "$out/best.sol"
run generate mmcnp --size small --count 20 --seed 1 --out "$out/family"
run collect "$out/family" --out "$out/pools" --time-limit 5 --split 14/3/3
run status "$out/pools"
run pool show "$out/pools/inst_0001.safetensors"
run train "$out/pools" --out "$out/frequency.safetensors" --predictor zero-frequency
run train "$out/pools" --out "$out/model.safetensors" --epochs 20
run predict "$out/family/inst_0001.mps.gz" --model "$out/model.safetensors" --out "$out/scores.csv"
printf '\nThe variables most likely not to be zero:\n'
tail -n +2 "$out/scores.csv" | awk -F, '{ print $NF "\t" $0 }' | sort -gr | head -n 5 | cut -f 2 || true
run assess "$out/pools" --model "$out/frequency.safetensors" --model "$out/model.safetensors"
run generate mmcnp --size small --first 21 --count 1 --seed 1 --out "$out/next"
run solve "$out/next/inst_0021.mps.gz" --time-limit 10
run solve "$out/next/inst_0021.mps.gz" --time-limit 10 --model "$out/model.safetensors" --solution "$out/next.sol" --explain
run check "$out/next/inst_0021.mps.gz" "$out/next.sol"
