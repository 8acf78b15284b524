#!/usr/bin/env python3
"""Tables of series that `run.sh` has run: mean scores over all instances and by batches of ten, against the default solver.

Usage: summarise.py STATE...    (each with STATE.json beside it, as `idpas report --format json` prints it)
       summarise.py --csv STATE...    all instances as CSV
"""

import csv
import json
import pathlib
import sys


def load(state: str) -> dict:
    return json.loads(pathlib.Path(f"{state}.json").read_text())


def percent(part: dict) -> str:
    reduction = part["compared"]["reduction"]
    return "–" if reduction is None else f"{100 * reduction:.1f} %"


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
    for rows in zip(*batches):
        cells = [
            f"{row['compared']['solver']['total']:.3f} → {row['compared']['ours']['total']:.3f} ({percent(row)})" for row in rows
        ]
        print(f"| {rows[0]['first']} to {rows[0]['last']} | " + " | ".join(cells) + " |")
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
