#!/usr/bin/env bash
# Much work at once: ten thousand solves in one process, from Rust and from Python, 64 collections on one folder, and models of up
# to a million columns through every stage. About an hour on two cores. Prints tables; ends with 1 if anything does not hold.
# Usage: run.sh CACHE_FOLDER OUT
# LOAD_PARTS names some of the parts only, of: solves python collections scaling.
set -uo pipefail
cd "$(dirname "$0")/../.."

if [ $# -ne 2 ]; then
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
fi
cache=$1
out=$(mkdir -p "$2" && cd "$2" && pwd)
parts=" ${LOAD_PARTS:-solves python collections scaling} "
code=0
wanted() { case $parts in *" $1 "*) echo "== $1" ;; *) return 1 ;; esac; }
failed() {
    echo "does not hold: $1"
    code=1
}
# The selection of packages of `make test`, so that nothing is compiled with other features.
test_of() {
    local name=$1
    scripts/cargo.sh "$cache" test --locked --release --workspace --exclude idpas-python --test "$name" -- --nocapture
}

if wanted solves; then
    IDPAS_LOAD_SOLVES=10000 test_of many_solves | tee "$out/solves.txt" || failed "many solves in one process"
    grep -E '^(solves|[0-9]+),' "$out/solves.txt" >"$out/solves.csv"
fi

if wanted python; then
    python=$cache/python/bin/python
    if "$python" -c 'import idpas, pytest' 2>/dev/null; then
        # From a folder in which there is no package of this name, so that the installed one is used.
        (cd python/tests && IDPAS_LOAD_SOLVES=10000 "$python" -m pytest -q -s -p no:cacheprovider test_many_solves.py) |
            tee "$out/python.txt" || failed "many solves in one process of Python"
        grep -E '^(solves|[0-9]+),' "$out/python.txt" >"$out/python.csv"
    else
        echo "skipped: the Python package is not installed in $cache/python; make test does that"
    fi
fi

if wanted collections; then
    IDPAS_LOAD_COLLECTIONS=64 test_of many_collections | tee "$out/collections.txt" || failed "many collections on one folder"
fi

if wanted scaling; then
    if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
        benches/load/scaling.py "$CARGO_TARGET_DIR/release/idpas" "$out/scaling" || failed "growth with the size of the model"
    else
        echo "skipped: the study of growth needs Python 3.9"
    fi
fi
exit "$code"
