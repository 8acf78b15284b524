"""Models from arrays and files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import idpas


def test_arrays_come_back_as_they_were(knapsack: idpas.Model) -> None:
    assert knapsack.maximize and knapsack.constant == 0
    assert knapsack.cost.tolist() == [3, 4, 5]
    assert knapsack.integer.all() and knapsack.upper.tolist() == [1, 1, 1]
    assert knapsack.column_names == ["x", "y", "z"] and knapsack.row_names == ["weight"]
    assert (knapsack.indptr.tolist(), knapsack.indices.tolist(), knapsack.data.tolist()) == ([0, 1, 2, 3], [0, 0, 0], [2, 3, 4])
    assert knapsack.row_lower.tolist() == [-np.inf]


@pytest.mark.parametrize("ending", ["mps", "mps.gz", "lp"])
def test_a_file_gives_the_same_model(knapsack: idpas.Model, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"knapsack.{ending}"
    knapsack.write(path)
    again = idpas.read(path)
    assert again.cost.tolist() == [3, 4, 5] and again.maximize and again.column_names == ["x", "y", "z"]
    if ending != "lp":
        assert again == knapsack and hash(again) == hash(knapsack)


def test_sparse_dense_and_triples_are_the_same() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    triple = (np.array([0, 1, 2, 3]), np.array([0, 1, 0]), np.array([1.0, 3.0, 2.0]))
    made = [
        idpas.model(cost=[1, 1, 1], matrix=matrix, row_lower=[0, 0], row_upper=[4, 5])
        for matrix in (dense, dense.tolist(), sparse.csr_array(dense), sparse.coo_array(dense), triple)
    ]
    assert all(model == made[0] for model in made)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lower": [0, 0]}, r"lower: shape \(2,\); expected \(3,\)"),
        ({"matrix": [[1, 2]]}, r"expected 3 columns"),
        ({"column_names": ["x", "x", "y"]}, "two columns are called `x`"),
        ({"column_names": ["x", "", "y"]}, "empty name"),
        ({"cost": [1, np.nan, 2]}, "objective coefficient of column `c1`"),
        ({"lower": 2.0}, "column `c0`"),
        ({"matrix": (np.array([0, 1, 2, 3]), np.array([0, 7, 0]), np.ones(3))}, "row 7 of 1"),
        ({"matrix": (np.array([0, 2, 1, 3]), np.array([0, 0, 0]), np.ones(3))}, "indptr"),
        ({"matrix": (np.array([0, 1, 2, 3]), np.array([0, -1, 0]), np.ones(3))}, "row -1 of 1"),
        ({"matrix": (np.array([0, 1, 2, 3]), np.ones(3))}, r"a tuple of 2; expected \(indptr, indices, data\)"),
        ({"matrix": [[1, np.nan, 1]]}, "column `c1`"),
        ({"matrix": [[1, 1, 1], [1, 1]]}, "matrix: expected numbers"),
        ({"matrix": np.ones((1, 1, 3))}, r"matrix: shape \(1, 1, 3\); expected 3 columns"),
        ({"cost": ["a", 1, 1]}, "cost: expected numbers: .*'a'"),
        ({"upper": np.nan}, "column `c0`"),
        ({"lower": np.inf, "upper": np.inf}, "column `c0`"),
        ({"row_upper": [np.nan]}, "row `r0`"),
        ({"row_lower": [2]}, "row `r0`"),
        ({"integer": [0, 1, 2]}, r"integer: 2; expected 0 \(continuous\) or 1 \(integer\)"),
        ({"column_names": ["x", "y"]}, "column names: 2 entries; expected 3"),
        ({"column_names": ["x", "y", 3]}, "a column name is 3; expected a string"),
    ],
)
def test_what_is_no_model_is_refused(change: dict[str, object], words: str) -> None:
    usual = {"cost": [1, 1, 1], "matrix": [[1, 1, 1]], "row_upper": [1], "upper": 1}
    with pytest.raises(idpas.ModelError, match=words):
        idpas.model(**{**usual, **change})  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(idpas.ModelError, match="missing.mps"):
        idpas.read(tmp_path / "missing.mps")


def test_names_in_messages_do_nothing_to_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "a.mps"
    file.write_text("NAME a\nROWS\n N cost\nCOLUMNS\n x \x1b[31mrow\u202e 1\nENDATA\n", encoding="utf-8")
    with pytest.raises(idpas.ModelError) as refusal:
        idpas.read(file)
    message = str(refusal.value)
    assert "row" in message and not any(character in message for character in "\x1b\u202e"), ascii(message)


def test_what_is_no_model_at_all_is_told_what_would_be_one() -> None:
    with pytest.raises(idpas.ModelError, match="expected a path, an idpas.Model, or a model of gurobipy"):
        idpas.solve(3)


def test_values_are_checked_exactly(knapsack: idpas.Model) -> None:
    assert knapsack.check(np.array([1.0, 1.0, 0.0]))["feasible"]
    wrong = knapsack.check(np.array([1.0, 1.0, 1.0]))
    assert not wrong["feasible"] and "row `weight`" in wrong["violation"]


def test_arguments_of_scipys_milp() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rows = [optimize.LinearConstraint([[1, 2], [3, 1]], [-np.inf, 2], [4, 6]), ([[1, 1]], 1)]
    bounds = optimize.Bounds([0, 0], [5, 1])
    model = idpas.from_milp([1, 2], integrality=[1, 0], bounds=bounds, constraints=rows)
    found = idpas.solve(model)
    expected = optimize.milp([1, 2], integrality=[1, 0], bounds=bounds, constraints=rows)
    assert found.objective == pytest.approx(expected.fun)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"integrality": 2}, "integrality: semi-continuous"),
        ({"integrality": [1, 4]}, "integrality: 4; expected 0"),
        ({"integrality": [1, 1, 1]}, r"integrality: shape \(3,\); expected \(2,\)"),
        ({"bounds": ([0, 0, 0], [1, 1, 1])}, r"lower: shape \(3,\); expected \(2,\)"),
        ({"bounds": 3}, "bounds: expected scipy.optimize.Bounds, or lower and upper bounds"),
        ({"bounds": (1, 0)}, "column `c0`"),
        ({"constraints": ([[1, 1, 1]], 0, 1)}, r"constraints\[0\]: shape \(1, 3\); expected 2 columns"),
        ({"constraints": ([[1, 1]], [0, 0], 1)}, r"constraints\[0\]: lower side: shape \(2,\); expected \(1,\)"),
        ({"constraints": ([[1, 1]], 0, 1, 2)}, "a tuple of 4; expected a matrix, lower sides and upper sides"),
        ({"constraints": ([["a", 1]], 0, 1)}, r"constraints\[0\]: expected numbers"),
    ],
)
def test_what_scipy_would_not_take_is_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(idpas.ModelError, match=words):
        idpas.from_milp([1, 2], **arguments)  # type: ignore[arg-type]


def test_a_model_is_pickled(knapsack: idpas.Model) -> None:
    assert pickle.loads(pickle.dumps(knapsack)) == knapsack
