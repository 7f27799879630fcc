"""Cheats against our judge, and against graders whose checks run in the student's process (the controls)."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from autograder.intake.rebuild import read_notebook, rebuild
from autograder.judge import execute as judge
from autograder.judge import walk
from autograder.judge.execute import source_of
from autograder.records import Job, Result
from autograder.sandbox import wire
from autograder.sandbox.bubblewrap import MIB, Limits, Paths
from autograder.sandbox.kernel import CellResult, Kernel
from tests.attacks import layers, toy
from tests.attacks.record import FULL, Attack, Trace, Wall
from tests.attacks.styles import STYLES

LIMITS = Limits(memory=512 * MIB, processes=32, disk=32 * MIB)
TORCH = replace(LIMITS, memory=1024 * MIB)
Edit = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Cheat:
    """A hand-in that wants points for wrong answers.

    Attributes:
        before: cell that runs first.
        answers: the answers handed in; wrong ones unless given.
        tags: tags on the check cells.
        style: how the stock grader of the control tests (``styles.STYLES``).
        edit: what is changed in the notebook's JSON before it is handed in.
        files: files handed in beside the notebook.
        reader: which control reads this notebook: ``stock``, ``trusting`` or ``outputs``.
        known: whether the first attackers' findings name it.
    """

    name: str
    before: str = ""
    answers: dict[str, str] = field(default_factory=lambda: dict(toy.WRONG))
    tags: tuple[str, ...] = ()
    style: str = "allclose"
    edit: Edit | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    reader: str = "stock"
    known: bool = False

    @property
    def limits(self) -> Limits:
        """More memory where torch is imported."""
        return TORCH if self.style in ("torch", "course") or "import torch" in self.before else LIMITS


def handed_in(cheat: Cheat, texts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The notebook as the student saves it; ``texts`` are those of its check cells, for a grader that runs them."""
    book = toy.marked(toy.notebook(cheat.answers, cheat.before, cheat.tags))
    for cell in book["cells"]:
        if texts and str(cell["id"]).startswith("check-"):
            cell["source"] = texts[str(cell["id"]).removeprefix("check-")]
    if cheat.edit:
        cheat.edit(book)
    return book


def job_of(
    folder: Path, cheat: Cheat, wall: Wall = FULL, texts: Mapping[str, str] | None = None
) -> tuple[Job, list[str]]:
    """The cheat's hand-in as a job of the toy course, and the notes of intake."""
    book, notes = handed_in(cheat, texts), []
    if wall.rebuild:
        book, notes = rebuild(toy.skeleton(), read_notebook(json.dumps(book).encode(), "toy.ipynb"), "toy.ipynb")
    made = toy.job(folder, book, toy.checks(20.0))
    for name, data in cheat.files.items():
        (made.files / name).parent.mkdir(parents=True, exist_ok=True)
        (made.files / name).write_bytes(data)
    return made, notes


def judged(
    folder: Path, cheat: Cheat, wall: Wall = FULL, limits: Limits | None = None, seconds: float = 20.0
) -> tuple[Result, list[str]]:
    """Our verdicts, with some layers taken away, and all notes."""
    job, notes = job_of(folder, cheat, wall)
    with layers.standing(wall), believing(wall):
        result = judge.execute(job, limits or cheat.limits, cell_seconds=seconds)
    return result, [*notes, *result.notes]


def strike(folder: Path, wall: Wall, cheat: Cheat) -> Trace:
    """Points that the cheat gains; without the reference outside, those of a grader that tests in the kernel."""
    if not wall.outside:
        return Trace(stock(folder, cheat, wall), len(toy.RIGHT), len(toy.RIGHT))
    result, notes = judged(folder, cheat, wall)
    return Trace(result.points, len(result.verdicts), len(toy.RIGHT), bool(notes))


def control(folder: Path, cheat: Cheat) -> float:
    """Points that the cheat gains from the control that its kind needs."""
    return {"stock": stock, "trusting": trusting, "outputs": believed_outputs}[cheat.reader](folder, cheat)


def attack(family: str, cheat: Cheat) -> Attack:
    """The cheat as a record of the suite."""
    ours, theirs = partial(strike, cheat=cheat), partial(control, cheat=cheat)
    return Attack(cheat.name, family, "points", ours, theirs, cheat.known, slow=cheat.limits is TORCH)


