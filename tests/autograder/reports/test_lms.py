"""Grades in the platforms' own files: their importers take them, and nothing else in the file changes what stands there."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from autograder.reports.exports import Table
from autograder.reports.feedback import number as as_points
from autograder.reports.lms import fill
from autograder.reports.roll import StudentRow
from course_utils.errors import CourseError
from tests.autograder.reports import importers
from tests.autograder.reports.test_exports import row
from tests.autograder.tiny_course import NAME


def student(key: str, number: str, points: float = 1.5, **more: object) -> StudentRow:
    given = {"canvas_id": number, "moodle_id": number}
    fields: dict = {
        "points": points,
        "max_points": 3.0,
        "given": given,
        "email": f"{key}@x.org",
        "sid": f"S{number}",
        **more,
    }
    return StudentRow(key, [row("london", str(points), "3")], **fields)


PEOPLE = [student("ann", "11"), student("ben", "12", waiting=1), StudentRow("cat", given={"canvas_id": "13", "moodle_id": "13"}),
          student("eva", "15", excused=True), student("zoe", "99", 3.0)]  # fmt: skip
TABLE = Table(NAME, PEOPLE)
USERS = {11: "Lee, Ann", 12: "Roe, Ben", 13: "Poe, Cat", 15: "Zoe, Eva", 16: "Nobody, Else"}

# ---- Canvas ----------------------------------------------------------------------------------------------------------

HEADS = {
    "plain": ["Student", "ID", "Section"],
    "login": ["Student", "ID", "SIS Login ID", "Section"],
    "school": ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"],
    "root": ["Student", "ID", "SIS User ID", "SIS Login ID", "Root Account", "Section"],
    "integration": ["Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Section"],
}
TITLES = {501: "Other, with comma", 502: "07 Knowledge"}
COLUMNS = ["Other, with comma (501)", "07 Knowledge (502)", "Current Score", "Unposted Final Grade"]


def gradebook(
    folder: Path, head: str = "plain", delimiter: str = ",", most: str = "3.00", columns: list[str] = COLUMNS
) -> Path:
    """A gradebook as Canvas exports it: a line of posting policies, one of points, then people, the test student last."""
    names = HEADS[head]
    lines = [[*names, *columns]]
    lines.append(["", *[""] * (len(names) - 1), "Manual Posting", *[""] * (len(columns) - 1)])
    lines.append(
        ["    Points Possible", *[""] * (len(names) - 1), "10.00", most, *["(read only)"] * (len(columns) - 2)]
    )
    for number, name in [*USERS.items(), (17, "Student, Test")]:
        person = {
            "Student": name,
            "ID": str(number),
            "Section": "A",
            "SIS User ID": f"S{number}",
            "SIS Login ID": f"u{number}",
        }
        lines.append([*(person.get(one, "x") for one in names), "7.00", "0.50", "93.1", "A"])
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(lines)
    path = folder / "gradebook.csv"
    path.write_text("\ufeff" + out.getvalue(), encoding="utf-8")
    return path


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_canvas_takes_the_gradebook_back(head: str, delimiter: str, tmp_path: Path) -> None:
    filled = fill(TABLE, "canvas", gradebook(tmp_path, head, delimiter))
    taken = importers.canvas(filled.text, TITLES, USERS)
    assert taken == {(11, 502): "1.5", (12, 502): "0.50", (13, 502): "0.50", (15, 502): "EX", (16, 502): "0.50"}
    assert filled.absent == ["zoe"] and filled.filled == ["ann", "eva"]


def test_the_importer_of_the_tests_refuses_what_canvas_refuses() -> None:
    """Control: the layout that is made without the platform's file would make a new assignment there."""
    from autograder.reports.exports import FORMATS

    with pytest.raises(importers.Refused, match="new assignment"):
        importers.canvas(FORMATS["canvas"](TABLE), TITLES, USERS)
    with pytest.raises(importers.Refused):
        importers.moodle(FORMATS["moodle"](TABLE), WORDS["en"], USERS, 3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"most": "100.00"}, "07_knowledge has 3 points, on the platform 100"),
        ({"most": "(read only)"}, "is read only"),
        ({"columns": ["a (1)", "b (2)"]}, "no column is called 07_knowledge; name one with --column; there are a"),
        ({"columns": ["07 Knowledge (1)", "07-knowledge (2)"]}, "several columns are called"),
    ],
)
def test_a_gradebook_that_does_not_fit_is_one_sentence(change: dict, words: str, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=words):
        fill(TABLE, "canvas", _other(tmp_path, **change))


