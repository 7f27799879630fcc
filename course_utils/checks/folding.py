"""Strings that code puts together from constants, computed without running it: ``"soft" + "max"``, ``"".join(parts)``, …

This runs in the process of the judge, on text that a student wrote. So the size of every result is bounded before it is
made, all work counts against a budget, and whatever goes wrong means that the value is not known.
"""

from __future__ import annotations

import ast
import base64
import codecs
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_SIZE = 10_000  # length of a value
MAX_WEIGHT = 600_000  # bytes of a value with all its parts, about
MAX_ROOM = 4_000_000  # bytes that one operation may need, about
MAX_DEPTH = 40
STEP = 40  # what it costs to look at a node, in bytes that could be made in the same time
EFFORT = 4_000_000  # for one expression
ALL_EFFORT = 32_000_000  # for all expressions of one answer
# Once that is spent, each expression still has this much: heavy ones must not hide a light one that stands behind them.
SCRAPS, SCRAP_WEIGHT = 10_000, 1_500
METHODS = frozenset({
    "join", "format", "replace", "lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase", "decode",
    "encode", "removeprefix", "removesuffix", "split", "rsplit", "partition", "translate", "casefold", "zfill", "fromhex",
})  # fmt: skip
CALLS: dict[str, Callable[..., Any]] = {
    "chr": chr, "ord": ord, "str": str, "repr": repr, "bytes": bytes, "bytearray": bytes, "tuple": tuple, "list": tuple,
    "reversed": lambda value: tuple(reversed(value)), "sorted": lambda value: tuple(sorted(value)), "int": int,
    "b64decode": base64.b64decode, "unhexlify": bytes.fromhex, "fromhex": bytes.fromhex, "range": range, "len": len,
    "decode": lambda *arguments: _decoded(*arguments),
}  # fmt: skip
# Codecs from bytes to bytes or from text to text whose result is no longer than what they read; zlib and bz2 are none.
PLAIN_CODECS = frozenset({"rot13", "hex", "base64", "uu", "quopri"})
PLACES = re.compile(r"%([^A-Za-z%]*)")
NUMBERS = re.compile(r"\d+")


class Unknown(Exception):
    """The value does not follow from the text alone, or it would take too much to compute it."""


@dataclass
class Budget:
    """The work that is left for one answer, shared by all that folds for it."""

    left: int = ALL_EFFORT