# ---------------------------------------------------------------- the wire without its checks


class Believing(Kernel):
    """A client that takes whatever message comes next for the answer, as one without numbers and keys must."""

    def _read(self, number: int, deadline: float) -> Any:
        size = struct.unpack(">Q", self._take(8, deadline))[0]
        reply = wire.decode(self._take(size, deadline), self._claim)
        return reply if type(reply) is list and len(reply) in (3, 5) else [number, "ok", reply]


@contextlib.contextmanager
def believing(wall: Wall) -> Iterator[None]:
    """The judge's own kernel client, or the believing one where the wire's checks are taken away."""
    with pytest.MonkeyPatch.context() as patch:
        if not wall.wire:
            patch.setattr(walk, "Kernel", Believing)
        yield


# ---------------------------------------------------------------- the controls


def stock(folder: Path, cheat: Cheat, wall: Wall = Wall(rebuild=False)) -> float:
    """Points of a grader that runs test cells in the student's kernel, in the same sandbox: silence is a pass, a number is
    partial credit, and the notebook's own tags are obeyed. Its disk holds the solutions, as a grader's disk does, and it
    works in the folder of the hand-in."""
    job, _ = job_of(folder, cheat, wall)
    with _kernel(folder, job, cheat, wall) as kernel:
        return sum(_cell(kernel, cell, STYLES[cheat.style]) for cell in job.notebook["cells"])


@contextlib.contextmanager
def _kernel(folder: Path, job: Job, cheat: Cheat, wall: Wall) -> Iterator[Kernel]:
    public = folder / "grader"
    shutil.copytree(job.public, public, dirs_exist_ok=True)
    (public / "solution.py").write_text("import numpy as np\n" + "\n".join(toy.RIGHT.values()))
    (job.files / "expected.json").write_text(json.dumps({"mean": 1.45 / 3, "double": [2, -4, 6]}))
    with layers.standing(wall), Believing(Paths(public, job.files, job.assignment), cheat.limits) as kernel:
        kernel.run_cell("import os; os.chdir('work/00_toy')", 20)
        if cheat.style == "course":
            kernel.run_cell("from course_utils.checks.selfcheck import check, student", 20)
        yield kernel


def _cell(kernel: Kernel, cell: Mapping[str, Any], tests: Mapping[str, str]) -> float:
    name = str(cell["id"]).removeprefix("check-")
    if not str(cell["id"]).startswith("check-"):
        kernel.run_cell(source_of(dict(cell)), 20)
        return 0.0
    if "skip-execution" in cell["metadata"].get("tags", []):
        return toy.POINTS[name]
    return _points(kernel.run_cell(tests[name], 20), toy.POINTS[name])


def _points(result: CellResult, most: float) -> float:
    """nbgrader's rule: an error is nothing, a number on the last line is the score, anything else is full marks."""
    if result.status != "ok":
        return 0.0
    shown = [item["data"].get("text/plain", "") for item in result.outputs if item["output_type"] == "execute_result"]
    return min(float(shown[-1]), most) if shown and re.fullmatch(r"[\d.]+", shown[-1]) else most


def trusting(folder: Path, cheat: Cheat) -> float:
    """Points of a grader that runs the notebook as it was handed in, its check cells, marks, points and tags included."""
    wall, total = Wall(rebuild=False), 0.0
    job, _ = job_of(folder, cheat, wall, STYLES[cheat.style])
    with _kernel(folder, job, cheat, wall) as kernel:
        for cell in job.notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            tags, mark = cell["metadata"].get("tags", []), cell["metadata"].get("nbgrader", {})
            ran = None if "skip-execution" in tags else kernel.run_cell(source_of(dict(cell)), 20)
            if mark.get("grade"):
                most = float(mark.get("points", 0))
                tolerated = ran is None or "raises-exception" in tags
                total += most if tolerated else _points(ran, most)
    return total


def believed_outputs(folder: Path, cheat: Cheat) -> float:
    """Points of a grader that reads the outputs which the notebook already has."""
    total = 0.0
    for cell in handed_in(cheat)["cells"]:
        mark = cell.get("metadata", {}).get("nbgrader", {})
        if mark.get("grade") and cell.get("outputs"):
            failed = any(item["output_type"] == "error" for item in cell["outputs"])
            total += 0.0 if failed else float(mark["points"])
    return total
