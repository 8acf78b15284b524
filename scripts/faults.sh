#!/usr/bin/env bash
# The long campaign of faults around the program: kills, full disks, read-only folders, a clock that jumps, too little memory.
# Prints what was counted, and ends with a code other than 0 if something did not hold.
# Usage: faults.sh CACHE_FOLDER [NAME_OF_TESTS]
# File systems are mounted by root only; without that, or without libfaketime, the tests that need it say that they skip.
set -uo pipefail
cd "$(dirname "$0")/.."

cache=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/idpas-faults.XXXXXX")
trap 'rm -rf "$work"' EXIT
export IDPAS_FAULTS=long IDPAS_SKIPPED_TESTS="$work/skipped"
: >"$IDPAS_SKIPPED_TESTS"
# Most of the time of a test is spent waiting for the moment of a kill.
scripts/cargo.sh "$cache" test --locked --release -p idpas-cli --test faults -- --nocapture --test-threads 4 ${2:+"$2"} |
    tee "$work/said"
code=$?

echo
grep '^faults: ' "$work/said" | sort
sed 's/^\([^\t]*\)\t\(.*\)$/skipped: \1 (\2)/' "$IDPAS_SKIPPED_TESTS"
[ "$code" = 0 ] || echo "faults: something did not hold (see above)"
exit "$code"
