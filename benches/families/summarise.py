#!/usr/bin/env python3
"""A table per family out of results of `idpas evaluate`, other solvers included.

    summarise.py [--idpas PATH] RESULTS…

RESULTS is a folder that `idpas evaluate` made. If `RESULTS/../../PART-peers/NAME` is there (where PART/NAME ends RESULTS),
its solvers are in the table too; `PART-half/NAME` has the solver with half the time. Gap, integral and test are those of
docs/evaluation.md. They are computed here, and not taken from `idpas report`, since a peer may have the best
solution, which changes everybody's gap; with --idpas they are compared with the report's where none has.
"""

import argparse
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# As in the report: gaps that are closer are equal, and integrals within this share of the limit.
SAME = 1e-6
BEHIND = (0.005, 0.03)
SUBJECT, BASE, CEILING = "idpas", "solver", "oracle"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--idpas", metavar="PATH", help="compare with the numbers of `idpas report`")
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    arguments = parser.parse_args()
    apart = 0
    for folder in arguments.results:
        for outline in sorted(folder.glob("*/benchmark.json")):
            family = Family(folder.resolve(), outline.parent)
            if not family.instances:
                print(f"## {family.title}\n\nNo instance has a run of every method.\n")
                continue
            print("\n".join(family.lines()) + "\n")
            if arguments.idpas:
                apart += family.compare_with_report(arguments.idpas)
    return 1 if apart else 0


