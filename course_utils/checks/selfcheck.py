"""What a check cell is given: `check`, `student` and `handin`, in a notebook.

The judge runs the same text elsewhere with its own `student`; it reuses :class:`Checker`, so that right and wrong mean
the same in both places. Nothing here knows an answer.
"""

from __future__ import annotations

import linecache
import math
import os
import random
import sys
import zlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn

import numpy as np
import torch

from course_utils.checks import handed, promised
from course_utils.checks.answers import answer_source, forbidden_names, namespace
from course_utils.checks.compare import CheckFailed, difference, plain, truth
from course_utils.checks.forbidden import refusal
from course_utils.checks.handin import Handin, HandinError
from course_utils.checks.student import Handle, Held, Student, StudentError
from course_utils.errors import CourseError

__all__ = [
    "CheckFailed",
    "Checker",
    "Handin",
    "HandinError",
    "Handle",
    "Held",
    "Student",
    "StudentError",
    "check",
    "explain",
    "forbidden_names",
    "handin",
    "ready",
    "results",
    "statuses",
    "student",
]


class Checker:
    """The ``c`` of ``with check(id) as c``: comparisons that fail with a hint, and fresh randomness.

    Attributes:
        id: exercise id.
        seed: seed of all three generators; the same seed draws the same inputs.
        fraction: share of the points when the block ends well.
    """

    def __init__(self, id: str, seed: int | None = None) -> None:
        self.id = id
        self.seed = zlib.crc32(id.encode()) if seed is None else seed  # a notebook gives the same verdict every time
        self.fraction = 1.0

    @cached_property
    def rng(self) -> random.Random:
        """Python's generator."""
        return random.Random(self.seed)

    @cached_property
    def np_rng(self) -> np.random.Generator:
        """numpy's generator."""
        return np.random.default_rng(self.seed)

    @cached_property
    def torch_rng(self) -> torch.Generator:
        """torch's generator, on the CPU."""
        return torch.Generator().manual_seed(self.seed % 2**63)

    def that(self, condition: Any, hint: str) -> None:
        """Fail with ``hint`` unless the condition holds (a bool, numpy bool or 0-dimensional bool tensor)."""
        if not truth(condition):
            raise CheckFailed(hint)

    def equal(self, got: Any, want: Any, hint: str) -> None:
        """Fail unless both are equal in kind, shape and value; lists and tuples count as the same kind."""
        self._compare(got, want, None, hint)

    def close(self, got: Any, want: Any, hint: str, atol: float = 1e-6, rtol: float = 1e-5) -> None:
        """Fail unless ``|got - want| <= atol + rtol·|want|`` everywhere, with equal shape and kind, also inside lists.

        Shape, kind of numbers, NaN and infinity have sentences of their own, before the hint.
        """
        self._compare(got, want, (atol, rtol), hint)

    def fails(self, hint: str) -> NoReturn:
        """Fail with ``hint``, at once."""
        raise CheckFailed(hint)

    def credit(self, fraction: float) -> None:
        """Give this share of the points (0 to 1) if the block ends well. Raises ValueError outside."""
        if not (math.isfinite(fraction) and 0 <= fraction <= 1):
            raise ValueError(f"credit({fraction}): a share of the points lies between 0 and 1")
        self.fraction = float(fraction)

    def _compare(self, got: Any, want: Any, tolerance: tuple[float, float] | None, hint: str) -> None:
        text = difference(plain(got), plain(want), tolerance)
        if text is not None:
            raise CheckFailed(f"{text}; {hint}" if text else hint)


def explain(error: BaseException) -> str:
    """One sentence for the student about what ended a check: a hint, their own exception, or a missing file."""
    if isinstance(error, StudentError):
        place = f" in line {error.line} of {error.place or 'your cell'}" if error.line else ""
        return f"your code raised {error.kind}{place}" + (f": {error.text}" if error.text else "") + error.advice
    if isinstance(error, CheckFailed | HandinError):
        return str(error)
    if isinstance(error, AssertionError):
        return str(error) or "the result is not as asked"
    return f"the check cannot use what your code returned ({type(error).__name__}: {error})"


student = Student()
handin = Handin()
handed.notebook.student, handed.notebook.handin = student, handin
_statuses: dict[str, str] = {}


def statuses() -> dict[str, str]:
    """Exercise id -> ``"passed"``, ``"partial"``, ``"failed"`` or ``"unsolved"``, for the checks run so far."""
    return dict(_statuses)


