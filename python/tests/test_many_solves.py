"""Many small solves in one process of Python: memory, threads and open files stay what they were.

200 solves by default; ``make load`` has ten thousand, by the variable ``IDPAS_LOAD_SOLVES``, and shows what is seen on the way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import idpas

# Megabytes that the process may grow by after its warm-up; of thousands of solves, in as many arenas of the allocator as there
# are threads, and of hundreds, in a single one, which shows sooner what is never given back.
GROWTH_OF_MANY, GROWTH = 5.0, 3.0
# Seconds in which threads that a solve has left behind end.
PATIENCE = 60


def random_model(seed: int) -> idpas.Model:
    random = np.random.default_rng(seed)
    columns = int(random.integers(8, 20))
    matrix = random.integers(1, 30, (3, columns))
    return idpas.model(
        cost=random.integers(1, 40, columns),
        matrix=matrix,
        row_upper=matrix.sum(axis=1) / 3,
        upper=1,
        integer=True,
        maximize=True,
    )


def footprint() -> tuple[float, int, int]:
    """Megabytes in memory, threads, open files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    megabytes = int(fields["VmRSS"].split()[0]) / 1024
    return megabytes, int(fields["Threads"]), len(os.listdir("/proc/self/fd"))


def at_rest(threads: int) -> tuple[float, int, int]:
    """The footprint when there are no more threads than this, or after some patience."""
    begin = time.monotonic()
    while footprint()[1] > threads and time.monotonic() - begin < PATIENCE:
        time.sleep(0.01)
    return footprint()


def stays_flat(solves: int, most: float) -> None:
    """Solves so many times, each time a model and a result of its own; a fifth is to warm up."""
    warm, every = solves // 5, solves // 20
    threads, files, base = 0, 0, 0.0
    begin = time.monotonic()
    print("solves,seconds,resident_mb,threads,files")
    for number in range(1, solves + 1):
        seen: list[float] = []
        result = idpas.solve(
            random_model(number % 50),
            method="idpas" if number % 2 else None,
            time_limit=60,
            on_incumbent=lambda incumbent: seen.append(incumbent.objective),
        )
        assert result.status == "optimal" and seen[-1] == result.objective
        if number == every:
            # Python and numpy have opened what they need by now, and the last solve's threads end meanwhile.
            time.sleep(1)
            _, threads, files = footprint()
        if number % every == 0:
            now = at_rest(threads)
            print(f"{number},{time.monotonic() - begin:.1f},{now[0]:.1f},{now[1]},{now[2]}", flush=True)
            assert now[1] <= threads and now[2] <= files
            if number <= warm:
                base = now[0]
    growth = footprint()[0] - base
    print(f"{solves} solves from Python: {growth:.1f} MB more than after the first {warm}")
    assert growth < most


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
def test_memory_stays_flat_over_many_solves() -> None:
    asked = os.environ.get("IDPAS_LOAD_SOLVES")
    if asked:
        stays_flat(int(asked), GROWTH_OF_MANY)
    else:
        # The allocator looks at its settings when a process begins.
        surroundings = {**os.environ, "MALLOC_ARENA_MAX": "1"}
        subprocess.run([sys.executable, __file__], env=surroundings, check=True)


if __name__ == "__main__":
    stays_flat(200, GROWTH)
