"""Commands of a whole term: term new, status, close."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from autograder.cli.common import add, emit, open_release, released_options, somebody, take_marks
from autograder.grading.lock import person
from course_utils.errors import CourseError, visible


def add_commands(commands: Any) -> None:
    """Enter this group's commands and their options."""
    one = add(commands, "term", term, "dates of a term, where everybody stands, and its end")
    one.add_argument("action", choices=("new", "status", "close"))
    one.add_argument("--release", type=Path, required=True, metavar="DIR", help="made by the release command")
    one.add_argument("--out", type=Path, metavar="DIR", help="default: grading/ in the release")
    one.add_argument("--zone", default="UTC", help="new: of all dates that name none, e.g. Europe/Berlin (UTC)")
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
    return {"new": new, "status": status, "close": close}[options.action](options)


def new(options: argparse.Namespace) -> int:
    """``term new``: the file of dates, and the class list."""
    from autograder.grading.store import write_atomic
    from autograder.release.read import load_release
    from autograder.reports.roll import term_list
    from autograder.reports.term import term_path, term_text

    release = load_release(options.release)
    path = term_path(release)
    if path.exists():
        raise CourseError(f"{path}: is there already; edit it, or move it away first")
    due = dict(_pair(text) for text in options.due)
    text = term_text(release.term, options.zone, release.assignments, due)
    told: list[str] = []
    roster = term_list(release, options.roster, told)
    write_atomic(path, text)
    words = f"dates written: {path}\n" + (
        "class list kept" if roster else "no class list yet; give one to grade, with --roster"
    )
    emit(options, {"file": str(path), "roster": str(roster or "")}, "\n".join([words, *told]))
    return 0


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
    words = [status_text(table), *table.problems(), f"table written: {path}", *closed]
    emit(options, {"assignments": status_rows(table), "open": table.problems(), "file": str(path)}, "\n".join(words))
    return 0


def close(options: argparse.Namespace) -> int:
    """``term close``: the last look at ledger and grades; nothing is graded afterwards."""
    from autograder.grading.repair import changed_results
    from autograder.grading.store import open_ledger
    from autograder.reports.term import close_term

    release, table, path = _table(options)
    count, head = open_ledger(release).verify()
    wrong = [*changed_results(release), *([] if options.partial else table.problems())]
    for sentence in wrong:
        print(visible(f"error: {sentence}"), file=sys.stderr)
    if wrong:
        print("the term stays open; mend the above, or give --partial to close it with missing grades", file=sys.stderr)
        return 1
    day = close_term(release)
    words = f"closed on {day}; table written: {path}; {count} entries in the ledger, head {head}"
    emit(options, {"closed": day, "file": str(path), "entries": count, "head": head}, words)
    return 0
