"""Two ids that are one person: which id counts, and where each hand-in of theirs stands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from autograder.grading.standing import Standing
from autograder.intake.discover import Found, Handins, NotUnderstood
from autograder.intake.names import look

Key = tuple[str, str]


@dataclass
class Identities:
    """Which ids were merged into which."""

    into: dict[str, str] = field(default_factory=dict)

    def of(self, student: str) -> str:
        """The id that counts."""
        while student in self.into:
            student = self.into[student]
        return student

    def same(self, student: str) -> list[str]:
        """All ids of the person with this id."""
        return sorted({student, *(one for one in self.into if self.of(one) == student)})

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take an entry of the ledger into account."""
        if kind == "merged":
            if self.of(data["into"]) == data["student"]:
                raise ValueError(f"{data['student']} would be merged into itself")
            self.into[data["student"]] = data["into"]
        elif kind == "unmerged":
            self.into.pop(data["student"], None)


@dataclass(frozen=True)
class Meeting:
    """What a merge did in one assignment: both standings as they were, and whether the merged id's one counts."""

    assignment: str
    kept: str
    mine: Standing | None
    theirs: Standing
    moved: bool
    sha256: str


@dataclass
class People:
    """Where everybody stands, as the ledger tells it.

    Attributes:
        table: (assignment, id that counts) to the standing.
        numbers: id to the platform numbers that hand-ins of it came with.
    """

    table: dict[Key, Standing] = field(default_factory=dict)
    identities: Identities = field(default_factory=Identities)
    meetings: dict[str, list[Meeting]] = field(default_factory=dict)
    numbers: dict[str, set[str]] = field(default_factory=dict)

    def apply(self, kind: str, data: dict[str, Any]) -> None:
        """Take one entry of the ledger into account. Raises ValueError or KeyError for one that no command writes."""
        _require_names(data)
        if kind == "merged":
            self._merge(data)
        elif kind == "unmerged":
            self._part(data["student"])
        elif "student" in data:
            if kind == "intake":
                self.numbers.setdefault(data["student"], set()).add(data.get("lms_id", ""))
            key = (data["assignment"], self.identities.of(data["student"]))
            if kind == "removed":
                self.table.pop(key, None)
            else:
                self.table.setdefault(key, Standing()).apply(kind, data)
        self.identities.take(kind, data)

    def numbers_of(self, student: str) -> set[str]:
        """Platform numbers of all ids that were merged into one; none where nothing was merged."""
        ids = self.identities.same(student)
        return set().union(*(self.numbers.get(one, set()) for one in ids)) if len(ids) > 1 else set()

    def both(self, kept: str, other: str) -> list[str]:
        """Assignments in which both ids have a hand-in that was judged."""
        graded = {key for key, one in self.table.items() if one.verdict}
        return sorted(name for name, who in graded if who == other and (name, kept) in graded)

    def _merge(self, data: Mapping[str, Any]) -> None:
        other, kept = data["student"], data["into"]
        for name, who in sorted(self.table):
            if who == other:
                mine, theirs = self.table.get((name, kept)), self.table.pop((name, other))
                moved = _moves(mine, theirs, data.get("keep", {}).get(name, kept) == other)
                if moved:
                    self.table[(name, kept)] = theirs
                    theirs.recorded = False
                sha = (theirs.verdict or {}).get("sha256", "")
                self.meetings.setdefault(other, []).append(Meeting(name, kept, mine, theirs, moved, sha))

    def _part(self, other: str) -> None:
        for one in self.meetings.pop(other, []):
            self.table[(one.assignment, other)] = one.theirs
            one.theirs.recorded = False
            if one.moved:
                self.table.pop((one.assignment, one.kept), None)
                if one.mine is not None:
                    self.table[(one.assignment, one.kept)] = one.mine
                    one.mine.recorded = False


def _require_names(data: Mapping[str, Any]) -> None:
    """Names of files are made of these values, so a ledger that was forged must not lead out of the release."""
    for key in ("student", "into", "assignment"):
        if key in data and (data[key] in ("", ".", "..") or {"/", "\0"} & set(data[key])):
            raise ValueError(f"{data[key]!r} is no name")


def _moves(mine: Standing | None, theirs: Standing, chosen: bool) -> bool:  # noqa: FBT001
    """Whether the merged id's hand-in counts from now on: it is the only one, or the one that was chosen."""
    if mine is None or not mine.verdict:
        return bool(theirs.verdict) or mine is None
    return bool(theirs.verdict) and chosen


def one_each(handins: Handins, identities: Identities) -> Handins:
    """The hand-ins with every id replaced by the one that counts. Two of one person are both refused, as for one id."""
    owners: dict[str, list[Any]] = {}
    for one in handins.found:
        owners.setdefault(identities.of(one.student), []).append(one)
    refused = [replace(one, student=identities.of(one.student)) for one in handins.refused]
    contested = {one.student for one in refused if one.student}
    contested |= {who for who, ones in owners.items() if len(ones) > 1}
    found = [replace(ones[0], student=who) for who, ones in sorted(owners.items()) if who not in contested]
    for who, ones in sorted(owners.items()):
        if who in contested:
            ids = " and ".join(dict.fromkeys([*(one.student for one in ones), *identities.same(who)]))
            words = f"is of {who}, as another one: {ids} are one person; keep the one that counts"
            refused += [NotUnderstood(one.path.name, words, who) for one in ones]
    missing = sorted({identities.of(one) for one in handins.missing} - set(owners) - contested)
    return replace(handins, found=found, refused=sorted(refused, key=lambda one: one.item), missing=missing)


def alike(found: Found, ids: Collection[str]) -> str:
    """Why an id may be a person's whom the ledger has under another spelling, or an empty string.

    Args:
        ids: those that something was judged of.
    """
    same = sorted(one for one in ids if look(one) == look(found.student))
    if not same or found.student in same:
        return ""
    return f"{found.student} reads like {same[0]}, who was graded before; name it {same[0]}, or else give a class list"


def another_number(found: Found, standing: Mapping[str, Any] | None, known: Collection[str] = ()) -> str:
    """Why a hand-in may be another person's than the one that stands, or an empty string.

    Args:
        found: what came now.
        standing: the ledger's entry of the hand-in that stands. Version 0.1 did not note the platform in it.
        known: numbers that are the person's, where ids were merged.

    Names are not unique and people choose them; the platform's number of a person stays. Gradescope's number is the
    hand-in's, so it is not compared. Where the class list has the numbers, it decides.
    """
    old = standing or {}
    numbers = (old.get("lms_id", ""), found.lms_id)
    same = old.get("platform", "") in ("", found.platform) and found.platform in ("canvas", "moodle")
    if found.bound or not same or "" in numbers or numbers[0] == numbers[1] or found.lms_id in known:
        return ""
    return (
        f"came from number {numbers[1]} of {found.platform}, but the submission that stands from number {numbers[0]}; "
        f"write the right number into the class list (column {found.platform}_id) and grade again"
    )
