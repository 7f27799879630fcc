"""What people wrote into the gradebook with the formgrader: read, compared with the ledger, and taken into it.

Beside the marks the gradebook keeps, for each submission, what was last brought into agreement with the ledger. So three
states are known of every cell: that one, the ledger's and the gradebook's. A person wrote something where the gradebook
is neither of the other two. An older copy of the gradebook is as it was in agreement, so the ledger's marks win.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from autograder.grading.copies import PATIENCE, remedy
from autograder.grading.ledger import Entry, Ledger
from autograder.grading.standing import CHECK, NOTHING, Hand, Standing
from autograder.grading.store import ReleaseLike, course_dir, open_ledger
from autograder.records import in_points
from course_utils.errors import CourseError

TABLE = "autograder_entered"
CREATE = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (assignment TEXT, student TEXT, hands TEXT, PRIMARY KEY (assignment, student))"
)
ENTER = f"INSERT OR REPLACE INTO {TABLE} VALUES (?, ?, ?)"
_OF = """
JOIN base_cell ON {0}.cell_id = base_cell.id
JOIN submitted_notebook ON {0}.notebook_id = submitted_notebook.id
JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id
JOIN assignment ON submitted_assignment.assignment_id = assignment.id
"""
GRADES = f"""
SELECT assignment.name, submitted_assignment.student_id, base_cell.name,
       grade.auto_score, grade.manual_score, grade.extra_credit, grade.needs_manual_grade, grade_cells.max_score, grade.id
