"""One page per student: points, hints, and the student's own words. Nothing else is ever put into it.

A page is made of verdicts (status, points, hint), the student's own cells and the marks in the gradebook. Hidden tests,
``detail`` of a verdict, outputs, tracebacks and other students are not among its inputs, so it cannot leak them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from tqdm import tqdm

from autograder.grading.marks import marks_of
from autograder.grading.store import ReleaseLike, of_ledger, open_ledger, write_atomic
from autograder.intake.discover import Intake
from autograder.intake.rebuild import source_of
from autograder.pages import prose
from autograder.pages.ansi import seen
from autograder.pages.colour import can_be_coloured
from autograder.pages.inert import inert_name, inert_text
from autograder.pages.policy import page_policy
from autograder.records import Result, Status, Verdict
from autograder.reports.term import read_term, told_time
from course_utils.errors import CourseError

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Tag:
    """How a status is shown: never by colour alone."""

    symbol: str
    words: str
    tone: str


STATUS: dict[str, Tag] = {
    "passed": Tag("✓", "passed", "passed"),
    "partial": Tag("◐", "partly right", "partial"),
    "failed": Tag("✗", "not right yet", "failed"),
    "unsolved": Tag("○", "not solved", "failed"),
    "error": Tag("⚠", "stopped with an error", "failed"),
    "timeout": Tag("◷", "took too long", "failed"),
    "dead": Tag("☓", "kernel died", "failed"),
    "missing": Tag("–", "could not be run", "failed"),
    "waiting": Tag("…", "to be marked", "waiting"),
    "marked": Tag("✎", "marked by hand", "passed"),
}


@dataclass(frozen=True)
class Row:
    """One exercise on the page; ``answer`` is safe HTML."""

    exercise: str
    anchor: str
    symbol: str
    words: str
    tone: str
    points: str
    max_points: str
    hint: str
    comment: str
    changed: bool
    answer: Markup
    status: str = ""  # key of STATUS; of a check, as the judge has it


def number(value: float) -> str:
    """Points as people write and round them: 2, 1.5, 0.67; 14.625 is 14.63. The binary number may lie just below a half."""
    if abs(value) < 1e15:
        text = str(Decimal(repr(round(value, 9))).quantize(Decimal("0.01"), ROUND_HALF_UP))
    else:
        text = f"{value:.2f}"
    return text.rstrip("0").rstrip(".")


def status_tag(status: Status | str) -> Tag:
    """Symbol, words and tone of a status."""
    return STATUS.get(status, STATUS["missing"])


def by_hand(score: float, most: float) -> Tag:
    """The tag of a mark that a person gave: green only for all points."""
    tone = "passed" if score >= most else "partial" if score > 0 else "failed"
    return replace(STATUS["marked"], tone=tone)


@functools.cache
def environment() -> Environment:
    """Templates with autoescape on for every one of them, whatever its file name."""
    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)


@functools.cache
def style() -> Markup:
    """The one style sheet, with the colours of highlighted code on light and dark ground."""
    light, dark = (_code_colours(name) for name in ("xcode", "github-dark"))
    code = f"@media print {{ {light} }}\n@media screen and (prefers-color-scheme: light) {{ {light} }}\n"
    code += f"@media screen and (prefers-color-scheme: dark) {{ {dark} }}\n"
    return Markup((TEMPLATES / "base.css").read_text(encoding="utf-8") + code)


def _code_colours(style_name: str) -> str:
    """Rules of a style of Pygments for words; the ground is the page's own. All have a contrast of 4.5 and more there."""
    from pygments.formatters import HtmlFormatter

    rules = HtmlFormatter(style=style_name, cssclass="code").get_style_defs(".code").splitlines()
    words = [rule for rule in rules if rule.startswith(".code .") and not rule.startswith(".code .hll")]
    return "".join(re.sub(r"/\*.*?\*/|background-color: [^;}]*;?", "", rule) for rule in words)


def code_html(source: str) -> Markup:
    """Python source, escaped; what nobody writes in one cell is not highlighted."""
    source = seen(source)
    if not can_be_coloured(source):
        return Markup('<div class="code"><pre tabindex="0"><code>{}</code></pre></div>').format(source[:200_000])
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    page = highlight(source, PythonLexer(), HtmlFormatter(cssclass="code", wrapcode=True))
    return Markup(page.replace("<pre>", '<pre tabindex="0">', 1))  # long lines can be scrolled to by keyboard


def prose_html(text: str) -> Markup:
    """Student markdown as HTML of harmless tags: no link, no picture, no attribute; formulas are drawn."""
    clean = prose.prose_html(inert_text(text), links=False)
    clean = re.sub(r"<(/?)h[1-3]\b", r"<\1h4", clean)  # the page's own headings keep their order
    return Markup('<div class="prose">{}</div>').format(Markup(clean))


def _answer(cells: Mapping[str, Mapping[str, Any]], key: str) -> Markup:
    cell = cells.get(key)
    if cell is None:
        return Markup("")
    return code_html(source_of(cell)) if cell["cell_type"] == "code" else prose_html(source_of(cell))


