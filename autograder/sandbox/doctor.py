"""Tests of each layer of the sandbox on this machine, to see which are on."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.sandbox import bubblewrap, layers, neutral, seccomp, watchdog
from autograder.sandbox.bubblewrap import MIB, Limits, Paths
from autograder.sandbox.kernel import Kernel
from autograder.sandbox.remedies import REMEDIES, STOPS
from course_utils.errors import CourseError

OLDEST_PYTHON = (3, 11)
ROOM = 2 * 2**30  # bytes that a class and its feedback may take
TRIED = Limits(memory=512 * MIB, disk=16 * MIB)


@dataclass(frozen=True)
class Layer:
    """One row of the table.

    Attributes:
        name: the layer's name.
        stops: what it prevents.
        on: whether it worked when it was tried.
        matters: whether grading is refused without it.
        accepted: whether the instructor has accepted that it is missing.
        found: what was tried, and what happened.
        remedy: how to switch it on.
    """

    name: str
    stops: str
    on: bool
    matters: bool
    accepted: bool
    found: str
    remedy: str

    @property
    def well(self) -> bool:
        """Whether this layer allows grading."""
        return self.on or self.accepted or not self.matters


def row(name: str, found: str, *, on: bool, matters: bool = True, accepted: bool = False) -> Layer:
    """The Layer of this name, with its texts from STOPS and REMEDIES."""
    return Layer(name, STOPS[name], on, matters, accepted and not on, found, "" if on else REMEDIES[name])


# ---------------------------------------------------------------- tried inside

# Prints one JSON object. {port}: a server of the host, {folder}: a folder of the host, {pid}: a process of the host.
PROBE = """
import ctypes, json, os, resource, socket
libc, found = ctypes.CDLL(None, use_errno=True), {{}}
def refused(number, *rest):
    return libc.syscall(number, *rest) == -1 and ctypes.get_errno() in (1, 38)
def connects():
    try:
        socket.create_connection(("127.0.0.1", {port}), 2).close()
        return True
    except OSError:
        return False
try:
    os.kill({pid}, 0)
    found["host process"] = True
except ProcessLookupError:
    found["host process"] = False
found["connects"] = connects()
found["refused"] = [refused(number, 0, 0, 0, 0) for number in {numbers}]
found["limits"] = [resource.getrlimit(n)[1] for n in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)]
found["room"] = [os.statvfs(f).f_blocks * os.statvfs(f).f_frsize for f in {places} if os.path.isdir(f)]
found["folder"] = os.path.exists({folder!r})
found["mounts"] = os.path.exists("/proc/self/mountinfo")
found["host name"] = os.uname().nodename == {node!r}
print(json.dumps(found))
"""
TRIED_CALLS = ("memfd_create", "keyctl", "bpf", "io_uring_setup", "statmount")


@contextlib.contextmanager
def _folders() -> Iterator[Paths]:
    with tempfile.TemporaryDirectory() as name:
        for part in ("public", "files"):
            (Path(name) / part).mkdir()
        yield Paths(Path(name) / "public", Path(name) / "files", "doctor")


def _probed(paths: Paths, kernel: Kernel) -> dict[str, Any]:
    """The probe's results from inside the sandbox. Raises CourseError if it gives no answer."""
    calls = _numbers()
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = PROBE.format(
            port=server.getsockname()[1], folder=str(paths.public), pid=os.getpid(), numbers=list(calls.values()),
            places=watchdog.WRITABLE, node=os.uname().nodename,
        )  # fmt: skip
        result = kernel.run_cell(code, 30)
    said = "".join(item.get("text", "") for item in result.outputs)
    try:
        return dict(json.loads(said))
    except ValueError:
        raise CourseError(f"the probe in the sandbox gave no answer ({result.note or result.error})") from None


def _numbers() -> dict[str, int]:
    known = seccomp.syscalls.numbers(seccomp.syscalls.REFUSED, os.uname().machine)
    known |= seccomp.syscalls.numbers("io_uring_setup:425:425", os.uname().machine)
    return {name: known[name] for name in TRIED_CALLS}


def _inside() -> list[Layer]:
    """The layers that can be tested inside a sandbox. Raises CourseError if none can be built."""
    with _folders() as paths:
        with Kernel(paths, TRIED) as kernel:
            found = _probed(paths, kernel)
            groups, watched = _groups(kernel), _watched(kernel)
        with layers.without("seccomp"), Kernel(paths, TRIED) as kernel:  # the filter would hide namespaces
            bare = _probed(paths, kernel)
    refused = [name for name, held in zip(_numbers(), found["refused"], strict=True) if held]
    bounds = [TRIED.address_space, TRIED.open_files, 0]
    return [
        row("user namespaces", on=True, found="a sandbox was built and ran Python"),
        row("own processes", on=not bare["host process"], found="a signal to a process of the host was tried"),
        row("network off", on=not bare["connects"], found="a connection to this machine was tried, without the filter"),
        row(
            "system-call filter",
            on=len(refused) == len(TRIED_CALLS) and not found["connects"],
            found=f"refused: {', '.join(refused)}",
        ),
        *groups,
        row(
            "process limits",
            on=found["limits"] == bounds,
            found="read back inside: address space, open files, core dumps",
        ),
        row("watchdog", on=watched, found="files and sockets made inside were counted from outside"),
        row("bounded folders", on=all(0 < size <= TRIED.disk for size in found["room"]), found="sizes read back inside"),
        row("no host folders", on=not found["folder"] and not found["mounts"], found="folder and mount table: looked for"),
        row("neutral names", on=not found["host name"], found="the host's name was looked for"),
    ]  # fmt: skip


