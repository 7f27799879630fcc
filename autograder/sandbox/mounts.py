"""The file system inside the sandbox: what Python needs, under names that reveal nothing about the host.

``/proc/self/mountinfo`` names the host folder of every mount. So there is no ``/proc`` inside, only copies of the few files
in which libraries read the processor's properties. The system-call filter refuses ``statmount``, which gives the same names.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from autograder.sandbox import neutral
from autograder.sandbox.layers import active
from autograder.sandbox.neutral import base, of_system, site_folders

Hold = Callable[[bytes], int]  # keeps bytes for bubblewrap; returns the file descriptor to read them from

ACCOUNTS = b"student:x:1000:1000:student:/home/student:/bin/sh\n"
WRITABLE = ("/tmp", "/home/student", "/work", "/dev/shm")
PROGRAMS = "cat cp date echo env false grep head id ls mkdir mv nproc pwd rm sed sh sleep sort tail touch true uname wc"
LINKS = ("/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin")
SHARED = ("/usr/share/zoneinfo", "/usr/share/fonts", "/usr/lib/locale", "/etc/localtime", "/etc/alternatives")
PROCESSOR = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
OWN = {"course", "handin", "agent", "site", "python", "work", "dev", "proc", "sys", "usr", "etc", "lost+found"}


def site_places() -> list[str]:
    """Paths of the package folders inside the sandbox."""
    return [f"/site/{number}" for number in range(len(site_folders()))]


def _moved() -> bool:
    """Whether Python has another path inside, because its own path may contain a person's name."""
    return active().neutral_mounts and not of_system(base())


def python_inside() -> str:
    """The interpreter's path in the sandbox."""
    real = Path(os.path.realpath(sys.executable))
    return f"/python/bin/{real.name}" if _moved() else str(real)


def environment() -> dict[str, str]:
    """Environment variables with which Python at another path finds its own shared library."""
    return {"LD_LIBRARY_PATH": "/python/lib"} if _moved() and sysconfig.get_config_var("Py_ENABLE_SHARED") else {}


def _bind(*paths: str | Path, attempt: bool = False) -> list[str]:
    """Options for read-only mounts of paths under their own names."""
    option = "--ro-bind-try" if attempt else "--ro-bind"
    return [part for path in paths for part in (option, str(path), str(path))]


def _links() -> list[str]:
    """Options for the host's links such as ``/lib64 -> usr/lib64``."""
    found = [(str(Path(name).readlink()), name) for name in LINKS if Path(name).is_symlink()]
    return [part for target, name in found for part in ("--symlink", target, name)]


@functools.cache
def _library_folders() -> tuple[str, ...]:
    """Folders of the system's shared libraries: those from which this process has loaded some, and the loader's."""
    with open("/proc/self/maps") as maps:  # noqa: PTH123
        used = {str(Path(found).resolve().parent) for found in re.findall(r"(/\S*\.so\S*)$", maps.read(), re.MULTILINE)}
    folders = {folder for folder in used if folder.startswith(("/usr/lib", "/lib"))}
    folders |= {name for name in ("/usr/lib64", "/lib64") if Path(name).is_dir() and not Path(name).is_symlink()}
    outer = [
        folder for folder in folders if not any(folder != other and folder.startswith(other + "/") for other in folders)
    ]
    return tuple(sorted(outer))


@functools.cache
def _programs() -> tuple[str, ...]:
    """Options for mounts of the few programs that a notebook's ``!`` line may call."""
    found = [(shutil.which(name, path="/usr/bin:/bin"), name) for name in PROGRAMS.split()]
    where = "/usr/bin" if Path("/bin").is_symlink() else "/bin"
    return tuple(p for path, name in found if path for p in ("--ro-bind", os.path.realpath(path), f"{where}/{name}"))


def _python() -> list[str]:
    """Options for mounts of the interpreter, its standard library and its shared library."""
    real = os.path.realpath(sys.executable)
    if not active().neutral_mounts:
        return [] if of_system(base()) else _bind(base())
    if not _moved():
        return _bind(real, *sorted({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}))
    libraries = {"lib", sys.platlibdir}
    parts = [p for name in sorted(libraries) for p in ("--ro-bind-try", str(base() / name), f"/python/{name}")]
    return ["--ro-bind", real, python_inside(), *parts, *neutral.over("/python")]


@functools.cache
def _telling() -> tuple[str, ...]:
    """Options that make files of installed packages unreadable which contain the path of the course's checkout."""
    patterns = ("__editable__*", "*.pth", "*.egg-link", "*.dist-info/direct_url.json")
    return tuple(
        part
        for folder, place in zip(site_folders(), site_places(), strict=True)
        for pattern in patterns
        for path in sorted(folder.glob(pattern))
        if path.is_file()
        for part in ("--ro-bind", "/dev/null", f"{place}/{path.relative_to(folder)}")
    )


