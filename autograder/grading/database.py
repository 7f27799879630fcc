"""The gradebook's file: a kept copy for the day it is damaged, and what in it is not as the ledger says."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

from autograder.grading.copies import PATIENCE
from autograder.grading.ledger import Standing

SCORES = """
SELECT submitted_assignment.student_id, base_cell.name, grade.auto_score, grade.manual_score
FROM grade
JOIN base_cell ON grade.cell_id = base_cell.id
JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id
JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id
JOIN assignment ON submitted_assignment.assignment_id = assignment.id
WHERE assignment.name = ?
"""


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


def keep(gradebook: Path) -> None:
    """Copy a sound gradebook aside. Where that is impossible (no room, held by another program) the older copy stays."""
    aside = gradebook.with_name(f".{gradebook.name}.copying")
    with suppress(OSError, sqlite3.Error):
        aside.unlink(missing_ok=True)
        if not gradebook.exists() or damaged(gradebook):
            return
        with closing(sqlite3.connect(gradebook, timeout=PATIENCE)) as book, closing(sqlite3.connect(aside)) as copy:
            book.backup(copy)
        aside.replace(kept_path(gradebook))


def put_back(gradebook: Path) -> str:
    """Replace a damaged gradebook by the kept copy; says so, or "" where nothing was amiss or no copy is there."""
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
        f"{gradebook} was damaged and is replaced by the copy of the last run; marks given in the formgrader since then "
        "must be given again, and other assignments written again with: python -m autograder ledger rebuild"
    )


def differing(gradebook: Path, assignment: str, standings: Mapping[tuple[str, str], Standing]) -> set[str]:
    """Students who are in the gradebook according to the ledger, but with other scores or not at all."""
    try:
        with closing(sqlite3.connect(gradebook, timeout=PATIENCE)) as book:
            rows = book.execute(SCORES, (assignment,)).fetchall()
    except sqlite3.Error:  # held by another program: nothing can be said now
        return set()
    scores = {(student, name): (auto, manual) for student, name, auto, manual in rows}
    return {
        student
        for (name, student), standing in standings.items()
        if name == assignment and standing.verdict and standing.recorded and not _agrees(student, standing, scores)
    }


def _agrees(
    student: str, standing: Standing, scores: Mapping[tuple[str, str], tuple[float | None, float | None]]
) -> bool:
    assert standing.verdict is not None
    for verdict in standing.verdict["result"]["verdicts"]:
        auto, manual = scores.get((student, f"check-{verdict['exercise']}"), (None, None))
        decided = standing.overrides.get(verdict["exercise"])
        if auto != verdict["points"] or (decided and manual != decided["points"]):
            return False
    return True
