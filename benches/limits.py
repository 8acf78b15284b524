#!/usr/bin/env python3
"""How late the program ends after its time limit, from outside: wall clock of the whole process minus the limit.

Usage: limits.py IDPAS FOLDER [--seconds 10]

Generates SLAP `large`, on which HiGHS does not look at its clock, and COURSE `small` into FOLDER, and solves each with
the plain solver and the method `idpas`, with one thread and two, one run after the other. Fails if a run counts anything
that was found after the limit. How late is too late is for the reader: run it on a quiet machine.
"""

import argparse
import json
import pathlib
import subprocess
import time


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("idpas")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--seconds", type=float, default=10.0)
    args = arguments.parse_args()
    for family, size in [("slap", "large"), ("course", "small")]:
        out = args.folder / family
        if not out.exists():
            command = [args.idpas, "generate", family, "--size", size, "--count", "1", "--out", out, "-q"]
            subprocess.run(command, check=True)
        for method in ["solver", "idpas"]:
            for threads in ["1", "2"]:
                report, late = solve(args, out / "inst_0001.mps.gz", method, threads)
                objective = report["objective"]
                print(f"{family} {size}, {method}, threads {threads}: {late:+.3f} s, objective {objective}", flush=True)


def solve(args, instance, method, threads):
    """The report of a run, and by how many seconds its process ended after the limit."""
    solution = args.folder / "best.sol"
    command = [args.idpas, "solve", instance, "--threads", threads, "--solution", solution]
    command += ["--time-limit", str(args.seconds), "--format", "json", "-q"]
    if method != "solver":
        command += ["--method", method]
    began = time.monotonic()
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    late = time.monotonic() - began - args.seconds
    report = json.loads(ended.stdout)
    times = [point["time"] for point in report["trajectory"]]
    if any(seconds > args.seconds for seconds in times):
        raise SystemExit(f"{instance}, {method}: counted after the limit: {times}")
    return report, late


if __name__ == "__main__":
    main()
