#!/usr/bin/env bash
# Installs a wheel into an empty virtual environment in which there is no compiler, and uses it: the program, and Python.
# Usage: wheel-test.sh WHEEL
set -euo pipefail

wheel=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/idpas-wheel.XXXXXX")
remove=$(command -v rm)
trap '"$remove" -rf "$work"' EXIT
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
python - <<'PYTHON'
import idpas

family = idpas.Family("pools", "history", split=(3, 1, 1))
family.collect(time_limit=1, progress=False)
guide = idpas.train(family, epochs=2, progress=False)
result = idpas.solve("history/inst_0005.mps.gz", guide, time_limit=2)
assert result.method == "idpas" and result.objective > 0, result
print(f"wheel: {idpas.__version__} works, {result}")
PYTHON
