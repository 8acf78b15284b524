"""A progress bar where tqdm is installed, and nothing where it is not."""

from __future__ import annotations

from types import TracebackType
from typing import Any


class Progress:
    """Seconds of work that are done, of those that are planned."""

    def __init__(self, what: str, shown: bool) -> None:
        self._bar: Any = None
        self._done = 0.0
        if shown:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining}{postfix}"
            self._bar = tqdm(desc=what, total=0.0, bar_format=layout)

    def total(self, seconds: float) -> None:
        """Says how much there is to do."""
        if self._bar is not None:
            self._bar.total = seconds
            self._bar.refresh()

    def done(self, seconds: float) -> None:
        """Says how much is done in all."""
        self.add(seconds - self._done)

    def add(self, seconds: float) -> None:
        """Says how much more is done."""
        self._done += seconds
        if self._bar is not None:
            self._bar.update(seconds)

    def say(self, text: str) -> None:
        """Shows a few words behind the bar."""
        if self._bar is not None:
            self._bar.set_postfix_str(text)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
