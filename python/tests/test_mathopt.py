"""Models of OR-Tools MathOpt, in a process of its own: OR-Tools and highspy cannot be imported together."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import pytest

import idpas
from idpas._extract import extract

mathopt = pytest.importorskip("ortools.math_opt.python.mathopt")


def mathopt_model() -> Any:
    model = mathopt.Model(name="four")
    x = model.add_binary_variable(name="x")
    y = model.add_integer_variable(lb=-2, ub=7, name="y")
    z = model.add_variable(name="z")
    w = model.add_variable(lb=1, ub=1, name="w")
    model.add_linear_constraint(2 * x + y + z <= 6, name="capacity")
    model.add_linear_constraint(x + y >= 1, name="cover")
    model.add_linear_constraint(y - z == 0.5, name="balance")
    model.add_linear_constraint(lb=1, expr=x + w, ub=2, name="range")
    model.maximize(3 * x + 2 * y - z + 5)
    return model


def test_the_model_is_the_one_that_mathopt_exports() -> None:
    model = mathopt_model()
    ours = extract(model).model
    proto = model.export_model()
    assert ours.maximize and ours.constant == 5 and ours.column_names == list(proto.variables.names)
    assert ours.cost.tolist() == [3, 2, -1, 0] and ours.integer.tolist() == [True, True, False, False]
    assert ours.lower.tolist() == [0, -2, -float("inf"), 1] and ours.upper.tolist() == [1, 7, float("inf"), 1]
    assert ours.row_names == ["capacity", "cover", "balance", "range"]
    assert ours.row_lower.tolist() == [-float("inf"), 1, 0.5, 1] and ours.row_upper.tolist() == [6, float("inf"), 0.5, 2]
    assert ours.indices.tolist() == [0, 1, 3, 0, 1, 2, 0, 2, 3]
    assert ours.data.tolist() == [2, 1, 1, 1, 1, 1, 1, -1, 1]
    result = idpas.solve(model)
    theirs = mathopt.solve(model, mathopt.SolverType.GSCIP)
    assert result.objective == pytest.approx(theirs.objective_value())
    with pytest.raises(idpas.SolveError, match="to_dict"):
        result.apply()


def test_what_cannot_be_expressed_is_refused_by_name() -> None:
    model = mathopt_model()
    x, y, *_ = model.variables()
    model.minimize(x * y)
    with pytest.raises(idpas.ModelError, match="quadratic objectives"):
        extract(model)
    model = mathopt_model()
    x, y, *_ = model.variables()
    model.add_indicator_constraint(indicator=x, implied_constraint=y <= 3)
    with pytest.raises(idpas.ModelError, match="indicator constraints"):
        extract(model)
    model = mathopt_model()
    x, y, *_ = model.variables()
    model.add_quadratic_constraint(y * y <= 9)
    with pytest.raises(idpas.ModelError, match="quadratic constraints"):
        extract(model)
    model = mathopt_model()
    x, *_ = model.variables()
    model.add_minimization_objective(x, priority=1)
    with pytest.raises(idpas.ModelError, match="several objectives"):
        extract(model)


def test_other_models_of_ortools_are_told_what_to_do() -> None:
    cp_model = pytest.importorskip("ortools.sat.python.cp_model")
    with pytest.raises(idpas.ModelError, match="CpModel is no model of MathOpt"):
        extract(cp_model.CpModel())


@pytest.mark.parametrize("first", ["highspy", "ortools"])
@pytest.mark.parametrize("ours_first", [True, False])
def test_other_solvers_live_in_the_same_process(first: str, ours_first: bool) -> None:
    # Not by importing it here, where OR-Tools is.
    if importlib.util.find_spec(first) is None:
        pytest.skip(f"{first} is not installed")
    theirs = {
        "highspy": "import highspy; h = highspy.Highs(); h.silent(); x = h.addBinary(obj=-1); h.run();"
        " assert h.getInfo().objective_function_value == -1",
        "ortools": "from ortools.math_opt.python import mathopt; m = mathopt.Model(); x = m.add_binary_variable();"
        " m.maximize(x); assert mathopt.solve(m, mathopt.SolverType.HIGHS).objective_value() == 1",
    }[first]
    ours = "import idpas; assert idpas.solve(idpas.model(cost=[-1], upper=1, integer=True)).objective == -1"
    code = "\n".join([ours, theirs, ours] if ours_first else [theirs, ours, theirs])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
