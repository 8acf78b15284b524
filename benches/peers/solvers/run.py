"""Runs SCIP, CP-SAT or Balans on MPS files and writes what became of each: OUT/NAME.SOLVER.json and .sol.

The clock starts when the file is opened, so reading and building the model count, and the time
limit is from there too. Each run has a process of its own. Files that are there are not made again.
"""

import argparse
import importlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

# The module of each. That of Balans must not have the name of the package.
SOLVERS = {"scip": "scip", "cpsat": "cpsat", "balans": "balans_alns"}
BY_DEFAULT = ("scip", "cpsat")
ENDINGS = (".mps", ".mps.gz")
# How long after its limit a run may take to end by itself.
GRACE = 60.0


def main():
    arguments = parse()
    if arguments.child:
        child(arguments)
        return 0
    files = instances(arguments.input)
    arguments.out.mkdir(parents=True, exist_ok=True)
    # All solvers on one file, then the next file.
    waiting = queue.SimpleQueue()
    for file in files:
        for solver in arguments.solver or BY_DEFAULT:
            waiting.put((file, solver))
    failed = []
    cores = sorted(os.sched_getaffinity(0)) if arguments.jobs > 1 else [None]
    if arguments.jobs * arguments.threads > max(len(cores), arguments.threads):
        sys.exit(f"--jobs {arguments.jobs}: there are {len(cores)} processors")

    def work(own):
        while True:
            try:
                file, solver = waiting.get_nowait()
            except queue.Empty:
                return
            if not run(file, solver, arguments, own):
                failed.append((file, solver))

    shares = [cores[k * arguments.threads:(k + 1) * arguments.threads] for k in range(arguments.jobs)]
    workers = [threading.Thread(target=work, args=(own,)) for own in shares]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return 1 if failed else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input", type=Path, help="an MPS file, plain or gzipped, or a folder of them")
    parser.add_argument("out", type=Path, help="folder for the results")
    parser.add_argument("--solver", choices=SOLVERS, action="append",
                        help="may be repeated; default: " + " and ".join(BY_DEFAULT))
    parser.add_argument("--time-limit", type=float, default=60.0, metavar="S")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gap", type=float, default=1e-4, help="relative gap to stop at")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        help="a parameter of the solver by its own name; may be repeated")
    parser.add_argument("--idpas", type=Path, metavar="PATH",
                        help="check solutions in the original model with this program")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="runs at a time, each on processors of its own")
    parser.add_argument("--cores", help=argparse.SUPPRESS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def instances(path):
    if not path.is_dir():
        if not path.is_file():
            sys.exit(f"{path}: no such file or folder")
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.endswith(ENDINGS))
    if not files:
        sys.exit(f"{path}: no file ends in {' or '.join(ENDINGS)}")
    return files


def stem(file):
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if file.name.endswith(ending):
            return file.name[: -len(ending)]
    return file.name


def run(file, solver, arguments, cores):
    """One run in a process of its own, on these processors; whether there is a result now."""
    name = f"{stem(file)}.{solver}"
    target = arguments.out / f"{name}.json"
    if target.exists():
        print(f"{name}: there already", file=sys.stderr)
        return True
    solution = arguments.out / f"{name}.sol"
    command = [sys.executable, __file__, "--child", "--solver", solver]
    command += ["--time-limit", str(arguments.time_limit), "--threads", str(arguments.threads)]
    command += ["--seed", str(arguments.seed), "--gap", str(arguments.gap)]
    for option in arguments.option:
        command += ["--option", option]
    if cores != [None]:
        command += ["--cores", ",".join(map(str, cores))]
    command += [str(file), str(solution)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=arguments.time_limit + GRACE)
    except subprocess.TimeoutExpired:
        print(f"{name}: did not end {GRACE:.0f} s after its limit", file=sys.stderr)
        return False
    if done.returncode != 0:
        print(f"{name}: ended with {done.returncode}", file=sys.stderr)
        return False
    result = json.loads(done.stdout)
    if arguments.idpas and result["objective"] is not None:
        result.update(check(arguments.idpas, file, solution))
    save(target, json.dumps(result, indent=1) + "\n")
    told = "" if result["checked"] is None else ", checked" if result["checked"] else ", NOT FEASIBLE"
    print(f"{name}: {result['status']}, objective {result['objective']}, bound {result['bound']}, "
          f"{len(result['trajectory'])} solutions in {result['time']:.1f} s{told}", file=sys.stderr)
    return True


def check(idpas, file, solution):
    """What `idpas check` says of a solution: its exit code is 1 if infeasible."""
    done = subprocess.run([idpas, "check", file, solution, "--format", "json"], stdout=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(f"{idpas} check {file} {solution}: ended with {done.returncode}")
    said = json.loads(done.stdout)
    return {"checked": said["feasible"], "checked_objective": said["objective"]}


def child(arguments):
    """Runs one solver here; the result goes to standard output, the solution to `out`."""
    solver = arguments.solver[0]
    if arguments.cores:
        os.sched_setaffinity(0, map(int, arguments.cores.split(",")))
    backend = importlib.import_module(SOLVERS[solver])
    options = dict(option.split("=", 1) for option in arguments.option)
    found = backend.solve(arguments.input, arguments, options)
    values = found.pop("values")
    if values is not None:
        lines = [f"{name} {value!r}\n" for name, value in values]
        head = f"Model status\nFeasible\n\n# Primal solution values\nFeasible\nObjective {found['objective']!r}\n"
        save(arguments.out, f"{head}# Columns {len(lines)}\n{''.join(lines)}")
    result = {
        "solver": solver,
        "version": backend.version(),
        "instance": arguments.input.name,
        "time_limit": arguments.time_limit,
        "threads": arguments.threads,
        "seed": arguments.seed,
        "gap": arguments.gap,
        "options": options,
        **found,
        "checked": None,
    }
    json.dump(result, sys.stdout)


def save(path, text):
    """Writes a file that is whole or absent."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


if __name__ == "__main__":
    sys.exit(main())
