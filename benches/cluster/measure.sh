#!/usr/bin/env bash
# What a piece of work takes beside its time limit, at the paper's sizes: seconds and bytes of an instance, and seconds that a
# solve of 10 s takes beyond them (starting, reading, checking, writing). Five minutes on a quiet machine.
# Usage: measure.sh IDPAS OUT.csv
set -euo pipefail
idpas=$(realpath "$1")
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
now() { date +%s.%N; }
minus() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a - b }'; }
echo "family,size,generate_seconds,bytes,solve_beyond_limit" >"$out"
for family in mmcnp slap course; do
    for size in large hard; do
        begin=$(now)
        "$idpas" generate $family --size $size --seed 77 --count 1 --out "$work/i" --quiet >/dev/null
        generate=$(minus "$(now)" "$begin")
        file=$(find "$work/i" -name '*.mps.gz')
        begin=$(now)
        "$idpas" solve "$file" --time-limit 10 --quiet --format json >/dev/null || true
        solve=$(minus "$(now)" "$begin")
        echo "$family,$size,$generate,$(stat -c %s "$file"),$(minus "$solve" 10)" | tee -a "$out"
        rm -r "$work/i"
    done
done
