"""Runs our binary and the peer in turn and writes `table.md` and `table.json`.

    compare.py BINARY PYTHON OUT [--jemalloc LIBRARY] [--turns N] [--seconds S] [--wait S]
               [--threads N] [--sizes SIZE ...]

Timings mean little on a busy machine: `--wait` waits that long for a quiet moment before each run,
and the table says how much of the processors others used meanwhile. Where no quiet moment comes,
processor time with `--threads 1` is the figure to go by.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import time

SIZES = {"mmcnp": "MMCNP large (3 k / 643 / 15 k)",
         "slap": "SLAP large (78 k / 81 k / 300 k)",
         "course": "COURSE hard (80 k / 53 k / 500 k)"}
HERE = pathlib.Path(__file__).parent


def busy():
    """Processor seconds used so far by everyone, and by our children."""
    with open("/proc/stat") as stat:
        fields = [int(field) for field in stat.readline().split()[1:]]
    idle = fields[3] + fields[4]
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = os.sysconf("SC_CLK_TCK")
    return (sum(fields) - idle) / ticks, ours.ru_utime + ours.ru_stime


def wait_for_quiet(seconds):
    """Returns once a few seconds have passed in which nobody worked, or after that time."""
    end = time.time() + seconds
    while time.time() < end:
        before = busy()[0]
        time.sleep(4)
        if busy()[0] - before < 0.3:
            return


def run(command, **environment):
    done = subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE, env={**os.environ, **environment})
    return json.loads(done.stdout) if done.stdout.strip() else None


def measure(command, wait, **environment):
    """A run's figures, and the share of one processor that others used during it."""
    wait_for_quiet(wait)
    start, (everyone, ours) = time.time(), busy()
    result = run(command, **environment)
    everyone, ours = (b - a for a, b in zip((everyone, ours), busy()))
    return result | {"others": max(0.0, everyone - ours) / (time.time() - start)}


def best(results):
    """The best of each figure: times over turns, and the least memory."""
    return {key: min(result[key] for result in results) for key in results[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("python")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--jemalloc")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--wait", type=float, default=0)
    parser.add_argument("--sizes", nargs="*", default=list(SIZES))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    peers = {"default": {"GATV2_THREADS": options.threads}}
    if options.jemalloc:
        peers["jemalloc"] = peers["default"] | {
            "LD_PRELOAD": options.jemalloc,
            "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1,thp:always,metadata_thp:always",
        }
    table = {}
    for size in options.sizes:
        folder = options.out / size
        run([options.binary, "export", size, folder])
        table[size] = {"agreement": run([options.python, HERE / "peer.py", "check", folder])}
        results = {"ours": []} | {peer: [] for peer in peers}
        for _ in range(options.turns):
            ours = [options.binary, "measure", size, options.seconds]
            results["ours"].append(measure(ours, options.wait, RAYON_NUM_THREADS=options.threads))
            for peer, environment in peers.items():
                command = [options.python, HERE / "peer.py", "measure", folder, options.seconds]
                results[peer].append(measure(command, options.wait, **environment))
        table[size]["runs"] = results
        table[size] |= {name: best(result) for name, result in results.items()}
        table[size]["peer_best"] = best([table[size][peer] for peer in peers])
        (options.out / "table.json").write_text(json.dumps(table, indent=2) + "\n")
        (options.out / "table.md").write_text(markdown(table, peers))
    print((options.out / "table.md").read_text())


def markdown(table, peers):
    lines = ["| graph (variables / rows / edges) | | ours | "
             + " | ".join(f"PyG, {peer}" for peer in peers) + " | PyG at its best / ours |",
             "| --- | --- |" + " ---: |" * (len(peers) + 2)]
    figures = [("forward", "forward", 1e3, "ms"), ("step", "step", 1e3, "ms"),
               ("forward_cpu", "forward, processor time", 1e3, "ms"),
               ("step_cpu", "step, processor time", 1e3, "ms"),
               ("forward_memory", "forward memory", 2**-20, "MB"),
               ("step_memory", "step memory", 2**-20, "MB")]
    for size, row in table.items():
        for key, name, scale, unit in figures:
            cells = [f"{row[who][key] * scale:.1f} {unit}" for who in ["ours", *peers]]
            ratio = row["peer_best"][key] / max(row["ours"][key], 1e-9)
            lines.append(f"| {SIZES[size]} | {name} | {' | '.join(cells)} | {ratio:.1f} |")
    lines.append("")
    for size, row in table.items():
        agreement = row["agreement"]
        lines.append(f"- {size}: scores differ by at most {agreement['scores']:.1e}, "
                     f"the gradient by {agreement['gradients']['whole']:.1e} of its norm.")
        others = [run["others"] for runs in row["runs"].values() for run in runs]
        lines.append(f"  Others used {min(others):.2f} to {max(others):.2f} processors meanwhile.")
        for who in ("ours", "theirs"):
            if far := agreement.get(f"{who}_to_double"):
                lines.append(f"  Against PyG in double precision, {who}: {far['whole']:.1e}; "
                             f"worst tensor {far['worst']:.1e} (`{far['tensor']}`).")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
