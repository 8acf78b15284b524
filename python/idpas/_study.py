"""Studies, and everything at once."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from typing import Any

from idpas import _native
from idpas._guide import Guide
from idpas._log import log
from idpas._native import FamilyError
from idpas._program import program


def evaluate(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    instances: str | os.PathLike[str] | None = None,
    only: Sequence[str] = (),
    workers: int | None = None,
    progress: bool = True,
) -> dict[str, Any]:
    """Runs a study, or what is missing of it, into a folder of results, and gives all numbers.

    Ctrl-C loses the runs under way only; the same call goes on.
    """
    numbers: dict[str, Any] = json.loads(
        _native.evaluate(
            study,
            out,
            program=program(),
            instances=instances,
            only=list(only),
            workers=workers,
            quiet=not progress,
            listener=lambda text: log.info("%s", text),
        )
    )
    return numbers


def report(
    results: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, *, clock: str = "end-to-end"
) -> dict[str, Any]:
    """Writes the report of a folder of results as one page, ``report.html`` there by default, and gives its numbers."""
    page = os.path.join(os.fspath(results), "report.html") if out is None else out
    numbers: dict[str, Any] = json.loads(_native.report(results, page, solver_clock=clock == "solver"))
    return numbers


def learn(
    instances: str | os.PathLike[str], out: str | os.PathLike[str], *, budget: str = "1h", solver: str = "highs"
) -> Guide:
    """Collects, trains, tunes and judges in one go, as ``idpas learn`` does, and gives the guide.

    ``solver`` is as in :func:`idpas.solve`. It shows its progress on stderr; the same call goes on where it was interrupted.
    """
    words = ["learn", os.fspath(instances), "--out", os.fspath(out), "--budget", budget, "--solver", solver]
    ended = subprocess.run([*program(), *words], check=False)
    if ended.returncode:
        raise FamilyError(f"`idpas learn` ended with code {ended.returncode}; see its message above")
    return Guide.load(out)
