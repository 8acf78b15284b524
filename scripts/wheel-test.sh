#!/usr/bin/env bash
# Looks at what a wheel exports and needs, installs it into an empty virtual environment in which there is no compiler, and
# uses it: the program, and Python.
# Usage: wheel-test.sh WHEEL
set -euo pipefail

wheel=$(realpath "$1")
readme=$(cd "$(dirname "$0")/.." && pwd)/README.md
work=$(mktemp -d "${TMPDIR:-/tmp}/idpas-wheel.XXXXXX")
remove=$(command -v rm)
trap '"$remove" -rf "$work"' EXIT

# Nothing is exported but what Python calls, so that other solvers in the same process keep their own HiGHS; and the C library
# need not be newer than the wheel's name says.
python3 -m zipfile -e "$wheel" "$work/contents"
library=$(echo "$work"/contents/idpas/_native*.so)
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | tr '\n' ' ')
if [ "$exported" != "PyInit__native " ]; then
    echo "wheel: expected nothing to be exported but PyInit__native, found ${exported:0:300}" >&2
    exit 1
fi
promised=$(basename "$wheel" | sed -nE 's/.*manylinux_([0-9]+)_([0-9]+)_.*/\1.\2/p')
needed=$(nm -D --undefined-only "$library" | sed -nE 's/.*@GLIBC_([0-9.]+)$/\1/p' | sort -V | tail -n 1)
if [ -n "$promised" ] && [ "$(printf '%s\n%s\n' "$promised" "$needed" | sort -V | tail -n 1)" != "$promised" ]; then
    echo "wheel: is for glibc $promised by its name, and needs $needed" >&2
    exit 1
fi

python3 -m venv "$work/env"
"$work/env/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
# Nothing but the environment and the shell's own tools: who finds a compiler here has it from the wheel.
mkdir "$work/tools"
for tool in cat ls mkdir sh uname; do ln -s "$(command -v "$tool")" "$work/tools/$tool"; done
export PATH="$work/env/bin:$work/tools"
! command -v cc && ! command -v gcc && ! command -v cargo
cd "$work"
idpas generate mmcnp --size tiny --count 5 --out history -q >tools/log
idpas solve history/inst_0005.mps.gz --time-limit 2 -q >tools/log
idpas generate mmcnp --size tiny --first 6 --count 1 --out today -q >tools/log
# The README's own words, with seconds for minutes.
python - "$readme" <<'PYTHON'
import os, re, sys

os.rename("today/inst_0006.mps.gz", "today.mps.gz")
(code,) = re.findall(r"```python\n(.*?)```", open(sys.argv[1]).read(), flags=re.DOTALL)
exec(code.replace("time_limit=60", "time_limit=1"))
assert result.method == "idpas" and result.objective > 0, result
print(f"wheel: idpas {idpas.__version__} works: {result}")
PYTHON
echo "wheel: ${wheel##*/}, for glibc ${needed:-of any version} and newer"
