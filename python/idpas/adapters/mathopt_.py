"""Models of OR-Tools MathOpt."""

from __future__ import annotations

from typing import Any

import numpy as np

from idpas._extract import Extracted, build, from_entries, unique
from idpas._native import ModelError

#: What a model may have beside linear rows, by the field that holds it.
BEYOND = {
    "quadratic_constraints": "quadratic constraints",
    "second_order_cone_constraints": "second-order cone constraints",
    "sos1_constraints": "SOS constraints",
    "sos2_constraints": "SOS constraints",
    "indicator_constraints": "indicator constraints",
    "auxiliary_objectives": "several objectives",
}


def extract(model: Any) -> Extracted:
    """The model of an ``ortools.math_opt.python.mathopt.Model``."""
    if not hasattr(model, "export_model"):
        raise ModelError(
            f"ortools: {type(model).__module__}.{type(model).__qualname__} is no model of MathOpt; "
            "write it to an MPS file, or build it with ortools.math_opt"
        )
    proto = model.export_model()
    for field, what in BEYOND.items():
        if getattr(proto, field, None):
            raise ModelError(f"mathopt: {what} cannot be expressed")
    if proto.objective.quadratic_coefficients.row_ids:
        raise ModelError("mathopt: quadratic objectives cannot be expressed")
    columns, rows = _places(proto.variables.ids), _places(proto.linear_constraints.ids)
    cost = np.zeros(len(columns))
    for identity, value in zip(proto.objective.linear_coefficients.ids, proto.objective.linear_coefficients.values):
        cost[columns[identity]] = value
    entries = proto.linear_constraint_matrix
    matrix: list[list[tuple[int, float]]] = [[] for _ in columns]
    for column, row, value in zip(entries.column_ids, entries.row_ids, entries.coefficients):
        matrix[columns[column]].append((rows[row], value))
    notes: list[str] = []
    extracted = build(
        name=proto.name,
        maximize=proto.objective.maximize,
        constant=proto.objective.offset,
        cost=cost,
        lower=list(proto.variables.lower_bounds),
        upper=list(proto.variables.upper_bounds),
        integer=list(proto.variables.integers),
        matrix=from_entries(matrix),
        row_lower=list(proto.linear_constraints.lower_bounds),
        row_upper=list(proto.linear_constraints.upper_bounds),
        column_names=unique(proto.variables.names, len(columns), "variables", notes),
        row_names=unique(proto.linear_constraints.names, len(rows), "rows", notes),
    )
    return Extracted(extracted, notes=notes)


def _places(ids: Any) -> dict[int, int]:
    return {identity: place for place, identity in enumerate(ids)}
