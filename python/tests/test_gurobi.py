"""Gurobi through gurobipy. Its own licence is for small models, which is enough here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import idpas
from idpas import _native

pytest.importorskip("gurobipy")


def hard(rows: int = 6, columns: int = 60) -> idpas.Model:
    """Rows of equal sums, with a price for what is over or under: nobody is done with it within a test."""
    random = np.random.default_rng(7)
    weights = random.integers(0, 100, (rows, columns))
    half = weights.sum(axis=1) // 2
    matrix = np.hstack([weights, np.eye(rows), -np.eye(rows)])
    price = np.concatenate([np.zeros(columns), np.ones(2 * rows)])
    whole = np.arange(columns + 2 * rows) < columns
    return idpas.model(
        cost=price,
        matrix=matrix,
        row_lower=half,
        row_upper=half,
        upper=np.where(whole, 1, np.inf),
        integer=whole,
    )


def pack(columns: int = 30) -> idpas.Model:
    """Knapsacks with several good solutions."""
    random = np.random.default_rng(11)
    matrix = random.integers(10, 100, (5, columns))
    return idpas.model(
        cost=random.integers(20, 100, columns),
        matrix=matrix,
        row_upper=matrix.sum(axis=1) // 3,
        upper=1,
        integer=True,
        maximize=True,
    )


def test_it_passes_every_case_that_solvers_must_pass() -> None:
    outcomes = _native._conformance("gurobi")
    assert len(outcomes) > 40
    assert [(name, failure) for name, failure in outcomes if failure is not None] == []


@pytest.mark.parametrize("method", [None, "idpas"])
def test_it_finds_what_the_default_solver_finds(method: str | None) -> None:
    expected = idpas.solve(pack(), gap=0)
    lines: list[str] = []
    result = idpas.solve(pack(), solver="gurobi", method=method, gap=0, time_limit=30, on_log=lines.append)
    assert result.status == "optimal" and result.objective == expected.objective
    assert result.x is not None and pack().check(result.x)["feasible"]
    assert result.report["solver"].lower().startswith("gurobi")
    assert any("Gurobi" in line for line in lines)


def test_it_works_with_a_guide(guide: idpas.Guide, instances: Path) -> None:
    path = sorted(instances.glob("*.mps*"))[0]
    result = idpas.solve(path, guide, solver="gurobi", time_limit=5)
    assert result.method == "idpas" and result.objective is not None
    scores = guide.predict(path, solver="gurobi")
    assert len(scores) == idpas.read(path).num_columns


def test_infeasible_and_unbounded_models_are_told() -> None:
    infeasible = idpas.model(cost=[1], matrix=[[1]], row_lower=[2], upper=1, integer=True)
    assert idpas.solve(infeasible, solver="gurobi").status == "infeasible"
    unbounded = idpas.model(cost=[-1, 0], matrix=[[1, -1]], row_upper=[2], integer=True)
    assert idpas.solve(unbounded, solver="gurobi").status == "unbounded"
    # Gurobi sees that the first two variables may grow without end before it sees that the third has no value.
    for whole in (True, False):
        both = idpas.model(
            cost=[-1, 0, 0],
            matrix=[[1, -1, 0], [0, 0, 1], [0, 0, 1]],
            row_lower=[-np.inf, 3, 1],
            row_upper=[2, 3, 2],
            integer=whole,
        )
        assert idpas.solve(both, solver="gurobi").status == "infeasible"


@pytest.mark.parametrize("seed", range(4))
def test_rows_with_two_sides(seed: int) -> None:
    # Gurobi has none, so that they get a column each: in no solution, start or offer may it be seen.
    random = np.random.default_rng(seed)
    matrix = random.integers(-5, 6, (6, 12))
    middle = matrix @ random.integers(0, 3, 12)
    model = idpas.model(
        cost=random.integers(-9, 10, 12),
        matrix=matrix,
        row_lower=middle - random.integers(0, 3, 6),
        row_upper=middle + random.integers(0, 3, 6),
        upper=3,
        integer=np.arange(12) < 9,
        maximize=bool(seed % 2),
    )
    expected = idpas.solve(model, gap=0)
    for method in (None, "idpas"):
        result = idpas.solve(model, solver="gurobi", method=method, start=expected, gap=0)
        assert result.status == "optimal" and result.objective == pytest.approx(expected.objective)
        assert result.x is not None and model.check(result.x)["feasible"]


def test_a_model_beyond_the_licence_is_refused_with_what_to_do() -> None:
    # Rows with two sides count as columns, too.
    large = idpas.model(
        cost=np.ones(1999), matrix=np.ones((2, 1999)), row_lower=[1, 1], row_upper=[9, 8], upper=1, integer=True
    )
    try:
        result = idpas.solve(large, solver="gurobi", time_limit=10)
    except idpas.SolveError as error:
        words = str(error)
        assert "2,000 rows and 2,000 columns" in words and "10010" in words
        assert "2 rows and 2001 columns, 2 of them for rows with two sides" in words
        assert "`highs`" in words
    else:
        assert result.objective == 1
        pytest.skip("there is a licence for any size")


def test_unknown_solvers_and_options_are_refused(knapsack: idpas.Model, tmp_path: Path) -> None:
    with pytest.raises(idpas.SolveError, match="unknown solver `gurobbi`; known: highs, .*gurobi"):
        idpas.solve(knapsack, solver="gurobbi")
    with pytest.raises(idpas.SolveError, match="NoSuchThing: Gurobi has no such parameter"):
        idpas.solve(knapsack, solver="gurobi", solver_options={"NoSuchThing": 1})
    with pytest.raises(idpas.SolveError, match="Presolve: `fast`; expected a whole number"):
        idpas.solve(knapsack, solver="gurobi", solver_options={"Presolve": "fast"})
    with pytest.raises(idpas.SolveError, match="Presolve: .*maximum is 2"):
        idpas.solve(knapsack, solver="gurobi", solver_options={"Presolve": 7})
    with pytest.raises(idpas.SolveError, match="unknown solver"):
        idpas.Series(tmp_path / "series", solver="gurobbi")
    with pytest.raises(idpas.ModelError, match="unknown solver"):
        idpas.features(knapsack, solver="gurobbi")


def test_a_pool_is_filled_in_one_solve() -> None:
    options = [("PoolSearchMode", "2"), ("PoolSolutions", "25"), ("PoolGap", "0.2")]
    found = _native._solutions(pack(), solver="gurobi", options=options)
    assert len(found) >= 25
    assert len({tuple(np.round(values)) for values in found}) == len(found)
    reports = [pack().check(values) for values in found]
    assert all(report["feasible"] for report in reports)
    objectives = [report["objective"] for report in reports]
    assert objectives == sorted(objectives, reverse=True)
    # Without the option only those that it comes across.
    without = _native._solutions(pack(), solver="gurobi", options=[])
    assert len(without) < len(found)


def starts(timer: threading.Timer) -> None:
    """Starts a timer, once."""
    if timer.ident is None:
        timer.start()


def test_ctrl_c_gives_the_best_result_and_stays_with_python() -> None:
    # Of a program that was started in the background, SIGINT is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ctrl_c()
    finally:
        signal.signal(signal.SIGINT, before)


def ctrl_c() -> None:
    """Ctrl-C in the middle of a solve, by either method, and after it."""
    for method in (None, "idpas"):
        # Once it runs: while Gurobi starts, a signal can be its own.
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        result = idpas.solve(
            hard(), solver="gurobi", method=method, time_limit=60, on_incumbent=lambda _: starts(timer)
        )
        assert result.status == "interrupted" and result.objective is not None
        assert time.monotonic() - begin < 20
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)


def test_an_exception_of_a_callback_ends_the_solve_and_is_raised() -> None:
    def raises(incumbent: idpas.Incumbent) -> None:
        raise RuntimeError("enough")

    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        idpas.solve(hard(), solver="gurobi", time_limit=60, on_incumbent=raises)
    assert time.monotonic() - begin < 20


def test_other_threads_run_meanwhile() -> None:
    count, ended = 0, threading.Event()

    def counts() -> None:
        nonlocal count
        while not ended.is_set():
            count += 1
            time.sleep(0.01)

    thread = threading.Thread(target=counts)
    thread.start()
    idpas.solve(hard(), solver="gurobi", time_limit=1)
    ended.set()
    thread.join()
    assert count > 20


def test_a_series_and_a_family(tmp_path: Path, instances: Path) -> None:
    series = idpas.Series(tmp_path / "series", time_limit=5, solver="gurobi")
    for demand in (5, 9):
        day = idpas.model(cost=[3, 4], matrix=[[2, 4]], row_lower=[demand], upper=9, integer=True, name="orders")
        result = series.solve(day)
    assert result.objective == 11 and result.report["solver"].lower().startswith("gurobi")
    family = idpas.Family(tmp_path / "pools", instances, split=(4, 1, 1))
    made = family.collect(time_limit=1, workers=2, pool=5, solver="gurobi", progress=False)
    assert made["made"] == 6 and not made["failed"]


def test_features_of_its_relaxation(knapsack: idpas.Model) -> None:
    graph = idpas.features(knapsack, solver="gurobi")
    assert graph.variables.shape == idpas.features(knapsack).variables.shape


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs Python in a process of its own."""
    return subprocess.run(
        [sys.executable, *words], check=False, capture_output=True, text=True, env={**os.environ, **variables}
    )


