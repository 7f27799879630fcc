"""The layers of the sandbox by name, and the one switch that tests use to remove one of them.

No job, release or command line can set this switch, only code in the grader's own process, which could do anything without
it. The attack suite removes each layer in turn to show what it stops.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from course_utils.errors import CourseError

OVERRIDE = "AUTOGRADER_WITHOUT"  # environment variable: layers that an instructor grades without
DISPENSABLE = frozenset({"cgroup"})


@dataclass(frozen=True)
class _Layers:
    """Which layers are on: all of them, unless a test turns one off with :func:`without`."""

    namespaces: bool = True  # own processes, network and file system; off: the host's are visible inside
    seccomp: bool = True  # filter of system calls
    cgroup: bool = True  # memory, tasks and CPU of all processes together, enforced by the kernel
    watchdog: bool = True  # the same counted from outside, thirty times a second
    rlimits: bool = True  # limits of each process
    neutral_mounts: bool = True  # no name of a host folder can be read inside


NAMES = tuple(field.name for field in fields(_Layers))
_active = _Layers()


def active() -> _Layers:
    """The layers of sandboxes that start now."""
    return _active


@contextlib.contextmanager
def without(*names: str) -> Iterator[None]:
    """Start sandboxes without the named layers: for tests in this process, and processes forked from it."""
    global _active
    before = _active
    _active = replace(before, **dict.fromkeys(names, False))
    try:
        yield
    finally:
        _active = before


def overridden() -> frozenset[str]:
    """Layers that the instructor accepts as missing (``AUTOGRADER_WITHOUT=cgroup``).

    Raises:
        CourseError: a named layer is not in DISPENSABLE.
    """
    named = frozenset(os.environ.get(OVERRIDE, "").replace(",", " ").split())
    if named - DISPENSABLE:
        wrong, possible = ", ".join(sorted(named - DISPENSABLE)), ", ".join(sorted(DISPENSABLE))
        raise CourseError(f"{OVERRIDE}={wrong}: student code never runs without that; only {possible} can be named")
    return named
