"""Models of PySCIPOpt."""

from __future__ import annotations

from typing import Any

import numpy as np

from idpas._extract import Extracted, build, from_entries, unique
from idpas._native import ModelError


def extract(model: Any) -> Extracted:
    """The model of a ``pyscipopt.Model`` that is not being solved."""
    if model.getStageName() not in ("INIT", "PROBLEM"):
        raise ModelError(
            f"pyscipopt: the model is being solved or was ({model.getStageName()}); call freeTransform() first"
        )
    variables = model.getVars()
    place = {variable.name: j for j, variable in enumerate(variables)}
    notes: list[str] = []
    names = unique([variable.name for variable in variables], len(variables), "variables", notes)
    if names is None:
        raise ModelError("pyscipopt: two variables have the same name, so that rows cannot be told apart; rename one")
    constraints = model.getConss()
    columns: list[list[tuple[int, float]]] = [[] for _ in variables]
    lower, upper = [], []
    for i, constraint in enumerate(constraints):
        if not constraint.isLinear():
            kind = constraint.getConshdlrName()
            raise ModelError(f"pyscipopt: constraint `{constraint.name}` is of kind `{kind}`, which cannot be expressed")
        for name, value in model.getValsLinear(constraint).items():
            columns[place[name]].append((i, value))
        lower.append(model.getLhs(constraint))
        upper.append(model.getRhs(constraint))
    integer = [variable.vtype() != "CONTINUOUS" for variable in variables]
    extracted = build(
        name=model.getProbName(),
        maximize=model.getObjectiveSense() == "maximize",
        constant=model.getObjoffset(original=True),
        cost=[variable.getObj() for variable in variables],
        lower=[variable.getLbOriginal() for variable in variables],
        upper=[variable.getUbOriginal() for variable in variables],
        integer=integer,
        matrix=from_entries(columns),
        row_lower=lower,
        row_upper=upper,
        column_names=names,
        row_names=unique([constraint.name for constraint in constraints], len(constraints), "rows", notes),
    )

    def start(values: Any, _scores: Any = None) -> None:
        if values is None:
            return
        is_partial = bool(np.isnan(values).any())
        solution = model.createPartialSol() if is_partial else model.createSol()
        for variable, value in zip(variables, values):
            if not np.isnan(value):
                model.setSolVal(solution, variable, float(value))
        model.addSol(solution)

    return Extracted(extracted, apply=start, hint=start, notes=notes)
