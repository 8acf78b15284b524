"""Families: instances of the same kind that were solved before."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from idpas import _native
from idpas._extract import extract
from idpas._guide import Guide
from idpas._log import log
from idpas._native import FamilyError
from idpas._program import program
from idpas._progress import Progress
from idpas._solve import values_of


class Family:
    """A folder of pools: good solutions of every instance. It is the folder of ``idpas collect``, too."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        instances: str | os.PathLike[str] | None = None,
        *,
        split: tuple[int, int, int] = (80, 20, 0),
        seed: int = 0,
    ) -> None:
        """Opens a folder of pools, or begins one.

        ``instances`` is a folder of model files, if they are not added one by one. ``split`` deals instances out for
        training, validation and test.
        """
        self.folder = Path(folder)
        self._instances = None if instances is None else Path(instances)
        self._split = {"proportions": dict(zip(("train", "validation", "test"), split)), "seed": seed}

    def add(self, model: Any, solutions: Any = (), *, name: str | None = None) -> int:
        """Adds an instance, with solutions that are known, and gives how many of them are kept.

        ``model`` is a path, an :class:`idpas.Model`, or a model of a tool. Each solution is an array, a mapping from names,
        a file, or a :class:`idpas.Result`; one that is not feasible is refused with a message.
        """
        source = extract(model)
        if name is None:
            if isinstance(model, (str, os.PathLike)):
                name = re.sub(r"(\.mps|\.lp)?(\.gz)?$", "", Path(model).name)
            else:
                name = self._next_name(source.model.name)
        one = not isinstance(solutions, Iterable) or isinstance(solutions, (str, os.PathLike, dict))
        listed = [solutions] if one else list(solutions)
        if listed and isinstance(listed[0], (int, float)):
            listed = [listed]
        values = [values_of(solution, source.model) for solution in listed]
        kept, refused = _native.add(
            self.folder,
            self.folder / "instances",
            name,
            source.model,
            values,
            settings="{}",
            split=json.dumps(self._split),
        )
        for why in refused:
            log.warning("%s: %s", name, why)
        return kept

    def _next_name(self, of_model: str) -> str:
        known = self.names
        base = re.sub(r"[^A-Za-z0-9_.+-]", "_", of_model) or "instance"
        if of_model and base not in known:
            return base
        number = len(known) + 1
        while f"{base}_{number:04}" in known:
            number += 1
        return f"{base}_{number:04}"

    @property
    def names(self) -> list[str]:
        """The names of the instances."""
        manifest = self._manifest()
        return [] if manifest is None else sorted(manifest["instances"])

    def _manifest(self) -> dict[str, Any] | None:
        try:
            manifest: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text())
            return manifest
        except FileNotFoundError:
            return None

    def __len__(self) -> int:
        return len(self.names)

    def collect(
        self,
        time_limit: float = 60.0,
        *,
        budget: float | None = None,
        workers: int | None = None,
        pool: int = 50,
        threads: int = 1,
        seed: int = 0,
        solver: str = "highs",
        memory_limit: int | None = None,
        progress: bool = True,
    ) -> dict[str, Any]:
        """Solves all instances for good solutions, which learn from each other, and keeps them in the folder.

        ``time_limit`` is the mean for an instance, in seconds; ``budget`` the whole by the clock, in its place. Call it
        again to go on; Ctrl-C keeps what is done. ``solver`` is as in :func:`idpas.solve`. Gives how many pools were made, and
        what failed.
        """
        request = {
            "settings": {"time_limit": time_limit, "pool": pool, "threads": threads, "seed": seed, "solver": solver},
            "budget": budget,
            "workers": workers,
            "memory_limit": memory_limit,
            # Who is in which set does not change.
            "split": (self._manifest() or {"split": self._split})["split"],
        }
        with tempfile.TemporaryDirectory() as place, Progress("collect", progress) as bar:

            def listen(kind: str, contents: dict[str, Any]) -> None:
                if kind == "used":
                    bar.total(contents["budget"])
                    bar.done(contents["seconds"])
                elif kind == "made":
                    text = f"{contents['name']}: {contents['solutions']} solutions, best {contents['best']:.6g}"
                    log.info("%s", text)
                    bar.say(text)
                elif kind in ("failed", "retried"):
                    log.warning("%s: %s", contents["name"], contents["text"])
                elif kind == "notice":
                    log.warning("%s", contents["text"])

            return _native.collect(
                self.folder, self._inputs(Path(place)), program=program(), request=json.dumps(request), listener=listen
            )

    def _inputs(self, place: Path) -> Path:
        """Where the instances are: in the folder that was given, with those that were added, or where the manifest says."""
        manifest = self._manifest()
        if self._instances is not None:
            return self._instances
        if manifest is None:
            raise FamilyError(f"{self.folder}: no instances yet; add some, or name a folder of them")
        listed = place / "instances.txt"
        files = [(self.folder / entry["file"]).resolve() for entry in manifest["instances"].values()]
        listed.write_text("".join(f"{file}\n" for file in files))
        return listed

    def status(self) -> dict[str, Any]:
        """How far the collection is, and how the labels grew from round to round."""
        status: dict[str, Any] = json.loads(_native.status(self.folder))
        return status

    def __repr__(self) -> str:
        return f"<idpas.Family {str(self.folder)!r}: {len(self)} instances>"


def train(
    family: Family | str | os.PathLike[str],
    *,
    predictor: str = "gnn",
    identity: bool | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    time_limit: float | None = None,
    epochs: int | None = None,
    threads: int | None = None,
    instances: str | os.PathLike[str] | None = None,
    progress: bool = True,
    **settings: Any,
) -> Guide:
    """Trains a guide: a graph network (``gnn``), or ``prop``, ``zero-frequency``, ``nearest``.

    With ``out`` the model is written there, and an interrupted training can be resumed. Ctrl-C ends a training with the
    best weights so far. Other ``settings`` are those of the table ``[train]`` in studies, such as ``rate`` or ``batch``.
    """
    folder = family.folder if isinstance(family, Family) else Path(family)
    settings.update({"epochs": epochs, "time_limit": time_limit})
    request = {
        "predictor": predictor,
        "identity": identity,
        "settings": {name: value for name, value in settings.items() if value is not None},
        "out": None if out is None else os.fspath(out),
        "resume": resume,
        "threads": threads,
        "instances": None if instances is None else os.fspath(instances),
    }
    with Progress("train", progress) as bar:

        def listen(kind: str, *what: Any) -> None:
            if kind == "epoch":
                epoch, epochs, loss = what
                bar.total(epochs)
                bar.done(epoch)
                bar.say(f"loss {loss:.4f}")
                log.info("epoch %d: loss %.4f", epoch, loss)

        return Guide(_native.train(folder, request=json.dumps(request), listener=listen))
