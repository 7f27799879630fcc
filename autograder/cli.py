"""The office's command line: every error is one sentence on stderr, every result has an exit code."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from getpass import getuser
from pathlib import Path
from typing import Any

from course_utils.errors import CourseError

ROOT = Path(__file__).resolve().parents[1]
EXITS = (
    "exit codes: 0 all is well · 1 a negative result (a submission could not be graded, notebooks are not current, "
    "the ledger was changed, a mutant survived) · 2 bad input · 130 interrupted (run again to go on)"
)
# Rooms of others that have a command line of their own: module with main(argv) -> exit code.
ROOMS = {
    "mutants": ("autograder.mutants", "hold the checks to wrong and right answers"),
    "soak": ("autograder.soak", "run every check on the solution many times"),
    "attacks": ("tests.attacks", "run every cheat against the grader"),
    "demo": ("autograder.demo", "world, release, training, a sample class graded"),
}
Command = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; nothing but ``--help`` leaves by an exception."""
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        if argv and argv[0] in ROOMS:
            return _room(argv[0], argv[1:])
        options = parser().parse_args(argv)
        return options.run(options)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; run the same command again to go on", file=sys.stderr)
        return 130
    except BrokenPipeError:  # | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _room(name: str, argv: Sequence[str]) -> int:
    module, _ = ROOMS[name]
    try:
        room = importlib.import_module(f"{module}.__main__" if name == "attacks" else module)
    except ModuleNotFoundError as error:
        if (error.name and module.startswith(error.name)) or error.name == f"{module}.__main__":
            raise CourseError(f"{name} is not part of this installation; use a full checkout of the course") from error
        raise
    return int(room.main(list(argv)) or 0)


def parser() -> argparse.ArgumentParser:
    """All commands and options."""
    top = argparse.ArgumentParser(prog="python -m autograder", description=__doc__, epilog=EXITS)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _sources(commands)
    _grading(commands)
    _records(commands)
    for name, (_, words) in ROOMS.items():
        commands.add_parser(name, help=words, add_help=False)
    return top


def _add(commands: Any, name: str, run: Command, words: str) -> argparse.ArgumentParser:
    one = commands.add_parser(name, help=words, description=words, epilog=EXITS)
    one.set_defaults(run=run)
    one.add_argument("--json", metavar="FILE", help="write the result as JSON (- for stdout)")
    return one


def _sources(commands: Any) -> None:
    one = _add(commands, "build", build, "solutions/*.py -> student notebooks")
    one.add_argument("--check", action="store_true", help="write nothing; 1 if notebooks are not what the sources give")
    one.add_argument("--out", type=Path, default=ROOT / "notebooks")
    two = _add(commands, "lint", lint, "problems of the solution sources")
    three = _add(commands, "solutions", solutions, "solution notebooks as ipynb and HTML, for instructors")
    three.add_argument("--out", type=Path, default=Path("build/solutions"))
    three.add_argument("--execute", action="store_true", help="run them first")
    four = _add(commands, "release", release, "a term's release folder: student.zip, nbgrader course, hidden answers")
    four.add_argument("--out", type=Path, required=True)
    four.add_argument("--seed", type=int, help="the term's secret; drawn afresh by default")
    four.add_argument("--term", default="", help='e.g. "Spring 2027"')
    for command in (three, four):
        command.add_argument("--assignments", nargs="+", metavar="NAME", help="default: all")
    for command in (one, two, three, four):
        command.add_argument("--sources", type=Path, default=ROOT / "solutions", help=argparse.SUPPRESS)


def _released(one: argparse.ArgumentParser) -> None:
    one.add_argument("--release", type=Path, required=True, metavar="DIR", help="made by the release command")
    one.add_argument("--assignment", metavar="NAME", help="e.g. 07_knowledge; needed if the release has several")
    one.add_argument("--out", type=Path, metavar="DIR", help="default: grading/ in the release")


def _grading(commands: Any) -> None:
    one = _add(commands, "grade", grade, "grade a class: folder, zips or a platform's export")
    one.add_argument("submissions", type=Path, metavar="SUBMISSIONS")
    _run_options(one)
    two = _add(commands, "feedback", feedback, "one HTML page per student")
    three = _add(commands, "report", report, "class report with feedback pages: index.html")
    three.add_argument(
        "--figure", nargs=2, action="append", default=[], metavar=("PNG", "ALT"), help="with its alt text"
    )
    three.add_argument("--title", default="")
    four = _add(commands, "export", export, "grades for other systems")
    four.add_argument("--format", default="csv", choices=("csv", "canvas", "moodle", "gradescope", "json"))
    four.add_argument("--file", type=Path, help="default: grades-FORMAT.csv in --out")
    for command in (one, two, three, four):
        _released(command)


