"""Fingerprints of checks: two verdicts belong to the same check when these are equal.

A fingerprint has two parts. The first covers what is the check's own: text, points, time limit, visible cases, the
references and course modules that its text names, and the hidden files that it reads. The second covers the code that
all checks share.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from autograder.records import Check
from autograder.source.visible import PACKAGE, entries, references, tools
from course_utils.checks.casefile import folder_of

ROOT = Path(__file__).resolve().parents[2]
SHARED = (PACKAGE / "checks", ROOT / "autograder" / "judge")


class Checked(Protocol):
    """What is needed of a release."""

    @property
    def root(self) -> Path:
        """The release folder."""

    def checks(self, assignment: str) -> Mapping[str, Check]:
        """The checks of the assignment by exercise id."""


def fingerprints(release: Checked, assignment: str) -> dict[str, str]:
    """Exercise id to ``OWN.SHARED``, two hashes of 16 hexadecimal digits. Raises CourseError as ``release.checks``."""
    root = Path(release.root)
    cases = entries(folder_of(root / "student" / "data") / f"{assignment}.json")
    hidden = sorted(path for path in (root / "private" / assignment).rglob("*") if path.is_file())
    return {
        name: f"{_own(check, cases.get(name, {}), hidden)}.{shared()}"
        for name, check in release.checks(assignment).items()
    }


def own(mark: str) -> str:
    """The part of a fingerprint that is the check's own."""
    return mark.partition(".")[0]


def _own(check: Check, entry: Mapping[str, object], hidden: Iterable[Path]) -> str:
    seen = {key: value for key, value in entry.items() if key != "made_from"}  # which depends on the shared code
    used = [ROOT / name for name in references(check.source)]
    used += [path for path in tools(check.source) if path.parent != SHARED[0]]
    read = [path for path in hidden if path.name in check.source]
    paths = {path.relative_to(ROOT).as_posix(): path for path in used} | {path.name: path for path in read}
    files = {name: sha256(path.read_bytes()).hexdigest() for name, path in paths.items() if path.is_file()}
    return _hash([check.source, check.points, check.timeout, seen, files])


@cache
def shared() -> str:
    """A hash of the code that all checks share."""
    paths = sorted(path for folder in SHARED for path in folder.glob("*.py"))
    return _hash([[path.name, path.read_text(encoding="utf-8")] for path in paths])


def _hash(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
