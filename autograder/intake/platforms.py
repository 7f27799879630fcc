"""What each learning platform writes into the names of an export. Only the platform's own part of a name is believed.

Canvas: ``lastfirst[_LATE]_USER_ATTACHMENT_file``, the name without underscores. Moodle: ``First Last_NUMBER_assignsubmission_
file[_file]``. Gradescope: folders ``submission_NUMBER`` and ``submission_metadata.yml``. nbgrader: ``submitted/STUDENT/
ASSIGNMENT/``. In plain folders the name is the student. Numbers are ASCII digits without leading zeros, as platforms write them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.intake.names import exact, shown, student_id, unfit
from course_utils.errors import CourseError

PLATFORMS = ("canvas", "moodle", "gradescope", "nbgrader", "folders")
MARKED = PLATFORMS[:3]  # those that write themselves into every name
OTHER_ARCHIVES = (".tar", ".gz", ".tgz", ".7z", ".rar", ".bz2", ".xz")

_NUMBER = r"[1-9][0-9]{0,17}"
_PATTERNS = {
    # [^_]+: the first underscore ends the name, whatever the student called the file behind it
    "canvas": re.compile(
        rf"([^_]+)_(?P<late>LATE_)?(?P<id>{_NUMBER})_((?P<at>{_NUMBER})_(?P<file>.+)|text\.html)", re.S
    ),
    "moodle": re.compile(rf"(.+?)_(?P<id>{_NUMBER})_assignsubmission_(file|onlinetext|comments)(_(?P<file>.*))?", re.S),
    "gradescope": re.compile(rf"(submission)_(?P<id>{_NUMBER})"),
}
_TIME = re.compile(r"(?P<day>[\d-]{10})[ T](?P<clock>[\d:]{8})(\.\d+)?\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?", re.A)
_MOODLE_MARK = "_assignsubmission_"
GRADESCOPE_TOP = re.compile(rf"assignment_{_NUMBER}_export")
GRADESCOPE_TABLE = "submission_metadata.yml"
SUBMITTED = "submitted"
TIME_FILE = "timestamp.txt"  # nbgrader's, beside the notebook
MAX_TABLE = 20 * 2**20


@dataclass(frozen=True)
class Item:
    """One entry of an export, read by its platform's rule.

    Attributes:
        student: the id that follows from this entry alone.
        name: the person's name as the platform writes it.
        number: the platform's number of the person (of the hand-in, for Gradescope), or an empty string.
        sid: the school's number of the person, from the platform's own table or the class list.
        email: likewise.
        file: its name without the platform's part.
        order: grows with later uploads of the same person.
        late: whether the platform says so.
        time: when it was handed in by the platform's clock, ISO 8601 in UTC, or an empty string.
    """

    path: Path
    student: str
    name: str
    number: str = ""
    file: str = ""
    order: int = 0
    late: bool = False
    time: str = ""
    sid: str = ""
    email: str = ""


@dataclass(frozen=True)
class Table:
    """Gradescope's ``submission_metadata.yml``: folder name to what it says of it."""

    rows: Mapping[str, Any] = field(default_factory=dict)


def is_number(text: str) -> bool:
    """Whether a text is a number of a person or hand-in as platforms write them."""
    return bool(re.fullmatch(_NUMBER, text))


def fits(platform: str, name: str) -> bool:
    """Whether the name of a file or folder has the form that this platform writes."""
    return bool(_PATTERNS[platform].fullmatch(name))


def upload_prefix(name: str) -> str:
    """Canvas's own part of the name of an upload, ``lastfirst_USER_ATTACHMENT_``; empty for every other name."""
    match = _PATTERNS["canvas"].fullmatch(name)
    return name[: match.start("file")] if match and match["file"] else ""


def marked(name: str) -> list[str]:
    """The platforms whose form a name has."""
    return [platform for platform in MARKED if fits(platform, name)]


def marked_parts(name: str) -> list[tuple[str, str, str]]:
    """Platform, person's name and number that the name of a file or folder holds, for each platform whose form it has."""
    found = [(platform, _PATTERNS[platform].fullmatch(name)) for platform in MARKED]
    return [(platform, match[1].strip(), match["id"]) for platform, match in found if match]


def decide(names: Sequence[str], where: str) -> str:
    """The one platform of an export, from all its names.

    Raises:
        CourseError: more than one would fit, or one fits some of the names only.
    """
    counts = {platform: [name for name in names if fits(platform, name)] for platform in MARKED}
    whole = [platform for platform in MARKED if len(counts[platform]) == len(names)]
    if len(whole) == 1:
        return whole[0]
    if whole:
        raise CourseError(
            f"{where}: {shown(names[0])} may come from {' or '.join(whole)}; say which with --from {'|'.join(whole)}"
        )
    some = [platform for platform in MARKED if counts[platform]]
    if not some:
        return "folders"
    other = next(name for name in names if name not in counts[some[0]])
    raise CourseError(
        f"{where}: {shown(counts[some[0]][0])} has the form of {some[0]}, {shown(other)} has not; "
        f"say where all of it comes from with --from {'|'.join((*some, 'folders'))}"
    )


def read(platform: str, path: Path, table: Table = Table()) -> Item:
    """What one entry says of its owner.

    Raises:
        CourseError: the end of a sentence that begins with the entry's name: why it is not understood.
    """
    if platform in MARKED:
        return _marked(platform, path, table)
    if platform == "nbgrader" and (path.is_symlink() or not path.is_dir()):
        raise CourseError("is not a folder, as nbgrader's students are")
    label = _label(path)
    return Item(path, student_id(label), shown(label), file=path.name)


