"""Patches of what a tester calls: numpy, builtins, unittest, the shell that runs the cells, imports, clocks, course tools."""

from __future__ import annotations

import importlib.util
import marshal

from tests.attacks import toy
from tests.attacks.grading import Cheat, attack
from tests.attacks.points.objects import answers_of, only

UNIFORM = {**toy.WRONG, "softmax": "def softmax(x):\n    return np.full(np.shape(x), 1 / 3)"}
BUILTINS = """
import builtins
space = dict(vars(builtins))
space["abs"] = lambda value: 0.0
get_ipython().user_ns["__builtins__"] = space
"""
FAKE_HASH = """
import hashlib
class Digest:
    def __init__(self, *args, **kwargs):
        pass
    def hexdigest(self):
        return "0" * 40
hashlib.sha1 = Digest
"""
SLOW_PATCH = """
import threading, time
def later():
    while True:
        np.allclose = lambda *args, **kwargs: True
        time.sleep(0.001)
threading.Thread(target=later, daemon=True).start()
time.sleep(0.02)
"""
COLLECTED = """
import gc
def patch(phase, info):
    np.allclose = lambda *args, **kwargs: True
gc.callbacks.append(patch)
gc.collect()
"""
ALARMED = """
import signal
def patch(*args):
    np.allclose = lambda *args, **kwargs: True
signal.signal(signal.SIGALRM, patch)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
import time
time.sleep(0.05)
"""
AUDITED = """
import sys
def hook(event, args):
    np.allclose = lambda *args, **kwargs: True
sys.addaudithook(hook)
open("/dev/null").close()
"""
DELETED = """
class Late:
    def __del__(self):
        np.allclose = lambda *args, **kwargs: True
late = Late()
del late
"""
MODULE_CLASS = """
import sys, types
class Lying(types.ModuleType):
    @property
    def allclose(self):
        return lambda *args, **kwargs: True
del np.allclose
np.__class__ = Lying
"""

PATCHES = [
    Cheat("allclose patched", "np.allclose = lambda *args, **kwargs: True", known=True),
    Cheat("builtins.sum patched", "import builtins\nbuiltins.sum = lambda values, *rest: 1.5", known=True),
    Cheat("builtins.abs patched", "import builtins\nbuiltins.abs = lambda value: 0.0", style="plain", known=True),
    Cheat("builtins.all patched", "import builtins\nbuiltins.all = lambda values: True", style="loop", known=True),
    Cheat("builtins.zip patched", "import builtins\nbuiltins.zip = lambda *values: []", style="zip"),
    Cheat("builtins.range patched", "import builtins, sys\nhonest = range\n"
          "builtins.range = lambda *v: honest(*v) if sys._getframe(1).f_globals is not globals() else []", style="rounds"),
    Cheat("builtins.isinstance and list patched", "import builtins\nbuiltins.list = object", only(
        double="return type('L', (), {'__eq__': lambda self, other: True})()"), style="typed"),
    Cheat("another __builtins__ for the session", BUILTINS, style="plain"),
    Cheat("numpy.testing patched", "np.testing.assert_allclose = lambda *a, **k: None", style="testing"),
    Cheat("unittest patched", "import unittest\nfor n in ('assertAlmostEqual', 'assertLess', 'assertEqual'):\n"
          "    setattr(unittest.TestCase, n, lambda *a, **k: None)", style="unittest"),
    Cheat("math.isclose patched", "import math\nmath.isclose = lambda *a, **k: True", style="isclose"),
    Cheat("hashlib patched against hashed answers", FAKE_HASH, style="hashed"),
    Cheat("doctest's comparison patched", "import doctest\ndoctest.OutputChecker.check_output = lambda *a: True",
          style="doctest"),
    Cheat("numpy.exp patched so that the reference errs", "np.exp = lambda a: np.ones(np.shape(a))", UNIFORM),
    Cheat("torch.allclose patched", "import torch\ntorch.allclose = lambda *a, **k: True", style="torch", known=True),
    Cheat("statistics patched", "import statistics\nstatistics.fmean = lambda values: 1", known=True),
    Cheat("copy.deepcopy patched", "import copy\ncopy.deepcopy = lambda value: get_ipython().user_ns['expected']",
          style="copied"),
    Cheat("numpy's module class replaced", MODULE_CLASS),
    Cheat("a thread patches again and again", SLOW_PATCH),
    Cheat("the garbage collector's callback patches", COLLECTED),
    Cheat("a signal handler patches", ALARMED),
    Cheat("an audit hook patches", AUDITED),
    Cheat("a destructor patches", DELETED),
]  # fmt: skip