def test_the_program_knows_it(knapsack: idpas.Model, tmp_path: Path) -> None:
    path = tmp_path / "knapsack.mps"
    knapsack.write(path)
    ended = run("-m", "idpas", "solve", str(path), "--solver", "gurobi", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert '"objective": 8' in ended.stdout
    # Gurobi prints nothing itself, not even its licence.
    assert ended.stdout.lstrip().startswith("{")


def test_a_process_ends_although_gurobi_was_left_behind() -> None:
    script = (
        "import sys, idpas; sys.path.insert(0, sys.argv[1]); from test_gurobi import hard;"
        "import threading; t = threading.Thread(target=lambda: idpas.solve(hard(), solver='gurobi'), daemon=True);"
        "t.start(); import time; time.sleep(1)"
    )
    ended = run("-c", script, str(Path(__file__).parent))
    assert ended.returncode == 0, ended.stderr


def test_without_gurobipy_the_library_says_what_is_missing(knapsack: idpas.Model, tmp_path: Path) -> None:
    path = tmp_path / "knapsack.mps"
    knapsack.write(path)
    script = (
        "import sys; sys.modules['gurobipy'] = None; import idpas\n"
        "try: print(idpas.solve(sys.argv[1], solver='gurobi').objective)\n"
        "except idpas.SolveError as error: print(error)"
    )
    ended = run("-c", script, str(path), GRB_LICENSE_FILE="/no/such/gurobi.lic")
    assert ended.returncode == 0, ended.stderr
    assert "serves gurobipy only" in ended.stdout and "(error 10009)" in ended.stdout, ended.stdout
    ended = run("-c", script, str(path), IDPAS_GUROBI_LIB="/no/such/libgurobi.so")
    assert "IDPAS_GUROBI_LIB" in ended.stdout and "/no/such/libgurobi.so" in ended.stdout, ended.stdout
