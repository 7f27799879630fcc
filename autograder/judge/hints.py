"""What a student is shown about a check that did not pass: fixed sentences, and nothing that the student's code chose.

A hint consists of an exception's name from a closed list (``sandbox.kernel.EXCEPTIONS``), a line number of the answer cell,
and sentences of the check or of this module. Of handed-in files it has at most the name of a tensor, where that consists
of letters, digits, ``_`` and dots (:mod:`autograder.judge.files`). An exception's text and the names of types are in the
instructor's detail.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.records import Status
from autograder.sandbox.kernel import KernelStopped, RemoteError
from course_utils.checks.selfcheck import HandinError, StudentError

HINT_LENGTH = 600
DETAIL_LENGTH = 6000
TOO_LONG = "the check was stopped because your code took too long"
TOO_LARGE = "what your code returned is too large to be checked"
TOO_DEEP = "what your code returned is too large or nested too deeply to be checked"
UNUSABLE = "the check could not use what your code returned"
SILENT = "this check decided nothing, so it gives no points"
NOTHING_RIGHT = "none of what was asked came out right"
NOT_AS_ASKED = "the result is not as asked"
UNNAMED = "not written yet, or not under the name that the text gives"
NO_PYTHON = "the cell is not valid Python, so nothing in it was defined: run it, and mend the line that the error names"
OTHER_INPUTS = (
    "it passes with the inputs that everybody may see, but fails with other inputs that the text allows: try other sizes "
    "and values, also the smallest and the largest, and look for anything that holds for your example alone"
)
OTHER_DATA = (
    "what can be checked in the open is right, but with the test data that only the grader has the result is not what the "
    "text asks for: look at the whole way from the training to the files that you handed in"
)


class CheckTimeout(BaseException):
    """The check as a whole took too long. Not an ``Exception``, so that no check catches it by accident."""


class PrivateTouched(BaseException):
    """The explaining pass came to a line that reads the instructor's hidden files: it ends there, undecided."""


@dataclass(frozen=True)
class CheckOutcome:
    """How a check ended, before points are given.

    Attributes:
        undecided: the check ended where it reads the instructor's hidden files.
        credited: the check used ``c.credit``, so a share of the points is possible.
        parts: shares of the points by part, of the parts that are right; None for a check without named parts.
        stopped: the part in whose trials the check took too long or the kernel ended; "" if in none.
    """

    status: Status
    hint: str = ""
    detail: str = ""
    fraction: float = 0.0
    undecided: bool = False
    credited: bool = False
    parts: Mapping[str, float] | None = None
    stopped: str = ""


def explain(error: BaseException, lines: int) -> CheckOutcome:
    """The outcome of a check that ended with ``error``; ``lines`` is the number of lines of the answer cell."""
    if isinstance(error, PrivateTouched):
        return CheckOutcome("failed", OTHER_DATA, undecided=True)
    simple: list[tuple[Any, Callable[[Any], tuple[Status, str]]]] = [
        (CheckTimeout, lambda e: ("timeout", TOO_LONG)),
        (KernelStopped, lambda e: (e.status, e.text)),
        (StudentError, lambda e: of_student(e, lines)),
        (HandinError, lambda e: ("failed", str(e))),
        (AssertionError, lambda e: ("failed", str(e) or NOT_AS_ASKED)),
        (MemoryError, lambda e: ("error", TOO_LARGE)),
    ]
    for kind, sentence in simple:
        if isinstance(error, kind):
            status, hint = sentence(error)
            return CheckOutcome(status, shown(hint), _story(error))
    return CheckOutcome("error", UNUSABLE, _story(error))


def of_student(error: StudentError, lines: int) -> tuple[Status, str]:
    """Status and hint for an exception of the student's code, with its line number if that lies in the answer cell."""
    if error.unsolved:
        return "unsolved", UNNAMED if error.undefined else "not written yet"
    if error.kind == "WireError":
        return "failed", TOO_DEEP
    place = f" in line {error.line}" if error.line and 1 <= error.line <= lines else ""
    return "error", f"your code raised {error.kind}{place}{error.advice}"


def shown(hint: str) -> str:
    """The hint in a form that a page can show: one line, printable, of bounded length."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in hint).split())
    return text.encode("utf-8", "replace").decode()[:HINT_LENGTH]


def _story(error: BaseException) -> str:
    """Everything about the error, for the instructor."""
    words = [f"{e.claimed}: {e.text}\n" for e in _chain(error) if isinstance(e, RemoteError)]
    story = "".join([*traceback.format_exception(error), *words])[-DETAIL_LENGTH:]
    return story.encode("utf-8", "replace").decode()


def _chain(error: BaseException) -> list[BaseException]:
    """The error and its causes, at most ten in all."""
    found: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and len(found) < 10:
        found.append(step)
        step = step.__cause__ or step.__context__
    return found
