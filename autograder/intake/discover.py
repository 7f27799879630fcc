"""From a folder of hand-ins, in whatever form a learning platform exports them, to notebooks that may be graded."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import re
import shutil
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.intake.archive import CLASS_LIMITS, JUNK, Limits, Meter, copy_file, copy_tree, is_junk, unzip, zip_names
from autograder.intake.rebuild import notebook_sha, read_notebook, rebuild
from course_utils.errors import CourseError

# Canvas: lastfirst[_LATE]_<user>_<attachment>_<file>; Moodle: First Last_<participant>_assignsubmission_file_[<file>]
CANVAS = re.compile(r"^(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)$")
MOODLE = re.compile(r"^(?P<name>.+)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)$")
GRADESCOPE = re.compile(r"^submission_(?P<id>\d+)$")
OTHER_ARCHIVES = (".tar", ".gz", ".tgz", ".7z", ".rar", ".bz2", ".xz")


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
    """

    student: str
    path: Path
    name: str = ""
    lms_id: str = ""
    more: tuple[tuple[Path, str], ...] = ()
    own: str = ""


@dataclass(frozen=True)
class Intake:
    """One hand-in, taken in.

    Attributes:
        notebook: nbformat 4 JSON rebuilt from the skeleton.
        files: folder of handed-in files, regular files only.
        notes: what had to be mended, in sentences that the student may read.
        sha256: hash of the student's part of the notebook and of all files.
        received: our own UTC time, ISO 8601.
        archive_time: what the archive's file says, never used for a deadline.
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

    def to_json(self) -> dict[str, Any]:
        """Everything but the notebook, as plain JSON values."""
        return {k: v for k, v in asdict(self).items() if k not in ("notebook", "files")} | {"files": str(self.files)}


def student_id(name: str) -> str:
    """A name as an id that is safe in paths, URLs and nbgrader: ``Müller, Jr`` becomes ``Müller_Jr``."""
    text = unicodedata.normalize("NFC", name).strip()
    text = re.sub(r"[^\w.@+-]+", "_", text).strip("._")[:80]
    return text or "student_" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]


@dataclass
class _Item:
    path: Path
    name: str
    lms_id: str = ""
    file: str = field(default="")


def discover(path: Path | str) -> list[Found]:
    """All hand-ins below ``path``, sorted by student.

    Understood: a folder of zips or of folders, nbgrader's ``submitted/``, exports of Canvas, Moodle and Gradescope
    (folder or the platform's one big zip), one single hand-in.

    Raises:
        CourseError: nothing there, or an export that is not a sound archive.
    """
    path = Path(path)
    if not path.exists():
        raise CourseError(f"{path}: no such file or folder; give the folder or the zip that holds the submissions")
    if path.is_file():
        if path.suffix.lower() != ".zip" or not _holds_many(path):
            return _group([_item(path)])
        path = _open_export(path)
    found = _group(_items(path))
    if not found:
        raise CourseError(f"{path}: no submissions in it; expected one zip, notebook or folder per student")
    return found


def _holds_many(path: Path) -> bool:
    """Whether a zip is a platform's export of a class, not one student's hand-in."""
    try:
        names = zip_names(path)
    except CourseError:
        return False  # it is reported when it is taken in
    archives = [name for name in names if name.suffix.lower() == ".zip"]
    tops = {name.parts[0] for name in names if name.suffix == ".ipynb" and len(name.parts) > 1}
    known = any(_platform(part) for name in names for part in name.parts)
    return known or bool(archives) or len(tops) > 1


def _open_export(path: Path) -> Path:
    scratch = Path(tempfile.mkdtemp(prefix="submissions-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    unzip(path, scratch, CLASS_LIMITS)
    return scratch


def _platform(name: str) -> re.Match[str] | None:
    return MOODLE.match(name) or CANVAS.match(name) or GRADESCOPE.match(name)


def _item(path: Path) -> _Item:
    """Who handed this in, from the name of the file or folder."""
    stem = path.name if path.is_dir() else path.stem
    match = _platform(path.name)
    if not match:
        return _Item(path, stem, "", path.name)
    parts = match.groupdict()
    name = parts.get("name") or stem
    return _Item(path, name, parts["id"], parts.get("file") or path.name)


def _visible(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if not p.name.startswith(".") and p.name not in JUNK)


def _is_handin(folder: Path) -> bool:
    """A folder that is itself one student's hand-in: a notebook or ``work/`` directly in it."""
    children = _visible(folder)
    notebooks = [p for p in children if p.suffix == ".ipynb" and not _platform(p.name)]
    return len(notebooks) == 1 or (bool(notebooks) and any(p.name == "work" and p.is_dir() for p in children))


def _items(folder: Path) -> list[_Item]:
    children = _visible(folder)
    if _is_handin(folder):
        return [_item(folder)]
    if (folder / "submitted").is_dir() and not (folder / "submitted").is_symlink():
        return _items(folder / "submitted")
    if len(children) == 1 and children[0].is_dir() and not children[0].is_symlink() and _is_wrapper(children[0]):
        return _items(children[0])
    roster = _gradescope_names(folder)
    items = [_item(p) for p in children if _is_submission(p)]
    for item in items:
        item.name = roster.get(item.path.name, item.name)
    return items


def _is_wrapper(folder: Path) -> bool:
    """A folder that only holds a class (an export's top folder), not one student's folder of assignments."""
    inner = _visible(folder)
    archives = [p for p in inner if p.suffix.lower() == ".zip"]
    students = [p for p in inner if p.is_dir() and _is_handin(p) and not (p / f"{p.name}.ipynb").exists()]
    return any(_platform(p.name) for p in inner) or max(len(archives), len(students)) > 1


def _is_submission(path: Path) -> bool:
    if path.is_dir() or _platform(path.name):
        return True
    return path.suffix.lower() in (".zip", ".ipynb", *OTHER_ARCHIVES)


def _gradescope_names(folder: Path) -> dict[str, str]:
    """Submission folder to the submitters' names, from Gradescope's own ``submission_metadata.yml``."""
    path = folder / "submission_metadata.yml"
    if not path.is_file() or path.stat().st_size > 20 * 2**20:
        return {}
    try:
        import yaml

        data = yaml.safe_load(path.read_text(encoding="utf-8", errors="replace"))
        return {str(key): _submitters(entry) for key, entry in dict(data).items() if _submitters(entry)}
    except (ImportError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
    except Exception as error:  # yaml's own errors share no base class with ours
        raise CourseError(f"{path.name}: not readable as YAML ({type(error).__name__}); export again") from error


def _submitters(entry: Any) -> str:
    people = entry.get(":submitters") or entry.get("submitters") or [] if isinstance(entry, Mapping) else []
    return ", ".join(str(p.get(":name") or p.get("name") or "") for p in people if isinstance(p, Mapping)).strip(", ")


def _group(items: list[_Item]) -> list[Found]:
    """One Found per student: loose files of one student belong together, two students of one name do not."""
    people: dict[tuple[str, str], list[_Item]] = defaultdict(list)
    for item in items:
        people[(item.name, item.lms_id)].append(item)
    ids: dict[str, int] = defaultdict(int)
    for name, _ in people:
        ids[student_id(name).casefold()] += 1
    found, used = [], set()
    for (name, number), group in people.items():
        student = student_id(name)
        if ids[student.casefold()] > 1 and number:
            student = f"{student}_{number}"
        while student.casefold() in used:  # two files of one stem: alice.zip and alice/
            student += "_2"
        used.add(student.casefold())
        first, *rest = group
        more = tuple((item.path, item.file) for item in rest)
        found.append(Found(student, first.path, name, number, more, first.file))
    return sorted(found, key=lambda one: one.student)


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
    received = received or datetime.now(UTC).isoformat(timespec="seconds")
    shutil.rmtree(dest, ignore_errors=True)
    raw = dest / "raw"
    try:
        raw.mkdir(parents=True)
        _stage(found, raw, limits)
        notebook, files, notes = _read(found, assignment, skeleton, raw, dest, limits)
    except BaseException:
        shutil.rmtree(dest, ignore_errors=True)
        raise
    shutil.rmtree(raw, ignore_errors=True)
    content = notebook_sha(notebook)
    time = datetime.fromtimestamp(found.path.lstat().st_mtime, UTC).isoformat(timespec="seconds")
    sha = _content_sha(content, files)
    return Intake(
        found.student, assignment, notebook, files, notes, sha, received, content, time, found.name, found.lms_id
    )


def _stage(found: Found, raw: Path, limits: Limits) -> None:
    """Bring everything of one student into ``raw`` as regular files."""
    for path, name in ((found.path, found.own), *found.more):
        name = PurePosixPath(name or path.name).name
        if path.is_symlink():
            raise CourseError(f"{path.name}: is a link; hand in the file itself")
        if path.is_dir():
            copy_tree(path, raw, limits, where=found.student)
        elif path.suffix.lower() == ".zip":
            unzip(path, raw / (Path(name).stem if found.more else "."), limits)
        elif path.suffix.lower() in OTHER_ARCHIVES:
            raise CourseError(f"{path.name}: this kind of archive is not read; pack the files as .zip")
        else:
            copy_file(path, raw / name, name, Meter(found.student, limits))
    if not any(p.suffix == ".ipynb" for p in raw.rglob("*")):
        _open_nested(found, raw, limits)


def _open_nested(found: Found, raw: Path, limits: Limits) -> None:
    """Platforms wrap the student's zip in a folder: open the newest one (of one level)."""
    inner = sorted(raw.rglob("*.zip"), key=lambda p: (len(p.name), p.name))
    if inner:
        unzip(inner[-1], inner[-1].with_suffix(""), limits)
        inner[-1].unlink()


def _read(
    found: Found, assignment: str, skeleton: Mapping[str, Any], raw: Path, dest: Path, limits: Limits
) -> tuple[dict[str, Any], Path, list[str]]:
    path, others = _pick_notebook(raw, assignment, found.student)
    size = path.stat().st_size
    Meter(found.student, limits).check(path.name, size)
    notebook, notes = rebuild(skeleton, read_notebook(path.read_bytes(), f"{found.student}: {path.name}"), path.name)
    if others:
        notes.insert(0, f"{others} further notebook{'s' * (others > 1)} in the hand-in: {path.name} was graded")
    return notebook, _collect_files(path.parent, raw, assignment, dest / "files"), notes


def _pick_notebook(raw: Path, assignment: str, student: str) -> tuple[Path, int]:
    """The notebook of this assignment, and how many others there are."""
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
    return ordered[0], len(rivals) - 1


def _collect_files(folder: Path, raw: Path, assignment: str, dest: Path) -> Path:
    """Move the handed-in files to ``dest``: those beside the notebook, then those of ``work/<assignment>/``."""
    dest.mkdir(parents=True)
    tops = [folder] if folder == raw else [raw, folder]
    for root in [place for top in tops for place in (top, top / "work", top / "work" / assignment)]:
        for path in sorted(root.iterdir()) if root.is_dir() else []:
            inside = path.is_dir() and (root != folder or path.name in ("work", assignment))
            if path.suffix == ".ipynb" or (inside and root != folder / "work" / assignment):
                continue
            target = dest / path.name
            if target.exists():
                shutil.rmtree(target) if target.is_dir() else target.unlink()
            shutil.move(path, target)
    return dest


def _content_sha(notebook: str, files: Path) -> str:
    digest = hashlib.sha256(notebook.encode())
    for path in sorted(p for p in files.rglob("*") if p.is_file()):
        digest.update(json.dumps(os.fspath(path.relative_to(files))).encode())
        with path.open("rb") as handle:
            digest.update(hashlib.file_digest(handle, "sha256").digest())
    return digest.hexdigest()
