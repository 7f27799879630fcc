"""The text of an exercise and its promises cover each other: quotes stand in the text, and sentences are quoted in part.

A sentence counts as quoted once any piece of it is: what else it says, nobody looks for.

The text is the prose before the answer (from the check before it), with the notebook's first cell, and the docstrings of
the answer. Sentences are those of the docstrings: what a student writes to. Spaces and line ends count for nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from autograder.records import DECLARED
from autograder.source.percent import Cell, Source, python
from course_utils.errors import CourseError

if TYPE_CHECKING:
    from course_utils.checks.promises import Promises

NAMED = re.compile(r"^\s*(?:Args|Returns|Raises|Attributes|Yields):\s*$")
ENDS = re.compile(r"(?<=[.;!?])\s+(?=[A-Z(`\"+-]|[a-z])")


@lru_cache(maxsize=256)
def _declared(text: str, exercise: str) -> Promises:
    scope: dict[str, Any] = {"check": lambda *_, **__: None, "__name__": f"check_{exercise}"}
    try:
        exec(compile(text, f"<check {exercise}>", "exec", dont_inherit=True), scope)
        found = scope[DECLARED]()
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(f"the declaration of {exercise} cannot be run ({type(error).__name__}: {error})") from error
    from course_utils.checks.promises import Promises  # torch, which notebooks without declarations are built without

    if not isinstance(found, Promises):
        raise CourseError(f"the check of {exercise} declares nothing: end it with promises(…)")
    return found


def declaration(cell: Cell) -> Promises:
    """What a check's text declares. Raises CourseError."""
    return _declared(cell.text, cell.exercise)


def is_declared(cell: Cell) -> bool:
    """Whether a check is a declaration."""
    return cell.role == "check" and f"def {DECLARED}()" in cell.text


def plain(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def exercise_text(source: Source, exercise: str) -> str:
    """All that a student reads before writing the answer, without the answer."""
    before: list[str] = []
    for cell in source.cells:
        if cell.exercise == exercise and cell.role == "answer":
            break
        if cell.graded:
            before = before[:1]
        elif cell.role == "prose":
            before.append(cell.text)
    return plain(" ".join([*before, *docstrings(source, exercise)]))


def docstrings(source: Source, exercise: str) -> list[str]:
    """The docstrings of an exercise's answer, those of methods too."""
    found: list[str] = []
    for cell in source.cells:
        tree = python(cell.text) if (cell.role, cell.exercise) == ("answer", exercise) else None
        for node in ast.walk(tree) if tree else []:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
                found.append(text)
    return found


def sentences(text: str) -> Iterator[str]:
    """The sentences of a docstring, and of its entries one by one, without the entries' names."""
    blocks: list[str] = []
    for line in text.split("\n"):
        if NAMED.match(line) or not line.strip():
            blocks.append("")
        elif blocks and blocks[-1] and not re.match(r"^\s+[\w, *]+:\s", line):
            blocks[-1] += " " + line.strip()
        else:
            blocks.append(line.strip())
    for block in filter(None, blocks):
        yield from (part for part in ENDS.split(plain(block)) if re.search(r"\w", part))


def rows(source: Source, cell: Cell) -> Iterator[tuple[str, list[str]]]:
    """Each sentence of the docstrings with the promises that quote it."""
    declared = declaration(cell)
    quotes = [(plain(quote), one.sentence) for one in declared.kept for quote in one.quotes]
    for text in docstrings(source, cell.exercise):
        for sentence in sentences(text):
            holds = [told for quote, told in quotes if quote in sentence or sentence in quote]
            prose = [
                f"(prose) {words}" for words in declared.prose if plain(words) in sentence or sentence in plain(words)
            ]
            yield sentence, list(dict.fromkeys(holds or prose))


def problems(source: Source, cell: Cell) -> Iterator[str]:
    """Quotes that stand nowhere, and sentences of which nobody quotes a piece."""
    text = exercise_text(source, cell.exercise)
    declared = declaration(cell)
    for one in declared.kept:
        for quote in one.quotes:
            if plain(quote) not in text:
                yield f"the promise {one.sentence!r} of {cell.exercise} quotes {quote!r}, which its text does not say"
    for sentence, holds in rows(source, cell):
        if not holds:
            yield f"no promise of {cell.exercise} quotes {sentence!r}; write one, or declare it as prose"


def table(source: Source) -> Iterator[str]:
    """For each declared check, its sentences and what they promise."""
    for cell in source.cells:
        if not is_declared(cell):
            continue
        yield f"{source.name} · {cell.exercise}"
        for sentence, holds in rows(source, cell):
            yield f"  {sentence}"
            yield from (f"    → {told}" for told in holds or ["NOTHING"])
        for trouble in declaration(cell).always:
            yield f"  (general rule) {trouble.rule}\n    → {trouble.name}"
