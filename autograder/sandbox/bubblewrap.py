"""The box around a student's code: bubblewrap, limits, and a watchdog that ends it all at once.

Nothing here trusts what runs inside. The box sees the system's programs, Python and its packages, ``/course`` and a copy
of the handed-in files; no network, no other process, no host file. If the box cannot be built there is a ``CourseError``
and nothing runs.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox import seccomp
from autograder.sandbox.processes import children, proportional, resident, tree
from course_utils.errors import CourseError

MIB = 2**20
HERE = Path(__file__).resolve().parent
NEEDED = (0, 8)
REMEDY_PROGRAM = "install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)"
REMEDY_NAMESPACES = (
    "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 or user.max_user_namespaces=15000; "
    "Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0; in Docker: --security-opt seccomp=unconfined)"
)
ACCOUNTS = b"student:x:1000:1000:student:/home/student:/bin/sh\n"
SYSTEM_FOLDERS = ("/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime", "/etc/mime.types")


@dataclass(frozen=True)
class Limits:
    """What one sandbox may use. Memory and processes are those of all its processes together."""

    memory: int = 3072 * MIB  # resident bytes
    processes: int = 64
    address_space: int = 12 * 1024 * MIB  # of one process; torch reserves far more than it touches
    cpu_seconds: int = 1800
    file_size: int = 256 * MIB
    open_files: int = 512
    disk: int = 512 * MIB  # of each writable folder, in memory
    threads: int = 1


@dataclass(frozen=True)
class Paths:
    """What is mounted: the release's ``student/`` folder as /course, the handed-in files, the assignment's name."""

    public: Path
    files: Path
    assignment: str


@functools.cache
def bubblewrap() -> str:
    """Path of a bubblewrap that is new enough. Raises CourseError with the remedy."""
    found = shutil.which("bwrap")
    if found is None:
        raise CourseError(f"bubblewrap is missing, and student code never runs without it: {REMEDY_PROGRAM}")
    shown = subprocess.run([found, "--version"], capture_output=True, text=True, check=False, timeout=10).stdout
    version = tuple(int(n) for n in re.findall(r"\d+", shown)[:2])
    if version < NEEDED:
        raise CourseError(
            f"bubblewrap {shown.split()[-1] if shown else '?'} is too old, 0.8 or newer is needed: update it"
        )
    return found


def _system() -> list[str]:
    """Mounts of the operating system, read-only."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in SYSTEM_FOLDERS:
        path = Path(name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            arguments += ["--ro-bind", name, name]
    for name in SYSTEM_FILES:
        arguments += ["--ro-bind-try", name, name]
    return arguments


def site_folders() -> list[Path]:
    """Folders of installed packages of the running Python, in import order."""
    ends = ("site-packages", "dist-packages")
    found = [Path(entry).resolve() for entry in sys.path if Path(entry).name in ends and Path(entry).is_dir()]
    return list(dict.fromkeys(found))


def _python() -> tuple[list[str], list[str]]:
    """Mounts of Python and its packages, and where the packages stand inside.

    The packages come without their ``.pth`` files being read, so an editable install leads nowhere.
    """
    base = Path(sys.base_prefix).resolve()
    arguments = [] if base.is_relative_to("/usr") else ["--ro-bind", str(base), str(base)]
    places = [f"/site/{number}" for number in range(len(site_folders()))]
    for folder, place in zip(site_folders(), places, strict=True):
        arguments += ["--ro-bind", str(folder), place]
    return arguments, places


def _fonts() -> list[str]:
    """matplotlib's list of fonts, if this machine has one: finding them anew costs seconds in every sandbox."""
    if importlib.util.find_spec("matplotlib") is None:
        return []
    import matplotlib

    found = sorted(Path(matplotlib.get_cachedir()).glob("fontlist-*.json"))
    return [part for path in found for part in ("--ro-bind", str(path), f"/tmp/matplotlib/{path.name}")]


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
        "COURSE_GRADING": "1",  # notebooks load what was handed in and train nothing
        "COURSE_DTYPE": "fp32",  # what a check's small model learns must not depend on the grader's processor
        "NBGRADER_EXECUTION": "autograde",
    }
    return ["--clearenv", *(part for name, value in values.items() for part in ("--setenv", name, value))]


# /proc is made read-only as a whole: bubblewrap covers its dangerous parts only where their folders are writable, and root
# outside is still root for the files in /proc/sys and /proc/irq, whatever its number inside.
def arguments(paths: Paths, limits: Limits, info: int, accounts: int, filter_fd: int | None) -> list[str]:
    """Bubblewrap's options. The numbers are inherited file descriptors."""
    disk = ["--size", str(limits.disk), "--tmpfs"]
    return [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "box", "--info-fd", str(info)),
        *(["--seccomp", str(filter_fd)] if filter_fd is not None else []),
        *_environment(paths, limits),
        *(*disk, "/tmp", *disk, "/home/student", *disk, "/work"),
        *(*_system(), "--ro-bind-data", str(accounts), "/etc/passwd", *_python()[0], *_fonts()),
        *("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", *disk, "/dev/shm", "--remount-ro", "/dev"),
        *("--ro-bind", str(paths.public.resolve()), "/course", "--ro-bind", str(paths.files.resolve()), "/handin"),
        *("--ro-bind", str(HERE / "agent.py"), "/agent/agent.py", "--ro-bind", str(HERE / "wire"), "/agent/wire"),
        *("--remount-ro", "/", "--chdir", "/work"),
    ]