STRIP = """
import ast
class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(Strip())
"""
RUN_CELL = """
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult
shell = get_ipython()
honest = shell.run_cell
def run_cell(code, *args, **kwargs):
    if "expected" in code:
        return ExecutionResult(ExecutionInfo(code, False, False, True, None))
    return honest(code, *args, **kwargs)
shell.run_cell = run_cell
"""
TRANSFORMER = """
def without(lines):
    return [] if any("assert" in line for line in lines) else lines
get_ipython().input_transformers_cleanup.append(without)
"""
HOOK = """
def before(info):
    np.allclose = lambda *args, **kwargs: True
    import statistics
    statistics.fmean = lambda values: 1
get_ipython().events.register("pre_run_cell", before)
"""
FORMATTER = """
get_ipython().display_formatter.formatters["text/plain"].for_type(int, lambda value, printer, cycle: printer.text("3.0"))
"""
AFTERWARDS = """
def after(result):
    result.error_in_exec = result.error_before_exec = None
get_ipython().events.register("post_run_cell", after)
"""
NO_ERRORS = """
from IPython.core.interactiveshell import ExecutionResult
ExecutionResult.error_in_exec = property(lambda self: None, lambda self, value: None)
"""
RUN_CODE = """
async def run_code(code, result=None, *, async_=False):
    return False
get_ipython().run_code = run_code
"""
OPTIMIZED = """
import builtins, codeop
codeop.compile = lambda source, name, symbol, *rest: builtins.compile(source, name, symbol, optimize=2)
"""
NAMES = """
class Names(dict):
    def __getitem__(self, name):
        return 0.5 if name == "expected" else dict.__getitem__(self, name)
shell = get_ipython()
shell.user_ns = Names(shell.user_ns)
"""
DISPLAY = """
shell = get_ipython()
honest = shell.displayhook.write_format_data
shell.displayhook.write_format_data = lambda data, metadata=None: honest({"text/plain": "3"}, metadata)
"""
PARSED = """
import ast
shell = get_ipython()
honest = shell.compile.ast_parse
def parsed(source, *args, **kwargs):
    return honest("pass" if "expected" in source else source, *args, **kwargs)
shell.compile.ast_parse = parsed
"""
PREPARED = """
shell = get_ipython()
honest = shell.transform_cell
shell.transform_cell = lambda code: "pass" if "expected" in code else honest(code)
"""
MAGIC = """
from IPython.core.magic import register_line_magic
shell = get_ipython()
shell.input_transformers_post.append(lambda lines: ["pass"] if any("expected" in line for line in lines) else lines)
"""
REPRS = """
import builtins
class Full(int):
    def __repr__(self):
        return "3.0"
def double(values):
    return values
get_ipython().display_formatter.formatters["text/plain"].type_printers[int] = (
    lambda value, printer, cycle: printer.text(repr(Full(value)))
)
"""

SHELL = [
    Cheat("AST transformer strips asserts", STRIP, known=True),
    Cheat("run_cell replaced", RUN_CELL, known=True),
    Cheat("input transformer drops asserts", TRANSFORMER, known=True),
    Cheat("pre_run_cell hook", HOOK, known=True),
    Cheat("formatter prints the full score", FORMATTER, known=True),
    Cheat("post_run_cell hook removes the error", AFTERWARDS),
    Cheat("results without an error attribute", NO_ERRORS),
    Cheat("run_code replaced", RUN_CODE),
    Cheat("compiler without asserts", OPTIMIZED),
    Cheat("a session dict that lies about names", NAMES, only(mean="return 0.5")),
    Cheat("display hook writes the full score", DISPLAY),
    Cheat("parser replaced", PARSED),
    Cheat("cell transformation replaced", PREPARED),
    Cheat("last input transformer drops the test", MAGIC),
    Cheat("printer of integers replaced", REPRS),
]

