"""A person is erased: from the ledger, whose chain is written anew, from gradebook and results, and from all folders.

The record of :mod:`autograder.grading.begun` is written first and deleted last. While it is there, no other command writes,
and the same command does all steps again: gradebook, files, ledger, and earlier class lists, which say who the person is.
"""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.begun import Begun, Files, require_none
from autograder.grading.byhand import collect
from autograder.grading.copies import PATIENCE, LedgerError
from autograder.grading.database import keep, kept_path
from autograder.grading.gradebook import listed_names
from autograder.grading.lock import alone
from autograder.grading.mentions import Mentions, mentions
from autograder.grading.person import Known, Person, person_of, turned
from autograder.grading.removal import drop_from_gradebook
from autograder.grading.store import ROSTER, ReleaseLike, assignments_of, course_dir, ledger_files, open_ledger
from autograder.grading.traces import delete_files, earlier_lists, places, without_lines
from autograder.grading.words import Words
from autograder.intake.names import exact, require_id
from autograder.intake.tables import read_lines
from course_utils.errors import CourseError


@dataclass
class Erased:
    """What was done.

    Attributes:
        person: the ids, and the words by which the person is known.
        entries: how many entries of the ledger lost all but number, time and kind.
        head: the new hash of the ledger's end.
        deleted: files and folders.
        mentions: places that still hold one of the words.
        notes: sentences about what else is to be known.
    """

    person: Person
    entries: int = 0
    head: str = ""
    deleted: list[Path] = field(default_factory=list)
    mentions: Mentions = field(default_factory=Mentions)
    notes: list[str] = field(default_factory=list)

    @property
    def left(self) -> list[str]:
        """Files that surely name the person."""
        return self.mentions.own


def erase(release: ReleaseLike, student: str, reason: str, by: str, out: Path) -> Erased:
    """Erase a person from all assignments of a release. Given again after an interruption, it goes on.

    Args:
        out: where pages, reports and unpacked hand-ins were written.

    Raises:
        CourseError: what is no id, nobody knows it, it is on the class list, its entries hang together with another person's,
            no reason is given or it names the person, the ledger is not sound, another erasure was begun, somebody is
            grading, or another program holds the gradebook.
    """
    _require_given(student, reason)
    course, files = course_dir(release), ledger_files(release)
    with alone(course, erasing=True):
        first = begun = _begun(files, student)
        open_ledger(release).verify()
        replaced = bool(begun and files.replaced(begun))
        people = _people(release)
        person = _person(release, student, people, begun, replaced=replaced)
        roots = [course, out]
        _require_unnamed(reason, person)
        if begun is None:
            _require_known(release, student, person, roots)
        if begun is None or not replaced:
            collect(release, by)  # what was marked of all others is safe before the gradebook is packed anew
            begun = _record(release, student, person, reason, by)
        done = Erased(person, entries=len(begun.emptied), deleted=_take_out(release, person, roots))
        if begun.emptied and not replaced:
            files.replace(begun)
        done.head = open_ledger(release).verify()[1]
        done.deleted += [path for path in earlier_lists(course) if without_lines(person, path)]
        keep(course / "gradebook.db")
        done.mentions = mentions(person, roots, [one for one in (files.copy,) if one.is_file()])
        done.notes = _alike(person, people)
        if first:
            done.notes.insert(
                0, f"the erasure of {first.student} that was interrupted was gone on with, and is finished"
            )
        files.end()
    return done


def _begun(files: Files, student: str) -> Begun | None:
    """The erasure of this person that was begun, if there is one; the ledger is replaced if that was interrupted.

    Raises:
        LedgerError: the record cannot be read, or is of another person.
    """
    begun = files.begun()
    if begun and student not in begun.ids:
        require_none(files.course)
    if begun and files.halfway():
        _require_unlisted(files.course / ROSTER, begun.ids, begun=True)
        files.replace(begun)
    return begun


def _record(release: ReleaseLike, student: str, person: Person, reason: str, by: str) -> Begun:
    """Write down whom the erasure is of, and which entries it empties."""
    emptied = [one.n for one in open_ledger(release) if person.named_by(one.data)]
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    begun = Begun(student, person.to_json(), emptied, now, reason, by, secrets.token_hex(16))
    ledger_files(release).note(begun)
    return begun


# ---- who it is -------------------------------------------------------------------------------------------------------


def _people(release: ReleaseLike) -> dict[str, Known]:
    """What class lists, ledger and gradebook say of everybody, by id."""
    course, found = course_dir(release), dict[str, Known]()
    for path in [course / ROSTER, *earlier_lists(course)]:
        with suppress(CourseError):
            for _, row in read_lines(path, "the class list").rows if path.is_file() else ():
                if row.get("id"):
                    found.setdefault(row["id"], Known()).row(row)
    for entry in open_ledger(release):
        for key in ("student", "came_as"):
            if entry.data.get(key):
                known = found.setdefault(str(entry.data[key]), Known())
                if entry.kind == "intake" and entry.data.get("came_as") in (None, "", entry.data[key]):
                    known.entry(entry.data)
    for who, first, last, mail in _students(course / "gradebook.db"):
        name = " ".join(filter(None, (first, (last or "").removesuffix(f" ({who})"))))
        found.setdefault(who, Known()).row({"name": name, "email": mail or ""})
    return found


