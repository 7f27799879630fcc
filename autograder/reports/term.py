"""A term's dates: when each assignment is due, what a late hand-in loses, who has longer, who is excused.

``instructor/term.toml`` is written by ``autograder term new`` and edited by hand. Without it nobody is late.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from autograder.grading.store import ReleaseLike, assignments_of, course_dir, write_atomic
from autograder.intake.roster import Roster, entry_for, parts_of
from course_utils.errors import CourseError

FILE = "term.toml"
KEYS = {"zone", "closed", "late", "due"}
LATE_KEYS = {"grace_minutes", "keep", "attempts"}
MOST_HOURS = 1_000_000  # more than a century
_SPAN = re.compile(r"\+(?P<days>\d{1,3})d|\+(?P<hours>\d{1,4})h")
TEXT = """\
# Dates of the term "{name}". autograder reads this file for reports and exports.
zone = "{zone}"              # of every time below that names none
closed = ""                # autograder term close writes the day here; nothing is graded afterwards

[late]
grace_minutes = 15         # after the due time, without loss
keep = [[24, 0.9], [72, 0.5]]  # up to 24 hours late 90 % of the points count, up to 72 hours 50 %, then none; [] keeps all
attempts = 0               # more hand-ins than this are named; 0 is no limit

[due]                      # e.g. 2027-04-20T23:59:00; without a date nobody is late
{due}
"""


@dataclass(frozen=True)
class Term:
    """The dates of a term.

    Attributes:
        zone: of times that name none.
        due: by assignment, with a zone.
        grace: after the due time, without loss.
        keep: upper bound in hours and the share of points that is kept, in rising order; nothing beyond the last bound.
            Empty: everything is kept.
        attempts: number of hand-ins that are allowed; 0 is any number.
        closed: when the term was closed, or an empty string.
    """

    zone: tzinfo = UTC
    due: Mapping[str, datetime] = field(default_factory=dict)
    grace: timedelta = timedelta()
    keep: Sequence[tuple[float, float]] = ()
    attempts: int = 0
    closed: str = ""

    def share(self, late: timedelta) -> float:
        """The share of points that is kept, from 0 to 1, by somebody who is ``late`` beyond the grace."""
        if late <= timedelta() or not self.keep:
            return 1.0
        return next((share for hours, share in self.keep if late <= timedelta(hours=hours)), 0.0)

    def deadline(self, assignment: str, extension: str = "") -> datetime | None:
        """When an assignment is due for somebody with this entry in the class list; None if it has no date.

        Args:
            extension: ``+3d``, ``+12h``, a day or a time, for all assignments or as ``NAME=...``, parted by semicolons. A
                day lasts until its end; three days later is the same time of the day.

        Raises:
            CourseError: the end of a sentence: not such an entry.
        """
        due = self.due.get(assignment)
        value = entry_for(extension, assignment)
        if not value:
            return due
        span = _SPAN.fullmatch(value)
        if not span:
            return _moment(_parsed(value), self.zone)
        if due is None:
            return None
        try:
            if span["days"]:
                # in one zone Python adds to the clock on the wall
                return _later(due + timedelta(days=int(span["days"])))
            return (utc(due) + timedelta(hours=int(span["hours"]))).astimezone(self.zone)
        except OverflowError as error:
            raise CourseError(f"{value[:40]!r} ends after the year 9999; give another time") from error

    def lateness(self, received: str, due: datetime | None) -> timedelta:
        """How long after the due time something came; nothing within the grace. ``received`` is ISO 8601 with a zone."""
        if due is None or not received:
            return timedelta()
        late = utc(datetime.fromisoformat(received)) - utc(due)
        return late if late > self.grace else timedelta()


def utc(moment: datetime) -> datetime:
    """The moment in UTC; at the ends of the calendar, where UTC has another year, the first or last moment there is."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return (datetime.min if moment.year == 1 else datetime.max).replace(tzinfo=UTC)


def _later(moment: datetime) -> datetime:
    """The later one of the two moments that a time on the clock may be: in autumn an hour comes twice, in spring the
    clocks skip one.
    """
    return max(moment.replace(fold=0), moment.replace(fold=1), key=utc)


def excused(text: str, assignment: str) -> bool:
    """Whether the column ``excused`` of the class list (``all``, or names parted by semicolons) holds an assignment."""
    return bool({"all", assignment} & set(parts_of(text)))


def roster_command(path: Path, release: Path) -> str:
    """The command that gives a release its class list, as a shell reads it."""
    return f"python -m autograder term roster {shlex.quote(str(path))} --release {shlex.quote(str(release))}"


