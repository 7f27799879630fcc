"""What every exercise must have on file beside its cells: wrong and right answers, a cost, and for text a rubric.

A course is a folder with ``solutions/`` (sources and ``reference/``), ``tests/misconceptions/`` and
``data/measured/costs.json``. All three are found from a source's path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.quality.filed import Mutant, read_mutants
from autograder.source.percent import SOLUTION, Cell, Source, regions
from autograder.source.todo import todos
from course_utils.errors import CourseError

LEAST_CRITERIA = 2  # of a rubric: with one, an answer is right or wrong, which a check can tell
LEAST_WORDS = 15  # of a model answer: two or three short sentences


@dataclass(frozen=True)
class CourseFolder:
    """Where a course keeps what belongs to its sources."""

    root: Path

    @classmethod
    def of(cls, source_dir: Path) -> CourseFolder:
        """The course whose sources stand in ``source_dir``."""
        return cls(Path(source_dir).absolute().parent)

    @property
    def filed(self) -> Path:
        """Wrong and right answers, ``NOTEBOOK/EXERCISE/NAME.py``."""
        return self.root / "tests" / "misconceptions"

    @property
    def reference(self) -> Path:
        """Modules with what the judge compares with."""
        return self.root / "solutions" / "reference"

    def costs(self) -> dict[str, dict[str, float]]:
        """CPU seconds by notebook and exercise; empty if nothing was measured. Raises CourseError for a broken record."""
        path = self.root / "data" / "measured" / "costs.json"
        if not path.is_file():
            return {}
        try:
            notebooks: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["notebooks"]
            return {name: dict(entry.get("exercises", {})) for name, entry in notebooks.items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CourseError(f"{path}: is no record of costs ({error}); run python -m benchmarks.costs") from None


def unfiled(sources: Sequence[Source], course: CourseFolder) -> list[str]:
    """Everything that is missing on file, one sentence each, in reading order."""
    costs = course.costs()
    found: list[str] = []
    for source in sources:
        on_file, measured = read_mutants(source.name, course.filed), costs.get(source.name, {})
        found += _notebook(source, course, set(on_file))
        for cell in source.graded():
            found += missing(source, cell, course, on_file.get(cell.exercise, []))
            if cell.role == "check" and cell.exercise not in measured:
                found.append(f"{source.path}, line {cell.line}: {no_cost(source, cell)}")
    return found + list(left_in_references(course))


def missing(source: Source, cell: Cell, course: CourseFolder, on_file: Sequence[Mutant]) -> list[str]:
    """What one exercise lacks beside a cost, one sentence each."""
    place = f"{source.path}, line {cell.line}"
    folder = course.filed / source.name / cell.exercise
    rules = _written(cell) if cell.role == "written" else _checked(cell, folder, on_file)
    return [f"{place}: {problem}" for problem in rules]


def no_cost(source: Source, cell: Cell) -> str:
    """The sentence for an exercise that was never measured."""
    return f"{cell.exercise} has no measured cost; run python -m benchmarks.costs --exercises {source.name}"


def _written(cell: Cell) -> Iterator[str]:
    text = "\n".join(region.text for region in regions(cell.text, SOLUTION))
    model, colon, rubric = text.partition("Rubric:")
    if len(model.split()) < LEAST_WORDS:
        yield f"the written answer {cell.exercise} has no model answer of at least {LEAST_WORDS} words"
    criteria = re.findall(r"\((\d)\)\s*\S", rubric)
    if not colon or criteria[:LEAST_CRITERIA] != [str(n + 1) for n in range(LEAST_CRITERIA)]:
        yield f"the written answer {cell.exercise} has no rubric; after 'Rubric:' name its criteria (1), (2) …"


def _checked(cell: Cell, folder: Path, on_file: Sequence[Mutant]) -> Iterator[str]:
    if not any(one.wrong for one in on_file):
        yield f"{cell.exercise} has no misconception on file; write a wrong answer into {folder}"
    if all(one.wrong for one in on_file):
        yield f"{cell.exercise} has no right answer on file; write one, different from the solution, into {folder}"
    for one in on_file:
        for number, _, words in todos(one.text):
            yield f"{folder / one.name}.py, line {number} is still to do: {words}"


def _notebook(source: Source, course: CourseFolder, on_file: set[str]) -> Iterator[str]:
    """Rules for a notebook: what is on file belongs to an exercise, and the course's tables can name what is built."""
    known = {cell.exercise for cell in source.cells if cell.role == "check"}
    for name in sorted(on_file - known):
        yield f"{course.filed / source.name / name}: {source.name} has no check {name}; rename or remove the folder"
    if source.graded() and not source.cells[0].marks.get("builds"):
        yield f'{source.path}: its first cell needs builds="what a student builds here" for the table of notebooks'


def left_in_references(course: CourseFolder) -> Iterator[str]:
    """One sentence for every mark of work that is left in the references."""
    for path in sorted(course.reference.glob("*.py")):
        for number, _, words in todos(path.read_text(encoding="utf-8")):
            yield f"{path}, line {number}: still to do: {words}"
