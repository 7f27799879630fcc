"""One grader at a time on a release: a lock that the kernel releases when its holder ends, however it ends."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from getpass import getuser
from pathlib import Path
from typing import Any

from course_utils.errors import CourseError


@contextmanager
def alone(course: Path, *, wait: bool | None = None, erasing: bool = False) -> Iterator[None]:
    """Hold a course's lock while the block runs.

    Args:
        course: the nbgrader course of a release.
        wait: wait until the other grader has ended, instead of an error. None: an error, for commands without ``--wait``.
        erasing: though an erasure was begun: for the command that finishes it, and those that check and put back.

    Raises:
        CourseError: an erasure is to be finished first, somebody else is grading (who, which process, since when), or the folder
            cannot be written.
    """
    path = course / ".grading.lock"
    try:
        handle = path.open("a+b", buffering=0)  # nothing is left to be written when it is closed
    except OSError as error:
        raise CourseError(f"{path}: cannot be written ({error.strerror}); the release's folder must be") from error
    try:
        _take(handle, course, wait=wait)
        if not erasing:
            from autograder.grading.begun import require_none  # it imports nbgrader, for which no help waits

            require_none(course)
        with suppress(OSError):  # a full disk: the lock holds, only the name of its holder is missing
            _sign(handle)
        yield
        with suppress(OSError):
            handle.truncate(0)
    finally:
        with suppress(OSError):  # an error of the block must not be lost to one of the lock
            handle.close()


def _take(handle: Any, course: Path, *, wait: bool | None) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if not wait:
            other = ", or give --wait" if wait is not None else ", then give the command again"
            raise CourseError(f"{_holder(handle, course)}; wait for it to end{other}") from None
        print(f"{_holder(handle, course)}; waiting", file=sys.stderr)
        fcntl.flock(handle, fcntl.LOCK_EX)


def _sign(handle: Any) -> None:
    handle.seek(0)
    handle.truncate()
    since = datetime.now().astimezone().isoformat(" ", "seconds")
    about = {"who": person(), "pid": os.getpid(), "host": socket.gethostname(), "since": since}
    handle.write(json.dumps(about).encode())


def person() -> str:
    """The name of the person at the keyboard, for the record."""
    try:
        return getuser()
    except (KeyError, OSError):
        return "somebody"


def _holder(handle: Any, course: Path) -> str:
    """Who holds the lock, in a clause."""
    handle.seek(0)
    try:
        data = json.loads(handle.read())
        whom = f"{data['who']} (process {data['pid']} on {data['host']}, since {data['since']})"
    except (ValueError, KeyError, TypeError):
        whom = "another grader"
    return f"{whom} is grading in {course.parent} now"
