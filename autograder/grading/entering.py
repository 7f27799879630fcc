"""Verdicts that wait for the gradebook: entered one student after the other, and again until it is done."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from autograder.grading.byhand import Taken, collect
from autograder.grading.copies import DISK
from autograder.grading.database import damaged, differing
from autograder.grading.ledger import Entry, Standing
from autograder.grading.lock import alone, person
from autograder.grading.repair import note_in_gradebook
from autograder.grading.store import (
    FULL,
    ROSTER,
    ReleaseLike,
    Stored,
    course_dir,
    keep_aside,
    of_ledger,
    open_ledger,
    result_path,
    settle,
    stored_json,
)
from autograder.intake.discover import Found
from autograder.intake.names import require_id
from autograder.release.gradebook import make_again, whole
from course_utils.errors import CourseError

ROUNDS = 3
NEW = (
    "the gradebook was lost and is made again from the release and the ledger; start JupyterLab again if it runs: its "
    "formgrader still holds the old file"
)
AGAIN = re.compile(r",? (then|and) (run the same command|give the command|try) again$")  # of a mark it would be wrong
REBUILD = "python -m autograder ledger rebuild"
PAUSE = 0.5  # seconds between rounds, for a gradebook that another program holds


def waiting(release: ReleaseLike, assignment: str) -> dict[str, Stored]:
    """Students whose verdict is in the ledger and not, or not so, in the gradebook, from this run and earlier ones."""
    found, standings = {}, open_ledger(release).standings()
    other = differing(course_dir(release) / "gradebook.db", assignment, standings)
    for (name, student), standing in standings.items():
        if name != assignment or not standing.verdict or (standing.recorded and student not in other):
            continue
        path = result_path(course_dir(release), assignment, student)
        if settle(path, standing.verdict.get("stored", "")):
            found[student] = of_ledger(release, assignment, student, standing)
    return found


def enter_all(release: ReleaseLike, assignment: str, todo: Sequence[str]) -> Iterator[tuple[str, list[str], str]]:
    """Enter students in the gradebook; those that fail are tried again while others succeed, at most three times.

    Yields:
        Student, notes, and the reason why it could not be entered ("" if it was), each student once.
    """
    left, reasons = list(todo), dict.fromkeys(todo, "")
    for turn in range(ROUNDS):
        if turn:
            time.sleep(PAUSE * turn)
        for student in list(left):
            try:
                notes = enter_student(release, assignment, student)
            except (
                Exception
            ) as error:  # nbgrader, SQLAlchemy and the disk have errors of their own; all mean: not entered
                reasons[student] = str(error) or type(error).__name__
            else:
                left.remove(student)
                yield student, notes, ""
        if not left:
            return
    for student in left:
        yield student, [], reasons[student]


def enter_student(release: ReleaseLike, assignment: str, student: str) -> list[str]:
    """Write one student's standing in the ledger into nbgrader, after what people marked there was taken in.

    Returns:
        Sentences about marks that cannot be taken in, and about what waits in ``submitted/``.

    Raises:
        CourseError: the result that the ledger speaks of is gone or changed, or nbgrader does not take it.
    """
    from autograder.grading.gradebook import record

    problems = collect(release, person(), student).problems
    ledger = open_ledger(release)
    standing = ledger.standings().get((assignment, student), Standing())
    stored = of_ledger(release, assignment, student, standing)
    told = record(release, stored.result, stored.intake, standing.by_hand())
    ledger.append("recorded", student=student, assignment=assignment)
    return [*problems, *told]


def enter_under(release: ReleaseLike, assignment: str, found: Found) -> None:
    """Enter the work that stands as one of another id of the person, too, with the time at which it came under that id.

    Without the merge of the two ids it would have been judged, and the merge may be undone.

    Raises:
        CourseError: the result that the ledger speaks of is gone or changed, or nothing can be written.
    """
    from autograder.grading.gradebook import enter

    standing = open_ledger(release).standings().get((assignment, found.student), Standing())
    stored, verdict = of_ledger(release, assignment, found.student, standing), standing.verdict or {}
    keep_aside(result_path(course_dir(release), assignment, found.student))
    own = {key: getattr(found, key) for key in ("came_as", "name", "lms_id", "late", "platform", "sid", "email")}
    received = found.time or datetime.now(UTC).isoformat(timespec="seconds")
    intake = replace(stored.intake, received=received, timed=bool(found.time), **own)
    known = {key: verdict[key] for key in ("seed", "checks") if key in verdict}
    enter(release, stored_json(stored.result, intake), **known)


def replay_student(release: ReleaseLike, assignment: str, student: str) -> list[str]:
    """As :func:`enter_student`, with the release held and the ledger's end noted. Raises if somebody is grading."""
    with alone(course_dir(release)):
        _settle(release, assignment, student)
        notes = enter_student(release, assignment, student)
        note_in_gradebook(release)
    return notes