FROM grade {_OF.format("grade")} JOIN grade_cells ON grade_cells.id = base_cell.id
"""
COMMENTS = f"""
SELECT assignment.name, submitted_assignment.student_id, base_cell.name, comment.manual_comment, comment.id
FROM comment {_OF.format("comment")}
"""
Key = tuple[str, str]


@dataclass(frozen=True)
class Cell:
    """One cell of a submission in the gradebook: ``hand`` is what people wrote, ``auto`` what nbgrader did."""

    hand: Hand = NOTHING
    auto: float | None = None
    most: float = 0.0
    waiting: bool = False
    grade: str = ""  # nbgrader's keys
    note: str = ""

    @property
    def wrong(self) -> str:
        """Why no person can have given these points in the formgrader, or an empty string."""
        for value, least, most in ((self.hand.points, 0.0, self.most), (self.hand.extra, -math.inf, math.inf)):
            if value is not None and (not math.isfinite(value) or not least <= value <= most):
                return f"{in_points(value)} stand in gradebook.db where 0 to {self.most:g} are possible"
        return ""


@dataclass
class Book:
    """Submissions of a gradebook: their cells, and the marks that were last in agreement with the ledger."""

    cells: dict[Key, dict[str, Cell]]
    entered: dict[Key, dict[str, Hand]]


def read_book(gradebook: Path, student: str = "") -> Book:
    """All marks of a gradebook, or those of one student; an empty book where there is no file.

    Raises:
        CourseError: another program holds it, or it is damaged.
    """
    if not gradebook.exists():
        return Book({}, {})
    try:
        with closing(sqlite3.connect(f"file:{gradebook}?mode=ro", uri=True, timeout=PATIENCE)) as base:
            return _read(base, student)
    except sqlite3.Error as error:
        raise CourseError(f"{gradebook}: cannot be read now ({error}); {remedy(error)}") from error


def _read(base: sqlite3.Connection, student: str = "") -> Book:
    book = Book({}, _entered(base, student))
    only, values = ("WHERE submitted_assignment.student_id = ?", (student,)) if student else ("", ())
    for *key, name, auto, points, extra, waiting, most, grade in base.execute(GRADES + only, values):
        hand = Hand(points, extra, None, bool(waiting) and points is not None)
        book.cells.setdefault((key[0], key[1]), {})[name] = Cell(hand, auto, most, bool(waiting), grade)
    for *key, name, comment, note in base.execute(COMMENTS + only, values):
        cells = book.cells.setdefault((key[0], key[1]), {})
        old = cells.get(name, Cell())
        cells[name] = replace(old, hand=replace(old.hand, comment=comment or None), note=note)
    return book


def _entered(base: sqlite3.Connection, student: str) -> dict[Key, dict[str, Hand]]:
    if not base.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,)).fetchone():
        return {}
    rows = base.execute(f"SELECT assignment, student, hands FROM {TABLE} WHERE ? IN ('', student)", (student,))
    return {
        (name, student): {cell: Hand(**one) for cell, one in json.loads(hands).items()} for name, student, hands in rows
    }


def _written(hands: Mapping[str, Hand]) -> dict[str, Hand]:
    return {cell: hand for cell, hand in sorted(hands.items()) if hand != NOTHING}


def _values(key: Key, hands: Mapping[str, Hand]) -> tuple[str, str, str]:
    return (*key, json.dumps({cell: asdict(hand) for cell, hand in _written(hands).items()}))


def by_person(cell: Cell, entered: Hand | None, ledger: Hand) -> Hand | None:
    """What a person wrote into a cell since it last was in agreement with the ledger; None for nothing.

    Args:
        entered: as it was then; None where nothing is known of that (a gradebook of version 0.1).
        ledger: as the ledger has it now.
    """
    hand = cell.hand
    if entered is not None and hand.review:
        # nbgrader asks for another look whenever it grades again; no person does
        hand = replace(hand, review=ledger.review and hand.points == ledger.points)
    return None if hand in (ledger, entered or NOTHING) else hand


def changes(standing: Standing, cells: Mapping[str, Cell], entered: Mapping[str, Hand] | None) -> dict[str, Hand]:
    """Cells in which a person wrote something that the ledger does not have."""
    now, found = standing.by_hand(), {}
    for name, cell in cells.items():
        before = None if entered is None else entered.get(name, NOTHING)
        hand = by_person(cell, before, now.get(name, NOTHING))
        if hand is not None:
            found[name] = hand
    return found


@dataclass
class Taken:
    """What :func:`collect` did: the new entries, and a sentence for each mark that could not be taken in."""

    entries: list[Entry]
    problems: list[str]


def collect(release: ReleaseLike, by: str, student: str = "") -> Taken:
    """Take into the ledger what people wrote into the gradebook; the caller holds the release's lock.

    Args:
        by: who is named as the person; nbgrader does not note who marks.
        student: only this one.

    Raises:
        CourseError: the gradebook cannot be read or the ledger not be written.
    """
    gradebook = course_dir(release) / "gradebook.db"
    book, taken, agreed = read_book(gradebook, student), Taken([], []), {}
    if not book.cells:
        return taken
    ledger = open_ledger(release)
    standings = ledger.standings()
    for key in sorted(book.cells.keys() & standings.keys()):
        if standings[key].verdict:
            cells, before = book.cells[key], book.entered.get(key)
            found = changes(standings[key], cells, before)
            _take(ledger, key, found, cells, taken, by)
            now = {**standings[key].by_hand(), **found}
            same = {name: cell.hand for name, cell in cells.items() if cell.hand == now.get(name, NOTHING)}
            after = {**(before or {}), **found, **same}
            if before is None or _written(after) != _written(before):
                agreed[key] = after
    _agree(gradebook, agreed)
    return taken


def _take(ledger: Ledger, key: Key, found: dict[str, Hand], cells: Mapping[str, Cell], taken: Taken, by: str) -> None:
    """Write one entry per changed cell; what nobody can have written with the formgrader is taken out of ``found``."""
    assignment, student = key
    for name in sorted(found):
        wrong = cells[name].wrong
        if wrong:
            taken.problems.append(f"{student}, {exercise_of(name)}: {wrong}; mark it again in the formgrader")
            del found[name]
        else:
            data: dict[str, Any] = {"assignment": assignment, "student": student, "cell": name, "by": by}
            taken.entries.append(ledger.append("mark", **data, **asdict(found[name])))


def _agree(gradebook: Path, agreed: Mapping[Key, Mapping[str, Hand]]) -> None:
    """Note in the gradebook what agrees with the ledger now; a busy one is asked again by the next collection."""
    if not agreed:
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(gradebook, timeout=PATIENCE)) as base, base:
        base.execute(CREATE)
        base.executemany(ENTER, [_values(key, hands) for key, hands in agreed.items()])


def write_hands(gradebook: Path, key: Key, hands: Mapping[str, Hand]) -> None:
    """Make one submission of the gradebook agree with the ledger. What a person wrote a moment ago stays, and is taken in
    by the next collection.

    Raises:
        CourseError: another program holds the gradebook.
    """
    try:
        with closing(sqlite3.connect(gradebook, timeout=PATIENCE, isolation_level=None)) as base:
            base.execute("BEGIN IMMEDIATE")  # nobody writes between what is read here and what is written
            base.execute(CREATE)
            book = _read(base, key[1])
            before = book.entered.get(key)
            entered = dict(before or {})
            for name, cell in book.cells.get(key, {}).items():
                hand = hands.get(name, NOTHING)
                if cell.wrong or by_person(cell, None if before is None else before.get(name, NOTHING), hand) is None:
                    entered[name] = hand
                    _write(base, cell, hand)
            base.execute(ENTER, _values(key, entered))
            base.execute("COMMIT")
    except sqlite3.Error as error:
        raise CourseError(f"{gradebook}: cannot be written now ({error}); {remedy(error)}") from error


def _write(base: sqlite3.Connection, cell: Cell, hand: Hand) -> None:
    waiting = cell.auto is None if hand.points is None else hand.review
    values = (hand.points, hand.extra, waiting, cell.grade)
    base.execute("UPDATE grade SET manual_score = ?, extra_credit = ?, needs_manual_grade = ? WHERE id = ?", values)
    base.execute("UPDATE comment SET manual_comment = ? WHERE id = ?", (hand.comment, cell.note))


def forget(gradebook: Path, assignment: str, student: str) -> None:
    """Drop what was noted of a submission that is taken out."""
    with closing(sqlite3.connect(gradebook, timeout=PATIENCE)) as base, base:
        base.execute(CREATE)
        base.execute(f"DELETE FROM {TABLE} WHERE assignment = ? AND student = ?", (assignment, student))


def exercise_of(cell: str) -> str:
    """The exercise that a cell belongs to, for people."""
    return cell.removeprefix(CHECK).removeprefix("written-").removeprefix("answer-")


def format_report(entries: Iterable[Entry]) -> list[str]:
    """A line for each mark that was taken in."""
    lines = []
    for entry in entries:
        hand, where = Hand(**{k: entry.data[k] for k in ("points", "extra", "comment", "review")}), entry.data
        parts = [in_points(hand.points) if hand.points is not None else "no points by hand"]
        parts += [f"{hand.extra:g} extra"] if hand.extra is not None else []
        parts += ["a comment"] if hand.comment else []
        parts += ["to be looked at again"] if hand.review else []
        lines.append(f"{where['student']}, {exercise_of(where['cell'])} of {where['assignment']}: {', '.join(parts)}")
    return lines
