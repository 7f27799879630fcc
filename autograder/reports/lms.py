"""Filling of grades into the file that an instructor has downloaded from a learning platform, by that platform's own rules.

The rules and where they are written stand in ``docs/lms.md``. A cell that gets no grade stays as it was: an emptied one
would take away a grade that stands on the platform.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.intake.names import exact, shown
from autograder.intake.tables import decoded, require_text, separated
from autograder.records import in_points
from autograder.reports.exports import Table
from autograder.reports.feedback import number
from autograder.reports.roll import StudentRow
from course_utils.errors import CourseError

PERSON = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account",
          "Section")  # fmt: skip
CALCULATED = re.compile(
    r"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)"
)  # Canvas ignores columns with these words
_CANVAS_ID = re.compile(r" \([0-9]+\)$", re.A)
_NUMBER = re.compile(r"-?[0-9]+([.,][0-9]+)?", re.A)
_LAST_NUMBER = re.compile(r"([0-9]+)$", re.A)
EXCUSED = "EX"  # Canvas writes it instead of a grade
_EMPTY = ("", "-")
PLATFORMS = ("canvas", "moodle", "gradescope")
MAX_BYTES = 50 * 2**20
Keys = Sequence[tuple[str, Callable[[StudentRow], str]]]


@dataclass
class Sheet:
    """A file as it was downloaded: first line, other lines, and how it was written."""

    path: Path
    head: list[str]
    rows: list[list[str]]
    delimiter: str
    mark: bool

    def text(self) -> str:
        """The file again."""
        out = io.StringIO()
        csv.writer(out, delimiter=self.delimiter, lineterminator="\n").writerows([self.head, *self.rows])
        return ("\ufeff" if self.mark else "") + out.getvalue()

    def column(self, name: str) -> int:
        """Where a heading stands, or -1."""
        return self.head.index(name) if name in self.head else -1


@dataclass(frozen=True)
class Filled:
    """What came of filling in.

    Attributes:
        text: the file to upload.
        filled: students whose grade is in it.
        absent: students with a grade whom the file does not have.
        kept: students with a grade whom Canvas has as excused, and who stay so.
    """

    text: str
    filled: list[str]
    absent: list[str]
    kept: list[str]


def fill(table: Table, platform: str, path: Path, column: str = "", *, scale: bool = False) -> Filled:
    """Grades of a class in the platform's own file.

    Args:
        table: assignment, students, and who gets points.
        platform: ``canvas``, ``moodle`` or ``gradescope``.
        path: the file that was downloaded there.
        column: heading of the assignment; the one that reads like its name by default.
        scale: turn points into the platform's maximum; without it another maximum is an error.

    Raises:
        CourseError: not such a file, no or several such columns, another maximum, or a line that fits two students.
    """
    sheet = read_sheet(path)
    at, most, keys = {"canvas": _canvas, "moodle": _moodle, "gradescope": _gradescope}[platform](sheet, table, column)
    factor = _factor(table, most, scale=scale)
    filled, kept = [], []
    for row in sheet.rows:
        student = _owner(sheet, row, table.students, keys)
        grade = _cell(table, student, platform, factor) if student else ""
        if student and grade:
            if row[at].strip().upper() == EXCUSED and grade != EXCUSED:  # somebody decided that on Canvas
                kept.append(student.student)
            else:
                row[at] = grade
            filled.append(student.student)
    doubled = sorted({one for one in filled if filled.count(one) > 1})
    if doubled:
        raise CourseError(
            f"{path}: {doubled[0]} fits several lines; give the numbers of the platform in the class list"
        )
    absent = [one.student for one in table.given if one.student not in filled]
    if platform == "canvas":
        _only(sheet, [index for index, name in enumerate(sheet.head) if name in PERSON] + [at])
    return Filled(sheet.text(), [one for one in filled if one not in kept], absent, kept)


def read_sheet(path: Path) -> Sheet:
    """A CSV file with commas, semicolons or tabs. Raises CourseError if it is none, or lines differ in length."""
    try:
        require_text(path)
        if path.stat().st_size > MAX_BYTES:
            raise CourseError(f"{path}: larger than any gradebook; give the file that the platform made")
        text, code = decoded(path)
        delimiter, text = separated(text)
        head, *rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except (OSError, csv.Error, ValueError) as error:
        raise CourseError(f"{path}: not readable as CSV ({error}); download it again from the platform") from error
    rows = [row for row in rows if any(row)]
    uneven = next((number for number, row in enumerate(rows, start=2) if len(row) != len(head)), 0)
    if uneven or len(head) < 3:
        raise CourseError(f"{path}, line {uneven or 1}: not as the first line has it; download it again")
    # spreadsheets write UTF-16 with tabs, platforms read commas
    return Sheet(path, head, rows, "," if code == "utf-16" else delimiter, code != "utf-8")


def _only(sheet: Sheet, columns: Sequence[int]) -> None:
    """Leave the other columns out: what was changed on the platform since the download is not undone by an upload."""
    sheet.head = [sheet.head[index] for index in columns]
    sheet.rows = [[row[index] for index in columns] for row in sheet.rows]


def _cell(table: Table, one: StudentRow, platform: str, factor: float) -> str:
    if one.excused:
        return EXCUSED if platform == "canvas" else ""
    return number(one.final * factor) if table.grade(one) else ""


def _factor(table: Table, most: float, *, scale: bool) -> float:
    if most == table.max_points or (scale and table.max_points):
        return most / table.max_points if table.max_points else 1.0
    raise CourseError(
        f"{table.assignment} has {in_points(float(number(table.max_points)))}, on the platform {number(most)}; set it there to "
        f"{number(table.max_points)}, or say --scale to turn points into the platform's"
    )


def _owner(sheet: Sheet, row: Sequence[str], students: Sequence[StudentRow], keys: Keys) -> StudentRow | None:
    """The student of a line, by all that it says. Raises CourseError if that fits two."""
    found: dict[str, StudentRow] = {}
    for name, value in keys:
        said = _said(sheet, row, name)
        if said:
            found |= {one.student: one for one in students if exact(value(one)) == exact(said)}
    if len(found) > 1:
        raise CourseError(
            f"{sheet.path}: the line of {shown(' '.join(row[:2]))} fits {' and '.join(sorted(found))}; mend the class list"
        )
    owner = next(iter(found.values()), None)
    _require_same_worksheet(sheet, row, owner, keys)
    return owner


def _require_same_worksheet(sheet: Sheet, row: Sequence[str], owner: StudentRow | None, keys: Keys) -> None:
    """Raise CourseError for a line of Moodle with another number than the hand-in: it is of another assignment."""
    number = _said(sheet, row, "#") if any(name == "#" for name, _ in keys) else ""
    if owner and number and owner.platform == "moodle" and owner.lms_id not in ("", number):
        raise CourseError(
            f"{sheet.path}: {owner.student} has the number {number} there, and {owner.lms_id} in the submissions; Moodle's "
            "numbers are others in each assignment, so this is another assignment's worksheet: download that of this one"
        )


def _said(sheet: Sheet, row: Sequence[str], name: str) -> str:
    """A value of a line; the first column's last number for the name ``#``."""
    if name == "#":
        match = _LAST_NUMBER.search(row[0].strip())
        return match[1] if match else ""
    at = sheet.column(name)
    return row[at].strip() if at >= 0 else ""


