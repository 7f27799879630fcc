"""Two ids that are one person: one row everywhere, nothing lost, and two people again when that was wrong."""

from __future__ import annotations

import csv
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import merging, store
from autograder.grading.entering import rebuild_gradebook
from autograder.grading.gradebook import marks
from autograder.grading.identities import People, another_number
from autograder.grading.merging import merge, part
from autograder.grading.pipeline import grade
from autograder.grading.regrade import Decision
from autograder.grading.removal import remove
from autograder.grading.repair import changed_marks, changed_results
from autograder.grading.settings import Settings
from autograder.intake.discover import Found
from autograder.release.nbgrader_db import open_book
from autograder.reports.class_report import class_report
from autograder.reports.exports import write_grades
from autograder.reports.roll import read_roll, term_list
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved

WHY = Decision("same person, two accounts", "A. Teacher")


@pytest.fixture(scope="module")
def class_of(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ann, ben, and ann's second account ann2, with another hand-in."""
    top = tmp_path_factory.mktemp("merge")
    release = make_release(top / "release")
    hand_in(top / "subs" / "ann", solved("return x"))
    hand_in(top / "subs" / "ann2", solved("return x", "return x + 0.5", "A word."))
    hand_in(top / "subs" / "ben")
    assert grade(top / "subs", release, top / "out", NAME, settings()).exit_code == 0
    return top


@pytest.fixture
def term(class_of: Path, tmp_path: Path) -> FakeRelease:
    shutil.copytree(class_of, tmp_path, dirs_exist_ok=True)
    return FakeRelease(tmp_path / "release")


def settings() -> Settings:
    return Settings(progress=False, execute=fake_execute)


def in_formgrader(release: FakeRelease, who: str, cell: str, points: float) -> None:
    with open_book(store.course_dir(release)) as book:
        one = book.find_grade(cell, NAME, NAME, who)
        one.manual_score, one.needs_manual_grade = points, False
        book.db.commit()


def rows(release: FakeRelease) -> dict[str, tuple[str, float]]:
    return {one.student: (one.state, one.points) for one in read_roll(release, NAME).students}


def sound(release: FakeRelease) -> bool:
    return changed_results(release) == [] and changed_marks(release) == []


def book_of(release: FakeRelease) -> set[str]:
    with open_book(store.course_dir(release)) as book:
        return {one.student.id for one in book.find_assignment(NAME).submissions}


def test_both_handed_in_is_refused_until_it_is_said_which_counts(term: FakeRelease) -> None:
    before = store.open_ledger(term).verify()
    with pytest.raises(
        CourseError, match=f"ann and ann2 both handed in {NAME}; say whose counts: --keep {NAME}=ann, or =ann2"
    ):
        merge(term, "ann", "ann2", WHY)
    for wrong in ({NAME: "ben"}, {"08_other": "ann"}):
        with pytest.raises(CourseError, match="give an assignment that both handed in, and one of the two ids"):
            merge(term, "ann", "ann2", WHY, wrong)
    for kept, other in (("ann", "ann"), ("ann", "zoe"), ("../x", "ann")):
        with pytest.raises(CourseError):
            merge(term, kept, other, WHY)
    assert store.open_ledger(term).verify() == before


@pytest.mark.parametrize("winner", ["ann", "ann2"])
def test_one_person_in_report_export_and_gradebook_and_undone(term: FakeRelease, winner: str, tmp_path: Path) -> None:
    store.open_ledger(term).override(NAME, "ann", "london", 1.5, "idea is right", "me")
    store.open_ledger(term).override(NAME, "ann2", "london", 1.0, "half", "me")
    in_formgrader(term, "ann", "written-why", 0.75)  # no command since
    in_formgrader(term, "ann2", "written-why", 0.25)
    assert rebuild_gradebook(term, NAME, progress=False) == []
    before, expected = rows(term), {"ann": 1.5 + 3.0 + 0.75, "ann2": 1.0 + 1.5 + 0.25}
    assert {who: before[who][1] for who in expected} == expected
    told = merge(term, "ann", "ann2", WHY, {NAME: winner})
    loser = {"ann": "ann2", "ann2": "ann"}[winner]
    assert f"{NAME}: both handed in; that of {winner} counts, that of {loser} stays in the ledger" in told
    assert rows(term) == {"ann": ("graded", expected[winner]), "ben": before["ben"]}
    assert book_of(term) == {"ann", "ben"} and sound(term)
    assert marks(term, NAME, "ann")["written-why"].score == {"ann": 0.75, "ann2": 0.25}[winner]
    write_grades(read_roll(term, NAME), NAME, "csv", tmp_path / "g.csv", partial=True)
    assert [row["student"] for row in csv.DictReader((tmp_path / "g.csv").open(encoding="utf-8-sig"))] == ["ann", "ben"]
    page = class_report(term, NAME, tmp_path / "report", roll=read_roll(term, NAME)).read_text()
    assert "ann2" not in page
    assert rebuild_gradebook(term, NAME, progress=False) == [] and sound(term)
    part(term, "ann", "ann2", WHY)
    assert rows(term) == before and book_of(term) == {"ann", "ann2", "ben"} and sound(term)
    for who, points in expected.items():
        assert sum(mark.score for mark in marks(term, NAME, who).values()) == points
    assert merge(term, "ann2", "ann", WHY, {NAME: winner}) and set(rows(term)) == {"ann2", "ben"} and sound(term)


def test_a_hand_in_of_one_account_alone_needs_no_choice(term: FakeRelease) -> None:
    """The class list has the other id, under which nothing came."""
    top = term.root.parent
    (top / "people.csv").write_text("id,name,email\nann,Ann,\nanna,Anna Two,ann@x.org\nben,Ben,\n")
    term_list(term, top / "people.csv")
    assert rows(term)["anna"][0] == "missing"
    assert f"{NAME}: what ann2 handed in counts for anna" in merge(term, "anna", "ann2", WHY)
    (row,) = [one for one in read_roll(term, NAME).students if one.student == "anna"]
    assert row.graded and row.email == "ann@x.org" and not [n for n in row.notes if "class list" in n]
    assert "ann2" not in rows(term)
    part(term, "anna", "ann2", WHY)
    assert rows(term)["anna"][0] == "missing" and rows(term)["ann2"][1] == 1.5


def test_later_submissions_of_either_id_are_the_persons(term: FakeRelease) -> None:
    merge(term, "ann", "ann2", WHY, {NAME: "ann"})
    top = term.root.parent
    shutil.rmtree(top / "subs" / "ann")
    summary = grade(top / "subs", term, top / "out", NAME, settings())
    assert {one.student: one.points for one in summary.outcomes} == {
        "ann": 3.0,
        "ben": 5.0,
    }  # that of ann2 was not kept
    shutil.rmtree(top / "subs" / "ann2")
    hand_in(top / "subs" / "ann2", solved("return x", "return x + 0.5", "Another word."))
    summary = grade(top / "subs", term, top / "out", NAME, settings())
    assert {one.student: one.points for one in summary.outcomes} == {"ann": 1.5, "ben": 5.0}
    assert rows(term)["ann"][1] == 1.5 and "ann2" not in rows(term) and sound(term)
    hand_in(top / "subs" / "ann")
    summary = grade(top / "subs", term, top / "out", NAME, settings())
    (ann, ben) = summary.outcomes
    assert (ann.student, ann.state, ben.state) == ("ann", "refused", "unchanged") and summary.exit_code == 1
    assert "ann and ann2 are one person; keep the one that counts" in ann.reason and not summary.not_understood


def test_a_number_of_either_account_is_the_persons_and_another_one_is_not() -> None:
    people, found = People(), Found("ann", Path("x"), lms_id="12", platform="canvas")
    for who, number in (("ann", "11"), ("ann2", "12")):
        people.apply("intake", {"student": who, "assignment": NAME, "lms_id": number})
    standing = {"lms_id": "11", "platform": "canvas"}
    assert people.numbers_of("ann") == set() and another_number(found, standing, people.numbers_of("ann"))
    people.apply("merged", {"student": "ann2", "into": "ann"})
    assert people.numbers_of("ann") == {"11", "12"} and not another_number(found, standing, people.numbers_of("ann"))
    assert another_number(replace(found, lms_id="13"), standing, people.numbers_of("ann"))


def test_merges_that_are_not_there_are_not_undone(term: FakeRelease) -> None:
    merge(term, "ann", "ann2", WHY, {NAME: "ann2"})
    for kept, other in (("ben", "ann2"), ("ann", "ben")):
        with pytest.raises(CourseError, match="is not merged into"):
            part(term, kept, other, WHY)
    with pytest.raises(CourseError, match="ann2: is merged into ann"):
        merge(term, "ben", "ann2", WHY)


@pytest.mark.parametrize("step", ["_under_id", "enter_student", "_drop"])
def test_what_is_interrupted_is_completed_by_the_same_command(
    term: FakeRelease, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(term)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    def do() -> None:
        merge(term, "ann", "ann2", WHY, {NAME: "ann2"})

    def undo() -> None:
        part(term, "ann", "ann2", WHY)

    for turn in (do, undo):
        with monkeypatch.context() as patch:
            patch.setattr(merging, step, stop)
            with pytest.raises(KeyboardInterrupt) if (step, turn) != ("_drop", undo) else nullcontext():
                turn()
        assert len(rows(term)) >= 2, "the report can be read in the midst of it"
        turn()
        assert sound(term)
    assert rows(term) == before


def test_a_mistyped_id_makes_no_new_person(term: FakeRelease) -> None:
    before = store.open_ledger(term).verify()
    for wrong in ("anm", "аnn"):  # the second one begins with a Cyrillic letter
        with pytest.raises(CourseError, match="neither in the ledger nor on the class list"):
            merge(term, wrong, "ben", WHY)
    assert store.open_ledger(term).verify() == before


def test_nothing_is_written_where_a_result_is_damaged(term: FakeRelease) -> None:
    path = store.result_path(store.course_dir(term), NAME, "ann2")
    whole = path.read_text()
    path.write_text(whole[:500])
    before = store.open_ledger(term).verify()
    with pytest.raises(CourseError, match="not the result that the ledger speaks of"):
        merge(term, "ann", "ann2", WHY, {NAME: "ann2"})
    assert store.open_ledger(term).verify() == before and book_of(term) == {"ann", "ann2", "ben"}
    path.write_text(whole)
    assert merge(term, "ann", "ann2", WHY, {NAME: "ann2"}) and sound(term)


def test_another_choice_is_told_and_any_order_undone(term: FakeRelease) -> None:
    before = rows(term)
    merge(term, "ann", "ann2", WHY, {NAME: "ann2"})
    assert merge(term, "ann", "ann2", WHY, {NAME: "ann2"}), "the same once more completes it"
    with pytest.raises(CourseError, match="with another choice"):
        merge(term, "ann", "ann2", WHY, {NAME: "ann"})
    merge(term, "ann", "ben", WHY, {NAME: "ben"})
    part(term, "ann", "ann2", WHY)
    assert rows(term) == {"ann": before["ben"], "ann2": before["ann2"]} and sound(term)
    part(term, "ann", "ben", WHY)
    assert rows(term) == before and sound(term)


def test_other_commands_name_the_id_that_counts(term: FakeRelease) -> None:
    merge(term, "ann", "ann2", WHY, {NAME: "ann2"})
    with pytest.raises(CourseError, match="ann2 is merged into ann; give that id"):
        store.open_ledger(term).override(NAME, "ann2", "london", 1.0, "half", "me")
    with pytest.raises(CourseError, match="ann2 is merged into ann; give that id"):
        remove(term, NAME, "ann2", "a mistake", "me")
