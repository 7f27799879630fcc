"""Commands that check or change the record of grades: ledger, override, regrade, remove."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from autograder.cli.common import add, emit, open_release, released_options, somebody, take_marks
from autograder.cli.erase import erase
from autograder.cli.regrade import mend, mend_options, regrade, regrade_options
from autograder.grading.lock import person
from course_utils.errors import CourseError, visible


def add_commands(commands: Any) -> None:
    """Add this group's commands and their options."""
    one = add(commands, "ledger", ledger, "check the record of a term, or write the gradebook from it again")
    one.add_argument("action", choices=("verify", "restore", "rebuild"))
    one.add_argument(
        "--wait", action="store_true", help="verify: wait for a grader on this release, instead of an error"
    )
    one.add_argument("--head", default="", help="a hash noted down earlier that must still be there")
    two = add(commands, "override", override, "change one mark by hand, with a reason")
    for name in ("student", "exercise"):
        two.add_argument(name)
    two.add_argument("points", type=points)
    three = add(commands, "regrade", regrade, "judge again after a check was mended: see what changes, then --apply it")
    regrade_options(three)
    mending = add(commands, "mend", mend, "take mended checks from the sources into a release that is in use")
    mend_options(mending)
    four = add(
        commands, "remove", remove_or_erase, "take out a student who was entered by mistake, or all of a wrong folder"
    )
    four.add_argument(
        "student", help="an id; or an entry that is nobody's; or the folder or zip that was graded by mistake"
    )
    four.add_argument(
        "--erase", action="store_true", help="delete all that the release holds of this person, in all assignments"
    )
    five = add(commands, "marks", marks, "take into the ledger what was marked in the formgrader")
    for command in (two, three, four, mending):
        command.add_argument("--reason", required=command in (two, four))
        command.add_argument("--by", type=somebody, default=person(), help="who decides (default: you)")
    five.add_argument("--by", type=somebody, default=person(), help="who marked (default: you)")
    _backup_commands(commands)
    for command in (one, two, three, four, five, mending):
        released_options(command)


