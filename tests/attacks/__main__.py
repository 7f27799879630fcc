"""``python -m autograder attacks``: every attack against the wall, and the control that shows that it works without one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from course_utils.errors import CourseError
from tests.attacks import channel, suite


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is asked for; 0 if the wall held, 1 if not, 2 if there is no sandbox."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] == ["channel"]:  # how much of a hidden input reaches a student
        return channel.main(given[1:])
    parser = argparse.ArgumentParser(prog="python -m autograder attacks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="numbers alone, as JSON")
    parser.add_argument("--family", help="only attacks of families with this in their name")
    options = parser.parse_args(given)
    try:
        return _attacks(options)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _attacks(options: argparse.Namespace) -> int:
    """The suite itself."""
    chosen = [one for one in suite.all_attacks() if (options.family or "") in one.family]
    rows = suite.results(chosen)
    found = suite.numbers(rows)
    print(json.dumps(found) if options.json else f"{suite.table(rows)}\n{json.dumps(found)}")
    return 0 if suite.held(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
