#!/usr/bin/env python3
"""Tables of labels and of what was learned from them: summarise.py --idpas PATH OUT (as run.sh made it)."""

import argparse
import json
import subprocess
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idpas", required=True)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    names = [path.name for path in sorted(arguments.out.iterdir()) if (path / "use" / "manifest.json").exists()]
    print("| family | siblings | with a solution | mean label of those that both have | distinct solutions | close copies | seconds |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in names:
        for line in labels(arguments.idpas, arguments.out / name, name):
            print(line)
    print("\n| family | | `solver` | alone | family |\n| --- | --- | ---: | ---: | ---: |")
    for name in names:
        for line in results(arguments.idpas, arguments.out / "results" / name, name):
            print(line)


def told(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.strip() else None


def bests(idpas, pools):
    found = {}
    for path in sorted(pools.glob("*.safetensors")):
        found[path.stem] = told(idpas, "pool", "show", path, "--format", "json")["solutions"][0]["objective"]
    return found


def labels(idpas, folder, name):
    both = {kind: bests(idpas, folder / kind) for kind in ("ignore", "use")}
    common = both["ignore"].keys() & both["use"].keys()
    for kind, found in both.items():
        status = told(idpas, "status", folder / kind, "--format", "json")
        mean = f"{sum(found[n] for n in common) / len(common):,.2f}" if common else "–"
        yield (f"| {name} | {kind} | {len(found)} of {status['total']} | {mean} ({len(common)}) | {status['solutions']:,} | "
               f"{status['copies']:,} | {status['seconds_used']:.0f} |")


def results(idpas, folder, name):
    if not folder.exists():
        return
    analysis = told(idpas, "report", folder, "--format", "json")
    for benchmark in (analysis or {}).get("benchmarks", []):
        methods = {m["label"]: m for m in benchmark["methods"]}
        cells = [methods.get(label) for label in ("solver", "alone", "family")]
        if all(cells):
            gaps = " | ".join(f"{100 * m['gap']['mean']:.3f} %" for m in cells)
            integrals = " | ".join(f"{m['integral']['mean']:.3f}" for m in cells)
            yield f"| {name} | gap | {gaps} |"
            yield f"| | integral | {integrals} |"


if __name__ == "__main__":
    main()
