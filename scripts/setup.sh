#!/usr/bin/env bash
# Installs what is missing: to build, a C++ compiler, cmake and libclang; for a wheel, also Python with venv; to test, a
# browser and libfaketime as well.
# Uses the system's package manager where it may, else a Python environment in the cache folder.
# Also sees to it that a target folder shared by several clones holds what this one needs.
# Usage: setup.sh CACHE_FOLDER [build|wheel|test]. Leaves CACHE_FOLDER/build-env.sh, which the build sources.
set -euo pipefail

cache=$1
purpose=${2:-build}
clone=$(cd "$(dirname "$0")/.." && pwd)
environment="$cache/build-env.sh"
python_env="$cache/build-tools"
log="$cache/setup.log"
mkdir -p "$cache"
# shellcheck source=scripts/libclang.sh
. "$clone/scripts/libclang.sh"

say() { printf 'setup: %s\n' "$*" >&2; }

# ---- what is there ----

has_compiler() { command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null; }
has_linker() { command -v cc >/dev/null; }
has_cmake() { command -v cmake >/dev/null; }

# What the build needs and does not find, by name.
missing() {
    { has_compiler && has_linker; } || echo compiler
    has_cmake || echo cmake
    find_libclang || echo libclang
}

# The package of Debian and Ubuntu that holds a tool.
package_of() {
    case $1 in
    compiler) echo g++ ;;
    libclang) echo libclang1 ;;
    *) echo "$1" ;;
    esac
}

packages_of() {
    local tool
    for tool in "$@"; do package_of "$tool"; done | tr '\n' ' ' | sed 's/ $//'
}

# ---- ways to install ----

# The package manager, if we may use it without asking for a password.
package_manager() {
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" = 0 ]; then
        echo apt-get
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo "sudo apt-get"
    else
        return 1
    fi
}

# Installs packages one by one: one that cannot be had must not keep the others away.
install_packages() {
    local manager package failed=0
    manager=$(package_manager) || return 1
    say "installing $* with apt-get (log: $log)"
    # The lists may be old or absent on a fresh machine.
    $manager update -qq >>"$log" 2>&1 || say "apt-get update failed; trying all the same"
    for package in "$@"; do
        # A machine that has just started may be installing updates of its own.
        if ! DEBIAN_FRONTEND=noninteractive $manager -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends \
            "$package" >>"$log" 2>&1; then
            say "apt-get could not install $package: $(grep -E '^E:' "$log" | tail -n 1)"
            failed=1
        fi
    done
    return $failed
}

