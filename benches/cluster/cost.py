#!/usr/bin/env python3
"""What a study costs on clusters of several sizes, by its plan.

    idpas evaluate studies/paper.toml --out R --slurm --dry-run --format json > plan.json
    python3 cost.py plan.json --processors 32 --nodes 1 10 100 [--beyond 0.5] [--per-task 10]

Every job of the plan is dealt out to as many tasks as it has, all of equal length; processors take the task that can begin and
was planned first. A benchmark's stages follow each other. `--beyond` are the measured seconds that a piece of work takes beside
its limit, `--per-task` those that a task takes to begin.
"""

import argparse
import heapq
import json


def schedule(jobs, processors, beyond, per_task):
    """Hours until all is done, hours of processors, and the hours at which each stage of any benchmark is over."""
    ends = {}
    free = [0.0] * processors
    heapq.heapify(free)
    ready = []
    waiting = dict(enumerate(jobs))
    used = 0.0
    stages = {}

    def release(now):
        for at, job in list(waiting.items()):
            if all(other in ends for other in job["after"]):
                begin = max([ends[other] for other in job["after"]], default=0.0)
                heapq.heappush(ready, (begin, at))
                del waiting[at]

    release(0.0)
    while ready:
        begin, at = heapq.heappop(ready)
        job = jobs[at]
        tasks, cpus = job["tasks"], job["cpus"]
        work = job["work"] or 0.0
        if job["stage"] == "train" and job["longest"]:
            # Each network has its own time, and models that are counted take seconds.
            tasks = max(1, round(work / job["longest"]))
        each = work / tasks
        pieces = each / job["longest"] if job["longest"] else 0.0
        each += per_task + beyond * pieces
        end = begin
        for _ in range(tasks):
            # A task takes as many processors as it asks for, one after the other.
            slots = [heapq.heappop(free) for _ in range(min(cpus, processors))]
            over = max([begin, *slots]) + each
            for _ in slots:
                heapq.heappush(free, over)
            used += each * cpus
            end = max(end, over)
        ends[at] = end
        stages[job["stage"]] = max(stages.get(job["stage"], 0.0), end)
        release(end)
    return max(ends.values()) / 3600, used / 3600, {name: end / 3600 for name, end in stages.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan")
    parser.add_argument("--processors", type=int, default=32)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--beyond", type=float, default=0.0)
    parser.add_argument("--per-task", type=float, default=0.0)
    options = parser.parse_args()
    with open(options.plan) as file:
        jobs = json.load(file)["planned"]
    totals = {}
    for job in jobs:
        totals[job["stage"]] = totals.get(job["stage"], 0.0) + (job["work"] or 0.0) / 3600
    print("hours of work:", ", ".join(f"{name} {hours:,.0f}" for name, hours in totals.items()))
    print("nodes,processors,hours," + ",".join(f"{name} over" for name in totals))
    for nodes in options.nodes:
        hours, _, stages = schedule(jobs, nodes * options.processors, options.beyond, options.per_task)
        over = ",".join(f"{stages[name]:.1f}" for name in totals)
        print(f"{nodes},{nodes * options.processors},{hours:.1f},{over}")


if __name__ == "__main__":
    main()
