"""The command ``merge``: two ids that are one person."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from autograder.cli.common import add, emit, somebody
from autograder.grading.lock import person
from course_utils.errors import CourseError


def add_commands(commands: Any) -> None:
    """Add this group's command and its options."""
    one = add(commands, "merge", merge, "let two ids be one person, in all assignments; --undo parts them")
    one.add_argument("student", help="the id that stays")
    one.add_argument("other", help="the id that is the same person")
    one.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="ASSIGNMENT=ID",
        help="whose hand-in counts, where both handed in; with --undo, whose it is, where an older ledger does not say it",
    )
    one.add_argument("--undo", action="store_true", help="two people again, each with what came under its id")
    one.add_argument("--reason", required=True)
    one.add_argument("--by", type=somebody, default=person(), help="who decides (default: you)")
    one.add_argument("--release", type=Path, required=True, metavar="DIR", help="made by the release command")
    one.add_argument("--out", type=Path, metavar="DIR", help="default: grading/ in the release")


def merge(options: argparse.Namespace) -> int:
    """``merge``: note it in the ledger, then make results and gradebook agree."""
    from autograder.grading.inbox import left
    from autograder.grading.merging import merge as join
    from autograder.grading.merging import part
    from autograder.grading.regrade import Decision
    from autograder.grading.store import assignments_of
    from autograder.release.read import load_release

    opened, out = load_release(options.release), options.out or options.release / "grading"
    decision = Decision(options.reason, options.by)
    pages = [out / place / f"{options.other}.html" for place in ("feedback", "report/feedback")]
    if options.undo:
        lines = part(opened, options.student, options.other, decision, _chosen(options.keep))
    else:
        lines = join(opened, options.student, options.other, decision, _chosen(options.keep), pages)
    ids = (options.student, options.other)
    lines += [line for name in assignments_of(opened) for line in left(opened, name, ids)]
    lines.append("give feedback and report again")
    emit(options, {"student": options.student, "other": options.other, "told": lines}, "\n".join(lines))
    return 0


def _chosen(given: list[str]) -> dict[str, str]:
    """``--keep`` as a mapping. Raises CourseError for what is no ASSIGNMENT=ID."""
    pairs = [one.partition("=") for one in given]
    if any(not name or not who for name, _, who in pairs):
        raise CourseError("--keep takes ASSIGNMENT=ID, e.g. --keep 07_knowledge=ada")
    return {name: who for name, _, who in pairs}