def override_student(
    release: ReleaseLike, assignment: str, student: str, exercise: str, points: float, reason: str, by: str
) -> Entry:
    """Change one mark by hand, with a reason, in ledger and gradebook.

    Raises:
        CourseError: what is no id, as ``Ledger.override``, or somebody is grading: then nothing was changed. Or the
            gradebook does not take it: then the mark is in the ledger and counts, and the sentence says so.
    """
    require_id(student)
    with alone(course_dir(release)):
        # before the entry: of two decisions about one check the later one counts
        collect(release, person(), student)
        _require_graded(release, assignment, student)
        entry = open_ledger(release).override(assignment, student, exercise, points, reason, by)
        try:
            _settle(release, assignment, student)
            enter_student(release, assignment, student)
        except Exception as error:  # as in enter_all: whatever nbgrader or the disk raises means that it is not entered
            raise CourseError(counts_already(error)) from error
        note_in_gradebook(release)
    return entry


def counts_already(error: Exception) -> str:
    """What to say of a mark that the ledger has and the gradebook does not; to give it again would enter it twice."""
    where = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
    words = f"{where}{error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
    why, _, remedy = (words or type(error).__name__).rpartition("; ")
    why, remedy = (why, AGAIN.sub("", remedy)) if why else (remedy, "mend that")
    if DISK.search(words) or any(isinstance(one, OSError) and one.errno in FULL for one in (error, error.__cause__)):
        why, remedy = why.replace("; make room on the disk", ""), "make room on the disk"
    then = "" if REBUILD in remedy else f", then {REBUILD} brings it there"
    return (
        f"the mark is in the ledger and counts, so do not give it again; gradebook.db does not have it yet ({why}): "
        f"{remedy}{then}"
    )


def _require_graded(release: ReleaseLike, assignment: str, student: str) -> None:
    """Raise CourseError for somebody of the class without verdicts, with what to do; the ledger says who is unknown."""
    from autograder.grading.gradebook import listed_names

    people = open_ledger(release).people()
    standing = people.table.get((assignment, student))
    if people.identities.of(student) != student or (standing and standing.verdict):
        return
    refusals = [
        one.data["reason"]
        for one in people.history
        if one.kind == "refused" and one.data["assignment"] == assignment and people.identities.of(one.owner) == student
    ]
    if standing and refusals:
        why = f"was not graded in {assignment} ({refusals[-1]})"
    elif student in listed_names(course_dir(release) / ROSTER):
        why = f"is on the class list and handed in nothing for {assignment}"
    else:
        return
    raise CourseError(
        f"{student} {why}, so there are no points to change; grade a notebook of {student} that can be read, the unsolved "
        f"student/notebooks/{assignment}.ipynb will do, and give this command again"
    )


def collect_marks(release: ReleaseLike, by: str) -> Taken:
    """Take into the ledger what was marked in the formgrader. Raises CourseError if somebody is grading."""
    with alone(course_dir(release)):
        taken = collect(release, by)
        if taken.entries:
            note_in_gradebook(release)
    return taken


def rebuild_gradebook(release: ReleaseLike, assignment: str = "", *, progress: bool = True) -> list[str]:
    """Write every standing of the ledger into nbgrader again, with marks and comments; a lost gradebook is made first.

    Args:
        assignment: only this one; all by default, and after a loss.

    Returns:
        Sentences about what was done besides, and about marks that cannot be taken in.

    Raises:
        CourseError: as :func:`replay_student`; a student who cannot be entered does not keep the others from it.
    """
    course = course_dir(release)
    with alone(course):
        notes = []
        if not whole(course) or damaged(course / "gradebook.db"):
            make_again(course)
            assignment, notes = "", [NEW]
        notes += collect(release, person()).problems
        standings = open_ledger(release).standings()
        graded = sorted(key for key, one in standings.items() if one.verdict and assignment in ("", key[0]))
        lost: list[str] = []
        reason = ""
        for name, student in tqdm(graded, disable=not progress, desc="gradebook"):
            try:
                _settle(release, name, student)
                notes += [one for one in enter_student(release, name, student) if one not in notes]
            except CourseError as error:
                lost, reason = [*lost, student], str(error)
        note_in_gradebook(release)
    if lost:
        names = ", ".join(lost[:20]) + (" …" if len(lost) > 20 else "")
        raise CourseError(f"{len(lost)} of {len(graded)} could not be entered, the others are: {names}; {reason}")
    return notes


def _settle(release: ReleaseLike, assignment: str, student: str) -> Path:
    standing = open_ledger(release).standings().get((assignment, student), Standing())
    path = result_path(course_dir(release), assignment, student)
    settle(path, (standing.verdict or {}).get("stored", ""))
    if not standing.verdict:
        raise CourseError(f"{student}: nothing is graded in {assignment}; grade first")
    return path
