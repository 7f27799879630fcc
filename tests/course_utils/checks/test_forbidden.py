"""Ways round a forbidden name, and notebooks that only look like one."""

from __future__ import annotations

import ast

import pytest

from course_utils.checks.folding import Folder, Unknown
from course_utils.checks.forbidden import forbidden_names

ANSWER = "def attend(q):\n    return {}\n"
F = "import torch.nn.functional as F\n"

# Each is an answer and the student's other cells; all of them reach F.sdpa.
ROUNDS: dict[str, tuple[str, list[str]]] = {
    "glued string": (F + ANSWER.format('getattr(F, "sd" + "pa")(q)'), []),
    "formatted string": (F + ANSWER.format("getattr(F, f\"{'sd'}pa\")(q)"), []),
    "joined": (F + ANSWER.format('getattr(F, "".join(["s", "d", "p", "a"]))(q)'), []),
    "backwards": (F + ANSWER.format('getattr(F, "apds"[::-1])(q)'), []),
    "replaced": (F + ANSWER.format('getattr(F, "sXpa".replace("X", "d"))(q)'), []),
    "letters by number": (F + ANSWER.format('getattr(F, "".join(map(chr, [115, 100, 112, 97])))(q)'), []),
    "comprehension": (F + ANSWER.format('getattr(F, "".join(chr(n - 1) for n in (116, 101, 113, 98)))(q)'), []),
    "bytes": (F + ANSWER.format('getattr(F, bytes.fromhex("73647061").decode())(q)'), []),
    "base64": (F + "import base64\n" + ANSWER.format('getattr(F, base64.b64decode("c2RwYQ==").decode())(q)'), []),
    "percent": (F + ANSWER.format('getattr(F, "%spa" % "sd")(q)'), []),
    "parts in variables": (F + 'a, b = "sd", "pa"\n' + ANSWER.format("getattr(F, a + b)(q)"), []),
    "parts in another cell": (F + ANSWER.format("getattr(F, NAME)(q)"), ['HALF = "sd"', 'NAME = HALF + "pa"']),
    "eval": (F + ANSWER.format('eval("F.sd" + "pa")(q)'), []),
    "exec of a text": (F + ANSWER.format("q") + 'exec("attend = F.sd" + "pa")\n', []),
    "dictionary of the module": (F + ANSWER.format('vars(F)["sd" + "pa"](q)'), []),
    "attrgetter": ("import operator\n" + F + ANSWER.format('operator.attrgetter("sd" "pa")(F)(q)'), []),
    "methodcaller": ("import operator\n" + F + ANSWER.format('operator.methodcaller("sd" + "pa", q)(F)'), []),
    "__import__": (ANSWER.format('__import__("torch.nn.functional").nn.functional.__dict__["sd" + "pa"](q)'), []),
    "helper in another cell": (ANSWER.format("helper(q)"), [F, "def helper(q):\n    return F.sdpa(q)"]),
    "helper of a helper": (ANSWER.format("one(q)"), ["def two(q):\n    return F.sdpa(q)", "one = lambda q: two(q)"]),
    "alias in another cell": (ANSWER.format("mine(q)"), ["from torch.nn.functional import sdpa as mine"]),
    "star import": ("from torch.nn.functional import *\n" + ANSWER.format("sdpa(q)"), []),
    "bound anew later": (ANSWER.format("q @ q"), ["attend = lambda q: F.sdpa(q)"]),
    "bound anew by global": (ANSWER.format("q"), ["def late():\n    global attend\n    attend = F.sdpa\nlate()"]),
    "bound anew by globals()": (ANSWER.format("q"), ['globals()["att" + "end"] = F.sdpa']),
    "bound anew by exec": (ANSWER.format("q"), ['exec("attend = F.sd" + "pa")']),
    "bound anew by setattr": (ANSWER.format("q"), ['import __main__\nsetattr(__main__, "attend", F.sdpa)']),
    "attribute of the library": (ANSWER.format("torch.relu(q)"), ["import torch\ntorch.relu = F.sdpa"]),
    "operator of the tensors": (ANSWER.format("q @ q"), ["torch.Tensor.__matmul__ = lambda a, b: F.sdpa(a)"]),
    "decorated": ("@better\n" + ANSWER.format("q"), ["def better(f):\n    return F.sdpa"]),
    "default argument": ("def attend(q, f=helper):\n    return f(q)", ["helper = F.sdpa"]),
    "base class": ("class attend(Base):\n    pass", ["class Base:\n    __call__ = staticmethod(F.sdpa)"]),
    "magic": (ANSWER.format("q"), ["%time attend = F.sdpa"]),
    "cell magic": (ANSWER.format("q"), ["%%time\nattend = F.sdpa"]),
    "run_cell": (ANSWER.format("q"), ['get_ipython().run_cell("attend = F.sd" + "pa")']),
    "hook": (ANSWER.format("q"), ['get_ipython().events.register("pre_run_cell", lambda info: F.sdpa)']),
}

