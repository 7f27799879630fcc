"""A sentence for a name that is not defined yet: which cell of the notebook makes it."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SCOPES = (
    *DEFINITIONS,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)  # with names of their own


def sentence(name: str, notebook: Path) -> str:
    """Which cell of this notebook makes the name; "" if none does or the file cannot be read."""
    try:
        cells = json.loads(notebook.read_bytes())["cells"]
        place = next((words for cell, words in _placed(cells) if name in _made(_text(cell))), "")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ""  # a damaged notebook has its own sentence where it is handed in
    return f"{name} is made by {place}. Run it first; after a restart, all cells above." if place else ""


def _text(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])


def _placed(cells: list[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The code cells, each with words for where it is."""
    heading = ""
    for cell in cells:
        lines = [line for line in _text(cell).split("\n") if line.strip()]
        if cell["cell_type"] == "markdown":
            heading = next((line.lstrip("# ") for line in lines if line.startswith("#")), heading)
        elif lines:
            about = cell.get("metadata", {}).get("course", {})
            if about.get("role") == "answer":
                yield cell, f"the cell with your answer to {about.get('exercise')}"
            else:
                yield cell, f"the cell that begins with {lines[0][:60]!r}" + (f', below "{heading}"' if heading else "")


def _made(text: str) -> set[str]:
    """Names that a cell binds at its top level, also inside ``if``, ``for`` and ``with``."""
    try:
        tree = ast.parse("\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in text.split("\n")))
    except (SyntaxError, ValueError):
        return set()
    return set(_bound(tree))


def _bound(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in child.names)
        elif isinstance(child, DEFINITIONS):
            yield child.name
        if not isinstance(child, SCOPES):
            yield from _bound(child)


def explain_names(shell: Any, hint: Callable[[str], str]) -> None:
    """Let this IPython shell print ``hint(name)`` below the traceback of a NameError.

    Args:
        shell: an ``InteractiveShell``.
        hint: a sentence for a name, or "".
    """

    def shown(
        shell: Any, kind: type[BaseException], error: BaseException, trace: TracebackType, tb_offset: int | None = None
    ) -> None:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        words = "" if isinstance(error, UnboundLocalError) else hint(str(getattr(error, "name", None) or ""))
        if words:
            print(words)

    shell.set_custom_exc((NameError,), shown)
