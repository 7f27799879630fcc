"""Expected values taken out of the tester's frames, objects, inputs and files."""

from __future__ import annotations

from tests.attacks import toy
from tests.attacks.grading import Cheat, attack
from tests.attacks.points.objects import answers_of, only

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
THREADS = """
import sys
def stolen():
    for frame in sys._current_frames().values():
        while frame is not None:
            if "expected" in frame.f_globals:
                return frame.f_globals["expected"]
            frame = frame.f_back
    return 0
"""
TRACED = """
import sys
seen = [0]
def trace(frame, event, arg):
    for names in (frame.f_locals, frame.f_globals):
        if "expected" in names:
            seen[0] = names["expected"]
    return trace
sys.settrace(trace)
def stolen():
    return seen[0]
"""
PROFILED = """
import sys
seen = [0]
def profile(frame, event, arg):
    if frame.f_code.co_name in ("mean", "softmax", "double") and event == "call" and frame.f_back:
        seen[0] = frame.f_back.f_globals.get("expected", 0)
sys.setprofile(profile)
def stolen():
    return seen[0]
"""
RAISED = """
def stolen():
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame.f_back.f_back
        return frame.f_globals.get("expected", frame.f_locals.get("expected", 0))
"""
OVERWRITE = """
def swapped(value):
    get_ipython().user_ns["expected"] = value
    return value
"""
REFERRERS = """
import gc
def stolen():
    for holder in gc.get_referrers(*[o for o in gc.get_objects() if type(o) is dict and "expected" in o][:1]):
        pass
    found = [o for o in gc.get_objects() if type(o) is dict and "expected" in o]
    return found[-1]["expected"] if found else 0
"""
BY_SHAPE = """
import gc
def stolen(x):
    for names in gc.get_objects():
        if type(names) is dict:
            for value in list(names.values()):
                if type(value) is np.ndarray and value.shape == np.shape(x) and np.allclose(value.sum(-1), 1):
                    return value
    return np.zeros(np.shape(x))
"""
GENERATOR = """
def waiting():
    while True:
        yield
def stolen():
    lines = waiting()
    next(lines)
    import sys
    frame = sys._getframe(0)
    while frame.f_back is not None:
        frame = frame.f_back
        if "expected" in frame.f_locals:
            return frame.f_locals["expected"]
    return 0
"""
CLOSURE = """
import gc, types
def stolen():
    for one in gc.get_objects():
        if type(one) is types.FunctionType and "expected" in one.__globals__:
            return one.__globals__["expected"]
    return 0
"""
MODULES = """
import sys
def stolen():
    for module in list(sys.modules.values()):
        for place in (module, getattr(module, "__dict__", {}).get("user_ns")):
            if hasattr(place, "expected"):
                return place.expected
    return get_ipython().user_module.__dict__.get("expected", 0)
"""

STOLEN = [
    Cheat("expected values read from frames", FRAMES, answers_of("stolen()"), known=True),
    Cheat("expected values from another thread's frames", THREADS, answers_of("stolen()")),
    Cheat("a trace function collects expected values", TRACED, answers_of("stolen()"), style="plain"),
    Cheat("a profile function collects expected values", PROFILED, answers_of("stolen()"), style="plain"),
    Cheat("the frames of an exception's traceback", RAISED, answers_of("stolen()"), style="plain"),
    Cheat("expected value overwritten during the call", OVERWRITE, answers_of("swapped(0.5)")),
    Cheat("referrers of the tester's names", REFERRERS, answers_of("stolen()"), style="plain"),
    Cheat("arrays of the right shape found by the collector", BY_SHAPE, only(softmax="return stolen(x)")),
    Cheat("a generator's frame as the way out", GENERATOR, answers_of("stolen()"), style="plain"),
    Cheat("globals of the tester's functions", CLOSURE, answers_of("stolen()"), style="plain"),
    Cheat("modules searched for the tester's names", MODULES, answers_of("stolen()"), style="plain"),
    Cheat("the answer looks into its own globals", "", answers_of("globals().get('expected', 0)"), style="plain"),
]

