"""An exercise's check in the notebook: the visible trials, run on the notebook's own names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course_utils.checks.answers import answer_source, forbidden_names
from course_utils.checks.casefile import Entry, find
from course_utils.checks.trials import Answer
from course_utils.checks.verdict import broken, coloured, listed, report, share

__all__ = ["answers_of", "entry_of", "listed", "run"]


def entry_of(name: str, data: Path, notebook: str) -> Entry | None:
    """The exercise's entry; None if its check is a block."""
    return find(data, name, notebook)


def answers_of(entry: Entry, student: Any) -> list[Answer]:
    """All visible trials; they end at once when the exercise is not written yet."""
    answers: list[Answer] = []
    for trial in entry.trials:
        answers.append(trial.run(student))
        if answers[-1].error is not None and answers[-1].error.unsolved:
            break
    return answers


def run(name: str, entry: Entry, student: Any) -> tuple[str, list[str], str]:
    """Status, lines to print, and one sentence if something is not as asked ("" if all is)."""
    answers = answers_of(entry, student)
    if (error := answers[-1].error) is not None and error.unsolved:
        text = error.waiting(name)
        return "unsolved", [text], text
    found = forbidden_names(answer_source(student._touched), entry.forbid) if entry.forbid else []
    if found:
        text = f"write it yourself, without {' and '.join(found)}"
        return "failed", [f"{coloured(f'✗ {name}', 'red')}: {text}"], text
    lines, part = report(name, entry, answers), share(entry, answers)
    if not broken(answers):
        return "passed", lines, ""
    return ("partial" if part else "failed"), lines, "\n".join(lines)
