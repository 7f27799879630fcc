"""Everybody of a class in one assignment, from the class list and the ledger: who was graded last does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from autograder.grading.ledger import Standing
from autograder.grading.marks import by_people, marks_of
from autograder.grading.store import ROSTER, ReleaseLike, course_dir, of_ledger, open_ledger, write_atomic
from autograder.grading.unplaced import removal, unplaced
from autograder.intake.roster import Roster, read_roster
from autograder.intake.tables import decoded
from autograder.reports.feedback import Row, rows_of, totals
from autograder.reports.history import History, histories
from autograder.reports.lateness import GIVE, LATE_UNKNOWN, UNTIMED, Lateness, lateness, remarks
from autograder.reports.renamed import merge_words, other_values, renamed
from autograder.reports.term import Term, excused, read_term, require_entries, require_known, utc, zone_of
from course_utils.engine.files import free_name
from course_utils.errors import CourseError

# What a student's place in the class is, in the order in which a reader has to look at it.
STATES = {
    "refused": "refused",
    "missing": "nothing handed in",
    "unmarked": "answers to be marked",
    "graded": "graded",
    "excused": "excused",
}

PERSONAL = ("name", "section", "sid", "email")  # columns that one person has one of, whatever the id


@dataclass
class StudentRow:
    """One student as report and exports need them.

    Attributes:
        points: before anything is taken off for lateness.
        received: when the platform or a person says that the hand-in came, or an empty string.
        share: the share of the points that counts, from 0 to 1.
        late: how late the hand-in is, in words, or an empty string.
        attempts: number of different hand-ins.
        arrival: how late the hand-in is, and how well that is known.
        told: why the hand-in was not graded, as far as the student may know; ``reason`` is the instructor's.
        given: what the class list says, by column.
        extensions: what it says of longer times, one for each of the student's ids on it.
        due: when the student has to hand in, or None.
    """

    student: str
    rows: list[Row] = field(default_factory=list)
    points: float = 0.0
    max_points: float = 0.0
    waiting: int = 0
    notes: list[str] = field(default_factory=list)
    reason: str = ""
    name: str = ""
    lms_id: str = ""
    received: str = ""
    platform: str = ""
    sid: str = ""
    email: str = ""
    share: float = 1.0
    late: str = ""
    attempts: int = 0
    excused: bool = False
    told: str = ""
    arrival: Lateness = field(default_factory=Lateness)
    given: Mapping[str, str] = field(default_factory=dict)
    extensions: Sequence[str] = ()
    due: datetime | None = None

    @property
    def graded(self) -> bool:
        """Whether there are verdicts."""
        return bool(self.rows)

    @property
    def state(self) -> str:
        """One of :data:`STATES`."""
        if self.excused:
            return "excused"
        if not self.graded:
            return "refused" if self.reason else "missing"
        return "unmarked" if self.waiting else "graded"

    @property
    def final(self) -> float:
        """Points that count."""
        return self.points * self.share

    def number(self, platform: str) -> str:
        """The student's number on a platform; another platform's number would be another student's there."""
        return self.given.get(f"{platform}_id", "") or (self.lms_id if self.platform in ("", platform) else "")


@dataclass(frozen=True)
class Unplaced:
    """An entry of an export that is nobody's; ``source`` is the folder or zip that it lay in."""

    item: str
    reason: str
    source: str = ""


@dataclass(frozen=True)
class Roll:
    """A class in one assignment.

    Attributes:
        students: by id, those of the class list and those of the ledger.
        unplaced: entries of exports that are nobody's and were not resolved since.
        listed: whether there is a class list; without one nobody can be missed.
    """

    students: list[StudentRow]
    unplaced: list[Unplaced]
    listed: bool

    def of(self, *states: str) -> list[StudentRow]:
        """The students in one of these states."""
        return [one for one in self.students if one.state in states]

    def problems(self, *, zeros: bool = False) -> list[str]:
        """What keeps the grades from being whole, a sentence each; with ``zeros`` it is no problem to hand in nothing."""
        found = []
        for state in ("refused", "unmarked") if zeros else ("missing", "refused", "unmarked"):
            people = self.of(state)
            if people:
                found.append(f"{STATES[state]}: {', '.join(one.student for one in people)}")
        vague = [one.student for one in self.students if one.late and one.share == 1 and LATE_UNKNOWN in one.late]
        if vague:
            found.append(f"late, {LATE_UNKNOWN}, nothing taken off: {', '.join(vague)}")
        untimed = [one.student for one in self.students if one.arrival.untimed]
        if untimed:
            found.append(f"{UNTIMED}: {', '.join(untimed)}; {GIVE}")
        found += [f"not understood: {one.item} {one.reason}" for one in self.unplaced]
        for source in sorted({one.source for one in self.unplaced if one.source}):
            found.append(removal(source))
        return found

    def arrivals(self) -> dict[str, Lateness]:
        """How late the hand-ins of those are who are not excused."""
        return {one.student: one.arrival for one in self.students if one.graded and not one.excused}

    def remarks(self) -> list[str]:
        """What to know besides, a sentence each: whose time is not known."""
        return remarks(self.arrivals())


