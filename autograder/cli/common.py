"""Functions that all commands share: parsers, the release that a command works on, and the printing of results."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from course_utils.errors import CourseError, visible

ROOT = Path(__file__).resolve().parents[2]
EXITS = (
    "exit codes: 0 all is well · 1 a negative result (a submission could not be graded, notebooks are not current, "
    "the ledger was changed, a mutant survived) · 2 bad input · 130 interrupted (run again to go on)"
)
Command = Callable[[argparse.Namespace], int]


def add(commands: Any, name: str, run: Command, words: str) -> argparse.ArgumentParser:
    """Add a subcommand that calls ``run`` and has the option ``--json``."""
    one = commands.add_parser(name, help=words, description=words, epilog=EXITS)
    one.set_defaults(run=run)
    one.add_argument("--json", metavar="FILE", help="write the result as JSON (- for stdout)")
    return one


def released_options(one: argparse.ArgumentParser) -> None:
    """Add the options of a command that works on a release."""
    one.add_argument("--release", type=Path, required=True, metavar="DIR", help="made by the release command")
    one.add_argument("--assignment", metavar="NAME", help="e.g. 07_knowledge; needed if the release has several")
    one.add_argument("--out", type=Path, metavar="DIR", help="default: grading/ in the release")


def somebody(text: str) -> str:
    """A person's name for ``--by``. Raises argparse's error for blanks: the record must say who decided."""
    if not text.strip():
        raise argparse.ArgumentTypeError("give a name")
    return text


def run_options(one: argparse.ArgumentParser) -> None:
    """Add the options of a command that grades."""
    one.add_argument("--workers", type=int, default=2, help="submissions at a time (2)")
    one.add_argument("--seed", type=int, help="of the checks' draws; fresh by default, recorded always")
    one.add_argument("--again", action="store_true", help="grade also what was graded before and has not changed")
    one.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster")
    one.add_argument("--wait", action="store_true", help="wait for another grader on this release, instead of an error")
    one.add_argument("--quiet", action="store_true", help="no progress bar")


def emit(options: argparse.Namespace, data: Any, words: str) -> None:
    """Print ``words``, and write ``data`` as JSON if ``--json`` asks for it (``-`` prints JSON only)."""
    if options.json == "-":
        print(json.dumps(data, indent=1, ensure_ascii=False, default=str))
        return
    if options.json:
        from autograder.grading.store import write_atomic

        write_atomic(Path(options.json), json.dumps(data, indent=1, ensure_ascii=False, default=str) + "\n")
    print(visible(words))


@contextmanager
def references_of(sources: Path) -> Iterator[None]:
    """Find ``solutions.reference`` in the course of these sources while the block runs, also in processes that it starts."""
    before = list(sys.path)
    sys.path.insert(0, str(Path(sources).absolute().parent))
    try:
        yield
    finally:
        sys.path[:] = before


def take_marks(opened: Any) -> None:
    """Read the marks entered in the formgrader, before pages or grades are written; print warnings about missing ones."""
    from autograder.grading.entering import collect_marks
    from autograder.grading.lock import person

    try:
        problems = collect_marks(opened, person()).problems
    except CourseError as error:
        problems = [f"what was marked since the last command may be missing: {error}"]
    for sentence in problems:
        print(visible(f"warning: {sentence}"), file=sys.stderr)


def require_whole(release: Path) -> None:
    """Raise CourseError where an erasure of a person was begun in a release: nothing may be written before it is finished."""
    from autograder.grading.begun import require_none

    require_none(release.resolve() / "instructor")


def open_release(options: argparse.Namespace) -> tuple[Any, str, Path]:
    """The release, the name of the assignment, and the output folder that the options name.

    Raises:
        CourseError: no release, an unknown assignment, or several and none named.
    """
    from autograder.release.read import load_release

    opened = load_release(options.release)
    name = options.assignment
    if name is None:
        if len(opened.assignments) != 1:
            raise CourseError(f"the release has {', '.join(opened.assignments)}; say which with --assignment")
        name = opened.assignments[0]
    if name not in opened.assignments:
        raise CourseError(f"{name}: not in this release, which has {', '.join(opened.assignments)}")
    return opened, name, options.out or Path(options.release) / "grading"
