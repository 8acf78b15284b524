#!/usr/bin/env bash
# Tries the set-up on machines that have nothing: bare Debian systems made by debootstrap, each with the Rust toolchain of
# this machine and what a variant adds.
#
# By default each variant runs scripts/setup.sh and then the first build step that needs libclang (a call of bindgen), in
# minutes. With --whole it is `make demo && make test`, in about an hour, and with --make TARGET that target alone. The systems
# see neither this machine's packages nor its caches, except downloaded packages of Debian and crates, so that nothing is
# downloaded twice. With --results FOLDER what a target leaves in the cache folder (the build, wheels) is in that folder
# afterwards, and another run with the same folder goes on with it: name an empty one for a system that has nothing.
#
# Usage: fresh-machine.sh [--cache FOLDER] [--whole | --make TARGET] [--results FOLDER] [--keep-log FILE] [SUITE:VARIANT]...
# Without names: every variant of bookworm and the bare one of trixie; with --whole or --make, bookworm:bare.
# Needs root and debootstrap (which is installed if it is missing). Ends with 77 where it cannot run.
set -euo pipefail

clone=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/idpas/fresh
targets=()
keep=''
results=''
names=()
while [ $# -gt 0 ]; do
    case $1 in
    --cache) cache=$2 && shift 2 ;;
    --whole) targets=(demo test) && shift ;;
    --make) targets+=("$2") && shift 2 ;;
    --results) results=$(realpath -m "$2") && shift 2 ;;
    --keep-log) keep=$(realpath -m "$2") && shift 2 ;;
    -*) echo "unknown option $1" >&2 && exit 2 ;;
    *) names+=("$1") && shift ;;
    esac
done

say() { printf 'fresh: %s\n' "$*" >&2; }
cannot() {
    say "cannot run here: $*"
    exit 77
}

[ "$(id -u)" = 0 ] || cannot "bare systems are made by root"
# Mounts are made in a name space of their own and vanish with it, however this ends.
if [ -z "${IDPAS_FRESH_NAMESPACE:-}" ]; then
    unshare --mount --propagation private true 2>/dev/null || cannot "no mounts are allowed"
    again=(--cache "$cache")
    for target in "${targets[@]}"; do again+=(--make "$target"); done
    [ -z "$keep" ] || again+=(--keep-log "$keep")
    [ -z "$results" ] || again+=(--results "$results")
    IDPAS_FRESH_NAMESPACE=1 exec unshare --mount --propagation private "$0" "${again[@]}" "${names[@]}"
fi
if ! command -v debootstrap >/dev/null; then
    say "installing debootstrap with apt-get"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap debian-archive-keyring; } >/dev/null 2>&1 ||
        cannot "debootstrap is not installed and apt-get cannot install it"
fi

# What each variant has beyond make, certificates and the toolchain; who runs it; and how it must end:
# `works`, or `message` for a refusal at once that says what is missing.
variant() {
    packages='' user=root expected=works prepare=true
    case $1 in
    bare) ;;
    libclang-cpp) packages="libclang-cpp$llvm" ;;
    cmake) packages="cmake g++" ;;
    no-package) packages="cmake g++ python3-venv" prepare=forbid_libclang ;;
    no-root) packages="g++ python3-venv" user=builder ;;
    no-venv) packages="g++ python3" user=builder expected=message ;;
    no-python) packages="g++" user=builder expected=message ;;
    *) say "unknown variant $1" && exit 2 ;;
    esac
}
suite_facts() {
    case $1 in
    bookworm) llvm=14 ;;
    trixie) llvm=19 ;;
    *) say "unknown suite $1" && exit 2 ;;
    esac
}

# The system's package of libclang cannot be had.
forbid_libclang() {
    printf 'Package: libclang1*\nPin: release *\nPin-Priority: -1\n' >"$root/etc/apt/preferences.d/no-libclang"
}

# A bare system of a suite, made once.
base_of() {
    local base="$cache/$1" log="$cache/$1.log"
    if [ ! -e "$base.done" ]; then
        say "making a bare $1 (log: $log)"
        rm -rf "$base"
        if ! debootstrap --variant=minbase --include=make,ca-certificates "$1" "$base" >"$log" 2>&1; then
            say "debootstrap could not make $1: $(tail -n 1 "$log")"
            return 1
        fi
        chroot "$base" useradd --create-home builder
        touch "$base.done"
    fi
}

# Runs a command in the system as a user, with only the toolchain on its path.
inside() {
    local who=$1 home=/root
    shift
    [ "$who" = root ] || home=/home/$who
    local outside=() name
    # How this machine reaches the network is no property of a fresh one.
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_CERT PIP_INDEX_URL SSL_CERT_FILE; do
        [ -z "${!name:-}" ] || outside+=("$name=${!name}")
    done
    chroot --userspec="$who" "$root" /usr/bin/env -i "${outside[@]}" HOME="$home" USER="$who" LANG=C.UTF-8 \
        PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        CARGO_HOME=/opt/cargo "$@"
}

