"""A solution source as typed cells, and the marked regions inside a cell's text.

A source is a Python file in jupytext's percent format: a comment line ``# %%`` begins each cell.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import jupytext

from autograder.records import DECLARED
from course_utils.errors import CourseError

Role = Literal["prose", "code", "answer", "check", "written"]
MARKS: tuple[Role, ...] = ("answer", "check", "written")
SOLUTION, HIDDEN = "SOLUTION", "HIDDEN TESTS"
SOURCE_NAME = re.compile(r"\d\d_[a-z0-9_]+")
HEADER = re.compile(r"^# ?%%")
FIRST_CELL_MARKER = "# <first-cell>"  # where the build puts the code that finds the course's files


@dataclass(frozen=True)
class Cell:
    """One cell of a source.

    Attributes:
        role: the kind of cell, from its header.
        text: the cell's source, markdown without comment signs.
        id: nbformat id, and nbgrader's ``grade_id`` where there is one.
        line: line of the cell's header in the source file.
        exercise: exercise id, empty for prose and plain code.
        marks: the header's other keys (points, minutes, difficulty, timeout; ``builds`` in a source's first cell).
    """

    role: Role
    text: str
    id: str
    line: int
    exercise: str = ""
    marks: dict[str, Any] = field(default_factory=dict)

    @property
    def is_code(self) -> bool:
        """Whether it is a code cell."""
        return self.role in ("code", "answer", "check")

    @property
    def graded(self) -> bool:
        """Whether it carries points."""
        return self.role in ("check", "written")


@dataclass(frozen=True)
class Source:
    """One notebook's source: its path, its name (``07_knowledge``) and its cells."""

    path: Path
    name: str
    cells: tuple[Cell, ...]

    def graded(self) -> list[Cell]:
        """The cells that carry points, in order."""
        return [cell for cell in self.cells if cell.graded]


@dataclass(frozen=True)
class Region:
    """Lines ``first..last`` (from 1, markers included) of a cell's text, and the text between the markers."""

    first: int
    last: int
    text: str


def source_paths(folder: Path) -> list[Path]:
    """The solution sources of a folder, in order. Raises CourseError when there is none."""
    paths = sorted(path for path in Path(folder).glob("*.py") if SOURCE_NAME.fullmatch(path.stem))
    if not paths:
        raise CourseError(
            f"{folder}: no notebook source (a file such as 07_knowledge.py) is here; name the folder with --sources"
        )
    return paths


def find_notebook(source_dir: Path, number: str) -> Path:
    """The source of notebook ``03``; a full name such as ``03_positions`` does too.

    Raises:
        CourseError: there is no such notebook.
    """
    paths = source_paths(source_dir)
    found = [path for path in paths if path.stem == number or path.stem.split("_")[0] == number]
    if len(found) != 1:
        numbers = ", ".join(path.stem.split("_")[0] for path in paths)
        raise CourseError(f"{number}: there is no notebook of that number; there are {numbers}")
    return found[0]


def asked_for(source_dir: Path, number: str | None) -> list[Path]:
    """The source of one notebook, or all sources for None. Raises CourseError as :func:`find_notebook` does."""
    return source_paths(source_dir) if number is None else [find_notebook(source_dir, number)]


def no_exercise(
    paths: Sequence[Path], exercise: str | None, known: Sequence[str], kind: str = "exercise with a check"
) -> CourseError:
    """The error for an exercise (None: any at all) that the notebooks asked for lack, with those that there are."""
    where = paths[0].stem if len(paths) == 1 else "the course"
    if exercise is None:
        return CourseError(f"{where} has no {kind}; name another notebook")
    return CourseError(f"{exercise}: {where} has no such {kind}; it has {', '.join(dict.fromkeys(known)) or 'none'}")


def read_source(path: Path) -> Source:
    """Parse one source file.

    Raises:
        CourseError: unreadable, more than one mark in a header, or a mark on a cell of the wrong type.
    """
    try:
        return _parsed(path, path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError) as error:
        raise CourseError(f"{path}: cannot be read as a percent source ({error})") from error


@lru_cache(maxsize=32)
def _parsed(path: Path, text: str) -> Source:
    """The source with this text; jupytext takes up to 0.2 s for one, and a command reads each several times."""
    notebook = jupytext.reads(text, fmt="py:percent")
    number = path.stem.partition("_")[0]
    headers = [index for index, line in enumerate(text.split("\n"), 1) if HEADER.match(line)]
    lines = headers if len(headers) == len(notebook.cells) else [0] * len(notebook.cells)
    cells, plain = [], 0
    for raw, line in zip(notebook.cells, lines, strict=True):
        plain += not any(mark in raw.metadata for mark in MARKS)
        cells.append(_cell(raw, line, f"{number}-{plain:03d}", path))
    return Source(path, path.stem, tuple(cells))


