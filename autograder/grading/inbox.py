"""``submitted/`` is where nbgrader puts what it collects, and where the grader's copies lie for nbgrader to read.

This is the one place that decides whether something there may be replaced or moved: only the grader's own copy, and a hand-in
that the ledger has already. All else waits for the next ``grade``, whatever command is given before that.

Whose an entry is follows as in ``grade``: from the class list (id, e-mail, name) and the merges. An entry waits if ``grade``
would read it, also where the notebook lies in a folder of another name.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import nbformat
from nbformat.notebooknode import from_dict

from autograder.grading.earlier import Past, after, pasts, with_written
from autograder.grading.identities import Identities, one_each
from autograder.grading.ledger import Standing
from autograder.grading.placing import put
from autograder.grading.store import (
    ROSTER,
    ReleaseLike,
    assignments_of,
    copies_key,
    course_dir,
    open_ledger,
    write_atomic,
)
from autograder.intake.classzip import nobodys
from autograder.intake.discover import Found, Handins, Intake, survey, take_in
from autograder.intake.own import Judged, copied, marked, time_text
from autograder.intake.owners import Export, absent, identified
from autograder.intake.platforms import SUBMITTED, TIME_FILE, stamp
from autograder.intake.roster import read_roster
from course_utils.errors import CourseError

ENTERING = "entering"  # where nbgrader reads a hand-in while it is entered in the gradebook


def unread(release: ReleaseLike, assignment: str, student: str) -> bool:
    """Whether in ``submitted/`` lies something of a student that the ledger does not have.

    Args:
        student: as the folder is called; it may be merged into another one.

    Raises:
        CourseError: ledger or record of the release cannot be read.
    """
    place = inbox_of(release) / student / assignment
    return _holds(place) and not _Known(release, assignment).has(student, place)


def _waiting(release: ReleaseLike, assignment: str, students: Iterable[str] | None = None) -> list[tuple[str, Path]]:
    """Name and place of each entry of ``submitted/`` that waits; the ledger is read once, and only if there is an entry.

    Args:
        students: only theirs, whatever name of the list or merged id the entry bears; by default everybody's.
    """
    places = _places(inbox_of(release), assignment)
    known = _Known(release, assignment) if places else None
    if known is None:
        return []
    people = None if students is None else {known.person(one) for one in students}
    theirs = [(name, place) for name, place in places.items() if people is None or known.person(name) in people]
    return [(name, place) for name, place in theirs if not known.has(name, place)]


def _places(inbox: Path, assignment: str) -> dict[str, Path]:
    """By name each entry of a folder like ``submitted/`` that ``grade`` reads for an assignment, and where its files lie.

    That is the folder of the assignment, or all of an entry that may hold the assignment under another name.
    """
    entries = [one for one in sorted(inbox.iterdir()) if not nobodys(one)] if inbox.is_dir() else []
    others = absent(Export(entries, "nbgrader"), assignment)
    own = {one.name: one / assignment for one in entries if one not in others}
    places = {name: one if one.is_symlink() or one.exists() else one.parent for name, one in own.items()}
    return {name: place for name, place in places.items() if _holds(place)}


def _holds(folder: Path) -> bool:
    """Whether there is more than an empty folder, or the time alone; what cannot be looked into holds something."""
    if folder.is_symlink() or not folder.is_dir():
        return folder.is_symlink() or folder.exists()
    try:
        return any(child.name != TIME_FILE or child.is_symlink() for child in folder.iterdir())
    except OSError:
        return True


class _Known:
    """What the ledger has of an assignment."""

    def __init__(self, release: ReleaseLike, assignment: str, inbox: Path | None = None) -> None:
        self.release, self.assignment, self.key = release, assignment, copies_key(release)
        ledger = open_ledger(release)
        self.people = ledger.people()
        self.pasts = pasts(self.people.history, assignment)
        self.merges = [{one.data["student"], one.data["into"]} for one in ledger if one.kind == "merged"]
        self.id_of = _ids(release, assignment, inbox or inbox_of(release))

    def has(self, student: str, folder: Path) -> bool:
        """Whether what lies in a student's folder is the grader's copy, or a hand-in that came under this very id."""
        student = self.id_of(student)
        who = self.people.identities.of(student)
        standing, past = self.people.table.get((self.assignment, who), Standing()), self.pasts.get(who, Past())
        found = Found(who, folder, time=stamp(folder) if folder.is_dir() else "", platform="nbgrader")
        skeleton = self.release.skeleton(self.assignment)
        stands = str((standing.verdict or {}).get("sha256", ""))
        with tempfile.TemporaryDirectory(prefix="inbox-", ignore_cleanup_errors=True) as scratch:
            try:
                intake = take_in(found, self.assignment, skeleton, Path(scratch) / "one")
            except Exception:  # what cannot be read was not read: it stays where it is, whatever is wrong with it
                return False
            judged = with_written(past, self.release, self.assignment, standing)
            if copied(
                intake.mark, intake.notebook_sha, intake.files, {**self._theirs(who), **judged}, stands, self.key
            ):
                return True
        if not self.people.brought(self.assignment, student, intake.sha256):
            return False  # the same work may come from somebody else, also from a person's other id
        # earlier work that comes again later is a new decision of the student
        return intake.sha256 == stands or (
            (intake.sha256, "") in past.hands and after(found, standing.intake) is not True
        )

    def _theirs(self, who: str) -> dict[str, Judged]:
        """Hand-ins of ids that were merged with this one at some time: a merge that was undone left a copy of them here."""
        others = {other for pair in self.merges if who in pair for other in pair} - {who}
        return {sha: one for other in sorted(others) for sha, one in self.pasts.get(other, Past()).judged.items()}

    def person(self, name: str) -> str:
        """The id that counts of the student whose entry in ``submitted/`` has a name."""
        return self.people.identities.of(self.id_of(name))

    def graded(self, name: str) -> bool:
        """Whether the person whose entry this is has a grade that stands."""
        return bool(self.people.table.get((self.assignment, self.person(name)), Standing()).verdict)


def _ids(release: ReleaseLike, assignment: str, inbox: Path) -> Callable[[str], str]:
    """What gives the id of the student whose entry in ``inbox`` has a name, as ``grade`` finds it."""
    path, roster = course_dir(release) / ROSTER, None
    with suppress(CourseError):  # what is wrong with the list is said where it is used; its names are nobody's then
        roster = read_roster(path).of(assignment) if path.is_file() else None

    def of(name: str) -> str:
        if roster is not None and name in roster.names:
            return name
        items, _ = identified(Export([inbox / name], "nbgrader"), roster, assignment)
        return items[0].student if items else name  # it is on no line of the list, or no student's name

    return of


def twice(release: ReleaseLike, assignment: str) -> set[str]:
    """Folders of ``submitted/`` that hold nothing new, beside another one of the same student.

    Where a folder is named by e-mail or name, the grader's copy has one of its own, named by the id. If both hold nothing
    new, that one counts.

    Raises:
        CourseError: ledger, class list or record of the release cannot be read.
    """
    inbox = inbox_of(release)
    id_of, places = _ids(release, assignment, inbox), _places(inbox, assignment)
    owners: dict[str, list[str]] = {}
    for name in places:
        owners.setdefault(id_of(name), []).append(name)
    several = {who: names for who, names in owners.items() if len(names) > 1}
    known = _Known(release, assignment) if several else None
    found: set[str] = set()
    for who, names in several.items():
        new = [one for one in names if known is not None and not known.has(one, places[one])]
        found |= {*names} - {*(new or [who if who in names else names[0]])}
    return found


def without_grade(release: ReleaseLike, assignment: str) -> list[str]:
    """A sentence for each folder of ``submitted/`` that waits for ``grade`` and whose person has no grade that stands.

    Raises:
        CourseError: ledger, class list or record of the release cannot be read.
    """
    waiting = _waiting(release, assignment)
    known = _Known(release, assignment) if waiting else None
    left_over = [place for name, place in waiting if known is None or not known.graded(name)]
    return [_words(release, assignment, place) for place in left_over]


def inbox_of(release: ReleaseLike) -> Path:
    """The folder in which nbgrader collects."""
    return (course_dir(release) / SUBMITTED).resolve()


def left(release: ReleaseLike, assignment: str, students: Iterable[str] | None = None) -> list[str]:
    """A sentence for each entry of these students that waits for ``grade``; by default of everybody."""
    return [_words(release, assignment, place) for _, place in _waiting(release, assignment, students)]


def all_left(release: ReleaseLike) -> list[str]:
    """The same for all entries of all assignments."""
    return [line for name in assignments_of(release) for line in left(release, name)]


def lacking(release: ReleaseLike, before: Path) -> list[str]:
    """A sentence for each hand-in that lies in the ``submitted/`` of a release that was here before, and not in this one's
    ledger: nobody graded it, or somebody did after the backup was made.

    Args:
        before: that ``submitted/``.

    Raises:
        CourseError: ledger, class list or record of the release cannot be read.
    """
    lines = []
    for assignment in assignments_of(release):
        places = _places(before, assignment)
        known = _Known(release, assignment, before) if places else None
        for name, place in places.items():
            if known is not None and not known.has(name, place):
                how = "put it in place of" if place.name == assignment else "copy what is in it to"
                to = inbox_of(release) / place.relative_to(before)
                lines.append(
                    f"{place}: holds what is not graded in {release.root}; to grade it, {how} {to}, then: "
                    + _command(release, assignment)
                )
    return lines


def _words(release: ReleaseLike, assignment: str, place: Path) -> str:
    command = _command(release, assignment)
    return f"{place}: holds what is not graded yet, and it stays there; to grade it: {command}"


def _command(release: ReleaseLike, assignment: str) -> str:
    inbox, root = (shlex.quote(str(one)) for one in (inbox_of(release), Path(release.root)))
    return f"python -m autograder grade {inbox} --from nbgrader --assignment {assignment} --release {root}"


@contextmanager
def entering(release: ReleaseLike, intake: Intake) -> Iterator[Path]:
    """A signed copy of a hand-in, in a folder of its own from which nbgrader reads it; it is gone afterwards.

    The time stands beside it where the platform gave one: when we first saw a hand-in would be read as its time.

    Raises:
        CourseError: the folder cannot be written, or the release's record cannot be read.
    """
    folder = course_dir(release) / ENTERING / intake.student / intake.assignment
    rmtree(folder, ignore_errors=True)
    book = marked(intake.notebook, intake.sha256, copies_key(release))
    write_atomic(folder / f"{intake.assignment}.ipynb", nbformat.writes(from_dict(book), version=4))
    if intake.timed:
        write_atomic(folder / TIME_FILE, time_text(intake.received))
    try:
        yield folder
    finally:
        rmtree(folder.parent, ignore_errors=True)


def settle_copy(release: ReleaseLike, intake: Intake, copy: Path) -> list[str]:
    """Move the copy to ``submitted/``, unless something waits there; says so then.

    Raises:
        CourseError: ledger or record of the release cannot be read.
        OSError: the folder cannot be written.
    """
    place = inbox_of(release) / intake.student / intake.assignment
    if unread(release, intake.assignment, intake.student):
        return [_words(release, intake.assignment, place)]
    place.parent.mkdir(parents=True, exist_ok=True)
    put(copy, place)
    return []


def surveyed(
    release: ReleaseLike, submissions: Path, platform: str, roster: Path | None, assignment: str, identities: Identities
) -> Handins:
    """Who handed in what, by the id that counts; of ``submitted/`` what is known already contests nothing.

    Raises:
        CourseError: as :func:`autograder.intake.discover.survey` and :func:`twice`.
    """
    known = twice(release, assignment) if submissions.resolve() == inbox_of(release) else ()
    return _handed_in(release, assignment, survey(submissions, platform, roster, assignment, known), identities)


def _handed_in(release: ReleaseLike, assignment: str, handins: Handins, identities: Identities) -> Handins:
    """The hand-ins by the id that counts, as :func:`autograder.grading.identities.one_each` has them.

    Where ``submitted/`` has folders of several ids of one person, those that hold nothing new contest nothing: one may have
    the grader's copy, the other one what was collected since.
    """
    inbox = inbox_of(release)
    owners: dict[str, list[Found]] = {}
    for one in handins.found:
        owners.setdefault(identities.of(one.student), []).append(one)
    dropped: list[Found] = []
    for who, ones in owners.items():
        if len(ones) > 1 and all(one.path.resolve().parent.parent == inbox for one in ones):
            old = [one for one in ones if not unread(release, assignment, one.path.parent.name)]
            kept = min(old, key=lambda one: one.student != who) if len(old) == len(ones) else None
            dropped += [one for one in old if one is not kept]
    return one_each(replace(handins, found=[one for one in handins.found if one not in dropped]), identities)
