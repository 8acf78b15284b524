"""The native part; what users call is in the modules around it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FamilyError",
    "Guide",
    "IdpasError",
    "Model",
    "ModelError",
    "SolveError",
    "Solved",
    "StudyError",
    "Table",
    "__version__",
    "add",
    "collect",
    "evaluate",
    "features",
    "main",
    "report",
    "solve",
    "status",
    "train",
    "tune",
]

__version__: str

class IdpasError(Exception): ...
class ModelError(IdpasError): ...
class FamilyError(IdpasError): ...
class SolveError(IdpasError): ...
class StudyError(IdpasError): ...

@final
class Model:
    @staticmethod
    def from_arrays(
        *,
        name: str,
        maximize: bool,
        constant: float,
        cost: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        integer: NDArray[np.bool_],
        row_lower: NDArray[np.float64],
        row_upper: NDArray[np.float64],
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        data: NDArray[np.float64],
        column_names: list[str] | None,
        row_names: list[str] | None,
    ) -> Model: ...
    @staticmethod
    def read(path: str | os.PathLike[str]) -> tuple[Model, list[str]]: ...
    def write(self, path: str | os.PathLike[str]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def maximize(self) -> bool: ...
    @property
    def constant(self) -> float: ...
    @property
    def num_columns(self) -> int: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def num_nonzeros(self) -> int: ...
    @property
    def cost(self) -> NDArray[np.float64]: ...
    @property
    def lower(self) -> NDArray[np.float64]: ...
    @property
    def upper(self) -> NDArray[np.float64]: ...
    @property
    def integer(self) -> NDArray[np.bool_]: ...
    @property
    def row_lower(self) -> NDArray[np.float64]: ...
    @property
    def row_upper(self) -> NDArray[np.float64]: ...
    @property
    def indptr(self) -> NDArray[np.int64]: ...
    @property
    def indices(self) -> NDArray[np.int32]: ...
    @property
    def data(self) -> NDArray[np.float64]: ...
    @property
    def column_names(self) -> list[str]: ...
    @property
    def row_names(self) -> list[str]: ...
    def check(self, values: NDArray[np.float64]) -> dict[str, Any]: ...
    def read_solution(self, path: str | os.PathLike[str]) -> tuple[NDArray[np.float64], list[str]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Guide:
    @staticmethod
    def read(path: str | os.PathLike[str]) -> Guide: ...
    def write(self, path: str | os.PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    def with_settings(self, settings: str) -> Guide: ...
    @property
    def settings(self) -> str | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def instances(self) -> tuple[int, int]: ...
    def predict(
        self, model: Model, *, threads: int, time_limit: float | None
    ) -> tuple[NDArray[np.float32], list[str]]: ...
    def known(self, model: Model) -> dict[str, Any]: ...

@final
class Solved:
    @property
    def status(self) -> str: ...
    @property
    def objective(self) -> float | None: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def gap(self) -> float | None: ...
    @property
    def time(self) -> float: ...
    @property
    def method(self) -> str: ...
    @property
    def values(self) -> NDArray[np.float64] | None: ...
    @property
    def trajectory(self) -> list[tuple[float, float, float | None, str]]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def first_band(self) -> float | None: ...
    def report(self) -> str: ...

@final
class Table:
    def __new__(
        cls,
        model: Model,
        values: NDArray[np.float64] | None,
        scores: NDArray[np.float32] | None,
        fixed: NDArray[np.bool_] | None,
    ) -> Table: ...
    def __len__(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

def main(arguments: Sequence[str], program: Sequence[str]) -> int: ...
def add(
    pools: str | os.PathLike[str],
    instances: str | os.PathLike[str],
    name: str,
    model: Model,
    solutions: Sequence[NDArray[np.float64]],
    *,
    settings: str,
    split: str,
) -> tuple[int, list[str]]: ...
def collect(
    pools: str | os.PathLike[str],
    instances: str | os.PathLike[str],
    *,
    program: Sequence[str],
    request: str,
    listener: Callable[[str, dict[str, Any]], None] | None,
) -> dict[str, Any]: ...
def status(pools: str | os.PathLike[str]) -> str: ...
def train(
    pools: str | os.PathLike[str], *, request: str, listener: Callable[..., None] | None
) -> Guide: ...
def features(
    model: Model, *, set: str, relaxation: bool, time_limit: float | None
) -> dict[str, Any]: ...
def tune(
    path: str | os.PathLike[str],
    instances: str | os.PathLike[str],
    *,
    program: Sequence[str],
    settings: str,
    on_event: Callable[[str, float], None] | None,
) -> str: ...
def solve(
    model: Model,
    guide: Guide | None,
    *,
    settings: str,
    starts: Sequence[NDArray[np.float64]],
    listener: Callable[[str, dict[str, Any]], None] | None,
) -> Solved: ...
def evaluate(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    program: Sequence[str],
    instances: str | os.PathLike[str] | None,
    only: Sequence[str],
    workers: int | None,
    quiet: bool,
    listener: Callable[[str], None] | None,
) -> str: ...
def report(
    results: str | os.PathLike[str], out: str | os.PathLike[str] | None, *, solver_clock: bool
) -> str: ...
