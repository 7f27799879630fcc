"""Names that an answer must not use, looked for in every cell of the notebook that the answer can reach.

What counts is the answer cell, and every statement of the student's other cells that binds a name or an attribute which
the answer, directly or through such statements, reads. A statement that could bind anything (``exec``, ``globals()``,
a special method) always counts. Strings are put together as far as constants go (:mod:`.folding`).

A name also stands for what contains the function in torch (:data:`WITHIN`): whoever forbids attention forbids
``nn.Transformer``.

What this cannot see: a name that is computed from something else than constants (a file, ``dir(module)[17]``, a search for
a prefix), an object taken from a container that was filled elsewhere, a module of the student's own on disk, and a function
of another library that calls the forbidden one. The judge counts calls, and what torch's dispatcher runs, while the check
runs as well. That count can be evaded by whoever owns the process. Where it must not happen at all, forbid nothing and
check a property instead.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from course_utils.checks.folding import ALL_EFFORT, Budget, Folder, constants

# whoever calls one of these can reach a name by a string
BY_STRING = frozenset({
    "getattr", "setattr", "delattr", "eval", "exec", "compile", "__import__", "import_module", "globals", "locals", "vars",
    "attrgetter", "methodcaller", "__dict__", "__getattribute__", "__getattr__", "run_cell", "run_line_magic",
    "run_cell_magic", "get_ipython", "modules", "user_ns", "__globals__", "__builtins__", "builtins", "ex", "ev",
})  # fmt: skip
# a statement with one of these may bind any name, now or later
BINDS_ANYTHING = BY_STRING - {"getattr", "attrgetter", "methodcaller", "__import__", "import_module", "__getattribute__"} | {
    "f_globals", "f_locals", "_getframe", "settrace", "setprofile", "get_objects", "get_referrers",
}  # fmt: skip
MARKS = frozenset("%!?")  # every line that IPython translates has one of them, or begins like a call without brackets
DOTTED = re.compile(r"[^\W\d]\w*(?:[.:]\w+)*")
MAX_NESTED = 3
READING = 40  # what it costs to read a character of a string as code, in the unit of a folder's budget
SHORT = 100
# What contains a forbidden function in torch, or is it under another name; of functions below ``torch.ops`` the exact names,
# since a helper of the student's own may be called nearly the same.
_PRODUCT = (
    r"_?scaled_dot_product_(?:(?:flash|efficient|cudnn|fused)_)?attention(?:_math|_math_for_mps|_for_cpu|_overrideable)?"
    r"|_(?:flash|efficient|cudnn)_attention_forward|flex_attention|_triton_scaled_dot_attention|varlen_attn"
)
_HEADS = r"MultiheadAttention|multi_head_attention_forward|_(?:native|triton)_multi_head_attention"
_LAYERS = r"Transformer(?:(?:En|De)coder(?:Layer)?)?|_transformer_encoder_layer_fwd"
WITHIN = {
    "scaled_dot_product_attention": f"{_PRODUCT}|{_HEADS}|{_LAYERS}",
    "MultiheadAttention": f"{_HEADS}|{_LAYERS}",
    "multi_head_attention_forward": f"{_HEADS}|{_LAYERS}",
    "TransformerEncoderLayer": r"Transformer(?:Encoder(?:Layer)?)?|_transformer_encoder_layer_fwd",
    "TransformerDecoderLayer": r"Transformer(?:Decoder(?:Layer)?)?",
}
# functions that hang on such a name and use nothing of it: the causal mask that PyTorch's own examples take
HARMLESS = frozenset({"generate_square_subsequent_mask"})


@dataclass
class Statement:
    """A statement at the top of a cell: what it binds, and what it reads.

    Attributes:
        reads: names and attributes that it reads.
        needs: the names alone of which it reads, changes or deletes a value that stood before.
    """

    node: ast.stmt
    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    anything: bool = False


def forbidden_names(source: str, names: Iterable[str], others: Sequence[str] = ()) -> list[str]:
    """Which of ``names`` the answer uses: as a name, attribute or import, or by a string (``getattr(x, "na" + "me")``).

    A dotted name stands for its last part. An answer that does not parse is searched word by word, so that a broken cell
    hides nothing. Returns them in the order given, each once.

    Args:
        source: text of the answer cell.
        others: texts of the student's other cells, in the order in which they run; cells of the course do not belong here.
    """
    names = list(dict.fromkeys(names))
    tree = parsed(source)
    if tree is None:
        used = set(re.findall(r"\w+", source))
    else:
        pool = [statement for text in others for statement in _statements(text)]
        used = _words(reached([_statement(node) for node in tree.body], pool))
    return _among(names, used)


def _among(names: Iterable[str], used: Iterable[str]) -> list[str]:
    return [name for name in names if any(map(re.compile(forms(name)).fullmatch, used))]


def without_forbidden(
    source: str, names: Iterable[str], parts: Mapping[str, Iterable[str]], others: Sequence[str] = ()
) -> tuple[str, dict[str, list[str]]]:
    """An answer's text without the statements that use ``names``, and the parts of the points that are lost with these.

    The other parts can be judged in a kernel that has run this text instead of the answer: what is taken out did nothing
    there. What reads a name of it is taken out as well. Lines keep their numbers.

    Args:
        parts: names of the functions and classes of each part of the points.

    Returns:
        The text, and the names that each lost part uses. Under "" all of them, with the whole text, where no part can be
        told from the others; no part where none of ``names`` is used.
    """
    names = list(names)
    found = forbidden_names(source, names, others)
    whole = (source, {"": found} if found else {})
    nodes = _plain_statements(source)
    if not found or not parts or nodes is None:
        return whole
    pool = [statement for text in others for statement in _statements(text)]
    parted = [(node, _apart(node)) for node in nodes]
    taken, kept = _using([_statement(part) for _, some in parted for part in some], names, pool)
    gone = {name for one in taken for name in one.names}
    lost = {part: found for part, theirs in parts.items() if gone & set(theirs)}
    text, number = _blanked(source, parted, {id(one.node) for one in kept})
    if not lost or set(lost) == set(parts) or len(_plain_statements(text) or ()) != number:
        return whole
    return whole if forbidden_names(text, names, others) else (text, lost)


def _plain_statements(source: str) -> list[ast.stmt] | None:
    """The statements of a cell that is Python as it stands; None for any other."""
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _using(
    statements: Sequence[Statement], names: Sequence[str], pool: list[Statement]
) -> tuple[list[Statement], list[Statement]]:
    """Statements that use one of ``names``, by themselves or by a name that such a statement binds; and all others."""
    budget = Budget()  # once it is spent something may be missed here: the text that is left is searched anew
    uses = [bool(_among(names, _words(reached([one], pool), budget=budget))) for one in statements]
    taken = [one for one, used in zip(statements, uses, strict=True) if used]
    kept = [one for one, used in zip(statements, uses, strict=True) if not used]
    while True:
        bound = {name for one in taken for name in one.names}
        more = [one for one in kept if bound & one.needs]
        if not more:
            return taken, kept
        taken += more
        kept = [one for one in kept if not bound & one.needs]


def _blanked(source: str, parted: Iterable[tuple[ast.stmt, list[ast.stmt]]], kept: Collection[int]) -> tuple[str, int]:
    """The text with the lines of some statements empty, and the number of statements that are left.

    Args:
        parted: each statement with its parts: itself, or one for each name of an import.
        kept: ids of the parts that are left.
    """
    lines, number = source.split("\n"), 0
    for node, parts in parted:
        left = [part for part in parts if id(part) in kept]
        number += len(left) if len(left) < len(parts) else 1
        if len(left) < len(parts):
            first = min(one.lineno for one in (*getattr(node, "decorator_list", ()), node))
            for at in range(first - 1, node.end_lineno or first):
                lines[at] = ""
            lines[first - 1] = "; ".join(map(ast.unparse, left))
    return "\n".join(lines), number


def refusal(found: Sequence[str]) -> str:
    """The sentence to who uses these names: also an own function of that name, or a comparison in the cell, is refused."""
    return f"write it yourself, without {' and '.join(found)}, also as a name of your own or to compare with"


def forms(name: str) -> str:
    """A pattern of all names that a forbidden name stands for; of a dotted one the last part counts."""
    last = name.rpartition(".")[2]
    return WITHIN.get(last, re.escape(last))


def parsed(source: str, effort: float = math.inf) -> ast.Module | None:
    """The syntax tree of a cell with IPython's magics translated where IPython is there; None if it does not parse.

    Args:
        effort: bound on what translating may cost, in characters times lines with magics: IPython reads the whole cell
            again for each of them. Beyond it these lines are left out.
    """
    # what is Python as it stands has no magics, and IPython leaves it as it is
    for text in (lambda: source, lambda: _translated(source, effort), lambda: _without_magics(source)):
        try:
            return ast.parse(text())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _translated(source: str, effort: float) -> str:
    marked = sum(line.lstrip().startswith((",", ";", "/")) or bool(MARKS & set(line)) for line in source.splitlines())
    if marked * len(source) > effort:
        return source
    try:
        from IPython.core.inputtransformer2 import TransformerManager

        return str(TransformerManager().transform_cell(source))
    except Exception:  # no IPython, or a cell that it does not understand
        return source


def _without_magics(source: str) -> str:
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.split("\n"))


def reached(start: list[Statement], pool: list[Statement]) -> list[Statement]:
    """The answer's statements and those of the pool that can change what they do."""
    found, left = list(start), list(pool)
    while True:
        reads = {word for statement in found for word in statement.reads | statement.names}
        more = [s for s in left if s.anything or s.names & reads or s.attributes & reads]
        if not more:
            return found
        found += more
        left = [s for s in left if not any(s is one for one in more)]


