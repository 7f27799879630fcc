"""People of a new class list who had another id, address or number on the earlier one."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from pathlib import Path

from autograder.grading.summary import some
from autograder.intake.names import exact
from autograder.intake.roster import MOODLE, UNIQUE, Roster, parts_of


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


def other_values(old: Roster, new: Roster) -> list[str]:
    """What the new list says otherwise of those on both, a sentence for each column by which a person is found."""
    both, lines = [who for who in old.names if who in new.names], []
    for column in UNIQUE[1:]:
        pairs = {who: (old.value(who, column), new.value(who, column)) for who in both}
        pairs = {who: pair for who, pair in pairs.items() if _other(column, *pair)}
        eaten = [
            who
            for who, (was, now) in pairs.items()
            if now and len(now) < len(was) and now.lstrip("0") == was.lstrip("0")
        ]
        gone = [who for who, (_, now) in pairs.items() if not now]
        others = [who for who in pairs if who not in eaten and who not in gone]
        kinds = ((others, "is another one"), (gone, "is gone"), (eaten, "has lost zeros at the front"))
        for whose, words in kinds:
            if whose:
                count = f"{len(whose)} student{'s' * (len(whose) > 1)}"
                remedy = "; give that column the format of text in the spreadsheet" if whose is eaten else ""
                lines.append(f"{column} {words} for {count} on the new class list: {some(whose)}{remedy}")
    return lines


def _other(column: str, was: str, now: str) -> bool:
    """Whether a value was replaced or taken away; of Moodle's, which has one for each assignment, an addition is neither."""
    if column == MOODLE:
        return bool({*parts_of(was)} - {*parts_of(now)})
    return bool(was) and exact(was) != exact(now)
