"""The commands ``mend`` and ``regrade``: a mended check, and what it changes; shown first, entered when told to."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from autograder.cli.common import ROOT, emit, open_release, run_options
from autograder.cli.grading import grade, intake_options, settings
from course_utils.errors import CourseError


def mend_options(one: argparse.ArgumentParser) -> None:
    """Add the options of ``mend``."""
    one.add_argument("--exercises", nargs="+", default=[], metavar="EXERCISE", help="default: all whose check differs")
    one.add_argument("--apply", action="store_true", help="take the checks; without it nothing is written")
    one.add_argument("--sources", type=Path, default=ROOT / "solutions", help=argparse.SUPPRESS)


def mend(options: argparse.Namespace) -> int:
    """``mend``: which checks of the sources differ from the release's; with ``--apply`` the release takes them."""
    from autograder.grading.mend import mend as take
    from autograder.grading.mend import unfinished
    from autograder.grading.regrade import Decision

    opened, name, _ = open_release(options)
    decision = Decision(options.reason or "", options.by) if options.apply else None
    found = take(opened, name, options.sources, options.exercises, decision)
    lines = [f"{exercise}: {', '.join(what)}" for exercise, what in found.items()]
    left = unfinished(Path(opened.root), name)
    if left:
        lines.append("students' zip is not made anew yet, an earlier run was interrupted; --apply does it")
    if not lines:
        lines = [f"the checks of {name} are as in the sources"]
    elif not options.apply:
        lines.append("nothing was written; --apply --reason … takes these checks into the release")
    elif found:
        lines.append("taken into the release; python -m autograder regrade shows what changes")
    emit(options, {"checks": found, "unfinished": left}, "\n".join(lines))
    return 0


def regrade_options(one: argparse.ArgumentParser) -> None:
    """Add the options of ``regrade``."""
    one.add_argument(
        "submissions",
        type=Path,
        nargs="?",
        metavar="SUBMISSIONS",
        help="judge these anew at once, all exercises with new draws; by default the stored hand-ins are judged",
    )
    one.add_argument("--students", nargs="+", default=[], metavar="STUDENT", help="default: all")
    one.add_argument(
        "--exercises", nargs="+", default=[], metavar="EXERCISE", help="default: those whose check changed"
    )
    one.add_argument("--all", action="store_true", help="all exercises, whether their check changed or not")
    one.add_argument("--apply", action="store_true", help="enter what comes out; without it nothing is written")
    intake_options(one)
    run_options(one)


def regrade(options: argparse.Namespace) -> int:
    """``regrade``: 1 if a hand-in could not be judged again (they are listed)."""
    if options.submissions is not None:
        return _anew(options)
    from autograder.grading.regrade import Decision, Wish, table
    from autograder.grading.regrade import regrade as judge_again
    from autograder.reports.term import must_be_open

    opened, name, out = open_release(options)
    decision = None
    if options.apply:
        must_be_open(opened)
        decision = Decision(options.reason or "", options.by)
    wish = Wish(options.students, options.exercises, options.all)
    done = judge_again(opened, out, name, settings(options), wish, decision)
    emit(options, done.to_json(), "\n".join([*table(done), *_told(done)]))
    return done.exit_code


def _told(done: Any) -> list[str]:
    """What was done, in sentences."""
    lines = [f"{exercise}: {len(who)} judged again" for exercise, who in done.exercises.items()]
    lines += [f"{who}: not judged again: {reason}" for who, reason in sorted(done.failed.items())]
    lines += done.notes
    if not done.exercises and not done.failed and not done.interrupted:
        return [*lines, "no check is another one than at its verdicts; nothing to do"]
    count = len({one.student for one in done.differences})
    if done.exercises:
        lines.append(f"{len(done.differences)} differences, {count} students")
    if done.interrupted:
        lines.append(f"interrupted; not judged again: {', '.join(done.left) or 'nobody'}; run the same command again")
    if not done.applied:
        return [*lines, "nothing was written; --apply --reason … enters this"]
    if not done.entered:
        return [*lines, "nothing was entered"]
    who = f": {', '.join(done.entered)}" if done.interrupted else ""
    return [*lines, f"entered in ledger and gradebook{who}"]


def _anew(options: argparse.Namespace) -> int:
    """Note the reason in the ledger, then grade the given submissions again."""
    from autograder.grading.inbox import surveyed
    from autograder.grading.store import open_ledger
    from autograder.intake.own import require_handins
    from autograder.reports.roll import term_list
    from autograder.reports.term import must_be_open

    if not (options.reason or "").strip():
        raise CourseError("to judge submissions anew needs a reason; give --reason")
    if options.exercises:
        raise CourseError("with SUBMISSIONS all exercises are judged; leave them out to judge single ones")
    opened, name, out = open_release(options)
    must_be_open(opened)
    require_handins(options.submissions, Path(opened.root), out, options.platform)
    told: list[str] = []
    options.roster = term_list(opened, options.roster, told)
    for sentence in told:
        print(f"note: {sentence}", file=sys.stderr)
    book = open_ledger(opened)
    who = book.people().identities
    handins = surveyed(opened, options.submissions, options.platform, options.roster, name, who)
    known = {one.student for one in handins.found}
    unknown = sorted(set(options.students) - known)
    if unknown:
        raise CourseError(f"{unknown[0]}: no submission of that name in {options.submissions}")
    for student in sorted(options.students or known):
        book.append("regrade", student=student, assignment=name, reason=options.reason, by=options.by)
    return grade(options)