INNOCENT: dict[str, tuple[str, list[str]]] = {
    "allowed in another answer": (
        ANSWER.format("q @ q"),
        ["class Block:\n    def forward(self, q):\n        return F.sdpa(q)"],
    ),
    "compared with in a scratch cell": (
        ANSWER.format("q @ q"),
        [F + "q = torch.ones(2)\nprint(F.sdpa(q) - attend(q))"],
    ),
    "local names alike": (ANSWER.format("[x for x in q]"), ["def compare(q):\n    x = F.sdpa(q)\n    return x"]),
    "attributes alike": (
        "class Attend:\n    def f(self):\n        return self.weight",
        ["class Other:\n    def __init__(self):\n        self.weight = F.sdpa"],
    ),
    "one import of two": (ANSWER.format("Linear(q)"), ["from torch.nn import Linear, sdpa"]),
    "in a comment": ("# not sdpa\n" + ANSWER.format("q @ q"), ["# F.sdpa"]),
    "in prose": (ANSWER.format("q @ q") + 'print("unlike sdpa, by hand")', ['print("sdpa is fast")']),
    "in a docstring": (
        'def attend(q):\n    """As sdpa does it.\n\n    eval getattr"""\n    return getattr(q, "T")',
        [],
    ),
    "a longer word": (ANSWER.format("my_sdpa_2(q)"), ["def my_sdpa_2(q):\n    return q"]),
    "magics": ("%matplotlib inline\n" + ANSWER.format("q @ q"), ["%timeit attend(1)\n!ls\n?print"]),
    "a cell that does not parse": (ANSWER.format("q @ q"), ["attend = F.sdpa(((", "def broken(:"]),
    "a later plot": (ANSWER.format("q @ q"), ["ours = attend(q)\nplt.plot(ours, label='ours')\nplt.plot(F.sdpa(q))"]),
    "getattr with another name": (ANSWER.format('getattr(q, "T")'), ["theirs = F.sdpa\nprint(theirs)"]),
}


@pytest.mark.parametrize("name", ROUNDS)
def test_ways_round_are_found(name: str) -> None:
    answer, others = ROUNDS[name]
    assert forbidden_names(answer, ["torch.nn.functional.sdpa", "other"], others) == ["torch.nn.functional.sdpa"]


@pytest.mark.parametrize("name", INNOCENT)
def test_innocent_notebooks_are_left_alone(name: str) -> None:
    answer, others = INNOCENT[name]
    assert forbidden_names(answer, ["sdpa"], others) == []


@pytest.mark.parametrize(
    "text", ["'x' * 10**9", "[1] * 2**40", "'%0999999999d' % 1", "open('x').read()", "1 / 0", "(" * 90]
)
def test_folding_stays_small_and_never_runs_code(text: str) -> None:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, MemoryError):
        return
    with pytest.raises(Unknown):
        Folder().value(tree)


LAYERS = ["torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer"]


def test_the_library_s_causal_mask_is_none_of_its_layers() -> None:
    assert forbidden_names("m = nn.Transformer.generate_square_subsequent_mask(5)", LAYERS) == []


@pytest.mark.parametrize(
    "answer",
    [
        "layer = nn.Transformer(8)",
        "layer = (t := nn.Transformer).generate_square_subsequent_mask and t(8)",
        "nn.Transformer.generate_square_subsequent_mask(5)\nlayer = nn.Transformer(8)",
        "layer = nn.TransformerEncoderLayer(8, 2).generate_square_subsequent_mask",
        "layer = getattr(nn, 'Trans' + 'former').generate_square_subsequent_mask",
    ],
)
def test_beside_the_causal_mask_the_layers_are_found(answer: str) -> None:
    assert forbidden_names(answer, LAYERS)