def roster_path(release: ReleaseLike) -> Path:
    """Where the term's class list is kept."""
    return course_dir(release) / ROSTER


def term_roster(release: ReleaseLike, assignment: str = "") -> Roster | None:
    """The term's class list, as it holds for an assignment, or None. Raises CourseError if it cannot be read."""
    path = roster_path(release)
    found = require_entries(read_roster(path), zone_of(release)) if path.is_file() else None
    return found.of(assignment) if found and assignment else found


def term_list(
    release: ReleaseLike, path: Path | None, told: list[str] | None = None, zone: tzinfo | None = None
) -> Path | None:
    """The file of the class list that holds: the given one, which becomes the term's, else the term's, if there is one.

    A list that it takes the place of stays beside it as ``roster.csv.before-N``.

    Args:
        told: gets a sentence for what the new list no longer says.
        zone: the term's, where its dates are not written yet.

    Raises:
        CourseError: it cannot be read or kept, it has an error, such as an extension for an assignment that there is not, or
            nobody of the term's list is on it.
    """
    kept = roster_path(release)
    if path is None:
        if zone and kept.is_file():
            require_entries(read_roster(kept), zone)
        return kept if kept.is_file() else None
    if path.resolve() != kept.resolve():
        new = require_known(release, require_entries(read_roster(path), zone or zone_of(release)))
        if kept.is_file():
            _set_aside(release, new, [] if told is None else told)
        write_atomic(kept, decoded(path)[0])
    return path


def _set_aside(release: ReleaseLike, new: Roster, told: list[str]) -> None:
    """Keep the term's list where another one takes its place; say who is gone or renamed, and whose dates are others."""
    kept = roster_path(release)
    try:
        old = read_roster(kept)
    except CourseError:  # it was damaged; it is kept as it is
        old = Roster(kept, {})
    if old.names and not set(old.names) & set(new.names):
        raise CourseError(
            f"{new.path}: nobody of this term's class list is on it; if that is right, move {kept} away first"
        )
    aside = free_name(kept)
    gone = sorted(set(old.names) - set(new.names))
    moved = [one for one in old.names if one not in gone and _dates(old, one) != _dates(new, one)]
    others = other_values(old, new)
    if gone or moved or others:
        write_atomic(aside, kept.read_bytes())
    what = ((gone, "no longer on the class list"), (moved, "extension or excuse is another one on the new class list"))
    told += [f"{words}: {', '.join(who)}; the earlier list is {aside}" for who, words in what if who]
    told += [f"{words}; the earlier list is {aside}" for words in others]
    if gone:
        graded = {who for _, who in open_ledger(release).people().table}
        told += merge_words(renamed(old, new, graded), release.root)


def _dates(roster: Roster, who: str) -> tuple[str, str]:
    return roster.value(who, "extension"), roster.value(who, "excused")


def read_roll(release: ReleaseLike, assignment: str, roster: Roster | None = None) -> Roll:
    """Everybody of the class, with points, lateness and what is amiss.

    Args:
        roster: the class list; the term's by default.

    Raises:
        CourseError: ledger, result, class list or dates cannot be read, or hold what they should not.
    """
    ledger, listed, term = open_ledger(release), roster or term_roster(release), read_term(release)
    known = listed.of(assignment) if listed else None
    everybody = ledger.people()
    people = histories(everybody.history, assignment)
    nobodys = [
        Unplaced(item, reason, source) for (source, item), reason in sorted(unplaced(ledger, assignment).items())
    ]
    standings = {student: one for (name, student), one in everybody.table.items() if name == assignment}
    names = sorted({*people, *standings, *(everybody.identities.of(one) for one in (known.names if known else ()))})
    table = []
    for student in names:
        history, standing = people.get(student, History()), standings.get(student, Standing())
        row = _row(release, assignment, student, standing, history)
        row.attempts = len(history.hands)
        came = history.came((standing.verdict or {}).get("sha256", ""))
        # when we first saw it says nothing about the student
        row.received = came["received"] if came.get("timed") else ""
        table.append(_judged(_listed(row, known, everybody.identities.same(student)), came, term, assignment))
    return Roll(table, nobodys, known is not None)


