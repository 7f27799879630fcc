"""Strings that code puts together from constants, computed without running it: ``"soft" + "max"``, ``"".join(parts)``, …"""

from __future__ import annotations

import ast
import base64
import codecs
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

MAX_SIZE = 10_000
MAX_DEPTH = 40
METHODS = frozenset({
    "join", "format", "replace", "lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase", "decode",
    "encode", "removeprefix", "removesuffix", "split", "rsplit", "partition", "translate", "casefold", "zfill", "fromhex",
})  # fmt: skip
CALLS: dict[str, Callable[..., Any]] = {
    "chr": chr, "ord": ord, "str": str, "repr": repr, "bytes": bytes, "bytearray": bytes, "tuple": tuple, "list": tuple,
    "reversed": lambda value: tuple(reversed(value)), "sorted": lambda value: tuple(sorted(value)), "int": int,
    "b64decode": base64.b64decode, "unhexlify": bytes.fromhex, "fromhex": bytes.fromhex, "range": range, "len": len,
    "map": lambda function, values: tuple(function(value) for value in values),
}  # fmt: skip


class Unknown(Exception):
    """The value does not follow from the text alone."""


class Folder:
    """Values of expressions that depend on constants alone.

    Args:
        known: values of names, each with all that were assigned to it; a name with several is tried with the last.
    """

    def __init__(self, known: Mapping[str, Any] | None = None) -> None:
        self.known = dict(known or {})

    def value(self, node: ast.AST, depth: int = 0) -> Any:
        """The value of an expression. Raises Unknown."""
        if depth > MAX_DEPTH:
            raise Unknown
        fold = getattr(self, f"_{type(node).__name__.lower()}", None)
        if fold is None:
            raise Unknown
        try:
            found = fold(node, depth + 1)
        except Unknown:
            raise
        except Exception as error:  # whatever a constant expression may raise when it is computed
            raise Unknown from error
        if hasattr(found, "__len__") and len(found) > MAX_SIZE:
            raise Unknown
        return found

    def text(self, node: ast.AST) -> str | None:
        """The value if it is a string, else None."""
        try:
            found = self.value(node)
        except Unknown:
            return None
        return found if isinstance(found, str) else None

    def _constant(self, node: ast.Constant, depth: int) -> Any:
        return node.value

    def _name(self, node: ast.Name, depth: int) -> Any:
        if node.id in self.known:
            return self.known[node.id]
        raise Unknown

    def _tuple(self, node: ast.Tuple | ast.List, depth: int) -> Any:
        return tuple(self.value(item, depth) for item in node.elts)

    _list = _tuple

    def _joinedstr(self, node: ast.JoinedStr, depth: int) -> Any:
        return "".join(str(self.value(part, depth)) for part in node.values)

    def _formattedvalue(self, node: ast.FormattedValue, depth: int) -> Any:
        if node.format_spec is not None:
            raise Unknown
        return self.value(node.value, depth)

    def _binop(self, node: ast.BinOp, depth: int) -> Any:
        left, right = self.value(node.left, depth), self.value(node.right, depth)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub) and isinstance(left, int):
            return left - right
        if isinstance(node.op, ast.Mod) and isinstance(left, str) and "*" not in left and len(left) < 200:
            return left % right
        if isinstance(node.op, ast.Mult) and max(_size(left), _size(right)) <= MAX_SIZE:
            return left * right
        raise Unknown

    def _unaryop(self, node: ast.UnaryOp, depth: int) -> Any:
        if isinstance(node.op, ast.USub):
            return -self.value(node.operand, depth)
        raise Unknown

    def _subscript(self, node: ast.Subscript, depth: int) -> Any:
        return self.value(node.value, depth)[self.value(node.slice, depth)]

    def _slice(self, node: ast.Slice, depth: int) -> Any:
        return slice(
            *(None if part is None else self.value(part, depth) for part in (node.lower, node.upper, node.step))
        )

    def _ifexp(self, node: ast.IfExp, depth: int) -> Any:
        return self.value(node.body if self.value(node.test, depth) else node.orelse, depth)

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp, depth: int) -> Any:
        (loop,) = node.generators
        if loop.ifs or not isinstance(loop.target, ast.Name):
            raise Unknown
        values = self.value(loop.iter, depth)
        return tuple(Folder({**self.known, loop.target.id: value}).value(node.elt, depth) for value in values)

    _generatorexp = _listcomp

    def _call(self, node: ast.Call, depth: int) -> Any:
        if node.keywords:
            raise Unknown
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "map" and isinstance(node.args[0], ast.Name):
            return tuple(CALLS[node.args[0].id](value) for value in self.value(node.args[1], depth))
        arguments = [self.value(item, depth) for item in node.args]
        if isinstance(node.func, ast.Attribute) and name in METHODS:
            try:
                return getattr(self.value(node.func.value, depth), name)(*arguments)
            except Unknown:  # bytes.fromhex, codecs.decode: the owner is a type or a module
                return codecs.decode(*arguments) if name == "decode" else CALLS[name](*arguments)
        return CALLS[name](*arguments)


def _size(value: Any) -> int:
    return value if isinstance(value, int) else len(value)


def constants(statements: Iterable[ast.AST]) -> dict[str, Any]:
    """Values of the names that the statements bind to constants, whatever the scope; the last one counts."""
    folder = Folder()
    for _ in range(2):  # the second time, names that stand further down are known too
        for statement in statements:
            for node in ast.walk(statement):
                if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    _learn(folder, targets, node.value)
    return folder.known


def _learn(folder: Folder, targets: Sequence[ast.expr], value: ast.expr) -> None:
    try:
        found = folder.value(value)
    except Unknown:
        return
    for target in targets:
        if isinstance(target, ast.Name):
            folder.known[target.id] = found
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(found, tuple) and len(found) == len(target.elts):
            folder.known |= {
                part.id: one for part, one in zip(target.elts, found, strict=True) if isinstance(part, ast.Name)
            }
