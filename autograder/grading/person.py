"""Who a person is to be: ids, names, addresses and numbers, and which names of files and entries are this person's alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autograder.intake.names import bare, exact, student_id
from autograder.intake.owners import SECOND, WORK
from autograder.intake.platforms import marked_parts
from autograder.intake.roster import MOODLE, NUMBERS, parts_of

KEYS = ("student", "into", "came_as")  # of an entry of the ledger that is about somebody
OF_WORK = "gradescope"  # its numbers are of hand-ins, and stand in names without the person's
Numbers = frozenset[tuple[str, str, str]]


@dataclass
class Known:
    """What lists, ledger and gradebook say of somebody.

    Attributes:
        numbers: of a platform, as ``("moodle", "901", "07_knowledge")``, or of the school, as ``("sid", "0123", "")``. Moodle
            numbers people anew in each assignment; without one the number is for all.
    """

    names: set[str] = field(default_factory=set)
    mails: set[str] = field(default_factory=set)
    numbers: set[tuple[str, str, str]] = field(default_factory=set)

    def row(self, row: Mapping[str, str]) -> None:
        """Take a line of a class list."""
        self.names |= {row["name"]} if row.get("name") else set()
        self.mails |= {row["email"]} if row.get("email") else set()
        self.number("sid", row.get("sid", ""))
        for column in NUMBERS:
            for part in parts_of(row.get(column, "")) if column == MOODLE else [row.get(column, "")]:
                name, _, value = part.rpartition("=")
                self.number(column.removesuffix("_id"), value.strip(), name.strip())

    def number(self, kind: str, value: str, assignment: str = "") -> None:
        """Take one number, if it is one."""
        self.numbers |= {(kind, value, assignment)} if value else set()

    def entry(self, data: Mapping[str, Any]) -> None:
        """Take an entry of the ledger, which an arrival of a hand-in wrote."""
        self.row({key: str(data[key]) for key in ("name", "email", "sid") if data.get(key)})
        if platform := str(data.get("platform", "")):  # a number alone may be of any platform
            at = str(data.get("assignment", "")) if platform == MOODLE.removesuffix("_id") else ""
            self.number(platform, str(data.get("lms_id", "")), at)

    def recorded(self, data: Mapping[str, Any]) -> None:
        """Take what :meth:`Person.to_json` wrote."""
        self.names |= set(map(str, data["names"]))
        self.mails |= set(map(str, data["mails"]))
        for kind, value, assignment in data["numbers"]:
            self.number(str(kind), str(value), str(assignment))


def _words(name: str) -> list[str]:
    return [word for part in name.replace(",", " ").replace("_", " ").split() if (word := bare(part))]


def turned(name: str) -> tuple[str, ...]:
    """The words of a name in one order, so that ``Orr, Ben`` and ``ben_orr`` are one name."""
    return tuple(sorted(_words(name)))


def joined(name: str) -> set[str]:
    """A name as one word, in each order of its words: ``benorr`` and ``orrben``, as Canvas writes it."""
    words = _words(name)
    return {"".join(words[at:] + words[:at]) for at in range(len(words))} if len(words) > 1 else set()


def _forms(name: str) -> set[tuple[str, ...]]:
    return {turned(name), *((word,) for word in joined(name))}


@dataclass(frozen=True)
class Others:
    """What names somebody else: ids, names and addresses as they are written, and numbers."""

    ids: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    mails: frozenset[str] = frozenset()
    numbers: Numbers = frozenset()

    @cached_property
    def exact_ids(self) -> frozenset[str]:
        """The ids in the form of :func:`exact`."""
        return frozenset(map(exact, self.ids))

    @cached_property
    def _forms(self) -> frozenset[tuple[str, ...]]:
        return _all(_forms(one) for one in self.names)

    def named(self, name: str) -> bool:
        """Whether somebody else has this name, or these letters in a row."""
        return bool(self._forms & _forms(name))


@dataclass(frozen=True)
class Person:
    """A person: all ids, names, addresses and numbers; names and addresses that somebody else has, too, are ``shared``."""

    ids: frozenset[str]
    names: frozenset[str] = frozenset()
    mails: frozenset[str] = frozenset()
    numbers: Numbers = frozenset()
    others: Others = Others()
    shared: frozenset[str] = frozenset()

    def named_by(self, data: Mapping[str, Any]) -> bool:
        """Whether an entry of the ledger is about the person, or about a file or folder of nobody that is this person's."""
        if self.of_nobody(data):
            return self.owns(str(data["item"]), str(data.get("assignment", "")))
        return bool(self.ids & {*(data[key] for key in KEYS if data.get(key)), *data.get("ids", ())})

    @staticmethod
    def of_nobody(data: Mapping[str, Any]) -> bool:
        """Whether an entry of the ledger is about a file or folder that is nobody's."""
        return "item" in data and not any(data.get(key) for key in (*KEYS, "ids"))

    def owns(self, entry: str, assignment: str = "") -> bool:
        """Whether a file or folder with this name is surely the person's: by an id, or by a name that nobody else has.

        Args:
            entry: the name. If it has a number of a platform, the number must not be another one than the person's.
            assignment: to which it was handed in; an empty string if that is not known.
        """
        if entry in self.ids:
            return True
        if exact(entry) in self.others.exact_ids:
            return False
        for platform, name, number in marked_parts(entry):
            mine = _values(self.numbers, platform, assignment)
            if number in _values(self.others.numbers, platform, assignment, own=False):
                return False
            if platform == OF_WORK and number in mine:
                return True
            if self.called(name):
                return number in mine or not mine
        return any(self.called(label) for label in labels(entry))

    def called(self, label: str) -> bool:
        """Whether nobody but the person would be called so: by id, address or name."""
        if exact(label) in self.others.exact_ids:
            return label in self.ids
        if exact(label) in {exact(one) for one in (*self.ids, *self.mails)} or student_id(label) in self.ids:
            return True
        return self.has_name(label)

    def has_name(self, label: str) -> bool:
        """Whether this is a name of the person alone, in any order of its words, or as one word."""
        words = turned(label)
        same = any(turned(name) == words or (len(words) == 1 and words[0] in joined(name)) for name in self.names)
        return same and not self.others.named(label)

    def to_json(self) -> dict[str, Any]:
        """Plain values, without the others."""
        names = {key: sorted(getattr(self, key)) for key in ("ids", "mails")}
        numbers = sorted(map(list, self.numbers))
        return names | {"names": sorted(self.names | self.shared), "numbers": numbers}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Person:
        """What :meth:`to_json` wrote, as if there was nobody else."""
        known = Known()
        known.recorded(data)
        ids = frozenset(map(str, data["ids"]))
        return cls(ids, frozenset(known.names), frozenset(known.mails), frozenset(known.numbers))