def collect(release: ReleaseLike, assignment: str) -> list[StudentRow]:
    """The students of :func:`read_roll`."""
    return read_roll(release, assignment).students


def _row(release: ReleaseLike, assignment: str, student: str, standing: Standing, history: History) -> StudentRow:
    if not standing.verdict:
        return StudentRow(student, reason=history.refused, told=history.told)
    stored = of_ledger(release, assignment, student, standing)
    rows = rows_of(stored.result, stored.intake.notebook, marks_of(standing, stored, release.skeleton(assignment)))
    notes = list(dict.fromkeys([*by_people(standing), *stored.intake.notes, *stored.result.notes]))
    if not standing.recorded:
        notes.insert(0, "the newest verdict is not in the gradebook yet; run grade again")
    if history.refused:
        notes.insert(0, f"a later hand-in was not graded: {history.refused}")
    who = stored.intake
    person = (who.name, who.lms_id, who.received, who.platform, who.sid, who.email)
    return StudentRow(student, rows, *totals(rows), notes, history.refused, *person)


def _listed(row: StudentRow, roster: Roster | None, ids: Iterable[str]) -> StudentRow:
    """The row with what the class list says of the student, which counts more than what a hand-in said.

    Args:
        ids: all ids that are this person. Numbers are those of the one that counts, if it is listed; what it lacks beside
            them the others' lines give. Of excuses and extensions all count.
    """
    if roster is None:
        return row
    lines = [roster.rows[one] for one in dict.fromkeys((row.student, *ids)) if one in roster.names]
    if not lines:
        row.notes.insert(0, f"not on the class list {roster.path.name}")
        return row
    found = {key: next(filter(None, (line.get(key) for line in lines)), "") for key in PERSONAL}
    row.given = {**lines[0], **found, "excused": ";".join(line.get("excused", "") for line in lines)}
    row.extensions = [line.get("extension", "") for line in lines]
    row.name, row.sid, row.email = found["name"] or row.name, found["sid"] or row.sid, found["email"] or row.email
    return row


def _judged(row: StudentRow, came: Mapping[str, Any], term: Term, assignment: str) -> StudentRow:
    """The row with excuse, lateness and too many attempts; ``came`` is the ledger's entry of the hand-in."""
    row.excused = excused(row.given.get("excused", ""), assignment)
    row.due = _due(row, term, assignment)
    if term.attempts and row.attempts > term.attempts:
        row.notes.insert(0, f"{row.attempts} hand-ins, {term.attempts} are allowed; the newest counts")
    if not row.graded:
        return row
    row.arrival = lateness(came, row.due, term)
    row.late, row.share = row.arrival.late, row.arrival.share
    if row.arrival.untimed:
        row.notes.insert(0, UNTIMED)
    if row.late:
        row.notes.insert(0, f"late: {row.arrival}")
    return row


def _due(row: StudentRow, term: Term, assignment: str) -> datetime | None:
    """When the student has to hand in: of several extensions the one that lasts longest counts.

    Raises:
        CourseError: an extension that is none.
    """
    try:
        dues = [term.deadline(assignment, one) for one in row.extensions or [""]]
    except CourseError as error:
        raise CourseError(f"the extension of {row.student} in the class list: {error}") from error
    return None if None in dues else max(filter(None, dues), key=utc)


def arrivals(release: ReleaseLike, assignment: str) -> dict[str, Lateness]:
    """How late everybody's hand-in is that stands, as :meth:`Roll.arrivals`, from the ledger alone: no result is read.

    Raises:
        CourseError: ledger, class list or dates cannot be read.
    """
    ledger, listed, term = open_ledger(release), term_roster(release, assignment), read_term(release)
    everybody = ledger.people()
    people = histories(everybody.history, assignment)
    found = {}
    for (name, student), standing in sorted(everybody.table.items()):
        if name == assignment and standing.verdict:
            row = _listed(StudentRow(student), listed, everybody.identities.same(student))
            came = people.get(student, History()).came(standing.verdict["sha256"])
            if not excused(row.given.get("excused", ""), assignment):
                found[student] = lateness(came, _due(row, term, assignment), term)
    return found
