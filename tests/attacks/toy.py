"""A toy course of three exercises (8 points) for the judge's tests and the attacks, right answers and wrong ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.records import Check, Job

SETUP = "import numpy as np"  # no torch: its import would be most of the time of every test

RIGHT = {
    "mean": "def mean(values):\n    return sum(values) / len(values)",
    "softmax": (
        "def softmax(x):\n    x = np.asarray(x)\n    e = np.exp(x - x.max(-1, keepdims=True))\n"
        "    return e / e.sum(-1, keepdims=True)"
    ),
    "double": "def double(values):\n    return [2 * v for v in values]",
}
WRONG = {
    "mean": "def mean(values):\n    return 0.5",
    "softmax": "def softmax(x):\n    return np.asarray(x)",
    "double": "def double(values):\n    return values",
}
STUB = {
    name: f"def {name}(*args):\n    raise NotImplementedError('write {name} and delete this line')" for name in RIGHT
}
POINTS = {"mean": 2.0, "softmax": 3.0, "double": 3.0}

CHECKS = {
    "mean": """
with check("mean", forbid=("fmean",)) as c:
    for size in range(1, 9):
        values = [c.rng.random() for _ in range(size)]
        c.close(student.mean(values), sum(values) / size, "divide by the number of values")
""",
    "softmax": """
import numpy as np
with check("softmax") as c:
    for _ in range(8):
        x = c.np_rng.normal(size=(3, 5)) * 10
        e = np.exp(x - x.max(-1, keepdims=True))
        c.close(student.softmax(x), e / e.sum(-1, keepdims=True), "every row sums to one")
""",
    "double": """
with check("double") as c:
    rows = [[c.rng.randrange(-99, 99) for _ in range(size)] for size in range(1, 9)]
    right = 0
    for row, got in zip(rows, student.map(student.double, [(row,) for row in rows])):
        assert type(got) is list, "return a list"
        right += got == [2 * v for v in row]
    c.credit(right / len(rows))
""",
}


def code_cell(name: str, source: str, tags: tuple[str, ...] = ()) -> dict[str, Any]:
    """An nbformat code cell."""
    metadata = {"tags": list(tags)} if tags else {}
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata,
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def notebook(answers: Mapping[str, str], before: str = "", tags: tuple[str, ...] = ()) -> dict[str, Any]:
    """The toy notebook; ``before`` is an extra cell of the student's, ``tags`` stand on every check cell."""
    cells = [code_cell("00-001", SETUP), code_cell("extra-1", before)]
    for name in RIGHT:
        cells.append(code_cell(f"answer-{name}", answers.get(name, STUB[name])))
        cells.append(code_cell(f"check-{name}", f"with check({name!r}) as c:\n    pass", tags))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def marked(book: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the metadata that nbgrader gives answer and check cells."""
    for cell in book["cells"]:
        role, _, exercise = str(cell["id"]).partition("-")
        if role not in ("answer", "check"):
            continue
        mark: dict[str, Any] = {"grade_id": cell["id"], "schema_version": 3, "cell_type": "code", "task": False}
        mark |= {"solution": role == "answer", "grade": role == "check", "locked": role == "check"}
        cell["metadata"]["nbgrader"] = mark | ({"points": POINTS.get(exercise, 1.0)} if role == "check" else {})
    return book


def skeleton() -> dict[str, Any]:
    """The released notebook: stubs, and nothing of a student's."""
    book = marked(notebook({}))
    book["cells"] = [cell for cell in book["cells"] if cell["id"] != "extra-1"]
    return book


def checks(timeout: float = 10.0, **changed: str) -> dict[str, Check]:
    """The release's checks, some of them with another text."""
    texts = {**CHECKS, **changed}
    return {name: Check(name, text, "", POINTS.get(name, 1.0), timeout) for name, text in texts.items()}


def job(folder: Path, book: dict[str, Any], found: Mapping[str, Check] | None = None, seed: int | None = 5) -> Job:
    """A job below ``folder``: the real ``course_utils`` as public part, empty files and private folders."""
    public, files, private = folder / "public", folder / "files", folder / "private"
    for path in (public, files, private):
        path.mkdir(parents=True, exist_ok=True)
    link = public / "course_utils"
    if not link.exists():
        import shutil

        import course_utils

        shutil.copytree(Path(course_utils.__file__).parent, link, ignore=shutil.ignore_patterns("__pycache__"))
    return Job("ada", "00_toy", book, files, found or checks(), public, private, seed)
