"""A sandbox's processes as the host sees them: their children, sessions, threads and memory."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path


def children(pid: int) -> list[int]:
    """Direct children of a process, started by any of its threads."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - this runs thirty times a second
            with open(f"/proc/{pid}/task/{thread}/children") as lines:  # noqa: PTH123
                found += [int(n) for n in lines.read().split()]
    return found


def _stat(pid: int, place: int) -> int:
    """A field of ``/proc/PID/stat``, counted from the state; 0 if the process has ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[place])
    except (OSError, IndexError, ValueError):
        return 0


def parent(pid: int) -> int:
    """The process that started this one."""
    return _stat(pid, 1)


def session(pid: int) -> int:
    """The session of a process."""
    return _stat(pid, 3)


def tasks(pid: int) -> list[int]:
    """All threads of a process."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - as above
    except OSError:
        return []


def tree(pid: int) -> Iterator[int]:
    """The process and all its descendants (orphans inside the sandbox are children of its first process)."""
    queue = [pid]
    while queue:
        queue += children(queue[0])
        yield queue.pop(0)


def resident(pids: list[int]) -> int:
    """Resident bytes; a page shared by several processes is counted once for each."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return total * os.sysconf("SC_PAGE_SIZE")


def proportional(pids: list[int]) -> int:
    """Resident bytes; a shared page is divided among its processes. Exact, but slower to read than :func:`resident`."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += 1024 * int(re.findall(r"^Pss:\s+(\d+)", text, re.MULTILINE)[0])
        except (OSError, IndexError):  # ended, or not readable: use the plain count
            total += resident([pid])
    return total
