#!/usr/bin/env python3
"""Seconds per epoch by number of ranks, from the logs that run.sh has left, and how far the models are apart.

Usage: summarise.py OUT ROUNDS RANKS...
"""

import json
import statistics
import struct
import sys
from pathlib import Path


def epoch_seconds(log: Path) -> float:
    """The median epoch; the first one, which also warms caches, is left out."""
    ends = [json.loads(line)["seconds"] for line in log.read_text().splitlines()]
    return statistics.median(after - before for before, after in zip(ends, ends[1:]))


def weights(model: Path) -> list[float]:
    data = model.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    numbers: list[float] = []
    for name in sorted(header):
        if name.startswith("gnn.") and header[name]["dtype"] == "F32":
            begin, end = header[name]["data_offsets"]
            part = data[8 + length + begin : 8 + length + end]
            numbers.extend(struct.unpack(f"<{len(part) // 4}f", part))
    return numbers


def main() -> None:
    out, rounds = Path(sys.argv[1]), int(sys.argv[2])
    counts = [int(word) for word in sys.argv[3:]]
    first = weights(out / f"ranks-{counts[0]}-1.safetensors")
    print(f"{len(first)} weights: a gradient has {4 * len(first) / 1e6:.2f} MB\n")
    print(f"| ranks | seconds per epoch | of {counts[0]} | all rounds | largest difference of a weight |")
    print("| ---: | ---: | ---: | --- | ---: |")
    base = None
    for count in counts:
        names = [f"ranks-{count}-{number}" for number in range(1, rounds + 1)]
        times = [epoch_seconds(out / f"{name}.log.jsonl") for name in names]
        best = min(times)
        base = base or best
        bytes_of = [(out / f"{name}.safetensors").read_bytes() for name in names]
        if any(one != bytes_of[0] for one in bytes_of):
            sys.exit(f"{count} ranks: the models of the rounds differ")
        other = weights(out / f"{names[0]}.safetensors")
        apart = max(abs(a - b) for a, b in zip(first, other, strict=True))
        every = ", ".join(f"{time:.2f}" for time in times)
        print(f"| {count} | {best:.2f} | {best / base:.2f} | {every} | {apart:.1e} |")


if __name__ == "__main__":
    main()
