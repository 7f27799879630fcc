"""Tables of all notebooks (names, points, hours), derived from the sources.

There are two: the table in README between two comments, which ``build`` rewrites, and the map of the course in notebook
00, which is compiled in like an exercise map.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.source.percent import Source, total_points
from course_utils.errors import CourseError

BEGIN, END = "<!-- notebooks: written by `python -m autograder build` -->", "<!-- end of notebooks -->"
NUMBERS = {"half an": "0.5", "an": "1"} | {
    word: str(n + 1) for n, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
}
HOURS = re.compile(rf"\b(?P<number>{'|'.join(NUMBERS)}|\d+(?:\.5)?)(?P<half> and a half)? hours?\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+")
TITLE = re.compile(r"^# (\d\d) · (.+)$", re.MULTILINE)


def title(source: Source) -> str:
    """Number and title of a notebook, ``03 Where am I? Positions``, from its first heading, else its file's name."""
    found = TITLE.search(source.cells[0].text) if source.cells else None
    return f"{found[1]} {found[2].strip()}" if found else source.name


def builds(source: Source) -> str:
    """What a student builds in the notebook: ``builds=`` in the header of the source's first cell; empty without it."""
    return str(source.cells[0].marks.get("builds", "")) if source.cells else ""


def hours(source: Source) -> float:
    """Hours of a student's own time for all exercises, rounded to half an hour."""
    return round(sum(float(cell.marks["minutes"]) for cell in source.graded()) / 30) / 2


def misstated_hours(text: str, right: float) -> list[str]:
    """The sentences of a text that speak of hours of your own time, and of others than ``right``."""
    parts = [part for block in text.split("\n\n") for part in SENTENCE.split(" ".join(block.split()))]
    told = [part for part in parts if "own time" in part.lower() and "hour" in part]
    return [part for part in told if right not in [_spoken(found) for found in HOURS.finditer(part)]]


def _spoken(found: re.Match[str]) -> float:
    """A number of hours in words or figures: half an hour, an hour, three and a half hours, 3.5 hours."""
    word = found["number"].lower()
    return float(NUMBERS.get(word, word)) + (0.5 if found["half"] else 0.0)


def notebooks_table(sources: Sequence[Source]) -> str:
    """README's markdown table: every notebook with its points, a student's hours, and what students build in it."""
    rows = ["| notebook | points | hours | what you build |", "|---|---:|---:|---|"]
    for source in sources:
        points, time = (f"{total_points(source.cells):g}", f"{hours(source):g}") if source.graded() else ("–", "–")
        rows.append(f"| {title(source)} | {points} | {time} | {builds(source)} |")
    return "\n".join(rows)


def course_map(sources: Sequence[Source]) -> str:
    """Notebook 00's markdown table: every graded notebook with its points and a student's hours."""
    rows = ["| notebook | what you build | points | your time |", "|---|---|---:|---:|"]
    for source in sources:
        if source.graded():
            rows.append(
                f"| {title(source)} | {builds(source)} | {total_points(source.cells):g} | {hours(source):g} h |"
            )
    return "\n".join(rows)


def with_table(text: str, table: str, place: Path) -> str:
    """The text with ``table`` between the two comments; a text without the comments is returned unchanged.

    Raises:
        CourseError: one comment stands without the other, twice, or after it.
    """
    if BEGIN not in text and END not in text:
        return text
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if text.count(BEGIN) != 1 or text.count(END) != 1 or END not in rest:
        raise CourseError(f"{place}: put the line {BEGIN} once, and after it the line {END} once")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def readme_of(source_dir: Path) -> Path:
    """The README of the course whose sources are there."""
    return Path(source_dir).absolute().parent / "README.md"


def current_readme(source_dir: Path, sources: Sequence[Source]) -> tuple[Path, str, str] | None:
    """Path, present text and required text of the README; None if there is no README."""
    path = readme_of(source_dir)
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    return path, text, with_table(text, notebooks_table(sources), path)
