"""Who a person is to be: ids, names, addresses and numbers, and which names of files and entries are this person's alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.intake.names import bare, exact, student_id
from autograder.intake.owners import SECOND, WORK
from autograder.intake.platforms import marked_parts
from autograder.intake.roster import MOODLE, NUMBERS, parts_of

KEYS = ("student", "into", "came_as")  # of an entry of the ledger that is about somebody


@dataclass
class Known:
    """What lists, ledger and gradebook say of somebody.

    Attributes:
        numbers: of a platform, as ``("moodle", "901")``, or of the school, as ``("sid", "0123")``.
    """

    names: set[str] = field(default_factory=set)
    mails: set[str] = field(default_factory=set)
    numbers: set[tuple[str, str]] = field(default_factory=set)

    def row(self, row: Mapping[str, str]) -> None:
        """Take a line of a class list."""
        self.names |= {row["name"]} if row.get("name") else set()
        self.mails |= {row["email"]} if row.get("email") else set()
        self.number("sid", row.get("sid", ""))
        for column in NUMBERS:
            for part in parts_of(row.get(column, "")) if column == MOODLE else [row.get(column, "")]:
                self.number(column.removesuffix("_id"), part.rpartition("=")[2].strip())

    def number(self, kind: str, value: str) -> None:
        """Take one number, if it is one."""
        self.numbers |= {(kind, value)} if value else set()

    def entry(self, data: Mapping[str, Any]) -> None:
        """Take an entry of the ledger, which an arrival of a hand-in wrote."""
        self.row({key: str(data[key]) for key in ("name", "email", "sid") if data.get(key)})
        if data.get("platform"):  # a number alone may be of any platform
            self.number(str(data["platform"]), str(data.get("lms_id", "")))


def turned(name: str) -> tuple[str, ...]:
    """The words of a name in one order, so that ``Orr, Ben`` and ``ben_orr`` are one name."""
    words = (bare(word) for word in name.replace(",", " ").replace("_", " ").split())
    return tuple(sorted(filter(None, words)))


def joined(name: str) -> set[str]:
    """A name as one word, in each order of its words: ``benorr`` and ``orrben``, as Canvas writes it."""
    words = [bare(word) for word in name.replace(",", " ").replace("_", " ").split()]
    return {"".join(words[at:] + words[:at]) for at in range(len(words))} if len(words) > 1 else set()


@dataclass(frozen=True)
class Others:
    """What names somebody else, in the forms in which it is compared."""

    ids: frozenset[str] = frozenset()
    words: frozenset[tuple[str, ...]] = frozenset()
    numbers: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Person:
    """A person: all ids, and the names, addresses and numbers that nobody else has."""

    ids: frozenset[str]
    names: frozenset[str] = frozenset()
    mails: frozenset[str] = frozenset()
    numbers: frozenset[tuple[str, str]] = frozenset()
    others: Others = Others()

    def named_by(self, data: Mapping[str, Any]) -> bool:
        """Whether an entry of the ledger is about the person, or about a file or folder of nobody that is this person's."""
        said = {data[key] for key in KEYS if data.get(key)} | {*data.get("ids", ())}
        if said or "item" not in data:
            return bool(self.ids & said)
        return self.owns(str(data["item"]))

    def owns(self, entry: str) -> bool:
        """Whether a file or folder with this name is the person's, as ``grade`` reads names, and nobody else's."""
        if entry in self.ids:
            return True
        if exact(entry) in self.others.ids:
            return False
        for platform, name, number in marked_parts(entry):
            if (platform, number) in self.others.numbers:
                return False
            if (platform, number) in self.numbers and turned(name) not in self.others.words:
                return True
            if self.called(name):
                return True
        return any(self.called(label) for label in labels(entry))

    def called(self, label: str) -> bool:
        """Whether somebody would call the person so: by id, address or name."""
        if exact(label) in {exact(one) for one in (*self.ids, *self.mails)} or student_id(label) in self.ids:
            return exact(label) not in self.others.ids
        one = "".join(turned(label)) if len(turned(label)) == 1 else ""
        same = any(turned(name) == turned(label) or one in joined(name) for name in self.names)
        return same and turned(label) not in self.others.words

    def to_json(self) -> dict[str, Any]:
        """Plain values, without the others."""
        plain = {key: sorted(getattr(self, key)) for key in ("ids", "names", "mails")}
        return plain | {"numbers": sorted(map(list, self.numbers))}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], others: Others = Others()) -> Person:
        """What :meth:`to_json` wrote."""
        numbers = frozenset((kind, value) for kind, value in data["numbers"])
        ids, names, mails = (frozenset(map(str, data[key])) for key in ("ids", "names", "mails"))
        return cls(ids, names, mails, numbers, others)


def labels(entry: str) -> list[str]:
    """What the name of a file or folder may say of its owner: without its ending, and without the number of a second copy."""
    stem = next((entry[: -len(end)] for end in WORK if entry.lower().endswith(end)), entry)
    return list(dict.fromkeys([entry, stem, SECOND.sub("", stem)]))


def person_of(ids: frozenset[str], people: Mapping[str, Known]) -> Person:
    """The person with these ids; what somebody else has, too, is left out."""
    mine = [people[one] for one in ids if one in people]
    rest = {who: one for who, one in people.items() if who not in ids}
    others = Others(
        frozenset(map(exact, rest)) - frozenset(map(exact, ids)),
        frozenset(turned(name) for one in rest.values() for name in one.names),
        frozenset(number for one in rest.values() for number in one.numbers),
    )
    mails = {exact(mail) for one in rest.values() for mail in one.mails}
    names = frozenset(one for one in _all(one.names for one in mine) if turned(one) and turned(one) not in others.words)
    return Person(
        ids,
        names - ids,
        frozenset(mail for mail in _all(one.mails for one in mine) if exact(mail) not in mails),
        frozenset(number for one in mine for number in one.numbers) - others.numbers,
        others,
    )


def _all(sets: Iterable[set[str]]) -> set[str]:
    return set().union(*sets)
