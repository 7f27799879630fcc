"""A tiny course for the tests of the instructor's side: made by nbgrader, judged by a fake that reads the answers."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.intake.discover import Found, Intake, take_in
from autograder.records import Check, Job, Result, Verdict

NAME = "07_knowledge"
SECRET = "secret_expected_value_42"
HIDDEN = f"    ### BEGIN HIDDEN TESTS\n    c.equal(student.london(41), '{SECRET}', 'hidden hint')\n    ### END HIDDEN TESTS\n"
LONG = """
def attention(queries, keys, values, mask=None):
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ values, weights
"""  # an answer so long that two equal ones say something
WRITTEN = "**Your answer · why**\n\n*Write your answer here.*"


def _cell(kind: str, key: str, source: str, **mark: Any) -> dict[str, Any]:
    metadata = (
        {"nbgrader": {"grade_id": key, "schema_version": 3, "cell_type": kind, "task": False, **mark}} if mark else {}
    )
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": key, "metadata": metadata, "source": source, **extra}


def notebook(hidden: bool) -> dict[str, Any]:
    """Two exercises of 2 and 3 points and a written one of 1, with or without the hidden tests."""
    cells = [_cell("markdown", "07-001", "# Knowledge"), _cell("code", "07-002", "import math")]
    for name, points in (("london", 2), ("paris", 3)):
        stub = f'def {name}(x):\n    raise NotImplementedError("write {name}")'
        check = f'with check("{name}") as c:\n    c.equal(student.{name}(1), 2, "add one")\n' + (
            HIDDEN if hidden else ""
        )
        cells.append(_cell("code", f"answer-{name}", stub, grade=False, solution=True, locked=False))
        mark = {"grade": True, "solution": False, "locked": True, "points": points}
        cells.append(_cell("code", f"check-{name}", check.rstrip("\n"), **mark))
    cells.append(_cell("markdown", "written-why", WRITTEN, grade=True, solution=True, locked=False, points=1))
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}


@dataclass
class FakeRelease:
    """A release folder with one assignment."""

    root: Path
    id: str = "r1"

    def skeleton(self, assignment: str) -> dict[str, Any]:
        return notebook(hidden=False)

    def checks(self, assignment: str) -> dict[str, Check]:
        cells = {one["id"]: one["source"] for one in notebook(hidden=True)["cells"]}
        seen = {one["id"]: one["source"] for one in notebook(hidden=False)["cells"]}
        points = {"london": 2.0, "paris": 3.0}
        return {k: Check(k, cells[f"check-{k}"], seen[f"check-{k}"], p) for k, p in points.items()}


@functools.cache
def _template() -> Path:
    """A release whose gradebook nbgrader's own generate_assignment has filled; made once per test process."""
    from autograder.release.nbgrader_db import open_api

    root = Path(tempfile.mkdtemp(prefix="tiny-release-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    source = root / "instructor" / "source" / NAME
    source.mkdir(parents=True)
    (root / "student").mkdir()
    (root / "private" / NAME).mkdir(parents=True)
    (root / "release.json").write_text(json.dumps({"seed": 12345}))
    (source / f"{NAME}.ipynb").write_text(json.dumps(notebook(hidden=True)))
    api = open_api(root / "instructor")
    names = ("LockCells", "ClearOutput", "ComputeChecksums", "SaveCells", "ClearHiddenTests", "ComputeChecksums")
    # without nbgrader's ClearSolutions, which would put its own words into the written answer
    api.config.GenerateAssignment.preprocessors = [f"nbgrader.preprocessors.{name}" for name in names]
    answer = api.generate_assignment(NAME)
    assert answer["success"], answer
    return root


def make_release(root: Path) -> FakeRelease:
    """A fresh copy of the tiny release in ``root``."""
    shutil.copytree(_template(), root, dirs_exist_ok=True)
    return FakeRelease(root)


def solved(london: str = "return x + 1", paris: str = "return x + 1", why: str = "Because.") -> dict[str, Any]:
    """A filled-in notebook."""
    done = notebook(hidden=False)
    text = {"answer-london": f"def london(x):\n    {london}", "answer-paris": f"def paris(x):\n    {paris}"}
    text["written-why"] = f"**Your answer · why**\n\n{why}"
    for one in done["cells"]:
        one["source"] = text.get(one["id"], one["source"])
    return done


def hand_in(folder: Path, filled: dict[str, Any] | None = None) -> Path:
    """A student's folder."""
    (folder / "work" / NAME).mkdir(parents=True)
    (folder / f"{NAME}.ipynb").write_text(json.dumps(filled or solved()))
    (folder / "work" / NAME / "predictions.txt").write_text("Rome\n")
    return folder


@functools.cache
def _graded() -> Path:
    """A class of two whom the fake judge graded; made once per test process."""
    from autograder.grading.pipeline import grade
    from autograder.grading.settings import Settings

    top = Path(tempfile.mkdtemp(prefix="tiny-class-"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    release = make_release(top / "release")
    hand_in(top / "subs" / "ann")
    hand_in(top / "subs" / "ben", solved("return x", "return x + 0.5"))
    found = grade(top / "subs", release, top / "out", NAME, Settings(progress=False, execute=fake_execute))
    assert found.exit_code == 0
    return top


def graded_class(base: Path) -> FakeRelease:
    """A fresh copy of ann (5 points) and ben (1.5), graded, each with a written answer: ``release``, ``subs``, ``out``."""
    shutil.copytree(_graded(), base, dirs_exist_ok=True)
    return FakeRelease(base / "release")


def fake_execute(job: Job) -> Result:
    """Judges by the text: ``x + 1`` earns all, ``x + 0.5`` half, ``die`` kills the process, ``hang`` never ends."""
    import os
    import time

    cells = {one["id"]: one["source"] for one in job.notebook["cells"]}
    result = Result(job.student, job.assignment, seconds=0.1)
    for key, check in job.checks.items():
        if job.only and key not in job.only:
            continue
        text = cells[f"answer-{key}"]
        if "die" in text:
            os._exit(9)
        if "hang" in text:
            time.sleep(600)
        if "raise ValueError" in text:
            raise ValueError("the judge has a defect")
        share = 1.0 if "x + 1" in text else 0.5 if "x + 0.5" in text else 0.0
        status: Any = {1.0: "passed", 0.5: "partial", 0.0: "failed"}[share]
        hint = "" if share == 1 else f"{key}: add one, not something else"
        points = share * check.points
        detail = f"Traceback: {SECRET}"
        result.verdicts.append(Verdict(key, status, points, check.points, hint, detail, 0.1, job.seed or 7))
        result.outputs[f"answer-{key}"] = [{"output_type": "stream", "name": "stdout", "text": "hello"}]
    return result


def taken(release: FakeRelease, folder: Path, student: str, filled: dict[str, Any] | None = None) -> Intake:
    """One hand-in, taken in."""
    found = Found(student, hand_in(folder / "in" / student, filled))
    return take_in(found, NAME, release.skeleton(NAME), folder / "dest" / student)
