"""What a release that is made again takes over from the one that it takes the place of: dates and class list."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

from autograder.grading.store import ROSTER, ReleaseLike, assignments_of, course_dir, write_atomic
from autograder.intake.roster import read_roster
from autograder.reports.term import (
    FILE,
    parsed_term,
    require_entries,
    require_known,
    roster_command,
    term_path,
    zone_of,
)
from course_utils.errors import CourseError


def carry_over(release: ReleaseLike, earlier: Path, *, same_term: bool = True) -> list[str]:
    """Copy dates and class list of an earlier release into a new one that has none.

    Args:
        earlier: the folder of the release that was set aside.
        same_term: false if the new release is of a term of another name; then nothing is copied.

    Returns:
        A sentence for each of the two that the earlier release has: where it is kept, or how to take it over.

    Raises:
        CourseError: the new release cannot be written.
    """
    told, of_old = [], earlier / "instructor"
    dates, listed = of_old / FILE, of_old / ROSTER
    other = "" if same_term else "the new release is of another term"
    if dates.is_file():
        why = other or _wrong_dates(release, dates)
        take = f"cp {_quoted(dates)} {_quoted(term_path(release))}, and change there what does not fit"
        told.append(_carried(dates, term_path(release), "dates", why, take))
    if listed.is_file():
        why = other or _wrong_list(release, listed)
        take = roster_command(listed, Path(release.root))
        told.append(_carried(listed, course_dir(release) / ROSTER, "class list", why, take))
    return told


def _carried(old: Path, new: Path, what: str, why: str, take: str) -> str:
    if why:
        return f"{what} not taken over ({why}); to do it: {take}"
    write_atomic(new, old.read_bytes())
    return f"{what} taken over from the earlier release: {new}"


def _wrong_dates(release: ReleaseLike, path: Path) -> str:
    """Why the dates do not fit the release, or an empty string."""
    try:
        parsed_term(path.read_text(encoding="utf-8-sig"), assignments_of(release))
    except (CourseError, OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return str(error)
    return ""


def _wrong_list(release: ReleaseLike, path: Path) -> str:
    """Why the class list does not fit the release, or an empty string."""
    try:
        require_known(release, require_entries(read_roster(path), zone_of(release)))
    except CourseError as error:
        return str(error)
    return ""


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
