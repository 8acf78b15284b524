"""Messages go to ``logging``, under the name ``idpas``."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger("idpas")
log.addHandler(logging.NullHandler())


def printing(*, plain: bool) -> dict[str, Callable[[Any], None]]:
    """Callbacks of a solve for other tools' "show me the log": the solver's own, or, where a search starts many small
    solves whose logs would run into each other, a line for each better solution."""
    if plain:
        return {"on_log": print}
    lines = 0

    def line(incumbent: Any) -> None:
        nonlocal lines
        if lines == 0:
            print(f"{'time':>8}  {'objective':>16}  {'bound':>16}  found by")
        lines += 1
        bound = "–" if incumbent.bound is None else f"{incumbent.bound:.10g}"
        print(f"{incumbent.time:>7.1f}s  {incumbent.objective:>16.10g}  {bound:>16}  {incumbent.stage}")

    return {"on_incumbent": line}
