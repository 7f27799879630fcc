"""The instructor's page of a class: who has what, which exercise is hard, and which mistake is the common one."""

from __future__ import annotations

import base64
import functools
import json
import os
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from autograder.grading.store import ReleaseLike, write_atomic
from autograder.intake.names import look
from autograder.pages.inert import inert_name
from autograder.pages.policy import page_policy
from autograder.reports.feedback import TEMPLATES, Tag, environment, number, status_tag, style
from autograder.reports.items import distribution, exercise_names, exercise_rows
from autograder.reports.lateness import UNKNOWN, unknown
from autograder.reports.mistakes import OnFile, may_need_help, mistake_rows, on_file
from autograder.reports.roll import STATES, Roll, StudentRow, collect, read_roll
from autograder.reports.similarity import similar_rows
from course_utils.errors import CourseError

__all__ = ["Figure", "StudentRow", "class_report", "collect", "exercise_names", "exercise_rows", "read_summary"]
BLANK = Tag("–", "not graded", "failed")
SHORT = {"unmarked": "to mark"}  # words of a state in the narrow table, where they differ from its name
# Legend in the order of how good it is; each status that occurs is explained once.
ORDER = ("passed", "partial", "failed", "unsolved", "error", "timeout", "dead", "missing", "waiting", "marked")


@dataclass(frozen=True)
class Figure:
    """A picture for the report. ``alt`` says in words what it shows; it is required."""

    path: Path
    alt: str
    caption: str = ""


def read_summary(out: Path, assignment: str) -> dict[str, Any]:
    """The summary that the last run left in ``out``, or an empty one."""
    path = out / f"{assignment}.json"
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CourseError(f"{path}: not readable as JSON; grade again") from error


def _figure(figure: Figure) -> dict[str, str]:
    if not figure.alt.strip():
        raise CourseError(f"{figure.path}: a figure in the report needs alt text that says what it shows")
    try:
        data = base64.b64encode(figure.path.read_bytes()).decode()
    except OSError as error:
        raise CourseError(f"{figure.path}: the figure cannot be read ({error.strerror})") from error
    kind = "svg+xml" if figure.path.suffix == ".svg" else "png"
    return {"data": f"data:image/{kind};base64,{data}", "alt": figure.alt, "caption": figure.caption}


def shown_names(students: Sequence[StudentRow]) -> dict[str, str]:
    """Names for tables by id, made harmless; with the id where two people of the class have names that look alike."""
    names = {one.student: one.name or one.student for one in students}
    looks = Counter(_seen_as(name) for name in names.values())
    return {
        who: inert_name(name if looks[_seen_as(name)] == 1 or name == who else f"{name} ({who})")
        for who, name in names.items()
    }


def _seen_as(name: str) -> str:
    return " ".join(look(name).split())


def _line(one: StudentRow, names: Sequence[str], link: str, shown: str) -> dict[str, Any]:
    rows = {row.exercise: row for row in one.rows}
    cells = []
    for name in names:
        row = rows.get(name)
        tag = row or BLANK
        points = row.points if row and row.points != "–" else ""
        words = f"of {row.max_points}, {tag.words}" if row and points else tag.words
        cells.append({"symbol": tag.symbol, "tone": tag.tone, "points": points, "words": words})
    total = f"{number(one.final)} of {number(one.max_points)}" if one.graded else "–"
    return {
        "student": shown,
        "feedback": link,
        "cells": cells,
        "notes": one.notes,
        "total": total,
        "value": one.final if one.graded else "",
        "state": SHORT.get(one.state, one.state),
        "late": one.late,
    }


def class_report(
    release: ReleaseLike,
    assignment: str,
    out: Path,
    figures: Sequence[Figure] = (),
    feedback: Mapping[str, Path] | None = None,
    title: str = "",
    roll: Roll | None = None,
) -> Path:
    """Write ``index.html`` into ``out``: class table, exercises, figures; links to the feedback pages.

    Args:
        figures: pictures with alt text; they are put into the page.
        feedback: pages by student, from ``write_feedback``.
        roll: the class, where it was read already.

    Raises:
        CourseError: a figure without alt text or file, a missing result, an unwritable folder.
    """
    links = {key: quote(os.path.relpath(path.resolve(), out.resolve())) for key, path in (feedback or {}).items()}
    similar = similar_rows(release, assignment)
    roll = roll or read_roll(release, assignment)
    known = on_file(release, assignment)
    heading = title or f"Class report · {assignment}"
    text = report_page(roll, heading, release.id[:12], figures, links, similar, known, assignment if title else "")
    write_atomic(out / "index.html", text)
    return out / "index.html"


