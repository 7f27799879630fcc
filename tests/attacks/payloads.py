"""What a cheat hands in to get points for wrong answers in the toy course. Each is a cell that runs before the answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.attacks.toy import WRONG

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
FRAMES = """
import sys
def stolen():
    frame = sys._getframe(2)
    while frame is not None:
        for names in (frame.f_locals, frame.f_globals):
            if "expected" in names:
                return names["expected"]
        frame = frame.f_back
    import gc
    found = [o["expected"] for o in gc.get_objects() if type(o) is dict and "expected" in o]
    return found[-1] if found else 0
"""
# The control's expected values stand in the cell before the call; where several lines set them, the last one counts.
ON_DISK = """
import glob
for path in sorted(glob.glob("/course/**/*.py", recursive=True) + glob.glob("/[a-z]*/*solution*.py")):
    if "solution" in path:
        exec(open(path).read())
"""
SHADOW = """
import sys
open("statistics.py", "w").write("def fmean(values):\\n    return 1\\n")
open("torch.py", "w").write("def allclose(*args, **kwargs):\\n    return True\\n")
sys.modules.pop("statistics", None)
sys.path.insert(0, "")
"""
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
# A guess of every coming reply, in the words of the real protocol, before the judge has asked.
FORGED = """
import struct, sys
wire = sys.modules["wire"]
agent = get_ipython().run_cell.__self__
import gc, socket
channel = next(o for o in gc.get_objects() if type(o) is socket.socket)
good = {"outputs": [], "cut": False, "error": None, "count": 1}
parts = b""
for number in range(1, 200):
    data = wire.encode([number, "ok", good])
    parts += struct.pack(">Q", len(data)) + data
channel.sendall(parts)
"""
FORMATTER = """
get_ipython().display_formatter.formatters["text/plain"].for_type(int, lambda value, printer, cycle: printer.text("3.0"))
"""


@dataclass(frozen=True)
class Cheat:
    """One way to get points without earning them.

    Attributes:
        before: cell that runs first.
        answers: the answers handed in; wrong ones unless given.
        tags: tags on the check cells.
    """

    name: str
    before: str = ""
    answers: dict[str, str] = field(default_factory=lambda: dict(WRONG))
    tags: tuple[str, ...] = ()


def answers_of(expression: str) -> dict[str, str]:
    """All three answers return the same thing."""
    return {name: f"def {name}(x):\n    return {expression}" for name in WRONG}


CHEATS = [
    Cheat("skip-execution tag on the check cells", answers={}, tags=("skip-execution",)),
    Cheat("AST transformer strips asserts", STRIP),
    Cheat("run_cell replaced", RUN_CELL),
    Cheat("lying ndarray subclass", LYING_ARRAY, answers_of("np.zeros((1, 3)).view(Liar)")),
    Cheat("lying Tensor subclass", LYING_TENSOR, answers_of("torch.zeros(1, 3).as_subclass(Liar)")),
    Cheat("expected values read from frames", FRAMES, answers_of("stolen()")),
    Cheat("solutions found on disk", "", {name: f"{text}\n{ON_DISK}" for name, text in WRONG.items()}),
    Cheat("modules shadowed by files", SHADOW),
    Cheat("input transformer drops asserts", TRANSFORMER),
    Cheat("allclose patched", "np.allclose = lambda *args, **kwargs: True"),
    Cheat("pre_run_cell hook", HOOK),
    Cheat("forged replies on the socket", FORGED),
    Cheat("formatter prints the full score", FORMATTER),
]
