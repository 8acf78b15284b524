#!/usr/bin/env bash
# The main job, end to end on the embedded solver: a shipped instance of real size with a shipped guide, then the whole loop
# on a small family: generate, learn (collect, train, tune, judge), evaluate, report. Less than ten minutes on two cores.
# Usage: demo.sh IDPAS_BINARY [FOLDER]
set -euo pipefail

idpas=$1
cd "$(dirname "$0")/.."
# Kept: the report is there.
out=${2:-$(mktemp -d "${TMPDIR:-/tmp}/idpas-demo.XXXXXX")}

cat <<TEXT
Two parts, less than ten minutes in all on two cores:
  1. a shipped instance of real size: the plain solver, and a guide that learned from others    20 s
  2. the whole loop on a small family: learn, compare on unseen instances, report               about 8 min
TEXT
scripts/first.sh "$idpas" "$out"
printf '\n$ idpas demo\n'
"$idpas" demo --out "$out"
