"""Counting of what a sandbox uses, from outside: the limit where there is no control group, a second one where there is.

Files of a tmpfs, empty ones too, page tables and the buffers of sockets use memory that no count of resident pages
includes. Each is counted here with its largest possible size.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox.mounts import WRITABLE
from autograder.sandbox.processes import proportional, resident, session, tasks, tree

MIB = 2**20
INODE_BYTES = 1280  # of an empty file in a tmpfs: inode and directory entry, measured 1,190 to 1,260
FREE_TASKS = 8  # bubblewrap's own, the agent, and threads that libraries start and do not use
SOCKET_BYTES = 2**18  # what one unix socket may hold in flight: net.core.wmem_default is 208 KiB
NICEST = 19
STEP = 1.25  # a step of nice changes the share by this factor


@dataclass(frozen=True)
class Ceiling:
    """Bounds of a whole sandbox."""

    memory: int
    processes: int
    inodes: int
    sockets: int
    sessions: int


@dataclass(frozen=True)
class Use:
    """What a sandbox uses now: processes, bytes of files, numbers of inodes and sockets, bytes of page tables."""

    members: list[int]
    files: int
    inodes: int
    sockets: int
    tables: int

    @property
    def beside(self) -> int:
        """Bytes that a count of resident pages does not include."""
        return self.files + self.inodes * INODE_BYTES + self.sockets * SOCKET_BYTES + self.tables


def look(init: int) -> Use:
    """Count what the sandbox with this first process uses."""
    members = list(tree(init))
    files = inodes = 0
    for place in WRITABLE:
        with contextlib.suppress(OSError):
            inside = f"/proc/{init}/root{place}"
            found = os.statvfs(inside)
            if Path(inside).stat().st_dev != _nearest(place).stat().st_dev:  # equal only in a test without namespaces
                files += (found.f_blocks - found.f_bfree) * found.f_bsize
                inodes += found.f_files - found.f_ffree
    return Use(members, files, inodes, _sockets(init), sum(map(_tables, members)))


def _nearest(place: str) -> Path:
    """The folder, or the first above it, that exists on the host."""
    return next(path for path in (Path(place), *Path(place).parents) if path.exists())


def _sockets(init: int) -> int:
    """Number of unix sockets in the sandbox's network namespace, those inside a message in transit included."""
    with contextlib.suppress(OSError), open(f"/proc/{init}/net/unix", "rb") as lines:  # noqa: PTH123
        return max(0, sum(1 for _ in lines) - 1)
    return 0


def _tables(pid: int) -> int:
    """Bytes of a process's page tables."""
    with contextlib.suppress(OSError):
        found = re.search(r"^VmPTE:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
        return 1024 * int(found[1]) if found else 0
    return 0


def excess(use: Use, ceiling: Ceiling) -> str:
    """Words for the student about a bound that is exceeded; "" if none is."""
    if len(use.members) > ceiling.processes:
        return f"more than {ceiling.processes} processes at once"
    if len(use.members) > ceiling.sessions and len({session(pid) for pid in use.members}) > ceiling.sessions:
        return f"more than {ceiling.sessions} sessions"  # Linux may give each session a share of the processor
    if use.inodes > ceiling.inodes:
        return f"more than {ceiling.inodes} files"
    if use.sockets > ceiling.sockets:
        return f"more than {ceiling.sockets} sockets"
    room = ceiling.memory - use.beside
    if resident(use.members) > room and proportional(use.members) > room:
        return memory_words(ceiling.memory)
    return ""


def memory_words(limit: int) -> str:
    """The reason for ending a sandbox that exceeded its memory."""
    return f"more than {limit // MIB} MiB of memory"


def niceness(running: int) -> int:
    """The nice value with which ``running`` tasks together weigh no more than one ordinary process (for up to 68 tasks)."""
    return min(NICEST, math.ceil(math.log(max(1, running), STEP)))


def tame(members: Sequence[int], reached: int) -> int:
    """Lower the priority of every task when there are many; return the nice value that is now set.

    A task cannot raise its priority again, and its children inherit it. On a desktop Linux first divides the processor
    among whole sessions ("autogroups"), so these get the value as well.
    """
    found = [task for pid in members for task in tasks(pid)]
    wanted = max(reached, niceness(len(found) - FREE_TASKS))
    if wanted > 0:
        for task in found:
            with contextlib.suppress(OSError):
                if os.getpriority(os.PRIO_PROCESS, task) < wanted:
                    os.setpriority(os.PRIO_PROCESS, task, wanted)
        for pid in members:
            _tame_session(pid, wanted)
    return wanted


def _tame_session(pid: int, wanted: int) -> None:
    """Set the nice value of the session's autogroup; if the kernel answers EAGAIN, the next look tries again."""
    path = Path(f"/proc/{pid}/autogroup")
    with contextlib.suppress(OSError):
        now = re.search(r"nice (-?\d+)", path.read_text())
        if now and int(now[1]) < wanted:
            path.write_text(str(wanted))
