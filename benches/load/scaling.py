#!/usr/bin/env python3
"""How time and memory of each stage grow from ten thousand columns to a million.

    benches/load/scaling.py IDPAS OUT [--commodities 2000,6325,20000,63246,200000] [--repeats 3] [--limit 60]

Each stage is a process of the program with one thread. Stages take turns with sizes, so that a disturbance of the machine meets
all of them; the least of the repeats counts. Slopes are those of least squares between the logarithms of columns and of what
was measured, over the three largest sizes: 1 is linear. Time is that of processors, which other work on the machine disturbs
least. Ends with 1 if a stage fails, an answer is wrong, or a slope is above what is allowed. OUT gets stages.csv and keeps the models.
"""

import argparse
import csv
import json
import math
import pathlib
import sys

import models
from processes import Failed, run, run_until

# Instances of each size that a guide learns from; the one after them is predicted and solved.
LEARNED = 3
# Those that the network learns from; it takes larger ones by their structure.
SMALL, SMALL_COUNT = 500, 6
# Slopes of time and of memory that are still called close to linear.
STEEPEST = {"processor_s": 1.2, "megabytes": 1.1}
# A solve that an interrupt ended.
INTERRUPTED = 130
# A line of the log of a solve that tells of a solution: time, source, objective.
INCUMBENT = r"^ *[0-9.]+s +\S+ +-?[0-9]"


