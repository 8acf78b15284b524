"""How the program inside this package is started."""

from __future__ import annotations

import sys


def program() -> list[str]:
    """The words of a command that starts it in a process of its own."""
    return [sys.executable, "-m", "idpas"]
