"""What counts for a student: verdicts and the decisions of people, from the ledger and the stored result alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.grading.standing import ANSWER, CHECK, NOTHING, WRITTEN, Hand, Standing
from autograder.grading.store import Stored, sha256
from autograder.intake.rebuild import pictures_of, source_of
from autograder.records import in_points

NOTHING_SAID = {"", "pass", "..."}
UNTOUCHED = "No response."  # nbgrader's word for an answer cell that was left as it was


@dataclass(frozen=True)
class Mark:
    """What counts for one cell; ``waiting`` while a person still has to mark it."""

    score: float
    max_score: float
    comment: str
    waiting: bool


def answers(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Hashes of the answers by cell id, of pictures too: a mark or an override holds for the answer it was given for."""
    cells = {str(cell.get("id")): cell for cell in notebook["cells"]}
    return {
        key: sha256("\0".join([source_of(cell), *filter(None, [pictures_of(cell)])]))[:16]
        for key, cell in cells.items()
        if key.startswith((WRITTEN, ANSWER))
    }


def unanswered(notebook: Mapping[str, Any], skeleton: Mapping[str, Any]) -> bool:
    """Whether nothing was answered: no picture, and no line but blanks, comments, ``pass``, ``...`` and what was given."""
    given = {str(cell.get("id")): set(_lines(cell)) for cell in skeleton["cells"]}
    for cell in notebook["cells"]:
        key = str(cell.get("id"))
        if key.startswith((WRITTEN, ANSWER)) and (
            pictures_of(cell) or {*_lines(cell)} - given.get(key, set()) - NOTHING_SAID
        ):
            return False
    return True


def _lines(cell: Mapping[str, Any]) -> list[str]:
    """The lines of a cell without blanks around them, and those of code without comments."""
    lines = source_of(cell).splitlines()
    return [(one.partition("#")[0] if cell.get("cell_type") == "code" else one).strip() for one in lines]


def written_answers(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Hashes of the texts of written answers by cell id, as nbgrader compares them with what was released."""
    cells = {str(cell.get("id")): cell for cell in notebook["cells"]}
    return {key: sha256(source_of(cell))[:16] for key, cell in cells.items() if key.startswith(WRITTEN)}


def marks_of(standing: Standing, stored: Stored, skeleton: Mapping[str, Any]) -> dict[str, Mark]:
    """Marks of a student by cell id, as ``gradebook.marks`` reads them in the gradebook, comments on answers too.

    Args:
        standing: from the ledger.
        stored: the result that the ledger speaks of.
        skeleton: the student version of the notebook; a written answer that equals it was not given.
    """
    hands = standing.by_hand()
    found = {f"{CHECK}{v.exercise}": (v.points, v.max_points) for v in stored.result.verdicts}
    marks = {key: _mark(hands.get(key, NOTHING), points, most) for key, (points, most) in found.items()}
    blank = written_answers(skeleton)
    given = written_answers(stored.intake.notebook)
    for cell in stored.intake.notebook["cells"]:
        key, about = str(cell.get("id")), cell.get("metadata", {}).get("nbgrader", {})
        if key.startswith(WRITTEN) and about.get("grade"):
            left = given[key] == blank.get(key)
            hand = hands.get(key, NOTHING)
            words = UNTOUCHED if left and hand.points is None else ""
            marks[key] = _mark(hand, 0.0 if left else None, float(about.get("points", 0)), words)
    rest = {key: hand.comment for key, hand in hands.items() if hand.comment and key not in marks}
    return marks | {key: Mark(0.0, 0.0, comment, waiting=False) for key, comment in rest.items()}


def _mark(hand: Hand, auto: float | None, most: float, words: str = "") -> Mark:
    points = auto if hand.points is None else hand.points
    score = 0.0 if points is None else points + (hand.extra or 0.0)
    return Mark(score, most, hand.comment or words, hand.review or points is None)


@dataclass(frozen=True)
class Total:
    """Sums over a whole notebook; ``open`` are the points of answers that wait for a person, counted in ``most``."""

    points: float
    most: float
    open: float


def total(marks: Mapping[str, Mark]) -> Total:
    """Sums of marks; what waits counts nothing yet."""
    done = [mark for mark in marks.values() if not mark.waiting]
    left = sum(mark.max_score for mark in marks.values() if mark.waiting)
    return Total(sum(mark.score for mark in done), sum(mark.max_score for mark in done) + left, left)


def by_people(standing: Standing) -> list[str]:
    """A sentence for the instructor about each check whose points a person changed: by whom, why, and whether it counts."""
    verdicts = standing.verdict["result"]["verdicts"] if standing.verdict else []
    points = {v["exercise"]: float(v["points"]) for v in verdicts}
    found = other_answers(standing)
    for key, data in sorted(standing.overrides.items()):
        why, given = standing.reason(key), float(data["points"])
        if why or points.get(key) != given:
            words = f"{key}: {in_points(given)} instead of {points.get(key, 0.0):g}, by {data['by']}"
            found.append(f"{words}: {why}" if why else f"{words} in the formgrader, without a reason")
    return found


def other_answers(standing: Standing) -> list[str]:
    """A sentence for each override that does not count, since another answer stands now: a person has to look at it."""
    return [
        f"the override of {key} by {data['by']} ({in_points(float(data['points']))}) was for another answer: it waits for a "
        "person, and the check's points count until override is given again"
        for key, data in sorted(standing.elsewhere.items())
    ]
