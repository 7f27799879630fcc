"""A release in one file: all that cannot be made again, checked when it is written and when it is put back."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from autograder.grading.byhand import collect
from autograder.grading.copies import REMEDY, LedgerError
from autograder.grading.database import copy_book
from autograder.grading.entering import rebuild_gradebook
from autograder.grading.lock import alone, person
from autograder.grading.repair import changed_checks, changed_marks, changed_results
from autograder.grading.store import ReleaseLike, course_dir, open_ledger, result_path
from autograder.intake.archive import size_text
from autograder.intake.names import shown
from autograder.intake.soundzip import Damaged, blamed
from autograder.release.gradebook import point_to
from autograder.release.read import load_release
from course_utils.engine.files import first_error, free_name
from course_utils.errors import CourseError

MANIFEST, FORMAT = "backup.json", 1
MAX_MANIFEST = 64 * 2**20  # bytes, unpacked
BOOK = "instructor/gradebook.db"
# made again by ledger rebuild, report and feedback
DERIVED = ("instructor/submitted", "instructor/autograded", "instructor/feedback", "instructor/release")
PAGES = ("grading/report", "grading/feedback")
HANDED_IN = "grading/intake"
# hidden files are locks and halves of writes; a result that waits is finished or undone when the release is held
PASSING = re.compile(r"^instructor/gradebook\.db.|(^|/)(\.|[^/]*\.next$|__pycache__(/|$))")


@dataclass(frozen=True)
class Backup:
    """What a backup says of itself.

    Attributes:
        release: id of the release.
        made: when, ISO 8601.
        entries: of the ledger.
        head: hash of the last one.
        files: SHA-256 by path below the release.
        left_out: files that were handed in under a name that a zip cannot hold.
    """

    release: str
    made: str
    entries: int
    head: str
    files: dict[str, str]
    left_out: list[str] = field(default_factory=list)


def back_up(release: ReleaseLike, target: Path, *, overwrite: bool = False, handed_in: bool = False) -> Backup:
    """Write a release into one file that its owner alone may read: it holds the term's secret and students' work.

    Args:
        target: the file, a zip.
        overwrite: replace an older file.
        handed_in: also the unpacked files that students handed in, such as weights; grades do not depend on them.

    Raises:
        CourseError: the file is there already, lies in the release or cannot be written, the ledger or a result was
            changed, something in the release is no regular file, or somebody is grading.
    """
    if target.is_dir() or (target.exists() and not overwrite):
        raise CourseError(f"{target}: is there already; choose another name, or give --overwrite to replace a file")
    if Path(release.root).resolve() in target.absolute().resolve().parents:
        raise CourseError(f"{target}: lies in the release, so the next backup would hold it; choose another folder")
    with alone(course_dir(release)):
        collect(release, person())
        entries, head = open_ledger(release).verify()
        wrong = changed_results(release)
        if wrong:
            raise CourseError(f"a backup would keep what was changed: {wrong[0]}")
        try:
            return _write(release, target, (entries, head), handed_in=handed_in)
        except (OSError, sqlite3.Error) as error:
            raise CourseError(f"{target}: cannot be written ({error}); make room, or choose another folder") from error


def _beside(path: Path) -> tempfile.TemporaryDirectory[str]:
    """A temporary folder on the same disk; what cannot be cleared away there hides no error."""
    return tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent, ignore_cleanup_errors=True)


def _write(release: ReleaseLike, target: Path, end: tuple[int, str], *, handed_in: bool) -> Backup:
    """The file aside, read back, then moved into place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with _beside(target) as folder:
        aside, hashes, left = Path(folder) / "backup.zip", {}, []
        # a zip has no dates before 1980, which files of reproducible builds have
        new = zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)
        with first_error(new) as archive:
            for part, path in _parts(Path(release.root).resolve(), Path(folder), handed_in=handed_in):
                if not _nameable(part) and _below(part, HANDED_IN):  # a student must not keep a teacher from a backup
                    left.append(shown(part.removeprefix(f"{HANDED_IN}/")))
                    continue
                if not _nameable(part):
                    raise CourseError(f"{shown(part)}: a zip cannot hold this name; give the file another one")
                archive.write(path, part)
                hashes[part] = _digest(path)
            _require_results(release, hashes)
            made = datetime.now(UTC).isoformat(timespec="seconds")
            about = {"format": FORMAT, "release": release.id, "made": made, "entries": end[0], "head": end[1]}
            archive.writestr(MANIFEST, json.dumps(about | {"files": hashes, "left_out": left}, indent=1))
        found = _read(aside)
        with aside.open("rb") as handle:
            os.fsync(handle.fileno())
        aside.chmod(0o600)
        aside.replace(target)
    return found


