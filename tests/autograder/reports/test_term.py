"""Dates of a term: due times with a zone, grace, what lateness takes off, longer for some; from the first day to the last."""

from __future__ import annotations

import csv
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import cli
from autograder.grading import pipeline
from autograder.release import read
from autograder.reports.lateness import span
from autograder.reports.roll import read_roll
from autograder.reports.term import Term, excused, parsed_term, read_term, term_path, term_text
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved

BERLIN = ZoneInfo("Europe/Berlin")
DUE = datetime(2027, 3, 27, 23, 59, tzinfo=BERLIN)  # the clocks go forward in the night after
TERM = Term(BERLIN, {NAME: DUE}, timedelta(minutes=15), ((24, 0.9), (72, 0.5)))


@pytest.mark.parametrize(
    ("hours", "share"), [(0, 1.0), (0.2, 1.0), (0.3, 0.9), (24, 0.9), (24.1, 0.5), (72, 0.5), (73, 0.0)]
)
def test_the_table_says_what_is_kept(hours: float, share: float) -> None:
    came = (DUE.astimezone(UTC) + timedelta(hours=hours)).isoformat()
    assert TERM.share(TERM.lateness(came, DUE)) == share
    assert Term(due={NAME: DUE}).share(timedelta(hours=hours)) == 1.0, "without a table nothing is taken off"


@given(st.floats(0, 1000), st.floats(0, 1000))
def test_coming_later_never_keeps_more(first: float, second: float) -> None:
    early, late = sorted((first, second))
    assert TERM.share(timedelta(hours=early)) >= TERM.share(timedelta(hours=late))


@pytest.mark.parametrize(
    ("extension", "due"),
    [
        ("", "2027-03-27T22:59:00"),
        ("+2d", "2027-03-29T21:59:00"),  # the same time on the clock, 47 hours later
        ("+48h", "2027-03-29T22:59:00"),
        ("2027-04-01", "2027-04-01T21:59:59"),
        ("2027-04-01T12:00", "2027-04-01T10:00:00"),
        ("2027-04-01T12:00+00:00", "2027-04-01T12:00:00"),
        (f"+1d; {NAME}=+2d", "2027-03-29T21:59:00"),
        ("01_other=+9d; +1d", "2027-03-28T21:59:00"),
        ("01_other=+9d", "2027-03-27T22:59:00"),
        ("2027-10-31T02:30", "2027-10-31T01:30:00"),  # comes twice: the later one
    ],
)
def test_extensions(extension: str, due: str) -> None:
    found = TERM.deadline(NAME, extension)
    assert found is not None and found.astimezone(UTC).isoformat()[:19] == due


@pytest.mark.parametrize(
    ("due", "extension", "ends"),
    [
        ("2027-10-30T02:30:00", "+1d", "2027-10-31T01:30:00"),  # the hour comes twice: the later one
        ("2027-10-31T02:30:00", "+0d", "2027-10-31T01:30:00"),
        ("2027-10-31T02:30:00", "+1d", "2027-11-01T01:30:00"),
        ("2027-03-27T02:30:00", "+1d", "2027-03-28T01:30:00"),  # the hour is skipped: not a shorter time
        ("2027-03-27T02:30:00+01:00", "+1d", "2027-03-28T01:30:00"),
    ],
)
def test_days_that_end_where_the_clocks_change_are_not_cut(due: str, extension: str, ends: str) -> None:
    term = parsed_term(f'zone = "Europe/Berlin"\n[due]\n"{NAME}" = {due}\n', [NAME])
    found = term.deadline(NAME, extension)
    assert found is not None and found.astimezone(UTC).isoformat()[:19] == ends