def report_page(
    roll: Roll,
    title: str,
    release: str,
    figures: Sequence[Figure] = (),
    links: Mapping[str, str] = MappingProxyType({}),
    similar: Sequence[Mapping[str, Any]] = (),
    known: Mapping[str, OnFile] = MappingProxyType({}),
    assignment: str = "",
) -> str:
    """The page's HTML.

    Args:
        links: addresses of feedback pages by student.
        similar: of ``similarity.similar_rows``.
        known: of ``mistakes.on_file``, to tell mistakes on file from broken promises.
        assignment: its name, where the title does not say it.

    Raises:
        CourseError: a figure without alt text or file.
    """
    students, names, script = roll.students, exercise_names(roll.students), sort_script()
    totals_ = [one.final for one in students if one.graded]
    shown, full = shown_names(students), {one.student: _full_name(one) for one in students}
    alike = [{**one, "students": [full.get(who, inert_name(who)) for who in one["students"]]} for one in similar]
    page = environment().get_template("report.html.j2")
    return page.render(
        title=title, css=style(), script=script, policy=page_policy([style()], [script]), release=release,
        students=[_line(one, names, links.get(one.student, ""), shown[one.student]) for one in students], exercises=names,
        assignment=assignment,
        statistics=exercise_rows(students), figures=[_figure(one) for one in figures], legend=_legend(students),
        similar=alike, distribution=distribution(students), mistakes=_mistakes(students, known, shown),
        groups=_groups(roll), waiting=sum(one.waiting for one in students),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        mean=number(statistics.fmean(totals_)) if totals_ else "", median=number(statistics.median(totals_)) if totals_ else "",
        max_points=number(max((one.max_points for one in students), default=0.0)),
    )  # fmt: skip


@functools.cache
def sort_script() -> Markup:
    """The one script of the page: a table is sorted by a click on a heading. Without it nothing is missing but that."""
    return Markup((TEMPLATES / "sort.js").read_text(encoding="utf-8"))


def _groups(roll: Roll) -> list[dict[str, Any]]:
    """Who has to be looked at, by what is amiss; who is excused or late; and what is nobody's."""
    untold = unknown(roll.arrivals())
    groups: list[tuple[str, list[tuple[str, str]]]] = [
        ("refused", [(_full_name(one), one.reason) for one in roll.of("refused")]),
        (STATES["missing"], [(_full_name(one), "") for one in roll.of("missing")]),
        (STATES["unmarked"], [(_full_name(one), f"{one.waiting} to be marked") for one in roll.of("unmarked")]),
        (
            "may need help: less than half of the points",
            [(_full_name(one), why) for one, why in may_need_help(roll.students)],
        ),
        ("late", [(_full_name(one), one.late) for one in roll.students if one.late]),
        (UNKNOWN, [(_full_name(one), "") for one in roll.students if one.student in untold]),
        ("excused", [(_full_name(one), _uncounted(one)) for one in roll.of("excused")]),
        ("nobody's", [(inert_name(one.item), one.reason) for one in roll.unplaced]),
    ]
    return [{"words": words, "people": people} for words, people in groups if people]


def _mistakes(
    students: Sequence[StudentRow], known: Mapping[str, OnFile], shown: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Rows of the table of mistakes, with names that a page can show."""
    rows = mistake_rows(students, known)
    return [row | {"students": [shown[one.student] for one in row["students"]]} for row in rows]


def _uncounted(one: StudentRow) -> str:
    return (
        f"{number(one.final)} of {number(one.max_points)} points were handed in and do not count" if one.graded else ""
    )


def _full_name(one: StudentRow) -> str:
    """Name and id, where they differ."""
    same = not one.name or one.name == one.student
    return inert_name(one.student if same else f"{one.name} ({one.student})")


def _legend(students: Sequence[StudentRow]) -> list[Tag]:
    seen = {row.words for one in students for row in one.rows}
    return [status_tag(key) for key in ORDER if status_tag(key).words in seen]
