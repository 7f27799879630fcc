"""A person is erased: from the ledger, whose chain is written anew, from gradebook and results, and from all folders.

Files and gradebook come first, then the ledger, then earlier class lists, which say who the person is. The record of
:mod:`autograder.grading.begun` lies there from the ledger on until all is done, so the same command goes on at any time.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.begun import ERASED, Begun, ErasureBegun, following, told, without
from autograder.grading.byhand import collect, forget
from autograder.grading.copies import PATIENCE, LedgerError, note_end, noted_end
from autograder.grading.database import keep, kept_path
from autograder.grading.gradebook import listed_names
from autograder.grading.ledger import Entry, written
from autograder.grading.lock import alone
from autograder.grading.mentions import Mentions, mentions
from autograder.grading.person import Known, Person, person_of
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
    require_id(student)
    if not reason.strip():
        raise CourseError("to erase a person needs a reason; give --reason, without the person's name")
    course, files = course_dir(release), ledger_files(release)
    with alone(course):
        notes: list[str] = []
        begun = _go_on(release, student, notes)
        people = _people(release)
        person = _of_record(begun, people) if begun else _person(release, student, people)
        roots = [course, out]
        if not begun:
            _require_unnamed(reason, person)
            _require_known(release, student, person, roots)
            collect(release, by)  # what was marked of all others is safe before the gradebook is packed anew
            files.note(student, person)
        _drop(release, person)
        done = Erased(person, deleted=delete_files(person, roots), notes=notes)
        kept_path(course / "gradebook.db").unlink(missing_ok=True)
        done.entries = begun.entries if begun else _rewrite(release, student, person, reason, by)
        done.head = open_ledger(release).verify()[1]
        done.deleted += [path for path in earlier_lists(course) if without_lines(person, path)]
        keep(course / "gradebook.db")
        done.mentions = mentions(person, roots, [one for one in (files.copy,) if one.is_file()])
        done.notes += _alike(person, people)
        files.discard()
    return done


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


def _person(release: ReleaseLike, student: str, people: dict[str, Known]) -> Person:
    """Everything that is known of a person. Raises CourseError for one who cannot be erased now."""
    identities = open_ledger(release).people().identities
    ids = frozenset(identities.same(identities.of(student)))
    if here := sorted(ids & listed_names(course_dir(release) / ROSTER).keys()):
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
    return person_of(ids, people)


def _of_record(begun: Begun, people: dict[str, Known]) -> Person:
    """The person of an erasure that was begun; of the others is known what is known now."""
    ids = frozenset(map(str, begun.person["ids"]))
    return Person.from_json(begun.person, person_of(ids, people).others)


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
    names = {exact(name) for one in mine for name in one.names}
    same = [
        who
        for who, one in sorted(people.items())
        if who not in person.ids and (mails & set(map(exact, one.mails)) or names & set(map(exact, one.names)))
    ]
    return [f"the same name or address has {one}; if that is this person, too, erase that id as well" for one in same]


# ---- gradebook and ledger --------------------------------------------------------------------------------------------


def _drop(release: ReleaseLike, person: Person) -> None:
    """Take the person out of the gradebook, whose file is packed."""
    gradebook = course_dir(release) / "gradebook.db"
    if not gradebook.exists():
        return
    for one in sorted(person.ids):
        for name in assignments_of(release):
            drop_from_gradebook(course_dir(release), name, one)
            forget(gradebook, name, one)
    _pack(gradebook)


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


def _rewrite(release: ReleaseLike, student: str, person: Person, reason: str, by: str) -> int:
    """Replace ledger and copy, with an entry at the end that says so. Both files are there before one is replaced."""
    ledger, files = open_ledger(release), ledger_files(release)
    _, head = ledger.verify()
    before = files.ledger.read_bytes() if files.ledger.exists() else b""
    chain, count = without(ledger, person)
    if not count:
        return 0
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    chain.append(following(chain, ERASED, {"entries": count, "before": head, "reason": reason, "by": by}, now))
    data, last = b"".join(written(one) + b"\n" for one in chain), chain[-1]
    hashes = (hashlib.sha256(before).hexdigest(), hashlib.sha256(data).hexdigest())
    begun = Begun(student, person.to_json(), count, *hashes, last.n, last.hash)
    gradebook = files.course / "gradebook.db"
    try:
        files.write(begun, data)
        _note(gradebook, last)
    except BaseException:  # also Ctrl-C: what is left there would be old soon
        if not gradebook.exists() or noted_end(gradebook) != (last.n, last.hash):
            files.discard()
            files.note(student, person)
        raise
    files.put_in_place()
    return count


def _note(gradebook: Path, end: Entry) -> None:
    """Note the new end in the gradebook, if there is one. Raises CourseError if another program holds it."""
    if gradebook.exists() and not note_end(gradebook, end.n, end.hash):
        raise CourseError(f"{gradebook}: cannot be written now; close other programs, then give this command again")


def _go_on(release: ReleaseLike, student: str, notes: list[str]) -> Begun | None:
    """Finish replacing the ledger where that was interrupted; returns the record of an erasure that is to be gone on with.

    What does not fit ledger and copy as they are is dropped, and nothing is put in place of them.

    Raises:
        LedgerError: ledger or copy is not as it was written, or another erasure is to be finished first.
    """
    files = ledger_files(release)
    try:
        open_ledger(release).verify()
    except ErasureBegun:
        begun = files.interrupted()
        if begun is None or student not in begun.person["ids"]:
            raise
        files.put_in_place()
        open_ledger(release).verify()
    except LedgerError as error:
        if files.discard():
            words = "the beginning of an erasure lay there, does not fit these files, and was dropped"
            raise LedgerError(f"{error}; {words}") from error
        raise
    begun = files.finished()
    if begun and student not in begun.person["ids"]:
        raise ErasureBegun(told(begun, files.course.parent))
    if begun:
        notes.append(f"the erasure of {begun.student} that was interrupted was gone on with, and is finished")
        return begun
    first = files.begun()
    if files.discard():
        who = f"of {first.student} " if first else ""
        notes.append(
            f"an erasure {who}had been begun, and had not changed the ledger; it was dropped"
            + (
                ", and begun anew"
                if first and student in first.person["ids"]
                else "; give it again if it is still wanted"
            )
        )
    return None
