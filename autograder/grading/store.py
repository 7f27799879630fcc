"""What the office keeps beside a release: the ledger, and one result with its rebuilt notebook per student."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from autograder.grading.ledger import Ledger
from autograder.intake.discover import Intake
from autograder.intake.rebuild import notebook_sha
from autograder.records import Check, Result
from course_utils.corpora.manifest import made
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError


class ReleaseLike(Protocol):
    """What the office needs of a release folder (docs/architecture.md)."""

    @property
    def root(self) -> Path:
        """The release folder, holding ``student/``, ``instructor/`` and ``private/``."""

    @property
    def id(self) -> str:
        """Names this very release, e.g. a hash of its content."""

    def skeleton(self, assignment: str) -> dict[str, Any]:
        """The student version of the notebook, nbformat 4 JSON."""

    def checks(self, assignment: str) -> Mapping[str, Check]:
        """The checks of the assignment by exercise id, in notebook order."""


@dataclass
class Stored:
    """A result as it lies on the disk: the verdicts, and the hand-in they speak of."""

    result: Result
    intake: Intake


def write_atomic(path: Path, data: str | bytes) -> None:
    """The whole file or nothing, in a folder that is made if need be.

    Raises:
        CourseError: the folder cannot be written.
    """
    made(path.parent)
    write_atomically(path, data)


def course_dir(release: ReleaseLike) -> Path:
    """The nbgrader course of a release."""
    return Path(release.root).resolve() / "instructor"


def open_ledger(release: ReleaseLike) -> Ledger:
    """The ledger of a release; a torn last line is mended."""
    return Ledger(course_dir(release) / "ledger.jsonl")


def result_path(course: Path, assignment: str, student: str) -> Path:
    """Where the newest result of a student lies, below the nbgrader course."""
    return course / "results" / assignment / f"{student}.json"


def stored_json(result: Result, intake: Intake) -> str:
    """Result, hand-in and rebuilt notebook as one JSON document."""
    return json.dumps({"intake": intake.to_json(), "notebook": intake.notebook, "result": result.to_json()}, indent=1)


def save(course: Path, result: Result, intake: Intake) -> None:
    """Keep a result, atomically."""
    write_atomic(result_path(course, intake.assignment, intake.student), stored_json(result, intake))


def load_stored(path: Path) -> Stored:
    """Read back what :func:`save` wrote.

    Raises:
        CourseError: unreadable, or the notebook is not the one that was graded.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        fields = {**data["intake"], "files": Path(data["intake"]["files"])}
        intake = Intake(notebook=data["notebook"], **fields)
        result = Result.from_json(data["result"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path}: not a stored result ({error}); grade this submission again") from error
    if notebook_sha(intake.notebook) != intake.notebook_sha:
        raise CourseError(f"{path}: the stored notebook is not the one that was graded; grade this submission again")
    return Stored(result, intake)


def find_stored(course: Path, assignment: str, student: str, sha: str = "") -> Stored | None:
    """The stored result of a student (of exactly this notebook, if a hash is given), or None."""
    path = result_path(course, assignment, student)
    if not path.exists():
        return None
    stored = load_stored(path)
    return stored if sha in ("", stored.intake.notebook_sha) else None
