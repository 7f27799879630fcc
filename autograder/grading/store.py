"""What the grader keeps beside a release: the ledger, and one result with its rebuilt notebook per student."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from autograder.grading.begun import ErasureBegun, Files, unfinished
from autograder.grading.copies import noted_end
from autograder.grading.ledger import Ledger, LedgerError, Standing
from autograder.intake.discover import Intake
from autograder.intake.rebuild import notebook_sha
from autograder.records import Check, Result
from autograder.release.gradebook import sources
from course_utils.corpora.manifest import ensure_dir
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

FULL = (errno.ENOSPC, errno.EDQUOT)
ROSTER = "roster.csv"  # the term's class list, in the nbgrader course


class ReleaseLike(Protocol):
    """What the grader needs of a release folder (docs/architecture.md)."""

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
        CourseError: the folder cannot be written, or the disk is full.
    """
    try:
        ensure_dir(path.parent)
        write_atomically(path, data)
    except CourseError as error:
        cause = error.__context__
        if isinstance(cause, OSError) and cause.errno in FULL:  # no other folder of that disk would help
            words = (
                f"{path}: cannot be written ({cause.strerror}); make room on the disk, then run the same command again"
            )
            raise CourseError(words) from cause
        raise


def course_dir(release: ReleaseLike) -> Path:
    """The nbgrader course of a release."""
    return Path(release.root).resolve() / "instructor"


def assignments_of(release: ReleaseLike) -> list[str]:
    """Names of a release's assignments."""
    return sources(course_dir(release))


def open_ledger(release: ReleaseLike) -> Ledger:
    """The ledger of a release; a torn last line is mended.

    Raises:
        ErasureBegun: an erasure was interrupted while it replaced the ledger; the sentence has the command that finishes it.
        LedgerError: its copy or the gradebook's note says that entries are missing or were changed.
    """
    files = ledger_files(release)
    try:
        ledger = Ledger(files.ledger, files.copy)
        end = noted_end(files.course / "gradebook.db")
        if end is not None:
            ledger.must_hold(*end)
    except LedgerError as error:
        if files.record.exists() and files.halfway():
            raise ErasureBegun(unfinished(files.course)) from error
        raise
    return ledger


def ledger_files(release: ReleaseLike) -> Files:
    """The ledger's files, and what an erasure keeps beside them."""
    return Files(course_dir(release), copy_path(release))


def copy_path(release: ReleaseLike) -> Path:
    """Where the second copy of the ledger lies, out of the nbgrader course."""
    return Path(release.root).resolve() / "private" / "ledger-copy.jsonl"


def copies_key(release: ReleaseLike) -> bytes:
    """The key that signs the grader's copies in ``submitted/``, made of the release's secret, which it does not tell.

    Raises:
        CourseError: the release's record cannot be read.
    """
    path = Path(release.root).resolve() / "release.json"
    try:
        secret = json.loads(path.read_text(encoding="utf-8"))["seed"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path}: not a release's record ({error}); restore it from a backup") from error
    return hashlib.sha256(f"copies in submitted/ {secret}".encode()).digest()


def result_path(course: Path, assignment: str, student: str) -> Path:
    """Where the newest result of a student lies, below the nbgrader course."""
    return course / "results" / assignment / f"{student}.json"


def stored_json(result: Result, intake: Intake) -> str:
    """Result, hand-in and rebuilt notebook as one JSON document that carries its own hash."""
    data = {"intake": intake.to_json(), "notebook": intake.notebook, "result": result.to_json()}
    return json.dumps(data | {"sha256": _own_hash(data)}, indent=1)


def _own_hash(data: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in data.items() if key != "sha256"}
    return sha256(json.dumps(rest, sort_keys=True))


