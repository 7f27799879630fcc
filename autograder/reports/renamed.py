"""People of a new class list who had another id on the earlier one."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from pathlib import Path

from autograder.intake.names import exact
from autograder.intake.roster import UNIQUE, Roster


def renamed(old: Roster, new: Roster, graded: Collection[str]) -> dict[str, str]:
    """Ids that are gone, with the new id that has the same number, address or name and that nobody had before.

    Args:
        graded: ids of which work was taken in; others need nothing.
    """
    gone = [one for one in old.names if one not in new.names and one in graded]
    fresh = [one for one in new.names if one not in old.names]
    found: dict[str, str] = {}
    for who in gone:
        fitting = [one for one in fresh if _same(old, who, new, one)]
        if len(fitting) == 1 and fitting[0] not in found.values():
            found[who] = fitting[0]
    return found


def _same(old: Roster, who: str, new: Roster, other: str) -> bool:
    columns = [column for column in (*UNIQUE, "name") if column != "id"]
    pairs = [(old.value(who, column), new.value(other, column)) for column in columns]
    return any(a and exact(a) == exact(b) for a, b in pairs)


def merge_words(pairs: dict[str, str], release: Path) -> list[str]:
    """A sentence for each id that changed: the command that joins the two."""
    where = shlex.quote(str(release))
    return [
        f"{before} seems to be {now} on the new class list; to give {now} the work of {before}: python -m autograder merge "
        f"{now} {before} --release {where} --reason 'another id'"
        for before, now in pairs.items()
    ]
