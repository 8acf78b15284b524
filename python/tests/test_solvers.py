"""Solvers that are loaded while the program runs, from Python."""

from __future__ import annotations

import pytest

import idpas
from idpas import _native


def test_scip_passes_the_suite_of_every_backend() -> None:
    pytest.importorskip("pyscipopt")
    cases = _native._conformance("scip")
    assert len(cases) > 50
    assert [case for case in cases if case[1] is not None] == []


def test_scip_solves_with_and_without_the_search(knapsack: idpas.Model) -> None:
    pytest.importorskip("pyscipopt")
    for method in ("solver", "idpas"):
        result = idpas.solve(knapsack, time_limit=10, method=method, solver="scip")
        assert (result.status, result.objective) == ("optimal", 8.0)
        assert result.report["solver"].startswith("scip ")


def test_a_solver_that_nobody_knows(knapsack: idpas.Model) -> None:
    with pytest.raises(Exception, match="unknown solver `none`; known: highs, scip"):
        idpas.solve(knapsack, solver="none")