def sha256(text: str | bytes) -> str:
    """SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def save(course: Path, result: Result, intake: Intake) -> None:
    """Keep a result, atomically."""
    write_atomic(result_path(course, intake.assignment, intake.student), stored_json(result, intake))


def next_path(path: Path) -> Path:
    """Where a result waits until the ledger speaks of it."""
    return path.with_name(f"{path.name}.next")


def settle(path: Path, digest: str) -> bool:
    """Finish or undo what a crash interrupted; says whether the result that the ledger speaks of lies at ``path``.

    Args:
        path: where the result of a student lies.
        digest: SHA-256 of the file as the ledger has it, "" where none was noted (version 0.1).
    """
    waiting = next_path(path)
    if waiting.exists():
        if digest and sha256(waiting.read_bytes()) == digest:
            waiting.replace(path)
        else:
            waiting.unlink()
    return _fits(path, digest)


def aside_path(path: Path, digest: str) -> Path:
    """Where a result waits in whose place another one lies, since two ids are one person."""
    return path.with_name(f"{path.stem}.{digest[:16]}.aside")


def keep_aside(path: Path) -> None:
    """Keep the result at ``path``, which another one takes the place of: of one person's two ids each has its own."""
    if path.exists():
        data = path.read_bytes()
        write_atomic(aside_path(path, sha256(data)), data)


def _fits(path: Path, digest: str) -> bool:
    return path.exists() and digest in ("", sha256(path.read_bytes()))


def of_ledger(release: ReleaseLike, assignment: str, student: str, standing: Standing) -> Stored:
    """The stored result that the ledger speaks of.

    Raises:
        CourseError: it is gone, or another one or an edited one lies there.
    """
    course, verdict = course_dir(release), standing.verdict
    path = result_path(course, assignment, (verdict or {}).get("student", student))
    # in the midst of a merge it lies under the other id, or aside
    digest = (verdict or {}).get("stored", "")
    path = next((one for one in (path, aside_path(path, digest)) if _fits(one, digest)), path)
    if not verdict or not path.exists():
        raise CourseError(f"{student}: the ledger's result is not in {course / 'results'}; grade again")
    if not _fits(path, digest):
        raise CourseError(f"{path}: not the result that the ledger speaks of, it was changed; grade again")
    stored = load_stored(path)
    # the points alone, for entries of version 0.1, which noted no hash of the file
    same = _points(stored.result.to_json()) == _points(verdict["result"])
    if stored.intake.sha256 != verdict["sha256"] or not same:
        raise CourseError(f"{student}: the ledger's result is not in {course / 'results'}; grade again")
    return stored


def _points(result: Mapping[str, Any]) -> list[tuple[str, float, float]]:
    return [(one["exercise"], one["points"], one["max_points"]) for one in result["verdicts"]]


def load_stored(path: Path) -> Stored:
    """Read back what :func:`save` wrote.

    Raises:
        CourseError: unreadable, changed, or the notebook is not the one that was graded.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        own = data.get("sha256")
        if own is not None and own != _own_hash(data):
            raise CourseError(
                f"{path}: the stored result was changed after it was written; grade this submission again"
            )
        stored = stored_of(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{path}: not a stored result ({error}); grade this submission again") from error
    if notebook_sha(stored.intake.notebook) != stored.intake.notebook_sha:
        raise CourseError(f"{path}: the stored notebook is not the one that was graded; grade this submission again")
    return stored


def stored_of(data: Mapping[str, Any]) -> Stored:
    """A result from the JSON values that :func:`stored_json` wrote."""
    fields = {**data["intake"], "files": Path(data["intake"]["files"])}
    fields.pop("exact", None)  # a second hash, which results had before the first one told all that code means
    return Stored(Result.from_json(data["result"]), Intake(notebook=data["notebook"], **fields))


def find_stored(course: Path, assignment: str, student: str, sha: str = "") -> Stored | None:
    """The stored result of a student (of exactly this notebook, if a hash is given), or None.

    It says nothing of whether the ledger knows this result: for that there are :func:`of_ledger` and :func:`vouched`.
    """
    path = result_path(course, assignment, student)
    if not path.exists():
        return None
    stored = load_stored(path)
    return stored if sha in ("", stored.intake.notebook_sha) else None


@dataclass(frozen=True)
class _Place:
    root: Path


def vouched(course: Path, assignment: str, student: str, shas: Sequence[str]) -> Stored | None:
    """The stored result of one of these notebooks, compared with the ledger where that has a verdict; None if none is there.

    Raises:
        CourseError: as :func:`of_ledger`.
    """
    found = next(filter(None, (find_stored(course, assignment, student, sha) for sha in shas)), None)
    place: Any = _Place(course.parent)
    standing = open_ledger(place).standings().get((assignment, student), Standing())
    return of_ledger(place, assignment, student, standing) if found and standing.verdict else found
