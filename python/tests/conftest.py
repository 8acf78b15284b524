"""Models that many tests use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import idpas


@pytest.fixture
def knapsack() -> idpas.Model:
    return idpas.model(
        name="knapsack",
        cost=[3, 4, 5],
        matrix=[[2, 3, 4]],
        row_upper=[6],
        upper=1,
        integer=True,
        maximize=True,
        column_names=["x", "y", "z"],
        row_names=["weight"],
    )


@pytest.fixture(scope="session")
def instances(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six tiny instances of a family."""
    folder = tmp_path_factory.mktemp("instances") / "tiny"
    words = ["generate", "mmcnp", "--size", "tiny", "--count", "6", "--out", str(folder), "-q"]
    subprocess.run([sys.executable, "-m", "idpas", *words], check=True)
    return folder


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory, instances: Path) -> idpas.Family:
    """A family that is collected."""
    folder = tmp_path_factory.mktemp("family")
    family = idpas.Family(folder / "pools", shutil.copytree(instances, folder / "instances"), split=(4, 1, 1))
    made = family.collect(time_limit=1, workers=2, progress=False)
    assert made["made"] == 6
    return family


@pytest.fixture(scope="session")
def guide(family: idpas.Family) -> idpas.Guide:
    return idpas.train(family, predictor="nearest", progress=False)
