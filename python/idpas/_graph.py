"""The bipartite graph of a model as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idpas import _native
from idpas._extract import extract


@dataclass(frozen=True)
class Features:
    """A node for each variable and row, an edge for each non-zero, with raw features.

    For torch_geometric: ``HeteroData`` with ``data["variable"].x = torch.from_numpy(f.variables)`` and so on, and
    ``torch.from_numpy(f.edge_index)`` from rows to variables.
    """

    variables: NDArray[np.float32]
    rows: NDArray[np.float32]
    edges: NDArray[np.float32]
    #: For each edge its row, and its variable.
    edge_index: NDArray[np.int64]
    variable_names: list[str]
    row_names: list[str]
    edge_names: list[str]

    def __repr__(self) -> str:
        sizes = f"{len(self.variables)} variables, {len(self.rows)} rows, {len(self.edges)} edges"
        widths = f"{len(self.variable_names)}, {len(self.row_names)} and {len(self.edge_names)} features"
        return f"<idpas.Features: {sizes}; {widths}>"


def features(
    model: Any,
    set: str = "paper",
    *,
    relaxation: bool = True,
    solver: str = "highs",
    time_limit: float | None = None,
) -> Features:
    """The graph of a model with the features of a set: ``paper``, ``full`` or ``light``.

    With ``relaxation`` the linear relaxation is solved, by ``solver``, for those that come from it; otherwise they are zero.

    >>> import idpas
    >>> knapsack = idpas.model(cost=[3, 4], matrix=[[2, 4]], row_upper=[5], upper=1, integer=True, maximize=True)
    >>> graph = features(knapsack)
    >>> graph
    <idpas.Features: 2 variables, 1 rows, 2 edges; 15, 4 and 1 features>
    >>> graph.variables.shape, graph.rows.shape, graph.edges.shape
    ((2, 15), (1, 4), (2, 1))
    >>> graph.edge_index
    array([[0, 0],
           [0, 1]])
    """
    made = _native.features(
        extract(model).model, set=set, relaxation=relaxation, solver=solver, time_limit=time_limit
    )
    return Features(
        edge_index=np.stack([made.pop("edge_rows"), made.pop("edge_columns")]),
        **made,
    )
