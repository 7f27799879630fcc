"""Commands about one exercise: new, check, list."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from autograder.cli.common import EXITS, ROOT, add, emit, references_of


def add_commands(commands: Any) -> None:
    """Add this group's commands and their options."""
    words = "write, check and list exercises"
    group = commands.add_parser("exercise", help=words, description=words, epilog=EXITS)
    actions = group.add_subparsers(required=True, metavar="ACTION")
    one = add(actions, "new", new, "the skeleton of an exercise, with a mark wherever something is to be written")
    two = add(actions, "check", check, "lint, compile, and judge the exercise's wrong and right answers in the sandbox")
    three = add(actions, "list", show, "exercises with points, minutes, answers on file and cost")
    for command in (one, two):
        command.add_argument("notebook", metavar="NN", help="number of the notebook, such as 03")
        command.add_argument("name", metavar="NAME", help="the exercise's id, such as rope")
    three.add_argument("notebook", metavar="NN", nargs="?", help="number of one notebook; all without it")
    one.add_argument("--points", type=_positive, default=1.0, help="(1)")
    one.add_argument("--minutes", type=_positive, default=15.0, help="a student's time (15)")
    one.add_argument("--difficulty", type=int, default=1, choices=(1, 2, 3), help="(1)")
    one.add_argument("--after", metavar="ID", help="the exercise behind which it goes; default: the last one")
    two.add_argument("--workers", type=int, default=2, help="processes that judge (2)")
    for command in (one, two, three):
        command.add_argument("--sources", type=Path, default=ROOT / "solutions", help=argparse.SUPPRESS)


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def new(options: argparse.Namespace) -> int:
    """``exercise new``: write the skeleton and print the next steps."""
    from autograder.quality.exercise import taken_ids
    from autograder.quality.skeleton import new_exercise
    from autograder.source.percent import find_notebook, read_source

    source = read_source(find_notebook(options.sources, options.notebook))
    paths = new_exercise(
        source, taken_ids(options.sources), options.name, options.points, options.minutes, options.difficulty,
        options.after,
    )  # fmt: skip
    lines = [f"written: {path}" for path in paths]
    lines += [
        f"1. fill in every TODO({options.name})",
        f"2. python -m autograder exercise check {options.notebook} {options.name}  # until nothing is wrong",
        "3. python -m autograder build  # writes the notebook and its visible cases",
        f"4. python -m benchmarks.costs --exercises {source.name}  # the cost; then build again",
    ]
    emit(options, [str(path) for path in paths], "\n".join(lines))
    return 0


def check(options: argparse.Namespace) -> int:
    """``exercise check``: 1 if there is a problem or an answer on file got a wrong verdict."""
    from autograder.quality import forking
    from autograder.source.percent import find_notebook

    notebook = find_notebook(options.sources, options.notebook).stem
    filed = options.sources.absolute().parent / "tests" / "misconceptions" / notebook / options.name
    if options.workers > 1 and len(list(filed.glob("*.py"))) >= forking.FEW:
        forking.start_early()  # imports at the same time as this process
    from autograder.quality.exercise import check_exercise, table

    with references_of(options.sources):
        found = check_exercise(options.sources, options.notebook, options.name, workers=options.workers)
    data = {
        "good": found.good,
        "problems": found.problems,
        "notes": found.notes,
        "verdicts": [
            {
                "file": f"{one.name}.py",
                "expected": "reject" if one.wrong else "accept",
                "verdict": "reject" if one.rejected else "accept",
                "hint": one.said,
                "good": one.good,
            }
            for one in found.verdicts
        ],
    }
    emit(options, data, "\n".join(table(found)))
    return 0 if found.good else 1


def show(options: argparse.Namespace) -> int:
    """``exercise list``: one line per exercise."""
    from autograder.quality.exercise import exercises, listing

    rows = exercises(options.sources, options.notebook)
    emit(options, rows, "\n".join(listing(rows)))
    return 0
