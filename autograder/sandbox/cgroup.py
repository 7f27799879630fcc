"""Control groups: memory (the kernel's own included), tasks and processor share of all processes of one sandbox.

Three ways are tried in turn: a cgroup v2 folder in which this account may make groups, cgroup v1 controllers that can be
written, and a scope from ``systemd-run``. The first one that works is used.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.sandbox.processes import parent, tree

PREFIX = "autograder-"
PERIOD = 100_000  # microseconds
CONTROLLERS = ("memory", "pids", "cpu")
_numbers = itertools.count()


@dataclass(frozen=True)
class Bounds:
    """What a group may use. ``cores`` is processor seconds per second."""

    memory: int
    tasks: int
    cores: float


@dataclass(frozen=True)
class Machine:
    """Where this process and the cgroup file systems are: the texts of ``/proc/self/mountinfo`` and ``/proc/self/cgroup``."""

    mountinfo: str
    cgroup: str

    @classmethod
    def this(cls) -> Machine:
        """The machine on which this process runs."""
        return cls(Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text())

    def mounted(self) -> Iterator[tuple[str, str, Path, list[str]]]:
        """Type, root, mount point and options of every cgroup file system."""
        for line in self.mountinfo.splitlines():
            left, _, right = line.partition(" - ")
            if (fields := right.split())[:1] in (["cgroup"], ["cgroup2"]):
                yield fields[0], left.split()[3], Path(left.split()[4]), fields[-1].split(",")

    def own(self, controller: str) -> tuple[Path, Path] | None:
        """This process's folder for a v1 controller ("" for v2), and the mount point above it."""
        paths = {name: path for line in self.cgroup.splitlines() for name, path in _memberships(line)}
        for kind, root, point, options in self.mounted():
            fits = kind == "cgroup2" if not controller else kind == "cgroup" and controller in options
            if fits and controller in paths:
                inner = os.path.relpath(paths[controller], root)
                return (point if inner.startswith("..") else point / inner), point
        return None


def _memberships(line: str) -> list[tuple[str, str]]:
    number, controllers, path = line.split(":", 2)
    return [(name, path) for name in (controllers.split(",") if number != "0" else [""])]