class Study:
    def __init__(self, args):
        self.program, self.out, self.args = args.program.resolve(), args.out.resolve(), args
        self.rows, self.wrong = {}, []
        self.network = self.out / "network.safetensors"

    def at(self, size, name):
        return self.out / str(size) / name

    def stage(self, size, name, taken):
        """Keeps what a stage took, if it is the least so far."""
        row = self.rows.setdefault((name, size), {"clock_s": math.inf, "processor_s": math.inf, "megabytes": math.inf})
        new = {"clock_s": taken.seconds, "processor_s": taken.processor, "megabytes": taken.megabytes}
        for key, value in new.items():
            row[key] = min(row[key], value)
        print(f"{name:28} {models.columns(size):>9,} columns {taken.processor:9.2f} s of a processor, "
              f"{taken.seconds:8.2f} s, {taken.megabytes:8.1f} MB", file=sys.stderr, flush=True)

    def run(self, *words, **how):
        return run([self.program, *words, "--quiet"], **how)

    def train_network(self):
        """A network without the relaxation's features, which a larger model would wait for."""
        if self.network.exists():
            return
        folder = self.out / "small"
        files = [models.write(folder, SMALL, number) for number in range(1, SMALL_COUNT + 1)]
        self.begin_pools(folder)
        for model, solution in files:
            self.run("pool", "import", model, solution, "--out", folder / "pools")
        self.run("train", folder / "pools", "--out", self.network, "--features", "light", "--epochs", 3, "--threads", 1)

    def begin_pools(self, folder):
        """A folder of pools without a pool: no turn can be done in a moment. Solutions are imported then."""
        words = ["--time-limit", 3600, "--end-in", "1s", "--split", "2/1/0"]
        self.run("collect", folder, "--out", folder / "pools", *words)

    def prepare(self, size):
        """The models of a size: those to learn from, and another beside them."""
        for number in range(1, LEARNED + 1):
            models.write(self.at(size, "learned"), size, number)
        models.write(self.at(size, ""), size, LEARNED + 1)
        self.begin_pools(self.at(size, "learned"))

    def learn(self, size):
        """Pools of the size, and a guide that knows every name."""
        pools = self.at(size, "learned/pools")
        for number in range(1, LEARNED + 1):
            files = self.at(size, f"learned/{number}.mps"), self.at(size, f"learned/{number}.sol")
            self.stage(size, "import of a solution", self.run("pool", "import", *files, "--out", pools))
        words = ["--predictor", "zero-frequency", "--out", self.at(size, "guide.safetensors")]
        self.stage(size, f"train on {LEARNED} instances", self.run("train", pools, *words))

    def light_stages(self, size):
        model, guide = self.at(size, f"{LEARNED + 1}.mps"), self.at(size, "guide.safetensors")
        self.stage(size, "inspect", self.run("inspect", model))
        for name, file in [("zero frequencies", guide), ("network", self.network)]:
            scores = self.at(size, "scores.csv")
            words = ["predict", model, "--model", file, "--threads", 1, "--out", scores]
            self.stage(size, f"predict, {name}", self.run(*words))
            with open(scores, encoding="utf-8") as lines:
                if sum(1 for _ in lines) != models.columns(size) + 1:
                    self.wrong.append(f"predict, {name}: not a score for each of {models.columns(size)} columns")

    def first(self, size):
        """Until there is a solution, and then to the end after an interrupt."""
        model, solution = self.at(size, f"{LEARNED + 1}.mps"), self.at(size, "first.sol")
        for name, words in [("alone", []), ("guided", ["--model", self.at(size, "guide.safetensors")])]:
            words = ["solve", model, "--method", "idpas", "--time-limit", 3600, "--solution", solution, *words]
            taken = run_until([self.program, *words], INCUMBENT, self.at(size, "log"), codes=(0, INTERRUPTED))
            self.stage(size, f"first solution, {name}", taken)
            self.check(size, solution)

    def solve(self, size):
        """A whole solve; returns what is said of it in a table of its own."""
        model, solution, told = self.at(size, f"{LEARNED + 1}.mps"), self.at(size, "best.sol"), self.at(size, "solve.json")
        words = ["--model", self.at(size, "guide.safetensors"), "--time-limit", self.args.limit, "--format", "json"]
        taken = self.run("solve", model, *words, "--solution", solution, out=told)
        self.stage(size, f"solve, {self.args.limit:g} s", taken)
        objective = self.check(size, solution)
        result = json.loads(told.read_text(encoding="utf-8"))
        if abs(result["objective"] - objective) > 1e-6 * abs(objective):
            self.wrong.append(f"solve of {size}: {result['objective']} said, {objective} by the check")
        first = result["trajectory"][0]
        return [models.columns(size), first["time"], taken.seconds - self.args.limit, first["objective"], objective, taken.megabytes]

    def check(self, size, solution):
        """Checks a solution, and gives its objective."""
        told = self.at(size, "check.json")
        words = ["check", self.at(size, f"{LEARNED + 1}.mps"), solution, "--format", "json"]
        self.stage(size, "check", self.run(*words, codes=(0, 1), out=told))
        result = json.loads(told.read_text(encoding="utf-8"))
        if not result["feasible"]:
            self.wrong.append(f"{solution}: not feasible")
        return result["objective"]

    def run_all(self):
        self.train_network()
        solves = []
        for size in self.args.commodities:
            self.prepare(size)
        for repeat in range(self.args.repeats):
            for size in self.args.commodities:
                self.learn(size)
                self.light_stages(size)
                self.first(size)
        for size in self.args.commodities:
            solves.append(self.solve(size))
        return solves

    def slope(self, name, key):
        """The slope over the three largest sizes that the stage has."""
        found = sorted((size, row[key]) for (stage, size), row in self.rows.items() if stage == name)[-3:]
        points = [(math.log(models.columns(size)), math.log(max(value, 1e-3))) for size, value in found]
        if len(points) < 2:
            return math.nan
        means = [sum(axis) / len(points) for axis in zip(*points)]
        above = sum((x - means[0]) * (y - means[1]) for x, y in points)
        return above / sum((x - means[0]) ** 2 for x, _ in points)

    def table(self, key, digits):
        names = list(dict.fromkeys(stage for stage, _ in self.rows))
        sizes = self.args.commodities
        print(f"| {key} | " + " | ".join(f"{models.columns(size):,}" for size in sizes) + " | slope |")
        print("| --- |" + " ---: |" * (len(sizes) + 1))
        for name in names:
            slope = self.slope(name, key)
            values = " | ".join(f"{self.rows[name, size][key]:.{digits}f}" for size in sizes)
            print(f"| {name} | {values} | {slope:.2f} |")
            # The time of a whole solve is its limit.
            if slope > STEEPEST.get(key, math.inf) and not (name.startswith("solve") and key != "megabytes"):
                self.wrong.append(f"{name}: {key} grows with the power {slope:.2f} of the columns")
        print()

    def report(self, solves):
        with open(self.out / "stages.csv", "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["stage", "columns", "clock_s", "processor_s", "megabytes"])
            for (name, size), row in self.rows.items():
                out.writerow([name, models.columns(size), *(f"{value:.3f}" for value in row.values())])
        self.table("processor_s", 2)
        self.table("megabytes", 0)
        print("| columns | first solution after, s | ended after the limit, s | first objective | last objective | MB |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: |")
        for row in solves:
            print("| {:,} | {:.2f} | {:.2f} | {:.0f} | {:.0f} | {:.0f} |".format(*row))
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    sizes = lambda text: sorted(int(word) for word in text.split(","))
    parser.add_argument("--commodities", type=sizes, default="2000,6325,20000,63246,200000")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of the whole solve of each size")
    study = Study(parser.parse_args())
    study.out.mkdir(parents=True, exist_ok=True)
    try:
        solves = study.run_all()
    except Failed as error:
        sys.exit(f"failed: {error}")
    study.report(solves)
    for what in study.wrong:
        print(f"does not hold: {what}")
    sys.exit(1 if study.wrong else 0)


if __name__ == "__main__":
    main()
