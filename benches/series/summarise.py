#!/usr/bin/env python3
"""Tables of series that `run.sh` has run: mean scores over all instances and by batches of ten, against the default solver.

Usage: summarise.py STATE...    (each with STATE.json beside it, as `idpas report --format json` prints it)
       summarise.py --csv STATE...    all instances as CSV
"""

import csv
import itertools
import json
import pathlib
import sys


def load(state: str) -> dict:
    return json.loads(pathlib.Path(f"{state}.json").read_text())


def percent(part: dict) -> str:
    reduction = part["compared"]["reduction"]
    return "–" if reduction is None else f"{100 * reduction:.1f} %"


def cell(batch: dict | None) -> str:
    """Scores of the solver and of the series in a batch, and how many instances it has if these are not ten."""
    if batch is None:
        return ""
    compared = batch["compared"]
    count = compared["ours"]["instances"]
    short = "" if count == 10 else f", {count} instances"
    return f"{compared['solver']['total']:.3f} → {compared['ours']['total']:.3f} ({percent(batch)}{short})"


def table(states: list[str]) -> None:
    print("| series | solver | `series` | lower by | better, equal, worse | p | solved: solver, `series` |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    reductions = []
    for state in states:
        part = load(state)["all"]
        compared = part["compared"]
        reductions.append(compared["reduction"])
        test = compared["test"]
        p = "–" if test is None else f"{test['p']:.3f}"
        print(
            f"| {pathlib.Path(state).name} | {compared['solver']['total']:.3f} | {compared['ours']['total']:.3f} | {percent(part)} "
            f"| {compared['better']}, {compared['equal']}, {compared['worse']} | {p} "
            f"| {compared['solver']['solved']}, {compared['ours']['solved']} |"
        )
    print(f"\nMean over the series: lower by {100 * sum(reductions) / len(reductions):.1f} %.\n")
    print("| instances | " + " | ".join(pathlib.Path(state).name for state in states) + " |")
    print("| --- |" + " ---: |" * len(states))
    batches = [load(state)["batches"] for state in states]
    for number, rows in enumerate(itertools.zip_longest(*batches)):
        print(f"| {10 * number + 1} to {10 * number + 10} | " + " | ".join(cell(row) for row in rows) + " |")
    print("\nWays:")
    for state in states:
        ways = ", ".join(f"{way['way']} {way['instances']}" for way in load(state)["ways"])
        print(f"- {pathlib.Path(state).name}: {ways}")


def rows(states: list[str]) -> None:
    out = csv.writer(sys.stdout)
    kinds = ["status", "objective", "bound", "seconds", "score"]
    out.writerow(["series", "number", "name", "time_limit", "way", "learning"] + kinds + [f"solver_{kind}" for kind in kinds])
    for state in states:
        for one in load(state)["instances"]:
            runs = [one["ours"], one["solver"] or {}]
            cells = [run.get("total" if kind == "score" else kind) for run in runs for kind in kinds]
            out.writerow([pathlib.Path(state).name, one["number"], one["name"], one["time_limit"], one["way"], one["learning"]] + cells)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    if arguments[0] == "--csv":
        rows(arguments[1:])
    else:
        table(arguments)
