"""Grades for other systems: plain CSV, Canvas, Moodle, Gradescope, JSON. Everything is quoted as CSV asks for."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.grading.store import ReleaseLike, write_atomic
from autograder.intake.names import first_last
from autograder.reports.class_report import exercise_names
from autograder.reports.feedback import number
from autograder.reports.roll import Roll, StudentRow, Unplaced, read_roll
from course_utils.errors import CourseError


@dataclass(frozen=True)
class Table:
    """What is exported: one assignment of one class.

    Attributes:
        partial: students whose written answers are not all marked have the points that they have so far.
        zeros: students who handed in nothing have 0 points. Nobody gets a zero because a grader failed.
    """

    assignment: str
    students: Sequence[StudentRow]
    unplaced: Sequence[Unplaced] = ()
    partial: bool = False
    zeros: bool = False

    def grade(self, one: StudentRow) -> str:
        """The points that a platform gets; an empty string where it shall get none."""
        if one.state == "graded" or (one.state == "unmarked" and self.partial):
            return number(one.final)
        return "0" if self.zeroed(one) else ""

    def zeroed(self, one: StudentRow) -> bool:
        """Whether somebody has 0 points because nothing was handed in."""
        return self.zeros and one.state == "missing"

    @property
    def given(self) -> list[StudentRow]:
        """Students with a grade for a platform."""
        return [one for one in self.students if self.grade(one)]

    @property
    def max_points(self) -> float:
        """Points of the assignment."""
        return max((one.max_points for one in self.students), default=0.0)


# Where a spreadsheet may begin a cell: it takes characters of full width for ordinary ones, drops blanks, and in many
# countries separates cells by semicolons, so that a quotation mark inside a cell of ours protects nothing.
_FORMULA = re.compile(
    r"(?:^|(?<=[;,|\"\t\r\n\v\f\x85\u2028\u2029]))(?=[\s\x00\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*[=+\-@＝＋－＠﹦﹢﹣﹫])"
)


def cell(text: str) -> str:
    """A name as a spreadsheet may show it: whatever begins like a formula, there or behind a separator, gets an apostrophe."""
    return _FORMULA.sub("'", text)


def csv_text(rows: Sequence[Sequence[Any]]) -> str:
    """Rows as CSV, quoted as it asks for."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _display(one: StudentRow) -> str:
    return cell(one.name or one.student)


def to_csv(table: Table) -> str:
    """One line per student of the class, one column per exercise, and what state the student's work is in.

    ``points`` are those that the exercises add up to, ``counts`` those after what lateness takes off.
    """
    names = exercise_names(table.students)
    head = ["student", "name", "section", "email", "state", "received", "late", "attempts"]
    rows: list[list[str]] = [[*head, *names, "points", "max_points", "to_mark", "counts", "problem"]]
    for one in table.students:
        by = {row.exercise: row.points for row in one.rows}
        scores = ["" if by.get(name, "–") == "–" else by[name] for name in names]
        total = [number(one.points), number(one.max_points)] if one.graded else ["", ""]
        counts = number(one.final) if one.graded else ""
        if table.zeroed(one):
            total, counts = ["0", number(table.max_points)], "0"
        person = [cell(one.student), _display(one), cell(one.given.get("section", "")), cell(one.email), one.state]
        came = [one.received, one.late, str(one.attempts)]
        rows.append([*person, *came, *scores, *total, str(one.waiting), counts, cell(one.reason)])
    return csv_text(rows)


def to_canvas(table: Table) -> str:
    """Canvas' gradebook import: its five columns, then the assignment; the second line holds the points possible."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows = [[*head, table.assignment], ["    Points Possible", "", "", "", "", number(table.max_points)]]
    rows += [
        [
            _display(one),
            cell(one.number("canvas")),
            "",
            cell(one.student),
            cell(one.given.get("section", "")),
            table.grade(one),
        ]
        for one in table.given
    ]
    return csv_text(rows)


def to_moodle(table: Table) -> str:
    """Moodle's offline grading worksheet."""
    rows = [["Identifier", "Full name", "Grade", "Maximum Grade", "Feedback comments"]]
    for one in table.given:
        own = one.number("moodle")
        identifier = f"Participant {cell(own)}" if own else cell(one.student)
        missed = "; ".join(f"{row.exercise}: {row.hint}" for row in one.rows if row.hint)
        rows.append([identifier, _display(one), table.grade(one), number(table.max_points), cell(missed)])
    return csv_text(rows)


def to_gradescope(table: Table) -> str:
    """The columns of Gradescope's grade download: SID is the school's number of a student, not the hand-in's number."""
    head = ["First Name", "Last Name", "SID", "Email", table.assignment, f"{table.assignment} - Max Points"]
    rows = [[*head, f"{table.assignment} - Submission Time"]]
    for one in table.given:
        first, last = first_last(one.name or one.student)
        email = one.email or (one.student if "@" in one.student else "")
        points = [table.grade(one), number(table.max_points)]
        rows.append([cell(first), cell(last), cell(one.sid), cell(email), *points, one.received])
    return csv_text(rows)


def to_json(table: Table) -> str:
    """Everything that the other layouts are made of."""
    students = [
        {
            "student": one.student, "name": one.name, "lms_id": one.lms_id, "received": one.received,
            "platform": one.platform, "sid": one.sid, "email": one.email, "section": one.given.get("section", ""),
            "state": one.state, "late": one.late, "share": one.share, "attempts": one.attempts,
            "counts": one.final if one.graded else 0.0 if table.zeroed(one) else None,
            "points": one.points if one.graded else 0.0 if table.zeroed(one) else None,
            "max_points": one.max_points if one.graded else table.max_points if table.zeroed(one) else None,
            "to_mark": one.waiting, "problem": one.reason, "notes": one.notes,
            "exercises": {r.exercise: {"points": None if r.points == "–" else float(r.points), "status": r.words,
                                       "max_points": float(r.max_points), "hint": r.hint} for r in one.rows},
        }
        for one in table.students
    ]  # fmt: skip
    nobodys = [{"item": one.item, "reason": one.reason} for one in table.unplaced]
    whole = {"assignment": table.assignment, "students": students, "not_understood": nobodys}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "canvas": to_canvas,
    "moodle": to_moodle,
    "gradescope": to_gradescope,
    "json": to_json,
}


def export(release: ReleaseLike, assignment: str, layout: str, path: Path) -> Path:
    """Write the grades of an assignment; returns ``path``. Raises as :func:`write_grades`."""
    return write_grades(read_roll(release, assignment), assignment, layout, path)


def write_grades(
    roll: Roll, assignment: str, layout: str, path: Path, *, partial: bool = False, zeros: bool = False
) -> Path:
    """Write the grades of a class in one of :data:`FORMATS`; returns ``path``.

    Args:
        roll: the class, of :func:`autograder.reports.roll.read_roll`.
        partial, zeros: as in :class:`Table`.

    Raises:
        CourseError: unknown layout, nothing graded, or the file cannot be written.
    """
    if layout not in FORMATS:
        raise CourseError(f"unknown layout {layout!r}; choose one of {', '.join(FORMATS)}")
    if not any(one.graded for one in roll.students):
        raise CourseError(f"{assignment}: nothing is graded yet; run python -m autograder grade first")
    text = FORMATS[layout](Table(assignment, roll.students, roll.unplaced, partial=partial, zeros=zeros))
    # spreadsheets take a file for Latin-1 unless a byte order mark says otherwise
    write_atomic(path, text if layout == "json" else "\ufeff" + text)
    return path
