"""Whose the entries of an export are: one hand-in per student, and a reason for every entry that is in none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.intake.handin import Found
from autograder.intake.names import look, shown, student_id
from autograder.intake.platforms import OTHER_ARCHIVES, Item, Table, chosen_name, read, stamp
from autograder.intake.roster import Roster
from course_utils.errors import CourseError

ARCHIVES = (".zip", *OTHER_ARCHIVES)
SECOND = re.compile(r" ?\([0-9]{1,3}\)$")
WORK = (".ipynb", *ARCHIVES)
NUMBERED = re.compile(r"\d\d_\w+")  # what assignments are called


@dataclass(frozen=True)
class NotUnderstood:
    """An entry of an export that is graded for nobody, and why; ``student`` handed it in, where that is clear.

    ``ids`` are the ids that it came under, where ids are merged: one, or all of a person who sent two.
    """

    item: str
    reason: str
    student: str = ""
    ids: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.item} {self.reason}"


@dataclass
class Export:
    """The entries of an export, its platform, the platform's own table, and what could not be unpacked and why."""

    paths: list[Path]
    platform: str
    table: Table = field(default_factory=Table)
    spoiled: Mapping[Path, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)


def absent(export: Export, assignment: str) -> list[Path]:
    """Students' folders in nbgrader's layout without anything of this assignment: these handed in others only."""
    if export.platform != "nbgrader" or not assignment:
        return []
    return [one for one in export.paths if one not in export.spoiled and _only_others(one, assignment)]


def _only_others(folder: Path, assignment: str) -> bool:
    """Whether all work in a student's folder lies in folders of other assignments. What cannot be read is not said to be."""
    try:
        if folder.is_symlink() or not folder.is_dir() or (folder / assignment).exists():
            return False
        return all(_of_another(child, assignment) for child in folder.iterdir())
    except OSError:
        return False


def _of_another(place: Path, assignment: str) -> bool:
    """Whether a file is no work, or a folder has none, or has the name of another assignment and its notebook.

    A folder ``hw7`` with a notebook of any name may hold this assignment; who has one does not get a zero for it.
    """
    if not place.is_dir():
        return place.suffix.lower() not in WORK
    works = {path.stem.casefold() for path in place.rglob("*") if path.suffix.lower() in WORK}
    own = assignment.casefold()
    named = NUMBERED.fullmatch(place.name) and place.name.casefold() in works - {own}
    return not works or (bool(named) and own not in works)


def names_of(paths: Sequence[Path]) -> str:
    """Names of files or folders for a sentence."""
    return ", ".join(shown(path.name) for path in paths[:20]) + (" …" if len(paths) > 20 else "")


def identified(export: Export, roster: Roster | None, assignment: str) -> tuple[list[Item], list[NotUnderstood]]:
    """Each entry with its student, and the entries that have none."""
    items, refused = [], []
    for path in export.paths:
        try:
            items.append(_identify(path, export.platform, export.table, roster, assignment))
        except CourseError as error:
            refused.append(NotUnderstood(shown(path.name), export.spoiled.get(path, str(error))))
        except OSError as error:
            refused.append(NotUnderstood(shown(path.name), f"cannot be read ({error.strerror or error})"))
    return items, refused


def _identify(path: Path, platform: str, table: Table, roster: Roster | None, assignment: str) -> Item:
    item = read(platform, path, table)
    if roster:
        student = _owner(platform, item, roster)
        sid, email = (roster.value(student, key) for key in ("sid", "email"))
        return replace(item, student=student, sid=item.sid or sid, email=item.email or email)
    reason = chosen_name(path, platform) if platform in ("nbgrader", "folders") else ""
    if not reason and assignment and platform == "folders" and look(item.student).startswith(look(assignment)):
        reason = "is named like the assignment, not like a student; name it by the student"
    if reason:
        raise CourseError(reason)
    return item


