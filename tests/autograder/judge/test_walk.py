"""The time that a run through the cells may take, with a kernel and a clock that only count."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from autograder.judge import walk
from autograder.records import Job
from autograder.sandbox.bubblewrap import Limits
from autograder.sandbox.kernel import CellResult

SECONDS = 3.0  # of each cell, whatever its limit says: it catches what is raised when the time is over


@dataclass
class Clock:
    """A kernel whose every cell takes three seconds; it dies when it is told to."""

    now: float = 0.0
    alive: bool = False
    ran: list[str] = field(default_factory=list)

    def start(self) -> None:
        self.alive = True

    def run_cell(self, code: str, seconds: float) -> CellResult:
        self.ran.append(code)
        self.now += SECONDS
        return CellResult("ok", [], None, "")

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(walk, "Kernel", lambda *_: made)
    monkeypatch.setattr(walk, "time", made)
    return made


def begun(seconds: float) -> walk.Walk:
    """A walk over twenty cells, with so much time for all of them, and the same again for replays."""
    cells = [
        {"cell_type": "code", "id": f"extra-{n}", "source": f"cell {n}", "metadata": {}, "outputs": []}
        for n in range(20)
    ]
    book: dict[str, Any] = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    nowhere = Path("/nowhere")
    return walk.Walk(Job("ada", "x", book, nowhere, {}, nowhere, nowhere), Limits(), 5.0, seconds)


def test_a_replay_ends_with_the_time_for_it_whatever_cells_are_left(clock: Clock) -> None:
    made = begun(60.0)
    made.all_cells()
    assert len(clock.ran) == 20 and not made.left_out
    clock.alive, made.spare, before = False, 10.0, clock.now
    assert made.living()
    assert clock.now - before <= 10.0 + SECONDS, "one cell may be under way when the time is over"
    assert len(made.left_out) == 16 and set(made.left_out.values()) == {"timeout"}
    assert any("was not run again" in text for text in made.notes.texts)
    clock.alive = False
    assert not made.living(), "the time is used up"


def test_a_replay_within_its_time_runs_every_cell(clock: Clock) -> None:
    made = begun(60.0)
    made.all_cells()
    clock.alive = False
    assert made.living() and not made.left_out and clock.ran[:20] == clock.ran[20:]
