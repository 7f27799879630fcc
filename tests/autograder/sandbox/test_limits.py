"""Attacks on the machine's memory and processor. Each layer alone stops them; without both they succeed.

All amounts are small, and a control runs under the same small amounts, so that nothing here endangers its machine.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace

import pytest

from autograder.sandbox import cgroup, layers
from autograder.sandbox.bubblewrap import MIB, Limits, Paths
from autograder.sandbox.kernel import Kernel
from tests.autograder.sandbox.conftest import shown

BOUND = Limits(memory=256 * MIB, processes=64, disk=128 * MIB, file_size=256 * MIB, inodes=20_000, sockets=200)
GROUP = cgroup.make(cgroup.Bounds(BOUND.memory, BOUND.tasks, 1.0))
if GROUP is not None:
    GROUP.remove()
needs_group = pytest.mark.skipif(GROUP is None, reason="no control group can be had on this machine")

FILES = """
import os
for folder in ("/tmp", "/work", "/home/student", "/dev/shm"):
    for n in range(100_000):  # 400,000 in all, more than 300 MB of kernel memory
        os.close(os.open(f"{folder}/{n}", os.O_CREAT | os.O_WRONLY))
print("HARM")
"""
SOCKETS = """
import os, socket, time
for _ in range(12):
    if os.fork() == 0:
        pairs = []
        for _ in range(110):
            one, two = socket.socketpair()
            one.setblocking(False)
            pairs.append((one, two))
            try:
                while True:
                    one.send(bytes(8192))
            except BlockingIOError:
                pass
        time.sleep(30)
time.sleep(4)
print("HARM")
"""
TMPFS = """
for folder in ("/tmp", "/work", "/home/student", "/dev/shm"):
    with open(folder + "/full", "wb") as file:
        for _ in range(120):
            file.write(bytes(2**20))
print("HARM")
"""
TABLES = """
import mmap, os, time
for _ in range(16):
    if os.fork() == 0:
        large = mmap.mmap(-1, 10 * 2**30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=1)  # MAP_NORESERVE
        large.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, len(large), 2**21):
            large[at]
        time.sleep(30)
time.sleep(3)
print("HARM")
"""
ATTACKS = {"files": FILES, "sockets": SOCKETS, "tmpfs": TMPFS, "tables": TABLES}
REASONS = {
    "files": "20000 files",
    "sockets": "200 sockets",
    "tmpfs": "256 MiB of memory",
    "tables": "256 MiB of memory",
}


def attempt(paths: Paths, name: str, *off: str) -> tuple[str, str, int]:
    """Status, what was said, and the most bytes that the group had (0 without one)."""
    with layers.without(*off), Kernel(paths, BOUND) as kernel:
        result = kernel.run_cell(ATTACKS[name], seconds=60)
        assert kernel.sandbox is not None
        group = kernel.sandbox.group
        used = 0 if group is None else group.peak()
    return result.status, result.note + shown(result), used


# Many files take the longest by far; the watchdog's test keeps them quick.
FILES_SLOW = [pytest.param(one, marks=pytest.mark.slow) if one == "files" else one for one in sorted(ATTACKS)]


@needs_group
@pytest.mark.parametrize("name", FILES_SLOW)
def test_the_control_group_alone_bounds_memory(paths: Paths, name: str) -> None:
    status, said, used = attempt(paths, name, "watchdog")
    assert "HARM" not in said and 0 < used <= BOUND.memory, (status, said)
    assert status == "dead" and "256 MiB of memory" in said


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_the_watchdog_alone_ends_it(paths: Paths, name: str) -> None:
    status, said, _ = attempt(paths, name, "cgroup")
    assert status == "dead" and REASONS[name] in said


@pytest.mark.parametrize("name", FILES_SLOW)
def test_without_both_it_succeeds(paths: Paths, name: str) -> None:
    assert attempt(paths, name, "cgroup", "watchdog", "rlimits")[1].endswith("HARM\n")


SHARED = """
import mmap
kept = []
for _ in range(10):
    part = mmap.mmap(-1, 40 * 2**20)  # shared and without a file
    for at in range(0, len(part), 4096):
        part[at] = 1
    part.madvise(mmap.MADV_DONTNEED)  # stays in memory, and is resident in no process
    kept.append(part)
import time; time.sleep(1)
print("HARM")
"""


def test_memory_that_is_resident_nowhere(paths: Paths) -> None:
    """No count from outside sees it: the filter refuses it, and a control group counts it."""
    with Kernel(paths, BOUND) as kernel:
        result = kernel.run_cell(SHARED)
        assert result.error is not None and result.error[0] == "PermissionError"
    with layers.without("seccomp", "cgroup"), Kernel(paths, BOUND) as kernel:
        assert shown(kernel.run_cell(SHARED)) == "HARM\n"


@needs_group
def test_memory_that_is_resident_nowhere_is_counted_by_the_group(paths: Paths) -> None:
    with layers.without("seccomp"), Kernel(paths, BOUND) as kernel:
        assert kernel.run_cell(SHARED).status == "dead"


# ---------------------------------------------------------------- a neighbour

SPIN = """
import os, time
for _ in range(55):
    if os.fork() == 0:
        os.setsid()  # Linux weighs whole sessions, so each asks for a share of its own
        while True:
            pass
time.sleep({seconds})
"""
WORK = """
import time
begun, used = time.monotonic(), time.process_time()
while time.process_time() - used < 0.3:
    pass
print((time.monotonic() - begun) / 0.3)
"""


def slowed(paths: Paths, *off: str) -> float:
    """How much longer a neighbour's 0.3 s of work take while 55 processes spin in another sandbox."""
    import threading

    with contextlib.ExitStack() as stack, layers.without(*off):
        neighbour = stack.enter_context(Kernel(paths, BOUND))
        attacker = stack.enter_context(Kernel(paths, replace(BOUND, sessions=64)))
        spinning = threading.Thread(target=attacker.run_cell, args=(SPIN.format(seconds=30), 40.0))
        spinning.start()
        time.sleep(1)
        factor = min(float(shown(neighbour.run_cell(WORK, 60))) for _ in range(2))
        assert attacker.sandbox is not None
        attacker.sandbox.kill()
        spinning.join()
    return factor


@pytest.mark.slow
def test_a_neighbour_keeps_its_share(paths: Paths) -> None:
    """The stated bound is three times; other work on this machine slows both, so it is compared with the control."""
    bare = slowed(paths, "cgroup", "watchdog")
    watched, both = slowed(paths, "cgroup"), slowed(paths)
    assert watched < max(3, bare / 3) and both < max(3, bare / 3) and bare > 5, (bare, watched, both)


def test_sessions_are_bounded(paths: Paths) -> None:
    with Kernel(paths, BOUND) as kernel:
        result = kernel.run_cell(SPIN.format(seconds=20), 30)
        assert result.status == "dead" and "8 sessions" in result.note
