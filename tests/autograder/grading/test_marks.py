"""Marks given in the formgrader belong to the ledger: nothing that grades touches them, and points edited by hand are named."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import byhand, gradebook, repair, store
from autograder.grading.byhand import Taken, format_report
from autograder.grading.entering import NEW, collect_marks, override_student, rebuild_gradebook
from autograder.grading.ledger import Ledger
from autograder.grading.marks import Mark, marks_of
from autograder.grading.pipeline import grade
from autograder.grading.removal import remove
from autograder.grading.settings import Settings
from autograder.grading.standing import Hand
from autograder.grading.summary import Summary
from autograder.release.nbgrader_db import open_api, open_book
from autograder.reports.class_report import collect
from autograder.reports.exports import export
from autograder.reports.feedback import write_feedback
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, solved


@pytest.fixture
def graded(tmp_path: Path) -> FakeRelease:
    """Two students with 5 and 1.5 points of checks, and a written answer each."""
    return graded_class(tmp_path)


def run(release: FakeRelease, **more: Any) -> Summary:
    base = release.root.parent
    how = Settings(**({"progress": False, "execute": fake_execute} | more))
    return grade(base / "subs", release, base / "out", NAME, how)


def book_of(release: FakeRelease) -> Path:
    return store.course_dir(release) / "gradebook.db"


def mark(
    release: FakeRelease, student: str, cell: str, points: float | None, comment: str = "", extra: float | None = None
) -> None:
    """What the formgrader does when a person types points or a comment (its API handlers for grades and comments)."""
    with open_book(store.course_dir(release)) as book:
        if not cell.startswith("answer-"):
            grade = book.find_grade(cell, NAME, NAME, student)
            grade.manual_score, grade.extra_credit = points, extra
            grade.needs_manual_grade = points is None and grade.auto_score is None
        if comment:
            book.find_comment(cell, NAME, NAME, student).manual_comment = comment
        book.db.commit()


def counted(release: FakeRelease, student: str) -> dict[str, Mark]:
    """What reports count."""
    standing = store.open_ledger(release).standings()[NAME, student]
    return marks_of(standing, store.of_ledger(release, NAME, student, standing), release.skeleton(NAME))


def exported(release: FakeRelease) -> str:
    return export(release, NAME, "csv", release.root.parent / "grades.csv").read_text()


def both_agree(release: FakeRelease) -> None:
    """nbgrader's gradebook and our reports say the same."""
    for student in ("ann", "ben"):
        ours, theirs = counted(release, student), gradebook.marks(release, NAME, student)
        assert {key: ours[key] for key in theirs} == theirs, student
    assert repair.changed_marks(release) == []


def mark_class(release: FakeRelease) -> Taken:
    mark(release, "ann", "written-why", 0.75, "Well put.")
    mark(release, "ben", "written-why", 0.5, extra=0.25)
    mark(release, "ben", "check-london", 1.0)
    mark(release, "ben", "answer-london", None, "Right but for the sign.")
    return collect_marks(release, "tutor")


def test_marks_are_taken_in_with_who_and_when_and_once(graded: FakeRelease) -> None:
    taken = mark_class(graded)
    assert format_report(taken.entries) == [
        f"ann, why of {NAME}: 0.75 points, a comment",
        f"ben, london of {NAME}: no points by hand, a comment",
        f"ben, london of {NAME}: 1 point",
        f"ben, why of {NAME}: 0.5 points, 0.25 extra",
    ]
    assert {entry.data["by"] for entry in taken.entries} == {"tutor"} and all(entry.time for entry in taken.entries)
    assert collect_marks(graded, "tutor") == Taken([], [])
    both_agree(graded)
    assert ",5.75,6,0," in exported(graded) and ",3.25,6,0," in exported(graded)
    page = write_feedback(graded, NAME, graded.root.parent / "fb", progress=False)["ben"].read_text()
    assert "Right but for the sign." in page and "3.25 of 6 points" in page


@pytest.mark.parametrize("collected", [True, False])
def test_override_regrade_and_rebuild_leave_every_mark_alone(graded: FakeRelease, collected: bool) -> None:
    mark(graded, "ann", "written-why", 0.75, "Well put.")
    mark(graded, "ben", "written-why", 0.5, extra=0.25)
    mark(graded, "ben", "check-london", 1.0, "")
    if collected:
        collect_marks(graded, "tutor")
    override_student(graded, NAME, "ann", "paris", 2.5, "a typing error", "head")
    before = exported(graded)
    assert ",5.25,6,0," in before and (",3.25,6,0," in before) is collected
    assert [one.state for one in run(graded, resume=False).outcomes] == ["graded", "graded"]
    assert ",5.25,6,0," in exported(graded) and ",3.25,6,0," in exported(graded)
    assert exported(graded) == before or not collected  # the time of arrival, too
    before = exported(graded)
    rebuild_gradebook(graded, NAME, progress=False)
    assert exported(graded) == before
    both_agree(graded)
    by = {e.data["cell"]: e.data["by"] for e in store.open_ledger(graded) if e.kind == "mark"}
    assert set(by) == {"written-why", "check-london"}


