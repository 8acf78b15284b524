"""Models of highspy, HiGHS's own interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from idpas._extract import Extracted, build, unique
from idpas._native import ModelError


def extract(highs: Any) -> Extracted:
    """The model of a ``highspy.Highs``."""
    import highspy

    if highs.getModel().hessian_.dim_ > 0:
        raise ModelError("highspy: quadratic objectives cannot be expressed")
    highs.ensureColwise()
    lp = highs.getLp()
    kinds = list(lp.integrality_)
    semi = (highspy.HighsVarType.kSemiContinuous, highspy.HighsVarType.kSemiInteger)
    if any(kind in semi for kind in kinds):
        raise ModelError("highspy: semi-continuous and semi-integer variables cannot be expressed")
    notes: list[str] = []
    columns, rows = lp.num_col_, lp.num_row_
    integer = np.zeros(columns, dtype=np.bool_)
    if kinds:
        integer[:] = [kind == highspy.HighsVarType.kInteger for kind in kinds]
    matrix = lp.a_matrix_
    model = build(
        name=lp.model_name_,
        maximize=lp.sense_ == highspy.ObjSense.kMaximize,
        constant=lp.offset_,
        cost=lp.col_cost_,
        lower=lp.col_lower_,
        upper=lp.col_upper_,
        integer=integer,
        matrix=(matrix.start_, matrix.index_, matrix.value_),
        row_lower=lp.row_lower_,
        row_upper=lp.row_upper_,
        column_names=unique(lp.col_names_, columns, "variables", notes),
        row_names=unique(lp.row_names_, rows, "rows", notes),
    )

    def start(values: Any, _scores: Any = None) -> None:
        if values is None:
            return
        # HiGHS completes a start of which it is told some values; it would take NaN for one.
        known = np.flatnonzero(~np.isnan(values)).astype(np.int32)
        highs.setSolution(len(known), known, np.asarray(values, dtype=np.float64)[known])

    return Extracted(model, apply=start, hint=start, notes=notes)
