"""Putting a damaged ledger back from its copy, and saying what no longer is as the ledger has it."""

from __future__ import annotations

from pathlib import Path

from autograder.grading.copies import lines, note_end, noted_end
from autograder.grading.ledger import START, LedgerCut, LedgerError, parse
from autograder.grading.store import (
    ReleaseLike,
    copy_path,
    course_dir,
    of_ledger,
    open_ledger,
    write_atomic,
)
from course_utils.errors import CourseError


def restore_end(release: ReleaseLike) -> str:
    """Put back an end of the ledger that is missing; what was changed is left to a person. Returns as :func:`restore`.

    Raises:
        LedgerError: the ledger was changed, or its end is in the copy no more.
    """
    try:
        open_ledger(release).verify()
    except LedgerCut:
        return restore(release)
    return ""


def restore(release: ReleaseLike) -> str:
    """Put the ledger back from its copy, or the copy from the ledger; the damaged file is kept beside it.

    Returns:
        What was done, in a sentence that also stands in the ledger; "" if nothing was amiss.

    Raises:
        LedgerError: both are damaged, or contradict each other or the gradebook's note.
    """
    try:
        open_ledger(release).verify()
        return ""
    except LedgerError as error:
        why = str(error).split("; python -m")[0]
    path, copy = course_dir(release) / "ledger.jsonl", copy_path(release)
    good = _chosen(path, copy, noted_end(course_dir(release) / "gradebook.db"), why)
    if path.exists() and lines(path) != good:
        write_atomic(_free(path), path.read_bytes())
    write_atomic(path, b"".join(good))
    write_atomic(copy, b"".join(good))
    words = f"{why}. The {len(good)} entries were put back from the copy"
    open_ledger(release).append("repair", note=words)
    return words


def _chosen(path: Path, copy: Path, end: tuple[int, str] | None, why: str) -> list[bytes]:
    """The longer sound chain of the two, which must not lack or contradict anything that either has."""
    both = [lines(path), lines(copy)]
    sound = sorted((_sound(found) for found in both), key=len)
    good = sound[1]
    agrees = good[: len(sound[0])] == sound[0]
    holds = end is None or end[0] == 0 or (len(good) >= end[0] and parse(good[end[0] - 1], "").hash == end[1])
    if not agrees or not holds or len(good) < max(map(len, both)):
        raise LedgerError(f"{why}; the copy in {copy} does not help, so restore both files from a backup")
    return good


def _sound(found: list[bytes]) -> list[bytes]:
    """The leading lines that are entries and follow each other."""
    good, before = [], START
    for number, line in enumerate(found, start=1):
        try:
            entry = parse(line, "")
        except LedgerError:
            break
        if entry.prev != before or entry.n != number:
            break
        good.append(line)
        before = entry.hash
    return good


def _free(path: Path) -> Path:
    """A name beside the file that nothing has yet."""
    names = (path.with_name(f"{path.name}.damaged-{n}") for n in range(1, 10_000))
    return next(name for name in names if not name.exists())


def note_in_gradebook(release: ReleaseLike) -> None:
    """Note the ledger's end in the gradebook; a gradebook that is busy is noted in the next time."""
    count, end = open_ledger(release).verify()
    note_end(course_dir(release) / "gradebook.db", count, end)


def changed_results(release: ReleaseLike) -> list[str]:
    """A sentence for every stored result that is not the one that the ledger speaks of."""
    found = []
    for (assignment, student), standing in sorted(open_ledger(release).standings().items()):
        if standing.verdict:
            try:
                of_ledger(release, assignment, student, standing)
            except CourseError as error:
                found.append(str(error))
    return found
