#!/bin/sh
# Runs SCIP, CP-SAT and Balans on model files: run.sh FILE_OR_FOLDER OUT [more arguments of run.py]
# Needs Python 3 with venv. Packages come from pip's own configuration.
# SOLVERS_ENV names the folder of the virtual environment; by default it is in the user's cache.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: run.sh FILE_OR_FOLDER OUT [--solver scip|cpsat|balans] [--time-limit S] [--idpas PATH] ..." >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
env=${SOLVERS_ENV:-${XDG_CACHE_HOME:-$HOME/.cache}/idpas/solvers}
wanted=$here/requirements.txt

if [ ! -x "$env/bin/python" ]; then
    echo "making a virtual environment in $env" >&2
    python3 -m venv "$env"
fi
if ! cmp -s "$wanted" "$env/installed.txt"; then
    echo "installing $(tr '\n' ' ' <"$wanted")" >&2
    "$env/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$env/installed.txt"
fi
exec "$env/bin/python" "$here/run.py" "$@"
