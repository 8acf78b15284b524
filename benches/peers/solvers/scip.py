"""SCIP through PySCIPOpt."""

import time

import pyscipopt
from pyscipopt import SCIP_EVENTTYPE, Eventhdlr, Model

STATUS = {
    "optimal": "optimal",
    "gaplimit": "optimal",
    "infeasible": "infeasible",
    "unbounded": "unbounded",
    "inforunbd": "infeasible_or_unbounded",
    "timelimit": "time_limit",
    "userinterrupt": "interrupted",
}


def version():
    return f"{Model().version()} (pyscipopt {pyscipopt.__version__})"


class Watch(Eventhdlr):
    """Notes each better solution."""

    def __init__(self, begin):
        self.begin = begin
        self.trajectory = []

    def eventinit(self):
        self.model.catchEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)

    def eventexit(self):
        self.model.dropEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)

    def eventexec(self, event):
        objective = self.model.getSolObjVal(self.model.getBestSol())
        self.trajectory.append({"time": time.monotonic() - self.begin, "objective": objective})


def solve(file, settings, options):
    begin = time.monotonic()
    model = Model()
    model.hideOutput()
    model.readProblem(str(file))
    model.setParam("parallel/maxnthreads", settings.threads)
    model.setParam("lp/threads", settings.threads)
    model.setParam("randomization/randomseedshift", settings.seed)
    model.setParam("limits/gap", settings.gap)
    model.setParam("timing/clocktype", 2)
    for name, setting in options.items():
        model.setParam(name, setting)
    watch = Watch(begin)
    model.includeEventhdlr(watch, "watch", "notes each better solution")
    left = settings.time_limit - (time.monotonic() - begin)
    model.setParam("limits/time", max(left, 0.0))
    if settings.threads > 1:
        model.solveConcurrent()
    else:
        model.optimize()
    bound = model.getDualbound()
    values, objective = None, None
    if model.getNSols() > 0:
        best = model.getBestSol()
        objective = model.getSolObjVal(best)
        values = [(variable.name, meant(variable, best)) for variable in model.getVars()]
    return {
        "status": STATUS.get(model.getStatus(), "limit"),
        "objective": objective,
        "bound": None if model.isInfinity(abs(bound)) else bound,
        "trajectory": watch.trajectory,
        "time": time.monotonic() - begin,
        "values": values,
    }


def meant(variable, solution):
    """SCIP's tolerance leaves integers a little off; the nearest whole number is meant."""
    found = solution[variable]
    return found if variable.vtype() == "CONTINUOUS" else float(round(found))
