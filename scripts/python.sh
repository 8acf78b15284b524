#!/usr/bin/env bash
# The Python package: `wheel` builds it into CACHE/wheels, `test` builds it, installs it with the tools that it works with
# into a virtual environment in the cache folder, and runs its tests.
# Usage: python.sh CACHE_FOLDER wheel|test. Exits with 3 if Python lacks what that needs.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$1
purpose=$2
environment="$cache/python"
wheels="$cache/wheels"
say() { printf 'python: %s\n' "$*" >&2; }

lacks() {
    say "$*"
    exit 3
}

# A virtual environment with these packages; what is there stays.
prepare() {
    local wanted=$1 installed="$environment/installed.txt"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || lacks "Python 3.10 or newer is needed"
    if [ ! -x "$environment/bin/python" ]; then
        say "making a virtual environment in $environment"
        if ! python3 -m venv "$environment"; then
            rm -rf "$environment"
            lacks "python3 cannot make a virtual environment (Debian and Ubuntu: apt-get install python3-venv)"
        fi
    fi
    if ! cmp -s "$wanted" "$installed"; then
        say "installing $(tr '\n' ' ' <"$wanted")with pip"
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted" ||
            lacks "pip could not install the tools that the package is tested with"
        cp "$wanted" "$installed"
    fi
}

build() {
    # shellcheck source=/dev/null
    [ ! -e "$cache/build-env.sh" ] || . "$cache/build-env.sh"
    rm -rf "$wheels"
    "$environment/bin/maturin" build --release --locked --manifest-path python/Cargo.toml --out "$wheels" "$@"
}

case $purpose in
wheel)
    prepare python/requirements-test.txt
    build
    ls "$wheels"/*.whl
    ;;
test)
    prepare python/requirements-test.txt
    build --quiet
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl
    # From a folder in which there is no package of this name, so that the installed one is tested.
    (cd python && "$environment/bin/python" -m mypy idpas)
    cd python/tests
    "$environment/bin/python" -m mypy.stubtest idpas._native
    # OR-Tools and highspy cannot be imported together, so the one has a process of its own.
    "$environment/bin/python" -m pytest -q -p no:cacheprovider --ignore test_mathopt.py .
    "$environment/bin/python" -m pytest -q -p no:cacheprovider test_mathopt.py
    ../../scripts/wheel-test.sh "$wheels"/*.whl
    ;;
*)
    echo "usage: python.sh CACHE_FOLDER wheel|test" >&2
    exit 2
    ;;
esac
