"""Why mutants may survive: ``tests/misconceptions/generated.toml``, a table of reasons for what the text leaves free.

    [[reason]]
    exercise = "01_attention/*"
    change = '+ *.round(decimals=3)*'
    text = "the text asks for three decimals"

``exercise`` and ``change`` are patterns as in file names: ``change`` is compared with every line of the mutant's diff, and one
line must match. ``differs``, where it is given, must match the sentence on where the mutant differs.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from autograder.quality.filed import FILED
from course_utils.errors import CourseError

TABLE = FILED / "generated.toml"


@dataclass(frozen=True)
class Reason:
    """One reason, and what it covers."""

    exercise: str
    change: str
    text: str
    differs: str = "*"

    def covers(self, name: str, row: dict[str, Any]) -> bool:
        """Whether it speaks of this survivor of the exercise ``name`` (``notebook/exercise``)."""
        lines = row["change"].split("\n")
        return (
            fnmatchcase(name, self.exercise)
            and any(fnmatchcase(line, self.change) for line in lines)
            and fnmatchcase(row["differs"], self.differs)
        )


def read_reasons(path: Path = TABLE) -> list[Reason]:
    """The table; nothing where there is none. Raises CourseError, naming it, when it is not as described at the top."""
    if not path.is_file():
        return []
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("reason", [])
        found = [Reason(**row) for row in rows]
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise CourseError(f"{path}: {error}; give each [[reason]] an exercise, a change and a text.") from error
    if any(not one.text.strip() for one in found):
        raise CourseError(f"{path}: a reason has no text; say why the text of the exercise leaves this free.")
    return found