def _run_options(one: argparse.ArgumentParser) -> None:
    one.add_argument("--workers", type=int, default=2, help="submissions at a time (2)")
    one.add_argument("--seed", type=int, help="of the checks' draws; fresh by default, recorded always")
    one.add_argument("--again", action="store_true", help="grade also what was graded before and has not changed")
    one.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster")
    one.add_argument("--quiet", action="store_true", help="no progress bar")


def _records(commands: Any) -> None:
    one = _add(commands, "ledger", ledger, "check the record of a term, or write the gradebook from it again")
    one.add_argument("action", choices=("verify", "rebuild"))
    one.add_argument("--head", default="", help="a hash noted down earlier that must still be there")
    two = _add(commands, "override", override, "change one mark by hand, with a reason")
    for name in ("student", "exercise"):
        two.add_argument(name)
    two.add_argument("points", type=float)
    three = _add(commands, "regrade", regrade, "judge again, e.g. after a check was mended")
    three.add_argument("submissions", type=Path, metavar="SUBMISSIONS")
    three.add_argument("--students", nargs="+", metavar="STUDENT", help="default: all")
    _run_options(three)
    for command in (two, three):
        command.add_argument("--reason", required=True)
        command.add_argument("--by", default=_user(), help="who decides (default: you)")
    for command in (one, two, three):
        _released(command)


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):
        return "unknown"


def _emit(options: argparse.Namespace, data: Any, words: str) -> None:
    """Print the result for people, and as JSON where it was asked for."""
    if options.json == "-":
        print(json.dumps(data, indent=1, ensure_ascii=False, default=str))
        return
    if options.json:
        from autograder.store import write_atomic

        write_atomic(Path(options.json), json.dumps(data, indent=1, ensure_ascii=False, default=str) + "\n")
    print(words)


def _open(options: argparse.Namespace) -> tuple[Any, str, Path]:
    """The release, the assignment that is meant, and where output goes."""
    from autograder.store import load_release

    opened = load_release(options.release)
    name = options.assignment
    if name is None:
        if len(opened.assignments) != 1:
            raise CourseError(f"the release has {', '.join(opened.assignments)}; say which with --assignment")
        name = opened.assignments[0]
    if name not in opened.assignments:
        raise CourseError(f"{name}: not in this release, which has {', '.join(opened.assignments)}")
    return opened, name, options.out or Path(options.release) / "grading"


# ---- sources ---------------------------------------------------------------------------------------------------------


def build(options: argparse.Namespace) -> int:
    """``build [--check]``: 1 if notebooks are not current."""
    from autograder import build as room

    try:
        paths = room.build(options.sources, options.out, check=options.check)
    except room.StaleError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    verb = "current" if options.check else "written"
    _emit(options, [str(path) for path in paths], f"{len(paths)} notebooks {verb} in {options.out}")
    return 0


def lint(options: argparse.Namespace) -> int:
    """``lint``: 1 if there are problems."""
    from autograder import lint as room
    from autograder.percent import read_source, source_paths

    problems = room.lint([read_source(path) for path in source_paths(options.sources)])
    _emit(options, problems, "\n".join(problems) or "no problems")
    return 1 if problems else 0


def solutions(options: argparse.Namespace) -> int:
    """``solutions``: write the solution notebooks."""
    from autograder.rendering import render_solutions

    paths = render_solutions(options.sources, options.out, options.execute, options.assignments)
    _emit(options, [str(path) for path in paths], f"{len(paths)} files written in {options.out}")
    return 0


def release(options: argparse.Namespace) -> int:
    """``release``: make a release folder."""
    from autograder.release import make_release

    path = make_release(options.out, options.seed, options.term, options.assignments, options.sources)
    _emit(options, {"release": str(path)}, f"release written: {path}\ngive students {path / 'student.zip'}")
    return 0


# ---- grading ---------------------------------------------------------------------------------------------------------


