"""Work that a later hand-in replaced, and refusals that were taken back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.ledger import Standing
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.store import open_ledger
from autograder.grading.summary import Summary
from autograder.reports.roll import StudentRow, read_roll
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, solved

HOW = {"progress": False, "execute": fake_execute}


@pytest.fixture
def term(tmp_path: Path) -> FakeRelease:
    """Ben's 1.5 points, and then all 5."""
    release = graded_class(tmp_path)
    hand_in(tmp_path / "newer" / "ben")
    run(release, tmp_path / "newer")
    assert ben(release).points == 5
    return release


def run(release: FakeRelease, subs: Path, **more: Any) -> Summary:
    return grade(subs, release, release.root.parent / "out", NAME, Settings(**HOW, **more))


def ben(release: FakeRelease) -> StudentRow:
    return next(one for one in read_roll(release, NAME).students if one.student == "ben")


def standing(release: FakeRelease) -> Standing:
    return open_ledger(release).standings()[(NAME, "ben")]


def test_an_earlier_export_does_not_bring_old_work_back(term: FakeRelease, tmp_path: Path) -> None:
    open_ledger(term).override(NAME, "ben", "paris", 2.0, "a reason", "T")
    found = run(term, tmp_path / "subs")
    assert ben(term).points == 4 and found.exit_code == 0  # 2, and 2 by hand
    assert any("ben: the work in these submissions" in note and "--again" in note for note in found.notes)
    files = tmp_path / "out" / "intake" / NAME
    assert not list(files.glob(".*"))
    assert run(term, tmp_path / "subs", resume=False).exit_code == 0 and ben(term).points == 1.5


def test_the_platforms_clock_says_what_came_later(tmp_path: Path) -> None:
    release = graded_class(tmp_path)

    def came(folder: str, time: str, text: str) -> Summary:
        at = tmp_path / folder / "submitted" / "ben" / NAME
        hand_in(at, solved(text))
        (at / "timestamp.txt").write_text(f"{time} UTC")
        return run(release, tmp_path / folder / "submitted")

    came("b", "2027-04-21 10:00:00", "return x + 1")
    assert ben(release).points == 5
    found = came("a", "2027-04-20 10:00:00", "return x")  # never seen before, but it came earlier
    assert ben(release).points == 5 and any("came earlier" in note for note in found.notes)
    came("c", "2027-04-22 10:00:00", "return x + 0.5")
    assert ben(release).points == 4
    came("d", "2027-04-23 10:00:00", "return x + 1")  # the second work once more, later
    assert ben(release).points == 5


def test_a_refusal_is_taken_back_by_the_work_that_stands(term: FakeRelease, tmp_path: Path) -> None:
    wrong = solved()
    wrong["cells"] = [{**one, "id": f"x{n}", "metadata": {}, "source": "1"} for n, one in enumerate(wrong["cells"])]
    hand_in(tmp_path / "wrong" / "ben", wrong)
    before = sorted(path.name for path in (tmp_path / "out" / "intake" / NAME / "ben" / "files").iterdir())
    assert run(term, tmp_path / "wrong").exit_code == 1
    assert any("a later hand-in was not graded" in note for note in ben(term).notes)
    # the files of the work that stands are there for a regrade
    assert sorted(path.name for path in (tmp_path / "out" / "intake" / NAME / "ben" / "files").iterdir()) == before
    run(term, tmp_path / "newer")
    assert not ben(term).notes and not ben(term).reason and ben(term).points == 5
    count = len(list(open_ledger(term)))
    run(term, tmp_path / "newer")
    assert len(list(open_ledger(term))) == count


def test_who_was_taken_out_begins_anew(term: FakeRelease, tmp_path: Path) -> None:
    from autograder.grading.removal import remove

    remove(term, NAME, "ben", "a mistake", "T")
    shutil.rmtree(tmp_path / "subs" / "ann")
    run(term, tmp_path / "subs")
    assert ben(term).points == 1.5 and standing(term).verdict
