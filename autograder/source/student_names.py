"""What a check may ask of ``student``: names that the notebook's answers define, and tools that fetch values.

A student can rebind every other name of a notebook, such as a course tool, so that it returns what the check expects.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.source.percent import Cell, Source, python
from course_utils.checks.fetch import fetcher
from course_utils.errors import CourseError

VERBS = frozenset({"map", "tool"})
REFLECTION = frozenset({"getattr", "hasattr", "vars", "dir", "setattr"})


def answered(source: Source) -> frozenset[str]:
    """Functions, classes and constants that the notebook's answer cells define."""
    names: set[str] = set()
    for cell in source.cells:
        tree = python(cell.text) if cell.role == "answer" else None
        for statement in tree.body if tree is not None else []:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(statement.name)
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
                names |= {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    return frozenset(names)


def asked_of_student(cell: Cell, names: frozenset[str]) -> Iterator[str]:
    """A sentence for each use of ``student`` in a check that is not the value of an answer's name or of a tool."""
    tree = python(cell.text)
    if tree is None:
        return  # another rule of lint reports this
    place = f"check {cell.exercise}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_student(node.value):
            yield from _attribute(place, node, names)
        elif isinstance(node, ast.Call):
            yield from _call(place, node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and _is_student(node.value):
            yield f"line {node.lineno} of {place} gives student another name; write student itself, so that lint can follow"


def _is_student(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "student"


def _attribute(place: str, node: ast.Attribute, names: frozenset[str]) -> Iterator[str]:
    if node.attr == "has":
        yield f"{place} asks student.has, with which a deleted name turns a test off; use the name, and let its absence fail"
    elif node.attr not in names | VERBS:
        yield (
            f"{place} asks student.{node.attr}, which no answer of this notebook defines, so that its owner may rebind it;"
            " compute it in the check, or fetch values with student.tool"
        )


def _call(place: str, node: ast.Call) -> Iterator[str]:
    if isinstance(node.func, ast.Name) and node.func.id in REFLECTION and any(_is_student(part) for part in node.args):
        yield f"{place} looks into student by {node.func.id}; ask for a name of an answer as student.NAME"
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "tool" and _is_student(node.func.value)):
        return
    path = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not (isinstance(path, ast.Constant) and isinstance(path.value, str)):
        yield f"{place} calls student.tool with something else than one name in quotes; write it out, so that lint can read it"
        return
    try:
        fetcher(path.value)
    except CourseError as error:
        yield f"{place}: {error}"
