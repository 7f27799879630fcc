"""``python -m autograder attacks``: every attack against the wall, and the control that shows that it works without one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from course_utils.errors import CourseError
from tests.attacks import ablation, channel, impossible, suite


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is asked for; 0 if the wall held, 1 if not, 2 if there is no sandbox."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] == ["channel"]:  # how much of a hidden input reaches a student
        return channel.main(given[1:])
    parser = argparse.ArgumentParser(prog="python -m autograder attacks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="numbers alone, as JSON")
    parser.add_argument("--family", help="only attacks of families with this in their name")
    parser.add_argument("--ablation", action="store_true", help="again with each layer of the wall taken away")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="of an ablation: go on from the layers kept there")
    parser.add_argument("--impossible", action="store_true", help="thirty exercises that nobody can solve")
    options = parser.parse_args(given)
    try:
        return (_ablation if options.ablation else _impossible if options.impossible else _attacks)(options)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _attacks(options: argparse.Namespace) -> int:
    """The suite itself."""
    chosen = [one for one in suite.all_attacks() if (options.family or "") in one.family]
    rows, lacking = suite.results(chosen), suite.unrun(chosen)
    found = suite.numbers(rows, lacking)
    print(json.dumps(found) if options.json else f"{suite.table(rows, lacking)}\n{json.dumps(found)}")
    if options.json:  # the figures alone do not say which
        print(*suite.not_fine(rows), sep="\n", end="", file=sys.stderr)
    return 0 if suite.held(rows, lacking) else 1


def _ablation(options: argparse.Namespace) -> int:
    """Each layer taken away in turn."""
    chosen = [one for one in suite.all_attacks() if (options.family or "") in one.family]
    found = ablation.ablate(chosen, keep=options.keep)
    print(json.dumps(ablation.summary(found)) if options.json else ablation.table(found))
    lacking = suite.unrun(chosen)
    for family, (count, why) in lacking.items():
        print(f"NOT RUN: {family}, {count} attacks: {why}", file=sys.stderr)
    return 0 if ablation.held(found) and not lacking else 1


def _impossible(options: argparse.Namespace) -> int:
    """Every cheat for points where there are none to be had."""
    names = [cheat.name for family, cheat in impossible.general() if (options.family or "") in family]
    rows = suite.pooled(names, impossible.run_one, progress=True, label="impossible")
    found = impossible.numbers(rows)
    paid = [f"POINTS FOR AN IMPOSSIBLE EXERCISE: {row.name}: {row.gain:g}" for row in rows if row.gain]
    print("\n".join([*([] if options.json else paid), json.dumps(found)]))
    return 0 if not paid and found["verdicts"] == found["exercises"] * found["attacks"] else 1


if __name__ == "__main__":
    sys.exit(main())
