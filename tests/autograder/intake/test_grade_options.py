"""``grade --from --roster``: who was not understood is listed, the others are graded, and the exit code says so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import pipeline, store
from autograder.release import read
from autograder.release.nbgrader_db import open_book
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release, and hand-ins of ann and ben; the judge is the fake one."""
    made = make_release(tmp_path / "release")
    made.assignments = [NAME]  # type: ignore[attr-defined]
    monkeypatch.setattr(read, "load_release", lambda root, **_: made)
    real = pipeline.grade

    def grade(*given: Any) -> Any:
        *rest, how = given
        return real(*rest, type(how)(**{**how.__dict__, "execute": fake_execute}))

    monkeypatch.setattr(pipeline, "grade", grade)
    for name in ("ann", "ben"):
        hand_in(tmp_path / "subs" / name)
    return tmp_path


def run(desk: Path, *args: Any) -> int:
    rest = ("--release", desk / "release", "--out", desk / "out", "--quiet")
    return cli.main([str(arg) for arg in ("grade", desk / "subs", *rest, *args)])


def test_what_is_not_understood_is_listed_and_the_rest_is_graded(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk / "subs" / "notes.txt").write_text("x")
    assert run(desk) == 1
    said = capsys.readouterr().out
    assert "not understood: notes.txt is neither a zip, nor a notebook, nor a folder" in said
    assert "2 graded, 1 not" in said and "read as folders" in said
    refused = [entry.data for entry in store.open_ledger(FakeRelease(desk / "release")) if entry.kind == "refused"]
    assert [one["item"] for one in refused] == ["notes.txt"] and "student" not in refused[0]


def test_the_class_list_refuses_strangers(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "subs" / "roster.csv").write_text("id,name\nann,Ann\ncarl,Carl\n")
    assert run(desk, "--roster", desk / "subs" / "roster.csv") == 1
    said = capsys.readouterr().out
    assert "not understood: ben is of nobody in roster.csv" in said and "nothing handed in: carl" in said
    assert not list((desk / "release").rglob("*ben*"))


