"""``remove --erase``: delete what a release holds of a person, and say what is left elsewhere."""

from __future__ import annotations

import argparse

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
    from autograder.release.read import load_release

    opened, out = load_release(options.release), options.out or options.release / "grading"
    done = take_out(opened, options.student, options.reason, options.by, out.resolve())
    root = options.release
    lines = [f"{' and '.join(sorted(done.person.ids))}: erased from all assignments of {root}"]
    lines += [f"deleted, or written without this person: {path}" for path in done.deleted[:SHOWN]]
    if len(done.deleted) > SHOWN:
        lines.append(f"and {len(done.deleted) - SHOWN} more")
    lines.append(
        f"{done.entries} entries of the ledger hold only their number, time and kind now; its hashes were computed anew, so a "
        f"head that you noted before holds no more; the new one is {done.head}"
    )
    lines += [f"a word that names this person still stands in {place}: look at it" for place in done.left[:SHOWN]]
    if len(done.left) > SHOWN:
        lines.append(f"and in {len(done.left) - SHOWN} more")
    lines += [one.format(root=root) for one in ELSEWHERE]
    lines.append("give report, feedback and export again")
    data = {"ids": sorted(done.person.ids), "entries": done.entries, "head": done.head}
    emit(options, data | {"deleted": [str(one) for one in done.deleted], "left": done.left}, "\n".join(lines))
    return 1 if done.left else 0
