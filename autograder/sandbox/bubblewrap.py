"""The sandbox around a student's code: bubblewrap, limits, and a watchdog that ends all its processes together.

The code inside is not trusted. It sees Python and its packages, ``/course`` and a copy of the submitted files; no network,
no other process, no host file. If the sandbox cannot be built, ``MachineError`` is raised and nothing runs.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox import cgroup, seccomp, watchdog
from autograder.sandbox.layers import OVERRIDE, active, overridden
from autograder.sandbox.mounts import Hold, environment, mounts, python_inside, site_folders, site_places
from autograder.sandbox.processes import children, tree
from course_utils.errors import MachineError

MIB = 2**20
HERE = Path(__file__).resolve().parent
NEEDED = (0, 8)
REMEDY_PROGRAM = "install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)"
REMEDY_NAMESPACES = (
    "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 or user.max_user_namespaces=15000; "
    "Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0; in Docker: --security-opt seccomp=unconfined)"
)
NO_GROUP = (
    "memory and processor time of a whole submission cannot be bounded here (no control group), so nothing was run: "
    "`python -m autograder doctor` says how to switch that on; to grade with the weaker bounds of single processes "
    f"instead, set {OVERRIDE}=cgroup, which is recorded with each result"
)
__all__ = ["MIB", "Limits", "Paths", "Sandbox", "bubblewrap", "site_folders"]


@dataclass(frozen=True)
class Limits:
    """What one sandbox may use. Memory and processes are those of all its processes together."""

    memory: int = 3072 * MIB  # bytes, files in memory and the kernel's own memory for the sandbox included
    processes: int = 64
    tasks: int = 320  # processes and threads together
    address_space: int = 12 * 1024 * MIB  # of one process; torch reserves far more than it uses
    cpu_seconds: int = 1800
    file_size: int = 256 * MIB
    open_files: int = 256
    disk: int = 512 * MIB  # of each writable folder, in memory
    inodes: int = 50_000  # files in all writable folders together
    sockets: int = 256
    sessions: int = 8
    threads: int = 1


@dataclass(frozen=True)
class Paths:
    """What is mounted: the release's ``student/`` folder as /course, the submitted files, the assignment's name."""

    public: Path
    files: Path
    assignment: str


@functools.cache
def bubblewrap() -> str:
    """Path of a bubblewrap that is new enough. Raises MachineError with the remedy."""
    found = shutil.which("bwrap")
    if found is None:
        raise MachineError(f"bubblewrap is missing, and student code never runs without it: {REMEDY_PROGRAM}")
    shown = subprocess.run([found, "--version"], capture_output=True, text=True, check=False, timeout=10).stdout
    version = tuple(int(n) for n in re.findall(r"\d+", shown)[:2])
    if version < NEEDED:
        raise MachineError(
            f"bubblewrap {shown.split()[-1] if shown else '?'} is too old, 0.8 or newer is needed: update it"
        )
    return found


def _environment(paths: Paths, limits: Limits) -> list[str]:
    values = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/student",
        "USER": "student",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "IPYTHONDIR": "/tmp/ipython",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": str(limits.threads),
        "ASSIGNMENT": paths.assignment,
        "KINETO_LOG_LEVEL": "99",  # else torch's profiler, which counts forbidden calls, prints a line at every start and stop
        "COURSE_GRADING": "1",  # notebooks load the submitted weights and train nothing
        "COURSE_DTYPE": "fp32",  # what a check's small model learns must not depend on the grader's processor
        "NBGRADER_EXECUTION": "autograde",
        **environment(),
    }
    return ["--clearenv", *(part for name, value in values.items() for part in ("--setenv", name, value))]


def _options(paths: Paths, limits: Limits, info: int, block: int, hold: Hold) -> list[str]:
    """Bubblewrap's options. The numbers are inherited file descriptors."""
    on = active()
    alone = ["--unshare-all", "--new-session", "--hostname", "sandbox", "--disable-userns"] if on.namespaces else []
    return [
        *(*alone, "--unshare-user", "--die-with-parent", "--cap-drop", "ALL", "--uid", "1000", "--gid", "1000"),
        *("--info-fd", str(info), "--block-fd", str(block)),
        *(["--seccomp", str(hold(seccomp.program()))] if on.seccomp else []),
        *_environment(paths, limits),
        *mounts(paths.public, paths.files, HERE, limits.disk, hold),
    ]