def _values(numbers: Numbers, platform: str, assignment: str, *, own: bool = True) -> set[str]:
    """Numbers of a platform that count in an assignment: of one person those for just this one come before those for all."""
    found = [(value, at) for kind, value, at in numbers if kind == platform]
    here = {value for value, at in found if assignment and at == assignment}
    if own and here:
        return here
    return here | {value for value, at in found if not at or not assignment}


def labels(entry: str) -> list[str]:
    """What the name of a file or folder may say of its owner: without its ending, and without the number of a second copy."""
    stem = next((entry[: -len(end)] for end in WORK if entry.lower().endswith(end)), entry)
    return list(dict.fromkeys([entry, stem, SECOND.sub("", stem)]))


def person_of(ids: frozenset[str], people: Mapping[str, Known]) -> Person:
    """The person with these ids, beside all others."""
    mine = [people[one] for one in ids if one in people]
    rest = {who: one for who, one in people.items() if who not in ids}
    others = Others(
        frozenset(rest),
        _all(one.names for one in rest.values()),
        _all(one.mails for one in rest.values()),
        frozenset(number for one in rest.values() for number in one.numbers),
    )
    names = frozenset(name for name in _all(one.names for one in mine) if turned(name)) - ids
    mails, theirs = _all(one.mails for one in mine), set(map(exact, others.mails))
    shared = {name for name in names if others.named(name)} | {mail for mail in mails if exact(mail) in theirs}
    numbers = frozenset(number for one in mine for number in one.numbers)
    return Person(ids, names - shared, mails - shared, numbers, others, frozenset(shared))


def _all(sets: Iterable[set[Any]]) -> frozenset[Any]:
    return frozenset().union(*sets)
