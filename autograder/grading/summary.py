"""The outcome of a run of ``grade``: what became of each submission, and what to know of the whole export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from typing import Any

from autograder.grading.identities import People
from autograder.grading.person import Known, Person, person_of
from autograder.grading.standing import Standing

NEW, CHANGED, AGAIN, BEFORE = "new", "changed", "judged again", "as before"
NAMES = 10  # of people, or groups of them, in one line


@dataclass
class SubmissionOutcome:
    """What became of one submission.

    ``state``: ``graded``, ``unchanged`` (graded before, the same work), ``refused`` (intake said no), or ``dead``,
    ``timeout`` and ``error`` (the judge's process ended, hung or failed), ``unrecorded`` (it could not be written down,
    or nbgrader would not take it; the next run tries again). ``points`` are those that count now, of ``max_points`` in the
    whole notebook; ``to_mark`` of these wait for a person. ``news`` is :data:`NEW`, :data:`CHANGED` (other work than
    before) or :data:`AGAIN` (the same work judged anew) of who is graded by this run.
    """

    student: str
    state: str
    points: float = 0.0
    max_points: float = 0.0
    to_mark: float = 0.0
    notes: list[str] = field(default_factory=list)
    reason: str = ""
    news: str = ""

    @property
    def ok(self) -> bool:
        """Whether the submission has its verdicts."""
        return self.state in ("graded", "unchanged")


@dataclass
class Summary:
    """The outcome of a run; ``exit_code`` is 0 all graded, 1 some could not be graded, 130 interrupted.

    Attributes:
        not_understood: entries of the export that are nobody's, as ``{"item", "reason"}``.
        platform: where the export comes from.
        missing: ids of the class list from whom nothing came.
        left: students whom an interruption came before.
        equal: students of this run with somebody who handed in the same, see :mod:`autograder.grading.equal`.
        absent: students with a grade who are not in this export.
    """

    assignment: str
    release: str
    outcomes: list[SubmissionOutcome] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)
    unwritten: bool = False  # the summary itself could not be kept
    not_understood: list[dict[str, str]] = field(default_factory=list)
    platform: str = ""
    missing: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    equal: list[list[str]] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    @property
    def here(self) -> set[str]:
        """Everybody of whom the export has something."""
        return {*self.left, *(one.student for one in self.outcomes)}

    @property
    def news(self) -> str:
        """How many of the graded are new, changed and as before, in words."""
        count = Counter(one.news or BEFORE for one in self.outcomes if one.ok)
        kinds = (NEW, CHANGED, *([AGAIN] if count[AGAIN] else []), BEFORE)
        return ", ".join(f"{count[kind]} {kind}" for kind in kinds)

    @property
    def exit_code(self) -> int:
        """The command line's exit code."""
        if self.interrupted:
            return 130
        whole = not self.not_understood and not self.unwritten
        return 0 if whole and all(one.ok for one in self.outcomes) else 1

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {"exit_code": self.exit_code}


def not_here(people: People, assignment: str, here: Collection[str], nobodys: Collection[str] = ()) -> list[str]:
    """Students with a grade in an assignment who are not among these.

    Args:
        nobodys: names of entries of the export that are not understood. Whose name or number one of them has is not missed.
    """
    table = people.table.items()
    away = {who: one for (name, who), one in table if name == assignment and one.verdict and who not in here}
    found = {who: _person(people, who, one) for who, one in away.items()}
    return sorted(who for who, one in found.items() if not any(one.owns(item, assignment) for item in nobodys))


def _person(people: People, who: str, standing: Standing) -> Person:
    known = Known()
    known.entry(standing.intake or {})
    return person_of(frozenset(people.identities.same(who)), {who: known})


def some(names: Collection[str], between: str = ", ", most: int = NAMES) -> str:
    """The first names, and how many there are besides."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(list(names)[:most]) + more
