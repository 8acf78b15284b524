"""Guides: what was learned from a family."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from idpas import _native
from idpas._extract import extract
from idpas._log import log
from idpas._program import program
from idpas._progress import Progress

if TYPE_CHECKING:
    from idpas._family import Family


class Guide:
    """A trained model, and the search settings that were tuned for it. It never changes but by :meth:`tune`."""

    def __init__(self, native: _native.Guide) -> None:
        self._native = native

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Guide:
        """Reads a guide that was saved, or trained by ``idpas train`` or ``idpas learn``."""
        guide = cls(_native.Guide.read(path))
        for warning in guide._native.warnings:
            log.warning("%s", warning)
        return guide

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one file of safetensors, and beside it what was tuned, if anything was."""
        self._native.write(path)

    @property
    def kind(self) -> str:
        """What was learned: ``gnn``, ``prop``, ``zero-frequency`` or ``nearest``."""
        return self._native.kind

    @property
    def settings(self) -> dict[str, Any] | None:
        """The settings that were tuned; ``None`` before that."""
        text = self._native.settings
        return None if text is None else json.loads(text)

    def predict(
        self, model: Any, *, solver: str = "highs", threads: int = 1, time_limit: float | None = None
    ) -> NDArray[np.float32]:
        """For each column the predicted probability that it is not zero; NaN where nothing is predicted.

        The ``solver`` is for the linear relaxation, where the guide looks at it.
        """
        scores, warnings = self._native.predict(
            extract(model).model, solver=solver, threads=threads, time_limit=time_limit
        )
        for warning in warnings:
            log.warning("%s", warning)
        return scores

    def tune(
        self,
        family: Family | str | os.PathLike[str],
        *,
        time_limit: float,
        count: int | None = None,
        budget: float | None = None,
        grid: str | None = None,
        method: str | None = None,
        solver: str = "highs",
        workers: int | None = None,
        threads: int = 1,
        seed: int = 0,
        progress: bool = True,
    ) -> Guide:
        """Chooses search settings on the validation instances of a family, for solves of ``time_limit`` seconds.

        ``solver`` is the one of those solves. The guide has the settings from then on; it is returned too.
        """
        settings = {
            "time_limit": time_limit,
            "count": count,
            "budget": budget,
            "grid": grid,
            "method": method,
            "solver": solver,
            "workers": workers,
            "threads": threads,
            "seed": seed,
        }
        folder = os.fspath(family) if isinstance(family, (str, os.PathLike)) else family.folder
        with tempfile.TemporaryDirectory() as place, Progress("tune", progress) as bar:
            path = Path(place) / "guide.safetensors"
            self._native.write(path)

            def listen(kind: str, seconds: float) -> None:
                if kind == "planned":
                    bar.total(seconds)
                else:
                    bar.add(seconds)

            chosen = _native.tune(path, folder, program=program(), settings=json.dumps(settings), on_event=listen)
        self._native = self._native.with_settings(chosen)
        return self

    def __repr__(self) -> str:
        training, validation = self._native.instances
        tuned = "tuned" if self._native.settings else "not tuned"
        return f"<idpas.Guide {self.kind}: learned from {training} instances, validated on {validation}, {tuned}>"

    def __reduce__(self) -> Any:
        return _restore, (self._native.to_bytes(), self._native.settings)


def _restore(content: bytes, settings: str | None) -> Guide:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "guide.safetensors"
        path.write_bytes(content)
        native = _native.Guide.read(path)
    return Guide(native if settings is None else native.with_settings(settings))


@dataclass(frozen=True)
class Hint:
    """A start and scores for a solver that somebody else calls."""

    #: Values by column, NaN where nothing is known; ``None`` if there is no past solution.
    start: NDArray[np.float64] | None
    #: The probability that a variable is not zero, NaN where nothing is known.
    scores: NDArray[np.float32] | None


def hint(model: Any, guide: Guide | str | os.PathLike[str]) -> Hint:
    """Gives a model of a tool a start, and hints where the tool knows them: you call its ``optimize`` yourself.

    The start is the solution of the most similar past instance, which need not be feasible here; most solvers repair it.
    """
    if not isinstance(guide, Guide):
        guide = Guide.load(guide)
    source = extract(model)
    known = guide._native.known(source.model)
    for warning in known["warnings"]:
        log.warning("%s", warning)
    start = known["starts"][0] if known["starts"] else None
    scores = next(iter(known["scores"].values()), None)
    if source.hint is not None:
        source.hint(start, scores)
    return Hint(start, scores)
