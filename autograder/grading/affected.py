"""Which verdicts are of a check that is another one now, by the fingerprints in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autograder.grading.standing import Standing
from autograder.release.prints import own


def affected(standing: Standing, prints: Mapping[str, str]) -> list[str]:
    """Exercises whose verdict is not of today's check; where nothing was noted (version 0.1), that is all of them.

    Args:
        standing: from the ledger; without a verdict nothing is affected.
        prints: fingerprints of today's checks.
    """
    if not standing.verdict:
        return []
    noted = standing.verdict.get("checks", {})
    return [name for name, mark in prints.items() if own(noted.get(name, "")) != own(mark)]


def shared_changed(standings: Iterable[Standing], prints: Mapping[str, str]) -> int:
    """How many hand-ins have a verdict whose check is the same, but ran with other code of all checks."""
    count = 0
    for standing in standings:
        noted = (standing.verdict or {}).get("checks", {})
        count += any(
            own(noted[name]) == own(mark) and noted[name] != mark for name, mark in prints.items() if name in noted
        )
    return count


def mended(people: Mapping[str, Standing], prints: Mapping[str, str]) -> list[str]:
    """A sentence for each exercise with verdicts of an earlier check. Verdicts of version 0.1 are not spoken of."""
    found = []
    for name in prints:
        names = [
            who for who, one in people.items() if "checks" in (one.verdict or {}) and name in affected(one, prints)
        ]
        if names:
            whose = f"{names[0]} was" if len(names) == 1 else f"{len(names)} hand-ins were"
            found.append(
                f"the check of {name} is another one since {whose} judged; python -m autograder regrade shows what it changes"
            )
    return found
