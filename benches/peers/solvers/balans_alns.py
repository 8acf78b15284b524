"""Balans: adaptive large neighbourhood search on SCIP, its operators chosen by a bandit.

The package's default configuration, with three changes. It stops at the limit of the run, counted from opening the
file. Its limits for the first solution and for an iteration, which the default sets for a run of 60 s, are the same
shares of this run's limit. SCIP counts seconds of the clock and not of the processor.

Balans tells of a solution when an iteration ends, not when SCIP finds it inside: the times of its trajectory
are those of the ends of iterations. It gives no bound.
"""

import contextlib
import importlib.metadata
import math
import os
import time

import balans.solver
import pyscipopt
from alns.stop import MaxRuntime
from balans.solver import Balans

# The package's default configuration is for runs of this many seconds.
CONFIGURED_FOR = 60.0
SHARES = {
    "timelimit_first_solution": 10 / CONFIGURED_FOR,
    "timelimit_crossover_random_feasible": 6 / CONFIGURED_FOR,
    "timelimit_alns_iteration": 12 / CONFIGURED_FOR,
    "timelimit_local_branching_iteration": 15 / CONFIGURED_FOR,
}


def version():
    return f"{importlib.metadata.version('balans')} (pyscipopt {pyscipopt.__version__})"


class NoSolution(Exception):
    """Balans has nothing to begin with."""


class Until(MaxRuntime):
    """Stops at a moment. The package's own criterion starts its clock after the first solution."""

    def __init__(self, seconds, moment):
        super().__init__(seconds)
        self.moment = moment

    def __call__(self, rng, best, current):
        return time.monotonic() >= self.moment


class Watched(Balans):
    """Notes the first solution and each better one."""

    def watch(self, begin):
        self.begin = begin
        self.trajectory = []
        self.best = None

    def note(self, values):
        mip = self.instance.mip
        terms = [variable.getObj() * values[variable.getIndex()] for variable in mip.variables]
        objective = math.fsum(terms)
        if mip.is_obj_sense_changed:
            objective = -objective
        objective += mip.model.getObjoffset()
        now = time.monotonic() - self.begin
        self.trajectory.append({"time": now, "objective": objective})
        self.best = dict(values)

    def _set_alns_operators(self):
        # Called once, between the first solution and the iterations.
        if not self.initial_index_to_val:
            raise NoSolution
        self.note(self.initial_index_to_val)

        def better(state, rng):
            self.note(state.solution())

        self.alns.on_best(better)
        return super()._set_alns_operators()


def solve(file, settings, options):
    if settings.threads != 1:
        raise SystemExit("Balans on SCIP has one thread")
    if options:
        raise SystemExit("Balans: no options by name")
    begin = time.monotonic()
    made = balans.solver.create_mip_solver

    def create(*arguments, **more):
        mip = made(*arguments, **more)
        mip.model.setParam("timing/clocktype", 2)
        mip.model.setParam("lp/threads", 1)
        return mip

    balans.solver.create_mip_solver = create
    limits = {name: share * settings.time_limit for name, share in SHARES.items()}
    # Its generator wants a seed above 0.
    search = Watched(
        mip_solver="scip",
        n_mip_jobs=1,
        seed=settings.seed + 1,
        stop=Until(settings.time_limit, begin + settings.time_limit),
        **limits,
    )
    search.watch(begin)
    # It prints each step.
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.suppress(NoSolution):
        search.solve(str(file))
    spent = time.monotonic() - begin
    values, objective = None, None
    if search.best is not None:
        objective = search.trajectory[-1]["objective"]
        values = [(variable.name, meant(variable, search.best)) for variable in search.instance.mip.variables]
    return {
        "status": "time_limit" if spent >= 0.99 * settings.time_limit else "limit",
        "objective": objective,
        "bound": None,
        "trajectory": search.trajectory,
        "time": spent,
        "values": values,
    }


def meant(variable, values):
    """SCIP's tolerance leaves integers a little off; the nearest whole number is meant."""
    found = values[variable.getIndex()]
    return found if variable.vtype() == "CONTINUOUS" else float(round(found))
