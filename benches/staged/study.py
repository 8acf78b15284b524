#!/usr/bin/env python3
"""The staged search against its peers on a folder of instances: runs, then a table. See README.md beside this file."""

import argparse
import csv
import glob
import json
import math
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

RANKINGS = ["linked", "unsure", "disagreement", "relaxation", "recent", "random", "implied"]
# Each part of the staged search switched off.
ABLATION = {
    "no-bands": {"bands": []},
    "no-neighbourhoods": {"neighbourhoods": []},
    "not-guided": {"guided": False},
    "not-adaptive": {"adaptive": False},
    "no-memory": {"remember": False},
    "no-reduced-costs": {"reduced_costs": False},
    "window-0": {"window": 0},
    **{
        f"no-{name.replace(' ', '-')}": {"without": [name]}
        for name in [
            "past", "first", "bands network", "bands zero-frequency", "bands nearest", "bands agreement", "prediction",
            "crossing", "whole",
        ]
    },
    **{f"only-{name}": {"neighbourhoods": [name]} for name in RANKINGS},
    **{f"no-{name}": {"neighbourhoods": [other for other in RANKINGS if other != name]} for name in RANKINGS},
}


def command(args, method, instance, stem):
    """The command of a run, or None if it cannot be made yet."""
    peer = {"scip": "scip", "cpsat": "cpsat"}.get(method)
    if peer:
        return [
            os.path.join(HERE, "..", "peers", "solvers", "run.sh"), instance, args.out, "--solver", peer,
            "--time-limit", str(args.time), "--idpas", args.idpas,
        ]
    run = [
        args.idpas, "solve", instance, "--time-limit", str(args.time), "--format", "json", "--quiet",
        "--threads", str(args.threads), "--seed", str(args.seed), "--solution", stem + ".sol",
    ]
    if method == "solver":
        return run + ["--method", "solver"]
    if method == "untrained":
        return run + ["--method", "idpas"]
    if method == "history":
        return run + ["--method", "idpas", "--history", args.history]
    if method == "oracle":
        known = best_known(args.out, os.path.basename(stem).split(".")[0])
        return known and run + ["--oracle", known]
    if method == "id-pas+":
        k0b, k0i, delta = args.paper.split(",")
        return run + [
            "--model", args.model, "--method", "id-pas+", "--completion", "off",
            "--k0b", k0b, "--k0i", k0i, "--delta", delta,
        ]
    run += ["--model", args.model, "--method", "idpas"]
    if method == "idpas":
        return run
    settings = stem + ".settings.json"
    with open(settings, "w") as file:
        json.dump({"method": "idpas", "staged": ABLATION[method.removeprefix("idpas-")]}, file)
    return run + ["--settings", settings]


def best_known(out, name):
    """The solution file of the best run of an instance so far."""
    best = None
    for path in glob.glob(os.path.join(out, f"{name}.*.json")):
        if path.endswith("settings.json") or ".oracle." in path:
            continue
        with open(path) as file:
            objective = json.load(file).get("objective")
        solution = path.removesuffix(".json") + ".sol"
        if objective is not None and os.path.exists(solution) and (best is None or objective < best[0]):
            best = (objective, solution)
    return best and best[1]


def run_all(args):
    os.makedirs(args.out, exist_ok=True)
    instances = sorted(glob.glob(os.path.join(args.instances, "*.mps.gz")))
    for method in args.methods:
        for instance in instances[: args.count]:
            name = os.path.basename(instance).removesuffix(".mps.gz")
            stem = os.path.join(args.out, f"{name}.{method}")
            if os.path.exists(stem + ".json"):
                continue
            run = command(args, method, instance, stem)
            if run is None:
                sys.exit(f"{name}: no solution for the oracle; run other methods first")
            if args.core is not None:
                run = ["taskset", "-c", str(args.core)] + run
            print(f"{method} {name}", flush=True)
            done = subprocess.run(run, stdout=subprocess.PIPE, check=False)
            # A peer writes its own file.
            if method not in ("scip", "cpsat"):
                with open(stem + ".tmp", "wb") as file:
                    file.write(done.stdout)
                json.loads(done.stdout)
                os.replace(stem + ".tmp", stem + ".json")


