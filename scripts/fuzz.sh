#!/usr/bin/env bash
# Fuzzes the readers of files: libFuzzer over the checks of crates/hostile, one target after the other, two at a time.
# Ends by itself, with a table, and with code 1 if anything was found. Inputs that broke a check are in CACHE/fuzz/found;
# those that led to new code are kept in CACHE/fuzz/corpus for the next time.
# Usage: fuzz.sh CACHE_FOLDER [TARGET|all [EXECUTIONS [SECONDS]]]
# SECONDS is the longest time for each target; the table says which did not come to their number of executions.
set -uo pipefail
cd "$(dirname "$0")/.."

cache=$1
chosen=${2:-all}
runs=${3:-1000000}
seconds=${4:-1800}
fuzz=$cache/fuzz
# A processor each.
jobs=${IDPAS_FUZZ_JOBS:-2}

# Coverage is all that libFuzzer needs of the compiler, and stable has that: the code is safe Rust, so that no sanitizer is
# needed to notice a wrong access. Flags are those of cargo-fuzz.
llvm() { printf -- '-Cllvm-args=%s ' "$@"; }
export RUSTFLAGS="-Cpasses=sancov-module $(llvm -sanitizer-coverage-level=4 -sanitizer-coverage-inline-8bit-counters \
    -sanitizer-coverage-pc-table -sanitizer-coverage-trace-compares -simplifycfg-branch-fold-threshold=0)"
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}/fuzz
scripts/cargo.sh "$cache" build --locked --release --manifest-path fuzz/Cargo.toml --target "$host" || exit
program=$CARGO_TARGET_DIR/$host/release/idpas-fuzz

if [ "$chosen" = all ]; then
    # The names as the program knows them.
    mapfile -t targets < <(sed -n 's/^        name: "\(.*\)",$/\1/p' crates/hostile/src/targets/mod.rs)
else
    targets=("$chosen")
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/idpas-fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$fuzz/found"

# Files of arrays have the same words.
words_of() {
    case $1 in
    model | checkpoint | graph | container) echo "fuzz/words/pool.dict" ;;
    *) echo "fuzz/words/${1%-peer}.dict" ;;
    esac
}

run() {
    local target=$1 began=$SECONDS
    mkdir -p "$fuzz/corpus/$target" "$work/$target"
    local folders=("$fuzz/corpus/$target" "fuzz/seeds/${target%-peer}")
    [ -d "fuzz/regressions/$target" ] && folders+=("fuzz/regressions/$target")
    local words
    words=$(words_of "$target")
    local options=(-runs="$runs" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=4096 -max_len=32768
        -print_final_stats=1 -reload=0 -artifact_prefix="$fuzz/found/$target-")
    [ -f "$words" ] && options+=(-dict="$words")
    TMPDIR=$work/$target IDPAS_FUZZ_TARGET=$target "$program" "${options[@]}" "${folders[@]}" >"$work/$target.log" 2>&1
    local code=$?
    local executed
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log" | tail -n 1)
    local coverage
    coverage=$(grep -Eo 'cov: [0-9]+' "$work/$target.log" | tail -n 1)
    local end=ok
    [ "$code" = 0 ] || end=FOUND
    [ "$end" = ok ] && [ "${executed:-0}" -lt "$runs" ] && end="time over"
    printf '%-20s %10s executions %6s s  %s  %s\n' "$target" "${executed:-?}" "$((SECONDS - began))" "${coverage:-cov: ?}" "$end" |
        tee -a "$work/table"
    if [ "$end" = FOUND ]; then
        cp "$work/$target.log" "$fuzz/found/$target.log"
        grep -E "panicked|^assertion|ERROR: libFuzzer|Test unit written|memory allocation" -A2 "$work/$target.log" | head -n 12
    fi
}

for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    run "$target" &
done
wait

echo
sort "$work/table"
if grep -q FOUND "$work/table"; then
    echo "found: see $fuzz/found; name the file, put it into fuzz/regressions/TARGET, and mend the reader"
    exit 1
fi
awk '{ sum += $2 } END { print sum " executions, nothing found" }' "$work/table"
