"""``submitted/`` is where nbgrader puts what it collects, and where the grader's copies lie for nbgrader to read.

This is the one place that decides whether something there may be replaced or moved: only the grader's own copy, and a hand-in
that the ledger has already. All else waits for the next ``grade``, whatever command is given before that.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import nbformat
from nbformat.notebooknode import from_dict

from autograder.grading.earlier import Past, after, pasts, with_written
from autograder.grading.identities import Identities, one_each
from autograder.grading.ledger import Ledger, Standing
from autograder.grading.placing import put
from autograder.grading.store import ReleaseLike, copies_key, course_dir, open_ledger, write_atomic
from autograder.intake.discover import Found, Handins, Intake, take_in
from autograder.intake.own import copied, marked, time_text
from autograder.intake.platforms import SUBMITTED, TIME_FILE, stamp

ENTERING = "entering"  # where nbgrader reads a hand-in while it is entered in the gradebook


def unread(release: ReleaseLike, assignment: str, student: str) -> bool:
    """Whether in ``submitted/`` lies something of a student that the ledger does not have.

    Args:
        student: as the folder is called; it may be merged into another one.

    Raises:
        CourseError: ledger or record of the release cannot be read.
    """
    folder = course_dir(release) / SUBMITTED / student / assignment
    return _holds(folder) and not _known(release, assignment, student, folder)


def _holds(folder: Path) -> bool:
    """Whether there is more than an empty folder, or the time alone; what cannot be looked into holds something."""
    if folder.is_symlink() or not folder.is_dir():
        return folder.is_symlink() or folder.exists()
    try:
        return any(child.name != TIME_FILE or child.is_symlink() for child in folder.iterdir())
    except OSError:
        return True


def _known(release: ReleaseLike, assignment: str, student: str, folder: Path) -> bool:
    """Whether ``grade`` would find nothing new there: it is read as ``grade`` reads it."""
    ledger = open_ledger(release)
    people = ledger.people()
    who = people.identities.of(student)
    standing = people.table.get((assignment, who), Standing())
    histories = pasts(people.history, assignment)
    past = histories.get(who, Past())
    found = Found(who, folder, time=stamp(folder) if folder.is_dir() else "", platform="nbgrader")
    with tempfile.TemporaryDirectory(prefix="inbox-") as scratch:
        try:
            intake = take_in(found, assignment, release.skeleton(assignment), Path(scratch) / "one")
        except Exception:  # what cannot be read was not read: it stays where it is, whatever is wrong with it
            return False
        stands = str((standing.verdict or {}).get("sha256", ""))
        judged = with_written(past, release, assignment, standing)
        for other in _merged_ever(ledger, who):  # a merge that was undone left a copy of their work here
            judged = {**histories.get(other, Past()).judged, **judged}
        if copied(intake.mark, intake.notebook_sha, intake.files, judged, stands, copies_key(release)):
            return True
    # earlier work that comes again later is a new decision of the student
    return intake.sha256 == stands or ((intake.sha256, "") in past.hands and after(found, standing.intake) is not True)


def _merged_ever(ledger: Ledger, who: str) -> set[str]:
    """Ids that were merged with this one at some time, whatever became of it."""
    merges = [{one.data["student"], one.data["into"]} for one in ledger if one.kind == "merged"]
    return {other for pair in merges if who in pair for other in pair} - {who}


def left(release: ReleaseLike, assignment: str, students: Iterable[str]) -> list[str]:
    """A sentence for each of these in whose folder something waits for ``grade``."""
    return [_words(release, assignment, one) for one in sorted(set(students)) if unread(release, assignment, one)]


def _words(release: ReleaseLike, assignment: str, student: str) -> str:
    inbox = course_dir(release) / SUBMITTED
    command = f"python -m autograder grade {shlex.quote(str(inbox))} --from nbgrader --assignment {assignment}"
    return (
        f"{inbox / student / assignment}: holds what is not graded yet, and it stays there; to grade it: {command} "
        f"--release {shlex.quote(str(Path(release.root)))}"
    )


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
    if unread(release, intake.assignment, intake.student):
        return [_words(release, intake.assignment, intake.student)]
    place = course_dir(release) / SUBMITTED / intake.student / intake.assignment
    place.parent.mkdir(parents=True, exist_ok=True)
    put(copy, place)
    return []


def handed_in(release: ReleaseLike, assignment: str, handins: Handins, identities: Identities) -> Handins:
    """The hand-ins by the id that counts, as :func:`autograder.grading.identities.one_each` has them.

    Where ``submitted/`` has folders of several ids of one person, those that hold nothing new contest nothing: one may have
    the grader's copy, the other one what was collected since.
    """
    inbox = course_dir(release) / SUBMITTED
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
