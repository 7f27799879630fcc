"""A check made of promises, judged: the visible trials of the course's file first, then fresh ones.

What the visible trials and public draws say may be told; what secret draws say is kept to the scoring pass (execute.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from autograder.judge import hints
from autograder.judge.hints import CheckOutcome
from course_utils.checks.casefile import Entry, find
from course_utils.checks.promised import answers_of
from course_utils.checks.promises import Answer, Trial
from course_utils.checks.trouble import each
from course_utils.checks.verdict import broken, share, worst
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
    answers = [strict(answer) for answer in answers_of(entry, student)]
    if answers[-1].error is not None and answers[-1].error.unsolved:
        raise answers[-1].error
    told = entry.hint(answers) if broken(answers) else ""
    for number in range(len(entry.promises)):
        if share(entry, answers) == 0:
            break
        answers += _fresh(declared, number, student, seed)
    return _outcome(entry, answers, told, lines), len(answers)


def _fresh(declared: Drawn, number: int, student: Any, seed: int) -> list[Answer]:
    """Fresh trials of one promise, up to the first that breaks it."""
    answers: list[Answer] = []
    for trial in declared.trials(number, seed):
        answers.append(strict(trial.run(student)))
        if not answers[-1].kept:
            break
    return answers


def strict(answer: Answer) -> Answer:
    """The answer compared as one of 32-bit numbers, where it chose a coarser type by itself.

    Where a case has no floating-point arguments, the answer's type decides how exactly it is compared, and a coarse one must
    not make a wrong answer right.
    """
    agree, case = answer.trial.agree, answer.trial.case
    given = any(True for _ in floats([case.args, case.kwargs, case.setup]))
    if not answer.kept or given or not (agree.atol or agree.rtol) or agree.types or agree.law:
        return answer
    if not any(one.dtype.itemsize < 4 for one in floats(answer.got)):
        return answer
    finer = each(answer.got, lambda one: one.float() if one.dtype.itemsize < 4 else one)
    return replace(answer, problem=agree.problem(case, finer, answer.trial.want, answer.trial.names))


def floats(value: Any) -> Iterator[Tensor]:
    """All floating-point tensors in a value."""
    if isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from floats(item)
    elif isinstance(value, Tensor) and value.is_floating_point():
        yield value


def _outcome(entry: Entry, answers: list[Answer], told: str, lines: int) -> CheckOutcome:
    credited = bool(entry.shares)
    if not broken(answers):
        return CheckOutcome("passed", fraction=1.0, credited=credited)
    part, shown = share(entry, answers), worst(answers)
    sentence = told or entry.promises[broken(answers)[0]].sentence
    detail = f"{entry.promises[shown.trial.promise].sentence}: {shown.problem}"
    if part:
        return CheckOutcome("partial", hints.shown(sentence), detail, part, credited=credited)
    if shown.error is not None and not told:
        status, words = hints.of_student(shown.error, lines)
        return CheckOutcome(status, hints.shown(f"{words}; promised is: {sentence}"), detail, credited=credited)
    problem = f" ({shown.problem})" if shown.problem and shown.error is None and not told else ""
    return CheckOutcome("failed", hints.shown(sentence + problem), detail, credited=credited)
