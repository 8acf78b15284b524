#!/usr/bin/env bash
# Licences, sources and duplicates of all dependencies, and known vulnerabilities, as deny.toml says. Uses no network:
# what cannot be checked without it is named as skipped, in the file $IDPAS_SKIPPED_TESTS if that is set.
# Usage: deny.sh. Fails if a dependency breaks the rules.
set -euo pipefail
cd "$(dirname "$0")/.."

# Records that something was not checked: a name, a tab, the reason.
skip() {
    printf 'skipped: %s: %s\n' "$1" "$2" >&2
    if [ -n "${IDPAS_SKIPPED_TESTS:-}" ]; then
        printf '%s\t%s\n' "$1" "$2" >>"$IDPAS_SKIPPED_TESTS"
    fi
}

if ! cargo deny --version >/dev/null 2>&1; then
    # Licences are checked all the same, by crates/cli/tests/licences.rs.
    skip 'cargo deny' 'cargo-deny is not installed (cargo install cargo-deny --locked)'
    exit 0
fi

deny=(cargo deny --offline --locked --log-level error)
# Crates for other systems are not downloaded by building; then this system's are checked.
metadata=$(mktemp)
trap 'rm -f "$metadata"' EXIT
if ! cargo metadata --offline --locked --format-version 1 >"$metadata" 2>/dev/null; then
    host=$(rustc -vV | sed -n 's/^host: //p')
    if ! cargo metadata --offline --locked --format-version 1 --filter-platform "$host" >"$metadata" 2>/dev/null; then
        skip 'cargo deny' 'not all dependencies are downloaded (cargo fetch --locked)'
        exit 0
    fi
fi
deny+=(--metadata-path "$metadata")

"${deny[@]}" check licenses bans sources

# A database that an earlier `cargo deny fetch` has left.
if compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs/*/crates" >/dev/null; then
    "${deny[@]}" check advisories
else
    skip 'cargo deny: advisories' 'there is no advisory database (cargo deny fetch)'
fi
