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

    def below(self, student: str) -> set[str]:
        """An id and those that were merged into it, also by way of a third."""
        found = {student}
        while more := {one for one, into in self.into.items() if into in found} - found:
            found |= more
        return found

    def same(self, student: str) -> list[str]:
        """All ids of the person with this id."""
        return sorted({student, *(one for one in self.into if self.of(one) == student)})

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take an entry of the ledger into account."""
        if kind == "merged":
            if self.of(data["into"]) == data["student"]:
                raise ValueError(f"{data['student']} would be merged into itself")
            self.into[data["student"]] = data["into"]


@dataclass(frozen=True)
class Meeting:
    """What a merge did in one assignment: both standings as they were, and whether the merged id's one counts."""

    assignment: str
    kept: str
    mine: Standing | None
    theirs: Standing
    moved: bool


@dataclass(slots=True)
class Told:
    """An entry of the ledger about a student.

    Attributes:
        owner: the id that the hand-in came under which it speaks of: an arrival says it, a verdict follows its arrival, and
            all else (a mark, an override, a time) is about the hand-in that stood.
        ids: where the entry does not say it, since an earlier version wrote it, the ids that it may be; else none.
    """

    kind: str
    data: dict[str, Any]
    time: str = ""
    owner: str = ""
    ids: frozenset[str] = frozenset()


@dataclass
class People:
    """Where everybody stands, as the ledger tells it. A merge that was undone counts as if it had never been.

    Attributes:
        table: (assignment, id that counts) to the standing.
        numbers: id to the platform numbers that hand-ins of it came with.
        history: the entries about students with their owners; of merges those that hold.
        owners: (assignment, id that counts) to the entry that says whose the hand-in is that stands.
    """

    table: dict[Key, Standing] = field(default_factory=dict)
    identities: Identities = field(default_factory=Identities)
    meetings: dict[str, list[Meeting]] = field(default_factory=dict)
    numbers: dict[str, set[str]] = field(default_factory=dict)
    history: list[Told] = field(default_factory=list)
    owners: dict[Key, Told] = field(default_factory=dict)
    _came: dict[Key, Told] = field(default_factory=dict)  # the newest arrival, whose verdict follows
    _brought: set[tuple[str, str, str]] = field(default_factory=set)  # assignment, id, hash

    def apply(self, kind: str, data: dict[str, Any], time: str = "") -> None:
        """Take one entry of the ledger into account. Raises ValueError or KeyError for one that no command writes."""
        _require_names(data)
        if kind == "unmerged":
            self._part(Told(kind, data, time, data["student"]))
        elif "student" in data:
            told = self._owned(Told(kind, data, time, data["student"]))
            self._take(told)
            self.history.append(told)

    def numbers_of(self, student: str) -> set[str]:
        """Platform numbers of all ids that were merged into one; none where nothing was merged."""
        ids = self.identities.same(student)
        return set().union(*(self.numbers.get(one, set()) for one in ids)) if len(ids) > 1 else set()

    def both(self, kept: str, other: str) -> list[str]:
        """Assignments in which both ids have a hand-in that was judged."""
        graded = {key for key, one in self.table.items() if one.verdict}
        return sorted(name for name, who in graded if who == other and (name, kept) in graded)

    def brought(self, assignment: str, student: str, sha: str) -> bool:
        """Whether this work came under this very id."""
        return (assignment, student, sha) in self._brought

    def owner(self, assignment: str, student: str) -> str:
        """The id that the hand-in came under which stands for somebody."""
        told = self.owners.get((assignment, student))
        return told.owner if told else student

    def first_under(self, assignment: str, student: str, came_as: str) -> bool:
        """Whether the work that stands comes for the first time under this one of a person's ids."""
        key = (assignment, self.identities.of(student))
        sha = ((self.table.get(key) or Standing()).verdict or {}).get("sha256", "")
        ids = self.identities.same(student)
        return bool(sha) and len(ids) > 1 and came_as in ids and not self.brought(assignment, came_as, sha)

    def unsure(self, kept: str, other: str) -> list[str]:
        """Assignments in which something came for two merged ids, and the ledger does not say under which."""
        return sorted({one.data["assignment"] for one in self.history if {kept, other} <= one.ids})

    def _owned(self, told: Told) -> Told:
        """The entry with its owner."""
        ids = self.identities.same(told.owner) if self.identities.into else ()
        if told.kind == "merged" or len(ids) < 2:
            return told
        data, key = told.data, (told.data["assignment"], self.identities.of(told.owner))
        if data.get("came_as") in ids:
            return replace(told, owner=data["came_as"])
        if told.kind == "intake":
            return self._by_content(told, key, ids)
        came, stands = self._came.get(key), self.owners.get(key)
        if told.kind == "verdict" and came and came.data["sha256"] == data["sha256"]:
            stands = came
        return replace(told, owner=stands.owner, ids=stands.ids) if stands and told.kind != "refused" else told

    def _by_content(self, told: Told, key: Key, ids: Collection[str]) -> Told:
        """An arrival that does not say under which id it came, with its owner: that of the same work, if one had it."""
        sha, stands = told.data["sha256"], self.owners.get(key)
        if stands and (self.table[key].verdict or {}).get("sha256") == sha:
            return replace(told, owner=stands.owner, ids=stands.ids)
        known = [one for one in ids if (key[0], one, sha) in self._brought]
        return replace(told, owner=known[0]) if len(known) == 1 else replace(told, ids=frozenset(ids))

    def _take(self, told: Told) -> None:
        kind, data = told.kind, told.data
        if kind == "merged":
            self._merge(data)
        elif kind == "unmerged":
            for (_, who), one in self.table.items():
                one.recorded = one.recorded and who not in map(self.identities.of, (data["student"], data["into"]))
        else:
            self._enter(told, (data["assignment"], self.identities.of(told.owner)))

    def _enter(self, told: Told, key: Key) -> None:
        kind, data = told.kind, told.data
        if kind == "intake":
            self.numbers.setdefault(told.owner, set()).add(data.get("lms_id", ""))
            self._brought.add((key[0], told.owner, data.get("sha256", "")))
            self._came[key] = told
        if kind == "removed":
            for table in (self.table, self.owners, self._came):
                table.pop(key, None)
        else:
            self.table.setdefault(key, Standing()).apply(kind, data)
            if kind == "verdict" or key not in self.owners:
                self.owners[key] = told

    def _merge(self, data: Mapping[str, Any]) -> None:
        other, kept = data["student"], data["into"]
        self.identities.take("merged", data)
        for name, who in sorted(self.table):
            if who == other:
                mine, theirs = self.table.get((name, kept)), self.table.pop((name, other))
                owner = self.owners.pop((name, other))
                self._came.pop((name, other), None)
                moved = _moves(mine, theirs, data.get("keep", {}).get(name, kept) == other)
                if moved:
                    self.table[(name, kept)], self.owners[(name, kept)] = theirs, owner
                    theirs.recorded = False
                self.meetings.setdefault(other, []).append(Meeting(name, kept, mine, theirs, moved))

    def _part(self, told: Told) -> None:
        """Take a merge back: all entries are told again without it, each of the id that it is of."""
        other = told.data["student"]
        merges = [n for n, one in enumerate(self.history) if one.kind == "merged" and one.owner == other]
        if not merges:
            return
        theirs = self.identities.below(other)
        later = [part for one in self.history[merges[-1] + 1 :] for part in _parted(one, told.data, theirs)]
        self.history = [*self.history[: merges[-1]], *later, told]
        fresh = People(history=self.history)
        for one in self.history:
            fresh._take(one)
        self.__dict__.update(fresh.__dict__)