def test_a_day_without_a_zone_and_nonsense() -> None:
    assert Term().deadline(NAME) is None and Term().deadline(NAME, "+2d") is None
    for text in ("tomorrow", "+2", "2d", "2027-13-01", "+9999d"):
        with pytest.raises(CourseError, match="is no time"):
            TERM.deadline(NAME, text)
    with pytest.raises(CourseError, match="2027-03-28T02:30 does not exist in Europe/Berlin"):
        TERM.deadline(NAME, "2027-03-28T02:30")
    assert excused("all", NAME) and excused(f"x; {NAME}", NAME) and not excused("", NAME) and not excused("07", NAME)
    times = [span(timedelta(minutes=m)) for m in (0.2, 5, 15 + 1 / 60, 61.5, 1500)]
    assert times == ["12 s", "5 min", "15 min 1 s", "1 h 1 min", "1 d 1 h"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zone = 'Mars/Base'", "'Mars/Base' is not known"),
        ("[due]\na = 'soon'", "due date of a is no date"),
        ("zone = 'Europe/Berlin'\n[due]\na = 2027-03-28T02:30:00", "does not exist in Europe/Berlin"),
        ("[late]\nkeep = [[24, 0.5], [12, 0.4]]", "rising hours"),
        ("[late]\nkeep = [[24, 0.5], [48, 0.6]]", "shares that fall"),
        ("[late]\nkeep = [[24, 2]]", "at most 1"),
        ("[late]\nkeep = [[24, nan]]", "at most 1"),
        ("[late]\nkeep = [[24, 0.5], [inf, 0.4]]", "hours up to 1,000,000"),
        ("[late]\nkeep = [24]", "pairs of hours"),
        ("[late]\ngrace_minutes = -1", "not negative"),
        ("[late]\ngrace = 15", "grace: no such entry"),
        ("[lat]\n", "lat: no such entry"),
        ("zone", "cannot be read"),
    ],
)
def test_errors_of_the_file_are_one_sentence(text: str, words: str, tmp_path: Path) -> None:
    release = FakeRelease(tmp_path)
    term_path(release).parent.mkdir()
    term_path(release).write_text(text)
    with pytest.raises(CourseError, match=words) as caught:
        read_term(release)
    assert str(term_path(release)) in str(caught.value)


def test_a_new_file_reads_back(tmp_path: Path) -> None:
    release = FakeRelease(tmp_path)
    term_path(release).parent.mkdir()
    term_path(release).write_text(term_text('A "term"', "Europe/Berlin", [NAME, "08_x"], {NAME: "2027-03-27T23:59"}))
    found = read_term(release)
    assert found.due == {NAME: DUE} and found.keep == TERM.keep and found.grace == TERM.grace and not found.closed
    with pytest.raises(CourseError, match="09: not in this release"):
        term_text("", "UTC", [NAME], {"09": "2027-01-01"})


# ---- the commands ------------------------------------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release; ann in time, ben a day late, cat with an extension, each with nbgrader's own time stamp."""
    made = make_release(tmp_path / "release")
    made.assignments, made.term = [NAME], "Spring"  # type: ignore[attr-defined]
    monkeypatch.setattr(read, "load_release", lambda root: made)
    real = pipeline.grade

    def grade(*given: Any) -> Any:
        return real(*given[:-1], pipeline.replace(given[-1], execute=fake_execute))

    monkeypatch.setattr(pipeline, "grade", grade)
    (tmp_path / "people.csv").write_text(
        "id,name,extension,excused\nann,Ann,,\nben,Ben,,\ncat,Cat,+2d,\neva,Eva,,all\n"
    )
    for student, time in (("ann", "27 22:00:00"), ("ben", "28 22:00:00"), ("cat", "28 22:00:00")):
        folder = tmp_path / "submitted" / student / NAME
        hand_in(folder, solved(why=student))
        (folder / "timestamp.txt").write_text(f"2027-03-{time} UTC")
    return tmp_path


def run(desk: Path, command: str, *more: Any) -> int:
    place = ["--release", desk / "release", "--out", desk / "out"]
    return cli.main([str(arg) for arg in (command, *more, *place)])


def mark(release: FakeRelease) -> None:
    """Mark every written answer with half a point."""
    from autograder.release.nbgrader_db import open_book

    with open_book(release.root / "instructor") as book:
        for student in ("ann", "ben", "cat"):
            grade = book.find_grade("written-why", NAME, NAME, student)
            grade.manual_score, grade.needs_manual_grade = 0.5, False
        book.db.commit()


