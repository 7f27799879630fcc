"""Ways to ask a student's code for values. The judge and the notebook ask alike, and the reference is asked the same way.

An :class:`Ask` is plain data: the name of a way and its options, so that it can stand in a file. ``student`` is whatever
gives names: the student's notebook, here or in a sandbox, or :class:`Reference`. Nothing here compares anything.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case, Seeded
from course_utils.checks.selfcheck import Held, Student
from course_utils.errors import CourseError

MOST_ENTRIES = 100_000
WAYS: dict[str, Callable[..., Any]] = {}


@dataclass(frozen=True)
class Ask:
    """One way to ask, with its options (plain values, or another Ask that it builds on)."""

    way: str
    options: tuple[Any, ...] = ()

    def __call__(self, student: Any, case: Case) -> Any:
        """What the student's code answers: plain values. Raises StudentError."""
        return _way(self.way)(student, case, *self.options)

    @property
    def name(self) -> str:
        """The name of the notebook that is asked for."""
        first = self.options[0] if self.options else ""
        inner = next((option for option in self.options if isinstance(option, Ask)), None)
        return inner.name if inner else str(first)


def _way(name: str) -> Callable[..., Any]:
    """A way of this module or of trouble.py by its short name, a lesson's own by its full one."""
    if name in WAYS:
        return WAYS[name]
    module, _, function = name.rpartition(".")
    if not module.startswith("course_utils."):
        known = ", ".join(sorted(WAYS))
        raise CourseError(f"{name}: no such way to ask; name one of {known}, or a function of course_utils.")
    return getattr(importlib.import_module(module), function)


def way(function: Callable[..., Any]) -> Callable[..., Any]:
    """Enter a way to ask under the function's name, without a leading underscore."""
    WAYS[function.__name__.lstrip("_")] = function
    return function


class Reference(Student):
    """The oracle, asked as a student is: names and what they stand for."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__(lambda: dict(names))


def fresh(value: Any) -> Any:
    """An argument as it is sent: generators begin anew."""
    return value.fresh() if isinstance(value, Seeded) else value


def call(name: str) -> Ask:
    """Call the function of this name with the case's arguments."""
    return Ask("call", (name,))


@way
def _call(student: Any, case: Case, name: str) -> Any:
    named = {key: fresh(value) for key, value in case.kwargs.items()}
    return opened(getattr(student, name)(*map(fresh, case.args), **named))


def opened(value: Any, depth: int = 0) -> Any:
    """The value with sequences of the student's own kind (named tuples, lists of a class) opened into tuples.

    What has no length stays a handle; comparing says so.
    """
    if type(value) in (list, tuple):
        return type(value)(opened(item, depth + 1) for item in value)
    if not is_handle(value) or depth > 4:
        return value
    try:
        size = len(value)
        if size > MOST_ENTRIES:
            raise CheckFailed("the result has too many entries to be checked")
        return tuple(opened(value[index], depth + 1) for index in range(size))
    except CheckFailed:
        raise
    except Exception:  # no sequence: a class of its own, a generator
        return value


def is_handle(value: object) -> bool:
    """Whether this stands for an object that stays on the student's side, here or in a sandbox."""
    return isinstance(value, Held)


def sendable(value: Any) -> bool:
    """Whether a call could change this argument."""
    return isinstance(value, Tensor | list | dict)