def _amount(text: str) -> float:
    return float(text.strip().replace(",", ".")) if _NUMBER.fullmatch(text.strip()) else float("nan")


def _choose(sheet: Sheet, table: Table, names: Sequence[str], column: str) -> int:
    """Where the assignment's column is. Raises CourseError unless exactly one fits."""
    bare: Mapping[str, str] = {name: _CANVAS_ID.sub("", name) for name in names}
    if column:
        fitting = [name for name in names if column in (name, bare[name])]
    else:
        fitting = [name for name in names if _squeezed(bare[name]) == _squeezed(table.assignment)]
    if len(fitting) == 1:
        return sheet.column(fitting[0])
    what = "several columns are called" if fitting else "no column is called"
    listed = ", ".join(shown(name) for name in (fitting or names)[:12])
    raise CourseError(
        f"{sheet.path}: {what} {column or table.assignment}; name one with --column; there are {listed or 'none'}"
    )


def _squeezed(text: str) -> str:
    return "".join(char for char in exact(text) if char.isalnum())


# ---- the platforms ------------------------------------------------------------------------------------------------------


def _canvas(sheet: Sheet, table: Table, column: str) -> tuple[int, float, Keys]:
    """Canvas: a line of points possible, the user's number under ID, the assignment's id behind its name."""
    if "Student" not in sheet.head[0] and sheet.head[:2] != ["LastName", "FirstName"]:
        raise CourseError(
            f"{sheet.path}: not a gradebook of Canvas, whose first column is Student; export it there again"
        )
    names = [name for name in sheet.head if name not in PERSON and not CALCULATED.search(name)]
    at = _choose(sheet, table, names, column)
    possible = next((row[at].strip() for row in sheet.rows if "Points Possible" in row[0]), "")
    if "read only" in possible:
        raise CourseError(f"{sheet.path}: {shown(sheet.head[at])} is read only on Canvas; choose another --column")
    if not _NUMBER.fullmatch(possible):
        raise CourseError(f"{sheet.path}: no line with the points possible; export the gradebook again")
    keys: Keys = (("ID", lambda one: one.number("canvas")), ("SIS User ID", lambda one: one.sid))
    return at, _amount(possible), keys