def _require_results(release: ReleaseLike, written: Mapping[str, str]) -> None:
    """Raise CourseError where a result that the ledger speaks of was not written."""
    root, course = Path(release.root).resolve(), course_dir(release).resolve()
    for (assignment, student), standing in open_ledger(release).standings().items():
        part = result_path(course, assignment, student).relative_to(root).as_posix()
        if standing.verdict and part not in written:
            raise CourseError(
                f"{shown(part)}: the backup would lack this result; please report it as a mistake of ours"
            )


def _parts(root: Path, folder: Path, *, handed_in: bool) -> Iterator[tuple[str, Path]]:
    """Names in the backup, and the files. The gradebook is copied first, so that no program can write to it meanwhile."""
    if (root / BOOK).exists():
        copy_book(root / BOOK, folder / "book")
        yield BOOK, folder / "book"
    for path in sorted(root.rglob("*")):
        part = path.relative_to(root).as_posix()
        left_out = part == BOOK or _passing(part) or (not handed_in and _below(part, HANDED_IN))
        if left_out or stat.S_ISDIR(path.lstat().st_mode):
            continue
        if not stat.S_ISREG(path.lstat().st_mode):
            raise CourseError(f"{path}: a link or a device, which a backup cannot hold; put the file itself there")
        yield part, path


def _nameable(part: str) -> bool:
    """Whether a zip gives this name back: names on a disk are bytes, and a backslash is a slash elsewhere."""
    return "\\" not in part and part.isprintable()


def _below(part: str, folder: str) -> bool:
    return part == folder or part.startswith(f"{folder}/")


def _passing(part: str) -> bool:
    """Whether a part is made again after a restore, or is of one moment; students may call their files so."""
    moment = PASSING.search(part) and not _below(part, HANDED_IN)
    return bool(moment) or any(_below(part, one) for one in (*DERIVED, *PAGES))


def _digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _read(path: Path) -> Backup:
    """What a file says of itself, every part compared with its hash.

    Raises:
        CourseError: it is no backup, of a later version, or damaged.
    """
    try:
        with blamed(), zipfile.ZipFile(path) as archive:
            if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST:
                raise ValueError("its list of files is too long")
            about = json.loads(archive.read(MANIFEST))
            if about.pop("format") != FORMAT:
                raise CourseError(f"{path}: made by a later version of the course; use that one")
            found = Backup(**about)
            _compare(path, archive, found)
    except (Damaged, OSError) as error:
        raise CourseError(f"{path}: not a backup, or a damaged one ({error}); use another one") from error
    return found


def _compare(path: Path, archive: zipfile.ZipFile, found: Backup) -> None:
    names = [name for name in archive.namelist() if name != MANIFEST]
    if sorted(names) != sorted(found.files):
        raise CourseError(f"{path}: parts are missing or were added; use another backup")
    folders = {str(folder) for name in names for folder in PurePosixPath(name).parents}
    for name in names:
        inside = PurePosixPath(name)
        if inside.is_absolute() or ".." in inside.parts or "\\" in name:
            raise CourseError(f"{path}: {name!r} would lie outside of the release; use another backup")
        plain = str(inside) == name and _nameable(name) and all(len(os.fsencode(one)) < 256 for one in inside.parts)
        if not plain or name in folders or _passing(name) or not _regular(archive.getinfo(name)):
            raise CourseError(f"{path}: {name!r} is no file that a backup holds; use another backup")
        with archive.open(name) as part:
            if hashlib.file_digest(part, "sha256").hexdigest() != found.files[name]:  # type: ignore[arg-type]
                raise CourseError(f"{path}: {name} is not as it was written; use another backup")


