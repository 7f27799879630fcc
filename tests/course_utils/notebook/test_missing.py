"""A name that is not defined yet: the sentence names the cell that makes it, below the usual traceback."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from course_utils.notebook.missing import sentence
from course_utils.notebook.session import waits_for
from tests.paths import ROOT

NOTEBOOK = ROOT / "notebooks" / "01_attention.ipynb"


def written(folder: Path, *cells: tuple[str, str, dict]) -> Path:
    path = folder / "n.ipynb"
    made = [
        {"cell_type": kind, "source": text.splitlines(keepends=True), "metadata": more} for kind, text, more in cells
    ]
    path.write_text(json.dumps({"cells": made}))
    return path


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("keys = 1", True),
        ("with waits_for('x'):\n    keys = 1", True),
        ("for keys in range(3):\n    pass", True),
        ("from a import b as keys", True),
        ("def keys():\n    pass", True),
        ("values, keys = 1, 2", True),
        ("%matplotlib inline\nkeys = 1", True),
        ("def f():\n    keys = 1", False),
        ("rows = [keys for keys in range(3)]", False),
        ("print(keys)", False),
        ("keys = = 1", False),
    ],
)
def test_the_cell_that_makes_a_name_is_found(text: str, made: bool, tmp_path: Path) -> None:
    path = written(tmp_path, ("markdown", "## 2. Keys\nText.", {}), ("code", text, {}))
    words = sentence("keys", path)
    assert bool(words) == made
    assert not made or (repr(text.split("\n")[0]) in words and '"2. Keys"' in words)


def test_an_answer_is_called_by_its_exercise_and_damaged_files_give_nothing(tmp_path: Path) -> None:
    about = {"course": {"role": "answer", "exercise": "averaging"}}
    path = written(tmp_path, ("code", "def mean(x):\n    return x", about))
    assert sentence("mean", path).startswith("mean is made by the cell with your answer to averaging.")
    assert sentence("other", path) == "" == sentence("mean", tmp_path / "absent.ipynb")
    for damaged in ("", "[]", '{"cells": 3}', '{"cells": [{}]}', '{"cells": [{"cell_type": "code", "source": [1]}]}'):
        path.write_text(damaged)
        assert sentence("mean", path) == ""


def test_a_kernel_prints_it_below_the_traceback_of_a_cell_that_came_too_early(tmp_path: Path, monkeypatch) -> None:
    """The first two cells have run since the restart, those between them and this one have not."""
    for name in ("NBGRADER_EXECUTION", "COURSE_GRADING", "JPY_SESSION_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_DIR", str(ROOT))
    begin = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"][:2]
    (tmp_path / NOTEBOOK.name).write_bytes(NOTEBOOK.read_bytes())
    late = ["attention(1, 2, 3)", "with waits_for('attention'):\n    attention(1, 2, 3)", "print(nobody_makes_this)"]
    cells = [nbformat.v4.new_code_cell(text) for text in [*begin, *late]]
    notebook = nbformat.v4.new_notebook(cells=cells)
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, resources=where).execute()
    plain, waiting, unknown = (cell.outputs for cell in notebook.cells[-3:])
    told = "attention is made by the cell with your answer to attention. Run it first"
    assert plain[0].output_type == "error" and plain[0].ename == "NameError"
    assert told in plain[1].text
    assert told in waiting[0].text and "Look at the check" not in waiting[0].text
    assert [one.output_type for one in unknown] == ["error"]


def test_without_a_course_waits_for_says_what_it_said(capsys: pytest.CaptureFixture[str]) -> None:
    with waits_for("averaging"):
        raise NameError("name 'x' is not defined", name="x")
    assert "Look at the check of averaging first" in capsys.readouterr().out
