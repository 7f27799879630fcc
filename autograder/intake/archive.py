"""Unpacking of what students hand in: regular files only, with limits that hold whatever the archive's header claims."""

from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from autograder.intake.names import shown
from autograder.intake.soundzip import CHUNK, Damaged, opened, pieces
from course_utils.engine.files import first_error
from course_utils.errors import CourseError

MIB = 2**20
# What a name in a hand-in can make the system say; every other error is the machine's, and no student is told of it.
OF_NAMES = (errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ, errno.ELOOP)
OF_FILES = (*OF_NAMES, errno.ENXIO, errno.ENOENT, errno.EACCES, errno.EPERM)
# What editors and systems leave behind: of no use to a grader, and never a reason to refuse a submission.
JUNK = {
    "__MACOSX",
    "__pycache__",
    ".ipynb_checkpoints",
    ".git",
    ".venv",
    "venv",
    "node_modules",
    ".DS_Store",
    "Thumbs.db",
}


@dataclass(frozen=True)
class Limits:
    """Bounds of one submission.

    Attributes:
        files: number of files.
        single: size of one file, in bytes.
        total: size of all files after unpacking, in bytes.
        ratio: unpacked to packed size, looked at above 16 MiB.
        notebook: size of a notebook, in bytes.
    """

    files: int = 2_000
    single: int = 512 * MIB
    total: int = 2048 * MIB
    ratio: float = 200.0
    notebook: int = 20 * MIB

    def of(self, name: str) -> int:
        """The largest size in bytes that a file of this name may have."""
        return min(self.single, self.notebook) if name.lower().endswith(".ipynb") else self.single


# An export of a whole class: many students in one file, each of them bounded again when it is taken in.
CLASS_LIMITS = Limits(files=50_000, single=2048 * MIB, total=65_536 * MIB, notebook=2048 * MIB)


def size_text(size: float) -> str:
    """Bytes as people read them, e.g. ``2.0 GB``."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


@dataclass
class Meter:
    """A counter of what is written for one submission, which raises when a limit is passed."""

    where: str
    limits: Limits
    packed: int = 0
    files: int = 0
    total: int = 0

    def open(self, name: str, claimed: int) -> None:
        """Account for one more file of ``claimed`` bytes, before a byte of it is read."""
        self.files += 1
        if self.files > self.limits.files:
            raise CourseError(f"{self.where}: more than {self.limits.files:,} files; hand in only what was asked for")
        self.check(name, claimed)

    def check(self, name: str, size: int) -> None:
        """Raise if a file of this name may not have ``size`` bytes."""
        limit = self.limits.of(name)
        if size > limit:
            remedy = "clear its outputs" if name.lower().endswith(".ipynb") else "leave it out"
            raise CourseError(
                f"{self.where}: {shown(name)} is {size_text(size)}, the limit is {size_text(limit)}; {remedy} and hand in again"
            )

    def add(self, size: int) -> None:
        """Account for ``size`` bytes that were really unpacked."""
        self.total += size
        if self.total > self.limits.total:
            raise CourseError(f"{self.where}: unpacks to more than {size_text(self.limits.total)}; hand in less")
        if self.packed and self.total > max(16 * MIB, self.limits.ratio * self.packed):
            raise CourseError(f"{self.where}: unpacks to {self.limits.ratio:.0f} times its size, which no hand-in does")


def is_junk(name: PurePosixPath) -> bool:
    """Whether a path is a left-over of an editor or a system."""
    return any(part in JUNK or part.startswith("._") or part.endswith((".pyc", "~")) for part in name.parts)


def safe_name(raw: str, where: str) -> PurePosixPath:
    """A relative path without ``..``, whose name is text; raises CourseError for names that point outside the submission."""
    text = raw.replace("\\", "/").encode("utf-8", "replace").decode()  # bytes that are no text become question marks
    name = PurePosixPath(text)
    if name.is_absolute() or ".." in name.parts or (len(text) > 1 and text[1] == ":") or "\0" in text:
        raise CourseError(
            f"{where}: the entry {raw[:80]!r} points outside the archive; pack the files again without it"
        )
    if any(len(part.encode("utf-8", "replace")) > 200 for part in name.parts) or len(name.parts) > 20:
        raise CourseError(f"{where}: the entry {raw[:80]!r} has a name that is too long; rename it and pack again")
    return name


def is_folder(info: zipfile.ZipInfo) -> bool:
    """Whether an entry is only a folder's name. (Python's own question fails where the name is empty.)"""
    return info.filename.endswith("/") or stat.S_IFMT(info.external_attr >> 16) == stat.S_IFDIR


def entries(archive: zipfile.ZipFile, where: str) -> Iterator[tuple[zipfile.ZipInfo, PurePosixPath]]:
    """The archive's regular files with safe names.

    Raises:
        CourseError: a link, a device, a password, an entry without a name, or a name that is there twice.
    """
    seen: set[str] = set()
    for info in archive.infolist():
        if not info.filename:
            raise CourseError(f"{where}: an entry of the archive has no name; pack the files again")
        name = safe_name(info.filename, where)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise CourseError(
                f"{where}: {shown(str(name))} is a link or a device; replace it by the file itself and pack again"
            )
        if is_folder(info) or is_junk(name) or not name.parts:
            continue
        if info.flag_bits & 1:
            raise CourseError(f"{where}: the archive is protected by a password; pack it again without one")
        if str(name).casefold() in seen:
            raise CourseError(f"{where}: {shown(str(name))} is in the archive twice; pack it again")
        seen.add(str(name).casefold())
        yield info, name


def pour(blocks: Iterable[bytes], target: Path, name: str, meter: Meter) -> None:
    """Write a new file, counting the bytes that really come."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with first_error(target.open("xb")) as out:
        for block in blocks:
            size += len(block)
            meter.check(name, size)
            meter.add(len(block))
            out.write(block)


