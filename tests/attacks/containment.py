"""Attacks on the grader's machine that need more than one cell: inside a sandbox, and outside as control."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from autograder.judge.files import HandedIn
from autograder.sandbox import wire
from autograder.sandbox.bubblewrap import MIB, Limits, Paths
from autograder.sandbox.kernel import CellResult, Kernel, KernelStopped, Student
from course_utils.checks.selfcheck import HandinError, StudentError
from tests.attacks import layers
from tests.attacks.record import Attack, Trace, Wall
from tests.paths import ROOT

LIMITS = Limits(memory=400 * MIB, processes=32, disk=32 * MIB, file_size=16 * MIB)
HARM = "HARM"
TOKEN = {"WALL_TEST_TOKEN": "secret"}


@dataclass(frozen=True)
class Row:
    """One attack: did it do harm to us, and did it where there is no wall?"""

    name: str
    ours: bool
    control: bool


def text_of(result: CellResult) -> str:
    """What a cell printed."""
    return "".join(item.get("text", "") for item in result.outputs)


@contextlib.contextmanager
def surroundings(folder: Path) -> Iterator[dict[str, object]]:
    """A grader's machine in small: a process with a secret, servers, another student's file, private answers, a gradebook."""
    for name, text in {"other/london.txt": "0.05", "private/answers.json": "{}", "gradebook.db": ""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    grader = subprocess.Popen(["sleep", "100"], env={**os.environ, **TOKEN}, cwd=folder)
    names = {"root": ROOT, "python": os.path.realpath(sys.executable), "host": socket.gethostname()}
    abstract = f"autograder-attack-{grader.pid}"
    try:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as file:
            with socket.socket(socket.AF_UNIX) as nowhere:
                file.bind(str(folder / "service.sock"))
                nowhere.bind("\0" + abstract)
                file.listen()
                nowhere.listen()
                port = server.getsockname()[1]
                yield {"pid": grader.pid, "port": port, "folder": folder, "abstract": abstract, **names}
    finally:
        grader.kill()
        grader.wait()


def paths(folder: Path) -> Paths:
    """Empty public and files folders."""
    for name in ("public", "files"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return Paths(folder / "public", folder / "files", "00_toy")


# ---------------------------------------------------------------- attacks with a shape of their own


def living(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


STAY = """
import subprocess
quiet = subprocess.DEVNULL
print(subprocess.Popen(["sleep", "{}"], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True).pid)
"""


def outlives(folder: Path) -> Row:
    """A process that stays behind to edit grades later."""
    plain = subprocess.run([sys.executable, "-c", STAY.format(60)], capture_output=True, text=True, timeout=60)
    left = int(plain.stdout)
    control = living(left)
    os.kill(left, signal.SIGKILL)
    seconds = f"6{os.getpid()}"
    with Kernel(paths(folder), LIMITS) as kernel:
        started = text_of(kernel.run_cell(STAY.format(seconds))).strip().isdigit()
    ours = any(seconds in _command(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return Row("process that outlives the grading", ours or not started, control)


def _command(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def flood(folder: Path) -> Row:
    """200 MB of output: how much of it ends up in the grader's memory."""
    code = "for _ in range(200): print('x' * 10**6)"
    plain = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    with Kernel(paths(folder), LIMITS) as kernel:
        size = len(text_of(kernel.run_cell(code, 30)))
    return Row("200 MB of output", size > 2 * MIB, len(plain.stdout) > 100 * MIB)


def kills_itself(folder: Path) -> Row:
    """os._exit in a cell: is the grader, and what follows, still there?"""
    plain = subprocess.run(
        [sys.executable, "-c", "exec('import os; os._exit(0)'); print('graded')"], capture_output=True
    )
    with Kernel(paths(folder), LIMITS) as kernel:
        died = kernel.run_cell("import os; os._exit(0)").status == "dead"
        kernel.start()
        on = kernel.run_cell("print('graded')")
    return Row("os._exit loses the grade", not (died and "graded" in text_of(on)), b"graded" not in plain.stdout)


def bomb(folder: Path) -> Row:
    """A small file that numpy expands to 200 MB in the grader."""
    files = paths(folder).files
    with (files / "finetuned.safetensors").open("wb") as file:
        np.savez_compressed(file, weights=np.zeros(200 * MIB, np.uint8))
    small = (files / "finetuned.safetensors").stat().st_size < MIB
    expanded = np.load(io.BytesIO((files / "finetuned.safetensors").read_bytes()))["weights"].nbytes
    try:
        ours = bool(HandedIn(files, "00_toy").weights("finetuned"))
    except HandinError:
        ours = False
    return Row("array file that expands a thousandfold", ours, small and expanded == 200 * MIB)


