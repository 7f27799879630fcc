"""Times of hand-ins that the platform's export does not give: read from a CSV, and kept in the ledger with who said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path

from autograder.grading.lock import alone
from autograder.grading.repair import note_in_gradebook
from autograder.grading.store import ReleaseLike, course_dir, open_ledger
from autograder.intake.names import exact, shown
from autograder.intake.roster import Roster
from autograder.intake.tables import read_lines
from autograder.reports.history import histories
from autograder.reports.term import on_clock, utc
from course_utils.errors import CourseError

WHO = ("id", "canvas_id", "moodle_id", "gradescope_id", "sid", "email")
TIME = "time"
UNLISTED = " "  # parts column and value of somebody who is not in the class list


@dataclass
class Timed:
    """What was done with a file of times: ids by what became of them."""

    written: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether every graded student has a time, and every time a graded student."""
        return not (self.unknown or self.without)

    def lines(self, source: str) -> list[str]:
        """What was done, for the screen; ``source`` is the name of the file."""
        lines = [f"{len(self.written)} times entered, {len(self.same)} were known"]
        lines += [f"nothing graded of: {', '.join(self.unknown)}"] if self.unknown else []
        return lines + ([f"graded, and not in {source}: {', '.join(self.without)}"] if self.without else [])


def read_times(path: Path, roster: Roster | None, zone: tzinfo) -> dict[str, str]:
    """Times in UTC, ISO 8601, by student; somebody whom the class list does not have, by column and value.

    Platforms list people who are in no class list: a test student, somebody who left. The times of the others count, and
    :func:`enter_times` names those as unknown.

    Args:
        path: a CSV with a column ``time`` and one of :data:`WHO`; all but ``id`` are looked up in the class list.
        roster: the class list, or None.
        zone: of times that name none.

    Raises:
        CourseError: unreadable, columns are missing, a line that is no time or names nobody or two, one student twice, or
            the class list has none of them.
    """
    found: dict[str, str] = {}
    for line, row in _rows(path):
        named = {_student(row[one], one, roster) for one in WHO if row.get(one)}
        if not named:
            raise CourseError(f"{path}, line {line}: names nobody; give one of {', '.join(WHO)}")
        if len(named) > 1:
            raise CourseError(f"{path}, line {line}: its columns name {' and '.join(sorted(named))}; keep one of them")
        who = named.pop()
        if who in found:
            raise CourseError(f"{path}, line {line}: {who} is there twice; keep the time that counts")
        found[who] = _utc(row[TIME], zone, f"{path}, line {line}")
    if not found:
        raise CourseError(f"{path}: no times in it; a line for each hand-in, under the heading id,time")
    if all(UNLISTED in who for who in found):
        raise CourseError(f"{path}: {next(iter(found))} and all others are not in the class list; give the column id")
    return found


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    lines = read_lines(path, "the file of times")
    heads = lines.heads
    if TIME not in heads or not set(WHO) & set(heads) or len(set(heads)) < len(heads):
        raise CourseError(f"{path}: the first line must name the column time and one of {', '.join(WHO)}, each once")
    return [(line, row) for line, row in lines.rows if row[TIME]]


def _student(value: str, column: str, roster: Roster | None) -> str:
    """The id of the student, or column and value with a blank between them, which no id has."""
    if column == "id":
        return value
    owners = roster.index.get(column, {}).get(exact(value), []) if roster else []
    return owners[0] if len(owners) == 1 else f"{column}{UNLISTED}{shown(value)}"


def _utc(text: str, zone: tzinfo, where: str) -> str:
    try:
        time = datetime.fromisoformat(text)
        if len(text) <= len("2027-04-20"):  # a day alone may be up to 24 hours wrong
            raise ValueError
    except ValueError:
        raise CourseError(
            f"{where}: {shown(text)!r} is no time; write 2027-04-20T23:05, with its zone if it has one"
        ) from None
    try:
        return utc(time if time.tzinfo else on_clock(time, zone)).isoformat(timespec="seconds")
    except CourseError as error:
        raise CourseError(f"{where}: {error}") from error


def enter_times(release: ReleaseLike, assignment: str, times: Mapping[str, str], by: str, source: str) -> Timed:
    """Note in the ledger when the hand-ins came that stand now; a later hand-in has a time of its own.

    Args:
        times: by student, of :func:`read_times`.
        by: who says so.
        source: name of the file.

    Raises:
        CourseError: the ledger cannot be written, or somebody is grading.
    """
    done = Timed()
    with alone(course_dir(release)):
        ledger = open_ledger(release)
        people = ledger.people()
        known = histories(people.history, assignment)
        graded = {who: one.verdict for (name, who), one in people.table.items() if name == assignment and one.verdict}
        named = {people.identities.of(who): time for who, time in times.items()}
        done.unknown = sorted(named.keys() - graded.keys())
        for who, verdict in sorted(graded.items()):
            sha = verdict["sha256"]
            if who not in named:
                done.without.append(who)
            elif who in known and known[who].times.get(sha) == named[who]:
                done.same.append(who)
            else:
                about = {"student": who, "assignment": assignment, "sha256": sha, "time": named[who]}
                ledger.append("timed", **about, source=source, by=by)
                done.written.append(who)
        if done.written:
            note_in_gradebook(release)
    return done
