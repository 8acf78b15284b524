#!/usr/bin/env bash
# Twenty seconds: a shipped instance of real size, by the plain solver and with the shipped guide, which learned from other
# instances of the same network. The solutions are checked.
# Usage: first.sh IDPAS_BINARY [FOLDER]
set -euo pipefail

idpas=$1
cd "$(dirname "$0")/.."
instance=examples/middle-mile.mps.gz
guide=examples/middle-mile.guide.safetensors
out=${2:-$(mktemp -d "${TMPDIR:-/tmp}/idpas-first.XXXXXX")}

# Shows a command as one would type it, and runs it.
run() {
    local shown="$*"
    printf '\n$ idpas %s\n' "${shown//"$out/"/}"
    "$idpas" "$@"
}

objective() { "$idpas" check "$instance" "$1" | sed -n 's/^objective *//p'; }

run inspect "$instance"
run solve "$instance" --time-limit 10 --solution "$out/plain.sol"
run solve "$instance" --model "$guide" --time-limit 10 --solution "$out/guided.sol"
run check "$instance" "$out/guided.sol"
printf '\nAfter ten seconds each: %s by the plain solver, %s with the guide; less is better.\n' \
    "$(objective "$out/plain.sol")" "$(objective "$out/guided.sol")"
