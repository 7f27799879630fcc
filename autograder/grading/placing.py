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

    Where the file system cannot exchange two names (some network file systems), the old folder is deleted first.

    Raises:
        OSError: there is no ``new``, or the disk fails; ``place`` is then as it was.
    """
    if place.exists() and not exchanged(new, place):
        shutil.rmtree(place)
    if place.exists():
        shutil.rmtree(new, ignore_errors=True)  # the old content; what stays is replaced by the next hand-in
    else:
        new.replace(place)


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
