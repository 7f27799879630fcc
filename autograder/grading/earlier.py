"""What a student handed in before: work that a later hand-in replaced does not come back by a folder that is graded again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from autograder.grading.identities import Identities, Told
from autograder.grading.standing import Standing
from autograder.grading.store import ReleaseLike, of_ledger
from autograder.intake.discover import Found
from autograder.intake.own import Judged, cells_hash, time_text
from course_utils.errors import CourseError


@dataclass
class Past:
    """One student's hand-ins of an assignment.

    Attributes:
        hands: hash, and the platform's number that it came from, to the time when it was first noted, ISO 8601.
        refused: whether the newest hand-in was refused, after one that was graded.
        judged: by hash, how the grader's copies of them are known.
    """

    hands: dict[tuple[str, str], str] = field(default_factory=dict)
    refused: bool = False
    judged: dict[str, Judged] = field(default_factory=dict)


def pasts(history: Iterable[Told], assignment: str) -> dict[str, Past]:
    """The hand-ins of everybody, by the id that counts, from :attr:`~autograder.grading.identities.People.history`."""
    found: dict[str, Past] = {}
    identities = Identities()
    for told in history:
        if told.kind == "merged":
            other = found.pop(told.owner, Past())
            mine = found.setdefault(told.data["into"], Past())
            mine.hands = {**other.hands, **mine.hands}
            for sha, one in other.judged.items():
                mine.judged[sha] = one.joined(mine.judged.get(sha, one))
            identities.take(told.kind, told.data)
        elif told.data.get("assignment") == assignment:
            _note(found, identities.of(told.owner), told)
    return found


def _note(found: dict[str, Past], who: str, told: Told) -> None:
    past = found.setdefault(who, Past())
    if told.kind == "removed":
        found.pop(who)
    elif told.kind == "intake":
        past.hands.setdefault((told.data["sha256"], told.data.get("lms_id", "")), told.time)
        past.refused = False
        _know(past, told.data)
    elif told.kind == "verdict" and "copies" not in told.data:
        sha = told.data["sha256"]
        past.judged[sha] = replace(past.judged.get(sha, Judged("")), unsigned=True)
    elif told.kind == "refused":
        past.refused = bool(told.data["reason"])


def _know(past: Past, data: Mapping[str, Any]) -> None:
    """Note how copies of a hand-in without a signature are known: by its hash, and in older releases by the time beside."""
    sha, cells = data["sha256"], data.get("notebook_sha", "")
    times = {time_text(data["received"])} if data.get("received") else set()
    past.judged[sha] = Judged(cells, frozenset({sha} | times)).joined(past.judged.get(sha, Judged(cells)))


def with_written(past: Past, release: ReleaseLike, assignment: str, standing: Standing) -> Mapping[str, Judged]:
    """The hand-ins that were judged, with the cells that the copy of the one that stands has if it may have no signature."""
    verdict, judged = standing.verdict or {}, past.judged
    sha, student = str(verdict.get("sha256", "")), str(verdict.get("student", ""))
    one = judged.get(sha)
    if one is None or not one.unsigned:
        return judged
    try:
        notebook = of_ledger(release, assignment, student, standing).intake.notebook
    except CourseError:  # it is gone or changed: it is said where it is needed
        return judged
    return {**judged, sha: replace(one, written=cells_hash(notebook))}


def replaced(past: Past, standing: Standing, number: str) -> dict[str, str]:
    """Hashes of work that a later hand-in replaced, with the time when it was first noted; none where nothing stands.

    Args:
        number: the platform's, from which the hand-in comes now: the same work of another account is not the same hand-in.
    """
    if not standing.verdict:
        return {}
    stands = standing.verdict["sha256"]
    return {sha: time for (sha, whose), time in past.hands.items() if whose == number and sha != stands}


def after(found: Found, intake: Mapping[str, object] | None) -> bool | None:
    """Whether a hand-in came later than the one that stands, by the platform's clock; None where it does not say.

    Of one and the same second it says nothing: that may be the hand-in that stands. Where no platform gave that one a time,
    it was there when it was first seen: what came after that is later.
    """
    mine, known = str((intake or {}).get("received", "")), (intake or {}).get("timed")
    if not found.time or not mine or found.time == mine:
        return None
    return found.time > mine if known else found.time > mine or None


def first(known: Mapping[str, Any] | None, came: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of two arrivals of the same work the one that counts: a time that a platform gave, and of two the earlier one.

    Args:
        known: ``received``, ISO 8601, and whether that is the platform's time (``timed``), of the one that was noted first.
        came: the same of the other one.
    """
    if known is None:
        return came
    if not came.get("timed") or (known.get("timed") and known["received"] <= came["received"]):
        return known
    return came


def sentence(student: str, time: str) -> str:
    """What the instructor has to know of work that was not judged because it was replaced."""
    when = f"is that of {time[:10]}" if time else "came earlier"
    return (
        f"{student}: the work in these submissions {when}, and a later hand-in replaced it; the later one stays. "
        "If the earlier one shall count, give --again"
    )
