"""Functions and classes as they stand in the notebooks' code cells, for experiments with more seeds than a reader runs."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any

from autograder.source.percent import python, read_source
from benchmarks.paths import ROOT
from course_utils.errors import CourseError

KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


@lru_cache(maxsize=16)
def names_of(notebook: str) -> dict[str, Any]:
    """Everything that a notebook's cells import, define or set to a literal, the course's own answers included.

    Raises:
        CourseError: there is no such notebook.
    """
    path = ROOT / "solutions" / f"{notebook}.py"
    if not path.is_file():
        raise CourseError(f"{path}: there is no such notebook; give its full name, such as 02_blocks")
    scope: dict[str, Any] = {"__name__": notebook}
    for cell in read_source(path).cells:
        tree = python(cell.text) if cell.role in ("code", "answer") else None
        for node in tree.body if tree else []:
            if isinstance(node, KEPT) or (isinstance(node, ast.Assign) and _literal(node.value)):
                exec(compile(ast.Module([node], []), str(path), "exec"), scope)
    return scope


def _literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
