"""``pyomo.environ.SolverFactory("idpas")``, once this module is imported."""

from __future__ import annotations

import time
from typing import Any

from pyomo.common.collections import Bunch
from pyomo.opt import SolverFactory, SolverResults, SolverStatus, TerminationCondition

from idpas import _native
from idpas._guide import Guide
from idpas._log import printing
from idpas._solve import solve

CONDITIONS = {
    "optimal": TerminationCondition.optimal,
    "infeasible": TerminationCondition.infeasible,
    "unbounded": TerminationCondition.unbounded,
    "infeasible_or_unbounded": TerminationCondition.infeasibleOrUnbounded,
    "time_limit": TerminationCondition.maxTimeLimit,
    "limit": TerminationCondition.maxEvaluations,
    "interrupted": TerminationCondition.userInterrupt,
}


@SolverFactory.register("idpas", doc="Learns from the MIPs that were solved before")
class IdpasSolver:
    """A solver of Pyomo. Options: ``time_limit``, ``gap``, ``threads``, ``seed``, ``method``, ``guide``."""

    def __init__(self, **options: Any) -> None:
        self.options = Bunch(**{name: value for name, value in options.items() if name != "type"})
        #: The last :class:`idpas.Result`.
        self.result: Any = None

    def available(self, exception_flag: bool = True) -> bool:
        """It is here."""
        return True

    def license_is_valid(self) -> bool:
        """It needs none."""
        return True

    def version(self) -> tuple[int, ...]:
        """The version of idpas."""
        return tuple(int(part) for part in _native.__version__.split("."))

    def warm_start_capable(self) -> bool:
        """It can begin with the values of variables."""
        return True

    def solve(
        self,
        model: Any,
        *,
        options: dict[str, Any] | None = None,
        guide: Guide | str | None = None,
        warmstart: bool = False,
        tee: bool = False,
        load_solutions: bool = True,
        timelimit: float | None = None,
        **more: Any,
    ) -> SolverResults:
        """Solves a model, and puts the values into its variables."""
        chosen = {**self.options, **(options or {}), **more}
        if timelimit is not None:
            chosen["time_limit"] = timelimit
        guide = guide or chosen.pop("guide", None)
        begin = time.perf_counter()
        start = None
        if warmstart:
            from pyomo.core import Var

            known = model.component_data_objects(Var, active=True)
            start = {var.name: var.value for var in known if var.value is not None and not var.fixed}
        if tee:
            chosen = {**printing(plain=guide is None and not chosen.get("method")), **chosen}
        self.result = solve(model, guide, start=start, **chosen)
        solved = self.result._source.model
        results = SolverResults()
        results.problem.name = model.name
        results.problem.sense = "maximize" if solved.maximize else "minimize"
        results.problem.number_of_constraints = solved.num_rows
        results.problem.number_of_variables = solved.num_columns
        results.problem.number_of_integer_variables = int(solved.integer.sum())
        results.problem.number_of_nonzeros = len(solved.data)
        lower, upper = self.result.bound, self.result.objective
        if solved.maximize:
            lower, upper = upper, lower
        results.problem.lower_bound = lower
        results.problem.upper_bound = upper
        condition = CONDITIONS.get(self.result.status, TerminationCondition.other)
        results.solver.termination_condition = condition
        results.solver.status = SolverStatus.ok if self.result.x is not None else SolverStatus.warning
        results.solver.time = time.perf_counter() - begin
        if load_solutions and self.result.x is not None:
            self.result.apply()
        return results

    def __enter__(self) -> IdpasSolver:
        return self

    def __exit__(self, *_: object) -> None:
        return None
