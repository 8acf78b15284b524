"""What a solve gives."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from idpas import _native
from idpas._extract import Extracted, extract
from idpas._native import SolveError

if TYPE_CHECKING:
    from idpas._guide import Guide

Table = _native.Table


class Point(NamedTuple):
    """An improvement: when, to what, with which bound, and which part of the search found it."""

    time: float
    objective: float
    bound: float | None
    stage: str


class Result:
    """The best solution that was found, and how."""

    def __init__(self, solved: _native.Solved, source: Extracted, guide: Guide | None) -> None:
        self._source = source
        self._guide = guide
        self._scores: NDArray[np.float32] | None = None
        #: ``optimal``, ``infeasible``, ``unbounded``, ``time_limit``, ``interrupted`` and so on.
        self.status: str = solved.status
        #: The objective of the solution, exact; ``None`` if there is none.
        self.objective: float | None = solved.objective
        #: No solution is better than this.
        self.bound: float | None = solved.bound
        #: |objective − bound| / |objective|.
        self.gap: float | None = solved.gap
        #: Seconds.
        self.time: float = solved.time
        #: The method that was used.
        self.method: str = solved.method
        #: The values by column, ``None`` if there is no solution.
        self.x: NDArray[np.float64] | None = solved.values
        #: The improvements in their order.
        self.trajectory: list[Point] = [Point(*point) for point in solved.trajectory]
        #: What the user should know.
        self.warnings: list[str] = solved.warnings
        #: Everything that ``idpas solve --format json`` prints.
        self.report: dict[str, Any] = json.loads(solved.report())
        self._first_band = solved.first_band

    @property
    def names(self) -> list[str]:
        """The names of the variables."""
        return self._source.model.column_names

    def __getitem__(self, name: str) -> float:
        """The value of a variable, by its name."""
        if self.x is None:
            raise SolveError(f"there is no solution: {self.status}")
        try:
            return float(self.x[self.names.index(name)])
        except ValueError:
            raise KeyError(name) from None

    def to_dict(self) -> dict[str, float]:
        """The values of all variables, by name."""
        if self.x is None:
            raise SolveError(f"there is no solution: {self.status}")
        return dict(zip(self.names, self.x.tolist()))

    def table(self) -> Table:
        """``name``, ``value``, ``score`` and ``fixed`` of each variable, as an Arrow table.

        ``pandas.DataFrame.from_arrow(result.table())``, ``polars.DataFrame(result.table())`` and
        ``pyarrow.table(result.table())`` take it as it is. ``score`` is what the guide said without solving anything: the
        probability that the variable is not zero. ``fixed`` says whether the search began by holding it at zero.
        """
        model = self._source.model
        fixed = None
        if self._guide is not None and self._scores is None:
            sets = self._guide._native.known(model)["scores"]
            self._scores = next(iter(sets.values()), None)
        if self._scores is not None and self._first_band is not None:
            fixed = model.integer & (self._scores <= self._first_band)
        return Table(model, self.x, self._scores, fixed)

    def apply(self, model: Any = None) -> Any:
        """Puts the values back into the variables of the tool: of the model that was solved, or of ``model``.

        Pyomo, PuLP and linopy have values of variables; highspy, gurobipy and PySCIPOpt take the solution as a start.
        """
        source = self._source if model is None else extract(model)
        if self.x is None:
            raise SolveError(f"there is no solution to apply: {self.status}")
        if source.apply is None:
            raise SolveError("the model has no variables of its own to put values into; use to_dict()")
        values = self.x
        if model is not None and source.model.column_names != self.names:
            known = self.to_dict()
            values = np.array([known.get(name, np.nan) for name in source.model.column_names])
        return source.apply(values)

    def __repr__(self) -> str:
        return f"<idpas.Result {self.status}: objective {self.objective}, bound {self.bound}, {self.time:.1f} s>"

    def _repr_html_(self) -> str:
        """The curve and the table, for notebooks."""
        rows = [
            ("status", self.status),
            ("objective", _number(self.objective)),
            ("bound", _number(self.bound)),
            ("gap", "–" if self.gap is None else f"{100 * self.gap:.3g} %"),
            ("time", f"{self.time:.1f} s"),
            ("method", self.method),
        ]
        cells = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<div style='display:flex;gap:2em'><table>{cells}</table>{curve(self.trajectory, self.time)}</div>"

    def __reduce__(self) -> Any:
        raise TypeError("a result holds on to the model it is of, and cannot be pickled; pickle result.x or result.to_dict()")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.10g}"


def curve(trajectory: list[Point], end: float) -> str:
    """The objective over time as an SVG."""
    if not trajectory:
        return ""
    width, height, margin = 360, 160, 30
    values = [point.objective for point in trajectory]
    low, high = min(values), max(values)
    span, end = (high - low) or 1.0, max(end, trajectory[-1].time) or 1.0

    def at(time: float, value: float) -> str:
        x = margin + (width - 2 * margin) * time / end
        y = margin + (height - 2 * margin) * (high - value) / span
        return f"{x:.1f},{y:.1f}"

    points = []
    for before, point in zip([None, *trajectory], trajectory):
        if before is not None:
            points.append(at(point.time, before.objective))
        points.append(at(point.time, point.objective))
    points.append(at(end, values[-1]))
    style = "font:11px sans-serif"
    return (
        f"<svg width='{width}' height='{height}' role='img' aria-label='objective over time'>"
        f"<polyline fill='none' stroke='#1f77b4' stroke-width='2' points='{' '.join(points)}'/>"
        f"<text x='4' y='{margin - 8}' style='{style}'>{high:.6g}</text>"
        f"<text x='4' y='{height - 8}' style='{style}'>{low:.6g}</text>"
        f"<text x='{width - margin}' y='{height - 8}' style='{style}' text-anchor='end'>{end:.3g} s</text></svg>"
    )
