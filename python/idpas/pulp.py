"""A solver of PuLP: ``problem.solve(idpas.pulp.IDPAS(timeLimit=60, guide="guide.safetensors"))``."""

from __future__ import annotations

from typing import Any

import pulp

from idpas._guide import Guide
from idpas._log import printing
from idpas._solve import solve

STATUS = {
    "optimal": pulp.LpStatusOptimal,
    "infeasible": pulp.LpStatusInfeasible,
    "unbounded": pulp.LpStatusUnbounded,
    "infeasible_or_unbounded": pulp.LpStatusUndefined,
}


class IDPAS(pulp.LpSolver):  # type: ignore[misc] # PuLP has no types
    """idpas as a solver of PuLP."""

    name = "IDPAS"

    def __init__(
        self,
        mip: bool = True,
        msg: bool = True,
        timeLimit: float | None = None,  # noqa: N803 # the name that PuLP gives it
        warmStart: bool = False,  # noqa: N803
        guide: Guide | str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(mip=mip, msg=msg, timeLimit=timeLimit, warmStart=warmStart)
        self.guide = guide
        self.solve_options = options
        #: The last :class:`idpas.Result`.
        self.result: Any = None

    def available(self) -> bool:
        """It is here."""
        return True

    def actualSolve(self, lp: Any, **_: Any) -> int:  # noqa: N802 # the name that PuLP gives it
        """Solves a problem, and puts the values into its variables."""
        start = None
        if self.optionsDict.get("warmStart"):
            start = {var.name: var.varValue for var in lp.variables() if var.varValue is not None}
        options = dict(self.solve_options)
        if self.msg:
            options = {**printing(plain=self.guide is None and not options.get("method")), **options}
        self.result = solve(lp, self.guide, time_limit=self.timeLimit, start=start, **options)
        status = STATUS.get(self.result.status, pulp.LpStatusNotSolved)
        solution = pulp.LpSolutionOptimal if status == pulp.LpStatusOptimal else pulp.LpSolutionNoSolutionFound
        if self.result.x is not None:
            self.result.apply()
            if status != pulp.LpStatusOptimal:
                status, solution = pulp.LpStatusOptimal, pulp.LpSolutionIntegerFeasible
        lp.assignStatus(status, solution)
        return int(status)
