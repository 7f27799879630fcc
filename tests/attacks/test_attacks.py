"""Every attack gains nothing here and works where there is no wall; honest work is paid in both places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.judge.execute import execute
from tests.attacks import grading, impossible, suite, toy
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
    assert len(found) >= 150 and len({one.family for one in found}) >= 18
    assert sum(not one.known for one in found) >= 40
    assert {one.goal for one in found} <= set(COLUMNS)


@pytest.mark.parametrize("name", ["object equal to everything", "forged replies on the socket", "check cells emptied"])
def test_nobody_gets_a_point_for_an_impossible_exercise(name: str) -> None:
    row = impossible.run_one(name)
    assert row.gain == 0 and row.verdicts == row.expected == 30


def test_the_checks_of_impossible_exercises_can_be_run(tmp_path: Path) -> None:
    """Control: with another reference the same walk gives points, so the zeros are not those of a broken course."""
    texts = impossible.checks()
    assert len(texts) == 30
    right = {name: replace(check, source=f"with check({name!r}) as c:\n    c.that(student.has({name!r}), 'there')")
             for name, check in texts.items()}  # fmt: skip
    job = toy.job(tmp_path, impossible.skeleton(), right)
    assert execute(job, grading.LIMITS).points == 30


@pytest.mark.slow
def test_a_layer_that_is_taken_away_is_missed(tmp_path: Path) -> None:
    """Ablation works: without namespaces a file of the host can be read, without the reference outside a patch pays."""
    found = {one.name: one for one in suite.all_attacks()}
    reads, patches = found["another student's file"], found["allclose patched"]
    assert reads.strike(tmp_path / "a", FULL.without("sandbox")).gain == 1
    assert reads.strike(tmp_path / "b", FULL.without("rebuild")).gain == 0
    assert patches.strike(tmp_path / "c", FULL.without("outside")).gain > 0
    assert all(patches.strike(tmp_path / name, FULL.without(name)).gain == 0 for name in ("sandbox", "wire", "rebuild"))
