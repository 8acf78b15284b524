"""Solving."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idpas import _native
from idpas._extract import extract
from idpas._guide import Guide
from idpas._log import log
from idpas._native import Model, SolveError
from idpas._result import Result


@dataclass(frozen=True)
class Incumbent:
    """A solution better than all before, checked in the model as it is."""

    time: float
    objective: float
    bound: float | None
    stage: str
    x: NDArray[np.float64]


def read(path: str | os.PathLike[str]) -> Model:
    """Reads a model: MPS or LP, plain or gzipped. What is odd about the file goes to ``logging``."""
    return extract(path).model


def solve(
    model: Any,
    guide: Guide | str | os.PathLike[str] | None = None,
    *,
    time_limit: float | None = None,
    gap: float = 1e-4,
    threads: int = 1,
    seed: int = 0,
    method: str | None = None,
    solver: str = "highs",
    start: Any = None,
    history: str | os.PathLike[str] | None = None,
    node_limit: int | None = None,
    solver_options: Mapping[str, Any] | None = None,
    on_incumbent: Callable[[Incumbent], None] | None = None,
    on_log: Callable[[str], None] | None = None,
) -> Result:
    """Solves a model: the best solution in the time given, checked with exact arithmetic.

    ``model`` is a path, an :class:`idpas.Model`, or a model of one of the tools. With a ``guide`` the search begins where
    good solutions were before; without one the plain solver works alone, unless a ``method`` is named (``"idpas"`` is the
    search without any history). ``start`` is a solution or several: arrays with NaN where a value is not known,
    mappings from names, or files. ``history`` is a folder of past solutions.

    ``solver`` is ``"highs"``, which is always there, or ``"scip"``, ``"xpress"`` or ``"gurobi"`` where that is installed;
    ``"gurobi"`` is used through gurobipy, whose own licence is for models of at most 2,000 rows and columns.
    ``solver_options`` are by the solver's own names.

    Ctrl-C ends the solve with the best solution so far, and so does an exception of a callback, which is raised again.

    >>> import idpas
    >>> knapsack = idpas.model(cost=[3, 4], matrix=[[2, 4]], row_upper=[5], upper=1, integer=True, maximize=True)
    >>> solve(knapsack).objective
    4.0
    """
    source = extract(model)
    if guide is not None and not isinstance(guide, Guide):
        guide = Guide.load(guide)
    settings = {
        "method": method,
        "solver": solver,
        "time_limit": time_limit,
        "gap": gap,
        "threads": threads,
        "seed": seed,
        "node_limit": node_limit,
        "history": None if history is None else os.fspath(history),
        "solver_options": [[str(name), _option(value)] for name, value in (solver_options or {}).items()],
    }

    solved = _native.solve(
        source.model,
        None if guide is None else guide._native,
        settings=json.dumps(settings),
        starts=[values_of(one, source.model) for one in _several(start)],
        listener=listening(on_incumbent, on_log),
    )
    return Result(solved, source, guide)


def listening(
    on_incumbent: Callable[[Incumbent], None] | None, on_log: Callable[[str], None] | None
) -> Callable[[str, dict[str, Any]], None]:
    """Hands the events of a solve on: to ``logging``, and to the callbacks of the user."""

    def listen(kind: str, contents: dict[str, Any]) -> None:
        if kind == "incumbent":
            log.info("%.2f s: %s (%s)", contents["time"], contents["objective"], contents["stage"])
            if on_incumbent is not None:
                values = contents.pop("values")
                on_incumbent(Incumbent(x=values, **contents))
        elif kind == "warning":
            log.warning("%s", contents["text"])
        elif kind == "log":
            log.debug("%s", contents["text"])
            if on_log is not None:
                on_log(contents["text"])

    return listen


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _several(start: Any) -> Sequence[Any]:
    """One start or several, as several."""
    if start is None:
        return []
    if isinstance(start, (str, os.PathLike, Mapping, Result)):
        return [start]
    if isinstance(start, np.ndarray):
        return [start] if start.ndim == 1 else list(start)
    start = list(start)
    return [start] if start and isinstance(start[0], (int, float, np.number)) else start


def values_of(solution: Any, model: Model) -> NDArray[np.float64]:
    """A solution as values by column, NaN where it says nothing."""
    if isinstance(solution, Result):
        if solution.x is None:
            raise SolveError("the result has no solution to start from")
        solution = solution.x
    if isinstance(solution, (str, os.PathLike)):
        values, warnings = model.read_solution(solution)
        for warning in warnings:
            log.warning("%s: %s", os.fspath(solution), warning)
        return values
    if isinstance(solution, Mapping):
        values = np.full(model.num_columns, np.nan)
        place = {name: j for j, name in enumerate(model.column_names)}
        for name, value in solution.items():
            if name not in place:
                raise SolveError(f"the model has no variable `{name}`")
            values[place[name]] = value
        return values
    return np.ascontiguousarray(solution, dtype=np.float64)
