#!/usr/bin/env bash
# The tests of the crates that have `unsafe` code under AddressSanitizer, which finds accesses outside of what was allocated
# and after it was freed, and memory that nobody frees. Needs no other toolchain: the compiler's own switch is used, which is
# not stable. What cannot be done is named as skipped, in the file $IDPAS_SKIPPED_TESTS if that is set.
# Usage: sanitize.sh CACHE_FOLDER [nn] [solver]; both by default. Fails if anything is found.
#   nn      the kernels with vector instructions, the call of `gemm`, large pages; a minute or two
#   solver  HiGHS behind its C interface, and those of SCIP, Xpress and Gurobi that are installed; HiGHS is compiled once more
#           (ten minutes on two cores), and instrumented as our side of the interface is. Of the other solvers, all that they
#           allocate and free is watched.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$1
shift
[ $# -gt 0 ] || set -- nn solver

skip() {
    printf 'skipped: AddressSanitizer: %s\n' "$1" >&2
    [ -z "${IDPAS_SKIPPED_TESTS:-}" ] || printf 'tests under AddressSanitizer\t%s\n' "$1" >>"$IDPAS_SKIPPED_TESTS"
    exit 0
}

host=$(rustc -vV | sed -n 's/^host: //p')
case $host in
*-linux-gnu) ;;
*) skip "only tried on Linux, not on $host" ;;
esac
compgen -G "$(rustc --print sysroot)/lib/rustlib/$host/lib/librustc-*_rt.asan.a" >/dev/null ||
    skip "this toolchain has no AddressSanitizer"

# A folder of its own, since everything is compiled with other flags. With a target named, build scripts are not.
export CARGO_TARGET_DIR="${IDPAS_SANITIZE_TARGET:-$cache/sanitize}"
export RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0
# Slices and arithmetic are checked as well, as in a debug build.
export RUSTFLAGS="-Zsanitizer=address -Cdebug-assertions=on -Coverflow-checks=on"
# GCC gives tables that it makes of a `switch` the same place in several files of C++, which the sanitizer takes for one global
# that is defined twice.
export ASAN_OPTIONS="halt_on_error=1:detect_leaks=1:detect_odr_violation=0:${ASAN_OPTIONS:-}"

# Examples first: tests run them.
sanitized() {
    scripts/cargo.sh "$cache" build --locked --release --target "$host" -p "$1" --examples
    scripts/cargo.sh "$cache" test --locked --release --target "$host" -p "$1" --lib --tests
}

work=$(mktemp -d "${TMPDIR:-/tmp}/idpas-sanitize.XXXXXX")
trap 'rm -rf "$work"' EXIT

# A test that reads one element behind a buffer must be caught, or the rest is worth nothing.
printf '%s\n' 'fn main() {' '    let bytes = vec![1u8; 16];' '    let at = std::hint::black_box(bytes.as_ptr());' \
    '    std::process::exit(i32::from(unsafe { *at.add(16) }));' '}' >"$work/outside.rs"
# shellcheck disable=SC2086
rustc --edition 2024 --target "$host" $RUSTFLAGS -o "$work/outside" "$work/outside.rs"
if "$work/outside" >"$work/said" 2>&1 || ! grep -q heap-buffer-overflow "$work/said"; then
    skip "an access outside of a buffer was not noticed on this machine"
fi

for part; do
    case $part in
    nn) sanitized idpas-nn ;;
    solver) sanitized idpas-solver ;;
    *)
        printf 'sanitize: unknown part %s; expected nn or solver\n' "$part" >&2
        exit 2
        ;;
    esac | tee -a "$work/tests"
done
passed=$(grep '^test result:' "$work/tests" | grep -Eo '[0-9]+ passed' | awk '{ sum += $1 } END { print sum + 0 }')
echo "AddressSanitizer: $passed tests of: $*; nothing found"
