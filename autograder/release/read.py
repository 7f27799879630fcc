"""Reading of a release folder.

The checks of a release are read from its gradebook and source notebooks, never from a submission.
"""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.records import Check
from autograder.release.nbgrader_db import open_book
from autograder.source.percent import HIDDEN, without
from course_utils.errors import CourseError

DEFAULT_TIMEOUT = 60.0
DAMAGED = re.compile("malformed|not a database")  # in what SQLite says of a file that no waiting makes whole


@dataclass(frozen=True)
class Release:
    """A release folder that has been opened.

    Attributes:
        root: the folder with ``student/``, ``instructor/`` and ``private/``.
        record: the content of ``release.json``.
    """

    root: Path
    record: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path | str, *, gradebook: bool = True) -> Release:
        """Open a release folder, also without its gradebook if ``gradebook`` is false. Raises CourseError if incomplete."""
        root = Path(path).resolve()
        try:
            record = json.loads((root / "release.json").read_text(encoding="utf-8"))
            names = [str(name) for name in record["assignments"]]
            _ = record["id"], record["term"], record["seed"]
        except FileNotFoundError:
            raise CourseError(f"{root}: no release is here; make one with python -m autograder release") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CourseError(
                f"{root / 'release.json'}: not a release's record ({error}); make the release again"
            ) from error
        parts = ["student", *(f"instructor/source/{name}/{name}.ipynb" for name in names)]
        lost = [part for part in parts if not (root / part).exists()]
        if lost:
            raise CourseError(f"{root}: {lost[0]} is missing; make the release again, or restore a backup")
        if gradebook and not (root / "instructor" / "gradebook.db").exists():
            again = f"python -m autograder ledger rebuild --release {shlex.quote(str(path))}"
            raise CourseError(f"{root}: instructor/gradebook.db is missing; make it again: {again}")
        return cls(root, record)

    @property
    def id(self) -> str:
        """The release's id: a hash of what students get and of the checks."""
        return str(self.record["id"])

    @property
    def term(self) -> str:
        """The term's name, perhaps empty."""
        return str(self.record["term"])

    @property
    def assignments(self) -> list[str]:
        """Names of the notebooks, in order."""
        return [str(name) for name in self.record["assignments"]]

    @property
    def public(self) -> Path:
        """The folder that students get: ``student/``."""
        return self.root / "student"

    def private(self, assignment: str) -> Path:
        """The hidden files of an assignment."""
        return self.root / "private" / self._known(assignment)

    def skeleton(self, assignment: str) -> dict[str, Any]:
        """The student version of the notebook, nbformat 4 JSON."""
        return read_json(self.public / "notebooks" / f"{self._known(assignment)}.ipynb")

    def checks(self, assignment: str) -> dict[str, Check]:
        """The checks by exercise id, in notebook order: text and points from the gradebook, time limits from the source.

        Raises:
            CourseError: unknown assignment, or a check of the source that the gradebook does not hold.
        """
        folder = self.root / "instructor"
        texts, points = graded_cells(folder, self._known(assignment))
        found: dict[str, Check] = {}
        for cell in read_json(folder / "source" / assignment / f"{assignment}.ipynb")["cells"]:
            about = cell["metadata"].get("course", {})
            if about.get("role") != "check":
                continue
            name, key = about["exercise"], f"check-{about['exercise']}"
            if key not in texts or key not in points:
                raise CourseError(f"{folder / 'gradebook.db'}: {key} is missing; make the release again")
            limit = float(about.get("timeout", DEFAULT_TIMEOUT))
            found[name] = Check(name, texts[key], without(texts[key], HIDDEN), points[key], limit)
        return found

    def _known(self, assignment: str) -> str:
        if assignment not in self.assignments:
            raise CourseError(f"{assignment}: not in this release, which has {', '.join(self.assignments)}")
        return assignment


def load_release(path: Path | str, *, gradebook: bool = True) -> Release:
    """Open a release folder, also without its gradebook if ``gradebook`` is false. Raises CourseError if incomplete."""
    return Release.load(path, gradebook=gradebook)


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file of a release. Raises CourseError if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path}: cannot be read ({error}); make the release again") from error


def graded_cells(folder: Path, assignment: str) -> tuple[dict[str, str], dict[str, float]]:
    """Texts and points of the checks in the gradebook, by cell id. Raises CourseError if it is damaged or not this course's."""
    _require_known(folder / "gradebook.db", assignment)
    with open_book(folder) as book:
        notebook = book.find_notebook(assignment, assignment)
        texts = {cell.name: cell.source for cell in notebook.source_cells}
        points = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
    return texts, points


def _require_known(path: Path, assignment: str) -> None:
    """Raise CourseError unless the gradebook knows the assignment; nbgrader's own errors are no sentences for people."""
    known, reason = None, f"it does not know {assignment}"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as book:
            known = book.execute("SELECT 1 FROM assignment WHERE name = ?", (assignment,)).fetchone()
    except sqlite3.Error as error:
        reason = str(error)
    if known is None:
        again = f"python -m autograder ledger rebuild --release {shlex.quote(str(path.parents[1]))}"
        remedy = "it is damaged, make it again" if DAMAGED.search(reason) else "close other programs, or make it again"
        raise CourseError(f"{path}: cannot be read ({reason}); {remedy}: {again}")