# The control's expected values stand in the cell before the call; where several lines set them, the last one counts.
ON_DISK = """
import glob
for path in sorted(glob.glob("/course/**/*.py", recursive=True) + glob.glob("/[a-z]*/*solution*.py")):
    if "solution" in path:
        exec(open(path).read())
"""
SEED_TABLE = """
import random
state = random.getstate()
random.seed(7)
values = [random.random() for _ in range(5)]
TABLE = {tuple(values): sum(values) / 5}
random.seed(7)
values = [random.randrange(99) for _ in range(5)]
TABLE[tuple(values)] = [2 * v for v in values]
"""
COURSE_SEED = """
import random, zlib
TABLE = {}
for name in ("mean", "double"):
    for seed in (zlib.crc32(name.encode()), 7):
        rng = random.Random(seed)
        for size in range(1, 9):
            values = [rng.random() for _ in range(size)]
            TABLE[tuple(values)] = sum(values) / size
    random.seed(7)
    values = [random.random() for _ in range(5)]
    TABLE[tuple(values)] = sum(values) / 5
"""
RESEED = """
import random
random.seed = lambda *args: random.setstate(FIXED)
FIXED = random.getstate()
np.random.seed = lambda *args: None
random.random = lambda: 0.5
"""
CONSTANT = """
import random
random.random = lambda: 0.5
"""
SAVED = (
    "import json, pathlib\npathlib.Path('expected.json').write_text(json.dumps({'mean': 0.5, 'double': [1, -2, 3]}))"
)
READ = """
import glob, json
def stored(name):
    for path in glob.glob("expected.json") + glob.glob("/course/*.json") + glob.glob("/handin/*.json"):
        return json.load(open(path))[name]
    return 0
"""
RECORDED = """
inputs = []
def recorded(x):
    inputs.append(list(x))
    return sum(inputs[0]) / len(inputs[0]) if len(inputs) > 1 else 0.5
class Sums(list):
    pass
import random
random.seed(7)
first = [random.random() for _ in range(5)]
inputs.append(first)
"""
GENERATORS = """
import gc, random
def next_draws():
    for one in gc.get_objects():
        if isinstance(one, random.Random):
            copy = random.Random()
            copy.setstate(one.getstate())
            return copy
    return random.Random(7)
random.seed(7)
def predicted(x):
    draws = random.Random(7)
    values = [draws.random() for _ in range(5)]
    return sum(values) / 5
"""
WAITS = """
import threading, time
np_allclose = np.allclose
def rob():
    while True:
        found = get_ipython().user_ns.get("expected")
        if found is not None:
            robbed[0] = found
        time.sleep(0.001)
robbed = [0.5]
threading.Thread(target=rob, daemon=True).start()
def waiting():
    time.sleep(0.05)
    return robbed[0]
"""

INPUTS = [
    Cheat("solutions found on disk", "", {n: f"{text}\n{ON_DISK}" for n, text in toy.WRONG.items()}, known=True),
    Cheat("table made from a known seed", SEED_TABLE, answers_of("TABLE.get(tuple(x), 0)"), style="seeded", known=True),
    Cheat("table made from the notebook's own seed", COURSE_SEED, answers_of("TABLE.get(tuple(x), 0)"), style="seeded"),
    Cheat("the tester's draws made constant", CONSTANT, only(mean="return 0.5"), style="seeded"),
    Cheat("reseeding undone so that draws repeat", RESEED, only(mean="return 0.5"), style="seeded"),
    Cheat("expected values in a file overwritten", SAVED, style="stored"),
    Cheat("expected values in a file read", READ, only(mean="return stored('mean')", double="return stored('double')"),
          style="stored", known=True),
    Cheat("inputs of an earlier check used in a later one", RECORDED, only(mean="return recorded(x)"), style="seeded"),
    Cheat("generator states found by the collector", GENERATORS, only(mean="return predicted(x)"), style="seeded"),
    Cheat("a thread waits for expected values", WAITS, answers_of("waiting()"), style="plain"),
]  # fmt: skip

ATTACKS = [attack("frame inspection", one) for one in STOLEN] + [
    attack("stolen inputs and replay", one) for one in INPUTS
]
