"""What a check cell is given: `check`, `student` and `handin`, in a notebook.

The judge runs the same text elsewhere with its own `student`; it reuses :class:`Checker`, so that right and wrong mean
the same in both places. Nothing here knows an answer.
"""

from __future__ import annotations

import linecache
import math
import os
import random
import re
import sys
import traceback
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn

import numpy as np
import torch

from course_utils.checks.answers import answer_source, forbidden_names, namespace
from course_utils.checks.compare import CheckFailed, difference, plain, truth
from course_utils.checks.fetch import fetcher
from course_utils.checks.handin import Handin, HandinError
from course_utils.errors import CourseError

__all__ = [
    "CheckFailed",
    "Checker",
    "Handin",
    "HandinError",
    "StudentError",
    "check",
    "explain",
    "forbidden_names",
    "handin",
    "results",
    "statuses",
    "student",
]


# what torch and numpy say where two shapes do not fit together
_MISFIT = re.compile(
    r"shapes cannot be multiplied|size mismatch|mismatch in its core dimension|must match (?:the|except)"
    r"|to match target|not aligned|(?:does not|not be) broadcast|inconsistent tensor size"
    r"|Expected size for first two|invalid for input of size"
    r"|number of src and tgt must be equal|normalized_shape=|The shape of the .{0,20}mask is|xpect\w* .{0,30}shape"
)
_MISFIT_ADVICE = (
    "; two shapes do not fit: print them and compare them with the docstring"
    " (the order of a product, a transpose, batch_first?)"
)


class StudentError(Exception):
    """An exception of the student's code.

    Attributes:
        kind: name of its type, e.g. ``"IndexError"``.
        text: its message.
        line: line in the notebook cell where it arose (from 1), None if unknown.
        undefined: whether the name itself does not exist in the notebook.
        place: name of the function whose line it is, "" if unknown.
    """

    def __init__(
        self, kind: str, text: str = "", line: int | None = None, *, undefined: bool = False, place: str = ""
    ) -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind, self.text, self.line, self.undefined, self.place = kind, text, line, undefined, place

    @property
    def unsolved(self) -> bool:
        """Whether the exercise is simply not written yet."""
        return self.kind == "NotImplementedError" or self.undefined

    @property
    def advice(self) -> str:
        """A sentence of ours about the likely cause, "" where none is known; nothing of the message is in it."""
        if self.kind not in ("RuntimeError", "ValueError", "AssertionError") or not _MISFIT.search(self.text):
            return ""
        return _MISFIT_ADVICE


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


class Held:
    """Base of whatever stands for an object that stays on the student's side, here or in a sandbox."""

    __slots__ = ()


class Handle(Held):
    """An object that stays on the student's side: attributes, calls, ``[i]`` and ``len()`` reach through to it."""

    __slots__ = ("_name", "_raw")

    def __init__(self, raw: Any, name: str) -> None:
        object.__setattr__(self, "_raw", raw)
        object.__setattr__(self, "_name", name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # protocols such as copying must not wander off into the student's object
        return _receive(lambda: getattr(self._raw, name), f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a check cannot set {self._name}.{name}: call a method of the student's object instead")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        sent, named = [_send(a) for a in args], {key: _send(a) for key, a in kwargs.items()}
        return _receive(lambda: self._raw(*sent, **named), f"{self._name}(…)")

    def __getitem__(self, index: Any) -> Any:
        return _receive(lambda: self._raw[_send(index)], f"{self._name}[…]")

    def __len__(self) -> int:
        return int(_receive(lambda: len(self._raw), f"len({self._name})"))

    __iter__ = None  # as on the judge's side, where each step would be a round trip: use len() and [i]

    def __repr__(self) -> str:
        return f"<{self._name}>"


def _receive(action: Callable[[], Any], name: str) -> Any:
    """Run the student's code; a plain copy of the result, or a handle, or StudentError."""
    try:
        return plain(action(), lambda value: Handle(value, name))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # also SystemExit: exit() in an answer must fail one check, not end the notebook
        line, place = _line(error)
        raise StudentError(type(error).__name__, str(error)[:500], line, place=place) from error


def _line(error: BaseException) -> tuple[int | None, str]:
    """Line and function of the deepest frame inside a notebook cell (its file does not exist on disk), if there is one."""
    if isinstance(error, SyntaxError):
        return error.lineno, ""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    cells = [frame for frame in own if not Path(frame.filename).is_file()]
    name = cells[-1].name if cells else ""
    return (cells[-1].lineno if cells else None), f"the cell with {name}" if name.isidentifier() else ""


def _send(value: Any) -> Any:
    """A copy for the student's code, so that changing an argument in place changes nothing of the check's."""
    if isinstance(value, Handle):
        return value._raw
    if callable(value):
        raise TypeError(f"a function ({value!r}) cannot be sent to the student's code: use a name of the notebook")
    if type(value) in (list, tuple):
        return type(value)(_send(item) for item in value)
    if type(value) is dict:
        return {key: _send(item) for key, item in value.items()}
    return plain(value, lambda other: other)  # random generators and slices go as they are: their draws count on


class Student:
    """``student.f`` is the notebook's ``f``: plain values come as they are, all else as a :class:`Handle`.

    Args:
        names: gives the names that there are; None stands for the notebook's.
    """

    def __init__(self, names: Callable[[], Mapping[str, Any]] | None = None) -> None:
        self._names = names
        self._touched: dict[str, None] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        names = self._names() if self._names is not None else namespace()
        if name not in names:
            raise StudentError("NameError", f"{name} is not defined in this notebook", undefined=True)
        self._touched[name] = None
        return plain(names[name], lambda value: Handle(value, name))

    def has(self, name: str) -> bool:
        """Whether the notebook defines ``name``. A check must not ask this (lint refuses it); demonstrations may."""
        return name in namespace()

    def tool(self, path: str) -> Handle:
        """A tool of the course that fetches values beside the student's functions, by its full name; see ``fetch``."""
        return Handle(fetcher(path), path.rpartition(".")[2])

    def keep(self, value: Any) -> Handle:
        """A copy of a plain value that stays on the student's side, to be passed to calls and fetched again."""
        return Handle(_send(value), "an argument")

    def hold(self, function: Handle, *args: Any) -> Handle:
        """``function(*args)``, whose result stays on the student's side even if it is plain."""
        found: list[Any] = []
        _receive(lambda: found.append(function._raw(*map(_send, args))), f"{function._name}(…)")
        return Handle(found[0], f"{function._name}(…)")

    def fetch(self, handle: Handle) -> Any:
        """A plain copy of what a handle stands for."""
        return _receive(lambda: handle._raw, handle._name)

    def map(self, function: Handle, rows: Iterable[Sequence[Any]]) -> list[Any]:
        """``[function(*row) for row in rows]``, in the judge one round trip. The first failure is raised."""
        return [function(*row) for row in rows]


student = Student()
handin = Handin()
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
    from course_utils.checks import promised  # it needs this module

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
        return CheckFailed(f"write it yourself, without {' and '.join(found)}") if found else None

    def _report(self, error: Exception | None) -> None:
        name, share = self.checker.id, self.checker.fraction
        if error is None:
            _statuses[name] = "passed" if share == 1 else "partial"
            print(f"✓ {name}" if share == 1 else f"✓ {name}: {share:.0%} of the points")
        elif isinstance(error, StudentError) and error.unsolved:
            _statuses[name] = "unsolved"
            print(f"… {name} is not written yet")
        else:
            _statuses[name] = "failed"
            print(f"✗ {name}: {explain(error)}")
