"""``mutants --generated``: thousands of mistakes made by rule from right answers, held against the promises.

Each mutant is judged as a hand-in is, with the visible trials and fresh ones, in a process of its own with a bound on memory
(without a sandbox: our own text is changed, and thousands of sandboxes would take hours). What is accepted is judged with
more seeds; if nothing ever differs it counts as equivalent, since the oracle cannot tell it from the answer.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from autograder.judge import promised
from autograder.judge.hints import CheckTimeout
from autograder.judge.run_check import alarm, bounded_memory
from autograder.quality.casebook import names_of, settings_put_back
from autograder.quality.cells import setup_cells
from autograder.quality.filed import read_mutants
from autograder.quality.rules import Generated, generated
from autograder.source.covered import declaration
from autograder.source.percent import Source, read_source, source_paths, strip_markers
from autograder.source.visible import MISTAKES, declared, require_current
from course_utils.checks.student import Student, StudentError
from course_utils.errors import CourseError

SECONDS = 20.0  # for one judgement
MEMORY = 2 * 2**30  # on top of what is there
MORE = range(1000, 1004)  # seeds for what the first one accepts


def right_answers(source: Source, exercise: str) -> list[str]:
    """The reference's answer and the right ones on file."""
    own = [strip_markers(c.text) for c in source.cells if (c.role, c.exercise) == ("answer", exercise)]
    filed = read_mutants(source.name, source.path.parents[1] / MISTAKES).get(exercise, [])
    return [*own, *(one.text for one in filed if not one.wrong)]


def judge_exercise(path: Path, exercise: str) -> dict[str, Any]:
    """Counts of one exercise, and its survivors. Call it in a process of its own."""
    with bounded_memory(MEMORY):
        return _judge(read_source(path), exercise)


def _judge(source: Source, exercise: str) -> dict[str, Any]:
    bench = _Bench(source, exercise)
    mutants = {one.text: one for text in right_answers(source, exercise) for one in generated(text)}
    found: dict[str, Any] = {
        "generated": len(mutants),
        "domain": sum(one.domain for one in mutants.values()),
        "killed": 0,
    }
    kept = [one for one in mutants.values() if bench.accepts(one, 1)]
    survived = [one for one in kept if not all(bench.accepts(one, seed) for seed in MORE)]
    found |= {"killed": len(mutants) - len(kept), "equivalent": len(kept) - len(survived)}
    name = f"{source.name}/{exercise}"
    found["survived"] = [f"{name}: {one.rule}\n{one.text}" for one in survived]
    found["same"] = [f"{name}: {one.rule}\n{one.text}" for one in kept if one not in survived]
    return found


class _Bench:
    """One exercise's declaration, and the cells around its answer."""

    def __init__(self, source: Source, exercise: str) -> None:
        cell = next(cell for cell in declared(source) if cell.exercise == exercise)
        self.declared = declaration(cell)
        self.entry = promised.entry_for(source.path.parents[1], source.name, exercise)
        self.before, self.after = setup_cells(source, exercise)

    def accepts(self, mutant: Generated, seed: int) -> bool:
        """Whether every promise is kept, in time and memory."""
        with settings_put_back(), contextlib.redirect_stdout(io.StringIO()):
            try:
                with alarm(SECONDS):
                    names = names_of([*self.before, mutant.text, *self.after])
                    outcome, _ = promised.judge(self.declared, self.entry, Student(lambda: names), seed, 0)
                    return outcome.fraction == 1
            except (CheckTimeout, StudentError, MemoryError, SystemExit):
                return False


def run(notebook: str | None = None, exercise: str | None = None, workers: int = 2) -> dict[str, Any]:
    """All mutants of the declared checks (of one notebook, of one exercise).

    Returns:
        ``{"generated", "domain", "equivalent", "killed", "survived", "same"}``: counts, the texts of the survivors, and those
        of the equivalent ones for whoever wants to look.

    Raises:
        CourseError: there is no such check, or its visible cases are not current.
    """
    jobs = [
        (path, cell.exercise)
        for path in source_paths(Path(__file__).resolve().parents[2] / "solutions")
        if notebook is None or path.stem == notebook or path.stem.partition("_")[0] == notebook
        for cell in declared(read_source(path))
        if exercise in (None, cell.exercise)
    ]
    if not jobs:
        raise CourseError(f"There is no declared check of {exercise or notebook or 'any notebook'}.")
    for path, name in jobs:
        require_current(read_source(path), path.parents[1] / "data", name)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, max_tasks_per_child=1) as pool:
        parts = list(pool.map(judge_exercise, *zip(*jobs, strict=True)))
    total: dict[str, Any] = {
        key: sum(part[key] for part in parts) for key in ("generated", "domain", "equivalent", "killed")
    }
    return total | {key: [text for part in parts for text in part[key]] for key in ("survived", "same")}


def table(found: dict[str, Any]) -> Sequence[str]:
    """The counts, and every survivor, for people."""
    counts = ", ".join(f"{found[key]} {key}" for key in ("generated", "domain", "equivalent", "killed"))
    return [f"{counts}, {len(found['survived'])} survived", *(f"✗ {text}" for text in found["survived"])]
