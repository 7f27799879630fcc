"""Mistakes made by rule: small changes of a right answer's syntax tree, those of the operators and those of the domain.

What people get wrong is the domain: a size, a shape, a mask's form, a number type, an argument changed, a dependence between
draws, a mode. So the rules of the domain are counted apart.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Change = Callable[[ast.AST], Iterator[ast.AST]]
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult,
}  # fmt: skip
EDGES = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
}  # fmt: skip
AXES = frozenset({"dim", "axis"})
OTHER_CALLS = {"max": "min", "min": "max", "sum": "mean", "mean": "sum", "argmax": "argmin", "zeros": "ones", "ones": "zeros",
               "exp": "abs", "tril": "triu", "triu": "tril", "randn": "rand", "rand": "randn", "amax": "amin"}  # fmt: skip


@dataclass(frozen=True)
class Generated:
    """One mutant: its text, the rule that made it, and whether the rule speaks of the domain."""

    text: str
    rule: str
    domain: bool


def generated(text: str) -> list[Generated]:
    """All mutants of an answer's text, each once and none equal to it."""
    tree = ast.parse(text)
    found: dict[str, Generated] = {}
    plain = ast.unparse(tree)
    for rule, domain, change in RULES:
        for mutant in _mutants(tree, change):
            made = ast.unparse(ast.fix_missing_locations(mutant))
            if made != plain:
                found.setdefault(made, Generated(made, rule, domain))
    return list(found.values())


def _mutants(tree: ast.Module, change: Change) -> Iterator[ast.Module]:
    """The tree with one node changed in one way, for every node and every way. Changes make new nodes."""
    for number, node in enumerate(ast.walk(tree)):
        for way in range(sum(1 for _ in change(node))):
            twin = copy.deepcopy(tree)
            place = list(ast.walk(twin))[number]
            new = list(change(place))[way]
            yield _replaced(twin, place, new)


def _replaced(tree: ast.Module, old: ast.AST, new: ast.AST) -> ast.Module:
    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else super().visit(node)

    Put().generic_visit(tree)  # the module itself stays
    return tree


# --------------------------------------------------------------------------------------------------------- operators


