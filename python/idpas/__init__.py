"""Learns from the MIPs you have solved, and solves the next one better and faster.

>>> import idpas
>>> model = idpas.model(
...     cost=[-3, -2, -4], matrix=[[3, 2, 4]], row_upper=[6], upper=1, integer=True, column_names=["tent", "stove", "map"]
... )
>>> result = idpas.solve(model, time_limit=10)
>>> result.status, result.objective
('optimal', -6.0)
>>> result["stove"]
1.0

A family is a folder of instances that were solved before; a guide is what was learned from it:

>>> family = idpas.Family(folder)  # doctest: +SKIP
>>> family.add("monday.mps", solutions=["monday.sol"])  # doctest: +SKIP
>>> family.collect(time_limit=60)  # doctest: +SKIP
>>> guide = idpas.train(family)  # doctest: +SKIP
>>> idpas.solve("today.mps", guide=guide, time_limit=60)  # doctest: +SKIP

Without a history, a series learns as it goes, from one instance to the next:

>>> series = idpas.Series(folder, time_limit=60)  # doctest: +SKIP
>>> series.solve("today.mps")  # doctest: +SKIP
"""

from __future__ import annotations

from idpas._arrays import from_milp, model
from idpas._family import Family, train
from idpas._graph import Features, features
from idpas._guide import Guide, Hint, hint
from idpas._native import FamilyError, IdpasError, Model, ModelError, SolveError, StudyError, __version__
from idpas._result import Point, Result, Table
from idpas._series import Series
from idpas._solve import Incumbent, read, solve
from idpas._study import evaluate, learn, report

__all__ = [
    "Family",
    "FamilyError",
    "Features",
    "Guide",
    "Hint",
    "IdpasError",
    "Incumbent",
    "Model",
    "ModelError",
    "Point",
    "Result",
    "Series",
    "SolveError",
    "StudyError",
    "Table",
    "__version__",
    "evaluate",
    "features",
    "from_milp",
    "hint",
    "learn",
    "model",
    "read",
    "report",
    "solve",
    "train",
]