def agent_command(limits: Limits, channel: int) -> list[str]:
    """The command that runs in the sandbox: Python without the user's settings and without ``site``, and the agent."""
    bounds = f"{limits.address_space},{limits.cpu_seconds},{limits.file_size},{limits.open_files}"
    python = [python_inside(), "-I", "-S", "-B", "-u"]
    return [*python, "/agent/agent.py", str(channel), bounds if active().rlimits else "-", *site_places()]


def group_for(limits: Limits) -> cgroup.Group | None:
    """A control group for one sandbox.

    Raises:
        MachineError: none can be made on this machine, and the instructor has not accepted that.
    """
    if not active().cgroup:
        return None
    bounds = cgroup.Bounds(limits.memory, limits.tasks, max(1.0, float(limits.threads)))
    if (group := cgroup.make(bounds)) is None and "cgroup" not in overridden():
        raise MachineError(NO_GROUP)
    return group


class Sandbox:
    """A running sandbox. Start it in a thread that lives longer: bubblewrap ends with the thread that started it.

    Args:
        paths: what is mounted.
        limits: what it may use.

    Attributes:
        channel: the judge's end of the one connection into the sandbox.
        ended: why the watchdog ended it, "" if it did not.

    Raises:
        MachineError: bubblewrap is missing, too old, or may not make namespaces.
    """

    def __init__(self, paths: Paths, limits: Limits = Limits()) -> None:
        self.limits, self.ended, self._stop = limits, "", threading.Event()
        self.layers, self.nice = active(), 0
        self.channel, inner = socket.socketpair()
        self.group = None
        try:
            self.group = group_for(limits)
            with inner:
                self._spawn(paths, inner.fileno())
        except BaseException:
            self.channel.close()
            if self.group is not None:
                self.group.remove()
            raise
        self._watch = threading.Thread(target=self._watchdog, daemon=True)
        self._watch.start()

    def _spawn(self, paths: Paths, inner: int) -> None:
        (told, tell), (wait, go) = os.pipe(), os.pipe()
        before = [] if self.group is None else self.group.prefix
        with contextlib.ExitStack() as opened:
            for fd in (told, go):
                opened.callback(os.close, fd)
            handed = [inner, tell, wait]

            def hold(data: bytes) -> int:
                handed.append(opened.enter_context(_holding(data)))
                return handed[-1]

            with _closed_after(tell, wait):
                options = "\0".join(_options(paths, self.limits, tell, wait, hold)) + "\0"
                # options by descriptor and an empty environment: neither can be read inside
                line = [*before, bubblewrap(), "--args", str(hold(options.encode())), "--"]
                null = subprocess.DEVNULL
                command = [*line, *agent_command(self.limits, inner)]
                self.process = subprocess.Popen(
                    command, stdin=null, stdout=null, stderr=subprocess.PIPE, pass_fds=handed, env={}
                )
            self._identify(told)
            self._enter()
            try:
                os.write(go, b"1")
            except BrokenPipeError:  # it has ended: the mounts failed
                raise MachineError(self._why_not()) from None

    def _enter(self) -> None:
        """Put the sandbox's first process into its control group; it waits until that is done."""
        if self.group is None:
            return
        try:
            if self.group.prefix:
                cgroup.located(self.group, self.init)
            else:
                self.group.add(self.init)
        except ProcessLookupError:  # it has ended: the mounts failed
            raise MachineError(self._why_not()) from None
        except OSError as error:
            self.process.kill()
            self.process.communicate()
            raise MachineError(f"{NO_GROUP} ({error})") from None

    def _identify(self, info: int) -> None:
        """Read the id of the sandbox's first process; killing it kills all processes inside."""
        data, deadline = b"", time.monotonic() + 20
        while b"}" not in data and select.select([info], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not (part := os.read(info, 4096)):
                break
            data += part
        try:
            self.init = int(json.loads(data)["child-pid"])
            self._init_fd = os.pidfd_open(self.init)
        except (ValueError, KeyError, ProcessLookupError):
            raise MachineError(self._why_not()) from None

    def _why_not(self) -> str:
        """The sentence for a sandbox that could not be built."""
        self.process.kill()
        said = self.process.communicate()[1].decode("utf-8", "replace").strip().splitlines()
        text = said[-1].removeprefix("bwrap: ")[:200] if said else "it ended without a word"
        remedy = f"; {REMEDY_NAMESPACES}" if re.search("namespace|uid map|ermission", text) else ""
        return f"the sandbox could not be built, so nothing was run ({text}){remedy}"

    def ready(self) -> None:
        """Call after the agent's first reply: from now on the sandbox's standard error is not read."""
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.agent = next(iter(children(self.init)), 0)
        self._agent_fd = os.pidfd_open(self.agent) if self.agent else -1

    @property
    def weaknesses(self) -> list[str]:
        """Layers that this sandbox goes without, for the record."""
        return [f"graded without a control group ({OVERRIDE}=cgroup)"] if self.group is None else []

    def interrupt(self) -> None:
        """Send SIGINT (as Ctrl-C does) to the agent, which may ignore it."""
        with contextlib.suppress(OSError, ValueError):
            signal.pidfd_send_signal(self._agent_fd, signal.SIGINT)

    @property
    def alive(self) -> bool:
        """Whether the agent still runs."""
        return self.process.poll() is None

    def complaint(self) -> str:
        """End a sandbox whose start failed; return the sentence that says why, from its standard error."""
        self.kill()
        return self._why_not()

    def _watchdog(self) -> None:
        bounds = self.limits
        ceiling = watchdog.Ceiling(bounds.memory, bounds.processes, bounds.inodes, bounds.sockets, bounds.sessions)
        while not self._stop.wait(0.03):
            if self.process.poll() is not None:
                return self.kill()
            if self.group is not None and self.group.exceeded():
                return self.kill(watchdog.memory_words(bounds.memory))
            if self.layers.watchdog:
                use = watchdog.look(self.init)
                if reason := watchdog.excess(use, ceiling):
                    return self.kill(reason)
                self.nice = watchdog.tame(use.members, self.nice)
        return None

    def kill(self, reason: str = "") -> None:
        """End every process of the sandbox, now. Safe to call again."""
        if not reason and self.group is not None and self.group.exceeded():
            reason = watchdog.memory_words(self.limits.memory)
        self.ended = self.ended or reason
        left = [] if self.layers.namespaces else list(tree(self.init))[1:]
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.channel.shutdown(socket.SHUT_RDWR)  # ends a read that waits for an answer

    def close(self) -> None:
        """Kill, wait until the last process is gone, and release everything."""
        self._stop.set()
        self.kill()
        self._watch.join()
        self.process.kill()
        self.process.wait()
        select.select([self._init_fd], [], [], 10)  # readable once the first process, hence every one, is gone
        if self.group is not None:
            self.group.kill()
            self.group.remove()
        for fd in {self._init_fd, getattr(self, "_agent_fd", -1)} - {-1}:
            os.close(fd)
        self._init_fd = self._agent_fd = -1
        self.channel.close()
        if self.process.stderr is not None:
            self.process.stderr.close()


@contextlib.contextmanager
def _holding(data: bytes) -> Iterator[int]:
    """A descriptor from which exactly ``data`` can be read."""
    fd = os.memfd_create("options")
    with open(fd, "r+b") as file:  # noqa: PTH123
        file.write(data)
        file.seek(0)
        yield fd


@contextlib.contextmanager
def _closed_after(*fds: int) -> Iterator[None]:
    try:
        yield
    finally:
        for fd in fds:
            os.close(fd)