class Family:
    """The runs of one benchmark."""

    def __init__(self, results, folder):
        self.results = results
        self.outline = json.loads((folder / "benchmark.json").read_text())
        self.limit = self.outline["time_limit"]
        self.title = f"{self.outline['name']}, {self.limit:g} s"
        self.signs = {i["name"]: -1.0 if i["sense"] == "maximize" else 1.0 for i in self.outline["instances"]}
        self.labels = [m["label"] for m in self.outline["methods"]]
        self.runs = {label: records(folder / "runs" / slug(label)) for label in self.labels}
        self.peers = peers(results.parent.with_name(results.parent.name + "-peers") / results.name)
        half = results.parent.with_name(results.parent.name + "-half") / results.name / folder.name
        self.half = records(half / "runs" / BASE)
        # An instance counts if every method has been run on it, with every seed of the first.
        first = self.runs[self.labels[0]]
        self.instances = [n for n in self.signs if n in first
                          and all(set(first[n]) <= set(self.runs[m].get(n, {})) for m in self.labels)]
        self.best = {n: self.best_known(folder, n) for n in self.instances}
        # Peers that have been run on all of these instances.
        self.others = [p for p, found in self.peers.items() if all(n in found for n in self.instances)]

    def best_known(self, folder, name):
        values = [run["objective"] for found in self.runs.values() for run in found[name].values()]
        values += [run["objective"] for found in self.peers.values() for run in found.get(name, {}).values()]
        try:
            values.append(json.loads((folder / "best" / f"{name}.json").read_text())["objective"])
        except FileNotFoundError:
            pass
        values = [value for value in values if value is not None]
        return min(values, key=lambda value: value * self.signs[name], default=None)

    def of(self, label):
        """Gap and integral of a method on each instance, means over seeds."""
        found = self.runs.get(label) or self.peers[label]
        gaps, integrals = [], []
        for name in self.instances:
            runs, best = found[name].values(), self.best[name]
            gaps.append(statistics.fmean(gap(run["objective"], best) for run in runs))
            integrals.append(statistics.fmean(integral(run["trajectory"], best, self.limit) for run in runs))
        return gaps, integrals

    def lines(self):
        labels = self.labels + self.others
        numbers = {label: self.of(label) for label in labels}
        tests = {label: self.tests(numbers, label) for label in labels}
        lines = [f"## {self.title}", ""]
        unsolved = sum(self.best[name] is None for name in self.instances)
        lines.append(f"{len(self.instances)} instances"
                     + (f" ({unsolved} without any solution)" if unsolved else "")
                     + f", {self.outline['train']} to learn from. p: Wilcoxon against `{SUBJECT}`, of gap and of integral.")
        lines += ["", "| method | mean gap | mean integral | no solution | ended late by at most | p (gap) | p (integral) |",
                  "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
        competing = [label for label in labels if label != CEILING]
        least = [min(statistics.fmean(numbers[m][k]) for m in competing) for k in (0, 1)]
        for label in labels:
            means = [statistics.fmean(values) for values in numbers[label]]
            shown = [f"{100 * means[0]:.3f} %", f"{means[1]:.3f}"]
            if label != CEILING:
                shown = [f"**{s}**" if m == low else s for s, m, low in zip(shown, means, least)]
            found = self.runs.get(label) or self.peers[label]
            runs = [run for name in self.instances for run in found[name].values()]
            none = sum(run["objective"] is None for run in runs)
            late = max(run["time"] for run in runs) - self.limit
            lines.append(f"| `{label}` | " + " | ".join(shown) + f" | {none or ''} | {f'{late:.1f} s' if late > 0 else ''} | "
                         + " | ".join(tests[label]) + " |")
        lines += ["", *self.notes(numbers, tests, competing)]
        return lines

    def tests(self, numbers, label):
        if SUBJECT not in numbers or label == SUBJECT:
            return ["", ""]
        cells = []
        for k, tolerance in enumerate((SAME, SAME * self.limit)):
            p = wilcoxon(numbers[SUBJECT][k], numbers[label][k], tolerance)
            cells.append("no difference" if p is None else f"{p:.3f}")
        return cells

    def notes(self, numbers, tests, competing):
        if SUBJECT not in numbers:
            return []
        notes = []
        rest = [label for label in competing if label != SUBJECT]
        for k, what in enumerate(("gap", "integral")):
            if rest:
                best = min(rest, key=lambda label: statistics.fmean(numbers[label][k]))
                own, other = (statistics.fmean(numbers[label][k]) for label in (SUBJECT, best))
                shown = [f"{100 * v:.3f} %" if k == 0 else f"{v:.3f}" for v in (own, other)]
                notes.append(f"- Mean {what}: `{SUBJECT}` {shown[0]}, best other `{best}` {shown[1]}, p: {tests[best][k]}.")
        if BASE in numbers:
            behind = []
            for name in self.instances:
                seeds = self.runs[SUBJECT][name].keys() & self.runs[BASE][name].keys()
                behind += [gap(self.runs[SUBJECT][name][s]["objective"], self.best[name])
                           - gap(self.runs[BASE][name][s]["objective"], self.best[name]) for s in seeds]
            counts = ", ".join(f"by more than {100 * b:g} % in {sum(d > b for d in behind)}" for b in BEHIND)
            notes.append(f"- `{SUBJECT}` ends behind `{BASE}` {counts} of {len(behind)} runs.")
        notes += self.bounds()
        return notes

    def bounds(self):
        """The bound of the subject at the end against the solver's at half the time."""
        distances, better, worse = [], 0, 0
        for name in self.instances:
            for seed, run in self.runs[SUBJECT][name].items():
                half = self.half.get(name, {}).get(seed)
                whole = self.runs.get(BASE, {}).get(name, {}).get(seed)
                if half is None or whole is None or self.best[name] is None:
                    continue
                three = [below(r["bound"], self.best[name], self.signs[name]) for r in (run, half, whole)]
                distances.append(three)
                better += three[0] < three[1] - SAME
                worse += three[0] > three[1] + SAME
        if not distances:
            return [f"- Bounds: nothing to compare; needs a solution, and runs of `{BASE}` with half the time."]
        own, half, whole = (100 * statistics.fmean(column) for column in zip(*distances))
        return [f"- Bound, mean distance from the best value: `{SUBJECT}` {own:.2f} % at the end, `{BASE}` {half:.2f} % with "
                f"half the time and {whole:.2f} % at the end; `{SUBJECT}`'s is better than that of half the time in {better} "
                f"of {len(distances)} runs and worse in {worse}."]

    def compare_with_report(self, idpas):
        """How many means differ from those of `idpas report`, unless a peer has a better solution."""
        with tempfile.TemporaryDirectory() as folder:
            command = [idpas, "report", self.results, "--format", "json", "-q", "--out", f"{folder}/report.html"]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        said = [b for b in json.loads(done.stdout)["benchmarks"] if b["name"] == self.outline["name"]][0]
        known = {i["name"]: i for i in said["instances"] if i["complete"]}
        if set(known) != set(self.instances) or any(known[n]["best"] != self.best[n] for n in known):
            print(f"{self.title}: other best values than in the report: not compared with it", file=sys.stderr)
            return 0
        apart = 0
        for method in said["methods"]:
            for what, own in zip(("gap", "integral"), self.of(method["label"])):
                if not math.isclose(method[what]["mean"], statistics.fmean(own), rel_tol=1e-6, abs_tol=1e-9):
                    print(f"{self.title}: {method['label']}: mean {what} is {method[what]['mean']} in the report, "
                          f"{statistics.fmean(own)} here", file=sys.stderr)
                    apart += 1
        return apart


def slug(label):
    return re.sub(r"[^a-zA-Z0-9+_.-]", "_", label)


def records(folder):
    """Records by instance and seed."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        found.setdefault(record["instance"], {})[record["seed"]] = record
    return found


def peers(folder):
    """Runs of other solvers in the form of our records, by solver, instance and seed. A solution that did not pass counts
    as none."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        run = json.loads(path.read_text())
        if run["objective"] is not None and not run["checked"]:
            print(f"{path}: the solution is not checked or not feasible: counts as none", file=sys.stderr)
            run.update(objective=None, trajectory=[])
        run["trajectory"] = [(point["time"], point["objective"]) for point in run["trajectory"]]
        if run["objective"] is not None:
            exact = run["checked_objective"]
            if not math.isclose(run["objective"], exact, rel_tol=1e-6, abs_tol=1e-6):
                sys.exit(f"{path}: says {run['objective']}, but its solution has {exact}")
        instance = re.sub(r"\.mps(\.gz)?$", "", run["instance"])
        found.setdefault(run["solver"], {}).setdefault(instance, {})[run["seed"]] = run
    return found


def gap(value, best):
    if value is None or best is None or value * best < 0:
        return 1.0
    return abs(value - best) / max(abs(best), 1e-8)


def integral(trajectory, best, limit):
    total, last, now = 0.0, 0.0, 1.0
    for time, value in trajectory:
        if time >= limit:
            break
        time = max(time, last)
        total += now * (time - last)
        last, now = time, gap(value, best)
    return total + now * (limit - last)


def below(bound, best, sign):
    """How far a bound is from the best value, relative; 1 if there is none."""
    if bound is None or not math.isfinite(bound):
        return 1.0
    return min(1.0, max(0.0, sign * (best - bound)) / max(abs(best), 1e-8))


def wilcoxon(a, b, tolerance):
    """The two-sided signed-rank test, exact with or without ties; None if no pair differs."""
    differences = sorted((x - y for x, y in zip(a, b) if abs(x - y) > tolerance), key=abs)
    if not differences:
        return None
    # Twice the ranks, which are whole even if ties share them.
    ranks = []
    while len(ranks) < len(differences):
        first = len(ranks)
        tied = sum(abs(d) == abs(differences[first]) for d in differences)
        ranks += [2 * first + tied + 1] * tied
    smaller = min(sum(r for d, r in zip(differences, ranks) if d * sign > 0) for sign in (1, -1))
    counts = [1]
    for rank in ranks:
        longer = counts + [0] * rank
        for at, count in enumerate(counts):
            longer[at + rank] += count
        counts = longer
    return min(1.0, 2 * sum(counts[: smaller + 1]) / 2 ** len(ranks))


if __name__ == "__main__":
    sys.exit(main())
