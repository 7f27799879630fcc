"""An erasure that was begun: what is written before the ledger is replaced, and whether that still fits what lies there.

The new chain lies beside ledger and copy until it takes their place. A record says from which ledger it was computed. What
is found there is believed only if it is just that ledger without the person's entries, so that nothing else can come in.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.grading.copies import LedgerError, lines, noted_end
from autograder.grading.identities import People
from autograder.grading.ledger import START, Entry, digest, parse, sound
from autograder.grading.person import KEYS, Person
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

ERASED = "erased"
RECORD = ".erasure.json"


class ErasureBegun(LedgerError):
    """The ledger waits for an erasure to be finished."""


@dataclass(frozen=True)
class Begun:
    """The record of an erasure.

    Attributes:
        student: the id that was given.
        person: as :meth:`Person.to_json` has it.
        entries: how many are emptied. While the ledger is not replaced yet, this and all below is 0 or empty.
        before: SHA-256 of the ledger's file, and of its copy, from which the new chain was computed.
        after: SHA-256 of the new one.
        n: number of the new chain's last entry.
        end: its hash.
    """

    student: str
    person: dict[str, Any]
    entries: int
    before: str
    after: str
    n: int
    end: str


@dataclass(frozen=True)
class Files:
    """The files of a ledger, and those that wait to take their places.

    Attributes:
        course: the nbgrader course, in which the ledger lies.
        copy: the ledger's copy.
    """

    course: Path
    copy: Path

    @property
    def ledger(self) -> Path:
        """The ledger."""
        return self.course / "ledger.jsonl"

    @property
    def record(self) -> Path:
        """The record of an erasure."""
        return self.course / RECORD

    def asides(self) -> tuple[tuple[Path, Path], tuple[Path, Path]]:
        """Copy and ledger, each behind the file that will take its place."""
        copy, ledger = (one.with_name(f".{one.name}.{ERASED}") for one in (self.copy, self.ledger))
        return (copy, self.copy), (ledger, self.ledger)

    def discard(self) -> bool:
        """Delete what waits; says whether there was anything."""
        names = [*(aside for aside, _ in self.asides()), self.record]
        there = [one for name in names for one in (name, *name.parent.glob(f".{name.name}.*")) if one.exists()]
        for one in there:
            one.unlink()
        return bool(there)

    def begun(self) -> Begun | None:
        """The record; None where there is none that can be read."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            begun = Begun(**json.loads(self.record.read_text(encoding="utf-8")))
            Person.from_json(begun.person)
            return begun
        return None

    def note(self, student: str, person: Person) -> None:
        """Note that an erasure has begun, of which the ledger knows nothing yet. Raises CourseError as :meth:`write`."""
        begun = Begun(student, person.to_json(), 0, "", "", 0, "")
        write_atomically(self.record, json.dumps(asdict(begun)))

    def write(self, begun: Begun, chain: bytes) -> None:
        """Put the new chain beside ledger and copy, then the record. Raises CourseError where that cannot be written."""
        for aside, _ in self.asides():
            write_atomically(aside, chain)
        write_atomically(self.record, json.dumps(asdict(begun)))

    def put_in_place(self) -> None:
        """Let the new chain take the places of copy and ledger."""
        (aside, copy), (new, ledger) = self.asides()
        if aside.exists():
            aside.replace(copy)
        new.replace(ledger)

    def interrupted(self) -> Begun | None:
        """The erasure that was interrupted while its files took their places; None if what lies there is something else."""
        begun = self.begun()
        return begun if begun and self._fits(begun) else None

    def finished(self) -> Begun | None:
        """The erasure whose files are in their places, while there was more to do."""
        begun = self.begun()
        found = lines(self.ledger)
        with suppress(CourseError):
            if begun and 0 < begun.n <= len(found) and parse(found[begun.n - 1], "").hash == begun.end:
                return begun
        return None

    def _fits(self, begun: Begun) -> bool:
        (aside, copy), (new, ledger) = self.asides()
        here = [_sha(one) for one in (ledger, new)] == [begun.before, begun.after]
        waits = (_sha(copy), _sha(aside)) == (begun.before, begun.after)
        if not here or not (waits or _sha(copy) == begun.after):
            return False
        end = noted_end(self.course / "gradebook.db")
        old, fresh = _chain(ledger), _chain(new)
        if old is None or not fresh or (end is not None and end != (begun.n, begun.end)):
            return False
        return (fresh[-1].n, fresh[-1].hash) == (begun.n, begun.end) and _only_emptied(old, fresh, begun)


def _sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _chain(path: Path) -> list[Entry] | None:
    """The entries of a file; None if it is no sound chain."""
    found = lines(path)
    return [parse(line, "") for line in found] if sound(found) == found else None


def _only_emptied(old: list[Entry], fresh: list[Entry], begun: Begun) -> bool:
    """Whether a chain is another one without the entries of one person, and with an entry at the end that says so."""
    people = People()
    try:
        for one in old:
            people.apply(one.kind, one.data, one.time)
        ids = people.identities.same(people.identities.of(begun.student))
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
    person, last = Person.from_json(begun.person), fresh[-1]
    if sorted(ids) != sorted(person.ids) or last.kind != ERASED or len(fresh) != len(old) + 1:
        return False
    if last.data.get("before") != old[-1].hash or last.data.get("entries") != begun.entries:
        return False
    for one, new in zip(old, fresh, strict=False):
        mine = person.named_by(one.data)
        if not any(one.data.get(key) for key in KEYS) and "item" in one.data:
            mine = new.kind == ERASED and one.kind != ERASED  # whose it was, class lists said that are gone perhaps
        kept = (new.kind, new.data) == ((ERASED, {"was": one.kind}) if mine else (one.kind, one.data))
        if not kept or new.time != one.time:
            return False
    return True


def without(entries: Iterable[Entry], person: Person) -> tuple[list[Entry], int]:
    """The chain with the person's entries emptied, and their number: of each stay number, time and kind."""
    found: list[Entry] = []
    count = 0
    for one in entries:
        mine = person.named_by(one.data)
        count += mine
        kind, data = (ERASED, {"was": one.kind}) if mine else (one.kind, one.data)
        found.append(following(found, kind, data, one.time))
    return found, count


def following(before: list[Entry], kind: str, data: dict[str, Any], time: str) -> Entry:
    """The entry that comes next in a chain."""
    n, prev = len(before) + 1, before[-1].hash if before else START
    return Entry(n, time, kind, data, prev, digest(n, time, kind, data, prev))


def told(begun: Begun, root: Path) -> str:
    """Which erasure was begun, and the command that finishes it."""
    where, who = shlex.quote(str(root)), shlex.quote(begun.student)
    return (
        f"an erasure of {begun.student} was begun and interrupted; finish it with: python -m autograder remove {who} "
        f"--release {where} --erase --reason …"
    )


def unfinished(files: Files) -> Iterator[str]:
    """A sentence for an erasure of which there is more to do, or whose beginning was left."""
    begun = files.begun()
    if begun:
        yield told(begun, files.course.parent)
    elif any(one.exists() for one in (*(aside for aside, _ in files.asides()), files.record)):
        yield f"{files.record.parent}: holds the beginning of an erasure; give the command remove … --erase once more"
