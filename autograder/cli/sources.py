"""Commands about sources: build, lint, solutions, release, exchange."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from autograder.cli.common import ROOT, add, emit, references_of, require_whole


def add_commands(commands: Any) -> None:
    """Add this group's commands and their options."""
    one = add(commands, "build", build, "solutions/*.py -> student notebooks")
    one.add_argument("--check", action="store_true", help="write nothing; 1 if notebooks are not what the sources give")
    one.add_argument("--out", type=Path, default=ROOT / "notebooks")
    two = add(commands, "lint", lint, "problems of the solution sources and of what is on file for every exercise")
    two.add_argument("--table", action="store_true", help="print which promise holds which sentence of the exercises")
    three = add(commands, "solutions", solutions, "solution notebooks as ipynb and HTML, for instructors")
    three.add_argument("--out", type=Path, default=Path("build/solutions"))
    three.add_argument("--execute", action="store_true", help="run them first")
    four = add(commands, "release", release, "a term's release folder: student.zip, nbgrader course, hidden answers")
    four.add_argument("--out", type=Path, required=True)
    four.add_argument("--seed", type=int, help="the term's secret, for practice only: drawn by default")
    four.add_argument("--term", default="", help='e.g. "Spring 2027"')
    five = add(commands, "exchange", exchange, "an assignment's folder for nbgrader's exchange, with course and data")
    five.add_argument("--release", type=Path, required=True, metavar="DIR", help="made by the release command")
    five.add_argument("--assignment", required=True, metavar="NAME", help="e.g. 07_knowledge")
    for command in (three, four):
        command.add_argument("--assignments", nargs="+", metavar="NAME", help="default: all")
    for command in (one, two, three, four):
        command.add_argument("--sources", type=Path, default=ROOT / "solutions", help=argparse.SUPPRESS)


def build(options: argparse.Namespace) -> int:
    """``build [--check]``: 1 if notebooks are not current."""
    from autograder.source import build as module
    from autograder.source.percent import read_source, source_paths
    from autograder.source.visible import problems

    data = Path(options.sources).absolute().parent / "data"
    try:
        with references_of(options.sources):
            paths = module.build(options.sources, options.out, check=options.check)
            sources = [read_source(path) for path in source_paths(options.sources)]  # build refused those with problems
            if not options.check:
                from autograder.quality.casebook import write_cases

                write_cases(sources, data)
            elif found := list(problems(sources, data)):
                raise module.StaleError("; ".join([*found, module.AGAIN]))
    except module.StaleError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    verb = "current" if options.check else "written"
    emit(options, [str(path) for path in paths], f"{len(paths)} notebooks {verb} in {options.out}")
    return 0


def lint(options: argparse.Namespace) -> int:
    """``lint``: 1 if there are problems in the sources or an exercise lacks something that it must have on file."""
    from autograder.quality.filing import CourseFolder, unfiled
    from autograder.source import covered
    from autograder.source import lint as module
    from autograder.source.percent import read_source, source_paths

    sources = [read_source(path) for path in source_paths(options.sources)]
    with references_of(options.sources):
        problems = [*module.lint(sources), *unfiled(sources, CourseFolder.of(options.sources))]
        told = [line for source in sources for line in covered.table(source)] if options.table else []
    emit(options, problems, "\n".join([*told, *problems]) or "no problems")
    return 1 if problems else 0


def solutions(options: argparse.Namespace) -> int:
    """``solutions``: write the solution notebooks."""
    from autograder.source.rendering import render_solutions

    paths = render_solutions(options.sources, options.out, execute=options.execute, names=options.assignments)
    emit(options, [str(path) for path in paths], f"{len(paths)} files written in {options.out}")
    return 0


def release(options: argparse.Namespace) -> int:
    """``release``: make a release folder."""
    from autograder.release.make import LEAST_SEED, make_release
    from course_utils.engine.files import free_name

    if options.seed is not None and options.seed < LEAST_SEED:
        print(
            f"warning: a student finds the seed {options.seed} by trying, and with it all hidden answers. For a term that is "
            "taught leave --seed out: one of 64 bits is drawn and kept in release.json.",
            file=sys.stderr,
        )
    require_whole(options.out)
    aside = free_name(options.out.absolute())
    path = make_release(options.out, options.seed, options.term, options.assignments, options.sources)
    words = f"release written: {path}\ngive students {path / 'student.zip'}"
    told: list[str] = []
    if aside.exists():
        words += f"\nthe release that was here is in {aside}; work that was made with its zip fits that one only"
        told = _carried(path, aside, options.term)
    emit(
        options,
        {"release": str(path), "aside": str(aside) if aside.exists() else "", "told": told},
        "\n".join([words, *told]),
    )
    return 0


def _carried(path: Path, aside: Path, term: str) -> list[str]:
    """Take over dates and class list of the release that was set aside; returns what to say about them."""
    from autograder.release.read import load_release, read_json
    from autograder.reports.carry import carry_over

    before = str(read_json(aside / "release.json").get("term", ""))
    return carry_over(load_release(path), aside, same_term=not (term and before) or term == before)


def exchange(options: argparse.Namespace) -> int:
    """``exchange``: make the folder that ``nbgrader release_assignment`` hands out."""
    from autograder.release.exchange import fill_exchange
    from autograder.release.read import load_release

    path = fill_exchange(load_release(options.release), options.assignment)
    words = f"folder written: {path}\nin {path.parents[1]} run: nbgrader release_assignment {path.name} --course COURSE"
    emit(options, {"folder": str(path)}, words)
    return 0
