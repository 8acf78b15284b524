"""Runs our binary and the peer in turn and writes `table.md` and `table.json`.

    compare.py BINARY PYTHON OUT [--jemalloc LIBRARY] [--turns N] [--seconds S]
"""

import argparse
import json
import os
import pathlib
import subprocess

SIZES = {"mmcnp": "MMCNP large (3 k / 643 / 15 k)",
         "slap": "SLAP large (78 k / 81 k / 300 k)",
         "course": "COURSE hard (80 k / 53 k / 500 k)"}
HERE = pathlib.Path(__file__).parent


def run(command, **environment):
    done = subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE, env={**os.environ, **environment})
    return json.loads(done.stdout) if done.stdout.strip() else None


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
    parser.add_argument("--sizes", nargs="*", default=list(SIZES))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    peers = {"default": {}}
    if options.jemalloc:
        peers["jemalloc"] = {
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
            results["ours"].append(run(ours, RAYON_NUM_THREADS="2"))
            for peer, environment in peers.items():
                command = [options.python, HERE / "peer.py", "measure", folder, options.seconds]
                results[peer].append(run(command, **environment))
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
        for who in ("ours", "theirs"):
            if far := agreement.get(f"{who}_to_double"):
                lines.append(f"  Against PyG in double precision, {who}: {far['whole']:.1e}; "
                             f"worst tensor {far['worst']:.1e} (`{far['tensor']}`).")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
