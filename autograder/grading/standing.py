"""Where a student stands in an assignment, as the entries of the ledger tell it: verdict, overrides and marks by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CHECK = "check-"
ANSWER = "answer-"
WRITTEN = "written-"


@dataclass(frozen=True)
class Hand:
    """What people wrote into one cell of the gradebook.

    Attributes:
        points: instead of the automatic ones; None where nobody gave any.
        extra: points beyond the maximum.
        comment: to the student.
        review: the points were given for earlier work, so a person has to look again; until then they do not count.
    """

    points: float | None = None
    extra: float | None = None
    comment: str | None = None
    review: bool = False


NOTHING = Hand()


def hand_of(data: Mapping[str, Any]) -> Hand:
    """The part of a ``mark`` entry that says what stands in the gradebook."""
    return Hand(data["points"], data["extra"], data["comment"], bool(data["review"]))


@dataclass
class Standing:
    """Where one student stands in one assignment, as the ledger tells it.

    Attributes:
        verdict: data of the newest verdict entry (its ``result`` is a ``Result`` as JSON).
        overrides: exercise id to ``{"points", "reason", "by", "answer"}``, those that count: they were given for the
            answer that stands (``answer`` is its hash). A changed check of the formgrader is one too, with the comment as
            its reason, perhaps empty.
        elsewhere: the same of those that were given for another answer; they count again if that answer comes back.
        recorded: whether the newest state has been written into the gradebook.
        forced: a regrade was asked for after the newest verdict.
        intake: data of the newest intake entry.
        marks: cell id to what people wrote there; points of checks are in ``overrides``.
    """

    verdict: dict[str, Any] | None = None
    overrides: dict[str, dict[str, Any]] = field(default_factory=dict)
    elsewhere: dict[str, dict[str, Any]] = field(default_factory=dict)
    recorded: bool = False
    forced: bool = False
    intake: dict[str, Any] | None = None
    marks: dict[str, Hand] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """Points of the automatic checks, overrides counted."""
        verdicts = self.verdict["result"]["verdicts"] if self.verdict else []
        return sum(float(self.overrides.get(v["exercise"], v)["points"]) for v in verdicts)

    def by_hand(self) -> dict[str, Hand]:
        """Cell id to what people decided there, overrides of the command line and marks of the formgrader alike."""
        found = dict(self.marks)
        for exercise, data in self.overrides.items():
            old = found.get(CHECK + exercise, NOTHING)
            found[CHECK + exercise] = Hand(float(data["points"]), old.extra, old.comment)
        return found

    def reason(self, exercise: str) -> str:
        """Why the points of a check were changed by hand: the reason given, or the comment beside the answer."""
        comments = (self.marks.get(key, NOTHING).comment for key in (CHECK + exercise, f"answer-{exercise}"))
        return str(self.overrides.get(exercise, {}).get("reason") or next(filter(None, comments), ""))

    def apply(self, kind: str, data: dict[str, Any]) -> None:
        """Take one entry of the ledger into account."""
        if kind == "verdict":
            self._judged(data)
        elif kind == "override":
            if not math.isfinite(data["points"]):
                raise ValueError(f"{data['points']} points")
            self._decided(data)
            self.recorded = False
        elif kind == "mark":
            self._marked(data)
        elif kind == "regrade":
            self.forced = True
        elif kind == "recorded":
            self.recorded = True
        elif kind == "intake":
            self.intake = data

    def _judged(self, data: dict[str, Any]) -> None:
        """What a person decided holds for the answer that it was given for, whatever else the hand-in has."""
        now = data.get("answers", {})
        if self.verdict and self.verdict["sha256"] != data["sha256"]:
            before = self.verdict.get("answers", {})
            for cell, hand in self.marks.items():
                same = cell in now and before.get(cell) == now[cell]
                if hand.points is not None and not same:
                    self.marks[cell] = Hand(hand.points, hand.extra, hand.comment, review=True)
            decided = {**self.elsewhere, **self.overrides}
            self.overrides = {
                key: one for key, one in decided.items() if one["answer"] and one["answer"] == _of(now, key)
            }
            self.elsewhere = {key: one for key, one in decided.items() if key not in self.overrides}
        else:  # the same work; entries of before did not note the answers
            self.overrides = {key: one | {"answer": _of(now, key)} for key, one in self.overrides.items()}
        self.verdict, self.recorded, self.forced = data, False, False

    def _decided(self, data: Mapping[str, Any]) -> None:
        """Points of a check by a person, who saw the answer that stands."""
        key = data["exercise"]
        self.elsewhere.pop(key, None)
        self.overrides[key] = {**data, "answer": _of((self.verdict or {}).get("answers", {}), key)}

    def _marked(self, data: dict[str, Any]) -> None:
        """What stands in the formgrader: the newest decision about this cell."""
        cell, hand = str(data["cell"]), hand_of(data)
        if cell.startswith(CHECK):
            exercise = cell.removeprefix(CHECK)
            self.overrides.pop(exercise, None)
            self.elsewhere.pop(exercise, None)
            if hand.points is not None:
                about = {
                    "exercise": exercise,
                    "points": hand.points,
                    "by": data["by"],
                    "reason": data.get("reason", ""),
                }
                self._decided(about)
            hand = Hand(None, hand.extra, hand.comment)
        self.marks[cell] = hand


def _of(answers: Mapping[str, str], exercise: str) -> str:
    """The hash of the answer to an exercise, or an empty string where none was noted."""
    return answers.get(f"{ANSWER}{exercise}", "")
