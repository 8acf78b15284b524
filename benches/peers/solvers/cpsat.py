"""CP-SAT through OR-Tools.

CP-SAT wants whole numbers. Rows whose coefficients have decimals are multiplied by a power of ten,
exactly; sides are rounded to the nearest whole number inside. The objective may have any
coefficients: CP-SAT scales it by itself, and what is reported here is computed from the values and
the file's own coefficients. Columns without a bound get CP-SAT's own limit for models from
mixed-integer files.
"""

import gzip
import math
import time
from fractions import Fraction

import numpy
import ortools
from ortools.linear_solver.python import model_builder
from ortools.sat.python import cp_model

# CP-SAT's default of `mip_max_bound`.
LARGEST = 10_000_000
MOST_DECIMALS = 9


def version():
    return ortools.__version__


class Watch(cp_model.CpSolverSolutionCallback):
    """Notes each better solution."""

    def __init__(self, begin, costs, offset):
        super().__init__()
        self.begin, self.costs, self.offset = begin, costs, offset
        self.trajectory = []
        self.best = None

    def on_solution_callback(self):
        now = time.monotonic() - self.begin
        self.best = numpy.array(self.response_proto.solution, dtype=numpy.int64)
        objective = math.fsum(self.costs * self.best) + self.offset
        self.trajectory.append({"time": now, "objective": objective})


def solve(file, settings, options):
    begin = time.monotonic()
    read = model_builder.Model()
    opened = gzip.open if file.name.endswith(".gz") else open
    with opened(file, "rt") as text:
        if not read.import_from_mps_string(text.read()):
            raise SystemExit(f"{file}: OR-Tools cannot read it")
    model, costs, offset = build(file, read.helper)
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = settings.threads
    parameters.random_seed = settings.seed
    parameters.relative_gap_limit = settings.gap
    # With one worker CP-SAT would run one strategy alone; in turns it runs all of them.
    parameters.interleave_search = settings.threads == 1
    if options:
        parameters.merge_text_format(" ".join(f"{name}: {value}" for name, value in options.items()))
    watch = Watch(begin, costs, offset)
    parameters.max_time_in_seconds = max(settings.time_limit - (time.monotonic() - begin), 0.0)
    status = solver.solve(model, watch)
    values, objective = None, None
    if watch.best is not None:
        objective = watch.trajectory[-1]["objective"]
        names = (read.helper.var_name(i) for i in range(len(costs)))
        values = [(name, float(value)) for name, value in zip(names, watch.best)]
    spent = time.monotonic() - begin
    stopped = "time_limit" if spent >= 0.99 * settings.time_limit else "limit"
    ended = {
        cp_model.OPTIMAL: "optimal",
        cp_model.FEASIBLE: stopped,
        cp_model.UNKNOWN: stopped,
        cp_model.INFEASIBLE: "infeasible",
    }
    bound = solver.best_objective_bound
    known = status in (cp_model.OPTIMAL, cp_model.FEASIBLE) and math.isfinite(bound)
    return {
        "status": ended.get(status, "trouble"),
        "objective": objective,
        "bound": bound if known else None,
        "trajectory": watch.trajectory,
        "time": spent,
        "values": values,
    }


def build(file, read):
    """The model with whole numbers, and the objective's coefficients and offset."""
    model = cp_model.CpModel()
    proto = model.proto
    count = read.num_variables()
    for i in range(count):
        if not read.var_is_integral(i):
            raise SystemExit(f"{file}: column {read.var_name(i)} is continuous, CP-SAT has only integers")
        low = max(read.var_lower_bound(i), -LARGEST)
        high = min(read.var_upper_bound(i), LARGEST)
        proto.variables.add().domain.extend([math.ceil(low), math.floor(high)])
    for row in range(read.num_constraints()):
        coefficients = read.constraint_coefficients(row)
        scale = whole(coefficients)
        if scale is None:
            raise SystemExit(f"{file}: row {read.constraint_name(row)} has more than {MOST_DECIMALS} decimals")
        low, high = read.constraint_lower_bound(row), read.constraint_upper_bound(row)
        linear = proto.constraints.add().linear
        linear.vars.extend(read.constraint_var_indices(row))
        linear.coeffs.extend([round(value * scale) for value in coefficients])
        linear.domain.extend([side(low, scale, math.ceil), side(high, scale, math.floor)])
    costs = numpy.array([read.var_objective_coefficient(i) for i in range(count)])
    used = numpy.flatnonzero(costs)
    objective = proto.floating_point_objective
    objective.vars.extend(used.tolist())
    objective.coeffs.extend(costs[used].tolist())
    objective.offset = read.objective_offset()
    objective.maximize = read.maximize()
    return model, costs, read.objective_offset()


def whole(values):
    """The least power of ten that makes all of them whole, exactly as they were written."""
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10**decimals
        if all(round(value * scale) / scale == value for value in values):
            return scale
    return None


def side(value, scale, rounded):
    """A row's side, times `scale`, rounded inward: the row's activity is whole."""
    if math.isinf(value):
        return cp_model.INT_MIN if value < 0 else cp_model.INT_MAX
    return rounded(Fraction(repr(value)) * scale)
