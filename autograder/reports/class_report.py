"""The instructor's page of a class: who has what, which exercise is hard, and which mistake is the common one."""

from __future__ import annotations

import base64
import json
import os
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autograder.grading.ledger import Standing
from autograder.grading.marks import marks_of, without_reason
from autograder.grading.store import ReleaseLike, of_ledger, open_ledger, write_atomic
from autograder.pages.inert import inert_name
from autograder.pages.policy import page_policy
from autograder.reports.feedback import Row, Tag, environment, number, rows_of, status_tag, style, totals
from autograder.reports.similarity import similar_rows
from course_utils.errors import CourseError

BLANK = Tag("–", "not graded", "failed")
# Legend in the order of how good it is; each status that occurs is explained once.
ORDER = ("passed", "partial", "failed", "unsolved", "error", "timeout", "dead", "missing", "waiting", "marked")


@dataclass(frozen=True)
class Figure:
    """A picture for the report. ``alt`` says in words what it shows; it is required."""

    path: Path
    alt: str
    caption: str = ""


@dataclass
class StudentRow:
    """One student as report and exports need them."""

    student: str
    rows: list[Row] = field(default_factory=list)
    points: float = 0.0
    max_points: float = 0.0
    waiting: int = 0
    notes: list[str] = field(default_factory=list)
    reason: str = ""
    name: str = ""
    lms_id: str = ""
    received: str = ""
    platform: str = ""
    sid: str = ""
    email: str = ""

    @property
    def graded(self) -> bool:
        """Whether there are verdicts."""
        return bool(self.rows)


def collect(release: ReleaseLike, assignment: str, summary: Mapping[str, Any] | None = None) -> list[StudentRow]:
    """Every student of an assignment: those in the ledger, and those the last run could not grade.

    Args:
        summary: ``Summary.to_json()`` of the last run, for its notes and for submissions without a verdict.
    """
    outcomes = {one["student"]: one for one in (summary or {}).get("outcomes", [])}
    standings = open_ledger(release).standings()
    graded = {student: one for (name, student), one in standings.items() if name == assignment and one.verdict}
    table = [_student(release, assignment, key, graded[key], outcomes.get(key, {})) for key in sorted(graded)]
    lost = [one for student, one in sorted(outcomes.items()) if student not in graded]
    return table + [StudentRow(one["student"], reason=one["reason"], notes=list(one["notes"])) for one in lost]


def _student(
    release: ReleaseLike, assignment: str, student: str, standing: Standing, outcome: Mapping[str, Any]
) -> StudentRow:
    stored = of_ledger(release, assignment, student, standing)
    rows = rows_of(stored.result, stored.intake.notebook, marks_of(standing, stored, release.skeleton(assignment)))
    changed = without_reason(standing)
    notes = list(dict.fromkeys([*changed, *stored.intake.notes, *stored.result.notes, *outcome.get("notes", [])]))
    reason = outcome.get("reason", "")
    if reason:
        notes.insert(0, reason)
    who = stored.intake
    person = (who.name, who.lms_id, who.received, who.platform, who.sid, who.email)
    return StudentRow(student, rows, *totals(rows), notes, reason, *person)


def read_summary(out: Path, assignment: str) -> dict[str, Any]:
    """The summary that the last run left in ``out``, or an empty one."""
    path = out / f"{assignment}.json"
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CourseError(f"{path}: not readable as JSON; grade again") from error


def exercise_rows(students: Sequence[StudentRow]) -> list[dict[str, Any]]:
    """Per exercise: how many passed, mean points, and the three most frequent hints."""
    table = []
    for name in exercise_names(students):
        rows = [row for one in students for row in one.rows if row.exercise == name]
        scored = [row for row in rows if row.points != "–"]
        passed = sum(row.points == row.max_points for row in scored)
        hints = Counter(row.hint for row in rows if row.hint).most_common(3)
        mean = statistics.fmean(float(row.points) for row in scored) if scored else 0.0
        share = round(100 * passed / len(scored)) if scored else 0
        table.append(
            {"exercise": name, "passed": passed, "count": len(scored), "share": share, "mean": number(mean),
             "max_points": rows[0].max_points, "hints": hints}
        )  # fmt: skip
    return table


def exercise_names(students: Sequence[StudentRow]) -> list[str]:
    """Exercises in notebook order."""
    return list(dict.fromkeys(row.exercise for one in students for row in one.rows))


def _figure(figure: Figure) -> dict[str, str]:
    if not figure.alt.strip():
        raise CourseError(f"{figure.path}: a figure in the report needs alt text that says what it shows")
    try:
        data = base64.b64encode(figure.path.read_bytes()).decode()
    except OSError as error:
        raise CourseError(f"{figure.path}: the figure cannot be read ({error.strerror})") from error
    kind = "svg+xml" if figure.path.suffix == ".svg" else "png"
    return {"data": f"data:image/{kind};base64,{data}", "alt": figure.alt, "caption": figure.caption}


def _line(one: StudentRow, names: Sequence[str], link: str) -> dict[str, Any]:
    rows = {row.exercise: row for row in one.rows}
    cells = []
    for name in names:
        row = rows.get(name)
        tag = row or BLANK
        short = f"{row.points} of {row.max_points}" if row and row.points != "–" else tag.words
        cells.append({"symbol": tag.symbol, "tone": tag.tone, "short": short, "hint": row.hint if row else ""})
    total = f"{number(one.points)} of {number(one.max_points)}" if one.graded else "–"
    return {
        "student": inert_name(one.name or one.student),
        "feedback": link,
        "cells": cells,
        "notes": one.notes,
        "total": total,
    }


def class_report(
    release: ReleaseLike,
    assignment: str,
    out: Path,
    summary: Mapping[str, Any] | None = None,
    figures: Sequence[Figure] = (),
    feedback: Mapping[str, Path] | None = None,
    title: str = "",
) -> Path:
    """Write ``index.html`` into ``out``: class table, exercises, figures; links to the feedback pages.

    Args:
        summary: ``Summary.to_json()`` of the run.
        figures: pictures with alt text; they are put into the page.
        feedback: pages by student, from ``write_feedback``.

    Raises:
        CourseError: a figure without alt text or file, a missing result, an unwritable folder.
    """
    students = collect(release, assignment, summary)
    names = exercise_names(students)
    links = {key: quote(os.path.relpath(path.resolve(), out.resolve())) for key, path in (feedback or {}).items()}
    totals_ = [one.points for one in students if one.graded]
    page = environment().get_template("report.html.j2")
    text = page.render(
        title=title or f"Class report · {assignment}", css=style(), policy=page_policy([style()]), release=release.id[:12],
        students=[_line(one, names, links.get(one.student, "")) for one in students], exercises=names,
        statistics=exercise_rows(students), figures=[_figure(one) for one in figures], legend=_legend(students),
        similar=similar_rows(release, assignment),
        failed=[one for one in students if one.reason], waiting=sum(one.waiting for one in students),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        mean=number(statistics.fmean(totals_)) if totals_ else "", median=number(statistics.median(totals_)) if totals_ else "",
        max_points=number(max((one.max_points for one in students), default=0.0)),
    )  # fmt: skip
    write_atomic(out / "index.html", text)
    return out / "index.html"


def _legend(students: Sequence[StudentRow]) -> list[Tag]:
    seen = {row.words for one in students for row in one.rows}
    return [status_tag(key) for key in ORDER if status_tag(key).words in seen]
