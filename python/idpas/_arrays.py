"""Models from plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from idpas._extract import build
from idpas._native import Model, ModelError


def model(
    *,
    cost: Any,
    matrix: Any = None,
    row_lower: Any = -np.inf,
    row_upper: Any = np.inf,
    lower: Any = 0.0,
    upper: Any = np.inf,
    integer: Any = False,
    maximize: bool = False,
    constant: float = 0.0,
    name: str = "",
    column_names: Sequence[str] | None = None,
    row_names: Sequence[str] | None = None,
) -> Model:
    """A model from arrays: ``row_lower ≤ matrix · x ≤ row_upper``, ``lower ≤ x ≤ upper``.

    ``matrix`` is dense, a sparse one of SciPy, or a triple ``(indptr, indices, data)`` by columns. A single number
    stands for an array of it. Names matter: by them a variable is known again in the next instance.

    >>> knapsack = model(cost=[3, 4], matrix=[[2, 4]], row_upper=[5], upper=1, integer=True, maximize=True)
    >>> knapsack
    <idpas.Model "": 1 rows, 2 columns (2 binary, 0 integer), 2 non-zeros>
    """
    cost = np.atleast_1d(np.asarray(cost, dtype=np.float64))
    columns = len(cost)
    if matrix is None:
        rows = 0
    elif isinstance(matrix, tuple):
        sides = np.broadcast_arrays(np.atleast_1d(row_lower), np.atleast_1d(row_upper))
        rows = len(sides[0])
    else:
        if not hasattr(matrix, "tocsc"):
            matrix = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        if len(matrix.shape) != 2 or matrix.shape[1] != columns:
            raise ModelError(f"matrix: shape {tuple(matrix.shape)}; expected {columns} columns")
        rows = matrix.shape[0]

    def spread(values: Any, count: int, what: str) -> Any:
        array = np.asarray(values)
        if array.ndim == 0:
            return np.full(count, array)
        if array.shape != (count,):
            raise ModelError(f"{what}: shape {array.shape}; expected ({count},)")
        return array

    return build(
        name=name,
        maximize=maximize,
        constant=constant,
        cost=cost,
        lower=spread(lower, columns, "lower"),
        upper=spread(upper, columns, "upper"),
        integer=spread(integer, columns, "integer"),
        matrix=matrix if rows else (np.zeros(columns + 1), np.zeros(0), np.zeros(0)),
        row_lower=spread(row_lower, rows, "row_lower"),
        row_upper=spread(row_upper, rows, "row_upper"),
        column_names=None if column_names is None else list(column_names),
        row_names=None if row_names is None else list(row_names),
    )


def from_milp(
    c: Any,
    *,
    integrality: Any = None,
    bounds: Any = None,
    constraints: Any = None,
    column_names: Sequence[str] | None = None,
    row_names: Sequence[str] | None = None,
) -> Model:
    """A model from the arguments of ``scipy.optimize.milp``.

    >>> from_milp([1, 2], integrality=1, constraints=([[1, 1]], 1, 2))
    <idpas.Model "": 1 rows, 2 columns (0 binary, 2 integer), 2 non-zeros>
    """
    c = np.atleast_1d(np.asarray(c, dtype=np.float64))
    columns = len(c)
    kinds = np.broadcast_to(np.asarray(0 if integrality is None else integrality), (columns,))
    if not np.isin(kinds, [0, 1]).all():
        raise ModelError("integrality: semi-continuous and semi-integer variables (2, 3) cannot be expressed")
    if bounds is None:
        lower, upper = 0.0, np.inf
    elif hasattr(bounds, "lb"):
        lower, upper = bounds.lb, bounds.ub
    else:
        lower, upper = bounds
    blocks = []
    for block in _blocks(constraints):
        matrix, low, high = _parts(block)
        if not hasattr(matrix, "toarray"):
            matrix = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        rows = matrix.shape[0]
        low = np.broadcast_to(np.asarray(low, dtype=np.float64), (rows,))
        high = np.broadcast_to(np.asarray(high, dtype=np.float64), (rows,))
        blocks.append((matrix, low, high))
    stacked: Any = None
    if len(blocks) == 1:
        stacked = blocks[0][0]
    elif blocks:
        if any(hasattr(matrix, "tocsc") for matrix, _, _ in blocks):
            from scipy.sparse import vstack

            stacked = vstack([matrix for matrix, _, _ in blocks])
        else:
            stacked = np.vstack([matrix for matrix, _, _ in blocks])
    return model(
        cost=c,
        matrix=stacked,
        row_lower=np.concatenate([low for _, low, _ in blocks]) if blocks else -np.inf,
        row_upper=np.concatenate([high for _, _, high in blocks]) if blocks else np.inf,
        lower=np.broadcast_to(np.asarray(lower, dtype=np.float64), (columns,)),
        upper=np.broadcast_to(np.asarray(upper, dtype=np.float64), (columns,)),
        integer=kinds == 1,
        column_names=column_names,
        row_names=row_names,
    )


def _blocks(constraints: Any) -> list[Any]:
    """The constraints one by one: SciPy takes one, as an object or as arguments, or several."""
    if constraints is None:
        return []
    if hasattr(constraints, "A"):
        return [constraints]
    constraints = list(constraints)
    is_one = bool(constraints) and not hasattr(constraints[0], "A") and not isinstance(constraints[0], (tuple,))
    return [tuple(constraints)] if is_one else constraints


def _parts(block: Any) -> tuple[Any, Any, Any]:
    if hasattr(block, "A"):
        return block.A, block.lb, block.ub
    matrix, *sides = block
    lower, upper = (list(sides) + [-np.inf, np.inf][len(sides) :])[:2]
    return matrix, lower, upper