def _groups(kernel: Kernel) -> list[Layer]:
    """The rows of control groups: whether the sandbox's first process is in its group, and what the group bounds."""
    assert kernel.sandbox is not None
    group, accepted = kernel.sandbox.group, "cgroup" in layers.overridden()
    inside = group is not None and group.holds(kernel.sandbox.init)
    bounded = group.bounded if group is not None and inside else []
    said = f"{group.kind}; the sandbox is in its group" if group and inside else "no way to make one worked"
    names = (("cgroup memory", "memory", True), ("cgroup tasks", "pids", False), ("cgroup processor", "cpu", False))
    return [
        row(name, on=controller in bounded, found=said, matters=matters, accepted=accepted)
        for name, controller, matters in names
    ]


MAKE = """
import socket
open("one", "w").write("x" * 2**20)
kept = [socket.socketpair() for _ in range(10)]
"""


def _watched(kernel: Kernel) -> bool:
    """Whether files and sockets made inside, which no count of resident pages shows, are counted outside."""
    assert kernel.sandbox is not None
    before = watchdog.look(kernel.sandbox.init)
    kernel.run_cell(MAKE, 10)
    after = watchdog.look(kernel.sandbox.init)
    return after.files - before.files >= MIB and after.inodes > before.inodes and after.sockets - before.sockets >= 20


# ---------------------------------------------------------------- tried outside

ORPHAN = """
import os, sys
from pathlib import Path
from autograder.sandbox.bubblewrap import Limits, Paths, Sandbox
sandbox = Sandbox(Paths(Path(sys.argv[1]), Path(sys.argv[2]), "doctor"), Limits())
print(sandbox.init, flush=True)
os.kill(os.getpid(), 9)
"""


def _dies_with_parent() -> Layer:
    """Kill a grader; its sandbox must end at once."""
    root = Path(__file__).resolve().parents[2]
    with _folders() as paths:
        command = [sys.executable, "-c", ORPHAN, str(paths.public), str(paths.files)]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
        left = int(done.stdout) if done.stdout.strip().isdigit() else 0
        end = time.monotonic() + 5
        while left and Path(f"/proc/{left}").exists() and time.monotonic() < end:
            time.sleep(0.02)
        gone = bool(left) and not Path(f"/proc/{left}").exists()
    return row("end with the grader", on=gone, found="a grader was killed (kill -9) and its sandbox looked for")


def _program() -> Layer:
    try:
        return row("bubblewrap", on=True, found=bubblewrap.bubblewrap())
    except CourseError as error:
        return row("bubblewrap", on=False, found=str(error))


def _bytecode() -> Layer:
    left = neutral.bytecode(thorough=True)
    found = f"{len(left)} files could not be written, such as {left[0]}" if left else "all of it was read"
    return row("neutral bytecode", on=not left, found=found, matters=False)


def _machine() -> list[Layer]:
    """Requirements that are not layers: Python's version and disk space."""
    version, free = sys.version_info[:2], shutil.disk_usage(tempfile.gettempdir()).free
    return [
        row("python", on=version >= OLDEST_PYTHON, found=f"{version[0]}.{version[1]}"),
        row("disk space", on=free >= ROOM, found=f"{free / 2**30:.1f} GiB free in {tempfile.gettempdir()}"),
    ]


NEEDS_SANDBOX = [
    *("user namespaces", "own processes", "network off", "system-call filter", "cgroup memory", "cgroup tasks"),
    *("cgroup processor", "process limits", "watchdog", "bounded folders", "no host folders", "neutral names"),
]


def _attempted(several: Callable[[], list[Layer]], names: list[str]) -> list[Layer]:
    """The rows, or, if the test itself was not possible, rows that say why."""
    try:
        return several()
    except CourseError as error:
        return [row(name, on=False, found=f"could not be tried: {error}") for name in names]


def _inside_or_without_group() -> list[Layer]:
    """The layers inside; if only control groups are missing, the others are tried without them."""
    try:
        return _inside()
    except CourseError as error:
        if str(error) != bubblewrap.NO_GROUP:
            raise
    with layers.without("cgroup"):
        return _inside()


def examine() -> list[Layer]:
    """Test every layer, within a few seconds. No student code is run."""
    found = [_program()]
    found += _attempted(_inside_or_without_group, NEEDS_SANDBOX)
    found += [_bytecode(), _dies_with_parent()]
    return found + _machine()