# cmake and libclang from Python's registry, into a folder of our own.
install_with_python() {
    local wanted=() tool
    for tool in "$@"; do
        case $tool in cmake | libclang) wanted+=("$tool") ;; esac
    done
    [ ${#wanted[@]} -gt 0 ] && command -v python3 >/dev/null || return 1
    say "taking ${wanted[*]} from Python's registry with pip, into $python_env"
    if [ ! -x "$python_env/bin/python" ] && ! python3 -m venv "$python_env" >>"$log" 2>&1; then
        rm -rf "$python_env"
        say "python3 cannot make a virtual environment (Debian and Ubuntu: apt-get install python3-venv)"
        return 1
    fi
    if ! "$python_env/bin/python" -m pip install --quiet "${wanted[@]}" >>"$log" 2>&1; then
        say "pip failed: $(tail -n 1 "$log")"
        return 1
    fi
}

# Takes what an earlier or this run has put into the Python environment.
use_python_env() {
    local folder
    if [ -x "$python_env/bin/cmake" ] && ! has_cmake; then
        export PATH="$python_env/bin:$PATH"
        exports+="export PATH=\"$python_env/bin:\$PATH\""$'\n'
    fi
    if ! find_libclang; then
        for folder in "$python_env"/lib*/python3*/site-packages/clang/native; do
            [ -e "$folder/libclang.so" ] || continue
            export LIBCLANG_PATH="$folder"
            exports+="export LIBCLANG_PATH=\"$LIBCLANG_PATH\""$'\n'
            break
        done
    fi
    return 0
}

# ---- the Rust toolchain ----

require_rust() {
    local wanted found
    if ! command -v cargo >/dev/null; then
        say "no Rust toolchain found: install one (rustup) and run this again"
        exit 1
    fi
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$clone/Cargo.toml")
    found=$(cargo --version | cut -d' ' -f2)
    if [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
        say "Rust $wanted or newer is needed, and this is $found: run \`rustup update\`, or install Rust with rustup"
        exit 1
    fi
}

require_rust_tools() {
    local tool component
    for tool in fmt clippy; do
        cargo "$tool" --version >/dev/null 2>&1 && continue
        component=$tool
        [ "$tool" = fmt ] && component=rustfmt
        say "installing $component with rustup"
        if ! command -v rustup >/dev/null || ! rustup component add "$component" >>"$log" 2>&1; then
            say "cargo $tool is missing: install the component $component of the Rust toolchain"
            exit 1
        fi
    done
}

# ---- the browser that looks at the report page in the tests ----

has_browser() {
    local name
    for name in chromium chromium-browser google-chrome chrome; do
        command -v "$name" >/dev/null && return
    done
    return 1
}

# Its absence is no failure: the tests that need it say that they were skipped.
want_browser() {
    has_browser && return
    if ! package_manager >/dev/null; then
        say "no browser, and no right to install one: tests of the report page will be skipped"
    elif ! install_packages chromium || ! has_browser; then
        say "no browser could be installed: tests of the report page will be skipped"
    fi
}

# ---- the library that stands between programs and the clock in the tests ----

# Where the tests look for it, too (crates/cli/tests/faults/clock.rs).
has_clock() {
    local folder
    for folder in /usr/lib /usr/lib/*-linux-gnu /usr/lib64 /usr/local/lib; do
        [ -e "$folder/faketime/libfaketime.so.1" ] && return
    done
    return 1
}

want_clock() {
    has_clock && return
    if ! package_manager >/dev/null; then
        say "no libfaketime, and no right to install it: tests with a clock that jumps will be skipped"
    elif ! install_packages faketime || ! has_clock; then
        say "no libfaketime could be installed: tests with a clock that jumps will be skipped"
    fi
}

# ---- the Python with which the package is built and tested ----

has_python() { python3 -c 'import venv, ensurepip' 2>/dev/null; }

# Installs it if it is missing; ends with 1, and says why, if that cannot be done.
get_python() {
    has_python && return
    if ! package_manager >/dev/null; then
        say "no Python with venv, and no right to install it (Debian and Ubuntu: apt-get install python3-venv)"
        return 1
    elif ! install_packages python3-venv || ! has_python; then
        say "no Python with venv could be installed (log: $log)"
        return 1
    fi
}

require_python() { get_python || exit 1; }

# For tests its absence is no failure either.
want_python() { get_python || say "tests of the Python package will be skipped"; }

# ---- the work ----

require_rust
exports=''
use_python_env
mapfile -t lacking < <(missing)
if [ ${#lacking[@]} -gt 0 ]; then
    if ! package_manager >/dev/null && ! command -v python3 >/dev/null; then
        say "missing: ${lacking[*]}. There is no right to install packages here and no Python to get them with."
        say "Ask for them to be installed (Debian and Ubuntu: apt-get install $(packages_of "${lacking[@]}"))"
        exit 1
    fi
    mapfile -t packages < <(for tool in "${lacking[@]}"; do package_of "$tool"; done)
    install_packages "${packages[@]}" || true
    mapfile -t lacking < <(missing)
fi
if [ ${#lacking[@]} -gt 0 ]; then
    install_with_python "${lacking[@]}" && use_python_env
    mapfile -t lacking < <(missing)
fi
if [ ${#lacking[@]} -gt 0 ]; then
    say "could not install: ${lacking[*]}. Install by hand and run this again"
    say "(Debian and Ubuntu: apt-get install $(packages_of "${lacking[@]}"); log: $log)"
    exit 1
fi
find_libclang
if [ "$libclang_sure" = no ]; then
    # Another one would be tried first and cannot be loaded.
    exports+="export LIBCLANG_PATH=\"$libclang_found\""$'\n'
fi
printf '%s' "$exports" >"$environment.new"
mv "$environment.new" "$environment"

case $purpose in
wheel) require_python ;;
test)
    require_rust_tools
    want_browser
    want_clock
    want_python
    ;;
esac

target=${CARGO_TARGET_DIR:-$clone/target}
built=$target/release
# A wheel is for older systems than this one, and has a solver of its own.
[ "$purpose" != wheel ] || built="$target/*-linux-gnu/release"
if ! compgen -G "$built/build/highs-sys-*/out/lib*/libhighs.a" >/dev/null; then
    say "the first build compiles the solver HiGHS: five to ten minutes on two cores"
fi

# Clones share one target folder, so that the solver is built once, and cargo tells stale from fresh by file times alone:
# what another clone has built would pass for this one's. Newer files make cargo build this clone's own crates again.
if [ "$(cat "$cache/clone" 2>/dev/null)" != "$clone" ]; then
    find "$clone/crates" "$clone/benches" "$clone/python" -name '*.rs' -exec touch {} +
    printf '%s\n' "$clone" >"$cache/clone"
fi