def agent_command(limits: Limits, channel: int) -> list[str]:
    """What runs in the box: Python without the user's settings and without ``site``, and the agent."""
    bounds = f"{limits.address_space},{limits.cpu_seconds},{limits.file_size},{limits.open_files}"
    python = [os.path.realpath(sys.executable), "-I", "-S", "-B", "-u"]
    return [*python, "/agent/agent.py", str(channel), bounds, *_python()[1]]


class Sandbox:
    """A running box. Start it in the thread that will outlive it: bubblewrap dies with the thread that started it.

    Args:
        paths: what is mounted.
        limits: what it may use.

    Attributes:
        channel: the judge's end of the one connection into the box.
        ended: why the watchdog ended it, "" if it did not.

    Raises:
        CourseError: bubblewrap is missing, too old, or may not make namespaces.
    """

    def __init__(self, paths: Paths, limits: Limits = Limits()) -> None:
        self.limits, self.ended, self._stop = limits, "", threading.Event()
        self.channel, inner = socket.socketpair()
        try:
            with inner:
                self._spawn(paths, inner.fileno())
        except BaseException:
            self.channel.close()
            raise
        self._watch = threading.Thread(target=self._watchdog, daemon=True)
        self._watch.start()

    def _spawn(self, paths: Paths, inner: int) -> None:
        read_end, write_end = os.pipe()
        with contextlib.ExitStack() as opened:

            def hold(data: bytes) -> int:
                return opened.enter_context(_holding(data)).fileno()

            program = seccomp.program()
            accounts, filter_fd = hold(ACCOUNTS), None if program is None else hold(program)
            options = "\0".join(arguments(paths, self.limits, write_end, accounts, filter_fd)) + "\0"
            fds = [inner, write_end, accounts, filter_fd, listed := hold(options.encode())]
            # the options come by descriptor and the environment is empty, because /proc/1 in the box shows both
            line = [bubblewrap(), "--args", str(listed), "--", *agent_command(self.limits, inner)]
            null, handed = subprocess.DEVNULL, [fd for fd in fds if fd is not None]
            self.process = subprocess.Popen(
                line, stdin=null, stdout=null, stderr=subprocess.PIPE, pass_fds=handed, env={}
            )
            os.close(write_end)
            try:
                self._identify(read_end)
            finally:
                os.close(read_end)

    def _identify(self, info: int) -> None:
        """Learn the number of the box's first process; killing that one kills everything inside."""
        data, deadline = b"", time.monotonic() + 20
        while b"}" not in data and select.select([info], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not (part := os.read(info, 4096)):
                break
            data += part
        try:
            self.init = int(json.loads(data)["child-pid"])
            self._init_fd = os.pidfd_open(self.init)
        except (ValueError, KeyError, ProcessLookupError):
            raise CourseError(self._why_not()) from None

    def _why_not(self) -> str:
        """The sentence for a box that could not be built."""
        self.process.kill()
        said = self.process.communicate()[1].decode("utf-8", "replace").strip().splitlines()
        text = said[-1].removeprefix("bwrap: ")[:200] if said else "it ended without a word"
        remedy = f"; {REMEDY_NAMESPACES}" if re.search("namespace|uid map|ermission", text) else ""
        return f"the sandbox could not be built, so nothing was run ({text}){remedy}"

    def ready(self) -> None:
        """Call when the agent has said hello: from now on nobody reads the box's standard error."""
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.agent = next(iter(children(self.init)), 0)
        self._agent_fd = os.pidfd_open(self.agent) if self.agent else -1

    def interrupt(self) -> None:
        """Ctrl-C for the agent (which may ignore it)."""
        with contextlib.suppress(OSError, ValueError):
            signal.pidfd_send_signal(self._agent_fd, signal.SIGINT)

    @property
    def alive(self) -> bool:
        """Whether the agent still runs."""
        return self.process.poll() is None

    def complaint(self) -> str:
        """What was written to standard error before the agent said hello (for a start that failed)."""
        self.kill()
        return self._why_not()

    def _watchdog(self) -> None:
        while not self._stop.wait(0.03):
            if self.process.poll() is not None:
                return self.kill()
            members = list(tree(self.init))
            if len(members) > self.limits.processes:
                return self.kill(f"more than {self.limits.processes} processes at once")
            if resident(members) > self.limits.memory and proportional(members) > self.limits.memory:
                return self.kill(f"more than {self.limits.memory // MIB} MiB of memory")
        return None

    def kill(self, reason: str = "") -> None:
        """End every process of the box, now. Safe to call again."""
        self.ended = self.ended or reason
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.channel.shutdown(socket.SHUT_RDWR)  # wakes whoever waits for an answer

    def close(self) -> None:
        """Kill, wait until the last process is gone, and release everything."""
        self._stop.set()
        self.kill()
        self._watch.join()
        self.process.kill()
        self.process.wait()
        select.select([self._init_fd], [], [], 10)  # readable once the box's first process, hence every one, is gone
        for fd in {self._init_fd, getattr(self, "_agent_fd", -1)} - {-1}:
            os.close(fd)
        self._init_fd = self._agent_fd = -1
        self.channel.close()
        if self.process.stderr is not None:
            self.process.stderr.close()


@contextlib.contextmanager
def _holding(data: bytes) -> Iterator[socket.socket]:
    """A descriptor from which exactly ``data`` can be read."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        yield theirs


# ---------------------------------------------------------------- looking at processes