def primal_gap(value, best):
    if value is None or value * best < 0:
        return 1.0
    return min(1.0, abs(value - best) / max(abs(best), 1e-8))


def integral(trajectory, best, limit):
    total, last, gap = 0.0, 0.0, 1.0
    for point in trajectory:
        time = min(point["time"], limit)
        total += gap * (time - last)
        last, gap = time, primal_gap(point["objective"], best)
    return total + gap * (limit - last)


def summary(args):
    runs = {}
    for path in glob.glob(os.path.join(args.out, "*.json")):
        if path.endswith(".settings.json"):
            continue
        name, method = os.path.basename(path).removesuffix(".json").split(".", 1)
        with open(path) as file:
            runs[method, name] = json.load(file)
    names = sorted({name for _, name in runs})
    methods = [m for m in args.methods if all((m, n) in runs for n in names)] or sorted({m for m, _ in runs})
    best = {}
    for name in names:
        # Runs may end late; what counts was found within the limit.
        values = [
            p["objective"]
            for (_, n), run in runs.items() if n == name
            for p in run["trajectory"] if p["time"] <= args.time + 0.5
        ]
        best[name] = min(values, default=None)
    rows = {}
    for method in methods:
        gaps, integrals, finals = [], [], []
        for name in names:
            run = runs.get((method, name))
            if run is None or best[name] is None:
                continue
            within = [p for p in run["trajectory"] if p["time"] <= args.time + 0.5]
            final = within[-1]["objective"] if within else None
            finals.append((name, final))
            gaps.append(primal_gap(final, best[name]))
            integrals.append(integral(within, best[name], args.time))
        rows[method] = (gaps, integrals, dict(finals))
    solver, oracle = rows.get("solver"), rows.get("oracle")
    print("| method | instances | mean gap | sd | mean integral | sd | gap, of solver's | integral, of solver's "
          "| way to the oracle: gap | integral | ahead of id-pas+ |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for method, (gaps, integrals, finals) in rows.items():
        if not gaps:
            continue
        cells = [method, str(len(gaps))]
        for values, scale, unit in ((gaps, 100, " %"), (integrals, 1, "")):
            deviation = statistics.stdev(values) if len(values) > 1 else 0.0
            cells += [f"{scale * statistics.mean(values):.3f}{unit}", f"{scale * deviation:.3f}"]
        for k in (0, 1):
            of = statistics.mean((gaps, integrals)[k]) / statistics.mean(solver[k]) if solver and solver[k] else None
            cells.append("-" if of is None else f"{of:.3f}")
        for k in (0, 1):
            if solver and oracle and solver[k] and oracle[k]:
                far = statistics.mean(solver[k]) - statistics.mean(oracle[k])
                way = (statistics.mean(solver[k]) - statistics.mean((gaps, integrals)[k])) / far
                cells.append(f"{100 * way:.1f} %")
            else:
                cells.append("-")
        paper = rows.get("id-pas+")
        if paper and method != "id-pas+":
            worst = float("inf")
            ahead = sum((v if v is not None else worst) < (paper[2].get(n) if paper[2].get(n) is not None else worst)
                        for n, v in finals.items())
            cells.append(f"{ahead} of {len(finals)}")
        else:
            cells.append("-")
        print("| " + " | ".join(cells) + " |")
    print()
    print("| instance | " + " | ".join(rows) + " |")
    print("| --- |" + " ---: |" * len(rows))
    for name in names:
        cells = [rows[m][2].get(name) for m in rows]
        print(f"| {name} | " + " | ".join("-" if c is None else f"{c:,.0f}" for c in cells) + " |")
    if args.svg:
        with open(args.svg, "w") as file:
            file.write(figure(args, runs, methods, names, best))
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["instance", "method", "time", "objective"])
            for (method, name), run in sorted(runs.items(), key=lambda item: (item[0][1], item[0][0])):
                for point in run["trajectory"]:
                    writer.writerow([name, method, f"{point['time']:.3f}", point["objective"]])


