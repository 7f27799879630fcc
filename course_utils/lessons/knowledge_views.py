"""What the checks of notebook 07 compare in place of an answer, where several answers are right."""

from __future__ import annotations

from typing import Any

from course_utils.checks.draws import Case


def one_of(case: Case, result: Any) -> tuple[bool, float]:
    """Whether the first thing that came is among the case's, and how far the second is from the one that belongs to it."""
    name, number = result
    either = case.setup["either"]
    return name in either, number - either.get(name, 0.0)
