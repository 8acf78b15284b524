#!/usr/bin/env python3
"""Several tasks that collect one family: system calls on its folder, counted by strace.

    benches/shared_folder/collecting.py IDPAS OUT --instances 40 --tasks 20

Unlike simulate.py this one solves: MMCNP `small`, ten seconds an instance. Prints one row of a table.
"""

import argparse
import pathlib
import shutil
import subprocess
import time

from simulate import CALLS, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--where", type=int, default=0, metavar="N", help="the N most frequent pairs of call and file")
    args = parser.parse_args()
    program, folder = args.program.resolve(), args.out.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files, pools = folder / "instances", folder / "pools"
    words = ["generate", "mmcnp", "--size", "small", "--count", str(args.instances), "--out", files, "--quiet"]
    subprocess.run([program, *words], check=True)
    shards = " ".join(f"{k}/{args.tasks}" for k in range(1, args.tasks + 1))
    collect = f'"{program}" collect "{files}" --out "{pools}" --time-limit 10 --jobs 1 --take-over --quiet --shard'
    script = f"for s in {shards}; do {collect} $s >/dev/null & done; wait"
    trace = folder / "trace.txt"
    words = ["strace", "-f", "--seccomp-bpf", "-qq", "-y", "-e", "signal=none", "-e", f"trace={CALLS}", "-o", trace]
    begin = time.monotonic()
    subprocess.run([*words, "sh", "-c", script], check=True)
    seconds = time.monotonic() - begin
    kinds, places, _ = count(trace, folder)
    total = sum(kinds.values())
    rate = total / args.tasks / seconds
    print(f"| {args.tasks} | {args.instances} | {total} | {total / args.tasks:.0f} | {rate:.1f} a task and second | {seconds:.0f} s |")
    for (kind, place), times in places.most_common(args.where):
        print(f"    {times:9} {kind:10} {place}")
    trace.unlink()


if __name__ == "__main__":
    main()