SLOW = [pytest.param(loss, marks=pytest.mark.slow) for loss in ("empty", "another program's")]


@pytest.mark.parametrize("loss", ["deleted", "no database", *SLOW])
def test_a_lost_gradebook_comes_back_from_release_and_ledger_alone(graded: FakeRelease, loss: str) -> None:
    mark_class(graded)
    override_student(graded, NAME, "ann", "paris", 2.5, "a typing error", "head")
    before, books = exported(graded), [counted(graded, who) for who in ("ann", "ben")]
    for path in store.course_dir(graded).glob("gradebook.db*"):
        path.unlink()
    for place in ("submitted", "autograded"):
        shutil.rmtree(store.course_dir(graded) / place)
    if loss == "empty":
        book_of(graded).touch()
    elif loss == "no database":
        book_of(graded).write_text("something else entirely" * 1000)
    elif loss == "another program's":
        with sqlite3.connect(book_of(graded)) as base:
            base.execute("CREATE TABLE assignment (name TEXT)")
    notes = rebuild_gradebook(graded, NAME, progress=False)
    assert notes == [NEW] and "start JupyterLab again" in NEW
    assert exported(graded) == before and [counted(graded, who) for who in ("ann", "ben")] == books
    both_agree(graded)
    assert (store.course_dir(graded) / "autograded" / "ben" / NAME / f"{NAME}.ipynb").exists()
    assert [one.state for one in run(graded).outcomes] == ["unchanged", "unchanged"]
    both_agree(graded)


def test_a_lost_gradebook_is_not_made_of_changed_checks(graded: FakeRelease) -> None:
    source = store.course_dir(graded) / "source" / NAME / f"{NAME}.ipynb"
    part = f"instructor/source/{NAME}/{NAME}.ipynb"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    (graded.root / "release.json").write_text(json.dumps({"seed": 12345, "hashes": {part: digest}}))
    source.write_text(source.read_text().replace("add one", "add two"))
    book_of(graded).unlink()
    with pytest.raises(CourseError, match="changed after the release was made"):
        rebuild_gradebook(graded, progress=False)
    assert not book_of(graded).exists()


def test_one_who_cannot_be_entered_does_not_keep_the_others_out(graded: FakeRelease) -> None:
    mark_class(graded)
    book_of(graded).unlink()
    store.result_path(store.course_dir(graded), NAME, "ann").unlink()
    with pytest.raises(CourseError, match=r"1 of 2 could not be entered, the others are: ann; ann: .*grade again"):
        rebuild_gradebook(graded, progress=False)
    assert gradebook.marks(graded, NAME, "ben")["written-why"].score == 0.75
    run(graded)
    both_agree(graded)


def test_of_two_decisions_about_a_check_the_later_one_counts(graded: FakeRelease) -> None:
    mark(graded, "ben", "check-london", 1.0)
    override_student(graded, NAME, "ben", "london", 1.5, "half right", "head")
    assert counted(graded, "ben")["check-london"].score == 1.5
    mark(graded, "ben", "check-london", 2.0)
    collect_marks(graded, "tutor")
    assert counted(graded, "ben")["check-london"].score == 2.0
    mark(graded, "ben", "check-london", None)
    collect_marks(graded, "tutor")
    assert counted(graded, "ben")["check-london"].score == 0.0
    both_agree(graded)


def test_nbgraders_own_autograde_costs_no_mark(graded: FakeRelease) -> None:
    mark_class(graded)
    before = exported(graded)
    assert open_api(store.course_dir(graded)).autograde(NAME, "ben", force=True)["success"]
    assert gradebook.marks(graded, NAME, "ben")["written-why"].waiting  # the control: nbgrader asks for another look
    assert collect_marks(graded, "tutor").entries == [] and exported(graded) == before
    run(graded)
    both_agree(graded)


def test_a_new_answer_is_to_be_marked_again_and_an_old_one_keeps_its_mark(graded: FakeRelease) -> None:
    mark_class(graded)
    subs = graded.root.parent / "subs"
    for student, filled in (("ann", solved(why="Other words.")), ("ben", solved("return x + 1", "return x + 0.5"))):
        (subs / student).rename(subs.parent / f"old-{student}")
        hand_in(subs / student, filled)
    run(graded)
    ann, ben = counted(graded, "ann")["written-why"], counted(graded, "ben")
    assert ann.waiting and ann.score == 0.75 and ann.comment == "Well put."
    assert ben["written-why"] == Mark(0.75, 1.0, "", False)
    assert ben["check-london"].score == 2.0  # judged anew: the mark spoke of another answer
    both_agree(graded)
    mark(graded, "ann", "written-why", 0.75)  # the same points once more
    collect_marks(graded, "tutor")
    assert not counted(graded, "ann")["written-why"].waiting
    both_agree(graded)


