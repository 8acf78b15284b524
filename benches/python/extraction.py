"""How long it takes to take a model out of highspy's memory, against writing it to an MPS file and reading that.

Usage: extraction.py [COLUMNS]; in a Python environment with highspy and idpas.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import highspy
import numpy as np

import idpas
from idpas._extract import extract

REPEATS = 5


def model(columns: int) -> highspy.Highs:
    """Binaries, three in each row, with names."""
    random = np.random.default_rng(1)
    rows = columns // 2
    highs = highspy.Highs()
    highs.silent()
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = columns, rows
    lp.col_cost_ = random.integers(1, 100, columns).astype(float)
    lp.col_lower_, lp.col_upper_ = np.zeros(columns), np.ones(columns)
    lp.row_lower_, lp.row_upper_ = np.full(rows, -np.inf), np.full(rows, 3.0)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * columns
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.arange(0, 3 * columns + 1, 3)
    lp.a_matrix_.index_ = np.concatenate([np.sort(random.choice(rows, 3, replace=False)) for _ in range(columns)])
    lp.a_matrix_.value_ = random.integers(1, 9, 3 * columns).astype(float)
    lp.col_names_ = [f"assign[{j // 100},{j % 100}]" for j in range(columns)]
    lp.row_names_ = [f"limit[{i}]" for i in range(rows)]
    highs.passModel(lp)
    return highs


def seconds(work: Callable[[], object]) -> float:
    """The least of several times."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    columns = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    highs = model(columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mps"

        def by_file() -> idpas.Model:
            highs.writeModel(str(path))
            return idpas.read(path)

        same = extract(highs).model.cost.tolist() == by_file().cost.tolist()
        inside, outside = seconds(lambda: extract(highs)), seconds(by_file)
    print(f"{columns} columns: in memory {inside:.3f} s, by an MPS file {outside:.3f} s, ratio {inside / outside:.2f}, same {same}")


if __name__ == "__main__":
    main()
