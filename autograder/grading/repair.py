"""Putting a damaged ledger back from its copy, and saying what no longer is as the ledger has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from autograder.grading.begun import ErasureBegun
from autograder.grading.byhand import Book, changes, exercise_of, read_book
from autograder.grading.copies import lines, note_end, noted_end
from autograder.grading.database import HANDS, differences
from autograder.grading.ledger import LedgerCut, LedgerError, Standing, parse, sound
from autograder.grading.marks import written_answers
from autograder.grading.standing import CHECK
from autograder.grading.store import (
    ReleaseLike,
    copy_path,
    course_dir,
    of_ledger,
    open_ledger,
    write_atomic,
)
from autograder.intake.rebuild import source_of
from autograder.release.gradebook import sources
from autograder.release.read import graded_cells, read_json
from course_utils.errors import CourseError

ANEW = "delete gradebook.db and give python -m autograder ledger rebuild"
REBUILD = "python -m autograder ledger rebuild writes it from the ledger again"


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
        What was done, in a sentence that also stands in the ledger; "" if nothing was wrong.

    Raises:
        LedgerError: an erasure was begun, or both are damaged, or contradict each other or the gradebook's note.
    """
    try:
        open_ledger(release).verify()
        return ""
    except ErasureBegun:  # nothing is damaged
        raise
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
    shorter, good = sorted((sound(found) for found in both), key=len)
    agrees = good[: len(shorter)] == shorter
    holds = end is None or end[0] == 0 or (len(good) >= end[0] and parse(good[end[0] - 1], "").hash == end[1])
    if not agrees or not holds or len(good) < max(map(len, both)):
        raise LedgerError(f"{why}; the copy in {copy} does not help, so restore both files from a backup")
    return good


def _free(path: Path) -> Path:
    """A name beside the file that nothing has yet."""
    names = (path.with_name(f"{path.name}.damaged-{n}") for n in range(1, 10_000))
    return next(name for name in names if not name.exists())


def note_in_gradebook(release: ReleaseLike) -> None:
    """Note the ledger's end in the gradebook; a gradebook that is busy is noted in the next time."""
    count, end = open_ledger(release).verify()
    note_end(course_dir(release) / "gradebook.db", count, end)


def changed_checks(release: ReleaseLike) -> list[str]:
    """A sentence for every check whose text or points in the gradebook are not those of the release's source notebook."""
    found, course = [], course_dir(release)
    for name in sources(course):
        texts, points = graded_cells(course, name)
        for cell in read_json(course / "source" / name / f"{name}.ipynb")["cells"]:
            about = cell["metadata"].get("nbgrader", {})
            key = about.get("grade_id", "")
            if not about.get("grade"):
                continue
            if points.get(key) != float(about["points"]):
                words = f"worth {_value(points.get(key))} points in gradebook.db, {about['points']:g} in the release"
                found.append(f"{name}, {exercise_of(key)}: {words}; {ANEW}")
            if key.startswith(CHECK) and texts.get(key, "") != source_of(cell):
                found.append(f"{name}, {exercise_of(key)}: the text of the check was changed in gradebook.db; {ANEW}")
    return found


def changed_marks(release: ReleaseLike) -> list[str]:
    """A sentence for everything in the gradebook that is not as the ledger has it: who, which exercise, both values.

    Raises:
        CourseError: another program holds the gradebook.
    """
    gradebook, found = course_dir(release) / "gradebook.db", []
    book, standings = read_book(gradebook), open_ledger(release).standings()
    for key in sorted(book.cells.keys() | {key for key, one in standings.items() if one.recorded}):
        who, standing = f"{key[1]}, {key[0]}", standings.get(key, Standing())
        if not standing.verdict:
            found.append(
                f"{who}: has grades in {gradebook}, and none in the ledger; grade the submission, or remove it"
            )
        elif key not in book.cells:
            found.append(
                f"{who}: is graded in the ledger, and not in {gradebook}; give python -m autograder ledger rebuild"
            )
        else:
            found += [f"{who}, {sentence}" for sentence in _marks(release, key, standing, book)]
    return found


def _marks(release: ReleaseLike, key: tuple[str, str], standing: Standing, book: Book) -> Iterator[str]:
    """The differences of one submission. Points given by hand may be honest marks that no command has taken in yet, or the
    ledger's that did not reach the gradebook."""
    cells = book.cells[key]
    fresh = changes(standing, cells, book.entered.get(key))
    for name, cell in cells.items():
        if cell.wrong:
            yield f"{exercise_of(name)}: {cell.wrong}"
    for name, what, mine, theirs in differences(standing, cells, _written_scores(release, key, standing)):
        words = f"{exercise_of(name)}: {what}: {_value(mine)} in gradebook.db, {_value(theirs)} in the ledger"
        hand = what in HANDS and name in fresh
        yield f"{words}; {'if it was marked in the formgrader: python -m autograder marks' if hand else REBUILD}"


def _value(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, int | float) else repr(value)


def _written_scores(release: ReleaseLike, key: tuple[str, str], standing: Standing) -> dict[str, float | None]:
    """Automatic scores of written answers: 0 for one that was left as it was, none for one that a person has to mark."""
    with suppress(CourseError):  # a changed result is told by :func:`changed_results`
        stored = of_ledger(release, *key, standing)
        blank = written_answers(release.skeleton(key[0]))
        given = written_answers(stored.intake.notebook)
        return {name: 0.0 if given[name] == blank.get(name) else None for name in given}
    return {}


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
