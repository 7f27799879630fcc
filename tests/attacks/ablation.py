"""The suite again with each layer of the wall taken away: which layer stops which family."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from tests.attacks import suite
from tests.attacks.record import FULL, LAYERS, Attack, Row


def ablate(attacks: Sequence[Attack], *, progress: bool = True, keep: Path | None = None) -> dict[str, list[Row]]:
    """Rows by layer, of the attacks that can meet it; controls are not repeated.

    Rows of a finished layer are put into the folder ``keep``, and attacks found there are not made again: without the
    sandbox the suite takes half an hour.

    Raises:
        CourseError: the folder cannot be made; said before the first layer is tried.
    """
    if keep:
        _made(keep)
    found = {}
    for words, layer in LAYERS.items():
        meeting = [one for one in attacks if layer in one.layers]
        kept = _kept(keep / f"{layer}.json") if keep else {}
        wanted = [one for one in meeting if one.name not in kept]
        wall = FULL.without(layer)
        rows = suite.results(wanted, wall, controls=False, progress=progress, label=f"without {words}")
        made = kept | {row.name: row for row in rows}
        if keep:
            write_atomically(keep / f"{layer}.json", json.dumps([asdict(row) for row in made.values()], indent=1))
        found[words] = [made[one.name] for one in meeting if one.name in made]
    return found


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(f"Cannot make {folder}: {error.strerror}. Choose a folder you may write to.") from None


def _kept(path: Path) -> dict[str, Row]:
    """The rows in a file by the name of their attack; none where there is no file."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {row["name"]: Row(**row) for row in rows}


def summary(found: dict[str, list[Row]]) -> dict[str, Any]:
    """By layer: attacks, points gained, attacks that reached their goal by family, and verdicts that are missing."""
    made = {}
    for words, rows in found.items():
        reached = Counter(row.family for row in rows if row.gain > 0)
        points = [row for row in rows if row.goal == "points"]
        made[words] = {
            "attacks": len(rows),
            "points_gained": round(sum(row.gain for row in points), 6),
            "reached": sum(reached.values()),
            "families": dict(sorted(reached.items())),
            "verdicts_missing": sum(row.expected - row.verdicts for row in rows),
        }
    return made


def table(found: dict[str, list[Row]]) -> str:
    """Families by layers: how many attacks reach their goal when the layer is gone, of how many that met it."""
    families = list(dict.fromkeys(row.family for rows in found.values() for row in rows))
    lines = [f"{'without':36}" + "".join(f"{words:>19}" for words in found)]
    for family in families:
        line = f"{family:36}"
        for rows in found.values():
            mine = [row for row in rows if row.family == family]
            reached = sum(row.gain > 0 for row in mine)
            line += f"{f'{reached} of {len(mine)}' if mine else '–':>19}"
        lines.append(line)
    points = {words: sum(row.gain for row in rows if row.goal == "points") for words, rows in found.items()}
    lines.append(f"{'points gained':36}" + "".join(f"{points[words]:>19g}" for words in found))
    return "\n".join(lines)


def held(found: dict[str, list[Row]]) -> bool:
    """Whether no layer but the reference outside is alone between an attack and a point."""
    others = [row for words, rows in found.items() if words != "reference outside" for row in rows]
    return all(row.gain == 0 for row in others if row.goal == "points")
