"""Models of Pyomo."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from idpas._extract import Extracted, build
from idpas._native import ModelError


def extract(model: Any) -> Extracted:
    """The model of a concrete ``pyomo.environ`` model or block."""
    from pyomo.common.dependencies import scipy_available
    from pyomo.core import Objective, maximize
    from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler

    if not scipy_available:
        raise ModelError("pyomo: hands its matrix over by SciPy only; install scipy")
    objectives = list(model.component_data_objects(Objective, active=True))
    if len(objectives) != 1:
        raise ModelError(f"pyomo: {len(objectives)} active objectives; expected 1")
    try:
        form = LinearStandardFormCompiler().write(model, mixed_form=True, set_sense=None)
    except Exception as error:
        # Pyomo says by name, on several lines, what is not linear or not known to it.
        raise ModelError(f"pyomo: {' '.join(str(error).split())}") from error
    variables = form.columns
    sides = np.asarray(form.rhs, dtype=np.float64)
    kinds = np.array([row.bound_type for row in form.rows], dtype=int)
    names = [row.constraint.name for row in form.rows]
    # A constraint with two different sides has two rows.
    twice = {name for name, count in Counter(names).items() if count > 1}
    endings = {1: "_upper", -1: "_lower", 0: "_equal"}
    names = [name + endings[int(kind)] if name in twice else name for name, kind in zip(names, kinds)]
    bounds = [variable.bounds for variable in variables]
    extracted = build(
        name=model.name or "",
        maximize=objectives[0].sense == maximize,
        constant=float(np.asarray(form.c_offset).ravel()[0]),
        cost=form.c.toarray().ravel(),
        lower=[-np.inf if lower is None else lower for lower, _ in bounds],
        upper=[np.inf if upper is None else upper for _, upper in bounds],
        integer=[not variable.is_continuous() for variable in variables],
        matrix=form.A,
        row_lower=np.where(kinds == 1, -np.inf, sides),
        row_upper=np.where(kinds == -1, np.inf, sides),
        column_names=[variable.name for variable in variables],
        row_names=names,
    )

    def apply(values: Any) -> None:
        for variable, value in zip(variables, values):
            if not np.isnan(value):
                whole = not variable.is_continuous()
                variable.set_value(round(float(value)) if whole else float(value), skip_validation=True)
                variable.stale = False

    def hint(values: Any, _scores: Any = None) -> None:
        # Pyomo's solvers take the values of variables as a start where they are asked to (warmstart=True).
        if values is not None:
            apply(values)

    return Extracted(extracted, apply=apply, hint=hint)
