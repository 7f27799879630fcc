"""The gradebook's file: a kept copy for the day it is damaged, and what in it is not as the ledger says."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import MappingProxyType

from autograder.grading.byhand import Cell, read_book
from autograder.grading.copies import PATIENCE
from autograder.grading.standing import CHECK, NOTHING, Standing
from course_utils.errors import CourseError

WORDS = {"points": "points by hand", "extra": "extra points", "comment": "the comment"}
HANDS = frozenset(WORDS.values())


def kept_path(gradebook: Path) -> Path:
    """Where the copy of a gradebook lies."""
    return gradebook.with_name(f"{gradebook.name}.kept")


def damaged(gradebook: Path) -> bool:
    """Whether the file is no sound database; one that another program holds counts as sound."""
    try:
        with closing(sqlite3.connect(gradebook, timeout=PATIENCE)) as book:
            return book.execute("PRAGMA quick_check").fetchone() != ("ok",)
    except sqlite3.OperationalError as error:
        return not any(word in str(error) for word in ("locked", "busy", "disk", "unable to open"))
    except sqlite3.DatabaseError:
        return True


def copy_book(gradebook: Path, target: Path) -> None:
    """Copy a gradebook to a new file, while no program writes to it.

    Raises:
        sqlite3.Error: another program holds it for longer than ``PATIENCE``, or it is damaged. ``Connection.backup`` alone
            would wait for ever.
    """
    with closing(sqlite3.connect(gradebook, timeout=PATIENCE)) as book, closing(sqlite3.connect(target)) as copy:
        book.execute("BEGIN")
        book.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on nobody else can lock it
        book.backup(copy)


def keep(gradebook: Path) -> None:
    """Copy a sound gradebook aside. Where that is impossible (no room, held by another program) the older copy stays."""
    aside = gradebook.with_name(f".{gradebook.name}.copying")
    with suppress(OSError, sqlite3.Error):
        aside.unlink(missing_ok=True)
        if not gradebook.exists() or damaged(gradebook):
            return
        copy_book(gradebook, aside)
        aside.replace(kept_path(gradebook))


def put_back(gradebook: Path) -> str:
    """Replace a damaged gradebook by the kept copy; says so, or "" where nothing was wrong or there is no copy."""
    kept = kept_path(gradebook)
    if not kept.exists() or (gradebook.exists() and not damaged(gradebook)):
        return ""
    aside = gradebook.with_name(f".{gradebook.name}.copying")
    shutil.copyfile(kept, aside)
    if gradebook.exists():
        shutil.copyfile(gradebook, gradebook.with_name(f"{gradebook.name}.damaged"))
    for left in ("-journal", "-wal", "-shm"):  # before the exchange: they belong to the damaged file
        gradebook.with_name(gradebook.name + left).unlink(missing_ok=True)
    aside.replace(gradebook)
    return (
        f"{gradebook} was damaged and is replaced by the copy of the last run; what was marked in the formgrader since the "
        "last command must be marked again, and the gradebook written again with: python -m autograder ledger rebuild"
    )


def differing(gradebook: Path, assignment: str, standings: Mapping[tuple[str, str], Standing]) -> set[str]:
    """Students who are in the gradebook according to the ledger, but with other scores or not at all."""
    try:
        book = read_book(gradebook)
    except CourseError:  # held by another program: nothing can be said now
        return set()
    return {
        student
        for (name, student), standing in standings.items()
        if name == assignment
        and standing.recorded
        and any(True for _ in differences(standing, book.cells.get((name, student), {})))
    }


def differences(
    standing: Standing, cells: Mapping[str, Cell], autos: Mapping[str, float | None] = MappingProxyType({})
) -> Iterator[tuple[str, str, object, object]]:
    """What the gradebook says otherwise than the ledger: cell, what it is, the gradebook's value, the ledger's.

    Args:
        cells: of one submission in the gradebook.
        autos: automatic scores of written answers, where they are known.
    """
    verdicts = standing.verdict["result"]["verdicts"] if standing.verdict else []
    scores: dict[str, float | None] = {**autos, **{f"{CHECK}{v['exercise']}": v["points"] for v in verdicts}}
    hands = standing.by_hand()
    for name, score in scores.items():
        if name not in cells or cells[name].auto != score:
            yield name, "points of the check", cells[name].auto if name in cells else None, score
    for name in sorted(cells.keys() | hands.keys()):
        cell, hand = cells.get(name, Cell()), hands.get(name, NOTHING)
        for what in ("points", "extra", "comment"):
            mine, theirs = getattr(cell.hand, what), getattr(hand, what)
            if mine != theirs:
                yield name, WORDS[what], mine, theirs
        waiting = cell.auto is None if hand.points is None else hand.review
        if cell.grade and cell.hand.points == hand.points and cell.waiting != waiting:
            yield name, "answers to be marked", int(cell.waiting), int(waiting)
