"""Models of PuLP."""

from __future__ import annotations

from typing import Any

import numpy as np

from idpas._extract import Extracted, build, from_entries, unique
from idpas._native import ModelError


def extract(problem: Any) -> Extracted:
    """The model of a ``pulp.LpProblem``."""
    if problem.sos1 or problem.sos2:
        raise ModelError("pulp: SOS constraints cannot be expressed")
    variables = problem.variables()
    place = {variable.name: j for j, variable in enumerate(variables)}
    if len(place) < len(variables):
        raise ModelError("pulp: two variables have the same name; give each a name of its own")
    cost = np.zeros(len(variables))
    constant = 0.0
    if problem.objective is not None:
        constant = problem.objective.constant
        for variable, value in problem.objective.items():
            cost[place[variable.name]] += value
    columns: list[list[tuple[int, float]]] = [[] for _ in variables]
    lower, upper = [], []
    names = []
    for i, constraint in enumerate(_constraints(problem)):
        names.append(constraint.name)
        for variable, value in constraint.items():
            columns[place[variable.name]].append((i, value))
        side = -constraint.constant
        lower.append(-np.inf if constraint.sense < 0 else side)
        upper.append(np.inf if constraint.sense > 0 else side)
    notes: list[str] = []
    extracted = build(
        name=problem.name or "",
        maximize=problem.sense == -1,
        constant=constant,
        cost=cost,
        lower=[-np.inf if variable.lowBound is None else variable.lowBound for variable in variables],
        upper=[np.inf if variable.upBound is None else variable.upBound for variable in variables],
        integer=[variable.cat == "Integer" for variable in variables],
        matrix=from_entries(columns),
        row_lower=lower,
        row_upper=upper,
        column_names=unique(place, len(variables), "variables", notes),
        row_names=unique(names, len(names), "rows", notes),
    )

    def apply(values: Any) -> None:
        for variable, value in zip(variables, values):
            if not np.isnan(value):
                whole = variable.cat == "Integer"
                variable.varValue = round(float(value)) if whole else float(value)

    def hint(values: Any, _scores: Any = None) -> None:
        # PuLP's solvers start from the values of variables where they are asked to (warmStart=True).
        if values is not None:
            apply(values)

    return Extracted(extracted, apply=apply, hint=hint, notes=notes)


def _constraints(problem: Any) -> list[Any]:
    """The constraints: PuLP 4 has a method for them, earlier versions a mapping."""
    constraints = problem.constraints
    return list(constraints() if callable(constraints) else constraints.values())
