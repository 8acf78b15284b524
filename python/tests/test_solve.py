"""Solving, from Python."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import idpas


def hard(rows: int = 40, columns: int = 120, seed: int = 1) -> idpas.Model:
    """A set of knapsacks that takes longer than a test."""
    random = np.random.default_rng(seed)
    matrix = random.integers(1, 100, (rows, columns))
    return idpas.model(
        cost=random.integers(1, 100, columns),
        matrix=matrix,
        row_upper=matrix.sum(axis=1) // 3,
        upper=1,
        integer=True,
        maximize=True,
    )


def test_the_best_solution_with_everything_about_it(knapsack: idpas.Model) -> None:
    result = idpas.solve(knapsack, time_limit=10)
    assert (result.status, result.objective, result.bound) == ("optimal", 8.0, 8.0)
    assert result.gap == 0 and result.x is not None and result.x.tolist() == [1, 0, 1]
    assert result["z"] == 1 and result.to_dict() == {"x": 1, "y": 0, "z": 1}
    assert result.trajectory[-1].objective == 8 and result.report["status"] == "optimal"
    assert "optimal" in repr(result)
    page = result._repr_html_()
    assert "<svg" in page and "8" in page
    with pytest.raises(KeyError):
        result["w"]
    with pytest.raises(TypeError, match="result.x"):
        pickle.dumps(result)


def test_without_a_solution_the_result_says_so() -> None:
    model = idpas.model(cost=[1], matrix=[[1]], row_lower=[2], upper=1, integer=True)
    result = idpas.solve(model)
    assert result.status == "infeasible" and result.objective is None and result.x is None
    with pytest.raises(idpas.SolveError, match="infeasible"):
        result.to_dict()


def test_incumbents_are_told_while_it_runs() -> None:
    seen: list[idpas.Incumbent] = []
    result = idpas.solve(hard(), time_limit=2, method="idpas", on_incumbent=seen.append)
    assert seen and seen[-1].objective == result.objective
    assert all(a.objective < b.objective for a, b in zip(seen, seen[1:]))
    assert hard().check(seen[0].x)["feasible"]


def test_an_exception_of_a_callback_ends_the_solve_and_is_raised() -> None:
    def raises(incumbent: idpas.Incumbent) -> None:
        raise RuntimeError("enough")

    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        idpas.solve(hard(), time_limit=60, method="idpas", on_incumbent=raises)
    assert time.monotonic() - begin < 20


def test_ctrl_c_gives_the_best_result() -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    result = idpas.solve(hard(), time_limit=60)
    assert result.status == "interrupted" and result.objective is not None
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
    idpas.solve(hard(), time_limit=1)
    ended.set()
    thread.join()
    assert count > 20


def test_two_solves_at_once() -> None:
    found: list[idpas.Result] = []
    threads = [
        threading.Thread(target=lambda seed=seed: found.append(idpas.solve(hard(seed=seed), time_limit=1)))
        for seed in (1, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and all(result.objective is not None for result in found)


def test_a_start_is_begun_with(knapsack: idpas.Model, tmp_path: Path) -> None:
    path = tmp_path / "start.sol"
    path.write_text("# objective\nx 1\ny 1\nz 0\n")
    for start in ([1, 1, 0], {"x": 1, "y": 1}, path, np.array([[1, 1, 0], [0, 0, 0]])):
        result = idpas.solve(knapsack, start=start, method="idpas", time_limit=5)
        assert result.objective == 8
    with pytest.raises(idpas.SolveError, match="no variable `w`"):
        idpas.solve(knapsack, start={"w": 1})
    with pytest.raises(idpas.SolveError, match="2 values; expected 3"):
        idpas.solve(knapsack, start=[1, 1])


def test_unknown_words_are_refused(knapsack: idpas.Model) -> None:
    with pytest.raises(idpas.SolveError, match="unknown method `idpass`; known: solver"):
        idpas.solve(knapsack, method="idpass")
    with pytest.raises(idpas.SolveError, match="needs a trained model"):
        idpas.solve(knapsack, method="id-pas+")


def test_the_table_is_taken_by_everybody(knapsack: idpas.Model) -> None:
    table = idpas.solve(knapsack).table()
    assert len(table) == 3 and table.column_names == ["name", "value", "score", "fixed"]
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(table).column("value").to_pylist() == [1, 0, 1]
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(table)["name"].to_list() == ["x", "y", "z"]
    pandas = pytest.importorskip("pandas", minversion="3.0")
    assert pandas.DataFrame.from_arrow(table)["score"].isna().all()


def test_features_are_arrays(knapsack: idpas.Model) -> None:
    graph = idpas.features(knapsack, "full")
    assert graph.variables.shape == (3, len(graph.variable_names))
    assert graph.edge_index.tolist() == [[0, 0, 0], [0, 1, 2]]
    with pytest.raises(idpas.ModelError, match="known: paper, full, light"):
        idpas.features(knapsack, "all")
