"""What one submission leaves for the next one: files, patches, processes, settings. Two hand-ins, one after the other.

The first has wrong answers and leaves something; the second, wrong as well, would profit. Control: both in one kernel and
one folder, as a grader works that opens one session for a class.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from autograder.sandbox.kernel import Kernel, Paths
from tests.attacks import grading, layers, toy
from tests.attacks.record import Attack, Trace, Wall
from tests.attacks.styles import STYLES

FOUND = "import os\nfor path in ('{place}',):\n    if os.path.exists(path): np.allclose = lambda *a, **k: True"
PLACES = {
    "a file left in /tmp": "/tmp/left.txt",
    "a file left in the home folder": "/home/student/left.txt",
    "a file left in the working folder": "left.txt",
    "a file left in shared memory": "/dev/shm/left.txt",
    "a socket file left behind": "/tmp/left.sock",
}
LEAVE = "import os\nos.makedirs(os.path.dirname('{place}') or '.', exist_ok=True)\nopen('{place}', 'w').write('x')"
LEFT: dict[str, tuple[str, str]] = {
    name: (LEAVE.replace("{place}", place), FOUND.replace("{place}", place)) for name, place in PLACES.items()
} | {
    "a patch that stays in the session": ("np.allclose = lambda *a, **k: True", ""),
    "a name that stays in the session": (
        "solved = True",
        "if 'solved' in globals(): np.allclose = lambda *a, **k: True",
    ),
    "an environment variable that stays": (
        "import os\nos.environ['SOLVED'] = '1'",
        "import os\nif 'SOLVED' in os.environ: np.allclose = lambda *a, **k: True",
    ),
    "a module that stays loaded": (
        "import sys, types\nsys.modules['left'] = types.ModuleType('left')",
        "import sys\nif 'left' in sys.modules: np.allclose = lambda *a, **k: True",
    ),
    "a thread that goes on": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), name='left', daemon=True).start()",
        "import threading\nif any(t.name == 'left' for t in threading.enumerate()): np.allclose = lambda *a, **k: True",
    ),
    "a process that goes on": (
        "import os, time, signal\npid = os.fork()\nif pid == 0:\n    time.sleep(30)\n    os._exit(0)\n"
        "open('/tmp/left.pid', 'w').write(str(pid))",
        "import os\ntry:\n    os.kill(int(open('/tmp/left.pid').read()), 0); np.allclose = lambda *a, **k: True\n"
        "except OSError:\n    pass",
    ),
    "a server that goes on": (
        "import socket\nserver = socket.create_server(('127.0.0.1', 47113))",
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 47113), 2)\n"
        "    np.allclose = lambda *a, **k: True\nexcept OSError:\n    pass",
    ),
}


def strike(folder: Path, wall: Wall, left: tuple[str, str]) -> Trace:
    """Points of the second hand-in, judged right after the first in this process."""
    first = grading.strike(folder / "first", wall, grading.Cheat("first", left[0]))
    second = grading.strike(folder / "second", wall, grading.Cheat("second", left[1]))
    given, due = first.verdicts + second.verdicts, first.expected + second.expected
    return Trace(first.gain + second.gain, given, due, first.flagged or second.flagged)


def control(folder: Path, left: tuple[str, str]) -> float:
    """Points of the second hand-in in the session and folder of the first, without the filter of system calls."""
    job, _ = grading.job_of(folder, grading.Cheat("first", left[0]), Wall(rebuild=False))
    paths = Paths(job.public, job.files, job.assignment)
    with layers.standing(Wall(filter=False)), Kernel(paths, grading.LIMITS) as kernel:
        for code in ("import numpy as np", left[0], left[1]):
            kernel.run_cell(code, 20)
        points = 0.0
        for name in toy.WRONG:
            kernel.run_cell(toy.WRONG[name], 20)
            points += toy.POINTS[name] * (kernel.run_cell(STYLES["allclose"][name], 20).status == "ok")
        return points - toy.POINTS["double"]  # whose test only shows a number


ATTACKS = [
    Attack(name, "persistence", "points", partial(strike, left=left), partial(control, left=left))
    for name, left in LEFT.items()
]
