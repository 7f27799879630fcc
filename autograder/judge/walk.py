"""A run through a notebook's cells in one sandbox. A cell that ends the kernel is left out when the others run again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from autograder.records import Job, Status
from autograder.sandbox.bubblewrap import Limits, Paths
from autograder.sandbox.kernel import CellResult, Kernel

OUTPUT_BYTES = 10 * 2**20
MAX_NOTES = 100


def source_of(cell: dict[str, Any]) -> str:
    """A cell's text (nbformat allows a list of lines)."""
    text = cell.get("source", "")
    return "".join(text) if isinstance(text, list) else str(text)


def code_cells(notebook: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and text of every code cell, in order."""
    cells = [cell for cell in notebook.get("cells", []) if cell.get("cell_type") == "code"]
    return [(str(cell.get("id") or f"cell-{number}"), source_of(cell)) for number, cell in enumerate(cells)]


class Notes:
    """Sentences for the instructor: each once, at most a hundred."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        """Add a sentence unless it is in the list already."""
        if text not in self.texts and len(self.texts) < MAX_NOTES:
            self.texts.append(text)


class Walk:
    """A kernel in a fresh sandbox that runs a notebook's cells one by one.

    Args:
        job: the submission.
        limits: limits of the sandbox.
        cell_seconds: limit of one cell.
        notebook_seconds: limit of all cells together, and the same again for cells that are run again.
        notes: the list to which sentences for the instructor are added.

    Attributes:
        outputs: nbformat outputs of the cells that were run, by name.
        left_out: cells that ended the kernel or ran out of time.
    """

    def __init__(
        self, job: Job, limits: Limits, cell_seconds: float, notebook_seconds: float, notes: Notes | None = None
    ) -> None:
        self.job, self.cell_seconds, self.budget, self.spare = job, cell_seconds, notebook_seconds, notebook_seconds
        self.kernel = Kernel(Paths(job.public, job.files, job.assignment), limits)
        self.notes = notes or Notes()
        self.outputs: dict[str, list[dict[str, Any]]] = {}
        self.left_out: dict[str, Status] = {}
        self.history: list[tuple[str, str]] = []
        self.starts, self.room = 0, OUTPUT_BYTES

    def __enter__(self) -> Walk:
        self.living()
        return self

    def __exit__(self, *_: object) -> None:
        self.kernel.close()

    def through(self, wanted: Iterable[str], at_check: Callable[[str], None]) -> None:
        """Run the cells in order up to the last check of ``wanted``; call ``at_check`` at the place of each of them.

        A check of ``wanted`` that has no cell is called after the last cell.
        """
        left = dict.fromkeys(wanted)
        for name, code in code_cells(self.job.notebook):
            if not left:
                return
            exercise = name.removeprefix("check-")
            if name.startswith("check-") and exercise in self.job.checks:
                if exercise in left:
                    del left[exercise]
                    at_check(exercise)
            else:
                self.cell(name, code)
        for exercise in left:
            at_check(exercise)

    def all_cells(self) -> None:
        """Run every cell and no check."""
        for name, code in code_cells(self.job.notebook):
            if not (name.startswith("check-") and name.removeprefix("check-") in self.job.checks):
                self.cell(name, code)

    def cell(self, name: str, code: str) -> None:
        """Run a cell and keep its outputs."""
        if not code.strip():
            return None
        if not self.living():
            return self.notes.add(f"cell {name} was not run: the kernel died too often")
        if self.budget <= 0:
            return self.notes.add(f"cell {name} was not run: the notebook's time was used up")
        started = time.monotonic()
        outcome = self.kernel.run_cell(code, min(self.cell_seconds, max(self.budget, 1.0)))
        self.budget -= time.monotonic() - started
        self._keep(name, outcome)
        if outcome.status in ("dead", "timeout"):  # this cell is not run again
            self._leave_out(name, outcome)
        else:
            self.history.append((name, code))
            if outcome.note:
                self.notes.add(f"cell {name}: {outcome.note}")
        return None

    def _leave_out(self, name: str, outcome: CellResult) -> None:
        self.left_out[name] = "dead" if outcome.status == "dead" else "timeout"
        self.notes.add(f"cell {name}: {outcome.note}")

    def _keep(self, name: str, outcome: CellResult) -> None:
        size = len(json.dumps(outcome.outputs))
        if size > self.room:
            return self.notes.add(f"cell {name}: its output was left out, the notebook's outputs exceed 10 MiB")
        self.room -= size
        self.outputs[name] = outcome.outputs
        return None

    def living(self) -> bool:
        """Make sure that a kernel runs in which the cells so far were run; False when the time for replays is used up.

        Every replay leaves out the cell that ended the kernel, so each such cell costs one start. The time of replays is
        limited, not the number of starts, which the other exercises may need.
        """
        while not self.kernel.alive:
            if self.spare <= 0:
                return False
            started = time.monotonic()
            self.kernel.start()
            self.starts += 1
            if self.starts > 1:
                self.notes.add("the kernel was started again and the earlier cells replayed, without what had ended it")
                self._replay()
                self.spare -= time.monotonic() - started
        return True

    def _replay(self) -> None:
        """Run the earlier cells again; a cell that now ends the kernel is left out from then on."""
        started = time.monotonic()
        for entry in list(self.history):
            left = self.spare - (time.monotonic() - started)
            if left <= 0:
                self.history.remove(entry)
                self.left_out[entry[0]] = "timeout"
                self.notes.add(f"cell {entry[0]} was not run again: the time for that was used up")
                continue
            outcome = self.kernel.run_cell(entry[1], max(1.0, min(self.cell_seconds, left)))
            if outcome.status in ("dead", "timeout"):
                self.history.remove(entry)
                self._leave_out(entry[0], outcome)
            if not self.kernel.alive:
                return