@dataclass
class Group:
    """The group of one sandbox: folders on disk, and what is enforced there.

    Attributes:
        kind: "cgroup v2", "systemd-run" or "cgroup v1".
        folders: controller -> folder ("" for v2).
        bounded: the controllers that accepted their bounds.
        prefix: words before a command that let it start in the group.
    """

    kind: str
    folders: dict[str, Path]
    bounded: list[str] = field(default_factory=list)
    prefix: list[str] = field(default_factory=list)

    def add(self, pid: int) -> None:
        """Move a process, with all processes that it starts later, into the group. Raises OSError."""
        for folder in self.folders.values():
            (folder / "cgroup.procs").write_text(str(pid))

    def holds(self, pid: int) -> bool:
        """Whether the process is in every folder of the group."""
        listed = [_read(folder / "cgroup.procs").split() for folder in self.folders.values()]
        return bool(listed) and all(str(pid) in pids for pids in listed)

    def exceeded(self) -> bool:
        """Whether the kernel has ended a process of the group for its memory."""
        text = "".join(_read(folder / name) for folder in self.folders.values() for name in OOM_FILES)
        return any(int(count) > 0 for count in re.findall(r"^oom_kill (\d+)", text, re.MULTILINE))

    def peak(self) -> int:
        """The largest number of bytes in use at once, the kernel's own included; 0 where it is not counted."""
        texts = [_read(folder / name) for folder in self.folders.values() for name in PEAK_FILES]
        return max((int(text) for text in texts if text.strip().isdigit()), default=0)

    def kill(self) -> None:
        """End every process of the group."""
        for folder in self.folders.values():
            with contextlib.suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
        for pid in {int(n) for folder in self.folders.values() for n in _read(folder / "cgroup.procs").split()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def remove(self, seconds: float = 2.0) -> None:
        """Remove the empty folders; those that cannot be removed in time are left for :func:`sweep`."""
        end = time.monotonic() + seconds
        for folder in self.folders.values():
            while not _removed(folder) and time.monotonic() < end:
                time.sleep(0.01)


OOM_FILES = ("memory.events", "memory.oom_control")
PEAK_FILES = ("memory.peak", "memory.max_usage_in_bytes")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _name() -> str:
    return f"{PREFIX}{os.getpid()}-{next(_numbers)}"


def sweep(folder: Path) -> None:
    """Remove empty groups in a folder that graders left which have ended."""
    for left in folder.glob(f"{PREFIX}*-*"):
        owner = left.name.removeprefix(PREFIX).split("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            _removed(left)


# ---------------------------------------------------------------- cgroup v2


def _settings_v2(bounds: Bounds) -> dict[str, list[tuple[str, str]]]:
    """Controller -> files and values; the first one must be accepted."""
    return {
        "memory": [("memory.max", str(bounds.memory)), ("memory.swap.max", "0"), ("memory.oom.group", "1")],
        "pids": [("pids.max", str(bounds.tasks))],
        "cpu": [("cpu.max", f"{int(bounds.cores * PERIOD)} {PERIOD}")],
    }


def _fill(group: Group, settings: dict[str, list[tuple[str, str]]], only: Sequence[str] = CONTROLLERS) -> None:
    """Write the bounds; a controller counts as bounded if its first file accepted the value."""
    for controller in only:
        folder = group.folders.get(controller) or group.folders[""]
        for place, (name, value) in enumerate(settings[controller]):
            try:
                if not (folder / name).exists():  # a group without the controller has no such file; do not make one
                    raise FileNotFoundError(name)
                (folder / name).write_text(value)
            except OSError:
                if place == 0:
                    break
        else:
            group.bounded.append(controller)


def _divisible(machine: Machine) -> Iterator[Path]:
    """Folders in which a group with a memory bound can be made, the nearest first."""
    found = machine.own("")
    if found is None:
        return
    folder, top = found
    for place in (folder, *folder.parents):
        divided = place.is_relative_to(top) and "memory" in _read(place / "cgroup.subtree_control").split()
        if divided and os.access(place, os.W_OK) and os.access(place / "cgroup.procs", os.W_OK):
            yield place
    if "memory" in _read(folder / "cgroup.controllers").split() and _vacated(folder):
        yield folder


def _vacated(folder: Path) -> bool:
    """Allow groups in a delegated folder: move its processes, if all belong to this grader, into a group below it."""
    if not os.access(folder / "cgroup.subtree_control", os.W_OK):
        return False
    inside = {int(n) for n in _read(folder / "cgroup.procs").split()}
    eldest = os.getpid()
    while (above := parent(eldest)) in inside:
        eldest = above
    if not inside or not inside <= set(tree(eldest)):
        return False
    try:
        (folder / f"{PREFIX}itself").mkdir(exist_ok=True)
        for pid in inside:
            (folder / f"{PREFIX}itself" / "cgroup.procs").write_text(str(pid))
        for controller in CONTROLLERS:
            with contextlib.suppress(OSError):
                (folder / "cgroup.subtree_control").write_text(f"+{controller}")
    except OSError:
        return False
    return "memory" in _read(folder / "cgroup.subtree_control")


def _v2(machine: Machine, bounds: Bounds) -> Group | None:
    for place in _divisible(machine):
        sweep(place)
        folder = place / _name()
        try:
            folder.mkdir()
        except OSError:
            continue
        group = Group("cgroup v2", {"": folder})
        _fill(group, _settings_v2(bounds))
        if "memory" in group.bounded:
            return group
        group.remove(0)
    return None


# ---------------------------------------------------------------- systemd


def _systemd_words(bounds: Bounds) -> list[str]:
    """The words that start a command in its own systemd scope."""
    settings = (
        f"MemoryMax={bounds.memory}",
        "MemorySwapMax=0",
        f"TasksMax={bounds.tasks}",
        f"CPUQuota={round(bounds.cores * 100)}%",
    )
    user = [] if os.getuid() == 0 else ["--user"]
    properties = [part for setting in settings for part in ("-p", setting)]
    unit = f"--unit={_name()}"
    program = shutil.which("systemd-run") or "systemd-run"
    return [program, *user, "--scope", "--quiet", "--collect", unit, *properties, "--"]


TELL = "cat $(sed -n 's,^0::,/sys/fs/cgroup,p' /proc/self/cgroup)/memory.max"


@functools.cache
def _systemd_works() -> bool:
    """Whether a scope can be made and has its memory bound; older user managers ignore the bound without an error."""
    if shutil.which("systemd-run") is None:
        return False
    command = [*_systemd_words(Bounds(256 * 2**20, 64, 1.0)), "sh", "-c", TELL]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and str(256 * 2**20) in done.stdout.split()


def _systemd(machine: Machine, bounds: Bounds) -> Group | None:
    if not _systemd_works():
        return None
    kept = {name: os.environ[name] for name in ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS") if name in os.environ}
    env = shutil.which("env") or "/usr/bin/env"  # a full path, because PATH is not set for the command
    before = [env, *(f"{name}={value}" for name, value in kept.items())]
    return Group("systemd-run", {}, ["memory", "pids", "cpu"], [*before, *_systemd_words(bounds), env, "-i"])


def located(group: Group, pid: int) -> None:
    """Find the folder of a scope from a process in it, if it has the grader's own prefix; counts and kills use it."""
    machine = Machine(Path("/proc/self/mountinfo").read_text(), _read(Path(f"/proc/{pid}/cgroup")))
    found = machine.own("")
    if found is not None and found[0].name.startswith(PREFIX):
        group.folders = {"": found[0]}


# ---------------------------------------------------------------- cgroup v1


def _settings_v1(bounds: Bounds) -> dict[str, list[tuple[str, str]]]:
    memory = str(bounds.memory)
    return {
        "memory": [("memory.limit_in_bytes", memory), ("memory.memsw.limit_in_bytes", memory),
                   ("memory.kmem.tcp.limit_in_bytes", str(16 * 2**20))],
        "pids": [("pids.max", str(bounds.tasks))],
        "cpu": [("cpu.cfs_quota_us", str(int(bounds.cores * PERIOD)))],
    }  # fmt: skip


def _v1(machine: Machine, bounds: Bounds) -> Group | None:
    folders: dict[str, Path] = {}
    for controller in CONTROLLERS:
        found = machine.own(controller)
        with contextlib.suppress(OSError):
            if found is not None:
                sweep(found[0])
                (folder := found[0] / _name()).mkdir()
                folders[controller] = folder
    group = Group("cgroup v1", folders)
    _fill(group, _settings_v1(bounds), list(folders))
    if "memory" in group.bounded:
        return group
    group.remove(0)
    return None


WAYS = (_v2, _v1, _systemd)


def make(bounds: Bounds, machine: Machine | None = None) -> Group | None:
    """A new, empty group with these bounds, or None if no way works on this machine."""
    machine = machine or Machine.this()
    for way in WAYS:
        if (group := way(machine, bounds)) is not None:
            return group
    return None
