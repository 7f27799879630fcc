"""The student's side of a check in the notebook: the notebook's own names, reached through a guard.

Plain values are copied on the way in and out, all else stays behind a handle, and an exception of the student's code
becomes a :class:`StudentError` with its line. The judge has the same interface over the sandbox's channel.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from course_utils.checks.answers import namespace
from course_utils.checks.compare import plain
from course_utils.checks.fetch import fetcher

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
# what torch says of an operation that it lacks, also with a NotImplementedError, which then is none of an unwritten answer
_LACKING = re.compile(
    r"not implemented for|Could not run|aten::|missing the required \"forward\"|is not supported|meta tensor"
)
# what torch and numpy say where two number types do not fit together, or an operation lacks one
_TYPES = re.compile(
    r"not implemented for ['\"][A-Z]|\bdtypes?\b|data ?type|scalar types?|result type .{0,20}can't be cast"
    r"|tensors used as indices|(?:on|with) a bool tensor|floating.point (?:type|tensor)"
)
_TYPES_ADVICE = (
    "; the number type does not fit: print the dtypes, and convert with .float(), .long(), .bool() or .to(other.dtype)"
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
        """Whether the exercise is simply not written yet. An operation that torch lacks is a mistake."""
        return self.undefined or (self.kind == "NotImplementedError" and not _LACKING.search(self.text))

    @property
    def advice(self) -> str:
        """A sentence of ours about the likely cause, "" where none is known; nothing of the message is in it."""
        if self.kind not in ("RuntimeError", "ValueError", "AssertionError", "NotImplementedError", "IndexError"):
            return ""
        return _TYPES_ADVICE if _TYPES.search(self.text) else _MISFIT_ADVICE if _MISFIT.search(self.text) else ""

    def waiting(self, exercise: str) -> str:
        """The line about an exercise that is not written yet, or that is written and not run."""
        if self.undefined:
            return f"… {exercise}: {self.text} yet: write the answer and run its cell"
        return f"… {exercise} is not written yet; if you have written it, run its cell"


class Held:
    """Base of whatever stands for an object that stays on the student's side, here or in a sandbox."""

    __slots__ = ()

    @staticmethod
    def _entries_(handles: Sequence[Any], most: int) -> list[Any]:
        """Of each: a list of its entries; its length where that is above ``most``; None for what is no sequence.

        The name is none that a check asks the student's object for. Each kind of handle has its own.
        """
        raise NotImplementedError  # not by abc: its ``isinstance`` takes several times as long, and is asked for every entry


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

    @staticmethod
    def _entries_(handles: Sequence[Any], most: int) -> list[Any]:
        return [_entries(handle, most) for handle in handles]

    __iter__ = None  # as on the judge's side, where each step would be a round trip: use len() and [i]

    def __repr__(self) -> str:
        return f"<{self._name}>"


def _entries(handle: Handle, most: int) -> Any:
    try:
        size = len(handle)
        return [handle[index] for index in range(size)] if size <= most else size
    except StudentError:
        return None


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
