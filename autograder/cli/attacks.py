"""``attacks``: run the attack suite, which is part of the source tree and of no release."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from autograder.cli.common import ROOT
from course_utils.errors import CourseError


def main(argv: Sequence[str]) -> int:
    """Run the suite of this checkout and return its exit code.

    Raises:
        CourseError: this is an installation without ``tests/attacks``.
    """
    if not (ROOT / "tests" / "attacks" / "__main__.py").is_file():
        raise CourseError("the attack suite needs the source tree: run it in a full checkout of the course")
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return int(importlib.import_module("tests.attacks.__main__").main(list(argv)))
