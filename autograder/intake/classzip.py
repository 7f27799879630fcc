"""The one big zip of a class: what cannot be taken in costs its own student only, and no student's entry is left out."""

from __future__ import annotations

import errno
import stat
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.intake.archive import CLASS_LIMITS, JUNK, Limits, Meter, is_folder, is_junk, pour, safe_name
from autograder.intake.names import shown
from autograder.intake.soundzip import Damaged, opened, pieces
from course_utils.errors import CourseError

# Exactly these names are nobody's: systems put them beside any file.
NOBODYS = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".gitkeep"}
SUBMITTED = "submitted"
APPLE_DOUBLE = b"\x00\x05\x16\x07"
# Of one student, packed: what is in a student's archive is bounded when it is taken in.
STUDENT_LIMITS = replace(Limits(), single=CLASS_LIMITS.single, notebook=CLASS_LIMITS.notebook)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
NAMELESS = "an entry without a name"


@dataclass(frozen=True)
class Entry:
    """One entry of a zip; ``parts`` are those of its name as it stands there, however hostile."""

    info: zipfile.ZipInfo
    parts: tuple[str, ...]

    @property
    def raw(self) -> str:
        """The whole name: Python's own cuts it at NUL."""
        return self.info.orig_filename if "\0" in self.info.orig_filename else self.info.filename

    @property
    def folder(self) -> bool:
        """Whether it is only a folder's name."""
        return is_folder(self.info)


@dataclass
class Unpacked:
    """A class's zip on the disk.

    Attributes:
        root: folder with its content.
        spoiled: parts of the name of each entry that could not be taken in, and why.
    """

    root: Path
    spoiled: dict[tuple[str, ...], str] = field(default_factory=dict)

    def below(self, folder: Path) -> tuple[dict[Path, str], dict[str, str]]:
        """Reasons by child of ``folder``, and by name for the entries that are in none of its children."""
        above = folder.relative_to(self.root).parts
        children: dict[Path, str] = {}
        others: dict[str, str] = {}
        for parts, reason in self.spoiled.items():
            if is_junk(PurePosixPath(*parts[len(above) + 1 :])):
                continue  # inside of a hand-in nobody misses it
            child = folder / parts[len(above)] if parts[: len(above)] == above and len(parts) > len(above) else None
            if child is not None and child.parent == folder and _there(child):
                children.setdefault(child, reason)
            else:
                others.setdefault("/".join(parts) or NAMELESS, reason)
        return children, others


def _there(path: Path) -> bool:
    try:
        return path.name not in ("", "..") and path.exists()
    except (OSError, ValueError):
        return False


def list_class(path: Path) -> list[Entry]:
    """Every entry of a zip that has a name, but those that are exactly nobody's; no name is judged.

    Raises:
        CourseError: not a sound archive.
        OSError: the machine is at fault.
    """
    return [one for one in _listed(path) if one.parts and not NOBODYS & set(one.parts)]


def _listed(path: Path) -> list[Entry]:
    try:
        with opened(path) as archive:
            return [_entry(info) for info in archive.infolist()]
    except Damaged as error:
        raise CourseError(f"{path.name}: not a sound zip archive ({error}); pack it again as .zip") from error


def _entry(info: zipfile.ZipInfo) -> Entry:
    raw = Entry(info, ()).raw.replace("\\", "/")
    return Entry(info, tuple(part for part in raw.split("/") if part not in ("", ".")))


def left_over(parts: Sequence[str], names: set[tuple[str, ...]], *, strict: bool) -> bool:
    """Whether a name, in a zip that may be a class or one hand-in, is an editor's or a system's.

    Args:
        names: all names of the zip.
        strict: it is said to be a class: only Jupyter's own copies are no student's.
    """
    if strict:
        return parts[0] == ".ipynb_checkpoints"
    twin = (*parts[:-1], parts[-1][2:])
    return bool(JUNK & set(parts)) or (parts[-1].startswith("._") and twin in names)


