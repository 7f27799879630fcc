"""What Python's own files and installed packages tell about the host's folders, and how it is taken out of them.

Bytecode contains the path of its source. A Python that was built or unpacked in a person's folder contains that folder in
its libraries and settings. Such paths are replaced by neutral ones of the same length, so that a file's sizes and offsets
stay: bytecode where it lies, Python's own files in copies that are mounted over the originals.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

SYSTEM = ("/usr/", "/lib/", "/lib64/")  # the same on every machine
EMPTY = ".empty"  # a folder that is mounted over what nobody needs inside
EMPTIED = ("site-packages", "test")  # folders of the standard library


def site_folders() -> list[Path]:
    """Folders of installed packages of the running Python, in import order."""
    ends = ("site-packages", "dist-packages")
    found = [Path(entry).resolve() for entry in sys.path if Path(entry).name in ends and Path(entry).is_dir()]
    return list(dict.fromkeys(found))


def base() -> Path:
    """The folder of the Python that runs, not of a virtual environment."""
    return Path(sys.base_prefix).resolve()


def library() -> Path:
    """The folder of the standard library."""
    return Path(os.__file__).resolve().parent


def of_system(folder: Path) -> bool:
    """Whether a folder belongs to the operating system, so that its name tells nothing."""
    return f"{folder}/".startswith(SYSTEM)


@functools.cache
def spellings() -> tuple[tuple[bytes, bytes], ...]:
    """Paths that must not be read inside, the longest first, each with a neutral one of the same length in bytes.

    The last name stays: linkers store a text that ends another one, such as Python's version, as the end of that one.
    """
    told = {Path(sys.base_prefix), base(), Path(sys.prefix), Path(sys.prefix).resolve(), *site_folders()}
    paths = sorted((path for path in told if not of_system(path)), key=lambda path: -len(os.fsencode(path)))
    parents = [(path.name, os.fsencode(path.parent)) for path in paths if path.parent != path.parent.parent]
    return tuple(
        (parent + b"/" + os.fsencode(name), b"/".ljust(len(parent), b"-") + b"/" + os.fsencode(name))
        for name, parent in parents
    )


def neutral(data: bytes) -> bytes:
    """The same bytes with the neutral paths."""
    for path, name in spellings():
        data = data.replace(path, name)
    return data


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write a file atomically: a process may just be reading it."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


# ---------------------------------------------------------------- bytecode


def _bytecode(folder: Path) -> Iterator[Path]:
    for top, inner, names in os.walk(folder):
        if Path(top) == library():  # what is below these is not mounted
            inner[:] = [name for name in inner if name not in EMPTIED]
        yield from (Path(top) / name for name in names if name.endswith(".pyc"))


def rewrite_bytecode(folder: Path) -> list[Path]:
    """Take the host's paths out of all bytecode below ``folder``. Return the files that could not be written."""
    left = []
    for path in _bytecode(folder):
        with contextlib.suppress(FileNotFoundError):  # a temporary file of Python's own
            data = path.read_bytes()
            if (told := neutral(data)) != data:
                try:
                    _write(path, told, path.stat().st_mode & 0o777)
                except OSError:
                    left.append(path)
    return left


def _cache() -> Path:
    return Path(platformdirs.user_cache_dir("transformers-by-building")) / "neutral"


def _stamp(folder: Path) -> Path:
    return _cache() / hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]


@functools.cache
def folders() -> tuple[Path, ...]:
    """Folders whose bytecode can be read inside and may name the host's folders."""
    return tuple(path for path in (*site_folders(), library()) if not of_system(path))


def bytecode(*, thorough: bool = False) -> list[Path]:
    """Take the host's paths out of the bytecode of packages and of the standard library.

    Args:
        thorough: read all of it, within seconds; otherwise only where packages were installed since the last time.

    Returns:
        The files that still tell, since they could not be written.
    """
    left = []
    for folder in folders():
        stamp, now = _stamp(folder), folder.stat().st_mtime_ns
        if thorough or not stamp.exists() or stamp.read_text() != str(now):
            left += rewrite_bytecode(folder)
            with contextlib.suppress(OSError):  # without a cache it is read again the next time
                stamp.parent.mkdir(parents=True, exist_ok=True)
                _write(stamp, str(now).encode(), 0o600)
    return left


@functools.cache
def bytecode_once() -> None:
    """The quick form, once in a process."""
    bytecode()


# ---------------------------------------------------------------- Python's own files


def _own_files() -> Iterator[Path]:
    """Files of the running Python that are mounted, bytecode aside."""
    yield Path(os.path.realpath(sys.executable))
    lib = base() / "lib"
    yield from (path for path in sorted(lib.glob("libpython*")) if path.is_file())
    for top, inner, names in os.walk(library()):
        inner[:] = [name for name in inner if name not in (*EMPTIED, "__pycache__") and not name.startswith("config-")]
        yield from (Path(top) / name for name in sorted(names))


def _key() -> str:
    marks = [Path(os.path.realpath(sys.executable)), library()]
    told = [sys.version, *(f"{path}:{path.stat().st_mtime_ns}" for path in marks), repr(spellings())]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def _make(folder: Path) -> None:
    """Write neutral copies of the files that tell, each under its path below Python's folder."""
    for path in _own_files():
        if path.is_relative_to(base()) and not path.is_symlink():
            data = path.read_bytes()
            if (told := neutral(data)) != data:
                copy = folder / path.relative_to(base())
                copy.parent.mkdir(parents=True, exist_ok=True)
                _write(copy, told, path.stat().st_mode & 0o777)


@functools.cache
def copies() -> Path:
    """The folder of neutral copies, made once for a Python and kept in the user's cache."""
    found = _cache() / f"python-{_key()}"
    if found.is_dir():
        return found
    found.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=found.parent))
    try:
        (new / EMPTY).mkdir()
        _make(new)
        with contextlib.suppress(OSError):  # another process was first
            new.rename(found)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return found


@functools.cache
def over(inside: str) -> tuple[str, ...]:
    """Bubblewrap's options that cover what tells below Python's folder.

    Args:
        inside: Python's folder in the sandbox.
    """
    empty = [*(library() / name for name in EMPTIED), base() / "lib/pkgconfig", *sorted(library().glob("config-*"))]
    nothing = ("--ro-bind", str(copies() / EMPTY))
    masks = [p for path in empty if path.is_dir() for p in (*nothing, f"{inside}/{path.relative_to(base())}")]
    files = sorted(path for path in copies().rglob("*") if path.is_file())
    return (*masks, *(p for path in files for p in ("--ro-bind", str(path), f"{inside}/{path.relative_to(copies())}")))
