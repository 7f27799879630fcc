"""Removal of a student who was entered by mistake from a release; the ledger keeps what was there and says who took it out."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.byhand import collect, forget
from autograder.grading.copies import remedy
from autograder.grading.inbox import unread
from autograder.grading.lock import alone
from autograder.grading.repair import note_in_gradebook
from autograder.grading.store import ReleaseLike, course_dir, open_ledger, result_path
from autograder.grading.unplaced import strike_out
from autograder.intake.names import require_id
from autograder.intake.platforms import SUBMITTED
from course_utils.errors import CourseError


def remove(
    release: ReleaseLike, assignment: str, student: str, reason: str, by: str, pages: Sequence[Path] = ()
) -> Path:
    """Take one student's hand-in of an assignment out of results, gradebook and course folders.

    Args:
        pages: files that were written about the student; those that are there are moved, too.

    Returns:
        The folder that its files were moved to; nothing is deleted but the entry in the gradebook.

    Raises:
        CourseError: what is no id, or one that the ledger does not know, no reason is given, or somebody is grading.
    """
    require_id(student)
    if not reason.strip():
        raise CourseError("to take a student out needs a reason; give --reason")
    course = course_dir(release)
    with alone(course):
        ledger = open_ledger(release)
        people = ledger.people()
        if (now := people.identities.of(student)) != student:
            raise CourseError(f"{student} is merged into {now}; give that id, or part the two first: merge --undo")
        if (assignment, student) not in people.table:
            raise CourseError(f"{student}: the ledger has no such student in {assignment}; look into the report")
        # the ledger comes last: whatever interrupts this, the command can be given again
        collect(release, by, student)  # what was marked stays in the ledger
        drop_from_gradebook(course, assignment, student)
        aside = move_aside(release, assignment, student)
        for number, page in enumerate(page for page in pages if page.exists()):
            shutil.move(page, aside / f"page-{number}{page.suffix}")
        ledger.append("removed", student=student, assignment=assignment, reason=reason, by=by)
        note_in_gradebook(release)
    return aside


def remove_strays(release: ReleaseLike, assignment: str, what: str, reason: str, by: str) -> list[str]:
    """Take out what was never a student's: as :func:`autograder.grading.unplaced.strike_out`.

    Raises:
        CourseError: nothing is named, no reason is given, or somebody is grading.
    """
    if not what.strip():
        raise CourseError("say who or what is to be taken out: an id, or the folder or zip that was graded by mistake")
    if not reason.strip():
        raise CourseError("to take something out needs a reason; give --reason")
    with alone(course_dir(release)):
        ledger = open_ledger(release)
        if (assignment, what) in ledger.people().table:
            return []
        found = strike_out(ledger, assignment, what, reason, by)
        if found:
            note_in_gradebook(release)
    return found


def places_of(release: ReleaseLike, assignment: str, student: str) -> list[Path]:
    """The student's folders of an assignment in nbgrader's course that may be moved: what waits in ``submitted/`` may not."""
    names = (
        ("autograded", "feedback") if unread(release, assignment, student) else (SUBMITTED, "autograded", "feedback")
    )
    folders = [course_dir(release) / name / student / assignment for name in names]
    return [one for one in folders if one.is_dir() and not one.is_symlink()]


def move_aside(release: ReleaseLike, assignment: str, student: str, *, results: bool = True) -> Path:
    """Move the student's files of this assignment to ``removed/``, the stored result too unless ``results`` is false."""
    course, places = course_dir(release), places_of(release, assignment, student)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside = course / "removed" / f"{stamp}-{student}"
    aside.mkdir(parents=True)
    result = result_path(course, assignment, student)
    if results and result.exists():
        shutil.move(result, aside / result.name)
    for place in places:
        step, folder = place.parents[1].name, place.parent
        (aside / step).mkdir()
        shutil.move(place, aside / step / assignment)
        if not any(folder.iterdir()):
            folder.rmdir()
    return aside


def drop_from_gradebook(course: Path, assignment: str, student: str) -> None:
    """Drop the submission from nbgrader's gradebook, and the student who has none left.

    Raises:
        CourseError: another program holds the gradebook, or it is damaged.
    """
    from nbgrader.api import InvalidEntry, MissingEntry, StatementError

    from autograder.release.nbgrader_db import open_book, quiet_nbgrader

    try:
        with quiet_nbgrader(), open_book(course) as book:
            with suppress(MissingEntry):  # it was never entered
                book.remove_submission(assignment, student)
            with suppress(MissingEntry):
                if not book.student_submissions(student):
                    book.remove_student(student)
        forget(course / "gradebook.db", assignment, student)
    except (InvalidEntry, StatementError, sqlite3.Error) as error:
        what = str(error).splitlines()[0]
        raise CourseError(f"{course / 'gradebook.db'}: cannot be written now ({what}); {remedy(error)}") from error
