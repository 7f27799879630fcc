"""Answers that are no values but objects which lie when they are compared, and answers that depend on who asks."""

from __future__ import annotations

from tests.attacks import toy
from tests.attacks.grading import Cheat, attack

LIAR = """
class Liar:
    def same(self, *args, **kwargs):
        return self
    __sub__ = __rsub__ = __add__ = __radd__ = __mul__ = __pow__ = __abs__ = __getitem__ = sum = max = ravel = same
    def __lt__(self, other):
        return True
    __eq__ = __le__ = __gt__ = __ge__ = __lt__
    def __ne__(self, other):
        return False
    __hash__ = None
    __array_ufunc__ = None
    __array_priority__ = 10.0**9
"""
LYING_ARRAY = """
class Liar(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        return True
    def __array_ufunc__(self, *args, **kwargs):
        return np.array(True)
    def __eq__(self, other):
        return True
    def __len__(self):
        return 10**9
"""
LYING_TENSOR = """
import torch
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True
    def __array_ufunc__(self, *args, **kwargs):
        return np.array(True)
    def __array_function__(self, *args):
        return True
    def __array__(self, *args, **kwargs):
        import sys
        return np.asarray(sys._getframe(2).f_locals.get("b", 0.0), dtype=float)
    def __eq__(self, other):
        return True
"""
FLOAT = """
class Liar(float):
    def __sub__(self, other):
        return 0.0
    __rsub__ = __sub__
    def __eq__(self, other):
        return True
    __hash__ = float.__hash__
"""
LIST = """
class Liar(list):
    def __eq__(self, other):
        return True
    __hash__ = None
"""
MASQUERADE = """
class Liar:
    def __init__(self, kind):
        self.kind = kind
    @property
    def __class__(self):
        return self.kind
    def __eq__(self, other):
        return True
"""
ITERATES = """
class Same:
    def __eq__(self, other):
        return True
class Liar:
    def __len__(self):
        return 3
    def __iter__(self):
        return iter([Same()] * 3)
    def __getitem__(self, index):
        return self if index == 0 else Same()
"""
FROM_FRAMES = """
import sys
def find(*names):
    frame = sys._getframe(1)
    while frame is not None:
        for name in names:
            if frame.f_locals.get(name) is not None:
                return frame.f_locals[name]
        frame = frame.f_back
    return 0.0
"""
ARRAY = (
    FROM_FRAMES
    + """
class Liar:
    def __array__(self, *args, **kwargs):
        return np.asarray(find("desired", "expected"), dtype=float)
"""
)
FLOATING = (
    FROM_FRAMES
    + """
class Liar:
    def __float__(self):
        return float(find("b", "expected"))
"""
)
COPIES = (
    FROM_FRAMES
    + """
class Liar:
    def __deepcopy__(self, memo):
        return find("expected")
"""
)
METHODS = """
class Liar:
    def __getattr__(self, name):
        return lambda *args: Liar()
    def __eq__(self, other):
        return True
"""
ELEMENTS = LIAR + "\ndef lying():\n    box = np.empty((1, 3), object)\n    box.fill(Liar())\n    return box\n"
STRINGS = """
class Liar(str):
    def __eq__(self, other):
        return True
    __hash__ = str.__hash__
class Number(float):
    def hex(self):
        return Liar()
"""
REVERSED = """
class Liar(list):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    __hash__ = None
"""
COMPARED = """
class Meta(type):
    def __eq__(cls, other):
        return True
    def __abs__(cls):
        return cls
    def __sub__(cls, other):
        return cls
    def __lt__(cls, other):
        return True
    __hash__ = type.__hash__
class Liar(metaclass=Meta):
    pass
"""


def answers_of(expression: str) -> dict[str, str]:
    """All three answers return the same thing."""
    return {name: f"def {name}(x):\n    return {expression}" for name in toy.WRONG}


def only(**answers: str) -> dict[str, str]:
    """Wrong answers except those given."""
    return {**toy.WRONG, **{name: f"def {name}(x):\n    {body}" for name, body in answers.items()}}


