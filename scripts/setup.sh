#!/usr/bin/env bash
# Installs what building the embedded solver needs and is missing: a C++ compiler, cmake and libclang.
# Uses the system's package manager where it may, else a Python environment in the cache folder.
# Also sees to it that a target folder shared by several clones holds what this one needs.
# Usage: setup.sh CACHE_FOLDER. Leaves CACHE_FOLDER/build-env.sh, which the build sources.
set -euo pipefail

cache=$1
environment="$cache/build-env.sh"
python_env="$cache/build-tools"
log="$cache/setup.log"
mkdir -p "$cache"

say() { printf 'setup: %s\n' "$*" >&2; }

if ! command -v cargo >/dev/null; then
    say "no Rust toolchain found: install one (rustup, or the packages cargo and rustc) and run this again"
    exit 1
fi

has_compiler() { command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null; }
has_cmake() { command -v cmake >/dev/null; }
has_libclang() {
    { ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null || true; } | grep -Eq 'libclang(-[0-9.]+)?\.so' ||
        compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null ||
        [ -n "${LIBCLANG_PATH:-}" ]
}

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

install_with_system() {
    local manager packages=()
    manager=$(package_manager) || return 1
    has_compiler || packages+=(g++)
    has_cmake || packages+=(cmake)
    has_libclang || packages+=(libclang1)
    say "installing ${packages[*]} with apt-get (log: $log)"
    # The lists may be old or absent on a fresh machine.
    $manager update -qq >>"$log" 2>&1 || say "apt-get update failed; trying all the same"
    DEBIAN_FRONTEND=noninteractive $manager install -y -qq --no-install-recommends "${packages[@]}" >>"$log" 2>&1 && return
    say "apt-get failed:"
    tail -n 5 "$log" >&2
    return 1
}

install_with_python() {
    command -v python3 >/dev/null || return 1
    say "installing cmake and libclang with pip into $python_env"
    python3 -m venv "$python_env" >&2 || return 1
    "$python_env/bin/python" -m pip install --quiet cmake libclang >&2
}

use_python_env() {
    local libclang
    libclang=$("$python_env/bin/python" -c 'import clang, os; print(os.path.join(os.path.dirname(clang.__file__), "native"))') || return 1
    printf 'export PATH="%s/bin:$PATH"\nexport LIBCLANG_PATH="%s"\n' "$python_env" "$libclang" >"$environment.new"
    mv "$environment.new" "$environment"
}

if has_compiler && has_cmake && has_libclang; then
    : >"$environment"
elif [ -x "$python_env/bin/cmake" ] && has_compiler && use_python_env; then
    : # installed by an earlier run
elif install_with_system && has_compiler && has_cmake && has_libclang; then
    : >"$environment"
elif has_compiler && install_with_python && use_python_env; then
    :
else
    say "could not install the missing tools; install them by hand: a C++ compiler, cmake, libclang"
    say "(Debian and Ubuntu: apt-get install g++ cmake libclang1)"
    exit 1
fi

# Clones share one target folder, so that the solver is built once, and cargo tells stale from fresh by file times alone:
# what another clone has built would pass for this one's. Newer files make cargo build this clone's own crates again.
clone=$(cd "$(dirname "$0")/.." && pwd)
if [ "$(cat "$cache/clone" 2>/dev/null)" != "$clone" ]; then
    find "$clone/crates" "$clone/benches" -name '*.rs' -exec touch {} +
    printf '%s\n' "$clone" >"$cache/clone"
fi
