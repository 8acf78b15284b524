"""What a MIP with linear rows cannot express is refused by name, with models of the tools themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_adapters import gurobipy_model, highspy_model, linopy_model, pulp_model, pyomo_model, pyscipopt_model

import idpas
from idpas._extract import extract


def refused(make: Callable[[], Any], change: Callable[[Any], object], words: str) -> None:
    """The model is taken as it is, and refused with these words once it is changed."""
    model = make()
    extract(model)
    change(model)
    with pytest.raises(idpas.ModelError, match=words):
        idpas.solve(model)


def test_gurobipy() -> None:
    gurobipy = pytest.importorskip("gurobipy")

    def indicator(model: Any) -> None:
        x, y, *_ = model.getVars()
        model.addGenConstrIndicator(x, True, y <= 3)

    def sos(model: Any) -> None:
        model.addSOS(gurobipy.GRB.SOS_TYPE1, model.getVars()[:2], [1, 2])

    def pieces(model: Any) -> None:
        model.setPWLObj(model.getVars()[2], [0, 1, 2], [0, 1, 4])

    refused(gurobipy_model, indicator, "gurobipy: general constraints")
    refused(gurobipy_model, sos, "gurobipy: SOS constraints")
    refused(gurobipy_model, pieces, "gurobipy: piecewise-linear objectives")
    refused(gurobipy_model, lambda model: model.setObjective(model.getVars()[1] ** 2), "gurobipy: quadratic objectives")
    refused(gurobipy_model, lambda model: model.addConstr(model.getVars()[1] ** 2 <= 9), "gurobipy: quadratic constraints")
    refused(gurobipy_model, lambda model: model.addVar(vtype="S", ub=3), "gurobipy: semi-continuous")
    refused(gurobipy_model, lambda model: model.setObjectiveN(model.getVars()[0], 1), "gurobipy: several objectives")


def test_highspy() -> None:
    highspy = pytest.importorskip("highspy")

    def square(highs: Any) -> None:
        hessian = highspy.HighsHessian()
        hessian.dim_ = 4
        hessian.format_ = highspy.HessianFormat.kTriangular
        hessian.start_ = [0, 0, 1, 1, 1]
        hessian.index_ = [1]
        hessian.value_ = [2.0]
        assert highs.passHessian(hessian) != highspy.HighsStatus.kError

    def semi(highs: Any) -> None:
        highs.addVariable(1, 3, 0, highspy.HighsVarType.kSemiContinuous, "s")

    refused(highspy_model, square, "highspy: quadratic objectives")
    refused(highspy_model, semi, "highspy: semi-continuous")


def test_linopy() -> None:
    linopy = pytest.importorskip("linopy")
    pandas = pytest.importorskip("pandas")

    def square(model: Any) -> None:
        y = model.variables["y"]
        model.add_objective(y * y, overwrite=True)

    def sos(model: Any) -> None:
        pieces = model.add_variables(0, 1, coords=[pandas.RangeIndex(3, name="piece")], name="pieces")
        model.add_sos_constraints(pieces, sos_type=1, sos_dim="piece")

    def indicator(model: Any) -> None:
        x, y = model.variables["x"], model.variables["y"]
        model.add_indicator_constraints(x, 1, y <= 3)

    refused(linopy_model, square, "linopy: quadratic objectives")
    refused(linopy_model, sos, "linopy: SOS constraints")
    if hasattr(linopy.Model, "add_indicator_constraints"):
        refused(linopy_model, indicator, "linopy: indicator constraints")


def test_pulp() -> None:
    pytest.importorskip("pulp")

    def sos(problem: Any, of: str) -> None:
        # As PuLP's own documentation does it.
        getattr(problem, of)["alternatives"] = {variable: k for k, variable in enumerate(problem.variables())}

    refused(pulp_model, lambda problem: sos(problem, "sos1"), "pulp: SOS constraints")
    refused(pulp_model, lambda problem: sos(problem, "sos2"), "pulp: SOS constraints")


def test_pyomo() -> None:
    pyo = pytest.importorskip("pyomo.environ")

    def square(model: Any) -> None:
        model.profit.expr = model.y**2

    def curve(model: Any) -> None:
        model.curve = pyo.Constraint(expr=model.y * model.z <= 9)

    def sos(model: Any) -> None:
        model.share = pyo.Var([1, 2, 3], bounds=(0, 1))
        model.alternatives = pyo.SOSConstraint(var=model.share, sos=1)

    def another(model: Any) -> None:
        model.another = pyo.Objective(expr=model.x)

    refused(pyomo_model, square, "pyomo: .*profit.*nonlinear")
    refused(pyomo_model, curve, "pyomo: .*curve.*nonlinear")
    refused(pyomo_model, sos, "pyomo: .*SOSConstraint.* alternatives")
    refused(pyomo_model, another, "pyomo: 2 active objectives; expected 1")


def test_pyscipopt() -> None:
    pytest.importorskip("pyscipopt")
    refused(
        pyscipopt_model,
        lambda model: model.addCons(model.getVars()[1] ** 2 <= 9, "round"),
        "pyscipopt: constraint `round` is of kind `nonlinear`",
    )
    refused(
        pyscipopt_model,
        lambda model: model.addConsSOS1(model.getVars()[:2], [1, 2], "alternatives"),
        "pyscipopt: constraint `alternatives` is of kind `SOS1`",
    )
    refused(
        pyscipopt_model,
        lambda model: model.addConsIndicator(model.getVars()[1] <= 3, model.getVars()[0], name="if_x"),
        "pyscipopt: constraint `if_x` is of kind `indicator`",
    )
