#!/bin/sh
# Compares the network with PyTorch Geometric: run.sh [OUT] [more arguments of compare.py]
# Needs Python 3 with venv. Packages come from pip's own configuration.
# GATV2_ENV names the folder of the virtual environment; by default it is in the user's cache.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=${1:-$root/target/gatv2}
[ $# -gt 0 ] && shift
env=${GATV2_ENV:-${XDG_CACHE_HOME:-$HOME/.cache}/idpas/gatv2}

if [ ! -x "$env/bin/python" ]; then
    python3 -m venv "$env"
fi
if ! "$env/bin/python" -c 'import torch, torch_geometric, safetensors' 2>/dev/null; then
    "$env/bin/pip" install --quiet numpy safetensors torch torch_geometric
fi

# jemalloc, if the system has it or its package manager can fetch it: the peer is faster with it.
find_jemalloc() {
    find /usr/lib /usr/local/lib /opt/homebrew/lib "$env/jemalloc" \
        -name 'libjemalloc.so.2' 2>/dev/null | head -n 1
}
jemalloc=$(find_jemalloc)
if [ -z "$jemalloc" ] && command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
    mkdir -p "$env/jemalloc"
    (cd "$env/jemalloc" && apt-get download libjemalloc2 >/dev/null 2>&1 &&
        dpkg -x libjemalloc2*.deb .) || true
    jemalloc=$(find_jemalloc)
fi
if [ -n "$jemalloc" ]; then
    set -- --jemalloc "$jemalloc" "$@"
fi

cd "$root"
cargo build --release --quiet -p idpas-nn --example gatv2
binary=${CARGO_TARGET_DIR:-$root/target}/release/examples/gatv2
exec "$env/bin/python" "$here/compare.py" "$binary" "$env/bin/python" "$out" "$@"
