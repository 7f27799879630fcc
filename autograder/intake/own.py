"""What the grader wrote itself: its copies of hand-ins in ``submitted/`` are no new ones, and its folders hold none.

A copy is known by the signature in its notebook's metadata: a keyed hash, with the release's secret, of the hand-in that it
is of and of the cells as the grader wrote them. Nobody without the secret can make one, and with other cells it is none. The
hand-in must be one of this student's in the ledger. Copies of hand-ins that a version before the signature judged have its
mark, or the time beside the notebook: they are known where the cells are those of that hand-in.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from autograder.intake.platforms import SUBMITTED, TIME_FILE, stamp
from autograder.intake.rebuild import OWN, pictures_of
from course_utils.errors import CourseError

KEY, OF, SIGNED = OWN, "copy_of", "signature"
# Folders of a release in which no hand-in lies that was not graded; of instructor/ all but submitted/
GRADERS = ("student", "private")
WRITTEN = ("intake", "report", "feedback")  # below the folder of results
UNSIGNED = "the notebook says that it is the grader's own copy, and is none: it was judged as what was handed in"


@dataclass(frozen=True)
class Judged:
    """What the ledger knows of one hand-in that was judged.

    Attributes:
        notebook: hash of the student's cells.
        marks: what copies say that a version before the signature wrote.
        unsigned: whether such a version judged it, so that there may be copies without a signature.
        written: hash of the cells as they stand in its copy, or an empty string if that is not known.
    """

    notebook: str
    marks: frozenset[str] = frozenset()
    unsigned: bool = False
    written: str = ""

    def joined(self, other: Judged) -> Judged:
        """The same work under two ids of one person."""
        unsigned = self.unsigned or other.unsigned
        return Judged(
            self.notebook or other.notebook, self.marks | other.marks, unsigned, self.written or other.written
        )


@dataclass(frozen=True)
class Mark:
    """What a notebook, or the time beside it, says of being a copy.

    Attributes:
        of: hash of the hand-in, or the time; an empty string where nothing is said.
        cells: hash of the cells as they stand in the file.
        signature: as it stands there, not yet compared.
        said: whether the notebook itself says it.
    """

    of: str = ""
    cells: str = ""
    signature: str = ""
    said: bool = False


def marked(notebook: Mapping[str, Any], sha: str, key: bytes) -> dict[str, Any]:
    """A notebook for ``submitted/`` that says of which hand-in it is a copy, with the signature of the release's key."""
    said = {OF: sha, SIGNED: _signature(key, sha, cells_hash(notebook))}
    return {**notebook, "metadata": {**notebook.get("metadata", {}), KEY: said}}


def _signature(key: bytes, sha: str, cells: str) -> str:
    return hmac.new(key, json.dumps(["copy", sha, cells]).encode(), sha256).hexdigest()


def cells_hash(notebook: Mapping[str, Any]) -> str:
    """Hash of the kinds, texts and pictures of all cells, as they stand in the file."""
    rows = []
    for cell in notebook.get("cells") or []:
        source = cell.get("source") if isinstance(cell, Mapping) else ""
        lines = source if isinstance(source, list) else [source]
        kind = cell.get("cell_type") if isinstance(cell, Mapping) else ""
        picture = pictures_of(cell) if isinstance(cell, Mapping) else ""
        rows.append([str(kind), "".join(line for line in lines if isinstance(line, str)), *filter(None, [picture])])
    return sha256(json.dumps(rows).encode("utf-8", "replace")).hexdigest()


def mark_of(data: bytes, folder: Path) -> Mark:
    """What a notebook or the time beside it says of being a copy.

    Args:
        data: the notebook's file, which :func:`autograder.intake.rebuild.read_notebook` has read.
        folder: where it lies.
    """
    notebook = json.loads(data.decode("utf-8-sig"))
    own = notebook.get("metadata")
    said = own.get(KEY) if isinstance(own, dict) else None
    value = said.get(OF) if isinstance(said, dict) else None
    if isinstance(said, dict) and isinstance(value, str):
        signature = said.get(SIGNED)
        return Mark(value, cells_hash(notebook), signature if isinstance(signature, str) else "", said=True)
    time = (folder / TIME_FILE).read_text(encoding="utf-8", errors="replace")[:100] if stamp(folder) else ""
    return Mark(time, cells_hash(notebook)) if time else Mark()


def time_text(received: str) -> str:
    """A time, ISO 8601 with its zone, as nbgrader reads it beside a notebook."""
    return datetime.fromisoformat(received).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC\n")


def copied(mark: Mark, notebook_sha: str, files: Path, judged: Mapping[str, Judged], stands: str, key: bytes) -> str:
    """The hash of the judged hand-in that this is the grader's copy of, or an empty string. A copy has no files.

    Args:
        mark: of :func:`mark_of`.
        notebook_sha: hash of the student's cells.
        files: the folder with what was handed in beside the notebook.
        judged: this student's hand-ins by hash.
        stands: hash of the one that counts.
        key: the release's, of :func:`autograder.grading.store.copies_key`.
    """
    if not mark.of or any(files.iterdir()):
        return ""
    if hmac.compare_digest(mark.signature.encode("utf-8", "replace"), _signature(key, mark.of, mark.cells).encode()):
        return mark.of if mark.of in judged else ""
    # a second rebuild of a copy may differ from the first: its cells are compared as they were written, too
    same = [
        sha
        for sha, one in judged.items()
        if one.unsigned and mark.of in one.marks and (one.notebook == notebook_sha or one.written == mark.cells != "")
    ]
    return stands if stands in same else next(iter(same), "")  # in a release of before several may have one time


def require_handins(path: Path, root: Path, out: Path, platform: str) -> None:
    """Refuse a folder that is the release itself, holds it, or is one that the grader writes.

    Args:
        path: what is to be graded.
        root: the release.
        out: the folder of results.
        platform: as given, or an empty string.

    Raises:
        CourseError: it is one of these; the sentence names what to give.
    """
    here, root, out = path.resolve(), root.resolve(), out.resolve()
    copies = root / "instructor" / SUBMITTED
    # what lies in a student's folder says nothing of it: of the folders inside only this release itself is looked for
    releases = [one for one in _folders(here) if one == root or (one == here and _is_release(one))]
    if releases:
        raise CourseError(f"{path}: holds a release ({releases[0]}), not hand-ins; give the folder with the hand-ins")
    others = [one for one in (here, *here.parents) if one.name == "instructor" and _is_release(one.parent)]
    if others and others[0].parent != root:
        raise CourseError(
            f"{path}: belongs to another release, whose copies have no files; give the hand-ins themselves"
        )
    if here == copies and platform not in ("", "nbgrader"):
        raise CourseError(f"{path}: is nbgrader's folder of this release; grade it with --from nbgrader")
    if copies in here.parents:
        raise CourseError(f"{path}: is one student's folder of this release; give {copies} with --from nbgrader")
    own = [*(root / name for name in GRADERS), *(out / name for name in WRITTEN), root / "instructor"]
    if here != copies and here.is_dir() and any(folder in (here, *here.parents) for folder in own):
        raise CourseError(f"{path}: is a folder of the grader's own; give the folder with the hand-ins")


def _is_release(folder: Path) -> bool:
    return (folder / "release.json").is_file() and (folder / "private").is_dir()


def _folders(here: Path) -> Iterable[Path]:
    return [here, *(child for child in here.iterdir() if child.is_dir())] if here.is_dir() else []
