#!/usr/bin/env bash
# The main job, end to end, on a shipped instance: look at it, solve it, check the solution.
# Usage: demo.sh IDPAS_BINARY
set -euo pipefail

idpas=$1
cd "$(dirname "$0")/.."
instance=examples/middle-mile.mps.gz
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

run() {
    printf '\n$ idpas %s\n' "$*"
    "$idpas" "$@"
}

run inspect "$instance"
run solve "$instance" --time-limit 20 --solution "$out/best.sol" --trajectory "$out/trajectory.csv"
run check "$instance" "$out/best.sol"
