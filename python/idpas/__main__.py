"""The program ``idpas``: ``idpas solve model.mps``, or ``python -m idpas solve model.mps``."""

from __future__ import annotations

import os
import signal
import sys

from idpas import _native
from idpas._program import program


def main() -> None:
    """Runs a command and ends the process with its exit code."""
    # Commands take Ctrl-C themselves, and end with what they have.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = _native.main(sys.argv[1:], program())
    sys.stdout.flush()
    sys.stderr.flush()
    # Without the interpreter's clean-up: a solver that was left behind at its time limit may still be running.
    os._exit(code)


if __name__ == "__main__":
    main()