def unzip_class(path: Path, root: Path, limits: Limits = STUDENT_LIMITS) -> Unpacked:
    """Unpack the zip of a class below ``root``, each student's entries within ``limits``.

    Junk is left out inside of a student's hand-in only.

    The number of files is bounded for each student alone: what one student packed must not keep a class from being read.

    Raises:
        CourseError: not a sound archive, or the whole is larger than any class's.
    """
    entries = list_class(path)
    depth = _depth(entries)
    kept = [one for one in entries if not is_junk(PurePosixPath(*one.parts[depth + 1 :]))]
    unpacked = Unpacked(root, _doubled(kept) | _nameless(path))
    root.mkdir(parents=True, exist_ok=True)
    packed: dict[tuple[str, ...], int] = defaultdict(int)
    for one in kept:
        packed[one.parts[: depth + 1]] += one.info.compress_size
    meters = {item: Meter(item[-1], limits, packed=size) for item, size in packed.items()}
    if len(meters) > CLASS_LIMITS.files:
        raise CourseError(f"{path.name}: more than {CLASS_LIMITS.files:,} students in it; give the export of one class")
    whole = Meter(path.name, CLASS_LIMITS)
    with opened(path) as archive:
        for one in kept:
            meter = meters[one.parts[: depth + 1]]
            before = meter.total
            _take(archive, one, unpacked, meter)
            whole.add(meter.total - before)
    return unpacked


def _depth(entries: Sequence[Entry]) -> int:
    """Number of folders above the students': one if a single folder may hold the whole class."""
    tops = {one.parts[0] for one in entries}
    return 1 if len(tops) == 1 or SUBMITTED in tops else 0


def _nameless(path: Path) -> dict[tuple[str, ...], str]:
    """The entries that have no name at all, as one."""
    lost = any(not one.raw for one in _listed(path))
    return {(): "is in the archive, and nothing says whose it is"} if lost else {}


def _doubled(entries: Sequence[Entry]) -> dict[tuple[str, ...], str]:
    """Entries whose names are equal but for case: which of them counts is not clear."""
    same: dict[str, list[Entry]] = defaultdict(list)
    for one in entries:
        if not one.folder:
            same["/".join(one.parts).casefold()].append(one)
    return {
        one.parts: "is in the archive twice (capital and small letters count as the same)"
        for group in same.values()
        for one in group
        if len(group) > 1
    }


def _take(archive: zipfile.ZipFile, one: Entry, unpacked: Unpacked, meter: Meter) -> None:
    """Write one entry, or note why not; the student's place is made in either case, so that the student is seen."""
    reason = unpacked.spoiled.get(one.parts, "")
    try:
        if not reason:
            _pour(archive, one, unpacked.root, meter)
    except Damaged as error:
        reason = f"could not be unpacked ({error})"
    except CourseError as error:
        reason = str(error)
    except OSError as error:
        if error.errno in FULL:
            raise CourseError(f"{unpacked.root}: {error.strerror}; make room and run the same command again") from error
        reason = f"could not be unpacked ({error.strerror or error})"
    except ValueError:  # what Python says of a name that no system takes
        reason = "could not be unpacked (its name cannot be written)"
    if reason:
        unpacked.spoiled[one.parts] = reason
        _mark(unpacked.root, one)


def _pour(archive: zipfile.ZipFile, one: Entry, root: Path, meter: Meter) -> None:
    name = safe_name(one.raw, meter.where)
    kind = stat.S_IFMT(one.info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise CourseError(f"{shown(str(name))} is a link or a device; replace it by the file itself")
    if one.info.flag_bits & 1:
        raise CourseError(f"{shown(str(name))} is protected by a password; pack it again without one")
    target = root / Path(*one.parts)
    if one.folder:
        target.mkdir(parents=True, exist_ok=True)
        return
    meter.open(str(name), one.info.file_size)
    pour(pieces(archive, one.info), target, str(name), meter)


def _mark(root: Path, one: Entry) -> None:
    """Make the first two folders of an entry that was not taken in, as far as their names can be made."""
    here = root
    for number, part in enumerate(one.parts[:2], start=1):
        here = here / part
        if part == ".." or "\0" in part:
            return
        try:
            if not here.exists():
                here.mkdir() if number < len(one.parts) or one.folder else here.touch()
        except (OSError, ValueError):
            return


def nobodys(child: Path) -> bool:
    """Whether something beside the students' hand-ins was left there by a system, and is surely no student's."""
    if child.name in NOBODYS:
        return True
    if child.name == ".git":
        return (child / "HEAD").is_file()
    if child.name == ".ipynb_checkpoints":
        return child.is_dir() and all("-checkpoint." in one.name for one in child.iterdir())
    twin = child.with_name(child.name[2:]) if child.name.startswith("._") and len(child.name) > 2 else None
    if twin is None or not twin.exists() or child.is_symlink() or not child.is_file():
        return False
    with child.open("rb") as handle:  # macOS keeps what another disk cannot hold in ._NAME beside NAME
        return handle.read(4) == APPLE_DOUBLE
