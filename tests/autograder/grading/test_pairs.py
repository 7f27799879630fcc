"""A grader that ends between a hand-in's arrival and its verdict: nothing was decided, and the next run judges it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.grading.inbox import unread
from autograder.grading.ledger import Entry, Ledger
from autograder.grading.pairs import ARRIVED, paired
from autograder.grading.pipeline import grade
from autograder.grading.removal import remove
from autograder.grading.settings import Settings
from autograder.grading.standing import Standing
from autograder.grading.store import open_ledger
from autograder.grading.summary import Summary
from autograder.reports.exports import Table
from autograder.reports.roll import read_roll
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, make_release, solved

FOUR, FIVE = "return x + 0.5", "return x + 1"


class Death(BaseException):
    """The end of the process."""


def interrupted(release: FakeRelease, subs: Path, times: int = 1, whose: str = "ben") -> None:
    """Runs that die before somebody's verdict is written."""
    write = Ledger.append

    def append(ledger: Ledger, kind: str, **data: Any) -> Entry:
        if kind == "verdict" and data["student"] == whose:
            raise Death
        return write(ledger, kind, **data)

    for _ in range(times):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Death):
            patch.setattr(Ledger, "append", append)
            run(release, subs)


def run(release: FakeRelease, subs: Path) -> Summary:
    how = Settings(progress=False, execute=fake_execute)
    return grade(subs, release, release.root.parent / "out", NAME, how)


def points(release: FakeRelease) -> float:
    return next(one.points for one in read_roll(release, NAME).students if one.student == "ben")


def entries(release: FakeRelease, kind: str) -> int:
    return sum(one.kind == kind and one.data["student"] == "ben" for one in open_ledger(release))


@pytest.mark.parametrize("times", [1, 2])
def test_newer_work_is_judged_by_the_next_run(tmp_path: Path, times: int) -> None:
    release = graded_class(tmp_path)
    assert points(release) == 1.5
    hand_in(tmp_path / "newer" / "ben")
    interrupted(release, tmp_path / "newer", times)
    assert (entries(release, "intake"), entries(release, "verdict")) == (1 + times, 1)
    assert points(release) == 1.5
    found = run(release, tmp_path / "newer")
    assert found.exit_code == 0 and points(release) == 5
    assert not any("replaced" in note for note in found.notes)


def test_the_work_that_stands_keeps_its_own_arrival(tmp_path: Path) -> None:
    """Else it would count as late as the one that was not judged."""
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ben", solved(FOUR))
    run(release, tmp_path / "subs")
    standing = open_ledger(release).standings()[NAME, "ben"]
    hand_in(tmp_path / "newer" / "ben", solved(FIVE))
    interrupted(release, tmp_path / "newer")
    assert open_ledger(release).standings()[NAME, "ben"].intake == standing.intake
    run(release, tmp_path / "subs")
    assert points(release) == 4
    run(release, tmp_path / "newer")
    assert points(release) == 5
    found = run(release, tmp_path / "subs")  # the control: what was judged before and replaced does not come back
    assert points(release) == 5 and any("replaced" in note for note in found.notes)


def test_a_first_hand_in_still_waits(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    submitted = release.root / "instructor" / "submitted"
    hand_in(submitted / "ben" / NAME, solved(FOUR))
    interrupted(release, submitted)
    assert open_ledger(release).standings()[NAME, "ben"] == Standing()
    assert unread(release, NAME, "ben")
    run(release, submitted)
    assert not unread(release, NAME, "ben") and points(release) == 4


def test_nobody_gets_a_zero_or_is_forgotten_until_it_is_judged(tmp_path: Path) -> None:
    release = graded_class(tmp_path)
    subs = tmp_path / "more"
    hand_in(subs / "dan", solved(FOUR))
    interrupted(release, subs, whose="dan")
    roll = read_roll(release, NAME)
    dan = next(one for one in roll.students if one.student == "dan")
    assert dan.state == "refused" and "before it was judged" in dan.reason and not dan.told
    table = Table(NAME, roll.students, zeros=True)
    assert table.grade(dan) == "" and not table.zeroed(dan)
    assert any("dan" in one for one in roll.problems(zeros=True))
    hand_in(tmp_path / "newer" / "ben")
    interrupted(release, tmp_path / "newer")
    ben = next(one for one in read_roll(release, NAME).students if one.student == "ben")
    assert ben.points == 1.5 and any("a later hand-in was not graded" in note for note in ben.notes)
    run(release, subs)
    run(release, tmp_path / "newer")
    assert not [one for one in read_roll(release, NAME).students if one.reason]


def test_who_only_arrived_can_be_taken_out(tmp_path: Path) -> None:
    release = graded_class(tmp_path)
    hand_in(tmp_path / "more" / "dan", solved(FOUR))
    interrupted(release, tmp_path / "more", whose="dan")
    remove(release, NAME, "dan", "not of this class", "T")
    assert "dan" not in [one.student for one in read_roll(release, NAME).students]


def test_arrivals_count_with_the_verdict_of_the_same_work_alone() -> None:
    def entry(n: int, kind: str, who: str, sha: str) -> Entry:
        return Entry(n, "", kind, {"student": who, "assignment": NAME, "sha256": sha}, "", "")

    rows = [
        *(entry(0, "intake", "ann", "a"), entry(1, "intake", "ben", "b"), entry(2, "verdict", "ann", "a")),
        *(entry(3, "verdict", "ben", "b"), entry(4, "intake", "ann", "c"), entry(5, "verdict", "ann", "a")),
        *(entry(6, "mark", "ann", ""), entry(7, "intake", "ben", "d"), entry(8, "intake", "ben", "b")),
        *(entry(9, "verdict", "ben", "b"), entry(10, "intake", "zoe", "z")),
    ]
    read = list(paired(rows))
    assert [one.n for _, one in read] == list(range(11))
    assert [one.n for kind, one in read if kind == ARRIVED] == [4, 7, 10]
    assert all(kind in (one.kind, ARRIVED) for kind, one in read)
