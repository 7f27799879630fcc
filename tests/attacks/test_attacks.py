"""Every attack gains nothing here and works where there is no wall; honest work is paid in both places."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from autograder.judge.execute import execute
from course_utils.errors import CourseError
from tests.attacks import ablation, apart, grading, impossible, persistence, scripts, suite, toy
from tests.attacks.__main__ import main
from tests.attacks.grading import Cheat
from tests.attacks.record import COLUMNS, FULL, LAYERS, Attack, Row


@pytest.mark.parametrize(("answers", "points"), [(toy.RIGHT, 8.0), (toy.WRONG, 0.0)], ids=["right", "wrong"])
def test_honest_work_is_judged_alike(tmp_path: Path, answers: dict[str, str], points: float) -> None:
    cheat = Cheat("none", answers=answers)
    result, _ = grading.judged(tmp_path / "a", cheat)
    assert result.points == grading.stock(tmp_path / "b", cheat) == points


def struck(tmp_path: Path, one: Attack) -> None:
    """The attack reaches its goal in its control, and nothing here."""
    assert not one.lacking(), one.lacking()
    assert one.control(tmp_path / "control") > 0, "the control: it works where what stops it is missing"
    trace = one.strike(tmp_path / "ours", FULL)
    assert trace.gain == 0 and trace.verdicts == trace.expected


QUICK = suite.sample(1)


@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.name)
def test_one_attack_of_each_family(tmp_path: Path, one: Attack) -> None:
    struck(tmp_path, one)


@pytest.mark.parametrize(
    "layer",
    [
        "outside",
        *(pytest.param(one, marks=pytest.mark.slow) for one in sorted(set(LAYERS.values()) - {"sandbox", "outside"})),
    ],
)
def test_an_attack_of_every_kind_that_meets_a_layer_runs_without_it(tmp_path: Path, layer: str) -> None:
    of_kind = {one.strike.func if isinstance(one.strike, partial) else one.strike: one for one in suite.all_attacks()
               if layer in one.layers and not one.lacking()}  # fmt: skip
    for i, one in enumerate(of_kind.values()):
        trace = one.strike(tmp_path / str(i), FULL.without(layer))
        assert layer == "outside" or one.goal != "points" or trace.gain == 0, one.name


def test_a_layer_that_is_kept_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def results(attacks: Sequence[Attack], *_: object, **__: object) -> list[Row]:
        made.extend(one.name for one in attacks)
        return [Row(one.name, one.family, one.goal, 0.0, 0.0, 2, 2, flagged=False) for one in attacks]

    monkeypatch.setattr(suite, "results", results)
    first, second = [one for one in suite.all_attacks() if one.layers == ("filter",)][:2]
    folder = tmp_path / "not" / "there"
    kept = ablation.ablate([first], keep=folder)
    both = ablation.ablate([first, second], keep=folder)
    assert made == [first.name, second.name]
    assert [row.name for row in both["filter"]] == made and both["filter"][0] == kept["filter"][0]


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_tried(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(suite, "results", lambda *_, **__: pytest.fail("a layer was tried"))
    (tmp_path / "file").write_text("")
    with pytest.raises(CourseError, match=r"Cannot make .*Choose a folder"):
        ablation.ablate(suite.all_attacks(), keep=tmp_path / "file" / "below")


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
    alone, same = suite.results([reads, patches], FULL.without("sandbox"))
    assert alone.gain == 1 and same.gain == 0
    assert reads.strike(tmp_path / "b", FULL.without("rebuild")).gain == 0
    assert patches.strike(tmp_path / "c", FULL.without("outside")).gain > 0
    assert all(patches.strike(tmp_path / name, FULL.without(name)).gain == 0 for name in ("wire", "rebuild"))


SHARED = [place for place in (*persistence.PLACES.values(), "/home/student", "/tmp/.cache", "/tmp/.config")
          if place.startswith("/")]  # fmt: skip


def lying(place: str) -> float:
    """When something was last written there; 0 if there is nothing."""
    return Path(place).stat().st_mtime if Path(place).exists() else 0.0


@pytest.mark.parametrize("some", [slice(1), pytest.param(slice(1, 3), marks=pytest.mark.slow)], ids=["one", "two more"])
def test_attacks_without_a_sandbox_leave_nothing_on_the_machine(some: slice) -> None:
    before = [lying(place) for place in SHARED]
    leaving = [one for one in persistence.ATTACKS if one.name in persistence.PLACES][some]
    rows = suite.results(leaving, FULL.without("sandbox"), label="leaving")
    assert [row.name for row in rows] == [one.name for one in leaving]
    assert [lying(place) for place in SHARED] == before
    code = "; ".join(
        f"import os; os.makedirs(os.path.dirname({p!r}), exist_ok=True); open({p!r}, 'a').write('x')"
        for p in persistence.PLACES.values() if p.startswith("/")
    )  # fmt: skip
    subprocess.run(apart.command(sys.executable, "-c", code), check=True)
    assert [lying(place) for place in SHARED] == before, "the control: they were written, and are gone"


def test_attacks_that_cannot_be_run_are_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without Chromium the family stands in the table as not run, and the exit code is 1."""
    monkeypatch.setattr(scripts, "chromium", lambda: "")
    assert main(["--family", "scripts in pages"]) == 1
    said = capsys.readouterr().out
    assert f"NOT RUN: scripts in pages, {len(scripts.ATTACKS)} attacks: no Chromium here" in said
    assert f'"not_run": {len(scripts.ATTACKS)}' in said and len(scripts.ATTACKS) > 15
    with pytest.raises(AssertionError, match="install it"):
        struck(Path("nowhere"), scripts.ATTACKS[0])
