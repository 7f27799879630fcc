"""Grades for other systems: plain CSV, Canvas, Moodle, Gradescope, JSON. Everything is quoted as CSV asks for."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.grading.store import ReleaseLike, write_atomic
from autograder.reports.class_report import StudentRow, collect, exercise_names
from autograder.reports.feedback import number
from course_utils.errors import CourseError


@dataclass(frozen=True)
class Table:
    """What is exported: one assignment of one class."""

    assignment: str
    students: Sequence[StudentRow]

    @property
    def graded(self) -> list[StudentRow]:
        """Students with verdicts; nobody gets a zero because a grader failed."""
        return [one for one in self.students if one.graded]

    @property
    def max_points(self) -> float:
        """Points of the assignment."""
        return max((one.max_points for one in self.students), default=0.0)


def cell(text: str) -> str:
    """A name as a spreadsheet may show it: one that begins like a formula gets an apostrophe before it."""
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _display(one: StudentRow) -> str:
    return cell(one.name or one.student)


def _number(one: StudentRow, platform: str) -> str:
    """The student's number on this platform; another platform's number would be another student's here."""
    return one.lms_id if one.platform in ("", platform) else ""


def to_csv(table: Table) -> str:
    """One line per student, one column per exercise, a note where a person still has to mark or grading failed."""
    names = exercise_names(table.students)
    rows: list[list[str]] = [["student", "name", "received", *names, "points", "max_points", "to_mark", "problem"]]
    for one in table.students:
        by = {row.exercise: row.points for row in one.rows}
        scores = ["" if by.get(name, "–") == "–" else by[name] for name in names]
        total = [number(one.points), number(one.max_points)] if one.graded else ["", ""]
        rows.append(
            [cell(one.student), _display(one), one.received, *scores, *total, str(one.waiting), cell(one.reason)]
        )
    return _csv(rows)


def to_canvas(table: Table) -> str:
    """Canvas' gradebook import: its five columns, then the assignment; the second line holds the points possible."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows = [[*head, table.assignment], ["    Points Possible", "", "", "", "", number(table.max_points)]]
    rows += [
        [_display(one), _number(one, "canvas"), "", cell(one.student), "", number(one.points)] for one in table.graded
    ]
    return _csv(rows)


def to_moodle(table: Table) -> str:
    """Moodle's offline grading worksheet."""
    rows = [["Identifier", "Full name", "Grade", "Maximum Grade", "Feedback comments"]]
    for one in table.graded:
        own = _number(one, "moodle")
        identifier = f"Participant {own}" if own else cell(one.student)
        missed = "; ".join(f"{row.exercise}: {row.hint}" for row in one.rows if row.hint)
        rows.append([identifier, _display(one), number(one.points), number(one.max_points), cell(missed)])
    return _csv(rows)


def to_gradescope(table: Table) -> str:
    """The columns of Gradescope's grade download: SID is the school's number of a student, not the hand-in's number."""
    head = ["First Name", "Last Name", "SID", "Email", table.assignment, f"{table.assignment} - Max Points"]
    rows = [[*head, f"{table.assignment} - Submission Time"]]
    for one in table.graded:
        first, _, last = (one.name or one.student).rpartition(" ")
        email = one.email or (one.student if "@" in one.student else "")
        points = [number(one.points), number(one.max_points)]
        rows.append([cell(first), cell(last), cell(one.sid), cell(email), *points, one.received])
    return _csv(rows)


def to_json(table: Table) -> str:
    """Everything that the other layouts are made of."""
    students = [
        {
            "student": one.student, "name": one.name, "lms_id": one.lms_id, "received": one.received,
            "platform": one.platform, "sid": one.sid, "email": one.email,
            "points": one.points if one.graded else None, "max_points": one.max_points if one.graded else None,
            "to_mark": one.waiting, "problem": one.reason, "notes": one.notes,
            "exercises": {r.exercise: {"points": None if r.points == "–" else float(r.points), "status": r.words,
                                       "max_points": float(r.max_points), "hint": r.hint} for r in one.rows},
        }
        for one in table.students
    ]  # fmt: skip
    return json.dumps({"assignment": table.assignment, "students": students}, indent=1, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "canvas": to_canvas,
    "moodle": to_moodle,
    "gradescope": to_gradescope,
    "json": to_json,
}


def export(
    release: ReleaseLike, assignment: str, layout: str, path: Path, summary: dict[str, Any] | None = None
) -> Path:
    """Write the grades of an assignment in one of :data:`FORMATS`.

    Raises:
        CourseError: unknown layout, nothing graded, or the file cannot be written.
    """
    if layout not in FORMATS:
        raise CourseError(f"unknown layout {layout!r}; choose one of {', '.join(FORMATS)}")
    students = collect(release, assignment, summary)
    if not students:
        raise CourseError(f"{assignment}: nothing is graded yet; run python -m autograder grade first")
    text = FORMATS[layout](Table(assignment, students))
    # spreadsheets take a file for Latin-1 unless a byte order mark says otherwise
    write_atomic(path, text if layout == "json" else "\ufeff" + text)
    return path
