"""From a rebuilt notebook to verdicts: the student's cells run in the sandbox, the checks run here.

``execute`` has no database and no shared disk. It takes the text of every check from the job, never from the notebook,
and gives a verdict for every check of the job whatever the notebook does.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from dataclasses import replace
from typing import Any

from autograder.judge.files import HandedIn, Private
from autograder.judge.run_check import run_check
from autograder.records import Job, Result, Status, Verdict
from autograder.sandbox.bubblewrap import Limits, Paths
from autograder.sandbox.kernel import CellResult, Kernel

CELL_SECONDS = 120.0
NOTEBOOK_SECONDS = 900.0  # of cells; every check has its own limit on top
OUTPUT_BYTES = 10 * 2**20
RESTARTS = 3


def execute(
    job: Job, limits: Limits = Limits(), cell_seconds: float = CELL_SECONDS, notebook_seconds: float = NOTEBOOK_SECONDS
) -> Result:
    """Run one submission and judge it. Call it in the main thread of a process.

    Args:
        job: notebook, files and checks of one submission.
        limits: of its sandbox.
        cell_seconds: limit of one cell.
        notebook_seconds: limit of all cells together.

    Raises:
        CourseError: no sandbox can be built on this machine. What a student's code does never raises here.
    """
    run = _Run(job, limits, cell_seconds, notebook_seconds)
    try:
        run.all()
    finally:
        run.kernel.close()
    return run.result


def source_of(cell: dict[str, Any]) -> str:
    """A cell's text (nbformat allows a list of lines)."""
    text = cell.get("source", "")
    return "".join(text) if isinstance(text, list) else str(text)


class _Run:
    """The walk through one notebook."""

    def __init__(self, job: Job, limits: Limits, cell_seconds: float, notebook_seconds: float) -> None:
        self.job, self.cell_seconds, self.budget = job, cell_seconds, notebook_seconds
        self.result = Result(job.student, job.assignment)
        self.kernel = Kernel(Paths(job.public, job.files, job.assignment), limits)
        self.handin, self.private = HandedIn(job.files, job.assignment), Private(job.private)
        self.seed = secrets.randbits(48) if job.seed is None else job.seed
        self.history: list[tuple[str, str]] = []
        self.answers: dict[str, str] = {}
        self.fatal: dict[str, Status] = {}  # cells that ended the kernel or ran out of time
        self.starts, self.room = 0, OUTPUT_BYTES

    def all(self) -> None:
        started = time.monotonic()
        cells = [cell for cell in self.job.notebook.get("cells", []) if cell.get("cell_type") == "code"]
        self.answers = {str(cell.get("id")): source_of(cell) for cell in cells}
        self.living()
        self.result.notes += [] if self.kernel.box is None else self.kernel.box.weaknesses
        for number, cell in enumerate(cells):
            name = str(cell.get("id") or f"cell-{number}")
            if self._pending(exercise := name.removeprefix("check-")) and name.startswith("check-"):
                self.check(exercise)
            else:
                self.cell(name, source_of(cell))
        for exercise in self.job.checks:
            if self._pending(exercise):
                self.note(f"the check of {exercise} was not in the notebook; it was run after the last cell")
                self.check(exercise)
        self.result.seconds = round(time.monotonic() - started, 3)

    def _pending(self, exercise: str) -> bool:
        return exercise in self.job.checks and all(v.exercise != exercise for v in self.result.verdicts)

    def note(self, text: str) -> None:
        if len(self.result.notes) < 100:
            self.result.notes.append(text)

    # -- the student's cells

    def cell(self, name: str, code: str) -> None:
        """Run a cell of the student's and keep its outputs."""
        if not code.strip():
            return None
        if not self.living():
            return self.note(f"cell {name} was not run: the kernel died too often")
        if self.budget <= 0:
            return self.note(f"cell {name} was not run: the notebook's time was used up")
        outcome = self._timed(code)
        self._keep(name, outcome)
        if outcome.status in ("ok", "error"):  # never again what killed the kernel or ran out of time
            self.history.append((name, code))
        if outcome.status in ("dead", "timeout"):
            self.fatal[name] = "dead" if outcome.status == "dead" else "timeout"
        if outcome.status in ("dead", "timeout") or outcome.note:
            self.note(f"cell {name}: {outcome.note}")
        return None

    def _timed(self, code: str) -> CellResult:
        started = time.monotonic()
        try:
            return self.kernel.run_cell(code, min(self.cell_seconds, max(self.budget, 1.0)))
        finally:
            self.budget -= time.monotonic() - started

    def _keep(self, name: str, outcome: CellResult) -> None:
        size = len(json.dumps(outcome.outputs))
        if size > self.room:
            return self.note(f"cell {name}: its output was left out, the notebook's outputs exceed 10 MiB")
        self.room -= size
        self.result.outputs[name] = outcome.outputs
        return None

    def living(self) -> bool:
        """Make sure there is a kernel that has seen the cells so far; False when it has died too often."""
        if self.kernel.alive:
            return True
        if self.starts > RESTARTS:
            return False
        self.starts += 1
        self.kernel.start()
        if self.starts > 1:
            self.note(f"the kernel was started again ({self.starts - 1} of {RESTARTS}) and the earlier cells replayed")
        return self._replay()

    def _replay(self) -> bool:
        """Run the earlier cells again; one that now ends the kernel is left out the next time."""
        for entry in list(self.history):
            if self._timed(entry[1]).status == "dead" or not self.kernel.alive:
                self.history.remove(entry)
                return self.living()
        return True

    # -- checks

    def check(self, exercise: str) -> None:
        """Judge one exercise."""
        check = self.job.checks[exercise]
        seed = _derived(self.seed, exercise)
        if not self.living():
            hint = "the notebook's kernel died too often to go on"
            self.result.verdicts.append(Verdict(exercise, "dead", 0.0, check.points, hint, seed=seed))
            return
        answer = self.answers.get(f"answer-{exercise}", "")
        verdict, note = run_check(check, self.kernel, answer, self.handin, self.private, seed)
        self.result.verdicts.append(self._explained(verdict))
        if note:
            self.note(note)
        if not self.kernel.alive:
            self.note(f"the kernel was lost during the check of {exercise}: {verdict.hint}")

    def _explained(self, verdict: Verdict) -> Verdict:
        """An exercise that fails because its own cell was left out says so, instead of "not written yet"."""
        status = self.fatal.get(f"answer-{verdict.exercise}")
        if status is None or verdict.status == "passed":
            return verdict
        what = "ended the kernel" if status == "dead" else "took too long"
        return replace(
            verdict, status=status, hint=f"the cell of {verdict.exercise} {what}, so it was left out: run it by itself"
        )


def _derived(seed: int, exercise: str) -> int:
    """A seed of 48 bits (exact in JSON) for one exercise."""
    return int.from_bytes(hashlib.blake2b(f"{seed}:{exercise}".encode(), digest_size=6).digest(), "big")