def test_a_term_from_its_first_day_to_its_last(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    due = ("--zone", "Europe/Berlin", "--due", f"{NAME}=2027-03-27T23:59")
    assert run(desk, "term", "new", *due, "--roster", desk / "people.csv") == 0
    assert run(desk, "term", "new", *due) == 2 and "is there already" in capsys.readouterr().err
    assert run(desk, "term", "status") == 0
    assert f"{NAME}: due 2027-03-27 23:59 Europe/Berlin; nothing collected yet\n" in capsys.readouterr().out
    assert run(desk, "grade", desk / "submitted", "--quiet") == 0
    assert run(desk, "term", "status") == 0
    assert "3 answers to be marked, 1 excused, 1 late" in capsys.readouterr().out
    assert run(desk, "term", "close") == 1 and "the term stays open" in capsys.readouterr().err
    mark(FakeRelease(desk / "release"))
    assert run(desk, "term", "close") == 0 and "closed on 20" in capsys.readouterr().out
    rows = list(csv.DictReader((desk / "out" / "term.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [(one["student"], one[NAME], one["points"], one["of"]) for one in rows] == [
        ("ann", "5.5", "5.5", "6"), ("ben", "4.95", "4.95", "6"), ("cat", "5.5", "5.5", "6"), ("eva", "excused", "0", "0"),
    ]  # fmt: skip
    for command in ("grade", "regrade"):
        more = ("--reason", "x") if command == "regrade" else ()
        assert run(desk, command, desk / "submitted", "--quiet", *more) == 2
        assert "the term was closed on" in capsys.readouterr().err
    path = term_path(FakeRelease(desk / "release"))
    path.write_text(
        path.read_text().replace(f'closed = "{read_term(FakeRelease(desk / "release")).closed}"', 'closed = ""')
    )
    assert run(desk, "grade", desk / "submitted", "--quiet") == 0


def test_lateness_reaches_report_and_exports(desk: Path) -> None:
    run(
        desk,
        "term",
        "new",
        "--zone",
        "Europe/Berlin",
        "--due",
        f"{NAME}=2027-03-27T23:59",
        "--roster",
        desk / "people.csv",
    )
    assert run(desk, "grade", desk / "submitted", "--quiet") == 0
    mark(FakeRelease(desk / "release"))
    assert run(desk, "export", "--format", "json") == 0
    ben = json.loads((desk / "out" / f"grades-{NAME}-json.json").read_text())["students"][1]
    assert (ben["student"], ben["points"], ben["counts"], ben["share"], ben["late"]) == (
        "ben",
        5.5,
        4.95,
        0.9,
        "23 h 1 min",
    )
    assert run(desk, "report") == 0
    page = (desk / "out" / "report" / "index.html").read_text()
    own = (desk / "out" / "report" / "feedback" / "ben.html").read_text()
    assert "Handed in 23 h 1 min late: 90 % of the points count, 4.95." in own
    assert " late" not in (desk / "out" / "report" / "feedback" / "ann.html").read_text()
    assert "late (1)" in page and "23 h 1 min" in page and "90 % count" in page and "4.95 of 6" in page


def test_without_the_platforms_time_nobody_loses_points(desk: Path) -> None:
    """When we first saw a hand-in says nothing of when it was handed in."""
    run(desk, "term", "new", "--due", f"{NAME}=2020-01-01", "--roster", desk / "people.csv")
    hand_in(desk / "plain" / "ann", solved(why="other"))
    assert run(desk, "grade", desk / "plain", "--quiet") == 0
    (ann, *_) = read_roll(FakeRelease(desk / "release"), NAME).students
    assert ann.share == 1 and not ann.late and ann.received == ""


def test_a_late_mark_without_a_time_is_for_a_person_to_decide(desk: Path) -> None:
    (desk / "canvas").mkdir()
    (desk / "people.csv").write_text("id,name,canvas_id\nann,Ann,12\n")
    (desk / "canvas" / f"ann_LATE_12_34_{NAME}.ipynb").write_text(json.dumps(solved()))
    assert run(desk, "grade", desk / "canvas", "--quiet", "--roster", desk / "people.csv") == 0
    roll = read_roll(FakeRelease(desk / "release"), NAME)
    assert roll.students[0].share == 1 and "marked late by canvas" in roll.students[0].late
    assert any("late, by how much is not known, nothing taken off: ann" in one for one in roll.problems())


def test_more_hand_ins_than_allowed_are_named(desk: Path) -> None:
    run(desk, "term", "new")
    path = term_path(FakeRelease(desk / "release"))
    path.write_text(path.read_text().replace("attempts = 0", "attempts = 1"))
    for number in range(2):
        folder = desk / f"batch{number}"
        hand_in(folder / "ann", solved(why=str(number)))
        assert run(desk, "grade", folder, "--quiet") == 0
        assert run(desk, "grade", folder, "--quiet") == 0, "the same again is no attempt"
    (ann,) = read_roll(FakeRelease(desk / "release"), NAME).students
    assert ann.attempts == 2 and "2 hand-ins, 1 are allowed" in ann.notes[0]


def test_a_wrong_extension_names_the_student(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(desk, "term", "new", "--due", f"{NAME}=2027-01-01")
    (desk / "people.csv").write_text("id,extension\nann,soon\n")
    assert run(desk, "term", "status") == 0
    grade = ("grade", desk / "submitted", "--quiet", "--roster", desk / "people.csv", "--from", "nbgrader")
    assert run(desk, *grade) == 2  # before anything is judged, and the list is not kept
    words = "the extension of ann in the class list: 'soon' is no time"
    kept = desk / "release" / "instructor" / "roster.csv"
    assert words in capsys.readouterr().err and not kept.exists()
    shutil.copyfile(desk / "people.csv", kept)
    with pytest.raises(CourseError, match=words):
        read_roll(FakeRelease(desk / "release"), NAME)
