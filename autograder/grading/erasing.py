"""A person is erased: from the ledger, whose chain is written anew, from gradebook and results, and from all folders."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.grading.byhand import collect, forget
from autograder.grading.copies import PATIENCE, lines, note_end
from autograder.grading.database import keep, kept_path
from autograder.grading.gradebook import listed_names
from autograder.grading.ledger import START, Entry, LedgerError, digest, parse, written
from autograder.grading.lock import alone
from autograder.grading.removal import drop_from_gradebook
from autograder.grading.store import (
    ROSTER,
    ReleaseLike,
    assignments_of,
    copy_path,
    course_dir,
    open_ledger,
    write_atomic,
)
from autograder.grading.traces import Person, delete_all, listed_before, mentions
from course_utils.errors import CourseError

ERASED = "erased"


@dataclass
class Erased:
    """What was done.

    Attributes:
        person: the ids, and the words by which the person is known.
        entries: how many entries of the ledger lost all but number, time and kind.
        head: the new hash of the ledger's end.
        deleted: files and folders.
        left: places that still hold one of the words.
    """

    person: Person
    entries: int = 0
    head: str = ""
    deleted: list[Path] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def erase(release: ReleaseLike, student: str, reason: str, by: str, out: Path) -> Erased:
    """Erase a person from all assignments of a release. Given again after an interruption, it goes on.

    Args:
        out: where pages, reports and unpacked hand-ins were written.

    Raises:
        CourseError: nobody knows the id, it is on the class list, its entries hang together with another person's, no reason
            is given, somebody is grading, or another program holds the gradebook.
    """
    if not reason.strip():
        raise CourseError("to erase a person needs a reason; give --reason, without the person's name")
    course = course_dir(release)
    with alone(course):
        _finish(release)
        person = _person(release, student)
        places = [course, out]
        known = any(map(person.named_by, _datas(release))) or any(person.places(places))
        if not known and not listed_before(person.ids, course):
            raise CourseError(f"{student}: nothing of this id is in the ledger or in {course.parent}; look at the id")
        collect(release, by)  # what was marked of all others is safe before the gradebook is packed anew
        for name in assignments_of(release):
            for one in person.ids:
                drop_from_gradebook(course, name, one)
                forget(course / "gradebook.db", name, one)
        _pack(course / "gradebook.db")
        done = Erased(person, deleted=delete_all(person, places))
        kept_path(course / "gradebook.db").unlink(missing_ok=True)
        done.entries = _rewrite(release, person, reason, by)
        done.head = open_ledger(release).verify()[1]
        keep(course / "gradebook.db")
        done.left = mentions(person, places)
    return done


def _datas(release: ReleaseLike) -> Iterator[dict[str, Any]]:
    return (entry.data for entry in open_ledger(release))


def _person(release: ReleaseLike, student: str) -> Person:
    """All ids and words of a person. Raises CourseError for one who cannot be erased now."""
    people = open_ledger(release).people()
    ids = frozenset(people.identities.same(people.identities.of(student)))
    listed = listed_names(course_dir(release) / ROSTER)
    if here := sorted(ids & listed.keys()):
        raise CourseError(
            f"{here[0]}: is on the class list; take the line out in your file, give it with python -m autograder term "
            "roster, then give this command again"
        )
    for entry in open_ledger(release):
        both = {entry.data["student"], entry.data["into"]} if entry.kind == "unmerged" else set()
        if both & ids and both - ids:
            other = " and ".join(sorted(both))
            raise CourseError(
                f"{other} were merged and parted again, so entries of the two name each other and cannot be erased for one "
                "alone; merge the two again and give this command, which erases both"
            )
    words = set(ids).union(*listed_before(ids, course_dir(release)).values())
    for data in _datas(release):
        if Person(ids).named_by(data):
            words |= {str(data[key]) for key in ("name", "email") if data.get(key)}
    return Person(ids, frozenset(word for word in words if word in ids or word not in listed.values()))


def _pack(gradebook: Path) -> None:
    """Write the gradebook's file anew, since SQLite leaves what was deleted in it. Raises CourseError if it is held."""
    if not gradebook.exists():
        return
    try:
        with closing(sqlite3.connect(gradebook, timeout=PATIENCE, isolation_level=None)) as book:
            book.execute("VACUUM")
    except sqlite3.Error as error:
        raise CourseError(
            f"{gradebook}: cannot be packed ({error}); close other programs, then give this command again"
        ) from error


# ---- the ledger ------------------------------------------------------------------------------------------------------


def without(entries: Iterable[Entry], person: Person) -> tuple[list[Entry], int]:
    """The chain with the person's entries emptied, and their number: of each stay number, time and kind."""
    found: list[Entry] = []
    count = 0
    for one in entries:
        mine = person.named_by(one.data)
        count += mine
        kind, data = (ERASED, {"was": one.kind}) if mine else (one.kind, one.data)
        found.append(_next(found, kind, data, one.time))
    return found, count


def _next(before: list[Entry], kind: str, data: dict[str, Any], time: str) -> Entry:
    n, prev = len(before) + 1, before[-1].hash if before else START
    return Entry(n, time, kind, data, prev, digest(n, time, kind, data, prev))


def _paths(release: ReleaseLike) -> tuple[tuple[Path, Path], tuple[Path, Path]]:
    """The copy and the ledger, each with the file that will take its place."""
    copy, ledger = copy_path(release), course_dir(release) / "ledger.jsonl"
    return (copy.with_name(f".{copy.name}.{ERASED}"), copy), (ledger.with_name(f".{ledger.name}.{ERASED}"), ledger)


def _rewrite(release: ReleaseLike, person: Person, reason: str, by: str) -> int:
    """Replace ledger and copy, with an entry at the end that says so. Both files are there before one is replaced."""
    ledger = open_ledger(release)
    _, head = ledger.verify()
    chain, count = without(ledger, person)
    if not count:
        return 0
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    chain.append(_next(chain, ERASED, {"entries": count, "before": head, "reason": reason, "by": by}, now))
    data = b"".join(written(one) + b"\n" for one in chain)
    try:
        for aside, _ in _paths(release):
            write_atomic(aside, data)
        _replace(release)
    except CourseError:
        _discard(release)
        raise
    return count


def _replace(release: ReleaseLike) -> None:
    """Note the new end in the gradebook, then put both files in place.

    Raises:
        CourseError: another program holds the gradebook; nothing was changed.
    """
    (aside, copy), (new, ledger) = _paths(release)
    end = parse(lines(new)[-1], str(new))
    gradebook = course_dir(release) / "gradebook.db"
    if gradebook.exists() and not note_end(gradebook, end.n, end.hash):
        raise CourseError(f"{gradebook}: cannot be written now; close other programs, then give this command again")
    if aside.exists():
        aside.replace(copy)
    new.replace(ledger)


def _finish(release: ReleaseLike) -> None:
    """Finish an erasure that was interrupted while the files were put in place; drop one that had not come so far."""
    *_, (new, _) = _paths(release)
    try:
        open_ledger(release)
    except LedgerError:
        if not new.exists():
            raise
        _replace(release)
    _discard(release)


def _discard(release: ReleaseLike) -> None:
    for aside, _ in _paths(release):
        aside.unlink(missing_ok=True)
