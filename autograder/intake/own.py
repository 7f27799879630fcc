"""What the grader wrote itself: its copies of hand-ins in ``submitted/`` are no new ones, and its folders hold none.

A copy is known by what it says and by what was judged: the mark in its notebook's metadata (or, in releases of before, the
time beside it) must belong to a hand-in of this student in the ledger, and the cells must be those of that hand-in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from autograder.intake.platforms import SUBMITTED, TIME_FILE, stamp
from course_utils.errors import CourseError

KEY, OF, CELLS = "autograder", "copy_of", "cells"
WHOLE = "whole:"  # before the mark of a copy whose cells are as the grader wrote them
# Folders of a release in which no hand-in lies that was not graded; of instructor/ all but submitted/
GRADERS = ("student", "private")
WRITTEN = ("intake", "report", "feedback")  # below the folder of results


@dataclass(frozen=True)
class Judged:
    """What the ledger knows of one hand-in that was judged: the hash of its cells, and the marks that copies of it have."""

    notebook: str
    marks: frozenset[str]


def marked(notebook: Mapping[str, Any], sha: str) -> dict[str, Any]:
    """A notebook for ``submitted/`` that says of which hand-in it is a copy."""
    return {**notebook, "metadata": {**notebook.get("metadata", {}), KEY: {OF: sha, CELLS: _cells(notebook)}}}


def _cells(notebook: Mapping[str, Any]) -> str:
    """Hash of the kinds and texts of all cells, as they stand in the file."""
    rows = []
    for cell in notebook.get("cells") or []:
        source = cell.get("source") if isinstance(cell, Mapping) else ""
        lines = source if isinstance(source, list) else [source]
        kind = cell.get("cell_type") if isinstance(cell, Mapping) else ""
        rows.append([str(kind), "".join(line for line in lines if isinstance(line, str))])
    return sha256(json.dumps(rows).encode("utf-8", "replace")).hexdigest()


def mark_of(data: bytes, folder: Path) -> str:
    """What a notebook or the time beside it says of being a copy; an empty string where there is neither.

    Args:
        data: the notebook's file, which :func:`autograder.intake.rebuild.read_notebook` has read.
        folder: where it lies.
    """
    notebook = json.loads(data.decode("utf-8-sig"))
    own = notebook.get("metadata")
    said = own.get(KEY) if isinstance(own, dict) else None
    value = said.get(OF) if isinstance(said, dict) else None
    if isinstance(said, dict) and isinstance(value, str):
        return WHOLE + value if said.get(CELLS) == _cells(notebook) else value
    return (folder / TIME_FILE).read_text(encoding="utf-8", errors="replace")[:100] if stamp(folder) else ""


def time_text(received: str) -> str:
    """A time, ISO 8601 with its zone, as nbgrader reads it beside a notebook."""
    return datetime.fromisoformat(received).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC\n")


def copied(mark: str, notebook_sha: str, files: Path, judged: Mapping[str, Judged], stands: str) -> str:
    """The hash of the judged hand-in that this is the grader's copy of, or an empty string. A copy has no files."""
    if not mark or any(files.iterdir()):
        return ""
    # a second rebuild of a copy may differ from the first: its cells are compared as they were written
    whole, mark = mark.startswith(WHOLE), mark.removeprefix(WHOLE)
    same = [sha for sha, one in judged.items() if mark in one.marks and (whole or one.notebook == notebook_sha)]
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
