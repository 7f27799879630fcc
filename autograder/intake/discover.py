"""From an export in whatever form a learning platform gives it to one hand-in per student, and a reason for all the rest."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.intake.classzip import Entry, Unpacked, left_over, list_class, nobodys, unzip_class
from autograder.intake.handin import Found, Intake, take_in
from autograder.intake.names import shown, student_id
from autograder.intake.owners import ARCHIVES, Export, NotUnderstood, absent, grouped, identified, names_of
from autograder.intake.platforms import (
    GRADESCOPE_TABLE,
    GRADESCOPE_TOP,
    MARKED,
    PLATFORMS,
    SUBMITTED,
    Table,
    decide,
    marked,
    read_table,
)
from autograder.intake.roster import Roster, read_roster
from course_utils.errors import CourseError

__all__ = ["Found", "Handins", "Intake", "NotUnderstood", "discover", "student_id", "survey", "take_in"]

BESIDE = {"work", "data", "course_utils"}  # what a student's own folder holds beside the notebook
UNLISTED = (
    "Moodle gives a person another number in each assignment, so without a class list one person has several ids; "
    "give --roster"
)


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


def survey(
    path: Path | str,
    platform: str = "",
    roster: Path | Roster | None = None,
    assignment: str = "",
    known: Collection[str] = (),
) -> Handins:
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
        return _survey(Path(path), platform, roster, assignment, known)
    except OSError as error:  # a name that is too long, a folder that may not be read
        raise CourseError(
            f"{shown(str(path))}: cannot be read ({error.strerror or error}); give another folder or zip"
        ) from error


def _survey(
    path: Path, platform: str, roster: Path | Roster | None, assignment: str, without: Collection[str] = ()
) -> Handins:
    if platform and platform not in PLATFORMS:
        raise CourseError(f"{platform}: no such platform; there are {', '.join(PLATFORMS)}")
    known = read_roster(roster) if isinstance(roster, Path) else roster
    known = known.of(assignment) if known else None
    _reject_a_students_own_folder(path, platform)
    export = _entries(path, platform, assignment, known.path if known else None)
    if not export.paths and not export.others:
        raise CourseError(f"{path}: no submissions in it; expected one zip, notebook or folder per student")
    others = absent(export, assignment)
    export.paths = [one for one in export.paths if one not in others and one.name not in without]
    items, refused = identified(export, known, assignment)
    found, doubled, told = grouped(items, export, assignment)
    strays = [NotUnderstood(shown(name), reason) for name, reason in export.others.items()]
    refused = sorted([*refused, *doubled, *strays], key=lambda one: one.item)
    if known and known.binds(export.platform):
        found = [replace(one, bound=True) for one in found]
    came = {one.student for one in found} | {one.student for one in refused}
    missing = sorted(set(known.names) - came) if known else []
    notes = known.notes(export.platform) if known else [UNLISTED] if export.platform == "moodle" else []
    if others and not known:
        notes.append(f"handed in nothing of {assignment}, only others: {names_of(others)}")
    return Handins(export.platform, found, refused, missing, [*notes, *told], str(path.resolve()))


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


def _entries(path: Path, platform: str, assignment: str, roster: Path | None) -> Export:
    if path.is_file():
        if path.suffix.lower() != ".zip" or not _holds_a_class(path, platform, assignment):
            return Export([path], platform or decide([path.name], str(path)))
        unpacked = _open_export(path)
        return _inside(unpacked.root, platform, assignment, roster, unpacked)
    if marked(path.name) and platform != "folders":
        table = read_table(path.parent) if platform in ("", "gradescope") else Table()
        return Export([path], platform or decide([path.name], str(path)), table)
    return _inside(path, platform, assignment, roster, Unpacked(path))


def _inside(top: Path, platform: str, assignment: str, roster: Path | None, unpacked: Unpacked) -> Export:
    folder, platform = _top(top, platform)
    spoiled, others = unpacked.below(folder)
    children = _visible(folder, roster)
    if not spoiled and platform in ("", "folders") and _is_one_handin(folder, children, assignment):
        return Export([folder], "folders", others=others)
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
    return Export(children, platform, table, spoiled, lost | dict(others))


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
