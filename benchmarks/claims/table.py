"""The table of claims: one TOML file per notebook in this folder, read into records.

Entries come in two kinds. A ``[[claim]]`` states what an experiment showed and how one would refute it. An ``[[other]]``
names sentences that look like a result and are none, with the reason. Both quote whole sentences or parts of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.claims.units import plain
from course_utils.errors import CourseError

HERE = Path(__file__).resolve().parent
STATUSES = ("measured", "open", "withdrawn")
TOOLS = ("exact", "bootstrap", "paired", "student-t", "binomial", "range", "none")
REASONS = {
    "definition": "says what a word, a symbol or a rule means",
    "arithmetic": "follows by calculation from what stands beside it",
    "task": "asks for something, gives a hint, or says how an answer is marked",
    "source": "says what a named publication found or contains",
    "course": "describes this course, its files, programs and costs",
    "own run": "written by the notebook from the reader's own run",
    "quoted": "is quoted so that the reader finds what is wrong with it",
    "advice": "tells the reader what to do; no measurement",
}


@dataclass(frozen=True)
class Claim:
    """One statement about an experiment.

    Attributes:
        says: the sentences or figures that state it, as exact quotes; of a withdrawn claim, what may not come back.
        refuted_by: the control that would show that it is false.
        seeds: how many seeds, worlds or machines it rests on; 0 where nothing is drawn at random.
        which: which seeds.
        interval: how sure it is, in words.
        tool: how the interval was computed, one of TOOLS.
        command: the command that measures it.
        result: file that keeps the result, relative to the repository.
        samples: place in the result that has one entry per seed.
        numbers: printed number -> place in the result.
        holds: (place in the result, lowest, highest) that must be true for the words to be true.
        given: numbers in the quotes that are settings and not measured.
        note: why it is open or withdrawn.
    """

    notebook: str
    id: str
    says: tuple[str, ...]
    status: str
    refuted_by: str
    seeds: int = 0
    which: str = ""
    interval: str = ""
    tool: str = "none"
    command: str = ""
    result: str = ""
    samples: str = ""
    numbers: Mapping[str, str] = field(default_factory=dict)
    holds: tuple[tuple[str, float, float], ...] = ()
    given: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Other:
    """Sentences that need no measurement, with the reason (one of REASONS)."""

    notebook: str
    reason: str
    says: tuple[str, ...]


Entry = Claim | Other


def read_table(folder: Path = HERE) -> list[Entry]:
    """All entries, in order. Raises CourseError with the file and the entry that is not as it should be."""
    paths = sorted(folder.glob("[0-9][0-9]_*.toml"))
    return [entry for path in paths for entry in _entries(path)]


def _entries(path: Path) -> list[Entry]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path}: not a readable TOML file ({error}); correct the line it names") from error
    if unknown := set(raw) - {"claim", "other"}:
        raise CourseError(f"{path}: {sorted(unknown)[0]} is no kind of entry; write [[claim]] or [[other]]")
    claims: list[Entry] = [_claim(path, one) for one in raw.get("claim", [])]
    return [*claims, *(_other(path, one) for one in raw.get("other", []))]


def _claim(path: Path, raw: dict[str, Any]) -> Claim:
    made = {**raw, "says": _quotes(raw), "given": tuple(raw.get("given", ()))}
    made["holds"] = tuple((str(at), float(low), float(high)) for at, low, high in raw.get("holds", ()))
    try:
        claim = Claim(notebook=path.stem, **made)
    except TypeError as error:
        raise CourseError(f"{path}: claim {raw.get('id', '?')}: {error}; see benchmarks/claims/table.py") from error
    if claim.status not in STATUSES or claim.tool not in TOOLS:
        raise CourseError(f"{path}: claim {claim.id}: status is one of {STATUSES}, tool one of {TOOLS}")
    return claim


def _other(path: Path, raw: dict[str, Any]) -> Other:
    if raw.get("reason") not in REASONS or set(raw) != {"reason", "says"}:
        raise CourseError(f"{path}: an [[other]] has says and a reason, one of {', '.join(REASONS)}; not {raw}")
    return Other(path.stem, str(raw["reason"]), _quotes(raw))


def _quotes(raw: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(plain(str(one)) for one in raw.get("says", ()))
