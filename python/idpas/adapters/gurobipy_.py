"""Models of gurobipy."""

from __future__ import annotations

from typing import Any

import numpy as np

from idpas._extract import Extracted, build, unique
from idpas._native import ModelError

#: What a model may have beside linear rows, by the attribute that counts it.
BEYOND = {
    "NumQConstrs": "quadratic constraints",
    "NumSOS": "SOS constraints",
    "NumGenConstrs": "general constraints (indicators and the like)",
    "NumPWLObjVars": "piecewise-linear objectives",
    "IsQP": "quadratic objectives",
}

#: ``GRB.UNDEFINED``, what Gurobi takes for an unknown value of a start.
UNDEFINED = 1e101


def extract(model: Any) -> Extracted:
    """The model of a ``gurobipy.Model``."""
    model.update()
    for attribute, what in BEYOND.items():
        if model.getAttr(attribute):
            raise ModelError(f"gurobipy: {what} cannot be expressed")
    if model.NumObj > 1:
        raise ModelError("gurobipy: several objectives cannot be expressed")
    variables, constraints = model.getVars(), model.getConstrs()
    kinds = model.getAttr("VType", variables)
    if any(kind in "SN" for kind in kinds):
        raise ModelError("gurobipy: semi-continuous and semi-integer variables cannot be expressed")
    notes: list[str] = []
    kinds = np.array(kinds)
    lower = np.array(model.getAttr("LB", variables))
    upper = np.array(model.getAttr("UB", variables))
    # Gurobi keeps the bounds of a binary as they were given, and uses those within 0 and 1.
    binary = kinds == "B"
    lower[binary] = np.maximum(lower[binary], 0.0)
    upper[binary] = np.minimum(upper[binary], 1.0)
    senses = np.array(model.getAttr("Sense", constraints), dtype=object)
    sides = np.array(model.getAttr("RHS", constraints), dtype=np.float64)
    extracted = build(
        name=model.ModelName,
        maximize=model.ModelSense < 0,
        constant=model.ObjCon,
        cost=model.getAttr("Obj", variables),
        lower=lower,
        upper=upper,
        integer=kinds != "C",
        matrix=_matrix(model, len(constraints), len(variables)),
        row_lower=np.where(senses == "<", -np.inf, sides),
        row_upper=np.where(senses == ">", np.inf, sides),
        column_names=unique(model.getAttr("VarName", variables), len(variables), "variables", notes),
        row_names=unique(model.getAttr("ConstrName", constraints), len(constraints), "rows", notes),
    )

    def apply(values: Any) -> None:
        # Gurobi sets X itself; a start is what comes nearest. Where nothing is known it completes the start.
        start = np.where(np.isnan(values), UNDEFINED, values)
        model.setAttr("Start", variables, start.tolist())
        model.update()

    def hint(values: Any, scores: Any) -> None:
        if values is not None:
            apply(values)
        if scores is not None:
            sure = ~np.isnan(scores) & extracted.integer
            chosen = [variables[j] for j in np.flatnonzero(sure)]
            likely = scores[sure]
            model.setAttr("VarHintVal", chosen, [0.0 if score < 0.5 else 1.0 for score in likely])
            model.setAttr("VarHintPri", chosen, [int(100 * abs(2 * score - 1)) for score in likely])
            model.update()

    return Extracted(extracted, apply=apply, hint=hint, notes=notes)


def _matrix(model: Any, rows: int, columns: int) -> Any:
    if rows == 0 or columns == 0:
        return (np.zeros(columns + 1), np.zeros(0), np.zeros(0))
    try:
        return model.getA()
    except ImportError as error:
        raise ModelError("gurobipy: hands its matrix over by SciPy only; install scipy") from error