def points(text: str) -> float:
    """Points as a number. Raises argparse's error for what is none, such as a comma for the decimal point."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of points; write it with a point, as in 0.5") from None


def _backup_commands(commands: Any) -> None:
    six = add(commands, "backup", backup, "a release in one file: ledger, results, checks, the term's secret")
    six.add_argument("file", type=Path, metavar="FILE")
    six.add_argument("--handed-in", action="store_true", help="also the unpacked files of students, such as weights")
    seven = add(commands, "restore", restore, "put a release back from a backup, and check it")
    seven.add_argument("file", type=Path, metavar="FILE")
    for command in (six, seven):
        command.add_argument("--release", type=Path, required=True, metavar="DIR")
        command.add_argument("--overwrite", action="store_true", help="replace what is there already")


def ledger(options: argparse.Namespace) -> int:
    """``ledger verify``: 1 if anything was changed; ``restore`` repairs the ledger, ``rebuild`` writes the gradebook."""
    from autograder.grading.entering import rebuild_gradebook
    from autograder.release.read import load_release

    if options.action == "verify":
        return _verify(options)
    if options.action == "restore":
        return _restore(options, load_release(options.release, gradebook=False))
    opened = load_release(options.release, gradebook=False)
    if options.assignment is not None and options.assignment not in opened.assignments:
        raise CourseError(f"{options.assignment}: not in this release, which has {', '.join(opened.assignments)}")
    notes = rebuild_gradebook(opened, options.assignment or "")
    emit(options, {"notes": notes}, "\n".join(["gradebook written from the ledger", *notes]))
    return 0


def _verify(options: argparse.Namespace) -> int:
    """Compare ledger, copy, the gradebook and every stored result; print a sentence for each difference."""
    from autograder.grading.begun import unfinished
    from autograder.grading.lock import alone
    from autograder.grading.repair import changed_checks, changed_marks, changed_results
    from autograder.grading.store import course_dir, open_ledger
    from autograder.release.read import load_release

    release = load_release(options.release)
    # a grader writes ledger, results and gradebook one after the other
    with alone(course_dir(release), wait=options.wait, erasing=True):
        try:
            book = open_ledger(release)
            count, head = book.verify(options.head)
            wrong = changed_checks(release) + changed_results(release) + changed_marks(release)
        except CourseError as error:
            wrong = [str(error)]
        if (words := unfinished(course_dir(release))) and words not in wrong:
            wrong.append(words)
    for sentence in wrong:
        print(visible(f"error: {sentence}"), file=sys.stderr)
    if wrong:
        return 1
    repairs = [f"repaired on {entry.time[:16]}: {entry.data['note']}" for entry in book if entry.kind == "repair"]
    words = f"{count} entries and their results, all as they were written; head {head}"
    emit(options, {"entries": count, "head": head, "notes": repairs}, "\n".join([words, *repairs]))
    return 0


def _restore(options: argparse.Namespace, release: Any) -> int:
    from autograder.grading.lock import alone
    from autograder.grading.repair import restore
    from autograder.grading.store import course_dir

    with alone(course_dir(release), erasing=True):
        words = restore(release)
    emit(options, {"done": words}, words or "nothing was wrong")
    return 0


def backup(options: argparse.Namespace) -> int:
    """``backup``: one file, read back after it was written."""
    from dataclasses import asdict

    from autograder.grading.backup import back_up
    from autograder.grading.inbox import all_left
    from autograder.release.read import load_release

    release = load_release(options.release)
    found = back_up(release, options.file, overwrite=options.overwrite, handed_in=options.handed_in)
    size = options.file.stat().st_size / 1e6
    words = f"{options.file}: {len(found.files)} files, {found.entries} entries of the ledger, {size:.1f} MB; keep it private"
    if found.left_out:
        words += f"; left out, since a zip cannot hold the names: {', '.join(found.left_out[:12])}"
    waits = all_left(release)
    told = ["this is not in the backup; grade it and give backup again, or keep the folder itself"] if waits else []
    emit(options, asdict(found), "\n".join([words, *waits, *told]))
    return 0


def restore(options: argparse.Namespace) -> int:
    """``restore``: the release as it was; what was there before is set aside."""
    from dataclasses import asdict

    from autograder.grading.backup import restore as put_back
    from autograder.grading.inbox import lacking
    from autograder.grading.store import course_dir
    from autograder.intake.platforms import SUBMITTED
    from autograder.release.read import load_release
    from course_utils.engine.files import free_name

    aside = free_name(options.release.absolute())
    found = put_back(options.file, options.release, overwrite=options.overwrite)
    lines = [
        f"{options.release}: put back as of {found.made}, {found.entries} entries of the ledger, all as they were written"
    ]
    lacks: list[str] = []
    if aside.exists():
        lines.append(f"what was here before is in {aside}")
        release = load_release(options.release)
        lacks = lacking(release, aside.resolve() / course_dir(release).name / SUBMITTED)
    emit(
        options,
        {**asdict(found), "aside": str(aside) if aside.exists() else "", "waiting": lacks},
        "\n".join([*lines, *lacks]),
    )
    return 0


def override(options: argparse.Namespace) -> int:
    """``override``: add one entry to the ledger, and enter its points into the gradebook."""
    from autograder.grading.entering import override_student
    from autograder.grading.inbox import left

    opened, name, _ = open_release(options)
    what = (options.student, options.exercise, options.points)
    entry = override_student(opened, name, *what, options.reason, options.by)
    words = f"{options.student}: {options.exercise} is {options.points:g} now, by {options.by}"
    emit(options, entry.data, "\n".join([words, *left(opened, name, [options.student])]))
    return 0


def marks(options: argparse.Namespace) -> int:
    """``marks``: 1 if something stands in the gradebook that nobody can have written with the formgrader."""
    from autograder.grading.byhand import format_report
    from autograder.grading.entering import collect_marks
    from autograder.release.read import load_release

    taken = collect_marks(load_release(options.release), options.by)
    for sentence in taken.problems:
        print(visible(f"error: {sentence}"), file=sys.stderr)
    lines = format_report(taken.entries)
    data = {"marks": [entry.data for entry in taken.entries], "problems": taken.problems}
    emit(options, data, "\n".join([*lines, f"{len(lines)} marks taken into the ledger"]))
    return 1 if taken.problems else 0


def remove_or_erase(options: argparse.Namespace) -> int:
    """``remove``, which keeps all that it takes out, or ``remove --erase``."""
    return erase(options) if options.erase else remove(options)


def remove(options: argparse.Namespace) -> int:
    """``remove``: take a wrongly entered student out of gradebook, results and summary, with an entry in the ledger."""
    import json

    from autograder.grading.byhand import exercise_of
    from autograder.grading.gradebook import listed_names
    from autograder.grading.inbox import left
    from autograder.grading.removal import remove as take_out
    from autograder.grading.removal import remove_strays
    from autograder.grading.store import ROSTER, course_dir, open_ledger, write_atomic
    from autograder.reports.class_report import read_summary
    from autograder.reports.term import roster_command

    opened, name, out = open_release(options)
    strays = remove_strays(opened, name, options.student, options.reason, options.by)
    if strays:
        emit(options, {"taken out": strays}, f"{len(strays)} taken out: {', '.join(strays)}")
        return 0
    pages = _pages(out, name, options.student)
    take_marks(opened)
    standing = open_ledger(opened).standings().get((name, options.student))
    hands = sorted({exercise_of(cell) for cell in standing.by_hand()}) if standing else []
    aside = take_out(opened, name, options.student, options.reason, options.by, pages)
    summary = read_summary(out, name)
    if summary:
        summary["outcomes"] = [one for one in summary["outcomes"] if one["student"] != options.student]
        write_atomic(out / f"{name}.json", json.dumps(summary, indent=1))
    words = f"{options.student} was taken out; files in {aside}"
    if hands:
        words += f"; given by hand, and no longer counted even if the same work is entered again: {', '.join(hands)}"
    if options.student in listed_names(course_dir(opened) / ROSTER):
        command = roster_command(Path("CSV"), options.release)
        words += "; still on the class list: take the line out in your file and give it with: " + command
    if _names(out / "report" / "index.html", name, options.student):
        words += "; the class report still names the student: give report again"
    lines = [words, *left(opened, name, [options.student])]
    emit(options, {"student": options.student, "files": str(aside)}, "\n".join(lines))
    return 0


def _pages(out: Path, assignment: str, student: str) -> list[Path]:
    """Pages that were written about a student of an assignment. Raises CourseError for what is no id."""
    from autograder.intake.names import require_id

    places = (out / place / f"{require_id(student)}.html" for place in ("feedback", "report/feedback"))
    return [page for page in places if page.exists() and assignment in page.read_text(encoding="utf-8")]


def _names(report: Path, assignment: str, student: str) -> bool:
    """Whether a class report is of this assignment and has the student's page."""
    from urllib.parse import quote

    text = report.read_text(encoding="utf-8") if report.is_file() else ""
    return assignment in text and f"feedback/{quote(student)}.html" in text
