"""Whether the course's files of visible cases are those of the sources: by hashes of all that they are made from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from autograder.source.covered import is_declared
from autograder.source.percent import Cell, Source, python
from course_utils.checks import casefile
from course_utils.checks.casefile import FORMAT, folder_of, read
from course_utils.errors import CourseError

KEEPS = re.compile(r"^# keeps:.*\n", re.MULTILINE)
MISTAKES = Path("tests") / "misconceptions"
PACKAGE = Path(casefile.__file__).resolve().parents[1]  # course_utils, whose ways of asking and comparing are used


def declared(source: Source) -> list[Cell]:
    """The checks of a source that are declarations."""
    return [cell for cell in source.cells if is_declared(cell)]


def made_from(source: Source, exercise: str) -> str:
    """A hash of the check, its answer, the wrong answers on file and the modules that it uses: 16 hexadecimal digits.

    What these modules import of the course counts too, and what that imports, but for what the checks' own tools import.
    Docstrings of the modules do not count, nor what a wrong answer keeps of the points: no case depends on them.
    """
    root = source.path.parents[1]
    texts = [cell.text for cell in source.cells if cell.exercise == exercise and cell.role in ("answer", "check")]
    check = next(cell.text for cell in source.cells if cell.exercise == exercise and is_declared(cell))
    filed = sorted((root / MISTAKES / source.name / exercise).glob("*.py"))
    modules = used(root, check)
    parts = [
        str(FORMAT),
        *texts,
        *(f"{path.name}\n{KEEPS.sub('', path.read_text(encoding='utf-8'))}" for path in filed),
    ]
    parts += [f"{path.name}\n{undocumented(path.read_text(encoding='utf-8'))}" for path in modules]
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def used(root: Path, check: str) -> list[Path]:
    """The modules of ``course_utils`` and ``solutions/`` that a check's text reaches, through imports of theirs too."""
    found, todo = set((PACKAGE / "checks").glob("*.py")), [check]
    while todo:
        named = _named(root, todo.pop())
        todo += [undocumented(path.read_text(encoding="utf-8")) for path in named - found]
        found |= named
    return sorted(found, key=lambda path: path.parts[-3:])  # the same order wherever the course lies


@lru_cache(maxsize=512)
def _named(root: Path, text: str) -> frozenset[Path]:
    """The modules that a text itself names; every exercise asks the same ones."""
    return frozenset({path for path in map(root.joinpath, references(text)) if path.is_file()} | set(tools(text)))


@lru_cache(maxsize=256)
def undocumented(text: str) -> str:
    """A module's text without its docstrings, by lines: unlike a syntax tree it is the same in every version of Python."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            first = node.body[0]
            lines[first.lineno - 1 : first.end_lineno] = [""] * (int(first.end_lineno or 0) - first.lineno + 1)
    return "\n".join(line for line in lines if line)


def tools(text: str) -> list[Path]:
    """The files of ``course_utils`` that a text names, in imports or in words."""
    found: set[Path] = set()
    for name in re.findall(r"course_utils((?:\.[a-z_]+)+)", text):
        parts = name.split(".")[1:]
        places = (PACKAGE.joinpath(*parts[:end]).with_suffix(".py") for end in range(len(parts), 0, -1))
        found |= set(filter(Path.is_file, places))
    return sorted(found)


def references(text: str) -> list[str]:
    """The files below ``solutions/`` that a check's text imports, as paths from the course's folder."""
    found: dict[str, None] = {}
    for node in ast.walk(python(text) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions"):
            place = str(node.module).replace(".", "/")
            found |= dict.fromkeys([f"{place}.py", *(f"{place}/{alias.name}.py" for alias in node.names)])
    return list(found)


def stale(source: Source, data: Path, exercise: str | None = None) -> list[str]:
    """Exercises of a source (or the one given alone) whose visible cases are missing or made from something else."""
    there = _made(folder_of(data) / f"{source.name}.json")
    asked = [cell for cell in source.cells if exercise in (None, cell.exercise) and is_declared(cell)]
    return [cell.exercise for cell in asked if there.get(cell.exercise) != made_from(source, cell.exercise)]


def _made(path: Path) -> dict[str, str]:
    """By exercise, what the visible cases of a file were made from; none if it is not there."""
    return _hashes(path, (at := path.stat()).st_mtime_ns, at.st_size) if path.is_file() else {}


@lru_cache(maxsize=16)
def _hashes(path: Path, changed: int, size: int) -> dict[str, str]:
    """The file is read again when it changed."""
    return {name: entry.get("made_from", "") for name, entry in entries(path).items()}


def require_current(source: Source, data: Path, exercise: str | None = None) -> None:
    """Raise CourseError if visible cases (of one exercise, else of all of a source) are not as the source gives."""
    if names := stale(source, data, exercise):
        path = folder_of(data) / f"{source.name}.json"
        raise CourseError(f"{path}: {', '.join(names)} not as the sources give; run python -m autograder build")


def entries(path: Path) -> dict[str, Any]:
    """The entries of a file; none of one that is not there or that another version made."""
    try:
        return read(path) if path.is_file() else {}
    except CourseError:
        return {}


def problems(sources: Sequence[Source], data: Path) -> Iterator[str]:
    """Sentences about files of visible cases that are not as the sources give."""
    for source in sources:
        path = folder_of(data) / f"{source.name}.json"
        if names := stale(source, data):
            yield f"{path}: {', '.join(names)} not as the sources give"
        extra = set(_made(path)) - {cell.exercise for cell in declared(source)}
        if extra:
            yield f"{path}: {', '.join(sorted(extra))} has no declaration any more"
