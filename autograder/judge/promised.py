"""A check made of promises, judged: the visible trials of the course's file first, then fresh ones.

What the visible trials and public draws say may be told; what secret draws say is kept to the scoring pass (execute.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from autograder.judge import hints
from autograder.judge.hints import CheckOutcome
from autograder.records import Status
from course_utils.checks.casefile import Entry, find
from course_utils.checks.promised import NOTHING, answers_of
from course_utils.checks.promises import Answer, Trial
from course_utils.checks.verdict import (
    EVERYWHERE,
    broken,
    everywhere,
    kept_parts,
    lost_parts,
    promised,
    reason,
    unsolved,
    worst,
)
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


def judge(
    declared: Drawn,
    entry: Entry,
    student: Any,
    seed: int,
    lines: int,
    without: Mapping[str, str] = NOTHING,
    at: Callable[[str], None] = lambda part: None,
) -> tuple[CheckOutcome, int]:
    """How the check ends, and the number of comparisons made.

    Args:
        declared: the declaration of the check's own text.
        entry: the visible trials.
        student: the student's names.
        seed: of the fresh trials.
        lines: number of lines of the answer cell.
        without: parts of the points that are lost already, each with the reason.
        at: is told the part of each trial before it is asked.
    """
    answers = answers_of(entry, student, without=without, at=at)
    if error := unsolved(entry, answers):
        raise error
    told = entry.hint(answers) if broken(answers) else ""
    lost = lost_parts(entry, answers)
    for number, one in enumerate(entry.promises):
        if "" in lost or (entry.shares and lost >= set(entry.shares)):
            break
        if one.part not in lost:  # nothing brings back a part that is lost
            answers += _fresh(entry, declared.trials(number, seed), student, lost, at)
    return _outcome(entry, answers, told, lines, without), len(answers)


def _fresh(entry: Entry, trials: list[Trial], student: Any, lost: set[str], at: Callable[[str], None]) -> list[Answer]:
    """Fresh trials of one promise, of each part of the points up to the first that breaks it, which joins ``lost``."""
    answers: list[Answer] = []
    for trial in trials:
        if "" in lost or (part := entry.part_of(trial)) in lost:
            continue
        at(part)
        answers.append(trial.run(student))
        if not answers[-1].kept:
            lost.add(part)
    return answers


def _outcome(
    entry: Entry, answers: list[Answer], told: str, lines: int, without: Mapping[str, str] = NOTHING
) -> CheckOutcome:
    credited = bool(entry.shares)
    if not broken(answers):
        return CheckOutcome("passed", fraction=1.0, credited=credited, parts=kept_parts(entry, answers))
    shown, parts = worst(answers), kept_parts(entry, answers)
    sentence = promised(entry, shown)
    status: Status = "failed"
    words = told
    if shown.error is not None and not told:
        status, words = hints.of_student(shown.error, lines)
        if shown.error.unsolved:
            words = f"{shown.trial.ask.name}: {words}"  # one part of several
        else:
            several = len(entry.parameters) > 1 and shown.trial.ask.name in entry.parameters
            words = f"{shown.trial.ask.name}: {words}" if several else words
            words += f", {EVERYWHERE}" if everywhere(answers, shown) else f"; promised is: {sentence}"
    elif not told and (part_lost := entry.part_of(shown.trial)) in without:
        words = f"{part_lost}: {without[part_lost]}"
    elif not told:
        words = sentence + (f" ({why})" if (why := reason(shown)) else "")
    if without and entry.part_of(shown.trial) not in without:  # what is named now may come of what is not asked
        words = "; ".join([*(f"{name}: {why}" for name, why in without.items()), words])
    part = sum(parts.values())
    detail = f"{sentence}: {shown.problem}" + (f"; parts given: {', '.join(parts)}" if parts else "")
    return CheckOutcome("partial" if part else status, hints.shown(words), detail, part, credited=credited, parts=parts)
