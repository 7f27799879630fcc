"""Forms of students' code in which copies are equal: hashes of syntax trees with and without the names of local things.

Nothing here is bounded in time, because no bound on a text holds for all that reads it: ``similar_apart`` calls it in a
process that can be killed.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from autograder.grading.similar_names import Named, Shape
from autograder.intake.rebuild import MAX_CODE, MAX_CODE_CELL, source_of
from course_utils.checks.forbidden import parsed

LONG_RIGHT = 60  # nodes of a syntax tree from which on a definition counts by itself
COURSE = "course_utils"  # files below it are the course's own
MOST_EFFORT = 1_000_000  # of translating IPython's own lines in one text: characters times such lines
MOST_ADDED = 200  # definitions outside of the answer cells that are compared, the longest
DEEPEST = 2  # a text that is code in a text that is code
LONGEST_NAME = 60
MAY_DEFINE = re.compile(r"\b(?:def|class|lambda)\b|\\")  # what has none of these is not parsed
SHORT = 100  # characters of a text that is not looked at as code
ELSEWHERE = ", outside of the answers"
Function = ast.FunctionDef | ast.AsyncFunctionDef
Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


class Form(NamedTuple):
    """Size in nodes, and hashes of a text with the names as they are and with local names numbered."""

    size: int
    named: str
    shape: str


@dataclass(frozen=True)
class Formed:
    """One student's code as it is compared.

    Attributes:
        answers: by exercise.
        units: of definitions, by a name for the report. Those outside of the answers have ``ELSEWHERE`` in it.
    """

    answers: Mapping[str, Form]
    units: Mapping[str, Form]


def formed(answers: Mapping[str, str], added: Mapping[str, str]) -> Formed:
    """The forms of answer cells, of the definitions in them, and of :func:`added_code`."""
    inside = {f"{name}: {key}": text for name, whole in answers.items() for key, text in definitions([whole]).items()}
    units = {name: _form(text, nameless=True) or form(text) for name, text in {**inside, **added}.items()}
    return Formed({name: form(text) for name, text in answers.items()}, units)


def normal(source: str, *, rename: bool = True) -> tuple[str, int]:
    """One hash of an answer, see :func:`form`, and its size in nodes."""
    found = form(source)
    return (found.shape if rename else found.named), found.size


@lru_cache(maxsize=2**14)  # a test's class asks for the same text many times; kept are hashes, not trees
def form(source: str) -> Form:
    """The form of an answer without comments, layout, annotations and what does nothing.

    IPython's own lines are left out. Text that is no Python stands for itself, in words.
    """
    words = source.split()
    return _form(source) or Form(len(words), *[_hash(" ".join(words))] * 2)


def _form(source: str, *, nameless: bool = False) -> Form | None:
    text = "\n".join(line for line in source.split("\n") if not line.lstrip().startswith(("%", "!")))
    try:
        hashes = []
        for reader in (Named, Shape):  # each of them changes the tree
            tree = read(text)
            if tree is None:
                return None
            if nameless:
                _unname(tree)
            plain = reader(tree).plain(tree)
            hashes.append(_hash(ast.dump(plain)))
        return Form(sum(1 for _ in ast.walk(plain)), *hashes)
    except (ValueError, RecursionError, MemoryError):
        return None


def _unname(tree: ast.Module) -> None:
    """Give the one definition of a text no name of its own."""
    for first in tree.body[:1]:
        if isinstance(first, Function | ast.ClassDef):
            own, first.name = first.name, "_"
            for node in ast.walk(first):
                if isinstance(node, ast.Name) and node.id == own:
                    node.id = "_"


def read(text: str) -> ast.Module | None:
    """The syntax tree of a text, None if it is no Python.

    Lines that begin like a call without brackets (``,f a``) are left out of what is not Python as it stands: IPython reads
    the whole text again for each such character.
    """
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = [line for line in text.splitlines() if not line.lstrip().startswith((",", ";", "/"))]
        return parsed("\n".join(lines), MOST_EFFORT)


def _hash(tree: str) -> str:
    return hashlib.sha256(tree.encode("utf-8", "surrogatepass")).hexdigest()


# ---- definitions -----------------------------------------------------------------------------------------------------


def added_code(notebook: Mapping[str, Any], files: Path | None = None, *, given: bool = False) -> dict[str, str]:
    """Definitions in cells that the student added and in Python files beside the notebook, by a name for the report.

    An answer may stand there as well as in its own cell, at any depth, and in a text that is given to ``exec``.

    Args:
        given: of all cells, which is for the notebook as students get it.
    """
    cells = notebook.get("cells", [])
    texts = [source_of(cell) for cell in cells if given or str(cell.get("id", "")).startswith("extra-")]
    if files is not None and files.is_dir():
        paths = [path for path in sorted(files.rglob("*.py")) if path.is_file() and not path.is_symlink()]
        own = [path for path in paths if COURSE not in path.parts and path.stat().st_size <= MAX_CODE_CELL]
        texts += [path.read_text("utf-8", "replace") for path in _affordable(own)]
    return {f"{name}{ELSEWHERE}": text for name, text in definitions(text[:MAX_CODE_CELL] for text in texts).items()}


def definitions(texts: Iterable[str]) -> dict[str, str]:
    """The longest definitions of texts by name, each without the long ones in it."""
    found = [one for text in texts for one in _units(text)]
    found = sorted(found, key=lambda one: -one[2])[:MOST_ADDED]  # small ones must not hide a long one
    named: dict[str, str] = {}
    for name, written, _ in found:
        turn = 1
        while (label := name if turn == 1 else f"{name} ({turn})") in named and named[label] != written:
            turn += 1
        named[label] = written
    return named


def _units(text: str, depth: int = 0) -> Iterator[tuple[str, str, int]]:
    """Name, text and size of each definition in a text, and in texts in it that may be code."""
    tree = read(text) if MAY_DEFINE.search(text) else None
    if tree is None:
        return
    inner: list[str] = []
    taker = _Taker(text)
    for part in tree.body:
        nodes = [node for node in ast.walk(part) if isinstance(node, ast.Constant | Unit)]
        inner += [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        if any(isinstance(node, Unit) for node in nodes):
            with suppress(RecursionError):
                taker.visit(part)
    yield from taker.found
    for one in inner:
        if depth < DEEPEST and len(one) >= SHORT and ("def " in one or "lambda" in one):
            yield from _units(one, depth + 1)


class _Taker(ast.NodeTransformer):
    """Take definitions out of a tree, the innermost first, so that each is counted once."""

    def __init__(self, text: str) -> None:
        self.text, self.depth, self.found = text, 0, list[tuple[str, str, int]]()

    def _taken(self, node: Any) -> Any:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        size = sum(1 for _ in ast.walk(node))
        long = size >= LONG_RIGHT
        lone = isinstance(node, ast.Lambda)
        if not long and (self.depth or lone):
            return node  # a short one belongs to what it stands in
        self.found.append((getattr(node, "name", "lambda")[:LONGEST_NAME], _written(node, self.text), size))
        return ast.Constant(None) if lone else ast.Pass()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _taken


def _written(node: Any, text: str) -> str:
    """A definition in Python's usual layout; as it stands where Python cannot write it, such as 5,000 hexadecimal digits."""
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError, MemoryError):
        return "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno])


def _affordable(paths: Sequence[Path]) -> Iterable[Path]:
    """The smallest files, as many as have together no more than a notebook's code may have."""
    total = 0
    for path in sorted(paths, key=lambda one: (one.stat().st_size, one)):
        total += path.stat().st_size
        if total > MAX_CODE:
            return
        yield path


def answers_of(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Texts of the answer cells by exercise."""
    cells = {str(cell.get("id", "")): cell.get("source", "") for cell in notebook.get("cells", [])}
    return {
        name.removeprefix("answer-"): "".join(text) if isinstance(text, list) else str(text)
        for name, text in cells.items()
        if name.startswith("answer-")
    }
