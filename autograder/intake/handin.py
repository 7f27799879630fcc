"""One student's hand-in: brought in as regular files, its notebook rebuilt from the release's."""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.intake.archive import Limits, Meter, copy_file, copy_tree, is_junk, safe_name, unzip
from autograder.intake.names import shown
from autograder.intake.own import Mark, mark_of
from autograder.intake.platforms import OTHER_ARCHIVES, TIME_FILE, stamp
from autograder.intake.rebuild import notebook_sha, read_notebook, rebuild
from course_utils.errors import CourseError, visible


@dataclass(frozen=True)
class Found:
    """One student's hand-in as it lies there, not yet opened.

    Attributes:
        student: id made safe for file names.
        path: a zip, a notebook, or a folder.
        name: as the platform shows it.
        lms_id: the platform's own number, for exports.
        more: further loose files of the same student, as (path, name without the platform's prefix).
        own: name of ``path`` without the platform's prefix.
        late: whether the platform says so.
        time: when the platform received it, ISO 8601 in UTC, or an empty string.
        platform: the platform whose number ``lms_id`` is.
        sid: the school's number of the student, or an empty string.
        email: the student's address, or an empty string.
        bound: whether the class list has this platform's numbers, so that it vouches for ``lms_id``.
        came_as: the id that it came under, where that one is merged into ``student``.
    """

    student: str
    path: Path
    name: str = ""
    lms_id: str = ""
    more: tuple[tuple[Path, str], ...] = ()
    own: str = ""
    late: bool = False
    time: str = ""
    platform: str = ""
    sid: str = ""
    email: str = ""
    bound: bool = False
    came_as: str = ""


@dataclass(frozen=True)
class Intake:
    """One hand-in, taken in.

    Attributes:
        notebook: nbformat 4 JSON rebuilt from the skeleton.
        files: folder of handed-in files, regular files only.
        notes: what had to be mended, in sentences that the student may read.
        sha256: hash of the student's part of the notebook and of all files.
        received: UTC time, ISO 8601: the platform's where it gives one, else our own.
        late: whether the platform marked it as late.
        timed: whether ``received`` is the platform's; if not, it is when we first saw the hand-in.
        archive_time: what the archive's file says, never used for a deadline.
        handed: hash of the notebook's bytes as they came and of all files; empty in results of before.
        came_as: the id that it came under; not ``student`` where ids are merged. Empty in results of before.
        mark: what says that this is the grader's own copy, see :mod:`autograder.intake.own`; it is not kept.
    """

    student: str
    assignment: str
    notebook: dict[str, Any]
    files: Path
    notes: list[str]
    sha256: str
    received: str
    notebook_sha: str = ""
    archive_time: str = ""
    name: str = ""
    lms_id: str = ""
    late: bool = False
    platform: str = ""
    sid: str = ""
    email: str = ""
    timed: bool = False
    mark: Mark = field(default_factory=Mark)
    came_as: str = ""
    handed: str = ""

    def to_json(self) -> dict[str, Any]:
        """Everything but notebook and mark, as plain JSON values."""
        left_out = ("notebook", "files", "mark")
        return {k: v for k, v in asdict(self).items() if k not in left_out} | {"files": str(self.files)}


def take_in(
    found: Found,
    assignment: str,
    skeleton: Mapping[str, Any],
    dest: Path,
    limits: Limits = Limits(),
    received: str = "",
) -> Intake:
    """Unpack one hand-in below ``dest`` and rebuild its notebook.

    Args:
        found: from :func:`discover`.
        assignment: e.g. ``"07_knowledge"``.
        skeleton: the release's student notebook, nbformat 4 JSON.
        dest: folder for this student; replaced if it is there.
        limits: sizes that are accepted.
        received: UTC time of arrival, ISO 8601; now by default.

    Raises:
        CourseError: one sentence why this hand-in cannot be graded; ``dest`` is then gone.
    """
    received = found.time or received or datetime.now(UTC).isoformat(timespec="seconds")
    shutil.rmtree(dest, ignore_errors=True)
    raw = dest / "raw"
    try:
        raw.mkdir(parents=True)
        _stage(found, raw, assignment, limits)
        notebook, files, notes, mark, own = _read(found, assignment, skeleton, raw, dest, limits)
    except BaseException:
        shutil.rmtree(dest, ignore_errors=True)
        raise
    shutil.rmtree(raw, ignore_errors=True)
    content = notebook_sha(notebook)
    time = datetime.fromtimestamp(found.path.lstat().st_mtime, UTC).isoformat(timespec="seconds")
    notes = [visible(note) for note in notes]  # names of files stand in them, which may be no text at all
    sha, came = content_sha(content, files), found.came_as or found.student
    about = (mark, came, content_sha(own, files))
    who = (found.name, found.lms_id, found.late, found.platform, found.sid, found.email, bool(found.time), *about)
    return Intake(found.student, assignment, notebook, files, notes, sha, received, content, time, *who)


def _stage(found: Found, raw: Path, assignment: str, limits: Limits) -> None:
    """Bring everything of one student into ``raw`` as regular files; the limits hold for all of it together."""
    meter = Meter(found.student, limits)
    for path, name in ((found.path, found.own), *found.more):
        name, meter.where = PurePosixPath(name or path.name).name, found.student
        if path.is_symlink():
            raise CourseError(f"{path.name}: is a link; hand in the file itself")
        if path.is_dir():
            copy_tree(path, raw, limits, meter=meter)
        elif path.suffix.lower() == ".zip":
            unzip(path, raw / (_folder_for(name) if found.more else "."), limits, meter)
        elif path.suffix.lower() in OTHER_ARCHIVES:
            raise CourseError(f"{path.name}: this kind of archive is not read; pack the files as .zip")
        else:
            copy_file(path, raw / safe_name(name, found.student), name, meter)
    if not any(p.suffix == ".ipynb" for p in raw.rglob("*")):
        _open_nested(found, raw, assignment, meter)


