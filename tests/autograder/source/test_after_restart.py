"""After a restart every cell of every notebook that fails shows, in its traceback, which cells to run first."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from autograder.source.after_restart import REMARK, WIDEST, remarked, unremarked
from tests.paths import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Runs each cell in a namespace of its own, as the first one after a restart; prints what each showed.
RUNNER = """
import contextlib, io, json, sys, warnings
cells = json.loads(sys.stdin.read())
if sys.argv[1] == "absent":  # also where the course is installed
    sys.modules["course_utils"] = None
from IPython.core.interactiveshell import InteractiveShell
shell, shown = InteractiveShell.instance(colors="nocolor"), []
for cell in cells:
    shell.reset(new_session=False)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = shell.run_cell(cell)
    shown.append([type(result.error_in_exec or result.error_before_exec).__name__, out.getvalue()])
sys.__stdout__.write(json.dumps(shown))
"""


def cells_of(path: Path) -> list[str]:
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def run_alone(cells: list[str], folder: Path, course: str) -> list[list[str]]:
    """What each cell shows when it is the first: the error's type, or NoneType, and the output."""
    command = [sys.executable, "-c", RUNNER, course]
    environment = {
        "HOME": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        command, input=json.dumps(cells), capture_output=True, text=True, cwd=folder, env=environment, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("course", "notebooks"),
    [
        ("absent", [path for path in NOTEBOOKS if path.stem.startswith("02")]),
        pytest.param("absent", NOTEBOOKS, marks=pytest.mark.slow),
        pytest.param("importable", NOTEBOOKS, marks=pytest.mark.slow),
    ],
    ids=["half a notebook", "all, no course", "all"],
)
def test_any_cell_that_is_run_first_says_what_to_run_before(course: str, notebooks: list[Path], tmp_path: Path) -> None:
    cells = [cell for path in notebooks for cell in cells_of(path)[1 :: 2 if len(notebooks) == 1 else 1]]
    cells = [cell for cell in cells if not (course == "importable" and " = start(" in cell)]
    shown = run_alone(cells, tmp_path, course)
    failed = [(kind, output, cell) for (kind, output), cell in zip(shown, cells, strict=True) if kind != "NoneType"]
    assert len(failed) > 0.8 * len(cells), "cells that need nothing are few"
    for kind, output, cell in failed:
        assert kind in ("NameError", "ModuleNotFoundError"), output
        assert REMARK in output, f"{cell[:300]}\n{output[-1500:]}"


def test_a_kernel_shows_it_in_the_error_that_a_front_end_gets(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(remarked('check("attention")'))])
    with pytest.raises(CellExecutionError):
        NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    (error,) = [one for one in notebook.cells[0].outputs if one.output_type == "error"]
    text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback))
    assert error.ename == "NameError" and REMARK in text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import math\nx = math.pi\nshow(x)", 3),
        ("import torch\n\n\ndef f(x: torch.Tensor):\n    return later(x)", 0),
        ("def f(x):\n    return later(x)\n\n\nf(1)", 5),
        ("def f(x: Tensor):\n    return x", 1),
        ("@decorate\ndef f(x):\n    return x", 1),
        ("class A(nn.Module):\n    size = 1", 1),
        ("class A:\n    size = SIZE", 2),
        ("rows = [x for x in data]", 1),
        ("rows = [x for x in range(3)]\nprint(rows)", 0),
        ("for a, b in [(1, 2)]:\n    print(a + b)", 0),
        ("with open('x') as f:\n    f.read()", 0),
        ("count = count + 1", 1),
        ("count += 1", 1),
        ("try:\n    pass\nexcept ValueError as error:\n    print(error)", 0),
        ("g = lambda x: x + later", 0),
        ("import numpy as np\nimport course_utils.plots\nplots.show()", 3),
        ("%matplotlib inline\nshow()", 2),
    ],
)
def test_the_remark_stands_where_the_cell_fails_first(text: str, line: int) -> None:
    made = remarked(text)
    found = [number for number, one in enumerate(made.split("\n"), 1) if REMARK in one]
    assert found == ([line] if line else []) and unremarked(made) == text


def test_a_line_without_room_has_the_remark_above_its_statement() -> None:
    commented, long = "show(1)  # (B, T)", f"show({'1' * (WIDEST - 20)})"
    inside = 'print(f"""\n{later}\n""")'
    for text in (commented, long, inside):
        made = remarked(text)
        assert made.split("\n")[0] == REMARK and unremarked(made) == text
    indented = "import math\nif True:\n    show(1)  # here"
    assert remarked(indented).split("\n")[1] == REMARK
