"""A syntax tree without what does nothing, and with the names of local things numbered by scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (*Function.__args__, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Named(ast.NodeTransformer):
    """A tree without annotations, imports, and statements that do nothing. Names stay."""

    def __init__(self, tree: ast.Module) -> None:
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        self.read = {node.id for node in names if isinstance(node.ctx, ast.Load)}

    def plain(self, tree: ast.Module) -> ast.Module:
        """The whole text."""
        return ast.Module(self.statements(tree.body), [])

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """What is left of some statements."""
        return [kept for node in body if (kept := self.visit(node)) is not None]

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """An argument's name, without its annotation."""
        return ast.arg(node.arg)

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        """Arguments without those that may be left out and that nothing reads."""
        places = [*node.posonlyargs, *node.args]
        given = [None] * (len(places) - len(node.defaults)) + list(node.defaults)
        kept = [(a, d) for a, d in zip(places, given, strict=True) if d is None or a.arg in self.read]
        by_name = [
            (a, d) for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True) if d is None or a.arg in self.read
        ]
        rest = [one if one is not None and one.arg in self.read else None for one in (node.vararg, node.kwarg)]
        made = ast.arguments(
            [], [a for a, _ in kept], rest[0], [a for a, _ in by_name], [d for _, d in by_name], rest[1],
            [d for _, d in kept if d is not None],
        )  # fmt: skip
        return self.generic_visit(made)

    def visit_FunctionDef(self, node: Any) -> ast.AST | None:
        """A function without the annotation of what it returns."""
        node.returns = None
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A statement that is only a text, a number or a name says nothing."""
        return None if isinstance(node.value, ast.Constant | ast.Name) else self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        """It does nothing."""

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """What is imported shows where it is used."""

    visit_ImportFrom = visit_Import

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """As the assignment without the annotation."""
        return self.visit(ast.Assign([node.target], node.value)) if node.value is not None else None

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """A name that nothing reads says nothing."""
        named = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if len(named) == len(node.targets) and isinstance(node.value, ast.Constant) and not self.read & set(named):
            return None
        return self.generic_visit(node)


class Shape(Named):
    """As ``Named``, with numbers for the names that a text gives itself, in each function anew.

    Methods, attributes of a class and what comes from elsewhere keep their names. Of attributes those are numbered that are
    set on a name (``self.x = …``).
    """

    def __init__(self, tree: ast.Module) -> None:
        super().__init__(tree)
        nodes = list(ast.walk(tree))
        self.places = {
            node.name: {arg.arg: f"k{n}" for n, arg in enumerate([*node.args.args, *node.args.kwonlyargs])}
            for node in nodes
            if isinstance(node, Function)
        }
        self.imported = {
            alias.asname: f"{getattr(node, 'module', '')}.{alias.name}"
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
            if alias.asname
        }
        self.attributes = {
            node.attr: ""
            for node in nodes
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        }
        self.used = 0
        self.scopes: list[dict[str, str]] = [dict.fromkeys(_bound(tree), "")]

    def number(self, name: str) -> str:
        """The name's number in the innermost scope that binds it, or the name."""
        for depth, scope in reversed(list(enumerate(self.scopes))):
            if name in scope:
                taken = sum(map(bool, scope.values()))
                scope[name] = scope[name] or f"v{depth}.{taken}"
                return scope[name]
        return self.imported.get(name, name)

    def _scoped(self, node: Any) -> Any:
        self.scopes.append(dict.fromkeys([] if isinstance(node, ast.ClassDef) else _bound(node), ""))
        try:
            return self.generic_visit(node)
        finally:
            self.scopes.pop()

    def visit_FunctionDef(self, node: Any) -> Any:
        """A function with a scope of its own; a method keeps its name."""
        node.name, node.returns = self.number(node.name), None
        return self._scoped(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """A class, whose members keep their names."""
        node.name = self.number(node.name)
        return self._scoped(node)

    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _scoped

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """An argument's number."""
        return ast.arg(self.number(node.arg))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name's number."""
        return ast.Name(self.number(node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute; its number if the text sets it."""
        if node.attr in self.attributes and isinstance(node.value, ast.Name):
            if not self.attributes[node.attr]:
                self.used += 1
                self.attributes[node.attr] = f"a{self.used}"
            node.attr = self.attributes[node.attr]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call; arguments by name of a function of the text are numbered by their place."""
        places = self.places.get(node.func.id, {}) if isinstance(node.func, ast.Name) else {}
        for one in node.keywords:
            one.arg = places.get(one.arg or "", one.arg)
        return self.generic_visit(node)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        """Names that are bound elsewhere."""
        node.names = [self.number(name) for name in node.names]
        return node

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """The name of what was raised."""
        node.name = self.number(node.name) if node.name else None
        return self.generic_visit(node)


def _bound(scope: ast.AST) -> Iterator[str]:
    """Names that a module, a function or a comprehension binds in its own scope, arguments included."""
    left = list(ast.iter_child_nodes(scope))
    while left:
        node = left.pop()
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, Function | ast.ClassDef | ast.ExceptHandler) and node.name:
            yield node.name
        if not isinstance(node, SCOPES):
            left += ast.iter_child_nodes(node)