OBJECTS = [
    Cheat("lying ndarray subclass", LYING_ARRAY, answers_of("np.zeros((1, 3)).view(Liar)"), known=True),
    Cheat("lying Tensor subclass", LYING_TENSOR, answers_of("torch.zeros(1, 3).as_subclass(Liar)"), known=True),
    Cheat("object equal to everything", LIAR, answers_of("Liar()"), style="plain", known=True),
    Cheat("object that decides the reversed operators", LIAR, answers_of("Liar()"), style="reverse"),
    Cheat("float subclass without differences", FLOAT, answers_of("Liar(0.5)"), style="plain", known=True),
    Cheat("list subclass equal to all lists", LIST, answers_of("Liar()"), style="plain", known=True),
    Cheat("list subclass on the right of ==", REVERSED, answers_of("Liar()"), style="reverse"),
    Cheat("instance that claims another class", MASQUERADE, only(mean="return Liar(float)", double="return Liar(list)"),
          style="typed"),
    Cheat("iterator of equal things", ITERATES, answers_of("Liar()"), style="loop"),
    Cheat("conversion to an array reads the caller", ARRAY, answers_of("Liar()"), style="testing"),
    Cheat("conversion to a float reads the caller", FLOATING, answers_of("Liar()"), style="isclose"),
    Cheat("copy that reads the caller", COPIES, answers_of("Liar()"), style="copied"),
    Cheat("every method returns something equal", METHODS, answers_of("Liar()"), style="method"),
    Cheat("array of lying elements", ELEMENTS, only(softmax="return lying()"), style="allof"),
    Cheat("text that equals every text", STRINGS, only(mean="return Number(0.1)"), style="method"),
    Cheat("a class as the answer, its metaclass lies", COMPARED, answers_of("Liar"), style="plain"),
    Cheat("unittest.mock.ANY", "from unittest.mock import ANY", answers_of("ANY"), style="plain"),
    Cheat("a mock that supports everything", "from unittest.mock import MagicMock", answers_of(
        "MagicMock(**{'__sub__.return_value': 0.0, '__eq__.side_effect': lambda other: True})"), style="plain"),
    Cheat("not a number passes negative tests", "", answers_of("float('nan')"), style="negative"),
    Cheat("array of NaN passes negative tests", "", answers_of("np.full(3, np.nan)"), style="negative"),
    Cheat("empty array agrees with everything", "", answers_of("np.zeros((0, 1))"), style="allof"),
    Cheat("empty list ends zip at once", "", answers_of("[]"), style="zip"),
    Cheat("masked array hides the difference", "", answers_of("np.ma.masked_all((1, 3))"), style="negative"),
]  # fmt: skip

TABLE = """
KNOWN = {(0.25, 0.5, 0.7): 1.45 / 3, (1, -2, 3): [2, -4, 6]}
def known(x):
    return KNOWN.get(tuple(x), 0)
"""
COUNTED = """
import itertools
RESULTS = {"mean": itertools.cycle([1.45 / 3]), "double": itertools.cycle([[2, -4, 6]])}
"""
GRADED = """
import os
def graded(honest, x):
    table = {3: 1.45 / 3} if os.environ.get("NBGRADER_EXECUTION") else {}
    return table.get(len(x), 0.5)
"""
IN_HISTORY = """
def solved():
    names = dict(get_ipython().user_ns)
    lines = get_ipython().user_ns["In"][-1].split("\\n")
    exec("\\n".join(line for line in lines if line.startswith(("x =", "e =", "values", "expected"))), names)
    return names["expected"]
"""
CALLER = """
import inspect, re
def solved():
    for frame in inspect.stack():
        if frame.code_context and "expected" in frame.code_context[0]:
            return eval("expected", frame.frame.f_globals, frame.frame.f_locals)
    return 0
"""
HASHED_CELL = """
import linecache
def solved():
    for name, entry in list(linecache.cache.items()):
        text = "".join(entry[2]) if len(entry) > 2 else ""
        if "expected = " in text and "def solved" not in text:
            names = dict(get_ipython().user_ns)
            exec(text.split("assert")[0].split("import statistics")[0].split("3 if")[0].split("got =")[0], names)
            found = names["expected"]
    return found
"""
SWITCH = """
class Switch:
    calls = 0
    def __call__(self, x):
        Switch.calls += 1
        return get_ipython().user_ns.get("expected", 0.5)
mean_answer = Switch()
"""

CALLERS = [
    Cheat("answers only for the visible cases", TABLE, answers_of("known(x)"), style="plain"),
    Cheat("answers counted off call by call", COUNTED, only(mean="return next(RESULTS['mean'])",
          double="return next(RESULTS['double'])"), style="plain"),
    Cheat("another answer when NBGRADER_EXECUTION is set", GRADED, only(mean="return graded(None, x)"), style="plain"),
    Cheat("the test's own lines run from the history", IN_HISTORY, answers_of("solved()")),
    Cheat("the caller's line of code evaluated", CALLER, answers_of("solved()"), style="plain"),
    Cheat("the test's source taken from linecache", HASHED_CELL, answers_of("solved()")),
    Cheat("callable object that looks into the session", SWITCH, only(mean="return mean_answer(x)"), style="plain"),
    Cheat("argument changed so that the wrong answer fits", "", only(
        mean="x[:] = [0.5] * len(x)\n    return 0.5", double="x[:] = [0] * len(x)\n    return x"), style="after"),
    Cheat("array argument changed in place", "", only(softmax="x[...] = 0\n    return np.full(x.shape, 1 / 3)"),
          style="after"),
]  # fmt: skip

ATTACKS = [attack("lying objects", one) for one in OBJECTS] + [
    attack("caller-dependent answers", one) for one in CALLERS
]