# ---------------------------------------------------------------- one statement


def _statements(source: str) -> list[Statement]:
    """The statements of a cell, one for each name of an import; none if it does not parse, since then it does not run."""
    tree = parsed(source)
    return [_statement(part) for node in tree.body for part in _apart(node)] if tree is not None else []


def _apart(node: ast.stmt) -> list[ast.stmt]:
    if isinstance(node, ast.Import):
        return [ast.Import([alias]) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [ast.ImportFrom(node.module, [alias], node.level) for alias in node.names]
    return [node]


def _statement(node: ast.stmt) -> Statement:
    made = Statement(node)
    try:
        _Scan(made).visit(node)
    except RecursionError:  # nested too deep to look at scopes: all that it reads counts, and it may bind anything
        made.anything = True
        made.reads |= {word for part in ast.walk(node) for word in _plain_words(part)}
        made.needs |= made.reads
    return made


class _Scan(ast.NodeVisitor):
    """Fill a statement. Inside functions only ``global`` names are bound; ``self.x = …`` binds nothing of others."""

    def __init__(self, found: Statement) -> None:
        self.found, self.locals, self.owners = found, list[set[str]](), list[str]()

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, *, method: bool = False) -> None:
        self._bind(node.name)
        more = [one for one in (node.args.vararg, node.args.kwarg) if one]
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *more]
        kinds = [one for one in (*(argument.annotation for argument in arguments), node.returns) if one]
        for outside in [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d), *kinds]:
            self.visit(outside)
        parameters = [argument.arg for argument in arguments]
        self.locals.append(_local_names(node) | set(parameters))
        self.owners.append(parameters[0] if method and parameters else "")
        for part in node.body:
            self.visit(part)
        self.locals.pop()
        self.owners.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name)
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        self.locals.append(set())
        for member in node.body:
            if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
                self._function(member, method=True)
            else:
                self.visit(member)
        self.locals.pop()

    def _bind(self, name: str) -> None:
        if not self.locals:
            self.found.names.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        local = any(node.id in scope for scope in self.locals)
        if isinstance(node.ctx, ast.Load):
            self.found.reads |= set() if local else {node.id}
            self.found.needs |= set() if local else {node.id}
            self.found.anything |= node.id in BINDS_ANYTHING
        else:
            self.found.needs |= {node.id} if isinstance(node.ctx, ast.Del) and not local else set()
            self._bind(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name) and not any(node.target.id in scope for scope in self.locals):
            self.found.needs.add(node.target.id)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.found.names.update(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        self._bind(node.asname or node.name.partition(".")[0])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self.found.reads.add(node.attr)
            self.found.anything |= node.attr in BINDS_ANYTHING
        elif not (isinstance(node.value, ast.Name) and node.value.id in self.owners):
            self.found.attributes.add(node.attr)
            self.found.anything |= node.attr.startswith("__")
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if (
            isinstance(node.ctx, ast.Store)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        ):
            self.found.attributes.add(node.slice.value)
        self.generic_visit(node)


def _local_names(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names that a function binds itself, those of ``global`` left out."""
    parts = [part for statement in node.body for part in ast.walk(statement)]
    bound = {part.id for part in parts if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    free = {name for part in parts if isinstance(part, ast.Global) for name in part.names}
    return bound - free


# ---------------------------------------------------------------- words


def _words(statements: list[Statement], depth: int = 0, budget: Budget | None = None) -> set[str]:
    """Every word in the statements that is a name, an attribute, part of an import, or a string that may become one."""
    nodes = [part for statement in statements for part in ast.walk(statement.node)]
    free = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr in HARMLESS}
    nodes = [node for node in nodes if id(node) not in free]
    words = {word for node in nodes for word in _plain_words(node)}
    budget = budget or Budget()
    folder = Folder(constants((statement.node for statement in statements), budget), budget)
    strings = {text for node in nodes if isinstance(node, ast.expr) and (text := folder.text(node)) is not None}
    words |= {part for text in strings if DOTTED.fullmatch(text) for part in {*text.split("."), text}}
    if words & BY_STRING and depth < MAX_NESTED:
        written = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        for text in sorted(strings, key=len):
            # once the budget is spent, only what stands in the answer itself and what is short is read
            if budget.left > -ALL_EFFORT or (depth == 0 and (text in written or len(text) <= SHORT)):
                words |= _code_words(text, depth, budget)
    return words


def _plain_words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.ImportFrom):
        yield from (node.module or "").split(".")


def _code_words(text: str, depth: int, budget: Budget) -> set[str]:
    """The words of a string that may be code. Prose does not parse, so a docstring that names a function is none."""
    if len(text) < 3 or DOTTED.fullmatch(text):
        return set()
    budget.left -= READING * len(text) * (1 + sum(map(text.count, MARKS)))
    tree = parsed(text)
    if tree is None and text.startswith("-"):  # the options of %timeit and its sisters
        tree = parsed(re.sub(r"^(?:-\w+\s*\d*\s+)+", "", text))
    return set() if tree is None else _words([_statement(node) for node in tree.body], depth + 1, budget)
