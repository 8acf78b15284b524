"""Models of linopy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from idpas._extract import Extracted, build
from idpas._native import ModelError


#: What a model may have beside linear rows, by the container that holds it.
BEYOND = {"semi_continuous": "semi-continuous variables", "sos": "SOS constraints"}


def extract(model: Any) -> Extracted:
    """The model of a ``linopy.Model``."""
    if model.objective.is_quadratic:
        raise ModelError("linopy: quadratic objectives cannot be expressed")
    for attribute, what in BEYOND.items():
        if len(getattr(model.variables, attribute, ())):
            raise ModelError(f"linopy: {what} cannot be expressed")
    if any(getattr(constraint, "is_indicator", False) for constraint in model.constraints.data.values()):
        raise ModelError("linopy: indicator constraints cannot be expressed")
    matrices = model.matrices
    labels = np.asarray(matrices.vlabels)
    rows = np.asarray(matrices.clabels)
    senses = np.asarray(matrices.sense)
    sides = np.asarray(matrices.b, dtype=np.float64)
    columns = len(labels)
    matrix = matrices.A
    if matrix is None:
        matrix = (np.zeros(columns + 1), np.zeros(0), np.zeros(0))
    extracted = build(
        maximize=model.objective.sense == "max",
        constant=float(getattr(model.objective.expression, "const", 0.0)),
        cost=matrices.c,
        lower=matrices.lb,
        upper=matrices.ub,
        integer=np.asarray(matrices.vtypes) != "C",
        matrix=matrix,
        row_lower=np.where(senses == "<", -np.inf, sides),
        row_upper=np.where(senses == ">", np.inf, sides),
        column_names=_names(model.variables, labels),
        row_names=_names(model.constraints, rows),
    )

    def apply(values: Any) -> None:
        # Linopy shows values only of models that were solved.
        model.status, model.termination_condition = "ok", "optimal"
        known = np.full(int(labels.max(initial=-1)) + 2, np.nan)
        known[labels] = values
        for variable in model.variables.data.values():
            # A label of -1, which is none, is the last place.
            variable.solution = variable.labels.copy(data=known[variable.labels.values])
        model.objective.set_value(extracted.check(np.ascontiguousarray(values, dtype=np.float64))["objective"])

    # It has no place for a start: who asks for hints gets them as arrays.
    return Extracted(extracted, apply=apply)


def _names(container: Any, labels: Any) -> list[str]:
    """Names such as ``flow[a,3]`` for labels: linopy's own running numbers differ from model to model."""
    names: dict[int, str] = {}
    for name, item in container.data.items():
        table = item.labels
        if table.ndim == 0:
            names[int(table.values)] = name
            continue
        coordinates = [[str(key) for key in table.indexes[dim]] if dim in table.indexes else map(str, range(size))
                       for dim, size in zip(table.dims, table.shape)]
        keys = itertools.product(*coordinates)
        for label, key in zip(table.values.ravel(), keys):
            if label >= 0:
                names[int(label)] = f"{name}[{','.join(key)}]"
    return [names[int(label)] for label in labels]
