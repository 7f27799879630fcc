"""A part of the faults: after each, one more run leaves nothing lost, doubled, changed or running (all: make faults)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.faults.__main__ import campaign, plan, summary
from tests.faults.kinds import KILLS, KINDS
from tests.faults.office import Books


def played(base: Path, names: list[str], seed: int) -> dict[str, object]:
    found = list(campaign(base, names, seed))
    figures = summary(found)
    figures["words"] = [word for _, books in found for word in books.words if not books.fine]
    return figures


def test_a_few_faults_of_every_day(tmp_path: Path) -> None:
    figures = played(tmp_path, ["kill_grader", "two_graders"], 1)
    assert [figures[key] for key in ("faults", "lost", "doubled", "changed", "left_running", "crashes")] == [
        *(2, 0, 0, 0, 0, 0)
    ], figures


@pytest.mark.slow
def test_every_kind_of_fault(tmp_path: Path) -> None:
    figures = played(tmp_path, list(KINDS), 2)
    assert [figures[key] for key in ("faults", "lost", "doubled", "changed", "left_running", "crashes")] == [
        *(len(KINDS), 0, 0, 0, 0, 0)
    ], figures


@pytest.mark.slow
def test_the_control_without_lock_copy_and_atomic_files_something_is_lost(tmp_path: Path) -> None:
    rng, total = random.Random(3), Books()
    for _, books in campaign(tmp_path, plan(6, 0, rng) + ["truncated_file"] * 4, 3, always={"careless": None}):
        total = total + books
        if total.lost or total.doubled or total.changed:
            return
    pytest.fail("careless writing survived every fault, so the faults prove nothing")


def test_the_plan_has_as_many_kills_as_asked_for() -> None:
    names = plan(300, 2, random.Random(0))
    assert sum(name in KILLS for name in names) == 300 and set(names) == set(KINDS)