def _moodle(sheet: Sheet, table: Table, column: str) -> tuple[int, float, Keys]:
    """Moodle's grading worksheet, in any language: behind the grades stands the maximum, the same in every line."""
    if not sheet.rows or not all(_LAST_NUMBER.search(row[0].strip()) for row in sheet.rows):
        raise CourseError(
            f"{sheet.path}: not a grading worksheet of Moodle, whose first column ends in the participant's number; "
            "download the worksheet of the assignment, not the course's grades"
        )
    places = [at for at in range(1, len(sheet.head) - 1) if _grades_at(sheet, at)]
    if column:
        places = [at for at in places if sheet.head[at] == column]
    if len(places) != 1:
        raise CourseError(
            f"{sheet.path}: the column of grades cannot be found; switch off the scale in the assignment's settings, or name "
            "the column with --column"
        )
    mail = next((name for at, name in enumerate(sheet.head) if all("@" in row[at] for row in sheet.rows)), "")
    keys: Keys = (("#", lambda one: one.number("moodle")), *([(mail, lambda one: one.email)] if mail else []))
    return places[0], _amount(sheet.rows[0][places[0] + 1]), keys


def _grades_at(sheet: Sheet, at: int) -> bool:
    """Whether a column can hold grades: empty or numbers, and behind it one positive number in all lines."""
    most = {row[at + 1].strip() for row in sheet.rows}
    if len(most) != 1 or not _amount(next(iter(most))) > 0:
        return False
    bound = _amount(next(iter(most)))
    return all(row[at].strip() in _EMPTY or 0 <= _amount(row[at]) <= bound for row in sheet.rows)


def _gradescope(sheet: Sheet, table: Table, column: str) -> tuple[int, float, Keys]:
    """Gradescope's download of grades: school id and address name the student."""
    if "Email" not in sheet.head and "SID" not in sheet.head:
        raise CourseError(f"{sheet.path}: not Gradescope's grades, which have SID or Email; download them there again")
    own = ("Name", "First Name", "Last Name", "SID", "Email", "Sections", "section_name")
    # "HW 1 - Max Points" belongs to HW 1; an assignment's own name may hold a dash, too
    derived = {name for name in sheet.head for other in sheet.head if name.startswith(f"{other} - ")}
    at = _choose(sheet, table, [name for name in sheet.head if name not in own and name not in derived], column)
    most = sheet.column(f"{sheet.head[at]} - Max Points")
    values = {_amount(row[most]) for row in sheet.rows if row[most].strip()} if most >= 0 else set()
    if len(values) > 1:
        raise CourseError(f"{sheet.path}: {shown(sheet.head[most])} differs from line to line; download it again")
    keys: Keys = (("SID", lambda one: one.sid), ("Email", lambda one: one.email))
    return at, next(iter(values), table.max_points), keys