def _cell(raw: Any, line: int, plain_id: str, path: Path) -> Cell:
    found = [mark for mark in MARKS if mark in raw.metadata]
    if not found:
        kept = {"builds": str(raw.metadata["builds"])} if "builds" in raw.metadata else {}
        return Cell("code" if raw.cell_type == "code" else "prose", raw.source, plain_id, line, marks=kept)
    role, marks = found[0], {k: v for k, v in raw.metadata.items() if k not in MARKS and k != "lines_to_next_cell"}
    if len(found) > 1:
        raise CourseError(f"{path}, line {line}: a cell is {' and '.join(found)} at once; give each its own cell")
    if (raw.cell_type == "code") != (role != "written"):
        kind = "a markdown" if role == "written" else "a code"
        raise CourseError(f"{path}, line {line}: {role}= belongs to {kind} cell")
    exercise = str(raw.metadata[role])
    text = wrapped(raw.source, exercise) if role == "check" else raw.source
    return Cell(role, text, f"{role}-{exercise}", line, exercise, marks)


def wrapped(text: str, exercise: str) -> str:
    """The check cell that a declaration becomes: one line for students, the declaration in a hidden function behind it.

    A kernel without a judge runs the line alone, since nothing there calls the function. Other checks stay as they are.
    """
    tree = python(text)
    last = tree.body[-1] if tree and tree.body else None
    if not (
        isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "promises"
    ):
        return text
    lines = text.rstrip("\n").split("\n")
    lines[last.lineno - 1] = "return " + lines[last.lineno - 1]
    inner = "\n".join("    " + line if line.strip() else "" for line in lines)
    return f'check("{exercise}")\n### BEGIN {HIDDEN}\n\n\ndef {DECLARED}():\n{inner}\n### END {HIDDEN}'


def regions(text: str, kind: str) -> list[Region]:
    """The regions between ``### BEGIN <kind>`` and ``### END <kind>``, in order.

    Raises:
        CourseError: nested or unfinished regions (the sentence lacks the file: the caller knows it).
    """
    found: list[Region] = []
    lines, first = text.split("\n"), 0
    for number, line in enumerate(lines, 1):
        if f"BEGIN {kind}" in line:
            if first:
                raise CourseError(f"BEGIN {kind} stands inside another one (line {number} of the cell)")
            first = number
        elif f"END {kind}" in line:
            if not first:
                raise CourseError(f"END {kind} without BEGIN (line {number} of the cell)")
            found.append(Region(first, number, "\n".join(lines[first : number - 1])))
            first = 0
    if first:
        raise CourseError(f"BEGIN {kind} without END (line {first} of the cell)")
    return found


def without(text: str, kind: str) -> str:
    """The text without its regions of that kind, markers included."""
    gone = {number for region in regions(text, kind) for number in range(region.first, region.last + 1)}
    return "\n".join(line for number, line in enumerate(text.split("\n"), 1) if number not in gone)


def strip_markers(text: str) -> str:
    """A solved answer's text without the lines that mark the edges of its solution."""
    edges = {edge for region in regions(text, SOLUTION) for edge in (region.first, region.last)}
    return "\n".join(line for number, line in enumerate(text.split("\n"), 1) if number not in edges)


def python(text: str) -> ast.Module | None:
    """The syntax tree, with lines of IPython magics blanked; None if it does not parse."""
    lines = ("" if line.lstrip().startswith(("%", "!")) else line for line in text.split("\n"))
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError:
        return None


def owners(tree: ast.Module, region: Region) -> set[type[ast.AST]]:
    """The types of the innermost definitions around a region's statements that begin before the region.

    ``ast.Module`` means the top level. A region with nothing but comments gives an empty set.
    """
    return {type(owner) for owner, statement in _statements(tree, tree) if _begins(statement, owner, region)}


def _begins(statement: ast.stmt, owner: ast.AST, region: Region) -> bool:
    """Whether the statement begins inside the region while its owner begins before."""
    return region.first < statement.lineno < region.last and getattr(owner, "lineno", 0) < region.first


def _statements(node: ast.AST, owner: ast.AST) -> Iterator[tuple[ast.AST, ast.stmt]]:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield owner, child
        yield from _statements(child, child if isinstance(child, definitions) else owner)


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """All calls of a tree."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def total_points(cells: Iterable[Cell]) -> float:
    """Sum of the points of graded cells."""
    return sum(float(cell.marks.get("points", 0)) for cell in cells if cell.graded)
