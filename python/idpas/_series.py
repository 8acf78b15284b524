"""Series: today's instance, and tomorrow's, each solved with what those before it have taught."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from idpas import _native
from idpas._extract import extract
from idpas._guide import Guide
from idpas._result import Result
from idpas._solve import Incumbent, listening


class Series:
    """A series of instances in a folder that holds everything learned.

    There is no training phase: each instance is solved in the order in which it comes, learned from, and the next one is
    solved better. The folder is safe against a kill at any moment, and the command ``idpas series`` goes on with it, too.

    >>> import idpas, tempfile
    >>> series = idpas.Series(tempfile.mkdtemp(), time_limit=10)
    >>> for demand in (5, 6):
    ...     day = idpas.model(cost=[3, 4], matrix=[[2, 4]], row_lower=[demand], upper=9, integer=True)
    ...     result = series.solve(day, name="orders")
    >>> result.objective, len(series.records)
    (7.0, 2)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        time_limit: float = 60.0,
        gap: float = 1e-4,
        threads: int = 1,
        seed: int = 0,
        solver: str = "highs",
        way: str | None = None,
        compare: bool = False,
        train: float | None = None,
    ) -> None:
        """Begins a series in a new folder, or goes on with the one that is there.

        ``time_limit`` is in seconds for each instance, ``solver`` as in :func:`idpas.solve`. ``way`` (``"solver"``, ``"start"``
        or ``"search"``) is taken for every instance instead of the one that has paid so far. With ``compare`` the default
        solver is run on every instance as well, in turn, so that :meth:`summary` can compare. ``train`` is the number of
        seconds of a training of the network, on a thread of its own beside the solves; without it there is none.
        """
        options = {
            "time_limit": time_limit,
            "gap": gap,
            "threads": threads,
            "seed": seed,
            "solver": solver,
            "way": way,
            "compare": compare,
            "train": "off" if train is None else {"seconds": train},
        }
        self._native = _native.Series.open(os.fspath(folder), json.dumps(options))
        #: The folder.
        self.folder = os.fspath(folder)

    def solve(
        self,
        model: Any,
        *,
        name: str | None = None,
        on_incumbent: Callable[[Incumbent], None] | None = None,
    ) -> Result:
        """Solves the next instance and learns from it.

        ``model`` is a path, an :class:`idpas.Model`, or a model of one of the tools. Its ``name`` is that of the file or of
        the model by default; names may come again. Ctrl-C gives the best solution so far; the instance is not learned
        from then, and does not count as solved.
        """
        source = extract(model)
        if name is None:
            name = _stem(model) if isinstance(model, (str, os.PathLike)) else source.model.name
        solved, record, is_recorded, path = self._native.solve(
            source.model, name or "instance", listener=listening(on_incumbent, None)
        )
        result = Result(solved, source, self.guide)
        result.report["series"] = {
            "record": json.loads(record),
            "is_recorded": is_recorded,
            "solution": None if path is None else os.fspath(path),
        }
        return result

    def finish_training(self) -> None:
        """Waits for a network that is being trained beside, so that it is there for the next instance."""
        self._native.finish_training()

    @property
    def records(self) -> list[dict[str, Any]]:
        """What became of each instance so far: number, name, way, time, objective, bound."""
        records: list[dict[str, Any]] = json.loads(self._native.records())
        return records

    @property
    def guide(self) -> Guide | None:
        """What was learned so far, for :func:`idpas.solve` and others; ``None`` before there is a solution."""
        guide = self._native.guide()
        return None if guide is None else Guide(guide)

    def summary(self) -> dict[str, Any]:
        """Scores of all instances, as in the MIP Workshop 2023 competition, and their means over batches of ten."""
        summary: dict[str, Any] = json.loads(self._native.summary())
        return summary

    def __repr__(self) -> str:
        return f"<idpas.Series {self.folder}: {len(self.records)} instances>"


def _stem(path: str | os.PathLike[str]) -> str:
    """The name of a file without its endings."""
    name = os.path.basename(os.fspath(path))
    for ending in (".gz", ".mps", ".lp"):
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    return name
