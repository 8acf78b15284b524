#!/usr/bin/env bash
# HiGHS and SCIP alone, and `idpas` over each: MMCNP at `large` with the shipped guide, 60 s, and SLAP at `small`, 10 s.
# Usage: run.sh IDPAS OUT [--jobs N] [--first NUMBER]
# NUMBER is the first of eight unseen instances of MMCNP, 9501 by default. What is in OUT is used again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

[ $# -ge 2 ] || {
    sed -n '3,4s/^# //p' "$0" >&2
    exit 2
}
idpas=$(realpath "$1") out=$2
shift 2
jobs=2 first=9501
while [ $# -gt 0 ]; do
    case $1 in
        --jobs) jobs=${2:?}; shift ;;
        --first) first=${2:?}; shift ;;
        *) echo "unknown: $1" >&2; exit 2 ;;
    esac
    shift
done
mkdir -p "$out/instances" "$out/studies"
"$idpas" solvers | grep -A2 -E '^(highs|scip) '
# The shipped guide learned from instances of the infrastructure with seed 1.
if [ ! -e "$out/instances/MMCNP-large" ]; then
    "$idpas" generate mmcnp --size large --seed 1 --first "$first" --count 8 --out "$out/instances/part" -q >/dev/null
    mv "$out/instances/part" "$out/instances/MMCNP-large"
fi
# Without the settings beside it, which were tuned over HiGHS.
cp "$here/../../examples/middle-mile.guide.safetensors" "$out/guide.safetensors"
cp "$here/study.toml" "$out/studies/study.toml"
"$idpas" evaluate "$out/studies/study.toml" --out "$out/results" --jobs "$jobs"
"$idpas" report "$out/results"