def told_time(moment: datetime, zone: tzinfo) -> str:
    """A moment on the clocks of a zone, with its name: ``2027-04-20 23:59 Europe/Berlin``."""
    with suppress(OverflowError):  # at the ends of the calendar the zone of the moment itself stays
        moment = moment.astimezone(zone)
    return f"{moment.replace(tzinfo=None).isoformat(' ', 'minutes')} {zone}"


def _parsed(value: str) -> date | datetime:
    with suppress(ValueError):
        return date.fromisoformat(value)  # before times: a day alone, in any form, lasts until its end
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise CourseError(
            f"{value[:40]!r} is no time; write +3d, +12h, 2027-05-01 or 2027-05-01T12:00, with NAME= before it for one assignment"
        ) from error


def _moment(value: date | datetime, zone: tzinfo) -> datetime:
    """A day's end or a time, with a zone; of an hour that comes twice in autumn the later one, in the students' favour.

    Raises:
        CourseError: the clocks are put forward over this time, so that it does not exist.
    """
    if not isinstance(value, datetime):
        value = datetime.combine(value, time(23, 59, 59))
    if value.tzinfo:
        return value
    return on_clock(value.replace(fold=1), zone)


def on_clock(value: datetime, zone: tzinfo) -> datetime:
    """A time that names no zone, with the zone whose clocks showed it.

    Raises:
        CourseError: the clocks are put forward over this time, so that it does not exist.
    """
    moment = value.replace(tzinfo=zone)
    with suppress(OverflowError):  # at the ends of the calendar no clock is changed
        if moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None, fold=0) != value.replace(fold=0):
            raise CourseError(
                f"{value:%Y-%m-%dT%H:%M} does not exist in {zone}: the clocks are put forward over it; give another time"
            )
    return moment


def term_path(release: ReleaseLike) -> Path:
    """Where the dates of a term stand."""
    return course_dir(release) / FILE


def read_term(release: ReleaseLike) -> Term:
    """The term's dates; without a file no date at all.

    Raises:
        CourseError: the file cannot be read, or holds something that it should not.
    """
    path = term_path(release)
    if not path.exists():
        return Term()
    try:
        return parsed_term(path.read_text(encoding="utf-8-sig"), assignments_of(release))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CourseError(
            f"{path}: cannot be read ({error}); mend it, or write it anew with autograder term new"
        ) from error
    except CourseError as error:
        raise CourseError(f"{path}: {error}") from error


def zone_of(release: ReleaseLike) -> tzinfo:
    """The term's zone; UTC where the dates cannot be read, which is said where they are needed."""
    with suppress(CourseError):
        return read_term(release).zone
    return UTC


def parsed_term(text: str, assignments: Sequence[str]) -> Term:
    """The dates in the text of a term's file.

    Raises:
        CourseError: an entry that should not be there, or a date of another assignment.
        tomllib.TOMLDecodeError: no TOML.
    """
    term = _term(tomllib.loads(text))
    _require_assignments(term.due, assignments, "a due date")
    return term


def _term(data: Mapping[str, Any]) -> Term:
    late, due = data.get("late", {}), data.get("due", {})
    if not isinstance(late, Mapping) or not isinstance(due, Mapping):
        raise CourseError("late and due are headings, [late] and [due], with lines below them")
    if isinstance(data.get("closed"), bool | int | float):
        raise CourseError('closed is a day in quotation marks, or "" for a term that is open')
    strange = [*(set(data) - KEYS), *(set(late) - LATE_KEYS)]
    if strange:
        raise CourseError(f"{sorted(strange)[0]}: no such entry; there are {', '.join(sorted(KEYS | LATE_KEYS))}")
    zone = _zone(data.get("zone", "UTC"))
    wrong = [name for name, value in due.items() if not isinstance(value, date)]
    if wrong:
        raise CourseError(f"the due date of {wrong[0]} is no date; write 2027-04-20T23:59:00 without quotes")
    dates = {name: _moment(value, zone) for name, value in due.items()}
    grace, attempts = (_number(late.get(name, 0), name) for name in ("grace_minutes", "attempts"))
    return Term(
        zone, dates, timedelta(minutes=grace), _keep(late.get("keep", [])), int(attempts), str(data.get("closed", ""))
    )


def _zone(name: Any) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ValueError, TypeError, OSError, KeyError) as error:
        raise CourseError(
            f"zone {name!r} is not known here; write e.g. Europe/Berlin, or pip install tzdata"
        ) from error


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise CourseError(f"{name} must be a number that is not negative, not {value!r}")
    return float(value)


