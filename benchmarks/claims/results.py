"""Values out of result files, and whether a printed number is what stands there.

A place is written ``runs.3.loss``: keys and indices joined by dots, ``*`` for all entries. Before it a function may
stand: ``mean:runs.*.loss``, ``min:``, ``max:``, ``median:`` or ``count:``. A dot inside a key is written ``\\.``.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from course_utils.errors import CourseError

FUNCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
    "count": len,
}
NUMBER = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?|[-−+]?\.\d+")
SLACK = 1e-9


@lru_cache(maxsize=64)
def load(path: Path) -> Any:
    """A result file. Raises CourseError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path}: cannot be read as a result ({error}); run the command that measures it") from error


def value_at(data: Any, place: str) -> float:
    """The number at a place. Raises LookupError where there is none."""
    name, colon, rest = place.partition(":")
    if colon and name not in FUNCTIONS:
        raise LookupError(f"no function {name}")
    found = found_at(data, rest if colon else place)
    if colon:
        return float(FUNCTIONS[name](found))
    if len(found) != 1 or isinstance(found[0], bool) or not isinstance(found[0], int | float):
        raise LookupError(f"{place} is not one number")
    return float(found[0])


def found_at(data: Any, place: str) -> list[Any]:
    """Everything at a place, several where it has a ``*``. Raises LookupError where nothing is."""
    level = [data]
    for key in re.split(r"(?<!\\)\.", place):
        key = key.replace("\\.", ".")
        level = [inner for outer in level for inner in _step(outer, key, place)]
    if not level:
        raise LookupError(f"nothing at {place}")
    return level


def _step(outer: Any, key: str, place: str) -> list[Any]:
    if key == "*" and isinstance(outer, list | dict):
        return list(outer.values()) if isinstance(outer, dict) else outer
    try:
        return [outer[int(key)] if isinstance(outer, list) else outer[key]]
    except (LookupError, TypeError, ValueError):
        raise LookupError(f"nothing at {place}") from None


def agrees(printed: str, value: float) -> bool:
    """Whether a number as printed is ``value`` to its last digit; per cent may stand for a share, "about" allows a tenth.

    The printed number may be negative with a real minus sign, have thousands separated by commas, and a unit behind it.
    """
    match = NUMBER.search(printed)
    if match is None:
        return False
    digits = match[0].replace(",", "").replace("−", "-")
    number, places = float(digits), len(digits.partition(".")[2])
    allowed = 0.5 * 10.0**-places + SLACK
    if "about" in printed:
        allowed = max(allowed, 0.1 * abs(number))
    values = [value, 100 * value] if "%" in printed or "per cent" in printed or "percent" in printed else [value]
    return any(abs(number - one) <= allowed for one in values)