def _folder_for(name: str) -> str:
    """The folder into which one of several archives is unpacked; a name like ``...zip`` must not lead out of the hand-in."""
    return Path(name).stem.strip(". ") or "archive"


def _open_nested(found: Found, raw: Path, assignment: str, meter: Meter) -> None:
    """Platforms wrap the student's zip in a folder: open it (of one level). Raises CourseError if there are several."""
    inner = sorted(raw.rglob("*.zip"))
    own = [path for path in inner if assignment.casefold() in path.stem.casefold()] or inner
    if len({_first_upload(path) for path in own}) > 1:
        names = ", ".join(shown(path.name) for path in own[:3])
        raise CourseError(f"{found.student}: several archives ({names}) and no notebook; keep the one that counts")
    if own:
        last = max(own, key=lambda path: (len(path.name), path.name))
        unzip(last, last.with_suffix(""), meter=meter)
        last.unlink()


def _first_upload(path: Path) -> Path:
    """The name that a file was first uploaded under: ``a-1.zip`` and ``a (1).zip`` as ``a.zip``."""
    return path.with_name(re.sub(r"(-| ?\()[0-9]{1,3}\)?$", "", path.stem) + path.suffix)


def _read(
    found: Found, assignment: str, skeleton: Mapping[str, Any], raw: Path, dest: Path, limits: Limits
) -> tuple[dict[str, Any], Path, list[str], Mark, str]:
    """Notebook, files, notes, the mark of a copy, and the hash of the notebook's bytes."""
    path, others = _pick_notebook(raw, assignment, found.student)
    size = path.stat().st_size
    Meter(found.student, limits).check(path.name, size)
    data = path.read_bytes()
    notebook, notes = rebuild(skeleton, read_notebook(data, f"{found.student}: {path.name}"), path.name)
    mark = mark_of(data, path.parent)
    if others:
        names = ", ".join(shown(one.name) for one in others[:3]) + (" …" if len(others) > 3 else "")
        count = f"{len(others)} further notebook{'s' * (len(others) > 1)} in the hand-in ({names})"
        notes.insert(0, f"{count}: {path.name} was graded")
    own = hashlib.sha256(data).hexdigest()
    return notebook, _collect_files(path.parent, raw, assignment, dest / "files"), notes, mark, own


def _pick_notebook(raw: Path, assignment: str, student: str) -> tuple[Path, list[Path]]:
    """The notebook of this assignment, and the others that may be meant: as well named, or named after the assignment."""
    paths = [p for p in raw.rglob("*.ipynb") if p.is_file() and not is_junk(PurePosixPath(p.relative_to(raw)))]
    if not paths:
        raise CourseError(f"{student}: no notebook in the hand-in; expected {assignment}.ipynb")

    def rank(path: Path) -> tuple[int, int, str]:
        name = path.stem.casefold()
        own = 0 if name == assignment.casefold() else 1 if assignment.casefold() in name else 2
        return own, len(path.parts), str(path)

    ordered = sorted(paths, key=rank)
    best = rank(ordered[0])[0]
    rivals = [p for p in ordered if rank(p)[0] == best]
    level = [p for p in rivals if len(p.parts) == len(ordered[0].parts) and p.parent != ordered[0].parent]
    if any(not _equal(ordered[0], p) for p in level):
        folders = " and ".join(shown(str(p.relative_to(raw))) for p in (ordered[0], level[0]))
        raise CourseError(f"{student}: different notebooks in {folders}; is it a class? Keep the one that counts")
    return ordered[0], [p for p in ordered[1:] if rank(p)[0] in (best, 1) and not _equal(ordered[0], p)]


def _equal(one: Path, other: Path) -> bool:
    return filecmp.cmp(one, other, shallow=False)


def _collect_files(folder: Path, raw: Path, assignment: str, dest: Path) -> Path:
    """Move the handed-in files to ``dest``: those beside the notebook, then those of ``work/<assignment>/``."""
    dest.mkdir(parents=True)
    tops = [folder] if folder == raw else [raw, folder]
    for root in [place for top in tops for place in (top, top / "work", top / "work" / assignment)]:
        for path in sorted(root.iterdir()) if root.is_dir() else []:
            inside = path.is_dir() and (root != folder or path.name in ("work", assignment))
            if path.suffix == ".ipynb" or (inside and root != folder / "work" / assignment):
                continue
            if path.name == TIME_FILE and root == folder and stamp(folder):
                continue  # nbgrader's own: the same work handed in again has another one
            target = dest / path.name
            if target.exists():
                shutil.rmtree(target) if target.is_dir() else target.unlink()
            shutil.move(path, target)
    return dest


def content_sha(notebook: str, files: Path) -> str:
    """Hash of a hand-in: of the student's cells (``notebook_sha``) and of all files with their names."""
    digest = hashlib.sha256(notebook.encode())
    for path in sorted(p for p in files.rglob("*") if p.is_file()):
        digest.update(json.dumps(os.fspath(path.relative_to(files))).encode())
        with path.open("rb") as handle:
            digest.update(hashlib.file_digest(handle, "sha256").digest())
    return digest.hexdigest()