def test_marks_given_while_the_class_is_graded_stay(graded: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    real = byhand.write_hands

    def slow(*args: Any) -> None:
        mark(graded, "ann", "written-why", 0.25, "Just now.")
        real(*args)

    monkeypatch.setattr(gradebook, "write_hands", slow)
    run(graded, resume=False)
    assert counted(graded, "ann")["written-why"] == Mark(0.25, 1.0, "Just now.", False)
    both_agree(graded)


@pytest.mark.parametrize("step", ["autograde", "hands", "recorded"])
def test_a_crash_while_entering_costs_no_mark(graded: FakeRelease, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    mark_class(graded)
    before = exported(graded)
    with monkeypatch.context() as patch:
        if step == "autograde":
            patch.setattr(gradebook, "write_hands", _crash)
        elif step == "hands":
            patch.setattr(gradebook, "_verify", _crash)
        else:
            real = Ledger.append
            patch.setattr(
                Ledger, "append", lambda self, kind, **d: _crash() if kind == "recorded" else real(self, kind, **d)
            )
        with pytest.raises(KeyError):
            rebuild_gradebook(graded, NAME, progress=False)
    collect_marks(graded, "tutor")
    assert exported(graded) == before
    rebuild_gradebook(graded, NAME, progress=False)
    assert exported(graded) == before
    both_agree(graded)


def _crash(*_: Any) -> Any:
    raise KeyError("the machine went down")


def test_an_older_copy_of_the_gradebook_takes_no_mark_back(graded: FakeRelease) -> None:
    older = book_of(graded).read_bytes()
    mark_class(graded)
    before = exported(graded)
    book_of(graded).write_bytes(older)
    assert collect_marks(graded, "tutor").entries == [] and exported(graded) == before
    assert len(repair.changed_marks(graded)) >= 4
    run(graded)
    assert exported(graded) == before
    both_agree(graded)


def test_marks_of_a_gradebook_of_version_0_1_are_taken_over(graded: FakeRelease) -> None:
    override_student(graded, NAME, "ann", "paris", 2.5, "a typing error", "head")
    mark(graded, "ann", "written-why", 0.75)
    with sqlite3.connect(book_of(graded)) as base:
        base.execute(f"DROP TABLE {byhand.TABLE}")
    assert len(collect_marks(graded, "tutor").entries) == 1
    assert counted(graded, "ann")["written-why"].score == 0.75
    both_agree(graded)


TAMPERED: dict[str, tuple[str, str]] = {
    "auto": ("UPDATE grade SET auto_score = 3 WHERE auto_score = 0", r"ben, .*london: points of the check: 3 in .*, 0 in"),
    "hand": ("UPDATE grade SET manual_score = 2 WHERE auto_score = 0", r"ben, .*london: points by hand: 2 in .*, none in"),
    "extra": ("UPDATE grade SET extra_credit = 5 WHERE auto_score = 0", r"ben, .*london: extra points: 5 in .*, none in"),
    "written": ("UPDATE grade SET auto_score = 1 WHERE auto_score IS NULL", r"ann, .*why: points of the check: 1 in .*, none"),
    "flag": ("UPDATE grade SET needs_manual_grade = 0", r"ann, .*why: answers to be marked: 0 in .*, 1 in"),
    "comment": ("UPDATE comment SET manual_comment = 'all right'", r"ann, .*london: the comment: 'all right' in .*, none"),
    "too many": ("UPDATE grade SET manual_score = 99 WHERE auto_score = 0", r"ben, .*london: 99 points .* 0 to 2 are possible"),
    "gone": ("DELETE FROM submitted_assignment", r"ann, .*: is graded in the ledger, and not in .*ledger rebuild"),
    "foreign": ("UPDATE submitted_assignment SET student_id = 'eve' WHERE student_id = 'ben'", r"eve, .*none in the ledger"),
}  # fmt: skip


@pytest.mark.parametrize("way", TAMPERED)
def test_points_edited_in_the_database_are_named_and_reach_nothing(graded: FakeRelease, way: str) -> None:
    before = exported(graded)
    assert repair.changed_marks(graded) == []
    statement, words = TAMPERED[way]
    with sqlite3.connect(book_of(graded)) as base:
        base.execute(statement)
    assert any(re.search(words, sentence) for sentence in repair.changed_marks(graded))
    assert exported(graded) == before


def test_points_that_the_formgrader_cannot_give_are_not_taken_in(graded: FakeRelease) -> None:
    with sqlite3.connect(book_of(graded)) as base:
        base.execute("UPDATE grade SET manual_score = 99 WHERE auto_score = 0")
    taken = collect_marks(graded, "tutor")
    assert taken.entries == [] and "ben, london: 99 points" in taken.problems[0]
    assert any("99 points" in note for note in run(graded).notes)
    both_agree(graded)


def test_a_changed_check_without_a_word_is_named_in_the_report(graded: FakeRelease) -> None:
    mark(graded, "ben", "check-london", 1.0)
    collect_marks(graded, "tutor")
    ben = next(one for one in collect(graded, NAME) if one.student == "ben")
    assert ben.notes[0] == "london: 1 point instead of 0, by tutor in the formgrader, without a reason"
    mark(graded, "ben", "answer-london", None, "The sign alone was wrong.")
    collect_marks(graded, "tutor")
    ben = next(one for one in collect(graded, NAME) if one.student == "ben")
    assert not any("without a reason" in note for note in ben.notes)


def again(release: FakeRelease, student: str, filled: dict[str, Any]) -> Summary:
    """The student hands in once more, and the class is graded."""
    subs = release.root.parent / "subs"
    shutil.rmtree(subs / student)
    hand_in(subs / student, filled)
    return run(release, resume=False)


@pytest.mark.parametrize("way", ["override", "formgrader"])
def test_points_by_hand_hold_for_the_answer_that_they_were_given_for(graded: FakeRelease, way: str) -> None:
    if way == "override":
        override_student(graded, NAME, "ann", "london", 0.5, "a forbidden call", "T")
    else:
        mark(graded, "ann", "check-london", 0.5)
        mark(graded, "ann", "answer-london", None, "a forbidden call")
        collect_marks(graded, "T")
    words = "the override of london by T (0.5 points) was for another answer: it waits for a person"
    note = "london: 0.5 points instead of 2, by T: a forbidden call"

    def ann() -> Any:
        return next(one for one in collect(graded, NAME) if one.student == "ann")

    same = again(graded, "ann", solved(paris="return x + 0.5", why="Other words."))  # another cell alone
    assert counted(graded, "ann")["check-london"].score == 0.5 and ann().notes[0] == note
    assert not any(words in one for one in same.outcomes[0].notes)
    both_agree(graded)
    other = again(graded, "ann", solved(london="return x + 1  # other"))
    assert counted(graded, "ann")["check-london"] == Mark(2.0, 2.0, "", False)
    assert other.outcomes[0].notes[0].startswith(words) and ann().notes[0].startswith(words)
    both_agree(graded)
    again(graded, "ann", solved())  # the answer of before comes back, and what was taken off with it
    assert counted(graded, "ann")["check-london"].score == 0.5 and ann().notes[0] == note
    both_agree(graded)
    again(graded, "ann", solved(london="return x + 1  # other"))
    override_student(graded, NAME, "ann", "london", 2, "now without it", "T")
    assert not any("another answer" in one for one in ann().notes)
    pages = write_feedback(graded, NAME, graded.root.parent / "pages", progress=False)
    assert "now without it" not in pages["ann"].read_text()  # the reason is for instructors
    both_agree(graded)


def test_who_is_taken_out_and_comes_again_is_marked_anew(graded: FakeRelease) -> None:
    mark(graded, "ben", "written-why", 0.5)
    remove(graded, NAME, "ben", "another course", "head")
    assert [e.data["points"] for e in store.open_ledger(graded) if e.kind == "mark"] == [0.5]  # it stays in the ledger
    run(graded)
    assert counted(graded, "ben")["written-why"].waiting
    both_agree(graded)


def test_a_gradebook_that_another_program_holds_is_a_sentence(
    graded: FakeRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(byhand, "PATIENCE", 0.05)
    holder = sqlite3.connect(book_of(graded), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    for act in (lambda: collect_marks(graded, "tutor"), lambda: repair.changed_marks(graded)):
        with pytest.raises(CourseError, match="close other programs"):
            act()
    holder.close()


def test_a_mark_without_points_says_what_it_is(graded: FakeRelease) -> None:
    by_person: Callable[..., Hand | None] = byhand.by_person
    old = byhand.Cell(Hand(0.5, review=True))
    assert by_person(old, None, byhand.NOTHING) == Hand(0.5, review=True)  # nothing is known of it: as it stands
    assert by_person(old, Hand(0.5), Hand(0.5)) is None  # nbgrader's flag
    assert by_person(old, Hand(0.25), Hand(0.25)) == Hand(0.5)  # a person's points, then nbgrader's flag
