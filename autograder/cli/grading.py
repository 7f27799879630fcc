"""Commands of grading: grade, feedback, report, export."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.cli.common import add, emit, open_release, released_options, require_whole, run_options, take_marks
from autograder.grading.lock import person
from autograder.intake.platforms import PLATFORMS
from autograder.intake.roster import COLUMNS
from course_utils.errors import CourseError

# What a platform does with a file that was not made from its own.
UPLOADS = {
    "canvas": "Canvas makes a new assignment of this file, unless one of exactly this name is there",
    "moodle": "Moodle takes back its own worksheet only",
}
NO_ZEROS = (
    "no 0 is given to anybody: what is not understood may be the work of somebody from whom nothing seems to have come; "
    "place it or take it out, and export again"
)
NO_ZEROS_UNLISTED = (
    "no 0 is given to anybody: who is not on the class list may be somebody of it from whom nothing seems to have come; "
    "do what is said there, and export again"
)
NO_ZEROS_WAITING = (
    "no 0 is given to anybody: grade what waits, or move it out of submitted/ if grade refuses it, and export again"
)

NOTES = 6  # of one student on the screen

if TYPE_CHECKING:
    from autograder.grading.settings import Settings


def add_commands(commands: Any) -> None:
    """Add this group's commands and their options."""
    one = add(commands, "grade", grade, "grade a class: folder, zips or a platform's export")
    one.add_argument("submissions", type=Path, metavar="SUBMISSIONS")
    intake_options(one)
    one.add_argument(
        "--times",
        type=Path,
        metavar="CSV",
        help="when hand-ins came, as the command times reads it, entered afterwards",
    )
    run_options(one)
    two = add(commands, "feedback", feedback, "one HTML page per student")
    two.add_argument("--zip", choices=("canvas", "moodle"), help="pack the pages as this platform takes them back")
    two.add_argument(
        "--submissions", type=Path, metavar="EXPORT", help="for --zip: the platform's export that was graded"
    )
    three = add(commands, "report", report, "class report with feedback pages: index.html")
    three.add_argument(
        "--figure", nargs=2, action="append", default=[], metavar=("PNG", "ALT"), help="with its alt text"
    )
    three.add_argument("--title", default="")
    four = add(commands, "export", export, "grades for other systems")
    four.add_argument("--format", default="csv", choices=("csv", "canvas", "moodle", "gradescope", "json"))
    four.add_argument("--file", type=Path, help="default: grades-ASSIGNMENT-FORMAT.csv (or .json) in --out")
    four.add_argument(
        "--partial",
        action="store_true",
        help="exit with 0 though grades are missing; unmarked work has its points so far",
    )
    four.add_argument("--zeros", action="store_true", help="0 points for those who handed in nothing")
    four.add_argument(
        "--into", type=Path, metavar="CSV", help="the file that you downloaded from the platform, to be filled"
    )
    four.add_argument(
        "--column", default="", metavar="HEADING", help="for --into: the assignment's, if it is called otherwise"
    )
    four.add_argument("--scale", action="store_true", help="for --into: turn points into the platform's maximum")
    for command in (one, two, three, four):
        released_options(command)


def intake_options(one: argparse.ArgumentParser) -> None:
    """Add the options that decide to which student a submission belongs."""
    one.add_argument(
        "--from", dest="platform", default="", choices=PLATFORMS, help="the platform of the export (by its names)"
    )
    one.add_argument("--roster", type=Path, metavar="CSV", help=f"the class list: {','.join(COLUMNS)}; id is needed")


def grade(options: argparse.Namespace) -> int:
    """``grade``: 1 if a submission could not be graded (they are listed), or has no time where times are given."""
    from dataclasses import asdict

    from autograder.grading import pipeline
    from autograder.reports.lateness import changed, unknown
    from autograder.reports.roll import term_list
    from autograder.reports.term import must_be_open
    from autograder.reports.times import enter_times
    from autograder.reports.unlisted import unlisted

    opened, name, out = open_release(options)
    must_be_open(opened)
    require_whole(options.release)
    told: list[str] = []
    options.roster = term_list(opened, options.roster, told)
    came = _times(options, opened, name)  # a file that cannot be read ends the command before anything is judged
    before = _arrivals(opened, name)
    summary = pipeline.grade(options.submissions, opened, out, name, settings(options))
    summary.missing = _awaited(opened, name, summary.missing)
    lines = _told(summary, told, options, name)
    code, data = summary.exit_code, summary.to_json()
    if came and not summary.interrupted:
        entered = enter_times(opened, name, came, person(), options.times.name)
        data["times"], code = asdict(entered), code if entered.complete else 1
        lines += entered.lines(options.times.name)
    after = _arrivals(opened, name) or {}
    data["late"], data["unknown_time"] = {who: str(one) for who, one in after.items() if one.late}, unknown(after)
    strays = unlisted(opened, name)
    data["unlisted"] = strays.ids
    emit(options, data, "\n".join([*lines, *changed(before, after), *strays.words(options.release, name)]))
    return code


