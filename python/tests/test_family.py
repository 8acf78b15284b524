"""From instances to a guide and back."""

from __future__ import annotations

import logging
import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest

import idpas


def test_a_guide_leads_a_solve(family: idpas.Family, guide: idpas.Guide, instances: Path) -> None:
    assert len(family) == 6 and family.status()["done"] == 6
    assert guide.kind == "nearest" and "4 instances" in repr(guide)
    path = instances / "inst_0006.mps.gz"
    result = idpas.solve(path, guide, time_limit=3)
    assert result.method == "idpas" and result.objective is not None
    table = result.table()
    assert len(table) == len(result.names)
    scores = guide.predict(path)
    assert scores.shape == (len(result.names),) and np.nanmin(scores) >= 0 and np.nanmax(scores) <= 1


def test_a_guide_is_saved_tuned_and_pickled(family: idpas.Family, guide: idpas.Guide, tmp_path: Path) -> None:
    assert guide.settings is None
    tuned = pickle.loads(pickle.dumps(guide)).tune(family, time_limit=1, count=1, budget=4, progress=False)
    assert tuned.settings is not None and tuned.settings["method"] == "idpas"
    path = tmp_path / "guide.safetensors"
    tuned.save(path)
    assert idpas.Guide.load(path).settings == tuned.settings
    assert pickle.loads(pickle.dumps(tuned)).settings == tuned.settings
    guide.save(path)
    assert idpas.Guide.load(path).settings is None


def test_instances_are_added_one_by_one(instances: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    family = idpas.Family(tmp_path / "pools", split=(3, 1, 0))
    assert len(family) == 0
    for file in sorted(instances.glob("*.mps.gz"))[:4]:
        solved = idpas.solve(file, time_limit=2)
        assert family.add(idpas.read(file), solutions=[solved], name=file.name.partition(".")[0]) == 1
    assert family.names == [f"inst_000{k}" for k in range(1, 5)]
    wrong = np.full(idpas.read(file).num_columns, 1e6)
    with caplog.at_level(logging.WARNING, "idpas"):
        assert family.add(file, solutions=[wrong]) == 0
    assert "solution 0" in caplog.text
    # What was added is enough to learn from, and what is learned serves the next one.
    guide = idpas.train(family, predictor="zero-frequency", progress=False)
    assert idpas.solve(instances / "inst_0006.mps.gz", guide, time_limit=2).objective is not None
    made = family.collect(time_limit=1, workers=2, progress=False)
    assert made["total"] == 4 and not made["failed"]


def test_a_network_is_trained(family: idpas.Family, tmp_path: Path) -> None:
    out = tmp_path / "guide.safetensors"
    guide = idpas.train(family, epochs=2, embedding=8, heads=2, out=out, progress=False)
    assert guide.kind == "gnn" and out.exists()
    with pytest.raises(idpas.FamilyError, match="epoch"):
        idpas.train(family, epoch=2, progress=False)


def test_progress_is_shown_where_tqdm_is(family: idpas.Family, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    idpas.train(family, epochs=1, embedding=8, heads=2)
    assert "train" in capfd.readouterr().err
    idpas.train(family, epochs=1, embedding=8, heads=2, progress=False)
    assert capfd.readouterr().err == ""


def test_an_empty_folder_is_no_family(tmp_path: Path) -> None:
    with pytest.raises(idpas.FamilyError, match="no instances yet"):
        idpas.Family(tmp_path / "none").collect()
    with pytest.raises(idpas.FamilyError, match="no folder of pools"):
        idpas.train(idpas.Family(tmp_path / "none"))


def test_hints_go_into_the_tool(guide: idpas.Guide, instances: Path) -> None:
    highspy = pytest.importorskip("highspy")
    highs = highspy.Highs()
    highs.silent()
    model = idpas.read(instances / "inst_0006.mps.gz")
    path = instances.parent / "hint.mps"
    model.write(path)
    highs.readModel(str(path))
    given = idpas.hint(highs, guide)
    assert given.start is not None and len(given.start) == model.num_columns
    assert given.scores is not None
    highs.run()
    assert highs.getInfo().objective_function_value > 0


def test_hints_are_returned_where_the_tool_has_no_place_for_them(guide: idpas.Guide) -> None:
    linopy = pytest.importorskip("linopy")
    model = linopy.Model()
    model.add_objective(model.add_variables(0, 1, name="x", integer=True) * 1)
    given = idpas.hint(model, guide)
    assert given.scores is None or len(given.scores) == 1


def _guided(path: str, guide: str) -> float:
    found = idpas.Guide.load(guide)
    found.predict(path, threads=2)
    return idpas.solve(path, found, time_limit=2).objective or 0.0


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes_of_both_kinds(family: idpas.Family, instances: Path, tmp_path: Path, way: str) -> None:
    guide = str(tmp_path / "guide.safetensors")
    idpas.train(family, epochs=1, embedding=8, heads=2, progress=False).save(guide)
    path = str(instances / "inst_0001.mps.gz")
    # What this process has begun must not keep a copy of it waiting.
    own = _guided(path, guide)
    with multiprocessing.get_context(way).Pool(1) as pool:
        assert pool.apply_async(_guided, (path, guide)).get(timeout=60) == pytest.approx(own, rel=0.05)


def test_a_study_is_run_and_reported(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'name = "s"\ntime_limit = 0.5\nmethods = ["solver"]\n'
        '[[benchmark]]\nname = "tiny"\nfamily = "mmcnp"\nsize = "tiny"\ntest = 2\n'
    )
    numbers = idpas.evaluate(study, tmp_path / "results", progress=False)
    assert [benchmark["name"] for benchmark in numbers["benchmarks"]] == ["tiny"]
    assert idpas.report(tmp_path / "results")["study"] == "s"
    assert "<html" in (tmp_path / "results" / "report.html").read_text()
    with pytest.raises(idpas.StudyError, match="no benchmark is called `big`"):
        idpas.evaluate(study, tmp_path / "results", only=["big"], progress=False)