def _students(gradebook: Path) -> list[tuple[str, str, str, str]]:
    """Id, first name, last name and address of everybody in the gradebook. Raises CourseError if it cannot be read."""
    if not gradebook.exists():
        return []
    try:
        with closing(sqlite3.connect(f"file:{gradebook}?mode=ro", uri=True, timeout=PATIENCE)) as book:
            return book.execute("SELECT id, first_name, last_name, email FROM student").fetchall()
    except sqlite3.Error as error:
        raise CourseError(
            f"{gradebook}: cannot be read ({error}); close other programs, then give this command again"
        ) from error


def _person(
    release: ReleaseLike, student: str, people: dict[str, Known], begun: Begun | None, *, replaced: bool
) -> Person:
    """Everything that is known of a person. Raises CourseError for one who cannot be erased now."""
    identities = open_ledger(release).people().identities
    ids = frozenset(identities.same(identities.of(student)))
    if begun and not replaced and ids != begun.ids:
        raise LedgerError(
            f"{ledger_files(release).record}: says that an erasure of {' and '.join(sorted(begun.ids))} was begun, which the "
            f"ledger has not as one person; delete this file, then give the command for {student} again"
        )
    ids = begun.ids if begun else ids
    _require_unlisted(course_dir(release) / ROSTER, ids, begun=begun is not None)
    _require_together(release, ids)
    if begun:  # what was said in the gradebook is gone perhaps
        people.setdefault(student, Known()).recorded(begun.person)
    return person_of(ids, people)


def _require_unlisted(roster: Path, ids: frozenset[str], *, begun: bool) -> None:
    """Raise CourseError for a person who is on the class list."""
    if here := sorted(ids & listed_names(roster).keys()):
        how = f"of {roster}" if begun else "in your file, give it with python -m autograder term roster"
        raise CourseError(f"{here[0]}: is on the class list; take the line out {how}, then give this command again")


def _require_together(release: ReleaseLike, ids: frozenset[str]) -> None:
    """Raise CourseError for ids that were merged with another one and parted from it."""
    for entry in open_ledger(release):
        both = {entry.data["student"], entry.data["into"]} if entry.kind == "unmerged" else set()
        if both & ids and both - ids:
            other = " and ".join(sorted(both))
            raise CourseError(
                f"{other} were merged and parted again, so entries of the two name each other and cannot be erased for one "
                "alone; merge the two again and give this command, which erases both"
            )


def _require_given(student: str, reason: str) -> None:
    """Raise CourseError for what is no id, and for no reason."""
    require_id(student)
    if not reason.strip():
        raise CourseError("to erase a person needs a reason; give --reason, without the person's name")


def _require_unnamed(reason: str, person: Person) -> None:
    """Raise CourseError for a reason that names the person: it stays in the ledger for good."""
    if word := Words(person).told_in(reason):
        raise CourseError(
            f"the reason holds {word!r}, which may name the person, and it stays in the ledger; write one without it, such as "
            "'asked to be erased'"
        )


def _require_known(release: ReleaseLike, student: str, person: Person, roots: list[Path]) -> None:
    """Raise CourseError for an id of which nothing is there."""
    listed = {row[0] for row in _students(roots[0] / "gradebook.db")}
    known = any(person.named_by(entry.data) for entry in open_ledger(release)) or any(
        True for _ in places(person, roots)
    )
    if not known and not person.ids & listed and not _on_earlier_list(person, roots[0]):
        raise CourseError(
            f"{student}: nothing of this id is in the ledger, the gradebook or the folders of {roots[0].parent}; look at the "
            "id, or this person was erased already"
        )


def _on_earlier_list(person: Person, course: Path) -> bool:
    for path in earlier_lists(course):
        with suppress(CourseError):
            if any(row.get("id") in person.ids for _, row in read_lines(path, "the class list").rows):
                return True
    return False


def _alike(person: Person, people: dict[str, Known]) -> list[str]:
    """A sentence for other ids with a name or an address of the person: it may be one person whose ids were not merged."""
    mine = [people[one] for one in person.ids if one in people]
    mails = {exact(mail) for one in mine for mail in one.mails}
    names = {turned(name) for one in mine for name in one.names}
    same = [
        who
        for who, one in sorted(people.items())
        if who not in person.ids and (mails & set(map(exact, one.mails)) or names & set(map(turned, one.names)))
    ]
    return [f"the same name or address has {one}; if that is this person, too, erase that id as well" for one in same]


# ---- gradebook and files ---------------------------------------------------------------------------------------------


def _take_out(release: ReleaseLike, person: Person, roots: list[Path]) -> list[Path]:
    """Take the person out of gradebook and folders; returns what was deleted or written anew."""
    gradebook = roots[0] / "gradebook.db"
    if gradebook.exists():
        for one in sorted(person.ids):
            for name in assignments_of(release):
                drop_from_gradebook(roots[0], name, one)
        _pack(gradebook)
    found = delete_files(person, roots)
    kept_path(gradebook).unlink(missing_ok=True)
    return found


def _pack(gradebook: Path) -> None:
    """Write the gradebook's file anew, since SQLite leaves what was deleted in it. Raises CourseError if it is held."""
    try:
        with closing(sqlite3.connect(gradebook, timeout=PATIENCE, isolation_level=None)) as book:
            book.execute("VACUUM")
            busy = book.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:  # what was deleted would stay in the file until the other program ends
                raise sqlite3.OperationalError("another program reads it")
    except sqlite3.Error as error:
        raise CourseError(
            f"{gradebook}: cannot be packed ({error}); close other programs, then give this command again"
        ) from error