def _packages() -> list[str]:
    """Options for mounts of installed packages. Their ``.pth`` files are not read, so editable installs are not found."""
    if active().neutral_mounts:
        neutral.bytecode_once()
    pairs = zip(site_folders(), site_places(), strict=True)
    mounts = [part for folder, place in pairs for part in ("--ro-bind", str(folder), place)]
    return [*mounts, *(_telling() if active().neutral_mounts else ())]


@functools.cache
def _fonts() -> tuple[tuple[str, bytes], ...]:
    """matplotlib's list of fonts, if this machine has one: making a new list takes seconds in every sandbox.

    Fonts in a person's own folders are left out: they do not exist inside, and their paths contain the person's name.
    """
    if importlib.util.find_spec("matplotlib") is None:
        return ()
    import matplotlib

    found = []
    for path in sorted(Path(matplotlib.get_cachedir()).glob("fontlist-*.json")):
        listed = json.loads(path.read_text())
        for key in ("afmlist", "ttflist"):
            fonts = listed.get(key, [])
            listed[key] = [f for f in fonts if f["fname"].startswith("/usr/share/fonts/") or f["fname"][:1] != "/"]
        found.append((path.name, json.dumps(listed).encode()))
    return tuple(found)


@functools.cache
def _copy(path: str) -> bytes:
    return Path(path).read_bytes()


def _processes(hold: Hold) -> list[str]:
    """Options for copies of the files of ``/proc`` that describe the processor; there is no ``/proc`` itself."""
    if not active().namespaces:
        return ["--bind", "/proc", "/proc"]
    if not active().neutral_mounts:
        # read-only as a whole: bubblewrap covers its dangerous parts only where their folders are writable
        return ["--proc", "/proc", "--remount-ro", "/proc"]
    return [part for path in PROCESSOR for part in ("--ro-bind-data", str(hold(_copy(path))), path)]


def _system() -> list[str]:
    """Options for read-only mounts of the operating system."""
    if active().neutral_mounts:
        return [*_bind(*_library_folders()), *_links(), *_bind(*SHARED, attempt=True), *_programs()]
    folders = [name for name in LINKS if Path(name).is_dir() and not Path(name).is_symlink()]
    etc = ("/etc/ld.so.cache", "/etc/fonts", "/etc/mime.types", "/etc/localtime", "/etc/alternatives")
    return [*_bind("/usr", *folders), *_links(), *_bind(*etc, attempt=True)]


def _host() -> list[str]:
    """Options for mounts of the host's own folders, for a test without namespaces."""
    if active().namespaces:
        return []
    names = [path for path in sorted(Path("/").iterdir()) if path.is_dir() and not path.is_symlink()]
    seen = [str(path) for path in names if path.name not in OWN]
    return [part for name in seen for part in ("--bind", name, name)]


def _agent(folder: Path) -> list[str]:
    """Options for mounts of the agent's source files alone: bytecode beside them contains the path of the checkout."""
    sources = [folder / "agent.py", *sorted((folder / "wire").glob("*.py"))]
    return [p for path in sources for p in ("--ro-bind", str(path), f"/agent/{path.relative_to(folder)}")]


def mounts(public: Path, files: Path, agent: Path, disk: int, hold: Hold) -> list[str]:
    """Bubblewrap's options that build the file system.

    Args:
        public: the release's ``student/`` folder, inside as ``/course``.
        files: the submitted files, inside as ``/handin``.
        agent: folder of ``agent.py`` and ``wire/``.
        disk: bytes of each writable folder.
        hold: keeps bytes and returns their file descriptor.
    """
    size = ["--size", str(disk), "--tmpfs"]
    fonts = [p for name, data in _fonts() for p in ("--ro-bind-data", str(hold(data)), f"/tmp/matplotlib/{name}")]
    return [
        *(*size, "/tmp", *size, "/home/student", *size, "/work", *_host()),
        *(*_system(), "--ro-bind-data", str(hold(ACCOUNTS)), "/etc/passwd", *_python(), *_packages(), *fonts),
        # memory mapped from /dev/zero would not be counted
        *(*_processes(hold), "--dev", "/dev", "--ro-bind", "/dev/null", "/dev/zero", *size, "/dev/shm"),
        *("--remount-ro", "/dev", "--ro-bind", str(public.resolve()), "/course"),
        *("--ro-bind", str(files.resolve()), "/handin"),
        *_agent(agent),
        *("--remount-ro", "/", "--chdir", "/work"),
    ]
