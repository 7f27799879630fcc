"""Commands of a whole term: term new, roster, status, close; times."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from autograder.cli.common import add, emit, open_release, released_options, require_whole, somebody, take_marks
from autograder.grading.lock import person
from course_utils.errors import CourseError, visible

# What an action of ``term`` uses beside the options of all; what would have no effect is refused.
USES = {
    "new": ("zone", "due", "roster"),
    "roster": ("file",),
    "status": (),
    "close": ("partial",),
}


def add_commands(commands: Any) -> None:
    """Enter this group's commands and their options."""
    one = add(commands, "term", term, "dates of a term, its class list, where everybody stands, and its end")
    one.add_argument("action", choices=tuple(USES))
    one.add_argument("file", type=Path, nargs="?", metavar="CSV", help="roster: the class list that holds from now on")
    one.add_argument("--release", type=Path, required=True, metavar="DIR", help="made by the release command")
    one.add_argument("--out", type=Path, metavar="DIR", help="status, close: default is grading/ in the release")
    one.add_argument("--zone", help="new: of all dates that name none, e.g. Europe/Berlin (UTC)")
    one.add_argument(
        "--due", action="append", default=[], metavar="NAME=TIME", help="new: e.g. 01_attention=2027-04-20"
    )
    one.add_argument("--roster", type=Path, metavar="CSV", help="new: the class list")
    one.add_argument("--partial", action="store_true", help="close: though grades are missing")
    two = add(commands, "times", times, "when hand-ins came, from a CSV, where the platform's export does not say")
    two.add_argument(
        "file",
        type=Path,
        metavar="CSV",
        help="columns: time, and one of id, canvas_id, moodle_id, sid, email",
    )
    two.add_argument("--by", type=somebody, default=person(), help="who says so (default: you)")
    released_options(two)


def times(options: argparse.Namespace) -> int:
    """``times``: 1 if graded students are without a time, or the file names others."""
    from dataclasses import asdict

    from autograder.reports.roll import term_roster
    from autograder.reports.term import must_be_open, read_term
    from autograder.reports.times import enter_times, read_times

    opened, name, _ = open_release(options)
    must_be_open(opened)
    found = read_times(options.file, term_roster(opened, name), read_term(opened).zone)
    done = enter_times(opened, name, found, options.by, options.file.name)
    emit(options, asdict(done), "\n".join(done.lines(options.file.name)))
    return 0 if done.complete else 1


def term(options: argparse.Namespace) -> int:
    """``term``: 1 where a term cannot be closed yet."""
    _require_used(options)
    require_whole(options.release)
    return {"new": new, "roster": roster, "status": status, "close": close}[options.action](options)


def _require_used(options: argparse.Namespace) -> None:
    """Raise CourseError for an option that the action has no use for, with the command that has."""
    from autograder.reports.term import roster_command

    for name in sorted({name for names in USES.values() for name in names} - set(USES[options.action])):
        value = getattr(options, name)
        if not value:
            continue
        if name in ("roster", "file"):
            raise CourseError(
                f"term {options.action} takes no class list; give it with: {roster_command(value, options.release)}"
            )
        who = " and ".join(f"term {action}" for action, names in USES.items() if name in names)
        raise CourseError(f"--{name} is an option of {who}; leave it out with term {options.action}")


def roster(options: argparse.Namespace) -> int:
    """``term roster``: another class list for all assignments, without grading."""
    from autograder.release.read import load_release
    from autograder.reports.roll import roster_path, term_list, term_roster
    from autograder.reports.term import must_be_open

    release = load_release(options.release)
    if options.file is None:
        raise CourseError("term roster: say which file is the class list, e.g. term roster class.csv")
    must_be_open(release)
    if options.file.resolve() == roster_path(release).resolve():
        term_roster(release)  # what is wrong with it is said
        raise CourseError(f"{options.file}: is the term's class list already; what is changed in it holds at once")
    told: list[str] = []
    term_list(release, options.file, told)
    found = term_roster(release)
    count = len(found.names) if found else 0
    words = f"class list taken: {count} student{'' if count == 1 else 's'}, kept as {roster_path(release)}"
    emit(options, {"file": str(roster_path(release)), "students": count, "told": told}, "\n".join([words, *told]))
    return 0