def _operator(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.operand


def _swapped(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
        yield ast.BinOp(node.right, node.op, node.left)
    if isinstance(node, ast.Call) and len(node.args) > 1:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)


def _number(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)


def _edge(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in EDGES:
        yield ast.Compare(node.left, [EDGES[type(node.ops[0])](), *node.ops[1:]], node.comparators)


def _keyword(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call):
        for gone in node.keywords:
            yield ast.Call(node.func, node.args, [one for one in node.keywords if one is not gone])


def _other_call(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Attribute) and node.attr in OTHER_CALLS:
        yield ast.Attribute(node.value, OTHER_CALLS[node.attr], node.ctx)


# ------------------------------------------------------------------------------------------------------------ domain


def _axis(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.keyword) and node.arg in AXES:
        for value in (0, 1, -1, -2):
            yield ast.keyword(node.arg, ast.Constant(value))


def _branch(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    if isinstance(node, ast.If):
        for always in (1, 0):
            yield ast.If(ast.Constant(always), node.body, node.orelse or [ast.Pass()])


def _size(node: ast.AST) -> Iterator[ast.AST]:
    """A length or an entry of a shape: fixed, one more, one less, that of another axis."""
    length = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
    entry = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.expr) and (length or entry):
        yield from (ast.Constant(size) for size in (1, 4, 8))
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        yield ast.BinOp(node, ast.Sub(), ast.Constant(1))
        owner = node.args[0] if isinstance(node, ast.Call) else node.value.value  # type: ignore[attr-defined]
        yield from (ast.parse(f"{ast.unparse(owner)}.shape[{axis}]", mode="eval").body for axis in (0, -1))


FORMS = ("_x.detach()", "_x.squeeze()", "_x.float()", "_x.half()", "_x.clamp(-50, 50)", "_x.abs()",
         "_x.round(decimals=3)", "_x.T", "_x.flatten()", "_x[:1]", "_x + 1e-4")  # fmt: skip


def _result(node: ast.AST) -> Iterator[ast.AST]:
    """What is returned, as a whole: detached, squeezed, of another type, clamped, rounded, moved a little."""
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        for form in FORMS:
            yield _returned(node.value, form)


def _returned(value: ast.expr, change: str) -> ast.Return:
    """Return the changed value; of a tuple the first entry is changed."""
    entries = value.elts if isinstance(value, ast.Tuple) else [value]
    call = ast.Call(ast.parse(f"lambda _x: {change}", mode="eval").body, [entries[0]], [])
    return ast.Return(ast.Tuple([call, *entries[1:]], ast.Load()) if isinstance(value, ast.Tuple) else call)


def _argument(node: ast.AST) -> Iterator[ast.AST]:
    """A function that takes one of its arguments as something else, or changes it."""
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return
    for one in node.args.args:
        if one.arg != "self":
            kind = ast.unparse(one.annotation) if one.annotation else ""
            for line in _lines(one.arg, kind):
                yield _begun(node, line)


OF_TENSORS = (
    "{0} = {0}.detach()", "{0} = {0}.float()", "{0} = {0}.abs()", "{0} = {0}.squeeze()", "{0} = {0}.clamp(-50, 50)",
    "{0} = {0}.view(-1).view({0}.shape)", "{0} = {0}[:1]", "{0} = {0}[:-1]", "{0} = {0}.flip(0)", "{0}.add_(1)",
    "{0} = {0}.round(decimals=2)",
)  # fmt: skip
OF_MASKS = ("{0} = None", "{0} = {0}[:, :1]", "{0} = {0}[..., :1]", "{0} = ~{0}", "{0} = {0}[:1]")
OF_GENERATORS = ("{0} = torch.Generator().manual_seed(0)", "{0} = torch.default_generator")
OF_WHOLE = ("{0} = 0", "{0} = 1", "{0} = max({0}, 2)", "{0} = min({0}, 5)", "{0} = {0} + 1")
OF_FLOATS = ("{0} = 1.0", "{0} = max({0}, 1.0)", "{0} = min({0}, 20.0)", "{0} = max({0}, 1e-3)", "{0} = abs({0})")


def _lines(name: str, kind: str) -> list[str]:
    """Lines that take an argument of this annotated kind otherwise."""
    if "Generator" in kind or name in ("rng", "generator"):
        found: tuple[str, ...] = OF_GENERATORS
    elif "Tensor" in kind:
        found = OF_MASKS + OF_TENSORS if "None" in kind or "mask" in name else OF_TENSORS
    else:
        others: dict[str, tuple[str, ...]] = {"int": OF_WHOLE, "float": OF_FLOATS, "bool": ("{0} = not {0}",)}
        found = others.get(kind, ("{0} = {0}[:-1]",) if kind.startswith(("list", "str")) else ())
    return [line.format(name) for line in found]


def _begun(node: ast.FunctionDef, line: str) -> ast.FunctionDef:
    skip = int(ast.get_docstring(node) is not None)
    twin = copy.copy(node)
    twin.body = [*node.body[:skip], *ast.parse(line).body, *node.body[skip:]]
    return twin


def _mode(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Attribute) and node.attr == "training":
        yield from (ast.Constant(value) for value in (1, 0))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "Dropout":
        yield ast.Call(node.func, [ast.Constant(0.1)], [])


def _draws(node: ast.AST) -> Iterator[ast.AST]:
    """One draw for several: a size of a call of torch's random functions is 1."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) > 1):
        return
    for place, size in enumerate(node.args) if node.func.attr in ("randn", "rand", "randint") else []:
        if not isinstance(size, ast.Starred):
            yield ast.Call(node.func, [*node.args[:place], ast.Constant(1), *node.args[place + 1 :]], node.keywords)


RULES: tuple[tuple[str, bool, Change], ...] = (
    ("another operator", False, _operator), ("swapped", False, _swapped), ("constant ± 1", False, _number),
    ("edge of a comparison", False, _edge), ("keyword dropped", False, _keyword), ("another call", False, _other_call),
    ("another axis", True, _axis), ("branch removed", True, _branch), ("another size", True, _size),
    ("another form of the result", True, _result), ("an argument taken otherwise", True, _argument),
    ("another mode", True, _mode), ("one draw for several", True, _draws),
)  # fmt: skip
