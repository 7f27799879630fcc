"""Feedback goes back to the platform: its importer finds everybody's page, also of those who were refused."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import pipeline
from autograder.grading.store import open_ledger
from autograder.release import read
from tests.autograder.reports import importers
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, make_release, solved

LIST = "id,name,canvas_id,moodle_id\nann,Ann_B. Lee,11,111\nben,Ben Roe,12,112\ncat,Cat Poe,13,113\n"
USERS = {11: "Lee, Ann", 12: "Roe, Ben", 13: "Poe, Cat"}
PEOPLE = {111: "Ann", 112: "Ben", 113: "Cat"}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release, and a Canvas export: ann twice, ben refused, cat late."""
    made = make_release(tmp_path / "release")
    made.assignments = [NAME]  # type: ignore[attr-defined]
    monkeypatch.setattr(read, "load_release", lambda root: made)
    real = pipeline.grade

    def grade(*given: Any) -> Any:
        return real(*given[:-1], pipeline.replace(given[-1], execute=fake_execute))

    monkeypatch.setattr(pipeline, "grade", grade)
    (tmp_path / "people.csv").write_text(LIST)
    folder = tmp_path / "canvas"
    folder.mkdir()
    for name in ("leeann_11_501_hw.ipynb", "leeann_11_502_hw-1.ipynb", "poecat_LATE_13_504_hw.ipynb"):
        (folder / name).write_text(json.dumps(solved(why=name)))
    (folder / "roeben_12_503_hw.zip").write_bytes(b"no zip")
    return tmp_path


def run(desk: Path, command: str, *more: Any) -> int:
    place = ["--release", desk / "release", "--out", desk / "out"]
    return cli.main([str(arg) for arg in (command, *more, *place)])


def packed(desk: Path, platform: str) -> dict[str, str]:
    with zipfile.ZipFile(desk / "out" / f"feedback-{NAME}-{platform}.zip") as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_canvas_finds_the_page_of_every_upload(desk: Path) -> None:
    assert run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet") == 1
    assert run(desk, "feedback", "--zip", "canvas", "--submissions", desk / "canvas") == 0
    pages = packed(desk, "canvas")
    taken = importers.canvas_zip(list(pages), {11: (501, 502), 12: (503,), 13: (504,)})
    assert sorted(taken.values()) == [11, 12, 13] and len(pages) == 3
    whose = {user: pages[name] for name, user in taken.items()}
    assert "of 6 points" in whose[11] and "Ben Roe" in whose[12] and "was not graded" in whose[12]
    assert "not a sound zip archive" in whose[12]


def test_without_the_export_canvas_cannot_be_answered(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet")
    assert run(desk, "feedback", "--zip", "canvas") == 2
    assert "give the export again with --submissions" in capsys.readouterr().err


def test_moodle_finds_every_page_by_the_participants_number(desk: Path) -> None:
    run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet")
    assert run(desk, "feedback", "--zip", "moodle") == 0
    pages = packed(desk, "moodle")
    taken = importers.moodle_zip(list(pages), PEOPLE)
    assert {taken[name] for name in pages} == {(number, f"{NAME}-feedback.html") for number in PEOPLE}
    assert "was not graded" in next(pages[name] for name, (number, _) in taken.items() if number == 112)
    assert packed(desk, "moodle") == pages
    first = (desk / "out" / f"feedback-{NAME}-moodle.zip").read_bytes()
    run(desk, "feedback", "--zip", "moodle")
    assert (desk / "out" / f"feedback-{NAME}-moodle.zip").read_bytes() == first, "the same pages make the same file"


def test_who_has_no_number_is_named(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "people.csv").write_text(LIST.replace("13,113", "13,"))
    run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet")
    capsys.readouterr()
    assert run(desk, "feedback", "--zip", "moodle") == 1
    assert "their place on moodle is not known: cat" in capsys.readouterr().out
    (desk / "people.csv").write_text("id,name,canvas_id\nann,A,11\nben,B,12\ncat,C,13\n")
    run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet")
    assert run(desk, "feedback", "--zip", "moodle") == 2 and "give moodle_id" in capsys.readouterr().err


def test_a_refused_page_says_nothing_that_is_not_the_students(desk: Path) -> None:
    """The judge's own failures, and reasons that speak of other people, stay with the instructor."""
    run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet")
    ledger = open_ledger(FakeRelease(desk / "release"))
    for more in ({"state": "error"}, {"state": "refused", "instructor": True}):
        ledger.append("refused", student="ben", assignment=NAME, reason="secret of number 12 of canvas", **more)
        assert run(desk, "feedback") == 0
        page = (desk / "out" / "feedback" / "ben.html").read_text()
        assert "was not graded" in page and "Ask the person" in page and "secret" not in page
    assert run(desk, "report") == 0
    assert "feedback/ben.html" in (desk / "out" / "report" / "index.html").read_text()


def test_another_persons_number_is_not_told(desk: Path) -> None:
    """End to end: a namesake's hand-in is refused with both numbers for the instructor, and neither for the student."""
    (desk / "people.csv").write_text("id,name\nann,Lee Ann\n")
    for name in ("roeben_12_503_hw.zip", "poecat_LATE_13_504_hw.ipynb"):
        (desk / "canvas" / name).unlink()
    assert run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet") == 0
    (desk / "later").mkdir()
    (desk / "later" / "leeann_7788990_901_hw.ipynb").write_text(json.dumps(solved()))
    assert run(desk, "grade", desk / "later", "--quiet") == 1
    assert run(desk, "feedback") == 0
    assert "7788990" not in (desk / "out" / "feedback" / "ann.html").read_text()


def test_grades_go_into_the_downloaded_file(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(desk, "grade", desk / "canvas", "--roster", desk / "people.csv", "--quiet")
    rows = [["Student", "ID", "Section", "07 Knowledge (9)"], ["    Points Possible", "", "", "6.00"]]
    rows += [[name, str(number), "A", ""] for number, name in USERS.items() if number != 13]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    (desk / "book.csv").write_text(out.getvalue())
    asked = ("export", "--format", "canvas", "--into", desk / "book.csv")
    assert (
        run(desk, *asked, "--file", desk / "book.csv") == 2 and "the downloaded file itself" in capsys.readouterr().err
    )
    assert run(desk, *asked) == 2 and "answers of 2 are to be marked" in capsys.readouterr().err
    assert run(desk, *asked, "--partial") == 1  # a grade that reaches nobody is not one that is known to be missing
    said = capsys.readouterr().out
    assert "with a grade, and not in book.csv: cat" in said
    text = (desk / "out" / f"grades-{NAME}-canvas.csv").read_text()
    assert importers.canvas(text, {9: "07 Knowledge"}, USERS) == {(11, 9): "5", (12, 9): ""}
    assert run(desk, "export", "--format", "csv", "--into", desk / "book.csv") == 2
    capsys.readouterr()
    run(desk, "export", "--format", "moodle")
    assert "takes back its own worksheet only; see --into" in capsys.readouterr().err
