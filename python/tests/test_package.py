"""The package as a whole: notebooks, examples, the program, and what importing it costs."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import idpas

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent


@pytest.mark.parametrize("name", ["", "._arrays", "._solve", "._graph"])
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(f"idpas{name}")
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("path", sorted((HERE.parent / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebooks_run(path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs and not any(output.output_type == "error" for output in outputs)


def test_the_readmes_example_runs(instances: Path, tmp_path: Path) -> None:
    text = (REPOSITORY / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    (tmp_path / "history").symlink_to(instances)
    code = code.replace("time_limit=60", "time_limit=1")
    (tmp_path / "today.mps.gz").symlink_to(instances / "inst_0001.mps.gz")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# What the examples of docs/python.md expect to be there: a model for each tool, and a guide.
BEFORE = {
    "pyomo.environ": """
import os
import pyomo.environ as pyo

model = pyo.ConcreteModel()
model.truck = pyo.Var(range(8), domain=pyo.Binary)
model.weight = pyo.Constraint(expr=sum((3 + k % 4) * model.truck[k] for k in range(8)) >= 15)
model.cost = pyo.Objective(expr=sum((10 + k % 5) * model.truck[k] for k in range(8)))
os.link("trucks.safetensors", "guide.safetensors")
""",
    "idpas.pulp": """
import pulp

problem = pulp.LpProblem("trucks")
truck = pulp.LpVariable.dicts("truck", range(8), cat="Binary")
problem += pulp.lpSum((10 + k % 5) * truck[k] for k in range(8))
problem += pulp.lpSum((3 + k % 4) * truck[k] for k in range(8)) >= 15, "load"
""",
}


def test_the_examples_of_the_guide_run(tmp_path: Path) -> None:
    for tool in ("highspy", "pyomo", "pulp"):
        pytest.importorskip(tool)
    text = (REPOSITORY / "docs" / "python.md").read_text()
    _overview, *examples = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(examples) == 3
    code = ""
    for example in examples:
        code += "".join(before for tool, before in BEFORE.items() if tool in example) + example
    code = code.replace("=60", "=2").replace(": 60", ": 2")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "optimal" in done.stdout and "Optimal" in done.stdout, done.stdout


def test_the_program_is_inside() -> None:
    done = subprocess.run([sys.executable, "-m", "idpas", "--version"], capture_output=True, text=True)
    assert done.stdout == f"idpas {idpas.__version__}\n"
    wrong = subprocess.run([sys.executable, "-m", "idpas", "solve", "missing.mps"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "missing.mps" in wrong.stderr


def test_importing_it_loads_no_tool_and_costs_little_beyond_numpy() -> None:
    code = (
        "import sys, time; import numpy; t = time.perf_counter(); import idpas; s = time.perf_counter() - t;"
        "tools = ['scipy', 'pandas', 'tqdm', 'pyomo', 'highspy', 'gurobipy', 'pulp', 'linopy', 'ortools', 'pyscipopt'];"
        "assert not [tool for tool in tools if tool in sys.modules]; print(s)"
    )
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    assert min(times) < 0.2
