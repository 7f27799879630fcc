"""Writing the files of visible cases: trials with the oracle's answers, and fingerprints of every wrong answer on file."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import random
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograder.judge.hints import CheckTimeout
from autograder.judge.run_check import alarm
from autograder.quality import forking
from autograder.quality.cells import setup_cells
from autograder.quality.filed import read_mutants
from autograder.source.covered import declaration
from autograder.source.percent import Cell, Source, python, read_source
from autograder.source.visible import MISTAKES, declared, entries, made_from, stale
from course_utils.checks.casefile import Entry, Mistake, folder_of, from_json, text_of, to_json
from course_utils.checks.compare import CheckFailed
from course_utils.checks.fingerprint import fingerprint
from course_utils.checks.promised import answers_of
from course_utils.checks.student import Student
from course_utils.checks.trials import Answer
from course_utils.checks.verdict import broken, reason, worst
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

SEED = 0  # of the visible cases
MOST = 4  # exercises built at a time: each process has torch and its own cases in memory
SECONDS = 60.0  # of CPU that one wrong answer may take on them; none on file takes a tenth of it
WAITING = 600.0  # of the clock, for one that only waits
SLOW = (
    "the wrong answer {name} is not done with the visible cases within {seconds:.0f} s of CPU. "
    "Build again while less runs beside; if it stays, make it quicker or take it off file."
)


def write_cases(sources: Sequence[Source], data: Path) -> list[str]:
    """Bring the files of visible cases up to date; what is current stays. Returns what was made, as ``notebook/exercise``.

    Raises:
        CourseError: a declaration that cannot be used, with the file's name.
    """
    made: list[str] = []
    for source in sources:
        path = folder_of(data) / f"{source.name}.json"
        there = entries(path)
        todo = stale(source, data)
        names = [cell.exercise for cell in declared(source)]
        if not todo and set(there) == set(names):
            continue
        fresh = fresh_entries(source, todo)
        whole = {name: fresh.get(name, there.get(name)) for name in names}
        path.parent.mkdir(parents=True, exist_ok=True)
        if names:
            write_atomically(path, text_of(source.name, whole))
        else:
            path.unlink()
        made += [f"{source.name}/{name}" for name in todo]
    return made


def fresh_entries(source: Source, exercises: Sequence[str]) -> dict[str, dict[str, Any]]:
    """These exercises' entries as JSON values, each made in a process of its own, since answers change torch's settings.

    Raises:
        CourseError: a declaration that cannot be used, with the file's name.
    """
    if not exercises:
        return {}
    workers = min(len(exercises), os.cpu_count() or 1, MOST)
    with ProcessPoolExecutor(workers, mp_context=forking.context(), max_tasks_per_child=1) as pool:
        made = pool.map(entry_json, [source.path] * len(exercises), exercises)
        return dict(zip(exercises, made, strict=True))


def current_text(source: Source, data: Path, exercise: str) -> str:
    """The text of a source's file of visible cases, with one exercise's entry made anew.

    Raises:
        CourseError: a declaration that cannot be used, with the file's name.
    """
    there = entries(folder_of(data) / f"{source.name}.json")
    return text_of(source.name, there | fresh_entries(source, [exercise]))


def entry_json(path: Path, exercise: str) -> dict[str, Any]:
    """One exercise's entry as JSON values. Raises CourseError."""
    source = read_source(path)
    cell = next(cell for cell in declared(source) if cell.exercise == exercise)
    torch.set_num_threads(1)  # processes run side by side here; more threads than cores wait by turning in circles
    random.seed(SEED)  # wrong answers that draw numbers of their own get the same ones whenever they are built
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    try:
        return to_json(entry_of(source, cell))
    except (CourseError, CheckFailed) as error:
        raise CourseError(f"{path}, line {cell.line}: the check of {exercise} cannot be built: {error}") from error