def _other(folder: Path, **change: object) -> Path:
    columns = list(change.get("columns", COLUMNS))  # type: ignore[call-overload]
    path = gradebook(folder, most=str(change.get("most", "3.00")), columns=columns)
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([one[: len(rows[0])] for one in rows])
    return path


def test_points_are_turned_only_where_it_is_said(tmp_path: Path) -> None:
    taken = importers.canvas(fill(TABLE, "canvas", gradebook(tmp_path, most="100"), scale=True).text, TITLES, USERS)
    assert taken[(11, 502)] == "50"
    other = fill(TABLE, "canvas", gradebook(tmp_path, most="3"), column="07 Knowledge (502)")
    assert importers.canvas(other.text, TITLES, USERS)[(11, 502)] == "1.5"


def test_halves_are_rounded_up(tmp_path: Path) -> None:
    table = Table(NAME, [student("ann", "11", 11.7, max_points=16.0)])
    filled = fill(table, "canvas", gradebook(tmp_path, most="20"), scale=True)
    assert importers.canvas(filled.text, TITLES, USERS)[(11, 502)] == "14.63"  # 14.625
    assert [as_points(value) for value in (0.125, 1.005, 0.675 * 3, 2.0, 0.0)] == ["0.13", "1.01", "2.03", "2", "0"]


@pytest.mark.parametrize("partial", [True, False])
def test_who_is_excused_on_canvas_stays_so_and_is_named(partial: bool, tmp_path: Path) -> None:
    path = gradebook(tmp_path)
    lines = list(csv.reader(path.open()))
    line = next(line for line in lines if line[1] == "11")
    line[lines[0].index("07 Knowledge (502)")] = "EX"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    filled = fill(Table(NAME, PEOPLE, partial=partial), "canvas", path)
    assert filled.kept == ["ann"] and "ann" not in filled.filled and "ann" not in filled.absent
    assert next(line for line in csv.reader(filled.text.splitlines()) if line[1] == "11")[-1] == "EX"


def test_a_line_that_fits_two_students_is_refused(tmp_path: Path) -> None:
    people = [student("ann", "11", sid="S12"), student("ben", "12", sid="")]
    with pytest.raises(CourseError, match="fits ann and ben; mend the class list"):
        fill(Table(NAME, people), "canvas", gradebook(tmp_path, "school"))


# ---- Moodle ----------------------------------------------------------------------------------------------------------

WORDS = {
    "en": ["Identifier", "Grade", "Last modified (grade)", "Participant "],
    "de": ["ID", "Bewertung", "Zuletzt geändert (Bewertung)", "Teilnehmer/in"],
    "none": ["識別子", "評定", "最終更新日時 (評定)", "参加者"],
}


def worksheet(folder: Path, language: str, most: str = "3.00", workflow: bool = False, mail: bool = True) -> Path:
    """A grading worksheet as Moodle's table writes it."""
    words = WORDS[language]
    head = [words[0], "Full name", *(["Email"] if mail else []), "Status", words[1], "Max", *(["Flow"] if workflow else []),
            "Can be changed", "Last modified (submission)", words[2], "Feedback"]  # fmt: skip
    lines = [head]
    for number, name in USERS.items():
        address = {11: "ann@x.org", 12: "ben@x.org"}.get(number, f"u{number}@x.org")
        grade = "1,00" if number == 16 and language == "de" else ""
        lines.append([f"{words[3]}{number}", name, *([address] if mail else []), "Submitted", grade, most,
                      *(["Open"] if workflow else []), "Yes", "Tuesday, 20 April", "-", "kept, as it was"])  # fmt: skip
    out = io.StringIO()
    csv.writer(out).writerows(lines)
    path = folder / "Grades.csv"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("workflow", [True, False])
