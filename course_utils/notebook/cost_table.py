"""The measured costs of the notebooks: ``data/measured/costs.json``, written by ``python -m benchmarks.costs``."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from course_utils.errors import CourseError

# Minutes and GiB of the trainings that depend on the profile, on a GPU: computed from operations and memory traffic,
# not measured.
ON_A_GPU = {"colab": (8.0, 4.0), "h200": (1.5, 4.0)}


@lru_cache(maxsize=4)
def _record(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read ({error}): unpack the course again.") from error


def measured(data: Path) -> dict[str, Any]:
    """The content of ``costs.json`` in the course's data folder. Raises CourseError if it cannot be read."""
    return _record(data / "measured" / "costs.json")


def minutes_on(kind: str, entry: dict[str, Any]) -> float:
    """Minutes of a notebook on ``colab`` or ``h200``: its profile's trainings on the GPU, the rest on the CPU."""
    rest = entry["seconds"] / 60 * (1 - entry.get("training_share", 0.0))
    return rest + (ON_A_GPU[kind][0] if "training_share" in entry else 0.0)


def memory_on(kind: str, entry: dict[str, Any]) -> float:
    """GiB of a notebook on ``colab`` or ``h200``."""
    return ON_A_GPU[kind][1] if "training_share" in entry else entry["memory_mib"] / 1024


def spoken(minutes: float) -> str:
    """A time in words: seconds below a minute and a half, else minutes."""
    return f"{60 * minutes:.0f} seconds" if minutes < 1.5 else f"{minutes:.1f} minutes"
