"""What a student handed in before: work that a later hand-in replaced does not come back by a folder that is graded again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from autograder.grading.identities import Identities
from autograder.grading.ledger import Entry
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


def pasts(entries: Iterable[Entry], assignment: str) -> dict[str, Past]:
    """The hand-ins of everybody, by the id that counts in the end, as the ledger tells it: a merge may be undone."""
    own: dict[str, Past] = {}
    identities = Identities()
    for entry in entries:
        if entry.data.get("assignment") == assignment and "student" in entry.data:
            _note(own, identities, entry)
        identities.take(entry.kind, entry.data)
    found: dict[str, Past] = {}
    for who, past in own.items():
        joined = found.setdefault(identities.of(who), Past(refused=own.get(identities.of(who), Past()).refused))
        joined.hands = {**past.hands, **joined.hands}
        for sha, one in past.judged.items():
            joined.judged[sha] = one.joined(joined.judged.get(sha, one))
    return found


def _note(own: dict[str, Past], identities: Identities, entry: Entry) -> None:
    who = entry.data["student"]
    past = own.setdefault(who, Past())
    if entry.kind == "removed":
        for one in [one for one in own if identities.of(one) == identities.of(who)]:
            own.pop(one)
    elif entry.kind == "intake":
        past.hands.setdefault((entry.data["sha256"], entry.data.get("lms_id", "")), entry.time)
        past.refused = False
        _know(past, entry.data)
    elif entry.kind == "verdict" and "copies" not in entry.data:
        sha = entry.data["sha256"]
        past.judged[sha] = replace(past.judged.get(sha, Judged("")), unsigned=True)
    elif entry.kind == "refused":
        past.refused = bool(entry.data["reason"])


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

    Of one and the same second it says nothing: that may be the hand-in that stands.
    """
    mine, known = str((intake or {}).get("received", "")), (intake or {}).get("timed")
    return found.time > mine if found.time and known and mine and found.time != mine else None


def sentence(student: str, time: str) -> str:
    """What the instructor has to know of work that was not judged because it was replaced."""
    when = f"is that of {time[:10]}" if time else "came earlier"
    return (
        f"{student}: the work in these submissions {when}, and a later hand-in replaced it; the later one stays. "
        "If the earlier one shall count, give --again"
    )