def test_a_platform_that_does_not_fit_grades_nobody(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(desk, "--from", "canvas") == 1
    assert "not understood: ann is not named as canvas names its downloads" in capsys.readouterr().out
    (desk / "roster.csv").write_text("id\nann\nann\n")
    assert run(desk, "--roster", desk / "roster.csv") == 2
    assert "is there twice" in capsys.readouterr().err


def test_a_student_who_was_entered_by_mistake_is_taken_out(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The ledger keeps every line; results, gradebook, report and exports have the student no more."""
    rest = ("--release", desk / "release", "--out", desk / "out")
    assert run(desk) == 0
    before = len(list(store.open_ledger(FakeRelease(desk / "release"))))
    assert cli.main([str(a) for a in ("feedback", *rest)]) == cli.main([str(a) for a in ("report", *rest)]) == 0
    assert cli.main([str(a) for a in ("remove", "zed", *rest, "--reason", "x")]) == 2
    assert cli.main([str(a) for a in ("remove", "ben", *rest, "--reason", " ")]) == 2
    assert "no such student" in capsys.readouterr().err
    assert (
        cli.main([str(a) for a in ("remove", "ben", *rest, "--reason", "a folder, not a student", "--by", "me")]) == 0
    )
    assert not list((desk / "out").rglob("ben.html")) and len(list((desk / "out").rglob("ann.html"))) == 2
    assert len(list((desk / "release" / "instructor" / "removed").rglob("page-*.html"))) == 2
    entries = list(store.open_ledger(FakeRelease(desk / "release")))
    assert len(entries) == before + 1 and entries[-1].data["reason"] == "a folder, not a student"
    assert cli.main([str(a) for a in ("export", *rest, "--file", desk / "g.csv", "--partial")]) == 0
    assert "ann" in (desk / "g.csv").read_text() and "ben" not in (desk / "g.csv").read_text()
    assert cli.main([str(a) for a in ("ledger", "verify", *rest)]) == 0
    assert cli.main([str(a) for a in ("ledger", "rebuild", *rest)]) == 0
    assert [path.name for path in (desk / "release" / "instructor" / "submitted").iterdir()] == ["ann"]
    assert run(desk) == 0 and "ben" in {p.name for p in (desk / "release" / "instructor" / "submitted").iterdir()}


def canvas(desk: Path, name: str, number: int, london: str) -> None:
    """The folder of hand-ins, with one Canvas download of this person in it."""
    shutil.rmtree(desk / "subs")
    (desk / "subs").mkdir()
    path = desk / "subs" / f"{name}_{number}_{number}5_{NAME}.ipynb"
    path.write_text(json.dumps(solved(london=london)))


def points(desk: Path, student: str) -> float:
    return store.open_ledger(FakeRelease(desk / "release")).standings()[(NAME, student)].points


def test_a_namesake_on_canvas_does_not_replace_a_grade(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With names only on the class list, the number of the submission that stands says who it was."""
    people = desk / "people.csv"
    people.write_text("id,name\nada,Ada Byron\n")
    canvas(desk, "byronada", 11, "return x + 1")
    assert run(desk, "--roster", people) == 0
    full = points(desk, "ada")
    for london in ("return 0", "return x + 1"):
        canvas(desk, "byronada", 12, london)
        capsys.readouterr()
        assert run(desk, "--roster", people) == 1
        said = capsys.readouterr().out
        assert "came from number 12 of canvas, but the submission that stands from number 11" in said
        assert "ada" in said and points(desk, "ada") == full
    assert run(desk, "--roster", people, "--from", "canvas") == 1  # asking again changes nothing
    canvas(desk, "byronada", 11, "return 0")
    assert run(desk, "--roster", people) == 0 and points(desk, "ada") < full
    people.write_text("id,name,canvas_id\nada,Ada Byron,12\n")  # the class list says that 12 is Ada
    canvas(desk, "byronada", 12, "return x + 1")
    assert run(desk, "--roster", people) == 0 and points(desk, "ada") == full


def test_school_id_and_mail_reach_the_export(desk: Path) -> None:
    people = desk / "people.csv"
    people.write_text("id,name,sid,email\nada,Ada Byron,S7,Ada@x.org\n")
    canvas(desk, "byronada", 11, "return x + 1")
    rest = ("--release", desk / "release", "--out", desk / "out")
    assert run(desk, "--roster", people) == 0
    asked = ("export", "--format", "gradescope", "--file", desk / "g.csv", "--partial", *rest)
    assert cli.main([str(arg) for arg in asked]) == 0
    assert ",S7,Ada@x.org," in (desk / "g.csv").read_text() and "11" not in (desk / "g.csv").read_text().split(",S7")[0]


def test_who_is_excused_is_not_missed(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "class.csv").write_text(f"id,excused\nann,\nben,\ncarl,all\ndora,{NAME}\neve,\n")
    assert run(desk, "--roster", desk / "class.csv", "--json", desk / "run.json") == 0
    assert "nothing handed in: eve\n" in capsys.readouterr().out
    assert json.loads((desk / "run.json").read_text())["missing"] == ["eve"]


def test_a_worksheet_cannot_be_filled_before_there_are_grades(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sentence names what is missing, and not the platform's settings or the class list."""
    (desk / "worksheet.csv").write_text(
        "Identifier,Grade,Maximum Grade,Last modified (grade)\nParticipant 77,,6.00,-\n"
    )
    (desk / "class.csv").write_text("id,moodle_id\nann,77\nben,78\n")
    rest = ("--release", desk / "release", "--out", desk / "out", "--format", "moodle")
    filling = [str(one) for one in ("export", *rest, "--into", desk / "worksheet.csv")]
    assert cli.main(filling) == 2 and "nothing is graded yet; run python" in capsys.readouterr().err
    assert run(desk, "--roster", desk / "class.csv") == 0
    assert cli.main(filling) == 2
    assert "answers of 2 are to be marked; mark them in the formgrader, or say --partial" in capsys.readouterr().err
    assert cli.main([*filling, "--partial"]) == 1  # ben is not in the worksheet
    assert "Participant 77,5," in (desk / "out" / f"grades-{NAME}-moodle.csv").read_text()


def test_the_formgrader_lists_names_of_the_class_list(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "class.csv").write_text("id,name\nann,Ann Marie <b>Ånström\nben,\n", encoding="utf-8")
    assert run(desk, "--roster", desk / "class.csv") == 0
    with open_book(desk / "release" / "instructor") as book:
        ann, ben = book.find_student("ann"), book.find_student("ben")
        assert (ann.first_name, ann.last_name) == ("Ann Marie", "＜b＞Ånström") and not ben.last_name
    rest = ("--release", desk / "release", "--out", desk / "out")
    assert cli.main([str(a) for a in ("feedback", *rest)]) == 0
    assert "Ann Marie ＜b＞Ånström" in (desk / "out" / "feedback" / "ann.html").read_text()
    assert cli.main([str(a) for a in ("remove", "ann", *rest, "--reason", "left")]) == 0
    assert "still on the class list: take the line out" in capsys.readouterr().out
