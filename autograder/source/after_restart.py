"""A remark at the line of a cell that fails first in a fresh kernel: which cells to run before it.

After a restart nothing of the course is loaded, so no code of the course can explain a ``NameError``. The traceback of
every front end shows the text of the failing line, though. So the remark is a comment in that line.
"""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from collections.abc import Iterator

from autograder.source.percent import python

REMARK = "# after a restart: run the cells above first"
WIDEST = 120  # characters of a line with its remark; a longer one has the remark above it
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def remarked(text: str) -> str:
    """The cell's text with the remark at its first import of the course and at its first name of an earlier cell."""
    tree = python(text)
    if tree is None:
        return text
    places = {place for place in (_first_import(tree), _first_name(tree)) if place is not None}
    lines, ends = text.split("\n"), _plain_ends(text)
    for line, statement in sorted(places, reverse=True):
        joined = f"{lines[line - 1]}  {REMARK}"
        if line in ends and len(joined) <= WIDEST:
            lines[line - 1] = joined
        else:
            first = lines[statement - 1]
            lines.insert(statement - 1, first[: len(first) - len(first.lstrip())] + REMARK)
    return "\n".join(lines)


def unremarked(text: str) -> str:
    """The text without remarks."""
    lines = (line for line in text.split("\n") if line.strip() != REMARK)
    return "\n".join(line.removesuffix(f"  {REMARK}") for line in lines)


def _plain_ends(text: str) -> set[int]:
    """Lines behind which a comment may stand: not in a string, not continued by a backslash, and without a comment."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError):
        return set()
    commented = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    return {token.start[0] for token in tokens if token.type in (tokenize.NEWLINE, tokenize.NL)} - commented


def _first_import(tree: ast.Module) -> tuple[int, int] | None:
    """Line of the first top-level import of the course, twice."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] == "course_utils":
            return statement.lineno, statement.lineno
    return None


def _first_name(tree: ast.Module) -> tuple[int, int] | None:
    """Lines of the first name that the cell takes from elsewhere, and of its statement."""
    bound, needy = set(dir(builtins)), set[str]()
    for statement in tree.body:
        for name in sorted(_evaluated(statement), key=lambda node: (node.lineno, node.col_offset)):
            if name.id not in bound or name.id in needy:
                return name.lineno, _start(statement)
        new = _bound(statement)
        if isinstance(statement, FUNCTIONS) and _takes(statement) - bound - new:
            needy |= new  # defining it needs nothing, calling it does
        bound |= new
    return None


def _start(statement: ast.stmt) -> int:
    return min([statement.lineno, *(part.lineno for part in getattr(statement, "decorator_list", []))])


def _evaluated(node: ast.AST) -> Iterator[ast.Name]:
    """Names that are read when the statement runs, without those that it binds itself before."""
    own = _bound(node) if isinstance(node, ast.stmt) and not isinstance(node, ast.Assign | ast.AugAssign) else set()
    yield from (name for name in _read(node) if name.id not in own)


def _read(node: ast.AST) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target
    hidden = {id(part) for part in _later(node)}
    inner = [name for child in ast.iter_child_nodes(node) if id(child) not in hidden for name in _read(child)]
    if isinstance(node, COMPREHENSIONS):
        inner = [name for name in inner if name.id not in _stored(node)]
    yield from inner


def _later(node: ast.AST) -> list[ast.AST]:
    """Parts of a function that run when it is called."""
    if not isinstance(node, FUNCTIONS):
        return []
    return [node.body] if isinstance(node, ast.Lambda) else list(node.body)


def _takes(function: ast.AST) -> set[str]:
    """Names that a function's body reads and does not bind."""
    read = {part.id for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    arguments = {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)}
    return read - arguments - _stored(function)


def _stored(node: ast.AST) -> set[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    for part in ast.walk(node):
        if isinstance(part, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in part.names}
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler) and part.name:
            names.add(part.name)
    return names


def _bound(statement: ast.AST) -> set[str]:
    """Names that a statement of the cell's top level binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return _stored(statement)