def _regular(info: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(info.external_attr >> 16)
    return kind in (0, stat.S_IFREG) and not info.is_dir()


def restore(source: Path, folder: Path, *, overwrite: bool = False, progress: bool = True) -> Backup:
    """Put a release back from a backup, with everything that is made of it; all or nothing.

    Args:
        folder: where the release shall lie.
        overwrite: set aside what is there, as ``FOLDER.before-N``; nothing is deleted.

    Raises:
        CourseError: the folder is in use, somebody grades there, the backup is damaged, or what it holds does not agree
            with its ledger.
    """
    folder = folder.absolute()
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]) and not overwrite:
        raise CourseError(f"{folder}: something is here already; choose another folder, or give --overwrite")
    _require_room(source, folder)
    found = _read(source)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _beside(folder) as aside:
            fresh = Path(aside) / "release"
            _unpack(source, fresh)
            try:
                _require_sound(load_release(fresh, gradebook=False), found, progress=progress)
            except LedgerError as error:  # its remedies are for a release in use
                words = str(error).replace(f"{fresh}/", "").split(f"; {REMEDY}")[0]
                raise CourseError(f"the backup does not agree with itself: {words}; use another one") from error
            course = folder / "instructor"
            with alone(course) if course.is_dir() else nullcontext():
                if folder.exists():
                    folder.rename(free_name(folder))
                fresh.rename(folder)
    except OSError as error:
        raise CourseError(f"{folder}: cannot be written ({error}); make room, or choose another folder") from error
    return found


def _require_room(source: Path, folder: Path) -> None:
    """Raise CourseError where the backup says that it unpacks to more than the disk has; no part can exceed what it says."""
    if source.exists() and not source.is_file():
        raise CourseError(f"{source}: not a file; give one that the backup command wrote")
    try:
        with blamed(), zipfile.ZipFile(source) as archive:
            size = sum(info.file_size for info in archive.infolist())
    except (Damaged, OSError) as error:
        raise CourseError(f"{source}: not a backup, or a damaged one ({error}); use another one") from error
    place = next(parent for parent in folder.parents if parent.exists())
    free = shutil.disk_usage(place).free
    if size > free:
        raise CourseError(
            f"{source}: unpacks to {size_text(size)}, {place} has {size_text(free)}; make room, or use another one"
        )


def _unpack(source: Path, fresh: Path) -> None:
    fresh.mkdir()
    with zipfile.ZipFile(source) as archive:
        for name in (one for one in archive.namelist() if one != MANIFEST):
            place = fresh / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(name) as part, first_error(place.open("xb")) as handle:
                shutil.copyfileobj(part, handle)
    for private, mode in (("private", 0o700), ("release.json", 0o600)):  # whoever reads them can make the answers
        if (fresh / private).exists():
            (fresh / private).chmod(mode)
    point_to(fresh / "instructor")


def _require_sound(release: ReleaseLike, found: Backup, *, progress: bool) -> None:
    """Ledger, results and gradebook agree, after nbgrader's folders were made again."""
    entries, head = open_ledger(release).verify()
    wrong = changed_results(release)
    if release.id != found.release:
        wrong.insert(0, f"release.json is of {release.id}, its list of files of {found.release}")
    if (entries, head) != (found.entries, found.head):
        wrong.insert(0, f"the ledger has {entries} entries where {found.entries} were written")
    if not wrong:
        rebuild_gradebook(release, progress=progress)
        wrong = changed_checks(release) + changed_marks(release)
    if wrong:
        raise CourseError(f"the backup does not agree with itself: {wrong[0]}; use another one")
