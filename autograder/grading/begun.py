"""An erasure that was begun: a record beside the ledger, which stays until all is done, and what it says of the ledger.

The new chain follows from the ledger and the record alone. So after an interruption nothing is taken from a file that waits:
the chain is computed again, and must be what lies there. The chain's last entry has the hash of the record, whose random key
goes with it, so that afterwards the hash tells nothing.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.grading.copies import LedgerError, lines, note_end, noted_end
from autograder.grading.identities import People
from autograder.grading.ledger import START, Entry, digest, parse, sound, written
from autograder.grading.person import Person
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

ERASED = "erased"
RECORD = ".erasure.json"


class ErasureBegun(LedgerError):
    """An erasure is to be finished first."""


@dataclass(frozen=True)
class Begun:
    """The record of an erasure.

    Attributes:
        student: the id that was given.
        person: as :meth:`Person.to_json` has it.
        emptied: numbers of the ledger's entries that lose all but number, time and kind.
        time: when it was begun; with ``reason`` and ``by`` it stands in the entry that says so.
        key: random.
    """

    student: str
    person: dict[str, Any]
    emptied: list[int]
    time: str
    reason: str
    by: str
    key: str

    @property
    def ids(self) -> frozenset[str]:
        """All ids of the person."""
        return frozenset(map(str, self.person["ids"]))

    @property
    def seal(self) -> str:
        """The record's hash."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def chain(self, entries: Sequence[Entry]) -> bytes:
        """The ledger without the person's entries, and with an entry at its end that says so, as the file's bytes."""
        found: list[Entry] = []
        for one in entries:
            kind, data = (ERASED, {"was": one.kind}) if one.n in self.emptied else (one.kind, one.data)
            found.append(following(found, kind, data, one.time))
        why = {"entries": len(self.emptied), "before": entries[-1].hash, "reason": self.reason, "by": self.by}
        found.append(following(found, ERASED, why | {"record": self.seal}, self.time))
        return b"".join(written(one) + b"\n" for one in found)


@dataclass(frozen=True)
class Files:
    """The files of a ledger, and the record of an erasure.

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

    def begun(self) -> Begun | None:
        """The record; None where there is none. Raises LedgerError for one that cannot be read."""
        if not self.record.exists():
            return None
        try:
            begun = Begun(**json.loads(self.record.read_text(encoding="utf-8")))
            Person.from_json(begun.person)
            set(begun.emptied)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise LedgerError(
                f"{self.record}: an erasure was begun, and its record cannot be read; delete this file, then give remove "
                "--erase for that person again"
            ) from error
        return begun

    def note(self, begun: Begun) -> None:
        """Write the record. Raises CourseError where it cannot be written; an older one stays then."""
        write_atomically(self.record, json.dumps(asdict(begun)))

    def replace(self, begun: Begun) -> None:
        """Put the new chain in the place of copy and ledger; where the copy has it already, of the ledger alone.

        Raises:
            CourseError: something cannot be written; the record stays, and the next command goes on.
        """
        data = begun.chain(_chain(self.ledger))
        write_atomically(self.copy, data)
        end, gradebook = parse(lines(self.copy)[-1], ""), self.course / "gradebook.db"
        if gradebook.exists() and not note_end(gradebook, end.n, end.hash):
            raise CourseError(f"{gradebook}: cannot be written now; close other programs, then give this command again")
        write_atomically(self.ledger, data)

    def halfway(self) -> bool:
        """Whether an erasure was interrupted between copy and ledger: the copy is what follows from ledger and record."""
        begun, old = self.begun(), _chain(self.ledger)
        if not begun or not old or not allowed(old, begun):
            return False
        data, found = begun.chain(old), lines(self.copy)
        if not found or b"".join(found) != data:
            return False
        last = parse(found[-1], "")
        return noted_end(self.course / "gradebook.db") in (None, (old[-1].n, old[-1].hash), (last.n, last.hash))

    def end(self) -> None:
        """Delete the record, and what a kill left of writing it."""
        for one in (*self.course.glob(f".{RECORD}.*"), self.record):
            one.unlink(missing_ok=True)

    def replaced(self, begun: Begun) -> bool:
        """Whether the ledger has the entry of just this erasure."""
        return any(one.kind == ERASED and one.data.get("record") == begun.seal for one in _chain(self.ledger))


def _chain(path: Path) -> list[Entry]:
    """The entries of a file; none if it is no sound chain."""
    found = lines(path)
    return [parse(line, "") for line in found] if sound(found) == found else []


def allowed(entries: Iterable[Entry], begun: Begun) -> bool:
    """Whether a record is of one person of the ledger, and empties just this one's entries, besides entries of nobody."""
    people, person = People(), Person(begun.ids)
    try:
        for one in entries:
            people.apply(one.kind, one.data, one.time)
            if not person.of_nobody(one.data) and person.named_by(one.data) != (one.n in begun.emptied):
                return False
        return begun.ids == {*people.identities.same(people.identities.of(begun.student))}
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def following(before: list[Entry], kind: str, data: dict[str, Any], time: str) -> Entry:
    """The entry that comes next in a chain."""
    n, prev = len(before) + 1, before[-1].hash if before else START
    return Entry(n, time, kind, data, prev, digest(n, time, kind, data, prev))


def unfinished(course: Path) -> str:
    """Which erasure was begun in an nbgrader course, with the command that finishes it; an empty string for none."""
    try:
        begun = Files(course, course).begun()
    except LedgerError as error:
        return str(error)
    if begun is None:
        return ""
    where, who = shlex.quote(str(course.parent)), shlex.quote(begun.student)
    return (
        f"an erasure of {begun.student} was begun and is not finished; finish it with: python -m autograder remove {who} "
        f"--release {where} --erase --reason …"
    )


def require_none(course: Path) -> None:
    """Raise ErasureBegun where an erasure was begun: nothing new may come between its steps."""
    if words := unfinished(course):
        raise ErasureBegun(words)