def _keep(rows: Any) -> tuple[tuple[float, float], ...]:
    """The table of what is kept. Raises CourseError unless hours rise, and shares fall from at most 1."""
    try:
        table = tuple((float(hours), float(share)) for hours, share in rows)
    except (TypeError, ValueError) as error:
        raise CourseError("keep must be pairs of hours and shares, e.g. [[24, 0.9], [72, 0.5]]") from error
    hours, shares = [row[0] for row in table], [row[1] for row in table]
    rising = all(a < b for a, b in zip([0.0, *hours], hours, strict=False))
    falling = all(1 >= a >= b >= 0 for a, b in zip([1.0, *shares], shares, strict=False))
    if not (rising and falling):
        raise CourseError("keep must have rising hours, and shares that fall from at most 1 to at least 0")
    if hours and hours[-1] > MOST_HOURS:
        raise CourseError(f"keep must have hours up to {MOST_HOURS:,}; whoever is later keeps nothing")
    return table


def must_be_open(release: ReleaseLike) -> None:
    """Raise CourseError if the term was closed."""
    closed = read_term(release).closed
    if closed:
        raise CourseError(
            f'the term was closed on {closed}; write closed = "" into {term_path(release)} to open it again'
        )


def close_term(release: ReleaseLike) -> str:
    """Write today's date into the term's file; returns it. Raises CourseError if the term was closed before."""
    must_be_open(release)
    path, day = term_path(release), datetime.now(UTC).date().isoformat()
    text = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    line = f'closed = "{day}"'
    text, count = re.subn(r"""(?m)^[ \t]*(["']?)closed\1[ \t]*=[ \t]*(""|'')""", line, text, count=1)
    text = text if count else f"{line}\n{text}"
    try:
        written = _term(tomllib.loads(text)).closed
    except tomllib.TOMLDecodeError:
        written = ""
    if written != day:
        raise CourseError(f'{path}: has no line closed = "" that could be filled in; write it at the top')
    write_atomic(path, text)
    return day


def _require_assignments(names: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raise CourseError for a name that is no assignment: a misspelt one would hold for nobody."""
    strange = sorted(set(names) - set(known))
    if strange and known:
        raise CourseError(
            f"{what} is given for {strange[0][:40]!r}, which is no assignment; there are {', '.join(known)}"
        )


def require_entries(roster: Roster, zone: tzinfo = UTC) -> Roster:
    """The class list, whose column ``extension`` holds what it may. Raises CourseError with the student if it does not.

    Args:
        zone: the term's, on whose clocks a time of an extension must exist.
    """
    for who, row in roster.rows.items():
        named = {part.partition("=")[0].strip() for part in parts_of(row.get("extension", "")) if "=" in part}
        try:
            for name in named or {""}:
                Term(zone).deadline(name, row.get("extension", ""))
        except CourseError as error:
            raise CourseError(f"{roster.path}: the extension of {who} in the class list: {error}") from error
    return roster


def require_known(release: ReleaseLike, roster: Roster) -> Roster:
    """The class list, whose extensions and excuses are for assignments of this release. Raises CourseError for another
    name: a misspelt one would take a student the time that was given."""
    known = assignments_of(release)
    for who, row in roster.rows.items():
        extensions = {part.partition("=")[0].strip() for part in parts_of(row.get("extension", "")) if "=" in part}
        excuses = {*parts_of(row.get("excused", ""))} - {"all"}
        for what, names in (("extension", extensions), ("excuse", excuses)):
            for name in sorted(names - set(known)) if known else ():
                raise CourseError(
                    f"{roster.path}: the {what} of {who} is for {name[:40]!r}, no assignment of this release; there are "
                    f"{', '.join(known)}" + (" (or all)" if what == "excuse" else "")
                )
    return roster


def term_text(name: str, zone: str, assignments: Sequence[str], due: Mapping[str, str]) -> str:
    """The file of a new term.

    Raises:
        CourseError: an unknown zone or assignment, or a date that is none.
    """
    _zone(zone)
    strange = sorted(set(due) - set(assignments))
    if strange:
        raise CourseError(f"{strange[0]}: not in this release, which has {', '.join(assignments)}")
    lines = []
    for one in assignments:
        value = _due(one, due[one]).isoformat() if one in due else ""
        lines.append(f'"{one}" = {value}' if value else f'# "{one}" = ')
    return TEXT.format(name=name.replace('"', "'").replace("\n", " "), zone=zone, due="\n".join(lines))


def _due(name: str, text: str) -> date | datetime:
    """A due time as it was typed. Raises CourseError for what is none; an extension's ``+3d`` is none either."""
    try:
        return _parsed(text)
    except CourseError:
        raise CourseError(
            f"{name}: {text[:40]!r} is no due time; write a day as 2027-05-01, which lasts until its end, or a time as "
            "2027-05-01T12:00"
        ) from None
