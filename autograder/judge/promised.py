"""A check made of promises, judged: the visible trials of the course's file first, then fresh ones.

What the visible trials and public draws say may be told; what secret draws say is kept to the scoring pass (execute.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from autograder.judge import hints
from autograder.judge.hints import CheckOutcome
from course_utils.checks.casefile import Entry, find
from course_utils.checks.promised import answers_of
from course_utils.checks.promises import Answer, Trial
from course_utils.checks.verdict import EVERYWHERE, broken, everywhere, kept_parts, reason, share, worst
from course_utils.errors import CourseError


class Drawn(Protocol):
    """A declaration, as far as judging needs it: fresh trials of each promise."""

    def trials(self, number: int, seed: int) -> list[Trial]:
        """The trials of the promise with this number, drawn from the seed."""


def entry_for(public: Path, assignment: str, exercise: str) -> Entry:
    """The exercise's visible trials, from the release's own copy. Raises CourseError when there are none."""
    found = find(Path(public) / "data", exercise, assignment)
    if found is None:
        raise CourseError(f"{public}: has no visible cases of {exercise}; make the release again")
    return found


def judge(declared: Drawn, entry: Entry, student: Any, seed: int, lines: int) -> tuple[CheckOutcome, int]:
    """How the check ends, and the number of comparisons made.

    Args:
        declared: the declaration of the check's own text.
        entry: the visible trials.
        student: the student's names.
        seed: of the fresh trials.
        lines: number of lines of the answer cell.
    """
    answers = answers_of(entry, student)
    if answers[-1].error is not None and answers[-1].error.unsolved:
        raise answers[-1].error
    told = entry.hint(answers) if broken(answers) else ""
    for number, one in enumerate(entry.promises):
        if share(entry, answers) == 0:
            break
        if one.part and broken(answers) and one.part not in kept_parts(entry, answers):
            continue  # nothing brings this part back
        answers += _fresh(declared, number, student, seed)
    return _outcome(entry, answers, told, lines), len(answers)


def _fresh(declared: Drawn, number: int, student: Any, seed: int) -> list[Answer]:
    """Fresh trials of one promise, up to the first that breaks it."""
    answers: list[Answer] = []
    for trial in declared.trials(number, seed):
        answers.append(trial.run(student))
        if not answers[-1].kept:
            break
    return answers


def _outcome(entry: Entry, answers: list[Answer], told: str, lines: int) -> CheckOutcome:
    credited = bool(entry.shares)
    if not broken(answers):
        return CheckOutcome("passed", fraction=1.0, credited=credited, parts=kept_parts(entry, answers))
    part, shown = share(entry, answers), worst(answers)
    sentence = told or entry.promises[broken(answers)[0]].sentence
    detail = f"{entry.promises[shown.trial.promise].sentence}: {shown.problem}"
    if part:
        parts = kept_parts(entry, answers)
        return CheckOutcome("partial", hints.shown(sentence), detail, part, credited=credited, parts=parts)
    if shown.error is not None and not told:
        status, words = hints.of_student(shown.error, lines)
        told = f", {EVERYWHERE}" if everywhere(answers, shown) else f"; promised is: {sentence}"
        return CheckOutcome(status, hints.shown(words + told), detail, credited=credited)
    why = "" if told else reason(shown)
    return CheckOutcome("failed", hints.shown(sentence + (f" ({why})" if why else "")), detail, credited=credited)