def _told(summary: Any, told: list[str], options: argparse.Namespace, name: str) -> list[str]:
    """What became of everything in the export, a line each."""
    from autograder.grading.summary import some
    from autograder.grading.unplaced import removal

    lines = [_line(one) for one in summary.outcomes]
    lines += [*told, *summary.notes]
    lines += [f"not understood: {one['item']} {one['reason']}" for one in summary.not_understood]
    if summary.not_understood:
        lines.append(removal(str(options.submissions), str(options.release), name))
    if summary.missing:
        lines.append(f"on the class list, and nothing handed in: {', '.join(summary.missing)}")
    done = sum(one.ok for one in summary.outcomes)
    lost = len(summary.outcomes) + len(summary.not_understood) - done
    place = options.out or options.release / "grading"
    lines += _looked_round(summary)
    how = f"in {summary.seconds:.0f} s, read as {summary.platform}"
    lines.append(f"{done} graded, {lost} not, {how}; {summary.news}; see {place}")
    if summary.interrupted:
        names = some(summary.left, most=20)
        words = f"{len(summary.left)} not judged yet: {names}" if summary.left else "everybody is judged"
        lines.append(f"interrupted; {words}; run the same command again to go on")
    return lines


def _looked_round(summary: Any) -> list[str]:
    """Equal hand-ins, and who is graded and not in this export."""
    from autograder.grading.summary import some

    lines = []
    if summary.equal:
        groups = some([" and ".join(students) for students in summary.equal], "; ")
        lines.append(
            f"the same hand-in from more than one person: {groups}. This does not prove that anybody copied: partners may "
            "hand in one file, and a file may lie under another name. The report names them; look before you decide anything"
        )
    if summary.absent:
        lines.append(f"graded before, and not in this export: {some(summary.absent)}")
    return lines


def _arrivals(opened: Any, name: str) -> dict[str, Any] | None:
    """How late everybody is; None where the ledger cannot be read, which ``grade`` mends or says itself."""
    from autograder.grading.copies import LedgerError
    from autograder.reports.roll import arrivals

    try:
        return arrivals(opened, name)
    except LedgerError:
        return None


def _awaited(opened: Any, name: str, missing: list[str]) -> list[str]:
    """Those of the class list from whom nothing came, in this export or an earlier one; who is excused is not missed."""
    from autograder.grading.store import open_ledger
    from autograder.reports.roll import term_roster
    from autograder.reports.term import excused

    roster = term_roster(opened)
    rows = roster.rows if roster else {}
    graded = {
        who for (assignment, who), one in open_ledger(opened).standings().items() if assignment == name and one.verdict
    }
    return [one for one in missing if one not in graded and not excused(rows.get(one, {}).get("excused", ""), name)]


def _times(options: argparse.Namespace, opened: Any, name: str) -> dict[str, str]:
    """Times of ``--times`` by student, none where it is not given. Raises CourseError as ``read_times`` does."""
    from autograder.reports.roll import term_roster
    from autograder.reports.term import read_term
    from autograder.reports.times import read_times

    if getattr(options, "times", None) is None:  # regrade has no such option
        return {}
    return read_times(options.times, term_roster(opened, name), read_term(opened).zone)


def settings(options: argparse.Namespace) -> Settings:
    """The run's settings from the command line. Raises CourseError for values that no run can have."""
    from autograder.grading.settings import Settings

    return Settings(
        workers=options.workers,
        progress=not options.quiet,
        resume=not options.again,
        scheduler=options.scheduler,
        seed=options.seed,
        wait=options.wait,
        platform=options.platform,
        roster=options.roster,
    )


def _line(one: Any) -> str:
    if not one.ok:
        return f"{one.student}: not graded ({one.state}): {one.reason}"
    more = f"; and {len(one.notes) - NOTES} more, see the report" if len(one.notes) > NOTES else ""
    notes = f"  [{'; '.join(one.notes[:NOTES])}{more}]" if one.notes else ""
    waits = f", {one.to_mark:g} to be marked" if one.to_mark else ""
    return f"{one.student}: {one.points:g} of {one.max_points:g}{waits}{notes}"


def feedback(options: argparse.Namespace) -> int:
    """``feedback``: one page per student in ``OUT/feedback``."""
    from autograder.reports.handback import all_pages
    from autograder.reports.roll import read_roll

    opened, name, out = open_release(options)
    take_marks(opened)
    roll = read_roll(opened, name)
    pages = all_pages(opened, name, roll, out / "feedback")
    words = [f"{len(pages)} pages in {out / 'feedback'}"]
    left_out = _zip(options, opened, name, roll, pages, out, words) if options.zip else []
    emit(options, {who: str(path) for who, path in pages.items()}, "\n".join(words))
    return 1 if left_out else 0


