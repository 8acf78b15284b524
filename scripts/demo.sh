#!/usr/bin/env bash
# The main job as far as it goes today, end to end on the embedded solver: solve and check a shipped instance of real
# size, then make a family and collect the solution pools that learning starts from. About a minute.
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
run generate mmcnp --size small --count 4 --seed 1 --out "$out/family"
run collect "$out/family" --out "$out/pools" --time-limit 10 --jobs 2
run status "$out/pools"
run pool show "$out/pools/inst_0001.safetensors"
