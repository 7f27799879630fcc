"""What a student handed in before: work that a later hand-in replaced does not come back by a folder that is graded again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.grading.identities import Identities, Told
from autograder.grading.standing import Standing
from autograder.intake.discover import Found
from autograder.intake.own import Judged, time_text


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
            mine.hands, mine.judged = {**other.hands, **mine.hands}, {**other.judged, **mine.judged}
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
    elif told.kind == "refused":
        past.refused = bool(told.data["reason"])


def _know(past: Past, data: Mapping[str, Any]) -> None:
    """Note how the grader's copies of a hand-in are known: by its hash, and in releases of before by the time it wrote."""
    sha, cells = data["sha256"], data.get("notebook_sha", "")
    old = past.judged.get(sha, Judged(cells, frozenset()))
    times = {time_text(data["received"])} if data.get("received") else set()
    past.judged[sha] = Judged(cells, old.marks | {sha} | times)


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

    Of one and the same second it says nothing: that may be the hand-in that stands.
    """
    mine, known = str((intake or {}).get("received", "")), (intake or {}).get("timed")
    return found.time > mine if found.time and known and mine and found.time != mine else None


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