def _zip(
    options: argparse.Namespace, opened: Any, name: str, roll: Any, pages: Any, out: Path, words: list[str]
) -> list[str]:
    """Pack the pages for a platform; adds what to say to ``words`` and returns who is left out."""
    from autograder.grading.identities import one_each
    from autograder.grading.store import open_ledger
    from autograder.intake.discover import survey
    from autograder.reports.handback import pack
    from autograder.reports.roll import term_list

    found = []
    if options.submissions:
        identities = open_ledger(opened).people().identities
        found = one_each(survey(options.submissions, options.zip, term_list(opened, None), name), identities).found
    path = out / f"feedback-{name}-{options.zip}.zip"
    packed = pack(roll, name, options.zip, pages, path, found)
    words.append(f"{len(packed.names)} pages for {options.zip}: {path}")
    if packed.left_out:
        words.append(f"not in it, their place on {options.zip} is not known: {', '.join(packed.left_out)}")
    return packed.left_out


def report(options: argparse.Namespace) -> int:
    """``report``: ``OUT/report/index.html`` and the pages it links to."""
    from autograder.reports.class_report import Figure, class_report
    from autograder.reports.handback import all_pages
    from autograder.reports.roll import read_roll

    opened, name, out = open_release(options)
    take_marks(opened)
    folder = out / "report"
    roll = read_roll(opened, name)
    pages = all_pages(opened, name, roll, folder / "feedback")
    figures = [Figure(Path(path), alt, alt) for path, alt in options.figure]
    path = class_report(opened, name, folder, figures, pages, options.title, roll)
    emit(options, {"report": str(path)}, f"report written: {path}")
    return 0


def _into(options: argparse.Namespace, roll: Any, name: str, path: Path) -> tuple[list[str], list[str]]:
    """Fill in the platform's own file; returns the students that it does not have, and those who stay excused there."""
    from autograder.grading.store import write_atomic
    from autograder.reports.exports import Table
    from autograder.reports.lms import PLATFORMS, fill

    if options.format not in PLATFORMS:
        raise CourseError(f"--into takes a file of {', '.join(PLATFORMS)}; say which with --format")
    if path.resolve() == options.into.resolve():
        raise CourseError(f"{path}: is the downloaded file itself; give another --file")
    if not any(one.graded for one in roll.students):
        raise CourseError(f"{name}: nothing is graded yet; run python -m autograder grade first")
    table = Table(name, roll.students, roll.unplaced, partial=options.partial, zeros=options.zeros)
    if not table.given:
        raise CourseError(
            f"nobody has a whole grade yet, answers of {len(roll.of('unmarked'))} are to be marked; mark them in the "
            "formgrader, or say --partial to give the points so far"
        )
    filled = fill(table, options.format, options.into, options.column, scale=options.scale)
    if not filled.filled and not filled.kept:
        raise CourseError(
            f"{options.into}: has none of the students with a grade; give their platform numbers in the class list"
        )
    write_atomic(path, filled.text)
    return filled.absent, filled.kept


def export(options: argparse.Namespace) -> int:
    """``export``: grades in another system's layout; 1 if somebody has none, unless told that this is known."""
    from autograder.grading.inbox import without_grade
    from autograder.reports.exports import write_grades
    from autograder.reports.roll import read_roll
    from autograder.reports.unlisted import unlisted

    opened, name, out = open_release(options)
    take_marks(opened)
    suffix = "json" if options.format == "json" else "csv"
    path = options.file or out / f"grades-{name}-{options.format}.{suffix}"
    roll, strays = read_roll(opened, name), unlisted(opened, name)
    waits = without_grade(opened, name) if options.zeros else []
    withheld = [NO_ZEROS] * bool(roll.unplaced) + [NO_ZEROS_UNLISTED] * bool(strays.ids) if options.zeros else []
    withheld += [*waits, NO_ZEROS_WAITING] if waits else []
    options.zeros = options.zeros and not withheld
    problems = [*roll.problems(zeros=options.zeros), *withheld]
    words = [f"grades written: {path}", *roll.remarks(), *strays.words(options.release, name)]
    missing = [one.student for one in roll.of("missing")] if options.zeros else []
    words += [f"0 points, since they handed in nothing: {', '.join(missing)}"] if missing else []
    absent: list[str] = []
    if options.into:
        absent, kept = _into(options, roll, name, path)
        words += [f"excused on the platform, and left so: {', '.join(kept)}"] if kept else []
        problems += [f"with a grade, and not in {options.into.name}: {', '.join(absent)}"] if absent else []
    else:
        if options.format in UPLOADS:
            print(f"note: {UPLOADS[options.format]}; see --into and docs/lms.md", file=sys.stderr)
        write_grades(roll, name, options.format, path, partial=options.partial, zeros=options.zeros)
    emit(options, {"file": str(path), "missing": problems, "unlisted": strays.ids}, "\n".join([*words, *problems]))
    if problems and not options.partial:
        print(
            f"{path} is written, and is not complete; mend the above and export again, or give --partial to say that you know",
            file=sys.stderr,
        )
    # a grade that reaches nobody is not one that is known to be missing; neither is a 0 that was asked for and not given
    return 1 if absent or withheld or (problems and not options.partial) else 0