def entry_of(source: Source, cell: Cell) -> Entry:
    """The entry of one exercise: visible trials that the oracle itself passes, and the mistakes on file."""
    promised = declaration(cell)
    listed = promised.listed()
    trials = tuple(trial for number in range(len(listed)) for trial in promised.trials(number, SEED, small=True))
    bare = Entry(
        made_from(source, cell.exercise), tuple(listed), trials, (), parameters(source, cell.exercise),
        promised.forbid, promised.shares, promised.alarm,
    )  # fmt: skip
    bare = from_json(to_json(bare))  # what a file cannot hold must not decide
    if lost := [answer for answer in answers_of(bare, promised.reference) if not answer.kept]:
        sentence = listed[lost[0].trial.promise].sentence
        raise CourseError(f"The reference itself breaks {sentence!r} of {cell.exercise}: {lost[0].problem}.")
    return Entry(**{**vars(bare), "mistakes": tuple(_mistakes(source, cell.exercise, bare))})


def parameters(source: Source, exercise: str) -> dict[str, tuple[str, ...]]:
    """Names of the arguments of the answer's functions, and of its classes' ``forward``."""
    text = next((c.text for c in source.cells if (c.role, c.exercise) == ("answer", exercise)), "")
    found: dict[str, tuple[str, ...]] = {}
    for node in (python(text) or ast.Module([], [])).body:
        forwards = [one for one in getattr(node, "body", []) if getattr(one, "name", "") == "forward"]
        function = forwards[0] if isinstance(node, ast.ClassDef) and forwards else node
        if isinstance(function, ast.FunctionDef) and isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = tuple(one.arg for one in function.args.args if one.arg != "self")
    return found


def _mistakes(source: Source, exercise: str, entry: Entry) -> Iterator[Mistake]:
    """What the wrong answers on file give; those that the visible cases do not show leave no record.

    Raises:
        CourseError: one that does not end in time. Left out, it would give its students no hint, and nobody would know.
    """
    filed = source.path.parents[1] / MISTAKES
    before, after = setup_cells(source, exercise)
    for mutant in read_mutants(source.name, filed).get(exercise, []):
        if mutant.wrong and not mutant.files:
            answers = _answers(entry, [*before, mutant.text, *after])
            if answers is None:
                raise CourseError(SLOW.format(name=f"{exercise}/{mutant.name}", seconds=SECONDS))
            if broken(answers):
                yield Mistake(_told(entry, answers, mutant.hint), tuple(map(fingerprint, answers)))


def _told(entry: Entry, answers: Sequence[Answer], hint: str) -> str:
    """The hint, as a student reads it: where it is a piece of what the check says by itself, all of that sentence."""
    shown = worst(answers)
    why, promised = reason(shown), entry.promises[shown.trial.promise].sentence
    own = f"{promised} ({why})" if why else promised
    return next((text for text in (own, *(one.sentence for one in entry.promises)) if hint in text), hint)


def _answers(entry: Entry, cells: Sequence[str]) -> list[Answer] | None:
    """What these cells' names answer, or None where they are not done in time; nothing they print or set stays."""
    quiet = io.StringIO()
    with settings_put_back(), contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        try:
            with alarm(WAITING), alarm(SECONDS, cpu=True):
                names = names_of(cells)
                found = answers_of(entry, Student(lambda: names))
        except CheckTimeout:
            return None
    return None if any(one.error is not None and one.error.kind == CheckTimeout.__name__ for one in found) else found


@contextlib.contextmanager
def settings_put_back() -> Iterator[None]:
    """torch's default type and gradient mode as before, no warnings."""
    dtype, grad = torch.get_default_dtype(), torch.is_grad_enabled()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)


def names_of(cells: Sequence[str]) -> dict[str, Any]:
    """The names after these cells; one that raises is left where it stopped, as a notebook does."""
    scope: dict[str, Any] = {"__name__": "notebook"}
    for cell in cells:
        with contextlib.suppress(Exception):
            exec(compile(cell, "<answer>", "exec", dont_inherit=True), scope)
    return scope
