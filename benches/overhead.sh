#!/usr/bin/env bash
# How long it takes from opening a file to handing the restricted model to the solver, part by part.
# Usage: overhead.sh IDPAS OUT [THREADS] [ROUNDS]
# For each family: a `hard` instance, and a `light` model trained for one epoch on three `tiny` ones, which takes as long to
# score as a good one. The table has the fastest of ROUNDS runs (default 5), and the least processor time that reading and
# scoring took in runs of `idpas predict`, which other work on the machine disturbs less. Another program to compare with
# can be named by BEFORE=PATH: both are run in turn. What is in OUT already is used again.
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,7s/^# //p' "$0" >&2
    exit 2
fi
idpas=$1 out=$2 threads=${3:-1} rounds=${4:-5}
families="mmcnp slap course"
mkdir -p "$out"

for family in $families; do
    model=$out/$family.safetensors
    [ -e "$out/$family/reference.json" ] ||
        "$idpas" generate "$family" --size hard --count 1 --seed 1 --out "$out/$family" -q > /dev/null
    if [ ! -e "$model" ]; then
        "$idpas" generate "$family" --size tiny --count 3 --seed 1 --out "$out/$family-tiny" -q > /dev/null
        "$idpas" collect "$out/$family-tiny" --out "$out/$family-pools" --time-limit 5 --pool 3 --split 2/1/0 -q > /dev/null
        "$idpas" train "$out/$family-pools" --out "$model" --features light --epochs 1 -q > /dev/null
    fi
done

runs=$out/runs.jsonl
TIMEFORMAT='%U, %S'
: > "$runs"
for round in $(seq "$rounds"); do
    for family in $families; do
        for name in before now; do
            program=$idpas
            if [ "$name" = before ]; then
                [ -n "${BEFORE:-}" ] || continue
                program=$BEFORE
            fi
            # The limit is long enough for the restricted model to reach the solver, which ends at once. Whether there is a
            # solution by then (exit code 1 if not) does not matter.
            "$program" solve "$out/$family/inst_0001.mps.gz" --model "$out/$family.safetensors" \
                --time-limit 6 --threads "$threads" --k0 90% --nodes 1 --format json -q > "$out/run.json" || [ $? -eq 1 ]
            cpu=$({ time "$program" predict "$out/$family/inst_0001.mps.gz" --model "$out/$family.safetensors" \
                --threads "$threads" --format csv -q > /dev/null; } 2>&1)
            printf '{"family": "%s", "program": "%s", "cpu": [%s], "load": %s, "run": %s}\n' "$family" "$name" "$cpu" \
                "$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo null)" "$(tr -d '\n' < "$out/run.json")" >> "$runs"
        done
    done
done

python3 - "$runs" <<'P'
import json, sys

runs = [json.loads(line) for line in open(sys.argv[1])]
loads = sorted(run["load"] for run in runs if run["load"] is not None)
parts = ["reading", "predictor", "relaxation", "scores", "selection", "loading", "total"]
print("| family | program |", " | ".join(parts), "| processor time |")
print("| --- | --- |", " | ".join("---:" for _ in parts), "| ---: |")
for family in dict.fromkeys(run["family"] for run in runs):
    for program in dict.fromkeys(run["program"] for run in runs):
        own = [run for run in runs if (run["family"], run["program"]) == (family, program)]
        best = min((run["run"]["overhead"] for run in own), key=lambda time: time["total"])
        cells = [best[part] for part in parts] + [min(sum(run["cpu"]) for run in own)]
        print(f"| {family} | {program} |", " | ".join(f"{cell:.2f} s" for cell in cells), "|")
if loads:
    print(f"\nload average {loads[0]} to {loads[-1]}")
P
