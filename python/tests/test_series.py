"""Series: each instance is solved with what those before it have taught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import idpas


def orders(demand: float) -> idpas.Model:
    """So much must be covered by lots of 2 and of 4."""
    return idpas.model(
        cost=[3, 4], matrix=[[2, 4]], row_lower=[demand], upper=9, integer=True, column_names=["two", "four"], name="orders"
    )


def test_a_series_goes_on(tmp_path: Path) -> None:
    series = idpas.Series(tmp_path / "state", time_limit=5)
    assert series.guide is None and series.records == []
    seen: list[idpas.Incumbent] = []
    first = series.solve(orders(5), on_incumbent=seen.append)
    assert first.status == "optimal" and first.objective == 7 and first["two"] == 1
    assert seen and seen[-1].objective == 7
    assert first.report["series"]["is_recorded"] and Path(first.report["series"]["solution"]).exists()
    series.solve(orders(9), name="more")

    del series
    again = idpas.Series(tmp_path / "state", time_limit=5)
    assert [record["name"] for record in again.records] == ["orders", "more"]
    assert again.records[0]["way"] == "solver"
    assert again.guide is not None and again.guide.kind == "nearest"
    # What was learned serves elsewhere, too.
    assert idpas.solve(orders(7), guide=again.guide, time_limit=5).objective == 8


def test_files_and_the_solver_beside(tmp_path: Path) -> None:
    path = tmp_path / "monday.mps.gz"
    orders(5).write(path)
    series = idpas.Series(tmp_path / "state", time_limit=5, compare=True)
    series.solve(path)
    (record,) = series.records
    assert record["name"] == "monday" and record["solver"]["objective"] == 7
    assert series.summary()["all"]["compared"]["ours"]["instances"] == 1


def test_refusals(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("x")
    with pytest.raises(idpas.SolveError, match="is not empty and holds no series"):
        idpas.Series(tmp_path)
    with pytest.raises(idpas.SolveError, match="time limit"):
        idpas.Series(tmp_path / "state", time_limit=0)
    with pytest.raises(idpas.SolveError, match="no way to solve"):
        idpas.Series(tmp_path / "state", way="luck")
    series = idpas.Series(tmp_path / "state", time_limit=1)
    with pytest.raises(idpas.SolveError, match="another process goes on"):
        idpas.Series(tmp_path / "state", time_limit=1)

    def fails(_: Any) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        series.solve(orders(5), on_incumbent=fails)
