"""``remove --erase``: delete what a release holds of a person, and say what is left elsewhere."""

from __future__ import annotations

import argparse
from typing import Any

from autograder.cli.common import emit

SHOWN = 20  # places, of each kind
ELSEWHERE = (
    "not in this release, so yours to delete: backups and copies of it, a release set aside as {root}.before-N, exports of "
    "grades and zips of pages that you moved or sent, the file of the class list, and what the platform has",
    "no hand-in of this person may be graded again: take it out of the folder or export that you give to grade",
)


def erase(options: argparse.Namespace) -> int:
    """Erase a person from all assignments, whichever is named; 1 if some file of the release still names the person."""
    from autograder.grading.erasing import erase as take_out
    from autograder.intake.names import require_id
    from autograder.release.read import load_release

    require_id(options.student)
    opened, out = load_release(options.release), options.out or options.release / "grading"
    done = take_out(opened, options.student, options.reason, options.by, out.resolve())
    root = options.release
    lines = [f"{' and '.join(sorted(done.person.ids))}: erased from all assignments of {root}", *done.notes]
    lines += _some([f"deleted, or written without this person: {path}" for path in done.deleted], "and {} more")
    if done.entries:
        lines.append(
            f"{done.entries} entries of the ledger hold only their number, time and kind now; its hashes were computed anew, "
            f"so a head that you noted before holds no more; the new one is {done.head}"
        )
    else:
        lines.append("the ledger had no entry of this person, and is as it was")
    still = [f"a word that names this person still stands in {place}: look at it" for place in done.left]
    lines += _some(still, "and in {} more")
    lines += _unsure(done.mentions)
    lines += [one.format(root=root) for one in ELSEWHERE]
    lines.append("give report, feedback and export again")
    data = {"ids": sorted(done.person.ids), "entries": done.entries, "head": done.head, "left": done.left}
    data |= {"maybe": done.mentions.maybe, "unread": done.mentions.unread, "notes": done.notes}
    emit(options, data | {"deleted": [str(one) for one in done.deleted]}, "\n".join(lines))
    return 1 if done.left else 0


def _some(lines: list[str], more: str) -> list[str]:
    return lines[:SHOWN] + [more.format(len(lines) - SHOWN)] * (len(lines) > SHOWN)


def _unsure(found: Any) -> list[str]:
    """Sentences about words that may be this person, and about files that could not be looked through."""
    lines = []
    if found.maybe:
        lines.append(
            f"words that may be this person, or somebody or anything else ({', '.join(found.common)}; also a name within a "
            f"longer word), stand in {_first(found.maybe)}; no file there is known to be about this person"
        )
    if found.unread:
        lines.append(f"not looked through, since packed, too large or not readable: {_first(found.unread)}")
    return lines


def _first(files: list[str]) -> str:
    return ", ".join(files[:SHOWN]) + f" and {len(files) - SHOWN} more" * (len(files) > SHOWN)