def _owner(platform: str, item: Item, roster: Roster) -> str:
    """The student of the class list; ``zoe (1).zip``, as browsers call a second download, is of zoe where nobody else is.

    Raises:
        CourseError: as :meth:`Roster.match`.
    """
    try:
        return roster.match(platform, item)
    except CourseError as error:
        first = SECOND.sub("", item.name) if platform == "folders" else item.name
        if first == item.name:
            raise
        try:
            return roster.match(platform, replace(item, name=first, student=student_id(first)))
        except CourseError:
            raise error from None


def grouped(
    items: Sequence[Item], export: Export, assignment: str
) -> tuple[list[Found], list[NotUnderstood], list[str]]:
    """One hand-in per student. Several files of one person on Canvas or Moodle belong together; else an id stands once.

    What could not be unpacked costs its student everything: the rest alone may not be what was handed in.
    """
    platform = export.platform
    items, told = _newest(items) if platform == "gradescope" else (items, [])
    people: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        people[item.number if platform in ("canvas", "moodle") else item.path.name].append(item)
    rivals: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        rivals[look(item.student)].append(item)
    found, refused = [], []
    for group in people.values():
        same = {item.path: item for one in group for item in rivals[look(one.student)]} | {
            one.path: one for one in group
        }
        spoiled = {path: export.spoiled[path] for path in same if path in export.spoiled}
        if not spoiled and len(same) == len(group) and len({(one.student, one.name) for one in group}) == 1:
            found.append(_found(_latest(group) if platform == "canvas" else group, platform, assignment))
        else:
            refused += [_contested(item, same, spoiled) for item in group]
    return sorted(found, key=lambda one: one.student), refused, told


def _contested(item: Item, same: Mapping[Path, Item], spoiled: Mapping[Path, str]) -> NotUnderstood:
    """Why an entry is not graded: another one is of the same person, or a part of the hand-in could not be unpacked."""
    if spoiled:
        other, why = next(iter(spoiled.items()))
        why = spoiled.get(item.path, f"{shown(other.name)} {why}")
        return NotUnderstood(shown(item.path.name), f"cannot be graded as {item.student}: {why}", item.student)
    rest = ", ".join(shown(other.path.name) for other in same.values() if other is not item)
    one_id = len({other.student for other in same.values()}) == 1  # else two people may have ids that look alike
    words = f"would be graded as {item.student}, and so would {rest}; keep the one that counts, and grade again"
    return NotUnderstood(shown(item.path.name), words, item.student if one_id else "")


def _newest(items: Sequence[Item]) -> tuple[list[Item], list[str]]:
    """Of several hand-ins of one person the newest, where the platform gives each a time of its own; what is told of it."""
    people: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        people[item.student].append(item)
    kept, told = [], []
    for student, group in people.items():
        times = {item.time for item in group}
        last = max(group, key=lambda item: item.time)
        if len(group) > 1 and "" not in times and len(times) == len(group):
            rest = ", ".join(shown(item.path.name) for item in group if item is not last)
            told.append(f"{student}: {shown(last.path.name)} is the newest hand-in and counts, not {rest}")
            group = [last]
        kept += group
    return kept, told


def _latest(group: Sequence[Item]) -> list[Item]:
    """Canvas counts what a person uploads again (``a.zip``, ``a-1.zip``): of each file the newest, as Canvas has it."""
    names = {item.file.casefold() for item in group}
    newest: dict[str, Item] = {}
    for item in sorted(group, key=lambda one: one.order):
        path = PurePosixPath(item.file.casefold())
        head, dash, count = path.stem.rpartition("-")
        first = f"{head}{path.suffix}"
        newest[first if dash and count.isdecimal() and first in names else path.name] = item
    return list(newest.values())


def _found(group: Sequence[Item], platform: str, assignment: str) -> Found:
    first, *rest = sorted(group, key=lambda item: item.path)
    path = first.path / assignment
    path = path if platform == "nbgrader" and assignment and path.is_dir() else first.path
    time = stamp(path) if platform == "nbgrader" else max(item.time for item in group)
    more = tuple((item.path, item.file) for item in rest)
    late = any(item.late for item in group)
    found = Found(first.student, path, first.name, first.number, more, first.file, late, time, platform)
    return replace(found, sid=first.sid, email=first.email)