def _check_row(verdict: Verdict, cells: Mapping[str, Any], marks: Mapping[str, Any]) -> Row:
    mark = marks.get(f"check-{verdict.exercise}")
    score = mark.score if mark else verdict.points
    changed = score != verdict.points
    tag = by_hand(score, verdict.max_points) if changed else status_tag(verdict.status)
    comments = [m.comment for m in (mark, marks.get(f"answer-{verdict.exercise}")) if m and m.comment]
    return Row(
        verdict.exercise, f"x-{verdict.exercise}", tag.symbol, tag.words, tag.tone, number(score),
        number(verdict.max_points), verdict.hint, " ".join(comments), changed, _answer(cells, f"answer-{verdict.exercise}"),
        verdict.status,
    )  # fmt: skip


def _written_row(key: str, cells: Mapping[str, Any], mark: Any, most: float) -> Row:
    waiting = mark is None or mark.waiting
    empty = not waiting and mark.comment == "No response."  # nbgrader's word for an answer cell left as it was
    tag = status_tag("waiting" if waiting else "unsolved") if waiting or empty else by_hand(mark.score, most)
    points, comment = ("–", "") if waiting else (number(mark.score), mark.comment)
    name = key.removeprefix("written-")
    return Row(
        name,
        f"x-{name}",
        tag.symbol,
        tag.words,
        tag.tone,
        points,
        number(most),
        "",
        comment,
        changed=False,
        answer=_answer(cells, key),
        status="waiting" if waiting else "unsolved" if empty else "marked",
    )


def rows_of(result: Result, notebook: Mapping[str, Any], marks: Mapping[str, Any]) -> list[Row]:
    """The exercises of one student in notebook order, checks and written answers."""
    cells = {str(cell.get("id")): cell for cell in notebook["cells"]}
    verdicts = {f"check-{v.exercise}": v for v in result.verdicts}
    rows = []
    for key, cell in cells.items():
        mark = cell.get("metadata", {}).get("nbgrader", {})
        if key in verdicts:
            rows.append(_check_row(verdicts.pop(key), cells, marks))
        elif key.startswith("written-") and mark.get("grade"):
            rows.append(_written_row(key, cells, marks.get(key), float(mark.get("points", 0))))
    return rows + [_check_row(verdict, cells, marks) for verdict in verdicts.values()]


def totals(rows: Iterable[Row]) -> tuple[float, float, int]:
    """Points, maximum, and how many answers wait for a person."""
    rows = list(rows)
    earned = sum(float(row.points) for row in rows if row.points != "–")
    return earned, sum(float(row.max_points) for row in rows), sum(row.points == "–" for row in rows)


def feedback_page(
    result: Result,
    intake: Intake,
    marks: Mapping[str, Any],
    notes: Sequence[str] | None = None,
    late: str = "",
    received: str | None = None,
    due: datetime | None = None,
    zone: tzinfo = UTC,
) -> str:
    """The HTML of one student's page.

    Args:
        result: of the judge; only exercise, status, points and hint are used.
        intake: the rebuilt notebook.
        marks: of ``grading.marks.marks_of``.
        notes: sentences meant for the student; those of intake by default. The judge's notes are for the instructor.
        late: a sentence on lateness and what it takes off.
        received: ISO time of the hand-in, "" for none; the platform's by default. When we first saw it is nobody's concern.
        due: when the student had to hand in, or None.
        zone: whose clocks both times are shown on.
    """
    came = (intake.received if intake.timed else "") if received is None else received
    rows = rows_of(result, intake.notebook, marks)
    points, most, waiting = totals(rows)
    page = environment().get_template("feedback.html.j2")
    return page.render(
        assignment=result.assignment, student=inert_name(intake.name or result.student), received=when(came, zone),
        rows=rows, points=number(points), max_points=number(most), waiting=waiting, css=style(), policy=page_policy([style()]),
        notes=list(intake.notes if notes is None else notes), late=late, due=told_time(due, zone) if due else "",
    )  # fmt: skip


def when(iso: str, zone: tzinfo) -> str:
    """An ISO time as a person reads it, on the clocks of a zone; an empty string stays empty."""
    return told_time(datetime.fromisoformat(iso), zone) if iso else ""


def write_feedback(
    release: ReleaseLike,
    assignment: str,
    out: Path,
    late: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[str, str] = MappingProxyType({}),
    times: Mapping[str, str] = MappingProxyType({}),
    due: Mapping[str, datetime | None] = MappingProxyType({}),
    *,
    progress: bool = True,
) -> dict[str, Path]:
    """Write one page per graded student into ``out``; returns the pages by student.

    Args:
        late: sentences on lateness by student.
        names: as the class list has them, by student; else as the platform shows them.
        times: when hand-ins came, by student; else as the platform has it.
        due: when they were due, by student.

    Raises:
        CourseError: nothing is graded yet, or the folder cannot be written.
    """
    pages: dict[str, Path] = {}
    standings = open_ledger(release).standings()
    graded = {student: one for (name, student), one in standings.items() if name == assignment and one.verdict}
    if not graded:
        raise CourseError(f"{assignment}: nothing is graded yet; run python -m autograder grade first")
    skeleton, zone = release.skeleton(assignment), read_term(release).zone
    for student in tqdm(sorted(graded), desc="feedback", unit="page", disable=not progress):
        stored = of_ledger(release, assignment, student, graded[student])
        intake = replace(stored.intake, name=names.get(student, stored.intake.name))
        marks, words = marks_of(graded[student], stored, skeleton), late.get(student, "")
        came = times.get(student)
        text = feedback_page(stored.result, intake, marks, None, words, came, due.get(student), zone)
        pages[student] = out / f"{student}.html"
        write_atomic(pages[student], text)
    return pages
