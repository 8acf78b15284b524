"""Models from plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    cost = np.atleast_1d(_floats(cost, "cost"))
    columns = len(cost)
    if matrix is None:
        rows = 0
    elif isinstance(matrix, tuple):
        if len(matrix) != 3:
            raise ModelError(f"matrix: a tuple of {len(matrix)}; expected (indptr, indices, data)")
        rows = max(np.size(row_lower), np.size(row_upper))
    else:
        matrix = _rows(matrix, columns, "matrix")
        rows = matrix.shape[0]
    return build(
        name=name,
        maximize=maximize,
        constant=constant,
        cost=cost,
        lower=_spread(lower, columns, "lower"),
        upper=_spread(upper, columns, "upper"),
        integer=_kinds(integer, columns, "integer") == 1,
        matrix=matrix if rows else (np.zeros(columns + 1), np.zeros(0), np.zeros(0)),
        row_lower=_spread(row_lower, rows, "row_lower"),
        row_upper=_spread(row_upper, rows, "row_upper"),
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
    c = np.atleast_1d(_floats(c, "c"))
    columns = len(c)
    kinds = _spread(0 if integrality is None else integrality, columns, "integrality")
    if np.isin(kinds, [2, 3]).any():
        raise ModelError("integrality: semi-continuous and semi-integer variables (2, 3) cannot be expressed")
    if bounds is None:
        lower, upper = 0.0, np.inf
    elif hasattr(bounds, "lb"):
        lower, upper = bounds.lb, bounds.ub
    else:
        try:
            lower, upper = bounds
        except (TypeError, ValueError) as error:
            raise ModelError("bounds: expected scipy.optimize.Bounds, or lower and upper bounds") from error
    blocks = []
    for number, block in enumerate(_blocks(constraints)):
        matrix, low, high = _parts(block)
        matrix = _rows(matrix, columns, f"constraints[{number}]")
        rows = matrix.shape[0]
        low = _spread(low, rows, f"constraints[{number}]: lower side")
        high = _spread(high, rows, f"constraints[{number}]: upper side")
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
        lower=lower,
        upper=upper,
        integer=_kinds(kinds, columns, "integrality"),
        column_names=column_names,
        row_names=row_names,
    )


def _floats(values: Any, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what}: expected numbers: {error}") from error


def _spread(values: Any, count: int, what: str) -> NDArray[np.float64]:
    """So many numbers; a single one stands for all of them."""
    array = _floats(values, what)
    try:
        return np.broadcast_to(array, (count,))
    except ValueError:
        raise ModelError(f"{what}: shape {array.shape}; expected ({count},)") from None


def _kinds(values: Any, count: int, what: str) -> NDArray[np.float64]:
    """Zero for continuous, one for integer."""
    kinds = _spread(values, count, what)
    strange = kinds[~np.isin(kinds, [0, 1])]
    if len(strange):
        raise ModelError(f"{what}: {strange[0]:g}; expected 0 (continuous) or 1 (integer)")
    return kinds


def _rows(matrix: Any, columns: int, what: str) -> Any:
    """A sparse matrix as it is, anything else as a dense one; with this number of columns."""
    if not hasattr(matrix, "tocsc"):
        matrix = np.atleast_2d(_floats(matrix, what))
    if len(matrix.shape) != 2 or matrix.shape[1] != columns:
        raise ModelError(f"{what}: shape {tuple(matrix.shape)}; expected {columns} columns")
    return matrix


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
    if len(sides) > 2:
        raise ModelError(f"constraints: a tuple of {len(block)}; expected a matrix, lower sides and upper sides")
    lower, upper = (list(sides) + [-np.inf, np.inf][len(sides) :])[:2]
    return matrix, lower, upper
