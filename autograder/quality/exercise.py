"""One exercise at a time: find it, and hold its check to the answers on file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.quality import forking
from autograder.quality.casebook import current_text
from autograder.quality.filed import Mutant, read_mutants
from autograder.quality.filing import CourseFolder, left_in_references, missing, no_cost
from autograder.quality.misconceptions import Judgement, judge_exercise, judged, needed, public_folder, seed_of
from autograder.records import in_points
from autograder.source.build import notebook_bytes, student_notebook
from autograder.source.lint import lint
from autograder.source.percent import Cell, Source, asked_for, find_notebook, no_exercise, read_source, source_paths
from autograder.source.visible import stale
from course_utils.checks.casefile import folder_of


@dataclass(frozen=True)
class Report:
    """What ``check`` found: problems that must be mended, verdicts on the answers on file, and notes."""

    problems: list[str] = field(default_factory=list)
    verdicts: list[Judgement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether nothing is wrong: no problem, and every answer on file got the verdict that it must get."""
        return not self.problems and all(one.good for one in self.verdicts)


def find_exercise(source: Source, name: str) -> Cell:
    """The graded cell of an exercise. Raises CourseError if the notebook has none of that name."""
    found = [cell for cell in source.graded() if cell.exercise == name]
    if not found:
        raise no_exercise([source.path], name, [cell.exercise for cell in source.graded()], "exercise")
    return found[0]


def check_exercise(source_dir: Path, number: str, name: str, *, workers: int = 2) -> Report:
    """Lint the course's sources, compile the notebook, and judge the exercise's answers on file in the sandbox.

    Visible cases that are not as the source gives are made anew for this report; the file of the course stays as it is.
    Nothing is judged while there are problems: a verdict on unfinished work says nothing.

    Raises:
        CourseError: no such notebook or exercise, or a check that fails by itself.
    """
    path, course = find_notebook(source_dir, number), CourseFolder.of(source_dir)
    sources = [read_source(each) for each in source_paths(source_dir)]
    source = next(each for each in sources if each.path == path)
    cell = find_exercise(source, name)
    on_file = read_mutants(source.name, course.filed).get(name, [])
    problems = [*lint(sources), *missing(source, cell, course, on_file), *left_in_references(course)]
    if problems:
        return Report(problems)
    notes = list(_notes(source, cell, course))
    if cell.role == "written":
        return Report(notes=[*notes, "it is marked by a person: model answer and rubric are there"])
    with tempfile.TemporaryDirectory(prefix="exercise-") as scratch:
        public = public_folder(Path(scratch))
        notes += _bring_cases(source, name, course, public)
        found = _judged(path, on_file, course, public, workers)
    return Report(verdicts=sorted(found, key=lambda one: (not one.wrong, one.name)), notes=notes)


def _bring_cases(source: Source, name: str, course: CourseFolder, public: Path) -> list[str]:
    """Put the exercise's visible cases, as its source gives them, into the public folder; a note if they were not current."""
    data = course.root / "data"
    old = bool(stale(source, data, name))
    target, kept = (folder_of(folder) / f"{source.name}.json" for folder in (public / "data", data))
    if old:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(current_text(source, data, name), encoding="utf-8")
    elif kept.is_file():
        shutil.copyfile(kept, target)
    return [f"{kept} is not current for {name}; judged with new cases; run python -m autograder build"] if old else []


def _judged(path: Path, on_file: Sequence[Mutant], course: CourseFolder, public: Path, workers: int) -> list[Judgement]:
    """Outcomes of all answers on file: a few are judged here, many are dealt out to processes."""
    if len(on_file) < forking.FEW or workers < 2:
        artefacts = needed(path, on_file[0].exercise, course.filed)
        return judge_exercise(path, on_file, public, artefacts, course.filed)
    by_seed = sorted(on_file, key=seed_of)  # one process draws the trials of few seeds
    size = -(-len(by_seed) // workers)
    shares = [(path, by_seed[first : first + size]) for first in range(0, len(by_seed), size)]
    return list(judged(shares, public, workers, progress=False, filed=course.filed))


def _notes(source: Source, cell: Cell, course: CourseFolder) -> Iterator[str]:
    """Compile the notebook, and say what is not current. Raises CourseError where it cannot be compiled."""
    made, there = notebook_bytes(student_notebook(source)), course.root / "notebooks" / f"{source.name}.ipynb"
    if not there.is_file() or there.read_bytes() != made:
        yield f"{there} is not current; run python -m autograder build"
    if cell.role == "check" and cell.exercise not in course.costs().get(source.name, {}):
        yield no_cost(source, cell)


def table(found: Report) -> Iterator[str]:
    """The report for people: problems, one line per answer on file, notes, and a last line with the sum."""
    yield from (f"✗ {problem}" for problem in found.problems)
    if found.verdicts:
        width = max(len(one.name) for one in found.verdicts) + 5
        yield f"  {'file':<{width}}{'expected':<10}{'verdict':<10}hint"
        for one in found.verdicts:
            expected, verdict = ("reject" if flag else "accept" for flag in (one.wrong, one.rejected))
            mark = "✓" if one.good else "✗"
            yield f"{mark} {one.name + '.py':<{width}}{expected:<10}{verdict:<10}{_hint(one)}".rstrip()
    yield from (f"note: {note}" for note in found.notes)
    bad = sum(not one.good for one in found.verdicts)
    yield f"{len(found.problems)} problems, {len(found.verdicts)} answers judged, {bad} not as they must be"


def _hint(one: Judgement) -> str:
    """What the judge said; for a hint that does not name the cause, what it should have said."""
    if one.wrong and one.rejected and not one.named:
        return f"{one.said}  [does not contain: {one.wanted}]"
    return one.said


def exercises(source_dir: Path, number: str | None) -> list[dict[str, Any]]:
    """Every exercise (of one notebook) with points, minutes, difficulty, answers on file and CPU seconds (None: not measured)."""
    course = CourseFolder.of(source_dir)
    costs, rows = course.costs(), []
    for path in asked_for(source_dir, number):
        source = read_source(path)
        on_file = read_mutants(source.name, course.filed)
        for cell in source.graded():
            filed = on_file.get(cell.exercise, [])
            rows.append(
                {"notebook": source.name, "exercise": cell.exercise, "kind": cell.role}
                | {key: cell.marks.get(key) for key in ("points", "minutes", "difficulty")}
                | {"wrong": sum(one.wrong for one in filed), "right": sum(not one.wrong for one in filed)}
                | {"cpu_seconds": costs.get(source.name, {}).get(cell.exercise)}
            )
    return rows


def taken_ids(source_dir: Path) -> set[str]:
    """Ids of all exercises of the course."""
    return {cell.exercise for path in source_paths(source_dir) for cell in read_source(path).cells if cell.exercise}


def listing(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The list for people."""
    yield f"{'exercise':<42}{'points':>7}{'minutes':>8}{'difficulty':>11}{'wrong':>6}{'right':>6}{'CPU s':>7}"
    for row in rows:
        written = row["kind"] == "written"
        filed = ["–", "–"] if written else [row["wrong"], row["right"]]
        cost = "–" if row["cpu_seconds"] is None else f"{row['cpu_seconds']:.1f}"
        name = f"{row['notebook']}/{row['exercise']}{' (written)' if written else ''}"
        yield (
            f"{name:<42}{row['points']:>7g}{row['minutes']:>8g}{row['difficulty']:>11}{filed[0]:>6}{filed[1]:>6}{cost:>7}"
        )
    yield f"{len(rows)} exercises, {in_points(sum(row['points'] for row in rows))}"
