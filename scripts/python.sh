#!/usr/bin/env bash
# The Python package. `wheel` builds it into CACHE/wheels, for old systems too (manylinux_2_28), and tries it; `test` builds
# it for this machine, installs it with the tools that it works with, and runs its tests; `tools` only installs these. Each
# keeps its tools in a virtual environment in the cache folder.
# Usage: python.sh CACHE_FOLDER wheel|tools|test. Exits with 3 if Python lacks what that needs.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$1
purpose=$2
# The oldest C library that a wheel is for: that of RHEL 8; Debian 11 and Ubuntu 20.04 have newer ones.
oldest=manylinux_2_28
say() { printf 'python: %s\n' "$*" >&2; }

lacks() {
    say "$*"
    exit 3
}

# Makes a virtual environment in the folder, if there is none.
make_environment() {
    local environment=$1
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || lacks "Python 3.10 or newer is needed"
    [ ! -x "$environment/bin/python" ] || return 0
    say "making a virtual environment in $environment"
    if ! python3 -m venv "$environment"; then
        rm -rf "$environment"
        lacks "python3 cannot make a virtual environment (Debian and Ubuntu: apt-get install python3-venv)"
    fi
}

# Installs what a file of requirements names into a virtual environment, once.
install_into() {
    local environment=$1 wanted=$2 installed
    installed="$environment/$(basename "$wanted")"
    ! cmp -s "$wanted" "$installed" || return 0
    say "installing $(tr '\n' ' ' <"$wanted")with pip, into $environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted" || return 1
    cp "$wanted" "$installed"
}

# Builds the package with the environment's maturin, into a folder that holds nothing else afterwards.
build() {
    local environment=$1 wheels=$2
    shift 2
    # shellcheck source=/dev/null
    [ ! -e "$cache/build-env.sh" ] || . "$cache/build-env.sh"
    rm -rf "$wheels"
    # Zig is found as a module of the first Python on the path.
    PATH="$environment/bin:$PATH" maturin build --release --locked --manifest-path python/Cargo.toml --out "$wheels" "$@"
}

case $purpose in
wheel)
    tools="$cache/wheel-tools"
    wheels="$cache/wheels"
    make_environment "$tools"
    install_into "$tools" python/requirements-build.txt || lacks "pip could not install what builds the package"
    if install_into "$tools" python/requirements-portable.txt; then
        build "$tools" "$wheels" --zig --compatibility "$oldest"
    else
        say "zig could not be installed: the wheel will be for systems with a C library as new as this one's only"
        build "$tools" "$wheels"
    fi
    scripts/wheel-test.sh "$wheels"/*.whl
    ls "$wheels"/*.whl
    ;;
tools | test)
    environment="$cache/python"
    # Not where `wheel` builds: this one may run on this machine only.
    wheels="$cache/test-wheels"
    make_environment "$environment"
    for wanted in python/requirements-build.txt python/requirements-test.txt; do
        install_into "$environment" "$wanted" || lacks "pip could not install the tools that the package is tested with"
    done
    [ "$purpose" = test ] || exit 0
    build "$environment" "$wheels" --quiet
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
    echo "usage: python.sh CACHE_FOLDER wheel|tools|test" >&2
    exit 2
    ;;
esac
