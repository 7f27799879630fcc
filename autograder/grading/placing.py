"""A folder takes another's place in one step, so that a process that is killed leaves the old one or the new one."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from pathlib import Path

AT_FDCWD, RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h
# What a kernel, a C library or a file system says that cannot exchange two names
UNABLE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def put(new: Path, place: Path) -> None:
    """Move the folder ``new`` to ``place``, whose old content goes.

    Where the file system cannot exchange two names (some network file systems), the old folder stands aside for a
    moment; after a kill the next call puts it back. (``source.build.replace_folder`` is for folders that keep entries.)

    Raises:
        OSError: there is no ``new``, or the disk fails; ``place`` is then as it was.
    """
    old = place.with_name(f".{place.name}.old")
    if old.exists() and not place.exists():
        old.replace(place)
    if not place.exists():
        new.replace(place)
    elif exchanged(new, place):
        shutil.rmtree(new, ignore_errors=True)  # the old content; what stays is replaced by the next hand-in
    else:
        _moved(new, place, old)
    shutil.rmtree(old, ignore_errors=True)


def _moved(new: Path, place: Path, old: Path) -> None:
    shutil.rmtree(old, ignore_errors=True)
    place.replace(old)
    try:
        new.replace(place)
    except OSError:
        old.replace(place)
        raise


def exchanged(one: Path, other: Path) -> bool:
    """Give each of two paths of one file system the other's content; False where the system cannot.

    Raises:
        OSError: one of them does not exist, or the disk fails.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in UNABLE:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))
