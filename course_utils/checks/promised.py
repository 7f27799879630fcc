"""An exercise's check in the notebook: the visible trials, run on the notebook's own names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from course_utils.checks.answers import answer_source
from course_utils.checks.casefile import Entry, find
from course_utils.checks.forbidden import refusal, without_forbidden
from course_utils.checks.handed import LOOKED
from course_utils.checks.trials import Answer
from course_utils.checks.verdict import broken, coloured, listed, report, share, unsolved

__all__ = ["answers_of", "entry_of", "listed", "run"]

NOTHING: Mapping[str, str] = MappingProxyType({})


def entry_of(name: str, data: Path, notebook: str) -> Entry | None:
    """The exercise's entry; None if its check is a block."""
    return find(data, name, notebook)


def answers_of(
    entry: Entry,
    student: Any,
    *,
    files: bool = True,
    without: Mapping[str, str] = NOTHING,
    at: Callable[[str], None] = lambda part: None,
) -> list[Answer]:
    """All visible trials, in order; they end at once when no part of the exercise is written yet.

    Args:
        files: whether files that are handed in are looked at, after all else and only if all else is kept.
        without: parts of the points that are not asked, each with the reason.
        at: is told the part of each trial before it is asked.
    """
    answers: dict[int, Answer] = {}
    for number, trial in enumerate(entry.trials):
        if trial.ask.way != LOOKED:
            at(part := entry.part_of(trial))
            answers[number] = trial.refused(without[part]) if part in without else trial.run(student)
            if not answers[number].kept and unsolved(entry, list(answers.values())):
                return list(answers.values())
    files = files and all(answer.kept for answer in answers.values())
    for number, trial in enumerate(entry.trials):
        if trial.ask.way == LOOKED:
            answers[number] = trial.run(student) if files else Answer(trial, got=True, asked=False)
    return [answers[number] for number in sorted(answers)]


def run(name: str, entry: Entry, student: Any, *, files: bool = True) -> tuple[str, list[str], str]:
    """Status, lines to print, and one sentence if something is not as asked ("" if all is).

    ``files`` as in :func:`answers_of`.
    """
    answers = answers_of(entry, student, files=files)
    if error := unsolved(entry, answers):
        text = error.waiting(name)
        return "unsolved", [text], text
    source = answer_source(student._touched) if entry.forbid else ""
    _, found = without_forbidden(source, entry.forbid, entry.functions())
    if "" in found:
        text = refusal(found[""])
        return "failed", [f"{coloured(f'✗ {name}', 'red')}: {text}"], text
    parts = [(entry.part_of(one.trial), one) for one in answers]
    answers = [one.trial.refused(refusal(found[part])) if part in found else one for part, one in parts]
    lines, part = report(name, entry, answers), share(entry, answers)
    if not broken(answers):
        return "passed", lines, ""
    return ("partial" if part else "failed"), lines, "\n".join(lines)
