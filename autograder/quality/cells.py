"""The cells of a notebook that an exercise's answer needs around it."""

from __future__ import annotations

import ast

from autograder.source.percent import FIRST_CELL_MARKER, Source, python, strip_markers


def setup_cells(source: Source, exercise: str) -> tuple[list[str], list[str]]:
    """Cells that must run before the answer, and those between it and its check.

    They are definitions and imports of plain cells, and solutions of other exercises. Demonstrations and trainings are left
    out: a check may count on names, not on what a long cell has computed.
    """
    before: list[str] = []
    after: list[str] = []
    cells = before
    for cell in source.cells:
        if (cell.role, cell.exercise) == ("answer", exercise):
            cells = after
        elif (cell.role, cell.exercise) == ("check", exercise):
            break
        elif cell.role == "answer":
            cells.append(strip_markers(cell.text))
        elif cell.role == "code" and FIRST_CELL_MARKER not in cell.text:
            cells.append(definitions(cell.text))
    return [cell for cell in before if cell.strip()], [cell for cell in after if cell.strip()]


def definitions(text: str) -> str:
    """Imports, functions, classes, constants and torch's settings of a cell; the rest of it is left out."""
    tree = python(text)
    return "\n".join(ast.unparse(node) for node in tree.body if _defines(node)) if tree is not None else ""


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef):
        return True
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = not any(isinstance(part, ast.Subscript | ast.Attribute) for t in targets for part in ast.walk(t))
        return named and not any(isinstance(part, ast.Call | ast.Name | ast.Await) for part in ast.walk(node.value))
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).startswith("torch.set_")
