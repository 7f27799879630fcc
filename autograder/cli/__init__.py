"""The instructor's command line: every error is one sentence on stderr, every result has an exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.cli import exercise, gradescope, grading, ledger, merge, sources, term
from autograder.cli.common import EXITS
from course_utils.errors import CourseError

# Commands with a module of their own, which has main(argv) -> exit code.
MODULES = {
    "mutants": ("autograder.quality.misconceptions", "hold the checks to wrong and right answers"),
    "seed-sweep": ("autograder.quality.seed_sweep", "run every check on the solution many times"),
    "right-answers": ("autograder.quality.right_answers", "judge every right answer on file with many fresh seeds"),
    "attacks": ("autograder.cli.attacks", "run every attack against the grader, with controls"),
    "doctor": ("autograder.cli.doctor", "which layers of the sandbox are on here, and how to switch on the others"),
    "demo": ("autograder.demo.run", "world, release, training, a sample class graded"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; only ``--help`` ends by an exception (SystemExit)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        if argv and argv[0] in MODULES:
            return _module(argv[0], argv[1:])
        return _run(argv)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; run the same command again to go on", file=sys.stderr)
        return 130
    except BrokenPipeError:  # | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # from the disk or a path given here: a traceback would not help
        what = f"{str(error.filename)[:200]}: " if error.filename else ""
        from autograder.grading.store import FULL

        full = error.errno in FULL
        remedy = (
            "make room on the disk and run the same command again" if full else "give another path, or make it readable"
        )
        print(f"error: {what}{error.strerror or error}; {remedy}", file=sys.stderr)
        return 2


def _run(argv: list[str]) -> int:
    """Run a command of this package. Raises CourseError for a class list given to a command that takes none."""
    top = parser()
    options, left = top.parse_known_args(argv)
    if any(word.partition("=")[0] == "--roster" for word in left):
        from autograder.reports.term import roster_command

        lists = argparse.ArgumentParser(
            add_help=False, allow_abbrev=False
        )  # what stands behind the option may be a name
        lists.add_argument("--roster", nargs="?", const="CSV")
        path = Path(lists.parse_known_args(argv)[0].roster)
        command = roster_command(path, getattr(options, "release", Path("DIR")))
        raise CourseError(f"{argv[0]} takes no class list; give it with: {command}")
    if left:
        top.error(f"unrecognized arguments: {' '.join(left)}")
    return int(options.run(options))


def _module(name: str, argv: Sequence[str]) -> int:
    """Run a command of another module. Raises CourseError where it is not installed."""
    module, _ = MODULES[name]
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            raise CourseError(f"{name} is not part of this installation; use a full checkout of the course") from error
        raise
    return int(found.main(list(argv)) or 0)


def parser() -> argparse.ArgumentParser:
    """All commands and options."""
    top = argparse.ArgumentParser(prog="python -m autograder", description=__doc__, epilog=EXITS)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for group in (sources, exercise, grading, ledger, merge, term, gradescope):
        group.add_commands(commands)
    for name, (_, words) in MODULES.items():
        commands.add_parser(name, help=words, add_help=False)
    return top