def _parted(told: Told, undone: Mapping[str, Any], theirs: Collection[str]) -> list[Told]:
    """What an entry of the time of a merge is once that is undone: a refusal of files of both is one of each.

    Where it does not say whose it is, ``undone`` does (``whose``, by assignment), or it stays with the id that counted.
    ``theirs`` are the merged id and those below it.
    """
    other, sent = undone["student"], told.data.get("ids", ())
    gone = [one for one in sent if one in theirs]
    if told.kind == "refused" and gone:
        rest = [one for one in sent if one not in theirs]
        parted = replace(told, owner=other, data={**told.data, "ids": gone})
        return [parted, replace(told, data={**told.data, "ids": rest})] if rest else [parted]
    if other not in told.ids:
        return [told]
    if undone.get("whose", {}).get(told.data["assignment"]) == other:
        return [replace(told, owner=other, ids=frozenset())]
    left = told.ids - {other}
    return [replace(told, ids=left if len(left) > 1 else frozenset())]


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
    refused = [replace(one, student=identities.of(one.student), ids=_own(one.student)) for one in handins.refused]
    sent: dict[str, list[str]] = {}
    for item in refused:
        if item.student:
            sent.setdefault(item.student, []).extend(item.ids)
    contested = {*sent}
    contested |= {who for who, ones in owners.items() if len(ones) > 1}
    alone = [(who, ones[0]) for who, ones in sorted(owners.items()) if who not in contested]
    found = [replace(one, student=who, came_as=one.student) for who, one in alone]
    for who, ones in sorted(owners.items()):
        if who in contested:
            came = tuple(dict.fromkeys([*(one.student for one in ones), *sent.get(who, ())]))
            ids = dict.fromkeys([*came, *identities.same(who)])
            words = f"is of {who}, as another one: {' and '.join(ids)} are one person; keep the one that counts"
            refused += [NotUnderstood(one.path.name, words, who, came) for one in ones]
    missing = sorted({identities.of(one) for one in handins.missing} - set(owners) - contested)
    return replace(handins, found=found, refused=sorted(refused, key=lambda one: one.item), missing=missing)


def _own(student: str) -> tuple[str, ...]:
    return (student,) if student else ()


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
