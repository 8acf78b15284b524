#!/usr/bin/env bash
# Formatting, lints, licences and all tests. Ends with the tests that were skipped, why, and the count of all.
# Usage: test.sh CACHE_FOLDER
set -uo pipefail
cd "$(dirname "$0")/.."

cache=$1
cargo() { scripts/cargo.sh "$cache" "$@"; }
work=$(mktemp -d "${TMPDIR:-/tmp}/idpas-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Tests that lack something in their surroundings add a line to this file: name, tab, reason.
export IDPAS_SKIPPED_TESTS="$work/skipped"
: >"$IDPAS_SKIPPED_TESTS"

cargo fmt --all --check || exit
# The Python package has features of its own: together with it, everything would be compiled once more.
but_python=(--workspace --exclude idpas-python)
cargo clippy --locked --release "${but_python[@]}" --all-targets -- -D warnings || exit
cargo clippy --locked --release -p idpas-python -- -D warnings || exit
scripts/deny.sh || exit
# The tools of the package's tests bring SCIP along. If they cannot be installed, the tests of SCIP say that they skip, and the
# tests of the package say why.
scripts/python.sh "$cache" tools || true
export VIRTUAL_ENV="$cache/python"
cargo test --locked --release "${but_python[@]}" --no-fail-fast | tee "$work/tests"
code=$?
scripts/python.sh "$cache" test 2>&1 | tee "$work/python"
case $? in
0) ;;
3) printf 'Python package\t%s\n' "$(grep '^python:' "$work/python" | tail -n 1)" >>"$IDPAS_SKIPPED_TESTS" ;;
*) code=1 ;;
esac

scripts/mpi-test.sh "$cache" || code=1

# `test result: ok. 12 passed; 0 failed; 1 ignored; …`, once for each file of tests.
total() { grep '^test result:' "$work/tests" | grep -Eo "[0-9]+ $1" | awk '{ sum += $1 } END { print sum + 0 }'; }
# A test that is skipped ends well for cargo; names of tests have no spaces, those of other checks have.
skipping=$(cut -f1 "$IDPAS_SKIPPED_TESTS" | grep -vc ' ')
skipped=$(($(wc -l <"$IDPAS_SKIPPED_TESTS") + $(total ignored)))
echo
if [ "$skipped" = 0 ]; then
    echo "skipped: nothing"
else
    {
        tr '\t' '\n' <"$IDPAS_SKIPPED_TESTS" | paste -d '|' - - | sed 's/^\(.*\)|\(.*\)$/\1 (\2)/'
        sed -n 's/^test \(.*\) \.\.\. ignored\(, \(.*\)\)\{0,1\}$/\1 (ignored: \3)/p' "$work/tests"
    } | sort | awk '{ line = line (NR > 1 ? "; " : "") $0 } END { print "skipped: " line }'
fi
# `48 passed, 2 skipped in 21.11s`, once for each run of pytest.
python_total() { grep -Eo "[0-9]+ $1.* in [0-9.]+s" "$work/python" | awk '{ sum += $1 } END { print sum + 0 }'; }
passed=$(($(total passed) - skipping + $(python_total passed)))
failed=$(($(total failed) + $(python_total failed)))
echo "$passed passed, $failed failed, $((skipped + $(python_total skipped))) skipped"
exit "$code"
