# The instances of the families, for scripts that define idpas, out, data and trial; and how these say what they do.

say() { echo "$(date -u +%H:%M:%S) $*" >&2; }

# made FOLDER COMMAND…: the command makes the folder, whole or not at all.
made() {
    local folder=$1
    shift
    [ -e "$folder" ] && return
    rm -rf "$folder.part"
    "$@" --out "$folder.part" -q > /dev/null
    mv "$folder.part" "$folder"
}

# generated NAME WORDS…: numbers 1 to 30 to learn from, and from 9401 on to test; a trial leaves these alone.
generated() {
    local folder=$out/instances/$1 first=9401
    shift
    [ -z "$trial" ] || first=31
    mkdir -p "$folder"
    made "$folder/learn" "$idpas" generate "$@" --seed 9000 --first 1 --count 30
    made "$folder/test" "$idpas" generate "$@" --seed 9000 --first "$first" --count 10
}

# series NAME TEST…: the first thirty of a series to learn from, and these numbers to test; a trial leaves these alone.
series() {
    local name=$1 folder=$out/instances/$1 number
    shift
    [ -z "$trial" ] || set -- 31 32 33 34 35 36
    mkdir -p "$folder/learn" "$folder/test"
    for number in $(seq -w 1 30); do
        ln -sf "$data/mipcc23/$name"/*_i"$number".mps.gz "$folder/learn/"
    done
    for number in "$@"; do
        ln -sf "$data/mipcc23/$name"/*_i"$number".mps.gz "$folder/test/"
    done
}

# Whether a benchmark is made from files of the user.
needs_data() {
    case $1 in
        *_series_* | dcmulti | gesa2) return 0 ;;
        *) return 1 ;;
    esac
}

# The instances of a benchmark.
prepare() {
    case $1 in
        MMCNP | SLAP | COURSE) generated "$1" "${1,,}" --size small ;;
        MMCNP-large) generated "$1" mmcnp --size large ;;
        COURSE-large) generated "$1" course --size large ;;
        # 43, 48 and 49 were looked at in development.
        bnd_series_1) series "$1" 38 39 40 41 42 44 45 46 47 50 ;;
        bnd_series_2) series "$1" $(seq 41 50) ;;
        # Only 38 to 40 have not been looked at.
        *_series_*) series "$1" $(seq 38 47) ;;
        dcmulti | gesa2) generated "$1" perturb "$data/mps/$1.mps" --spec "$here/perturb/$1.toml" ;;
    esac
    mkdir -p "$out/instances/$1/six"
    find "$out/instances/$1/test" -name '*.mps.gz' | sort | head -6 | while read -r file; do
        ln -sf "$file" "$out/instances/$1/six/"
    done
}