def new(options: argparse.Namespace) -> int:
    """``term new``: the file of dates, and the class list."""
    from autograder.grading.store import write_atomic
    from autograder.release.read import load_release
    from autograder.reports.roll import term_list
    from autograder.reports.term import parsed_term, roster_command, term_path, term_text

    release = load_release(options.release)
    path = term_path(release)
    if path.exists():
        raise CourseError(f"{path}: is there already; edit it, or move it away first")
    due = dict(_pair(text) for text in options.due)
    text = term_text(release.term, options.zone or "UTC", release.assignments, due)
    dates = parsed_term(text, release.assignments)  # a time that the clocks skip is refused before anything is written
    told: list[str] = []
    roster = term_list(release, options.roster, told, dates.zone)
    write_atomic(path, text)
    command = roster_command(Path("CSV"), options.release)
    words = [f"dates written: {path}", *_due_words(dates, release.assignments)]
    words += [] if options.zone else [f"no --zone was given, so that times are in UTC; write another zone into {path}"]
    words += ["class list kept" if roster else f"no class list yet; give it to grade with --roster, or: {command}"]
    data = {"file": str(path), "roster": str(roster or ""), "zone": str(dates.zone), "due": dict(dates.due)}
    emit(options, data, "\n".join([*words, *told]))
    return 0


def _due_words(dates: Any, assignments: list[str]) -> list[str]:
    """When each assignment is due, on the clocks of the term's zone, a line each; and which have no date."""
    from autograder.reports.term import told_time

    lines = [f"{name}: due {told_time(dates.due[name], dates.zone)}" for name in assignments if name in dates.due]
    without = [name for name in assignments if name not in dates.due]
    return lines + ([f"no due date, so that nobody is late: {', '.join(without)}"] if without else [])


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CourseError(f"--due {text}: write NAME=TIME, e.g. 01_attention=2027-04-20")
    return name, value


def _table(options: argparse.Namespace) -> tuple[Any, Any, Path]:
    """The release, its table, and the file that the table was written to."""
    from autograder.grading.store import write_atomic
    from autograder.release.read import load_release
    from autograder.reports.term_table import read_table, table_csv

    release = load_release(options.release)
    take_marks(release)
    table = read_table(release, release.assignments)
    path = (options.out or Path(options.release) / "grading") / "term.csv"
    write_atomic(path, "\ufeff" + table_csv(table))
    return release, table, path


def status(options: argparse.Namespace) -> int:
    """``term status``: where every assignment stands, and a table of the class."""
    from autograder.reports.term_table import status_rows, status_text

    _, table, path = _table(options)
    closed = [f"closed on {table.term.closed}"] if table.term.closed else []
    words = [status_text(table), *table.problems(), *table.notes(), f"table written: {path}", *closed]
    emit(options, {"assignments": status_rows(table), "open": table.problems(), "file": str(path)}, "\n".join(words))
    return 0


def close(options: argparse.Namespace) -> int:
    """``term close``: the last look at ledger and grades; nothing is graded afterwards."""
    from autograder.grading.inbox import all_left
    from autograder.grading.repair import changed_results
    from autograder.grading.store import open_ledger
    from autograder.reports.term import close_term

    release, table, path = _table(options)
    count, head = open_ledger(release).verify()
    waits = all_left(release)
    wrong = [*changed_results(release), *([] if options.partial else [*table.problems(), *waits])]
    for sentence in wrong:
        print(visible(f"error: {sentence}"), file=sys.stderr)
    if wrong:
        print("the term stays open; mend the above, or give --partial to close it with missing grades", file=sys.stderr)
        return 1
    day = close_term(release)
    words = f"closed on {day}; table written: {path}; {count} entries in the ledger, head {head}"
    data = {"closed": day, "file": str(path), "entries": count, "head": head, "notes": [*table.notes(), *waits]}
    emit(options, data, "\n".join([*table.notes(), *waits, words]))
    return 0
