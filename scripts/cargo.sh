#!/usr/bin/env bash
# Runs cargo with the environment that setup.sh left. When it fails for a reason outside the project, the last lines say
# what to install or to change.
# Usage: cargo.sh CACHE_FOLDER CARGO_ARGUMENTS...
set -uo pipefail

cache=$1
shift
# shellcheck source=/dev/null
. "$cache/build-env.sh"
log=$(mktemp "${TMPDIR:-/tmp}/idpas-cargo.XXXXXX")
trap 'rm -f "$log"' EXIT
# Behind a pipe cargo would show neither colours nor progress.
if [ -t 2 ]; then
    export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-always}
    export CARGO_TERM_PROGRESS_WHEN=${CARGO_TERM_PROGRESS_WHEN:-always}
    export CARGO_TERM_PROGRESS_WIDTH=${CARGO_TERM_PROGRESS_WIDTH:-$(tput cols 2>/dev/null || echo 80)}
fi
{ cargo "$@" 2>&1 >&3 3>&- | tee "$log" >&2; } 3>&1
code=$?
[ "$code" = 0 ] && exit 0

advise() {
    if grep -Eq "$1" "$log"; then
        printf 'build: %s\n' "$2" >&2
    fi
}
advise 'Unable to find libclang|valid shared libraries matching|libclang.*(cannot open|could not be)' \
    "libclang is missing or cannot be loaded: apt-get install libclang1, or pip install libclang and set LIBCLANG_PATH to its libclang.so"
advise "'[a-z]+\.h' file not found" \
    "C headers are missing: apt-get install libc6-dev libclang-common-dev"
advise 'is `cmake` not installed|cmake.*(not found|No such file)' \
    "cmake is missing: apt-get install cmake"
advise 'linker `[^`]+` not found|No CMAKE_CXX_COMPILER|failed to find tool' \
    "a C++ compiler is missing: apt-get install g++"
advise 'No space left on device' \
    "the disk is full: the build takes about 4 GB in ${CARGO_TARGET_DIR:-target} (set CARGO_TARGET_DIR to a folder elsewhere)"
advise 'signal: 9|Killed signal|out of memory' \
    "there was not enough memory: close other programs or build with CARGO_BUILD_JOBS=1"
advise 'failed to download|Could not resolve host|spurious network error|download of .* failed' \
    "packages could not be downloaded: check the network and run the same command again"
advise 'requires rustc|is not supported by the following package' \
    "the Rust toolchain is too old: rustup update"
exit "$code"