def grade(options: argparse.Namespace) -> int:
    """``grade``: 1 if a submission could not be graded (they are listed)."""
    from autograder import pipeline

    opened, name, out = _open(options)
    summary = pipeline.grade(
        options.submissions, opened, out, name, options.workers, not options.quiet, not options.again,
        options.scheduler, seed=options.seed,
    )  # fmt: skip
    lines = [_line(one) for one in summary.outcomes]
    lost = sum(not one.ok for one in summary.outcomes)
    lines.append(f"{len(summary.outcomes) - lost} graded, {lost} not, in {summary.seconds:.0f} s; see {out}")
    if summary.interrupted:
        lines.append("interrupted; run the same command again to go on")
    _emit(options, summary.to_json(), "\n".join(lines))
    return summary.exit_code


def _line(one: Any) -> str:
    if not one.ok:
        return f"{one.student}: not graded ({one.state}): {one.reason}"
    notes = f"  [{'; '.join(one.notes)}]" if one.notes else ""
    return f"{one.student}: {one.points:g} of {one.max_points:g}{notes}"


def feedback(options: argparse.Namespace) -> int:
    """``feedback``: one page per student in ``OUT/feedback``."""
    from autograder.feedback import write_feedback

    opened, name, out = _open(options)
    pages = write_feedback(opened, name, out / "feedback")
    _emit(options, {who: str(path) for who, path in pages.items()}, f"{len(pages)} pages in {out / 'feedback'}")
    return 0


def report(options: argparse.Namespace) -> int:
    """``report``: ``OUT/report/index.html`` and the pages it links to."""
    from autograder.feedback import write_feedback
    from autograder.report import Figure, class_report, read_summary

    opened, name, out = _open(options)
    folder = out / "report"
    pages = write_feedback(opened, name, folder / "feedback")
    figures = [Figure(Path(path), alt, alt) for path, alt in options.figure]
    path = class_report(opened, name, folder, read_summary(out, name), figures, pages, options.title)
    _emit(options, {"report": str(path)}, f"report written: {path}")
    return 0


def export(options: argparse.Namespace) -> int:
    """``export``: grades in another system's layout."""
    from autograder import export as room
    from autograder.report import read_summary

    opened, name, out = _open(options)
    suffix = "json" if options.format == "json" else "csv"
    path = options.file or out / f"grades-{name}-{options.format}.{suffix}"
    room.export(opened, name, options.format, path, read_summary(out, name))
    _emit(options, {"file": str(path)}, f"grades written: {path}")
    return 0


# ---- records ---------------------------------------------------------------------------------------------------------


def ledger(options: argparse.Namespace) -> int:
    """``ledger verify``: 1 if a line is not as it was written; ``ledger rebuild`` writes the gradebook again."""
    from autograder.ledger import LedgerError
    from autograder.pipeline import rebuild_gradebook
    from autograder.store import load_release, open_ledger

    if options.action == "rebuild":
        opened, name, _ = _open(options)
        notes = rebuild_gradebook(opened, name)
        _emit(options, {"notes": notes}, "\n".join(["gradebook written from the ledger", *notes]))
        return 0
    book = open_ledger(load_release(options.release))
    try:
        count, head = book.verify(options.head)
    except LedgerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    words = f"{count} entries, all as they were written; head {head}"
    _emit(options, {"entries": count, "head": head, "notes": book.notes}, "\n".join([words, *book.notes]))
    return 0


def override(options: argparse.Namespace) -> int:
    """``override``: one entry in the ledger, and the gradebook follows."""
    from autograder.pipeline import replay_student
    from autograder.store import open_ledger

    opened, name, _ = _open(options)
    entry = open_ledger(opened).override(
        name, options.student, options.exercise, options.points, options.reason, options.by
    )
    replay_student(opened, name, options.student)
    words = f"{options.student}: {options.exercise} is {options.points:g} now, by {options.by}"
    _emit(options, entry.data, words)
    return 0


def regrade(options: argparse.Namespace) -> int:
    """``regrade``: note the reason in the ledger, then grade those students again."""
    from autograder.intake import discover
    from autograder.store import open_ledger

    opened, name, _ = _open(options)
    book, known = open_ledger(opened), {one.student for one in discover(options.submissions)}
    unknown = sorted(set(options.students or []) - known)
    if unknown:
        raise CourseError(f"{unknown[0]}: no submission of that name in {options.submissions}")
    for student in sorted(options.students or known):
        book.append("regrade", student=student, assignment=name, reason=options.reason, by=options.by)
    return grade(options)