def results() -> dict[str, bool]:
    """Exercise id -> whether its visible check passed, for the checks run so far."""
    return {name: status == "passed" for name, status in _statuses.items()}


class _Place:
    """Where the course's data are, and which notebook runs; the session says so."""

    data = Path(__file__).resolve().parents[2] / "data"
    notebook = ""


place = _Place()


def check(id: str, forbid: Iterable[str] = (), seed: int | None = None, *, show: bool = False) -> Any:
    """Check an exercise: ``check("averaging")`` prints what it found, in ten lines at most.

    An exercise whose check is a block is checked with ``with check(id) as c:``.

    Args:
        id: exercise id.
        show: list what is promised, and check nothing.

    Raises:
        CheckFailed: something is not as asked, and nbgrader runs the notebook.
        CourseError: the course's file of visible cases is missing or damaged.
    """
    if (entry := promised.entry_of(id, place.data, place.notebook)) is None:
        if sys._getframe(1).f_code.co_filename not in ("<string>", __file__) and not _in_with(sys._getframe(1)):
            raise CourseError(f"There are no visible cases of {id} in {place.data}: unpack the course's files again.")
        return _Block(id, forbid, seed)
    if show:
        print("\n".join(promised.listed(id, entry)))
        return None
    student._touched.clear()
    _statuses[id], lines, sentence = promised.run(id, entry, student)
    print("\n".join(lines))
    if sentence and os.environ.get("NBGRADER_EXECUTION"):
        raise CheckFailed(sentence)  # silence must never turn into points
    return None


def ready(id: str) -> bool:
    """Whether an exercise's code keeps its promises in the visible cases, for a cell that trains with it.

    Files that are handed in are not looked at. What is not as asked is printed as :func:`check` prints it. While a submission
    is graded, nothing is trained and nothing is asked: True.

    Raises:
        CourseError: the course's file of visible cases is missing or damaged.
    """
    if os.environ.get("COURSE_GRADING") == "1":
        return True
    if (entry := promised.entry_of(id, place.data, place.notebook)) is None:
        raise CourseError(f"There are no visible cases of {id} in {place.data}: unpack the course's files again.")
    student._touched.clear()
    status, lines, _ = promised.run(id, entry, student, files=False)
    if status == "passed":
        return True
    print("\n".join([*lines, f"(This cell trains once the code of {id} is as asked.)"]))
    return False


def _in_with(frame: FrameType) -> bool:
    """Whether the call stands behind ``with``, as far as its line of text can be read."""
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return not text or text.startswith("with ")


class _Block:
    """``with check(id) as c``: in a notebook prints one line and never raises; under nbgrader's executor it raises.

    Names of the notebook that the block binds anew have their old values back when it ends: a check's ``vocab`` of a tiny
    world must not become that of the cells below.

    Args:
        id: exercise id.
        forbid: names that the answer must not use.
        seed: seed of the checker's random numbers; None derives it from the id.
    """

    def __init__(self, id: str, forbid: Iterable[str] = (), seed: int | None = None) -> None:
        self.checker, self.forbid = Checker(id, seed), tuple(forbid)

    def __enter__(self) -> Checker:
        student._touched.clear()
        self.names = dict(namespace())
        return self.checker

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        namespace().update(self.names)
        if error is not None and not isinstance(error, Exception):
            return False  # an interrupt is the user's wish
        if error is None:
            error = self._forbidden()
        self._report(error)
        if error is not None and os.environ.get("NBGRADER_EXECUTION"):
            raise CheckFailed(explain(error)) from None  # silence must never turn into points
        return True

    def _forbidden(self) -> CheckFailed | None:
        found = forbidden_names(answer_source(student._touched), self.forbid) if self.forbid else []
        return CheckFailed(refusal(found)) if found else None

    def _report(self, error: Exception | None) -> None:
        name, share = self.checker.id, self.checker.fraction
        if error is None:
            _statuses[name] = "passed" if share == 1 else "partial"
            print(f"✓ {name}" if share == 1 else f"✓ {name}: {share:.0%} of the points")
        elif isinstance(error, StudentError) and error.unsolved:
            _statuses[name] = "unsolved"
            print(error.waiting(name))
        else:
            _statuses[name] = "failed"
            print(f"✗ {name}: {explain(error)}")
