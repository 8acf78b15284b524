#!/usr/bin/env bash
# Builds the program with MPI and copies it to OUT. Usage: mpi-build.sh CACHE_FOLDER OUT
set -euo pipefail
cd "$(dirname "$0")/.."
cache=$1
out=$2
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}
# All packages as `make build` has them, so that only what knows of MPI is compiled again.
build=(build --locked --release --workspace --exclude idpas-python --bin idpas)
scripts/cargo.sh "$cache" "${build[@]}" --features mpi
cp "$CARGO_TARGET_DIR/release/idpas" "$out"
# What others find there is the program without MPI again.
scripts/cargo.sh "$cache" "${build[@]}"
