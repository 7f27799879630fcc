"""Figures of a class: how points are distributed, how difficult an exercise is, and whether it tells students apart."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

from autograder.reports.feedback import number
from autograder.reports.roll import StudentRow

BINS = 10
FEWEST = 10  # students below which a correlation says nothing


def exercise_names(students: Sequence[StudentRow]) -> list[str]:
    """Exercises in notebook order."""
    return list(dict.fromkeys(row.exercise for one in students for row in one.rows))


def exercise_rows(students: Sequence[StudentRow]) -> list[dict[str, Any]]:
    """Per exercise: how many passed, mean points, difficulty, discrimination, and the three most frequent hints.

    ``difficulty`` is the share of points that was reached, in percent: the lower, the harder. ``waiting`` is the number of
    answers that a person has to mark; the figures are ``telling`` where more are decided than wait.
    """
    table = []
    for name in exercise_names(students):
        rows = [row for one in students for row in one.rows if row.exercise == name]
        scored = [row for row in rows if row.points != "–"]
        passed = sum(row.points == row.max_points for row in scored)
        hints = Counter(row.hint for row in rows if row.hint).most_common(3)
        mean, most = (
            statistics.fmean(float(row.points) for row in scored) if scored else 0.0,
            float(rows[0].max_points),
        )
        table.append(
            {"exercise": name, "passed": passed, "count": len(scored), "mean": number(mean), "max_points": number(most),
             "share": round(100 * passed / len(scored)) if scored else 0, "hints": hints,
             "waiting": len(rows) - len(scored), "telling": len(scored) > len(rows) - len(scored),
             "difficulty": round(100 * mean / most) if scored and most else None,
             "discrimination": discrimination(students, name)}
        )  # fmt: skip
    return table


def discrimination(students: Sequence[StudentRow], exercise: str) -> float | None:
    """Correlation, from -1 to 1, of an exercise's points with the points of all others.

    None for fewer than ten students, or where everybody has the same. The exercise is left out of the other points: with it
    even an exercise of pure chance would seem to tell students apart.
    """
    pairs = []
    for one in students:
        points = {row.exercise: float(row.points) for row in one.rows if row.points != "–"}
        if exercise in points:
            pairs.append((points[exercise], sum(points.values()) - points[exercise]))
    own, others = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if len(pairs) < FEWEST or math.isclose(min(own), max(own)) or math.isclose(min(others), max(others)):
        return None
    return statistics.correlation(own, others)


def distribution(students: Sequence[StudentRow]) -> list[dict[str, Any]]:
    """How many graded students reached 0 to 10 %, …, 90 to 100 % of the points; a bound belongs to the upper part."""
    shares = [one.final / one.max_points for one in students if one.graded and one.max_points]
    counts = Counter(min(BINS - 1, int(share * BINS + 1e-9)) for share in shares)
    most = max(counts.values(), default=0)
    step = 100 // BINS
    return [
        {"range": f"{at * step} to {(at + 1) * step} %", "count": counts[at], "width": round(100 * counts[at] / most)}
        for at in range(BINS)
        if most
    ]
