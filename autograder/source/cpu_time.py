"""CPU seconds of a notebook's cells while it is executed, and which exercise each cell belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import psutil
from nbclient import NotebookClient
from nbformat import NotebookNode


class CellClock:
    """A clock that reads a kernel's CPU time before and after every cell, with all threads and child processes.

    Attributes:
        spent: seconds of CPU time, one number for each cell of the notebook.
    """

    def __init__(self, client: NotebookClient) -> None:
        self._client, self._before = client, 0.0
        self.spent = [0.0] * len(client.nb.cells)
        client.on_cell_execute, client.on_cell_executed = self._begin, self._end

    def _now(self) -> float:
        seconds = 0.0
        with suppress(psutil.Error):  # the kernel may have ended
            kernel = psutil.Process(self._client.km.provisioner.pid)  # type: ignore[union-attr]
            for process in (kernel, *kernel.children(recursive=True)):
                with suppress(psutil.Error):
                    seconds += sum(process.cpu_times()[:4])  # user and system, its own and of children that have ended
        return seconds

    def _begin(self, cell: NotebookNode, cell_index: int, **_: Any) -> None:
        self._before = self._now()

    def _end(self, cell: NotebookNode, cell_index: int, **_: Any) -> None:
        self.spent[cell_index] += max(0.0, self._now() - self._before)


def exercise_of_cells(cells: Sequence[NotebookNode]) -> list[str]:
    """For every cell the exercise it belongs to, or "".

    In a section (from one ``## `` to the next) the cells before its first answer cell belong to that answer, all others to
    the answer cell before them. A section without an answer cell belongs to the exercise before it, unless no exercise
    comes after it.
    """
    starts = [k for k, c in enumerate(cells) if c.cell_type == "markdown" and "\n## " in f"\n{c.source}"]
    bounds = [0, *starts, len(cells)]
    sections = [range(a, b) for a, b in pairwise(bounds) if a < b]
    answers = {k: c.metadata["course"]["exercise"] for k, c in enumerate(cells) if _role(c) == "answer"}
    found, last = [""] * len(cells), ""
    for section in sections:
        here = [k for k in section if k in answers]
        owner = answers[here[0]] if here else last * any(k >= section.stop for k in answers)
        for k in section:
            owner = found[k] = answers.get(k, owner)
        last = owner or last
    return found


def cpu_by_exercise(cells: Sequence[NotebookNode], spent: Sequence[float]) -> dict[str, float]:
    """CPU seconds of each exercise's cells."""
    found: dict[str, float] = {}
    for name, seconds in zip(exercise_of_cells(cells), spent, strict=True):
        if name:
            found[name] = found.get(name, 0.0) + seconds
    return found


def _role(cell: NotebookNode) -> str:
    return str(cell.metadata.get("course", {}).get("role", ""))
