"""Every attack gains nothing here and works where there is no wall; honest work is paid in both places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks import containment, grading, toy
from tests.attacks.payloads import CHEATS, Cheat


@pytest.mark.parametrize(("answers", "points"), [(toy.RIGHT, 8.0), (toy.WRONG, 0.0)], ids=["right", "wrong"])
def test_honest_work_is_judged_alike(tmp_path: Path, answers: dict[str, str], points: float) -> None:
    cheat = Cheat("none", answers=answers)
    assert grading.judged(tmp_path / "a", cheat).points == grading.stock(tmp_path / "b", cheat) == points


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_cheats_earn_nothing(tmp_path: Path, cheat: Cheat) -> None:
    assert grading.stock(tmp_path / "control", cheat) > 0, (
        "the control: it pays where checks run with the student's code"
    )
    result = grading.judged(tmp_path / "ours", cheat)
    assert result.points == 0 and len(result.verdicts) == 3


@pytest.mark.parametrize("name", containment.REACH)
def test_the_machine_is_out_of_reach(tmp_path: Path, name: str) -> None:
    row = containment.reach(tmp_path, name)
    assert row.control, "the control: it works outside"
    assert not row.ours


@pytest.mark.parametrize("attack", containment.OTHERS, ids=lambda attack: attack.__name__)
def test_bounds_hold(tmp_path: Path, attack: Callable[[Path], containment.Row]) -> None:
    row = attack(tmp_path)
    assert row.control, "the control: it works without bounds"
    assert not row.ours