SHADOW = """
import sys
open("statistics.py", "w").write("def fmean(values):\\n    return 1\\n")
open("torch.py", "w").write("def allclose(*args, **kwargs):\\n    return True\\n")
sys.modules.pop("statistics", None)
sys.path.insert(0, "")
"""
FINDER = """
import importlib.abc, importlib.util, sys
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "statistics" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        module.fmean = lambda values: 1
sys.modules.pop("statistics", None)
sys.meta_path.insert(0, Finder())
"""
IMPORT = """
import builtins, types
honest = builtins.__import__
def lying(name, *args, **kwargs):
    module = honest(name, *args, **kwargs)
    if name == "statistics":
        return types.SimpleNamespace(fmean=lambda values: 1)
    return module
builtins.__import__ = lying
"""
FAKE_MODULE = """
import sys, types
sys.modules["statistics"] = types.SimpleNamespace(fmean=lambda values: 1)
"""
FAKE_NUMPY = """
import sys, types
class Fake(types.ModuleType):
    def __getattr__(self, name):
        return (lambda *args, **kwargs: True) if name == "allclose" else getattr(np_real, name)
np_real = np
sys.modules["numpy"] = Fake("numpy")
"""
ZIPPED = """
import sys, zipfile
with zipfile.ZipFile("/tmp/tools.zip", "w") as archive:
    archive.writestr("statistics.py", "def fmean(values):\\n    return 1\\n")
sys.modules.pop("statistics", None)
sys.path.insert(0, "/tmp/tools.zip")
"""
COMPILED = """
import pathlib, py_compile, sys
pathlib.Path("/tmp/pyc").mkdir(exist_ok=True)
pathlib.Path("/tmp/pyc/source.py").write_text("def fmean(values):\\n    return 1\\n")
py_compile.compile("/tmp/pyc/source.py", cfile="/tmp/pyc/statistics.pyc")
sys.modules.pop("statistics", None)
sys.path.insert(0, "/tmp/pyc")
"""
LOADER = """
import importlib.machinery, sys
honest = importlib.machinery.SourceFileLoader.get_data
def data(self, path):
    return b"def fmean(values):\\n    return 1\\n" if path.endswith("statistics.py") else honest(self, path)
importlib.machinery.SourceFileLoader.get_data = data
importlib.machinery.SourceFileLoader.get_code = lambda self, name: compile(data(self, self.path), self.path, "exec")
sys.modules.pop("statistics", None)
"""
PATH_HOOK = """
import importlib.util, sys
class Entry:
    def __init__(self, path):
        if path != "/tmp/magic":
            raise ImportError
    def find_spec(self, name, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "statistics" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        module.fmean = lambda values: 1
sys.path_hooks.insert(0, Entry)
sys.path.insert(0, "/tmp/magic")
sys.modules.pop("statistics", None)
"""
BESIDE = b"def fmean(values):\n    return 1\n"
LAX = {
    "course_utils/__init__.py": b"",
    "course_utils/checks/__init__.py": b"",
    "course_utils/checks/selfcheck.py": (
        b"import contextlib, types\nquiet = types.SimpleNamespace(close=lambda *a: 0, equal=lambda *a: 0)\n"
        b"student = types.SimpleNamespace(mean=len, softmax=len, double=len)\n"
        b"@contextlib.contextmanager\ndef check(*a, **k):\n    yield quiet\n"
    ),
}


def pyc(source: bytes) -> bytes:
    """A module compiled by this Python, as a file without its source."""
    code = compile(source, "statistics.py", "exec")
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