class Folder:
    """Values of expressions that depend on constants alone.

    Args:
        known: values of names, each with all that were assigned to it; a name with several is tried with the last.
        budget: work that may be done, shared with other folders of the same answer.
    """

    def __init__(self, known: Mapping[str, Any] | None = None, budget: Budget | None = None) -> None:
        self.known = dict(known or {})
        self.budget = budget or Budget()
        self.left, self.limit = EFFORT, MAX_WEIGHT

    def value(self, node: ast.AST, depth: int = 0) -> Any:
        """The value of an expression. Raises Unknown, and nothing else."""
        if depth == 0:
            rich = self.budget.left > 0
            self.left, self.limit = (EFFORT, MAX_WEIGHT) if rich else (SCRAPS, SCRAP_WEIGHT)
        fold = getattr(self, f"_{type(node).__name__.lower()}", None)
        if depth > MAX_DEPTH or fold is None:
            raise Unknown
        try:
            self._spend(STEP)
            found = fold(node, depth + 1)
            if isinstance(node, ast.Constant):
                fits = not isinstance(found, str | bytes) or len(found) <= MAX_SIZE
            elif isinstance(node, ast.Name):
                fits = True  # weighed when it was bound
            else:
                fits = self._kept(found)
        except Unknown:
            raise
        except Exception as error:  # whatever a constant expression may raise when it is computed
            raise Unknown from error
        if not fits:
            raise Unknown
        return found

    def _spend(self, effort: int) -> None:
        self.budget.left -= min(effort, self.left)
        if effort > self.left:
            self.left = 0
            raise Unknown
        self.left -= effort

    def _kept(self, found: Any) -> bool:
        weight = _weight(found)
        self._spend(weight)
        return weight <= self.limit and not (isinstance(found, _SIZED) and len(found) > MAX_SIZE)

    def _room(self, size: int) -> None:
        """Refuse an operation whose result may need ``size`` bytes. Called before the result is made."""
        if size > MAX_ROOM:
            raise Unknown
        self._spend(max(size, 0) // 16)

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
        parts = [self.value(part, depth) for part in node.values]
        self._room(sum(map(_shown, parts)))
        return "".join(map(str, parts))

    def _formattedvalue(self, node: ast.FormattedValue, depth: int) -> Any:
        if node.format_spec is not None:
            raise Unknown
        return self.value(node.value, depth)

    def _binop(self, node: ast.BinOp, depth: int) -> Any:
        left, right = self.value(node.left, depth), self.value(node.right, depth)
        if isinstance(node.op, ast.Add):
            self._room(_weight(left) + _weight(right))
            return left + right
        if isinstance(node.op, ast.Sub) and isinstance(left, int):
            return left - right
        if isinstance(node.op, ast.Mod) and isinstance(left, str) and "*" not in left and len(left) < 200:
            places = PLACES.findall(left)
            self._room(sum(map(_numbers, places)) + len(left) + (len(places) + 1) * _shown(right))
            return left % right
        if isinstance(node.op, ast.Mult):
            times, other = (left, right) if isinstance(left, int) else (right, left)
            if not isinstance(times, int) or max(times, other if isinstance(other, int) else 0) > MAX_SIZE:
                raise Unknown
            self._room(_weight(other) * max(times, 1))
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
        values, name, made = self.value(loop.iter, depth), loop.target.id, []
        outside = {name: self.known[name]} if name in self.known else {}
        try:
            for value in values:
                self.known[name] = value
                made.append(self.value(node.elt, depth))
        finally:
            self.known.pop(name, None)
            self.known |= outside
        return tuple(made)

    _generatorexp = _listcomp

    def _call(self, node: ast.Call, depth: int) -> Any:
        if node.keywords:
            raise Unknown
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "map" and isinstance(node.args[0], ast.Name):
            return self._mapped(node.args[0].id, self.value(node.args[1], depth))
        arguments = [self.value(item, depth) for item in node.args]
        if isinstance(node.func, ast.Attribute) and name in METHODS:
            try:
                owner = self.value(node.func.value, depth)
            except Unknown:  # bytes.fromhex, codecs.decode: the owner is a type or a module
                return self._called(name, arguments)
            return self._method(owner, name, arguments)
        return self._called(name, arguments)

    def _mapped(self, name: str, values: Any) -> tuple[Any, ...]:
        made = []
        for value in values:
            self._spend(STEP)
            made.append(self._called(name, [value]))
            if not self._kept(made[-1]):
                raise Unknown
        return tuple(made)

    def _called(self, name: str, arguments: list[Any]) -> Any:
        """The result of one of CALLS."""
        if name in ("bytes", "bytearray") and isinstance(arguments[0], int):
            self._room(arguments[0])  # so many zeros
        if name in ("str", "repr", "bytes", "bytearray", "decode"):
            self._room(sum(map(_shown, arguments)))
        return CALLS[name](*arguments)

    def _method(self, owner: Any, name: str, arguments: list[Any]) -> Any:
        """The result of one of METHODS."""
        if name == "format":
            if not isinstance(owner, str):
                raise Unknown
            return _Format(self._room).vformat(owner, arguments, {})
        self._room(_bound(owner, name, arguments))
        return getattr(owner, name)(*arguments)


class _Format(string.Formatter):
    """``str.format`` that looks at the size of each field before it is made."""

    def __init__(self, room: Callable[[int], None]) -> None:
        self.room, self.size = room, 0

    def format_field(self, value: Any, format_spec: str) -> str:
        size = _numbers(format_spec) + _shown(value)
        self.size += size
        self.room(size)
        if self.size > MAX_ROOM:
            raise Unknown
        return format(value, format_spec)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        self.room(_shown(value))
        return super().convert_field(value, conversion)


_SIZED = (str, bytes, tuple, range)


def _weight(value: Any) -> int:
    """The bytes of a value with all its parts, about; a range counts as if its numbers were kept."""
    if isinstance(value, str):
        return 32 + len(value) * (1 if value.isascii() else 4)
    if isinstance(value, tuple):
        return 32 + sum(8 + _weight(item) for item in value)
    if isinstance(value, range):
        return 32 + 40 * len(value)
    if isinstance(value, int):
        return 32 + value.bit_length() // 8
    return 32 + (len(value) if isinstance(value, bytes) else 0)


def _shown(value: Any) -> int:
    """A bound for the bytes of what ``str``, ``repr`` or ``ascii`` shows of a value: ten characters for one."""
    return 400 + 10 * _weight(value)


def _numbers(text: str) -> int:
    """The sum of the numbers in the text of a format: widths and precisions."""
    return sum(int(digits) if len(digits) < 10 else MAX_ROOM + 1 for digits in NUMBERS.findall(text))


def _bound(owner: Any, name: str, arguments: list[Any]) -> int:
    """A bound for the bytes of a method's result. Raises whatever the arguments lead to if they do not fit the method."""
    size = _weight(owner)
    if name == "join":
        return size * (len(arguments[0]) + 1) + 4 * _weight(arguments[0])
    if name == "replace":
        return 4 * size + owner.count(arguments[0]) * _weight(arguments[1])
    if name == "zfill":
        return size + 4 * int(arguments[0])
    if name == "translate":
        (table,) = arguments
        return size * (8 if isinstance(table, str | bytes | range) else max(map(_weight, table), default=1))
    return 25 * size  # at most a character of four bytes becomes its name, where it is encoded by "namereplace"


def _decoded(value: Any, codec: str = "utf-8", *more: Any) -> Any:
    """As ``codecs.decode``, for codecs of text and a few that do not make anything longer."""
    if codecs.lookup(codec).name.replace("-", "") in PLAIN_CODECS:
        return codecs.decode(value, codec, *more)
    return value.decode(codec, *more)  # the method knows no codec that unpacks


def constants(statements: Iterable[ast.AST], budget: Budget | None = None) -> dict[str, Any]:
    """Values of the names that the statements bind to constants, whatever the scope; the last one counts."""
    folder = Folder(budget=budget)
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
