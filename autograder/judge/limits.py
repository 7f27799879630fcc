"""How long judging one submission may take. Nothing here imports torch: the grader's own process needs the numbers, too."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.records import Check

CELL_SECONDS = 120.0
NOTEBOOK_SECONDS = 900.0  # of all cells; every check has its own limit in addition
STOPS = 2  # parts of the points that may stop a check: with the third one all are lost
SPARE = 600.0  # for starts of sandboxes


def longest(checks: Iterable[Check]) -> float:
    """Seconds after which a judge that keeps its own limits has ended: in each pass those of cells, of replays and of checks.

    The passes are scoring, explaining with its repeats, and once more; in explaining a check may also be asked in the open.
    All of them are made again for each answer of which one part uses something forbidden.
    """
    checks, passes = list(checks), 3 + STOPS
    again = sum("forbid" in check.source and "shares" in check.source for check in checks)
    return (1 + again) * (
        passes * 2 * NOTEBOOK_SECONDS + (2 * passes - 2) * sum(check.timeout for check in checks)
    ) + SPARE