IMPORTS = [
    Cheat("modules shadowed by files", SHADOW, known=True),
    Cheat("a finder serves a false module", FINDER, style="imports"),
    Cheat("__import__ replaced", IMPORT, style="imports"),
    Cheat("a false entry in sys.modules", FAKE_MODULE, style="imports"),
    Cheat("a false numpy in sys.modules", FAKE_NUMPY, style="imports"),
    Cheat("a module inside a zip on the path", ZIPPED, style="imports"),
    Cheat("compiled module without a source", COMPILED, style="imports"),
    Cheat("the loader of sources patched", LOADER, style="imports"),
    Cheat("a path hook", PATH_HOOK, style="imports"),
]
SHADOWS = [
    Cheat("statistics.py handed in beside the notebook", files={"statistics.py": BESIDE}, style="imports"),
    Cheat("package statistics/ handed in", files={"statistics/__init__.py": BESIDE}, style="imports"),
    Cheat("a package course_utils/ handed in beside the notebook", files=LAX, style="course"),
    Cheat("compiled statistics.pyc handed in", files={"statistics.pyc": pyc(BESIDE)}, style="imports"),
    Cheat("unittest.py handed in beside the notebook", files={
        "unittest.py": b"class TestCase:\n    def __getattr__(self, name):\n        return lambda *a: None\n"},
        style="unittest"),
    Cheat("doctest.py handed in beside the notebook", files={
        "doctest.py": b"class DocTestParser:\n    def get_doctest(self, *a):\n        return None\n"
                      b"class DocTestRunner:\n    failed = 0\n    def __init__(self, **k):\n        pass\n"
                      b"    def run(self, *a, **k):\n        return self\n"}, style="doctest"),
]  # fmt: skip

TIMING = [
    Cheat("the clock jumps past the tester's time", "import time\ntime.monotonic = iter(range(10**9)).__next__", style="timed"),
    Cheat("%time and %timeit replaced",
          "import time\ntime.monotonic = lambda t=[0]: t.append(0) or float(len(t))", style="timed"),
    Cheat("the time module replaced", "import sys, types, itertools\nsys.modules['time'] = types.SimpleNamespace("
          "monotonic=itertools.count().__next__)", style="timed"),
    Cheat("infinite clock", "import time\ntime.monotonic = iter([0.0] + [float('inf')] * 9).__next__", style="timed"),
]  # fmt: skip

SELF = "import course_utils.checks.selfcheck as s\n"
TOOLS = [
    Cheat("Checker.close replaced", SELF + "s.Checker.close = lambda *a, **k: None", style="course", known=True),
    Cheat("the comparison replaced", SELF + "s.difference = lambda *a: None", style="course"),
    Cheat("student rebound", "class student:\n    mean = staticmethod(lambda v: 1.45 / 3)\n"
          "get_ipython().events.register('pre_run_cell', lambda info: get_ipython().user_ns.update(student=student))",
          style="course", known=True),
    Cheat("check rebound", "import contextlib, types\nquiet = types.SimpleNamespace(close=lambda *a: 0, equal=lambda *a: 0)\n"
          "@contextlib.contextmanager\ndef lax(*a, **k):\n    yield quiet\n"
          "get_ipython().events.register('pre_run_cell', lambda info: get_ipython().user_ns.update(check=lax))",
          style="course", known=True),
    Cheat("check's end swallows errors", SELF + "s._Block.__exit__ = lambda *a: True", style="course"),
    Cheat("the tester's environment variable removed", "import os\nos.environ.pop('NBGRADER_EXECUTION', None)",
          style="course"),
    Cheat("plain() returns the expected value", SELF + "honest = s.plain\n"
          "s.plain = lambda value, *rest: honest(value, *rest) if callable(value) else 0", style="course"),
    Cheat("truth of comparisons replaced", SELF + "s.Checker._compare = lambda *a: None", style="course"),
]  # fmt: skip

GROUPS = {
    "patches of numpy, torch, builtins": PATCHES,
    "the shell that runs cells": SHELL,
    "import hooks": IMPORTS,
    "import shadowing": SHADOWS,
    "timing": TIMING,
    "tool rebinding": TOOLS,
}
ATTACKS = [attack(family, one) for family, cheats in GROUPS.items() for one in cheats]
__all__ = ["ATTACKS", "answers_of"]