COLOURS = {
    "solver": "#7f7f7f", "id-pas+": "#1f77b4", "untrained": "#2ca02c", "idpas": "#d62728",
    "scip": "#bcbd22", "cpsat": "#9467bd", "oracle": "#ff7f0e", "history": "#8c564b",
}


def figure(args, runs, methods, names, best):
    """Mean primal gap over time, both axes logarithmic, as SVG that reads on light and dark."""
    width, height, left, top, right, bottom = 760, 380, 70, 20, 120, 50
    low, high, first = 1e-4, 1.0, 0.05

    def x(time):
        return left + (width - left - right) * math.log(max(time, first) / first) / math.log(args.time / first)

    def y(gap):
        return top + (height - top - bottom) * math.log(high / max(gap, low)) / math.log(high / low)

    def text(at, down, words, more=""):
        return f'<text x="{at:.1f}" y="{down:.1f}" {more}>{words}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        "<style>text{fill:#333}.g{stroke:#8884;stroke-width:1}"
        "@media (prefers-color-scheme:dark){text{fill:#ddd}}</style>",
        "<title>Mean primal gap over time</title>",
    ]
    for gap, words in ((1, "100 %"), (0.1, "10 %"), (0.01, "1 %"), (0.001, "0.1 %"), (low, "≤ 0.01 %")):
        parts.append(f'<line class="g" x1="{left}" x2="{width - right}" y1="{y(gap):.1f}" y2="{y(gap):.1f}"/>')
        parts.append(text(left - 8, y(gap) + 4, words, 'text-anchor="end"'))
    for time in (0.1, 0.3, 1, 3, 10, 30, 60):
        if time <= args.time:
            parts.append(text(x(time), height - bottom + 20, f"{time:g} s", 'text-anchor="middle"'))
    parts.append(text((left + width - right) / 2, height - 8, "seconds since the file was opened", 'text-anchor="middle"'))
    ends = []
    for method in methods:
        times = sorted({first, args.time} | {
            p["time"] for n in names for p in runs[method, n]["trajectory"] if first < p["time"] < args.time
        })
        points, last = [], None
        for time in times:
            gaps = []
            for name in names:
                found = [p["objective"] for p in runs[method, name]["trajectory"] if p["time"] <= time]
                gaps.append(primal_gap(found[-1] if found else None, best[name]))
            mean = statistics.mean(gaps)
            if last is not None:
                points.append(f"{x(time):.1f},{y(last):.1f}")
            points.append(f"{x(time):.1f},{y(mean):.1f}")
            last = mean
        colour = COLOURS.get(method, "#17becf")
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(points)}"/>')
        ends.append((y(last), method, colour))
    # Labels at the ends of the curves, pushed apart: downwards, and up again where the figure ends.
    labels, down = [], -1e9
    for at, method, colour in sorted(ends):
        down = max(at + 4, down + 15)
        labels.append((down, method, colour))
    lowest = y(low) + 4
    for down, method, colour in reversed(labels):
        down = min(down, lowest)
        lowest = down - 15
        parts.append(text(width - right + 8, down, method, f'style="fill:{colour}"'))
    return "\n".join(parts + ["</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idpas", required=True, help="the program")
    parser.add_argument("--instances", required=True, help="folder of .mps.gz files")
    parser.add_argument("--model", help="trained model")
    parser.add_argument("--history", help="folder of past solutions")
    parser.add_argument("--out", required=True, help="folder of results; what is there is not made again")
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--core", type=int, help="run on this processor alone")
    parser.add_argument("--paper", default="90%,90%,1%", help="k0b,k0i,delta of id-pas+")
    parser.add_argument("--methods", type=lambda text: text.split(","),
                        default="solver,id-pas+,untrained,idpas,scip,cpsat,oracle".split(","))
    parser.add_argument("--summary", action="store_true", help="only the table of what is there")
    parser.add_argument("--svg", help="draw the mean gap over time here")
    parser.add_argument("--csv", help="write all trajectories here")
    args = parser.parse_args()
    if "ablation" in args.methods:
        args.methods = ["idpas"] + [f"idpas-{name}" for name in ABLATION]
    if not args.summary:
        run_all(args)
    summary(args)


if __name__ == "__main__":
    main()
