"""A whole term: every student's points in every assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from autograder.grading.store import ReleaseLike
from autograder.reports.exports import cell, csv_text
from autograder.reports.feedback import number
from autograder.reports.roll import STATES, Roll, StudentRow, read_roll
from autograder.reports.term import Term, read_term, told_time, utc


@dataclass(frozen=True)
class TermTable:
    """All assignments of a term.

    Attributes:
        rolls: the class in each assignment that was collected, in the order of the release.
        ahead: assignments of which nothing was handed in yet.
    """

    term: Term
    rolls: Mapping[str, Roll]
    ahead: Sequence[str]

    def notes(self) -> list[str]:
        """What is to know and keeps nothing open: points that do not count, since their owners are excused, and unknown times."""
        found = []
        for name, roll in self.rolls.items():
            if whose := [f"{one.student} ({number(one.final)})" for one in roll.students if one.excused and one.graded]:
                found.append(f"{name}: excused, so that the points of their hand-in do not count: {', '.join(whose)}")
            found += [f"{name}: {words}" for words in roll.remarks()]
        return found

    @property
    def students(self) -> list[str]:
        """Ids of everybody."""
        return sorted({one.student for roll in self.rolls.values() for one in roll.students})

    def problems(self) -> list[str]:
        """What is open, a sentence each."""
        now, due = datetime.now(UTC), {name: self.term.deadline(name) for name in self.ahead}
        never = [name for name, day in due.items() if day is not None and utc(day) < now]
        found = [f"{name}: {words}" for name, roll in self.rolls.items() for words in roll.problems()]
        return found + [f"{name}: nothing was collected, and the due date is past" for name in never]


def read_table(release: ReleaseLike, assignments: Sequence[str]) -> TermTable:
    """The table of a release. Raises CourseError as :func:`autograder.reports.roll.read_roll`."""
    rolls = {name: read_roll(release, name) for name in assignments}
    ahead = [name for name, roll in rolls.items() if not roll.unplaced and not any(map(_came, roll.students))]
    return TermTable(read_term(release), {key: roll for key, roll in rolls.items() if key not in ahead}, ahead)


def _came(one: StudentRow) -> bool:
    return one.graded or bool(one.reason)


def table_csv(table: TermTable) -> str:
    """One line per student: points that count, or the state where there are none, and how many are excused."""
    most = {name: max((one.max_points for one in roll.students), default=0.0) for name, roll in table.rolls.items()}
    rows = [["student", "name", "section", *table.rolls, "points", "of"]]
    for student in table.students:
        found = {name: one for name, roll in table.rolls.items() for one in roll.students if one.student == student}
        person = next(iter(found.values()))
        points = [_points(found[name]) if name in found else "" for name in table.rolls]
        total = sum(one.final for one in found.values() if not one.excused)
        of = sum(most[name] for name in table.rolls if not (name in found and found[name].excused))
        who = [student, person.name or student, person.given.get("section", "")]
        rows.append([*map(cell, who), *points, number(total), number(of)])
    return csv_text(rows)


def _points(one: StudentRow) -> str:
    if one.state == "unmarked":
        return f"{number(one.final)} ({one.waiting} to be marked)"
    return number(one.final) if one.state == "graded" else STATES[one.state]


def status_rows(table: TermTable, now: datetime | None = None) -> list[dict[str, Any]]:
    """Per assignment: when it is due, whether that is past, and how many students are in which state."""
    now = now or datetime.now(UTC)
    rows = []
    for name in [*table.rolls, *table.ahead]:
        due = table.term.deadline(name)
        roll = table.rolls.get(name)
        counts = {state: len(roll.of(state)) for state in STATES} if roll else {}
        late = sum(bool(one.late) for one in roll.students) if roll else 0
        past = due is not None and due < now
        rows.append({"assignment": name, "due": due.isoformat() if due else "", "past": past, "late": late, **counts})
    return rows


def status_text(table: TermTable) -> str:
    """The same for people."""
    lines = []
    for row in status_rows(table):
        day = table.term.deadline(row["assignment"])
        due = f"due {told_time(day, table.term.zone)}" if day else "no due date"
        if row["assignment"] in table.ahead:
            state = "nothing collected yet, and the due date is past" if row["past"] else "nothing collected yet"
        else:
            state = ", ".join(f"{row[key]} {words}" for key, words in STATES.items() if row[key])
            state += f", {row['late']} late" if row["late"] else ""
        lines.append(f"{row['assignment']}: {due}; {state}")
    return "\n".join(lines)
