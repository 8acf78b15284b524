#!/usr/bin/env bash
# The main job, end to end on the embedded solver: solve and check a shipped instance of real size, then the whole loop on
# a small family: generate, collect, train, tune, evaluate, report. Less than ten minutes on two cores.
# Usage: demo.sh IDPAS_BINARY [FOLDER]
set -euo pipefail

idpas=$1
cd "$(dirname "$0")/.."
instance=examples/middle-mile.mps.gz
# Kept: the report is there.
out=${2:-$(mktemp -d "${TMPDIR:-/tmp}/idpas-demo.XXXXXX")}

# Shows a command as one would type it, and runs it.
run() {
    local shown="$*"
    printf '\n$ idpas %s\n' "${shown//"$out/"/}"
    "$idpas" "$@"
}

cat <<EOF
Two parts, less than ten minutes in all on two cores:
  1. a shipped instance of real size, solved by the plain solver and checked    10 s
  2. the whole loop on a small family, which begins with a plan of its parts    about 7 min
EOF
run inspect "$instance"
run solve "$instance" --time-limit 10 --solution "$out/best.sol"
run check "$instance" "$out/best.sol"
run demo --out "$out"
