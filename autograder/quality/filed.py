"""Answers on file: wrong ones with the hint that their rejection must contain, and right ones written otherwise.

``tests/misconceptions/<notebook>/<exercise>/<name>.py`` is the complete text of an answer cell below a header:

    # expect: reject            or: accept
    # hint: words               that the hint of the rejection must contain
    # keeps: PART …             optional: parts of the points that a wrong answer must have, since they are right
    # files: NAME=KEPT …        optional: hand in the kept file KEPT under NAME
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from autograder.source.percent import Source, python, strip_markers
from course_utils.errors import CourseError

FILED = Path(__file__).resolve().parents[2] / "tests" / "misconceptions"


@dataclass(frozen=True)
class Mutant:
    """One answer on file.

    Attributes:
        wrong: whether it must be rejected.
        hint: words that the rejection's hint must contain.
        files: kept file by the name under which it is handed in; empty for those of a right hand-in.
        keeps: the parts of the points that a wrong one must have; a right one must have all.
    """

    exercise: str
    name: str
    text: str
    wrong: bool
    hint: str = ""
    files: dict[str, str] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()


def read_mutant(path: Path) -> Mutant:
    """One file. Raises CourseError, naming it, when its header is not as described at the top."""
    text = path.read_text(encoding="utf-8")
    header: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        key, colon, value = line.removeprefix("#").partition(":")
        if colon and key.strip() in ("expect", "hint", "files", "keeps"):
            header.setdefault(key.strip(), value.strip())
    expect, hint = header.get("expect"), header.get("hint", "")
    if expect not in ("accept", "reject") or (expect == "reject") != bool(hint):
        raise CourseError(
            f"{path}: begin with '# expect: reject' and '# hint: words', or with '# expect: accept' alone."
        )
    if python(text) is None:
        raise CourseError(f"{path}: is not valid Python, so it shows no misconception; mend it.")
    pairs = [pair.partition("=") for pair in header.get("files", "").split()]
    if any(not kept for _, _, kept in pairs):
        raise CourseError(f"{path}: files are named as NAME=KEPT, with spaces in between.")
    files = {name: kept for name, _, kept in pairs}
    keeps = tuple(header.get("keeps", "").split())
    if keeps and expect == "accept":
        raise CourseError(f"{path}: '# keeps:' is for wrong answers; a right one has all points.")
    return Mutant(path.parent.name, path.stem, text, expect == "reject", hint, files, keeps)


def read_mutants(notebook: str, folder: Path = FILED) -> dict[str, list[Mutant]]:
    """The mutants of a notebook by exercise, in order of their names."""
    found: dict[str, list[Mutant]] = {}
    for path in sorted((folder / notebook).glob("*/*.py")):
        found.setdefault(path.parent.name, []).append(read_mutant(path))
    return found


def right_by_name(source: Source, exercise: str) -> dict[str, str]:
    """The solution and the right answers on file, each by its name. Raises CourseError as :func:`read_mutant`."""
    from autograder.source.visible import MISTAKES  # torch, which those who read answers alone need not wait for

    own = [strip_markers(c.text) for c in source.cells if (c.role, c.exercise) == ("answer", exercise)]
    filed = read_mutants(source.name, source.path.parents[1] / MISTAKES).get(exercise, [])
    return {"the solution": "\n".join(own)} | {one.name: one.text for one in filed if not one.wrong}