def _marked(platform: str, path: Path, table: Table) -> Item:
    match = _PATTERNS[platform].fullmatch(path.name)
    if not match:
        raise CourseError(f"is not named as {platform} names its downloads")
    parts = match.groupdict()
    if platform == "moodle" and path.name.count(_MOODLE_MARK) > 1:
        raise CourseError("has Moodle's mark twice, so its owner is not clear")
    if platform == "gradescope":
        return _gradescope(path, parts["id"], table)
    student = f"{student_id(match[1])[:60]}_{parts['id']}"
    order, late = int(parts.get("at") or 0), bool(parts.get("late"))
    return Item(
        path, student, shown(match[1]), parts["id"], file=parts.get("file") or path.name, order=order, late=late
    )


def _gradescope(path: Path, number: str, table: Table) -> Item:
    if not path.is_dir():
        raise CourseError("is not a folder, as Gradescope's hand-ins are")
    entry = table.rows.get(path.name)
    if not isinstance(entry, Mapping):
        return Item(path, path.name, path.name, number, file=path.name)
    people = [one for one in entry.get(":submitters") or [] if isinstance(one, Mapping)]
    if len(people) > 1:
        names = ", ".join(shown(str(one.get(":name"))) for one in people)
        raise CourseError(f"was handed in by several people ({names}); copy it into a folder for each of them")
    one = people[0] if people else {}
    name, sid, mail = (_text(one.get(key)) for key in (":name", ":sid", ":email"))
    own = sid or mail or number
    student = f"{student_id(name, 100)[:60]}_{student_id(own, 60)}" if name else f"submission_{number}"
    when = _when(entry.get(":created_at"))
    return Item(path, student, shown(name or path.name), number, path.name, time=when, sid=sid, email=mail)


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) and value.strip().lower() not in ("null", "~") else ""


def _label(path: Path) -> str:
    """The student's name in a folder of hand-ins: the name of the folder, or of the file without its ending."""
    if path.is_dir() and not path.is_symlink():
        return path.name
    if path.suffix.lower() not in (".zip", ".ipynb", *OTHER_ARCHIVES):
        raise CourseError("is neither a zip, nor a notebook, nor a folder")
    return path.stem.removesuffix(".tar")


def chosen_name(path: Path, platform: str) -> str:
    """Why a name that is the student's id may not be one, or an empty string."""
    label = _label(path)
    if platform == "folders" and (exact(label) == SUBMITTED or GRADESCOPE_TOP.fullmatch(label)):
        return "is the top folder of another export; give it to grade by itself"
    if re.match(r"[0-9]{2}_", path.name) and (path / f"{path.name}.ipynb").is_file():
        return "is the folder of an assignment, not of a student; give the folder that holds the students' folders"
    return unfit(label)


def stamp(folder: Path) -> str:
    """The time in nbgrader's ``timestamp.txt``, ISO 8601 in UTC; an empty string if there is none."""
    path = folder / TIME_FILE
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as handle:
        return _when(handle.read(100).decode("utf-8", "replace"))


def _when(text: Any) -> str:
    """A platform's time as ISO 8601 in UTC; an empty string if it is none."""
    match = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if not match:
        return ""
    zone = "+00:00" if match["zone"] in (None, "Z", "UTC") else match["zone"]
    try:
        found = datetime.fromisoformat(f"{match['day']}T{match['clock']}{zone}")
        found = found.astimezone(UTC)
        # with nbgrader a student's process writes it: what no course can mean is no time
        return found.isoformat(timespec="seconds") if 2000 <= found.year < 2100 else ""
    except (ValueError, OverflowError):
        return ""


def read_table(folder: Path) -> Table:
    """Gradescope's table of an export, empty if there is none.

    Raises:
        CourseError: not readable as YAML, not a table, or a key is in it twice.
    """
    path = folder / GRADESCOPE_TABLE
    if not path.is_file() or path.is_symlink():
        return Table()
    try:
        import yaml

        # every value as its text: 0123 would be read as the number 83, which may be another student's
        loader = type("_Table", (yaml.BaseLoader,), {"construct_mapping": _construct_once})
        if path.stat().st_size > MAX_TABLE:
            raise CourseError(f"{path.name}: larger than any class's table; export again")
        data = yaml.load(path.read_bytes(), Loader=loader)
    except ImportError as error:
        raise CourseError(f"{path.name}: reading it takes PyYAML; pip install pyyaml") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise CourseError(f"{path.name}: not readable as YAML ({type(error).__name__}); export again") from error
    if not isinstance(data, dict):
        raise CourseError(f"{path.name}: is no table of hand-ins; export again")
    return Table(data)


def _construct_once(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # PyYAML calls it
    """A YAML mapping; of two values under one key YAML would silently take the last, which may be another student's."""
    from yaml.constructor import BaseConstructor

    seen: set[str] = set()
    for key, _ in node.value:
        name = str(key.value)
        if name in seen:
            line = key.start_mark.line + 1
            raise CourseError(f"{GRADESCOPE_TABLE}, line {line}: {shown(name)} is there twice; export again")
        seen.add(name)
    return BaseConstructor.construct_mapping(loader, node, deep)