@pytest.mark.parametrize("mail", [True, False])
def test_moodle_takes_its_worksheet_back_in_any_language(
    language: str, workflow: bool, mail: bool, tmp_path: Path
) -> None:
    most = "3,00" if language == "de" else "3.00"
    path = worksheet(tmp_path, language, most, workflow, mail)
    filled = fill(TABLE, "moodle", path)
    kept = {16: 1.0} if language == "de" else {}
    assert importers.moodle(filled.text, WORDS[language], USERS, 3) == {11: 1.5, **kept}
    before, after = (importers.rows_of(text) for text in (path.read_text(), filled.text))
    changed = [
        (old, new) for a, b in zip(before, after, strict=True) for old, new in zip(a, b, strict=True) if old != new
    ]
    assert changed == [("", "1.5")], "one cell has changed"
    assert filled.absent == ["zoe"]


def test_a_scale_or_another_file_is_no_worksheet(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="switch off the scale"):
        fill(TABLE, "moodle", worksheet(tmp_path, "en", "Satisfactory"))
    with pytest.raises(CourseError, match="not a grading worksheet"):
        fill(TABLE, "moodle", gradebook(tmp_path))
    with pytest.raises(CourseError, match="not a gradebook of Canvas"):
        fill(TABLE, "canvas", worksheet(tmp_path, "en"))
    with pytest.raises(CourseError, match="on the platform 100"):
        fill(TABLE, "moodle", worksheet(tmp_path, "en", "100.00"))
    (tmp_path / "x.csv").write_text('a,b,"c')
    with pytest.raises(CourseError, match="not readable as CSV"):
        fill(TABLE, "moodle", tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("a,b,c\n1,2\n")
    with pytest.raises(CourseError, match="line 2"):
        fill(TABLE, "moodle", tmp_path / "x.csv")


# ---- Gradescope ------------------------------------------------------------------------------------------------------


def test_gradescopes_download_is_filled_by_school_id_and_address(tmp_path: Path) -> None:
    head = f"First Name,Last Name,SID,Email,Sections,{NAME},{NAME} - Max Points,{NAME} - Submission Time"
    people = ["Ann,Lee,S11,ann@x.org,A,,3.0,", "Ben,Roe,S12,,A,2.0,3.0,", "Zoe,Z,,ZOE@x.org,B,,,"]
    path = tmp_path / "grades.csv"
    path.write_text("\n".join([head, *people]) + "\n")
    filled = fill(TABLE, "gradescope", path)
    assert [one[5] for one in importers.rows_of(filled.text)[1:]] == ["1.5", "2.0", "3"] and not filled.absent
    path.write_text("\n".join([head, "Ann,Lee,S11,ben@x.org,A,,3.0,"]) + "\n")
    with pytest.raises(CourseError, match="fits ann and ben"):
        fill(TABLE, "gradescope", path)


def test_a_file_that_a_spreadsheet_saved_in_utf_16_is_filled_and_written_as_the_platform_reads_it(
    tmp_path: Path,
) -> None:
    lines = [
        "Student\tID\tSection\t07 Knowledge (502)",
        "Points Possible\t\t\t3",
        "Ößi, Ann\t11\tA\t",
        "Roe, Ben\t12\tA\t",
    ]
    (tmp_path / "c.csv").write_bytes("\r\n".join(lines).encode("utf-16"))
    filled = fill(TABLE, "canvas", tmp_path / "c.csv")
    rows = list(csv.reader(io.StringIO(filled.text.removeprefix("\ufeff"))))
    assert filled.text.startswith("\ufeff") and rows[2][0] == "Ößi, Ann" and rows[2][-1] == "1.5"
