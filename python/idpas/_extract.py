"""Models from whatever the user has: a path, an object of a modelling tool, or arrays."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idpas._log import log
from idpas._native import Model, ModelError

#: The adapter of each tool, by the first part of the module in which its classes are.
ADAPTERS = {
    "gurobipy": "gurobipy_",
    "highspy": "highspy_",
    "linopy": "linopy_",
    "ortools": "mathopt_",
    "pulp": "pulp_",
    "pyomo": "pyomo_",
    "pyscipopt": "pyscipopt_",
}


@dataclass(frozen=True)
class Extracted:
    """A model, and the way back into the object that it is from."""

    model: Model
    #: Puts values, one for each column, into the tool's own variables.
    apply: Callable[[NDArray[np.float64]], None] | None = None
    #: Gives a start and, where the tool knows hints, scores: the probability that a variable is not zero.
    hint: Callable[[NDArray[np.float64] | None, NDArray[np.float32] | None], None] | None = None
    #: What is lost on the way, such as names.
    notes: list[str] = field(default_factory=list)


def extract(source: Any) -> Extracted:
    """The model of a path, of an object of a modelling tool, or of a :class:`Model`."""
    if isinstance(source, Extracted):
        return source
    if isinstance(source, Model):
        return Extracted(source)
    if isinstance(source, (str, os.PathLike)):
        model, warnings = Model.read(source)
        for warning in warnings:
            log.warning("%s: %s", os.fspath(source), warning)
        return Extracted(model)
    for kind in type(source).__mro__:
        name = ADAPTERS.get(kind.__module__.partition(".")[0])
        if name is not None:
            adapter = importlib.import_module(f"idpas.adapters.{name}")
            extracted: Extracted = adapter.extract(source)
            for note in extracted.notes:
                log.warning("%s", note)
            return extracted
    known = ", ".join(sorted(ADAPTERS))
    raise ModelError(
        f"{type(source).__module__}.{type(source).__qualname__}: expected a path, an idpas.Model, or a model of {known}; "
        "idpas.model makes one from arrays, idpas.from_milp from the arguments of scipy.optimize.milp"
    )


def numbers(values: Any, name: str) -> NDArray[np.float64]:
    """An array of floats, copied only if it is not one."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ModelError(f"{name}: {array.ndim} dimensions; expected 1")
    return array


def by_columns(matrix: Any, shape: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Starts, rows and values of a matrix by columns: of SciPy's, of a dense one, or of such a triple itself."""
    if isinstance(matrix, tuple):
        starts, rows, values = matrix
    elif hasattr(matrix, "tocsc"):
        if tuple(matrix.shape) != shape:
            raise ModelError(f"the matrix has shape {tuple(matrix.shape)}; expected {shape}")
        matrix = matrix.tocsc()
        matrix.sum_duplicates()
        starts, rows, values = matrix.indptr, matrix.indices, matrix.data
    else:
        dense = np.asarray(matrix, dtype=np.float64).reshape(shape)
        columns, rows = np.nonzero(dense.T)
        values = dense.T[columns, rows]
        starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=shape[1]))])
    return (
        np.ascontiguousarray(starts, dtype=np.int64),
        np.ascontiguousarray(rows, dtype=np.int32),
        np.ascontiguousarray(values, dtype=np.float64),
    )


def build(
    *,
    cost: Any,
    lower: Any,
    upper: Any,
    integer: Any,
    matrix: Any,
    row_lower: Any,
    row_upper: Any,
    maximize: bool = False,
    constant: float = 0.0,
    name: str = "",
    column_names: list[str] | None = None,
    row_names: list[str] | None = None,
) -> Model:
    """A model from arrays."""
    cost = numbers(cost, "cost")
    row_lower = numbers(row_lower, "row_lower")
    starts, rows, values = by_columns(matrix, (len(row_lower), len(cost)))
    return Model.from_arrays(
        name=name,
        maximize=maximize,
        constant=float(constant),
        cost=cost,
        lower=numbers(lower, "lower"),
        upper=numbers(upper, "upper"),
        integer=np.ascontiguousarray(integer, dtype=np.bool_),
        row_lower=row_lower,
        row_upper=numbers(row_upper, "row_upper"),
        indptr=starts,
        indices=rows,
        data=values,
        column_names=column_names,
        row_names=row_names,
    )


def restore(parts: dict[str, Any]) -> Model:
    """A model that was pickled."""
    return Model.from_arrays(**parts)


def from_entries(columns: list[list[tuple[int, float]]]) -> tuple[Any, Any, Any]:
    """Starts, rows and values of a matrix of which each column is a list of rows and values."""
    entries = [entry for column in columns for entry in column]
    starts = np.cumsum([0] + [len(column) for column in columns])
    return starts, [row for row, _ in entries], [value for _, value in entries]


def unique(names: Any, count: int, what: str, notes: list[str]) -> list[str] | None:
    """The names, if each of so many things has one of its own; otherwise nothing, and a note on what that means."""
    given: list[str] = list(names) or [""] * count
    if all(given) and len(set(given)) == len(given):
        return given
    why = "some have no name" if not all(given) else "some have the same name"
    notes.append(
        f"{what} go by their position, since {why}: what is learned of a variable serves other instances only if it has "
        "the same position there; give each a name of its own"
    )
    return None
