"""What holds for every notebook of the course: built from its source, leaking nothing, running to its end while unsolved."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import course_utils
from autograder.source.build import source_notebook, student_is_solution_minus_answers, student_notebook
from autograder.source.percent import python, strip_markers
from tests.paths import ROOT
from tests.sources import course_sources

SOURCES = course_sources()
IDS = [source.name for source in SOURCES]
# Modules of packages too: an answer in course_utils.lessons could be imported like any other.
MODULES = [importlib.import_module(m.name) for m in pkgutil.walk_packages(course_utils.__path__, "course_utils.")]

RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
client = NotebookClient(notebook, timeout=300, kernel_name="python3")
client.comm_open_handlers.clear()  # see autograder/source/rendering.py: sliders are left alone
client.execute()
print("\\n".join(out.get("text", "") for cell in notebook.cells for out in cell.get("outputs", [])))
"""


def test_every_module_is_looked_through():
    files = [path for path in (ROOT / "course_utils").rglob("*.py") if path.name != "__init__.py"]
    assert set(files) <= {Path(str(module.__file__)) for module in MODULES}


@pytest.mark.parametrize("source", SOURCES, ids=IDS)
def test_student_notebook_is_the_solution_minus_answers(source):
    notebook = source_notebook(source)
    assert student_is_solution_minus_answers(notebook, student_notebook(source))
    committed = nbformat.read(ROOT / "notebooks" / f"{source.name}.ipynb", as_version=4)
    assert student_is_solution_minus_answers(notebook, committed), "run 'make notebooks'"


@pytest.mark.parametrize("source", SOURCES, ids=IDS)
def test_committed_notebook_has_no_outputs(source):
    committed = nbformat.read(ROOT / "notebooks" / f"{source.name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in committed.cells)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=IDS)
def test_unsolved_notebook_runs_to_its_end(source, tmp_path):
    """Every check says that nothing is written yet, and no cell raises."""
    path = tmp_path / f"{source.name}.ipynb"
    path.write_bytes((ROOT / "notebooks" / path.name).read_bytes())
    env = {k: v for k, v in os.environ.items() if k != "NBGRADER_EXECUTION"} | {
        "COURSE_DIR": str(ROOT),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for cell in source.cells:
        if cell.role == "check" and cell.marks["points"]:
            assert f"✓ {cell.exercise}" not in done.stdout, f"{cell.exercise} passes without an answer"


def defined(text: str) -> dict[str, ast.AST]:
    """Functions and classes that an answer defines, by name."""
    tree = python(text)
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)} if tree else {}


def parameters(node: ast.AST) -> list[str]:
    """Parameter names of a function, or of a class's constructor."""
    inits = [n for n in getattr(node, "body", []) if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    args = (
        (inits[0] if isinstance(node, ast.ClassDef) and inits else node).args
        if inits or hasattr(node, "args")
        else None
    )
    names = (
        [a.arg for a in [*args.posonlyargs, *args.args, *([args.vararg] if args.vararg else []), *args.kwonlyargs]]
        if args
        else []
    )
    names += [args.kwarg.arg] if args and args.kwarg else []
    return names[1:] if isinstance(node, ast.ClassDef) else names


ANSWERS = [(s.name, c.exercise, c.text) for s in SOURCES for c in s.cells if c.role == "answer"]


@pytest.mark.parametrize(("notebook", "exercise", "text"), ANSWERS, ids=[f"{n}-{e}" for n, e, _ in ANSWERS])
def test_no_answer_can_be_imported(notebook, exercise, text):
    """Nothing in course_utils has an answer's name and parameters, nor three lines of its text in a row."""
    for name, node in defined(strip_markers(text)).items():
        for module in MODULES:
            found = getattr(module, name, None)
            if inspect.isfunction(found) or inspect.isclass(found):  # a command called pretrain, a world's generate
                assert parameters(node) != list(inspect.signature(found).parameters), f"{module.__name__}.{name}"
    lines = [line.strip() for line in strip_markers(text).splitlines() if len(line.strip()) > 24]
    runs = {"\n".join(lines[i : i + 3]) for i in range(len(lines) - 2)}
    for module in MODULES:
        source = "\n".join(line.strip() for line in inspect.getsource(module).splitlines() if len(line.strip()) > 24)
        assert not [run for run in runs if run in source], module.__name__
