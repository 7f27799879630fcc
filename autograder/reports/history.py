"""What the ledger says of everybody in one assignment beside the standing: hand-ins with their times, and refusals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.grading.earlier import first
from autograder.grading.identities import Identities, Told
from autograder.grading.pairs import ARRIVED

NOT_JUDGED = "the grader ended before it was judged; run grade again with this hand-in"


@dataclass
class History:
    """One person's hand-ins of an assignment.

    Attributes:
        hands: by hash, in order of arrival, the entry that counts.
        refused: why the newest one was not graded, or an empty string.
        told: the same, as far as the student may know.
        times: by hash, as a person gave them.
    """

    hands: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    refused: str = ""
    told: str = ""
    times: dict[str, str] = field(default_factory=dict)

    def came(self, sha: str) -> Mapping[str, Any]:
        """The arrival of a hand-in, with the time that a person gave, if one did."""
        came, time = self.hands.get(sha, {}), self.times.get(sha)
        return {**came, "received": time, "timed": True} if time else came

    def note(self, told: Told) -> None:
        """Take one entry into account."""
        data = told.data
        if told.kind == "intake":
            self.hands[data["sha256"]] = first(self.hands.get(data["sha256"]), data)
        elif told.kind == ARRIVED:
            self.refused, self.told = NOT_JUDGED, ""
        elif told.kind == "refused":
            # what intake says is written for students; all else may name other people or the judge's own faults
            mine = data.get("state") == "refused" and not data.get("instructor")
            self.refused, self.told = data["reason"], data["reason"] if mine else ""
        elif told.kind == "timed":
            self.times[data["sha256"]] = data["time"]
        elif told.kind == "verdict":
            self.refused = self.told = ""

    def join(self, other: History) -> None:
        """Add what is known of another id of the same person. Of one work that both handed in the earlier arrival counts;
        a refusal is resolved where the other id's hand-in was graded.
        """
        if not self.hands and (other.hands or not self.refused):
            self.refused, self.told = other.refused, other.told
        for sha, hand in other.hands.items():
            if sha in self.hands and first(self.came(sha), other.came(sha)) == self.came(sha):
                continue
            self.hands[sha] = hand
            self.times.pop(sha, None)
            if sha in other.times:
                self.times[sha] = other.times[sha]


def histories(history: Iterable[Told], assignment: str) -> dict[str, History]:
    """By the id that counts, from :attr:`~autograder.grading.identities.People.history`, where each entry has its owner."""
    people: dict[str, History] = {}
    identities = Identities()
    for told in history:
        if told.kind == "merged":
            if other := people.pop(told.owner, None):
                people.setdefault(told.data["into"], History()).join(other)
            identities.take(told.kind, told.data)
        elif told.data.get("assignment") == assignment:
            who = identities.of(told.owner)
            if told.kind == "removed":
                people.pop(who, None)
            else:
                people.setdefault(who, History()).note(told)
    return people
