"""Exports read back as what they were, whatever is in a name."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from autograder.reports import exports as exporting
from autograder.reports.exports import FORMATS, Table, cell, export
from autograder.reports.feedback import Row
from autograder.reports.roll import Roll, StudentRow
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease


def row(exercise: str, points: str, most: str, hint: str = "") -> Row:
    return Row(exercise, exercise, "✓", "passed", "passed", points, most, hint, "", False, Markup(""))


def student(name: str = "Müller, Jr", **more: object) -> StudentRow:
    rows = [row("london", "1.5", "2", "add one"), row("why", "–", "1")]
    given: dict = {"waiting": 1, "lms_id": "77", "received": "2026-11-20T10:00:00+00:00", **more}
    return StudentRow("müller_jr", rows, 1.5, 3.0, name=name, **given)


TABLE = Table(NAME, [student(), StudentRow("lost", reason="no zip"), StudentRow("kim")], partial=True)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_csv_quotes_and_leaves_blank_what_is_not_marked() -> None:
    rows = read(FORMATS["csv"](TABLE))
    assert ",".join(rows[0]) == (
        "student,name,section,email,state,received,late,attempts,london,why,points,max_points,to_mark,counts,problem"
    )
    assert rows[1][:6] == ["müller_jr", "Müller, Jr", "", "", "unmarked", "2026-11-20T10:00:00+00:00"]
    assert rows[1][6:] == ["", "0", "1.5", "", "1.5", "3", "1", "1.5", ""]
    assert rows[2] == ["lost", "lost", "", "", "refused", "", "", "0", *[""] * 4, "0", "", "no zip"]
    assert rows[3][:5] == ["kim", "kim", "", "", "missing"]


@pytest.mark.parametrize("layout", ["canvas", "moodle", "gradescope"])
def test_platforms_get_points_only_where_they_are_final(layout: str) -> None:
    """What is not marked, refused or missing has no grade there, unless the instructor says so."""
    whole = student(waiting=0)
    late = student("Late", waiting=0, share=0.5, late="1 d")
    people = [
        student("Half"),
        whole,
        late,
        StudentRow("kim"),
        StudentRow("lost", reason="x"),
        student("Ex", excused=True),
    ]
    at = {"canvas": 5, "moodle": 2, "gradescope": 4}[layout]
    first = 2 if layout == "canvas" else 1

    def grades(**options: bool) -> list[str]:
        return [one[at] for one in read(FORMATS[layout](Table(NAME, people, **options)))[first:]]

    assert grades() == ["1.5", "0.75"]
    assert grades(partial=True) == ["1.5", "1.5", "0.75"] and grades(zeros=True) == ["1.5", "0.75", "0"]


def test_platform_layouts_never_hold_a_zero_for_what_was_not_graded() -> None:
    canvas, moodle, scope = (read(FORMATS[name](TABLE)) for name in ("canvas", "moodle", "gradescope"))
    assert canvas[1][5] == "3" and canvas[2:] == [["Müller, Jr", "77", "", "müller_jr", "", "1.5"]]
    assert moodle[1:] == [["Participant 77", "Müller, Jr", "1.5", "3", "london: add one"]]
    assert scope[0][4:6] == [NAME, f"{NAME} - Max Points"] and scope[1:] == [
        ["Jr", "Müller", "", "", "1.5", "3", "2026-11-20T10:00:00+00:00"]
    ]


def test_numbers_go_to_their_own_platform_only() -> None:
    """Gradescope's number is the hand-in's: as SID or as a Canvas user it would be another student's."""
    table = Table(NAME, [student(platform="gradescope", sid="S9", email="mu@x.org")], partial=True)
    canvas, moodle, scope = (read(FORMATS[name](table)) for name in ("canvas", "moodle", "gradescope"))
    assert scope[1][2:4] == ["S9", "mu@x.org"] and canvas[2][1] == "" and moodle[1][0] == "müller_jr"
    for platform, layout, at in (("canvas", "canvas", 2), ("moodle", "moodle", 1)):
        rows = read(FORMATS[layout](Table(NAME, [student(platform=platform)], partial=True)))
        assert any("77" in value for value in rows[at])
    assert json.loads(FORMATS["json"](table))["students"][0]["sid"] == "S9"


def test_json_holds_everything() -> None:
    data = json.loads(FORMATS["json"](TABLE))
    assert data["students"][0]["exercises"]["why"]["points"] is None
    assert data["students"][1]["points"] is None and data["students"][1]["problem"] == "no zip"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=30))
def test_any_name_reads_back(name: str) -> None:
    table = Table(NAME, [student(name or "x")], partial=True)
    for layout in ("csv", "canvas", "moodle"):
        rows = read(FORMATS[layout](table))
        assert len({len(one) for one in rows}) == 1
        assert any(cell(name or "x") in one for one in rows)


EVIL = ["=1+1", "+A1", "-2", "@SUM(A1)", "＝A1", "  =A1", "Ann;=A1", 'Ann"\n=A1']
UNSEEN = "\u00ad\u061c\u180e\u200b\u202e\u2060\u2066\u2069\ufeff"


@pytest.mark.parametrize("value", [*EVIL, *(f"{one}=1" for one in UNSEEN)])
def test_no_field_of_the_class_list_is_a_formula(value: str) -> None:
    """Every column that an instructor's file or a student's account may fill, numbers of platforms too."""
    names = ("section", "sid", "email", "canvas_id", "moodle_id")
    one = student(value, given=dict.fromkeys(names, value), sid=value, email=value, reason=value)
    for layout in ("csv", "canvas", "moodle", "gradescope"):
        cells = [text for line in read(FORMATS[layout](Table(NAME, [one], partial=True)))[1:] for text in line]
        parts = [part.strip(UNSEEN + " ") for text in cells for part in re.split(r"[;\n]", text)]
        assert not any(part.startswith(("=", "+", "@", "＝")) or part == "-2" for part in parts), cells


@pytest.mark.parametrize("name", EVIL)
def test_formulas_do_not_reach_a_spreadsheet(name: str) -> None:
    for layout in ("csv", "canvas", "moodle", "gradescope"):
        for one in read(FORMATS[layout](Table(NAME, [student(name)], partial=True)))[1:]:
            parts = [part.strip() for value in one for part in re.split(r"[;\n]", value)]
            assert not any(part.startswith(("=", "+", "@", "＝")) or part == "-2" for part in parts)


def test_export_writes_the_file_or_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CourseError, match="nothing is graded yet"):
        export(FakeRelease(tmp_path), NAME, "csv", tmp_path / "g.csv")
    with pytest.raises(CourseError, match="choose one of"):
        export(FakeRelease(tmp_path), NAME, "xls", tmp_path / "g.xls")
    monkeypatch.setattr(exporting, "read_roll", lambda *_: Roll([student()], [], listed=False))
    export(FakeRelease(tmp_path), NAME, "csv", tmp_path / "g.csv")
    assert (tmp_path / "g.csv").read_text(encoding="utf-8-sig") == FORMATS["csv"](Table(NAME, [student()]))
