"""The table of results on real data (data/measured/real_data.json), compared with the sources that its rows name.

A row's ``evidence`` gives for each number that it prints where that stands: ``FILE: QUOTE`` for a text, which holds the
quote with the number in it, or ``FILE.json: PLACE`` for a record (see benchmarks/claims/results.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.claims.results import agrees, load, value_at
from benchmarks.claims.units import plain
from course_utils.errors import CourseError

FILE = Path("data") / "measured" / "real_data.json"
PRINTED = ("right", "compare", "runs", "cost")  # columns whose numbers are results; what was trained is in the others
NUMBER = re.compile(r"(?<![\w.])[-−+]?\d[\d,]*(?:\.\d+)?(?![\w.]*\w)")


def real_data_problems(root: Path) -> list[str]:
    """What is wrong with the table, as sentences. Raises CourseError if it cannot be read."""
    try:
        rows = json.loads((root / FILE).read_text(encoding="utf-8"))["rows"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CourseError(f"{FILE} cannot be read ({error!r}); it holds rows, see {Path(__file__).name}") from error
    return [f"{FILE}, “{row.get('recipe', '?')}”: {problem}" for row in rows for problem in _of_row(row, root)]


def _of_row(row: Mapping[str, Any], root: Path) -> Iterator[str]:
    evidence = row.get("evidence", {})
    text = "; ".join(str(row.get(column, "")) for column in PRINTED)
    held = [match.span() for printed in evidence for match in re.finditer(re.escape(printed), text)]
    for found in NUMBER.finditer(text):
        if not any(start <= found.start() and found.end() <= end for start, end in held):
            yield f"its number {found[0]} has no evidence"
    for printed, where in evidence.items():
        if printed not in text:
            yield f"its evidence is for {printed}, which it does not print"
        elif problem := _unsupported(printed, where, root):
            yield problem


def _unsupported(printed: str, where: str, root: Path) -> str:
    """Why the source does not give the number; "" if it does."""
    name, colon, rest = where.partition(": ")
    if not colon or not (root / name).is_file():
        return f"there is no file {name} for {printed}"
    if name.endswith(".json"):
        try:
            value = value_at(load(root / name), rest)
        except (LookupError, CourseError) as error:
            return f"{name}: {error}"
        return "" if agrees(printed, value) else f"it prints {printed}, but {name} has {value:g} at {rest}"
    if plain(rest) not in plain((root / name).read_text(encoding="utf-8")):
        return f"{name} does not say “{rest}”"
    return "" if re.search(rf"(?<![\d.,]){re.escape(printed)}(?![\d])", rest) else f"“{rest}” does not hold {printed}"
