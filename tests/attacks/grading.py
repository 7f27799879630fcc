"""The cheats of ``payloads`` against our judge, and against a grader whose checks run in the student's process (control)."""

from __future__ import annotations

import re
import shutil
import struct
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.judge.execute import execute, source_of
from autograder.records import Job, Result
from autograder.sandbox import wire
from autograder.sandbox.bubblewrap import MIB, Limits, Paths
from autograder.sandbox.kernel import CellResult, Kernel
from tests.attacks import toy
from tests.attacks.payloads import Cheat

LIMITS = Limits(memory=1024 * MIB, processes=32, disk=32 * MIB)


class Believing(Kernel):
    """A client that takes whatever message comes next for the answer, as one without numbers and keys must."""

    def _read(self, number: int, deadline: float) -> Any:
        size = struct.unpack(">Q", self._take(8, deadline))[0]
        return wire.decode(self._take(size, deadline), self._claim)


def job_of(folder: Path, cheat: Cheat) -> Job:
    """The cheat's hand-in as a job of the toy course."""
    return toy.job(folder, toy.notebook(cheat.answers, cheat.before, cheat.tags), toy.checks(20.0))


def judged(folder: Path, cheat: Cheat) -> Result:
    """Our verdicts."""
    return execute(job_of(folder, cheat), LIMITS)


def stock(folder: Path, cheat: Cheat) -> float:
    """Points of a grader that runs test cells in the student's kernel, in the same sandbox: silence is a pass, a number is
    partial credit, and the notebook's own tags are obeyed. Its disk holds the solutions, as a grader's disk does."""
    job = job_of(folder, cheat)
    public = folder / "grader"
    shutil.copytree(job.public, public, dirs_exist_ok=True)
    (public / "solution.py").write_text("import numpy as np\n" + "\n".join(toy.RIGHT.values()))
    with Believing(Paths(public, job.files, job.assignment), LIMITS) as kernel:
        return sum(_cell(kernel, cell, toy.INSIDE) for cell in replace(job, public=public).notebook["cells"])


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
