"""A student's definitions as text: found in the notebook's history, searched for forbidden names, saved as a module."""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import re
import symtable
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from course_utils.checks.forbidden import forbidden_names
from course_utils.errors import CourseError

__all__ = [
    "answer_key",
    "answer_module",
    "answer_source",
    "forbidden_names",
    "free_names",
    "history",
    "line_in_file",
    "load_module",
    "namespace",
]

IMPORTS = (ast.Import, ast.ImportFrom)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def namespace() -> dict[str, Any]:
    """The notebook's names: IPython's user namespace, or ``__main__`` where there is no IPython."""
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
        return shell.user_ns
    return vars(sys.modules["__main__"])


def history() -> list[str]:
    """Code of the cells run so far, oldest first, with IPython's magics already translated to Python."""
    return [str(cell) for cell in namespace().get("In", [])]


def answer_source(names: Iterable[str], cells: Sequence[str] | None = None) -> str:
    """Text of the latest cells that define ``names``; a name unknown to the history is looked up with ``inspect``."""
    cells = history() if cells is None else cells
    texts: dict[str, None] = {}
    for name in names:
        cell = next((cell for cell in reversed(cells) if name in _bindings(cell)), None)
        texts[cell if cell is not None else _inspected(name)] = None
    return "\n".join(texts)


def answer_key(names: Sequence[str], cells: Sequence[str] | None = None) -> str:
    """A hash of the notebook's functions and classes ``names`` and of those that they use, without comments and blank lines."""
    text = definitions(names, history() if cells is None else cells)
    with contextlib.suppress(SyntaxError, ValueError):  # what cannot be parsed is hashed as text
        text = ast.dump(ast.parse(text))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def definitions(names: Sequence[str], cells: Sequence[str]) -> str:
    """Text of the latest definitions of ``names``, and of the functions and classes of the notebook that they use."""
    found: dict[str, str] = {}
    functions: set[str] = set()
    for cell in cells:
        for name, statement in _bindings(cell).items():
            found[name] = _text(cell, statement)
            is_function = isinstance(statement, DEFINITIONS) or isinstance(getattr(statement, "value", 0), ast.Lambda)
            (functions.add if is_function else functions.discard)(name)
    wanted: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        if (name := waiting.pop()) not in wanted:
            wanted[name] = found[name] if name in found else _inspected(name)
            with contextlib.suppress(SyntaxError):  # a method taken out of its class
                waiting += sorted(free_names(wanted[name]) & functions)
    return "\n".join(wanted[name] for name in sorted(wanted))


def _inspected(name: str) -> str:
    try:
        return inspect.getsource(namespace()[name])
    except (KeyError, TypeError, OSError):
        return ""


def _bindings(cell: str) -> dict[str, ast.stmt]:
    """Top-level names of a cell with the statement that binds them last; none for a cell that does not parse."""
    try:
        statements = ast.parse(cell).body
    except (SyntaxError, ValueError):
        return {}
    return {name: statement for statement in statements for name in _bound(statement)}


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, DEFINITIONS):
        return [statement.name]
    if isinstance(statement, IMPORTS):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return [
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
    return []


def answer_module(names: Iterable[str], cells: Sequence[str] | None = None) -> str:
    """A module's text that defines ``names`` as the notebook does, with the imports and helpers they need.

    Raises:
        CourseError: a name is not defined in the notebook, or needs a notebook variable that is not a literal.
    """
    found: dict[str, tuple[int, int, str, ast.stmt]] = {}
    for order, cell in enumerate(history() if cells is None else cells):
        for name, statement in _bindings(cell).items():
            found[name] = (order, statement.lineno, _text(cell, statement), statement)
    wanted, open_names = {}, [(name, "") for name in names]
    while open_names:
        name, user = open_names.pop()
        if name in wanted:
            continue
        wanted[name] = _usable(name, user, found)
        if wanted[name]:
            open_names += [(used, name) for used in sorted(free_names(wanted[name][2])) if used in found]
    pieces = sorted({piece[:3]: piece for piece in wanted.values() if piece}.values(), key=lambda piece: piece[:2])
    heads = dict.fromkeys(text for *_, text, node in pieces if isinstance(node, IMPORTS))
    bodies = [text for *_, text, node in pieces if not isinstance(node, IMPORTS)]
    first = sorted(heads, key=lambda text: not text.startswith("from __future__"))
    return "\n".join(first) + "\n\n\n" + "\n\n\n".join(bodies) + "\n"


def _usable(name: str, user: str, found: dict[str, tuple[int, int, str, ast.stmt]]) -> tuple[int, int, str, ast.stmt]:
    if name not in found:
        raise CourseError(f"{name} is not defined in this notebook yet: run its cell, then save again")
    statement = found[name][3]
    if isinstance(statement, DEFINITIONS + IMPORTS) or _is_literal(statement):
        return found[name]
    by = f"{user} uses" if user else "my answers cannot hold"
    raise CourseError(f"{by} the notebook's variable {name}: pass it as an argument, or make it a plain constant")


def _is_literal(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.AugAssign) or value is None:
        return False
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError):
        return False
    return True


def free_names(source: str) -> set[str]:
    """Names that the code takes from outside: read in some scope, bound in none, built-ins left out."""
    module = symtable.symtable(source, "<cell>", "exec")
    bound = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    free = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_referenced()}
    tables = list(module.get_children())
    while tables:
        table = tables.pop()
        tables += table.get_children()
        free |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return {name for name in free - bound if not hasattr(builtins, name)}


def _text(cell: str, statement: ast.stmt) -> str:
    """Source of a statement with its decorators."""
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    return "\n".join(cell.split("\n")[first - 1 : statement.end_lineno])


def load_module(path: Path) -> ModuleType:
    """Run a Python file as a module. Raises CourseError, in one sentence, for any error in it."""
    spec = importlib.util.spec_from_file_location("my_answers", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise CourseError(f"There is no Python file {path}; give the my_answers.py that your notebook saved.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CourseError(
            f"{path} cannot be run: {line_in_file(error, path.name)}{type(error).__name__}: {error}."
        ) from error
    return module


def line_in_file(error: BaseException, name: str) -> str:
    """ "line 12: " if the error arose in the file of that name, here or in a background process."""
    lines = re.findall(rf'{re.escape(name)}", line (\d+)', "".join(traceback.format_exception(error)))
    return f"line {lines[-1]}: " if lines else ""
