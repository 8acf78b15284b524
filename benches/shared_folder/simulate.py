#!/usr/bin/env python3
"""Many tasks on one folder of results: system calls on that folder, counted by strace.

    benches/shared_folder/simulate.py TARGET/release/shared_folder OUT --instances 100 --seeds 10 --tasks 1000

The solver is replaced by a stand-in (see main.rs). Prints one row of a table; `--kinds` adds which calls they are, and
`--where` on which files. Needs strace and, for 1,000 tasks, about 10 GB of memory.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import time

CALLS = (
    "openat,stat,lstat,fstat,newfstatat,statx,access,faccessat,faccessat2,rename,renameat,renameat2,unlink,unlinkat,"
    "link,linkat,mkdir,mkdirat,rmdir,fsync,fdatasync,ftruncate,flock,fcntl,getdents64,chmod,fchmod,utimensat,readlink"
)
BYTES = ",read,write,pread64,pwrite64"
# Calls that a file system answers from what the process has open: no work of a server.
LOCAL = {"fcntl"}
INSTANCE = "NAME tiny\nROWS\n N cost\n G row\nCOLUMNS\n MARKER 'MARKER' 'INTORG'\n x cost {cost} row 1\n" \
    " MARKER 'MARKER' 'INTEND'\nRHS\n rhs row 1\nBOUNDS\n UP bound x 1\nENDATA\n"


def prepare(folder, instances, seeds, seconds):
    """The instances and the study; gives the study's file."""
    files = folder / "instances"
    files.mkdir(parents=True)
    for k in range(instances):
        (files / f"i{k:05}.mps").write_text(INSTANCE.format(cost=k + 1))
    study = folder / "study.toml"
    # More threads than any machine has: then runs wait for no cores, and all tasks run at once.
    study.write_text(
        f'name = "shared"\ntime_limit = {seconds}\nthreads = 1024\nseeds = {list(range(1, seeds + 1))}\n'
        f'methods = ["solver"]\n[[benchmark]]\nname = "b"\ninstances = "instances"\n'
        f"train = 0\nvalidation = 0\ntest = {instances}\n"
    )
    return study


def trace(program, study, out, tasks, calls, to):
    """Runs all tasks to their end under strace; gives the seconds that it took."""
    shards = " ".join(f"{k}/{tasks}" for k in range(1, tasks + 1))
    script = f'for s in {shards}; do "{program}" "{study}" "{out}" $s & done; wait'
    words = ["strace", "-f", "--seccomp-bpf", "-qq", "-y", "-e", "signal=none", "-e", f"trace={calls}", "-o", to]
    begin = time.monotonic()
    subprocess.run([*words, "sh", "-c", script], check=True)
    return time.monotonic() - begin


def count(path, folder):
    """Calls on files under a folder, and bytes read and written: by kind, and by kind and file."""
    kinds, places = collections.Counter(), collections.Counter()
    bytes_of = collections.Counter()
    here = re.escape(str(folder))
    pattern = re.compile(rf"^(\d+) +(\w+)\(.*?{here}(/[^\">]*)?[\">]")
    result = re.compile(r"^(\d+) .*= (\d+)$")
    # Calls of several processes at once are written in two parts: the bytes are in the second, without the file.
    begun = {}
    with open(path, errors="replace") as lines:
        for line in lines:
            found = pattern.match(line)
            if " resumed>" in line:
                done = result.match(line)
                if done and done[1] in begun:
                    bytes_of[begun.pop(done[1])] += int(done[2])
                continue
            if not found or found[2] in LOCAL:
                continue
            kind = found[2]
            if kind in ("read", "write", "pread64", "pwrite64"):
                way = "written" if "write" in kind else "read"
                if "unfinished" in line:
                    begun[found[1]] = way
                elif done := result.match(line):
                    bytes_of[way] += int(done[2])
                continue
            place = re.sub(r"\.idpas-[^/]*", "TEMPORARY", found[3] or "/")
            place = re.sub(r"i\d{5}|inst_\d+", "INSTANCE", place)
            place = re.sub(r"-s\d+|\.s\d+", "-SEED", place)
            place = re.sub(r"\d+-of-\d+", "SHARD", place)
            kinds[kind] += 1
            places[kind, place] += 1
    return kinds, places, bytes_of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--instances", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tasks", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.01, help="how long each run sleeps")
    parser.add_argument("--bytes", action="store_true", help="count bytes too, which is slower")
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--where", type=int, default=0, metavar="N", help="the N most frequent pairs of call and file")
    args = parser.parse_args()
    shutil.rmtree(args.out, ignore_errors=True)
    args.out.mkdir(parents=True)
    folder = args.out.resolve()
    study = prepare(folder, args.instances, args.seeds, args.seconds)
    calls = CALLS + (BYTES if args.bytes else "")
    seconds = trace(args.program.resolve(), study, folder / "results", args.tasks, calls, folder / "trace.txt")
    kinds, places, bytes_of = count(folder / "trace.txt", folder)
    runs = args.instances * args.seeds
    made = sum(1 for _ in folder.glob("results/b/runs/*/*.json"))
    if made != runs:
        raise SystemExit(f"{made} of {runs} runs were made")
    total = sum(kinds.values())
    sizes = f" {bytes_of['read'] / args.tasks / 1e3:.1f} kB | {bytes_of['written'] / args.tasks / 1e3:.1f} kB |" if args.bytes else ""
    print(f"| {args.tasks} | {runs} | {args.instances} | {total} | {total / runs:.1f} | {total / args.tasks:.1f} |{sizes} {seconds:.0f} s |", flush=True)
    if args.kinds:
        for kind, times in kinds.most_common():
            print(f"    {kind:12} {times:9} {times / runs:9.2f} a run")
    for (kind, place), times in places.most_common(args.where):
        print(f"    {times:9} {kind:10} {place}")
    (folder / "trace.txt").unlink()


if __name__ == "__main__":
    main()
