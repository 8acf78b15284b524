"""Models of other tools: each is the one that the tool's own writer gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idpas
from idpas._extract import extract

INFINITE = float("inf")


def by_name(model: idpas.Model) -> dict[str, Any]:
    """A model as it can be compared: what a column is and has in each row, by names."""
    columns, rows = model.column_names, model.row_names
    starts, indices, data = model.indptr, model.indices, model.data
    sign = -1.0 if model.maximize else 1.0
    return {
        "constant": sign * model.constant,
        "rows": dict(zip(rows, zip(model.row_lower.tolist(), model.row_upper.tolist()))),
        "columns": {
            name: (
                sign * model.cost[j],
                model.lower[j],
                model.upper[j],
                bool(model.integer[j]),
                {rows[indices[k]]: data[k] for k in range(starts[j], starts[j + 1])},
            )
            for j, name in enumerate(columns)
        },
    }


def assert_same(ours: idpas.Model, path: Path) -> None:
    """The model is the one in the file, up to the sign of the objective."""
    theirs = idpas.read(path)
    mine, other = by_name(ours), by_name(theirs)
    assert mine["columns"].keys() == other["columns"].keys()
    for name, column in mine["columns"].items():
        assert_close(column, other["columns"][name])
    assert mine["rows"] == other["rows"]
    assert mine["constant"] == other["constant"]


def assert_close(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    """Two columns are the same: cost, bounds, kind and entries."""
    *numbers, entries = ours
    *expected, others = theirs
    assert numbers == expected and entries == others


def without_names(model: idpas.Model) -> list[Any]:
    """The columns, for writers that give names of their own: cost, bounds, kind, and the sides and entries of their rows."""
    columns = by_name(model)
    sides = columns["rows"]
    return sorted(
        (cost, lower, upper, kind, sorted((*sides[row], value) for row, value in entries.items()))
        for cost, lower, upper, kind, entries in columns["columns"].values()
    )


# Everywhere: maximise 3x + 2y − z + 5 with x binary, y integer from −2 to 7, z free, w fixed at 1.
# capacity: 2x + y + z ≤ 6, cover: x + y ≥ 1, balance: y − z = 0.5, and where there are ranges: 1 ≤ x + w ≤ 2.
BEST = 3 + 2 * 2 - 1.5 + 5


def highspy_model() -> Any:
    highspy = pytest.importorskip("highspy")
    highs = highspy.Highs()
    highs.silent()
    x = highs.addVariable(0, 1, 3, highspy.HighsVarType.kInteger, "x")
    y = highs.addVariable(-2, 7, 2, highspy.HighsVarType.kInteger, "y")
    z = highs.addVariable(-INFINITE, INFINITE, -1, name="z")
    w = highs.addVariable(1, 1, 0, name="w")
    highs.addConstr(2 * x + y + z <= 6, "capacity")
    highs.addConstr(x + y >= 1, "cover")
    highs.addConstr(y - z == 0.5, "balance")
    highs.addConstr(1 <= x + w <= 2, "range")
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    highs.changeObjectiveOffset(5)
    return highs


def gurobipy_model() -> Any:
    gurobipy = pytest.importorskip("gurobipy")
    environment = gurobipy.Env(params={"OutputFlag": 0})
    model = gurobipy.Model("four", env=environment)
    x = model.addVar(vtype="B", name="x")
    y = model.addVar(-2, 7, vtype="I", name="y")
    z = model.addVar(-INFINITE, name="z")
    w = model.addVar(1, 1, name="w")
    model.addConstr(2 * x + y + z <= 6, "capacity")
    model.addConstr(x + y >= 1, "cover")
    model.addConstr(y - z == 0.5, "balance")
    model.addRange(x + w, 1, 2, "range")
    model.setObjective(3 * x + 2 * y - z + 5, gurobipy.GRB.MAXIMIZE)
    return model


def pyscipopt_model() -> Any:
    pyscipopt = pytest.importorskip("pyscipopt")
    model = pyscipopt.Model("four")
    model.hideOutput()
    x = model.addVar("x", vtype="B")
    y = model.addVar("y", vtype="I", lb=-2, ub=7)
    z = model.addVar("z", lb=None)
    w = model.addVar("w", lb=1, ub=1)
    model.addCons(2 * x + y + z <= 6, "capacity")
    model.addCons(x + y >= 1, "cover")
    model.addCons(y - z == 0.5, "balance")
    model.addCons((1 <= (x + w)) <= 2, "range")
    model.setObjective(3 * x + 2 * y - z + 5, "maximize")
    return model


def pyomo_model() -> Any:
    pyo = pytest.importorskip("pyomo.environ")
    model = pyo.ConcreteModel("four")
    model.x = pyo.Var(domain=pyo.Binary)
    model.y = pyo.Var(domain=pyo.Integers, bounds=(-2, 7))
    model.z = pyo.Var()
    model.w = pyo.Var(bounds=(1, 1))
    model.capacity = pyo.Constraint(expr=2 * model.x + model.y + model.z <= 6)
    model.cover = pyo.Constraint(expr=model.x + model.y >= 1)
    model.balance = pyo.Constraint(expr=model.y - model.z == 0.5)
    model.range = pyo.Constraint(expr=(1, model.x + model.w, 2))
    model.profit = pyo.Objective(expr=3 * model.x + 2 * model.y - model.z + 5, sense=pyo.maximize)
    return model


def pulp_model() -> Any:
    pulp = pytest.importorskip("pulp")
    problem = pulp.LpProblem("four", pulp.LpMaximize)
    x = pulp.LpVariable("x", cat="Binary")
    y = pulp.LpVariable("y", -2, 7, cat="Integer")
    z = pulp.LpVariable("z")
    w = pulp.LpVariable("w", 1, 1)
    problem += 3 * x + 2 * y - z + 5
    problem += 2 * x + y + z <= 6, "capacity"
    problem += x + y >= 1, "cover"
    problem += y - z == 0.5, "balance"
    problem += x + w <= 2, "range"
    return problem


def linopy_model() -> Any:
    linopy = pytest.importorskip("linopy")
    model = linopy.Model()
    x = model.add_variables(binary=True, name="x")
    y = model.add_variables(-2, 7, integer=True, name="y")
    z = model.add_variables(name="z")
    w = model.add_variables(1, 1, name="w")
    model.add_constraints(2 * x + y + z <= 6, name="capacity")
    model.add_constraints(x + y >= 1, name="cover")
    model.add_constraints(y - z == 0.5, name="balance")
    model.add_constraints(x + w <= 2, name="range")
    model.add_objective(3 * x + 2 * y - z, sense="max")
    return model


def test_highspy(tmp_path: Path) -> None:
    highs = highspy_model()
    ours = extract(highs).model
    highs.writeModel(str(tmp_path / "four.mps"))
    assert_same(ours, tmp_path / "four.mps")
    result = idpas.solve(highs)
    assert result.objective == pytest.approx(BEST)
    result.apply(highs)
    highs.run()
    assert highs.getInfo().objective_function_value == pytest.approx(BEST)


def test_gurobipy(tmp_path: Path) -> None:
    model = gurobipy_model()
    ours = extract(model).model
    model.write(str(tmp_path / "four.mps"))
    assert_same(ours, tmp_path / "four.mps")
    result = idpas.solve(model)
    assert result.objective == pytest.approx(BEST)
    result.apply()
    assert [variable.Start for variable in model.getVars()[:2]] == [1, 2]


def test_pyscipopt(tmp_path: Path) -> None:
    model = pyscipopt_model()
    ours = extract(model).model
    model.writeProblem(str(tmp_path / "four.mps"))
    assert_same(ours, tmp_path / "four.mps")
    result = idpas.solve(model)
    assert result.objective == pytest.approx(BEST)
    result.apply()
    model.optimize()
    assert model.getObjVal() == pytest.approx(BEST)
    with pytest.raises(idpas.ModelError, match="freeTransform"):
        idpas.solve(model)


def test_pyomo(tmp_path: Path) -> None:
    model = pyomo_model()
    # Its writer leaves the constant to a column that is fixed at one, and gives a range two rows.
    model.write(str(tmp_path / "four.lp"))
    theirs = [column for column in without_names(idpas.read(tmp_path / "four.lp")) if column[0] != -5]
    assert without_names(extract(model).model) == theirs
    result = idpas.solve(model)
    assert result.objective == pytest.approx(BEST)
    assert sorted(extract(model).model.row_names) == ["balance", "capacity", "cover", "range_lower", "range_upper"]
    result.apply()
    assert (model.x.value, model.y.value) == (1, 2) and model.z.value == pytest.approx(1.5)


def test_pyomo_as_a_solver(guide: idpas.Guide) -> None:
    pyo = pytest.importorskip("pyomo.environ")
    import idpas.pyomo  # noqa: F401 # registers the solver

    model = pyomo_model()
    solver = pyo.SolverFactory("idpas", time_limit=10)
    results = solver.solve(model)
    pyo.assert_optimal_termination(results)
    assert pyo.value(model.profit) == pytest.approx(BEST)
    assert results.problem.upper_bound == pytest.approx(BEST)
    assert results.problem.number_of_variables == 4 and results.problem.number_of_constraints == 5
    again = solver.solve(model, warmstart=True, options={"method": "idpas"})
    assert solver.result.method == "idpas" and again.solver.termination_condition == "optimal"


def test_pulp(tmp_path: Path) -> None:
    pulp = pytest.importorskip("pulp")
    problem = pulp_model()
    ours = extract(problem).model
    problem.writeMPS(str(tmp_path / "four.mps"))
    theirs = by_name(idpas.read(tmp_path / "four.mps"))
    mine = by_name(ours)
    for name, column in mine["columns"].items():
        # PuLP's writer turns the objective over and leaves constants out.
        assert_close(column[1:], theirs["columns"][name][1:])
    assert mine["rows"] == theirs["rows"]
    from idpas.pulp import IDPAS

    problem.solve(IDPAS(msg=False, timeLimit=10))
    assert pulp.LpStatus[problem.status] == "Optimal"
    assert pulp.value(problem.objective) == pytest.approx(BEST)


def test_what_is_shown_of_a_solve(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pulp")
    from idpas.pulp import IDPAS

    pulp_model().solve(IDPAS())
    assert "Solving report" in capsys.readouterr().out
    # A search has many solves, whose logs would run into each other.
    pulp_model().solve(IDPAS(method="idpas", timeLimit=5))
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["time", "objective", "bound"] and lines and lines[-1].split()[1] == f"{BEST:g}"
    pulp_model().solve(IDPAS(msg=False))
    assert capsys.readouterr().out == ""


def test_linopy(tmp_path: Path) -> None:
    model = linopy_model()
    ours = extract(model).model
    assert ours.column_names == ["x", "y", "z", "w"] and ours.maximize
    # Its writer numbers names.
    model.to_file(tmp_path / "four.lp")
    assert without_names(ours) == without_names(idpas.read(tmp_path / "four.lp"))
    result = idpas.solve(model)
    assert result.objective == pytest.approx(BEST - 5)
    result.apply()
    assert float(model.variables["y"].solution) == 2


def test_linopy_names_are_coordinates() -> None:
    linopy = pytest.importorskip("linopy")
    pandas = pytest.importorskip("pandas")
    model = linopy.Model()
    cities = pandas.Index(["a", "b"], name="city")
    days = pandas.RangeIndex(3, name="day")
    flow = model.add_variables(0, 5, coords=[cities, days], name="flow", integer=True)
    model.add_constraints(flow.sum("day") >= 2, name="need")
    model.add_objective(flow.sum())
    ours = extract(model).model
    assert ours.column_names[:4] == ["flow[a,0]", "flow[a,1]", "flow[a,2]", "flow[b,0]"]
    assert ours.row_names == ["need[a]", "need[b]"]
    result = idpas.solve(model)
    result.apply()
    assert float(model.variables["flow"].solution.sum()) == 4 == result.objective


def test_names_that_are_lost_are_told(caplog: pytest.LogCaptureFixture) -> None:
    highspy = pytest.importorskip("highspy")
    highs = highspy.Highs()
    highs.silent()
    highs.addVars(2, np.zeros(2), np.ones(2))
    extract(highs)
    assert "go by their position" in caplog.text


def partial_start(model: Any) -> None:
    """Says x and w, and nothing of the others."""
    extracted = extract(model)
    assert extracted.hint is not None
    known = {"x": 1.0, "w": 1.0}
    extracted.hint(np.array([known.get(name, np.nan) for name in extracted.model.column_names]), None)


def test_highspy_completes_a_partial_start() -> None:
    highs = highspy_model()
    partial_start(highs)
    # HiGHS would take NaN for a value, and a solution with it for a feasible one.
    assert not np.isnan(highs.getSolution().col_value).any()
    highs.run()
    assert highs.getInfo().objective_function_value == pytest.approx(BEST)


def test_gurobipy_completes_a_partial_start() -> None:
    model = gurobipy_model()
    partial_start(model)
    assert [variable.Start for variable in model.getVars()[:4]] == [1, 1e101, 1e101, 1]


def test_pyscipopt_completes_a_partial_start() -> None:
    model = pyscipopt_model()
    partial_start(model)
    model.optimize()
    assert model.getObjVal() == pytest.approx(BEST)
