"""Every attack gains nothing here and works where there is no wall; honest work is paid in both places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks import containment, grading, suite, toy
from tests.attacks.grading import Cheat
from tests.attacks.record import COLUMNS, FULL, Attack


@pytest.mark.parametrize(("answers", "points"), [(toy.RIGHT, 8.0), (toy.WRONG, 0.0)], ids=["right", "wrong"])
def test_honest_work_is_judged_alike(tmp_path: Path, answers: dict[str, str], points: float) -> None:
    cheat = Cheat("none", answers=answers)
    result, _ = grading.judged(tmp_path / "a", cheat)
    assert result.points == grading.stock(tmp_path / "b", cheat) == points


def struck(tmp_path: Path, one: Attack) -> None:
    """The attack reaches its goal in its control, and nothing here."""
    assert one.control(tmp_path / "control") > 0, "the control: it works where what stops it is missing"
    trace = one.strike(tmp_path / "ours", FULL)
    assert trace.gain == 0 and trace.verdicts == trace.expected


QUICK = suite.sample(1)


@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.name)
def test_one_attack_of_each_family(tmp_path: Path, one: Attack) -> None:
    struck(tmp_path, one)


@pytest.mark.slow
@pytest.mark.parametrize("one", [one for one in suite.sample(6) if one not in QUICK], ids=lambda one: one.name)
def test_more_attacks_of_each_family(tmp_path: Path, one: Attack) -> None:
    struck(tmp_path, one)


def test_the_suite_is_as_large_as_promised() -> None:
    found = suite.all_attacks()
    assert len(found) >= 150 and len({one.family for one in found}) >= 14
    assert sum(not one.known for one in found) >= 40
    assert {one.goal for one in found} <= set(COLUMNS)


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
