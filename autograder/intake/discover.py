"""From an export in whatever form a learning platform gives it to one hand-in per student, and a reason for all the rest."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.intake.classzip import Entry, Unpacked, left_over, list_class, nobodys, unzip_class
from autograder.intake.handin import Found, Intake, take_in
from autograder.intake.names import look, shown, student_id
from autograder.intake.platforms import (
    GRADESCOPE_TABLE,
    GRADESCOPE_TOP,
    MARKED,
    OTHER_ARCHIVES,
    PLATFORMS,
    SUBMITTED,
    Item,
    Table,
    chosen_name,
    decide,
    marked,
    read,
    read_table,
    stamp,
)
from autograder.intake.roster import Roster, read_roster
from course_utils.errors import CourseError

__all__ = ["Found", "Handins", "Intake", "NotUnderstood", "discover", "student_id", "survey", "take_in"]

BESIDE = {"work", "data", "course_utils"}  # what a student's own folder holds beside the notebook
ARCHIVES = (".zip", *OTHER_ARCHIVES)
UNLISTED = (
    "Moodle gives a person another number in each assignment, so without a class list one person has several ids; "
    "give --roster"
)


@dataclass(frozen=True)
class NotUnderstood:
    """An entry of an export that is graded for nobody, and why."""

    item: str
    reason: str

    def __str__(self) -> str:
        return f"{self.item} {self.reason}"


@dataclass
class _Export:
    """The entries of an export, its platform, the platform's own table, and what could not be unpacked and why."""

    paths: list[Path]
    platform: str
    table: Table = field(default_factory=Table)
    spoiled: Mapping[Path, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Handins:
    """A whole export.

    Attributes:
        platform: where it comes from, one of ``platforms.PLATFORMS``.
        found: one hand-in per student, sorted by id.
        refused: every entry that is in none of them.
        missing: ids of the class list from whom nothing came.
        notes: what the instructor has to know about how owners were found.
        source: the folder or zip, so that a later run over it can be told.
    """

    platform: str
    found: list[Found]
    refused: list[NotUnderstood]
    missing: list[str]
    notes: list[str] = field(default_factory=list)
    source: str = ""


def discover(path: Path | str, platform: str = "", roster: Path | Roster | None = None) -> list[Found]:
    """All hand-ins below ``path``, sorted by student, where every entry is understood.

    Raises:
        CourseError: as :func:`survey`, and for the first entry that is not understood.
    """
    handins = survey(path, platform, roster)
    if handins.refused:
        raise CourseError(f"{path}: {handins.refused[0]}")
    return handins.found


def survey(path: Path | str, platform: str = "", roster: Path | Roster | None = None, assignment: str = "") -> Handins:
    """Who handed in what, below ``path``.

    Args:
        path: a folder of zips, notebooks or folders, nbgrader's ``submitted/``, an export of Canvas, Moodle or Gradescope
            (folder or the platform's one big zip), or one single hand-in.
        platform: one of ``platforms.PLATFORMS``; decided from the whole export by default.
        roster: the class list, or its CSV file.
        assignment: e.g. ``"07_knowledge"``, which nobody is called.

    An entry's student follows from that entry (and the class list) alone, never from what lies beside it.

    Raises:
        CourseError: nothing there, no sound archive, entries of more than one platform, a class list with an error, a
            path that the system does not take.
    """
    try:
        return _survey(Path(path), platform, roster, assignment)
    except OSError as error:  # a name that is too long, a folder that may not be read
        raise CourseError(
            f"{shown(str(path))}: cannot be read ({error.strerror or error}); give another folder or zip"
        ) from error


def _survey(path: Path, platform: str, roster: Path | Roster | None, assignment: str) -> Handins:
    if platform and platform not in PLATFORMS:
        raise CourseError(f"{platform}: no such platform; there are {', '.join(PLATFORMS)}")
    known = read_roster(roster) if isinstance(roster, Path) else roster
    known = known.of(assignment) if known else None
    _reject_a_students_own_folder(path, platform)
    export = _entries(path, platform, assignment, known.path if known else None)
    if not export.paths and not export.others:
        raise CourseError(f"{path}: no submissions in it; expected one zip, notebook or folder per student")
    items, refused = _identified(export, known, assignment)
    found, doubled = _grouped(items, export, assignment)
    strays = [NotUnderstood(shown(name), reason) for name, reason in export.others.items()]
    refused = sorted([*refused, *doubled, *strays], key=lambda one: one.item)
    if known and known.binds(export.platform):
        found = [replace(one, bound=True) for one in found]
    missing = sorted(set(known.names) - {one.student for one in found}) if known else []
    notes = known.notes(export.platform) if known else [UNLISTED] if export.platform == "moodle" else []
    return Handins(export.platform, found, refused, missing, notes, str(path.resolve()))


# ---- which entries -----------------------------------------------------------------------------------------------------


def _reject_a_students_own_folder(path: Path, platform: str) -> None:
    """Refuse one student's own folder: ``grade submitted/root`` would take each of root's assignments for a student."""
    if not path.exists():
        raise CourseError(f"{path}: no such file or folder; give the folder or the zip that holds the submissions")
    here = path.resolve()
    above = [folder for folder in (here.parent, here.parent.parent) if folder.name == SUBMITTED]
    if path.is_dir() and above and platform in ("", "nbgrader"):
        raise CourseError(f"{path}: is one student's folder; give {above[0]}, or say --from folders if it is a class")
    inside = [folder.name for folder in (here.parent, here.parent.parent) if marked(folder.name)]
    if inside and not marked(here.name):
        raise CourseError(f"{path}: lies in {shown(inside[0])}, one student's hand-in; give the folder above that")


def _entries(path: Path, platform: str, assignment: str, roster: Path | None) -> _Export:
    if path.is_file():
        if path.suffix.lower() != ".zip" or not _holds_a_class(path, platform, assignment):
            return _Export([path], platform or decide([path.name], str(path)))
        unpacked = _open_export(path)
        return _inside(unpacked.root, platform, assignment, roster, unpacked)
    if marked(path.name) and platform != "folders":
        table = read_table(path.parent) if platform in ("", "gradescope") else Table()
        return _Export([path], platform or decide([path.name], str(path)), table)
    return _inside(path, platform, assignment, roster, Unpacked(path))


def _inside(top: Path, platform: str, assignment: str, roster: Path | None, unpacked: Unpacked) -> _Export:
    folder, platform = _top(top, platform)
    spoiled, others = unpacked.below(folder)
    children = _visible(folder, roster)
    if not spoiled and platform in ("", "folders") and _is_one_handin(folder, children, assignment):
        return _Export([folder], "folders", others=others)
    table = read_table(folder) if platform in ("", "gradescope") else Table()
    rows = folder / GRADESCOPE_TABLE
    children = [child for child in children if child != rows or platform not in ("", "gradescope")]
    if not platform and folder.name == SUBMITTED and all(child.is_dir() for child in children):
        platform = "nbgrader"
    platform = platform or decide([child.name for child in children] or ["nothing"], str(folder))
    if platform != "gradescope" and rows not in children and rows.is_file():
        children.append(rows)
    names = {child.name for child in children} if platform == "gradescope" else set(table.rows)
    lost = {row: f"is in {GRADESCOPE_TABLE}, but there is no such folder" for row in table.rows if row not in names}
    return _Export(children, platform, table, spoiled, lost | dict(others))


def _open_export(path: Path) -> Unpacked:
    scratch = Path(tempfile.mkdtemp(prefix="submissions-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    return unzip_class(path, scratch / path.stem)


def _holds_a_class(path: Path, platform: str, assignment: str) -> bool:
    """Whether a zip is the export of a class, not one student's hand-in.

    Raises:
        CourseError: it may be either.
    """
    if platform in MARKED or not platform:
        if marked(path.name):
            return False  # a student's file, as the platform named it
        if platform:
            return True
    try:
        entries = list_class(path)
    except CourseError:
        return platform == "nbgrader"  # not a zip: it is reported when it is taken in, as one hand-in
    tops = {one.parts[0] for one in entries}
    inner = {one.parts[1] for one in entries if len(one.parts) > 1} if len(tops) == 1 else set()
    if not platform and any(marked(name) or _is_top(name) for name in tops | inner):
        return True
    if platform == "folders" or not platform:
        return _several(path, entries, assignment, named=bool(platform))
    return True


def _several(path: Path, entries: Sequence[Entry], assignment: str, *, named: bool) -> bool:
    """Whether a zip holds archives, folders or notebooks of students; raises CourseError if nobody said what that means.

    Args:
        named: it is said to be a class, which one student alone may be. Only the assignment's own notebook, at the top and
            with no archive in the zip, makes it one student's.
    """
    every = {one.parts for one in entries if not one.folder}
    names = [PurePosixPath(*parts) for parts in every if not left_over(parts, every, strict=named)]
    loose = {name.stem for name in names if name.suffix == ".ipynb" and len(name.parts) == 1}
    if named and assignment and loose and assignment not in loose:
        return True
    if loose:
        archives = {str(name) for name in names if name.suffix.lower() == ".zip"}
    else:
        archives = {str(name) for name in names if name.suffix.lower() in ARCHIVES}
        archives |= {name.parts[0] for name in names if name.suffix == ".ipynb" and len(name.parts) > 1}
        archives = archives if named or len(archives) > 1 else set()
    if archives and not named:
        raise CourseError(
            f"{path.name}: may be a class or one student's hand-in ({', '.join(sorted(map(shown, archives))[:3])} in it); "
            "say --from folders if it is a class, else put it into a folder and give that"
        )
    return bool(archives)


def _is_top(name: str) -> bool:
    return name == SUBMITTED or bool(GRADESCOPE_TOP.fullmatch(name))


def _top(folder: Path, platform: str) -> tuple[Path, str]:
    """The folder whose children are the entries: one below, where a platform's own top folder is all there is."""
    children = _visible(folder)
    if (folder / SUBMITTED).is_dir() and not (folder / SUBMITTED).is_symlink():
        course = [child for child in children if child.name in ("gradebook.db", "nbgrader_config.py")]
        if platform == "nbgrader" or (not platform and len(children) == 1):
            return folder / SUBMITTED, "nbgrader"
        if course and not platform:
            raise CourseError(f"{folder}: is an nbgrader course; give {folder / SUBMITTED}")
    if len(children) != 1 or not children[0].is_dir() or children[0].is_symlink():
        return folder, platform
    (only,) = children
    if platform == "folders" and only.name == folder.name:
        return only, platform  # class.zip with the folder class in it
    if platform in ("", "gradescope") and GRADESCOPE_TOP.fullmatch(only.name):
        return only, "gradescope"
    if marked(only.name) or platform in ("nbgrader", "folders"):
        return folder, platform
    if platform:
        return only, platform
    if any(marked(child.name) for child in _visible(only)):
        raise CourseError(
            f"{folder}: holds one folder with an export in it; give {only}, or name the platform with --from"
        )
    return folder, platform


def _visible(folder: Path, *apart: Path | None) -> list[Path]:
    """Everything in a folder but what systems leave there (and the class list)."""
    own = {path.resolve() for path in apart if path}
    children = [child for child in folder.iterdir() if not nobodys(child)]
    return sorted(child for child in children if not own or child.resolve() not in own)


def _is_one_handin(folder: Path, children: Sequence[Path], assignment: str) -> bool:
    """Whether a folder is itself one student's: the assignment's notebook and nothing that could be another student's."""
    notebooks = [child for child in children if child.suffix == ".ipynb"]
    others = [child for child in children if child.is_dir() and child.name not in BESIDE]
    if len(notebooks) != 1 or others or any(child.suffix.lower() in ARCHIVES for child in children):
        return False
    stem = notebooks[0].stem
    return stem == assignment if assignment else (folder / "work" / stem).is_dir()


# ---- whose they are ----------------------------------------------------------------------------------------------------


def _identified(export: _Export, roster: Roster | None, assignment: str) -> tuple[list[Item], list[NotUnderstood]]:
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
        student = roster.match(platform, item)
        sid, email = (roster.value(student, key) for key in ("sid", "email"))
        return replace(item, student=student, sid=item.sid or sid, email=item.email or email)
    reason = chosen_name(path, platform) if platform in ("nbgrader", "folders") else ""
    if not reason and assignment and platform == "folders" and look(item.student).startswith(look(assignment)):
        reason = "is named like the assignment, not like a student; name it by the student"
    if reason:
        raise CourseError(reason)
    return item


def _grouped(items: Sequence[Item], export: _Export, assignment: str) -> tuple[list[Found], list[NotUnderstood]]:
    """One hand-in per student. Several files of one person on Canvas or Moodle belong together; else an id stands once.

    What could not be unpacked costs its student everything: the rest alone may not be what was handed in.
    """
    platform = export.platform
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
            continue
        for item in group if not spoiled else ():
            rest = ", ".join(shown(other.path.name) for other in same.values() if other is not item)
            refused.append(
                NotUnderstood(shown(item.path.name), f"would be graded as {item.student}, and so would {rest}")
            )
        for item in group if spoiled else ():
            other, why = next(iter(spoiled.items()))
            why = spoiled.get(item.path, f"{shown(other.name)} {why}")
            reason = f"cannot be graded as {item.student}: {why}"
            refused.append(NotUnderstood(shown(item.path.name), reason))
    return sorted(found, key=lambda one: one.student), refused


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