def unzip(path: Path, dest: Path, limits: Limits = Limits(), meter: Meter | None = None) -> None:
    """Unpack the regular files of ``path`` into ``dest``.

    Args:
        meter: counts what the same student handed in besides; by default this archive alone is counted.

    Raises:
        CourseError: one sentence for anything but a sound archive within ``limits``; ``dest`` may then hold a part. What is
            sound is decided in :mod:`autograder.intake.soundzip`.
        OSError: the machine is at fault, such as a full disk.
    """
    meter = meter or Meter(path.name, limits)
    student, meter.where = meter.where, path.name
    try:
        with regular(path, student, path.name) as source, opened(source) as archive:
            meter.packed += os.fstat(source.fileno()).st_size
            for info, name in entries(archive, path.name):
                meter.open(str(name), info.file_size)
                pour(pieces(archive, info), dest / name, str(name), meter)
    except Damaged as error:
        raise CourseError(f"{path.name}: not a sound zip archive ({error}); pack it again as .zip") from error
    except OSError as error:  # students read this: of a path of the host nothing is said
        if error.errno not in OF_NAMES:
            raise
        raise CourseError(f"{path.name}: could not be unpacked ({error.strerror}); pack it again as .zip") from error


def regular(path: Path, where: str, name: str) -> BinaryIO:
    """A regular file of a student, opened for reading; a link, a pipe or a device raises CourseError."""
    try:
        # O_NOFOLLOW: a link would bring in another student's work; O_NONBLOCK: opening a pipe must not wait for ever
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno not in OF_FILES:
            raise
        raise CourseError(f"{where}: {shown(name)} is a link or cannot be read; hand in the file itself") from error
    source = os.fdopen(handle, "rb")
    if stat.S_ISREG(os.fstat(source.fileno()).st_mode):
        return source
    source.close()
    raise CourseError(f"{where}: {shown(name)} is not a regular file; leave it out")


def copy_file(path: Path, target: Path, name: str, meter: Meter) -> None:
    """Copy one regular file; a link, a pipe or a device raises CourseError."""
    with regular(path, meter.where, name) as source:
        size = os.fstat(source.fileno()).st_size
        meter.packed += size
        meter.open(name, size)
        if target.exists():
            raise CourseError(f"{meter.where}: {shown(name)} was handed in twice; keep one of the two")
        pour(iter(lambda: source.read(CHUNK), b""), target, name, meter)


def copy_tree(path: Path, dest: Path, limits: Limits = Limits(), where: str = "", meter: Meter | None = None) -> None:
    """Copy the regular files below a folder into ``dest``; raises CourseError for links, devices and excess."""
    meter = meter or Meter(where or path.name, limits)
    for folder, folders, files in os.walk(path, followlinks=False):
        here = Path(folder).relative_to(path)
        safe_name(str(here), meter.where)  # before the next folder is opened: the walk must not be endless
        folders[:] = sorted(name for name in folders if not is_junk(PurePosixPath(name)))
        links = [name for name in folders if (path / here / name).is_symlink()]
        if links:
            raise CourseError(f"{meter.where}: {here / links[0]} is a link; hand in the folder itself")
        for name in sorted(files):
            relative = here / name
            if not is_junk(PurePosixPath(relative)):
                # the names of a zip and of a folder obey the same rules: whoever packs, reports or sends them relies on it
                copy_file(path / relative, dest / safe_name(str(relative), meter.where), str(relative), meter)
