"""Report and exports know everybody of the class, whichever batch was graded last."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import pipeline
from autograder.release import read
from autograder.reports.roll import read_roll, roster_path
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved

LIST = (
    "id,name,email,section,sid,canvas_id,excused\nann,Ann Lee,ann@x.org,A,S1,11,\nben,Ben Roe,,A,,12,\n"
    "cat,Cat Poe,,B,,13,\ndan,Dan Foe,,B,,14,\neva,Eva Zoe,,B,,15,all\n"
)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release, a class of five, and two batches: ann and a broken zip of ben first, cat and a stray file later."""
    made = make_release(tmp_path / "release")
    made.assignments = [NAME]  # type: ignore[attr-defined]
    monkeypatch.setattr(read, "load_release", lambda root: made)
    real = pipeline.grade

    def grade(*given: Any) -> Any:
        *rest, settings = given
        return real(*rest, pipeline.replace(settings, execute=fake_execute))

    monkeypatch.setattr(pipeline, "grade", grade)
    (tmp_path / "people.csv").write_text(LIST)
    hand_in(tmp_path / "first" / "ann")
    (tmp_path / "first" / "ben.zip").write_bytes(b"no zip")
    hand_in(tmp_path / "second" / "cat", solved("return x"))
    (tmp_path / "second" / "notes.txt").write_text("x")
    return tmp_path


def run(desk: Path, command: str, *more: Any) -> int:
    place = ["--release", desk / "release", "--out", desk / "out"]
    return cli.main([str(arg) for arg in (command, *more, *place)])


def graded(desk: Path) -> FakeRelease:
    assert run(desk, "grade", desk / "first", "--roster", desk / "people.csv", "--quiet") == 1
    assert run(desk, "grade", desk / "second", "--quiet") == 1  # the class list is known by now
    return FakeRelease(desk / "release")


def test_everybody_is_there_after_another_batch(desk: Path) -> None:
    roll = read_roll(graded(desk), NAME)
    states = {one.student: one.state for one in roll.students}
    assert states == {"ann": "unmarked", "ben": "refused", "cat": "unmarked", "dan": "missing", "eva": "excused"}
    assert [one.item for one in roll.unplaced] == ["notes.txt"] and roll.listed
    problems = "\n".join(roll.problems())
    for words in (
        "nothing handed in: dan",
        "refused: ben",
        "to be marked: ann, cat",
        "not understood: notes.txt is neither",
    ):
        assert words in problems
    assert "eva" not in problems and "dan" not in "\n".join(roll.problems(zeros=True))


def test_exports_name_everybody_and_say_what_is_missing(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded(desk)
    capsys.readouterr()
    assert run(desk, "export", "--file", desk / "g.csv") == 1
    said = capsys.readouterr()
    assert "nothing handed in: dan" in said.out and "not complete" in said.err
    rows = list(csv.DictReader((desk / "g.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [(one["student"], one["name"], one["section"], one["state"]) for one in rows] == [
        ("ann", "Ann Lee", "A", "unmarked"), ("ben", "Ben Roe", "A", "refused"), ("cat", "Cat Poe", "B", "unmarked"),
        ("dan", "Dan Foe", "B", "missing"), ("eva", "Eva Zoe", "B", "excused"),
    ]  # fmt: skip
    assert "not a sound zip" in rows[1]["problem"] and rows[1]["points"] == rows[3]["points"] == ""
    assert run(desk, "export", "--format", "json", "--partial") == 0
    data = json.loads((desk / "out" / f"grades-{NAME}-json.json").read_text())
    assert data["not_understood"][0]["item"] == "notes.txt" and data["students"][3]["points"] is None


def test_the_class_list_reaches_platforms_from_plain_folders(desk: Path) -> None:
    """A folder has a name only; number, school id, address and full name are the class list's."""
    graded(desk)
    assert (
        run(desk, "remove", "notes.txt", "--reason", "no hand-in", "--by", "me") == 0
    )  # as long as it is there, no zeros
    rows = {}
    for layout in ("canvas", "gradescope"):
        assert run(desk, "export", "--format", layout, "--file", desk / layout, "--partial", "--zeros") == 0
        rows[layout] = list(csv.reader((desk / layout).read_text(encoding="utf-8-sig").splitlines()))
    assert rows["canvas"][2] == ["Ann Lee", "11", "", "ann", "A", "5"]
    assert ["Dan Foe", "14", "", "dan", "B", "0"] in rows["canvas"] and not any(
        "Eva" in one[0] for one in rows["canvas"]
    )
    assert rows["gradescope"][1][:5] == ["Ann", "Lee", "S1", "ann@x.org", "5"]


def test_the_report_names_who_is_not_graded(desk: Path) -> None:
    graded(desk)
    assert run(desk, "report") == 0
    page = (desk / "out" / "report" / "index.html").read_text()
    for words in ("5 students", "nothing handed in (1)", "Dan Foe (dan)", "refused (1)", "excused (1)", "notes.txt"):
        assert words in page, words


def test_what_was_not_understood_is_settled_by_a_later_run(desk: Path) -> None:
    release = graded(desk)
    (desk / "second" / "notes.txt").unlink()
    assert run(desk, "grade", desk / "second", "--quiet") == 0
    assert read_roll(release, NAME).unplaced == []
    (desk / "second" / "dave").mkdir()
    assert run(desk, "grade", desk / "second", "--quiet") == 1
    assert [one.item for one in read_roll(release, NAME).unplaced] == ["dave"]
    assert run(desk, "grade", desk / "first", "--quiet") == 1
    assert [one.item for one in read_roll(release, NAME).unplaced] == ["dave"], "another export settles nothing"
    (desk / "people.csv").write_text(LIST + "dave,Dave,,B,,16,\n")
    hand_in(desk / "third" / "dave")
    assert run(desk, "grade", desk / "third", "--roster", desk / "people.csv", "--quiet") == 0
    assert read_roll(release, NAME).unplaced == [], "now it is somebody's, from wherever"


def test_a_later_refusal_does_not_hide_the_grade(desk: Path) -> None:
    release = graded(desk)
    folder = desk / "again"
    folder.mkdir()
    (folder / "ann.zip").write_bytes(b"no zip")
    assert run(desk, "grade", folder, "--quiet") == 1
    (ann, *_) = read_roll(release, NAME).students
    assert ann.graded and ann.notes[0].startswith("a later hand-in was not graded: ")
    assert run(desk, "grade", desk / "first", "--quiet", "--again") == 1
    assert "later" not in "".join(read_roll(release, NAME).students[0].notes)


def test_a_student_who_was_removed_is_missed_again(desk: Path) -> None:
    release = graded(desk)
    assert run(desk, "remove", "ann", "--reason", "x") == 0
    assert read_roll(release, NAME).of("missing")[0].student == "ann"


def test_the_terms_class_list_is_kept_and_replaced(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = graded(desk)
    assert roster_path(release).read_text() == LIST
    (desk / "bad.csv").write_text("id\nann\nann\n")
    assert run(desk, "grade", desk / "first", "--roster", desk / "bad.csv", "--quiet") == 2
    assert roster_path(release).read_text() == LIST, "a class list with an error changes nothing"
    (desk / "people.csv").write_text("id\nben\n")
    assert run(desk, "grade", desk / "first", "--roster", desk / "people.csv", "--quiet") == 1
    assert "ann is of nobody" in capsys.readouterr().out
    row = next(one for one in read_roll(release, NAME).students if one.student == "ann")
    assert row.notes[0] == "not on the class list roster.csv"
