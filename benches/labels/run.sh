#!/usr/bin/env bash
# What collecting a family as one brings: pools of each instance by itself and of the family in the same time, a guide
# trained on each, and both guides beside the plain solver on instances that neither has seen.
# Usage: run.sh IDPAS OUT [--data DIR] [--families RESULTS] [--only NAME] [--jobs N] [--trial]
# DIR holds `mipcc23`; without it only the generated families are run. What is in OUT is used again. RESULTS is the OUT of
# families/run.sh: the pools and guides of its part `ten`, made with the same settings, are taken for the family's side.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
    sed -n '4s/^# //p' "$0" >&2
    exit 2
}
[ $# -ge 2 ] || usage
idpas=$1 out=$2
shift 2
data= families_run= only= jobs=2 trial=
while [ $# -gt 0 ]; do
    case $1 in
        --data) data=${2:?}; shift ;;
        --families) families_run=$(realpath "${2:?}"); shift ;;
        --only) only=${2:?}; shift ;;
        --jobs) jobs=${2:?}; shift ;;
        --trial) trial=yes ;;
        *) usage ;;
    esac
    shift
done
mkdir -p "$out"
idpas=$(realpath "$idpas") out=$(realpath "$out")
[ -z "$data" ] || data=$(realpath "$data")
. "$here/../families/instances.sh"

# take NAME: the family's side from a run of the families, if it is there and whole.
take() {
    local made=$families_run/ten/$1/$1 folder=$out/$1
    [ -n "$families_run" ] && [ ! -e "$folder/use" ] && [ -e "$made/models/identity.safetensors" ] || return 0
    say "$1: the family's side from $made"
    rm -rf "$folder/use.part"
    cp -r "$made/pools" "$folder/use.part"
    cp "$made/models/identity.safetensors" "$folder/use.safetensors"
    touch "$folder/use.part/taken"
    mv "$folder/use.part" "$folder/use"
}

# name:seconds an instance: instances to learn from; the last two have their pools made only.
families=(MMCNP:10 SLAP:10 COURSE:10 bnd_series_1:10 bnd_series_2:10 obj_series_1:10 rhs_obj_series_2:10
    MMCNP-large:60 COURSE-large:60)
solve=10 epochs=60 train=36 test=10
if [ -n "$trial" ]; then
    families=("${families[@]/%:*/:2}") solve=1 epochs=1 train=3 test=2
fi

study() {
    cat <<TOML
name = "labels: $1"
time_limit = $solve
methods = ["solver"]

[[method]]
label = "alone"
method = "idpas"

[[method]]
label = "family"
method = "idpas"

[[benchmark]]
name = "$1"
instances = "../instances/$1/learn"
test_instances = "../instances/$1/test"
test = $test
models = { "alone" = "../$1/ignore.safetensors", "family" = "../$1/use.safetensors" }
TOML
}

for entry in "${families[@]}"; do
    name=${entry%:*} seconds=${entry#*:}
    [ -z "$only" ] || [ "$name" = "$only" ] || continue
    if [ -z "$data" ] && needs_data "$name"; then
        say "$name: left out, needs --data"
        continue
    fi
    prepare "$name"
    folder=$out/$name
    mkdir -p "$folder" "$out/studies"
    take "$name"
    # In turn, so that the machine is the same for both.
    for siblings in ignore use; do
        [ ! -e "$folder/$siblings/taken" ] || continue
        say "$name: collecting, siblings: $siblings"
        "$idpas" collect "$out/instances/$name/learn" --out "$folder/$siblings" --time-limit "$seconds" --jobs "$jobs" \
            --siblings "$siblings" --split 24/6/0 > "$folder/$siblings.txt" 2> "$folder/$siblings.log" || true
    done
    case $name in *-large) continue ;; esac
    for siblings in ignore use; do
        [ ! -e "$folder/$siblings.safetensors" ] || continue
        say "$name: training, siblings: $siblings"
        "$idpas" train "$folder/$siblings" --out "$folder/$siblings.part.safetensors" --epochs "$epochs" \
            --time-limit "$train" -q > /dev/null 2>> "$folder/$siblings.log" || continue
        mv "$folder/$siblings.part.safetensors" "$folder/$siblings.safetensors"
    done
    say "$name: solving"
    study "$name" > "$out/studies/$name.toml"
    "$idpas" evaluate "$out/studies/$name.toml" --out "$out/results/$name" --jobs "$jobs" -q > /dev/null || true
done
python3 "$here/summarise.py" --idpas "$idpas" "$out" | tee "$out/summary.md"