# Mounts a throw-away copy of a suite's system at $root.
enter() {
    local suite=$1 layer toolchain
    layer=$(mktemp -d "$cache/layer.XXXXXX")
    layers+=("$layer")
    root=$layer/root
    mkdir "$layer/upper" "$layer/work" "$root"
    if ! mount -t overlay overlay -o "lowerdir=$cache/$suite,upperdir=$layer/upper,workdir=$layer/work" "$root" 2>/dev/null; then
        cp -a "$cache/$suite/." "$root"
    fi
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    toolchain=$(rustc --print sysroot)
    mkdir -p "$root/opt/rust" "$root/opt/cargo/registry" "$root/opt/target" "$cache/packages/$suite" "$cache/target/$suite"
    mount --bind "$toolchain" "$root/opt/rust"
    mount -o remount,bind,ro "$root/opt/rust"
    mount --bind "${CARGO_HOME:-$HOME/.cargo}/registry" "$root/opt/cargo/registry"
    mount --bind "$cache/packages/$suite" "$root/var/cache/apt/archives"
    # A package is kept after it was installed, for the next variant.
    printf 'Binary::apt::APT::Keep-Downloaded-Packages "true";\nAPT::Keep-Downloaded-Packages "true";\n' >"$root/etc/apt/apt.conf.d/99keep"
    chmod a+rwX "$root/opt/cargo"
    local file
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
        [ ! -e "$file" ] || cp --remove-destination --dereference "$file" "$root$file"
    done
    # The files of the clone as they are here, and nothing beside them.
    mkdir -p "$root/opt/idpas"
    (cd "$clone" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -c) | tar -x -C "$root/opt/idpas"
    chmod -R a+rwX "$root/opt/idpas"
}

# The first build step that needs libclang, as the user who builds. The build folder is shared by the variants of a suite.
probe() {
    local who=$1
    mount --bind "$cache/target/$suite" "$root/opt/target"
    chmod -R a+rwX "$cache/target/$suite"
    inside "$who" bash -euc '. "$HOME/.cache/idpas/build-env.sh"
        cd /opt/idpas/scripts/libclang-probe
        export CARGO_TARGET_DIR=/opt/target
        cargo run --quiet --locked --offline --release || cargo run --quiet --locked --release'
}

# Runs one variant; says how it went.
try() {
    suite=${1%%:*}
    local name=${1#*:} log code=0 begin=$SECONDS took place=()
    suite_facts "$suite"
    variant "$name"
    if ! base_of "$suite"; then
        return 77
    fi
    enter "$suite"
    log="$cache/$suite-$name.log"
    : >"$log"
    if [ -n "$packages" ]; then
        # shellcheck disable=SC2086 # a list of packages
        inside root bash -c "apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages" >>"$log" 2>&1 ||
            { say "$1: cannot install $packages (log: $log)" && return 1; }
    fi
    $prepare
    if [ ${#targets[@]} -gt 0 ]; then
        if [ -n "$results" ]; then
            mkdir -p "$results" "$root/opt/results"
            mount --bind "$results" "$root/opt/results"
            chmod a+rwX "$results"
            place=(XDG_CACHE_HOME=/opt/results)
        fi
        # `make A B` stops at the first that fails, as `make A && make B` does.
        inside "$user" "${place[@]}" make --directory /opt/idpas "${targets[@]}" 2>&1 | tee "$log" || code=$?
        [ -z "$keep" ] || cp "$log" "$keep"
        took=$((SECONDS - begin))
        say "$1: make ${targets[*]} ended with $code after $((took / 60)) min"
        return "$code"
    fi
    local started=$SECONDS
    inside "$user" bash -c 'cd /opt/idpas && scripts/setup.sh "$HOME/.cache/idpas" build' >>"$log" 2>&1 || code=$?
    if [ "$expected" = message ]; then
        took=$((SECONDS - started))
        if [ "$code" = 1 ] && [ "$took" -le 3 ] && tail -n 1 "$log" | grep -q 'apt-get install'; then
            say "$1: refused after $took s, as it should: $(grep '^setup:' "$log" | tail -n 2 | tr '\n' ' ')"
            return 0
        fi
        say "$1: expected a refusal at once that names what to install, found code $code after $took s (log: $log)"
        return 1
    fi
    if [ "$code" = 0 ]; then
        probe "$user" >>"$log" 2>&1 || code=$?
    fi
    if [ "$code" != 0 ]; then
        say "$1: failed (log: $log)"
        tail -n 15 "$log" >&2
        return 1
    fi
    say "$1: $(tail -n 1 "$log") ($((SECONDS - begin)) s)"
}

layers=()
leave() {
    local layer
    for layer in "${layers[@]}"; do
        umount --recursive --lazy "$layer/root" 2>/dev/null || true
        # What is still mounted belongs to this machine and must not be removed with the copy.
        if grep -q " $layer/" /proc/self/mounts; then
            say "$layer is still in use and stays"
        else
            rm -rf --one-file-system "$layer"
        fi
    done
}
trap leave EXIT

mkdir -p "$cache"
if [ ${#names[@]} = 0 ]; then
    if [ ${#targets[@]} -gt 0 ]; then
        names=(bookworm:bare)
    else
        names=(bookworm:{bare,libclang-cpp,cmake,no-package,no-root,no-venv,no-python} trixie:bare)
    fi
fi
passed=0 failed=0 skipped=0
for one in "${names[@]}"; do
    code=0
    try "$one" || code=$?
    case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
done
echo "fresh: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