FRAME = """
import gc, socket, struct, sys
channel = next(o for o in gc.get_objects() if type(o) is socket.socket)
channel.sendall(struct.pack(">Q", 2**33) + bytes(300 * 2**20))
"""


class Counting(Kernel):
    """A client that knows how many bytes it was ready to take in, those that never came too."""

    taken = 0

    def _take(self, size: int, deadline: float) -> bytes:
        self.taken += size
        return super()._take(size, deadline)


def huge_frame(folder: Path) -> Row:
    """A message that claims 8 GiB and goes on and on: how much of it is taken in."""
    ours, theirs = socket.socketpair()
    taken = []
    reader = threading.Thread(target=lambda: taken.append(_trusting(ours)), daemon=True)
    reader.start()
    theirs.sendall(bytes([0, 0, 0, 2, 0, 0, 0, 0]) + bytes(80 * MIB))
    theirs.close()
    reader.join(30)
    with Counting(paths(folder), LIMITS) as kernel:
        result = kernel.run_cell(FRAME, 20)
        harmed = kernel.alive or result.status != "dead" or kernel.taken > MIB
    return Row("reply that claims 8 GiB", harmed, bool(taken) and taken[0] > wire.LIMIT_BYTES)


def _trusting(channel: socket.socket) -> int:
    """Bytes that a receiver without a limit takes in."""
    wanted, data = int.from_bytes(channel.recv(8), "big"), bytearray()
    while len(data) < wanted and (part := channel.recv(MIB)):
        data += part
    return len(data)


def huge_value(folder: Path) -> Row:
    """A result of 100 MiB where a number is asked for; a pipe just takes it."""
    code = "import sys; sys.stdout.buffer.write(bytes(100 * 2**20))"
    control = len(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout) > wire.LIMIT_BYTES
    with Kernel(paths(folder), LIMITS) as kernel:
        kernel.run_cell("import numpy as np\ndef f(n):\n    return np.zeros(n, np.uint8)")
        student = Student(kernel)
        assert student.f(30 * MIB).nbytes == 30 * MIB, "what is within the limit arrives"
        try:
            ours = student.f(100 * MIB) is not None
        except StudentError as error:
            ours = error.kind != "WireError"
        return Row("result of 100 MiB", ours or not kernel.alive, control)


LONG = """
class Long:
    def __len__(self):
        return 10**12
    def __getitem__(self, i):
        return 0
long = Long()
"""


def lying_length(folder: Path) -> Row:
    """An object whose length keeps a checker looping: here it ends with the check's time."""
    try:
        loop = LONG + "for i in range(len(long)): long[i]"
        subprocess.run([sys.executable, "-c", loop], timeout=4)
        control = False
    except subprocess.TimeoutExpired:
        control = True
    return Row("length that never ends", not _ended(folder), control)


def _ended(folder: Path) -> bool:
    with Kernel(paths(folder), LIMITS) as kernel:
        kernel.run_cell(LONG)
        long = Student(kernel).long
        started = time.monotonic()
        kernel.deadline = started + 1.0
        try:
            for i in range(len(long)):
                long[i]
        except KernelStopped as stop:
            return stop.status == "timeout" and time.monotonic() - started < 10
    return False


OTHERS: list[Callable[[Path], Row]] = [outlives, flood, kills_itself, bomb, huge_frame, huge_value, lying_length]


def strike(folder: Path, wall: Wall, play: Callable[[Path], Row]) -> Trace:
    """Whether it did harm here; no exercise is judged."""
    with layers.standing(wall):
        return Trace(float(play(folder).ours), 0, 0)


def control(folder: Path, play: Callable[[Path], Row]) -> float:
    """Whether it does harm without bounds."""
    return float(play(folder).control)


NAMES = {
    "outlives": "process that outlives the grading",
    "flood": "200 MB of output",
    "kills_itself": "os._exit loses the grade",
    "bomb": "array file that expands a thousandfold",
    "huge_frame": "reply that claims 8 GiB",
    "huge_value": "result of 100 MiB",
    "lying_length": "length that never ends",
}
ATTACKS = [
    Attack(NAMES[play.__name__], "bounds of one conversation", "host", partial(strike, play=play),
           partial(control, play=play), known=True, slow=True, layers=("filter",))
    for play in OTHERS
]  # fmt: skip
